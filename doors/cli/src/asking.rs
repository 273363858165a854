//! Prompts for approval at the terminal, for calls and for the steps of runs.

use std::io::{IsTerminal as _, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};

use chain_runtime::run::ResumeRequest;
use chain_runtime::{ChainResult, ChainStatus};
use journal::WITHOUT_KEY;
use registry::ApprovalsFrom;

use super::prelude::*;
use super::progress::with_display;
use super::signals;
use mathchain_servers::people::grant::{grant_request, record_of};
use mathchain_servers::people::request::ApprovalDetails;

/// Maximum number of lines of a request in a prompt; `show` shows all.
const LINES_MAX: usize = 16;

/// Whether a user at this terminal can answer approval requests.
pub(super) fn may_ask(toolkit: &Toolkit) -> bool {
    std::io::stdin().is_terminal()
        && std::io::stderr().is_terminal()
        && toolkit.config().approvals.from == ApprovalsFrom::Terminal
}

/// Asks the user about a pending request and records the answer; false if there is none: the request stays pending.
pub(super) fn ask_approval(
    global: &GlobalArgs,
    toolkit: &Toolkit,
    stop: &StopFlag,
    id: &str,
) -> Result<bool> {
    let state = open::require_state(toolkit)?;
    let (approval, details) = state.approval(id)?;
    let request = ApprovalDetails::new(toolkit, &approval, details.as_ref());
    // A signal ends the process at the prompt: records so far are flushed first.
    let _ = state.flush();
    let mut shown = first_lines(&request.effect());
    loop {
        let (tool, reason) = (&approval.tool, &approval.reason);
        let step = approval.step.as_ref();
        let step = step.map_or_else(String::new, |step| format!("step `{step}`: "));
        let mut line = String::new();
        let read = signals::while_asking(|| {
            // A signal before the prompt has stopped the call: there is nothing to approve.
            if stop.is_set() {
                return None;
            }
            write_stderr(&format!(
                "{step}{tool}: {reason}\n{shown}run it? [y/N/always/show] "
            ));
            std::io::stdin().read_line(&mut line).ok()
        });
        // The end of input means no; without an answer the request stays pending.
        if read.is_none() {
            return Ok(false);
        }
        end_line(read);
        match line.trim().to_ascii_lowercase().as_str() {
            "y" | "yes" => {
                state.approve(&approval.id, WITHOUT_KEY)?;
                return Ok(true);
            }
            "a" | "always" => match record_of(toolkit, &approval, details.as_ref()) {
                Ok(rule) => {
                    grant_request(
                        &open::state_folder(global)?,
                        state,
                        &approval,
                        WITHOUT_KEY,
                        Some(rule),
                    )?;
                    toolkit.reload()?;
                    return Ok(true);
                }
                Err(err) => {
                    write_stderr(&human::render_error(&err));
                    shown = String::new();
                }
            },
            "s" | "show" => {
                page_text(&request.text(&human::format_local_time(approval.created_ms)));
                shown = String::new();
            }
            _ => {
                state.decline(&approval.id, WITHOUT_KEY)?;
                return Ok(true);
            }
        }
    }
}

/// Ends the line of a prompt that the end of the input answered.
fn end_line(read: Option<usize>) {
    if read == Some(0) {
        write_stderr("\n");
    }
}

fn first_lines(text: &str) -> String {
    let count = text.lines().count();
    if count <= LINES_MAX {
        return text.to_owned();
    }
    let first = text.split_inclusive('\n').take(LINES_MAX);
    let more = count_phrase((count - LINES_MAX) as u64, "more line");
    format!("{}  ... {more}: answer `show`\n", first.collect::<String>())
}

/// Shows a change of a file, and asks whether to write it.
///
/// # Errors
/// Where no user can answer.
pub(super) fn confirm_file_change(path: &Path, difference: &str) -> Result<bool> {
    let shown = path.display();
    let text = format!("{shown}:\n{difference}");
    ask_yes_no(&text, "write it?", &format!("a change of `{shown}`"))
}

/// Shows a text and asks a question about it.
///
/// # Errors
/// Where no user can answer.
pub(super) fn ask_yes_no(text: &str, question: &str, what: &str) -> Result<bool> {
    if !std::io::stdin().is_terminal() || !std::io::stderr().is_terminal() {
        return Err(
            tool_error!(ApprovalRequired, "terminal"; "{what} needs a yes";
            "run the command at a terminal, or with --yes"),
        );
    }
    write_stderr(&format!(
        "{}{question} [y/N] ",
        human::replace_controls(text)
    ));
    let mut line = String::new();
    let read = std::io::stdin().read_line(&mut line);
    end_line(read.as_ref().ok().copied());
    let answer = line.trim().to_ascii_lowercase();
    Ok(read.is_ok() && matches!(answer.as_str(), "y" | "yes"))
}

/// Asks about each request that a suspended run waits for, and continues it, until it ends or a request is left pending.
pub(super) fn continue_suspended_run(
    global: &GlobalArgs,
    toolkit: &Toolkit,
    context: &CallContext,
    mut result: ChainResult,
) -> Result<ChainResult> {
    while result.status == ChainStatus::Suspended && may_ask(toolkit) {
        let state = open::require_state(toolkit)?;
        let is_pending = |id: &&str| {
            let found = state.approval(id);
            found.is_ok_and(|(found, _)| found.state == "pending")
        };
        let pending: Vec<&str> = result.approvals().into_iter().filter(is_pending).collect();
        if pending.is_empty() {
            return Ok(result);
        }
        for id in pending {
            if !ask_approval(global, toolkit, &context.stop, id)? {
                return Ok(result);
            }
        }
        let id = result.chain_id.clone();
        let how = ResumeRequest::default();
        result = with_display(|observer| toolkit.resume(context, &id, &how, observer))?;
    }
    Ok(result)
}

/// Shows a text of any length: on a terminal through the user's pager.
pub(super) fn page_text(text: &str) {
    let pager = environment::read_variable("PAGER");
    let pager = pager.as_deref().unwrap_or("less -FX");
    let is_short = text.lines().count() <= LINES_MAX;
    if is_short || pager.is_empty() || !std::io::stdout().is_terminal() {
        return print_text(text);
    }
    let started = Command::new("sh")
        .args(["-c", pager])
        .stdin(Stdio::piped())
        .spawn();
    let shown = started.and_then(|mut pager| {
        if let Some(mut input) = pager.stdin.take() {
            let _ = input.write_all(human::replace_controls(text).as_bytes()); // the reader may quit early
        }
        pager.wait()
    });
    if !shown.is_ok_and(|status| status.success()) {
        print_text(text);
    }
}
