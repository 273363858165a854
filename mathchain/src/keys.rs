//! Keys of the HTTP server: made at the command line, shown once, stored as digests in the user's configuration folder.
//!
//! A key has 256 random bits, so that a plain digest is enough. As soon as the file exists, requests need a key, also when every key in it
//! was revoked.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde::{Deserialize, Serialize};
use tool_core::{Result, ToolError, tool_error};

use crate::{environment, owned};

/// Name of the file in the folder of keys.
const FILE_NAME: &str = "server.json";
/// Beginning of every key, by which scanners of secrets find one.
const PREFIX: &str = "mathchain_";

/// A key, without its secret.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Key {
    /// What people call it; no two keys share one.
    pub(crate) name: String,
    /// Role of every call with it.
    pub(crate) role: String,
    /// Whether its holder may approve and decline calls of other roles.
    pub(crate) approves: bool,
    pub(crate) created_ms: u64,
    /// From when it is refused.
    pub(crate) expires_ms: Option<u64>,
    /// Digest of the secret.
    pub(crate) digest: String,
}

impl Key {
    /// Whether it is still accepted.
    pub(crate) fn is_valid(&self, now_ms: u64) -> bool {
        self.expires_ms.is_none_or(|expires| now_ms < expires)
    }
}

/// The key that a secret belongs to. Every key is compared, each in constant time.
pub(crate) fn find<'a>(keys: &'a [Key], secret: &str) -> Option<&'a Key> {
    let digest = blake3::hash(secret.as_bytes());
    let mut found = None;
    for key in keys {
        if blake3::Hash::from_hex(&key.digest).is_ok_and(|stored| IS_SAME(&stored, &digest)) {
            found = Some(key);
        }
    }
    found
}

/// Compares two digests in a time that does not depend on them, which texts and slices of bytes do not.
const IS_SAME: fn(&blake3::Hash, &blake3::Hash) -> bool = <blake3::Hash as PartialEq>::eq;

/// The file of keys; `None` without a configuration folder.
pub(crate) fn file() -> Option<PathBuf> {
    Some(environment::keys_folder()?.join(FILE_NAME))
}

/// The keys in the file; `None` where there is no file.
///
/// # Errors
/// A file that is unreadable, damaged, of another user, or accessible to others.
pub(crate) fn read(file: &Path) -> Result<Option<Vec<Key>>> {
    let Some((mut open, _)) = owned::open(file)? else {
        return Ok(None);
    };
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = open.metadata().map(|found| found.permissions().mode());
        if mode.is_ok_and(|mode| mode & 0o077 != 0) {
            return Err(owned::unusable(
                file,
                "is accessible to others (`chmod 600` it)",
            ));
        }
    }
    let mut text = String::new();
    open.read_to_string(&mut text)
        .map_err(|err| owned::unusable(file, &format!("cannot be read: {err}")))?;
    let keys = serde_json::from_str(&text);
    keys.map(Some)
        .map_err(|err| owned::unusable(file, &format!("is no list of keys: {err}")))
}

/// A state of the file: it is replaced as a whole, so that a change shows here.
pub(crate) type Seen = (SystemTime, u64, u64);

/// The state of the file; `None` where there is none.
pub(crate) fn seen(file: &Path) -> Option<Seen> {
    let found = file.metadata().ok()?;
    #[cfg(unix)]
    let number = std::os::unix::fs::MetadataExt::ino(&found);
    #[cfg(not(unix))]
    let number = 0;
    Some((found.modified().ok()?, found.len(), number))
}

