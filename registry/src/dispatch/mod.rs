//! The one dispatcher: every call through every door passes here, in one order of stages.
//!
//! Read [`Dispatcher::call`] first. The stages are types in `stages`, each of which only the one before can make: look-up,
//! visibility, decoding, rules, resource keys, loading of inputs, approval, the run under guard and deadline, limits of the
//! result. `trail` gathers what the audit must know on the way, whatever the end.

mod allowance;
mod budgets;
mod cut;
mod limits;
mod nested;
mod obligations;
mod panic;
mod preview;
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
    Approvals, Arrays, Backups, ChainRequest, Clock, Files, Ledger, Notices,
};
use tool_core::ctx::Progress;
use tool_core::{
    AnyTool, Call, Capabilities, Effect, ErrorCode, Outcome, Reach, ResourceKey, ResourceKind,
    Seed, Source, Spec, StopFlag, ToolError, Value,
};

use crate::catalogue::Catalogue;
use crate::model::Limits;
use crate::model::Principal;
use crate::policy::{CallFacts, Caller, Decision, Facts, Policy};
pub use allowance::Allowance;
pub use budgets::{OVERRIDES, RAISED_BY};
pub use cut::cut;
pub use nested::{CALLS_MAX, DEPTH_MAX};
pub use panic::install_panic_hook;
pub use trace::TraceParent;
use trail::Trail;
pub use witness::{Origin, Witness};

/// What of the world the dispatcher is given.
#[derive(Clone)]
pub struct Host {
    /// Time and timers.
    pub clock: Arc<dyn Clock>,
    /// What tools may be given, each only what it declares.
    pub capabilities: Capabilities,
    /// Opens files and artifacts; absent: such arguments are refused.
    pub arrays: Option<Arc<dyn Arrays>>,
    /// The audit; absent: calls with effects are refused, pure calls carry a warning.
    pub ledger: Option<Arc<dyn Ledger>>,
    /// Approvals; absent: a call that needs one is refused.
    pub approvals: Option<Arc<dyn Approvals>>,
    /// Copies of files; absent: a call with the obligation `backup` is refused.
    pub backups: Option<Arc<dyn Backups>>,
    /// What a person is told; absent: a call with the obligation `notify` is refused.
    pub notices: Option<Arc<dyn Notices>>,
    /// What runs plans that calls hand on; absent: such calls are refused.
    pub chains: Option<Arc<dyn Chains>>,
    /// Results of calls that are functions of their arguments; absent: every call is computed.
    pub results: Option<Arc<dyn Results>>,
    /// Keeps results that are too large to be answered with; absent: of such results the rest is lost.
    pub answers: Option<Arc<dyn Answers>>,
    /// Told of what ended; absent: nobody is.
    pub witness: Option<Arc<dyn Witness>>,
    /// The folder that calls work in: approvals and runs are bound to it.
    pub workspace: Option<WorkspaceId>,
}

/// Identity of a workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkspaceId {
    /// Path of its root, absolute and without links; for people.
    pub root: String,
    /// Identifies the folder itself: it stays when the folder is moved, and another folder at the same path has another.
    pub id: String,
}

impl WorkspaceId {
    /// As data, in the header of a run.
    pub fn to_value(&self) -> Value {
        Value::object([
            ("root", Value::from(self.root.as_str())),
            ("id", Value::from(self.id.as_str())),
        ])
    }

    /// Reads what [`WorkspaceId::to_value`] wrote.
    pub fn from_value(value: &Value) -> Option<Self> {
        let text = |key| Some(value.get(key)?.as_str()?.to_owned());
        Some(Self {
            root: text("root")?,
            id: text("id")?,
        })
    }
}

/// Keeps results of calls that are functions of arguments, inputs and seed. A call whose result is kept passes every stage all the
/// same; it is only not computed.
pub trait Results: Send + Sync {
    /// What made the results, beside the tool: program and numeric profile. It is part of every key.
    fn made_by(&self) -> &str;

    /// A kept result; a keeper that fails has none.
    fn get(&self, key: &str) -> Option<Value>;

    /// Keeps a result; one that cannot be kept is computed again.
    fn put(&self, key: &str, spec: &Spec, output: &Value);
}

/// Keeps results of calls that are too large to be answered with.
pub trait Answers: Send + Sync {
    /// Keeps a value that a call gave, for callers with a role, and gives the handle that stands for it.
    ///
    /// # Errors
    /// When it cannot be kept.
    fn keep(&self, call_id: &str, role: &str, value: &Value) -> Result<Value, ToolError>;
}

