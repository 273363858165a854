use std::fs;

use super::*;
use crate::artifacts::FOLDER;

pub(super) const DAY_MS: u64 = 24 * 3_600_000;

pub(super) struct Place {
    pub(super) top: TempDir,
    clock: Arc<TestClock>,
    machine: Arc<Machine>,
    processes: std::cell::Cell<u32>,
}

impl Place {
    pub(super) fn new() -> Self {
        Self {
            top: folder(),
            clock: TestClock::at(NOW),
            machine: Arc::new(Machine::default()),
            processes: std::cell::Cell::new(0),
        }
    }

    /// A state as a process of its own has it.
    pub(super) fn open(&self) -> Arc<StateStore> {
        self.processes.set(self.processes.get() + 1);
        self.machine
            .open(self.top.path(), &self.clock, self.processes.get())
    }

    pub(super) fn day(&self) {
        self.clock.advance(DAY_MS);
    }

    /// An audit session of a day of its own; returns its name.
    pub(super) fn session(&self, records: usize) -> String {
        self.day();
        let state = self.open();
        for number in 0..records {
            state
                .record(&event(number), RecordDurability::Batched)
                .unwrap();
        }
        state.session()
    }

    /// A run of a day of its own.
    fn run(&self, header: &RunHeader, end: Option<RunState>) -> String {
        self.day();
        let state = self.open();
        let journal = state.begin_run(header).unwrap();
        journal
            .write(&told("settled", 1), RecordDurability::Batched)
            .unwrap();
        let mut matrix = vec![0.25; 10_000];
        matrix[0] = self.clock.unix_ms() as f64;
        let end_of = journal.put(&Value::vector(matrix)).unwrap().to_value();
        let settled = Value::object([("kind", Value::from("settled")), ("end", end_of)]);
        journal.write(&settled, RecordDurability::Batched).unwrap();
        if let Some(end) = end {
            journal.finish(end).unwrap();
        }
        let id = journal.id().to_owned();
        drop(journal);
        self.machine.kill(self.processes.get());
        id
    }

    pub(super) fn prune(&self, before_ms: u64) -> PruneReport {
        let state = self.open();
        let said = state.forecast(before_ms).unwrap();
        let done = state.prune(before_ms, &key()).unwrap();
        assert_eq!(said, done, "a dry run says what is done");
        state.close().unwrap();
        sound(&state);
        done
    }

    fn chains(&self) -> Vec<String> {
        let sql = "SELECT id FROM sessions ORDER BY opened_ms, id";
        let file = Connection::open(self.top.path().join(FILE_NAME)).unwrap();
        let mut query = file.prepare(sql).unwrap();
        let rows = query.query_map([], |row| row.get(0)).unwrap();
        rows.collect::<Result<_, _>>().unwrap()
    }
}

/// The key of the user who prunes.
pub(super) fn key() -> CutKey {
    CutKey::of_seed([7; SEED_BYTES])
}

#[track_caller]
fn sound(state: &StateStore) -> VerificationReport {
    let report = state.verify(&[], true).unwrap();
    assert!(report.is_sound(), "{:?}", report.faults);
    report
}

#[track_caller]
fn fault(state: &StateStore, what: &str) {
    let report = state.verify(&[], false).unwrap();
    let mut faults = report.faults.iter();
    assert!(
        faults.any(|fault| fault.message.contains(what)),
        "{:?}",
        report.faults
    );
}

