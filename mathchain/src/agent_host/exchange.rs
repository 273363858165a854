//! The folder that an agent shares with its pipeline: files for its command line, and two pipes to the MCP server of its phase, which runs
//! outside its sandbox.
//!
//! The folder belongs to the agent, so that nothing in it is opened by name: the pipes are opened through descriptors made before it starts.

use std::fs::{DirBuilder, File};
use std::hash::{BuildHasher as _, Hasher as _};
use std::io::{Read as _, Write as _};
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{CWD, FileType, FlockOperation, Mode, OFlags, fcntl_setfl, flock, mknodat, open};
use rustix::process::{Pid, Signal, kill_process};

use agents::AgentExchange;
use agents::cli::formats::ANSWER_BYTES_MAX;
use tool_core::{Result, tool_error};

use crate::io;

/// The beginning of the names of the folders.
const PREFIX: &str = "mathchain-agent-";
/// Names in the folder.
const TO_SERVER: &str = "to-server";
const TO_AGENT: &str = "to-agent";
const LOCK: &str = "lock";
const OUTPUT: &str = "output";
const HOME: &str = "home";

/// Interval at which waits look whether the agent has ended.
const LOOK: Duration = Duration::from_millis(50);
/// Time for a server to end after its client.
const END: Duration = Duration::from_secs(5);

/// The folder of one agent; removed when this value is dropped, or by a later process where this one is killed.
pub(super) struct PipeExchange {
    folder: PathBuf,
    /// Locked as long as this process lives.
    _owned: File,
    to_server: OwnedFd,
    to_agent: OwnedFd,
}

impl PipeExchange {
    pub(super) fn make() -> Result<Self> {
        let failed = |err: std::io::Error| tool_error!(ToolError, "io"; "cannot make the folder of an agent: {err}"; "set TMPDIR to a writable folder");
        let number = std::hash::RandomState::new().build_hasher().finish();
        let parent = std::env::temp_dir().canonicalize().map_err(failed)?;
        host_sandbox::sandbox::sweep_stale_folders(&parent);
        let folder = parent.join(format!("{PREFIX}{number:016x}"));
        let private = |path: &Path| DirBuilder::new().mode(0o700).create(path);
        private(&folder).map_err(failed)?;
        let made = (|| {
            let owned = File::open(&folder)?;
            flock(&owned, FlockOperation::LockExclusive)?;
            private(&folder.join(HOME))?;
            for name in [LOCK, OUTPUT] {
                File::create_new(folder.join(name))?;
            }
            let pipe = |name: &str| -> std::io::Result<OwnedFd> {
                let path = folder.join(name);
                mknodat(CWD, &path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0)?;
                Ok(open(
                    &path,
                    OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC,
                    Mode::empty(),
                )?)
            };
            Ok((owned, pipe(TO_SERVER)?, pipe(TO_AGENT)?))
        })();
        match made {
            Ok((owned, to_server, to_agent)) => Ok(Self {
                folder,
                _owned: owned,
                to_server,
                to_agent,
            }),
            Err(err) => {
                let _ = std::fs::remove_dir_all(&folder);
                Err(failed(err))
            }
        }
    }

    /// Waits for a client; `None` where the agent ended or the client left without a word.
    fn await_client(&self, ended: &AtomicBool) -> std::io::Result<Option<(File, File)>> {
        let again = |fd: &OwnedFd, flags: OFlags| {
            let name = format!("/proc/self/fd/{}", fd.as_raw_fd());
            open(
                name,
                flags | OFlags::NONBLOCK | OFlags::CLOEXEC,
                Mode::empty(),
            )
        };
        let input = again(&self.to_server, OFlags::RDONLY)?;
        loop {
            if ended.load(Ordering::SeqCst) {
                return Ok(None);
            }
            let mut waiting = [PollFd::new(&input, PollFlags::IN)];
            let pause = Timespec::try_from(LOOK).ok();
            let _ = poll(&mut waiting, pause.as_ref()); // an interrupted wait is repeated
            let told = waiting[0].revents();
            if told.contains(PollFlags::IN) {
                break;
            }
            if told.contains(PollFlags::HUP) {
                return Ok(None);
            }
        }
        let begun = Instant::now();
        let output = loop {
            match again(&self.to_agent, OFlags::WRONLY) {
                Ok(output) => break output,
                Err(_) if ended.load(Ordering::SeqCst) || begun.elapsed() > END => return Ok(None),
                Err(_) => std::thread::sleep(LOOK),
            }
        };
        fcntl_setfl(&input, OFlags::empty())?;
        fcntl_setfl(&output, OFlags::empty())?;
        Ok(Some((input.into(), output.into())))
    }
}

