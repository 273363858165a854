//! Calls of pure tools that another process computes, while every other stage stays in this one.

use tool_core::{Ctx, Spec, ToolError, Value};

use super::may_begin_again;

/// Whether calls of a tool are functions of arguments and seed alone, so that another process may compute them: no effects, no capabilities,
/// no calls of its own, built in.
pub fn is_movable(spec: &Spec) -> bool {
    may_begin_again(spec) && !spec.exclusive && !spec.human_gate && spec.reads.is_empty()
}

/// A call that has passed every stage before its computation.
pub struct RemoteCall<'a> {
    /// The tool.
    pub spec: &'a Spec,
    /// Its arguments in canonical form.
    pub args: &'a Value,
    /// Its seed, budget and stop flag; warnings and notes of the answer belong here.
    pub ctx: &'a Ctx,
    /// The reason why it must be computed here, if there is one.
    pub stays: Option<&'static str>,
}

/// Where a call was computed, for its record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CallPlace {
    /// On this node.
    Node(String),
    /// In this process, for this reason, although another place was preferred.
    Fallback(String),
}

/// Computes calls elsewhere, or here where that is not possible.
pub trait RemoteCompute: Send + Sync {
    /// Computes a call; `here` computes it in this process, at most once. Its deadline counts from the start of the computation, wherever that is.
    fn compute(
        &self,
        call: &RemoteCall<'_>,
        here: &mut dyn FnMut() -> Result<Value, ToolError>,
    ) -> (Result<Value, ToolError>, Option<CallPlace>);
}
