//! The git tools on real repositories, which the git of this machine makes.

mod changing;
mod hostile;
mod looking;
mod pushing;

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Arc;

use host_sandbox::sandbox::SandboxEnvironment;
use host_sandbox::{Sandbox, Workspace};
use host_tools::FAMILIES;
use tempfile::TempDir;
use tool_core::capability::{CommitRules, Spawner};
use tool_core::command::{
    CapturedStream, CommandOutput, Level, ProcessExit, SandboxCommand as Sandboxed, SandboxProgram,
};
use tool_core::{AnyTool, CallBudget, Capabilities, Ctx, StopFlag, ToolError, Value, json};

pub(crate) fn all() -> Vec<libtest_mimic::Trial> {
    let modules = [
        looking::trials(),
        changing::trials(),
        pushing::trials(),
        hostile::trials(),
        trials(),
    ];
    modules.into_iter().flatten().collect()
}

crate::trials!(examples_give_what_they_say);

/// A workspace with the repository `repo`, whose branch `main` has one commit of `notes.txt`, and a home folder beside it.
pub(crate) struct Place {
    folder: TempDir,
    ctx: Ctx,
}

impl Place {
    pub(crate) fn new() -> Self {
        let place = Self::empty();
        place.git("repo", &["init", "--quiet", "--initial-branch=main"]);
        place.git("repo", &["config", "user.name", "Ada"]);
        place.git("repo", &["config", "user.email", "ada@example.org"]);
        place.put("repo/notes.txt", "hello world\n");
        place.git("repo", &["add", "notes.txt"]);
        place.git("repo", &["commit", "--quiet", "-m", "docs: add notes"]);
        place
    }

    /// A workspace with an empty folder `repo`.
    pub(crate) fn empty() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["work/repo", "scratch", "home"] {
            std::fs::create_dir_all(folder.path().join(name)).expect("makes folders");
        }
        let sandbox = Sandbox::new(SandboxEnvironment {
            workspace: Some(folder.path().join("work")),
            scratch: folder.path().join("scratch"),
            home: Some(folder.path().join("home")),
            ssh_agent: None,
            ..SandboxEnvironment::default()
        });
        let files = Workspace::open(folder.path().join("work")).expect("opens");
        let ctx =
            Ctx::new(StopFlag::new(), CallBudget::default()).with_capabilities(Capabilities {
                files: Some(Arc::new(files)),
                spawner: Some(Arc::new(sandbox)),
                commit_rules: Some(Arc::new(CommitRules::default())),
                ..Capabilities::default()
            });
        Self { folder, ctx }
    }

    /// The same without the sandbox, which would hide that a program ran: what it writes is lost there.
    pub(crate) fn unconfined(mut self) -> Self {
        let capabilities = Capabilities {
            files: Some(Arc::new(
                Workspace::open(self.outside("work")).expect("opens"),
            )),
            spawner: Some(Arc::new(Unconfined {
                root: self.outside("work"),
                home: self.outside("home"),
            })),
            commit_rules: Some(Arc::new(CommitRules::default())),
            ..Capabilities::default()
        };
        self.ctx = Ctx::new(StopFlag::new(), CallBudget::default()).with_capabilities(capabilities);
        self
    }

    /// A path beside or in the workspace `work`.
    pub(crate) fn outside(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join("work").join(name)
    }

    #[expect(clippy::disallowed_methods, reason = "a test makes its own files")]
    pub(crate) fn put(&self, name: &str, text: &str) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("makes folders");
        std::fs::write(path, text).expect("writes");
    }

    #[expect(clippy::disallowed_methods, reason = "a test looks at its own files")]
    pub(crate) fn text(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).expect("reads")
    }

    /// A program that leaves a mark outside of the workspace.
    pub(crate) fn marker(&self, name: &str) -> String {
        let path = self.path(name);
        let mark = self.outside("mark").display().to_string();
        self.put(name, &format!("#!/bin/sh\necho ran >> {mark}\ncat\n"));
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(&path, mode).expect("sets");
        path.display().to_string()
    }

    /// Whether a marker ran.
    pub(crate) fn is_marked(&self) -> bool {
        self.outside("mark").exists()
    }

    /// Runs git in a folder of the workspace, with the times of the examples and no configuration but the repository's.
    #[track_caller]
    pub(crate) fn git(&self, folder: &str, words: &[&str]) -> String {
        let output = self.git_output(folder, words);
        assert!(
            output.status.success(),
            "{words:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8_lossy(&output.stdout)
            .trim_end()
            .to_owned()
    }

    pub(crate) fn git_output(&self, folder: &str, words: &[&str]) -> std::process::Output {
        Command::new("git")
            .args(words)
            .current_dir(self.path(folder))
            .env_clear()
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .env("HOME", "/nonexistent")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_AUTHOR_DATE", "2025-01-01T12:00:00Z")
            .env("GIT_COMMITTER_DATE", "2025-01-01T12:00:00Z")
            .env("GIT_EDITOR", "true")
            .output()
            .expect("git is installed")
    }

    pub(crate) fn call(&self, tool: &str, args: &str) -> Result<Value, ToolError> {
        let args = json::parse_json(args, json::JsonLimits::default()).expect("JSON");
        find(tool).decode(&args)?.run(&self.ctx)
    }

    /// The output of a call in `repo`, unless the arguments name another folder.
    #[track_caller]
    pub(crate) fn output(&self, tool: &str, args: &str) -> Value {
        self.call(tool, &in_repo(args))
            .unwrap_or_else(|err| panic!("{tool} {args}: {err:?}"))
    }

    #[track_caller]
    pub(crate) fn error(&self, tool: &str, args: &str) -> ToolError {
        match self.call(tool, &in_repo(args)) {
            Ok(output) => panic!("{tool} {args}: {}", json::to_text(&output)),
            Err(err) => err,
        }
    }

    /// The evidence before a call, and what the probe makes of it after `between`.
    pub(crate) fn probe(
        &self,
        tool: &str,
        args: &str,
        between: impl FnOnce(),
    ) -> tool_core::CallProbe {
        let args = json::parse_json(&in_repo(args), json::JsonLimits::default()).expect("JSON");
        let call = find(tool).decode(&args).expect("fits");
        let before = call.before(&self.ctx).expect("evidence");
        between();
        let before = before.expect("there is some");
        call.probe(&before, &self.ctx).expect("an answer")
    }
}

