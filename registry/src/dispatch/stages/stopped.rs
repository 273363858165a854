//! A call with effects that was stopped: finds whether it happened.

use std::time::Duration;

use tool_core::{AnyTool, CallProbe, Ctx, ErrorCode, StopFlag, ToolError, Value};

use crate::dispatch::trail::CallTrail;
use crate::dispatch::{Dispatcher, panic};

/// Time limit of the check whether a stopped call happened.
const LOOK: Duration = Duration::from_secs(10);

/// A call that failed.
pub(super) struct StoppedCall<'a> {
    pub(super) dispatcher: &'a Dispatcher,
    pub(super) tool: &'a dyn AnyTool,
    pub(super) args: &'a Value,
    pub(super) ctx: &'a Ctx,
}

impl StoppedCall<'_> {
    /// The outcome of the call. One that was stopped after its intent was recorded may have happened: the tool tells where it can,
    /// else the outcome is unknown. A process that is shutting down does not wait for the check.
    pub(super) fn outcome(
        &self,
        trail: &mut CallTrail,
        error: ToolError,
    ) -> Result<Value, ToolError> {
        let is_stopped = matches!(
            error.code(),
            ErrorCode::Timeout | ErrorCode::Cancelled | ErrorCode::Internal
        );
        if !trail.intended {
            // Nothing could happen, except in the calls of a nested plan, whose outcome the error has.
            return Err(match self.tool.spec().calls_tools {
                true => error,
                false => error.settled(),
            });
        }
        if !(is_stopped || error.is_outcome_unknown()) {
            return Err(error);
        }
        let found = match &trail.before {
            Some(before) if !self.ctx.stop().is_interrupted() => {
                self.probe(trail.call_id(), before)
            }
            _ => CallProbe::Unknown,
        };
        match found {
            CallProbe::Happened(output) => {
                trail.probed = Some("happened");
                self.ctx.warn(format!(
                    "the call was stopped ({}) after it had completed",
                    error.message()
                ));
                Ok(output)
            }
            CallProbe::NotHappened => {
                trail.probed = Some("not_happened");
                Err(error)
            }
            CallProbe::Unknown => Err(error
                .may_have_happened()
                .hint("the outcome is unknown: check the effect before you call again")),
        }
    }

    fn probe(&self, id: &str, before: &Value) -> CallProbe {
        // The flag of the call itself is set.
        let stop = StopFlag::new();
        let alarm = self.dispatcher.host.clock.alarm(LOOK, stop.clone());
        let ctx = self.ctx.stopped_by(stop);
        let found = panic::catch_panic(id, || self.tool.decode(self.args)?.probe(before, &ctx));
        drop(alarm);
        found
            .ok()
            .and_then(Result::ok)
            .unwrap_or(CallProbe::Unknown)
    }
}
