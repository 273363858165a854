//! Context, inputs and deadline of a call, and its intent record.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use tool_core::capability::{CallerIdentity, ClockAlarm};
use tool_core::ctx::CallBudget;
use tool_core::{
    Capability, Ctx, DataPlace, DataSource, Determinism, StopFlag, ToolError, Value, tool_error,
};

use super::{
    ApprovedCall, CommittedCall, DecidedCall, IdentifiedCall, OpenedCall, check_task_budget,
    denial_error, missing, near, principal_identity,
};
use crate::digest;
use crate::dispatch::trail::CallTrail;
use crate::dispatch::{CallRequest, counts, nested, obligations, panic, results};

/// The context of a call, and the alarm that stops it; the deadline counts from here.
pub(super) fn build_call_context(
    decided: &DecidedCall<'_>,
    request: &CallRequest,
    trail: &CallTrail,
) -> Result<(Ctx, Box<dyn ClockAlarm>), ToolError> {
    let dispatcher = decided.located.dispatcher;
    let spec = decided.located.tool().spec();
    let spec = spec.of_call(decided.call.args());
    let limits = dispatcher.limits;
    let obliged = decided.decision.obligations.timeout_ms;
    let timeouts = [request.timeout_ms, spec.timeout_ms, obliged].into_iter();
    let most = spec.waits_ms.unwrap_or(limits.timeout_ms);
    let timeout_ms = timeouts.flatten().fold(most, u64::min);
    request.stop.check()?;
    let stop = request.stop.child();
    let clock = &dispatcher.host.clock;
    let alarm = clock.alarm(Duration::from_millis(timeout_ms), stop.clone());
    let budget = CallBudget {
        timeout_ms,
        memory_bytes: limits.memory_bytes,
        ..CallBudget::default()
    };
    let key = idempotency_key(request, trail);
    let mut capabilities = dispatcher.host.capabilities.declared_by(spec);
    if let (Some(_), Some(places)) = (&capabilities.files, &decided.places) {
        capabilities.files = Some(places.files(&key));
    }
    let guard = |http| decided.hosts.clone().guard(http);
    capabilities.http = capabilities.http.map(guard);
    if spec.capabilities.contains(&Capability::Calls) && capabilities.calls.is_none() {
        capabilities.calls = Some(Arc::new(nested::NestedCalls {
            dispatcher: dispatcher.clone(),
            context: request.context.clone(),
            tool: spec.id,
            call_id: trail.call_id().to_owned(),
            seed: request.seed,
            progress: request.progress.clone(),
        }));
    }
    if spec.capabilities.contains(&Capability::Client) {
        capabilities.client = request.client.clone();
    }
    if spec.capabilities.contains(&Capability::Events) {
        let has_grant = decided.located.caller.has_grant(decided.located.index);
        capabilities.identity = Some(Arc::new(CallerIdentity {
            approved_by: request.context.person.clone(),
            ..principal_identity(&request.context.who, has_grant)
        }));
    }
    let mut ctx = Ctx::new(stop, budget)
        .with_capabilities(capabilities)
        .with_seed(request.seed)
        .with_idempotency_key(key);
    if decided.decision.obligations.verify {
        ctx = ctx.verifying();
    }
    if let Some(progress) = &request.progress {
        ctx = ctx.with_progress(Arc::clone(progress));
    }
    Ok((ctx, alarm))
}

/// The idempotency key: equal for every attempt of one call of a run; the call id for a direct call.
fn idempotency_key(request: &CallRequest, trail: &CallTrail) -> String {
    let Some(chain) = &request.context.chain else {
        return trail.call_id().to_owned();
    };
    let item = chain.item.map_or(String::new(), |item| item.to_string());
    digest::of_texts([chain.chain_id.as_str(), &chain.step, &item])
}

impl<'a> IdentifiedCall<'a> {
    /// Inputs are read before approval, which is bound to their contents.
    pub(super) fn open(
        self,
        request: &CallRequest,
        trail: &mut CallTrail,
    ) -> Result<OpenedCall<'a>, ToolError> {
        trail.opened = !self.decided.call.sources().is_empty();
        let (ctx, alarm) = build_call_context(&self.decided, request, trail)?;
        let mut notes = Vec::new();
        let mut loaded = load_call_inputs(&self.decided, ctx.stop(), &mut notes)?;
        notes.into_iter().for_each(|note| ctx.warn(note));
        let left_out = missing::leave_out(&self.decided, &mut loaded)?;
        left_out.notes.into_iter().for_each(|note| ctx.warn(note));
        Ok(OpenedCall {
            decided: self.decided,
            keys: self.keys,
            ctx: ctx.with_loaded(loaded),
            alarm,
            dropped: left_out.rows,
        })
    }
}

