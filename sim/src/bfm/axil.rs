//! An AXI4-Lite master with a queue, so that accesses run along traffic.

use std::collections::{HashMap, VecDeque};

use super::axil_ports::AxilPorts;
use super::{BenchError, Rule, Violation};
use crate::Rng;
use crate::verilated::Model;

/// How a master behaves.
#[derive(Clone, Copy, Debug)]
pub struct AxilConfig {
    /// Each of AW, W, AR, BREADY and RREADY comes up after a random 0 to this many cycles, so AW and W in either order.
    pub max_delay: u32,
    /// An access that takes more cycles than this is an error.
    pub timeout: u64,
    /// A read may run beside a write. Otherwise accesses run one after another in the order they were queued.
    pub concurrent: bool,
    /// While valid is low the payload of a channel is random; otherwise it is 0.
    pub random_idle: bool,
    /// Seed of the delays and of the payload while valid is low.
    pub seed: u64,
}

impl Default for AxilConfig {
    /// No delays, 10,000 cycles, in order, random payload while idle.
    fn default() -> Self {
        Self { max_delay: 0, timeout: 10_000, concurrent: false, random_idle: true, seed: 0 }
    }
}

/// Names a queued access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Ticket(u64);

/// `bresp` or `rresp`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resp {
    /// Success.
    Okay,
    /// Not used by AXI4-Lite.
    ExOkay,
    /// The slave refused.
    SlvErr,
    /// No slave there.
    DecErr,
}

impl Resp {
    fn from_bits(bits: u64) -> Self {
        [Resp::Okay, Resp::ExOkay, Resp::SlvErr, Resp::DecErr][bits as usize & 3]
    }
}

/// An access that is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AxilResponse {
    /// What was read; 0 for a write.
    pub data: u32,
    /// The response.
    pub resp: Resp,
    /// The cycle of the response.
    pub cycle: u64,
}

#[derive(Clone, Copy, Debug)]
enum Access {
    Write { addr: u64, data: u32, strobe: u8 },
    Read { addr: u64 },
}

/// An access under way. For a read, the address channel is AR and there is no data.
#[derive(Debug)]
struct Running {
    ticket: Ticket,
    addr: u64,
    data: u32,
    strobe: u8,
    age: u64,
    addr_wait: u64,
    data_wait: u64,
    ready_wait: u64,
    addr_done: bool,
    data_done: bool,
    /// The response, offered but not taken in the last cycle.
    offered: Option<(u64, u64)>,
}

/// Drives an AXI4-Lite bus into the module and checks the responses.
#[derive(Debug)]
pub struct AxilMaster {
    ports: AxilPorts,
    config: AxilConfig,
    rng: Rng,
    queue: VecDeque<(Ticket, Access)>,
    write: Option<Running>,
    read: Option<Running>,
    done: HashMap<Ticket, AxilResponse>,
    next_ticket: u64,
}

impl AxilMaster {
    /// A master on the ports with `prefix`.
    pub(crate) fn new(model: &Model, prefix: &str, config: AxilConfig) -> Result<Self, BenchError> {
        Ok(Self {
            ports: AxilPorts::find(model, prefix)?,
            config,
            rng: Rng::new(config.seed),
            queue: VecDeque::new(),
            write: None,
            read: None,
            done: HashMap::new(),
            next_ticket: 0,
        })
    }

    /// The bus: the port prefix without its last `_`.
    pub fn name(&self) -> &str {
        &self.ports.name
    }

    /// Queues a write of all four bytes.
    pub fn write(&mut self, addr: u64, data: u32) -> Ticket {
        self.write_strobed(addr, data, 0xF)
    }

    /// Queues a write of the bytes whose bit in `strobe` is set.
    pub fn write_strobed(&mut self, addr: u64, data: u32, strobe: u8) -> Ticket {
        self.push(Access::Write { addr, data, strobe })
    }

    /// Queues a read.
    pub fn read(&mut self, addr: u64) -> Ticket {
        self.push(Access::Read { addr })
    }

    fn push(&mut self, access: Access) -> Ticket {
        let ticket = Ticket(self.next_ticket);
        self.next_ticket += 1;
        self.queue.push_back((ticket, access));
        ticket
    }

    /// The response to `ticket`, once, when it is there.
    pub fn take(&mut self, ticket: Ticket) -> Option<AxilResponse> {
        self.done.remove(&ticket)
    }

    /// Accesses queued or under way.
    pub fn pending(&self) -> usize {
        self.queue.len() + usize::from(self.write.is_some()) + usize::from(self.read.is_some())
    }

