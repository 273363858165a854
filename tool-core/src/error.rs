//! The error of a tool: a stable code, a message, the argument at fault and a hint.

use std::borrow::Cow;
use std::fmt;

use crate::reason::Reason;
use crate::value::Value;
use crate::{brief, path};

names! {
    /// The closed list of error codes; every failure at every door carries one of them.
    ErrorCode {
        /// The request itself is malformed: not JSON, a duplicate key, too deep, not an object.
        InvalidRequest = "invalid_request",
        /// No tool has that name.
        UnknownTool = "unknown_tool",
        /// An argument is missing, unknown, of the wrong type or out of range.
        InvalidArgs = "invalid_args",
        /// The tool exists but this caller may not see it.
        NotVisible = "not_visible",
        /// A rule denies this call.
        PolicyDenied = "policy_denied",
        /// The call needs an approval, and this interface cannot wait for one.
        ApprovalRequired = "approval_required",
        /// The operator declined the call.
        ApprovalDeclined = "approval_declined",
        /// The approval was not given, or not used, in time.
        ApprovalExpired = "approval_expired",
        /// A precondition of the tool is not met.
        PreconditionFailed = "precondition_failed",
        /// A file or other resource changed between planning and running.
        ResourceChanged = "resource_changed",
        /// An earlier step that this one depends on did not succeed.
        DependencyFailed = "dependency_failed",
        /// The sandbox the tool needs cannot be applied on this machine.
        SandboxUnavailable = "sandbox_unavailable",
        /// A stated limit on size, memory, depth or evaluations was reached.
        LimitExceeded = "limit_exceeded",
        /// The deadline passed.
        Timeout = "timeout",
        /// The caller cancelled the call.
        Cancelled = "cancelled",
        /// The result is larger than the output limit.
        OutputTooLarge = "output_too_large",
        /// The mathematics has no answer, or none that can be trusted.
        Numeric = "numeric",
        /// The tool failed in its own domain.
        ToolError = "tool_error",
        /// The call conflicts with the state it found.
        Conflict = "conflict",
        /// A defect in mathchain itself.
        Internal = "internal",
    }
}

/// Maximum size of the texts in the problems of one error, in bytes; the rest is counted.
pub const PROBLEMS_BYTES_MAX: usize = 192 << 10;

/// The member `outcome` of an error whose call may have had effects.
const UNKNOWN: &str = "unknown";

/// One problem of a request, and its place.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RequestProblem {
    /// JSON pointer of the culprit; empty for the whole document.
    pub path: String,
    /// Expected and found.
    pub message: String,
    /// Next step.
    pub hint: Option<String>,
    /// Kind of the problem, where there are kinds.
    pub reason: Option<Cow<'static, str>>,
    /// Line and column in the text, from 1.
    pub place: Option<(u32, u32)>,
}

impl RequestProblem {
    /// A problem at a JSON pointer. Long pointers and messages are cut.
    pub fn new(path: impl AsRef<str>, message: impl fmt::Display) -> Self {
        Self {
            path: path::brief_pointer(path.as_ref()).into_owned(),
            message: brief::brief_message(message),
            ..Self::default()
        }
    }

    /// Adds a hint.
    #[must_use]
    pub fn hint(mut self, hint: impl fmt::Display) -> Self {
        self.hint = Some(brief::brief_message(hint));
        self
    }

    fn to_value(&self) -> Value {
        present_members([
            ("reason", self.reason.as_deref().map(Value::from)),
            ("path", Some(self.path.as_str().into())),
            ("message", Some(self.message.as_str().into())),
            ("hint", self.hint.as_deref().map(Value::from)),
            ("line", self.place.map(|(line, _)| Value::from(line))),
            ("column", self.place.map(|(_, column)| Value::from(column))),
        ])
    }

    /// Size of its texts in bytes.
    pub fn bytes(&self) -> usize {
        self.path.len() + self.message.len() + self.hint.as_ref().map_or(0, String::len)
    }
}

/// The result of work that can fail with an error of a tool.
pub type Result<T, E = ToolError> = std::result::Result<T, E>;

/// The failure of a call: code, message, JSON pointer of the argument, and hint.
///
/// Messages start in lower case, name arguments in backticks and state what was expected and found; suggestions go into the hint.
#[derive(Clone)]
pub struct ToolError(Box<ToolErrorInner>);

#[derive(Clone)]
struct ToolErrorInner {
    code: ErrorCode,
    reason: Option<Cow<'static, str>>,
    message: String,
    path: Option<String>,
    hint: Option<String>,
    problems: Vec<RequestProblem>,
    evidence: Option<Value>,
    approval: Option<String>,
    may_have_happened: bool,
}

impl ToolError {
    /// An error with a code and a message.
    pub fn new(code: ErrorCode, message: impl fmt::Display) -> Self {
        Self(Box::new(ToolErrorInner {
            code,
            reason: None,
            message: brief::brief_message(message),
            path: None,
            hint: None,
            problems: Vec::new(),
            evidence: None,
            approval: None,
            may_have_happened: false,
        }))
    }

