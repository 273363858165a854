//! The command line: what can be typed, and its help. What is typed behind a command that lists, shows and settles stands with that
//! command.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use tool_core::{Value, json, npy};

use super::caller::Caller;

/// Exact maths, data work and host tools for language-model agents, with policy, audit and replayable plans.
#[derive(Debug, Parser)]
#[command(name = "mathchain", version, max_term_width = 100, after_help = EXAMPLES)]
pub(super) struct Cli {
    #[command(flatten)]
    pub global: Global,
    #[command(subcommand)]
    pub command: Command,
}

const EXAMPLES: &str = "Examples:
  echo '{\"A\":[[3,1],[1,2]],\"b\":[9,8]}' | mathchain call matrix_solve
  mathchain call calculate --expression '2**200'
  mathchain run examples/quickstart.yaml
  mathchain tools search regression

Spans of calls and chains go to an OpenTelemetry collector where OTEL_EXPORTER_OTLP_ENDPOINT names one, in builds with the feature `otel` (docs/observability.md).

Exit codes (docs/answers.md): 0 ok, 1 tool error, 2 usage or invalid arguments, 3 denied, 4 approval needed, 5 timeout, 6 cancelled, 7 interrupted, 8 the answer falls short of what was asked, 130 ended by a second Ctrl-C";

#[derive(Debug, Clone, Args)]
pub(super) struct Global {
    /// Configuration file; by default mathchain.toml (or .yaml) is looked for from here upwards, then in the user's
    /// configuration folder
    #[arg(long, global = true, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Workspace root; wins over the configuration's
    #[arg(long, global = true, value_name = "DIR")]
    pub workspace: Option<PathBuf>,
    /// How results are printed; by default `human` on a terminal and `json` elsewhere
    #[arg(long, global = true, value_enum, value_name = "FORMAT")]
    pub output: Option<Format>,
    /// Short for --output json
    #[arg(long, global = true, conflicts_with = "output")]
    pub json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// For a reader
    Human,
    /// The envelope, one line of JSON
    Json,
    /// The result alone: text as it is, anything else as one line of JSON
    Raw,
    /// The envelope with arrays of 64 numbers or more as {"$npy": "<base64 of an .npy file>"}, which arguments take too
    Npy,
}

impl Format {
    /// A line of JSON in this format.
    pub(super) fn line(self, value: &Value) -> String {
        /// Shorter arrays stay readable.
        const ARRAY_LEAST: usize = 64;
        let mut text = match self {
            Self::Npy => json::to_text(&npy::encoded(value, ARRAY_LEAST)),
            Self::Human | Self::Json | Self::Raw => json::to_text(value),
        };
        text.push('\n');
        text
    }
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Call one tool; arguments as one JSON object on stdin, or as flags
    Call(Call),
    /// Run a plan: a YAML or JSON document of steps, or a call script
    Run(Run),
    /// Check, explain, draw and begin plans
    #[command(subcommand)]
    Plan(super::plan::args::Plan),
    /// Answer many calls over stdin and stdout
    Serve(Serve),
    /// Serve one session: events in, plans, results and state out, one JSON object a line
    Session(Session),
    /// List, show and search tools
    #[command(subcommand)]
    Tools(Tools),
    /// Ask the policy
    #[command(subcommand)]
    Policy(super::policy::Policy),
    /// List, show and check agent files
    #[command(subcommand)]
    Agent(super::agent::Agent),
    /// Print how an agent command line is started so that it can do what an agent may, and no more
    AgentArgs(AgentArgs),
    /// List phases, and show what each agent may do in one
    #[command(subcommand)]
    Phase(super::phase::Phase),
    /// Check the configuration, every agent, phase and plugin
    #[command(
        after_help = "Exit code 2 when anything is wrong: every error at once, with file, line and column. For a project's own CI."
    )]
    Check,
    /// Print a JSON Schema for editors; without a name, list them
    Schema {
        /// What it describes
        #[arg(value_parser = super::schema::names())]
        name: Option<String>,
    },
    /// List, check and switch plugins
    #[command(subcommand)]
    Plugins(super::plugins::Plugins),
    /// Approve a waiting call, once
    Approve(super::approvals::Approve),
    /// Decline a waiting call
    Deny(super::approvals::Decide),
    /// Calls that wait for an answer
    #[command(subcommand)]
    Approvals(super::approvals::Approvals),
    /// Copies that were kept of files before calls changed them
    #[command(subcommand)]
    Files(super::kept::Files),
    /// What people were told: calls with the obligation `notify`, questions of agents
    #[command(subcommand)]
    Notifications(super::kept::Notifications),
    /// Read and verify the audit
    #[command(subcommand)]
    Audit(super::audit::Audit),
    /// Recorded runs: list and show them, go on with them or cancel them, free what they keep
    #[command(subcommand)]
    Runs(super::runs::Runs),
    /// Go through a run again: verify it, compute and compare, or run it anew
    Replay(super::resume::Replay),
    /// What looks wrong in what plans and calls did
    #[command(subcommand)]
    Chain(super::chain::Chain),
    /// Large values that runs made, as files
    #[command(subcommand)]
    Artifacts(super::artifacts::Artifacts),
    /// Write a commented starter configuration
    Init(super::init::Init),
    /// Check this installation: versions, state, processor, probes and cures
    Doctor,
    /// Print shell completions
    Completions {
        /// Shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page
    Man,
}

