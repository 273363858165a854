//! Formatting Python code.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tool_core::{
    Bounded, Caller, Capability, Category, Ctx, Determinism, Example, Permission, Spec, Syntax,
    Tool, ToolError,
};

use super::ruff;

/// Formats Python code with ruff.
pub struct FormatPython;

/// Format Python code with `ruff`. The code is never run; code that is no Python is an error.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    /// The code, at most 4 MiB.
    pub code: String,
    /// Longest line, 1 to 320.
    #[serde(default = "default_line_length")]
    pub line_length: Bounded<1, 320>,
}

fn default_line_length() -> Bounded<1, 320> {
    Bounded::literal(88)
}

/// The result.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The code, formatted.
    pub formatted: String,
    /// Whether it differs from what was given.
    pub changed: bool,
}

impl Tool for FormatPython {
    const SPEC: Spec = Spec {
        id: "format_python",
        title: "Format Python code",
        category: Category::Code,
        tags: &["python", "format"],
        permissions: &[Permission::Compute],
        capabilities: &[Capability::Spawn],
        determinism: Determinism::External,
        callers: &[Caller::Direct, Caller::Chain],
        syntax: &[("/code", Syntax::Expression)],
        ..Spec::pure()
    };
    type Args = Args;
    type Output = Output;

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let options = [format!("--line-length={}", args.line_length.get())];
        let words = ruff::words(&["format"], &options);
        let formatted = ruff::run(ctx, &words, &args.code)?.stdout.text();
        Ok(Output {
            changed: formatted != args.code,
            formatted,
        })
    }

    fn examples() -> Vec<Example<Args, Output>> {
        vec![Example {
            title: "spaces and quotes",
            args: Args {
                code: "x = { 'a':1 }\n".to_owned(),
                line_length: default_line_length(),
            },
            output: Output {
                formatted: "x = {\"a\": 1}\n".to_owned(),
                changed: true,
            },
        }]
    }
}
