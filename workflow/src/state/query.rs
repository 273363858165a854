//! What the state answers: statuses that are derived, the next task, what holds a task.

use std::collections::BTreeMap;

use super::{
    ChainLock, ChainTask, StartedAgent, TaskChain, WorkRequest, WorkReview, WorkflowInstance,
    WorkflowState,
};
use crate::actor::EventTime;
use crate::fault::WorkflowFault;
use crate::names::{ChainStatus, RequestStatus, TaskStatus, Verdict};

impl WorkflowState {
    /// The number of the last event; 0 before the first.
    pub fn seq(&self) -> u64 {
        self.seq
    }

    /// Requests by id.
    pub fn requests(&self) -> &BTreeMap<String, WorkRequest> {
        &self.requests
    }

    /// Chains by id.
    pub fn chains(&self) -> &BTreeMap<String, TaskChain> {
        &self.chains
    }

    /// Workflows by id.
    pub fn workflows(&self) -> &BTreeMap<String, WorkflowInstance> {
        &self.workflows
    }

    /// Locks by chain, also those that have expired.
    pub fn locks(&self) -> &BTreeMap<String, ChainLock> {
        &self.locks
    }

    /// Agents by id.
    pub fn agents(&self) -> &BTreeMap<String, StartedAgent> {
        &self.agents
    }

    /// The request with an id.
    ///
    /// # Errors
    /// There is none; the fault names the nearest id.
    pub fn request(&self, id: &str) -> Result<&WorkRequest, WorkflowFault> {
        let known = || self.requests.keys().map(String::as_str);
        self.requests
            .get(id)
            .ok_or_else(|| WorkflowFault::unknown("request", id, known()))
    }

    /// The chain with an id.
    ///
    /// # Errors
    /// There is none; the fault names the nearest id.
    pub fn chain(&self, id: &str) -> Result<&TaskChain, WorkflowFault> {
        let known = || self.chains.keys().map(String::as_str);
        self.chains
            .get(id)
            .ok_or_else(|| WorkflowFault::unknown("chain", id, known()))
    }

    /// The task with an id in the chain with an id.
    ///
    /// # Errors
    /// There is no such chain or task; the fault names the nearest id.
    pub fn task(&self, chain: &str, task: &str) -> Result<&ChainTask, WorkflowFault> {
        self.chain(chain)?.task(task)
    }

    /// The workflow with an id.
    ///
    /// # Errors
    /// There is none; the fault names the nearest id.
    pub fn workflow(&self, id: &str) -> Result<&WorkflowInstance, WorkflowFault> {
        let known = || self.workflows.keys().map(String::as_str);
        self.workflows
            .get(id)
            .ok_or_else(|| WorkflowFault::unknown("workflow", id, known()))
    }

    /// The chains of a request.
    pub fn chains_of<'a>(&'a self, request: &'a str) -> impl Iterator<Item = &'a TaskChain> {
        self.chains
            .values()
            .filter(move |chain| chain.request == request)
    }

