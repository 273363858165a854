//! Size of a folder and free space of its disk.

use std::collections::BTreeMap;

use super::glob::FolderPrefix;
use super::walk::{self, WalkControl};
use crate::prelude::*;

/// Report the number and total size of the files in a folder of the workspace, its largest entries, and the free space of the disk.
/// Links are not followed; the content of `.git` is not counted.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// The folder, relative to the workspace root.
    #[value(default = "default_root")]
    pub path: String,
    /// Number of largest entries to list, 0 to 1000.
    #[value(default = "BoundedInteger::<0, 1000>::of::<10>")]
    pub largest: BoundedInteger<0, 1000>,
    /// Whether to report the size and free space of the disk.
    #[value(default = "default_true")]
    pub disk: bool,
}

#[derive(Debug, Encode, Describe)]
pub(crate) struct Output {
    /// Number of regular files in the folder and below.
    pub files: u64,
    /// Number of folders below it.
    pub folders: u64,
    /// Total size of the files in bytes.
    pub bytes: u64,
    /// The largest entries of the folder, largest first.
    pub largest: Vec<DiskUsageEntry>,
    /// Size of the file system in bytes; absent when `disk` is false.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-present" = { "disk": true }))]
    pub disk_bytes: Option<u64>,
    /// Free space of the file system in bytes; absent when `disk` is false.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-present" = { "disk": true }))]
    pub free_bytes: Option<u64>,
    /// Number of folders that could not be read.
    pub unread: u64,
}

/// Size of one entry of the folder.
#[derive(Debug, Encode, Describe)]
pub(crate) struct DiskUsageEntry {
    /// Its path relative to the workspace root.
    pub path: String,
    /// Size of the file, or of all files below, in bytes.
    pub bytes: u64,
}

impl Tool for Args {
    const SPEC: Spec = super::READING
        .with_name("disk_usage", "Size of a folder")
        .tags(&["folder", "size"])
        .syntax(&[("/path", Syntax::Tree)]);
    type Output = Output;

    fn run(args: Args, ctx: &Ctx) -> Result<Output> {
        let mut usage = measure_usage(&args, ctx).at("/path")?;
        if args.disk {
            let space = ctx.files()?.space(&args.path);
            let space = space.at("/path")?;
            usage.disk_bytes = Some(space.total);
            usage.free_bytes = Some(space.free);
        }
        Ok(usage)
    }

    /// Run in a workspace that has `notes.txt` with 12 bytes, `data/a.csv` with 6 and `data/b.txt` with 2.
    const EXAMPLES: &'static [JsonExample] = examples! {
        "the size of the workspace": r#"{"disk": false}"# => r#"{
            "files": 3, "folders": 1, "bytes": 20,
            "largest": [{"path": "notes.txt", "bytes": 12}, {"path": "data", "bytes": 8}], "unread": 0
        }"#;
    };
}

fn measure_usage(args: &Args, ctx: &Ctx) -> Result<Output> {
    let top = walk::resolve_top(ctx, &args.path)?;
    let below = FolderPrefix::of(&top);
    let (mut files, mut folders, mut bytes) = (0, 0, 0_u64);
    let mut shares: BTreeMap<String, u64> = BTreeMap::new();
    let unread = walk::walk_tree(ctx, &top, true, &mut |entry| {
        match entry.kind {
            FileKind::File => files += 1,
            FileKind::Directory => folders += 1,
            _ => {}
        }
        bytes = bytes.saturating_add(entry.size);
        let inside = below.path(&entry.path);
        let first = inside.find('/').unwrap_or(inside.len());
        let end = entry.path.len() - inside.len() + first;
        let share = shares.entry(entry.path[..end].to_owned()).or_default();
        *share = share.saturating_add(entry.size);
        Ok(WalkControl::On)
    })?;
    let mut largest: Vec<DiskUsageEntry> = shares
        .into_iter()
        .map(|(path, bytes)| DiskUsageEntry { path, bytes })
        .collect();
    largest.sort_by(|a, b| b.bytes.cmp(&a.bytes).then_with(|| a.path.cmp(&b.path)));
    largest.truncate(args.largest.size());
    Ok(Output {
        files,
        folders,
        bytes,
        largest,
        disk_bytes: None,
        free_bytes: None,
        unread,
    })
}
