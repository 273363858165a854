//! The one dispatcher: every call through every door passes here, in one order of stages.
//!
//! Read [`Dispatcher::call`] first. The stages are types in `stages`, in the order that `ARCHITECTURE.md` gives; each can only be made by
//! the one before. `trail` collects the audit record, wherever a call ends.

mod allowance;
mod budgets;
mod counts;
mod cut;
mod ended;
mod first_arguments;
mod fold;
mod limits;
mod nested;
mod obligations;
mod panic;
mod preview;
mod remote;
mod results;
mod stages;
mod trace;
mod trail;
mod witness;

#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use tool_core::capability::{
    ApprovalStore, ArrayLoader, AuditLedger, BackupStore, CallClient, CallerIdentity, ChainRequest,
    Clock, Notification, NotificationLog, PipelineRequest, PreparedAgent, WorkspaceFiles,
};
use tool_core::ctx::Progress;
use tool_core::{
    Access, AnyTool, CallOutcome, Capabilities, DataPlace, Decode, Determinism, Effect,
    EffectReach, Encode, RandomSeed, ResourceKey, ResourceKind, Spec, StopFlag, ToolCall,
    ToolError, Value, object, tool_error,
};

use crate::catalogue::Catalogue;
use crate::model::{CallLimits, Principal, Verdict};
use crate::policy::{CallFacts, CallerPolicy, Policy, PolicyDecision, RuntimeFacts};
pub use allowance::NestedRunAllowance;
pub use budgets::{OVERRIDES, RAISED_BY};
pub use counts::{CallCounts, CountedCall};
pub use cut::truncate_value;
pub use fold::{READABLE_BYTES, fold_large_data};
pub use nested::{CALLS_MAX, DEPTH_MAX, DelegatedPrincipal};
pub use panic::install_panic_hook;
pub use remote::{CallPlace, RemoteCall, RemoteCompute, is_movable};
pub use trace::TraceParent;
use trail::CallTrail;
pub use witness::{CallLineage, CallWitness, RunIdReceiver};

/// The capabilities and services of the process that a dispatcher uses.
#[derive(Clone)]
pub struct DispatchHost {
    /// Time and timers.
    pub clock: Arc<dyn Clock>,
    /// Capabilities for tools; each tool gets those it declares.
    pub capabilities: Capabilities,
    /// Opens files and artifacts; without it, arguments that refer to them are refused.
    pub arrays: Option<Arc<dyn ArrayLoader>>,
    /// The audit log; without it, calls with effects are refused and pure calls carry a warning.
    pub ledger: Option<Arc<dyn AuditLedger>>,
    /// The reason why there is no audit log, where one was wanted.
    pub ledger_fault: Option<String>,
    /// Approvals; without them, a call that needs one is refused.
    pub approvals: Option<Arc<dyn ApprovalStore>>,
    /// Counts of calls that rules limit; without them, such a call is denied.
    pub counts: Option<Arc<dyn CallCounts>>,
    /// Backups of files; without them, a call with the obligation `backup` is refused.
    pub backups: Option<Arc<dyn BackupStore>>,
    /// Notifications; without them, a call with the obligation `notify` is refused.
    pub notices: Option<Arc<dyn NotificationLog>>,
    /// Runs plans for tools such as `chain_run`; without it, their calls are refused.
    pub chains: Option<Arc<Chains>>,
    /// Prepares agents for tools such as `spawn_agent`; without it, their calls are refused.
    pub agents: Option<Arc<Agents>>,
    /// Runs pipelines for tools such as `pipeline_run`; without it, their calls are refused.
    pub pipelines: Option<Arc<Pipelines>>,
    /// Learns what begins to wait for a person, and calls with the obligation `notify`.
    pub notifier: Option<Arc<Notifier>>,
    /// Rules of the project on the files that calls change, beside the policy; `None` where there are none.
    pub governor: Option<Arc<Governor>>,
    /// Cache of results of pure calls; without it, every call is computed.
    pub results: Option<Arc<dyn ResultCache>>,
    /// Store for results beyond the output limit; without it, they are truncated and the rest is lost.
    pub answers: Option<Arc<dyn ResultStore>>,
    /// Observer of ended calls and runs.
    pub witnesses: Vec<Arc<dyn CallWitness>>,
    /// The workspace; approvals and runs are bound to it.
    pub workspace: Option<WorkspaceId>,
}

