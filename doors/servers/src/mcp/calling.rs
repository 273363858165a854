//! [`McpCall`]: one call of a client, which may run more than once before it has its answer.

use std::sync::Arc;

use hyper::http::request::Parts;
use registry::{ApprovalAnswer, RunIdReceiver, TraceParent, Unattended, digest};
use rmcp::ErrorData;
use rmcp::model::{CallToolResult, RequestId};
use rmcp::service::{RequestContext, RoleServer};
use tool_core::{CallOutcome, OutcomeStatus, Reason, Result, StopFlag, Value};

use super::client::{self, Answers, ClientAsker};
use super::door::McpServerState;
use super::progress::ProgressReceiver;
use super::resume::{ClientQuestions, ResumeCondition};
use super::running::{CallCompletion, RunningCall};
use super::{answer, approval, apps};
use mathchain::CallContext;
use mathchain::toolkit::ModelCall;

pub(super) struct McpCall {
    wanted: Arc<ModelCall>,
    id: RequestId,
    trace: Option<TraceParent>,
    asking: Arc<ClientAsker>,
}

/// What follows when a call has run.
pub(super) enum CallContinuation {
    Answer(Box<CallToolResult>),
    /// The client is asked, and the call runs again.
    Ask(ClientQuestions),
}

impl McpCall {
    pub(super) fn new(
        wanted: ModelCall,
        asking: ClientAsker,
        context: &RequestContext<RoleServer>,
    ) -> Self {
        Self {
            wanted: Arc::new(wanted),
            id: context.id.clone(),
            trace: trace_of(context),
            asking: Arc::new(asking),
        }
    }

    /// The call with more answers of its client.
    pub(super) fn having(&self, answers: Answers) -> Self {
        Self {
            wanted: Arc::clone(&self.wanted),
            id: self.id.clone(),
            trace: self.trace.clone(),
            asking: Arc::new(self.asking.having(answers)),
        }
    }

    /// Runs the call here where it ends at once.
    ///
    /// # Errors
    /// `-32603` for a thread that was lost.
    pub(super) async fn briefly(
        &self,
        door: &Arc<McpServerState>,
    ) -> Result<Option<CallCompletion>, ErrorData> {
        let context = self.context(door, door.calls.clone(), &ProgressReceiver::default());
        let wanted = &self.wanted;
        let outcome = (door.toolkit).call_briefly(&context, &wanted.tool, &wanted.args);
        let Some(outcome) = outcome else {
            return Ok(None);
        };
        // An answer may have to be cut, and the whole be stored in a file: not on this thread.
        let is_small = match &outcome.status {
            OutcomeStatus::Success(output) => json_weight(output) <= SMALL_BYTES,
            OutcomeStatus::Error(_) => true,
            // The request is read from the state.
            OutcomeStatus::PendingApproval { .. } => false,
        };
        if is_small {
            return Ok(Some(finish_call(door, outcome, false)));
        }
        let door = Arc::clone(door);
        let done = tokio::task::spawn_blocking(move || finish_call(&door, outcome, false)).await;
        done.map(Some)
            .map_err(|err| ErrorData::internal_error(err.to_string(), None))
    }

    /// Runs the call on a thread of its own.
    ///
    /// # Errors
    /// `limit_exceeded` with reason `overloaded`.
    pub(super) async fn start(&self, door: &Arc<McpServerState>) -> Result<RunningCall> {
        let permit = door.enter().await?;
        let stop = door.calls.child();
        let reports = ProgressReceiver::default();
        let begun = RunIdReceiver::default();
        let context = CallContext {
            begun: Some(begun.clone()),
            ..self.context(door, stop.clone(), &reports)
        };
        let (door, wanted) = (Arc::clone(door), Arc::clone(&self.wanted));
        let shows_run = wanted.tool == RUNS_PLANS && self.asking.shows_apps();
        let thread = tokio::task::spawn_blocking(move || {
            let _permit = permit;
            let outcome = door.toolkit.call_with(&context, &wanted.tool, &wanted.args);
            finish_call(&door, outcome, shows_run)
        });
        Ok(RunningCall {
            thread,
            stop,
            reports,
            begun,
        })
    }

