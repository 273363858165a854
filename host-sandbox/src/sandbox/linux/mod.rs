//! The sandbox on Linux. The modules `launched`, `live`, `refusal`, `scratch`, `programs` and `probe` run in the calling process,
//! the others in the launcher.

mod confine;
mod landlock;
mod launched;
mod launcher;
mod live;
mod namespaces;
mod probe;
mod programs;
mod raw;
mod refusal;
mod scratch;
mod seccomp;
mod supervise;
mod watch;
mod writing;

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU8, Ordering};

use tool_core::capability::Spawner;
use tool_core::command::{
    CommandAccess, CommandOutput, Isolation, Level, SandboxCommand, SandboxProgram,
};
use tool_core::conversation::ProcessConversation;
use tool_core::{ErrorCode, Result, StopFlag, ToolError, tool_error};

use self::refusal::SandboxRefusal;
use self::scratch::ScratchFolder;
use super::policy::SandboxPolicy;
use super::{SandboxEnvironment, SandboxProbe};
use crate::below::{WalkStep, visit_tree};
use crate::workspace::CLOSED;

pub use launcher::{launch_by, launch_if_asked, run_as_launcher};
pub use programs::program_dependencies;
pub use scratch::sweep_stale_folders;

/// Maximum size of an argument vector in bytes.
const ARGUMENTS_BYTES_MAX: usize = 1 << 20;

/// Runs programs under restrictions; refuses if they cannot be applied.
#[derive(Debug)]
pub struct Sandbox {
    surroundings: SandboxEnvironment,
    /// The highest level that may work; lowered by failed attempts.
    ceiling: AtomicU8,
}

impl Sandbox {
    /// A sandbox for commands in a workspace.
    pub fn new(surroundings: SandboxEnvironment) -> Self {
        Self {
            surroundings,
            ceiling: AtomicU8::new(Level::S3 as u8),
        }
    }

    /// Limits the levels to this one.
    #[must_use]
    pub fn with_ceiling(self, ceiling: Level) -> Self {
        self.ceiling.store(ceiling as u8, Ordering::Relaxed);
        self
    }

    /// The parts of the sandbox on this machine, found by attempts.
    pub fn probe(&self) -> Vec<SandboxProbe> {
        probe::probe_sandbox(self)
    }

    fn ceiling(&self) -> Level {
        let ceiling = usize::from(self.ceiling.load(Ordering::Relaxed));
        Level::ALL.get(ceiling).copied().unwrap_or(Level::S3)
    }

    /// The policy of a command at a level.
    fn policy(
        &self,
        command: &SandboxCommand,
        level: Level,
        scratch: &ScratchFolder,
        stop: &StopFlag,
    ) -> Result<SandboxPolicy> {
        let workspace = match &command.workspace {
            CommandAccess::None => None,
            CommandAccess::Read => Some(self.root()?),
        };
        Ok(SandboxPolicy {
            level,
            isolation: command.isolation,
            probe: false,
            live: false,
            argv: command.argv.clone(),
            closed: match workspace {
                Some(root) => self.closed(root, stop)?,
                None => Vec::new(),
            },
            roots: match workspace {
                Some(_) => paths_to_utf8(&self.surroundings.roots)?,
                None => Vec::new(),
            },
            workspace: workspace.map(path_to_utf8).transpose()?,
            directory: command.directory.clone(),
            scratch: path_to_utf8(scratch.path())?,
            user: scratch.user(),
            kept: writing::read_only_paths(&self.surroundings, command, stop)?,
            writable: writing::relative_to_directory(command, &command.writable),
            exchange: command.exchange.as_deref().map(path_to_utf8).transpose()?,
            readable: paths_to_utf8(&command.readable)?,
            environment: command.environment.clone(),
            limits: command.limits,
        })
    }

    /// Hidden folders of the workspace that exist: those the caller names, and states at every depth.
    fn closed(&self, root: &Path, stop: &StopFlag) -> Result<Vec<String>> {
        let roots = || std::iter::once(root).chain(self.surroundings.roots.iter().map(|r| &**r));
        let named = self.surroundings.closed.iter();
        let in_root = |folder: &&PathBuf| roots().any(|root| folder.starts_with(root));
        let named = named.filter(|folder| in_root(folder) && folder.is_dir());
        let mut closed: BTreeSet<PathBuf> = named.cloned().collect();
        let mut visit = |path: &Path, name: &OsStr, is_folder| {
            let is_state = CLOSED.iter().any(|state| name.eq_ignore_ascii_case(state));
            if is_state && is_folder {
                closed.insert(path.to_owned());
                return WalkStep::Beside;
            }
            if stop.is_set() {
                WalkStep::Stop
            } else {
                WalkStep::Into
            }
        };
        let complete = roots().all(|root| visit_tree(root, &mut visit));
        stop.check()?;
        if !complete {
            return Err(tool_error!(LimitExceeded, "entries";
                "the workspace has more than 2000000 entries, too many to hide the states among them";
                "choose a smaller folder with --workspace"));
        }
        closed.iter().map(|folder| path_to_utf8(folder)).collect()
    }

    fn root(&self) -> Result<&Path> {
        self.surroundings.workspace.as_deref().ok_or_else(|| {
            tool_error!(PreconditionFailed; "the command requires a workspace";
                "name one with --workspace")
        })
    }

