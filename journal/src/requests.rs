//! Requests that act once: each is claimed under a key that its client chose, and its answer is stored, so that the same request sent again
//! is answered and does not act again.
//!
//! A claim is on disk before its request acts. One without an answer belongs to a request on its way, or to a process that ended. Where that
//! process ended before any record named the request, nothing has acted, and the claim is taken again; else it is unknown whether the
//! request acted, so that the claim never expires.

use rusqlite::{Connection, params};
use tool_core::{Result, tool_error};

use super::lease::LeaseOwner;
use super::ledger::LedgerShared;
use super::sql;
use super::state::StateStore;

/// How long an answer is stored, in hours.
pub const REQUEST_HOURS: u64 = 24;

/// What is known of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RequestClaim {
    /// It is new, and claimed for the caller.
    New,
    /// It was answered.
    Answered(String),
    /// It began before and has no answer.
    Open,
}

impl StateStore {
    /// Claims a request, given by its digest, under a key of its owner; on disk when this returns. With an answer it is answered at once.
    ///
    /// # Errors
    /// `conflict` with reason `key_reused` for a key of another request; `tool_error` when the state cannot be written.
    pub fn claim_request(
        &self,
        owner: &str,
        key: &str,
        request: &str,
        answer: Option<&str>,
    ) -> Result<RequestClaim> {
        const EXPIRE: &str = "DELETE FROM requests WHERE answer IS NOT NULL AND created_ms < ?";
        const FIND: &str =
            "SELECT request, answer, claimer, created_ms FROM requests WHERE owner = ? AND key = ?";
        const CLAIM: &str = "INSERT OR REPLACE INTO requests(owner, key, request, answer, created_ms, claimer) VALUES (?, ?, ?, ?, ?, ?)";
        let here = self.shared.machine.here().to_text();
        self.shared
            .transact("claim the request", |transaction, now_ms| {
                let oldest = now_ms.saturating_sub(REQUEST_HOURS * 60 * 60 * 1000);
                sql::execute_statement(transaction, EXPIRE, [oldest as i64])?;
                let found: Option<(String, Option<String>, Option<String>, u64)> =
                    sql::first_row(transaction, FIND, [owner, key])?;
                let is_new = match found {
                    None => true,
                    Some((of, ..)) if of != request => return Err(key_reused().into()),
                    Some((_, Some(answer), ..)) => {
                        return Ok((RequestClaim::Answered(answer), None));
                    }
                    Some((_, None, claimer, since_ms)) => {
                        since_ms >= oldest
                            && self.shared.has_ended(claimer.as_deref())
                            && !is_recorded(transaction, &request_name(owner, key))?
                    }
                };
                if !is_new {
                    return Ok((RequestClaim::Open, None));
                }
                let params = params![owner, key, request, answer, now_ms as i64, here];
                sql::execute_statement(transaction, CLAIM, params)?;
                Ok((RequestClaim::New, None))
            })
    }

    /// Stores the answer to a claimed request.
    ///
    /// # Errors
    /// `tool_error` when the state cannot be written; the claim then stays open.
    pub fn answer_request(&self, owner: &str, key: &str, answer: &str) -> Result<()> {
        // It is kept from now on, however long the request took.
        const SQL: &str =
            "UPDATE requests SET answer = ?, created_ms = ? WHERE owner = ? AND key = ?";
        self.shared
            .transact("store the answer", |transaction, now_ms| {
                let params = params![answer, now_ms as i64, owner, key];
                sql::execute_statement(transaction, SQL, params)?;
                Ok(((), None))
            })
    }

    /// Gives up the claim of a request that has not acted: it can be sent again.
    ///
    /// # Errors
    /// As [`StateStore::answer_request`].
    pub fn release_request(&self, owner: &str, key: &str) -> Result<()> {
        const SQL: &str = "DELETE FROM requests WHERE owner = ? AND key = ? AND answer IS NULL";
        self.shared
            .transact("release the request", |transaction, _| {
                sql::execute_statement(transaction, SQL, [owner, key])?;
                Ok(((), None))
            })
    }
}

impl LedgerShared {
    /// Whether the process that made a claim has ended; false where that is unknown.
    pub(super) fn has_ended(&self, claimer: Option<&str>) -> bool {
        let Some(owner) = claimer.and_then(LeaseOwner::parse) else {
            return false;
        };
        let here = self.machine.here();
        // The state is on a local disk: a process of another boot is one of this machine that has ended.
        let is_of_another_boot =
            !owner.boot.is_empty() && !here.boot.is_empty() && owner.boot != here.boot;
        is_of_another_boot || self.machine.runs(&owner) == Some(false)
    }
}

/// The name of a request in the records of what it began.
pub fn request_name(owner: &str, key: &str) -> String {
    registry::digest::of_texts([owner, key])
}

/// Whether any record names a request: the intent of an effect is on disk before the effect.
fn is_recorded(connection: &Connection, name: &str) -> rusqlite::Result<bool> {
    sql::row_exists(
        connection,
        "SELECT 1 FROM events WHERE instr(body, ?) > 0",
        [name],
    )
}

/// The error for a key under which another request was sent.
pub fn key_reused() -> tool_core::ToolError {
    tool_error!(Conflict, "key_reused"; "another request was sent under the same `Idempotency-Key`";
        "choose a new key for each request, and send it again only with the same body")
}
