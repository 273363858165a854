//! [`ExternalObjective`]: a program that evaluates an objective, a line in and a line out for each point.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use crate::optimise::minimise::constraints::ConstraintSet;
use crate::optimise::minimise::objective::ObjectiveOracle;
use tool_core::command::SandboxCommand;
use tool_core::conversation::{LineWaitResult, ProcessConversation};
use tool_core::{Ctx, ErrorCode, Reason, ToolError, Value, json, tool_error};

/// Longest line, in bytes.
const LINE_BYTES_MAX: usize = 1 << 20;
/// Most empty lines before an answer.
const EMPTY_MAX: usize = 100;
/// Longest part of an answer in an error, in characters.
const SHOWN: usize = 80;
/// Longest lifetime of the program; the deadline of the call ends it sooner.
const LIFETIME: Duration = Duration::from_secs(24 * 3600);

/// How a program is asked, and which answer is the best.
#[derive(Debug)]
pub(super) struct ConversationTerms {
    /// Most points.
    pub(super) max_evals: u64,
    /// Longest time for one answer.
    pub(super) patience: Duration,
    pub(super) maximise: bool,
    pub(super) constraints: Rc<ConstraintSet>,
    /// A violation up to this counts as none.
    pub(super) tolerance: f64,
}

/// The best answer: the lowest value, and before that the least violation of constraints.
#[derive(Debug, Clone)]
pub(super) struct BestAnswer {
    pub(super) x: Vec<f64>,
    pub(super) f: f64,
    pub(super) violation: f64,
}

/// A running program.
pub(super) struct ExternalObjective {
    talk: Box<dyn ProcessConversation>,
    names: Option<Vec<String>>,
    terms: ConversationTerms,
    course: RefCell<ConversationCourse>,
}

/// What was asked and answered so far.
#[derive(Debug, Default)]
struct ConversationCourse {
    evaluations: u64,
    without_value: u64,
    is_exhausted: bool,
    /// The last point and its gradient.
    last: Option<(Vec<f64>, Option<Vec<f64>>)>,
    best: Option<BestAnswer>,
}

impl std::fmt::Debug for ExternalObjective {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Program")
            .field("course", &self.course)
            .finish_non_exhaustive()
    }
}

impl ExternalObjective {
    /// Starts a program in the sandbox; `names` are those of the variables.
    ///
    /// # Errors
    /// As [`tool_core::capability::Spawner::converse`].
    pub(super) fn start(
        argv: &[String],
        names: Option<&[String]>,
        terms: ConversationTerms,
        ctx: &Ctx,
    ) -> Result<Self, ToolError> {
        let mut command = SandboxCommand::new(argv.iter().cloned());
        command.limits.wall = LIFETIME;
        command.limits.cpu = LIFETIME;
        command.limits.stdout_bytes = LINE_BYTES_MAX;
        ctx.reserve(2 * LINE_BYTES_MAX as u64)?;
        Ok(Self {
            talk: ctx.spawner()?.converse(&command, ctx.stop())?,
            names: names.map(<[String]>::to_vec),
            terms,
            course: RefCell::default(),
        })
    }

    /// Points that it was asked for.
    pub(super) fn evaluations(&self) -> u64 {
        self.course.borrow().evaluations
    }

    /// Points without a value.
    pub(super) fn without_value(&self) -> u64 {
        self.course.borrow().without_value
    }

    /// Whether one more point was wanted than it may be asked for.
    pub(super) fn is_exhausted(&self) -> bool {
        self.course.borrow().is_exhausted
    }

    /// The best point and its value.
    pub(super) fn best(&self) -> Option<BestAnswer> {
        self.course.borrow().best.clone()
    }

    fn is_better(&self, next: &BestAnswer, best: &BestAnswer) -> bool {
        let excess = |answer: &BestAnswer| (answer.violation - self.terms.tolerance).max(0.0);
        let (less, more) = (excess(next), excess(best));
        let is_lower = if self.terms.maximise {
            next.f > best.f
        } else {
            next.f < best.f
        };
        less < more || less == more && is_lower
    }

    /// An error with the best point so far as evidence.
    pub(super) fn with_best(&self, error: ToolError) -> ToolError {
        match self.best() {
            Some(BestAnswer { x, f, .. }) => error.evidence(Value::object([
                ("x", Value::vector(x)),
                ("f", Value::from(f)),
                ("evaluations", Value::from(self.evaluations())),
            ])),
            None => error,
        }
    }

    /// Asks for one point.
    fn ask(&self, x: &[f64], ctx: &Ctx) -> Result<(f64, Option<Vec<f64>>), ToolError> {
        let point = match &self.names {
            None => Value::vector(x.to_vec()),
            Some(names) => Value::object(names.iter().map(String::as_str).zip(x.iter().copied())),
        };
        let line = json::to_text(&Value::object([("x", point)]));
        self.is_quiet(ctx)?;
        match self.talk.send(&line, ctx.stop()) {
            // Its exit is known when its output has ended: the answer that is missing tells of it.
            Err(error) if error.reason_str() != Some(Reason::Ended.as_str()) => {
                return Err(self.explained(error));
            }
            _ => {}
        }
        let line = self.line(ctx)?;
        parse_answer(&line, x.len()).map_err(|problem| {
            let shown: String = line.chars().take(SHOWN).collect();
            tool_error!(ToolError, "answer"; "the program answered `{shown}`: {problem}";
                "for each line `{{\"x\": [...]}}` print one line: a number, or {{\"f\": number, \"gradient\": [...]}}; null where there is no value")
        })
    }

