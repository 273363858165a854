//! Creating an archive.

use super::limits;
use super::read::ArchiveFormat;
use super::write::ArchiveSink;
use crate::files::evidence::{self, PathDigest};
use crate::files::glob::{FolderPrefix, compile_glob};
use crate::files::walk::{self, WalkControl};
use crate::prelude::*;

/// Create a zip or tar archive of a folder or a file of the workspace. The archive is reproducible: members are sorted, times and
/// owners omitted. Links and the content of `.git` are omitted too.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// Path of the new archive, relative to the workspace root.
    pub path: String,
    /// The folder to pack (its content), or one file, relative to the workspace root.
    pub from: String,
    /// Only files whose paths below `from` match: `*` and `?` within one part, `**` over any number; without `/` at any depth.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub pattern: Option<String>,
    /// Whether to include files that `.gitignore` excludes.
    #[value(default = "default_true")]
    pub ignored: bool,
    /// The format; by default the file extension of `path`: `.zip`, `.tar`, `.tar.gz`, `.tgz`, `.tar.bz2`, `.tar.xz`, `.tar.zst`.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub format: Option<ArchiveFormat>,
    /// Whether to replace an existing archive.
    #[value(default)]
    pub overwrite: bool,
}

#[derive(Debug, Encode, Describe)]
pub(crate) struct Output {
    /// Path of the archive, relative to the workspace root.
    pub path: String,
    /// Format of the archive.
    pub format: ArchiveFormat,
    /// Number of packed files.
    pub files: u64,
    /// Total size of the files in bytes.
    pub total_size: u64,
    /// Size of the archive in bytes.
    pub archive_size: u64,
    /// Number of omitted links and special files.
    pub skipped: u64,
}

impl Tool for Args {
    const SPEC: Spec = Spec {
        id: "archive_create",
        title: "Create an archive",
        category: Category::Archive,
        tags: &["archive", "zip", "tar"],
        capabilities: &[Capability::FilesRead, Capability::FilesWrite],
        destructive: true,
        idempotent: false,
        resources: &[
            resource_template(ResourceKind::Path, "/path", Access::Write),
            resource_template(ResourceKind::Path, "/from", Access::Read),
        ],
        syntax: &[
            ("/path", Syntax::Path),
            ("/from", Syntax::Tree),
            ("/pattern", Syntax::Pattern),
        ],
        ..crate::files::WRITING
    };
    type Output = Output;

    fn run(args: Args, ctx: &Ctx) -> Result<Output> {
        let (bytes, output) = pack_archive(&args, ctx)?;
        ctx.check()?;
        let mode = match args.overwrite {
            true => WriteMode::Overwrite,
            false => WriteMode::Create,
        };
        let written = ctx.files()?.write(&args.path, &bytes, mode);
        let written = written.map_err(|err| match err.is(Reason::Exists) {
            true => err.hint("set `overwrite`, or choose another name"),
            false => err,
        });
        let info = written.at("/path")?;
        Ok(Output {
            path: info.path,
            ..output
        })
    }

    fn before(args: &Args, ctx: &Ctx) -> Result<Option<Value>> {
        let archive = match evidence::held_by(ctx.files()?, &args.path, ctx)? {
            PathDigest::Absent => None,
            PathDigest::Digest(digest, _) if args.overwrite => Some(digest),
            PathDigest::Digest(..) | PathDigest::TooLarge => return Ok(None),
        };
        Ok(Some(Value::object([("archive", to_value(&archive)?)])))
    }

    /// Packs the files again: the same files give the same bytes, so that no digest is needed before the call.
    fn probe(args: &Args, before: &Value, ctx: &Ctx) -> Result<CallProbe> {
        let archive = match before.get("archive") {
            Some(archive) => archive.as_str(),
            None => return Ok(CallProbe::Unknown),
        };
        ctx.files()?
            .clear_leftovers(evidence::folder_of(&args.path))?;
        let held = match evidence::held_by(ctx.files()?, &args.path, ctx)? {
            PathDigest::Absent => None,
            PathDigest::Digest(digest, _) => Some(digest),
            PathDigest::TooLarge => return Ok(CallProbe::Unknown),
        };
        if held.as_deref() == archive {
            return Ok(CallProbe::NotHappened);
        }
        // Files that cannot be packed any more have changed.
        let Ok((bytes, mut output)) = pack_archive(args, ctx) else {
            return ctx.check().map(|()| CallProbe::Unknown);
        };
        if held != Some(evidence::content_digest(&bytes)) {
            return Ok(CallProbe::Unknown);
        }
        output.path = evidence::identity_path(&args.path, ctx)?;
        Ok(CallProbe::Happened(to_value(&output)?))
    }

