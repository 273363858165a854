//! Registers mathchain's own server in a CLI, so that its tools are decided here too.

use tool_core::{Value, object};

use super::{CliTranslation, OWN_SERVER};
use crate::cli::template::{PlaceholderLists, fill_config_template};
use crate::cli::{CliConfigFile, ServerStart};

impl CliTranslation<'_> {
    /// The lists with those of the server, where a visible tool is reached through it and the table says how it is registered.
    pub(super) fn registered<'l>(
        &mut self,
        start: Option<ServerStart<'l>>,
        lists: &PlaceholderLists<'l>,
    ) -> Option<PlaceholderLists<'l>> {
        let start = start?;
        let own_tools = lists.servers.get(OWN_SERVER)?;
        let cli = self.cli;
        let template = &cli.own_server;
        if template.args.is_empty() && (template.config.is_none() || cli.config.is_none()) {
            let name = &cli.name;
            self.args.warnings.push(format!(
                "the table of {name} has no `own_server`: register the MCP server `{OWN_SERVER}` in it, or it lacks {}",
                own_tools.join(", ")
            ));
            return None;
        }
        let mut own = lists.with_server(start.argv, own_tools);
        let usual = stdio_server_table("{command}".into(), "{args}".into());
        let value = fill_config_template(template.value.as_ref().unwrap_or(&usual), &own, None);
        let text = tool_core::json::to_text(&value.unwrap_or_default());
        if template.args.iter().any(|arg| arg.contains("{mcp_config}")) {
            self.args.mcp_config = Some(CliConfigFile {
                file: start.file.to_owned(),
                variable: None,
                text: text.clone(),
            });
        }
        own.set("mcp_json", text);
        own.set("mcp_config", start.file.to_owned());
        Some(own)
    }
}

/// The text that registers mathchain's own server with this command, in the form that most clients read.
pub fn server_registration_text(argv: &[String]) -> String {
    let (command, args) = argv
        .split_first()
        .map_or(("", argv), |(first, rest)| (first.as_str(), rest));
    tool_core::json::to_text(&stdio_server_table(command.into(), args.to_vec().into()))
}

fn stdio_server_table(command: Value, args: Value) -> Value {
    let server = object! { "type" => "stdio", "command" => command, "args" => args };
    let servers = Value::object([(OWN_SERVER, server)]);
    object! { "mcpServers" => servers }
}
