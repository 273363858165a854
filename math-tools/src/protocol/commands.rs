//! Resolves a command and its parameters to a tool by its name, or to a command of the 0.1.0 binary ([`super::legacy`]).

use tool_core::ToolError;

use super::legacy;
use super::request::CommandParams;
use super::work::{
    RequestJob, ResolvedRequest, find_tool, keep_result, refuse_unknown, unknown_command_error,
};

/// Resolves a command.
///
/// # Errors
/// `unknown_tool` with the nearest name; `invalid_args` for parameters that choose nothing.
pub(super) fn resolve_command(
    command: &str,
    params: CommandParams,
) -> Result<ResolvedRequest, ToolError> {
    if command == "help" {
        return resolve_help(params);
    }
    match legacy::find_resolver(command) {
        Some(earlier) => earlier(params),
        None => ResolvedRequest::tool(command, params, keep_result),
    }
}

fn resolve_help(mut params: CommandParams) -> Result<ResolvedRequest, ToolError> {
    let name = params.take_text("name")?;
    refuse_unknown(&params, "help", &["name"])?;
    let described = match &name {
        Some(name) => Some(find_tool(name).ok_or_else(|| unknown_command_error(name).at("/name"))?),
        None => None,
    };
    Ok(ResolvedRequest::other(RequestJob::Help(described)))
}
