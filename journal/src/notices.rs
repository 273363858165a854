//! The inbox: an append-only list of notifications and questions for the operator, and of answers.

use registry::WorkspaceId;
use rusqlite::{Connection, Transaction, params};
use tool_core::capability::{AskedQuestion, Notification, NotificationLog};
use tool_core::{Encode, Result, object, tool_error};

use super::folders::{self, IS_IN, ROOT};
use super::random;
use super::sql::{self, Done, row_structs};
use super::state::StateStore;

row_structs! {
    /// One notification.
    #[derive(Debug, Clone, PartialEq, Eq, Encode)]
    pub NoticeRecord {
        /// Twelve hex digits.
        pub id: String,
        /// `call`, `question`, `gate` of a pipeline, or `answer`.
        pub kind: String,
        /// Id of the call that sent it; of an answer, the id of its question.
        pub call_id: String,
        /// Canonical id of the tool concerned.
        pub tool: Option<String>,
        /// Role of the caller.
        pub role: String,
        /// Agent of the caller.
        pub agent: Option<String>,
        /// The message.
        pub text: String,
        /// Time of sending, in milliseconds since 1970-01-01 UTC.
        pub time_ms: u64,
        /// Root of the workspace of the caller, where it is known.
        #[value(rename = "folder")]
        pub folder_root: Option<String>,
    }
}

impl StateStore {
    /// Lists the newest questions and notifications of a folder, or of all; newest first.
    ///
    /// # Errors
    /// `tool_error` when the state cannot be read.
    pub fn notices(&self, of: Option<&WorkspaceId>, count_max: usize) -> Result<Vec<NoticeRecord>> {
        let sql = of_table(&format!(
            "WHERE kind != 'answer' AND {IS_IN} ORDER BY number DESC LIMIT ?3"
        ));
        let (id, root) = folders::folder_params(of);
        let params = params![id, root, sql::row_limit(count_max)];
        self.shared.select("list the notifications", &sql, params)
    }
}

/// Selects notifications.
fn of_table(rest: &str) -> String {
    NoticeRecord::sql(&format!("FROM (SELECT *, {ROOT} FROM notices) {rest}"))
}

impl StateStore {
    /// Finds a notification by its id or a unique prefix of it; of a question with its answers, newest first.
    ///
    /// # Errors
    /// `invalid_args` for an id that is unknown or the beginning of several.
    pub fn notice(&self, id: &str) -> Result<(NoticeRecord, Vec<NoticeRecord>)> {
        self.shared.read("look for the notification", |connection| {
            let found = find_notice(connection, id)?;
            let answers = answers_to_question(connection, &found.id)?;
            Ok((found, answers))
        })
    }

    /// Answers a question: whoever asked gets the newest answer by asking again. The answer is recorded in the audit log; it grants no
    /// permission.
    ///
    /// # Errors
    /// As [`StateStore::notice`]; `invalid_args` for a notification that is no question.
    pub fn answer(&self, id: &str, text: &str, by: &str) -> Result<NoticeRecord> {
        let answer_id = random::random_id();
        self.shared
            .transact("store the answer", |transaction, now_ms| {
                let question = find_notice(transaction, id)?;
                if !matches!(question.kind.as_str(), "question" | "gate") {
                    let error = tool_error!(InvalidArgs, "question"; "`{id}` is not a question: it is a notification of a call";
                        "`mathchain inbox list` shows questions and notifications");
                    return Err(error.into());
                }
                let answer = NoticeRecord {
                    id: answer_id.clone(),
                    kind: "answer".to_owned(),
                    call_id: question.id.clone(),
                    text: text.to_owned(),
                    time_ms: now_ms,
                    ..question
                };
                insert_notice(transaction, &answer, self.shared.folder_of_calls())?;
                let record = object! {
                    "event" => "answer",
                    "question_id" => answer.call_id.as_str(),
                    "answer_id" => answer.id.as_str(),
                    "answered_by" => by,
                    "role" => answer.role.as_str(),
                    "agent" => answer.agent.clone(),
                };
                Ok((answer, Some(record)))
            })
    }
}

