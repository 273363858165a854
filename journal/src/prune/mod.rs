//! Pruning: removing old chains, whole, with their runs, approvals, backups and notifications, and leaving a signed cut ([`crate::ChainCut`])
//! that verification knows.
//!
//! A chain is removed when its newest record is old, it has ended, and nothing that remains needs it: see [`PrunePlan`].

mod beside;
mod old;

use std::collections::{BTreeMap, HashSet};

use rusqlite::{Connection, Transaction, TransactionBehavior};
use tool_core::capability::{AuditLedger as _, LedgerHead, RecordDurability};
use tool_core::{Encode, Object, Result, ToolError, Value, convert, object, tool_error};

use self::beside::PruneExtras;
use self::old::{PruneCandidate, collection_records, open_approvals, prunable_chains};
use super::audit::hash_of_event;
use super::cut::{self, ChainCut};
use super::failpoints::fail_at;
use super::gc::{GcReport, RetentionPolicy};
use super::lease::{LeaseMachine, LeaseTime};
use super::ledger::CommitMode;
use super::open::ChainTarget;
use super::seal::CutKey;
use super::sql::{self, Hash};
use super::state::StateStore;
use super::{chain, verify};

/// The outcome of a pruning, or its forecast.
#[derive(Debug, Clone, Default, PartialEq, Eq, Encode)]
pub struct PruneReport {
    /// Number of removed audit sessions.
    pub sessions: u64,
    /// Number of removed runs.
    pub runs: u64,
    /// Number of removed records, of both.
    pub records: u64,
    /// Number of removed approval requests.
    pub approvals: u64,
    /// Number of removed backups.
    pub backups: u64,
    /// Bytes of their contents that no other backup has.
    pub backup_bytes: u64,
    /// Number of removed notifications, and of questions with their answers.
    pub notices: u64,
    /// Number of removed pipelines.
    pub pipelines: u64,
    /// Number of old sessions and runs that are still needed.
    pub needed: u64,
    /// Time of the oldest removed chain, in milliseconds since 1970-01-01 UTC.
    pub first_ms: Option<u64>,
    /// Time of the newest removed record.
    pub last_ms: Option<u64>,
    /// The values that were collected with them.
    pub values: GcReport,
}

/// The chains, approvals, backups and notifications to remove.
///
/// Retained are: chains with a record since the time of the pruning; runs that have not ended, are pinned or held by a process, with all
/// runs that they started or that started them; every chain that names an approval which is still open, or which another retained chain
/// names; the records of collections that account for the values of a retained run.
struct PrunePlan {
    chains: BTreeMap<String, PruneCandidate>,
    approvals: Vec<String>,
    beside: PruneExtras,
    needed: u64,
}

impl StateStore {
    /// Says what [`StateStore::prune`] would remove.
    ///
    /// # Errors
    /// `tool_error` when the state cannot be read.
    pub fn forecast(&self, before_ms: u64) -> Result<PruneReport> {
        self.prune_with(before_ms, None)
    }

    /// Removes the records of chains whose newest one is older than a time, with their runs, approvals and values, and the backups and
    /// notifications of their calls. The cut that remains is signed.
    ///
    /// # Errors
    /// `conflict` with reason `state_unsound` when the audit log does not verify: nothing is removed then. `tool_error` when the state
    /// cannot be written.
    pub fn prune(&self, before_ms: u64, key: &CutKey) -> Result<PruneReport> {
        self.prune_with(before_ms, Some(key))
    }

