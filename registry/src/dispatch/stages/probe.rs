//! A call that began in a process that ended: whether it happened.

use std::ops::ControlFlow;

use tool_core::{ErrorCode, Probe, Reason, ToolError, Value};

use super::load::context;
use super::{Ended, Halt, Keyed, settled};
use crate::dispatch::trail::Trail;
use crate::dispatch::{CallRequest, panic};

impl<'a> Keyed<'a> {
    /// Asks the tool whether the call happened, from what was noted before it. If it did, this is how it ended; if it did not,
    /// it goes on like any call.
    pub(super) fn probe(
        self,
        request: &CallRequest,
        before: &Value,
        trail: &mut Trail,
    ) -> Result<ControlFlow<Ended, Self>, Halt> {
        let (ctx, alarm) = context(&self.ruled, request, trail)?;
        let call = &self.ruled.call;
        let found = panic::guard(trail.call_id(), || call.probe(before, &ctx));
        drop(alarm);
        request.stop.check()?;
        let found = found.ok().and_then(Result::ok).unwrap_or(Probe::Unknown);
        let words = match &found {
            Probe::Happened(_) => "happened",
            Probe::NotHappened => "not_happened",
            Probe::Unknown => "unknown",
        };
        trail.probed = Some(words);
        match found {
            Probe::Happened(output) => {
                let mut ended = settled(
                    &self.ruled.looked,
                    &self.ruled.decision,
                    output,
                    false,
                    trail,
                )?;
                ended.warnings.extend(ctx.take_warnings());
                ended.warnings.push(
                    "it had happened before the process ended; it was not made again".to_owned(),
                );
                Ok(ControlFlow::Break(ended))
            }
            Probe::NotHappened => Ok(ControlFlow::Continue(self)),
            Probe::Unknown => Err(outcome_unknown(self.ruled.looked.tool().spec().id).into()),
        }
    }
}

/// A call that may have happened is not made again without a person's word.
fn outcome_unknown(id: &str) -> ToolError {
    let message = format_args!(
        "the call of `{id}` began in a process that ended, and whether it happened is not known"
    );
    ToolError::new(ErrorCode::Conflict, message)
        .reason(Reason::OutcomeUnknown)
        .may_have_happened()
}
