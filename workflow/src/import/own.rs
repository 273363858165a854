//! The item files of this program as events, for a log that does not know them: of a clone, or where the state was lost.
//!
//! Requests, chains and tasks are rebuilt with their status. Workflows have no files, so that their stages, gates and feedback are not.

use tool_core::{Object, Value};

use super::markdown::{EarlierPage, trim_separators};
use super::{ImportReader, ImportResult, ImportSource, ImportTurn, line_place};
use crate::actor::EventTime;
use crate::event::{
    ChainApproved, ChainCreated, RequestApproved, RequestClosed, RequestCreated, TaskCreated,
};
use crate::governance::PathGlob;
use crate::item::{FOLDER, ItemPage};
use crate::names::{ChainKind, Closing, RequestKind, RequestStatus, TaskKind, TaskStatus};
use crate::state::WorkflowState;

/// Reads item files as events that follow a state; items that it knows are left out.
pub fn adopt_item_files(state: &WorkflowState, files: &[ImportSource<'_>]) -> ImportResult {
    let mut reading = ImportReader::default();
    let mut files: Vec<&ImportSource<'_>> = files.iter().collect();
    files.sort_by_key(|file| file.path);
    let mut feedback = 0_u64;
    for file in files {
        let parts: Vec<&str> = file.path.split('/').collect();
        match parts.as_slice() {
            [FOLDER, "requests", name] if name.ends_with(".md") => reading.own_request(state, file),
            [FOLDER, "chains", name] if name.ends_with(".md") => reading.own_chain(state, file),
            [FOLDER, "tasks", chain, name] if name.ends_with(".md") => {
                reading.own_task(state, file, chain);
            }
            [FOLDER, "feedback", workflow, name] if name.ends_with(".md") => {
                feedback += u64::from(!state.workflows().contains_key(*workflow));
            }
            _ => {}
        }
    }
    if feedback > 0 {
        let place = registry::TextPlace {
            file: "workflow/feedback".into(),
            line: 1,
            column: 1,
        };
        let words = format!(
            "{feedback} items of feedback belong to workflows that this log does not know, and are not taken over"
        );
        reading.note(&place, words);
    }
    reading.into_events(state)
}

/// The fields of a file, which name its item.
struct ItemFields<'a> {
    file: &'a ImportSource<'a>,
    page: ItemPage,
    fields: Object,
    id: String,
}

impl ItemFields<'_> {
    fn text(&self, key: &str) -> Option<String> {
        let text = self.fields.get(key)?.as_str()?;
        (!text.is_empty()).then(|| text.to_owned())
    }

    fn time(&self, key: &str) -> EventTime {
        let text = self.text(key);
        text.and_then(|text| EventTime::parse(&text))
            .unwrap_or_default()
    }

    fn title(&self) -> String {
        self.text("title").unwrap_or_else(|| self.id.clone())
    }

    fn section(&self, name: &str) -> String {
        self.page
            .section(name)
            .map_or_else(String::new, |text| trim_separators(&text))
    }

    fn is_approved(&self) -> bool {
        self.text("review").as_deref() == Some("approved")
    }

    /// Why the item is approved, as far as its file says.
    fn reviewed(&self) -> Option<String> {
        Some(format!("approved by {}", self.text("reviewer")?))
    }
}

