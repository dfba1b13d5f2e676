//! One-hot, CRC and checksum builders against plain Rust.

use hdl::{checksum, crc::*, onehot::*, sim::Sim, *};
use rand::{RngExt, SeedableRng, rngs::StdRng};

/// A combinational block: inputs of given widths, one output for each function's result.
struct Pure {
    inputs: Vec<u32>,
    outputs: Vec<u32>,
    build: fn(&[Bits]) -> Vec<Bits>,
}

#[derive(Bundle, Clone)]
#[bundle(inputs: usize, outputs: usize)]
struct PureIo<S> {
    #[input]
    #[count(inputs)]
    a: Vec<S>,
    #[output]
    #[count(outputs)]
    y: Vec<S>,
}

impl Block for Pure {
    type Io<S> = PureIo<S>;

    fn name(&self) -> String {
        "pure_logic".into()
    }

    fn io(&self) -> PureIo<Shape> {
        let shapes = |widths: &[u32]| widths.iter().map(|w| Shape(*w)).collect();
        PureIo { a: shapes(&self.inputs), y: shapes(&self.outputs) }
    }

    fn build(&self, io: &PureIo<Bits>) {
        for (y, made) in io.y.iter().zip((self.build)(&io.a)) {
            y.set(made);
        }
    }
}

fn sim(inputs: &[u32], outputs: &[u32], build: fn(&[Bits]) -> Vec<Bits>) -> Sim<Pure> {
    Sim::new(&Pure { inputs: inputs.into(), outputs: outputs.into(), build }).unwrap()
}

fn run(sim: &Sim<Pure>, inputs: &[Value]) -> Vec<Value> {
    for (port, v) in sim.io.a.iter().zip(inputs) {
        sim.poke(*port, v);
    }
    sim.io.y.iter().map(|p| sim.peek(*p)).collect()
}

fn v(width: u32, value: u64) -> Value {
    Value::new(width, u128::from(value))
}

#[test]
fn one_hot_codes() {
    let s = sim(&[12], &[4, 1, 1, 12, 12, 4, 4, 12], |a| {
        let b = a[0];
        vec![
            index_of(b),
            is_one_hot(b),
            is_one_hot_or_zero(b),
            lowest_set(b),
            highest_set(b),
            trailing_index(b),
            leading_index(b),
            reverse(b),
        ]
    });
    for x in 0..1u64 << 12 {
        let got: Vec<u64> = run(&s, &[v(12, x)]).iter().map(Value::to_u64).collect();
        let ones = (0..12).filter(|i| x >> i & 1 == 1);
        let (low, high) = (ones.clone().min(), ones.clone().max());
        let bit = |i: Option<u64>| i.map_or(0, |i| 1 << i);
        let expected = [
            ones.clone().fold(0, |or, i| or | i),
            u64::from(ones.clone().count() == 1),
            u64::from(ones.clone().count() <= 1),
            bit(low),
            bit(high),
            low.unwrap_or(0),
            high.unwrap_or(0),
            ones.map(|i| 1 << (11 - i)).sum(),
        ];
        assert_eq!(got, expected, "{x:012b}");
    }
}

#[test]
fn one_hot_from_an_index_and_selection() {
    let s =
        sim(&[3, 2], &[6, 8, 12, 6], |a| vec![one_hot(a[0], 6), one_hot(a[0], 8), one_hot(a[0], 12), one_hot(a[1], 6)]);
    for x in 0..8 {
        let got = run(&s, &[v(3, x), v(2, x & 3)]);
        assert_eq!(got, [v(6, if x < 6 { 1 << x } else { 0 }), v(8, 1 << x), v(12, 1 << x), v(6, 1 << (x & 3))]);
    }
    let s = sim(&[3, 70, 70, 70], &[70], |a| vec![mux_one_hot(a[0], &a[1..])]);
    let options = [Value::new(70, 0x3f_0123_4567_89ab_cdef), Value::new(70, 1 << 69), v(70, 0x55)];
    for x in 0..8u64 {
        let chosen = (0..3).filter(|i| x >> i & 1 == 1);
        let or = chosen.fold(Value::zero(70), |or, i| or.zip(&options[i], |a, b| a | b));
        let inputs: Vec<Value> = std::iter::once(v(3, x)).chain(options.iter().cloned()).collect();
        assert_eq!(run(&s, &inputs), [or]);
    }
}

