//! The stages of a call as types: each can only be made by the one before.
//!
//! [`LocatedCall`] -> [`VisibleCall`] -> [`DecodedCall`] -> [`DecidedCall`] -> [`IdentifiedCall`] -> [`OpenedCall`] -> [`ApprovedCall`] -> [`CommittedCall`] -> [`CallEndReport`]. Every field is
//! private to this module, so no call runs without passing all of them. `probe` checks, before approval, whether a call of an
//! interrupted process happened.

mod approve;
mod destroyed;
mod edited;
mod load;
mod missing;
mod near;
mod places;
mod probe;
mod settle;
mod shown;
mod stopped;

use std::ops::ControlFlow;
use std::time::Duration;

use tool_core::capability::{CallerIdentity, ClockAlarm, WorkspaceFiles};
use tool_core::spec::wire_name;
use tool_core::{
    Access, AnyTool, Caller as CallerKind, Ctx, Determinism, ErrorCode, ResourceKey, ResourceKind,
    Spec, Syntax, ToolCall, ToolError, Value, tool_error,
};

use self::edited::EditedCall;
use self::places::ResourceIdCache;
use self::settle::settle_result;
use self::stopped::StoppedCall;
use super::ended::{CallEnd, CallEndReport};
use super::trail::CallTrail;
use super::{
    AnswerReader, CallAssessment, CallPlace, CallRequest, CallerContext, Dispatcher, RemoteCall,
    RemoteCompute, budgets, counts, is_movable, obligations, panic, resource_keys, results,
};
use crate::model::{Principal, Verdict};
use crate::policy::{CallFacts, CallerPolicy, HostRules, PolicyDecision, is_harmless};

/// Most times in a row that approvers change the arguments of one call: each time they reach files that the request before did not show.
const EDITS_MAX: usize = 8;

/// The reason a call stops at a stage.
enum StageHalt {
    Failed(ToolError),
    Pending(String),
    /// A person granted the call for other arguments.
    Edited(Box<EditedCall>),
}

impl From<ToolError> for StageHalt {
    fn from(error: ToolError) -> Self {
        Self::Failed(error)
    }
}

/// Runs every stage; the trail has the facts wherever it ends.
pub(super) fn run_stages(
    dispatcher: &Dispatcher,
    request: &CallRequest,
    trail: &mut CallTrail,
) -> CallEndReport {
    execute_stages(dispatcher, request, trail).unwrap_or_else(end_from_halt)
}

/// Runs every stage of a call that leaves nothing behind where it stops; `None` where it stops because it takes too long, or would leave
/// something.
pub(super) fn run_briefly(
    dispatcher: &Dispatcher,
    request: &CallRequest,
    trail: &mut CallTrail,
) -> Option<CallEndReport> {
    let ended = match identify_call(dispatcher, request, trail) {
        Ok(identified) if !identified.may_begin_again() => return None,
        Ok(identified) => identified
            .complete(request, trail)
            .unwrap_or_else(end_from_halt),
        Err(error) => CallEndReport::failed(error),
    };
    let has_failed = matches!(ended.ending, CallEnd::Failed(_));
    let is_outlasted = trail.outlasted.get() || has_failed && request.stop.is_outlasted();
    (!is_outlasted).then_some(ended)
}

fn end_from_halt(halt: StageHalt) -> CallEndReport {
    match halt {
        StageHalt::Failed(error) => CallEndReport::failed(error),
        StageHalt::Pending(id) => CallEndReport::with(CallEnd::Pending(id, Value::Null)),
        StageHalt::Edited(edited) => CallEndReport::failed(tool_error!(Conflict;
            "approvers changed the arguments {EDITS_MAX} times, the last time with approval `{}`", edited.grant.id;
            "`mathchain deny` takes an unused approval back")),
    }
}

