//! The command line: a file for each command, with its arguments. Data goes to stdout, everything else to stderr.
//!
//! Below all commands: `global` (options), `output` (printing), `exit` (exit codes), `human` (text for readers), `open` (configuration and
//! toolkit), `answer` (the end of a call).

mod agent;
mod agent_args;
mod answer;
mod approvals;
mod artifacts;
mod asking;
mod audit;
mod backups;
mod call;
mod caller;
mod cancel;
mod chain;
mod changes;
mod check;
mod configured;
mod data;
mod doctor;
mod exit;
mod flags;
mod global;
mod grant;
mod human;
mod inbox;
mod init;
mod jsonl;
mod open;
mod output;
mod phase;
mod plan;
mod plugins;
mod policy;
mod prelude;
mod progress;
mod replay;
mod request;
mod resume;
mod run;
mod runs;
mod schema;
mod serve;
mod session;
mod signals;
mod state;
mod stdin;
#[cfg(test)]
mod tests;
mod tools;
mod when;

use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};
use tool_core::{ErrorCode, Result, ToolError};

use global::Global;

/// Run maths, data and host tools with policy, audit and replayable plans
#[derive(Debug, Parser)]
#[command(name = "mathchain", version, max_term_width = 100, after_help = EXAMPLES)]
struct Cli {
    #[command(flatten)]
    global: Global,
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "Examples:
  echo '{\"A\":[[3,1],[1,2]],\"b\":[9,8]}' | mathchain call matrix_solve
  mathchain call calculate --expression '2**200'
  mathchain run examples/quickstart.yaml
  mathchain tools search regression

Terms such as plan, run, wave and approval are in docs/glossary.md. Builds with the feature `otel` send spans to the OpenTelemetry collector at OTEL_EXPORTER_OTLP_ENDPOINT (docs/observability.md).

Exit codes (docs/answers.md): 0 ok, 1 tool error, 2 usage or invalid arguments, 3 denied, 4 approval needed, 5 timeout, 6 cancelled, 7 interrupted, 8 incomplete answer, 130 stopped by a second Ctrl-C";

#[derive(Debug, Subcommand)]
enum Command {
    /// Call one tool, with arguments from flags or one JSON object on stdin
    Call(call::Call),
    /// Run a plan: a YAML or JSON document, or a call script
    Run(run::Run),
    /// Check, explain, draw and create plans
    #[command(subcommand)]
    Plan(plan::Plan),
    /// List, show, resume, cancel and clean up recorded runs
    #[command(subcommand)]
    Runs(runs::Runs),
    /// Replay a run: verify it, recompute and compare it, or run it again
    Replay(replay::Replay),
    /// Answer many calls over stdin and stdout
    Serve(serve::Serve),
    /// Serve one model session: read events, write plans, results and state
    Session(session::Session),
    /// List, show and search tools
    #[command(subcommand)]
    Tools(tools::Tools),
    /// List, check, create, enable and disable plugins
    #[command(subcommand)]
    Plugins(plugins::Plugins),
    /// Explain, compare and test who may call what
    #[command(subcommand)]
    Policy(policy::Policy),
    /// Approve a pending call
    Approve(approvals::Approve),
    /// Decline a pending call
    Deny(approvals::Decide),
    /// List and show approval requests
    #[command(subcommand)]
    Approvals(approvals::Approvals),
    /// List and answer questions from agents, and list calls marked `notify`
    #[command(subcommand, alias = "notifications")]
    Inbox(inbox::Inbox),
    /// List, show and check agent files
    #[command(subcommand)]
    Agent(agent::Agent),
    /// Print the command that starts an agent CLI with exactly an agent's permissions
    AgentArgs(agent_args::AgentArgs),
    /// List phases, and show the tools of an agent in one
    #[command(subcommand)]
    Phase(phase::Phase),
    /// List, show, verify and export audit records
    #[command(subcommand)]
    Audit(audit::Audit),
    /// Find anomalies in recorded runs and calls
    #[command(subcommand)]
    Chain(chain::Chain),
    /// List, show and export large values of runs
    #[command(subcommand)]
    Artifacts(artifacts::Artifacts),
    /// List and restore backups of files that calls changed
    #[command(subcommand, alias = "files")]
    Backups(backups::Backups),
    /// Show the size of the state, prune, export and shrink it
    #[command(subcommand)]
    State(state::State),
    /// Check the configuration and every agent, phase and plugin
    #[command(
        after_help = "Exit code 2 on any error; all errors are listed at once, with file, line and column. Suited to a project's CI."
    )]
    Check,
    /// Check this installation: versions, state, processor, sandbox; suggest fixes
    Doctor,
    /// Write a commented starter configuration
    Init(init::Init),
    /// Print a JSON Schema for editors, or list the schemas
    Schema {
        /// Name of the schema
        #[arg(value_parser = schema::names())]
        name: Option<String>,
    },
    /// Print shell completions
    Completions {
        /// Shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page
    Man,
}

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    host_sandbox::sandbox::launch_if_asked();
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(err) => {
            let words = std::env::args_os().map(|word| word.to_string_lossy().into_owned());
            let global = Global::in_words(&words.collect::<Vec<_>>());
            return output::misused(&global, &err).into();
        }
    };
    let global = match &cli.command {
        Command::Call(call) => call.global(&cli.global),
        _ => cli.global,
    };
    let code = dispatch(&global, cli.command).unwrap_or_else(|err| {
        output::error(&global, &err);
        exit::of_error(&err).into()
    });
    if let Some(dropped) = crate::otel::finish() {
        output::complain(&dropped);
    }
    match output::is_incomplete() {
        true => exit::TOOL_ERROR.into(),
        false => code,
    }
}