    fn prune_with(&self, before_ms: u64, key: Option<&CutKey>) -> Result<PruneReport> {
        let shared = &self.shared;
        let now = shared.now();
        let before_ms = before_ms.min(now.unix_ms);
        let own = self.session();
        let choose = |connection: &Connection| {
            PrunePlan::read(connection, &own, before_ms, now, shared.machine.as_ref())
        };
        self.flush()?;
        let forecast = shared.read("look for old records", |connection| {
            let snapshot = Transaction::new_unchecked(connection, TransactionBehavior::Deferred)?;
            Ok(choose(&snapshot)?)
        })?;
        let mut done = forecast.counts();
        if let Some(key) = key.filter(|_| !forecast.is_nothing()) {
            // With it the chain of this process is in the file, and its link is newer than those that are removed.
            let begin = object! { "event" => "prune_begin", "before_ms" => before_ms };
            self.record(&begin, RecordDurability::Synced)?;
            fail_at("prune.after_begin");
            let how = CommitMode {
                synced: true,
                link: true,
            };
            let work = |transaction: &Transaction<'_>, _| {
                let checks = verify::VerificationChecks::default();
                if let Some(fault) = verify::verify_all(transaction, &checks)?.faults.first() {
                    return Err(unsound_log_error(&fault.message).into());
                }
                let choice = choose(transaction)?;
                let mut cut = choice.remove(transaction, now.unix_ms)?;
                if let Some(cut) = &mut cut {
                    cut.sign(&own, key);
                }
                fail_at("prune.before_commit");
                let record = (!choice.is_nothing()).then(|| choice.record(cut.as_ref(), before_ms));
                Ok(((choice.counts(), choice.beside.contents), record))
            };
            let contents;
            ((done, contents), _) =
                shared.transact_on(ChainTarget::Own, how, "prune the records", work)?;
            fail_at("prune.after_commit");
            self.remove_contents(&contents)?;
        }
        done.values = self.gc(RetentionPolicy {
            age_ms: Some(now.unix_ms.saturating_sub(before_ms)),
            quota_bytes: None,
            dry_run: key.is_none(),
        })?;
        // In a forecast they are still there.
        let removed = &forecast.chains;
        done.values.runs.retain(|run| !removed.contains_key(run));
        Ok(done)
    }
}

fn unsound_log_error(fault: &str) -> ToolError {
    tool_error!(Conflict, "state_unsound"; "nothing was pruned: the audit log does not verify: {fault}";
        "`mathchain audit verify` lists the faults; `mathchain state export` writes what is there")
}

impl PrunePlan {
    fn read(
        connection: &Connection,
        own: &str,
        before_ms: u64,
        now: LeaseTime,
        machine: &dyn LeaseMachine,
    ) -> rusqlite::Result<Self> {
        let mut chains = prunable_chains(connection, own, before_ms, now, machine)?;
        let old = chains.len();
        let open = open_approvals(connection, before_ms, now.unix_ms)?;
        let naming: Vec<(String, String)> = sql::all_rows(
            connection,
            "SELECT session, body ->> '$.approval_id' FROM events
             WHERE instr(body, '\"approval_id\":\"') > 0 AND json_valid(body) AND body ->> '$.approval_id' IS NOT NULL",
            [],
        )?;
        let families: Vec<(String, String)> = sql::all_rows(
            connection,
            "SELECT id, parent FROM runs WHERE parent IN (SELECT id FROM runs)",
            [],
        )?;
        let collections = collection_records(connection)?;
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
        let all =
            sql::all_rows::<String>(connection, "SELECT id FROM approvals ORDER BY number", [])?;
        let approvals = all
            .into_iter()
            .filter(|id| !open.contains(id) && !kept.contains(id));
        Ok(Self {
            beside: PruneExtras::choose(connection, before_ms, &chains)?,
            approvals: approvals.collect(),
            needed: (old - chains.len()) as u64,
            chains,
        })
    }

    fn is_nothing(&self) -> bool {
        self.chains.is_empty() && self.beside.is_nothing()
    }

    fn counts(&self) -> PruneReport {
        let chains = self.chains.values();
        let runs = chains.clone().filter(|chain| chain.is_run).count() as u64;
        PruneReport {
            sessions: self.chains.len() as u64 - runs,
            runs,
            records: chains.clone().map(|chain| chain.newest).sum(),
            approvals: match self.chains.is_empty() {
                true => 0,
                false => self.approvals.len() as u64,
            },
            backups: self.beside.counts().0,
            backup_bytes: self.beside.freed_bytes,
            notices: self.beside.counts().1,
            pipelines: self.beside.pipelines(),
            needed: self.needed,
            first_ms: chains.clone().map(|chain| chain.opened_ms).min(),
            last_ms: chains.map(|chain| chain.last_ms).max(),
            values: GcReport::default(),
        }
    }

    /// The record of what is removed.
    fn record(&self, cut: Option<&ChainCut>, before_ms: u64) -> Value {
        let (backups, notices) = self.beside.counts();
        let mut record = Object::new();
        record.insert("event", cut::EVENT);
        record.insert("before_ms", before_ms);
        record.insert("backups", backups);
        record.insert("notices", notices);
        record.insert("pipelines", self.beside.pipelines());
        if let Some(cut) = cut {
            record.insert("cut", convert::to_value(cut).unwrap_or_default());
        }
        Value::Object(record.into())
    }

