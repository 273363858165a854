//! The security border: [`Workspace`] confines file access to one folder, [`Sandbox`] confines the programs that tools start.
//!
//! Everything that resolves a path or starts a process is in this crate, so that it can be reviewed, compiled and tested alone.
//! Tools see it only through the capability traits of `tool-core`.

#[cfg(target_os = "linux")]
mod below;
pub mod sandbox;
pub mod workspace;

pub use sandbox::Sandbox;
pub use workspace::Workspace;
