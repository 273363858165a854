//! Who may see and call what: layers that only narrow, rules on parsed values, and a reason for every decision.
//!
//! [`Policy`] is compiled once against a catalogue; [`Policy::caller`] joins what holds for one caller, and
//! [`CallerPolicy::decide`] answers for one call. Both are pure. The verdicts form a lattice, `allow < ask < deny`, and the
//! strictest explicit rule holds.

mod agent_names;
mod caller;
mod cases;
mod compare;
mod compile;
mod compiled;
mod condition;
mod decide;
mod explain;
mod facts;
mod gather;
mod glob;
mod handed;
mod hosts;
mod join;
mod lacking;
mod limit;
mod limited;
mod outside;
mod phases;
mod record;
mod roles;
mod runtime;
mod selection;
mod selector;
mod set;
mod shell;
mod start;
mod text;

#[cfg(test)]
mod tests;

pub use cases::{CaseResult, PolicyCase, read_cases};
pub use compare::{Access, AccessChange, MatrixRow, policy_difference};
pub use compile::{CompiledLayer, CompiledRule, is_harmless};
pub use compiled::{CallerPolicy, Policy, PolicyDecision};
pub use decide::effective_tools;
pub use explain::{DecisionExplanation, LayerStep, RuleStep};
pub use facts::{CallFacts, PathFact, relative_path_components};
pub use glob::fits_name;
pub use hosts::HostRules;
pub use lacking::LackedTool;
pub use limit::{AppliedLimit, CountedCaller, LimitClaim, LimitStep, LimitUse};
pub use outside::{EXTERNAL_PREFIX, HandedTool, Home, is_external};
pub use roles::context_of_task;
pub use runtime::{
    FLAGS, NO_WEB, READ_ONLY, RuntimeFacts, SESSION_OPEN, WORKSPACE_READY, WorkspaceState,
};
pub use selection::{CallerBaseline, MAX_TURNS, ToolSelection, TracedField};
pub use selector::{ToolGroup, network_use};
pub use set::ToolSet;
pub use text::{DecisionReason, PolicyLabel};

pub(crate) use compile::PolicyCompiler;
pub(crate) use compiled::{CompiledAgent, CompiledProfile, CompiledRole};
pub(crate) use outside::{is_handed, of_any_native};
pub(crate) use roles::{built_in_roles, merged_roles};
pub(crate) use selector::resolve_selector;

/// The tool whose permission `{"$file": path}` and the tools that answer the contents of a file need.
pub const FILE_READER: &str = "read_file";
