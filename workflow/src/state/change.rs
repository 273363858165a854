//! What the changes of several events share: an item is found, its time is noted, and the event changes the rest.

use super::{
    TaskChain, WorkRequest, WorkReview, WorkflowFeedback, WorkflowInstance, WorkflowState,
};
use crate::actor::EventOrigin;
use crate::names::Verdict;

impl WorkflowState {
    pub(crate) fn on_request(
        &mut self,
        origin: EventOrigin<'_>,
        id: &str,
        change: impl FnOnce(&mut WorkRequest),
    ) {
        if let Some(request) = self.requests.get_mut(id) {
            request.updated = origin.time;
            change(request);
        }
    }

    pub(crate) fn on_chain(
        &mut self,
        origin: EventOrigin<'_>,
        id: &str,
        change: impl FnOnce(&mut TaskChain),
    ) {
        if let Some(chain) = self.chains.get_mut(id) {
            chain.updated = origin.time;
            change(chain);
        }
    }

    pub(crate) fn on_workflow(
        &mut self,
        origin: EventOrigin<'_>,
        id: &str,
        change: impl FnOnce(&mut WorkflowInstance),
    ) {
        if let Some(workflow) = self.workflows.get_mut(id) {
            workflow.updated = origin.time;
            change(workflow);
        }
    }

    pub(crate) fn on_feedback(
        &mut self,
        origin: EventOrigin<'_>,
        workflow: &str,
        id: &str,
        change: impl FnOnce(&mut WorkflowFeedback),
    ) {
        self.on_workflow(origin, workflow, |workflow| {
            if let Some(feedback) = workflow.feedback.get_mut(id) {
                feedback.updated = origin.time;
                change(feedback);
            }
        });
    }
}

impl WorkReview {
    /// The review that an event gives.
    pub(crate) fn new(origin: EventOrigin<'_>, verdict: Verdict, suggestions: &[String]) -> Self {
        Self {
            verdict,
            by: origin.actor.principal.clone(),
            at: origin.time,
            reason: origin.reason.map(str::to_owned),
            suggestions: suggestions.to_vec(),
        }
    }
}
