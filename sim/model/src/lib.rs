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
//! use em_model::{Model, ModelConfig, Verdict};
//!
//! let rules = em_rules::Rules::parse(
//!     "[[function]]\nid = 1\nmode = \"nat\"\n[[nat]]\nfunction = 1\ninside = \"192.0.2.10\"\noutside = \"203.0.113.5\"\n",
//!     "R.toml",
//! )?;
//! let mut model = Model::new(&rules, ModelConfig::default())?;
//! let verdict = model.host_tx(7, false, &[0; 60]);
//! assert_eq!(verdict, Verdict::Drop(em_model::DropReason::NoFunction));
//! assert_eq!(model.counters().dropped(em_model::DropReason::NoFunction), 1);
//! # Ok::<(), em_rules::RulesError>(())
//! ```

mod verdict;
mod config;
mod counters;
mod parse;
mod sum;
mod translate;
mod quote;
mod icrc;
mod decode;
mod check;
mod diff;

pub use config::ModelConfig;
pub use counters::Counters;
pub use decode::{Field, decode};
pub use diff::diff;
pub use verdict::{DropReason, Port, PuntReason, Verdict};

use std::collections::HashMap;
use std::net::IpAddr;

use em_rules::{Mode, Rules, RulesError, Unmatched, Uplink};
use parse::{Ipv4, Network, Piece};

/// One Execution Module with its rules installed.
#[derive(Clone, Debug)]
pub struct Model {
    config: ModelConfig,
    functions: HashMap<u16, (Mode, Unmatched)>,
    outside: HashMap<(u16, [u8; 4]), [u8; 4]>,
    uplink: Port,
    counters: Counters,
}

impl Model {
    /// Installs `rules`.
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
        let v4 = |address: IpAddr| match address {
            IpAddr::V4(v4) => Some(v4.octets()),
            IpAddr::V6(_) => None,
        };
        let functions = rules.functions.iter();
        Ok(Model {
            config,
            functions: functions.map(|function| (*function.id, (*function.mode, *function.unmatched))).collect(),
            outside: (rules.nat.iter())
                .filter_map(|nat| Some(((*nat.function, v4(*nat.inside)?), v4(*nat.outside)?)))
                .collect(),
            uplink: if *rules.port.uplink == Uplink::Net1 { Port::Net1 } else { Port::Net0 },
            counters: Counters::default(),
        })
    }

    /// What was counted since the model was made.
    pub fn counters(&self) -> &Counters {
        &self.counters
    }

    /// A frame (without FCS) from the host for the network. `function` and `bad` are what the stream's `tuser` says.
    pub fn host_tx(&mut self, function: u16, bad: bool, frame: &[u8]) -> Verdict {
        let (verdict, translated) = match self.judge(function, bad, frame) {
            Outcome::Drop(reason) => (Verdict::Drop(reason), false),
            Outcome::Punt(reason) => {
                (Verdict::Punt { reason, frame: frame.to_vec(), function, port: Port::Host }, false)
            }
            Outcome::Unchanged => (Verdict::Forward { port: self.uplink, frame: frame.to_vec() }, false),
            Outcome::Translated(frame) => (Verdict::Forward { port: self.uplink, frame }, true),
        };
        self.counters.count(frame.len(), &verdict, translated);
        verdict
    }

    fn judge(&self, function: u16, bad: bool, frame: &[u8]) -> Outcome {
        // Steps 1 to 3.
        if bad {
            return Outcome::Drop(DropReason::BadFrame);
        }
        if frame.len() > self.config.max_frame {
            return Outcome::Drop(DropReason::Oversize);
        }
        if frame.len() < parse::ETHERNET {
            return Outcome::Drop(DropReason::Runt);
        }
        // Steps 4 to 6.
        let unmatched = match self.functions.get(&function) {
            None => return Outcome::Drop(DropReason::NoFunction),
            Some((Mode::Drop, _)) => return Outcome::Drop(DropReason::FunctionDrop),
            Some((Mode::Pass, _)) => return Outcome::Unchanged,
            Some((Mode::Nat | Mode::Vxlan, unmatched)) => *unmatched,
        };
        match parse::network(frame) {
            Err(reason) => Outcome::Drop(reason),
            Ok(Network::Other | Network::Ipv6 { own_link: true }) => unmatched.into(),
            Ok(Network::Ipv6 { own_link: false }) => Outcome::Drop(DropReason::NatSource),
            Ok(Network::Ipv4(ip)) => self.nat(function, unmatched, frame, &ip),
        }
    }

    /// Steps 21 to 29.
    fn nat(&self, function: u16, unmatched: Unmatched, frame: &[u8], ip: &Ipv4) -> Outcome {
        let error = quote::is_error(frame, ip);
        if error && self.config.icmp_error_rewrite && quote::malformed(frame, ip) {
            return Outcome::Drop(DropReason::MalformedIcmp);
        }
        if ip.source == [0; 4] {
            return unmatched.into();
        }
        let Some(&outside) = self.outside.get(&(function, ip.source)) else {
            return Outcome::Drop(DropReason::NatSource);
        };
        if parse::UNSUPPORTED.contains(&ip.protocol) {
            return Outcome::Punt(PuntReason::UnsupportedL4);
        }
        let mut out = frame.to_vec();
        if error {
            if !self.config.icmp_error_rewrite {
                return Outcome::Punt(PuntReason::IcmpError);
            }
            if let Err(reason) = quote::translate(&mut out, ip, outside) {
                return Outcome::Punt(reason);
            }
        }
        let roce = icrc::is_roce(frame, ip);
        if roce && !(self.config.roce && ip.piece == Piece::Whole && icrc::fits(frame, ip)) {
            return Outcome::Punt(PuntReason::Roce);
        }
        translate::source(&mut out, ip, outside);
        if roce {
            icrc::patch(&mut out, frame, ip);
        }
        Outcome::Translated(out)
    }
}

/// What [`Model::judge`] decides; [`Verdict`] adds ports and the frame.
enum Outcome {
    Drop(DropReason),
    Punt(PuntReason),
    Unchanged,
    Translated(Vec<u8>),
}

impl From<Unmatched> for Outcome {
    fn from(unmatched: Unmatched) -> Outcome {
        match unmatched {
            Unmatched::Punt => Outcome::Punt(PuntReason::Unmatched),
            Unmatched::Drop => Outcome::Drop(DropReason::Unmatched),
            Unmatched::Pass => Outcome::Unchanged,
        }
    }
}

/// Whether NAT of `frame` has to rewrite a quoted datagram: a well-formed ICMP error over IPv4, whole or a first fragment
/// (RFC 792 types 3, 4, 5, 11, 12). Hardware that cannot do it punts these, reason `icmp_error`.
pub fn needs_icmp_error_rewrite(frame: &[u8]) -> bool {
    frame.len() >= parse::ETHERNET
        && matches!(parse::network(frame), Ok(Network::Ipv4(ip)) if quote::is_error(frame, &ip))
}
