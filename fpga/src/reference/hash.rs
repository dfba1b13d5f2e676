//! A hash table of four ways in block RAM.

use hdl::{
    crc::{CrcSpec, crc_serial},
    memory::simple_dual,
    *,
};

/// Exact match of a 96-bit key in 256 rows of four ways; latency 2 clocks, a lookup on every clock.
#[derive(Clone, Copy, Debug)]
pub struct Hash {
    /// What a lookup sees of a row that is written in the same clock.
    pub collision: Collision,
}

const WAYS: usize = 4;
const KEY_W: u32 = 96;
const VALUE_W: u32 = 32;

/// A way's word: valid bit, value, key.
#[derive(Bundle, Clone)]
pub struct Entry<S> {
    /// What is looked for.
    #[width(KEY_W)]
    pub key: S,
    /// What is found.
    #[width(VALUE_W)]
    pub value: S,
    /// The slot is taken.
    pub valid: S,
}

/// Ports.
#[derive(Bundle, Clone)]
pub struct HashIo<S> {
    /// Key to look up.
    #[input]
    #[width(KEY_W)]
    pub key: S,
    /// Look it up.
    #[input]
    pub key_valid: S,
    /// It was there.
    #[output]
    pub hit: S,
    /// Its value, or 0.
    #[output]
    #[width(VALUE_W)]
    pub value: S,
    /// `hit` and `value` belong to a lookup.
    #[output]
    pub done: S,
    /// Write this way.
    #[input]
    #[width(WAYS as u32)]
    pub w_en: S,
    /// In this row.
    #[input]
    #[width(8)]
    pub w_row: S,
    /// With this entry.
    #[input]
    #[width(KEY_W + VALUE_W + 1)]
    pub w_data: S,
}

impl Block for Hash {
    type Io<S> = HashIo<S>;

    fn name(&self) -> String {
        "hash".into()
    }

    fn doc(&self) -> String {
        "Hash table of four ways in block RAM.".into()
    }

    fn io(&self) -> HashIo<Shape> {
        HashIo::shape()
    }

    #[names]
    fn build(&self, io: &HashIo<Bits>) {
        // The key's first byte on the wire is its most significant.
        let row = crc_serial(&CrcSpec::CRC8, lit(8, 0), io.key.swap_bytes());
        let wanted = io.key.delay();
        let looking = io.key_valid.delay();
        let mut hit = lit(1, 0);
        let mut value = lit(VALUE_W, 0);
        for i in 0..WAYS {
            let way = simple_dual(256, KEY_W + VALUE_W + 1).collision(self.collision).simple();
            way.write(io.w_en.bit(i as u32), io.w_row, io.w_data);
            let entry = unpack(&Entry::shape(), way.read(lit(1, 1), row));
            let match_ = entry.valid & entry.key.eq(wanted);
            hit = hit | match_;
            value = mux(match_, entry.value, value);
        }
        io.hit.registered().set(hit);
        io.value.registered().set(value);
        io.done.registered().set(looking);
    }
}
