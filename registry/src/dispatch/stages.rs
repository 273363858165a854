//! The stages of a call as types: each can be made only by the one before it.
//!
//! [`Looked`] -> [`Visible`] -> [`Checked`] -> [`Ruled`] -> [`Keyed`] -> [`Cleared`] -> [`Loaded`] -> [`Ran`]. Every field is
//! private to this module, so no call can run that did not pass all of them.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use tool_core::capability::{Alarm, ApprovalRequest, ApprovalState, Durability};
use tool_core::ctx::Budget;
use tool_core::{
    AnyTool, Call, Caller as CallerKind, Capability, Ctx, Determinism, ErrorCode, ResourceKey,
    Source, StopFlag, ToolError, Value,
};

use super::limits::check_output;
use super::trail::Trail;
use super::{
    Answer, CallRequest, CallerContext, Considered, Dispatcher, budgets, nested, obligations,
    panic, preview, results,
};
use crate::policy::{CallFacts, Caller, Decision, HostRules, Verdict, Who};
use crate::{digest, redact};

/// How a call ended.
pub(super) struct Ended {
    pub(super) ending: Ending,
    pub(super) warnings: Vec<String>,
    /// Secrets taken out of the result.
    pub(super) redacted: usize,
}

/// The three ends of a call.
pub(super) enum Ending {
    Success(Value),
    Failed(ToolError),
    /// With the id of the approval it waits for.
    Pending(String),
}

impl Ended {
    pub(super) fn failed(error: ToolError) -> Self {
        Self::with(Ending::Failed(error))
    }

    fn with(ending: Ending) -> Self {
        Self {
            ending,
            warnings: Vec::new(),
            redacted: 0,
        }
    }
}

/// Why a call does not go on to the next stage.
enum Halt {
    Failed(ToolError),
    Pending(String),
}

impl From<ToolError> for Halt {
    fn from(error: ToolError) -> Self {
        Self::Failed(error)
    }
}

/// Runs every stage; the trail holds what was learnt, wherever it ends.
pub(super) fn run(dispatcher: &Dispatcher, request: &CallRequest, trail: &mut Trail) -> Ended {
    match stages(dispatcher, request, trail) {
        Ok(ended) => ended,
        Err(Halt::Failed(error)) => Ended::failed(error),
        Err(Halt::Pending(id)) => Ended::with(Ending::Pending(id)),
    }
}

fn stages(
    dispatcher: &Dispatcher,
    request: &CallRequest,
    trail: &mut Trail,
) -> Result<Ended, Halt> {
    let looked = Looked::look_up(dispatcher, &request.tool, &request.context)?;
    let spec = looked.tool().spec();
    trail.set_tool(spec);
    trail.decision = looked.hidden();
    let checked = looked
        .visible(&request.context)?
        .check(&request.args, trail)?;
    let ruled = checked.rules(trail)?;
    let keyed = ruled.keys(trail)?;
    let cleared = keyed.approve(request, trail)?;
    let loaded = cleared.load(request, trail)?;
    Ok(loaded.run(trail)?.finish())
}

/// The stages up to the resource keys; a refusal is recorded as that of a call.
pub(super) fn consider<'a>(
    dispatcher: &'a Dispatcher,
    request: &CallRequest,
) -> Result<Considered<'a>, ToolError> {
    let mut trail = Trail::start(dispatcher, request);
    let call_id = trail.call_id().to_owned();
    let found = panic::guard(&call_id, || considered(dispatcher, request, &mut trail));
    let found = found.unwrap_or_else(|_| Err(panic::internal(trail.tool(), &call_id)));
    found.inspect_err(|error| {
        trail.finish(dispatcher, Ended::failed(error.clone()));
    })
}

