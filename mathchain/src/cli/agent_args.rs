//! `mathchain agents command`: the command that starts an agent CLI with exactly an agent's permissions.

use registry::agent_cli::{self, CliArgs, CliRequest, CliTool, Environment, quoted};
use registry::agents::ToolName;
use registry::model::{CliSpec, Confinement};
use registry::policy::Selected;
use registry::{Aliases, Config, Verdict};
use tool_core::{Object, Problem};

use super::prelude::*;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  mathchain agents command --phase audit --agent claude
  mathchain agents command --agent researcher --cli claude
  mathchain agents command --agent tester --cli codex --permission workspace-write --prompt 'run the tests'")]
pub(super) struct AgentArgs {
    /// Agent with a file, or the name of an agent CLI
    #[arg(long)]
    pub agent: String,
    /// Phase of the configuration
    #[arg(long)]
    pub phase: Option<String>,
    /// Agent CLI: claude, codex, gemini, copilot or opencode; by default the agent's name
    #[arg(long)]
    pub cli: Option<String>,
    /// Maximum permission; by default the phase's, else read-only
    #[arg(long, value_parser = one_of(PERMISSIONS))]
    pub permission: Option<Confinement>,
    /// Maximum number of turns, 0 for no limit; overrides the agent's
    #[arg(long, value_name = "N")]
    pub max_turns: Option<u64>,
    /// Profile of arguments in the table of the agent CLI
    #[arg(long)]
    pub profile: Option<String>,
    /// Task; without it the agent CLI reads stdin
    #[arg(long, value_name = "TEXT")]
    pub prompt: Option<String>,
}

const PERMISSIONS: &[(&str, Confinement, &str)] = &[
    ("read-only", Confinement::ReadOnly, "Change nothing"),
    (
        "workspace-write",
        Confinement::WorkspaceWrite,
        "Change files of the workspace; no network",
    ),
    (
        "full-access",
        Confinement::FullAccess,
        "Everything that its tools can do",
    ),
];

/// Tools and limits of an agent.
struct Effective {
    tools: Vec<CliTool>,
    permission: Confinement,
    max_turns: u64,
}

/// Prints environment, program, arguments and configuration file.
pub(super) fn agent_args(global: &Global, args: &AgentArgs) -> Result<ExitCode> {
    let toolkit = open::with_agents(global)?;
    let config = toolkit.config();
    let name = args.cli.as_deref().unwrap_or(&args.agent);
    let cli = table(&config, name)?;
    let effective = effective(&toolkit, args)?;
    let request = CliRequest {
        tools: Some(&effective.tools),
        permission: effective.permission,
        max_turns: effective.max_turns,
        profile: args.profile.as_deref(),
        prompt: args.prompt.as_deref(),
    };
    let answer = agent_cli::translate(cli, Aliases::built_in(), &request).map_err(|problems| {
        let hint = "`unenforced = \"warn\"` in its table turns this into a warning";
        let problems = problems.into_iter();
        let problems = problems.map(|text| Problem::new("", text).hint(hint));
        ToolError::of_problems(ErrorCode::InvalidRequest, problems.collect()).reason("agent_cli")
    })?;
    for warning in &answer.warnings {
        complain(&format!("warning: {warning}\n"));
    }
    let names = environment::names();
    let environment = cli.environment(names.iter().map(String::as_str));
    output::data(global, &to_value(&answer, &environment), || {
        readable(&answer, &environment)
    })
}

/// The table of an agent CLI.
fn table<'a>(config: &'a Config, name: &str) -> Result<&'a CliSpec> {
    config.cli(name).ok_or_else(|| {
        let clis = CliSpec::built_in().iter().chain(&config.clis);
        let names: Vec<&str> = clis.map(|cli| cli.name.as_str()).collect();
        let error = tool_error!(InvalidRequest, "no agent CLI named `{name}`");
        let otherwise = format!("choose one with --cli: {}", names.join(", "));
        output::nearest(error, name, names.iter().copied(), otherwise)
    })
}

