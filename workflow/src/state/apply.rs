//! The fold: what each event changes.

use super::{
    ChainLock, ChainTask, FeedbackResponse, GateSatisfaction, RequestClosure, StartedAgent,
    TaskChain, WorkRequest, WorkReview, WorkflowFeedback, WorkflowInstance, WorkflowOutcome,
    WorkflowState,
};
use crate::event::{EventPayload, WorkflowEvent};
use crate::fault::WorkflowFault;
use crate::names::{FeedbackStatus, TaskStatus, Verdict};

impl WorkflowState {
    /// Changes the state by an event; the only way to change it. A refused event changes nothing.
    ///
    /// # Errors
    /// The event cannot come next.
    pub fn apply(&mut self, event: &WorkflowEvent) -> Result<(), WorkflowFault> {
        self.check(event)?;
        self.change(event);
        self.seq = event.seq;
        Ok(())
    }

    /// The state after these events.
    ///
    /// # Errors
    /// The first event that cannot follow the ones before it.
    pub fn fold<'a>(
        events: impl IntoIterator<Item = &'a WorkflowEvent>,
    ) -> Result<Self, WorkflowFault> {
        let mut state = Self::default();
        events
            .into_iter()
            .try_for_each(|event| state.apply(event))?;
        Ok(state)
    }

    fn change(&mut self, event: &WorkflowEvent) {
        match &event.data {
            EventPayload::RequestCreated(data) => self.add_request(event, data),
            EventPayload::RequestApproved(data) => {
                self.on_request(event, &data.request, |request| {
                    request
                        .reviews
                        .push(build_review(event, Verdict::Approved, &[]));
                })
            }
            EventPayload::RequestChangesRequested(data) => {
                self.on_request(event, &data.request, |request| {
                    request.reviews.push(build_review(
                        event,
                        Verdict::ChangesRequested,
                        &data.suggestions,
                    ));
                })
            }
            EventPayload::RequestClosed(data) => self.on_request(event, &data.request, |request| {
                request.closed = Some(RequestClosure {
                    outcome: data.outcome,
                    reason: event.reason.clone(),
                });
            }),
            EventPayload::ChainCreated(data) => self.add_chain(event, data),
            EventPayload::ChainApproved(data) => self.on_chain(event, &data.chain, |chain| {
                chain
                    .reviews
                    .push(build_review(event, Verdict::Approved, &[]));
            }),
            EventPayload::ChainChangesRequested(data) => {
                self.on_chain(event, &data.chain, |chain| {
                    chain.reviews.push(build_review(
                        event,
                        Verdict::ChangesRequested,
                        &data.suggestions,
                    ));
                })
            }
            EventPayload::TaskCreated(data) => {
                self.on_chain(event, &data.chain, |chain| chain.add(event, data))
            }
            EventPayload::TaskReadied(data) => {
                self.on_task(event, (&data.chain, &data.task), data.to, |_| {})
            }
            EventPayload::TaskStarted(data) => {
                self.on_task(event, (&data.chain, &data.task), data.to, |_| {})
            }
            EventPayload::TaskSubmitted(data) => {
                self.on_task(event, (&data.chain, &data.task), data.to, |task| {
                    task.submitter = Some(event.actor.principal.clone());
                    task.submitters.insert(event.actor.principal.clone());
                    if data.summary.is_some() {
                        task.summary.clone_from(&data.summary);
                    }
                })
            }
            EventPayload::TaskApproved(data) => {
                self.on_task(event, (&data.chain, &data.task), data.to, |task| {
                    task.reviews
                        .push(build_review(event, Verdict::Approved, &[]));
                })
            }
            EventPayload::TaskChangesRequested(data) => {
                self.on_task(event, (&data.chain, &data.task), data.to, |task| {
                    task.rework_count += 1;
                    task.reviews.push(build_review(
                        event,
                        Verdict::ChangesRequested,
                        &data.suggestions,
                    ));
                })
            }
            EventPayload::TaskBlocked(data) => {
                self.on_task(event, (&data.chain, &data.task), data.to, |task| {
                    task.blocked.clone_from(&event.reason);
                })
            }
            EventPayload::TaskUnblocked(data) => {
                self.on_task(event, (&data.chain, &data.task), data.to, |task| {
                    task.blocked = None
                })
            }
            EventPayload::FeedbackCreated(data) => {
                self.on_workflow(event, &data.workflow, |workflow| workflow.ask(event, data))
            }
            EventPayload::FeedbackAcknowledged(data) => {
                self.on_feedback(event, (&data.workflow, &data.feedback), |feedback| {
                    feedback.status = FeedbackStatus::Acknowledged;
                })
            }
            EventPayload::FeedbackAnswered(data) => {
                self.on_feedback(event, (&data.workflow, &data.feedback), |feedback| {
                    feedback.status = FeedbackStatus::Resolved;
                    feedback.response = Some(FeedbackResponse {
                        content: data.content.clone(),
                        selected_option: data.selected_option.clone(),
                        by: event.actor.principal.clone(),
                        at: event.time,
                    });
                })
            }
            EventPayload::FeedbackDismissed(data) => {
                self.on_feedback(event, (&data.workflow, &data.feedback), |feedback| {
                    feedback.status = FeedbackStatus::Dismissed;
                    feedback.dismissed.clone_from(&event.reason);
                })
            }
            EventPayload::WorkflowStarted(data) => self.add_workflow(event, data),
            EventPayload::WorkflowAdvanced(data) => {
                self.on_workflow(event, &data.workflow, |workflow| {
                    workflow.stage = data.to;
                    workflow.gates[data.to].opened_by = Some(event.actor.principal.clone());
                })
            }
            EventPayload::WorkflowPaused(data) => {
                self.on_workflow(event, &data.workflow, |workflow| {
                    workflow.paused.clone_from(&event.reason);
                })
            }
            EventPayload::WorkflowResumed(data) => {
                self.on_workflow(event, &data.workflow, |workflow| workflow.paused = None)
            }
            EventPayload::WorkflowDiscarded(data) => {
                self.on_workflow(event, &data.workflow, |workflow| {
                    workflow.ended = Some(WorkflowOutcome::Discarded(
                        event.reason.clone().unwrap_or_default(),
                    ));
                })
            }
            EventPayload::WorkflowCompleted(data) => {
                self.on_workflow(event, &data.workflow, |workflow| {
                    workflow.stage = workflow.stages.len() - 1;
                    workflow.ended = Some(WorkflowOutcome::Completed);
                })
            }
            EventPayload::GateOpened(data) => self.on_workflow(event, &data.workflow, |workflow| {
                let gate = &mut workflow.gates[data.stage];
                gate.announced = true;
                gate.opened_by = Some(event.actor.principal.clone());
            }),
            EventPayload::GateSatisfied(data) => {
                self.on_workflow(event, &data.workflow, |workflow| {
                    workflow.gates[data.stage].satisfied = Some(GateSatisfaction {
                        by: event.actor.principal.clone(),
                        kind: event.actor.kind,
                        at: event.time,
                        option: data.option.clone(),
                        results: data.results.clone(),
                    });
                })
            }
            EventPayload::LockAcquired(data) => {
                let lock = ChainLock {
                    chain: data.chain.clone(),
                    patterns: data.patterns.clone(),
                    holder: event.actor.principal.clone(),
                    acquired: event.time,
                    expires: data.expires,
                };
                self.locks.retain(|_, lock| lock.expires > event.time);
                self.locks.insert(data.chain.clone(), lock);
            }
            EventPayload::LockReleased(data) => _ = self.locks.remove(&data.chain),
            EventPayload::AgentSpawned(data) => {
                let parent = data
                    .parent
                    .as_ref()
                    .and_then(|parent| self.agents.get(parent));
                let agent = StartedAgent {
                    id: data.agent.clone(),
                    role: data.role.clone(),
                    parent: data.parent.clone(),
                    depth: parent.map_or(0, |parent| parent.depth + 1),
                    chain: data.chain.clone(),
                    task: data.task.clone(),
                    outcome: None,
                };
                self.agents.insert(data.agent.clone(), agent);
            }
            EventPayload::AgentEnded(data) => {
                if let Some(agent) = self.agents.get_mut(&data.agent) {
                    agent.outcome = Some(data.outcome);
                }
            }
        }
    }

    fn on_request(
        &mut self,
        event: &WorkflowEvent,
        id: &str,
        change: impl FnOnce(&mut WorkRequest),
    ) {
        if let Some(request) = self.requests.get_mut(id) {
            request.updated = event.time;
            change(request);
        }
    }

    fn on_chain(&mut self, event: &WorkflowEvent, id: &str, change: impl FnOnce(&mut TaskChain)) {
        if let Some(chain) = self.chains.get_mut(id) {
            chain.updated = event.time;
            change(chain);
        }
    }

    fn on_task(
        &mut self,
        event: &WorkflowEvent,
        (chain, id): (&str, &str),
        to: TaskStatus,
        change: impl FnOnce(&mut ChainTask),
    ) {
        self.on_chain(event, chain, |chain| {
            if let Some(task) = chain.tasks.iter_mut().find(|task| task.id == id) {
                task.status = to;
                task.updated = event.time;
                if to != TaskStatus::Blocked {
                    task.blocked = None;
                }
                change(task);
            }
        });
    }

    fn on_workflow(
        &mut self,
        event: &WorkflowEvent,
        id: &str,
        change: impl FnOnce(&mut WorkflowInstance),
    ) {
        if let Some(workflow) = self.workflows.get_mut(id) {
            workflow.updated = event.time;
            change(workflow);
        }
    }

    fn on_feedback(
        &mut self,
        event: &WorkflowEvent,
        (workflow, id): (&str, &str),
        change: impl FnOnce(&mut WorkflowFeedback),
    ) {
        self.on_workflow(event, workflow, |workflow| {
            if let Some(feedback) = workflow.feedback.get_mut(id) {
                feedback.updated = event.time;
                change(feedback);
            }
        });
    }
}

fn build_review(event: &WorkflowEvent, verdict: Verdict, suggestions: &[String]) -> WorkReview {
    WorkReview {
        verdict,
        by: event.actor.principal.clone(),
        at: event.time,
        reason: event.reason.clone(),
        suggestions: suggestions.to_vec(),
    }
}
