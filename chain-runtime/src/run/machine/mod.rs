//! The state of a running plan as a pure machine: events in, commands out. No threads, no time, no input or output.
//!
//! [`Machine::step`] takes what happened and gives what is to be done next; whoever drives it may be slow, fast or a test that
//! tries every order. A step is ready when all it waits for has ended; the one with the longest way behind it goes first. What
//! a failure means is decided by plan order, not by time: the lowest failing step counts, steps before it still run, and later
//! ones that had already run are reported as not run. So the outcome depends on what calls give, and on no order of events.

mod call_quota;
mod close;
mod end;
mod settle;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap};
use std::sync::Arc;

use tool_core::{ResourceKey, ToolError, Value};

use super::costs::Costs;
use super::finished::{Finished, StepStatus, Try};
use super::items::{DoneItem, Items};
use super::meter::{Kind, Meter};
use super::obstacle::obstacle;
use super::values::{self, Values};

use self::call_quota::CallQuota;
pub(super) use self::close::Parts;
pub(super) use self::end::EndCause;
use self::end::EndRecord;
pub use super::events::{Command, Conclusion, Event, Part, Slots, Unit};
use crate::check::{CheckedPlan, CheckedStep};
use crate::plan::Mode;
use crate::reference::Missing;
use crate::template::Placed;

/// A unit that may start: longest way first, then plan order, then element.
type Ready = (u64, Reverse<usize>, Reverse<usize>);

/// The state of a running plan.
pub struct Machine<'a> {
    pub(super) plan: &'a CheckedPlan,
    slots: Slots,
    /// Critical path from each step to an end, in expected microseconds.
    priorities: Vec<u64>,
    /// Calls that run, by kind: computing, waiting.
    running: [usize; 2],
    ready: [BinaryHeap<Ready>; 2],
    /// Number of unfinished dependencies by step.
    waiting: Vec<u32>,
    /// Number of unfinished steps by wave; used by barriers.
    open_in_wave: Vec<usize>,
    wave: usize,
    /// Ready steps of later waves that the barrier delays.
    held: Vec<Vec<usize>>,
    /// Steps whose dependencies have ended and that are not processed yet.
    offered: Vec<usize>,
    ends: Vec<Option<Finished>>,
    values: Vec<Option<Value>>,
    /// Number of remaining users of the value, by step.
    needed: Vec<u32>,
    /// References of the outputs to each step.
    asked: Vec<Vec<usize>>,
    output_references: Vec<Arc<Placed>>,
    output_values: HashMap<String, Result<Value, Missing>>,
    maps: HashMap<usize, Items>,
    quota: CallQuota,
    /// Completed elements of maps that can be undone.
    done_items: HashMap<usize, Vec<DoneItem>>,
    attempts: HashMap<Unit, u32>,
    tries: HashMap<Unit, Vec<Try>>,
    /// Calls that await a retry, with the end of the last attempt.
    sleeping: BTreeMap<Unit, Finished>,
    pending: BTreeMap<Unit, Finished>,
    unknown: BTreeMap<Unit, Finished>,
    /// Calls of unknown outcome that are undone as if they had happened.
    perhaps: BTreeSet<Unit>,
    /// Calls that were interrupted because the process ends.
    cut: BTreeMap<Unit, Finished>,
    keying: BTreeSet<usize>,
    /// Lowest step whose failure ends the chain; steps after it do not start.
    stop_at: usize,
    stopped: Option<ToolError>,
    /// The budget that the last call exceeded.
    over: Option<ToolError>,
    /// Why an earlier process ended the run; until its recorded calls have ended here too.
    ends_with: Option<ToolError>,
    /// Calls that earlier processes began.
    began: BTreeSet<Unit>,
    end_record: EndRecord,
    halted: bool,
    /// Whether calls of unknown outcome can be decided later.
    asks: bool,
    left: usize,
    meter: Arc<Meter>,
    /// Calls to be undone, the next one last; `None` before that.
    to_undo: Option<Vec<Unit>>,
    undoing: bool,
    undone: Vec<(Unit, Finished)>,
    /// A compensation of unknown outcome, or one that awaits approval.
    open_undo: Option<(Unit, Finished)>,
    /// Values without remaining users; the driver drops them outside its lock.
    dropped: Vec<Value>,
    commands: Vec<Command>,
}

