//! Bundles of the two buses: AXI4-Lite outside, register accesses inside.

use hdl::Bundle;

/// AXI4-Lite with 32-bit data (ARM IHI 0022, chapter B1); the producer is the manager.
#[derive(Bundle, Clone, Debug)]
#[bundle(addr_w: u32)]
pub struct AxiLite<S> {
    /// Write address, in bytes.
    #[width(addr_w)]
    pub awaddr: S,
    /// Protection type of the write; not looked at.
    #[width(3)]
    pub awprot: S,
    /// The write address is there.
    pub awvalid: S,
    /// The write address is taken.
    #[flip]
    pub awready: S,
    /// Write data.
    #[width(32)]
    pub wdata: S,
    /// Bytes of `wdata` that are written.
    #[width(4)]
    pub wstrb: S,
    /// The write data is there.
    pub wvalid: S,
    /// The write data is taken.
    #[flip]
    pub wready: S,
    /// Write response: 0 OKAY, 2 SLVERR, 3 DECERR.
    #[flip]
    #[width(2)]
    pub bresp: S,
    /// The write response is there.
    #[flip]
    pub bvalid: S,
    /// The write response is taken.
    pub bready: S,
    /// Read address, in bytes.
    #[width(addr_w)]
    pub araddr: S,
    /// Protection type of the read; not looked at.
    #[width(3)]
    pub arprot: S,
    /// The read address is there.
    pub arvalid: S,
    /// The read address is taken.
    #[flip]
    pub arready: S,
    /// Read data; 0 with an error response.
    #[flip]
    #[width(32)]
    pub rdata: S,
    /// Read response: 0 OKAY, 2 SLVERR, 3 DECERR.
    #[flip]
    #[width(2)]
    pub rresp: S,
    /// The read response is there.
    #[flip]
    pub rvalid: S,
    /// The read response is taken.
    pub rready: S,
}

/// Register accesses, one at a time: word, data and strobes stay from `write` or `read` to `done`.
#[derive(Bundle, Clone, Debug)]
#[bundle(addr_w: u32)]
pub struct RegBus<S> {
    /// A write begins; one clock long.
    pub write: S,
    /// A read begins; one clock long.
    pub read: S,
    /// Number of the register: its byte address by 4.
    #[width(addr_w - 2)]
    pub word: S,
    /// Data to write.
    #[width(32)]
    pub write_data: S,
    /// Bytes of it that are written.
    #[width(4)]
    pub write_strb: S,
    /// The access is over; one clock long.
    #[flip]
    pub done: S,
    /// Its response, valid with `done`: 0 OKAY, 2 SLVERR, 3 DECERR.
    #[flip]
    #[width(2)]
    pub resp: S,
    /// What was read, valid with `done`; 0 with an error.
    #[flip]
    #[width(32)]
    pub read_data: S,
}
