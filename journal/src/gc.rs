//! Collecting values that nobody needs: those of old runs, kept results that were not used, and what is left of crashes.

use std::collections::HashMap;
use std::fs;

use rusqlite::{Transaction, params};
use tool_core::{ErrorCode, ToolError, Value};

use super::State;
use super::run::{Run, RunState};
use crate::artifacts::ArtifactHash;

/// What is kept.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Keep {
    /// Values of runs that ended within so many days, and results that were used in them; without it whatever their age.
    pub days: Option<u64>,
    /// At most so many bytes of values: beyond, those of the runs that ended first go, pinned ones never.
    pub quota_bytes: Option<u64>,
    /// Only say what would be done.
    pub dry_run: bool,
}

/// What was collected, or would be.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Collected {
    /// Runs whose values are gone; their records stay.
    pub runs: Vec<String>,
    /// Kept results of calls, and answers that were too large.
    pub results: u64,
    /// Small values.
    pub values: u64,
    /// Files.
    pub artifacts: u64,
    /// Files that a crash left half written, or without a row, older than a day.
    pub strays: u64,
    /// Bytes of all these.
    pub freed_bytes: u64,
    /// Bytes of values that are left.
    pub left_bytes: u64,
}

/// Most runs that one record of a collection lists.
const RUNS_OF_RECORD: usize = if cfg!(test) { 3 } else { 10_000 };
/// Member of the record of a collection that says how many runs lost their values.
pub(super) const COLLECTED_KEY: &str = "runs_collected";

const DAY_MS: u64 = 24 * 3_600_000;
/// How old a file must be that nobody knows.
const STRAY_MS: u64 = DAY_MS;

/// Something that refers to values and may be given up.
enum Root {
    Run(String),
    Result(String),
    Answer(String, ArtifactHash),
}

/// Which values there are and how often each is referred to.
struct Graph {
    values: HashMap<ArtifactHash, Node>,
    left_bytes: u64,
}

#[derive(Default)]
struct Node {
    bytes: u64,
    is_file: bool,
    /// By runs, results, and values that are referred to.
    references: u64,
    parts: Vec<ArtifactHash>,
}

