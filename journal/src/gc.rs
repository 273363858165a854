//! Garbage collection of values: those of old runs, unused cached results, and leftovers of crashes.

use std::collections::HashMap;
use std::fs;
use std::io::ErrorKind;

use rusqlite::{ToSql, Transaction, params};
use tool_core::{Encode, Object, Result, ToolError, Value, convert, tool_error};

use super::failpoints::fail_at;
use super::open::ChainTarget;
use super::run::RunRecord;
use super::sql::{self, SqlColumns};
use super::state::StateStore;
use crate::artifacts::ArtifactHash;

/// The retention policy of a collection.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RetentionPolicy {
    /// Retain values of runs that ended, and results that were used, less than so many milliseconds ago; `None` for any age.
    pub age_ms: Option<u64>,
    /// Retain at most so many bytes of values, removing those of the runs that ended first; pinned runs are never affected.
    pub quota_bytes: Option<u64>,
    /// Report without removing anything.
    pub dry_run: bool,
}

/// The outcome of a collection, or its forecast.
#[derive(Debug, Clone, Default, PartialEq, Eq, Encode)]
pub struct GcReport {
    /// Runs whose values were removed; their records remain.
    pub runs: Vec<String>,
    /// Number of cached results and stored answers.
    pub results: u64,
    /// Number of small values.
    pub values: u64,
    /// Number of files.
    pub artifacts: u64,
    /// Number of incomplete or unknown files older than a day, as a crash leaves them.
    pub strays: u64,
    /// Bytes freed.
    pub freed_bytes: u64,
    /// Bytes of the remaining values.
    pub left_bytes: u64,
}

/// Most runs that one record of a collection lists.
const RUNS_OF_RECORD: usize = if cfg!(test) { 3 } else { 10_000 };
/// Member of the record of a collection with the number of its runs.
pub const COLLECTED_KEY: &str = "runs_collected";

/// Least age of an unknown file that is removed: a day.
const STRAY_MS: u64 = 24 * 3_600_000;

/// An owner of references that may be released.
enum GcRoot {
    Run(String),
    /// A cached result, by its key.
    Result(String, ArtifactHash),
    /// A result that was too large for an answer, by its call.
    Answer(String, ArtifactHash),
}

/// Makes the root of a result.
type ToRoot = fn(String, ArtifactHash) -> GcRoot;

/// The tables of results: name, value and time of each, and the root that it is.
const RESULTS: [(&str, ToRoot); 2] = [
    (
        "SELECT action_key, value, used_ms FROM cache",
        GcRoot::Result,
    ),
    (
        "SELECT call, value, created_ms FROM answers",
        GcRoot::Answer,
    ),
];

/// The values and the number of references to each.
struct ReferenceGraph {
    values: HashMap<ArtifactHash, ReferenceNode>,
    left_bytes: u64,
}

#[derive(Default)]
struct ReferenceNode {
    bytes: u64,
    is_file: bool,
    /// By runs, results, and values that are referred to.
    references: u64,
    parts: Vec<ArtifactHash>,
}

impl ReferenceGraph {
    fn read(transaction: &Transaction<'_>) -> rusqlite::Result<Self> {
        const VALUES: &str =
            "SELECT hash, bytes, 1 FROM artifacts UNION ALL SELECT hash, length(body), 0 FROM vals";
        const PARTS: &str = "SELECT value, part FROM parts";
        let mut values: HashMap<ArtifactHash, ReferenceNode> = HashMap::new();
        type Row = (ArtifactHash, u64, bool);
        visit_query_rows(transaction, VALUES, |(hash, bytes, is_file): Row| {
            let node = values.entry(hash).or_default();
            node.bytes += bytes;
            node.is_file |= is_file;
        })?;
        visit_query_rows(transaction, PARTS, |(value, part)| {
            if let Some(node) = values.get_mut(&value) {
                node.parts.push(part);
            }
        })?;
        let left_bytes = values.values().map(|node| node.bytes).sum();
        Ok(Self { values, left_bytes })
    }

    fn refer(&mut self, hash: ArtifactHash) {
        let Some(node) = self.values.get_mut(&hash) else {
            return;
        };
        node.references += 1;
        if node.references == 1 {
            for part in node.parts.clone() {
                self.refer(part);
            }
        }
    }

    /// Removes a reference; a value without any is freed.
    fn release(&mut self, hash: ArtifactHash) {
        let Some(node) = self.values.get_mut(&hash) else {
            return;
        };
        node.references = node.references.saturating_sub(1);
        if node.references == 0 {
            self.left_bytes = self.left_bytes.saturating_sub(node.bytes);
            for part in node.parts.clone() {
                self.release(part);
            }
        }
    }
}

