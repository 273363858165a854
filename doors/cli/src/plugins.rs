//! `mathchain plugins`: lists, checks, creates, reloads, enables and disables plugins.

use std::path::Path;
use std::time::SystemTime;

use registry::plugins::{BrokenPlugin, Plugin, PluginStatus};
use tool_core::Ctx;

use super::pin;
use super::prelude::*;
use mathchain::trust::TrustRecord;
use mathchain::{generation, plugins};

#[derive(Debug, Subcommand)]
pub(super) enum PluginsCommand {
    /// List plugins with their tools and missing requirements
    List,
    /// Check manifests and settings, and start the process of each plugin
    Check {
        /// Check files only; start no process
        #[arg(long)]
        no_start: bool,
    },
    /// Write a working starter plugin
    New {
        /// Name of the plugin, of the form [a-z][a-z0-9_]*
        name: String,
    },
    /// Make running `serve` processes reload plugins and configuration
    Reload,
    /// Pin the tools of a configured MCP server, as it lists them now
    Pin {
        /// Name of the server, NAME of `[mcp_servers.NAME]`
        server: String,
        /// Write the list without asking
        #[arg(short, long)]
        yes: bool,
    },
    /// Enable a plugin or one of its tools, in its settings
    Enable {
        /// NAME, or NAME:TOOL
        name: String,
    },
    /// Disable a plugin or one of its tools, in its settings
    Disable {
        /// NAME, or NAME:TOOL
        name: String,
    },
}

/// Runs one of the commands about plugins.
pub(super) fn run_plugins_command(
    global: &GlobalArgs,
    command: &PluginsCommand,
) -> Result<ExitCode> {
    let toolkit = open::open_toolkit(global)?;
    match command {
        PluginsCommand::List => list_plugins(global, &toolkit),
        PluginsCommand::Check { no_start } => check_plugins(global, &toolkit, !no_start),
        PluginsCommand::New { name } => new(global, &toolkit, name),
        PluginsCommand::Reload => reload_plugins(global, &toolkit),
        PluginsCommand::Pin { server, yes } => pin::pin_server(global, &toolkit, server, *yes),
        PluginsCommand::Enable { name } => switch_plugin(global, &toolkit, name, true),
        PluginsCommand::Disable { name } => switch_plugin(global, &toolkit, name, false),
    }
}

fn list_plugins(global: &GlobalArgs, toolkit: &Toolkit) -> Result<ExitCode> {
    let (loaded, broken) = (toolkit.plugins(), toolkit.broken_plugins());
    let described = loaded.iter().map(generation::describe_plugin);
    let described = described.chain(broken.iter().map(generation::describe_broken));
    output::print_data(global, &Value::array(described.collect()), || {
        if loaded.is_empty() && broken.is_empty() {
            return "no plugins; create one with `mathchain plugins new NAME` (docs/plugins.md)\n"
                .to_owned();
        }
        let sound = loaded.iter().map(render_plugin);
        sound.chain(broken.iter().map(why_broken)).collect()
    })
}

fn why_broken(broken: &BrokenPlugin) -> String {
    let name = broken.names.last().map_or("", String::as_str);
    let status = generation::status_of_broken(broken);
    let mut text = format!("{name}  [{status}]  {}\n", broken.manifest_name);
    for error in broken.errors.list() {
        let _ = writeln!(text, "  {}", error.with_key());
    }
    text
}

fn render_plugin(plugin: &Plugin) -> String {
    let manifest = &plugin.manifest;
    let status = match &plugin.status {
        PluginStatus::Unavailable(lacks) => format!("unavailable, requires `{lacks}`"),
        other => other.as_str().to_owned(),
    };
    let (name, version, description) = (&manifest.name, &manifest.version, &manifest.description);
    let mut text = format!("{name} {version}  [{status}]  {description}\n");
    for ((id, unmet), tool) in plugin.tools.iter().zip(&manifest.tools) {
        let is_off = unmet.is_some() && plugin.status == PluginStatus::Ready;
        let off = if is_off { "  [off]" } else { "" };
        let _ = writeln!(text, "  {id:32} {}{off}", tool.title);
    }
    text
}

