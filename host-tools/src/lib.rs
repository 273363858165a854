//! Tools with effects on the host, one folder per family; [`FAMILIES`] lists them for a catalogue.
//!
//! Tools use the host only through their context. Its capabilities are implemented elsewhere: files and programs in the crate
//! `host-sandbox`, connections in [`web::Client`], models in [`llm`]; [`inputs`] reads the files of arguments.

use tool_core::Entry;

mod admin;
mod archives;
mod argument;
mod code;
mod counted;
mod delegation;
pub mod files;
pub mod inputs;
pub mod llm;
mod prelude;
pub mod session;
mod stored;
mod time;
mod todo;
mod user;
pub mod web;

pub use inputs::Inputs;

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
