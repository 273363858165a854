//! The state of a running plan as a pure machine: events in, commands out. No threads, no time, no input or output.
//!
//! [`Machine::step`] takes what happened and gives what is to be done next; whoever drives it may be slow, fast or a test that
//! tries every order. A step is ready when all it waits for has ended; the one with the longest way behind it goes first. What
//! a failure means is decided by plan order, not by time: the lowest failing step counts, steps before it still run, and later
//! ones that had already run are reported as not run. So the outcome depends on what calls give, and on no order of events.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap};
use std::sync::Arc;

use tool_core::{ErrorCode, ResourceKey, ToolError, Value};

use super::costs::Costs;
use super::finished::{Finished, StepStatus};
use super::items::{DoneItem, Items};
use super::meter::{Kind, Meter};
use super::obstacle::obstacle;
use super::values::{self, Values};

pub use super::events::{Command, Conclusion, Event, Part, Slots, Unit};
use crate::artifacts;
use crate::check::{CheckedPlan, CheckedStep, is_chain};
use crate::plan::{Mode, OnError};
use crate::reference::Missing;
use crate::template::Placed;

/// What is left when a run stands.
pub(super) struct Parts {
    /// How every step ended by plan order.
    pub(super) settled: Vec<Finished>,
    /// How every step really ended.
    pub(super) real: Vec<Finished>,
    /// What was undone, and how that ended.
    pub(super) undone: Vec<(Unit, Finished)>,
    /// The parts the plan answers with, by the text of their references.
    pub(super) outputs: HashMap<String, Result<Value, Missing>>,
}

/// A unit that may start: longest way first, then plan order, then element.
type Ready = (u64, Reverse<usize>, Reverse<usize>);

