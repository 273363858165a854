//! Commit messages: `type(scope)!: subject`, an optional body, and an optional reference on the last line.
//!
//! # References
//! Conventional Commits 1.0.0, with the reference line of the request trackers that an earlier system had.

use jiff::civil::Date;
use tool_core::capability::{CommitRules, Presence};

use crate::prelude::*;

/// Longest message in bytes.
const MESSAGE_BYTES_MAX: usize = 16 << 10;

/// A message that follows the rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CommitMessage {
    /// The whole text, without spaces at line ends and around it, with one line end after it.
    pub(super) text: String,
    /// The first line.
    pub(super) subject: String,
}

impl CommitMessage {
    /// Reads a message.
    ///
    /// # Errors
    /// `invalid_args` with reason `commit_message`: the rule it breaks and the expected shape.
    pub(super) fn parse(text: &str, rules: &CommitRules) -> Result<Self> {
        if text.len() > MESSAGE_BYTES_MAX {
            let length = text.len();
            return Err(tool_error!(LimitExceeded at "/message";
                "the message has {length} bytes; the maximum is {MESSAGE_BYTES_MAX}"));
        }
        let lines: Vec<&str> = text.trim().lines().map(str::trim_end).collect();
        match message_fault(&lines, rules) {
            Some(what) => Err(message_refused(&what, rules)),
            None => Ok(Self {
                text: lines.join("\n") + "\n",
                subject: lines.first().copied().unwrap_or_default().to_owned(),
            }),
        }
    }
}

fn message_refused(what: &str, rules: &CommitRules) -> ToolError {
    let scope = match rules.scope {
        Presence::Required => "(scope)",
        Presence::Optional => "[(scope)]",
    };
    let reference = match rules.reference {
        Presence::Required => {
            ", a blank line, and `[CR-YYYYMMDD-NNN]` or `[FR-YYYYMMDD-NNN]` as the last line"
        }
        Presence::Optional => "",
    };
    let types = rules.types.join(", ");
    let scopes = rules.scopes.as_ref();
    let scopes = scopes.map_or_else(String::new, |scopes| {
        format!("; scope: {}", scopes.join(", "))
    });
    tool_error!(InvalidArgs at "/message", "commit_message"; "{what}";
        "expected `type{scope}: subject`{reference}; type: {types}{scopes}")
}

/// The rule that a message breaks, if any.
fn message_fault(lines: &[&str], rules: &CommitRules) -> Option<String> {
    let Some((first, rest)) = lines.split_first() else {
        return Some("the message is empty".to_owned());
    };
    let control = |c: char| c.is_control() && c != '\t';
    if let Some(line) = lines.iter().position(|line| line.contains(control)) {
        let line = line + 1;
        return Some(format!("line {line} has a control character"));
    }
    if let Some(what) = fault_of_header(first, rules) {
        return Some(what);
    }
    if rest.first().is_some_and(|line| !line.is_empty()) {
        return Some("line 2 is not blank".to_owned());
    }
    let last = rest.last().copied().unwrap_or_default();
    match parse_reference_line(last) {
        Some(Err(what)) => Some(what),
        Some(Ok(())) if rest.len() >= 2 && !rest[rest.len() - 2].is_empty() => {
            Some(format!("no blank line before `{last}`"))
        }
        None if rules.reference == Presence::Required => {
            Some("the last line is no reference".to_owned())
        }
        _ => None,
    }
}

fn fault_of_header(line: &str, rules: &CommitRules) -> Option<String> {
    let shown: String = line.chars().take(80).collect();
    let Some((before, subject)) = line.split_once(':') else {
        return Some(format!("`{shown}` has no type: there is no `:`"));
    };
    let before = before.strip_suffix('!').unwrap_or(before);
    let (kind, scope) = match before.split_once('(') {
        None => (before, None),
        Some((kind, scope)) => match scope.strip_suffix(')') {
            Some(scope) => (kind, Some(scope)),
            None => return Some(format!("`{shown}` has no `)` before the `:`")),
        },
    };
    if !rules.types.iter().any(|one| one == kind) {
        let kind: String = kind.chars().take(40).collect();
        return Some(format!("`{kind}` is no type"));
    }
    match (scope, &rules.scopes) {
        (None, _) if rules.scope == Presence::Required => {
            return Some("it has no scope".to_owned());
        }
        (Some(scope), _) if scope.trim().is_empty() || scope.contains(['(', ')']) => {
            return Some(format!("`({scope})` is no scope"));
        }
        (Some(scope), Some(scopes)) if !scopes.iter().any(|one| one == scope) => {
            let scope: String = scope.chars().take(40).collect();
            return Some(format!("`{scope}` is no scope of this project"));
        }
        _ => {}
    }
    subject
        .trim()
        .is_empty()
        .then(|| "there is no subject after the `:`".to_owned())
}

/// Reads a line as a reference: `None` for other lines.
fn parse_reference_line(line: &str) -> Option<Result<(), String>> {
    let inner = line.strip_prefix('[')?.strip_suffix(']')?;
    let rest = inner
        .strip_prefix("CR-")
        .or_else(|| inner.strip_prefix("FR-"))?;
    let digits =
        |text: &str, count| text.len() == count && text.bytes().all(|byte| byte.is_ascii_digit());
    let Some((date, number)) = rest
        .split_once('-')
        .filter(|(date, number)| digits(date, 8) && digits(number, 3))
    else {
        return Some(Err(format!(
            "expected `[CR-YYYYMMDD-NNN]` or `[FR-YYYYMMDD-NNN]`, found `{line}`"
        )));
    };
    let _ = number;
    let part = |from: usize, to: usize| date[from..to].parse::<i16>().unwrap_or_default();
    let day = |text: i16| i8::try_from(text).unwrap_or_default();
    let found = Date::new(part(0, 4), day(part(4, 6)), day(part(6, 8)));
    Some(match found {
        Ok(_) => Ok(()),
        Err(_) => Err(format!("`{date}` in `{line}` is no date")),
    })
}
