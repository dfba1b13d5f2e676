//! Ports of the lookup block: what both directions ask and are told, what is counted, and the commands of management.

use super::TableStatus;
use hdl::Bundle;

/// What one header on its way to the network asks. One request a clock; never stalled.
#[derive(Bundle, Clone, Debug)]
pub struct TxRequest<S> {
    /// The request is there. The function table is asked in any case.
    pub valid: S,
    /// Function that sent the frame.
    #[width(16)]
    pub function: S,
    /// IPv4 source address; the first byte on the wire is the most significant.
    #[width(32)]
    pub address: S,
    /// The NAT table is asked too. Not in every clock while `management` is `Shared`: commands take the others.
    pub ipv4: S,
}

/// What the tables say, [`Tables::LATENCY`](super::Tables::LATENCY) clocks after the request.
#[derive(Bundle, Clone, Debug)]
pub struct TxResponse<S> {
    /// The response is there.
    pub valid: S,
    /// The function has an entry; otherwise `mode` and `unmatched` are 0.
    pub function_valid: S,
    /// The function's entry failed its parity.
    pub function_parity: S,
    /// Mode of the function: 0 nat, 1 pass, 2 drop; 3 is reserved.
    #[width(2)]
    pub mode: S,
    /// What becomes of frames that the mode has no rule for: 0 punt, 1 drop, 2 pass.
    #[width(2)]
    pub unmatched: S,
    /// There is a mapping for (function, address); otherwise the fields below are 0.
    pub nat_hit: S,
    /// There is none, and an entry that may have been it failed its parity.
    pub nat_parity: S,
    /// Outside address of the mapping.
    #[width(32)]
    pub outside: S,
    /// What a checksum over the address is updated by, RFC 1624: the folded sum of ~m and m' of both its half-words.
    #[width(16)]
    pub delta: S,
    /// The mapping has a next hop; its MAC address comes with [`TxLate`].
    pub next_hop: S,
    /// The TTL is decremented.
    pub route: S,
}

/// The MAC addresses, [`Tables::LATE_LATENCY`](super::Tables::LATE_LATENCY) clocks after the request.
#[derive(Bundle, Clone, Debug)]
pub struct TxLate<S> {
    /// MAC address of the mapping's next hop; 0 if it has none, or if that one is not in the table.
    #[width(48)]
    pub next_hop_mac: S,
    /// MAC address of the function that sent the frame; 0 if it has no entry.
    #[width(48)]
    pub function_mac: S,
    /// The next hop's entry failed its parity; `next_hop_mac` is not to be used.
    pub parity: S,
}

/// What one header that comes from the network asks. One request a clock; never stalled.
#[derive(Bundle, Clone, Debug)]
pub struct RxRequest<S> {
    /// The request is there. The MAC table is asked in any case.
    pub valid: S,
    /// IPv4 destination address; the first byte on the wire is the most significant.
    #[width(32)]
    pub address: S,
    /// The NAT table is asked too; as [`TxRequest::ipv4`].
    pub ipv4: S,
    /// Destination MAC address; the first byte on the wire is the most significant.
    #[width(48)]
    pub eth_dst: S,
}

/// What the tables say, [`Tables::LATENCY`](super::Tables::LATENCY) clocks after the request.
#[derive(Bundle, Clone, Debug)]
pub struct RxResponse<S> {
    /// The response is there.
    pub valid: S,
    /// There is a mapping for the address; otherwise the fields of the mapping are 0.
    pub nat_hit: S,
    /// There is none, and an entry that may have been it failed its parity.
    pub nat_parity: S,
    /// Inside address of the mapping.
    #[width(32)]
    pub inside: S,
    /// Function of the mapping.
    #[width(16)]
    pub function: S,
    /// What a checksum over the address is updated by; as [`TxResponse::delta`].
    #[width(16)]
    pub delta: S,
    /// The mapping has a next hop: the frame's destination MAC address becomes the function's, see [`RxLate`].
    pub next_hop: S,
    /// The TTL is decremented.
    pub route: S,
    /// The destination MAC address is that of a function in mode pass; otherwise `pass_function` is 0.
    pub pass_hit: S,
    /// It is none, and an entry that may have been it failed its parity.
    pub pass_parity: S,
    /// That function.
    #[width(16)]
    pub pass_function: S,
}