impl<'a> Machine<'a> {
    /// The machine of a plan before anything happened; its first commands are taken with [`Machine::begin`].
    pub fn new(plan: &'a CheckedPlan, slots: Slots, costs: &Costs) -> Self {
        let count = plan.steps.len();
        let waves = (0..count)
            .map(|step| plan.graph.wave(step) + 1)
            .max()
            .unwrap_or(0);
        let mut machine = Self {
            plan,
            slots,
            priorities: costs.priorities(plan),
            running: [0; 2],
            ready: [BinaryHeap::new(), BinaryHeap::new()],
            waiting: (0..count)
                .map(|step| plan.graph.before(step).len() as u32)
                .collect(),
            open_in_wave: vec![0; waves],
            wave: 0,
            held: vec![Vec::new(); waves],
            offered: Vec::new(),
            ends: (0..count).map(|_| None).collect(),
            values: vec![None; count],
            needed: vec![0; count],
            asked: vec![Vec::new(); count],
            output_references: Vec::new(),
            output_values: HashMap::new(),
            maps: HashMap::new(),
            quota: CallQuota::new(plan),
            done_items: HashMap::new(),
            attempts: HashMap::new(),
            tries: HashMap::new(),
            sleeping: BTreeMap::new(),
            pending: BTreeMap::new(),
            unknown: BTreeMap::new(),
            perhaps: BTreeSet::new(),
            cut: BTreeMap::new(),
            keying: BTreeSet::new(),
            stop_at: usize::MAX,
            stopped: None,
            over: None,
            ends_with: None,
            began: BTreeSet::new(),
            end_record: EndRecord::None,
            halted: false,
            asks: false,
            left: count,
            meter: Meter::new(plan.budget, None),
            to_undo: None,
            undoing: false,
            undone: Vec::new(),
            open_undo: None,
            dropped: Vec::new(),
            commands: Vec::new(),
        };
        for (position, step) in plan.steps.iter().enumerate() {
            machine.open_in_wave[plan.graph.wave(position)] += 1;
            step.uses.iter().for_each(|&used| machine.needed[used] += 1);
            // Values that a compensation uses are needed until the end.
            if let Some(undo) = &step.compensate {
                undo.uses.iter().for_each(|&used| machine.needed[used] += 1);
            }
        }
        for (_, node) in &plan.outputs {
            node.for_each_reference(&mut |placed| {
                machine.output_references.push(Arc::clone(placed));
            });
        }
        for (number, placed) in machine.output_references.iter().enumerate() {
            if let Some(step) = plan.position(placed.reference.root()) {
                machine.asked[step].push(number);
            }
        }
        if plan.mode_used == Mode::Seq {
            // Plan order is a topological order, so each step waits for nothing but the one before it.
            machine
                .waiting
                .iter_mut()
                .enumerate()
                .for_each(|(step, waiting)| *waiting = u32::from(step > 0));
        }
        for step in (0..count).rev() {
            if machine.waiting[step] == 0 {
                machine.offer(step);
            }
        }
        machine
    }

    /// Sets the meter of the driver.
    #[must_use]
    pub fn within(mut self, meter: Arc<Meter>) -> Self {
        self.meter = meter;
        self
    }

    /// The first commands.
    pub fn begin(&mut self) -> Vec<Command> {
        self.pump();
        std::mem::take(&mut self.commands)
    }

    /// Processes an event and returns the next commands.
    pub fn step(&mut self, event: Event) -> Vec<Command> {
        match event {
            Event::Ended { unit, end, left_ms } => self.ended(unit, *end, left_ms),
            Event::Keyed { step, keys } => {
                if self.keying.remove(&step) {
                    self.keyed(step, &keys);
                }
            }
            Event::Woke(unit) => {
                if self.sleeping.remove(&unit).is_some() {
                    self.ready(unit);
                }
            }
            Event::Stop(why) => {
                self.ends_with = None;
                self.stop(why);
            }
            Event::EndWritten => self.end_record = EndRecord::Written,
            Event::Halt => self.halted = true,
        }
        self.pump();
        std::mem::take(&mut self.commands)
    }

