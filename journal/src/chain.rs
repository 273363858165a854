//! The hash chains: the content of each hash, and the end of a chain that this process writes.
//!
//! Record `i` of a session has `h_i = blake3("mc-audit-v1" || h_{i-1} || length || record)`, where the record is canonical
//! JSON, the length is that of its bytes (64 bits, little-endian), and `h_0` covers the header in the same way
//! after 32 zero bytes. The links of the table `heads` are computed likewise with `"mc-heads-v1"`.

use registry::WorkspaceId;
use rusqlite::{Transaction, params};
use tool_core::capability::LedgerHead;
use tool_core::{json, object};

use super::folders;
use super::sql::{self, Hash};

/// The hash before the first element of a chain.
pub(super) const START: Hash = [0; 32];

const AUDIT: &[u8] = b"mc-audit-v1";
const HEADS: &[u8] = b"mc-heads-v1";

/// The hash of a record after another.
pub(super) fn record_hash(before: &Hash, body: &str) -> Hash {
    hash(AUDIT, before, body)
}

/// The hash of a link after another.
pub(super) fn link_hash(before: &Hash, session: &str, sequence: u64, head: &Hash) -> Hash {
    let body =
        object! { "session" => session, "sequence" => sequence, "hash" => format_hex_hash(head) };
    hash(HEADS, before, &json::canonical_json(&body))
}

fn hash(domain: &[u8], before: &Hash, body: &str) -> Hash {
    let mut hasher = blake3::Hasher::new();
    hasher.update(domain);
    hasher.update(before);
    hasher.update(&(body.len() as u64).to_le_bytes());
    hasher.update(body.as_bytes());
    hasher.finalize().into()
}

/// Reads a hash of 64 hex digits; zeros, which no content has, for any other text.
pub(super) fn parse_hex_hash(text: &str) -> Hash {
    blake3::Hash::from_hex(text).map_or(START, Into::into)
}

/// Formats a hash as 64 hex digits.
pub(super) fn format_hex_hash(hash: &Hash) -> String {
    blake3::Hash::from(*hash).to_hex().to_string()
}

/// A chain that this process writes: its end, and the records that the file lacks.
pub(super) struct RecordChain {
    pub(super) session: String,
    header: String,
    opened_ms: u64,
    genesis: Hash,
    /// Newest record, written or not.
    sequence: u64,
    hash: Hash,
    /// Records not yet written, oldest first.
    pending: Vec<ChainRecord>,
    /// Newest sequence in the table of heads; `None` before the chain is in the file.
    linked: Option<u64>,
}

struct ChainRecord {
    sequence: u64,
    body: String,
    hash: Hash,
}

/// The end of a chain before a record was appended.
#[derive(Clone, Copy)]
pub(super) struct ChainMark {
    sequence: u64,
    hash: Hash,
}

impl RecordChain {
    /// Begins a chain with this header.
    pub(super) fn begin(session: String, opened_ms: u64, header: String) -> Self {
        let genesis = record_hash(&START, &header);
        Self {
            session,
            header,
            opened_ms,
            genesis,
            sequence: 0,
            hash: genesis,
            pending: Vec::new(),
            linked: None,
        }
    }

    /// Continues a chain after its newest record in the file.
    pub(super) fn resume(mut self, sequence: u64, hash: Hash, linked: u64) -> Self {
        self.sequence = sequence;
        self.hash = hash;
        self.linked = Some(linked);
        self
    }

    pub(super) fn genesis(&self) -> &Hash {
        &self.genesis
    }

    pub(super) fn head(&self) -> LedgerHead {
        LedgerHead {
            session: self.session.clone(),
            sequence: self.sequence,
            hash: format_hex_hash(&self.hash),
        }
    }

    pub(super) fn mark(&self) -> ChainMark {
        ChainMark {
            sequence: self.sequence,
            hash: self.hash,
        }
    }

    /// Appends a record, to be written later.
    pub(super) fn append(&mut self, body: String) {
        self.hash = record_hash(&self.hash, &body);
        self.sequence += 1;
        self.pending.push(ChainRecord {
            sequence: self.sequence,
            body,
            hash: self.hash,
        });
    }

