//! The binary as its users meet it: processes, pipes, exit codes.

mod call;
mod chains;
mod operator;
mod serve;
mod support;
