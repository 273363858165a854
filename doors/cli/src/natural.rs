//! `--save` of a tool that draws nothing itself: `plot` draws the natural picture of its answer, in a call of its own.

use tool_core::schema::Schema;
use tool_core::{AnyTool, CallOutcome, Object, OutcomeStatus, Result, Value, object, tool_error};

use super::save::{PictureFile, constants_of};

/// The tool that draws.
pub(super) const DRAWING_TOOL: &str = "plot";

/// The tools whose answers have a natural picture: those that `plot` takes as `of`.
pub(super) fn drawn_tools() -> Vec<String> {
    let plot = mathchain::built_in_tool(DRAWING_TOOL);
    plot.map_or_else(Vec::new, |plot| {
        let schema: Schema = plot.input_schema();
        constants_of(&schema, "of")
    })
}

/// The arguments by which `plot` draws an answer.
///
/// # Errors
/// Arguments of the call that do not fit.
pub(super) fn drawing_arguments(
    file: &PictureFile<'_>,
    tool: &dyn AnyTool,
    args: &Value,
    answer: &Value,
) -> Result<Value> {
    let call = tool.decode(args)?;
    let mut drawing = Object::new();
    drawing.insert("result", answer.clone());
    drawing.insert("of", tool.spec().id);
    drawing.insert("call", call.args().clone());
    drawing.insert("format", file.ending());
    Ok(drawing.into())
}

/// Arguments that are as far as the policy may decide before there is an answer.
pub(super) fn drawing_preview(file: &PictureFile<'_>) -> Value {
    object! { "format" => file.ending() }
}

/// Writes the picture that `plot` answered.
///
/// # Errors
/// That of `plot`, of a call that waits for approval, or of the file.
pub(super) fn save_drawing(file: &PictureFile<'_>, drawn: &CallOutcome) -> Result<()> {
    match &drawn.status {
        OutcomeStatus::Success(picture) => file.save_answer(picture).map(|_| ()),
        OutcomeStatus::Error(err) => Err(err.clone()),
        OutcomeStatus::PendingApproval { approval_id, .. } => {
            Err(tool_error!(ToolError, "no_picture";
                "the picture waits for the approval `{approval_id}` of a call of `{DRAWING_TOOL}`";
                "approve it, and call again"))
        }
    }
}
