//! Between values and the JSON of `rmcp`.

use serde_json::{Map, Number, Value as Json};
use tool_core::{Object, ToolError, Value};

/// A value as JSON.
pub(super) fn of_value(value: &Value) -> Json {
    match value {
        Value::Null => Json::Null,
        Value::Bool(value) => Json::Bool(*value),
        Value::Int(number) => Json::from(*number),
        // A number that is not finite is a text at every door.
        Value::Float(number) => {
            Number::from_f64(*number).map_or_else(|| number.to_string().into(), Json::Number)
        }
        Value::String(text) => Json::from(&**text),
        Value::Array(items) => items.iter().map(of_value).collect(),
        Value::Numbers(_) => value
            .items()
            .unwrap_or_default()
            .iter()
            .map(of_value)
            .collect(),
        Value::Object(object) => Json::Object(of_object(object)),
    }
}

/// An object as a map.
pub(super) fn of_object(object: &Object) -> Map<String, Json> {
    object
        .iter()
        .map(|(key, member)| (key.to_owned(), of_value(member)))
        .collect()
}

/// JSON as a value, read as any other document.
///
/// # Errors
/// `invalid_request` as [`mathchain::parse_json`].
pub(super) fn to_value(json: &Json) -> Result<Value, ToolError> {
    mathchain::parse_json(&json.to_string())
}
