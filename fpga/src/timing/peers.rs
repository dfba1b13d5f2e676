//! Open blocks of others that do the same as ours, measured by the same tools with the same flags. Facts for comparison; no
//! code of theirs is used.

use super::Row;

/// A block of another project.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Peer {
    /// The subject it is compared with.
    pub ours: &'static str,
    /// Its name.
    pub name: &'static str,
    /// Its project.
    pub project: &'static str,
    /// `LUT4`, `CCU2C` and `TRELLIS_DPR16X4`.
    pub luts: [u64; 3],
    /// Flip-flops.
    pub ffs: u64,
    /// Block RAMs.
    pub bram: u64,
    /// Lowest and highest frequency in MHz over the seeds.
    pub mhz: [u64; 2],
}

impl Peer {
    /// Does a measurement of ours take more lookup tables or block RAMs, or is its worst clock lower?
    pub fn is_better_than(&self, ours: &Row) -> bool {
        let cells = &ours.cells;
        self.all_luts() < cells.luts() || self.bram < cells.block_rams() || ours.worst() < self.mhz[0] as f64
    }

    /// Carries counted as two lookup tables, distributed memories as six.
    pub fn all_luts(&self) -> u64 {
        self.luts[0] + 2 * self.luts[1] + 6 * self.luts[2]
    }
}

const VE: &str = "verilog-ethernet";
const TAXI: &str = "taxi";
const PULP: &str = "PULP common_cells";

const fn peer(
    ours: &'static str,
    name: &'static str,
    project: &'static str,
    luts: [u64; 3],
    [ffs, bram]: [u64; 2],
    mhz: [u64; 2],
) -> Peer {
    Peer { ours, name, project, luts, ffs, bram, mhz }
}

/// The peers, in the order of our subjects.
pub const PEERS: &[Peer] = &[
    peer("skid_128", "axis_register", VE, [298, 0, 0], [295, 0], [219, 255]),
    peer("skid_128", "axis_register", TAXI, [298, 0, 0], [295, 0], [148, 258]),
    peer("skid_128", "spill (145 bits)", PULP, [152, 0, 0], [292, 0], [224, 268]),
    peer("skid_512", "axis_register", VE, [1162, 0, 0], [1159, 0], [152, 152]),
    peer("skid_512", "axis_register", TAXI, [1162, 0, 0], [1159, 0], [132, 132]),
    peer("frame_fifo_128", "axis_fifo", VE, [102, 20, 0], [197, 5], [182, 209]),
    peer("frame_fifo_128", "axis_fifo", TAXI, [76, 15, 0], [188, 5], [174, 199]),
    peer("frame_fifo_512", "axis_fifo", VE, [83, 16, 0], [619, 17], [160, 160]),
    peer("frame_fifo_512", "axis_fifo", TAXI, [105, 12, 0], [612, 17], [179, 179]),
    peer("arbiter_128", "axis_arb_mux", VE, [765, 0, 0], [592, 0], [162, 182]),
    peer("arbiter_128", "axis_arb_mux", TAXI, [765, 0, 0], [593, 0], [170, 231]),
    peer("arbiter_512", "axis_arb_mux", VE, [2925, 0, 0], [2320, 0], [130, 130]),
    peer("arbiter_512", "axis_arb_mux", TAXI, [2925, 0, 0], [2321, 0], [121, 121]),
    peer("async_fifo_128", "axis_async_fifo", VE, [110, 20, 0], [271, 5], [207, 278]),
    peer("async_fifo_128", "axis_async_fifo", TAXI, [80, 10, 0], [231, 5], [216, 251]),
    peer("async_fifo_512", "axis_async_fifo", VE, [73, 16, 0], [679, 17], [187, 187]),
    peer("async_fifo_512", "axis_async_fifo", TAXI, [50, 8, 0], [647, 17], [179, 201]),
    peer("async_frame_fifo_128", "axis_async_fifo, whole frames", VE, [208, 30, 0], [332, 5], [160, 172]),
    peer("widen_64_128", "axis_adapter", VE, [230, 0, 0], [223, 0], [221, 291]),
    peer("widen_64_128", "axis_adapter", TAXI, [291, 0, 0], [223, 0], [222, 252]),
    peer("narrow_128_64", "axis_adapter", VE, [238, 0, 0], [222, 0], [159, 237]),
    peer("narrow_128_64", "axis_adapter", TAXI, [239, 0, 0], [222, 0], [208, 249]),
    peer("widen_128_512", "axis_adapter", TAXI, [739, 4, 0], [728, 0], [148, 164]),
    // Three blocks in a row, as they are used: cells added up, the clock of the slowest.
    peer("parse_64", "eth_axis_rx, ip_eth_rx, udp_ip_rx", VE, [804, 78, 0], [1494, 0], [140, 156]),
];

/// Why a subject is larger or slower than a peer.
const REASONS: &[(&str, &str)] = &[
    ("async_fifo_512", "As `async_fifo_128`: 74 flip-flops against 647, and at 265 MHz a third faster."),
    (
        "async_fifo_128",
        "It holds a third of the flip-flops of its peers: the block RAM's own output register is the output of the stream, and the pointers are \
         turned into Gray code and compared in lookup tables where the peers keep copies in registers.",
    ),
    (
        "widen_64_128",
        "`m_axis_tready` enables every register of the output directly, so that a beat needs no second register; the route of that one net decides the \
         clock, and differs by 50 MHz from seed to seed. A skid in front of its reader ends it.",
    ),
];

/// Why a subject is larger or slower than a peer, if that is known.
pub fn reason(ours: &str) -> Option<&'static str> {
    REASONS.iter().find(|(name, _)| *name == ours).map(|(_, why)| *why)
}

/// The peers of a subject.
pub fn peers_of(ours: &str) -> impl Iterator<Item = &'static Peer> {
    PEERS.iter().filter(move |peer| peer.ours == ours)
}