    /// The context of the call.
    fn context(
        &self,
        door: &McpServerState,
        stop: StopFlag,
        reports: &ProgressReceiver,
    ) -> CallContext {
        let answer = match door.toolkit.config().approvals.unattended {
            Unattended::Deny => ApprovalAnswer::Unattended,
            Unattended::Pending => ApprovalAnswer::Ask,
        };
        CallContext {
            answer,
            stop,
            client_id: Some(self.id.to_string()),
            trace: self.trace.clone(),
            progress: Some(reports.receiver()),
            client: Some(client::shared_client(&self.asking)),
            ..door.settings.context.clone()
        }
    }

    /// What follows.
    ///
    /// # Errors
    /// `-32021` where the client lacks a capability that the call needs.
    pub(super) fn next(&self, done: CallCompletion) -> Result<CallContinuation, ErrorData> {
        let outcome = &done.outcome;
        if let Some(questions) =
            approval::approval_question(&self.asking, &self.wanted.tool, outcome)
        {
            return Ok(CallContinuation::Ask(questions));
        }
        let waits_for = |reason| outcome.err().is_some_and(|error| error.is(reason));
        if waits_for(Reason::ClientCapability)
            && let Some(error) = self.asking.lacking()
        {
            return Err(error);
        }
        let requests = self.asking.requests();
        if waits_for(Reason::InputRequired) && !requests.is_empty() {
            let waiting = ResumeCondition::Answers(self.asking.answers().clone());
            return Ok(CallContinuation::Ask(ClientQuestions { requests, waiting }));
        }
        Ok(CallContinuation::Answer(Box::new(done.answer)))
    }

    /// What the state of a question is bound to.
    pub(super) fn bound_to(&self) -> String {
        question_binding(&self.wanted)
    }
}

/// What the state of a question about a call is bound to.
pub(super) fn question_binding(call: &ModelCall) -> String {
    format!("{}\n{}", call.tool, digest::of_value(&call.args))
}

/// The tool whose page shows a run.
const RUNS_PLANS: &str = "chain_run";

/// Results that are answered whole, whatever the limit: less than the least limit.
const SMALL_BYTES: usize = 1000;

/// Bytes of a value as JSON, at most.
fn json_weight(value: &Value) -> usize {
    match value {
        Value::String(text) => 6 * text.len() + 2,
        Value::Object(members) => members
            .iter()
            .map(|(name, value)| 6 * name.len() + 4 + json_weight(value))
            .sum(),
        value => match (value.as_numbers(), value.items()) {
            (Some(numbers), _) => 25 * numbers.as_slice().len() + 2,
            (None, Some(items)) => {
                items
                    .iter()
                    .map(|item| json_weight(item) + 1)
                    .sum::<usize>()
                    + 2
            }
            (None, None) => 25,
        },
    }
}

/// The outcome of a call with its answer, which has the facts for the page of a run where the client shows it.
fn finish_call(door: &McpServerState, outcome: CallOutcome, shows_run: bool) -> CallCompletion {
    if let Some(counted) = &door.settings.counted {
        counted(&outcome);
    }
    let dispatcher = door.toolkit.dispatcher();
    let answers = dispatcher.host().answers.clone();
    let noted = |outcome: &CallOutcome, key: &str| {
        let value = outcome.metadata.get(key).and_then(Value::as_str);
        value.unwrap_or_default().to_owned()
    };
    let (call_id, role) = (noted(&outcome, "call_id"), noted(&outcome, "role"));
    let mut keep = |value: &Value| answers.as_ref()?.keep(&call_id, &role, value).ok();
    let mut answer = answer::of_outcome(&outcome, door.settings.result_bytes_max, &mut keep);
    approval::describe_request(door, &outcome, &mut answer);
    if shows_run {
        apps::run_facts(door, &outcome, &mut answer);
    }
    CallCompletion { outcome, answer }
}

/// The span of the client: in the metadata of the request, else in its header, where it is sound.
fn trace_of(context: &RequestContext<RoleServer>) -> Option<TraceParent> {
    let header = || {
        let parts = context.extensions.get::<Parts>()?;
        parts.headers.get("traceparent")?.to_str().ok()
    };
    TraceParent::parse(context.meta.get_traceparent().or_else(header)?)
}
