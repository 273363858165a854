//! Problems of a plan: all of them at once, each with its place and the next step.

use std::collections::HashSet;
use std::fmt;

use registry::{LoadError, LoadErrors};
use tool_core::error::PROBLEMS_BYTES_MAX;
use tool_core::{ErrorCode, RequestProblem, ToolError, brief, object, path};

/// Maximum number of problems that are retained; the rest is counted.
pub const PROBLEMS_MAX: usize = 1000;

/// Most problems in an answer, and most bytes of their words; the rest is counted. A model reads them all.
pub const LISTED_MAX: usize = 50;
const LISTED_BYTES_MAX: usize = 16 << 10;

tool_core::names! {
    /// Kind of a fault; the `reason` in answers.
    Fault {
        /// The document does not have the form of a plan.
        Form = "form",
        /// A name is used twice, reserved or misspelled.
        Id = "id",
        /// A stated limit is exceeded.
        Limit = "limit",
        /// A condition cannot be read, or can never hold.
        Condition = "condition",
        /// The step asks for a place that does not exist.
        Place = "no_cluster",
        /// The plan needs more than its own budget.
        Budget = "budget",
        /// An input of the plan is missing or does not fit.
        Input = "input",
        /// No tool has that name.
        UnknownTool = "unknown_tool",
        /// The tool cannot be used in plans.
        BlockedTool = "blocked_tool",
        /// The caller may not see or use the tool.
        Policy = "policy",
        /// The step needs an approval that was not given.
        Approval = "approval_required",
        /// A reference names no earlier step.
        ReferenceStep = "reference_step",
        /// A reference names a field that is not in the result of the step.
        ReferenceField = "reference_field",
        /// The value of a reference does not fit where it is used.
        Type = "type",
        /// Arrays do not fit together.
        Shape = "shape",
        /// A literal argument does not fit.
        Argument = "argument",
        /// Steps depend on each other in a cycle.
        Cycle = "cycle",
        /// A resource that the step uses is refused.
        Resource = "resource",
    }
}

/// One problem of a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanProblem {
    /// Kind of the fault.
    pub fault: Fault,
    /// JSON pointer in the plan.
    pub pointer: String,
    /// What was expected, and what was found.
    pub message: String,
    /// The next step.
    pub hint: Option<String>,
    /// Line and column in the text, from 1, where the plan came from one.
    pub place: Option<(u32, u32)>,
}

/// A problem with a formatted message, and the next step: `problem!(Limit, "/steps"; "at most {most} steps"; "remove some")`.
macro_rules! problem {
    ($fault:ident, $pointer:expr; $message:literal) => {
        $crate::problem::problem!($fault, $pointer, $message)
    };
    ($fault:ident, $pointer:expr; $message:literal; $hint:literal) => {
        $crate::problem::problem!($fault, $pointer, $message).hint(format_args!($hint))
    };
    ($fault:ident, $pointer:expr, $($message:tt)+) => {
        $crate::problem::PlanProblem::new(
            $crate::problem::Fault::$fault,
            $pointer,
            format_args!($($message)+),
        )
    };
}
pub(crate) use problem;

impl PlanProblem {
    /// A problem at a JSON pointer. What is long of either is cut: the text of a plan chooses its names.
    pub fn new(fault: Fault, pointer: impl AsRef<str>, message: impl fmt::Display) -> Self {
        Self {
            fault,
            pointer: path::brief_pointer(pointer.as_ref()).into_owned(),
            message: brief::brief_message(message),
            hint: None,
            place: None,
        }
    }

    /// An error as a problem at a JSON pointer.
    pub(crate) fn of_error(fault: Fault, pointer: impl AsRef<str>, error: &ToolError) -> Self {
        let hint = error.hint_str().map(str::to_owned);
        Self::new(fault, pointer, error.message()).hint_some(hint)
    }

    /// Adds the next step, where there is one.
    #[must_use]
    pub(crate) fn hint_some(mut self, hint: Option<String>) -> Self {
        self.hint = hint.or(self.hint);
        self
    }

