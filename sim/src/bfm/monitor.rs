//! The rules of AXI4-Stream, checked in every cycle of every stream.

use std::collections::VecDeque;
use std::fmt::Write as _;

use super::beat::{Beat, MAX_USER, StreamPorts};
use super::{Rule, StreamConfig, Violation};
use crate::verilated::Model;

/// How many beats a violation shows.
const SHOWN_BEATS: usize = 8;

/// Watches one stream. Everything it reports is a [`Violation`].
#[derive(Debug)]
pub(crate) struct Monitor {
    pub ports: StreamPorts,
    /// A frame's bits of `tuser` that must be held.
    held_mask: [u8; MAX_USER],
    max_frame: usize,
    /// The beat offered but not taken in the last cycle.
    waiting: Option<Beat>,
    /// `tuser` of the open frame's first beat.
    frame_user: [u8; MAX_USER],
    /// Bytes of the open frame so far; `None` between frames.
    frame_bytes: Option<usize>,
    recent: VecDeque<Beat>,
}

impl Monitor {
    pub(crate) fn new(ports: StreamPorts, config: &StreamConfig) -> Self {
        let mut held_mask = [0xFF; MAX_USER];
        if let Some(bit) = config.bad_bit.filter(|bit| (*bit as usize) < 8 * MAX_USER) {
            held_mask[bit as usize / 8] &= !(1 << (bit % 8));
        }
        Self {
            ports,
            held_mask,
            max_frame: config.max_frame,
            waiting: None,
            frame_user: [0; MAX_USER],
            frame_bytes: None,
            recent: VecDeque::with_capacity(SHOWN_BEATS),
        }
    }

    /// True between a frame's first and last beat.
    pub(crate) fn in_frame(&self) -> bool {
        self.frame_bytes.is_some()
    }

    /// Forgets what was going on, for a reset.
    pub(crate) fn reset(&mut self) {
        self.waiting = None;
        self.frame_bytes = None;
    }

    /// Looks at the settled ports; gives the beat if one is transferred in this cycle.
    pub(crate) fn observe(&mut self, model: &Model, cycle: u64) -> Result<Option<Beat>, Violation> {
        if !model.is_high(self.ports.valid) {
            if self.waiting.take().is_some() {
                return Err(self.broken(cycle, Rule::Stable, "tvalid fell without tready".into()));
            }
            return Ok(None);
        }
        let beat = self.ports.read(model, cycle);
        match self.waiting.take() {
            Some(before) => {
                if let Some(field) = before.difference(&beat) {
                    self.remember(beat);
                    return Err(self.broken(cycle, Rule::Stable, format!("{field} changed while tready was low")));
                }
            }
            None => {
                self.remember(beat);
                self.check(&beat)?;
            }
        }
        if model.is_high(self.ports.ready) {
            self.frame_bytes = if beat.last {
                None
            } else {
                if self.frame_bytes.is_none() {
                    self.frame_user = beat.user;
                }
                Some(self.frame_bytes.unwrap_or(0) + beat.bytes().len())
            };
            return Ok(Some(beat));
        }
        self.waiting = Some(beat);
        Ok(None)
    }

    /// The rules of a beat when it is first offered.
    fn check(&self, beat: &Beat) -> Result<(), Violation> {
        let full = self.ports.full_keep();
        let keep = beat.keep;
        let seen = || format!("tkeep is {keep:#x}");
        if keep == 0 {
            return Err(self.broken(beat.cycle, Rule::NullBeat, seen()));
        }
        if keep & keep.wrapping_add(1) != 0 {
            return Err(self.broken(beat.cycle, Rule::KeepContiguous, seen()));
        }
        if keep != full && !beat.last {
            return Err(self.broken(beat.cycle, Rule::KeepFull, seen()));
        }
        let Some(bytes) = self.frame_bytes else { return Ok(()) };
        let fields = beat.user.iter().zip(&self.frame_user).zip(&self.held_mask);
        if fields.into_iter().any(|((now, first), mask)| (now ^ first) & mask != 0) {
            return Err(self.broken(beat.cycle, Rule::UserHeld, "tuser changed within the frame".into()));
        }
        if bytes + beat.bytes().len() > self.max_frame {
            let seen = format!("more than {} bytes without tlast", self.max_frame);
            return Err(self.broken(beat.cycle, Rule::FrameEnds, seen));
        }
        Ok(())
    }

    /// The rule that holds at the end of a run.
    pub(crate) fn finish(&self, cycle: u64) -> Result<(), Violation> {
        match (self.frame_bytes, &self.waiting) {
            (None, None) => Ok(()),
            (Some(bytes), _) => {
                Err(self.broken(cycle, Rule::FrameComplete, format!("the run ends after {bytes} bytes of a frame")))
            }
            (None, Some(_)) => {
                Err(self.broken(cycle, Rule::FrameComplete, "the run ends with a beat not taken".into()))
            }
        }
    }

    fn remember(&mut self, beat: Beat) {
        if self.recent.len() == SHOWN_BEATS {
            self.recent.pop_front();
        }
        self.recent.push_back(beat);
    }

    fn broken(&self, cycle: u64, rule: Rule, seen: String) -> Violation {
        let mut beats = String::new();
        for beat in &self.recent {
            let _ = writeln!(beats, "  {beat}");
        }
        Violation { stream: self.ports.name.clone(), cycle, rule, seen, beats }
    }
}