fn considered<'a>(
    dispatcher: &'a Dispatcher,
    request: &CallRequest,
    trail: &mut Trail,
) -> Result<Considered<'a>, ToolError> {
    let looked = Looked::look_up(dispatcher, &request.tool, &request.context)?;
    let tool = looked.tool();
    trail.set_tool(tool.spec());
    trail.decision = looked.hidden();
    let checked = looked
        .visible(&request.context)?
        .check(&request.args, trail)?;
    let keyed = checked.rules(trail)?.keys(trail)?;
    Ok(Considered {
        tool,
        reach: keyed.ruled.call.reach(),
        decision: keyed.ruled.decision,
        keys: keyed.keys,
    })
}

/// A tool was found, and who calls is known.
pub(super) struct Looked<'a> {
    dispatcher: &'a Dispatcher,
    index: usize,
    caller: Caller<'a>,
}

impl<'a> Looked<'a> {
    pub(super) fn look_up(
        dispatcher: &'a Dispatcher,
        name: &str,
        context: &CallerContext,
    ) -> Result<Self, ToolError> {
        let caller = dispatcher.caller(context)?;
        let catalogue = &dispatcher.catalogue;
        let Some(index) = catalogue.index(name) else {
            // Only what the caller may see is suggested.
            let seen = caller
                .visible()
                .iter()
                .map(|tool| catalogue.tool(tool).spec().id);
            return Err(catalogue.unknown(name, tool_core::nearest::nearest(name, seen)));
        };
        Ok(Self {
            dispatcher,
            index,
            caller,
        })
    }

    fn tool(&self) -> &'a dyn AnyTool {
        self.dispatcher.catalogue.tool(self.index)
    }

    fn hidden(&self) -> Option<Decision> {
        self.caller.hidden(&self.dispatcher.catalogue, self.index)
    }

    /// The message depends on who calls and on the tool, never on the arguments.
    pub(super) fn visible(self, context: &CallerContext) -> Result<Visible<'a>, ToolError> {
        let id = self.tool().spec().id;
        if let Some(hidden) = self.hidden() {
            let message = format_args!(
                "role `{}` may not call `{id}`: {}",
                context.who.role, hidden.reason
            );
            if self.caller.lacks_facts(self.index) {
                let message = format_args!("`{id}` cannot run now: {}", hidden.reason);
                return Err(ToolError::new(ErrorCode::PreconditionFailed, message).reason("fact"));
            }
            return Err(ToolError::new(ErrorCode::NotVisible, message)
                .reason("layer")
                .hint(format!(
                    "`mathchain policy explain {} {id}` shows every layer",
                    context.who.role
                )));
        }
        let kind = if context.chain.is_some() {
            CallerKind::Chain
        } else {
            CallerKind::Direct
        };
        if !self.tool().spec().callers.contains(&kind) {
            let message = match kind {
                CallerKind::Chain => format!("`{id}` cannot be a step of a chain"),
                CallerKind::Direct => format!("`{id}` runs only as a step of a chain"),
            };
            return Err(ToolError::new(ErrorCode::NotVisible, message).reason("caller"));
        }
        Ok(Visible(self))
    }
}

/// The caller may see the tool.
pub(super) struct Visible<'a>(Looked<'a>);

impl<'a> Visible<'a> {
    pub(super) fn index(&self) -> usize {
        self.0.index
    }

    fn check(self, args: &Value, trail: &mut Trail) -> Result<Checked<'a>, ToolError> {
        let looked = self.0;
        let spec = looked.tool().spec();
        trail.declared = spec.effects;
        let call = looked.tool().decode(args)?;
        trail.effects = call.reach().effects;
        trail.set_args(call.args());
        if spec.determinism == Determinism::Seeded {
            trail.seed = call.args().get("seed").and_then(seed_of);
        }
        Ok(Checked { looked, call })
    }
}

/// A seed as it stands in canonical arguments; wide ones are texts.
fn seed_of(value: &Value) -> Option<u64> {
    match value {
        Value::String(text) => text.parse().ok(),
        other => other.as_i64().map(|seed| seed as u64),
    }
}

