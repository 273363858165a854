//! Execution: a ready set served by a bounded pool of own threads, in an order that never shows in the result.
//!
//! A step is ready when all it waits for has ended; the one with the longest way behind it goes first. What a failure means
//! is decided by plan order, not by time: the lowest failing step counts, steps before it still run, and a later step that
//! had already run when it failed is reported as not run (with a warning that names it). So the deterministic part of the
//! result is the same for any number of threads, for `dep` and `seq`, with and without barriers.

mod engine;
mod finished;
mod report;

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use registry::{CallRequest, CallerContext, ChainPosition, Dispatcher};
use tool_core::capability::Durability;
use tool_core::ctx::Progress;
use tool_core::{Object, Outcome, StopFlag, Value};

use crate::check::{CheckedPlan, CheckedStep, check};
use crate::plan::{Mode, Plan};
use crate::problem::Problems;
use engine::{Engine, Task};
pub use finished::{Finished, StepStatus};
pub use report::{ChainResult, ChainStatus, StepReport};

/// Stack of each step's thread, in bytes.
pub const STACK_BYTES: usize = 8 << 20;
/// Most threads of a chain.
pub const THREADS_MAX: usize = 32;

/// How a plan is run.
#[derive(Clone, Default)]
pub struct RunOptions {
    /// Steps that run at once; 0 for one per processor, at most [`THREADS_MAX`].
    pub threads: usize,
    /// Set from outside to cancel.
    pub stop: StopFlag,
    /// Longest run of the whole chain, in milliseconds; then no further step starts and running ones are stopped.
    pub timeout_ms: Option<u64>,
    /// Told of steps as they start and end.
    pub observer: Option<Arc<dyn Observer>>,
    /// The chain's id; made when none is given.
    pub chain_id: Option<String>,
}

/// Told of steps as they start and end, from the threads that run them; a panic in it is swallowed.
pub trait Observer: Send + Sync {
    /// A step starts.
    fn started(&self, step: &CheckedStep, position: usize, wave: usize) {
        let _ = (step, position, wave);
    }

    /// A running step reports progress: a fraction from 0 to 1 and a few words.
    fn progress(&self, position: usize, fraction: f64, words: &str) {
        let _ = (position, fraction, words);
    }

    /// A step ended, or will not run.
    fn finished(&self, step: &CheckedStep, position: usize, end: &Finished) {
        let _ = (step, position, end);
    }
}

/// Checks a plan and runs it; a plan that is refused leaves an audit record with the reasons.
///
/// # Errors
/// Every problem of the plan; nothing has run then.
pub fn execute(
    plan: &Plan,
    dispatcher: &Dispatcher,
    context: &CallerContext,
    inputs: &Object,
    options: RunOptions,
) -> Result<ChainResult, Problems> {
    match check(plan, dispatcher, context, inputs) {
        Ok(checked) => Ok(run(&checked, dispatcher, options)),
        Err(problems) => {
            record_rejection(plan, dispatcher, context, &problems);
            Err(problems)
        }
    }
}

/// Leaves the audit record of a plan that was refused. A rejected plan had no effect, so a ledger that fails is no error.
pub fn record_rejection(
    plan: &Plan,
    dispatcher: &Dispatcher,
    context: &CallerContext,
    problems: &Problems,
) {
    let record = report::rejection(plan, context, problems, dispatcher.host().clock.unix_ms());
    if let Some(ledger) = &dispatcher.host().ledger {
        let _ = ledger.record(&record, Durability::Batched);
    }
}

/// Runs a checked plan.
pub fn run(plan: &CheckedPlan, dispatcher: &Dispatcher, options: RunOptions) -> ChainResult {
    let clock = Arc::clone(&dispatcher.host().clock);
    let started = clock.monotonic();
    let started_unix_ms = clock.unix_ms();
    let chain_id = match &options.chain_id {
        Some(id) => id.clone(),
        None => new_chain_id(plan, started_unix_ms, started),
    };
    // Also without a deadline a flag of its own: what stops this chain does not stop what the caller does next.
    let stop = options.stop.child();
    let alarm = options
        .timeout_ms
        .map(|ms| clock.alarm(Duration::from_millis(ms), stop.clone()));
    let threads = threads(plan, options.threads);
    let runner = Runner {
        plan,
        dispatcher,
        chain_id: &chain_id,
        stop: &stop,
        observer: options.observer.as_ref(),
        started,
        engine: Mutex::new(Engine::new(plan)),
        wake: std::sync::Condvar::new(),
    };
    runner.serve(threads);
    drop(alarm);
    let engine = runner
        .engine
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner);
    let elapsed = clock.monotonic().saturating_sub(started);
    let mut result = report::compose(
        plan,
        engine,
        chain_id.clone(),
        threads,
        started_unix_ms,
        elapsed,
    );
    result.record(plan, dispatcher);
    result
}

/// How many threads serve a plan.
fn threads(plan: &CheckedPlan, asked: usize) -> usize {
    if plan.mode_used == Mode::Seq {
        return 1;
    }
    let available = || std::thread::available_parallelism().map_or(1, usize::from);
    let threads = if asked == 0 { available() } else { asked };
    threads.clamp(1, THREADS_MAX).min(plan.steps.len().max(1))
}

