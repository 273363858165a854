//! Applying a patch to several files atomically.

use std::collections::BTreeMap;

use super::evidence;
use super::patch::apply::apply_hunks;
use super::patch::{self, FilePatch, PatchAction};
use super::text;
use crate::prelude::*;

/// Apply a patch to files of the workspace: all of its changes, or none if one does not fit. Every hunk must match exactly; a hunk
/// whose lines moved is applied where they match exactly once.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub struct Args {
    /// The patch, in one of two forms. A unified diff, as `diff -u` and `git diff` write it. Or: a line `*** Begin Patch`; for
    /// each file `*** Add File: path` with lines that begin with `+`, `*** Delete File: path`, or `*** Update File: path`,
    /// optionally `*** Move to: path`, and for each hunk a line `@@` (or `@@ def name` for the line it follows), then lines
    /// that begin with a space, `-` or `+`; a line `*** End Patch`. Paths are relative to the workspace root; links are not
    /// followed.
    pub patch: String,
}

/// The changed files and the number of changed lines.
#[derive(Debug, Encode, Describe)]
pub struct Output {
    /// The changed files, in the order of the patch.
    pub files: Vec<PatchedFile>,
    /// Lines added in all files.
    pub added: u64,
    /// Lines removed in all files.
    pub removed: u64,
}

/// One changed file.
#[derive(Debug, Default, Encode, Describe)]
pub struct PatchedFile {
    /// Path relative to the workspace root; of a moved file, the new one.
    pub path: String,
    /// `added`, `updated`, `moved` or `deleted`.
    pub change: PatchChangeKind,
    /// Former path of a moved file.
    #[value(skip_encoding_if = "Option::is_none")]
    pub moved_from: Option<String>,
    /// Hunks applied.
    pub places: u64,
    /// Largest distance, in lines, between a hunk and its line number in a unified diff.
    #[value(skip_encoding_if = "Option::is_none")]
    pub offset: Option<u64>,
    /// New size of the file in bytes; 0 for a deleted one.
    pub size: u64,
}

/// Kind of change.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Encode, Describe)]
#[value(rename_all = "snake_case")]
pub enum PatchChangeKind {
    /// The file is new.
    Added,
    /// The content changed.
    #[default]
    Updated,
    /// The path changed.
    Moved,
    /// The file is deleted.
    Deleted,
}

impl Tool for Args {
    const SPEC: Spec = Spec {
        id: "apply_patch",
        title: "Apply a patch",
        tags: &["file", "text", "edit"],
        // Reading is part of writing here; with `FilesRead`, a plan would take a patch that is not known yet for a reader.
        destructive: true,
        idempotent: false,
        resources: &[],
        keyed_by: Some(&["/patch"]),
        syntax: &[("/patch", Syntax::Patch)],
        ..super::WRITING
    };
    type Output = Output;

    fn run(args: Args, ctx: &Ctx) -> Result<Output> {
        let planned = PatchPlan::of(&args, ctx)?;
        let infos = ctx.files()?.change(&planned.changes).at("/patch")?;
        let paths = infos.into_iter().map(|info| Ok(info.path));
        planned.output(paths)
    }

    fn before(args: &Args, ctx: &Ctx) -> Result<Option<Value>> {
        let planned = PatchPlan::of(args, ctx)?;
        let changes = planned.changes.clone();
        let paths = changes
            .iter()
            .map(|change| evidence::identity_path(change.path(), ctx));
        let output = planned.output(paths)?;
        evidence::of_changes(&changes, &output)
    }

    fn probe(_: &Args, before: &Value, ctx: &Ctx) -> Result<CallProbe> {
        evidence::probe_change(before, ctx)
    }

    /// Every file the patch names, including targets of moves.
    fn resources(args: &Args) -> Result<Vec<ResourceKey>> {
        let files = patch::parse_patch(&args.patch)?;
        let paths = files.iter().flat_map(patched_paths);
        Ok(paths.map(ResourceKey::write_path).collect())
    }

    /// Only deletion is destructive: the patch contains everything else that it removes.
    fn narrow(args: &Args) -> EffectReach {
        let deletes = |file: &FilePatch| matches!(file.action, PatchAction::Delete { .. });
        let patch = patch::parse_patch(&args.patch);
        EffectReach {
            destructive: patch.map_or(true, |files| files.iter().any(deletes)),
            ..EffectReach::of(&Self::SPEC)
        }
    }

    /// Run in a workspace that has `notes.txt` with `hello world` and `data/b.txt` with `x`, each example in one of its own.
    const EXAMPLES: &'static [JsonExample] = examples! {
        "one line changed, a file added and one deleted": r#"{
            "patch": "*** Begin Patch\n*** Update File: notes.txt\n@@\n-hello world\n+hello there\n*** Add File: out/new.txt\n+first\n*** Delete File: data/b.txt\n*** End Patch\n"
        }"#
            => r#"{
                "files": [
                    {"path": "notes.txt", "change": "updated", "places": 1, "size": 12},
                    {"path": "out/new.txt", "change": "added", "places": 0, "size": 6},
                    {"path": "data/b.txt", "change": "deleted", "places": 0, "size": 0}
                ],
                "added": 2, "removed": 2
            }"#;
        "a unified diff":
            r#"{"patch": "--- a/notes.txt\n+++ b/notes.txt\n@@ -1 +1,2 @@\n hello world\n+and more\n"}"#
            => r#"{
                "files": [{"path": "notes.txt", "change": "updated", "places": 1, "offset": 0, "size": 21}],
                "added": 1, "removed": 0
            }"#;
    };
}