/// The arguments are what the tool expects.
struct Checked<'a> {
    looked: Looked<'a>,
    call: Box<dyn Call>,
}

impl<'a> Checked<'a> {
    fn rules(self, trail: &mut Trail) -> Result<Ruled<'a>, ToolError> {
        let Self { looked, call } = self;
        let files = looked.dispatcher.host.capabilities.files.as_deref();
        let facts = CallFacts::of(looked.tool(), call.as_ref(), files);
        let catalogue = &looked.dispatcher.catalogue;
        let mut decision = looked
            .caller
            .decide(catalogue, looked.index, Some(&facts), files);
        if decision.verdict == Verdict::Allow && trail.requires_approval() {
            decision.require("plan", "the plan requires an approval");
        }
        let hosts = looked.caller.host_rules(catalogue, looked.index, &facts);
        let condition = match decision.verdict {
            Verdict::Ask => obligations::condition(&facts),
            _ => Value::Null,
        };
        drop(facts);
        trail.decision = Some(decision.clone());
        if decision.verdict == Verdict::Deny {
            let role = looked.caller.role();
            return Err(denied(role, looked.tool().spec().id, &decision));
        }
        obligations::size(looked.tool().spec().id, decision.obligations, call.args())?;
        Ok(Ruled {
            looked,
            call,
            decision,
            condition,
            hosts,
        })
    }
}

fn denied(role: &str, id: &str, decision: &Decision) -> ToolError {
    let rule = decision
        .rule
        .as_ref()
        .map(|rule| format!(", {rule}"))
        .unwrap_or_default();
    let message = format_args!(
        "this call of `{id}` is denied by layer {}{rule}: {}",
        decision.layer, decision.reason
    );
    ToolError::new(ErrorCode::PolicyDenied, message)
        .reason("rule")
        .hint(format!(
            "`mathchain policy explain {role} {id}` shows every rule; a denial holds over every approval"
        ))
}

/// No rule denies the call, and its obligations can be met.
struct Ruled<'a> {
    looked: Looked<'a>,
    call: Box<dyn Call>,
    decision: Decision,
    /// What a rule about this call would match.
    condition: Value,
    /// What is said of hosts that the call meets on its way.
    hosts: HostRules,
}

impl<'a> Ruled<'a> {
    fn keys(self, trail: &mut Trail) -> Result<Keyed<'a>, ToolError> {
        let keys = self
            .looked
            .dispatcher
            .resource_keys(self.looked.tool(), self.call.as_ref())?;
        if let Some(planned) = trail.planned() {
            unchanged(self.looked.tool().spec().id, planned, &keys)?;
        }
        trail.resources.clone_from(&keys);
        Ok(Keyed { ruled: self, keys })
    }
}

/// Refuses a call that uses something else than what its plan was put in order by, as when a link points elsewhere now.
fn unchanged(id: &str, planned: &[ResourceKey], found: &[ResourceKey]) -> Result<(), ToolError> {
    // A file that is written anew has another inode, and is what was meant all the same.
    let named = |key: &ResourceKey| {
        let name = key
            .name
            .split_once("//")
            .map_or(&*key.name, |(path, _)| path);
        (key.kind, name.to_owned(), key.access)
    };
    let planned: Vec<_> = planned.iter().map(named).collect();
    match found.iter().find(|key| !planned.contains(&named(key))) {
        None => Ok(()),
        Some(key) => {
            let message = format_args!(
                "`{id}` would use {} `{}`, which is not what the plan was checked with: a link on the way points elsewhere now",
                key.kind, key.name
            );
            Err(ToolError::new(ErrorCode::ResourceChanged, message)
                .reason("resource_changed")
                .hint("check the plan again"))
        }
    }
}

/// What the call touches is known by its real identity.
struct Keyed<'a> {
    ruled: Ruled<'a>,
    keys: Vec<ResourceKey>,
}

