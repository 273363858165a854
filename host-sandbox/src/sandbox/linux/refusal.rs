//! Refusals: missing parts of the sandbox, and their cure.

use tool_core::command::{Level, SandboxCommand};
use tool_core::{Result, ToolError, tool_error};

use super::super::policy::{LauncherFault, SandboxPolicy};

/// A command that did not run because a level could not be applied.
#[derive(Debug)]
pub(super) struct SandboxRefusal {
    pub(super) level: Level,
    pub(super) stage: String,
    pub(super) message: String,
}

/// Sorts failures: a fault of the command is an error of the call, anything else a refusal of this machine.
pub(super) fn classify_failure(
    policy: &SandboxPolicy,
    command: &SandboxCommand,
    failure: LauncherFault,
) -> Result<SandboxRefusal> {
    const RUNNABLE: &str = "programs of the system and of the workspace can be run";
    let program = command.argv.first().map_or("", String::as_str);
    let directory = &command.directory;
    Err(match (failure.stage.as_str(), failure.errno) {
        ("exec", libc::ENOENT | libc::ENOTDIR) => {
            tool_error!(ToolError, "not_found"; "no program `{program}` in the sandbox")
                .hint(RUNNABLE)
        }
        ("exec", libc::E2BIG) => tool_error!(LimitExceeded, "arguments";
            "the arguments are longer than the kernel allows";
            "pass long texts through standard input"),
        ("exec", libc::EAGAIN) => tool_error!(LimitExceeded, "processes";
            "the user has more processes than the limit of the command";
            "try again when other processes have ended"),
        ("exec", _) => {
            tool_error!(ToolError, "exec"; "cannot run `{program}`: {}", failure.message)
                .hint(RUNNABLE)
        }
        ("folder", libc::EXDEV) => {
            tool_error!(InvalidArgs at "/cwd"; "`{directory}` leads out of the workspace")
        }
        ("folder", libc::ENOENT | libc::ENOTDIR) => {
            tool_error!(InvalidArgs at "/cwd"; "no folder `{directory}` in the workspace")
        }
        ("folder", libc::ENAMETOOLONG | libc::ELOOP | libc::EACCES | libc::EINVAL) => {
            let shown = tool_core::brief::brief_name(directory);
            tool_error!(InvalidArgs at "/cwd"; "the folder `{shown}` cannot be entered: {}", failure.message;
                "name a folder of the workspace")
        }
        _ => {
            return Ok(SandboxRefusal {
                level: policy.level,
                stage: failure.stage,
                message: failure.message,
            });
        }
    })
}

impl SandboxRefusal {
    /// The highest level without the failed part.
    pub(super) fn level_below(&self) -> Option<Level> {
        match self.stage.as_str() {
            "namespaces" | "mounts" => Some(Level::S2),
            "landlock" => Some(Level::S1),
            _ => None,
        }
    }

    /// Names the missing part and its cure.
    pub(super) fn missing(&self) -> (String, &'static str) {
        let cure = match self.stage.as_str() {
            "namespaces" | "mounts" => {
                "allow user namespaces (`sysctl kernel.unprivileged_userns_clone=1`, \
                 `kernel.apparmor_restrict_unprivileged_userns=0`), or start the container with them"
            }
            "landlock" => {
                "run Linux 6.2 or newer with Landlock in `lsm=`, in a container whose filter lets its system calls pass"
            }
            "seccomp" => "run a kernel with CONFIG_SECCOMP_FILTER",
            "user" => {
                "run as a user other than root, or leave root the rights to change user (CAP_SETUID, CAP_SETGID)"
            }
            "processes" | "limits" => "free processes or memory, or raise the limits of this user",
            _ => "`mathchain doctor` shows every part of the sandbox",
        };
        (
            format!("`{}` does not work here: {}", self.stage, self.message),
            cure,
        )
    }

    pub(super) fn error(&self, minimum: Level) -> ToolError {
        let (missing, cure) = self.missing();
        tool_error!(SandboxUnavailable, self.stage.clone();
            "the command did not run: it requires sandbox level {minimum}, and {missing} (tried {})", self.level)
        .hint(cure)
    }
}
