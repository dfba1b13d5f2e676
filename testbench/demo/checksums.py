"""Recomputes every IPv4, TCP, UDP and ICMP checksum of a capture with scapy, from the bytes alone.

Prints one line a wrong checksum, then counts: `ip N tcp N udp N udp_without N icmp N whole N lone_fragments N`.
Fragments are put together first (whole: how many datagrams); those without the rest have no checksum to judge.
"""

import sys

from scapy.all import ICMP, IP, TCP, UDP, Ether, Raw, defragment, rdpcap

counts = dict.fromkeys(["ip", "tcp", "udp", "udp_without", "icmp", "whole", "lone_fragments"], 0)


def remade(packet, layer):
    """The checksum that scapy gives a layer of which it knows everything but that."""
    copy = packet.copy()
    del copy[layer].chksum
    return IP(bytes(copy))[layer].chksum


def check(number, packet, layer, name):
    there, right = packet[layer].chksum, remade(packet, layer)
    # RFC 768: a UDP checksum that computes to 0 is sent as FFFF.
    if layer is UDP and right == 0:
        right = 0xFFFF
    counts[name] += 1
    if there != right:
        print(f"datagram {number}: {name} checksum is {there:#06x}, should be {right:#06x}")


datagrams = []
for number, frame in enumerate(rdpcap(sys.argv[1]), 1):
    frame = Ether(bytes(frame))
    if IP not in frame:
        continue
    packet = frame[IP].copy()
    # Ethernet's padding is not the datagram's.
    packet = IP(bytes(packet)[: packet.len])
    check(number, packet, IP, "ip")
    datagrams.append(packet)

fragments = [p for p in datagrams if p.flags.MF or p.frag]
for packet in defragment(datagrams):
    if packet.flags.MF or packet.frag:
        counts["lone_fragments"] += 1
datagrams = [p for p in datagrams if p not in fragments]
together = [IP(bytes(p)) for p in defragment(fragments) if not (p.flags.MF or p.frag)]
counts["whole"] = len(together)
for number, packet in enumerate(datagrams + together, 1):
    if TCP in packet and packet.proto == 6:
        check(number, packet, TCP, "tcp")
    elif UDP in packet and packet.proto == 17:
        if packet[UDP].chksum == 0:
            counts["udp_without"] += 1
        else:
            check(number, packet, UDP, "udp")
    elif ICMP in packet and packet.proto == 1:
        check(number, packet, ICMP, "icmp")
print(" ".join(f"{name} {count}" for name, count in counts.items()))
