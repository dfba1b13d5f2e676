//! The register compiler: its writes are run against the registers and tables in the native simulator.

#[path = "../../rtl/tests/bus/mod.rs"]
mod bus;

use bus::{Bus, HasBus, Random};
use em_rtl::{
    csr::{ADDR_W, AxiLite, Csr, MapConfig},
    lookup::{
        Management, RxLate, RxRequest, RxResponse, Table, Tables, TxLate, TxRequest, TxResponse, function_value,
        nat_rx_value, nat_tx_key, nat_tx_value,
    },
    outcome::Outcome,
    punt::LimitWrite,
};
use em_rules::Rules;
use em_sim::program::{Change, Live, RegisterWrite, UpdateError, compile, install, to_json};
use hdl::{
    sim::{Port, Sim},
    *,
};
use std::{
    cell::RefCell,
    collections::{BTreeMap, HashSet},
    fmt::Write,
    rc::Rc,
};

const SMALL: Tables = Tables {
    functions: 16,
    nat_ways: 4,
    nat_rows: 16,
    mac_ways: 4,
    mac_rows: 16,
    next_hops: 4,
    management: Management::Shared,
};
const ECP5: Tables = Tables { functions: 256, nat_rows: 512, next_hops: 64, ..SMALL };

/// The map of a module with these tables and four limiters.
fn map(tables: Tables) -> MapConfig {
    MapConfig { tables, punt_limits: LIMITERS, data_w: 128, max_frame: 9216 }
}

const LIMITERS: u32 = 4;

/// Registers and tables, connected.
struct Managed(Tables);

#[derive(Bundle, Clone, Debug)]
#[bundle(functions: u32)]
struct ManagedIo<S> {
    #[input]
    #[shape(AxiLite::shape(ADDR_W))]
    s_axil: AxiLite<S>,
    #[input]
    tx_request: TxRequest<S>,
    #[output]
    tx_response: TxResponse<S>,
    #[output]
    tx_late: TxLate<S>,
    #[input]
    rx_request: RxRequest<S>,
    #[output]
    rx_response: RxResponse<S>,
    #[output]
    rx_late: RxLate<S>,
    #[output]
    #[width(1)]
    uplink_net1: S,
    #[output]
    #[width(18)]
    not_for_us: S,
    #[output]
    #[shape(LimitWrite::shape(LIMITERS, functions))]
    punt_limit: LimitWrite<S>,
}

impl Block for Managed {
    type Io<S> = ManagedIo<S>;

    fn name(&self) -> String {
        "managed".into()
    }

    fn io(&self) -> ManagedIo<Shape> {
        ManagedIo::shape(self.0.functions)
    }

    #[names]
    fn build(&self, io: &ManagedIo<Bits>) {
        let csr = instance(&Csr { config: map(self.0) });
        let tables = instance(&self.0);
        connect(&io.s_axil, &csr.s_axil);
        connect(&csr.manage, &tables.manage);
        connect(&io.tx_request, &tables.tx_request);
        connect(&tables.tx_response, &io.tx_response);
        connect(&tables.tx_late, &io.tx_late);
        connect(&io.rx_request, &tables.rx_request);
        connect(&tables.rx_response, &io.rx_response);
        connect(&tables.rx_late, &io.rx_late);
        connect(&tables.events, &csr.events.tables);
        csr.link_up.set(3);
        for path in [&csr.events.tx, &csr.events.rx] {
            path.visit(|_, bits| bits.set(constant(Value::zero(bits.width()))));
        }
        for port in csr.events.ports() {
            port.visit(|_, bits| bits.set(constant(Value::zero(bits.width()))));
        }
        connect(csr.punt_limit.as_ref().expect("there are limiters"), &io.punt_limit);
        io.uplink_net1.set(csr.settings.uplink_net1);
        io.not_for_us.set(cat([csr.settings.pass_function, csr.settings.not_for_us]));
    }
}

impl HasBus for Managed {
    fn axil(sim: &Sim<Self>) -> &AxiLite<Port> {
        &sim.io.s_axil
    }
}

