//! Packing files into an archive.

use tool_core::capability::{FileInfo, FileKind, Links, WriteMode};
use tool_core::convert::{from_value, to_value};

use super::limits;
use super::read::Format;
use super::write::Packing;
use crate::files::evidence::{self, Held};
use crate::files::glob::{Below, matcher};
use crate::files::walk::{self, Next};
use crate::prelude::*;

pub(crate) struct ArchiveCreate;

/// Pack a folder or a file of the workspace into a zip or tar archive. The same files give the same bytes: members are sorted, times and
/// owners are left out. Links, and the insides of `.git`, are left out too.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// Path of the new archive, relative to the workspace root.
    pub path: String,
    /// The folder whose content is packed, or one file, relative to the workspace root.
    pub from: String,
    /// Only files whose paths below `from` match: `*` and `?` within one part, `**` over any number; without `/` at any depth.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
    /// Whether files that `.gitignore` names are packed too.
    #[serde(default = "yes")]
    pub ignored: bool,
    /// The format; without it, the ending of `path` says: `.zip`, `.tar`, `.tar.gz`, `.tgz`, `.tar.bz2`, `.tar.xz`, `.tar.zst`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<Format>,
    /// Whether an archive that is there is replaced.
    #[serde(default)]
    pub overwrite: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Output {
    /// Path of the archive, relative to the workspace root.
    pub path: String,
    /// Its format.
    pub format: Format,
    /// Files packed.
    pub files: u64,
    /// Bytes of the files.
    pub total_size: u64,
    /// Bytes of the archive.
    pub archive_size: u64,
    /// Links and other entries that are no files, left out.
    pub skipped: u64,
}

impl Tool for ArchiveCreate {
    const SPEC: Spec = Spec {
        id: "archive_create",
        title: "Pack an archive",
        category: Category::Archive,
        tags: &["archive", "zip", "tar"],
        capabilities: &[Capability::FilesRead, Capability::FilesWrite],
        destructive: true,
        idempotent: false,
        resources: &[
            resource(ResourceKind::Path, "/path", Access::Write),
            resource(ResourceKind::Path, "/from", Access::Read),
        ],
        syntax: &[
            ("/path", Syntax::Path),
            ("/from", Syntax::Tree),
            ("/pattern", Syntax::Pattern),
        ],
        ..crate::files::WRITING
    };
    type Args = Args;
    type Output = Output;

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let (bytes, output) = pack(&args, ctx)?;
        ctx.check()?;
        let mode = if args.overwrite {
            WriteMode::Overwrite
        } else {
            WriteMode::Create
        };
        let info = ctx
            .files()?
            .write(&args.path, &bytes, mode)
            .map_err(|err| match err.is(Reason::Exists) {
                true => err.hint("set `overwrite`, or choose another name"),
                false => err,
            })
            .at("/path")?;
        Ok(Output {
            path: info.path,
            ..output
        })
    }

    fn before(args: &Args, ctx: &Ctx) -> Result<Option<Value>, ToolError> {
        let archive = match evidence::held_by(ctx.files()?, &args.path, ctx)? {
            Held::Absent => None,
            Held::Digest(digest, _) if args.overwrite => Some(digest),
            Held::Digest(..) | Held::TooLarge => return Ok(None),
        };
        to_value(&Before { archive }).map(Some)
    }

    /// The same files give the same bytes, so they are packed once more: nothing has to be packed before the call to tell.
    fn probe(args: &Args, before: &Value, ctx: &Ctx) -> Result<Probe, ToolError> {
        let Ok(Before { archive }) = from_value(before) else {
            return Ok(Probe::Unknown);
        };
        ctx.files()?
            .clear_leftovers(evidence::folder_of(&args.path))?;
        let held = match evidence::held_by(ctx.files()?, &args.path, ctx)? {
            Held::Absent => None,
            Held::Digest(digest, _) => Some(digest),
            Held::TooLarge => return Ok(Probe::Unknown),
        };
        if held == archive {
            return Ok(Probe::NotHappened);
        }
        // Where the files cannot be packed any more, they are others now.
        let Ok((bytes, mut output)) = pack(args, ctx) else {
            return ctx.check().map(|()| Probe::Unknown);
        };
        if held != Some(evidence::digest(&bytes)) {
            return Ok(Probe::Unknown);
        }
        output.path = evidence::shown(&args.path, ctx)?;
        Ok(Probe::Happened(to_value(&output)?))
    }

    fn narrow(args: &Args) -> Reach {
        Reach {
            destructive: args.overwrite,
            ..Reach::of(&Self::SPEC)
        }
    }

    /// Run in a workspace that has `data/a.csv` with 6 bytes and `data/b.txt` with 2.
    const EXAMPLES: &'static [JsonExample] = &[JsonExample {
        title: "a folder",
        args: r#"{"path": "data.tar", "from": "data"}"#,
        output: r#"{
            "path": "data.tar", "format": "tar", "files": 2, "total_size": 8, "archive_size": 3072, "skipped": 0
        }"#,
    }];
}

