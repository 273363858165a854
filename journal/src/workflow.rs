//! The events of workflows: an append-only log for each folder, and the number up to which files show it.
//!
//! The digest of each event is in the audit, so that the log is bound to its chain of hashes.

use registry::WorkspaceId;
use rusqlite::{Connection, Transaction, params};
use tool_core::capability::{Decide, Show};
use tool_core::{Result, Value, object, tool_error};

use super::failpoints::fail_at;
use super::sql::{self, Done};
use super::state::StateStore;
use super::{cut, folders, random};

impl StateStore {
    /// The events of a folder after a number, at most `count_max`.
    ///
    /// # Errors
    /// `tool_error` when the state cannot be read.
    pub fn workflow_events(
        &self,
        of: Option<&WorkspaceId>,
        after: u64,
        count_max: usize,
    ) -> Result<Vec<String>> {
        self.shared
            .read(
                "read the workflows",
                |connection| match find_folder_number(connection, of)? {
                    Some(folder) => after_number(connection, folder, after, count_max),
                    None => Ok(Vec::new()),
                },
            )
    }

    /// The number up to which files show the events of a folder.
    ///
    /// # Errors
    /// As [`StateStore::workflow_events`].
    pub fn workflow_shown(&self, of: Option<&WorkspaceId>) -> Result<u64> {
        self.shared
            .read(
                "read the workflows",
                |connection| match find_folder_number(connection, of)? {
                    Some(folder) => last_shown_number(connection, folder),
                    None => Ok(0),
                },
            )
    }

    /// Continues the log of a folder by what `decide` makes of the events after `known` and of the time.
    ///
    /// # Errors
    /// `tool_error` when it cannot be written, and errors of `decide`; nothing is written then.
    pub fn append_workflow(
        &self,
        of: Option<&WorkspaceId>,
        known: u64,
        decide: &mut Decide<'_>,
    ) -> Result<()> {
        let written = self
            .shared
            .transact("write the workflows", |transaction, now_ms| {
                let folder = folder_to_write(transaction, of)?;
                let newer = after_number(transaction, folder, known, usize::MAX)?;
                let mut number = known + newer.len() as u64;
                let mut digests = Vec::new();
                for body in decide(&newer, now_ms)? {
                    number += 1;
                    const SQL: &str =
                        "INSERT INTO workflow_events(folder, number, body) VALUES (?, ?, ?)";
                    sql::execute_statement(transaction, SQL, params![folder, number as i64, body])?;
                    let digest = blake3::hash(body.as_bytes()).to_hex().to_string();
                    digests.push(object! { "number" => number, "digest" => digest });
                }
                let record = (!digests.is_empty()).then(|| {
                    let root = of.map(|of| of.root.as_str());
                    object! { "event" => "workflow", "folder" => folder, "root" => root, "events" => Value::array(digests) }
                });
                Ok(((), record))
            });
        fail_at("workflow.after_append");
        written
    }

    /// Lets `show` write the files of a folder: it gets the number up to which they show the events, and the events after the lesser of
    /// that number and `known`, and returns the new number.
    ///
    /// # Errors
    /// As [`StateStore::append_workflow`].
    pub fn show_workflow(
        &self,
        of: Option<&WorkspaceId>,
        known: u64,
        show: &mut Show<'_>,
    ) -> Result<()> {
        self.shared
            .transact("show the workflows", |transaction, _| {
                let folder = folder_to_write(transaction, of)?;
                let before = last_shown_number(transaction, folder)?;
                let newer = after_number(transaction, folder, known.min(before), usize::MAX)?;
                let now = show(before, &newer)?;
                fail_at("workflow.after_files");
                const SQL: &str = "INSERT INTO workflow_shown(folder, number) VALUES (?1, ?2)
                    ON CONFLICT(folder) DO UPDATE SET number = excluded.number";
                sql::execute_statement(transaction, SQL, params![folder, now as i64])?;
                Ok(((), None))
            })
    }
}

