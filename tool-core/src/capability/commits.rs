//! [`CommitRules`]: what a configuration requires of commit messages.

use crate::{Decode, Describe, Encode};

names! {
    /// Whether a part of a commit message must be there.
    #[derive(Default)]
    Presence {
        /// It may be missing.
        #[default]
        Optional = "optional",
        /// It must be there.
        Required = "required",
    }
}

/// Rules of commit messages: `type(scope): subject`, as Conventional Commits has it, with an optional reference on the last line.
#[derive(Debug, Clone, PartialEq, Eq, Encode, Decode, Describe)]
#[value(default)]
pub struct CommitRules {
    /// Types that a message may have
    pub types: Vec<String>,
    /// Scopes that a message may have; any where absent
    pub scopes: Option<Vec<String>>,
    /// Whether a message needs a scope
    pub scope: Presence,
    /// Reference at the end of a message, such as `[CR-20250101-001]`: `"required"` or `"optional"`
    pub reference: Presence,
}

impl Default for CommitRules {
    /// The conventional types; scope and reference are optional.
    fn default() -> Self {
        const TYPES: [&str; 11] = [
            "feat", "fix", "docs", "test", "refactor", "chore", "build", "ci", "perf", "style",
            "revert",
        ];
        Self {
            types: TYPES.map(str::to_owned).to_vec(),
            scopes: None,
            scope: Presence::default(),
            reference: Presence::default(),
        }
    }
}
