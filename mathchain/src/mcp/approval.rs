//! Approvals: a client that can ask its user is told to, with sealed state; any other gets an error with the id of the request.
//!
//! An answer of a client approves nothing: the operator does, at a terminal or with a key (`docs/policy.md`). It only says when to try
//! again, and the state is bound to the call, so that it cannot be used for another.

use std::collections::BTreeMap;
use std::time::Duration;

use registry::digest;
use rmcp::ErrorData;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ElicitRequest, ElicitRequestParams,
    ElicitationSchema, InputRequest, InputRequiredResult, ProtocolVersion, SealOptions,
};
use rmcp::service::{RequestContext, RoleServer};
use tool_core::{Status, tool_error};

use super::answer;
use super::door::Door;
use super::running::Done;
use crate::toolkit::Wanted;

/// Key of the question in an answer that requires input.
const QUESTION: &str = "approval";
/// How long a client may take.
const VALID: Duration = Duration::from_secs(24 * 60 * 60);

/// What the state is bound to.
fn bound_to(wanted: &Wanted) -> String {
    format!("{}\n{}", wanted.tool, digest::of_value(&wanted.args))
}

/// Checks the state of a call that is repeated after a question; gives the answer where the user does not want it repeated.
///
/// # Errors
/// `-32602` for state of another call, or none of this process.
pub(super) fn resumed(
    door: &Door,
    params: &CallToolRequestParams,
    wanted: &Wanted,
) -> Result<Option<CallToolResult>, ErrorData> {
    let Some(state) = &params.request_state else {
        return Ok(None);
    };
    let opened = door.seal.open_with(state, bound_to(wanted).as_bytes());
    let id = opened.ok().and_then(|id| String::from_utf8(id).ok());
    let Some(id) = id else {
        let message = "the request state does not belong to this call, or has expired; send the call without it";
        return Err(ErrorData::invalid_params(message, None));
    };
    let responses = params.input_responses.as_ref();
    let response = responses.and_then(|responses| responses.get(QUESTION));
    let is_accepted = response.is_some_and(|response| response["action"] == "accept");
    Ok((!is_accepted).then(|| {
        let error = tool_error!(ApprovalRequired, "unconfirmed"; "the user did not confirm the approval `{id}`";
            "the operator runs `mathchain approve {id}` in a terminal; then repeat the same call");
        answer::failure(&error)
    }))
}

/// The question for an approval, where the client can ask it.
pub(super) fn question(
    door: &Door,
    context: &RequestContext<RoleServer>,
    wanted: &Wanted,
    done: &Done,
) -> Option<CallToolResponse> {
    let Status::PendingApproval { approval_id, .. } = &done.outcome.status else {
        return None;
    };
    let version = context.protocol_version()?;
    let capabilities = context.client_capabilities()?;
    let can_ask = version.as_str() >= ProtocolVersion::V_2026_07_28.as_str()
        && capabilities.elicitation.is_some();
    if !can_ask {
        return None;
    }
    let tool = &wanted.tool;
    let message = format!(
        "`{tool}` needs an approval. Run `mathchain approve {approval_id}` in a terminal (`mathchain approvals show {approval_id}` shows the call), then accept here."
    );
    let form = ElicitRequestParams::FormElicitationParams {
        meta: None,
        message,
        requested_schema: ElicitationSchema::new(BTreeMap::new()),
    };
    let question = InputRequest::Elicitation(ElicitRequest::new(form));
    let bound = bound_to(wanted);
    let options = SealOptions::new()
        .associated_data(bound.as_bytes())
        .ttl(VALID);
    let state = door.seal.seal_with(approval_id.as_bytes(), &options);
    let questions = BTreeMap::from([(QUESTION.to_owned(), question)]);
    Some(InputRequiredResult::new(Some(questions), Some(state)).into())
}
