//! `mathchain agent`: agents as their files say they are.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::process::ExitCode;

use clap::Subcommand;
use registry::agents::{AgentTools, Checked, Checker, ToolName};
use registry::{AgentFile, Aliases, LoadErrors};
use tool_core::nearest::nearest;
use tool_core::{ErrorCode, Object, ToolError, Value};

use super::args::Global;
use super::{complain, exit, flags, print_data, session};
use crate::Toolkit;
use crate::environment::{self, AgentText};

#[derive(Debug, Subcommand)]
pub(super) enum Agent {
    /// List the agents of `agents/` beside the configuration
    List,
    /// Show one agent, or its prompts
    Show {
        /// Agent, or the path of its file
        name: String,
        /// Print the prompts, with values for their variables: NAME=TEXT; repeatable
        #[arg(long, value_name = "NAME=TEXT", num_args = 0..=1, default_missing_value = "")]
        prompt: Option<Vec<String>>,
    },
    /// Check agent files completely
    #[command(
        after_help = "Exit code 2 when a file is wrong, with file, line and the nearest name."
    )]
    Check {
        /// Agents, or paths of files; all without any
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

fn list(global: &Global) -> Result<ExitCode, ToolError> {
    let toolkit = session::open(global)?;
    let mut table = String::new();
    let mut data = Vec::new();
    for text in texts(global)? {
        let mut row = Object::new();
        row.insert("file", text.path.as_str());
        match load(&toolkit, &text) {
            Ok((agent, checked)) => {
                let count = checked.selection.len();
                row.insert("name", agent.name.as_str());
                row.insert("description", agent.description.as_str());
                row.insert("role", role_of(&agent));
                row.insert("tools", names(&checked));
                let _ = writeln!(
                    table,
                    "{:<20} {count:>3} tools  {}",
                    agent.name, agent.description
                );
            }
            Err(errors) => {
                row.insert("error", errors.to_string());
                let _ = writeln!(table, "{errors}");
            }
        }
        data.push(Value::Object(row.into()));
    }
    if data.is_empty() {
        table.push_str("no agents; `mathchain init --agents` writes five into `agents/`\n");
    }
    print_data(global, &Value::array(data), || table);
    Ok(exit::OK.into())
}

fn show(global: &Global, name: &str, prompt: Option<&[String]>) -> Result<ExitCode, ToolError> {
    let toolkit = session::open(global)?;
    let (agent, checked) = find(global, &toolkit, name)?;
    let Some(pairs) = prompt else {
        print_data(global, &to_value(&agent, &checked), || {
            readable(&agent, &checked)
        });
        return Ok(exit::OK.into());
    };
    let mut values = BTreeMap::new();
    for pair in pairs.iter().filter(|pair| !pair.is_empty()) {
        let (name, value) = flags::split(pair)?;
        if values.insert(name.clone(), value).is_some() {
            return Err(ToolError::invalid(
                format!("/{name}"),
                format_args!("`{name}` is given twice"),
            ));
        }
    }
    let tools = checked.tool_descriptions(toolkit.dispatcher().catalogue(), Aliases::built_in());
    let prompts = agent.render(&values, &tools)?;
    let mut data = Object::new();
    data.insert("system", prompts.system.as_str());
    data.insert("user", prompts.user.as_str());
    print_data(global, &Value::Object(data.into()), || {
        format!(
            "# System Prompt\n\n{}\n\n# User Prompt\n\n{}\n",
            prompts.system, prompts.user
        )
    });
    Ok(exit::OK.into())
}

fn check(global: &Global, wanted: &[String]) -> Result<ExitCode, ToolError> {
    let toolkit = session::open(global)?;
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
        complain("no agents; `mathchain init --agents` writes five into `agents/`\n");
    }
    print_data(global, &Value::array(data), || table);
    Ok(exit::OK.into())
}