fn quiet(sim: &Sim<Managed>) {
    sim.poke(sim.io.tx_request.valid, false);
    sim.poke(sim.io.tx_request.ipv4, false);
    sim.poke(sim.io.rx_request.valid, false);
    sim.poke(sim.io.rx_request.ipv4, false);
}

fn bench(tables: Tables, seed: u64) -> Bus<Managed> {
    Bus::new(&Managed(tables), seed, 0, Box::new(quiet))
}

fn carry_out(bus: &mut Bus<Managed>, writes: &[RegisterWrite]) {
    for w in writes {
        assert_eq!(bus.write(w.addr, w.data), 0, "{w:x?}");
    }
}

/// One lookup of a frame from the host: function valid, mode, unmatched, hit, outside, next hop, route, both MACs.
fn ask_tx(bus: &Bus<Managed>, function: u64, address: u64) -> [u64; 9] {
    let (sim, io) = (&bus.sim, &bus.sim.io);
    sim.poke(io.tx_request.valid, true);
    sim.poke(io.tx_request.ipv4, true);
    sim.poke(io.tx_request.function, function);
    sim.poke(io.tx_request.address, address);
    sim.step();
    quiet(sim);
    sim.steps(u64::from(Tables::LATENCY) - 1);
    let r = &io.tx_response;
    assert!(sim.peek_bool(r.valid));
    let first =
        [r.function_valid, r.mode, r.unmatched, r.nat_hit, r.outside, r.next_hop, r.route].map(|p| sim.peek_u64(p));
    sim.steps(u64::from(Tables::LATE_LATENCY - Tables::LATENCY));
    let [a, b, c, d, e, f, g] = first;
    [a, b, c, d, e, f, g, sim.peek_u64(io.tx_late.next_hop_mac), sim.peek_u64(io.tx_late.function_mac)]
}

/// One lookup of a frame from the network: hit, inside, function, next hop, route, pass hit, pass function.
fn ask_rx(bus: &Bus<Managed>, address: u64, eth_dst: u64) -> [u64; 7] {
    let (sim, io) = (&bus.sim, &bus.sim.io);
    sim.poke(io.rx_request.valid, true);
    sim.poke(io.rx_request.ipv4, true);
    sim.poke(io.rx_request.address, address);
    sim.poke(io.rx_request.eth_dst, eth_dst);
    sim.step();
    quiet(sim);
    sim.steps(u64::from(Tables::LATENCY) - 1);
    let r = &io.rx_response;
    assert!(sim.peek_bool(r.valid));
    [r.nat_hit, r.inside, r.function, r.next_hop, r.route, r.pass_hit, r.pass_function].map(|p| sim.peek_u64(p))
}

const RULES: &str = r#"
[[function]]
id = 1
mode = "nat"
mac = "02:00:00:00:00:01"
unmatched = "pass"

[[function]]
id = 15
mode = "drop"

[[function]]
id = 3
mode = "pass"
mac = "02:00:00:00:00:03"
unmatched = "drop"

[[nat]]
function = 1
inside = "192.0.2.10"
outside = "203.0.113.5"

[[nat]]
function = 1
inside = "192.0.2.11"
outside = "203.0.113.6"
next_hop_mac = "02:00:00:00:0a:01"
route = true

[port]
not_for_us = "pass"
pass_function = 3
uplink = "net1"
"#;

fn rules(text: &str) -> Rules {
    Rules::parse(text, "R.toml").unwrap()
}

