//! What the headers say of a frame against the golden model, and the places of what is rewritten against the frame's bytes.

#[path = "../parse/decode.rs"]
mod decode;
#[allow(dead_code)]
#[path = "../parse/frames.rs"]
mod frames;

use em_model::{Arrival, Model, ModelConfig, Verdict};
use em_rtl::{
    outcome::Outcome,
    packet::{Direction, Size},
    verdict::{CLASSIFY_LATENCY, Classify, LOCATE_LATENCY, Locate},
};
use em_rules::Rules;
use frames::Maker;
use hdl::{
    Bundle,
    sim::{Port, Sim},
};
use rand::{RngExt, SeedableRng, rngs::StdRng};
use std::collections::{BTreeMap, VecDeque};

const CHECKSUM_AFTER: usize = em_rtl::parse::CHECKSUM_AFTER as usize;

fn size(data_w: u32, roce: bool) -> Size {
    Size { data_w, beats_w: 10, icrc_w: if roce { 12 } else { 0 } }
}

/// Where IPv4 begins and its header ends, of a frame that has one.
fn ipv4_of(frame: &[u8]) -> (usize, usize) {
    let tag = |at: usize| frame[at..at + 2] == [0x81, 0x00] || frame[at..at + 2] == [0x88, 0xA8];
    let begins = if tag(12) { if tag(16) { 22 } else { 18 } } else { 14 };
    (begins, begins + 4 * usize::from(frame[begins] & 15))
}

/// A datagram with this header over it: random, but for what makes RoCEv2 or an ICMP error of it, all near the bounds.
fn special(maker: &mut Maker, rng: &mut StdRng, direction: Direction) -> Vec<u8> {
    let mut datagram = maker.datagram();
    datagram.ihl = datagram.ihl.max(5);
    datagram.wrong = None;
    datagram.fragment = [0, 0x4000, 0x4000, 0x2000, 1][rng.random_range(0..5)];
    let roce = rng.random_bool(0.6);
    datagram.protocol = if roce { 17 } else { 1 };
    datagram.payload = if roce { rng.random_range(20..33) } else { rng.random_range(24..60) };
    let mut frame = datagram.bytes();
    let (begins, l4) = ipv4_of(&frame);
    if roce {
        let off = if rng.random_bool(0.8) { 0 } else { rng.random_range(0..5) };
        frame[l4 + 2..l4 + 4].copy_from_slice(&4791u16.to_be_bytes());
        frame[l4 + 4..l4 + 6].copy_from_slice(&(datagram.payload as u16 - off).to_be_bytes());
    } else {
        frame[l4] = [3, 4, 5, 11, 12, 8][rng.random_range(0..6)];
        frame[l4 + 8] = [0x45, 0x45, 0x45, 0x46, 0x44, 0x35][rng.random_range(0..6)];
        frame[l4 + 8 + 9] = [6, 17, 17, 1, 51][rng.random_range(0..5)];
        let own = begins + direction.address_at() as usize;
        let quoted = l4 + 8 + direction.quoted_address_at() as usize;
        if frame.len() >= quoted + 4 && rng.random_bool(0.9) {
            frame.copy_within(own..own + 4, quoted);
        }
    }
    frame
}

fn any_frame(maker: &mut Maker, rng: &mut StdRng, direction: Direction) -> Vec<u8> {
    let mut frame = if rng.random_bool(0.6) { special(maker, rng, direction) } else { maker.frame() };
    match rng.random_range(0..12) {
        0 => frame.truncate(rng.random_range(1..=frame.len())),
        1 | 2 => frame.extend((0..rng.random_range(1..20)).map(|_| rng.random::<u8>())),
        _ => {}
    }
    frame
}

/// What the model says of a frame to whose address there is a mapping; none if no mapping can have the address.
fn model_says(frame: &[u8], direction: Direction, roce: bool) -> Option<Verdict> {
    let field = decode::fields(frame, direction).into_iter().find(|(name, _)| *name == "address");
    let address = field.map_or([10, 0, 0, 1], |(_, address)| (address as u32).to_be_bytes());
    let own = std::net::Ipv4Addr::from(address);
    let (inside, outside) = match direction {
        Direction::Tx => (own, [203, 0, 113, 5].into()),
        Direction::Rx => ([192, 0, 2, 10].into(), own),
    };
    let rules = format!(
        "[[function]]\nid = 1\nmode = \"nat\"\nunmatched = \"drop\"\n[port]\nnot_for_us = \"drop\"\n\
         [[nat]]\nfunction = 1\ninside = \"{inside}\"\noutside = \"{outside}\"\n"
    );
    // 0.0.0.0 has no mapping, but a rule of its own on the way out.
    let rules = match Rules::parse(&rules, "R.toml") {
        Ok(rules) => rules,
        Err(_) if own.is_unspecified() && direction.is_tx() => {
            Rules::parse("[[function]]\nid = 1\nmode = \"nat\"\nunmatched = \"drop\"\n", "R.toml").unwrap()
        }
        Err(_) => return None,
    };
    let mut model = Model::new(&rules, ModelConfig { roce, ..ModelConfig::default() }).unwrap();
    let arrival = if direction.is_tx() { Arrival::Host { function: 1 } } else { Arrival::Net0 };
    Some(model.frame(arrival, false, frame))
}