/// An agent by its name, read and checked.
pub(super) fn find(
    global: &Global,
    toolkit: &Toolkit,
    name: &str,
) -> Result<(AgentFile, Checked), ToolError> {
    let mut found = chosen(global, std::slice::from_ref(&name.to_owned()))?;
    match found.pop() {
        Some(text) if found.is_empty() => Ok(load(toolkit, &text)?),
        other => Err(ToolError::new(
            ErrorCode::Conflict,
            format_args!(
                "{} files for the agent `{name}`",
                found.len() + usize::from(other.is_some())
            ),
        )),
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

/// The files of the agents of this project.
fn texts(global: &Global) -> Result<Vec<AgentText>, ToolError> {
    environment::agent_texts(&session::project_folder(global)?)
}

/// The files asked for, by name or path; all without any.
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
            let error = ToolError::new(
                ErrorCode::InvalidRequest,
                format_args!("no agent named `{name}`"),
            );
            let names = all.iter().map(|text| text.name.as_str());
            return Err(match nearest(name, names) {
                Some(near) => error.hint(format!("did you mean `{near}`?")),
                None if all.is_empty() => {
                    error.hint("`mathchain init --agents` writes five into `agents/`")
                }
                None => error.hint("`mathchain agent list` shows the agents there are"),
            });
        }
    }
    Ok(chosen)
}

fn role_of(agent: &AgentFile) -> Value {
    let role = agent
        .role
        .as_ref()
        .map(|role| Value::from(role.text.as_str()));
    role.unwrap_or_default()
}

fn names(checked: &Checked) -> Value {
    let names = checked.selection.iter();
    Value::array(names.map(|tool| Value::from(tool.name())).collect())
}

fn to_value(agent: &AgentFile, checked: &Checked) -> Value {
    let texts = |list: Vec<String>| Value::array(list.into_iter().map(Value::from).collect());
    let of_kind = |wanted: fn(&ToolName) -> bool| {
        let fits = checked.selection.iter().filter(|tool| wanted(tool));
        texts(fits.map(|tool| tool.name().to_owned()).collect())
    };
    let mut object = Object::new();
    object.insert("name", agent.name.as_str());
    object.insert("description", agent.description.as_str());
    object.insert("file", &*agent.place.file);
    object.insert("role", role_of(agent));
    object.insert(
        "model",
        agent.model.clone().map_or(Value::Null, Value::from),
    );
    object.insert("tools", of_kind(|tool| matches!(tool, ToolName::Tool(_))));
    object.insert(
        "external",
        of_kind(|tool| matches!(tool, ToolName::External(_))),
    );
    object.insert(
        "provider",
        of_kind(|tool| matches!(tool, ToolName::Provider(_))),
    );
    object.insert("variables", texts(agent.variables.clone()));
    // For what runs the agent's model.
    let numbers = [
        ("max_turns", agent.max_turns.map(Value::from)),
        ("timeout_ms", agent.timeout_ms.map(Value::from)),
        ("temperature", agent.temperature.map(Value::from)),
        ("max_tokens", agent.max_tokens.map(Value::from)),
    ];
    for (name, value) in numbers {
        if let Some(value) = value {
            object.insert(name, value);
        }
    }
    object.insert(
        "notes",
        texts(checked.notes.iter().map(ToString::to_string).collect()),
    );
    Value::Object(object.into())
}

fn readable(agent: &AgentFile, checked: &Checked) -> String {
    let mut text = format!("{} ({})\n", agent.name, agent.place.file);
    let mut line = |name: &str, value: String| {
        if !value.is_empty() {
            let _ = writeln!(text, "  {name:<12} {value}");
        }
    };
    line("for", agent.description.clone());
    line(
        "role",
        agent
            .role
            .as_ref()
            .map_or(String::new(), |role| role.text.clone()),
    );
    line("model", agent.model.clone().unwrap_or_default());
    if let AgentTools::Toolset(name) = &agent.tools {
        line("toolset", name.text.clone());
    }
    let tools: Vec<&str> = checked.selection.iter().map(ToolName::name).collect();
    line("tools", tools.join(" "));
    line("variables", agent.variables.join(" "));
    let number = |value: Option<u64>| value.map_or(String::new(), |value| value.to_string());
    line("max_turns", number(agent.max_turns));
    line("timeout_ms", number(agent.timeout_ms));
    for note in &checked.notes {
        line("note", note.to_string());
    }
    text
}
