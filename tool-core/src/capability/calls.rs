//! Calls that a tool makes, for itself or for a delegate, and what it asks of the person.

use crate::error::{ErrorCode, ToolError};
use crate::stop::StopFlag;
use crate::value::Value;

/// Calls that are made for somebody else, with at most the rights of the caller.
#[derive(Debug, Clone)]
pub struct Delegation {
    /// What the delegate is called in decisions and in the audit.
    pub name: String,
    /// Selectors of the tools it keeps of those that the caller sees.
    pub tools: Vec<String>,
    /// Whether it may change nothing.
    pub read_only: bool,
    /// Tools and arguments, in the order in which they are called.
    pub calls: Vec<(String, Value)>,
}

/// A question that a call puts to the person outside.
#[derive(Debug, Clone)]
pub struct Question {
    /// What is asked, and why.
    pub reason: String,
    /// The tool it is about.
    pub tool: Option<String>,
    /// The arguments it is about.
    pub args: Option<Value>,
}

/// What became of the wish for a larger budget.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BudgetRaise {
    /// How many calls of the kind are left; `None` where nothing limits them.
    pub remaining: Option<u64>,
    /// How often the budgets of the task were raised.
    pub overrides_used: u64,
    /// Why the budget was not raised; `None` when it was.
    pub refused: Option<String>,
}

/// A plan that a call hands on.
#[derive(Debug, Clone)]
pub struct ChainRequest {
    /// The plan: a document, or the text of one.
    pub plan: Value,
    /// The values of its inputs, an object.
    pub inputs: Value,
    /// Whether it is only checked.
    pub check_only: bool,
}

/// Calling other tools, with the rights of the caller and never more. Who calls is known to the dispatcher; nothing here names
/// a role.
pub trait Calls: Send + Sync {
    /// Calls a tool through the dispatcher.
    ///
    /// # Errors
    /// As the call itself.
    fn call(&self, tool: &str, args: &Value, stop: &StopFlag) -> Result<Value, ToolError>;

    /// Makes the calls of a delegate, one after the other; gives the envelope of each.
    ///
    /// # Errors
    /// `invalid_args` for a selector that selects nothing, `limit_exceeded` for a delegate of too many delegates. By default
    /// `precondition_failed`.
    fn delegate(&self, delegation: &Delegation, stop: &StopFlag) -> Result<Vec<Value>, ToolError> {
        let _ = (delegation, stop);
        Err(no_dispatcher())
    }

    /// Checks a plan, and runs it unless only the check is asked for; gives what it answers with and a summary.
    ///
    /// # Errors
    /// Every problem of the plan; the error of a run that failed, with its steps as evidence. By default
    /// `precondition_failed`.
    fn chain(&self, request: &ChainRequest, stop: &StopFlag) -> Result<Value, ToolError> {
        let _ = (request, stop);
        Err(no_dispatcher())
    }

    /// Puts a question to the person outside; gives its id.
    ///
    /// # Errors
    /// `precondition_failed` where nobody can be told; `tool_error` when it could not be kept.
    fn escalate(&self, question: &Question) -> Result<String, ToolError> {
        let _ = question;
        Err(no_dispatcher())
    }

    /// Raises a budget of the task at hand: `read`, `write`, `exec` or `llm`.
    ///
    /// # Errors
    /// `precondition_failed` where there is no dispatcher.
    fn raise_budget(&self, kind: &str) -> Result<BudgetRaise, ToolError> {
        let _ = kind;
        Err(no_dispatcher())
    }
}

fn no_dispatcher() -> ToolError {
    ToolError::new(
        ErrorCode::PreconditionFailed,
        "there is no dispatcher behind this call",
    )
    .reason("capability")
}
