//! OpenTelemetry spans of calls and runs, sent as the process environment configures (`docs/observability.md`).
//!
//! `span` makes a span of an audit record, and of nothing else, so that live spans and the exported spans of a recorded run (`file`) are
//! the same. `send` hands spans to a thread of its own, which never delays a call. Without the feature `otel` nothing is sent.

#[cfg(feature = "otel")]
mod file;
#[cfg(feature = "otel")]
mod live;
#[cfg(feature = "otel")]
mod send;
#[cfg(feature = "otel")]
mod settings;
#[cfg(feature = "otel")]
mod span;

#[cfg(feature = "otel")]
pub use {file::write_run, live::finish_spans, live::span_witness};

#[cfg(not(feature = "otel"))]
pub use absent::{finish_spans, span_witness, write_run};

/// Replacements in builds without the feature `otel`.
#[cfg(not(feature = "otel"))]
mod absent {
    use tool_core::{Result, Value, tool_error};

    pub fn span_witness() -> Option<std::sync::Arc<dyn registry::CallWitness>> {
        None
    }

    pub fn finish_spans() -> Option<String> {
        None
    }

    pub fn write_run(_: &[Value], _: &mut dyn std::io::Write) -> Result<()> {
        let error = tool_error!(PreconditionFailed; "this program was built without OpenTelemetry");
        Err(error
            .reason("feature")
            .hint("build it with `--features otel`"))
    }
}
