//! End of a run: completed steps are undone if it did not succeed, and the result is collected in plan order.

use std::collections::{BTreeMap, HashMap};

use tool_core::{ToolError, Value};

use super::{EndRecord, Machine};
use crate::reference::Missing;
use crate::run::events::{Command, Conclusion, Part, Unit};
use crate::run::finished::{Finished, StepStatus};
use crate::run::values::obstacle;

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
    pub(crate) stopped: Option<ToolError>,
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
        let late = self
            .calls
            .pending
            .keys()
            .filter(|unit| unit.step > self.stop_at);
        let late: Vec<Unit> = late.copied().collect();
        for unit in &late {
            self.calls.pending.remove(unit);
            self.settle_unit(*unit, Finished::not_run(self.stop_at));
        }
        if !late.is_empty() {
            return true;
        }
        if self.ends_early() && self.settle_unknown() {
            return true;
        }
        if self.left > 0 || self.undo.open.is_some() {
            return false;
        }
        if let Some(why) = self.prior.ends_with.take() {
            self.stopped = Some(why);
        }
        let mut to_undo = self
            .undo
            .next
            .take()
            .unwrap_or_else(|| self.calls_to_undo());
        if self.end_record == EndRecord::None && !to_undo.is_empty() {
            self.end_record = EndRecord::Open;
            self.commands.push(Command::WriteEnd);
            self.undo.next = Some(to_undo);
            return false;
        }
        // The next one starts when this one has ended.
        let next = to_undo.pop();
        self.undo.next = Some(to_undo);
        if let Some(unit) = next {
            self.undo.runs = true;
            self.calls.attempts.insert(unit, 1);
            self.commands.push(Command::Start(unit, 1));
        }
        false
    }

    /// Completed calls with a compensation, in plan order, if the run ended early; for a map those of its elements, even if the
    /// map failed.
    fn calls_to_undo(&self) -> Vec<Unit> {
        if !self.ends_early() {
            return Vec::new();
        }
        let mut calls = Vec::new();
        let steps = self.plan.steps.iter().enumerate();
        for (step, checked) in steps.filter(|(_, step)| step.compensate.is_some()) {
            let of = |part| Unit { step, part };
            let end = self.ends[step].as_ref();
            let is_done = end.is_some_and(|end| end.status == StepStatus::Done);
            match self.calls.done_items.get(&step) {
                Some(done) => {
                    calls.extend(done.iter().map(|&(index, ..)| of(Part::UndoItem(index))))
                }
                None if checked.map.is_some() => {}
                None if is_done || self.calls.perhaps.contains(&Unit::whole(step)) => {
                    calls.push(of(Part::Undo));
                }
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
        let calls = std::mem::take(&mut self.calls);
        for (unit, end) in calls
            .unknown
            .into_iter()
            .chain(calls.pending)
            .chain(calls.cut)
        {
            open.entry(unit.step).or_insert(end);
        }
        let ends = self.ends.into_iter().enumerate();
        let real: Vec<Finished> = ends
            .map(|(step, end)| end.or_else(|| open.remove(&step)).unwrap_or_default())
            .collect();
        let mut settled: Vec<Finished> = Vec::with_capacity(real.len());
        for (position, end) in real.iter().enumerate() {
            let stays = matches!(end.status, StepStatus::Cancelled | StepStatus::Unknown);
            settled.push(
                match obstacle(self.plan, position, &|step| settled.get(step)) {
                    _ if position <= self.stop_at || stays => end.clone(),
                    Some(cause) => Finished::skipped(cause),
                    None => Finished::not_run(self.stop_at),
                },
            );
        }
        Parts {
            settled,
            real,
            undone: self.undo.done,
            open_undo: self.undo.open,
            stopped: self.stopped,
            conclusion,
            outputs: self.output_values,
            over: self.over,
        }
    }
}
