//! The binary `math-tools`: one JSON object on standard input, one line of JSON on standard output.
//!
//! All but reading and writing is [`math_tools::protocol`].

use std::io::{IsTerminal as _, Read as _, Write as _};
use std::process::ExitCode;

use math_tools::protocol;

/// As in the binary `mathchain`.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    protocol::install_panic_hook();
    let (text, ok) = match std::env::args_os().nth(1) {
        None => from_standard_input(),
        Some(argument) => match argument.to_string_lossy().as_ref() {
            "-h" | "--help" => (protocol::HELP.trim_end().to_owned(), true),
            "-V" | "--version" => (protocol::version_line(), true),
            other => (protocol::unknown_argument(other), false),
        },
    };
    let mut out = std::io::stdout().lock();
    // No reader is left when writing fails.
    let written = writeln!(out, "{text}").and_then(|()| out.flush());
    if ok && written.is_ok() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

fn from_standard_input() -> (String, bool) {
    let input = std::io::stdin();
    if input.is_terminal() {
        let hint = "math-tools: reading one JSON object from the terminal, up to its end (Ctrl-D); see --help";
        // A closed standard error is no reason to stop.
        let _ = writeln!(std::io::stderr(), "{hint}");
    }
    let mut bytes = Vec::new();
    // One byte more than may be sent shows that there is too much.
    let limit = protocol::INPUT_BYTES_MAX as u64 + 1;
    match input.lock().take(limit).read_to_end(&mut bytes) {
        Ok(_) => protocol::answer_request(&bytes),
        Err(err) => (protocol::answer_unreadable(&err), false),
    }
}