/// Reports broken plugins, which loading has found, and greets the process of each other one.
fn check_plugins(global: &GlobalArgs, toolkit: &Toolkit, start: bool) -> Result<ExitCode> {
    let (loaded, broken) = (toolkit.plugins(), toolkit.broken_plugins());
    let greet = |plugin: &Plugin| match &plugin.status {
        PluginStatus::Ready if start => plugin.greet(&Ctx::default()),
        PluginStatus::Unavailable(lacks) => {
            Err(tool_error!(PreconditionFailed, "requires `{lacks}`"))
        }
        _ => Ok(()),
    };
    let results = loaded.iter().map(|plugin| (plugin, greet(plugin)));
    let results: Vec<_> = results.collect();
    let sound =
        broken.iter().all(|one| one.is_off) && results.iter().all(|(_, result)| result.is_ok());
    let data = results.iter().map(|(plugin, result)| {
        object! {
            "name" => plugin.manifest.name.as_str(),
            "version" => plugin.manifest.version.to_string(),
            "status" => plugin.status.as_str(),
            "ok" => result.is_ok(),
            "error" => result.as_ref().err().map(ToolError::message),
        }
    });
    let failed = broken.iter().map(|one| {
        object! {
            "name" => one.names.last().cloned(),
            "status" => generation::status_of_broken(one),
            "ok" => one.is_off,
            "error" => one.errors.with_keys(),
        }
    });
    output::print_data(global, &Value::array(data.chain(failed).collect()), || {
        let line = |(plugin, result): &(&Plugin, Result<()>)| {
            let (name, version) = (&plugin.manifest.name, &plugin.manifest.version);
            match result {
                Ok(()) => format!("ok       {name} {version} ({})\n", plugin.status.as_str()),
                Err(err) => format!("FAILED   {name} {version}: {err}\n"),
            }
        };
        let failed = broken.iter().map(|one| match one.is_off {
            true => format!("ok       {}", why_broken(one)),
            false => format!("FAILED   {}", why_broken(one)),
        });
        results.iter().map(line).chain(failed).collect()
    })?;
    Ok(exit::of_check(sound))
}

/// Writes a copy of the example plugin under another name, beside the configuration.
fn new(global: &GlobalArgs, toolkit: &Toolkit, name: &str) -> Result<ExitCode> {
    registry::plugins::check_name(name)
        .map_err(|fault| ToolError::new(ErrorCode::InvalidArgs, fault))?;
    let Some(root) = toolkit.generations().roots().first() else {
        return Err(tool_error!(PreconditionFailed;
            "there is no folder for plugins"; "create a project with `mathchain init`"));
    };
    let loaded = toolkit.plugins();
    let same = (loaded.iter()).find(|plugin| plugin.manifest.name == name);
    let folder = same.map_or_else(
        || root.plugins.join(name),
        |plugin| Path::new(&plugin.bundle.manifest_name).to_owned(),
    );
    if folder.exists() {
        return Err(tool_error!(Conflict; "`{}` exists", folder.display();
            "choose another name"));
    }
    let written = plugins::write_template(&folder, name)?;
    // Written by the user's hand.
    let (project, given) = open::folder_trust_items(global)?;
    let what = format!("plugins.{name}");
    TrustRecord::of(&project).agree(given.into_iter().filter(|one| one.what == what))?;
    toolkit.reload()?;
    let files = written
        .iter()
        .map(|path| path.to_string_lossy().into_owned());
    let data = object! { "name" => name, "files" => files.collect::<Vec<String>>() };
    output::print_data(global, &data, || {
        let wrote = written
            .iter()
            .map(|path| format!("wrote {}\n", path.display()));
        let call = format!("`mathchain call {name}:word_count --text 'to be or not to be'`");
        format!("{}try {call}\n", wrote.collect::<String>())
    })
}

