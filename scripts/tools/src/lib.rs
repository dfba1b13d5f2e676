//! Finds, checks and runs the external tools: Verilator, Icarus, yosys, sby, tshark.
