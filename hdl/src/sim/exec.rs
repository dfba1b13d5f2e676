//! Execution of the bytecode.

use super::{memory::Mem, program::Instr};

/// Cuts a word to the bits in use.
fn keep(x: u64, cut: u8) -> u64 {
    x << cut >> cut
}

/// A word as a signed number.
fn signed(x: u64, cut: u8) -> i64 {
    (x << cut) as i64 >> cut
}

/// Runs the code over the words `m`.
pub(super) fn run(code: &[Instr], m: &mut [u64], mems: &[Mem], tables: &[u32]) {
    let mut pc = 0;
    while let Some(instr) = code.get(pc) {
        pc += 1;
        match *instr {
            Instr::Unless { c, to } => {
                if m[c as usize] & 1 == 0 {
                    pc = to as usize;
                }
            }
            Instr::Goto { to } => pc = to as usize,
            Instr::Not { d, a, cut } => m[d as usize] = keep(!m[a as usize], cut),
            Instr::And { d, a, b } => m[d as usize] = m[a as usize] & m[b as usize],
            Instr::Or { d, a, b } => m[d as usize] = m[a as usize] | m[b as usize],
            Instr::Xor { d, a, b } => m[d as usize] = m[a as usize] ^ m[b as usize],
            Instr::Add { d, a, b, cut } => m[d as usize] = keep(m[a as usize].wrapping_add(m[b as usize]), cut),
            Instr::Sub { d, a, b, cut } => m[d as usize] = keep(m[a as usize].wrapping_sub(m[b as usize]), cut),
            Instr::Mul { d, a, b, cut } => m[d as usize] = keep(m[a as usize].wrapping_mul(m[b as usize]), cut),
            Instr::Eq { d, a, b } => m[d as usize] = u64::from(m[a as usize] == m[b as usize]),
            Instr::Ult { d, a, b } => m[d as usize] = u64::from(m[a as usize] < m[b as usize]),
            Instr::Slt { d, a, b, cut } => {
                m[d as usize] = u64::from(signed(m[a as usize], cut) < signed(m[b as usize], cut));
            }
            Instr::Shl { d, a, by, cut } => {
                let by = m[by as usize];
                m[d as usize] = if by < 64 { keep(m[a as usize] << by, cut) } else { 0 };
            }
            Instr::Shr { d, a, by } => {
                let by = m[by as usize];
                m[d as usize] = if by < 64 { m[a as usize] >> by } else { 0 };
            }
            Instr::Sar { d, a, by, cut } => {
                m[d as usize] = keep((signed(m[a as usize], cut) >> m[by as usize].min(63)) as u64, cut);
            }
            Instr::Bits { d, a, lsb, cut } => m[d as usize] = keep(m[a as usize] >> lsb, cut),
            Instr::Straddle { d, a, lsb, cut } => {
                m[d as usize] = keep(m[a as usize] >> lsb | m[a as usize + 1] << (64 - lsb), cut);
            }
            Instr::Join { d, high, low, by } => m[d as usize] = m[high as usize] << by | m[low as usize],
            Instr::Mux { d, c, t, f } => {
                let (t, f) = (m[t as usize], m[f as usize]);
                m[d as usize] = if m[c as usize] & 1 == 1 { t } else { f };
            }
            Instr::All { d, a, cut } => m[d as usize] = u64::from(m[a as usize] == u64::MAX >> cut),
            Instr::Any { d, a } => m[d as usize] = u64::from(m[a as usize] != 0),
            Instr::Parity { d, a } => m[d as usize] = u64::from(m[a as usize].count_ones() & 1),
            Instr::Pick { d, index, table, count, n } => {
                let i = m[index as usize].min(u64::from(count) - 1) as usize;
                let from = tables[table as usize + i] as usize;
                m.copy_within(from..from + n as usize, d as usize);
            }
            Instr::Read { d, mem, addr, n } => {
                let addr = m[addr as usize];
                m[d as usize..(d + n) as usize].copy_from_slice(mems[mem as usize].word(addr));
            }
            Instr::Copy { d, a, n } => m.copy_within(a as usize..(a + n) as usize, d as usize),
            Instr::MuxW { d, c, t, f, n } => {
                let from = if m[c as usize] & 1 == 1 { t } else { f };
                m.copy_within(from as usize..(from + n) as usize, d as usize);
            }
            Instr::Zero { d, n } => m[d as usize..(d + n) as usize].fill(0),
            Instr::Field { d, at, a, lsb, cut } => {
                let mut x = m[a as usize] >> lsb;
                // Only a field that goes on in the next word may read it: it may be the array's last.
                if u32::from(lsb) + 64 - u32::from(cut) > 64 {
                    x |= m[a as usize + 1] << (64 - lsb);
                }
                let x = keep(x, cut);
                m[d as usize] |= x << at;
                if u32::from(at) + 64 - u32::from(cut) > 64 {
                    m[d as usize + 1] |= x >> (64 - at);
                }
            }
            ref other => wide(other, m),
        }
    }
}