/// The MAC address, [`Tables::LATE_LATENCY`](super::Tables::LATE_LATENCY) clocks after the request.
#[derive(Bundle, Clone, Debug)]
pub struct RxLate<S> {
    /// MAC address of the mapping's function; 0 without a mapping, or if the function has no entry.
    #[width(48)]
    pub function_mac: S,
    /// The function's entry failed its parity; `function_mac` is not to be used.
    pub parity: S,
}

/// Pulses for the counters, one bit a table in the order of [`Table`](super::Table).
#[derive(Bundle, Clone, Debug)]
pub struct TableEvents<S> {
    /// A lookup found its key. For `function` the lookups of tx count, for `next_hop` those of mappings that have one.
    #[width(5)]
    pub hit: S,
    /// A lookup did not find its key.
    #[width(5)]
    pub miss: S,
    /// A lookup read an entry that failed its parity, whether or not it found its key elsewhere.
    #[width(5)]
    pub parity: S,
}

/// The management side: one command at a time to one of the tables. All that goes in stays as it is from `start` to
/// `done`. Beside the wait for clocks without a lookup, an insert or a delete takes less than 40 clocks a way of the
/// table, a read less than 30, a commit about 20, and a clear as many as the deepest table has rows. A sync takes a clock a
/// row of the exact tables that were edited, about 35 more for each slot that differs, and less than 20 an entry of the
/// direct tables that were edited.
///
/// Bits of a word for `flip_bit`: 1 to 0 validity, 49 to 2 key, 113 to 50 value, 129 to 114 delta, 130 parity.
#[derive(Bundle, Clone, Debug)]
pub struct TableManage<S> {
    /// Begin; one clock long, not again before `done`.
    pub start: S,
    /// An [`Operation`](super::Operation).
    #[width(super::Operation::WIDTH)]
    pub operation: S,
    /// A [`Table`](super::Table); commit, sync and clear are for all of them.
    #[width(3)]
    pub table: S,
    /// Way of the slot; 0 for direct tables.
    #[width(8)]
    pub way: S,
    /// Row of the slot; for direct tables the index.
    #[width(16)]
    pub row: S,
    /// Key to insert or delete; the unused high bits are 0. Ignored for direct tables.
    #[width(48)]
    pub key: S,
    /// Value to insert; the unused high bits are 0.
    #[width(64)]
    pub value: S,
    /// The word that this command writes is damaged, for tests of the parity.
    pub flip: S,
    /// The bit of the word that is inverted, as the bundle lists them. A bit that the table does not store stays as it is.
    #[width(8)]
    pub flip_bit: S,
    /// The command is over; one clock long.
    #[flip]
    pub done: S,
    /// How the command ended (0: done), valid with `done`.
    #[flip]
    #[width(TableStatus::WIDTH)]
    pub status: S,
    /// In which banks the slot was valid before the command, a bit a bank. For commands that got as far as the slot.
    #[flip]
    #[width(2)]
    pub old_valid: S,
    /// The key that stood in the slot; as `old_valid`.
    #[flip]
    #[width(48)]
    pub old_key: S,
    /// The value that stood in the slot, for direct tables that of the shadow bank; as `old_valid`.
    #[flip]
    #[width(64)]
    pub old_value: S,
    /// The tables have cleared themselves, after reset or a clear; until then lookups miss and commands are refused.
    #[flip]
    pub ready: S,
    /// The active bank, which lookups see; the other one, the shadow, is edited.
    #[flip]
    pub bank: S,
}

/// Ports of the lookup block.
#[derive(Bundle, Clone, Debug)]
pub struct TablesIo<S> {
    /// Requests of tx, one a clock.
    #[input]
    pub tx_request: TxRequest<S>,
    /// Responses to tx, in order.
    #[output]
    pub tx_response: TxResponse<S>,
    /// Late responses to tx, in order.
    #[output]
    pub tx_late: TxLate<S>,
    /// Requests of rx, one a clock.
    #[input]
    pub rx_request: RxRequest<S>,
    /// Responses to rx, in order.
    #[output]
    pub rx_response: RxResponse<S>,
    /// Late responses to rx, in order.
    #[output]
    pub rx_late: RxLate<S>,
    /// What is counted.
    #[output]
    pub events: TableEvents<S>,
    /// Commands.
    #[input]
    pub manage: TableManage<S>,
}
