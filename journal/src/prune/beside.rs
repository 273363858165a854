//! Backups and notifications: they go with the records of their calls, once they are old.

use std::collections::{BTreeMap, HashMap, HashSet};

use rusqlite::{Connection, Transaction};

use super::old::PruneCandidate;
use crate::sql::{self, row_structs};

row_structs! {
    /// The index of a backup.
    Copy {
        number: i64,
        call_id: String,
        digest: String,
        bytes: u64,
        time_ms: u64,
    }

    /// A notification, question or answer.
    Message {
        number: i64,
        id: String,
        kind: String,
        call_id: String,
        time_ms: u64,
    }
}

/// What a pruning removes beside chains.
#[derive(Default)]
pub(super) struct PruneExtras {
    backups: Vec<i64>,
    /// The contents that no backup needs any more.
    pub(super) contents: Vec<String>,
    pub(super) freed_bytes: u64,
    notices: Vec<i64>,
    pipelines: Vec<String>,
}

impl PruneExtras {
    /// Chooses what is old and belongs to a call whose record does not remain; a question only once it is answered, with its answers.
    pub(super) fn choose(
        connection: &Connection,
        before_ms: u64,
        removed: &BTreeMap<String, PruneCandidate>,
    ) -> rusqlite::Result<Self> {
        const OLD: &str = "SELECT 1 FROM backups WHERE time_ms < ?1
             UNION ALL SELECT 1 FROM notices WHERE time_ms < ?1
             UNION ALL SELECT 1 FROM pipelines WHERE changed_ms < ?1";
        const PIPELINES: &str = "SELECT id FROM pipelines WHERE changed_ms < ? AND owner IS NULL";
        if !sql::row_exists(connection, OLD, [before_ms as i64])? {
            return Ok(Self::default());
        }
        let calls = remaining_calls(connection, removed)?;
        let mut chosen = Self::default();
        chosen.choose_backups(connection, before_ms, &calls)?;
        chosen.choose_notices(connection, before_ms, &calls)?;
        chosen.pipelines = sql::all_rows(connection, PIPELINES, [before_ms as i64])?;
        Ok(chosen)
    }

    fn choose_backups(
        &mut self,
        connection: &Connection,
        before_ms: u64,
        calls: &HashSet<String>,
    ) -> rusqlite::Result<()> {
        let all: Vec<Copy> = sql::all_rows(connection, &Copy::sql("FROM backups"), [])?;
        let is_old = |copy: &&Copy| copy.time_ms < before_ms && !calls.contains(&copy.call_id);
        let (old, kept): (Vec<&Copy>, Vec<&Copy>) = all.iter().partition(is_old);
        let kept: HashSet<&String> = kept.iter().map(|copy| &copy.digest).collect();
        let mut seen = HashSet::new();
        for copy in old {
            self.backups.push(copy.number);
            if !kept.contains(&copy.digest) && seen.insert(&copy.digest) {
                self.contents.push(copy.digest.clone());
                self.freed_bytes += copy.bytes;
            }
        }
        Ok(())
    }

    fn choose_notices(
        &mut self,
        connection: &Connection,
        before_ms: u64,
        calls: &HashSet<String>,
    ) -> rusqlite::Result<()> {
        let all: Vec<Message> = sql::all_rows(connection, &Message::sql("FROM notices"), [])?;
        let mut answers: HashMap<&str, Vec<&Message>> = HashMap::new();
        for answer in all.iter().filter(|one| one.kind == "answer") {
            answers.entry(&answer.call_id).or_default().push(answer);
        }
        for notice in all.iter().filter(|one| one.kind != "answer") {
            let answers = answers.get(&*notice.id).map_or(&[][..], Vec::as_slice);
            let is_open = notice.kind != "call" && answers.is_empty();
            let times = answers.iter().map(|answer| answer.time_ms);
            let newest = times.fold(notice.time_ms, u64::max);
            if !is_open && newest < before_ms && !calls.contains(&notice.call_id) {
                self.notices.push(notice.number);
                self.notices
                    .extend(answers.iter().map(|answer| answer.number));
            }
        }
        Ok(())
    }

    pub(super) fn is_nothing(&self) -> bool {
        self.backups.is_empty() && self.notices.is_empty() && self.pipelines.is_empty()
    }

    /// Numbers of backups, and of notifications with answers.
    pub(super) fn counts(&self) -> (u64, u64) {
        (self.backups.len() as u64, self.notices.len() as u64)
    }

    /// Number of pipelines that ended.
    pub(super) fn pipelines(&self) -> u64 {
        self.pipelines.len() as u64
    }

    /// Removes the rows; the files of the contents are removed afterwards.
    pub(super) fn delete(&self, transaction: &Transaction<'_>) -> rusqlite::Result<()> {
        for (sql, numbers) in [
            ("DELETE FROM backups WHERE number = ?", &self.backups),
            ("DELETE FROM notices WHERE number = ?", &self.notices),
        ] {
            for number in numbers {
                sql::execute_statement(transaction, sql, [number])?;
            }
        }
        for id in &self.pipelines {
            for sql in [
                "DELETE FROM pipeline_events WHERE pipeline = ?",
                "DELETE FROM pipelines WHERE id = ?",
            ] {
                sql::execute_statement(transaction, sql, [id])?;
            }
        }
        Ok(())
    }
}

/// The ids of the calls whose records remain.
fn remaining_calls(
    connection: &Connection,
    removed: &BTreeMap<String, PruneCandidate>,
) -> rusqlite::Result<HashSet<String>> {
    const SQL: &str = "SELECT session, body ->> '$.call_id' FROM events
         WHERE instr(body, '\"call_id\":\"') > 0 AND json_valid(body) AND body ->> '$.call_id' IS NOT NULL";
    let all = sql::all_rows::<(String, String)>(connection, SQL, [])?.into_iter();
    let remaining = all.filter(|(session, _)| !removed.contains_key(session));
    Ok(remaining.map(|(_, call)| call).collect())
}
