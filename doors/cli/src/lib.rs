//! The command line: a file for each command, with its arguments. Data goes to stdout, everything else to stderr.
//!
//! Below all commands: `global` (options), `output` (printing), `exit` (exit codes), `human` (text for readers), `open` (configuration and
//! toolkit), `answer` (the end of a call).

mod agent_args;
mod agents;
mod anomalies;
mod answer;
mod approvals;
mod artifacts;
mod asking;
mod audit;
mod backups;
mod call;
mod caller;
mod cancel;
mod check;
mod cluster;
mod complete;
mod console;
mod csv;
mod data;
mod doctor;
mod events;
mod examples;
mod exit;
mod export;
mod flags;
mod folders;
mod forms;
mod global;
mod help;
mod human;
mod inbox;
mod init;
mod jsonl;
mod keys;
mod log;
mod man;
mod natural;
mod open;
mod output;
mod phases;
mod pin;
#[cfg(target_os = "linux")]
mod pipeline;
mod plan;
mod plugins;
mod policy;
mod prelude;
mod progress;
mod receipt;
mod replay;
mod resume;
mod roles;
mod run;
mod runs;
mod save;
mod schedule;
mod schema;
mod serve;
mod session;
mod setup;
mod signals;
mod state;
mod state_copy;
mod stdin;
#[cfg(test)]
mod tests;
mod tools;
mod trust;
mod when;
mod words;
mod worker;
mod workflow;
mod workspace;

use std::ffi::OsString;
use std::process::ExitCode;

use ::agents::AgentProgram;
use clap::error::{ContextKind, ContextValue};
use clap::{ArgMatches, Args as _, CommandFactory, FromArgMatches as _, Parser, Subcommand};
use tool_core::schema::Schema;
use tool_core::{AnyTool, Result};

use global::GlobalArgs;

/// Run maths, data and host tools with policy, audit and replayable plans
#[derive(Debug, Parser)]
#[command(name = "mathchain", version, max_term_width = 100, disable_help_subcommand = true, after_help = EXAMPLES)]
struct Cli {
    #[command(flatten)]
    global: GlobalArgs,
    #[command(subcommand)]
    command: CliCommand,
}

const EXAMPLES: &str = "Examples:
  echo '{\"A\":[[3,1],[1,2]],\"b\":[9,8]}' | mathchain call matrix_solve
  mathchain call calculate --expression '2**200'
  mathchain calculate '2**200'                   # the name of a tool is a call of it
  mathchain run examples/quickstart.yaml
  mathchain tools search regression
  mathchain help matrix_solve

Terms such as plan, run, wave and approval are in docs/glossary.md: `mathchain help glossary`. Builds with the feature `otel` send spans to the OpenTelemetry collector at OTEL_EXPORTER_OTLP_ENDPOINT (docs/observability.md).

Exit codes (docs/answers.md): 0 ok, 1 tool error, 2 usage or invalid arguments, 3 denied, 4 approval needed, 5 timeout, 6 cancelled, 7 interrupted, 8 incomplete answer, 130 stopped by a second Ctrl-C";

