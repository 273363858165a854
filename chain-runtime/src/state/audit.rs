//! The operator's view of the audit: list, show, verify, export.

use std::collections::HashMap;
use std::io::Write;

use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension, Row, TransactionBehavior, params};
use tool_core::capability::LedgerHead;
use tool_core::{ErrorCode, ToolError, Value, json};

use super::chain::{self, Hash};
use super::{State, run};

/// One record of the audit.
#[derive(Debug, Clone, PartialEq)]
pub struct AuditRecord {
    /// Name of the chain.
    pub session: String,
    /// Number in the chain, from 1.
    pub sequence: u64,
    /// Its hash, 64 hex digits.
    pub hash: String,
    /// The record, with the time it was recorded (`recorded_ms`).
    pub record: Value,
}

/// Something that is not as it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// Name of the chain; `*` for the links between sessions.
    pub session: String,
    /// Number of the record or link; 0 for the chain's beginning.
    pub sequence: u64,
    /// What is wrong.
    pub message: String,
}

/// What a verification found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verification {
    /// Chains looked at.
    pub sessions: u64,
    /// Records looked at.
    pub records: u64,
    /// The newest link between sessions: keep it elsewhere, and [`State::verify`] later finds even a cut tail or a replaced
    /// file. `None` when there is no record yet.
    pub head: Option<LedgerHead>,
    /// What is wrong; empty means that all is as it was written. At most [`Verification::FAULTS_MAX`].
    pub faults: Vec<Fault>,
}

impl Verification {
    /// Most faults reported.
    pub const FAULTS_MAX: usize = 100;

    /// Whether all is as it was written.
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

/// A head as text, `session:sequence:hash`.
pub fn head_text(head: &LedgerHead) -> String {
    format!("{}:{}:{}", head.session, head.sequence, head.hash)
}

/// Reads a head's text back.
///
/// # Errors
/// `invalid_args` when it is not of the form.
pub fn parse_head(text: &str) -> Result<LedgerHead, ToolError> {
    let parts: Vec<&str> = text.trim().split(':').collect();
    if let [session, sequence, hash] = parts[..]
        && let Ok(sequence) = sequence.parse()
        && hash.len() == 64
        && hash.bytes().all(|byte| byte.is_ascii_hexdigit())
    {
        return Ok(LedgerHead {
            session: session.to_owned(),
            sequence,
            hash: hash.to_ascii_lowercase(),
        });
    }
    Err(ToolError::new(
        ErrorCode::InvalidArgs,
        format_args!("expected a head `session:sequence:hash`, found `{text}`"),
    )
    .reason("head")
    .hint("`mathchain audit verify` prints one"))
}

impl State {
    /// The newest records, newest first: of one session (or the sessions that begin so), or of all.
    ///
    /// # Errors
    /// `tool_error` when the state cannot be read.
    pub fn audit_list(
        &self,
        session: Option<&str>,
        count_max: usize,
    ) -> Result<Vec<AuditRecord>, ToolError> {
        self.flush()?;
        let core = self.shared.lock();
        let sql = "SELECT session, sequence, hash, body FROM events
                   WHERE substr(session, 1, length(?1)) = ?1 ORDER BY number DESC LIMIT ?2";
        let limit = i64::try_from(count_max).unwrap_or(i64::MAX);
        let rows = core.connection.prepare_cached(sql).and_then(|mut query| {
            query
                .query_map(params![session.unwrap_or(""), limit], read_row)?
                .collect::<rusqlite::Result<Vec<_>>>()
        });
        rows.map_err(|err| self.shared.fail("list the audit", &err))?
            .into_iter()
            .map(|row| self.parsed(row))
            .collect()
    }

    /// One record: by `session:sequence` (any unique beginning of the session will do), or the newest with that `call_id`.
    ///
    /// # Errors
    /// `invalid_args` when there is none.
    pub fn audit_show(&self, name: &str) -> Result<AuditRecord, ToolError> {
        self.flush()?;
        let core = self.shared.lock();
        let connection = &core.connection;
        let place = name
            .split(':')
            .nth(1)
            .and_then(|sequence| sequence.parse::<i64>().ok());
        let row = match place {
            Some(sequence) => {
                let session = name.split(':').next().unwrap_or_default();
                let sql = "SELECT session, sequence, hash, body FROM events
                           WHERE substr(session, 1, length(?1)) = ?1 AND sequence = ?2 ORDER BY number DESC LIMIT 2";
                connection
                    .prepare_cached(sql)
                    .and_then(|mut query| {
                        query
                            .query_map(params![session, sequence], read_row)?
                            .collect::<rusqlite::Result<Vec<_>>>()
                    })
                    .map(|mut rows| if rows.len() == 1 { rows.pop() } else { None })
            }
            None => {
                let sql = "SELECT session, sequence, hash, body FROM events
                           WHERE json_extract(body, '$.call_id') = ? ORDER BY number DESC LIMIT 1";
                connection
                    .prepare_cached(sql)
                    .and_then(|mut query| query.query_row([name], read_row).optional())
            }
        };
        let row = row.map_err(|err| self.shared.fail("read the audit", &err))?;
        let row = row.ok_or_else(|| {
            ToolError::new(
                ErrorCode::InvalidArgs,
                format_args!("`{name}` names no record, or more than one"),
            )
            .reason("unknown_record")
            .hint("`mathchain audit list` shows session, number and call id of each")
        })?;
        self.parsed(row)
    }

