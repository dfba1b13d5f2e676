//! Value change dumps: the whole hierarchy under one instance, from when it is started until it is stopped.

use crate::Value;
use std::io::{self, Write};
use vcd::{IdCode, TimescaleUnit, Writer};

/// Time units of one edge.
const PERIOD: u64 = 10;

/// A variable in the dump.
pub(super) struct Var {
    pub name: String,
    pub width: u32,
    pub place: u32,
}

/// A scope: its variables, and how many of the scopes that follow lie in it.
pub(super) struct ScopeVars {
    pub name: String,
    pub depth: usize,
    pub vars: Vec<Var>,
}

struct Known {
    id: IdCode,
    width: u32,
    place: u32,
    last: Option<Vec<u64>>,
}

pub(super) struct Dump {
    out: Writer<Box<dyn Write>>,
    vars: Vec<Known>,
    clocks: Vec<IdCode>,
    /// Clocks that have risen with the last edge.
    risen: Vec<usize>,
    time: u64,
    result: io::Result<()>,
}

impl Dump {
    /// Writes the head of the file; `clocks` are named in the first scope.
    pub fn start(to: Box<dyn Write>, clocks: &[String], scopes: &[ScopeVars]) -> io::Result<Self> {
        let mut out = Writer::new(to);
        out.timescale(1, TimescaleUnit::NS)?;
        let (mut vars, mut ids, mut open) = (Vec::new(), Vec::new(), 0);
        for (i, s) in scopes.iter().enumerate() {
            while open > s.depth {
                out.upscope()?;
                open -= 1;
            }
            out.add_module(&s.name)?;
            open += 1;
            if i == 0 {
                for c in clocks {
                    ids.push(out.add_wire(1, c)?);
                }
            }
            for v in &s.vars {
                let id = out.add_wire(v.width, &v.name)?;
                vars.push(Known { id, width: v.width, place: v.place, last: None });
            }
        }
        (0..open).try_for_each(|_| out.upscope())?;
        out.enddefinitions()?;
        Ok(Dump { out, vars, clocks: ids, risen: vec![], time: 0, result: Ok(()) })
    }

    /// The cycle that ends now, and which clocks then have an edge.
    pub fn cycle(&mut self, m: &[u64], clocks: &[usize]) {
        if self.result.is_ok() {
            self.result = self.write(m, clocks);
        }
    }

    fn write(&mut self, m: &[u64], clocks: &[usize]) -> io::Result<()> {
        self.out.timestamp(self.time)?;
        for (i, id) in self.clocks.iter().enumerate() {
            if self.time == 0 || self.risen.contains(&i) {
                self.out.change_scalar(*id, self.risen.contains(&i))?;
            }
        }
        for v in &mut self.vars {
            let now = &m[v.place as usize..][..super::program::words(v.width) as usize];
            if v.last.as_deref() != Some(now) {
                let value = Value::from_words(v.width, now);
                match v.width {
                    1 => self.out.change_scalar(v.id, value.is_true())?,
                    _ => self.out.change_vector(v.id, (0..v.width).rev().map(|i| value.bit(i).into()))?,
                }
                v.last = Some(now.to_vec());
            }
        }
        if !self.risen.is_empty() {
            self.out.timestamp(self.time + PERIOD / 2)?;
            for i in &self.risen {
                self.out.change_scalar(self.clocks[*i], false)?;
            }
        }
        self.risen = clocks.to_vec();
        self.time += PERIOD;
        Ok(())
    }

    /// Writes the values after the last edge and ends the file.
    pub fn stop(mut self, m: &[u64]) -> io::Result<()> {
        self.cycle(m, &[]);
        self.result?;
        self.out.flush()
    }
}
