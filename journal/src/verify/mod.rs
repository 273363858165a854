//! Verification of every chain, the links between them, externally stored heads, and the values that runs refer to.

mod values;

use std::collections::HashMap;

use rusqlite::{Connection, Transaction, TransactionBehavior};
use tool_core::ToolError;
use tool_core::capability::LedgerHead;

use super::audit::{Link, hash_in, hash_of_event, number_at, read_row, text_at};
use super::chain::{self, Hash};
use super::state::State;
use super::{grants, ledger, run, sql};

/// A deviation from the records as they were written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// Name of the chain; `*` for the links between chains.
    pub session: String,
    /// Number of the record or link; 0 for the chain's beginning.
    pub sequence: u64,
    /// Description of the fault.
    pub message: String,
}

/// The report of a verification.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verification {
    /// Number of chains verified.
    pub sessions: u64,
    /// Number of records verified.
    pub records: u64,
    /// Number of values verified, each once; `None` where they were skipped.
    pub values: Option<u64>,
    /// The newest link. Stored elsewhere, it lets a later [`State::verify`] detect removed newest records and a replaced file. `None`
    /// before the first record.
    pub head: Option<LedgerHead>,
    /// The faults, at most [`Verification::FAULTS_MAX`]; empty for a sound state.
    pub faults: Vec<Fault>,
}

impl Verification {
    /// Most faults reported.
    pub const FAULTS_MAX: usize = 100;

    /// Whether there are no faults.
    pub fn is_sound(&self) -> bool {
        self.faults.is_empty()
    }

    fn fault(&mut self, session: &str, sequence: u64, message: impl Into<String>) {
        if self.faults.len() < Self::FAULTS_MAX {
            self.faults.push(Fault {
                session: session.to_owned(),
                sequence,
                message: message.into(),
            });
        }
    }
}

/// Name of the chain of links in a head.
const LINKS: &str = "*";

impl State {
    /// Verifies every chain, the links between them, that each published head is still part of them, and the values that runs refer to.
    ///
    /// Changed bytes, missing records and missing sessions are detected from the file alone; removed newest records or a replaced file
    /// only against a head that was stored elsewhere.
    ///
    /// # Errors
    /// `tool_error` with reason `state_corrupt` when the file cannot be read at all.
    pub fn verify(&self, published: &[LedgerHead]) -> Result<Verification, ToolError> {
        self.verify_with(published, true)
    }

    /// As [`State::verify`]; without values the cost is linear in the records alone.
    ///
    /// # Errors
    /// As [`State::verify`].
    pub fn verify_with(
        &self,
        published: &[LedgerHead],
        values: bool,
    ) -> Result<Verification, ToolError> {
        self.flush()?;
        self.shared.read("verify the audit log", |connection| {
            // One transaction, so that concurrent writes do not look like faults.
            let snapshot = Transaction::new_unchecked(connection, TransactionBehavior::Deferred)?;
            let mut report = verify_all(&snapshot, published)?;
            if values {
                values::verify(&snapshot, &self.shared.folder, &mut report)?;
            }
            Ok(report)
        })
    }
}

pub(super) fn verify_all(
    connection: &Connection,
    published: &[LedgerHead],
) -> rusqlite::Result<Verification> {
    let mut report = Verification {
        sessions: 0,
        records: 0,
        values: None,
        head: None,
        faults: Vec::new(),
    };
    verify_file(connection, &mut report)?;
    let genesis = verify_sessions(connection, &mut report)?;
    verify_approvals(connection, &mut report)?;
    verify_links(connection, &genesis, &mut report)?;
    for head in published {
        verify_published(connection, head, &genesis, &mut report)?;
    }
    Ok(report)
}

/// Runs SQLite's own check, for damage that the chains do not cover, such as a broken index.
fn verify_file(connection: &Connection, report: &mut Verification) -> rusqlite::Result<()> {
    for message in texts(connection, "PRAGMA integrity_check(10)")? {
        if message != "ok" {
            report.fault(LINKS, 0, format!("the file is damaged: {message}"));
        }
    }
    Ok(())
}

/// Verifies every chain from its header to its newest record; returns the first hash of each.
fn verify_sessions(
    connection: &Connection,
    report: &mut Verification,
) -> rusqlite::Result<HashMap<String, Hash>> {
    let mut genesis = HashMap::new();
    let mut query = connection.prepare("SELECT id, opened_ms, header FROM sessions")?;
    let mut rows = query.query([])?;
    while let Some(row) = rows.next()? {
        let (id, opened_ms, header) = (text_at(row, 0)?, number_at(row, 1)?, text_at(row, 2)?);
        let row = run::row(connection, &id)?;
        let is_headed = match &row {
            Some(row) => row.is_headed(&header),
            None => header == ledger::header(&id, opened_ms),
        };
        let began_ms = row.as_ref().map_or(opened_ms, |row| row.run.created_ms);
        if !is_headed || opened_ms != began_ms {
            report.fault(&id, 0, "the header was changed");
        }
        if let Some(row) = row
            && !run::is_told(connection, &row)?
        {
            let message = format!("the run is not `{}` by its own records", row.state.as_str());
            report.fault(&id, 0, message);
        }
        let first = chain::record_hash(&chain::START, &header);
        report.sessions += 1;
        verify_session(connection, &id, first, report)?;
        genesis.insert(id, first);
    }
    let orphans =
        "SELECT DISTINCT session FROM events WHERE session NOT IN (SELECT id FROM sessions)";
    for session in texts(connection, orphans)? {
        report.fault(&session, 0, "the session of these records is missing");
    }
    let unlinked = "SELECT id FROM sessions WHERE id NOT IN (SELECT session FROM heads)";
    for session in texts(connection, unlinked)? {
        report.fault(&session, 0, "no link vouches for the session");
    }
    Ok(genesis)
}

