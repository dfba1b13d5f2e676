//! The rules of every stream (see [`Axis`]) as properties: asserted on a block's outputs, assumed of its inputs.

use super::{Axis, Beat};
use hdl::{Bits, assert_that, assume_that, bundle::pack, lit, reg};

/// Asserts the rules on a stream that this block drives. `name` begins the properties' labels.
#[track_caller]
pub fn assert_stream(name: &str, stream: &Axis<Bits>) {
    rules(name, stream, assert_that);
}

/// Takes the rules for granted on a stream that drives this block; simulators check them all the same.
#[track_caller]
pub fn assume_stream(name: &str, stream: &Axis<Bits>) {
    rules(name, stream, assume_that);
}

#[track_caller]
fn rules(name: &str, stream: &Axis<Bits>, state: fn(&str, &str, Bits)) {
    let state =
        |rule: &str, sentence: &str, cond: Bits| state(&format!("{name}_{rule}"), &format!("{name}: {sentence}"), cond);

    let beat = pack(&stream.beat());
    let stalled = reg(1).reset(0).named(&format!("{name}_stalled"));
    let stalled_beat = reg(beat.width()).named(&format!("{name}_stalled_beat"));
    stalled.set(stream.tvalid & !stream.tready);
    stalled_beat.set(beat);
    state("stays", "a beat once offered stays until it is taken", !stalled | stream.tvalid);
    state("stable", "a beat does not change while it waits", !stalled | beat.eq(stalled_beat));

    let beat = stream.beat();
    state("not_null", "a beat has at least one byte, in lane 0", !stream.tvalid | beat.tkeep.bit(0));
    state("contiguous", "tkeep is contiguous from lane 0", !stream.tvalid | is_contiguous(&beat));
    state("full", "every beat but the last is full", !stream.tvalid | beat.tlast | beat.tkeep.all());
}

/// 1 bit: the beat's `tkeep` is as rule 3 of [`Axis`] wants it.
#[track_caller]
pub fn is_well_formed(beat: &Beat<Bits>) -> Bits {
    beat.tkeep.bit(0) & is_contiguous(beat) & (beat.tlast | beat.tkeep.all())
}

#[track_caller]
fn is_contiguous(beat: &Beat<Bits>) -> Bits {
    let lanes = beat.tkeep.width();
    if lanes == 1 {
        return lit(1, 1);
    }
    !(beat.tkeep.slice(1..) & !beat.tkeep.slice(..lanes - 1)).any()
}
