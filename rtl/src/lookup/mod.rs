//! Tables and their lookup.
