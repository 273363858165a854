//! Several roots: each confined on its own, the nearest one deciding what is written.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use tool_core::Access;
use tool_core::capability::{FileCall, FileChange, FileKind, LinkMode};

use super::super::super::WorkspaceRoot;
use super::*;

/// Folders `here` and `out` that are written, `data` that is read, and within `here` the read-only `here/kept` with the writable
/// `here/kept/own`; `other` and `secret` are in no root.
struct Several {
    top: TempDir,
    files: Arc<dyn WorkspaceFiles>,
}

const ROOTS: [(&str, Access); 5] = [
    ("here", Access::Write),
    ("data", Access::Read),
    ("out", Access::Write),
    ("here/kept", Access::Read),
    ("here/kept/own", Access::Write),
];

fn open(top: &Path, roots: &[(&str, Access)]) -> Result<Arc<dyn WorkspaceFiles>, ToolError> {
    let folder = |(path, access): &(&str, Access)| WorkspaceRoot {
        path: top.join(path),
        access: *access,
    };
    let folders: Vec<WorkspaceRoot> = roots.iter().map(folder).collect();
    super::super::open_workspace(
        &folders,
        &[top.join("out/rules.toml")],
        &[top.join("data/state")],
    )
}

impl Several {
    fn new() -> Self {
        let top = tempfile::tempdir().unwrap();
        for folder in [
            "here/d",
            "here/kept/d",
            "here/kept/own",
            "data/d",
            "data/state",
            "out",
            "other",
        ] {
            fs::create_dir_all(top.path().join(folder)).unwrap();
        }
        for file in [
            "here/f",
            "here/kept/f",
            "data/f",
            "data/d/f",
            "data/state/f",
            "out/f",
            "out/rules.toml",
            "other/f",
            "secret",
        ] {
            put(&top.path().join(file), file.as_bytes());
        }
        let files = open(top.path(), &ROOTS).unwrap();
        Self { top, files }
    }

    fn real(&self, path: &str) -> String {
        let top = self.top.path().canonicalize().unwrap();
        top.join(path).to_str().unwrap().to_owned()
    }

    fn link(&self, target: impl AsRef<Path>, name: &str) {
        symlink(target, self.top.path().join(name)).unwrap();
    }

    fn read(&self, path: &str) -> Result<String, ToolError> {
        let content = self.files.read(path, 1 << 20)?;
        Ok(String::from_utf8(content.bytes).unwrap())
    }

    fn name(&self, path: &str) -> Result<String, ToolError> {
        Ok(self.files.identity(path)?.path)
    }

    /// Every operation that writes at a path, tried; each must be refused.
    #[track_caller]
    fn assert_unwritable(&self, path: &str, reasons: &[&str]) {
        let before = self.snapshot();
        let create = |path: &str| FileChange::Create {
            path: path.to_owned(),
            content: b"x".to_vec(),
            mode: None,
        };
        let below = format!("{path}/new");
        let old = self.read(path).unwrap_or_default().into_bytes();
        let replace = FileChange::Replace {
            path: path.to_owned(),
            before: old.clone(),
            content: b"x".to_vec(),
        };
        let delete = FileChange::Delete {
            path: path.to_owned(),
            before: old,
        };
        let tried = [
            self.files.write(path, b"x", WriteMode::Create).map(drop),
            self.files.write(path, b"x", WriteMode::Append).map(drop),
            self.files.write(path, b"x", WriteMode::Overwrite).map(drop),
            self.files.write(&below, b"x", WriteMode::Create).map(drop),
            self.files.make_folder(&below),
            self.files.remove(path, FileKind::File).map(drop),
            self.files.remove(path, FileKind::Directory).map(drop),
            self.files.change(&[create(path)]).map(drop),
            self.files.change(&[create(&below)]).map(drop),
            self.files
                .change(&[create(&format!("{below}/deep"))])
                .map(drop),
            self.files.change(&[replace]).map(drop),
            self.files.change(&[delete]).map(drop),
            self.files.draft(path).map(drop),
            self.files.draft(&below).map(drop),
        ];
        for (index, done) in tried.into_iter().enumerate() {
            let err = done.expect_err(&format!("operation {index} on {path}"));
            let reason = err.reason_str().unwrap_or_default();
            assert!(
                reasons.contains(&reason),
                "operation {index} on {path}: {err:?}"
            );
        }
        assert_eq!(self.snapshot(), before, "{path}");
    }

