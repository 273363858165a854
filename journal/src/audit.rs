//! The operator's view of the audit: list, show, export.

use std::io::Write;

use rusqlite::types::ValueRef;
use rusqlite::{OptionalExtension, Row, TransactionBehavior, params};
use tool_core::capability::LedgerHead;
use tool_core::{ErrorCode, ToolError, Value, json};

use super::State;
use super::chain::{self, Hash};

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
    pub(super) session: String,
    pub(super) sequence: u64,
    pub(super) hash: Hash,
    pub(super) body: String,
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
pub(super) fn text_at(row: &Row<'_>, column: usize) -> rusqlite::Result<String> {
    Ok(String::from_utf8_lossy(bytes_at(row, column)?).into_owned())
}

/// A hash; one of another length is no hash of anything.
pub(super) fn hash_in(row: &Row<'_>, column: usize) -> rusqlite::Result<Hash> {
    Ok(bytes_at(row, column)?.try_into().unwrap_or([0; 32]))
}

fn bytes_at<'a>(row: &'a Row<'_>, column: usize) -> rusqlite::Result<&'a [u8]> {
    Ok(match row.get_ref(column)? {
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => bytes,
        _ => &[],
    })
}

pub(super) fn number_at(row: &Row<'_>, column: usize) -> rusqlite::Result<u64> {
    Ok(match row.get_ref(column)? {
        ValueRef::Integer(number) => number.unsigned_abs(),
        _ => 0,
    })
}

/// A row of the table of heads.
pub(super) struct Link {
    pub(super) number: u64,
    pub(super) session: String,
    pub(super) sequence: u64,
    pub(super) hash: Hash,
    pub(super) link: Hash,
}

impl Link {
    pub(super) fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            number: number_at(row, 0)?,
            session: text_at(row, 1)?,
            sequence: number_at(row, 2)?,
            hash: hash_in(row, 3)?,
            link: hash_in(row, 4)?,
        })
    }
}
