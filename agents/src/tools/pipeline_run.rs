//! Running a pipeline in one call.

use tool_core::capability::PipelineRequest;
use tool_core::{
    Caller, Capability, Category, Ctx, Decode, Describe, Determinism, Effect, Encode, Permission,
    Result, Shortfall, Spec, Tool, ToolError, Value, convert, tool_error,
};

/// Run the phases of the project's configuration: in each, agent command lines work on a task, each in a sandbox.
///
/// The agents have at most the tools of the caller. The answer of each is a file, `outputs/PHASE/AGENT.md`. A gate of a phase may wait for a
/// person. A pipeline that stopped or failed is continued by `resume`, and what was done is kept.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(super) struct Args {
    /// Phases to leave out; those that depend on one do not run.
    #[value(default)]
    pub skip: Vec<String>,
    /// Run one phase only; those that it depends on must be done by an earlier pipeline.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub only: Option<String>,
    /// Begin with a phase; those before it count as done where an earlier pipeline completed them.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub from: Option<String>,
    /// Id of a pipeline that is continued, instead of a new one.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub resume: Option<String>,
    /// With `resume`: run agents again whose outcome is unknown, because the process that ran them ended first.
    #[value(default)]
    pub retry_unknown: bool,
}

/// The record of a pipeline.
#[derive(Debug, Encode, Decode, Describe)]
pub(super) struct Output {
    /// Its id.
    pub pipeline: String,
    /// The file with its phases.
    pub file: String,
    /// `succeeded`, `failed` or `stopped`.
    pub state: String,
    /// Its phases in the order in which they run, each with `status`, `reason`, and its `agents` with `state`, `message` and `output`, the file with
    /// the answer.
    pub phases: Vec<Value>,
    /// Cost in US dollars; null where an agent does not report it.
    pub cost_usd: Option<f64>,
    /// Cost in US dollars as far as it is known.
    pub known_cost_usd: f64,
    /// Turns as far as they are known; null where none are.
    pub turns: Option<u64>,
}

impl Tool for Args {
    const SPEC: Spec = Spec {
        id: super::PIPELINE_RUN,
        title: "Run a pipeline of agents",
        category: Category::Workflow,
        tags: &["agents", "pipeline"],
        effects: &[Effect::LocalExec, Effect::SystemState],
        permissions: &[Permission::Shell],
        capabilities: &[Capability::Calls],
        idempotent: false,
        determinism: Determinism::External,
        callers: &[Caller::Direct],
        waits_ms: Some(604_800_000),
        ..Spec::pure()
    };
    type Output = Output;

    fn run(args: Self, ctx: &Ctx) -> Result<Output> {
        let picks = !args.skip.is_empty() || args.only.is_some() || args.from.is_some();
        if args.resume.is_some() && picks {
            let message = "a pipeline that is continued has its own phases: leave out `skip`, `only` and `from`";
            return Err(ToolError::invalid("/resume", message));
        }
        if args.only.is_some() && args.from.is_some() {
            return Err(ToolError::invalid(
                "/from",
                "expected `only` or `from`, found both",
            ));
        }
        if args.retry_unknown && args.resume.is_none() {
            let message = "`retry_unknown` is for a pipeline that `resume` continues";
            return Err(ToolError::invalid("/retry_unknown", message));
        }
        let request = PipelineRequest {
            skip: args.skip,
            only: args.only,
            from: args.from,
            resume: args.resume,
            retry_unknown: args.retry_unknown,
        };
        let record = ctx.calls()?.pipeline(&request, ctx.stop())?;
        let record: Output = convert::from_value(&record)
            .map_err(|problem| tool_error!(Internal, "{}", problem.message))?;
        if record.state != "succeeded" {
            let (id, state) = (&record.pipeline, &record.state);
            let message = format!("the pipeline `{id}` ended as `{state}`");
            ctx.fall_short(Shortfall::Incomplete, message);
        }
        Ok(record)
    }

    // No example: each pipeline has an id of its own.
}
