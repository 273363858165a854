//! The plain data of policy and configuration: what a document says, before any name in it means anything.
//!
//! Nothing here reads a document, knows a catalogue or decides. [`Layer`] and [`Rule`] are the data of policy, [`Config`] is
//! what a project sets, [`Principal`] is a caller. Compiling and deciding is `policy`, reading is `config` and `agents`.

mod age;
mod agent_cli;
mod config;
mod earlier_agent;
mod forms;
mod mcp_server;
mod permissions;
mod phase;
mod principal;
mod role;
mod rule;
mod services;
mod workflow;

pub use age::Age;
pub use agent_cli::{
    Approval, Arity, ArityName, CliSpec, ConfigTemplate, EnvPolicy, Off, PromptVia, Sandbox,
    Unenforced, Visibility,
};
pub use config::{
    AnomalyLimits, Approvals, ApprovalsFrom, Budget, Catalog, ChainDefaults, ChainMode, Code,
    Config, LegacyFiles, Limits, NamedFile, OnError, RootFolder, Roots, Server, StateDefaults,
    Unattended, Workspace,
};
pub use earlier_agent::{EarlierAgent, ExtractionStrategy, OutputExtraction, StreamFormat};
pub use forms::{Named, OneOrMany, Version};
pub use mcp_server::{McpServer, Pin};
pub use permissions::{
    ComputePermission, FilesystemPermission, NetworkPermission, Permissions, ShellPermission,
    WorkflowPermission,
};
pub use phase::{FailureMode, Gate, GateKind, Notify, Phase, PhaseLimits, Pipeline, RetryPolicy};
pub use principal::{Overrides, Principal};
pub use role::{Agent, BrokenAgent, Confinement, ProviderProfile, Role, Selection, Toolset};
pub use rule::{
    ArgvMatch, Layer, Level, Match, NumberMatch, Obligation, Obligations, PathMatch, Range, Rule,
    Selector, UrlMatch, Verdict,
};
pub use services::{KeyVariable, ModelEndpoint, Models, SearchProvider, Web, WebSearch};
pub use workflow::{RoleAgent, Workflow};