impl ImportReader {
    /// The fields of an item that the log does not know.
    fn own<'a>(
        &mut self,
        file: &'a ImportSource<'a>,
        is_known: impl Fn(&str) -> bool,
    ) -> Option<ItemFields<'a>> {
        let place = line_place(file, 1);
        let read = ItemPage::parse(file.text).and_then(|page| Ok((page.fields()?, page)));
        let (fields, page) = match read {
            Ok(read) => read,
            Err(fault) => {
                self.error(&place, fault);
                return None;
            }
        };
        let Some(id) = fields.get("id").and_then(Value::as_str).map(str::to_owned) else {
            self.error(&place, "expected a key `id` in the first lines");
            return None;
        };
        let known = is_known(&id);
        (!known).then_some(ItemFields {
            file,
            page,
            fields,
            id,
        })
    }

    /// The value of a field that has one of some names.
    fn own_name<T>(
        &mut self,
        item: &ItemFields<'_>,
        key: &str,
        parse: impl Fn(&str) -> Option<T>,
    ) -> Option<T> {
        let text = item.text(key).unwrap_or_default();
        let found = parse(&text);
        if found.is_none() {
            let shown = tool_core::brief::brief_name(&text).into_owned();
            self.error(
                &line_place(item.file, 1),
                format!("`{key}` cannot be `{shown}`"),
            );
        }
        found
    }

    fn own_request(&mut self, state: &WorkflowState, file: &ImportSource<'_>) {
        let Some(item) = self.own(file, |id| state.requests().contains_key(id)) else {
            return;
        };
        let Some(kind) = self.own_name(&item, "type", RequestKind::parse) else {
            return;
        };
        let (place, id) = (line_place(file, 1), item.id.clone());
        let is_draft = item.text("status").as_deref() == Some(RequestStatus::Draft.as_str());
        let data = RequestCreated {
            request: id.clone(),
            kind,
            title: item.title(),
            domain: item.text("domain").unwrap_or_else(|| "unknown".to_owned()),
            content: item.section("Content"),
            status: match is_draft {
                true => RequestStatus::Draft,
                false => RequestStatus::Backlog,
            },
        };
        self.draft(ImportTurn::Request, &id, &place, item.time("created"), data)
            .by = item.text("author");
        let updated = item.time("updated");
        if item.is_approved() {
            let data = RequestApproved {
                request: id.clone(),
            };
            let draft = self.draft(ImportTurn::RequestReview, &id, &place, updated, data);
            (draft.reason, draft.by) = (item.reviewed(), item.text("reviewer"));
        }
        if item.text("closed").is_some() {
            let data = RequestClosed {
                request: id.clone(),
                outcome: Closing::Imported,
            };
            let why = item.text("closed_because");
            self.draft(ImportTurn::RequestEnd, &id, &place, updated, data)
                .reason = Some(why.unwrap_or_else(|| "closed, as its file says".to_owned()));
        }
    }

    fn own_chain(&mut self, state: &WorkflowState, file: &ImportSource<'_>) {
        let Some(item) = self.own(file, |id| state.chains().contains_key(id)) else {
            return;
        };
        let Some(kind) = self.own_name(&item, "type", ChainKind::parse) else {
            return;
        };
        let (place, id) = (line_place(file, 1), item.id.clone());
        let scope = item.fields.get("file_scope").and_then(Value::items);
        let scope = scope.unwrap_or_default();
        let scope = scope.iter().filter_map(Value::as_str);
        let data = ChainCreated {
            chain: id.clone(),
            request: item.text("request").unwrap_or_default(),
            title: item.title(),
            kind,
            description: item.section("Description"),
            depends_on: item.text("depends_on"),
            file_scope: scope
                .filter(|pattern| PathGlob::parse(pattern).is_ok())
                .map(str::to_owned)
                .collect(),
            skip_design: item.text("skip_design"),
        };
        self.draft(ImportTurn::Chain, &id, &place, item.time("created"), data)
            .by = item.text("author");
        if item.is_approved() {
            let data = ChainApproved { chain: id.clone() };
            let draft = self.draft(
                ImportTurn::ChainReview,
                &id,
                &place,
                item.time("updated"),
                data,
            );
            (draft.reason, draft.by) = (item.reviewed(), item.text("reviewer"));
        }
    }

    fn own_task(&mut self, state: &WorkflowState, file: &ImportSource<'_>, chain: &str) {
        let Some(item) = self.own(file, |id| state.task(chain, id).is_ok()) else {
            return;
        };
        let (Some(kind), Some(status)) = (
            self.own_name(&item, "type", TaskKind::parse),
            self.own_name(&item, "status", TaskStatus::parse),
        ) else {
            return;
        };
        let place = line_place(file, 1);
        let count = item.fields.get("rework_count").and_then(Value::as_i64);
        let data = TaskCreated {
            chain: chain.to_owned(),
            task: item.id.clone(),
            title: item.title(),
            kind,
            status,
            brief: self.brief(&EarlierPage::own(file), &["summary", "reviews"]),
            rework_of: item.text("rework_of"),
            rework_count: count.and_then(|count| count.try_into().ok()).unwrap_or(0),
        };
        let key = format!("{chain} {}", item.id);
        let draft = self.draft(ImportTurn::Task, &key, &place, item.time("created"), data);
        draft.reason = item.text("blocked_because");
        draft.by = item.text("author");
    }
}
