//! Verification of every chain, the links between them, externally stored heads, and the values that runs refer to.

mod values;

use std::collections::HashMap;

use rusqlite::{Connection, Transaction, TransactionBehavior};
use tool_core::capability::LedgerHead;
use tool_core::{Encode, Result};

use super::audit::{Link, RawRecord, hash_of_event};
use super::chain;
use super::cut::{self, ChainCut};
use super::sql::Hash;
use super::state::StateStore;
use super::{grants, ledger, run, sql, workflow};

/// A deviation from the records as they were written.
#[derive(Debug, Clone, PartialEq, Eq, Encode)]
pub struct VerificationFault {
    /// Name of the chain; `*` for the links between chains.
    pub session: String,
    /// Number of the record or link; 0 for the chain's beginning.
    pub sequence: u64,
    /// Description of the fault.
    pub message: String,
}

/// The report of a verification.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct VerificationReport {
    /// Number of chains verified.
    pub sessions: u64,
    /// Number of records verified.
    pub records: u64,
    /// Number of values verified, each once; `None` where they were skipped.
    pub values: Option<u64>,
    /// The newest cut: earlier records were pruned.
    pub cut: Option<ChainCut>,
    /// The newest link. Stored elsewhere, it lets a later [`StateStore::verify`] detect removed newest records and a replaced file. `None`
    /// before the first record.
    pub head: Option<LedgerHead>,
    /// The faults, at most [`VerificationReport::FAULTS_MAX`]; empty for a sound state.
    pub faults: Vec<VerificationFault>,
}

impl VerificationReport {
    /// Most faults reported.
    pub const FAULTS_MAX: usize = 100;

    /// Whether there are no faults.
    pub fn is_sound(&self) -> bool {
        self.faults.is_empty()
    }

    fn fault(&mut self, session: &str, sequence: u64, message: impl Into<String>) {
        if self.faults.len() < Self::FAULTS_MAX {
            self.faults.push(VerificationFault {
                session: session.to_owned(),
                sequence,
                message: message.into(),
            });
        }
    }
}

/// Name of the chain of links in a head.
const LINKS: &str = "*";

/// What a verification compares the records with.
#[derive(Debug, Clone, Copy, Default)]
pub struct VerificationChecks<'a> {
    /// Heads that were published earlier and must still be part of the chains.
    pub published: &'a [LedgerHead],
    /// Whether the values that runs refer to are verified.
    pub values: bool,
    /// Public keys that may have signed a cut; `None` for any key.
    pub cut_keys: Option<&'a [String]>,
}

impl StateStore {
    /// As [`StateStore::verify_with`]; a cut may be signed by any key.
    ///
    /// # Errors
    /// As [`StateStore::verify_with`].
    pub fn verify(&self, published: &[LedgerHead], values: bool) -> Result<VerificationReport> {
        self.verify_with(&VerificationChecks {
            published,
            values,
            cut_keys: None,
        })
    }

    /// Verifies every chain, the links between them, that each published head is still part of them, and with `values` the values
    /// that runs refer to; without them the cost is linear in the records alone.
    ///
    /// Changed bytes, missing records and missing sessions are detected from the file alone; removed newest records or a replaced file
    /// only against a head that was stored elsewhere.
    ///
    /// # Errors
    /// `tool_error` with reason `state_corrupt` when the file cannot be read at all.
    pub fn verify_with(&self, checks: &VerificationChecks<'_>) -> Result<VerificationReport> {
        self.flush()?;
        self.shared.read("verify the audit log", |connection| {
            // One transaction, so that concurrent writes do not look like faults.
            let snapshot = Transaction::new_unchecked(connection, TransactionBehavior::Deferred)?;
            let mut report = verify_all(&snapshot, checks)?;
            if checks.values {
                values::verify_values(&snapshot, &self.shared.folder, &mut report)?;
            }
            Ok(report)
        })
    }
}

pub(super) fn verify_all(
    connection: &Connection,
    checks: &VerificationChecks<'_>,
) -> rusqlite::Result<VerificationReport> {
    let mut report = VerificationReport::default();
    // SQLite's own check finds damage that the chains do not cover, such as a broken index.
    for message in sql::all_rows::<String>(connection, "PRAGMA integrity_check(10)", [])? {
        if message != "ok" {
            report.fault(LINKS, 0, format!("the file is damaged: {message}"));
        }
    }
    let genesis = verify_sessions(connection, &mut report)?;
    verify_approvals(connection, &mut report)?;
    verify_cut(connection, checks.cut_keys, &mut report)?;
    verify_links(connection, &genesis, &mut report)?;
    verify_numbers(connection, &mut report)?;
    for head in checks.published {
        verify_published(connection, head, &genesis, &mut report)?;
    }
    Ok(report)
}

