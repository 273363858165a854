//! `mathchain plugins list|check|new|reload|enable|disable`.

use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;
use std::time::SystemTime;

use clap::Subcommand;
use registry::plugins::{Broken, Plugin, Status};
use tool_core::{Ctx, ErrorCode, ToolError, Value};

use super::args::Global;
use super::{complain, exit, print_data, session};
use crate::{Toolkit, generation, plugins};

#[derive(Debug, Subcommand)]
pub(super) enum Plugins {
    /// List plugins, their tools, and what they lack
    List,
    /// Check every manifest and all settings, and greet the process of each plugin
    Check {
        /// Only look at the files
        #[arg(long)]
        no_start: bool,
    },
    /// Write a plugin that works, to change
    New {
        /// Its name, of the form [a-z][a-z0-9_]*
        name: String,
    },
    /// Say what a serving process takes up, and have it look now
    Reload,
    /// Switch a plugin or one of its tools on, in its settings
    Enable {
        /// NAME, or NAME:TOOL
        name: String,
    },
    /// Switch a plugin or one of its tools off, in its settings
    Disable {
        /// NAME, or NAME:TOOL
        name: String,
    },
}

/// Lists, checks or switches.
pub(super) fn plugins(global: &Global, command: &Plugins) -> Result<ExitCode, ToolError> {
    let toolkit = session::open(global)?;
    match command {
        Plugins::List => list(global, &toolkit),
        Plugins::Check { no_start } => check(global, &toolkit, !no_start),
        Plugins::New { name } => new(global, &toolkit, name),
        Plugins::Reload => reload(global, &toolkit),
        Plugins::Enable { name } => switch(global, &toolkit, name, true),
        Plugins::Disable { name } => switch(global, &toolkit, name, false),
    }
}

fn list(global: &Global, toolkit: &Toolkit) -> Result<ExitCode, ToolError> {
    let (loaded, broken) = (toolkit.plugins(), toolkit.broken_plugins());
    let described = loaded.iter().map(generation::describe);
    let described = described.chain(broken.iter().map(generation::describe_broken));
    print_data(global, &Value::array(described.collect()), || {
        if loaded.is_empty() && broken.is_empty() {
            return "no plugins: a folder with `manifest.json` below `plugins` is one (docs/plugins.md)\n".to_owned();
        }
        let sound = loaded.iter().map(readable);
        sound.chain(broken.iter().map(why_broken)).collect()
    });
    Ok(exit::OK.into())
}

fn why_broken(broken: &Broken) -> String {
    let name = broken.names.last().map_or("", String::as_str);
    let mut text = format!("{name}  [broken]  {}\n", broken.manifest_name);
    for error in broken.errors.list() {
        let _ = writeln!(text, "  {error}");
    }
    text
}

fn readable(plugin: &Plugin) -> String {
    let manifest = &plugin.manifest;
    let status = match &plugin.status {
        Status::Unavailable(lacks) => format!("unavailable, lacks `{lacks}`"),
        other => other.as_str().to_owned(),
    };
    let mut text = format!(
        "{} {}  [{status}]  {}\n",
        manifest.name, manifest.version, manifest.description
    );
    for ((id, unmet), tool) in plugin.tools.iter().zip(&manifest.tools) {
        let off = if unmet.is_some() && plugin.status == Status::Ready {
            "  [off]"
        } else {
            ""
        };
        let _ = writeln!(text, "  {id:32} {}{off}", tool.title);
    }
    text
}

/// Loading has checked the files; what is left is whether each process greets.
fn check(global: &Global, toolkit: &Toolkit, start: bool) -> Result<ExitCode, ToolError> {
    let loaded = toolkit.plugins();
    let results: Vec<(&Plugin, Result<(), ToolError>)> = loaded
        .iter()
        .map(|plugin| match &plugin.status {
            Status::Ready if start => (plugin, plugin.greet(&Ctx::default())),
            Status::Unavailable(lacks) => {
                let err = ToolError::new(
                    ErrorCode::PreconditionFailed,
                    format_args!("it lacks `{lacks}`"),
                );
                (plugin, Err(err))
            }
            _ => (plugin, Ok(())),
        })
        .collect();
    let broken = toolkit.broken_plugins();
    let sound = broken.is_empty() && results.iter().all(|(_, result)| result.is_ok());
    let data = results.iter().map(|(plugin, result)| {
        Value::object([
            ("name", Value::from(plugin.manifest.name.as_str())),
            ("version", Value::from(plugin.manifest.version.to_string())),
            ("status", Value::from(plugin.status.as_str())),
            ("ok", Value::from(result.is_ok())),
            (
                "error",
                Value::from(result.as_ref().err().map(|err| err.message().to_owned())),
            ),
        ])
    });
    let wrong = broken.iter().map(|one| {
        Value::object([
            ("name", Value::from(one.names.last().cloned())),
            ("status", Value::from("broken")),
            ("ok", Value::from(false)),
            ("error", Value::from(one.errors.to_string())),
        ])
    });
    print_data(global, &Value::array(data.chain(wrong).collect()), || {
        let line = |(plugin, result): &(&Plugin, Result<(), ToolError>)| match result {
            Ok(()) => format!(
                "ok       {} {} ({})\n",
                plugin.manifest.name,
                plugin.manifest.version,
                plugin.status.as_str()
            ),
            Err(err) => format!(
                "FAILED   {} {}: {err}\n",
                plugin.manifest.name, plugin.manifest.version
            ),
        };
        let failed = broken
            .iter()
            .map(|one| format!("FAILED   {}", why_broken(one)));
        results.iter().map(line).chain(failed).collect()
    });
    Ok(if sound { exit::OK } else { exit::TOOL_ERROR }.into())
}

