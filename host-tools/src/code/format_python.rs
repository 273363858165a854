//! Formatting Python code.

use super::{python, ruff};
use crate::prelude::*;

/// Format Python code with `ruff`. The code is never executed; a syntax error is an error of the call.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// The code, at most 4 MiB.
    pub code: String,
    /// Maximum line length, 1 to 320.
    #[value(default = "BoundedInteger::<1, 320>::of::<88>")]
    pub line_length: BoundedInteger<1, 320>,
}

#[derive(Debug, Encode, Describe)]
pub(crate) struct Output {
    /// The formatted code.
    pub formatted: String,
    /// Whether the code changed.
    pub changed: bool,
}

impl Tool for Args {
    const SPEC: Spec = python::SPEC
        .with_name("format_python", "Format Python code")
        .tags(&["python", "format"])
        .syntax(&[("/code", Syntax::Expression)]);
    type Output = Output;

    fn run(args: Args, ctx: &Ctx) -> Result<Output> {
        let options = [format!("--line-length={}", args.line_length.get())];
        let words = ruff::isolated_arguments(&["format"], &options);
        let formatted = ruff::run_ruff(ctx, &words, &args.code)?.stdout.text();
        Ok(Output {
            changed: formatted != args.code,
            formatted,
        })
    }

    const EXAMPLES: &'static [JsonExample] = examples! {
        "spaces and quotes": r#"{"code": "x = { 'a':1 }\n"}"#
            => r#"{"formatted": "x = {\"a\": 1}\n", "changed": true}"#;
    };
}
