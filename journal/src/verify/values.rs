//! Verification of the values that runs refer to: each is read once and checked against its hash.

use std::collections::HashSet;

use rusqlite::{Connection, Params, params};
use tool_core::{Reason, Result, ToolError, Value, json};

use super::{LINKS, VerificationReport};
use crate::artifacts::{self, ArtifactFolder, ArtifactHandle, ArtifactHash, ArtifactKind};
use crate::cache::CacheRow;
use crate::gc::COLLECTED_KEY;
use crate::run::{self, RunRecord, named_values};
use crate::sql;

/// Verifies the values of every run.
pub(super) fn verify_values(
    connection: &Connection,
    folder: &ArtifactFolder,
    report: &mut VerificationReport,
) -> rusqlite::Result<()> {
    const RUNS: &str = "SELECT id FROM runs ORDER BY rowid";
    const UNRECORDED: &str =
        "the values of the run are marked as collected, and no record says that they were";
    let collected = CollectedRuns::read(connection)?;
    let seen = HashSet::new();
    let mut reader = ValueVerifier {
        connection,
        folder,
        report,
        seen,
    };
    for id in sql::all_rows::<String>(connection, RUNS, [])? {
        let Some(row) = run::find_run_row(connection, &id)? else {
            continue;
        };
        if !row.run.collected {
            reader.run(&row.run)?;
        } else if !collected.cut && !collected.runs.contains(&id) {
            reader.report.fault(&id, 0, UNRECORDED);
        }
    }
    reader.report.values = Some(reader.seen.len() as u64);
    reader.cached()
}

/// The runs whose values were collected, according to the records of collections.
#[derive(Default)]
struct CollectedRuns {
    runs: HashSet<String>,
    /// Whether an early record lists only some of its runs.
    cut: bool,
}

impl CollectedRuns {
    fn read(connection: &Connection) -> rusqlite::Result<Self> {
        const SQL: &str =
            "SELECT body FROM events WHERE json_valid(body) AND body ->> '$.event' = 'gc'";
        let mut found = Self::default();
        for body in sql::all_rows::<String>(connection, SQL, [])? {
            let record = parse_or_default(&body);
            let runs = record
                .get("runs")
                .and_then(Value::items)
                .unwrap_or_default();
            let count = record.get(COLLECTED_KEY).and_then(Value::as_i64);
            found.cut |= count.is_some_and(|count| count.unsigned_abs() > runs.len() as u64);
            let ids = runs.iter().filter_map(Value::as_str).map(str::to_owned);
            found.runs.extend(ids);
        }
        Ok(found)
    }
}

fn parse_or_default(body: &str) -> Value {
    // An unreadable record is reported with its chain.
    json::parse_json(body, json::JsonLimits::default()).unwrap_or_default()
}

fn describe_mismatch(hash: ArtifactHash) -> String {
    format!("the row of the artifact `{hash}` does not describe its file")
}

/// The member of a record that names a value.
#[derive(Clone, Copy)]
struct ValueReference<'a> {
    run: &'a str,
    sequence: u64,
    key: &'a str,
}

impl<'a> ValueReference<'a> {
    fn of(run: &'a RunRecord, sequence: u64, key: &'a str) -> Self {
        Self {
            run: &run.id,
            sequence,
            key,
        }
    }
}

struct ValueVerifier<'a> {
    connection: &'a Connection,
    folder: &'a ArtifactFolder,
    report: &'a mut VerificationReport,
    /// Values read so far, sound or not, so that one damaged value is one fault.
    seen: HashSet<ArtifactHash>,
}

