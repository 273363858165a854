//! What waits for a decision, as the inbox lists it.

use std::sync::Arc;

use journal::StateStore;
use registry::WorkspaceId;
use tool_core::Result;
use workflow::tools::log;

use mathchain::Toolkit;
use mathchain::waiting::{WaitingEntry, in_workflows};

/// Most approvals of a list.
const APPROVALS_MAX: usize = 1000;

/// All that waits: approvals first, then gates, then feedback.
///
/// # Errors
/// A state that cannot be read.
pub fn collect_waiting(
    state: &StateStore,
    toolkit: &Toolkit,
    of: Option<&WorkspaceId>,
) -> Result<Vec<WaitingEntry>> {
    let approvals = state.approvals(of, false, APPROVALS_MAX)?.into_iter();
    let mut all: Vec<WaitingEntry> = approvals
        .map(|one| WaitingEntry::Approval(Box::new(one)))
        .collect();
    let workflows = match toolkit.workflows() {
        Some(events) => log::load_state(&**events)?,
        // A state that can only be read.
        None => {
            let mut folded = Arc::default();
            let of = toolkit.workflow_folder();
            log::fold_events(
                &mut folded,
                &state.workflow_events(of.as_ref(), 0, usize::MAX)?,
            )?;
            folded
        }
    };
    all.extend(in_workflows(&workflows));
    Ok(all)
}
