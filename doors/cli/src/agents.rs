//! `mathchain agents`: agent files, listed, shown and checked.

use std::collections::BTreeMap;

use registry::agents::{AgentCheckResult, AgentChecker, ToolName};
use registry::{AgentFile, LoadErrors, ToolAliases};

use super::prelude::*;
use super::{agent_args, flags};
use mathchain::environment::AgentText;

#[derive(Debug, Subcommand)]
pub(super) enum AgentsCommand {
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
    /// Print the command that starts an agent CLI with exactly an agent's permissions
    Command(agent_args::AgentArgs),
}

/// Lists, shows and checks agents.
pub(super) fn run_agents_command(global: &GlobalArgs, command: &AgentsCommand) -> Result<ExitCode> {
    match command {
        AgentsCommand::List => list_agents(global),
        AgentsCommand::Show { name, prompt } => show_agent(global, name, prompt.as_deref()),
        AgentsCommand::Check { names } => check_agents(global, names),
        AgentsCommand::Command(args) => agent_args::agent_args(global, args),
    }
}

const NONE: &str = "no agents; `mathchain init --agents` writes five starters to `agents/`";

fn list_agents(global: &GlobalArgs) -> Result<ExitCode> {
    let toolkit = open::open_toolkit(global)?;
    let texts = read_agent_texts(global)?;
    let loaded = texts.iter().map(|text| (text, load_agent(&toolkit, text)));
    let loaded: Vec<_> = loaded.collect();
    let value = |(text, loaded): &(
        &AgentText,
        Result<(AgentFile, AgentCheckResult), LoadErrors>,
    )| match loaded {
        Ok((agent, checked)) => object! {
            "file" => text.path.as_str(),
            "name" => agent.name.as_str(),
            "description" => agent.head.description.as_str(),
            "role" => role_of(agent),
            "tools" => selected_tool_names(checked),
        },
        Err(errors) => object! { "file" => text.path.as_str(), "error" => errors.to_string() },
    };
    output::print_list(global, &loaded, value, NONE, |(_, loaded)| match loaded {
        Ok((agent, checked)) => {
            let (name, description) = (&agent.name, &agent.head.description);
            let count = checked.selection.len();
            let count = count_phrase(count as u64, "tool");
            format!("{name:<20} {count:>9}  {description}\n")
        }
        Err(errors) => format!("{errors}\n"),
    })
}

fn show_agent(global: &GlobalArgs, name: &str, prompt: Option<&[String]>) -> Result<ExitCode> {
    let toolkit = open::open_toolkit(global)?;
    let (agent, checked) = find_agent(global, &toolkit, name)?;
    let Some(pairs) = prompt else {
        let data = to_value(&agent, &checked);
        return output::print_data(global, &data, || render_agent(&agent, &checked));
    };
    let mut values = BTreeMap::new();
    for pair in pairs.iter().filter(|pair| !pair.is_empty()) {
        let (name, value) = flags::split_assignment(pair)?;
        if values.insert(name.clone(), value).is_some() {
            return Err(tool_error!(InvalidArgs at format!("/{name}"); "`{name}` is given twice"));
        }
    }
    let tools = checked.tool_descriptions(toolkit.dispatcher().catalogue());
    let prompts = agent.render(&values, &tools)?;
    let (system, user) = (prompts.system.as_str(), prompts.user.as_str());
    let data = object! { "system" => system, "user" => user };
    output::print_data(global, &data, || {
        format!("# System Prompt\n\n{system}\n\n# User Prompt\n\n{user}\n")
    })
}