/// The answers to a question, newest first.
fn answers_to_question(connection: &Connection, question: &str) -> Done<Vec<NoticeRecord>> {
    let sql = of_table("WHERE kind = 'answer' AND call_id = ? ORDER BY number DESC");
    Ok(sql::all_rows(connection, &sql, [question])?)
}

/// Finds a notification by its id or a unique prefix of it.
fn find_notice(connection: &Connection, id: &str) -> Done<NoticeRecord> {
    let sql =
        of_table("WHERE substr(id, 1, length(?1)) = ?1 AND ?1 != '' ORDER BY number DESC LIMIT 2");
    let mut found: Vec<NoticeRecord> = sql::all_rows(connection, &sql, [id])?;
    let fault = match found.len() {
        1 => return Ok(found.remove(0)),
        0 => tool_error!(InvalidArgs, "unknown_notice"; "no notification has the id `{id}`";
            "`mathchain inbox list` shows them"),
        _ => {
            tool_error!(InvalidArgs, "ambiguous_notice"; "several notifications begin with `{id}`";
            "give more of the id")
        }
    };
    Err(fault.into())
}

fn insert_notice(
    transaction: &Transaction<'_>,
    notice: &NoticeRecord,
    folder: Option<&WorkspaceId>,
) -> rusqlite::Result<usize> {
    const SQL: &str = "INSERT INTO notices(id, kind, call_id, tool, role, agent, text, time_ms, folder) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)";
    let folder = folders::folder_number(transaction, folder)?;
    let params = params![
        notice.id,
        notice.kind,
        notice.call_id,
        notice.tool,
        notice.role,
        notice.agent,
        notice.text,
        notice.time_ms as i64,
        folder
    ];
    sql::execute_statement(transaction, SQL, params)
}

impl StateStore {
    /// An id for a notification that is stored later.
    pub fn new_notice_id() -> String {
        random::random_id()
    }
}

/// Stores a notification under an id.
pub(super) fn insert_new(
    transaction: &Transaction<'_>,
    (id, notice): (&str, &Notification),
    now_ms: u64,
    folder: Option<&WorkspaceId>,
) -> rusqlite::Result<usize> {
    let notice = NoticeRecord {
        id: id.to_owned(),
        kind: notice.kind.to_owned(),
        call_id: notice.call_id.clone(),
        tool: notice.tool.clone(),
        role: notice.role.clone(),
        agent: notice.agent.clone(),
        text: notice.text.clone(),
        time_ms: now_ms,
        folder_root: None,
    };
    insert_notice(transaction, &notice, folder)
}

impl NotificationLog for StateStore {
    fn asked(&self, question: &Notification) -> Result<Option<AskedQuestion>> {
        let sql = of_table(&format!(
            "WHERE kind = 'question' AND role = ?3 AND agent IS ?4 AND tool IS ?5 AND text = ?6
                AND (folder IS NULL OR {IS_IN}) ORDER BY number DESC LIMIT 1"
        ));
        self.shared.read("look for the question", |connection| {
            let Notification {
                role,
                agent,
                tool,
                text,
                ..
            } = question;
            let (id, root) = folders::folder_params(self.shared.folder_of_calls());
            let params = params![id, root, role, agent, tool, text];
            let Some(found): Option<NoticeRecord> = sql::first_row(connection, &sql, params)?
            else {
                return Ok(None);
            };
            let newest = answers_to_question(connection, &found.id)?
                .into_iter()
                .next();
            let answer = newest.map(|answer| answer.text);
            let id = found.id;
            Ok(Some(AskedQuestion { id, answer }))
        })
    }

    fn notify(&self, notice: &Notification) -> Result<String> {
        let id = Self::new_notice_id();
        self.shared
            .transact("store the notification", |transaction, now_ms| {
                let folder = self.shared.folder_of_calls();
                insert_new(transaction, (&id, notice), now_ms, folder)?;
                Ok(((), None))
            })?;
        Ok(id)
    }
}
