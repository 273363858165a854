//! A call that began in a process that ended: finds whether it happened.

use std::ops::ControlFlow;

use tool_core::{CallProbe, Reason, ToolError, Value, tool_error};

use super::load::build_call_context;
use super::{CallEndReport, IdentifiedCall, StageHalt, settle_result};
use crate::dispatch::trail::CallTrail;
use crate::dispatch::{CallRequest, panic};

impl<'a> IdentifiedCall<'a> {
    /// Asks the tool whether the call happened, from the evidence recorded before it. If it did, this is its end; if not, the call
    /// continues.
    pub(super) fn probe(
        self,
        request: &CallRequest,
        before: &Value,
        trail: &mut CallTrail,
    ) -> Result<ControlFlow<CallEndReport, Self>, StageHalt> {
        let (ctx, alarm) = build_call_context(&self.decided, request, trail)?;
        let call = &self.decided.call;
        let found = panic::catch_panic(trail.call_id(), || call.probe(before, &ctx));
        drop(alarm);
        request.stop.check()?;
        let found = found
            .ok()
            .and_then(Result::ok)
            .unwrap_or(CallProbe::Unknown);
        let words = match &found {
            CallProbe::Happened(_) => "happened",
            CallProbe::NotHappened => "not_happened",
            CallProbe::Unknown => "unknown",
        };
        trail.probed = Some(words);
        match found {
            CallProbe::Happened(output) => {
                let (located, decision) = (&self.decided.located, &self.decided.decision);
                let mut ended = settle_result(located, decision, output, (None, false), trail)?;
                ended.warnings.extend(ctx.take_warnings());
                ended.warnings.push(
                    "the call completed before the process ended; it was not repeated".to_owned(),
                );
                Ok(ControlFlow::Break(ended))
            }
            CallProbe::NotHappened => Ok(ControlFlow::Continue(self)),
            CallProbe::Unknown => {
                Err(outcome_unknown(self.decided.located.tool().spec().id).into())
            }
        }
    }
}

/// The error for a call whose outcome is unknown: only the operator may repeat it.
fn outcome_unknown(id: &str) -> ToolError {
    tool_error!(Conflict, Reason::OutcomeUnknown;
        "the outcome of the call of `{id}` is unknown: it began in a process that ended")
    .may_have_happened()
}