impl DispatchHost {
    /// A host with a clock and nothing else: what needs more is refused.
    pub fn bare(clock: Arc<dyn Clock>) -> Self {
        Self {
            clock,
            capabilities: Capabilities::default(),
            arrays: None,
            ledger: None,
            ledger_fault: None,
            approvals: None,
            counts: None,
            backups: None,
            notices: None,
            chains: None,
            agents: None,
            pipelines: None,
            notifier: None,
            governor: None,
            results: None,
            answers: None,
            witnesses: Vec::new(),
            workspace: None,
        }
    }

    /// Records a notice, and tells the notifier.
    pub(crate) fn notify(
        &self,
        notices: &dyn NotificationLog,
        notice: &Notification,
    ) -> Result<String, ToolError> {
        let id = notices.notify(notice)?;
        self.tell(|| {
            object! { "event" => notice.kind, "id" => id.as_str(), "tool" => notice.tool.clone(), "role" => notice.role.as_str(),
                "agent" => notice.agent.clone(), "text" => notice.text.as_str() }
        });
        Ok(id)
    }

    /// Tells the notifier, where there is one, of an entry.
    pub(crate) fn tell(&self, entry: impl FnOnce() -> Value) {
        if let Some(notifier) = &self.notifier {
            notifier(&entry());
        }
    }

    /// Why calls are not recorded, for messages.
    fn no_ledger(&self) -> String {
        match &self.ledger_fault {
            Some(fault) => format!("no audit log: {fault}"),
            None => "no audit log".to_owned(),
        }
    }
}

/// Identity of a workspace, as the header of a run has it too.
#[derive(Debug, Clone, PartialEq, Eq, Encode, Decode)]
pub struct WorkspaceId {
    /// Absolute path of its root with links resolved, for display.
    pub root: String,
    /// Identity of the folder itself: unchanged when the folder is moved, different for another folder at the same path. Of several
    /// roots, of their set: another root or another access gives another identity.
    pub id: String,
    /// The other roots with their access, for display.
    #[value(default, skip_encoding_if = "Vec::is_empty")]
    pub roots: Vec<String>,
}

/// A cache of results of calls that are functions of arguments, inputs and seed. A cached call passes every stage except the
/// computation.
pub trait ResultCache: Send + Sync {
    /// The origin of the results beside the tool: program and numeric profile. It is part of every key.
    fn made_by(&self) -> &str;

    /// A cached result; `None` when the cache fails.
    fn get(&self, key: &str) -> Option<Value>;

    /// Stores a result, where possible.
    fn put(&self, key: &str, spec: &Spec, output: &Value);
}

/// Store for results beyond the output limit.
pub trait ResultStore: Send + Sync {
    /// Stores a value from a call for callers with a role, and returns its handle.
    ///
    /// # Errors
    /// When it cannot be stored.
    fn keep(&self, call_id: &str, role: &str, value: &Value) -> Result<Value, ToolError>;
}

/// Checks a plan for a caller, and runs it unless only the check is requested; reports the steps where a receiver of progress is given. It
/// fails with every problem of the plan, or with the error of the run.
pub type Chains = dyn Fn(
        &Dispatcher,
        &CallerContext,
        &ChainRequest,
        &StopFlag,
        Option<&Arc<Progress>>,
    ) -> Result<Value, ToolError>
    + Send
    + Sync;

/// Prepares an agent that a caller starts: from the caller, and who the agent is to be. It fails where the configuration names no command
/// line for the role.
pub type Agents = dyn Fn(&Dispatcher, &Principal, DelegatedPrincipal) -> Result<Box<dyn PreparedAgent>, ToolError>
    + Send
    + Sync;

