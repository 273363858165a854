//! [`Config`]: what a project sets.

use std::collections::BTreeMap;

use tool_core::capability::{ApprovalFallback, CommitRules};
use tool_core::{Access, Decode, Describe, Encode, Value, names};

use super::{
    AgentDefinition, BrokenAgent, CliSpec, ClusterConfig, EarlierAgent, FormatVersion, McpServer,
    ModelsConfig, NamedTable, NotifyProgram, OpenApiService, PermissionTable, Phase,
    PipelineLimits, PolicyLayer, ProviderProfile, Role, Schedule, ToolSelector, Toolset,
    UnitDuration, WebConfig, WorkflowConfig,
};

/// Limits of every call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Encode, Decode, Describe)]
#[value(default)]
pub struct CallLimits {
    /// Largest request and largest file loaded for an argument, in bytes
    #[schema(range(min = 1))]
    pub max_input_bytes: u64,
    /// Longest run, in milliseconds
    #[schema(range(min = 1))]
    pub timeout_ms: u64,
    /// Largest answer of a direct call, in bytes of JSON; larger arrays are artifacts
    #[schema(range(min = 1))]
    pub max_output_bytes: u64,
    /// Memory whose size depends on input, in bytes per call; values passed between the steps of a plan count too
    #[schema(range(min = 1))]
    pub memory_bytes: u64,
}

impl Default for CallLimits {
    fn default() -> Self {
        Self {
            max_input_bytes: 256 << 20,
            timeout_ms: 60_000,
            max_output_bytes: 1 << 20,
            memory_bytes: 8 << 30,
        }
    }
}

/// Location of the files of a project.
#[derive(Debug, Clone, PartialEq, Eq, Default, Decode, Describe)]
#[value(default)]
pub struct WorkspaceConfig {
    /// Folder that file tools may use, relative to this file; `.` where absent
    pub root: Option<String>,
    /// Folders that file tools may use, instead of `root`; relative paths start from the first
    pub roots: Option<Vec<RootFolderConfig>>,
    /// Folders below the first root in which programs of `run_shell` may write; `.git`, configuration and state stay as they are
    pub writable: Vec<String>,
    /// State folder (audit log, approvals, journal), relative to the first root; tools never write to it
    pub state: Option<String>,
    /// The roots in use, by which rules on paths are read; set by the program.
    #[value(skip)]
    pub opened: WorkspaceRoots,
}

/// A folder that file tools may use.
#[derive(Debug, Clone, PartialEq, Eq, Decode, Describe)]
pub struct RootFolderConfig {
    /// Its path, relative to this file
    pub path: String,
    /// Whether tools only read it, or also write in it; of roots within one another, the inner one counts
    pub access: Access,
}

impl WorkspaceConfig {
    /// The folders, as written.
    pub fn folders(&self) -> Vec<RootFolderConfig> {
        let root = || RootFolderConfig {
            path: self.root.clone().unwrap_or_else(|| ".".to_owned()),
            access: Access::Write,
        };
        self.roots.clone().unwrap_or_else(|| vec![root()])
    }
}

/// The roots of an opened workspace, as absolute paths without links.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct WorkspaceRoots {
    /// The first root: files in it are named relative to it.
    pub first: String,
    /// The other roots that lie within no root: files in them have absolute names.
    pub others: Vec<String>,
}

names! {
    /// Order of the steps of a plan.
    #[derive(Default)]
    ChainMode {
        /// By dependencies: independent steps run in parallel.
        #[default]
        Dep = "dep",
        /// One after the other, as written.
        Seq = "seq",
    }

    /// Effect of a failed step on the others.
    #[derive(Default)]
    OnError {
        /// No further step starts.
        #[default]
        FailChain = "fail_chain",
        /// Every step that does not depend on the failed one runs.
        SkipDependents = "skip_dependents",
        /// Dependents run too where their references have a `default`.
        Continue = "continue",
    }
}

/// Defaults of plans.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Encode, Default, Decode, Describe)]
#[value(default)]
pub struct ChainDefaults {
    /// Order of the steps: by dependencies, or one after the other
    pub mode: ChainMode,
    /// Whether steps with effects may run in parallel
    pub parallel_mutations: bool,
    /// Effect of a failed step on the others
    pub on_error: OnError,
    /// Thresholds of `mathchain runs anomalies` (docs/runs.md)
    pub anomalies: AnomalyLimits,
}