/// The tools and limits that phase, file and every layer leave to the agent.
fn effective(toolkit: &Toolkit, args: &AgentArgs) -> Result<Effective> {
    let mut context = Context {
        agent: Some(args.agent.clone()),
        phase: args.phase.clone(),
        ..Context::default()
    };
    // The option narrows the phase's permission and never widens it.
    let of_phase = selected(toolkit, &context)?.permission;
    let of_phase = of_phase.map(|field| field.value);
    let permission = match (args.permission, of_phase) {
        (Some(requested), Some(of_phase)) => requested.min(of_phase),
        (requested, of_phase) => requested.or(of_phase).unwrap_or_default(),
    };
    context = context.narrow(permission.layer());
    let dispatcher = toolkit.dispatcher();
    let catalogue = dispatcher.catalogue();
    let who = toolkit.caller(&context).who;
    let policy = dispatcher.policy();
    let caller = policy.caller(catalogue, &who, dispatcher.facts())?;
    let mut tools: Vec<CliTool> = caller
        .listed()
        .map(|index| CliTool {
            tool: ToolName::Tool(catalogue.tool(index).spec().id.to_owned()),
            verdict: caller.decide(catalogue, index, None, None).verdict,
        })
        .collect();
    let no_network = permission != Confinement::FullAccess;
    let network_asks = toolkit.config().permissions.network.requires_approval;
    for name in &caller.selected().tools.value.external {
        let tool = match Aliases::built_in().provider_tool(name) {
            Some(_) => ToolName::Provider(name.clone()),
            None => ToolName::External(name.clone()),
        };
        let verdict = match tool {
            ToolName::Provider(_) if no_network => Verdict::Deny,
            ToolName::Provider(_) if network_asks != Some(true) => Verdict::Allow,
            _ => Verdict::Ask,
        };
        tools.push(CliTool { tool, verdict });
    }
    let of_selection = u64::from(caller.selected().max_turns.value);
    Ok(Effective {
        tools,
        permission,
        max_turns: args.max_turns.unwrap_or(of_selection),
    })
}

/// The selection of tools that the agent starts from.
fn selected(toolkit: &Toolkit, context: &Context) -> Result<Selected> {
    let dispatcher = toolkit.dispatcher();
    let who = toolkit.caller(context).who;
    dispatcher.policy().select(dispatcher.catalogue(), &who)
}

fn to_value(answer: &CliArgs, environment: &Environment) -> Value {
    let mut data = Object::new();
    data.insert("argv", answer.argv.clone());
    data.insert("environment", environment.to_value());
    if !answer.stream_format.is_empty() {
        data.insert("stream_format", answer.stream_format.as_str());
    }
    if let Some(config) = &answer.config {
        let mut file = Object::new();
        file.insert("file", config.file.as_str());
        if let Some(variable) = &config.variable {
            file.insert("variable", variable.as_str());
        }
        file.insert("text", config.text.as_str());
        data.insert("config", Value::Object(file.into()));
    }
    if let Some(turns) = answer.count_turns {
        data.insert("count_turns", i64::try_from(turns).unwrap_or(i64::MAX));
    }
    data.insert("warnings", answer.warnings.clone());
    Value::Object(data.into())
}

/// A shell command that also sets the environment, and the configuration file with its name.
fn readable(answer: &CliArgs, environment: &Environment) -> String {
    let mut words = environment.shell_words();
    words.extend(answer.argv.iter().map(|word| quoted(word)));
    let mut text = words.join(" ");
    text.push('\n');
    if let Some(config) = &answer.config {
        let named = |variable| format!(", or any file that {variable} names");
        let named = config.variable.as_ref().map(named).unwrap_or_default();
        let _ = writeln!(text, "\n{}{named}:\n{}", config.file, config.text);
    }
    text
}
