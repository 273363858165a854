//! The bodies of tickets and results, as exact text.

use journal::artifacts::{from_exact_text, to_exact_text};
use tool_core::ctx::CallBudget;
use tool_core::{Object, RandomSeed, Result, ToolError, Value, fields, object, tool_error};

/// Calls of one tool under the same limits.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct TicketBody {
    pub(super) tool: String,
    pub(super) version: u32,
    pub(super) budget: CallBudget,
    /// Whether answers are computed twice where the tool can.
    pub(super) verify: bool,
    pub(super) calls: Vec<TicketCall>,
}

/// Arguments in canonical form, and the seed where they set none.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct TicketCall {
    pub(super) args: Value,
    pub(super) seed: RandomSeed,
}

/// The end of one call.
#[derive(Debug, Clone)]
pub(super) struct CallAnswer {
    pub(super) output: Result<Value>,
    pub(super) warnings: Vec<String>,
    pub(super) notes: Object,
}

impl TicketBody {
    /// The exact text.
    pub(super) fn to_text(&self) -> Result<String> {
        let calls = self.calls.iter().map(|call| {
            object! { "args" => call.args.clone(), "seed" => call.seed.get().to_string() }
        });
        to_exact_text(&object! {
            "tool" => self.tool.as_str(),
            "version" => self.version,
            "timeout_ms" => self.budget.timeout_ms.to_string(),
            "memory_bytes" => self.budget.memory_bytes.to_string(),
            "evaluations" => self.budget.evaluations.to_string(),
            "verify" => self.verify,
            "calls" => Value::array(calls.collect()),
        })
    }

    /// Reads the exact text.
    pub(super) fn parse(text: &str) -> Result<Self> {
        let value = from_exact_text(text)?;
        let part = |key: &str| value.get(key).ok_or_else(|| lacking(key));
        let number = |key: &str| -> Result<u64> {
            let text = part(key)?.as_str().map(str::to_owned);
            let number = text.and_then(|text| text.parse().ok());
            number.ok_or_else(|| lacking(key))
        };
        let calls = part("calls")?.items().ok_or_else(|| lacking("calls"))?;
        let calls = calls.iter().map(|call| {
            let seed = call.text("seed").and_then(|seed| seed.parse().ok());
            Ok(TicketCall {
                args: call.get("args").cloned().ok_or_else(|| lacking("args"))?,
                seed: RandomSeed::new(seed.ok_or_else(|| lacking("seed"))?),
            })
        });
        let version = part("version")?.as_i64();
        Ok(Self {
            tool: value
                .text("tool")
                .ok_or_else(|| lacking("tool"))?
                .to_owned(),
            version: version
                .and_then(|version| u32::try_from(version).ok())
                .ok_or_else(|| lacking("version"))?,
            budget: CallBudget {
                timeout_ms: number("timeout_ms")?,
                memory_bytes: number("memory_bytes")?,
                evaluations: number("evaluations")?,
            },
            verify: *part("verify")? == Value::Bool(true),
            calls: calls.collect::<Result<_>>()?,
        })
    }
}

/// The exact text of the ends of calls: equal for equal results, with nothing of time or place.
pub(super) fn answers_to_text(answers: &[CallAnswer]) -> Result<String> {
    let answers = answers.iter().map(|answer| {
        let mut members = match &answer.output {
            Ok(output) => fields! { "output" => output.clone() },
            Err(error) => fields! { "error" => error.to_value() },
        };
        if !answer.warnings.is_empty() {
            members.insert("warnings", answer.warnings.clone());
        }
        if !answer.notes.is_empty() {
            members.insert("notes", answer.notes.clone());
        }
        Value::from(members)
    });
    to_exact_text(&object! { "answers" => Value::array(answers.collect()) })
}

/// Reads the ends of `count` calls.
pub(super) fn answers_of_text(text: &str, count: usize) -> Result<Vec<CallAnswer>> {
    let value = from_exact_text(text)?;
    let answers = value.get("answers").and_then(Value::items);
    let answers = answers.filter(|answers| answers.len() == count);
    let answers = answers.ok_or_else(|| lacking("answers"))?;
    let read = |answer: &Value| {
        let error = answer.get("error").map(ToolError::from_value);
        let warnings = answer.items_at("warnings");
        let notes = answer.get("notes").and_then(Value::as_object);
        Ok(CallAnswer {
            output: match (answer.get("output"), error) {
                (Some(output), None) => Ok(output.clone()),
                (None, Some(Some(error))) => Err(error),
                _ => return Err(lacking("output")),
            },
            warnings: (warnings.iter().filter_map(Value::as_str).map(str::to_owned)).collect(),
            notes: notes.cloned().unwrap_or_default(),
        })
    };
    answers.iter().map(read).collect()
}

fn lacking(key: &str) -> ToolError {
    tool_error!(InvalidRequest, "ticket"; "a ticket or its result has no valid `{key}`")
}
