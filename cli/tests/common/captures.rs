//! Captures, byte by byte.

/// A UDP frame from 10.0.0.1 to 198.51.100.9 of this many bytes of payload, all checksums right.
pub fn udp_frame(payload: usize) -> Vec<u8> {
    let mut frame = vec![2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 8, 0];
    let mut ip = vec![0x45, 0];
    ip.extend((28 + payload as u16).to_be_bytes());
    ip.extend([0, 1, 0, 0, 64, 17, 0, 0, 10, 0, 0, 1, 198, 51, 100, 9]);
    let sum = !ones_sum(&ip);
    ip[10..12].copy_from_slice(&sum.to_be_bytes());
    let mut udp = vec![0x12, 0x34, 0x56, 0x78];
    udp.extend((8 + payload as u16).to_be_bytes());
    udp.extend([0, 0]);
    udp.extend((0..payload).map(|n| n as u8));
    let mut pseudo = ip[12..20].to_vec();
    pseudo.extend([0, 17]);
    pseudo.extend((8 + payload as u16).to_be_bytes());
    pseudo.extend(&udp);
    let sum = !ones_sum(&pseudo);
    udp[6..8].copy_from_slice(&sum.to_be_bytes());
    frame.extend(ip);
    frame.extend(udp);
    frame
}

/// RFC 1071.
pub fn ones_sum(bytes: &[u8]) -> u16 {
    let word = |pair: &[u8]| u32::from(pair[0]) << 8 | u32::from(*pair.get(1).unwrap_or(&0));
    let mut sum: u32 = bytes.chunks(2).map(word).sum();
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    sum as u16
}

/// A classic capture of this link type.
pub fn pcap(link_type: u32, frames: &[Vec<u8>]) -> Vec<u8> {
    let mut file = Vec::new();
    for word in [0xa1b2_c3d4, 0x0004_0002, 0, 0, 0x4_0000, link_type] {
        file.extend(u32::to_le_bytes(word));
    }
    for (n, frame) in frames.iter().enumerate() {
        for word in [1_700_000_000, n as u32, frame.len() as u32, frame.len() as u32] {
            file.extend(u32::to_le_bytes(word));
        }
        file.extend(frame);
    }
    file
}

/// The frames of a classic capture, with the length of each as its header has it.
pub fn pcap_frames(file: &[u8]) -> Vec<Vec<u8>> {
    let mut rest = &file[24..];
    let mut frames = Vec::new();
    while !rest.is_empty() {
        let length = u32::from_le_bytes(rest[8..12].try_into().unwrap()) as usize;
        frames.push(rest[16..16 + length].to_vec());
        rest = &rest[16 + length..];
    }
    frames
}

/// A pcapng with an interface of each name (`None`: without), and frames with the place of their interface.
pub fn pcapng(interfaces: &[Option<&str>], frames: &[(u32, Vec<u8>)]) -> Vec<u8> {
    let mut file = block(0x0a0d_0d0a, &[&0x1a2b_3c4d_u32.to_le_bytes()[..], &[1, 0, 0, 0], &[0xff; 8]].concat());
    for name in interfaces {
        let mut body = vec![1, 0, 0, 0, 0, 0, 4, 0];
        if let Some(name) = name {
            body.extend([2, 0]);
            body.extend((name.len() as u16).to_le_bytes());
            body.extend(padded(name.as_bytes()));
            body.extend([0; 4]);
        }
        file.extend(block(1, &body));
    }
    for (interface, frame) in frames {
        let mut body = Vec::new();
        for word in [*interface, 0x0006_0000, 0, frame.len() as u32, frame.len() as u32] {
            body.extend(word.to_le_bytes());
        }
        body.extend(padded(frame));
        file.extend(block(6, &body));
    }
    file
}

fn padded(bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    bytes
}

fn block(kind: u32, body: &[u8]) -> Vec<u8> {
    let length = (12 + body.len() as u32).to_le_bytes();
    [&kind.to_le_bytes()[..], &length, body, &length].concat()
}
