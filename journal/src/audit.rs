//! The operator's view of the audit log: list, show, export; and the records of calls and plans, for diagnoses.

use std::io::Write;
use std::sync::Arc;

use rusqlite::{Connection, Row, Transaction, TransactionBehavior, params};
use serde::Serialize;
use tool_core::capability::LedgerHead;
use tool_core::{ErrorCode, Result, ToolError, Value, json, tool_error};

use super::chain;
use super::run::LISTS_KEY;
use super::sql::{self, Columns, Failure, Hash, row_structs};
use super::state::State;
use crate::artifacts::Handle;

/// One record of the audit log.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AuditRecord {
    /// Name of the chain: a session, or the id of a run.
    pub session: String,
    /// Number in the chain, from 1.
    pub sequence: u64,
    /// BLAKE3 hash, 64 hex digits.
    pub hash: String,
    /// The record, with the time it was recorded (`recorded_ms`).
    pub record: Value,
}

/// Parses a head: `session:sequence:hash`.
///
/// # Errors
/// `invalid_args` for any other form.
pub fn parse_head(text: &str) -> Result<LedgerHead> {
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
    Err(tool_error!(InvalidArgs, "head";
        "expected a head `session:sequence:hash`, found `{text}`";
        "`mathchain audit verify` prints one"))
}

impl State {
    /// Lists the newest records of the sessions with a prefix, or of all; newest first.
    ///
    /// # Errors
    /// `tool_error` when the state cannot be read.
    pub fn audit_list(&self, session: Option<&str>, count_max: usize) -> Result<Vec<AuditRecord>> {
        const SQL: &str = "SELECT session, sequence, hash, body FROM events
             WHERE substr(session, 1, length(?1)) = ?1 ORDER BY number DESC LIMIT ?2";
        self.flush()?;
        let params = params![session.unwrap_or(""), sql::limit(count_max)];
        let rows = self.shared.select("list the audit log", SQL, params)?;
        rows.into_iter().map(|row| self.parsed(row)).collect()
    }

    /// Finds one record: by `session:sequence` (a unique prefix of the session suffices), or the newest with that `call_id`.
    ///
    /// # Errors
    /// `invalid_args` when there is none.
    pub fn audit_show(&self, name: &str) -> Result<AuditRecord> {
        const BY_PLACE: &str = "SELECT session, sequence, hash, body FROM events
             WHERE substr(session, 1, length(?1)) = ?1 AND sequence = ?2 ORDER BY number DESC LIMIT 2";
        const BY_CALL: &str = "SELECT session, sequence, hash, body FROM events
             WHERE json_extract(body, '$.call_id') = ? ORDER BY number DESC LIMIT 1";
        self.flush()?;
        let place = name.split_once(':').and_then(|(session, sequence)| {
            let sequence = sequence.split(':').next()?.parse::<i64>().ok()?;
            Some((session, sequence))
        });
        let row = self
            .shared
            .read("read the audit log", |connection| match place {
                Some(place) => {
                    let mut rows = sql::rows(connection, BY_PLACE, place)?;
                    Ok(if rows.len() == 1 { rows.pop() } else { None })
                }
                None => Ok(sql::row(connection, BY_CALL, [name])?),
            })?;
        let row = row.ok_or_else(|| {
            tool_error!(InvalidArgs, "`{name}` names no record, or more than one")
                .reason("unknown_record")
                .hint("`mathchain audit list` shows session, number and call id of each")
        })?;
        self.parsed(row)
    }

    /// Writes sessions, records and links of one chain, or of all, as JSON Lines in the order of recording, and returns the number of lines. Every line has all
    /// that its hash covers, so that the chains can be verified without this program.
    ///
    /// # Errors
    /// `tool_error` when the state cannot be read or the output cannot be written.
    pub fn export(&self, session: Option<&str>, out: &mut dyn Write) -> Result<u64> {
        self.flush()?;
        self.shared.read("export the audit log", |connection| {
            let snapshot = Transaction::new_unchecked(connection, TransactionBehavior::Deferred)?;
            let mut lines = 0;
            for (sql, line) in EXPORTS {
                let mut query = snapshot.prepare(sql)?;
                let mut rows = query.query([session])?;
                while let Some(row) = rows.next()? {
                    lines += 1;
                    writeln!(out, "{}", line(row)?).map_err(|err| {
                        let message = format_args!("cannot write the export: {err}");
                        Failure::from(ToolError::new(ErrorCode::ToolError, message).reason("io"))
                    })?;
                }
            }
            Ok(lines)
        })
    }

