//! The toolkit as a library: a tool of one's own, a call as a narrowed role, and what the policy says.

#![expect(clippy::print_stdout, reason = "an example prints")]

use mathchain::{CallContext, PolicyLayer, Toolkit, parse_json};
use tool_core::{
    Ctx, Decode, Describe, Encode, ErasedTool, Input, Positive, Result, Spec, Tool, ToolError,
    Vector, tool_entry,
};

/// Smooth a series with an exponential moving average.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
struct Args {
    /// Samples in time order, equally spaced; at least one.
    samples: Input<Vector>,
    /// Half-life of the weights, in samples.
    half_life: Positive,
}

#[derive(Debug, Encode, Describe)]
struct Output {
    /// The smoothed series, of the same length.
    smoothed: Vec<f64>,
}

impl Tool for Args {
    const SPEC: Spec = Spec::named("moving_average", "Exponential moving average");
    type Output = Output;

    fn run(args: Self, ctx: &Ctx) -> Result<Output> {
        let samples = args.samples.load(ctx)?;
        let first = samples.first().copied();
        let mut level = first.ok_or_else(|| ToolError::invalid("/samples", "expected a sample"))?;
        let decay = (-args.half_life.get().recip()).exp2();
        let next = |sample: &f64| {
            level = decay * level + (1.0 - decay) * sample;
            level
        };
        Ok(Output {
            smoothed: samples.iter().map(next).collect(),
        })
    }
}

/// The tools of this program.
static OWN: &[ErasedTool] = &[tool_entry::<Args>()];

fn main() -> Result<()> {
    let toolkit = Toolkit::builder().add_tools(OWN).build()?;
    let math = CallContext::default()
        .role("worker_math")
        .narrow(PolicyLayer::read_only());
    let answer = toolkit.call_with(
        &math,
        "moving_average",
        &parse_json(r#"{"samples":[0,1,1],"half_life":1}"#)?,
    );
    println!("{}", answer.to_value());
    let why = toolkit.explain(&math, "write_file", None)?;
    println!("write_file as worker_math: {}", why.decision.reason);
    Ok(())
}
