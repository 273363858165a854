//! The end of a call or run: flushes the audit, prints the answer, and gives the exit code.

use std::io::IsTerminal as _;
use std::process::ExitCode;

use registry::AnswerReader;
use tool_core::capability::LedgerHead;
use tool_core::{CallOutcome, ErrorCode, Result, ToolError, tool_error};

use super::global::{GlobalArgs, OutputFormat};
use super::output::{self, write_stderr};
use super::{exit, human};
use mathchain::{Toolkit, clock};

/// Stack of a thread that runs calls.
pub(super) const CALL_STACK_BYTES: usize = 16 << 20;

/// Runs on a thread whose stack does not depend on how the process was started.
pub(super) fn on_stack<T: Send>(work: impl FnOnce() -> T + Send) -> Result<T> {
    // This thread has nothing else to do meanwhile.
    let (mut deadlines, end) = clock::keep_deadlines();
    std::thread::scope(|scope| {
        let builder = std::thread::Builder::new().name("call".to_owned());
        let ending = || {
            let _end = end;
            work()
        };
        let thread = builder
            .stack_size(CALL_STACK_BYTES)
            .spawn_scoped(scope, ending);
        let thread =
            thread.map_err(|err| tool_error!(LimitExceeded, "cannot start a thread: {err}"))?;
        deadlines.until_the_end();
        let panicked = "the call panicked outside the tool";
        thread
            .join()
            .map_err(|_| ToolError::new(ErrorCode::Internal, panicked))
    })
}

/// The reader of answers in a format: JSON is read by models, and by what passes it on to them.
pub(super) fn answer_reader(format: OutputFormat) -> AnswerReader {
    match format {
        OutputFormat::Json => AnswerReader::Model,
        OutputFormat::Human | OutputFormat::Raw | OutputFormat::Npy | OutputFormat::Csv => {
            AnswerReader::Program
        }
    }
}

/// Prints the answer, flushes the audit, and gives the exit code.
pub(super) fn finish_answer(
    toolkit: &Toolkit,
    global: &GlobalArgs,
    outcome: &CallOutcome,
) -> Result<ExitCode> {
    let mut outcome = outcome.clone();
    let format = global.format();
    flush_audit(toolkit, format, &mut outcome);
    output::print_outcome(format, &outcome)?;
    if std::io::stderr().is_terminal() && !output::is_quiet() {
        write_stderr(&human::render_obligations(&outcome));
    }
    Ok(exit::of_outcome(&outcome))
}

/// Flushes the batched audit records before the answer of a process that ends. Where that fails, the answer carries a warning and no
/// audit head, which verification would not find.
pub(super) fn flush_audit(toolkit: &Toolkit, format: OutputFormat, outcome: &mut CallOutcome) {
    let Some(warning) = incomplete_audit_warning(toolkit) else {
        return;
    };
    if format == OutputFormat::Raw {
        write_stderr(&format!("warning: {warning}\n"));
    }
    outcome.metadata.remove("audit");
    outcome.warnings.push(warning);
}

/// The head of the audit, once it is flushed; `None` where that failed.
pub(super) fn audit_head(toolkit: &Toolkit) -> Option<LedgerHead> {
    let state = toolkit.state()?;
    state.close().ok()?;
    state.head()
}

/// Flushes the batched audit records; a failure is a warning on stderr.
pub(super) fn close_audit(toolkit: &Toolkit) {
    if let Some(warning) = incomplete_audit_warning(toolkit) {
        write_stderr(&format!("warning: {warning}\n"));
    }
}

fn incomplete_audit_warning(toolkit: &Toolkit) -> Option<String> {
    let err = toolkit.state()?.close().err()?;
    Some(format!("the audit of this run is incomplete: {err}"))
}
