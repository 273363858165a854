//! Output limits, and the size of a value without writing it.

use tool_core::{Spec, ToolError, Value, object, tool_error};

use super::cut::cut;
use crate::model::{Limits, Obligations};

/// Longest text of one double, with its comma, in bytes.
const DOUBLE_BYTES: u64 = 25;

/// Size as JSON in bytes: an upper bound, or exact where the bound exceeds the limit.
pub(super) fn json_bytes(value: &Value, limit: u64) -> u64 {
    let bound = bound(value);
    if bound <= limit {
        return bound;
    }
    tool_core::json::to_text(value).len() as u64
}

fn bound(value: &Value) -> u64 {
    const ESCAPED: u64 = 6;
    match value {
        Value::Null | Value::Bool(_) => 6,
        Value::Int(_) | Value::Float(_) => DOUBLE_BYTES,
        Value::String(text) => 3 + ESCAPED * text.len() as u64,
        Value::Array(items) => 3 + items.iter().map(bound).sum::<u64>(),
        // Each double may open and close a row of its own at every rank.
        Value::Numbers(numbers) => {
            (DOUBLE_BYTES + 3 * numbers.rank() as u64) * numbers.as_slice().len() as u64 + 3
        }
        Value::Object(object) => {
            let members = object.iter();
            let sizes = members.map(|(key, member)| 4 + ESCAPED * key.len() as u64 + bound(member));
            3 + sizes.sum::<u64>()
        }
    }
}

/// Cuts evidence of an error beyond the output limit, with a warning.
pub(super) fn within(error: ToolError, limits: Limits, warnings: &mut Vec<String>) -> ToolError {
    let most = limits.max_output_bytes;
    let Some(evidence) = error.evidence_value() else {
        return error;
    };
    if json_bytes(evidence, most) <= most {
        return error;
    }
    warnings.push(format!(
        "the evidence of the error has more than {most} bytes (limits.max_output_bytes) and is cut"
    ));
    let evidence = cut(evidence, most, &mut |_| None);
    error.evidence(evidence)
}

/// The excess of a result over its limit.
pub(super) struct Excess {
    pub(super) bytes: u64,
    pub(super) limit: u64,
    pub(super) name: &'static str,
    /// Whether the limit is an obligation of a rule.
    pub(super) is_obliged: bool,
}

impl Excess {
    pub(super) fn error(&self) -> ToolError {
        let Self {
            bytes, limit, name, ..
        } = *self;
        tool_error!(OutputTooLarge, "the result has {bytes} bytes, the limit is {limit} ({name})")
            .hint("ask for less, or raise the limit; inside a chain a large result moves without being written")
            .evidence(object! { "bytes" => bytes, "limit" => limit })
    }
}

/// Checks a result against the limits that apply to it.
///
/// The result of a direct call is measured as JSON; that of a step stays in memory and is measured as such.
pub(super) fn excess(
    output: &Value,
    spec: &Spec,
    limits: Limits,
    obligations: Obligations,
    direct: bool,
) -> Option<Excess> {
    let candidate = |limit: u64, name, is_obliged| Excess {
        bytes: 0,
        limit,
        name,
        is_obliged,
    };
    let beyond =
        |bytes: u64, limit: Excess| (bytes > limit.limit).then_some(Excess { bytes, ..limit });
    let most = obligations.max_bytes.unwrap_or(u64::MAX);
    let obliged = candidate(most, "the obligation `max_bytes`", true);
    if !direct {
        let memory = candidate(limits.memory_bytes, "limits.memory_bytes", false);
        return beyond(output.memory_bytes(), memory).or_else(|| match most {
            u64::MAX => None,
            most => beyond(json_bytes(output, most), obliged),
        });
    }
    // A tool whose result is its arrays states a limit of its own, which takes the place of the default; a limit that the
    // configuration sets to anything else holds for every tool.
    let (configured, own) = (limits.max_output_bytes, spec.output_bytes_max);
    let configured = match own {
        Some(_) if configured == Limits::default().max_output_bytes => u64::MAX,
        _ => configured,
    };
    let others = [
        candidate(configured, "limits.max_output_bytes", false),
        candidate(own.unwrap_or(u64::MAX), "the tool's own limit", false),
    ];
    let strictest = others
        .into_iter()
        .chain([obliged])
        .min_by_key(|one| one.limit)?;
    beyond(json_bytes(output, strictest.limit), strictest)
}

#[cfg(test)]
mod tests {
    use tool_core::ErrorCode;

    use super::*;

    #[test]
    fn evidence_of_an_error_has_the_limit_of_a_result() {
        let limits = Limits {
            max_output_bytes: 1_000,
            ..Limits::default()
        };
        for (bytes, kept) in [(100, true), (900, true), (1_100, false)] {
            let mut warnings = Vec::new();
            let evidence = Value::from("x".repeat(bytes));
            let error = ToolError::new(ErrorCode::Numeric, "singular").evidence(evidence);
            let error = within(error, limits, &mut warnings);
            let whole = error.evidence_value().and_then(Value::as_str).map(str::len);
            assert_eq!(whole == Some(bytes), kept, "{bytes}");
            assert!(whole.is_some_and(|whole| whole <= 1_000), "{whole:?}");
            assert_eq!(warnings.is_empty(), kept, "{warnings:?}");
        }
    }
}
