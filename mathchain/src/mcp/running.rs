//! A call on its way: what a client asks for, what runs, and what it led to.

use registry::offer::Finder;
use rmcp::model::{CallToolRequestParams, CallToolResult};
use tokio::task::JoinHandle;
use tool_core::{Object, Outcome, Result, StopFlag, ToolError, Value};

use super::json;
use super::lines::Sent;
use super::progress::Reports;

/// A call that a client asks for.
pub(super) struct Wanted {
    /// Name of the tool, as it was sent.
    pub(super) tool: String,
    pub(super) args: Value,
}

impl Wanted {
    /// Reads a request; a call through `call_tool` is one of the tool that it names.
    pub(super) fn of(params: &CallToolRequestParams, sent: Option<&Sent>) -> Result<Self> {
        let args = match (sent, &params.arguments) {
            (Some(Sent(sent)), _) => sent.clone()?,
            (None, Some(arguments)) => {
                json::to_value(&serde_json::Value::Object(arguments.clone()))?
            }
            (None, None) => Object::new().into(),
        };
        if Finder::parse(&params.name) != Some(Finder::Call) {
            return Ok(Self {
                tool: params.name.to_string(),
                args,
            });
        }
        let tool = text_argument(&args, "name")?;
        let args = match args.get("arguments") {
            None | Some(Value::Null) => Object::new().into(),
            Some(args) => args.clone(),
        };
        Ok(Self { tool, args })
    }
}

/// A call that runs on a thread, and what stops it.
pub(super) struct Running {
    pub(super) thread: JoinHandle<Done>,
    pub(super) stop: StopFlag,
    pub(super) reports: Reports,
}

/// What a call led to.
pub(super) struct Done {
    pub(super) outcome: Outcome,
    pub(super) answer: CallToolResult,
}

/// A text among arguments.
///
/// # Errors
/// `invalid_args` where it is missing or no text.
pub(super) fn text_argument(args: &Value, name: &str) -> Result<String> {
    let given = args.get(name).and_then(Value::as_str).map(str::to_owned);
    given.ok_or_else(|| {
        let found = args
            .get(name)
            .map_or_else(|| "nothing".to_owned(), Value::kind);
        ToolError::invalid(
            format!("/{name}"),
            format_args!("expected the name of a tool, found {found}"),
        )
        .hint("`search_tools` finds tools")
    })
}
