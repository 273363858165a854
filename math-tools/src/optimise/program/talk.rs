//! [`Program`]: a program that evaluates an objective, a line in and a line out for each point.

use std::cell::RefCell;
use std::time::Duration;

use tool_core::command::Command;
use tool_core::conversation::{Conversation, Heard};
use tool_core::{Ctx, ErrorCode, Reason, ToolError, Value, json, tool_error};

/// Longest line, in bytes.
const LINE_BYTES_MAX: usize = 1 << 20;
/// Most empty lines before an answer.
const EMPTY_MAX: usize = 100;
/// Longest part of an answer in an error, in characters.
const SHOWN: usize = 80;
/// Longest lifetime of the program; the deadline of the call ends it sooner.
const LIFETIME: Duration = Duration::from_secs(24 * 3600);

/// A running program.
pub(crate) struct Program {
    talk: Box<dyn Conversation>,
    names: Option<Vec<String>>,
    /// Longest time for one answer.
    patience: Duration,
    last: RefCell<Option<Answer>>,
}

/// An answer and its point.
struct Answer {
    x: Vec<f64>,
    gradient: Option<Vec<f64>>,
}

impl std::fmt::Debug for Program {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Program")
    }
}

impl Program {
    /// Starts a program in the sandbox; `names` are those of the variables.
    ///
    /// # Errors
    /// As [`tool_core::capability::Spawner::converse`].
    pub(super) fn start(
        argv: &[String],
        names: Option<&[String]>,
        patience: Duration,
        ctx: &Ctx,
    ) -> Result<Self, ToolError> {
        let mut command = Command::new(argv.iter().cloned());
        command.limits.wall = LIFETIME;
        command.limits.cpu = LIFETIME;
        command.limits.stdout_bytes = LINE_BYTES_MAX;
        ctx.reserve(2 * LINE_BYTES_MAX as u64)?;
        Ok(Self {
            talk: ctx.spawner()?.converse(&command, ctx.stop())?,
            names: names.map(<[String]>::to_vec),
            patience,
            last: RefCell::new(None),
        })
    }

    /// The objective at a point; NaN where it has no value.
    ///
    /// # Errors
    /// `tool_error` when the program ends, is silent for too long, or answers something else.
    pub(crate) fn value(&self, x: &[f64], ctx: &Ctx) -> Result<f64, ToolError> {
        let point = match &self.names {
            None => Value::vector(x.to_vec()),
            Some(names) => Value::object(names.iter().map(String::as_str).zip(x.iter().copied())),
        };
        let line = json::to_text(&Value::object([("x", point)]));
        let sent = self.talk.send(&line, ctx.stop());
        sent.map_err(|error| self.explained(error))?;
        let line = self.line(ctx)?;
        let (value, gradient) = read(&line, x.len()).map_err(|problem| {
            let shown: String = line.chars().take(SHOWN).collect();
            tool_error!(ToolError, "answer"; "the program answered `{shown}`: {problem}";
                "for each line `{{\"x\": [...]}}` print one line: a number, or {{\"f\": number, \"gradient\": [...]}}; null where there is no value")
        })?;
        let x = x.to_vec();
        *self.last.borrow_mut() = Some(Answer { x, gradient });
        Ok(value)
    }

    /// The gradient that came with the last answer, where it was for this point and had one.
    pub(crate) fn gradient(&self, x: &[f64]) -> Option<Vec<f64>> {
        let last = self.last.borrow();
        let answer = last.as_ref().filter(|answer| answer.x == x)?;
        answer.gradient.clone()
    }

    fn line(&self, ctx: &Ctx) -> Result<String, ToolError> {
        for _ in 0..EMPTY_MAX {
            match self.talk.receive(self.patience, ctx.stop()) {
                Ok(Heard::Line(line)) if line.trim().is_empty() => {}
                Ok(Heard::Line(line)) => return Ok(line),
                Ok(Heard::Silence) => {
                    let seconds = self.patience.as_secs_f64();
                    let error = tool_error!(Timeout, "silent"; "the program gave no answer within {seconds} s";
                        "print the answer and flush standard output after each line; or raise `seconds`");
                    return Err(self.explained(error));
                }
                Ok(Heard::Ended(exit)) => {
                    let how =
                        exit.map_or_else(String::new, |exit| format!(" with status {}", exit.code()));
                    let error = tool_error!(ToolError, Reason::Ended; "the program ended{how} and gave no answer";
                        "it is started once: read lines until standard input ends");
                    return Err(self.explained(error));
                }
                Err(error) => return Err(self.explained(error)),
            }
        }
        let error = tool_error!(ToolError, "answer"; "the program printed {EMPTY_MAX} empty lines");
        Err(self.explained(error))
    }

    /// An error with the last words of the program.
    fn explained(&self, error: ToolError) -> ToolError {
        let said = self.talk.stderr();
        let last: Vec<&str> = said.lines().rev().take(3).collect();
        if last.is_empty() || error.code() == ErrorCode::Cancelled {
            return error;
        }
        let lines: Vec<&str> = last.into_iter().rev().collect();
        let words = format!("{}; it printed: {}", error.message(), lines.join(" / "));
        let reason = error.reason_str().unwrap_or("program").to_owned();
        let hint = error.hint_str().map(str::to_owned);
        let explained = ToolError::new(error.code(), words).reason(reason);
        match hint {
            Some(hint) => explained.hint(hint),
            None => explained,
        }
    }
}

/// The value and the gradient of an answer for n variables.
fn read(line: &str, n: usize) -> Result<(f64, Option<Vec<f64>>), String> {
    let value = json::parse(line, json::Limits::default()).map_err(|err| err.to_string())?;
    let number = |value: &Value| match value {
        Value::Null => Some(f64::NAN),
        Value::String(text) => match &**text {
            "NaN" => Some(f64::NAN),
            "Infinity" => Some(f64::INFINITY),
            "-Infinity" => Some(f64::NEG_INFINITY),
            _ => None,
        },
        other => other.as_f64(),
    };
    let Some(object) = value.as_object() else {
        let found = number(&value).ok_or_else(|| format!("expected a number, found {}", value.kind()))?;
        return Ok((found, None));
    };
    if let Some(words) = object.get("error") {
        return Err(format!("it reports an error, {words}"));
    }
    let found = object.get("f").and_then(number);
    let found = found.ok_or("expected a number as `f`")?;
    let gradient = match object.get("gradient") {
        None | Some(Value::Null) => None,
        Some(entries) => {
            let entries = entries.items().unwrap_or_default();
            let numbers: Option<Vec<f64>> = entries.iter().map(Value::as_f64).collect();
            let numbers = numbers.filter(|numbers| numbers.len() == n);
            Some(numbers.ok_or_else(|| format!("expected {n} numbers as `gradient`"))?)
        }
    };
    Ok((found, gradient))
}
