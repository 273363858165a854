//! Good archives, hostile ones, and any bytes at all.

mod hostile;
mod looking;
mod make;
mod random;
mod round_trip;

use std::fs::File;
use std::io::{Read, Write};
use std::sync::Arc;

use tempfile::TempDir;
use tool_core::{CallBudget, Capabilities, Ctx, StopFlag, ToolError, Value, json};

use super::TOOLS;
use host_sandbox::Workspace;

struct Place {
    folder: TempDir,
    ctx: Ctx,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let files = Workspace::open(folder.path()).unwrap();
        let ctx =
            Ctx::new(StopFlag::new(), CallBudget::default()).with_capabilities(Capabilities {
                files: Some(Arc::new(files)),
                ..Capabilities::default()
            });
        Self { folder, ctx }
    }

    fn put(&self, path: &str, content: &[u8]) {
        let path = self.folder.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        File::create(path).unwrap().write_all(content).unwrap();
    }

    fn content(&self, path: &str) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut file = File::open(self.folder.path().join(path)).unwrap();
        file.read_to_end(&mut bytes).unwrap();
        bytes
    }

    fn call(&self, tool: &str, args: &str) -> Result<Value, ToolError> {
        let args = json::parse_json(args, json::JsonLimits::default()).unwrap();
        let found = TOOLS
            .iter()
            .map(|entry| entry.tool())
            .find(|found| found.spec().id == tool);
        found.unwrap().decode(&args)?.run(&self.ctx)
    }

    /// Every path below the folder, sorted.
    fn paths(&self) -> Vec<String> {
        let mut found = Vec::new();
        let mut open = vec![self.folder.path().to_owned()];
        while let Some(folder) = open.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                found.push(
                    path.strip_prefix(self.folder.path())
                        .unwrap()
                        .display()
                        .to_string(),
                );
                if path.symlink_metadata().unwrap().is_dir() {
                    open.push(path);
                }
            }
        }
        found.sort();
        found
    }
}

fn texts(value: &Value, list: &str, member: &str) -> Vec<String> {
    let items = value.get(list).unwrap();
    let items = items.items().unwrap();
    items
        .iter()
        .filter_map(|item| item.get(member))
        .map(|text| text.as_str().unwrap().to_owned())
        .collect()
}

fn text(value: &Value, member: &str) -> String {
    value.get(member).unwrap().as_str().unwrap().to_owned()
}

fn number(value: &Value, member: &str) -> i64 {
    value.get(member).and_then(|value| value.as_i64()).unwrap()
}

/// The archive that the examples name.
pub(crate) fn bundle() -> Vec<u8> {
    make::zip(&[
        make::member("a.txt", b"hello\n"),
        make::member("d/b.csv", b"1,2\n"),
    ])
}
