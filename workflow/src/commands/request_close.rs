//! `request:close`: nothing more is to be done for a request.

use tool_core::{JsonExample, Spec, examples};

use super::command::{CHANGES, Command, CommandTool, DraftResult, EventDraft, ExampleStep, args};
use super::text;
use crate::actor::{DecisionContext, EventOrigin};
use crate::event::data::{EventData, define_event};
use crate::fault::WorkflowFault;
use crate::names::Closing;
use crate::state::check::needs_reason;
use crate::state::{RequestClosure, WorkflowInstance, WorkflowState};

args! {
    /// Close a request: an approved one as completed, another with a reason as withdrawn.
    RequestClose {
        /// Id of the request.
        request_id: String,
        /// Why it is closed; required unless it is approved.
        reason: Option<String>,
    }
}

define_event! {
    /// A request was closed.
    RequestClosed = "request.closed" {
        /// The request.
        request: String,
        /// How.
        outcome: Closing,
    }
}

impl Command for RequestClose {
    const ID: &'static str = "request:close";

    /// # Errors
    /// Unknown request, a reason that is too long.
    fn draft_event(&self, state: &WorkflowState, _: &DecisionContext<'_>) -> DraftResult {
        let request = state.request(&self.request_id)?;
        let reason = text::optional_reason(self.reason.as_deref())?;
        let outcome = if reason.is_none() || request.is_approved() {
            Closing::Completed
        } else {
            Closing::Withdrawn
        };
        let data = RequestClosed {
            request: request.id.clone(),
            outcome,
        };
        Ok(EventDraft::new(data).because(reason))
    }
}

/// No workflow of a request may be open when it is closed: of its own, or of one of its chains.
fn check_no_open_workflow(state: &WorkflowState, request: &str) -> Result<(), WorkflowFault> {
    let is_open = |workflow: &&WorkflowInstance| {
        let serves = workflow.request.as_deref() == Some(request);
        let one = workflow
            .chain
            .as_ref()
            .and_then(|chain| state.chains.get(chain));
        workflow.ended.is_none() && (serves || one.is_some_and(|chain| chain.request == request))
    };
    match state.workflows.values().find(is_open) {
        None => Ok(()),
        Some(workflow) => Err(WorkflowFault::first(
            format!(
                "the workflow `{}` of the request `{request}` is {}",
                workflow.id,
                workflow.status()
            ),
            "advance it to its end, or discard it with `workflow:discard`",
        )),
    }
}

impl EventData for RequestClosed {
    fn may_follow(
        &self,
        state: &WorkflowState,
        origin: EventOrigin<'_>,
    ) -> Result<(), WorkflowFault> {
        let request = state.open_request(&self.request)?;
        check_no_open_workflow(state, &self.request)?;
        match self.outcome {
            Closing::Completed if !request.is_approved() => Err(WorkflowFault::first(
                format!("the request `{}` is not approved", request.id),
                "approve it with `request:approve`, or give a reason for closing it without",
            )),
            Closing::Completed => Ok(()),
            Closing::Withdrawn | Closing::Imported => needs_reason(origin.reason),
        }
    }

    fn apply(&self, state: &mut WorkflowState, origin: EventOrigin<'_>) {
        state.on_request(origin, &self.request, |request| {
            request.closed = Some(RequestClosure {
                outcome: self.outcome,
                reason: origin.reason.map(str::to_owned),
            });
        });
    }
}

impl CommandTool for RequestClose {
    const SPEC: Spec = CHANGES.with_name(Self::ID, "Close a request");
    const STEP: ExampleStep = ExampleStep::new(30, "operator");
    const EXAMPLES: &'static [JsonExample] = examples! {
        "its end": r##"{"requestId": "CR-20251206-001"}"## => r##"{"id": "CR-20251206-001", "status": "done", "events": [{"number": 31, "type": "request.closed", "reason": null, "data": {"request": "CR-20251206-001", "outcome": "completed"}}]}"##;
    };
}

#[cfg(test)]
mod tests {
    use super::RequestClose;
    use crate::commands::case::{CommandCase, CommandCases, accepted, refused};

    impl CommandCases for RequestClose {
        const CASES: &'static [CommandCase] = &[
            accepted(
                "task done; rob/review chain:approve $chain; rob/review request:approve $request",
                "pat",
                "$request",
                "request.closed",
            ),
            accepted(
                "task todo",
                "pat",
                r#"$request,"reason":"no longer wanted""#,
                "request.closed",
            ),
            accepted(
                r#"task todo; rob/review request:request_changes $request,"reason":"r""#,
                "pat",
                r#"$request,"reason":"r""#,
                "request.closed",
            ),
            refused("task todo", "pat", "$request", "is not approved"),
            refused(
                "workflow standard todo",
                "pat",
                r#"$request,"reason":"r""#,
                "the workflow `WF-20250101-001` of the request",
            ),
        ];
    }
}
