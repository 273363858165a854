//! Cuts: what pruning leaves of the records that it removed.
//!
//! A cut is a record (`event: prune`) in the chain of the process that pruned, confirmed by a link that is written with it. It names
//! the newest removed link, from which the links that remain continue, and the newest removed record. It is signed by the key of the
//! user who pruned (`seal`), together with the name of its chain. Nothing else in the audit log has a key: a head that was stored
//! elsewhere shows a change of the records after it.

use rusqlite::{Connection, params};
use tool_core::capability::LedgerHead;
use tool_core::{Decode, Encode, convert, json, object};

use super::seal::{CutKey, SealPurpose};
use super::sql::{self, Hash};
use super::{chain, seal};

/// The event of its record.
pub(super) const EVENT: &str = "prune";

/// What was removed, and where the rest continues.
#[derive(Debug, Clone, PartialEq, Eq, Encode, Decode)]
pub struct ChainCut {
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
    /// Public key of the user who pruned, 64 hex digits.
    #[value(default)]
    pub key: String,
    /// Signature by that key of all the above and the name of the chain that has the cut, 128 hex digits.
    #[value(default)]
    pub signature: String,
}

impl ChainCut {
    /// Signs the cut for the chain that will have it.
    pub(super) fn sign(&mut self, session: &str, key: &CutKey) {
        self.key = key.public();
        self.signature = key.sign(SealPurpose::Cut, &self.signed_text(session));
    }

    /// The text that is signed: canonical JSON of the cut without its signature, and of the name of its chain.
    fn signed_text(&self, session: &str) -> String {
        let unsigned = Self {
            signature: String::new(),
            ..self.clone()
        };
        let cut = convert::to_value(&unsigned).unwrap_or_default();
        json::canonical_json(&object! { "cut" => cut, "session" => session })
    }

    fn of_body(body: &str) -> Option<Self> {
        let record = json::parse_json(body, json::JsonLimits::default()).ok()?;
        (record.get("event")?.as_str()? == EVENT).then_some(())?;
        convert::from_value(record.get("cut")?).ok()
    }

    /// Hash of the newest removed link.
    pub(super) fn hash(&self) -> Hash {
        chain::parse_hex_hash(&self.link_hash)
    }

    /// Whether a head is one of the two removed places that the cut names.
    pub(super) fn names(&self, head: &LedgerHead, links: &str) -> bool {
        let is_link =
            head.session == links && head.sequence == self.link && head.hash == self.link_hash;
        is_link || head.to_string() == self.last
    }
}

/// A cut and the place of its record.
pub(super) struct CutRecord {
    pub(super) cut: ChainCut,
    pub(super) session: String,
    pub(super) sequence: u64,
}

/// The newest cut.
pub(super) fn newest_cut(connection: &Connection) -> rusqlite::Result<Option<CutRecord>> {
    const SQL: &str = "SELECT session, sequence, body FROM events
         WHERE instr(body, '\"event\":\"prune\"') > 0 AND instr(body, '\"cut\":{') > 0";
    let mut newest: Option<CutRecord> = None;
    type Row = (String, u64, String);
    for (session, sequence, body) in sql::all_rows::<Row>(connection, SQL, [])? {
        let Some(cut) = ChainCut::of_body(&body) else {
            continue;
        };
        if newest
            .as_ref()
            .is_none_or(|found| found.cut.link < cut.link)
        {
            newest = Some(CutRecord {
                cut,
                session,
                sequence,
            });
        }
    }
    Ok(newest)
}

impl CutRecord {
    /// What is wrong with the signature; with `trusted` also a key that is not among these.
    pub(super) fn fault(&self, trusted: Option<&[String]>) -> Option<String> {
        let ChainCut { key, signature, .. } = &self.cut;
        if signature.is_empty() {
            return Some("the cut is not signed".to_owned());
        }
        if !seal::is_signed(
            SealPurpose::Cut,
            &self.cut.signed_text(&self.session),
            key,
            signature,
        ) {
            return Some(
                "the signature of the cut does not fit: the cut or its chain was changed"
                    .to_owned(),
            );
        }
        let is_foreign = trusted.is_some_and(|trusted| !trusted.contains(key));
        is_foreign.then(|| format!("the cut is signed by the key {key}, which is not this user's"))
    }

    /// Whether a link after the cut confirms its record.
    pub(super) fn is_confirmed(&self, connection: &Connection) -> rusqlite::Result<bool> {
        const SQL: &str =
            "SELECT 1 FROM heads WHERE number > ?1 AND session = ?2 AND sequence >= ?3";
        let (number, sequence) = (self.cut.link as i64, self.sequence as i64);
        sql::row_exists(connection, SQL, params![number, self.session, sequence])
    }
}
