//! The outputs of a path.

use crate::{
    outcome::Outcome,
    packet::Direction,
    stream::{HostUser, NetUser, PuntUser},
};
use hdl::bundle::packed_width;

/// An output of a path.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Output {
    /// The first network port.
    Net0,
    /// The second network port.
    Net1,
    /// The host.
    Host,
    /// The Orchestration Module.
    Punt,
}

impl Output {
    /// Outputs of the path of this direction, in the order of their bits.
    pub const fn of(direction: Direction) -> &'static [Output] {
        match direction {
            Direction::Tx => &[Output::Net0, Output::Net1, Output::Punt],
            Direction::Rx => &[Output::Host, Output::Punt],
        }
    }

    /// Name in signals.
    pub const fn name(self) -> &'static str {
        match self {
            Output::Net0 => "net0",
            Output::Net1 => "net1",
            Output::Host => "host",
            Output::Punt => "punt",
        }
    }

    /// The outcome that sends a frame there; none for [`Output::Punt`], which has many.
    pub const fn outcome(self) -> Option<Outcome> {
        match self {
            Output::Net0 => Some(Outcome::Net0),
            Output::Net1 => Some(Outcome::Net1),
            Output::Host => Some(Outcome::Host),
            Output::Punt => None,
        }
    }

    /// It leads to the Orchestration Module.
    pub const fn is_punt(self) -> bool {
        matches!(self, Output::Punt)
    }

    /// Its `tuser` says whose the frame is.
    pub const fn has_function(self) -> bool {
        matches!(self, Output::Host | Output::Punt)
    }

    /// Bits of its `tuser`.
    pub fn user_w(self) -> u32 {
        match self {
            Output::Net0 | Output::Net1 => packed_width(&NetUser::shape()),
            Output::Host => packed_width(&HostUser::shape()),
            Output::Punt => packed_width(&PuntUser::shape()),
        }
    }
}
