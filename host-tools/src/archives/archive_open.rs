//! Inspecting an archive.

use std::collections::BTreeMap;
use std::io::Read;

use super::fault::{ArchiveError, ArchiveFault, FaultKind, escape_name};
use super::limits;
use super::names::MemberNames;
use super::read::{ArchiveFormat, ArchiveMember, MemberKind, OpenArchive, WalkControl};
use crate::prelude::*;

/// Extensions of archives.
const ARCHIVES: &str = "zip tar tgz tbz2 txz tzst gz bz2 xz zst 7z rar jar whl docx xlsx pptx odt epub cab iso deb rpm";
/// Maximum problems listed.
const PROBLEMS_MAX: usize = 100;
/// Up to these numbers of files and bytes the recommendation is to extract everything.
const FEW_FILES: u64 = 20;
const FEW_BYTES: u64 = 5_000_000;
/// Beyond this number of files the recommendation is to search.
const MANY_FILES: u64 = 100;

/// Inspect an archive of the workspace and report its problems without extracting it to disk: zip, tar (also compressed with gz, bz2,
/// xz or zst) and 7z, detected by content. Nested archives are listed, not opened.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// Path of the archive, relative to the workspace root.
    pub path: String,
    /// Whether to decompress every member in memory, which detects wrong sizes and checksums.
    #[value(default = "default_true")]
    pub verify: bool,
    /// Maximum members listed, 0 to 10000; `truncated` reports whether there are more.
    #[value(default = "BoundedInteger::<0, 10_000>::of::<100>")]
    pub limit: BoundedInteger<0, 10_000>,
}

#[derive(Debug, Default, Encode, Describe)]
pub(crate) struct Output {
    /// Format; absent if the file is not an archive.
    #[value(skip_encoding_if = "Option::is_none")]
    pub format: Option<ArchiveFormat>,
    /// Verdict on the archive.
    pub status: ArchiveStatus,
    /// The problems found; the first hundred.
    pub problems: Vec<ArchiveFault>,
    /// Number of files.
    pub total_files: u64,
    /// Number of folders.
    pub total_folders: u64,
    /// Total decompressed size of the files in bytes.
    pub total_size: u64,
    /// Size of the archive in bytes.
    pub archive_size: u64,
    /// Number of files by lower-case extension; files without one under the empty name.
    pub types: BTreeMap<String, u64>,
    /// Names of files that are archives themselves.
    pub nested_archives: Vec<String>,
    /// Suggested next step.
    pub recommendation: ArchiveAdvice,
    /// The first files.
    pub files: Vec<ArchiveFile>,
    /// Whether there are more files than `files` lists.
    pub truncated: bool,
}

/// Verdict on an archive; the number is its severity, and the most severe one decides.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Encode, Describe)]
#[value(rename_all = "snake_case")]
pub(crate) enum ArchiveStatus {
    /// No problems.
    #[default]
    Valid = 0,
    /// Some member or name is unsafe.
    Suspicious = 4,
    /// Not an archive, damaged, or compressed by an unsupported method.
    Invalid = 1,
    /// A size or the compression ratio exceeds the limits.
    TooLarge = 3,
    /// The number of members exceeds the limit.
    TooManyFiles = 2,
}

/// Suggested next step for an archive.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Encode, Describe)]
#[value(rename_all = "snake_case")]
pub(crate) enum ArchiveAdvice {
    /// A small archive: extract it.
    #[default]
    ExtractAll,
    /// Choose from the list of files.
    SelectFiles,
    /// Many files: search, or select by pattern.
    Summarize,
    /// Do not extract it.
    Refuse,
}

/// One file of an archive.
#[derive(Debug, PartialEq, Eq, Encode, Describe)]
pub(crate) struct ArchiveFile {
    /// Name.
    pub name: String,
    /// Decompressed size in bytes.
    pub size: u64,
}

impl Tool for Args {
    const SPEC: Spec = crate::files::READING
        .with_name("archive_open", "Inspect an archive")
        .category(Category::Archive)
        .tags(&["archive", "zip", "tar"]);
    type Output = Output;

