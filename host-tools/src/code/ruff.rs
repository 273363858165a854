//! Ruff, the linter and formatter for Python: never installed, and run on text without files.

use std::time::Duration;

use tool_core::command::{CommandAccess, CommandOutput, ProcessExit, SandboxCommand};

use super::run::complete_text;
use crate::prelude::*;

/// Timeout of a run.
const WALL: Duration = Duration::from_secs(30);
/// Maximum output in bytes.
const OUTPUT_BYTES_MAX: usize = 16 << 20;
/// Maximum size of the code in bytes.
pub(super) const CODE_BYTES_MAX: usize = 4 << 20;

/// Runs `ruff` with these arguments on the code.
///
/// # Errors
/// `precondition_failed` with reason `ruff` if it is not installed; a syntax error in the code; `timeout`.
pub(super) fn run_ruff(ctx: &Ctx, words: &[String], code: &str) -> Result<CommandOutput> {
    if code.len() > CODE_BYTES_MAX {
        let length = code.len();
        return Err(tool_error!(LimitExceeded at "/code";
            "the code has {length} bytes; the maximum is {CODE_BYTES_MAX}"));
    }
    let ruff = ctx.spawner()?.find("ruff").ok_or_else(|| {
        tool_error!(PreconditionFailed, "ruff"; "`ruff` is not installed";
            "`pip install ruff`, or add its folder to PATH")
    })?;
    let first = std::iter::once(ruff.path);
    let mut command = SandboxCommand::new(first.chain(words.iter().cloned()));
    command.readable = ruff.readable;
    command.workspace = CommandAccess::None;
    command.stdin = code.as_bytes().to_vec();
    command.limits.wall = WALL;
    command.limits.stdout_bytes = OUTPUT_BYTES_MAX;
    ctx.reserve((code.len() + 2 * OUTPUT_BYTES_MAX) as u64)?;
    let finished = ctx.spawner()?.run(&command, ctx.stop())?;
    if finished.timed_out {
        return Err(tool_error!(Timeout;
            "`ruff` did not finish before the timeout"));
    }
    if finished.stdout.truncated() {
        return Err(tool_error!(OutputTooLarge;
            "the output of `ruff` is too large"; "pass less code"));
    }
    // Status 1 means that there are diagnostics.
    if matches!(finished.exit, ProcessExit::Status(0 | 1)) {
        return Ok(finished);
    }
    let said = complete_text(&finished.stderr);
    let words = said.trim().trim_start_matches("error: ");
    if words.contains("Failed to parse") {
        return Err(tool_error!(InvalidArgs at "/code", "syntax";
            "not Python: {words}"));
    }
    Err(tool_error!(ToolError, "ruff"; "`ruff` failed: {words}"))
}

/// Arguments that disable configuration and cache.
pub(super) fn isolated_arguments(action: &[&str], options: &[String]) -> Vec<String> {
    let fixed = ["--isolated", "--no-cache", "--stdin-filename", "code.py"];
    let fixed = action.iter().chain(&fixed).map(|&word| word.to_owned());
    fixed
        .chain(options.iter().cloned())
        .chain(["-".to_owned()])
        .collect()
}
