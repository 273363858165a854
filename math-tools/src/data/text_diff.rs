//! The difference of two texts.

use crate::prelude::*;
use crate::unified_diff::UnifiedDiff;

/// The difference of two texts, line by line, as a unified diff, which `apply_patch` and `git apply` take. Where tens of thousands of lines occur
/// often, it may be longer than the shortest one.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// The text before.
    pub before: Input<TextInput>,
    /// The text after.
    pub after: Input<TextInput>,
    /// Unchanged lines to show around a change.
    #[value(default = "BoundedInteger::<0, 100>::of::<3>")]
    pub context: BoundedInteger<0, 100>,
}

/// A difference.
#[derive(Debug, Encode, Describe)]
pub(crate) struct Output {
    /// Whether the texts are equal.
    pub equal: bool,
    /// The unified diff, without names of files; empty for equal texts.
    pub diff: String,
    /// Lines that the second text has and the first has not.
    pub added: usize,
    /// Lines that the first text has and the second has not.
    pub removed: usize,
}

impl Tool for Args {
    const SPEC: Spec = Spec::named("text_diff", "Compare texts")
        .category(Category::Data)
        .tags(&["text", "compare"]);
    type Output = Output;
    const EXAMPLES: &'static [JsonExample] = examples! {
        "a changed line": r#"{"before": "a\nb\nc\n", "after": "a\nB\nc\n", "context": 1}"#
            => r#"{"equal": false, "diff": "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n", "added": 1, "removed": 1}"#;
    };

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let (before, after) = (args.before.load(ctx)?, args.after.load(ctx)?);
        ctx.reserve((before.len() + after.len()) as u64 * 4)?;
        let stop = || ctx.stop().is_set();
        let context = args.context.size() as u32;
        let Some(found) = UnifiedDiff::compute(&before, &after, context, &stop) else {
            ctx.check()?;
            refuse!(invalid "", "stopped"; "the comparison was stopped"; "compare shorter texts");
        };
        Ok(Output {
            equal: before == after,
            diff: found.text,
            added: found.added,
            removed: found.removed,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tool_core::tool_entry;

    fn run(before: &str, after: &str) -> Value {
        let args = Value::object([("before", before), ("after", after)]);
        let tool = tool_entry::<Args>().tool();
        tool.decode(&args).unwrap().run(&Ctx::default()).unwrap()
    }

    #[test]
    fn ends_and_empty_texts_are_shown_as_diff_shows_them() {
        for (before, after, expected) in [
            ("a\n", "a\n", ""),
            ("", "a\n", "@@ -0,0 +1 @@\n+a\n"),
            ("a\n", "", "@@ -1 +0,0 @@\n-a\n"),
            (
                "a",
                "a\n",
                "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n",
            ),
        ] {
            let found = run(before, after);
            assert_eq!(found.text("diff"), Some(expected), "{before:?} {after:?}");
            assert_eq!(found.get("equal"), Some(&Value::Bool(before == after)));
        }
    }
}
