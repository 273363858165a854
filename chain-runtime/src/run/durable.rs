//! Durable runs: begin, resume, and the plan to replay.

use std::collections::BTreeMap;
use std::sync::Arc;

use journal::{Journal, RunHeader, RunRecord, RunState, StateStore};
use registry::policy::{NO_WEB, READ_ONLY, SESSION_OPEN};
use registry::{CallerContext, Dispatcher, ResultCache, WorkspaceId};
use tool_core::capability::RecordDurability;
use tool_core::{
    Decode, Encode, Object, Reason, Spec, ToolError, Value, convert, object, tool_error,
};

use super::encoding::cancelled_record;
use super::memory::RunMemory;
use super::nesting::{CancellationResult, cancel_nested, require_root};
use super::options::RunOptions;
use super::order::ToolCosts;
use super::resume::{OutcomeRuling, ResumeRequest};
use super::{ChainResult, ChainStatus, drive_run};
use crate::check::{CheckMode, CheckedPlan, check_plan};
use crate::plan::{COMPENSATE_SUFFIX, Mode, OnError, Plan};

/// Name and version of this program.
pub fn build_version() -> &'static str {
    concat!("mathchain ", env!("CARGO_PKG_VERSION"))
}

/// Instruction set of the processor: where it is equal, results are equal bit for bit.
pub fn processor_profile() -> String {
    let mut words = vec![std::env::consts::ARCH, std::env::consts::OS];
    words.extend(processor_features());
    words.join(" ")
}

fn processor_features() -> Vec<&'static str> {
    #[cfg(target_arch = "x86_64")]
    let found = [
        ("avx2", std::arch::is_x86_feature_detected!("avx2")),
        ("fma", std::arch::is_x86_feature_detected!("fma")),
        ("avx512f", std::arch::is_x86_feature_detected!("avx512f")),
    ];
    #[cfg(not(target_arch = "x86_64"))]
    let found: [(&str, bool); 0] = [];
    let present = found.into_iter().filter(|(_, is_present)| *is_present);
    present.map(|(name, _)| name).collect()
}

/// Cache of results in the state.
pub(super) struct StateResultCache {
    journal: Arc<Journal>,
    made_by: String,
}

impl StateResultCache {
    pub(super) fn new(journal: &Arc<Journal>) -> Self {
        Self {
            journal: Arc::clone(journal),
            made_by: format!("{}, {}", build_version(), processor_profile()),
        }
    }
}

impl ResultCache for StateResultCache {
    fn made_by(&self) -> &str {
        &self.made_by
    }

    fn get(&self, key: &str) -> Option<Value> {
        Some(self.journal.state().cached(key).ok()??.1)
    }

    fn put(&self, key: &str, spec: &Spec, output: &Value) {
        // A result that cannot be stored is computed again.
        let _ = self.journal.put(output).and_then(|handle| {
            let state = self.journal.state();
            state.remember(key, &handle, spec.id, spec.version)
        });
    }
}

/// Member of the recorded caller: the acceptance by a server.
pub const ACCEPTED_KEY: &str = "accepted";

/// Begins the journal of a checked plan.
///
/// # Errors
/// As [`StateStore::begin_run`].
pub(super) fn begin_journal(
    state: &Arc<StateStore>,
    plan: &CheckedPlan,
    dispatcher: &Dispatcher,
    options: &RunOptions,
) -> Result<Arc<Journal>, ToolError> {
    let mut who = run_initiator(plan, dispatcher)
        .as_object()
        .cloned()
        .unwrap_or_default();
    who.insert_some(ACCEPTED_KEY, options.accepted.clone());
    state.begin_run(&RunHeader {
        id: options.chain_id.clone(),
        parent: options.parent.clone(),
        plan_id: plan.id.to_string(),
        plan_digest: plan.digest.clone(),
        plan: convert::to_value(&PlanRecord::of(plan, &options.costs))?,
        inputs: plan.inputs.clone(),
        role: plan.context.who.role.clone(),
        who: who.into(),
        seed: plan.seed.get(),
        build: build_version().to_owned(),
        profile: processor_profile(),
    })
}

