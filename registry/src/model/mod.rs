//! The plain data of policy and configuration: what a document says, before any name in it means anything.
//!
//! Nothing here reads a document, knows a catalogue or decides. [`Layer`] and [`Rule`] are the data of policy, [`Config`] is
//! what a project sets, [`Principal`] is a caller. Compiling and deciding is `policy`, reading is `config` and `agents`.

mod agent_cli;
mod config;
mod forms;
mod principal;
mod role;
mod rule;

pub use agent_cli::{
    Approval, Arity, ArityName, CliSpec, ConfigTemplate, EnvPolicy, Off, PromptVia, Sandbox,
    Unenforced, Visibility,
};
pub use config::{
    AnomalyLimits, ApprovalsFrom, Budget, ChainDefaults, ChainMode, Config, EarlierFiles, Limits,
    ModelEndpoint, Models, NamedFile, OnError, Permissions, Unattended, Web, WebSearch, Workspace,
};
pub use forms::{Named, OneOrMany};
pub use principal::{Overrides, Principal};
pub use role::{Agent, Confinement, Phase, ProviderProfile, Role, Selection, Tools, Toolset};
pub use rule::{Layer, Level, Match, Obligation, Obligations, Range, Rule, Selector, Verdict};
