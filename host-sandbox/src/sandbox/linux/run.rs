//! One run from outside: start the launcher, hand over the policy, collect output, keep the deadline.

use std::time::{Duration, Instant};

use tool_core::command::{Command, Exit, Finished};
use tool_core::{ErrorCode, StopFlag, ToolError};

use super::super::policy::Policy;
use super::launched::{HAND_OVER, Launched, Output};
use super::refusal::{Refusal, not_run};

/// What became of an attempt.
#[derive(Debug)]
pub(super) enum Attempt {
    Finished(Finished),
    /// The command did not run.
    Refused(Refusal),
}

/// Runs a command under a policy.
///
/// # Errors
/// The stop flag, a program that is not there, a launcher that fails without a word.
pub(super) fn run(
    policy: &Policy,
    command: &Command,
    stop: &StopFlag,
) -> Result<Attempt, ToolError> {
    let started = Instant::now();
    let mut launched = Launched::start().map_err(|err| unlaunched(&err))?;
    let handed = launched.hand_over(policy, &command.stdin);
    let deadline = started + command.limits.wall;
    let mut output = Output::new(command);
    let ended = launched.collect(&mut output, deadline, stop);
    launched.end();
    let reports = &output.reports;
    if let Some((stage, errno, message)) = reports.failed() {
        return not_run(policy, command, (stage, errno, message));
    }
    // Ready without more: it ran, whatever happened to its launcher.
    if reports.landlock().is_none() {
        stop.check()?;
        let why = match handed.and(ended.as_ref().map(|_| ()).map_err(clone)) {
            Err(err) => err.to_string(),
            Ok(()) => "the launcher ended without a word".to_owned(),
        };
        return not_run(policy, command, ("launcher".to_owned(), 0, why));
    }
    stop.check()?;
    let timed_out = ended.map_err(|err| unlaunched(&err))?;
    let (exit, cpu, exceeded) =
        reports
            .ended()
            .unwrap_or((Exit::Signal(libc::SIGKILL), Duration::ZERO, None));
    Ok(Attempt::Finished(Finished {
        exit,
        stdout: output.stdout.kept,
        stderr: output.stderr.kept,
        wall: started.elapsed(),
        cpu,
        timed_out,
        exceeded,
        level: policy.level,
    }))
}

/// Applies a policy without a command: the Landlock version in force.
pub(super) fn probe(policy: &Policy) -> Result<u32, Refusal> {
    let refusal = |(stage, _, message): (String, i32, String)| Refusal {
        level: policy.level,
        stage,
        message,
    };
    let launcher = |err: std::io::Error| refusal(("launcher".to_owned(), 0, err.to_string()));
    let command = Command::new(["probe"]);
    let mut launched = Launched::start().map_err(launcher)?;
    let handed = launched.hand_over(policy, &[]);
    let mut output = Output::new(&command);
    let deadline = Instant::now() + HAND_OVER;
    let collected = launched.collect(&mut output, deadline, &StopFlag::new());
    launched.end();
    match (output.reports.failed(), output.reports.landlock()) {
        (Some(failed), _) => Err(refusal(failed)),
        (None, Some(landlock)) => Ok(landlock),
        (None, None) => {
            let err = handed.and(collected.map(|_| ())).err();
            let why = err.map_or_else(
                || "the launcher ended without a word".to_owned(),
                |err| err.to_string(),
            );
            Err(refusal(("launcher".to_owned(), 0, why)))
        }
    }
}

fn clone(err: &std::io::Error) -> std::io::Error {
    std::io::Error::new(err.kind(), err.to_string())
}

fn unlaunched(err: &std::io::Error) -> ToolError {
    ToolError::new(
        ErrorCode::SandboxUnavailable,
        format_args!("the launcher of the sandbox cannot be started: {err}"),
    )
    .reason("launcher")
    .hint("`/proc` must be mounted, and another process must be allowed")
}
