//! What the output of an agent command line says: its answer, turns, tokens, cost and errors; a file for each format.
//!
//! Formats are those that the vendors document for scripts. A line that a format does not know is ignored; what is not stated is unknown.

mod claude;
mod codex;
mod copilot;
mod gemini;
mod opencode;
mod output;
mod rate_limit;
#[cfg(test)]
mod tests;

pub use output::{ANSWER_BYTES_MAX, AgentOutput, AgentStreamFormat};
pub use rate_limit::rate_limit;

/// Every format, in the order of the built-in tables. A table names its format by `stream_format`.
pub static STREAM_FORMATS: &[AgentStreamFormat] = &[
    claude::FORMAT,
    codex::FORMAT,
    gemini::FORMAT,
    copilot::FORMAT,
    opencode::FORMAT,
];

/// The format of a name; `None` for plain text, whose table names none.
pub fn find_stream_format(name: &str) -> Option<&'static AgentStreamFormat> {
    STREAM_FORMATS.iter().find(|format| format.name == name)
}

/// Reads the output of a command line whose table names this format.
pub fn read_output(format: &str) -> AgentOutput {
    AgentOutput::new(find_stream_format(format))
}

/// Whether the output of a format states the cost.
pub fn states_cost(format: &str) -> bool {
    find_stream_format(format).is_some_and(|format| format.states_cost)
}

/// Whether the output of a format shows turns while the agent runs.
pub fn shows_turns(format: &str) -> bool {
    find_stream_format(format).is_some_and(|format| format.shows_turns)
}