    /// Every path with its content.
    fn snapshot(&self) -> Vec<(PathBuf, String)> {
        let mut found = Vec::new();
        let mut ahead = vec![self.top.path().to_owned()];
        while let Some(folder) = ahead.pop() {
            for entry in fs::read_dir(folder).unwrap().flatten() {
                let path = entry.path();
                let kind = entry.file_type().unwrap();
                let bytes = if kind.is_file() {
                    content(&path)
                } else {
                    String::new()
                };
                if kind.is_dir() {
                    ahead.push(path.clone());
                }
                found.push((path, bytes));
            }
        }
        found.sort();
        found
    }
}

#[test]
fn every_file_has_one_name_in_the_root_that_has_it() {
    let place = Several::new();
    let data = place.real("data");
    for (path, name, content) in [
        ("f", "f".to_owned(), "here/f"),
        ("./d/../f", "f".to_owned(), "here/f"),
        ("kept/f", "kept/f".to_owned(), "here/kept/f"),
        (&place.real("here/f"), "f".to_owned(), "here/f"),
        (
            &place.real("here/kept/f"),
            "kept/f".to_owned(),
            "here/kept/f",
        ),
        ("../data/f", format!("{data}/f"), "data/f"),
        (&format!("{data}/f"), format!("{data}/f"), "data/f"),
        (&format!("{data}/d/../f"), format!("{data}/f"), "data/f"),
        (&format!("{data}//d/./f"), format!("{data}/d/f"), "data/d/f"),
        (&place.real("here/../data/f"), format!("{data}/f"), "data/f"),
    ] {
        assert_eq!(place.read(path).unwrap(), content, "{path}");
        assert_eq!(place.name(path).unwrap(), name, "{path}");
    }
    assert_eq!(place.name(&data).unwrap(), data);
    assert_eq!(place.name(".").unwrap(), ".");
    let stop = StopFlag::new();
    let (listed, more) = place.files.list(&data, true, 100, &stop).unwrap();
    let names: Vec<String> = listed.into_iter().map(|info| info.path).collect();
    assert_eq!(
        names,
        ["d", "d/f", "f"].map(|name| format!("{data}/{name}"))
    );
    assert!(!more);
    let info = place
        .files
        .write("../out/new", b"x", WriteMode::Create)
        .unwrap();
    assert_eq!(info.path, place.real("out/new"));
    assert_eq!(content(&place.top.path().join("out/new")), "x");
}

#[test]
fn nothing_beside_the_roots_is_reached() {
    let place = Several::new();
    place.link("../other", "here/other");
    place.link(place.real("secret"), "data/secret");
    place.link("..", "data/up");
    place.link("../../data/up/secret", "here/d/winding");
    for path in [
        "../secret",
        "../other/f",
        "../data/../secret",
        "../data-more/f",
        "other/f",
        "../data/secret",
        "../data/up/secret",
        "d/winding",
        "..",
        &place.real(""),
        &place.real("secret"),
        &place.real("other/f"),
        &place.real("data/../secret"),
        &place.real("data/secret"),
        &place.real("data/up/other/f"),
        "/etc/passwd",
    ] {
        assert_reason(place.read(path), "outside_workspace");
        assert_reason(place.name(path), "outside_workspace");
        place.assert_unwritable(
            path,
            &[
                "outside_workspace",
                "link",
                "path",
                "read_only_root",
                "not_a_folder",
            ],
        );
    }
    let err = place.read("../secret").unwrap_err();
    let hint = err.hint_str().unwrap();
    assert!(hint.contains(&place.real("data")) && hint.contains(&place.real("out")));
}

