//! [`TaskMove`]: a task goes from one status to another.

use super::{ChainTask, TaskChain, WorkflowState};
use crate::actor::EventOrigin;
use crate::commands::transition::{ItemPhase, has_transition, next_task_statuses};
use crate::fault::WorkflowFault;
use crate::names::{TaskStatus, join_names};

/// The move of a task that an event says.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TaskMove<'a> {
    /// Its chain.
    pub(crate) chain: &'a str,
    /// The task.
    pub(crate) task: &'a str,
    /// Its status before.
    pub(crate) from: TaskStatus,
    /// Its status after.
    pub(crate) to: TaskStatus,
}

/// A task that may move, with its chain.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MovableTask<'a> {
    pub(crate) chain: &'a TaskChain,
    pub(crate) task: &'a ChainTask,
}

/// Defines an event that moves a task: its fields that are left out where they have their default value follow those of the move.
macro_rules! define_task_event {
    ($(#[$doc:meta])* $name:ident = $kind:literal { $($optional:tt)* }) => {
        crate::event::data::define_event! {
            $(#[$doc])*
            $name = $kind {
                /// Its chain.
                chain: String,
                /// The task.
                task: String,
                /// Its status before.
                from: crate::names::TaskStatus,
                /// Its status now.
                to: crate::names::TaskStatus;
                $($optional)*
            }
        }

        impl $name {
            fn step(&self) -> crate::state::task_move::TaskMove<'_> {
                crate::state::task_move::TaskMove {
                    chain: &self.chain,
                    task: &self.task,
                    from: self.from,
                    to: self.to,
                }
            }
        }
    };
}
pub(crate) use define_task_event;

impl WorkflowState {
    /// The task, if some command leads from its status to another.
    ///
    /// # Errors
    /// Unknown chain or task; a status that is followed by others.
    pub(crate) fn task_before(
        &self,
        chain: &str,
        task: &str,
        to: TaskStatus,
    ) -> Result<&ChainTask, WorkflowFault> {
        let task = self.task(chain, task)?;
        if next_task_statuses(task.status).contains(&to) {
            Ok(task)
        } else {
            Err(task.stuck(to))
        }
    }

    /// Whether a task may move: it has the status that the event says, the table has the transition, and nothing holds the task.
    ///
    /// # Errors
    /// Unknown chain or task, another status, a paused workflow.
    pub(crate) fn check_task_move(
        &self,
        step: TaskMove<'_>,
        command: &str,
    ) -> Result<MovableTask<'_>, WorkflowFault> {
        let chain = self.chain(step.chain)?;
        let task = chain.task(step.task)?;
        let (from, to) = (ItemPhase::Task(step.from), ItemPhase::Task(step.to));
        if task.status != step.from || !has_transition(from, command, to) {
            return Err(task.stuck(step.to));
        }
        self.free(chain)?;
        Ok(MovableTask { chain, task })
    }

    /// Moves a task, and changes the rest of it.
    pub(crate) fn move_task(
        &mut self,
        origin: EventOrigin<'_>,
        step: TaskMove<'_>,
        change: impl FnOnce(&mut ChainTask),
    ) {
        self.on_chain(origin, step.chain, |chain| {
            if let Some(task) = chain.tasks.iter_mut().find(|task| task.id == step.task) {
                task.status = step.to;
                task.updated = origin.time;
                if step.to != TaskStatus::Blocked {
                    task.blocked = None;
                }
                change(task);
            }
        });
    }
}

impl ChainTask {
    /// The fault of a move that its status forbids.
    pub(crate) fn stuck(&self, to: TaskStatus) -> WorkflowFault {
        let allowed = next_task_statuses(self.status);
        WorkflowFault::Transition {
            what: "task",
            id: self.id.clone(),
            from: self.status.as_str(),
            to: to.as_str(),
            allowed: if allowed.is_empty() {
                "none".to_owned()
            } else {
                join_names(&allowed)
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
