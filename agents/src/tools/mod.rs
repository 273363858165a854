//! Pipelines as tools: every door calls them through the one dispatcher, with its policy, approvals and audit.

mod pipeline_run;

use tool_core::capability::PipelineRequest;
use tool_core::{ErasedTool, Object, Value, tool_entry};

/// Id of the tool that runs a pipeline.
pub const PIPELINE_RUN: &str = "pipeline_run";

/// The tools of this family, in reading order.
pub static TOOLS: &[ErasedTool] = &[tool_entry::<pipeline_run::Args>()];

/// The arguments of the tool for a request.
pub fn pipeline_arguments(request: &PipelineRequest) -> Value {
    let mut members = Object::new();
    members.insert("skip", request.skip.clone());
    members.insert_some("only", request.only.clone());
    members.insert_some("from", request.from.clone());
    members.insert_some("resume", request.resume.clone());
    members.insert("retry_unknown", request.retry_unknown);
    Value::from(members)
}
