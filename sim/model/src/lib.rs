//! The golden model of the Execution Module, in plain Rust, from the standards.
//!
//! It shares nothing with the hardware: its own header decoder over byte slices, its own arithmetic, and it reads the
//! rules file itself. What it does with a frame, in order, is the numbered list of `README.md` beside it; comments
//! `step N` in the code refer to that list.
//!
//! Standards: IEEE 802.3 and 802.1Q (tags), RFC 894 (IPv4 over Ethernet), RFC 791 (IPv4), RFC 768 (UDP), RFC 9293 (TCP),
//! RFC 792 and 1122 (ICMP), RFC 1624 (checksum update), RFC 8200, 4861 and 3810 (IPv6, neighbour discovery, MLD),
//! IBTA annex A17 (RoCEv2).
//!
//! ```
//! use em_model::{Arrival, DropReason, Model, ModelConfig, Verdict};
//!
//! let rules = em_rules::Rules::parse(
//!     "[[function]]\nid = 1\nmode = \"nat\"\n[[nat]]\nfunction = 1\ninside = \"192.0.2.10\"\noutside = \"203.0.113.5\"\n",
//!     "R.toml",
//! )?;
//! let mut model = Model::new(&rules, ModelConfig::default())?;
//! let verdict = model.frame(Arrival::Host { function: 7 }, false, &[0; 60]);
//! assert_eq!(verdict, Verdict::Drop(DropReason::NoFunction));
//! assert_eq!(model.frame(Arrival::Net0, false, &[0; 60]).name(), "not_for_us");
//! assert_eq!(model.counters().dropped(DropReason::NoFunction), 1);
//! # Ok::<(), em_rules::RulesError>(())
//! ```

mod verdict;
mod config;
mod counters;
mod tables;
mod parse;
mod tx;
mod rx;
mod sum;
mod translate;
mod quote;
mod icrc;
mod limit;
mod decode;
mod check;
mod diff;

pub use config::ModelConfig;
pub use counters::{Counters, FunctionTraffic, Traffic};
pub use decode::{Field, decode};
pub use diff::diff;
pub use limit::PuntLimit;
pub use verdict::{Arrival, DropReason, Egress, Port, PuntReason, Verdict};

use em_rules::{Rules, RulesError};
use parse::{Ipv4, Network, Piece};
use tables::{Mapping, Tables};
use translate::{Change, Side};

/// One Execution Module with its rules installed.
#[derive(Clone, Debug)]
pub struct Model {
    config: ModelConfig,
    tables: Tables,
    /// Of net0 and net1.
    link_up: [bool; 2],
    limits: Vec<PuntLimit>,
    counters: Counters,
}

impl Model {
    /// Installs `rules`. Both links are up.
    ///
    /// # Errors
    /// A rule that this model has no behaviour for yet, with its line; a table of `config.capacity` that overflows.
    pub fn new(rules: &Rules, config: ModelConfig) -> Result<Model, RulesError> {
        if let Some(capacity) = &config.capacity {
            rules.check_capacity(capacity)?;
        }
        if let Some(beyond) = config::unsupported(rules) {
            let text = format!("{} is not part of the golden model. Remove it from the file.", beyond.feature);
            return Err(rules.fault(beyond.line, text));
        }
        let limits = PuntLimit::all(rules);
        Ok(Model { config, tables: Tables::new(rules), link_up: [true; 2], limits, counters: Counters::default() })
    }

    /// The limits of what goes to the OM, in the file's order.
    pub fn punt_limits(&self) -> &[PuntLimit] {
        &self.limits
    }

    /// The limit, by its place, that counts for a frame of `function` punted for `reason`: the first that fits. Where there
    /// is one, a [`Verdict::Punt`] may become a drop, `punt_rate`; see [`PuntLimit::most`].
    pub fn punt_limit_of(&self, reason: PuntReason, function: u16) -> Option<usize> {
        self.limits.iter().position(|limit| limit.fits(reason, function))
    }

    /// What was counted since the model was made.
    pub fn counters(&self) -> &Counters {
        &self.counters
    }

    /// From the next frame on, whether the links of net0 and net1 are up.
    pub fn set_link_up(&mut self, link_up: [bool; 2]) {
        self.link_up = link_up;
    }

