//! Locating programs.

use std::fs::Metadata;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use tool_core::command::SandboxProgram;

use super::super::lists::{PATH, READABLE, SYSTEM};

/// Searches the path of the sandbox, then the path of the caller.
pub(super) fn find_program(program: &str, callers: &[PathBuf]) -> Option<SandboxProgram> {
    if program.is_empty() || program.contains(['/', '\0']) {
        return None;
    }
    let executable = |found: Metadata| found.is_file() && found.permissions().mode() & 0o111 != 0;
    let own = PATH.split(':').map(Path::new);
    let callers = callers.iter().map(PathBuf::as_path);
    let path = own
        .chain(callers)
        // Shims need a version manager, which the sandbox lacks.
        .filter(|folder| folder.is_absolute() && !folder.ends_with("shims"))
        .map(|folder| folder.join(program))
        .find(|path| path.metadata().is_ok_and(executable))?;
    Some(SandboxProgram {
        readable: program_dependencies(&path),
        path: path.to_str()?.to_owned(),
    })
}

/// A program at a path, if there is one.
pub(super) fn program_at_path(path: &Path) -> Option<SandboxProgram> {
    let found = path.metadata().ok()?;
    let is_executable = found.is_file() && found.permissions().mode() & 0o111 != 0;
    Some(SandboxProgram {
        readable: program_dependencies(path),
        path: path.to_str().filter(|_| is_executable)?.to_owned(),
    })
}

/// The paths a program outside the system folders needs: itself, and the libraries beside its `bin` folder. Of the interpreter of a
/// virtual environment also those of the interpreter that the environment was made from.
pub fn program_dependencies(path: &Path) -> Vec<PathBuf> {
    let mut readable = Vec::new();
    let real = path.canonicalize().ok();
    for path in [Some(path), real.as_deref()].into_iter().flatten() {
        let mut system = READABLE.split(' ').chain([SYSTEM]);
        if system.any(|folder| path.starts_with(folder)) {
            continue;
        }
        readable.push(path.to_owned());
        let Some(bin) = path.parent().filter(|folder| folder.ends_with("bin")) else {
            continue;
        };
        readable.push(bin.to_owned());
        if let Some(prefix) = bin.parent() {
            readable.extend(["lib", "lib64", "pyvenv.cfg"].map(|name| prefix.join(name)));
        }
    }
    readable.retain(|path| path.exists());
    readable.dedup();
    readable
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_system_comes_first_and_needs_nothing_more() {
        let folder = tempfile::tempdir().unwrap();
        let bin = folder.path().join("bin");
        std::fs::create_dir_all(folder.path().join("lib")).unwrap();
        std::fs::create_dir(&bin).unwrap();
        for (name, mode) in [("sh", 0o755), ("own", 0o755), ("plain", 0o644)] {
            let file = bin.join(name);
            std::fs::File::create(&file).unwrap();
            std::fs::set_permissions(&file, PermissionsExt::from_mode(mode)).unwrap();
        }
        let path = [bin.clone()];
        let shell = find_program("sh", &path).unwrap();
        assert!(shell.path.ends_with("bin/sh") && shell.readable.is_empty());
        let own = find_program("own", &path).unwrap();
        assert_eq!(own.readable[0], bin.join("own"));
        assert!(own.readable.contains(&folder.path().join("lib")));
        assert!(!own.readable.contains(&folder.path().to_owned()));
        for none in ["plain", "missing", "", "../bin/own", "bin/own"] {
            assert_eq!(find_program(none, &path), None, "{none}");
        }
    }
}
