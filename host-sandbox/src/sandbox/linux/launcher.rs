//! The launcher: this binary under another name. It reads a policy, applies it, becomes the command, and ensures that no
//! process of the command survives.

use std::ffi::OsString;
use std::fs::File;
use std::io::{Seek, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::sync::OnceLock;

use rustix::fs::{MemfdFlags, Mode, OFlags, memfd_create};
use rustix::io::fcntl_dupfd_cloexec;
use rustix::process::{set_child_subreaper, setsid};
use rustix::stdio::{dup2_stdin, stdin, stdout};
use tool_core::command::{Isolation, Level};

use super::super::lists::{LANG, LAUNCHER, PATH};
use super::super::policy::{LauncherFault, LauncherReport, SandboxPolicy};
use super::confine::{self, ConfinementError, fault_at_stage};
use super::supervise::{OrphanReaper, supervise_command};
use super::{namespaces, raw};

/// Runs as the launcher if this process was started as one, and then does not return. Every program with a
/// [`Sandbox`](super::Sandbox) must call this first in `main`, before any thread starts; otherwise the sandbox refuses commands.
pub fn launch_if_asked() {
    let asked = std::env::args_os()
        .next()
        .is_some_and(|name| name == LAUNCHER);
    if asked {
        run_as_launcher();
    }
    let _ = LAUNCH.set(LauncherProgram::default()); // else `launch_by` came first
}

/// Sets the command that starts a launcher, for a program that is a library of a host such as an interpreter: `program` under the name
/// `arguments[0]` with the other arguments, which must call [`run_as_launcher`] before any thread starts. The first setting is kept.
pub fn launch_by(program: impl Into<OsString>, arguments: Vec<OsString>) {
    let program = program.into();
    let _ = LAUNCH.set(LauncherProgram { program, arguments });
}

/// Runs as the launcher: reads a policy from standard input, runs its command, and ends the process.
pub fn run_as_launcher() -> ! {
    let code = serve_launch_request();
    #[expect(
        clippy::disallowed_methods,
        reason = "the launcher has no audit, and no caller to return to"
    )]
    std::process::exit(code);
}

/// The command that starts a launcher; unset in a program that cannot act as one.
pub(super) static LAUNCH: OnceLock<LauncherProgram> = OnceLock::new();

/// A program, and its arguments with its own name first.
pub(super) struct LauncherProgram {
    pub(super) program: OsString,
    pub(super) arguments: Vec<OsString>,
}

impl Default for LauncherProgram {
    fn default() -> Self {
        Self {
            program: "/proc/self/exe".into(),
            arguments: vec![LAUNCHER.into()],
        }
    }
}

/// The exit code has no meaning: the parent reads the socket.
fn serve_launch_request() -> i32 {
    let Ok(socket) = fcntl_dupfd_cloexec(stdin(), 3) else {
        return 1;
    };
    let mut socket = UnixStream::from(socket);
    match receive_policy(&mut socket).and_then(|policy| start_isolated(&policy, &mut socket)) {
        Ok(()) => 0,
        Err(fault) => {
            report_fault(&mut socket, &fault);
            1
        }
    }
}

fn report_fault(socket: &mut UnixStream, fault: &ConfinementError) {
    let failure = LauncherFault {
        stage: fault.stage.to_owned(),
        errno: fault.error.raw_os_error().unwrap_or(0),
        message: fault.error.to_string(),
    };
    report_to(socket, &LauncherReport::Failed(failure));
}

/// Errors are ignored: the parent may be gone.
fn report_to(socket: &mut UnixStream, report: &LauncherReport) {
    let _ = socket.write_all(report.line().as_bytes());
}

/// Reads the policy, and replaces the socket by the standard input of the command.
fn receive_policy(socket: &mut UnixStream) -> Result<SandboxPolicy, ConfinementError> {
    let (policy, input) = SandboxPolicy::receive(socket).map_err(fault_at_stage("policy"))?;
    setsid().map_err(fault_at_stage("session"))?;
    if policy.live {
        dup2_stdin(stdout()).map_err(fault_at_stage("session"))?;
    } else {
        let input = input_of(&input).map_err(fault_at_stage("session"))?;
        dup2_stdin(input).map_err(fault_at_stage("session"))?;
    }
    raw::close_on_exec_from(3).map_err(fault_at_stage("session"))?;
    // Orphaned descendants become children of this process, so that none escapes.
    set_child_subreaper(Some(rustix::process::getpid())).map_err(fault_at_stage("session"))?;
    Ok(policy)
}

