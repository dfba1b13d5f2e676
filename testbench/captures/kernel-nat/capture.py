#!/usr/bin/env python3
"""Sends frames through the Linux kernel's NAT and writes what went in and what came out.

    capture.py DIR

DIR gets tx-in.pcap, tx-out.pcap, rx-in.pcap and rx-out.pcap. Packet n of an `out` file is what the kernel made of packet n
of its `in` file. Needs root and nft; only the Python standard library otherwise. All happens in a network namespace of its
own (the script starts itself again under `unshare`), of which nothing is left afterwards.

    tenant === inner: 1:1 NAT by nft, forwarding :outer === peer

`tenant` and `peer` are the far ends of two veth pairs, read and written raw; what arrives there goes no further (table `ends`).
"""

import os
import socket
import struct
import subprocess
import sys
import time

INSIDE, OUTSIDE, PEER = "192.0.2.10", "203.0.113.5", "198.51.100.7"
TENANT_MAC, ROUTER_TENANT_MAC = "02:00:00:00:00:0a", "02:00:00:00:0a:01"
PEER_MAC, ROUTER_PEER_MAC = "02:00:00:00:00:0b", "02:00:00:00:0a:02"

SET_UP = f"""
ip link set lo up
ip link add tenant type veth peer name inner
ip link add peer type veth peer name outer
ip link set tenant address {TENANT_MAC}
ip link set inner address {ROUTER_TENANT_MAC}
ip link set peer address {PEER_MAC}
ip link set outer address {ROUTER_PEER_MAC}
sysctl -qw net.ipv4.ip_forward=1
sysctl -qw net.ipv4.conf.all.rp_filter=0
sysctl -qw net.ipv4.conf.default.rp_filter=0
sysctl -qw net.ipv4.conf.all.send_redirects=0
sysctl -qw net.ipv6.conf.all.disable_ipv6=1
sysctl -qw net.ipv6.conf.default.disable_ipv6=1
ip link set tenant up arp off
ip link set inner up
ip link set peer up arp off
ip link set outer up
ip addr add 192.0.2.1/24 dev inner
ip addr add 198.51.100.1/24 dev outer
ip neigh add {INSIDE} lladdr {TENANT_MAC} dev inner
ip neigh add {PEER} lladdr {PEER_MAC} dev outer
"""

NFT = f"""
table ip ends {{
    chain in {{
        type filter hook prerouting priority -500;
        iifname {{ "tenant", "peer" }} drop
    }}
}}
table ip nat {{
    chain in {{
        type nat hook prerouting priority dstnat;
        ip daddr {OUTSIDE} dnat to {INSIDE}
    }}
    chain out {{
        type nat hook postrouting priority srcnat;
        ip saddr {INSIDE} snat to {OUTSIDE}
    }}
}}
"""


def ip4(text):
    return socket.inet_aton(text)


def mac(text):
    return bytes.fromhex(text.replace(":", ""))


def checksum(data):
    total = sum(struct.unpack(f">{(len(data) + 1) // 2}H", data + b"\0" * (len(data) % 2)))
    while total > 0xFFFF:
        total = (total >> 16) + (total & 0xFFFF)
    return total ^ 0xFFFF


def ipv4(src, dst, protocol, payload, *, options=b"", ttl=64, ident=0, flags=0, tos=0):
    header = struct.pack(
        ">BBHHHBBH4s4s", 0x45 + len(options) // 4, tos, 20 + len(options) + len(payload), ident, flags, ttl, protocol, 0,
        ip4(src), ip4(dst),
    ) + options
    return header[:10] + struct.pack(">H", checksum(header)) + header[12:] + payload


def sealed(src, dst, protocol, payload, at):
    """`payload` with the checksum that covers the pseudo-header at `at`."""
    pseudo = ip4(src) + ip4(dst) + struct.pack(">BBH", 0, protocol, len(payload))
    value = checksum(pseudo + payload)
    return payload[:at] + struct.pack(">H", value or (0xFFFF if protocol == 17 else 0)) + payload[at + 2:]


def udp(src, dst, sport, dport, data, *, check=True):
    datagram = struct.pack(">HHHH", sport, dport, 8 + len(data), 0) + data
    return sealed(src, dst, 17, datagram, 6) if check else datagram