fn execute_stages(
    dispatcher: &Dispatcher,
    request: &CallRequest,
    trail: &mut CallTrail,
) -> Result<CallEndReport, StageHalt> {
    let mut identified = identify_call(dispatcher, request, trail)?;
    let chain = request.context.chain.as_ref();
    if let Some(before) = chain.and_then(|chain| chain.began.as_ref()) {
        identified = match identified.probe(request, before, trail)? {
            ControlFlow::Break(ended) => return Ok(ended),
            ControlFlow::Continue(_) if chain.is_some_and(|chain| chain.ending) => {
                return Err(tool_error!(Cancelled, "the run ended before the call").into());
            }
            ControlFlow::Continue(identified) => identified,
        };
    }
    let mut ended = identified.complete(request, trail);
    for _ in 0..EDITS_MAX {
        match ended {
            Err(StageHalt::Edited(edited)) => ended = edited.complete(dispatcher, request, trail),
            _ => break,
        }
    }
    ended
}

/// Runs the stages up to the resource keys.
fn identify_call<'a>(
    dispatcher: &'a Dispatcher,
    request: &CallRequest,
    trail: &mut CallTrail,
) -> Result<IdentifiedCall<'a>, ToolError> {
    let located = LocatedCall::look_up(dispatcher, &request.tool, &request.context)?;
    trail.set_tool(located.tool().spec());
    if dispatcher.catalogue.index(&request.tool).is_none() {
        let id = located.tool().spec().id;
        let note = format!("`{}` is an earlier name of `{id}`", request.tool);
        trail.warnings.push(note);
    }
    let untrusted = dispatcher.policy.untrusted();
    if !untrusted.is_empty() && !is_harmless(located.tool().spec()) {
        let tables = untrusted.join("`, `");
        trail.warnings.push(format!(
            "this folder's configuration gives `{tables}`, which counts once the user agrees with `mathchain trust`"
        ));
    }
    trail.decision = located.hidden();
    let visible = located.visible(&request.context)?;
    visible
        .check(&request.args, trail)?
        .rules(trail)?
        .keys(trail)
}

/// As [`identify_call`]; a refusal is recorded as that of a call.
pub(super) fn consider_call<'a>(
    dispatcher: &'a Dispatcher,
    request: &CallRequest,
) -> Result<CallAssessment<'a>, ToolError> {
    let mut trail = CallTrail::start(dispatcher, request);
    let call_id = trail.call_id().to_owned();
    let found = panic::catch_panic(&call_id, || identify_call(dispatcher, request, &mut trail));
    let found = found.unwrap_or_else(|_| Err(panic::panic_error(trail.tool(), &call_id)));
    let considered = |IdentifiedCall { decided, keys }: IdentifiedCall<'a>| CallAssessment {
        tool: decided.located.tool(),
        reach: decided.call.reach(),
        decision: decided.decision,
        keys,
    };
    found.map(considered).inspect_err(|error| {
        trail.finish(dispatcher, CallEndReport::failed(error.clone()));
    })
}

/// The tool and the caller are known.
pub(super) struct LocatedCall<'a> {
    dispatcher: &'a Dispatcher,
    index: usize,
    caller: CallerPolicy<'a>,
}

impl<'a> LocatedCall<'a> {
    pub(super) fn look_up(
        dispatcher: &'a Dispatcher,
        name: &str,
        context: &CallerContext,
    ) -> Result<Self, ToolError> {
        let caller = dispatcher.caller(context)?;
        let catalogue = &dispatcher.catalogue;
        let Some(index) = catalogue.called(name) else {
            // Only what the caller may see is suggested.
            let seen = caller
                .visible()
                .iter()
                .map(|tool| catalogue.tool(tool).spec().id);
            return Err(catalogue.unknown(name, tool_core::nearest::nearest_name(name, seen)));
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

    fn hidden(&self) -> Option<PolicyDecision> {
        self.caller.hidden(&self.dispatcher.catalogue, self.index)
    }

    /// Checks visibility. The message depends on the caller and the tool, never on the arguments.
    pub(super) fn visible(self, context: &CallerContext) -> Result<VisibleCall<'a>, ToolError> {
        let id = self.tool().spec().id;
        if let Some(hidden) = self.hidden() {
            let (role, why) = (&context.who.role, hidden.reason);
            if self.caller.lacks_facts(self.index) {
                let error = tool_error!(PreconditionFailed, "`{id}` cannot run now: {why}");
                return Err(error.reason("fact"));
            }
            let hint = format_args!("`mathchain policy explain {role} {id}` shows every layer");
            let error = tool_error!(NotVisible, "role `{role}` may not call `{id}`: {why}");
            return Err(error.reason("layer").hint(hint));
        }
        let (kind, refused) = match context.chain {
            Some(_) => (CallerKind::Chain, "cannot be a step of a chain"),
            None => (CallerKind::Direct, "runs only as a step of a chain"),
        };
        if !self.tool().spec().callers.contains(&kind) {
            return Err(tool_error!(NotVisible, "`{id}` {refused}").reason("caller"));
        }
        Ok(VisibleCall(self))
    }
}

/// The caller may see the tool.
pub(super) struct VisibleCall<'a>(LocatedCall<'a>);

