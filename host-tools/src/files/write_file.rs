//! Writing a file.

use tool_core::input::InputKind;
use tool_core::schema::{Schema, json};
use tool_core::{Describe, LoadInput, RequestProblem, npy, number};

use super::TextEncoding;
use super::evidence::{self, FileDigests, PathDigest};
use crate::prelude::*;

/// Write a text, an array of numbers, or bytes given in base64 to a file of the workspace, atomically and synced to disk.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// Path of the file, relative to the workspace root (an absolute path beneath the root is accepted too). Links are
    /// never followed; files of the repository, the state and the configuration are never written.
    pub path: String,
    /// The content: a text, or `{"$file": path}` to copy a text file; or an array of numbers, such as the result of an earlier
    /// step, in the format of the file extension: `.npy`, `.csv` (one or two dimensions) or `.json`.
    #[schema(extend("x-list-endings" = { "path": [".npy", ".csv", ".json"] }))]
    pub content: Input<WriteContent>,
    /// Treatment of an existing file: `create` refuses, `append` appends, `overwrite` replaces it.
    #[value(default)]
    pub mode: FileWriteMode,
    /// Whether to create missing parent folders.
    #[value(default)]
    pub parents: bool,
    /// Text encoding of the file; `base64` decodes the content and writes the bytes.
    #[value(default)]
    pub encoding: TextEncoding,
}

/// Content to write.
#[derive(Debug, Clone)]
pub(crate) enum WriteContent {
    /// A text.
    Text(TextInput),
    /// An array.
    Numbers(Numbers),
}

impl LoadInput for WriteContent {
    const KIND: InputKind = InputKind::Text;

    fn from_value(value: &Value) -> Result<Self, RequestProblem> {
        let decoded = npy::from_value(value).transpose();
        let decoded = decoded.map_err(|fault| RequestProblem::new("", fault.message))?;
        match decoded.as_ref().unwrap_or(value) {
            Value::Numbers(numbers) => Ok(Self::Numbers(numbers.clone())),
            Value::String(_) => TextInput::from_value(value).map(Self::Text),
            other => {
                let found = other.kind();
                let message = format!("expected a text or an array of numbers, found {found}");
                Err(RequestProblem::new("", message))
            }
        }
    }

    fn to_value(&self) -> Value {
        match self {
            Self::Text(text) => text.to_value(),
            Self::Numbers(numbers) => Value::Numbers(numbers.clone()),
        }
    }

    fn schema() -> Schema {
        json!({ "type": ["string", "array"] })
    }
}

impl From<&str> for WriteContent {
    fn from(text: &str) -> Self {
        Self::Text(text.into())
    }
}

impl WriteContent {
    /// Encodes the content.
    fn bytes(&self, args: &Args, ctx: &Ctx) -> Result<Vec<u8>> {
        const BYTES_PER_NUMBER: u64 = 32; // as text, with its separator
        match self {
            Self::Text(text) => {
                ctx.reserve((text.len() as u64).saturating_mul(2))?;
                let bytes = args.encoding.encode(text);
                bytes.at("/content")
            }
            Self::Numbers(numbers) => {
                ctx.reserve((numbers.as_slice().len() as u64).saturating_mul(BYTES_PER_NUMBER))?;
                array_bytes(numbers, args)
            }
        }
    }
}

/// An array in the format of the file extension.
fn array_bytes(numbers: &Numbers, args: &Args) -> Result<Vec<u8>> {
    if args.encoding != TextEncoding::default() {
        return Err(tool_error!(InvalidArgs at "/encoding";
            "an array of numbers has no encoding";
            "omit `encoding`; the file extension selects the format"));
    }
    let ending = args.path.rsplit_once('.').map(|(_, ending)| ending);
    match (ending, numbers.rank()) {
        (Some("npy" | "json"), _) if args.mode == FileWriteMode::Append => {
            Err(tool_error!(InvalidArgs at "/mode";
                "a file of this format cannot be appended to";
                "use `create` or `overwrite`, or a path that ends in `.csv`"))
        }
        (Some("npy"), _) => Ok(npy::write_npy(numbers)),
        (Some("json"), _) => {
            let text = json::to_text(&Value::Numbers(numbers.clone()));
            Ok((text + "\n").into_bytes())
        }
        (Some("csv"), 1 | 2) => Ok(format_rows(numbers).into_bytes()),
        (Some("csv"), _) => Err(tool_error!(InvalidArgs at "/content";
            "CSV supports arrays of at most two dimensions"; "use a path that ends in `.npy`")),
        _ => Err(tool_error!(InvalidArgs at "/path";
            "the file extension names no format for arrays of numbers";
            "use a path that ends in `.npy`, `.csv` or `.json`")),
    }
}

