//! Every elaboration error with its message, as a user sees it.

mod build;
mod crossing;
mod drive;
mod graph;
mod names;
mod states;
mod support;
mod unused;