#[test]
fn old_sessions_and_runs_go_and_the_rest_verifies_from_the_cut() {
    let place = Place::new();
    let (first, run) = (
        place.session(3),
        place.run(&header(), Some(RunState::Succeeded)),
    );
    let middle = NOW + 2 * DAY_MS + 1;
    let (last, later) = (
        place.session(2),
        place.run(&header(), Some(RunState::Failed)),
    );
    let before = sound(&place.open());
    let done = place.prune(middle);
    assert_eq!((done.sessions, done.runs, done.records), (1, 1, 6));
    assert_eq!((done.needed, done.values.artifacts), (0, 1));
    assert_eq!(done.first_ms, Some(NOW + DAY_MS));
    assert_eq!(done.last_ms, Some(NOW + 2 * DAY_MS));
    let left = place.chains();
    assert!(!left.contains(&first) && !left.contains(&run));
    assert!(left.contains(&last) && left.contains(&later));

    let state = place.open();
    let report = sound(&state);
    let cut = report.cut.unwrap();
    assert_eq!((cut.sessions, cut.records, cut.earlier_records), (2, 6, 0));
    assert!(cut.last.starts_with(&format!("{run}:3:")), "{cut:?}");
    // Heads stored earlier: the newest one still holds, the cut names the last of those that are gone, others are not known.
    assert!(
        state
            .verify(&[before.head.unwrap()], false)
            .unwrap()
            .is_sound()
    );
    let named = parse_head(&cut.last).unwrap();
    assert!(state.verify(&[named], false).unwrap().is_sound());
    let gone = parse_head(&format!("{first}:3:{}", "0".repeat(64))).unwrap();
    let report = state.verify(&[gone], false).unwrap();
    assert!(report.faults[0].message.contains("older than the cut"));
    // Only one file of values remains, and the file is append-only again.
    let folders = fs::read_dir(place.top.path().join(FOLDER)).unwrap();
    let files = folders.map(|folder| fs::read_dir(folder.unwrap().path()).unwrap().count());
    assert_eq!(files.sum::<usize>(), 1);
    let file = Connection::open(place.top.path().join(FILE_NAME)).unwrap();
    for table in ["sessions", "events", "heads", "runs"] {
        let refused = file.execute(&format!("DELETE FROM {table}"), []);
        let refused = refused.unwrap_err().to_string();
        assert!(
            refused.contains("append-only") || refused.contains("kept"),
            "{refused}"
        );
    }

    // A second pruning continues from the first, and one with nothing to do leaves no trace.
    drop(state);
    place.day();
    let again = place.prune(u64::MAX);
    assert_eq!((again.sessions >= 1, again.runs), (true, 1));
    let cut = sound(&place.open()).cut.unwrap();
    assert_eq!(cut.earlier_records, 6);
    let records = place.open().audit_list(None, 99).unwrap().len();
    assert_eq!(place.prune(NOW).records, 0);
    assert_eq!(place.open().audit_list(None, 99).unwrap().len(), records);
}

#[test]
fn what_is_needed_remains() {
    let place = Place::new();
    let closed = place.session(1);
    let open = place.run(&header(), Some(RunState::Suspended));
    let interrupted = place.run(&header(), None);
    let undecided = place.run(&header(), Some(RunState::NeedsDecision));
    let pinned = place.run(&header(), Some(RunState::Succeeded));
    place.open().pin_run(&pinned, true).unwrap();
    let parent = place.run(&header(), Some(RunState::Suspended));
    let child = RunHeader {
        parent: Some(parent.clone()),
        ..header()
    };
    let child = place.run(&child, Some(RunState::Succeeded));
    let ended = place.run(&header(), Some(RunState::Succeeded));
    // A process that still runs, or was killed since the machine was started: its session is not closed.
    place.day();
    let living = place.open();
    living.record(&event(0), RecordDurability::Synced).unwrap();
    place.day();
    let done = place.prune(u64::MAX);
    assert!(done.needed == 1, "the child: {done:?}");
    let left = place.chains();
    for kept in [&open, &interrupted, &undecided, &pinned, &parent, &child] {
        assert!(left.contains(kept), "{left:?}");
    }
    assert!(left.contains(&living.session()));
    assert!(!left.contains(&closed) && !left.contains(&ended));
    living.record(&event(1), RecordDurability::Synced).unwrap();
    living.close().unwrap();
    let state = place.open();
    sound(&state);
    assert!(
        !state.run(&child).unwrap().collected,
        "undoing may need its values"
    );
    for run in [&open, &interrupted, &undecided] {
        let (journal, records) = state.take_run(run).unwrap();
        assert!(records.len() >= 2);
        journal.finish(RunState::Succeeded).unwrap();
    }
    sound(&state);
}