/// Makes a key; gives its secret, which is stored nowhere.
///
/// # Errors
/// `conflict` for a name that a key has; `precondition_failed` where it cannot be stored; as [`read`].
pub(crate) fn create(mut key: Key) -> Result<(Key, String)> {
    let mut random = [0; 32];
    let made = File::open("/dev/urandom").and_then(|mut source| source.read_exact(&mut random));
    made.map_err(|err| tool_error!(PreconditionFailed, "keys"; "no random bytes: {err}"))?;
    let hex: String = random.iter().map(|byte| format!("{byte:02x}")).collect();
    let secret = format!("{PREFIX}{hex}");
    key.digest = blake3::hash(secret.as_bytes()).to_hex().to_string();
    let made = key.clone();
    change(|keys| {
        if keys.iter().any(|other| other.name == key.name) {
            let name = &key.name;
            return Err(
                tool_error!(Conflict, "keys"; "there is a key named `{name}`";
                "choose another name, or `mathchain keys revoke {name}` first"),
            );
        }
        keys.push(key);
        Ok(())
    })?;
    Ok((made, secret))
}

/// Removes the key of this name; servers refuse it from their next request on.
///
/// # Errors
/// `invalid_args` where there is none; as [`create`].
pub(crate) fn revoke(name: &str) -> Result<Key> {
    let mut removed = None;
    change(|keys| {
        let at = keys.iter().position(|key| key.name == name);
        let at = at.ok_or_else(|| {
            tool_error!(InvalidArgs, "keys"; "no key is named `{name}`"; "`mathchain keys list` shows the names")
        })?;
        removed = Some(keys.remove(at));
        Ok(())
    })?;
    removed.ok_or_else(|| tool_error!(Internal, "the key `{name}` was not removed"))
}

/// Changes the file, one process at a time, whole or not at all.
fn change(work: impl FnOnce(&mut Vec<Key>) -> Result<()>) -> Result<()> {
    let missing = || tool_error!(PreconditionFailed, "keys"; "there is no folder for keys"; "set HOME or XDG_CONFIG_HOME");
    let file = file().ok_or_else(missing)?;
    let folder = file.parent().ok_or_else(missing)?;
    let cannot = |err: io::Error| -> ToolError {
        tool_error!(PreconditionFailed, "keys"; "`{}` cannot be written: {err}", file.display();
            "make its folder writable for this user alone")
    };
    let (mut builder, mut options) = (DirBuilder::new(), OpenOptions::new());
    builder.recursive(true);
    options.write(true).create(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
        builder.mode(0o700);
        options.mode(0o600);
    }
    builder.create(folder).map_err(cannot)?;
    // Released when it is closed.
    let lock = options.open(folder.join("server.lock")).map_err(cannot)?;
    lock.lock().map_err(cannot)?;
    let mut keys = read(&file)?.unwrap_or_default();
    work(&mut keys)?;
    let text = serde_json::to_vec_pretty(&keys).map_err(|err| cannot(err.into()))?;
    crate::io::replace(&file, &text, crate::io::Readers::Owner).map_err(cannot)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(name: &str, secret: &str) -> Key {
        Key {
            name: name.to_owned(),
            role: "worker_math".to_owned(),
            approves: false,
            created_ms: 0,
            expires_ms: None,
            digest: blake3::hash(secret.as_bytes()).to_hex().to_string(),
        }
    }

    #[test]
    fn a_secret_finds_its_key_and_one_that_differs_anywhere_none() {
        let secret = format!("{PREFIX}{}", "5a".repeat(32));
        let keys = [key("a", "other"), key("b", &secret), key("c", "third")];
        assert_eq!(find(&keys, &secret).map(|key| &*key.name), Some("b"));
        for at in 0..secret.len() {
            let mut wrong = secret.clone().into_bytes();
            wrong[at] ^= 1;
            let wrong = String::from_utf8(wrong).unwrap();
            assert_eq!(find(&keys, &wrong), None, "{at}");
        }
        // A digest is no secret, nor is a damaged one.
        assert_eq!(find(&keys, &keys[1].digest), None);
        let damaged = Key {
            digest: String::new(),
            ..key("d", "")
        };
        assert_eq!(find(&[damaged], ""), None);
    }
}
