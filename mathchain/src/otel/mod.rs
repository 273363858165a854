//! OpenTelemetry spans of calls and runs, sent as the process environment configures (`docs/observability.md`).
//!
//! `span` makes a span of an audit record, and of nothing else, so that what is sent as it happens and what is written of a
//! recorded run (`file`) are the same. `send` hands spans to a thread of its own, which never keeps a call waiting. Without the
//! feature `otel` nobody is told of anything.

#[cfg(not(feature = "otel"))]
mod absent;
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

#[cfg(not(feature = "otel"))]
pub(crate) use absent::{finish, witness, write_run};
#[cfg(feature = "otel")]
pub(crate) use file::write_run;
#[cfg(feature = "otel")]
pub(crate) use live::{finish, witness};