/// The instructions on many words.
fn wide(instr: &Instr, m: &mut [u64]) {
    /// Splits the array at the result.
    fn split(m: &mut [u64], d: u32, n: u32) -> (&[u64], &mut [u64]) {
        let (low, high) = m.split_at_mut(d as usize);
        (low, &mut high[..n as usize])
    }
    fn at(m: &[u64], a: u32, n: u32) -> &[u64] {
        &m[a as usize..(a + n) as usize]
    }
    fn trim(d: &mut [u64], cut: u8) {
        let last = d.len() - 1;
        d[last] = keep(d[last], cut);
    }
    fn zip(m: &mut [u64], [d, a, b, n]: [u32; 4], f: impl Fn(u64, u64) -> u64) {
        let (m, d) = split(m, d, n);
        for ((d, a), b) in d.iter_mut().zip(at(m, a, n)).zip(at(m, b, n)) {
            *d = f(*a, *b);
        }
    }
    match *instr {
        Instr::NotW { d, a, n, cut } => {
            let (m, d) = split(m, d, n);
            d.iter_mut().zip(at(m, a, n)).for_each(|(d, a)| *d = !a);
            trim(d, cut);
        }
        Instr::AndW { d, a, b, n } => zip(m, [d, a, b, n], |a, b| a & b),
        Instr::OrW { d, a, b, n } => zip(m, [d, a, b, n], |a, b| a | b),
        Instr::XorW { d, a, b, n } => zip(m, [d, a, b, n], |a, b| a ^ b),
        Instr::AddW { d, a, b, n, cut } => {
            let (m, d) = split(m, d, n);
            let mut carry = false;
            for ((d, a), b) in d.iter_mut().zip(at(m, a, n)).zip(at(m, b, n)) {
                let (sum, one) = a.overflowing_add(*b);
                let (sum, two) = sum.overflowing_add(u64::from(carry));
                (*d, carry) = (sum, one | two);
            }
            trim(d, cut);
        }
        Instr::SubW { d, a, b, n, cut } => {
            let (m, d) = split(m, d, n);
            let mut borrow = false;
            for ((d, a), b) in d.iter_mut().zip(at(m, a, n)).zip(at(m, b, n)) {
                let (rest, one) = a.overflowing_sub(*b);
                let (rest, two) = rest.overflowing_sub(u64::from(borrow));
                (*d, borrow) = (rest, one | two);
            }
            trim(d, cut);
        }
        Instr::MulW { d, a, b, n, cut } => {
            let (m, d) = split(m, d, n);
            d.fill(0);
            let (a, b) = (at(m, a, n), at(m, b, n));
            for i in (0..a.len()).filter(|i| a[*i] != 0) {
                let mut carry = 0u128;
                for (d, b) in d[i..].iter_mut().zip(b) {
                    let t = u128::from(a[i]) * u128::from(*b) + u128::from(*d) + carry;
                    *d = t as u64;
                    carry = t >> 64;
                }
            }
            trim(d, cut);
        }
        Instr::EqW { d, a, b, n } => m[d as usize] = u64::from(at(m, a, n) == at(m, b, n)),
        Instr::UltW { d, a, b, n } => m[d as usize] = u64::from(at(m, a, n).iter().rev().lt(at(m, b, n).iter().rev())),
        Instr::SltW { d, a, b, n, cut } => {
            let top = |p: u32| signed(m[(p + n - 1) as usize], cut);
            let below = || at(m, a, n).iter().rev().lt(at(m, b, n).iter().rev());
            m[d as usize] = u64::from(if (top(a) < 0) != (top(b) < 0) { top(a) < 0 } else { below() });
        }
        Instr::ShlW { d, a, by, n, cut } => {
            let (m, d) = split(m, d, n);
            let (a, by) = (at(m, a, n), m[by as usize].min(64 * u64::from(n)));
            let (skip, by) = ((by / 64) as usize, by % 64);
            for i in 0..d.len() {
                let word = |k: usize| if i >= k { a[i - k] } else { 0 };
                let low = if by == 0 { 0 } else { word(skip + 1) >> (64 - by) };
                d[i] = word(skip) << by | low;
            }
            trim(d, cut);
        }
        Instr::ShrW { d, a, by, n } => {
            let (m, d) = split(m, d, n);
            shift_right(d, at(m, a, n), m[by as usize].min(64 * u64::from(n)), 0, 0);
        }
        Instr::SarW { d, a, by, n, cut } => {
            let (m, d) = split(m, d, n);
            let fill = (signed(m[(a + n - 1) as usize], cut) >> 63) as u64;
            shift_right(d, at(m, a, n), m[by as usize].min(64 * u64::from(n)), fill, cut);
            trim(d, cut);
        }
        Instr::SliceW { d, a, lsb, have, n, cut } => {
            let (m, d) = split(m, d, n);
            shift_right(d, at(m, a, have), u64::from(lsb), 0, 0);
            trim(d, cut);
        }
        Instr::Spread { d, a, n, cut } => {
            let fill = 0u64.wrapping_sub(m[a as usize] & 1);
            let (_, d) = split(m, d, n);
            d.fill(fill);
            trim(d, cut);
        }
        Instr::Saturate { d, a, n } => {
            let words = at(m, a, n);
            m[d as usize] = if words[1..].iter().all(|w| *w == 0) { words[0] } else { u64::MAX };
        }
        Instr::Place { d, at: by, a, n, cut } => {
            let (m, d) = m.split_at_mut(d as usize);
            let a = at(m, a, n);
            for i in 0..a.len() {
                d[i] |= a[i] << by;
                if i + 1 < a.len() || by > cut {
                    d[i + 1] |= a[i] >> (64 - by);
                }
            }
        }
        Instr::AllW { d, a, n, cut } => {
            let (last, rest) = at(m, a, n).split_last().expect("at least one word");
            m[d as usize] = u64::from(*last == u64::MAX >> cut && rest.iter().all(|w| *w == u64::MAX));
        }
        Instr::AnyW { d, a, n } => m[d as usize] = u64::from(at(m, a, n).iter().any(|w| *w != 0)),
        Instr::ParityW { d, a, n } => {
            m[d as usize] = u64::from(at(m, a, n).iter().fold(0, |x, w| x ^ w).count_ones() & 1);
        }
        ref other => unreachable!("{other:?} works on one word"),
    }
}

/// `d` = `a` shifted right; bits that `a` does not have (its last word lacks `cut`) are those of `fill`.
fn shift_right(d: &mut [u64], a: &[u64], by: u64, fill: u64, cut: u8) {
    let (skip, by) = ((by / 64) as usize, by % 64);
    let last = a.len() - 1;
    let word = |i: usize| match i {
        _ if i < last => a[i],
        _ if i == last && cut > 0 => a[i] | fill << (64 - cut),
        _ if i == last => a[i],
        _ => fill,
    };
    for (i, d) in d.iter_mut().enumerate() {
        let high = if by == 0 { 0 } else { word(i + skip + 1) << (64 - by) };
        *d = word(i + skip) >> by | high;
    }
}