#[test]
fn a_read_only_root_is_never_written() {
    let place = Several::new();
    for path in [
        "../data/f",
        "../data/new",
        "../data/d",
        &place.real("data/f"),
        &place.real("data/d/new"),
        "kept/f",
        "kept/new",
        "kept/d",
        "d/../kept/f",
        &place.real("here/kept/f"),
    ] {
        place.assert_unwritable(
            path,
            // A folder above a path may be a file, or missing.
            &[
                "read_only_root",
                "not_a_folder",
                "not_found",
                "not_a_file",
                "path",
            ],
        );
        let written = place.files.write(path, b"x", WriteMode::Overwrite);
        assert_eq!(
            written.unwrap_err().code(),
            tool_core::ErrorCode::PolicyDenied,
            "{path}"
        );
    }
    for path in ["new", "kept/own/new", "kept/own/deep/new", "../out/new"] {
        let create = FileChange::Create {
            path: path.to_owned(),
            content: b"x".to_vec(),
            mode: None,
        };
        place
            .files
            .change(&[create])
            .unwrap_or_else(|err| panic!("{path}: {err:?}"));
        assert_eq!(place.read(path).unwrap(), "x", "{path}");
    }
    // Roots are neither deleted nor replaced, whatever the folder above allows.
    fs::remove_dir_all(place.top.path().join("here/kept/own")).unwrap();
    fs::remove_dir_all(place.top.path().join("here/kept")).unwrap();
    fs::create_dir_all(place.top.path().join("here/kept")).unwrap();
    let files = open(place.top.path(), &ROOTS[..4]).unwrap();
    assert_reason(files.remove("kept", FileKind::Directory), "root");
    assert_reason(files.draft("kept").map(drop), "root");
    assert!(place.top.path().join("here/kept").is_dir());
}

#[test]
fn changes_in_several_roots_are_one_transaction() {
    let place = Several::new();
    let create = |path: &str| FileChange::Create {
        path: path.to_owned(),
        content: b"new".to_vec(),
        mode: None,
    };
    let delete = |path: &str, before: &str| FileChange::Delete {
        path: path.to_owned(),
        before: before.as_bytes().to_vec(),
    };
    let before = place.snapshot();
    for last in [
        create("../data/g"),
        create("kept/g"),
        create("../out/f"),
        create("../secret2"),
    ] {
        let changes = [create("g"), create("../out/g"), delete("f", "here/f"), last];
        place.files.change(&changes).unwrap_err();
        assert_eq!(place.snapshot(), before);
    }
    let done = place
        .files
        .change(&[create("g"), create("../out/g"), delete("f", "here/f")]);
    let names: Vec<String> = done.unwrap().into_iter().map(|info| info.path).collect();
    assert_eq!(names, ["g".to_owned(), place.real("out/g"), "f".to_owned()]);
}

#[test]
fn links_from_one_root_to_another_are_read_and_never_written() {
    let place = Several::new();
    let data = place.real("data");
    place.link(&data, "here/absolute");
    place.link("../data", "here/relative");
    place.link("../out", "here/out");
    place.link("../here/relative/f", "out/chain");
    place.link("../here/loop", "out/loop");
    place.link("../out/loop", "here/loop");
    for path in [
        "absolute/f",
        "relative/f",
        "relative/d/../f",
        "../out/chain",
    ] {
        assert_eq!(place.read(path).unwrap(), "data/f", "{path}");
        assert_eq!(place.name(path).unwrap(), format!("{data}/f"), "{path}");
        assert_reason(place.files.open(path, LinkMode::Refuse).map(drop), "link");
    }
    assert_reason(place.read("loop"), "link");
    assert_eq!(place.name("out/new").unwrap(), place.real("out/new"));
    for path in ["out/f", "out/new", "absolute/f"] {
        let reasons = [
            "link",
            "not_found",
            "not_a_folder",
            "path",
            "read_only_root",
        ];
        place.assert_unwritable(path, &reasons);
    }
    let stop = StopFlag::new();
    let (listed, _) = place.files.list("relative", false, 100, &stop).unwrap();
    assert!(listed.iter().any(|info| info.path == format!("{data}/f")));
    assert_reason(place.files.list("relative", true, 100, &stop), "link");
}