/// Thresholds of anomalies in the journal (docs/runs.md).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Encode, Decode, Describe)]
#[value(default)]
pub struct AnomalyLimits {
    /// Minimum number of results of a tool for a usual duration
    #[schema(range(min = 1))]
    pub calls_least: u64,
    /// A stall takes more than this many times the usual duration
    #[schema(range(min = 1))]
    pub stall_times: u64,
    /// Minimum duration of a stall, in milliseconds
    #[schema(range(min = 1))]
    pub stall_ms: u64,
    /// Minimum number of failures of one tool
    #[schema(range(min = 1))]
    pub failures_least: u64,
    /// Minimum share of failed calls of a tool, in percent
    #[schema(range(min = 1, max = 100))]
    pub failure_percent: u64,
    /// Maximum duration of an instant failure, in milliseconds
    #[schema(range(min = 1))]
    pub instant_ms: u64,
    /// Minimum number of instant failures of one tool in one run or session
    #[schema(range(min = 1))]
    pub instant_least: u64,
    /// Maximum number of attempts per completed call of a tool in a run
    #[schema(range(min = 1))]
    pub attempts_per_call: u64,
    /// Minimum number of attempts of a tool in a run
    #[schema(range(min = 1))]
    pub attempts_least: u64,
    /// Maximum share of plans that fell back to sequential order, in percent
    #[schema(range(min = 1, max = 100))]
    pub fallback_percent: u64,
    /// Minimum number of plans for that share
    #[schema(range(min = 1))]
    pub chains_least: u64,
    /// Maximum share of all calls for one tool, in percent
    #[schema(range(min = 1, max = 100))]
    pub tool_percent: u64,
    /// Maximum share of all calls for one role, in percent
    #[schema(range(min = 1, max = 100))]
    pub role_percent: u64,
    /// Minimum number of calls for those shares
    #[schema(range(min = 1))]
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

/// Programs that tools on code run.
#[derive(Debug, Clone, PartialEq, Eq, Default, Decode, Describe)]
#[value(default)]
pub struct CodeConfig {
    /// Python interpreter, or folder of a virtual environment, relative to this file; `python3` of the system where absent
    pub python: Option<String>,
}

/// Symbolic mathematics.
#[derive(Debug, Clone, PartialEq, Eq, Default, Decode, Describe)]
#[value(default)]
pub struct SymbolicConfig {
    /// Whether SymPy may answer symbolic tools that are asked to use it, in the sandbox, by the interpreter of `code.python`
    pub sympy: bool,
}

/// Repositories of git.
#[derive(Debug, Clone, PartialEq, Eq, Default, Decode, Describe)]
#[value(default)]
pub struct GitConfig {
    /// Rules of commit messages
    pub commit: CommitRules,
}

/// How many calls of each kind a session with a kind of task may make; absent: no limit.
#[derive(Debug, Clone, PartialEq, Eq, Encode, Default, Decode, Describe)]
#[value(default)]
pub struct TaskBudget {
    /// The key of its table: a kind of task.
    #[value(rename = "$name")]
    pub task: String,
    /// Calls that only read
    pub read: Option<u64>,
    /// Calls that modify files or state
    pub write: Option<u64>,
    /// Calls that run programs
    pub exec: Option<u64>,
    /// Calls of a language model
    pub llm: Option<u64>,
    /// How often `budget_override` may raise it; 2 where absent
    pub overrides: Option<u64>,
}

names! {
    /// Treatment of a call that needs approval at a door where no user can answer.
    #[derive(Default)]
    Unattended {
        /// It waits for an answer from elsewhere.
        #[default]
        Pending = "pending",
        /// It is denied.
        Deny = "deny",
    }

    /// Who may answer approval requests.
    #[derive(Default)]
    ApprovalsFrom {
        /// The operator, at a terminal that is not of the requester's process group.
        #[default]
        Terminal = "terminal",
        /// An approver with a key only.
        Key = "key",
    }
}

/// Approval requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Decode, Describe)]
#[value(default)]
pub struct ApprovalConfig {
    /// Treatment of a call that needs approval where no user can answer
    pub unattended: Unattended,
    /// Who may answer; `key` where approvers are configured
    pub from: ApprovalsFrom,
    /// How long a request lives, and its answer until the call is made, such as `12h`
    pub expire: UnitDuration,
    /// What becomes of a request that nobody decides in that time; a rule may only be stricter
    pub fallback: ApprovalFallback,
}

impl Default for ApprovalConfig {
    fn default() -> Self {
        Self {
            unattended: Unattended::default(),
            from: ApprovalsFrom::default(),
            expire: UnitDuration::days(1),
            fallback: ApprovalFallback::default(),
        }
    }
}

/// The state folder over time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Decode, Describe)]
#[value(default)]
pub struct StateDefaults {
    /// Age beyond which `mathchain state prune` removes records, runs and values that nothing needs, such as `90d`
    pub keep: UnitDuration,
}

impl Default for StateDefaults {
    fn default() -> Self {
        Self {
            keep: UnitDuration::days(365),
        }
    }
}

names! {
    /// The tools that a client lists; every tool visible to the caller can be called by name whichever it is.
    #[derive(Default)]
    Catalog {
        /// Every visible tool.
        Full = "full",
        /// About 25 tools for most work, and those that find and call the others.
        #[default]
        Core = "core",
        /// The tools that find and call the others, and plans.
        Search = "search",
    }
}

/// The certificate of the HTTP server, so that it speaks TLS.
#[derive(Debug, Clone, PartialEq, Eq, Decode, Describe)]
pub struct ServerTls {
    /// File with the certificate and those of its issuers, as PEM, relative to this file
    pub cert: String,
    /// File with its private key, as PEM, relative to this file
    pub key: String,
}

/// The HTTP server, `mathchain serve --http` (docs/http.md).
#[derive(Debug, Clone, PartialEq, Eq, Decode, Describe)]
#[value(default)]
pub struct HttpServerConfig {
    /// Address to listen on; one that is not of this machine needs keys and TLS
    pub listen: String,
    /// Tools that an MCP client lists
    pub catalog: Catalog,
    /// Maximum number of requests of one key per second
    #[schema(range(min = 1))]
    pub rate_per_second: u64,
    /// Maximum number of requests of one key at a time
    #[schema(range(min = 1))]
    pub requests_at_once: u64,
    /// Names by which clients reach the server, beside those of this machine, each with an optional port
    pub hosts: Vec<String>,
    /// Origins of web pages that may call the server, such as `https://tools.example.org`
    pub origins: Vec<String>,
    /// Whether a proxy in front of the server ends TLS
    pub behind_proxy: bool,
    /// Certificate of the server; without one it speaks no TLS
    pub tls: Option<ServerTls>,
}

impl Default for HttpServerConfig {
    fn default() -> Self {
        Self {
            listen: "127.0.0.1:8931".to_owned(),
            catalog: Catalog::default(),
            rate_per_second: 60,
            requests_at_once: 64,
            hosts: Vec::new(),
            origins: Vec::new(),
            behind_proxy: false,
            tls: None,
        }
    }
}

/// A file that a configuration names; the caller of the reader provides its text.
#[derive(Debug, Clone, PartialEq, Decode, Describe)]
#[value(from = "ToolSelector")]
#[schema(with = "ToolSelector")]
pub struct NamedFile {
    /// Its path, relative to the configuration.
    pub path: ToolSelector,
    /// Its text, or why it could not be read.
    pub text: Result<String, String>,
}

impl From<ToolSelector> for NamedFile {
    fn from(path: ToolSelector) -> Self {
        Self {
            path,
            text: Err("its text was not provided".to_owned()),
        }
    }
}

/// Files of earlier systems.
#[derive(Debug, Clone, PartialEq, Default, Decode, Describe)]
#[value(default)]
pub struct LegacyFiles {
    /// Roles: an index with `toolIds`, or flat permissions
    pub roles: Vec<NamedFile>,
    /// Indices of tools
    pub tools: Vec<NamedFile>,
}

impl LegacyFiles {
    /// Every file.
    pub fn iter(&self) -> impl Iterator<Item = &NamedFile> {
        self.roles.iter().chain(&self.tools)
    }

