//! A call with effects that was stopped on its way: whether it happened.

use std::time::Duration;

use tool_core::{AnyTool, Ctx, ErrorCode, Probe, StopFlag, ToolError, Value};

use crate::dispatch::trail::Trail;
use crate::dispatch::{Dispatcher, panic};

/// Longest look at whether a call that was stopped had happened.
const LOOK: Duration = Duration::from_secs(10);

/// What is known of a call that failed. One that was stopped after its intent was recorded may have happened: the tool tells where
/// it can, else the error says that it is not known. A process that is asked to end does not wait for the look.
pub(super) fn stopped(
    dispatcher: &Dispatcher,
    (tool, args): (&dyn AnyTool, &Value),
    ctx: &Ctx,
    trail: &mut Trail,
    error: ToolError,
) -> Result<Value, ToolError> {
    let is_stopped = matches!(
        error.code(),
        ErrorCode::Timeout | ErrorCode::Cancelled | ErrorCode::Internal
    );
    if !trail.intended {
        // Nothing could happen; but what a plan that was handed on says of its own calls holds.
        return Err(match tool.spec().hands_on {
            true => error,
            false => error.settled(),
        });
    }
    if !(is_stopped || error.is_outcome_unknown()) {
        return Err(error);
    }
    let found = match &trail.before {
        Some(before) if !ctx.stop().is_interrupted() => {
            look(dispatcher, (tool, args), ctx, trail.call_id(), before)
        }
        _ => Probe::Unknown,
    };
    match found {
        Probe::Happened(output) => {
            trail.probed = Some("happened");
            ctx.warn(format!(
                "the call was stopped ({}), and had happened all the same",
                error.message()
            ));
            Ok(output)
        }
        Probe::NotHappened => {
            trail.probed = Some("not_happened");
            Err(error)
        }
        Probe::Unknown => Err(error
            .may_have_happened()
            .hint("whether it happened is not known: look before you call it again")),
    }
}

fn look(
    dispatcher: &Dispatcher,
    (tool, args): (&dyn AnyTool, &Value),
    ctx: &Ctx,
    id: &str,
    before: &Value,
) -> Probe {
    // Its own flag is set.
    let stop = StopFlag::new();
    let alarm = dispatcher.host.clock.alarm(LOOK, stop.clone());
    let ctx = ctx.stopped_by(stop);
    let found = panic::guard(id, || tool.decode(args)?.probe(before, &ctx));
    drop(alarm);
    found.ok().and_then(Result::ok).unwrap_or(Probe::Unknown)
}
