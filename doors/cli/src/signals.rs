//! Signals that stop this process, and the flags and servers that they stop.
//!
//! Ctrl-C cancels, SIGTERM and SIGHUP interrupt. A second Ctrl-C or SIGTERM ends the process at once, with 128 and the number of the
//! signal as its exit code; a second SIGHUP is ignored, since a terminal that closes sends several. A signal that was ignored
//! when the process began (by `nohup`, or by a shell without job control) stays ignored.

use std::io::{self, Read};
use std::sync::atomic::{AtomicBool, Ordering};

use tool_core::StopFlag;

use super::output::write_stderr;
use super::progress;

/// Set while the user is prompted: a signal then ends the process, and nothing has run.
static ASKED: AtomicBool = AtomicBool::new(false);

/// Stops one call or run.
pub(super) fn stop_on_signal(stop: &StopFlag) {
    let stop = stop.clone();
    handle(move |signal| match signal {
        StopSignal::Interrupt => {
            progress::print_above_bar("cancelling (Ctrl-C again to quit now)\n");
            stop.cancel();
        }
        StopSignal::End => {
            progress::print_above_bar("stopping (send the signal again to quit now)\n");
            stop.interrupt();
        }
    });
}

/// Runs a prompt; a signal meanwhile ends the process.
pub(super) fn while_asking<T>(ask: impl FnOnce() -> T) -> T {
    ASKED.store(true, Ordering::SeqCst);
    let answer = ask();
    ASKED.store(false, Ordering::SeqCst);
    answer
}

/// The kinds of stop signals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum StopSignal {
    /// Ctrl-C.
    Interrupt,
    /// SIGTERM, SIGHUP.
    End,
}

#[cfg(unix)]
pub(super) use unix::ServerClosing;

#[cfg(unix)]
use unix::handle;

#[cfg(unix)]
mod unix {
    use std::fs::File;
    use std::net::Shutdown;
    use std::os::fd::AsFd as _;
    use std::os::unix::net::UnixStream;
    use std::sync::Arc;
    use std::time::Duration;

    use rustix::event::{PollFd, PollFlags, poll};
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;
    use signal_hook::low_level::exit;

    use super::{
        ASKED, AtomicBool, Ordering, Read, StopFlag, StopSignal, io, progress, write_stderr,
    };

    /// Closes a server: it reads no more input.
    #[derive(Clone)]
    pub(crate) struct ServerClosing {
        closed: Arc<AtomicBool>,
        /// Shut down on closing, which wakes the reader of input.
        bell: Arc<(UnixStream, UnixStream)>,
        stop: StopFlag,
    }

    /// Time for pending calls to complete after SIGTERM or SIGHUP, before they are stopped.
    const DRAIN: Duration = Duration::from_secs(3);
    /// Time for stopped calls to return and their answers to be read, before the process exits. The sum is below the ten seconds that
    /// container runtimes wait.
    const STOPPING: Duration = Duration::from_secs(5);

    impl ServerClosing {
        /// Closes the server at the first signal: lines already read are answered. Ctrl-C cancels running calls at once.
        pub(crate) fn on_signal(stop: &StopFlag) -> io::Result<Self> {
            let closing = Self {
                closed: Arc::default(),
                bell: Arc::new(UnixStream::pair()?),
                stop: stop.clone(),
            };
            let door = closing.clone();
            handle(move |signal| {
                door.close();
                match signal {
                    StopSignal::Interrupt => {
                        write_stderr("cancelling (Ctrl-C again to quit now)\n");
                        door.stop.cancel();
                    }
                    StopSignal::End => {
                        write_stderr(
                            "stopping after pending calls (send the signal again to quit now)\n",
                        );
                        door.drain();
                    }
                }
            });
            Ok(closing)
        }

        /// Reads nothing more.
        pub(crate) fn close(&self) {
            self.closed.store(true, Ordering::SeqCst);
            let _ = self.bell.0.shutdown(Shutdown::Both); // wakes the reader
        }

        pub(crate) fn is_closed(&self) -> bool {
            self.closed.load(Ordering::SeqCst)
        }

        /// Waits until the server closes.
        pub(crate) fn wait(&self) {
            while !self.is_closed() {
                let mut waiting = [PollFd::new(&self.bell.1, PollFlags::IN)];
                let _ = poll(&mut waiting, None); // an interrupted wait is repeated
            }
        }

        fn drain(&self) {
            let stop = self.stop.clone();
            let timer = move || {
                std::thread::sleep(DRAIN);
                stop.interrupt();
                std::thread::sleep(STOPPING);
                write_stderr("a call did not stop, or its answer was not read: quitting\n");
                exit(128 + SIGTERM);
            };
            // Without the thread, calls end by their own deadlines.
            let _ = std::thread::Builder::new()
                .name("drain".to_owned())
                .spawn(timer);
        }