impl<'a> Keyed<'a> {
    fn approve(self, request: &CallRequest, trail: &mut Trail) -> Result<Cleared<'a>, Halt> {
        let dispatcher = self.ruled.looked.dispatcher;
        let has_effects = !trail.effects.is_empty();
        if has_effects && dispatcher.host.ledger.is_none() {
            return Err(unaudited("there is no audit").into());
        }
        budget(&self.ruled.looked, trail, false)?;
        if self.ruled.decision.verdict == Verdict::Ask {
            match request.context.answer {
                Answer::Nobody => return Err(unattended(&self.ruled).into()),
                Answer::Yes => trail.approved_by = Some("caller-yes".to_owned()),
                Answer::Ask => self.settle(dispatcher, trail)?,
            }
        }
        Ok(Cleared { ruled: self.ruled })
    }

    fn settle(&self, dispatcher: &Dispatcher, trail: &mut Trail) -> Result<(), Halt> {
        let spec = self.ruled.looked.tool().spec();
        let decision = &self.ruled.decision;
        let Some(approvals) = &dispatcher.host.approvals else {
            let message = format_args!(
                "`{}` needs a person's approval: {}",
                spec.id, decision.reason
            );
            return Err(ToolError::new(ErrorCode::ApprovalRequired, message)
                .hint("an `allow` rule in the configuration, or `--yes` at the command line")
                .into());
        };
        let request = ApprovalRequest {
            digest: self.digest(dispatcher, trail.who(), trail.args_digest()),
            tool: spec.id.to_owned(),
            role: self.ruled.looked.caller.role().to_owned(),
            agent: trail.who().agent.clone(),
            condition: self.ruled.condition.clone(),
            preview: preview::of(self.ruled.call.args()),
            reason: match &decision.rule {
                Some(rule) => format!("layer {}, {rule}: {}", decision.layer, decision.reason),
                None => decision.reason.to_string(),
            },
        };
        // Were it consumed, this would be the record that makes the intent durable.
        let intent = Value::Object(Arc::new(trail.intent()));
        match approvals.settle(&request, &intent)? {
            ApprovalState::Pending(id) => Err(Halt::Pending(id)),
            ApprovalState::Consumed { id, approved_by } => {
                trail.approval_id = Some(id);
                trail.approved_by = Some(approved_by);
                trail.intended = true;
                Ok(())
            }
            ApprovalState::Declined(id) => {
                trail.approval_id = Some(id);
                let message = format_args!("a person declined this call of `{}`", spec.id);
                Err(ToolError::new(ErrorCode::ApprovalDeclined, message).into())
            }
            ApprovalState::Expired(id) => {
                trail.approval_id = Some(id);
                let message = format_args!("the approval for this call of `{}` expired", spec.id);
                Err(ToolError::new(ErrorCode::ApprovalExpired, message)
                    .hint("send the call again to ask anew")
                    .into())
            }
        }
    }

    /// Binds an approval to this call and to nothing else.
    fn digest(&self, dispatcher: &Dispatcher, who: &Who, args_digest: &str) -> String {
        let spec = self.ruled.looked.tool().spec();
        let version = spec.version.to_string();
        let keys: Vec<String> = self
            .keys
            .iter()
            .map(|key| format!("{} {} {}", key.kind, key.access, key.name))
            .collect();
        let fixed = [
            spec.id,
            &version,
            args_digest,
            self.ruled.looked.caller.role(),
            dispatcher.policy.generation(),
            // Absent and empty differ: no agent, phase or task has an empty name.
            who.agent.as_deref().unwrap_or_default(),
            who.phase.as_deref().unwrap_or_default(),
            who.task.as_deref().unwrap_or_default(),
        ];
        digest::of_texts(fixed.into_iter().chain(keys.iter().map(String::as_str)))
    }
}

