//! Threads that execute the commands of the machine: calls through the dispatcher, waits, and notifications of the observer.
//!
//! One lock holds the machine and its queue of commands. A worker takes a command, does it without the lock, and gives the
//! machine what happened; further threads are started only when there is more to do than threads that could.

use std::cmp::Reverse;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, Scope};
use std::time::Duration;

use registry::{ApprovalAnswer, CallRequest, ChainPosition, Dispatcher, NestedRunAllowance};
use tool_core::ctx::Progress;
use tool_core::{CallOutcome, Reason, StopFlag, ToolError, Value, tool_error, verification};

use super::core::RunCore;
use super::events::{CallAttempt, CallPart, CallSlots, CallUnit, MachineCommand, RunEvent};
use super::finished::{StepOutcome, StepStatus};
use super::limit::RunTimeLimit;
use super::machine::{PriorProcesses, RunMachine, RunMachineResult};
use super::memory::{CallRecall, RunMemory};
use super::meter::UsageMeter;
use super::options::{STACK_BYTES, StepObserver};
use super::order::ToolCosts;
use super::processors::process_processors;
use super::values;
use crate::check::{CheckedPlan, CheckedStep, is_chain, item_seed};
use crate::cluster::Cluster;
use crate::plan::Approval;
use crate::template::ArgumentNode;

/// Maximum size of the arguments of one call in bytes; a value used several times counts each time.
const ARGS_BYTES_MAX: u64 = 1 << 30;
/// Interval at which waiting threads check for a stop.
pub(super) const LOOK_AGAIN: Duration = Duration::from_millis(20);
/// Maximum size of the results that a run retains for their digests; further results are digested at once.
const KEPT_BYTES_MAX: u64 = 1 << 30;

/// One run: the plan, its limits and its observer.
pub(super) struct RunJob<'a> {
    pub(super) plan: &'a CheckedPlan,
    pub(super) dispatcher: &'a Dispatcher,
    pub(super) chain_id: &'a str,
    pub(super) limit: &'a RunTimeLimit,
    pub(super) meter: Arc<UsageMeter>,
    pub(super) observer: Option<&'a Arc<dyn StepObserver>>,
    pub(super) memory: Option<&'a RunMemory>,
    /// The engine that computes calls elsewhere.
    pub(super) cluster: Option<&'a Arc<Cluster>>,
    pub(super) slots: CallSlots,
    pub(super) calls_max: Option<usize>,
}

/// The threads that serve one run, and what they share.
pub(super) struct RunWorkers<'a> {
    pub(super) job: RunJob<'a>,
    started: Duration,
    core: Mutex<RunCore<'a>>,
    pub(super) wake: Condvar,
    /// Notified when nothing is left to do.
    pub(super) over: Condvar,
    /// Set when the process is to end: the only flag that undoing calls obey.
    pub(super) back: StopFlag,
    /// Bytes of results that are retained for their digests.
    kept: AtomicU64,
}

impl<'a> RunWorkers<'a> {
    pub(super) fn new(job: RunJob<'a>, costs: &ToolCosts) -> Self {
        let ending = job.memory.and_then(RunMemory::ending);
        let stopped = ending.filter(|ending| ending.is_stop);
        let began = job
            .memory
            .map(|memory| memory.began(job.plan, job.chain_id));
        let prior = PriorProcesses {
            asks: job.memory.is_some(),
            began: began.unwrap_or_default(),
            is_ended: ending.is_some(),
            ends_with: stopped.map(|ending| ending.why.clone()),
        };
        let machine = RunMachine::new(job.plan, job.slots, costs);
        let machine = machine.within(Arc::clone(&job.meter), prior);
        let machine = machine.limited(job.calls_max);
        Self {
            started: job.dispatcher.host().clock.monotonic(),
            core: Mutex::new(RunCore::begin(machine, job.observer.is_some())),
            wake: Condvar::new(),
            over: Condvar::new(),
            back: StopFlag::new(),
            kept: AtomicU64::new(0),
            job,
        }
    }

