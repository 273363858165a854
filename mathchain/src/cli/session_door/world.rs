//! [`World`]: files and programs of one session, which are there while its workspace is open.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use host_sandbox::Sandbox;
use host_tools::session::{FolderSpawner, OpenFolder};
use journal::{Keeper, State};
use registry::{Dispatcher, Facts};
use sessions::{WorkspaceChanged, WorkspaceStatus};
use tool_core::capability::{Backups, Files, OpenWorkspace, Workspaces};
use tool_core::{ErrorCode, ToolError, Value};

use crate::inputs::Inputs;
use crate::{Toolkit, environment};

/// Files and programs of one session.
pub(in crate::cli) struct World {
    root: Option<PathBuf>,
    closed: Vec<PathBuf>,
    state: Option<Arc<State>>,
    place: Arc<Place>,
}

/// What `workspace_open` and `workspace_close` change.
struct Place {
    /// The whole workspace.
    files: Option<Arc<dyn Files>>,
    standing: Mutex<Standing>,
}

#[derive(Default)]
struct Standing {
    open: Option<(String, Arc<OpenFolder>)>,
    /// How often one was opened in the session.
    opened: u64,
    /// What tools changed and the session has not heard of.
    changes: Vec<WorkspaceChanged>,
}

impl World {
    /// A dispatcher for the world that a run began in, as its header says: with the folder that was open and what held.
    ///
    /// # Errors
    /// A folder that is not there any more, and facts that nobody knows.
    pub(in crate::cli) fn of_run(
        toolkit: &Toolkit,
        world: &Value,
    ) -> Result<Dispatcher, ToolError> {
        let places = Self::new(toolkit);
        if let Some(path) = world.get("folder").and_then(Value::as_str) {
            places.set(Some(("w1".to_owned(), places.folder(path)?)));
        }
        let mut facts = Facts::default();
        for fact in world
            .get("facts")
            .and_then(Value::items)
            .unwrap_or_default()
        {
            let unknown =
                |message| ToolError::new(ErrorCode::PreconditionFailed, message).reason("world");
            facts
                .add(fact.as_str().unwrap_or_default())
                .map_err(unknown)?;
        }
        Ok(places.dispatcher(&toolkit.dispatcher(), facts))
    }

    /// Of a toolkit; nothing is open.
    pub(super) fn new(toolkit: &Toolkit) -> Self {
        let files = toolkit.dispatcher().host().capabilities.files.clone();
        let root = toolkit.workspace();
        Self {
            root: root.map(|root| root.canonicalize().unwrap_or_else(|_| root.to_owned())),
            closed: toolkit.closed().to_vec(),
            state: toolkit.state().cloned(),
            place: Arc::new(Place {
                files,
                standing: Mutex::default(),
            }),
        }
    }

    /// A dispatcher whose calls see what is open.
    pub(super) fn dispatcher(&self, base: &Dispatcher, facts: Facts) -> Dispatcher {
        let mut host = base.host().clone();
        let open = self.place.lock().open.clone();
        let folder = open.map(|(_, folder)| folder);
        let seen =
            (folder.as_ref()).and_then(|folder| Some(self.root.as_ref()?.join(folder.folder())));
        let sandbox = Arc::new(Sandbox::new(environment::surroundings(
            seen.as_deref(),
            &self.closed,
        )));
        let name = folder.as_ref().map_or(".", |folder| folder.folder());
        host.capabilities.spawner = Some(Arc::new(FolderSpawner::new(sandbox, name)));
        let files = folder.map(|folder| folder as Arc<dyn Files>);
        // Artifacts are the state's; files are the workspace's.
        host.arrays = (files.is_some() || self.state.is_some()).then(|| {
            Arc::new(Inputs {
                files: files.clone().map(host_tools::Inputs::new),
                state: self.state.clone(),
            }) as _
        });
        host.backups = match (&self.state, &files) {
            (Some(state), Some(files)) => {
                let keeper = Keeper::new(Arc::clone(state), Arc::clone(files));
                Some(Arc::new(keeper) as Arc<dyn Backups>)
            }
            _ => None,
        };
        host.capabilities.files = files;
        host.capabilities.workspaces = Some(Arc::clone(&self.place) as _);
        base.in_world(host, facts)
    }

    /// A folder of the workspace, to be opened.
    pub(super) fn folder(&self, path: &str) -> Result<Arc<OpenFolder>, ToolError> {
        self.place.folder(path)
    }

    /// What is open from now on.
    pub(super) fn set(&self, open: Option<(String, Arc<OpenFolder>)>) {
        self.place.lock().open = open;
    }

    /// How often the session has opened a workspace.
    pub(super) fn count(&self, opened: u64) {
        self.place.lock().opened = opened;
    }

    /// What tools changed since the last look.
    pub(super) fn changes(&self) -> Vec<WorkspaceChanged> {
        std::mem::take(&mut self.place.lock().changes)
    }
}

impl Place {
    fn lock(&self) -> MutexGuard<'_, Standing> {
        self.standing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn folder(&self, path: &str) -> Result<Arc<OpenFolder>, ToolError> {
        let Some(files) = &self.files else {
            let message = "there is no workspace to open";
            return Err(ToolError::new(ErrorCode::PreconditionFailed, message)
                .reason("workspace")
                .hint("name one with --workspace"));
        };
        OpenFolder::new(Arc::clone(files), path).map(Arc::new)
    }
}

impl Workspaces for Place {
    fn open(&self, path: &str) -> Result<OpenWorkspace, ToolError> {
        let folder = self.folder(path)?;
        let mut standing = self.lock();
        if let Some((id, folder)) = &standing.open {
            let message = format_args!("the workspace `{id}` is open: `{}`", folder.folder());
            return Err(ToolError::new(ErrorCode::Conflict, message)
                .reason("workspace_open")
                .hint("close it with `workspace_close`"));
        }
        standing.opened += 1;
        let opened = OpenWorkspace {
            id: format!("w{}", standing.opened),
            path: folder.folder().to_owned(),
        };
        standing.open = Some((opened.id.clone(), folder));
        let change = change(&opened, WorkspaceStatus::Ready);
        standing.changes.push(change);
        Ok(opened)
    }

    fn close(&self) -> Result<OpenWorkspace, ToolError> {
        let mut standing = self.lock();
        let Some((id, folder)) = standing.open.take() else {
            let message = "no workspace is open";
            return Err(ToolError::new(ErrorCode::PreconditionFailed, message)
                .reason("workspace")
                .hint("open one with `workspace_open`"));
        };
        let closed = OpenWorkspace {
            id,
            path: folder.folder().to_owned(),
        };
        let change = change(&closed, WorkspaceStatus::Closed);
        standing.changes.push(change);
        Ok(closed)
    }

    fn opened(&self) -> Option<OpenWorkspace> {
        let standing = self.lock();
        let (id, folder) = standing.open.as_ref()?;
        Some(OpenWorkspace {
            id: id.clone(),
            path: folder.folder().to_owned(),
        })
    }
}

fn change(workspace: &OpenWorkspace, status: WorkspaceStatus) -> WorkspaceChanged {
    WorkspaceChanged {
        id: workspace.id.clone(),
        status,
        path: (status == WorkspaceStatus::Ready).then(|| workspace.path.clone()),
        cause: None,
    }
}
