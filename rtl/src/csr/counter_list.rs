//! Which counter is read where.

use super::{
    Area,
    counters::{Column, Group, PORT_ROWS, PortCounter, TABLE_ROWS},
    describe::Counter,
};
use crate::{
    lookup::Table,
    outcome::{Kind, Outcome},
};

/// Byte address of the counter of an outcome.
pub const fn outcome_counter(outcome: Outcome) -> u32 {
    Area::OutcomeCounters.offset() + 8 * outcome.code() as u32
}

/// Byte address of the frames that went by a port; their bytes are 8 above.
pub const fn port_counter(port: PortCounter) -> u32 {
    Area::PortCounters.offset() + 16 * port as u32
}

/// Byte address of the hits of a table; misses are 8, parity errors 16 above.
pub const fn table_counter(table: Table) -> u32 {
    Area::TableCounters.offset() + 32 * table as u32
}

/// Counters of the function in COUNTER_FUNCTION, in order of their addresses, with their group and column.
pub const FUNCTION_COUNTERS: [(&str, Group, Column); 6] = [
    ("function_tx_frames", Group::Tx, Column::Frames),
    ("function_tx_bytes", Group::Tx, Column::Bytes),
    ("function_tx_drops", Group::Tx, Column::Drops),
    ("function_rx_frames", Group::Rx, Column::Frames),
    ("function_rx_bytes", Group::Rx, Column::Bytes),
    ("function_rx_drops", Group::Rx, Column::Drops),
];

/// Byte address of the function counter at this place of [`FUNCTION_COUNTERS`].
pub const fn function_counter(place: u32) -> u32 {
    Area::CounterAccess.offset() + 0x10 + 8 * place
}

/// Where each counter's value comes from: its byte address, group, row (none: that of COUNTER_FUNCTION) and column.
pub fn counter_sources() -> Vec<(u32, Group, Option<u32>, Column)> {
    let outcomes =
        Outcome::ALL.iter().map(|o| (outcome_counter(*o), Group::General, Some(o.code() as u32), Column::Frames));
    let ports = PortCounter::ALL.into_iter().flat_map(|port| {
        [Column::Frames, Column::Bytes]
            .into_iter()
            .zip([0, 8])
            .map(move |(column, at)| (port_counter(port) + at, Group::General, Some(PORT_ROWS + port as u32), column))
    });
    let tables = Table::ALL.into_iter().flat_map(|table| {
        Column::ALL.into_iter().zip([0, 8, 16]).map(move |(column, at)| {
            (table_counter(table) + at, Group::General, Some(TABLE_ROWS + table as u32), column)
        })
    });
    let functions =
        (0u32..).zip(FUNCTION_COUNTERS).map(|(i, (_, group, column))| (function_counter(i), group, None, column));
    functions.chain(outcomes).chain(ports).chain(tables).collect()
}

/// All counters in order of their addresses.
pub fn counters() -> Vec<Counter> {
    let sources = counter_sources();
    let counter = |name: String, offset: u32, doc: String| {
        let (.., column) = sources.iter().find(|(at, ..)| *at == offset).expect("every counter has a source");
        Counter { name, offset, width: column.width(), doc }
    };
    let functions = (0u32..).zip(FUNCTION_COUNTERS).map(|(i, (name, group, column))| {
        let way = if group == Group::Tx { "from" } else { "to" };
        let what = match column {
            Column::Frames => "Frames forwarded",
            Column::Bytes => "Bytes of the frames, as they came in, forwarded",
            Column::Drops => "Frames dropped on their way",
        };
        counter(name.into(), function_counter(i), format!("{what} {way} the function in COUNTER_FUNCTION."))
    });
    let outcomes = Outcome::ALL.iter().map(|outcome| {
        let kind = match outcome.kind() {
            Kind::Forward => "forward",
            Kind::Punt => "punt",
            Kind::Drop => "drop",
        };
        counter(format!("{kind}_{}", outcome.name()), outcome_counter(*outcome), outcome.doc().trim().into())
    });
    let ports = PortCounter::ALL.into_iter().flat_map(|port| {
        [("frames", 0, "Number"), ("bytes", 8, "Bytes, without FCS,")].map(|(what, at, amount)| {
            (format!("{}_{what}", port.name()), port_counter(port) + at, format!("{amount} of {}.", port.doc()))
        })
    });
    let ports = ports.map(|(name, offset, doc)| counter(name, offset, doc));
    let tables = Table::ALL.into_iter().flat_map(|table| {
        let whats = [
            ("hits", "Lookups that found their key in"),
            ("misses", "Lookups that did not find their key in"),
            ("parity", "Lookups that read an entry that failed its parity in"),
        ];
        (0..).zip(whats).map(move |(i, (what, doc))| {
            (format!("{}_{what}", table.name()), table_counter(table) + 8 * i, format!("{doc} table {}.", table.name()))
        })
    });
    let tables = tables.map(|(name, offset, doc)| counter(name, offset, doc));
    functions.chain(outcomes).chain(ports).chain(tables).collect()
}
