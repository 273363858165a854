//! The plain data of policy and configuration: what a document says, before any name in it means anything.
//!
//! Nothing here reads a document, knows a catalogue or decides. [`Layer`] and [`Rule`] are the data of policy, [`Config`] is
//! what a project sets, [`Principal`] is a caller. Compiling and deciding is `policy`, reading is `config` and `agents`.

mod age;
mod agent_cli;
mod config;
mod forms;
mod mcp_server;
mod principal;
mod role;
mod rule;

pub use age::Age;
pub use agent_cli::{
    Approval, Arity, ArityName, CliSpec, ConfigTemplate, EnvPolicy, Off, PromptVia, Sandbox,
    Unenforced, Visibility,
};
pub use config::{
    AnomalyLimits, Approvals, ApprovalsFrom, Budget, Catalog, ChainDefaults, ChainMode,
    ComputePermission, Config, FilesystemPermission, KeyVariable, LegacyFiles, Limits,
    ModelEndpoint, Models, NamedFile, NetworkPermission, OnError, Permissions, RootFolder, Roots,
    SearchProvider, Server, ShellPermission, StateDefaults, Unattended, Web, WebSearch, Workspace,
};
pub use forms::{Named, OneOrMany, Version};
pub use mcp_server::{McpServer, Pin};
pub use principal::{Overrides, Principal};
pub use role::{Agent, Confinement, Phase, PhaseLimits, ProviderProfile, Role, Selection, Toolset};
pub use rule::{
    ArgvMatch, Layer, Level, Match, NumberMatch, Obligation, Obligations, PathMatch, Range, Rule,
    Selector, UrlMatch, Verdict,
};
