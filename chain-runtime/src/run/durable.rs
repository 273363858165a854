//! Durable runs: begin, resume, and the plan to replay.

use std::collections::BTreeMap;
use std::sync::Arc;

use registry::policy::{NO_WEB, READ_ONLY, SESSION_OPEN};
use registry::{CallerContext, Dispatcher, Results, WorkspaceId};
use tool_core::capability::Durability;
use tool_core::{ErrorCode, Object, Reason, Spec, ToolError, Value};

use super::costs::Costs;
use super::end_record::cancelled_record;
use super::memory::Memory;
use super::nesting::{Cancelled, cancel_nested, require_root};
use super::options::RunOptions;
use super::resume::{OutcomeRuling, Resume};
use super::{ChainResult, ChainStatus, drive};
use crate::check::{CheckMode, CheckedPlan, check};
use crate::plan::{COMPENSATE_SUFFIX, Mode, OnError, Plan};
use journal::{Journal, Run, RunHeader, RunState, State};

/// Name and version of this program.
pub fn build() -> &'static str {
    concat!("mathchain ", env!("CARGO_PKG_VERSION"))
}

/// Instruction set of the processor: where it is equal, results are equal bit for bit.
pub fn profile() -> String {
    let mut words = vec![std::env::consts::ARCH, std::env::consts::OS];
    words.extend(features());
    words.join(" ")
}

#[cfg(target_arch = "x86_64")]
fn features() -> Vec<&'static str> {
    let found = [
        ("avx2", std::arch::is_x86_feature_detected!("avx2")),
        ("fma", std::arch::is_x86_feature_detected!("fma")),
        ("avx512f", std::arch::is_x86_feature_detected!("avx512f")),
    ];
    let held = found.into_iter().filter(|(_, held)| *held);
    held.map(|(name, _)| name).collect()
}

#[cfg(not(target_arch = "x86_64"))]
fn features() -> Vec<&'static str> {
    Vec::new()
}

/// Cache of results in the state.
pub(super) struct Kept {
    journal: Arc<Journal>,
    made_by: String,
}

impl Kept {
    pub(super) fn new(journal: &Arc<Journal>) -> Self {
        Self {
            journal: Arc::clone(journal),
            made_by: format!("{}, {}", build(), profile()),
        }
    }
}