    /// Starts what can start and sets the module's inputs for this cycle.
    pub(crate) fn drive(&mut self, model: &mut Model) {
        while let Some((ticket, access)) = self.queue.front().copied() {
            let idle = self.write.is_none() && self.read.is_none();
            let slot = match access {
                Access::Write { .. } => &mut self.write,
                Access::Read { .. } => &mut self.read,
            };
            if slot.is_some() || !(idle || self.config.concurrent) {
                break;
            }
            let mut wait = || self.rng.below(u64::from(self.config.max_delay) + 1);
            let (addr, data, strobe, data_done) = match access {
                Access::Write { addr, data, strobe } => (addr, data, strobe, false),
                Access::Read { addr } => (addr, 0, 0, true),
            };
            let (addr_wait, data_wait, ready_wait) = (wait(), wait(), wait());
            *slot = Some(Running {
                ticket,
                addr,
                data,
                strobe,
                age: 0,
                addr_wait,
                data_wait,
                ready_wait,
                addr_done: false,
                data_done,
                offered: None,
            });
            self.queue.pop_front();
        }
        let (ports, random) = (&self.ports, if self.config.random_idle { self.rng.bits() } else { 0 });
        let offers = |waits: u64, done: bool| !done && waits == 0;
        let write = self.write.as_ref();
        let addr = write.filter(|access| offers(access.addr_wait, access.addr_done));
        model.poke(ports.aw.valid, u64::from(addr.is_some()));
        model.poke(ports.awaddr, addr.map_or(random, |access| access.addr));
        let data = write.filter(|access| offers(access.data_wait, access.data_done));
        model.poke(ports.w.valid, u64::from(data.is_some()));
        model.poke(ports.wdata, data.map_or(random >> 32, |access| u64::from(access.data)));
        model.poke(ports.wstrb, data.map_or(random >> 28, |access| u64::from(access.strobe)));
        model.poke(ports.b.ready, u64::from(write.is_some_and(|access| access.ready_wait == 0)));
        let read = self.read.as_ref();
        let addr = read.filter(|access| offers(access.addr_wait, access.addr_done));
        model.poke(ports.ar.valid, u64::from(addr.is_some()));
        model.poke(ports.araddr, addr.map_or(random.rotate_left(17), |access| access.addr));
        model.poke(ports.r.ready, u64::from(read.is_some_and(|access| access.ready_wait == 0)));
    }

    /// Nothing valid, nothing ready.
    pub(crate) fn put_idle(&mut self, model: &mut Model) {
        for port in
            [self.ports.aw.valid, self.ports.w.valid, self.ports.b.ready, self.ports.ar.valid, self.ports.r.ready]
        {
            model.poke(port, 0);
        }
    }

    /// Checks the settled ports and takes the responses.
    pub(crate) fn observe(&mut self, model: &Model, cycle: u64) -> Result<(), BenchError> {
        let ports = &self.ports;
        if let Some(write) = &mut self.write {
            write.addr_done |= ports.aw.fires(model);
            write.data_done |= ports.w.fires(model);
        }
        if let Some(read) = &mut self.read {
            read.addr_done |= ports.ar.fires(model);
        }
        let write_answer = model.is_high(ports.b.valid).then(|| (0, model.peek(ports.bresp)));
        let read_answer = model.is_high(ports.r.valid).then(|| (model.peek(ports.rdata), model.peek(ports.rresp)));
        let name = ports.name.as_str();
        let sides = [("write", &mut self.write, write_answer), ("read", &mut self.read, read_answer)];
        for (kind, slot, answer) in sides {
            if let Some(response) = advance(name, kind, slot, answer, cycle, self.config.timeout)?
                && let Some(access) = slot.take()
            {
                self.done.insert(access.ticket, response);
            }
        }
        Ok(())
    }

    pub(crate) fn reset(&mut self) {
        self.write = None;
        self.read = None;
    }
}

/// One cycle of an access: checks its response channel, gives the response if it is taken now.
fn advance(
    bus: &str,
    kind: &str,
    slot: &mut Option<Running>,
    answer: Option<(u64, u64)>,
    cycle: u64,
    timeout: u64,
) -> Result<Option<AxilResponse>, BenchError> {
    let broken = |rule, seen: String| {
        BenchError::from(Violation { stream: bus.to_owned(), cycle, rule, seen, beats: String::new() })
    };
    let Some(access) = slot else {
        return match answer {
            Some(_) => Err(broken(Rule::ResponseAsked, format!("a {kind} response with no {kind} under way"))),
            None => Ok(None),
        };
    };
    let what = || format!("{kind} of address {:#x}", access.addr);
    if access.offered.is_some() && access.offered != answer {
        return Err(broken(Rule::ResponseStable, format!("the response to the {} changed or fell", what())));
    }
    if answer.is_some() && !(access.addr_done && access.data_done) {
        return Err(broken(Rule::ResponseAsked, format!("the response to the {} came before it was taken", what())));
    }
    if let (Some((data, resp)), 0) = (answer, access.ready_wait) {
        return Ok(Some(AxilResponse { data: data as u32, resp: Resp::from_bits(resp), cycle }));
    }
    access.age += 1;
    if access.age > timeout {
        let waits_for = match (kind, access.addr_done, access.data_done) {
            ("write", false, _) => "awready",
            ("write", _, false) => "wready",
            ("write", ..) => "bvalid",
            (_, false, _) => "arready",
            _ => "rvalid",
        };
        let access = what();
        return Err(BenchError::NoAnswer { bus: bus.to_owned(), cycle, access, cycles: timeout, waits_for });
    }
    access.offered = answer;
    access.addr_wait = access.addr_wait.saturating_sub(1);
    access.data_wait = access.data_wait.saturating_sub(1);
    // Ready sometimes comes up long before the response and sometimes after it.
    access.ready_wait = access.ready_wait.saturating_sub(1);
    Ok(None)
}
