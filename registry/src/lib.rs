//! The catalogue of tools, who may call which, and the one dispatcher that every call passes.
//!
//! Read [`Dispatcher`] first: its stages are types, in one order. [`Catalogue`] is built from the families' lists,
//! [`Policy`] from configuration texts that the caller hands in. Nothing here reads files, knows a clock or names a tool,
//! save the one whose permission `{"$file": path}` needs ([`policy::FILE_READER`]).

pub mod agent_cli;
pub mod agents;
pub mod aliases;
pub mod catalogue;
pub mod conflicts;
pub mod digest;
pub mod dispatch;
pub mod document;
pub mod error;
#[cfg(test)]
mod fakes;
pub mod frontmatter;
pub mod load;
pub mod model;
pub mod offer;
pub mod plugins;
pub mod policy;
pub mod redact;
pub mod search;
mod unseen;

pub use agents::AgentFile;
pub use aliases::ToolAliases;
pub use catalogue::Catalogue;
pub use dispatch::{
    Agents, AnswerReader, ApprovalAnswer, CallAssessment, CallCounts, CallLineage, CallPlace,
    CallRequest, CallWitness, CallerContext, ChainPosition, Chains, CountedCall,
    DelegatedPrincipal, DispatchHost, Dispatcher, Governor, NestedRunAllowance, Notifier,
    PipelineCall, Pipelines, READABLE_BYTES, RemoteCall, RemoteCompute, ResultCache, ResultStore,
    RunIdReceiver, TraceParent, WorkspaceId, fold_large_data, install_panic_hook, is_movable,
    truncate_value,
};
pub use document::ParsedDocument;
pub use error::{LoadError, LoadErrors, TextPlace};
pub use model::{
    ApprovalsFrom, CallLimits, Config, Level, PolicyLayer, PolicyRule, Principal, ToolOverrides,
    ToolSelector, Unattended, UnitDuration, Verdict,
};
pub use policy::{Policy, PolicyDecision, RuntimeFacts};
pub use unseen::is_unseen;
