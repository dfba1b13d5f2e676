//! From an address to what it names, and from fields to a register's value.

use super::{
    Area, FUNCTION_COUNTERS, Reg, RegField,
    counters::{Column, Group, PORT_ROWS, TABLE_ROWS},
    outcome_counter,
};
use crate::{lookup::Table, outcome::Outcome};
use hdl::*;

/// The register's name in Verilog.
pub(super) fn lower(reg: Reg) -> String {
    reg.name().to_lowercase()
}

/// A register of 32 bits that keeps what is written to its fields, byte by byte; other bits read 0.
pub(super) fn storage(reg: Reg, write: Bits, data: Bits, strb: Bits) -> Bits {
    let width = 32 - reg.mask().leading_zeros();
    let kept = hdl::reg(width).reset(0).named(&format!("{}_kept", lower(reg)));
    when(write, || {
        for lane in 0..width.div_ceil(8) {
            let bits = 8 * lane..(8 * lane + 8).min(width);
            when(strb.bit(lane), || kept.slice(bits.clone()).set(data.slice(bits)));
        }
    });
    (kept & u64::from(reg.mask())).zext(32)
}

/// A field of a register's value.
pub(super) fn part(field: &RegField, of: Bits) -> Bits {
    of.slice(field.lsb..field.lsb + field.width)
}

/// A register's value from its fields; bits without one are 0.
pub(super) fn compose(reg: Reg, fields: &[(&str, Bits)]) -> Bits {
    let placed = fields.iter().map(|(name, value)| value.zext(32).shl(reg.field(name).lsb));
    placed.reduce(|all, field| all | field).unwrap_or_else(|| lit(32, 0))
}

/// Whether a word of the map always reads the same, and what: a clock after the word. The value says nothing where it
/// does not.
pub(super) fn constants(word: Bits, constants: &[(u32, u32)]) -> (Bits, Bits) {
    // Upper address bits, the same for all constants, are left out of the table.
    let last = constants.iter().map(|(offset, _)| offset / 4).max().unwrap_or(0);
    let index_w = clog2(u64::from(last) + 1);
    let listed = wire(1).named("is_listed");
    let value = reg(32).named("constant_value");
    listed.set(1);
    let mut cases = switch(word.trunc(index_w));
    for (offset, constant) in constants {
        cases = cases.case(u64::from(offset / 4), || value.set(u64::from(*constant)));
    }
    cases.default(|| {
        listed.set(0);
        value.set(0);
    });
    let at_constant = (listed & !word.slice(index_w..).any()).delay().named("at_constant");
    (at_constant, value)
}

/// The counter that a word of the map belongs to, a clock after the word.
pub(super) struct CounterAt {
    /// It belongs to one.
    pub valid: Bits,
    /// It is one of the function in COUNTER_FUNCTION.
    pub of_function: Bits,
    /// A [`Group`].
    pub group: Bits,
    /// Its row, unless it is a function's.
    pub row: Bits,
    /// A [`Column`].
    pub column: Bits,
}

// The counters of functions begin 16 bytes into their block, of 64 bytes.
const FUNCTION_FIRST: u64 = 2;

/// Decodes a word of the map.
#[names]
pub(super) fn counter(word: Bits) -> CounterAt {
    let (row_w, column_w) = (clog2(u64::from(TABLE_ROWS) + 8), 2);
    let within = |area: Area, size: u32| {
        debug_assert!(area.offset().is_multiple_of(size) && area.size() <= size);
        let low = clog2(u64::from(size)) - 2;
        word.slice(low..).eq(u64::from(area.offset() >> (low + 2)))
    };
    let column = |c: Column| lit(column_w, c as u128);

    let code = word.slice(1..7);
    let is_outcome = within(Area::OutcomeCounters, 512);
    let outcome_exists = wire(1).named("outcome_exists");
    let exists = |is: bool| move || outcome_exists.set(is);
    switch(code).case_any(Outcome::ALL.iter().map(|o| o.code()), exists(true)).default(exists(false));
    debug_assert_eq!(outcome_counter(Outcome::BadFrame), Area::OutcomeCounters.offset() + 8 * 32);

    let is_port = within(Area::PortCounters, 128);
    let port_row = lit(row_w, PORT_ROWS.into()) | word.slice(2..5).zext(row_w);
    let port_column = mux(word.bit(1), column(Column::Bytes), column(Column::Frames));

    let is_table = within(Area::TableCounters, 256);
    let table_exists = word.slice(3..6).lt(Table::ALL.len() as u64) & word.slice(1..3).ne(3);
    let table_row = lit(row_w, TABLE_ROWS.into()) | word.slice(3..6).zext(row_w);

    let place = word.slice(1..4);
    let is_function = within(Area::CounterAccess, 64) & place.ge(FUNCTION_FIRST);
    let of_place = |f: &dyn Fn(Group, Column) -> u64| {
        let first = std::iter::repeat_n(0, FUNCTION_FIRST as usize);
        let options = first.chain(FUNCTION_COUNTERS.iter().map(|(_, group, column)| f(*group, *column)));
        select(place, &options.map(|code| lit(2, code.into())).collect::<Vec<_>>())
    };
    let function_group = of_place(&|group, _| group.encoded());
    let function_column = of_place(&|_, column| column as u64);

    let valid_counter = (is_outcome & outcome_exists) | is_port | (is_table & table_exists) | is_function;
    let row = mux(is_port, port_row, mux(is_table, table_row, code.zext(row_w)));
    let of_area = mux(is_port, port_column, mux(is_table, word.slice(1..3), column(Column::Frames)));
    CounterAt {
        valid: valid_counter.delay().named("at_counter"),
        of_function: is_function.delay().named("at_function_counter"),
        group: (is_function.repeat(2) & function_group).delay().named("counter_group"),
        row: row.delay().named("counter_row"),
        column: mux(is_function, function_column, of_area).delay().named("counter_column"),
    }
}
