//! Replacements in builds without the feature `otel`.

use std::io::Write;
use std::sync::Arc;

use registry::Witness;
use tool_core::{ErrorCode, ToolError, Value};

/// No witness.
pub(crate) fn witness() -> Option<Arc<dyn Witness>> {
    None
}

/// Nothing to flush.
pub(crate) fn finish() -> Option<String> {
    None
}

/// Fails with `precondition_failed`.
pub(crate) fn write_run(_: &[Value], _: &mut dyn Write) -> Result<(), ToolError> {
    Err(ToolError::new(
        ErrorCode::PreconditionFailed,
        "this program was built without OpenTelemetry",
    )
    .reason("feature")
    .hint("build it with `--features otel`"))
}
