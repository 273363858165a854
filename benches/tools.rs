//! Tools with almost no work, so that the timings are those of the runtime around a step.

use std::time::Duration;

use tool_core::{
    Ctx, Decode, Describe, Encode, ErasedTool, Finite, Input, Matrix, Spec, Tool, ToolError,
    tool_entry,
};

/// The tools of this file.
pub static TOOLS: &[ErasedTool] = &[tool_entry::<AddArgs>(), tool_entry::<HandOnArgs>()];

/// Add one to a number, some time later.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
struct AddArgs {
    /// The number.
    x: Finite,
    /// Delay before the answer, in milliseconds.
    #[value(default)]
    sleep_ms: u64,
}

#[derive(Debug, Encode, Describe)]
struct AddOutput {
    /// The number and one.
    x: f64,
}

impl Tool for AddArgs {
    const SPEC: Spec = Spec {
        id: "add_one",
        title: "Add one",
        ..Spec::pure()
    };
    type Output = AddOutput;

    fn run(args: AddArgs, _: &Ctx) -> Result<AddOutput, ToolError> {
        if args.sleep_ms > 0 {
            std::thread::sleep(Duration::from_millis(args.sleep_ms));
        }
        Ok(AddOutput {
            x: args.x.get() + 1.0,
        })
    }
}

/// Give a matrix back.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
struct HandOnArgs {
    /// The matrix.
    matrix: Input<Matrix>,
}

#[derive(Debug, Encode, Describe)]
struct HandOnOutput {
    /// The same.
    matrix: Matrix,
}

impl Tool for HandOnArgs {
    const SPEC: Spec = Spec {
        id: "hand_on",
        title: "Hand on",
        ..Spec::pure()
    };
    type Output = HandOnOutput;

    fn run(args: HandOnArgs, ctx: &Ctx) -> Result<HandOnOutput, ToolError> {
        Ok(HandOnOutput {
            matrix: args.matrix.load(ctx)?,
        })
    }
}