/// Drives a frame's headers in this clock; what the frame does not have is anything.
fn poke_headers<B: hdl::Block>(
    sim: &Sim<B>,
    headers: &em_rtl::packet::Headers<Port>,
    rng: &mut StdRng,
    frame: Option<&[u8]>,
    size: Size,
    direction: Direction,
) {
    let lanes = size.lanes() as usize;
    let known: BTreeMap<String, u64> = frame.map_or_else(BTreeMap::new, |frame| {
        let fields = decode::fields(frame, direction).into_iter().map(|(name, value)| (name.to_string(), value));
        let end = [
            ("end_extent_beats", frame.len().div_ceil(lanes) as u64),
            ("end_extent_lane", ((frame.len() - 1) % lanes) as u64),
            ("end_bad", 0),
            ("end_oversize", 0),
            ("end_runt", u64::from(frame.len() < 14)),
        ];
        fields.chain(end.map(|(name, value)| (name.to_string(), value))).collect()
    });
    for (at, port) in headers.leaves() {
        let value = known.get(&at.name).copied().unwrap_or_else(|| rng.random::<u64>() & ((1 << port.width()) - 1));
        sim.poke(port, value);
    }
    sim.poke(headers.valid, frame.is_some());
}

/// Accounted for, without a rule, mapped, and the outcome if it says anything.
fn judged(verdict: &Verdict) -> (bool, bool, bool, Option<Outcome>) {
    let named = |name: &str, kind| {
        Outcome::ALL.iter().copied().find(|o| o.name() == name && o.kind() == kind).expect("an outcome of the hardware")
    };
    match verdict {
        Verdict::Forward { .. } => (false, false, true, Some(Outcome::Net0)),
        Verdict::Punt { reason, .. } => (false, false, true, Some(named(reason.name(), em_rtl::outcome::Kind::Punt))),
        Verdict::Drop(reason) if ["unmatched", "not_for_us"].contains(&reason.name()) => (false, true, false, None),
        Verdict::Drop(reason) => {
            let outcome = named(reason.name(), em_rtl::outcome::Kind::Drop);
            let accounted = [Outcome::BadFrame, Outcome::Oversize, Outcome::Runt].contains(&outcome);
            (accounted, false, false, Some(outcome))
        }
    }
}

fn classify_agrees(size: Size, direction: Direction, count: usize) {
    let mut rng = StdRng::seed_from_u64(u64::from(size.data_w));
    let mut maker = Maker::new(u64::from(size.data_w));
    let sim = Sim::with_seed(&Classify { size, direction }, 3).unwrap_or_else(|errors| panic!("{errors}"));
    sim.poke(sim.io.headers.valid, false);
    sim.reset();
    let mut checksums = VecDeque::from(vec![None; CHECKSUM_AFTER]);
    let mut due = VecDeque::from(vec![None; CLASSIFY_LATENCY as usize]);
    let mut seen: BTreeMap<String, u32> = BTreeMap::new();
    for n in 0..count {
        let frame = (n + 20 < count && rng.random_bool(0.8)).then(|| any_frame(&mut maker, &mut rng, direction));
        poke_headers(&sim, &sim.io.headers, &mut rng, frame.as_deref(), size, direction);
        checksums.push_back(frame.as_deref().and_then(decode::checksum_is_good));
        let good = checksums.pop_front().flatten().unwrap_or_else(|| rng.random());
        sim.poke(sim.io.checksum_good, good);
        due.push_back(frame);
        let ready: Option<Vec<u8>> = due.pop_front().flatten();
        let found = &sim.io.classified;
        assert_eq!(sim.peek_bool(found.valid), ready.is_some(), "clock {n}");
        if let Some(frame) = ready
            && let Some(verdict) = model_says(&frame, direction, size.has_roce())
        {
            let (accounted, unmatched, mapped, outcome) = judged(&verdict);
            let what = format!("{} bits, {direction:?}, {verdict:?} of {frame:02x?}", size.data_w);
            let flags = [found.accounted, found.unmatched, found.mapped].map(|port| sim.peek_bool(port));
            // Of a frame that is accounted for the other two mean nothing.
            let expected = if accounted { [true, flags[1], flags[2]] } else { [false, unmatched, mapped] };
            assert_eq!(flags, expected, "{what}");
            if let Some(outcome) = outcome {
                let got = Outcome::from_code(sim.peek_u64(found.outcome));
                assert_eq!(got, Some(outcome), "{what}");
                *seen.entry(format!("{outcome:?}")).or_default() += 1;
            }
        }
        sim.step();
    }
    for needed in ["Net0", "PuntRoce", "PuntUnsupportedL4", "PuntIcmpQuoteOptions", "MalformedUdp", "MalformedIcmp"] {
        assert!(seen.contains_key(needed), "no {needed} in {seen:?}");
    }
}

