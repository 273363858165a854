//! `mathchain serve --mcp`, driven from outside.

mod client;
mod closing;
mod context;
mod tools;
mod waiting;
mod warts;
