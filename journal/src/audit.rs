//! The operator's view of the audit log: list, show, export; and the records of calls and plans, for diagnoses.

use std::collections::HashMap;
use std::io::Write;
use std::sync::Arc;

use registry::WorkspaceId;
use rusqlite::{Connection, Params, Row, Transaction, TransactionBehavior, params};
use tool_core::capability::LedgerHead;
use tool_core::{Encode, ErrorCode, Result, ToolError, Value, json, object, tool_error};

use super::run::LISTS_KEY;
use super::scope::StateScope;
use super::sql::{self, Done, Hash, SqlColumns, SqlError, row_structs};
use super::state::StateStore;
use super::{chain, folders, packs};
use crate::artifacts::{ArtifactHandle, ArtifactHash};

/// One record of the audit log.
#[derive(Debug, Clone, PartialEq, Encode)]
pub struct AuditRecord {
    /// Name of the chain: a session, or the id of a run.
    pub session: String,
    /// Number in the chain, from 1.
    pub sequence: u64,
    /// BLAKE3 hash, 64 hex digits.
    pub hash: String,
    /// The record, with the time it was recorded (`recorded_ms`).
    pub record: Value,
    /// Root of the workspace of the chain, in lists where it is known.
    #[value(skip_encoding_if = "Option::is_none")]
    pub folder: Option<String>,
}

/// Which records are wanted: those with all that is given.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AuditFilter {
    /// Id of the tool.
    pub tool: Option<String>,
    /// Role of the caller.
    pub role: Option<String>,
    /// Status of the call.
    pub status: Option<String>,
    /// Earliest time of recording, in milliseconds since 1970-01-01 UTC.
    pub since_ms: Option<u64>,
    /// The workspace of the chain.
    pub folder: Option<WorkspaceId>,
}

/// Selects by a filter, whose parameters are the first six.
const MATCHING: &str = "(?1 IS NULL OR CASE WHEN json_valid(body) THEN body ->> '$.tool' END = ?1)
    AND (?2 IS NULL OR CASE WHEN json_valid(body) THEN body ->> '$.role' END = ?2)
    AND (?3 IS NULL OR CASE WHEN json_valid(body) THEN body ->> '$.status' = ?3 OR (?3 = 'done' AND body ->> '$.kind' = 'pack') END)
    AND (?4 IS NULL OR CASE WHEN json_valid(body) THEN body ->> '$.recorded_ms' END >= ?4)
    AND (?5 IS NULL OR session IN (SELECT id FROM sessions WHERE folder IN (SELECT number FROM folders WHERE id = ?5 OR root = ?6)))";

impl AuditFilter {
    /// The records that a caller sees.
    pub fn of(scope: &StateScope) -> Self {
        Self {
            role: scope.of_role().map(str::to_owned),
            folder: scope.folder().cloned(),
            ..Self::default()
        }
    }

    /// Whether a record of a pack matches; the folder is that of the pack.
    fn fits(&self, record: &Value) -> bool {
        let is = |key: &str, wanted: Option<&str>| {
            wanted.is_none_or(|wanted| record.text(key) == Some(wanted))
        };
        let recorded = record.get("recorded_ms").and_then(Value::as_i64);
        is("tool", self.tool.as_deref())
            && is("role", self.role.as_deref())
            && is("status", self.status.as_deref())
            && (self.since()).is_none_or(|since| recorded.is_some_and(|at| at >= since))
    }

    fn since(&self) -> Option<i64> {
        let since = self.since_ms?;
        Some(i64::try_from(since).unwrap_or(i64::MAX))
    }
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

impl StateStore {
    /// Lists the newest records of the sessions with a prefix, or of all; newest first.
    ///
    /// # Errors
    /// `tool_error` when the state cannot be read.
    pub fn audit_list(&self, session: Option<&str>, count_max: usize) -> Result<Vec<AuditRecord>> {
        const SQL: &str = "SELECT session, sequence, hash, body FROM events
             WHERE substr(session, 1, length(?1)) = ?1 ORDER BY number DESC LIMIT ?2";
        self.flush()?;
        let params = params![session.unwrap_or(""), sql::row_limit(count_max)];
        let rows = self.shared.select("list the audit log", SQL, params)?;
        self.newest_of(rows, &AuditFilter::default(), count_max)
    }

