//! Registers, declared once.