/// A call that runs a pipeline.
pub struct PipelineCall<'a> {
    /// Which phases, or which recorded pipeline.
    pub request: &'a PipelineRequest,
    /// Who calls.
    pub context: &'a CallerContext,
    /// Who an agent of a role is that the caller starts, with at most the caller's tools.
    pub heirs: &'a dyn Fn(&str) -> Result<DelegatedPrincipal, ToolError>,
    /// Stops the pipeline.
    pub stop: &'a StopFlag,
    /// Receives how it goes.
    pub progress: Option<&'a Arc<Progress>>,
}

/// Runs a pipeline that a call asks for to its end, and gives its record.
pub type Pipelines =
    dyn Fn(&Dispatcher, &PipelineCall<'_>) -> Result<Value, ToolError> + Send + Sync;

/// Rules on a call of a tool by who it is that changes these paths, and all below them where the flag says so: a verdict with its reason,
/// or nothing. Where the rules cannot be read, the call is refused.
pub type Governor = dyn Fn(&CallerIdentity, &str, &[&str], bool) -> Result<Option<(Verdict, String)>, ToolError>
    + Send
    + Sync;

/// Learns of an entry of the inbox: an object with `event` (`approval`, `gate`, `feedback`, `question` or `call`), its `id` and `text`, and
/// what belongs to its kind. Its failures are its own: the entry is recorded.
pub type Notifier = dyn Fn(&Value) + Send + Sync;

/// The operator's decision on approvals, given in advance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ApprovalAnswer {
    /// None: the call waits for a decision.
    #[default]
    Ask,
    /// None yet: a person decides as soon as the call waits, so that nobody is notified.
    AtOnce,
    /// `--yes` at the command line; recorded as `approved_by: caller-yes`.
    Yes,
    /// No operator is present, and the configuration denies calls that need approval then.
    Unattended,
}

/// The reader of answers, which decides when arrays of numbers are handles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AnswerReader {
    /// A program: arrays are part of the answer up to the output limit.
    #[default]
    Program,
    /// A model, or what reads JSON for one: arrays are part of the answer up to [`READABLE_BYTES`].
    Model,
}

/// Position of a call in a run.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ChainPosition {
    /// Run id.
    pub chain_id: String,
    /// Index of the step in the plan.
    pub chain_index: usize,
    /// Id of the step.
    pub step: String,
    /// Index of the element, in a map step.
    pub item: Option<usize>,
    /// Number of the attempt, from 1.
    pub attempt: u32,
    /// Number of processes that executed the run so far, this one included.
    pub part: u64,
    /// Planned wave of the step.
    pub wave: usize,
    /// Whether the plan requires an approval where the policy allows the call.
    pub requires_approval: bool,
    /// Resources the plan was scheduled by, where known; a call that uses others is refused.
    pub planned: Option<Vec<ResourceKey>>,
    /// Evidence recorded before the same call in a process that ended, from which the tool tells whether the call happened.
    pub began: Option<Value>,
    /// Whether the run is ending: calls that did not happen are not repeated.
    pub ending: bool,
    /// Digests of the plans that the step may run, where the check read them; any other is refused.
    pub plans: Option<Vec<String>>,
    /// Remaining quota of the enclosing runs.
    pub allowance: NestedRunAllowance,
}

impl ChainPosition {
    /// Name for display: `step`, `step[3]`.
    pub fn call_name(&self) -> String {
        match self.item {
            Some(item) => format!("{}[{item}]", self.step),
            None => self.step.clone(),
        }
    }
}

/// The caller of a call and its position.
#[derive(Debug, Clone, Default)]
pub struct CallerContext {
    /// The principal: role, agent, phase, task, overrides and further layers.
    pub who: Principal,
    /// Position in a run; `None` for a direct call.
    pub chain: Option<ChainPosition>,
    /// The operator's decision given in advance.
    pub answer: ApprovalAnswer,
    /// The person who makes the call, where the interface knows one; calls within it and steps have none.
    pub person: Option<String>,
    /// The reader of a direct answer.
    pub reader: AnswerReader,
    /// The call, run and trace that it is part of.
    pub origin: CallLineage,
}

