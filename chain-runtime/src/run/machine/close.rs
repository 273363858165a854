//! End of a run: completed steps are undone if it did not succeed, and the result is collected in plan order.

use std::collections::{BTreeMap, HashMap};

use tool_core::{ToolError, Value};

use super::{EndRecord, Machine};
use crate::reference::Missing;
use crate::run::events::{Command, Conclusion, Part, Unit};
use crate::run::finished::{Finished, StepStatus};
use crate::run::obstacle::obstacle;

/// Result of the machine when the run has stopped.
pub(crate) struct Parts {
    /// End of every step by plan order.
    pub(crate) settled: Vec<Finished>,
    /// Actual end of every step.
    pub(crate) real: Vec<Finished>,
    /// Compensations and their ends.
    pub(crate) undone: Vec<(Unit, Finished)>,
    /// A compensation of unknown outcome, or one that awaits approval or was interrupted.
    pub(crate) open_undo: Option<(Unit, Finished)>,
    /// Reason of a stop.
    pub(crate) stopped: Option<ToolError>,
    /// State of the run.
    pub(crate) conclusion: Option<Conclusion>,
    /// Values of the outputs, by the text of their references.
    pub(crate) outputs: HashMap<String, Result<Value, Missing>>,
    /// The budget that the last call exceeded.
    pub(crate) over: Option<ToolError>,
}

impl Machine<'_> {
    /// When nothing is in progress: steps that await approval after the end of the run are dropped, and a run that did not
    /// succeed is undone. Returns whether there is more to do.
    pub(super) fn finish(&mut self) -> bool {
        if self.is_busy() {
            return false;
        }
        let late: Vec<Unit> = self
            .pending
            .keys()
            .filter(|unit| unit.step > self.stop_at)
            .copied()
            .collect();
        for unit in &late {
            self.pending.remove(unit);
            self.settle_unit(*unit, Finished::not_run(self.stop_at));
        }
        if !late.is_empty() {
            return true;
        }
        if self.ends_early() && self.settle_unknown() {
            return true;
        }
        if self.left > 0 || self.open_undo.is_some() {
            return false;
        }
        if let Some(why) = self.ends_with.take() {
            self.stopped = Some(why);
        }
        let mut to_undo = match self.to_undo.take() {
            Some(to_undo) => to_undo,
            None => self.calls_to_undo(),
        };
        if self.end_record == EndRecord::None && !to_undo.is_empty() {
            self.end_record = EndRecord::Open;
            self.commands.push(Command::WriteEnd);
            self.to_undo = Some(to_undo);
            return false;
        }
        // The next one starts when this one has ended.
        let next = to_undo.pop();
        self.to_undo = Some(to_undo);
        if let Some(unit) = next {
            self.undoing = true;
            self.attempts.insert(unit, 1);
            self.commands.push(Command::Start(unit, 1));
        }
        false
    }

    /// Completed calls with a compensation, in plan order, if the run ended early; for a map those of its elements, even if the
    /// map failed.
    fn calls_to_undo(&self) -> Vec<Unit> {
        let early = self.ends_early();
        let is_done = |step: usize| {
            let end = self.ends[step].as_ref();
            let part = Part::Whole;
            end.is_some_and(|end| end.status == StepStatus::Done)
                || self.perhaps.contains(&Unit { step, part })
        };
        let mut calls = Vec::new();
        for (step, checked) in self.plan.steps.iter().enumerate() {
            if !early || checked.compensate.is_none() {
                continue;
            }
            let of = |part| Unit { step, part };
            match self.done_items.get(&step) {
                Some(done) => {
                    calls.extend(done.iter().map(|&(index, ..)| of(Part::UndoItem(index))))
                }
                None if checked.map.is_none() && is_done(step) => calls.push(of(Part::Undo)),
                None => {}
            }
        }
        calls
    }

    /// Collects the ends of all steps by plan order, their actual ends, and the outputs.
    pub(crate) fn into_parts(mut self) -> Parts {
        let conclusion = self.conclusion();
        let mut open: BTreeMap<usize, Finished> = BTreeMap::new();
        // Decisions come before approvals.
        for (unit, end) in std::mem::take(&mut self.unknown)
            .into_iter()
            .chain(std::mem::take(&mut self.pending))
            .chain(std::mem::take(&mut self.cut))
        {
            open.entry(unit.step).or_insert(end);
        }
        let real: Vec<Finished> = self
            .ends
            .into_iter()
            .enumerate()
            .map(|(step, end)| end.or_else(|| open.remove(&step)).unwrap_or_default())
            .collect();
        let mut settled: Vec<Finished> = Vec::with_capacity(real.len());
        for (position, end) in real.iter().enumerate() {
            let stays = matches!(end.status, StepStatus::Cancelled | StepStatus::Unknown);
            let by_order = if position <= self.stop_at || stays {
                end.clone()
            } else {
                match obstacle(self.plan, position, &|step| settled.get(step)) {
                    Some(cause) => Finished::skipped(cause),
                    None => Finished::not_run(self.stop_at),
                }
            };
            settled.push(by_order);
        }
        Parts {
            settled,
            real,
            undone: self.undone,
            open_undo: self.open_undo,
            stopped: self.stopped,
            conclusion,
            outputs: self.output_values,
            over: self.over,
        }
    }
}