/// A call reads where its paths led when it was decided, also if a link leads to another root since.
#[test]
fn a_call_stays_in_the_root_it_was_decided_for() {
    let place = Several::new();
    put(&place.top.path().join("here/d/f"), b"here/d/f");
    place.link("d", "here/link");
    let id = |path: &str| (path.to_owned(), place.name(path).unwrap());
    let bound = |paths: &[&str]| {
        let places = paths.iter().map(|path| id(path)).collect();
        let call = FileCall {
            key: "k".to_owned(),
            places,
        };
        place.files.for_call(&call).unwrap()
    };
    let call = bound(&["link/f"]);
    let link = place.top.path().join("here/link");
    let turn = |target: &str| {
        fs::remove_file(&link).unwrap();
        symlink(target, &link).unwrap();
    };
    let read = |files: &Arc<dyn WorkspaceFiles>, path: &str| {
        files
            .read(path, 100)
            .map(|found| String::from_utf8(found.bytes).unwrap())
    };
    turn("../data");
    assert_eq!(read(&call, "link/f").unwrap(), "here/d/f");
    let call = bound(&["link/f", "../data/f", "../out/new"]);
    assert_eq!(read(&call, "link/f").unwrap(), "data/f");
    turn("../out");
    assert_eq!(read(&call, "link/f").unwrap(), "data/f");
    assert_eq!(read(&call, "../data/f").unwrap(), "data/f");
    assert_reason(call.write("link/f", b"x", WriteMode::Overwrite), "link");
    call.write("../out/new", b"x", WriteMode::Create).unwrap();
    assert_eq!(content(&place.top.path().join("out/new")), "x");
}

#[test]
fn protected_and_closed_files_are_so_in_every_root() {
    let place = Several::new();
    for path in [
        "../out/rules.toml",
        "../out/mathchain.toml",
        "../out/.git/config",
        "../out/plugins/p/plugin.py",
        "../out/agents/a.md",
        "kept/own/agents/a.md",
        "kept/own/.mathchain/state.db",
    ] {
        let written = place.files.write(path, b"x", WriteMode::Create);
        assert_reason(written, "protected_path");
    }
    for path in ["../data/state/f", "../data/.mathchain/state.db"] {
        assert_reason(place.read(path), "protected_path");
    }
}

/// Another process gives a read-only root another name again and again: no write under either name gets into it.
#[test]
fn a_renamed_root_stays_read_only() {
    let place = Several::new();
    let (kept, moved) = (
        place.top.path().join("here/kept"),
        place.top.path().join("here/moved"),
    );
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                fs::rename(&kept, &moved).unwrap();
                fs::rename(&moved, &kept).unwrap();
            }
        });
        let until = Instant::now() + Duration::from_millis(300);
        let (mut refused, mut tried) = (0, 0);
        while Instant::now() < until || tried < 200 {
            for path in ["kept/d/x", "moved/d/x", "moved/x"] {
                let written = place.files.write(path, b"x", WriteMode::Overwrite);
                let err = written.expect_err("a write into the read-only root");
                refused += usize::from(err.reason_str() == Some("read_only_root"));
                tried += 1;
            }
        }
        done.store(true, Ordering::Relaxed);
        assert!(refused > 0, "no attempt of {tried} reached the folder");
    });
    assert!(!kept.join("d/x").exists() && !kept.join("x").exists());
}

#[test]
fn roots_that_would_be_ambiguous_are_refused() {
    let place = Several::new();
    let top = place.top.path();
    symlink(top.join("data"), top.join("alias")).unwrap();
    use Access::{Read, Write};
    for (roots, message) in [
        (
            &[("here", Write), ("missing", Read)][..],
            "cannot be opened",
        ),
        (&[("here", Write), ("secret", Read)], "cannot be opened"),
        (&[("here", Write), ("here", Read)], "is given twice"),
        (
            &[("here", Write), ("data", Read), ("alias", Write)],
            "is given twice",
        ),
        (
            &[("here/d", Write), ("here", Read)],
            "name the outer one first",
        ),
        (&[("here", Write), ("/", Read)], "contains the others"),
    ] {
        let err = open(top, roots).map(drop).unwrap_err();
        assert!(err.message().contains(message), "{roots:?}: {err:?}");
        assert_eq!(err.reason_str(), Some("workspace"), "{roots:?}");
        assert!(err.hint_str().is_some());
    }
    let only = open(top, &[("data", Read)]).unwrap();
    assert_reason(only.write("new", b"x", WriteMode::Create), "read_only_root");
    assert_eq!(only.read("f", 10).unwrap().bytes, b"data/f");
}
