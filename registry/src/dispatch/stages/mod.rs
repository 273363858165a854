//! The stages of a call as types: each can be made only by the one before it.
//!
//! [`Looked`] -> [`Visible`] -> [`Checked`] -> [`Ruled`] -> [`Keyed`] -> [`Opened`] -> [`Cleared`] -> [`Loaded`] -> [`Ran`]. Every field is
//! private to this module, so no call can run that did not pass all of them. `probe` looks, before approval, at a call that began
//! in a process that ended.

mod approve;
mod destroyed;
mod load;
mod places;
mod probe;
mod stopped;

use std::ops::ControlFlow;

use tool_core::capability::{Alarm, Files};
use tool_core::{
    AnyTool, Call, Caller as CallerKind, Ctx, Determinism, ErrorCode, Object, ResourceKey,
    ToolError, Value,
};

use self::places::Places;
use self::stopped::stopped;
use super::cut::cut;
use super::limits::{Excess, excess};
use super::trail::Trail;
use super::{
    CallRequest, CallerContext, Considered, Dispatcher, budgets, obligations, panic, resource_keys,
    results,
};
use crate::model::Verdict;
use crate::policy::{CallFacts, Caller, Decision, HostRules};
use crate::redact;

/// The role that may look at everything.
const OPERATOR: &str = "operator";

/// How a call ended.
pub(super) struct Ended {
    pub(super) ending: Ending,
    pub(super) warnings: Vec<String>,
    /// How the call went, for the metadata of the answer.
    pub(super) notes: Object,
    /// Secrets taken out of the result.
    pub(super) redacted: usize,
}

/// The three ends of a call.
pub(super) enum Ending {
    Success(Value),
    Failed(ToolError),
    /// With the id of the approval it waits for, and what a plan that it handed on has done so far.
    Pending(String, Value),
}

impl Ended {
    pub(super) fn failed(error: ToolError) -> Self {
        Self::with(Ending::Failed(error))
    }