/// Check values of "123456789" from the catalogue of parametrised CRC algorithms.
const CATALOGUE: [(&str, CrcSpec, u64); 12] = [
    ("CRC-32/ISO-HDLC", CrcSpec::CRC32, 0xcbf4_3926),
    ("CRC-32/ISCSI", CrcSpec::CRC32C, 0xe306_9283),
    ("CRC-16/IBM-3740", CrcSpec::CRC16_CCITT, 0x29b1),
    ("CRC-8/SMBUS", CrcSpec::CRC8, 0xf4),
    ("CRC-16/XMODEM", CrcSpec::new(16, 0x1021, false, 0, 0), 0x31c3),
    ("CRC-16/KERMIT", CrcSpec::new(16, 0x1021, true, 0, 0), 0x2189),
    ("CRC-32/BZIP2", CrcSpec::new(32, 0x04c1_1db7, false, 0xffff_ffff, 0xffff_ffff), 0xfc89_1918),
    ("CRC-64/XZ", CrcSpec::new(64, 0x42f0_e1eb_a9ea_3693, true, u64::MAX, u64::MAX), 0x995d_c9bb_df19_39fa),
    ("CRC-24/OPENPGP", CrcSpec::new(24, 0x86_4cfb, false, 0xb7_04ce, 0), 0x21_cf02),
    ("CRC-5/USB", CrcSpec::new(5, 0x05, true, 0x1f, 0x1f), 0x19),
    ("CRC-15/CAN", CrcSpec::new(15, 0x4599, false, 0, 0), 0x059e),
    ("CRC-16/MCRF4XX", CrcSpec::new(16, 0x1021, true, 0xffff, 0), 0x6f91),
];

#[test]
fn crcs_have_their_published_check_values() {
    for (name, spec, check) in CATALOGUE {
        assert_eq!(spec.of(b"123456789"), check, "{name}");
    }
}

/// A CRC over beats of `bytes` bytes: state in, states after each byte out.
struct Crc {
    spec: CrcSpec,
    bytes: u32,
}

#[derive(Bundle, Clone)]
#[bundle(width: u32, bytes: u32)]
struct CrcIo<S> {
    #[input]
    #[width(width)]
    state: S,
    #[input]
    #[width(8 * bytes)]
    data: S,
    #[output]
    #[count(bytes)]
    #[width(width)]
    after: Vec<S>,
    #[output]
    #[width(width)]
    last: S,
    #[output]
    #[width(width)]
    finished: S,
}

impl Block for Crc {
    type Io<S> = CrcIo<S>;

    fn name(&self) -> String {
        "crc".into()
    }

    fn io(&self) -> CrcIo<Shape> {
        CrcIo::shape(self.spec.width, self.bytes)
    }

    fn build(&self, io: &CrcIo<Bits>) {
        for (after, made) in io.after.iter().zip(crc_states(&self.spec, io.state, io.data)) {
            after.set(made);
        }
        let last = crc_serial(&self.spec, io.state, io.data);
        io.last.set(last);
        io.finished.set(crc_finish(&self.spec, last));
    }
}

#[test]
fn the_serial_form_gives_the_same_crcs() {
    let mut rng = StdRng::seed_from_u64(3);
    for (name, spec, check) in CATALOGUE {
        let s = Sim::new(&Crc { spec, bytes: 9 }).unwrap();
        s.poke(s.io.state, spec.start());
        s.poke(s.io.data, Value::from_bytes(72, b"123456789"));
        assert_eq!(s.peek_u64(s.io.finished), check, "{name}");
        assert_eq!(s.peek(s.io.last), s.peek(s.io.after[8]));
        // Two beats and a part of a third.
        let message: Vec<u8> = (0..9 * 2 + rng.random_range(1..9)).map(|_| rng.random()).collect();
        let mut state = spec.start();
        for beat in message.chunks(9) {
            s.poke(s.io.state, &state);
            s.poke(s.io.data, Value::from_bytes(72, beat));
            state = s.peek(s.io.after[beat.len() - 1]);
        }
        assert_eq!(state.to_u64() ^ spec.xorout, spec.of(&message), "{name}");
    }
}