/// What would ask is denied where nobody can answer and the configuration says so.
fn unattended(ruled: &Ruled<'_>) -> ToolError {
    let id = ruled.looked.tool().spec().id;
    let message = format_args!(
        "`{id}` needs a person's approval, and nobody can answer at this door: {}",
        ruled.decision.reason
    );
    ToolError::new(ErrorCode::PolicyDenied, message)
        .reason("unattended")
        .hint("call it at a terminal, add an `allow` rule, or set `[approvals] unattended = \"pending\"`")
}

/// Holds the call against the budget of its task; with `count` it is counted.
fn budget(looked: &Looked<'_>, trail: &Trail, count: bool) -> Result<(), ToolError> {
    let dispatcher = looked.dispatcher;
    let task = trail.who().task.as_deref();
    let budget = task.and_then(|task| dispatcher.policy.budget(task));
    let kind = budgets::Kind::of(looked.tool().spec(), trail.effects);
    match (budget, kind) {
        (Some(budget), Some(kind)) => dispatcher.tally.room(budget, kind, count),
        _ => Ok(()),
    }
}

fn unaudited(why: &str) -> ToolError {
    ToolError::new(
        ErrorCode::PreconditionFailed,
        format_args!("a call with effects is refused where it cannot be recorded: {why}"),
    )
    .reason("audit")
    .hint("`mathchain doctor` shows the state folder and what is wrong with it")
}

/// Nobody has to be asked any more.
struct Cleared<'a> {
    ruled: Ruled<'a>,
}

impl<'a> Cleared<'a> {
    /// The deadline runs from here.
    fn load(self, request: &CallRequest, trail: &mut Trail) -> Result<Loaded<'a>, ToolError> {
        let dispatcher = self.ruled.looked.dispatcher;
        let spec = self.ruled.looked.tool().spec();
        let limits = dispatcher.limits;
        let timeout_ms = [
            request.timeout_ms,
            spec.timeout_ms,
            self.ruled.decision.obligations.timeout_ms,
        ]
        .into_iter()
        .flatten()
        .fold(limits.timeout_ms, u64::min);
        request.stop.check()?;
        let stop = request.stop.child();
        let alarm = dispatcher
            .host
            .clock
            .alarm(Duration::from_millis(timeout_ms), stop.clone());
        let loaded = self.inputs(dispatcher, &stop)?;
        let result_key = results::key(dispatcher, spec, self.ruled.call.as_ref(), &loaded, || {
            (
                trail.args_digest(),
                trail.seed.unwrap_or(request.seed.get()),
            )
        });
        budget(&self.ruled.looked, trail, true)?;
        if spec.determinism == Determinism::Seeded && trail.seed.is_none() {
            trail.seed = Some(request.seed.get());
        }
        let budget = Budget {
            timeout_ms,
            memory_bytes: limits.memory_bytes,
            ..Budget::default()
        };
        let mut capabilities = dispatcher.host.capabilities.declared_by(spec);
        capabilities.http = capabilities
            .http
            .map(|http| self.ruled.hosts.clone().guard(http));
        if spec.capabilities.contains(&Capability::Calls) && capabilities.calls.is_none() {
            capabilities.calls = Some(Arc::new(nested::Nested {
                dispatcher: dispatcher.clone(),
                context: request.context.clone(),
                tool: self.ruled.looked.tool().spec().id,
                call_id: trail.call_id().to_owned(),
                seed: request.seed,
            }));
        }
        let mut ctx = Ctx::new(stop, budget)
            .with_capabilities(capabilities)
            .with_seed(request.seed)
            .with_loaded(loaded);
        if let Some(progress) = &request.progress {
            ctx = ctx.with_progress(Arc::clone(progress));
        }
        let obliged = self.ruled.decision.obligations;
        if obliged.backup {
            trail.backups = obligations::backup(dispatcher, spec.id, trail)?;
        }
        if obliged.notify {
            let args = self.ruled.call.args();
            trail.notice = Some(obligations::notify(dispatcher, spec.id, args, trail)?);
        }
        if !trail.effects.is_empty() && !trail.intended {
            trail
                .write(dispatcher, || trail.intent(), Durability::Synced)
                .map_err(|err| unaudited(err.message()))?;
            trail.intended = true;
        }
        Ok(Loaded {
            ruled: self.ruled,
            ctx,
            alarm,
            result_key,
            direct: request.context.chain.is_none(),
        })
    }

    fn inputs(
        &self,
        dispatcher: &Dispatcher,
        stop: &StopFlag,
    ) -> Result<HashMap<Source, Value>, ToolError> {
        let mut loaded = HashMap::new();
        let mut kinds = HashMap::new();
        for reference in self.ruled.call.sources() {
            stop.check()?;
            let refuse =
                |message: &str| Err(ToolError::invalid(reference.pointer.clone(), message));
            let Some(arrays) = &dispatcher.host.arrays else {
                return refuse("this door opens no files: pass the data inline");
            };
            match kinds.insert(reference.source.clone(), reference.kind) {
                Some(kind) if kind == reference.kind => continue,
                Some(_) => return refuse("the same file is wanted as data and as text"),
                None => {}
            }
            let value = arrays
                .open_for(
                    self.ruled.looked.caller.role(),
                    &reference.source,
                    reference.kind,
                    dispatcher.limits.max_input_bytes,
                )
                .map_err(|err| {
                    if err.path().is_some() {
                        err
                    } else {
                        err.at(reference.pointer.clone())
                    }
                })?;
            loaded.insert(reference.source.clone(), value);
        }
        Ok(loaded)
    }
}