    /// A frame (without FCS) that comes in at `arrival`; `bad` is what the stream's `tuser` says on the last beat.
    pub fn frame(&mut self, arrival: Arrival, bad: bool, frame: &[u8]) -> Verdict {
        let outcome = match (self.carried(bad, frame), arrival) {
            (Err(reason), _) => Outcome::Drop(reason),
            (Ok(()), Arrival::Host { function }) => self.tx(function, frame),
            (Ok(()), Arrival::Net0 | Arrival::Net1) => self.rx(frame),
            (Ok(()), Arrival::Injected { egress, function }) => self.injected(egress, function),
        };
        let (verdict, translated) = match outcome {
            Outcome::Drop(reason) => (Verdict::Drop(reason), false),
            Outcome::Punt(reason, function) => {
                (Verdict::Punt { reason, frame: frame.to_vec(), function, port: arrival.port() }, false)
            }
            Outcome::Unchanged(port, function) => (Verdict::Forward { port, function, frame: frame.to_vec() }, false),
            Outcome::Translated(port, function, frame) => (Verdict::Forward { port, function, frame }, true),
        };
        self.counters.count(arrival, frame.len(), &verdict, translated);
        verdict
    }

    /// [`Model::frame`] from the host.
    pub fn host_tx(&mut self, function: u16, bad: bool, frame: &[u8]) -> Verdict {
        self.frame(Arrival::Host { function }, bad, frame)
    }

    /// Steps 1 to 3.
    fn carried(&self, bad: bool, frame: &[u8]) -> Result<(), DropReason> {
        if bad {
            Err(DropReason::BadFrame)
        } else if frame.len() > self.config.max_frame {
            Err(DropReason::Oversize)
        } else if frame.len() < parse::ETHERNET {
            Err(DropReason::Runt)
        } else {
            Ok(())
        }
    }

    /// Step 56.
    fn injected(&self, egress: Egress, function: u16) -> Outcome {
        let port = match egress {
            Egress::Host => Port::Host,
            Egress::Net0 => Port::Net0,
            Egress::Net1 => Port::Net1,
            Egress::Uplink => self.uplink(),
        };
        Outcome::Unchanged(port, function)
    }

    /// The port that tx traffic takes now.
    fn uplink(&self) -> Port {
        match (self.tables.uplink, self.link_up) {
            (Port::Net0, [false, true]) => Port::Net1,
            (Port::Net1, [true, false]) => Port::Net0,
            (named, _) => named,
        }
    }

    /// Steps 7 to 21 and 30 to 33: what the frame carries, or its fault.
    fn network(&self, frame: &[u8]) -> Result<Network, DropReason> {
        let network = parse::network(frame)?;
        match &network {
            Network::Ipv4(ip) if self.config.icmp_error_rewrite && quote::is_error(frame, ip) => {
                if quote::malformed(frame, ip) { Err(DropReason::MalformedIcmp) } else { Ok(network) }
            }
            _ => Ok(network),
        }
    }

    /// Steps 24 to 28, which are 43 to 47, and 38 to 40: the frame with the address on `side` of its header translated.
    fn translated(&self, frame: &[u8], ip: &Ipv4, side: Side, mapping: &Mapping) -> Result<Vec<u8>, PuntReason> {
        if parse::UNSUPPORTED.contains(&ip.protocol) {
            return Err(PuntReason::UnsupportedL4);
        }
        let (old, new) = match side {
            Side::Source => (mapping.inside, mapping.outside),
            Side::Destination => (mapping.outside, mapping.inside),
        };
        let change = Change { side, old, new };
        let mut out = frame.to_vec();
        if quote::is_error(frame, ip) {
            if !self.config.icmp_error_rewrite {
                return Err(PuntReason::IcmpError);
            }
            quote::translate(&mut out, ip, &change)?;
        }
        let roce = icrc::is_roce(frame, ip);
        if roce && !(self.config.roce && ip.piece == Piece::Whole && icrc::fits(frame, ip)) {
            return Err(PuntReason::Roce);
        }
        if mapping.route && ip.ttl <= 1 {
            return Err(PuntReason::Ttl);
        }
        translate::address(&mut out, ip, &change);
        if mapping.route {
            translate::hop(&mut out, ip);
        }
        if let Some(macs) = mapping.next_hop {
            match side {
                Side::Source => {
                    out[..6].copy_from_slice(&macs.next_hop);
                    out[6..12].copy_from_slice(&macs.function);
                }
                Side::Destination => out[..6].copy_from_slice(&macs.function),
            }
        }
        if roce {
            icrc::patch(&mut out, frame, ip);
        }
        Ok(out)
    }
}

/// What is decided; [`Verdict`] adds the frame and where it came in. The number is the function's.
enum Outcome {
    Drop(DropReason),
    Punt(PuntReason, u16),
    Unchanged(Port, u16),
    Translated(Port, u16, Vec<u8>),
}

/// Whether NAT of `frame` has to rewrite a quoted datagram: a well-formed ICMP error over IPv4, whole or a first fragment
/// (RFC 792 types 3, 4, 5, 11, 12). Hardware that cannot do it punts these, reason `icmp_error`.
pub fn needs_icmp_error_rewrite(frame: &[u8]) -> bool {
    frame.len() >= parse::ETHERNET
        && matches!(parse::network(frame), Ok(Network::Ipv4(ip)) if quote::is_error(frame, &ip))
}
