//! [`Sandbox`]: the only module that runs programs, and the only one with process system calls.
//!
//! No program runs without restrictions. The binary starts itself as its own launcher ([`launch_if_asked`]); the launcher applies
//! every restriction to itself and then becomes the program, so that no code runs between fork and exec in this process, which
//! has threads. The launcher receives its policy through a socket that the program does not inherit.
//!
//! Read `lists` first: readable paths and denied system calls. Then `linux/launcher`, which applies the policy in order, and
//! `linux/launched`, the calling side. On other systems every command is refused.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "linux")]
mod lists;
#[cfg(target_os = "linux")]
mod policy;
#[cfg(target_os = "linux")]
pub use linux::{
    Sandbox, launch_by, launch_if_asked, program_dependencies, run_as_launcher, sweep_stale_folders,
};

#[cfg(not(target_os = "linux"))]
mod unsupported;
#[cfg(not(target_os = "linux"))]
pub use unsupported::{Sandbox, launch_by, launch_if_asked, run_as_launcher};

use std::path::PathBuf;

/// The environment of the caller as far as the sandbox uses it; commands receive nothing else of it.
#[derive(Debug, Clone, Default)]
pub struct SandboxEnvironment {
    /// The workspace root; if absent, commands have no workspace.
    pub workspace: Option<PathBuf>,
    /// Further roots of the workspace, absolute and without links; commands read them as they read the first.
    pub roots: Vec<PathBuf>,
    /// Absolute folders in it, without links, that no command can read; missing ones are ignored.
    pub closed: Vec<PathBuf>,
    /// Absolute files and folders that no command changes, even one that may write around them; missing ones are ignored.
    pub protected: Vec<PathBuf>,
    /// Absolute folders of the workspace in which programs may write where their tool passes them on; missing ones are ignored.
    pub writable: Vec<PathBuf>,
    /// The parent of scratch folders, such as `/tmp`.
    pub scratch: PathBuf,
    /// Folders searched for programs after the path of the sandbox.
    pub path: Vec<PathBuf>,
    /// The home folder of the caller.
    pub home: Option<PathBuf>,
    /// The socket of the caller's SSH agent; no sandboxed command reaches it.
    pub ssh_agent: Option<PathBuf>,
    /// The interpreter that `python3` names, absolute, instead of the first one in the paths.
    pub python: Option<PathBuf>,
}

/// A row of the probe table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SandboxProbe {
    /// Name of the part.
    pub name: &'static str,
    /// Consequence for the tools.
    pub standing: ProbeVerdict,
    /// The finding.
    pub found: String,
    /// Advice if it is missing.
    pub cure: Option<String>,
}

/// The consequence of a row of the probe table for the tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProbeVerdict {
    /// Present.
    Ok,
    /// Missing, but no tool requires it.
    Optional,
    /// Missing, so that tools are refused.
    Missing,
}