/// The state of a running plan.
pub struct Machine<'a> {
    pub(super) plan: &'a CheckedPlan,
    slots: Slots,
    /// By step, the longest way from it to an end, in expected microseconds.
    priorities: Vec<u64>,
    /// Calls that run, by kind: computing, waiting.
    running: [usize; 2],
    ready: [BinaryHeap<Ready>; 2],
    /// By step, how many it still waits for.
    waiting: Vec<u32>,
    /// By wave, how many of its steps have not ended; used by barriers.
    open_in_wave: Vec<usize>,
    wave: usize,
    /// Steps of later waves that are ready but held back by the barrier.
    held: Vec<Vec<usize>>,
    /// Steps whose predecessors have ended and that were not looked at yet.
    offered: Vec<usize>,
    ends: Vec<Option<Finished>>,
    values: Vec<Option<Value>>,
    /// By step, how many still need its value.
    needed: Vec<u32>,
    /// By step, the references of the plan's outputs into it.
    asked: Vec<Vec<usize>>,
    output_references: Vec<Arc<Placed>>,
    output_values: HashMap<String, Result<Value, Missing>>,
    maps: HashMap<usize, Items>,
    /// Of maps that can be undone: the elements whose calls were done.
    done_items: HashMap<usize, Vec<DoneItem>>,
    attempts: HashMap<Unit, u32>,
    sleeping: BTreeSet<Unit>,
    pending: BTreeMap<Unit, Finished>,
    unknown: BTreeMap<Unit, Finished>,
    keying: BTreeSet<usize>,
    /// Lowest step whose failure ends the chain; steps after it do not start.
    stop_at: usize,
    stopped: Option<ToolError>,
    left: usize,
    meter: Arc<Meter>,
    /// Calls to be undone, the next one last; `None` before that.
    to_undo: Option<Vec<Unit>>,
    undoing: bool,
    undone: Vec<(Unit, Finished)>,
    /// Values nobody needs any more; dropped by whoever drives, outside its lock.
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
            done_items: HashMap::new(),
            attempts: HashMap::new(),
            sleeping: BTreeSet::new(),
            pending: BTreeMap::new(),
            unknown: BTreeMap::new(),
            keying: BTreeSet::new(),
            stop_at: usize::MAX,
            stopped: None,
            left: count,
            meter: Meter::new(plan.budget, None),
            to_undo: None,
            undoing: false,
            undone: Vec::new(),
            dropped: Vec::new(),
            commands: Vec::new(),
        };
        for (position, step) in plan.steps.iter().enumerate() {
            machine.open_in_wave[plan.graph.wave(position)] += 1;
            step.uses.iter().for_each(|&used| machine.needed[used] += 1);
            // What undoes a step may be needed until the end.
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

    /// Counting what it uses with a meter of its driver.
    #[must_use]
    pub fn within(mut self, meter: Arc<Meter>) -> Self {
        self.meter = meter;
        self
    }

    /// What is to be done at first.
    pub fn begin(&mut self) -> Vec<Command> {
        self.pump();
        std::mem::take(&mut self.commands)
    }

    /// Takes in what happened, and gives what is to be done next.
    pub fn step(&mut self, event: Event) -> Vec<Command> {
        match event {
            Event::Ended { unit, end, left_ms } => self.ended(unit, *end, left_ms),
            Event::Keyed { step, keys } => {
                if self.keying.remove(&step) {
                    self.keyed(step, &keys);
                }
            }
            Event::Woke(unit) => {
                if self.sleeping.remove(&unit) {
                    self.ready(unit);
                }
            }
            Event::Stop(why) => self.stop(why),
        }
        self.pump();
        std::mem::take(&mut self.commands)
    }

    /// Where the run stands; `None` while something is under way.
    pub fn conclusion(&self) -> Option<Conclusion> {
        let busy = self.running != [0; 2]
            || self.ready.iter().any(|heap| !heap.is_empty())
            || !self.sleeping.is_empty()
            || !self.keying.is_empty()
            || self.undoing;
        if busy {
            None
        } else if self.left == 0 {
            Some(Conclusion::Finished)
        } else if !self.unknown.is_empty() {
            Some(Conclusion::NeedsDecision)
        } else {
            Some(Conclusion::Suspended)
        }
    }

    /// How a step ended, once it has.
    pub fn end(&self, step: usize) -> Option<&Finished> {
        self.ends[step].as_ref()
    }

    /// Values that nobody needs any more.
    pub(super) fn take_dropped(&mut self) -> Vec<Value> {
        std::mem::take(&mut self.dropped)
    }

    /// What the arguments of a call refer to.
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

    /// How often a call was made.
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
        loop {
            while let Some(step) = self.offered.pop() {
                self.look_at(step);
            }
            self.start();
            if self.offered.is_empty() && !self.wind_up() {
                return;
            }
        }
    }

    /// Whether a step runs, now that all it waits for has ended.
    fn look_at(&mut self, step: usize) {
        if let Some(end) = self.barred(step) {
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
        let together = self.plan.parallel_mutations && self.plan.mode_used == Mode::Dep;
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
        usize::from(self.slots.waiting.is_some() && self.plan.steps[unit.step].waits)
    }

    /// Why a step, or an element of its map, does not start any more.
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
                if let Some(end) = self.barred(step) {
                    self.settle_unit(unit, end);
                    continue;
                }
                if let (Part::Item(index), Some(items)) = (part, self.maps.get(&step))
                    && items.is_barred(index)
                {
                    self.settle_unit(unit, Finished::default());
                    continue;
                }
                if let Err(why) = self.afford(unit) {
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

    /// Takes what a call needs of the budgets before it starts.
    fn afford(&self, unit: Unit) -> Result<(), ToolError> {
        self.meter.take(Kind::Steps, 1)?;
        let cost = self.plan.steps[unit.step].cost_ms.unwrap_or(0);
        self.meter.take(Kind::Cost, cost)
    }

    fn ended(&mut self, unit: Unit, mut end: Finished, left_ms: Option<u64>) {
        let attempts = self.attempts.get(&unit).copied().unwrap_or(1);
        end.attempts = attempts;
        if unit.part.undoes() {
            self.undoing = false;
            self.undone.push((unit, end));
            return;
        }
        let kind = self.kind(unit);
        self.running[kind] = self.running[kind].saturating_sub(1);
        self.spend(unit, &end);
        match end.status {
            StepStatus::Pending => match &self.stopped {
                Some(why) => {
                    let end = Finished::cancelled(why.clone());
                    self.settle_unit(unit, end);
                }
                None => drop(self.pending.insert(unit, end)),
            },
            StepStatus::Unknown => drop(self.unknown.insert(unit, end)),
            StepStatus::Failed if self.stopped.is_none() => {
                match self.retry_after(unit, &end, attempts, left_ms) {
                    Some(ms) => {
                        self.sleeping.insert(unit);
                        self.commands.push(Command::Sleep(unit, ms));
                    }
                    None => self.settle_unit(unit, end),
                }
            }
            _ => self.settle_unit(unit, end),
        }
    }

    /// Counts a call that ended against the budgets.
    fn spend(&mut self, unit: Unit, end: &Finished) {
        let took = end.ended.saturating_sub(end.began);
        // What a plan within this one took was counted call by call.
        let ms = match is_chain(self.plan.steps[unit.step].tool) {
            true => 0,
            false => u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
        };
        let bytes = |kind: Kind, measure: &dyn Fn(&Value) -> u64| match &end.output {
            Some(output) if self.meter.limits(kind) => measure(output),
            _ => 0,
        };
        let spent = [
            (Kind::CpuMs, ms),
            (Kind::BytesOut, bytes(Kind::BytesOut, &Value::memory_bytes)),
            (
                Kind::ArtifactBytes,
                bytes(Kind::ArtifactBytes, &artifacts::bytes_in_files),
            ),
        ];
        for (kind, amount) in spent {
            if let Err(why) = self.meter.spend(kind, amount) {
                self.stop(why);
            }
        }
    }

    /// After how long a failed call is made again; `None` when it is not.
    fn retry_after(
        &self,
        unit: Unit,
        end: &Finished,
        attempts: u32,
        left_ms: Option<u64>,
    ) -> Option<u64> {
        let step = &self.plan.steps[unit.step];
        let error = end.error.as_ref()?;
        if attempts > step.retry.max || !step.retry.covers(error.code(), error.reason_str()) {
            return None;
        }
        // What was stopped half-way may have happened.
        let may_have_happened = !step.effects.is_empty() && !step.idempotent;
        if may_have_happened && matches!(error.code(), ErrorCode::Timeout | ErrorCode::Internal) {
            return None;
        }
        let index = match unit.part {
            Part::Item(index) => index as u64,
            Part::Whole | Part::Undo | Part::UndoItem(_) => 0,
        };
        let seed = crate::check::item_seed(self.plan.seed, &step.id, index);
        let share = tool_core::rng::derive_seed(seed.get(), "retry", u64::from(attempts));
        let ms = step.retry.wait_ms(attempts, share as f64 / u64::MAX as f64);
        (left_ms.is_none_or(|left| left > ms)).then_some(ms)
    }

    fn stop(&mut self, why: ToolError) {
        if self.stopped.is_some() {
            return;
        }
        self.stopped = Some(why.clone());
        let asleep = std::mem::take(&mut self.sleeping);
        let pending = std::mem::take(&mut self.pending);
        for unit in asleep.into_iter().chain(pending.into_keys()) {
            self.settle_unit(unit, Finished::cancelled(why.clone()));
        }
        for step in std::mem::take(&mut self.keying) {
            self.spread(step);
        }
        // What is ready is settled as it comes up.
        for kind in 0..2 {
            while let Some((_, Reverse(step), Reverse(item))) = self.ready[kind].pop() {
                let part = match self.maps.contains_key(&step) {
                    true => Part::Item(item),
                    false => Part::Whole,
                };
                self.settle_unit(Unit { step, part }, Finished::cancelled(why.clone()));
            }
        }
    }

    fn settle_unit(&mut self, unit: Unit, end: Finished) {
        let Part::Item(index) = unit.part else {
            return self.settle(unit.step, end);
        };
        let Some(items) = self.maps.get_mut(&unit.step) else {
            return;
        };
        if !items.settle(index, end) {
            return self.spread(unit.step);
        }
        if self.plan.steps[unit.step].compensate.is_some() {
            self.done_items.insert(unit.step, items.done());
        }
        let whole = items.gather();
        self.maps.remove(&unit.step);
        self.settle(unit.step, whole);
    }

    /// Enters how a step ended.
    fn settle(&mut self, position: usize, mut end: Finished) {
        let step = &self.plan.steps[position];
        let failed = matches!(end.status, StepStatus::Failed | StepStatus::Denied);
        if failed && step.on_error == OnError::FailChain {
            self.stop_at = self.stop_at.min(position);
        }
        if let Some(value) = end.output.take() {
            self.answer(position, &value);
            if self.needed[position] > 0 {
                self.values[position] = Some(value);
            } else {
                self.dropped.push(value);
            }
        }
        for &used in &step.uses {
            self.release_value(used);
        }
        self.ends[position] = Some(end);
        self.left -= 1;
        self.commands.push(Command::Settled(position));
        self.release(position);
    }

    fn release_value(&mut self, used: usize) {
        self.needed[used] = self.needed[used].saturating_sub(1);
        if self.needed[used] == 0 {
            self.dropped.extend(self.values[used].take());
        }
    }

    /// Keeps the parts of a value that the plan answers with.
    fn answer(&mut self, position: usize, value: &Value) {
        for &number in &self.asked[position] {
            let reference = &self.output_references[number].reference;
            let part = reference.resolve(value);
            self.output_values.insert(reference.to_string(), part);
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
            for step in std::mem::take(&mut self.held[self.wave]) {
                self.offer(step);
            }
        }
    }

    /// When nothing is under way: steps that wait for a person behind the end of the chain do not run, and a chain that did not
    /// succeed is undone. Gives whether there is more to do.
    fn wind_up(&mut self) -> bool {
        if self.conclusion().is_none() {
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
        if self.left > 0 {
            return false;
        }
        let to_undo = match &mut self.to_undo {
            Some(to_undo) => to_undo,
            None => {
                let to_undo = self.calls_to_undo();
                self.to_undo.insert(to_undo)
            }
        };
        // The next one starts when this one has ended.
        if let Some(unit) = to_undo.pop() {
            self.undoing = true;
            self.attempts.insert(unit, 1);
            self.commands.push(Command::Start(unit, 1));
        }
        false
    }

    /// Calls that were done and say how they are undone, in plan order, where the chain ended early; of a map those of its
    /// elements, also where it was not done as a whole.
    fn calls_to_undo(&self) -> Vec<Unit> {
        let denied = |end: &Option<Finished>| {
            end.as_ref()
                .is_some_and(|end| end.status == StepStatus::Denied)
        };
        let early =
            self.stopped.is_some() || self.stop_at != usize::MAX || self.ends.iter().any(denied);
        let is_done = |step: usize| {
            let end = self.ends[step].as_ref();
            end.is_some_and(|end| end.status == StepStatus::Done)
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

    /// How every step ended by plan order, how it really ended, and the parts the plan answers with.
    pub(super) fn into_parts(mut self) -> Parts {
        let mut open: BTreeMap<usize, Finished> = BTreeMap::new();
        for (unit, end) in std::mem::take(&mut self.pending)
            .into_iter()
            .chain(std::mem::take(&mut self.unknown))
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
            let by_order = if position <= self.stop_at || end.status == StepStatus::Cancelled {
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
            outputs: self.output_values,
        }
    }
}