/// Twelve hex digits that no other chain of this machine has, as far as time and process tell.
fn new_chain_id(plan: &CheckedPlan, unix_ms: u64, monotonic: Duration) -> String {
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    let count = COUNTER.fetch_add(1, Ordering::Relaxed);
    let parts = [
        plan.digest.clone(),
        unix_ms.to_string(),
        monotonic.as_nanos().to_string(),
        std::process::id().to_string(),
        count.to_string(),
    ];
    let mut digest = registry::digest::of_texts(parts.iter().map(String::as_str));
    digest.truncate(12);
    digest
}

struct Runner<'a> {
    plan: &'a CheckedPlan,
    dispatcher: &'a Dispatcher,
    chain_id: &'a str,
    stop: &'a StopFlag,
    observer: Option<&'a Arc<dyn Observer>>,
    started: Duration,
    engine: Mutex<Engine<'a>>,
    wake: std::sync::Condvar,
}

impl<'a> Runner<'a> {
    /// Serves the plan on own threads; where the machine gives none, on this one.
    fn serve(&self, threads: usize) {
        std::thread::scope(|scope| {
            let mut serving = 0;
            for number in 0..threads {
                let builder = std::thread::Builder::new()
                    .name(format!("step-{number}"))
                    .stack_size(STACK_BYTES);
                serving += usize::from(builder.spawn_scoped(scope, || self.work()).is_ok());
            }
            if serving == 0 {
                self.work();
            }
        });
    }

    fn work(&self) {
        let mut engine = self.lock();
        loop {
            match engine.next(self.stop) {
                Some(Task::Run(position)) => {
                    let values = engine.take_values(position);
                    drop(engine);
                    // A panic here would be a defect of this crate; the other steps still go on.
                    let call = AssertUnwindSafe(|| self.call(position, &values));
                    let end = catch_unwind(call).unwrap_or_else(|_| Finished::defect());
                    drop(values);
                    engine = self.settle(position, end);
                }
                Some(Task::Settle(position, end)) => {
                    drop(engine);
                    engine = self.settle(position, *end);
                }
                None if engine.is_finished() => break,
                None => {
                    engine = self
                        .wake
                        .wait(engine)
                        .unwrap_or_else(PoisonError::into_inner)
                }
            }
        }
        drop(engine);
        self.wake.notify_all();
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Engine<'a>> {
        self.engine.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Enters how a step ended; values nobody needs any more are dropped outside the lock.
    fn settle(&self, position: usize, end: Finished) -> std::sync::MutexGuard<'_, Engine<'a>> {
        if let Some(observer) = self.observer {
            guarded(|| observer.finished(&self.plan.steps[position], position, &end));
        }
        let mut engine = self.lock();
        let dropped = engine.settle(position, end);
        if !dropped.is_empty() {
            drop(engine);
            drop(dropped);
            engine = self.lock();
        }
        // This worker takes the next step itself; others are woken for what is left.
        match engine.ready_count() {
            0 | 1 => {}
            2 => self.wake.notify_one(),
            _ => self.wake.notify_all(),
        }
        engine
    }

    fn elapsed(&self) -> Duration {
        self.dispatcher
            .host()
            .clock
            .monotonic()
            .saturating_sub(self.started)
    }

    /// Runs one step through the dispatcher.
    fn call(&self, position: usize, values: &HashMap<usize, Option<Value>>) -> Finished {
        let step = &self.plan.steps[position];
        let wave = self.plan.graph.wave(position);
        if let Some(observer) = self.observer {
            guarded(|| observer.started(step, position, wave));
        }
        let began = self.elapsed();
        let mut defaults_used = Vec::new();
        let args = step.args.bind(&mut |placed| {
            engine::value_of(self.plan, placed, values, &mut defaults_used).map(Some)
        });
        let outcome = match args {
            Ok(args) => match args.literal() {
                Some(args) => self.dispatch(position, wave, args),
                None => Outcome::error(tool_core::ToolError::new(
                    tool_core::ErrorCode::Internal,
                    "an argument was left without a value",
                )),
            },
            Err(err) => Outcome::error(err),
        };
        let mut end = Finished::of_outcome(step, outcome, self.stop);
        end.defaults_used = defaults_used;
        end.began = began;
        end.ended = self.elapsed();
        end
    }

    fn dispatch(&self, position: usize, wave: usize, args: &Value) -> Outcome {
        let step = &self.plan.steps[position];
        if let Some(refused) = engine::smuggled_file(self.dispatcher, self.plan, step, args) {
            return Outcome::error(refused);
        }
        let mut context = self.plan.context.clone();
        context.chain = Some(ChainPosition {
            chain_id: self.chain_id.to_owned(),
            chain_index: position,
            step: step.id.to_string(),
            wave,
        });
        let progress = self.observer.map(|observer| {
            let observer = Arc::clone(observer);
            let receive: Arc<Progress> = Arc::new(move |fraction, words: &str| {
                guarded(|| observer.progress(position, fraction, words));
            });
            receive
        });
        self.dispatcher.call(CallRequest {
            tool: step.tool.to_owned(),
            args: args.clone(),
            context,
            seed: step.seed,
            timeout_ms: step.timeout_ms,
            stop: self.stop.clone(),
            progress,
        })
    }
}

/// Calls an observer; its panic is its own affair.
fn guarded(call: impl FnOnce()) {
    let _ = catch_unwind(AssertUnwindSafe(call));
}
