"""Does by scapy what the EM does to IPv4 frames, and says where the two differ.

Reads lines of JSON: {"side": "src"|"dst", "new": address, "given": [hex, …], "got": [hex, …]}. Every line is one datagram, in
fragments or whole. scapy takes it apart, replaces the address (in an ICMP error also the quoted one at the other end), takes one
hop off the TTL, computes every checksum afresh, and compares. Prints each difference, then how many datagrams of each kind were the
same, or could not be judged.
"""

import json
import sys
from collections import Counter

from scapy.compat import raw
from scapy.contrib.roce import BTH
from scapy.layers.inet import ICMP, IP, TCP, UDP, IPerror, TCPerror, UDPerror, defragment
from scapy.layers.l2 import Ether

OTHER = {"src": "dst", "dst": "src"}


def whole(frames):
    """One packet, whatever it came in."""
    packets = [Ether(bytes.fromhex(frame)) for frame in frames]
    if len(packets) == 1:
        return packets[0]
    joined = defragment(packets)
    assert len(joined) == 1, joined
    packet = joined[0]
    # What depends on the cut.
    packet[IP].len, packet[IP].chksum = None, None
    return Ether(raw(packet))


def renewed(packet, side, new):
    """The packet as its sender would have sent it with the other address, one hop further."""
    ip = packet[IP]
    setattr(ip, side, new)
    ip.ttl -= 1
    ip.chksum = None
    kind = "other"
    if BTH in packet:
        kind = "roce"
        if packet[UDP].chksum:
            packet[UDP].chksum = None
        packet[BTH].icrc = None
    elif TCP in packet:
        kind = "tcp"
        packet[TCP].chksum = None
    elif UDP in packet:
        kind = "udp"
        if packet[UDP].chksum:
            packet[UDP].chksum = None
    elif ICMP in packet:
        kind = "icmp"
        packet[ICMP].chksum = None
        if IPerror in packet:
            kind = "icmp error"
            quoted = packet[IPerror]
            complete = len(raw(quoted)) == quoted.len
            setattr(quoted, OTHER[side], new)
            quoted.chksum = None
            for layer in (TCPerror, UDPerror):
                if layer in packet and complete and packet[layer].chksum:
                    packet[layer].chksum = None
                elif layer in packet and not complete:
                    return None, "icmp error, cut off"
    return packet, kind


def main():
    kinds = Counter()
    for number, line in enumerate(sys.stdin):
        case = json.loads(line)
        wanted, kind = renewed(whole(case["given"]), case["side"], case["new"])
        if wanted is None:
            kinds["not judged " + kind] += 1
            continue
        got = whole(case["got"])
        if raw(wanted) != raw(got):
            print(f"{number} ({kind}):\n  given  {case['given']}\n  scapy  {raw(wanted).hex()}\n  model  {raw(got).hex()}")
            continue
        kinds["same " + kind + (" in fragments" if len(case["given"]) > 1 else "")] += 1
    for kind, count in sorted(kinds.items()):
        print(f"{kind}: {count}")


main()