impl ValueVerifier<'_> {
    fn run(&mut self, run: &RunRecord) -> rusqlite::Result<()> {
        const RECORDS: &str =
            "SELECT sequence, body FROM events WHERE session = ? ORDER BY sequence";
        const USES: &str = "SELECT value FROM uses WHERE run = ?";
        let mut began = false;
        sql::visit_rows(
            self.connection,
            RECORDS,
            [&run.id],
            |(sequence, body): (u64, String)| {
                began = true;
                // Every handle has a key that begins with `$`.
                if body.contains("\"$") {
                    let record = parse_or_default(&body);
                    for (key, handle) in named_values(&record) {
                        self.used_value(ValueReference::of(run, sequence, key), &handle, true)?;
                    }
                }
                Ok::<(), rusqlite::Error>(())
            },
        )?;
        // Files are written after their rows: a run that crashed in between may lack them, and nothing of it has run.
        for (key, handle) in [("plan", &run.plan), ("inputs", &run.inputs)] {
            self.used_value(ValueReference::of(run, 0, key), handle, began)?;
        }
        for hash in sql::all_rows::<ArtifactHash>(self.connection, USES, [&run.id])? {
            if !self.seen.contains(&hash) {
                let handle = self.handle(hash)?;
                let is_needed = handle.kind == ArtifactKind::Small;
                // Only the row describes this value.
                if !is_needed && self.folder.describes(&handle).is_ok_and(|fits| !fits) {
                    self.fault(
                        ValueReference::of(run, 0, "value"),
                        &describe_mismatch(hash),
                    );
                }
                self.value(ValueReference::of(run, 0, "value"), &handle, is_needed)?;
            }
        }
        Ok(())
    }

    fn fault(&mut self, ValueReference { run, sequence, key }: ValueReference<'_>, message: &str) {
        self.report
            .fault(run, sequence, format!("`{key}`: {message}"));
    }

    /// Checks a value that a record names, and that the run refers to it, which protects it from collection.
    fn used_value(
        &mut self,
        place: ValueReference<'_>,
        handle: &ArtifactHandle,
        is_needed: bool,
    ) -> rusqlite::Result<()> {
        const SQL: &str = "SELECT 1 FROM uses WHERE value = ? AND run = ?";
        let missing = || format!("no row records that the run refers to `{}`", handle.hash);
        self.require(place, SQL, params![handle.hash.0, place.run], missing)?;
        self.value(place, handle, is_needed)
    }

    /// Reports a missing row.
    fn require(
        &mut self,
        place: ValueReference<'_>,
        sql: &str,
        keys: impl Params,
        message: impl Fn() -> String,
    ) -> rusqlite::Result<()> {
        if !sql::row_exists(self.connection, sql, keys)? {
            self.fault(place, &message());
        }
        Ok(())
    }

    /// Reads a value and its blocks. A value that is not needed may be missing, but not damaged.
    fn value(
        &mut self,
        place: ValueReference<'_>,
        handle: &ArtifactHandle,
        is_needed: bool,
    ) -> rusqlite::Result<()> {
        const PART: &str = "SELECT 1 FROM parts WHERE part = ? AND value = ?";
        if !self.seen.insert(handle.hash) {
            return Ok(());
        }
        self.check_row(place, handle)?;
        let is_fault = |err: &ToolError| is_needed || !err.is(Reason::ArtifactMissing);
        let blocks = match self.blocks(handle)? {
            Ok(blocks) => blocks,
            Err(err) => {
                if is_fault(&err) {
                    self.fault(place, err.message());
                }
                return Ok(());
            }
        };
        for block in &blocks {
            let (part, value) = (block.hash, handle.hash);
            let missing = || format!("no row records `{part}` as a part of `{value}`");
            self.require(place, PART, params![part.0, value.0], missing)?;
            if self.seen.insert(part) {
                self.check_row(place, block)?;
                if let Some(err) = self.folder.check(block).err().filter(is_fault) {
                    self.fault(place, err.message());
                }
            }
        }
        Ok(())
    }

    /// Checks that the row of a file matches its handle; without a row the file would be collected.
    fn check_row(
        &mut self,
        place: ValueReference<'_>,
        handle: &ArtifactHandle,
    ) -> rusqlite::Result<()> {
        const SQL: &str = "SELECT about, bytes FROM artifacts WHERE hash = ?";
        if handle.kind == ArtifactKind::Small {
            return Ok(());
        }
        let hash = handle.hash;
        let row: Option<(String, u64)> = sql::first_row(self.connection, SQL, [hash.0])?;
        let Some((about, bytes)) = row else {
            let missing = format!("the row of the artifact `{hash}` is missing");
            self.fault(place, &missing);
            return Ok(());
        };
        let fits = ArtifactHandle::parse(&about).is_some_and(|found| {
            found.describes_same(handle) && json::to_text(&found.to_value()) == about
        });
        if !fits || bytes != handle.bytes() {
            self.fault(place, &describe_mismatch(hash));
        }
        Ok(())
    }

    /// Checks the bindings of cached results, so that no result is returned for another call.
    fn cached(&mut self) -> rusqlite::Result<()> {
        let sql = format!(
            "SELECT {} FROM cache ORDER BY action_key",
            CacheRow::COLUMNS
        );
        let place = ValueReference {
            run: LINKS,
            sequence: 0,
            key: "cached result",
        };
        for CacheRow { key, handle, .. } in sql::all_rows(self.connection, &sql, [])? {
            match &handle {
                Some(handle) => self.check_row(place, handle)?,
                None => {
                    let message = format!("the cached result of the call `{key}` was changed");
                    self.report.fault(LINKS, 0, message);
                }
            }
        }
        Ok(())
    }

    /// Checks a value against its hash, and returns its blocks.
    fn blocks(&self, handle: &ArtifactHandle) -> rusqlite::Result<Result<Vec<ArtifactHandle>>> {
        let body = match handle.kind {
            ArtifactKind::Npy { .. } => return Ok(self.folder.check(handle).map(|()| Vec::new())),
            ArtifactKind::Json { .. } => self.folder.read(handle),
            ArtifactKind::Small => self.small(handle.hash)?.map(String::into_bytes),
        };
        Ok(body.and_then(|body| blocks_in(&String::from_utf8_lossy(&body))))
    }

    fn small(&self, hash: ArtifactHash) -> rusqlite::Result<Result<String>> {
        const SQL: &str = "SELECT body FROM vals WHERE hash = ?";
        let body: Option<String> = sql::first_row(self.connection, SQL, [hash.0])?;
        Ok(artifacts::verify_body(hash, body))
    }

    /// The handle of a hash; a value without a file is small.
    fn handle(&self, hash: ArtifactHash) -> rusqlite::Result<ArtifactHandle> {
        const SQL: &str = "SELECT about FROM artifacts WHERE hash = ?";
        let about: Option<String> = sql::first_row(self.connection, SQL, [hash.0])?;
        let named = about.and_then(|about| ArtifactHandle::parse(&about));
        let named = named.filter(|handle| handle.hash == hash);
        Ok(named.unwrap_or(ArtifactHandle::small(hash)))
    }
}

fn blocks_in(body: &str) -> Result<Vec<ArtifactHandle>> {
    let mut blocks = Vec::new();
    if body.contains(artifacts::FILE_KEY) {
        artifacts::decode_stored_form(body, &mut |block| {
            blocks.push(block.clone());
            Ok(Value::Null)
        })?;
    }
    Ok(blocks)
}
