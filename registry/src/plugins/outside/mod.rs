//! Servers of the Model Context Protocol as plugins: their pinned lists of tools become manifests.
//!
//! A list is pinned by the operator and compared when the server starts, so that tools are known without a process, and none changes
//! unseen.

mod loosen;
mod speech;

use tool_core::command::Isolation;
use tool_core::{Caller, Effect, Object, Value, object};

pub(super) use loosen::loosen_schema_within;
pub(super) use speech::{
    HandshakeExchange, call_request, cancel_notification, greet_server, list_server_tools,
    read_server_message,
};

use super::PluginBundle;
use super::manifest::{ID_MAX, SERVER_PREFIX};
use crate::document::{self, DocumentFormat};
use crate::error::{LoadError, LoadErrors};
use crate::is_unseen;
use crate::model::{McpServer, ToolListPin};

/// The version of the format of a pin.
const PIN_VERSION: &str = "1.0";
/// Most tools of one server.
pub(super) const TOOLS_MAX: usize = 500;
/// Longest description of a tool, in characters: it is read by models.
const DESCRIPTION_CHARS: usize = 2000;
/// Stands for the command of the server in its manifest.
pub(super) const SERVER: &str = "server";

/// A tool as its server described it.
#[derive(Debug, Clone, PartialEq)]
pub struct PinnedTool {
    /// Its name at the server.
    pub name: String,
    /// Its name here.
    pub local: String,
    /// `name`, `title`, `description`, `inputSchema` and `outputSchema`.
    description: Value,
}

/// The members of a tool that are pinned.
const PINNED: [&str; 5] = [
    "name",
    "title",
    "description",
    "inputSchema",
    "outputSchema",
];

impl PinnedTool {
    /// Its description in one line, for a reader: what no reader sees is shown as its number.
    pub fn summary(&self) -> String {
        let said = self.description.text("description").unwrap_or_default();
        let line = said.split_whitespace().collect::<Vec<_>>().join(" ");
        line.chars().take(DESCRIPTION_CHARS).collect()
    }

    fn of(server: &str, tool: &Value) -> Option<Self> {
        let name = tool.text("name")?;
        let members = PINNED
            .iter()
            .filter_map(|key| Some((*key, tool.get(key)?.clone())));
        Some(Self {
            name: name.to_owned(),
            local: local_tool_name(server, name),
            description: Value::object(members.collect::<Vec<_>>()),
        })
    }
}

/// The name of a tool in the form that names of tools have here; a long one ends with the beginning of its digest.
fn local_tool_name(server: &str, name: &str) -> String {
    const DIGEST: usize = 4;
    let digest = blake3::hash(name.as_bytes()).to_hex();
    let plain = |character: char| match character.to_ascii_lowercase() {
        character @ ('a'..='z' | '0'..='9') => character,
        _ => '_',
    };
    let name: String = name.chars().map(plain).collect();
    let mut name = match name.starts_with(|first: char| first.is_ascii_lowercase()) {
        true => name,
        false => format!("t{name}"),
    };
    let most = ID_MAX.saturating_sub(SERVER_PREFIX.len() + server.len() + 2);
    if name.len() > most {
        name.truncate(most.saturating_sub(DIGEST + 1));
        name = format!("{name}_{}", &digest[..DIGEST]);
    }
    name
}

/// The text of the pin of a server that lists these tools.
pub(super) fn render_pin(server: &Value, tools: &[PinnedTool]) -> String {
    let text = |key: &str| server.text(key).unwrap_or_default().to_owned();
    let document = object! {
        "schema_version" => PIN_VERSION,
        "server" => object! { "name" => text("name"), "version" => text("version") },
        "tools" => Value::array(tools.iter().map(|tool| tool.description.clone()).collect()),
    };
    let readable = serde_json::to_value(&document).unwrap_or_default();
    let text = serde_json::to_string_pretty(&readable).unwrap_or_default();
    format!("{text}\n")
}

/// The pinned tools of a server.
///
/// # Errors
/// A text of another form.
pub fn parse_pinned_tools(server: &str, pin: &ToolListPin) -> Result<Vec<PinnedTool>, LoadErrors> {
    let document = document::parse_document(&pin.path, &pin.text, DocumentFormat::Json)?;
    let wrong = |pointer: &str, message: &str| {
        LoadErrors::from(LoadError::new(Some(&document.place(pointer)), message).at(pointer))
    };
    let value = &document.value;
    if value.text("schema_version") != Some(PIN_VERSION) {
        let message = "expected a list of tools with `schema_version` \"1.0\", as `mathchain plugins pin` writes it";
        return Err(wrong("/schema_version", message));
    }
    let tools = value.items_at("tools");
    if tools.len() > TOOLS_MAX {
        return Err(wrong("/tools", "a server has at most 500 tools"));
    }
    let read = tools.iter().map(|tool| PinnedTool::of(server, tool));
    read.collect::<Option<_>>()
        .ok_or_else(|| wrong("/tools", "expected tools, each with a `name`"))
}

