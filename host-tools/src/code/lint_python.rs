//! Linting Python code.

use super::{python, ruff};
use crate::prelude::*;

/// Lint Python code with `ruff`, and optionally apply safe fixes. The code is never executed.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// The code, at most 4 MiB.
    pub code: String,
    /// Whether to return `fixed_code`.
    #[value(default)]
    pub fix: bool,
    /// Rules or groups of rules, such as `["E", "F", "B006"]`; empty for the defaults of ruff.
    #[value(default)]
    pub select: Vec<String>,
}

#[derive(Debug, Encode, Describe)]
pub(crate) struct Output {
    /// The diagnostics, in the order of the code.
    pub issues: Vec<LintDiagnostic>,
    /// The code with all safe fixes; absent without `fix`.
    #[schema(extend("x-present" = { "fix": true }))]
    pub fixed_code: Option<String>,
    /// The numbers of diagnostics.
    pub summary: LintSummary,
}

/// A diagnostic.
#[derive(Debug, Encode, Describe)]
pub(crate) struct LintDiagnostic {
    /// The rule, such as `F401`; `syntax` for a syntax error.
    pub code: String,
    /// The message.
    pub message: String,
    /// Line, from 1.
    pub line: u64,
    /// Column, from 1.
    pub column: u64,
    /// Whether a safe fix exists.
    pub fixable: bool,
    /// URL of the documentation of the rule.
    pub url: Option<String>,
}

/// The numbers of diagnostics.
#[derive(Debug, Encode, Describe)]
pub(crate) struct LintSummary {
    /// Diagnostics.
    pub total: usize,
    /// Diagnostics with a safe fix.
    pub fixable: usize,
    /// Diagnostics left in `fixed_code`; absent without `fix`.
    #[schema(extend("x-present" = { "fix": true }))]
    pub remaining: Option<usize>,
}

impl Tool for Args {
    const SPEC: Spec = python::SPEC
        .with_name("lint_python", "Lint Python code")
        .tags(&["python", "lint"])
        .syntax(&[("/code", Syntax::Expression)]);
    type Output = Output;

    fn run(args: Args, ctx: &Ctx) -> Result<Output> {
        let mut options = Vec::new();
        if !args.select.is_empty() {
            check_rules(&args.select)?;
            options.push(format!("--select={}", args.select.join(",")));
        }
        let issues = lint_code(ctx, &options, &args.code)?;
        let (fixed_code, remaining) = if args.fix {
            let words = ruff::isolated_arguments(&["check", "--fix-only", "--quiet"], &options);
            let fixed = ruff::run_ruff(ctx, &words, &args.code)?.stdout.text();
            let remaining = lint_code(ctx, &options, &fixed)?.len();
            (Some(fixed), Some(remaining))
        } else {
            (None, None)
        };
        Ok(Output {
            summary: LintSummary {
                total: issues.len(),
                fixable: issues.iter().filter(|issue| issue.fixable).count(),
                remaining,
            },
            issues,
            fixed_code,
        })
    }

    /// With the rules of ruff 0.16.
    const EXAMPLES: &'static [JsonExample] = examples! {
        "an unused import": r#"{"code": "import os\nprint(1)\n", "fix": true, "select": ["F"]}"#
            => r#"{
                "issues": [{
                    "code": "F401", "message": "`os` imported but unused", "line": 1, "column": 8, "fixable": true,
                    "url": "https://docs.astral.sh/ruff/rules/unused-import"
                }],
                "fixed_code": "print(1)\n", "summary": {"total": 1, "fixable": 1, "remaining": 0}
            }"#;
    };
}

/// Accepts letters, then digits, so that a rule cannot be another option.
fn check_rules(select: &[String]) -> Result<()> {
    for (index, rule) in select.iter().enumerate() {
        let digits = rule.trim_start_matches(|letter: char| letter.is_ascii_uppercase());
        let sound = digits.len() < rule.len() && digits.bytes().all(|byte| byte.is_ascii_digit());
        if !sound || rule.len() > 16 {
            return Err(tool_error!(InvalidArgs at format!("/select/{index}");
                "expected a rule such as `F401` or a group such as `E`, found `{rule}`"));
        }
    }
    Ok(())
}

fn lint_code(ctx: &Ctx, options: &[String], code: &str) -> Result<Vec<LintDiagnostic>> {
    let words = ruff::isolated_arguments(&["check", "--output-format=json"], options);
    let finished = ruff::run_ruff(ctx, &words, code)?;
    let unread = || {
        tool_error!(ToolError, "ruff"; "unexpected output of `ruff`";
            "version 0.5 or newer is required")
    };
    let found = json::parse_bytes(&finished.stdout.bytes, json::JsonLimits::default());
    let issues = found.ok().and_then(|found| found.items());
    let issues = issues.and_then(|issues| issues.iter().map(parse_issue).collect());
    issues.ok_or_else(unread)
}

fn parse_issue(issue: &Value) -> Option<LintDiagnostic> {
    let text = |pointer: &str| Some(issue.pointer(pointer)?.as_str()?.to_owned());
    let count = |pointer: &str| u64::try_from(issue.pointer(pointer)?.as_i64()?).ok();
    Some(LintDiagnostic {
        code: text("/code")
            .filter(|code| code != "invalid-syntax")
            .unwrap_or_else(|| "syntax".to_owned()),
        message: text("/message")?,
        line: count("/location/row")?,
        column: count("/location/column")?,
        fixable: text("/fix/applicability").is_some_and(|how| how == "safe"),
        url: text("/url"),
    })
}