#[test]
fn the_writes_install_the_rules_whatever_stood_there_before() {
    let writes = compile(&rules(RULES), "small", &map(SMALL)).unwrap();
    let mut bus = bench(SMALL, 1);
    bus.stall = 10;
    let own = 0x0200_0000_0001;
    for _ in 0..2 {
        carry_out(&mut bus, &writes);
        assert_eq!(ask_tx(&bus, 1, 0xc000_020a), [1, 0, 2, 1, 0xcb00_7105, 0, 0, 0, own]);
        assert_eq!(ask_tx(&bus, 1, 0xc000_020b), [1, 0, 2, 1, 0xcb00_7106, 1, 1, 0x0200_0000_0a01, own]);
        assert_eq!(ask_tx(&bus, 1, 0xc000_020c), [1, 0, 2, 0, 0, 0, 0, 0, own]);
        assert_eq!(ask_tx(&bus, 3, 0xc000_020a), [1, 1, 1, 0, 0, 0, 0, 0, 0x0200_0000_0003]);
        assert_eq!(ask_tx(&bus, 15, 1), [1, 2, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(ask_tx(&bus, 2, 0xc000_020a), [0; 9]);
        assert_eq!(ask_rx(&bus, 0xcb00_7105, own), [1, 0xc000_020a, 1, 0, 0, 0, 0]);
        assert_eq!(ask_rx(&bus, 0xcb00_7106, 0x0200_0000_0003), [1, 0xc000_020b, 1, 1, 1, 1, 3]);
        assert_eq!(ask_rx(&bus, 0xcb00_7107, 0), [0; 7]);
        assert_eq!(bus.sim.peek_u64(bus.sim.io.uplink_net1), 1);
        assert_eq!(bus.sim.peek_u64(bus.sim.io.not_for_us), 2 | 3 << 2);
    }
}

#[test]
fn writes_are_the_same_on_every_run_and_have_a_json_form() {
    let writes = compile(&rules(RULES), "small", &map(SMALL)).unwrap();
    assert_eq!(writes, compile(&rules(RULES), "small", &map(SMALL)).unwrap());
    let json = to_json(&writes);
    assert!(json.starts_with(r#"[{"addr":412,"data":6},"#), "{json}");
    assert_eq!(serde_json::from_str::<Vec<RegisterWrite>>(&json).unwrap(), writes);
}

#[test]
fn what_the_hardware_cannot_do_is_refused_with_line_value_and_remedy() {
    let base = RULES.split("[port]").next().unwrap();
    let message =
        |extra: &str| compile(&rules(&format!("{base}{extra}")), "small", &map(SMALL)).unwrap_err().to_string();
    let line = base.lines().count();
    assert_eq!(
        message("[[nat]]\nfunction = 1\ninside = \"2001:db8::1\"\noutside = \"2001:db8:1::1\"\n"),
        format!(
            "R.toml:{}: the hardware of profile \"small\" has no block for an IPv6 [[nat]] mapping. \
             Remove the row, or map IPv4 addresses.",
            line + 3
        )
    );
    for (extra, what) in [
        ("[[acl]]\npriority = 1\naction = \"deny\"\n", "[[acl]]"),
        ("[port]\nuplink = \"spread\"\n", "uplink = \"spread\""),
        ("[[vtep]]\nip = \"198.51.100.1\"\nmac = \"02:00:00:00:0a:02\"\n", "[[vtep]]"),
        ("[[vni]]\nid = 1\n", "[[vni]]"),
        ("[[function]]\nid = 16\nmode = \"drop\"\n", "function id 16"),
    ] {
        assert!(message(extra).contains(what), "{}", message(extra));
    }
}

fn many(count: u32) -> String {
    let mut text = String::from("[[function]]\nid = 1\nmode = \"nat\"\n");
    for i in 0..count {
        let [inside, outside] = [0x0a00_0001 + i, 0x6440_0001 + i].map(std::net::Ipv4Addr::from_bits);
        write!(text, "[[nat]]\nfunction = 1\ninside = \"{inside}\"\noutside = \"{outside}\"\n").unwrap();
    }
    text
}

#[test]
fn the_rated_number_of_mappings_fits_and_one_more_names_its_line() {
    let rated = ECP5.rated_mappings();
    assert_eq!(rated, 1946);
    let (_, live) = install(&rules(&many(rated)), "ecp5", &map(ECP5)).unwrap();
    for i in 0..rated {
        let (inside, outside) = (0x0a00_0001 + i, 0x6440_0001 + i);
        assert_eq!(live.value(Table::NatTx, nat_tx_key(1, inside)), Some(nat_tx_value(outside, None, false)));
        assert_eq!(live.value(Table::NatRx, outside.into()), Some(nat_rx_value(inside, 1, false, false)));
    }
    let error = compile(&rules(&many(rated + 1)), "ecp5", &map(ECP5)).unwrap_err();
    assert_eq!(error.line(), Some(3 + 4 * rated as usize + 1));
    assert!(error.to_string().contains("holds 1946"), "{error}");
}

fn distinct(count: usize, next: impl FnMut(u64) -> (u16, u32)) -> Vec<u64> {
    let mut seen = HashSet::new();
    (0..).map(next).map(|(f, a)| nat_tx_key(f, a)).filter(|k| seen.insert(*k)).take(count).collect()
}

/// Regular and random sets of keys.
fn sets(count: usize, seed: u64) -> Vec<(&'static str, Vec<u64>)> {
    let base = 0x0a00_0001 + 0x0001_0100 * seed as u32;
    let mut random = Random(seed);
    let function = seed as u16 + 1;
    vec![
        ("random addresses, one function", distinct(count, |_| (function, random.next() as u32))),
        ("sequential addresses", distinct(count, |i| (function, base + i as u32))),
        ("the same addresses in many functions", distinct(count, |i| (i as u16 / 2, base + (i as u32 & 1)))),
        (
            "32 functions, their own networks",
            distinct(count, |i| (i as u16 % 32, base + 256 * (i as u32 % 32) + i as u32 / 32)),
        ),
        (
            "8 hosts in each of many networks",
            distinct(count, |i| (function, base + 256 * (i as u32 / 8) + i as u32 % 8)),
        ),
        (
            "a network of 8 hosts in each function",
            distinct(count, |i| (i as u16 / 8, base + 256 * (i as u32 / 8) + i as u32 % 8)),
        ),
        ("one host in each network", distinct(count, |i| (function, base + 256 * i as u32))),
    ]
}

#[test]
fn every_kind_of_key_set_finds_its_places_at_95_percent() {
    for (nat_ways, nat_rows) in [(5, 128), (8, 8), (4, 512), (4, 1024)] {
        let tables = Tables { nat_ways, nat_rows, ..ECP5 };
        let count = tables.rated_mappings() as usize;
        for seed in 0..6 {
            for (what, keys) in sets(count, seed) {
                // Keys of nat_rx have 32 bits: the function's low bits take the address's high ones.
                let rx = |key: u64| (key ^ key >> 32 << 20) & 0xffff_ffff;
                for (table, keys) in
                    [(Table::NatTx, keys.clone()), (Table::NatRx, keys.iter().copied().map(rx).collect())]
                {
                    let geometry = tables.geometry(table);
                    let mut live = Live::new(&tables);
                    let sets: Vec<Change> = keys.iter().map(|key| Change::Set(table, *key, 1)).collect();
                    live.update(&sets).unwrap_or_else(|e| panic!("{what}, {nat_rows} rows: {e}"));
                    let slots: HashSet<_> = keys.iter().map(|key| live.place(table, *key).unwrap()).collect();
                    assert_eq!(slots.len(), keys.iter().collect::<HashSet<_>>().len(), "two keys in one slot");
                    for key in &keys {
                        let slot = live.place(table, *key).unwrap();
                        assert_eq!(geometry.row_of(slot.way, u128::from(*key)), slot.row, "{what}");
                    }
                }
            }
        }
    }
}

#[test]
fn a_batch_that_cannot_be_done_says_why_and_changes_nothing() {
    let mut live = Live::new(&SMALL);
    let all: Vec<Change> = (0..65).map(|key| Change::Set(Table::Mac, key, key)).collect();
    let UpdateError::NoPlace { table: Table::Mac, key } = live.update(&all).unwrap_err() else { panic!() };
    assert!(key < 65);
    assert_eq!(live.value(Table::Mac, 0), None);
    assert_eq!(
        live.update(&[Change::Remove(Table::NatTx, 7)]),
        Err(UpdateError::Absent { table: Table::NatTx, key: 7 })
    );
    assert!(live.update(&[Change::Set(Table::Function, 16, 0)]).is_err());
    live.update(&all[..40]).unwrap();
    assert_eq!(live.update(&all[..40]), Ok(vec![]), "nothing to do");
}

/// Batches of every kind of change, at nearly full tables: after each, hardware has what was wanted; and while it is
/// carried out every lookup sees the batch before or the batch after, and never anything else.
#[test]
fn batches_change_full_tables_at_once_under_lookups() {
    for seed in 0..3 {
        let mut bus = bench(SMALL, seed);
        let mut random = Random(seed + 50);
        let mut live = Live::new(&SMALL);
        let mut wanted: BTreeMap<u64, u64> = BTreeMap::new();
        let keys: Vec<u64> = (0..70).map(|_| nat_tx_key(random.below(16) as u16, random.next() as u32)).collect();
        // What the lookups may see, and the answers as they come.
        let allowed = Rc::new(RefCell::new([wanted.clone(), wanted.clone()]));
        let (may, asked) = (allowed.clone(), keys.clone());
        let mut ask = Random(seed + 99);
        let mut pipe: Vec<Option<u64>> = vec![None; Tables::LATENCY as usize];
        let changed = Rc::new(RefCell::new(false));
        let has_changed = changed.clone();
        let seen = Rc::new(RefCell::new([0u64; 2]));
        let sees = seen.clone();
        bus.each_clock = Box::new(move |sim| {
            let io = &sim.io;
            // Every other clock is left to the commands.
            let key = (sim.cycle() % 2 == 0).then(|| asked[ask.below(asked.len())]);
            sim.poke(io.tx_request.valid, key.is_some());
            sim.poke(io.tx_request.ipv4, key.is_some());
            sim.poke(io.tx_request.function, key.unwrap_or(0) >> 32);
            sim.poke(io.tx_request.address, key.unwrap_or(0) & 0xffff_ffff);
            pipe.push(key);
            let Some(key) = pipe.remove(0) else { return };
            assert!(sim.peek_bool(io.tx_response.valid));
            assert!(!sim.peek_bool(io.tx_response.nat_parity));
            let got = sim.peek_bool(io.tx_response.nat_hit).then(|| sim.peek_u64(io.tx_response.outside));
            let may = may.borrow();
            let [before, after] = [0, 1].map(|i| may[i].get(&key).copied());
            assert!(got == before || got == after, "{key:#x}: {got:x?}, allowed {before:x?} or {after:x?}");
            if before != after {
                // The batch comes at once: once the new is seen of one key, the old is seen of none.
                let is_new = got == after;
                assert!(is_new || !*has_changed.borrow(), "{key:#x}: the old was seen after the new");
                *has_changed.borrow_mut() |= is_new;
                sees.borrow_mut()[usize::from(is_new)] += 1;
            }
        });
        let mut loads = Vec::new();
        for round in 0..25 {
            let before = wanted.clone();
            for _ in 0..1 + random.below(6) {
                let key = keys[random.below(keys.len())];
                if wanted.contains_key(&key) && random.chance(30) {
                    wanted.remove(&key);
                } else if wanted.len() < 60 || wanted.contains_key(&key) {
                    wanted.insert(key, 0x0100_0000 + random.below(1000) as u64);
                }
            }
            if round == 0 {
                wanted = keys[..58].iter().map(|k| (*k, 7)).collect();
            }
            let changes = keys.iter().map(|key| match wanted.get(key) {
                Some(outside) => Change::Set(Table::NatTx, *key, nat_tx_value(*outside as u32, None, false)),
                None => Change::Remove(Table::NatTx, *key),
            });
            let in_force = |change: &Change| match change {
                Change::Set(..) => true,
                Change::Remove(_, key) => before.contains_key(key),
            };
            let changes: Vec<Change> = changes.filter(in_force).collect();
            let Ok(writes) = live.update(&changes) else {
                wanted = before;
                continue;
            };
            *allowed.borrow_mut() = [before, wanted.clone()];
            *changed.borrow_mut() = false;
            carry_out(&mut bus, &writes);
            bus.idle(40);
            *allowed.borrow_mut() = [wanted.clone(), wanted.clone()];
            bus.idle(200);
            loads.push(wanted.len());
        }
        assert!(loads.len() > 12 && *loads.iter().max().unwrap() >= 58, "{loads:?}");
        assert!(seen.borrow().iter().all(|n| *n > 50), "{:?}", seen.borrow());
    }
}

#[test]
fn functions_and_next_hops_change_with_the_batch() {
    let (writes, mut live) = install(&rules(RULES), "small", &map(SMALL)).unwrap();
    let mut bus = bench(SMALL, 5);
    carry_out(&mut bus, &writes);
    let changes = [
        Change::Set(Table::Function, 2, function_value(1, 1, 0x0200_0000_0002)),
        Change::Remove(Table::Function, 15),
        Change::Set(Table::NextHop, 0, 0x0200_0000_0a99),
        Change::Set(Table::NatTx, nat_tx_key(2, 5), nat_tx_value(6, Some(0), false)),
        Change::Remove(Table::Mac, 0x0200_0000_0003),
    ];
    let writes = live.update(&changes).unwrap();
    carry_out(&mut bus, &writes);
    assert_eq!(ask_tx(&bus, 2, 5), [1, 1, 1, 1, 6, 1, 0, 0x0200_0000_0a99, 0x0200_0000_0002]);
    assert_eq!(ask_tx(&bus, 15, 1), [0; 9]);
    assert_eq!(ask_tx(&bus, 1, 0xc000_020b)[7], 0x0200_0000_0a99);
    assert_eq!(ask_rx(&bus, 0xcb00_7105, 0x0200_0000_0003), [1, 0xc000_020a, 1, 0, 0, 0, 0]);
    assert_eq!(live.value(Table::Function, 15), None);
}

#[test]
fn limits_go_to_the_limiters_in_the_order_of_the_file_and_the_others_are_switched_off() {
    let limit = |keys: &str, clocks: u32, burst: u32| {
        format!("[[punt_limit]]\n{keys}\nclocks_per_frame = {clocks}\nburst = {burst}\n")
    };
    let limits =
        [limit("function = 3\nreason = \"ttl\"", 125_000, 16), limit("reason = \"roce\"", 64, 1), limit("", 9, 9)];
    let text = format!("{RULES}{}{}{}", limits[0], limits[1], limits[2].replace("= 9\nburst", "= 268_435_455\nburst"));
    let writes = compile(&rules(&text), "small", &map(SMALL)).unwrap();
    let mut bus = bench(SMALL, 6);
    let seen = Rc::new(RefCell::new(Vec::new()));
    let installed = seen.clone();
    bus.each_clock = Box::new(move |sim| {
        quiet(sim);
        let l = &sim.io.punt_limit;
        if sim.peek_bool(l.install) {
            let r = &l.rule;
            let all = [l.limiter, r.enable, r.any_function, r.function, r.any_reason, r.reason, l.interval, l.burst];
            installed.borrow_mut().push(all.map(|port| sim.peek_u64(port)));
        }
    });
    carry_out(&mut bus, &writes);
    let code = |outcome: Outcome| outcome.code() & 15;
    let expected = [
        [0, 1, 0, 3, 0, code(Outcome::PuntTtl), 125_000, 16],
        [1, 1, 1, 0, 0, code(Outcome::PuntRoce), 64, 1],
        [2, 1, 1, 0, 1, 0, 268_435_455, 9],
    ];
    assert_eq!(seen.borrow()[..3], expected);
    assert_eq!(seen.borrow()[3][..2], [3, 0]);
    assert_eq!(seen.borrow().len(), 4);

    let five: String = (0..5).map(|n| limit(&format!("function = {n}"), 64, 1)).collect();
    let functions: String = (0..5).map(|n| format!("[[function]]\nid = {n}\nmode = \"nat\"\n")).collect();
    let error = compile(&rules(&format!("{functions}{five}")), "small", &map(SMALL)).unwrap_err().to_string();
    let wanted = "R.toml:32: the file has 5 [[punt_limit]] rows, but profile \"small\" holds 4. \
                  Remove 1 from here on, or use a larger profile.";
    assert_eq!(error, wanted);
}
