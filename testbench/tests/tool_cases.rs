//! The cases of the shared catalogue that are about the generator itself: precedence and widths in the emitted text.

use em_sim::verilated::{ModelSpec, Options, build};
use em_testbench::simulate::Subject;
use hdl::*;
use serde_json::Value as Json;

fn case(id: &str) -> Json {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/cases/cases.json");
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let cases: Vec<Json> = serde_json::from_str(&text).unwrap();
    cases.into_iter().find(|case| case["id"] == id).unwrap_or_else(|| panic!("no case {id}"))
}

fn subject(block: &impl Block) -> Subject {
    let subject = Subject::new(elaborate(block).unwrap_or_else(|e| panic!("{e}")));
    // Without a waiver: none is ever emitted.
    subject.lint().unwrap_or_else(|e| panic!("{e}"));
    subject
}

/// Ports.
#[derive(Bundle, Clone)]
struct ShiftsIo<S> {
    /// First operand.
    #[input]
    #[width(10)]
    x: S,
    /// Second operand.
    #[input]
    #[width(10)]
    y: S,
    /// What is above the tile's number.
    #[input]
    #[width(4)]
    c: S,
    /// `(x >> 4) + ((y >> 4) * 40)`
    #[output]
    #[width(20)]
    place: S,
    /// `((c << 8) | (y[3:0] << 4)) | x[3:0]`
    #[output]
    #[width(12)]
    tile: S,
}

struct Shifts;

impl Block for Shifts {
    type Io<S> = ShiftsIo<S>;

    fn name(&self) -> String {
        "shifts".into()
    }

    fn io(&self) -> ShiftsIo<Shape> {
        ShiftsIo::shape()
    }

    fn build(&self, io: &ShiftsIo<Bits>) {
        let four = lit(3, 4);
        let (x, y) = (io.x.shr_by(four), io.y.shr_by(four));
        io.place.set(x.zext(20) + y * 40);
        let (low_x, low_y) = (io.x.trunc(4).zext(12), io.y.trunc(4).zext(12));
        io.tile.set(io.c.zext(12).shl_by(lit(4, 8)) | low_y.shl_by(four) | low_x);
    }
}

/// The right values by Rust's own precedence. `c` is the top four bits of `x`, so that all are met.
fn shifts(x: u64, y: u64) -> (u64, u64) {
    ((x >> 4) + ((y >> 4) * 40), (((x >> 6) << 8) | ((y & 15) << 4)) | (x & 15))
}

#[test]
fn too_01_shifts_keep_their_grouping_over_all_operands() {
    let case = case("TOO-01");
    assert_eq!(shifts(100, 50).0, case["expected"]["values"]["right"].as_u64().unwrap());
    let subject = subject(&Shifts);

    let sim = sim::Sim::new(&Shifts).unwrap();
    let mut model = build(&ModelSpec::of(&subject.design, Options::default())).unwrap().instance(1);
    let port = |name: &str| model.port(name).unwrap();
    let (x, y, c, place, tile) = (port("x"), port("y"), port("c"), port("place"), port("tile"));
    for (a, b) in (0..1024).flat_map(|a| (0..1024).map(move |b| (a, b))) {
        sim.poke(sim.io.x, a);
        sim.poke(sim.io.y, b);
        sim.poke(sim.io.c, a >> 6);
        assert_eq!((sim.peek_u64(sim.io.place), sim.peek_u64(sim.io.tile)), shifts(a, b), "native, x={a} y={b}");
        model.poke(x, a);
        model.poke(y, b);
        model.poke(c, a >> 6);
        model.eval().unwrap();
        assert_eq!((model.peek(place), model.peek(tile)), shifts(a, b), "Verilator, x={a} y={b}");
    }

    let bench = "module bench;
        reg [10:0] x, y;
        wire [19:0] place;
        wire [11:0] tile;
        shifts dut (.x(x[9:0]), .y(y[9:0]), .c(x[9:6]), .place(place), .tile(tile));
        initial begin
            for (x = 0; x < 1024; x = x + 1)
                for (y = 0; y < 1024; y = y + 1) begin
                    #1 $display(\"%h%h\", place, tile);
                end
        end
    endmodule\n";
    let said = subject.icarus_bench(bench, "").unwrap();
    let mut lines = said.lines();
    for (a, b) in (0..1024).flat_map(|a| (0..1024).map(move |b| (a, b))) {
        let line = lines.next().unwrap_or_else(|| panic!("Icarus ended before x={a} y={b}"));
        let (place, tile) = shifts(a, b);
        assert_eq!(line, format!("{place:05x}{tile:03x}"), "Icarus, x={a} y={b}");
    }
}

