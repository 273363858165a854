//! Completion of arguments: names of tools in prompts, and variables of templates.

use rmcp::model::{CompleteRequestParams, CompleteResult, CompletionInfo, Reference};
use tool_core::{Result, tool_error};

use super::door::Door;
use super::resources;

/// Values that begin as the argument does.
///
/// # Errors
/// As [`Door::tools`].
pub(super) fn complete(door: &Door, params: &CompleteRequestParams) -> Result<CompleteResult> {
    let argument = &params.argument.name;
    let begun = params.argument.value.to_lowercase();
    let mut values: Vec<String> = match (&params.r#ref, &**argument) {
        (Reference::Prompt(_), "tool") => {
            let tools = door.tools()?;
            tools.iter().map(|tool| tool.name.to_string()).collect()
        }
        _ => resources::complete(door, argument),
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
