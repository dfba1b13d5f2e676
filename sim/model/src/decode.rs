//! Frames for people: named fields with offset, bytes and meaning.

use crate::check;
use crate::parse::{ICMP, TCP, UDP, pair};

/// One field of a frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// The name by the field's standard, with `quoted_` before it inside an ICMP error.
    pub name: String,
    /// Offset of its first byte in the frame. Fields smaller than a byte share an offset.
    pub offset: usize,
    /// The bytes it stands in.
    pub bytes: Vec<u8>,
    /// What it says.
    pub value: String,
}

/// Every field of `frame`, in order. Any bytes decode: what is cut off is called so, what is unknown is `payload`.
pub fn decode(frame: &[u8]) -> Vec<Field> {
    let mut reader = Reader { frame, at: 0, end: frame.len(), prefix: "", fields: Vec::new() };
    if reader.ethernet().is_none() {
        reader.rest("cut_off");
    }
    reader.rest("payload");
    reader.end = frame.len();
    reader.rest("padding");
    reader.fields
}

/// Reads on from `at`; `None`: the header is cut off at `end`.
struct Reader<'f> {
    frame: &'f [u8],
    at: usize,
    /// Where the present layer ends.
    end: usize,
    prefix: &'static str,
    fields: Vec<Field>,
}

impl<'f> Reader<'f> {
    fn push(&mut self, name: &str, length: usize, value: String) {
        let bytes = self.frame[self.at..self.at + length].to_vec();
        self.fields.push(Field { name: format!("{}{name}", self.prefix), offset: self.at, bytes, value });
    }

