//! [`SandboxCommand`] and [`CommandOutput`]: a program to run in the sandbox, and its results. Plain data; a
//! [`Spawner`](crate::capability::Spawner) runs it.

use std::path::PathBuf;
use std::time::Duration;

use crate::{Decode, Encode};

names! {
    /// Level of the sandbox. Each level includes the ones below.
    Level {
        /// Nothing. No command runs at this level.
        S0 = "S0",
        /// System calls filtered, resources limited.
        S1 = "S1",
        /// Files limited by the kernel as well, and no user id of root.
        S2 = "S2",
        /// Namespaces of its own as well: processes, mounts, network, host name.
        S3 = "S3",
    }
}

names! {
    /// What a command is kept from.
    #[derive(Default)]
    Isolation {
        /// The network, and every file but the named ones and those of the system.
        #[default]
        Offline = "offline",
        /// The same files; it may open connections, to this machine too, and accept none.
        Network = "network",
        /// Nothing: it runs as the user, in the user's environment. Its processes still end with the command.
        None = "none",
    }
}

/// Access of a command to the workspace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommandAccess {
    /// No access.
    None,
    /// Read access to all of it.
    Read,
}

/// Resource limits of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Encode, Decode)]
pub struct CommandLimits {
    /// Wall time, after which the process tree is killed.
    pub wall: Duration,
    /// Processor time of each process.
    pub cpu: Duration,
    /// Address space of each process, in bytes.
    pub memory_bytes: u64,
    /// Memory of all processes together, in bytes; polled, so that it can be exceeded briefly.
    pub tree_memory_bytes: u64,
    /// Largest file written, in bytes.
    pub file_bytes: u64,
    /// Size of the scratch folder, in bytes; polled likewise.
    pub scratch_bytes: u64,
    /// Number of entries in the scratch folder; polled likewise.
    pub scratch_entries: u64,
    /// Maximum number of processes and threads at a time.
    pub processes: u64,
    /// Open files of each process.
    pub open_files: u64,
    /// Maximum number of bytes kept of standard output.
    pub stdout_bytes: usize,
    /// Maximum number of bytes kept of standard error.
    pub stderr_bytes: usize,
}

impl Default for CommandLimits {
    fn default() -> Self {
        Self {
            wall: Duration::from_secs(30),
            cpu: Duration::from_secs(60),
            memory_bytes: 4 << 30,
            tree_memory_bytes: 4 << 30,
            file_bytes: 256 << 20,
            scratch_bytes: 1 << 30,
            scratch_entries: 100_000,
            processes: 64,
            open_files: 256,
            stdout_bytes: 50_000,
            stderr_bytes: 10_000,
        }
    }
}

/// A program to run in the sandbox. Unless [`Isolation`] says otherwise it has no network, and writes only to its own scratch folder, which
/// is its home and is deleted afterwards.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SandboxCommand {
    /// Program and arguments, without a shell. A program without `/` is searched in the path of the sandbox.
    pub argv: Vec<String>,
    /// Working folder, relative to the workspace root; without the workspace it is the scratch folder.
    pub directory: String,
    /// Access to the workspace.
    pub workspace: CommandAccess,
    /// Folders of the workspace that it may change, relative to `directory`; none is reached through a link. Such a command runs at
    /// level S3 only, where everything else stays read-only, and as the owner of the first folder. Files that tools never write stay
    /// read-only in them, but for a folder `.git` that is named here.
    pub writable: Vec<String>,
    /// Files and folders below [`SandboxCommand::writable`] that stay read-only; missing ones are ignored.
    pub kept: Vec<String>,
    /// Files and folders outside the workspace that may be read and executed besides the system's own.
    pub readable: Vec<PathBuf>,
    /// A folder outside the workspace, absolute and without links, that belongs to a live command: it reads and writes all of it. A caller of
    /// root gives it to the user of the command.
    pub exchange: Option<PathBuf>,
    /// Variables of its environment, beside `PATH`, `HOME`, `TMPDIR` and `LANG`.
    pub environment: Vec<(String, String)>,
    /// Its standard input.
    pub stdin: Vec<u8>,
    /// Resource limits.
    pub limits: CommandLimits,
    /// Minimum level of the sandbox.
    pub minimum: Level,
    /// What it is kept from.
    pub isolation: Isolation,
}

impl SandboxCommand {
    /// A command that reads the workspace, starts at its root, and runs at level S2 or above.
    pub fn new<S: Into<String>>(argv: impl IntoIterator<Item = S>) -> Self {
        Self {
            argv: argv.into_iter().map(Into::into).collect(),
            directory: ".".to_owned(),
            workspace: CommandAccess::Read,
            writable: Vec::new(),
            kept: Vec::new(),
            readable: Vec::new(),
            exchange: None,
            environment: Vec::new(),
            stdin: Vec::new(),
            limits: CommandLimits::default(),
            minimum: Level::S2,
            isolation: Isolation::Offline,
        }
    }
}

/// A program that a [`Spawner`](crate::capability::Spawner) found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SandboxProgram {
    /// Path: the first word of a command.
    pub path: String,
    /// Paths that must be [`SandboxCommand::readable`] for it to run, unless it is part of the system.
    pub readable: Vec<PathBuf>,
}

/// How a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Encode, Decode)]
pub enum ProcessExit {
    /// With a status.
    Status(i32),
    /// By a signal.
    Signal(i32),
}

impl ProcessExit {
    /// The exit status as in a shell: 128 plus the number of a signal.
    pub const fn code(self) -> i32 {
        match self {
            Self::Status(status) => status,
            Self::Signal(signal) => 128 + signal,
        }
    }

    /// Whether it is status 0.
    pub fn success(self) -> bool {
        self == Self::Status(0)
    }
}

names! {
    /// A limit on all processes of a command together, whose excess kills them.
    Excess {
        /// The memory of all processes.
        Memory = "memory",
        /// What is in the scratch folder; or little was left to others on its file system.
        Disk = "disk",
        /// The number of files in the scratch folder, or how deep its folders are.
        Files = "files",
        /// The number of processes, where the kernel does not limit it: of root, in its own folders.
        Processes = "processes",
    }
}

/// One output stream, up to its limit.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CapturedStream {
    /// Its beginning.
    pub bytes: Vec<u8>,
    /// Number of bytes written in all.
    pub bytes_total: u64,
}

impl CapturedStream {
    /// Whether more was written than is kept.
    pub fn truncated(&self) -> bool {
        self.bytes_total > self.bytes.len() as u64
    }

    /// The text, with U+FFFD for invalid UTF-8.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }
}

/// The results of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandOutput {
    /// How its first process ended.
    pub exit: ProcessExit,
    /// Standard output.
    pub stdout: CapturedStream,
    /// Standard error.
    pub stderr: CapturedStream,
    /// Wall time.
    pub wall: Duration,
    /// Processor time of its processes.
    pub cpu: Duration,
    /// Whether it was killed at its deadline.
    pub timed_out: bool,
    /// The limit for which it was killed.
    pub exceeded: Option<Excess>,
    /// The level it ran at.
    pub level: Level,
}
