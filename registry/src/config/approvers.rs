//! Who may answer approvals with a key: names and digests of keys, in a file of the user's.

use super::part::Part;
use crate::digest::Parts;
use crate::document::{self, Format};
use crate::error::LoadErrors;

/// Names that say how a call was approved, and so name nobody.
const TAKEN: [&str; 2] = ["terminal", "caller-yes"];

/// Somebody who answers approvals, known by a key that only that person has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Approver {
    /// The name in approvals and audit.
    pub name: String,
    /// [`key_digest`] of the key.
    pub digest: String,
}

impl Approver {
    /// Reads a file of approvers: `[approvers]` with `NAME = "DIGEST"`.
    ///
    /// # Errors
    /// All that is wrong with it.
    pub fn parse_all(name: &str, text: &str) -> Result<Vec<Self>, LoadErrors> {
        let document = document::parse(name, text, Format::of_name(name))?;
        let mut errors = document.secrets();
        let mut found: Vec<Self> = Vec::new();
        approvers(Part::root(&document, &mut errors), &mut found);
        LoadErrors::check(errors)?;
        Ok(found)
    }
}

/// What a file of approvers can say.
pub(super) fn approvers(part: Part<'_>, found: &mut Vec<Approver>) {
    let Some(mut top) = part.into_table(&["version", "approvers"]) else {
        return;
    };
    top.version();
    top.each_named("approvers", |name, mut part| {
        let letters = |byte: u8| byte.is_ascii_alphanumeric() || b"._@-".contains(&byte);
        if name.is_empty() || !name.bytes().all(letters) || TAKEN.contains(&name.as_str()) {
            part.report(format!("`{name}` is no name for an approver"), None);
        }
        let Some(digest) = part.as_text() else { return };
        let hex = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        if digest.len() != 64 || !digest.bytes().all(hex) {
            part.report(
                "expected the digest of a key, 64 hex digits".to_owned(),
                None,
            );
        }
        if found.iter().any(|other| other.digest == digest) {
            part.report("two approvers have this key".to_owned(), None);
        }
        found.push(Approver { name, digest });
    });
}

/// What stands for a key where it may be read: nobody finds the key by it.
pub fn key_digest(key: &[u8]) -> String {
    let mut parts = Parts::new();
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
            "approvers.toml:3:1: `terminal` is no name for an approver",
            "approvers.toml:4:1: two approvers have this key",
            "approvers.toml:5:1: expected the digest of a key",
        ] {
            assert!(errors.contains(part), "{part}: {errors}");
        }
    }
}