    /// Adds the next step.
    #[must_use]
    pub fn hint(mut self, hint: impl fmt::Display) -> Self {
        self.hint = Some(brief::brief_message(hint));
        self
    }

    /// Adds "did you mean", where a name is near enough.
    #[must_use]
    pub fn near(self, near: Option<&str>) -> Self {
        self.hint_some(near.map(|near| format!("did you mean `{near}`?")))
    }

    fn bytes(&self) -> usize {
        self.pointer.len() + self.message.len() + self.hint.as_ref().map_or(0, String::len)
    }

    /// As an answer holds it.
    fn to_problem(&self) -> RequestProblem {
        RequestProblem {
            reason: Some(self.fault.as_str().into()),
            place: self.place,
            hint: self.hint.clone(),
            ..RequestProblem::new(&self.pointer, &self.message)
        }
    }
}

impl fmt::Display for PlanProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((line, column)) = self.place {
            write!(f, "{line}:{column}: ")?;
        }
        if !self.pointer.is_empty() {
            write!(f, "{}: ", self.pointer)?;
        }
        f.write_str(&self.message)?;
        match &self.hint {
            Some(hint) => write!(f, " ({hint})"),
            None => Ok(()),
        }
    }
}

/// All problems of a plan, in the order of its text; never empty when it is an error.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PlanProblems {
    list: Vec<PlanProblem>,
    more: usize,
    /// Bytes of the words in the list.
    bytes: usize,
}

impl PlanProblems {
    /// Problems of a text.
    pub(crate) fn of_errors(errors: Vec<LoadError>) -> Self {
        let mut problems = Self::default();
        for error in errors {
            problems.push(PlanProblem {
                fault: Fault::Form,
                pointer: error.pointer,
                message: error.message,
                hint: error.hint,
                place: error.place.map(|place| (place.line, place.column)),
            });
        }
        problems
    }

    /// Adds one. Beyond [`PROBLEMS_MAX`] problems, or [`PROBLEMS_BYTES_MAX`] bytes of words, they are only counted.
    pub fn push(&mut self, problem: PlanProblem) {
        if self.list.last() == Some(&problem) {
            return; // several elements of a map have it
        }
        let bytes = self.bytes + problem.bytes();
        if self.is_full() || (bytes > PROBLEMS_BYTES_MAX && !self.list.is_empty()) {
            self.more += 1;
        } else {
            self.bytes = bytes;
            self.list.push(problem);
        }
    }

    /// Adds others.
    pub(crate) fn append(&mut self, others: Self) {
        for problem in others.list {
            self.push(problem);
        }
        self.more += others.more;
    }

    /// The problems.
    pub fn list(&self) -> &[PlanProblem] {
        &self.list
    }

    /// Number of problems beyond those listed.
    pub fn more(&self) -> usize {
        self.more
    }

    /// Number of all problems.
    pub(crate) fn count(&self) -> usize {
        self.list.len() + self.more
    }