    /// Checks every chain, the links between them, and that each published head is still part of them.
    ///
    /// A changed byte, a missing record and a missing session are found by themselves; that the newest records were cut off, or
    /// that the whole file was written anew, only against a head that was kept elsewhere.
    ///
    /// # Errors
    /// `tool_error` with reason `state_corrupt` when the file cannot be read at all.
    pub fn verify(&self, published: &[LedgerHead]) -> Result<Verification, ToolError> {
        self.flush()?;
        let core = self.shared.lock();
        // One transaction, so that what others write meanwhile does not look like a fault.
        let verify = || {
            let snapshot = rusqlite::Transaction::new_unchecked(
                &core.connection,
                TransactionBehavior::Deferred,
            )?;
            verify_all(&snapshot, published)
        };
        verify().map_err(|err| self.shared.fail("verify the audit", &err))
    }

    /// Writes sessions, records and links as JSON Lines, in the order they were recorded; every line carries what its hash
    /// covers, so that the chains can be checked without this program.
    ///
    /// # Errors
    /// `tool_error` when the state cannot be read or the output not written.
    pub fn export(&self, out: &mut dyn Write) -> Result<u64, ToolError> {
        self.export_chain(None, out)
    }

    /// As [`State::export`], of one chain.
    ///
    /// # Errors
    /// As [`State::export`].
    pub fn export_chain(
        &self,
        session: Option<&str>,
        out: &mut dyn Write,
    ) -> Result<u64, ToolError> {
        self.flush()?;
        let core = self.shared.lock();
        let fail = |err: rusqlite::Error| self.shared.fail("export the audit", &err);
        let snapshot =
            rusqlite::Transaction::new_unchecked(&core.connection, TransactionBehavior::Deferred)
                .map_err(fail)?;
        let mut lines = 0;
        for (sql, line) in EXPORTS {
            let mut query = snapshot.prepare(sql).map_err(fail)?;
            let mut rows = query.query([session]).map_err(fail)?;
            while let Some(row) = rows.next().map_err(fail)? {
                let text = line(row).map_err(fail)?;
                writeln!(out, "{text}").map_err(|err| {
                    ToolError::new(
                        ErrorCode::ToolError,
                        format_args!("cannot write the export: {err}"),
                    )
                    .reason("io")
                })?;
                lines += 1;
            }
        }
        Ok(lines)
    }