impl Results for Kept {
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

/// Begins the journal of a checked plan.
///
/// # Errors
/// As [`State::begin_run`].
pub(super) fn begin(
    state: &Arc<State>,
    plan: &CheckedPlan,
    dispatcher: &Dispatcher,
    options: &RunOptions,
) -> Result<Arc<Journal>, ToolError> {
    state.begin_run(&RunHeader {
        id: options.chain_id.clone(),
        parent: options.parent.clone(),
        plan_id: plan.id.to_string(),
        plan_digest: plan.digest.clone(),
        plan: plan_record(plan, &options.costs),
        inputs: plan.inputs.clone(),
        role: plan.context.who.role.clone(),
        who: initiator(plan, dispatcher),
        seed: plan.seed.get(),
        build: build().to_owned(),
        profile: profile(),
    })
}

/// Initiator of a run: the principal, the workspace, and the session facts that must be the same when it is resumed.
pub(crate) fn initiator(plan: &CheckedPlan, dispatcher: &Dispatcher) -> Value {
    let who = plan.context.who.to_value();
    let mut who = who.as_object().cloned().unwrap_or_else(Object::new);
    if let Some(world) = session_facts(dispatcher) {
        who.insert("world", world);
    }
    if let Some(workspace) = &dispatcher.host().workspace {
        who.insert("workspace", workspace.to_value());
    }
    Value::Object(Arc::new(who))
}

/// The workspace in which a run began.
pub fn workspace_of(run: &Run) -> Option<WorkspaceId> {
    WorkspaceId::from_value(run.who.get("workspace")?)
}

/// Refuses to continue a run in another workspace.
///
/// # Errors
/// `precondition_failed` with reason `workspace`, naming the folder.
pub fn same_workspace(run: &Run, dispatcher: &Dispatcher) -> Result<(), ToolError> {
    let Some(began) = workspace_of(run) else {
        return Ok(());
    };
    let here = dispatcher.host().workspace.as_ref();
    if here.is_some_and(|here| here.id == began.id) {
        return Ok(());
    }
    let what = match here {
        None => "there is no workspace here".to_owned(),
        Some(here) if here.root == began.root => {
            "another folder is there now, such as a copy or a fresh checkout".to_owned()
        }
        Some(here) => format!("the workspace here is `{}`", here.root),
    };
    let message = format_args!(
        "the run `{}` began in the folder `{}`: {what}",
        run.id, began.root
    );
    Err(ToolError::new(ErrorCode::PreconditionFailed, message)
        .reason("workspace")
        .hint("continue in that folder, or in this one with `--accept-changes`"))
}

/// Facts of a session that narrow the policy, and its open folder.
fn session_facts(dispatcher: &Dispatcher) -> Option<Value> {
    let facts = dispatcher.facts();
    let narrowing = [SESSION_OPEN, READ_ONLY, NO_WEB];
    narrowing.iter().find(|fact| facts.holds(fact))?;
    let open = dispatcher.host().capabilities.workspaces.as_ref();
    let open = open.and_then(|workspaces| workspaces.opened());
    Some(Value::object([
        ("facts", Value::from(facts.names())),
        ("folder", Value::from(open.map(|open| open.path))),
    ]))
}

/// The plan with all settings that it was read with, so that it can be read again in the same way.
fn plan_record(plan: &CheckedPlan, costs: &Costs) -> Value {
    let tools: BTreeMap<&str, u32> = plan
        .steps
        .iter()
        .flat_map(|step| [Some(step), step.compensate.as_deref()])
        .flatten()
        .map(|step| (step.tool, step.tool_version))
        .collect();
    Value::object([
        ("plan", plan.source.clone()),
        ("mode", Value::from(plan.mode_requested().as_str())),
        ("barrier", Value::from(plan.barrier)),
        ("parallel_mutations", Value::from(plan.parallel_mutations())),
        ("on_error", Value::from(plan.defaults.on_error.as_str())),
        ("tools", Value::object(tools)),
        ("costs", costs.to_value()),
    ])
}

/// Reads what [`plan_record`] wrote.
fn read_plan_record(value: &Value) -> Option<(Plan, BTreeMap<String, u32>)> {
    let mut plan = Plan::from_value(value.get("plan")?);
    plan.mode = Mode::parse(value.get("mode")?.as_str()?);
    plan.barrier = value.get("barrier")?.as_bool()?;
    plan.parallel_mutations = value.get("parallel_mutations")?.as_bool();
    plan.defaults.on_error = OnError::parse(value.get("on_error")?.as_str()?)?;
    let tools = value.get("tools")?.as_object()?.iter();
    let tools = tools.filter_map(|(tool, version)| {
        let version = u32::try_from(version.as_i64()?).ok()?;
        Some((tool.to_owned(), version))
    });
    Some((plan, tools.collect()))
}

/// The plan and inputs of a run, checked for the current caller.
pub(super) fn checked(
    state: &State,
    run: &Run,
    dispatcher: &Dispatcher,
    context: &CallerContext,
    accept_changes: bool,
) -> Result<CheckedPlan, ToolError> {
    if context.who.role != run.role {
        let message = format_args!(
            "the run `{}` is that of role `{}`, not of `{}`",
            run.id, run.role, context.who.role
        );
        return Err(ToolError::new(ErrorCode::NotVisible, message)
            .reason("role")
            .hint(format!("`--role {}`", run.role)));
    }
    let value = state.value(&run.plan)?;
    let (plan, tools) = read_plan_record(&value).ok_or_else(|| {
        ToolError::new(
            ErrorCode::ToolError,
            format_args!("the plan of the run `{}` cannot be read", run.id),
        )
        .reason("run_corrupt")
    })?;
    let inputs = state.value(&run.inputs)?;
    let none = Object::new();
    let inputs = inputs.as_object().unwrap_or(&none);
    let checked = check(&plan, dispatcher, context, inputs, CheckMode::Resume)?;
    let mut changed: Vec<String> = checked
        .steps
        .iter()
        .flat_map(|step| [Some(step), step.compensate.as_deref()])
        .flatten()
        .filter_map(|step| {
            let before = tools.get(step.tool)?;
            (*before != step.tool_version)
                .then(|| format!("`{}` {before} -> {}", step.tool, step.tool_version))
        })
        .collect();
    changed.sort();
    changed.dedup();
    match changed.first() {
        Some(_) if !accept_changes => {
            let message = format_args!("tools changed since the run began: {}", changed.join(", "));
            Err(ToolError::new(ErrorCode::Conflict, message)
                .reason("tool_changed")
                .hint(
                    "`--accept-changes` continues with them; results of completed steps are kept",
                ))
        }
        _ => Ok(checked),
    }
}

/// Resumes a run that awaits approval, needs a decision, or was interrupted.
///
/// # Errors
/// `invalid_args` for an unknown run or decision, `not_visible` for another role's, `conflict` with reason `run_busy`,
/// `run_ended` or `tool_changed`, the problems of a plan that the policy no longer allows.
pub fn resume(
    state: &Arc<State>,
    id: &str,
    dispatcher: &Dispatcher,
    context: &CallerContext,
    options: RunOptions,
    how: &Resume,
) -> Result<ChainResult, ToolError> {
    let found = state.run(id)?;
    // Only a step resumes its nested run: alone it would not know the enclosing budgets.
    if context.chain.is_none() {
        require_root(state, &found)?;
    }
    let mut within = Vec::new();
    if !found.state.is_final() && is_ending(state, &found)? {
        within = cancel_nested(state, &found, dispatcher, context, how, &options.stop)?;
    }
    let going = Resumption {
        options,
        cancels: false,
        within: &within,
    };
    resume_run(state, &found, dispatcher, context, going, how)
}

/// Whether a run is only being undone: its end is recorded, or it is being cancelled.
fn is_ending(state: &State, found: &Run) -> Result<bool, ToolError> {
    Ok(found.cancel_asked || state.run_records(&found.id)?.iter().any(is_end))
}

/// Whether a record is that of the end of a run.
fn is_end(record: &Value) -> bool {
    record.get("kind").and_then(Value::as_str) == Some("ending")
}

/// Settings of a resumed run.
pub(super) struct Resumption<'a> {
    pub(super) options: RunOptions,
    /// Whether it is cancelled.
    pub(super) cancels: bool,
    /// Results of its nested runs, which were undone first.
    pub(super) within: &'a [Cancelled],
}

