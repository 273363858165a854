//! Faults of archives.

use std::fmt;
use std::io;

use crate::argument::is_invisible;
use crate::prelude::*;

/// Kinds of faults; also the `reason` of an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Encode, Describe)]
#[value(rename_all = "snake_case")]
pub(crate) enum FaultKind {
    /// The file is not an archive of a known format.
    NotAnArchive,
    /// It uses an unsupported feature: another method, several volumes, sparse files.
    Unsupported,
    /// It ends early.
    Truncated,
    /// A checksum or a structure is wrong.
    Corrupt,
    /// A header contradicts another header or the content.
    LyingHeader,
    /// Two members share bytes of the archive.
    Overlap,
    /// It needs a password.
    Encrypted,
    /// A name begins with `/`.
    AbsoluteName,
    /// A name contains `..`.
    ParentName,
    /// A name contains a backslash.
    Backslash,
    /// A name begins with a drive letter.
    DriveLetter,
    /// A name contains a control character.
    ControlCharacter,
    /// A name contains an invisible or direction-changing character.
    InvisibleCharacter,
    /// A name is not valid text.
    NameEncoding,
    /// A name is empty or too long.
    NameLength,
    /// A name has too many parts.
    Depth,
    /// A name is protected: tools never write it.
    ProtectedName,
    /// A name occurs twice.
    Duplicate,
    /// Two names differ only in case or in Unicode normalization.
    CaseClash,
    /// A name is used as a file and as a folder.
    FileAndFolder,
    /// A member is a symbolic or hard link.
    Link,
    /// A member is a device, a pipe or another special file.
    Special,
    /// A file has the setuid or setgid bit.
    Setuid,
    /// Data follows the end of the archive.
    TrailingData,
    /// The compression ratio is too high.
    Bomb,
    /// It has too many members.
    TooManyFiles,
    /// The total size of the members is too large.
    TooLarge,
    /// One member is too large.
    FileTooLarge,
    /// Decompression needs too much memory.
    Memory,
}

impl FaultKind {
    /// The spelling in results and as the reason of an error.
    pub(super) fn spelling(self) -> String {
        let spelled = to_value(&self).ok();
        spelled
            .and_then(|name| name.as_str().map(str::to_owned))
            .unwrap_or_default()
    }

    fn code(self) -> ErrorCode {
        match self {
            Self::Bomb
            | Self::TooManyFiles
            | Self::TooLarge
            | Self::FileTooLarge
            | Self::Memory
            | Self::Depth => ErrorCode::LimitExceeded,
            _ => ErrorCode::InvalidArgs,
        }
    }
}

/// One problem of an archive.
#[derive(Debug, Clone, PartialEq, Eq, Encode, Describe)]
pub(crate) struct ArchiveFault {
    /// Kind of problem; also the `reason` of the error on extraction.
    pub(super) kind: FaultKind,
    /// The affected member; invisible characters in its name are escaped.
    #[value(skip_encoding_if = "Option::is_none")]
    pub(super) member: Option<String>,
    /// Description of the problem.
    pub(super) message: String,
}

impl ArchiveFault {
    pub(super) fn new(kind: FaultKind, message: impl fmt::Display) -> Self {
        Self {
            kind,
            member: None,
            message: message.to_string(),
        }
    }

    pub(super) fn corrupt(message: &str) -> Self {
        Self::new(FaultKind::Corrupt, message)
    }

    /// A header that contradicts another header or the content.
    pub(super) fn lying(message: &str) -> Self {
        Self::new(FaultKind::LyingHeader, message)
    }

    pub(super) fn unsupported(message: impl fmt::Display) -> Self {
        Self::new(FaultKind::Unsupported, message)
    }

    pub(super) fn truncated() -> Self {
        Self::new(FaultKind::Truncated, "the archive ends early")
    }

    pub(super) fn encrypted() -> Self {
        Self::new(FaultKind::Encrypted, "it is encrypted")
    }

    pub(super) fn of(mut self, member: &str) -> Self {
        self.member.get_or_insert_with(|| abbreviate_name(member));
        self
    }

    pub(super) fn into_io(self) -> io::Error {
        io::Error::other(self)
    }
}

impl fmt::Display for ArchiveFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.member {
            Some(member) => write!(f, "`{member}`: {}", self.message),
            None => f.write_str(&self.message),
        }
    }
}

impl std::error::Error for ArchiveFault {}

impl From<io::Error> for ArchiveFault {
    /// Unwraps a fault that a decoder passed through; any other error means damaged data.
    fn from(err: io::Error) -> Self {
        const MEMORY: &str = "decompression needs more than 128 MiB of memory";
        let (kind, words) = (err.kind(), err.to_string());
        let memory = kind == io::ErrorKind::OutOfMemory
            || words.contains("memory")
            || words.contains("Frame requires too much");
        err.downcast::<Self>().unwrap_or_else(|_| match kind {
            io::ErrorKind::UnexpectedEof => Self::truncated(),
            _ if memory => Self::new(FaultKind::Memory, MEMORY),
            _ => Self::corrupt(&format!("the compressed data is damaged: {words}")),
        })
    }
}

impl From<ArchiveFault> for ToolError {
    fn from(fault: ArchiveFault) -> Self {
        let hint = match fault.kind {
            FaultKind::NotAnArchive => {
                "supported: zip, tar (also with gz, bz2, xz, zst) and 7z, detected by content"
            }
            FaultKind::Encrypted => "archives with a password are not supported",
            FaultKind::Unsupported => "repack it as zip or tar",
            FaultKind::Truncated | FaultKind::Corrupt => {
                "fetch or create the archive again: this copy is damaged"
            }
            _ => "`archive_open` lists all problems; nothing was written",
        };
        let message = format_args!("the archive is refused: {fault}");
        Self::new(fault.kind.code(), message)
            .reason(fault.kind.spelling())
            .at("/path")
            .hint(hint)
    }
}

/// Early end of reading an archive.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub(super) enum ArchiveError {
    /// A fault of the archive.
    Fault(#[from] ArchiveFault),
    /// An error of the call: a stop, or a failed write.
    Tool(#[from] ToolError),
}

impl From<io::Error> for ArchiveError {
    fn from(err: io::Error) -> Self {
        Self::Fault(err.into())
    }
}

impl From<ArchiveError> for ToolError {
    fn from(halt: ArchiveError) -> Self {
        match halt {
            ArchiveError::Fault(fault) => fault.into(),
            ArchiveError::Tool(err) => err,
        }
    }
}

/// A name for users, with invisible characters escaped.
pub(super) fn escape_name(name: &str) -> String {
    let mut text = String::with_capacity(name.len());
    for character in name.chars() {
        match character.is_control() || is_invisible(character) {
            true => text.extend(character.escape_unicode()),
            false => text.push(character),
        }
    }
    text
}

/// As [`escape_name`], with long names cut.
pub(super) fn abbreviate_name(name: &str) -> String {
    const SHOWN_MAX: usize = 120;
    match name.char_indices().nth(SHOWN_MAX) {
        Some((end, _)) => format!("{}...", escape_name(&name[..end])),
        None => escape_name(name),
    }
}
