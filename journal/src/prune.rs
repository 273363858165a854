//! Pruning: removing old chains, whole, with their runs and approvals, and leaving a cut ([`crate::Cut`]) that verification knows.
//!
//! A chain is removed when its newest record is old, it has ended, and nothing that remains needs it: see [`Choice`].

use std::collections::{BTreeMap, HashMap, HashSet};

use rusqlite::{Connection, Transaction, TransactionBehavior, params};
use serde::Serialize;
use tool_core::capability::{Durability, Ledger as _, LedgerHead};
use tool_core::{Result, ToolError, Value, json, object, tool_error};

use super::audit::hash_of_event;
use super::cut::{self, Cut};
use super::failpoints::fail_at;
use super::gc::{COLLECTED_KEY, Collected, Retention};
use super::lease::{Machine, Now};
use super::ledger::How;
use super::open::Target;
use super::sql::{self, Hash, row_structs};
use super::state::State;
use super::{chain, run, verify};

/// The outcome of a pruning, or its forecast.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Pruned {
    /// Number of removed audit sessions.
    pub sessions: u64,
    /// Number of removed runs.
    pub runs: u64,
    /// Number of removed records, of both.
    pub records: u64,
    /// Number of removed approval requests.
    pub approvals: u64,
    /// Number of old sessions and runs that are still needed.
    pub needed: u64,
    /// Time of the oldest removed chain, in milliseconds since 1970-01-01 UTC.
    pub first_ms: Option<u64>,
    /// Time of the newest removed record.
    pub last_ms: Option<u64>,
    /// The values that were collected with them.
    pub values: Collected,
}

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
    }
}

/// A chain that may be removed.
struct Candidate {
    opened_ms: u64,
    newest: u64,
    last_ms: u64,
    link: u64,
    is_run: bool,
}

/// The chains and approvals to remove.
///
/// Retained are: chains with a record since the time of the pruning; runs that have not ended, are pinned or held by a process, with all
/// runs that they started or that started them; every chain that names an approval which is still open, or which another retained chain
/// names; the records of collections that account for the values of a retained run.
struct Choice {
    chains: BTreeMap<String, Candidate>,
    approvals: Vec<String>,
    needed: u64,
}

impl State {
    /// Removes the records of chains whose newest one is older than a time, with their runs, approvals and values.
    ///
    /// # Errors
    /// `conflict` with reason `state_unsound` when the audit log does not verify: nothing is removed then. `tool_error` when the state
    /// cannot be written.
    pub fn prune(&self, before_ms: u64, dry_run: bool) -> Result<Pruned> {
        let shared = &self.shared;
        let now = shared.now();
        let before_ms = before_ms.min(now.unix_ms);
        let own = self.session();
        let choose = |connection: &Connection| {
            Choice::read(connection, &own, before_ms, now, shared.machine.as_ref())
        };
        self.flush()?;
        let forecast = shared.read("look for old records", |connection| {
            let snapshot = Transaction::new_unchecked(connection, TransactionBehavior::Deferred)?;
            Ok(choose(&snapshot)?)
        })?;
        let mut done = forecast.counts();
        if !dry_run && !forecast.is_nothing() {
            // With it the chain of this process is in the file, and its link is newer than those that are removed.
            let begin = object! { "event" => "prune_begin", "before_ms" => before_ms };
            self.record(&begin, Durability::Synced)?;
            fail_at("prune.after_begin");
            let how = How {
                synced: true,
                link: true,
            };
            let work = |transaction: &Transaction<'_>, _| {
                if let Some(fault) = verify::verify_all(transaction, &[])?.faults.first() {
                    return Err(unsound(&fault.message).into());
                }
                let choice = choose(transaction)?;
                let record = choice.remove(transaction, now.unix_ms)?;
                fail_at("prune.before_commit");
                Ok((choice.counts(), record.map(|cut| cut.record(before_ms))))
            };
            (done, _) = shared.transact_on(Target::Own, how, "prune the records", work)?;
            fail_at("prune.after_commit");
        }
        done.values = self.gc(Retention {
            age_ms: Some(now.unix_ms.saturating_sub(before_ms)),
            quota_bytes: None,
            dry_run,
        })?;
        // In a forecast they are still there.
        let removed = &forecast.chains;
        done.values.runs.retain(|run| !removed.contains_key(run));
        Ok(done)
    }
}

fn unsound(fault: &str) -> ToolError {
    tool_error!(Conflict, "state_unsound"; "nothing was pruned: the audit log does not verify: {fault}";
        "`mathchain audit verify` lists the faults; `mathchain state export` writes what is there")
}