impl StateStore {
    /// What the ids of new items of a folder have in them: what is recorded; else nothing where the log has begun, and where it has not,
    /// a new name if `is_one_of_several` says so.
    ///
    /// # Errors
    /// As [`StateStore::append_workflow`].
    pub fn workflow_checkout(
        &self,
        of: Option<&WorkspaceId>,
        is_one_of_several: impl FnOnce() -> bool,
    ) -> Result<String> {
        let known = self.shared.read("read the workflows", |connection| {
            let Some(folder) = find_folder_number(connection, of)? else {
                return Ok(None);
            };
            let name: Option<String> = sql::first_row(connection, CHECKOUT, [folder])?;
            let has_begun = !after_number(connection, folder, 0, 1)?.is_empty();
            Ok(name.or_else(|| has_begun.then(String::new)))
        })?;
        match known {
            Some(name) => Ok(name),
            None if is_one_of_several() => self.begin_checkout(of),
            None => Ok(String::new()),
        }
    }

    /// The recorded name of a checkout, recorded now where there is none.
    ///
    /// # Errors
    /// As [`StateStore::append_workflow`].
    pub fn begin_checkout(&self, of: Option<&WorkspaceId>) -> Result<String> {
        const SQL: &str = "INSERT OR IGNORE INTO workflow_checkouts(folder, name) VALUES (?, ?)";
        self.shared.transact("name the checkout", |transaction, _| {
            let folder = folder_to_write(transaction, of)?;
            // A letter first, so that no part of an id reads as a number.
            let digits = random::random_bits();
            let letter = char::from(b'a' + (digits % 26) as u8);
            let name = format!("{letter}{:04x}", digits >> 32 & 0xffff);
            sql::execute_statement(transaction, SQL, params![folder, name])?;
            let name: Option<String> = sql::first_row(transaction, CHECKOUT, [folder])?;
            Ok((name.unwrap_or_default(), None))
        })
    }

    /// The folders that this state knows, with their identities and the number of events of their workflows, the latest last.
    ///
    /// # Errors
    /// As [`StateStore::workflow_events`].
    pub fn known_folders(&self) -> Result<Vec<KnownFolder>> {
        const SQL: &str = "SELECT id, root, (SELECT count(*) FROM workflow_events WHERE folder = folders.number) FROM folders ORDER BY number";
        type Row = (String, String, i64);
        self.shared.read("read the folders", |connection| {
            let rows = sql::all_rows::<Row>(connection, SQL, [])?;
            let known = rows.into_iter().map(|(id, root, events)| KnownFolder {
                id,
                root,
                workflow_events: events.unsigned_abs(),
            });
            Ok(known.collect())
        })
    }

    /// Makes a folder that this state knows another one: its rows and the log of its workflows are from now on those of `now`. The audit
    /// records it.
    ///
    /// # Errors
    /// `conflict` where `now` has a log of workflows of its own; as [`StateStore::append_workflow`].
    pub fn adopt_folder(&self, from: &str, now: &WorkspaceId) -> Result<()> {
        const FIND: &str = "SELECT number FROM folders WHERE id = ?";
        const FREE: &str =
            "UPDATE folders SET id = 'replaced ' || number || ' ' || id WHERE id = ?";
        const TAKE: &str = "UPDATE folders SET id = ?, root = ? WHERE number = ?";
        self.shared.transact("adopt the folder", |transaction, _| {
            let old: Option<i64> = sql::first_row(transaction, FIND, [from])?;
            let Some(old) = old else {
                return Err(tool_error!(InvalidArgs, "unknown_folder"; "the state knows no folder with the identity `{from}`").into());
            };
            if from == now.id {
                // The identity moves with the folder, and what it asks for with it.
                const MOVE: &str = "UPDATE approvals SET workspace = ?1 WHERE workspace = (SELECT root FROM folders WHERE number = ?2)";
                sql::execute_statement(transaction, MOVE, params![now.root, old])?;
            }
            if let Some(number) = sql::first_row::<i64>(transaction, FIND, [&now.id])?
                && number != old
            {
                if !after_number(transaction, number, 0, 1)?.is_empty() {
                    return Err(tool_error!(Conflict, "log_exists"; "`{}` has a log of workflows of its own, which is not joined with another", now.root;
                        "keep it, or move the state folder away and restore the other one").into());
                }
                sql::execute_statement(transaction, FREE, [&now.id])?;
            }
            sql::execute_statement(transaction, TAKE, params![now.id, now.root, old])?;
            let record = object! { "event" => "adopted", "folder" => old, "from" => from, "root" => now.root.as_str() };
            Ok(((), Some(record)))
        })
    }
}

