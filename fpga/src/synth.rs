//! `em synth`: a block of a profile, or its whole core, on a part.

use crate::{
    Error, Measurement, Part, Share,
    blocks::{self, BlockError},
    floorplan::Floorplan,
    goal, shares,
};
use em_rtl::{config::Profile, top::EmTop};
use em_tools::Tool;
use serde_json::{Value, json};
use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// What is asked for.
#[derive(Clone, Debug)]
pub struct Request {
    /// Whose hardware.
    pub profile: Profile,
    /// A module of its core; the whole core if none.
    pub block: Option<String>,
    /// Where; the profile's own part if none.
    pub part: Option<Part>,
    /// Clock to reach in MHz; the profile's own if none.
    pub target_mhz: Option<f64>,
    /// Seeds of the placement, 1 or more.
    pub seeds: u32,
}

/// Why there is no result.
#[derive(Debug, thiserror::Error)]
pub enum SynthError {
    /// The block is unknown or does not elaborate.
    #[error(transparent)]
    Block(#[from] BlockError),
    /// A tool failed.
    #[error(transparent)]
    Tools(#[from] Error),
    /// A result could not be written.
    #[error("{path}: cannot be written ({cause}). Check the path and its permissions.")]
    Write {
        /// Where.
        path: String,
        /// What the operating system said.
        cause: io::Error,
    },
}

impl SynthError {
    /// Is it the user's input that is at fault?
    pub fn is_bad_input(&self) -> bool {
        matches!(self, SynthError::Block(BlockError::Unknown { .. }) | SynthError::Write { .. })
    }
}

/// What was found.
#[derive(Clone, Debug)]
pub struct Summary {
    /// Name of the profile.
    pub profile: String,
    /// Cells and frequencies.
    pub measured: Measurement,
    /// What each module takes.
    pub shares: Vec<Share>,
    /// Clock to reach in MHz.
    pub target_mhz: f64,
    /// The stages of the profile's pipeline and the clocks that each takes.
    pub stages: Vec<(&'static str, u32)>,
    /// Versions of yosys and nextpnr.
    pub tools: [(String, String); 2],
}

/// Synthesises, places and routes; `progress` hears what is done now.
///
/// # Errors
/// [`SynthError`].
pub fn run(request: &Request, progress: impl FnMut(&str)) -> Result<Summary, SynthError> {
    let entry = blocks::find(&request.profile, request.block.as_deref())?;
    let whole = request.block.as_deref().is_none_or(|block| block == blocks::CORE);
    let goal = goal::of(&request.profile.config);
    let tools = tools()?;
    let design = entry.design().map_err(Error::Elaboration)?;
    let part = request.part.unwrap_or(goal.part);
    let floorplan = if whole { Floorplan::of(&request.profile.name, part) } else { None };
    let measured = Measurement::with_floorplan(&design, part, request.seeds, floorplan, progress)?;
    let target_mhz = request.target_mhz.unwrap_or(if whole { goal.mhz } else { goal.block_mhz() });
    let stages = EmTop { config: request.profile.config.clone() }.stages();
    Ok(Summary { profile: request.profile.name.clone(), measured, shares: shares(&design)?, target_mhz, stages, tools })
}

/// The tools and their versions.
///
/// # Errors
/// One is missing or too old.
pub fn tools() -> Result<[(String, String); 2], Error> {
    let version = |tool: Tool| -> Result<(String, String), Error> {
        Ok((tool.to_string(), em_tools::find(tool)?.version.to_string()))
    };
    Ok([version(Tool::Yosys)?, version(Tool::NextpnrEcp5)?])
}

impl Summary {
    /// Is every clock as fast as it has to be?
    pub fn is_met(&self) -> bool {
        let m = &self.measured;
        m.clocks().iter().all(|clock| m.worst(clock) >= self.target_mhz)
    }

    /// One JSON object with everything.
    pub fn json(&self) -> Value {
        let m = &self.measured;
        let clock = |name: String| {
            let figures = json!({
                "fmax_mhz": tenth(m.worst(&name)),
                "median_mhz": tenth(m.median(&name)),
                "target_mhz": self.target_mhz,
                "met": m.worst(&name) >= self.target_mhz,
                "critical_path": m.path(&name),
            });
            (name, figures)
        };
        let runs: Vec<Value> = m.runs.iter().map(|r| json!({ "seed": r.seed, "fmax_mhz": r.fmax_mhz })).collect();
        json!({
            "part": m.part,
            "profile": self.profile,
            "block": m.block,
            "clocks": m.clocks().into_iter().map(clock).collect::<serde_json::Map<_, _>>(),
            "met": self.is_met(),
            "luts": m.luts(),
            "ffs": m.framed.block.ffs(),
            "bram": m.framed.block.block_rams(),
            "lut_percent": tenth(m.lut_percent()),
            "cells": m.framed.block,
            "frame_cells": m.framed.frame,
            "blocks": self.shares,
            "stages": self.stages.iter().map(|(stage, clocks)| json!({ "stage": stage, "clocks": clocks })).collect::<Vec<_>>(),
            "runs": runs,
            "flags": crate::flags(m.asked_mhz),
            "floorplan": m.floorplanned,
            "tools": self.tools.iter().map(|(t, v)| (t.clone(), Value::from(v.clone()))).collect::<serde_json::Map<_, _>>(),
        })
    }

    /// Writes `synth.json` and what place and route had and said: the netlist, the frame's Verilog, a report and a log a seed.
    ///
    /// # Errors
    /// [`SynthError::Write`].
    pub fn write(&self, out: &Path) -> Result<Vec<PathBuf>, SynthError> {
        let failed = |path: &Path, cause| SynthError::Write { path: path.display().to_string(), cause };
        fs::create_dir_all(out).map_err(|e| failed(out, e))?;
        let m = &self.measured;
        let mut files = vec![
            ("synth.json".to_string(), format!("{:#}\n", self.json())),
            ("harness.v".into(), m.framed.verilog.clone()),
            ("netlist.json".into(), m.framed.netlist.clone()),
        ];
        for run in &m.runs {
            files.push((format!("report_seed{}.json", run.seed), run.report.clone()));
            files.push((format!("nextpnr_seed{}.log", run.seed), run.log.clone()));
        }
        let write = |(name, text): (String, String)| {
            let path = out.join(name);
            fs::write(&path, text).map_err(|e| failed(&path, e))?;
            Ok(path)
        };
        files.into_iter().map(write).collect()
    }
}

/// Rounded to a tenth.
fn tenth(x: f64) -> f64 {
    (x * 10.0).round() / 10.0
}
