//! The sandbox on other systems: every command is refused.

use std::ffi::OsString;
use std::path::PathBuf;

use tool_core::capability::Spawner;
use tool_core::command::{CommandOutput, Level, SandboxCommand, SandboxProgram};
use tool_core::{Result, StopFlag, tool_error};

use super::{ProbeVerdict, SandboxEnvironment, SandboxProbe};

/// Refuses every command.
#[derive(Debug)]
pub struct Sandbox;

/// Does nothing: the sandbox has no launcher on this system.
pub fn launch_if_asked() {}

/// Does nothing, as [`launch_if_asked`].
pub fn launch_by(_: impl Into<OsString>, _: Vec<OsString>) {}

/// Ends the process, which serves no purpose on this system.
pub fn run_as_launcher() -> ! {
    #[expect(
        clippy::disallowed_methods,
        reason = "the launcher has no audit, and no caller to return to"
    )]
    std::process::exit(1);
}

impl Sandbox {
    /// A sandbox that refuses every command.
    pub fn new(_: SandboxEnvironment) -> Self {
        Self
    }

    /// Unchanged: there is no level to lower.
    #[must_use]
    pub fn with_ceiling(self, _: Level) -> Self {
        self
    }

    /// One line: no sandbox.
    pub fn probe(&self) -> Vec<SandboxProbe> {
        vec![SandboxProbe {
            name: "sandbox level",
            standing: ProbeVerdict::Missing,
            found: "S0: no sandbox on this system, programs are refused".to_owned(),
            cure: Some("run on Linux 6.2 or newer".to_owned()),
        }]
    }
}

impl Spawner for Sandbox {
    fn run(&self, _: &SandboxCommand, _: &StopFlag) -> Result<CommandOutput> {
        Err(tool_error!(SandboxUnavailable;
            "programs run only in a sandbox, and this system has none";
            "run on Linux 6.2 or newer"))
    }

    fn find(&self, _: &str) -> Option<SandboxProgram> {
        None
    }

    fn home(&self) -> Option<PathBuf> {
        None
    }
}