    fn with(ending: Ending) -> Self {
        Self {
            ending,
            warnings: Vec::new(),
            notes: Object::new(),
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
        Err(Halt::Pending(id)) => Ended::with(Ending::Pending(id, Value::Null)),
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
    let mut keyed = ruled.keys(trail)?;
    let chain = request.context.chain.as_ref();
    if let Some(before) = chain.and_then(|chain| chain.began.as_ref()) {
        keyed = match keyed.probe(request, before, trail)? {
            ControlFlow::Break(ended) => return Ok(ended),
            ControlFlow::Continue(_) if chain.is_some_and(|chain| chain.ending) => {
                let message = "the run ended before the call was made";
                return Err(ToolError::new(ErrorCode::Cancelled, message).into());
            }
            ControlFlow::Continue(keyed) => keyed,
        };
    }
    let cleared = keyed.open(request, trail)?.approve(request, trail)?;
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
        let places = looked.dispatcher.host.capabilities.files.clone();
        let places = places.map(Places::new);
        let files = places.as_ref().map(|places| places as &dyn Files);
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
            Verdict::Ask => obligations::condition(looked.tool(), &facts),
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
            places,
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
    /// Where its paths led; that is where they are read.
    places: Option<Places>,
}

impl<'a> Ruled<'a> {
    fn keys(self, trail: &mut Trail) -> Result<Keyed<'a>, ToolError> {
        let files = self.places.as_ref().map(|places| places as &dyn Files);
        let keys = resource_keys(self.looked.tool(), self.call.as_ref(), files)?;
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
    let is_planned = |key: &ResourceKey| {
        let named = |key: &ResourceKey| (key.kind, key.name.clone(), key.access);
        planned.iter().any(|planned| named(planned) == named(key))
    };
    match found.iter().find(|key| !is_planned(key)) {
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

/// What the arguments open is in memory, and the deadline is set.
struct Opened<'a> {
    ruled: Ruled<'a>,
    keys: Vec<ResourceKey>,
    ctx: Ctx,
    alarm: Box<dyn Alarm>,
}

/// Nobody has to be asked any more.
struct Cleared<'a> {
    ruled: Ruled<'a>,
    ctx: Ctx,
    alarm: Box<dyn Alarm>,
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

/// What is about to happen is durable where it has effects.
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
        let Ruled {
            looked,
            call,
            decision,
            ..
        } = ruled;
        let spec = looked.tool().spec();
        let dispatcher = looked.dispatcher;
        let args = call.args().clone();
        let output = results::kept_or(dispatcher, spec, result_key.as_deref(), trail, |trail| {
            let result = panic::guard(trail.call_id(), || call.run(&ctx));
            result.unwrap_or_else(|_| Err(panic::internal(spec.id, trail.call_id())))
        });
        drop(alarm);
        let output = match output {
            Err(error) => stopped(dispatcher, (looked.tool(), &args), &ctx, trail, error),
            Ok(output) => Ok(output),
        };
        let mut warnings = ctx.take_warnings();
        let notes = ctx.take_notes();
        let output = match output {
            Ok(output) => output,
            Err(error) => {
                let approval = error.approval().filter(|_| spec.hands_on);
                let ending = match approval.map(str::to_owned) {
                    Some(id) => {
                        Ending::Pending(id, error.evidence_value().cloned().unwrap_or_default())
                    }
                    None => Ending::Failed(error),
                };
                return Ok(Ran {
                    ended: Ended {
                        ending,
                        warnings,
                        notes,
                        redacted: 0,
                    },
                });
            }
        };
        // A result that is refused is that of a call that happened.
        let refused = |error: ToolError| match trail.intended {
            true => error.may_have_happened(),
            false => error,
        };
        let mut ended = settled(&looked, &decision, output, direct, trail).map_err(refused)?;
        warnings.append(&mut ended.warnings);
        ended.warnings = warnings;
        for (key, note) in notes.iter() {
            ended.notes.insert(key, note.clone());
        }
        Ok(Ran { ended })
    }
}

/// A result that is within the limits, without what it must not hold. What comes after an effect is cut, and never an error.
fn settled(
    looked: &Looked<'_>,
    decision: &Decision,
    output: Value,
    direct: bool,
    trail: &Trail,
) -> Result<Ended, ToolError> {
    let spec = looked.tool().spec();
    let obligations = decision.obligations;
    let excess = excess(&output, spec, looked.dispatcher.limits, obligations, direct);
    let has_acted = direct && (spec.hands_on || !trail.effects.is_empty());
    if let Some(excess) = excess.as_ref().filter(|_| !has_acted) {
        return Err(excess.error());
    }
    // What a tool found in the world may hold secrets; what a pure tool computed came from the caller. Between steps of
    // a chain nothing is changed unless a rule says so.
    let reads_world = spec.determinism == Determinism::External && direct;
    let (output, redacted) = match obligations.redact || reads_world {
        true => redact::value(&output),
        false => (output, 0),
    };
    let mut ended = Ended {
        redacted,
        ..Ended::with(Ending::Success(Value::Null))
    };
    if redacted > 0 {
        ended.warnings.push(format!(
            "{redacted} secrets were taken out of the result; what stands there is not what was read"
        ));
    }
    let output = match excess {
        Some(excess) => shortened(looked, &output, &excess, trail, &mut ended),
        None => output,
    };
    ended.ending = Ending::Success(output);
    Ok(ended)
}

/// A result that is too large, cut; the whole is kept, and the answer says under which name.
fn shortened(
    looked: &Looked<'_>,
    output: &Value,
    excess: &Excess,
    trail: &Trail,
    ended: &mut Ended,
) -> Value {
    // What a rule keeps from a role is the operator's to look at.
    let role = match excess.is_obliged {
        true => OPERATOR,
        false => looked.caller.role(),
    };
    let answers = looked.dispatcher.host.answers.as_deref();
    let mut keep = |value: &Value| {
        let kept = panic::guard(trail.call_id(), || {
            answers.map(|answers| answers.keep(trail.call_id(), role, value))
        });
        kept.ok().flatten()?.ok()
    };
    let whole = keep(output);
    let Excess {
        bytes, limit, name, ..
    } = excess;
    let name_of = |handle: &Value| {
        let name = handle.get("$artifact").or_else(|| handle.get("$value"))?;
        name.as_str().map(str::to_owned)
    };
    let rest = match whole.as_ref().and_then(name_of) {
        Some(hash) => {
            format!("the whole is the artifact {hash} (`mathchain artifacts get {hash}`)")
        }
        None => "the rest could not be kept".to_owned(),
    };
    ended.warnings.push(format!(
        "the result has {bytes} bytes, the limit is {limit} ({name}): it is cut; {rest}"
    ));
    ended.notes.insert("cut", true);
    if let Some(whole) = whole {
        ended.notes.insert("whole_output", whole);
    }
    cut(output, *limit, &mut keep)
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
