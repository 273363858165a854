//! Shared parts of the tools that run programs: the result of a run.

use std::time::Duration;

use tool_core::command::{
    CapturedStream, CommandOutput, Excess, Level, ProcessExit, SandboxCommand,
};

use crate::prelude::*;

/// The result of a program.
#[derive(Debug, Encode, Describe)]
pub(crate) struct ProgramResult {
    /// Standard output, up to its limit; invalid UTF-8 is replaced.
    pub stdout: String,
    /// Standard error, up to its limit.
    pub stderr: String,
    /// Exit status; 128 plus the number for a signal, -1 for a timeout.
    pub returncode: i32,
    /// Name of the signal that ended it, if any.
    pub signal: Option<String>,
    /// Elapsed time in milliseconds.
    pub elapsed_ms: f64,
    /// Processor time of all its processes, in milliseconds.
    pub cpu_ms: f64,
    /// Whether `stdout` is cut; `stdout_bytes` is the full size.
    pub stdout_truncated: bool,
    /// Bytes written to standard output.
    pub stdout_bytes: u64,
    /// Whether `stderr` is cut; `stderr_bytes` is the full size.
    pub stderr_truncated: bool,
    /// Bytes written to standard error.
    pub stderr_bytes: u64,
    /// Whether the timeout ended it.
    pub timed_out: bool,
    /// The limit on all processes together for which it was killed: `memory`, `disk` (the scratch folder) or `files` in it.
    pub exceeded: Option<Excess>,
    /// Sandbox level of the run: `S2` (files, system calls, user) or `S3` (also namespaces).
    pub level: Level,
}

/// The declaration of a tool that runs programs on the workspace.
pub(super) const PROGRAM: Spec = Spec {
    category: Category::Code,
    effects: &[Effect::LocalExec],
    permissions: &[Permission::Shell],
    capabilities: &[Capability::Spawn],
    idempotent: false,
    determinism: Determinism::External,
    callers: &[Caller::Direct, Caller::Chain],
    preconditions: &["workspace=ready"],
    ..Spec::pure()
};

/// Runs a command after reserving memory for its output.
pub(super) fn run_command(command: &SandboxCommand, ctx: &Ctx) -> Result<ProgramResult> {
    let limits = &command.limits;
    ctx.reserve((limits.stdout_bytes + limits.stderr_bytes) as u64 * 2)?;
    Ok(ctx.spawner()?.run(command, ctx.stop())?.into())
}

impl From<CommandOutput> for ProgramResult {
    fn from(finished: CommandOutput) -> Self {
        let milliseconds = |time: Duration| (time.as_secs_f64() * 1e6).round() / 1e3;
        Self {
            returncode: match finished.timed_out {
                true => -1,
                false => finished.exit.code(),
            },
            signal: match finished.exit {
                ProcessExit::Signal(number) => Some(signal_name(number)),
                ProcessExit::Status(_) => None,
            },
            elapsed_ms: milliseconds(finished.wall),
            cpu_ms: milliseconds(finished.cpu),
            stdout_truncated: finished.stdout.truncated(),
            stdout_bytes: finished.stdout.bytes_total,
            stdout: complete_text(&finished.stdout),
            stderr_truncated: finished.stderr.truncated(),
            stderr_bytes: finished.stderr.bytes_total,
            stderr: complete_text(&finished.stderr),
            timed_out: finished.timed_out,
            exceeded: finished.exceeded,
            level: finished.level,
        }
    }
}

impl ProgramResult {
    /// Reports a program that did not exit with status 0 as a shortfall of the call.
    pub(super) fn reported(self, ctx: &Ctx) -> Self {
        let ended = "the program was ended";
        use Shortfall::{Exceeded, ExitStatus, TimedOut};
        let (kind, message) = match (&self.signal, self.exceeded, self.returncode) {
            _ if self.timed_out => {
                let shown = "the output until then is shown";
                (TimedOut, format!("{ended} at its deadline; {shown}"))
            }
            (_, Some(excess), _) => {
                let what = excess.as_str();
                (
                    Exceeded,
                    format!("{ended}: it exceeded its limit on {what}"),
                )
            }
            (Some(signal), ..) => (ExitStatus, format!("{ended} by {signal}")),
            (None, None, 0) => return self,
            (None, None, status) => (
                ExitStatus,
                format!("the program exited with status {status}"),
            ),
        };
        ctx.fall_short(kind, message);
        self
    }
}

/// The text, without an incomplete character at a cut.
pub(crate) fn complete_text(stream: &CapturedStream) -> String {
    let bytes = &stream.bytes;
    if !stream.truncated() {
        return stream.text();
    }
    const CHARACTER_BYTES_MAX: usize = 4;
    let from = bytes.len().saturating_sub(CHARACTER_BYTES_MAX);
    let mut ends = (from..=bytes.len()).rev();
    let text = ends.find_map(|end| std::str::from_utf8(&bytes[..end]).ok());
    text.map_or_else(|| stream.text(), str::to_owned)
}

fn signal_name(number: i32) -> String {
    const NAMES: [&str; 32] = [
        "", "HUP", "INT", "QUIT", "ILL", "TRAP", "ABRT", "BUS", "FPE", "KILL", "USR1", "SEGV",
        "USR2", "PIPE", "ALRM", "TERM", "STKFLT", "CHLD", "CONT", "STOP", "TSTP", "TTIN", "TTOU",
        "URG", "XCPU", "XFSZ", "VTALRM", "PROF", "WINCH", "IO", "PWR", "SYS",
    ];
    match NAMES.get(number.unsigned_abs() as usize) {
        Some(name) if number > 0 => format!("SIG{name}"),
        _ => format!("signal {number}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_leaves_whole_characters() {
        let stream = |text: &str, kept: usize| CapturedStream {
            bytes: text.as_bytes()[..kept].to_vec(),
            bytes_total: text.len() as u64,
        };
        assert_eq!(complete_text(&stream("aé", 2)), "a");
        assert_eq!(complete_text(&stream("aé", 3)), "aé");
        assert_eq!(complete_text(&stream("a😀b", 4)), "a");
        assert_eq!(complete_text(&stream("a😀b", 5)), "a😀");
        let broken = CapturedStream {
            bytes: vec![b'a', 0xff, 0xff],
            bytes_total: 3,
        };
        assert_eq!(complete_text(&broken), "a\u{fffd}\u{fffd}");
    }
}
