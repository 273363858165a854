//! Limits on a query before the recursive parser sees it: a stack overflow would end the whole process.

use crate::prelude::did_you_mean;
use tool_core::{ErrorCode, ToolError};

use super::error_at;
use super::functions::NAMES;

/// Longest query, in bytes.
const BYTES_MAX: usize = 1 << 16;
/// Most tokens: every token may be a level of the syntax tree (`a.a.a...`).
pub(super) const TOKENS_MAX: usize = 512;
/// Deepest nesting of brackets and prefix operators.
pub(super) const NESTING_MAX: usize = 64;

/// Refuses a query that is too long or too deep, or that calls an unknown function.
pub(super) fn check_query(query: &str) -> Result<(), ToolError> {
    let limit = |what: String| {
        ToolError::new(ErrorCode::LimitExceeded, what)
            .reason("query_size")
            .at("/query")
            .hint("split the query into several calls")
    };
    if query.len() > BYTES_MAX {
        let bytes = query.len();
        return Err(limit(format!(
            "the query has {bytes} bytes, the limit is {BYTES_MAX}"
        )));
    }
    let (mut count, mut depth, mut prefixes) = (0, 0_usize, 0);
    let mut previous: Option<(usize, &str)> = None;
    for (offset, token) in tokenise_query(query) {
        count += 1;
        if count > TOKENS_MAX {
            return Err(limit(format!(
                "the query has more than {TOKENS_MAX} tokens"
            )));
        }
        let prefix = matches!(token, "!" | "&");
        prefixes = if prefix { prefixes + 1 } else { 0 };
        match token.as_bytes()[0] {
            b'(' | b'{' => depth += 1,
            b'[' if token != "[]" => depth += 1,
            b')' | b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth + prefixes > NESTING_MAX {
            return Err(limit(format!(
                "the query is nested more than {NESTING_MAX} deep"
            )));
        }
        if let Some((offset, name)) = previous.filter(|_| token == "(") {
            check_function(query, offset, name)?;
        }
        previous = is_name(token).then_some((offset, token));
    }
    Ok(())
}

fn check_function(query: &str, offset: usize, name: &str) -> Result<(), ToolError> {
    let mut names = NAMES.split(", ");
    if names.clone().any(|known| known == name) {
        return Ok(());
    }
    let error = error_at(query, offset, format_args!("no function named `{name}`"));
    let near = did_you_mean(name, names.by_ref());
    Err(error.hint(near.unwrap_or_else(|| format!("the functions are {NAMES}"))))
}

fn is_name(token: &str) -> bool {
    token.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
}

/// The first token of a text that is not empty.
pub(super) fn first_token(text: &str) -> &str {
    tokenise_query(text).next().map_or(text, |(_, token)| token)
}

/// The tokens of a query with their byte offsets; an unclosed quote runs to the end.
fn tokenise_query(query: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut rest = query;
    std::iter::from_fn(move || {
        rest = rest.trim_start();
        let first = rest.chars().next()?;
        let length = match first {
            '\'' | '"' | '`' => quoted_length(rest, first),
            _ if is_name(rest) => rest
                .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
                .unwrap_or(rest.len()),
            '0'..='9' => rest
                .find(|c: char| !c.is_ascii_digit())
                .unwrap_or(rest.len()),
            _ if ["&&", "||", "==", "!=", "<=", ">=", "[]", "[?"]
                .iter()
                .any(|pair| rest.starts_with(pair)) =>
            {
                2
            }
            _ => first.len_utf8(),
        };
        let offset = query.len() - rest.len();
        let (token, after) = rest.split_at(length);
        rest = after;
        Some((offset, token))
    })
}

/// The length of a quoted token; a backslash takes the next character with it.
fn quoted_length(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (offset, character) in text.char_indices().skip(1) {
        if escaped {
            escaped = false;
        } else if character == '\\' {
            escaped = true;
        } else if character == quote {
            return offset + 1;
        }
    }
    text.len()
}
