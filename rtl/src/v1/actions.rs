//! Queue of actions between the header pipeline, which never stalls, and egress.
//!
//! ```text
//!              ┌───────────┐
//!  action ────▶│  actions  │────▶ head
//!              └───────────┘◀──── take
//! ```
//! Latency: 2 clocks. Throughput: an action a clock. It never stalls its writer: ingress lets no more frames in than the
//! queue has places.
//!
//! 1. Actions come out in order, each once.
//! 2. `head` stands from `head_valid` until `take`.
//! 3. The queue never holds more than its places.

use crate::v1::packet::Action;
use hdl::*;

/// The block.
#[derive(Clone, Debug)]
pub struct Actions {
    /// Bits that count the beats of a frame.
    pub beats_w: u32,
    /// Places; a power of two.
    pub places: u32,
}

/// Ports.
#[derive(Bundle, Clone, Copy, Debug)]
#[bundle(beats_w: u32)]
pub struct ActionsIo<S> {
    /// The next frame's action.
    #[input]
    #[shape(Action::shape(beats_w))]
    pub action: Action<S>,
    /// The oldest action.
    #[output]
    #[shape(Action::shape(beats_w))]
    pub head: Action<S>,
    /// The oldest action is taken; only while `head_valid`.
    #[input]
    pub take: S,
}

impl Block for Actions {
    type Io<S> = ActionsIo<S>;

    fn name(&self) -> String {
        "actions".into()
    }

    fn doc(&self) -> String {
        format!("Queue of {} actions.", self.places)
    }

    fn io(&self) -> ActionsIo<Shape> {
        ActionsIo::shape(self.beats_w)
    }

    #[names]
    fn build(&self, io: &ActionsIo<Bits>) {
        let address_w = clog2(u64::from(self.places));
        let write_pointer = reg(address_w + 1).reset(0);
        let read_pointer = reg(address_w + 1).reset(0);
        let waiting = write_pointer.ne(read_pointer);

        let word = bundle::pack(&io.action);
        let queue = memory::distributed(self.places, word.width()).simple();
        queue.write(io.action.valid, write_pointer.trunc(address_w), word);
        when(io.action.valid, || write_pointer.set(write_pointer + 1));

        let head_free = io.take | !io.head.valid;
        let oldest = unpack(&Action::shape(self.beats_w), queue.read(waiting, read_pointer.trunc(address_w)));
        io.head.valid.reset(0);
        io.head.visit(|_, leaf| {
            leaf.registered();
        });
        when(head_free, || {
            assign(&io.head, &Action { valid: waiting, ..oldest });
            when(waiting, || read_pointer.set(read_pointer + 1));
        });
        oldest.valid.ignore();

        let held = write_pointer - read_pointer;
        assert_that("actions_fit", "3: the queue holds no more than its places", held.le(u64::from(self.places)));
        assert_that("actions_taken", "2: an action is taken only when there is one", !io.take | io.head.valid);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_elaborates() {
        elaborate(&Actions { beats_w: 10, places: 64 }).unwrap();
    }
}
