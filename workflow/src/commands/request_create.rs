//! `request:create`: what is wanted, and why.

use tool_core::{Decode, Describe, Encode, JsonExample, Spec, examples};

use super::command::{CHANGES, Command, CommandTool, DraftResult, EventDraft, ExampleStep};
use super::text;
use crate::actor::{DecisionContext, EventOrigin};
use crate::event::data::{EventData, define_event};
use crate::fault::WorkflowFault;
use crate::limits::TEXT_BYTES_MAX;
use crate::names::{RequestKind, RequestStatus};
use crate::state::check::check_fresh_id;
use crate::state::{WorkRequest, WorkflowState};

/// Arguments of `request:create`.
#[derive(Debug, Clone, PartialEq, Encode, Decode, Describe)]
#[value(deny_unknown_fields, rename_all = "camelCase")]
pub struct RequestCreate {
    /// `cr` for a change request, `fr` for a fix request.
    pub r#type: RequestKind,
    /// Title of the request: one line, at most 200 bytes.
    pub title: String,
    /// The part of the product it is about.
    pub domain: String,
    /// What is wanted and why, as Markdown.
    pub content: String,
    /// Whether it is a draft, not yet proposed; `false` where absent.
    pub draft: Option<bool>,
}

define_event! {
    /// A request was made.
    RequestCreated = "request.created" {
        /// Id of the request.
        request: String,
        /// Its kind.
        kind: RequestKind,
        /// Its title.
        title: String,
        /// The part of the product it is about.
        domain: String;
        /// What is wanted and why, as Markdown.
        content: String,
        /// Its first status; others than `backlog` come from imports and drafts.
        status: RequestStatus,
    }
}

impl Command for RequestCreate {
    const ID: &'static str = "request:create";

    /// # Errors
    /// A missing text, a limit.
    fn draft_event(&self, state: &WorkflowState, context: &DecisionContext<'_>) -> DraftResult {
        let data = RequestCreated {
            request: state.next_dated_id(context, self.r#type.prefix())?,
            kind: self.r#type,
            title: text::check_title("title", &self.title)?,
            domain: text::check_title("domain", &self.domain)?,
            content: text::require_text("content", &self.content, TEXT_BYTES_MAX)?,
            status: if self.draft == Some(true) {
                RequestStatus::Draft
            } else {
                RequestStatus::Backlog
            },
        };
        Ok(EventDraft::new(data))
    }
}

impl EventData for RequestCreated {
    fn may_follow(&self, state: &WorkflowState, _: EventOrigin<'_>) -> Result<(), WorkflowFault> {
        check_fresh_id(
            "request",
            &self.request,
            state.requests.contains_key(&self.request),
        )
    }

    fn apply(&self, state: &mut WorkflowState, origin: EventOrigin<'_>) {
        state.count_dated_id(&self.request);
        let request = WorkRequest {
            id: self.request.clone(),
            kind: self.kind,
            title: self.title.clone(),
            domain: self.domain.clone(),
            content: self.content.clone(),
            author: origin.actor.clone(),
            created: origin.time,
            updated: origin.time,
            reviews: Vec::new(),
            closed: None,
            initial: self.status,
        };
        state.requests.insert(self.request.clone(), request);
    }
}

impl CommandTool for RequestCreate {
    const SPEC: Spec = CHANGES.with_name(Self::ID, "Create a request");
    const STEP: ExampleStep = ExampleStep::new(0, "ideation");
    const EXAMPLES: &'static [JsonExample] = examples! {
        "a change request": r##"{"type": "cr", "title": "A parser", "domain": "core", "content": "Numbers have to be read."}"## => r##"{"id": "CR-20251206-001", "status": "backlog", "events": [{"number": 1, "type": "request.created", "reason": null, "data": {"request": "CR-20251206-001", "kind": "cr", "title": "A parser", "domain": "core", "content": "Numbers have to be read."}}]}"##;
    };
}

#[cfg(test)]
mod tests {
    use super::RequestCreate;
    use crate::commands::case::{CommandCase, CommandCases, accepted, refused};

    impl CommandCases for RequestCreate {
        const CASES: &'static [CommandCase] = &[
            accepted(
                "new",
                "rita/ideation",
                r#""type":"cr","title":"Parser","domain":"core","content":"A parser.""#,
                "request.created",
            ),
            accepted(
                "new",
                "rita/ideation",
                r#""type":"fr","title":"Parser","domain":"core","content":"A parser.","draft":true"#,
                "request.created",
            ),
            refused(
                "new",
                "rita/ideation",
                r#""type":"cr","title":"Parser","domain":"core","content":" ""#,
                "missing `content`",
            ),
            refused(
                "new",
                "rita/ideation",
                r#""type":"cr","title":"a\nb","domain":"core","content":"c""#,
                "one line of text",
            ),
        ];
    }
}
