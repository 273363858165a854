//! Ends of calls and steps: budgets, retries, and the steps that they release.

use tool_core::{ErrorCode, ToolError, Value};

use super::{EndRecord, RunMachine};
use crate::check::is_chain;
use crate::plan::{Mode, OnError};
use crate::run::events::{CallPart, CallUnit, MachineCommand};
use crate::run::finished::{FailedAttempt, StepOutcome, StepStatus};
use crate::run::meter::UsageKind;
use journal::artifacts;

impl RunMachine<'_> {
    pub(super) fn ended(&mut self, unit: CallUnit, mut end: StepOutcome, left_ms: Option<u64>) {
        let attempts = self.calls.attempts.get(&unit).copied().unwrap_or(1);
        end.attempts = attempts;
        end.tries = self.calls.tries.remove(&unit).unwrap_or_default();
        if unit.part.undoes() {
            self.undo.runs = false;
            let is_open = match end.status {
                StepStatus::Unknown | StepStatus::Pending => self.prior.asks,
                StepStatus::Cancelled => self.halted,
                _ => false,
            };
            match is_open {
                true => self.undo.open = Some((unit, end)),
                false => self.undo.done.push((unit, end)),
            }
            return;
        }
        let kind = self.kind(unit);
        self.running[kind] = self.running[kind].saturating_sub(1);
        let over = self.spend(unit, &end);
        // A retry that an earlier process made is known to its end.
        let may_retry = self.stopped.is_none() || self.prior.began.contains(&unit);
        let again = match end.status {
            StepStatus::Failed | StepStatus::Unknown if may_retry && over.is_ok() => {
                self.retry_after(unit, &end, attempts, left_ms)
            }
            _ => None,
        };
        match end.status {
            StepStatus::Pending => match self.stopped.clone() {
                Some(why) => self.settle_unit(unit, StepOutcome::cancelled(why)),
                None => drop(self.calls.pending.insert(unit, end)),
            },
            StepStatus::Unknown if self.halted => drop(self.calls.unknown.insert(unit, end)),
            StepStatus::Cancelled if self.halted => drop(self.calls.cut.insert(unit, end)),
            _ if self.halted && again.is_some() => drop(self.calls.cut.insert(unit, end)),
            _ if let Some(ms) = again => {
                self.tried(unit, &end);
                self.calls.sleeping.insert(unit, end);
                self.commands.push(MachineCommand::Sleep(unit, ms));
            }
            StepStatus::Unknown => self.unknown(unit, end),
            _ => self.settle_unit(unit, end),
        }
        match over {
            Err(why) if self.left > 0 => self.stop(why),
            Err(why) => self.over = Some(why), // no call is left to refuse
            Ok(()) => {}
        }
    }

    /// Remembers an attempt that is followed by another.
    fn tried(&mut self, unit: CallUnit, end: &StepOutcome) {
        let code = end.error.as_ref();
        let code = code.map_or(ErrorCode::Internal, ToolError::code);
        let (began, ended) = (end.began, end.ended);
        let mut tries = end.tries.clone();
        tries.push(FailedAttempt { began, ended, code });
        self.calls.tries.insert(unit, tries);
    }

    /// Counts a call that ended against the budgets; why nothing more is to start, where one of them is exceeded.
    fn spend(&mut self, unit: CallUnit, end: &StepOutcome) -> Result<(), ToolError> {
        // A nested plan was charged call by call.
        let ms = match is_chain(self.plan.steps[unit.step].tool) {
            true => 0,
            false => u64::try_from(end.elapsed().as_millis()).unwrap_or(u64::MAX),
        };
        let bytes = |kind: UsageKind, measure: fn(&Value) -> u64| match &end.output {
            Some(output) if self.meter.limits(kind) => measure(output),
            _ => 0,
        };
        let spent = [
            (UsageKind::CpuMs, ms),
            (
                UsageKind::BytesOut,
                bytes(UsageKind::BytesOut, Value::memory_bytes),
            ),
            (
                UsageKind::ArtifactBytes,
                bytes(UsageKind::ArtifactBytes, artifacts::bytes_in_files),
            ),
        ];
        let spent = spent.map(|(kind, amount)| self.meter.spend(kind, amount));
        spent.into_iter().collect() // the first one that is exceeded, and all are counted
    }

    /// After how long a failed call is made again; `None` when it is not.
    fn retry_after(
        &self,
        unit: CallUnit,
        end: &StepOutcome,
        attempts: u32,
        left_ms: Option<u64>,
    ) -> Option<u64> {
        let step = &self.plan.steps[unit.step];
        let error = end.error.as_ref()?;
        if attempts > step.retry.max || !step.retry.covers(error.code(), error.reason_str()) {
            return None;
        }
        // A stopped call may have happened.
        let may_have_happened = !step.effects.is_empty() && !step.idempotent;
        let is_stopped = end.status == StepStatus::Unknown
            || matches!(error.code(), ErrorCode::Timeout | ErrorCode::Internal);
        if may_have_happened && is_stopped {
            return None;
        }
        let index = unit.part.item().unwrap_or(0) as u64;
        let seed = crate::check::item_seed(self.plan.seed, &step.id, index);
        let share = tool_core::rng::derive_seed(seed.get(), "retry", u64::from(attempts));
        let ms = step.retry.wait_ms(attempts, share as f64 / u64::MAX as f64);
        (left_ms.is_none_or(|left| left > ms)).then_some(ms)
    }

    pub(super) fn stop(&mut self, why: ToolError) {
        // A run that is over, or that an earlier process ended, is not stopped.
        let is_over = self.undo.next.is_some() || self.prior.ends_with.is_some();
        if self.stopped.is_some() || is_over || self.halted {
            return;
        }
        self.stopped = Some(why.clone());
        if self.end_record == EndRecord::None {
            self.end_record = EndRecord::Open;
            self.commands.push(MachineCommand::WriteEnd);
        }
        let asleep = std::mem::take(&mut self.calls.sleeping);
        let pending = std::mem::take(&mut self.calls.pending);
        for (unit, end) in asleep.into_iter().chain(pending) {
            match end.status {
                StepStatus::Unknown => self.unknown(unit, end),
                _ => self.settle_unit(unit, StepOutcome::cancelled(why.clone())),
            }
        }
        let keying = std::mem::take(&mut self.calls.keying);
        keying.into_iter().for_each(|step| self.spread(step));
        // Ready calls are settled in order; those that an earlier process began come first.
        for kind in 0..2 {
            let mut began = Vec::new();
            while let Some(ready) = self.ready[kind].pop() {
                let unit = self.unit_of(ready);
                match self.prior.began.contains(&unit) {
                    true => began.push(ready),
                    false => self.settle_unit(unit, StepOutcome::cancelled(why.clone())),
                }
            }
            self.ready[kind].extend(began);
        }
    }

    pub(super) fn settle_unit(&mut self, unit: CallUnit, end: StepOutcome) {
        let CallPart::Item(index) = unit.part else {
            return self.settle(unit.step, end);
        };
        let Some(items) = self.calls.maps.get_mut(&unit.step) else {
            return;
        };
        if !items.settle(index, end) {
            return self.spread(unit.step);
        }
        if self.plan.steps[unit.step].compensate.is_some() {
            let mut done = items.done();
            let step = unit.step;
            let perhaps = (0..items.len())
                .filter(|&index| self.calls.perhaps.contains(&CallUnit::item(step, index)));
            done.extend(perhaps.map(|index| (index, items.value(index), Value::Null)));
            done.sort_by_key(|(index, ..)| *index);
            self.calls.done_items.insert(unit.step, done);
        }
        let whole = items.gather();
        self.calls.maps.remove(&unit.step);
        self.settle(unit.step, whole);
    }

    /// Enters how a step ended.
    pub(super) fn settle(&mut self, position: usize, mut end: StepOutcome) {
        let step = &self.plan.steps[position];
        let failed = matches!(end.status, StepStatus::Failed | StepStatus::Denied);
        if failed && step.on_error == OnError::FailChain {
            self.stop_at = self.stop_at.min(position);
        }
        if let Some(value) = end.output.take() {
            self.answer(position, &value);
            match self.needed[position] {
                0 => self.dropped.push(value),
                _ => self.values[position] = Some(value),
            }
        }
        step.uses.iter().for_each(|&used| self.release_value(used));
        self.ends[position] = Some(end);
        self.left -= 1;
        self.commands.push(MachineCommand::Settled(position));
        self.recheck_waiting(position);
        self.release(position);
    }

    pub(super) fn release_value(&mut self, used: usize) {
        self.needed[used] = self.needed[used].saturating_sub(1);
        if self.needed[used] == 0 {
            self.dropped.extend(self.values[used].take());
        }
    }

    /// Keeps the parts of a value that the plan answers with.
    fn answer(&mut self, position: usize, value: &Value) {
        for placed in &self.asked[position] {
            let part = placed.reference.resolve(value);
            self.output_values
                .insert(placed.reference.to_string(), part);
        }
    }

    fn release(&mut self, position: usize) {
        if self.plan.mode_used == Mode::Seq {
            if position + 1 < self.waiting.len() {
                self.offer(position + 1);
            }
            return;
        }
        self.open_in_wave[self.plan.graph.wave(position)] -= 1;
        for &follower in self.plan.graph.followers(position) {
            let follower = follower as usize;
            self.waiting[follower] -= 1;
            if self.waiting[follower] == 0 {
                self.offer(follower);
            }
        }
        while self.plan.barrier
            && self.wave + 1 < self.open_in_wave.len()
            && self.open_in_wave[self.wave] == 0
        {
            self.wave += 1;
            let held = std::mem::take(&mut self.held[self.wave]);
            held.into_iter().for_each(|step| self.offer(step));
        }
    }
}