/// The first hash of each chain.
type Genesis = HashMap<String, Hash>;

/// Verifies every chain from its header to its newest record; returns the first hash of each.
fn verify_sessions(
    connection: &Connection,
    report: &mut VerificationReport,
) -> rusqlite::Result<Genesis> {
    const SESSIONS: &str = "SELECT id, opened_ms, header FROM sessions";
    const ORPHANS: &str =
        "SELECT DISTINCT session FROM events WHERE session NOT IN (SELECT id FROM sessions)";
    const UNLINKED: &str = "SELECT id FROM sessions WHERE id NOT IN (SELECT session FROM heads)";
    let mut genesis = HashMap::new();
    sql::visit_rows(
        connection,
        SESSIONS,
        [],
        |(id, opened_ms, header): (String, u64, String)| {
            let row = run::find_run_row(connection, &id)?;
            let is_headed = match &row {
                Some(row) => row.is_headed(&header) && opened_ms == row.run.created_ms,
                None => header == ledger::chain_header(&id, opened_ms),
            };
            if !is_headed {
                report.fault(&id, 0, "the header was changed");
            }
            if let Some(row) = row
                && !run::is_confirmed(connection, &row)?
            {
                let state = row.run.state.as_str();
                report.fault(
                    &id,
                    0,
                    format!("the run is not `{state}` by its own records"),
                );
            }
            let first = chain::record_hash(&chain::START, &header);
            report.sessions += 1;
            verify_session(connection, &id, first, report)?;
            genesis.insert(id, first);
            Ok::<(), rusqlite::Error>(())
        },
    )?;
    for (sql, message) in [
        (ORPHANS, "the session of these records is missing"),
        (UNLINKED, "no link confirms the session"),
    ] {
        for session in sql::all_rows::<String>(connection, sql, [])? {
            report.fault(&session, 0, message);
        }
    }
    Ok(genesis)
}

/// Approvals are never deleted, so one that a record names must exist, in the state that the records give.
fn verify_approvals(
    connection: &Connection,
    report: &mut VerificationReport,
) -> rusqlite::Result<()> {
    const SQL: &str = "SELECT session, sequence, body ->> '$.approval_id' AS id FROM events
         WHERE body LIKE '%\"approval_id\":\"%' AND json_valid(body) AND id IS NOT NULL
            AND id NOT IN (SELECT id FROM approvals) ORDER BY number";
    for (session, sequence, id) in sql::all_rows::<(String, u64, String)>(connection, SQL, [])? {
        let message = format!("the approval `{id}` that the record names is missing");
        report.fault(&session, sequence, message);
    }
    for fault in grants::find_grant_faults(connection)? {
        report.fault(LINKS, 0, fault);
    }
    for (session, sequence, fault) in workflow::find_log_faults(connection)? {
        report.fault(&session, sequence, fault);
    }
    Ok(())
}

fn verify_session(
    connection: &Connection,
    session: &str,
    first: Hash,
    report: &mut VerificationReport,
) -> rusqlite::Result<()> {
    let sql = RawRecord::sql("FROM events WHERE session = ? ORDER BY sequence");
    let (mut before, mut expected) = (first, 1);
    sql::visit_rows(connection, &sql, [session], |record: RawRecord| {
        report.records += 1;
        if record.sequence != expected {
            let missing = match record.sequence.saturating_sub(expected) {
                0 | 1 => format!("record {expected} is missing"),
                _ => format!("records {expected} to {} are missing", record.sequence - 1),
            };
            report.fault(session, expected, missing);
        } else if chain::record_hash(&before, &record.body) != record.hash {
            let message = "the record, its hash or the hash before it was changed";
            report.fault(session, record.sequence, message);
        }
        // Continuing from the stored hash makes one change one fault.
        before = record.hash;
        expected = record.sequence + 1;
        Ok(())
    })
}

/// Finds the newest cut, which its user signed and a later link must confirm.
fn verify_cut(
    connection: &Connection,
    trusted: Option<&[String]>,
    report: &mut VerificationReport,
) -> rusqlite::Result<()> {
    let Some(found) = cut::newest_cut(connection)? else {
        return Ok(());
    };
    if !found.is_confirmed(connection)? {
        let message = "no link confirms the record of the cut";
        report.fault(&found.session, found.sequence, message);
    }
    if let Some(message) = found.fault(trusted) {
        report.fault(&found.session, found.sequence, message);
    }
    report.cut = Some(found.cut);
    Ok(())
}

