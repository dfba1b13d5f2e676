//! The registers: decodes accesses, keeps settings and staged table commands, and carries the commands out.
//!
//! ```text
//!             ┌───────┐    ┌──────────────────┐──▶ settings (paths)
//!  s_axil ───▶│ slave │───▶│ decode, storage, │──▶ manage (tables)
//!             └───────┘    │ commands         │◀── counters ◀── events
//!                          └──────────────────┘◀── link_up
//! ```
//!
//! | port | |
//! |---|---|
//! | `s_axil` | the bus; see [`AxiLiteSlave`] |
//! | `events` | what is counted |
//! | `link_up` | what LINK shows |
//! | `manage` | one table command at a time |
//! | `settings` | UPLINK and NOT_FOR_US, for the paths |
//! | `punt_limit` | programs a limiter, if there are any |
//!
//! A plain access takes 4 clocks from its start to its response, a counter 12, a table command until the table is done.
//! An insert that the tables carry out in four clocks:
//!
//! ```text
//! cycle              257 258 259 260 261 262 263 264 265 266 267 268 269 270
//! s_axil_awvalid    ‾‾‾‾\___________________________________________________
//! s_axil_wvalid     ‾‾‾‾\___________________________________________________
//! manage_start      ____________________/‾‾‾\_______________________________
//! manage_operation  |0                  |1
//! manage_done       ____________________________________/‾‾‾\_______________
//! s_axil_bvalid     ____________________________________________/‾‾‾\_______
//! s_axil_bready     ‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾
//! ```
//!
//! 1. Every access is answered: OKAY; SLVERR for a write of a read-only register, a read of a write-only one, a refused
//!    command; DECERR where there is no register.
//! 2. Bytes without their strobe keep their value. A command whose byte 0 has no strobe does nothing and answers OKAY.
//! 3. Bits outside fields are ignored on writes and read as 0.
//! 4. Insert, delete, read and commit answer when they are done; sync and clear answer at once, and writes to the
//!    table registers wait for their end. No other register waits for a table.
//! 5. A write of PUNT_LIMIT_MATCH programs the selected limiter; SLVERR if there is none of that number.
//! 6. Counters are read from the snapshot; while it is taken, and for functions that there are not, they answer SLVERR.

use super::{
    ADDR_W, Access, CounterEvents, Counters, MapConfig, Reg,
    decode::{self, compose, lower, part, storage},
    limiters::limiters,
};
use crate::{
    csr::{AxiLite, AxiLiteSlave, Settings, resp},
    lookup::{Operation, TableManage, TableStatus},
    punt::LimitWrite,
};
use hdl::*;

/// The registers of an Execution Module.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Csr {
    /// What the map depends on.
    pub config: MapConfig,
}

/// Ports of the registers.
#[derive(Bundle, Clone, Debug)]
#[bundle(config: MapConfig)]
pub struct CsrIo<S> {
    /// The bus.
    #[input]
    #[shape(AxiLite::shape(ADDR_W))]
    pub s_axil: AxiLite<S>,
    /// What is counted.
    #[input]
    pub events: CounterEvents<S>,
    /// Links that are up: net0 in bit 0, net1 in bit 1; synchronous.
    #[input]
    #[width(2)]
    pub link_up: S,
    /// Commands to the tables.
    #[output]
    pub manage: TableManage<S>,
    /// What the paths look at.
    #[output]
    pub settings: Settings<S>,
    /// Programs a limiter.
    #[output]
    #[present(config.punt_limits > 0)]
    #[shape(LimitWrite::shape(config.punt_limits, config.tables.functions))]
    pub punt_limit: Option<LimitWrite<S>>,
}

/// What the registers are doing.
#[derive(Encode, Clone, Copy, PartialEq, Eq)]
enum Step {
    /// Waits for an access.
    Idle,
    /// Decodes its address.
    Decode,
    /// Carries out a write, or begins a command.
    Write,
    /// Collects what is read.
    Read,
    /// Waits for the counters' memory.
    Count,
    /// Waits for the end of a table command.
    Table,
}

/// The registers that an access may hit, decoded a clock after its address.
struct Hits(Vec<(Reg, Bits)>);

impl Hits {
    /// 1 bit: it is this register.
    fn of(&self, reg: Reg) -> Bits {
        self.0.iter().find(|(r, _)| *r == reg).expect("every register is decoded").1
    }

    /// 1 bit: it is one of those.
    fn any(&self, of: impl Fn(Reg) -> bool) -> Bits {
        cat(self.0.iter().filter(|(r, _)| of(*r)).map(|(_, hit)| *hit)).any()
    }
}

impl Block for Csr {
    type Io<S> = CsrIo<S>;

    fn name(&self) -> String {
        "csr".into()
    }

    fn doc(&self) -> String {
        "Registers on AXI4-Lite.".into()
    }

    fn io(&self) -> CsrIo<Shape> {
        CsrIo::shape(self.config)
    }