    /// Whether there are no problems.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The tools that may not be in a plan, sorted, each once.
    pub fn blocked_tools(&self) -> Vec<String> {
        let blocked = self.list.iter();
        let blocked = blocked.filter(|problem| problem.fault == Fault::BlockedTool);
        let name = |problem: &PlanProblem| problem.message.split('`').nth(1).map(str::to_owned);
        let mut names: Vec<String> = blocked.filter_map(name).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// Whether further problems are only counted, so that their words need not be chosen with care.
    pub(crate) fn is_full(&self) -> bool {
        self.more > 0 || self.list.len() >= PROBLEMS_MAX
    }

    /// Removes problems that follow from a problem of the form at the same place.
    pub(crate) fn without_followers(&mut self, form: &Self) {
        let faulty: HashSet<&str> = form.list.iter().map(|one| &*one.pointer).collect();
        let (count, mut at) = (form.list.len(), 0);
        self.list.retain(|one| {
            at += 1;
            let follows = matches!(one.fault, Fault::Argument | Fault::Type);
            at <= count || !(follows && faulty.contains(&*one.pointer))
        });
    }

    /// Gives problems other places in the plan, where there is one.
    pub(crate) fn move_pointers(&mut self, to: impl Fn(&str) -> Option<String>) {
        for problem in &mut self.list {
            if let Some(pointer) = to(&problem.pointer) {
                problem.pointer = pointer;
            }
        }
    }

    /// Adds line and column to each problem without one, and sorts the problems by them.
    pub(crate) fn locate(&mut self, places: impl Fn(&[&str]) -> Vec<(u32, u32)>) {
        let pointers: Vec<&str> = self.list.iter().map(|one| &*one.pointer).collect();
        let found = places(&pointers);
        for (problem, place) in self.list.iter_mut().zip(found) {
            problem.place.get_or_insert(place);
        }
        self.list.sort_by_key(|problem| problem.place); // stable: at one place, in the order they were found
    }

    fn code(&self) -> ErrorCode {
        let all = |faults: &[Fault]| {
            self.list
                .iter()
                .all(|problem| faults.contains(&problem.fault))
        };
        let codes: [(&[Fault], ErrorCode); 4] = [
            (&[Fault::Approval], ErrorCode::ApprovalRequired),
            (
                &[Fault::Policy, Fault::BlockedTool],
                ErrorCode::PolicyDenied,
            ),
            (&[Fault::UnknownTool], ErrorCode::UnknownTool),
            (&[Fault::Limit], ErrorCode::LimitExceeded),
        ];
        let code = codes.into_iter().find(|(faults, _)| all(faults));
        code.map_or(ErrorCode::InvalidRequest, |(_, code)| code)
    }
}

impl fmt::Display for PlanProblems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, problem) in self.list.iter().enumerate() {
            let line_end = if index > 0 { "\n" } else { "" };
            write!(f, "{line_end}{problem}")?;
        }
        if self.more > 0 {
            write!(f, "\nand {} more", self.more)?;
        }
        Ok(())
    }
}

impl std::error::Error for PlanProblems {}

impl From<PlanProblem> for PlanProblems {
    fn from(problem: PlanProblem) -> Self {
        Self {
            bytes: problem.bytes(),
            list: vec![problem],
            more: 0,
        }
    }
}

/// Errors of a text that is not a document.
impl From<LoadErrors> for PlanProblems {
    fn from(errors: LoadErrors) -> Self {
        Self::of_errors(errors.into_list())
    }
}

/// The answer of a door: the reason and the words are those of the first problem, the list holds the first ones, the evidence how many
/// more there are.
impl From<PlanProblems> for ToolError {
    fn from(problems: PlanProblems) -> Self {
        let Some(first) = problems.list.first() else {
            return Self::new(ErrorCode::Internal, "a plan was refused without a problem");
        };
        let message = match problems.count() {
            1 => first.to_string(),
            count => format!("plan check failed with {count} problems, the first: {first}"),
        };
        let mut bytes = 0;
        let listed = problems.list.iter().map(PlanProblem::to_problem);
        let fits = |problem: &RequestProblem| {
            bytes += problem.bytes();
            bytes <= LISTED_BYTES_MAX
        };
        let listed: Vec<RequestProblem> = listed.take(LISTED_MAX).take_while(fits).collect();
        let blocked = problems.blocked_tools();
        let evidence = object! {
            "status" => "rejected",
            "blocked_tools" => blocked.clone(),
            "more_problems" => problems.count() - listed.len(),
        };
        let mut error = Self::new(problems.code(), message)
            .reason(first.fault.as_str())
            .at(&first.pointer)
            .with_problems(listed)
            .evidence(evidence);
        if let Some(hint) = problems.list.iter().find_map(|one| one.hint.as_ref()) {
            error = error.hint(hint);
        }
        if blocked.is_empty() {
            return error;
        }
        let rule = "only tools that list `chain` among their callers can be used in a plan";
        error.hint(format!("Blocked tools: {}; {rule}", blocked.join(", ")))
    }
}
