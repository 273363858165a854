//! Requests whose parameters do not fit: `rmcp` takes such a request for one of an unknown method.

use rmcp::ErrorData;
use rmcp::model::{
    CallToolRequestParams, CompleteRequestParams, GetPromptRequestParams, InitializeRequestParams,
    ReadResourceRequestParams,
};
use serde::de::DeserializeOwned;
use serde_json::Value as Json;

/// The error for a request of a known method; `None` for an unknown method.
pub(super) fn malformed_request_error(method: &str, params: Option<&Json>) -> Option<ErrorData> {
    let params = params.cloned().unwrap_or_default();
    let fault = match method {
        "tools/call" => match params.get("arguments") {
            None | Some(Json::Null | Json::Object(_)) => {
                parameter_fault::<CallToolRequestParams>(params)
            }
            Some(other) => format!("`arguments` is an object, found {}", json_kind(other)),
        },
        "prompts/get" => parameter_fault::<GetPromptRequestParams>(params),
        "resources/read" => parameter_fault::<ReadResourceRequestParams>(params),
        "completion/complete" => parameter_fault::<CompleteRequestParams>(params),
        "initialize" => parameter_fault::<InitializeRequestParams>(params),
        "tools/list" | "prompts/list" | "resources/list" | "resources/templates/list" => {
            "`cursor` is a text".to_owned()
        }
        _ => return None,
    };
    Some(ErrorData::invalid_params(
        format!("the parameters of `{method}` do not fit: {fault}"),
        None,
    ))
}

fn parameter_fault<T: DeserializeOwned>(params: Json) -> String {
    match serde_json::from_value::<T>(params) {
        Err(err) => err.to_string(),
        Ok(_) => "the request has members that no method takes".to_owned(),
    }
}

fn json_kind(value: &Json) -> &'static str {
    match value {
        Json::Null => "null",
        Json::Bool(_) => "a boolean",
        Json::Number(_) => "a number",
        Json::String(_) => "a text",
        Json::Array(_) => "a list",
        Json::Object(_) => "an object",
    }
}
