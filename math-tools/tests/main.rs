//! Every pure tool: its spec, its schema and its examples.

mod every_tool;
mod extremes;
mod protocol;
mod wrong_answers;