    /// State of the run; `None` while anything is in progress.
    pub fn conclusion(&self) -> Option<Conclusion> {
        if self.is_busy() {
            return None;
        }
        let is_undone = match &self.to_undo {
            Some(to_undo) => to_undo.is_empty(),
            None => !self.ends_early() && self.ends_with.is_none(),
        };
        let is_unknown = |end: &Finished| end.status == StepStatus::Unknown;
        Some(match &self.open_undo {
            None if self.left == 0 && is_undone => Conclusion::Finished,
            _ if self.halted => Conclusion::Interrupted,
            Some((_, end)) if is_unknown(end) => Conclusion::NeedsDecision,
            None if !self.unknown.is_empty() => Conclusion::NeedsDecision,
            _ => Conclusion::Suspended,
        })
    }

    /// Whether anything is in progress.
    fn is_busy(&self) -> bool {
        let is_called = self.running != [0; 2] || self.undoing;
        let is_coming = self.ready.iter().any(|heap| !heap.is_empty())
            || !self.sleeping.is_empty()
            || !self.keying.is_empty();
        is_called || self.end_record == EndRecord::Open || (is_coming && !self.halted)
    }

    /// End of a step; `None` before.
    pub fn end(&self, step: usize) -> Option<&Finished> {
        self.ends[step].as_ref()
    }

    /// Values without remaining users.
    pub(super) fn take_dropped(&mut self) -> Vec<Value> {
        std::mem::take(&mut self.dropped)
    }

    /// Values that the arguments of a call reference.
    pub(super) fn values(&self, unit: Unit) -> Values {
        let step = self.called(unit);
        let mut values = Values {
            steps: step
                .uses
                .iter()
                .map(|&used| (used, self.values[used].clone()))
                .collect(),
            item: match (unit.part, self.maps.get(&unit.step), &step.map) {
                (Part::Item(index), Some(items), Some(map)) => {
                    Some((Arc::clone(&map.name), index, items.value(index)))
                }
                _ => None,
            },
        };
        if let Part::UndoItem(index) = unit.part
            && let Some(map) = &self.plan.steps[unit.step].map
            && let Some(done) = self.done_items.get(&unit.step)
            && let Some((_, value, output)) = done.iter().find(|(known, ..)| *known == index)
        {
            values.steps.insert(unit.step, Some(output.clone()));
            values.item = Some((Arc::clone(&map.name), index, value.clone()));
        }
        values
    }

