//! The values that runs refer to: each is read once and held against its name, small ones in the table, large ones in their
//! files.

use std::collections::HashSet;

use rusqlite::{Connection, OptionalExtension, params};
use tool_core::{Reason, ToolError, Value, json};

use super::super::cache::Kept;
use super::super::run::{self, Run};
use super::super::{COLLECTED_KEY, named_values};
use super::{LINKS, Verification, hash_in, number_at, text_at};
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
    reader.kept(report)
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

fn said_falsely(hash: ArtifactHash) -> String {
    format!("the row of the artifact `{hash}` says what is not so")
}

/// Run, number of the record, and what names a value there.
type Place<'a> = (&'a str, u64, &'a str);

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
                self.is_used((&run.id, sequence, key), &handle, report)?;
                self.value((&run.id, sequence, key), &handle, true, report)?;
            }
        }
        // Files are written after they are entered: a run that a crash ended between may lack them, and nothing of it has run.
        for (key, handle) in [("plan", &run.plan), ("inputs", &run.inputs)] {
            self.is_used((&run.id, 0, key), handle, report)?;
            self.value((&run.id, 0, key), handle, began, report)?;
        }
        let mut query = self.connection.prepare_cached(USES)?;
        let mut rows = query.query([&run.id])?;
        while let Some(row) = rows.next()? {
            let hash = ArtifactHash(hash_in(row, 0)?);
            if !self.seen.contains(&hash) {
                let handle = self.handle(hash)?;
                let needed = handle.kind == Kind::Small;
                // What is said of this one stands in its row alone.
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

    /// Reads a value and the blocks that it names. Where it is not needed, only damage is a fault.
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

    /// That a run refers to a value which a record of it names is entered: else the value is nobody's and collected.
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

    /// So is which blocks belong to a value.
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

    /// The row of a file says what the handle says; where it is not there, the file is a stray and collected.
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
        let row = self
            .connection
            .prepare_cached(SQL)?
            .query_row([handle.hash.0], |row| {
                Ok((text_at(row, 0)?, number_at(row, 1)?))
            })
            .optional()?;
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

    /// Results of calls that are kept for later runs: one that is another's would be answered.
    fn kept(&self, report: &mut Verification) -> rusqlite::Result<()> {
        let sql = format!("SELECT {} FROM cache ORDER BY action_key", Kept::COLUMNS);
        let mut query = self.connection.prepare(&sql)?;
        let mut rows = query.query([])?;
        while let Some(row) = rows.next()? {
            let kept = Kept::read(row)?;
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