impl<'a> VisibleCall<'a> {
    pub(super) fn index(&self) -> usize {
        self.0.index
    }

    fn check(self, args: &Value, trail: &mut CallTrail) -> Result<DecodedCall<'a>, ToolError> {
        let located = self.0;
        let spec = located.tool().spec();
        trail.declared = spec.effects;
        let decoded = located.tool().decode(args);
        let call = decoded.map_err(|error| located.meant(error, args))?;
        trail.effects = call.reach().effects;
        trail.set_args(call.args());
        trail.is_outside = spec.of_call(call.args()).native.is_some();
        if spec.determinism == Determinism::Seeded {
            trail.seed = call.args().get("seed").and_then(seed_of);
        }
        Ok(DecodedCall { located, call })
    }
}

impl LocatedCall<'_> {
    /// The error, with the one visible tool of the same verb that takes exactly these arguments: names of earlier systems are those of other
    /// tools here.
    fn meant(&self, error: ToolError, args: &Value) -> ToolError {
        let named = args.as_object().is_some_and(|args| !args.is_empty());
        if error.code() != ErrorCode::InvalidArgs || !named {
            return error;
        }
        let verb = |id: &str| id.rsplit(['_', ':']).next().unwrap_or_default().to_owned();
        let wanted = verb(self.tool().spec().id);
        let catalogue = &self.dispatcher.catalogue;
        let takes = |index: &usize| {
            let tool = catalogue.tool(*index);
            let id = tool.spec().id;
            id != self.tool().spec().id && verb(id) == wanted && tool.decode(args).is_ok()
        };
        let mut others = self.caller.listed().filter(takes);
        match (others.next(), others.next()) {
            (Some(other), None) => {
                let id = wire_name(catalogue.tool(other).spec().id);
                error.hint(format!("`{id}` takes these arguments"))
            }
            _ => error,
        }
    }
}

/// The seed in canonical arguments; wide ones are texts.
fn seed_of(value: &Value) -> Option<u64> {
    match value {
        Value::String(text) => text.parse().ok(),
        other => other.as_i64().map(|seed| seed as u64),
    }
}

/// The arguments are decoded and valid.
struct DecodedCall<'a> {
    located: LocatedCall<'a>,
    call: Box<dyn ToolCall>,
}

impl<'a> DecodedCall<'a> {
    fn rules(self, trail: &mut CallTrail) -> Result<DecidedCall<'a>, ToolError> {
        let Self { located, call } = self;
        let places = located.dispatcher.host.capabilities.files.clone();
        let places = places.map(ResourceIdCache::new);
        let files = places.as_ref().map(|places| places as &dyn WorkspaceFiles);
        let facts = CallFacts::of(located.tool(), call.as_ref(), files);
        let catalogue = &located.dispatcher.catalogue;
        let (caller, index) = (&located.caller, located.index);
        let mut decision = caller.decide(catalogue, index, Some(&facts), files);
        if decision.verdict == Verdict::Allow && trail.requires_approval() {
            decision.require("plan", "the plan requires an approval");
        }
        let verdict = decision.verdict;
        // Other arguments may have other limits.
        trail.limits.clear();
        if decision.is_limited() && !trail.is_brief {
            decision = counts::decide_by_counts(located.dispatcher, decision, &facts, trail);
        }
        let hosts = located.caller.host_rules(catalogue, located.index, &facts);
        let condition = match decision.verdict {
            // A limit asks: a recorded rule would not hold over it.
            Verdict::Ask if verdict == Verdict::Ask => {
                obligations::narrowest_rule_match(located.tool(), &facts)
            }
            _ => Value::Null,
        };
        drop(facts);
        trail.decision = Some(decision.clone());
        if decision.verdict == Verdict::Deny {
            let id = located.tool().spec().id;
            let denial = denial_error(located.caller.role(), id, &decision);
            return Err(match verdict {
                Verdict::Deny => denial,
                _ => counts::limit_denial(denial, id, trail),
            });
        }
        obligations::check_argument_size(
            located.tool().spec().id,
            decision.obligations,
            call.args(),
        )?;
        Ok(DecidedCall {
            located,
            call,
            decision,
            condition,
            hosts,
            places,
        })
    }
}

