//! Tools with effects on the host, one folder per family; [`FAMILIES`] lists them for a catalogue.
//!
//! Tools use the host only through their context. Its capabilities are implemented elsewhere: files and programs in the crate
//! `host-sandbox`, connections in [`web::WebClient`], models in [`llm`]; [`inputs`] reads the files of arguments. The families `archives`,
//! `llm` and `web` are features, on by default.

use tool_core::ErasedTool;

mod admin;
#[cfg(feature = "archives")]
mod archives;
mod argument;
mod code;
#[cfg(any(feature = "archives", feature = "web"))]
mod counted;
mod delegation;
pub mod files;
mod git;
pub mod inputs;
#[cfg(feature = "llm")]
pub mod llm;
mod prelude;
pub mod session;
mod stored;
mod time;
mod todo;
mod user;
#[cfg(feature = "web")]
pub mod web;

pub use inputs::FileInputs;

/// Every family, in the order of the documentation.
pub static FAMILIES: &[&[ErasedTool]] = &[
    files::TOOLS,
    #[cfg(feature = "archives")]
    archives::TOOLS,
    code::TOOLS,
    git::TOOLS,
    #[cfg(feature = "web")]
    web::TOOLS,
    #[cfg(feature = "llm")]
    llm::TOOLS,
    time::TOOLS,
    todo::TOOLS,
    user::TOOLS,
    admin::TOOLS,
    delegation::TOOLS,
    session::TOOLS,
];
