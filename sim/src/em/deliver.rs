//! What came out of a run, written as captures.

use super::{
    feed::Feed,
    ports::Input,
    replay::{Forwarded, Punted, Replay},
    run::Request,
};
use crate::capture::{CaptureError, PcapFile, PcapngFile};
use em_rtl::outcome::Outcome;
use std::{
    collections::HashMap,
    path::{Path, PathBuf},
};

/// Writes the request's outputs. Times are the clocks of the run after the input's first frame. No file is replaced
/// unless all are whole.
pub(super) fn write(request: &Request, feed: &Feed, replay: &Replay) -> Result<Vec<PathBuf>, CaptureError> {
    let time = |clock: u64| feed.start_ns.saturating_add((clock as f64 * 1e3 / request.clock_mhz) as u64);
    let outputs = request.outputs();
    let [host_path, net0_path, net1_path, punt_path] = &outputs;
    let mut host = Named::create(host_path)?;
    for f in &replay.outputs.host {
        host.write(&format!("fn{}", f.function), time(f.clock), &f.frame, None)?;
    }
    let net = |path: &Path, frames: &[Forwarded]| {
        let mut file = PcapFile::create(path)?;
        frames.iter().try_for_each(|f| file.write(time(f.clock), &f.frame))?;
        file.close()
    };
    let mut punt = Named::create(punt_path)?;
    for p in &replay.outputs.punted {
        punt.write(&came_in_by(p), time(p.clock), &p.frame, Some(&comment(p)))?;
    }
    let closed = [
        host.file.close()?,
        net(net0_path, &replay.outputs.net0)?,
        net(net1_path, &replay.outputs.net1)?,
        punt.file.close()?,
    ];
    for file in closed {
        file.name()?;
    }
    Ok(outputs.into())
}

/// The interface of a punted frame: the function that sent it, or the port it came in by.
fn came_in_by(p: &Punted) -> String {
    match Input::from_code(u64::from(p.port)) {
        Some(Input::Host) | None => format!("fn{}", p.function),
        Some(port) => port.name().into(),
    }
}

/// The reason, and for a frame from the network the function it would have gone to.
fn comment(p: &Punted) -> String {
    let reason = p.reason.map_or("unknown", Outcome::name);
    match Input::from_code(u64::from(p.port)) {
        Some(Input::Net0 | Input::Net1) if p.function != 0 => format!("{reason} fn{}", p.function),
        _ => reason.into(),
    }
}

/// A capture whose interfaces are known by their names.
struct Named {
    file: PcapngFile,
    interfaces: HashMap<String, u32>,
}

impl Named {
    fn create(path: &Path) -> Result<Self, CaptureError> {
        Ok(Named { file: PcapngFile::create(path)?, interfaces: HashMap::new() })
    }

    fn write(&mut self, name: &str, time: u64, frame: &[u8], comment: Option<&str>) -> Result<(), CaptureError> {
        let interface = match self.interfaces.get(name) {
            Some(known) => *known,
            None => {
                let new = self.file.interface(name)?;
                self.interfaces.insert(name.into(), new);
                new
            }
        };
        self.file.write(interface, time, frame, comment)
    }
}
