//! Output limits, and the size of a value without writing it.

use tool_core::{AnyTool, Spec, ToolError, Value, object, tool_error};

use super::cut::truncate_value;
use crate::model::{CallLimits, JoinedObligations};

/// Longest text of one double, with its comma, in bytes.
const DOUBLE_BYTES: u64 = 25;

/// Size as JSON in bytes: an upper bound, or exact where the bound exceeds the limit and the value is not beyond it at a glance.
pub(super) fn json_bytes(value: &Value, limit: u64) -> u64 {
    let bound = json_size_bound(value);
    if bound <= limit || least_json_bytes(value) > limit {
        return bound;
    }
    tool_core::json::to_text(value).len() as u64
}

/// At most the size of typed tables as JSON in bytes, without a look at their cells: two for each, a digit and a comma.
fn least_json_bytes(value: &Value) -> u64 {
    match value {
        Value::Array(items) => items.iter().map(least_json_bytes).sum(),
        Value::Object(object) => match object.table() {
            Some(table) => 2 * (table.rows() * table.names().len()) as u64,
            None => object
                .iter()
                .map(|(_, member)| least_json_bytes(member))
                .sum(),
        },
        _ => 0,
    }
}

fn json_size_bound(value: &Value) -> u64 {
    const ESCAPED: u64 = 6;
    match value {
        Value::Null | Value::Bool(_) => 6,
        Value::Int(_) | Value::Float(_) => DOUBLE_BYTES,
        Value::String(text) => 3 + ESCAPED * text.len() as u64,
        Value::Array(items) => 3 + items.iter().map(json_size_bound).sum::<u64>(),
        // Each double may open and close a row of its own at every rank.
        Value::Numbers(numbers) => {
            (DOUBLE_BYTES + 3 * numbers.rank() as u64) * numbers.as_slice().len() as u64 + 3
        }
        Value::Object(object) => {
            let names = object.keys().map(|key| 4 + ESCAPED * key.len() as u64);
            let members = match object.table() {
                Some(table) => table.json_bytes_max(),
                None => object
                    .iter()
                    .map(|(_, member)| json_size_bound(member))
                    .sum(),
            };
            3 + names.sum::<u64>() + members
        }
    }
}

/// Cuts evidence of an error beyond the output limit, with a warning.
pub(super) fn limit_error_evidence(
    error: ToolError,
    limits: CallLimits,
    warnings: &mut Vec<String>,
) -> ToolError {
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
    let evidence = truncate_value(evidence, most, &mut |_| None);
    error.evidence(evidence)
}

/// The excess of a result over its limit.
pub(super) struct OutputExcess {
    pub(super) bytes: u64,
    pub(super) limit: u64,
    pub(super) name: &'static str,
    /// Whether the limit is an obligation of a rule.
    pub(super) is_obliged: bool,
}

impl OutputExcess {
    /// The error, with the arguments of the tool that make its answer smaller.
    pub(super) fn error(&self, tool: &dyn AnyTool) -> ToolError {
        let Self {
            bytes, limit, name, ..
        } = *self;
        let less = match smaller_by(tool) {
            known if known.is_empty() => "ask for less".to_owned(),
            known => format!("ask for less by {}", known.join(", ")),
        };
        tool_error!(OutputTooLarge, "the result has {bytes} bytes, the limit is {limit} ({name})")
            .hint(format_args!("{less}, or raise the limit; with a state folder, and as a step of a plan, arrays of any size move by handle"))
            .evidence(object! { "bytes" => bytes, "limit" => limit })
    }
}

/// The arguments of a tool that choose how much it answers, in its order.
fn smaller_by(tool: &dyn AnyTool) -> Vec<String> {
    const NAMES: [&str; 9] = [
        "columns",
        "filter",
        "head",
        "limit",
        "max_bytes",
        "max_results",
        "max_rows",
        "rows",
        "where",
    ];
    let schema = tool.input_schema();
    let properties = schema.get("properties").and_then(|found| found.as_object());
    let names = properties
        .into_iter()
        .flat_map(|properties| properties.keys());
    let known = names.filter(|name| NAMES.contains(&name.as_str()));
    known.map(|name| format!("`{name}`")).collect()
}

/// The excess of bytes over a limit, if any.
fn excess_bytes(bytes: u64, limit: u64, name: &'static str) -> Option<OutputExcess> {
    (bytes > limit).then_some(OutputExcess {
        bytes,
        limit,
        name,
        is_obliged: false,
    })
}

/// The excess of a result over the limit that a rule sets.
pub(super) fn beyond_rule(output: &Value, obligations: JoinedObligations) -> Option<OutputExcess> {
    let limit = obligations.max_bytes?;
    let excess = excess_bytes(
        json_bytes(output, limit),
        limit,
        "the obligation `max_bytes`",
    )?;
    Some(OutputExcess {
        is_obliged: true,
        ..excess
    })
}

/// The excess of the result of a step, which stays in memory.
pub(super) fn beyond_memory(output: &Value, limits: CallLimits) -> Option<OutputExcess> {
    let limit = limits.memory_bytes;
    excess_bytes(output.memory_bytes(), limit, "limits.memory_bytes")
}

/// The longest JSON of an answer, and the name of the limit.
pub(super) fn of_answer(spec: &Spec, limits: CallLimits) -> (u64, &'static str) {
    let configured = (limits.max_output_bytes, "limits.max_output_bytes");
    let own = spec
        .output_bytes_max
        .map(|own| (own, "the tool's own limit"));
    own.map_or(configured, |own| configured.min(own))
}

/// The excess of an answer, measured as JSON.
pub(super) fn beyond_answer(
    output: &Value,
    spec: &Spec,
    limits: CallLimits,
) -> Option<OutputExcess> {
    let (limit, name) = of_answer(spec, limits);
    excess_bytes(json_bytes(output, limit), limit, name)
}

#[cfg(test)]
mod tests {
    use tool_core::ErrorCode;

    use super::*;

    #[test]
    fn evidence_of_an_error_has_the_limit_of_a_result() {
        let limits = CallLimits {
            max_output_bytes: 1_000,
            ..CallLimits::default()
        };
        for (bytes, kept) in [(100, true), (900, true), (1_100, false)] {
            let mut warnings = Vec::new();
            let evidence = Value::from("x".repeat(bytes));
            let error = ToolError::new(ErrorCode::Numeric, "singular").evidence(evidence);
            let error = limit_error_evidence(error, limits, &mut warnings);
            let whole = error.evidence_value().and_then(Value::as_str).map(str::len);
            assert_eq!(whole == Some(bytes), kept, "{bytes}");
            assert!(whole.is_some_and(|whole| whole <= 1_000), "{whole:?}");
            assert_eq!(warnings.is_empty(), kept, "{warnings:?}");
        }
    }
}