impl StateStore {
    /// Collects unneeded values. Records and runs themselves remain for ever; values of pinned, unfinished or executing runs are never
    /// removed.
    ///
    /// # Errors
    /// `tool_error` when the state or a file cannot be written; earlier removals remain.
    pub fn gc(&self, keep: RetentionPolicy) -> Result<GcReport> {
        let mut done = self.collect(keep)?;
        let mut last = done.runs.len();
        // A record lists a limited number of runs; further runs get further records.
        while last == RUNS_OF_RECORD && !keep.dry_run {
            let more = self.collect(keep)?;
            last = more.runs.len();
            done.add(more);
        }
        Ok(done)
    }

    fn collect(&self, keep: RetentionPolicy) -> Result<GcReport> {
        self.flush()?;
        // Runs that end after this listing are left to the next collection.
        let runs = self.runs(None, usize::MAX)?;
        let mut done = GcReport::default();
        let mut files = Vec::new();
        let shared = &self.shared;
        shared.transact("collect values", |transaction, now_ms| {
            let (gone, graph) = choose_roots(transaction, &runs, keep, now_ms, &mut done)?;
            let unneeded = graph.values.iter().filter(|(_, node)| node.references == 0);
            let unneeded: Vec<(&ArtifactHash, &ReferenceNode)> = unneeded.collect();
            for (_, node) in &unneeded {
                done.freed_bytes += node.bytes;
                done.artifacts += u64::from(node.is_file);
                done.values += u64::from(!node.is_file);
            }
            done.left_bytes = graph.left_bytes;
            self.strays(now_ms, keep.dry_run, &graph, &mut done)?;
            if keep.dry_run {
                return Ok(((), None));
            }
            release_roots(transaction, &gone)?;
            for (hash, node) in &unneeded {
                if node.is_file {
                    files.push(**hash);
                }
                sql::execute_statement(transaction, "DELETE FROM artifacts WHERE hash = ?", [hash.0])?;
                sql::execute_statement(transaction, "DELETE FROM vals WHERE hash = ?", [hash.0])?;
            }
            let orphans = "DELETE FROM parts WHERE value NOT IN (SELECT hash FROM vals UNION SELECT hash FROM artifacts)";
            transaction.execute(orphans, [])?;
            Ok(((), (!done.is_nothing()).then(|| done.record())))
        })?;
        fail_at("gc.after_rows");
        self.remove_files(&files)?;
        Ok(done)
    }

    /// Removes files whose rows are gone. A process that is killed before leaves files that no row names, never rows without files.
    fn remove_files(&self, files: &[ArtifactHash]) -> Result<()> {
        const SQL: &str = "SELECT 1 FROM artifacts WHERE hash = ?";
        let work = |transaction: &Transaction<'_>, _| {
            for hash in files {
                // Within a transaction: a process that stores the value meanwhile has written its row, or waits, finds no file and
                // writes it again.
                if !sql::row_exists(transaction, SQL, [hash.0])? {
                    self.remove(*hash)?;
                }
            }
            Ok(())
        };
        match files {
            [] => Ok(()),
            _ => self.shared.change(ChainTarget::Own, "remove files", work),
        }
    }

    fn remove(&self, hash: ArtifactHash) -> Result<()> {
        for ending in ["npy", "json"] {
            let removed = fs::remove_file(self.shared.folder.place(hash, ending));
            let failed = removed
                .err()
                .filter(|err| err.kind() != ErrorKind::NotFound);
            if let Some(err) = failed {
                return Err(removal_error(&hash.to_string(), &err));
            }
        }
        Ok(())
    }

    /// Removes unknown files that are too old to be in progress.
    fn strays(
        &self,
        now_ms: u64,
        dry_run: bool,
        graph: &ReferenceGraph,
        done: &mut GcReport,
    ) -> Result<()> {
        let files = self.shared.folder.files();
        for file in files.map_err(|err| removal_error("artifacts", &err))? {
            let is_known = |hash| graph.values.contains_key(&hash);
            let known = file.hash.is_some_and(is_known);
            if known || now_ms.saturating_sub(file.changed_ms) < STRAY_MS {
                continue;
            }
            if !dry_run {
                fs::remove_file(&file.path)
                    .map_err(|err| removal_error(&file.path.display().to_string(), &err))?;
            }
            done.strays += 1;
            done.freed_bytes += file.bytes;
        }
        Ok(())
    }
}

fn removal_error(what: &str, err: &std::io::Error) -> ToolError {
    tool_error!(ToolError, "artifact_unwritable"; "`{what}` cannot be removed: {err}";
        "`mathchain doctor` shows the state folder")
}

impl GcReport {
    fn is_nothing(&self) -> bool {
        let left_bytes = self.left_bytes;
        *self
            == Self {
                left_bytes,
                ..Self::default()
            }
    }

    /// The outcome as an object.
    pub fn to_object(&self) -> Object {
        let value = convert::to_value(self).unwrap_or_default();
        value.as_object().cloned().unwrap_or_default()
    }