/// Sets the modification times of the manifests to now, which `serve` processes notice.
fn reload_plugins(global: &GlobalArgs, toolkit: &Toolkit) -> Result<ExitCode> {
    let loaded = toolkit.plugins();
    for plugin in loaded.iter() {
        if let Err(err) = touch_file(Path::new(&plugin.bundle.manifest_name)) {
            let name = &plugin.bundle.manifest_name;
            write_stderr(&format!("warning: cannot touch `{name}`: {err}\n"));
        }
    }
    write_stderr("running `serve` processes reload these within a second\n");
    list_plugins(global, toolkit)
}

#[expect(
    clippy::disallowed_methods,
    reason = "the time is for the file system, and no tool sees it"
)]
fn touch_file(path: &Path) -> std::io::Result<()> {
    let file = std::fs::File::options().append(true).open(path)?;
    file.set_modified(SystemTime::now())
}

fn switch_plugin(global: &GlobalArgs, toolkit: &Toolkit, name: &str, on: bool) -> Result<ExitCode> {
    let (plugin_name, tool) = match name.split_once(':') {
        Some((plugin, tool)) => (plugin, Some(tool)),
        None => (name, None),
    };
    let loaded = toolkit.plugins();
    let broken = toolkit.broken_plugins();
    let has_name = |one: &&BrokenPlugin| one.names.iter().any(|name| name == plugin_name);
    let roots = toolkit.generations().roots();
    if let Some(broken) = broken.iter().find(has_name) {
        // Its tools are unknown; as a whole it can be switched off, and on again.
        if tool.is_none() {
            let path = plugins::switch_broken(broken, roots, on)?;
            return print_switch_result(global, name, on, &path);
        }
        return Err(tool_error!(InvalidRequest, "plugin";
            "the plugin `{plugin_name}` is broken: {}", broken.errors.with_keys();
            "repair it, or remove its folder"));
    }
    let hint = "`mathchain plugins list` lists the plugins";
    let names = || loaded.iter().map(|plugin| plugin.manifest.name.as_str());
    let named = |plugin: &&Plugin| plugin.manifest.name == plugin_name;
    let plugin = loaded.iter().find(named).ok_or_else(|| {
        let unknown = tool_error!(InvalidArgs, "no plugin named `{plugin_name}`");
        output::suggest_nearest_name(unknown, plugin_name, names(), hint)
    })?;
    let mut names = plugin.manifest.tools.iter().map(|tool| tool.name.as_str());
    if let Some(tool) = tool.filter(|tool| !names.clone().any(|known| known == *tool)) {
        let unknown = tool_error!(InvalidArgs; "the plugin `{plugin_name}` has no tool `{tool}`");
        return Err(output::suggest_nearest_name(
            unknown,
            tool,
            names.by_ref(),
            hint,
        ));
    }
    if let Some(server) = &plugin.bundle.server {
        return Err(
            tool_error!(InvalidRequest, "plugin"; "`{plugin_name}` is an MCP server of the configuration";
            "remove `[mcp_servers.{}]` there, or deny `{name}` by a rule", server.name),
        );
    }
    let path = plugins::change_settings(plugin, roots, |settings| match tool {
        Some(tool) => {
            let on = registry::plugins::PluginToolSettings { enabled: Some(on) };
            settings.tools.insert(tool.to_owned(), on);
        }
        None => settings.enabled = Some(on),
    })?;
    // The new settings must load.
    toolkit.reload()?;
    print_switch_result(global, name, on, &path)
}

fn print_switch_result(global: &GlobalArgs, name: &str, on: bool, path: &Path) -> Result<ExitCode> {
    let settings = path.to_string_lossy().into_owned();
    let data = object! { "name" => name, "enabled" => on, "settings" => settings };
    output::print_data(global, &data, || {
        let state = if on { "enabled" } else { "disabled" };
        format!("{state} `{name}` in {}\n", path.display())
    })
}
