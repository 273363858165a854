//! The key that signs cuts and receipts of the audit log: a file for this user alone, outside of every state.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use journal::{CutKey, SEED_BYTES};
use tool_core::{Result, ToolError, tool_error};

use crate::{environment, owned};

/// Name of the file in the folder of keys.
const FILE_NAME: &str = "audit.key";

/// The public keys whose cuts are this user's, with those given.
///
/// # Errors
/// A key that is unreadable, damaged, or accessible to others; `invalid_args` for a given text that is no public key.
pub fn trusted_cut_keys(given: &[String]) -> Result<Vec<String>> {
    let mut keys = public_keys(given)?;
    keys.extend(load_cut_key()?.map(|key| key.public()));
    Ok(keys)
}

/// Public keys as a user passes them.
///
/// # Errors
/// `invalid_args` for a text that is no public key.
pub fn public_keys(given: &[String]) -> Result<Vec<String>> {
    let key = |key: &String| {
        if key.len() != 64 || !key.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(tool_error!(InvalidArgs, "cut_key";
                "expected a public key of 64 hex digits, found `{key}`";
                "`mathchain audit verify --json` of the user who signed prints it as `cut_key`"));
        }
        Ok(key.to_ascii_lowercase())
    };
    given.iter().map(key).collect()
}

/// This user's key, if there is one.
///
/// # Errors
/// As [`trusted_cut_keys`].
pub fn load_cut_key() -> Result<Option<CutKey>> {
    environment::keys_folder().map_or(Ok(None), |folder| read_cut_key(&folder.join(FILE_NAME)))
}

/// This user's key, which is made where it is missing.
///
/// # Errors
/// As [`trusted_cut_keys`]; `precondition_failed` where it cannot be made.
pub fn existing_or_new() -> Result<CutKey> {
    if let Some(key) = load_cut_key()? {
        return Ok(key);
    }
    let folder = environment::keys_folder().ok_or_else(|| {
        tool_error!(PreconditionFailed, "cut_key";
            "cuts and receipts are signed, and there is no folder for the key";
            "set HOME or XDG_CONFIG_HOME")
    })?;
    let file = folder.join(FILE_NAME);
    create_key_file(&folder, &file).map_err(|err| {
        let file = file.display();
        tool_error!(PreconditionFailed, "cut_key"; "the key `{file}` cannot be made: {err}";
            "make its folder writable: cuts and receipts are signed by it")
    })?;
    read_cut_key(&file)?.ok_or_else(|| unusable_key_error(&file, "disappeared"))
}

fn unusable_key_error(file: &Path, why: &str) -> ToolError {
    tool_error!(PreconditionFailed, "cut_key"; "the key `{}` {why}", file.display();
        "bring it back from a backup; without it cuts of earlier prunings are not those of this user")
}

fn read_cut_key(file: &Path) -> Result<Option<CutKey>> {
    let Some((mut open, _)) = owned::open_owned_file(file)? else {
        return Ok(None);
    };
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = open.metadata().map(|found| found.permissions().mode());
        if mode.is_ok_and(|mode| mode & 0o077 != 0) {
            return Err(unusable_key_error(
                file,
                "is accessible to others (`chmod 600` it)",
            ));
        }
    }
    let mut seed = [0; SEED_BYTES];
    let whole =
        open.read_exact(&mut seed).is_ok() && open.read(&mut [0]).is_ok_and(|more| more == 0);
    if !whole {
        return Err(unusable_key_error(
            file,
            &format!("does not have {SEED_BYTES} bytes"),
        ));
    }
    Ok(Some(CutKey::of_seed(seed)))
}

/// Makes the file whole or not at all; one that another process made meanwhile stays.
fn create_key_file(folder: &Path, file: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
        builder.mode(0o700);
        options.mode(0o600);
    }
    builder.create(folder)?;
    let mut seed = [0; SEED_BYTES];
    File::open("/dev/urandom")?.read_exact(&mut seed)?;
    let draft: PathBuf = folder.join(format!(".new-{}", std::process::id()));
    let written = (|| {
        let mut open = options.open(&draft)?;
        open.write_all(&seed)?;
        open.sync_all()?;
        match std::fs::hard_link(&draft, file) {
            Err(err) if err.kind() != io::ErrorKind::AlreadyExists => Err(err),
            _ => File::open(folder)?.sync_all(),
        }
    })();
    let _ = std::fs::remove_file(&draft);
    written
}
