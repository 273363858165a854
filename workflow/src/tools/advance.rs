//! `workflow:advance`: the next stage, after the commands of a verification.

use tool_core::{Ctx, JsonExample, Result, Spec, Tool, Value, object, tool_error};

use super::changes::{self, CommandItem, TransitionResult};
use super::log;
use crate::commands::command::CommandTool;
use crate::commands::{WorkflowAdvance, WorkflowAdvanceArgs};
use crate::decide::ItemCommand;
use crate::names::GateKind;
use crate::template::CommandResult;

/// The tool that runs the commands of a verification.
const SHELL: &str = "run_shell";
/// Longest run of one command, in seconds; the deadline of the call applies as well.
const TIMEOUT_S: u64 = 3600;
/// Characters that an error shows of what a command printed.
const SHOWN_CHARS: usize = 600;

impl Tool for WorkflowAdvanceArgs {
    const SPEC: Spec = <Self as CommandTool>::SPEC;
    type Output = TransitionResult;
    const EXAMPLES: &'static [JsonExample] = <Self as CommandTool>::EXAMPLES;

    fn run(args: Self, ctx: &Ctx) -> Result<TransitionResult> {
        let (stage, results) = verify_gate_commands(&args.workflow_id, ctx)?;
        let command = ItemCommand::WorkflowAdvance(WorkflowAdvance {
            workflow_id: args.workflow_id,
            results,
            stage: Some(stage),
        });
        changes::run_item_command(ctx, &command, &CommandItem::OfEvent)
    }
}

/// The end of what a command printed.
fn last_words(ran: &Value) -> String {
    let printed = |key: &str| ran.text(key).unwrap_or_default().trim().to_owned();
    let (said, printed) = (printed("stderr"), printed("stdout"));
    let text = if said.is_empty() { printed } else { said };
    let skipped = text.chars().count().saturating_sub(SHOWN_CHARS);
    match text.is_empty() {
        true => "it printed nothing".to_owned(),
        false => text.chars().skip(skipped).collect(),
    }
}

/// The current stage, and what its commands returned, where its gate wants any.
fn verify_gate_commands(workflow: &str, ctx: &Ctx) -> Result<(usize, Option<Vec<CommandResult>>)> {
    let state = log::current_state(ctx.events()?)?;
    let workflow = state.workflow(workflow)?;
    workflow.running()?;
    let number = workflow.stage;
    let Some(stage) = workflow.current() else {
        return Ok((number, None));
    };
    let is_satisfied = workflow.gates[workflow.stage].satisfied.is_some();
    if stage.gate.kind != GateKind::VerificationPass || is_satisfied {
        return Ok((number, None));
    }
    let calls = ctx.calls()?;
    let mut results = Vec::new();
    for (done, command) in stage.gate.commands.iter().enumerate() {
        let done = done as f64 / stage.gate.commands.len() as f64;
        ctx.progress(done, || command.clone());
        let args = object! { "command" => command.as_str(), "timeout" => TIMEOUT_S };
        let ran = calls.call(SHELL, &args, ctx.stop())?;
        let code = ran.get("returncode").and_then(Value::as_f64);
        let code = code
            .ok_or_else(|| tool_error!(ToolError, "`{SHELL}` did not say how `{command}` ended"))?;
        if code != 0.0 {
            let how = match ran.get("timed_out").and_then(Value::as_bool) {
                Some(true) => format!("ran for more than {TIMEOUT_S} s"),
                _ => format!("ended with code {code}"),
            };
            return Err(
                tool_error!(PreconditionFailed, "verification"; "gate not satisfied: `{command}` {how}";
                "repair what it says, then advance again: {}", last_words(&ran)),
            );
        }
        results.push(CommandResult {
            command: command.clone(),
            exit_code: 0,
        });
    }
    Ok((number, Some(results)))
}
