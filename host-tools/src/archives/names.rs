//! Validation of member names, and detection of conflicting ones.

use std::collections::HashMap;

use tool_core::capability::fold_file_name;

use super::fault::{ArchiveFault, FaultKind};
use super::read::{ArchiveMember, MemberKind};
use crate::argument::is_invisible;
use crate::prelude::path_parts;

/// Maximum parts of a name.
const DEPTH_MAX: usize = 32;
/// Maximum length of a part, and of a name, in bytes.
const PART_MAX: usize = 255;
const NAME_MAX: usize = 2048;

/// The names of one archive seen so far.
#[derive(Default)]
pub(super) struct MemberNames {
    /// By folded name: names that some systems treat as equal share a key.
    seen: HashMap<String, (String, NameUse)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NameUse {
    File,
    Folder,
}

impl MemberNames {
    /// The path of a member below the target folder; `None` for that folder itself.
    ///
    /// # Errors
    /// The first fault of the member or its name.
    pub(super) fn check(&mut self, member: &ArchiveMember) -> Result<Option<String>, ArchiveFault> {
        let path = path_of(member).map_err(|fault| fault.of(&member.name))?;
        if path.is_empty() {
            return Ok(None);
        }
        self.enter(&path, member.kind == MemberKind::Folder)
            .map_err(|fault| fault.of(&member.name))?;
        Ok(Some(path))
    }

    fn enter(&mut self, path: &str, is_folder: bool) -> Result<(), ArchiveFault> {
        for (end, _) in path.match_indices('/') {
            self.claim(&path[..end], NameUse::Folder, false)?;
        }
        let kind = if is_folder {
            NameUse::Folder
        } else {
            NameUse::File
        };
        self.claim(path, kind, !is_folder)
    }

    fn claim(&mut self, path: &str, kind: NameUse, once: bool) -> Result<(), ArchiveFault> {
        let Some((known, used)) = self.seen.get(&fold_file_name(path)) else {
            self.seen
                .insert(fold_file_name(path), (path.to_owned(), kind));
            return Ok(());
        };
        let (fault, message) = if known != path {
            let known = super::fault::abbreviate_name(known);
            let message = format!("some systems treat it as equal to `{known}`");
            (FaultKind::CaseClash, message)
        } else if *used != kind {
            let message = format!("`{path}` is a file and a folder");
            (FaultKind::FileAndFolder, message)
        } else if once {
            (FaultKind::Duplicate, "the name occurs twice".to_owned())
        } else {
            return Ok(());
        };
        Err(ArchiveFault::new(fault, message))
    }
}

/// Checks the kind of a member and its name; returns the name without empty parts and `.`.
fn path_of(member: &ArchiveMember) -> Result<String, ArchiveFault> {
    use FaultKind::*;
    let name = &member.name;
    let drive = matches!(name.as_bytes(), [b'a'..=b'z' | b'A'..=b'Z', b':', ..]);
    let parts: Vec<&str> = path_parts(name).collect();
    let long = parts.iter().any(|part| part.len() > PART_MAX);
    let of_git = parts.iter().any(|part| part.eq_ignore_ascii_case(".git"));
    let (kind, message) = match member.kind {
        MemberKind::Link => (Link, "it is a symbolic link"),
        MemberKind::HardLink => (Link, "it is a hard link"),
        MemberKind::Device => (Special, "it is a device"),
        MemberKind::Pipe => (Special, "it is a pipe"),
        MemberKind::Other => (Special, "it is neither a file nor a folder"),
        _ if member.setuid => (Setuid, "it has the setuid or setgid bit"),
        _ if member.encrypted => (Encrypted, "it is encrypted"),
        _ if !member.legible => (NameEncoding, "its name is not UTF-8"),
        _ if name.is_empty() || name.len() > NAME_MAX => {
            (NameLength, "its name is empty or longer than 2048 bytes")
        }
        _ if name.starts_with('/') => (AbsoluteName, "its name begins with `/`"),
        _ if name.contains('\\') => (Backslash, "its name contains a backslash"),
        _ if drive => (DriveLetter, "its name begins with a drive letter"),
        _ if name.chars().any(char::is_control) => {
            (ControlCharacter, "its name contains a control character")
        }
        _ if name.chars().any(is_invisible) => {
            let message = "its name contains an invisible or direction-changing character";
            (InvisibleCharacter, message)
        }
        _ if parts.contains(&"..") => (ParentName, "its name contains `..`"),
        _ if long => (NameLength, "a part of its name is longer than 255 bytes"),
        _ if parts.len() > DEPTH_MAX => (Depth, "its name has more than 32 parts"),
        _ if of_git => (ProtectedName, "tools never write below `.git`"),
        MemberKind::File if parts.is_empty() => (NameLength, "its name names no file"),
        MemberKind::File | MemberKind::Folder => return Ok(parts.join("/")),
    };
    Err(ArchiveFault::new(kind, message))
}