    fn narrow(args: &Args) -> EffectReach {
        EffectReach {
            destructive: args.overwrite,
            ..EffectReach::of(&Self::SPEC)
        }
    }

    /// Run in a workspace that has `data/a.csv` with 6 bytes and `data/b.txt` with 2.
    const EXAMPLES: &'static [JsonExample] = examples! {
        "a folder": r#"{"path": "data.tar", "from": "data"}"# => r#"{
            "path": "data.tar", "format": "tar", "files": 2, "total_size": 8, "archive_size": 3072, "skipped": 0
        }"#;
    };
}

/// Packs the archive; the output lacks the path as results show it.
fn pack_archive(args: &Args, ctx: &Ctx) -> Result<(Vec<u8>, Output)> {
    let format = match args.format {
        Some(format) => format,
        None => ArchiveFormat::of_path(&args.path).ok_or_else(|| {
            tool_error!(InvalidArgs at "/path"; "the file extension names no archive format";
                "use `.zip` or `.tar.gz`, or set `format`")
        })?,
    };
    let files = ctx.files()?;
    let own = files.identity(&args.path).at("/path")?.path;
    let (members, skipped) = collect_members(args, &own, ctx)?;
    let mut packing = ArchiveSink::begin(format, ctx)?;
    let mut total_size = 0;
    for (name, info) in &members {
        ctx.check()?;
        let (info, mut reader) = files.open(&info.path, LinkMode::Refuse).at("/from")?;
        limits::check_file(info.size).map_err(|fault| too_large(&fault))?;
        total_size += info.size;
        limits::check_total(total_size).map_err(|fault| too_large(&fault))?;
        let executable = info.mode & 0o100 != 0;
        packing
            .file(name, info.size, executable, &mut reader)
            .map_err(|err| archive_write_error(ctx, name, err))?;
    }
    let packed = packing.finish();
    let bytes = packed.map_err(|err| archive_write_error(ctx, &args.path, err))?;
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

fn too_large(fault: &super::fault::ArchiveFault) -> ToolError {
    tool_error!(LimitExceeded at "/from", fault.kind.spelling(); "cannot pack the files: {fault}";
        "choose fewer files with `pattern`")
}

/// The error of a writer; a stop or an exceeded limit is returned unchanged.
fn archive_write_error(ctx: &Ctx, name: &str, err: std::io::Error) -> ToolError {
    if let Err(stopped) = ctx.check() {
        return stopped;
    }
    if let Some(known) = err.get_ref().and_then(|err| err.downcast_ref()) {
        return ToolError::clone(known);
    }
    tool_error!(ToolError at "/from", "io"; "cannot pack `{name}`: {err}";
        "a file changed while it was packed: call again")
}

/// The member names with their files, sorted by name.
fn collect_members(args: &Args, own: &str, ctx: &Ctx) -> Result<(Vec<(String, FileInfo)>, u64)> {
    let pattern = args.pattern.as_deref();
    let pattern = pattern.map(|pattern| compile_glob(pattern, "/pattern"));
    let pattern = pattern.transpose()?;
    let info = ctx.files()?.stat(&args.from).at("/from")?;
    let mut members = Vec::new();
    let mut skipped = 0;
    if info.kind == FileKind::Directory {
        let top = walk::resolve_top(ctx, &args.from).at("/from")?;
        let below = FolderPrefix::of(&top);
        let walked = walk::walk_tree(ctx, &top, args.ignored, &mut |entry| {
            let name = below.path(&entry.path);
            let wanted = (pattern.as_ref()).is_none_or(|pattern| pattern.is_match(name));
            match entry.kind {
                FileKind::File if wanted && entry.path != own => {
                    members.push((name.to_owned(), entry.clone()));
                }
                FileKind::Link | FileKind::Other if wanted => skipped += 1,
                _ => {}
            }
            limits::check_members(members.len() as u64).map_err(|fault| too_large(&fault))?;
            Ok(WalkControl::On)
        });
        if walked.at("/from")? > 0 {
            return Err(tool_error!(ToolError at "/from", "permission";
                "cannot read a folder below"; "check its owner and mode"));
        }
    } else {
        let name = info.path.rsplit('/').next().unwrap_or_default().to_owned();
        members.push((name, info));
    }
    if members.is_empty() {
        return Err(tool_error!(InvalidArgs at "/from", "empty";
            "no files to pack"; "`glob` shows what a pattern matches"));
    }
    members.sort_by(|a, b| a.0.cmp(&b.0));
    Ok((members, skipped))
}