    /// Tries the levels from the highest down to the minimum of the command.
    fn at_levels<T>(
        &self,
        command: &SandboxCommand,
        stop: &StopFlag,
        mut attempt: impl FnMut(Level) -> Result<Result<T, SandboxRefusal>>,
    ) -> Result<T> {
        check_command(command)?;
        stop.check()?;
        if launcher::LAUNCH.get().is_none() {
            return Err(tool_error!(SandboxUnavailable, "launcher";
                "this program cannot act as the launcher of the sandbox";
                "call `host_sandbox::sandbox::launch_if_asked` first in `main`, or name a launcher with `launch_by`"));
        }
        if command.isolation == Isolation::None {
            return attempt(Level::S0)?.map_err(|refusal| refusal.error(Level::S0));
        }
        // Only mounts keep what lies within a writable folder read-only.
        let minimum = match command.writable.is_empty() {
            true => command.minimum.max(Level::S1),
            false => Level::S3,
        };
        let mut missing = None;
        for level in Level::ALL
            .iter()
            .copied()
            .rev()
            .take_while(|level| *level >= minimum)
        {
            if level > self.ceiling() {
                continue;
            }
            let refusal = match attempt(level)? {
                Ok(done) => return Ok(done),
                Err(refusal) => refusal,
            };
            let lower = refusal.level_below();
            missing = Some(refusal);
            let Some(lower) = lower else { break };
            self.ceiling.fetch_min(lower as u8, Ordering::Relaxed);
        }
        Err(match missing {
            Some(refusal) => refusal.error(minimum),
            None => tool_error!(SandboxUnavailable, "level";
                "the command requires sandbox level {minimum}, and this machine offers {}", self.ceiling();
                "`mathchain doctor` shows the missing parts and their cure"),
        })
    }
}

impl Spawner for Sandbox {
    fn run(&self, command: &SandboxCommand, stop: &StopFlag) -> Result<CommandOutput> {
        self.at_levels(command, stop, |level| {
            let owner = writing::writable_folder_owner(&self.surroundings, command);
            let scratch = ScratchFolder::make(&self.surroundings.scratch, owner)?;
            let policy = self.policy(command, level, &scratch, stop)?;
            let before = writing::find_protected_paths(&self.surroundings, command);
            let done = launched::run_sandboxed(&policy, command, stop);
            writing::set_aside(&self.surroundings, command, &before)?;
            done
        })
    }

    fn converse(
        &self,
        command: &SandboxCommand,
        stop: &StopFlag,
    ) -> Result<Box<dyn ProcessConversation>> {
        self.at_levels(command, stop, |level| {
            let owner = writing::writable_folder_owner(&self.surroundings, command);
            let scratch = ScratchFolder::make(&self.surroundings.scratch, owner)?;
            if let Some(folder) = &command.exchange {
                scratch.give(folder)?;
            }
            let policy = SandboxPolicy {
                live: true,
                ..self.policy(command, level, &scratch, stop)?
            };
            let started = live::start_live_process(policy, command, scratch, stop)?;
            Ok(started.map(|live| Box::new(live) as Box<dyn ProcessConversation>))
        })
    }

    fn find(&self, program: &str) -> Option<SandboxProgram> {
        match &self.surroundings.python {
            Some(python) if program == "python3" => programs::program_at_path(python),
            _ => programs::find_program(program, &self.surroundings.path),
        }
    }

    fn home(&self) -> Option<PathBuf> {
        self.surroundings.home.clone()
    }

    fn writable(&self) -> Vec<String> {
        writing::configured_write_folders(&self.surroundings)
    }

    fn ssh_agent(&self) -> Option<PathBuf> {
        self.surroundings.ssh_agent.clone()
    }
}

/// Refuses invalid commands.
fn check_command(command: &SandboxCommand) -> Result<()> {
    let environment = &command.environment;
    let bytes: usize = command.argv.iter().map(|word| word.len() + 1).sum();
    let texts = environment.iter().flat_map(|(name, value)| [name, value]);
    let places = command.writable.iter().chain(&command.kept);
    let words = command.argv.iter().chain([&command.directory]);
    let mut texts = words.chain(places).chain(texts);
    let unnamed = |(name, _): &(String, String)| name.is_empty() || name.contains('=');
    let (at, message) = match command.argv.first().map(String::as_str) {
        None => ("/argv", "the argument vector is empty"),
        Some("") => ("/argv/0", "the program is an empty text"),
        _ if bytes > ARGUMENTS_BYTES_MAX => {
            return Err(tool_error!(LimitExceeded;
                "the arguments have {bytes} bytes; the maximum is {ARGUMENTS_BYTES_MAX}";
                "pass long texts through standard input"));
        }
        _ if !command.writable.is_empty()
            && (command.isolation == Isolation::None
                || command.workspace == CommandAccess::None) =>
        {
            (
                "",
                "a command without a sandbox or without a workspace has no writable folders",
            )
        }
        _ if texts.any(|text| text.contains('\0')) => ("", "an argument contains a NUL character"),
        _ if environment.iter().any(unnamed) => ("", "an environment variable has an invalid name"),
        Some(_) => return Ok(()),
    };
    let error = ToolError::new(ErrorCode::InvalidArgs, message);
    Err(if at.is_empty() { error } else { error.at(at) })
}

fn paths_to_utf8(paths: &[PathBuf]) -> Result<Vec<String>> {
    paths.iter().map(|path| path_to_utf8(path)).collect()
}

fn path_to_utf8(path: &Path) -> Result<String> {
    path.to_str().map(str::to_owned).ok_or_else(|| {
        let path = path.display();
        tool_error!(PreconditionFailed; "the path `{path}` is not UTF-8";
            "sandboxed commands need paths in UTF-8")
    })
}
