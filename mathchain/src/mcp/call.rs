//! `tools/call`: from a request to an answer, on a thread of its own.

use std::sync::Arc;

use hyper::http::request::Parts;
use registry::offer::Finder;
use registry::{Answer, TraceParent, Unattended};
use rmcp::ErrorData;
use rmcp::model::{CallToolRequestParams, CallToolResponse, RequestId};
use rmcp::service::{RequestContext, RoleServer};
use tool_core::{StopFlag, Value};

use super::door::Door;
use super::lines::Sent;
use super::progress::Reports;
use super::running::{Done, Running, wanted};
use super::{answer, approval, tasks};
use crate::Context;
use crate::toolkit::Wanted;

/// Answers one `tools/call`.
///
/// # Errors
/// `-32602` for an unknown tool; every other failure is an answer that a model reads.
pub(super) async fn call(
    door: &Arc<Door>,
    params: CallToolRequestParams,
    context: RequestContext<RoleServer>,
) -> Result<CallToolResponse, ErrorData> {
    let wanted = match wanted(&params, sent(&context)) {
        Ok(wanted) => wanted,
        Err(error) => return Ok(answer::failure(&error).into()),
    };
    if let Some(finder) = Finder::parse(&wanted.tool) {
        return find(door, finder, wanted.args).await;
    }
    door.knows(&wanted.tool)?;
    let resumed = approval::resumed(door, &params, &wanted)?;
    if let Some(refused) = resumed {
        return Ok(refused.into());
    }
    let permit = match door.queue.enter().await {
        Ok(permit) => permit,
        Err(overloaded) => return Ok(answer::failure(&overloaded).into()),
    };
    let stop = door.calls.child();
    let reports = Reports::default();
    let wanted = Arc::new(wanted);
    let thread = {
        let (door, wanted, stop, reports) = (
            Arc::clone(door),
            Arc::clone(&wanted),
            stop.clone(),
            reports.clone(),
        );
        let (id, trace) = (context.id.clone(), trace_of(&context));
        tokio::task::spawn_blocking(move || {
            let _permit = permit;
            let context = door.context_of(&id, trace, stop, reports);
            run(&door, &context, &wanted)
        })
    };
    let running = Running {
        thread,
        stop,
        reports,
    };
    tasks::finish(door, running, &wanted, context).await
}

/// Calls the tool, on the thread of the call.
fn run(door: &Door, context: &Context, wanted: &Wanted) -> Done {
    let outcome = door.toolkit.call_with(context, &wanted.tool, &wanted.args);
    let dispatcher = door.toolkit.dispatcher();
    let answers = dispatcher.host().answers.clone();
    let call_id = outcome
        .metadata
        .get("call_id")
        .and_then(Value::as_str)
        .unwrap_or_default();
    let role = outcome
        .metadata
        .get("role")
        .and_then(Value::as_str)
        .unwrap_or_default();
    let mut keep = |value: &Value| answers.as_ref()?.keep(call_id, role, value).ok();
    let answer = answer::of_outcome(&outcome, door.settings.result_bytes_max, &mut keep);
    Done { outcome, answer }
}

/// The arguments as they were sent, which the transport set aside.
fn sent(context: &RequestContext<RoleServer>) -> Option<&Sent> {
    let of_request = || context.extensions.get::<Parts>()?.extensions.get::<Sent>();
    context.extensions.get::<Sent>().or_else(of_request)
}

/// The span of the client: in the metadata of the request, else in its header, where it is sound.
fn trace_of(context: &RequestContext<RoleServer>) -> Option<TraceParent> {
    let header = || {
        let parts = context.extensions.get::<Parts>()?;
        parts.headers.get("traceparent")?.to_str().ok()
    };
    TraceParent::parse(context.meta.get_traceparent().or_else(header)?)
}

impl Door {
    /// The context of one call.
    fn context_of(
        &self,
        id: &RequestId,
        trace: Option<TraceParent>,
        stop: StopFlag,
        reports: Reports,
    ) -> Context {
        let answer = match self.toolkit.config().approvals.unattended {
            Unattended::Deny => Answer::Unattended,
            Unattended::Pending => Answer::Ask,
        };
        Context {
            answer,
            stop,
            client_id: Some(id.to_string()),
            trace,
            progress: Some(reports.receiver()),
            ..self.settings.context.clone()
        }
    }

    /// Refuses a name that no tool has.
    fn knows(&self, name: &str) -> Result<(), ErrorData> {
        let dispatcher = self.toolkit.dispatcher();
        let catalogue = dispatcher.catalogue();
        if catalogue.called(name).is_some() {
            return Ok(());
        }
        // The suggestion is among the tools that the caller sees.
        let near = catalogue.nearest(name);
        let caller = self.toolkit.caller(&self.settings.context);
        let seen = near.filter(|near| dispatcher.resolve(near, &caller).is_ok());
        let error = catalogue.unknown(name, seen);
        let hint = error.hint_str().unwrap_or_default();
        Err(ErrorData::invalid_params(
            format!("{}; {hint}", error.message()),
            None,
        ))
    }
}

/// Answers `search_tools` and `describe_tool`.
async fn find(
    door: &Arc<Door>,
    finder: Finder,
    args: Value,
) -> Result<CallToolResponse, ErrorData> {
    let door = Arc::clone(door);
    let work = move || {
        let found = door.toolkit.find(&door.settings.context, finder, &args);
        answer::of_outcome(&found, door.settings.result_bytes_max, &mut |_| None)
    };
    let answered = tokio::task::spawn_blocking(work).await;
    answered
        .map(Into::into)
        .map_err(|err| ErrorData::internal_error(err.to_string(), None))
}
