//! The cache of results: of calls without effects that are functions of arguments, inputs and seed.

use std::time::Duration;

use tool_core::{Ctx, Determinism, Spec, ToolCall, ToolError, Value, verification};

use super::Dispatcher;
use super::trail::CallTrail;
use crate::digest;

/// Calls faster than this are not cached: computing them is cheaper than a look-up.
const WORTH_KEEPING: Duration = Duration::from_millis(5);

/// The cache key of a call; `None` where there is no cache, or the call is not a function of arguments, inputs and seed.
pub(super) fn call_cache_key<'a>(
    dispatcher: &Dispatcher,
    spec: &Spec,
    call: &dyn ToolCall,
    ctx: &Ctx,
    facts: impl FnOnce() -> (&'a str, u64),
) -> Option<String> {
    let results = dispatcher.host.results.as_ref()?;
    let spec = spec.of_call(call.args());
    let is_function = spec.effects.is_empty()
        && spec.capabilities.is_empty()
        && spec.determinism != Determinism::External;
    if !is_function {
        return None;
    }
    let (args_digest, seed) = facts();
    let mut parts = vec![
        results.made_by().to_owned(),
        spec.id.to_owned(),
        spec.version.to_string(),
        spec.source.to_owned(),
        args_digest.to_owned(),
        // A tool that gives back what it was given gives back the spelling too.
        digest::of_spelling(call.args()),
    ];
    if spec.determinism == Determinism::Seeded {
        parts.push(seed.to_string());
    }
    if ctx.must_verify() {
        parts.push(verification::ARGUMENT.to_owned());
    }
    // What a file held, not what it is called.
    for reference in call.sources() {
        let content = ctx.loaded(&reference.source).ok()?;
        parts.push(digest::of_value(&content));
        parts.push(digest::of_spelling(&content));
    }
    Some(digest::of_texts(parts.iter().map(String::as_str)))
}

/// The cached result, else the computed one, which is cached when it took long enough. One with a warning or a note is not: the cache
/// has results alone, and a second answer without the warning of the first would claim more.
pub(super) fn kept_or(
    dispatcher: &Dispatcher,
    spec: &Spec,
    key: Option<&str>,
    trail: &mut CallTrail,
    ctx: &Ctx,
    compute: impl FnOnce(&CallTrail) -> Result<Value, ToolError>,
) -> Result<Value, ToolError> {
    let (Some(results), Some(key)) = (&dispatcher.host.results, key) else {
        return compute(trail);
    };
    if let Some(output) = results.get(key) {
        trail.kept = true;
        return Ok(output);
    }
    let clock = &dispatcher.host.clock;
    let began = clock.monotonic();
    let output = compute(trail)?;
    let took = clock.monotonic().saturating_sub(began);
    if took >= WORTH_KEEPING && !ctx.has_messages() {
        results.put(key, spec, &output);
    }
    Ok(output)
}
