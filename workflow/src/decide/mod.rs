//! Commands: one function for each transition. Each validates everything before anything is written, and returns the events to
//! write; a refused command returns none. Nothing here changes the state: that is [`WorkflowState::apply`].
//!
//! The arguments are those of the tools, in their spelling. [`ItemCommand`] is all of them as one value.

mod chain;
mod feedback;
mod gate;
mod lock;
mod request;
mod task;
mod text;
mod workflow;

pub use chain::{
    ChainApprove, ChainCreate, ChainRequestChanges, approve_chain, create_chain,
    request_chain_changes,
};
pub use feedback::{
    ContextArgs, FeedbackAcknowledge, FeedbackCreate, FeedbackDismiss, FeedbackRespond,
    acknowledge_feedback, create_feedback, dismiss_feedback, respond_to_feedback,
};
pub use gate::{GateSatisfy, RequestApproval, request_gate_approval, satisfy_gate};
pub use lock::{
    AgentSpawn, LockAcquire, LockRelease, acquire_lock, end_agent, release_lock, spawn_agent,
};
pub use request::{
    RequestApprove, RequestClose, RequestCreate, RequestRequestChanges, approve_request,
    close_request, create_request, request_request_changes,
};
pub use task::{
    TaskApprove, TaskBlock, TaskCreate, TaskReady, TaskRequestChanges, TaskStart, TaskSubmit,
    TaskUnblock, approve_task, block_task, create_task, ready_task, request_task_changes,
    start_task, submit_task, unblock_task,
};
pub use workflow::{
    WorkflowAdvance, WorkflowDiscard, WorkflowPause, WorkflowResume, WorkflowStart,
    advance_workflow, discard_workflow, pause_workflow, resume_workflow, start_workflow,
};

use crate::actor::DecisionContext;
use crate::event::{AgentEnded, EventPayload, WorkflowEvent};
use crate::fault::WorkflowFault;
use crate::state::WorkflowState;
use crate::template::WorkflowTemplate;

/// A command with its arguments; the name of its tool is beside each.
#[derive(Debug, Clone, PartialEq)]
pub enum ItemCommand {
    /// `task:create`
    TaskCreate(TaskCreate),
    /// `task:ready`
    TaskReady(TaskReady),
    /// `task:start`
    TaskStart(TaskStart),
    /// `task:submit`, also `task:complete`
    TaskSubmit(TaskSubmit),
    /// `task:approve`
    TaskApprove(TaskApprove),
    /// `task:request_changes`
    TaskRequestChanges(TaskRequestChanges),
    /// `task:block`
    TaskBlock(TaskBlock),
    /// `task:unblock`
    TaskUnblock(TaskUnblock),
    /// `chain:create`
    ChainCreate(ChainCreate),
    /// `chain:approve`
    ChainApprove(ChainApprove),
    /// `chain:request_changes`
    ChainRequestChanges(ChainRequestChanges),
    /// `request:create`
    RequestCreate(RequestCreate),
    /// `request:approve`
    RequestApprove(RequestApprove),
    /// `request:request_changes`
    RequestRequestChanges(RequestRequestChanges),
    /// `request:close`
    RequestClose(RequestClose),
    /// `feedback:create`
    FeedbackCreate(FeedbackCreate),
    /// `feedback:acknowledge`
    FeedbackAcknowledge(FeedbackAcknowledge),
    /// `feedback:respond`
    FeedbackRespond(FeedbackRespond),
    /// `feedback:dismiss`
    FeedbackDismiss(FeedbackDismiss),
    /// `workflow:start`, with the template that its argument names
    WorkflowStart(WorkflowStart, WorkflowTemplate),
    /// `workflow:advance`
    WorkflowAdvance(WorkflowAdvance),
    /// `workflow:pause`
    WorkflowPause(WorkflowPause),
    /// `workflow:resume`
    WorkflowResume(WorkflowResume),
    /// `workflow:discard`
    WorkflowDiscard(WorkflowDiscard),
    /// `request_approval`
    RequestApproval(RequestApproval),
    /// `gate:satisfy`
    GateSatisfy(GateSatisfy),
    /// `lock:acquire`
    LockAcquire(LockAcquire),
    /// `lock:release`
    LockRelease(LockRelease),
    /// `spawn_agent`, when the agent has been started
    AgentSpawn(AgentSpawn),
    /// The end of an agent
    AgentEnd(AgentEnded),
}

