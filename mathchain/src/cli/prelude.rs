//! Names that nearly every command uses: the global options, printing, exit codes and opening the toolkit.

pub(in crate::cli) use std::fmt::Write as _;
pub(in crate::cli) use std::process::ExitCode;

pub(in crate::cli) use chain_runtime::count_phrase;
pub(in crate::cli) use clap::{Args, Subcommand, ValueEnum};
pub(in crate::cli) use tool_core::{
    ErrorCode, Result, StopFlag, ToolError, Value, json, object, tool_error,
};

pub(in crate::cli) use super::caller::CallerArgs;
pub(in crate::cli) use super::global::{GlobalArgs, OutputFormat, one_of};
pub(in crate::cli) use super::output::{
    self, plain_value, print_text, standard_output, write_stderr, write_stdout,
};
pub(in crate::cli) use super::{answer, complete, exit, human, open};
pub(in crate::cli) use crate::{CallContext, Toolkit, environment, io};
