//! Calls counted against the limits of rules: a row for each call and counter, until the window of the limit has passed it.
//!
//! Comparing and counting are one transaction that excludes every other writer, so that threads and processes take each place once. Rows
//! survive a restart; those of a process that ended before its call ran stay, until their window has passed.

use std::collections::BTreeMap;

use registry::policy::{LimitClaim, LimitUse};
use registry::{CallCounts, CountedCall};
use rusqlite::{Connection, params};
use tool_core::Result;

use super::sql;
use super::state::StateStore;

/// The sum of a window, whose oldest entries are those after a time.
const SUM: &str = "SELECT total(amount) FROM counted_calls WHERE counter = ? AND time_ms > ?";
const ENTRIES: &str = "SELECT time_ms, amount FROM counted_calls WHERE counter = ? AND time_ms > ?
     ORDER BY time_ms, number";
const COUNT: &str =
    "INSERT INTO counted_calls(counter, call, amount, time_ms, until_ms) VALUES (?, ?, ?, ?, ?)";
const FORGET: &str = "DELETE FROM counted_calls WHERE until_ms <= ?";
const GIVE_BACK: &str = "DELETE FROM counted_calls WHERE call = ?";

impl CallCounts for StateStore {
    fn used(&self, claims: &[LimitClaim]) -> Result<Vec<LimitUse>> {
        let now_ms = self.shared.clock.unix_ms();
        self.shared.read("read the counts of limits", |connection| {
            let found = claims.iter().map(|claim| window(connection, claim, now_ms));
            Ok(found.collect::<rusqlite::Result<_>>()?)
        })
    }

    fn count(&self, call_id: &str, claims: &[LimitClaim], approved: bool) -> Result<CountedCall> {
        self.shared
            .transact("count the call", |transaction, now_ms| {
                sql::execute_statement(transaction, FORGET, [now_ms as i64])?;
                let found = claims
                    .iter()
                    .map(|claim| window(transaction, claim, now_ms));
                let found = found.collect::<rusqlite::Result<Vec<LimitUse>>>()?;
                let is_counted = claims
                    .iter()
                    .zip(&found)
                    .all(|(claim, found)| claim.has_room(found) || approved && claim.asks_beyond());
                if is_counted {
                    for (counter, (amount, until_ms)) in entries(claims, now_ms) {
                        let (now_ms, until_ms) = (now_ms as i64, until_ms as i64);
                        let params = params![counter, call_id, amount, now_ms, until_ms];
                        sql::execute_statement(transaction, COUNT, params)?;
                    }
                }
                Ok((CountedCall { found, is_counted }, None))
            })
    }

    fn give_back(&self, call_id: &str) -> Result<()> {
        self.shared
            .transact("give back the count of the call", |transaction, _| {
                sql::execute_statement(transaction, GIVE_BACK, [call_id])?;
                Ok(((), None))
            })
    }
}

/// What the window of a claim holds. Entries of the future, as after the clock was set back, count.
fn window(connection: &Connection, claim: &LimitClaim, now_ms: u64) -> rusqlite::Result<LimitUse> {
    let begin_ms = now_ms.saturating_sub(claim.window_ms()) as i64;
    let params = params![claim.counter, begin_ms];
    let used: f64 = sql::first_row(connection, SUM, params)?.unwrap_or(0.0);
    let mut found = LimitUse {
        used,
        free_ms: None,
    };
    if !claim.has_room(&found) {
        let entries: Vec<(u64, f64)> = sql::all_rows(connection, ENTRIES, params)?;
        found.free_ms = claim.free_at(used, entries);
    }
    Ok(found)
}

/// The rows of a call: one for each counter, which several rules may share, for its longest window.
fn entries(claims: &[LimitClaim], now_ms: u64) -> BTreeMap<&str, (f64, u64)> {
    let mut entries = BTreeMap::new();
    for claim in claims.iter().filter(|claim| claim.amount > 0.0) {
        let until_ms = now_ms.saturating_add(claim.window_ms());
        let (_, end_ms) = entries
            .entry(&*claim.counter)
            .or_insert((claim.amount, until_ms));
        *end_ms = until_ms.max(*end_ms);
    }
    entries
}
