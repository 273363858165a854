//! [`QueuedRun`]: a run that is recorded before it begins, so that it survives the process that accepted it.

use std::sync::Arc;

use journal::{Journal, RunState, StateStore};
use registry::Dispatcher;
use tool_core::capability::RecordDurability;
use tool_core::{ToolError, fields};

use super::memory::RunMemory;
use super::options::RunOptions;
use super::order::ToolCosts;
use super::{COSTS_MATTER, ChainResult, drive_run, durable};
use crate::check::CheckedPlan;

/// A run that is recorded and has not begun; this process holds its lease.
pub struct QueuedRun {
    journal: Arc<Journal>,
    costs: ToolCosts,
}

/// Records a run of a checked plan, which begins with [`QueuedRun::run`].
///
/// # Errors
/// As [`StateStore::begin_run`].
pub fn enqueue_run(
    state: &Arc<StateStore>,
    plan: &CheckedPlan,
    dispatcher: &Dispatcher,
    mut options: RunOptions,
) -> Result<QueuedRun, ToolError> {
    options.costs = recorded_costs(state, plan);
    let journal = durable::begin_journal(state, plan, dispatcher, &options)?;
    let costs = options.costs;
    Ok(QueuedRun { journal, costs })
}

/// The durations of tools in earlier runs, where they matter. Durations that cannot be read only affect the order.
pub(super) fn recorded_costs(state: &StateStore, plan: &CheckedPlan) -> ToolCosts {
    match plan.steps.len() >= COSTS_MATTER {
        true => ToolCosts::of_history(state.recent_durations_ms().unwrap_or_default()),
        false => ToolCosts::default(),
    }
}

impl QueuedRun {
    /// Id of the run.
    pub fn id(&self) -> &str {
        self.journal.id()
    }

    /// Runs the plan, checked under the policy that is in force now.
    pub fn run(
        self,
        plan: &CheckedPlan,
        dispatcher: &Dispatcher,
        options: RunOptions,
    ) -> ChainResult {
        let options = RunOptions {
            memory: Some(Arc::new(RunMemory::begin(self.journal))),
            costs: self.costs,
            ..options
        };
        drive_run(plan, dispatcher, options)
    }

    /// Ends the run without a step, with the reason.
    ///
    /// # Errors
    /// When it cannot be recorded.
    pub fn refuse(self, state: RunState, error: &ToolError) -> Result<(), ToolError> {
        let mut record = fields! {
            "kind" => "chain",
            "status" => state.as_str(),
            "success" => false,
            "error_code" => error.code().as_str(),
            "error" => error.message(),
        };
        record.insert_some("error_reason", error.reason_str().map(str::to_owned));
        record.insert_some("error_hint", error.hint_str().map(str::to_owned));
        self.journal
            .write(&record.into(), RecordDurability::Synced)?;
        self.journal.finish(state).map(drop)
    }
}
