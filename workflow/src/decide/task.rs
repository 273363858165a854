//! Transitions of tasks.

use super::{accept_event, args, not_own, text};
use crate::actor::DecisionContext;
use crate::event::{
    Brief, TaskApproved, TaskBlocked, TaskChangesRequested, TaskCreated, TaskReadied, TaskStarted,
    TaskSubmitted, TaskUnblocked, WorkflowEvent,
};
use crate::fault::WorkflowFault;
use crate::governance::PathGlob;
use crate::ids;
use crate::names::{TaskKind, TaskStatus};
use crate::state::{ChainTask, WorkflowState};

args! {
    /// Add a task to a chain.
    TaskCreate {
        /// Id of the chain, such as `CHAIN-001-parser`.
        chain_id: String,
        /// Title of the task: one line, at most 200 bytes.
        title: String,
        /// Kind of the task; `impl` where absent.
        r#type: Option<TaskKind>,
        /// Whether it can be started at once (`todo`); `false` where absent (`backlog`).
        ready: Option<bool>,
        /// What is to be reached, as Markdown.
        objective: Option<String>,
        /// Files that will be touched.
        expected_files: Option<Vec<String>>,
        /// Patterns of files that may be changed.
        file_scope: Option<Vec<String>>,
        /// Conditions of acceptance.
        acceptance: Option<Vec<String>>,
        /// Constraints.
        constraints: Option<Vec<String>>,
        /// Notes, as Markdown.
        notes: Option<String>,
        /// Id of a task of the chain that this one repeats.
        rework_of: Option<String>,
    }

    /// Make a task ready: from `backlog`, or back from `in-progress`.
    TaskReady {
        /// Id of the chain.
        chain_id: String,
        /// Id of the task.
        task_id: String,
    }

    /// Start a task that is ready.
    TaskStart {
        /// Id of the chain.
        chain_id: String,
        /// Id of the task.
        task_id: String,
    }

    /// Submit a task in progress for review.
    TaskSubmit {
        /// Id of the chain.
        chain_id: String,
        /// Id of the task.
        task_id: String,
        /// What was done, as Markdown; kept with the task.
        summary: Option<String>,
    }

    /// Approve a submitted task; never one that one ever submitted.
    TaskApprove {
        /// Id of the chain.
        chain_id: String,
        /// Id of the task.
        task_id: String,
    }

    /// Send a submitted task back.
    TaskRequestChanges {
        /// Id of the chain.
        chain_id: String,
        /// Id of the task.
        task_id: String,
        /// What is wrong.
        reason: String,
        /// Single suggestions.
        suggestions: Option<Vec<String>>,
    }

    /// Mark a task as blocked.
    TaskBlock {
        /// Id of the chain.
        chain_id: String,
        /// Id of the task.
        task_id: String,
        /// What blocks it.
        reason: String,
    }

    /// Unblock a task.
    TaskUnblock {
        /// Id of the chain.
        chain_id: String,
        /// Id of the task.
        task_id: String,
        /// Its new status, `todo` or `backlog`; `todo` where absent.
        to: Option<TaskStatus>,
        /// What changed.
        reason: Option<String>,
    }
}

/// `task:create`
///
/// # Errors
/// Unknown or approved chain, closed request, missing title, a limit.
pub fn create_task(
    state: &WorkflowState,
    context: &DecisionContext<'_>,
    args: &TaskCreate,
) -> Result<WorkflowEvent, WorkflowFault> {
    let chain = state.chain(&args.chain_id)?;
    let title = text::check_title("title", &args.title)?;
    let file_scope = text::check_text_list("fileScope", args.file_scope.as_deref())?;
    for pattern in &file_scope {
        PathGlob::parse(pattern)
            .map_err(|message| WorkflowFault::invalid("fileScope", message, pattern))?;
    }
    if let Some(task) = &args.rework_of {
        chain.task(task)?;
    }
    let data = TaskCreated {
        chain: chain.id.clone(),
        task: ids::task_id(
            chain.task_counter.saturating_add(1),
            context.checkout,
            &ids::title_slug(&title),
        ),
        title,
        kind: args.r#type.unwrap_or_default(),
        status: if args.ready == Some(true) {
            TaskStatus::Todo
        } else {
            TaskStatus::Backlog
        },
        brief: Brief {
            objective: text::check_body("objective", args.objective.as_deref())?,
            expected_files: text::check_text_list("expectedFiles", args.expected_files.as_deref())?,
            file_scope,
            acceptance: text::check_text_list("acceptance", args.acceptance.as_deref())?,
            constraints: text::check_text_list("constraints", args.constraints.as_deref())?,
            notes: text::check_body("notes", args.notes.as_deref())?,
        },
        rework_of: args.rework_of.clone(),
        rework_count: 0,
    };
    accept_event(state, context, None, data)
}

