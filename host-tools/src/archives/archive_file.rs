//! Reading one file of an archive.

use std::io::Read;

use super::fault::{ArchiveFault, FaultKind};
use super::names::MemberNames;
use super::read::{MemberKind, OpenArchive, WalkControl};
use super::select::{no_member, normalise_name};
use crate::files::TextEncoding;
use crate::prelude::*;

/// Maximum bytes that one call reads.
const BYTES_MAX: i64 = 64 << 20;

/// Read one file of an archive (zip, tar, 7z) as text, or as base64, without extracting it to disk. Long files are cut at
/// `max_bytes`, which `truncated` reports.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// Path of the archive, relative to the workspace root.
    pub path: String,
    /// Name of the file in the archive.
    pub filename: String,
    /// Text encoding of the file; `base64` accepts any bytes.
    #[value(default)]
    pub encoding: TextEncoding,
    /// Maximum bytes to read, 1 to 67108864.
    #[value(default = "BoundedInteger::<1, BYTES_MAX>::of::<1_000_000>")]
    pub max_bytes: BoundedInteger<1, BYTES_MAX>,
}

#[derive(Debug, Encode, Describe)]
pub(crate) struct Output {
    /// Name of the file in the archive.
    pub filename: String,
    /// The text of the file, or its beginning.
    pub content: String,
    /// The encoding used.
    pub encoding: TextEncoding,
    /// Size of the whole file in bytes, as stated in the archive.
    pub size: u64,
    /// Whether the file continues after `content`.
    pub truncated: bool,
}

impl Tool for Args {
    const SPEC: Spec = crate::files::READING
        .with_name("archive_file", "Read a file of an archive")
        .category(Category::Archive)
        .tags(&["archive", "zip", "tar", "text"])
        .syntax(&[("/path", Syntax::Path), ("/filename", Syntax::Member)]);
    type Output = Output;

    fn run(args: Args, ctx: &Ctx) -> Result<Output> {
        let bytes_max = args.max_bytes.get().unsigned_abs();
        let wanted = normalise_name(&args.filename);
        let mut found: Option<(Vec<u8>, u64)> = None;
        let mut names = MemberNames::default();
        // Visits all members: other programs would read a second file of the same name.
        let memory = bytes_max.saturating_mul(3);
        OpenArchive::at_path(&args.path, memory, ctx)?.each(&mut |member, content| {
            ctx.check()?;
            if normalise_name(&member.name) != wanted || member.kind == MemberKind::Folder {
                return Ok(WalkControl::On);
            }
            names.check(member)?;
            let mut bytes = Vec::new();
            content
                .take(bytes_max + 1)
                .read_to_end(&mut bytes)
                .map_err(|err| ArchiveFault::from(err).of(&member.name))?;
            if found.replace((bytes, member.size)).is_some() {
                return Err(
                    ArchiveFault::new(FaultKind::Duplicate, "the name occurs twice").into(),
                );
            }
            Ok(WalkControl::On)
        })?;
        let Some((mut bytes, size)) = found else {
            return Err(no_member("/filename", &args.filename));
        };
        let truncated = bytes.len() as u64 > bytes_max;
        bytes.truncate(bytes_max as usize);
        let decoded = args.encoding.decode(bytes, truncated);
        Ok(Output {
            filename: wanted,
            content: decoded.at("/encoding")?.0,
            encoding: args.encoding,
            size,
            truncated,
        })
    }

    /// Run in a workspace that has `bundle.zip`, with `a.txt`.
    const EXAMPLES: &'static [JsonExample] = examples! {
        "a text file": r#"{"path": "bundle.zip", "filename": "a.txt"}"# => r#"{
            "filename": "a.txt", "content": "hello\n", "encoding": "utf-8", "size": 6, "truncated": false
        }"#;
    };
}
