//! `apply_patch` on files in memory: any text is a patch that fits or a typed error, and a patch that does not fit changes nothing.

#![no_main]

use mathchain::tool_core::{Reason, ResourceId};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use libfuzzer_sys::fuzz_target;
use mathchain::host_tools::files::apply_patch::Args;
use mathchain::tool_core::capability::{FileChange, FileContent, FileInfo, FileKind, WorkspaceFiles, WriteMode};
use mathchain::tool_core::{CallBudget, Capabilities, Ctx, ErrorCode, StopFlag, Tool, ToolError};

/// Stands between the content of `f` and the patch.
const LINE: &str = "\n====\n";

fuzz_target!(|text: &str| {
    let (content, patch) = text
        .split_once(LINE)
        .unwrap_or(("a\nb\nc\nd\ne\nf\ng\n", text));
    let files = Arc::new(Memory::default());
    for (path, content) in [
        ("f", content),
        ("d/crlf.txt", "a\r\nb\r\nc\r\n"),
        (
            "open.py",
            "class A:\n    def f():\n        pass\nclass B:\n    def f():\n        pass",
        ),
        ("empty", ""),
    ] {
        files.put(path, content.as_bytes());
    }
    let args = Args {
        patch: patch.to_owned(),
    };
    let keys = Args::resources(&args);
    let reach = Args::narrow(&args);
    let ctx = Ctx::new(StopFlag::new(), CallBudget::default()).with_capabilities(Capabilities {
        files: Some(files.clone()),
        ..Capabilities::default()
    });
    let before = files.texts();
    let lines = lines(&before);
    match Args::run(args, &ctx) {
        Err(err) => {
            assert_eq!(files.texts(), before, "{err:?}");
            assert!(keys.is_ok() || err.path() == Some("/patch"), "{err:?}");
        }
        Ok(output) => {
            let after = files.texts();
            let declared = keys.expect("what is applied was declared").len();
            assert!(output.files.len() <= declared);
            let gone = before.keys().any(|path| !after.contains_key(path));
            let moved = output
                .files
                .iter()
                .filter(|file| file.moved_from.is_some())
                .count();
            assert!(reach.destructive || !gone || moved > 0);
            // One line more or less where a text is one empty line without an end.
            let expected = lines + output.added as usize - output.removed as usize;
            let found = self::lines(&after);
            assert!(
                found.abs_diff(expected) <= 2 * output.files.len(),
                "{found} {expected}"
            );
        }
    }
});

fn lines(texts: &BTreeMap<String, Vec<u8>>) -> usize {
    let count = |text: &Vec<u8>| std::str::from_utf8(text).expect("text").lines().count();
    texts.values().map(count).sum()
}

/// A workspace in memory.
#[derive(Default)]
struct Memory(Mutex<BTreeMap<String, Vec<u8>>>);

impl Memory {
    fn put(&self, path: &str, content: &[u8]) {
        self.0
            .lock()
            .expect("no panic")
            .insert(path.to_owned(), content.to_vec());
    }

    fn texts(&self) -> BTreeMap<String, Vec<u8>> {
        self.0.lock().expect("no panic").clone()
    }
}

fn missing(path: &str) -> ToolError {
    ToolError::new(ErrorCode::ToolError, format_args!("`{path}` is missing")).reason(Reason::NotFound)
}

fn info(path: &str, content: &[u8]) -> FileInfo {
    FileInfo {
        path: path.to_owned(),
        kind: FileKind::File,
        size: content.len() as u64,
        modified_s: 0.0,
        mode: 0o644,
    }
}

impl WorkspaceFiles for Memory {
    fn read(&self, path: &str, _: u64) -> Result<FileContent, ToolError> {
        let texts = self.texts();
        let bytes = texts.get(path).ok_or_else(|| missing(path))?;
        Ok(FileContent {
            info: info(path, bytes),
            bytes: bytes.clone(),
            truncated: false,
        })
    }

    fn write(&self, path: &str, _: &[u8], _: WriteMode) -> Result<FileInfo, ToolError> {
        Err(missing(path))
    }

    fn list(
        &self,
        path: &str,
        _: bool,
        _: usize,
        _: &StopFlag,
    ) -> Result<(Vec<FileInfo>, bool), ToolError> {
        Err(missing(path))
    }

    fn stat(&self, path: &str) -> Result<FileInfo, ToolError> {
        self.read(path, 0).map(|content| content.info)
    }

    fn identity(&self, path: &str) -> Result<ResourceId, ToolError> {
        Ok(path.to_owned().into())
    }

    /// All of them, each on what it expects: the tool must not ask for anything else.
    fn change(&self, changes: &[FileChange]) -> Result<Vec<FileInfo>, ToolError> {
        let mut texts = self.texts();
        let mut infos = Vec::new();
        for change in changes {
            infos.push(match change {
                FileChange::Create { path, content, .. } => {
                    assert!(texts.insert(path.clone(), content.clone()).is_none());
                    info(path, content)
                }
                FileChange::Replace {
                    path,
                    before,
                    content,
                } => {
                    assert_eq!(
                        texts.insert(path.clone(), content.clone()).as_ref(),
                        Some(before)
                    );
                    info(path, content)
                }
                FileChange::Delete { path, before } => {
                    assert_eq!(texts.remove(path).as_ref(), Some(before));
                    info(path, before)
                }
            });
        }
        *self.0.lock().expect("no panic") = texts;
        Ok(infos)
    }
}
