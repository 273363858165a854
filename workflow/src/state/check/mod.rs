//! Whether an event may follow a state. Who may cause it was decided before, in [`crate::decide_command`]; here the history itself is
//! checked, so that a fold reaches no state that the rules exclude, whatever wrote the events.

mod items;
mod workflows;

use super::{WorkRequest, WorkflowState};
use crate::event::{EventPayload, WorkflowEvent};
use crate::fault::WorkflowFault;
use crate::ids::is_id;
use crate::limits;
use crate::names::{Closing, FeedbackStatus, GateKind, TaskStatus};
use workflows::wrong_stage;

impl WorkflowState {
    /// Whether an event may come next.
    ///
    /// # Errors
    /// Why not.
    pub fn check(&self, event: &WorkflowEvent) -> Result<(), WorkflowFault> {
        if event.seq != self.seq + 1 {
            return Err(WorkflowFault::Sequence {
                expected: self.seq + 1,
                found: event.seq,
            });
        }
        let reason = event.reason.as_deref();
        match &event.data {
            EventPayload::RequestCreated(data) => check_fresh_id(
                "request",
                &data.request,
                self.requests.contains_key(&data.request),
            ),
            EventPayload::RequestApproved(data) => self.may_approve_request(&data.request),
            EventPayload::RequestChangesRequested(data) => {
                let request = self.open_request(&data.request)?;
                needs_reason(reason)?;
                room_for_review(request.reviews.len())
            }
            EventPayload::RequestClosed(data) => {
                let request = self.open_request(&data.request)?;
                self.no_open_workflow(&data.request)?;
                match data.outcome {
                    Closing::Completed if !request.is_approved() => Err(WorkflowFault::first(
                        format!("the request `{}` is not approved", request.id),
                        "approve it with `request:approve`, or give a reason for closing it without",
                    )),
                    Closing::Completed => Ok(()),
                    Closing::Withdrawn | Closing::Imported => needs_reason(reason),
                }
            }
            EventPayload::ChainCreated(data) => {
                check_fresh_id("chain", &data.chain, self.chains.contains_key(&data.chain))?;
                at_most("chains", self.chains.len() + 1, limits::CHAINS_MAX)?;
                self.may_add_chain(&data.request)?;
                data.depends_on
                    .iter()
                    .try_for_each(|chain| self.chain(chain).map(drop))
            }
            EventPayload::ChainApproved(data) => {
                match self.may_review_chain(&data.chain, "approve")?.is_approved() {
                    false => Ok(()),
                    true => Err(already_approved_fault("chain", &data.chain)),
                }
            }
            EventPayload::ChainChangesRequested(data) => {
                let chain = self.may_review_chain(&data.chain, "request changes of")?;
                needs_reason(reason)?;
                room_for_review(chain.reviews.len())?;
                match self
                    .requests
                    .get(&chain.request)
                    .is_some_and(WorkRequest::is_approved)
                {
                    false => Ok(()),
                    true => Err(already_approved_fault("request", &chain.request)),
                }
            }
            EventPayload::TaskCreated(data) => {
                let chain = self.may_add_task(&data.chain)?;
                check_fresh_id("task", &data.task, chain.task(&data.task).is_ok())
            }
            EventPayload::TaskReadied(data) => self
                .moves(
                    &data.chain,
                    &data.task,
                    (data.from, data.to),
                    &[TaskStatus::Todo],
                )
                .map(drop),
            EventPayload::TaskStarted(data) => {
                let from_todo = data.from == TaskStatus::Todo || data.from == data.to;
                let to: &[TaskStatus] = if from_todo {
                    &[TaskStatus::InProgress]
                } else {
                    &[]
                };
                let (chain, _) = self.moves(&data.chain, &data.task, (data.from, data.to), to)?;
                self.dependency_done(chain)
            }
            EventPayload::TaskSubmitted(data) => self
                .moves(
                    &data.chain,
                    &data.task,
                    (data.from, data.to),
                    &[TaskStatus::InReview],
                )
                .map(drop),
            EventPayload::TaskApproved(data) => self
                .moves(
                    &data.chain,
                    &data.task,
                    (data.from, data.to),
                    &[TaskStatus::Done],
                )
                .map(drop),
            EventPayload::TaskChangesRequested(data) => {
                let in_review = data.from == TaskStatus::InReview;
                let to: &[TaskStatus] = if in_review {
                    &[TaskStatus::InProgress]
                } else {
                    &[]
                };
                let (_, task) = self.moves(&data.chain, &data.task, (data.from, data.to), to)?;
                needs_reason(reason)?;
                room_for_review(task.reviews.len())
            }
            EventPayload::TaskBlocked(data) => {
                self.moves(
                    &data.chain,
                    &data.task,
                    (data.from, data.to),
                    &[TaskStatus::Blocked],
                )?;
                needs_reason(reason)
            }
            EventPayload::TaskUnblocked(data) => {
                let blocked = data.from == TaskStatus::Blocked;
                let to: &[TaskStatus] = if blocked {
                    &[TaskStatus::Todo, TaskStatus::Backlog]
                } else {
                    &[]
                };
                self.moves(&data.chain, &data.task, (data.from, data.to), to)
                    .map(drop)
            }
            EventPayload::FeedbackCreated(data) => self.may_ask(data),
            EventPayload::FeedbackAcknowledged(data) => {
                let feedback = self
                    .open_workflow(&data.workflow)?
                    .feedback(&data.feedback)?;
                match feedback.status {
                    FeedbackStatus::Pending => Ok(()),
                    from => Err(WorkflowFault::Transition {
                        what: "feedback",
                        id: feedback.id.clone(),
                        from: from.as_str(),
                        to: FeedbackStatus::Acknowledged.as_str(),
                        allowed: if from.is_open() {
                            "resolved, dismissed"
                        } else {
                            "none"
                        }
                        .to_owned(),
                        next: "answer it with `feedback:respond`",
                    }),
                }
            }
            EventPayload::FeedbackAnswered(data) => {
                let feedback = self
                    .open_workflow(&data.workflow)?
                    .feedback(&data.feedback)?;
                feedback.open(FeedbackStatus::Resolved)
            }
            EventPayload::FeedbackDismissed(data) => {
                let feedback = self
                    .open_workflow(&data.workflow)?
                    .feedback(&data.feedback)?;
                feedback.open(FeedbackStatus::Dismissed)?;
                needs_reason(reason)
            }
            EventPayload::WorkflowStarted(data) => self.may_start(data),
            EventPayload::WorkflowAdvanced(data) => {
                let workflow = self.may_leave(&data.workflow, data.from)?;
                match data.to == data.from + 1 && data.to < workflow.stages.len() {
                    true => Ok(()),
                    false => Err(wrong_stage(workflow, data.to)),
                }
            }
            EventPayload::WorkflowCompleted(data) => {
                let last = self.workflow(&data.workflow)?.stages.len() - 1;
                if data.imported {
                    return self.open_workflow(&data.workflow).map(drop);
                }
                self.may_leave(&data.workflow, last).map(drop)
            }
            EventPayload::WorkflowPaused(data) => {
                let workflow = self.open_workflow(&data.workflow)?;
                needs_reason(reason)?;
                match &workflow.paused {
                    None => Ok(()),
                    Some(reason) => Err(WorkflowFault::Paused {
                        workflow: workflow.id.clone(),
                        reason: reason.clone(),
                    }),
                }
            }
            EventPayload::WorkflowResumed(data) => {
                let workflow = self.open_workflow(&data.workflow)?;
                match workflow.paused {
                    Some(_) => Ok(()),
                    None => Err(workflow.running().err().unwrap_or_else(|| {
                        WorkflowFault::first(
                            format!("the workflow `{}` is not paused", workflow.id),
                            "advance it with `workflow:advance`",
                        )
                    })),
                }
            }
            EventPayload::WorkflowDiscarded(data) => {
                self.open_workflow(&data.workflow)?;
                needs_reason(reason)
            }
            EventPayload::GateOpened(data) => {
                let workflow = self.at_stage(&data.workflow, data.stage)?;
                let gate = &workflow.stages[data.stage].gate;
                let state = &workflow.gates[data.stage];
                match gate.kind == GateKind::HumanApproval
                    && !state.announced
                    && state.satisfied.is_none()
                {
                    true => Ok(()),
                    false => Err(workflow.needs_no_request()),
                }
            }
            EventPayload::GateSatisfied(data) => self.may_satisfy(data),
            EventPayload::LockAcquired(data) => self.may_lock(data, event.time),
            EventPayload::LockReleased(data) => match self.locks.get(&data.chain) {
                Some(_) => Ok(()),
                None => Err(WorkflowFault::unknown(
                    "lock",
                    &data.chain,
                    self.locks.keys().map(String::as_str),
                )),
            },
            EventPayload::AgentSpawned(data) => {
                check_fresh_id("agent", &data.agent, self.agents.contains_key(&data.agent))?;
                let depth = match &data.parent {
                    None => 0,
                    Some(parent) => self.live_agent(parent)?.depth + 1,
                };
                at_most(
                    "agents below each other",
                    depth as usize,
                    limits::AGENT_DEPTH_MAX as usize,
                )
            }
            EventPayload::AgentEnded(data) => self.live_agent(&data.agent).map(drop),
        }
    }
}

