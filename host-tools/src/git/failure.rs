//! Failures of git as errors of a call.

use crate::prelude::*;

/// Most characters of the words of git in an error.
const WORDS_MAX: usize = 600;

/// The error for what git printed before it failed.
pub(super) fn error_from_stderr(stderr: &str, code: i32) -> ToolError {
    let says = |words: &str| stderr.contains(words);
    let words = summarise_stderr(stderr);
    if says(".lock': File exists") || says("cannot lock ref") && says("File exists") {
        return tool_error!(Conflict, "locked"; "another process changes the repository: {words}";
            "repeat the call; if no git runs, a killed one left the `.lock` file, which the user removes");
    }
    if says("user.useConfigOnly") || says("Please tell me who you are") || says("empty ident name")
    {
        return tool_error!(PreconditionFailed, "identity"; "git knows no author for the commit: {words}";
            "the user runs `git config --global user.name NAME` and `git config --global user.email ADDRESS`");
    }
    if says("did not match any file") {
        return tool_error!(InvalidArgs at "/files", "not_found"; "no such file in the repository: {words}";
            "paths are relative to the repository; `git_status` lists them");
    }
    if says("paths are ignored by one of your .gitignore") {
        return tool_error!(InvalidArgs at "/files", "ignored"; "a file is ignored by `.gitignore`: {words}";
            "leave it out, or let the user change `.gitignore`");
    }
    if says("is beyond a symbolic link") || says("is in submodule") {
        return tool_error!(InvalidArgs at "/files", "link"; "{words}";
            "name files of this repository, by paths without links");
    }
    if says("would be overwritten") || says("not uptodate") {
        return tool_error!(Conflict, "local_changes"; "local changes would be lost: {words}";
            "commit these files first");
    }
    if says("needs merge")
        || says("you need to resolve your current index")
        || says("unmerged files")
    {
        return tool_error!(Conflict, "unmerged"; "the index has conflicts: {words}";
            "resolve them, and commit the files");
    }
    if says("Permission denied") || says("Read-only file system") || says("insufficient permission")
    {
        return tool_error!(ToolError, "io"; "git may not read or write a file: {words}";
            "the files of the repository must belong to the user who runs mathchain");
    }
    tool_error!(ToolError, "git"; "git failed with status {code}: {words}")
}

/// The words of git in one line, without its prefixes and advice.
fn summarise_stderr(stderr: &str) -> String {
    let lines = stderr.lines().filter(|line| !line.starts_with("hint:"));
    let plain = lines.map(|line| {
        let line = line.trim();
        let prefixes = ["remote: ", "fatal: ", "error: "];
        prefixes.iter().fold(line, |line, prefix| {
            line.strip_prefix(prefix).unwrap_or(line)
        })
    });
    let joined = plain
        .filter(|line| !line.is_empty())
        .collect::<Vec<_>>()
        .join("; ");
    joined.chars().take(WORDS_MAX).collect()
}
