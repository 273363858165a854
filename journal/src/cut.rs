//! Cuts: what pruning leaves of the records that it removed.
//!
//! A cut is a record (`event: prune`) in the chain of the process that pruned, confirmed by a link that is written with it. It names
//! the newest removed link, from which the links that remain continue, and the newest removed record. Nothing here has a key: as
//! everywhere in the audit log, a head that was stored elsewhere shows a change.

use rusqlite::{Connection, params};
use serde::{Deserialize, Serialize};
use tool_core::capability::LedgerHead;
use tool_core::{Object, Value, convert, json};

use super::chain;
use super::sql::{self, Hash};

/// The event of its record.
pub(super) const EVENT: &str = "prune";

/// What was removed, and where the rest continues.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cut {
    /// Number of the newest removed link.
    pub link: u64,
    /// Hash of that link, on which the first one that remains is built.
    pub link_hash: String,
    /// The newest removed record, as a head.
    pub last: String,
    /// Number of removed chains.
    pub sessions: u64,
    /// Number of removed records.
    pub records: u64,
    /// Time of the oldest, in milliseconds since 1970-01-01 UTC.
    pub first_ms: u64,
    /// Time of the newest.
    pub last_ms: u64,
    /// Number of records that earlier cuts removed.
    pub earlier_records: u64,
    /// Time of the pruning.
    pub pruned_ms: u64,
}

impl Cut {
    /// The record of this cut.
    pub(super) fn record(&self, before_ms: u64) -> Value {
        let mut record = Object::new();
        record.insert("event", EVENT);
        record.insert("before_ms", before_ms);
        record.insert("cut", convert::to_value(self).unwrap_or_default());
        Value::Object(record.into())
    }

    fn of_body(body: &str) -> Option<Self> {
        let record = json::parse(body, json::Limits::default()).ok()?;
        (record.get("event")?.as_str()? == EVENT).then_some(())?;
        convert::from_value(record.get("cut")?).ok()
    }

    /// Hash of the newest removed link.
    pub(super) fn hash(&self) -> Hash {
        chain::unhex(&self.link_hash)
    }

    /// Whether a head is one of the two removed places that the cut names.
    pub(super) fn names(&self, head: &LedgerHead, links: &str) -> bool {
        let is_link =
            head.session == links && head.sequence == self.link && head.hash == self.link_hash;
        is_link || head.to_string() == self.last
    }
}

/// A cut and the place of its record.
pub(super) struct Recorded {
    pub(super) cut: Cut,
    pub(super) session: String,
    pub(super) sequence: u64,
}

/// The newest cut.
pub(super) fn newest(connection: &Connection) -> rusqlite::Result<Option<Recorded>> {
    const SQL: &str = "SELECT session, sequence, body FROM events
         WHERE instr(body, '\"event\":\"prune\"') > 0 AND instr(body, '\"cut\":{') > 0";
    let mut newest: Option<Recorded> = None;
    type Row = (String, u64, String);
    for (session, sequence, body) in sql::rows::<Row>(connection, SQL, [])? {
        let Some(cut) = Cut::of_body(&body) else {
            continue;
        };
        if newest
            .as_ref()
            .is_none_or(|found| found.cut.link < cut.link)
        {
            newest = Some(Recorded {
                cut,
                session,
                sequence,
            });
        }
    }
    Ok(newest)
}

impl Recorded {
    /// Whether a link after the cut confirms its record.
    pub(super) fn is_confirmed(&self, connection: &Connection) -> rusqlite::Result<bool> {
        const SQL: &str =
            "SELECT 1 FROM heads WHERE number > ?1 AND session = ?2 AND sequence >= ?3";
        let (number, sequence) = (self.cut.link as i64, self.sequence as i64);
        sql::exists(connection, SQL, params![number, self.session, sequence])
    }
}