def tcp(src, dst, sport, dport, data=b"", *, flags=0x02, options=b""):
    segment = struct.pack(">HHIIBBHHH", sport, dport, 0x1000, 0, (5 + len(options) // 4) << 4, flags, 8192, 0, 0)
    return sealed(src, dst, 6, segment + options + data, 16)


def icmp(kind, code, rest, data):
    message = struct.pack(">BBHI", kind, code, 0, rest) + data
    return message[:2] + struct.pack(">H", checksum(message)) + message[4:]


class Box:
    """The namespace with its two ends."""

    def __init__(self):
        for line in SET_UP.strip().splitlines():
            subprocess.run(line.split(), check=True)
        subprocess.run(["nft", "-f", "-"], input=NFT.encode(), check=True)
        self.ends = {}
        for name in ("tenant", "peer"):
            end = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(0x0800))
            end.bind((name, 0))
            self.ends[name] = end
        self.pairs = {"tx": [], "rx": []}

    def receive(self, name, count):
        """Frames that arrived at this end, not those that left it: `count`, and a moment for more."""
        frames, deadline = [], time.monotonic() + 0.5
        self.ends[name].setblocking(False)
        while time.monotonic() < deadline:
            try:
                frame, origin = self.ends[name].recvfrom(70000)
            except BlockingIOError:
                time.sleep(0.0005)
                continue
            if origin[2] != socket.PACKET_OUTGOING:
                frames.append(frame)
                if len(frames) == count:
                    deadline = time.monotonic() + 0.002
        return frames

    def send(self, direction, *packets, keep=True):
        """Packets of one datagram in, as many out."""
        source, sink = ("tenant", "peer") if direction == "tx" else ("peer", "tenant")
        macs = {"tenant": mac(ROUTER_TENANT_MAC) + mac(TENANT_MAC), "peer": mac(ROUTER_PEER_MAC) + mac(PEER_MAC)}
        frames = [macs[source] + b"\x08\x00" + packet for packet in packets]
        for frame in frames:
            self.ends[source].send(frame)
        out = self.receive(sink, len(frames))
        if len(out) != len(frames):
            raise SystemExit(f"{direction}: {len(frames)} frames in, {len(out)} out: {[f.hex() for f in frames]}")
        if keep:
            self.pairs[direction] += zip(frames, out)


def pcap(path, frames):
    with open(path, "wb") as file:
        file.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1))
        for n, frame in enumerate(frames):
            file.write(struct.pack("<IIII", 0, n * 1000, len(frame), len(frame)) + frame)


