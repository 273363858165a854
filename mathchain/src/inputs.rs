//! Inputs by reference: files of the workspace, and artifacts of the state.

use std::sync::Arc;

use journal::{FileBackups, StateStore};
use tool_core::capability::{ArrayLoader, BackupStore, WorkspaceFiles};
use tool_core::input::InputKind;
use tool_core::{DataPlace, DataSource, Result, Value, tool_error};

/// Opens files through the workspace and artifacts from the state, if present.
struct RunInputs {
    files: Option<host_tools::FileInputs>,
    state: Option<Arc<StateStore>>,
}

/// The opener of inputs; `None` without workspace and state.
pub fn array_opener(
    files: Option<&Arc<dyn WorkspaceFiles>>,
    state: Option<&Arc<StateStore>>,
) -> Option<Arc<dyn ArrayLoader>> {
    (files.is_some() || state.is_some()).then(|| {
        Arc::new(RunInputs {
            files: files.cloned().map(host_tools::FileInputs::new),
            state: state.cloned(),
        }) as _
    })
}

/// The backups of files; `None` without a workspace or a state.
pub fn backup_store(
    files: Option<&Arc<dyn WorkspaceFiles>>,
    state: Option<&Arc<StateStore>>,
) -> Option<Arc<dyn BackupStore>> {
    let backups = FileBackups::new(Arc::clone(state?), Arc::clone(files?));
    Some(Arc::new(backups))
}

impl ArrayLoader for RunInputs {
    /// Without a role no artifact is opened.
    fn open(&self, source: &DataSource, kind: InputKind, bytes_max: u64) -> Result<Value> {
        match (&source.place, &self.files) {
            (DataPlace::File(_), Some(files)) => files.open(source, kind, bytes_max),
            (DataPlace::File(path), None) => Err(tool_error!(PreconditionFailed, "no_workspace";
                "`{path}` cannot be opened: there is no workspace";
                "pass the data inline, or open a workspace with --workspace")),
            (DataPlace::Artifact(handle), _) => {
                Err(tool_error!(PreconditionFailed, "no_artifact_store";
                    "the artifact `{handle}` cannot be opened: there is no state folder";
                    "pass the data inline, or as a file with `{{\"$file\": path}}`"))
            }
        }
    }

    fn open_for(
        &self,
        role: &str,
        source: &DataSource,
        kind: InputKind,
        bytes_max: u64,
    ) -> Result<Value> {
        let (DataPlace::Artifact(handle), Some(state)) = (&source.place, &self.state) else {
            return self.open(source, kind, bytes_max);
        };
        let value = state.open_for(role, handle, bytes_max)?;
        match (kind, &value) {
            (InputKind::Text, Value::String(_))
            | (InputKind::Data | InputKind::Table | InputKind::Any, _) => Ok(value),
            (InputKind::Text, other) => Err(tool_error!(InvalidArgs, "format";
                "the artifact `{handle}`: expected a text, found {}", other.kind())),
        }
    }

    fn open_noting(
        &self,
        role: &str,
        source: &DataSource,
        kind: InputKind,
        bytes_max: u64,
        notes: &mut Vec<String>,
    ) -> Result<Value> {
        match (&source.place, &self.files) {
            (DataPlace::File(_), Some(files)) => {
                files.open_noting(role, source, kind, bytes_max, notes)
            }
            _ => self.open_for(role, source, kind, bytes_max),
        }
    }

    fn for_call(&self, files: &Arc<dyn WorkspaceFiles>) -> Option<Arc<dyn ArrayLoader>> {
        Some(Arc::new(Self {
            files: Some(host_tools::FileInputs::new(Arc::clone(files))),
            state: self.state.clone(),
        }))
    }
}
