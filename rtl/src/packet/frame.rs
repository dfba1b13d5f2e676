//! A frame as a whole: its sizes, its beats, and the buffer between the two sides of a path.

use hdl::{Bundle, clog2};

/// Bits of a function number.
pub const FUNCTION_W: u32 = 16;
/// Bits of a port number.
pub const PORT_W: u32 = 2;

/// Numbers of the ports a frame can come in by, as in `tuser` of a punted frame.
pub mod port {
    /// The host.
    pub const HOST: u64 = 0;
    /// The first network port.
    pub const NET0: u64 = 1;
    /// The second network port.
    pub const NET1: u64 = 2;
    /// The Orchestration Module, which injects.
    pub const INJECT: u64 = 3;
}

/// Which way a path goes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Direction {
    /// Host to network: the source address is translated.
    Tx,
    /// Network to host: the destination address is translated.
    Rx,
}

impl Direction {
    /// Name of the path and, in lower case, of its module.
    pub const fn name(self) -> &'static str {
        match self {
            Direction::Tx => "tx",
            Direction::Rx => "rx",
        }
    }

    /// It is the way out.
    pub const fn is_tx(self) -> bool {
        matches!(self, Direction::Tx)
    }

    /// Offset of the translated address in the IPv4 header, in bytes.
    pub const fn address_at(self) -> u32 {
        match self {
            Direction::Tx => 12,
            Direction::Rx => 16,
        }
    }

    /// Offset of the same address in an IPv4 header that an ICMP error quotes: the quoted datagram went the other way.
    pub const fn quoted_address_at(self) -> u32 {
        match self {
            Direction::Tx => 16,
            Direction::Rx => 12,
        }
    }
}

/// Sizes that the bundles of a path depend on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Size {
    /// Bits of a beat: 64, 128, 256 or 512.
    pub data_w: u32,
    /// Bits that count the beats of a frame.
    pub beats_w: u32,
    /// Bits that number the words (four bytes) of a frame, for the place of an ICRC; 0 without hardware for RoCEv2.
    pub icrc_w: u32,
}

impl Size {
    /// Checks the width of a beat. The error names `block`.
    ///
    /// # Errors
    /// A width that is not built, and those that are.
    pub fn check(self, block: &str) -> Result<(), String> {
        if matches!(self.data_w, 64 | 128 | 256 | 512) {
            return Ok(());
        }
        Err(format!("{block}: size.data_w = {}: choose 64, 128, 256 or 512", self.data_w))
    }

    /// Bytes of a beat.
    pub const fn lanes(self) -> u32 {
        self.data_w / 8
    }

    /// There is hardware for RoCEv2.
    pub const fn has_roce(self) -> bool {
        self.icrc_w > 0
    }

    /// Bits that number a lane.
    pub fn lane_w(self) -> u32 {
        clog2(u64::from(self.lanes()))
    }

    /// Half-words of a beat.
    pub const fn halves(self) -> u32 {
        self.data_w / 16
    }

    /// Bits that number a half-word of a beat.
    pub fn half_w(self) -> u32 {
        clog2(u64::from(self.halves()))
    }

    /// Beat-wide words of what follows the Ethernet header that have fields at fixed places: on the way out to byte 48
    /// (behind IPv6's hop-by-hop options), on the way in to byte 19 (IPv4's destination).
    pub const fn fixed_words(self, direction: Direction) -> u32 {
        let bytes: u32 = if direction.is_tx() { 49 } else { 20 };
        bytes.div_ceil(self.lanes())
    }
}

/// How much of a frame there is and whose it is: what goes with it to the end.
#[derive(Bundle, Clone, Copy, Debug)]
#[bundle(size: Size)]
pub struct Extent<S> {
    /// Beats of it in the frame buffer; 1 or more.
    #[width(size.beats_w)]
    pub beats: S,
    /// Last valid lane of the last beat.
    #[width(size.lane_w())]
    pub lane: S,
    /// Port it came in by: see [`port`].
    #[width(PORT_W)]
    pub port: S,
    /// Function that sent it or gets it; 0 if unknown.
    #[width(FUNCTION_W)]
    pub function: S,
}

/// What is known of a frame when its last beat is in.
#[derive(Bundle, Clone, Copy, Debug)]
#[bundle(size: Size)]
pub struct FrameEnd<S> {
    /// How much of it there is.
    #[shape(Extent::shape(size))]
    pub extent: Extent<S>,
    /// `tuser` said bad.
    pub bad: S,
    /// Longer than the maximum; the buffer holds only its beginning.
    pub oversize: S,
    /// Shorter than an Ethernet header (14 bytes).
    pub runt: S,
    /// Where an injected frame goes: 0 host, 1 net0, 2 net1, 3 the uplink.
    #[width(2)]
    pub egress: S,
}

/// A beat on its way past the parser. Never stalled; gaps are clocks without `valid`.
#[derive(Bundle, Clone, Copy, Debug)]
#[bundle(size: Size)]
pub struct Beat<S> {
    /// The beat is there.
    pub valid: S,
    /// First of its frame.
    pub first: S,
    /// Last of its frame.
    pub last: S,
    /// The bytes.
    #[width(size.data_w)]
    pub data: S,
    /// The frame as a whole: stands in the clock after the last beat, and only then means anything.
    #[shape(FrameEnd::shape(size))]
    pub end: FrameEnd<S>,
}

/// Pages of a frame in the frame buffer, which is divided into pages of as many beats each. The pages between the two
/// follow from one to the next.
#[derive(Bundle, Clone, Copy, Debug)]
#[bundle(page_w: u32)]
pub struct Chain<S> {
    /// Page that the frame begins in.
    #[width(page_w)]
    pub first: S,
    /// Page that its last beat stands in.
    #[width(page_w)]
    pub last: S,
}

/// Read port of the frame buffer: data follow two clocks after the address.
#[derive(Bundle, Clone, Copy, Debug)]
#[bundle(data_w: u32, addr_w: u32, page_w: u32)]
pub struct BufferRead<S> {
    /// Read.
    pub re: S,
    /// Beat's address: its page in the upper bits.
    #[width(addr_w)]
    pub raddr: S,
    /// The beat.
    #[flip]
    #[width(data_w)]
    pub rdata: S,
    /// The page of the same frame that follows the address's page, a clock after the address. Anything, if none follows.
    #[flip]
    #[width(page_w)]
    pub next: S,
}

/// What the reading side gives back to the writing side.
#[derive(Bundle, Clone, Copy, Debug)]
#[bundle(page_w: u32)]
pub struct Release<S> {
    /// Pages are given back.
    pub valid: S,
    /// A page or several that follow one another.
    #[shape(Chain::shape(page_w))]
    pub chain: Chain<S>,
}
