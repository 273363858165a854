//! Errors of the workspace, from errors of the kernel and the rules on paths.

use rustix::io::Errno;
use tool_core::capability::FileKind;
use tool_core::{Reason, ToolError, tool_error};

/// A path that leaves the workspace, or would if it were followed.
pub(super) fn outside_workspace_error(path: &str) -> ToolError {
    tool_error!(InvalidArgs, Reason::OutsideWorkspace; "`{}` leaves the workspace", abbreviate_path(path);
        "name a file beneath the workspace root, with a path relative to it")
}

/// A text that is not a path.
pub(super) fn malformed_path(path: &str, why: &str) -> ToolError {
    tool_error!(InvalidArgs, "path"; "invalid path `{}`: {why}", abbreviate_path(path))
}

/// A new folder named through `..`.
pub(super) fn folder_above(path: &str) -> ToolError {
    malformed_path(path, "a new folder must be named without `..`")
}

/// Anything but a regular file.
pub(super) fn not_regular(path: &str, kind: FileKind) -> ToolError {
    let (words, hint) = match kind {
        FileKind::Directory => ("a folder", "list it with `list_directory`"),
        FileKind::Link => ("a link", "name the file it leads to"),
        _ => ("a device, socket or pipe", "name a regular file"),
    };
    tool_error!(InvalidArgs, "not_a_file";
        "expected a regular file, found {words}: `{}`", abbreviate_path(path))
    .hint(hint)
}

/// A link that must not be followed.
pub(super) fn link_refused(path: &str) -> ToolError {
    tool_error!(InvalidArgs, "link"; "`{}` goes through a link", abbreviate_path(path);
        "links are followed for reading one file or folder, never for writing or listing a tree: pass the path of the target")
}

/// Anything but a folder.
pub(super) fn no_folder(path: &str) -> ToolError {
    tool_error!(InvalidArgs, "not_a_folder"; "expected a folder: `{}`", abbreviate_path(path);
        "read a file with `read_file`, delete one with `delete_file`")
}

/// A path that tools never write.
pub(super) fn protected_path_error(path: &str) -> ToolError {
    tool_error!(PolicyDenied, "protected_path";
        "tools never write `{}`: it belongs to the repository, the configuration or the state", abbreviate_path(path);
        "write to another place; the user may change this file by hand")
}

/// A path whose nearest root is read-only.
pub(super) fn read_only(path: &str) -> ToolError {
    tool_error!(PolicyDenied, "read_only_root";
        "`{}` is in a root with `access = \"read\"`", abbreviate_path(path);
        "write to a root with `access = \"write\"`; `[workspace] roots` in the configuration lists the roots")
}

/// A folder that is a root itself.
pub(super) fn is_root(path: &str) -> ToolError {
    tool_error!(PolicyDenied, "root";
        "`{}` is a root of the workspace, which tools neither delete nor replace", abbreviate_path(path);
        "name a folder below it")
}

/// A name reserved for temporary files of calls.
pub(super) fn reserved_name(path: &str) -> ToolError {
    tool_error!(PolicyDenied, "protected_path";
        "`{}` has the name of a temporary file (`.mathchain-*.tmp`): tools neither read nor create such files", abbreviate_path(path);
        "use another name; `mathchain doctor` lists the leftovers of killed calls and how to remove them")
}

/// A path whose target changed after the decision on the call.
pub(super) fn target_changed(path: &str) -> ToolError {
    tool_error!(ResourceChanged, "resource_changed";
        "`{}` leads elsewhere than when the policy was evaluated: a link on the way changed", abbreviate_path(path);
        "call again: the policy is then evaluated for the new place")
}

/// A path that tools never read.
pub(super) fn closed_path(path: &str) -> ToolError {
    tool_error!(PolicyDenied, "protected_path";
        "tools never read `{}`: it belongs to a state, which has data of calls by every role, or to the user's keys", abbreviate_path(path);
        "pass a value as `{{\"$artifact\": \"b3:...\"}}`; users read it with `mathchain artifacts get` and `mathchain runs show`")
}

/// A folder that must be empty.
pub(super) fn not_empty(path: &str) -> ToolError {
    tool_error!(Conflict, "not_empty"; "the folder `{}` is not empty", abbreviate_path(path);
        "`list_directory` shows its content; name another folder, or empty this one first")
}

/// A file that changed between reading and writing.
pub(super) fn file_changed(path: &str) -> ToolError {
    tool_error!(ResourceChanged, "changed"; "`{}` changed since it was read", abbreviate_path(path);
        "nothing was written: read the file again, then call again")
}

/// An error of the operating system.
pub(super) fn io_error(action: &str, path: &str, err: Errno) -> ToolError {
    let shown = abbreviate_path(path);
    match err {
        Errno::XDEV => outside_workspace_error(path),
        Errno::LOOP => link_refused(path),
        Errno::ISDIR => not_regular(path, FileKind::Directory),
        Errno::NXIO => not_regular(path, FileKind::Other),
        Errno::NOTDIR => tool_error!(InvalidArgs, "not_a_folder";
            "`{shown}` goes through something that is not a folder"),
        Errno::NAMETOOLONG => tool_error!(InvalidArgs, "path";
            "`{shown}` is too long, or a part of it is"),
        Errno::NOENT => tool_error!(ToolError, "not_found"; "`{shown}` does not exist";
            "`list_directory` shows which files exist"),
        Errno::ACCESS | Errno::PERM | Errno::ROFS => tool_error!(ToolError, "permission";
            "no permission to {action} `{shown}`: {err}";
            "check owner and mode of the file and its folder"),
        Errno::NOSPC | Errno::DQUOT => tool_error!(ToolError, "io";
            "no space left to {action} `{shown}`"; "free space on the disk and call again"),
        Errno::AGAIN => tool_error!(ToolError, "io"; "`{shown}` kept changing during the look-up";
            "call again"),
        _ => tool_error!(ToolError, "io"; "cannot {action} `{shown}`: {err}"),
    }
}

/// As [`io_error`], for errors of the standard library.
pub(super) fn of_std(action: &str, path: &str, err: &std::io::Error) -> ToolError {
    io_error(action, path, Errno::from_io_error(err).unwrap_or(Errno::IO))
}

/// A path for a message: control characters escaped, long ones cut.
fn abbreviate_path(path: &str) -> String {
    const SHOWN_MAX: usize = 120;
    let mut text = String::new();
    for character in path.chars().take(SHOWN_MAX) {
        match character.is_control() {
            true => text.extend(character.escape_default()),
            false => text.push(character),
        }
    }
    if path.chars().nth(SHOWN_MAX).is_some() {
        text.push_str("...");
    }
    text
}
