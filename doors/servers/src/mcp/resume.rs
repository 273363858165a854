//! Requests that are repeated with answers of the client: sealed state, which belongs to one request.
//!
//! An answer of a client approves nothing: the operator does, at a terminal or with a key (`docs/policy.md`). It only says when to try
//! again.

use std::time::Duration;

use rmcp::ErrorData;
use rmcp::model::{
    CallToolResult, InputRequest, InputRequests, InputRequiredResult, InputResponses, SealOptions,
};
use serde::{Deserialize, Serialize};
use tool_core::tool_error;

use super::answer;
use super::approval;
use super::client::Answers;
use super::door::McpServerState;

/// How long a client may take.
const VALID: Duration = Duration::from_secs(24 * 60 * 60);

/// What a request waits for.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum ResumeCondition {
    /// The approval of this id.
    Approval(String),
    /// More answers than these.
    Answers(Answers),
}

/// Questions for the client.
pub(super) struct ClientQuestions {
    pub(super) requests: InputRequests,
    pub(super) waiting: ResumeCondition,
}

impl ClientQuestions {
    pub(super) fn one(key: &str, request: InputRequest, waiting: ResumeCondition) -> Self {
        let requests = InputRequests::from([(key.to_owned(), request)]);
        Self { requests, waiting }
    }

    /// The answer that asks them, with state that is bound to the request.
    pub(super) fn sealed(self, door: &McpServerState, bound_to: &str) -> InputRequiredResult {
        let options = SealOptions::new()
            .associated_data(bound_to.as_bytes())
            .ttl(VALID);
        let text = serde_json::to_vec(&self.waiting).unwrap_or_default();
        let state = door.seal.seal_with(&text, &options);
        InputRequiredResult::new(Some(self.requests), Some(state))
    }
}

impl ResumeCondition {
    /// What a request goes on with.
    ///
    /// # Errors
    /// The answer to a call whose user does not want it repeated.
    pub(super) fn go_on(self, given: Answers) -> Result<Answers, Box<CallToolResult>> {
        let id = match self {
            Self::Answers(mut answers) => {
                answers.extend(given);
                return Ok(answers);
            }
            Self::Approval(id) => id,
        };
        let answer = given.get(approval::QUESTION);
        if answer.is_some_and(|answer| answer["action"] == "accept") {
            return Ok(Answers::new());
        }
        let error = tool_error!(ApprovalRequired, "unconfirmed"; "the user did not confirm the approval `{id}`";
            "the operator runs `mathchain approve {id}` in a terminal; then repeat the same call");
        Err(Box::new(answer::failure_answer(&error)))
    }
}

/// What a request carries of an earlier one.
///
/// # Errors
/// `-32602` for state of another request, or none of this process.
pub(super) fn restore_request_state(
    door: &McpServerState,
    state: Option<&str>,
    responses: Option<&InputResponses>,
    bound_to: &str,
) -> Result<(ResumeCondition, Answers), ErrorData> {
    let given = responses.into_iter().flatten();
    let given = given.map(|(key, answer)| (key.clone(), answer.clone()));
    let given: Answers = given.collect();
    let Some(state) = state else {
        return Ok((ResumeCondition::Answers(Answers::new()), given));
    };
    let opened = door.seal.open_with(state, bound_to.as_bytes()).ok();
    let waiting = opened.and_then(|text| serde_json::from_slice(&text).ok());
    let waiting = waiting.ok_or_else(|| {
        let message = "the request state does not belong to this request, or has expired; send the request without it";
        ErrorData::invalid_params(message, None)
    })?;
    Ok((waiting, given))
}
