//! `request:request_changes`: the work of a request is not good yet.

use tool_core::{JsonExample, Spec, examples};

use super::command::{
    CHANGES, Command, CommandTool, DECIDED, DraftResult, EventDraft, ExampleStep, args,
};
use super::text;
use crate::actor::{DecisionContext, EventOrigin};
use crate::event::data::{EventData, define_event};
use crate::fault::WorkflowFault;
use crate::names::Verdict;
use crate::state::check::{needs_reason, room_for_review};
use crate::state::{WorkReview, WorkflowState};

args! {
    /// Request changes of a request.
    RequestRequestChanges {
        /// Id of the request.
        request_id: String,
        /// What is wrong.
        reason: String,
        /// Single suggestions.
        suggestions: Option<Vec<String>>,
    }
}

define_event! {
    /// Changes of a request were requested; the reason of the event says which.
    RequestChangesRequested = "request.changes_requested" {
        /// The request.
        request: String;
        /// Single suggestions.
        suggestions: Vec<String>,
    }
}

impl Command for RequestRequestChanges {
    const ID: &'static str = "request:request_changes";

    /// # Errors
    /// Unknown request, no reason, a suggestion that is too long.
    fn draft_event(&self, state: &WorkflowState, _: &DecisionContext<'_>) -> DraftResult {
        state.request(&self.request_id)?;
        let data = RequestChangesRequested {
            request: self.request_id.clone(),
            suggestions: text::check_text_list("suggestions", self.suggestions.as_deref())?,
        };
        Ok(EventDraft::new(data).because(text::require_reason(&self.reason)?))
    }
}

impl EventData for RequestChangesRequested {
    fn may_follow(
        &self,
        state: &WorkflowState,
        origin: EventOrigin<'_>,
    ) -> Result<(), WorkflowFault> {
        let request = state.open_request(&self.request)?;
        needs_reason(origin.reason)?;
        room_for_review(request.reviews.len())
    }

    fn apply(&self, state: &mut WorkflowState, origin: EventOrigin<'_>) {
        state.on_request(origin, &self.request, |request| {
            let review = WorkReview::new(origin, Verdict::ChangesRequested, &self.suggestions);
            request.reviews.push(review);
        });
    }
}

impl CommandTool for RequestRequestChanges {
    const SPEC: Spec = Spec {
        callers: DECIDED,
        ..CHANGES
    }
    .with_name(Self::ID, "Request changes of a request");
    const STEP: ExampleStep = ExampleStep::new(28, "review");
    const EXAMPLES: &'static [JsonExample] = examples! {
        "changes of a request": r##"{"requestId": "CR-20251206-001", "reason": "Say what a number is."}"## => r##"{"id": "CR-20251206-001", "status": "doing", "events": [{"number": 29, "type": "request.changes_requested", "reason": "Say what a number is.", "data": {"request": "CR-20251206-001"}}]}"##;
    };
}

#[cfg(test)]
mod tests {
    use super::RequestRequestChanges;
    use crate::commands::case::{CommandCase, CommandCases, accepted, refused};

    impl CommandCases for RequestRequestChanges {
        const CASES: &'static [CommandCase] = &[
            accepted(
                "task todo",
                "rob/review",
                r#"$request,"reason":"too thin","suggestions":["say why"]"#,
                "request.changes_requested",
            ),
            accepted(
                r#"task todo; rob/review request:request_changes $request,"reason":"r""#,
                "rob/review",
                r#"$request,"reason":"still""#,
                "request.changes_requested",
            ),
            accepted(
                "task done; rob/review chain:approve $chain; rob/review request:approve $request",
                "rob/review",
                r#"$request,"reason":"r""#,
                "request.changes_requested",
            ),
            refused(
                "task todo",
                "rob/review",
                r#"$request,"reason":"""#,
                "missing `reason`",
            ),
            refused(
                r#"task todo; pat request:close $request,"reason":"r""#,
                "rob/review",
                r#"$request,"reason":"r""#,
                "is closed (withdrawn)",
            ),
        ];
    }
}
