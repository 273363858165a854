//! Answers to approvals held against the audit: a row of the table alone grants nothing.

use std::collections::{HashMap, HashSet};

use rusqlite::{Connection, OptionalExtension, params};
use tool_core::{ErrorCode, ToolError, Value, json};

use super::audit::{hash_in, number_at, read_row, text_at};
use super::chain::{self, Hash};

/// A grant that no record bears out.
pub(super) fn unrecorded(id: &str) -> ToolError {
    let message = format_args!(
        "approval `{id}` is granted in the table, and the audit has no record of an unused grant"
    );
    ToolError::new(ErrorCode::PolicyDenied, message)
        .reason("approval_unrecorded")
        .hint(format!(
            "`mathchain audit verify` names what was changed; `mathchain deny {id}` takes the grant away"
        ))
}

/// Whether the audit has the record of a grant, with its hash in its chain and about the same call, and none of its use.
pub(super) fn is_recorded(connection: &Connection, id: &str) -> rusqlite::Result<bool> {
    let (digest, decided_by, session): (String, Option<String>, Option<String>) = connection
        .prepare_cached("SELECT digest, decided_by, decided_in FROM approvals WHERE id = ?")?
        .query_row([id], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    let mut query = connection.prepare_cached(
        "SELECT session, sequence, hash, body, number FROM events
         WHERE (?1 IS NULL OR session = ?1) AND instr(body, ?2) > 0 ORDER BY number DESC",
    )?;
    let named = format!("\"approval_id\":\"{id}\"");
    let mut rows = query.query(params![session, named])?;
    while let Some(row) = rows.next()? {
        let number = number_at(row, 4)?;
        let record = read_row(row)?;
        let Some(answer) = Answer::of_body(&record.body) else {
            continue;
        };
        let is_it = answer.decision == "granted"
            && answer.id == id
            && answer.digest == digest
            && Some(&answer.decided_by) == decided_by.as_ref();
        if !is_it {
            return Ok(false);
        }
        let before = hash_before(connection, &record.session, record.sequence)?;
        let holds =
            before.is_some_and(|before| chain::record_hash(&before, &record.body) == record.hash);
        return Ok(holds && !is_used(connection, &named, number)?);
    }
    Ok(false)
}

/// Whether a call after a record used the approval up.
fn is_used(connection: &Connection, named: &str, after: u64) -> rusqlite::Result<bool> {
    connection
        .prepare_cached(
            "SELECT 1 FROM events WHERE number > ?1 AND instr(body, ?2) > 0
                AND instr(body, '\"kind\":\"intent\"') > 0 LIMIT 1",
        )?
        .exists(params![after as i64, named])
}

fn hash_before(
    connection: &Connection,
    session: &str,
    sequence: u64,
) -> rusqlite::Result<Option<Hash>> {
    if sequence > 1 {
        return connection
            .prepare_cached("SELECT hash FROM events WHERE session = ? AND sequence = ?")?
            .query_row(params![session, sequence as i64 - 1], |row| hash_in(row, 0))
            .optional();
    }
    let header: Option<String> = connection
        .prepare_cached("SELECT header FROM sessions WHERE id = ?")?
        .query_row([session], |row| text_at(row, 0))
        .optional()?;
    Ok(header.map(|header| chain::record_hash(&chain::START, &header)))
}

/// The record of an answer.
struct Answer {
    id: String,
    decision: String,
    decided_by: String,
    digest: String,
}

impl Answer {
    fn of_body(body: &str) -> Option<Self> {
        let record = json::parse(body, json::Limits::default()).ok()?;
        let text = |key| record.get(key).and_then(Value::as_str).map(str::to_owned);
        (text("event").as_deref() == Some("approval")).then_some(())?;
        Some(Self {
            id: text("approval_id")?,
            decision: text("decision")?,
            decided_by: text("decided_by")?,
            digest: text("digest")?,
        })
    }
}

/// What is wrong with rows of approvals: for each the newest session that speaks of it, and the fault.
pub(super) fn faults(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    let mut answers: HashMap<String, Answer> = HashMap::new();
    let mut used: HashSet<String> = HashSet::new();
    let mut query = connection.prepare(
        "SELECT body FROM events WHERE instr(body, '\"approval_id\":\"') > 0 ORDER BY number",
    )?;
    let mut rows = query.query([])?;
    while let Some(row) = rows.next()? {
        let body = text_at(row, 0)?;
        match Answer::of_body(&body) {
            Some(answer) => {
                answers.insert(answer.id.clone(), answer);
            }
            None => used.extend(used_in(&body)),
        }
    }
    let mut query = connection
        .prepare("SELECT id, state, digest, decided_by FROM approvals ORDER BY number")?;
    let mut rows = query.query([])?;
    let mut faults = Vec::new();
    while let Some(row) = rows.next()? {
        let (id, state, digest) = (text_at(row, 0)?, text_at(row, 1)?, text_at(row, 2)?);
        let decided_by = text_at(row, 3)?;
        let answer = answers.get(&id);
        let fits =
            answer.is_none_or(|answer| answer.digest == digest && answer.decided_by == decided_by);
        let decision = answer.map(|answer| &*answer.decision);
        let told = match &*state {
            "granted" => decision == Some("granted") && !used.contains(&id),
            "consumed" => {
                decision == Some("recorded") || decision == Some("granted") && used.contains(&id)
            }
            "declined" => decision == Some("declined"),
            "pending" => decision.is_none(),
            // A grant that was not used ends too.
            _ => decision.is_none_or(|decision| decision == "granted") && !used.contains(&id),
        };
        if !told || !fits {
            faults.push(format!(
                "the approval `{id}` is not `{state}` by the records of the audit"
            ));
        }
    }
    Ok(faults)
}

/// The approval that a call used up, by the record of its intent or of its end.
fn used_in(body: &str) -> Option<String> {
    let record = json::parse(body, json::Limits::default()).ok()?;
    record.get("approved_by")?.as_str()?;
    Some(record.get("approval_id")?.as_str()?.to_owned())
}
