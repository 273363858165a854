//! Reading a file.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tool_core::{
    Access, Bounded, Caller, Capability, Category, Ctx, Determinism, Example, Permission,
    ResourceKind, ResourceTemplate, Spec, Syntax, Tool, ToolError,
};

use super::Encoding;

/// Largest number of bytes one call reads.
const BYTES_MAX: i64 = 256 << 20;

/// Reads a file of the workspace.
pub struct ReadFile;

/// Read a file of the workspace as text, or as base64. Long files are cut at `max_bytes`, and `truncated` says so.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    /// Path of the file, relative to the workspace root (an absolute path beneath the root is taken too). Links are followed
    /// as long as they stay in the workspace.
    pub path: String,
    /// How the bytes become text. A file that is not of the encoding is an error; `base64` takes any bytes.
    #[serde(default)]
    pub encoding: Encoding,
    /// Most bytes read, 1 to 268435456.
    #[serde(default = "default_max_bytes")]
    pub max_bytes: Bounded<1, BYTES_MAX>,
}

fn default_max_bytes() -> Bounded<1, BYTES_MAX> {
    Bounded::literal(1_000_000)
}

/// The result.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The text of the file, or of its beginning.
    pub content: String,
    /// How the bytes became text.
    pub encoding: Encoding,
    /// Size of the whole file in bytes.
    pub size: u64,
    /// Whether the file has more than `content`.
    pub truncated: bool,
    /// Last change, in seconds since 1970-01-01 UTC.
    pub modified: f64,
    /// Path relative to the workspace root.
    pub path: String,
}

impl Tool for ReadFile {
    const SPEC: Spec = Spec {
        id: "read_file",
        title: "Read a file",
        category: Category::System,
        tags: &["file", "text"],
        permissions: &[Permission::Filesystem],
        capabilities: &[Capability::FilesRead],
        determinism: Determinism::External,
        callers: &[Caller::Direct, Caller::Chain],
        resources: &[ResourceTemplate {
            kind: ResourceKind::Path,
            pointer: "/path",
            access: Access::Read,
        }],
        syntax: &[("/path", Syntax::Path)],
        ..Spec::pure()
    };
    type Args = Args;
    type Output = Output;

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let bytes_max = args.max_bytes.get().unsigned_abs();
        // The bytes and their text.
        ctx.reserve(bytes_max.saturating_mul(3))?;
        let content = ctx
            .files()?
            .read(&args.path, bytes_max)
            .map_err(|err| err.at("/path"))?;
        ctx.check()?;
        let text = args
            .encoding
            .decode(&content.bytes, content.truncated)
            .map_err(|err| err.at("/encoding"))?;
        Ok(Output {
            content: text,
            encoding: args.encoding,
            size: content.info.size.max(content.bytes.len() as u64),
            truncated: content.truncated,
            modified: content.info.modified_s,
            path: content.info.path,
        })
    }

    /// Run in a workspace that has `notes.txt`, 12 bytes of text, last changed at second 1,700,000,000.
    fn examples() -> Vec<Example<Args, Output>> {
        let output = |content: &str, encoding, truncated| Output {
            content: content.to_owned(),
            encoding,
            size: 12,
            truncated,
            modified: 1_700_000_000.0,
            path: "notes.txt".to_owned(),
        };
        let args = |encoding, max_bytes| Args {
            path: "notes.txt".to_owned(),
            encoding,
            max_bytes,
        };
        vec![
            Example {
                title: "a short text",
                args: args(Encoding::Utf8, default_max_bytes()),
                output: output("hello world\n", Encoding::Utf8, false),
            },
            Example {
                title: "the first five bytes as they are",
                args: args(Encoding::Base64, Bounded::literal(5)),
                output: output("aGVsbG8=", Encoding::Base64, true),
            },
        ]
    }
}