#[derive(Debug, Subcommand)]
enum CliCommand {
    /// Call one tool, with arguments from flags or one JSON object on stdin
    Call(call::CallCommand),
    /// Run a plan: a YAML or JSON document, or a call script
    Run(run::PlanRunCommand),
    /// Check, explain, draw and create plans
    #[command(subcommand)]
    Plan(plan::PlanCommand),
    /// List, show, resume, cancel and clean up recorded runs
    #[command(subcommand)]
    Runs(runs::RunsCommand),
    /// Replay a run: verify it, recompute and compare it, or run it again
    Replay(replay::ReplayCommand),
    /// Serve runs of other machines: compute the calls that they hand out
    Worker(worker::WorkerCommand),
    /// Start, show and stop the Ray that runs of the engine `ray` use
    #[command(subcommand)]
    Cluster(cluster::ClusterCommand),
    /// Answer many calls: JSON lines, MCP clients, HTTP
    Serve(serve::ServeCommand),
    /// Serve pages to a browser: approve calls, watch runs, try tools
    Console(console::ConsoleCommand),
    /// List, create and revoke keys of the HTTP server
    #[command(subcommand)]
    Keys(keys::KeysCommand),
    /// Serve one replayable session with a model, as events and plans
    Session(session::SessionArgs),
    /// List, show and search tools
    #[command(subcommand)]
    Tools(tools::ToolsCommand),
    /// List, check, create, enable and disable plugins
    #[command(subcommand)]
    Plugins(plugins::PluginsCommand),
    /// Explain, compare and test who may call what
    #[command(subcommand)]
    Policy(policy::PolicyCommand),
    /// Approve a pending call
    Approve(approvals::ApproveCommand),
    /// Decline a pending call
    Deny(approvals::DecideCommand),
    /// List and show approval requests
    #[command(subcommand)]
    Approvals(approvals::ApprovalsCommand),
    /// List and answer all that waits for a person: approvals, gates, questions
    #[command(alias = "notifications")]
    Inbox(inbox::InboxArgs),
    /// Print the events of workflows, and follow them
    Events(events::EventsCommand),
    /// Write workflow files from the recorded events; import from Choragen
    #[command(subcommand)]
    Workflow(workflow::WorkflowCommand),
    /// Show which workspace the state belongs to; adopt a copied or restored one
    #[command(subcommand)]
    Workspace(workspace::WorkspaceCommand),
    /// List roles
    #[command(subcommand)]
    Roles(roles::RolesCommand),
    /// List, show and check agent files; print the command that starts an agent CLI
    #[command(subcommand, alias = "agent")]
    Agents(agents::AgentsCommand),
    /// Print the command that starts an agent CLI with exactly an agent's permissions
    #[command(hide = true)]
    AgentArgs(agent_args::AgentArgs),
    /// List phases, and show the tools of an agent in one
    #[command(subcommand, alias = "phase")]
    Phases(phases::PhasesCommand),
    /// Run phases of agents as a pipeline; list, show and resume such runs
    #[cfg(target_os = "linux")]
    #[command(subcommand, alias = "pipelines")]
    Pipeline(pipeline::PipelineCommand),
    /// List, show, verify and export audit records
    #[command(subcommand)]
    Audit(audit::AuditCommand),
    /// Find anomalies in recorded runs and calls
    #[command(subcommand, hide = true)]
    Chain(anomalies::ChainCommand),
    /// List, show and export large values of runs
    #[command(subcommand)]
    Artifacts(artifacts::ArtifactsCommand),
    /// List schedules of plans, run one now, print it as timers of systemd
    #[command(subcommand, alias = "schedules")]
    Schedule(schedule::ScheduleCommand),
    /// List and restore backups of files that calls changed
    #[command(subcommand, alias = "files")]
    Backups(backups::BackupsCommand),
    /// Show the size of the state, back it up, restore, prune, export and shrink it
    #[command(subcommand)]
    State(state::StateCommand),
    /// Register this program as a server in the configuration of an MCP client
    Setup(setup::SetupCommand),
    /// Check the project: configuration and every agent, phase and plugin
    #[command(
        after_help = "Exit code 2 on any error; all errors are listed at once, with file, line and column. Suited to a project's CI."
    )]
    Check,
    /// Check this machine: versions, state, processor, sandbox; suggest fixes
    Doctor,
    /// Write a commented starter configuration
    Init(init::InitCommand),
    /// Show what a folder's configuration gives, and agree to it
    Trust(trust::TrustCommand),
    /// Print a JSON Schema for editors or the OpenAPI document, or list them
    Schema {
        /// Name of the schema
        #[arg(value_parser = schema::schema_names())]
        name: Option<String>,
    },
    /// Print a completion script for a shell
    #[command(after_help = complete::EXAMPLES)]
    Completions {
        /// Shell
        #[arg(value_parser = complete::shell_values())]
        shell: String,
    },
    /// Print a manual page, or write all of them
    Man(man::ManCommand),
    /// Print the help of a command or tool
    Help {
        /// Command, such as `audit list`, or name of a tool
        #[arg(value_name = "COMMAND|TOOL", add = complete::help_words())]
        words: Vec<String>,
    },
}

impl CliCommand {
    /// Whether the command answers calls or runs, so that programs read it through a pipe.
    fn is_door(&self) -> bool {
        match self {
            Self::Call(_) | Self::Run(_) | Self::Serve(_) | Self::Session(_) => true,
            Self::Runs(runs) => matches!(runs, runs::RunsCommand::Resume(_)),
            Self::Schedule(one) => matches!(one, schedule::ScheduleCommand::Run { .. }),
            _ => false,
        }
    }
}

impl Cli {
    /// The command line with the arguments of one tool.
    fn of_tool(tool: &dyn AnyTool) -> clap::Command {
        let mut root = Self::command().mut_subcommand("call", |_| flags::tool_command(tool));
        root.build();
        root
    }

    /// The command line with one command, for parsing alone: its help and errors are not those of the whole.
    fn with_only(command: clap::Command) -> clap::Command {
        let root = clap::Command::new("mathchain").disable_help_subcommand(true);
        GlobalArgs::augment_args(root).subcommand(command)
    }

