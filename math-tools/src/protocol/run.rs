//! Running a command guarded: on a thread of its own with a known stack, under a panic guard and a deadline.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use tool_core::{CallBudget, Ctx, Object, StopFlag, ToolError, Value, tool_error};

use super::CommandOutcome;
use super::help;
use super::work::{RequestJob, ResolvedRequest, call_tool};

/// Stack of the thread that runs a command: room for every recursion with a depth limit, many times over.
pub const STACK_BYTES: usize = 16 << 20;

/// Time allowed to a call to notice its deadline before the answer is given without it.
const GRACE: Duration = Duration::from_secs(5);

/// Runs a command to its end or its deadline.
///
/// A call that does not notice its deadline within five seconds is left behind; it ends with the process.
///
/// # Errors
/// Those of the command; `timeout`; `internal` for a panic or where no thread can be had.
pub(super) fn run_with_deadline(
    work: ResolvedRequest,
    timeout_ms: u64,
) -> Result<CommandOutcome, ToolError> {
    let timeout_ms = work
        .timeout_ms
        .map_or(timeout_ms, |own| own.min(timeout_ms));
    let stop = StopFlag::new();
    let budget = CallBudget {
        timeout_ms,
        ..CallBudget::default()
    };
    let ctx = Ctx::new(stop.clone(), budget);
    let (sender, receiver) = mpsc::sync_channel(1);
    let body = move || {
        let outcome = catch_unwind(AssertUnwindSafe(|| execute_work(work, &ctx)))
            .unwrap_or_else(|_| Err(panic_error()));
        // The receiver is gone only when the call was left behind.
        let _ = sender.send(outcome);
    };
    let spawned = thread::Builder::new()
        .name("call".to_owned())
        .stack_size(STACK_BYTES)
        .spawn(body);
    if let Err(err) = spawned {
        return Err(tool_error!(Internal, "no thread could be started: {err}"));
    }
    match receiver.recv_timeout(Duration::from_millis(timeout_ms)) {
        Ok(outcome) => outcome,
        Err(RecvTimeoutError::Disconnected) => Err(panic_error()),
        Err(RecvTimeoutError::Timeout) => {
            stop.time_out();
            let late = || Err(stop.check().err().unwrap_or_else(panic_error));
            receiver.recv_timeout(GRACE).unwrap_or_else(|_| late())
        }
    }
}

/// The error that a panic becomes; the hook has named the place.
pub(super) fn panic_error() -> ToolError {
    tool_error!(Internal, "a defect in this program stopped the call")
        .hint("report the request that leads here")
}

fn execute_work(work: ResolvedRequest, ctx: &Ctx) -> Result<CommandOutcome, ToolError> {
    let (canonical, result) = match work.job {
        RequestJob::Help(None) => (Value::Null, help::list_commands()),
        RequestJob::Help(Some(tool)) => (Value::Null, help::describe_tool(tool)?),
        RequestJob::Operation(operation) => (
            Value::Null,
            (operation.run)(&operation.name, &operation.params, ctx)?,
        ),
        RequestJob::Tool(tool, args) => call_tool(tool, &args, ctx)?,
    };
    let mut stats = Object::new();
    let result = (work.finish)(&canonical, result, &mut stats);
    let mut warnings = work.notes;
    warnings.extend(ctx.take_warnings());
    if !warnings.is_empty() {
        stats.insert("warnings", warnings);
    }
    Ok(CommandOutcome { result, stats })
}
