//! The interface of the binary `math-tools` on standard input: one JSON object in, one line of JSON out.
//!
//! `{"command": NAME, ...parameters}` or `{"command": NAME, "params": {...}}`, and `"timeout_ms"` beside either; the answer is
//! `{"status", "result", "error", "stats"}`, always with all four. [`answer_request`] is the whole of it: it reads the request
//! (`request`), resolves the command (`commands`), runs it guarded (`run`) and never panics. Every tool of this crate
//! answers by its name, and the commands of an earlier binary by theirs. There is no role, no policy, no approval and no audit
//! here, and no file is read: the tools are pure. Nothing else in this crate knows a clock or starts a thread for a call.

mod commands;
mod help;
mod legacy;
mod request;
mod run;
mod work;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

use tool_core::{Object, ToolError, Value, json, tool_error};

pub use help::{HELP, version_line};
pub use run::STACK_BYTES;

/// Longest request, in bytes.
pub const INPUT_BYTES_MAX: usize = 256 << 20;
/// Longest answer, in bytes.
pub const OUTPUT_BYTES_MAX: usize = 256 << 20;
/// The deadline of a call that sets none, in milliseconds.
pub const TIMEOUT_MS: u64 = 60_000;
/// The longest deadline a call can set, in milliseconds.
pub const TIMEOUT_MS_MAX: u64 = 3_600_000;

/// The result and statistics of a command, without its duration.
struct CommandOutcome {
    result: Value,
    stats: Object,
}

/// Answers one request: the line to print (without its end), and whether it is a success.
///
/// Never panics and never waits longer than the deadline and a few seconds of grace.
pub fn answer_request(bytes: &[u8]) -> (String, bool) {
    let start = Instant::now();
    // All state of the closure is dropped with it, so nothing half-done is seen after a panic.
    let outcome = catch_unwind(AssertUnwindSafe(|| handle_request(bytes)))
        .unwrap_or_else(|_| Err(run::panic_error()));
    let written = catch_unwind(AssertUnwindSafe(|| {
        format_answer(outcome, start, OUTPUT_BYTES_MAX)
    }));
    written.unwrap_or_else(|_| (answer_failure(run::panic_error()), false))
}

/// The answer to a request that could not be read.
pub fn answer_unreadable(err: &std::io::Error) -> String {
    answer_failure(tool_error!(
        InvalidRequest,
        "standard input cannot be read: {err}"
    ))
}

/// The answer to arguments on the command line that mean nothing.
pub fn unknown_argument(argument: &str) -> String {
    let shown: String = argument.chars().take(80).collect();
    let error = tool_error!(InvalidRequest, "unknown argument `{shown}`");
    answer_failure(error.hint("the request is read from standard input; see `math-tools --help`"))
}

/// The answer to a request that reached no command.
fn answer_failure(error: ToolError) -> String {
    format_answer(Err(error), Instant::now(), OUTPUT_BYTES_MAX).0
}

fn handle_request(bytes: &[u8]) -> Result<CommandOutcome, ToolError> {
    let request = request::parse_request(bytes)?;
    let work = commands::resolve_command(&request.command, request.params)?;
    run::run_with_deadline(work, request.timeout_ms)
}

/// The answer as one line; one that is too long becomes an error.
fn format_answer(
    outcome: Result<CommandOutcome, ToolError>,
    start: Instant,
    bytes_max: usize,
) -> (String, bool) {
    let (result, error, mut stats) = match outcome {
        Ok(done) => (done.result, Value::Null, done.stats),
        Err(error) => (Value::Null, error.to_value(), Object::new()),
    };
    let ok = error.is_null();
    // Microseconds are as fine as this clock is worth.
    let elapsed_ms = start.elapsed().as_micros() as f64 / 1000.0;
    stats.insert("elapsed_ms", elapsed_ms);
    let text = json::to_text(&Value::object([
        ("status", Value::from(if ok { "success" } else { "error" })),
        ("result", result),
        ("error", error),
        ("stats", Value::Object(stats.into())),
    ]));
    if !ok || text.len() <= bytes_max {
        return (text, ok);
    }
    let length = text.len();
    let error = tool_error!(
        OutputTooLarge,
        "the answer has {length} bytes, the limit is {bytes_max}"
    );
    format_answer(Err(error.hint("request less")), start, bytes_max)
}

/// Replaces the panic message, which may hold arguments, by the place of the defect; for the binary to call once.
pub fn install_panic_hook() {
    std::panic::set_hook(Box::new(|info| {
        use std::io::Write as _;
        let place = info
            .location()
            .map_or_else(|| "an unknown place".to_owned(), ToString::to_string);
        // A closed standard error is no reason to stop.
        let _ = writeln!(std::io::stderr(), "math-tools: internal error at {place}");
    }));
}

#[cfg(test)]
mod tests;
