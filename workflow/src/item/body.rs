//! The Markdown of items: what a new file begins with, and the sections that the state determines.
//!
//! Texts of callers that would end a section elsewhere (headings of the first two levels, code that is not closed) are quoted
//! with `>`.

use super::sections::is_inner;
use crate::names::Verdict;
use crate::state::{ChainTask, TaskChain, WorkRequest, WorkReview, WorkflowFeedback};

/// A text as a section can contain it.
pub(super) fn section_text(text: &str) -> String {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let text = text.trim_matches('\n');
    if is_inner(text) {
        return text.to_owned();
    }
    let quoted = text.split('\n').map(|line| {
        if line.is_empty() {
            ">".to_owned()
        } else {
            format!("> {line}")
        }
    });
    quoted.collect::<Vec<_>>().join("\n")
}

fn write_section(out: &mut String, name: &str, text: &str) {
    if !text.is_empty() {
        out.push_str(&format!("\n## {name}\n\n{text}\n"));
    }
}

fn list_lines(texts: &[String], mark: &str, code: bool) -> String {
    let quote = if code { "`" } else { "" };
    let line = |text: &String| format!("{mark} {quote}{}{quote}", one_line(text));
    texts.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// A text of a caller within a list.
fn one_line(text: &str) -> String {
    text.split(['\r', '\n'])
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

pub(super) fn request_body(request: &WorkRequest) -> String {
    let mut out = String::new();
    write_section(&mut out, "Content", &section_text(&request.content));
    out
}

pub(super) fn chain_body(chain: &TaskChain) -> String {
    let mut out = String::new();
    write_section(&mut out, "Description", &section_text(&chain.description));
    out
}

pub(super) fn task_body(task: &ChainTask) -> String {
    let brief = &task.brief;
    let mut out = String::new();
    write_section(&mut out, "Objective", &section_text(&brief.objective));
    write_section(
        &mut out,
        "Expected Files",
        &list_lines(&brief.expected_files, "-", true),
    );
    write_section(
        &mut out,
        "File Scope",
        &list_lines(&brief.file_scope, "-", true),
    );
    write_section(
        &mut out,
        "Acceptance Criteria",
        &list_lines(&brief.acceptance, "- [ ]", false),
    );
    write_section(
        &mut out,
        "Constraints",
        &list_lines(&brief.constraints, "-", false),
    );
    write_section(&mut out, "Notes", &section_text(&brief.notes));
    out
}

pub(super) fn feedback_body(feedback: &WorkflowFeedback) -> String {
    let context = &feedback.context;
    let mut out = String::new();
    write_section(&mut out, "Question", &section_text(&feedback.content));
    write_section(&mut out, "Context", &section_text(&context.notes));
    write_section(&mut out, "Files", &list_lines(&context.files, "-", true));
    let snippets = context.code_snippets.iter().map(|snippet| {
        let place = format!(
            "`{}`, lines {} to {}:",
            one_line(&snippet.file),
            snippet.start_line,
            snippet.end_line
        );
        let code = snippet.content.replace("\r\n", "\n").replace('\r', "\n");
        let code = code
            .split('\n')
            .map(|line| format!("    {line}"))
            .collect::<Vec<_>>()
            .join("\n");
        format!("{place}\n\n{code}")
    });
    write_section(&mut out, "Code", &snippets.collect::<Vec<_>>().join("\n\n"));
    let options = context.options.iter().map(|option| {
        let recommended = if option.recommended {
            " (recommended)"
        } else {
            ""
        };
        let description = match one_line(&option.description) {
            text if text.is_empty() => text,
            text => format!(": {text}"),
        };
        format!("- {}{recommended}{description}", one_line(&option.label))
    });
    write_section(&mut out, "Options", &options.collect::<Vec<_>>().join("\n"));
    out
}

/// One line for each review, with its suggestions below.
pub(super) fn review_lines(all: &[WorkReview]) -> String {
    let mut out = Vec::new();
    for review in all {
        let verdict = match review.verdict {
            Verdict::Approved => "approved",
            Verdict::ChangesRequested => "changes requested",
        };
        let reason = match review.reason.as_deref().map(one_line) {
            None => String::new(),
            Some(reason) => format!(": {reason}"),
        };
        out.push(format!(
            "- {}, {verdict} by {}{reason}",
            review.at,
            one_line(&review.by)
        ));
        out.extend(
            review
                .suggestions
                .iter()
                .map(|text| format!("  - {}", one_line(text))),
        );
    }
    out.join("\n")
}

pub(super) fn feedback_answer(feedback: &WorkflowFeedback) -> String {
    feedback
        .response
        .as_ref()
        .map(|response| section_text(&response.content))
        .unwrap_or_default()
}
