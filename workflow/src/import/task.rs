//! Tasks of the earlier layout.

use super::markdown::{EarlierPage, entry_path, list_entries};
use super::{ImportReader, ImportSource, ImportTurn, line_place};
use crate::actor::EventTime;
use crate::event::{Brief, TaskCreated};
use crate::governance::PathGlob;
use crate::limits::TEXT_BYTES_MAX;
use crate::names::{TaskKind, TaskStatus};

/// The folders of tasks.
const STATUSES: &[&str] = &[
    "backlog",
    "todo",
    "in-progress",
    "in-review",
    "done",
    "blocked",
];

impl ImportReader {
    pub(super) fn task(&mut self, file: &ImportSource<'_>, status: &str, chain: &str, id: &str) {
        let Some(folder) = TaskStatus::parse(status) else {
            let near = tool_core::nearest::nearest_name(status, STATUSES.iter().copied());
            let hint = near.map(|near| format!("did you mean `{near}`?"));
            self.error(
                &line_place(file, 1),
                format!(
                    "no status is named `{}`",
                    tool_core::brief::brief_name(status)
                ),
            )
            .hint = hint;
            return;
        };
        let Some(old) = EarlierPage::read(self, file, &["Task"]) else {
            return;
        };
        for (key, expected) in [("status", status), ("chain", chain), ("task", id)] {
            if let Some((value, place)) = old.key(key)
                && value != expected
            {
                self.note(
                    &place,
                    format!(
                        "`{key}` is `{}`, but the path says `{expected}`",
                        tool_core::brief::brief_name(value)
                    ),
                );
            }
        }
        old.unknown_keys(
            self,
            &[
                "chain",
                "task",
                "status",
                "type",
                "created",
                "rework-of",
                "rework-reason",
                "rework-count",
            ],
        );
        let kind = match old.key("type") {
            None => TaskKind::Impl,
            Some((value, place)) => {
                let role = crate::roles::find_role(value).map(|role| role.name);
                role.and_then(TaskKind::parse).unwrap_or_else(|| {
                    self.note(
                        &place,
                        format!(
                            "the type `{}` is imported as `impl`",
                            tool_core::brief::brief_name(value)
                        ),
                    );
                    TaskKind::Impl
                })
            }
        };
        let rework_count = match old
            .key("rework-count")
            .map(|(value, place)| (value.parse(), place))
        {
            None => 0,
            Some((Ok(count), _)) => count,
            Some((Err(_), place)) => {
                self.error(&place, "expected a count");
                return;
            }
        };
        let time = self.time(old.key("created"));
        let brief = self.brief(&old, &[]);
        let data = TaskCreated {
            chain: chain.to_owned(),
            task: id.to_owned(),
            title: old.title.clone(),
            kind,
            status: folder,
            brief,
            rework_of: old.key("rework-of").map(|(value, _)| value.to_owned()),
            rework_count,
        };
        let reason = old.key("rework-reason").map(|(value, _)| value.to_owned());
        self.draft(ImportTurn::Task, id, &old.title_place, time, data)
            .reason = reason;
    }

    /// The time of a key; without one, or with one that cannot be read, the beginning of 1970, with a note.
    pub(super) fn time(&mut self, key: Option<(&str, registry::TextPlace)>) -> EventTime {
        let Some((value, place)) = key else {
            return EventTime::default();
        };
        EventTime::parse(value).unwrap_or_else(|| {
            self.note(
                &place,
                format!(
                    "expected a date such as `2025-12-06`, found `{}`",
                    tool_core::brief::brief_name(value)
                ),
            );
            EventTime::default()
        })
    }

    /// What a page asks for; other sections than those left out become part of the notes.
    pub(super) fn brief(&mut self, old: &EarlierPage<'_>, left_out: &[&str]) -> Brief {
        let mut brief = Brief::default();
        let mut notes = Vec::new();
        for (name, text, place) in old.sections(self) {
            match name.to_lowercase().as_str() {
                "objective" => brief.objective = text,
                "expected files" => {
                    let whole = |entry: &String| {
                        let path = entry_path(entry);
                        if path.len() + 2 == entry.len() {
                            path.to_owned()
                        } else {
                            entry.clone()
                        }
                    };
                    brief.expected_files = list_entries(self, &place, &text)
                        .iter()
                        .map(whole)
                        .collect();
                }
                "file scope" => {
                    for entry in list_entries(self, &place, &text) {
                        match PathGlob::parse(entry_path(&entry)) {
                            Ok(_) => brief.file_scope.push(entry_path(&entry).to_owned()),
                            Err(expected) => {
                                self.error(
                                    &place,
                                    format!(
                                        "expected {expected}, found `{}`",
                                        tool_core::brief::brief_name(&entry)
                                    ),
                                );
                            }
                        }
                    }
                }
                "acceptance criteria" => brief.acceptance = list_entries(self, &place, &text),
                "constraints" => brief.constraints = list_entries(self, &place, &text),
                "notes" => notes.insert(0, text),
                _ if text.is_empty() => {}
                other if left_out.contains(&other) => {}
                // Other sections become part of the notes.
                _ => notes.push(format!("### {name}\n\n{text}")),
            }
        }
        brief.notes = notes.join("\n\n");
        if brief.notes.len() > TEXT_BYTES_MAX {
            let bytes = brief.notes.len();
            self.error(
                &old.title_place,
                format!("the notes have {bytes} bytes, the limit is {TEXT_BYTES_MAX}"),
            );
            brief.notes.clear();
        }
        brief
    }
}
