use std::sync::{Arc, Mutex};

use tool_core::capability::{
    FileChange, LinkMode, OpenWorkspace, Spawner, WorkspaceFiles, WorkspaceOpener, WriteMode,
};
use tool_core::command::{CommandOutput, SandboxCommand, SandboxProgram};
use tool_core::{CallBudget, Capabilities, Ctx, ErrorCode, StopFlag, ToolError, Value, schema};

use super::{FolderSpawner, OpenFolder, TOOLS};
use host_sandbox::Workspace;

/// One place that is open or not.
#[derive(Default)]
struct Fake(Mutex<Option<OpenWorkspace>>);

impl WorkspaceOpener for Fake {
    fn open(&self, path: &str) -> Result<OpenWorkspace, ToolError> {
        if path.starts_with('/') {
            return Err(ToolError::new(
                ErrorCode::InvalidArgs,
                "leaves the workspace",
            ));
        }
        let opened = OpenWorkspace {
            id: "w1".to_owned(),
            path: path.to_owned(),
        };
        *self.0.lock().unwrap() = Some(opened.clone());
        Ok(opened)
    }

    fn close(&self) -> Result<OpenWorkspace, ToolError> {
        let none = || ToolError::new(ErrorCode::PreconditionFailed, "none is open");
        self.0.lock().unwrap().take().ok_or_else(none)
    }

    fn opened(&self) -> Option<OpenWorkspace> {
        self.0.lock().unwrap().clone()
    }
}

fn ctx(workspaces: Arc<dyn WorkspaceOpener>) -> Ctx {
    Ctx::new(StopFlag::new(), CallBudget::default()).with_capabilities(Capabilities {
        workspaces: Some(workspaces),
        ..Capabilities::default()
    })
}

fn call(ctx: &Ctx, tool: &str, args: &str) -> Result<Value, ToolError> {
    fakes::call(TOOLS, ctx, tool, args)
}

#[test]
fn examples_give_what_they_say() {
    for entry in TOOLS {
        let tool = entry.tool();
        assert_eq!(tool.spec().fault(), None);
        for example in tool.examples() {
            let fake = Arc::new(Fake::default());
            if tool.spec().id == "workspace_close" {
                fake.open(".").unwrap();
            }
            let output = tool.decode(&example.args).unwrap().run(&ctx(fake)).unwrap();
            assert_eq!(output, example.output, "{}", example.title);
            assert_eq!(schema::check_value(&tool.output_schema(), &output), []);
        }
    }
}

