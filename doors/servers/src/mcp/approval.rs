//! Approvals: a client that can ask its user is told to; any other gets an error with the id of the request.

use std::collections::BTreeMap;

use rmcp::model::{ElicitRequest, ElicitRequestParams, ElicitationSchema, InputRequest};
use tool_core::capability::CallClient as _;
use tool_core::{CallOutcome, OutcomeStatus};

use super::client::ClientAsker;
use super::resume::{ClientQuestions, ResumeCondition};

/// Key of the question in an answer that requires input.
pub(super) const QUESTION: &str = "approval";

/// The question for the approval that a call waits for, where the client can ask it.
pub(super) fn approval_question(
    asking: &ClientAsker,
    tool: &str,
    outcome: &CallOutcome,
) -> Option<ClientQuestions> {
    let OutcomeStatus::PendingApproval { approval_id, .. } = &outcome.status else {
        return None;
    };
    if !asking.is_asked_by_answer() || !asking.can("elicitation/create") {
        return None;
    }
    let message = format!(
        "`{tool}` needs an approval. Run `mathchain approve {approval_id}` in a terminal (`mathchain approvals show {approval_id}` shows the call), then accept here."
    );
    let form = ElicitRequestParams::FormElicitationParams {
        meta: None,
        message,
        requested_schema: ElicitationSchema::new(BTreeMap::new()),
    };
    let question = InputRequest::Elicitation(ElicitRequest::new(form));
    let waiting = ResumeCondition::Approval(approval_id.clone());
    Some(ClientQuestions::one(QUESTION, question, waiting))
}
