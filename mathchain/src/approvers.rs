//! Who answers an approval: the person at the terminal, or whoever holds a key that the user's configuration folder names.

use std::io::Read as _;
use std::path::Path;

use registry::config::{Approver, key_digest};
use tool_core::{ErrorCode, ToolError};

use crate::environment;

/// The list, in the user's configuration folder.
const FILE_NAME: &str = "approvers.toml";

/// Sizes of keys, in bytes: long enough not to be guessed.
const KEY_LEAST: usize = 32;
const KEY_MOST: usize = 4096;

/// Who answers: without a key, whoever runs the command line as this user.
///
/// # Errors
/// A key file that cannot be read or that others can read; `policy_denied` for a key that nobody named has.
pub(crate) fn approver(key: Option<&Path>) -> Result<String, ToolError> {
    let Some(file) = key else {
        return Ok("terminal".to_owned());
    };
    let digest = key_digest(&read(file)?);
    let folder = environment::user_config_folder();
    let list = folder.map(|folder| folder.join(FILE_NAME));
    let known = match &list {
        Some(list) if list.is_file() => {
            Approver::parse_all(&list.to_string_lossy(), &environment::read_named(list)?)?
        }
        _ => Vec::new(),
    };
    if let Some(found) = known.into_iter().find(|known| known.digest == digest) {
        return Ok(found.name);
    }
    let shown = list.map_or_else(|| FILE_NAME.to_owned(), |list| list.display().to_string());
    let message = format_args!("the key in `{}` is no approver's", file.display());
    Err(ToolError::new(ErrorCode::PolicyDenied, message)
        .reason("approver")
        .hint(format!(
            "`{shown}` names approvers: `[approvers]` with a line `NAME = \"{digest}\"`"
        )))
}

fn read(file: &Path) -> Result<Vec<u8>, ToolError> {
    let fault = |what: String| {
        let message = format_args!("the key file `{}` {what}", file.display());
        ToolError::new(ErrorCode::InvalidRequest, message).reason("key")
    };
    let unreadable = |err: std::io::Error| fault(format!("cannot be read: {err}"));
    let opened = std::fs::File::open(file).map_err(unreadable)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = opened.metadata().map_err(unreadable)?.permissions().mode();
        if mode & 0o077 != 0 {
            let hint = format!("chmod 600 {}", file.display());
            return Err(fault("can be read or written by others".to_owned()).hint(hint));
        }
    }
    let mut key = Vec::new();
    let most = KEY_MOST as u64 + 1; // one more than allowed says enough
    opened
        .take(most)
        .read_to_end(&mut key)
        .map_err(unreadable)?;
    if (KEY_LEAST..=KEY_MOST).contains(&key.len()) {
        return Ok(key);
    }
    let sizes = format!(
        "has {} bytes; a key has {KEY_LEAST} to {KEY_MOST}",
        key.len()
    );
    Err(fault(sizes).hint("head -c 32 /dev/urandom > FILE makes one"))
}
