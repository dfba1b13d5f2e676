//! ICMP errors (RFC 792) and the datagram they quote.

use crate::PuntReason;
use crate::parse::{ICMP, Ipv4, TCP, UDP, UNSUPPORTED, pair};
use crate::sum;
use crate::translate::{Change, update};

/// Destination unreachable, source quench, redirect, time exceeded, parameter problem (RFC 1122 section 3.2.2).
const ERRORS: [u8; 5] = [3, 4, 5, 11, 12];
/// Bytes of an ICMP error before the quoted header.
const ICMP_HEADER: usize = 8;
/// Bytes of a quoted header without options.
const HEADER: usize = 20;

/// Whether the packet is an ICMP error, as far as its type says.
pub(crate) fn is_error(frame: &[u8], ip: &Ipv4) -> bool {
    ip.carries(ICMP) && ERRORS.contains(&frame[ip.payload])
}

/// Step 21: the quoted header is cut off or none.
pub(crate) fn malformed(frame: &[u8], ip: &Ipv4) -> bool {
    if ip.payload_len() < ICMP_HEADER + HEADER {
        return true;
    }
    let first = frame[ip.payload + ICMP_HEADER];
    first / 16 != 4 || first % 16 < 5
}

/// Steps 35 to 37, then the rewrite. The tenant is at the other end of the quoted datagram: the address that `change`
/// replaces as outer source stands there as destination, and the reverse.
pub(crate) fn translate(frame: &mut [u8], ip: &Ipv4, change: &Change) -> Result<(), PuntReason> {
    let own = change.side.other().offset();
    let icmp = &mut frame[ip.payload..ip.end];
    let unchanged = sum::words(icmp);
    let (head, quote) = icmp.split_at_mut(ICMP_HEADER);
    if quote[0] % 16 > 5 {
        return Err(PuntReason::IcmpQuoteOptions);
    }
    let protocol = quote[9];
    if UNSUPPORTED.contains(&protocol) {
        return Err(PuntReason::UnsupportedL4);
    }
    if quote[own..own + 4] != change.old {
        return Err(PuntReason::IcmpQuoteAddress);
    }
    let (before, after) = (sum::words(&change.old), sum::words(&change.new));
    quote[own..own + 4].copy_from_slice(&change.new);
    update(quote, 10, |old| sum::updated(old, before, after));
    let has_l4 = pair(quote, 6) & 0x1fff == 0;
    // RFC 792 asks for 64 bits behind the header; the TCP checksum lies beyond, so it is there only sometimes.
    if has_l4 && protocol == UDP && quote.len() >= HEADER + 8 {
        update(quote, HEADER + 6, |old| sum::updated_udp(old, before, after));
    }
    if has_l4 && protocol == TCP && quote.len() >= HEADER + 18 {
        update(quote, HEADER + 16, |old| sum::updated(old, before, after));
    }
    let rewritten = sum::words(head) + sum::words(quote);
    update(head, 2, |old| sum::updated(old, unchanged, rewritten));
    Ok(())
}
