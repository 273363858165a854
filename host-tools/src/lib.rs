//! Tools with effects on the host, and the capabilities behind them.
//!
//! [`workspace`] holds the files beneath one folder, [`inputs`] opens the files that arguments refer to, and the other folders
//! hold the tools, one family each; [`FAMILIES`] is what a catalogue is built from. Tools reach the host through their
//! context only; nothing but [`Workspace`] opens a file, nothing but [`web::Client`] a connection.

use tool_core::Entry;

pub mod admin;
pub mod archives;
#[cfg(target_os = "linux")]
mod below;
pub mod code;
pub mod delegation;
pub mod files;
pub mod inputs;
pub mod llm;
pub mod sandbox;
pub mod session;
#[cfg(test)]
mod testing;
pub mod time;
pub mod todo;
pub mod user;
pub mod web;
pub mod workspace;

pub use inputs::Inputs;
pub use sandbox::Sandbox;
pub use workspace::Workspace;

/// Every family, in the order of the documentation.
pub static FAMILIES: &[&[Entry]] = &[
    files::TOOLS,
    archives::TOOLS,
    code::TOOLS,
    web::TOOLS,
    llm::TOOLS,
    time::TOOLS,
    todo::TOOLS,
    user::TOOLS,
    admin::TOOLS,
    delegation::TOOLS,
    session::TOOLS,
];
