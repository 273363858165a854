//! The file that a path with another spelling means, as the hint of an error.

use tool_core::capability::{WorkspaceFiles, near_path};
use tool_core::{Ctx, Spec, StopFlag, Syntax, ToolError, Value};

/// The error, with the near file where an argument of the tool is a path that does not exist.
pub(super) fn of_argument(error: ToolError, spec: &Spec, args: &Value, ctx: &Ctx) -> ToolError {
    let is_path = |pointer: &str| {
        let mut paths = spec.syntax.iter();
        paths.any(|(known, syntax)| {
            *known == pointer && matches!(syntax, Syntax::Path | Syntax::Tree)
        })
    };
    let pointer = error.path().filter(|pointer| is_path(pointer));
    let path = pointer.and_then(|pointer| args.pointer(pointer));
    let path = path.as_ref().and_then(Value::as_str).map(str::to_owned);
    name_near_file(error, path.as_deref(), ctx.files().ok(), ctx.stop())
}

/// The error, with the near file of a path that does not exist.
pub(super) fn name_near_file(
    error: ToolError,
    path: Option<&str>,
    files: Option<&dyn WorkspaceFiles>,
    stop: &StopFlag,
) -> ToolError {
    let (Some(path), Some(files), Some("not_found")) = (path, files, error.reason_str()) else {
        return error;
    };
    match near_path(files, path, stop) {
        Some(near) => error.hint(format!(
            "did you mean `{near}`{}?",
            describe_confusable_characters(path, &near)
        )),
        None => error,
    }
}

/// The characters of a near path that no reader tells from those of the path, by their numbers.
fn describe_confusable_characters(path: &str, near: &str) -> String {
    let others = near
        .chars()
        .filter(|one| !one.is_ascii() && !path.contains(*one));
    let mut others: Vec<String> = others
        .map(|one| format!("U+{:04X}", u32::from(one)))
        .collect();
    others.dedup();
    match others.is_empty() {
        true => String::new(),
        false => format!(", which has {}", others.join(", ")),
    }
}