    fn add(&mut self, more: Self) {
        self.runs.extend(more.runs);
        self.results += more.results;
        self.values += more.values;
        self.artifacts += more.artifacts;
        self.strays += more.strays;
        self.freed_bytes += more.freed_bytes;
        self.left_bytes = more.left_bytes;
    }

    fn record(&self) -> Value {
        let mut record = self.to_object();
        record.insert("event", "gc");
        record.insert(COLLECTED_KEY, self.runs.len());
        Value::Object(record.into())
    }
}

/// Chooses the roots to release; returns them with the graph without them.
fn choose_roots(
    transaction: &Transaction<'_>,
    runs: &[RunRecord],
    keep: RetentionPolicy,
    now_ms: u64,
    done: &mut GcReport,
) -> rusqlite::Result<(Vec<GcRoot>, ReferenceGraph)> {
    let mut graph = ReferenceGraph::read(transaction)?;
    let mut uses: HashMap<String, Vec<ArtifactHash>> = HashMap::new();
    visit_query_rows(transaction, "SELECT run, value FROM uses", |(run, hash)| {
        graph.refer(hash);
        uses.entry(run).or_default().push(hash);
    })?;
    let mut candidates: Vec<(u64, GcRoot)> = Vec::new();
    let by_id: HashMap<&str, &RunRecord> = runs.iter().map(|run| (&*run.id, run)).collect();
    for run in runs {
        let free = !run.collected && run.holder.is_none() && !is_within_open(run, &by_id);
        if free && is_still(transaction, run)? {
            candidates.push((run.changed_ms, GcRoot::Run(run.id.clone())));
        }
    }
    for (sql, root) in RESULTS {
        visit_query_rows(transaction, sql, |(name, hash, time_ms)| {
            graph.refer(hash);
            candidates.push((time_ms, root(name, hash)));
        })?;
    }
    // Values without references are removed in any case.
    let unneeded = graph.values.values().filter(|node| node.references == 0);
    graph.left_bytes -= unneeded.map(|node| node.bytes).sum::<u64>();
    candidates.sort_by_key(|(time_ms, _)| *time_ms);
    let is_old = |time_ms: u64| {
        let age_ms = now_ms.saturating_sub(time_ms);
        keep.age_ms.is_some_and(|least| age_ms >= least)
    };
    let quota = keep.quota_bytes.unwrap_or(u64::MAX);
    let mut gone = Vec::new();
    for (time_ms, root) in candidates {
        let is_enough = !keep.dry_run && done.runs.len() == RUNS_OF_RECORD;
        if is_enough || (!is_old(time_ms) && graph.left_bytes <= quota) {
            break;
        }
        match &root {
            GcRoot::Run(id) => {
                for hash in uses.remove(id).unwrap_or_default() {
                    graph.release(hash);
                }
                done.runs.push(id.clone());
            }
            GcRoot::Result(_, hash) | GcRoot::Answer(_, hash) => {
                graph.release(*hash);
                done.results += 1;
            }
        }
        gone.push(root);
    }
    Ok((gone, graph))
}

/// Whether a run, or one that (transitively) began it, has not ended or is pinned: undoing it may need the values.
fn is_within_open(run: &RunRecord, by_id: &HashMap<&str, &RunRecord>) -> bool {
    let above = |run: &&RunRecord| by_id.get(run.parent.as_deref()?).copied();
    let mut family = std::iter::successors(Some(run), above).take(by_id.len());
    family.any(|run| !run.state.is_final() || run.pinned)
}

/// Whether a run is unchanged since it was listed.
fn is_still(transaction: &Transaction<'_>, run: &RunRecord) -> rusqlite::Result<bool> {
    const SQL: &str = "SELECT 1 FROM runs WHERE id = ? AND state = ? AND NOT pinned";
    sql::row_exists(transaction, SQL, params![run.id, run.state.as_str()])
}

fn release_roots(transaction: &Transaction<'_>, roots: &[GcRoot]) -> rusqlite::Result<()> {
    let delete =
        |sql: &str, params: &[&dyn ToSql]| sql::execute_statement(transaction, sql, params);
    for root in roots {
        match root {
            GcRoot::Run(id) => {
                delete("UPDATE runs SET collected = 1 WHERE id = ?", &[id])?;
                delete("DELETE FROM uses WHERE run = ?", &[id])?
            }
            GcRoot::Result(key, _) => delete("DELETE FROM cache WHERE action_key = ?", &[key])?,
            GcRoot::Answer(call, hash) => delete(
                "DELETE FROM answers WHERE call = ? AND value = ?",
                &[call, &hash.0],
            )?,
        };
    }
    Ok(())
}

fn visit_query_rows<T: SqlColumns>(
    transaction: &Transaction<'_>,
    sql: &str,
    mut take: impl FnMut(T),
) -> rusqlite::Result<()> {
    sql::visit_rows(transaction, sql, [], |row| {
        take(row);
        Ok(())
    })
}
