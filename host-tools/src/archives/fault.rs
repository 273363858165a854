//! What can be wrong with an archive.

use std::fmt;
use std::io;

use tool_core::convert::to_value;

use crate::prelude::*;

/// The kinds of what can be wrong; also the `reason` of an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum FaultKind {
    /// The file is no archive of a known format.
    NotAnArchive,
    /// It needs something that is not done here: another method, several volumes, sparse files.
    Unsupported,
    /// It ends early.
    Truncated,
    /// A checksum or a structure is wrong.
    Corrupt,
    /// Two of its headers contradict each other, or its content.
    LyingHeader,
    /// Two members share bytes of the archive.
    Overlap,
    /// It needs a password.
    Encrypted,
    /// A name begins with `/`.
    AbsoluteName,
    /// A name holds `..`.
    ParentName,
    /// A name holds a backslash.
    Backslash,
    /// A name begins with a drive letter.
    DriveLetter,
    /// A name holds a control character.
    ControlCharacter,
    /// A name holds a character that is not seen, or turns the direction of writing.
    InvisibleCharacter,
    /// A name is no text.
    NameEncoding,
    /// A name is empty or too long.
    NameLength,
    /// A name has too many parts.
    Depth,
    /// A name is one that tools never write.
    ProtectedName,
    /// A name comes twice.
    Duplicate,
    /// Two names differ only in case or in the spelling of their characters.
    CaseClash,
    /// A name is used as a file and as a folder.
    FileAndFolder,
    /// A member is a symbolic or hard link.
    Link,
    /// A member is a device, a pipe or something else that is no file.
    Special,
    /// A file lends the rights of its owner or group.
    Setuid,
    /// Something follows the end of the archive.
    TrailingData,
    /// It grows too much when it is unpacked.
    Bomb,
    /// It has too many members.
    TooManyFiles,
    /// Its members are too large together.
    TooLarge,
    /// One member is too large.
    FileTooLarge,
    /// Unpacking takes too much memory.
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

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fault {
    pub(super) kind: FaultKind,
    /// The member it is about, as it is shown.
    pub(super) member: Option<String>,
    pub(super) message: String,
}

impl Fault {
    pub(super) fn new(kind: FaultKind, message: impl fmt::Display) -> Self {
        Self {
            kind,
            member: None,
            message: message.to_string(),
        }
    }

    pub(super) fn of(mut self, member: &str) -> Self {
        self.member.get_or_insert_with(|| brief(member));
        self
    }

    pub(super) fn into_io(self) -> io::Error {
        io::Error::other(self)
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.member {
            Some(member) => write!(f, "`{member}`: {}", self.message),
            None => f.write_str(&self.message),
        }
    }
}

impl std::error::Error for Fault {}

impl From<io::Error> for Fault {
    /// Decoders pass the faults of what they read through; their own words are of the data.
    fn from(err: io::Error) -> Self {
        let kind = match err.kind() {
            io::ErrorKind::UnexpectedEof => FaultKind::Truncated,
            io::ErrorKind::OutOfMemory => FaultKind::Memory,
            _ => FaultKind::Corrupt,
        };
        let words = err.to_string();
        match err.downcast::<Self>() {
            Ok(fault) => fault,
            Err(_) if kind == FaultKind::Truncated => Self::new(kind, "the archive ends early"),
            Err(_) if words.contains("memory") || words.contains("Frame requires too much") => {
                Self::new(
                    FaultKind::Memory,
                    "unpacking takes more than 128 MiB of memory",
                )
            }
            Err(_) => Self::new(kind, format_args!("the packed data is damaged: {words}")),
        }
    }
}

impl From<Fault> for ToolError {
    fn from(fault: Fault) -> Self {
        let error = Self::new(
            fault.kind.code(),
            format_args!("the archive is refused: {fault}"),
        )
        .reason(fault.kind.spelling())
        .at("/path");
        match fault.kind {
            FaultKind::NotAnArchive => error
                .hint("zip, tar (also gz, bz2, xz, zst) and 7z are read, whatever the name says"),
            FaultKind::Encrypted => error.hint("archives with a password are not read"),
            FaultKind::Unsupported => error.hint("pack it again as zip or tar"),
            FaultKind::Truncated | FaultKind::Corrupt => {
                error.hint("fetch or make the archive again: this copy is damaged")
            }
            _ => error.hint("`archive_open` lists everything that is wrong; nothing was written"),
        }
    }
}

/// Why the reading of an archive ends early.
#[derive(Debug)]
pub(super) enum Halt {
    /// The archive is to blame.
    Fault(Fault),
    /// The call is: it was stopped, or nothing could be written.
    Tool(ToolError),
}

impl From<Fault> for Halt {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

impl From<io::Error> for Halt {
    fn from(err: io::Error) -> Self {
        Self::Fault(err.into())
    }
}

impl From<ToolError> for Halt {
    fn from(err: ToolError) -> Self {
        Self::Tool(err)
    }
}

impl From<Halt> for ToolError {
    fn from(halt: Halt) -> Self {
        match halt {
            Halt::Fault(fault) => fault.into(),
            Halt::Tool(err) => err,
        }
    }
}

/// A name for people: what cannot be seen is spelled out.
pub(super) fn shown(name: &str) -> String {
    name.chars()
        .flat_map(|character| {
            let odd = character.is_control() || is_invisible(character);
            let escaped = odd.then(|| character.escape_unicode());
            let same = (!odd).then_some(character);
            escaped.into_iter().flatten().chain(same)
        })
        .collect()
}

/// As [`shown`], and long ones are cut.
pub(super) fn brief(name: &str) -> String {
    const SHOWN_MAX: usize = 120;
    match name.char_indices().nth(SHOWN_MAX) {
        Some((end, _)) => format!("{}...", shown(&name[..end])),
        None => shown(name),
    }
}

/// Invisible characters that change how a name looks: text directions, joiners, marks.
pub(crate) fn is_invisible(character: char) -> bool {
    matches!(
        character,
        '\u{ad}'
            | '\u{61c}'
            | '\u{180e}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e007f}'
    )
}
