//! Execution: a ready set served by a bounded pool of own threads, in an order that never shows in the result.
//!
//! A step is ready when all it waits for has ended; the one with the longest critical path goes first. What a failure means
//! is decided by plan order, not by time: the lowest failing step counts, steps before it still run, and a later step that
//! had already run when it failed is reported as not run (with a warning that names it). So the deterministic part of the
//! result is the same for any number of threads, for `dep` and `seq`, with and without barriers.

mod core;
mod diagnostics;
mod durable;
mod encoding;
mod events;
mod finished;
mod items;
mod limit;
mod machine;
mod memory;
mod meter;
mod nesting;
mod options;
mod order;
mod placed;
mod processors;
mod queued;
mod recorded_outcome;
mod replay;
mod report;
mod resume;
mod stopping;
mod values;
mod workers;

#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use registry::{CallerContext, Dispatcher};
use tool_core::Object;
use tool_core::capability::RecordDurability;

use crate::check::{CheckMode, CheckedPlan, check_plan};
use crate::plan::{Mode, Plan};
use crate::problem::PlanProblems;
pub(crate) use durable::run_initiator;
pub use durable::{
    ACCEPTED_KEY, build_version, load_recorded_plan, processor_profile, resume_recorded_run,
    same_workspace, workspace_of,
};
use events::CallSlots;
pub use finished::OutputDigest;
pub(crate) use finished::duration_in_ms;
pub use finished::{FailedAttempt, StepOutcome, StepStatus};
use limit::RunTimeLimit;
pub use memory::RunMemory;
pub use memory::{CallDivergence, ReplayComparison, UnreadableValue};
use meter::UsageKind;
pub use meter::UsageMeter;
pub use nesting::{CancellationResult, cancel_run, root_run};
pub use options::{
    ELSEWHERE_LEAST, ELSEWHERE_MAX, RunOptions, STACK_BYTES, StepObserver, THREADS_MAX, WAITING_MAX,
};
pub use order::ToolCosts;
#[cfg(any(test, feature = "failpoints"))]
pub use order::run_in_shuffled_order;
pub use queued::{QueuedRun, enqueue_run};
pub use recorded_outcome::{RecordedOutcome, ended_run_outcome, outcome_of};
pub use replay::{RunReplayResult, replay_run};
pub use report::{ChainResult, ChainStatus, LISTED_MAX, StepReport};
pub use resume::{OutcomeRuling, ResumeRequest};
use workers::{RunJob, RunWorkers};

/// Number of steps from which the durations of tools are looked up to schedule the critical path first.
const COSTS_MATTER: usize = 8;

/// Checks a plan and runs it; a plan that is refused leaves an audit record with the reasons.
///
/// # Errors
/// Every problem of the plan; nothing has run then.
pub fn execute_plan(
    plan: &Plan,
    dispatcher: &Dispatcher,
    context: &CallerContext,
    inputs: &Object,
    options: RunOptions,
) -> Result<ChainResult, PlanProblems> {
    check_plan(plan, dispatcher, context, inputs, CheckMode::Run)
        .and_then(|checked| placed::require_engine(checked, options.cluster.is_some()))
        .inspect_err(|problems| record_rejection(plan, dispatcher, context, problems))
        .map(|checked| run_checked_plan(&checked, dispatcher, options))
}

/// Runs a checked plan, durably where there is a state. Without one, and where it cannot be written, steps without effects still
/// run; those with effects are refused by the dispatcher.
pub fn run_checked_plan(
    plan: &CheckedPlan,
    dispatcher: &Dispatcher,
    mut options: RunOptions,
) -> ChainResult {
    let Some(state) = options.state.take() else {
        return drive_run(plan, dispatcher, options);
    };
    options.costs = queued::recorded_costs(&state, plan);
    match durable::begin_journal(&state, plan, dispatcher, &options) {
        Ok(journal) => {
            options.memory = Some(Arc::new(RunMemory::begin(journal)));
            drive_run(plan, dispatcher, options)
        }
        Err(err) => {
            let mut result = drive_run(plan, dispatcher, options);
            let why = err.message();
            let warning = format!("the run cannot be resumed, because it is not recorded: {why}");
            result.warnings.push(warning);
            result
        }
    }
}

/// Writes the audit record of a refused plan. A refused plan had no effect, so a failing ledger is not an error.
pub fn record_rejection(
    plan: &Plan,
    dispatcher: &Dispatcher,
    context: &CallerContext,
    problems: &PlanProblems,
) {
    let record =
        report::rejection_record(plan, context, problems, dispatcher.host().clock.unix_ms());
    if let Some(ledger) = &dispatcher.host().ledger {
        let _ = ledger.record(&record, RecordDurability::Batched);
    }
    dispatcher.notify_chain_end(|| record);
}

