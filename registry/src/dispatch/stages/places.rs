//! [`ResourceIdCache`]: the identities of the paths of one call, resolved once. The tool reads the files that the rules judged, even when a
//! link changes its target in between.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tool_core::capability::{FileCall, FileContent, FileInfo, WorkspaceFiles, WriteMode};
use tool_core::{ResourceId, StopFlag, ToolError};

pub(super) struct ResourceIdCache {
    files: Arc<dyn WorkspaceFiles>,
    found: Mutex<HashMap<String, ResourceId>>,
}

impl ResourceIdCache {
    pub(super) fn new(files: Arc<dyn WorkspaceFiles>) -> Self {
        Self {
            files,
            found: Mutex::default(),
        }
    }

    /// The files of the call, read at the identities of its paths.
    pub(super) fn files(&self, key: &str) -> Arc<dyn WorkspaceFiles> {
        let found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        let places = found.iter();
        let call = FileCall {
            key: key.to_owned(),
            places: places
                .map(|(path, id)| (path.clone(), id.path.clone()))
                .collect(),
        };
        let files = self.files.for_call(&call);
        files.unwrap_or_else(|| Arc::clone(&self.files))
    }
}

impl WorkspaceFiles for ResourceIdCache {
    fn identity(&self, path: &str) -> Result<ResourceId, ToolError> {
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(identity) = found.get(path) {
            return Ok(identity.clone());
        }
        let identity = self.files.identity(path)?;
        found.insert(path.to_owned(), identity.clone());
        Ok(identity)
    }

    fn may_write(&self, path: &str) -> Result<(), ToolError> {
        self.files.may_write(path)
    }

    fn read(&self, path: &str, bytes_max: u64) -> Result<FileContent, ToolError> {
        self.files.read(path, bytes_max)
    }

    fn write(&self, path: &str, content: &[u8], mode: WriteMode) -> Result<FileInfo, ToolError> {
        self.files.write(path, content, mode)
    }

    fn list(
        &self,
        path: &str,
        recursive: bool,
        entries_max: usize,
        stop: &StopFlag,
    ) -> Result<(Vec<FileInfo>, bool), ToolError> {
        self.files.list(path, recursive, entries_max, stop)
    }
}