    /// Replays the recorded part of the run before anything is called or stopped.
    fn catch_up(&self) {
        let Some(memory) = self.job.memory else {
            return;
        };
        let is_known_next = |unit: CallUnit| {
            let attempts = self.lock().machine.attempts(unit);
            memory.knows(unit, attempts + 1)
        };
        let mut later = VecDeque::new();
        let next = || self.lock().pop().map(|(command, _)| command);
        while let Some(command) = next() {
            match command {
                MachineCommand::Start(unit, attempt) if memory.knows(unit, attempt) => {
                    let end = self.call(unit, attempt);
                    self.ended(unit, end);
                }
                MachineCommand::Sleep(unit, _) if memory.is_replay() || is_known_next(unit) => {
                    self.tell(RunEvent::Woke(unit));
                }
                MachineCommand::Key(step) => drop(self.key(step)),
                other => later.push_back(other),
            }
        }
        let mut core = self.lock();
        if let Some(ending) = memory.ending() {
            core.told_to_stop = true;
            if ending.is_stop {
                core.feed(RunEvent::Stop(ending.why.clone()));
            }
        }
        core.push(later);
    }

    /// Serves the run on its own threads until it stops; on this thread if none can be started. Also returns the error that
    /// prevented recording.
    pub(super) fn serve(self) -> (RunMachineResult, Option<ToolError>) {
        self.catch_up();
        std::thread::scope(|scope| {
            if self.hire(scope) {
                self.watch();
            } else {
                self.lock().threads += 1;
                self.work(scope);
            }
        });
        let core = self.core.into_inner();
        let core = core.unwrap_or_else(PoisonError::into_inner);
        let mut parts = core.machine.into_parts();
        if core.broken.is_some() {
            parts.conclusion = None; // it stopped where it could not be recorded
        }
        (parts, core.broken)
    }

