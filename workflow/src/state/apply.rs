//! The fold: what each event changes.

use super::{
    Agent, Closed, Ended, Feedback, Lock, Request, Response, Review, Satisfied, State, Task,
    TaskChain, Workflow,
};
use crate::event::{Data, Event};
use crate::fault::Fault;
use crate::names::{FeedbackStatus, TaskStatus, Verdict};

impl State {
    /// Changes the state by an event; the only way to change it. A refused event changes nothing.
    ///
    /// # Errors
    /// The event cannot come next.
    pub fn apply(&mut self, event: &Event) -> Result<(), Fault> {
        self.check(event)?;
        self.change(event);
        self.seq = event.seq;
        Ok(())
    }

    /// The state after these events.
    ///
    /// # Errors
    /// The first event that cannot follow the ones before it.
    pub fn fold<'a>(events: impl IntoIterator<Item = &'a Event>) -> Result<Self, Fault> {
        let mut state = Self::default();
        events
            .into_iter()
            .try_for_each(|event| state.apply(event))?;
        Ok(state)
    }

    fn change(&mut self, event: &Event) {
        match &event.data {
            Data::RequestCreated(data) => self.add_request(event, data),
            Data::RequestApproved(data) => self.on_request(event, &data.request, |request| {
                request.reviews.push(review(event, Verdict::Approved, &[]));
            }),
            Data::RequestChangesRequested(data) => {
                self.on_request(event, &data.request, |request| {
                    request.reviews.push(review(
                        event,
                        Verdict::ChangesRequested,
                        &data.suggestions,
                    ));
                })
            }
            Data::RequestClosed(data) => self.on_request(event, &data.request, |request| {
                request.closed = Some(Closed {
                    outcome: data.outcome,
                    reason: event.reason.clone(),
                });
            }),
            Data::ChainCreated(data) => self.add_chain(event, data),
            Data::ChainApproved(data) => self.on_chain(event, &data.chain, |chain| {
                chain.reviews.push(review(event, Verdict::Approved, &[]));
            }),
            Data::ChainChangesRequested(data) => self.on_chain(event, &data.chain, |chain| {
                chain
                    .reviews
                    .push(review(event, Verdict::ChangesRequested, &data.suggestions));
            }),
            Data::TaskCreated(data) => {
                self.on_chain(event, &data.chain, |chain| chain.add(event, data))
            }
            Data::TaskReadied(data) => {
                self.on_task(event, (&data.chain, &data.task), data.to, |_| {})
            }
            Data::TaskStarted(data) => {
                self.on_task(event, (&data.chain, &data.task), data.to, |_| {})
            }
            Data::TaskSubmitted(data) => {
                self.on_task(event, (&data.chain, &data.task), data.to, |task| {
                    task.submitter = Some(event.actor.principal.clone());
                    task.submitters.insert(event.actor.principal.clone());
                    if data.summary.is_some() {
                        task.summary.clone_from(&data.summary);
                    }
                })
            }
            Data::TaskApproved(data) => {
                self.on_task(event, (&data.chain, &data.task), data.to, |task| {
                    task.reviews.push(review(event, Verdict::Approved, &[]));
                })
            }
            Data::TaskChangesRequested(data) => {
                self.on_task(event, (&data.chain, &data.task), data.to, |task| {
                    task.rework_count += 1;
                    task.reviews
                        .push(review(event, Verdict::ChangesRequested, &data.suggestions));
                })
            }
            Data::TaskBlocked(data) => {
                self.on_task(event, (&data.chain, &data.task), data.to, |task| {
                    task.blocked.clone_from(&event.reason);
                })
            }
            Data::TaskUnblocked(data) => {
                self.on_task(event, (&data.chain, &data.task), data.to, |task| {
                    task.blocked = None
                })
            }
            Data::FeedbackCreated(data) => {
                self.on_workflow(event, &data.workflow, |workflow| workflow.ask(event, data))
            }
            Data::FeedbackAcknowledged(data) => {
                self.on_feedback(event, (&data.workflow, &data.feedback), |feedback| {
                    feedback.status = FeedbackStatus::Acknowledged;
                })
            }
            Data::FeedbackAnswered(data) => {
                self.on_feedback(event, (&data.workflow, &data.feedback), |feedback| {
                    feedback.status = FeedbackStatus::Resolved;
                    feedback.response = Some(Response {
                        content: data.content.clone(),
                        selected_option: data.selected_option.clone(),
                        by: event.actor.principal.clone(),
                        at: event.time,
                    });
                })
            }
            Data::FeedbackDismissed(data) => {
                self.on_feedback(event, (&data.workflow, &data.feedback), |feedback| {
                    feedback.status = FeedbackStatus::Dismissed;
                    feedback.dismissed.clone_from(&event.reason);
                })
            }
            Data::WorkflowStarted(data) => self.add_workflow(event, data),
            Data::WorkflowAdvanced(data) => self.on_workflow(event, &data.workflow, |workflow| {
                workflow.stage = data.to;
                workflow.gates[data.to].opened_by = Some(event.actor.principal.clone());
            }),
            Data::WorkflowPaused(data) => self.on_workflow(event, &data.workflow, |workflow| {
                workflow.paused.clone_from(&event.reason);
            }),
            Data::WorkflowResumed(data) => {
                self.on_workflow(event, &data.workflow, |workflow| workflow.paused = None)
            }
            Data::WorkflowDiscarded(data) => self.on_workflow(event, &data.workflow, |workflow| {
                workflow.ended = Some(Ended::Discarded(event.reason.clone().unwrap_or_default()));
            }),
            Data::WorkflowCompleted(data) => self.on_workflow(event, &data.workflow, |workflow| {
                workflow.stage = workflow.stages.len() - 1;
                workflow.ended = Some(Ended::Completed);
            }),
            Data::GateOpened(data) => self.on_workflow(event, &data.workflow, |workflow| {
                let gate = &mut workflow.gates[data.stage];
                gate.announced = true;
                gate.opened_by = Some(event.actor.principal.clone());
            }),
            Data::GateSatisfied(data) => self.on_workflow(event, &data.workflow, |workflow| {
                workflow.gates[data.stage].satisfied = Some(Satisfied {
                    by: event.actor.principal.clone(),
                    kind: event.actor.kind,
                    at: event.time,
                    option: data.option.clone(),
                    results: data.results.clone(),
                });
            }),
            Data::LockAcquired(data) => {
                let lock = Lock {
                    chain: data.chain.clone(),
                    patterns: data.patterns.clone(),
                    holder: event.actor.principal.clone(),
                    acquired: event.time,
                    expires: data.expires,
                };
                self.locks.retain(|_, lock| lock.expires > event.time);
                self.locks.insert(data.chain.clone(), lock);
            }
            Data::LockReleased(data) => _ = self.locks.remove(&data.chain),
            Data::AgentSpawned(data) => {
                let parent = data
                    .parent
                    .as_ref()
                    .and_then(|parent| self.agents.get(parent));
                let agent = Agent {
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
            Data::AgentEnded(data) => {
                if let Some(agent) = self.agents.get_mut(&data.agent) {
                    agent.outcome = Some(data.outcome);
                }
            }
        }
    }

    fn on_request(&mut self, event: &Event, id: &str, change: impl FnOnce(&mut Request)) {
        if let Some(request) = self.requests.get_mut(id) {
            request.updated = event.time;
            change(request);
        }
    }

    fn on_chain(&mut self, event: &Event, id: &str, change: impl FnOnce(&mut TaskChain)) {
        if let Some(chain) = self.chains.get_mut(id) {
            chain.updated = event.time;
            change(chain);
        }
    }

    fn on_task(
        &mut self,
        event: &Event,
        (chain, id): (&str, &str),
        to: TaskStatus,
        change: impl FnOnce(&mut Task),
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

    fn on_workflow(&mut self, event: &Event, id: &str, change: impl FnOnce(&mut Workflow)) {
        if let Some(workflow) = self.workflows.get_mut(id) {
            workflow.updated = event.time;
            change(workflow);
        }
    }

    fn on_feedback(
        &mut self,
        event: &Event,
        (workflow, id): (&str, &str),
        change: impl FnOnce(&mut Feedback),
    ) {
        self.on_workflow(event, workflow, |workflow| {
            if let Some(feedback) = workflow.feedback.get_mut(id) {
                feedback.updated = event.time;
                change(feedback);
            }
        });
    }
}

fn review(event: &Event, verdict: Verdict, suggestions: &[String]) -> Review {
    Review {
        verdict,
        by: event.actor.principal.clone(),
        at: event.time,
        reason: event.reason.clone(),
        suggestions: suggestions.to_vec(),
    }
}