    fn run(args: Args, ctx: &Ctx) -> Result<Output> {
        ctx.reserve(limits::MEMORY_MAX)?;
        let (info, reader) = ctx
            .files()?
            .open(&args.path, LinkMode::Follow)
            .at("/path")?;
        let mut manifest = ArchiveInspection {
            limit: args.limit.size(),
            names: MemberNames::default(),
            output: Output {
                archive_size: info.size,
                ..Output::default()
            },
        };
        match OpenArchive::open(reader, ctx.stop()) {
            Err(fault) => manifest.problem(fault),
            Ok(mut archive) => {
                manifest.output.format = Some(archive.format);
                let walked = archive.each(&mut |member, content| {
                    manifest.member(member, content, args.verify);
                    ctx.check()?;
                    Ok(WalkControl::On)
                });
                match walked {
                    Err(ArchiveError::Fault(fault)) => manifest.problem(fault),
                    walked => walked?,
                }
            }
        }
        Ok(manifest.finish())
    }

    /// Run in a workspace that has `notes.txt`, which is not an archive.
    const EXAMPLES: &'static [JsonExample] = examples! {
        "a file that is not an archive": r#"{"path": "notes.txt"}"# => r#"{
            "status": "invalid",
            "problems": [{"kind": "not_an_archive", "message": "its content is not of a known format"}],
            "total_files": 0, "total_folders": 0, "total_size": 0, "archive_size": 12, "types": {},
            "nested_archives": [], "recommendation": "refuse", "files": [], "truncated": false
        }"#;
    };
}

/// The findings so far.
struct ArchiveInspection {
    limit: usize,
    names: MemberNames,
    output: Output,
}

impl ArchiveInspection {
    fn problem(&mut self, fault: ArchiveFault) {
        self.output.status = self.output.status.max(status_of(fault.kind));
        let problems = &mut self.output.problems;
        if problems.len() < PROBLEMS_MAX && !problems.contains(&fault) {
            problems.push(fault);
        }
    }

    fn member(&mut self, member: &ArchiveMember, content: &mut dyn Read, verify: bool) {
        if let Err(fault) = self.names.check(member) {
            self.problem(fault);
        }
        if member.kind == MemberKind::Folder {
            self.output.total_folders += 1;
            return;
        }
        let output = &mut self.output;
        output.total_files += 1;
        output.total_size = output.total_size.saturating_add(member.size);
        let name = escape_name(&member.name);
        let ending = file_extension(&name);
        if ARCHIVES.split(' ').any(|known| known == ending) {
            output.nested_archives.push(name.clone());
        }
        *output.types.entry(ending).or_default() += 1;
        if output.files.len() < self.limit {
            output.files.push(ArchiveFile {
                name,
                size: member.size,
            });
        } else {
            output.truncated = true;
        }
        if verify
            && member.kind == MemberKind::File
            && !member.encrypted
            && let Err(err) = std::io::copy(content, &mut std::io::sink())
        {
            self.problem(ArchiveFault::from(err).of(&member.name));
        }
    }

    fn finish(mut self) -> Output {
        let output = &self.output;
        self.output.recommendation = match (output.status, output.total_files) {
            (ArchiveStatus::Valid, ..=FEW_FILES) if output.total_size <= FEW_BYTES => {
                ArchiveAdvice::ExtractAll
            }
            (ArchiveStatus::Valid, ..=MANY_FILES) => ArchiveAdvice::SelectFiles,
            (ArchiveStatus::Valid, _) => ArchiveAdvice::Summarize,
            _ => ArchiveAdvice::Refuse,
        };
        self.output
    }
}

fn status_of(kind: FaultKind) -> ArchiveStatus {
    match kind {
        FaultKind::NotAnArchive
        | FaultKind::Unsupported
        | FaultKind::Truncated
        | FaultKind::Corrupt
        | FaultKind::Encrypted => ArchiveStatus::Invalid,
        FaultKind::TooManyFiles => ArchiveStatus::TooManyFiles,
        FaultKind::TooLarge | FaultKind::FileTooLarge | FaultKind::Bomb | FaultKind::Memory => {
            ArchiveStatus::TooLarge
        }
        _ => ArchiveStatus::Suspicious,
    }
}

fn file_extension(name: &str) -> String {
    let base = name.rsplit('/').next().unwrap_or_default();
    match base.rsplit_once('.') {
        Some((front, ending)) if !front.is_empty() && ending.len() <= 16 => ending.to_lowercase(),
        _ => String::new(),
    }
}
