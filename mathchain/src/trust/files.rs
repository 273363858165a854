//! The programs and files below a workspace that words of a configuration name, and their digests.

use std::path::{Component, Path, PathBuf};

use registry::Config;
use registry::digest::DigestParts;

use super::{TrustBases, given};

/// Largest file that is read for its digest, and the most bytes and files of a folder.
const BYTES_MAX: u64 = 256 << 20;
const FILES_MAX: usize = 5000;

/// The files and folders below the workspace that programs of a configuration are made of: no tool writes there.
pub fn program_files(config: &Config, bases: &TrustBases) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = given::configured_programs(config)
        .iter()
        .flat_map(|words| of_words(words, bases))
        .map(|(_, path)| path)
        .collect();
    found.extend(plan_files(config, bases));
    found.sort();
    found.dedup();
    found
}

/// The plans that schedules run, and the documents of services.
pub fn plan_files(config: &Config, bases: &TrustBases) -> Vec<PathBuf> {
    let plans = config.schedules.iter().map(|one| &one.plan);
    let documents = config.openapi.iter().map(|one| &one.document);
    plans
        .chain(documents)
        .map(|plan| lexical_path(&bases.folder.join(plan)))
        .collect()
}

/// The lines that show the files which words name, each with its digest.
pub(super) fn file_digest_lines(words: &[String], bases: &TrustBases) -> String {
    let found = of_words(words, bases);
    found
        .iter()
        .map(|(name, path)| format!("  {name}: {}\n", path_state(path)))
        .collect()
}

/// The files that words name, each as it is written. A program without a slash is searched for elsewhere.
pub(super) fn of_words(words: &[String], bases: &TrustBases) -> Vec<(String, PathBuf)> {
    let mut found: Vec<(String, PathBuf)> = Vec::new();
    for (index, word) in words.iter().enumerate() {
        for part in path_parts(word) {
            if index == 0 && !part.contains('/') {
                continue;
            }
            for path in resolve_part(part, bases) {
                if !found.iter().any(|(_, known)| *known == path) {
                    found.push((part.to_owned(), path));
                }
            }
        }
    }
    found
}

/// The parts of a word that may be paths: of a script those that it does not write to, else the word and the value of `--option=value`.
fn path_parts(word: &str) -> Vec<&str> {
    if !word.contains(char::is_whitespace) {
        let value = word.split_once('=').map(|(_, value)| value);
        return std::iter::once(word).chain(value).collect();
    }
    let ends = |one: char| one.is_whitespace() || "=\"'`;&|()<>$".contains(one);
    let begin = word.as_ptr() as usize;
    let is_written = |part: &&str| {
        let before = &word[..part.as_ptr() as usize - begin];
        before.trim_end_matches([' ', '"', '\'']).ends_with('>')
    };
    let parts = word.split(ends).filter(|part| part.contains('/'));
    parts.filter(|part| !is_written(part)).collect()
}

/// Where a part leads below the folder or a root: what is there, and for `./x` also what is not there yet.
fn resolve_part(part: &str, bases: &TrustBases) -> Vec<PathBuf> {
    let is_path = part.starts_with("./") || part.starts_with("../");
    let mut found = Vec::new();
    for base in bases.all() {
        let path = lexical_path(&base.join(part));
        let is_inside = bases
            .all()
            .any(|root| path.starts_with(root) && path != root)
            && !bases.all().any(|root| root.starts_with(&path));
        let is_there = path.symlink_metadata().is_ok();
        // A word such as `notes` may mean anything; one that is written as a path means the file.
        let is_meant = is_there && (part.contains('/') || is_program(&path));
        if is_inside && (is_meant || is_path && !is_there && base == bases.folder) {
            found.push(path);
        }
    }
    found.sort();
    found.dedup();
    found
}

/// Whether a file is a program or a script, by its mode and its name.
fn is_program(path: &Path) -> bool {
    const SCRIPTS: [&str; 16] = [
        "bash", "cjs", "fish", "js", "lua", "mjs", "php", "pl", "ps1", "py", "pyz", "rb", "sh",
        "ts", "wasm", "zsh",
    ];
    let extension = path.extension().and_then(|end| end.to_str());
    let is_script = extension.is_some_and(|end| SCRIPTS.contains(&end));
    path.is_file() && (is_script || is_executable(path))
}

#[cfg(unix)]
fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    path.metadata()
        .is_ok_and(|found| found.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_executable(_: &Path) -> bool {
    false
}

/// A path without `.` and `..`, by its text.
pub(super) fn lexical_path(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(plain.pop()),
            part => plain.push(part),
        }
    }
    plain
}

/// What is at a path, in one line.
pub(super) fn path_state(path: &Path) -> String {
    let found = match path.metadata() {
        Ok(found) => found,
        Err(_) => return "not there".to_owned(),
    };
    let digest = match found.is_dir() {
        true => of_folder(path),
        false if found.is_file() && found.len() <= BYTES_MAX => of_file(path),
        false => None,
    };
    match (digest, found.is_dir()) {
        (Some(digest), true) => format!("folder, blake3 {digest}"),
        (Some(digest), false) => format!("blake3 {digest}"),
        (None, _) => "too large, or not readable".to_owned(),
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "the configuration names it; it is read for its digest alone"
)]
fn read_content(path: &Path) -> Option<Vec<u8>> {
    std::fs::read(path).ok()
}

fn of_file(path: &Path) -> Option<String> {
    let mut digest = DigestParts::new();
    digest.add(&read_content(path)?);
    Some(digest.finish())
}

/// The digest of all files of a folder; links count as what they say. `None` where there are too many.
fn of_folder(top: &Path) -> Option<String> {
    let (mut waiting, mut files, mut bytes) = (vec![top.to_owned()], Vec::new(), 0);
    while let Some(folder) = waiting.pop() {
        for entry in std::fs::read_dir(&folder).ok()? {
            let entry = entry.ok()?;
            let kind = entry.file_type().ok()?;
            match kind.is_dir() {
                true if entry.file_name() == "__pycache__" => {}
                true => waiting.push(entry.path()),
                false => {
                    bytes += entry.metadata().ok()?.len();
                    files.push((entry.path(), kind.is_file()));
                }
            }
            if files.len() > FILES_MAX || bytes > BYTES_MAX {
                return None;
            }
        }
    }
    files.sort();
    let mut digest = DigestParts::new();
    for (path, is_file) in files {
        let name = path.strip_prefix(top).unwrap_or(&path);
        digest.add(name.as_os_str().as_encoded_bytes());
        match is_file {
            true => digest.add(&read_content(&path)?),
            false => digest.add(path.read_link().ok()?.as_os_str().as_encoded_bytes()),
        }
    }
    Some(digest.finish())
}
