//! Ruff, the linter and formatter of Python: found, never installed, given text and no files.

use std::time::Duration;

use tool_core::command::{Access, Command, Exit, Finished};

use super::run::cut;
use crate::prelude::*;

/// Longest run.
const WALL: Duration = Duration::from_secs(30);
/// Most bytes taken from it.
const OUTPUT_BYTES_MAX: usize = 16 << 20;
/// Most bytes of code.
pub(super) const CODE_BYTES_MAX: usize = 4 << 20;

/// Runs `ruff` with these words on a code.
///
/// # Errors
/// `precondition_failed` with reason `ruff` where there is none; code that is no Python; `timeout`.
pub(super) fn run(ctx: &Ctx, words: &[String], code: &str) -> Result<Finished, ToolError> {
    if code.len() > CODE_BYTES_MAX {
        return Err(tool_error!(
            LimitExceeded,
            "the code has {} bytes, at most {CODE_BYTES_MAX} are taken",
            code.len()
        )
        .at("/code"));
    }
    let ruff = ctx.spawner()?.find("ruff").ok_or_else(|| {
        ToolError::new(ErrorCode::PreconditionFailed, "there is no `ruff` here")
            .reason("ruff")
            .hint("`pip install ruff`, or put its folder into PATH")
    })?;
    let first = std::iter::once(ruff.path);
    let mut command = Command::new(first.chain(words.iter().cloned()));
    command.readable = ruff.readable;
    command.workspace = Access::None;
    command.stdin = code.as_bytes().to_vec();
    command.limits.wall = WALL;
    command.limits.stdout_bytes = OUTPUT_BYTES_MAX;
    ctx.reserve((code.len() + 2 * OUTPUT_BYTES_MAX) as u64)?;
    let finished = ctx.spawner()?.run(&command, ctx.stop())?;
    if finished.timed_out {
        return Err(tool_error!(
            Timeout,
            "`ruff` did not end before its deadline"
        ));
    }
    if finished.stdout.truncated() {
        return Err(
            tool_error!(OutputTooLarge, "`ruff` has more to say than is taken")
                .hint("pass less code"),
        );
    }
    // 1 says that there are issues.
    if matches!(finished.exit, Exit::Status(0 | 1)) {
        return Ok(finished);
    }
    let said = cut(&finished.stderr);
    let words = said.trim().trim_start_matches("error: ");
    if words.contains("Failed to parse") {
        return Err(tool_error!(InvalidArgs, "no Python: {words}")
            .at("/code")
            .reason("syntax"));
    }
    Err(tool_error!(ToolError, "`ruff` failed: {words}").reason("ruff"))
}

/// The words that keep it to the text: no configuration, no cache.
pub(super) fn words(action: &[&str], options: &[String]) -> Vec<String> {
    let fixed = ["--isolated", "--no-cache", "--stdin-filename", "code.py"];
    action
        .iter()
        .copied()
        .chain(fixed)
        .map(str::to_owned)
        .chain(options.iter().cloned())
        .chain(["-".to_owned()])
        .collect()
}
