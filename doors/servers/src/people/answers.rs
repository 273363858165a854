//! Answers of a person to workflows.

use journal::StateStore;
use registry::ApprovalAnswer;
use tool_core::{CallOutcome, OutcomeStatus, Result, object};

use mathchain::{CallContext, Toolkit};

/// Satisfies the gate of a workflow as a person: the call files a request, which the person grants at once.
///
/// # Errors
/// As [`StateStore::approve`]; what the gate refuses is in the outcome.
pub fn satisfy_gate(
    toolkit: &Toolkit,
    state: &StateStore,
    workflow: &str,
    option: Option<&str>,
    reason: Option<&str>,
    by: &str,
) -> Result<CallOutcome> {
    let args = object! { "workflowId" => workflow, "option" => option, "reason" => reason };
    let context = CallContext {
        answer: ApprovalAnswer::AtOnce,
        ..CallContext::default()
    };
    let call = || toolkit.call_with(&context, "gate:satisfy", &args);
    let outcome = call();
    match &outcome.status {
        OutcomeStatus::PendingApproval { approval_id, .. } => {
            state.approve(approval_id, by)?;
            Ok(call())
        }
        _ => Ok(outcome),
    }
}

/// Answers feedback of a workflow as a person.
pub fn respond_to_feedback(
    toolkit: &Toolkit,
    workflow: &str,
    feedback: &str,
    text: &str,
    option: Option<&str>,
    person: Option<String>,
) -> CallOutcome {
    let args = object! {
        "workflowId" => workflow, "feedbackId" => feedback, "content" => text, "selectedOption" => option,
    };
    let context = CallContext {
        person,
        ..CallContext::default()
    };
    toolkit.call_with(&context, "feedback:respond", &args)
}
