//! The state of a running plan as a pure machine: events in, commands out. No threads, no time, no input or output.
//!
//! [`RunMachine::step`] takes what happened and gives what is to be done next; its driver may be slow, fast or a test that
//! tries every order. A step is ready when all it waits for has ended; the one with the longest critical path goes first. What
//! a failure means is decided by plan order, not by time: the lowest failing step counts, steps before it still run, and later
//! ones that had already run are reported as not run. So the outcome depends on what calls give, and on no order of events.

mod call_quota;
mod end;
mod settle;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap};
use std::sync::Arc;

use tool_core::{ResourceKey, ToolError, Value};

use super::finished::{FailedAttempt, StepOutcome, StepStatus};
use super::items::{DoneItem, MapItems};
use super::meter::{UsageKind, UsageMeter};
use super::order::ToolCosts;
use super::values::{self, ArgumentValues, find_obstacle};

use self::call_quota::CallQuota;
use self::end::EndRecord;
pub(super) use self::end::{EndCause, RunMachineResult};
use super::events::CallAttempt;
pub(crate) use super::events::{
    CallPart, CallSlots, CallUnit, MachineCommand, RunConclusion, RunEvent,
};
use crate::check::{CheckedPlan, CheckedStep};
use crate::plan::Mode;
use crate::reference::MissingValueError;
use crate::template::PlacedReference;

/// A unit that may start: longest critical path first, then plan order, then element.
type Ready = (u64, Reverse<usize>, Reverse<usize>);

/// The state of a running plan.
pub(crate) struct RunMachine<'a> {
    pub(super) plan: &'a CheckedPlan,
    slots: CallSlots,
    /// Critical path from each step to an end, in expected microseconds.
    priorities: Vec<u64>,
    /// Calls that run, by kind: computing, waiting, elsewhere.
    running: [usize; 3],
    ready: [BinaryHeap<Ready>; 3],
    /// Number of unfinished dependencies by step.
    waiting: Vec<u32>,
    /// Number of unfinished steps by wave; used by barriers.
    open_in_wave: Vec<usize>,
    wave: usize,
    /// Ready steps of later waves that the barrier delays.
    held: Vec<Vec<usize>>,
    /// Steps whose dependencies have ended and that are not processed yet.
    offered: Vec<usize>,
    ends: Vec<Option<StepOutcome>>,
    values: Vec<Option<Value>>,
    /// Number of remaining users of the value, by step.
    needed: Vec<u32>,
    /// References of the outputs to each step.
    asked: Vec<Vec<Arc<PlacedReference>>>,
    output_values: HashMap<String, Result<Value, MissingValueError>>,
    quota: CallQuota,
    calls: PendingCalls,
    /// Lowest step whose failure ends the chain; steps after it do not start.
    stop_at: usize,
    stopped: Option<ToolError>,
    /// The budget that the last call exceeded.
    over: Option<ToolError>,
    end_record: EndRecord,
    halted: bool,
    left: usize,
    meter: Arc<UsageMeter>,
    prior: PriorProcesses,
    undo: CompensationQueue,
    /// Values without remaining users; the driver drops them outside its lock.
    dropped: Vec<Value>,
    commands: Vec<MachineCommand>,
}

/// Calls that have not ended, or whose end is still needed.
#[derive(Default)]
struct PendingCalls {
    /// Maps that are under way.
    maps: HashMap<usize, MapItems>,
    /// Completed elements of maps that can be undone.
    done_items: HashMap<usize, Vec<DoneItem>>,
    attempts: HashMap<CallUnit, u32>,
    tries: HashMap<CallUnit, Vec<FailedAttempt>>,
    /// Calls that await a retry, with the end of the last attempt.
    sleeping: BTreeMap<CallUnit, StepOutcome>,
    pending: BTreeMap<CallUnit, StepOutcome>,
    unknown: BTreeMap<CallUnit, StepOutcome>,
    /// Calls of unknown outcome that are undone as if they had happened.
    perhaps: BTreeSet<CallUnit>,
    /// Calls that were interrupted because the process ends.
    cut: BTreeMap<CallUnit, StepOutcome>,
    keying: BTreeSet<usize>,
}

/// What is known of earlier processes of the run.
#[derive(Default)]
pub(crate) struct PriorProcesses {
    /// Whether calls of unknown outcome can be decided later.
    pub(crate) asks: bool,
    /// Calls that they began, whose outcome counts however the run ends.
    pub(crate) began: BTreeSet<CallUnit>,
    /// Whether they recorded the end of the run, so that nothing new starts.
    pub(crate) is_ended: bool,
    /// Why they stopped the run, until its recorded calls have ended here too; `None` where a step ended it.
    pub(crate) ends_with: Option<ToolError>,
}

