//! Checks of texts and lists in arguments.

use crate::fault::WorkflowFault;
use crate::governance::PathGlob;
use crate::limits::{ENTRY_BYTES_MAX, LIST_MAX, REASON_BYTES_MAX, TEXT_BYTES_MAX, TITLE_BYTES_MAX};

/// A text that must not be empty.
pub(super) fn require_text(
    field: &'static str,
    text: &str,
    max: usize,
) -> Result<String, WorkflowFault> {
    if text.trim().is_empty() {
        return Err(WorkflowFault::Missing { field });
    }
    at_most(field, text, max)?;
    Ok(text.to_owned())
}

/// A body: a text of several lines.
pub(super) fn check_body(field: &'static str, text: Option<&str>) -> Result<String, WorkflowFault> {
    let text = text.unwrap_or_default();
    at_most(field, text, TEXT_BYTES_MAX)?;
    Ok(text.to_owned())
}

/// A title: one line that is not empty, without spaces around it.
pub(super) fn check_title(field: &'static str, text: &str) -> Result<String, WorkflowFault> {
    let text = require_text(field, text.trim(), TITLE_BYTES_MAX)?;
    match text.chars().any(char::is_control) {
        false => Ok(text),
        true => Err(WorkflowFault::invalid(
            field,
            "one line of text",
            &text.escape_debug().to_string(),
        )),
    }
}

/// A reason that must be given.
pub(super) fn require_reason(text: &str) -> Result<Option<String>, WorkflowFault> {
    require_text("reason", text, REASON_BYTES_MAX).map(Some)
}

/// A reason that may be left out; an empty one is none.
pub(super) fn optional_reason(text: Option<&str>) -> Result<Option<String>, WorkflowFault> {
    match text.filter(|text| !text.trim().is_empty()) {
        None => Ok(None),
        Some(text) => require_reason(text),
    }
}

/// A list of texts that are not empty.
pub(super) fn check_text_list(
    field: &'static str,
    texts: Option<&[String]>,
) -> Result<Vec<String>, WorkflowFault> {
    let texts = texts.unwrap_or_default();
    check_list_count(field, texts.len())?;
    texts
        .iter()
        .map(|text| require_text(field, text, ENTRY_BYTES_MAX))
        .collect()
}

/// Patterns of files.
pub(super) fn check_patterns(
    field: &'static str,
    patterns: &[String],
) -> Result<(), WorkflowFault> {
    patterns.iter().try_for_each(|pattern| {
        PathGlob::parse(pattern)
            .map(drop)
            .map_err(|message| WorkflowFault::invalid(field, message, pattern))
    })
}

pub(super) fn check_list_count(field: &'static str, count: usize) -> Result<(), WorkflowFault> {
    match count > LIST_MAX {
        true => Err(WorkflowFault::TooMany {
            what: field,
            count,
            max: LIST_MAX,
        }),
        false => Ok(()),
    }
}

pub(super) fn at_most(field: &'static str, text: &str, max: usize) -> Result<(), WorkflowFault> {
    match text.len() > max {
        true => Err(WorkflowFault::TooLong {
            field,
            bytes: text.len(),
            max,
        }),
        false => Ok(()),
    }
}
