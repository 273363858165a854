//! Spans of a recorded run as OTLP/JSON, one request a line, as an OpenTelemetry collector writes and reads files.

use std::io::Write;

use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::transform::common::tonic::ResourceAttributesWithSchema;
use opentelemetry_proto::transform::trace::tonic::group_spans_by_resource_and_scope;
use opentelemetry_sdk::trace::SpanData;
use tool_core::{ErrorCode, Result, ToolError, Value, tool_error};

use super::settings;
use super::span::SpanConverter;
use crate::environment;

/// Spans in one line.
const SPANS_MAX: usize = 512;

/// Writes the spans of a run's records: those that were sent as it happened, where the environment names the same parent.
///
/// # Errors
/// `tool_error` when the output cannot be written.
pub fn write_run(records: &[Value], out: &mut dyn Write) -> Result<()> {
    let spans = SpanConverter {
        parent: settings::parent_span(&environment::read_variable),
    };
    let spans: Vec<SpanData> = records
        .iter()
        .filter_map(|record| spans.of_record(record))
        .collect();
    let resource = ResourceAttributesWithSchema::from(&settings::service_resource());
    for some in spans.chunks(SPANS_MAX) {
        let request = ExportTraceServiceRequest {
            resource_spans: group_spans_by_resource_and_scope(some.to_vec(), &resource),
        };
        let mut line =
            serde_json::to_vec(&request).map_err(|err| ToolError::new(ErrorCode::Internal, err))?;
        line.push(b'\n');
        out.write_all(&line)
            .map_err(|err| tool_error!(ToolError, "io"; "the spans cannot be written: {err}"))?;
    }
    Ok(())
}
