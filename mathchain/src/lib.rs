//! Exact maths, data work and host tools for language-model agents: the library behind the binary `mathchain`.
//!
//! A [`Toolkit`] joins the tools, the policy and this machine. Every call passes the one dispatcher of the crate `registry`, so
//! that roles, rules, approvals, limits and the audit hold for a library user as they do at every other door.
//!
//! ```
//! use mathchain::Toolkit;
//!
//! let toolkit = Toolkit::builder().build()?;
//! let answer = toolkit.call("statistics", &mathchain::parse_json(r#"{"data":[1,2,3,4]}"#)?);
//! assert_eq!(answer.output().and_then(|output| output.get("mean")?.as_f64()), Some(2.5));
//! # Ok::<(), mathchain::ToolError>(())
//! ```
//!
//! Own tools implement [`Tool`] and are added with [`ToolkitBuilder::add_tools`].

#[cfg(not(all(feature = "llm", feature = "web")))]
mod absent;
#[doc(hidden)]
pub mod agent_host;
mod algebra;
#[doc(hidden)]
pub mod approvers;
#[doc(hidden)]
pub mod audit_key;
pub mod clock;
#[doc(hidden)]
pub mod cluster;
#[doc(hidden)]
pub mod configured;
#[doc(hidden)]
pub mod door;
pub mod environment;
#[doc(hidden)]
pub mod generation;
#[doc(hidden)]
pub mod identity;
#[doc(hidden)]
pub mod inputs;
#[doc(hidden)]
pub mod io;
#[cfg(feature = "llm")]
mod models;
#[doc(hidden)]
pub mod notify;
#[doc(hidden)]
pub mod openapi;
#[doc(hidden)]
pub mod otel;
#[doc(hidden)]
pub mod owned;
pub mod picture;
#[doc(hidden)]
pub mod plugins;
#[doc(hidden)]
pub mod real_paths;
#[doc(hidden)]
pub mod roots;
#[doc(hidden)]
pub mod schedules;
mod service_client;
#[doc(hidden)]
pub mod toolkit;
#[doc(hidden)]
pub mod trust;
pub mod user_rules;
#[doc(hidden)]
pub mod waiting;
#[cfg(feature = "web")]
mod web;
#[doc(hidden)]
pub mod workflows;

#[cfg(not(feature = "llm"))]
use absent::models;
#[cfg(not(feature = "web"))]
use absent::web;

pub use agents;
pub use chain_runtime;
pub use host_sandbox;
pub use host_tools;
pub use journal;
pub use math_tools;
pub use registry;
pub use tool_core;

pub use door::Door;
pub use generation::ReloadReport;
pub use host_sandbox::workspace::WorkspaceRoot;
pub use plugins::PluginRoot;
pub use registry::{
    ApprovalAnswer, CallWitness, Config, Level, PolicyLayer, PolicyRule, TraceParent, Verdict,
};
use tool_core::AnyTool;
pub use tool_core::capability::PipelineRequest;
pub use tool_core::{
    CallOutcome, Ctx, ErasedTool, ErrorCode, Input, Matrix, Spec, Tool, ToolError, ToolExample,
    Value, Vector, tool_entry,
};
pub use toolkit::{CallContext, Toolkit, ToolkitBuilder};

/// The tools that come with the program, by family.
pub fn tool_families() -> impl Iterator<Item = &'static [ErasedTool]> {
    math_tools::FAMILIES
        .iter()
        .chain(host_tools::FAMILIES)
        .copied()
        .chain([
            math_tools::PROGRAMS,
            chain_runtime::tools::TOOLS,
            agents::tools::TOOLS,
            workflow::tools::TOOLS,
        ])
}

/// A tool that comes with the program, by a name that callers use, without the catalogue of all of them.
pub fn built_in_tool(name: &str) -> Option<&'static dyn AnyTool> {
    let tools = || tool_families().flatten().map(|entry| entry.tool());
    let named = |name: &str| {
        let mut by_id = tools().filter(|tool| tool.spec().id == name);
        let by_wire_name = || tools().find(|tool| tool.spec().wire_name() == name);
        by_id.next().or_else(by_wire_name)
    };
    named(name).or_else(|| named(registry::ToolAliases::built_in().resolve(name)?))
}

/// Reads one JSON document, strictly.
///
/// # Errors
/// `invalid_request` with line, column and JSON pointer.
pub fn parse_json(text: &str) -> tool_core::Result<Value> {
    let limits = tool_core::json::JsonLimits::default();
    Ok(tool_core::json::parse_json(text, limits)?)
}

/// A two-dimensional view of a result, such as the `U` of `matrix_svd`; `None` when the value is no matrix.
pub fn array_view(value: &Value) -> Option<ndarray::ArrayView2<'_, f64>> {
    let numbers = value.as_numbers().filter(|numbers| numbers.rank() == 2)?;
    ndarray::ArrayView2::from_shape((numbers.shape()[0], numbers.shape()[1]), numbers.as_slice())
        .ok()
}