    #[names]
    fn build(&self, io: &CsrIo<Bits>) {
        let slave = instance(&AxiLiteSlave { addr_w: ADDR_W });
        let count = instance(&Counters { functions: self.config.tables.functions, lanes: self.config.data_w / 8 });
        connect(&io.s_axil, &slave.s_axil);
        connect(&io.events, &count.events);
        let (bus, manage) = (&slave.bus, &io.manage);
        let word = bus.word;
        let map = self.config.map();
        let constants: Vec<(u32, u32)> = map.registers.iter().filter_map(|r| Some((r.offset, r.constant?))).collect();
        let is_constant = |r: &Reg| constants.iter().any(|(offset, _)| *offset == r.offset());
        let hits = (self.config.listed())
            .filter(|r| !is_constant(r))
            .map(|r| (r, word.eq(u64::from(r.offset() / 4)).delay().named(&format!("at_{}", lower(r)))));
        let hits = &Hits(hits.collect());
        let hit = |reg: Reg| hits.of(reg);
        let (at_constant, constant_value) = decode::constants(word, &constants);
        let counter = decode::counter(word);
        let is_high = word.bit(0).delay();

        // A clock after the hits: known when the access is carried out.
        let writable = hits.any(|r| r.access() != Access::Ro).delay();
        let readable = (at_constant | hits.any(|r| r.access() != Access::Wo)).delay();
        let at_register = (at_constant | hits.any(|_| true)).delay();
        let at_staged = hits.any(Reg::is_staged).delay();

        let step = state(Step::Idle);
        let is_write = reg(1);
        let waited = reg(4);
        let done = reg(1).reset(0);
        let answer_resp = reg(2);
        let answer_data = reg(32);
        bus.done.set(done);
        bus.resp.set(answer_resp);
        bus.read_data.set(answer_data);
        done.set(0);
        let answer = |resp: u64| {
            done.set(1);
            answer_resp.set(resp);
            step.go(Step::Idle);
        };

        // The table command under way, and how the last one ended.
        let table_busy = reg(1).reset(0);
        let table_status = reg(TableStatus::WIDTH).reset(0);
        let old_valid = reg(2).reset(0);
        let old_key = reg(48).reset(0);
        let old_value = reg(64).reset(0);
        when(manage.done, || {
            table_busy.set(0);
            table_status.set(manage.status);
            old_valid.set(manage.old_valid);
            old_key.set(manage.old_key);
            old_value.set(manage.old_value);
        });
        let held = at_staged & (table_busy | !count.ready);

        let storing = step.is(Step::Write) & !held;
        let store = |reg: Reg| storage(reg, storing & hit(reg), bus.write_data, bus.write_strb);
        let scratch = store(Reg::Scratch);
        let uplink = store(Reg::Uplink);
        let not_for_us = store(Reg::NotForUs);
        let table_select = store(Reg::TableSelect);
        let table_slot = store(Reg::TableSlot);
        let table_key0 = store(Reg::TableKey0);
        let table_key1 = store(Reg::TableKey1);
        let table_value0 = store(Reg::TableValue0);
        let table_value1 = store(Reg::TableValue1);
        let table_flip = store(Reg::TableFlip);
        let counter_function = store(Reg::CounterFunction);

        let field = |reg: Reg, of: Bits, name: &str| part(reg.field(name), of);
        io.settings.uplink_net1.set(field(Reg::Uplink, uplink, "port"));
        io.settings.not_for_us.set(field(Reg::NotForUs, not_for_us, "action"));
        io.settings.pass_function.set(field(Reg::NotForUs, not_for_us, "pass_function"));

        let limits = io.punt_limit.as_ref().map(|limit| {
            let install = storing & hit(Reg::PuntLimitMatch) & bus.write_strb.bit(0);
            limiters(&self.config, limit, install, store)
        });

        let operation = manage.operation.registered();
        manage.start.reset(0).set(0);
        manage.table.set(field(Reg::TableSelect, table_select, "table"));
        manage.way.set(field(Reg::TableSlot, table_slot, "way"));
        manage.row.set(field(Reg::TableSlot, table_slot, "row"));
        manage.key.set(cat([field(Reg::TableKey1, table_key1, "key"), table_key0]));
        manage.value.set(cat([table_value1, table_value0]));
        manage.flip.set(field(Reg::TableFlip, table_flip, "enable"));
        manage.flip_bit.set(field(Reg::TableFlip, table_flip, "bit"));

        let is_ready = manage.ready & count.ready;
        let became_ready = is_ready & !is_ready.delay_reset(0);
        let parity = io.events.tables.parity.to_bits();
        let causes = [
            ("nat_tx_parity", 0),
            ("nat_rx_parity", 1),
            ("mac_parity", 2),
            ("function_parity", 3),
            ("next_hop_parity", 4),
        ];
        let causes = causes.map(|(name, table)| (name, parity[table]));
        let happened = compose(Reg::Events, &[&causes[..], &[("ready", became_ready)]].concat()).delay_reset(0);
        let strobes = cat(bus.write_strb.to_bits().into_iter().rev().map(|lane| lane.repeat(8)));
        let cleared = (storing & hit(Reg::Events)).repeat(32) & strobes & bus.write_data;
        let events = reg(32).reset(0);
        events.set((events & !cleared) | happened);

        let link = io.link_up.delay();
        let pairs: [(Reg, &[(&str, Bits)]); 4] = [
            (Reg::Status, &[("ready", is_ready), ("bank", manage.bank)]),
            (Reg::Link, &[("net0", link.bit(0)), ("net1", link.bit(1))]),
            (Reg::TableStatus, &[("status", table_status), ("old_valid", old_valid), ("busy", table_busy)]),
            (Reg::CounterLatch, &[("latch", count.busy)]),
        ];
        let composed = pairs.map(|(reg, fields)| (reg, compose(reg, fields)));
        let plain = [
            (Reg::Scratch, scratch),
            (Reg::Events, events),
            (Reg::Uplink, uplink),
            (Reg::NotForUs, not_for_us),
            (Reg::TableSelect, table_select),
            (Reg::TableSlot, table_slot),
            (Reg::TableKey0, table_key0),
            (Reg::TableKey1, table_key1),
            (Reg::TableValue0, table_value0),
            (Reg::TableValue1, table_value1),
            (Reg::TableFlip, table_flip),
            (Reg::TableOldKey0, old_key.trunc(32)),
            (Reg::TableOldKey1, old_key.slice(32..).zext(32)),
            (Reg::TableOldValue0, old_value.trunc(32)),
            (Reg::TableOldValue1, old_value.slice(32..)),
            (Reg::CounterFunction, counter_function),
        ];
        let of_register =
            |(reg, value): (Reg, Bits)| (hit(reg).repeat(32) & value).named(&format!("{}_read", lower(reg)));
        let mut values: Vec<Bits> = composed.into_iter().chain(plain).map(of_register).collect();
        values.extend(limits.iter().flat_map(|limits| limits.values.iter().copied().map(of_register)));
        values.push((at_constant.repeat(32) & constant_value).named("constant_read"));
        let parts = values.chunks(5).enumerate().map(|(i, group)| {
            let any = group.iter().copied().reduce(|all, value| all | value).expect("a group has values");
            any.delay().named(&format!("read_part{i}"))
        });
        let read_value = parts.reduce(|all, part| all | part).expect("there are registers");

        // A counter's row is in its address, or in COUNTER_FUNCTION.
        let function = field(Reg::CounterFunction, counter_function, "function");
        let function_w = clog2(self.config.tables.functions.into());
        let exists = if function_w < 16 { !function.slice(function_w..).any() } else { lit(1, 1) };
        let countable = !count.busy & (!counter.of_function | exists);
        count.read_group.set(counter.group);
        count.read_row.set(mux(counter.of_function, function, counter.row.zext(16)));
        count.read_column.set(counter.column);
        let latch = storing & hit(Reg::CounterLatch) & bus.write_strb.bit(0) & bus.write_data.bit(0);
        count.latch.set(latch.delay_reset(0));

        let acts = bus.write_strb.bit(0);
        let no_limiter = limits.map_or(lit(1, 0), |limits| hit(Reg::PuntLimitMatch) & acts & limits.absent);
        let wanted = field(Reg::TableCommand, bus.write_data, "operation");
        let is = |operation: Operation| wanted.eq(operation.encoded());
        when(step.is(Step::Idle), || answer_data.set(0));
        step.switch(|now| match now {
            Step::Idle => {
                waited.set(0);
                is_write.set(bus.write);
                when(bus.write | bus.read, || step.go(Step::Decode));
            }
            Step::Decode => {
                when(is_write, || step.go(Step::Write)).otherwise(|| step.go(Step::Read));
            }
            Step::Write => {
                when(held, || step.go(Step::Write))
                    .elsewhen(!at_register & !counter.valid, || answer(resp::DECERR))
                    .elsewhen(!writable | no_limiter, || answer(resp::SLVERR))
                    .elsewhen(hit(Reg::TableCommand) & acts, || {
                        manage.start.set(1);
                        operation.set(wanted);
                        table_busy.set(1);
                        when(is(Operation::Sync) | is(Operation::Clear), || answer(resp::OKAY))
                            .otherwise(|| step.go(Step::Table));
                    })
                    .otherwise(|| answer(resp::OKAY));
            }
            Step::Read => {
                when(counter.valid & countable, || step.go(Step::Count))
                    .elsewhen(!at_register & !counter.valid, || answer(resp::DECERR))
                    .elsewhen(!readable, || answer(resp::SLVERR))
                    .otherwise(|| {
                        answer_data.set(read_value);
                        answer(resp::OKAY);
                    });
            }
            Step::Count => {
                waited.set(waited + 1);
                when(waited.eq(u64::from(Counters::READ_LATENCY)), || {
                    answer_data.set(mux(is_high, count.read_value.slice(32..), count.read_value.trunc(32)));
                    answer(resp::OKAY);
                });
            }
            Step::Table => {
                when(manage.done, || {
                    done.set(1);
                    let refused = manage.status.ne(TableStatus::Ok.encoded());
                    answer_resp.set(mux(refused, lit(2, resp::SLVERR.into()), lit(2, resp::OKAY.into())));
                    step.go(Step::Idle);
                });
            }
        });
    }
}