/// The plugin of a configured server; a server without a pin is one with an error.
///
/// # Errors
/// A missing pin, or one of another form.
pub fn server_bundle(server: &McpServer) -> Result<PluginBundle, LoadErrors> {
    let name = &server.name;
    let unpinned = |fault: &str| {
        let message = format!("the tools of the MCP server `{name}` are not pinned{fault}");
        let hint = format!("`mathchain plugins pin {name}` asks the server and shows its tools");
        LoadErrors::from(LoadError::new(None, message).hint(hint))
    };
    let pin = match &server.pin {
        Some(Ok(pin)) => pin,
        Some(Err(fault)) => return Err(unpinned(&format!(": {fault}"))),
        None => return Err(unpinned("")),
    };
    let tools = parse_pinned_tools(name, pin)?;
    let manifest = server_manifest(server, &tools);
    Ok(PluginBundle {
        manifest_name: pin.path.clone(),
        manifest: tool_core::json::to_text(&manifest),
        settings: None,
        files: vec![SERVER.to_owned()],
        digest: server_digest(server, pin),
        server: Some(server.clone()),
    })
}

/// The digest of all that a user agrees to who pins a server: its table, its list of tools, and where they are.
pub fn server_digest(server: &McpServer, pin: &ToolListPin) -> String {
    let table = McpServer {
        pin: None,
        ..server.clone()
    };
    let table = format!("{table:?}");
    let mut digest = blake3::Hasher::new();
    for part in [&pin.path, &pin.text, &table] {
        digest.update(&(part.len() as u64).to_le_bytes());
        digest.update(part.as_bytes());
    }
    digest.finalize().to_hex().to_string()
}

/// What its tools may do: the configured effects, and those that its process cannot be kept from.
fn server_effects(server: &McpServer) -> Option<Vec<Effect>> {
    let mut effects = server.effects.clone()?;
    let implied: &[Effect] = match server.sandbox {
        Isolation::Offline => &[],
        Isolation::Network => &[Effect::NetworkAccess],
        Isolation::None => &[Effect::NetworkAccess, Effect::LocalExec],
    };
    effects.extend(implied);
    effects.sort_unstable();
    effects.dedup();
    Some(effects)
}

fn server_manifest(server: &McpServer, tools: &[PinnedTool]) -> Value {
    let effects = server_effects(server);
    // Outside the sandbox a process can destroy whatever the user can.
    let destructive = effects.is_none() || server.sandbox == Isolation::None;
    let tool = |tool: &PinnedTool| {
        let said = &tool.description;
        let text = |key: &str| said.text(key).unwrap_or_default();
        let mut entry = Object::new();
        entry.insert("name", tool.local.as_str());
        let title = clean_outside_text(text("title"), 120);
        if !title.is_empty() {
            entry.insert("title", title);
        }
        let description = clean_outside_text(text("description"), DESCRIPTION_CHARS);
        entry.insert(
            "description",
            match description.is_empty() {
                true => format!(
                    "tool `{}` of the MCP server `{}`",
                    clean_outside_text(&tool.name, 120),
                    server.name
                ),
                false => description,
            },
        );
        entry.insert(
            "parameters",
            loosen::loosen_argument_schema(said.get("inputSchema")),
        );
        if let Some(output) = said.get("outputSchema") {
            entry.insert("returns", loosen::loosen_schema(output));
        }
        if let Some(effects) = &effects {
            let names = effects.iter().map(|effect| Value::from(effect.as_str()));
            entry.insert("effects", Value::array(names.collect()));
            let callers = Caller::ALL
                .iter()
                .map(|caller| Value::from(caller.as_str()));
            entry.insert("callers", Value::array(callers.collect()));
        }
        entry.insert("destructive", destructive);
        if let Some(ms) = server.timeout_ms {
            entry.insert("timeout", ms as f64 / 1e3);
        }
        Value::from(entry)
    };
    object! {
        "schema_version" => super::SCHEMA_VERSION,
        "name" => server.plugin(),
        "version" => "1.0.0",
        "description" => format!("tools of the MCP server `{}`", server.name),
        "command" => Value::array(vec![format!("./{SERVER}").into()]),
        "concurrency" => 8_i64,
        "tools" => Value::array(tools.iter().map(tool).collect()),
    }
}

/// A text from outside for readers: without control characters and those that no reader sees or that turn text around, cut at a length.
pub(super) fn clean_outside_text(text: &str, chars_max: usize) -> String {
    let kept = |character: &char| {
        matches!(character, '\n' | '\t') || !(character.is_control() || is_unseen(*character))
    };
    text.trim().chars().filter(kept).take(chars_max).collect()
}

/// Why a server may not be called: it does not describe its tools as they are pinned.
pub(super) fn describe_pin_mismatch(
    pinned: &[PinnedTool],
    listed: &[PinnedTool],
) -> Option<String> {
    pinned.iter().find_map(|tool| {
        let name = &tool.name;
        let now = listed.iter().find(|other| other.name == *name);
        let Some(now) = now else {
            return Some(format!("its tool `{name}` is gone"));
        };
        let differs = |key: &&&str| now.description.get(key) != tool.description.get(key);
        let key = PINNED.iter().find(differs)?;
        Some(format!("`{key}` of its tool `{name}` changed"))
    })
}
