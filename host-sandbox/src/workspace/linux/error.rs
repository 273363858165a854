//! Errors of the workspace, from errors of the kernel and the rules on paths.

use rustix::io::Errno;
use tool_core::capability::FileKind;
use tool_core::{Reason, ToolError, tool_error};

/// A path that leaves the workspace, or would if it were followed.
pub(super) fn outside(path: &str) -> ToolError {
    tool_error!(InvalidArgs, Reason::OutsideWorkspace; "`{}` leaves the workspace", brief(path);
        "name a file beneath the workspace root, with a path relative to it")
}

/// A text that is not a path.
pub(super) fn malformed(path: &str, why: &str) -> ToolError {
    tool_error!(InvalidArgs, "path"; "invalid path `{}`: {why}", brief(path))
}

/// A new folder named through `..`.
pub(super) fn folder_above(path: &str) -> ToolError {
    malformed(path, "a new folder must be named without `..`")
}

/// Anything but a regular file.
pub(super) fn not_regular(path: &str, kind: FileKind) -> ToolError {
    let (words, hint) = match kind {
        FileKind::Directory => ("a folder", "list it with `list_directory`"),
        FileKind::Link => ("a link", "name the file it leads to"),
        _ => ("a device, socket or pipe", "name a regular file"),
    };
    tool_error!(InvalidArgs, "not_a_file";
        "expected a regular file, found {words}: `{}`", brief(path))
    .hint(hint)
}

/// A link that must not be followed.
pub(super) fn link(path: &str) -> ToolError {
    tool_error!(InvalidArgs, "link"; "`{}` goes through a link", brief(path);
        "links are followed for reading one file or folder, never for writing or listing a tree: pass the path of the target")
}

/// Anything but a folder.
pub(super) fn no_folder(path: &str) -> ToolError {
    tool_error!(InvalidArgs, "not_a_folder"; "expected a folder: `{}`", brief(path);
        "read a file with `read_file`, delete one with `delete_file`")
}

/// A path that tools never write.
pub(super) fn protected(path: &str) -> ToolError {
    tool_error!(PolicyDenied, "protected_path";
        "tools never write `{}`: it belongs to the repository, the configuration or the state", brief(path);
        "write to another place; the user may change this file by hand")
}

/// A path whose nearest root is read-only.
pub(super) fn read_only(path: &str) -> ToolError {
    tool_error!(PolicyDenied, "read_only_root";
        "`{}` is in a root with `access = \"read\"`", brief(path);
        "write to a root with `access = \"write\"`; `[workspace] roots` in the configuration lists the roots")
}

/// A folder that is a root itself.
pub(super) fn is_root(path: &str) -> ToolError {
    tool_error!(PolicyDenied, "root";
        "`{}` is a root of the workspace, which tools neither delete nor replace", brief(path);
        "name a folder below it")
}

/// A name reserved for temporary files of calls.
pub(super) fn temporary(path: &str) -> ToolError {
    tool_error!(PolicyDenied, "protected_path";
        "`{}` has the name of a temporary file (`.mathchain-*.tmp`): tools neither read nor create such files", brief(path);
        "use another name; `mathchain doctor` lists the leftovers of killed calls and how to remove them")
}

/// A path whose target changed after the decision on the call.
pub(super) fn turned(path: &str) -> ToolError {
    tool_error!(ResourceChanged, "resource_changed";
        "`{}` leads elsewhere than when the policy was evaluated: a link on the way changed", brief(path);
        "call again: the policy is then evaluated for the new place")
}

/// A path that tools never read.
pub(super) fn closed(path: &str) -> ToolError {
    tool_error!(PolicyDenied, "protected_path";
        "tools never read `{}`: it belongs to a state, which has data of calls by every role, or to the user's keys", brief(path);
        "pass a value as `{{\"$artifact\": \"b3:...\"}}`; users read it with `mathchain artifacts get` and `mathchain runs show`")
}

/// A folder that must be empty.
pub(super) fn not_empty(path: &str) -> ToolError {
    tool_error!(Conflict, "not_empty"; "the folder `{}` is not empty", brief(path);
        "`list_directory` shows its content; name another folder, or empty this one first")
}

/// A file that changed between reading and writing.
pub(super) fn changed(path: &str) -> ToolError {
    tool_error!(ResourceChanged, "changed"; "`{}` changed since it was read", brief(path);
        "nothing was written: read the file again, then call again")
}

/// An error of the operating system.
pub(super) fn io(action: &str, path: &str, err: Errno) -> ToolError {
    let shown = brief(path);
    match err {
        Errno::XDEV => outside(path),
        Errno::LOOP => link(path),
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

/// As [`io`], for errors of the standard library.
pub(super) fn of_std(action: &str, path: &str, err: &std::io::Error) -> ToolError {
    io(action, path, Errno::from_io_error(err).unwrap_or(Errno::IO))
}

/// A path for a message: control characters escaped, long ones cut.
fn brief(path: &str) -> String {
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