/// Compensations.
#[derive(Default)]
struct CompensationQueue {
    /// Calls to be undone, the next one last; `None` before that.
    next: Option<Vec<CallUnit>>,
    runs: bool,
    done: Vec<(CallUnit, StepOutcome)>,
    /// One of unknown outcome, or one that awaits approval.
    open: Option<(CallUnit, StepOutcome)>,
}

impl<'a> RunMachine<'a> {
    /// The machine of a plan before anything happened; its first commands are taken with [`RunMachine::begin`].
    pub(crate) fn new(plan: &'a CheckedPlan, slots: CallSlots, costs: &ToolCosts) -> Self {
        let count = plan.steps.len();
        let waves = (0..count).map(|step| plan.graph.wave(step) + 1).max();
        let waves = waves.unwrap_or(0);
        // In sequence each step waits for the one before it: plan order is a topological order.
        let waiting = |step: usize| match plan.mode_used {
            Mode::Seq => u32::from(step > 0),
            Mode::Dep => plan.graph.before(step).len() as u32,
        };
        let mut machine = Self {
            plan,
            slots,
            priorities: costs.priorities(plan),
            running: [0; 3],
            ready: Default::default(),
            waiting: (0..count).map(waiting).collect(),
            open_in_wave: vec![0; waves],
            wave: 0,
            held: vec![Vec::new(); waves],
            offered: Vec::new(),
            ends: (0..count).map(|_| None).collect(),
            values: vec![None; count],
            needed: vec![0; count],
            asked: vec![Vec::new(); count],
            output_values: HashMap::new(),
            quota: CallQuota::new(plan),
            calls: PendingCalls::default(),
            stop_at: usize::MAX,
            stopped: None,
            over: None,
            end_record: EndRecord::None,
            halted: false,
            left: count,
            meter: UsageMeter::new(plan.budget, None, None),
            prior: PriorProcesses::default(),
            undo: CompensationQueue::default(),
            dropped: Vec::new(),
            commands: Vec::new(),
        };
        for (position, step) in plan.steps.iter().enumerate() {
            machine.open_in_wave[plan.graph.wave(position)] += 1;
            // Values that a compensation uses are needed until the end.
            for call in std::iter::once(step).chain(step.compensate.as_deref()) {
                call.uses.iter().for_each(|&used| machine.needed[used] += 1);
            }
        }
        for (_, node) in &plan.outputs {
            for placed in node.references() {
                let step = plan.position(placed.reference.root());
                step.into_iter()
                    .for_each(|step| machine.asked[step].push(Arc::clone(placed)));
            }
        }
        let free: Vec<usize> = (0..count)
            .filter(|&step| machine.waiting[step] == 0)
            .collect();
        free.into_iter().rev().for_each(|step| machine.offer(step));
        machine
    }

    /// The machine of a run with the meter of its driver, and with what is known of earlier processes.
    #[must_use]
    pub(crate) fn within(mut self, meter: Arc<UsageMeter>, prior: PriorProcesses) -> Self {
        if prior.is_ended {
            self.end_record = EndRecord::Written;
        }
        (self.meter, self.prior) = (meter, prior);
        self
    }

    /// Limits the number of calls, where it is not that of any plan.
    pub(crate) fn limited(mut self, calls_max: Option<usize>) -> Self {
        if let Some(limit) = calls_max {
            self.quota.limit = limit.min(self.quota.limit);
        }
        self
    }

    pub(crate) fn begin(&mut self) -> Vec<MachineCommand> {
        self.pump();
        std::mem::take(&mut self.commands)
    }

    /// Processes an event and returns the next commands.
    pub(crate) fn step(&mut self, event: RunEvent) -> Vec<MachineCommand> {
        match event {
            RunEvent::Ended { unit, end, left_ms } => self.ended(unit, *end, left_ms),
            RunEvent::Keyed { step, keys } => {
                if self.calls.keying.remove(&step) {
                    self.keyed(step, &keys);
                }
            }
            RunEvent::Woke(unit) => {
                if self.calls.sleeping.remove(&unit).is_some() {
                    self.ready(unit);
                }
            }
            RunEvent::Stop(why) => {
                self.prior.ends_with = None;
                self.stop(why);
            }
            RunEvent::EndWritten => self.end_record = EndRecord::Written,
            RunEvent::Halt => self.halted = true,
        }
        self.pump();
        std::mem::take(&mut self.commands)
    }

