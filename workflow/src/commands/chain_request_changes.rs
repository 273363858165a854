//! `chain:request_changes`: the tasks of a chain are not good as a whole.

use tool_core::{JsonExample, Spec, examples};

use super::command::{
    CHANGES, Command, CommandTool, DECIDED, DraftResult, EventDraft, ExampleStep, args,
};
use super::text;
use crate::actor::{DecisionContext, EventOrigin};
use crate::event::data::{EventData, define_event};
use crate::fault::WorkflowFault;
use crate::names::Verdict;
use crate::state::check::{already_approved_fault, needs_reason, room_for_review};
use crate::state::{WorkRequest, WorkReview, WorkflowState};

args! {
    /// Request changes of a chain whose tasks are all done; new tasks can then be added.
    ChainRequestChanges {
        /// Id of the chain.
        chain_id: String,
        /// What is wrong.
        reason: String,
        /// Single suggestions.
        suggestions: Option<Vec<String>>,
    }
}

define_event! {
    /// Changes of a chain were requested; the reason of the event says which.
    ChainChangesRequested = "chain.changes_requested" {
        /// The chain.
        chain: String;
        /// Single suggestions.
        suggestions: Vec<String>,
    }
}

impl Command for ChainRequestChanges {
    const ID: &'static str = "chain:request_changes";

    /// # Errors
    /// Unknown chain, no reason, a suggestion that is too long.
    fn draft_event(&self, state: &WorkflowState, _: &DecisionContext<'_>) -> DraftResult {
        let data = ChainChangesRequested {
            chain: self.chain_id.clone(),
            suggestions: text::check_text_list("suggestions", self.suggestions.as_deref())?,
        };
        state.chain(&self.chain_id)?;
        Ok(EventDraft::new(data).because(text::require_reason(&self.reason)?))
    }
}

impl EventData for ChainChangesRequested {
    fn may_follow(
        &self,
        state: &WorkflowState,
        origin: EventOrigin<'_>,
    ) -> Result<(), WorkflowFault> {
        let chain = state.chain_to_review(&self.chain, "request changes of")?;
        needs_reason(origin.reason)?;
        room_for_review(chain.reviews.len())?;
        let request = state.requests.get(&chain.request);
        if request.is_some_and(WorkRequest::is_approved) {
            return Err(already_approved_fault("request", &chain.request));
        }
        Ok(())
    }

    fn apply(&self, state: &mut WorkflowState, origin: EventOrigin<'_>) {
        state.on_chain(origin, &self.chain, |chain| {
            let review = WorkReview::new(origin, Verdict::ChangesRequested, &self.suggestions);
            chain.reviews.push(review);
        });
    }
}

impl CommandTool for ChainRequestChanges {
    const SPEC: Spec = Spec {
        callers: DECIDED,
        ..CHANGES
    }
    .with_name(Self::ID, "Request changes of a chain");
    const STEP: ExampleStep = ExampleStep::new(26, "review");
    const EXAMPLES: &'static [JsonExample] = examples! {
        "a review of the whole": r##"{"chainId": "CHAIN-001-parser", "reason": "Tests are missing."}"## => r##"{"id": "CHAIN-001-parser", "status": "done", "events": [{"number": 27, "type": "chain.changes_requested", "reason": "Tests are missing.", "data": {"chain": "CHAIN-001-parser"}}]}"##;
    };
}

#[cfg(test)]
mod tests {
    use super::ChainRequestChanges;
    use crate::commands::case::{CommandCase, CommandCases, accepted, refused};

    impl CommandCases for ChainRequestChanges {
        const CASES: &'static [CommandCase] = &[
            accepted(
                "task done",
                "rob/review",
                r#"$chain,"reason":"more tests""#,
                "chain.changes_requested",
            ),
            accepted(
                r#"task done; rob/review chain:request_changes $chain,"reason":"r""#,
                "rob/review",
                r#"$chain,"reason":"still""#,
                "chain.changes_requested",
            ),
            accepted(
                "task done; rob/review chain:approve $chain",
                "rob/review",
                r#"$chain,"reason":"r""#,
                "chain.changes_requested",
            ),
            refused(
                "task todo",
                "rob/review",
                r#"$chain,"reason":"r""#,
                "all tasks must be done to request changes of the chain",
            ),
            refused(
                "task done; rob/review chain:approve $chain; rob/review request:approve $request",
                "rob/review",
                r#"$chain,"reason":"r""#,
                "the request `CR-20250101-001` is approved",
            ),
        ];
    }
}
