//! What requests, chains and tasks permit.

use super::{already_approved_fault, at_most};
use crate::fault::WorkflowFault;
use crate::limits;
use crate::names::{ChainStatus, TaskStatus, join_names};
use crate::state::{ChainTask, TaskChain, WorkflowInstance, WorkflowState};

impl WorkflowState {
    pub(super) fn may_approve_request(&self, id: &str) -> Result<(), WorkflowFault> {
        let request = self.open_request(id)?;
        if request.is_approved() {
            return Err(already_approved_fault("request", id));
        }
        let chains: Vec<&TaskChain> = self.chains_of(id).collect();
        if chains.is_empty() {
            return Err(WorkflowFault::first(
                format!("the request `{id}` has no chains"),
                "create one with `chain:create`",
            ));
        }
        let open: Vec<String> = chains
            .iter()
            .filter(|chain| !chain.is_approved())
            .map(|chain| format!("`{}` ({})", chain.id, chain.status()))
            .collect();
        match open.is_empty() {
            true => Ok(()),
            false => Err(WorkflowFault::first(
                format!(
                    "every chain must be approved before the request `{id}`; not approved: {}",
                    open.join(", ")
                ),
                "approve them with `chain:approve`",
            )),
        }
    }

    pub(super) fn no_open_workflow(&self, request: &str) -> Result<(), WorkflowFault> {
        let open = |workflow: &&WorkflowInstance| {
            let serves = workflow.request.as_deref() == Some(request);
            let one = workflow
                .chain
                .as_ref()
                .and_then(|chain| self.chains.get(chain));
            workflow.ended.is_none()
                && (serves || one.is_some_and(|chain| chain.request == request))
        };
        match self.workflows.values().find(open) {
            None => Ok(()),
            Some(workflow) => Err(WorkflowFault::first(
                format!(
                    "the workflow `{}` of the request `{request}` is {}",
                    workflow.id,
                    workflow.status()
                ),
                "advance it to its end, or discard it with `workflow:discard`",
            )),
        }
    }

    pub(super) fn may_add_chain(&self, request: &str) -> Result<(), WorkflowFault> {
        match self.open_request(request)?.is_approved() {
            false => Ok(()),
            true => Err(already_approved_fault("request", request)),
        }
    }

    pub(super) fn may_review_chain(
        &self,
        id: &str,
        action: &'static str,
    ) -> Result<&TaskChain, WorkflowFault> {
        let chain = self.chain(id)?;
        self.open_request(&chain.request)?;
        if chain.status() != ChainStatus::Done {
            let undone = chain.undone();
            let message = match undone.is_empty() {
                true => format!("the chain `{id}` has no tasks"),
                false => format!(
                    "all tasks must be done to {action} the chain `{id}`; not done: {undone}"
                ),
            };
            return Err(WorkflowFault::first(
                message,
                "finish its tasks, or review them one by one with `task:request_changes`",
            ));
        }
        Ok(chain)
    }

    pub(super) fn may_add_task(&self, chain: &str) -> Result<&TaskChain, WorkflowFault> {
        let chain = self.chain(chain)?;
        self.open_request(&chain.request)?;
        if chain.is_approved() {
            return Err(already_approved_fault("chain", &chain.id));
        }
        at_most(
            "tasks in one chain",
            chain.tasks.len() + 1,
            limits::TASKS_MAX,
        )?;
        Ok(chain)
    }

    /// Whether a task may move: nothing holds it, it has the status that the event says, and the statuses may follow each other.
    pub(super) fn moves(
        &self,
        chain: &str,
        task: &str,
        (from, to): (TaskStatus, TaskStatus),
        wanted: &[TaskStatus],
    ) -> Result<(&TaskChain, &ChainTask), WorkflowFault> {
        let chain = self.chain(chain)?;
        let task = chain.task(task)?;
        let allowed = task.status.allowed();
        if task.status != from || !allowed.contains(&to) || !wanted.contains(&to) {
            return Err(task.stuck(to));
        }
        self.free(chain)?;
        Ok((chain, task))
    }

    pub(super) fn dependency_done(&self, chain: &TaskChain) -> Result<(), WorkflowFault> {
        let Some(before) = chain.depends_on.as_ref().and_then(|id| self.chains.get(id)) else {
            return Ok(());
        };
        match before.status() {
            ChainStatus::Done => Ok(()),
            status => Err(WorkflowFault::first(
                format!(
                    "the chain `{}` depends on `{}`, which is {status}",
                    chain.id, before.id
                ),
                format!("finish the tasks of `{}` first", before.id),
            )),
        }
    }
}

impl ChainTask {
    /// The fault of a move that its status forbids.
    pub(crate) fn stuck(&self, to: TaskStatus) -> WorkflowFault {
        let allowed = self.status.allowed();
        WorkflowFault::Transition {
            what: "task",
            id: self.id.clone(),
            from: self.status.as_str(),
            to: to.as_str(),
            allowed: if allowed.is_empty() {
                "none".to_owned()
            } else {
                join_names(allowed)
            },
            next: match self.status {
                TaskStatus::Backlog => "make it ready with `task:ready`, then start it",
                TaskStatus::Todo => "start it with `task:start`",
                TaskStatus::InProgress => "submit it with `task:submit`",
                TaskStatus::InReview => "review it with `task:approve` or `task:request_changes`",
                TaskStatus::Blocked => "unblock it with `task:unblock`",
                TaskStatus::Done => {
                    "a task that is done stays so; create another with `task:create`"
                }
            },
        }
    }
}
