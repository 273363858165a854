//! The display of a running plan on a terminal: one status line, redrawn, and a line for each completed step.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use chain_runtime::run::{Finished, StepStatus};
use chain_runtime::{CheckedStep, Observer};

use super::output::complain;
use crate::environment;

const CLEAR_LINE: &str = "\r\u{1b}[K";

/// The display of one run.
#[derive(Default)]
pub(super) struct Display {
    running: Mutex<Running>,
}

#[derive(Default)]
struct Running {
    /// Running steps by position: id, and fraction done.
    steps: BTreeMap<usize, (String, Option<f64>)>,
    ended: usize,
}

impl Display {
    /// Erases the status line.
    pub(super) fn clear(&self) {
        complain(CLEAR_LINE);
    }

    fn draw(&self, running: &Running, line: Option<String>) {
        let name = |(id, fraction): &(String, Option<f64>)| match fraction {
            Some(fraction) => format!("{id} {:.0}%", fraction * 100.0),
            None => id.clone(),
        };
        let names: Vec<String> = running.steps.values().map(name).collect();
        let line = line.map(|line| format!("{line}\n")).unwrap_or_default();
        let (ended, names) = (running.ended, names.join(", "));
        complain(&format!("{CLEAR_LINE}{line}{ended} done, running: {names}"));
    }
}

impl Observer for Display {
    fn started(&self, step: &CheckedStep, position: usize, _wave: usize) {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        running.steps.insert(position, (step.id.to_string(), None));
        self.draw(&running, None);
    }

    fn progress(&self, position: usize, fraction: f64, _words: &str) {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, shown)) = running.steps.get_mut(&position) {
            *shown = Some(fraction.clamp(0.0, 1.0));
        }
        self.draw(&running, None);
    }

    fn finished(&self, step: &CheckedStep, position: usize, end: &Finished) {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        running.steps.remove(&position);
        running.ended += 1;
        let (mark, colour) = match end.status {
            StepStatus::Done => ("ok", "\u{1b}[32m"),
            StepStatus::Failed | StepStatus::Denied => ("failed", "\u{1b}[31m"),
            _ => ("-", "\u{1b}[33m"),
        };
        let (on, off) = match environment::colour_wanted() {
            true => (colour, "\u{1b}[0m"),
            false => ("", ""),
        };
        let elapsed = end.ended.saturating_sub(end.began).as_secs_f64() * 1e3;
        let (id, tool) = (&step.id, &step.tool);
        let line = format!("  {on}{mark:6}{off} {id:24} {tool:24} {elapsed:8.1} ms");
        self.draw(&running, Some(line));
    }
}