/// `task:ready`
///
/// # Errors
/// Unknown task, a status that forbids it, a paused workflow.
pub fn ready_task(
    state: &WorkflowState,
    context: &DecisionContext<'_>,
    args: &TaskReady,
) -> Result<WorkflowEvent, WorkflowFault> {
    let task = find_task(state, &args.chain_id, &args.task_id, TaskStatus::Todo)?;
    if task.status == TaskStatus::Blocked {
        return Err(task.stuck(TaskStatus::Todo));
    }
    let (chain, task, from) = (args.chain_id.clone(), args.task_id.clone(), task.status);
    accept_event(
        state,
        context,
        None,
        TaskReadied {
            chain,
            task,
            from,
            to: TaskStatus::Todo,
        },
    )
}

/// `task:start`
///
/// # Errors
/// Unknown task, a status other than `todo`, a chain it depends on that is not done, a paused workflow.
pub fn start_task(
    state: &WorkflowState,
    context: &DecisionContext<'_>,
    args: &TaskStart,
) -> Result<WorkflowEvent, WorkflowFault> {
    let from = find_task(state, &args.chain_id, &args.task_id, TaskStatus::InProgress)?.status;
    let (chain, task) = (args.chain_id.clone(), args.task_id.clone());
    accept_event(
        state,
        context,
        None,
        TaskStarted {
            chain,
            task,
            from,
            to: TaskStatus::InProgress,
        },
    )
}

/// `task:submit`, also as `task:complete`
///
/// # Errors
/// Unknown task, a status other than `in-progress`, a summary that is too long, a paused workflow.
pub fn submit_task(
    state: &WorkflowState,
    context: &DecisionContext<'_>,
    args: &TaskSubmit,
) -> Result<WorkflowEvent, WorkflowFault> {
    let from = find_task(state, &args.chain_id, &args.task_id, TaskStatus::InReview)?.status;
    let summary = text::check_body("summary", args.summary.as_deref())?;
    let data = TaskSubmitted {
        chain: args.chain_id.clone(),
        task: args.task_id.clone(),
        from,
        to: TaskStatus::InReview,
        summary: Some(summary).filter(|summary| !summary.trim().is_empty()),
    };
    accept_event(state, context, None, data)
}

/// `task:approve`
///
/// # Errors
/// Unknown task, a status other than `in-review`, one's own submission, a paused workflow.
pub fn approve_task(
    state: &WorkflowState,
    context: &DecisionContext<'_>,
    args: &TaskApprove,
) -> Result<WorkflowEvent, WorkflowFault> {
    let task = find_task(state, &args.chain_id, &args.task_id, TaskStatus::Done)?;
    let data = TaskApproved {
        chain: args.chain_id.clone(),
        task: args.task_id.clone(),
        from: task.status,
        to: TaskStatus::Done,
    };
    let event = accept_event(state, context, None, data)?;
    not_own(context, &task.submitters, "approve", "task", &task.id)?;
    Ok(event)
}

/// `task:request_changes`
///
/// # Errors
/// Unknown task, a status other than `in-review`, no reason, a paused workflow.
pub fn request_task_changes(
    state: &WorkflowState,
    context: &DecisionContext<'_>,
    args: &TaskRequestChanges,
) -> Result<WorkflowEvent, WorkflowFault> {
    let from = find_task(state, &args.chain_id, &args.task_id, TaskStatus::InProgress)?.status;
    let data = TaskChangesRequested {
        chain: args.chain_id.clone(),
        task: args.task_id.clone(),
        from,
        to: TaskStatus::InProgress,
        suggestions: text::check_text_list("suggestions", args.suggestions.as_deref())?,
    };
    accept_event(state, context, text::require_reason(&args.reason)?, data)
}

/// `task:block`
///
/// # Errors
/// Unknown task, a final or blocked one, no reason, a paused workflow.
pub fn block_task(
    state: &WorkflowState,
    context: &DecisionContext<'_>,
    args: &TaskBlock,
) -> Result<WorkflowEvent, WorkflowFault> {
    let from = find_task(state, &args.chain_id, &args.task_id, TaskStatus::Blocked)?.status;
    let (chain, task) = (args.chain_id.clone(), args.task_id.clone());
    let data = TaskBlocked {
        chain,
        task,
        from,
        to: TaskStatus::Blocked,
    };
    accept_event(state, context, text::require_reason(&args.reason)?, data)
}

/// `task:unblock`
///
/// # Errors
/// Unknown task, one that is not blocked, another status than `todo` or `backlog`, a paused workflow.
pub fn unblock_task(
    state: &WorkflowState,
    context: &DecisionContext<'_>,
    args: &TaskUnblock,
) -> Result<WorkflowEvent, WorkflowFault> {
    let to = args.to.unwrap_or(TaskStatus::Todo);
    let from = find_task(state, &args.chain_id, &args.task_id, to)?.status;
    let (chain, task) = (args.chain_id.clone(), args.task_id.clone());
    let reason = text::optional_reason(args.reason.as_deref())?;
    accept_event(
        state,
        context,
        reason,
        TaskUnblocked {
            chain,
            task,
            from,
            to,
        },
    )
}

/// The task, if its status may be followed by another.
fn find_task<'a>(
    state: &'a WorkflowState,
    chain: &str,
    task: &str,
    to: TaskStatus,
) -> Result<&'a ChainTask, WorkflowFault> {
    let task = state.task(chain, task)?;
    match task.status.allowed().contains(&to) {
        true => Ok(task),
        false => Err(task.stuck(to)),
    }
}
