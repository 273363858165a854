//! How an operator resumes a run: rulings on calls whose outcome is unknown, and accepted changes.

use std::collections::BTreeMap;

use tool_core::Value;

/// Ruling of an operator on a call whose outcome is unknown.
#[derive(Debug, Clone)]
pub enum OutcomeRuling {
    /// It did not happen, or may happen twice: it is called again.
    Again,
    /// It succeeded with this result.
    Done(Value),
    /// It failed.
    Failed,
}

/// How a run is resumed.
#[derive(Debug, Clone, Default)]
pub struct ResumeRequest {
    /// Rulings by the names of the calls: `step`, `step[3]`, `step!compensate`.
    pub decisions: Vec<(String, OutcomeRuling)>,
    /// Rulings for the runs that this one started, by their ids.
    pub within: BTreeMap<String, Vec<(String, OutcomeRuling)>>,
    /// Whether the run continues although tools or the workspace have changed since it began.
    pub accept_changes: bool,
}

impl ResumeRequest {
    /// The rulings for a nested run, and for those that it started.
    pub(super) fn of_nested(&self, run: &str) -> Self {
        Self {
            decisions: self.within.get(run).cloned().unwrap_or_default(),
            ..self.clone()
        }
    }
}
