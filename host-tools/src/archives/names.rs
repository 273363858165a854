//! Names of members: which are taken, and when two are the same.

use std::collections::HashMap;

use tool_core::capability::folded;

use super::fault::{Fault, FaultKind};
use super::read::{Kind, Member};

/// Most folders above a file, and itself.
const DEPTH_MAX: usize = 32;
/// Longest part, and longest name, in bytes.
const PART_MAX: usize = 255;
const NAME_MAX: usize = 2048;

/// The names of one archive, as far as they were seen.
#[derive(Default)]
pub(super) struct Names {
    /// By the form in which names that some systems take for one are the same.
    seen: HashMap<String, (String, Use)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Use {
    File,
    Folder,
}

impl Names {
    /// The path of a member below the folder it is unpacked to; `None` for that folder itself.
    ///
    /// # Errors
    /// The first thing that is wrong with the member or its name.
    pub(super) fn check(&mut self, member: &Member) -> Result<Option<String>, Fault> {
        let path = path_of(member).map_err(|fault| fault.of(&member.name))?;
        if path.is_empty() {
            return Ok(None);
        }
        self.enter(&path, member.kind == Kind::Folder)
            .map_err(|fault| fault.of(&member.name))?;
        Ok(Some(path))
    }

    fn enter(&mut self, path: &str, is_folder: bool) -> Result<(), Fault> {
        for (end, _) in path.match_indices('/') {
            self.claim(&path[..end], Use::Folder, false)?;
        }
        let kind = if is_folder { Use::Folder } else { Use::File };
        self.claim(path, kind, !is_folder)
    }

    fn claim(&mut self, path: &str, kind: Use, once: bool) -> Result<(), Fault> {
        let Some((known, used)) = self.seen.get(&folded(path)) else {
            self.seen.insert(folded(path), (path.to_owned(), kind));
            return Ok(());
        };
        if known != path {
            return Err(Fault::new(
                FaultKind::CaseClash,
                format_args!("some systems take it for `{}`", super::fault::brief(known)),
            ));
        }
        if *used != kind {
            return Err(Fault::new(
                FaultKind::FileAndFolder,
                format_args!("`{path}` is a file and a folder"),
            ));
        }
        if once {
            return Err(Fault::new(FaultKind::Duplicate, "the name comes twice"));
        }
        Ok(())
    }
}

/// What the member is, then the parts of its name, without empty ones and `.`.
fn path_of(member: &Member) -> Result<String, Fault> {
    let refuse = |kind, message: &str| Err(Fault::new(kind, message));
    match member.kind {
        Kind::File | Kind::Folder => {}
        Kind::Link => return refuse(FaultKind::Link, "it is a symbolic link"),
        Kind::HardLink => return refuse(FaultKind::Link, "it is a hard link"),
        Kind::Device => return refuse(FaultKind::Special, "it is a device"),
        Kind::Pipe => return refuse(FaultKind::Special, "it is a pipe"),
        Kind::Other => return refuse(FaultKind::Special, "it is neither a file nor a folder"),
    }
    if member.setuid {
        return refuse(
            FaultKind::Setuid,
            "it lends the rights of its owner or group",
        );
    }
    if member.encrypted {
        return refuse(FaultKind::Encrypted, "it is encrypted");
    }
    let name = &member.name;
    if !member.legible {
        return refuse(FaultKind::NameEncoding, "its name is no UTF-8");
    }
    if name.is_empty() || name.len() > NAME_MAX {
        return refuse(
            FaultKind::NameLength,
            "its name has no or more than 2048 bytes",
        );
    }
    if name.starts_with('/') {
        return refuse(FaultKind::AbsoluteName, "its name begins with `/`");
    }
    if name.contains('\\') {
        return refuse(FaultKind::Backslash, "its name holds a backslash");
    }
    let mut letters = name.chars();
    if let (Some('a'..='z' | 'A'..='Z'), Some(':')) = (letters.next(), letters.next()) {
        return refuse(
            FaultKind::DriveLetter,
            "its name begins with a drive letter",
        );
    }
    if name.chars().any(char::is_control) {
        return refuse(
            FaultKind::ControlCharacter,
            "its name holds a control character",
        );
    }
    if name.chars().any(is_invisible) {
        return refuse(
            FaultKind::InvisibleCharacter,
            "its name holds a character that is not seen or turns the direction of writing",
        );
    }
    let parts: Vec<&str> = name
        .split('/')
        .filter(|part| !part.is_empty() && *part != ".")
        .collect();
    if parts.contains(&"..") {
        return refuse(FaultKind::ParentName, "its name holds `..`");
    }
    if parts.iter().any(|part| part.len() > PART_MAX) {
        return refuse(
            FaultKind::NameLength,
            "a part of its name has more than 255 bytes",
        );
    }
    if parts.len() > DEPTH_MAX {
        return refuse(FaultKind::Depth, "its name has more than 32 parts");
    }
    if parts.iter().any(|part| part.eq_ignore_ascii_case(".git")) {
        return refuse(
            FaultKind::ProtectedName,
            "nothing is ever written below `.git`",
        );
    }
    if parts.is_empty() && member.kind != Kind::Folder {
        return refuse(FaultKind::NameLength, "its name names no file");
    }
    Ok(parts.join("/"))
}

/// Characters that change how a name looks and cannot be seen themselves: directions, joiners, marks.
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
