//! Every pure tool: its spec, its schema and its examples.

mod every_tool;
mod extremes;
mod names;
mod protocol;
mod scaling;
mod verification;
mod wrong_answers;
