//! The rules file: what an Orchestration Module would install, parsed and checked.
//!
//! One TOML file describes the tenants of one Execution Module. `docs/rules.md` is its reference.
//! [`Rules::parse`] gives typed rows, each value with the line it stands on ([`At`]), after every check that needs no
//! knowledge of the hardware. What depends on the hardware is asked separately: [`Rules::check_capacity`] for table
//! sizes, [`Rules::features`] for the blocks that the file needs.
//!
//! ```
//! let rules = em_rules::Rules::parse(
//!     r#"
//! [[function]]
//! id = 1
//! mode = "nat"
//! mac = "02:00:00:00:00:0a"
//!
//! [[nat]]
//! function = 1
//! inside = "192.0.2.10"
//! outside = "203.0.113.5"
//! "#,
//!     "R.toml",
//! )?;
//! assert_eq!(rules.nat[0].outside.value.to_string(), "203.0.113.5");
//! assert_eq!(rules.nat[0].outside.line, 10);
//!
//! let twice = em_rules::Rules::parse("[[function]]\nid = 70000\nmode = \"drop\"\n", "R.toml").unwrap_err();
//! assert_eq!(
//!     twice.to_string(),
//!     "R.toml:2: `id = 70000` in [[function]] is out of range. Write an integer from 0 to 65535."
//! );
//! # Ok::<(), em_rules::RulesError>(())
//! ```

mod error;
mod source;
mod section;
mod values;
mod addresses;
mod rows;
mod read;
mod check;
mod capacity;
mod features;

pub use addresses::{Mac, PortRange, Prefix, Proto};
pub use capacity::Capacity;
pub use error::RulesError;
pub use features::{Feature, FeatureUse};
pub use rows::{Acl, Function, Local, Match, Nat, PortRules, PuntLimit, Tunnel, Vni, Vtep};
pub use values::{AclAction, At, Dir, Dscp, Lookup, Mode, NotForUs, OverMtu, PuntReason, Unmatched, Uplink, Vlan};

use std::collections::HashSet;
use std::path::Path;

/// A whole rules file, read and checked.
#[derive(Clone, Debug, PartialEq)]
pub struct Rules {
    /// What messages call the file: its path as the user wrote it.
    pub name: String,
    /// `[[function]]`: the tenants' functions, in the file's order.
    pub functions: Vec<Function>,
    /// `[[nat]]`: 1:1 address mappings.
    pub nat: Vec<Nat>,
    /// `[[vtep]]`: local tunnel endpoints.
    pub vteps: Vec<Vtep>,
    /// `[[vni]]`: VXLAN networks.
    pub vnis: Vec<Vni>,
    /// `[[tunnel]]`: where tx frames of a VNI go.
    pub tunnels: Vec<Tunnel>,
    /// `[[local]]`: who gets decapsulated frames of a VNI.
    pub locals: Vec<Local>,
    /// `[port]`: the network side.
    pub port: PortRules,
    /// `[[acl]]`: access rules.
    pub acls: Vec<Acl>,
    /// `[[punt_limit]]`: limits of what goes to the OM, in the file's order.
    pub punt_limits: Vec<PuntLimit>,
}

impl Rules {
    /// Reads and checks the file at `path`.
    ///
    /// # Errors
    /// The first fault found, with file, line, value and remedy.
    pub fn load(path: impl AsRef<Path>) -> Result<Rules, RulesError> {
        let path = path.as_ref();
        let name = path.display().to_string();
        let bytes = std::fs::read(path).map_err(|cause| RulesError::Read { file: name.clone(), cause })?;
        match String::from_utf8(bytes) {
            Ok(text) => Rules::parse(&text, &name),
            Err(bad) => {
                let good = bad.utf8_error().valid_up_to();
                let line = 1 + bad.as_bytes()[..good].iter().filter(|&&byte| byte == b'\n').count();
                let message = "this line is not UTF-8 text. Save the file as UTF-8.".to_owned();
                Err(RulesError::Fault { file: name, line, message })
            }
        }
    }

    /// Reads and checks `text`; messages call it `name`.
    ///
    /// # Errors
    /// The first fault found, with file, line, value and remedy.
    pub fn parse(text: &str, name: &str) -> Result<Rules, RulesError> {
        let source = source::Source::new(name, text);
        let rules = read::rules(&source)?;
        check::rules(&source, &rules)?;
        Ok(rules)
    }

    /// The function with number `id`, if the file declares it.
    pub fn function(&self, id: u16) -> Option<&Function> {
        self.functions.iter().find(|function| function.id.value == id)
    }

    /// The next hops of all `[[nat]]` rows, each once, in the order of the file. Its position here serves as its index in a
    /// table of next hops; the line is that of its first use.
    pub fn next_hops(&self) -> Vec<At<Mac>> {
        let mut seen = HashSet::new();
        self.nat.iter().filter_map(|nat| nat.next_hop_mac).filter(|mac| seen.insert(mac.value)).collect()
    }

    /// The functions in mode `pass`: the MAC address by which rx knows the function's frames, and its number. No two have
    /// the same.
    pub fn passing(&self) -> impl Iterator<Item = (At<Mac>, u16)> + '_ {
        let passing = self.functions.iter().filter(|function| function.mode.value == Mode::Pass);
        passing.filter_map(|function| Some((function.mac?, function.id.value)))
    }

    /// An error about `line` of this file, for checks made by others (hardware that lacks a block, for example).
    /// `message` is one or two sentences with the value and the remedy.
    pub fn fault(&self, line: usize, message: impl Into<String>) -> RulesError {
        RulesError::Fault { file: self.name.clone(), line, message: message.into() }
    }
}
