//! `mathchain serve --http`, driven from outside with real sockets.

mod calls;
pub(crate) mod client;
mod console;
mod ending;
mod guard;
mod keys;
mod load;
mod mcp;
mod once;
mod openapi;
mod owners;
mod restarts;
mod schedules;
mod tls;