impl Graph {
    fn read(transaction: &Transaction<'_>) -> rusqlite::Result<Self> {
        let mut values: HashMap<ArtifactHash, Node> = HashMap::new();
        for (sql, is_file) in [
            ("SELECT hash, bytes FROM artifacts", true),
            ("SELECT hash, length(body) FROM vals", false),
        ] {
            let mut query = transaction.prepare(sql)?;
            let mut rows = query.query([])?;
            while let Some(row) = rows.next()? {
                let node = values.entry(ArtifactHash(row.get(0)?)).or_default();
                node.bytes += row.get::<_, i64>(1)?.unsigned_abs();
                node.is_file |= is_file;
            }
        }
        let mut query = transaction.prepare("SELECT value, part FROM parts")?;
        let mut rows = query.query([])?;
        while let Some(row) = rows.next()? {
            if let Some(node) = values.get_mut(&ArtifactHash(row.get(0)?)) {
                node.parts.push(ArtifactHash(row.get(1)?));
            }
        }
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

    /// Takes a reference away; what then has none is freed.
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

impl State {
    /// Collects values that nobody needs. Records, and that there was a run, stay for ever; what a pinned run, a run that has
    /// not ended, or one that a process works on refers to is never touched.
    ///
    /// # Errors
    /// `tool_error` when the state or a file cannot be written; what was freed until then is freed.
    pub fn gc(&self, keep: Keep) -> Result<Collected, ToolError> {
        let mut done = self.collect(keep)?;
        let mut last = done.runs.len();
        // Every run is named by a record; the next ones by the next.
        while last == RUNS_OF_RECORD && !keep.dry_run {
            let more = self.collect(keep)?;
            last = more.runs.len();
            done.add(more);
        }
        Ok(done)
    }

    fn collect(&self, keep: Keep) -> Result<Collected, ToolError> {
        const ACTION: &str = "collect values";
        self.flush()?;
        // What ended while the runs were listed is left for the next time.
        let runs = self.runs(None, usize::MAX)?;
        let mut done = Collected::default();
        let shared = &self.shared;
        let collected = shared.transact(ACTION, |transaction, now_ms| {
            let fail = |err: rusqlite::Error| shared.fail(ACTION, &err);
            let (gone, graph) = choose(transaction, &runs, keep, now_ms, &mut done).map_err(fail)?;
            let unneeded: Vec<(ArtifactHash, bool)> = graph
                .values
                .iter()
                .filter(|(_, node)| node.references == 0)
                .map(|(hash, node)| (*hash, node.is_file))
                .collect();
            for (hash, _) in &unneeded {
                let node = &graph.values[hash];
                done.freed_bytes += node.bytes;
                done.artifacts += u64::from(node.is_file);
                done.values += u64::from(!node.is_file);
            }
            done.left_bytes = graph.left_bytes;
            self.strays(now_ms, keep.dry_run, &graph, &mut done)?;
            if keep.dry_run {
                return Ok(((), None));
            }
            give_up(transaction, &gone).map_err(fail)?;
            for (hash, is_file) in &unneeded {
                // Within the transaction: who wants the value meanwhile waits, finds no file and writes it anew.
                if *is_file {
                    self.remove(*hash)?;
                }
                forget(transaction, *hash).map_err(fail)?;
            }
            transaction
                .execute(
                    "DELETE FROM parts WHERE value NOT IN (SELECT hash FROM vals UNION SELECT hash FROM artifacts)",
                    [],
                )
                .map_err(fail)?;
            Ok(((), (!done.is_nothing()).then(|| done.record())))
        });
        collected.map(|_| done)
    }

    fn remove(&self, hash: ArtifactHash) -> Result<(), ToolError> {
        for ending in ["npy", "json"] {
            match fs::remove_file(self.shared.folder.place(hash, ending)) {
                Err(err) if err.kind() != std::io::ErrorKind::NotFound => {
                    return Err(unremovable(&hash.to_string(), &err));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Files that nobody knows and that are old enough to be nobody's work.
    fn strays(
        &self,
        now_ms: u64,
        dry_run: bool,
        graph: &Graph,
        done: &mut Collected,
    ) -> Result<(), ToolError> {
        let files = self
            .shared
            .folder
            .files()
            .map_err(|err| unremovable("artifacts", &err))?;
        for file in files {
            let known = file
                .hash
                .is_some_and(|hash| graph.values.contains_key(&hash));
            if known || now_ms.saturating_sub(file.changed_ms) < STRAY_MS {
                continue;
            }
            if !dry_run {
                fs::remove_file(&file.path)
                    .map_err(|err| unremovable(&file.path.display().to_string(), &err))?;
            }
            done.strays += 1;
            done.freed_bytes += file.bytes;
        }
        Ok(())
    }
}

fn unremovable(what: &str, err: &std::io::Error) -> ToolError {
    ToolError::new(
        ErrorCode::ToolError,
        format_args!("`{what}` cannot be removed: {err}"),
    )
    .reason("artifact_unwritable")
    .hint("`mathchain doctor` shows the state folder")
}

impl Collected {
    fn is_nothing(&self) -> bool {
        *self
            == Self {
                left_bytes: self.left_bytes,
                ..Self::default()
            }
    }

    /// As JSON.
    pub fn to_value(&self) -> Value {
        Value::object([
            (
                "runs",
                Value::array(self.runs.iter().map(|run| run.as_str().into()).collect()),
            ),
            ("results", Value::from(self.results)),
            ("values", Value::from(self.values)),
            ("artifacts", Value::from(self.artifacts)),
            ("strays", Value::from(self.strays)),
            ("freed_bytes", Value::from(self.freed_bytes)),
            ("left_bytes", Value::from(self.left_bytes)),
        ])
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
        let mut record = self.to_value().as_object().cloned().unwrap_or_default();
        record.insert("event", "gc");
        record.insert(COLLECTED_KEY, self.runs.len());
        Value::Object(record.into())
    }
}

/// What is given up, and which values are left without anybody who refers to them.
fn choose(
    transaction: &Transaction<'_>,
    runs: &[Run],
    keep: Keep,
    now_ms: u64,
    done: &mut Collected,
) -> rusqlite::Result<(Vec<Root>, Graph)> {
    let mut graph = Graph::read(transaction)?;
    let mut uses: HashMap<String, Vec<ArtifactHash>> = HashMap::new();
    let mut query = transaction.prepare("SELECT run, value FROM uses")?;
    let mut rows = query.query([])?;
    while let Some(row) = rows.next()? {
        let hash = ArtifactHash(row.get(1)?);
        graph.refer(hash);
        uses.entry(row.get(0)?).or_default().push(hash);
    }
    let mut candidates: Vec<(u64, Root)> = Vec::new();
    for run in runs {
        let free = run.state.is_final() && !run.pinned && !run.collected && run.holder.is_none();
        if free && is_still(transaction, run)? {
            candidates.push((run.changed_ms, Root::Run(run.id.clone())));
        }
    }
    let mut results: HashMap<String, ArtifactHash> = HashMap::new();
    let mut query = transaction.prepare("SELECT action_key, value, used_ms FROM cache")?;
    let mut rows = query.query([])?;
    while let Some(row) = rows.next()? {
        let (key, hash): (String, _) = (row.get(0)?, ArtifactHash(row.get(1)?));
        graph.refer(hash);
        results.insert(key.clone(), hash);
        candidates.push((row.get::<_, i64>(2)?.unsigned_abs(), Root::Result(key)));
    }
    let mut query = transaction.prepare("SELECT call, value, created_ms FROM answers")?;
    let mut rows = query.query([])?;
    while let Some(row) = rows.next()? {
        let hash = ArtifactHash(row.get(1)?);
        graph.refer(hash);
        let time_ms = row.get::<_, i64>(2)?.unsigned_abs();
        candidates.push((time_ms, Root::Answer(row.get(0)?, hash)));
    }
    // What nobody refers to is gone in any case.
    let unneeded = graph.values.values().filter(|node| node.references == 0);
    graph.left_bytes -= unneeded.map(|node| node.bytes).sum::<u64>();
    candidates.sort_by_key(|(time_ms, _)| *time_ms);
    let days = keep.days;
    let is_old = |time_ms: u64| {
        days.is_some_and(|days| now_ms.saturating_sub(time_ms) >= days.saturating_mul(DAY_MS))
    };
    let quota = keep.quota_bytes.unwrap_or(u64::MAX);
    let mut gone = Vec::new();
    for (time_ms, root) in candidates {
        let is_enough = !keep.dry_run && done.runs.len() == RUNS_OF_RECORD;
        if is_enough || (!is_old(time_ms) && graph.left_bytes <= quota) {
            break;
        }
        match &root {
            Root::Run(id) => {
                for hash in uses.remove(id).unwrap_or_default() {
                    graph.release(hash);
                }
                done.runs.push(id.clone());
            }
            Root::Result(key) => {
                if let Some(hash) = results.remove(key) {
                    graph.release(hash);
                }
                done.results += 1;
            }
            Root::Answer(_, hash) => {
                graph.release(*hash);
                done.results += 1;
            }
        }
        gone.push(root);
    }
    Ok((gone, graph))
}

/// Whether the run still stands where it stood when it was listed.
fn is_still(transaction: &Transaction<'_>, run: &Run) -> rusqlite::Result<bool> {
    let row: (String, bool) = transaction
        .prepare_cached("SELECT state, pinned FROM runs WHERE id = ?")?
        .query_row([&run.id], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(RunState::parse(&row.0) == Some(run.state) && !row.1)
}

fn give_up(transaction: &Transaction<'_>, roots: &[Root]) -> rusqlite::Result<()> {
    transaction.execute_batch(
        "CREATE TEMP TABLE IF NOT EXISTS gone(run TEXT PRIMARY KEY); DELETE FROM temp.gone;",
    )?;
    for root in roots {
        match root {
            Root::Run(id) => {
                transaction
                    .prepare_cached("UPDATE runs SET collected = 1 WHERE id = ?")?
                    .execute([id])?;
                transaction
                    .prepare_cached("INSERT INTO temp.gone(run) VALUES (?)")?
                    .execute([id])?;
            }
            Root::Result(key) => {
                transaction
                    .prepare_cached("DELETE FROM cache WHERE action_key = ?")?
                    .execute([key])?;
            }
            Root::Answer(call, hash) => {
                transaction
                    .prepare_cached("DELETE FROM answers WHERE call = ? AND value = ?")?
                    .execute(params![call, hash.0])?;
            }
        }
    }
    transaction.execute(
        "DELETE FROM uses WHERE run IN (SELECT run FROM temp.gone)",
        [],
    )?;
    Ok(())
}

fn forget(transaction: &Transaction<'_>, hash: ArtifactHash) -> rusqlite::Result<()> {
    for sql in [
        "DELETE FROM artifacts WHERE hash = ?",
        "DELETE FROM vals WHERE hash = ?",
    ] {
        transaction.prepare_cached(sql)?.execute(params![hash.0])?;
    }
    Ok(())
}