fn denial_error(role: &str, id: &str, decision: &PolicyDecision) -> ToolError {
    let rule = decision.rule.as_ref();
    let rule = rule.map(|rule| format!(", {rule}")).unwrap_or_default();
    let (layer, why) = (&decision.layer, &decision.reason);
    tool_error!(PolicyDenied, "rule";
        "this call of `{id}` is denied by layer {layer}{rule}: {why}";
        "`mathchain policy explain {role} {id}` shows every rule; a denial holds over every approval")
}

/// No rule denies the call, and its obligations can be met.
struct DecidedCall<'a> {
    located: LocatedCall<'a>,
    call: Box<dyn ToolCall>,
    decision: PolicyDecision,
    /// The narrowest match of a rule that covers this call.
    condition: Value,
    /// The rules on hosts that the call is redirected to.
    hosts: HostRules,
    /// Identities of its paths; files are read at these.
    places: Option<ResourceIdCache>,
}

impl<'a> DecidedCall<'a> {
    fn keys(self, trail: &mut CallTrail) -> Result<IdentifiedCall<'a>, ToolError> {
        let files = self
            .places
            .as_ref()
            .map(|places| places as &dyn WorkspaceFiles);
        let keys = resource_keys(
            &self.located.dispatcher.policy,
            self.located.tool(),
            self.call.as_ref(),
            files,
        )?;
        if let Some(planned) = trail.planned() {
            check_resources_unchanged(self.located.tool().spec().id, planned, &keys)?;
        }
        trail.resources.clone_from(&keys);
        let decided = self.governed(&keys, trail)?;
        Ok(IdentifiedCall { decided, keys })
    }
}

impl<'a> DecidedCall<'a> {
    /// The rules of the project on the files that the call changes: they only narrow.
    fn governed(mut self, keys: &[ResourceKey], trail: &mut CallTrail) -> Result<Self, ToolError> {
        let Some(governor) = &self.located.dispatcher.host.governor else {
            return Ok(self);
        };
        let written = keys
            .iter()
            .filter(|key| key.kind == ResourceKind::Path && key.access == Access::Write);
        let paths: Vec<&str> = written.map(|key| key.name.as_str()).collect();
        let id = self.located.tool().spec().id;
        if paths.is_empty() {
            return Ok(self);
        }
        let spec = self.located.tool().spec();
        let writes_tree = spec.syntax.iter().any(|(pointer, syntax)| {
            let mut written = spec.resources.iter();
            *syntax == Syntax::Tree
                && written.any(|one| one.pointer == *pointer && one.access == Access::Write)
        });
        let below = writes_tree && self.call.reach().below;
        let identity = principal_identity(trail.who(), false);
        let Some((verdict, reason)) = governor(&identity, id, &paths, below)? else {
            return Ok(self);
        };
        let ruled = PolicyDecision {
            verdict,
            layer: "governance".into(),
            rule: None,
            reason: reason.into(),
            ..self.decision.clone()
        };
        let before = self.decision.verdict;
        self.decision = self.decision.stricter(ruled);
        if self.decision.verdict != before {
            // An approval covers this call alone: a recorded rule would stand above the rules of the project.
            self.condition = Value::Null;
            trail.decision = Some(self.decision.clone());
        }
        match self.decision.verdict {
            Verdict::Deny => Err(denial_error(self.located.caller.role(), id, &self.decision)),
            _ => Ok(self),
        }
    }
}