/// One call.
#[derive(Clone)]
pub struct CallRequest {
    /// Canonical or wire name.
    pub tool: String,
    /// Arguments.
    pub args: Value,
    /// The caller.
    pub context: CallerContext,
    /// Seed where the arguments set none.
    pub seed: RandomSeed,
    /// Deadline in milliseconds; the strictest of this, the tool's, the rules' and the configuration's applies.
    pub timeout_ms: Option<u64>,
    /// Cancels the call.
    pub stop: StopFlag,
    /// Receives progress.
    pub progress: Option<Arc<Progress>>,
    /// The client, which a tool that declares it may ask; steps and nested calls have none.
    pub client: Option<Arc<dyn CallClient>>,
    /// Computes the call elsewhere; `None` for this process.
    pub remote: Option<Arc<dyn RemoteCompute>>,
}

/// The one dispatcher. Immutable: a reload makes a new one, and a call sees one generation from end to end. Clones share the counts
/// against budgets.
#[derive(Clone)]
pub struct Dispatcher {
    catalogue: Arc<Catalogue>,
    policy: Arc<Policy>,
    limits: CallLimits,
    host: DispatchHost,
    facts: RuntimeFacts,
    /// Distinguishes call ids of this process from those of others.
    nonce: u64,
    calls: Arc<AtomicU64>,
    /// Counts against the budgets of tasks.
    tally: Arc<budgets::BudgetTally>,
}

/// A tool in a listing.
pub struct ToolListing<'a> {
    /// The tool.
    pub tool: &'a dyn AnyTool,
    /// The decision that hides it from the caller, if any.
    pub hidden: Option<PolicyDecision>,
}

/// A call before approval.
pub struct CallAssessment<'a> {
    /// The tool.
    pub tool: &'a dyn AnyTool,
    /// The verdict: `allow` or `ask`.
    pub decision: PolicyDecision,
    /// Resources it uses, paths by identity.
    pub keys: Vec<ResourceKey>,
    /// Its effects at most.
    pub reach: EffectReach,
}

impl Dispatcher {
    /// Combines tools, policy, limits and host.
    pub fn new(
        catalogue: Arc<Catalogue>,
        policy: Arc<Policy>,
        limits: CallLimits,
        host: DispatchHost,
    ) -> Self {
        let facts = match host.capabilities.files {
            Some(_) => RuntimeFacts::default().with("workspace=ready"),
            None => RuntimeFacts::default(),
        };
        Self {
            catalogue,
            policy,
            limits,
            host,
            facts,
            nonce: trail::process_nonce(),
            calls: Arc::default(),
            tally: Arc::default(),
        }
    }

    /// Shares the counts of another dispatcher, as after a reload.
    #[must_use]
    pub fn continuing(mut self, before: &Self) -> Self {
        self.tally = Arc::clone(&before.tally);
        self
    }

    /// Counts a recorded call of another process against the budget of its task, as when a run is resumed.
    pub fn count_recorded(&self, record: &Value) {
        let text = |key: &str| record.text(key);
        let Some(tool) = text("tool").and_then(|tool| self.catalogue.get(tool)) else {
            return;
        };
        let Some(budget) = text("task").and_then(|task| self.policy.budget(task)) else {
            return;
        };
        let effects = record.items_at("effects");
        let effects = effects
            .iter()
            .filter_map(|name| Effect::parse(name.as_str()?));
        if let Some(kind) = budgets::Kind::of(tool.spec(), &effects.collect::<Vec<_>>())
            && text("kind") == Some("call")
            && budgets::has_run(text("status"), text("error_code"))
        {
            self.tally.count(budget, kind);
        }
    }

    /// The same dispatcher over another host, as for a run with its own journal or a session whose workspace changes; the counts
    /// against budgets stay shared.
    #[must_use]
    pub fn with_host(&self, change: impl FnOnce(&mut DispatchHost)) -> Self {
        let mut dispatcher = self.clone();
        change(&mut dispatcher.host);
        dispatcher
    }

    /// The same dispatcher with other facts.
    #[must_use]
    pub fn with_facts(&self, facts: RuntimeFacts) -> Self {
        Self {
            facts,
            ..self.clone()
        }
    }

