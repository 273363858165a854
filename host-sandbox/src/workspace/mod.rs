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
pub use linux::{Workspace, leftovers};

#[cfg(not(target_os = "linux"))]
mod unsupported;
#[cfg(not(target_os = "linux"))]
pub use unsupported::{Workspace, leftovers};

/// What [`Workspace::open`] never writes to, relative to the root: agents and plugins. A folder covers what is below it, and
/// letters match in either case.
pub const PROTECTED: &[&str] = BESIDE;

/// What is never written at any depth, and nothing below it: repositories, configurations and states.
pub const EVERYWHERE: &[&str] = &[
    ".git",
    ".mathchain",
    "mathchain.toml",
    "mathchain.yaml",
    "mathchain.yml",
];

/// What is not read either, at any depth: states, which hold what calls of every role read and gave.
pub const CLOSED: &[&str] = &[".mathchain"];

/// Names of configurations, and of what makes a folder a project.
const CONFIGURATIONS: &[&str] = &[
    "mathchain.toml",
    "mathchain.yaml",
    "mathchain.yml",
    ".mathchain",
];

/// What belongs to a configuration in the same folder, and is then not written either.
const BESIDE: &[&str] = &["agents", PLUGINS, "plugin-settings"];

/// Folder of plugins, which are loaded without a configuration too; a folder in it is one when it has the manifest.
const PLUGINS: &str = "plugins";
const MANIFEST: &str = "manifest.json";

/// Whether a name is that of a file which is being written: tools neither see nor make such files.
pub fn is_temporary(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name.starts_with(TEMPORARY) && name.ends_with(".tmp")
}

/// How the name of a temporary file begins.
const TEMPORARY: &str = ".mathchain-";
