//! Calls by a tool, for itself or for a delegate, and questions to the operator.

use super::records::AskedQuestion;
use crate::error::ToolError;
use crate::stop::StopFlag;
use crate::tool_error;
use crate::value::Value;

/// Calls by a delegate, with at most the permissions of the caller.
#[derive(Debug, Clone)]
pub struct CallDelegation {
    /// Name of the delegate in decisions and in the audit.
    pub name: String,
    /// Selectors of its tools among those visible to the caller.
    pub tools: Vec<String>,
    /// Whether it may only read.
    pub read_only: bool,
    /// Tools and arguments, in call order.
    pub calls: Vec<(String, Value)>,
}

/// A question to the operator.
#[derive(Debug, Clone)]
pub struct OperatorQuestion {
    /// The question and its reason.
    pub reason: String,
    /// The tool it is about.
    pub tool: Option<String>,
    /// The arguments it is about.
    pub args: Option<Value>,
}

/// The result of a request for a larger budget.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BudgetRaise {
    /// Remaining calls of the kind; `None` without a limit.
    pub remaining: Option<u64>,
    /// Number of overrides of the task so far.
    pub overrides_used: u64,
    /// Why the budget was not raised; `None` when it was.
    pub refused: Option<String>,
}

/// A plan to check or run.
#[derive(Debug, Clone)]
pub struct ChainRequest {
    /// The plan: a document, or the text of one.
    pub plan: Value,
    /// The values of its inputs, an object.
    pub inputs: Value,
    /// Whether to check only.
    pub check_only: bool,
}

/// A pipeline to run: which phases of the project's configuration, or which recorded pipeline to continue.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PipelineRequest {
    /// Phases that are left out.
    pub skip: Vec<String>,
    /// The one phase that runs.
    pub only: Option<String>,
    /// The phase to begin with.
    pub from: Option<String>,
    /// Id of the pipeline that is continued; the phases are its own then.
    pub resume: Option<String>,
    /// Whether agents of it run again whose outcome is unknown.
    pub retry_unknown: bool,
}

/// How an agent ended that a call started.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct AgentReport {
    /// Why it failed, in a word such as `timeout` or `cancelled`; `None` where it succeeded.
    pub failure: Option<String>,
    /// What happened, for a reader.
    pub message: String,
    /// Its answer; empty without one.
    pub answer: String,
    /// The exit code of its process, where it ended by itself.
    pub exit: Option<i32>,
    /// Its turns, where its command line reports them.
    pub turns: Option<u64>,
    /// Its cost, where its command line reports it.
    pub cost_usd: Option<f64>,
    /// Its duration.
    pub elapsed_ms: u64,
}

/// An agent that can start: its command line is configured and its tools are known. Nothing has started yet.
pub trait PreparedAgent {
    /// How deep agents may start agents: one that no agent started has depth 0.
    fn depth_max(&self) -> u32;

    /// Runs it to its end under an id, with its task.
    fn run(&self, id: &str, task: &str, stop: &StopFlag) -> AgentReport;
}

/// Calls of other tools, with the permissions of the caller and never more. The dispatcher knows the caller; nothing here names a
/// role.
pub trait ToolCaller: Send + Sync {
    /// Calls a tool through the dispatcher.
    ///
    /// # Errors
    /// As the call itself.
    fn call(&self, tool: &str, args: &Value, stop: &StopFlag) -> Result<Value, ToolError>;

    /// Makes the calls of a delegate in order, and returns the envelope of each.
    ///
    /// # Errors
    /// `invalid_args` for a selector that selects nothing, `limit_exceeded` for a delegate of too many delegates. By default
    /// `precondition_failed`.
    fn delegate(
        &self,
        delegation: &CallDelegation,
        stop: &StopFlag,
    ) -> Result<Vec<Value>, ToolError> {
        let _ = (delegation, stop);
        Err(no_dispatcher())
    }

    /// Checks a plan, runs it unless only the check is requested, and returns its outputs and a summary.
    ///
    /// # Errors
    /// Every problem of the plan; the error of a run that failed, with its steps as evidence. By default
    /// `precondition_failed`.
    fn chain(&self, request: &ChainRequest, stop: &StopFlag) -> Result<Value, ToolError> {
        let _ = (request, stop);
        Err(no_dispatcher())
    }

    /// Asks the operator a question once, and returns its id; asked again, with the answer once there is one.
    ///
    /// # Errors
    /// `precondition_failed` without a state folder; `tool_error` when it could not be stored.
    fn escalate(&self, question: &OperatorQuestion) -> Result<AskedQuestion, ToolError> {
        let _ = question;
        Err(no_dispatcher())
    }

    /// Prepares an agent of a role, with at most the tools of the caller; those with a tag of `own` are the role's own, under every
    /// other layer of the caller.
    ///
    /// # Errors
    /// `precondition_failed` where the configuration names no command line for the role, or the interface starts no agents.
    fn agent(&self, role: &str, own: &[&str]) -> Result<Box<dyn PreparedAgent>, ToolError> {
        let _ = (role, own);
        Err(no_dispatcher())
    }

    /// Runs a pipeline of the project to its end, and gives its record. Its agents have at most the tools of the caller.
    ///
    /// # Errors
    /// Everything that keeps a phase or agent from starting; `precondition_failed` where the interface starts no agents.
    fn pipeline(&self, request: &PipelineRequest, stop: &StopFlag) -> Result<Value, ToolError> {
        let _ = (request, stop);
        Err(no_dispatcher())
    }

    /// Raises a budget of the caller's task: `read`, `write`, `exec` or `llm`.
    ///
    /// # Errors
    /// `precondition_failed` where there is no dispatcher.
    fn raise_budget(&self, kind: &str) -> Result<BudgetRaise, ToolError> {
        let _ = kind;
        Err(no_dispatcher())
    }
}

fn no_dispatcher() -> ToolError {
    tool_error!(PreconditionFailed, "capability"; "no dispatcher is available to this call")
}
