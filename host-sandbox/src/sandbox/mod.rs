//! [`Sandbox`]: the one place that runs programs, and the one place with process system calls.
//!
//! A program never runs bare. The binary starts itself again as its own launcher ([`launch_if_asked`]); the launcher applies
//! every restriction to itself and then becomes the program, so that nothing happens between a fork and an exec of this
//! process, which has threads. What the launcher is told comes through a socket that the program does not inherit.
//!
//! Read `lists` first: what a program may read, and which system calls it is denied. Then `linux/launcher`, which applies
//! things in order, and `linux/run`, which watches from outside. On other systems every command is refused.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "linux")]
mod lists;
#[cfg(target_os = "linux")]
mod policy;
#[cfg(target_os = "linux")]
pub use linux::{Sandbox, launch_if_asked};

#[cfg(not(target_os = "linux"))]
mod unsupported;
#[cfg(not(target_os = "linux"))]
pub use unsupported::{Sandbox, launch_if_asked};

use std::path::PathBuf;

/// What of the caller's surroundings the sandbox is told; nothing else of them reaches a command.
#[derive(Debug, Clone, Default)]
pub struct Surroundings {
    /// The workspace root; absent: commands have none.
    pub workspace: Option<PathBuf>,
    /// Folders in it that no command reads, absolute and without links; one that does not exist is passed over.
    pub closed: Vec<PathBuf>,
    /// Where scratch folders are made, such as `/tmp`.
    pub scratch: PathBuf,
    /// Folders that programs are looked for in, after the sandbox's own path.
    pub path: Vec<PathBuf>,
    /// The caller's home folder.
    pub home: Option<PathBuf>,
}

/// One line of the probe table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Probe {
    /// What was looked at.
    pub name: &'static str,
    /// What it means for the tools.
    pub standing: Standing,
    /// What was found.
    pub found: String,
    /// What to do about it when it is not there.
    pub cure: Option<String>,
}

/// What a line of the probe table means for the tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// There.
    Ok,
    /// Not there, and every tool runs without it.
    Optional,
    /// Not there, and tools are refused for that.
    Missing,
}
