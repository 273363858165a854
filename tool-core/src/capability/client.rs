//! The client of a call, which can ask its user.

use crate::error::ToolError;
use crate::reason::Reason;
use crate::stop::StopFlag;
use crate::tool_error;
use crate::value::{Object, Value};

/// A request to the client of a call, as the Model Context Protocol writes it.
#[derive(Debug, Clone, PartialEq)]
pub struct ClientQuestion {
    /// Such as `elicitation/create`.
    pub method: &'static str,
    /// Its parameters.
    pub params: Value,
}

impl ClientQuestion {
    /// A form for the user: what it is for, and the JSON Schema of the answer, an object of texts, numbers, booleans and choices.
    pub fn form(message: &str, schema: Value) -> Self {
        let mut params = Object::new();
        params.insert("mode", "form");
        params.insert("message", message);
        params.insert("requestedSchema", schema);
        Self {
            method: "elicitation/create",
            params: params.into(),
        }
    }
}

/// The client of a direct call. A tool asks before it has any effect: where the client answers later, the call is repeated from its start.
pub trait CallClient: Send + Sync {
    /// Whether the client states that it answers this method.
    fn can(&self, method: &str) -> bool;

    /// The answer to a request, under a key that is its own within the call.
    ///
    /// # Errors
    /// `precondition_failed` with reason `input_required` where the client is asked by the answer to this call, and repeats it: the tool
    /// returns this error, and may ask for more first; with reason `client_capability` for a client that cannot answer;
    /// `cancelled` or `timeout` as the stop flag.
    fn ask(&self, key: &str, ask: &ClientQuestion, stop: &StopFlag) -> Result<Value, ToolError>;

    /// Writes a line to the log of a client that wants one; levels are those of syslog, such as `info`.
    fn log(&self, level: &str, text: &str);
}

/// The error of a call that waits for its client.
pub fn input_required() -> ToolError {
    tool_error!(PreconditionFailed, Reason::InputRequired; "the call waits for an answer of the client";
        "repeat the call with the answer")
}

/// The error of a call whose client cannot answer.
pub fn cannot_answer(method: &str) -> ToolError {
    tool_error!(PreconditionFailed, Reason::ClientCapability; "the client does not answer `{method}`, which the call needs";
        "use a client that declares it")
}
