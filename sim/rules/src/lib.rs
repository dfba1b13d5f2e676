//! The rules file: what an Orchestration Module would install, parsed and checked.
