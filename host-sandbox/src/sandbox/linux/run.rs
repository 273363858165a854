//! One run as seen by the caller: starts the launcher, sends the policy, collects output, enforces the deadline.

use std::time::{Duration, Instant};

use tool_core::command::{Command, Exit, Finished};
use tool_core::{StopFlag, ToolError};

use super::super::policy::{Ended, Failure, Policy};
use super::launched::{HAND_OVER, Launched, Output, unlaunched};
use super::refusal::{Refusal, refusal};

/// Runs a command under a policy.
///
/// # Errors
/// The stop flag, a missing program, a launcher that fails without a report.
pub(super) fn run(
    policy: &Policy,
    command: &Command,
    stop: &StopFlag,
) -> Result<Result<Finished, Refusal>, ToolError> {
    let started = Instant::now();
    let mut launched = Launched::start().map_err(|err| unlaunched(&err))?;
    let handed = launched.hand_over(policy, &command.stdin);
    let deadline = started + command.limits.wall;
    let mut output = Output::new(command);
    let collected = launched.collect(&mut output, deadline, stop);
    launched.end();
    let reports = &output.reports;
    if let Some(failure) = reports.failed() {
        return refusal(policy, command, failure).map(Err);
    }
    stop.check()?;
    // After `ready` the command ran, even if its launcher failed.
    if reports.ready().is_none() {
        let failure = silent(handed.err().or(collected.err()));
        return refusal(policy, command, failure).map(Err);
    }
    let timed_out = collected.map_err(|err| unlaunched(&err))?;
    let ended = reports.ended().unwrap_or(Ended {
        exit: Exit::Signal(libc::SIGKILL),
        cpu: Duration::ZERO,
        exceeded: None,
    });
    Ok(Ok(Finished {
        exit: ended.exit,
        stdout: output.stdout.kept,
        stderr: output.stderr.kept,
        wall: started.elapsed(),
        cpu: ended.cpu,
        timed_out,
        exceeded: ended.exceeded,
        level: policy.level,
    }))
}

/// Applies a policy without a command; returns the Landlock version in force.
pub(super) fn probe(policy: &Policy) -> Result<u32, Refusal> {
    let refusal = |failure: Failure| Refusal {
        level: policy.level,
        stage: failure.stage,
        message: failure.message,
    };
    let mut launched =
        Launched::start().map_err(|err| refusal(Failure::of_launcher(err.to_string())))?;
    let handed = launched.hand_over(policy, &[]);
    let mut output = Output::new(&Command::new(["probe"]));
    let deadline = Instant::now() + HAND_OVER;
    let collected = launched.collect(&mut output, deadline, &StopFlag::new());
    launched.end();
    match (output.reports.failed(), output.reports.ready()) {
        (Some(failure), _) => Err(refusal(failure)),
        (None, Some(landlock)) => Ok(landlock),
        (None, None) => Err(refusal(silent(handed.err().or(collected.err())))),
    }
}

/// The failure of a launcher that reported nothing.
fn silent(err: Option<std::io::Error>) -> Failure {
    Failure::of_launcher(err.map_or_else(
        || "the launcher ended without a report".to_owned(),
        |err| err.to_string(),
    ))
}
