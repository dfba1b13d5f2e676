//! The frames of a run, read from captures.

use super::{
    ports::{Egress, Entry, Input},
    run::{Request, RunError},
};
use crate::capture::{Interface, read};
use std::{collections::HashSet, path::Path};

/// The frames for all inputs, each input's in the order of its capture.
#[derive(Default)]
pub(super) struct Feed {
    /// Where each comes in, and its bytes.
    pub frames: Vec<(Entry, Vec<u8>)>,
    /// Time of the earliest frame, in nanoseconds since 1970.
    pub start_ns: u64,
}

impl Feed {
    /// Reads the captures of `request`.
    pub fn load(request: &Request) -> Result<Feed, RunError> {
        let mut feed = Feed { start_ns: u64::MAX, ..Feed::default() };
        for (input, file) in &request.inputs {
            let capture = read(file)?;
            let carries: HashSet<usize> = capture.frames.iter().map(|f| f.interface).collect();
            let interfaces = capture.interfaces.iter().enumerate();
            let entries = interfaces.map(|(at, interface)| match input {
                // An interface without frames needs no meaning.
                _ if !carries.contains(&at) => Ok(None),
                Input::Host => host_entry(file, interface, request.host_function).map(Some),
                Input::Net0 => Ok(Some(Entry::Net0)),
                Input::Net1 => Ok(Some(Entry::Net1)),
                Input::Inject => inject_entry(file, interface).map(Some),
            });
            let entries: Vec<Option<Entry>> = entries.collect::<Result<_, _>>()?;
            for frame in capture.frames {
                feed.start_ns = feed.start_ns.min(frame.time_ns);
                feed.frames.extend(entries[frame.interface].map(|entry| (entry, frame.data)));
            }
        }
        if feed.frames.is_empty() {
            feed.start_ns = 0;
        }
        Ok(feed)
    }
}

/// The function of an interface `fnN`, or else the one that the request gives.
fn host_entry(file: &Path, interface: &Interface, host_function: Option<u16>) -> Result<Entry, RunError> {
    match (interface.function(), host_function) {
        (Some(number), _) => Ok(Entry::Host { function: in_range(file, number)? }),
        (None, Some(function)) => Ok(Entry::Host { function }),
        (None, None) => Err(RunError::NoFunction { file: file.display().to_string(), what: name_of(interface) }),
    }
}

/// Where frames of an interface `host.fnN`, `net0`, `net1` or `uplink` are to leave.
fn inject_entry(file: &Path, interface: &Interface) -> Result<Entry, RunError> {
    let to = |egress| Ok(Entry::Inject { egress, function: 0 });
    match interface.name.as_deref() {
        Some("net0") => to(Egress::Net0),
        Some("net1") => to(Egress::Net1),
        Some("uplink") => to(Egress::Uplink),
        name => {
            let function = name.and_then(|n| n.strip_prefix("host."));
            let function = function.and_then(|n| Interface { name: Some(n.into()) }.function());
            let Some(number) = function else {
                return Err(RunError::NoEgress { file: file.display().to_string(), what: name_of(interface) });
            };
            Ok(Entry::Inject { egress: Egress::Host, function: in_range(file, number)? })
        }
    }
}

fn in_range(file: &Path, number: u32) -> Result<u16, RunError> {
    u16::try_from(number).map_err(|_| RunError::FunctionRange { file: file.display().to_string(), number })
}

fn name_of(interface: &Interface) -> String {
    let unnamed = || "its interface has no name, as in every classic pcap".into();
    interface.name.as_ref().map_or_else(unnamed, |n| format!("its interface is called `{n}`"))
}
