//! What the expressions of a circuit without state mean, worked out on big integers: an opinion that shares no code
//! with the language, so that a fault of its operators or of their simplification is seen too.

use super::ast::*;
use hdl::Value;
use num_bigint::{BigInt, BigUint, Sign};

/// The outputs of a circuit of one module with lets only, for one row of inputs.
///
/// # Panics
/// If the circuit has anything else in it.
pub fn reference(circuit: &Circuit, row: &[Value]) -> Vec<Value> {
    let m = circuit.top();
    let mut lets: Vec<BigUint> = Vec::new();
    let inputs: Vec<BigUint> = row.iter().map(|v| BigUint::from_bytes_le(&v.to_bytes())).collect();
    for item in &m.items {
        let Item::Let(e, _) = item else { panic!("only lets have a value without a clock") };
        let value = eval(e, &inputs, &lets);
        lets.push(value);
    }
    let value = |output: &Output| {
        let Output::Wire(e) = output else { panic!("only wires have a value without a clock") };
        Value::from_bytes(e.width(), &eval(e, &inputs, &lets).to_bytes_le())
    };
    m.outputs.iter().map(value).collect()
}

fn ones(width: u32) -> BigUint {
    (BigUint::from(1u8) << width) - 1u8
}

fn cut(v: BigUint, width: u32) -> BigUint {
    v & ones(width)
}

fn signed(v: &BigUint, width: u32) -> BigInt {
    let v = BigInt::from_biguint(Sign::Plus, v.clone());
    if v.bit(u64::from(width) - 1) { v - (BigInt::from(1) << width) } else { v }
}

/// Modulo 2^width.
fn wrap(v: BigInt, width: u32) -> BigUint {
    let modulus = BigInt::from(1) << width;
    let rest = ((v % &modulus) + &modulus) % modulus;
    rest.to_biguint().expect("made positive above")
}

fn truth(b: bool) -> BigUint {
    BigUint::from(u8::from(b))
}

fn eval(e: &Expr, inputs: &[BigUint], lets: &[BigUint]) -> BigUint {
    let get = |e: &Expr| eval(e, inputs, lets);
    let w = e.width();
    match e {
        Expr::Const(v) => BigUint::from_bytes_le(&v.to_bytes()),
        Expr::Read(Src::Input(i), _) => inputs[*i].clone(),
        Expr::Read(Src::Item(i), _) => lets[*i].clone(),
        Expr::Read(Src::Pin(..), _) | Expr::Param(_) | Expr::Is(..) => panic!("not in a circuit without state"),
        Expr::Un(op, a) => unary(*op, &get(a), a.width(), w),
        Expr::Bin(op, a, b) => binary(*op, (&get(a), a.width()), (&get(b), b.width()), w),
        Expr::Mux(c, t, f) => get(if get(c) == truth(true) { t } else { f }),
        Expr::Select(i, options) => {
            let i = usize::try_from(get(i)).expect("an index is small");
            get(&options[i.min(options.len() - 1)])
        }
        Expr::Cat(parts) => parts.iter().fold(BigUint::ZERO, |acc, p| (acc << p.width()) | get(p)),
    }
}

fn unary(op: Un, a: &BigUint, from: u32, w: u32) -> BigUint {
    match op {
        Un::Not => ones(w) - a,
        Un::Zext(_) => a.clone(),
        Un::Sext(_) => wrap(signed(a, from), w),
        Un::Slice(lo, _) => cut(a >> lo, w),
        Un::Repeat(n) => (0..n).fold(BigUint::ZERO, |acc, _| (acc << from) | a),
        Un::Shl(n) => cut(a << n, w),
        Un::Shr(n) => a >> n,
        Un::Sar(n) => wrap(signed(a, w) >> n, w),
        Un::SwapBytes => (0..from / 8).fold(BigUint::ZERO, |acc, i| (acc << 8) | cut(a >> (8 * i), 8)),
        Un::All => truth(*a == ones(from)),
        Un::Any => truth(*a != BigUint::ZERO),
        Un::Parity => truth(a.count_ones() % 2 == 1),
        Un::Negative => truth(a.bit(u64::from(from) - 1)),
        Un::Abs => wrap(BigInt::from_biguint(Sign::Plus, signed(a, from).magnitude().clone()), w),
    }
}

fn binary(op: Bin, (a, aw): (&BigUint, u32), (b, bw): (&BigUint, u32), w: u32) -> BigUint {
    let (x, y) = (signed(a, aw), signed(b, bw));
    let plain = |v: &BigUint| BigInt::from_biguint(Sign::Plus, v.clone());
    // Any amount beyond the width shifts everything out.
    let amount = u32::try_from(b.clone()).unwrap_or(u32::MAX).min(w);
    match op {
        Bin::And => a & b,
        Bin::Or => a | b,
        Bin::Xor => a ^ b,
        Bin::Add | Bin::GrowAdd => cut(a + b, w),
        Bin::Sub | Bin::GrowSub => wrap(plain(a) - plain(b), w),
        Bin::Mul => a * b,
        Bin::SMul => wrap(x * y, w),
        Bin::SGrowAdd => wrap(x + y, w),
        Bin::SGrowSub => wrap(x - y, w),
        Bin::Eq => truth(a == b),
        Bin::Ne => truth(a != b),
        Bin::Lt => truth(a < b),
        Bin::Ge => truth(a >= b),
        Bin::Gt => truth(a > b),
        Bin::Le => truth(a <= b),
        Bin::SLt => truth(x < y),
        Bin::SGe => truth(x >= y),
        Bin::ShlBy => cut(a << amount, w),
        Bin::ShrBy => a >> amount,
        Bin::SarBy => wrap(x >> amount, w),
    }
}
