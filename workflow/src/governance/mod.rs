//! Governance: which role may create, change or delete which files, and whose locks collide.
//!
//! [`Governance::decide`] takes the first that applies: a global denial; a denial of the role; for a role with rules of its own,
//! nothing that allows it; a global `approve` (ask); an allowance of the role, or without a section of roles a global one; else
//! denial. The global denials are consulted for every role. Denials and `approve` ignore case, since some file systems do;
//! allowances do not.

mod braces;
mod class;
pub mod collide;
mod glob;
mod intersect;
mod read;

use tool_core::names;

pub use glob::{
    ALTERNATIVES_MAX, GlobCase, NAMES_MAX, PATTERN_BYTES_MAX, PathGlob, split_workspace_path,
};
pub use read::read_governance;

names! {
    /// What happens to a file.
    Action {
        /// It comes into being.
        Create = "create",
        /// It changes.
        Modify = "modify",
        /// It vanishes.
        Delete = "delete",
    }

    /// What the rules say.
    Ruling {
        /// It may happen.
        Allow = "allow",
        /// A person is asked first.
        Ask = "ask",
        /// It may not happen.
        Deny = "deny",
    }

    /// What a lock is about.
    #[derive(Default)]
    Strategy {
        /// Files.
        #[default]
        FileLock = "file-lock",
        /// The folders of files.
        DirectoryLock = "directory-lock",
    }

    /// What a collision leads to.
    #[derive(Default)]
    OnCollision {
        /// The lock is refused.
        #[default]
        Block = "block",
        /// The lock is given, with a warning.
        Warn = "warn",
    }
}

/// A rule on files.
#[derive(Debug, Clone, PartialEq)]
pub struct FileRule {
    /// The pattern as written.
    pub text: String,
    /// The pattern.
    pub glob: PathGlob,
    /// What it is about; never empty.
    pub actions: Vec<Action>,
    /// The reason given.
    pub reason: Option<String>,
}

impl FileRule {
    fn fits(&self, action: Action, path: &[&str], case: GlobCase) -> bool {
        self.actions.contains(&action) && self.glob.matches(path, case)
    }
}

/// The rules of a role.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RoleRules {
    /// Its name.
    pub role: String,
    /// What it may do.
    pub allow: Vec<FileRule>,
    /// What it may not do.
    pub deny: Vec<FileRule>,
}

/// The rules of a project. Without any rule everything is denied.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Governance {
    /// What may happen.
    pub allow: Vec<FileRule>,
    /// What a person is asked about.
    pub approve: Vec<FileRule>,
    /// What may not happen.
    pub deny: Vec<FileRule>,
    /// Rules of roles; `None` without a section of roles.
    pub roles: Option<Vec<RoleRules>>,
    /// What locks are about.
    pub strategy: Strategy,
    /// What a collision leads to.
    pub on_collision: OnCollision,
}

/// A ruling and what it rests on.
#[derive(Debug, Clone, PartialEq)]
pub struct GovernanceRuling {
    /// The ruling.
    pub ruling: Ruling,
    /// The reason, in words.
    pub reason: String,
}

impl Governance {
    /// Whether there are rules of roles, and none of this one.
    pub fn names_no(&self, role: &str) -> bool {
        let roles = self.roles.as_ref();
        roles.is_some_and(|roles| roles.iter().all(|rules| rules.role != role))
    }

    /// What the rules say about an action on a path; `role` is a canonical role name or none.
    ///
    /// # Errors
    /// A path that leaves the workspace or is none; the text says what is expected.
    pub fn decide(
        &self,
        role: Option<&str>,
        action: Action,
        text: &str,
    ) -> Result<GovernanceRuling, String> {
        let path = split_workspace_path(text)?;
        let first = |rules: &'_ [FileRule], case| {
            rules.iter().position(|rule| rule.fits(action, &path, case))
        };
        // What denies or asks ignores case, since a file system may; what allows does not.
        if let Some(position) = first(&self.deny, GlobCase::Ignored) {
            return Ok(rule_decision(
                Ruling::Deny,
                "the project",
                "deny",
                &self.deny[position],
            ));
        }
        let own = match (&self.roles, role) {
            (None, _) => None,
            (Some(roles), Some(role)) => match roles.iter().find(|rules| rules.role == role) {
                Some(rules) => Some(rules),
                None => return Ok(denial_decision(format!("role `{role}` has no rules"))),
            },
            (Some(_), None) => {
                return Ok(denial_decision(
                    "the project has rules by role, and the caller has none".to_owned(),
                ));
            }
        };
        if let Some(rules) = own
            && let Some(position) = first(&rules.deny, GlobCase::Ignored)
        {
            return Ok(rule_decision(
                Ruling::Deny,
                &format!("role `{}`", rules.role),
                "deny",
                &rules.deny[position],
            ));
        }
        let (whose, allow) = match own {
            Some(rules) => (format!("role `{}`", rules.role), &rules.allow),
            None => ("the project".to_owned(), &self.allow),
        };
        let allowed = first(allow, GlobCase::Exact);
        let nothing = || denial_decision(format!("no rule of {whose} allows to {action} `{text}`"));
        // Nobody is asked about what the role could not do anyway.
        if own.is_some() && allowed.is_none() {
            return Ok(nothing());
        }
        if let Some(position) = first(&self.approve, GlobCase::Ignored) {
            return Ok(rule_decision(
                Ruling::Ask,
                "the project",
                "approve",
                &self.approve[position],
            ));
        }
        Ok(match allowed {
            Some(position) => rule_decision(Ruling::Allow, &whose, "allow", &allow[position]),
            None => nothing(),
        })
    }

    /// The pattern that a lock of a file takes: the file, or its folder.
    pub fn lock_pattern(&self, text: &str) -> Result<String, String> {
        let names = split_workspace_path(text)?;
        Ok(match (self.strategy, names.split_last()) {
            (Strategy::DirectoryLock, Some((_, folder))) if !folder.is_empty() => {
                glob::literal_pattern(folder) + "/**"
            }
            _ => glob::literal_pattern(&names),
        })
    }
}

fn rule_decision(ruling: Ruling, whose: &str, list: &str, rule: &FileRule) -> GovernanceRuling {
    let reason = rule
        .reason
        .as_ref()
        .map(|reason| format!(": {reason}"))
        .unwrap_or_default();
    GovernanceRuling {
        ruling,
        reason: format!("`{list}` of {whose}, pattern `{}`{reason}", rule.text),
    }
}

fn denial_decision(reason: String) -> GovernanceRuling {
    GovernanceRuling {
        ruling: Ruling::Deny,
        reason,
    }
}

#[cfg(test)]
mod tests;
