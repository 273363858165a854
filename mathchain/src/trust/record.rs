//! The record of what this user agreed to: a file for each folder, in the user's state folder.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use registry::model::McpServer;
use registry::plugins::server_digest;
use tool_core::json::{self, JsonLimits};
use tool_core::{Result, Value, object, tool_error};

use super::TrustItem;
use crate::{environment, io, owned};

/// Stands for what the user took back.
const TAKEN_BACK: &str = "";

/// What was agreed to of one folder.
#[derive(Debug, Clone, Default)]
pub struct TrustRecord {
    folder: PathBuf,
    /// What was shown, by table.
    agreed: BTreeMap<String, String>,
}

impl TrustRecord {
    /// The record of a folder, given without links; an unreadable one agrees to nothing.
    pub fn of(folder: &Path) -> Self {
        let text =
            trust_record_path(folder).and_then(|file| owned::read_owned_file(&file).ok().flatten());
        let value = text.and_then(|text| json::parse_json(&text, JsonLimits::default()).ok());
        let value = value.unwrap_or_default();
        let is_of_folder = value.text("folder") == folder.to_str();
        let agreed = value.get("agreed").and_then(Value::as_object);
        let agreed = agreed.into_iter().flat_map(|agreed| agreed.iter());
        let agreed = agreed
            .filter_map(|(what, shown)| Some((what.to_owned(), shown.as_str()?.to_owned())))
            .filter(|_| is_of_folder);
        Self {
            folder: folder.to_owned(),
            agreed: agreed.collect(),
        }
    }

    /// The file of the record of a folder, whether it exists or not.
    pub fn file(folder: &Path) -> Option<PathBuf> {
        trust_record_path(&environment::real_path(folder))
    }

    /// Whether exactly this was agreed to.
    pub fn has(&self, given: &TrustItem) -> bool {
        self.agreed.get(&given.what) == Some(&given.shown)
    }

    /// Whether a table was ever agreed to or taken back.
    pub fn knows(&self, what: &str) -> bool {
        self.agreed.contains_key(what)
    }

    /// What was shown of a table when it was agreed to.
    pub fn before(&self, what: &str) -> &str {
        self.agreed.get(what).map_or("", String::as_str)
    }

    /// Adds these, each in place of an earlier state of it.
    ///
    /// # Errors
    /// No state folder of the user, or one that cannot be written.
    pub fn agree(&mut self, given: impl IntoIterator<Item = TrustItem>) -> Result<()> {
        for one in given {
            self.agreed.insert(one.what, one.shown);
        }
        self.write()
    }

    /// Agrees to exactly these from now on.
    ///
    /// # Errors
    /// As [`TrustRecord::agree`].
    pub fn replace(&mut self, given: impl IntoIterator<Item = TrustItem>) -> Result<()> {
        self.agreed.clear();
        self.agree(given)
    }

    /// Takes everything back, pins of earlier versions of this program too.
    ///
    /// # Errors
    /// As [`TrustRecord::agree`].
    pub fn take_back(&mut self, given: impl IntoIterator<Item = TrustItem>) -> Result<()> {
        let none = given.into_iter().map(|one| TrustItem {
            shown: TAKEN_BACK.to_owned(),
            ..one
        });
        self.replace(none)
    }

    fn write(&self) -> Result<()> {
        let file = trust_record_path(&self.folder).ok_or_else(|| {
            tool_error!(PreconditionFailed, "environment"; "this user has no state folder"; "set HOME to an absolute path")
        })?;
        let agreed = self.agreed.iter();
        let agreed = agreed.map(|(what, shown)| (what.as_str(), Value::from(shown.as_str())));
        let value = object! {
            "version" => 1_i64,
            "folder" => self.folder.to_string_lossy().into_owned(),
            "agreed" => Value::object(agreed.collect::<Vec<_>>()),
        };
        let failed = |err| io::cannot_write(&file, &err);
        if let Some(above) = file.parent() {
            std::fs::create_dir_all(above).map_err(failed)?;
        }
        let text = format!("{}\n", json::to_text(&value));
        io::replace_file(&file, text.as_bytes(), io::FileReaders::Owner).map_err(failed)
    }
}

fn trust_record_path(folder: &Path) -> Option<PathBuf> {
    let digest = registry::digest::of_texts([folder.to_str()?]);
    let name = format!("{}.json", &digest[..32]);
    Some(environment::user_state_folder()?.join("trust").join(name))
}

/// Whether an earlier version of this program recorded that this user pinned a server: a line with the digest of its table and list.
pub(super) fn was_pinned(server: &McpServer) -> bool {
    let Some(Ok(pin)) = &server.pin else {
        return false;
    };
    let file = environment::user_state_folder().map(|folder| folder.join("mcp-servers"));
    let text = file.and_then(|file| owned::read_owned_file(&file).ok().flatten());
    let digest = server_digest(server, pin);
    text.is_some_and(|text| text.lines().any(|line| line == digest))
}