/// A folder that a state knows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownFolder {
    /// Its identity.
    pub id: String,
    /// Its path, as of its last record.
    pub root: String,
    /// How many events its workflows have.
    pub workflow_events: u64,
}

const CHECKOUT: &str = "SELECT name FROM workflow_checkouts WHERE folder = ?";

/// Where the log differs from the digests in the audit: session and number of the record, and what is wrong.
///
/// Records that were pruned say nothing, and a log without records is then no fault.
pub(crate) fn find_log_faults(
    connection: &Connection,
) -> rusqlite::Result<Vec<(String, u64, String)>> {
    const RECORDS: &str = "SELECT session, sequence, body ->> '$.folder', item.value ->> '$.number', item.value ->> '$.digest'
         FROM events, json_each(body, '$.events') AS item
         WHERE body LIKE '%\"event\":\"workflow\"%' AND json_valid(body) AND body ->> '$.event' = 'workflow'
            AND typeof(body ->> '$.folder') = 'integer' ORDER BY events.number";
    const BODY: &str = "SELECT body FROM workflow_events WHERE folder = ? AND number = ?";
    let mut faults = Vec::new();
    type Row = (String, u64, i64, i64, String);
    for (session, sequence, folder, number, digest) in
        sql::all_rows::<Row>(connection, RECORDS, [])?
    {
        let body: Option<String> = sql::first_row(connection, BODY, params![folder, number])?;
        let what = match body {
            None => "is missing",
            Some(body) if blake3::hash(body.as_bytes()).to_hex().as_str() != digest => {
                "was changed"
            }
            Some(_) => continue,
        };
        faults.push((
            session,
            sequence,
            format!("event {number} of the workflows {what}"),
        ));
    }
    const COUNTS: &str = "SELECT (SELECT count(*) FROM workflow_events), (SELECT count(*) FROM events, json_each(body, '$.events')
         WHERE body LIKE '%\"event\":\"workflow\"%' AND json_valid(body) AND body ->> '$.event' = 'workflow')";
    if cut::newest_cut(connection)?.is_none()
        && let Some((rows, records)) = sql::first_row::<(i64, i64)>(connection, COUNTS, [])?
        && rows > records
    {
        faults.push((
            "*".to_owned(),
            0,
            format!("{} events of the workflows have no record", rows - records),
        ));
    }
    Ok(faults)
}

/// The number of a folder; 0 without one, `None` for one that the state does not know. Another folder at the same path has another log.
fn find_folder_number(
    connection: &Connection,
    of: Option<&WorkspaceId>,
) -> rusqlite::Result<Option<i64>> {
    let Some(WorkspaceId { id, .. }) = of else {
        return Ok(Some(0));
    };
    sql::first_row(connection, "SELECT number FROM folders WHERE id = ?", [id])
}

fn folder_to_write(
    transaction: &Transaction<'_>,
    of: Option<&WorkspaceId>,
) -> rusqlite::Result<i64> {
    Ok(folders::folder_number(transaction, of)?.unwrap_or(0))
}

fn after_number(
    connection: &Connection,
    folder: i64,
    after: u64,
    count_max: usize,
) -> Done<Vec<String>> {
    const SQL: &str = "SELECT number, body FROM workflow_events WHERE folder = ? AND number > ? ORDER BY number LIMIT ?";
    let Ok(after) = i64::try_from(after) else {
        return Ok(Vec::new());
    };
    let limit = i64::try_from(count_max).unwrap_or(i64::MAX);
    let mut statement = connection.prepare_cached(SQL)?;
    let rows = statement.query_map(params![folder, after, limit], |row| {
        Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?))
    })?;
    let mut bodies = Vec::new();
    let mut before = after;
    for row in rows {
        let (number, body) = row?;
        let expected = before.saturating_add(1);
        before = number;
        if number != expected {
            return Err(tool_error!(ToolError, "state_corrupt"; "event {expected} of the workflows is missing";
                "`mathchain doctor` shows the state file; restore it from a copy")
            .into());
        }
        bodies.push(body);
    }
    Ok(bodies)
}

fn last_shown_number(connection: &Connection, folder: i64) -> Done<u64> {
    const SQL: &str = "SELECT number FROM workflow_shown WHERE folder = ?";
    let found: Option<u64> = sql::first_row(connection, SQL, [folder])?;
    Ok(found.unwrap_or(0))
}
