//! The memories that the tests sweep over.
#![allow(dead_code)] // each test takes what it needs

pub mod bench;

use hdl::{Collision, MemSpec, Value, memory::MemKind};

/// A memory of latency 1 whose collisions are undefined, without lanes or contents, on one clock.
pub fn plain(kind: MemKind, depth: u32, width: u32) -> MemSpec {
    let (latency, collision) = match kind {
        MemKind::Distributed => (0, Collision::Old),
        MemKind::TrueDual => (1, Collision::NoChange),
        _ => (1, Collision::Undefined),
    };
    MemSpec { kind, depth, width, latency, collision, lane: None, two_clocks: false, init: None, output_enable: false }
}

/// `n` words of `width` bits that all differ.
pub fn words(n: u32, width: u32) -> Vec<Value> {
    let word = |i: u32| {
        let bytes: Vec<u8> = (0..width.div_ceil(8)).map(|b| (i * 37 + b * 11 + (i >> 8) + 1) as u8).collect();
        Value::from_bytes(width, &bytes)
    };
    (0..n).map(word).collect()
}

/// Every kind, latency, collision policy, lane width and clocking that a memory can have, at the given size.
pub fn sweep(depth: u32, width: u32) -> Vec<MemSpec> {
    use Collision::*;
    let mut all = vec![
        plain(MemKind::Distributed, depth, width),
        MemSpec { two_clocks: true, ..plain(MemKind::Distributed, depth, width) },
        MemSpec { lane: Some(width), ..plain(MemKind::Distributed, depth, width) },
    ];
    let lanes = [None, Some(width), width.is_multiple_of(8).then_some(8), Some(1)];
    for latency in [1, 2] {
        all.push(MemSpec { latency, init: Some(words(depth, width)), ..plain(MemKind::Rom, depth, width) });
        all.push(MemSpec { latency, init: Some(words(depth / 2, width)), ..plain(MemKind::Rom, depth, width) });
        for (kind, policies) in [
            (MemKind::SimpleDual, [Undefined, Old, New].as_slice()),
            (MemKind::TrueDual, &[NoChange, Undefined, Old, New]),
        ] {
            for collision in policies {
                for two_clocks in [false, true] {
                    if two_clocks && kind == MemKind::SimpleDual && *collision != Undefined {
                        continue;
                    }
                    for lane in lanes.iter().enumerate().filter(|(i, l)| *i == 0 || l.is_some()).map(|(_, l)| *l) {
                        if latency == 2 && kind == MemKind::SimpleDual {
                            let shape = plain(kind, depth, width);
                            all.push(MemSpec {
                                latency,
                                collision: *collision,
                                lane,
                                two_clocks,
                                output_enable: true,
                                ..shape
                            });
                        }
                        for init in [None, Some(words(depth, width))] {
                            all.push(MemSpec {
                                latency,
                                collision: *collision,
                                lane,
                                two_clocks,
                                init,
                                ..plain(kind, depth, width)
                            });
                        }
                    }
                }
            }
        }
    }
    all
}
