//! [`SessionWorld`]: files and programs of one session, available while its workspace is open.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use host_sandbox::Sandbox;
use host_tools::session::{FolderSpawner, OpenFolder};
use journal::StateStore;
use registry::{Dispatcher, RuntimeFacts};
use sessions::{WorkspaceChanged, WorkspaceStatus};
use tool_core::capability::{OpenWorkspace, WorkspaceFiles, WorkspaceOpener};

use super::super::prelude::*;
use mathchain::inputs;

/// Files and programs of one session.
pub(crate) struct SessionWorld {
    roots: Vec<PathBuf>,
    closed: Vec<PathBuf>,
    protected: Vec<PathBuf>,
    state: Option<Arc<StateStore>>,
    place: Arc<WorkspaceSlot>,
}

/// The state that `workspace_open` and `workspace_close` change.
struct WorkspaceSlot {
    /// The whole workspace.
    files: Option<Arc<dyn WorkspaceFiles>>,
    opened: Mutex<OpenedWorkspace>,
}

#[derive(Default)]
struct OpenedWorkspace {
    open: Option<(String, Arc<OpenFolder>)>,
    /// Number of workspaces opened in the session.
    count: u64,
    /// Changes by tools that the session has not applied yet.
    changes: Vec<WorkspaceChanged>,
}

impl SessionWorld {
    /// A dispatcher for the world in which a run began, as its header records: the open folder and the facts.
    ///
    /// # Errors
    /// A folder that no longer exists, and unknown facts.
    pub(crate) fn of_run(toolkit: &Toolkit, world: &Value) -> Result<Dispatcher> {
        let places = Self::new(toolkit);
        if let Some(path) = world.get("folder").and_then(Value::as_str) {
            places.set(Some(("w1".to_owned(), places.folder(path)?)));
        }
        let mut facts = RuntimeFacts::default();
        let given = world.get("facts").and_then(Value::items);
        for fact in given.unwrap_or_default() {
            let added = facts.add(fact.as_str().unwrap_or_default());
            added.map_err(|err| tool_error!(PreconditionFailed, "world"; "{err}"))?;
        }
        Ok(places.dispatcher(&toolkit.dispatcher(), facts))
    }

    /// The world of a toolkit; no workspace is open.
    pub(super) fn new(toolkit: &Toolkit) -> Self {
        let files = toolkit.dispatcher().host().capabilities.files.clone();
        let roots = toolkit.roots().iter();
        Self {
            roots: roots
                .map(|root| environment::real_path(&root.path))
                .collect(),
            closed: toolkit.closed().to_vec(),
            protected: toolkit.protected().to_vec(),
            state: toolkit.state().cloned(),
            place: Arc::new(WorkspaceSlot {
                files,
                opened: Mutex::default(),
            }),
        }
    }

    /// A dispatcher whose calls use the open workspace.
    pub(super) fn dispatcher(&self, base: &Dispatcher, facts: RuntimeFacts) -> Dispatcher {
        let mut host = base.host().clone();
        let open = self.place.lock().open.clone();
        let folder = open.map(|(_, folder)| folder);
        let seen = folder.as_ref().map(|folder| self.seen(folder.folder()));
        let seen = seen.unwrap_or_default();
        let surroundings = environment::sandbox_surroundings(&seen, &self.closed, &self.protected);
        let sandbox = Arc::new(Sandbox::new(surroundings));
        let name = folder.as_ref().map_or(".", |folder| folder.folder());
        host.capabilities.spawner = Some(Arc::new(FolderSpawner::new(sandbox, name)));
        let files = folder.map(|folder| folder as Arc<dyn WorkspaceFiles>);
        // Artifacts come from the state, files from the workspace.
        host.arrays = inputs::array_opener(files.as_ref(), self.state.as_ref());
        host.backups = inputs::backup_store(files.as_ref(), self.state.as_ref());
        host.capabilities.files = files;
        host.capabilities.workspaces = Some(Arc::clone(&self.place) as _);
        base.with_host(|base| *base = host).with_facts(facts)
    }

    /// The folders that programs see while a folder is open; the name of one in another root is absolute.
    fn seen(&self, folder: &str) -> Vec<PathBuf> {
        match folder {
            "." => self.roots.clone(),
            folder => (self.roots.first().map(|root| root.join(folder)))
                .into_iter()
                .collect(),
        }
    }

    /// A folder of the workspace.
    pub(super) fn folder(&self, path: &str) -> Result<Arc<OpenFolder>> {
        self.place.folder(path)
    }

    /// Sets the open workspace.
    pub(super) fn set(&self, open: Option<(String, Arc<OpenFolder>)>) {
        self.place.lock().open = open;
    }

    /// Sets the number of workspaces that the session has opened.
    pub(super) fn count(&self, opened: u64) {
        self.place.lock().count = opened;
    }

    /// Takes the changes by tools since the last call.
    pub(super) fn changes(&self) -> Vec<WorkspaceChanged> {
        std::mem::take(&mut self.place.lock().changes)
    }
}

impl WorkspaceSlot {
    fn lock(&self) -> MutexGuard<'_, OpenedWorkspace> {
        self.opened.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn folder(&self, path: &str) -> Result<Arc<OpenFolder>> {
        let Some(files) = &self.files else {
            return Err(tool_error!(PreconditionFailed, "workspace";
                "there is no workspace to open"; "name one with --workspace"));
        };
        OpenFolder::new(Arc::clone(files), path).map(Arc::new)
    }
}

impl WorkspaceOpener for WorkspaceSlot {
    fn open(&self, path: &str) -> Result<OpenWorkspace> {
        let folder = self.folder(path)?;
        let mut opened = self.lock();
        if let Some((id, folder)) = &opened.open {
            return Err(tool_error!(Conflict, "workspace_open";
                "the workspace `{id}` is open: `{}`", folder.folder();
                "close it with `workspace_close`"));
        }
        opened.count += 1;
        let workspace = describe_workspace(&format!("w{}", opened.count), &folder);
        opened.open = Some((workspace.id.clone(), folder));
        opened
            .changes
            .push(workspace_change(&workspace, WorkspaceStatus::Ready));
        Ok(workspace)
    }

    fn close(&self) -> Result<OpenWorkspace> {
        let mut opened = self.lock();
        let Some((id, folder)) = opened.open.take() else {
            return Err(tool_error!(PreconditionFailed, "workspace";
                "no workspace is open"; "open one with `workspace_open`"));
        };
        let closed = describe_workspace(&id, &folder);
        opened
            .changes
            .push(workspace_change(&closed, WorkspaceStatus::Closed));
        Ok(closed)
    }

    fn opened(&self) -> Option<OpenWorkspace> {
        let opened = self.lock();
        let (id, folder) = opened.open.as_ref()?;
        Some(describe_workspace(id, folder))
    }
}

fn describe_workspace(id: &str, folder: &OpenFolder) -> OpenWorkspace {
    OpenWorkspace {
        id: id.to_owned(),
        path: folder.folder().to_owned(),
    }
}

fn workspace_change(workspace: &OpenWorkspace, status: WorkspaceStatus) -> WorkspaceChanged {
    WorkspaceChanged {
        id: workspace.id.clone(),
        status,
        path: (status == WorkspaceStatus::Ready).then(|| workspace.path.clone()),
        cause: None,
    }
}