impl AgentExchange for PipeExchange {
    fn folder(&self) -> &Path {
        &self.folder
    }

    fn output(&self) -> String {
        self.path(OUTPUT)
    }

    fn write(&self, name: &str, content: &[u8]) -> Result<()> {
        let path = self.folder.join(name);
        let written = (|| {
            if let Some(above) = path.parent() {
                DirBuilder::new()
                    .recursive(true)
                    .mode(0o700)
                    .create(above)?;
            }
            File::create_new(&path)?.write_all(content)
        })();
        written.map_err(|err| io::cannot_write(&path, &err))
    }

    // A link, a pipe or a folder in its place is none.
    fn answer(&self) -> String {
        let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits() as i32;
        let opened = File::options()
            .read(true)
            .custom_flags(flags)
            .open(self.folder.join(OUTPUT));
        let Some(file) = opened
            .ok()
            .filter(|file| file.metadata().is_ok_and(|found| found.is_file()))
        else {
            return String::new();
        };
        let mut bytes = Vec::new();
        let _ = file.take(ANSWER_BYTES_MAX as u64).read_to_end(&mut bytes); // what could be read counts
        String::from_utf8_lossy(&bytes).trim().to_owned()
    }

    fn serve(&self, server: &[String], ended: &AtomicBool) {
        while !ended.load(Ordering::SeqCst) {
            match self.await_client(ended) {
                Ok(Some((input, output))) => {
                    let Ok(child) = start_server(server, input, output) else {
                        return;
                    };
                    await_server_exit(child, ended);
                }
                Ok(None) => {}
                Err(_) => std::thread::sleep(LOOK),
            }
        }
    }
}

impl Drop for PipeExchange {
    fn drop(&mut self) {
        // Errors are ignored: a destructor cannot report them.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// Starts the server in a process group of its own, so that Ctrl-C does not reach it before the agent.
fn start_server(server: &[String], input: File, output: File) -> std::io::Result<Child> {
    let (program, arguments) = server
        .split_first()
        .ok_or(std::io::ErrorKind::InvalidInput)?;
    Command::new(program)
        .args(arguments)
        .stdin(Stdio::from(input))
        .stdout(Stdio::from(output))
        .stderr(Stdio::null())
        .process_group(0)
        .spawn()
}

/// Waits for a server, which ends with its client; one that does not end after the agent is stopped.
fn await_server_exit(mut child: Child, ended: &AtomicBool) {
    let mut since = None;
    while let Ok(None) = child.try_wait() {
        std::thread::sleep(LOOK);
        if !ended.load(Ordering::SeqCst) {
            continue;
        }
        let waited = since.get_or_insert_with(Instant::now).elapsed();
        if waited > 2 * END {
            let _ = child.kill();
            let _ = child.wait();
            return;
        }
        if waited > END
            && let Some(process) = i32::try_from(child.id()).ok().and_then(Pid::from_raw)
        {
            let _ = kill_process(process, Signal::TERM);
        }
    }
}

/// Joins a client on standard input and output to the server of an exchange, until either ends.
///
/// # Errors
/// A folder that is none of an exchange.
pub fn join_exchange(folder: &Path) -> Result<()> {
    let failed = |err: std::io::Error| {
        tool_error!(PreconditionFailed, "exchange"; "cannot join the server of `{}`: {err}", folder.display();
            "this option is for the configuration that a pipeline gives to its agents")
    };
    let lock = File::open(folder.join(LOCK)).map_err(failed)?;
    flock(&lock, FlockOperation::LockExclusive).map_err(|err| failed(err.into()))?;
    let mut to_server = File::options()
        .write(true)
        .open(folder.join(TO_SERVER))
        .map_err(failed)?;
    // It ends with this process.
    let _ = std::thread::Builder::new()
        .name("join".to_owned())
        .spawn(move || {
            let _ = std::io::copy(&mut std::io::stdin().lock(), &mut to_server);
        });
    let mut to_agent = File::open(folder.join(TO_AGENT)).map_err(failed)?;
    let mut out = std::io::stdout().lock();
    let mut part = vec![0; 64 << 10];
    loop {
        match to_agent.read(&mut part) {
            Ok(0) => return Ok(()),
            Ok(count) => {
                let sent = out.write_all(&part[..count]).and_then(|()| out.flush());
                if sent.is_err() {
                    return Ok(());
                }
            }
            Err(err) if err.kind() == std::io::ErrorKind::Interrupted => {}
            Err(err) => return Err(failed(err)),
        }
    }
}