    /// An `invalid_args` error at a JSON pointer such as `/A/2`.
    pub fn invalid(path: impl AsRef<str>, message: impl fmt::Display) -> Self {
        Self::new(ErrorCode::InvalidArgs, message).at(path)
    }

    /// A computation without a usable result, at the argument that the caller can change.
    pub fn numeric(path: impl AsRef<str>, message: impl fmt::Display) -> Self {
        Self::new(ErrorCode::Numeric, message).at(path)
    }

    /// One error for several problems, with the path of the first. A list beyond [`PROBLEMS_BYTES_MAX`] is truncated, and the message
    /// states the number of further problems.
    pub fn of_problems(code: ErrorCode, mut problems: Vec<RequestProblem>) -> Self {
        if problems.is_empty() {
            return Self::new(
                ErrorCode::Internal,
                "an error was reported without a problem",
            );
        }
        if problems.len() == 1 {
            let only = problems.remove(0);
            let error = Self::new(code, only.message).at(only.path);
            return match only.hint {
                Some(hint) => error.hint(hint),
                None => error,
            };
        }
        let mut bytes = 0;
        let fits = |problem: &&RequestProblem| {
            bytes += problem.bytes();
            bytes <= PROBLEMS_BYTES_MAX
        };
        let kept = problems.iter().take_while(fits).count().max(1);
        let more = problems.len() - kept;
        problems.truncate(kept);
        let words = problems.iter().map(|problem| problem.message.as_str());
        let mut message = brief::brief_message(words.collect::<Vec<_>>().join("; "));
        if more > 0 {
            message.push_str(&format!("; and {more} more"));
        }
        let mut error = Self::new(code, "").at(problems[0].path.clone());
        error.0.message = message;
        error.0.hint = problems.iter().find_map(|problem| problem.hint.clone());
        error.0.problems = problems;
        error
    }

    /// Adds the problems that the message summarises.
    #[must_use]
    pub fn with_problems(mut self, problems: Vec<RequestProblem>) -> Self {
        self.0.problems = problems;
        self
    }

    /// Adds a finer reason below the code, such as `singular`.
    #[must_use]
    pub fn reason(mut self, reason: impl Into<Cow<'static, str>>) -> Self {
        self.0.reason = Some(reason.into());
        self
    }

    /// Adds the JSON pointer of the argument.
    #[must_use]
    pub fn at(mut self, path: impl AsRef<str>) -> Self {
        self.0.path = Some(path::brief_pointer(path.as_ref()).into_owned());
        self
    }

    /// Adds a hint.
    #[must_use]
    pub fn hint(mut self, hint: impl fmt::Display) -> Self {
        self.0.hint = Some(brief::brief_message(hint));
        self
    }

    /// Adds partial results, such as the best point of an optimiser.
    #[must_use]
    pub fn evidence(mut self, evidence: impl Into<Value>) -> Self {
        self.0.evidence = Some(evidence.into());
        self
    }

    /// Removes the partial results.
    #[must_use]
    pub fn without_evidence(mut self) -> Self {
        self.0.evidence = None;
        self
    }

    /// Adds the pending approval of a nested plan: the call that runs the plan waits for it as well.
    #[must_use]
    pub fn waits_for(mut self, approval_id: impl Into<String>) -> Self {
        self.0.approval = Some(approval_id.into());
        self
    }

    /// A copy with a prefix to its message, without problems and evidence.
    #[must_use]
    pub fn prefixed(&self, words: impl fmt::Display) -> Self {
        Self(Box::new(ToolErrorInner {
            message: brief::brief_message(format_args!("{words}: {}", self.0.message)),
            problems: Vec::new(),
            evidence: None,
            approval: None,
            ..(*self.0).clone()
        }))
    }

    /// Marks the outcome as unknown: the call was stopped or lost, and its effects may have happened.
    #[must_use]
    pub fn may_have_happened(mut self) -> Self {
        self.0.may_have_happened = true;
        self
    }

    /// Marks the outcome as known again, as after undoing the call.
    #[must_use]
    pub fn settled(mut self) -> Self {
        self.0.may_have_happened = false;
        self
    }

    /// Whether the outcome is unknown.
    pub fn is_outcome_unknown(&self) -> bool {
        self.0.may_have_happened
    }

    /// The code.
    pub fn code(&self) -> ErrorCode {
        self.0.code
    }

    /// Whether it has this reason.
    pub fn is(&self, reason: Reason) -> bool {
        self.reason_str() == Some(reason.as_str())
    }

    /// The finer reason, if any.
    pub fn reason_str(&self) -> Option<&str> {
        self.0.reason.as_deref()
    }

    /// The message.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// JSON pointer of the argument at fault, if any.
    pub fn path(&self) -> Option<&str> {
        self.0.path.as_deref()
    }

