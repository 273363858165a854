//! A workspace in a folder of its own, beside a file that no command may touch.

use std::path::{Path, PathBuf};
use std::time::Duration;

use host_sandbox::Sandbox;
use host_sandbox::sandbox::SandboxEnvironment;
use tempfile::TempDir;
use tool_core::capability::Spawner;
use tool_core::command::{CommandOutput, Level, SandboxCommand};
use tool_core::{StopFlag, ToolError};

/// What no command may ever show.
pub(crate) const CANARY: &str = "canary-5f1d0c7e";

pub(crate) struct Place {
    folder: TempDir,
    pub(crate) sandbox: Sandbox,
}

impl Place {
    pub(crate) fn at(ceiling: Level) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let place = |name: &str| folder.path().join(name);
        for name in [
            "workspace/.git",
            "workspace/.mathchain",
            "workspace/sub",
            "more/.mathchain",
            "more/sub",
            "scratch",
            "home",
        ] {
            std::fs::create_dir_all(place(name)).expect("makes folders");
        }
        for (name, text) in [
            ("outside", CANARY),
            ("home/secret", CANARY),
            ("workspace/notes.txt", "hello\n"),
            ("workspace/.git/config", "[core]\n"),
            ("workspace/.mathchain/state.db", CANARY),
            ("more/notes.txt", "more\n"),
            ("more/.mathchain/state.db", CANARY),
        ] {
            write(&place(name), text);
        }
        std::os::unix::fs::symlink(place("outside"), place("workspace/link")).expect("links");
        let sandbox = Sandbox::new(SandboxEnvironment {
            closed: vec![place("workspace/.mathchain"), place("workspace/none")],
            workspace: Some(place("workspace")),
            roots: vec![place("more")],
            protected: vec![place("workspace/sub/named")],
            scratch: place("scratch"),
            path: Vec::new(),
            home: Some(place("home")),
            ssh_agent: None,
            python: None,
            writable: Vec::new(),
        })
        .with_ceiling(ceiling);
        Self { folder, sandbox }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn run(&self, command: &SandboxCommand) -> Result<CommandOutput, ToolError> {
        self.sandbox.run(command, &StopFlag::new())
    }

    /// Runs a script of the shell; `@` in it stands for the folder of this place.
    pub(crate) fn shell(&self, script: &str) -> CommandOutput {
        self.run(&self.script(script))
            .unwrap_or_else(|err| panic!("{script}: {err:?}"))
    }

    pub(crate) fn script(&self, script: &str) -> SandboxCommand {
        let folder = self.folder.path().to_str().expect("UTF-8");
        let mut command = SandboxCommand::new(["sh", "-c", &script.replace('@', folder)]);
        command.limits.wall = Duration::from_secs(10);
        command
    }

    /// Every file but scratch, with its content: what must not change.
    pub(crate) fn snapshot(&self) -> Vec<(PathBuf, String)> {
        let mut found = Vec::new();
        let mut folders = vec![self.folder.path().to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(&folder).expect("lists") {
                let entry = entry.expect("an entry");
                let meta = entry.metadata().expect("facts");
                let facts = {
                    use std::os::unix::fs::MetadataExt;
                    format!(
                        "{:o} {} {} {}",
                        meta.mode(),
                        meta.uid(),
                        meta.size(),
                        meta.mtime()
                    )
                };
                let text = if meta.is_file() {
                    read(&entry.path())
                } else {
                    String::new()
                };
                let is_scratch = entry.path() == self.path("scratch");
                found.push((
                    entry.path(),
                    if is_scratch {
                        String::new()
                    } else {
                        format!("{facts} {text}")
                    },
                ));
                if meta.is_dir() {
                    folders.push(entry.path());
                }
            }
        }
        found.sort();
        found
    }
}

#[expect(clippy::disallowed_methods, reason = "a test makes its own files")]
pub(crate) fn write(path: &Path, text: &str) {
    std::fs::write(path, text).expect("writes");
}

#[expect(clippy::disallowed_methods, reason = "a test looks at its own files")]
pub(crate) fn read(path: &Path) -> String {
    std::fs::read_to_string(path).expect("reads")
}

/// The text of both streams.
pub(crate) fn said(finished: &CommandOutput) -> String {
    format!("{}{}", finished.stdout.text(), finished.stderr.text())
}
