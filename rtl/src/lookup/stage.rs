//! The lookup stage, between parse and rewrite: the function table and the NAT table side by side, aligned.
//!
//! ```text
//!             ┌──▶ function_table ──▶ 4 clocks ──┐
//!  request ───┤                                  ├──▶ response
//!             └──▶ exact_match ──────────────────┘
//! ```
//!
//! Latency [`Lookup::latency`] clocks, throughput 1 request a clock, never stalls. The NAT key is the function's number
//! above the inside address, the value the outside address.

use super::{ExactMatch, FunctionTable, Lookup, LookupIo};
use crate::{carry, carry_valid};
use hdl::*;

impl Lookup {
    /// The NAT table.
    pub fn nat_table(&self) -> ExactMatch {
        ExactMatch { ways: self.ways, rows: self.rows, key_w: Lookup::KEY_W, value_w: Lookup::VALUE_W }
    }

    /// The function table.
    pub fn function_table(&self) -> FunctionTable {
        FunctionTable { functions: self.functions }
    }

    /// The NAT table's key of an inside address.
    pub fn nat_key(function: u16, address: u32) -> u128 {
        u128::from(function) << 32 | u128::from(address)
    }
}

impl Block for Lookup {
    type Io<S> = LookupIo<S>;

    fn name(&self) -> String {
        "lookup".into()
    }

    fn doc(&self) -> String {
        "Lookup stage: function table and NAT table side by side.".into()
    }

    fn params(&self) -> Vec<(&'static str, String)> {
        let params = [("functions", self.functions), ("ways", self.ways), ("rows", self.rows)];
        params.map(|(name, value)| (name, value.to_string())).to_vec()
    }

    fn check(&self) -> Result<(), String> {
        self.function_table().check()?;
        self.nat_table().check()
    }

    fn io(&self) -> LookupIo<Shape> {
        LookupIo::shape()
    }

    #[names]
    fn build(&self, io: &LookupIo<Bits>) {
        let nat = instance(&self.nat_table());
        let functions = instance(&self.function_table());
        nat.lookup_valid.set(io.request.valid);
        nat.lookup_key.set(cat([io.request.function, io.request.address]));
        connect(&io.manage.nat, &nat.command);
        functions.lookup_valid.set(io.request.valid);
        functions.lookup_function.set(io.request.function);
        connect(&io.manage.function, &functions.command);
        nat.clear.set(io.manage.clear);
        functions.clear.set(io.manage.clear);
        io.manage.ready.set(nat.ready & functions.ready);

        let wait = ExactMatch::LATENCY - FunctionTable::LATENCY;
        io.response.valid.set(carry_valid("valid", io.request.valid, self.latency()));
        io.response.function_valid.set(carry_valid("function_valid", functions.entry.valid, wait));
        io.response.mode.set(carry("mode", functions.entry.mode, wait));
        io.response.unmatched.set(carry("unmatched", functions.entry.unmatched, wait));
        io.response.nat_hit.set(nat.hit);
        io.response.outside.set(nat.hit_value);
    }
}
