//! Questions from agents with their answers, and calls with the obligation `notify`.

use journal::NoticeRecord;

use super::super::prelude::*;

/// A question or notification with its answers, newest first.
pub(super) type Answered = (NoticeRecord, Vec<NoticeRecord>);

pub(super) fn notice_value((notice, answers): &Answered) -> Value {
    let mut fields = plain_value(notice).as_object().cloned().unwrap_or_default();
    if notice.kind != "call" {
        let answers = answers.iter().map(|answer| {
            object! { "text" => answer.text.as_str(), "time_ms" => answer.time_ms }
        });
        fields.insert("answers", Value::array(answers.collect()));
    }
    Value::Object(fields.into())
}

pub(super) fn render_notice((notice, answers): &Answered) -> String {
    let tool = notice.tool.as_deref().unwrap_or("-");
    let time = human::format_local_time(notice.time_ms);
    let (id, kind, role) = (&notice.id, &notice.kind, &notice.role);
    let state = match kind.as_str() {
        "question" | "gate" if answers.is_empty() => "  [open]",
        "question" | "gate" => "  [answered]",
        _ => "",
    };
    let by = match &notice.agent {
        Some(agent) => format!("agent `{agent}` as `{role}`"),
        None => format!("`{role}`"),
    };
    let mut text = format!("{id}  {time}  {kind:8}  {tool} by {by}{state}\n");
    let _ = writeln!(text, "    {}", notice.text.replace('\n', "\n    "));
    for answer in answers {
        let time = human::format_local_time(answer.time_ms);
        let words = answer.text.replace('\n', "\n      ");
        let _ = writeln!(text, "    {time}  answer: {words}");
    }
    text
}
