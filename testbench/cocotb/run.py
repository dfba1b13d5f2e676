"""Builds the emitted Verilog for cocotb and runs em_top.py on it, as its caller in testbench/src/cocotb.rs asks.

usage: run.py FOLDER

FOLDER holds job.json (see em_top.py) and the Verilog; the build stays in FOLDER/build, and result.json is written.
Verilator gets the flags that the simulation in Rust has, which the job lists, and beside them what cocotb needs.
"""

import json
import os
import sys
from pathlib import Path

from cocotb_tools.runner import get_runner

HERE = Path(__file__).resolve().parent


def main():
    folder = Path(sys.argv[1]).resolve()
    job = json.loads((folder / "job.json").read_text())
    os.environ["MAKEFLAGS"] = "OPT_FAST=-O2 OPT_GLOBAL=-O2"
    runner = get_runner("verilator")
    runner.build(
        sources=[folder / name for name in job["sources"]],
        hdl_toplevel=job["top"],
        build_dir=folder / "build",
        build_args=["--quiet", *job["verilator"]],
        timescale=("1ns", "1ps"),
    )
    runner.test(
        test_module="em_top",
        hdl_toplevel=job["top"],
        build_dir=folder / "build",
        test_dir=folder,
        results_xml=str(folder / "results.xml"),
        extra_env={"EM_FOLDER": str(folder), "PYTHONPATH": str(HERE), "COCOTB_LOG_LEVEL": "WARNING"},
    )
    if not (folder / "result.json").exists():
        sys.exit("the cocotb test ended without a result")


main()
