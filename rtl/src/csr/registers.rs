//! The registers: decodes accesses, keeps the staged values of table commands and carries the commands out.
//!
//! ```text
//!             ┌───────┐    ┌──────────────────┐
//!  s_axil ───▶│ slave │───▶│ decode, storage, │──▶ manage (tables)
//!             └───────┘    │ commands         │◀── counters ◀── events
//!                          └──────────────────┘
//! ```
//!
//! A plain access takes 4 clocks from its start to its response, a counter 6, a table command until the table is done.
//!
//! 1. Every access is answered: OKAY; SLVERR for a write of a read-only register, a read of a write-only one, a refused
//!    command; DECERR where there is no register.
//! 2. Bytes without their strobe keep their value. A command whose byte 0 has no strobe does nothing and answers OKAY.
//! 3. Bits outside fields are ignored on writes and read as 0.
//! 4. LO of a counter is read together with HI, which is kept for the next read; see [`Counter`](super::Counter).

use super::{
    ADDR_W, Access, AxiLite, AxiLiteSlave, CounterEvents, Counters, MAGIC, OUTCOME_COUNTERS, Reg, VERSION, counters,
    resp,
};
use crate::lookup::{FunctionEntry, Lookup, LookupManage, TableStatus};
use hdl::*;

/// The registers of an Execution Module.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Csr {
    /// The lookup stage that they manage.
    pub lookup: Lookup,
}

/// Ports of the registers.
#[derive(Bundle, Clone, Debug)]
pub struct CsrIo<S> {
    /// The bus.
    #[input]
    #[shape(AxiLite::shape(ADDR_W))]
    pub s_axil: AxiLite<S>,
    /// What is counted.
    #[input]
    pub events: CounterEvents<S>,
    /// Commands to the tables.
    #[output]
    pub manage: LookupManage<S>,
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
    /// Collects what is read, or begins a command.
    Read,
    /// Waits for the counters' RAM.
    Count,
    /// Waits for the NAT table.
    Nat,
    /// Waits for the function table.
    Function,
    /// Waits for the tables to become empty.
    Clear,
}

// The low bits of a counter's address are its index.
const _: () = assert!(OUTCOME_COUNTERS.is_multiple_of(8 << Counters::INDEX_W));

/// Clocks until a table's `ready` follows `clear`.
const CLEAR_DELAY: u64 = 3;

impl Block for Csr {
    type Io<S> = CsrIo<S>;

    fn name(&self) -> String {
        "csr".into()
    }

    fn doc(&self) -> String {
        "Registers on AXI4-Lite.".into()
    }

    fn params(&self) -> Vec<(&'static str, String)> {
        self.lookup.params()
    }

    fn check(&self) -> Result<(), String> {
        self.lookup.check()
    }

    fn io(&self) -> CsrIo<Shape> {
        CsrIo::shape()
    }

