//! Why a command did not run: what is missing on this machine, and the cure.

use tool_core::command::{Command, Level};
use tool_core::{ErrorCode, Reason, ToolError};

use super::super::policy::Policy;
use super::run::Attempt;

/// Why a command did not run.
#[derive(Debug)]
pub(super) struct Refusal {
    pub(super) level: Level,
    pub(super) stage: String,
    pub(super) message: String,
}

/// Sorts failures: the command's own fault is an error of the call, the rest a refusal.
pub(super) fn not_run(
    policy: &Policy,
    command: &Command,
    (stage, errno, message): (String, i32, String),
) -> Result<Attempt, ToolError> {
    let program = command.argv.first().map_or("", String::as_str);
    match (stage.as_str(), errno) {
        ("exec", libc::ENOENT | libc::ENOTDIR) => Err(ToolError::new(
            ErrorCode::ToolError,
            format_args!("no program `{program}` in the sandbox"),
        )
        .reason(Reason::NotFound)
        .hint("programs of the system and of the workspace can be run")),
        ("exec", libc::E2BIG) => Err(ToolError::new(
            ErrorCode::LimitExceeded,
            "the arguments are longer than the kernel takes",
        )
        .hint("pass long texts through standard input")),
        ("exec", libc::EAGAIN) => Err(ToolError::new(
            ErrorCode::LimitExceeded,
            "the user has more processes than the command may have",
        )
        .reason("processes")
        .hint("try again when others have ended")),
        ("exec", _) => Err(ToolError::new(
            ErrorCode::ToolError,
            format_args!("`{program}` cannot be run: {message}"),
        )
        .reason("exec")
        .hint("programs of the system and of the workspace can be run")),
        ("folder", libc::ENOENT | libc::ENOTDIR) => Err(ToolError::new(
            ErrorCode::InvalidArgs,
            format_args!("no folder `{}` in the workspace", command.directory),
        )
        .at("/cwd")),
        ("folder", libc::EXDEV) => Err(ToolError::new(
            ErrorCode::InvalidArgs,
            format_args!("`{}` leads out of the workspace", command.directory),
        )
        .at("/cwd")),
        _ => Ok(Attempt::Refused(Refusal {
            level: policy.level,
            stage,
            message,
        })),
    }
}

impl Refusal {
    /// The level that does without what failed, where there is one.
    pub(super) fn level_below(&self) -> Option<Level> {
        match self.stage.as_str() {
            "namespaces" | "mounts" => Some(Level::S2),
            "landlock" => Some(Level::S1),
            _ => None,
        }
    }

    /// What is missing, and the cure.
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
        ToolError::new(
            ErrorCode::SandboxUnavailable,
            format_args!(
                "the command did not run: it needs sandbox level {minimum}, and {missing} (tried {})",
                self.level
            ),
        )
        .reason(self.stage.clone())
        .hint(cure)
    }
}
