//! The outer headers: address, the checksums that cover it, TTL and MAC addresses.

use crate::parse::{Ipv4, TCP, UDP, pair};
use crate::sum;

/// Which of a header's two addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Source,
    Destination,
}

impl Side {
    /// Offset of the address in an IPv4 header.
    pub fn offset(self) -> usize {
        match self {
            Side::Source => 12,
            Side::Destination => 16,
        }
    }

    pub fn other(self) -> Side {
        match self {
            Side::Source => Side::Destination,
            Side::Destination => Side::Source,
        }
    }
}

/// An address that becomes another.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Change {
    pub side: Side,
    pub old: [u8; 4],
    pub new: [u8; 4],
}

/// Applies `update` to the big-endian pair at `at`.
pub(crate) fn update(frame: &mut [u8], at: usize, update: impl FnOnce(u16) -> u16) {
    let new = update(pair(frame, at)).to_be_bytes();
    frame[at..at + 2].copy_from_slice(&new);
}

/// Replaces the address in the outer header.
pub(crate) fn address(frame: &mut [u8], ip: &Ipv4, change: &Change) {
    let (before, after) = (sum::words(&change.old), sum::words(&change.new));
    let at = ip.start + change.side.offset();
    frame[at..at + 4].copy_from_slice(&change.new);
    update(frame, ip.start + 10, |old| sum::updated(old, before, after));
    if ip.carries(TCP) {
        update(frame, ip.payload + 16, |old| sum::updated(old, before, after));
    }
    if ip.carries(UDP) {
        update(frame, ip.payload + 6, |old| sum::updated_udp(old, before, after));
    }
}

/// One hop less. The TTL is 1 or more.
pub(crate) fn hop(frame: &mut [u8], ip: &Ipv4) {
    let word = ip.start + 8;
    let before = sum::words(&frame[word..word + 2]);
    frame[word] -= 1;
    let after = sum::words(&frame[word..word + 2]);
    update(frame, ip.start + 10, |old| sum::updated(old, before, after));
}