/// Initiator of a run: the principal, the workspace, and the session facts that must be the same when it is resumed.
pub(crate) fn run_initiator(plan: &CheckedPlan, dispatcher: &Dispatcher) -> Value {
    let who = plan.context.who.to_value();
    let mut who = who.as_object().cloned().unwrap_or_default();
    who.insert_some("world", session_facts(dispatcher));
    let workspace = dispatcher.host().workspace.as_ref();
    who.insert_some(
        "workspace",
        workspace.map(|one| convert::to_value(one).unwrap_or_default()),
    );
    who.into()
}

/// The workspace in which a run began.
pub fn workspace_of(run: &RunRecord) -> Option<WorkspaceId> {
    convert::from_value(run.who.get("workspace")?).ok()
}

/// Refuses to continue a run in another workspace.
///
/// # Errors
/// `precondition_failed` with reason `workspace`, naming the folder.
pub fn same_workspace(run: &RunRecord, dispatcher: &Dispatcher) -> Result<(), ToolError> {
    let Some(began) = workspace_of(run) else {
        return Ok(());
    };
    let here = dispatcher.host().workspace.as_ref();
    if here.is_some_and(|here| here.id == began.id) {
        return Ok(());
    }
    let what = match here {
        None => "there is no workspace here".to_owned(),
        Some(here) if here.root == began.root && here.roots != began.roots => {
            format!(
                "its other roots were {}, and are {}",
                list_roots(&began.roots),
                list_roots(&here.roots)
            )
        }
        Some(here) if here.root == began.root => {
            "another folder is there now, such as a copy or a fresh checkout".to_owned()
        }
        Some(here) => format!("the workspace here is `{}`", here.root),
    };
    let (id, root) = (&run.id, &began.root);
    Err(tool_error!(PreconditionFailed, "workspace";
        "the run `{id}` began in the folder `{root}`: {what}";
        "continue in that folder, or in this one with `--accept-changes`"))
}

fn list_roots(roots: &[String]) -> String {
    let quoted = roots.iter().map(|root| format!("`{root}`"));
    match roots {
        [] => "none".to_owned(),
        _ => quoted.collect::<Vec<_>>().join(", "),
    }
}

/// Facts of a session that narrow the policy, and its open folder.
fn session_facts(dispatcher: &Dispatcher) -> Option<Value> {
    let facts = dispatcher.facts();
    let narrowing = [SESSION_OPEN, READ_ONLY, NO_WEB];
    narrowing.iter().find(|fact| facts.holds(fact))?;
    let open = dispatcher.host().capabilities.workspaces.as_ref();
    let open = open.and_then(|workspaces| workspaces.opened());
    Some(object! { "facts" => facts.names(), "folder" => open.map(|open| open.path) })
}

/// The plan with all settings that it was read with, so that it can be read again in the same way.
#[derive(Encode, Decode)]
struct PlanRecord {
    plan: Value,
    mode: Mode,
    barrier: bool,
    parallel_mutations: bool,
    on_error: OnError,
    /// Versions of the tools.
    tools: BTreeMap<String, u32>,
    #[value(default)]
    costs: ToolCosts,
}

impl PlanRecord {
    fn of(plan: &CheckedPlan, costs: &ToolCosts) -> Self {
        let calls = plan.calls_of_steps();
        Self {
            plan: plan.source.clone(),
            mode: plan.mode_requested(),
            barrier: plan.barrier,
            parallel_mutations: plan.parallel_mutations(),
            on_error: plan.defaults.on_error,
            tools: calls
                .map(|call| (call.tool.to_owned(), call.tool_version))
                .collect(),
            costs: costs.clone(),
        }
    }

    /// Reads the record and the inputs of a run.
    fn read(state: &StateStore, run: &RunRecord) -> Result<(Self, Object), ToolError> {
        let record = convert::from_value(&state.value(&run.plan)?).map_err(|_| {
            tool_error!(ToolError, "the plan of the run `{}` cannot be read", run.id)
                .reason("run_corrupt")
        })?;
        let inputs = state.value(&run.inputs)?;
        Ok((record, inputs.as_object().cloned().unwrap_or_default()))
    }