    /// The chains that a workflow is about: its one chain, else those of its request.
    pub fn chains_in<'a>(
        &'a self,
        workflow: &'a WorkflowInstance,
    ) -> impl Iterator<Item = &'a TaskChain> {
        self.chains
            .values()
            .filter(move |chain| workflow.is_about(chain))
    }

    /// The status of a request: `done` when it is closed; else by its chains.
    pub fn request_status(&self, request: &WorkRequest) -> RequestStatus {
        if request.closed.is_some() {
            return RequestStatus::Done;
        }
        let mut statuses = self
            .chains_of(&request.id)
            .map(TaskChain::status)
            .peekable();
        if statuses.peek().is_none() {
            return request.initial;
        }
        match statuses.all(|status| matches!(status, ChainStatus::Backlog | ChainStatus::Todo)) {
            true => RequestStatus::Todo,
            false => RequestStatus::Doing,
        }
    }

    /// Whether nothing holds the tasks of a chain: no workflow about it is paused, and its request is open.
    ///
    /// # Errors
    /// What holds them.
    pub fn free(&self, chain: &TaskChain) -> Result<(), WorkflowFault> {
        self.open_request(&chain.request)?;
        for workflow in self
            .workflows
            .values()
            .filter(|workflow| workflow.is_about(chain))
        {
            workflow.running()?;
        }
        Ok(())
    }

    /// The request of an id, which must not be closed.
    pub(crate) fn open_request(&self, id: &str) -> Result<&WorkRequest, WorkflowFault> {
        let request = self.request(id)?;
        match &request.closed {
            None => Ok(request),
            Some(closed) => Err(WorkflowFault::first(
                format!("the request `{id}` is closed ({})", closed.outcome),
                "create a new request with `request:create`",
            )),
        }
    }

    /// The locks that hold at a time.
    pub fn locks_at(&self, now: EventTime) -> impl Iterator<Item = &ChainLock> {
        self.locks.values().filter(move |lock| lock.expires > now)
    }
}

/// The last decision, if it approves.
fn is_approved(reviews: &[WorkReview]) -> bool {
    reviews
        .last()
        .is_some_and(|review| review.verdict == Verdict::Approved)
}

impl WorkRequest {
    /// Whether its work is approved.
    pub fn is_approved(&self) -> bool {
        is_approved(&self.reviews)
    }
}

impl TaskChain {
    /// Whether its work is approved.
    pub fn is_approved(&self) -> bool {
        is_approved(&self.reviews)
    }

    /// The task with an id.
    ///
    /// # Errors
    /// There is none; the fault names the nearest id.
    pub fn task(&self, id: &str) -> Result<&ChainTask, WorkflowFault> {
        let found = self.tasks.iter().find(|task| task.id == id);
        found.ok_or_else(|| {
            WorkflowFault::unknown("task", id, self.tasks.iter().map(|task| task.id.as_str()))
        })
    }

    /// Its status, by the first that applies: no task is `backlog`; one blocked; one in progress; one in review; all done; one
    /// todo; else `backlog`.
    pub fn status(&self) -> ChainStatus {
        let any = |status| self.tasks.iter().any(|task| task.status == status);
        if self.tasks.is_empty() {
            ChainStatus::Backlog
        } else if any(TaskStatus::Blocked) {
            ChainStatus::Blocked
        } else if any(TaskStatus::InProgress) {
            ChainStatus::InProgress
        } else if any(TaskStatus::InReview) {
            ChainStatus::InReview
        } else if self.done() == self.tasks.len() {
            ChainStatus::Done
        } else if any(TaskStatus::Todo) {
            ChainStatus::Todo
        } else {
            ChainStatus::Backlog
        }
    }

    /// Number of tasks that are done.
    pub fn done(&self) -> usize {
        let done = self
            .tasks
            .iter()
            .filter(|task| task.status == TaskStatus::Done);
        done.count()
    }

    /// Share of its tasks that are done, in whole percent rounded down; 0 without tasks.
    pub fn progress(&self) -> u8 {
        let percent = self.done() * 100 / self.tasks.len().max(1);
        u8::try_from(percent).unwrap_or(100)
    }

    /// The task to work on: the first in progress, else the first that is ready.
    pub fn next_task(&self) -> Option<&ChainTask> {
        let first = |status| self.tasks.iter().find(|task| task.status == status);
        first(TaskStatus::InProgress).or_else(|| first(TaskStatus::Todo))
    }

    /// Tasks that are not done, for a message.
    pub(crate) fn undone(&self) -> String {
        let undone = self
            .tasks
            .iter()
            .filter(|task| task.status != TaskStatus::Done);
        let mut names: Vec<String> = undone
            .map(|task| format!("`{}` ({})", task.id, task.status))
            .collect();
        let more = names.len().saturating_sub(10);
        names.truncate(10);
        if more > 0 {
            names.push(format!("and {more} more"));
        }
        names.join(", ")
    }
}
