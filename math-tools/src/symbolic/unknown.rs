//! The unknown function of an equation: its name, its variable, and its values at points.

use symbolic::tree::{Expr, ExprNode, MathFunction, RelationKind};

use super::reading::{TextReader, texts_of};
use crate::calculus::differentiate::OneOrManyFormulas;
use crate::prelude::*;

/// A value of the function, or of a derivative, at a point.
#[derive(Debug, Clone)]
pub(super) struct ReadCondition {
    pub order: usize,
    pub at: Expr,
    pub value: Expr,
}

/// The function and the variable that a text shows: `dx/dt`, `y''`, `\frac{dy}{dx}`, `\dot{x}`, `y(t)`.
pub(super) fn detect_unknown(text: &str) -> (Option<String>, Option<String>) {
    // Bytes suffice: names are ASCII, and Greek ones are commands of LaTeX.
    let plain: String = text
        .replace(r"\left", "")
        .replace(r"\right", "")
        .replace(r"\,", "")
        .replace(r"\prime", "'")
        .replace(r"\mathrm{d}", "d");
    let (quotient, by) = detect_quotient(&plain);
    let function = quotient
        .or_else(|| detect_marked(&plain))
        .or_else(|| detect_dotted(&plain));
    let variable = by.or_else(|| {
        let name = function.as_deref()?;
        detect_argument(&plain, name)
    });
    (function, variable)
}

fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// `dy/dx`, `d^2y/dx^2`, `\frac{dy}{dx}`, `\frac{d^2 y}{dx^2}`.
fn detect_quotient(text: &str) -> (Option<String>, Option<String>) {
    let squeezed: String = text.chars().filter(|sign| !sign.is_whitespace()).collect();
    for (place, _) in squeezed.match_indices('d') {
        let before = place.checked_sub(1).map(|at| squeezed.as_bytes()[at]);
        if before.is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'\\') {
            continue;
        }
        let rest = skip_power(&squeezed[place + 1..]);
        let name = leading_name(rest);
        let after = &rest[name.len()..];
        let after = match after.strip_prefix('(') {
            Some(inside) => inside.split_once(')').map_or(after, |(_, rest)| rest),
            None => after,
        };
        let below = after
            .strip_prefix("/d")
            .or_else(|| after.strip_prefix("}{d"));
        let Some(below) = below else {
            continue;
        };
        let variable: String = leading_name(below)
            .trim_end_matches(|sign: char| sign.is_ascii_digit())
            .to_owned();
        if variable.is_empty() {
            continue;
        }
        let name = match name {
            "" => None,
            name => Some(name.to_owned()),
        };
        return (name, Some(variable));
    }
    (None, None)
}

/// Behind `^2`, `^{2}` or `2`.
fn skip_power(text: &str) -> &str {
    text.trim_start_matches(|sign: char| sign.is_ascii_digit() || "^{}".contains(sign))
}

fn leading_name(text: &str) -> &str {
    let text_name = text.strip_prefix('\\').map_or(text, |rest| rest);
    let end = text_name
        .bytes()
        .take_while(|byte| is_name_byte(*byte))
        .count();
    &text_name[..end]
}

/// The name before a prime.
fn detect_marked(text: &str) -> Option<String> {
    let place = text
        .find(['\'', '\u{2032}'])
        .or_else(|| text.find("^{("))
        .or_else(|| text.find("^{'"))?;
    let before = text[..place].trim_end_matches(['^', '{', ' ']);
    let count = before
        .bytes()
        .rev()
        .take_while(|byte| is_name_byte(*byte))
        .count();
    let name = &before[before.len() - count..];
    let is_command = before[..before.len() - count].ends_with('\\');
    // Letters of LaTeX stand alone; a number before the name is a factor.
    let name = match text.contains('\\') && !is_command {
        true => &name[name.len().saturating_sub(1)..],
        false => name.trim_start_matches(|sign: char| sign.is_ascii_digit()),
    };
    (!name.is_empty()).then(|| name.to_owned())
}