impl Choice {
    fn read(
        connection: &Connection,
        own: &str,
        before_ms: u64,
        now: Now,
        machine: &dyn Machine,
    ) -> rusqlite::Result<Self> {
        let mut chains = candidates(connection, own, before_ms, now, machine)?;
        let old = chains.len();
        let open = open_approvals(connection, before_ms, now.unix_ms)?;
        let naming: Vec<(String, String)> = sql::rows(
            connection,
            "SELECT session, body ->> '$.approval_id' FROM events
             WHERE instr(body, '\"approval_id\":\"') > 0 AND json_valid(body) AND body ->> '$.approval_id' IS NOT NULL",
            [],
        )?;
        let families: Vec<(String, String)> = sql::rows(
            connection,
            "SELECT id, parent FROM runs WHERE parent IN (SELECT id FROM runs)",
            [],
        )?;
        let collections = collections(connection)?;
        loop {
            let before = chains.len();
            let needed: HashSet<&String> = (naming.iter())
                .filter(|(session, approval)| {
                    open.contains(approval) || !chains.contains_key(session)
                })
                .map(|(_, approval)| approval)
                .collect();
            for (session, approval) in &naming {
                if needed.contains(approval) {
                    chains.remove(session);
                }
            }
            for (one, other) in &families {
                if chains.contains_key(one) != chains.contains_key(other) {
                    chains.remove(one);
                    chains.remove(other);
                }
            }
            for (session, run) in &collections {
                if !chains.contains_key(run) {
                    chains.remove(session);
                }
            }
            if chains.len() == before {
                break;
            }
        }
        let kept: HashSet<&String> = (naming.iter())
            .filter(|(session, _)| !chains.contains_key(session))
            .map(|(_, approval)| approval)
            .collect();
        let all = sql::rows::<String>(connection, "SELECT id FROM approvals ORDER BY number", [])?;
        let approvals = all
            .into_iter()
            .filter(|id| !open.contains(id) && !kept.contains(id));
        Ok(Self {
            approvals: approvals.collect(),
            needed: (old - chains.len()) as u64,
            chains,
        })
    }

    fn is_nothing(&self) -> bool {
        self.chains.is_empty()
    }

    fn counts(&self) -> Pruned {
        let chains = self.chains.values();
        let runs = chains.clone().filter(|chain| chain.is_run).count() as u64;
        Pruned {
            sessions: self.chains.len() as u64 - runs,
            runs,
            records: chains.clone().map(|chain| chain.newest).sum(),
            approvals: match self.is_nothing() {
                true => 0,
                false => self.approvals.len() as u64,
            },
            needed: self.needed,
            first_ms: chains.clone().map(|chain| chain.opened_ms).min(),
            last_ms: chains.map(|chain| chain.last_ms).max(),
            values: Collected::default(),
        }
    }

    /// Removes the chosen rows; returns the cut, or `None` where nothing is left to remove.
    fn remove(&self, transaction: &Transaction<'_>, now_ms: u64) -> rusqlite::Result<Option<Cut>> {
        const LINK: &str = "SELECT link FROM heads WHERE number = ?";
        let newest = (self.chains.iter()).max_by_key(|(_, chain)| (chain.last_ms, chain.link));
        let Some((session, chain)) = newest else {
            return Ok(None);
        };
        let link = self.chains.values().map(|chain| chain.link).max();
        let link = link.unwrap_or(chain.link);
        let link_hash: Hash = sql::row(transaction, LINK, [link as i64])?.unwrap_or_default();
        let (sequence, hash) = end_of(transaction, session)?;
        let counts = self.counts();
        let last = LedgerHead {
            session: session.clone(),
            sequence,
            hash: chain::hex(&hash),
        };
        let earlier = cut::newest(transaction)?.map(|found| found.cut);
        let earlier = earlier.map_or(0, |cut| cut.earlier_records + cut.records);
        let cut = Cut {
            link,
            link_hash: chain::hex(&link_hash),
            last: last.to_string(),
            sessions: self.chains.len() as u64,
            records: counts.records,
            first_ms: counts.first_ms.unwrap_or(0),
            last_ms: counts.last_ms.unwrap_or(0),
            earlier_records: earlier,
            pruned_ms: now_ms,
        };
        self.confirm_again(transaction, link)?;
        let triggers = lift_triggers(transaction)?;
        self.delete(transaction, link)?;
        transaction.execute_batch(&triggers)?;
        Ok(Some(cut))
    }

    /// Links the ends of the chains that remain and whose links are all removed.
    fn confirm_again(&self, transaction: &Transaction<'_>, link: u64) -> rusqlite::Result<()> {
        const SQL: &str = "SELECT session FROM heads GROUP BY session HAVING max(number) <= ? ORDER BY max(number)";
        for session in sql::rows::<String>(transaction, SQL, [link as i64])? {
            if !self.chains.contains_key(&session) {
                let (sequence, hash) = end_of(transaction, &session)?;
                chain::write_link(transaction, &session, sequence, &hash)?;
            }
        }
        Ok(())
    }

