//! The tables of the whole EM change while both directions carry traffic without a pause: every frame is what the rules
//! before a batch or the rules after it make of it, batches come in order, and no frame waits.

use em_model::{Model, ModelConfig, Verdict};
use em_rtl::{
    csr::Reg,
    lookup::{Table, function_value, nat_rx_value, nat_tx_key, nat_tx_value},
    outcome::{Kind, Outcome},
};
use em_rules::Rules;
use em_sim::{
    Rng,
    bfm::{Resp, Stall, Ticket},
    em::{EmSim, Entry, Input},
    program::{Change, Live, RegisterWrite, install},
};
use em_testbench::em::{
    Hardware, InFrame,
    craft::{Ends, UDP_HEADERS},
};
use std::{collections::BTreeMap, fmt::Write, net::Ipv4Addr, sync::LazyLock};

static ECP5: LazyLock<Hardware> = LazyLock::new(|| Hardware::strict("ecp5"));

/// What the tables are to hold: mappings of function and inside address, and the mode of each function.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct State {
    mappings: BTreeMap<(u16, u32), u32>,
    modes: BTreeMap<u16, &'static str>,
}

impl State {
    fn rules(&self) -> String {
        let mut text = String::new();
        for (id, mode) in &self.modes {
            write!(text, "[[function]]\nid = {id}\nmode = \"{mode}\"\nmac = \"02:00:00:00:00:{id:02x}\"\n").unwrap();
        }
        // Only functions in mode nat have mappings in a file of rules; the others' stand in the tables, unseen.
        for ((function, inside), outside) in self.mappings.iter().filter(|((f, _), _)| self.modes[f] == "nat") {
            let [inside, outside] = [inside, outside].map(|a| Ipv4Addr::from_bits(*a));
            write!(text, "[[nat]]\nfunction = {function}\ninside = \"{inside}\"\noutside = \"{outside}\"\n").unwrap();
        }
        text
    }

    fn model(&self) -> Model {
        let rules = Rules::parse(&self.rules(), "state").unwrap_or_else(|e| panic!("{e}"));
        Model::new(&rules, ModelConfig::default()).unwrap()
    }

    /// The changes that lead from another state to this one.
    fn changes_from(&self, before: &State) -> Vec<Change> {
        let mut changes = Vec::new();
        let entries = |state: &State| -> BTreeMap<(Table, u64), u64> {
            let mut all = BTreeMap::new();
            for ((function, inside), outside) in &state.mappings {
                all.insert((Table::NatTx, nat_tx_key(*function, *inside)), nat_tx_value(*outside, None, false));
                all.insert((Table::NatRx, u64::from(*outside)), nat_rx_value(*inside, *function, false, false));
            }
            for (function, mode) in &state.modes {
                let code = ["nat", "pass", "drop"].iter().position(|m| m == mode).unwrap() as u8;
                let mac = 0x0200_0000_0000 | u64::from(*function);
                all.insert((Table::Function, u64::from(*function)), function_value(code, 0, mac));
                if *mode == "pass" {
                    all.insert((Table::Mac, mac), u64::from(*function));
                }
            }
            all
        };
        let (old, new) = (entries(before), entries(self));
        changes.extend(old.keys().filter(|k| !new.contains_key(k)).map(|(table, key)| Change::Remove(*table, *key)));
        let set = new.iter().filter(|(k, v)| old.get(k) != Some(v));
        changes.extend(set.map(|((table, key), value)| Change::Set(*table, *key, *value)));
        changes
    }
}

/// A frame on its way, and what has become of it.
struct Sent {
    frame: InFrame,
    first_in: u64,
    out: Option<(u64, Vec<u8>)>,
}

/// Frames of both directions, numbered in their payload.
struct Load {
    rng: Rng,
    sent: [Vec<InFrame>; 2],
}

impl Load {
    /// Keeps both inputs busy: random ones of these mappings.
    fn feed(&mut self, em: &mut EmSim, state: &State) {
        let all: Vec<_> = state.mappings.iter().collect();
        for (side, input) in [Input::Host, Input::Net0].into_iter().enumerate() {
            while em.source(input).unwrap().queued() < 6 {
                let ((function, inside), outside) = all[self.rng.below(all.len() as u64) as usize];
                let mut data = (self.sent[side].len() as u32).to_be_bytes().to_vec();
                data.resize(18 + self.rng.below(80) as usize, 0x5a);
                let (entry, frame) = match input {
                    Input::Host => (Entry::Host { function: *function }, Ends::from(inside.to_be_bytes())),
                    _ => (Entry::Net0, Ends::to(outside.to_be_bytes())),
                };
                let frame = InFrame::new(entry, frame.udp(2000, &data));
                em.send(entry, false, &frame.data).unwrap();
                self.sent[side].push(frame);
            }
        }
    }
}

