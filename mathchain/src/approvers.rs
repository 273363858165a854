//! Approvers: the user at the terminal, or the holders of keys listed in the user's configuration folder.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use journal::WITHOUT_KEY;
use registry::load::{Approver, key_digest};
use registry::{ApprovalsFrom, Config};
use tool_core::{Result, ToolError, tool_error};

use crate::environment;

/// The list, in the user's configuration folder.
const FILE_NAME: &str = "approvers.toml";

/// Sizes of keys in bytes; the minimum prevents guessing.
const KEY_LEAST: usize = 32;
const KEY_MOST: usize = 4096;

/// The approvers of this user; `None` without a list.
///
/// # Errors
/// An unreadable list, and every error in it.
pub fn load_approvers() -> Result<Option<Vec<Approver>>> {
    let Some(list) = approvers_path() else {
        return Ok(None);
    };
    match list.symlink_metadata() {
        Err(err) if err.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Ok(_) if !list.is_file() => {
            return Err(tool_error!(InvalidRequest, "approvers";
                "`{}` is not a readable file", list.display();
                "it lists approvers: repair or remove it"));
        }
        _ => {}
    }
    let Some(text) = crate::owned::read_owned_file(&list)? else {
        return Ok(None);
    };
    Ok(Some(Approver::parse_all(&list.to_string_lossy(), &text)?))
}

fn approvers_path() -> Option<PathBuf> {
    Some(environment::user_config_folder()?.join(FILE_NAME))
}

fn approvers_path_text() -> String {
    approvers_path().map_or_else(|| FILE_NAME.to_owned(), |list| list.display().to_string())
}

/// Requires keys if approvers are configured, whatever the configuration says.
pub fn require_approver_keys(config: &mut Config) -> Result<()> {
    if load_approvers()?.is_some() {
        config.approvals.from = ApprovalsFrom::Key;
    }
    Ok(())
}

/// The error for a decision without a key if approvers have keys.
pub fn key_needed(what: &str) -> ToolError {
    tool_error!(PolicyDenied, "approver"; "approval requires an approver's key: {what}";
        "`mathchain approve ID --key FILE`; `{}` lists the approvers", approvers_path_text())
}

/// Requires that this process has a controlling terminal, and is not of the process group that asks. This shows that a command was
/// started from a terminal session, apart from the requester; it does not show that a person typed it, which only a key does.
///
/// # Errors
/// `policy_denied` otherwise.
pub fn at_terminal(requester_group: Option<i64>) -> Result<()> {
    let denied = |message: String| tool_error!(PolicyDenied, "approver"; "{message}");
    if !has_terminal() {
        let error = denied("approval requires a terminal, and this process has none".to_owned());
        return Err(
            error.hint("type the command in a terminal, or use an approver's key (docs/policy.md)")
        );
    }
    let own_group = journal::process_group().map(i64::from);
    if requester_group.is_some() && requester_group == own_group {
        let message = "the process group that requested an approval cannot give it".to_owned();
        return Err(denied(message)
            .hint("type the command at the prompt of a shell, not in a script with the call"));
    }
    Ok(())
}

#[cfg(unix)]
fn has_terminal() -> bool {
    std::fs::File::open("/dev/tty").is_ok()
}

#[cfg(not(unix))]
fn has_terminal() -> bool {
    use std::io::IsTerminal as _;
    std::io::stdin().is_terminal()
}

/// The name of the approver: without a key the operator, who runs the command line.
///
/// # Errors
/// A key file that is unreadable, or accessible to others; `policy_denied` for an unknown key, or for no key if approvers are
/// configured.
pub fn authenticate_approver(key: Option<&Path>, from: ApprovalsFrom) -> Result<String> {
    let Some(file) = key else {
        return match from {
            ApprovalsFrom::Terminal => Ok(WITHOUT_KEY.to_owned()),
            ApprovalsFrom::Key => Err(key_needed("pass it with `--key`")),
        };
    };
    let digest = key_digest(&read_approver_key(file)?);
    let known = load_approvers()?.unwrap_or_default();
    if let Some(found) = known.into_iter().find(|known| known.digest == digest) {
        return Ok(found.name);
    }
    let shown = approvers_path_text();
    Err(tool_error!(PolicyDenied, "approver";
        "the key in `{}` belongs to no approver", file.display();
        "`{shown}` lists approvers: `[approvers]` with a line `NAME = \"{digest}\"`"))
}

fn read_approver_key(file: &Path) -> Result<Vec<u8>> {
    let fault = |what: String| {
        tool_error!(InvalidRequest, "key";
        "the key file `{}` {what}", file.display())
    };
    let unreadable = |err: std::io::Error| fault(format!("cannot be read: {err}"));
    let opened = std::fs::File::open(file).map_err(unreadable)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = opened.metadata().map_err(unreadable)?.permissions().mode();
        if mode & 0o077 != 0 {
            return Err(fault("is accessible to others".to_owned())
                .hint(format!("chmod 600 {}", file.display())));
        }
    }
    let mut key = Vec::new();
    let mut most = opened.take(KEY_MOST as u64 + 1); // one byte more than allowed exceeds the limit
    most.read_to_end(&mut key).map_err(unreadable)?;
    if (KEY_LEAST..=KEY_MOST).contains(&key.len()) {
        return Ok(key);
    }
    let bytes = key.len();
    let sizes = format!("has {bytes} bytes; a key has {KEY_LEAST} to {KEY_MOST}");
    Err(fault(sizes).hint("create one with `head -c 32 /dev/urandom > FILE`"))
}