    /// Starts one more thread.
    fn hire<'scope>(&'scope self, scope: &'scope Scope<'scope, '_>) -> bool {
        let number = {
            let mut core = self.lock();
            core.threads += 1;
            core.threads
        };
        let thread = Builder::new().name(format!("step-{number}"));
        let thread = thread.stack_size(STACK_BYTES);
        let hired = thread.spawn_scoped(scope, move || self.work(scope)).is_ok();
        if !hired {
            self.lock().threads -= 1;
        }
        hired
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, RunCore<'a>> {
        self.core.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn work<'scope>(&'scope self, scope: &'scope Scope<'scope, '_>) {
        let _over = WorkerEndGuard(self);
        while let Some((command, more)) = self.next() {
            // Before the command is executed, which may take long, so that other commands do not wait for it.
            if more {
                self.hire(scope);
            }
            // Large values that an event returns are freed here, outside the lock.
            match command {
                MachineCommand::Start(unit, attempt) => {
                    let why = self.barred(unit, attempt).map(StepOutcome::cancelled);
                    let end = why.unwrap_or_else(|| self.call(unit, attempt));
                    drop(self.ended(unit, end));
                }
                MachineCommand::WriteEnd => self.write_end(),
                MachineCommand::Key(step) => drop(self.key(step)),
                MachineCommand::Settled(step) => self.report(step),
                MachineCommand::Sleep(unit, ms) => {
                    // In a run that ends, only recorded calls follow the wait.
                    let ms = if self.ended_by().is_some() { 0 } else { ms };
                    let due = self.elapsed() + Duration::from_millis(ms);
                    self.lock().timers.push(Reverse((due, unit)));
                }
            }
        }
        self.wake.notify_all();
    }

    /// The next command, once there is one, and whether another thread is needed for those behind it; none at the end.
    fn next(&self) -> Option<(MachineCommand, bool)> {
        let mut core = self.lock();
        loop {
            self.look(&mut core);
            if let Some((command, more)) = core.pop() {
                let may_hire = core.threads < core.machine.threads_max();
                return Some((command, more && may_hire));
            }
            if core.machine.conclusion().is_some() {
                return None;
            }
            let now = self.elapsed();
            let due = core.timers.peek().map(|Reverse((due, _))| *due);
            if due.is_some_and(|due| due <= now) {
                if let Some(Reverse((_, unit))) = core.timers.pop() {
                    core.feed(RunEvent::Woke(unit));
                }
                continue;
            }
            core.idle += 1;
            core = match due {
                Some(due) => {
                    let wait = (due - now).min(LOOK_AGAIN);
                    let waited = self.wake.wait_timeout(core, wait);
                    waited.unwrap_or_else(PoisonError::into_inner).0
                }
                None => self.wake.wait(core).unwrap_or_else(PoisonError::into_inner),
            };
            core.idle -= 1;
        }
    }

    /// Feeds an event to the machine; returns values to drop outside the lock.
    fn tell(&self, event: RunEvent) -> Vec<Value> {
        let mut core = self.lock();
        // A call that ends because of a stop is processed after the stop.
        self.look(&mut core);
        core.feed(event);
        let dropped = core.machine.take_dropped();
        // This worker takes the next command itself.
        match core.len() {
            0 | 1 => {}
            2 => self.wake.notify_one(),
            _ => self.wake.notify_all(),
        }
        dropped
    }

    fn ended(&self, unit: CallUnit, end: StepOutcome) -> Vec<Value> {
        let left_ms = self.left_ms(unit);
        let end = Box::new(end);
        self.tell(RunEvent::Ended { unit, end, left_ms })
    }

    /// Milliseconds left of the deadline of a step.
    fn left_ms(&self, unit: CallUnit) -> Option<u64> {
        let deadline = self.job.plan.steps[unit.step].deadline_ms?;
        let now = self.elapsed();
        let began = *self.lock().begun.entry(unit).or_insert(now);
        let spent = u64::try_from(now.saturating_sub(began).as_millis()).unwrap_or(u64::MAX);
        Some(deadline.saturating_sub(spent))
    }

    fn report(&self, step: usize) {
        let end = self.lock().machine.end(step).cloned();
        if let (Some(observer), Some(end)) = (self.job.observer, end) {
            call_observer(|| observer.finished(&self.job.plan.steps[step], step, &end));
        }
    }

    fn elapsed(&self) -> Duration {
        let now = self.job.dispatcher.host().clock.monotonic();
        now.saturating_sub(self.started)
    }

    /// Determines the resources of the calls of a map; none where the arguments are invalid, which the call itself reports.
    fn key(&self, step: usize) -> Vec<Value> {
        let (plan, dispatcher) = (self.job.plan, self.job.dispatcher);
        let checked = &plan.steps[step];
        let count = self.lock().machine.items(step);
        let tool = dispatcher.resolve(checked.tool, &plan.context).ok();
        let keys = |index: usize| {
            let values = self.lock().machine.values(CallUnit::item(step, index));
            let bound = values.bind(plan, &checked.args, &mut Vec::new());
            let call = tool?.decode(bound.ok()?.literal()?).ok()?;
            dispatcher.resource_keys(tool?, &*call).ok()
        };
        let keys = (0..count).map(|index| keys(index).unwrap_or_default());
        let keys = keys.collect();
        self.tell(RunEvent::Keyed { step, keys })
    }

    /// Makes one call through the dispatcher, unless its end is recorded, and records its end.
    fn call(&self, unit: CallUnit, number: u32) -> StepOutcome {
        let (attempt, halted) = {
            let core = self.lock();
            (core.machine.attempt(unit, number), core.halted)
        };
        let Some(memory) = self.job.memory else {
            return self.call_guarded(attempt, None);
        };
        if halted && memory.is_open(unit) && !memory.knows(unit, number) {
            return memory.undecided(attempt);
        }
        let is_nested = is_chain(attempt.step.tool);
        let ending = !unit.part.undoes() && self.ended_by().is_some();
        let mut end = match memory.recall(attempt, ending) {
            Ok(CallRecall::Ended(end)) => *end,
            Ok(CallRecall::Call) if ending && is_nested => self.inner(unit, number),
            Ok(CallRecall::Call) => self.call_guarded(attempt, None),
            Ok(CallRecall::Began(before)) => {
                let end = self.call_guarded(attempt, Some(before));
                let error = end.error.as_ref();
                match error.is_some_and(|error| error.is(Reason::OutcomeUnknown)) {
                    true => memory.undecided(attempt),
                    false => end,
                }
            }
            Err(err) => return self.broken(err),
        };
        // A nested plan has hints of its own how to decide its calls.
        if end.status == StepStatus::Unknown && !is_nested && memory.journal().is_some() {
            let ends = !self.job.limit.is_interrupted() && self.ended_by().is_some();
            end.error = end.error.map(|error| memory.asked(attempt, error, ends));
        }
        match memory.keep(attempt, &end) {
            Ok(()) if unit.part.item().is_some() => end.without_recorded_facts(),
            Ok(()) => end,
            Err(err) => self.broken(err),
        }
    }

    /// Stops a run that cannot be recorded.
    pub(super) fn broken(&self, why: ToolError) -> StepOutcome {
        let mut core = self.lock();
        core.broken.get_or_insert_with(|| why.clone());
        if !core.told_to_stop {
            core.told_to_stop = true;
            core.feed(RunEvent::Stop(why.clone()));
        }
        StepOutcome::cancelled(why)
    }

    /// Makes a call; `began` is the intent recorded by an interrupted process.
    fn call_guarded(&self, attempt: CallAttempt<'_>, began: Option<Value>) -> StepOutcome {
        // A panic here would be a defect of this crate; the other steps continue.
        let call = AssertUnwindSafe(|| self.call_unguarded(attempt, began));
        let defect = |_| StepOutcome::failed(tool_error!(Internal, "the step could not be called"));
        catch_unwind(call).unwrap_or_else(defect)
    }

    fn call_unguarded(&self, attempt: CallAttempt<'_>, noted: Option<Value>) -> StepOutcome {
        let (plan, limit, observer) = (self.job.plan, self.job.limit, self.job.observer);
        let CallAttempt { step, unit, .. } = attempt;
        let (values, undoes) = (self.lock().machine.values(unit), unit.part.undoes());
        // Occupied until the call has ended; waiting for it does not count as duration.
        let ending = self.ended_by().is_some() && noted.is_some();
        let waits = step.reads_world || (self.job.cluster.is_some() && step.may_leave());
        let processor = (!waits).then(|| process_processors().take(limit.stop()));
        let _processor = match processor.transpose() {
            Err(why) if !undoes && !ending => return StepOutcome::cancelled(why),
            taken => taken,
        };
        let first = matches!(unit.part, CallPart::Whole | CallPart::Item(0)) && attempt.number == 1;
        if let Some(observer) = observer.filter(|_| first) {
            call_observer(|| observer.started(step, unit.step, plan.graph.wave(unit.step)));
        }
        let began = self.elapsed();
        let left_ms = self.left_ms(unit);
        let mut defaults_used = Vec::new();
        let args = values.bind(plan, &step.args, &mut defaults_used);
        drop(values);
        let outcome = match args.as_ref().map(ArgumentNode::literal) {
            Ok(Some(args)) => self.dispatch(attempt, args, noted, left_ms),
            Ok(None) => {
                let error = tool_error!(Internal, "an argument was left without a value");
                CallOutcome::error(error)
            }
            Err(err) => CallOutcome::error(err.clone()),
        };
        // The result of a map is digested as a whole when its last call has ended.
        let keep = |bytes| {
            let kept = || self.kept.fetch_add(bytes, Ordering::Relaxed) + bytes;
            unit.part == CallPart::Whole && kept() <= KEPT_BYTES_MAX
        };
        let journal = self.job.memory.and_then(RunMemory::journal);
        let run = journal.map(|journal| journal.id());
        let mut end = StepOutcome::of_outcome(step, outcome, self.stop(unit, false), run, keep);
        if !undoes {
            let is_late = self.left_ms(unit) == Some(0);
            limit.explain(&mut end, is_late, step.deadline_ms);
        }
        end.defaults_used = defaults_used;
        (end.began, end.ended) = (began, self.elapsed());
        end
    }

    /// The flag that stops a call. Compensations run also after the run was stopped, and so does the probe of a call that may
    /// have happened.
    fn stop(&self, unit: CallUnit, ending: bool) -> &StopFlag {
        match unit.part.undoes() || ending {
            true => &self.back,
            false => self.job.limit.stop(),
        }
    }

    fn dispatch(
        &self,
        attempt: CallAttempt<'_>,
        args: &Value,
        noted: Option<Value>,
        left_ms: Option<u64>,
    ) -> CallOutcome {
        let (plan, dispatcher) = (self.job.plan, self.job.dispatcher);
        let CallAttempt { step, unit, .. } = attempt;
        let ending = !unit.part.undoes() && noted.is_some() && self.ended_by().is_some();
        // Before the arguments are read: shared parts count at each use.
        let most = dispatcher.limits().memory_bytes.min(ARGS_BYTES_MAX);
        let refused = values::too_large(args, most)
            .or_else(|| values::injected_file(dispatcher, plan, step, args));
        if let Some(refused) = refused {
            return CallOutcome::error(refused);
        }
        let mut context = plan.context.clone();
        context.origin = context.origin.of_step();
        context.person = None;
        context.chain = Some(ChainPosition {
            chain_id: self.job.chain_id.to_owned(),
            chain_index: unit.step,
            step: step.id.to_string(),
            item: unit.part.item(),
            attempt: attempt.number,
            part: self.job.memory.map_or(1, RunMemory::part),
            wave: plan.graph.wave(unit.step),
            requires_approval: step.approval == Approval::Required,
            planned: step.is_settled().then(|| step.resources.clone()),
            began: noted,
            ending,
            plans: step.plans.clone(),
            allowance: NestedRunAllowance::new(Arc::clone(&self.job.meter) as _),
        });
        if step.approval == Approval::NeverAsk && context.answer == ApprovalAnswer::Ask {
            context.answer = ApprovalAnswer::Unattended;
        }
        let progress = self.job.observer.map(|observer| {
            let observer = Arc::clone(observer);
            Arc::new(move |fraction, words: &str| {
                call_observer(|| observer.progress(unit.step, fraction, words));
            }) as Arc<Progress>
        });
        let seed = match unit.part {
            CallPart::Item(index) => item_seed(plan.seed, &step.id, index as u64),
            CallPart::Whole | CallPart::Undo | CallPart::UndoItem(_) => step.seed,
        };
        let remote = match self.remote(step, unit, left_ms) {
            Ok(remote) => remote,
            Err(err) => return CallOutcome::error(err),
        };
        dispatcher.call(CallRequest {
            tool: step.tool.to_owned(),
            args: self.with_verification(step, args),
            context,
            seed,
            timeout_ms: step.timeout_ms.into_iter().chain(left_ms).min(),
            stop: self.stop(unit, ending).clone(),
            progress,
            client: None,
            remote,
        })
    }

    /// The arguments, with `verify` where the plan wants it, the tool takes it, and the step does not say it.
    fn with_verification(&self, step: &CheckedStep, args: &Value) -> Value {
        let tool = self.job.dispatcher.catalogue().get(step.tool);
        let wanted = self.job.plan.verify.is_some() && tool.is_some_and(|tool| tool.verifies());
        match args.as_object() {
            Some(object) if wanted && object.get(verification::ARGUMENT).is_none() => {
                let mut object = object.clone();
                object.insert(verification::ARGUMENT, verification::INDEPENDENT);
                Value::from(object)
            }
            _ => args.clone(),
        }
    }
}

/// Notifies the watcher when a thread ends, also by a panic.
struct WorkerEndGuard<'a, 'b>(&'a RunWorkers<'b>);

impl Drop for WorkerEndGuard<'_, '_> {
    fn drop(&mut self) {
        self.0.lock().is_over = true;
        self.0.over.notify_all();
    }
}

/// Calls an observer and ignores its panics.
fn call_observer(call: impl FnOnce()) {
    let _ = catch_unwind(AssertUnwindSafe(call));
}