    /// Removes the records after the mark, which are not in the file.
    pub(super) fn roll_back(&mut self, mark: ChainMark) {
        let more = usize::try_from(self.sequence - mark.sequence).unwrap_or(usize::MAX);
        self.pending
            .truncate(self.pending.len().saturating_sub(more));
        self.sequence = mark.sequence;
        self.hash = mark.hash;
    }

    pub(super) fn unwritten(&self) -> usize {
        self.pending.len()
    }

    /// Whether a link to the end of the chain is missing.
    pub(super) fn wants_link(&self) -> bool {
        self.sequence > 0 && self.linked != Some(self.sequence)
    }

    /// Notes that the pending records were committed; with `linked`, a link to the end too.
    pub(super) fn written(&mut self, linked: bool) {
        self.pending.clear();
        if linked {
            self.linked = Some(self.sequence);
        } else {
            self.linked = self.linked.or(Some(0));
        }
    }

    /// Discards the pending records, since another process continues the chain.
    pub(super) fn discard(&mut self) {
        self.pending.clear();
    }

    /// Writes the records that the file lacks; with the first of them the beginning of the chain, in the folder of its calls.
    pub(super) fn write_pending(
        &self,
        transaction: &Transaction<'_>,
        folder: Option<&WorkspaceId>,
    ) -> rusqlite::Result<()> {
        if self.linked.is_none() {
            const SQL: &str =
                "INSERT INTO sessions(id, opened_ms, header, folder) VALUES (?, ?, ?, ?)";
            let folder = folders::folder_number(transaction, folder)?;
            let params = params![self.session, self.opened_ms as i64, self.header, folder];
            sql::execute_statement(transaction, SQL, params)?;
            write_link(transaction, &self.session, 0, &self.genesis)?;
        }
        const SQL: &str = "INSERT INTO events(session, sequence, body, hash) VALUES (?, ?, ?, ?)";
        for event in &self.pending {
            let params = params![self.session, event.sequence as i64, event.body, event.hash];
            sql::execute_statement(transaction, SQL, params)?;
        }
        Ok(())
    }

    /// Writes a link to the end of the chain.
    pub(super) fn write_link(&self, transaction: &Transaction<'_>) -> rusqlite::Result<()> {
        write_link(transaction, &self.session, self.sequence, &self.hash)
    }
}

/// Writes a link to a place of a chain.
pub(super) fn write_link(
    transaction: &Transaction<'_>,
    session: &str,
    sequence: u64,
    hash: &Hash,
) -> rusqlite::Result<()> {
    const NEWEST: &str = "SELECT number, link FROM heads ORDER BY number DESC LIMIT 1";
    const SQL: &str =
        "INSERT INTO heads(number, session, sequence, hash, link) VALUES (?, ?, ?, ?, ?)";
    let before: Option<(i64, Hash)> = sql::first_row(transaction, NEWEST, [])?;
    let (number, before) = before.unwrap_or((0, START));
    let link = link_hash(&before, session, sequence, hash);
    let params = params![number + 1, session, sequence as i64, hash, link];
    sql::execute_statement(transaction, SQL, params).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Fixed, so that a chain written by one version is verified by the next. Independent of this code: BLAKE3 of the bytes
    /// that the module documentation describes.
    #[test]
    fn hashes_are_what_they_were() {
        let body = r#"{"a":1}"#;
        let mut bytes = b"mc-audit-v1".to_vec();
        bytes.extend([0; 32]);
        bytes.extend([7, 0, 0, 0, 0, 0, 0, 0]);
        bytes.extend(body.as_bytes());
        assert_eq!(record_hash(&START, body), *blake3::hash(&bytes).as_bytes());
        assert_eq!(format_hex_hash(&record_hash(&START, body)), VECTOR);
    }

    const VECTOR: &str = "71bcdbb6a8b9662020b0a147604cadad4bdfd3b16a8602684d701ba7631923f6";
}
