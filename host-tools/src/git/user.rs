//! The user's own configuration of git: exactly the name, the address and the key of the author, credential helpers, and replacements of
//! addresses.

use std::path::{Path, PathBuf};

use tool_core::command::CommandAccess;

use super::failure;
use super::repository::{base_command, check_finished};
use super::settings::GitSetting;
use crate::prelude::*;

/// Most files that include one another.
const FILES_MAX: usize = 20;

/// The user's settings of some kinds, in their order. `~/.gitconfig` and `~/.config/git/config` are read, and the files that they include
/// unconditionally.
///
/// # Errors
/// A configuration that git cannot read.
pub(super) fn user_settings(ctx: &Ctx, kinds: &[&str]) -> Result<Vec<GitSetting>> {
    let Some(home) = ctx.spawner()?.home() else {
        return Ok(Vec::new());
    };
    let mut found = Vec::new();
    let mut read = 0;
    for file in [".config/git/config", ".gitconfig"] {
        collect_settings(ctx, &home, &home.join(file), &mut read, &mut found)?;
    }
    found.retain(|setting| kinds.contains(&setting.kind().as_str()));
    Ok(found)
}

/// Adds the settings of a file, with those of the files that it includes in their places.
fn collect_settings(
    ctx: &Ctx,
    home: &Path,
    file: &Path,
    read: &mut usize,
    found: &mut Vec<GitSetting>,
) -> Result<()> {
    *read += 1;
    if *read > FILES_MAX {
        return Err(tool_error!(LimitExceeded, "includes";
            "the user's configuration of git includes more than {FILES_MAX} files"));
    }
    let Some(path) = file.to_str() else {
        return Ok(());
    };
    let spawner = ctx.spawner()?;
    let Some(git) = spawner.find("git") else {
        return Ok(());
    };
    let words = ["config", "--file", path, "--no-includes", "--list", "-z"];
    let mut command = base_command(&git, &words);
    command.workspace = CommandAccess::None;
    command.directory = ".".to_owned();
    command.readable.push(file.to_owned());
    command.limits.stdout_bytes = 1 << 20;
    let finished = check_finished(spawner.run(&command, ctx.stop())?)?;
    if !finished.exit.success() {
        let said = finished.stderr.text();
        return match said.contains("No such file") || said.contains("unable to read config file") {
            true => Ok(()),
            false => Err(failure::error_from_stderr(&said, finished.exit.code())),
        };
    }
    for setting in GitSetting::list(&finished.stdout.bytes) {
        let included = setting
            .value
            .as_deref()
            .filter(|_| setting.key == "include.path");
        match included {
            Some(included) => {
                let target = included_path(home, file, included);
                collect_settings(ctx, home, &target, read, found)?;
            }
            None => found.push(setting),
        }
    }
    Ok(())
}

/// The file that an include names: below the home folder, or beside the file that includes it.
fn included_path(home: &Path, file: &Path, included: &str) -> PathBuf {
    match included.strip_prefix("~/") {
        Some(rest) => home.join(rest),
        None => file.parent().unwrap_or(home).join(included),
    }
}