/// One line per row; a vector is a column.
fn format_rows(numbers: &Numbers) -> String {
    let width = numbers.shape().get(1).copied().unwrap_or(1);
    let line = |row: &[f64]| {
        let cells: Vec<String> = row
            .iter()
            .map(|&value| number::non_finite_spelling(value))
            .collect();
        cells.join(",") + "\n"
    };
    numbers.as_slice().chunks(width).map(line).collect()
}

/// Treatment of an existing file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Encode, Decode, Describe)]
#[value(rename_all = "snake_case")]
pub(crate) enum FileWriteMode {
    /// The file must not exist.
    #[default]
    Create,
    /// The content is appended; alias `a`.
    #[value(alias = "a")]
    Append,
    /// The file is replaced; alias `w`.
    #[value(alias = "w")]
    Overwrite,
}

#[derive(Debug, Encode, Describe)]
pub(crate) struct Output {
    /// Path relative to the workspace root.
    pub path: String,
    /// Bytes written.
    pub bytes_written: u64,
    /// New size of the file in bytes.
    pub size: u64,
    /// Whether the file is new.
    pub created: bool,
}

impl Tool for Args {
    const SPEC: Spec = Spec {
        id: "write_file",
        title: "Write a file",
        tags: &["file", "text"],
        destructive: true,
        idempotent: false,
        ..super::WRITING
    };
    type Output = Output;

    fn run(args: Args, ctx: &Ctx) -> Result<Output> {
        let content = args.content.load(ctx)?.bytes(&args, ctx)?;
        let files = ctx.files()?;
        let write = |mode| files.write(&args.path, &content, mode);
        ctx.check()?;
        if args.parents
            && let Some((folder, _)) = args.path.rsplit_once('/')
            && !folder.is_empty()
        {
            files.make_folder(folder).at("/path")?;
        }
        // Creating first distinguishes new files from old ones without a race.
        let mut written = write(WriteMode::Create);
        let conflicts = |err: &ToolError| err.code() == ErrorCode::Conflict;
        let created = !written.as_ref().is_err_and(conflicts);
        match args.mode {
            FileWriteMode::Append if !created => written = write(WriteMode::Append),
            FileWriteMode::Overwrite if !created => written = write(WriteMode::Overwrite),
            _ => {}
        }
        let info = written.at("/path")?;
        Ok(Output {
            path: info.path,
            bytes_written: content.len() as u64,
            size: info.size,
            created,
        })
    }

    fn before(args: &Args, ctx: &Ctx) -> Result<Option<Value>> {
        let content = args.content.load(ctx)?.bytes(args, ctx)?;
        let (files, path) = (ctx.files()?, &args.path);
        let (before, after, size) = match (evidence::held_by(files, path, ctx)?, args.mode) {
            (PathDigest::TooLarge, _) | (PathDigest::Digest(..), FileWriteMode::Create) => {
                return Ok(None);
            }
            (PathDigest::Absent, _) => (
                None,
                evidence::content_digest(&content),
                content.len() as u64,
            ),
            (PathDigest::Digest(before, _), FileWriteMode::Overwrite) => {
                let after = evidence::content_digest(&content);
                (Some(before), after, content.len() as u64)
            }
            (PathDigest::Digest(before, _), FileWriteMode::Append) => {
                match evidence::held_and_then(files, path, &content, ctx)? {
                    PathDigest::Digest(after, size) => (Some(before), after, size),
                    PathDigest::Absent | PathDigest::TooLarge => return Ok(None),
                }
            }
        };
        let output = Output {
            path: evidence::identity_path(path, ctx)?,
            bytes_written: content.len() as u64,
            size,
            created: before.is_none(),
        };
        evidence::of_files(vec![FileDigests::new(path, before, Some(after))], &output)
    }

    fn probe(_: &Args, before: &Value, ctx: &Ctx) -> Result<CallProbe> {
        evidence::probe_change(before, ctx)
    }

    fn narrow(args: &Args) -> EffectReach {
        EffectReach {
            destructive: args.mode == FileWriteMode::Overwrite,
            ..EffectReach::of(&Self::SPEC)
        }
    }

    /// Run in a workspace that has `notes.txt` with 12 bytes, each example in one of its own.
    const EXAMPLES: &'static [JsonExample] = examples! {
        "a new file in a new folder":
            r#"{"path": "out/new.txt", "content": "more\n", "parents": true}"#
            => r#"{"path": "out/new.txt", "bytes_written": 5, "size": 5, "created": true}"#;
        "appending a line": r#"{"path": "notes.txt", "content": "more\n", "mode": "append"}"#
            => r#"{"path": "notes.txt", "bytes_written": 5, "size": 17, "created": false}"#;
        "replacing a file": r#"{"path": "notes.txt", "content": "more\n", "mode": "overwrite"}"#
            => r#"{"path": "notes.txt", "bytes_written": 5, "size": 5, "created": false}"#;
    };
}
