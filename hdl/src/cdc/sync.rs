//! Synchronisers of bits and of resets.

use super::check_stages;
use crate::{
    self as hdl, Bits, Block, Bundle, Shape,
    build::with,
    clock::{async_reset, crossing},
    reg,
};

/// `d` brought into the present clock domain by a chain of `stages` flip-flops that start at 0 under reset. Each bit
/// goes its own way: a vector must be Gray-coded, or its bits unrelated. The flip-flops are named after `d`. Latency: `stages` clocks, one more by chance.
#[track_caller]
pub fn synchronise(d: Bits, stages: u32) -> Bits {
    let name = with(|b| match b.sig_of(d.id) {
        Some((s, _)) if !b.module.sig(s).name.is_empty() => format!("{}_sync", b.module.sig(s).name),
        _ => "sync".to_string(),
    });
    (0..stages).fold(d, |d, i| {
        let stage = crossing(reg(d.width()).reset(hdl::Value::zero(d.width()))).named(&format!("{name}{i}"));
        stage.set(d);
        stage
    })
}

/// Brings independent bits from any clock, or from none, into the present domain. Cost: `stages` flip-flops a bit.
#[derive(Clone, Debug)]
pub struct BitSync {
    /// Number of bits. They arrive independently of one another.
    pub width: u32,
    /// Flip-flops in the chain, 2 to 8.
    pub stages: u32,
}

/// Ports of [`BitSync`].
#[derive(Bundle, Clone)]
#[bundle(width: u32)]
pub struct BitSyncIo<S> {
    /// From anywhere, straight from a flip-flop or a pin.
    #[input]
    #[clock(async)]
    #[width(width)]
    pub d: S,
    /// In this clock; 0 under reset.
    #[output]
    #[width(width)]
    pub q: S,
}

impl Block for BitSync {
    type Io<S> = BitSyncIo<S>;

    fn name(&self) -> String {
        "bit_sync".into()
    }

    fn doc(&self) -> String {
        format!("Synchroniser of {} independent bit(s), {} flip-flops each.", self.width, self.stages)
    }

    fn params(&self) -> Vec<(&'static str, String)> {
        vec![("w", self.width.to_string()), ("stages", self.stages.to_string())]
    }

    fn check(&self) -> Result<(), String> {
        check_stages("bit_sync", self.stages)
    }

    fn io(&self) -> BitSyncIo<Shape> {
        BitSyncIo::shape(self.width)
    }

    fn build(&self, io: &BitSyncIo<Bits>) {
        io.q.set(synchronise(io.d, self.stages));
    }
}

/// A reset for the present domain's clock: asserted as soon as the input rises, clock or no clock; released by `stages`
/// clock edges after it falls, so that all flip-flops leave reset in the same clock.
#[derive(Clone, Debug)]
pub struct ResetSync {
    /// Flip-flops in the chain, 2 to 8.
    pub stages: u32,
}

/// Ports of [`ResetSync`].
#[derive(Bundle, Clone)]
pub struct ResetSyncIo<S> {
    /// Active high, of no clock.
    #[input]
    #[clock(async)]
    pub rst_in: S,
    /// Active high: rises with `rst_in`, falls with the clock.
    #[output]
    pub rst_out: S,
}

impl Block for ResetSync {
    type Io<S> = ResetSyncIo<S>;

    fn name(&self) -> String {
        "reset_sync".into()
    }

    fn doc(&self) -> String {
        format!("Reset asserted at once and released by {} clock edges.", self.stages)
    }

    fn params(&self) -> Vec<(&'static str, String)> {
        vec![("stages", self.stages.to_string())]
    }

    fn check(&self) -> Result<(), String> {
        check_stages("reset_sync", self.stages)
    }

    fn io(&self) -> ResetSyncIo<Shape> {
        ResetSyncIo::shape()
    }

    fn build(&self, io: &ResetSyncIo<Bits>) {
        let last = (0..self.stages).fold(hdl::lit(1, 0), |before, i| {
            let stage = reg(1).reset(1u64).named(&format!("stage{i}"));
            async_reset(stage, io.rst_in);
            stage.set(before);
            stage
        });
        io.rst_out.set(last);
    }
}
