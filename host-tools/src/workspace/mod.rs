//! [`Workspace`]: the files beneath one folder, and no others.
//!
//! The root is opened once and held. The kernel resolves every path against it (`openat2` with `RESOLVE_BENEATH` and
//! `RESOLVE_NO_MAGICLINKS`), so that no `..`, link or race leads out; what a file is gets decided on the open file, never on
//! its name. Links whose target stays beneath the root are followed for reading, never for writing or for listing a tree.
//!
//! Linux 5.6 or newer only: without `openat2`, and on other systems, [`Workspace::open`] refuses. There is no fallback that
//! looks first and opens later.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "linux")]
pub use linux::Workspace;

#[cfg(not(target_os = "linux"))]
mod elsewhere;
#[cfg(not(target_os = "linux"))]
pub use elsewhere::Workspace;

/// What [`Workspace::open`] never writes to, relative to the root: state, configuration, agents and plugins.
///
/// A folder covers what is below it, and letters match in either case. Besides these, nothing is ever written below a
/// folder named `.git`, at any depth.
pub const PROTECTED: &[&str] = &[
    ".mathchain",
    "mathchain.toml",
    "mathchain.yaml",
    "mathchain.yml",
    "agents",
    "plugins",
    "plugin-settings",
];

/// Of these, what [`Workspace::open`] does not read either: the state, which holds what every role's calls read and gave.
pub const CLOSED: &[&str] = &[".mathchain"];