/// Who a principal is, for tools of workflows and rules on files.
fn principal_identity(who: &Principal, has_grant: bool) -> CallerIdentity {
    CallerIdentity {
        role: who.role.clone(),
        agent: who.spawned.clone().or_else(|| who.agent.clone()),
        is_delegate: who.is_delegate(),
        approved_by: None,
        has_grant,
    }
}

/// Refuses a call that uses other resources than its plan was scheduled by, as when a link changed its target.
fn check_resources_unchanged(
    id: &str,
    planned: &[ResourceKey],
    found: &[ResourceKey],
) -> Result<(), ToolError> {
    // A file that is written anew has another inode, and is what was meant all the same.
    let is_planned = |key: &ResourceKey| {
        let named = |key: &ResourceKey| (key.kind, key.name.clone(), key.access);
        planned.iter().any(|planned| named(planned) == named(key))
    };
    match found.iter().find(|key| !is_planned(key)) {
        None => Ok(()),
        Some(key) => {
            let (kind, name) = (key.kind, &key.name);
            Err(tool_error!(ResourceChanged, "resource_changed";
                "`{id}` would use {kind} `{name}`, which the plan was not checked with: a link changed its target";
                "check the plan again"))
        }
    }
}

/// The resources are identified.
struct IdentifiedCall<'a> {
    decided: DecidedCall<'a>,
    keys: Vec<ResourceKey>,
}

impl IdentifiedCall<'_> {
    /// Takes the call through the stages that follow.
    fn complete(
        self,
        request: &CallRequest,
        trail: &mut CallTrail,
    ) -> Result<CallEndReport, StageHalt> {
        let approved = self.open(request, trail)?.approve(request, trail)?;
        let committed = approved.commit(request, trail)?;
        Ok(committed.run(request, trail)?)
    }

    /// Whether nothing is left behind where the call stops: no approval, no backup, no notification, no reading of files.
    fn may_begin_again(&self) -> bool {
        let DecidedCall { call, decision, .. } = &self.decided;
        let obliged = decision.obligations;
        decision.verdict == Verdict::Allow
            && !decision.is_limited()
            && !obliged.backup
            && !obliged.notify
            && call.sources().is_empty()
            && call.reach().effects.is_empty()
            // By the names of its own arguments now.
            && super::may_begin_again(self.decided.located.tool().spec().of_call(call.args()))
    }
}

/// The inputs are loaded, and the deadline is set.
struct OpenedCall<'a> {
    decided: DecidedCall<'a>,
    keys: Vec<ResourceKey>,
    ctx: Ctx,
    alarm: Box<dyn ClockAlarm>,
    /// Rows of its inputs that were left out for missing cells.
    dropped: usize,
}

/// The call is approved, or needs no approval.
struct ApprovedCall<'a>(OpenedCall<'a>);

/// Checks the call against the budget of its task; `count` counts it.
fn check_task_budget(
    located: &LocatedCall<'_>,
    trail: &CallTrail,
    count: bool,
) -> Result<(), ToolError> {
    let dispatcher = located.dispatcher;
    let task = trail.who().task.as_deref();
    let budget = task.and_then(|task| dispatcher.policy.budget(task));
    let kind = budgets::Kind::of(located.tool().spec(), trail.effects);
    match (budget, kind) {
        (Some(budget), Some(kind)) => dispatcher.tally.room(budget, kind, count),
        _ => Ok(()),
    }
}