/// A file in memory, so that a command that never reads blocks no writer; `/dev/null` without input.
fn input_of(bytes: &[u8]) -> std::io::Result<OwnedFd> {
    if bytes.is_empty() {
        let flags = OFlags::RDONLY | OFlags::CLOEXEC;
        return Ok(rustix::fs::open("/dev/null", flags, Mode::empty())?);
    }
    let mut file = File::from(memfd_create("stdin", MemfdFlags::CLOEXEC)?);
    file.write_all(bytes)?;
    file.rewind()?;
    Ok(file.into())
}

fn start_isolated(policy: &SandboxPolicy, socket: &mut UnixStream) -> Result<(), ConfinementError> {
    if policy.level < Level::S3 {
        return run_supervised(policy, socket, OrphanReaper::Mine);
    }
    namespaces::enter_namespaces(policy.isolation).map_err(fault_at_stage("namespaces"))?;
    // The init process of the new process namespace; when it ends, the kernel ends all others in it.
    match raw::fork_process().map_err(fault_at_stage("namespaces"))? {
        None => {
            let done = namespaces::set_up_mounts(policy)
                .map_err(fault_at_stage("mounts"))
                .and_then(|()| run_supervised(policy, socket, OrphanReaper::Namespace));
            if let Err(fault) = done {
                report_fault(socket, &fault);
            }
            Ok(())
        }
        Some(first) => {
            super::supervise::wait_for(first);
            Ok(())
        }
    }
}

/// Starts the command and supervises it to its end.
fn run_supervised(
    policy: &SandboxPolicy,
    socket: &mut UnixStream,
    tree: OrphanReaper,
) -> Result<(), ConfinementError> {
    match raw::fork_process().map_err(fault_at_stage("processes"))? {
        None => {
            if let Err(fault) = become_command(policy, socket, tree) {
                report_fault(socket, &fault);
            }
            Ok(())
        }
        Some(child) => {
            let ended = supervise_command(child, socket.as_fd(), policy, tree);
            report_to(socket, &LauncherReport::Ended(ended));
            Ok(())
        }
    }
}

/// Applies the policy and becomes the command; returns only for a probe or on a failure.
fn become_command(
    policy: &SandboxPolicy,
    socket: &mut UnixStream,
    tree: OrphanReaper,
) -> Result<(), ConfinementError> {
    let landlock = confine::apply_confinement(policy, tree == OrphanReaper::Namespace)?;
    report_to(socket, &LauncherReport::Ready { landlock });
    if policy.probe {
        return Ok(());
    }
    let [program, arguments @ ..] = policy.argv.as_slice() else {
        return Err(fault_at_stage("exec")(std::io::Error::other("no program")));
    };
    let mut command = Command::new(program);
    command.args(arguments).env_clear();
    if policy.isolation != Isolation::None {
        command
            .env("PATH", PATH)
            .env("LANG", LANG)
            .env("HOME", &policy.scratch)
            .env("TMPDIR", &policy.scratch);
        if let (Some(root), Some(_)) = (&policy.workspace, policy.user) {
            // Git refuses repositories of another user than its own, which this one is made to be.
            for (index, folder) in [root.clone(), format!("{root}/*")].iter().enumerate() {
                command
                    .env(format!("GIT_CONFIG_KEY_{index}"), "safe.directory")
                    .env(format!("GIT_CONFIG_VALUE_{index}"), folder);
            }
            command.env("GIT_CONFIG_COUNT", "2");
        }
        confine::limit_memory(policy).map_err(fault_at_stage("limits"))?;
    }
    command.envs(policy.environment.iter().map(|(name, value)| (name, value)));
    Err(fault_at_stage("exec")(command.exec()))
}
