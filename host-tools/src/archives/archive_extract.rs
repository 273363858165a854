//! Extracting an archive into a folder.

use std::collections::BTreeSet;
use std::io::{self, Read, Write};

use super::fault::{ArchiveError, ArchiveFault};
use super::limits::{self, BUFFER, MEMBERS_MAX};
use super::names::MemberNames;
use super::read::{ArchiveMember, MemberKind, OpenArchive, WalkControl};
use super::select::{MemberSelection, no_member};
use crate::prelude::*;

/// Maximum files listed in a result.
const LISTED_MAX: usize = 1000;

/// Extract an archive of the workspace (zip, tar, 7z) into a new folder: all members, or the files selected by a pattern or a list.
/// Links, devices, names that lead out of the folder, conflicting names and zip bombs are refused; then nothing is written.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// Path of the archive, relative to the workspace root.
    pub path: String,
    /// The target folder, relative to the workspace root. It must not exist, or be empty.
    pub to: String,
    /// Only files whose names match: `*` and `?` match within a part, `**` any number of parts; a pattern without `/` matches at any depth.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub pattern: Option<String>,
    /// Only the files of these names; each must exist in the archive.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub files: Option<Vec<String>>,
}

#[derive(Debug, Default, Encode, Describe)]
pub(crate) struct Output {
    /// The folder, relative to the workspace root.
    pub to: String,
    /// Number of extracted files.
    pub extracted: u64,
    /// Number of files not selected.
    pub skipped: u64,
    /// Total size of the extracted files in bytes.
    pub bytes: u64,
    /// Paths of the files below `to`, in archive order; the first thousand.
    pub files: Vec<String>,
}

impl Tool for Args {
    const SPEC: Spec = Spec {
        id: "archive_extract",
        title: "Extract an archive",
        category: Category::Archive,
        tags: &["archive", "zip", "tar"],
        capabilities: &[Capability::FilesRead, Capability::FilesWrite],
        idempotent: false,
        resources: &[
            resource_template(ResourceKind::Path, "/path", Access::Read),
            resource_template(ResourceKind::Path, "/to", Access::Write),
        ],
        syntax: &[
            ("/path", Syntax::Path),
            ("/to", Syntax::Tree),
            ("/files", Syntax::Member),
            ("/pattern", Syntax::Pattern),
        ],
        ..crate::files::WRITING
    };
    type Output = Output;

    fn run(args: Args, ctx: &Ctx) -> Result<Output> {
        let mut archive = OpenArchive::at_path(&args.path, 0, ctx)?;
        let draft = ctx.files()?.draft(&args.to);
        let mut draft = draft.at("/to")?;
        let output = unpack_members(&args, &mut archive, draft.as_mut(), ctx)?;
        ctx.check()?;
        draft.finish().at("/to")?;
        Ok(output)
    }

    fn before(args: &Args, ctx: &Ctx) -> Result<Option<Value>> {
        let free = is_free(&args.to, ctx)?;
        Ok(free.then(|| Value::object([("free", true)])))
    }

    /// The folder gets its name when it is complete, so nothing was extracted if it is still free. Otherwise its content is compared
    /// with the archive.
    fn probe(args: &Args, before: &Value, ctx: &Ctx) -> Result<CallProbe> {
        if before.get("free").and_then(Value::as_bool) != Some(true) {
            return Ok(CallProbe::Unknown);
        }
        // The incomplete folder is beside its target.
        ctx.files()?
            .clear_leftovers(crate::files::evidence::folder_of(&args.to))?;
        if is_free(&args.to, ctx)? {
            return Ok(CallProbe::NotHappened);
        }
        let mut existing = ExistingFolder::new(ctx.files()?, &args.to);
        let unpacked = OpenArchive::at_path(&args.path, 0, ctx)
            .and_then(|mut archive| unpack_members(args, &mut archive, &mut existing, ctx));
        match unpacked {
            Ok(output) if existing.is_complete(output.extracted, output.bytes, ctx)? => {
                to_value(&output).map(CallProbe::Happened)
            }
            Ok(_) => Ok(CallProbe::Unknown),
            Err(_) => ctx.check().map(|()| CallProbe::Unknown),
        }
    }

    /// Run in a workspace that has `bundle.zip`, with `a.txt` (6 bytes) and `d/b.csv` (4 bytes).
    const EXAMPLES: &'static [JsonExample] = examples! {
        "one file of an archive": r#"{"path": "bundle.zip", "to": "unpacked", "pattern": "*.csv"}"#
            => r#"{"to": "unpacked", "extracted": 1, "skipped": 1, "bytes": 4, "files": ["d/b.csv"]}"#;
    };
}

/// Whether the target folder does not exist or is empty.
fn is_free(to: &str, ctx: &Ctx) -> Result<bool> {
    let files = ctx.files()?;
    match files.stat(to) {
        Ok(info) if info.kind == FileKind::Directory => {
            let (inside, _) = files.list(to, false, 1, ctx.stop())?;
            Ok(inside.is_empty())
        }
        Ok(_) => Ok(false),
        Err(err) if err.is(Reason::NotFound) => Ok(true),
        Err(err) => Err(err),
    }
}