/// Runs plans for calls; given by whoever knows the language of plans.
pub trait Chains: Send + Sync {
    /// Checks a plan for a caller, and runs it unless only the check is asked for.
    ///
    /// # Errors
    /// Every problem of the plan; the error of a run that failed.
    fn chain(
        &self,
        dispatcher: &Dispatcher,
        context: &CallerContext,
        request: &ChainRequest,
        stop: &StopFlag,
    ) -> Result<Value, ToolError>;
}

/// An operator's answer to approvals, given in advance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Answer {
    /// None: the call waits for a person.
    #[default]
    Ask,
    /// `--yes` at the command line; recorded as `approved_by: caller-yes`.
    Yes,
    /// Nobody can answer at this door, and the configuration says that what would ask is denied there.
    Nobody,
}

/// Where in a chain a call stands.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ChainPosition {
    /// The chain.
    pub chain_id: String,
    /// Index of the step in the plan.
    pub chain_index: usize,
    /// Id of the step.
    pub step: String,
    /// Index of the element, in a step that calls its tool for every element of a list.
    pub item: Option<usize>,
    /// The number of the attempt, from 1.
    pub attempt: u32,
    /// How often a process took up the run; 1 in the one that began it.
    pub part: u64,
    /// Planned wave of the step.
    pub wave: usize,
    /// Whether the plan asks a person also where the policy allows.
    pub requires_approval: bool,
    /// What the plan was put in order by, where it told: a call that now uses something else is refused.
    pub planned: Option<Vec<ResourceKey>>,
    /// What was noted before the same call, when that began in a process that ended: the tool tells whether it happened.
    pub began: Option<Value>,
    /// Whether the run is being ended: a call that did not happen is not made any more.
    pub ending: bool,
    /// Digests of the plans that the step may hand on, where the check read them: whoever runs plans refuses any other.
    pub plans: Option<Vec<String>>,
    /// What the plans around may still use, as whoever runs plans counts it.
    pub allowance: Allowance,
}

impl ChainPosition {
    /// What people call it: `step`, `step[3]`.
    pub fn call_name(&self) -> String {
        match self.item {
            Some(item) => format!("{}[{item}]", self.step),
            None => self.step.clone(),
        }
    }
}

/// Who calls, and from where.
#[derive(Debug, Clone)]
pub struct CallerContext {
    /// Role, agent, phase, task, overrides and further layers.
    pub who: Principal,
    /// Where in a chain; `None` for a direct call.
    pub chain: Option<ChainPosition>,
    /// The operator's answer given in advance.
    pub answer: Answer,
    /// What it is part of.
    pub origin: Origin,
}

/// One call.
#[derive(Clone)]
pub struct CallRequest {
    /// Canonical or wire name.
    pub tool: String,
    /// Arguments, as scanned at the door.
    pub args: Value,
    /// Who calls.
    pub context: CallerContext,
    /// The seed that holds where the arguments set none.
    pub seed: Seed,
    /// Deadline; the strictest of this, the tool's, the rules' and the configuration's holds.
    pub timeout_ms: Option<u64>,
    /// Set from outside to cancel.
    pub stop: StopFlag,
    /// Receives progress.
    pub progress: Option<Arc<Progress>>,
}

/// The one dispatcher. Immutable: a reloaded policy makes a new one, and a call sees one generation from end to end. A clone
/// shares what was counted.
#[derive(Clone)]
pub struct Dispatcher {
    catalogue: Arc<Catalogue>,
    policy: Arc<Policy>,
    limits: Limits,
    host: Host,
    facts: Facts,
    /// Tells the calls of this process from those of others.
    nonce: u64,
    calls: Arc<AtomicU64>,
    /// What was counted against the budgets of tasks.
    tally: Arc<budgets::Tally>,
}

/// A tool in a listing.
pub struct Listing<'a> {
    /// The tool.
    pub tool: &'a dyn AnyTool,
    /// Why the caller may not see it; `None` when it may.
    pub hidden: Option<Decision>,
}

/// What is known of a call before anybody is asked.
pub struct Considered<'a> {
    /// The tool.
    pub tool: &'a dyn AnyTool,
    /// The verdict: `allow` or `ask`.
    pub decision: Decision,
    /// What it touches, by its real identity.
    pub keys: Vec<ResourceKey>,
    /// What it can do at most.
    pub reach: Reach,
}