    fn to_plan(&self) -> Plan {
        let mut plan = Plan::from_value(&self.plan);
        plan.mode = Some(self.mode);
        plan.barrier = self.barrier;
        plan.parallel_mutations = Some(self.parallel_mutations);
        plan.defaults.on_error = self.on_error;
        plan
    }
}

/// The plan and inputs of a run, checked for the current caller.
pub(super) fn check_recorded_plan(
    state: &StateStore,
    run: &RunRecord,
    dispatcher: &Dispatcher,
    context: &CallerContext,
    accept_changes: bool,
) -> Result<(CheckedPlan, ToolCosts), ToolError> {
    let (id, role, own) = (&run.id, &run.role, &context.who.role);
    if own != role {
        return Err(tool_error!(NotVisible, "role";
            "the run `{id}` is that of role `{role}`, not of `{own}`";
            "`--role {role}`"));
    }
    let (record, inputs) = PlanRecord::read(state, run)?;
    let plan = record.to_plan();
    let checked = check_plan(&plan, dispatcher, context, &inputs, CheckMode::Resume)?;
    let mut changed: Vec<String> = (checked.calls_of_steps())
        .filter_map(|call| {
            let (tool, now) = (call.tool, call.tool_version);
            let before = record.tools.get(tool).filter(|&&before| before != now)?;
            Some(format!("`{tool}` {before} -> {now}"))
        })
        .collect();
    changed.sort();
    changed.dedup();
    if changed.is_empty() || accept_changes {
        return Ok((checked, record.costs));
    }
    let changed = changed.join(", ");
    Err(
        tool_error!(Conflict, "tool_changed"; "tools changed since the run began: {changed}";
            "`--accept-changes` continues with them; results of completed steps are kept"),
    )
}

/// Resumes a run that awaits approval, needs a decision, or was interrupted.
///
/// # Errors
/// `invalid_args` for an unknown run or decision, `not_visible` for another role's, `conflict` with reason `run_busy`,
/// `run_ended` or `tool_changed`, the problems of a plan that the policy no longer allows.
pub fn resume_recorded_run(
    state: &Arc<StateStore>,
    id: &str,
    dispatcher: &Dispatcher,
    context: &CallerContext,
    options: RunOptions,
    how: &ResumeRequest,
) -> Result<ChainResult, ToolError> {
    let found = state.run(id)?;
    // Only a step resumes its nested run: alone it would not know the enclosing budgets.
    if context.chain.is_none() {
        require_root(state, &found)?;
    }
    let within = match !found.state.is_final() && is_ending(state, &found)? {
        true => cancel_nested(state, &found, dispatcher, context, how, &options.stop)?,
        false => Vec::new(),
    };
    let going = ResumeSettings {
        options,
        cancels: false,
        within: &within,
    };
    resume_run(state, &found, dispatcher, context, going, how)
}

/// Whether a run is only being undone: its end is recorded, or it is being cancelled.
fn is_ending(state: &StateStore, found: &RunRecord) -> Result<bool, ToolError> {
    Ok(found.cancel_asked || state.run_has(&found.id, END_KIND)?)
}

/// Kind of the record of the end of a run.
const END_KIND: &str = "ending";

/// Whether a record is that of the end of a run.
fn is_end(record: &Value) -> bool {
    record.text("kind") == Some(END_KIND)
}

/// Settings of a resumed run.
pub(super) struct ResumeSettings<'a> {
    pub(super) options: RunOptions,
    /// Whether it is cancelled.
    pub(super) cancels: bool,
    /// Results of its nested runs, which were undone first.
    pub(super) within: &'a [CancellationResult],
}

