//! `tools/call`: from a request to an answer.

use std::sync::Arc;

use hyper::http::request::Parts;
use registry::offer::Finder;
use rmcp::ErrorData;
use rmcp::model::{CallToolRequestParams, CallToolResponse};
use rmcp::service::{RequestContext, RoleServer};
use tool_core::{ToolError, Value, tool_error};

use super::calling::{McpCall, question_binding};
use super::client::{Answers, ClientAsker};
use super::door::McpServerState;
use super::lines::SentArguments;
use super::running::parse_wanted_call;
use super::{answer, resume, tasks};

/// Answers one `tools/call`, of a connection that wants log messages from this level.
///
/// # Errors
/// `-32602` for an unknown tool and for state of another call, `-32021` where the client lacks a capability; every other failure is an
/// answer that a model reads.
pub(super) async fn answer_tool_call(
    door: &Arc<McpServerState>,
    params: CallToolRequestParams,
    context: RequestContext<RoleServer>,
    logs_from: Option<usize>,
) -> Result<CallToolResponse, ErrorData> {
    let wanted = match parse_wanted_call(&params, sent_arguments(&context)) {
        Ok(wanted) => wanted,
        Err(error) => return Ok(answer::failure_answer(&error).into()),
    };
    if let Some(finder) = Finder::parse(&wanted.tool) {
        return answer_finder(door, finder, wanted.args).await;
    }
    if let Err(error) = door.knows(&wanted.tool) {
        return match params.name == wanted.tool {
            true => Err(unlisted_tool_error(&error)),
            // A name among arguments is for the model to mend.
            false => Ok(answer::failure_answer(&error).into()),
        };
    }
    let answers = match (&params.request_state, &params.input_responses) {
        (None, None) => Answers::new(),
        (state, responses) => {
            let bound_to = question_binding(&wanted);
            let (waiting, given) = resume::restore_request_state(
                door,
                state.as_deref(),
                responses.as_ref(),
                &bound_to,
            )?;
            match waiting.go_on(given) {
                Ok(answers) => answers,
                Err(refused) => return Ok((*refused).into()),
            }
        }
    };
    let asking = ClientAsker::new(&context, answers, logs_from);
    let calling = McpCall::new(wanted, asking, &context);
    if let Some(done) = calling.briefly(door).await? {
        return tasks::call_response(door, &calling, done);
    }
    let started = tokio::select! {
        started = calling.start(door) => started,
        // One that is cancelled while it waits leaves the queue.
        () = context.ct.cancelled() => Err(tool_error!(Cancelled, "the call was cancelled")),
    };
    match started {
        Ok(running) => tasks::await_call(door, running, calling, context).await,
        Err(error) => Ok(answer::failure_answer(&error).into()),
    }
}

/// The arguments as they were sent, which the transport set aside.
fn sent_arguments(context: &RequestContext<RoleServer>) -> Option<&SentArguments> {
    let of_request = || {
        context
            .extensions
            .get::<Parts>()?
            .extensions
            .get::<SentArguments>()
    };
    context
        .extensions
        .get::<SentArguments>()
        .or_else(of_request)
}

impl McpServerState {
    /// Refuses a name that no tool has.
    fn knows(&self, name: &str) -> tool_core::Result<()> {
        let dispatcher = self.toolkit.dispatcher();
        let catalogue = dispatcher.catalogue();
        if catalogue.called(name).is_some() {
            return Ok(());
        }
        // The suggestion is among the tools that the caller sees.
        let near = catalogue.nearest(name);
        let caller = self.toolkit.caller(&self.settings.context);
        let seen = near.filter(|near| dispatcher.resolve(near, &caller).is_ok());
        Err(catalogue.unknown(name, seen))
    }
}

/// The error of the protocol for the name of a call that no tool has.
fn unlisted_tool_error(error: &ToolError) -> ErrorData {
    let hint = error.hint_str().unwrap_or_default();
    ErrorData::invalid_params(format!("{}; {hint}", error.message()), None)
}

/// Answers `search_tools` and `describe_tool`.
async fn answer_finder(
    door: &Arc<McpServerState>,
    finder: Finder,
    args: Value,
) -> Result<CallToolResponse, ErrorData> {
    let door = Arc::clone(door);
    let work = move || {
        let found = door.toolkit.find(&door.settings.context, finder, &args);
        let bytes_max = door.settings.result_bytes_max;
        match finder {
            Finder::Describe => answer::description_answer(&found, bytes_max),
            Finder::Search | Finder::Call => answer::of_outcome(&found, bytes_max, &mut |_| None),
        }
    };
    let answered = tokio::task::spawn_blocking(work).await;
    answered
        .map(Into::into)
        .map_err(|err| ErrorData::internal_error(err.to_string(), None))
}
