//! Blocks whose emitted text is kept beside this file.

use hdl::{cdc::synchronise, *};

/// AXI4-Stream without sidebands.
#[derive(Bundle, Clone)]
#[bundle(data_w: u32)]
pub struct Axis<S> {
    /// Data, lane 0 first on the wire.
    #[width(data_w)]
    pub tdata: S,
    /// Last beat of the frame.
    pub tlast: S,
    /// The beat is there.
    pub tvalid: S,
    /// The beat is taken.
    #[flip]
    pub tready: S,
}

/// A buffer of two beats.
pub struct Skid {
    pub data_w: u32,
}

/// Ports of [`Skid`].
#[derive(Bundle, Clone)]
#[bundle(data_w: u32)]
pub struct SkidIo<S> {
    /// Beats in.
    #[input]
    #[shape(Axis::shape(data_w))]
    pub s_axis: Axis<S>,
    /// Beats out.
    #[output]
    #[shape(Axis::shape(data_w))]
    pub m_axis: Axis<S>,
}

impl Block for Skid {
    type Io<S> = SkidIo<S>;

    fn name(&self) -> String {
        "skid".into()
    }

    fn doc(&self) -> String {
        "Cuts the paths of a stream in both directions at full rate.".into()
    }

    fn params(&self) -> Vec<(&'static str, String)> {
        vec![("w", self.data_w.to_string())]
    }

    fn io(&self) -> SkidIo<Shape> {
        SkidIo::shape(self.data_w)
    }

    #[names]
    fn build(&self, io: &SkidIo<Bits>) {
        let (s, m) = (&io.s_axis, &io.m_axis);
        let kept_data = reg(self.data_w);
        let kept_last = reg(1);
        let kept_valid = reg(1).reset(0);
        m.tdata.registered();
        m.tlast.registered();
        m.tvalid.reset(0);
        s.tready.reset(0);
        let advance = m.tready | !m.tvalid;
        let take = s.tvalid & s.tready;
        when(advance, || {
            when(kept_valid, || {
                m.tdata.set(kept_data);
                m.tlast.set(kept_last);
                m.tvalid.set(1);
                kept_valid.set(0);
            })
            .otherwise(|| {
                m.tdata.set(s.tdata);
                m.tlast.set(s.tlast);
                m.tvalid.set(take);
            });
            s.tready.set(1);
        })
        .elsewhen(take, || {
            kept_data.set(s.tdata);
            kept_last.set(s.tlast);
            kept_valid.set(1);
            s.tready.set(0);
        });
    }
}

/// What [`Reader`] is doing.
#[derive(Clone, Copy, Encode)]
pub enum Phase {
    /// Waits for `start`.
    Idle,
    /// Asks for a word.
    Ask,
    /// Waits for the word.
    WaitData,
    /// Hands it over.
    Done,
}

/// Reads `len` words from a bus and adds them up.
pub struct Reader;

/// Ports of [`Reader`].
#[derive(Bundle, Clone)]
pub struct ReaderIo<S> {
    /// Begins a sum.
    #[input]
    pub start: S,
    /// Number of words, less one.
    #[input]
    #[width(8)]
    pub len: S,
    /// A word is asked for.
    #[output]
    pub ask: S,
    /// Its address.
    #[output]
    #[width(8)]
    pub addr: S,
    /// The word is there.
    #[input]
    pub data_valid: S,
    /// The word.
    #[input]
    #[width(32)]
    pub data: S,
    /// One clock: the sum is complete.
    #[output]
    pub done: S,
    /// The sum, modulo 2^32.
    #[output]
    #[width(32)]
    pub sum: S,
}

impl Block for Reader {
    type Io<S> = ReaderIo<S>;

    fn name(&self) -> String {
        "reader".into()
    }

    fn doc(&self) -> String {
        "Adds up the words 0 to len that a bus gives.".into()
    }

    fn io(&self) -> ReaderIo<Shape> {
        ReaderIo::shape()
    }

    #[names]
    fn build(&self, io: &ReaderIo<Bits>) {
        let phase = state(Phase::Idle);
        io.addr.registered();
        io.sum.registered();
        let last = io.addr.eq(io.len);
        phase.switch(|p| match p {
            Phase::Idle => {
                io.addr.set(0);
                io.sum.set(0);
                when(io.start, || phase.go(Phase::Ask));
            }
            Phase::Ask => phase.go(Phase::WaitData),
            Phase::WaitData => {
                when(io.data_valid, || {
                    io.sum.set(io.sum + io.data);
                    io.addr.set(io.addr + 1);
                    when(last, || phase.go(Phase::Done)).otherwise(|| phase.go(Phase::Ask));
                });
            }
            Phase::Done => phase.go(Phase::Idle),
        });
        io.ask.set(phase.is(Phase::Ask));
        io.done.set(phase.is(Phase::Done));
    }
}

/// Two skid buffers of one width and one of another: a shared module, and names that tell the widths.
pub struct Chain;

