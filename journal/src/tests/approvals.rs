use tool_core::ErrorCode;

use super::*;

pub(super) fn request(digest: &str) -> ApprovalRequest {
    ApprovalRequest {
        digest: digest.to_owned(),
        tool: "write_file".to_owned(),
        role: "operator".to_owned(),
        agent: Some("codex".to_owned()),
        condition: Value::object([("path", Value::object([("under", vec!["out.txt"])]))]),
        preview: "path=out.txt mode=overwrite".to_owned(),
        cut: false,
        by_key: false,
        lifetime_ms: DAY_MS,
        fallback: ApprovalFallback::Expire,
        workspace: None,
        details: Value::Null,
        reason: "destructive".to_owned(),
        step: None,
        edited: None,
    }
}

/// Who asks never answers, whatever it is called.
#[test]
fn an_agent_does_not_answer_itself() {
    let desk = Desk::new();
    let ApprovalState::Pending { id, .. } = desk.state.settle(&request("d"), &Value::Null).unwrap()
    else {
        panic!("it waits");
    };
    assert_reason(desk.state.approve(&id, "codex"), "approver");
    let waiting = desk.state.waiting(&id[..6]).unwrap();
    assert_eq!(
        (waiting.state.as_str(), waiting.agent.as_deref()),
        ("pending", Some("codex"))
    );
    assert_eq!(
        waiting.condition.as_deref(),
        Some(r#"{"path":{"under":["out.txt"]}}"#)
    );
    desk.state.approve(&id, "terminal").unwrap();
    assert_reason(desk.state.waiting(&id), "settled");
}

/// An approval that became a rule lets no call through by itself, not even after the rule is gone.
#[test]
fn an_approval_that_became_a_rule_is_used_up() {
    let desk = Desk::new();
    let settle = || desk.state.settle(&request("d"), &Value::Null).unwrap();
    let ApprovalState::Pending { id, .. } = settle() else {
        panic!("it waits");
    };
    let settled = desk.state.approve_by_rule(&id, "terminal").unwrap();
    assert_eq!(settled.state, "consumed");
    assert!(matches!(settle(), ApprovalState::Pending { id: new, .. } if new != id));
    assert_reason(desk.state.approve_by_rule(&id, "terminal"), "settled");
}

/// Of two people who decide at once, one does not take back what the other granted.
#[test]
fn a_denial_of_what_waits_revokes_no_grant() {
    let desk = Desk::new();
    let ApprovalState::Pending { id, .. } = desk.state.settle(&request("d"), &Value::Null).unwrap()
    else {
        panic!("it waits");
    };
    desk.state.approve(&id, "key ann").unwrap();
    let every = crate::StateScope::default();
    assert_reason(
        desk.state.decline_pending_in(&every, &id, "key bob"),
        "settled",
    );
    assert_eq!(desk.state.approval(&id).unwrap().0.state, "granted");
    assert_eq!(
        desk.state.decline(&id, "key bob").unwrap().state,
        "declined"
    );
}

pub(super) struct Desk {
    _folder: TempDir,
    pub(super) clock: Arc<TestClock>,
    pub(super) state: StateStore,
}

impl Desk {
    pub(super) fn new() -> Self {
        let folder = folder();
        let clock = TestClock::at(NOW);
        let state = StateStore::open(folder.path(), Arc::clone(&clock) as Arc<dyn Clock>).unwrap();
        Self {
            _folder: folder,
            clock,
            state,
        }
    }

    fn ask(&self, digest: &str) -> ApprovalState {
        self.state.settle(&request(digest), &event(7)).unwrap()
    }

    fn pending(&self, digest: &str) -> String {
        match self.ask(digest) {
            ApprovalState::Pending { id, .. } => id,
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_grant_is_used_once_and_the_intent_recorded_with_it() {
    let desk = Desk::new();
    let id = desk.pending("d1");
    assert_eq!(desk.pending("d1"), id, "filed once");
    assert_ne!(desk.pending("d2"), id, "another call is another question");
    let listed = desk.state.approvals(None, false, 10).unwrap();
    assert_eq!(listed.len(), 2);
    assert_eq!(
        (
            listed[1].id.as_str(),
            listed[1].tool.as_str(),
            listed[1].expires_ms
        ),
        (id.as_str(), "write_file", NOW + 86_400_000)
    );
    assert_eq!(
        desk.state.audit_list(None, 10).unwrap(),
        [],
        "nothing was meant to run yet"
    );

    let granted = desk.state.approve(&id[..6], "ada").unwrap();
    assert_eq!(
        (granted.state.as_str(), granted.decided_by.as_deref()),
        ("granted", Some("ada"))
    );
    assert_eq!(
        desk.ask("d1"),
        ApprovalState::Consumed {
            id: id.clone(),
            approved_by: "ada".to_owned()
        }
    );
    let audit = desk.state.audit_list(None, 10).unwrap();
    assert_eq!(audit.len(), 2, "the answer, then the intent");
    assert_eq!(
        audit[0].record.get("call_id").and_then(Value::as_str),
        Some("c7")
    );
    assert_eq!(
        audit[1].record.get("decision").and_then(Value::as_str),
        Some("granted")
    );

    let again = desk.pending("d1");
    assert_ne!(again, id, "used up: the same call asks anew");
    assert!(
        matches!(desk.ask("d2"), ApprovalState::Pending { .. }),
        "a grant is for one digest"
    );
    assert!(desk.state.verify(&[], true).unwrap().is_sound());
}

#[test]
fn a_no_holds_until_the_question_would_have_ended() {
    let desk = Desk::new();
    let id = desk.pending("d");
    desk.state.decline(&id, "ada").unwrap();
    for _ in 0..2 {
        assert_eq!(desk.ask("d"), ApprovalState::Declined(id.clone()));
    }
    assert_eq!(desk.state.approvals(None, false, 10).unwrap(), []);
    desk.clock.advance(DAY_MS);
    assert_ne!(desk.pending("d"), id);
}

#[test]
fn unanswered_and_unused_ones_expire_and_say_so_once() {
    let desk = Desk::new();
    let lifetime = DAY_MS;
    for answered in [false, true] {
        let id = desk.pending("d");
        if answered {
            desk.state.approve(&id, "ada").unwrap();
        }
        desk.clock.advance(lifetime - 1);
        assert_eq!(
            desk.state.approvals(None, true, 1).unwrap()[0].state,
            if answered { "granted" } else { "pending" }
        );
        desk.clock.advance(1);
        assert_eq!(
            desk.state.approvals(None, true, 1).unwrap()[0].state,
            "expired"
        );
        assert_eq!(
            desk.state.approve(&id, "ada").unwrap_err().code(),
            ErrorCode::Conflict
        );
        assert_eq!(desk.ask("d"), ApprovalState::Expired(id.clone()));
        assert_ne!(desk.pending("d"), id);
        desk.clock.advance(lifetime);
        assert!(matches!(desk.ask("d"), ApprovalState::Expired(_)));
    }
}

#[test]
fn ids_that_name_none_or_several_are_refused() {
    let desk = Desk::new();
    let ids: Vec<String> = (0..40)
        .map(|number| desk.pending(&number.to_string()))
        .collect();
    for unknown in [
        "",
        "zz",
        "%",
        "_",
        "'; DROP TABLE approvals; --",
        &"0".repeat(64),
    ] {
        assert_reason(desk.state.approve(unknown, "ada"), "unknown_approval");
    }
    // Of forty ids, some two begin with the same one of sixteen digits.
    let ambiguous = (0..16).filter(|digit| {
        let err = desk.state.approve(&format!("{digit:x}"), "ada");
        err.is_err_and(|err| err.reason_str() == Some("ambiguous_approval"))
    });
    assert!(ambiguous.count() > 0);
    // The loop above has granted this one if no other begins like it.
    let _ = desk.state.decline(&ids[0], "ada");
    assert_reason(desk.state.approve(&ids[0], "ada"), "settled");
}

/// Eight callers send the approved call at once: exactly one may run it.
#[test]
fn a_grant_has_one_winner_among_eight() {
    let folder = folder();
    for round in 0..5 {
        let digest = format!("d{round}");
        let state = open(folder.path());
        let ApprovalState::Pending { id, .. } = state.settle(&request(&digest), &event(0)).unwrap()
        else {
            panic!("not pending");
        };
        state.approve(&id, "ada").unwrap();
        // Half of them in one session, half in sessions of their own.
        let winners: usize = std::thread::scope(|scope| {
            let callers: Vec<_> = (0..8)
                .map(|caller| {
                    let (shared, digest, path) = (&state, &digest, folder.path());
                    scope.spawn(move || {
                        let own = (caller % 2 == 1).then(|| open(path));
                        let desk = own.as_ref().unwrap_or(shared);
                        let state = desk.settle(&request(digest), &event(caller)).unwrap();
                        usize::from(matches!(state, ApprovalState::Consumed { .. }))
                    })
                })
                .collect();
            callers
                .into_iter()
                .map(|caller| caller.join().unwrap())
                .sum()
        });
        assert_eq!(winners, 1);
    }
    let state = open(folder.path());
    let report = state.verify(&[], true).unwrap();
    assert!(report.is_sound(), "{report:?}");
    let intents = state.audit_list(None, 1000).unwrap();
    let intents = intents
        .iter()
        .filter(|record| record.record.get("call_id").is_some());
    assert_eq!(intents.count(), 5, "one intent per grant");
}

/// When the intent cannot be recorded, the grant is not used up.
#[test]
fn a_grant_survives_a_failed_record() {
    let desk = Desk::new();
    let id = desk.pending("d");
    desk.state.approve(&id, "ada").unwrap();
    let file = Connection::open(desk.state.file()).unwrap();
    file.execute_batch(
        "CREATE TRIGGER full BEFORE INSERT ON events BEGIN SELECT RAISE(ABORT, 'no'); END",
    )
    .unwrap();
    assert!(desk.state.settle(&request("d"), &event(0)).is_err());
    file.execute_batch("DROP TRIGGER full").unwrap();
    assert!(matches!(desk.ask("d"), ApprovalState::Consumed { .. }));
    assert!(desk.state.verify(&[], true).unwrap().is_sound());
}

impl Desk {
    /// Changes the table by hand.
    pub(super) fn by_hand(&self, sql: &str) {
        let file = self._folder.path().join(FILE_NAME);
        rusqlite::Connection::open(file)
            .unwrap()
            .execute_batch(sql)
            .unwrap();
    }

    /// The same call is refused, and verification names the approval.
    #[track_caller]
    fn is_refused(&self, id: &str) {
        let refused = self.state.settle(&request("d1"), &intent());
        assert_reason(refused, "approval_unrecorded");
        let faults = self.state.verify(&[], true).unwrap().faults;
        assert!(
            faults.iter().any(|fault| fault.message.contains(id)),
            "{faults:?}"
        );
    }
}

fn intent() -> Value {
    Value::object([("kind", "intent"), ("tool", "write_file")])
}

/// C12: a row of the table grants nothing by itself.
#[test]
fn a_grant_counts_only_with_its_record() {
    let forged = "UPDATE approvals SET state = 'granted', decided_by = 'terminal'";
    let desk = Desk::new();
    let id = desk.pending("d1");
    desk.by_hand(forged);
    desk.is_refused(&id);
    // Taken back, it is as if it had been declined.
    desk.state.decline(&id, "terminal").unwrap();
    assert!(matches!(desk.ask("d1"), ApprovalState::Declined(_)));
    assert!(desk.state.verify(&[], true).unwrap().is_sound());

    // A grant for another call.
    let desk = Desk::new();
    let other = desk.pending("d2");
    desk.state.approve(&other, "terminal").unwrap();
    desk.by_hand("UPDATE approvals SET digest = 'd1'");
    desk.is_refused(&other);

    // A grant that was used once, and one that was declined.
    let desk = Desk::new();
    let id = desk.pending("d1");
    desk.state.approve(&id, "terminal").unwrap();
    desk.state.settle(&request("d1"), &intent()).unwrap();
    assert!(desk.state.verify(&[], true).unwrap().is_sound());
    desk.by_hand(forged);
    desk.is_refused(&id);
    let desk = Desk::new();
    let id = desk.pending("d1");
    desk.state.decline(&id, "terminal").unwrap();
    desk.by_hand(forged);
    desk.is_refused(&id);
}

/// All of a call can be read while it waits; then it is gone.
#[test]
fn details_are_kept_until_the_answer() {
    let asked = ApprovalRequest {
        cut: true,
        workspace: Some("/w".to_owned()),
        details: Value::object([("arguments", Value::object([("path", "out.txt")]))]),
        ..request("d1")
    };
    let of = |desk: &Desk, id: &str| desk.state.approval(id).unwrap();
    for answered in [true, false] {
        let desk = Desk::new();
        let ApprovalState::Pending { id, .. } = desk.state.settle(&asked, &Value::Null).unwrap()
        else {
            panic!("it waits");
        };
        let (found, details) = of(&desk, &id[..6]);
        assert!(found.cut && found.workspace.as_deref() == Some("/w"));
        let details = details.expect("they are kept");
        assert_eq!(details.get("arguments"), asked.details.get("arguments"));
        // The process group that asked, for the terminal that approves.
        assert!(
            details
                .get("requester_group")
                .is_some_and(|group| group.as_i64().is_some())
        );
        match answered {
            true => drop(desk.state.approve(&id, "terminal").unwrap()),
            false => desk.clock.advance(86_400_001),
        }
        assert_eq!(of(&desk, &id).1, None);
        let _ = desk.state.settle(&request("d2"), &Value::Null).unwrap();
        let file = desk._folder.path().join(FILE_NAME);
        let count = "SELECT count(*) FROM approvals WHERE details IS NOT NULL";
        let kept = rusqlite::Connection::open(file)
            .unwrap()
            .query_row(count, [], |row| row.get::<_, i64>(0));
        assert_eq!(kept.unwrap(), 0);
    }
}

/// Once approvers have keys, what was granted without one does not count.
#[test]
fn a_grant_without_a_key_ends_where_keys_are_wanted() {
    let by_key = ApprovalRequest {
        by_key: true,
        lifetime_ms: DAY_MS,
        ..request("d1")
    };
    for (by, counts) in [("terminal", false), ("anna", true)] {
        let desk = Desk::new();
        let id = desk.pending("d1");
        desk.state.approve(&id, by).unwrap();
        let settled = desk.state.settle(&by_key, &intent()).unwrap();
        assert_eq!(matches!(settled, ApprovalState::Consumed { .. }), counts);
        assert!(desk.state.verify(&[], true).unwrap().is_sound());
    }
}

fn edited_call(id: &str) -> ApprovalRequest {
    let edited = tool_core::capability::EditedGrant {
        id: id.to_owned(),
        digest: "d".to_owned(),
    };
    ApprovalRequest {
        edited: Some(edited),
        ..request("other")
    }
}

/// A grant for other arguments gives these to the call, and is used up by the call with them.
#[test]
fn a_grant_for_other_arguments_is_used_once() {
    let desk = Desk::new();
    let id = desk.pending("d");
    let scope = StateScope::default();
    let arguments = Value::object([("path", "b.txt")]);
    let refused = desk
        .state
        .approve_edited_in(&scope, &id, "terminal", &Value::from("x"));
    assert_eq!(refused.unwrap_err().code(), ErrorCode::InvalidArgs);
    let granted = desk
        .state
        .approve_edited_in(&scope, &id, "terminal", &arguments)
        .unwrap();
    assert_eq!(granted.state, "granted");
    // Asked as often as the process is interrupted in between.
    for _ in 0..2 {
        let ApprovalState::Edited {
            arguments: found, ..
        } = desk.ask("d")
        else {
            panic!("it is granted for other arguments");
        };
        assert_eq!(found, arguments);
    }
    let settle = || desk.state.settle(&edited_call(&id), &event(1));
    assert!(matches!(settle().unwrap(), ApprovalState::Consumed { .. }));
    assert_eq!(settle().unwrap_err().reason_str(), Some("settled"));
    assert!(matches!(desk.ask("d"), ApprovalState::Pending { id: new, .. } if new != id));
    assert!(desk.state.verify(&[], true).unwrap().is_sound());
}

/// What the table says of the arguments counts only as the audit log has it.
#[test]
fn arguments_that_were_changed_in_the_table_grant_nothing() {
    let desk = Desk::new();
    for (digest, sql) in [
        ("d", "UPDATE approvals SET edited = '{\"path\":\"c.txt\"}'"),
        ("e", "UPDATE approvals SET edited = NULL"),
    ] {
        let id = desk.pending(digest);
        let scope = StateScope::default();
        let arguments = Value::object([("path", "b.txt")]);
        desk.state
            .approve_edited_in(&scope, &id, "terminal", &arguments)
            .unwrap();
        desk.by_hand(&format!("{sql} WHERE id = '{id}'"));
        let settled = desk.state.settle(&request(digest), &event(1));
        assert_eq!(
            settled.unwrap_err().reason_str(),
            Some("approval_unrecorded")
        );
        let report = desk.state.verify(&[], true).unwrap();
        let said = format!("{:?}", report.faults);
        assert!(said.contains(&id), "{said}");
    }
}