/// Inputs are in memory, the deadline is set, and what is about to happen is durable where it has effects.
struct Loaded<'a> {
    ruled: Ruled<'a>,
    ctx: Ctx,
    alarm: Box<dyn Alarm>,
    /// Names the result, where it is a function of what is named.
    result_key: Option<String>,
    direct: bool,
}

impl Loaded<'_> {
    fn run(self, trail: &mut Trail) -> Result<Ran, ToolError> {
        let Self {
            ruled,
            ctx,
            alarm,
            result_key,
            direct,
        } = self;
        let spec = ruled.looked.tool().spec();
        let call = ruled.call;
        let dispatcher = ruled.looked.dispatcher;
        let output = results::kept_or(dispatcher, spec, result_key.as_deref(), trail, |trail| {
            let result = panic::guard(trail.call_id(), || call.run(&ctx));
            result.unwrap_or_else(|_| Err(panic::internal(spec.id, trail.call_id())))
        });
        drop(alarm);
        let mut warnings = ctx.take_warnings();
        let output = match output {
            Ok(output) => output,
            Err(error) => {
                return Ok(Ran {
                    ended: Ended {
                        ending: Ending::Failed(error),
                        warnings,
                        redacted: 0,
                    },
                });
            }
        };
        let obligations = ruled.decision.obligations;
        check_output(
            &output,
            spec,
            ruled.looked.dispatcher.limits,
            obligations,
            direct,
        )?;
        // What a tool found in the world may hold secrets; what a pure tool computed came from the caller. Between steps of
        // a chain nothing is changed unless a rule says so.
        let reads_world = spec.determinism == Determinism::External && direct;
        let (output, redacted) = if obligations.redact || reads_world {
            redact::value(&output)
        } else {
            (output, 0)
        };
        if redacted > 0 {
            warnings.push(format!("{redacted} secrets were taken out of the result; what stands there is not what was read"));
        }
        Ok(Ran {
            ended: Ended {
                ending: Ending::Success(output),
                warnings,
                redacted,
            },
        })
    }
}

/// The tool has run, and its result is within the limits.
struct Ran {
    ended: Ended,
}

impl Ran {
    fn finish(self) -> Ended {
        self.ended
    }
}
