//! [`OpenFolder`] and [`FolderSpawner`]: a workspace restricted to one of its folders; paths remain relative to the root.

use std::path::PathBuf;
use std::sync::Arc;

use tool_core::capability::{DiskSpace, FileCall, FileContent, Spawner};
use tool_core::command::{CommandOutput, SandboxCommand, SandboxProgram};
use tool_core::conversation::ProcessConversation;

use crate::prelude::*;

/// The files of one folder of a workspace. Paths are relative to the workspace root, so that rules on paths keep their meaning.
pub struct OpenFolder {
    files: Arc<dyn WorkspaceFiles>,
    /// Identity of the folder; `.` for the root.
    folder: String,
}

impl OpenFolder {
    /// Restricts a workspace to a folder.
    ///
    /// # Errors
    /// `invalid_args` for a path that is not a folder in the workspace.
    pub fn new(files: Arc<dyn WorkspaceFiles>, path: &str) -> Result<Self> {
        let folder = files.identity(path)?.path;
        let kind = files.stat(path)?.kind;
        if kind != FileKind::Directory {
            return Err(tool_error!(InvalidArgs, Reason::NotAFolder;
                "expected a folder, found a {}: `{path}`", kind.as_str()));
        }
        Ok(Self { files, folder })
    }

    /// The folder, relative to the workspace root.
    pub fn folder(&self) -> &str {
        &self.folder
    }

    /// The files and the path, if it is in the folder.
    fn within<'a>(&'a self, path: &'a str) -> Result<(&'a dyn WorkspaceFiles, &'a str)> {
        self.identity(path)?;
        Ok((self.files.as_ref(), self.named(path)))
    }

    /// `.` means the folder itself.
    fn named<'a>(&'a self, path: &'a str) -> &'a str {
        let above = path.is_empty() || path.starts_with('/') || path_parts(path).next().is_some();
        if above { path } else { &self.folder }
    }
}

/// Whether an identity is that of the folder or below it.
fn lies_in(identity: &str, folder: &str) -> bool {
    folder == "."
        || identity
            .strip_prefix(folder)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn outside_folder_error(path: &str, folder: &str) -> ToolError {
    const HINT: &str =
        "paths are relative to the workspace root; close the workspace and open another folder";
    let shown: String = path.chars().take(80).collect();
    tool_error!(InvalidArgs, "outside_folder"; "`{shown}` is not in the open folder `{folder}`")
        .hint(HINT)
}

/// Forwards methods on one path, which must be in the folder.
macro_rules! within {
    ($(fn $name:ident($($argument:ident: $type:ty),*) -> $output:ty;)+) => {$(
        fn $name(&self, path: &str, $($argument: $type),*) -> Result<$output> {
            let (files, path) = self.within(path)?;
            files.$name(path, $($argument),*)
        }
    )+};
}

impl WorkspaceFiles for OpenFolder {
    within! {
        fn read(bytes_max: u64) -> FileContent;
        fn write(content: &[u8], mode: WriteMode) -> FileInfo;
        fn list(recursive: bool, entries_max: usize, stop: &StopFlag) -> (Vec<FileInfo>, bool);
        fn make_folder() -> ();
        fn open(links: LinkMode) -> (FileInfo, Box<dyn FileReader>);
        fn entries(links: LinkMode, stop: &StopFlag) -> Vec<FileInfo>;
        fn stat() -> FileInfo;
        fn space() -> DiskSpace;
        fn remove(kind: FileKind) -> FileInfo;
        fn draft() -> Box<dyn DraftFolder>;
        fn leftovers() -> Vec<Box<dyn FileReader>>;
        fn clear_leftovers() -> ();
        fn may_write() -> ();
    }

    fn change(&self, changes: &[FileChange]) -> Result<Vec<FileInfo>> {
        for change in changes {
            self.within(change.path())?;
        }
        self.files.change(changes)
    }

    fn for_call(&self, call: &FileCall) -> Option<Arc<dyn WorkspaceFiles>> {
        let places = call.places.iter();
        let call = FileCall {
            key: call.key.clone(),
            places: places
                .map(|(path, place)| (self.named(path).to_owned(), place.clone()))
                .collect(),
        };
        Some(Arc::new(Self {
            files: self.files.for_call(&call)?,
            folder: self.folder.clone(),
        }))
    }

    fn identity(&self, path: &str) -> Result<ResourceId> {
        let id = self.files.identity(self.named(path))?;
        match lies_in(&id.path, &self.folder) {
            true => Ok(id),
            false => Err(outside_folder_error(path, &self.folder)),
        }
    }
}

/// Programs that see one folder of a workspace; their working folders are relative to the workspace root.
pub struct FolderSpawner {
    spawner: Arc<dyn Spawner>,
    folder: String,
}

impl FolderSpawner {
    /// Wraps a sandbox whose workspace is the folder.
    pub fn new(spawner: Arc<dyn Spawner>, folder: impl Into<String>) -> Self {
        Self {
            spawner,
            folder: folder.into(),
        }
    }

    /// The command with its working folder relative to the folder; the workspace root means the folder.
    fn moved(&self, command: &SandboxCommand) -> Result<SandboxCommand> {
        let parts: Vec<&str> = path_parts(&command.directory).collect();
        let is_absolute = command.directory.starts_with('/');
        let directory = ["", "/"][usize::from(is_absolute)].to_owned() + &parts.join("/");
        let inner = match directory.strip_prefix(&self.folder) {
            _ if self.folder == "." => command.directory.as_str(),
            _ if parts.contains(&"..") => {
                return Err(outside_folder_error(&command.directory, &self.folder));
            }
            _ if parts.is_empty() && !is_absolute => ".",
            Some("") => ".",
            Some(rest) if rest.starts_with('/') => &rest[1..],
            _ => return Err(outside_folder_error(&command.directory, &self.folder)),
        };
        Ok(SandboxCommand {
            directory: inner.to_owned(),
            ..command.clone()
        })
    }
}

impl Spawner for FolderSpawner {
    fn run(&self, command: &SandboxCommand, stop: &StopFlag) -> Result<CommandOutput> {
        self.spawner.run(&self.moved(command)?, stop)
    }

    fn converse(
        &self,
        command: &SandboxCommand,
        stop: &StopFlag,
    ) -> Result<Box<dyn ProcessConversation>> {
        self.spawner.converse(&self.moved(command)?, stop)
    }

    fn find(&self, program: &str) -> Option<SandboxProgram> {
        self.spawner.find(program)
    }

    fn home(&self) -> Option<PathBuf> {
        self.spawner.home()
    }

    fn ssh_agent(&self) -> Option<PathBuf> {
        self.spawner.ssh_agent()
    }
}
