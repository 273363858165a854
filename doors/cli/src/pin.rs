//! `mathchain plugins pin`: what a user agrees to before tools of an MCP server are called.

use std::path::Path;

use registry::model::McpServer;
use tool_core::Ctx;

use super::asking;
use super::human::escape_invisible;
use super::prelude::*;
use mathchain::clock::SystemClock;
use mathchain::plugins;
use mathchain::trust::TrustRecord;
use mathchain_servers::people::changes;

/// Shows how a server is started, starts it after a yes, shows its tools, and after another pins them.
pub(super) fn pin_server(
    global: &GlobalArgs,
    toolkit: &Toolkit,
    name: &str,
    yes: bool,
) -> Result<ExitCode> {
    let config = toolkit.config();
    let server = find_server(&config.mcp_servers, name)?;
    let file = open::config_path(global)?;
    let file = file.ok_or_else(|| tool_error!(Internal, "servers without a configuration"))?;
    let path = environment::pin_path(&file, name);
    let folder = path.parent().unwrap_or(Path::new("/"));
    if folder.is_symlink() {
        let folder = folder.display();
        return Err(
            tool_error!(PreconditionFailed, "link"; "`{folder}` is a link, which may lead to any folder";
            "make it a folder"),
        );
    }
    let declined = || {
        let path = path.display();
        tool_error!(
            ApprovalDeclined,
            "`{path}` is as it was: the server was declined"
        )
    };
    let before = environment::read_pin(&file, name)?;
    let what = format!("mcp_servers.{name}");
    let agreed = before.filter(|_| !config.untrusted.contains(&what));
    // Its table is that of a project, which may come from anywhere.
    if !yes
        && agreed.is_none()
        && !asking::ask_yes_no(&render_server(server), "start it?", "starting a server")?
    {
        return Err(declined());
    }
    let sandbox = toolkit.sandbox();
    let of_config = file.parent().unwrap_or(Path::new("/"));
    let launch = plugins::server_launch(server, of_config, Vec::new(), sandbox)?;
    let clock = SystemClock::default();
    let text = registry::plugins::pin_of(&launch, sandbox, &clock, &Ctx::default())?;
    let known = agreed.as_ref().map_or("", |pin| pin.text.as_str());
    let difference = changes::unified_diff(&escape_invisible(known), &escape_invisible(&text));
    let is_changed = known != text;
    let tools = tools_in(&text);
    let data = object! {
        "path" => path.display().to_string(), "changed" => is_changed, "tools" => tools.clone(),
    };
    let Some(difference) = difference.filter(|_| is_changed) else {
        return output::print_data(global, &data, || {
            format!("{} is up to date\n", path.display())
        });
    };
    if !yes && !asking::confirm_file_change(&path, &difference)? {
        return Err(declined());
    }
    let failed = |err| io::cannot_write(&path, &err);
    std::fs::create_dir_all(folder).map_err(failed)?;
    io::replace_file(&path, text.as_bytes(), io::FileReaders::AsBefore).map_err(failed)?;
    let (folder, given) = open::folder_trust_items(global)?;
    TrustRecord::of(&folder).agree(given.into_iter().filter(|one| one.what == what))?;
    toolkit.reload()?;
    output::print_data(global, &data, || {
        let count = count_phrase(tools.len() as u64, "tool");
        let path = path.display();
        format!("wrote {path} with {count}; see `mathchain plugins list`\n")
    })
}

fn find_server<'a>(servers: &'a [McpServer], name: &str) -> Result<&'a McpServer> {
    let found = servers.iter().find(|server| server.name == name);
    found.ok_or_else(|| {
        let error = tool_error!(
            InvalidArgs,
            "no MCP server named `{name}` in the configuration"
        );
        let names = servers.iter().map(|server| server.name.as_str());
        let otherwise = "`[mcp_servers.NAME]` in the configuration names one (docs/mcp.md)";
        output::suggest_nearest_name(error, name, names, otherwise)
    })
}

/// What a server is given, for a reader.
fn render_server(server: &McpServer) -> String {
    let mut text = format!("MCP server `{}`\n", server.name);
    let mut line = |name: &str, value: String| {
        let _ = writeln!(text, "  {name:16} {value}");
    };
    line("command", format!("{:?}", server.command));
    line("sandbox", server.sandbox.to_string());
    line("reads workspace", server.reads_workspace.to_string());
    line("readable", format!("{:?}", server.readable));
    line("environment", format!("{:?}", server.env));
    line(
        "effects",
        match &server.effects {
            None => "any".to_owned(),
            Some(effects) => format!(
                "{:?}",
                effects.iter().map(|one| one.as_str()).collect::<Vec<_>>()
            ),
        },
    );
    text
}

/// The names of the tools in a pin, as the server has them.
fn tools_in(pin: &str) -> Vec<Value> {
    let read = tool_core::json::parse_json(pin, tool_core::json::JsonLimits::default());
    let tools = read.unwrap_or_default().items_at("tools");
    let names = tools.iter().map(|tool| tool.get("name").cloned());
    names.flatten().collect()
}
