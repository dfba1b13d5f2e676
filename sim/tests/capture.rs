//! Captures in and out: what is written is read again, and whatever is wrong is said in a sentence.

use std::path::Path;

use em_sim::capture::{Capture, Interface, PcapFile, PcapngFile, read, read_bytes};
use pcap_file::pcap::PcapReader;
use pcap_file::pcapng::PcapNgReader;
use proptest::prelude::*;

const NAME: &str = "a.pcap";

/// A classic pcap with these fields and frames of 60 bytes.
fn pcap(link_type: u32, frames: usize) -> Vec<u8> {
    let mut bytes = vec![0xD4, 0xC3, 0xB2, 0xA1, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    bytes.extend(link_type.to_le_bytes());
    for index in 0..frames as u32 {
        for field in [7, index, 60, 60] {
            bytes.extend(field.to_le_bytes());
        }
        bytes.extend([index as u8; 60]);
    }
    bytes
}

fn block(kind: u32, body: &[u8], big: bool) -> Vec<u8> {
    let number = |value: u32| if big { value.to_be_bytes() } else { value.to_le_bytes() };
    let length = number(body.len().next_multiple_of(4) as u32 + 12);
    let mut bytes = [number(kind), length].concat();
    bytes.extend(body);
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    bytes.extend(length);
    bytes
}

/// A section with interfaces `fn3` (microseconds, no end of options) and one of link type 113, and three kinds of packet blocks.
fn pcapng(big: bool) -> Vec<u8> {
    let u32s = |values: &[u32]| -> Vec<u8> {
        values.iter().flat_map(|v| if big { v.to_be_bytes() } else { v.to_le_bytes() }).collect()
    };
    let u16s = |values: &[u16]| -> Vec<u8> {
        values.iter().flat_map(|v| if big { v.to_be_bytes() } else { v.to_le_bytes() }).collect()
    };
    let mut bytes = block(0x0A0D_0D0A, &[u32s(&[0x1A2B_3C4D]), u16s(&[1, 0]), vec![0xFF; 8]].concat(), big);
    bytes.extend(block(1, &[u16s(&[1, 0]), u32s(&[64]), u16s(&[2, 3]), b"fn3\0".to_vec()].concat(), big));
    bytes.extend(block(1, &[u16s(&[113, 0]), u32s(&[0]), u16s(&[9, 1]), vec![9, 0, 0, 0, 0, 0, 0, 0]].concat(), big));
    bytes.extend(block(5, &u32s(&[0, 1, 2]), big));
    bytes.extend(block(6, &[u32s(&[0, 0, 5, 3, 3]), vec![1, 2, 3]].concat(), big));
    bytes.extend(block(3, &[u32s(&[5]), vec![9; 5]].concat(), big));
    bytes.extend(block(2, &[u16s(&[0, 0]), u32s(&[1, 0, 4, 4]), vec![8; 4]].concat(), big));
    bytes
}

fn parse(bytes: &[u8]) -> Result<Capture, String> {
    read_bytes(bytes, Path::new(NAME)).map_err(|error| error.to_string())
}

#[test]
fn both_formats_are_read_in_both_byte_orders() {
    let capture = parse(&pcap(1, 3)).unwrap();
    assert_eq!(capture.frames.len(), 3);
    assert_eq!((capture.frames[2].time_ns, capture.frames[2].data[0]), (7_000_002_000, 2));
    assert_eq!(capture.interfaces, [Interface::default()]);
    assert!(parse(&pcap(1, 0)).unwrap().frames.is_empty());
    for big in [false, true] {
        let capture = parse(&pcapng(big)).unwrap();
        let data = capture.frames.iter().map(|frame| frame.data.as_slice()).collect::<Vec<_>>();
        assert_eq!(data, [&[1, 2, 3][..], &[9; 5], &[8; 4]]);
        assert_eq!((capture.frames[0].time_ns, capture.frames[2].time_ns), (5_000, (1 << 32) * 1_000));
        assert_eq!(capture.interfaces.iter().map(Interface::function).collect::<Vec<_>>(), [Some(3), None]);
    }
    let two_sections = [pcapng(false), pcapng(true)].concat();
    let capture = parse(&two_sections).unwrap();
    assert_eq!((capture.frames.len(), capture.frames[3].interface), (6, 2));
}

#[test]
fn a_function_is_named_by_its_interface() {
    let function = |name: &str| Interface { name: Some(name.into()) }.function();
    assert_eq!((function("fn0"), function("fn255"), function("fn4294967295")), (Some(0), Some(255), Some(u32::MAX)));
    for name in ["fn", "fn-1", "fn+1", "fn01", "fn4294967296", "eth0", "fn1x", "Fn1"] {
        assert_eq!(function(name), None, "{name}");
    }
}

#[test]
fn what_is_wrong_is_said_in_a_sentence() {
    let said = |bytes: &[u8]| parse(bytes).unwrap_err();
    assert_eq!(said(b"not a capture"), "a.pcap is not a pcap or pcapng capture: save it as pcap or pcapng.");
    assert_eq!(said(b""), "a.pcap is not a pcap or pcapng capture: it is empty.");
    assert!(said(&[0x1F, 0x8B, 8, 0]).contains("unpack it with gunzip"));
    let whole = pcap(1, 3);
    for (length, place) in
        [(10, "its header"), (25, "record 1"), (24 + 76 + 15, "record 2"), (whole.len() - 1, "record 3")]
    {
        let remedy = "Capture it again, or keep the whole records with `editcap -r`.";
        assert_eq!(said(&whole[..length]), format!("a.pcap is truncated: it ends within {place}. {remedy}"));
    }
    let remedy = "and only Ethernet is taken. Capture on an Ethernet interface (not `any`).";
    assert_eq!(said(&pcap(113, 1)), format!("a.pcap holds frames of link type LINUX_SLL (113), {remedy}"));
    assert_eq!(said(&pcap(9999, 1)), format!("a.pcap holds frames of link type 9999, {remedy}"));
    assert!(said(&pcap(0x4400_0001, 1)).contains("Ethernet with its frame check sequence"));
    let changed = |at: usize, value: u32| {
        let mut bytes = whole.clone();
        bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
        said(&bytes)
    };
    let cut = changed(24 + 76 + 12, 1500);
    assert_eq!(
        cut,
        "record 2 of a.pcap holds only 60 of the frame's 1500 bytes. Capture again with the snap length 0 (`tcpdump -s 0`)."
    );
    assert!(changed(24 + 8, u32::MAX).starts_with("record 1 of a.pcap claims 4294967295 bytes."));
    assert!(changed(24 + 12, 59).starts_with("record 1 of a.pcap holds 60 bytes of a frame of 59."));

    let whole = pcapng(false);
    let cut = &whole[..whole.len() - 4];
    assert!(said(cut).contains("ends within record 3"), "{}", said(cut));
    let no_interface = [&whole[..28], &block(6, &[9, 0, 0, 0], false)].concat();
    assert!(said(&no_interface).starts_with("record 1 of a.pcap names an interface that is not described."));
    let other_link = [&whole[..], &block(6, &[1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 7], false)];
    assert!(said(&other_link.concat()).contains("LINUX_SLL (113)"));
    let said = read(Path::new("/nowhere/x.pcap")).unwrap_err().to_string();
    assert!(said.starts_with("/nowhere/x.pcap: ") && said.ends_with("Check the name and the permissions."), "{said}");
}

#[test]
fn written_files_are_read_again_here_and_by_another_reader() {
    let dir = tempfile::tempdir().unwrap();
    let (classic, named) = (dir.path().join("net0.pcap"), dir.path().join("punt.pcapng"));
    let frames = (1..50u8).map(|index| vec![index; usize::from(index) * 7]).collect::<Vec<_>>();
    let mut pcap = PcapFile::create(&classic).unwrap();
    let mut pcapng = PcapngFile::create(&named).unwrap();
    for (index, frame) in frames.iter().enumerate() {
        let time = 1_700_000_000_000_000_000 + index as u64;
        pcap.write(time, frame).unwrap();
        let interface = if index < 2 { pcapng.interface(&format!("fn{}", 4 * index)).unwrap() } else { 1 };
        pcapng.write(interface, time, frame, (index % 2 == 0).then_some("ttl")).unwrap();
    }
    assert!(pcapng.write(2, 0, &[0], None).unwrap_err().to_string().contains("interface 2 was not added"));
    assert!(!classic.exists() && !named.exists(), "no name before the end");
    pcap.finish().unwrap();
    pcapng.finish().unwrap();

    let (classic_read, named_read) = (read(&classic).unwrap(), read(&named).unwrap());
    for capture in [&classic_read, &named_read] {
        assert!(capture.frames.iter().map(|frame| &frame.data).eq(&frames));
        assert_eq!(capture.frames[48].time_ns, 1_700_000_000_000_000_048);
    }
    assert_eq!(named_read.interfaces.iter().map(Interface::function).collect::<Vec<_>>(), [Some(0), Some(4)]);
    assert_eq!((named_read.frames[0].interface, named_read.frames[5].interface), (0, 1));

    let mut other = PcapReader::new(std::fs::File::open(&classic).unwrap()).unwrap();
    let mut count = 0;
    while let Some(packet) = other.next_packet() {
        assert_eq!(packet.unwrap().data, frames[count]);
        count += 1;
    }
    let mut other = PcapNgReader::new(std::fs::File::open(&named).unwrap()).unwrap();
    while let Some(block) = other.next_block() {
        block.unwrap();
    }
    let begun = PcapFile::create(&dir.path().join("given-up.pcap")).unwrap();
    drop(begun);
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 2, "a file given up leaves nothing");
    let said = PcapFile::create(&dir.path().join("none/x.pcap")).err().unwrap().to_string();
    assert!(said.contains("none/x.pcap cannot be written"), "{said}");
}

