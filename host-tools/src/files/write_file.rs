//! Writing a file.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tool_core::capability::WriteMode;
use tool_core::tool::Reach;
use tool_core::{
    Access, Caller, Capability, Category, Ctx, Determinism, Effect, ErrorCode, Example, Input,
    Permission, ResourceKind, ResourceTemplate, Spec, Syntax, Text, Tool, ToolError,
};

use super::Encoding;

/// Writes a file of the workspace.
pub struct WriteFile;

/// Write a text, or bytes given in base64, to a file of the workspace: whole or not at all, and on disk before the answer.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    /// Path of the file, relative to the workspace root (an absolute path beneath the root is taken too). Links are never
    /// followed; repository, state and configuration are never written.
    pub path: String,
    /// What is written: a text, or `{"$file": path}` to copy a text file.
    pub content: Input<Text>,
    /// What becomes of a file that is there: `create` refuses, `append` adds at its end, `overwrite` replaces it.
    #[serde(default)]
    pub mode: Mode,
    /// Whether missing folders on the way are made.
    #[serde(default)]
    pub parents: bool,
    /// How the text becomes bytes; `base64` writes the bytes that the content spells.
    #[serde(default)]
    pub encoding: Encoding,
}

/// What becomes of a file that is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// The file must not exist.
    #[default]
    Create,
    /// The content goes to its end; also spelled `a`.
    #[serde(alias = "a")]
    Append,
    /// It is replaced; also spelled `w`.
    #[serde(alias = "w")]
    Overwrite,
}

/// The result.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Path relative to the workspace root.
    pub path: String,
    /// Bytes written.
    pub bytes_written: u64,
    /// Size of the file afterwards, in bytes.
    pub size: u64,
    /// Whether the file is new.
    pub created: bool,
}

impl Tool for WriteFile {
    const SPEC: Spec = Spec {
        id: "write_file",
        title: "Write a file",
        category: Category::System,
        tags: &["file", "text"],
        effects: &[Effect::ModifiesFiles],
        permissions: &[Permission::Filesystem],
        capabilities: &[Capability::FilesWrite],
        destructive: true,
        idempotent: false,
        determinism: Determinism::External,
        callers: &[Caller::Direct, Caller::Chain],
        resources: &[ResourceTemplate {
            kind: ResourceKind::Path,
            pointer: "/path",
            access: Access::Write,
        }],
        syntax: &[("/path", Syntax::Path)],
        ..Spec::pure()
    };
    type Args = Args;
    type Output = Output;

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let text = args.content.load(ctx)?;
        ctx.reserve((text.len() as u64).saturating_mul(2))?;
        let content = args
            .encoding
            .encode(&text)
            .map_err(|err| err.at("/content"))?;
        let files = ctx.files()?;
        let write = |mode| files.write(&args.path, &content, mode);
        ctx.check()?;
        if args.parents
            && let Some((folder, _)) = args.path.rsplit_once('/')
            && !folder.is_empty()
        {
            files.make_folder(folder).map_err(|err| err.at("/path"))?;
        }
        // Creating first tells a new file from an old one without a look beforehand that could be out of date.
        let (written, created) = match (write(WriteMode::Create), args.mode) {
            (Err(err), Mode::Append) if err.code() == ErrorCode::Conflict => {
                (write(WriteMode::Append), false)
            }
            (Err(err), Mode::Overwrite) if err.code() == ErrorCode::Conflict => {
                (write(WriteMode::Overwrite), false)
            }
            (written, _) => (written, true),
        };
        let info = written.map_err(|err| err.at("/path"))?;
        Ok(Output {
            path: info.path,
            bytes_written: content.len() as u64,
            size: info.size,
            created,
        })
    }

    fn narrow(args: &Args) -> Reach {
        Reach {
            effects: Self::SPEC.effects,
            destructive: args.mode == Mode::Overwrite,
        }
    }

    /// Run in a workspace that has `notes.txt` with 12 bytes, each example in one of its own.
    fn examples() -> Vec<Example<Args, Output>> {
        let args = |path: &str, mode, parents| Args {
            path: path.to_owned(),
            content: Input::inline("more\n"),
            mode,
            parents,
            encoding: Encoding::Utf8,
        };
        let output = |path: &str, size, created| Output {
            path: path.to_owned(),
            bytes_written: 5,
            size,
            created,
        };
        vec![
            Example {
                title: "a new file in a new folder",
                args: args("out/new.txt", Mode::Create, true),
                output: output("out/new.txt", 5, true),
            },
            Example {
                title: "a line at the end",
                args: args("notes.txt", Mode::Append, false),
                output: output("notes.txt", 17, false),
            },
            Example {
                title: "a file replaced",
                args: args("notes.txt", Mode::Overwrite, false),
                output: output("notes.txt", 5, false),
            },
        ]
    }
}
