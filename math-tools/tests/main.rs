//! Every pure tool: its spec, its schema and its examples; and what a program in Rust calls.

mod equations;
mod every_tool;
mod extremes;
mod names;
mod protocol;
mod scaling;
mod verification;
mod wrong_answers;