#[derive(Debug, Args)]
#[command(
    override_usage = "mathchain call [--agent AGENT] [--phase PHASE] [--task TASK] [...] TOOL [--role ROLE] [--yes] [--timeout-ms N] [--arg NAME=VALUE | --NAME VALUE]...",
    after_help = "With no argument flags, one JSON object is read from stdin. A VALUE is JSON, or plain text where the tool expects text.
`mathchain call TOOL --help` shows the tool's own flags. Principal calls is said before the tool, what it is called with behind it.

Examples:
  mathchain call calculate --expression '2**200'
  mathchain call --agent researcher --phase research read_file --path notes.md
  mathchain call --task bugfix --disable write_file,group:web run_tests < args.json"
)]
pub(super) struct Call {
    #[command(flatten)]
    pub caller: Caller,
    /// Role of the caller; here or behind the tool
    #[arg(long, value_name = "ROLE", help_heading = "Caller")]
    pub role: Option<String>,
    /// Tool, then its flags
    #[arg(trailing_var_arg = true, required = true, value_name = "TOOL")]
    pub words: Vec<String>,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  mathchain run examples/quickstart.yaml
  mathchain run plan.yaml --input csv=data/houses.csv --input draws=5000
  mathchain run examples/script.chain --mode dep --trace
  mathchain run plan.yaml --explain          # waves, edges, verdicts; nothing runs
  mathchain run plan.yaml --agent tester --phase audit --disable run_shell

A run is written down under an id: `mathchain runs` lists runs and goes on with them, `mathchain replay` goes through one again. One that waits for a person (exit code 4) says how it goes on: `mathchain approve ID`, then `mathchain runs resume RUN`.")]
pub(super) struct Run {
    /// Plan file (.yaml, .yml, .json), call script (.chain), or `-` for stdin
    pub plan: PathBuf,
    /// Input of the plan: NAME=VALUE, the value as JSON or plain text; repeatable
    #[arg(long = "input", value_name = "NAME=VALUE")]
    pub inputs: Vec<String>,
    /// How the steps are ordered; wins over the plan's
    #[arg(long, value_enum)]
    pub mode: Option<Mode>,
    /// Run wave by wave: no step begins before every step of the wave before has ended
    #[arg(long)]
    pub barrier: bool,
    /// Most steps at a time
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub threads: Option<u16>,
    /// Compute every call, also where an earlier run kept the result of the same one
    #[arg(long)]
    pub no_cache: bool,
    /// Role of the caller
    #[arg(long, value_name = "ROLE", help_heading = "Caller")]
    pub role: Option<String>,
    #[command(flatten)]
    pub caller: Caller,
    /// Show order, reasons and verdicts; run nothing
    #[arg(long)]
    pub explain: bool,
    /// As --explain, and note each approval that the run would wait for; run nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Approve in advance, as the operator, whatever would be asked
    #[arg(long)]
    pub yes: bool,
    /// Show what ran when: waves, calls, and how many ran together
    #[arg(long)]
    pub trace: bool,
    /// Write what ran when as a Chrome trace, for chrome://tracing and Perfetto; a file that is there is replaced
    #[arg(long, value_name = "FILE")]
    pub trace_file: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Mode {
    /// As dependencies and resources allow
    Dep,
    /// In plan order, one step at a time
    Seq,
}

impl From<Mode> for chain_runtime::Mode {
    fn from(mode: Mode) -> Self {
        match mode {
            Mode::Dep => Self::Dep,
            Mode::Seq => Self::Seq,
        }
    }
}

#[derive(Debug, Args)]
#[command(
    after_help = "Each line is {\"id\":...,\"tool\":NAME,\"args\":{...},\"role\":NAME?,\"traceparent\":TEXT?}; each answer carries the id and may come out of order. A `traceparent` says which span of the client the call is part of (docs/observability.md).
Examples:
  printf '%s\\n' '{\"id\":1,\"tool\":\"statistics\",\"args\":{\"data\":[1,2,3]}}' | mathchain serve --jsonl
  mathchain serve --jsonl --agent tester --phase audit --task bugfix"
)]
pub(super) struct Serve {
    /// One JSON object a line, in and out
    #[arg(long, required = true)]
    pub jsonl: bool,
    /// Roles that a line may name
    #[arg(long, value_delimiter = ',', value_name = "ROLE,...")]
    pub roles: Vec<String>,
    /// Role of lines that name none; wins over the configuration's
    #[arg(long)]
    pub role: Option<String>,
    /// Who every line comes from.
    #[command(flatten)]
    pub caller: Caller,
    /// Most calls at a time
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub workers: Option<u16>,
}

