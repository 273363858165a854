//! Answers to approval requests, verified against the audit log: a row of the table alone grants nothing.

use std::collections::{HashMap, HashSet};

use rusqlite::{Connection, params};
use tool_core::{ToolError, json, tool_error};

use super::audit::{RawRecord, hash_of_event};
use super::chain;
use super::sql::{self, Hash};

/// The error for a grant without a record.
pub(super) fn grant_unrecorded(id: &str) -> ToolError {
    tool_error!(PolicyDenied, "approval_unrecorded";
        "approval `{id}` is granted in its table, but the audit log has no record of an unused grant";
        "`mathchain audit verify` names the changes; `mathchain deny {id}` revokes the grant")
}

/// Whether the audit log has the record of this grant, with a valid hash and for the same call, and none of its use.
pub(super) fn is_recorded(connection: &Connection, id: &str) -> rusqlite::Result<bool> {
    const GRANT: &str = "SELECT digest, decided_by, decided_in, edited FROM approvals WHERE id = ?";
    type Row = (String, Option<String>, Option<String>, Option<String>);
    let Some((digest, decided_by, session, edited)) =
        sql::first_row::<Row>(connection, GRANT, [id])?
    else {
        return Ok(false);
    };
    const RECORDS: &str = "SELECT session, sequence, hash, body FROM events
         WHERE (?1 IS NULL OR session = ?1) AND instr(body, ?2) > 0 ORDER BY number DESC";
    const NUMBER: &str = "SELECT number FROM events WHERE session = ? AND sequence = ?";
    let named = format!("\"approval_id\":\"{id}\"");
    for record in sql::all_rows::<RawRecord>(connection, RECORDS, params![session, named])? {
        let Some(answer) = GrantAnswer::of_body(&record.body) else {
            continue;
        };
        let is_it = answer.decision == "granted"
            && answer.id == id
            && answer.digest == digest
            && Some(&answer.decided_by) == decided_by.as_ref()
            && answer.edited_digest == edited.as_deref().map(edited_digest);
        if !is_it {
            return Ok(false);
        }
        let place = params![record.session, record.sequence as i64];
        let number: u64 = sql::first_row(connection, NUMBER, place)?.unwrap_or(0);
        let before = hash_before(connection, &record.session, record.sequence)?;
        let holds =
            before.is_some_and(|before| chain::record_hash(&before, &record.body) == record.hash);
        return Ok(holds && !is_used(connection, &named, number)?);
    }
    Ok(false)
}

/// Whether a call after a record consumed the approval.
fn is_used(connection: &Connection, named: &str, after: u64) -> rusqlite::Result<bool> {
    const SQL: &str = "SELECT 1 FROM events WHERE number > ?1 AND instr(body, ?2) > 0
                AND instr(body, '\"kind\":\"intent\"') > 0 LIMIT 1";
    sql::row_exists(connection, SQL, params![after as i64, named])
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
    let header: Option<String> = sql::first_row(connection, SQL, [session])?;
    Ok(header.map(|header| chain::record_hash(&chain::START, &header)))
}

/// The record of an answer.
struct GrantAnswer {
    id: String,
    decision: String,
    decided_by: String,
    digest: String,
    /// Of the arguments that the approver gave in place of the caller's.
    edited_digest: Option<String>,
}

impl GrantAnswer {
    fn of_body(body: &str) -> Option<Self> {
        let record = json::parse_json(body, json::JsonLimits::default()).ok()?;
        let text = |key| Some(record.get(key)?.as_str()?.to_owned());
        (text("event")? == "approval").then_some(())?;
        Some(Self {
            id: text("approval_id")?,
            decision: text("decision")?,
            decided_by: text("decided_by")?,
            digest: text("digest")?,
            edited_digest: text("edited_digest"),
        })
    }
}

/// Digest of the text of arguments that an approver gave.
pub(super) fn edited_digest(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex().to_string()
}

/// Describes each row of approvals that contradicts the audit log.
pub(super) fn find_grant_faults(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    let mut answers: HashMap<String, GrantAnswer> = HashMap::new();
    let mut used: HashSet<String> = HashSet::new();
    const NAMING: &str =
        "SELECT body FROM events WHERE instr(body, '\"approval_id\":\"') > 0 ORDER BY number";
    const ALL: &str = "SELECT id, state, digest, decided_by, edited FROM approvals ORDER BY number";
    for body in sql::all_rows::<String>(connection, NAMING, [])? {
        match GrantAnswer::of_body(&body) {
            Some(answer) => drop(answers.insert(answer.id.clone(), answer)),
            None => used.extend(used_in(&body)),
        }
    }
    let mut faults = Vec::new();
    type Row = (String, String, String, String, Option<String>);
    for (id, state, digest, decided_by, edited) in sql::all_rows::<Row>(connection, ALL, [])? {
        let answer = answers.get(&id);
        // An approver's arguments stay until the grant is used or over.
        let edited = edited.as_deref().map(edited_digest);
        let has_arguments =
            |answer: &GrantAnswer| state != "granted" || answer.edited_digest == edited;
        let fits = answer.is_none_or(|answer| {
            answer.digest == digest && answer.decided_by == decided_by && has_arguments(answer)
        });
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
                "the approval `{id}` is `{state}` in its table, which contradicts the records of the audit log"
            ));
        }
    }
    Ok(faults)
}

/// Id of the approval that a call consumed, from the record of its intent or outcome.
fn used_in(body: &str) -> Option<String> {
    let record = json::parse_json(body, json::JsonLimits::default()).ok()?;
    record.get("approved_by")?.as_str()?;
    Some(record.get("approval_id")?.as_str()?.to_owned())
}
