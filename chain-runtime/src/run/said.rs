//! What a person says when a run goes on.

use std::collections::BTreeMap;

use tool_core::Value;

/// What a person says of a call whose outcome is not known.
#[derive(Debug, Clone)]
pub enum Decision {
    /// It did not happen, or may happen again: it is called again.
    Again,
    /// It happened, with this result.
    Done(Value),
    /// It failed.
    Failed,
}

/// How a run goes on.
#[derive(Debug, Clone, Default)]
pub struct Resume {
    /// What a person says of calls whose outcome is not known, by their names.
    pub decisions: Vec<(String, Decision)>,
    /// The same for runs within it, by their ids.
    pub within: BTreeMap<String, Vec<(String, Decision)>>,
    /// Whether tools may have changed since the run began.
    pub accept_changes: bool,
}
