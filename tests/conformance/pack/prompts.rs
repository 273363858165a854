//! Prompts of the suite.

use tool_core::capability::{CallClient, ClientQuestion};
use tool_core::{StopFlag, object};
use tool_core::{ToolError, Value};

use super::fixture::{PIXEL, json};

pub(crate) fn all() -> Vec<Value> {
    super::list(
        r#"[
        {"name": "test_simple_prompt", "description": "A message"},
        {"name": "test_prompt_with_arguments", "description": "A message with arguments", "arguments": [
            {"name": "arg1", "description": "First argument", "required": true},
            {"name": "arg2", "description": "Second argument", "required": true}]},
        {"name": "test_prompt_with_embedded_resource", "description": "A document", "arguments": [
            {"name": "resourceUri", "description": "URI of the document", "required": true}]},
        {"name": "test_prompt_with_image", "description": "A picture"},
        {"name": "test_input_required_result_prompt", "description": "Asks the user for its context"}
    ]"#,
    )
}

pub(crate) fn get(
    name: &str,
    arguments: &Value,
    client: &dyn CallClient,
) -> Option<Result<Value, ToolError>> {
    let given = |argument: &str| arguments.text(argument).unwrap_or_default();
    let contents = match name {
        "test_simple_prompt" => vec![text("This is a simple prompt for testing.")],
        "test_prompt_with_arguments" => {
            let (first, second) = (given("arg1"), given("arg2"));
            vec![text(&format!(
                "Prompt with arguments: arg1='{first}', arg2='{second}'"
            ))]
        }
        "test_prompt_with_embedded_resource" => {
            let resource = object! { "uri" => given("resourceUri"), "mimeType" => "text/plain", "text" => "Embedded resource content for testing." };
            vec![
                object! { "type" => "resource", "resource" => resource },
                text("Please process the embedded resource above."),
            ]
        }
        "test_prompt_with_image" => vec![
            object! { "type" => "image", "data" => PIXEL, "mimeType" => "image/png" },
            text("Please analyze the image above."),
        ],
        "test_input_required_result_prompt" => {
            let schema = r#"{"type": "object", "properties": {"context": {"type": "string"}}, "required": ["context"]}"#;
            let form = ClientQuestion::form("What context should the prompt use?", json(schema));
            match client.ask("user_context", &form, &StopFlag::new()) {
                Ok(answer) => vec![text(&format!("Use this context: {answer}"))],
                Err(error) => return Some(Err(error)),
            }
        }
        _ => return None,
    };
    let messages = contents
        .into_iter()
        .map(|content| object! { "role" => "user", "content" => content });
    Some(Ok(
        object! { "messages" => Value::array(messages.collect()) },
    ))
}

fn text(text: &str) -> Value {
    object! { "type" => "text", "text" => text }
}