#[test]
fn what_is_wrong_names_the_argument_and_other_doors_refuse() {
    let ctx = ctx(Arc::new(Fake::default()));
    let err = call(&ctx, "workspace_open", r#"{"path":"/etc"}"#).unwrap_err();
    assert_eq!(
        (err.code(), err.path()),
        (ErrorCode::InvalidArgs, Some("/path"))
    );
    let err = call(&ctx, "workspace_close", "{}").unwrap_err();
    assert_eq!(err.code(), ErrorCode::PreconditionFailed);
    let fixed = Ctx::default();
    for tool in ["workspace_open", "workspace_close"] {
        let err = call(&fixed, tool, "{}").unwrap_err();
        assert_eq!(err.code(), ErrorCode::PreconditionFailed, "{tool}");
    }
}

#[expect(clippy::disallowed_methods, reason = "a test makes its own files")]
fn workspace() -> (tempfile::TempDir, Arc<dyn WorkspaceFiles>) {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in [
        ("a/x", "in"),
        ("a/deep/y", "in"),
        ("ab/z", "out"),
        ("top", "out"),
    ] {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    std::os::unix::fs::symlink("../top", folder.path().join("a/link")).unwrap();
    let files = Arc::new(Workspace::open(folder.path()).unwrap());
    (folder, files)
}

#[test]
fn only_what_lies_in_the_open_folder_is_reached_by_the_paths_of_the_workspace() {
    let (_folder, files) = workspace();
    let open = OpenFolder::new(Arc::clone(&files), "./a/").unwrap();
    assert_eq!(open.folder(), "a");
    assert_eq!(open.read("a/x", 10).unwrap().bytes, b"in");
    assert_eq!(open.read("a/deep/../x", 10).unwrap().bytes, b"in");
    assert_eq!(open.identity("a").unwrap().path, "a");
    assert!(open.write("a/new", b"n", WriteMode::Create).is_ok());
    let stop = StopFlag::new();
    // `.` is all that is open.
    assert_eq!(open.identity("./").unwrap().path, "a");
    let (listed, _) = open.list(".", false, 10, &stop).unwrap();
    assert!(listed.iter().any(|entry| entry.path == "a/x"), "{listed:?}");
    for path in ["top", "ab/z", "a/../top", "a/link", "x", "../a/x", ".."] {
        let refusals = [
            open.read(path, 10).err(),
            open.write(path, b"", WriteMode::Overwrite).err(),
            open.list(path, true, 10, &stop).err(),
            open.make_folder(path).err(),
            open.open(path, LinkMode::Follow).err(),
            open.entries(path, LinkMode::Follow, &stop).err(),
            open.stat(path).err(),
            open.space(path).err(),
            open.remove(path, tool_core::capability::FileKind::File)
                .err(),
            open.draft(path).err(),
            open.identity(path).err(),
        ];
        for (number, refusal) in refusals.into_iter().enumerate() {
            let err = refusal.unwrap_or_else(|| panic!("{path}: {number} reached it"));
            assert_eq!(err.code(), ErrorCode::InvalidArgs, "{path}: {err:?}");
        }
    }
    let changes = [
        FileChange::Create {
            path: "a/one".to_owned(),
            content: Vec::new(),
            mode: None,
        },
        FileChange::Delete {
            path: "top".to_owned(),
            before: b"out".to_vec(),
        },
    ];
    let err = open.change(&changes).unwrap_err();
    assert_eq!(err.reason_str(), Some("outside_folder"));
    assert!(files.stat("a/one").is_err());
    assert!(open.change(&changes[..1]).is_ok());
    assert_eq!(
        OpenFolder::new(Arc::clone(&files), "top")
            .err()
            .unwrap()
            .reason_str(),
        Some("not_a_folder")
    );
    let whole = OpenFolder::new(files, ".").unwrap();
    assert_eq!(whole.read("top", 10).unwrap().bytes, b"out");
}

/// Says where it would have started.
struct Echo(Mutex<Vec<String>>);

impl Spawner for Echo {
    fn run(&self, command: &SandboxCommand, _: &StopFlag) -> Result<CommandOutput, ToolError> {
        self.0.lock().unwrap().push(command.directory.clone());
        Err(ToolError::new(ErrorCode::Cancelled, "not run"))
    }
    fn find(&self, _: &str) -> Option<SandboxProgram> {
        None
    }
    fn home(&self) -> Option<std::path::PathBuf> {
        None
    }
}

#[test]
fn programs_start_in_the_open_folder_or_below_it() {
    let echo = Arc::new(Echo(Mutex::default()));
    let inside = FolderSpawner::new(Arc::clone(&echo) as _, "a/b");
    let mut codes = Vec::new();
    for directory in [".", "a/b", "./a//b/c/d", "a", "a/bc", "a/b/../..", "/a/b"] {
        let mut command = SandboxCommand::new(["true"]);
        command.directory = directory.to_owned();
        codes.push(inside.run(&command, &StopFlag::new()).unwrap_err().code());
    }
    let (ran, outside) = (ErrorCode::Cancelled, ErrorCode::InvalidArgs);
    assert_eq!(codes, [ran, ran, ran, outside, outside, outside, outside]);
    assert_eq!(echo.0.lock().unwrap()[..3], [".", ".", "c/d"]);
    let whole = FolderSpawner::new(Arc::clone(&echo) as _, ".");
    let mut command = SandboxCommand::new(["true"]);
    command.directory = "src".to_owned();
    let _ = whole.run(&command, &StopFlag::new());
    assert_eq!(echo.0.lock().unwrap().last().unwrap(), "src");
}