    /// The call that a unit is.
    pub(super) fn called(&self, unit: Unit) -> &'a CheckedStep {
        let step = &self.plan.steps[unit.step];
        match &step.compensate {
            Some(undo) if unit.part.undoes() => undo,
            _ => step,
        }
    }

    /// Number of attempts of a call.
    pub(super) fn attempts(&self, unit: Unit) -> u32 {
        self.attempts.get(&unit).copied().unwrap_or(0)
    }

    /// The elements of a map that is under way.
    pub(super) fn items(&self, step: usize) -> usize {
        self.maps.get(&step).map_or(0, Items::len)
    }

    fn offer(&mut self, step: usize) {
        let wave = self.plan.graph.wave(step);
        let barrier = self.plan.barrier && self.plan.mode_used == Mode::Dep;
        if barrier && wave > self.wave {
            self.held[wave].push(step);
        } else {
            self.offered.push(step);
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
        if let Some(cause) = obstacle(self.plan, step, &|step| self.ends[step].as_ref()) {
            self.settle(step, Finished::skipped(cause));
            return;
        }
        let checked = &self.plan.steps[step];
        if let Some(when) = &checked.when {
            let holds =
                when.holds(&mut |placed| Ok(values::of_condition(self.plan, &self.values, placed)));
            match holds {
                Ok(true) => {}
                Ok(false) => return self.settle(step, Finished::unmet()),
                Err(err) => return self.settle(step, Finished::failed(err)),
            }
        }
        match &checked.map {
            None => self.ready(Unit {
                step,
                part: Part::Whole,
            }),
            Some(map) => {
                let list = values::of_list(self.plan, map, &self.values);
                match list.and_then(|list| Items::new(map, list)) {
                    Ok(mut items) if items.len() == 0 => self.settle(step, items.gather()),
                    Ok(items) if !self.admit(step, items.len()) => {}
                    Ok(items) => {
                        let known = checked.effects.is_empty();
                        self.maps.insert(step, items);
                        if known {
                            self.spread(step);
                        } else {
                            self.keying.insert(step);
                            self.commands.push(Command::Key(step));
                        }
                    }
                    Err(err) => self.settle(step, Finished::failed(err)),
                }
            }
        }
    }

    /// Orders the calls of a map that has effects.
    fn keyed(&mut self, step: usize, keys: &[Vec<ResourceKey>]) {
        let together = self.plan.parallel_mutations() && self.plan.mode_used == Mode::Dep;
        if let Some(items) = self.maps.get_mut(&step) {
            items.order(keys, together);
        }
        self.spread(step);
    }

    /// Offers the calls of a map that wait for no other.
    fn spread(&mut self, step: usize) {
        let free = match self.maps.get_mut(&step) {
            Some(items) => items.take_free(),
            None => return,
        };
        for index in free {
            self.ready(Unit {
                step,
                part: Part::Item(index),
            });
        }
    }

    fn ready(&mut self, unit: Unit) {
        let item = match unit.part {
            Part::Item(index) => index,
            Part::Whole | Part::Undo | Part::UndoItem(_) => 0,
        };
        let kind = self.kind(unit);
        self.ready[kind].push((
            self.priorities[unit.step],
            Reverse(unit.step),
            Reverse(item),
        ));
    }

    /// 1 for calls that wait for the world where those have slots of their own.
    fn kind(&self, unit: Unit) -> usize {
        usize::from(self.slots.waiting.is_some() && self.plan.steps[unit.step].reads_world)
    }

    /// Why a step, or an element of its map, does not start.
    fn barred(&self, step: usize) -> Option<Finished> {
        if let Some(why) = &self.stopped {
            return Some(Finished::cancelled(why.clone()));
        }
        (step > self.stop_at).then(|| Finished::not_run(self.stop_at))
    }

    /// Starts calls while there are slots; what is barred meanwhile is settled.
    fn start(&mut self) {
        let limit = match self.plan.mode_used {
            Mode::Seq => [1, usize::from(self.slots.waiting.is_some())],
            Mode::Dep => [self.slots.compute, self.slots.waiting.unwrap_or(0)],
        };
        for (kind, limit) in limit.into_iter().enumerate() {
            while self.running[kind] < limit {
                let Some((_, Reverse(step), Reverse(item))) = self.ready[kind].pop() else {
                    break;
                };
                let part = match self.maps.contains_key(&step) {
                    true => Part::Item(item),
                    false => Part::Whole,
                };
                let unit = Unit { step, part };
                let began = self.began.contains(&unit);
                if let Some(end) = self.barred(step).filter(|_| !began) {
                    self.settle_unit(unit, end);
                    continue;
                }
                if let (Part::Item(index), Some(items)) = (part, self.maps.get(&step))
                    && items.is_barred(index)
                    && !began
                {
                    self.settle_unit(unit, Finished::default());
                    continue;
                }
                if let Err(why) = self.afford(unit)
                    && !began
                {
                    self.stop(why.clone());
                    self.settle_unit(unit, Finished::cancelled(why));
                    continue;
                }
                self.running[kind] += 1;
                let attempt = self.attempts.entry(unit).or_insert(0);
                *attempt += 1;
                self.commands.push(Command::Start(unit, *attempt));
            }
        }
    }

    /// Charges the budgets for a call before it starts.
    fn afford(&self, unit: Unit) -> Result<(), ToolError> {
        self.meter.take(Kind::Steps, 1)?;
        let cost = self.plan.steps[unit.step].cost_ms.unwrap_or(0);
        self.meter.take(Kind::Cost, cost)
    }
}
