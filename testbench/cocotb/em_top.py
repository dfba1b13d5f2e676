"""The Execution Module under cocotb and cocotbext-axi: an independent driver of the same Verilog.

Reads job.json in the folder EM_FOLDER:
    ready      [address, mask]: the register bits that are set once the tables take commands
    writes     [[address, data], ...]: register writes that install the rules; each must answer OKAY
    links      status of the links, one bit a network port
    frames     {stream: [[tuser, bad, hex], ...]}: what each input gets, back to back
    expected   {stream: number}: how many frames each output owes
and writes result.json there:
    frames     {stream: [[tuser, hex], ...]}: what came out
    clocks     from the first beat offered until the last frame was out
    wall_s     seconds of real time that this took; installing the rules is not in it
    cpu_s      seconds of processor time
"""

import json
import logging
import os
import time
from pathlib import Path

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, with_timeout
from cocotbext.axi import (
    AxiLiteBus,
    AxiLiteMaster,
    AxiResp,
    AxiStreamBus,
    AxiStreamFrame,
    AxiStreamSink,
    AxiStreamSource,
)

PERIOD_NS = 8
# Longest wait for the next frame, and how long no other may follow the last one.
PATIENCE_CLOCKS = 100_000
QUIET_CLOCKS = 500


def quiet(driver):
    """A line of log for every frame would cost more than the simulation."""
    driver.log.setLevel(logging.WARNING)
    return driver


@cocotb.test()
async def replay(dut):
    folder = Path(os.environ["EM_FOLDER"])
    job = json.loads((folder / "job.json").read_text())
    clk, rst = dut.clk, dut.rst

    def stream(kind, name):
        return quiet(kind(AxiStreamBus.from_prefix(dut, name), clk, rst))

    sources = {name: stream(AxiStreamSource, name) for name in job["frames"]}
    sinks = {name: stream(AxiStreamSink, name) for name in job["expected"]}
    bus = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "s_axil_m2m"), clk, rst)
    quiet(bus.write_if)
    quiet(bus.read_if)
    if hasattr(dut, "net_link_up"):
        dut.net_link_up.value = job["links"]

    rst.value = 1
    Clock(clk, PERIOD_NS, unit="ns").start()
    await ClockCycles(clk, 4)
    rst.value = 0
    address, mask = job["ready"]
    while not (await bus.read_dword(address)) & mask:
        await ClockCycles(clk, 64)
    for address, data in job["writes"]:
        answer = await bus.write(address, data.to_bytes(4, "little"))
        assert answer.resp == AxiResp.OKAY, f"the write of {data:#x} to {address:#x} was answered with {answer.resp!r}"

    frames = {}
    for name, rows in job["frames"].items():
        frames[name] = []
        for tuser, bad, text in rows:
            data = bytes.fromhex(text)
            # The bad bit, bit 0, stands on the last beat only.
            lanes = sources[name].byte_lanes
            last = len(data) - (len(data) - 1) % lanes - 1
            users = [tuser] * last + [tuser | bad] * (len(data) - last) if bad else tuser
            frames[name].append(AxiStreamFrame(data, tuser=users))

    wall, cpu, first = time.perf_counter(), time.process_time(), clock_number()
    for name, rows in frames.items():
        for frame in rows:
            sources[name].send_nowait(frame)
    out = {name: [] for name in sinks}
    for name, number in job["expected"].items():
        for _ in range(number):
            out[name].append(await with_timeout(sinks[name].recv(), PATIENCE_CLOCKS * PERIOD_NS, "ns"))
    for source in sources.values():
        await source.wait()
    wall_s, cpu_s = time.perf_counter() - wall, time.process_time() - cpu
    clocks = clock_number() - first

    await ClockCycles(clk, QUIET_CLOCKS)
    for name, sink in sinks.items():
        assert sink.empty() and sink.idle(), f"{name} gave more frames than expected"
    text = {name: [[frame.tuser, bytes(frame.tdata).hex()] for frame in rows] for name, rows in out.items()}
    result = {"frames": text, "clocks": clocks, "wall_s": wall_s, "cpu_s": cpu_s}
    (folder / "result.json").write_text(json.dumps(result))


def clock_number():
    return int(cocotb.utils.get_sim_time("ns")) // PERIOD_NS
