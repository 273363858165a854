//! Names that nearly every command uses: the global options, printing, exit codes and opening the toolkit.

pub(crate) use std::fmt::Write as _;
pub(crate) use std::process::ExitCode;

pub(crate) use chain_runtime::count_phrase;
pub(crate) use clap::{Args, Subcommand, ValueEnum};
pub(crate) use tool_core::{
    ErrorCode, Result, StopFlag, ToolError, Value, json, object, tool_error,
};

pub(crate) use super::caller::CallerArgs;
pub(crate) use super::global::{GlobalArgs, OutputFormat, one_of};
pub(crate) use super::output::{
    self, plain_value, print_text, standard_output, write_stderr, write_stdout,
};
pub(crate) use super::{answer, complete, exit, human, open};
pub(crate) use mathchain::{CallContext, Toolkit, environment, io};
