//! The words for what the kernel says no to.

use rustix::io::Errno;
use tool_core::capability::FileKind;
use tool_core::{ErrorCode, Reason, ToolError};

/// A path that leads out of the workspace, or would if it were followed.
pub(super) fn outside(path: &str) -> ToolError {
    ToolError::new(
        ErrorCode::InvalidArgs,
        format_args!("`{}` leaves the workspace", brief(path)),
    )
    .reason("outside_workspace")
    .hint("name a file beneath the workspace root, with a path relative to it")
}

/// A path that cannot be one.
pub(super) fn malformed(path: &str, why: &str) -> ToolError {
    ToolError::new(
        ErrorCode::InvalidArgs,
        format_args!("`{}` is no usable path: {why}", brief(path)),
    )
    .reason("path")
}

/// Something else than a regular file.
pub(super) fn not_regular(path: &str, kind: FileKind) -> ToolError {
    let (words, hint) = match kind {
        FileKind::Directory => ("a folder", "list it with `list_directory`"),
        FileKind::Link => ("a link", "name the file it leads to"),
        _ => ("a device, socket or pipe", "name a regular file"),
    };
    ToolError::new(
        ErrorCode::InvalidArgs,
        format_args!("expected a regular file, found {words}: `{}`", brief(path)),
    )
    .reason("not_a_file")
    .hint(hint)
}

/// A link where none is followed.
pub(super) fn link(path: &str) -> ToolError {
    ToolError::new(
        ErrorCode::InvalidArgs,
        format_args!("`{}` goes through a link", brief(path)),
    )
    .reason("link")
    .hint("links are followed for reading one file or folder, never for writing or listing a tree: name the place itself")
}

/// Something else than a folder.
pub(super) fn no_folder(path: &str) -> ToolError {
    ToolError::new(
        ErrorCode::InvalidArgs,
        format_args!("expected a folder: `{}`", brief(path)),
    )
    .reason(Reason::NotAFolder)
    .hint("read a file with `read_file`, delete one with `delete_file`")
}

/// What tools never write.
pub(super) fn protected(path: &str) -> ToolError {
    ToolError::new(
        ErrorCode::PolicyDenied,
        format_args!(
            "`{}` is never written by a tool: it belongs to the repository, the configuration or the state",
            brief(path)
        ),
    )
    .reason("protected_path")
    .hint("write to another place; a person may change this file by hand")
}

/// A name that only files in the making have.
pub(super) fn temporary(path: &str) -> ToolError {
    ToolError::new(
        ErrorCode::PolicyDenied,
        format_args!(
            "`{}` has the name of a file that is being written (`.mathchain-*.tmp`): tools neither read nor make such files",
            brief(path)
        ),
    )
    .reason("protected_path")
    .hint("use another name; `mathchain doctor` finds what killed calls left, and says how to remove it")
}

/// A path that leads elsewhere than it did when the call was judged.
pub(super) fn turned(path: &str) -> ToolError {
    ToolError::new(
        ErrorCode::ResourceChanged,
        format_args!(
            "`{}` leads elsewhere than when the rules were asked: a link on the way was turned meanwhile",
            brief(path)
        ),
    )
    .reason("resource_changed")
    .hint("call again: the rules are asked about the new place")
}

/// What tools do not read either.
pub(super) fn closed(path: &str) -> ToolError {
    ToolError::new(
        ErrorCode::PolicyDenied,
        format_args!(
            "`{}` is never read by a tool: the state holds what calls of every role read and gave",
            brief(path)
        ),
    )
    .reason("protected_path")
    .hint("pass a value as `{\"$artifact\": \"b3:...\"}`; a person looks with `mathchain artifacts get` and `mathchain runs show`")
}

/// A folder that must be empty.
pub(super) fn not_empty(path: &str) -> ToolError {
    ToolError::new(
        ErrorCode::Conflict,
        format_args!("the folder `{}` is not empty", brief(path)),
    )
    .reason("not_empty")
    .hint("`list_directory` shows what is in it; name another folder, or empty this one first")
}

/// A file that is not what it was.
pub(super) fn changed(path: &str) -> ToolError {
    ToolError::new(
        ErrorCode::ResourceChanged,
        format_args!("`{}` changed since it was read", brief(path)),
    )
    .reason("changed")
    .hint("nothing was written: read the file again, then call again")
}

/// What the operating system answered.
pub(super) fn io(action: &str, path: &str, err: Errno) -> ToolError {
    let invalid = |message: &str, reason: Option<Reason>| {
        ToolError::new(
            ErrorCode::InvalidArgs,
            format_args!("`{}` {message}", brief(path)),
        )
        .reason(reason.map_or("path", Reason::as_str))
    };
    match err {
        Errno::XDEV => outside(path),
        Errno::LOOP => link(path),
        Errno::NOENT => ToolError::new(
            ErrorCode::ToolError,
            format_args!("`{}` does not exist", brief(path)),
        )
        .reason(Reason::NotFound)
        .hint("`list_directory` shows what is there"),
        Errno::NOTDIR => invalid(
            "goes through something that is no folder",
            Some(Reason::NotAFolder),
        ),
        Errno::ISDIR => not_regular(path, FileKind::Directory),
        Errno::NXIO => not_regular(path, FileKind::Other),
        Errno::NAMETOOLONG => invalid("is too long, or a part of it is", None),
        Errno::ACCESS | Errno::PERM | Errno::ROFS => ToolError::new(
            ErrorCode::ToolError,
            format_args!("no permission to {action} `{}`: {err}", brief(path)),
        )
        .reason("permission")
        .hint("check owner and mode of the file and its folder"),
        Errno::NOSPC | Errno::DQUOT => ToolError::new(
            ErrorCode::ToolError,
            format_args!("no space left to {action} `{}`", brief(path)),
        )
        .reason("io")
        .hint("free space on the disk and call again"),
        Errno::AGAIN => ToolError::new(
            ErrorCode::ToolError,
            format_args!("`{}` kept changing while it was looked up", brief(path)),
        )
        .reason("io")
        .hint("call again"),
        _ => ToolError::new(
            ErrorCode::ToolError,
            format_args!("cannot {action} `{}`: {err}", brief(path)),
        )
        .reason("io"),
    }
}

/// As [`io`], for what the standard library reports.
pub(super) fn of_std(action: &str, path: &str, err: &std::io::Error) -> ToolError {
    io(action, path, Errno::from_io_error(err).unwrap_or(Errno::IO))
}

/// A path for a message: control characters escaped, long ones cut.
fn brief(path: &str) -> String {
    const SHOWN_MAX: usize = 120;
    let mut text: String = path.chars().take(SHOWN_MAX).flat_map(escape).collect();
    if path.chars().nth(SHOWN_MAX).is_some() {
        text.push_str("...");
    }
    text
}

fn escape(character: char) -> Box<dyn Iterator<Item = char>> {
    if character.is_control() {
        Box::new(character.escape_default())
    } else {
        Box::new(std::iter::once(character))
    }
}
