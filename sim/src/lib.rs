//! Simulation of emitted Verilog: Verilator models, bus drivers and monitors, captures, waveforms.