    /// Parses a command line that is a call, without the definitions of all other commands; `None` where it is none, or has a fault or
    /// asks for help, which the whole of the definitions is needed for.
    fn of_call(words: Vec<OsString>) -> Option<Self> {
        let call = call::CallCommand::augment_args(clap::Command::new("call"));
        let mut matches = Self::with_only(call).try_get_matches_from(words).ok()?;
        Self::from_arg_matches_mut(&mut matches).ok()
    }

    /// Parses the command line of this process with the arguments of one tool: the options of the call, and the arguments.
    fn with_tool(
        tool: &dyn AnyTool,
        schema: &Schema,
    ) -> Result<((GlobalArgs, call::CallCommand), ArgMatches), clap::Error> {
        let mut root = Self::with_only(flags::option_command(tool.spec(), schema));
        let mut matches = match root.try_get_matches_from_mut(words::command_words()) {
            Ok(matches) => matches,
            Err(_) => {
                root = Self::of_tool(tool);
                root.try_get_matches_from_mut(words::command_words())?
            }
        };
        let (_, arguments) = matches
            .subcommand()
            .ok_or_else(|| missing_subcommand_error(&mut root))?;
        let arguments = arguments.clone();
        let cli = Self::from_arg_matches_mut(&mut matches)?;
        match cli.command {
            CliCommand::Call(call) => {
                let global = GlobalArgs {
                    is_door: true,
                    ..cli.global
                };
                Ok(((global, call), arguments))
            }
            _ => Err(missing_subcommand_error(&mut root)),
        }
    }
}

/// The name of a tool that stands where a command is expected: `mathchain calculate '2+2'` is a call.
fn tool_as_command(err: &clap::Error) -> Option<String> {
    match err.get(ContextKind::InvalidSubcommand)? {
        ContextValue::String(name) => mathchain::built_in_tool(name).map(|_| name.clone()),
        _ => None,
    }
}

/// Suggests the nearest command or tool for an unknown command, before those that are near as well.
fn suggest_tool(mut err: clap::Error) -> clap::Error {
    let Some(ContextValue::String(name)) = err.get(ContextKind::InvalidSubcommand) else {
        return err;
    };
    let commands = Cli::command();
    let commands = commands.get_subcommands().map(clap::Command::get_name);
    let tools = mathchain::tool_families()
        .flatten()
        .map(|entry| entry.tool().spec().id);
    let Some(near) = tool_core::nearest::nearest_name(name, commands.chain(tools)) else {
        return err;
    };
    let others = match err.get(ContextKind::SuggestedSubcommand) {
        Some(ContextValue::Strings(others)) => others.as_slice(),
        Some(ContextValue::String(other)) => std::slice::from_ref(other),
        _ => &[],
    };
    let others = others.iter().filter(|other| *other != near).cloned();
    let suggested = [near.to_owned()].into_iter().chain(others).collect();
    err.insert(
        ContextKind::SuggestedSubcommand,
        ContextValue::Strings(suggested),
    );
    err
}

fn missing_subcommand_error(root: &mut clap::Command) -> clap::Error {
    root.error(clap::error::ErrorKind::MissingSubcommand, "expected `call`")
}

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    host_sandbox::sandbox::launch_if_asked();
    run_words(mathchain::agent_host::program_of_this_process())
}

/// As [`main`], for a program that offers MCP clients more than this library does.
pub fn main_with(extra: std::sync::Arc<dyn mathchain_servers::ServerExtension>) -> ExitCode {
    serve::offer_extra(extra);
    main()
}

/// Runs a command line, the name of the program first, in a process whose own is that of a host such as an interpreter; once. `agents` is
/// the program that serves the agents that it starts; without one it starts none.
pub fn run_command_line(words: Vec<OsString>, agents: Option<AgentProgram>) -> ExitCode {
    words::set_words(words);
    run_words(agents)
}