fn check_agents(global: &GlobalArgs, wanted: &[String]) -> Result<ExitCode> {
    let toolkit = open::open_toolkit(global)?;
    let mut errors = Vec::new();
    let mut table = String::new();
    let mut data = Vec::new();
    let mut seen: BTreeMap<String, String> = BTreeMap::new();
    for text in select_agent_texts(global, wanted)? {
        match load_agent(&toolkit, &text) {
            Ok((agent, checked)) => {
                if let Some(first) = seen.insert(agent.name.clone(), text.path.clone()) {
                    let message = format!("the agent `{}` is also in {first}", agent.name);
                    errors.push(registry::LoadError::new(Some(&agent.place), message));
                }
                let count = count_phrase(checked.selection.len() as u64, "tool");
                let _ = writeln!(table, "{}: {count}", text.path);
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
        write_stderr(&format!("{NONE}\n"));
    }
    output::print_data(global, &Value::array(data), || table)
}

/// Reads and checks the agent of a name or path.
fn find_agent(
    global: &GlobalArgs,
    toolkit: &Toolkit,
    name: &str,
) -> Result<(AgentFile, AgentCheckResult)> {
    let mut found = select_agent_texts(global, std::slice::from_ref(&name.to_owned()))?;
    match found.pop() {
        Some(text) if found.is_empty() => Ok(load_agent(toolkit, &text)?),
        other => {
            let count = found.len() + usize::from(other.is_some());
            Err(tool_error!(Conflict;
                "{count} files for the agent `{name}`"))
        }
    }
}

fn load_agent(
    toolkit: &Toolkit,
    text: &AgentText,
) -> Result<(AgentFile, AgentCheckResult), LoadErrors> {
    let dispatcher = toolkit.dispatcher();
    let catalogue = dispatcher.catalogue();
    let config = toolkit.config();
    AgentChecker::new(catalogue, &config, ToolAliases::built_in()).load(&text.path, &text.text)
}

/// The agent files of this project.
fn read_agent_texts(global: &GlobalArgs) -> Result<Vec<AgentText>> {
    environment::agent_texts(&open::project_folder(global)?)
}

/// The agent files of these names or paths; without any, all.
fn select_agent_texts(global: &GlobalArgs, wanted: &[String]) -> Result<Vec<AgentText>> {
    let all = read_agent_texts(global)?;
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
            let error = tool_error!(InvalidRequest, "no agent named `{name}`");
            let names = all.iter().map(|text| text.name.as_str());
            let some = "`mathchain agents list` lists the agents";
            let otherwise = if all.is_empty() { NONE } else { some };
            return Err(output::suggest_nearest_name(error, name, names, otherwise));
        }
    }
    Ok(chosen)
}

fn role_of(agent: &AgentFile) -> Option<&str> {
    agent.head.role.as_ref().map(|role| role.text.as_str())
}

fn selected_tool_names(checked: &AgentCheckResult) -> Vec<&str> {
    checked.selection.iter().map(ToolName::name).collect()
}

fn to_value(agent: &AgentFile, checked: &AgentCheckResult) -> Value {
    let of_kind = |wanted: fn(&ToolName) -> bool| -> Vec<&str> {
        let fits = checked.selection.iter().filter(|tool| wanted(tool));
        fits.map(ToolName::name).collect()
    };
    let tools = of_kind(|tool| matches!(tool, ToolName::Tool(_)));
    let external = of_kind(|tool| matches!(tool, ToolName::External(_)));
    let provider = of_kind(|tool| matches!(tool, ToolName::Provider(_)));
    let native = of_kind(|tool| matches!(tool, ToolName::Native(_)));
    let head = &agent.head;
    let notes = checked.notes.iter().map(ToString::to_string);
    let mut members = vec![
        ("name", agent.name.as_str().into()),
        ("description", head.description.as_str().into()),
        ("file", Value::from(&*agent.place.file)),
        ("role", role_of(agent).into()),
        ("model", head.model.clone().into()),
        ("tools", tools.into()),
        ("external", external.into()),
        ("provider", provider.into()),
        ("native", native.into()),
        ("variables", agent.variables.clone().into()),
    ];
    // Settings for the program that runs the agent's model.
    let numbers = [
        ("max_turns", head.limits.max_turns.map(Value::from)),
        ("timeout_ms", head.limits.timeout_ms.map(Value::from)),
        ("temperature", head.temperature.map(Value::from)),
        ("max_tokens", head.max_tokens.map(Value::from)),
    ];
    let numbers = numbers.into_iter();
    members.extend(numbers.filter_map(|(name, value)| Some((name, value?))));
    members.push(("notes", notes.collect::<Vec<_>>().into()));
    Value::object(members)
}

fn render_agent(agent: &AgentFile, checked: &AgentCheckResult) -> String {
    let number = |value: Option<u64>| value.map_or(String::new(), |value| value.to_string());
    let toolset = agent.head.toolset.as_ref().map(|name| name.text.clone());
    let mut lines = vec![
        ("purpose", agent.head.description.clone()),
        ("role", role_of(agent).unwrap_or_default().to_owned()),
        ("model", agent.head.model.clone().unwrap_or_default()),
        ("toolset", toolset.unwrap_or_default()),
        ("tools", selected_tool_names(checked).join(" ")),
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
