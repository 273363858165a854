//! The entry of a server in the text of a client's configuration.

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstRootNode};
use toml_edit::{Array, DocumentMut, InlineTable, Item, Table, TomlError};

/// The form of an entry, and the key above it.
#[derive(Debug, Clone, Copy)]
pub(super) enum ClientEntryForm {
    /// JSON: `{"command": PROGRAM, "args": [..]}`.
    Plain(&'static str),
    /// JSON: the same with `"type": "stdio"`.
    Typed(&'static str),
    /// JSON: `{"type": "local", "command": [PROGRAM, ..], "enabled": true}`.
    Local(&'static str),
    /// A TOML table with `command` and `args`.
    Table(&'static str),
}

impl ClientEntryForm {
    /// The text with the entry `name`, which starts the program with its arguments; all else stays as it is. What is wrong with a text that
    /// cannot be changed.
    pub(super) fn set(self, text: &str, name: &str, server: &[String]) -> Result<String, String> {
        let (program, args) = server.split_first().ok_or("no program")?;
        let string = |text: &String| CstInputValue::String(text.clone());
        let strings = |words: &[String]| CstInputValue::Array(words.iter().map(string).collect());
        let member = |name: &str, value| (name.to_owned(), value);
        let kind = |kind: &str| member("type", CstInputValue::String(kind.to_owned()));
        let command = || member("command", string(program));
        match self {
            Self::Plain(key) => set_json(
                text,
                [key, name],
                vec![command(), member("args", strings(args))],
            ),
            Self::Typed(key) => set_json(
                text,
                [key, name],
                vec![kind("stdio"), command(), member("args", strings(args))],
            ),
            Self::Local(key) => {
                let enabled = member("enabled", CstInputValue::Bool(true));
                let members = vec![kind("local"), member("command", strings(server)), enabled];
                set_json(text, [key, name], members)
            }
            Self::Table(key) => set_toml(text, [key, name], program, args),
        }
    }
}

/// Sets the members of an object in an object; other members of either stay.
fn set_json(
    text: &str,
    [key, name]: [&str; 2],
    members: Vec<(String, CstInputValue)>,
) -> Result<String, String> {
    let text = if text.trim().is_empty() { "{}\n" } else { text };
    let root = CstRootNode::parse(text, &ParseOptions::default()).map_err(|err| err.to_string())?;
    let document = root
        .object_value_or_create()
        .ok_or("expected a JSON object")?;
    let servers = document.object_value_or_create(key);
    let servers = servers.ok_or_else(|| format!("`{key}` is not an object"))?;
    let entry = servers.object_value_or_create(name);
    let entry = entry.ok_or_else(|| format!("`{key}.{name}` is not an object"))?;
    for (name, value) in members {
        match entry.get(&name) {
            Some(member) => member.set_value(value),
            None => drop(entry.append(&name, value)),
        }
    }
    Ok(root.to_string())
}

fn set_toml(
    text: &str,
    [key, name]: [&str; 2],
    program: &str,
    args: &[String],
) -> Result<String, String> {
    let mut document: DocumentMut = text.parse().map_err(|err: TomlError| err.to_string())?;
    let servers = document.entry(key).or_insert_with(|| {
        let mut table = Table::new();
        table.set_implicit(true);
        Item::Table(table)
    });
    let is_inline = servers.is_inline_table();
    let servers = servers.as_table_like_mut();
    let servers = servers.ok_or_else(|| format!("`{key}` is not a table"))?;
    let entry = servers.entry(name).or_insert_with(|| match is_inline {
        true => Item::Value(InlineTable::new().into()),
        false => toml_edit::table(),
    });
    let entry = entry.as_table_like_mut();
    let entry = entry.ok_or_else(|| format!("`{key}.{name}` is not a table"))?;
    let args: Array = args.iter().map(String::as_str).collect();
    entry.insert("command", toml_edit::value(program));
    entry.insert("args", toml_edit::value(args));
    Ok(document.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(form: ClientEntryForm, text: &str) -> Result<String, String> {
        let server = ["/bin/mathchain", "serve", "--mcp"].map(str::to_owned);
        form.set(text, "mathchain", &server)
    }

    const JSON: &str = "{\n  // mine\n  \"mcpServers\": {\n    \"other\": { \"command\": \"x\" },\n    \"mathchain\": { \"env\": { \"A\": \"b\" }, \"command\": \"old\" }\n  },\n  \"theme\": \"dark\"\n}\n";

    #[test]
    fn a_file_keeps_its_comments_servers_and_members() {
        let changed = set(ClientEntryForm::Typed("mcpServers"), JSON).expect("changes");
        for kept in [
            "// mine",
            "\"other\": { \"command\": \"x\" }",
            "\"env\": { \"A\": \"b\" }",
            "\"theme\": \"dark\"",
            "\"command\": \"/bin/mathchain\"",
        ] {
            assert!(changed.contains(kept), "{changed}");
        }
        assert!(!changed.contains("old"), "{changed}");
        assert_eq!(
            set(ClientEntryForm::Typed("mcpServers"), &changed),
            Ok(changed)
        );
    }

    #[test]
    fn a_table_is_added_to_a_toml_file() {
        let text = "model = \"o\" # mine\n\n[mcp_servers.other]\ncommand = \"x\"\n";
        let form = ClientEntryForm::Table("mcp_servers");
        let changed = set(form, text).expect("changes");
        let table = "[mcp_servers.mathchain]\ncommand = \"/bin/mathchain\"\nargs = [\"serve\", \"--mcp\"]\n";
        assert_eq!(changed, format!("{text}\n{table}"));
        assert_eq!(set(form, &changed), Ok(changed));
        let inline = set(form, "mcp_servers = { a = { command = \"x\" } }\n");
        assert!(inline.expect("changes").contains("mathchain = { command"));
    }

    #[test]
    fn an_empty_file_gets_the_entry() {
        for text in ["", "  \n", "{}"] {
            let entry = set(ClientEntryForm::Local("mcp"), text).expect("changes");
            let parsed: serde_json::Value = serde_json::from_str(&entry).expect("JSON");
            let expected = serde_json::json!({"mcp": {"mathchain": {"type": "local",
                "command": ["/bin/mathchain", "serve", "--mcp"], "enabled": true}}});
            assert_eq!(parsed, expected);
        }
    }

    #[test]
    fn a_file_of_another_form_is_not_changed() {
        for text in [
            "[1]",
            "{\"mcp\": 3}",
            "{\"mcp\": {\"mathchain\": 3}}",
            "{",
            "{} {}",
        ] {
            assert!(set(ClientEntryForm::Local("mcp"), text).is_err(), "{text}");
        }
        for text in ["mcp_servers = 3", "[mcp_servers]\nmathchain = 3", "x ="] {
            assert!(
                set(ClientEntryForm::Table("mcp_servers"), text).is_err(),
                "{text}"
            );
        }
    }
}
