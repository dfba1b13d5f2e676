//! A queue of small words in distributed RAM, whose oldest word stands at its output.
//!
//! ```text
//!                ┌───────┐──▶ waiting, oldest
//!  write, word ─▶│ queue │
//!                └───────┘◀── take
//! ```
//! Latency: 1 clock from `write` to `waiting`. Throughput: a word a clock. It never stalls its writer: no more words are
//! on their way than it has places. `oldest` comes straight from the memory: put a register behind it.
//!
//! 1. Words come out in order, each once.
//! 2. The queue never holds more than its places.

use super::ring::Ring;
use hdl::*;

/// The block.
#[derive(Clone, Copy, Debug)]
pub struct Queue {
    /// Bits of a word.
    pub width: u32,
    /// Places; a power of two.
    pub places: u32,
}

/// Ports.
#[derive(Bundle, Clone, Copy, Debug)]
#[bundle(width: u32)]
pub struct QueueIo<S> {
    /// A word comes.
    #[input]
    pub write: S,
    /// The word.
    #[input]
    #[width(width)]
    pub word: S,
    /// There is a word.
    #[output]
    pub waiting: S,
    /// The oldest word.
    #[output]
    #[width(width)]
    pub oldest: S,
    /// The oldest word is taken; nothing happens if there is none.
    #[input]
    pub take: S,
}

impl Block for Queue {
    type Io<S> = QueueIo<S>;

    fn name(&self) -> String {
        "queue".into()
    }

    fn doc(&self) -> String {
        format!("Queue of {} words.", self.places)
    }

    fn params(&self) -> Vec<(&'static str, String)> {
        vec![("d", self.places.to_string()), ("w", self.width.to_string())]
    }

    fn check(&self) -> Result<(), String> {
        if !self.places.is_power_of_two() || self.places < 2 {
            return Err(format!("queue: places = {} is no power of two; choose 2 or more.", self.places));
        }
        Ok(())
    }

    fn io(&self) -> QueueIo<Shape> {
        QueueIo::shape(self.width)
    }

    #[names]
    fn build(&self, io: &QueueIo<Bits>) {
        let ring = Ring::new(self.places);
        let words = memory::distributed(self.places, self.width).simple();
        words.write(io.write, ring.write_address(), io.word);
        io.oldest.set(words.read(ring.waiting, ring.read_address()));
        io.waiting.set(ring.waiting);
        ring.advance(io.write, io.take);
    }
}
