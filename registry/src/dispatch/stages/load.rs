//! What a call needs to run: its inputs, its context, its deadline; and the record of what is about to happen.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use tool_core::capability::{Alarm, Arrays};
use tool_core::ctx::Budget;
use tool_core::{Capability, Ctx, Determinism, Source, StopFlag, ToolError, Value};

use super::{Cleared, Keyed, Loaded, Opened, Ruled, budget};
use crate::digest;
use crate::dispatch::trail::Trail;
use crate::dispatch::{CallRequest, nested, obligations, panic, results};

/// The context of a call, and the alarm that ends it: the deadline runs from here.
pub(super) fn context(
    ruled: &Ruled<'_>,
    request: &CallRequest,
    trail: &Trail,
) -> Result<(Ctx, Box<dyn Alarm>), ToolError> {
    let dispatcher = ruled.looked.dispatcher;
    let spec = ruled.looked.tool().spec();
    let limits = dispatcher.limits;
    let timeout_ms = [
        request.timeout_ms,
        spec.timeout_ms,
        ruled.decision.obligations.timeout_ms,
    ]
    .into_iter()
    .flatten()
    .fold(limits.timeout_ms, u64::min);
    request.stop.check()?;
    let stop = request.stop.child();
    let clock = &dispatcher.host.clock;
    let alarm = clock.alarm(Duration::from_millis(timeout_ms), stop.clone());
    let budget = Budget {
        timeout_ms,
        memory_bytes: limits.memory_bytes,
        ..Budget::default()
    };
    let key = idempotency_key(request, trail);
    let mut capabilities = dispatcher.host.capabilities.declared_by(spec);
    if let (Some(_), Some(places)) = (&capabilities.files, &ruled.places) {
        capabilities.files = Some(places.files(&key));
    }
    capabilities.http = capabilities
        .http
        .map(|http| ruled.hosts.clone().guard(http));
    if spec.capabilities.contains(&Capability::Calls) && capabilities.calls.is_none() {
        capabilities.calls = Some(Arc::new(nested::Nested {
            dispatcher: dispatcher.clone(),
            context: request.context.clone(),
            tool: spec.id,
            call_id: trail.call_id().to_owned(),
            seed: request.seed,
        }));
    }
    let mut ctx = Ctx::new(stop, budget)
        .with_capabilities(capabilities)
        .with_seed(request.seed)
        .with_idempotency_key(key);
    if let Some(progress) = &request.progress {
        ctx = ctx.with_progress(Arc::clone(progress));
    }
    Ok((ctx, alarm))
}

/// The same for every attempt of one call of a run; a call of its own is known by its id.
fn idempotency_key(request: &CallRequest, trail: &Trail) -> String {
    let Some(chain) = &request.context.chain else {
        return trail.call_id().to_owned();
    };
    let item = chain.item.map_or(String::new(), |item| item.to_string());
    digest::of_texts([chain.chain_id.as_str(), &chain.step, &item])
}

impl<'a> Keyed<'a> {
    /// An approval is for what the arguments open, so that is read before anybody is asked.
    pub(super) fn open(
        self,
        request: &CallRequest,
        trail: &Trail,
    ) -> Result<Opened<'a>, ToolError> {
        let (ctx, alarm) = context(&self.ruled, request, trail)?;
        let loaded = inputs(&self.ruled, ctx.stop())?;
        Ok(Opened {
            ruled: self.ruled,
            keys: self.keys,
            ctx: ctx.with_loaded(loaded),
            alarm,
        })
    }
}

impl<'a> Cleared<'a> {
    pub(super) fn load(
        self,
        request: &CallRequest,
        trail: &mut Trail,
    ) -> Result<Loaded<'a>, ToolError> {
        let Self { ruled, ctx, alarm } = self;
        let dispatcher = ruled.looked.dispatcher;
        let spec = ruled.looked.tool().spec();
        let result_key = results::key(dispatcher, spec, ruled.call.as_ref(), &ctx, || {
            (
                trail.args_digest(),
                trail.seed.unwrap_or(request.seed.get()),
            )
        });
        budget(&ruled.looked, trail, true)?;
        if spec.determinism == Determinism::Seeded && trail.seed.is_none() {
            trail.seed = Some(request.seed.get());
        }
        let obliged = ruled.decision.obligations;
        if obliged.backup {
            trail.backups = obligations::backup(dispatcher, spec.id, trail)?;
        }
        if obliged.notify {
            let args = ruled.call.args();
            trail.notice = Some(obligations::notify(dispatcher, spec.id, args, trail)?);
        }
        if !trail.effects.is_empty() {
            if !trail.intended {
                look(&ruled, &ctx, trail);
            }
            trail.intend(dispatcher)?;
        }
        Ok(Loaded {
            ruled,
            ctx,
            alarm,
            result_key,
            direct: request.context.chain.is_none(),
        })
    }
}

/// Notes what will tell whether a call of a run happened, should its process end before it says so.
pub(super) fn look(ruled: &Ruled<'_>, ctx: &Ctx, trail: &mut Trail) {
    if trail.chain().is_none() {
        return;
    }
    let found = panic::guard(trail.call_id(), || ruled.call.before(&ctx.uncounted()));
    // Where it fails the call will, and says why.
    trail.before = found.ok().and_then(Result::ok).flatten();
}

fn inputs(ruled: &Ruled<'_>, stop: &StopFlag) -> Result<HashMap<Source, Value>, ToolError> {
    let dispatcher = ruled.looked.dispatcher;
    let mut arrays = dispatcher.host.arrays.clone();
    if let Some(places) = ruled
        .places
        .as_ref()
        .filter(|_| !ruled.call.sources().is_empty())
    {
        let of_call =
            |arrays: Arc<dyn Arrays>| arrays.for_call(&places.files("")).unwrap_or(arrays);
        arrays = arrays.map(of_call);
    }
    let mut loaded = HashMap::new();
    let mut kinds = HashMap::new();
    for reference in ruled.call.sources() {
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
        let value = arrays
            .open_for(
                ruled.looked.caller.role(),
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
