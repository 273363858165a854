//! Keys of the HTTP server: made at the command line, shown once, stored as digests in the user's configuration folder.
//!
//! A key has 256 random bits, so that a plain digest is enough. It belongs to one workspace, and servers of another refuse it. A server that
//! starts without keys makes a secret of the same form for itself.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use registry::WorkspaceId;
use serde::{Deserialize, Serialize};
use tool_core::{Result, ToolError, tool_error};

use mathchain::{environment, owned};

/// Name of the file in the folder of keys.
const FILE_NAME: &str = "server.json";
/// Beginning of every key, by which scanners of secrets find one.
const PREFIX: &str = "mathchain_";

/// A key, without its secret.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ApiKey {
    /// What people call it; no two keys share one.
    pub name: String,
    /// Role of every call with it.
    pub role: String,
    /// Whether its holder may approve and decline calls of other roles.
    pub approves: bool,
    /// When it was made, in milliseconds of Unix time.
    pub created_ms: u64,
    /// From when it is refused.
    pub expires_ms: Option<u64>,
    /// Digest of the secret.
    pub digest: String,
    /// The workspace whose servers accept it; keys of before this member have none, and are refused until they are bound.
    #[serde(default)]
    pub workspace: Option<KeyWorkspace>,
    /// Whether it reads the metrics and nothing else.
    #[serde(default)]
    pub metrics_only: bool,
}

/// The workspace of a key.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeyWorkspace {
    /// Id of the workspace.
    pub id: String,
    /// Its first root.
    pub root: String,
}

impl From<WorkspaceId> for KeyWorkspace {
    fn from(WorkspaceId { id, root, .. }: WorkspaceId) -> Self {
        Self { id, root }
    }
}

impl ApiKey {
    /// Refuses a key of another workspace, saying what to do.
    ///
    /// # Errors
    /// `policy_denied` with reason `server_key`.
    pub fn belongs_to(&self, here: Option<&WorkspaceId>) -> Result<()> {
        let name = &self.name;
        let Some(own) = &self.workspace else {
            return Err(
                tool_error!(PolicyDenied, "server_key"; "the key `{name}` belongs to no workspace";
                "`mathchain keys bind {name}`, in the folder of the server, binds it to that workspace"),
            );
        };
        // A folder keeps its identity when it is moved, and its path when it is made anew.
        if here.is_some_and(|here| here.id == own.id || here.root == own.root) {
            return Ok(());
        }
        Err(
            tool_error!(PolicyDenied, "server_key"; "the key `{name}` belongs to another workspace than this server";
            "`mathchain keys create NAME --role ROLE`, in the folder of the server, creates one; `mathchain keys list` shows the workspace of each"),
        )
    }

    /// Whether it is still accepted.
    pub fn is_valid(&self, now_ms: u64) -> bool {
        self.expires_ms.is_none_or(|expires| now_ms < expires)
    }
}

/// The key that a secret belongs to. Every key is compared, each in constant time.
pub fn find_key<'a>(keys: &'a [ApiKey], secret: &str) -> Option<&'a ApiKey> {
    let digest = digest_of(secret);
    let mut found = None;
    for key in keys {
        if blake3::Hash::from_hex(&key.digest).is_ok_and(|stored| IS_SAME(&stored, &digest)) {
            found = Some(key);
        }
    }
    found
}

/// Compares two digests in a time that does not depend on them, which texts and slices of bytes do not.
pub const IS_SAME: fn(&blake3::Hash, &blake3::Hash) -> bool = <blake3::Hash as PartialEq>::eq;

/// The file of keys; `None` without a configuration folder.
pub fn keys_path() -> Option<PathBuf> {
    Some(environment::keys_folder()?.join(FILE_NAME))
}

