//! The body of ECP5 block RAM primitives with their output registers on.
//!
//! The wiring follows Lattice's memory usage guide (FPGA-TN-02204): a `DP16KD` holds 18,432 bits as 1,024 x 18 down to
//! 16,384 x 1; with 18-bit words the two lowest address pins of a port are its byte enables; a `PDPW16KD` holds 512 x 36
//! with one write and one read port. Words are laid out in bytes of 9 bits, so that write lanes become byte enables.

use super::Text;
use crate::{Collision, MemSpec, Value, memory::MemKind};

/// `(words, bits)` of a block, the widest first.
const SHAPES: [(u32, u32); 6] = [(512, 36), (1024, 18), (2048, 9), (4096, 4), (8192, 2), (16384, 1)];

/// How a memory is cut into blocks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tiling {
    /// Words of a block.
    words: u32,
    /// Bits of a block's word.
    bits: u32,
    /// Blocks over the depth.
    rows: u32,
    /// Blocks over the width.
    cols: u32,
    /// Bits that a lane takes up, and those of them that are used.
    lane: Option<(u32, u32)>,
}

impl Tiling {
    /// The tiling with the fewest blocks, if the memory has an ECP5 form.
    pub(super) fn of(spec: &MemSpec) -> Option<Tiling> {
        let fits = match spec.kind {
            MemKind::SimpleDual => spec.collision == Collision::Undefined,
            MemKind::TrueDual => matches!(spec.collision, Collision::NoChange | Collision::Undefined),
            MemKind::Rom => true,
            MemKind::Distributed => false,
        };
        // Lanes much narrower than a byte would waste more of the block than they use.
        if spec.latency != 2 || !fits || spec.lane.is_some_and(|l| l < 5) {
            return None;
        }
        let lane = spec.lane.map(|l| (l.div_ceil(9) * 9, l));
        let width = lane.map_or(spec.width, |(padded, _)| padded * spec.lanes());
        // Contents are placed bit by bit, which the guide describes for the two-port primitive only.
        let one_way = spec.kind == MemKind::SimpleDual && spec.init.is_none();
        let shapes = SHAPES.iter().filter(|(_, b)| (*b != 36 || one_way) && (lane.is_none() || *b >= 9));
        let tilings = shapes.map(|&(words, bits)| Tiling {
            words,
            bits,
            rows: spec.depth.div_ceil(words),
            cols: width.div_ceil(bits),
            lane,
        });
        tilings.min_by_key(|t| (t.rows * t.cols, t.rows))
    }

