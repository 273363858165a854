//! Syntax errors of a script, and their lines and columns.

use std::sync::Arc;

use registry::LoadError;
use registry::error::TextPlace;

use super::PROBLEMS_MAX;

/// A syntax error.
#[derive(Debug)]
pub(super) struct ScriptFault {
    pub(super) at: usize,
    pub(super) message: String,
    pub(super) hint: String,
}

impl ScriptFault {
    pub(super) fn new(at: usize, message: impl Into<String>) -> Self {
        Self {
            at,
            message: message.into(),
            hint: String::new(),
        }
    }

    /// Adds the next step.
    pub(super) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = hint.into();
        self
    }
}

pub(super) type Read<T> = Result<T, ScriptFault>;

/// The errors found so far.
#[derive(Debug, Default)]
pub(super) struct ScriptFaults(pub(super) Vec<ScriptFault>);

impl ScriptFaults {
    pub(super) fn push(&mut self, fault: ScriptFault) {
        if !self.are_many() {
            self.0.push(fault);
        }
    }

    pub(super) fn are_many(&self) -> bool {
        self.0.len() >= PROBLEMS_MAX
    }

    /// All errors, in the order of the text.
    pub(super) fn in_order(mut self, name: &str, text: &str) -> Vec<LoadError> {
        self.0.sort_by_key(|fault| fault.at);
        let (places, file): (_, Arc<str>) = (ScriptPositions::new(text), name.into());
        let error = |fault: ScriptFault| {
            let (line, column) = places.of(fault.at);
            let file = Arc::clone(&file);
            LoadError::new(Some(&TextPlace { file, line, column }), fault.message).hint(fault.hint)
        };
        self.0.into_iter().map(error).collect()
    }
}

/// Line and column (in characters), both from 1, of byte offsets.
pub(super) struct ScriptPositions<'t> {
    text: &'t str,
    starts: Vec<usize>,
}

impl<'t> ScriptPositions<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        let ends = text.match_indices('\n').map(|(at, _)| at + 1);
        Self {
            text,
            starts: std::iter::once(0).chain(ends).collect(),
        }
    }

    pub(super) fn of(&self, at: usize) -> (u32, u32) {
        let line = self.starts.partition_point(|start| *start <= at).max(1);
        let before = self.text.get(self.starts[line - 1]..at).unwrap_or_default();
        let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        (number(line), number(before.chars().count() + 1))
    }
}

/// A text shortened for messages.
pub(super) fn shorten_message_text(text: &str) -> String {
    const SHOWN: usize = 40;
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}..", &text[..end]),
        None => text.to_owned(),
    }
}