pub(super) fn check_fresh_id(
    what: &'static str,
    id: &str,
    taken: bool,
) -> Result<(), WorkflowFault> {
    match (is_id(id), taken) {
        (false, _) => Err(WorkflowFault::invalid(
            "id",
            "letters, digits, `.`, `_` and `-`, at most 100 bytes",
            id,
        )),
        (_, true) => Err(WorkflowFault::Exists {
            what,
            id: id.to_owned(),
        }),
        _ => Ok(()),
    }
}

pub(super) fn needs_reason(reason: Option<&str>) -> Result<(), WorkflowFault> {
    match reason.is_some_and(|reason| !reason.trim().is_empty()) {
        true => Ok(()),
        false => Err(WorkflowFault::Missing { field: "reason" }),
    }
}

pub(super) fn at_most(what: &'static str, count: usize, max: usize) -> Result<(), WorkflowFault> {
    match count > max {
        true => Err(WorkflowFault::TooMany { what, count, max }),
        false => Ok(()),
    }
}

/// One more review.
pub(super) fn room_for_review(reviews: usize) -> Result<(), WorkflowFault> {
    at_most("reviews of one item", reviews + 1, limits::REVIEWS_MAX)
}

pub(super) fn already_approved_fault(what: &'static str, id: &str) -> WorkflowFault {
    WorkflowFault::first(
        format!("the {what} `{id}` is approved"),
        format!("request changes with `{what}:request_changes` first"),
    )
}