        /// Standard input, which ends when the server closes.
        pub(crate) fn stdin(&self) -> io::Result<impl Read + Send + use<>> {
            Ok(ClosableStdin {
                stdin: File::from(io::stdin().as_fd().try_clone_to_owned()?),
                closing: self.clone(),
            })
        }
    }

    struct ClosableStdin {
        stdin: File,
        closing: ServerClosing,
    }

    impl Read for ClosableStdin {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            loop {
                let mut waiting = [
                    PollFd::new(&self.stdin, PollFlags::IN),
                    PollFd::new(&self.closing.bell.1, PollFlags::IN),
                ];
                match poll(&mut waiting, None) {
                    Err(rustix::io::Errno::INTR) => continue,
                    ready => ready?,
                };
                let told = waiting[0].revents();
                if self.closing.is_closed() {
                    return Ok(0);
                }
                if !told.is_empty() {
                    return self.stdin.read(buffer);
                }
            }
        }
    }

    /// Calls `first` at the first signal, on a thread of its own; the second one ends the process.
    pub(super) fn handle(first: impl Fn(StopSignal) + Send + 'static) {
        let wanted = [SIGINT, SIGTERM, SIGHUP];
        let ignored = ignored();
        let wanted = (wanted.into_iter()).filter(|signal| ignored >> (signal - 1) & 1 == 0);
        let started = Signals::new(wanted).and_then(|mut signals| {
            let work = move || {
                let mut seen = false;
                for signal in signals.forever() {
                    if ASKED.load(Ordering::SeqCst) {
                        write_stderr("\n");
                        exit(128 + signal);
                    }
                    match (seen, signal) {
                        (true, SIGHUP) => {}
                        // Nothing but the screen is cleaned up: the journal already has every intent.
                        (true, _) => {
                            progress::clear_status_line();
                            exit(128 + signal)
                        }
                        (false, SIGINT) => first(StopSignal::Interrupt),
                        (false, _) => first(StopSignal::End),
                    }
                    seen = true;
                }
            };
            std::thread::Builder::new()
                .name("signals".to_owned())
                .spawn(work)
        });
        if started.is_err() {
            write_stderr("warning: a signal will end the process without finishing the call\n");
        }
    }

    /// The signals that were ignored when this process began, as bits from that of signal 1.
    fn ignored() -> u64 {
        /// More than the kernel writes, so that one read gives all of it.
        const BYTES: usize = 8192;
        let mut status = String::with_capacity(BYTES);
        // Without the file, no signal counts as ignored.
        let file = File::open("/proc/self/status");
        let _ = file.and_then(|file| file.take(BYTES as u64).read_to_string(&mut status));
        let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
        mask.unwrap_or(0)
    }
}

#[cfg(not(unix))]
pub(super) use portable::ServerClosing;

#[cfg(not(unix))]
use portable::handle;

/// Other systems have Ctrl-C alone, and a server that waits for input ends with its next line.
#[cfg(not(unix))]
mod portable {
    use std::sync::Arc;

    use super::{ASKED, AtomicBool, Ordering, Read, StopFlag, StopSignal, io, write_stderr};

    const CTRL_C: i32 = 130;

    #[derive(Clone)]
    pub(crate) struct ServerClosing(Arc<AtomicBool>);

    impl ServerClosing {
        pub(crate) fn on_signal(stop: &StopFlag) -> io::Result<Self> {
            let closing = Self(Arc::default());
            let (door, stop) = (closing.clone(), stop.clone());
            handle(move |_| {
                door.close();
                stop.cancel();
            });
            Ok(closing)
        }

        pub(crate) fn close(&self) {
            self.0.store(true, Ordering::SeqCst);
        }

        pub(crate) fn is_closed(&self) -> bool {
            self.0.load(Ordering::SeqCst)
        }
        pub(crate) fn wait(&self) {
            while !self.is_closed() {
                std::thread::sleep(std::time::Duration::from_millis(100));
            }
        }

        pub(crate) fn stdin(&self) -> io::Result<impl Read + Send + use<>> {
            Ok(io::stdin())
        }
    }

    pub(super) fn handle(first: impl Fn(StopSignal) + Send + 'static) {
        let seen = AtomicBool::new(false);
        let set = ctrlc::set_handler(move || {
            if ASKED.load(Ordering::SeqCst) || seen.swap(true, Ordering::SeqCst) {
                std::process::exit(CTRL_C);
            }
            first(StopSignal::Interrupt);
        });
        if set.is_err() {
            write_stderr("warning: Ctrl-C will end the process without finishing the call\n");
        }
    }
}