/// Verifies the numbers of the records, by which lists are ordered: they rise along each chain, and what was written after a link has
/// a higher one than all that the links up to it confirm.
fn verify_numbers(
    connection: &Connection,
    report: &mut VerificationReport,
) -> rusqlite::Result<()> {
    const FALLING: &str = "SELECT session, sequence FROM (SELECT session, sequence, number,
            lag(number) OVER (PARTITION BY session ORDER BY sequence) AS before FROM events) WHERE before >= number";
    const LINKED: &str = "SELECT heads.session, heads.sequence,
            (SELECT number FROM events WHERE session = heads.session AND sequence = heads.sequence),
            (SELECT number FROM events WHERE session = heads.session AND sequence = heads.sequence + 1)
         FROM heads ORDER BY heads.number";
    const MESSAGE: &str =
        "the number of the record was changed: lists show it at another place than it was written";
    let falling = sql::all_rows::<(String, i64)>(connection, FALLING, [])?;
    for (session, sequence) in falling {
        report.fault(&session, sequence.unsigned_abs(), MESSAGE);
    }
    let mut highest = 0;
    type Row = (String, i64, Option<i64>, Option<i64>);
    for (session, sequence, confirmed, next) in sql::all_rows::<Row>(connection, LINKED, [])? {
        highest = confirmed.unwrap_or(0).max(highest);
        if next.is_some_and(|next| next < highest) {
            report.fault(&session, sequence.unsigned_abs() + 1, MESSAGE);
        }
    }
    Ok(())
}

fn verify_links(
    connection: &Connection,
    genesis: &Genesis,
    report: &mut VerificationReport,
) -> rusqlite::Result<()> {
    let sql = Link::sql("FROM heads ORDER BY number");
    let cut = report.cut.as_ref();
    let (mut before, mut expected) =
        cut.map_or((chain::START, 1), |cut| (cut.hash(), cut.link + 1));
    sql::visit_rows(connection, &sql, [], |link: Link| {
        let Link {
            number,
            session,
            sequence,
            ..
        } = &link;
        if *number != expected {
            let message = match report.cut {
                None if expected == 1 => format!(
                    "links 1 to {} are missing, and no record of a cut says that they were pruned",
                    number - 1
                ),
                Some(_) if *number < expected => format!("link {number} is older than the cut"),
                _ => format!("link {expected} is missing"),
            };
            report.fault(LINKS, expected, message);
        } else if chain::link_hash(&before, session, *sequence, &link.hash) != link.link {
            report.fault(LINKS, *number, "the link or the one before it was changed");
        }
        match hash_at(connection, session, *sequence, genesis)? {
            Some(hash) if hash == link.hash => {}
            found => report.fault(
                session,
                *sequence,
                match found {
                    None => {
                        format!("records are missing: link {number} confirms number {sequence}")
                    }
                    Some(_) => {
                        format!("the chain differs from the one that link {number} confirms")
                    }
                },
            ),
        }
        report.head = Some(LedgerHead {
            session: LINKS.to_owned(),
            sequence: *number,
            hash: chain::format_hex_hash(&link.link),
        });
        before = link.link;
        expected = number + 1;
        Ok(())
    })
}

fn hash_at(
    connection: &Connection,
    session: &str,
    sequence: u64,
    genesis: &Genesis,
) -> rusqlite::Result<Option<Hash>> {
    match sequence {
        0 => Ok(genesis.get(session).copied()),
        _ => hash_of_event(connection, session, sequence),
    }
}

fn verify_published(
    connection: &Connection,
    head: &LedgerHead,
    genesis: &Genesis,
    report: &mut VerificationReport,
) -> rusqlite::Result<()> {
    const LINK: &str = "SELECT link FROM heads WHERE number = ?";
    let LedgerHead {
        session,
        sequence,
        hash,
    } = head;
    let found: Option<Hash> = match &**session {
        LINKS => sql::first_row(connection, LINK, [*sequence as i64])?,
        session => hash_at(connection, session, *sequence, genesis)?,
    };
    match found {
        Some(found) if chain::format_hex_hash(&found) == *hash => {}
        None if report.cut.as_ref().is_some_and(|cut| cut.names(head, LINKS)) => {}
        None if report.cut.is_some() => report.fault(session, *sequence,
            "the published head is missing: it may be older than the cut, which an export from before it shows"
        ),
        Some(_) => report.fault(session, *sequence, "the chain differs from the published head"),
        None => report.fault(session, *sequence, format!(
            "the published head is missing: the newest records up to number {sequence} were cut off"
        )),
    }
    Ok(())
}