    /// The next `length` bytes as a field.
    fn take(&mut self, name: &str, length: usize, show: impl FnOnce(&[u8]) -> String) -> Option<&'f [u8]> {
        if length > self.end.saturating_sub(self.at) {
            return None;
        }
        let bytes = &self.frame[self.at..self.at + length];
        self.push(name, length, show(bytes));
        self.at += length;
        Some(bytes)
    }

    fn number(&mut self, name: &str, length: usize) -> Option<usize> {
        self.take(name, length, |bytes| value(bytes).to_string()).map(value)
    }

    fn hex_number(&mut self, name: &str, length: usize) -> Option<usize> {
        self.take(name, length, |bytes| format!("0x{}", hex(bytes))).map(value)
    }

    /// What is left of the layer, if anything.
    fn rest(&mut self, name: &str) {
        let length = self.end.saturating_sub(self.at);
        if length > 0 {
            self.take(name, length, |bytes| format!("{} bytes", bytes.len()));
        }
    }

    fn ethernet(&mut self) -> Option<()> {
        self.take("eth_dst", 6, mac)?;
        self.take("eth_src", 6, mac)?;
        let mut ethertype = self.hex_number("ethertype", 2)?;
        while ethertype == 0x8100 || ethertype == 0x88a8 {
            self.take("vlan_tci", 2, |bytes| {
                let tci = pair(bytes, 0);
                format!("vid {} pcp {} dei {}", tci & 0xfff, tci >> 13, tci >> 12 & 1)
            })?;
            ethertype = self.hex_number("ethertype", 2)?;
        }
        match ethertype {
            0x0800 => self.ipv4(),
            0x86dd => self.ipv6(),
            0x0806 => self.arp(),
            _ => Some(()),
        }
    }

    fn arp(&mut self) -> Option<()> {
        self.hex_number("arp_hardware", 2)?;
        self.hex_number("arp_protocol", 2)?;
        self.hex_number("arp_lengths", 2)?;
        self.number("arp_operation", 2)?;
        self.take("arp_sender_mac", 6, mac)?;
        self.take("arp_sender_ip", 4, v4)?;
        self.take("arp_target_mac", 6, mac)?;
        self.take("arp_target_ip", 4, v4)?;
        self.end = self.at;
        Some(())
    }

    fn ipv4(&mut self) -> Option<()> {
        let start = self.at;
        let first =
            self.take("ipv4_version_ihl", 1, |bytes| format!("version {} ihl {}", bytes[0] >> 4, bytes[0] & 15))?[0];
        self.take("ipv4_tos", 1, |bytes| format!("dscp {} ecn {}", bytes[0] >> 2, bytes[0] & 3))?;
        let total = self.number("ipv4_total_length", 2)?;
        self.hex_number("ipv4_id", 2)?;
        let fragment = self.take("ipv4_fragment", 2, |bytes| {
            let word = pair(bytes, 0);
            let flag = |bit: u16, name: &'static str| if word >> bit & 1 == 1 { name } else { "" };
            format!("offset {}{}{}{}", word & 0x1fff, flag(15, " reserved"), flag(14, " DF"), flag(13, " MF"))
        })?;
        self.number("ipv4_ttl", 1)?;
        let protocol = self.number("ipv4_protocol", 1)?;
        let header = 4 * usize::from(first & 15);
        let verdict = check::header(self.frame.get(start..start + header.max(20)), 10);
        self.take("ipv4_checksum", 2, |bytes| format!("0x{}{verdict}", hex(bytes)))?;
        self.take("ipv4_src", 4, v4)?;
        self.take("ipv4_dst", 4, v4)?;
        if header > 20 {
            self.take("ipv4_options", header - 20, hex)?;
        }
        self.end = self.end.min(start + total.max(header));
        let fragment = pair(fragment, 0) & 0x3fff;
        let whole = fragment == 0 && self.prefix.is_empty();
        let pseudo = whole.then(|| [self.frame[start + 12..start + 20].to_vec(), vec![0, protocol as u8]].concat());
        if fragment & 0x1fff == 0 { self.layer4(protocol as u8, pseudo) } else { Some(()) }
    }

    fn ipv6(&mut self) -> Option<()> {
        let start = self.at;
        self.hex_number("ipv6_version_class_flow", 4)?;
        let length = self.number("ipv6_payload_length", 2)?;
        let next = self.number("ipv6_next_header", 1)?;
        self.number("ipv6_hop_limit", 1)?;
        self.take("ipv6_src", 16, v6)?;
        self.take("ipv6_dst", 16, v6)?;
        self.end = self.end.min(self.at + length);
        let pseudo = [self.frame[start + 8..start + 40].to_vec(), vec![0, next as u8]].concat();
        match next {
            58 => self.icmp("icmpv6", Some(pseudo)),
            _ if next as u8 == ICMP => Some(()),
            _ => self.layer4(next as u8, Some(pseudo)),
        }
    }

    /// `pseudo`: addresses and protocol, where the checksum can be judged.
    fn layer4(&mut self, protocol: u8, pseudo: Option<Vec<u8>>) -> Option<()> {
        match protocol {
            UDP => self.udp(pseudo),
            TCP => self.tcp(pseudo),
            ICMP => self.icmp("icmp", pseudo.map(|_| Vec::new())),
            _ => Some(()),
        }
    }

    /// The checksum field of a layer that began at `start` and reaches to its length or the end.
    fn checksum(&mut self, name: &str, start: usize, length: usize, pseudo: Option<Vec<u8>>) -> Option<()> {
        let data = self.frame.get(start..start + length).filter(|_| start + length <= self.end);
        let verdict = check::segment(pseudo.as_deref(), data, self.at - start);
        self.take(name, 2, |bytes| format!("0x{}{verdict}", hex(bytes))).map(drop)
    }

    fn udp(&mut self, pseudo: Option<Vec<u8>>) -> Option<()> {
        let start = self.at;
        self.number("udp_src_port", 2)?;
        self.number("udp_dst_port", 2)?;
        let length = self.number("udp_length", 2)?;
        let none = self.frame.get(self.at..self.at + 2) == Some(&[0, 0]);
        self.checksum("udp_checksum", start, length, pseudo.filter(|_| !none))
    }

    fn tcp(&mut self, pseudo: Option<Vec<u8>>) -> Option<()> {
        let start = self.at;
        self.number("tcp_src_port", 2)?;
        self.number("tcp_dst_port", 2)?;
        self.number("tcp_seq", 4)?;
        self.number("tcp_ack", 4)?;
        let offset = self.take("tcp_offset_flags", 2, |bytes| {
            let names = ["FIN", "SYN", "RST", "PSH", "ACK", "URG", "ECE", "CWR", "AE"];
            let set: Vec<_> = (0..9).filter(|bit| pair(bytes, 0) >> bit & 1 == 1).map(|bit| names[bit]).collect();
            format!("data offset {} {}", bytes[0] >> 4, set.join(" "))
        })?[0];
        self.number("tcp_window", 2)?;
        let length = self.end.saturating_sub(start);
        self.checksum("tcp_checksum", start, length, pseudo)?;
        self.number("tcp_urgent", 2)?;
        let options = (4 * usize::from(offset >> 4)).saturating_sub(20);
        if options > 0 {
            self.take("tcp_options", options, hex)?;
        }
        Some(())
    }

    fn icmp(&mut self, name: &str, pseudo: Option<Vec<u8>>) -> Option<()> {
        let start = self.at;
        let kind = self.number(&format!("{name}_type"), 1)?;
        self.number(&format!("{name}_code"), 1)?;
        let length = self.end.saturating_sub(start);
        self.checksum(&format!("{name}_checksum"), start, length, pseudo)?;
        self.hex_number(&format!("{name}_rest"), 4)?;
        let error = match name {
            "icmp" => matches!(kind, 3 | 4 | 5 | 11 | 12),
            _ => kind < 128,
        };
        if error && self.prefix.is_empty() {
            self.prefix = "quoted_";
            let end = self.end;
            let read = if name == "icmp" { self.ipv4() } else { self.ipv6() };
            // What a quote cuts off is no fault.
            let rest = if read.is_some() { "payload" } else { "rest" };
            self.rest(rest);
            self.prefix = "";
            self.end = end;
        }
        Some(())
    }
}

fn value(bytes: &[u8]) -> usize {
    bytes.iter().fold(0, |value, &byte| value << 8 | usize::from(byte))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn mac(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(":")
}

fn v4(bytes: &[u8]) -> String {
    <[u8; 4]>::try_from(bytes).map_or_else(|_| hex(bytes), |octets| std::net::Ipv4Addr::from(octets).to_string())
}

fn v6(bytes: &[u8]) -> String {
    <[u8; 16]>::try_from(bytes).map_or_else(|_| hex(bytes), |octets| std::net::Ipv6Addr::from(octets).to_string())
}
