//! Old chains, and what makes one of them needed.

use std::collections::{BTreeMap, HashMap, HashSet};

use rusqlite::{Connection, params};
use tool_core::{Value, json};

use crate::gc::COLLECTED_KEY;
use crate::lease::{LeaseMachine, LeaseTime};
use crate::run;
use crate::sql::{self, row_structs};

row_structs! {
    /// A chain that began before the time of a pruning.
    Old {
        id: String,
        opened_ms: u64,
        newest: u64,
        linked: Option<u64>,
        link: u64,
    }

    /// An approval request.
    Request {
        id: String,
        state: String,
        expires_ms: u64,
        settled_ms: u64,
        stays: bool,
    }
}

/// A chain that may be removed.
pub(super) struct PruneCandidate {
    pub(super) opened_ms: u64,
    pub(super) newest: u64,
    pub(super) last_ms: u64,
    pub(super) link: u64,
    pub(super) is_run: bool,
}

/// The chains that have ended and have no record since a time, other than that of this process.
pub(super) fn prunable_chains(
    connection: &Connection,
    own: &str,
    before_ms: u64,
    now: LeaseTime,
    machine: &dyn LeaseMachine,
) -> rusqlite::Result<BTreeMap<String, PruneCandidate>> {
    const LAST: &str =
        "SELECT CASE WHEN json_valid(body) THEN body ->> '$.recorded_ms' END FROM events
         WHERE session = ? AND sequence = ?";
    let sql = Old::sql(
        "FROM (SELECT id, opened_ms, linked, link,
                ifnull((SELECT max(sequence) FROM events WHERE session = sessions.id), 0) AS newest
            FROM sessions LEFT JOIN (SELECT session, max(sequence) AS linked, max(number) AS link FROM heads GROUP BY session)
                ON session = sessions.id WHERE opened_ms < ?)",
    );
    // A session that was not closed may belong to a process that still runs, unless the machine was started since.
    let booted_ms = match now.up_ms {
        0 => 0,
        up_ms => now.unix_ms.saturating_sub(up_ms),
    };
    let mut found = BTreeMap::new();
    for old in sql::all_rows::<Old>(connection, &sql, [before_ms as i64])? {
        let last: Option<Option<u64>> =
            sql::first_row(connection, LAST, params![old.id, old.newest as i64])?;
        let last_ms = last.flatten().unwrap_or(0).max(old.opened_ms);
        let row = run::find_run_row(connection, &old.id)?;
        let has_ended = match &row {
            Some(row) => {
                let left_ms = row.lease.left_ms(machine, now.unix_ms);
                let run = &row.run;
                run.state.is_final() && !run.pinned && left_ms == 0 && run.changed_ms < before_ms
            }
            None => old.linked == Some(old.newest) || old.opened_ms < booted_ms,
        };
        if last_ms < before_ms && has_ended && old.id != own {
            let candidate = PruneCandidate {
                opened_ms: old.opened_ms,
                newest: old.newest,
                last_ms,
                link: old.link,
                is_run: row.is_some(),
            };
            found.insert(old.id, candidate);
        }
    }
    Ok(found)
}

/// The approvals that must remain: those that can still be answered or used, refuse a call, or are not old.
pub(super) fn open_approvals(
    connection: &Connection,
    before_ms: u64,
    now_ms: u64,
) -> rusqlite::Result<HashSet<String>> {
    let sql = Request::sql(
        "FROM (SELECT id, state, expires_ms, max(created_ms, ifnull(decided_ms, 0)) AS settled_ms,
            state = 'pending' AND fallback = 'keep' AS stays FROM approvals)",
    );
    let all = sql::all_rows::<Request>(connection, &sql, [])?.into_iter();
    let is_open = |one: &Request| {
        let counts = one.state != "consumed" && one.expires_ms > now_ms;
        counts || one.stays || one.settled_ms >= before_ms
    };
    Ok(all.filter(is_open).map(|one| one.id).collect())
}

/// The records of collections, by session, and the runs in the file for which they account.
pub(super) fn collection_records(
    connection: &Connection,
) -> rusqlite::Result<Vec<(String, String)>> {
    const SQL: &str = "SELECT session, body FROM events
         WHERE instr(body, '\"event\":\"gc\"') > 0 AND json_valid(body) AND body ->> '$.event' = 'gc'";
    const RUNS: &str = "SELECT id FROM runs WHERE collected";
    let runs: HashSet<String> = sql::all_rows(connection, RUNS, [])?.into_iter().collect();
    let mut found: HashMap<String, HashSet<String>> = HashMap::new();
    for (session, body) in sql::all_rows::<(String, String)>(connection, SQL, [])? {
        let record = json::parse_json(&body, json::JsonLimits::default()).unwrap_or_default();
        let listed = record.get("runs").and_then(Value::items);
        let listed = listed.unwrap_or_default();
        let names = listed.iter().filter_map(Value::as_str);
        let count = record.get(COLLECTED_KEY).and_then(Value::as_i64);
        // An early record lists only some of its runs.
        let is_partial = count.is_some_and(|count| count.unsigned_abs() > listed.len() as u64);
        let named: HashSet<String> = match is_partial {
            true => runs.clone(),
            false => names
                .filter(|name| runs.contains(*name))
                .map(str::to_owned)
                .collect(),
        };
        found.entry(session).or_default().extend(named);
    }
    let pairs = found
        .into_iter()
        .flat_map(|(session, runs)| runs.into_iter().map(move |run| (session.clone(), run)));
    Ok(pairs.collect())
}
