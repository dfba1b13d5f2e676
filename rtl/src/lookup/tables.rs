//! The lookup block, between parse and verdict in both directions: five tables, their management, and what is counted.
//!
//! ```text
//!  tx_request ─┬─▶ nat_tx (exact) ────────────────┬──────────────────────▶ tx_response
//!              └─▶ function (direct) ────────────▶│     ┌────────────────▶ tx_late
//!                      ▲                          └─▶ next_hop (direct)
//!                      └──────────────┐
//!  rx_request ─┬─▶ nat_rx (exact) ──┬─┴─ function (direct, again) ───────▶ rx_late
//!              └─▶ mac (exact) ─────┴───────────────────────────────────▶ rx_response
//!
//!  manage ──▶ manager ──▶ slots of all tables, bank, ready
//! ```
//!
//! | port | |
//! |---|---|
//! | `tx_request`, `rx_request` | one a clock and direction, never stalled |
//! | `tx_response`, `rx_response` | [`Tables::LATENCY`] clocks later |
//! | `tx_late`, `rx_late` | MAC addresses, [`Tables::LATE_LATENCY`] clocks after the request |
//! | `events` | hits, misses and parity errors of each table |
//! | `manage` | one command at a time |
//!
//! Throughput one request a clock and direction; with [`Management::Shared`] commands wait for clocks without a NAT
//! lookup, so these must not come in every clock (an IPv4 header of 34 bytes takes two beats of up to 256 bits).
//!
//! Block RAM, by yosys (November 2026): 24 for 4 x 512 mappings a direction (a word has up to 108 bits, three block RAMs a
//! way of 512 rows or fewer), 4 for 256 functions, 2 for 64 next hops, 1 for the manager. MAC addresses, and direct tables
//! of up to 32 entries, lie in lookup tables.
//!
//! 1. A request takes the active bank in its first clock, and all of its answers come from that bank of every table.
//! 2. A commit changes the bank of all tables in one clock.
//! 3. Answers are 0 without a hit. A word that fails its parity is no hit, and is reported.
//! 4. Until `ready` there are no hits and no events.

use super::{
    DirectTable, ExactMemory, ExactTable, Layout, Management, SlotAccess, Table, TableManager, Tables, TablesIo,
    layout::expand,
};
use crate::{carry, carry_valid};
use hdl::*;

/// Rows up to which the table of MAC addresses lies in lookup tables rather than block RAM.
const DISTRIBUTED_ROWS: u32 = 64;

fn ones(width: u32) -> u64 {
    (1 << width) - 1
}

impl Tables {
    /// What a word of a table stores.
    pub fn layout(&self, table: Table) -> Layout {
        let function = ones(clog2(u64::from(self.functions)));
        let next_hop = ones(clog2(u64::from(self.next_hops)));
        let exact = |key_mask, value_mask, delta| Layout { valid_w: 2, key_mask, value_mask, delta };
        let direct = |value_mask| Layout { valid_w: 1, key_mask: 0, value_mask, delta: false };
        match table {
            Table::NatTx => exact(ones(32) | function << 32, ones(32) | next_hop << 32 | 3 << 40, true),
            Table::NatRx => exact(ones(32), ones(32) | function << 32 | 3 << 48, true),
            Table::Mac => exact(ones(48), function, false),
            Table::Function => direct(ones(52)),
            Table::NextHop => direct(ones(48)),
        }
    }

    /// An exact table.
    pub(super) fn exact(&self, table: Table) -> ExactTable {
        let memory = match table {
            Table::Mac if self.mac_rows <= DISTRIBUTED_ROWS => ExactMemory::Distributed,
            // Every frame's MAC address is looked up.
            Table::Mac => ExactMemory::Block(Management::OwnPort),
            _ => ExactMemory::Block(self.management),
        };
        ExactTable { name: table.name(), geometry: self.geometry(table), layout: self.layout(table), memory }
    }

