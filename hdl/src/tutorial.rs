//! A tutorial: five small blocks, each built, simulated, drawn as a waveform and read as Verilog.
//!
//! 1. [A counter](#1-a-counter): blocks, ports, registers
//! 2. [A register slice](#2-a-register-slice): bundles of signals, flipped directions, hierarchy
//! 3. [A state machine](#3-a-state-machine): enums, properties
//! 4. [A memory](#4-a-memory): contracts, latency
//! 5. [Two clocks](#5-two-clocks): domains, crossings
//!
//! All code on this page is compiled and run by `cargo test`; the waveforms and the Verilog are what it printed.
//!
//! # 1. A counter
//!
//! A block is a Rust struct that holds its *configuration*; here the width. Its ports are a second struct, generic
//! over what stands at its leaves: `CounterIo<Shape>` holds widths, `CounterIo<Bits>` signals, and the simulator's
//! handles have the same shape. `build` is ordinary Rust that runs once, at elaboration, and leaves hardware behind.
//!
//! ```
//! use hdl::{sim::Sim, *};
//!
//! /// Ports.
//! #[derive(Bundle, Clone)]
//! #[bundle(width: u32)] // parameters of `CounterIo::shape`
//! struct CounterIo<S> {
//!     /// Counts while 1.
//!     #[input]
//!     enable: S,
//!     /// The count.
//!     #[output]
//!     #[width(width)]
//!     count: S,
//!     /// The next count is 0.
//!     #[output]
//!     last: S,
//! }
//!
//! struct Counter {
//!     width: u32,
//! }
//!
//! impl Block for Counter {
//!     type Io<S> = CounterIo<S>;
//!
//!     fn name(&self) -> String {
//!         "counter".into()
//!     }
//!
//!     fn io(&self) -> CounterIo<Shape> {
//!         CounterIo::shape(self.width)
//!     }
//!
//!     #[names] // every `let` names its signal
//!     fn build(&self, io: &CounterIo<Bits>) {
//!         io.count.reset(0); // makes the output a register, 0 under reset
//!         let full = io.count.all();
//!         when(io.enable, || io.count.set(io.count + 1));
//!         io.last.set(full & io.enable);
//!     }
//! }
//!
//! let sim = Sim::new(&Counter { width: 2 }).unwrap();
//! sim.reset();
//! sim.record(&sim.io);
//! for enable in [1, 1, 0, 1, 1, 1] {
//!     sim.poke(sim.io.enable, enable);
//!     sim.step();
//! }
//! assert_eq!(sim.peek_u64(sim.io.count), 1);
//! assert_eq!(format!("\n{}", sim.wave()), r"
//! cycle    0  1  2  3  4  5
//! enable  ‾‾‾‾‾‾\__/‾‾‾‾‾‾‾‾
//! count   |0 |1 |2    |3 |0
//! last    ____________/‾‾\__
//! ");
//!
//! let design = elaborate(&Counter { width: 2 }).unwrap();
//! let verilog = verilog::emit_text(&design, &verilog::Options::default());
//! assert!(verilog.contains("\
//!     wire full = &count;
//!
//!     assign last = full & enable;
//!
//!     always @(posedge clk) begin
//!         if (enable) begin
//!             count <= count + 2'd1;
//!         end
//!         if (rst) begin
//!             count <= 2'd0;
//!         end
//!     end
//! "));
//! ```
//! Three rules carry most of the language:
//! - **Widths are exact.** `io.count + 1` is as wide as `io.count`; `io.count.grow_add(1)` has one bit more. Operands of
//!   different widths are an error that names the line and both widths. [`zext`](crate::Bits::zext),
//!   [`sext`](crate::Bits::sext), [`trunc`](crate::Bits::trunc) and [`slice`](crate::Bits::slice) change a width.
//! - **The last assignment wins**, and a signal read anywhere means its final value. A register keeps its value where
//!   nothing assigns it; a wire has to be assigned on every path, or elaboration names the path that forgot it.
//! - **Nothing is left over.** A signal or a bit that nobody uses is an error, unless
//!   [`ignore`](crate::Bits::ignore) says that it is meant.
//!
//! # 2. A register slice
//!
//! A stream is a bundle that goes forward but for `ready`, which is marked `#[flip]`. As an `#[input]` the whole bundle
//! turns round. The slice below cuts the forward path: one beat a clock, and `ready` goes straight through.
//!
//! ```
//! use hdl::{sim::Sim, *};
//!
//! /// A stream of words.
//! #[derive(Bundle, Clone)]
//! #[bundle(data_w: u32)]
//! struct Stream<S> {
//!     /// The word.
//!     #[width(data_w)]
//!     data: S,
//!     /// It is there.
//!     valid: S,
//!     /// It is taken.
//!     #[flip]
//!     ready: S,
//! }
//!
//! /// Ports of [`Slice`] and of [`TwoSlices`].
//! #[derive(Bundle, Clone)]
//! #[bundle(data_w: u32)]
//! struct SliceIo<S> {
//!     /// Words in.
//!     #[input]
//!     #[shape(Stream::shape(data_w))]
//!     up: Stream<S>,
//!     /// Words out.
//!     #[output]
//!     #[shape(Stream::shape(data_w))]
//!     down: Stream<S>,
//! }
//!
//! struct Slice {
//!     data_w: u32,
//! }
//!
//! impl Block for Slice {
//!     type Io<S> = SliceIo<S>;
//!
//!     fn name(&self) -> String {
//!         "slice".into()
//!     }
//!
//!     fn io(&self) -> SliceIo<Shape> {
//!         SliceIo::shape(self.data_w)
//!     }
//!
//!     #[names]
//!     fn build(&self, io: &SliceIo<Bits>) {
//!         let (up, down) = (&io.up, &io.down);
//!         down.data.registered(); // a register without reset
//!         down.valid.reset(0);
//!         let advance = down.ready | !down.valid;
//!         up.ready.set(advance);
//!         when(advance, || {
//!             down.data.set(up.data);
//!             down.valid.set(up.valid);
//!         });
//!     }
//! }
//!
//! let sim = Sim::new(&Slice { data_w: 8 }).unwrap();
//! sim.reset();
//! sim.record(&sim.io);
//! for (data, valid, ready) in [(0x11, 1, 1), (0x22, 1, 0), (0x22, 1, 1), (0, 0, 1), (0, 0, 1)] {
//!     sim.poke(sim.io.up.data, data);
//!     sim.poke(sim.io.up.valid, valid);
//!     sim.poke(sim.io.down.ready, ready);
//!     sim.step();
//! }
//! assert_eq!(format!("\n{}", sim.wave()), r"
//! cycle        0  1  2  3  4
//! up_data     |11|22   |0
//! up_valid    ‾‾‾‾‾‾‾‾‾\_____
//! up_ready    ‾‾‾\__/‾‾‾‾‾‾‾‾
//! down_data   |0 |11   |22|0
//! down_valid  ___/‾‾‾‾‾‾‾‾\__
//! down_ready  ‾‾‾\__/‾‾‾‾‾‾‾‾
//! ");
//!
//! /// Two of them in a row: an instance has the ports of its block, inputs to be assigned, outputs to be read.
//! struct TwoSlices;
//!
//! impl Block for TwoSlices {
//!     type Io<S> = SliceIo<S>;
//!
//!     fn name(&self) -> String {
//!         "two_slices".into()
//!     }
//!
//!     fn io(&self) -> SliceIo<Shape> {
//!         SliceIo::shape(8)
//!     }
//!
//!     #[names]
//!     fn build(&self, io: &SliceIo<Bits>) {
//!         let first = instance(&Slice { data_w: 8 });
//!         let second = instance(&Slice { data_w: 8 });
//!         connect(&io.up, &first.up);
//!         connect(&first.down, &second.up);
//!         connect(&second.down, &io.down);
//!     }
//! }
//!
//! let files = verilog::emit(&elaborate(&TwoSlices).unwrap(), &verilog::Options::default());
//! let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
//! assert_eq!(names, ["slice.v", "two_slices.v"]); // each module once
//! assert!(files[1].1.contains("\
//!     slice first (
//!         .clk(clk),
//!         .rst(rst),
//!         .up_data(up_data),
//!         .up_valid(up_valid),
//!         .up_ready(up_ready),
//!         .down_data(first_down_data),
//!         .down_valid(first_down_valid),
//!         .down_ready(second_up_ready)
//!     );
//! "));
//! ```
//!
//! # 3. A state machine
//!
//! A state is a Rust enum. [`State::switch`](crate::State::switch) calls its closure once a variant, so that Rust's
//! `match` checks that none is forgotten; a state that no transition reaches is an elaboration error. The names stand
//! in the Verilog and in the waveform. A property says what must always hold; the native simulator checks it at each
//! clock, and it is emitted for Verilator and for proof.
//!
//! ```
//! use hdl::{sim::Sim, *};
//!
//! /// Ports.
//! #[derive(Bundle, Clone)]
//! struct LockIo<S> {
//!     /// A digit is entered.
//!     #[input]
//!     enter: S,
//!     /// The digit.
//!     #[input]
//!     #[width(4)]
//!     digit: S,
//!     /// The last two digits were 4 and 2.
//!     #[output]
//!     open: S,
//! }
//!
//! #[derive(Clone, Copy, Encode)]
//! enum Seen {
//!     Nothing,
//!     Four,
//!     Both,
//! }
//!
//! struct Lock;
//!
//! impl Block for Lock {
//!     type Io<S> = LockIo<S>;
//!
//!     fn name(&self) -> String {
//!         "lock".into()
//!     }
//!
//!     fn io(&self) -> LockIo<Shape> {
//!         LockIo::shape()
//!     }
//!
//!     #[names]
//!     fn build(&self, io: &LockIo<Bits>) {
//!         let seen = state(Seen::Nothing);
//!         when(io.enter, || {
//!             seen.go(Seen::Nothing);
//!             when(io.digit.eq(4), || seen.go(Seen::Four));
//!             seen.switch(|s| match s {
//!                 Seen::Four => drop(when(io.digit.eq(2), || seen.go(Seen::Both))),
//!                 Seen::Nothing | Seen::Both => {}
//!             });
//!         });
//!         io.open.set(seen.is(Seen::Both));
//!         let digit_before = io.digit.delay_enable(io.enter);
//!         assert_that("ends", "it opens on a two only", !io.open | digit_before.eq(2));
//!         cover_that("opens", "it opens", io.open);
//!     }
//! }
//!
//! let sim = Sim::new(&Lock).unwrap();
//! sim.reset();
//! sim.record(&sim.io);
//! sim.record_signal("seen");
//! sim.poke(sim.io.enter, true);
//! for digit in [4, 4, 2, 7] {
//!     sim.poke(sim.io.digit, digit);
//!     sim.step();
//! }
//! sim.check().unwrap(); // no property was broken
//! assert_eq!(sim.covered("opens"), 1);
//! assert_eq!(format!("\n{}", sim.wave()), r"
//! cycle   0       1       2       3
//! enter  ‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾
//! digit  |4              |2      |7
//! open   ________________________/‾‾‾‾‾‾‾
//! seen   |Nothing|Four           |Both
//! ");
//!
//! let verilog = verilog::emit_text(&elaborate(&Lock).unwrap(), &verilog::Options::default());
//! assert!(verilog.contains("\
//!     localparam [1:0] SEEN_NOTHING = 2'd0;
//!     localparam [1:0] SEEN_FOUR    = 2'd1;
//!     localparam [1:0] SEEN_BOTH    = 2'd2;
//! "));
//! assert!(verilog.contains("\
//!                 SEEN_FOUR: begin
//!                     if (digit == 4'd2) begin
//!                         seen <= SEEN_BOTH;
//!                     end
//!                 end
//! "));
//! ```
//!
//! # 4. A memory
//!
//! A memory is a contract: kind, size, read latency, and what a read returns that meets a write of the same word. It is
//! emitted as a module of its own that synthesis maps to block RAM. With latency 2 the block's output register is used,
//! which is what makes it fast.
//!
//! ```
//! use hdl::{memory::simple_dual, sim::Sim, *};
//!
//! /// Ports.
//! #[derive(Bundle, Clone)]
//! struct TableIo<S> {
//!     /// A word is written.
//!     #[input]
//!     write: S,
//!     /// Where.
//!     #[input]
//!     #[width(4)]
//!     write_addr: S,
//!     /// The word.
//!     #[input]
//!     #[width(8)]
//!     write_data: S,
//!     /// A word is read.
//!     #[input]
//!     read: S,
//!     /// Which one.
//!     #[input]
//!     #[width(4)]
//!     read_addr: S,
//!     /// The answer is there, two clocks after the question.
//!     #[output]
//!     valid: S,
//!     /// The word.
//!     #[output]
//!     #[width(8)]
//!     data: S,
//! }
//!
//! struct Table;
//!
//! impl Block for Table {
//!     type Io<S> = TableIo<S>;
//!
//!     fn name(&self) -> String {
//!         "table_".into()
//!     }
//!
//!     fn io(&self) -> TableIo<Shape> {
//!         TableIo::shape()
//!     }
//!
//!     #[names]
//!     fn build(&self, io: &TableIo<Bits>) {
//!         let zeros = vec![Value::zero(8); 16];
//!         let words = simple_dual(16, 8).latency(2).contents(zeros).simple();
//!         words.write(io.write, io.write_addr, io.write_data);
//!         io.data.set(words.read(io.read, io.read_addr));
//!         io.valid.set(io.read.delay_reset(0).delay_reset(0));
//!     }
//! }
//!
//! let sim = Sim::new(&Table).unwrap();
//! sim.poke(sim.io.read, true);
//! sim.reset(); // its two clocks fill the memory's registers, which have no reset, from word 0
//! sim.record(&sim.io);
//! for (write, addr, data) in [(1, 3, 0x33), (1, 5, 0x55), (0, 0, 0), (0, 0, 0)] {
//!     sim.poke(sim.io.write, write);
//!     sim.poke(sim.io.write_addr, addr);
//!     sim.poke(sim.io.write_data, data);
//!     sim.poke(sim.io.read, write == 0);
//!     sim.poke(sim.io.read_addr, 3);
//!     sim.step();
//! }
//! sim.poke(sim.io.read, false);
//! sim.steps(2);
//! assert_eq!(format!("\n{}", sim.wave()), r"
//! cycle        0  1  2  3  4  5
//! write       ‾‾‾‾‾‾\___________
//! write_addr  |3 |5 |0
//! write_data  |33|55|0
//! read        ______/‾‾‾‾‾\_____
//! read_addr   |3
//! valid       ____________/‾‾‾‾‾
//! data        |0          |33
//! ");
//!
//! let verilog = verilog::emit_text(&elaborate(&Table).unwrap(), &verilog::Options::default());
//! assert!(verilog.contains("\
//!         .we(write),
//!         .waddr(write_addr),
//! "));
//! ```
//!
//! # 5. Two clocks
//!
//! Every register belongs to a clock domain: the default one (`clk`, `rst`), or one with a name (`rx_clk`, `rx_rst`).
//! A signal that goes from one to another without a primitive of [`cdc`](crate::cdc) is an elaboration error that names
//! both clocks and the path.
//!
//! ```
//! use hdl::{cdc::synchronise, sim::Sim, *};
//!
//! /// Ports.
//! #[derive(Bundle, Clone)]
//! struct LinkIo<S> {
//!     /// A frame has come, in the receiver's clock.
//!     #[input]
//!     #[clock(rx)]
//!     frame: S,
//!     /// One clock of `clk` for each frame.
//!     #[output]
//!     seen: S,
//! }
//!
//! struct Link {
//!     safe: bool,
//! }
//!
//! impl Block for Link {
//!     type Io<S> = LinkIo<S>;
//!
//!     fn name(&self) -> String {
//!         "link".into()
//!     }
//!
//!     fn io(&self) -> LinkIo<Shape> {
//!         LinkIo::shape()
//!     }
//!
//!     #[names]
//!     fn build(&self, io: &LinkIo<Bits>) {
//!         let toggle = in_domain("rx", || reg(1).reset(0));
//!         when(io.frame, || toggle.set(!toggle));
//!         let arrived = if self.safe { synchronise(toggle, 2) } else { toggle };
//!         let arrived_before = arrived.delay_reset(0);
//!         io.seen.set(arrived ^ arrived_before);
//!     }
//! }
//!
//! let error = elaborate(&Link { safe: false }).unwrap_err();
//! assert!(error.has(Fault::Crossing));
//! assert!(error.to_string().contains("`rx_clk`"), "{error}");
//!
//! let sim = Sim::new(&Link { safe: true }).unwrap();
//! sim.reset();
//! sim.record(&sim.io);
//! sim.poke(sim.io.frame, true);
//! sim.step_domain("rx"); // an edge of rx_clk alone
//! sim.poke(sim.io.frame, false);
//! for _ in 0..5 {
//!     sim.edge(&["", "rx"]); // of both clocks at once
//! }
//! assert_eq!(format!("\n{}", sim.wave()), r"
//! cycle    0  1  2  3  4  5
//! clk          ^  ^  ^  ^  ^
//! rx_clk    ^  ^  ^  ^  ^  ^
//! frame   ‾‾‾\______________
//! seen    _________/‾‾\_____
//! ");
//!
//! let verilog = verilog::emit_text(&elaborate(&Link { safe: true }).unwrap(), &verilog::Options::default());
//! assert!(verilog.contains("\
//!     always @(posedge rx_clk) begin
//!         if (frame) begin
//!             toggle <= !toggle;
//!         end
//! "));
//! ```
//!
//! # Where to go from here
//!
//! - [`bundle`](crate::bundle): directions, arrays and optional fields, packing.
//! - [`memory`](crate::memory), [`cdc`](crate::cdc), [`onehot`](crate::onehot), [`crc`](crate::crc),
//!   [`checksum`](crate::checksum): what is there to build with.
//! - [`check`](crate::check): what elaboration refuses, and `assert_no_combinational_paths` for the first test of a
//!   stream block.
//! - [`sim`](crate::sim), [`verilog`](crate::verilog): running and emitting.
