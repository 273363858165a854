//! [`Config`]: what a project sets.

use serde::Serialize;

use super::{Agent, CliSpec, Layer, Phase, ProviderProfile, Role, Selector, Toolset};
use crate::error::Place;

/// Limits of every call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Largest request and largest file loaded for an argument, in bytes.
    pub max_input_bytes: u64,
    /// Longest run in milliseconds.
    pub timeout_ms: u64,
    /// Largest result of a direct call, in bytes of JSON.
    pub max_output_bytes: u64,
    /// Memory that input can size, in bytes, per call; what a step of a chain hands on counts against it too.
    pub memory_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_input_bytes: 256 << 20,
            timeout_ms: 60_000,
            max_output_bytes: 1 << 20,
            memory_bytes: 8 << 30,
        }
    }
}

/// Where the files of a project are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Workspace {
    /// The root, relative to the configuration file.
    pub root: String,
    /// The state folder, relative to the root; `None` where the configuration does not say.
    pub state: Option<String>,
}

/// How chains run where the plan does not say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ChainMode {
    /// By dependencies.
    #[default]
    Dep,
    /// One step after the other.
    Seq,
}

/// What a failed step does to the chain where the plan does not say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OnError {
    /// No further step starts.
    #[default]
    FailChain,
    /// What does not depend on it still runs.
    SkipDependents,
    /// Dependents whose references carry a default run too.
    Continue,
}

/// Defaults of chains.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ChainDefaults {
    /// How chains run.
    pub mode: ChainMode,
    /// Whether steps with effects may run at the same time.
    pub parallel_mutations: bool,
    /// What a failed step does.
    pub on_error: OnError,
    /// From when on the journal is said to look wrong.
    pub anomalies: AnomalyLimits,
}

/// What tools may reach on the web, and which services they ask.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Web {
    /// Where present, the only hosts that are reached, whatever was approved.
    pub allow_hosts: Option<Vec<String>>,
    /// Hosts that are never reached, by redirects neither.
    pub deny_hosts: Vec<String>,
    /// Longest exchange in seconds.
    pub timeout_s: Option<u64>,
    /// Largest answer in bytes.
    pub bytes_max: Option<u64>,
    /// Addresses of services instead of the public ones, by provider.
    pub services: Vec<(String, String)>,
    /// What `web_search` asks.
    pub search: Option<WebSearch>,
}

/// The provider of `web_search`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebSearch {
    /// `wikipedia`, `searxng` or `brave`.
    pub provider: String,
    /// Its address.
    pub endpoint: Option<String>,
    /// The environment variable that holds its key.
    pub api_key_variable: Option<String>,
}

/// A model behind an OpenAI-compatible endpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelEndpoint {
    /// Absolute http(s) URL.
    pub endpoint: String,
    /// The environment variable that holds the key.
    pub api_key_variable: Option<String>,
    /// Which model, where the server has several.
    pub model: Option<String>,
    /// Longest wait for one answer in milliseconds, where it is set.
    pub timeout_ms: Option<u64>,
}

/// The models that tools may ask.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Models {
    /// Gives vectors for texts.
    pub embeddings: Option<ModelEndpoint>,
    /// Answers texts.
    pub chat: Option<ModelEndpoint>,
    /// Answers texts with images.
    pub vision: Option<ModelEndpoint>,
}

/// What becomes of a call that asks at a door where nobody can answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Unattended {
    /// It waits for a person elsewhere.
    #[default]
    Pending,
    /// It is denied.
    Deny,
}

/// Where answers to approvals come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub enum ApprovalsFrom {
    /// The operator: the command line of this user, at a terminal or not.
    #[default]
    Terminal,
    /// An approver with a key, and nothing else.
    Key,
}

/// What a project sets.
#[derive(Debug, Clone, PartialEq)]
pub struct Config {
    /// Role of a call that names none at the command line.
    pub default_role: String,
    /// Where that was written.
    pub default_role_place: Option<Place>,
    /// Where the files are.
    pub workspace: Workspace,
    /// Named selections.
    pub toolsets: Vec<Toolset>,
    /// Roles beside or instead of the built-in ones.
    pub roles: Vec<Role>,
    /// Layers.
    pub layers: Vec<Layer>,
    /// Phases of a pipeline.
    pub phases: Vec<Phase>,
    /// What models of a provider start from.
    pub profiles: Vec<ProviderProfile>,
    /// Budgets of kinds of tasks.
    pub budgets: Vec<Budget>,
    /// Agents that a program made.
    pub agents: Vec<Agent>,
    /// Agent files, each with its path and what it says; read with the policy, since they name tools.
    pub agent_texts: Vec<(String, String)>,
    /// What holds where no rule is about a call.
    pub permissions: Permissions,
    /// What tools may reach on the web.
    pub web: Web,
    /// Limits of every call.
    pub limits: Limits,
    /// Defaults of chains.
    pub chain: ChainDefaults,
    /// What becomes of a call that asks where nobody can answer.
    pub unattended: Unattended,
    /// Where answers to approvals come from.
    pub approvals_from: ApprovalsFrom,
    /// The models that tools may ask.
    pub models: Models,
    /// Agent command lines beside or instead of the built-in ones.
    pub clis: Vec<CliSpec>,
    /// Files of earlier systems; read with the policy, since they name tools.
    pub files: EarlierFiles,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            default_role: "operator".to_owned(),
            default_role_place: None,
            workspace: Workspace {
                root: ".".to_owned(),
                state: None,
            },
            toolsets: Vec::new(),
            roles: Vec::new(),
            layers: Vec::new(),
            phases: Vec::new(),
            profiles: Vec::new(),
            budgets: Vec::new(),
            agents: Vec::new(),
            agent_texts: Vec::new(),
            permissions: Permissions::default(),
            web: Web::default(),
            limits: Limits::default(),
            chain: ChainDefaults::default(),
            unattended: Unattended::default(),
            approvals_from: ApprovalsFrom::default(),
            models: Models::default(),
            clis: Vec::new(),
            files: EarlierFiles::default(),
        }
    }
}