fn number(frame: &[u8]) -> usize {
    u32::from_be_bytes(frame[UDP_HEADERS..UDP_HEADERS + 4].try_into().unwrap()) as usize
}

/// Queues writes on the bus; the tickets of the commits among them.
fn queue(em: &mut EmSim, writes: &[RegisterWrite]) -> Vec<Ticket> {
    let axil = &mut em.bench.axil[em.m2m];
    writes.iter().map(|w| axil.write(u64::from(w.addr), w.data)).collect()
}

/// What a frame becomes: out by the network or to the host with these bytes, punted as it is, or dropped.
fn expected(model: &mut Model, frame: &InFrame) -> Option<Vec<u8>> {
    match model.frame(frame.arrival(), false, &frame.data) {
        Verdict::Forward { frame, .. } | Verdict::Punt { frame, .. } => Some(frame),
        Verdict::Drop(_) => None,
    }
}

/// Carries out batch after batch under load and checks every frame. `next` makes the state after each batch.
fn run(hardware: &Hardware, start: State, batches: usize, seed: u64, mut next: impl FnMut(&mut Rng, &State) -> State) {
    let mut board = hardware.scoreboard(&start.rules(), seed);
    let em = &mut board.em;
    let rules = Rules::parse(&start.rules(), "start").unwrap();
    let (_, mut live): (_, Live) = install(&rules, "this", &hardware.config().map()).unwrap();
    em.set_stalls(Stall::None);
    // The sync of the installation goes on for a while.
    let status = u64::from(Reg::TableStatus.offset());
    while Reg::TableStatus.field("busy").get(em.bench.read(em.m2m, status).unwrap().0) == 1 {}
    let before = em.counters().unwrap();
    let mut load = Load { rng: Rng::new(seed), sent: [vec![], vec![]] };
    let mut rng = Rng::new(seed + 1000);
    let mut states = vec![start];
    // Clocks between which each batch came into force.
    let mut changes: Vec<(u64, u64)> = Vec::new();
    let mut tickets: Vec<Ticket> = Vec::new();
    let mut begun = 0;
    while changes.len() < batches || !tickets.is_empty() {
        load.feed(em, states.last().unwrap());
        if tickets.is_empty() && em.bench.axil[em.m2m].pending() == 0 {
            let state = next(&mut rng, states.last().unwrap());
            if let Ok(writes) = live.update(&state.changes_from(states.last().unwrap())) {
                begun = em.bench.cycle();
                tickets = queue(em, &writes);
                states.push(state);
            }
        }
        em.bench.step().unwrap();
        if !tickets.is_empty() && em.bench.axil[em.m2m].pending() == 0 {
            for ticket in tickets.drain(..) {
                assert_eq!(em.bench.axil[em.m2m].take(ticket).expect("answered").resp, Resp::Okay);
            }
            changes.push((begun, em.bench.cycle()));
            // A while without a change.
            for _ in 0..200 {
                load.feed(em, states.last().unwrap());
                em.bench.step().unwrap();
            }
        }
    }
    em.settle().unwrap();
    let outputs = em.take_outputs().unwrap();
    let after = em.counters().unwrap();
    let mut models: Vec<Model> = states.iter().map(State::model).collect();
    let mut dropped = 0;
    let mut seen = vec![[0u64; 2]; states.len()];
    for (side, input) in [Input::Host, Input::Net0].into_iter().enumerate() {
        let times = em.source(input).unwrap().take_sent();
        assert!(times.windows(2).all(|w| w[1].first_cycle == w[0].last_cycle + 1), "changes stall no frame");
        let frames = std::mem::take(&mut load.sent[side]);
        assert_eq!(frames.len(), times.len());
        let mut all: Vec<Sent> = (frames.into_iter().zip(&times))
            .map(|(frame, time)| Sent { frame, first_in: time.first_cycle, out: None })
            .collect();
        let out = if side == 0 { &outputs.net0 } else { &outputs.host };
        let out = out.iter().map(|f| (f.clock, &f.frame));
        let punted =
            outputs.punted.iter().filter(|p| usize::from(p.port) == input as usize).map(|p| (p.clock, &p.frame));
        for (clock, frame) in out.chain(punted) {
            let place = &mut all[number(frame)].out;
            assert!(place.is_none(), "a frame came out twice: {frame:02x?}");
            *place = Some((clock, frame.clone()));
        }
        // A direction's frames are decided in order, so what they see moves on and never back.
        let mut least = 0;
        for (n, sent) in all.iter().enumerate() {
            // A dropped frame was decided at most as long after its first beat as its own length and the pipeline take.
            let until = sent.out.as_ref().map_or(sent.first_in + 200, |(clock, _)| *clock);
            let first = changes.iter().take_while(|(_, over)| *over < sent.first_in).count();
            let last = changes.iter().take_while(|(begun, _)| *begun <= until).count();
            let got = sent.out.as_ref().map(|(_, frame)| frame.clone());
            let found = (first.max(least)..=last).find(|s| expected(&mut models[*s], &sent.frame) == got);
            let Some(found) = found else {
                panic!(
                    "frame {n} of {input:?}, {:?}, became {got:02x?}; states {first} (seen {least}) to {last}",
                    sent.frame
                );
            };
            least = found;
            seen[found][side] += 1;
            dropped += u64::from(got.is_none());
        }
    }
    let drops = |counters: &em_sim::em::ReadCounters| counters.total(Kind::Drop);
    assert_eq!(drops(&after) - drops(&before), dropped);
    assert_eq!(after.of(Outcome::Parity), 0);
    println!("{} batches, frames by state and direction: {seen:?}", changes.len());
    assert!(seen.iter().flatten().all(|n| *n > 0), "every state was seen both ways: {seen:?}");
}