/// Runs a checked plan with the memory in its options: of a run that begins, is resumed or replayed, or of none.
fn drive_run(plan: &CheckedPlan, dispatcher: &Dispatcher, options: RunOptions) -> ChainResult {
    let clock = Arc::clone(&dispatcher.host().clock);
    let started = clock.monotonic();
    let started_unix_ms = clock.unix_ms();
    let memory = options.memory.as_deref();
    let journal = memory.and_then(RunMemory::journal);
    let chain_id = match (journal, &options.chain_id) {
        (Some(journal), _) => journal.id().to_owned(),
        (None, Some(id)) => id.clone(),
        (None, None) => new_chain_id(plan, started_unix_ms, started),
    };
    let recorded;
    let dispatcher = match journal {
        Some(journal) => {
            recorded = dispatcher.with_host(|host| {
                host.ledger = Some(Arc::clone(journal) as _);
                host.approvals = Some(Arc::clone(journal) as _);
                if !options.no_cache {
                    host.results = Some(Arc::new(durable::StateResultCache::new(journal)));
                }
            });
            &recorded
        }
        None => dispatcher,
    };
    let spent_ms = memory.map_or(0, |memory| memory.spent_ms);
    let limit = RunTimeLimit::new(plan, options.timeout_ms, spent_ms, options.stop.clone());
    // A run that is being undone has no time limit.
    let alarm = match memory.and_then(RunMemory::ending) {
        Some(_) => None,
        None => limit.start(&*clock),
    };
    if let Some(journal) = journal {
        journal.watch(limit.stop().clone());
    }
    if !plan.open_inputs.is_empty() {
        limit.stop().cancel(); // it was checked for inspection only
    }
    let cluster = options.cluster.as_ref();
    let cluster = cluster.filter(|_| !memory.is_some_and(RunMemory::is_replay));
    let slots = CallSlots {
        elsewhere: cluster.map(|_| ELSEWHERE_LEAST),
        ..parallel_slots(plan, options.threads)
    };
    let meter = UsageMeter::new(plan.budget, options.above.clone(), options.how.clone());
    // An exhausted budget takes effect with the next call that ends.
    let _ = meter.spend(UsageKind::CpuMs, memory.map_or(0, RunMemory::called_ms));
    let job = RunJob {
        plan,
        dispatcher,
        chain_id: &chain_id,
        limit: &limit,
        meter,
        observer: options.observer.as_ref(),
        memory,
        cluster,
        slots,
        calls_max: options.calls_max,
    };
    let workers = RunWorkers::new(job, &options.costs);
    let (parts, broken) = workers.serve();
    drop(alarm);
    let process = report::RunProcess {
        chain_id: chain_id.clone(),
        threads: slots.compute,
        started_unix_ms,
        elapsed: clock.monotonic().saturating_sub(started),
    };
    let mut result = report::compose_result(plan, parts, process);
    result.part = memory.map_or(1, RunMemory::part);
    if let Some(cluster) = cluster {
        result.settle(cluster);
    }
    match (journal, memory) {
        (Some(journal), _) => {
            result.close(plan, journal, broken, dispatcher.limits().max_output_bytes);
        }
        (None, Some(_)) => {} // a replay writes no record
        (None, None) => result.record(plan, dispatcher),
    }
    dispatcher.notify_chain_end(|| result.whole_record(plan).into());
    result
}

/// Number of calls that run in parallel.
fn parallel_slots(plan: &CheckedPlan, asked: usize) -> CallSlots {
    let (compute, waiting) = match asked {
        _ if plan.mode_used == Mode::Seq => (1, None),
        0 => (
            processors::available_processors().clamp(1, THREADS_MAX),
            Some(WAITING_MAX),
        ),
        _ => {
            let asked = asked.min(THREADS_MAX);
            processors::process_processors().at_least(asked);
            (asked, None)
        }
    };
    CallSlots {
        compute,
        waiting,
        elsewhere: None,
    }
}

/// Id of twelve hex digits, unique by time, process and a counter.
fn new_chain_id(plan: &CheckedPlan, unix_ms: u64, monotonic: Duration) -> String {
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    let count = COUNTER.fetch_add(1, Ordering::Relaxed);
    let nanos = monotonic.as_nanos();
    let place = format!("{unix_ms} {nanos} {} {count}", std::process::id());
    let mut digest = registry::digest::of_texts([&*plan.digest, &*place]);
    digest.truncate(12);
    digest
}
