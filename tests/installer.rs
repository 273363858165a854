//! `packages/install.sh`, on archives whose program is a script: what it installs, and that nothing else changes.
#![cfg(target_os = "linux")]
#![expect(
    clippy::disallowed_methods,
    reason = "a test makes archives and reads what was installed"
)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

/// A folder as `packages/build` makes it, with a home beside it.
struct Release {
    folder: TempDir,
    name: String,
}

impl Release {
    fn new(program: &str) -> Self {
        let platform = match std::env::consts::ARCH {
            "aarch64" => "linux-arm64",
            _ => "linux-x64",
        };
        let name = format!("mathchain-1.2.3-{platform}");
        let folder = TempDir::new().expect("a folder");
        let release = Self { folder, name };
        let inside = release.path(&release.name);
        fs::create_dir_all(&inside).expect("a folder");
        fs::create_dir(release.path("home")).expect("a folder");
        fs::write(inside.join("mathchain"), program).expect("writes");
        release.run("tar", &["czf", &release.archive(), &release.name]);
        let sums = release.run("sha256sum", &[&release.archive()]);
        fs::write(release.path("SHA256SUMS"), sums.1).expect("writes");
        let script = tests::root().join("packages/install.sh");
        fs::copy(script, release.path("install.sh")).expect("copies");
        release
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn archive(&self) -> String {
        format!("{}.tar.gz", self.name)
    }

    /// Whether a program succeeds in the folder, and all that it prints.
    fn run(&self, program: &str, args: &[&str]) -> (bool, String) {
        let done = Command::new(program)
            .args(args)
            .current_dir(self.folder.path())
            .env("HOME", self.path("home"))
            .output()
            .expect("the program starts");
        let printed = [done.stdout, done.stderr].concat();
        (
            done.status.success(),
            String::from_utf8(printed).expect("text"),
        )
    }

    fn install(&self, args: &[&str]) -> (bool, String) {
        self.run("sh", &[&["install.sh"], args].concat())
    }

    /// An installation that fails with this message, and writes nothing.
    fn refuse(&self, args: &[&str], message: &str) {
        let before = files(self.folder.path());
        let (succeeds, printed) = self.install(args);
        assert!(
            !succeeds && printed.contains(message),
            "{args:?}: {printed}"
        );
        assert_eq!(files(self.folder.path()), before, "{args:?}");
    }
}

/// The files below a folder, with their contents.
fn files(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            let content = fs::read(&path).expect("a file");
            found.push((path, content));
        }
    }
    found.sort();
    found
}

const PROGRAM: &str = "#!/bin/sh\necho mathchain 1.2.3\n";

#[test]
fn the_program_alone_is_installed() {
    let release = Release::new(PROGRAM);
    let before = files(release.folder.path());
    let (succeeds, printed) = release.install(&[]);
    assert!(succeeds, "{printed}");
    let program = release.path("home/.local/bin/mathchain");
    let line = format!("installed mathchain 1.2.3 as {}", program.display());
    assert!(printed.contains(&line), "{printed}");
    assert!(printed.contains("add the folder to PATH"), "{printed}");
    let mut after = files(release.folder.path());
    after.retain(|file| !before.contains(file));
    assert_eq!(after, [(program.clone(), PROGRAM.as_bytes().to_vec())]);
    let shown = release.run(&program.display().to_string(), &["--version"]);
    assert_eq!(shown, (true, "mathchain 1.2.3\n".to_owned()));

    for args in [
        ["--to", "bin", "--from", "."],
        ["--to", "sbin", "--from", &release.archive()],
    ] {
        let (succeeds, printed) = release.install(&args);
        assert!(succeeds, "{printed}");
        assert!(release.path(args[1]).join("mathchain").is_file());
    }
}

#[test]
fn an_existing_file_is_replaced_only_when_asked() {
    let release = Release::new(PROGRAM);
    let program = release.path("bin/mathchain");
    fs::create_dir(release.path("bin")).expect("a folder");
    fs::write(&program, "another").expect("writes");
    release.refuse(&["--to", "bin"], "bin/mathchain exists");
    let (succeeds, printed) = release.install(&["--to", "bin", "--replace"]);
    assert!(succeeds, "{printed}");
    assert_eq!(fs::read(&program).expect("a file"), PROGRAM.as_bytes());

    fs::write(release.path("elsewhere"), "another").expect("writes");
    fs::create_dir(release.path("linked")).expect("a folder");
    std::os::unix::fs::symlink("../elsewhere", release.path("linked/mathchain")).expect("a link");
    release.refuse(&["--to", "linked", "--replace"], "is not a file");
    fs::create_dir_all(release.path("folders/mathchain")).expect("a folder");
    release.refuse(&["--to", "folders", "--replace"], "is not a file");
}

#[test]
fn a_damaged_archive_and_wrong_arguments_install_nothing() {
    let release = Release::new(PROGRAM);
    release.refuse(&["--from", "missing.tar.gz"], "does not exist");
    release.refuse(&["--from", "home"], "no mathchain-*-linux-");
    release.refuse(&["--from"], "--from needs a value");
    release.refuse(&["--prefix", "bin"], "unknown argument --prefix");
    release.refuse(&["--to", "SHA256SUMS"], "cannot be written to");
    let (succeeds, printed) = release.install(&["--help"]);
    assert!(succeeds && printed.contains("--replace"), "{printed}");

    let mut bytes = fs::read(release.path(&release.archive())).expect("an archive");
    bytes.push(0);
    fs::write(release.path(&release.archive()), bytes).expect("writes");
    release.refuse(&[], "is damaged");
    fs::write(release.path("SHA256SUMS"), "").expect("writes");
    release.refuse(&[], "does not list");
    fs::remove_file(release.path("SHA256SUMS")).expect("removes");
    release.refuse(&[], "SHA256SUMS beside the archive");

    let broken = Release::new("#!/bin/sh\nexit 3\n");
    broken.refuse(&["--to", "home"], "does not start here");
}
