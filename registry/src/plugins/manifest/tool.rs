//! A tool of a manifest.

use tool_core::nearest::nearest;
use tool_core::{Caller, Category, Effect};

use super::super::shape::Shape;
use super::{command, name, required, shape};
use crate::config::part::{Part, Table};

const TOOL_KEYS: [&str; 16] = [
    "name",
    "title",
    "description",
    "parameters",
    "returns",
    "category",
    "effects",
    "destructive",
    "callers",
    "timeout",
    "command",
    "enabled",
    "tags",
    "idempotent",
    "module",
    "function",
];

/// A tool of a manifest.
#[derive(Debug, Clone)]
pub struct ToolEntry {
    /// Its name, without that of the plugin.
    pub name: String,
    /// A few words for a list.
    pub title: String,
    /// What it does.
    pub description: String,
    pub(in crate::plugins) parameters: Shape,
    pub(in crate::plugins) returns: Option<Shape>,
    /// The field it belongs to.
    pub category: Category,
    /// The most it may change.
    pub effects: Vec<Effect>,
    /// Whether it can destroy what was there.
    pub destructive: bool,
    /// Whether doing it twice is the same as doing it once.
    pub idempotent: bool,
    /// Who may call it.
    pub callers: Vec<Caller>,
    /// Words to select it by.
    pub tags: Vec<String>,
    /// Longest run in milliseconds.
    pub timeout_ms: Option<u64>,
    /// What runs it.
    pub command: Vec<String>,
    /// Whether it can be called.
    pub enabled: bool,
}

fn names<T: Copy>(
    table: &mut Table<'_>,
    key: &str,
    parse: fn(&str) -> Option<T>,
    known: &[&'static str],
) -> Option<Vec<T>> {
    table.within(key, |mut part| {
        let mut found = Vec::new();
        part.items(|mut item| {
            let Some(text) = item.as_text() else { return };
            match parse(&text) {
                Some(name) => found.push(name),
                None => item.report(
                    format!("expected one of `{}`, found `{text}`", known.join("`, `")),
                    nearest(&text, known.iter().copied()),
                ),
            }
        });
        found
    })
}

/// The fields that an older manifest names beside ours.
fn category(text: &str) -> Option<Category> {
    match text {
        "file" | "specialized" => Some(Category::System),
        _ => Category::parse(text),
    }
}

pub(super) fn tool(part: Part<'_>, common: Option<&[String]>) -> Option<ToolEntry> {
    let mut table = part.into_table(&TOOL_KEYS)?;
    required(&mut table, &["name", "description"]);
    let own = command(&mut table);
    if own.is_none() && common.is_none() {
        let handler = table.has("module") || table.has("function");
        table.report(if handler {
            "`module` and `function` are not called here: name a `command` that speaks the protocol of docs/plugins.md"
        } else {
            "missing `command`, here or for the whole plugin"
        });
    }
    let name = name(&mut table, "name");
    let description = table.text("description").unwrap_or_default();
    let known: Vec<&'static str> = Category::ALL
        .iter()
        .map(|category| category.as_str())
        .collect();
    let category = match table.text("category") {
        None => Category::System,
        Some(text) => category(&text).unwrap_or_else(|| {
            let message = format!("expected one of `{}`, found `{text}`", known.join("`, `"));
            table.within("category", |mut part| {
                part.report(message, nearest(&text, known.iter().copied()))
            });
            Category::System
        }),
    };
    let effects: Vec<&'static str> = Effect::ALL.iter().map(|effect| effect.as_str()).collect();
    let effects = names(&mut table, "effects", Effect::parse, &effects);
    let declared = effects.is_some();
    let destructive = table.truth("destructive").unwrap_or(!declared);
    if declared && destructive && effects.as_ref().is_some_and(Vec::is_empty) {
        table.report("it says it is destructive and has no effects");
    }
    let callers = names(&mut table, "callers", Caller::parse, &["direct", "chain"]);
    let title = table
        .text("title")
        .unwrap_or_else(|| description.lines().next().unwrap_or_default().to_owned());
    Some(ToolEntry {
        title: if title.is_empty() {
            "a tool of a plugin".to_owned()
        } else {
            title
        },
        description,
        parameters: table
            .within("parameters", |part| shape(part))
            .unwrap_or_else(Shape::empty),
        returns: table.within("returns", |part| shape(part)),
        category,
        // What says nothing about itself may do anything, and is called by itself only.
        effects: effects.unwrap_or_else(|| Effect::ALL.to_vec()),
        destructive,
        idempotent: table.truth("idempotent").unwrap_or(false),
        callers: callers
            .filter(|callers| declared && !callers.is_empty())
            .unwrap_or_else(|| vec![Caller::Direct]),
        tags: table.list("tags").unwrap_or_default(),
        timeout_ms: table.number("timeout").and_then(|seconds| {
            let sound = seconds.is_finite() && 0.001 <= seconds && seconds <= 86_400.0;
            if !sound {
                table.within("timeout", |mut part| {
                    part.report("expected seconds from 0.001 to 86400".to_owned(), None)
                });
            }
            sound.then_some((seconds * 1e3) as u64)
        }),
        command: own
            .or_else(|| common.map(<[String]>::to_vec))
            .unwrap_or_default(),
        enabled: table.truth("enabled").unwrap_or(true),
        name: name?,
    })
}