def fragments(src, dst, protocol, payload, size, ident):
    pieces = [payload[at:at + size] for at in range(0, len(payload), size)]
    last = len(pieces) - 1
    return [
        ipv4(src, dst, protocol, piece, ident=ident, flags=(n * size // 8) | (0x2000 if n != last else 0))
        for n, piece in enumerate(pieces)
    ]


def traffic(box):
    # Each direction as (name, source, destination as they are on the wire before translation).
    ways = [("tx", INSIDE, PEER), ("rx", PEER, OUTSIDE)]
    port = iter(range(20000, 60000))
    text = bytes(range(256)) * 8
    for way, src, dst in ways:
        for length in [0, 1, 2, 3, 7, 8, 17, 18, 100, 101, 1471, 1472]:
            box.send(way, ipv4(src, dst, 17, udp(src, dst, next(port), 5000, text[:length]), ident=length))
        box.send(way, ipv4(src, dst, 17, udp(src, dst, next(port), 5000, b"no checksum", check=False)))
        for tos, ttl, flags in [(0xB8, 255, 0x4000), (1, 2, 0), (3, 64, 0x4000)]:
            box.send(way, ipv4(src, dst, 17, udp(src, dst, next(port), 53, b"?"), tos=tos, ttl=ttl, flags=flags))
        for length in [0, 1, 2, 5, 536, 1460]:
            sport = next(port)
            box.send(way, ipv4(src, dst, 6, tcp(src, dst, sport, 80), ident=1))
            box.send(way, ipv4(src, dst, 6, tcp(src, dst, next(port), 80, text[:length], flags=0x18), ident=2))
        sack = bytes.fromhex("020405b40402080a0000000100000000 01030307".replace(" ", ""))
        box.send(way, ipv4(src, dst, 6, tcp(src, dst, next(port), 443, options=sack), flags=0x4000))
        # Checksums whose result is 0: every value of one word, of which one must be.
        new = (OUTSIDE, PEER) if way == "tx" else (PEER, INSIDE)
        for protocol, at, build in [(17, 6, udp), (6, 16, tcp)]:
            sport = next(port)
            for word in range(0x10000):
                translated = build(*new, sport, 5000, struct.pack(">H", word))
                zero = translated[:at] + b"\0\0" + translated[at + 2:]
                pseudo = ip4(new[0]) + ip4(new[1]) + struct.pack(">BBH", 0, protocol, len(zero))
                if checksum(pseudo + zero) == 0:
                    break
            box.send(way, ipv4(src, dst, protocol, build(src, dst, sport, 5000, struct.pack(">H", word))))
        box.send(way, ipv4(src, dst, 1, icmp(8, 0, next(port) << 16 | 1, b"abcdefg")))
        for protocol in [4, 41, 89, 253]:
            box.send(way, ipv4(src, dst, protocol, text[:21]))
        for options in [b"\1" * 4, b"\1" * 40, bytes.fromhex("0000000000000000")]:
            box.send(way, ipv4(src, dst, 17, udp(src, dst, next(port), 5000, b"options"), options=options))
            box.send(way, ipv4(src, dst, 6, tcp(src, dst, next(port), 80, b"options"), options=options))
        for n, (size, total) in enumerate([(1480, 3000), (1480, 4000), (1000, 1999), (1480, 1481), (64, 130)]):
            datagram = udp(src, dst, next(port), 5000, (text * 3)[:total - 8], check=n != 2)
            box.send(way, *fragments(src, dst, 17, datagram, size, 0x4400 + n))
        echo = icmp(8, 0, next(port) << 16 | 1, (text * 2)[:3000])
        box.send(way, *fragments(src, dst, 1, echo, 1480, 0x4410))
        segment = tcp(src, dst, next(port), 80, text[:2000], flags=0x18)
        box.send(way, *fragments(src, dst, 6, segment, 1480, 0x4411))

    # ICMP errors. The datagram goes first, so that the kernel knows whom the error is about.
    # rx: the tenant sent it, the network answers. tx: the peer sent it, the tenant answers.
    # Not redirects: the kernel drops those that NAT would touch.
    errors = [(3, 3, 0), (3, 4, 1400), (3, 1, 0), (4, 0, 0), (11, 0, 0), (11, 1, 0), (12, 0, 5 << 24)]
    for way, forth, src, dst, seen_src, seen_dst, answers in [
        ("rx", "tx", INSIDE, PEER, OUTSIDE, PEER, [PEER, "198.51.100.99", "10.9.8.7"]),
        ("tx", "rx", PEER, OUTSIDE, PEER, INSIDE, [INSIDE]),
    ]:
        for kind, code, rest in errors:
            for protocol, data in [(17, b""), (17, b"odd"), (17, text[:200]), (6, b""), (6, text[:31]), (1, text[:13])]:
                sport = next(port)

                def layer4(src, dst):
                    if protocol == 17:
                        return udp(src, dst, sport, 5000, data)
                    if protocol == 6:
                        return tcp(src, dst, sport, 80, data, flags=0x02)
                    return icmp(8, 0, sport << 16 | 7, data)

                box.send(forth, ipv4(src, dst, protocol, layer4(src, dst), ident=sport), keep=False)
                seen = ipv4(seen_src, seen_dst, protocol, layer4(seen_src, seen_dst), ttl=3, ident=sport)
                lengths = {28, 36, len(seen)} if kind == 3 else {len(seen)}
                for answer in answers:
                    for length in sorted(lengths):
                        if length <= len(seen):
                            to = OUTSIDE if way == "rx" else PEER
                            box.send(way, ipv4(answer, to, 1, icmp(kind, code, rest, seen[:length]), tos=0xC0))
                if protocol != 1 and kind == 11:
                    # Of a first fragment: its checksum is over more than is there.
                    seen = ipv4(seen_src, seen_dst, protocol, layer4(seen_src, seen_dst), ident=sport, flags=0x2000)
                    to = OUTSIDE if way == "rx" else PEER
                    box.send(way, ipv4(answers[0], to, 1, icmp(kind, code, rest, seen)))
        # Without a quoted checksum, whole and cut off within the data.
        sport = next(port)
        box.send(forth, ipv4(src, dst, 17, udp(src, dst, sport, 9, b"none", check=False)), keep=False)
        seen = ipv4(seen_src, seen_dst, 17, udp(seen_src, seen_dst, sport, 9, b"none", check=False), ttl=9)
        to = OUTSIDE if way == "rx" else PEER
        for length in (28, 29, 32):
            box.send(way, ipv4(answers[0], to, 1, icmp(3, 3, 0, seen[:length])))


def main():
    if len(sys.argv) == 2:
        os.execvp("unshare", ["unshare", "-n", sys.executable, __file__, sys.argv[1], "inside"])
    box = Box()
    traffic(box)
    for way, pairs in box.pairs.items():
        for side, name in enumerate(["in", "out"]):
            pcap(os.path.join(sys.argv[1], f"{way}-{name}.pcap"), [pair[side] for pair in pairs])
        print(f"{way}: {len(pairs)} frames")


if __name__ == "__main__":
    main()