    /// All tools.
    pub fn catalogue(&self) -> &Catalogue {
        &self.catalogue
    }

    /// The policy.
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// Limits of every call.
    pub fn limits(&self) -> CallLimits {
        self.limits
    }

    /// The host.
    pub fn host(&self) -> &DispatchHost {
        &self.host
    }

    /// The facts that hold at the moment.
    pub fn facts(&self) -> &RuntimeFacts {
        &self.facts
    }

    /// Runs one call through every stage. Never panics, never loses the audit record.
    pub fn call(&self, request: CallRequest) -> CallOutcome {
        let mut trail = CallTrail::start(self, &request);
        let call_id = trail.call_id().to_owned();
        let guarded =
            panic::catch_panic(&call_id, || stages::run_stages(self, &request, &mut trail));
        let panicked = |_| ended::CallEndReport::failed(panic::panic_error(trail.tool(), &call_id));
        let ended = guarded.unwrap_or_else(panicked);
        trail.give_back_count(self);
        trail.finish(self, ended)
    }

    /// Runs a call to its end if that takes no longer than its stop flag allows ([`StopFlag::child_until`]); `None` where it takes longer, or
    /// where it could not be begun again: a call with effects or capabilities, under a budget, with files, or that a rule asks about. Nothing
    /// has happened then, and nothing is recorded. It waits for no lock and no file.
    pub fn call_briefly(&self, request: &CallRequest) -> Option<CallOutcome> {
        let tool = self.catalogue.called(&request.tool)?;
        if !may_begin_again(self.catalogue.tool(tool).spec().of_call(&request.args))
            || request.context.who.task.is_some()
            || request.context.chain.is_some()
        {
            return None;
        }
        let mut trail = CallTrail::start(self, request);
        trail.is_brief = true;
        let call_id = trail.call_id().to_owned();
        let guarded =
            panic::catch_panic(&call_id, || stages::run_briefly(self, request, &mut trail));
        let panicked = |_| {
            Some(ended::CallEndReport::failed(panic::panic_error(
                trail.tool(),
                &call_id,
            )))
        };
        let ended = guarded.unwrap_or_else(panicked)?;
        trail.finish_at_once(self, ended)
    }

    /// Looks up a tool and checks its visibility. A direct-only tool is refused in a plan.
    ///
    /// # Errors
    /// `unknown_tool` or `not_visible`.
    pub fn resolve(&self, tool: &str, context: &CallerContext) -> Result<&dyn AnyTool, ToolError> {
        let visible = stages::LocatedCall::look_up(self, tool, context)?.visible(context)?;
        Ok(self.catalogue.tool(visible.index()))
    }

    /// The verdict on a call without running it; without decoded arguments, the strictest possible.
    pub fn preview(
        &self,
        tool: &dyn AnyTool,
        call: Option<&dyn ToolCall>,
        context: &CallerContext,
    ) -> PolicyDecision {
        let denied = |reason: &str| PolicyDecision::denied("dispatcher", reason.to_owned());
        let caller = match self.caller(context) {
            Ok(caller) => caller,
            Err(err) => return denied(err.message()),
        };
        let Some(index) = self.catalogue.index(tool.spec().id) else {
            return denied("the tool is not in the catalogue");
        };
        let files = self.host.capabilities.files.as_deref();
        let facts = call.map(|call| CallFacts::of(tool, call, files));
        caller.decide(&self.catalogue, index, facts.as_ref(), files)
    }

    /// The verdict on a file that arguments refer to, where the call itself is not known yet; without a path, the strictest
    /// possible.
    pub fn preview_file(&self, path: Option<&str>, context: &CallerContext) -> PolicyDecision {
        let files = self.host.capabilities.files.as_deref();
        match self.caller(context) {
            Ok(caller) => caller.decide_reading(&self.catalogue, path, files),
            Err(err) => PolicyDecision::denied("dispatcher", err.message().to_owned()),
        }
    }