/// The name under dots.
fn detect_dotted(text: &str) -> Option<String> {
    let place = text
        .find(r"\dot")
        .map(|at| at + 4)
        .or_else(|| text.find(r"\ddot").map(|at| at + 5))?;
    let rest = text[place..].trim_start_matches(['{', ' ']);
    let name = leading_name(rest);
    (!name.is_empty()).then(|| name.to_owned())
}

/// The name in the brackets after the function.
fn detect_argument(text: &str, function: &str) -> Option<String> {
    let squeezed: String = text
        .chars()
        .filter(|sign| !sign.is_whitespace() && *sign != '\'')
        .collect();
    let open = format!("{function}(");
    squeezed.match_indices(&open).find_map(|(place, _)| {
        let inside = &squeezed[place + open.len()..];
        let name = leading_name(inside);
        let is_name = name.starts_with(|sign: char| sign.is_ascii_alphabetic())
            && inside[name.len()..].starts_with(')');
        is_name.then(|| name.to_owned())
    })
}

/// Whether a name stands in a text by itself.
pub(super) fn has_name(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(place, _)| {
        let is_free = |byte: Option<u8>| !byte.is_some_and(is_name_byte);
        let before = place.checked_sub(1).map(|at| text.as_bytes()[at]);
        let before = before.filter(|byte| !byte.is_ascii_digit());
        is_free(before) && is_free(text.as_bytes().get(place + name.len()).copied())
    })
}

/// Reads conditions such as `y(0) = 1, y'(0) = 0`.
pub(super) fn read_conditions(
    given: Option<&OneOrManyFormulas>,
    path: &str,
    reader: &mut TextReader,
) -> Result<Vec<ReadCondition>, ToolError> {
    const CONDITIONS_MAX: usize = 20;
    let texts: Vec<String> = texts_of(given)
        .iter()
        .flat_map(|text| text.split(','))
        .map(|text| text.trim().to_owned())
        .filter(|text| !text.is_empty())
        .collect();
    if texts.len() > CONDITIONS_MAX {
        let count = texts.len();
        refuse!(invalid path, "limit"; "expected at most {CONDITIONS_MAX} conditions, found {count}");
    }
    let mut conditions: Vec<ReadCondition> = Vec::new();
    for text in texts {
        let read = reader.read(&text, path)?;
        let variable = reader
            .options
            .function
            .as_ref()
            .map(|(_, name)| name.clone());
        let has_variable = |expr: &Expr| {
            let symbols = expr.symbols();
            symbols
                .iter()
                .any(|symbol| Some(&*symbol.name) == variable.as_deref())
        };
        let condition = condition_of(&read)
            .filter(|found| !has_variable(&found.at) && !has_variable(&found.value));
        let Some(condition) = condition else {
            return Err(ToolError::invalid(
                path,
                format_args!("`{text}` is no value of the function or of a derivative at a point"),
            )
            .hint("write `y(0) = 1, y'(0) = 0`"));
        };
        let is_twice = conditions
            .iter()
            .any(|known| known.order == condition.order && known.at == condition.at);
        if is_twice {
            refuse!(invalid path; "`{text}` is a second value at the same point"; "give one value for each");
        }
        conditions.push(condition);
    }
    Ok(conditions)
}

fn condition_of(expr: &Expr) -> Option<ReadCondition> {
    let ExprNode::Relation(RelationKind::Equal, left, right) = expr.node() else {
        return None;
    };
    let (order, at) = match left.as_call()? {
        (MathFunction::Named(_), [at]) => (0, at.clone()),
        (MathFunction::Derivative, [_, _, order, at]) => {
            (usize::try_from(order.as_integer()?).ok()?, at.clone())
        }
        _ => return None,
    };
    Some(ReadCondition {
        order,
        at,
        value: right.clone(),
    })
}
