//! The blocks that can be measured alone, by the names of their modules.

use em_rtl::{config::Profile, top::EmTop};
use hdl::{Block, Design};
use std::collections::HashSet;

/// Name of the whole core's module.
pub const CORE: &str = "em_top";

/// A block that can be elaborated.
pub struct Entry {
    /// Name of its module in the Verilog.
    pub name: String,
    /// One sentence on what it does.
    pub doc: String,
    make: Box<dyn Fn() -> Result<Design, String>>,
}

/// Why there is no such block.
#[derive(Debug, thiserror::Error)]
pub enum BlockError {
    /// No block has that name.
    #[error("profile {profile} has no block `{name}`; its blocks are {known}.", known = .known.join(", "))]
    Unknown {
        /// The profile.
        profile: String,
        /// The name asked for.
        name: String,
        /// The names that there are.
        known: Vec<String>,
    },
    /// The core does not elaborate.
    #[error("profile {profile} does not elaborate: {faults}")]
    Elaboration {
        /// The profile.
        profile: String,
        /// What is wrong with it.
        faults: String,
    },
}

impl Entry {
    /// A block with a configuration, under a name of its own if two configurations of it are measured.
    pub fn new(name: &str, block: impl Block + 'static) -> Entry {
        let doc = block.doc();
        let make = move || hdl::elaborate(&block).map_err(|e| e.to_string());
        Entry { name: name.into(), doc, make: Box::new(make) }
    }

    /// The design with the block as its top.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn design(&self) -> Result<Design, String> {
        (self.make)()
    }
}

/// Every module of a profile's core, its top last.
///
/// # Errors
/// [`BlockError::Elaboration`].
pub fn of_profile(profile: &Profile) -> Result<Vec<Entry>, BlockError> {
    let core = hdl::elaborate(&EmTop { config: profile.config.clone() })
        .map_err(|e| BlockError::Elaboration { profile: profile.name.clone(), faults: e.to_string() })?;
    let entry = |i: usize| {
        let design = below(&core, i);
        let (name, doc) = (design.top().name.clone(), design.top().doc.clone());
        Entry { name, doc, make: Box::new(move || Ok(design.clone())) }
    };
    Ok((0..core.modules.len()).map(entry).collect())
}

/// Module `top` of a design and what stands in it. Children stand before their parents.
fn below(core: &Design, top: usize) -> Design {
    let mut wanted = HashSet::from([core.modules[top].name.clone()]);
    let mut modules = Vec::new();
    for module in core.modules[..=top].iter().rev() {
        if wanted.contains(&module.name) {
            wanted.extend(module.insts.iter().map(|inst| inst.target.name()));
            modules.push(module.clone());
        }
    }
    modules.reverse();
    Design { modules }
}

/// The block of this name; the whole core without one.
///
/// # Errors
/// [`BlockError`].
pub fn find(profile: &Profile, name: Option<&str>) -> Result<Entry, BlockError> {
    let mut entries = of_profile(profile)?;
    let place = match name {
        None => entries.len().checked_sub(1),
        Some(name) => entries.iter().position(|e| e.name == name),
    };
    match place {
        Some(place) => Ok(entries.swap_remove(place)),
        None => Err(BlockError::Unknown {
            profile: profile.name.clone(),
            name: name.unwrap_or(CORE).into(),
            known: entries.into_iter().map(|e| e.name).collect(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_module_of_the_core_is_a_block() {
        let profile = Profile::named("ecp5").unwrap();
        let entries = of_profile(&profile).unwrap();
        assert_eq!(entries.last().map(|e| e.name.as_str()), Some(CORE));
        for entry in &entries {
            assert_eq!(entry.design().unwrap().top().name, entry.name);
        }
    }

    #[test]
    fn an_unknown_block_lists_the_known_ones() {
        let profile = Profile::named("ecp5").unwrap();
        let error = find(&profile, Some("warp_drive")).err().expect("there is none").to_string();
        assert!(error.starts_with("profile ecp5 has no block `warp_drive`; its blocks are "), "{error}");
        assert!(error.ends_with(", em_top."), "{error}");
    }
}