/// Approvals are never deleted, so one that a record names must exist, in the state that the records give.
fn verify_approvals(connection: &Connection, report: &mut Verification) -> rusqlite::Result<()> {
    const SQL: &str = "SELECT session, sequence, body ->> '$.approval_id' AS id FROM events
         WHERE body LIKE '%\"approval_id\":\"%' AND json_valid(body) AND id IS NOT NULL
            AND id NOT IN (SELECT id FROM approvals) ORDER BY number";
    sql::each(connection, SQL, [], |row| {
        let id = text_at(row, 2)?;
        let message = format!("the approval `{id}` that the record names is missing");
        report.fault(&text_at(row, 0)?, number_at(row, 1)?, message);
        Ok::<(), rusqlite::Error>(())
    })?;
    for fault in grants::faults(connection)? {
        report.fault(LINKS, 0, fault);
    }
    Ok(())
}

fn texts(connection: &Connection, sql: &str) -> rusqlite::Result<Vec<String>> {
    sql::rows(connection, sql, [], |row| text_at(row, 0))
}

fn verify_session(
    connection: &Connection,
    session: &str,
    first: Hash,
    report: &mut Verification,
) -> rusqlite::Result<()> {
    let mut query = connection.prepare_cached(
        "SELECT session, sequence, hash, body FROM events WHERE session = ? ORDER BY sequence",
    )?;
    let mut rows = query.query([session])?;
    let (mut before, mut expected) = (first, 1);
    while let Some(row) = rows.next()? {
        let record = read_row(row)?;
        report.records += 1;
        if record.sequence != expected {
            let missing = match record.sequence.saturating_sub(expected) {
                0 | 1 => format!("record {expected} is missing"),
                _ => format!("records {expected} to {} are missing", record.sequence - 1),
            };
            report.fault(session, expected, missing);
        } else if chain::record_hash(&before, &record.body) != record.hash {
            report.fault(
                session,
                record.sequence,
                "the record, its hash or the hash before it was changed",
            );
        }
        // Continuing from the stored hash makes one change one fault.
        before = record.hash;
        expected = record.sequence + 1;
    }
    Ok(())
}

fn verify_links(
    connection: &Connection,
    genesis: &HashMap<String, Hash>,
    report: &mut Verification,
) -> rusqlite::Result<()> {
    let mut query = connection
        .prepare("SELECT number, session, sequence, hash, link FROM heads ORDER BY number")?;
    let mut rows = query.query([])?;
    let (mut before, mut expected) = (chain::START, 1);
    while let Some(row) = rows.next()? {
        let link = Link::read(row)?;
        if link.number != expected {
            report.fault(LINKS, expected, format!("link {expected} is missing"));
        } else if chain::link_hash(&before, &link.session, link.sequence, &link.hash) != link.link {
            report.fault(
                LINKS,
                link.number,
                "the link or the one before it was changed",
            );
        }
        match hash_at(connection, &link.session, link.sequence, genesis)? {
            None => report.fault(
                &link.session,
                link.sequence,
                format!(
                    "records are missing: link {} vouches for number {}",
                    link.number, link.sequence
                ),
            ),
            Some(hash) if hash != link.hash => report.fault(
                &link.session,
                link.sequence,
                format!(
                    "the chain differs from what link {} vouches for",
                    link.number
                ),
            ),
            Some(_) => {}
        }
        report.head = Some(LedgerHead {
            session: LINKS.to_owned(),
            sequence: link.number,
            hash: chain::hex(&link.link),
        });
        before = link.link;
        expected = link.number + 1;
    }
    Ok(())
}

fn hash_at(
    connection: &Connection,
    session: &str,
    sequence: u64,
    genesis: &HashMap<String, Hash>,
) -> rusqlite::Result<Option<Hash>> {
    if sequence == 0 {
        return Ok(genesis.get(session).copied());
    }
    hash_of_event(connection, session, sequence)
}

fn verify_published(
    connection: &Connection,
    head: &LedgerHead,
    genesis: &HashMap<String, Hash>,
    report: &mut Verification,
) -> rusqlite::Result<()> {
    let found: Option<Hash> = if head.session == LINKS {
        const SQL: &str = "SELECT link FROM heads WHERE number = ?";
        sql::row(connection, SQL, [head.sequence as i64], |row| {
            hash_in(row, 0)
        })?
    } else {
        hash_at(connection, &head.session, head.sequence, genesis)?
    };
    match found {
        None => report.fault(
            &head.session,
            head.sequence,
            format!(
                "the published head is missing: the newest records up to number {} were cut off",
                head.sequence
            ),
        ),
        Some(hash) if chain::hex(&hash) != head.hash => report.fault(
            &head.session,
            head.sequence,
            "the chain differs from the published head",
        ),
        Some(_) => {}
    }
    Ok(())
}