    /// A direct table.
    pub(super) fn direct(&self, table: Table) -> DirectTable {
        DirectTable {
            name: table.name(),
            entries: self.geometry(table).rows,
            layout: self.layout(table),
            lookups: if table == Table::Function { 2 } else { 1 },
            management: self.management,
        }
    }

    /// Widths of management's access to a table.
    pub(super) fn slot_shape(&self, table: Table) -> SlotAccess<Shape> {
        match table {
            Table::NatTx | Table::NatRx | Table::Mac => self.exact(table).slot_shape(),
            Table::Function | Table::NextHop => self.direct(table).slot_shape(),
        }
    }

    /// The fields of the value that is stored in `data`, of these widths, the lowest first.
    fn fields<const N: usize>(&self, table: Table, data: Bits, widths: [u32; N]) -> [Bits; N] {
        let mask = self.layout(table).value_mask;
        let value = expand(mask, self.geometry(table).value_w, data.trunc(mask.count_ones()));
        let mut lsb = 0;
        widths.map(|width| {
            lsb += width;
            value.slice(lsb - width..lsb)
        })
    }
}

impl Block for Tables {
    type Io<S> = TablesIo<S>;

    fn name(&self) -> String {
        "lookup".into()
    }

    fn doc(&self) -> String {
        "Lookup block: the tables of both directions and their management.".into()
    }

    fn check(&self) -> Result<(), String> {
        if !self.functions.is_power_of_two() || !(2..=65_536).contains(&self.functions) {
            return Err(format!("lookup with {} functions: use a power of two from 2 to 65536", self.functions));
        }
        if !self.next_hops.is_power_of_two() || !(2..=256).contains(&self.next_hops) {
            return Err(format!("lookup with {} next hops: use a power of two from 2 to 256", self.next_hops));
        }
        [Table::NatTx, Table::NatRx, Table::Mac].into_iter().try_for_each(|table| self.exact(table).check())
    }

    fn io(&self) -> TablesIo<Shape> {
        TablesIo::shape()
    }

