//! Bundles of the lookup stage: request, response, and the commands that edit its tables.

use hdl::{Bundle, clog2};

/// The lookup stage's configuration: the geometry of its tables.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Lookup {
    /// Function numbers go from 0 to this less one; a power of two from 2 to 65,536.
    pub functions: u32,
    /// Ways of the NAT table: 2 to 8.
    pub ways: u32,
    /// Rows of each way: a power of two from 16 to 32,768.
    pub rows: u32,
}

/// What one header asks. One request a clock; never stalled.
#[derive(Bundle, Clone, Debug)]
pub struct LookupRequest<S> {
    /// The request is there.
    pub valid: S,
    /// Function that sent the frame.
    #[width(16)]
    pub function: S,
    /// IPv4 source address; the first byte on the wire is the most significant.
    #[width(32)]
    pub address: S,
}

/// What the tables say, [`Lookup::latency`] clocks after the request.
#[derive(Bundle, Clone, Debug)]
pub struct LookupResponse<S> {
    /// The response is there.
    pub valid: S,
    /// The function has an entry; otherwise `mode` and `unmatched` are 0.
    pub function_valid: S,
    /// Mode of the function: 0 nat, 1 pass, 2 drop; 3 is reserved.
    #[width(2)]
    pub mode: S,
    /// What becomes of frames that the mode has no rule for: 0 punt, 1 drop, 2 pass.
    #[width(2)]
    pub unmatched: S,
    /// There is a mapping for (function, address); otherwise `outside` is 0.
    pub nat_hit: S,
    /// Outside address of the mapping.
    #[width(32)]
    pub outside: S,
}

/// One command to an exact-match table. Everything stays as it is from `start` to `done`.
#[derive(Bundle, Clone, Debug)]
#[bundle(key_w: u32, value_w: u32)]
pub struct SlotCommand<S> {
    /// Begin; one clock long, not again before `done`.
    pub start: S,
    /// 1 insert, 2 delete, 3 read.
    #[width(2)]
    pub operation: S,
    /// Way of the slot.
    #[width(8)]
    pub way: S,
    /// Row of the slot.
    #[width(16)]
    pub row: S,
    /// Key to insert or delete.
    #[width(key_w)]
    pub key: S,
    /// Value to insert.
    #[width(value_w)]
    pub value: S,
    /// The command is over; one clock long.
    #[flip]
    pub done: S,
    /// How the command ended (0: done), valid with `done`.
    #[flip]
    #[width(super::TableStatus::WIDTH)]
    pub status: S,
    /// Key that stood in the slot, valid with `done`.
    #[flip]
    #[width(key_w)]
    pub old_key: S,
    /// Value that stood in the slot, valid with `done`.
    #[flip]
    #[width(value_w)]
    pub old_value: S,
}

/// One command to the function table. Everything stays as it is from `start` to `done`.
#[derive(Bundle, Clone, Debug)]
pub struct FunctionCommand<S> {
    /// Begin; one clock long, not again before `done`.
    pub start: S,
    /// 1: write the entry; 0: read it.
    pub write: S,
    /// Function number.
    #[width(16)]
    pub index: S,
    /// Entry to write: validity, mode and `unmatched`, packed.
    #[width(super::FunctionEntry::<hdl::Shape>::WIDTH)]
    pub entry: S,
    /// The command is over; one clock long.
    #[flip]
    pub done: S,
    /// How the command ended (0: done), valid with `done`.
    #[flip]
    #[width(super::TableStatus::WIDTH)]
    pub status: S,
    /// Entry that stood there, valid with `done`.
    #[flip]
    #[width(super::FunctionEntry::<hdl::Shape>::WIDTH)]
    pub old_entry: S,
}

/// The management side of the lookup stage; the registers are its producer.
#[derive(Bundle, Clone, Debug)]
pub struct LookupManage<S> {
    /// Commands to the NAT table: key (function, inside address), value the outside address.
    #[shape(SlotCommand::shape(Lookup::KEY_W, Lookup::VALUE_W))]
    pub nat: SlotCommand<S>,
    /// Commands to the function table.
    pub function: FunctionCommand<S>,
    /// Empty both tables; one clock long, not during a command.
    pub clear: S,
    /// Both tables have cleared themselves, after reset or `clear`.
    #[flip]
    pub ready: S,
}

/// Ports of the lookup stage.
#[derive(Bundle, Clone, Debug)]
pub struct LookupIo<S> {
    /// Requests, one a clock.
    #[input]
    pub request: LookupRequest<S>,
    /// Responses, in order.
    #[output]
    pub response: LookupResponse<S>,
    /// Table commands.
    #[input]
    pub manage: LookupManage<S>,
}

impl Lookup {
    /// Bits of a NAT key: function (16) above address (32).
    pub const KEY_W: u32 = 48;
    /// Bits of a NAT value: the outside address.
    pub const VALUE_W: u32 = 32;

    /// Clocks from request to response.
    pub fn latency(&self) -> u32 {
        super::ExactMatch::LATENCY
    }

    /// Mappings that always find a place: 95 % of the slots.
    pub fn rated_mappings(&self) -> u32 {
        self.ways * self.rows * 95 / 100
    }

    /// Bits of a row number.
    pub fn row_width(&self) -> u32 {
        clog2(u64::from(self.rows))
    }
}