    /// State of the run; `None` while anything is in progress.
    pub(crate) fn conclusion(&self) -> Option<RunConclusion> {
        if self.is_busy() {
            return None;
        }
        let is_undone = match &self.undo.next {
            Some(to_undo) => to_undo.is_empty(),
            None => !self.ends_early() && self.prior.ends_with.is_none(),
        };
        let is_unknown = |end: &StepOutcome| end.status == StepStatus::Unknown;
        Some(match &self.undo.open {
            None if self.left == 0 && is_undone => RunConclusion::Finished,
            _ if self.halted => RunConclusion::Interrupted,
            Some((_, end)) if is_unknown(end) => RunConclusion::NeedsDecision,
            None if !self.calls.unknown.is_empty() => RunConclusion::NeedsDecision,
            _ => RunConclusion::Suspended,
        })
    }

    /// Whether anything is in progress.
    fn is_busy(&self) -> bool {
        let is_coming = self.ready.iter().any(|heap| !heap.is_empty())
            || !self.calls.sleeping.is_empty()
            || !self.calls.keying.is_empty();
        self.running != [0; 3]
            || self.undo.runs
            || self.end_record == EndRecord::Open
            || (is_coming && !self.halted)
    }

    /// End of a step; `None` before.
    pub(crate) fn end(&self, step: usize) -> Option<&StepOutcome> {
        self.ends[step].as_ref()
    }

    /// Values without remaining users.
    pub(super) fn take_dropped(&mut self) -> Vec<Value> {
        std::mem::take(&mut self.dropped)
    }

    /// Values that the arguments of a call reference.
    pub(super) fn values(&self, unit: CallUnit) -> ArgumentValues {
        let step = self.called(unit);
        let used = step.uses.iter();
        let used = used.map(|&used| (used, self.values[used].clone()));
        let mut values = ArgumentValues {
            steps: used.collect(),
            item: None,
        };
        let Some(map) = &self.plan.steps[unit.step].map else {
            return values;
        };
        if let (CallPart::Item(index), Some(items)) = (unit.part, self.calls.maps.get(&unit.step)) {
            values.item = Some((Arc::clone(&map.name), index, items.value(index)));
        }
        if let CallPart::UndoItem(index) = unit.part
            && let Some(done) = self.calls.done_items.get(&unit.step)
            && let Some((_, value, output)) = done.iter().find(|(known, ..)| *known == index)
        {
            values.steps.insert(unit.step, Some(output.clone()));
            values.item = Some((Arc::clone(&map.name), index, value.clone()));
        }
        values
    }