    fn delete(&self, transaction: &Transaction<'_>, link: u64) -> rusqlite::Result<()> {
        sql::execute(
            transaction,
            "DELETE FROM heads WHERE number <= ?",
            [link as i64],
        )?;
        for id in self.chains.keys() {
            for sql in [
                "DELETE FROM events WHERE session = ?",
                "DELETE FROM uses WHERE run = ?",
                "DELETE FROM runs WHERE id = ?",
                "DELETE FROM sessions WHERE id = ?",
            ] {
                sql::execute(transaction, sql, [id])?;
            }
        }
        for id in &self.approvals {
            sql::execute(transaction, "DELETE FROM approvals WHERE id = ?", [id])?;
        }
        Ok(())
    }
}

/// Removes the triggers that keep records, until the end of the transaction; returns the statements that create them again.
fn lift_triggers(transaction: &Transaction<'_>) -> rusqlite::Result<String> {
    const SQL: &str = "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'
         AND name IN ('sessions_kept', 'events_kept', 'heads_kept', 'runs_kept')";
    let mut again = String::new();
    for (name, sql) in sql::rows::<(String, String)>(transaction, SQL, [])? {
        transaction.execute_batch(&format!("DROP TRIGGER {name}"))?;
        again += &sql;
        again += ";\n";
    }
    Ok(again)
}

/// Number and hash of the newest record of a chain in the file; 0 and the first hash where it has none.
fn end_of(connection: &Connection, session: &str) -> rusqlite::Result<(u64, Hash)> {
    const NEWEST: &str = "SELECT max(sequence) FROM events WHERE session = ?";
    const HEADER: &str = "SELECT header FROM sessions WHERE id = ?";
    let sequence: Option<u64> = sql::row::<Option<u64>>(connection, NEWEST, [session])?.flatten();
    if let Some(sequence) = sequence {
        let hash = hash_of_event(connection, session, sequence)?;
        return Ok((sequence, hash.unwrap_or_default()));
    }
    let header: Option<String> = sql::row(connection, HEADER, [session])?;
    let header = header.unwrap_or_default();
    Ok((0, chain::record_hash(&chain::START, &header)))
}

/// The chains that have ended and have no record since a time, other than that of this process.
fn candidates(
    connection: &Connection,
    own: &str,
    before_ms: u64,
    now: Now,
    machine: &dyn Machine,
) -> rusqlite::Result<BTreeMap<String, Candidate>> {
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
    for old in sql::rows::<Old>(connection, &sql, [before_ms as i64])? {
        let last: Option<Option<u64>> =
            sql::row(connection, LAST, params![old.id, old.newest as i64])?;
        let last_ms = last.flatten().unwrap_or(0).max(old.opened_ms);
        let row = run::row(connection, &old.id)?;
        let has_ended = match &row {
            Some(row) => {
                let left_ms = row.lease.left_ms(machine, now.unix_ms);
                let run = &row.run;
                run.state.is_final() && !run.pinned && left_ms == 0 && run.changed_ms < before_ms
            }
            None => old.linked == Some(old.newest) || old.opened_ms < booted_ms,
        };
        if last_ms < before_ms && has_ended && old.id != own {
            let candidate = Candidate {
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
fn open_approvals(
    connection: &Connection,
    before_ms: u64,
    now_ms: u64,
) -> rusqlite::Result<HashSet<String>> {
    let sql = Request::sql(
        "FROM (SELECT id, state, expires_ms, max(created_ms, ifnull(decided_ms, 0)) AS settled_ms FROM approvals)",
    );
    let all = sql::rows::<Request>(connection, &sql, [])?.into_iter();
    let is_open = |one: &Request| {
        let counts = one.state != "consumed" && one.expires_ms > now_ms;
        counts || one.settled_ms >= before_ms
    };
    Ok(all.filter(is_open).map(|one| one.id).collect())
}

/// The records of collections, by session, and the runs in the file for which they account.
fn collections(connection: &Connection) -> rusqlite::Result<Vec<(String, String)>> {
    const SQL: &str = "SELECT session, body FROM events
         WHERE instr(body, '\"event\":\"gc\"') > 0 AND json_valid(body) AND body ->> '$.event' = 'gc'";
    const RUNS: &str = "SELECT id FROM runs WHERE collected";
    let runs: HashSet<String> = sql::rows(connection, RUNS, [])?.into_iter().collect();
    let mut found: HashMap<String, HashSet<String>> = HashMap::new();
    for (session, body) in sql::rows::<(String, String)>(connection, SQL, [])? {
        let record = json::parse(&body, json::Limits::default()).unwrap_or_default();
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
