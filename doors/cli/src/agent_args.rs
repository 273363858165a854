//! `mathchain agents command`: the command that starts an agent CLI with exactly an agent's permissions.

use std::path::PathBuf;

use agents::cli::{
    self as agent_cli, AgentEnvironment, CliArgs, CliConfigFile, CliRequest, EffectiveAgent,
    ServerStart, find_agent_cli, quote_shell_word,
};
use registry::ToolAliases;
use registry::model::Confinement;
use registry::policy::CallerBaseline;
use tool_core::{Object, RequestProblem};

use super::caller::PERMISSIONS;
use super::prelude::*;
use super::words;

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
    /// Agent CLI, by the name of its table, such as claude; by default the agent's name
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

/// Prints environment, program, arguments and configuration file.
pub(super) fn agent_args(global: &GlobalArgs, args: &AgentArgs) -> Result<ExitCode> {
    let toolkit = open::with_agents(global)?;
    let config = toolkit.config();
    let name = args.cli.as_deref().unwrap_or(&args.agent);
    let cli = find_agent_cli(&config, name)?;
    let effective = effective_selection(&toolkit, args)?;
    let start = mcp_server_command(global, args, effective.permission)?;
    let (tools, warning) = effective.translated(cli, args.profile.as_deref());
    if let Some(warning) = warning {
        write_stderr(&format!("warning: {warning}\n"));
    }
    let request = CliRequest {
        tools,
        permission: effective.permission,
        permission_is_own: effective.permission_is_own,
        reads_output: false,
        max_turns: effective.max_turns,
        profile: args.profile.as_deref(),
        prompt: args.prompt.as_deref(),
        server: start.as_ref().map(|argv| ServerStart {
            argv,
            file: MCP_CONFIG,
        }),
        words: &[],
    };
    let answer = agent_cli::translate_cli_request(cli, ToolAliases::built_in(), &request).map_err(
        |problems| {
            let hint = "`unenforced = \"warn\"` in its table turns this into a warning";
            let problems = problems.into_iter();
            let problems = problems.map(|text| RequestProblem::new("", text).hint(hint));
            ToolError::of_problems(ErrorCode::InvalidRequest, problems.collect())
                .reason("agent_cli")
        },
    )?;
    for warning in &answer.warnings {
        write_stderr(&format!("warning: {warning}\n"));
    }
    let names = environment::variable_names();
    let environment = AgentEnvironment::of_cli(cli, names.iter().map(String::as_str));
    let mut data = to_value(&answer, &environment);
    if cli
        .runner
        .as_object()
        .is_some_and(|runner| !runner.is_empty())
    {
        data.insert("runner", cli.runner.clone());
    }
    output::print_data(global, &Value::Object(data.into()), || {
        render_cli_args(&answer, &environment)
    })
}

/// The file behind `{mcp_config}`, in the folder where the agent CLI starts.
const MCP_CONFIG: &str = "mathchain-mcp.json";

/// The program and arguments of the MCP server for the agent: the same configuration, phase, agent and permission, so that each call
/// is decided here as the agent CLI was told.
fn mcp_server_command(
    global: &GlobalArgs,
    args: &AgentArgs,
    permission: Confinement,
) -> Result<Option<Vec<String>>> {
    let absolute = |path: PathBuf| {
        let path = std::path::absolute(&path).unwrap_or(path);
        path.display().to_string()
    };
    // The agent CLI may start it in another folder.
    let config = open::project_config(global)?.map(absolute);
    let workspace = match (&global.workspace, &config) {
        (None, None) => Some(PathBuf::from(".")),
        (given, _) => given.clone(),
    };
    let workspace = workspace.map(absolute);
    let program = words::program_path().display().to_string();
    let mut argv = vec![program, "serve".to_owned(), "--mcp".to_owned()];
    let permission = permission.as_str().to_owned();
    let options = [
        ("--config", config),
        ("--workspace", workspace),
        ("--catalog", Some("full".to_owned())),
        ("--agent", Some(args.agent.clone())),
        ("--phase", args.phase.clone()),
        ("--permission", Some(permission)),
    ];
    for (option, value) in options {
        argv.extend(
            value
                .map(|value| [option.to_owned(), value])
                .into_iter()
                .flatten(),
        );
    }
    Ok(Some(argv))
}

/// The tools and limits that phase, file and every layer leave to the agent.
fn effective_selection(toolkit: &Toolkit, args: &AgentArgs) -> Result<EffectiveAgent> {
    let mut context = CallContext {
        agent: Some(args.agent.clone()),
        phase: args.phase.clone(),
        ..CallContext::default()
    };
    // The option narrows the phase's permission and never widens it.
    let from = base_selection(toolkit, &context)?;
    let of_phase = from.permission.map(|field| field.value);
    let permission = match (args.permission, of_phase) {
        (Some(requested), Some(of_phase)) => requested.min(of_phase),
        (requested, of_phase) => requested.or(of_phase).unwrap_or_default(),
    };
    context = context.narrow(permission.layer());
    let who = toolkit.caller(&context).who;
    let mut effective = EffectiveAgent::of_caller(&toolkit.dispatcher(), &who, permission)?;
    effective.has_no_selection &= args.phase.is_some();
    effective.permission_is_own = from.permission_is_own;
    if let Some(turns) = args.max_turns {
        (effective.max_turns, effective.turns_stated) = (turns, true);
    }
    Ok(effective)
}

/// The selection of tools that the agent starts from.
fn base_selection(toolkit: &Toolkit, context: &CallContext) -> Result<CallerBaseline> {
    let dispatcher = toolkit.dispatcher();
    let who = toolkit.caller(context).who;
    dispatcher.policy().select(dispatcher.catalogue(), &who)
}

fn to_value(answer: &CliArgs, environment: &AgentEnvironment) -> Object {
    let mut data = Object::new();
    data.insert("argv", answer.argv.clone());
    data.insert("environment", environment.to_value());
    if !answer.stream_format.is_empty() {
        data.insert("stream_format", answer.stream_format.as_str());
    }
    for (key, config) in [
        ("config", &answer.config),
        ("mcp_config", &answer.mcp_config),
    ] {
        if let Some(config) = config {
            data.insert(key, file_value(config));
        }
    }
    if let Some(turns) = answer.count_turns {
        data.insert("count_turns", i64::try_from(turns).unwrap_or(i64::MAX));
    }
    data.insert("warnings", answer.warnings.clone());
    data
}

fn file_value(config: &CliConfigFile) -> Value {
    let mut file = Object::new();
    file.insert("file", config.file.as_str());
    if let Some(variable) = &config.variable {
        file.insert("variable", variable.as_str());
    }
    file.insert("text", config.text.as_str());
    Value::Object(file.into())
}

/// A shell command that also sets the environment, and the configuration file with its name.
fn render_cli_args(answer: &CliArgs, environment: &AgentEnvironment) -> String {
    let mut words = environment.shell_words();
    words.extend(answer.argv.iter().map(|word| quote_shell_word(word)));
    let mut text = words.join(" ");
    text.push('\n');
    for config in answer.files() {
        let named = |variable| format!(", or any file that {variable} names");
        let named = config.variable.as_ref().map(named).unwrap_or_default();
        let _ = writeln!(text, "\n{}{named}:\n{}", config.file, config.text);
    }
    text
}
