//! The configuration of a repository, which is data of strangers: what of it would run a program is overridden, or refused by name.
//!
//! A setting is overridden where git without it does the same work, and filters are switched off: what needs the content of a file that has
//! one is refused by [`refuse_filters`]. An include hides other settings, so that it is refused.
//!
//! # References
//! `git-config(1)` and the lists of the sources of git 2.47, read for every setting whose value is run or loaded.

use crate::prelude::*;

/// Settings of every start of git, above those of the repository.
pub(super) const FIXED: &[(&str, &str)] = &[
    ("core.hooksPath", "/dev/null"),
    ("core.fsmonitor", "false"),
    ("core.editor", "false"),
    ("core.pager", "cat"),
    ("core.askPass", "false"),
    ("core.sshCommand", "false"),
    ("core.gitProxy", "false"),
    ("core.attributesFile", "/dev/null"),
    ("sequence.editor", "false"),
    ("credential.helper", ""), // an empty one removes those before it
    ("commit.gpgSign", "false"),
    ("tag.gpgSign", "false"),
    ("push.gpgSign", "false"),
    ("log.showSignature", "false"),
    ("gpg.program", "false"),
    ("gpg.openpgp.program", "false"),
    ("gpg.x509.program", "false"),
    ("gpg.ssh.program", "false"),
    ("gpg.ssh.defaultKeyCommand", "false"),
    ("gc.auto", "0"),
    ("maintenance.auto", "false"),
    ("receive.autogc", "false"),
    ("submodule.recurse", "false"),
    ("push.recurseSubmodules", "no"),
    ("push.followTags", "false"),
    ("protocol.allow", "never"),
    ("user.useConfigOnly", "true"),
    ("status.renames", "copies"),
    ("status.submoduleSummary", "false"),
    ("i18n.commitEncoding", "UTF-8"),
    ("i18n.logOutputEncoding", "UTF-8"),
    ("color.ui", "never"),
];

/// Settings that no override replaces, `section.name` without the part between: the call is refused.
const REFUSED: &[&str] = &[
    "include.path",
    "includeif.path",
    "core.worktree",
    "core.alternaterefscommand",
    "hook.command",
];

/// Sections and settings that decide where a push goes and with which secrets; the user's own count instead.
const REFUSED_FOR_PUSH: &[&str] = &[
    "remote.receivepack",
    "remote.uploadpack",
    "remote.vcs",
    "remote.proxy",
    "remote.mirror",
    "credential",
    "http",
    "protocol",
    "url",
];

/// Programs that change contents between the work tree and the index; an empty one is none.
const FILTERS: &[&str] = &["filter.clean", "filter.smudge", "filter.process"];

/// Drivers, which only their own names override.
const DRIVERS: &[&str] = &["merge.driver", "diff.command", "diff.textconv"];

/// One setting, with its name as git prints it: section and last part in lower case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct GitSetting {
    pub(super) key: String,
    /// `None` for a name without a value, which is true.
    pub(super) value: Option<String>,
}

impl GitSetting {
    /// Reads the output of `git config --list -z`.
    pub(super) fn list(bytes: &[u8]) -> Vec<Self> {
        let text = String::from_utf8_lossy(bytes);
        let entries = text.split('\0').filter(|entry| !entry.is_empty());
        let read = |entry: &str| match entry.split_once('\n') {
            Some((key, value)) => (key.to_owned(), Some(value.to_owned())),
            None => (entry.to_owned(), None),
        };
        entries
            .map(read)
            .map(|(key, value)| Self { key, value })
            .collect()
    }

    /// Section and last part, without the part between, which may have dots.
    pub(super) fn kind(&self) -> String {
        let section = self.key.split('.').next().unwrap_or_default();
        let name = self.key.rsplit('.').next().unwrap_or_default();
        format!("{section}.{name}").to_ascii_lowercase()
    }

    fn is_true(&self) -> bool {
        self.value.as_ref().is_none_or(|value| {
            !matches!(
                value.to_ascii_lowercase().as_str(),
                "false" | "no" | "off" | "0" | ""
            )
        })
    }
}

/// What the work with a repository is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GitOperation {
    /// It stays on this machine.
    Local,
    /// It pushes.
    Push,
}

/// The overrides that a repository needs beside [`FIXED`].
///
/// # Errors
/// `policy_denied` with reason `git_config` and the name of a setting that is not overridden.
pub(super) fn required_overrides(
    settings: &[GitSetting],
    work: GitOperation,
) -> Result<Vec<(String, String)>> {
    let mut overrides = Vec::new();
    for setting in settings {
        let kind = setting.kind();
        let section = kind.split('.').next().unwrap_or_default();
        let listed = |list: &[&str]| list.iter().any(|one| *one == kind || *one == section);
        if kind == "core.bare" && setting.is_true() {
            return Err(bare_repository_error());
        }
        if listed(REFUSED) || work == GitOperation::Push && listed(REFUSED_FOR_PUSH) {
            return Err(setting_refused(&setting.key));
        }
        if listed(DRIVERS) {
            overrides.push((setting.key.clone(), "false".to_owned()));
        }
        if listed(FILTERS) {
            overrides.push((setting.key.clone(), String::new()));
            let filter = setting
                .key
                .rsplit_once('.')
                .map_or("", |(filter, _)| filter);
            overrides.push((format!("{filter}.required"), "false".to_owned()));
        }
    }
    Ok(overrides)
}

/// The names of the filters that a repository configures, each once.
pub(super) fn filter_names(settings: &[GitSetting]) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    let filters = settings
        .iter()
        .filter(|one| FILTERS.contains(&&*one.kind()));
    for setting in filters {
        let name = setting.key.split_once('.').map_or("", |(_, rest)| rest);
        let name = name.rsplit_once('.').map_or("", |(name, _)| name);
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

pub(super) fn bare_repository_error() -> ToolError {
    tool_error!(PreconditionFailed at "/repo_path", "bare";
        "the repository is bare: it has no work tree"; "name a folder with a work tree")
}

fn setting_refused(key: &str) -> ToolError {
    let shown: String = key.chars().take(120).collect();
    tool_error!(PolicyDenied at "/repo_path", "git_config";
        "the configuration of the repository sets `{}`, which can run a program or leads elsewhere", shown.escape_debug();
        "the user removes it from `.git/config`, or runs git by hand")
}

/// Refuses files whose attributes name a filter: without its program, git would take their content as it is.
///
/// `attributes` is the output of `git check-attr -z filter`: path, `filter`, value, for each file.
///
/// # Errors
/// `policy_denied` with reason `git_filter`.
pub(super) fn refuse_filters(attributes: &[u8]) -> Result<()> {
    let fields: Vec<&[u8]> = attributes.split(|&byte| byte == 0).collect();
    for field in fields.chunks_exact(3) {
        let value = String::from_utf8_lossy(field[2]);
        if matches!(&*value, "unspecified" | "unset") {
            continue;
        }
        let path = String::from_utf8_lossy(field[0]);
        return Err(tool_error!(PolicyDenied, "git_filter";
            "`{}` has the filter `{}`, and no filter runs here", path.escape_debug(), value.escape_debug();
            "leave the file out; the user commits it or checks it out by hand"));
    }
    Ok(())
}
