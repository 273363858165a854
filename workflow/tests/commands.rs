//! Commands by the name of their tool, with arguments as JSON.

use tool_core::convert::from_value;
use tool_core::{Decode, Value};
use workflow::decide::{self, Command};
use workflow::{Fault, Template};

/// The command of a tool, by its id or alias, with its arguments; `template` gives the templates by name.
pub(crate) fn read(
    tool: &str,
    args: &Value,
    template: impl Fn(&str) -> Result<Template, Fault>,
) -> Result<Command, Fault> {
    let id = registry::ToolAliases::built_in()
        .resolve(tool)
        .unwrap_or(tool);
    Ok(match id {
        "task:create" => Command::TaskCreate(arguments(args)?),
        "task:ready" => Command::TaskReady(arguments(args)?),
        "task:start" => Command::TaskStart(arguments(args)?),
        "task:submit" => Command::TaskSubmit(arguments(args)?),
        "task:approve" => Command::TaskApprove(arguments(args)?),
        "task:request_changes" => Command::TaskRequestChanges(arguments(args)?),
        "task:block" => Command::TaskBlock(arguments(args)?),
        "task:unblock" => Command::TaskUnblock(arguments(args)?),
        "chain:create" => Command::ChainCreate(arguments(args)?),
        "chain:approve" => Command::ChainApprove(arguments(args)?),
        "chain:request_changes" => Command::ChainRequestChanges(arguments(args)?),
        "request:create" => Command::RequestCreate(arguments(args)?),
        "request:approve" => Command::RequestApprove(arguments(args)?),
        "request:request_changes" => Command::RequestRequestChanges(arguments(args)?),
        "request:close" => Command::RequestClose(arguments(args)?),
        "feedback:create" => Command::FeedbackCreate(arguments(args)?),
        "feedback:acknowledge" => Command::FeedbackAcknowledge(arguments(args)?),
        "feedback:respond" => Command::FeedbackRespond(arguments(args)?),
        "feedback:dismiss" => Command::FeedbackDismiss(arguments(args)?),
        "workflow:start" => {
            let args: decide::WorkflowStart = arguments(args)?;
            let template = template(&args.template)?;
            Command::WorkflowStart(args, template)
        }
        "workflow:advance" => Command::WorkflowAdvance(arguments(args)?),
        "workflow:pause" => Command::WorkflowPause(arguments(args)?),
        "workflow:resume" => Command::WorkflowResume(arguments(args)?),
        "workflow:discard" => Command::WorkflowDiscard(arguments(args)?),
        "request_approval" => Command::RequestApproval(arguments(args)?),
        "gate:satisfy" => Command::GateSatisfy(arguments(args)?),
        "lock:acquire" => Command::LockAcquire(arguments(args)?),
        "lock:release" => Command::LockRelease(arguments(args)?),
        _ => panic!("no command `{tool}`"),
    })
}

fn arguments<T: Decode>(args: &Value) -> Result<T, Fault> {
    from_value(args).map_err(|problem| Fault::Malformed {
        path: if problem.path.is_empty() {
            "arguments".to_owned()
        } else {
            problem.path
        },
        message: problem.message,
    })
}