#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "docs/sessions.md lists the events. Every line of output is a line of the session's log.
Examples:
  mathchain session < examples/session.jsonl > log.jsonl
  mathchain session replay log.jsonl"
)]
pub(super) struct Session {
    #[command(subcommand)]
    pub command: Option<SessionCommand>,
    /// Judge and plan calls, and leave it to the caller to run and settle them
    #[arg(long)]
    pub plan_only: bool,
    /// Name of the session; by default that of this process in the audit
    #[arg(long)]
    pub name: Option<String>,
    /// Role of the calls; wins over the agent's and the configuration's
    #[arg(long)]
    pub role: Option<String>,
    /// Agent of the calls
    #[arg(long)]
    pub agent: Option<String>,
    /// Phase of the calls
    #[arg(long)]
    pub phase: Option<String>,
    /// Kind of task of the calls, with its budget
    #[arg(long)]
    pub task: Option<String>,
    /// Toolset that calls start from, instead of what phase, agent or role select
    #[arg(long)]
    pub toolset: Option<String>,
    /// Provider profile the session starts with
    #[arg(long)]
    pub profile: Option<String>,
    /// Most calls of a wave at a time
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub threads: Option<u16>,
    /// Approve in advance, as the operator, whatever would be asked
    #[arg(long)]
    pub yes: bool,
}

#[derive(Debug, Subcommand)]
pub(super) enum SessionCommand {
    /// Fold a log again, hold every line against what follows from those before, and print the state at its end
    Replay {
        /// The log, or `-` for stdin
        log: PathBuf,
    },
    /// Print the JSON Schema of events, or of lines of output
    Schema {
        /// Which
        #[arg(value_enum)]
        of: SessionSchema,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum SessionSchema {
    /// Lines of input
    Event,
    /// Lines of output, which are those of the log
    Output,
}

#[derive(Debug, Subcommand)]
pub(super) enum Tools {
    /// List the tools a caller sees, in the order of its selection
    #[command(after_help = "Examples:
  mathchain tools list --role worker_math
  mathchain tools list --agent researcher --phase research --all
  mathchain tools list --profile openai --enable sql_query")]
    List {
        /// Role
        #[arg(long, value_name = "ROLE", help_heading = "Caller")]
        role: Option<String>,
        #[command(flatten)]
        caller: Caller,
        /// Show hidden ones too, with the reason
        #[arg(long)]
        all: bool,
        /// A fact instead of what holds here, such as `workspace=closed`; repeatable
        #[arg(long = "fact", value_name = "FACT")]
        facts: Vec<String>,
    },
    /// Show one tool: description, arguments, result, examples
    Show {
        /// Tool
        tool: String,
        /// Print the JSON Schema of the arguments and the result
        #[arg(long)]
        schema: bool,
    },
    /// Search by name, text, category, tag or effect
    Search {
        /// Words; `category:c`, `tag:t` and `effect:e` narrow
        #[arg(required = true)]
        words: Vec<String>,
    },
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  mathchain agent-args --phase audit --agent claude
  mathchain agent-args --agent researcher --cli claude
  mathchain agent-args --agent tester --cli codex --permission workspace-write --prompt 'run the tests'")]
pub(super) struct AgentArgs {
    /// Agent: one with a file, or the name of a command line
    #[arg(long)]
    pub agent: String,
    /// Phase of the configuration
    #[arg(long)]
    pub phase: Option<String>,
    /// Agent command line: claude, codex, gemini, copilot or opencode; by default the agent's name
    #[arg(long)]
    pub cli: Option<String>,
    /// What it may change at most; by default what the phase says, else nothing
    #[arg(long, value_enum)]
    pub permission: Option<Confinement>,
    /// Most turns, 0 for no limit; wins over the agent's
    #[arg(long, value_name = "N")]
    pub max_turns: Option<u64>,
    /// Profile of arguments in the table of the command line
    #[arg(long)]
    pub profile: Option<String>,
    /// The task; without it the command line reads stdin
    #[arg(long, value_name = "TEXT")]
    pub prompt: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Confinement {
    /// Nothing
    ReadOnly,
    /// Files of the workspace; no network
    WorkspaceWrite,
    /// What its tools can
    FullAccess,
}

impl From<Confinement> for registry::model::Confinement {
    fn from(permission: Confinement) -> Self {
        match permission {
            Confinement::ReadOnly => Self::ReadOnly,
            Confinement::WorkspaceWrite => Self::WorkspaceWrite,
            Confinement::FullAccess => Self::FullAccess,
        }
    }
}
