//! The plain data of policy and configuration: what a document says, before any name in it means anything.
//!
//! Nothing here reads a document, knows a catalogue or decides. [`PolicyLayer`] and [`PolicyRule`] are the data of policy, [`Config`] is
//! what a project sets, [`Principal`] is a caller. Compiling and deciding is `policy`, reading is `config` and `agents`.

mod age;
mod agent_cli;
mod cluster;
mod config;
mod earlier_agent;
mod forms;
mod limit;
mod mcp_server;
mod openapi;
mod permissions;
mod phase;
mod principal;
mod role;
mod rule;
mod schedule;
mod services;
mod stream_formats;
mod workflow;

pub use age::UnitDuration;
pub use agent_cli::{
    ApprovalArgs, ArityName, CliSpec, ConfigTemplate, ConfinementArgs, EnvPolicy, FlagArity,
    PromptVia, ToolHidingArgs, Unenforced, VisibilityArgs,
};
pub use cluster::{ClusterConfig, EngineName, RayConfig, SlurmConfig};
pub use config::{
    AnomalyLimits, ApprovalConfig, ApprovalsFrom, CallLimits, Catalog, ChainDefaults, ChainMode,
    CodeConfig, Config, HttpServerConfig, LegacyFiles, NamedFile, OnError, RootFolderConfig,
    StateDefaults, SymbolicConfig, TaskBudget, Unattended, WorkspaceConfig, WorkspaceRoots,
};
pub use earlier_agent::{EarlierAgent, ExtractionStrategy, OutputExtraction};
pub use forms::{FormatVersion, NamedTable, OneOrMany};
pub use limit::{BeyondLimit, CountedBy, LIMIT_CALLS_MAX, LIMIT_WINDOW_MAX, RuleLimit};
pub use mcp_server::{McpServer, ToolListPin};
pub use openapi::OpenApiService;
pub use permissions::{
    ComputePermission, FilesystemPermission, NetworkPermission, PermissionTable, ShellPermission,
    WorkflowPermission,
};
pub use phase::{
    FailureMode, GateKind, NotifyProgram, Phase, PhaseGate, PhaseLimits, PipelineLimits,
    RetryPolicy,
};
pub use principal::{Principal, ToolOverrides};
pub use role::{
    AgentDefinition, BrokenAgent, CallerSelection, Confinement, ProviderProfile, Role, Toolset,
};
pub use rule::{
    ArgvMatch, JoinedObligations, Level, NumberMatch, NumberRange, Obligation, PathMatch,
    PolicyLayer, PolicyRule, RuleMatch, ToolSelector, UrlMatch, Verdict,
};
pub use schedule::{CalendarFields, MissedTimes, Schedule, ScheduleOverlap, ScheduleTiming};
pub use services::{
    KeyVariable, ModelEndpoint, ModelsConfig, SearchProvider, WebConfig, WebSearchConfig,
};
pub(crate) use stream_formats::BUILT_IN_CLIS;
pub use stream_formats::stream_format_names;
pub use workflow::{RoleAgent, WorkflowConfig};
