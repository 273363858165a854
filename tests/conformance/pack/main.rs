//! `mathchain` with the tools, resources and prompts that the official conformance suite of the Model Context Protocol calls by name.
//!
//! Only what the suite names is here: the tools are registered as any others, and the server, the dispatcher and the policy are those of the
//! program. `tests/conformance/mcp.sh` runs the suite against it.

mod asking;
mod fixture;
mod prompts;
mod tasks;
mod tools;

use std::process::ExitCode;
use std::sync::{Arc, OnceLock, Weak};

use mathchain::Toolkit;
use mathchain_servers::ServerExtension;
use tool_core::capability::CallClient;
use tool_core::{AnyTool, ToolError, Value};

/// The toolkit of the server, for the tool that changes the list.
static TOOLKIT: OnceLock<Weak<Toolkit>> = OnceLock::new();

struct Pack;

impl ServerExtension for Pack {
    fn opened(&self, toolkit: &Arc<Toolkit>) -> Result<(), ToolError> {
        let fixtures = [tools::ALL, asking::ALL, tasks::ALL].into_iter().flatten();
        let fixtures: Vec<Arc<dyn AnyTool>> =
            fixtures.map(|fixture| Arc::new(fixture) as _).collect();
        let _ = TOOLKIT.set(Arc::downgrade(toolkit));
        toolkit.add_tools(&fixtures)
    }

    fn resources(&self) -> Vec<Value> {
        list(
            r#"[
            {"uri": "test://static-text", "name": "static_text", "description": "A text", "mimeType": "text/plain"},
            {"uri": "test://static-binary", "name": "static_binary", "description": "A picture", "mimeType": "image/png"},
            {"uri": "test://watched-resource", "name": "watched", "description": "A text to watch", "mimeType": "text/plain"}
        ]"#,
        )
    }

    fn templates(&self) -> Vec<Value> {
        list(
            r#"[{"uriTemplate": "test://template/{id}/data", "name": "template", "description": "Data of an id", "mimeType": "application/json"}]"#,
        )
    }

    fn read(&self, uri: &str) -> Option<Value> {
        let text = |kind: &str, text: &str| {
            tool_core::object! { "uri" => uri, "mimeType" => kind, "text" => text }
        };
        let id = uri
            .strip_prefix("test://template/")
            .and_then(|rest| rest.strip_suffix("/data"));
        Some(match (uri, id) {
            ("test://static-text", _) => text(
                "text/plain",
                "This is the content of the static text resource.",
            ),
            ("test://watched-resource", _) => text("text/plain", "This text does not change."),
            ("test://static-binary", _) => {
                tool_core::object! { "uri" => uri, "mimeType" => "image/png", "blob" => fixture::PIXEL }
            }
            (_, Some(id)) => text(
                "application/json",
                &tool_core::object! { "id" => id, "templateTest" => true, "data" => format!("Data for ID: {id}") }
                    .to_string(),
            ),
            _ => return None,
        })
    }

    fn version(&self, uri: &str) -> Option<u64> {
        (uri == "test://watched-resource").then_some(1)
    }

    fn prompts(&self) -> Vec<Value> {
        prompts::all()
    }

    fn prompt(
        &self,
        name: &str,
        arguments: &Value,
        client: &dyn CallClient,
    ) -> Option<Result<Value, ToolError>> {
        prompts::get(name, arguments, client)
    }

    fn logs(&self) -> bool {
        true
    }
}

/// A list that is written here as JSON.
fn list(text: &str) -> Vec<Value> {
    fixture::json(text).items().expect("a list")
}

fn main() -> ExitCode {
    mathchain_cli::main_with(Arc::new(Pack))
}
