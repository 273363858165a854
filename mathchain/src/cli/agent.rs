//! `mathchain agent`: agent files, listed, shown and checked.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::process::ExitCode;

use clap::Subcommand;
use registry::agents::{Checked, Checker, ToolName};
use registry::{AgentFile, Aliases, LoadErrors};
use tool_core::nearest::nearest;
use tool_core::{ErrorCode, Object, ToolError, Value};

use super::global::Global;
use super::output::{self, complain, object};
use super::{flags, open};
use crate::Toolkit;
use crate::environment::{self, AgentText};

#[derive(Debug, Subcommand)]
pub(super) enum Agent {
    /// List the agents of `agents/` beside the configuration
    List,
    /// Show one agent, or its prompts
    Show {
        /// Name of the agent, or path of its file
        name: String,
        /// Print the prompts, with these values of variables: NAME=TEXT; repeatable
        #[arg(long, value_name = "NAME=TEXT", num_args = 0..=1, default_missing_value = "")]
        prompt: Option<Vec<String>>,
    },
    /// Check agent files
    #[command(after_help = "Exit code 2 on any error, with file, line and the nearest name.")]
    Check {
        /// Names of agents, or paths of files; by default all
        names: Vec<String>,
    },
}

/// Lists, shows and checks agents.
pub(super) fn agent(global: &Global, command: &Agent) -> Result<ExitCode, ToolError> {
    match command {
        Agent::List => list(global),
        Agent::Show { name, prompt } => show(global, name, prompt.as_deref()),
        Agent::Check { names } => check(global, names),
    }
}

const NONE: &str = "no agents; `mathchain init --agents` writes five starters to `agents/`";

fn list(global: &Global) -> Result<ExitCode, ToolError> {
    let toolkit = open::toolkit(global)?;
    let texts = texts(global)?;
    let loaded: Vec<_> = texts
        .iter()
        .map(|text| (text, load(&toolkit, text)))
        .collect();
    let value =
        |(text, loaded): &(&AgentText, Result<(AgentFile, Checked), LoadErrors>)| match loaded {
            Ok((agent, checked)) => object! {
                "file" => text.path.as_str(),
                "name" => agent.name.as_str(),
                "description" => agent.head.description.as_str(),
                "role" => role_of(agent),
                "tools" => names(checked),
            },
            Err(errors) => object! { "file" => text.path.as_str(), "error" => errors.to_string() },
        };
    output::list(global, &loaded, value, NONE, |(_, loaded)| match loaded {
        Ok((agent, checked)) => {
            let (name, description) = (&agent.name, &agent.head.description);
            format!(
                "{name:<20} {:>3} tools  {description}\n",
                checked.selection.len()
            )
        }
        Err(errors) => format!("{errors}\n"),
    })
}

fn show(global: &Global, name: &str, prompt: Option<&[String]>) -> Result<ExitCode, ToolError> {
    let toolkit = open::toolkit(global)?;
    let (agent, checked) = find(global, &toolkit, name)?;
    let Some(pairs) = prompt else {
        let data = to_value(&agent, &checked);
        return output::data(global, &data, || readable(&agent, &checked));
    };
    let mut values = BTreeMap::new();
    for pair in pairs.iter().filter(|pair| !pair.is_empty()) {
        let (name, value) = flags::split(pair)?;
        if values.insert(name.clone(), value).is_some() {
            let message = format_args!("`{name}` is given twice");
            return Err(ToolError::invalid(format!("/{name}"), message));
        }
    }
    let tools = checked.tool_descriptions(toolkit.dispatcher().catalogue(), Aliases::built_in());
    let prompts = agent.render(&values, &tools)?;
    let (system, user) = (prompts.system.as_str(), prompts.user.as_str());
    output::data(
        global,
        &object! { "system" => system, "user" => user },
        || format!("# System Prompt\n\n{system}\n\n# User Prompt\n\n{user}\n"),
    )
}

fn check(global: &Global, wanted: &[String]) -> Result<ExitCode, ToolError> {
    let toolkit = open::toolkit(global)?;
    let mut errors = Vec::new();
    let mut table = String::new();
    let mut data = Vec::new();
    let mut seen: BTreeMap<String, String> = BTreeMap::new();
    for text in chosen(global, wanted)? {
        match load(&toolkit, &text) {
            Ok((agent, checked)) => {
                if let Some(first) = seen.insert(agent.name.clone(), text.path.clone()) {
                    let message = format!("the agent `{}` is also in {first}", agent.name);
                    errors.push(registry::LoadError::new(Some(&agent.place), message));
                }
                let _ = writeln!(table, "{}: {} tools", text.path, checked.selection.len());
                for note in &checked.notes {
                    let _ = writeln!(table, "  {note}");
                }
                data.push(to_value(&agent, &checked));
            }
            Err(found) => errors.extend(found.into_list()),
        }
    }
    LoadErrors::check(errors)?;
    if data.is_empty() {
        complain(&format!("{NONE}\n"));
    }
    output::data(global, &Value::array(data), || table)
}

