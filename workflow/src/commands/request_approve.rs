//! `request:approve`: the work of a request is good, as another than its author says.

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
use crate::state::{TaskChain, WorkReview, WorkflowState};

args! {
    /// Approve a request whose chains are all approved; never one's own.
    RequestApprove {
        /// Id of the request.
        request_id: String,
        /// A remark; kept with the review.
        reason: Option<String>,
    }
}

define_event! {
    /// The work of a request was approved.
    RequestApproved = "request.approved" {
        /// The request.
        request: String,
    }
}

impl Command for RequestApprove {
    const ID: &'static str = "request:approve";

    /// # Errors
    /// A reason that is too long.
    fn draft_event(&self, _: &WorkflowState, _: &DecisionContext<'_>) -> DraftResult {
        let reason = text::optional_reason(self.reason.as_deref())?;
        let data = RequestApproved {
            request: self.request_id.clone(),
        };
        Ok(EventDraft::new(data).because(reason))
    }

    fn may(
        &self,
        state: &WorkflowState,
        context: &DecisionContext<'_>,
    ) -> Result<(), WorkflowFault> {
        let request = state.request(&self.request_id)?;
        not_own(
            context,
            [&request.author.principal],
            &OwnDecision {
                action: "approve",
                what: "request",
                id: &request.id,
            },
        )
    }
}

impl EventData for RequestApproved {
    fn may_follow(&self, state: &WorkflowState, _: EventOrigin<'_>) -> Result<(), WorkflowFault> {
        let request = state.open_request(&self.request)?;
        if request.is_approved() {
            return Err(already_approved_fault("request", &self.request));
        }
        let chains: Vec<&TaskChain> = state.chains_of(&self.request).collect();
        if chains.is_empty() {
            return Err(WorkflowFault::first(
                format!("the request `{}` has no chains", self.request),
                "create one with `chain:create`",
            ));
        }
        let open: Vec<String> = chains
            .iter()
            .filter(|chain| !chain.is_approved())
            .map(|chain| format!("`{}` ({})", chain.id, chain.status()))
            .collect();
        if open.is_empty() {
            return Ok(());
        }
        Err(WorkflowFault::first(
            format!(
                "every chain must be approved before the request `{}`; not approved: {}",
                self.request,
                open.join(", ")
            ),
            "approve them with `chain:approve`",
        ))
    }

    fn apply(&self, state: &mut WorkflowState, origin: EventOrigin<'_>) {
        state.on_request(origin, &self.request, |request| {
            let review = WorkReview::new(origin, Verdict::Approved, &[]);
            request.reviews.push(review);
        });
    }
}

impl CommandTool for RequestApprove {
    const SPEC: Spec = Spec {
        callers: DECIDED,
        ..CHANGES
    }
    .with_name(Self::ID, "Approve a request");
    const STEP: ExampleStep = ExampleStep::new(29, "review");
    const EXAMPLES: &'static [JsonExample] = examples! {
        "an approved request": r##"{"requestId": "CR-20251206-001"}"## => r##"{"id": "CR-20251206-001", "status": "doing", "events": [{"number": 30, "type": "request.approved", "reason": null, "data": {"request": "CR-20251206-001"}}]}"##;
    };
}

#[cfg(test)]
mod tests {
    use super::RequestApprove;
    use crate::commands::case::{CommandCase, CommandCases, accepted, refused};

    impl CommandCases for RequestApprove {
        const CASES: &'static [CommandCase] = &[
            accepted(
                "task done; rob/review chain:approve $chain",
                "rob/review",
                r#"$request,"reason":"complete""#,
                "request.approved",
            ),
            accepted(
                r#"task done; rob/review chain:approve $chain; rob/review request:request_changes $request,"reason":"r""#,
                "rob/review",
                "$request",
                "request.approved",
            ),
            refused(
                "task done; rob/review chain:approve $chain",
                "rita/review",
                "$request",
                "it is their own work",
            ),
            refused(
                "task done",
                "rob/review",
                "$request",
                "not approved: `CHAIN-001-parser` (done)",
            ),
            refused(
                "task done; rob/review chain:approve $chain; rob/review request:approve $request",
                "rob/review",
                "$request",
                "request changes with `request:request_changes` first",
            ),
            refused(
                r#"new; rita/ideation request:create "type":"cr","title":"a","domain":"d","content":"c""#,
                "rob/review",
                "$request",
                "has no chains",
            ),
        ];
    }
}