    /// Removes the chosen rows; returns the cut, unsigned, or `None` where no chain is removed.
    fn remove(
        &self,
        transaction: &Transaction<'_>,
        now_ms: u64,
    ) -> rusqlite::Result<Option<ChainCut>> {
        let cut = self.cut(transaction, now_ms)?;
        if let Some(cut) = &cut {
            self.confirm_again(transaction, cut.link)?;
        }
        let triggers = lift_triggers(transaction)?;
        if let Some(cut) = &cut {
            self.delete(transaction, cut.link)?;
        }
        self.beside.delete(transaction)?;
        transaction.execute_batch(&triggers)?;
        Ok(cut)
    }

    fn cut(&self, connection: &Connection, now_ms: u64) -> rusqlite::Result<Option<ChainCut>> {
        const LINK: &str = "SELECT link FROM heads WHERE number = ?";
        let newest = (self.chains.iter()).max_by_key(|(_, chain)| (chain.last_ms, chain.link));
        let Some((session, chain)) = newest else {
            return Ok(None);
        };
        let link = self.chains.values().map(|chain| chain.link).max();
        let link = link.unwrap_or(chain.link);
        let link_hash: Hash = sql::first_row(connection, LINK, [link as i64])?.unwrap_or_default();
        let (sequence, hash) = end_of(connection, session)?;
        let counts = self.counts();
        let last = LedgerHead {
            session: session.clone(),
            sequence,
            hash: chain::format_hex_hash(&hash),
        };
        let earlier = cut::newest_cut(connection)?.map(|found| found.cut);
        let earlier = earlier.map_or(0, |cut| cut.earlier_records + cut.records);
        Ok(Some(ChainCut {
            link,
            link_hash: chain::format_hex_hash(&link_hash),
            last: last.to_string(),
            sessions: self.chains.len() as u64,
            records: counts.records,
            first_ms: counts.first_ms.unwrap_or(0),
            last_ms: counts.last_ms.unwrap_or(0),
            earlier_records: earlier,
            pruned_ms: now_ms,
            key: String::new(),
            signature: String::new(),
        }))
    }

    /// Links the ends of the chains that remain and whose links are all removed.
    fn confirm_again(&self, transaction: &Transaction<'_>, link: u64) -> rusqlite::Result<()> {
        const SQL: &str = "SELECT session FROM heads GROUP BY session HAVING max(number) <= ? ORDER BY max(number)";
        for session in sql::all_rows::<String>(transaction, SQL, [link as i64])? {
            if !self.chains.contains_key(&session) {
                let (sequence, hash) = end_of(transaction, &session)?;
                chain::write_link(transaction, &session, sequence, &hash)?;
            }
        }
        Ok(())
    }

    fn delete(&self, transaction: &Transaction<'_>, link: u64) -> rusqlite::Result<()> {
        sql::execute_statement(
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
                sql::execute_statement(transaction, sql, [id])?;
            }
        }
        for id in &self.approvals {
            sql::execute_statement(transaction, "DELETE FROM approvals WHERE id = ?", [id])?;
        }
        Ok(())
    }
}

/// Removes the triggers that keep records, until the end of the transaction; returns the statements that create them again.
fn lift_triggers(transaction: &Transaction<'_>) -> rusqlite::Result<String> {
    const SQL: &str = "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'
         AND name IN ('sessions_kept', 'events_kept', 'heads_kept', 'runs_kept', 'notices_kept', 'pipeline_events_kept')";
    let mut again = String::new();
    for (name, sql) in sql::all_rows::<(String, String)>(transaction, SQL, [])? {
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
    let sequence: Option<u64> =
        sql::first_row::<Option<u64>>(connection, NEWEST, [session])?.flatten();
    if let Some(sequence) = sequence {
        let hash = hash_of_event(connection, session, sequence)?;
        return Ok((sequence, hash.unwrap_or_default()));
    }
    let header: Option<String> = sql::first_row(connection, HEADER, [session])?;
    let header = header.unwrap_or_default();
    Ok((0, chain::record_hash(&chain::START, &header)))
}