/// RFC 1071's definition, with a wide accumulator.
fn ones_complement(words: &[u64]) -> u64 {
    let mut sum: u64 = words.iter().sum();
    while sum >> 16 != 0 {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    sum
}

#[test]
fn checksums() {
    let s = sim(&[128], &[19, 16], |a| {
        let words = checksum::network_words(a[0]);
        vec![checksum::ones_sum(&words), checksum::fold16(checksum::ones_sum(&words))]
    });
    let mut rng = StdRng::seed_from_u64(4);
    for n in 0..3_000 {
        let mut bytes = [0u8; 16];
        bytes.iter_mut().for_each(|b| *b = if n % 3 == 0 { rng.random_range(0xfe..=0xff) } else { rng.random() });
        let words: Vec<u64> = bytes.chunks(2).map(|w| u64::from(w[0]) << 8 | u64::from(w[1])).collect();
        let got = run(&s, &[Value::from_bytes(128, &bytes)]);
        assert_eq!(got, [v(19, words.iter().sum()), v(16, ones_complement(&words))]);
    }
    // RFC 1071, section 3: 00 01 f2 03 f4 f5 f6 f7 sum to ddf2.
    let bytes = [0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7, 0, 0, 0, 0, 0, 0, 0, 0];
    assert_eq!(run(&s, &[Value::from_bytes(128, &bytes)])[1], v(16, 0xddf2));
}

#[test]
fn incremental_updates() {
    let s = sim(&[16, 16, 16, 16, 16], &[16], |a| vec![checksum::update(a[0], &a[1..3], &a[3..5])]);
    // RFC 1624, section 4: HC dd2f, m 5555, m' 3285 give 0000 and not ffff.
    let example = [0xdd2f, 0x5555, 0, 0x3285, 0].map(|x| v(16, x));
    assert_eq!(run(&s, &example), [v(16, 0)]);
    let mut rng = StdRng::seed_from_u64(5);
    for _ in 0..3_000 {
        let mut word = || {
            if rng.random_bool(0.3) { [0, 0xffff, 1][rng.random_range(0..3)] } else { rng.random_range(0..0x1_0000) }
        };
        let (rest, old, new) = (1 + word() / 2, [word(), word()], [word(), word()]);
        let before = 0xffff ^ ones_complement(&[rest, old[0], old[1]]);
        let after = 0xffff ^ ones_complement(&[rest, new[0], new[1]]);
        let got = run(&s, &[before, old[0], old[1], new[0], new[1]].map(|x| v(16, x)));
        assert_eq!(got, [v(16, after)], "{rest:x} {old:x?} {new:x?}");
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    let refused = |inputs: &[u32], outputs: &[u32], build: fn(&[Bits]) -> Vec<Bits>| {
        elaborate(&Pure { inputs: inputs.into(), outputs: outputs.into(), build }).unwrap_err().0[0].message.clone()
    };
    assert_eq!(
        refused(&[2, 4, 4, 4], &[4], |a| vec![mux_one_hot(a[0], &a[1..])]),
        "`mux_one_hot` has 3 options and 2 select bits"
    );
    assert_eq!(
        refused(&[31, 8], &[31], |a| vec![crc_serial(&CrcSpec::CRC32, a[0], a[1])]),
        "a CRC of 32 bits over bytes cannot take a state of 31 bits and data of 8 bits"
    );
    assert_eq!(
        refused(&[33], &[16], |a| vec![checksum::fold16(a[0])]),
        "a sum of 33 bits cannot be folded at once: use at most 32"
    );
    assert_eq!(refused(&[16], &[16], |a| vec![checksum::end_around(a[0])]), "the last fold takes 17 bits, not 16");
}
