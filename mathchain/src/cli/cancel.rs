//! `mathchain runs cancel`: runs that end, whoever works on them.

use std::fmt::Write as _;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use chain_runtime::ChainStatus;
use chain_runtime::run::Cancelled;
use clap::Args;
use journal::{Run, State};
use tool_core::{ErrorCode, Reason, ToolError, Value};

use super::args::Global;
use super::resume::{context_of, open};
use super::{call, exit, print_data, run, session};
use crate::Toolkit;

/// Longest wait for the process that works on a run; the request stands after that.
const WAIT: Duration = Duration::from_secs(30);
/// How often is looked whether it has stopped.
const LOOK_AGAIN: Duration = Duration::from_millis(100);

#[derive(Debug, Args)]
#[command(
    after_help = "Steps that say how they are undone are undone, the last one first. A run that another process works on is stopped and undone by that process.
Example:
  mathchain runs cancel 3f2a"
)]
pub(super) struct Cancel {
    /// Id of the run, or its beginning
    pub run: String,
    /// Cancel although the folder that it began in is another one now, or gone
    #[arg(long)]
    pub accept_changes: bool,
}

pub(super) fn cancel(global: &Global, cancel: &Cancel) -> Result<ExitCode, ToolError> {
    let (toolkit, found) = open(global, &cancel.run, cancel.accept_changes)?;
    let state = session::state(&toolkit)?;
    let until = Instant::now() + WAIT;
    let mut asked = false;
    let code = loop {
        let err = match toolkit.cancel(&context_of(&found), &found.id) {
            Ok(cancelled) => break told(global, &toolkit, &found, &cancelled),
            Err(err) => err,
        };
        match err.reason_str().and_then(Reason::parse) {
            Some(Reason::RunEnded) if asked => break ended(global, state, &found)?,
            Some(Reason::RunBusy) => {
                if !asked {
                    asked = true;
                    if let Err(err) = state.ask_to_cancel(&found.id)
                        && !err.is(Reason::RunEnded)
                    {
                        return Err(err);
                    }
                }
                if !waited(state, &found.id, until)? {
                    break stands(global, &found);
                }
            }
            _ => return Err(err),
        }
    };
    call::close(&toolkit);
    Ok(code)
}

/// Waits until nobody works on a run; whether that is so.
fn waited(state: &State, id: &str, until: Instant) -> Result<bool, ToolError> {
    while state.run(id)?.holder.is_some() {
        if Instant::now() > until {
            return Ok(false);
        }
        std::thread::sleep(LOOK_AGAIN);
    }
    Ok(true)
}

/// What was cancelled here.
fn told(global: &Global, toolkit: &Toolkit, found: &Run, cancelled: &Cancelled) -> ExitCode {
    let state = match &cancelled.result {
        // It has not ended: its error says what is missing.
        Ok(result)
            if matches!(
                result.status,
                ChainStatus::NeedsDecision | ChainStatus::Suspended | ChainStatus::Interrupted
            ) =>
        {
            return run::finish(global, toolkit, result);
        }
        Ok(result) => result.status.run_state(),
        Err(_) => "cancelled",
    };
    let (mut undone, mut refused) = (Vec::new(), Vec::new());
    gather(cancelled, "", &mut undone, &mut refused);
    say(global, found, state, &undone, &refused);
    exit::OK.into()
}

/// What another process cancelled, by its records.
fn ended(global: &Global, state: &State, found: &Run) -> Result<ExitCode, ToolError> {
    let ended = state.run(&found.id)?;
    let records = state.run_records(&found.id)?;
    let is_end = |record: &Value| record.get("kind").and_then(Value::as_str) == Some("ending");
    if !records.iter().any(is_end) {
        let message = format_args!(
            "the run `{}` had ended before it could be cancelled: {}",
            found.id,
            ended.state.as_str()
        );
        return Err(ToolError::new(ErrorCode::Conflict, message)
            .reason(Reason::RunEnded)
            .hint(format!("`mathchain runs show {}`", found.id)));
    }
    let undone: Vec<String> = records.iter().filter_map(undoing).collect();
    say(global, found, ended.state.as_str(), &undone, &[]);
    Ok(exit::OK.into())
}

/// What a record says of undoing a call: `step[3] (done)`.
fn undoing(record: &Value) -> Option<String> {
    let text = |key| record.get(key).and_then(Value::as_str);
    let step = text("step")?.strip_suffix("!compensate")?;
    let status = text("status").filter(|_| text("kind") == Some("settled"))?;
    Some(match record.get("item").and_then(Value::as_i64) {
        Some(item) => format!("{step}[{item}] ({status})"),
        None => format!("{step} ({status})"),
    })
}

/// The process that works on it has not stopped yet.
fn stands(global: &Global, found: &Run) -> ExitCode {
    say(global, found, "cancelling", &[], &[]);
    exit::TIMEOUT.into()
}

fn say(global: &Global, found: &Run, state: &str, undone: &[String], refused: &[String]) {
    let data = Value::object([
        ("run", Value::from(found.id.as_str())),
        ("status", Value::from(state)),
        ("undone", Value::from(undone.to_vec())),
        (
            "not_undone",
            Value::from((!refused.is_empty()).then(|| refused.join("; "))),
        ),
    ]);
    print_data(global, &data, || {
        let mut text = format!("run {}: {state}\n", found.id);
        if state == "cancelling" {
            text.push_str("the process that works on it has not stopped yet; the request stands\n");
        }
        if !undone.is_empty() {
            let _ = writeln!(text, "undone: {}", undone.join(", "));
        }
        for refused in refused {
            let _ = writeln!(
                text,
                "nothing was undone, as the plan may not run any more: {refused}"
            );
        }
        text
    });
}

/// What was undone of a run and of those within it, in that order, and what could not be.
fn gather(
    cancelled: &Cancelled,
    around: &str,
    undone: &mut Vec<String>,
    refused: &mut Vec<String>,
) {
    for inner in &cancelled.within {
        gather(inner, &format!("{}: ", inner.run), undone, refused);
    }
    match &cancelled.result {
        Ok(result) => {
            let own = run::undone(result).into_iter();
            undone.extend(own.map(|one| format!("{around}{one}")));
        }
        Err(error) => refused.push(format!("{around}{}", error.message())),
    }
}