    /// Every file, to provide its text.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut NamedFile> {
        self.roles.iter_mut().chain(&mut self.tools)
    }
}

/// Configuration of a project: `mathchain.toml`.
#[derive(Debug, Clone, PartialEq, Decode, Describe)]
#[value(default)]
#[schema(extend("required" = ["version"]))]
pub struct Config {
    /// Version of the format, 1
    pub version: FormatVersion,
    /// Role of a call that names none at the command line; `operator` where absent
    pub default_role: ToolSelector,
    /// Location of the files
    pub workspace: WorkspaceConfig,
    /// Named selections of tools
    pub toolsets: NamedTable<Toolset>,
    /// Roles beside the built-in ones, or instead of one of the same name
    pub roles: NamedTable<Role>,
    /// Layers; each only narrows, and the strictest matching rule wins
    #[value(rename = "policies")]
    pub layers: Vec<PolicyLayer>,
    /// Phases of a workflow
    pub phases: Vec<Phase>,
    /// Limits of all phases together, as `mathchain pipeline` runs them (docs/pipelines.md)
    pub pipeline: PipelineLimits,
    /// A program that learns what waits for a person
    pub notify: NotifyProgram,
    /// Changes to the selection of callers, by provider of their model
    #[value(rename = "provider_profiles")]
    pub profiles: NamedTable<ProviderProfile>,
    /// How many calls a session with a kind of task may make, by kind
    pub budgets: NamedTable<TaskBudget>,
    /// Verdicts on calls that no rule matches
    pub permissions: PermissionTable,
    /// Access to the web
    pub web: WebConfig,
    /// Programs that tools on code run
    pub code: CodeConfig,
    /// Symbolic mathematics
    pub symbolic: SymbolicConfig,
    /// Repositories of git
    pub git: GitConfig,
    /// Requests, tasks and their gates
    pub workflow: WorkflowConfig,
    /// Limits of every call
    pub limits: CallLimits,
    /// Defaults of plans
    pub chain: ChainDefaults,
    /// Workers that compute calls of plans (docs/cluster.md)
    pub cluster: ClusterConfig,
    /// Models that tools may call, behind OpenAI-compatible endpoints
    pub models: ModelsConfig,
    /// Approval requests
    pub approvals: ApprovalConfig,
    /// The state folder over time
    pub state: StateDefaults,
    /// The HTTP server
    pub server: HttpServerConfig,
    /// Plans that a server runs at times (docs/schedules.md)
    pub schedules: Vec<Schedule>,
    /// Servers of the Model Context Protocol, whose tools are called like others (docs/mcp.md)
    pub mcp_servers: NamedTable<McpServer>,
    /// HTTP services whose operations are called as tools (docs/openapi.md)
    pub openapi: NamedTable<OpenApiService>,
    /// Agent command lines (docs/agents.md); fields replace those of a built-in table of the same name
    #[value(rename = "cli")]
    #[schema(with = "BTreeMap<String, CliSpec>")]
    pub cli_tables: Value,
    /// Agent command lines in the layout of an earlier system (docs/agents.md)
    #[value(rename = "agents")]
    pub earlier_agents: NamedTable<EarlierAgent>,
    /// Files of earlier systems, by paths relative to this file (docs/policy.md)
    pub files: LegacyFiles,
    /// Agent command lines of `cli_tables` and `earlier_agents`.
    #[value(skip)]
    pub clis: Vec<CliSpec>,
    /// Agents made by the program.
    #[value(skip)]
    pub agents: Vec<AgentDefinition>,
    /// Tables that give what the user has not agreed to, such as `notify`; set by the program, which took away what it could.
    #[value(skip)]
    pub untrusted: Vec<String>,
    /// Agent files, each with its path and text; read with the policy, since they name tools.
    #[value(skip)]
    pub agent_texts: Vec<(String, String)>,
    /// Agents whose files cannot be used.
    #[value(skip)]
    pub broken_agents: Vec<BrokenAgent>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            version: Default::default(),
            default_role: ToolSelector::from("operator"),
            workspace: Default::default(),
            toolsets: Default::default(),
            roles: Default::default(),
            layers: Default::default(),
            phases: Default::default(),
            pipeline: Default::default(),
            notify: Default::default(),
            profiles: Default::default(),
            budgets: Default::default(),
            permissions: Default::default(),
            web: Default::default(),
            code: Default::default(),
            symbolic: Default::default(),
            git: Default::default(),
            workflow: Default::default(),
            limits: Default::default(),
            chain: Default::default(),
            cluster: Default::default(),
            models: Default::default(),
            approvals: Default::default(),
            state: Default::default(),
            server: Default::default(),
            schedules: Default::default(),
            mcp_servers: Default::default(),
            openapi: Default::default(),
            cli_tables: Default::default(),
            earlier_agents: Default::default(),
            files: Default::default(),
            clis: Default::default(),
            agents: Default::default(),
            untrusted: Default::default(),
            agent_texts: Default::default(),
            broken_agents: Default::default(),
        }
    }
}
