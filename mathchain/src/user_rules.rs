//! Rules recorded by `approve --always`: a file in the state folder, in the schema of the configuration.

use std::path::{Path, PathBuf};

use registry::document::{self, DocumentFormat};
use registry::load::layers_to_toml;
use registry::{Config, Level, LoadError, LoadErrors, PolicyLayer, PolicyRule, WorkspaceId};
use tool_core::{Result, tool_error};

use crate::io;

/// Name of the file in the state folder.
pub const FILE_NAME: &str = "user-rules.toml";

/// Name of the layer of recorded rules.
const LAYER: &str = "terminal";

const HEADER: &str =
    "# Recorded by `mathchain approve ID --always`; `mathchain policy forget N` deletes one.\n";

/// The file in a state folder.
pub fn rules_path(folder: &Path) -> PathBuf {
    folder.join(FILE_NAME)
}

/// The layers of rules recorded in a workspace.
///
/// # Errors
/// Every error of the file, with its place.
pub fn load_rules(folder: &Path, workspace: Option<&WorkspaceId>) -> Result<Vec<PolicyLayer>> {
    let mut layers = load_all_layers(folder)?;
    layers.retain(|layer| {
        let of = workspace_of(layer);
        of.is_some_and(|of| workspace.is_some_and(|here| here.id == of.id))
    });
    for layer in &mut layers {
        LAYER.clone_into(&mut layer.name);
    }
    Ok(layers)
}

/// The workspace that a layer is for: its name is `ROOT#ID`. Rules that an earlier version recorded are for none.
fn workspace_of(layer: &PolicyLayer) -> Option<WorkspaceId> {
    let (root, id) = layer.name.rsplit_once('#')?;
    Some(WorkspaceId {
        root: root.to_owned(),
        id: id.to_owned(),
        roots: Vec::new(),
    })
}

fn load_all_layers(folder: &Path) -> Result<Vec<PolicyLayer>> {
    let file = rules_path(folder);
    let Some(text) = crate::owned::read_owned_file(&file)? else {
        return Ok(Vec::new());
    };
    parse_rules(&file.to_string_lossy(), &text).map_err(Into::into)
}

fn parse_rules(name: &str, text: &str) -> Result<Vec<PolicyLayer>, LoadErrors> {
    let document = document::parse_document(name, text, DocumentFormat::Toml)?;
    let mut errors = Vec::new();
    let members = document.value.as_object().into_iter();
    for (key, _) in members.flat_map(|top| top.iter()) {
        if !matches!(key, "version" | "policies") {
            let pointer = format!("/{key}");
            let message =
                format!("`{key}` belongs in the configuration; this file has `policies` only");
            let error = LoadError::new(Some(&document.place(&pointer)), message);
            errors.push(error.at(pointer));
        }
    }
    LoadErrors::check(errors)?;
    let layers = Config::parse(name, text)?.layers;
    let others = layers.iter().filter(|layer| layer.level != Level::User);
    let message = "recorded rules have the level `user`; others belong in the configuration";
    let errors = others.map(|layer| LoadError::new(layer.place.as_ref(), message));
    LoadErrors::check(errors.collect())?;
    Ok(layers)
}

/// The rules of every workspace with its root, in the order of their numbers, which begin at 1. A rule without a root, which an
/// earlier version recorded, has no effect anywhere.
///
/// # Errors
/// As [`load_rules`].
pub fn list_rules(folder: &Path) -> Result<Vec<(Option<String>, PolicyRule)>> {
    let rules = load_all_layers(folder)?.into_iter().flat_map(|layer| {
        let root = workspace_of(&layer).map(|of| of.root);
        let rules = layer.rules.into_iter();
        rules.map(move |rule| (root.clone(), rule))
    });
    Ok(rules.collect())
}

/// Adds a rule for a workspace; gives its number.
///
/// # Errors
/// As [`load_rules`]; `tool_error` when the file cannot be written.
pub fn record_rule(folder: &Path, workspace: &WorkspaceId, rule: PolicyRule) -> Result<usize> {
    let mut layers = load_all_layers(folder)?;
    let is_its = |layer: &PolicyLayer| workspace_of(layer).is_some_and(|of| of.id == workspace.id);
    let index = layers.iter().position(is_its).unwrap_or_else(|| {
        let name = format!("{}#{}", workspace.root, workspace.id);
        layers.push(PolicyLayer::new(Level::User, name));
        layers.len() - 1
    });
    layers[index].rules.push(rule);
    write_layers(&rules_path(folder), &layers)?;
    Ok(layers[..=index].iter().map(|layer| layer.rules.len()).sum())
}