/// The events of a command: one, several in order for [`ItemCommand::WorkflowStart`] and [`ItemCommand::WorkflowAdvance`], none where the state is as wanted already.
///
/// # Errors
/// Why the command is refused.
pub fn decide_command(
    state: &WorkflowState,
    context: &DecisionContext<'_>,
    command: &ItemCommand,
) -> Result<Vec<WorkflowEvent>, WorkflowFault> {
    let one = |event: Result<WorkflowEvent, WorkflowFault>| event.map(|event| vec![event]);
    match command {
        ItemCommand::TaskCreate(args) => one(create_task(state, context, args)),
        ItemCommand::TaskReady(args) => one(ready_task(state, context, args)),
        ItemCommand::TaskStart(args) => one(start_task(state, context, args)),
        ItemCommand::TaskSubmit(args) => one(submit_task(state, context, args)),
        ItemCommand::TaskApprove(args) => one(approve_task(state, context, args)),
        ItemCommand::TaskRequestChanges(args) => one(request_task_changes(state, context, args)),
        ItemCommand::TaskBlock(args) => one(block_task(state, context, args)),
        ItemCommand::TaskUnblock(args) => one(unblock_task(state, context, args)),
        ItemCommand::ChainCreate(args) => one(create_chain(state, context, args)),
        ItemCommand::ChainApprove(args) => one(approve_chain(state, context, args)),
        ItemCommand::ChainRequestChanges(args) => one(request_chain_changes(state, context, args)),
        ItemCommand::RequestCreate(args) => one(create_request(state, context, args)),
        ItemCommand::RequestApprove(args) => one(approve_request(state, context, args)),
        ItemCommand::RequestRequestChanges(args) => {
            one(request_request_changes(state, context, args))
        }
        ItemCommand::RequestClose(args) => one(close_request(state, context, args)),
        ItemCommand::FeedbackCreate(args) => one(create_feedback(state, context, args)),
        ItemCommand::FeedbackAcknowledge(args) => one(acknowledge_feedback(state, context, args)),
        ItemCommand::FeedbackRespond(args) => one(respond_to_feedback(state, context, args)),
        ItemCommand::FeedbackDismiss(args) => {
            dismiss_feedback(state, context, args).map(|event| event.into_iter().collect())
        }
        ItemCommand::WorkflowStart(args, template) => {
            start_workflow(state, context, args, template)
        }
        ItemCommand::WorkflowAdvance(args) => advance_workflow(state, context, args),
        ItemCommand::WorkflowPause(args) => one(pause_workflow(state, context, args)),
        ItemCommand::WorkflowResume(args) => one(resume_workflow(state, context, args)),
        ItemCommand::WorkflowDiscard(args) => one(discard_workflow(state, context, args)),
        ItemCommand::RequestApproval(args) => one(request_gate_approval(state, context, args)),
        ItemCommand::GateSatisfy(args) => one(satisfy_gate(state, context, args)),
        ItemCommand::LockAcquire(args) => one(acquire_lock(state, context, args)),
        ItemCommand::LockRelease(args) => one(release_lock(state, context, args)),
        ItemCommand::AgentSpawn(args) => one(spawn_agent(state, context, args)),
        ItemCommand::AgentEnd(args) => one(end_agent(state, context, args)),
    }
}

/// The next event of a state, `offset` events ahead.
fn event_at(
    state: &WorkflowState,
    context: &DecisionContext<'_>,
    offset: u64,
    reason: Option<String>,
    data: EventPayload,
) -> WorkflowEvent {
    WorkflowEvent {
        seq: state.seq() + 1 + offset,
        time: context.now,
        actor: context.actor.clone(),
        reason,
        data,
    }
}

/// The event, if the state accepts it.
fn accept_event(
    state: &WorkflowState,
    context: &DecisionContext<'_>,
    reason: Option<String>,
    data: impl Into<EventPayload>,
) -> Result<WorkflowEvent, WorkflowFault> {
    let event = event_at(state, context, 0, reason, data.into());
    state.check(&event)?;
    Ok(event)
}

/// Refuses a decision about one's own work, in whatever role.
fn not_own<'a>(
    context: &DecisionContext<'_>,
    owners: impl IntoIterator<Item = &'a String>,
    action: &'static str,
    what: &'static str,
    id: &str,
) -> Result<(), WorkflowFault> {
    match owners
        .into_iter()
        .any(|owner| *owner == context.actor.principal)
    {
        false => Ok(()),
        true => Err(WorkflowFault::OwnWork {
            action,
            what,
            id: id.to_owned(),
            principal: context.actor.principal.clone(),
        }),
    }
}

/// Defines arguments of tools.
macro_rules! args {
    ($($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $field:ident: $type:ty),* $(,)? })+) => {$(
        #[derive(Debug, Clone, Default, PartialEq, tool_core::Encode, tool_core::Decode, tool_core::Describe)]
        #[value(deny_unknown_fields, rename_all = "camelCase")]
        $(#[$doc])*
        pub struct $name {
            $($(#[$field_doc])* pub $field: $type,)*
        }
    )+};
}
use args;
