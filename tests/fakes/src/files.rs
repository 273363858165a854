//! Files in memory.

use std::collections::BTreeMap;
use std::sync::Mutex;

use tool_core::capability::{
    ArrayLoader, FileChange, FileContent, FileInfo, FileKind, WorkspaceFiles, WriteMode,
};
use tool_core::input::InputKind;
use tool_core::{DataPlace, DataSource, ErrorCode, Reason, ResourceId, StopFlag, ToolError, Value};

const MODE: u32 = 0o640;

/// Files in memory, with folders as the beginnings of their paths. A link is a path that means another.
#[derive(Default)]
pub struct MemoryFiles {
    files: Mutex<BTreeMap<String, (Vec<u8>, u32)>>,
    links: Mutex<BTreeMap<String, String>>,
}

impl MemoryFiles {
    /// Puts a file there.
    pub fn put(&self, path: &str, content: impl AsRef<[u8]>) {
        let file = (content.as_ref().to_vec(), MODE);
        self.files.lock().unwrap().insert(path.to_owned(), file);
    }

    /// Deletes every file.
    pub fn clear(&self) {
        self.files.lock().unwrap().clear();
    }

    /// Makes a path, and all below it, mean another.
    pub fn link(&self, path: &str, target: &str) {
        let mut links = self.links.lock().unwrap();
        links.insert(path.to_owned(), target.to_owned());
    }

    /// The text and the permission bits of a file.
    #[must_use]
    pub fn get(&self, path: &str) -> Option<(String, u32)> {
        let files = self.files.lock().unwrap();
        let (content, mode) = files.get(path)?;
        Some((String::from_utf8(content.clone()).unwrap(), *mode))
    }

    /// The text of a file.
    #[must_use]
    pub fn text(&self, path: &str) -> Option<String> {
        self.get(path).map(|(text, _)| text)
    }

    fn place(&self, path: &str) -> Result<String, ToolError> {
        self.identity(path).map(|id| id.path)
    }
}

fn info(path: &str, kind: FileKind, size: usize, mode: u32) -> FileInfo {
    FileInfo {
        path: path.to_owned(),
        kind,
        size: size as u64,
        modified_s: 0.0,
        mode,
    }
}

impl WorkspaceFiles for MemoryFiles {
    fn read(&self, path: &str, _: u64) -> Result<FileContent, ToolError> {
        let path = self.place(path)?;
        let info = self.stat(&path)?;
        let bytes = self.files.lock().unwrap()[&path].0.clone();
        Ok(FileContent {
            info,
            bytes,
            truncated: false,
        })
    }

    fn write(&self, path: &str, content: &[u8], _: WriteMode) -> Result<FileInfo, ToolError> {
        let path = self.place(path)?;
        self.put(&path, content);
        self.stat(&path)
    }

    fn change(&self, changes: &[FileChange]) -> Result<Vec<FileInfo>, ToolError> {
        let mut files = self.files.lock().unwrap();
        for change in changes {
            match change {
                FileChange::Create {
                    path,
                    content,
                    mode,
                } => {
                    assert!(!files.contains_key(path), "`{path}` exists");
                    files.insert(path.clone(), (content.clone(), mode.unwrap_or(0o644)));
                }
                FileChange::Replace {
                    path,
                    before,
                    content,
                } => {
                    let file = files.get_mut(path).expect("a file to replace");
                    assert_eq!(&file.0, before);
                    file.0.clone_from(content);
                }
                FileChange::Delete { path, before } => {
                    let file = files.remove(path).expect("a file to delete");
                    assert_eq!(&file.0, before);
                }
            }
        }
        let one = |change: &FileChange| {
            let path = change.path();
            let (content, mode) = files.get(path).cloned().unwrap_or_default();
            info(path, FileKind::File, content.len(), mode)
        };
        Ok(changes.iter().map(one).collect())
    }

    fn list(
        &self,
        path: &str,
        _: bool,
        _: usize,
        _: &StopFlag,
    ) -> Result<(Vec<FileInfo>, bool), ToolError> {
        let files = self.files.lock().unwrap();
        let below = format!("{path}/");
        let listed = files.iter().filter(|(name, _)| name.starts_with(&below));
        let listed =
            listed.map(|(name, (content, mode))| info(name, FileKind::File, content.len(), *mode));
        Ok((listed.collect(), false))
    }

    fn stat(&self, path: &str) -> Result<FileInfo, ToolError> {
        let files = self.files.lock().unwrap();
        if let Some((content, mode)) = files.get(path) {
            return Ok(info(path, FileKind::File, content.len(), *mode));
        }
        let below = format!("{path}/");
        if files.keys().any(|name| name.starts_with(&below)) {
            return Ok(info(path, FileKind::Directory, 0, 0o755));
        }
        let message = format!("`{path}` does not exist");
        Err(ToolError::new(ErrorCode::ToolError, message).reason(Reason::NotFound))
    }

    fn identity(&self, path: &str) -> Result<ResourceId, ToolError> {
        let outside = || {
            let message = format!("`{path}` leaves the workspace");
            ToolError::new(ErrorCode::InvalidArgs, message).reason("path")
        };
        let mut parts = Vec::new();
        for (index, part) in path.split('/').enumerate() {
            match part {
                "" if index == 0 && path.starts_with('/') => return Err(outside()),
                "" | "." => {}
                ".." => _ = parts.pop().ok_or_else(outside)?,
                part => parts.push(part),
            }
        }
        let plain = parts.join("/");
        let links = self.links.lock().unwrap();
        let linked = links.iter().find_map(|(link, target)| {
            let rest = plain.strip_prefix(link.as_str())?;
            Some(ResourceId::parse(&format!("{target}{rest}")))
        });
        Ok(linked.unwrap_or_else(|| ResourceId::parse(&plain)))
    }
}

/// Texts are those of the files; every array is one, two, three.
impl ArrayLoader for MemoryFiles {
    fn open(&self, source: &DataSource, kind: InputKind, _: u64) -> Result<Value, ToolError> {
        let DataPlace::File(path) = &source.place else {
            return Err(ToolError::new(ErrorCode::InvalidArgs, "no artifacts here"));
        };
        match kind {
            InputKind::Text => {
                let read = self.read(path, u64::MAX)?;
                Ok(Value::from(
                    String::from_utf8_lossy(&read.bytes).into_owned(),
                ))
            }
            _ => Ok(Value::vector(vec![1.0, 2.0, 3.0])),
        }
    }
}
