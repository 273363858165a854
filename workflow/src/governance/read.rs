//! Reads a governance file; every unknown name is an error with its place.

use registry::document::{self, DocumentFormat};
use registry::{LoadError, LoadErrors, ParsedDocument};
use tool_core::{Decode, Describe};

use super::{Action, FileRule, Governance, OnCollision, PathGlob, RoleRules, Strategy};
use crate::limits::RULES_MAX;
use crate::roles;
use registry::model::NamedTable;

#[derive(Debug, Default, Decode, Describe)]
#[value(default)]
struct GovernanceFile {
    /// Rules for every role
    mutations: MutationRules,
    /// Locks of chains
    collision_detection: CollisionRules,
    /// Rules by role
    roles: Option<NamedTable<OfRole>>,
    /// Exemptions of other checks, which these rules do not use
    #[value(rename = "validation")]
    _validation: tool_core::Value,
}

#[derive(Debug, Default, Decode, Describe)]
#[value(default)]
struct MutationRules {
    /// What may happen
    allow: Vec<GovernanceRule>,
    /// What a person is asked about
    approve: Vec<GovernanceRule>,
    /// What may not happen
    deny: Vec<GovernanceRule>,
}

#[derive(Debug, Default, Decode, Describe)]
#[value(default)]
struct CollisionRules {
    /// What locks are about
    strategy: Strategy,
    /// What a collision leads to
    on_collision: OnCollision,
}

#[derive(Debug, Default, Decode, Describe)]
#[value(default)]
struct OfRole {
    /// The key of its table.
    #[value(rename = "$name")]
    name: String,
    /// What the role may do
    allow: Vec<GovernanceRule>,
    /// What the role may not do
    deny: Vec<GovernanceRule>,
}

#[derive(Debug, Decode, Describe)]
struct GovernanceRule {
    /// Pattern of paths
    pattern: String,
    /// What it is about; everything where absent
    #[value(default)]
    actions: Option<Vec<String>>,
    /// Reason, for messages
    #[value(default)]
    reason: Option<String>,
}

/// Reads a governance file.
///
/// # Errors
/// Everything that is wrong, each with file, line and key: unknown keys, actions and roles, malformed patterns, empty lists of actions.
pub fn read_governance(file: &str, text: &str) -> Result<Governance, LoadErrors> {
    let document = document::parse_document(file, text, DocumentFormat::Yaml)?;
    let mut errors = Vec::new();
    let read: Option<GovernanceFile> = match document.value.is_null() {
        true => Some(GovernanceFile::default()),
        false => document::read_typed(&document, &mut errors),
    };
    LoadErrors::check(std::mem::take(&mut errors))?;
    let read = read.unwrap_or_default();
    let mut check = GovernanceReader {
        document: &document,
        errors: &mut errors,
    };
    let MutationRules {
        allow,
        approve,
        deny,
    } = read.mutations;
    let governance = Governance {
        allow: check.rules("/mutations/allow", allow),
        approve: check.rules("/mutations/approve", approve),
        deny: check.rules("/mutations/deny", deny),
        roles: read.roles.map(|roles| check.roles(roles.0)),
        strategy: read.collision_detection.strategy,
        on_collision: read.collision_detection.on_collision,
    };
    LoadErrors::check(errors)?;
    Ok(governance)
}

struct GovernanceReader<'a> {
    document: &'a ParsedDocument,
    errors: &'a mut Vec<LoadError>,
}

impl GovernanceReader<'_> {
    fn report(&mut self, pointer: &str, message: impl std::fmt::Display, hint: Option<String>) {
        let mut error = LoadError::new(Some(&self.document.place(pointer)), message).at(pointer);
        error.hint = hint;
        self.errors.push(error);
    }

    fn rules(&mut self, pointer: &str, rules: Vec<GovernanceRule>) -> Vec<FileRule> {
        if rules.len() > RULES_MAX {
            self.report(
                pointer,
                format!("{} rules, the limit is {RULES_MAX}", rules.len()),
                None,
            );
            return Vec::new();
        }
        let numbered = rules.into_iter().enumerate();
        numbered
            .filter_map(|(position, rule)| self.rule(&format!("{pointer}/{position}"), rule))
            .collect()
    }

    fn rule(&mut self, pointer: &str, rule: GovernanceRule) -> Option<FileRule> {
        let actions = self.actions(&format!("{pointer}/actions"), rule.actions);
        match PathGlob::parse(&rule.pattern) {
            Ok(glob) => Some(FileRule {
                text: rule.pattern,
                glob,
                actions,
                reason: rule.reason,
            }),
            Err(expected) => {
                let found = tool_core::brief::brief_name(&rule.pattern).into_owned();
                self.report(
                    &format!("{pointer}/pattern"),
                    format!("expected {expected}, found `{found}`"),
                    None,
                );
                None
            }
        }
    }

    fn actions(&mut self, pointer: &str, names: Option<Vec<String>>) -> Vec<Action> {
        let Some(names) = names else {
            return Action::ALL.to_vec();
        };
        if names.is_empty() {
            self.report(
                pointer,
                "a rule without actions never applies",
                Some("leave `actions` out for all of them".to_owned()),
            );
        }
        let mut actions = Vec::new();
        for (position, name) in names.iter().enumerate() {
            match Action::parse(name) {
                Some(action) => actions.push(action),
                None => {
                    let known = Action::ALL.iter().map(|action| action.as_str());
                    let hint = match name.as_str() {
                        "move" | "rename" => {
                            "write `delete` for the old path and `create` for the new one"
                                .to_owned()
                        }
                        _ => match tool_core::nearest::nearest_name(name, known) {
                            Some(near) => format!("did you mean `{near}`?"),
                            None => "actions are `create`, `modify`, `delete`".to_owned(),
                        },
                    };
                    let name = tool_core::brief::brief_name(name).into_owned();
                    self.report(
                        &format!("{pointer}/{position}"),
                        format!("no action is named `{name}`"),
                        Some(hint),
                    );
                }
            }
        }
        actions
    }

    fn roles(&mut self, roles: Vec<OfRole>) -> Vec<RoleRules> {
        let mut read: Vec<RoleRules> = Vec::new();
        for OfRole { name, allow, deny } in roles {
            let mut pointer = "/roles".to_owned();
            tool_core::path::push_key(&mut pointer, &name);
            let Some(role) = roles::find_role(&name) else {
                let near = tool_core::nearest::nearest_name(&name, roles::role_names());
                let hint = near.map(|near| format!("did you mean `{near}`?"));
                self.report(
                    &pointer,
                    format!("no role is named `{}`", tool_core::brief::brief_name(&name)),
                    hint,
                );
                continue;
            };
            if read.iter().any(|rules| rules.role == role.name) {
                self.report(
                    &pointer,
                    format!("the role `{}` is given twice", role.name),
                    None,
                );
            }
            read.push(RoleRules {
                role: role.name.to_owned(),
                allow: self.rules(&format!("{pointer}/allow"), allow),
                deny: self.rules(&format!("{pointer}/deny"), deny),
            });
        }
        read
    }
}
