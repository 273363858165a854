//! The hash chains: what each hash covers.
//!
//! Record `i` of a session has `h_i = blake3("mc-audit-v1" || h_{i-1} || length || record)`, where the record is canonical
//! JSON, the length is that of its bytes (64 bits, little-endian), and `h_0` covers the session's header in the same way
//! after 32 zero bytes. The links of the table `heads` are made likewise with `"mc-heads-v1"`.

use tool_core::{Value, json};

/// A BLAKE3 hash.
pub(super) type Hash = [u8; 32];

/// What comes before the first element of a chain.
pub(super) const START: Hash = [0; 32];

const AUDIT: &[u8] = b"mc-audit-v1";
const HEADS: &[u8] = b"mc-heads-v1";

/// The hash of a record after another.
pub(super) fn record_hash(before: &Hash, body: &str) -> Hash {
    hash(AUDIT, before, body)
}

/// The hash of a link after another.
pub(super) fn link_hash(before: &Hash, session: &str, sequence: u64, head: &Hash) -> Hash {
    let body = Value::object([
        ("session", Value::from(session)),
        ("sequence", Value::from(sequence)),
        ("hash", Value::from(hex(head))),
    ]);
    hash(HEADS, before, &json::canonical(&body))
}

fn hash(domain: &[u8], before: &Hash, body: &str) -> Hash {
    let mut hasher = blake3::Hasher::new();
    hasher.update(domain);
    hasher.update(before);
    hasher.update(&(body.len() as u64).to_le_bytes());
    hasher.update(body.as_bytes());
    hasher.finalize().into()
}

/// 64 hex digits.
pub(super) fn hex(hash: &Hash) -> String {
    blake3::Hash::from(*hash).to_hex().to_string()
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
        assert_eq!(hex(&record_hash(&START, body)), VECTOR);
    }

    const VECTOR: &str = "71bcdbb6a8b9662020b0a147604cadad4bdfd3b16a8602684d701ba7631923f6";
}
