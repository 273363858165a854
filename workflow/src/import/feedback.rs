//! Feedback of the earlier layout, in both of its shapes.

use tool_core::convert::from_value;

use super::json::JsonItemFile;
use super::{ImportReader, ImportSource, ImportTurn};
use crate::commands::ContextArgs;
use crate::event::{
    FeedbackAcknowledged, FeedbackAnswered, FeedbackContext, FeedbackCreated, FeedbackDismissed,
};
use crate::names::{FeedbackKind, FeedbackStatus, Priority};

impl ImportReader {
    pub(super) fn feedback(&mut self, file: &ImportSource<'_>, workflow: &str) {
        let Some(json) = JsonItemFile::read(self, file) else {
            return;
        };
        let known = [
            "id",
            "workflowId",
            "stageIndex",
            "taskId",
            "chainId",
            "type",
            "createdByRole",
            "content",
            "question",
            "context",
            "blocking",
            "status",
            "response",
            "priority",
            "createdAt",
            "updatedAt",
            "resolvedAt",
        ];
        json.unknown_keys(self, &known);
        let Some(id) = json.required(self, "id") else {
            return;
        };
        if json
            .text(self, "workflowId")
            .is_some_and(|named| named != workflow)
        {
            self.note(
                &json.place("workflowId"),
                format!("`workflowId` differs from the folder `{workflow}`"),
            );
        }
        let path = if json.value("content").is_some() {
            "content"
        } else {
            "question"
        };
        let Some(content) = json.required(self, path) else {
            return;
        };
        // Every name is read before the file is given up, so that all that is wrong with it is told at once.
        let errors = self.errors.len();
        let kind = match json.value("type") {
            None => Some(FeedbackKind::Question),
            Some(_) => json.name(self, "type", FeedbackKind::parse, FeedbackKind::ALL),
        };
        let priority = match json.value("priority") {
            None => None,
            Some(_) => json.name(self, "priority", Priority::parse, Priority::ALL),
        };
        let status = match json.value("status") {
            None => Some(FeedbackStatus::Pending),
            Some(_) => json.name(self, "status", FeedbackStatus::parse, FeedbackStatus::ALL),
        };
        let context = self.feedback_context(&json);
        let blocking = json.flag(self, "blocking").unwrap_or(false);
        let (Some(kind), Some(status)) = (kind, status) else {
            return;
        };
        if self.errors.len() > errors {
            return;
        }
        let data = FeedbackCreated {
            workflow: workflow.to_owned(),
            feedback: id.clone(),
            kind,
            content,
            priority: priority.unwrap_or(kind.priority()),
            blocking: blocking || kind == FeedbackKind::Blocker,
            context,
            chain: json.text(self, "chainId"),
            task: json.text(self, "taskId"),
        };
        let author = json
            .text(self, "createdByRole")
            .map(|role| format!("by role {role}"));
        let (place, time) = (json.place("id"), json.time(self, "createdAt"));
        let key = format!("{workflow} {id}");
        self.draft(ImportTurn::Feedback, &key, &place, time, data)
            .reason = author;
        self.answer(&json, workflow, &id, status);
    }

    fn answer(&mut self, json: &JsonItemFile, workflow: &str, id: &str, status: FeedbackStatus) {
        let (place, time) = (json.place("status"), json.time(self, "updatedAt"));
        let key = format!("{workflow} {id} 1");
        let (workflow, feedback) = (workflow.to_owned(), id.to_owned());
        match status {
            FeedbackStatus::Pending => {}
            FeedbackStatus::Acknowledged => {
                self.draft(
                    ImportTurn::Feedback,
                    &key,
                    &place,
                    time,
                    FeedbackAcknowledged { workflow, feedback },
                );
            }
            FeedbackStatus::Resolved => {
                let content = json
                    .text(self, "response/content")
                    .unwrap_or_else(|| "resolved in the earlier system".to_owned());
                let by = json.text(self, "response/respondedBy");
                let data = FeedbackAnswered {
                    workflow,
                    feedback,
                    content,
                    selected_option: json.text(self, "response/selectedOption"),
                };
                let reason = by.map(|by| format!("answered in the earlier system by {by}"));
                self.draft(ImportTurn::Feedback, &key, &place, time, data)
                    .reason = reason;
            }
            FeedbackStatus::Dismissed => {
                let reason = "dismissed in the earlier system".to_owned();
                self.draft(
                    ImportTurn::Feedback,
                    &key,
                    &place,
                    time,
                    FeedbackDismissed { workflow, feedback },
                )
                .reason = Some(reason);
            }
        }
    }

    fn feedback_context(&mut self, json: &JsonItemFile) -> FeedbackContext {
        let Some(value) = json.value("context") else {
            return FeedbackContext::default();
        };
        if let Some(notes) = value.as_str() {
            return FeedbackContext {
                notes: notes.to_owned(),
                ..FeedbackContext::default()
            };
        }
        match from_value::<ContextArgs>(&value) {
            Ok(args) => FeedbackContext {
                notes: args.notes.unwrap_or_default(),
                files: args.files.unwrap_or_default(),
                code_snippets: args.code_snippets.unwrap_or_default(),
                options: args.options.unwrap_or_default(),
                metadata: args.metadata.unwrap_or_default(),
            },
            Err(problem) => {
                let path = format!("context{}", problem.path);
                self.error(&json.place(&path), problem.message);
                FeedbackContext::default()
            }
        }
    }
}