/// Writes the selected members of an archive to a folder.
fn unpack_members(
    args: &Args,
    archive: &mut OpenArchive<'_>,
    draft: &mut dyn DraftFolder,
    ctx: &Ctx,
) -> Result<Output> {
    let mut unpacking = ArchiveExtraction {
        draft,
        selection: MemberSelection::of(args.pattern.as_deref(), args.files.as_deref())?,
        names: MemberNames::default(),
        found: BTreeSet::new(),
        buffer: vec![0; BUFFER],
        output: Output {
            to: args.to.clone(),
            ..Output::default()
        },
    };
    archive.each(&mut |member, content| unpacking.member(member, content, ctx))?;
    if let MemberSelection::Names(names) = &unpacking.selection
        && let Some(name) = names.difference(&unpacking.found).next()
    {
        return Err(no_member("/files", name));
    }
    if unpacking.output.extracted == 0 && !matches!(unpacking.selection, MemberSelection::All) {
        return Err(tool_error!(InvalidArgs at "/pattern", "no_member";
            "no file of the archive matches"; "`archive_open` lists the members"));
    }
    Ok(unpacking.output)
}

struct ArchiveExtraction<'d> {
    draft: &'d mut dyn DraftFolder,
    selection: MemberSelection,
    names: MemberNames,
    found: BTreeSet<String>,
    buffer: Vec<u8>,
    output: Output,
}

impl ArchiveExtraction<'_> {
    fn member(
        &mut self,
        member: &ArchiveMember,
        content: &mut dyn Read,
        ctx: &Ctx,
    ) -> Result<WalkControl, ArchiveError> {
        ctx.check()?;
        if !self.chosen(member) {
            self.output.skipped += u64::from(member.kind != MemberKind::Folder);
            return Ok(WalkControl::On);
        }
        let Some(path) = self.names.check(member)? else {
            return Ok(WalkControl::On);
        };
        if member.kind == MemberKind::Folder {
            self.draft.make_folder(&path)?;
            return Ok(WalkControl::On);
        }
        let mut file = self.draft.make_file(&path, member.executable)?;
        let bytes = copy_member(content, file.as_mut(), &mut self.buffer, &path).map_err(
            |halt| match halt {
                ArchiveError::Fault(fault) => fault.of(&member.name).into(),
                halt => halt,
            },
        )?;
        self.output.bytes += bytes;
        limits::check_total(self.output.bytes)?;
        self.output.extracted += 1;
        if self.output.files.len() < LISTED_MAX {
            self.output.files.push(path.clone());
        }
        if matches!(self.selection, MemberSelection::Names(_)) {
            self.found.insert(path);
        }
        Ok(WalkControl::On)
    }

    /// Without a selection, folders are included; a selection applies to files only.
    fn chosen(&self, member: &ArchiveMember) -> bool {
        match self.selection {
            MemberSelection::All => true,
            _ if member.kind == MemberKind::Folder => false,
            _ => self
                .selection
                .takes(&super::select::normalise_name(&member.name)),
        }
    }
}

/// Copies a member; a read error is a fault of the archive, a write error one of the disk.
fn copy_member(
    content: &mut dyn Read,
    file: &mut dyn Write,
    buffer: &mut [u8],
    path: &str,
) -> Result<u64, ArchiveError> {
    let mut bytes = 0;
    loop {
        let count = match content.read(buffer) {
            Ok(0) => return Ok(bytes),
            Ok(count) => count,
            Err(err) if err.kind() == io::ErrorKind::Interrupted => continue,
            Err(err) => return Err(ArchiveFault::from(err).into()),
        };
        bytes += count as u64;
        limits::check_file(bytes)?;
        file.write_all(&buffer[..count]).map_err(|err| {
            tool_error!(ToolError at "/to", "io"; "cannot write `{path}`: {err}";
                "check the free space with `disk_usage`; nothing was written")
        })?;
    }
}

/// Accepts the content of an archive as a draft, and fails where the folder differs.
struct ExistingFolder<'f> {
    files: &'f dyn WorkspaceFiles,
    folder: &'f str,
    /// Sizes of the compared files. Each has at least the content to write, so all are equal to it when the sizes add up to the
    /// total of the archive.
    bytes: u64,
}

impl<'f> ExistingFolder<'f> {
    fn new(files: &'f dyn WorkspaceFiles, folder: &'f str) -> Self {
        Self {
            files,
            folder,
            bytes: 0,
        }
    }

    /// Whether the folder has exactly so many files, with so many bytes.
    fn is_complete(&self, count: u64, bytes: u64, ctx: &Ctx) -> Result<bool> {
        let most = usize::try_from(MEMBERS_MAX).unwrap_or(usize::MAX);
        let (found, more) = self.files.list(self.folder, true, 2 * most, ctx.stop())?;
        let others = found.iter().filter(|one| one.kind != FileKind::Directory);
        Ok(!more && others.count() as u64 == count && self.bytes == bytes)
    }

    fn path(&self, path: &str) -> String {
        format!("{}/{path}", self.folder.trim_end_matches('/'))
    }
}

impl DraftFolder for ExistingFolder<'_> {
    fn make_folder(&mut self, path: &str) -> Result<()> {
        match self.files.stat(&self.path(path))?.kind {
            FileKind::Directory => Ok(()),
            _ => Err(differing_file_error(path)),
        }
    }

    fn make_file(&mut self, path: &str, _: bool) -> Result<Box<dyn Write + Send>> {
        let (info, reader) = self.files.open(&self.path(path), LinkMode::Refuse)?;
        self.bytes += info.size;
        Ok(Box::new(CompareWriter(reader)))
    }

    fn finish(self: Box<Self>) -> Result<()> {
        Ok(())
    }
}

fn differing_file_error(path: &str) -> ToolError {
    tool_error!(Conflict, "`{path}` differs from the archive")
}

/// A file that is compared with the bytes written to it.
struct CompareWriter(Box<dyn FileReader>);

impl Write for CompareWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut held = vec![0; bytes.len()];
        self.0.read_exact(&mut held)?;
        match held == bytes {
            true => Ok(bytes.len()),
            false => Err(io::Error::other("its content differs")),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
