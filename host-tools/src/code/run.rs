//! What the tools of this family share: the facts of a run as results show them.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;
use tool_core::command::{Captured, Excess, Exit, Finished, Level};
use tool_core::{Ctx, Shortfall};

/// What a program did.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Ran {
    /// Standard output, up to its limit; what is no UTF-8 is replaced.
    pub stdout: String,
    /// Standard error, up to its limit.
    pub stderr: String,
    /// Exit status; 128 plus the number for a signal, -1 for a deadline.
    pub returncode: i32,
    /// Name of the signal that ended it, where one did.
    pub signal: Option<String>,
    /// Time on the clock, in milliseconds.
    pub elapsed_ms: f64,
    /// Processor time of all its processes, in milliseconds.
    pub cpu_ms: f64,
    /// Whether `stdout` is cut; `stdout_bytes` says how much there was.
    pub stdout_truncated: bool,
    /// Bytes written to standard output.
    pub stdout_bytes: u64,
    /// Whether `stderr` is cut; `stderr_bytes` says how much there was.
    pub stderr_truncated: bool,
    /// Bytes written to standard error.
    pub stderr_bytes: u64,
    /// Whether it was ended at its deadline.
    pub timed_out: bool,
    /// The limit on all its processes together for which it was killed: `memory`, `disk` (its scratch folder) or `files` in it.
    pub exceeded: Option<Excess>,
    /// The sandbox level it ran at: `S2` (files, system calls, user) or `S3` (namespaces as well).
    pub level: Level,
}

impl From<Finished> for Ran {
    fn from(finished: Finished) -> Self {
        let milliseconds = |time: Duration| (time.as_secs_f64() * 1e6).round() / 1e3;
        Self {
            returncode: if finished.timed_out {
                -1
            } else {
                finished.exit.code()
            },
            signal: match finished.exit {
                Exit::Signal(number) => Some(signal_name(number)),
                Exit::Status(_) => None,
            },
            elapsed_ms: milliseconds(finished.wall),
            cpu_ms: milliseconds(finished.cpu),
            stdout_truncated: finished.stdout.truncated(),
            stdout_bytes: finished.stdout.bytes_total,
            stdout: cut(&finished.stdout),
            stderr_truncated: finished.stderr.truncated(),
            stderr_bytes: finished.stderr.bytes_total,
            stderr: cut(&finished.stderr),
            timed_out: finished.timed_out,
            exceeded: finished.exceeded,
            level: finished.level,
        }
    }
}

impl Ran {
    /// Says so where the program did not end by itself with status 0.
    pub(super) fn told(self, ctx: &Ctx) -> Self {
        if self.timed_out {
            ctx.fall_short(
                Shortfall::TimedOut,
                "the program was ended at its deadline; what it had written until then is shown",
            );
        } else if let Some(excess) = self.exceeded {
            let what = excess.as_str();
            ctx.fall_short(
                Shortfall::Exceeded,
                format!("the program was ended: it used more {what} than it may"),
            );
        } else if let Some(signal) = &self.signal {
            ctx.fall_short(
                Shortfall::ExitStatus,
                format!("the program was ended by {signal}"),
            );
        } else if self.returncode != 0 {
            let status = self.returncode;
            ctx.fall_short(
                Shortfall::ExitStatus,
                format!("the program ended with status {status}"),
            );
        }
        self
    }

    /// What an example shows; times and level differ from machine to machine.
    pub(super) fn example(stdout: &str, stderr: &str, returncode: i32) -> Self {
        Self {
            stdout: stdout.to_owned(),
            stderr: stderr.to_owned(),
            returncode,
            signal: None,
            elapsed_ms: 12.5,
            cpu_ms: 2.0,
            stdout_truncated: false,
            stdout_bytes: stdout.len() as u64,
            stderr_truncated: false,
            stderr_bytes: stderr.len() as u64,
            timed_out: false,
            exceeded: None,
            level: Level::S3,
        }
    }
}

/// The text, without the part of a character that a cut left at its end.
pub(super) fn cut(stream: &Captured) -> String {
    let bytes = &stream.bytes;
    if !stream.truncated() {
        return stream.text();
    }
    const CHARACTER_BYTES_MAX: usize = 4;
    let from = bytes.len().saturating_sub(CHARACTER_BYTES_MAX);
    for end in (from..=bytes.len()).rev() {
        if let Ok(text) = std::str::from_utf8(&bytes[..end]) {
            return text.to_owned();
        }
    }
    stream.text()
}

fn signal_name(number: i32) -> String {
    let name = match number {
        1 => "SIGHUP",
        2 => "SIGINT",
        3 => "SIGQUIT",
        4 => "SIGILL",
        6 => "SIGABRT",
        7 => "SIGBUS",
        8 => "SIGFPE",
        9 => "SIGKILL",
        11 => "SIGSEGV",
        13 => "SIGPIPE",
        15 => "SIGTERM",
        24 => "SIGXCPU",
        25 => "SIGXFSZ",
        31 => "SIGSYS",
        _ => return format!("signal {number}"),
    };
    name.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_leaves_whole_characters() {
        let stream = |text: &str, kept: usize| Captured {
            bytes: text.as_bytes()[..kept].to_vec(),
            bytes_total: text.len() as u64,
        };
        assert_eq!(cut(&stream("aé", 2)), "a");
        assert_eq!(cut(&stream("aé", 3)), "aé");
        assert_eq!(cut(&stream("a😀b", 4)), "a");
        assert_eq!(cut(&stream("a😀b", 5)), "a😀");
        let broken = Captured {
            bytes: vec![b'a', 0xff, 0xff],
            bytes_total: 3,
        };
        assert_eq!(cut(&broken), "a\u{fffd}\u{fffd}");
    }
}
