//! What the program around this library offers beside: see [`Extra`](crate::ServerExtension).

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use rmcp::ErrorData;
use rmcp::model::{
    GetPromptRequestParams, GetPromptResponse, GetPromptResult, ResourceContents,
    ResourceUpdatedNotification, ResourceUpdatedNotificationParam, ServerNotification,
};
use rmcp::service::{Peer, RequestContext, RoleServer};
use serde::de::DeserializeOwned;
use tokio::task::{AbortHandle, JoinSet};
use tool_core::{Object, Reason, Result, Value, tool_error};

use super::client::ClientAsker;
use super::door::McpServerState;
use super::resume::{self, ClientQuestions, ResumeCondition};
use super::{json, prompts};

/// Interval at which a resource that a client watches is compared.
const POLL: Duration = Duration::from_millis(500);
/// Most resources that a client watches.
const WATCHED_MAX: usize = 1000;

/// A document as the protocol has it.
fn read_as<T: DeserializeOwned>(value: &Value) -> Result<T> {
    serde_json::from_value(json::of_value(value))
        .map_err(|err| tool_error!(Internal, "a document of this program does not fit: {err}"))
}

/// Documents of a list.
pub(super) fn read_documents<T: DeserializeOwned>(values: &[Value]) -> Result<Vec<T>> {
    values.iter().map(read_as).collect()
}

/// The contents of a resource; `None` for one of this library.
pub(super) fn read_extra_resource(
    door: &McpServerState,
    uri: &str,
) -> Option<Result<Vec<ResourceContents>>> {
    let contents = door.settings.extra.as_ref()?.read(uri)?;
    Some(read_as(&contents).map(|contents| vec![contents]))
}

/// A prompt; one of this library where the program has none of the name.
///
/// # Errors
/// `-32602` as [`prompts::get_prompt`], and for state of another request; `-32021` where the client lacks a capability.
pub(super) async fn answer_prompt(
    door: Arc<McpServerState>,
    params: GetPromptRequestParams,
    context: &RequestContext<RoleServer>,
) -> Result<GetPromptResponse, ErrorData> {
    let Some(extra) = door.settings.extra.clone() else {
        return prompts::get_prompt(&params).map(Into::into);
    };
    let given = serde_json::Value::Object(params.arguments.clone().unwrap_or_default());
    let bound_to = format!("prompts/get\n{}\n{given}", params.name);
    let (state, responses) = (
        params.request_state.as_deref(),
        params.input_responses.as_ref(),
    );
    let (waiting, answers) = resume::restore_request_state(&door, state, responses, &bound_to)?;
    let answers = waiting.go_on(answers).unwrap_or_default();
    let asking = ClientAsker::new(context, answers, None);
    let work = move || {
        let arguments = json::to_value(&given).unwrap_or(Object::new().into());
        let found = extra.prompt(&params.name, &arguments, &asking);
        (found, asking, params)
    };
    let done = tokio::task::spawn_blocking(work).await;
    let (found, asking, params) =
        done.map_err(|err| ErrorData::internal_error(err.to_string(), None))?;
    let error = match found {
        None => return prompts::get_prompt(&params).map(Into::into),
        Some(Ok(found)) => match found
            .get("messages")
            .map_or_else(|| Ok(Vec::new()), read_as)
        {
            Ok(messages) => return Ok(GetPromptResult::new(messages).into()),
            Err(error) => error,
        },
        Some(Err(error)) => error,
    };
    let requests = asking.requests();
    if error.is(Reason::InputRequired) && !requests.is_empty() {
        let waiting = ResumeCondition::Answers(asking.answers().clone());
        return Ok(ClientQuestions { requests, waiting }
            .sealed(&door, &bound_to)
            .into());
    }
    let lacking = asking
        .lacking()
        .filter(|_| error.is(Reason::ClientCapability));
    Err(lacking.unwrap_or_else(|| ErrorData::invalid_params(error.message().to_owned(), None)))
}

/// Resources that one connection watches.
#[derive(Default)]
pub(super) struct ResourceWatches {
    /// Ends what it holds when the connection ends.
    running: JoinSet<()>,
    by_uri: HashMap<String, AbortHandle>,
}

impl ResourceWatches {
    /// Tells the client of changes of a resource.
    ///
    /// # Errors
    /// `-32602` for a resource that nothing watches, and for too many.
    pub(super) fn add(
        &mut self,
        door: &Arc<McpServerState>,
        uri: String,
        peer: Peer<RoleServer>,
    ) -> Result<(), ErrorData> {
        let extra = door.settings.extra.clone();
        let version = |uri: &str| extra.as_ref().and_then(|extra| extra.version(uri));
        let Some(mut seen) = version(&uri) else {
            let message = "no resource of this URI can be watched".to_owned();
            return Err(ErrorData::invalid_params(message, None));
        };
        if self.by_uri.len() >= WATCHED_MAX {
            let message = format!("a client watches at most {WATCHED_MAX} resources");
            return Err(ErrorData::invalid_params(message, None));
        }
        let extra = extra.clone();
        let watched = uri.clone();
        let handle = self.running.spawn(async move {
            loop {
                tokio::time::sleep(POLL).await;
                let now = extra.as_ref().and_then(|extra| extra.version(&watched));
                if now == Some(seen) {
                    continue;
                }
                seen = now.unwrap_or_default();
                let params = ResourceUpdatedNotificationParam::new(watched.clone());
                let update = ResourceUpdatedNotification::new(params);
                let update = ServerNotification::ResourceUpdatedNotification(update);
                if peer.send_notification(update).await.is_err() {
                    return;
                }
            }
        });
        if let Some(before) = self.by_uri.insert(uri, handle) {
            before.abort();
        }
        Ok(())
    }

    pub(super) fn remove(&mut self, uri: &str) {
        if let Some(handle) = self.by_uri.remove(uri) {
            handle.abort();
        }
    }
}
