//! Replacing text in a file.

use super::{evidence, text};
use crate::prelude::*;

/// Maximum line numbers in an error or a result.
const PLACES_MAX: usize = 20;

/// Replace text in a file of the workspace. The old text must occur exactly once, or at least once with `replace_all`; the file is
/// replaced atomically, and only if it did not change meanwhile.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// Path of a text file in UTF-8, relative to the workspace root. Links are not followed.
    pub path: String,
    /// The text to replace, with its exact spaces and line ends, and enough context to occur only once. Not empty.
    pub old_string: String,
    /// The replacement; may be empty.
    pub new_string: String,
    /// Whether to replace every occurrence, from the start of the file, without overlaps.
    #[value(default)]
    pub replace_all: bool,
}

#[derive(Debug, Encode, Describe)]
pub(crate) struct Output {
    /// Path relative to the workspace root.
    pub path: String,
    /// Number of replacements.
    pub replacements: u64,
    /// Line numbers (from 1) of the replacements; the first twenty.
    pub lines: Vec<u64>,
    /// New size of the file in bytes.
    pub size: u64,
}

impl Tool for Args {
    const SPEC: Spec = Spec {
        id: "edit_file",
        title: "Replace text in a file",
        tags: &["file", "text", "edit"],
        // The call contains what it removes.
        destructive: false,
        idempotent: false,
        ..super::WRITING
    };
    type Output = Output;

    fn run(args: Args, ctx: &Ctx) -> Result<Output> {
        let (change, mut output) = plan_edit(&args, ctx)?;
        let info = ctx.files()?.change(&[change]).at("/path")?.pop();
        let info = info.ok_or_else(|| tool_error!(Internal, "nothing was changed"))?;
        output.path = info.path;
        Ok(output)
    }

    fn before(args: &Args, ctx: &Ctx) -> Result<Option<Value>> {
        let (change, mut output) = plan_edit(args, ctx)?;
        output.path = evidence::identity_path(&args.path, ctx)?;
        evidence::of_changes(&[change], &output)
    }

    fn probe(_: &Args, before: &Value, ctx: &Ctx) -> Result<CallProbe> {
        evidence::probe_change(before, ctx)
    }

    /// Run in a workspace that has `notes.txt` with the text `hello world` and a line end, each example in one of its own.
    const EXAMPLES: &'static [JsonExample] = examples! {
        "one word": r#"{"path": "notes.txt", "old_string": "world", "new_string": "there"}"#
            => r#"{"path": "notes.txt", "replacements": 1, "lines": [1], "size": 12}"#;
        "every occurrence of a letter":
            r#"{"path": "notes.txt", "old_string": "o", "new_string": "0\n", "replace_all": true}"#
            => r#"{"path": "notes.txt", "replacements": 2, "lines": [1, 2], "size": 14}"#;
    };
}

/// The change to write and the output of the call.
fn plan_edit(args: &Args, ctx: &Ctx) -> Result<(FileChange, Output)> {
    if args.old_string.is_empty() {
        return Err(tool_error!(InvalidArgs at "/old_string";
            "`old_string` is empty";
            "`write_file` creates a file, or appends to it with the mode `append`"));
    }
    if args.old_string == args.new_string {
        return Err(tool_error!(InvalidArgs at "/new_string";
            "`new_string` is the same as `old_string`"; "nothing would change"));
    }
    let before = text::read_text(ctx, &args.path).at("/path")?;
    ctx.check()?;
    let places = find_occurrences(&before, args)?;
    let growth = args.new_string.len().saturating_sub(args.old_string.len()) as u64;
    ctx.reserve(growth.saturating_mul(2 * places.len() as u64))?;
    let mut after = String::with_capacity(before.len());
    let mut lines = Vec::new();
    let mut end = 0;
    let mut line = 1;
    for &place in &places {
        let kept = &before[end..place];
        after.push_str(kept);
        line += count_newlines(kept);
        if lines.len() < PLACES_MAX {
            lines.push(line);
        }
        after.push_str(&args.new_string);
        line += count_newlines(&args.new_string);
        end = place + args.old_string.len();
    }
    after.push_str(&before[end..]);
    ctx.check()?;
    let output = Output {
        path: args.path.clone(),
        replacements: places.len() as u64,
        lines,
        size: after.len() as u64,
    };
    let change = FileChange::Replace {
        path: args.path.clone(),
        before: before.into_bytes(),
        content: after.into_bytes(),
    };
    Ok((change, output))
}

fn count_newlines(text: &str) -> u64 {
    memchr::memchr_iter(b'\n', text.as_bytes()).count() as u64
}

/// Positions of the old text; an error if there is none or the choice is ambiguous.
fn find_occurrences(before: &str, args: &Args) -> Result<Vec<usize>> {
    let finder = memchr::memmem::Finder::new(&args.old_string);
    let places: Vec<usize> = finder.find_iter(before.as_bytes()).collect();
    match (places.len(), args.replace_all) {
        (0, _) => Err(not_there(before, args)),
        (1, _) | (_, true) => Ok(places),
        (count, false) => {
            let line = |&place| text::line_of(before, place).to_string();
            let lines: Vec<String> = places.iter().take(PLACES_MAX).map(line).collect();
            let more = if count > PLACES_MAX { ", ..." } else { "" };
            let (path, lines) = (&args.path, lines.join(", "));
            Err(tool_error!(InvalidArgs at "/old_string", "ambiguous";
                "`old_string` is in `{path}` {count} times, on lines {lines}{more}";
                "add context lines, or set `replace_all: true`"))
        }
    }
}

/// The error for a missing text, with the most frequent causes: other spaces or line ends.
fn not_there(before: &str, args: &Args) -> ToolError {
    let error = tool_error!(InvalidArgs at "/old_string", "no_match";
        "`old_string` is not in `{}`", args.path);
    if before.contains("\r\n") && !args.old_string.contains('\r') && args.old_string.contains('\n')
    {
        return error.hint("the lines of the file end in CR LF: write `\\r\\n`");
    }
    let squeeze = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut lines = args.old_string.lines().map(squeeze);
    let first = lines.find(|line| !line.is_empty());
    let near = first.and_then(|first| before.lines().position(|line| squeeze(line) == first));
    error.hint(match near {
        Some(line) => format!(
            "line {} is the same but for spaces: read the file and copy the text exactly",
            line + 1
        ),
        None => "read the file and copy the text exactly, with its spaces and line ends".to_owned(),
    })
}
