//! `mathchain serve --mcp`, driven from outside.

mod client;
mod context;
mod tools;
mod warts;
