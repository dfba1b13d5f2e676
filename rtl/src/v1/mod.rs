//! The path as it was for one direction; being replaced.
#![allow(missing_docs, dead_code)]
pub mod packet;
pub mod ingress;
pub mod parse;
pub mod verdict;
pub mod rewrite;
pub mod actions;
pub mod egress;
pub mod meter;
pub mod tx;
pub mod top;
