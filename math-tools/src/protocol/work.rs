//! The unit of work that a request resolves to, and the names it is resolved by.

use crate::prelude::did_you_mean;
use tool_core::spec::wire_name;
use tool_core::{AnyTool, Ctx, Object, ToolError, Value, tool_error};

use super::request::{CommandParams, member_pointer};
use crate::FAMILIES;

/// A resolved request.
pub(super) struct ResolvedRequest {
    pub(super) job: RequestJob,
    /// The command's own deadline, where it is stricter.
    pub(super) timeout_ms: Option<u64>,
    /// Warnings about how the request was read.
    pub(super) notes: Vec<String>,
    /// Shapes the command's result and statistics.
    pub(super) finish: Finish,
}

/// Makes the result and the statistics of a command from the arguments in canonical form and the tool's result.
pub(super) type Finish = fn(&Value, Value, &mut Object) -> Value;

/// The unit of work of a request.
pub(super) enum RequestJob {
    /// The list of commands, or the description of one.
    Help(Option<&'static dyn AnyTool>),
    /// A tool and its arguments.
    Tool(&'static dyn AnyTool, Value),
    /// An operation of an earlier command.
    Operation(LegacyOperation),
}

/// Runs an operation, by its name, on its parameters.
pub(super) type Run = fn(&str, &Value, &Ctx) -> Result<Value, ToolError>;

/// An operation of an earlier command and its parameters.
pub(super) struct LegacyOperation {
    pub(super) run: Run,
    pub(super) name: String,
    pub(super) params: Value,
}

impl ResolvedRequest {
    pub(super) fn tool(
        name: &str,
        params: CommandParams,
        finish: Finish,
    ) -> Result<Self, ToolError> {
        let tool = find_tool(name).ok_or_else(|| unknown_command_error(name))?;
        let mut work = Self::other(RequestJob::Tool(tool, params.into_value()));
        work.timeout_ms = tool.spec().timeout_ms;
        work.finish = finish;
        Ok(work)
    }

    pub(super) fn other(job: RequestJob) -> Self {
        Self {
            job,
            timeout_ms: None,
            notes: Vec::new(),
            finish: keep_result,
        }
    }
}

/// The commands that are not tools, with their descriptions; `help` lists them among the tools.
pub(super) const EXTRA: [(&str, &str); 3] = [
    (
        "help",
        "List the commands; with `name`, describe one: its arguments, its result and examples.",
    ),
    (
        "matrix_op",
        "Matrix operations of the earlier binary, by `operation`: solve, eigen, svd, inverse, det, lu, qr, rank. The tools `matrix_solve`, `matrix_eigenvalues`, `matrix_svd` and their neighbours return more evidence.",
    ),
    (
        "plot",
        "Plots of the earlier binary, by `type`: scatter (default), line, bar, histogram, function. They are the tools `plot_braille`, `histogram` and `plot_function`.",
    ),
];

/// Every tool of this crate.
pub(super) fn all_tools() -> impl Iterator<Item = &'static dyn AnyTool> {
    FAMILIES
        .iter()
        .flat_map(|family| family.iter())
        .map(|entry| entry.tool())
}

pub(super) fn find_tool(name: &str) -> Option<&'static dyn AnyTool> {
    all_tools().find(|tool| tool.spec().id == name || wire_name(tool.spec().id) == name)
}

/// The error of an unknown command, with the nearest name.
pub(super) fn unknown_command_error(name: &str) -> ToolError {
    let names = all_tools()
        .map(|tool| tool.spec().id)
        .chain(EXTRA.map(|(name, _)| name));
    let near = did_you_mean(name, names);
    let list = "send {\"command\":\"help\"} for a list";
    tool_error!(UnknownTool, "no command named `{}`", shorten_name(name))
        .at("/command")
        .hint(near.as_deref().unwrap_or(list))
}

/// The beginning of a name from a request, for a message.
pub(super) fn shorten_name(name: &str) -> String {
    name.chars().take(80).collect()
}

/// The hint for a name that is none of the known ones.
pub(super) fn near_or_all(name: &str, known: &[&str]) -> String {
    let near = did_you_mean(name, known.iter().copied());
    near.unwrap_or_else(|| format!("one of {}", known.join(", ")))
}

/// Refuses parameters other than the known ones.
pub(super) fn refuse_unknown(
    params: &CommandParams,
    command: &str,
    known: &[&'static str],
) -> Result<(), ToolError> {
    let Some((name, _)) = params.0.iter().find(|(name, _)| !known.contains(name)) else {
        return Ok(());
    };
    let message = format!("unknown argument `{}`", shorten_name(name));
    let hint = did_you_mean(name, known.iter().copied());
    let hint = hint.unwrap_or_else(|| format!("`{command}` takes {}", known.join(", ")));
    Err(ToolError::invalid(member_pointer(name), message).hint(hint))
}

pub(super) fn keep_result(_: &Value, result: Value, _: &mut Object) -> Value {
    result
}

/// Calls a tool on inline data: the arguments in canonical form, and the result.
pub(super) fn call_tool(
    tool: &dyn AnyTool,
    args: &Value,
    ctx: &Ctx,
) -> Result<(Value, Value), ToolError> {
    let call = tool.decode(args)?;
    if let Some(source) = call.sources().first() {
        refuse!(invalid &source.pointer, "source"; "this program reads no files";
            "pass the data inline, or call the tool through `mathchain`");
    }
    let canonical = call.args().clone();
    Ok((canonical, call.run(ctx)?))
}
