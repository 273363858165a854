//! A call on its way: what a client asks for, what runs, and what it led to.

use registry::RunIdReceiver;
use rmcp::model::{CallToolRequestParams, CallToolResult};
use tokio::task::JoinHandle;
use tool_core::{CallOutcome, Object, Result, StopFlag};

use super::json;
use super::lines::SentArguments;
use super::progress::ProgressReceiver;
use mathchain::toolkit::ModelCall;

/// Reads a request; a call through `call_tool` is one of the tool that it names.
pub(super) fn parse_wanted_call(
    params: &CallToolRequestParams,
    sent: Option<&SentArguments>,
) -> Result<ModelCall> {
    let args = match (sent, &params.arguments) {
        (Some(SentArguments(sent)), _) => sent.clone()?,
        (None, Some(arguments)) => json::to_value(&serde_json::Value::Object(arguments.clone()))?,
        (None, None) => Object::new().into(),
    };
    ModelCall::of(&params.name, args)
}

/// A call that runs on a thread, and what stops it.
pub(super) struct RunningCall {
    pub(super) thread: JoinHandle<CallCompletion>,
    pub(super) stop: StopFlag,
    pub(super) reports: ProgressReceiver,
    /// The run that it began.
    pub(super) begun: RunIdReceiver,
}

/// What a call led to.
pub(super) struct CallCompletion {
    pub(super) outcome: CallOutcome,
    pub(super) answer: CallToolResult,
}
