//! Synthesis with open tools: yosys driver, area reports.