    #[names]
    fn build(&self, io: &TablesIo<Bits>) {
        let manager = instance(&TableManager { tables: *self });
        let nat_tx = instance(&self.exact(Table::NatTx));
        let nat_rx = instance(&self.exact(Table::NatRx));
        let mac = instance(&self.exact(Table::Mac));
        let functions = instance(&self.direct(Table::Function));
        let next_hops = instance(&self.direct(Table::NextHop));
        connect(&io.manage, &manager.manage);
        connect(&manager.nat_tx, &nat_tx.slot);
        connect(&manager.nat_rx, &nat_rx.slot);
        connect(&manager.mac, &mac.slot);
        connect(&manager.function, &functions.slot);
        connect(&manager.next_hop, &next_hops.slot);

        let (tx, rx) = (&io.tx_request, &io.rx_request);
        let (ready, bank) = (manager.manage.ready, manager.manage.bank);
        let bank_late = carry("bank", bank, Tables::LATENCY);
        let (function_of_tx, function_of_rx) = (&functions.lookup[0], &functions.lookup[1]);
        let index_w = function_of_tx.index.width();

        // The function's entry is read so late that it need not wait long for the mapping.
        let wait = Tables::LATENCY - 1 - DirectTable::LATENCY;
        let no_function = if index_w < 16 { tx.function.slice(index_w..).any() } else { lit(1, 0) };
        function_of_tx.valid.set(carry_valid("function_asked", tx.valid & ready & !no_function, wait));
        function_of_tx.index.set(carry("function_index", tx.function.trunc(index_w), wait));
        function_of_tx.bank.set(carry("function_bank", bank, wait));
        let entry = &functions.answer[0];
        let value = entry.value;
        let present = entry.valid & !entry.failed;
        let fields = value.trunc(4) & present.repeat(4);
        let function_mac = carry("function_mac", value.slice(4..), Tables::LATE_LATENCY - Tables::LATENCY + 1);
        let missing = carry_valid("function_missing", tx.valid & ready & no_function, Tables::LATENCY - 1);
        let function_hit = present.delay_reset(0);
        let function_miss = ((entry.asked & !present) | missing).delay_reset(0);
        let function_failed = entry.failed.delay_reset(0);

        nat_tx.lookup.valid.set(tx.valid & tx.ipv4 & ready);
        nat_tx.lookup.bank.set(bank);
        nat_tx.lookup.key.set(cat([tx.function, tx.address]));
        let [outside, hop_index, has_hop, route] = self.fields(Table::NatTx, nat_tx.answer.data, [32, 8, 1, 1]);
        let delta = |data: Bits| data.slice(data.width() - 16..);
        let response = &io.tx_response;
        response.valid.set(carry_valid("tx_valid", tx.valid, Tables::LATENCY));
        response.function_valid.set(function_hit);
        response.function_parity.set(function_failed);
        response.mode.set(fields.trunc(2).delay().named("mode"));
        response.unmatched.set(fields.slice(2..).delay().named("unmatched"));
        response.nat_hit.set(nat_tx.answer.hit);
        response.nat_parity.set(nat_tx.answer.parity);
        response.outside.set(outside);
        response.delta.set(delta(nat_tx.answer.data));
        response.next_hop.set(has_hop);
        response.route.set(route);

        let hop = &next_hops.lookup[0];
        hop.valid.set(has_hop);
        hop.bank.set(bank_late);
        hop.index.set(hop_index.trunc(hop.index.width()));
        let hop = &next_hops.answer[0];
        io.tx_late.next_hop_mac.set(hop.value);
        io.tx_late.function_mac.set(function_mac);
        io.tx_late.parity.set(hop.failed);

        nat_rx.lookup.valid.set(rx.valid & rx.ipv4 & ready);
        nat_rx.lookup.bank.set(bank);
        nat_rx.lookup.key.set(rx.address);
        mac.lookup.valid.set(rx.valid & ready);
        mac.lookup.bank.set(bank);
        mac.lookup.key.set(rx.eth_dst);
        let [inside, function, to_function, route] = self.fields(Table::NatRx, nat_rx.answer.data, [32, 16, 1, 1]);
        let response = &io.rx_response;
        response.valid.set(carry_valid("rx_valid", rx.valid, Tables::LATENCY));
        response.nat_hit.set(nat_rx.answer.hit);
        response.nat_parity.set(nat_rx.answer.parity);
        response.inside.set(inside);
        response.function.set(function);
        response.delta.set(delta(nat_rx.answer.data));
        response.next_hop.set(to_function);
        response.route.set(route);
        response.pass_hit.set(mac.answer.hit);
        response.pass_parity.set(mac.answer.parity);
        let [pass_function] = self.fields(Table::Mac, mac.answer.data, [16]);
        response.pass_function.set(pass_function);

        function_of_rx.valid.set(nat_rx.answer.hit);
        function_of_rx.bank.set(bank_late);
        function_of_rx.index.set(function.trunc(index_w));
        let entry = &functions.answer[1];
        entry.asked.ignore();
        entry.valid.ignore();
        entry.value.ignore();
        io.rx_late.function_mac.set(entry.value.slice(4..));
        io.rx_late.parity.set(entry.failed);

        let (exact, by_table) =
            ([&nat_tx.answer, &nat_rx.answer, &mac.answer], |bits: [Bits; 5]| cat(bits.into_iter().rev()));
        let found_hop = hop.valid & !hop.failed;
        io.events.hit.set(by_table([exact[0].hit, exact[1].hit, exact[2].hit, function_hit, found_hop]));
        io.events.miss.set(by_table([
            exact[0].miss,
            exact[1].miss,
            exact[2].miss,
            function_miss,
            hop.asked & !found_hop,
        ]));
        io.events.parity.set(by_table([
            exact[0].failed,
            exact[1].failed,
            exact[2].failed,
            function_failed | entry.failed,
            hop.failed,
        ]));
    }
}
