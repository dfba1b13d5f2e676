//! What people read: decoded frames and differences.

mod common;

use common::{INSIDE, OUTSIDE, PEER, Packet, udp};
use em_model::{decode, diff};

#[test]
fn a_difference_marks_the_fields() {
    let packet = |src| Packet { src, ..Packet::new(17, udp(5000, b"data")) }.sealed(6, 0);
    let expected = packet(OUTSIDE).frame(&[0x8100]);
    let mut got = expected.clone();
    got[30..34].copy_from_slice(&INSIDE);
    got[48] ^= 1;
    let text = diff(&expected, &got);
    println!("{text}");
    let wanted = "\
expected 50 bytes, got 50; first difference at byte 30
  byte  field                    expected                                  got
     0  eth_dst                  02:00:00:00:00:01                         02:00:00:00:00:01
     6  eth_src                  02:00:00:00:00:0a                         02:00:00:00:00:0a
    12  ethertype                0x8100                                    0x8100
    14  vlan_tci                 vid 100 pcp 1 dei 0                       vid 100 pcp 1 dei 0
    16  ethertype                0x0800                                    0x0800
    18  ipv4_version_ihl         version 4 ihl 5                           version 4 ihl 5
    19  ipv4_tos                 dscp 0 ecn 0                              dscp 0 ecn 0
    20  ipv4_total_length        32                                        32
    22  ipv4_id                  0x1234                                    0x1234
    24  ipv4_fragment            offset 0                                  offset 0
    26  ipv4_ttl                 64                                        64
    27  ipv4_protocol            17                                        17
    28  ipv4_checksum            0x0259 (correct)                          0x0259 (wrong, should be 0x7c54)
*   30  ipv4_src                 203.0.113.5                               192.0.2.10
    34  ipv4_dst                 198.51.100.7                              198.51.100.7
    38  udp_src_port             4000                                      4000
    40  udp_dst_port             5000                                      5000
    42  udp_length               12                                        12
    44  udp_checksum             0x9daa (correct)                          0x9daa (wrong, should be 0x16a6)
*   46  payload                  4 bytes, from 48: 7461                    4 bytes, from 48: 7561
";
    assert_eq!(text, wanted);
}

#[test]
fn quoted_fields_are_named_so() {
    let quote = Packet { src: PEER, dst: INSIDE, ..Packet::new(17, udp(5000, b"data")) }.bytes();
    let mut icmp = vec![3, 3, 0, 0, 0, 0, 0, 0];
    icmp.extend(&quote[..28]);
    let mut frame = Packet::new(1, icmp).frame(&[]);
    frame.extend([0; 4]);
    let names: Vec<_> = decode(&frame).into_iter().map(|field| field.name).collect();
    for name in ["icmp_type", "quoted_ipv4_dst", "quoted_udp_checksum", "padding"] {
        assert!(names.iter().any(|found| found == name), "{name} in {names:?}");
    }
    assert!(!names.contains(&"cut_off".to_owned()));
    assert_eq!(decode(&frame[..20]).last().unwrap().name, "ipv4_id");
    assert_eq!(decode(&frame[..21]).last().unwrap().name, "cut_off");
}
