use tool_core::capability::ApprovalRequest;

use super::*;

fn kinds(records: &[Value]) -> Vec<String> {
    let kind = |record: &Value| record.get("kind").unwrap().as_str().unwrap().to_owned();
    records.iter().map(kind).collect()
}

#[test]
fn a_run_is_begun_written_left_taken_and_ended() {
    let top = folder();
    let state = Arc::new(open(top.path()));
    let journal = state.begin_run(&header()).unwrap();
    let id = journal.id().to_owned();
    journal
        .write(&told("intent", 1), RecordDurability::Synced)
        .unwrap();
    for number in 0..2000 {
        journal
            .write(&told("settled", number), RecordDurability::Batched)
            .unwrap();
    }
    let run = state.run(&id[..6]).unwrap();
    assert_eq!(
        (run.state, run.role.as_str(), run.seed),
        (RunState::Running, "worker_math", u64::MAX)
    );
    assert_eq!(run.holder.as_ref().unwrap().process, std::process::id());
    assert_eq!(
        state.value(&run.inputs).unwrap().to_string(),
        r#"{"n":1.0}"#
    );
    drop(journal);
    drop(state);

    let state = Arc::new(open(top.path()));
    assert_eq!(state.run(&id).unwrap().holder, None);
    let (journal, records) = state.take_run(&id).unwrap();
    assert_eq!(records.len(), 2001);
    assert_eq!(records[2000].get("step"), Some(&Value::Int(1999)));
    let head = journal.finish(RunState::Suspended).unwrap();
    assert_eq!(head.session, id);
    assert_reason(
        journal.write(&told("settled", 0), RecordDurability::Batched),
        "run_ended",
    );
    assert_reason(journal.put(&Value::Null), "run_ended");
    drop(journal);
    assert_eq!(state.run(&id).unwrap().state, RunState::Suspended);

    let (journal, records) = state.take_run(&id).unwrap();
    assert_eq!(kinds(&records[2001..]), ["taken", "state"]);
    let head = journal.finish(RunState::Succeeded).unwrap();
    assert_reason(state.take_run(&id), "run_ended");
    state.close().unwrap();
    let report = state.verify(&[head], true).unwrap();
    assert!(report.is_sound(), "{:?}", report.faults);
    assert_eq!(
        state
            .audit_show(&format!("{id}:1"))
            .unwrap()
            .record
            .get("kind"),
        Some(&Value::from("intent"))
    );
    let mut export = Vec::new();
    state.export(Some(&id), &mut export).unwrap();
    let export = String::from_utf8(export).unwrap();
    assert!(export.lines().all(|line| line.contains(&id)));
    assert!(export.starts_with(r#"{"type":"session""#) && export.contains(r#""plan_id":"fit""#));
}

#[test]
fn ids_are_checked_and_looked_up_by_their_beginning() {
    let top = folder();
    let state = Arc::new(open(top.path()));
    let begin = |id: &str| {
        let id = Some(id.to_owned());
        state.begin_run(&RunHeader { id, ..header() })
    };
    for wrong in ["abc", "ABCD", "a b c", "../up", &"a".repeat(65)] {
        assert_eq!(begin(wrong).unwrap_err().reason_str(), Some("run_id"));
    }
    let _one = begin("abcd-1").unwrap();
    let _two = begin("abcd-12").unwrap();
    assert_reason(begin("abcd-1"), "run_exists");
    assert_eq!(state.run("abcd-1").unwrap().id, "abcd-1");
    assert_reason(state.run("abcd"), "ambiguous_run");
    for unknown in ["", "x", "abcd-13"] {
        assert_reason(state.run(unknown), "unknown_run");
    }
    assert_eq!(state.runs(None, 1).unwrap().len(), 1);
    assert_eq!(state.runs(Some(RunState::Failed), 9).unwrap(), []);
}

/// One process at a time; the dead are replaced at once, the living when their lease ends, whatever the wall clock says.
#[test]
fn a_lease_changes_hands_once_and_the_old_owner_writes_nothing_more() {
    let top = folder();
    let machine = Arc::new(Machine::default());
    let clock = TestClock::at(NOW);
    let one = machine.open(top.path(), &clock, 1);
    let two = machine.open(top.path(), &clock, 2);
    let old = one.begin_run(&header()).unwrap();
    let id = old.id().to_owned();
    let err = assert_reason(two.take_run(&id), "run_busy");
    let evidence = err.to_value().get("evidence").cloned().unwrap();
    assert_eq!(evidence.get("process"), Some(&Value::Int(1)));
    assert_eq!(evidence.get("until_ms"), Some(&Value::from(NOW + 30_000)));

    // A write renews the lease when it grows old.
    machine.advance(20_000);
    old.write(&told("settled", 1), RecordDurability::Synced)
        .unwrap();
    machine.advance(20_000);
    // So does the thread of the state, which writes what others record.
    one.record(&event(0), RecordDurability::Batched).unwrap();
    one.flush().unwrap();
    machine.advance(20_000);
    // The wall clock leaps by a year in both directions.
    let year = 365 * 24 * 3_600_000;
    clock.advance(year);
    assert_reason(two.take_run(&id), "run_busy");
    clock.set(NOW - year);
    assert_reason(two.take_run(&id), "run_busy");
    clock.set(NOW);
    machine.advance(10_000);

    let (new, records) = two.take_run(&id).unwrap();
    assert_eq!(kinds(&records), ["settled"]);
    new.state().flush().unwrap();
    // One that waited in memory when the lease was taken is never written.
    let before = two.audit_list(Some(&id), 99).unwrap().len();
    old.write(&told("settled", 2), RecordDurability::Batched)
        .ok();
    for result in [
        old.write(&told("intent", 3), RecordDurability::Synced)
            .map(|_| ()),
        old.record(&told("intent", 3), RecordDurability::Synced)
            .map(|_| ()),
        old.record(&told("call", 3), RecordDurability::Batched)
            .map(|_| ()),
        old.put(&Value::vector(vec![0.5; 9000])).map(|_| ()),
        old.put(&Value::from(1.5)).map(|_| ()),
        old.settle(&approval(), &told("intent", 3)).map(|_| ()),
        old.finish(RunState::Succeeded).map(|_| ()),
    ] {
        assert_reason(result, "run_lost");
    }
    // Its own session goes on.
    one.record(&event(1), RecordDurability::Synced).unwrap();
    drop(old);
    assert_eq!(two.audit_list(Some(&id), 99).unwrap().len(), before);
    assert_eq!(
        two.run(&id).unwrap().holder.unwrap().process,
        2,
        "the old one took no lease away"
    );

    // The dead are replaced at once.
    machine.kill(2);
    let (third, _) = machine.open(top.path(), &clock, 3).take_run(&id).unwrap();
    assert_reason(
        new.write(&told("intent", 4), RecordDurability::Synced),
        "run_lost",
    );
    third.finish(RunState::Failed).unwrap();
    let report = one.verify(&[], true).unwrap();
    assert!(report.is_sound(), "{:?}", report.faults);
}

fn approval() -> ApprovalRequest {
    ApprovalRequest {
        digest: "call-1".to_owned(),
        tool: "write_file".to_owned(),
        role: "worker_math".to_owned(),
        agent: None,
        preview: "path: out.txt".to_owned(),
        cut: false,
        by_key: false,
        lifetime_ms: DAY_MS,
        fallback: ApprovalFallback::Expire,
        workspace: None,
        details: Value::Null,
        reason: "the tool changes files".to_owned(),
        condition: Value::Null,
        step: Some(("run".to_owned(), "s".to_owned())),
        edited: None,
    }
}

/// An approval is used up and the intent written in one transaction, on the run's chain.
#[test]
fn an_approval_is_settled_on_the_chain_of_the_run() {
    let top = folder();
    let state = Arc::new(open(top.path()));
    let journal = state.begin_run(&header()).unwrap();
    let intent = told("intent", 1);
    let ApprovalState::Pending { id, .. } = journal.settle(&approval(), &intent).unwrap() else {
        panic!("it waits");
    };
    journal.finish(RunState::Suspended).unwrap();
    let run = journal.id().to_owned();
    drop(journal);
    state.approve(&id, "terminal").unwrap();
    let (journal, _) = state.take_run(&run).unwrap();
    let settled = journal.settle(&approval(), &intent).unwrap();
    assert!(matches!(settled, ApprovalState::Consumed { .. }));
    // Without being closed: it is in the file already.
    let other = open(top.path());
    let records = other.audit_list(Some(&run), 9).unwrap();
    assert_eq!(records[0].record.get("kind"), Some(&Value::from("intent")));
    assert!(matches!(
        journal.settle(&approval(), &intent).unwrap(),
        ApprovalState::Pending { .. }
    ));
}

/// What an intruder changes in a run is found by the audit, and the run does not go on.
#[test]
fn changed_runs_are_found_and_not_taken() {
    let changes: [(&str, &str, u64); 7] = [
        (
            "UPDATE events SET body = replace(body, '\"step\":1', '\"step\":7') WHERE sequence = 2",
            "run_corrupt",
            2,
        ),
        ("DELETE FROM events WHERE sequence = 2", "run_corrupt", 2),
        ("DELETE FROM events WHERE sequence = 4", "run_corrupt", 4),
        ("UPDATE runs SET role = 'operator'", "run_corrupt", 0),
        ("UPDATE runs SET seed = '7'", "run_corrupt", 0),
        ("UPDATE runs SET plan = inputs", "run_corrupt", 0),
        ("UPDATE runs SET state = 'succeeded'", "run_ended", 0),
    ];
    for (change, reason, sequence) in changes {
        let top = folder();
        let state = Arc::new(open(top.path()));
        let journal = state.begin_run(&header()).unwrap();
        let id = journal.id().to_owned();
        for number in 0..4 {
            journal
                .write(&told("settled", number), RecordDurability::Batched)
                .unwrap();
        }
        drop(journal);
        drop(state);
        intruder(top.path())
            .execute_batch(&change.replace("WHERE ", &format!("WHERE session = '{id}' AND ")))
            .unwrap();
        let state = Arc::new(open(top.path()));
        let report = state.verify(&[], true).unwrap();
        let found = report
            .faults
            .iter()
            .any(|fault| fault.session == id && fault.sequence == sequence);
        assert!(found, "{change}: {:?}", report.faults);
        assert_reason(state.take_run(&id), reason);
    }
}

/// A file of the version before runs: all that was kept is there, and runs can begin.
#[test]
fn a_file_of_an_older_version_is_brought_up_with_its_data() {
    let top = folder();
    let old = Connection::open(top.path().join(FILE_NAME)).unwrap();
    for step in schema::MIGRATIONS.iter().take(3) {
        old.execute_batch(step).unwrap();
    }
    old.execute_batch(
        "PRAGMA application_id = 0x6d637374; PRAGMA user_version = 3; PRAGMA journal_mode = WAL;
         INSERT INTO memory(key, value, changed_ms) VALUES ('todo', '[1]', 5);
         INSERT INTO approvals(id, digest, tool, role, preview, reason, state, created_ms, expires_ms)
            VALUES ('a1', 'd', 't', 'r', 'p', 'why', 'pending', 1, 9000000000000);",
    )
    .unwrap();
    // A session as that version wrote it.
    let header = r#"{"opened_ms":7,"session":"00000000007-0000000000000001"}"#;
    let genesis = chain::record_hash(&chain::START, header);
    let body = r#"{"recorded_ms":8,"tool":"calculate"}"#;
    let first = chain::record_hash(&genesis, body);
    let session = "00000000007-0000000000000001";
    old.execute("INSERT INTO sessions VALUES (?, 7, ?)", (session, header))
        .unwrap();
    old.execute(
        "INSERT INTO events VALUES (1, ?, 1, ?, ?)",
        (session, body, first),
    )
    .unwrap();
    let link = chain::link_hash(&chain::START, session, 0, &genesis);
    old.execute(
        "INSERT INTO heads VALUES (1, ?, 0, ?, ?)",
        (session, genesis, link),
    )
    .unwrap();
    drop(old);

    let state = Arc::new(open(top.path()));
    assert_eq!(state.approvals(None, false, 9).unwrap()[0].id, "a1");
    let memory = tool_core::capability::ToolStateStore::get(&*state, "todo").unwrap();
    assert_eq!(memory.unwrap().to_string(), "[1]");
    let journal = state.begin_run(&super::header()).unwrap();
    journal.finish(RunState::Succeeded).unwrap();
    let report = state.verify(&[], true).unwrap();
    assert!(report.is_sound() && report.sessions == 2, "{report:?}");
}

#[test]
fn calls_and_plans_are_given_since_a_time_and_those_of_one_run_before_them() {
    let top = folder();
    let clock = TestClock::at(NOW);
    let state = Arc::new(StateStore::open(top.path(), clock.clone()).unwrap());
    let journal = state.begin_run(&header()).unwrap();
    for kind in ["intent", "call", "settled", "chain"] {
        journal
            .write(&told(kind, 1), RecordDurability::Batched)
            .unwrap();
    }
    journal.state().flush().unwrap();
    clock.advance(1000);
    for number in 2..4 {
        state
            .record(&told("call", number), RecordDurability::Batched)
            .unwrap();
    }
    state.record(&event(4), RecordDurability::Batched).unwrap();
    let given = |run: Option<&str>, since_ms: u64, count_max: usize| -> Vec<String> {
        let records = state.calls_and_plans(run, since_ms, count_max).unwrap();
        let shown = |found: &AuditRecord| {
            let step = found.record.get("step").unwrap();
            format!("{} {step}", kinds(std::slice::from_ref(&found.record))[0])
        };
        records.iter().map(shown).collect()
    };
    let own = Some(journal.id());
    let newest = ["call 3", "call 2"];
    assert_eq!(given(None, NOW + 1, 9), newest);
    assert_eq!(
        given(None, NOW, 9),
        ["call 3", "call 2", "chain 1", "call 1"]
    );
    assert_eq!(
        given(own, NOW + 1, 9),
        ["chain 1", "call 1", "call 3", "call 2"]
    );
    assert_eq!(given(own, NOW + 2000, 9), ["chain 1", "call 1"]);
    assert_eq!(given(own, NOW, 1), ["chain 1"]);
    assert_eq!(given(None, u64::MAX, 9), Vec::<String>::new());
    journal.finish(RunState::Succeeded).unwrap();
}

/// Before version 10 only the ids told which run is within which.
#[test]
fn a_file_of_version_9_learns_the_parents_of_runs() {
    let top = folder();
    let delegate = Value::object([("layers", "level = \"delegation\"")]);
    let runs = [
        ("outer", Value::Null),
        ("outer-0a1b2c3d", delegate.clone()),
        ("outer-0a1b2c3d-00000000", delegate.clone()),
        ("build", Value::Null),
        ("build-20261123", Value::Null),
        ("other-0a1b2c3d", delegate),
    ];
    let state = Arc::new(open(top.path()));
    for (id, who) in runs {
        let header = RunHeader {
            id: Some(id.to_owned()),
            who,
            ..super::header()
        };
        let journal = state.begin_run(&header).unwrap();
        journal.finish(RunState::Succeeded).unwrap();
    }
    drop(state);
    intruder(top.path())
        .execute_batch(
            "ALTER TABLE approvals DROP COLUMN edited; ALTER TABLE approvals DROP COLUMN fallback; DROP TABLE counted_calls; DROP TABLE schedules; DROP TABLE schedule_times; DROP TABLE workflow_checkouts; DROP TABLE workflow_events; DROP TABLE workflow_shown; DROP TABLE pipeline_events; DROP TABLE pipelines; DROP INDEX runs_by_parent; ALTER TABLE runs DROP COLUMN parent; DROP TABLE folders;
             ALTER TABLE sessions DROP COLUMN folder; ALTER TABLE notices DROP COLUMN folder;
             ALTER TABLE backups DROP COLUMN folder; ALTER TABLE answers DROP COLUMN folder; DROP TABLE requests; PRAGMA user_version = 9;",
        )
        .unwrap();
    let state = open(top.path());
    let parent = |id: &str| state.run(id).unwrap().parent;
    assert_eq!(parent("outer-0a1b2c3d").as_deref(), Some("outer"));
    assert_eq!(
        parent("outer-0a1b2c3d-00000000").as_deref(),
        Some("outer-0a1b2c3d")
    );
    for id in ["outer", "build", "build-20261123", "other-0a1b2c3d"] {
        assert_eq!(parent(id), None, "{id}");
    }
    assert_eq!(state.runs_within("outer").unwrap().len(), 2);
    assert_eq!(state.verify(&[], true).unwrap().faults, []);
}

/// A list takes a part of what fits, and tells the newest record as it grows.
#[test]
fn runs_are_listed_by_state_and_words_a_part_at_a_time() {
    let top = folder();
    let state = Arc::new(open(top.path()));
    assert_eq!(state.newest_record().unwrap(), 0);
    let ends = [RunState::Succeeded, RunState::Failed, RunState::Suspended];
    for number in 0..9 {
        let header = RunHeader {
            id: Some(format!("run-{number}")),
            plan_id: ["Daily", "weekly"][number % 2].to_owned(),
            ..header()
        };
        let journal = state.begin_run(&header).unwrap();
        journal.finish(ends[number % 3]).unwrap();
    }
    state.flush().unwrap();
    assert!(state.newest_record().unwrap() >= 9);
    let every = crate::StateScope::default();
    let ids = |states: &[RunState], text: &str, skipped: usize, count: usize| -> Vec<String> {
        let filter = crate::RunFilter {
            states: states.to_vec(),
            text: text.to_owned(),
        };
        let found = state.runs_matching(&every, &filter, skipped, count);
        found.unwrap().into_iter().map(|run| run.id).collect()
    };
    assert_eq!(ids(&[], "", 0, 2), ["run-8", "run-7"]);
    assert_eq!(ids(&[], "", 7, 5), ["run-1", "run-0"]);
    assert_eq!(
        ids(&[RunState::Failed], "", 0, 9),
        ["run-7", "run-4", "run-1"]
    );
    assert_eq!(
        ids(&[RunState::Failed, RunState::Suspended], "", 0, 2),
        ["run-8", "run-7"]
    );
    assert_eq!(ids(&[], "DAILY", 0, 2), ["run-8", "run-6"]);
    assert_eq!(ids(&[], "run-3", 0, 9), ["run-3"]);
    assert!(
        ids(&[], "un-3", 0, 9).is_empty(),
        "an id is named by its beginning"
    );
    assert!(ids(&[RunState::Cancelled], "", 0, 9).is_empty());
}