/// What was at the path before the call.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Before {
    /// The digest of the archive there; `None` where there was nothing.
    archive: Option<String>,
}

/// The archive, and what is said of it, but for its path as results show it.
fn pack(args: &Args, ctx: &Ctx) -> Result<(Vec<u8>, Output), ToolError> {
    let format = match args.format {
        Some(format) => format,
        None => Format::of_path(&args.path).ok_or_else(|| {
            ToolError::invalid("/path", "the ending names no format of archives")
                .hint("end it in `.zip` or `.tar.gz`, or set `format`")
        })?,
    };
    let files = ctx.files()?;
    let own = files.identity(&args.path).at("/path")?.path;
    let (members, skipped) = members(args, &own, ctx)?;
    let mut packing = Packing::begin(format, ctx)?;
    let mut total_size = 0;
    for (name, info) in &members {
        ctx.check()?;
        let (info, mut reader) = files.open(&info.path, Links::Refuse).at("/from")?;
        limits::check_file(info.size).map_err(|fault| too_large(&fault))?;
        total_size += info.size;
        limits::check_total(total_size).map_err(|fault| too_large(&fault))?;
        let executable = info.mode & 0o100 != 0;
        packing
            .file(name, info.size, executable, &mut reader)
            .map_err(|err| failed(ctx, name, &err))?;
    }
    let bytes = packing
        .finish()
        .map_err(|err| failed(ctx, &args.path, &err))?;
    let output = Output {
        path: args.path.clone(),
        format,
        files: members.len() as u64,
        total_size,
        archive_size: bytes.len() as u64,
        skipped,
    };
    Ok((bytes, output))
}

fn too_large(fault: &super::fault::Fault) -> ToolError {
    tool_error!(LimitExceeded, "the files are not packed: {fault}")
        .reason(fault.kind.spelling())
        .at("/from")
        .hint("choose fewer files with `pattern`")
}

/// A stop or a limit that a writer met on its way is passed on as what it was.
fn failed(ctx: &Ctx, name: &str, err: &std::io::Error) -> ToolError {
    if let Err(stopped) = ctx.check() {
        return stopped;
    }
    if let Some(known) = err
        .get_ref()
        .and_then(|err| err.downcast_ref::<ToolError>())
    {
        return known.clone();
    }
    tool_error!(ToolError, "cannot pack `{name}`: {err}")
        .reason("io")
        .hint("a file that changes while it is packed is refused: call again")
        .at("/from")
}

/// The names in the archive and the files, in the order of the names.
fn members(args: &Args, own: &str, ctx: &Ctx) -> Result<(Vec<(String, FileInfo)>, u64), ToolError> {
    let pattern = args
        .pattern
        .as_deref()
        .map(|pattern| matcher(pattern, "/pattern"))
        .transpose()?;
    let info = ctx.files()?.stat(&args.from).at("/from")?;
    let mut members = Vec::new();
    let mut skipped = 0;
    if info.kind == FileKind::Directory {
        let top = walk::top(ctx, &args.from).at("/from")?;
        let below = Below::of(&top);
        let walked = walk::walk(ctx, &top, args.ignored, &mut |entry| {
            let name = below.path(&entry.path);
            let wanted = pattern
                .as_ref()
                .is_none_or(|pattern| pattern.is_match(name));
            match entry.kind {
                FileKind::File if wanted && entry.path != own => {
                    members.push((name.to_owned(), entry.clone()));
                }
                FileKind::Link | FileKind::Other if wanted => skipped += 1,
                _ => {}
            }
            limits::check_members(members.len() as u64).map_err(|fault| too_large(&fault))?;
            Ok(Next::On)
        });
        if walked.map_err(|err| at(err, "/from"))?.unread > 0 {
            return Err(
                ToolError::new(ErrorCode::ToolError, "a folder below cannot be read")
                    .reason("permission")
                    .at("/from")
                    .hint("check its owner and mode"),
            );
        }
    } else {
        let name = info.path.rsplit('/').next().unwrap_or_default().to_owned();
        members.push((name, info));
    }
    if members.is_empty() {
        return Err(ToolError::invalid("/from", "there is no file to pack")
            .reason("empty")
            .hint("`glob` shows what a pattern matches"));
    }
    members.sort_by(|a, b| a.0.cmp(&b.0));
    Ok((members, skipped))
}

fn at(err: ToolError, pointer: &str) -> ToolError {
    if err.path().is_some() {
        err
    } else {
        err.at(pointer)
    }
}