    fn primitive(&self) -> &'static str {
        if self.bits == 36 { "PDPW16KD" } else { "DP16KD" }
    }

    /// For the head of the file.
    pub(super) fn sentence(&self) -> String {
        let Tiling { words, bits, rows, cols, .. } = self;
        let n = rows * cols;
        format!(
            "{n} {} of {words} x {bits}, {rows} deep and {cols} wide, with the blocks' own output registers",
            self.primitive()
        )
    }

    /// Width of all columns.
    fn width(&self) -> u32 {
        self.bits * self.cols
    }

    /// Address bits of a block.
    fn address(&self) -> u32 {
        crate::clog2(u64::from(self.words))
    }

    /// Bytes of 9 bits in a block's word that have their own enable.
    fn bytes(&self) -> u32 {
        self.bits / 9
    }

    /// The body between the ports and `endmodule`.
    pub(super) fn body(&self, t: &mut Text, spec: &MemSpec) {
        if let Some(init) = &spec.init {
            self.contents(t, init);
        }
        let ports: &[Side] = match spec.kind {
            MemKind::TrueDual => &[Side::A, Side::B],
            MemKind::Rom => &[Side::Read],
            _ => &[Side::Write, Side::Read],
        };
        t.line("genvar row;");
        t.line("genvar col;");
        if self.lane.is_some() {
            t.line("genvar lane;");
        }
        for side in ports {
            self.port(t, spec, *side);
        }
        t.line("");
        t.generate(&format!("for (row = 0; row < {}; row = row + 1)", self.rows), "rows", |t| {
            t.line(format!("for (col = 0; col < {}; col = col + 1) begin : cols", self.cols));
            t.depth += 1;
            for side in ports {
                self.block_pins(t, spec, *side);
            }
            if self.bits == 36 {
                self.pdpw16kd(t, spec)
            } else {
                self.dp16kd(t, spec, ports)
            }
            t.depth -= 1;
            t.line("end");
        });
    }

    /// The signals of one port, common to all blocks.
    fn port(&self, t: &mut Text, spec: &MemSpec, side: Side) {
        let p = side.prefix();
        let (addr, width, rows) = (side.addr(), self.width(), self.rows);
        t.line("");
        if side.writes() {
            t.line(format!("wire {}{p}tile_wdata;", vector(width)));
            match self.lane {
                None if width == spec.width => t.line(format!("assign {p}tile_wdata = {p}wdata;")),
                None => t.line(format!("assign {p}tile_wdata = {{{}'h0, {p}wdata}};", width - spec.width)),
                Some((padded, used)) => self.lanes_in(t, spec, p, padded, used),
            }
        }
        let own = self.address();
        t.line(format!("wire {}{p}{}tile_addr;", vector(own), side.tag()));
        t.line(match spec.addr_width() {
            aw if aw < own => format!("assign {p}{}tile_addr = {{{}'h0, {addr}}};", side.tag(), own - aw),
            aw if aw == own => format!("assign {p}{}tile_addr = {addr};", side.tag()),
            _ => format!("assign {p}{}tile_addr = {addr}[{}:0];", side.tag(), own - 1),
        });
        if !side.reads() {
            return;
        }
        t.line(format!("wire {}{p}tile_rdata;", vector(width * rows)));
        if rows == 1 {
            t.line(format!("wire {}{p}row_rdata;", vector(width)));
            t.line(format!("assign {p}row_rdata = {p}tile_rdata;"));
        } else {
            self.row_select(t, spec, side);
        }
        match self.lane {
            None if width == spec.width => t.line(format!("assign {p}rdata = {p}row_rdata;")),
            None => t.line(format!("assign {p}rdata = {p}row_rdata[{}:0];", spec.width - 1)),
            Some((padded, used)) => t.generate(&lane_loop(spec), &format!("{p}lanes_out"), |t| {
                t.line(format!("assign {p}rdata[{used} * lane +: {used}] = {p}row_rdata[{padded} * lane +: {used}];"));
            }),
        }
    }

    /// The row that was read follows its data through both clocks.
    fn row_select(&self, t: &mut Text, spec: &MemSpec, side: Side) {
        let p = side.prefix();
        let (width, bits) = (self.width(), spec.addr_width() - self.address());
        t.line(format!("reg {}{p}read_row;", vector(bits)));
        t.line(format!("reg {}{p}out_row;", vector(bits)));
        t.line(format!("reg {}{p}row_rdata;", vector(width)));
        t.block(&format!("always @(posedge {})", side.clock(spec)), |t| {
            t.line(format!(
                "if ({}) {p}read_row <= {}[{}:{}];",
                side.read_enable(),
                side.addr(),
                spec.addr_width() - 1,
                self.address()
            ));
            let enable = if spec.output_enable { "if (oe) " } else { "" };
            t.line(format!("{enable}{p}out_row <= {p}read_row;"));
        });
        t.block("always @*", |t| {
            t.line(format!("case ({p}out_row)"));
            for r in 0..self.rows {
                let label = if r + 1 == self.rows { "default".into() } else { format!("{bits}'d{r}") };
                t.line(format!("    {label}: {p}row_rdata = {p}tile_rdata[{}:{}];", (r + 1) * width - 1, r * width));
            }
            t.line("endcase");
        });
    }

    fn lanes_in(&self, t: &mut Text, spec: &MemSpec, p: &str, padded: u32, used: u32) {
        let (bytes, all) = (padded / 9, self.width() / 9);
        t.line(format!("wire {}{p}byte_en;", vector(all)));
        t.generate(&lane_loop(spec), &format!("{p}lanes_in"), |t| {
            let data = format!("{p}wdata[{used} * lane +: {used}]");
            let value = if padded == used { data } else { format!("{{{}'h0, {data}}}", padded - used) };
            t.line(format!("assign {p}tile_wdata[{padded} * lane +: {padded}] = {value};"));
            let strobe = if spec.lanes() == 1 { format!("{p}wstrb") } else { format!("{p}wstrb[lane]") };
            t.line(format!("assign {p}byte_en[{bytes} * lane +: {bytes}] = {{{bytes}{{{strobe}}}}};"));
        });
        let filled = padded * spec.lanes();
        if filled < self.width() {
            let rest = self.width() - filled;
            t.line(format!("assign {p}tile_wdata[{}:{filled}] = {rest}'h0;", self.width() - 1));
            t.line(format!("assign {p}byte_en[{}:{}] = {}'h0;", all - 1, filled / 9, rest / 9));
        }
    }

    /// The enables, address and data of one block's port, inside the loops.
    fn block_pins(&self, t: &mut Text, spec: &MemSpec, side: Side) {
        let (p, tag, n) = (side.prefix(), side.tag(), self.bytes());
        if side.writes() {
            let row = match self.rows {
                1 => String::new(),
                _ => format!(" && {}[{}:{}] == row", side.addr(), spec.addr_width() - 1, self.address()),
            };
            let lane = if self.lane.is_some() && n == 1 { format!(" && {p}byte_en[col]") } else { String::new() };
            t.line(format!("wire {p}write = {p}we{row}{lane};"));
            if side.reads() {
                // A block that another row's or lane's write passes by must keep its read data too.
                t.line(format!("wire {p}enable = {p}en && ({p}write || !{p}we);"));
            }
        }
        let low = match (side.writes(), self.lane.is_some()) {
            (true, true) if n > 1 => format!("{p}byte_en[{n} * col +: {n}]"),
            (true, false) if n > 1 => format!("{n}'b{}", "1".repeat(n as usize)),
            _ => String::new(),
        };
        let gap = 14 - self.address() - if low.is_empty() { 0 } else { n };
        let gap = if gap == 0 { String::new() } else { format!("{gap}'h0") };
        let parts = [format!("{p}{tag}tile_addr"), gap, low];
        let parts: Vec<&str> = parts.iter().map(String::as_str).filter(|s| !s.is_empty()).collect();
        t.line(format!("wire [13:0] {p}{tag}pins = {{{}}};", parts.join(", ")));
        let full = self.bits.max(18);
        if side.writes() {
            let data = format!("{p}tile_wdata[{} * col +: {}]", self.bits, self.bits);
            let fill = full - self.bits;
            let value = if fill == 0 { data } else { format!("{{{fill}'h0, {data}}}") };
            t.line(format!("wire [{}:0] {p}din = {value};", full - 1));
        }
        if side.reads() {
            t.line(format!("wire [{}:0] {p}dout;", full - 1));
            let row = if self.rows > 1 { format!("{} * row + ", self.width()) } else { String::new() };
            let data = format!("{p}tile_rdata[{row}{} * col +: {}]", self.bits, self.bits);
            let part = if full == self.bits { String::new() } else { format!("[{}:0]", self.bits - 1) };
            t.line(format!("assign {data} = {p}dout{part};"));
        }
    }

    fn dp16kd(&self, t: &mut Text, spec: &MemSpec, sides: &[Side]) {
        let two = spec.kind == MemKind::TrueDual;
        let mut params = vec![
            format!(".DATA_WIDTH_A({}), .DATA_WIDTH_B({})", self.bits, self.bits),
            format!(".REGMODE_A(\"{}\"), .REGMODE_B(\"OUTREG\")", if two { "OUTREG" } else { "NOREG" }),
            ".WRITEMODE_A(\"NORMAL\"), .WRITEMODE_B(\"NORMAL\")".into(),
            ".CLKAMUX(\"CLKA\"), .CLKBMUX(\"CLKB\")".into(),
            ".CSDECODE_A(\"0b000\"), .CSDECODE_B(\"0b000\")".into(),
            ".RESETMODE(\"SYNC\"), .ASYNC_RESET_RELEASE(\"SYNC\"), .GSR(\"DISABLED\")".into(),
        ];
        if spec.init.is_some() {
            let cols = self.cols;
            params.extend((0..64).map(|i| format!(".INITVAL_{i:02X}(initval(row * {cols} + col, {i}))")));
        }
        let mut pins = Vec::new();
        for (x, side) in [("A", sides[0]), ("B", sides[sides.len() - 1])] {
            // A ROM's one port is B; its A rests.
            let rests = spec.kind == MemKind::Rom && x == "A";
            let p = side.prefix();
            let (ce, we) = match side {
                _ if rests => ("1'b0".into(), "1'b0".into()),
                Side::Write => (format!("{p}write"), "1'b1".into()),
                Side::Read => ("re".into(), "1'b0".into()),
                Side::A | Side::B => (format!("{p}enable"), format!("{p}write")),
            };
            pins.push(format!(
                ".CLK{x}({}), .CE{x}({ce}), .OCE{x}({}), .WE{x}({we}), .RST{x}(1'b0)",
                side.clock(spec),
                output_enable(spec)
            ));
            pins.push(format!(".CS{x}0(1'b0), .CS{x}1(1'b0), .CS{x}2(1'b0)"));
            let (tag, idle) = (side.tag(), !side.writes() || rests);
            pins.extend(bus(&format!("AD{x}"), 0..14, |i| {
                if rests { "1'b0".into() } else { format!("{p}{tag}pins[{i}]") }
            }));
            pins.extend(bus(&format!("DI{x}"), 0..18, |i| if idle { "1'b0".into() } else { format!("{p}din[{i}]") }));
            if side.reads() && !rests {
                pins.extend(bus(&format!("DO{x}"), 0..18, |i| format!("{p}dout[{i}]")));
            }
        }
        instance(t, "DP16KD", params, pins);
    }

    fn pdpw16kd(&self, t: &mut Text, spec: &MemSpec) {
        let params = vec![
            ".DATA_WIDTH_W(36), .DATA_WIDTH_R(36), .REGMODE(\"OUTREG\")".into(),
            ".CLKWMUX(\"CLKW\"), .CLKRMUX(\"CLKR\")".into(),
            ".CSDECODE_W(\"0b000\"), .CSDECODE_R(\"0b000\")".into(),
            ".RESETMODE(\"SYNC\"), .ASYNC_RESET_RELEASE(\"SYNC\"), .GSR(\"DISABLED\")".into(),
        ];
        let mut pins = vec![
            format!(".CLKW({}), .CEW(write), .CSW0(1'b0), .CSW1(1'b0), .CSW2(1'b0)", Side::Write.clock(spec)),
            format!(".CLKR({}), .CER(re), .OCER({}), .RST(1'b0)", Side::Read.clock(spec), output_enable(spec)),
            ".CSR0(1'b0), .CSR1(1'b0), .CSR2(1'b0)".into(),
        ];
        pins.extend(bus("BE", 0..4, |i| format!("write_pins[{i}]")));
        pins.extend(bus("ADW", 0..9, |i| format!("write_pins[{}]", i + 5)));
        pins.extend(bus("ADR", 0..14, |i| format!("read_pins[{i}]")));
        pins.extend(bus("DI", 0..36, |i| format!("din[{i}]")));
        pins.extend(bus("DO", 0..36, |i| format!("dout[{i}]")));
        instance(t, "PDPW16KD", params, pins);
    }

    /// The function `initval`: one 320-bit parameter of one block. It holds 16 half words of 18 bits, one every 20 bits.
    fn contents(&self, t: &mut Text, init: &[Value]) {
        let mut parts = std::collections::BTreeMap::<(u32, u32), Value>::new();
        for (address, word) in init.iter().enumerate() {
            let (row, at) = (address as u32 / self.words, address as u32 % self.words);
            for bit in (0..word.width()).filter(|b| word.bit(*b)) {
                let bit = self.lane.map_or(bit, |(padded, used)| bit / used * padded + bit % used);
                let (col, bit) = (bit / self.bits, bit % self.bits);
                // Cells are counted in bytes of 9 bits, of which narrow shapes reach only 8.
                let (byte, in_byte) = match self.bits {
                    b if b >= 9 => (at * (b / 9) + bit / 9, bit % 9),
                    b => ((at * b + bit) / 8, (at * b + bit) % 8),
                };
                let (param, place) = (byte / 32, byte / 2 % 16 * 20 + byte % 2 * 9 + in_byte);
                parts.entry((row * self.cols + col, param)).or_insert_with(|| Value::zero(320)).set_bit(place, true);
            }
        }
        t.line("// Initial contents: parameter `part` of block `tile`.");
        t.line("function [319:0] initval(input integer tile, input integer part);");
        t.line("    case (64 * tile + part)");
        for ((tile, part), v) in parts {
            t.line(format!("        {}: initval = {v};", 64 * tile + part));
        }
        t.lines(["        default: initval = 320'h0;", "    endcase", "endfunction", ""]);
    }
}

