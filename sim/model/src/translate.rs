//! The outer header: source address and the checksums that cover it.

use crate::parse::{Ipv4, TCP, UDP, pair};
use crate::sum;

/// Applies `update` to the big-endian pair at `at`.
pub(crate) fn update(frame: &mut [u8], at: usize, update: impl FnOnce(u16) -> u16) {
    let new = update(pair(frame, at)).to_be_bytes();
    frame[at..at + 2].copy_from_slice(&new);
}

/// Replaces the source address by `outside`.
pub(crate) fn source(frame: &mut [u8], ip: &Ipv4, outside: [u8; 4]) {
    let (before, after) = (sum::words(&ip.source), sum::words(&outside));
    frame[ip.start + 12..ip.start + 16].copy_from_slice(&outside);
    update(frame, ip.start + 10, |old| sum::updated(old, before, after));
    if ip.carries(TCP) {
        update(frame, ip.payload + 16, |old| sum::updated(old, before, after));
    }
    if ip.carries(UDP) {
        update(frame, ip.payload + 6, |old| sum::updated_udp(old, before, after));
    }
}
