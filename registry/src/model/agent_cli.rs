//! [`CliSpec`]: an agent command line as a table of templates.

use std::collections::BTreeMap;

use tool_core::Value;

use super::Confinement;
use crate::error::Place;

/// An agent command line.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CliSpec {
    /// Its name in phases and aliases.
    pub name: String,
    /// The program.
    pub binary: String,
    /// Words behind the program.
    pub subcommand: Vec<String>,
    /// The model it is told to use.
    pub model: Option<String>,
    /// How it is told the model.
    pub model_args: Vec<String>,
    /// Arguments by profile.
    pub flags: BTreeMap<String, Vec<String>>,
    /// What it sees of the environment.
    pub env_policy: EnvPolicy,
    /// Patterns of whole names that it sees all the same.
    pub env_passlist: Vec<String>,
    /// How it is given its task.
    pub prompt_via: PromptVia,
    /// The task as an argument.
    pub prompt_argv: Vec<String>,
    /// What says that the task comes on stdin.
    pub prompt_stdin: Vec<String>,
    /// What its output looks like.
    pub stream_format: String,
    /// Arguments that set its output.
    pub output: Vec<String>,
    /// What happens to what it cannot enforce.
    pub unenforced: Unenforced,
    /// How it spells a tool of a server.
    pub mcp_name: String,
    /// How its rules spell one, where that differs.
    pub mcp_rule: Option<String>,
    /// Its own tools that can be told apart.
    pub tools: Vec<String>,
    /// Ours that its own stand for, where the aliases do not say.
    pub native: BTreeMap<String, String>,
    /// Its own tools by the kind that its rules are about.
    pub kinds: BTreeMap<String, String>,
    /// What makes tools visible or not.
    pub visibility: Visibility,
    /// What makes tools ask or not.
    pub approval: Approval,
    /// What confines it, by permission.
    pub sandbox: BTreeMap<Confinement, Sandbox>,
    /// Arguments that limit the turns of a run.
    pub turns: Vec<String>,
    /// The file that says what no argument says.
    pub config: Option<ConfigTemplate>,
    /// Arguments that profiles cannot set while an agent's tools are set.
    pub managed: BTreeMap<String, Arity>,
    /// Where it was written.
    pub place: Option<Place>,
}

/// What makes tools visible or not.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Visibility {
    /// Arguments, whatever is visible.
    pub args: Vec<String>,
    /// Where no tool of a server is visible.
    pub without_servers: Vec<String>,
    /// For each server with visible tools.
    pub server: Vec<String>,
    /// For its own tools that are hidden one by one.
    pub off: BTreeMap<String, Off>,
    /// Its own tools are shown or hidden by their kind only.
    pub by_kind: bool,
    /// What becomes of a server's other tools, where it cannot hide them.
    pub other_tools_of_servers: Option<String>,
}

/// How a tool is hidden.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Off {
    /// By arguments.
    pub args: Vec<String>,
    /// Not at all, which does no harm under these permissions.
    pub harmless: Vec<Confinement>,
    /// Why not.
    pub why: Option<String>,
}

/// What makes tools ask or not.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Approval {
    /// Where a tool runs without asking.
    pub allow: Vec<String>,
    /// Where a tool is denied that stays listed.
    pub deny: Vec<String>,
    /// Where one of its own tools asks.
    pub some_ask: Vec<String>,
    /// Where none does.
    pub none_ask: Vec<String>,
    /// For each tool of a server that runs without asking.
    pub mcp_allow: Vec<String>,
    /// For each that asks.
    pub mcp_ask: Vec<String>,
    /// Its own tools that never ask.
    pub never_asks: Vec<String>,
    /// Why tools of servers never ask, where they do not.
    pub servers_never_ask: Option<String>,
}

/// What confines it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Sandbox {
    /// Arguments.
    pub args: Vec<String>,
    /// Laid over the configuration file.
    pub config: Option<Value>,
    /// What is not confined, by the visible tool of its own that makes it so.
    pub unenforced: BTreeMap<String, String>,
}

/// A configuration file as a template.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ConfigTemplate {
    /// Where it looks for the file.
    pub file: String,
    /// The environment variable that names another file for one run.
    pub variable: Option<String>,
    /// What the file says.
    pub value: Value,
}

/// How many arguments follow a flag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Arity {
    /// None.
    None,
    /// One.
    One,
    /// All up to the next flag.
    Greedy,
    /// One, `key=value`, and only keys that begin so are meant.
    Keys(Vec<String>),
}

/// What a program sees of the environment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum EnvPolicy {
    /// All of it.
    Inherit,
    /// All but keys and settings of vendors, secrets, proxies and telemetry, by the patterns of `agent_clis.yaml`.
    #[default]
    Filtered,
    /// A few names, by the patterns of `agent_clis.yaml`.
    Clean,
}

/// How a program is given its task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PromptVia {
    /// As an argument.
    #[default]
    Argv,
    /// On stdin.
    Stdin,
}

/// What happens to what a command line cannot enforce.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Unenforced {
    /// Nothing runs.
    #[default]
    Error,
    /// It is said.
    Warn,
}
