//! Approvers: names and digests of the keys that may answer approval requests, in a file of the user's.

use std::collections::BTreeMap;

use tool_core::{Decode, Describe};

use crate::digest::DigestParts;
use crate::document::{self, DocumentFormat};
use crate::error::LoadErrors;
use crate::model::{FormatVersion, ToolSelector};

/// Names that the audit log uses for approvals without a key.
const TAKEN: [&str; 2] = ["terminal", "caller-yes"];

/// A user who answers approval requests, known by a secret key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Approver {
    /// The name in approvals and audit.
    pub name: String,
    /// [`key_digest`] of the key.
    pub digest: String,
}

/// A file of approvers: `[approvers]` with `NAME = "DIGEST"`.
#[derive(Debug, Default, Decode, Describe)]
#[value(default)]
#[schema(extend("required" = ["version"]))]
pub(super) struct ApproversFile {
    version: FormatVersion,
    /// Digests of keys, by the names of their owners
    approvers: BTreeMap<String, ToolSelector>,
}

impl Approver {
    /// Reads a file of approvers: `[approvers]` with `NAME = "DIGEST"`.
    ///
    /// # Errors
    /// Every problem of the file.
    pub fn parse_all(name: &str, text: &str) -> Result<Vec<Self>, LoadErrors> {
        let document = document::parse_document(name, text, DocumentFormat::of_name(name))?;
        let mut errors = document.secrets();
        let file: ApproversFile = document::read_typed(&document, &mut errors).unwrap_or_default();
        let mut found: Vec<Self> = Vec::new();
        let mut approvers: Vec<_> = file.approvers.into_iter().collect();
        approvers.sort_by_key(|(_, digest)| digest.place.as_ref().map(|place| place.line));
        for (name, digest) in approvers {
            let mut report = |message: &str| errors.push(digest.error(message));
            let letters = |byte: u8| byte.is_ascii_alphanumeric() || b"._@-".contains(&byte);
            if name.is_empty() || !name.bytes().all(letters) || TAKEN.contains(&name.as_str()) {
                report(&format!("`{name}` is not a valid name of an approver"));
            }
            let hex = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
            if digest.text.len() != 64 || !digest.text.bytes().all(hex) {
                report("expected the digest of a key, 64 hex digits");
            }
            if found.iter().any(|other| other.digest == digest.text) {
                report("two approvers have this key");
            }
            let digest = digest.text;
            found.push(Self { name, digest });
        }
        LoadErrors::check(errors)?;
        Ok(found)
    }
}

/// The digest of a key, from which the key cannot be found.
pub fn key_digest(key: &[u8]) -> String {
    let mut parts = DigestParts::new();
    parts.add(b"mathchain approver key");
    parts.add(key);
    parts.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn approvers_have_names_and_keys_of_their_own() {
        let (anna, ben) = (key_digest(b"one"), key_digest(b"two"));
        let text =
            format!("version = 1\n[approvers]\nanna = \"{anna}\"\n\"ben@home\" = \"{ben}\"\n");
        let found = Approver::parse_all("approvers.toml", &text).unwrap();
        assert_eq!(found.len(), 2);
        assert_eq!((&*found[1].name, &found[1].digest), ("ben@home", &ben));
        let wrong = format!(
            "version = 1\n[approvers]\nterminal = \"{anna}\"\nben = \"{anna}\"\nc = \"12\"\n"
        );
        let errors = Approver::parse_all("approvers.toml", &wrong)
            .unwrap_err()
            .to_string();
        for part in [
            "approvers.toml:3:1: `terminal` is not a valid name of an approver",
            "approvers.toml:4:1: two approvers have this key",
            "approvers.toml:5:1: expected the digest of a key",
        ] {
            assert!(errors.contains(part), "{part}: {errors}");
        }
    }
}
