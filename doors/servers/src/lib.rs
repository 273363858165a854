//! Servers on a [`mathchain::Toolkit`]: `mcp` for clients of the Model Context Protocol, `http` for programs, and what both share: calls as
//! lines, queued plans, keys.

pub mod exported;
mod extra;
pub mod http;
pub mod keys;
pub mod line;
pub mod mcp;
pub mod people;
pub mod queue;
pub mod recorded;

pub use extra::ServerExtension;