    #[names]
    fn build(&self, io: &CsrIo<Bits>) {
        let slave = instance(&AxiLiteSlave { addr_w: ADDR_W });
        let count = instance(&Counters);
        connect(&io.s_axil, &slave.s_axil);
        connect(&io.events, &count.events);
        let bus = &slave.bus;
        let manage = &io.manage;
        let word = bus.word;
        let hits = Reg::ALL
            .iter()
            .map(|r| (*r, word.eq(u64::from(r.offset() / 4)).delay().named(&format!("at_{}", lower(*r)))));
        let hits = &hits.collect::<Vec<_>>();
        let hit = |reg: Reg| hits.iter().find(|(r, _)| *r == reg).expect("every register is decoded").1;
        let any = |of: &dyn Fn(Access) -> bool| {
            cat(hits.iter().filter(|(r, _)| of(r.access())).map(|(_, h)| *h).collect::<Vec<_>>()).any()
        };
        let writable = any(&|a| a != Access::Ro);
        let readable = any(&|a| a != Access::Wo);
        let known = writable | readable;

        // A counter is at an even word (LO) and the odd one above it (HI).
        let index = word.slice(1..).trunc(Counters::INDEX_W);
        let at = |offset: u32| word.slice(1..).eq(u64::from(offset / 8));
        let at_counter = cat(counters().iter().map(|c| at(c.offset)).collect::<Vec<_>>()).any().delay();
        let high_half = word.bit(0).delay();
        count.read_index.set(index);

        let step = state(Step::Idle);
        let is_write = reg(1);
        let waited = reg(3);
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

        let storing = step.is(Step::Write);
        let store = |reg: Reg| storage(reg, storing & hit(reg), bus.write_data, bus.write_strb);
        let scratch = store(Reg::Scratch);
        let nat_function = store(Reg::NatFunction);
        let nat_inside = store(Reg::NatInside);
        let nat_outside = store(Reg::NatOutside);
        let nat_slot = store(Reg::NatSlot);
        let function_index = store(Reg::FunctionIndex);
        let nat_status = reg(TableStatus::WIDTH).reset(0);
        let function_status = reg(TableStatus::WIDTH).reset(0);
        let found_key = reg(Lookup::KEY_W).reset(0);
        let found_outside = reg(Lookup::VALUE_W).reset(0);

        let part = |reg: Reg, of: Bits, name: &str| {
            let field = reg.field(name);
            of.slice(field.lsb..field.lsb + field.width)
        };
        manage.nat.start.reset(0).set(0);
        manage.nat.operation.set(part(Reg::NatCommand, bus.write_data, "operation"));
        manage.nat.way.set(part(Reg::NatSlot, nat_slot, "way"));
        manage.nat.row.set(part(Reg::NatSlot, nat_slot, "row"));
        manage.nat.key.set(cat([part(Reg::NatFunction, nat_function, "function"), nat_inside]));
        manage.nat.value.set(nat_outside);
        manage.function.start.reset(0).set(0);
        manage.function.write.set(is_write);
        manage.function.index.set(part(Reg::FunctionIndex, function_index, "function"));
        manage.function.entry.set(bus.write_data.trunc(FunctionEntry::<Shape>::WIDTH));
        manage.clear.reset(0).set(0);

        let constant = |value: u32| lit(32, value.into());
        let value_of = |reg: Reg| match reg {
            Reg::Id => Some(constant(MAGIC)),
            Reg::Version => Some(constant(VERSION.0 << 16 | VERSION.1)),
            Reg::Geometry => Some(constant(self.geometry())),
            Reg::Status => Some(manage.ready.zext(32)),
            Reg::Scratch => Some(scratch),
            Reg::NatFunction => Some(nat_function),
            Reg::NatInside => Some(nat_inside),
            Reg::NatOutside => Some(nat_outside),
            Reg::NatSlot => Some(nat_slot),
            Reg::NatStatus => Some(nat_status.zext(32)),
            Reg::NatFoundFunction => Some(found_key.slice(32..).zext(32)),
            Reg::NatFoundInside => Some(found_key.trunc(32)),
            Reg::NatFoundOutside => Some(found_outside),
            Reg::FunctionIndex => Some(function_index),
            Reg::FunctionStatus => Some(function_status.zext(32)),
            // Read by a command, or not at all.
            Reg::FunctionEntry | Reg::Control | Reg::NatCommand => None,
        };
        let values = Reg::ALL.iter().filter_map(|r| value_of(*r).map(|v| hit(*r).repeat(32) & v));
        let read_value = values.reduce(|a, b| a | b).expect("there are registers");

        let latched_index = reg(Counters::INDEX_W);
        let latched_high = reg(32);
        let latched = reg(1).reset(0);
        let same_counter = latched & latched_index.eq(index);
        let acts = bus.write_strb.bit(0);
        let by_status = |status: Bits| {
            done.set(1);
            answer_resp.set(mux(status.eq(TableStatus::Ok.encoded()), resp::OKAY, lit(2, resp::SLVERR.into())));
            step.go(Step::Idle);
        };

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
                when(!known & !at_counter, || answer(resp::DECERR))
                    .elsewhen(!writable, || answer(resp::SLVERR))
                    .elsewhen(hit(Reg::NatCommand) & acts, || {
                        manage.nat.start.set(1);
                        step.go(Step::Nat);
                    })
                    .elsewhen(hit(Reg::FunctionEntry) & acts, || {
                        manage.function.start.set(1);
                        step.go(Step::Function);
                    })
                    .elsewhen(hit(Reg::Control) & acts & part(Reg::Control, bus.write_data, "clear_tables"), || {
                        manage.clear.set(1);
                        step.go(Step::Clear);
                    })
                    .otherwise(|| answer(resp::OKAY));
            }
            Step::Read => {
                when(at_counter, || step.go(Step::Count))
                    .elsewhen(!known, || answer(resp::DECERR))
                    .elsewhen(!readable, || answer(resp::SLVERR))
                    .elsewhen(hit(Reg::FunctionEntry), || {
                        manage.function.start.set(1);
                        step.go(Step::Function);
                    })
                    .otherwise(|| {
                        answer_data.set(read_value);
                        answer(resp::OKAY);
                    });
            }
            Step::Count => {
                waited.set(waited + 1);
                when(waited.eq(u64::from(Counters::READ_LATENCY)), || {
                    when(!high_half, || {
                        latched.set(1);
                        latched_index.set(index);
                        latched_high.set(count.read_value.slice(32..));
                        answer_data.set(count.read_value.trunc(32));
                        answer(resp::OKAY);
                    })
                    .elsewhen(same_counter, || {
                        answer_data.set(latched_high);
                        answer(resp::OKAY);
                    })
                    .otherwise(|| answer(resp::SLVERR));
                });
            }
            Step::Nat => {
                when(manage.nat.done, || {
                    nat_status.set(manage.nat.status);
                    found_key.set(manage.nat.old_key);
                    found_outside.set(manage.nat.old_value);
                    by_status(manage.nat.status);
                });
            }
            Step::Function => {
                when(manage.function.done, || {
                    function_status.set(manage.function.status);
                    let fine = manage.function.status.eq(TableStatus::Ok.encoded()) & !is_write;
                    answer_data.set(fine.repeat(32) & manage.function.old_entry.zext(32));
                    by_status(manage.function.status);
                });
            }
            Step::Clear => {
                when(waited.lt(CLEAR_DELAY), || waited.set(waited + 1)).elsewhen(manage.ready, || answer(resp::OKAY));
            }
        });
    }
}

impl Csr {
    /// Value of GEOMETRY.
    pub fn geometry(&self) -> u32 {
        let field = |name: &str, value: u32| Reg::Geometry.field(name).place(value);
        field("functions_log2", self.lookup.functions.trailing_zeros())
            | field("nat_ways", self.lookup.ways)
            | field("nat_rows_log2", self.lookup.rows.trailing_zeros())
    }
}

fn lower(reg: Reg) -> String {
    reg.name().to_lowercase()
}

/// A register of 32 bits that keeps what is written to its fields, byte by byte; other bits read 0.
fn storage(reg: Reg, write: Bits, data: Bits, strb: Bits) -> Bits {
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