#[test]
fn sessions_of_killed_processes_go_after_the_machine_was_started_again() {
    let place = Place::new();
    filled(place.top.path(), 2);
    place.day();
    let done = place.prune(u64::MAX);
    assert_eq!((done.sessions, done.needed), (2, 0));
    // Started an hour ago.
    place.machine.advance(3_600_000);
    let done = place.prune(NOW + 1000);
    assert_eq!((done.sessions, done.records), (1, 2));
}

/// Records that name an approval go together, once it can no longer be used.
#[test]
fn approvals_go_with_the_records_that_name_them() {
    let place = Place::new();
    let intent = Value::object([("kind", "intent")]);
    let ask = |state: &StateStore, digest: &str| {
        state.settle(&approvals::request(digest), &intent).unwrap()
    };
    place.day();
    let ids: Vec<String> = ["used", "granted"]
        .into_iter()
        .map(|digest| match ask(&place.open(), digest) {
            ApprovalState::Pending { id, .. } => id,
            other => panic!("{other:?}"),
        })
        .collect();
    for id in &ids {
        place.open().approve(id, "anna").unwrap();
    }
    assert!(matches!(
        ask(&place.open(), "used"),
        ApprovalState::Consumed { .. }
    ));
    place.clock.advance(60_000);
    let done = place.prune(u64::MAX);
    assert_eq!((done.approvals, done.needed), (1, 1), "{done:?}");
    // The grant that is still valid is used after the pruning.
    assert!(matches!(
        ask(&place.open(), "granted"),
        ApprovalState::Consumed { .. }
    ));
    place.clock.advance(2 * DAY_MS);
    let done = place.prune(u64::MAX);
    assert_eq!((done.approvals, done.needed), (1, 0));
    assert!(place.open().approvals(None, true, 9).unwrap().is_empty());
}

/// Values of a run that remains were collected: the record that says so remains too.
#[test]
fn records_of_collections_remain_while_they_account_for_a_run() {
    let place = Place::new();
    let run = place.run(&header(), Some(RunState::Succeeded));
    place.day();
    let keep = RetentionPolicy {
        age_ms: Some(0),
        ..RetentionPolicy::default()
    };
    assert_eq!(
        place.open().gc(keep).unwrap().runs,
        std::slice::from_ref(&run)
    );
    place.open().pin_run(&run, true).unwrap();
    place.day();
    let done = place.prune(u64::MAX);
    assert_eq!((done.needed, done.runs), (1, 0), "{done:?}");
    place.open().pin_run(&run, false).unwrap();
    place.day();
    assert_eq!(place.prune(u64::MAX).runs, 1);
}

