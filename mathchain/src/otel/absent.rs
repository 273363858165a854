//! What a build without the feature says.

use std::io::Write;
use std::sync::Arc;

use registry::Witness;
use tool_core::{ErrorCode, ToolError, Value};

/// Nobody.
pub(crate) fn witness() -> Option<Arc<dyn Witness>> {
    None
}

/// Nothing was sent.
pub(crate) fn finish() -> Option<String> {
    None
}

/// Refuses.
pub(crate) fn write_run(_: &[Value], _: &mut dyn Write) -> Result<(), ToolError> {
    Err(ToolError::new(
        ErrorCode::PreconditionFailed,
        "this program was built without OpenTelemetry",
    )
    .reason("feature")
    .hint("build it with `--features otel`"))
}