/// A port of the memory.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Write,
    Read,
    A,
    B,
}

impl Side {
    fn writes(self) -> bool {
        self != Side::Read
    }

    fn reads(self) -> bool {
        self != Side::Write
    }

    fn prefix(self) -> &'static str {
        match self {
            Side::Write | Side::Read => "",
            Side::A => "a_",
            Side::B => "b_",
        }
    }

    /// Tells the write port's signals from the read port's.
    fn tag(self) -> &'static str {
        match self {
            Side::Write => "write_",
            Side::Read => "read_",
            Side::A | Side::B => "",
        }
    }

    fn addr(self) -> &'static str {
        match self {
            Side::Write => "waddr",
            Side::Read => "raddr",
            Side::A => "a_addr",
            Side::B => "b_addr",
        }
    }

    fn read_enable(self) -> &'static str {
        match self {
            Side::A => "a_en && !a_we",
            Side::B => "b_en && !b_we",
            Side::Write | Side::Read => "re",
        }
    }

    fn clock(self, spec: &MemSpec) -> String {
        let domains = spec.domains();
        let second = matches!(self, Side::Read | Side::B) && spec.kind != MemKind::Rom;
        domains[usize::from(second).min(domains.len() - 1)].clk()
    }
}

/// `[width-1:0] `, for one bit too: parts of these are selected.
fn vector(width: u32) -> String {
    format!("[{}:0] ", width - 1)
}

fn lane_loop(spec: &MemSpec) -> String {
    format!("for (lane = 0; lane < {}; lane = lane + 1)", spec.lanes())
}

/// Connections of the pins `name0`, `name1`, …, some to a line.
fn bus(name: &str, pins: std::ops::Range<u32>, to: impl Fn(u32) -> String) -> Vec<String> {
    let all: Vec<String> = pins.map(|i| format!(".{name}{i}({})", to(i))).collect();
    all.chunks(6).map(|c| c.join(", ")).collect()
}

fn instance(t: &mut Text, primitive: &str, params: Vec<String>, pins: Vec<String>) {
    let list = |t: &mut Text, items: Vec<String>| {
        let n = items.len();
        for (i, item) in items.into_iter().enumerate() {
            t.line(format!("    {item}{}", if i + 1 < n { "," } else { "" }));
        }
    };
    t.line(format!("{primitive} #("));
    list(t, params);
    t.line(") block (");
    list(t, pins);
    t.line(");");
}

/// What the enables of the output registers are tied to.
fn output_enable(spec: &MemSpec) -> &'static str {
    if spec.output_enable { "oe" } else { "1'b1" }
}
