//! Agent command lines: [`translate_cli_request`] fills in a table of templates with the permissions of an agent, [`formats`] reads what
//! the program prints.
//!
//! Visibility, approval, confinement and the number of turns are four things; each goes to the flag or setting that enforces it.
//! A permission that a CLI cannot enforce is a problem, or a warning where its table says so. The tables themselves, with those that come
//! with the program, are read by `registry::agent_cli`, since a configuration has some and the policy knows the names in them.

mod effective;
mod environment;
pub mod formats;
mod managed;
mod request;
mod template;
mod translate;

#[cfg(test)]
mod tests;

pub use effective::{EffectiveAgent, find_agent_cli};
pub use environment::{AgentEnvironment, quote_shell_word};
pub use request::{CliArgs, CliConfigFile, CliRequest, CliTool, ServerStart};
pub use translate::server::server_registration_text;
pub use translate::translate_cli_request;
