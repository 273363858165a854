//! Completion of arguments: names of tools in prompts, and variables of templates.

use rmcp::model::{CompleteRequestParams, CompleteResult, CompletionInfo, Reference};
use tool_core::{Result, Value, tool_error};

use super::door::McpServerState;
use super::{prompts, resources};

/// Refuses a prompt that nobody offers.
fn require_known_prompt(door: &McpServerState, name: &str) -> Result<()> {
    let own = prompts::list_prompts();
    let mut own = own.iter().map(|prompt| prompt.name.to_string());
    let extra = door.settings.extra.as_ref().map(|extra| extra.prompts());
    let is_extra = |one: &Value| one.text("name") == Some(name);
    if own.any(|one| one == name) || extra.is_some_and(|all| all.iter().any(is_extra)) {
        return Ok(());
    }
    let shown: String = name.chars().take(60).collect();
    Err(
        tool_error!(InvalidArgs, "prompt"; "no prompt `{shown}`"; "`prompts/list` shows what there is"),
    )
}

/// Values that begin as the argument does.
///
/// # Errors
/// `invalid_args` for an unknown prompt, and as [`McpServerState::tools`].
pub(super) fn complete_argument(
    door: &McpServerState,
    params: &CompleteRequestParams,
) -> Result<CompleteResult> {
    let argument = &params.argument.name;
    let begun = params.argument.value.to_lowercase();
    if let Reference::Prompt(prompt) = &params.r#ref {
        require_known_prompt(door, &prompt.name)?;
    }
    let mut values: Vec<String> = match (&params.r#ref, &**argument) {
        (Reference::Prompt(_), "tool") => {
            let tools = door.tools()?;
            tools.iter().map(|tool| tool.name.to_string()).collect()
        }
        _ => resources::complete_variable(door, argument),
    };
    values.retain(|value| value.to_lowercase().starts_with(&begun));
    let total = u32::try_from(values.len()).ok();
    values.truncate(CompletionInfo::MAX_VALUES);
    let shown = values.len();
    let mut completion = CompletionInfo::new(values)
        .map_err(|err| tool_error!(Internal, "the completion does not fit: {err}"))?;
    completion.has_more = total.map(|total| total as usize > shown);
    completion.total = total;
    Ok(CompleteResult::new(completion))
}