    /// Takes a call through every stage before approval, without running it. A refusal is recorded.
    ///
    /// # Errors
    /// As [`Dispatcher::call`] before approval: an unknown or hidden tool, invalid arguments, a rule that denies, a path outside the
    /// workspace.
    pub fn consider(&self, request: &CallRequest) -> Result<CallAssessment<'_>, ToolError> {
        stages::consider_call(self, request)
    }

    /// Every tool, with the decision that hides it from this caller, if any.
    ///
    /// # Errors
    /// `not_visible` for an unknown role.
    pub fn visible(&self, context: &CallerContext) -> Result<Vec<ToolListing<'_>>, ToolError> {
        self.visible_with(context, &self.facts)
    }

    /// As [`Dispatcher::visible`], under other facts.
    ///
    /// # Errors
    /// As [`Dispatcher::visible`].
    pub fn visible_with(
        &self,
        context: &CallerContext,
        facts: &RuntimeFacts,
    ) -> Result<Vec<ToolListing<'_>>, ToolError> {
        let caller = self.policy.caller(&self.catalogue, &context.who, facts)?;
        let listing = |index| ToolListing {
            tool: self.catalogue.tool(index),
            hidden: caller.hidden(&self.catalogue, index),
        };
        let hidden = (0..self.catalogue.len()).filter(|tool| !caller.visible().contains(*tool));
        Ok(caller.listed().chain(hidden).map(listing).collect())
    }

    /// The resources a call uses, including the files its arguments refer to; paths by identity.
    ///
    /// # Errors
    /// When a path leaves the workspace, or the arguments name none.
    pub fn resource_keys(
        &self,
        tool: &dyn AnyTool,
        call: &dyn ToolCall,
    ) -> Result<Vec<ResourceKey>, ToolError> {
        let files = self.host.capabilities.files.as_deref();
        resource_keys(&self.policy, tool, call, files)
    }

    fn caller(&self, context: &CallerContext) -> Result<CallerPolicy<'_>, ToolError> {
        self.policy
            .caller(&self.catalogue, &context.who, &self.facts)
    }
}

/// Whether a call of a tool leaves nothing behind where it stops.
fn may_begin_again(spec: &Spec) -> bool {
    spec.effects.is_empty()
        && spec.capabilities.is_empty()
        && !spec.calls_tools
        && spec.determinism != Determinism::External
        && spec.source == Spec::pure().source
}

/// As [`Dispatcher::resource_keys`], with these files.
fn resource_keys(
    policy: &Policy,
    tool: &dyn AnyTool,
    call: &dyn ToolCall,
    files: Option<&dyn WorkspaceFiles>,
) -> Result<Vec<ResourceKey>, ToolError> {
    let mut keys = call.resources()?;
    keys.extend(tool_core::tool::source_keys(call.sources()));
    if let Some(files) = files {
        for key in keys.iter_mut().filter(|key| key.kind == ResourceKind::Path) {
            let id = match key.access {
                Access::Read => Ok(()),
                Access::Write => files.may_write(&key.name),
            };
            let id = id.and_then(|()| files.identity(&key.name));
            let id = id.map_err(|err| {
                let place = argument_with(call, &key.name).filter(|_| err.path().is_none());
                match place {
                    Some(pointer) => err.at(pointer),
                    None => err,
                }
            })?;
            *key = key.clone().identified(id);
        }
    } else if keys
        .iter()
        .any(|key| key.kind == ResourceKind::Path && !policy.has_place(&key.name))
    {
        let id = tool.spec().id;
        return Err(
            tool_error!(InvalidArgs, "`{id}` uses a path outside the workspace").reason("path"),
        );
    }
    keys.sort();
    keys.dedup();
    Ok(keys)
}

/// The argument that holds a path, for messages.
fn argument_with(call: &dyn ToolCall, path: &str) -> Option<String> {
    let mut members = call.args().as_object()?.iter();
    let named = members.find(|(_, value)| value.as_str() == Some(path));
    let mut sources = call.sources().iter();
    let place = DataPlace::File(path.to_owned());
    named.map(|(name, _)| format!("/{name}")).or_else(|| {
        let source = sources.find(|reference| reference.source.place == place)?;
        Some(source.pointer.clone())
    })
}