fn run_words(agent_program: Option<AgentProgram>) -> ExitCode {
    if let Some(code) = complete::if_asked() {
        return code;
    }
    let words: Vec<String> = (words::command_words().iter().skip(1))
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    let says = |word: &str| words.iter().any(|one| one == word);
    if says("serve") && says("--mcp") {
        // A client reads messages of the protocol there, also where the server does not start.
        output::leave_stdout();
    }
    let parse = || {
        Cli::of_call(words::command_words())
            .map_or_else(|| Cli::try_parse_from(words::command_words()), Ok)
    };
    let parsed = match parse() {
        Err(err) if let Some(tool) = tool_as_command(&err) => {
            words::read_as_call(&tool);
            parse()
        }
        parsed => parsed,
    };
    let cli = match parsed {
        Ok(cli) => cli,
        Err(_) if words.is_empty() => {
            help::print_requested_help(&words);
            return exit::USAGE.into();
        }
        Err(err) if err.use_stderr() => {
            return output::print_usage_error(&GlobalArgs::in_words(&words), &suggest_tool(err))
                .into();
        }
        Err(err) if err.kind() == clap::error::ErrorKind::DisplayVersion => {
            output::write_stdout(&err.to_string());
            return exit::OK.into();
        }
        Err(_) => return help::print_requested_help(&words),
    };
    let global = match &cli.command {
        CliCommand::Call(call) => call.global(&cli.global),
        _ => cli.global,
    };
    let global = GlobalArgs {
        is_door: cli.command.is_door(),
        agent_program,
        ..global
    };
    output::apply_output_options(&global);
    if let Err(err) = GlobalArgs::check_environment() {
        output::print_error(&global, &err);
        return exit::of_error(&err).into();
    }
    // The options of a call are known once its tool is.
    let started = match &cli.command {
        CliCommand::Call(_) => Ok(()),
        _ => log::start_log(&global),
    };
    let code = started
        .and_then(|()| dispatch_command(&global, cli.command))
        .unwrap_or_else(|err| {
            output::print_error(&global, &err);
            exit::of_error(&err).into()
        });
    if let Some(dropped) = mathchain::otel::finish_spans() {
        output::write_stderr(&dropped);
    }
    match output::is_incomplete() {
        true => exit::TOOL_ERROR.into(),
        false => code,
    }
}

fn dispatch_command(global: &GlobalArgs, command: CliCommand) -> Result<ExitCode> {
    match command {
        CliCommand::Call(args) => call::run_call_command(global, &args),
        CliCommand::Run(args) => run::execute_plan(global, &args),
        CliCommand::Plan(args) => plan::run_plan_command(global, &args),
        CliCommand::Runs(args) => runs::run_runs_command(global, &args),
        CliCommand::Replay(args) => replay::replay_run(global, &args),
        CliCommand::Schedule(args) => schedule::run_schedule_command(global, &args),
        CliCommand::Worker(args) => worker::run_worker_command(global, &args),
        CliCommand::Cluster(args) => cluster::run_cluster_command(global, &args),
        CliCommand::Serve(args) => serve::run_serve_command(global, &args),
        CliCommand::Console(args) => console::run_console_command(global, &args),
        CliCommand::Keys(args) => keys::run_keys_command(global, &args),
        CliCommand::Session(args) => session::run_session_command(global, &args),
        CliCommand::Tools(args) => tools::run_tools_command(global, &args),
        CliCommand::Plugins(args) => plugins::run_plugins_command(global, &args),
        CliCommand::Policy(args) => policy::run_policy_command(global, &args),
        CliCommand::Approve(args) => approvals::approve_requests(global, &args),
        CliCommand::Deny(args) => approvals::deny_request(global, &args),
        CliCommand::Approvals(args) => approvals::show_approvals(global, &args),
        CliCommand::Inbox(args) => inbox::run_inbox_command(global, &args),
        CliCommand::Events(args) => events::print_events(global, &args),
        CliCommand::Workflow(args) => workflow::run_workflow_command(global, &args),
        CliCommand::Workspace(args) => workspace::run_workspace_command(global, &args),
        CliCommand::Roles(args) => roles::list_roles(global, &args),
        CliCommand::Agents(args) => agents::run_agents_command(global, &args),
        CliCommand::AgentArgs(args) => agent_args::agent_args(global, &args),
        CliCommand::Phases(args) => phases::run_phases_command(global, &args),
        #[cfg(target_os = "linux")]
        CliCommand::Pipeline(args) => pipeline::run_pipeline_command(global, &args),
        CliCommand::Audit(args) => audit::run_audit_command(global, &args),
        CliCommand::Chain(anomalies::ChainCommand::Anomalies(args)) => {
            anomalies::print_anomalies(global, &args)
        }
        CliCommand::Artifacts(args) => artifacts::run_artifacts_command(global, &args),
        CliCommand::Backups(args) => backups::run_backups_command(global, &args),
        CliCommand::State(args) => state::run_state_command(global, &args),
        CliCommand::Setup(args) => setup::register_program(global, &args),
        CliCommand::Check => check::check_configuration(global),
        CliCommand::Doctor => doctor::run_doctor(global),
        CliCommand::Init(args) => init::write_starter_files(global, &args),
        CliCommand::Trust(args) => trust::review_trust(global, &args),
        CliCommand::Schema { name } => schema::print_schema(global, name.as_deref()),
        CliCommand::Completions { shell } => complete::print_completion_script(&shell),
        CliCommand::Man(args) => man::print_manual(&args),
        CliCommand::Help { words } => help::print_help(global, &words),
    }
}