/// Ports of [`Chain`].
#[derive(Bundle, Clone)]
pub struct ChainIo<S> {
    /// Wide beats in.
    #[input]
    #[shape(Axis::shape(16))]
    pub s_axis: Axis<S>,
    /// Wide beats out.
    #[output]
    #[shape(Axis::shape(16))]
    pub m_axis: Axis<S>,
    /// Narrow beats in.
    #[input]
    #[shape(Axis::shape(8))]
    pub s_axis_low: Axis<S>,
    /// Narrow beats out.
    #[output]
    #[shape(Axis::shape(8))]
    pub m_axis_low: Axis<S>,
}

impl Block for Chain {
    type Io<S> = ChainIo<S>;

    fn name(&self) -> String {
        "chain".into()
    }

    fn io(&self) -> ChainIo<Shape> {
        ChainIo::shape()
    }

    #[names]
    fn build(&self, io: &ChainIo<Bits>) {
        let first = instance(&Skid { data_w: 16 });
        let second = instance(&Skid { data_w: 16 });
        let low = instance(&Skid { data_w: 8 });
        connect(&io.s_axis, &first.s_axis);
        connect(&first.m_axis, &second.s_axis);
        connect(&second.m_axis, &io.m_axis);
        connect(&io.s_axis_low, &low.s_axis);
        connect(&low.m_axis, &io.m_axis_low);
    }
}

/// Counts how often each of 256 codes came.
pub struct Histogram;

/// Ports of [`Histogram`].
#[derive(Bundle, Clone)]
pub struct HistogramIo<S> {
    /// A code has come.
    #[input]
    pub valid: S,
    /// The code.
    #[input]
    #[width(8)]
    pub code: S,
    /// A count is known, two clocks after its code.
    #[output]
    pub count_valid: S,
    /// How often the code had come before.
    #[output]
    #[width(16)]
    pub count: S,
}

impl Block for Histogram {
    type Io<S> = HistogramIo<S>;

    fn name(&self) -> String {
        "histogram".into()
    }

    fn doc(&self) -> String {
        "Counts codes; the same one may not come twice within three clocks.".into()
    }

    fn io(&self) -> HistogramIo<Shape> {
        HistogramIo::shape()
    }

    #[names]
    fn build(&self, io: &HistogramIo<Bits>) {
        let counts = memory::simple_dual(256, 16).latency(2).contents(vec![Value::zero(16); 256]).simple();
        let count = counts.read(io.valid, io.code);
        let seen = io.valid.delay_reset(0).delay_reset(0);
        let code_seen = io.code.delay_by(2);
        counts.write(seen, code_seen, count + 1);
        io.count_valid.set(seen);
        io.count.set(count);
    }
}

/// Events of one clock counted in another.
pub struct Events;

/// Ports of [`Events`].
#[derive(Bundle, Clone)]
pub struct EventsIo<S> {
    /// A pulse of `mac_clk`.
    #[input]
    #[clock(mac)]
    pub pulse: S,
    /// Pulses so far, in `clk`.
    #[output]
    #[width(16)]
    pub count: S,
}

impl Block for Events {
    type Io<S> = EventsIo<S>;

    fn name(&self) -> String {
        "events".into()
    }

    fn doc(&self) -> String {
        "Counts pulses of mac_clk in clk, where they are at least three clocks apart.".into()
    }

    fn io(&self) -> EventsIo<Shape> {
        EventsIo::shape()
    }

    #[names]
    fn build(&self, io: &EventsIo<Bits>) {
        let toggle = in_domain("mac", || {
            let toggle = reg(1).reset(0);
            when(io.pulse, || toggle.set(!toggle));
            toggle
        });
        let arrived = synchronise(toggle, 2);
        let before = arrived.delay_reset(0);
        io.count.reset(0);
        when(arrived ^ before, || io.count.set(io.count + 1));
    }
}

/// Credits with a contract.
pub struct Credits;

/// Ports of [`Credits`].
#[derive(Bundle, Clone)]
pub struct CreditsIo<S> {
    /// A credit comes back.
    #[input]
    pub give: S,
    /// A credit is wanted.
    #[input]
    pub want: S,
    /// It is granted.
    #[output]
    pub grant: S,
}

impl Block for Credits {
    type Io<S> = CreditsIo<S>;

    fn name(&self) -> String {
        "credits".into()
    }

    fn doc(&self) -> String {
        "Grants at most four more than were given back.".into()
    }

    fn io(&self) -> CreditsIo<Shape> {
        CreditsIo::shape()
    }

    #[names]
    fn build(&self, io: &CreditsIo<Bits>) {
        let left = reg(3).reset(4);
        let granted = io.want & left.any();
        when(granted & !io.give, || left.set(left - 1)).elsewhen(io.give & !granted, || left.set(left + 1));
        io.grant.set(granted);
        let out = reg(3).reset(0);
        when(granted & !io.give, || out.set(out + 1)).elsewhen(io.give & !granted, || out.set(out - 1));
        assume_that("owed", "only what was granted is given back", !io.give | out.any());
        assert_that("balance", "credits are neither lost nor made", left.zext(4).eq(lit(4, 4) - out.zext(4)));
        cover_that("empty", "every credit is out", left.eq(0));
    }
}