/// Resumes a run, also one that is nested in another.
///
/// # Errors
/// As [`resume`].
pub(super) fn resume_run(
    state: &Arc<State>,
    found: &Run,
    dispatcher: &Dispatcher,
    context: &CallerContext,
    going: Resumption<'_>,
    how: &Resume,
) -> Result<ChainResult, ToolError> {
    if found.state.is_final() {
        let message = format_args!("the run `{}` has ended: {}", found.id, found.state.as_str());
        return Err(ToolError::new(ErrorCode::Conflict, message)
            .reason(Reason::RunEnded)
            .hint(format!("`mathchain runs show {}`", found.id)));
    }
    if found.who.get("world").cloned() != session_facts(dispatcher) {
        let message = format_args!(
            "the run `{}` began with other session facts, or with another open folder",
            found.id
        );
        return Err(ToolError::new(ErrorCode::PreconditionFailed, message)
            .reason("world")
            .hint(format!(
                "`mathchain runs resume {}` restores them",
                found.id
            )));
    }
    if !how.accept_changes {
        same_workspace(found, dispatcher)?;
    }
    let plan = checked(state, found, dispatcher, context, how.accept_changes)?;
    for (name, decision) in &how.decisions {
        if let OutcomeRuling::Done(value) = decision
            && *value != Value::Null
        {
            check_ruled_result(&plan, dispatcher, name, value)?;
        }
    }
    let costs = state.value(&found.plan)?;
    let costs = costs.get("costs").map(Costs::from_value);
    let (journal, mut records) = state.take_run(&found.id)?;
    if (going.cancels || journal.is_cancelled()?) && !records.iter().any(is_end) {
        // First of all, so that a process that ends here cannot let the run continue.
        let record = cancelled_record();
        journal.write(&record, Durability::Synced)?;
        records.push(record);
    }
    let memory = match Memory::resume(
        Arc::clone(&journal),
        &plan,
        &records,
        found.created_ms,
        &how.decisions,
    ) {
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
    Ok(drive(
        &plan,
        dispatcher,
        RunOptions {
            memory: Some(Arc::new(memory)),
            costs: costs.unwrap_or_default(),
            how: Some(Arc::new(how.clone())),
            ..going.options
        },
    ))
}

/// Refuses a result given by the operator that does not fit the schema of the tool.
fn check_ruled_result(
    plan: &CheckedPlan,
    dispatcher: &Dispatcher,
    name: &str,
    value: &Value,
) -> Result<(), ToolError> {
    let undone = name.strip_suffix(COMPENSATE_SUFFIX);
    let id = undone.unwrap_or(name);
    let id = id.split('[').next().unwrap_or(id);
    let Some(position) = plan.position(id) else {
        return Ok(()); // refused later as a name that needs no decision
    };
    let step = &plan.steps[position];
    let step = match undone {
        Some(_) => step.compensate.as_deref().unwrap_or(step),
        None => step,
    };
    let Some(tool) = dispatcher.catalogue().get(step.tool) else {
        return Ok(());
    };
    let problems = tool_core::schema::check(&tool.output_schema(), value);
    if problems.is_empty() {
        return Ok(());
    }
    let listed: Vec<String> = problems
        .iter()
        .take(5)
        .map(|problem| format!("`{}`: {}", problem.path, problem.message))
        .collect();
    let message = format_args!(
        "`--decide {name}=done` gives what `{}` cannot give: {}",
        step.tool,
        listed.join("; ")
    );
    Err(ToolError::new(ErrorCode::InvalidArgs, message)
        .reason("decision")
        .hint(format!(
            "`mathchain tools show {}` shows the schema of its result",
            step.tool
        )))
}

/// Plan and inputs of a run, to start it again.
///
/// # Errors
/// `precondition_failed` with reason `values_collected` where the values of the run were collected.
pub fn again(state: &State, id: &str) -> Result<(Plan, Object), ToolError> {
    let found = state.run(id)?;
    found.with_values()?;
    let (plan, _) = read_plan_record(&state.value(&found.plan)?).ok_or_else(|| {
        ToolError::new(ErrorCode::ToolError, "the plan of the run cannot be read")
            .reason("run_corrupt")
    })?;
    let inputs = state.value(&found.inputs)?;
    Ok((plan, inputs.as_object().cloned().unwrap_or_default()))
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
