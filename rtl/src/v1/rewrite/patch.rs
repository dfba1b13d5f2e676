//! Writes the new address and checksums into the beats as they leave the frame buffer.
//!
//! ```text
//!               ┌─────────┐
//!  read, rdata ▶│  patch  │────▶ patched
//!               └─────────┘
//! ```
//! Latency: 3 clocks from `read`, of which the buffer takes 2. Throughput: a beat a clock. It never stalls.
//!
//! 1. Of a translated frame the four bytes at N + 12, the two at N + 10 and, if `l4`, the two at half-word `l4_half`
//!    are written; N = 14, 18 or 22. Every other byte, and every byte of any other frame, leaves as it came.
//! 2. `keep` is full but on the last beat, where it ends with the frame's last lane.

use crate::{
    outcome::Outcome,
    v1::packet::{DATA_W, FUNCTION_W, LANE_W, LANES, Rewrite},
};
use hdl::*;

/// The block.
#[derive(Clone, Debug)]
pub struct Patch {}

/// A beat asked of the frame buffer.
#[derive(Bundle, Clone, Copy, Debug)]
pub struct ReadBeat<S> {
    /// The buffer is read in this clock.
    pub valid: S,
    /// Which beat of its frame: 7 stands for all later ones too.
    #[width(3)]
    pub index: S,
    /// Last beat of its frame.
    pub last: S,
    /// It goes to the Orchestration Module.
    pub punt: S,
    /// Last valid lane of the last beat.
    #[width(LANE_W)]
    pub lane: S,
    /// Outcome of its frame, encoded.
    #[width(Outcome::WIDTH)]
    pub outcome: S,
    /// Function that sent it.
    #[width(FUNCTION_W)]
    pub function: S,
    /// What is written over its frame.
    pub rewrite: Rewrite<S>,
}

/// A beat as it leaves.
#[derive(Bundle, Clone, Copy, Debug)]
pub struct Patched<S> {
    /// The beat is there.
    pub valid: S,
    /// It goes to the Orchestration Module.
    pub punt: S,
    /// The bytes.
    #[width(DATA_W)]
    pub data: S,
    /// Valid lanes.
    #[width(LANES)]
    pub keep: S,
    /// Last beat of its frame.
    pub last: S,
    /// Its outcome.
    #[width(Outcome::WIDTH)]
    pub outcome: S,
    /// Function that sent it.
    #[width(FUNCTION_W)]
    pub function: S,
}

/// Ports.
#[derive(Bundle, Clone, Copy, Debug)]
pub struct PatchIo<S> {
    /// What is read.
    #[input]
    pub read: ReadBeat<S>,
    /// The buffer's answer, two clocks later.
    #[input]
    #[width(DATA_W)]
    pub rdata: S,
    /// The beat as it leaves.
    #[output]
    pub patched: Patched<S>,
}

/// A half-word that may be written: when, and with what.
struct Candidate {
    lane: u32,
    enable: Bits,
    value: Bits,
}

impl Block for Patch {
    type Io<S> = PatchIo<S>;

    fn name(&self) -> String {
        "patch".into()
    }

    fn doc(&self) -> String {
        "Writes the new address and checksums into the beats as they leave the frame buffer.".into()
    }

    fn io(&self) -> PatchIo<Shape> {
        PatchIo::shape()
    }

    #[names]
    fn build(&self, io: &PatchIo<Bits>) {
        let (read, rewrite) = (&io.read, &io.read.rewrite);

        // While the buffer is read: which half-words of this beat change, and the new values.
        let address_high = rewrite.address.slice(16..32).delay_by(2);
        let address_low = rewrite.address.slice(0..16).delay_by(2);
        let ipv4_checksum = rewrite.ipv4_checksum.delay_by(2);
        let l4_checksum = rewrite.l4_checksum.delay_by(2);
        let depths = [!rewrite.tagged, rewrite.tagged & !rewrite.double, rewrite.tagged & rewrite.double];
        let mut candidates = Vec::new();
        for (depth, begin) in depths.into_iter().zip([14, 18, 22]) {
            for (offset, value) in [(10, ipv4_checksum), (12, address_high), (14, address_low)] {
                let half = (begin + offset) / 2;
                let here = rewrite.translate & depth & read.index.eq(u64::from(half / 8));
                let lane = half % 8;
                let enable = here.delay_by(2).named(&format!(
                    "write_{}_at_{}",
                    ["checksum", "high", "low"][(offset / 2 - 5) as usize],
                    begin + offset
                ));
                candidates.push(Candidate { lane, enable, value });
            }
        }
        let l4_here = rewrite.translate & rewrite.l4 & read.index.eq(rewrite.l4_half.slice(3..6));
        for lane in 0..8 {
            let here = l4_here & rewrite.l4_half.slice(0..3).eq(u64::from(lane));
            let enable = here.delay_by(2).named(&format!("write_l4_in_{lane}"));
            candidates.push(Candidate { lane, enable, value: l4_checksum });
        }

        // When the beat is there: write. At most one candidate of a lane is enabled.
        let written = (0..8).map(|lane| {
            let mine: Vec<&Candidate> = candidates.iter().filter(|c| c.lane == lane).collect();
            let any = mine.iter().fold(lit(1, 0), |any, c| any | c.enable);
            let value = mine.iter().fold(lit(16, 0), |or, c| or | (c.enable.repeat(16) & c.value));
            let old = io.rdata.slice(16 * lane..16 * lane + 16);
            mux(any, value.swap_bytes(), old)
        });
        let written: Vec<Bits> = written.collect();
        let data = cat(written.into_iter().rev());
        let last = read.last.delay_by(2);
        let lane = read.lane.delay_by(2);
        let keep = cat((0..LANES).rev().map(|i| !last | lane.ge(u64::from(i))));
        let valid = read.valid.delay_reset(0).delay_reset(0);
        io.patched.valid.reset(0).set(valid);
        let leaves = Patched {
            valid,
            punt: read.punt.delay_by(2),
            data,
            keep,
            last,
            outcome: read.outcome.delay_by(2),
            function: read.function.delay_by(2),
        };
        for ((at, target), (_, value)) in io.patched.leaves().into_iter().zip(leaves.leaves()) {
            if at.name != "valid" {
                target.registered().set(value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_elaborates() {
        elaborate(&Patch {}).unwrap();
    }
}