/// Ports.
#[derive(Bundle, Clone)]
struct WidthsIo<S> {
    /// A signed number.
    #[input]
    #[width(3)]
    narrow: S,
    /// It in five bits.
    #[output]
    #[width(5)]
    wide: S,
    /// It again, made by a concatenation.
    #[output]
    #[width(5)]
    joined: S,
    /// The signed literal 8.
    #[output]
    #[width(19)]
    eight: S,
    /// Summand, or a length.
    #[input]
    #[width(16)]
    a: S,
    /// Summand, or what is taken off.
    #[input]
    #[width(16)]
    b: S,
    /// `a + b`
    #[output]
    #[width(17)]
    sum: S,
    /// `a - b`, its sign on top.
    #[output]
    #[width(17)]
    rest: S,
    /// The rest is negative.
    #[output]
    negative: S,
}

struct Widths;

impl Block for Widths {
    type Io<S> = WidthsIo<S>;

    fn name(&self) -> String {
        "widths".into()
    }

    fn io(&self) -> WidthsIo<Shape> {
        WidthsIo::shape()
    }

    fn build(&self, io: &WidthsIo<Bits>) {
        io.wide.set(io.narrow.signed().sext(5).bits());
        io.joined.set(cat([io.narrow.bit(2), io.narrow.slice(0..2)]).signed().sext(5).bits());
        io.eight.set(Signed::lit(19, 8).bits());
        io.sum.set(io.a.grow_add(io.b));
        let rest = io.a.grow_sub(io.b);
        io.rest.set(rest);
        io.negative.set(rest.msb());
    }
}

#[test]
fn too_02_widths_and_signs_survive_in_the_text() {
    let case = case("TOO-02");
    let right = |i: usize| case["stimulus"]["vectors"][i]["right"].as_str().unwrap();
    let value = |radix: u32, text: &str| u64::from_str_radix(text, radix).unwrap();
    let subject = subject(&Widths);
    let names: Vec<&str> = subject.outputs.iter().map(|o| o.0.as_str()).collect();
    assert_eq!(names, ["wide", "joined", "eight", "sum", "rest", "negative"]);
    // One row a vector: narrow, a, b and the outputs they must give.
    let rows = [
        (
            [0b110_u64, 0xffff, 0xffff],
            [value(2, right(0)), value(2, right(0)), value(16, right(1)), value(16, right(2)), 0, 0],
        ),
        ([0b011, 19, 20], [0b00011, 0b00011, 8, 39, 0x1ffff, 1]),
        ([0b100, 20, 19], [0b11100, 0b11100, 8, 39, 1, 0]),
    ];
    assert!(right(3).contains("17-bit 1ffff"));
    let inputs: Vec<Vec<Value>> = rows
        .iter()
        .map(|(row, _)| row.iter().zip(&subject.inputs).map(|(v, i)| Value::new(i.1, u128::from(*v))).collect())
        .collect();
    let answers = [
        ("native", subject.native(&inputs)),
        ("Verilator", subject.verilator(&inputs, Options::default())),
        ("Icarus", subject.icarus(&inputs)),
    ];
    for (name, answers) in answers {
        let answers = answers.unwrap_or_else(|e| panic!("{e}"));
        for ((given, wanted), got) in rows.iter().zip(answers) {
            let got: Vec<u64> = got.into_iter().map(|v| v.expect("all bits are known").to_u64()).collect();
            assert_eq!(got, wanted, "{name}, narrow, a, b = {given:x?}");
        }
    }
}
