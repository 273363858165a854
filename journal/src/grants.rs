//! Answers to approval requests, verified against the audit log: a row of the table alone grants nothing.

use std::collections::{HashMap, HashSet};

use rusqlite::{Connection, params};
use tool_core::{ErrorCode, ToolError, Value, json};

use super::audit::{hash_of_event, number_at, read_row, text_at};
use super::chain::{self, Hash};
use super::sql;

/// The error for a grant without a record.
pub(super) fn unrecorded(id: &str) -> ToolError {
    let message = format_args!(
        "approval `{id}` is granted in its table, but the audit log has no record of an unused grant"
    );
    ToolError::new(ErrorCode::PolicyDenied, message)
        .reason("approval_unrecorded")
        .hint(format!(
            "`mathchain audit verify` names the changes; `mathchain deny {id}` revokes the grant"
        ))
}

/// Whether the audit log has the record of this grant, with a valid hash and for the same call, and none of its use.
pub(super) fn is_recorded(connection: &Connection, id: &str) -> rusqlite::Result<bool> {
    const GRANT: &str = "SELECT digest, decided_by, decided_in FROM approvals WHERE id = ?";
    let (digest, decided_by, session): (String, Option<String>, Option<String>) = connection
        .prepare_cached(GRANT)?
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

/// Whether a call after a record consumed the approval.
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
        return hash_of_event(connection, session, sequence - 1);
    }
    const SQL: &str = "SELECT header FROM sessions WHERE id = ?";
    let header = sql::row(connection, SQL, [session], |row| text_at(row, 0))?;
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

/// Describes each row of approvals that contradicts the audit log.
pub(super) fn faults(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    let mut answers: HashMap<String, Answer> = HashMap::new();
    let mut used: HashSet<String> = HashSet::new();
    const NAMING: &str =
        "SELECT body FROM events WHERE instr(body, '\"approval_id\":\"') > 0 ORDER BY number";
    const ALL: &str = "SELECT id, state, digest, decided_by FROM approvals ORDER BY number";
    for body in sql::rows(connection, NAMING, [], |row| text_at(row, 0))? {
        match Answer::of_body(&body) {
            Some(answer) => drop(answers.insert(answer.id.clone(), answer)),
            None => used.extend(used_in(&body)),
        }
    }
    let mut faults = Vec::new();
    sql::each(connection, ALL, [], |row| {
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
            // An unused grant expires too.
            _ => decision.is_none_or(|decision| decision == "granted") && !used.contains(&id),
        };
        if !told || !fits {
            faults.push(format!(
                "the approval `{id}` is `{state}` in its table, not by the records of the audit log"
            ));
        }
        Ok::<(), rusqlite::Error>(())
    })?;
    Ok(faults)
}

/// Id of the approval that a call consumed, from the record of its intent or outcome.
fn used_in(body: &str) -> Option<String> {
    let record = json::parse(body, json::Limits::default()).ok()?;
    record.get("approved_by")?.as_str()?;
    Some(record.get("approval_id")?.as_str()?.to_owned())
}
