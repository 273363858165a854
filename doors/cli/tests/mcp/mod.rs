//! `mathchain serve --mcp`, driven from outside.

mod apps;
mod client;
mod closing;
mod context;
mod finders;
mod load;
mod tools;
mod waiting;
mod warts;