    /// The hint, if any.
    pub fn hint_str(&self) -> Option<&str> {
        self.0.hint.as_deref()
    }

    /// Partial results.
    pub fn evidence_value(&self) -> Option<&Value> {
        self.0.evidence.as_ref()
    }

    /// The pending approval of a nested plan.
    pub fn approval(&self) -> Option<&str> {
        self.0.approval.as_deref()
    }

    /// The problems that the message summarises.
    pub fn problems(&self) -> &[RequestProblem] {
        &self.0.problems
    }

    /// Parses the `error` member of an envelope.
    pub fn from_value(value: &Value) -> Option<Self> {
        let text = |value: &Value, key: &str| Some(value.get(key)?.as_str()?.to_owned());
        let code = text(value, "code")?;
        let code = ErrorCode::parse(&code)?;
        let problems = value.get("problems").and_then(Value::items);
        let problem = |one: &Value| {
            let number = |key: &str| u32::try_from(one.get(key)?.as_i64()?).ok();
            Some(RequestProblem {
                path: text(one, "path")?,
                message: text(one, "message")?,
                hint: text(one, "hint"),
                reason: text(one, "reason").map(Cow::Owned),
                place: number("line").zip(number("column")),
            })
        };
        Some(Self(Box::new(ToolErrorInner {
            code,
            reason: text(value, "reason").map(Cow::Owned),
            message: text(value, "message")?,
            path: text(value, "path"),
            hint: text(value, "hint"),
            problems: problems
                .unwrap_or_default()
                .iter()
                .filter_map(problem)
                .collect(),
            evidence: value.get("evidence").cloned(),
            approval: None,
            may_have_happened: false,
        })))
    }

    /// The `error` member of the envelope.
    pub fn to_value(&self) -> Value {
        let inner = &self.0;
        let outcome = inner.may_have_happened.then_some(UNKNOWN);
        let problems = inner
            .problems
            .iter()
            .map(RequestProblem::to_value)
            .collect();
        present_members([
            ("code", Some(inner.code.as_str().into())),
            ("reason", inner.reason.as_deref().map(Value::from)),
            ("message", Some(inner.message.as_str().into())),
            ("path", inner.path.as_deref().map(Value::from)),
            ("hint", inner.hint.as_deref().map(Value::from)),
            ("outcome", outcome.map(Value::from)),
            (
                "problems",
                (!inner.problems.is_empty()).then(|| Value::array(problems)),
            ),
            ("evidence", inner.evidence.clone()),
        ])
    }
}

/// An object of the members with a value.
fn present_members<const N: usize>(members: [(&'static str, Option<Value>); N]) -> Value {
    Value::object(
        members
            .into_iter()
            .filter_map(|(key, value)| Some((key, value?))),
    )
}

impl fmt::Display for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)
    }
}

impl fmt::Debug for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.0.code, self.0.message)?;
        if let Some(path) = &self.0.path {
            write!(f, " (at `{path}`)")?;
        }
        if let Some(hint) = &self.0.hint {
            write!(f, "; hint: {hint}")?;
        }
        Ok(())
    }
}

impl std::error::Error for ToolError {}

/// An error with a code of [`ErrorCode`] and a formatted message: `tool_error!(LimitExceeded, "the list has {count} tasks")`; or
/// with argument, reason and next step, each optional: `tool_error!(Conflict at "/run", "run_ended"; "it has ended"; "start it again")`.
#[macro_export]
macro_rules! tool_error {
    ($code:ident $(at $path:expr)? $(, $reason:expr)?; $message:literal $(, $value:expr)* $(; $hint:literal $(, $part:expr)*)?) => {
        $crate::ToolError::new($crate::ErrorCode::$code, format_args!($message $(, $value)*))
            $(.at($path))? $(.reason($reason))? $(.hint(format_args!($hint $(, $part)*)))?
    };
    ($code:ident, $($message:tt)+) => {
        $crate::ToolError::new($crate::ErrorCode::$code, format_args!($($message)+))
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_of_many_problems_is_held_to_a_size() {
        let problem = |number: usize| RequestProblem::new(format!("/{number}"), "x".repeat(4_000));
        let error =
            ToolError::of_problems(ErrorCode::InvalidArgs, (0..1_000).map(problem).collect());
        let kept = error.problems().len();
        assert_eq!(kept, PROBLEMS_BYTES_MAX / 4_003);
        assert!(
            error
                .message()
                .ends_with(&format!("; and {} more", 1_000 - kept))
        );
        assert!(error.to_value().to_string().len() < PROBLEMS_BYTES_MAX + 16_384);
    }

    #[test]
    fn the_words_of_an_error_do_not_grow_with_what_was_sent() {
        let long = "k".repeat(1_000_000);
        let error = ToolError::invalid(format!("/{long}"), &long).hint(&long);
        let problem = RequestProblem::new(format!("/{long}"), &long).hint(&long);
        assert!(error.to_value().to_string().len() < 20_000);
        assert!(problem.bytes() < 20_000);
    }
}