/// The keys in the file; `None` where there is no file.
///
/// # Errors
/// A file that is unreadable, damaged, of another user, or accessible to others.
pub fn read_keys(file: &Path) -> Result<Option<Vec<ApiKey>>> {
    let Some((mut open, _)) = owned::open_owned_file(file)? else {
        return Ok(None);
    };
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = open.metadata().map(|found| found.permissions().mode());
        if mode.is_ok_and(|mode| mode & 0o077 != 0) {
            return Err(owned::unusable_file_error(
                file,
                "is accessible to others (`chmod 600` it)",
            ));
        }
    }
    let mut text = String::new();
    open.read_to_string(&mut text)
        .map_err(|err| owned::unusable_file_error(file, &format!("cannot be read: {err}")))?;
    let keys = serde_json::from_str(&text);
    keys.map(Some)
        .map_err(|err| owned::unusable_file_error(file, &format!("is no list of keys: {err}")))
}

/// A state of the file: it is replaced as a whole, so that a change shows here.
pub type Seen = (SystemTime, u64, u64);

/// The state of the file; `None` where there is none.
pub fn keys_file_state(file: &Path) -> Option<Seen> {
    let found = file.metadata().ok()?;
    #[cfg(unix)]
    let number = std::os::unix::fs::MetadataExt::ino(&found);
    #[cfg(not(unix))]
    let number = 0;
    Some((found.modified().ok()?, found.len(), number))
}

/// Makes a secret: 256 random bits after a prefix by which scanners find it.
///
/// # Errors
/// `precondition_failed` without random bytes.
pub fn new_secret() -> Result<String> {
    let mut random = [0; 32];
    let made = File::open("/dev/urandom").and_then(|mut source| source.read_exact(&mut random));
    made.map_err(|err| tool_error!(PreconditionFailed, "keys"; "no random bytes: {err}"))?;
    let hex: String = random.iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(format!("{PREFIX}{hex}"))
}

/// Digest of a secret.
pub fn digest_of(secret: &str) -> blake3::Hash {
    blake3::hash(secret.as_bytes())
}

