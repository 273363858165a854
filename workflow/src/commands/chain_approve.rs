//! `chain:approve`: the tasks of a chain are good as a whole, as one says who submitted none of them.

use tool_core::{JsonExample, Spec, examples};

use super::command::{
    CHANGES, Command, CommandTool, DECIDED, DraftResult, EventDraft, ExampleStep, args,
};
use super::ownership::{OwnDecision, not_own};
use super::text;
use crate::actor::{DecisionContext, EventOrigin};
use crate::event::data::{EventData, define_event};
use crate::fault::WorkflowFault;
use crate::names::Verdict;
use crate::state::check::already_approved_fault;
use crate::state::{WorkReview, WorkflowState};

args! {
    /// Approve a chain whose tasks are all done; never one's own work.
    ChainApprove {
        /// Id of the chain.
        chain_id: String,
        /// A remark; kept with the review.
        reason: Option<String>,
    }
}

define_event! {
    /// The work of a chain was approved.
    ChainApproved = "chain.approved" {
        /// The chain.
        chain: String,
    }
}

impl Command for ChainApprove {
    const ID: &'static str = "chain:approve";

    /// # Errors
    /// A reason that is too long.
    fn draft_event(&self, _: &WorkflowState, _: &DecisionContext<'_>) -> DraftResult {
        let reason = text::optional_reason(self.reason.as_deref())?;
        let data = ChainApproved {
            chain: self.chain_id.clone(),
        };
        Ok(EventDraft::new(data).because(reason))
    }

    fn may(
        &self,
        state: &WorkflowState,
        context: &DecisionContext<'_>,
    ) -> Result<(), WorkflowFault> {
        let chain = state.chain(&self.chain_id)?;
        let decision = OwnDecision {
            action: "approve",
            what: "chain",
            id: &chain.id,
        };
        let submitters = chain.tasks.iter().flat_map(|task| &task.submitters);
        not_own(context, submitters, &decision)
    }
}

impl EventData for ChainApproved {
    fn may_follow(&self, state: &WorkflowState, _: EventOrigin<'_>) -> Result<(), WorkflowFault> {
        if state.chain_to_review(&self.chain, "approve")?.is_approved() {
            return Err(already_approved_fault("chain", &self.chain));
        }
        Ok(())
    }

    fn apply(&self, state: &mut WorkflowState, origin: EventOrigin<'_>) {
        state.on_chain(origin, &self.chain, |chain| {
            let review = WorkReview::new(origin, Verdict::Approved, &[]);
            chain.reviews.push(review);
        });
    }
}

impl CommandTool for ChainApprove {
    const SPEC: Spec = Spec {
        callers: DECIDED,
        ..CHANGES
    }
    .with_name(Self::ID, "Approve a chain");
    const STEP: ExampleStep = ExampleStep::new(27, "review");
    const EXAMPLES: &'static [JsonExample] = examples! {
        "an approved chain": r##"{"chainId": "CHAIN-001-parser"}"## => r##"{"id": "CHAIN-001-parser", "status": "done", "events": [{"number": 28, "type": "chain.approved", "reason": null, "data": {"chain": "CHAIN-001-parser"}}]}"##;
    };
}

#[cfg(test)]
mod tests {
    use super::ChainApprove;
    use crate::commands::case::{CommandCase, CommandCases, accepted, refused};

    impl CommandCases for ChainApprove {
        const CASES: &'static [CommandCase] = &[
            accepted("task done", "rob/review", "$chain", "chain.approved"),
            accepted(
                r#"task done; rob/review chain:request_changes $chain,"reason":"r""#,
                "rob/review",
                "$chain",
                "chain.approved",
            ),
            refused("task done", "ann/review", "$chain", "it is their own work"),
            refused(
                "task in-review",
                "rob/review",
                "$chain",
                "not done: `001-read-numbers` (in-review)",
            ),
            refused(
                "task done; rob/review chain:approve $chain",
                "rob/review",
                "$chain",
                "the chain `CHAIN-001-parser` is approved",
            ),
        ];
    }
}