fn function(n: u64) -> u16 {
    1 + (n % 4) as u16
}

fn mapped(count: u64, base: u32) -> State {
    let mappings = (0..count).map(|n| ((function(n), 0x0a00_0000 + n as u32), base + n as u32)).collect();
    State { mappings, modes: (1..=4).map(|id| (id, "nat")).collect() }
}

/// Mappings come, go and get other addresses in batches; the table is nearly full, so that others are moved on.
#[test]
fn batches_of_mappings_under_full_load_in_a_full_table() {
    let rated = u64::from(ECP5.config().tables().rated_mappings());
    let start = mapped(rated - 20, 0x6440_0000);
    let mut fresh = 0x6500_0000u32;
    run(&ECP5, start, 12, 170, |rng, state| {
        let mut state = state.clone();
        let keys: Vec<(u16, u32)> = state.mappings.keys().copied().collect();
        for _ in 0..1 + rng.below(8) {
            fresh += 1;
            let key = keys[rng.below(keys.len() as u64) as usize];
            match rng.below(3) {
                0 => state.mappings.remove(&key),
                1 => state.mappings.insert(key, fresh),
                _ if (state.mappings.len() as u64) < rated - 8 => {
                    state.mappings.insert((function(u64::from(fresh)), fresh ^ 0x6f00_0000), fresh)
                }
                _ => None,
            };
        }
        state
    });
}

/// All mappings of a small set change at once, over and over: no frame sees a part of it.
#[test]
fn one_commit_changes_all_mappings_at_once() {
    for (profile, batches) in [("ecp5", 20), ("small", 6), ("line100", 6)] {
        println!("{profile}");
        let mut version = 0;
        run(&Hardware::strict(profile), mapped(24, 0x6440_0000), batches, 171, |_, _| {
            version += 1;
            mapped(24, 0x6440_0000 + 0x100 * version)
        });
    }
}

/// Functions change their modes.
#[test]
fn functions_change_their_modes_under_full_load() {
    run(&ECP5, mapped(16, 0x6440_0000), 16, 172, |rng, state| {
        let mut state = state.clone();
        // Function 4 keeps its mappings in force.
        let id = 1 + rng.below(3) as u16;
        let mode = state.modes.get_mut(&id).unwrap();
        let others: Vec<&'static str> = ["nat", "pass", "drop"].into_iter().filter(|m| m != mode).collect();
        *mode = others[rng.below(2) as usize];
        let of_nat = |modes: &BTreeMap<u16, &str>, f: u16| modes[&f] == "nat";
        // Rules have mappings of functions in mode nat only: those of the others are taken out and come back with it.
        let all = mapped(16, 0x6440_0000).mappings;
        state.mappings = all.into_iter().filter(|((f, _), _)| of_nat(&state.modes, *f)).collect();
        state
    });
}