/// Runs programs as they are.
struct Unconfined {
    root: PathBuf,
    home: PathBuf,
}

impl Spawner for Unconfined {
    fn run(&self, command: &Sandboxed, _: &StopFlag) -> Result<CommandOutput, ToolError> {
        use std::io::Write as _;
        let mut child = Command::new(&command.argv[0])
            .args(&command.argv[1..])
            .current_dir(self.root.join(&command.directory))
            .env_clear()
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .env("LANG", "C.UTF-8")
            .env("HOME", "/nonexistent")
            .envs(command.environment.iter().cloned())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("starts");
        let mut stdin = child.stdin.take().expect("piped");
        let _ = stdin.write_all(&command.stdin); // it may end before it reads
        drop(stdin);
        let output = child.wait_with_output().expect("ends");
        let captured = |bytes: Vec<u8>| CapturedStream {
            bytes_total: bytes.len() as u64,
            bytes,
        };
        Ok(CommandOutput {
            exit: ProcessExit::Status(output.status.code().unwrap_or(-1)),
            stdout: captured(output.stdout),
            stderr: captured(output.stderr),
            wall: std::time::Duration::ZERO,
            cpu: std::time::Duration::ZERO,
            timed_out: false,
            exceeded: None,
            level: Level::S0,
        })
    }

    fn find(&self, program: &str) -> Option<SandboxProgram> {
        Some(SandboxProgram {
            path: program.to_owned(),
            readable: Vec::new(),
        })
    }

    fn home(&self) -> Option<PathBuf> {
        Some(self.home.clone())
    }
}

fn in_repo(args: &str) -> String {
    match (args.contains("repo_path"), args) {
        (true, _) => args.to_owned(),
        (false, "{}") => r#"{"repo_path": "repo"}"#.to_owned(),
        (false, _) => args.replacen('{', r#"{"repo_path": "repo", "#, 1),
    }
}

pub(crate) fn find(id: &str) -> &'static dyn AnyTool {
    let mut tools = FAMILIES.iter().flat_map(|family| family.iter());
    let entry = tools.find(|entry| entry.tool().spec().id == id);
    entry.expect("a tool").tool()
}

/// A member of an output as compact JSON.
pub(crate) fn member(output: &Value, pointer: &str) -> String {
    let found = output.pointer(pointer);
    found.map_or_else(|| "absent".to_owned(), |found| json::to_text(&found))
}

fn examples_give_what_they_say() {
    let mut seen = 0;
    for tool in FAMILIES.iter().flat_map(|family| family.iter()) {
        let tool = tool.tool();
        if !tool.spec().id.starts_with("git:") {
            continue;
        }
        for example in tool.examples() {
            let place = Place::new();
            let is_push = tool.spec().id == "git:push";
            if is_push {
                std::fs::create_dir(place.path("remote.git")).expect("makes");
                place.git("remote.git", &["init", "--quiet", "--bare"]);
                place.git("repo", &["remote", "add", "origin", "../remote.git"]);
            } else {
                place.put("repo/notes.txt", "hello world\nmore\n");
            }
            let args = json::to_text(&example.args);
            let args = args.replace(r#""repo_path":".""#, r#""repo_path":"repo""#);
            let output = place.output(tool.spec().id, &args);
            let expected = example.output.as_object().expect("an object");
            for (name, value) in expected.iter() {
                // The id of a new commit depends on the time.
                if tool.spec().id == "git:commit" && name == "commit" {
                    continue;
                }
                assert_eq!(
                    member(&output, &format!("/{name}")),
                    json::to_text(value),
                    "{} {name}",
                    tool.spec().id
                );
            }
            seen += 1;
        }
    }
    assert_eq!(seen, 6);
}