    /// Checks that no line waits that answers nothing.
    pub(super) fn is_quiet(&self, ctx: &Ctx) -> Result<(), ToolError> {
        match self.talk.receive(Duration::ZERO, ctx.stop()) {
            Ok(LineWaitResult::Line(line)) if !line.trim().is_empty() => {
                let shown: String = line.chars().take(SHOWN).collect();
                let error = tool_error!(ToolError, "answer"; "the program printed `{shown}` without being asked";
                    "print one line for each line read, and what else is to be said to standard error");
                Err(self.explained(error))
            }
            _ => Ok(()),
        }
    }

    fn line(&self, ctx: &Ctx) -> Result<String, ToolError> {
        for _ in 0..EMPTY_MAX {
            match self.talk.receive(self.terms.patience, ctx.stop()) {
                Ok(LineWaitResult::Line(line)) if line.trim().is_empty() => {}
                Ok(LineWaitResult::Line(line)) => return Ok(line),
                Ok(LineWaitResult::Silence) => {
                    let seconds = self.terms.patience.as_secs_f64();
                    let error = tool_error!(ToolError, "silent"; "the program gave no answer within {seconds} s";
                        "print the answer and flush standard output after each line; or raise `seconds`");
                    return Err(self.explained(error));
                }
                Ok(LineWaitResult::Ended(exit)) => {
                    let how = exit
                        .map_or_else(String::new, |exit| format!(" with status {}", exit.code()));
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

impl ObjectiveOracle for ExternalObjective {
    fn value(&self, x: &[f64], ctx: &Ctx) -> Result<f64, ToolError> {
        ctx.check()?;
        if x.iter().any(|x| !x.is_finite()) {
            return Ok(f64::NAN); // no program is asked for such a point
        }
        if self.evaluations() == self.terms.max_evals {
            self.course.borrow_mut().is_exhausted = true;
            return Err(tool_error!(LimitExceeded, "max_evals"; "`max_evals` is used up"));
        }
        self.course.borrow_mut().evaluations += 1;
        let (value, gradient) = self.ask(x, ctx)?;
        let mut course = self.course.borrow_mut();
        if value.is_finite() {
            let violation = self.terms.constraints.violation(x);
            let (x, f) = (x.to_vec(), value);
            let next = BestAnswer { x, f, violation };
            if course
                .best
                .as_ref()
                .is_none_or(|best| self.is_better(&next, best))
            {
                course.best = Some(next);
            }
        } else {
            course.without_value += 1;
        }
        course.last = Some((x.to_vec(), gradient));
        let (evaluations, best) = (course.evaluations, course.best.as_ref().map(|best| best.f));
        ctx.progress(
            evaluations as f64 / self.terms.max_evals as f64,
            || match best {
                Some(best) => format!("{evaluations} evaluations, best value {best:.6}"),
                None => format!("{evaluations} evaluations, no value yet"),
            },
        );
        Ok(value)
    }

    fn gradient(&self, x: &[f64]) -> Option<Vec<f64>> {
        let course = self.course.borrow();
        let (at, gradient) = course.last.as_ref()?;
        gradient.clone().filter(|_| at == x)
    }
}

/// The value and the gradient of an answer for n variables.
fn parse_answer(line: &str, n: usize) -> Result<(f64, Option<Vec<f64>>), String> {
    // As Python prints them.
    let bare = match line.trim() {
        "nan" | "NaN" => Some(f64::NAN),
        "inf" | "Infinity" => Some(f64::INFINITY),
        "-inf" | "-Infinity" => Some(f64::NEG_INFINITY),
        _ => None,
    };
    if let Some(value) = bare {
        return Ok((value, None));
    }
    let value =
        json::parse_json(line, json::JsonLimits::default()).map_err(|err| err.to_string())?;
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
        let found =
            number(&value).ok_or_else(|| format!("expected a number, found {}", value.kind()))?;
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

#[cfg(test)]
mod tests {
    use super::parse_answer;

    #[test]
    fn answers_are_numbers_or_objects() {
        assert_eq!(parse_answer("1.5", 1).unwrap(), (1.5, None));
        assert!(parse_answer("null", 1).unwrap().0.is_nan());
        assert!(parse_answer("nan", 1).unwrap().0.is_nan());
        assert_eq!(parse_answer("Infinity", 1).unwrap().0, f64::INFINITY);
        assert_eq!(
            parse_answer("\"-Infinity\"", 1).unwrap().0,
            f64::NEG_INFINITY
        );
        let both = parse_answer(r#"{"f": 2, "gradient": [1, -1]}"#, 2).unwrap();
        assert_eq!(both, (2.0, Some(vec![1.0, -1.0])));
        assert_eq!(
            parse_answer(r#"{"f": 2, "gradient": null}"#, 2).unwrap(),
            (2.0, None)
        );
        for (line, problem) in [
            ("two", "line 1"),
            ("[1]", "expected a number, found"),
            ("{}", "expected a number as `f`"),
            (r#"{"f": 1, "gradient": [1]}"#, "expected 2 numbers"),
            (r#"{"f": 1, "gradient": [1, null]}"#, "expected 2 numbers"),
            (
                r#"{"error": "singular"}"#,
                "it reports an error, \"singular\"",
            ),
        ] {
            let found = parse_answer(line, 2).unwrap_err();
            assert!(found.contains(problem), "{line}: {found}");
        }
    }
}
