//! The parser against a decoder of bytes: every width, both directions, random frames with random gaps between beats.

mod decode;
mod frames;
mod rig;
mod waveforms;

use em_rtl::{
    packet::{Direction, Headers, Size},
    parse::{Align, Extract, HeaderSum, Parse},
};
use frames::{Ipv4, Maker};
use hdl::Bundle;
use rig::Rig;
use std::collections::BTreeSet;

const WIDTHS: [u32; 4] = [64, 128, 256, 512];
const DIRECTIONS: [Direction; 2] = [Direction::Tx, Direction::Rx];

fn every(mut f: impl FnMut(Size, Direction)) {
    for data_w in WIDTHS {
        for direction in DIRECTIONS {
            f(Size { data_w, beats_w: 11, icrc_w: 0 }, direction);
        }
    }
}

#[test]
fn no_output_depends_combinationally_on_an_input() {
    every(|size, direction| {
        hdl::check::assert_no_combinational_paths(&Parse { size, direction });
        hdl::check::assert_no_combinational_paths(&Align { size, direction });
        hdl::check::assert_no_combinational_paths(&Extract { size, direction });
        hdl::check::assert_no_combinational_paths(&HeaderSum { data_w: size.data_w });
    });
}

#[test]
fn other_widths_are_refused() {
    let errors =
        hdl::elaborate(&Parse { size: Size { data_w: 1024, beats_w: 8, icrc_w: 0 }, direction: Direction::Tx });
    let errors = errors.unwrap_err().to_string();
    assert!(errors.contains("size.data_w = 1024: choose 64, 128, 256 or 512"), "{errors}");
}

#[test]
fn random_frames_without_gaps() {
    every(|size, direction| {
        let mut rig = Rig::new(size, direction, 1);
        let mut maker = Maker::new(u64::from(size.data_w));
        for _ in 0..1500 {
            rig.send(maker.frame());
        }
        rig.run(0);
    });
}

#[test]
fn random_frames_with_gaps() {
    every(|size, direction| {
        let mut rig = Rig::new(size, direction, 2);
        let mut maker = Maker::new(7 * u64::from(size.data_w));
        for gaps in [10, 50, 90] {
            for _ in 0..300 {
                rig.send(maker.frame());
            }
            rig.run(gaps);
        }
    });
}

#[test]
fn a_frame_a_clock() {
    every(|size, direction| {
        let mut rig = Rig::new(size, direction, 8);
        let mut maker = Maker::new(8);
        for _ in 0..400 {
            let mut frame = maker.frame();
            frame.truncate(size.lanes() as usize);
            rig.send(frame);
        }
        rig.run(0);
        // At 512 bits such a frame can have a whole header.
        assert_eq!(rig.good > 50, size.data_w == 512, "{}", rig.good);
    });
}

#[test]
fn every_length_behind_every_length() {
    every(|size, direction| {
        let mut rig = Rig::new(size, direction, 3);
        let mut maker = Maker::new(3);
        for length in 1..150 {
            let frame = maker.datagram().bytes();
            rig.send(frame[..length.min(frame.len())].to_vec());
            rig.send(maker.bytes(150 - length));
        }
        rig.run(0);
    });
}

#[test]
fn every_header_length_and_number_of_tags_has_its_fields() {
    every(|size, direction| {
        let mut rig = Rig::new(size, direction, 4);
        let mut maker = Maker::new(4);
        for ihl in 0..16 {
            for tags in 0..4 {
                for protocol in [1, 6, 17] {
                    let datagram = Ipv4 { ihl, tags, protocol, payload: 70, ..maker.datagram() };
                    rig.send(datagram.bytes());
                }
            }
        }
        rig.run(0);
        // All of them, but what comes from outside.
        let leaves = Headers::shape(size, direction).leaves();
        let all = leaves.iter().map(|(at, _)| at.name.as_str()).filter(|n| *n != "valid" && !n.starts_with("end_"));
        let seen: BTreeSet<&str> = rig.seen.iter().map(|(_, name)| *name).collect();
        assert_eq!(seen, all.collect());
    });
}

#[test]
fn a_checksum_is_good_or_not_for_every_header_length() {
    every(|size, direction| {
        let mut rig = Rig::new(size, direction, 5);
        let mut maker = Maker::new(5);
        for ihl in 5..16u8 {
            for tags in 0..3 {
                let good = Ipv4 { ihl, tags, wrong: None, ..maker.datagram() }.bytes();
                let begins = 14 + 4 * tags;
                rig.send(good.clone());
                for byte in begins..begins + 4 * usize::from(ihl) {
                    for bit in [0, 7] {
                        let mut bad = good.clone();
                        bad[byte] ^= 1 << bit;
                        rig.send(bad);
                    }
                }
                // What follows the header does not matter, nor what is in front of it.
                for byte in [0, begins - 3, begins + 4 * usize::from(ihl)] {
                    let mut other = good.clone();
                    other[byte] ^= 0xFF;
                    rig.send(other);
                }
            }
        }
        rig.run(0);
        assert!(rig.good > 100 && rig.wrong > 2000);
    });
}

#[test]
fn sums_with_all_carries_are_folded() {
    every(|size, direction| {
        let mut rig = Rig::new(size, direction, 6);
        for ihl in 5..16u8 {
            for fill in [0xFF, 0xFE, 0x00, 0x01] {
                for seed in 0..3 {
                    let datagram = Ipv4 { ihl, wrong: None, ..Maker::new(seed).datagram() };
                    rig.send(datagram.filled(fill));
                }
            }
        }
        rig.run(20);
        assert!(rig.good >= 60);
    });
}
