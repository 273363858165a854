//! Validation of member names, and detection of conflicting ones.

use std::collections::HashMap;

use tool_core::capability::folded;

use super::fault::{Fault, FaultKind, is_invisible};
use super::read::{Kind, Member};

/// Maximum parts of a name.
const DEPTH_MAX: usize = 32;
/// Maximum length of a part, and of a name, in bytes.
const PART_MAX: usize = 255;
const NAME_MAX: usize = 2048;

/// The names of one archive seen so far.
#[derive(Default)]
pub(super) struct Names {
    /// By folded name: names that some systems treat as equal share a key.
    seen: HashMap<String, (String, Use)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Use {
    File,
    Folder,
}

impl Names {
    /// The path of a member below the target folder; `None` for that folder itself.
    ///
    /// # Errors
    /// The first fault of the member or its name.
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
                format_args!(
                    "some systems treat it as equal to `{}`",
                    super::fault::brief(known)
                ),
            ));
        }
        if *used != kind {
            return Err(Fault::new(
                FaultKind::FileAndFolder,
                format_args!("`{path}` is a file and a folder"),
            ));
        }
        if once {
            return Err(Fault::new(FaultKind::Duplicate, "the name occurs twice"));
        }
        Ok(())
    }
}

/// Checks the kind of a member and its name; returns the name without empty parts and `.`.
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
    let name = &member.name;
    let mut letters = name.chars();
    let drive = matches!(
        (letters.next(), letters.next()),
        (Some('a'..='z' | 'A'..='Z'), Some(':'))
    );
    let control = name.chars().any(char::is_control);
    let invisible = name.chars().any(is_invisible);
    let length = name.is_empty() || name.len() > NAME_MAX;
    first_of(&[
        (
            member.setuid,
            FaultKind::Setuid,
            "it has the setuid or setgid bit",
        ),
        (member.encrypted, FaultKind::Encrypted, "it is encrypted"),
        (
            !member.legible,
            FaultKind::NameEncoding,
            "its name is not UTF-8",
        ),
        (
            length,
            FaultKind::NameLength,
            "its name is empty or longer than 2048 bytes",
        ),
        (
            name.starts_with('/'),
            FaultKind::AbsoluteName,
            "its name begins with `/`",
        ),
        (
            name.contains('\\'),
            FaultKind::Backslash,
            "its name contains a backslash",
        ),
        (
            drive,
            FaultKind::DriveLetter,
            "its name begins with a drive letter",
        ),
        (
            control,
            FaultKind::ControlCharacter,
            "its name contains a control character",
        ),
        (
            invisible,
            FaultKind::InvisibleCharacter,
            "its name contains an invisible or direction-changing character",
        ),
    ])?;
    let parts: Vec<&str> = name
        .split('/')
        .filter(|part| !part.is_empty() && *part != ".")
        .collect();
    let long = parts.iter().any(|part| part.len() > PART_MAX);
    let of_git = parts.iter().any(|part| part.eq_ignore_ascii_case(".git"));
    let nothing = parts.is_empty() && member.kind != Kind::Folder;
    first_of(&[
        (
            parts.contains(&".."),
            FaultKind::ParentName,
            "its name contains `..`",
        ),
        (
            long,
            FaultKind::NameLength,
            "a part of its name is longer than 255 bytes",
        ),
        (
            parts.len() > DEPTH_MAX,
            FaultKind::Depth,
            "its name has more than 32 parts",
        ),
        (
            of_git,
            FaultKind::ProtectedName,
            "tools never write below `.git`",
        ),
        (nothing, FaultKind::NameLength, "its name names no file"),
    ])?;
    Ok(parts.join("/"))
}

/// The first fault whose condition is true.
fn first_of(faults: &[(bool, FaultKind, &str)]) -> Result<(), Fault> {
    match faults.iter().find(|(present, ..)| *present) {
        Some((_, kind, message)) => Err(Fault::new(*kind, message)),
        None => Ok(()),
    }
}
