//! `mathchain inbox`: questions from agents with their answers, and calls with the obligation `notify`.

use journal::{NoticeRecord, WITHOUT_KEY};

use super::folders::Folders;
use super::prelude::*;

#[derive(Debug, Subcommand)]
pub(super) enum Inbox {
    /// List questions and notifications, newest first
    List {
        #[command(flatten)]
        folders: Folders,
        /// Maximum number of rows
        #[arg(long, default_value_t = 20, value_name = "N")]
        limit: u32,
    },
    /// Show one question or notification, and the answers to it
    Show {
        /// Id, or a unique prefix
        id: String,
    },
    /// Answer a question; the agent gets the answer when it asks again
    Answer {
        /// Id of the question, or a unique prefix
        id: String,
        /// The answer
        text: String,
    },
}

/// A question or notification with its answers, newest first.
type Answered = (NoticeRecord, Vec<NoticeRecord>);

/// Longest answer, in bytes.
const ANSWER_BYTES_MAX: usize = 64 << 10;

/// Lists or shows the inbox, or answers a question in it.
pub(super) fn inbox(global: &Global, inbox: &Inbox) -> Result<ExitCode> {
    let toolkit = open::toolkit(global)?;
    match inbox {
        Inbox::List { folders, limit } => {
            let state = open::state_to_read(global, &toolkit)?;
            let of = folders.of(&toolkit);
            let notices = state.notices(of.as_ref(), *limit as usize)?.into_iter();
            let listed = notices.map(|one| state.notice(&one.id));
            let listed = listed.collect::<Result<Vec<Answered>>>()?;
            let none = folders.none(&toolkit, "no notifications");
            output::list(global, &listed, value, &none, |one| {
                folders.line(readable(one), one.0.folder_root.as_deref())
            })
        }
        Inbox::Show { id } => {
            let found = open::state_to_read(global, &toolkit)?.notice(id)?;
            output::data(global, &value(&found), || readable(&found))
        }
        Inbox::Answer { id, text } => {
            if text.trim().is_empty() || text.len() > ANSWER_BYTES_MAX {
                return Err(tool_error!(InvalidArgs;
                    "an answer has 1 to {ANSWER_BYTES_MAX} bytes, found {}", text.len()));
            }
            let state = open::state(&toolkit)?;
            let answer = state.answer(id, text, WITHOUT_KEY)?;
            state.close()?;
            let found = state.notice(&answer.call_id)?;
            output::data(global, &value(&found), || readable(&found))
        }
    }
}

fn value((notice, answers): &Answered) -> Value {
    let mut fields = plain(notice).as_object().cloned().unwrap_or_default();
    if notice.kind == "question" {
        let answers = answers.iter().map(|answer| {
            object! { "text" => answer.text.as_str(), "time_ms" => answer.time_ms }
        });
        fields.insert("answers", Value::array(answers.collect()));
    }
    Value::Object(fields.into())
}

fn readable((notice, answers): &Answered) -> String {
    let tool = notice.tool.as_deref().unwrap_or("-");
    let time = human::time(notice.time_ms);
    let (id, kind, role) = (&notice.id, &notice.kind, &notice.role);
    let state = match kind.as_str() {
        "question" if answers.is_empty() => "  [open]",
        "question" => "  [answered]",
        _ => "",
    };
    let by = match &notice.agent {
        Some(agent) => format!("agent `{agent}` as `{role}`"),
        None => format!("`{role}`"),
    };
    let mut text = format!("{id}  {time}  {kind:8}  {tool} by {by}{state}\n");
    let _ = writeln!(text, "    {}", notice.text.replace('\n', "\n    "));
    for answer in answers {
        let time = human::time(answer.time_ms);
        let words = answer.text.replace('\n', "\n      ");
        let _ = writeln!(text, "    {time}  answer: {words}");
    }
    text
}
