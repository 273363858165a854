//! Verification of the values that runs refer to: each is read once and checked against its hash.

use std::collections::HashSet;

use rusqlite::{Connection, params};
use tool_core::{Reason, ToolError, Value, json};

use super::{LINKS, Verification, hash_in, number_at, text_at};
use crate::artifacts::{self, ArtifactHash, Folder, Handle, Kind};
use crate::cache::Kept;
use crate::gc::COLLECTED_KEY;
use crate::run::{self, Run, named_values};
use crate::sql;

/// Verifies the values of every run.
pub(super) fn verify(
    connection: &Connection,
    folder: &Folder,
    report: &mut Verification,
) -> rusqlite::Result<()> {
    let collected = Collected::read(connection)?;
    let mut reader = Reader {
        connection,
        folder,
        seen: HashSet::new(),
    };
    const RUNS: &str = "SELECT id FROM runs ORDER BY rowid";
    for id in sql::rows(connection, RUNS, [], |row| text_at(row, 0))? {
        let Some(run) = run::row(connection, &id)?.map(|row| row.run) else {
            continue;
        };
        match run.collected {
            true if collected.has(&id) => {}
            true => report.fault(
                &id,
                0,
                "the values of the run are marked as collected, and no record says that they were",
            ),
            false => reader.run(&run, report)?,
        }
    }
    report.values = Some(reader.seen.len() as u64);
    reader.kept(report)
}

/// The runs whose values were collected, according to the records of collections.
struct Collected {
    runs: HashSet<String>,
    /// Whether an early record lists only some of its runs.
    cut: bool,
}

impl Collected {
    fn read(connection: &Connection) -> rusqlite::Result<Self> {
        const SQL: &str =
            "SELECT body FROM events WHERE json_valid(body) AND body ->> '$.event' = 'gc'";
        let mut found = Self {
            runs: HashSet::new(),
            cut: false,
        };
        for body in sql::rows(connection, SQL, [], |row| text_at(row, 0))? {
            let record = parsed(&body);
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

    fn has(&self, run: &str) -> bool {
        self.cut || self.runs.contains(run)
    }
}

fn parsed(body: &str) -> Value {
    // An unreadable record is reported with its chain.
    json::parse(body, json::Limits::default()).unwrap_or_default()
}

fn said_falsely(hash: ArtifactHash) -> String {
    format!("the row of the artifact `{hash}` says what is not so")
}

/// Run, number of the record, and the member that names a value.
type Place<'a> = (&'a str, u64, &'a str);

struct Reader<'a> {
    connection: &'a Connection,
    folder: &'a Folder,
    /// Values read so far, sound or not, so that one damaged value is one fault.
    seen: HashSet<ArtifactHash>,
}

impl Reader<'_> {
    fn run(&mut self, run: &Run, report: &mut Verification) -> rusqlite::Result<()> {
        const RECORDS: &str =
            "SELECT sequence, body FROM events WHERE session = ? ORDER BY sequence";
        const USES: &str = "SELECT value FROM uses WHERE run = ?";
        let mut query = self.connection.prepare_cached(RECORDS)?;
        let mut rows = query.query([&run.id])?;
        let mut began = false;
        while let Some(row) = rows.next()? {
            began = true;
            let (sequence, body) = (number_at(row, 0)?, text_at(row, 1)?);
            // Every handle has a key that begins with `$`.
            if !body.contains("\"$") {
                continue;
            }
            for (key, handle) in named_values(&parsed(&body)) {
                self.is_used((&run.id, sequence, key), &handle, report)?;
                self.value((&run.id, sequence, key), &handle, true, report)?;
            }
        }
        // Files are written after their rows: a run that crashed in between may lack them, and nothing of it has run.
        for (key, handle) in [("plan", &run.plan), ("inputs", &run.inputs)] {
            self.is_used((&run.id, 0, key), handle, report)?;
            self.value((&run.id, 0, key), handle, began, report)?;
        }
        for hash in sql::rows(self.connection, USES, [&run.id], |row| hash_in(row, 0))? {
            let hash = ArtifactHash(hash);
            if !self.seen.contains(&hash) {
                let handle = self.handle(hash)?;
                let needed = handle.kind == Kind::Small;
                // Only the row describes this value.
                let told = match needed {
                    true => Ok(true),
                    false => self.folder.describes(&handle),
                };
                if let Ok(false) = told {
                    report.fault(&run.id, 0, format!("`value`: {}", said_falsely(hash)));
                }
                self.value((&run.id, 0, "value"), &handle, needed, report)?;
            }
        }
        Ok(())
    }

    /// Reads a value and its blocks. A value that is not needed may be missing, but not damaged.
    fn value(
        &mut self,
        (run, sequence, key): Place<'_>,
        handle: &Handle,
        needed: bool,
        report: &mut Verification,
    ) -> rusqlite::Result<()> {
        if !self.seen.insert(handle.hash) {
            return Ok(());
        }
        self.is_entered((run, sequence, key), handle, report)?;
        let told = |found: Result<(), ToolError>, report: &mut Verification| match found {
            Err(err) if needed || !err.is(Reason::ArtifactMissing) => {
                report.fault(run, sequence, format!("`{key}`: {}", err.message()));
            }
            _ => {}
        };
        match self.blocks(handle)? {
            Ok(blocks) => {
                for block in &blocks {
                    self.is_part((run, sequence, key), block, handle, report)?;
                    if self.seen.insert(block.hash) {
                        self.is_entered((run, sequence, key), block, report)?;
                        told(self.folder.check(block), report);
                    }
                }
            }
            Err(err) => told(Err(err), report),
        }
        Ok(())
    }