/// Lets a call be computed elsewhere, or here under an alarm of its own.
fn compute_remotely(
    dispatcher: &Dispatcher,
    remote: &dyn RemoteCompute,
    call: Box<dyn ToolCall>,
    spec: &Spec,
    ctx: &Ctx,
) -> (Result<Value, ToolError>, Option<CallPlace>) {
    let args = call.args().clone();
    let stays = match (is_movable(spec.of_call(&args)), call.sources()) {
        (false, _) => Some("the tool is not a function of arguments and seed alone"),
        (true, [_, ..]) => Some("its arguments open files or stored values"),
        (true, []) => None,
    };
    let moved = RemoteCall {
        spec,
        args: &args,
        ctx,
        stays,
    };
    let mut call = Some(call);
    let clock = &dispatcher.host.clock;
    remote.compute(&moved, &mut || {
        let Some(call) = call.take() else {
            return Err(tool_error!(Internal, "the call was computed already"));
        };
        let timeout = Duration::from_millis(ctx.budget().timeout_ms);
        let _alarm = clock.alarm(timeout, ctx.stop().clone());
        call.run(ctx)
    })
}

/// The intent of a call with effects is recorded durably.
struct CommittedCall<'a> {
    opened: OpenedCall<'a>,
    /// The cache key of the result, where it has one.
    result_key: Option<String>,
    /// The reader of a direct answer; `None` for a step.
    reader: Option<AnswerReader>,
}

impl CommittedCall<'_> {
    fn run(self, request: &CallRequest, trail: &mut CallTrail) -> Result<CallEndReport, ToolError> {
        let (reader, result_key) = (self.reader, self.result_key);
        let (ctx, alarm) = (self.opened.ctx, self.opened.alarm);
        let dropped = self.opened.dropped;
        let (located, decision) = (self.opened.decided.located, self.opened.decided.decision);
        let call = self.opened.decided.call;
        let spec = located.tool().spec();
        let dispatcher = located.dispatcher;
        let args = call.args().clone();
        let asks = |pointer| args.pointer(pointer) == Some(Value::Bool(true));
        let reader = reader.map(|reader| match spec.inline_if.is_some_and(asks) {
            true => AnswerReader::Program,
            false => reader,
        });
        trail.digest_beside(dispatcher);
        trail.has_begun = true;
        let mut place = None;
        let output = results::kept_or(
            dispatcher,
            spec,
            result_key.as_deref(),
            trail,
            &ctx,
            |trail| {
                panic::catch_tool_panic(spec.id, trail.call_id(), || {
                    let Some(remote) = &request.remote else {
                        let output = call.run(&ctx);
                        drop(alarm);
                        return output;
                    };
                    // The time until it is computed is none of its own.
                    drop(alarm);
                    let (output, found) = compute_remotely(dispatcher, &**remote, call, spec, &ctx);
                    place = found;
                    output
                })
            },
        );
        trail.place = place;
        // A result is none either: its tool may have taken the stop for an end.
        if ctx.stop().is_outlasted() {
            trail.outlasted.set(true);
            return Err(tool_error!(Timeout, "the call takes long"));
        }
        let output = match output {
            Err(error) => StoppedCall {
                dispatcher,
                tool: located.tool(),
                args: &args,
                ctx: &ctx,
            }
            .outcome(trail, error)
            .map_err(|error| near::of_argument(error, spec, &args, &ctx)),
            Ok(output) => Ok(output),
        };
        let mut warnings = ctx.take_warnings();
        let notes = ctx.take_notes();
        let output = match output {
            Ok(output) => output,
            Err(error) => {
                let approval = error.approval().filter(|_| spec.calls_tools);
                let ending = match approval.map(str::to_owned) {
                    Some(id) => {
                        CallEnd::Pending(id, error.evidence_value().cloned().unwrap_or_default())
                    }
                    None => CallEnd::Failed(error),
                };
                return Ok(CallEndReport {
                    warnings,
                    notes,
                    ..CallEndReport::with(ending)
                });
            }
        };
        let output = missing::add_missing_count(output, dropped, located.tool());
        // A result that is refused is that of a call that happened.
        let refused = |error: ToolError| match trail.intended {
            true => error.may_have_happened(),
            false => error,
        };
        let mut ended = settle_result(&located, &decision, output, (reader, trail.opened), trail)
            .map_err(refused)?;
        warnings.append(&mut ended.warnings);
        ended.warnings = warnings;
        ended.notes.extend(&notes);
        Ok(ended)
    }
}
