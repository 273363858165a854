//! [`ClientAsker`]: the client of one call, as a tool asks it.
//!
//! A client of the older protocol is sent a request, and the call waits for the answer. One of the newer protocol is asked by the answer
//! to the call, and repeats the call with what its user answered.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rmcp::ErrorData;
use rmcp::model::{
    ClientCapabilities, ErrorCode, InputRequest, InputRequests, ProtocolVersion,
    ServerNotification, ServerRequest,
};
use rmcp::service::{Peer, RequestContext, RoleServer};
use serde_json::{Map, Value as Json, json};
use tokio::runtime::Handle;
use tool_core::capability::{CallClient, ClientQuestion, cannot_answer, input_required};
use tool_core::{Result, StopFlag, ToolError, Value, tool_error};

use super::{apps, json};

/// Answers of the client, by the key of the question.
pub(super) type Answers = Map<String, Json>;

/// Interval at which a call that waits for its client looks whether it should stop.
const POLL: Duration = Duration::from_millis(50);

/// Levels of log messages, from the least severe.
const LEVELS: [&str; 8] = [
    "debug",
    "info",
    "notice",
    "warning",
    "error",
    "critical",
    "alert",
    "emergency",
];

/// The place of a level among all.
pub(super) fn level_severity(level: &impl serde::Serialize) -> Option<usize> {
    let level = serde_json::to_value(level).ok()?;
    LEVELS.iter().position(|one| level == *one)
}

/// What a call asked.
#[derive(Default)]
struct ClientRequests {
    requests: InputRequests,
    /// A method that the client does not answer.
    lacking: Option<&'static str>,
}

pub(super) struct ClientAsker {
    peer: Peer<RoleServer>,
    runtime: Handle,
    /// Whether it is asked by the answer to the call.
    by_answer: bool,
    capabilities: ClientCapabilities,
    answers: Answers,
    /// The least severe message that it wants.
    logs_from: Option<usize>,
    asked: Mutex<ClientRequests>,
}

impl ClientAsker {
    /// The client of a request, with what it has answered, and the level of messages that its connection set.
    pub(super) fn new(
        context: &RequestContext<RoleServer>,
        answers: Answers,
        logs_from: Option<usize>,
    ) -> Self {
        let newest = ProtocolVersion::V_2026_07_28;
        let by_answer = context
            .protocol_version()
            .is_some_and(|version| version.as_str() >= newest.as_str());
        let logs_from = match by_answer {
            true => context
                .meta
                .log_level()
                .and_then(|level| level_severity(&level)),
            false => logs_from,
        };
        Self {
            peer: context.peer.clone(),
            runtime: Handle::current(),
            by_answer,
            capabilities: context.client_capabilities().unwrap_or_default(),
            answers,
            logs_from,
            asked: Mutex::default(),
        }
    }

    /// The same client, with more answers.
    pub(super) fn having(&self, answers: Answers) -> Self {
        Self {
            peer: self.peer.clone(),
            runtime: self.runtime.clone(),
            by_answer: self.by_answer,
            capabilities: self.capabilities.clone(),
            answers,
            logs_from: self.logs_from,
            asked: Mutex::default(),
        }
    }

    /// What the client has answered.
    pub(super) fn answers(&self) -> &Answers {
        &self.answers
    }

    /// Whether the client shows pages beside results.
    pub(super) fn shows_apps(&self) -> bool {
        apps::shows_apps(Some(&self.capabilities))
    }

    /// Whether the client can be asked by the answer to its call.
    pub(super) fn is_asked_by_answer(&self) -> bool {
        self.by_answer
    }

    /// Takes what the call asked.
    pub(super) fn requests(&self) -> InputRequests {
        std::mem::take(&mut self.asked().requests)
    }

    /// The error for a client that lacks what a call needs, where the protocol has one.
    pub(super) fn lacking(&self) -> Option<ErrorData> {
        let method = self.asked().lacking.filter(|_| self.by_answer)?;
        let name = required_capability(method);
        let data = json!({ "requiredCapabilities": { name: {} } });
        let message = format!("the call needs the client capability `{name}`");
        let code = ErrorCode::MISSING_REQUIRED_CLIENT_CAPABILITY;
        Some(ErrorData::new(code, message, Some(data)))
    }

    fn asked(&self) -> std::sync::MutexGuard<'_, ClientRequests> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The answer that came with the call; without one the question is noted. An answer that is no object is none.
    fn earlier(&self, key: &str, request: Json) -> Result<Value> {
        if let Some(answer) = self.answers.get(key).filter(|answer| answer.is_object()) {
            return json::to_value(answer);
        }
        let request: InputRequest =
            serde_json::from_value(request).map_err(unsound_request_error)?;
        self.asked().requests.insert(key.to_owned(), request);
        Err(input_required())
    }

    /// Sends a request and waits.
    fn now(&self, request: Json, stop: &StopFlag) -> Result<Value> {
        let request: ServerRequest =
            serde_json::from_value(request).map_err(unsound_request_error)?;
        let stopped = async {
            loop {
                if let Err(error) = stop.check() {
                    return error;
                }
                tokio::time::sleep(POLL).await;
            }
        };
        let answered = self.runtime.block_on(async {
            tokio::select! {
                answer = self.peer.send_request(request) => answer.map_err(|err| {
                    tool_error!(ToolError, "client"; "the client did not answer: {err}")
                }),
                error = stopped => Err(error),
            }
        });
        let answer = serde_json::to_value(answered?).map_err(unsound_request_error)?;
        json::to_value(&answer)
    }
}

impl CallClient for ClientAsker {
    fn can(&self, method: &str) -> bool {
        let has = serde_json::to_value(&self.capabilities).unwrap_or_default();
        !has[required_capability(method)].is_null()
    }

    fn ask(&self, key: &str, ask: &ClientQuestion, stop: &StopFlag) -> Result<Value> {
        if !self.can(ask.method) {
            self.asked().lacking = Some(ask.method);
            return Err(cannot_answer(ask.method));
        }
        let request = json!({ "method": ask.method, "params": json::of_value(&ask.params) });
        match self.by_answer {
            true => self.earlier(key, request),
            false => self.now(request, stop),
        }
    }

    fn log(&self, level: &str, text: &str) {
        let place = LEVELS.iter().position(|one| *one == level);
        if place.is_none() || self.logs_from.is_none() || place < self.logs_from {
            return;
        }
        let message = json!({ "method": "notifications/message", "params": { "level": level, "data": text } });
        let message: Result<ServerNotification, _> = serde_json::from_value(message);
        if let Ok(message) = message {
            // A client that has gone reads no log.
            let _ = self.runtime.block_on(self.peer.send_notification(message));
        }
    }
}

/// The capability of clients that answer a method.
fn required_capability(method: &str) -> &str {
    method.split('/').next().unwrap_or(method)
}

fn unsound_request_error(err: serde_json::Error) -> ToolError {
    tool_error!(Internal, "the request to the client is unsound: {err}")
}

/// The client of a call, as its context has it.
pub(super) fn shared_client(asking: &Arc<ClientAsker>) -> Arc<dyn CallClient> {
    Arc::clone(asking) as _
}
