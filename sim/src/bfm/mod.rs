//! Bus drivers and monitors for AXI4-Stream and AXI4-Lite ports of a [`Model`](crate::verilated::Model).
//!
//! A [`Bench`] owns a model and the [`Source`]s, [`Sink`]s and [`AxilMaster`]s put on its ports by name prefix
//! (`s_axis_host_` means `s_axis_host_tdata` and so on). [`Bench::step`] runs one clock cycle:
//!
//! 1. sources, sinks and AXI4-Lite masters set the module's inputs for the cycle;
//! 2. combinational logic settles, if any output depends on it;
//! 3. every stream's monitor looks at its ports, checks the [rules](Rule), and takes the beat if there is one;
//! 4. the clock ticks.
//!
//! Lane 0 is a frame's first byte. The lanes of a last beat that hold no byte carry `0xEE`; while `tvalid` is low the payload
//! is random, unless that is switched off. All random choices follow from the seeds.
//!
//! ```no_run
//! use em_sim::bfm::{Bench, Frame, Stall, StreamConfig};
//! use em_sim::verilated::{ModelSpec, build};
//!
//! # fn run(spec: ModelSpec) -> Result<(), Box<dyn std::error::Error>> {
//! let mut bench = Bench::new(build(&spec)?.instance(1), "clk", Some("rst"))?;
//! let stall = Stall::Random { percent: 30, seed: 7 };
//! let host = bench.add_source("s_axis_host_", &StreamConfig { stall, ..StreamConfig::default() })?;
//! let net0 = bench.add_sink("m_axis_net0_", &StreamConfig::default())?;
//! let m2m = bench.add_axil("s_axil_m2m_", Default::default())?;
//! bench.reset(4)?;
//! bench.write(m2m, 0x10, 1)?;
//! bench.sources[host].send(Frame { data: vec![0; 60], user: 3 << 1, bad: false })?;
//! bench.drain(200, 100_000)?;
//! for frame in bench.sinks[net0].take() {
//!     println!("{} bytes, cycles {}-{}", frame.data.len(), frame.first_cycle, frame.last_cycle);
//! }
//! # Ok(())
//! # }
//! ```

mod stall;
mod error;
mod beat;
mod monitor;
mod source;
mod sink;
mod axil;
mod axil_ports;
mod bench;

pub use axil::{AxilConfig, AxilMaster, AxilResponse, Resp, Ticket};
pub use beat::Beat;
pub use bench::Bench;
pub use error::{BenchError, Rule, Violation};
pub use sink::{Received, Sink};
pub use source::{Frame, Sent, Source, UserFn};
pub use stall::Stall;

/// How a stream port is driven and checked.
#[derive(Clone, Debug)]
pub struct StreamConfig {
    /// When this side holds the stream up.
    pub stall: Stall,
    /// The bit of `tuser` that marks a bad frame on `tlast`, if the stream has one. All other bits are held through the frame.
    pub bad_bit: Option<u32>,
    /// A frame longer than this, in bytes, counts as one without `tlast`.
    pub max_frame: usize,
    /// Random idle cycles between two frames of a source: 0 to this many.
    pub max_gap: u32,
    /// While `tvalid` is low the payload of a source is random; otherwise it stays as it was, which simulates faster.
    pub random_idle: bool,
    /// Seed of the random payload while `tvalid` is low and of the gaps.
    pub seed: u64,
}

impl Default for StreamConfig {
    /// No stalls, no gaps, bad bit 0, frames up to 65,536 bytes, random payload while idle.
    fn default() -> Self {
        Self { stall: Stall::None, bad_bit: Some(0), max_frame: 65_536, max_gap: 0, random_idle: true, seed: 0 }
    }
}
