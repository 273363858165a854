//! Requests of the earlier layout, and their reviews.

use super::json::JsonItemFile;
use super::markdown::{EarlierPage, trim_separators};
use super::{ImportReader, ImportSource, ImportTurn, line_place};
use crate::event::{RequestApproved, RequestChangesRequested, RequestClosed, RequestCreated};
use crate::ids::dated_number;
use crate::limits::TEXT_BYTES_MAX;
use crate::names::{Closing, RequestKind, RequestStatus};

impl ImportReader {
    pub(super) fn request(
        &mut self,
        file: &ImportSource<'_>,
        folder: &str,
        status: &str,
        name: &str,
    ) {
        let kind = if folder == "change-requests" {
            RequestKind::Cr
        } else {
            RequestKind::Fr
        };
        let Some(status) = RequestStatus::parse(status) else {
            self.error(
                &line_place(file, 1),
                format!(
                    "no status is named `{}`",
                    tool_core::brief::brief_name(status)
                ),
            );
            return;
        };
        let Some(id) = self.request_id(file, kind, name) else {
            return;
        };
        let Some(old) =
            EarlierPage::read(self, file, &["Change Request", "Fix Request", "Request"])
        else {
            return;
        };
        self.note_request_path(&old, id, status);
        old.unknown_keys(self, &["id", "domain", "status", "created", "owner"]);
        let content = trim_separators(&file.text[old.body..]);
        if content.len() > TEXT_BYTES_MAX {
            self.error(
                &old.place(old.body),
                format!(
                    "the content has {} bytes, the limit is {TEXT_BYTES_MAX}",
                    content.len()
                ),
            );
            return;
        }
        let time = self.time(old.key("created"));
        let data = RequestCreated {
            request: id.to_owned(),
            kind,
            title: old.title.clone(),
            domain: old
                .key("domain")
                .map_or("unknown", |(domain, _)| domain)
                .to_owned(),
            content,
            status: if status == RequestStatus::Draft {
                RequestStatus::Draft
            } else {
                RequestStatus::Backlog
            },
        };
        let owner = old.key("owner").map(|(owner, _)| format!("owner: {owner}"));
        self.draft(ImportTurn::Request, id, &old.title_place, time, data)
            .reason = owner;
        if status == RequestStatus::Done {
            let data = RequestClosed {
                request: id.to_owned(),
                outcome: Closing::Imported,
            };
            let reason = "done in the earlier system".to_owned();
            self.draft(ImportTurn::RequestEnd, id, &old.title_place, time, data)
                .reason = Some(reason);
        }
    }

    /// The id in the name of a request's file.
    fn request_id<'a>(
        &mut self,
        file: &ImportSource<'_>,
        kind: RequestKind,
        name: &'a str,
    ) -> Option<&'a str> {
        // `CR-20251206-001-slug`: the id is the first three parts.
        let id = name
            .match_indices('-')
            .nth(2)
            .map_or(name, |(end, _)| &name[..end]);
        if dated_number(id).is_none() || !id.starts_with(kind.prefix()) {
            let prefix = kind.prefix();
            self.error(
                &line_place(file, 1),
                format!(
                    "expected a file `{prefix}-YYYYMMDD-NNN-slug.md`, found `{}`",
                    tool_core::brief::brief_name(name)
                ),
            );
            return None;
        }
        Some(id)
    }

    /// What a page says otherwise than its path, which holds.
    fn note_request_path(&mut self, old: &EarlierPage<'_>, id: &str, status: RequestStatus) {
        if let Some((value, place)) = old.key("id")
            && value != id
        {
            self.note(
                &place,
                format!(
                    "`ID` is `{}`, but the name of the file says `{id}`",
                    tool_core::brief::brief_name(value)
                ),
            );
        }
        if let Some((value, place)) = old.key("status")
            && value != status.as_str()
        {
            self.note(
                &place,
                format!(
                    "`Status` is `{}`, but the folder says `{status}`",
                    tool_core::brief::brief_name(value)
                ),
            );
        }
    }

    pub(super) fn request_review(&mut self, file: &ImportSource<'_>) {
        let Some(json) = JsonItemFile::read(self, file) else {
            return;
        };
        json.unknown_keys(self, &["requestId", "reviewStatus", "reason", "updatedAt"]);
        let (Some(request), Some(status)) = (
            json.required(self, "requestId"),
            json.required(self, "reviewStatus"),
        ) else {
            return;
        };
        let (place, time) = (json.place("reviewStatus"), json.time(self, "updatedAt"));
        let reason = json
            .text(self, "reason")
            .filter(|reason| !reason.trim().is_empty());
        let key = request.clone();
        match status.as_str() {
            "approved" => {
                self.draft(
                    ImportTurn::RequestReview,
                    &key,
                    &place,
                    time,
                    RequestApproved { request },
                )
                .reason = reason
            }
            "changes_requested" => {
                let data = RequestChangesRequested {
                    request,
                    suggestions: Vec::new(),
                };
                let reason = reason
                    .unwrap_or_else(|| "changes were requested in the earlier system".to_owned());
                self.draft(ImportTurn::RequestReview, &key, &place, time, data)
                    .reason = Some(reason);
            }
            other => {
                let found = tool_core::brief::brief_name(other).into_owned();
                self.error(
                    &place,
                    format!("expected `approved` or `changes_requested`, found `{found}`"),
                );
            }
        }
    }
}
