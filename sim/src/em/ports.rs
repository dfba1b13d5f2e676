//! The stream ports of the Execution Module, and what their `tuser` says.

use em_rtl::stream::{HostUser, InjectUser};
use hdl::{Value, bundle::pack_values};

/// A stream into the module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Input {
    /// `s_axis_host`: frames that functions send.
    Host,
    /// `s_axis_net0`: frames from network port 0.
    Net0,
    /// `s_axis_net1`: frames from network port 1.
    Net1,
    /// `s_axis_punt`: frames that the Orchestration Module injects.
    Inject,
}

impl Input {
    /// All of them, in the order of the codes that the hardware has for them.
    pub const ALL: [Input; 4] = [Input::Host, Input::Net0, Input::Net1, Input::Inject];

    /// Name in `--json` and in messages.
    pub const fn name(self) -> &'static str {
        match self {
            Input::Host => "host",
            Input::Net0 => "net0",
            Input::Net1 => "net1",
            Input::Inject => "inject",
        }
    }

    /// What the names of its ports begin with.
    pub const fn prefix(self) -> &'static str {
        match self {
            Input::Host => "s_axis_host_",
            Input::Net0 => "s_axis_net0_",
            Input::Net1 => "s_axis_net1_",
            Input::Inject => "s_axis_punt_",
        }
    }

    /// The input of this code, as `PuntUser::port` has it.
    pub fn from_code(code: u64) -> Option<Input> {
        Self::ALL.get(usize::try_from(code).ok()?).copied()
    }
}

/// A stream out of the module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Output {
    /// `m_axis_host`: frames for functions.
    Host,
    /// `m_axis_net0`: frames for network port 0.
    Net0,
    /// `m_axis_net1`: frames for network port 1.
    Net1,
    /// `m_axis_punt`: frames for the Orchestration Module.
    Punt,
}

impl Output {
    /// All of them.
    pub const ALL: [Output; 4] = [Output::Host, Output::Net0, Output::Net1, Output::Punt];

    /// Name in `--json` and in messages.
    pub const fn name(self) -> &'static str {
        match self {
            Output::Host => "host",
            Output::Net0 => "net0",
            Output::Net1 => "net1",
            Output::Punt => "punt",
        }
    }

    /// What the names of its ports begin with.
    pub const fn prefix(self) -> &'static str {
        match self {
            Output::Host => "m_axis_host_",
            Output::Net0 => "m_axis_net0_",
            Output::Net1 => "m_axis_net1_",
            Output::Punt => "m_axis_punt_",
        }
    }

    /// The bit of `tuser` that marks a bad frame, if the port has one.
    pub(super) const fn bad_bit(self) -> Option<u32> {
        match self {
            Output::Punt => None,
            Output::Host | Output::Net0 | Output::Net1 => Some(0),
        }
    }
}

/// Where an injected frame is to leave; the numbers are the hardware's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Egress {
    /// To a function of the host.
    Host = 0,
    /// By network port 0.
    Net0 = 1,
    /// By network port 1.
    Net1 = 2,
    /// By the port that frames of the host take.
    Uplink = 3,
}

/// Where a frame comes in, with what its `tuser` says beside the bad bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Entry {
    /// From the host.
    Host {
        /// The function that sends it.
        function: u16,
    },
    /// From network port 0.
    Net0,
    /// From network port 1.
    Net1,
    /// From the Orchestration Module.
    Inject {
        /// Where it is to leave.
        egress: Egress,
        /// The function that gets it, if it leaves to the host.
        function: u16,
    },
}

impl Entry {
    /// The stream.
    pub const fn input(self) -> Input {
        match self {
            Entry::Host { .. } => Input::Host,
            Entry::Net0 => Input::Net0,
            Entry::Net1 => Input::Net1,
            Entry::Inject { .. } => Input::Inject,
        }
    }

    /// `tuser`, with the bad bit 0.
    pub fn user(self) -> u64 {
        let number = |width: u32, value: u16| Value::new(width, u128::from(value));
        match self {
            Entry::Host { function } => {
                pack_values(&HostUser { bad: Value::zero(1), function: number(16, function) }).to_u64()
            }
            Entry::Net0 | Entry::Net1 => 0,
            Entry::Inject { egress, function } => {
                let user = InjectUser {
                    bad: Value::zero(1),
                    egress: number(2, egress as u16),
                    function: number(16, function),
                };
                pack_values(&user).to_u64()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tuser_has_its_fields_where_the_port_list_says() {
        assert_eq!(Entry::Host { function: 0x1234 }.user(), 0x1234 << 1);
        assert_eq!(Entry::Net1.user(), 0);
        assert_eq!(Entry::Inject { egress: Egress::Net1, function: 0x8001 }.user(), 0x8001 << 3 | 2 << 1);
    }

    #[test]
    fn codes_are_places() {
        for (code, input) in Input::ALL.into_iter().enumerate() {
            assert_eq!(Input::from_code(code as u64), Some(input));
        }
        assert_eq!(Input::from_code(4), None);
    }
}