impl Dispatcher {
    /// Joins what there is, who may, how much, and the world.
    pub fn new(catalogue: Arc<Catalogue>, policy: Arc<Policy>, limits: Limits, host: Host) -> Self {
        let facts = if host.capabilities.files.is_some() {
            Facts::default().with("workspace=ready")
        } else {
            Facts::default()
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

    /// With further facts that hold, such as `sandbox=ready`: preconditions of tools are held against them.
    #[must_use]
    pub fn with_facts(mut self, facts: impl IntoIterator<Item = &'static str>) -> Self {
        self.facts = facts
            .into_iter()
            .fold(self.facts, |facts, fact| facts.with(fact));
        self
    }

    /// Counts on where another one of the same session counted, as after a reload.
    #[must_use]
    pub fn continuing(mut self, before: &Self) -> Self {
        self.tally = Arc::clone(&before.tally);
        self
    }

    /// Counts a call that another process made and recorded, as of a run that goes on: what its task has used stays used.
    pub fn count_recorded(&self, record: &Value) {
        let text = |key: &str| record.get(key).and_then(Value::as_str);
        let Some(tool) = text("tool").and_then(|tool| self.catalogue.get(tool)) else {
            return;
        };
        let Some(budget) = text("task").and_then(|task| self.policy.budget(task)) else {
            return;
        };
        let effects = record.get("effects").and_then(Value::items);
        let effects = effects.unwrap_or_default();
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

    /// The same with another policy, as after a reload; calls that run keep the one they began with.
    #[must_use]
    pub fn with_policy(&self, policy: Arc<Policy>) -> Self {
        Self {
            catalogue: Arc::clone(&self.catalogue),
            policy,
            limits: self.limits,
            host: self.host.clone(),
            facts: self.facts.clone(),
            nonce: trail::process_nonce(),
            calls: Arc::default(),
            tally: Arc::clone(&self.tally),
        }
    }

    /// The same with other records: what a run does stands in its own journal, and its approvals are settled there. What was
    /// counted stays shared.
    #[must_use]
    pub fn with_records(&self, ledger: Arc<dyn Ledger>, approvals: Arc<dyn Approvals>) -> Self {
        let mut dispatcher = self.clone();
        dispatcher.host.ledger = Some(ledger);
        dispatcher.host.approvals = Some(approvals);
        dispatcher
    }

    /// The same with kept results.
    #[must_use]
    pub fn with_results(&self, results: Arc<dyn Results>) -> Self {
        let mut dispatcher = self.clone();
        dispatcher.host.results = Some(results);
        dispatcher
    }

    /// The same in another world, as of a session whose workspace comes and goes; what was counted is shared.
    #[must_use]
    pub fn in_world(&self, host: Host, facts: Facts) -> Self {
        Self {
            host,
            facts,
            ..self.clone()
        }
    }

    /// The tools there are.
    pub fn catalogue(&self) -> &Catalogue {
        &self.catalogue
    }

    /// Who may call which.
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// Limits of every call.
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// What of the world it was given.
    pub fn host(&self) -> &Host {
        &self.host
    }

    /// What holds at the moment.
    pub fn facts(&self) -> &Facts {
        &self.facts
    }

    /// Runs one call through every stage. Never panics, never loses the audit record.
    pub fn call(&self, request: CallRequest) -> Outcome {
        let mut trail = Trail::start(self, &request);
        let call_id = trail.call_id().to_owned();
        let guarded = panic::guard(&call_id, || stages::run(self, &request, &mut trail));
        let ended = guarded.unwrap_or_else(|_| {
            stages::Ended::failed(panic::internal(trail.tool(), trail.call_id()))
        });
        trail.finish(self, ended)
    }

    /// Look-up and visibility: what a planner asks first. A direct-only tool is refused for a chain caller.
    ///
    /// # Errors
    /// `unknown_tool` or `not_visible`.
    pub fn resolve(&self, tool: &str, context: &CallerContext) -> Result<&dyn AnyTool, ToolError> {
        let visible = stages::Looked::look_up(self, tool, context)?.visible(context)?;
        Ok(self.catalogue.tool(visible.index()))
    }

    /// The verdict on a call without running it; without checked arguments the strictest that could come.
    pub fn preview(
        &self,
        tool: &dyn AnyTool,
        call: Option<&dyn Call>,
        context: &CallerContext,
    ) -> Decision {
        let denied = |reason: &str| Decision::denied("dispatcher", reason.to_owned());
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

    /// The verdict on a file that arguments refer to, where the call itself is not known yet; without a path the strictest that could
    /// come.
    pub fn preview_file(&self, path: Option<&str>, context: &CallerContext) -> Decision {
        let files = self.host.capabilities.files.as_deref();
        match self.caller(context) {
            Ok(caller) => caller.decide_reading(&self.catalogue, path, files),
            Err(err) => Decision::denied("dispatcher", err.message().to_owned()),
        }
    }

    /// Takes a call through every stage before approval: what is known of it then. Nothing runs; a refusal is recorded.
    ///
    /// # Errors
    /// What [`Dispatcher::call`] would answer before it asks anybody: an unknown or hidden tool, arguments that do not fit, a
    /// rule that denies, a path that leaves the workspace.
    pub fn consider(&self, request: &CallRequest) -> Result<Considered<'_>, ToolError> {
        stages::consider(self, request)
    }

    /// Every tool, with the reason where this caller may not see it.
    ///
    /// # Errors
    /// `not_visible` for an unknown role.
    pub fn visible(&self, context: &CallerContext) -> Result<Vec<Listing<'_>>, ToolError> {
        self.visible_with(context, &self.facts)
    }

    /// As [`Dispatcher::visible`], were other facts to hold.
    ///
    /// # Errors
    /// As [`Dispatcher::visible`].
    pub fn visible_with(
        &self,
        context: &CallerContext,
        facts: &Facts,
    ) -> Result<Vec<Listing<'_>>, ToolError> {
        let caller = self.policy.caller(&self.catalogue, &context.who, facts)?;
        let listing = |index| Listing {
            tool: self.catalogue.tool(index),
            hidden: caller.hidden(&self.catalogue, index),
        };
        let hidden = (0..self.catalogue.len()).filter(|tool| !caller.visible().contains(*tool));
        Ok(caller.listed().chain(hidden).map(listing).collect())
    }

    /// The resources a call uses, files of its arguments included; paths by their real identity.
    ///
    /// # Errors
    /// When a path leaves the workspace, or the arguments name none.
    pub fn resource_keys(
        &self,
        tool: &dyn AnyTool,
        call: &dyn Call,
    ) -> Result<Vec<ResourceKey>, ToolError> {
        resource_keys(tool, call, self.host.capabilities.files.as_deref())
    }

    fn caller(&self, context: &CallerContext) -> Result<Caller<'_>, ToolError> {
        self.policy
            .caller(&self.catalogue, &context.who, &self.facts)
    }
}

