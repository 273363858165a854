//! Requests that nobody decides in time.

use super::approvals::{Desk, request};
use super::*;

fn asked(digest: &str, fallback: ApprovalFallback) -> ApprovalRequest {
    ApprovalRequest {
        fallback,
        workspace: Some("/w".to_owned()),
        ..request(digest)
    }
}

fn settle(desk: &Desk, request: &ApprovalRequest) -> ApprovalState {
    desk.state.settle(request, &Value::Null).unwrap()
}

#[track_caller]
fn filed(desk: &Desk, request: &ApprovalRequest) -> String {
    match settle(desk, request) {
        ApprovalState::Pending { id, .. } => id,
        other => panic!("{other:?}"),
    }
}

#[track_caller]
fn is_sound(desk: &Desk) {
    let report = desk.state.verify(&[], true).unwrap();
    assert!(report.is_sound(), "{:?}", report.faults);
}

#[test]
fn a_request_whose_fallback_denies_is_denied_once_its_time_is_over() {
    let desk = Desk::new();
    let call = asked("d", ApprovalFallback::Deny);
    let id = filed(&desk, &call);
    let found = desk.state.approval(&id).unwrap().0;
    assert_eq!(found.left_ms(NOW + 1), Some(DAY_MS - 1));
    desk.clock.advance(DAY_MS);
    // Seen as denied before anything is written, and granted no more.
    assert_eq!(desk.state.approval(&id).unwrap().0.state, "declined");
    assert_reason(desk.state.approve(&id, "ada"), "settled");
    let denied = desk.state.approval(&id).unwrap().0;
    assert_eq!(
        (denied.state.as_str(), denied.decided_by.as_deref()),
        ("declined", Some(BY_TIMEOUT))
    );
    let records = desk.state.audit_list(None, 10).unwrap();
    let record = format!("{:?}", records.last());
    assert!(
        record.contains("timeout") && record.contains(&id),
        "{record}"
    );
    assert_eq!(desk.state.deny_overdue_approvals().unwrap(), 0);
    // The caller learns of it once, and may ask again.
    assert_eq!(settle(&desk, &call), ApprovalState::TimedOut(id.clone()));
    assert_ne!(filed(&desk, &call), id);
    is_sound(&desk);
    // A person's denial in time still lasts until the end of that time.
    let other = asked("other", ApprovalFallback::Deny);
    let id = filed(&desk, &other);
    desk.state.decline(&id, "ada").unwrap();
    assert_eq!(settle(&desk, &other), ApprovalState::Declined(id));
    desk.clock.advance(DAY_MS);
    filed(&desk, &other);
    is_sound(&desk);
}

#[test]
fn the_step_of_a_run_stays_denied_and_its_run_is_named() {
    let desk = Desk::new();
    let call = ApprovalRequest {
        step: Some(("run1".to_owned(), "write".to_owned())),
        ..asked("d", ApprovalFallback::Deny)
    };
    let id = filed(&desk, &call);
    let every = StateScope::default();
    assert_eq!(desk.state.runs_denied_by_timeout(&every).unwrap(), []);
    desk.clock.advance(DAY_MS);
    assert_eq!(desk.state.deny_overdue_approvals().unwrap(), 1);
    let named = desk.state.runs_denied_by_timeout(&every).unwrap();
    assert_eq!(named, [("run1".to_owned(), id.clone())]);
    for _ in 0..2 {
        assert_eq!(settle(&desk, &call), ApprovalState::TimedOut(id.clone()));
    }
    assert_eq!(desk.state.runs_denied_by_timeout(&every).unwrap(), []);
    is_sound(&desk);
}

#[test]
fn a_request_that_is_kept_stays_open_and_its_grant_has_its_time() {
    let desk = Desk::new();
    let call = asked("d", ApprovalFallback::Keep);
    let id = filed(&desk, &call);
    desk.clock.advance(10 * DAY_MS);
    let listed = desk.state.approvals(None, false, 10).unwrap();
    assert_eq!(listed.len(), 1);
    assert_eq!(listed[0].left_ms(NOW + 10 * DAY_MS), None);
    assert_eq!(filed(&desk, &call), id);
    desk.state.approve(&id, "ada").unwrap();
    desk.clock.advance(DAY_MS - 1);
    assert!(matches!(
        settle(&desk, &call),
        ApprovalState::Consumed { .. }
    ));
    let id = filed(&desk, &call);
    desk.clock.advance(2 * DAY_MS);
    desk.state.approve(&id, "ada").unwrap();
    desk.clock.advance(DAY_MS);
    assert_eq!(settle(&desk, &call), ApprovalState::Expired(id));
    is_sound(&desk);
}

/// A row that was changed by hand is found.
#[test]
fn a_forged_denial_contradicts_the_log() {
    let desk = Desk::new();
    let id = filed(&desk, &asked("d", ApprovalFallback::Expire));
    desk.by_hand(
        "UPDATE approvals SET state = 'declined', fallback = 'deny', decided_by = 'timeout', decided_ms = expires_ms",
    );
    let faults = desk.state.verify(&[], true).unwrap().faults;
    assert!(
        faults.iter().any(|fault| fault.message.contains(&id)),
        "{faults:?}"
    );
}