/// Resumes a run, also one that is nested in another.
///
/// # Errors
/// As [`resume_recorded_run`].
pub(super) fn resume_run(
    state: &Arc<StateStore>,
    found: &RunRecord,
    dispatcher: &Dispatcher,
    context: &CallerContext,
    going: ResumeSettings<'_>,
    how: &ResumeRequest,
) -> Result<ChainResult, ToolError> {
    let id = &found.id;
    if found.state.is_final() {
        let ended = found.state.as_str();
        return Err(
            tool_error!(Conflict, Reason::RunEnded; "the run `{id}` has ended: {ended}";
            "`mathchain runs show {id}`"),
        );
    }
    if found.who.get("world").cloned() != session_facts(dispatcher) {
        let message = "began with other session facts, or with another open folder";
        return Err(
            tool_error!(PreconditionFailed, "world"; "the run `{id}` {message}";
            "`mathchain runs resume {id}` restores them"),
        );
    }
    if !how.accept_changes {
        same_workspace(found, dispatcher)?;
    }
    let (plan, costs) = check_recorded_plan(state, found, dispatcher, context, how.accept_changes)?;
    for (name, decision) in &how.decisions {
        if let OutcomeRuling::Done(value) = decision
            && *value != Value::Null
        {
            check_ruled_result(&plan, dispatcher, name, value)?;
        }
    }
    let (journal, mut records) = state.take_run(id)?;
    if (going.cancels || journal.is_cancelled()?) && !records.iter().any(is_end) {
        // First of all, so that a process that ends here cannot let the run continue.
        let record = cancelled_record();
        journal.write(&record, RecordDurability::Synced)?;
        records.push(record);
    }
    let resumed = Arc::clone(&journal);
    let memory = match RunMemory::resume(resumed, &plan, &records, found.created_ms, &how.decisions)
    {
        Ok(memory) => memory.with_within(going.within),
        Err(err) => {
            // The state stays as it was, so that another attempt is possible.
            let _ = journal.finish(match found.state {
                RunState::Suspended => RunState::Suspended,
                _ => RunState::NeedsDecision,
            });
            return Err(err);
        }
    };
    let options = RunOptions {
        memory: Some(Arc::new(memory)),
        costs,
        how: Some(Arc::new(how.clone())),
        ..going.options
    };
    Ok(drive_run(&plan, dispatcher, options))
}

/// Refuses a result given by the operator that does not fit the schema of the tool.
fn check_ruled_result(
    plan: &CheckedPlan,
    dispatcher: &Dispatcher,
    name: &str,
    value: &Value,
) -> Result<(), ToolError> {
    let undone = name.strip_suffix(COMPENSATE_SUFFIX);
    let id = undone.unwrap_or(name).split('[').next().unwrap_or(name);
    let Some(position) = plan.position(id) else {
        return Ok(()); // refused later as a name that needs no decision
    };
    let step = &plan.steps[position];
    let undo = step.compensate.as_deref().filter(|_| undone.is_some());
    let step = undo.unwrap_or(step).tool;
    let Some(tool) = dispatcher.catalogue().get(step) else {
        return Ok(());
    };
    let problems = tool_core::schema::check_value(&tool.output_schema(), value);
    if problems.is_empty() {
        return Ok(());
    }
    let listed = problems.iter().take(5);
    let listed = listed.map(|problem| format!("`{}`: {}", problem.path, problem.message));
    let listed = listed.collect::<Vec<_>>().join("; ");
    Err(tool_error!(InvalidArgs, "decision";
        "`--decide {name}=done` gives what `{step}` cannot give: {listed}";
        "`mathchain tools show {step}` shows the schema of its result"))
}

/// Plan and inputs of a run, to start it again.
///
/// # Errors
/// `precondition_failed` with reason `values_collected` where the values of the run were collected.
pub fn load_recorded_plan(state: &StateStore, id: &str) -> Result<(Plan, Object), ToolError> {
    let found = state.run(id)?;
    found.with_values()?;
    let (record, inputs) = PlanRecord::read(state, &found)?;
    Ok((record.to_plan(), inputs))
}

/// State of a run with this status; `None` where it was interrupted.
pub(super) fn state_of(status: ChainStatus) -> Option<RunState> {
    Some(match status {
        ChainStatus::Success => RunState::Succeeded,
        ChainStatus::Failed => RunState::Failed,
        ChainStatus::Cancelled => RunState::Cancelled,
        ChainStatus::Suspended => RunState::Suspended,
        ChainStatus::NeedsDecision => RunState::NeedsDecision,
        ChainStatus::Interrupted => return None,
    })
}