/// Deletes a rule.
///
/// # Errors
/// As [`record_rule`]; `invalid_args` for a number that no rule has.
pub fn forget_rule(folder: &Path, number: usize) -> Result<PolicyRule> {
    let mut layers = load_all_layers(folder)?;
    let mut left = number.wrapping_sub(1);
    for layer in &mut layers {
        if left < layer.rules.len() {
            let rule = layer.rules.remove(left);
            let is_empty = |layer: &PolicyLayer| {
                layer.rules.is_empty() && layer.allow.is_none() && layer.deny.is_empty()
            };
            layers.retain(|layer| !is_empty(layer));
            write_layers(&rules_path(folder), &layers)?;
            return Ok(rule);
        }
        left = left.wrapping_sub(layer.rules.len());
    }
    Err(tool_error!(InvalidArgs, "unknown_rule";
        "no recorded rule has the number {number}"; "`mathchain policy rules` lists them"))
}

/// Replaces the file atomically, readable by this user alone.
fn write_layers(file: &Path, layers: &[PolicyLayer]) -> Result<()> {
    let text = format!("{HEADER}{}", layers_to_toml(layers));
    let written = io::replace_file(file, text.as_bytes(), io::FileReaders::Owner);
    written.map_err(|err| io::cannot_write(file, &err))
}

#[cfg(test)]
mod tests {
    use registry::Verdict;

    use super::*;

    #[test]
    fn rules_are_recorded_numbered_and_forgotten() {
        let folder = tempfile::tempdir().expect("a folder");
        let here = workspace("/a#b", "1f");
        assert_eq!(list_rules(folder.path()).expect("reads"), Vec::new());
        for (number, tool) in [(1, "write_file"), (2, "run_shell")] {
            let rule = PolicyRule::new(Verdict::Allow, [tool]);
            let recorded = record_rule(folder.path(), &here, rule);
            assert_eq!(recorded.expect("writes"), number);
        }
        assert!(forget_rule(folder.path(), 0).is_err() && forget_rule(folder.path(), 3).is_err());
        let gone = forget_rule(folder.path(), 1).expect("forgets");
        assert_eq!(gone.matches.tools[0].text, "write_file");
        let left = list_rules(folder.path()).expect("reads");
        assert_eq!(left.len(), 1);
        assert_eq!(left[0].0.as_deref(), Some("/a#b"));
        let place = left[0].1.place.as_ref();
        assert_eq!(place.map(|place| place.line), Some(8));
        forget_rule(folder.path(), 1).expect("forgets");
        assert_eq!(load_all_layers(folder.path()).expect("reads"), Vec::new());
    }

    fn workspace(root: &str, id: &str) -> WorkspaceId {
        WorkspaceId {
            root: root.to_owned(),
            id: id.to_owned(),
            roots: Vec::new(),
        }
    }

    #[test]
    fn rules_hold_in_the_workspace_they_were_recorded_in() {
        let folder = tempfile::tempdir().expect("a folder");
        let (a, b) = (workspace("/a", "1"), workspace("/b", "2"));
        let record =
            |of, tool| record_rule(folder.path(), of, PolicyRule::new(Verdict::Allow, [tool]));
        assert_eq!(record(&a, "x").expect("writes"), 1);
        assert_eq!(record(&b, "y").expect("writes"), 2);
        assert_eq!(record(&a, "z").expect("writes"), 2, "beside the first");
        let tools = |of: Option<&WorkspaceId>| -> Vec<String> {
            let layers = load_rules(folder.path(), of).expect("reads").into_iter();
            let rules = layers.flat_map(|layer| layer.rules);
            rules
                .map(|rule| rule.matches.tools[0].text.clone())
                .collect()
        };
        assert_eq!(tools(Some(&a)), ["x", "z"]);
        // A folder that was moved is the same one.
        assert_eq!(tools(Some(&workspace("/elsewhere", "2"))), ["y"]);
        assert!(
            tools(Some(&workspace("/a", "3"))).is_empty(),
            "a fresh checkout"
        );
        assert!(tools(None).is_empty());
    }

    #[test]
    fn only_rules_of_the_user_are_read() {
        for (text, part) in [
            (
                "version = 1\n[limits]\ntimeout_ms = 1\n",
                "`limits` belongs in",
            ),
            (
                "version = 1\n[[policies]]\nlevel = \"global\"\n",
                "the level `user`",
            ),
            (
                "version = 1\n[[policies]]\nlevel = \"user\"\nalow = []\n",
                "did you mean `allow`?",
            ),
        ] {
            let errors = parse_rules("user-rules.toml", text)
                .expect_err(text)
                .to_string();
            assert!(errors.contains(part), "{errors}");
            assert!(errors.contains("user-rules.toml:"), "{errors}");
        }
    }
}