fn dispatch(global: &Global, command: Command) -> Result<ExitCode> {
    match command {
        Command::Call(args) => call::call(global, &args),
        Command::Run(args) => run::run(global, &args),
        Command::Plan(args) => plan::plan(global, &args),
        Command::Runs(args) => runs::runs(global, &args),
        Command::Replay(args) => replay::replay(global, &args),
        Command::Serve(args) => serve::serve(global, &args),
        Command::Session(args) => session::session(global, &args),
        Command::Tools(args) => tools::tools(global, &args),
        Command::Plugins(args) => plugins::plugins(global, &args),
        Command::Policy(args) => policy::policy(global, &args),
        Command::Approve(args) => approvals::approve(global, &args),
        Command::Deny(args) => approvals::deny(global, &args),
        Command::Approvals(args) => approvals::approvals(global, &args),
        Command::Inbox(args) => inbox::inbox(global, &args),
        Command::Agent(args) => agent::agent(global, &args),
        Command::AgentArgs(args) => agent_args::agent_args(global, &args),
        Command::Phase(args) => phase::phase(global, &args),
        Command::Audit(args) => audit::audit(global, &args),
        Command::Chain(args) => chain::chain(global, &args),
        Command::Artifacts(args) => artifacts::artifacts(global, &args),
        Command::Backups(args) => backups::backups(global, &args),
        Command::State(args) => state::state(global, &args),
        Command::Check => check::check(global),
        Command::Doctor => doctor::doctor(global),
        Command::Init(args) => init::init(&args),
        Command::Schema { name } => schema::schema(global, name.as_deref()),
        Command::Completions { shell } => {
            let mut text = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "mathchain", &mut text);
            print(&text)
        }
        Command::Man => {
            let mut text = Vec::new();
            let rendered = clap_mangen::Man::new(Cli::command()).render(&mut text);
            rendered.map_err(|err| ToolError::new(ErrorCode::Internal, err))?;
            print(&text)
        }
    }
}

fn print(text: &[u8]) -> Result<ExitCode> {
    output::print(&String::from_utf8_lossy(text));
    Ok(exit::OK.into())
}