    /// Checks that a value named by a record is referenced by its run, which protects it from collection.
    fn is_used(
        &self,
        (run, sequence, key): Place<'_>,
        handle: &Handle,
        report: &mut Verification,
    ) -> rusqlite::Result<()> {
        const SQL: &str = "SELECT 1 FROM uses WHERE value = ? AND run = ?";
        if !self.stands(SQL, params![handle.hash.0, run])? {
            let value = handle.hash;
            let message = format!("`{key}`: that the run refers to `{value}` is missing");
            report.fault(run, sequence, message);
        }
        Ok(())
    }

    /// Checks that a block is listed as a part of its value.
    fn is_part(
        &self,
        (run, sequence, key): Place<'_>,
        block: &Handle,
        whole: &Handle,
        report: &mut Verification,
    ) -> rusqlite::Result<()> {
        const SQL: &str = "SELECT 1 FROM parts WHERE part = ? AND value = ?";
        if !self.stands(SQL, params![block.hash.0, whole.hash.0])? {
            let (part, value) = (block.hash, whole.hash);
            let message = format!("`{key}`: that `{part}` is part of `{value}` is missing");
            report.fault(run, sequence, message);
        }
        Ok(())
    }

    fn stands(&self, sql: &str, keys: impl rusqlite::Params) -> rusqlite::Result<bool> {
        self.connection.prepare_cached(sql)?.exists(keys)
    }

    /// Checks that the row of a file matches its handle; without a row the file would be collected.
    fn is_entered(
        &self,
        (run, sequence, key): Place<'_>,
        handle: &Handle,
        report: &mut Verification,
    ) -> rusqlite::Result<()> {
        if handle.kind == Kind::Small {
            return Ok(());
        }
        const SQL: &str = "SELECT about, bytes FROM artifacts WHERE hash = ?";
        let row = sql::row(self.connection, SQL, [handle.hash.0], |row| {
            Ok((text_at(row, 0)?, number_at(row, 1)?))
        })?;
        let message = match row {
            None => format!("the row of the artifact `{}` is missing", handle.hash),
            Some((about, bytes)) => {
                let said = Handle::from_value(&parsed(&about));
                let same = said.is_some_and(|said| {
                    said.says_the_same(handle) && json::to_text(&said.to_value()) == about
                });
                if same && bytes == handle.bytes() {
                    return Ok(());
                }
                said_falsely(handle.hash)
            }
        };
        report.fault(run, sequence, format!("`{key}`: {message}"));
        Ok(())
    }

    /// Checks the bindings of cached results, so that no result is returned for another call.
    fn kept(&self, report: &mut Verification) -> rusqlite::Result<()> {
        let sql = format!("SELECT {} FROM cache ORDER BY action_key", Kept::COLUMNS);
        for kept in sql::rows(self.connection, &sql, [], Kept::read)? {
            match &kept.handle {
                Some(handle) => self.is_entered((LINKS, 0, "kept result"), handle, report)?,
                None => report.fault(
                    LINKS,
                    0,
                    format!("the kept result of the call `{}` was changed", kept.key),
                ),
            }
        }
        Ok(())
    }

    /// Checks a value against its hash, and returns its blocks.
    fn blocks(&self, handle: &Handle) -> rusqlite::Result<Result<Vec<Handle>, ToolError>> {
        let body = match handle.kind {
            Kind::Npy { .. } => return Ok(self.folder.check(handle).map(|()| Vec::new())),
            Kind::Json { .. } => self.folder.read(handle),
            Kind::Small => self.small(handle.hash)?,
        };
        Ok(body.and_then(|body| blocks_in(&String::from_utf8_lossy(&body))))
    }

    fn small(&self, hash: ArtifactHash) -> rusqlite::Result<Result<Vec<u8>, ToolError>> {
        const SQL: &str = "SELECT body FROM vals WHERE hash = ?";
        Ok(
            match sql::row(self.connection, SQL, [hash.0], |row| text_at(row, 0))? {
                None => Err(artifacts::missing(hash)),
                Some(body) if ArtifactHash::of(body.as_bytes()) == hash => Ok(body.into_bytes()),
                Some(_) => Err(artifacts::corrupt(
                    hash,
                    "its content does not match its hash",
                )),
            },
        )
    }

    /// The handle of a hash; a value without a file is small.
    fn handle(&self, hash: ArtifactHash) -> rusqlite::Result<Handle> {
        const SQL: &str = "SELECT about FROM artifacts WHERE hash = ?";
        let about = sql::row(self.connection, SQL, [hash.0], |row| text_at(row, 0))?;
        let named = about.and_then(|about| Handle::from_value(&parsed(&about)));
        let small = Handle {
            hash,
            kind: Kind::Small,
        };
        Ok(named.filter(|handle| handle.hash == hash).unwrap_or(small))
    }
}

fn blocks_in(body: &str) -> Result<Vec<Handle>, ToolError> {
    let mut blocks = Vec::new();
    if body.contains(artifacts::FILE_KEY) {
        artifacts::load(body, &mut |block| {
            blocks.push(block.clone());
            Ok(Value::Null)
        })?;
    }
    Ok(blocks)
}
