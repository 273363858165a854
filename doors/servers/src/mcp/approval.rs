//! Approvals: a client that can ask its user is told to; any other gets an error with the id of the request and what it would do.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use journal::Approval;
use rmcp::model::{
    CallToolResult, ContentBlock, ElicitRequest, ElicitRequestParams, ElicitationSchema,
    InputRequest,
};
use serde_json::{Map, Value as Json, json};
use tool_core::capability::CallClient as _;
use tool_core::{CallOutcome, OutcomeStatus, Value, json as text_of};

use super::client::ClientAsker;
use super::door::McpServerState;
use super::json as convert;
use super::resume::{ClientQuestions, ResumeCondition};

/// Longest arguments in structured content and in a text, in bytes; the rest is cut.
const ARGUMENTS_BYTES_MAX: u64 = 8 << 10;
const TEXT_BYTES_MAX: u64 = 1 << 10;

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

/// Adds to the answer of a call that waits what it would do: the rule that asks, resources, and of a step its arguments.
///
/// The caller has stated or may read all of it. Contents of files are not: the operator alone is shown how they would change.
pub(super) fn describe_request(
    door: &McpServerState,
    outcome: &CallOutcome,
    answer: &mut CallToolResult,
) {
    let OutcomeStatus::PendingApproval { approval_id, .. } = &outcome.status else {
        return;
    };
    let found = door
        .toolkit
        .state()
        .and_then(|state| state.approval_in(&door.scope(), approval_id).ok());
    let Some((approval, details)) = found else {
        return;
    };
    let request = RequestFacts {
        approval: &approval,
        details: details.as_ref(),
        console: door.settings.console.as_deref(),
    };
    answer.content.insert(1, ContentBlock::text(request.text()));
    if let Some(error) = answer
        .structured_content
        .as_mut()
        .and_then(|content| content.get_mut("error")?.as_object_mut())
    {
        error.insert("request".to_owned(), request.json());
    }
}

/// A request as its caller sees it.
struct RequestFacts<'a> {
    approval: &'a Approval,
    details: Option<&'a Value>,
    /// Address of the console, where this server has one.
    console: Option<&'a str>,
}

impl RequestFacts<'_> {
    /// Members of what is stored of the call, each as one text.
    fn listed(&self, name: &str, member: &str) -> Vec<String> {
        let items = self.details.and_then(|details| details.get(name)?.items());
        let items = items.unwrap_or_default().into_iter();
        let text = |item: Value| match item.as_str() {
            Some(text) => Some(text.to_owned()),
            None => item.text(member).map(str::to_owned),
        };
        items.filter_map(text).collect()
    }

    /// The arguments up to a size, without secrets.
    fn arguments(&self, bytes_max: u64) -> Option<Value> {
        let arguments = self.details?.get("arguments")?;
        Some(registry::truncate_value(arguments, bytes_max, &mut |_| {
            None
        }))
    }

    fn subject(&self) -> Option<&Value> {
        let subject = self.details?.get("subject")?;
        (!subject.is_null()).then_some(subject)
    }

    /// The page of the console where the operator decides.
    fn console_page(&self) -> Option<String> {
        let console = self.console?;
        Some(format!("{console}/console/approvals/{}", self.approval.id))
    }

    fn text(&self) -> String {
        let approval = self.approval;
        let mut text = String::new();
        let mut line = |name: &str, value: &str| {
            let _ = writeln!(text, "{name}: {value}");
        };
        line("tool", &format!("{} as `{}`", approval.tool, approval.role));
        for (name, value) in [
            ("agent", &approval.agent),
            ("run", &approval.run),
            ("step", &approval.step),
        ] {
            if let Some(value) = value {
                line(name, value);
            }
        }
        line("asks because", &approval.reason);
        for (name, member) in [("resources", ""), ("opens", "name"), ("destroys", "path")] {
            for one in self.listed(name, member) {
                line(name, &one);
            }
        }
        if let Some(subject) = self.subject() {
            line("about", &text_of::to_text(subject));
        }
        // The arguments of a call are in the call.
        let of_step = approval.step.as_ref().and(self.arguments(TEXT_BYTES_MAX));
        if let Some(arguments) = of_step {
            line("arguments", &text_of::to_text(&arguments));
        }
        if let Some(page) = self.console_page() {
            line("console", &page);
        }
        text.truncate(text.trim_end().len());
        text
    }

    fn json(&self) -> Json {
        let approval = self.approval;
        let mut members = Map::new();
        let command = format!("mathchain approve {}", approval.id);
        for (name, value) in [
            ("id", Some(json!(approval.id))),
            ("tool", Some(json!(approval.tool))),
            ("role", Some(json!(approval.role))),
            ("agent", approval.agent.as_ref().map(|it| json!(it))),
            ("run", approval.run.as_ref().map(|it| json!(it))),
            ("step", approval.step.as_ref().map(|it| json!(it))),
            ("reason", Some(json!(approval.reason))),
            ("asked_ms", Some(json!(approval.created_ms))),
            ("expires_ms", Some(json!(approval.expires_ms))),
            ("fallback", Some(json!(approval.fallback))),
            ("resources", Some(json!(self.listed("resources", "")))),
            ("opens", Some(json!(self.listed("opens", "name")))),
            ("destroys", Some(json!(self.listed("destroys", "path")))),
            ("subject", self.subject().map(convert::of_value)),
            (
                "arguments",
                self.arguments(ARGUMENTS_BYTES_MAX)
                    .map(|it| convert::of_value(&it)),
            ),
            ("command", Some(json!(command))),
            ("console", self.console_page().map(|it| json!(it))),
        ] {
            members.extend(value.map(|value| (name.to_owned(), value)));
        }
        Json::Object(members)
    }
}