#[test]
fn frames_are_judged_as_the_model_judges_them() {
    for (data_w, roce) in [(64, true), (128, true), (128, false), (256, true), (512, true)] {
        for direction in [Direction::Tx, Direction::Rx] {
            classify_agrees(size(data_w, roce), direction, 3000);
        }
    }
}

#[test]
fn the_places_are_those_of_the_frame() {
    let size = size(128, true);
    for direction in [Direction::Tx, Direction::Rx] {
        let (mut rng, mut maker) = (StdRng::seed_from_u64(9), Maker::new(9));
        let sim = Sim::with_seed(&Locate { size, direction }, 3).unwrap_or_else(|errors| panic!("{errors}"));
        let mut due = VecDeque::from(vec![None; LOCATE_LATENCY as usize]);
        let (mut icrcs, mut quotes) = (0, 0);
        for _ in 0..3000 {
            let frame = any_frame(&mut maker, &mut rng, direction);
            poke_headers(&sim, &sim.io.headers, &mut rng, Some(&frame), size, direction);
            due.push_back(Some(frame));
            let ready: Option<Vec<u8>> = due.pop_front().flatten();
            // Places mean something only for frames that are translated.
            if let Some(frame) = ready
                && let Some(Verdict::Forward { .. }) = model_says(&frame, direction, true)
            {
                let place = &sim.io.place;
                let (begins, l4) = ipv4_of(&frame);
                let field = |at: usize| u64::from(u16::from_be_bytes([frame[at], frame[at + 1]]));
                let first = field(begins + 6) & 0x1FFF == 0;
                let protocol = frame[begins + 9];
                let sum_at = match protocol {
                    _ if !first => None,
                    6 => Some(l4 + 16),
                    17 => Some(l4 + 6).filter(|at| field(*at) != 0),
                    1 => Some(l4 + 2).filter(|_| [3, 4, 5, 11, 12].contains(&frame[l4])),
                    _ => None,
                };
                let what = format!("{direction:?} {frame:02x?}");
                assert_eq!(sim.peek_bool(place.tagged), begins > 14, "{what}");
                assert_eq!(sim.peek_u64(place.ipv4_sum), 0xFFFF ^ field(begins + 10), "{what}");
                assert_eq!(sim.peek_bool(place.l4), sum_at.is_some(), "{what}");
                if let Some(at) = sum_at {
                    assert_eq!(2 * sim.peek_u64(place.l4_half), at as u64, "{what}");
                }
                let quoted = first && protocol == 1 && sum_at.is_some();
                assert_eq!(sim.peek_bool(place.quoted), quoted, "{what}");
                if quoted {
                    assert_eq!(2 * sim.peek_u64(place.quoted_half), l4 as u64 + 8, "{what}");
                    quotes += 1;
                }
                let roce = first && protocol == 17 && field(l4 + 2) == 4791;
                assert_eq!(sim.peek_bool(place.icrc.expect("hardware for RoCEv2")), roce, "{what}");
                if roce {
                    let icrc_at = begins as u64 + field(begins + 2) - 4;
                    let word = sim.peek_u64(place.icrc_word.expect("hardware for RoCEv2"));
                    assert_eq!(4 * word + 2, icrc_at, "{what}");
                    icrcs += 1;
                }
            }
            sim.step();
        }
        assert!(icrcs > 50 && quotes > 50, "{icrcs} ICRCs, {quotes} quotes");
    }
}