    /// The number of the newest record of all chains, which grows with each; 0 before the first.
    ///
    /// # Errors
    /// `tool_error` when the state cannot be read.
    pub fn newest_record(&self) -> Result<u64> {
        const SQL: &str = "SELECT coalesce(max(number), 0) FROM events";
        let found: Vec<u64> = self.shared.select("read the audit log", SQL, params![])?;
        Ok(found.first().copied().unwrap_or_default())
    }

    /// Lists the newest records that match a filter; newest first.
    ///
    /// # Errors
    /// `tool_error` when the state cannot be read.
    pub fn audit_matching(
        &self,
        filter: &AuditFilter,
        count_max: usize,
    ) -> Result<Vec<AuditRecord>> {
        let sql = RawRecord::sql(&format!(
            "FROM events WHERE {MATCHING} ORDER BY number DESC LIMIT ?7"
        ));
        self.flush()?;
        let AuditFilter {
            tool, role, status, ..
        } = filter;
        let ((id, root), since) = (
            folders::folder_params(filter.folder.as_ref()),
            filter.since(),
        );
        let params = params![
            tool,
            role,
            status,
            since,
            id,
            root,
            sql::row_limit(count_max)
        ];
        let rows = self.shared.select("list the audit log", &sql, params)?;
        let roots = self.shared.select(
            "list the folders",
            "SELECT sessions.id, root FROM sessions JOIN folders ON number = folder",
            [],
        )?;
        let roots: HashMap<String, String> = roots.into_iter().collect();
        let mut records = self.newest_of(rows, filter, count_max)?;
        for record in &mut records {
            record.folder = roots.get(&record.session).cloned();
        }
        Ok(records)
    }

    /// Lists the texts that a member of the records has: `tool`, `role` or `status`.
    ///
    /// # Errors
    /// `tool_error` when the state cannot be read.
    pub fn audit_names(&self, member: &str) -> Result<Vec<String>> {
        const SQL: &str = "SELECT DISTINCT body ->> ?1 AS name FROM events
             WHERE json_valid(body) AND name IS NOT NULL ORDER BY name";
        self.flush()?;
        let path = format!("$.{member}");
        self.shared.select("read the audit log", SQL, [path])
    }

    /// Finds one record: by `session:sequence` (a unique prefix of the session suffices), or the newest with that `call_id`.
    ///
    /// # Errors
    /// `invalid_args` when there is none.
    pub fn audit_show(&self, name: &str) -> Result<AuditRecord> {
        self.audit_find(&AuditFilter::default(), name)
    }

    /// As [`StateStore::audit_show`], among the records that match a filter.
    ///
    /// # Errors
    /// As [`StateStore::audit_show`].
    pub fn audit_find(&self, filter: &AuditFilter, name: &str) -> Result<AuditRecord> {
        let found = self.audit_find_written(filter, name)?;
        let Some(records) = packs::expand(&found.record) else {
            return Ok(found);
        };
        // Named by its place, a pack is shown as it was written.
        let mut records = records?.into_iter();
        let named = records.find(|one| one.text("call_id") == Some(name));
        match (named, name.contains(':')) {
            (Some(record), _) => Ok(AuditRecord { record, ..found }),
            (None, true) => Ok(found),
            (None, false) => Err(unknown_record_error(name)),
        }
    }

