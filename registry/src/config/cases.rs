//! Reads tables of expected verdicts.

use super::part::Part;
use crate::document::Document;
use crate::error::LoadErrors;
use crate::model::Principal;
use crate::policy::{Access, Case, Facts};

/// Reads a document of cases.
///
/// # Errors
/// All that is wrong with it.
pub(crate) fn cases(document: &Document) -> Result<Vec<Case>, LoadErrors> {
    let mut errors = Vec::new();
    let mut cases = Vec::new();
    if let Some(mut top) = Part::root(document, &mut errors).table(&["version", "cases"]) {
        if top.has("version") {
            top.version();
        }
        if !top.has("cases") {
            top.report("expected `cases`, a list");
        }
        top.each("cases", |part| cases.extend(case(part)));
    }
    LoadErrors::check(errors)?;
    Ok(cases)
}

pub(super) fn case(part: Part<'_>) -> Option<Case> {
    let place = part.place();
    let mut table = part.into_table(&[
        "role", "tool", "args", "phase", "agent", "task", "facts", "expect", "layer",
    ])?;
    let (role, tool) = (table.text("role"), table.text("tool"));
    let expect = table
        .one_of("expect", &["allow", "ask", "deny", "hidden"])
        .and_then(|text| Access::parse(&text));
    for key in ["role", "tool", "expect"] {
        if !table.has(key) {
            table.report(format!("a case needs its `{key}`"));
        }
    }
    let args = table.within("args", |mut part| {
        let args = part.value.as_object().cloned();
        if args.is_none() {
            let kind = part.value.kind();
            part.report(format!("expected a table of arguments, found {kind}"), None);
        }
        args
    });
    let mut facts = Vec::new();
    table.each("facts", |mut part| {
        let Some(fact) = part.as_text() else { return };
        match Facts::default().add(&fact) {
            Ok(()) => facts.push(fact),
            Err(message) => part.report(message, None),
        }
    });
    Some(Case {
        who: Principal {
            phase: table.text("phase"),
            agent: table.text("agent"),
            task: table.text("task"),
            ..Principal::role(role?)
        },
        tool: tool?,
        args: args.flatten(),
        facts,
        expect: expect?,
        layer: table.text("layer"),
        place,
    })
}