/// Makes a key; gives its secret, which is stored nowhere.
///
/// # Errors
/// `conflict` for a name that a key has; `precondition_failed` where it cannot be stored; as [`read_keys`].
pub fn create_key(mut key: ApiKey) -> Result<(ApiKey, String)> {
    let secret = new_secret()?;
    key.digest = digest_of(&secret).to_hex().to_string();
    let made = key.clone();
    change_keys(|keys| {
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
/// `invalid_args` where there is none; as [`create_key`].
pub fn revoke_key(name: &str) -> Result<ApiKey> {
    let mut removed = None;
    change_keys(|keys| {
        let at = keys.iter().position(|key| key.name == name);
        let at = at.ok_or_else(|| unknown_key_error(name))?;
        removed = Some(keys.remove(at));
        Ok(())
    })?;
    let removed =
        removed.ok_or_else(|| tool_error!(Internal, "the key `{name}` was not removed"))?;
    if let Some(file) = last_use_file(&removed) {
        let _ = std::fs::remove_file(file);
    }
    Ok(removed)
}

/// Binds the key of this name to a workspace.
///
/// # Errors
/// `invalid_args` where there is none; as [`create_key`].
pub fn bind_key(name: &str, workspace: KeyWorkspace) -> Result<ApiKey> {
    let mut bound = None;
    change_keys(|keys| {
        let key = keys.iter_mut().find(|key| key.name == name);
        let key = key.ok_or_else(|| unknown_key_error(name))?;
        key.workspace = Some(workspace);
        bound = Some(key.clone());
        Ok(())
    })?;
    bound.ok_or_else(|| tool_error!(Internal, "the key `{name}` was not bound"))
}

fn unknown_key_error(name: &str) -> ToolError {
    tool_error!(InvalidArgs, "keys"; "no key is named `{name}`"; "`mathchain keys list` shows the names")
}

/// Folder beside the file of keys with an empty file for each key that was used; its time is that of the last use.
const LAST_USE: &str = "last-use";

fn last_use_file(key: &ApiKey) -> Option<PathBuf> {
    let name = key.digest.get(..16)?;
    Some(environment::keys_folder()?.join(LAST_USE).join(name))
}

/// Notes that a key is used now; where that cannot be written the time stays.
pub fn note_use(key: &ApiKey, now_ms: u64) {
    let note = || -> Option<()> {
        let file = last_use_file(key)?;
        std::fs::create_dir_all(file.parent()?).ok()?;
        let file = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(false)
            .open(file)
            .ok()?;
        let now = SystemTime::UNIX_EPOCH + Duration::from_millis(now_ms);
        file.set_modified(now).ok()
    };
    let _ = note();
}

/// Time of the last use of a key in milliseconds since 1970-01-01 UTC, to about a minute; `None` where there was none.
pub fn last_used_ms(key: &ApiKey) -> Option<u64> {
    let used = last_use_file(key)?.metadata().ok()?.modified().ok()?;
    let since = used.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    u64::try_from(since.as_millis()).ok()
}

/// Changes the file, one process at a time, whole or not at all.
fn change_keys(work: impl FnOnce(&mut Vec<ApiKey>) -> Result<()>) -> Result<()> {
    let missing = || tool_error!(PreconditionFailed, "keys"; "there is no folder for keys"; "set HOME or XDG_CONFIG_HOME");
    let file = keys_path().ok_or_else(missing)?;
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
    let mut keys = read_keys(&file)?.unwrap_or_default();
    work(&mut keys)?;
    let text = serde_json::to_vec_pretty(&keys).map_err(|err| cannot(err.into()))?;
    mathchain::io::replace_file(&file, &text, mathchain::io::FileReaders::Owner).map_err(cannot)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(name: &str, secret: &str) -> ApiKey {
        ApiKey {
            name: name.to_owned(),
            role: "worker_math".to_owned(),
            approves: false,
            created_ms: 0,
            expires_ms: None,
            digest: digest_of(secret).to_hex().to_string(),
            workspace: None,
            metrics_only: false,
        }
    }

    #[test]
    fn a_key_belongs_to_its_folder_also_when_that_is_moved_or_made_anew() {
        let here = |id: &str, root: &str| WorkspaceId {
            id: id.to_owned(),
            root: root.to_owned(),
            roots: Vec::new(),
        };
        let mut one = key("a", "s");
        let unbound = one.belongs_to(Some(&here("1", "/a"))).unwrap_err();
        assert!(
            unbound
                .hint_str()
                .is_some_and(|hint| hint.contains("keys bind a"))
        );
        one.workspace = Some(here("1", "/a").into());
        for (id, root, fits) in [
            ("1", "/a", true),
            ("1", "/b", true),
            ("2", "/a", true),
            ("2", "/b", false),
        ] {
            assert_eq!(
                one.belongs_to(Some(&here(id, root))).is_ok(),
                fits,
                "{id} {root}"
            );
        }
        assert!(one.belongs_to(None).is_err());
    }

    #[test]
    fn a_secret_finds_its_key_and_one_that_differs_anywhere_none() {
        let secret = format!("{PREFIX}{}", "5a".repeat(32));
        let keys = [key("a", "other"), key("b", &secret), key("c", "third")];
        assert_eq!(find_key(&keys, &secret).map(|key| &*key.name), Some("b"));
        for at in 0..secret.len() {
            let mut wrong = secret.clone().into_bytes();
            wrong[at] ^= 1;
            let wrong = String::from_utf8(wrong).unwrap();
            assert_eq!(find_key(&keys, &wrong), None, "{at}");
        }
        // A digest is no secret, nor is a damaged one.
        assert_eq!(find_key(&keys, &keys[1].digest), None);
        let damaged = ApiKey {
            digest: String::new(),
            ..key("d", "")
        };
        assert_eq!(find_key(&[damaged], ""), None);
    }
}