    /// As [`StateStore::audit_find`], as it was written: the record of a pack for the calls in it.
    pub(super) fn audit_find_written(
        &self,
        filter: &AuditFilter,
        name: &str,
    ) -> Result<AuditRecord> {
        let by_place = RawRecord::sql(&format!(
            "FROM events WHERE {MATCHING} AND substr(session, 1, length(?7)) = ?7 AND sequence = ?8 ORDER BY number DESC LIMIT 2"
        ));
        let by_call = RawRecord::sql(&format!(
            "FROM events WHERE {MATCHING} AND CASE WHEN json_valid(body) THEN body ->> '$.call_id' = ?7 OR instr(body ->> '$.call_ids', ?7) > 0 END ORDER BY number DESC LIMIT 1"
        ));
        let AuditFilter {
            tool, role, status, ..
        } = filter;
        let ((id, root), since) = (
            folders::folder_params(filter.folder.as_ref()),
            filter.since(),
        );
        self.flush()?;
        let place = name.split_once(':').and_then(|(session, sequence)| {
            let sequence = sequence.split(':').next()?.parse::<i64>().ok()?;
            Some((session, sequence))
        });
        let row = self
            .shared
            .read("read the audit log", |connection| match place {
                Some((session, sequence)) => {
                    let params = params![tool, role, status, since, id, root, session, sequence];
                    let mut rows = sql::all_rows(connection, &by_place, params)?;
                    Ok(if rows.len() == 1 { rows.pop() } else { None })
                }
                None => {
                    let params = params![tool, role, status, since, id, root, name];
                    Ok(sql::first_row(connection, &by_call, params)?)
                }
            })?;
        self.parsed(row.ok_or_else(|| unknown_record_error(name))?)
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
                lines += write_rows(&snapshot, sql, [session], line, out)?;
            }
            Ok(lines)
        })
    }

    /// Writes the records that match a filter as JSON Lines in the order of recording, and returns their number. The lines are those of
    /// [`StateStore::export`]; alone they do not verify a chain.
    ///
    /// # Errors
    /// As [`StateStore::export`].
    pub fn export_matching(&self, filter: &AuditFilter, out: &mut dyn Write) -> Result<u64> {
        let sql = RawRecord::sql(&format!("FROM events WHERE {MATCHING} ORDER BY number"));
        self.flush()?;
        let AuditFilter {
            tool, role, status, ..
        } = filter;
        let ((id, root), since) = (
            folders::folder_params(filter.folder.as_ref()),
            filter.since(),
        );
        let params = params![tool, role, status, since, id, root];
        self.shared.read("export the audit log", |connection| {
            write_rows(connection, &sql, params, record_line, out)
        })
    }

    /// Writes all that [`StateStore::export`] does, the values and handles that the records name, and a last line with the head of all
    /// chains; returns that head and the number of lines.
    ///
    /// # Errors
    /// As [`StateStore::export`].
    pub fn export_whole(&self, out: &mut dyn Write) -> Result<(Option<String>, u64)> {
        const NEWEST: &str = "SELECT number, link FROM heads ORDER BY number DESC LIMIT 1";
        self.flush()?;
        let now_ms = self.shared.clock.unix_ms();
        self.shared.read("export the state", |connection| {
            let snapshot = Transaction::new_unchecked(connection, TransactionBehavior::Deferred)?;
            let none: Option<&str> = None;
            let mut lines = 0;
            for (sql, line) in EXPORTS {
                lines += write_rows(&snapshot, sql, [none], line, out)?;
            }
            for (sql, line) in VALUES {
                lines += write_rows(&snapshot, sql, [], line, out)?;
            }
            let head: Option<(u64, Hash)> = sql::first_row(&snapshot, NEWEST, [])?;
            let head =
                head.map(|(number, link)| format!("*:{number}:{}", chain::format_hex_hash(&link)));
            let end = object! {
                "type" => "end",
                "head" => head.clone(),
                "lines" => lines,
                "exported_ms" => now_ms,
            };
            writeln!(out, "{}", json::to_text(&end)).map_err(export_write_failure)?;
            Ok((head, lines + 1))
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
             WHERE json_extract(body, '$.kind') IN ('call', 'chain', 'pack')
                 AND (session = ?1 OR json_extract(body, '$.recorded_ms') >= ?2)
             ORDER BY session = ?1 DESC, number DESC LIMIT ?3";
        self.flush()?;
        let since_ms = i64::try_from(since_ms).unwrap_or(i64::MAX);
        let params = params![run.unwrap_or(""), since_ms, sql::row_limit(count_max)];
        let rows = self.shared.select("read the journal", SQL, params)?;
        let mut records = self.newest_of(rows, &AuditFilter::default(), usize::MAX)?;
        records.retain(|one| matches!(one.record.text("kind"), Some("call" | "chain")));
        records.truncate(count_max);
        for one in &mut records {
            one.record = self.with_lists(&one.record);
        }
        Ok(records)
    }

    /// Completes the record of a chain with the lists that are stored apart; without them where they were collected.
    pub fn with_lists(&self, record: &Value) -> Value {
        let handle = record.get(LISTS_KEY).and_then(ArtifactHandle::from_value);
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

    /// The records of rows that are newest first, with those of packs, newest first.
    fn newest_of(
        &self,
        rows: Vec<RawRecord>,
        filter: &AuditFilter,
        count_max: usize,
    ) -> Result<Vec<AuditRecord>> {
        let mut found = Vec::new();
        for row in rows {
            if found.len() >= count_max {
                break;
            }
            let written = self.parsed(row)?;
            match packs::expand(&written.record) {
                None => found.push(written),
                Some(records) => {
                    let records = records?.into_iter().rev();
                    let fitting = records.filter(|record| filter.fits(record));
                    found.extend(fitting.map(|record| AuditRecord {
                        record,
                        ..written.clone()
                    }));
                }
            }
        }
        found.truncate(count_max);
        Ok(found)
    }

    fn parsed(&self, row: RawRecord) -> Result<AuditRecord> {
        let record = json::parse_json(&row.body, json::JsonLimits::default()).map_err(|err| {
            let (session, sequence, file) =
                (&row.session, row.sequence, self.shared.file.display());
            tool_error!(ToolError, "state_corrupt";
                "record {session}:{sequence} in `{file}` is damaged: {err}";
                "`mathchain audit verify` shows all damage")
        })?;
        Ok(AuditRecord {
            session: row.session,
            sequence: row.sequence,
            hash: chain::format_hex_hash(&row.hash),
            record,
            folder: None,
        })
    }
}

fn unknown_record_error(name: &str) -> ToolError {
    tool_error!(InvalidArgs, "`{name}` names no record, or more than one")
        .reason("unknown_record")
        .hint("`mathchain audit list` shows session, number and call id of each")
}

fn export_write_failure(err: std::io::Error) -> SqlError {
    let message = format_args!("cannot write the export: {err}");
    ToolError::new(ErrorCode::ToolError, message)
        .reason("io")
        .into()
}

/// Writes a line for each row of a query; returns their number.
fn write_rows(
    connection: &Connection,
    sql: &str,
    params: impl Params,
    line: ExportLine,
    out: &mut dyn Write,
) -> Done<u64> {
    let mut lines = 0;
    let mut query = connection.prepare(sql)?;
    let mut rows = query.query(params)?;
    while let Some(row) = rows.next()? {
        lines += 1;
        writeln!(out, "{}", line(row)?).map_err(export_write_failure)?;
    }
    Ok(lines)
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
        record_line,
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
            let (session, hash, link) = (
                Value::from(session),
                chain::format_hex_hash(&hash),
                chain::format_hex_hash(&link),
            );
            Ok(format!(
                r#"{{"type":"head","number":{number},"session":{session},"sequence":{sequence},"hash":"{hash}","link":"{link}"}}"#
            ))
        },
    ),
];

/// The values that records name, and the handles of those in files.
const VALUES: [(&str, ExportLine); 2] = [
    (
        "SELECT hash, body FROM vals ORDER BY created_ms, hash",
        |row| {
            let (hash, body) = <(ArtifactHash, String)>::read(row)?;
            let body = packs::of_stored_text(body);
            Ok(format!(
                r#"{{"type":"value","hash":"{hash}","value":{body}}}"#
            ))
        },
    ),
    (
        "SELECT hash, about FROM artifacts ORDER BY created_ms, hash",
        |row| {
            let (hash, about) = <(ArtifactHash, String)>::read(row)?;
            Ok(format!(
                r#"{{"type":"artifact","hash":"{hash}","handle":{about}}}"#
            ))
        },
    ),
];

fn record_line(row: &Row<'_>) -> rusqlite::Result<String> {
    let RawRecord {
        session,
        sequence,
        hash,
        body,
    } = RawRecord::read(row)?;
    let (session, hash) = (Value::from(session), chain::format_hex_hash(&hash));
    Ok(format!(
        r#"{{"type":"record","session":{session},"sequence":{sequence},"hash":"{hash}","record":{body}}}"#
    ))
}

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
    sql::first_row(connection, SQL, params![session, sequence as i64])
}