impl<'a> ApprovedCall<'a> {
    pub(super) fn commit(
        self,
        request: &CallRequest,
        trail: &mut CallTrail,
    ) -> Result<CommittedCall<'a>, ToolError> {
        let OpenedCall { decided, ctx, .. } = &self.0;
        let dispatcher = decided.located.dispatcher;
        let spec = decided.located.tool().spec();
        // The cache is a file, and has nothing that is computed as fast.
        let is_sought = !trail.is_brief;
        let key = || {
            results::call_cache_key(dispatcher, spec, decided.call.as_ref(), ctx, || {
                let seed = trail.seed.unwrap_or(request.seed.get());
                (trail.args_digest(), seed)
            })
        };
        let result_key = if is_sought { key() } else { None };
        if let Err(denied) = counts::count_call(dispatcher, &decided.decision, trail) {
            let denial = denial_error(decided.located.caller.role(), spec.id, &denied);
            trail.decision = Some(*denied);
            return Err(counts::limit_denial(denial, spec.id, trail));
        }
        check_task_budget(&decided.located, trail, true)?;
        if spec.determinism == Determinism::Seeded && trail.seed.is_none() {
            trail.seed = Some(request.seed.get());
        }
        let obliged = decided.decision.obligations;
        if obliged.backup {
            trail.backups = obligations::backup_changed_files(dispatcher, spec.id, trail)?;
        }
        if obliged.notify {
            let args = decided.call.args();
            trail.notice = Some(obligations::send_notification(
                dispatcher, spec.id, args, trail,
            )?);
        }
        if !trail.effects.is_empty() {
            if !trail.intended {
                record_crash_evidence(decided, ctx, trail);
            }
            trail.intend(dispatcher)?;
        }
        let mut opened = self.0;
        // Behind a gate the person acts; elsewhere the person only lets the caller act. `--yes` has no approval, and is no person.
        if let (true, Some(person), Some(_)) =
            (spec.human_gate, &trail.approved_by, &trail.approval_id)
        {
            opened.ctx = opened.ctx.approved_by(person);
        }
        Ok(CommittedCall {
            opened,
            result_key,
            reader: match &request.context.chain {
                None => Some(request.context.reader),
                Some(_) => None,
            },
        })
    }
}

/// Records the evidence from which the tool tells, after a crash, whether the call happened.
pub(super) fn record_crash_evidence(decided: &DecidedCall<'_>, ctx: &Ctx, trail: &mut CallTrail) {
    if trail.chain().is_none() {
        return;
    }
    let found = panic::catch_panic(trail.call_id(), || decided.call.before(&ctx.uncounted()));
    // Where it fails the call will, and says why.
    trail.before = found.ok().and_then(Result::ok).flatten();
}

fn load_call_inputs(
    decided: &DecidedCall<'_>,
    stop: &StopFlag,
    notes: &mut Vec<String>,
) -> Result<HashMap<DataSource, Value>, ToolError> {
    let dispatcher = decided.located.dispatcher;
    let mut arrays = dispatcher.host.arrays.clone();
    let places = decided.places.as_ref();
    if let Some(places) = places.filter(|_| !decided.call.sources().is_empty()) {
        let files = places.files("");
        arrays = arrays.map(|arrays| arrays.for_call(&files).unwrap_or(arrays));
    }
    let mut loaded = HashMap::new();
    let mut kinds = HashMap::new();
    for reference in decided.call.sources() {
        stop.check()?;
        let refuse = |message: &str| Err(ToolError::invalid(reference.pointer.clone(), message));
        let Some(arrays) = &arrays else {
            return refuse("this door opens no files: pass the data inline");
        };
        match kinds.insert(reference.source.clone(), reference.kind) {
            Some(kind) if kind == reference.kind => continue,
            Some(_) => return refuse("the same file is wanted as data and as text"),
            None => {}
        }
        let (role, most) = (
            decided.located.caller.role(),
            dispatcher.limits.max_input_bytes,
        );
        let opened = arrays.open_noting(role, &reference.source, reference.kind, most, notes);
        let place = |err: ToolError| match err.path() {
            Some(_) => err,
            None => err.at(&reference.pointer),
        };
        let near = |err: ToolError| {
            let places = decided
                .located
                .dispatcher
                .host
                .capabilities
                .files
                .as_deref();
            let path = match &reference.source.place {
                DataPlace::File(path) => Some(path.as_str()),
                DataPlace::Artifact(_) => None,
            };
            near::name_near_file(err, path, places, stop)
        };
        let content = opened.map_err(place).map_err(near)?;
        let selection = &reference.source.selection;
        let value = selection.apply(content).map_err(|fault| {
            let name = reference.source.name();
            tool_error!(InvalidArgs at &reference.pointer, "selection"; "`{name}`: {}", fault.message; "{}", fault.hint)
        })?;
        loaded.insert(reference.source.clone(), value);
    }
    Ok(loaded)
}