/// Writes a copy of the example under another name, beside the configuration.
fn new(global: &Global, toolkit: &Toolkit, name: &str) -> Result<ExitCode, ToolError> {
    registry::plugins::check_name(name)
        .map_err(|fault| ToolError::new(ErrorCode::InvalidArgs, fault))?;
    let loader = toolkit.generations().loader();
    let Some(root) = loader.and_then(|loader| loader.roots().first()) else {
        return Err(ToolError::new(
            ErrorCode::PreconditionFailed,
            "there is no folder for plugins",
        )
        .hint("`mathchain init` makes a project"));
    };
    let loaded = toolkit.plugins();
    let same = (loaded.iter()).find(|plugin| plugin.manifest.name == name);
    let folder = same.map_or_else(
        || root.plugins.join(name),
        |plugin| Path::new(&plugin.bundle.manifest_name).to_owned(),
    );
    if folder.exists() {
        let message = format_args!("`{}` is already there", folder.display());
        return Err(ToolError::new(ErrorCode::Conflict, message).hint("take another name"));
    }
    let written = plugins::write_template(&folder, name)?;
    toolkit.reload()?;
    let files = written
        .iter()
        .map(|path| path.to_string_lossy().into_owned());
    let data = Value::object([
        ("name", Value::from(name)),
        ("files", Value::from(files.collect::<Vec<String>>())),
    ]);
    print_data(global, &data, || {
        let mut text = String::new();
        for path in &written {
            let _ = writeln!(text, "wrote {}", path.display());
        }
        let _ = writeln!(
            text,
            "try `mathchain call {name}:word_count --text 'to be or not to be'`"
        );
        text
    });
    Ok(exit::OK.into())
}

/// A serving process looks at the times of files: those of the manifests are set to now.
fn reload(global: &Global, toolkit: &Toolkit) -> Result<ExitCode, ToolError> {
    let loaded = toolkit.plugins();
    for plugin in loaded.iter() {
        if let Err(err) = touch(Path::new(&plugin.bundle.manifest_name)) {
            complain(&format!(
                "warning: `{}` cannot be touched: {err}\n",
                plugin.bundle.manifest_name
            ));
        }
    }
    complain(
        "a serving process looks at these within a second; what this one runs is always read anew\n",
    );
    list(global, toolkit)
}

#[expect(
    clippy::disallowed_methods,
    reason = "the time is for the file system, and no tool sees it"
)]
fn touch(path: &Path) -> std::io::Result<()> {
    let file = std::fs::File::options().append(true).open(path)?;
    file.set_modified(SystemTime::now())
}

fn switch(global: &Global, toolkit: &Toolkit, name: &str, on: bool) -> Result<ExitCode, ToolError> {
    let (plugin_name, tool) = match name.split_once(':') {
        Some((plugin, tool)) => (plugin, Some(tool)),
        None => (name, None),
    };
    let loaded = toolkit.plugins();
    let broken = toolkit.broken_plugins();
    if let Some(broken) = broken
        .iter()
        .find(|one| one.names.iter().any(|name| name == plugin_name))
    {
        let message = format_args!("the plugin `{plugin_name}` is broken: {}", broken.errors);
        return Err(ToolError::new(ErrorCode::InvalidRequest, message)
            .reason("plugin")
            .hint("nothing of it is used; mend it, or remove its folder"));
    }
    let unknown = |what: String, near: Option<&str>| {
        let err = ToolError::new(ErrorCode::InvalidArgs, what);
        Err(match near {
            Some(near) => err.hint(format!("did you mean `{near}`?")),
            None => err.hint("`mathchain plugins list` shows the plugins there are"),
        })
    };
    let Some(plugin) = loaded
        .iter()
        .find(|plugin| plugin.manifest.name == plugin_name)
    else {
        let names = loaded.iter().map(|plugin| plugin.manifest.name.as_str());
        return unknown(
            format!("no plugin named `{plugin_name}`"),
            tool_core::nearest::nearest(plugin_name, names),
        );
    };
    if let Some(tool) = tool
        && !plugin.manifest.tools.iter().any(|known| known.name == tool)
    {
        let names = plugin.manifest.tools.iter().map(|tool| tool.name.as_str());
        return unknown(
            format!("the plugin `{plugin_name}` has no tool `{tool}`"),
            tool_core::nearest::nearest(tool, names),
        );
    }
    let roots = toolkit
        .generations()
        .loader()
        .map(plugins::Loader::roots)
        .unwrap_or_default();
    let path = plugins::change_settings(plugin, roots, |settings| match tool {
        Some(tool) => {
            let on = registry::plugins::Override { enabled: Some(on) };
            settings.tools.insert(tool.to_owned(), on);
        }
        None => settings.enabled = Some(on),
    })?;
    // What was just written is read, as any process will.
    toolkit.reload()?;
    let word = if on { "on" } else { "off" };
    let data = Value::object([
        ("name", Value::from(name)),
        ("enabled", Value::from(on)),
        ("settings", Value::from(path.to_string_lossy().into_owned())),
    ]);
    print_data(global, &data, || {
        format!("`{name}` is {word}, in {}\n", path.display())
    });
    Ok(exit::OK.into())
}