    /// Reads records of calls and plans: first all of one run, of any age, then those since a time, newest first.
    ///
    /// # Errors
    /// `tool_error` when the state cannot be read.
    pub fn calls_and_plans(
        &self,
        run: Option<&str>,
        since_ms: u64,
        count_max: usize,
    ) -> Result<Vec<AuditRecord>> {
        const SQL: &str = "SELECT session, sequence, hash, body FROM events
             WHERE json_extract(body, '$.kind') IN ('call', 'chain')
                 AND (session = ?1 OR json_extract(body, '$.recorded_ms') >= ?2)
             ORDER BY session = ?1 DESC, number DESC LIMIT ?3";
        self.flush()?;
        let since_ms = i64::try_from(since_ms).unwrap_or(i64::MAX);
        let params = params![run.unwrap_or(""), since_ms, sql::limit(count_max)];
        let rows = self.shared.select("read the journal", SQL, params)?;
        let whole = |row| {
            let mut record = self.parsed(row)?;
            record.record = self.with_lists(&record.record);
            Ok(record)
        };
        rows.into_iter().map(whole).collect()
    }

    /// Completes the record of a chain with the lists that are stored apart; without them where they were collected.
    pub fn with_lists(&self, record: &Value) -> Value {
        let handle = record.get(LISTS_KEY).and_then(Handle::from_value);
        let lists = handle.and_then(|handle| self.value(&handle).ok());
        let lists = lists.as_ref().and_then(Value::as_object);
        let (Some(members), Some(lists)) = (record.as_object(), lists) else {
            return record.clone();
        };
        let mut members = members.clone();
        for (key, list) in lists.iter() {
            members.insert(key, list.clone());
        }
        Value::Object(Arc::new(members))
    }

    fn parsed(&self, row: RawRecord) -> Result<AuditRecord> {
        let record = json::parse(&row.body, json::Limits::default()).map_err(|err| {
            let (session, sequence, file) =
                (&row.session, row.sequence, self.shared.file.display());
            tool_error!(ToolError, "state_corrupt";
                "record {session}:{sequence} in `{file}` is damaged: {err}";
                "`mathchain audit verify` shows all damage")
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

/// The queries of an export and the line of each row. Bodies are canonical JSON already.
const EXPORTS: [(&str, ExportLine); 3] = [
    (
        "SELECT id, header FROM sessions WHERE ?1 IS NULL OR id = ?1 ORDER BY opened_ms, id",
        |row| {
            let (id, header) = <(String, String)>::read(row)?;
            let id = Value::from(id);
            Ok(format!(
                r#"{{"type":"session","session":{id},"header":{header}}}"#
            ))
        },
    ),
    (
        "SELECT session, sequence, hash, body FROM events WHERE ?1 IS NULL OR session = ?1 ORDER BY number",
        |row| {
            let RawRecord {
                session,
                sequence,
                hash,
                body,
            } = RawRecord::read(row)?;
            let (session, hash) = (Value::from(session), chain::hex(&hash));
            Ok(format!(
                r#"{{"type":"record","session":{session},"sequence":{sequence},"hash":"{hash}","record":{body}}}"#
            ))
        },
    ),
    (
        "SELECT number, session, sequence, hash, link FROM heads WHERE ?1 IS NULL OR session = ?1 ORDER BY number",
        |row| {
            let Link {
                number,
                session,
                sequence,
                hash,
                link,
            } = Link::read(row)?;
            let (session, hash, link) =
                (Value::from(session), chain::hex(&hash), chain::hex(&link));
            Ok(format!(
                r#"{{"type":"head","number":{number},"session":{session},"sequence":{sequence},"hash":"{hash}","link":"{link}"}}"#
            ))
        },
    ),
];

row_structs! {
    /// A row of the table of events.
    pub(super) RawRecord {
        pub(super) session: String,
        pub(super) sequence: u64,
        pub(super) hash: Hash,
        pub(super) body: String,
    }

    /// A row of the table of heads.
    pub(super) Link {
        pub(super) number: u64,
        pub(super) session: String,
        pub(super) sequence: u64,
        pub(super) hash: Hash,
        pub(super) link: Hash,
    }
}

/// The hash of a record, by its number from 1.
pub(super) fn hash_of_event(
    connection: &Connection,
    session: &str,
    sequence: u64,
) -> rusqlite::Result<Option<Hash>> {
    const SQL: &str = "SELECT hash FROM events WHERE session = ? AND sequence = ?";
    sql::row(connection, SQL, params![session, sequence as i64])
}