/// As [`Dispatcher::resource_keys`], with these files.
fn resource_keys(
    tool: &dyn AnyTool,
    call: &dyn Call,
    files: Option<&dyn Files>,
) -> Result<Vec<ResourceKey>, ToolError> {
    let mut keys = call.resources()?;
    keys.extend(tool_core::tool::source_keys(call.sources()));
    if let Some(files) = files {
        for key in keys.iter_mut().filter(|key| key.kind == ResourceKind::Path) {
            let id = (files.identity(&key.name)).map_err(|err| match err.path() {
                None => match argument_with(call, &key.name) {
                    Some(pointer) => err.at(pointer),
                    None => err,
                },
                Some(_) => err,
            })?;
            *key = key.clone().identified(id);
        }
    } else if keys
        .iter()
        .any(|key| key.kind == ResourceKind::Path && crate::policy::components(&key.name).is_none())
    {
        let message = format_args!("`{}` uses a path outside the workspace", tool.spec().id);
        return Err(ToolError::new(ErrorCode::InvalidArgs, message).reason("path"));
    }
    keys.sort();
    keys.dedup();
    Ok(keys)
}

/// The argument that holds a path, for messages.
fn argument_with(call: &dyn Call, path: &str) -> Option<String> {
    let mut members = call.args().as_object()?.iter();
    let named = members.find(|(_, value)| value.as_str() == Some(path));
    let mut sources = call.sources().iter();
    let source = Source::File(path.to_owned());
    named.map(|(name, _)| format!("/{name}")).or_else(|| {
        let source = sources.find(|reference| reference.source == source)?;
        Some(source.pointer.clone())
    })
}
