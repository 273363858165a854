//! Text for readers: answers, errors and warnings; below, values, numbers, tables, and text that cannot steer a terminal.

mod number;
mod pictures;
mod record;
mod safe;
mod table;
mod text;
mod value;

use std::fmt::Write as _;

use tool_core::{CallOutcome, OutcomeStatus, ToolError, Value};

pub(super) use number::{DIGITS, set_digits};
pub(super) use pictures::{PICTURE_ENDINGS, without_pictures};
pub(super) use record::render_record;
pub(super) use safe::{escape_invisible, replace_controls};
pub(super) use table::TextTable;
pub(super) use text::{
    at_width, colour_severity, fit_list_entry, fit_stderr_line, format_byte_size,
    format_local_time, format_utc_time, terminal_width, wrap_paragraph,
};
pub(super) use value::{find_picture, render_value};

/// The answer to a call: the result for stdout, warnings and errors for stderr.
pub(super) struct RenderedAnswer {
    pub stdout: String,
    pub stderr: String,
}

/// Renders the answer to a call.
pub(super) fn render_outcome(outcome: &CallOutcome) -> RenderedAnswer {
    let mut stderr = render_warnings(outcome);
    let stdout = match &outcome.status {
        OutcomeStatus::Success(output) => find_picture(output)
            .map_or_else(|| render_value(&without_pictures(output)), str::to_owned),
        OutcomeStatus::Error(err) => {
            stderr.push_str(&render_error(err));
            String::new()
        }
        OutcomeStatus::PendingApproval {
            approval_id: id,
            so_far,
        } => {
            let usual = || {
                format!(
                    "`mathchain approve {id}` or `mathchain deny {id}`, then send the same call again"
                )
            };
            let next = so_far.get("next").and_then(Value::as_str);
            let next = next.map_or_else(usual, str::to_owned);
            let _ = writeln!(stderr, "approval needed: {next}");
            String::new()
        }
    };
    RenderedAnswer { stdout, stderr }
}

/// The warnings of an answer.
pub(super) fn render_warnings(outcome: &CallOutcome) -> String {
    let warnings = outcome.warnings.iter();
    warnings
        .map(|warning| fit_stderr_line(&format!("warning: {warning}"), 9))
        .collect()
}

/// The head of the audit after an answer, as a line.
pub(super) fn render_audit_head(outcome: &CallOutcome) -> String {
    let audit = outcome.metadata.get("audit");
    let Some(head) = audit.and_then(|audit| audit.get("head")?.as_str()) else {
        return String::new();
    };
    format!("audit {head}\n")
}

/// The first names of a list, and the number of the others.
pub(super) fn first_of(names: &[String], most: usize) -> String {
    let shown = names[..names.len().min(most)].join(", ");
    match names.len().saturating_sub(most) {
        0 => shown,
        more => format!("{shown} ... and {more} more"),
    }
}

/// An error with its place and hint; of several problems each one with its own.
pub(super) fn render_error(err: &ToolError) -> String {
    let at = |path: &str| match path {
        "" => String::new(),
        path => format!(" (at `{path}`)"),
    };
    let mut text = String::new();
    if err.problems().len() <= 1 {
        let place = at(err.path().unwrap_or_default());
        let line = format!("error: {}{place} [{}]", err.message(), err.code());
        text.push_str(&fit_stderr_line(&line, 7));
        if let Some(hint) = err.hint_str() {
            text.push_str(&fit_stderr_line(&format!("hint: {hint}"), 6));
        }
        return text;
    }
    let more = err.evidence_value();
    let more = more.and_then(|evidence| evidence.get("more_problems")?.as_i64());
    let more = usize::try_from(more.unwrap_or(0)).unwrap_or(0);
    let count = err.problems().len() + more;
    let _ = writeln!(text, "error: {count} problems [{}]", err.code());
    for problem in err.problems() {
        let line = |(line, column)| format!("{line}:{column}: ");
        let line = problem.place.map(line).unwrap_or_default();
        let place = at(&problem.path);
        text.push_str(&fit_stderr_line(
            &format!("  - {line}{}{place}", problem.message),
            4,
        ));
        if let Some(hint) = &problem.hint {
            text.push_str(&fit_stderr_line(&format!("    {hint}"), 4));
        }
    }
    if more > 0 {
        let _ = writeln!(text, "  and {more} more");
    }
    text
}

/// The obligations that the call met: a notification, and backups.
pub(super) fn render_obligations(outcome: &CallOutcome) -> String {
    let mut text = String::new();
    if let Some(id) = outcome.metadata.get("notice").and_then(|id| id.as_str()) {
        text = format!("notification {id}: recorded by a rule (`mathchain inbox list`)\n");
    }
    let backups = outcome.metadata.get("backups").and_then(Value::items);
    for backup in backups.unwrap_or_default() {
        let text_of = |key: &str| backup.get(key)?.as_str().map(str::to_owned);
        if let (Some(id), Some(path)) = (text_of("id"), text_of("path")) {
            text +=
                &format!("backup of {path}: restore it with `mathchain backups restore {id}`\n");
        }
    }
    text
}
