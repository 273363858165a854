//! Commands by the name of their tool, with arguments as JSON.

use tool_core::convert::from_value;
use tool_core::{Decode, Value};
use workflow::decide::{self, ItemCommand};
use workflow::{WorkflowFault, WorkflowTemplate};

/// The command of a tool, by its id or alias, with its arguments; `template` gives the templates by name.
pub(crate) fn read(
    tool: &str,
    args: &Value,
    template: impl Fn(&str) -> Result<WorkflowTemplate, WorkflowFault>,
) -> Result<ItemCommand, WorkflowFault> {
    let id = registry::ToolAliases::built_in()
        .resolve(tool)
        .unwrap_or(tool);
    Ok(match id {
        "task:create" => ItemCommand::TaskCreate(arguments(args)?),
        "task:ready" => ItemCommand::TaskReady(arguments(args)?),
        "task:start" => ItemCommand::TaskStart(arguments(args)?),
        "task:submit" => ItemCommand::TaskSubmit(arguments(args)?),
        "task:approve" => ItemCommand::TaskApprove(arguments(args)?),
        "task:request_changes" => ItemCommand::TaskRequestChanges(arguments(args)?),
        "task:block" => ItemCommand::TaskBlock(arguments(args)?),
        "task:unblock" => ItemCommand::TaskUnblock(arguments(args)?),
        "chain:create" => ItemCommand::ChainCreate(arguments(args)?),
        "chain:approve" => ItemCommand::ChainApprove(arguments(args)?),
        "chain:request_changes" => ItemCommand::ChainRequestChanges(arguments(args)?),
        "request:create" => ItemCommand::RequestCreate(arguments(args)?),
        "request:approve" => ItemCommand::RequestApprove(arguments(args)?),
        "request:request_changes" => ItemCommand::RequestRequestChanges(arguments(args)?),
        "request:close" => ItemCommand::RequestClose(arguments(args)?),
        "feedback:create" => ItemCommand::FeedbackCreate(arguments(args)?),
        "feedback:acknowledge" => ItemCommand::FeedbackAcknowledge(arguments(args)?),
        "feedback:respond" => ItemCommand::FeedbackRespond(arguments(args)?),
        "feedback:dismiss" => ItemCommand::FeedbackDismiss(arguments(args)?),
        "workflow:start" => {
            let args: decide::WorkflowStart = arguments(args)?;
            let template = template(&args.template)?;
            ItemCommand::WorkflowStart(args, template)
        }
        "workflow:advance" => ItemCommand::WorkflowAdvance(arguments(args)?),
        "workflow:pause" => ItemCommand::WorkflowPause(arguments(args)?),
        "workflow:resume" => ItemCommand::WorkflowResume(arguments(args)?),
        "workflow:discard" => ItemCommand::WorkflowDiscard(arguments(args)?),
        "request_approval" => ItemCommand::RequestApproval(arguments(args)?),
        "gate:satisfy" => ItemCommand::GateSatisfy(arguments(args)?),
        "lock:acquire" => ItemCommand::LockAcquire(arguments(args)?),
        "lock:release" => ItemCommand::LockRelease(arguments(args)?),
        _ => panic!("no command `{tool}`"),
    })
}

fn arguments<T: Decode>(args: &Value) -> Result<T, WorkflowFault> {
    from_value(args).map_err(|problem| WorkflowFault::Malformed {
        path: if problem.path.is_empty() {
            "arguments".to_owned()
        } else {
            problem.path
        },
        message: problem.message,
    })
}