fn patched_paths(file: &FilePatch) -> impl Iterator<Item = &str> {
    let moved = match &file.action {
        PatchAction::Update { move_to, .. } => move_to.as_deref(),
        _ => None,
    };
    [file.path.as_str()].into_iter().chain(moved)
}

/// Refuses a file in two sections: their order would be ambiguous.
fn refuse_twice(files: &[FilePatch], ctx: &Ctx) -> Result<()> {
    const HINT: &str = "put all changes of a file into one section, without moving it onto itself";
    let mut seen = BTreeMap::new();
    for file in files {
        for path in patched_paths(file) {
            let identity = ctx.files()?.identity(path);
            let identity = identity.map_err(|err| at_patch(err, file))?;
            if let Some(line) = seen.insert(identity, file.line) {
                let again = file.line;
                return Err(tool_error!(InvalidArgs at "/patch", "patch";
                    "`{path}` is changed on line {line} of the patch and again on line {again}")
                .hint(HINT));
            }
        }
    }
    Ok(())
}

fn at_patch(err: ToolError, file: &FilePatch) -> ToolError {
    match err.path() {
        Some(_) => err,
        None => err
            .prefixed(format_args!("line {} of the patch", file.line))
            .at("/patch"),
    }
}

/// The changes to write, computed before the first one is written.
#[derive(Default)]
struct PatchPlan {
    changes: Vec<FileChange>,
    files: Vec<PatchedFile>,
    /// Index of the change that describes each file.
    shown: Vec<usize>,
    added: u64,
    removed: u64,
}

impl PatchPlan {
    fn of(args: &Args, ctx: &Ctx) -> Result<Self> {
        // The patch and its lines.
        ctx.reserve((args.patch.len() as u64).saturating_mul(4))?;
        let files = patch::parse_patch(&args.patch)?;
        let mut planned = Self::default();
        refuse_twice(&files, ctx)?;
        for file in &files {
            ctx.check()?;
            planned.file(file, ctx).map_err(|err| at_patch(err, file))?;
        }
        ctx.check()?;
        Ok(planned)
    }

    /// The output of the call, with every path as results show it.
    fn output(mut self, paths: impl Iterator<Item = Result<String>>) -> Result<Output> {
        let paths = paths.collect::<Result<Vec<_>, _>>()?;
        for (patched, &index) in self.files.iter_mut().zip(&self.shown) {
            if let (_, Some(content)) = self.changes[index].contents() {
                patched.size = content.len() as u64;
                patched.path.clone_from(&paths[index]);
            }
        }
        Ok(Output {
            files: self.files,
            added: self.added,
            removed: self.removed,
        })
    }

    fn file(&mut self, file: &FilePatch, ctx: &Ctx) -> Result<()> {
        let path = file.path.clone();
        let mut patched = PatchedFile {
            path: path.clone(),
            ..PatchedFile::default()
        };
        match &file.action {
            PatchAction::Add {
                content,
                executable,
            } => {
                patched.change = PatchChangeKind::Added;
                self.added += content.lines().count() as u64;
                self.refuse_existing(&path, ctx)?;
                self.changes.push(FileChange::Create {
                    path,
                    content: content.clone().into_bytes(),
                    mode: executable.then_some(0o755),
                });
            }
            PatchAction::Delete { hunks } => {
                patched.change = PatchChangeKind::Deleted;
                let before = text::read_text(ctx, &path)?;
                self.removed += before.lines().count() as u64;
                if let Some(hunks) = hunks
                    && !apply_hunks(&before, hunks, &path)?.text.is_empty()
                {
                    return Err(tool_error!(InvalidArgs, "no_match";
                        "`{path}` has more lines than the patch deletes";
                        "read the file and make the patch for its current content"));
                }
                self.changes.push(FileChange::Delete {
                    path,
                    before: before.into_bytes(),
                });
            }
            PatchAction::Update { move_to, hunks } => {
                let before = text::read_text(ctx, &path)?;
                let after = apply_hunks(&before, hunks, &path)?;
                patched.places = hunks.len() as u64;
                let numbered = hunks.iter().any(|hunk| hunk.start.is_some());
                patched.offset = numbered.then_some(after.offset as u64);
                for hunk in hunks {
                    let lines = hunk.lines.len() as u64;
                    self.added += lines - hunk.old().count() as u64;
                    self.removed += lines - hunk.new_lines().count() as u64;
                }
                match move_to {
                    None => self.changes.push(FileChange::Replace {
                        path,
                        before: before.into_bytes(),
                        content: after.text.into_bytes(),
                    }),
                    Some(target) => {
                        let mode = ctx.files()?.stat(&path)?.mode & 0o777;
                        self.refuse_existing(target, ctx)?;
                        patched.change = PatchChangeKind::Moved;
                        patched.moved_from = Some(path.clone());
                        self.changes.push(FileChange::Delete {
                            path,
                            before: before.into_bytes(),
                        });
                        self.changes.push(FileChange::Create {
                            path: target.clone(),
                            content: after.text.into_bytes(),
                            mode: Some(mode),
                        });
                    }
                }
            }
        }
        self.files.push(patched);
        self.shown.push(self.changes.len() - 1);
        Ok(())
    }

    fn refuse_existing(&self, path: &str, ctx: &Ctx) -> Result<()> {
        match ctx.files()?.stat(path) {
            Ok(_) => Err(tool_error!(Conflict, Reason::Exists;
                "`{path}` already exists";
                "change it with `*** Update File:`, or choose another path")),
            Err(err) if err.is(Reason::NotFound) || err.is(Reason::NotAFolder) => Ok(()),
            Err(err) => Err(err),
        }
    }
}