    pub(super) fn parsed(&self, row: RawRecord) -> Result<AuditRecord, ToolError> {
        let record = json::parse(&row.body, json::Limits::default()).map_err(|err| {
            ToolError::new(
                ErrorCode::ToolError,
                format_args!(
                    "record {}:{} in `{}` is damaged: {err}",
                    row.session,
                    row.sequence,
                    self.shared.file.display()
                ),
            )
            .reason("state_corrupt")
            .hint("`mathchain audit verify` shows what else is")
        })?;
        Ok(AuditRecord {
            session: row.session,
            sequence: row.sequence,
            hash: chain::hex(&row.hash),
            record,
        })
    }
}

type ExportLine = fn(&Row<'_>) -> rusqlite::Result<String>;

/// What an export holds: queries and the line of each row. Bodies are canonical JSON already.
const EXPORTS: [(&str, ExportLine); 3] = [
    (
        "SELECT id, header FROM sessions WHERE ?1 IS NULL OR id = ?1 ORDER BY opened_ms, id",
        |row| {
            let (id, header) = (text_at(row, 0)?, text_at(row, 1)?);
            Ok(format!(
                r#"{{"type":"session","session":{},"header":{header}}}"#,
                Value::from(id)
            ))
        },
    ),
    (
        "SELECT session, sequence, hash, body FROM events WHERE ?1 IS NULL OR session = ?1 ORDER BY number",
        |row| {
            let row = read_row(row)?;
            Ok(format!(
                r#"{{"type":"record","session":{},"sequence":{},"hash":"{}","record":{}}}"#,
                Value::from(row.session),
                row.sequence,
                chain::hex(&row.hash),
                row.body
            ))
        },
    ),
    (
        "SELECT number, session, sequence, hash, link FROM heads WHERE ?1 IS NULL OR session = ?1 ORDER BY number",
        |row| {
            let link = Link::read(row)?;
            Ok(format!(
                r#"{{"type":"head","number":{},"session":{},"sequence":{},"hash":"{}","link":"{}"}}"#,
                link.number,
                Value::from(link.session),
                link.sequence,
                chain::hex(&link.hash),
                chain::hex(&link.link)
            ))
        },
    ),
];

/// A record as it stands in the file.
pub(super) struct RawRecord {
    session: String,
    sequence: u64,
    hash: Hash,
    body: String,
}

pub(super) fn read_row(row: &Row<'_>) -> rusqlite::Result<RawRecord> {
    Ok(RawRecord {
        session: text_at(row, 0)?,
        sequence: number_at(row, 1)?,
        hash: hash_in(row, 2)?,
        body: text_at(row, 3)?,
    })
}

/// A text, whatever its bytes: one that is damaged must come as far as the check of its hash, which it fails.
fn text_at(row: &Row<'_>, column: usize) -> rusqlite::Result<String> {
    Ok(String::from_utf8_lossy(bytes_at(row, column)?).into_owned())
}

/// A hash; one of another length is no hash of anything.
fn hash_in(row: &Row<'_>, column: usize) -> rusqlite::Result<Hash> {
    Ok(bytes_at(row, column)?.try_into().unwrap_or([0; 32]))
}

fn bytes_at<'a>(row: &'a Row<'_>, column: usize) -> rusqlite::Result<&'a [u8]> {
    Ok(match row.get_ref(column)? {
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => bytes,
        _ => &[],
    })
}

fn number_at(row: &Row<'_>, column: usize) -> rusqlite::Result<u64> {
    Ok(match row.get_ref(column)? {
        ValueRef::Integer(number) => number.unsigned_abs(),
        _ => 0,
    })
}

/// A row of the table of heads.
struct Link {
    number: u64,
    session: String,
    sequence: u64,
    hash: Hash,
    link: Hash,
}

impl Link {
    fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            number: number_at(row, 0)?,
            session: text_at(row, 1)?,
            sequence: number_at(row, 2)?,
            hash: hash_in(row, 3)?,
            link: hash_in(row, 4)?,
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
        head: None,
        faults: Vec::new(),
    };
    verify_file(connection, &mut report)?;
    let genesis = verify_sessions(connection, &mut report)?;
    verify_links(connection, &genesis, &mut report)?;
    for head in published {
        verify_published(connection, head, &genesis, &mut report)?;
    }
    Ok(report)
}

/// SQLite's own check: damage that the chains cannot see, such as a broken index.
fn verify_file(connection: &Connection, report: &mut Verification) -> rusqlite::Result<()> {
    let mut query = connection.prepare("PRAGMA integrity_check(10)")?;
    let mut rows = query.query([])?;
    while let Some(row) = rows.next()? {
        let message: String = row.get(0)?;
        if message != "ok" {
            report.fault(LINKS, 0, format!("the file is damaged: {message}"));
        }
    }
    Ok(())
}

/// Every session from its header to its newest record; gives the first hash of each.
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
        let expected = match &row {
            Some(row) => row.header(),
            None => json::canonical(&Value::object([
                ("opened_ms", Value::from(opened_ms)),
                ("session", Value::from(id.as_str())),
            ])),
        };
        if header != expected {
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

fn texts(connection: &Connection, sql: &str) -> rusqlite::Result<Vec<String>> {
    let mut query = connection.prepare(sql)?;
    query.query_map([], |row| text_at(row, 0))?.collect()
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
        // The stored hash leads on, so that one change is one fault.
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
    connection
        .prepare_cached("SELECT hash FROM events WHERE session = ? AND sequence = ?")?
        .query_row(params![session, sequence as i64], |row| hash_in(row, 0))
        .optional()
}

fn verify_published(
    connection: &Connection,
    head: &LedgerHead,
    genesis: &HashMap<String, Hash>,
    report: &mut Verification,
) -> rusqlite::Result<()> {
    let found: Option<Hash> = if head.session == LINKS {
        connection
            .prepare_cached("SELECT link FROM heads WHERE number = ?")?
            .query_row([head.sequence as i64], |row| hash_in(row, 0))
            .optional()?
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
