//! Matches of a regular expression.

use regex::RegexBuilder;
use tool_core::Object;

use crate::prelude::*;

/// Longest pattern in bytes.
const PATTERN_BYTES_MAX: usize = 10_000;
/// Memory of a compiled pattern in bytes.
const COMPILED_BYTES_MAX: usize = 10 << 20;

/// Finds what a regular expression matches, with its groups by name or number. Patterns are those of the crate `regex`: they take time linear in the
/// text, and know neither look-around nor back-references. `(?<year>\d{4})` is a named group; `(?i)` ignores case, `(?m)` lets `^` and `$` match at
/// lines, `(?s)` lets `.` match line ends.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// The text.
    #[schema(extend("x-file-endings" = [".txt", ".log"]))]
    pub text: Input<TextInput>,
    /// The pattern, up to 10,000 bytes.
    pub pattern: String,
    /// Most matches to return; when there are more the result says `truncated`.
    #[value(default = "BoundedInteger::<1, 100_000>::of::<1000>")]
    pub max_matches: BoundedInteger<1, 100_000>,
}

/// Matches of a pattern.
#[derive(Debug, Encode, Describe)]
pub(crate) struct Output {
    /// The matches in order, which do not overlap: `match` its text, `start` and `end` in bytes from 0, `line` from 1, and a member for each group:
    /// by its name, or `group_1`, `group_2`, ...; null where a group took no part.
    pub matches: Value,
    /// Number of matches returned.
    pub count: usize,
    /// Whether there are more.
    pub truncated: bool,
}

impl Tool for Args {
    const SPEC: Spec = Spec::named("regex_extract", "Find matches of a pattern")
        .category(Category::Data)
        .tags(&["text", "query"])
        .syntax(&[("/pattern", Syntax::Pattern)]);
    type Output = Output;
    const EXAMPLES: &'static [JsonExample] = examples! {
        "names and numbers":
            r#"{"text": "a=1\nbc=20", "pattern": "(?<name>\\w+)=(\\d+)"}"# => r#"{"matches": [
                {"match": "a=1", "start": 0, "end": 3, "line": 1, "name": "a", "group_2": "1"},
                {"match": "bc=20", "start": 4, "end": 9, "line": 2, "name": "bc", "group_2": "20"}],
                "count": 2, "truncated": false}"#;
    };

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let text = args.text.load(ctx)?;
        if args.pattern.len() > PATTERN_BYTES_MAX {
            let length = args.pattern.len();
            let error = ToolError::new(
                ErrorCode::LimitExceeded,
                format_args!("the pattern has {length} bytes, the limit is {PATTERN_BYTES_MAX}"),
            );
            return Err(error.at("/pattern").hint("split it into several calls"));
        }
        let pattern = RegexBuilder::new(&args.pattern)
            .size_limit(COMPILED_BYTES_MAX)
            .build()
            .map_err(pattern_error)?;
        let names: Vec<String> = pattern
            .capture_names()
            .enumerate()
            .map(|(index, name)| match name {
                Some(name) => name.to_owned(),
                None => format!("group_{index}"),
            })
            .collect();
        let mut matches = Vec::new();
        let mut truncated = false;
        let (mut line, mut counted) = (1, 0);
        for found in pattern.captures_iter(&text) {
            ctx.check()?;
            if matches.len() == args.max_matches.size() {
                truncated = true;
                break;
            }
            let Some(whole) = found.get(0) else { continue };
            let between = text.as_bytes()[counted..whole.start()].iter();
            line += between.filter(|byte| **byte == b'\n').count();
            counted = whole.start();
            let mut record = Object::new();
            record.insert("match", whole.as_str());
            record.insert("start", whole.start());
            record.insert("end", whole.end());
            record.insert("line", line);
            for (name, group) in names.iter().zip(found.iter()).skip(1) {
                record.insert(name.as_str(), group.map(|group| group.as_str().to_owned()));
            }
            let record = Value::from(record);
            ctx.reserve(record.memory_bytes())?;
            matches.push(record);
        }
        if truncated {
            ctx.warn(format!(
                "only the first {} matches are returned",
                matches.len()
            ));
        }
        Ok(Output {
            count: matches.len(),
            matches: Value::array(matches),
            truncated,
        })
    }
}

fn pattern_error(err: regex::Error) -> ToolError {
    let text = err.to_string();
    // The crate draws the pattern and a mark under it; its last line has the words.
    let words = text.lines().last().unwrap_or_default();
    let words = words.strip_prefix("error: ").unwrap_or(words);
    let error = ToolError::invalid(
        "/pattern",
        format_args!("the pattern cannot be read: {words}"),
    );
    error.reason("pattern").hint("look-around and back-references are not known; a literal `.` or `(` is written with a backslash")
}

#[cfg(test)]
mod tests {
    use super::*;
    use tool_core::tool_entry;

    fn run(text: &str, pattern: &str) -> Result<Value, ToolError> {
        let args = Value::object([("text", text), ("pattern", pattern)]);
        tool_entry::<Args>()
            .tool()
            .decode(&args)?
            .run(&Ctx::default())
    }

    #[test]
    fn patterns_that_other_engines_run_for_ever_are_linear() {
        let text = "a".repeat(50_000);
        let found = run(&text, "(a*)*b").unwrap();
        assert_eq!(found.get("count"), Some(&Value::Int(0)));
        let many = run(&text, "a").unwrap();
        assert_eq!(many.get("truncated"), Some(&Value::Bool(true)));
        let large = run("x", "(a{1000}){1000}").unwrap_err();
        assert_eq!(large.path(), Some("/pattern"));
        for pattern in ["(", "(?<n>", "a(?=b)", r"(a)\1"] {
            let err = run("x", pattern).unwrap_err();
            assert_eq!(
                (err.path(), err.reason_str()),
                (Some("/pattern"), Some("pattern")),
                "{err:?}"
            );
        }
        let empty = run("ab", "x*").unwrap();
        assert_eq!(empty.get("count"), Some(&Value::Int(3)));
        let optional = run("b", "(a)?b")
            .unwrap()
            .get("matches")
            .unwrap()
            .to_string();
        assert!(optional.contains(r#""group_1":null"#), "{optional}");
    }
}