    /// The call that a unit is.
    pub(super) fn called(&self, unit: CallUnit) -> &'a CheckedStep {
        let step = &self.plan.steps[unit.step];
        match &step.compensate {
            Some(undo) if unit.part.undoes() => undo,
            _ => step,
        }
    }

    /// An attempt of a call.
    pub(super) fn attempt(&self, unit: CallUnit, number: u32) -> CallAttempt<'a> {
        CallAttempt {
            plan: self.plan,
            step: self.called(unit),
            unit,
            number,
        }
    }

    /// Number of attempts of a call.
    pub(super) fn attempts(&self, unit: CallUnit) -> u32 {
        self.calls.attempts.get(&unit).copied().unwrap_or(0)
    }

    /// The elements of a map that is under way.
    pub(super) fn items(&self, step: usize) -> usize {
        self.calls.maps.get(&step).map_or(0, MapItems::len)
    }

    fn offer(&mut self, step: usize) {
        let wave = self.plan.graph.wave(step);
        match self.plan.has_barriers() && wave > self.wave {
            true => self.held[wave].push(step),
            false => self.offered.push(step),
        }
    }

    /// Looks at every step that is offered, and starts calls while there are slots.
    fn pump(&mut self) {
        while !self.halted {
            while let Some(step) = self.offered.pop() {
                self.evaluate(step);
            }
            self.start();
            if self.offered.is_empty() && !self.finish() {
                return;
            }
        }
    }

    /// Decides whether a step runs, now that its dependencies have ended.
    fn evaluate(&mut self, step: usize) {
        if let Some(end) = self.barred(step).filter(|_| !self.step_began(step)) {
            self.settle(step, end);
            return;
        }
        if let Some(cause) = find_obstacle(self.plan, step, &|step| self.ends[step].as_ref()) {
            self.settle(step, StepOutcome::skipped(cause));
            return;
        }
        let checked = &self.plan.steps[step];
        if let Some(when) = &checked.when {
            let lookup = &mut |placed: &PlacedReference| {
                Ok(values::of_condition(self.plan, &self.values, placed))
            };
            match when.holds(lookup) {
                Ok(true) => {}
                Ok(false) => return self.settle(step, StepOutcome::unmet()),
                Err(err) => return self.settle(step, StepOutcome::failed(err)),
            }
        }
        let Some(map) = &checked.map else {
            return self.ready(CallUnit::whole(step));
        };
        let list = values::of_list(self.plan, map, &self.values);
        match list.and_then(|list| MapItems::new(map, list)) {
            Ok(mut items) if items.len() == 0 => self.settle(step, items.gather()),
            Ok(items) if !self.admit(step, items.len()) => {}
            Ok(items) => {
                self.calls.maps.insert(step, items);
                if checked.effects.is_empty() {
                    return self.spread(step);
                }
                self.calls.keying.insert(step);
                self.commands.push(MachineCommand::Key(step));
            }
            Err(err) => self.settle(step, StepOutcome::failed(err)),
        }
    }

    /// Orders the calls of a map that has effects.
    fn keyed(&mut self, step: usize, keys: &[Vec<ResourceKey>]) {
        let together = self.plan.parallel_mutations() && self.plan.mode_used == Mode::Dep;
        if let Some(items) = self.calls.maps.get_mut(&step) {
            items.order(keys, together);
        }
        self.spread(step);
    }

    /// Offers the calls of a map that wait for no other.
    fn spread(&mut self, step: usize) {
        let free = self.calls.maps.get_mut(&step).map(MapItems::take_free);
        free.into_iter()
            .flatten()
            .for_each(|index| self.ready(CallUnit::item(step, index)));
    }

    fn ready(&mut self, unit: CallUnit) {
        let (step, item) = (unit.step, unit.part.item().unwrap_or(0));
        let ready = (self.priorities[step], Reverse(step), Reverse(item));
        let kind = self.kind(unit);
        self.ready[kind].push(ready);
    }

    fn unit_of(&self, (_, Reverse(step), Reverse(item)): Ready) -> CallUnit {
        match self.calls.maps.contains_key(&step) {
            true => CallUnit::item(step, item),
            false => CallUnit::whole(step),
        }
    }

    /// 2 for calls that an engine computes, 1 for those that wait for the world, where these have slots of their own.
    fn kind(&self, unit: CallUnit) -> usize {
        if self.slots.elsewhere.is_some() && self.plan.steps[unit.step].may_leave() {
            return 2;
        }
        usize::from(self.slots.waiting.is_some() && self.plan.steps[unit.step].reads_world)
    }

    /// Why a step, or an element of its map, does not start.
    fn barred(&self, step: usize) -> Option<StepOutcome> {
        if let Some(why) = &self.stopped {
            return Some(StepOutcome::cancelled(why.clone()));
        }
        (step > self.stop_at).then(|| StepOutcome::not_run(self.stop_at))
    }

    /// Number of threads that make calls, at most.
    pub(super) fn threads_max(&self) -> usize {
        self.slots.threads()
    }

    /// Lets an engine compute more calls at a time than before; from the next event on.
    pub(super) fn widen_elsewhere(&mut self, calls: usize) {
        if let Some(most) = &mut self.slots.elsewhere {
            *most = calls.max(*most);
        }
    }

    /// Starts calls while there are slots; what is barred meanwhile is settled.
    fn start(&mut self) {
        let limit = match self.plan.mode_used {
            Mode::Seq => [
                1,
                usize::from(self.slots.waiting.is_some()),
                usize::from(self.slots.elsewhere.is_some()),
            ],
            Mode::Dep => [
                self.slots.compute,
                self.slots.waiting.unwrap_or(0),
                self.slots.elsewhere.unwrap_or(0),
            ],
        };
        for (kind, limit) in limit.into_iter().enumerate() {
            while self.running[kind] < limit {
                let Some(ready) = self.ready[kind].pop() else {
                    break;
                };
                let unit = self.unit_of(ready);
                if let Some(end) = self.refused(unit) {
                    self.settle_unit(unit, end);
                    continue;
                }
                self.running[kind] += 1;
                let attempt = self.calls.attempts.entry(unit).or_insert(0);
                *attempt += 1;
                self.commands.push(MachineCommand::Start(unit, *attempt));
            }
        }
    }

    /// Why a ready call does not start; otherwise the budgets are charged for it. One that an earlier process began is charged and
    /// not refused.
    fn refused(&mut self, unit: CallUnit) -> Option<StepOutcome> {
        let began = self.prior.began.contains(&unit);
        let items = self.calls.maps.get(&unit.step).filter(|_| !began);
        let is_barred = |(items, index): (&MapItems, usize)| items.is_barred(index);
        if let Some(end) = self.barred(unit.step).filter(|_| !began) {
            return Some(end);
        }
        if items.zip(unit.part.item()).is_some_and(is_barred) {
            return Some(StepOutcome::default());
        }
        let why = self.afford(unit).err().filter(|_| !began)?;
        self.stop(why.clone());
        Some(StepOutcome::cancelled(why))
    }

    /// Charges the budgets for a call before it starts.
    fn afford(&self, unit: CallUnit) -> Result<(), ToolError> {
        self.meter.take(UsageKind::Steps, 1)?;
        let cost = self.plan.steps[unit.step].cost_ms.unwrap_or(0);
        self.meter.take(UsageKind::Cost, cost)
    }
}