/// Reads and checks the agent of a name or path.
fn find(global: &Global, toolkit: &Toolkit, name: &str) -> Result<(AgentFile, Checked), ToolError> {
    let mut found = chosen(global, std::slice::from_ref(&name.to_owned()))?;
    match found.pop() {
        Some(text) if found.is_empty() => Ok(load(toolkit, &text)?),
        other => {
            let count = found.len() + usize::from(other.is_some());
            let message = format_args!("{count} files for the agent `{name}`");
            Err(ToolError::new(ErrorCode::Conflict, message))
        }
    }
}

fn load(toolkit: &Toolkit, text: &AgentText) -> Result<(AgentFile, Checked), LoadErrors> {
    let agent = AgentFile::parse(&text.path, &text.text)?;
    let dispatcher = toolkit.dispatcher();
    let catalogue = dispatcher.catalogue();
    let config = toolkit.config();
    let checked = Checker::new(catalogue, &config, Aliases::built_in()).check(&agent)?;
    Ok((agent, checked))
}

/// The agent files of this project.
fn texts(global: &Global) -> Result<Vec<AgentText>, ToolError> {
    environment::agent_texts(&open::project_folder(global)?)
}

/// The agent files of these names or paths; without any, all.
fn chosen(global: &Global, wanted: &[String]) -> Result<Vec<AgentText>, ToolError> {
    let all = texts(global)?;
    if wanted.is_empty() {
        return Ok(all);
    }
    let mut chosen = Vec::new();
    for name in wanted {
        if name.ends_with(".md") || name.contains('/') {
            chosen.push(environment::agent_text(name.as_ref(), name)?);
            continue;
        }
        let before = chosen.len();
        chosen.extend(all.iter().filter(|text| text.name == *name).cloned());
        if chosen.len() == before {
            let message = format_args!("no agent named `{name}`");
            let error = ToolError::new(ErrorCode::InvalidRequest, message);
            let names = all.iter().map(|text| text.name.as_str());
            return Err(match nearest(name, names) {
                Some(near) => error.hint(format!("did you mean `{near}`?")),
                None if all.is_empty() => error.hint(NONE),
                None => error.hint("`mathchain agent list` lists the agents"),
            });
        }
    }
    Ok(chosen)
}

fn role_of(agent: &AgentFile) -> Option<&str> {
    agent.head.role.as_ref().map(|role| role.text.as_str())
}

fn names(checked: &Checked) -> Vec<&str> {
    checked.selection.iter().map(ToolName::name).collect()
}

fn to_value(agent: &AgentFile, checked: &Checked) -> Value {
    let of_kind = |wanted: fn(&ToolName) -> bool| -> Vec<&str> {
        let fits = checked.selection.iter().filter(|tool| wanted(tool));
        fits.map(ToolName::name).collect()
    };
    let mut object = Object::new();
    object.insert("name", agent.name.as_str());
    object.insert("description", agent.head.description.as_str());
    object.insert("file", &*agent.place.file);
    object.insert("role", role_of(agent));
    object.insert("model", agent.head.model.clone());
    object.insert("tools", of_kind(|tool| matches!(tool, ToolName::Tool(_))));
    object.insert(
        "external",
        of_kind(|tool| matches!(tool, ToolName::External(_))),
    );
    object.insert(
        "provider",
        of_kind(|tool| matches!(tool, ToolName::Provider(_))),
    );
    object.insert("variables", agent.variables.clone());
    // Settings for the program that runs the agent's model.
    let numbers = [
        ("max_turns", agent.head.limits.max_turns.map(Value::from)),
        ("timeout_ms", agent.head.limits.timeout_ms.map(Value::from)),
        ("temperature", agent.head.temperature.map(Value::from)),
        ("max_tokens", agent.head.max_tokens.map(Value::from)),
    ];
    for (name, value) in numbers {
        if let Some(value) = value {
            object.insert(name, value);
        }
    }
    let notes = checked.notes.iter().map(ToString::to_string);
    object.insert("notes", notes.collect::<Vec<_>>());
    Value::Object(object.into())
}

fn readable(agent: &AgentFile, checked: &Checked) -> String {
    let number = |value: Option<u64>| value.map_or(String::new(), |value| value.to_string());
    let toolset = agent.head.toolset.as_ref().map(|name| name.text.clone());
    let mut lines = vec![
        ("purpose", agent.head.description.clone()),
        ("role", role_of(agent).unwrap_or_default().to_owned()),
        ("model", agent.head.model.clone().unwrap_or_default()),
        ("toolset", toolset.unwrap_or_default()),
        ("tools", names(checked).join(" ")),
        ("variables", agent.variables.join(" ")),
        ("max_turns", number(agent.head.limits.max_turns)),
        ("timeout_ms", number(agent.head.limits.timeout_ms)),
    ];
    lines.extend(checked.notes.iter().map(|note| ("note", note.to_string())));
    let mut text = format!("{} ({})\n", agent.name, agent.place.file);
    for (name, value) in lines.iter().filter(|(_, value)| !value.is_empty()) {
        let _ = writeln!(text, "  {name:<12} {value}");
    }
    text
}
