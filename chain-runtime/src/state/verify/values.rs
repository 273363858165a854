//! The values that runs refer to: each is read once and held against its name, small ones in the table, large ones in their
//! files.

use std::collections::HashSet;

use rusqlite::{Connection, OptionalExtension};
use tool_core::{ToolError, Value, json};

use super::super::run::{self, Run};
use super::super::{COLLECTED_KEY, named_values};
use super::{Verification, hash_in, number_at, text_at};
use crate::artifacts::{self, ArtifactHash, Folder, Handle, Kind};

/// Reads the values of every run.
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
    let mut runs = connection.prepare("SELECT id FROM runs ORDER BY rowid")?;
    let mut rows = runs.query([])?;
    while let Some(row) = rows.next()? {
        let id = text_at(row, 0)?;
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
    Ok(())
}

/// The runs whose values were collected, by the records that say so.
struct Collected {
    runs: HashSet<String>,
    /// A record of before lists only the first of many.
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
        let mut query = connection.prepare(SQL)?;
        let mut rows = query.query([])?;
        while let Some(row) = rows.next()? {
            let record = parsed(&text_at(row, 0)?);
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
    // What is no record is a fault of its chain already.
    json::parse(body, json::Limits::default()).unwrap_or_default()
}

struct Reader<'a> {
    connection: &'a Connection,
    folder: &'a Folder,
    /// What was read, sound or not: one damaged value is one fault.
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
            // Handles have a key that begins so.
            if !body.contains("\"$") {
                continue;
            }
            for (key, handle) in named_values(&parsed(&body)) {
                self.value((&run.id, sequence, key), &handle, true, report)?;
            }
        }
        // Files are written after they are entered: a run that a crash ended between may lack them, and nothing of it has run.
        for (key, handle) in [("plan", &run.plan), ("inputs", &run.inputs)] {
            self.value((&run.id, 0, key), handle, began, report)?;
        }
        let mut query = self.connection.prepare_cached(USES)?;
        let mut rows = query.query([&run.id])?;
        while let Some(row) = rows.next()? {
            let hash = ArtifactHash(hash_in(row, 0)?);
            if !self.seen.contains(&hash) {
                let handle = self.handle(hash)?;
                let needed = handle.kind == Kind::Small;
                self.value((&run.id, 0, "value"), &handle, needed, report)?;
            }
        }
        Ok(())
    }

    /// Reads a value and the blocks that it names. Where it is not needed, only damage is a fault.
    fn value(
        &mut self,
        (run, sequence, key): (&str, u64, &str),
        handle: &Handle,
        needed: bool,
        report: &mut Verification,
    ) -> rusqlite::Result<()> {
        if !self.seen.insert(handle.hash) {
            return Ok(());
        }
        let mut told = |found: Result<(), ToolError>| match found {
            Err(err) if needed || err.reason_str() != Some("artifact_missing") => {
                report.fault(run, sequence, format!("`{key}`: {}", err.message()));
            }
            _ => {}
        };
        match self.blocks(handle)? {
            Ok(blocks) => {
                for block in blocks.iter().filter(|block| self.seen.insert(block.hash)) {
                    told(self.folder.check(block));
                }
            }
            Err(err) => told(Err(err)),
        }
        Ok(())
    }

    /// Holds a value against its name, and gives the blocks that it names.
    fn blocks(&self, handle: &Handle) -> rusqlite::Result<Result<Vec<Handle>, ToolError>> {
        let body = match handle.kind {
            Kind::Npy { .. } => return Ok(self.folder.check(handle).map(|()| Vec::new())),
            Kind::Json { .. } => self.folder.read(handle),
            Kind::Small => self.small(handle.hash)?,
        };
        Ok(body.and_then(|body| blocks_in(&String::from_utf8_lossy(&body))))
    }

    fn small(&self, hash: ArtifactHash) -> rusqlite::Result<Result<Vec<u8>, ToolError>> {
        let body = self
            .connection
            .prepare_cached("SELECT body FROM vals WHERE hash = ?")?
            .query_row([hash.0], |row| text_at(row, 0))
            .optional()?;
        Ok(match body {
            None => Err(artifacts::missing(hash)),
            Some(body) if ArtifactHash::of(body.as_bytes()) == hash => Ok(body.into_bytes()),
            Some(_) => Err(artifacts::corrupt(
                hash,
                "its content is not what was written",
            )),
        })
    }

    /// The handle of a value of which only the name is known; one without a file is small.
    fn handle(&self, hash: ArtifactHash) -> rusqlite::Result<Handle> {
        let about = self
            .connection
            .prepare_cached("SELECT about FROM artifacts WHERE hash = ?")?
            .query_row([hash.0], |row| text_at(row, 0))
            .optional()?;
        let named = about.and_then(|about| Handle::from_value(&parsed(&about)));
        Ok(named
            .filter(|handle| handle.hash == hash)
            .unwrap_or(Handle {
                hash,
                kind: Kind::Small,
            }))
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