/// A file whose beginning is gone without a cut, with a changed one, or with one that somebody else wrote.
#[test]
fn forged_cuts_and_holes_are_faults() {
    let pruned = || {
        let place = Place::new();
        for _ in 0..3 {
            place.session(2);
        }
        place.prune(NOW + 2 * DAY_MS + 1);
        place
    };
    let change = |place: &Place, sql: &str| {
        assert!(intruder(place.top.path()).execute(sql, []).unwrap() > 0);
        place.open()
    };
    const OF_CUT: &str = "body LIKE '%\"cut\":{%'";
    // The record of the cut is changed, or gone.
    let place = pruned();
    let sql = format!(
        "UPDATE events SET body = replace(body, '\"records\":4', '\"records\":1') WHERE {OF_CUT}"
    );
    fault(&change(&place, &sql), "was changed");
    let place = pruned();
    let sql = format!("DELETE FROM events WHERE {OF_CUT}");
    fault(&change(&place, &sql), "no record of a cut");
    // It claims another link, or that more was removed.
    let place = pruned();
    let sql = format!(
        "UPDATE events SET body = replace(body, '\"link\":4', '\"link\":5') WHERE {OF_CUT}"
    );
    fault(&change(&place, &sql), "older than the cut");
    // A hole beside the cut.
    let place = pruned();
    let sql = "DELETE FROM heads WHERE number = (SELECT min(number) FROM heads)";
    fault(&change(&place, sql), "is missing");
    let place = pruned();
    let sql =
        "DELETE FROM events WHERE sequence = 1 AND session = (SELECT min(session) FROM events)";
    let state = change(&place, sql);
    fault(&state, "record 1 is missing");
    // And then nothing is pruned.
    place.day();
    assert_reason(state.prune(u64::MAX, &key()), "state_unsound");

    // Rows removed by hand, with a record of a cut that no link confirms.
    let place = Place::new();
    for _ in 0..3 {
        place.session(2);
    }
    let file = intruder(place.top.path());
    let (session, link): (String, [u8; 32]) = file
        .query_row(
            "SELECT session, link FROM heads WHERE number = 2",
            [],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )
        .unwrap();
    for sql in [
        "DELETE FROM events WHERE session = ?",
        "DELETE FROM heads WHERE session = ?",
        "DELETE FROM sessions WHERE id = ?",
    ] {
        file.execute(sql, [&session]).unwrap();
    }
    fault(&place.open(), "no record of a cut");
    let cut = ChainCut {
        link: 2,
        link_hash: chain::format_hex_hash(&link),
        last: format!("{session}:2:{}", "0".repeat(64)),
        sessions: 1,
        records: 2,
        first_ms: NOW,
        last_ms: NOW,
        earlier_records: 0,
        pruned_ms: NOW,
        key: String::new(),
        signature: String::new(),
    };
    let cut = tool_core::convert::to_value(&cut).unwrap();
    let record = tool_core::object! { "event" => "prune", "before_ms" => NOW, "cut" => cut };
    let body = tool_core::json::canonical_json(&record);
    let sql = "SELECT session, max(sequence), hash FROM events GROUP BY session LIMIT 1";
    let (session, sequence, hash): (String, i64, [u8; 32]) = file
        .query_row(sql, [], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
        .unwrap();
    let hash = chain::record_hash(&hash, &body);
    let sql = "INSERT INTO events(session, sequence, body, hash) VALUES (?, ?, ?, ?)";
    let params = rusqlite::params![session, sequence + 1, body, hash];
    file.execute(sql, params).unwrap();
    fault(&place.open(), "no link confirms the record of the cut");
}

/// The shape of the file does not depend on who prunes first: all of them leave a sound state, and nothing is removed twice.
#[test]
fn several_processes_prune_at_once() {
    let place = Place::new();
    for _ in 0..40 {
        place.session(5);
    }
    place.day();
    let states: Vec<Arc<StateStore>> = (0..4).map(|_| place.open()).collect();
    let before_ms = NOW + 30 * DAY_MS + 1;
    let done: Vec<PruneReport> = std::thread::scope(|scope| {
        let prune = |state: &Arc<StateStore>| {
            let state = Arc::clone(state);
            scope.spawn(move || state.prune(before_ms, &key()).unwrap())
        };
        let running: Vec<_> = states.iter().map(prune).collect();
        let ended = running.into_iter().map(|one| one.join().unwrap());
        ended.collect()
    });
    assert_eq!(done.iter().map(|done| done.sessions).sum::<u64>(), 30);
    drop(states);
    let report = sound(&place.open());
    assert_eq!(report.cut.unwrap().records, 150);
}

#[test]
fn an_export_has_all_that_hashes_cover_and_ends_with_the_head() {
    let place = Place::new();
    place.session(3);
    place.run(&header(), Some(RunState::Succeeded));
    let state = place.open();
    let head = sound(&state).head.unwrap().to_string();
    let mut out = Vec::new();
    let (told, lines) = state.export_whole(&mut out).unwrap();
    assert_eq!(told.as_deref(), Some(&*head));
    let text = String::from_utf8(out).unwrap();
    let limits = tool_core::json::JsonLimits::default();
    let parsed = text
        .lines()
        .map(|line| tool_core::json::parse_json(line, limits).unwrap());
    let parsed: Vec<Value> = parsed.collect();
    assert_eq!(parsed.len() as u64, lines);
    let kinds = |kind: &str| {
        let kind = Value::from(kind);
        parsed
            .iter()
            .filter(|line| line.get("type") == Some(&kind))
            .count()
    };
    assert_eq!(
        ["session", "record", "value", "artifact", "end"].map(kinds),
        [2, 6, 2, 1, 1]
    );
    let end = parsed.last().unwrap();
    assert_eq!(end.get("head"), Some(&Value::from(head)));
    // Every record follows from the one before it, by its own bytes.
    let mut ends = std::collections::HashMap::new();
    for line in text
        .lines()
        .filter(|line| line.starts_with(r#"{"type":"session""#))
    {
        let line_of = tool_core::json::parse_json(line, limits).unwrap();
        let header = line
            .split_once(r#""header":"#)
            .unwrap()
            .1
            .strip_suffix('}')
            .unwrap();
        let id = line_of.get("session").unwrap().as_str().unwrap().to_owned();
        ends.insert(id, chain::record_hash(&chain::START, header));
    }
    for line in text
        .lines()
        .filter(|line| line.starts_with(r#"{"type":"record""#))
    {
        let line_of = tool_core::json::parse_json(line, limits).unwrap();
        let body = line
            .split_once(r#""record":"#)
            .unwrap()
            .1
            .strip_suffix('}')
            .unwrap();
        let end = ends
            .get_mut(line_of.get("session").unwrap().as_str().unwrap())
            .unwrap();
        *end = chain::record_hash(end, body);
        assert_eq!(
            line_of.get("hash"),
            Some(&Value::from(chain::format_hex_hash(end)))
        );
    }
}

#[test]
fn the_file_shrinks_and_its_parts_are_all_of_it() {
    let place = Place::new();
    for _ in 0..20 {
        place.session(100);
    }
    place.day();
    place.prune(u64::MAX);
    let state = place.open();
    let free = |state: &StateStore| {
        let sizes = state.sizes().unwrap();
        let one = sizes.parts.iter().find(|part| part.part == "free");
        (one.unwrap().bytes, sizes.bytes)
    };
    let (free_before, all_before) = free(&state);
    assert!(free_before > 100_000, "{free_before}");
    let done = state.vacuum().unwrap();
    let (free_after, all_after) = free(&state);
    assert_eq!(free_after, 0);
    assert!(all_after < all_before - free_before / 2);
    assert!(done.after_bytes + free_before <= done.before_bytes);
    let length =
        |name: &str| fs::metadata(place.top.path().join(name)).map_or(0, |found| found.len());
    let sizes = state.sizes().unwrap();
    let of_file = sizes
        .parts
        .iter()
        .filter(|part| !matches!(part.part, "log" | "artifacts" | "backups"));
    assert_eq!(
        of_file.map(|part| part.bytes).sum::<u64>(),
        length(FILE_NAME)
    );
    sound(&state);
}

#[test]
fn filters_find_what_has_all_of_them() {
    let place = Place::new();
    let state = place.open();
    for (tool, role, status) in [
        ("calculate", "operator", "success"),
        ("calculate", "worker_math", "success"),
        ("statistics", "worker_math", "error"),
    ] {
        place.day();
        let record = Value::object([("tool", tool), ("role", role), ("status", status)]);
        state.record(&record, RecordDurability::Batched).unwrap();
    }
    let found = |filter: AuditFilter| {
        let found = state.audit_matching(&filter, 9).unwrap();
        let mut lines = Vec::new();
        let count = state.export_matching(&filter, &mut lines).unwrap();
        assert_eq!(count, found.len() as u64);
        found.iter().map(|one| one.sequence).collect::<Vec<_>>()
    };
    let text = |text: &str| Some(text.to_owned());
    assert_eq!(found(AuditFilter::default()), [3, 2, 1]);
    let by_tool = AuditFilter {
        tool: text("calculate"),
        ..AuditFilter::default()
    };
    assert_eq!(found(by_tool.clone()), [2, 1]);
    let both = AuditFilter {
        role: text("worker_math"),
        ..by_tool
    };
    assert_eq!(found(both), [2]);
    let late = AuditFilter {
        since_ms: Some(NOW + 3 * DAY_MS),
        status: text("error"),
        ..AuditFilter::default()
    };
    assert_eq!(found(late), [3]);
    assert_eq!(
        state.audit_names("role").unwrap(),
        ["operator", "worker_math"]
    );
}