#[test]
fn the_project_s_capture_is_read() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../testbench/captures/kernel-mix.pcap");
    assert!(!read(&path).unwrap().frames.is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn arbitrary_bytes_never_panic(magic in 0..6usize, bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let magics: [&[u8]; 6] = [
            &[], &[0xD4, 0xC3, 0xB2, 0xA1], &[0xA1, 0xB2, 0x3C, 0x4D], &[0x0A, 0x0D, 0x0D, 0x0A],
            &pcapng(false)[..28], &pcapng(true)[..28],
        ];
        let _ = parse(&[magics[magic], &bytes].concat());
    }

    #[test]
    fn changed_and_cut_files_never_panic(
        kind in 0..3,
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
        keep in any::<prop::sample::Index>(),
    ) {
        let mut bytes = match kind { 0 => pcap(1, 4), 1 => pcapng(false), _ => pcapng(true) };
        for (at, value) in edits {
            let at = at.index(bytes.len());
            bytes[at] = value;
        }
        let _ = parse(&bytes);
        let _ = parse(&bytes[..keep.index(bytes.len())]);
    }

    #[test]
    fn a_cut_file_is_told_to_be_truncated(keep in any::<prop::sample::Index>()) {
        let whole = pcap(1, 4);
        let length = 4 + keep.index(whole.len() - 4);
        let end_of_record = length >= 24 && (length - 24).is_multiple_of(76);
        prop_assert_eq!(parse(&whole[..length]).is_ok(), end_of_record);
    }
}
