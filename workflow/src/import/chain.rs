//! Chains of the earlier layout.

use super::json::JsonItemFile;
use super::markdown::{EarlierPage, trim_separators};
use super::{ImportReader, ImportSource, ImportTurn};
use crate::event::{ChainApproved, ChainChangesRequested, ChainCreated};
use crate::governance::PathGlob;
use crate::limits::TEXT_BYTES_MAX;
use crate::names::ChainKind;

/// The reason of a chain that skipped the design without saying why.
const NO_REASON: &str = "imported without a reason";

/// The keys of a chain's file.
const KEYS: [&str; 18] = [
    "id",
    "chainId",
    "status",
    "tasks",
    "sequence",
    "slug",
    "requestId",
    "title",
    "description",
    "type",
    "dependsOn",
    "skipDesign",
    "skipDesignJustification",
    "reviewStatus",
    "fileScope",
    "taskOrder",
    "createdAt",
    "updatedAt",
];

impl ImportReader {
    pub(super) fn chain(&mut self, file: &ImportSource<'_>) {
        let Some(json) = JsonItemFile::read(self, file) else {
            return;
        };
        json.unknown_keys(self, &KEYS);
        // Two spellings were in use.
        let id_key = if json.value("id").is_some() {
            "id"
        } else {
            "chainId"
        };
        let order_key = if json.value("taskOrder").is_some() {
            "taskOrder"
        } else {
            "tasks"
        };
        let (Some(id), Some(request), Some(title)) = (
            json.required(self, id_key),
            json.required(self, "requestId"),
            json.required(self, "title"),
        ) else {
            return;
        };
        let kind = json.text(self, "type");
        let Some(kind) = kind
            .as_deref()
            .map_or(Some(ChainKind::Implementation), ChainKind::parse)
        else {
            self.error(&json.place("type"), "expected `design` or `implementation`");
            return;
        };
        let file_scope = self.chain_scope(&json);
        let order = json.texts(self, order_key);
        self.orders.insert(id.clone(), order);
        let skipped = json.flag(self, "skipDesign").unwrap_or(false);
        let why = json.text(self, "skipDesignJustification");
        let data = ChainCreated {
            chain: id.clone(),
            request,
            title,
            kind,
            description: json.text(self, "description").unwrap_or_default(),
            depends_on: json.text(self, "dependsOn"),
            file_scope,
            skip_design: skipped.then(|| why.unwrap_or_else(|| NO_REASON.to_owned())),
        };
        let time = json.time(self, "createdAt");
        self.draft(ImportTurn::Chain, &id, &json.place(id_key), time, data);
        self.chain_review(&json, &id);
    }

    /// The patterns of a chain's files that can be read.
    fn chain_scope(&mut self, json: &JsonItemFile) -> Vec<String> {
        let mut file_scope = Vec::new();
        for (position, pattern) in json.texts(self, "fileScope").into_iter().enumerate() {
            match PathGlob::parse(&pattern) {
                Ok(_) => file_scope.push(pattern),
                Err(expected) => {
                    let found = tool_core::brief::brief_name(&pattern).into_owned();
                    self.error(
                        &json.place(&format!("fileScope/{position}")),
                        format!("expected {expected}, found `{found}`"),
                    );
                }
            }
        }
        file_scope
    }

    /// The decision about a chain that its file has.
    fn chain_review(&mut self, json: &JsonItemFile, id: &str) {
        let (place, reviewed) = (json.place("reviewStatus"), json.time(self, "updatedAt"));
        match json.text(self, "reviewStatus").as_deref() {
            None => {}
            Some("approved") => {
                _ = self.draft(
                    ImportTurn::ChainReview,
                    id,
                    &place,
                    reviewed,
                    ChainApproved {
                        chain: id.to_owned(),
                    },
                )
            }
            Some("changes_requested") => {
                let data = ChainChangesRequested {
                    chain: id.to_owned(),
                    suggestions: Vec::new(),
                };
                let reason = "changes were requested in the earlier system".to_owned();
                self.draft(ImportTurn::ChainReview, id, &place, reviewed, data)
                    .reason = Some(reason);
            }
            Some(other) => {
                let found = tool_core::brief::brief_name(other).into_owned();
                self.error(
                    &place,
                    format!("expected `approved` or `changes_requested`, found `{found}`"),
                );
            }
        }
    }

    /// A chain that a page among its tasks describes.
    pub(super) fn chain_page(&mut self, file: &ImportSource<'_>, id: &str) {
        let Some(old) = EarlierPage::read(self, file, &["Chain"]) else {
            return;
        };
        let known = [
            "request",
            "title",
            "type",
            "skip design",
            "skip design justification",
            "status",
            "created",
        ];
        old.unknown_keys(self, &known);
        let Some((request, _)) = old.key("request") else {
            self.error(
                &old.title_place,
                "expected a line `**Request**: CR-YYYYMMDD-NNN`",
            );
            return;
        };
        let kind = match old
            .key("type")
            .map(|(value, place)| (ChainKind::parse(value), place))
        {
            None => ChainKind::Implementation,
            Some((Some(kind), _)) => kind,
            Some((None, place)) => {
                self.error(&place, "expected `design` or `implementation`");
                return;
            }
        };
        let description = trim_separators(&file.text[old.body..]);
        if description.len() > TEXT_BYTES_MAX {
            let bytes = description.len();
            self.error(
                &old.place(old.body),
                format!("the description has {bytes} bytes, the limit is {TEXT_BYTES_MAX}"),
            );
            return;
        }
        let skipped = old
            .key("skip design")
            .is_some_and(|(value, _)| value == "true");
        let why = old
            .key("skip design justification")
            .map_or(NO_REASON, |(why, _)| why);
        let data = ChainCreated {
            chain: id.to_owned(),
            request: request.to_owned(),
            title: old.key("title").map_or(id, |(title, _)| title).to_owned(),
            kind,
            description,
            depends_on: None,
            file_scope: Vec::new(),
            skip_design: skipped.then(|| why.to_owned()),
        };
        let time = self.time(old.key("created"));
        self.draft(ImportTurn::Chain, id, &old.title_place, time, data);
    }
}