/// How many calls of each kind a task may make; `None` sets no limit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Budget {
    /// Kind of task.
    pub task: String,
    /// Calls that only read.
    pub read: Option<u64>,
    /// Calls that modify files or state.
    pub write: Option<u64>,
    /// Calls that run programs.
    pub exec: Option<u64>,
    /// Calls that ask a language model.
    pub llm: Option<u64>,
    /// How often it may be raised.
    pub overrides: Option<u64>,
    /// Where it was written.
    #[serde(skip)]
    pub place: Option<Place>,
}

/// What holds where no rule is about a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Permissions {
    /// Every use of the network asks, listed hosts too.
    pub network_asks: bool,
    /// Hosts that do not ask; `*.example.org` is any below it.
    pub allowed_hosts: Vec<String>,
    /// Private and loopback addresses that may be reached at all; looked at when the connection is made.
    pub allow_private: Vec<String>,
    /// Changes of files ask.
    pub filesystem_asks: bool,
    /// Paths that do not ask when they are read.
    pub allowed_paths: Vec<String>,
    /// Programs ask.
    pub shell_asks: bool,
    /// Pure work asks too.
    pub compute_asks: bool,
}

impl Default for Permissions {
    fn default() -> Self {
        Self {
            network_asks: false,
            allowed_hosts: Vec::new(),
            allow_private: Vec::new(),
            filesystem_asks: true,
            allowed_paths: vec![".".to_owned()],
            shell_asks: true,
            compute_asks: false,
        }
    }
}

/// A file that a configuration names; whoever reads the configuration hands its text in.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedFile {
    /// Its path, relative to the configuration.
    pub path: Selector,
    /// What it says, or why it could not be read.
    pub text: Result<String, String>,
}

/// The files of earlier systems.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct EarlierFiles {
    /// Roles: an index with `toolIds`, or flat permissions.
    pub roles: Vec<NamedFile>,
    /// Indices of tools.
    pub tools: Vec<NamedFile>,
}

impl EarlierFiles {
    /// Every one.
    pub fn iter(&self) -> impl Iterator<Item = &NamedFile> {
        self.roles.iter().chain(&self.tools)
    }

    /// Every one, to hand its text in.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut NamedFile> {
        self.roles.iter_mut().chain(&mut self.tools)
    }
}

/// Limits of what is usual. A finding begins above them (`docs/runs.md`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AnomalyLimits {
    /// Fewest results of a tool whose median says how long it takes.
    pub calls_least: u64,
    /// A stall takes more than this many times what is usual,
    pub stall_times: u64,
    /// and longer than this many milliseconds.
    pub stall_ms: u64,
    /// Fewest failures of one tool,
    pub failures_least: u64,
    /// which are at least this share of its calls, in percent.
    pub failure_percent: u64,
    /// An instant failure takes no longer than this, in milliseconds.
    pub instant_ms: u64,
    /// Fewest of them in one run or session.
    pub instant_least: u64,
    /// Most attempts for each settled call of a tool in a run,
    pub attempts_per_call: u64,
    /// where there were at least this many.
    pub attempts_least: u64,
    /// Largest share of plans that ran one step after the other in place of by dependencies, in percent,
    pub fallback_percent: u64,
    /// of at least this many.
    pub chains_least: u64,
    /// Largest share of all calls that one tool has, in percent.
    pub tool_percent: u64,
    /// Largest share of all calls that one role has, in percent.
    pub role_percent: u64,
    /// Fewest calls of which shares are taken.
    pub share_calls_least: u64,
}

impl Default for AnomalyLimits {
    fn default() -> Self {
        Self {
            calls_least: 5,
            stall_times: 10,
            stall_ms: 1000,
            failures_least: 3,
            failure_percent: 25,
            instant_ms: 5,
            instant_least: 3,
            attempts_per_call: 2,
            attempts_least: 5,
            fallback_percent: 20,
            chains_least: 5,
            tool_percent: 80,
            role_percent: 90,
            share_calls_least: 20,
        }
    }
}
