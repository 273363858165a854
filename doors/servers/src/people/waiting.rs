//! What waits for a decision, as the inbox lists it.

use std::sync::Arc;

use journal::{Approval, StateStore};
use registry::WorkspaceId;
use tool_core::capability::ApprovalFallback;
use tool_core::{Object, Result, convert};
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

/// The time that is left to decide a request, and what becomes of it then: `2 h 5 min left, then denied`.
pub fn deadline_text(approval: &Approval, now_ms: u64) -> String {
    let Some(left_ms) = approval.left_ms(now_ms) else {
        return "open until it is decided".to_owned();
    };
    let then = match approval.fallback == ApprovalFallback::Deny.as_str() {
        true => "denied",
        false => "expired",
    };
    format!("{} left, then {then}", left_words(left_ms))
}

/// The members of a request, with the time that is left to decide it.
pub fn approval_members(approval: &Approval, now_ms: u64) -> Object {
    let value = convert::to_value(approval).unwrap_or_default();
    let mut members = value.as_object().cloned().unwrap_or_default();
    members.insert("left_ms", approval.left_ms(now_ms));
    members
}

fn left_words(ms: u64) -> String {
    let (seconds, minutes, hours) = (ms / 1000, ms / 60_000, ms / 3_600_000);
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{minutes} min"),
        3600..172_800 => format!("{hours} h {} min", minutes % 60),
        _ => format!("{} d", hours / 24),
    }
}

#[cfg(test)]
mod tests {
    use super::left_words;

    #[test]
    fn the_time_left_is_said_in_two_units_at_most() {
        let said = [0, 59_999, 60_000, 7_500_000, 86_400_000, 172_800_000];
        let said = said.map(left_words);
        assert_eq!(
            said,
            ["0 s", "59 s", "1 min", "2 h 5 min", "24 h 0 min", "2 d"]
        );
    }
}
