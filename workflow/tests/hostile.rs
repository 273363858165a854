//! Texts from outside: whatever they are, they are read or refused, and nothing panics.

use proptest::prelude::*;
use workflow::import::{ImportSource, import_files};
use workflow::{WorkflowEvent, WorkflowState, governance, template};

const PATHS: [&str; 8] = [
    "docs/tasks/todo/CHAIN-001-a/001-a.md",
    "docs/tasks/todo/CHAIN-001-a/000-chain.md",
    "docs/tasks/.chains/CHAIN-001-a.json",
    "docs/requests/change-requests/todo/CR-20250101-001-a.md",
    ".choragen/requests/CR-20250101-001.json",
    ".choragen/workflows/WF-20250101-001.json",
    ".choragen/workflows/WF-20250101-001/feedback/FB-001.json",
    "é/../x",
];

/// Pieces of the layouts and arbitrary text, in any order.
fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("# Task: a\n".to_owned()),
        Just("# Change Request: a\r\n".to_owned()),
        Just("# Chain: a\n".to_owned()),
        Just("**Status**: todo  \n".to_owned()),
        Just("**Request**: CR-20250101-001\n".to_owned()),
        Just("**Created**: 2025-99-01\n".to_owned()),
        Just("**é".to_owned()),
        Just("---\n".to_owned()),
        Just("## File Scope\n- `a/**`\n- `[`\n".to_owned()),
        Just("```\n".to_owned()),
        Just("{\"id\":\"a\",\"requestId\":\"CR-20250101-001\",\"title\":\"t\",".to_owned()),
        Just("\"stages\":[{\"gate\":{\"options\":[1]}}],\"currentStage\":9,".to_owned()),
        Just("\"status\":\"resolved\",\"content\":null}".to_owned()),
        Just("stages: [{name: a, gate: {type: auto}}]\n".to_owned()),
        Just("mutations: {deny: [{pattern: '{a,'}]}\n".to_owned()),
        Just("roles: {impl: }\n".to_owned()),
        Just("tools: [{id: task:list}]\n".to_owned()),
        any::<String>(),
    ];
    proptest::collection::vec(piece, 0..10).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, ..ProptestConfig::default() })]

    #[test]
    fn whatever_is_imported_is_a_history(texts in proptest::collection::vec((0..PATHS.len(), text()), 1..6)) {
        let files: Vec<ImportSource<'_>> = texts.iter().map(|(path, text)| ImportSource { path: PATHS[*path], text }).collect();
        let read = import_files(&WorkflowState::default(), &files);
        prop_assert!(WorkflowState::fold(&read.events).is_ok());
        prop_assert!(read.errors.iter().all(|error| error.place.is_some()));
    }

    #[test]
    fn whatever_is_read_is_accepted_or_refused(text in text()) {
        for errors in [
            template::read_template("t.yaml", &text).err(),
            governance::read_governance("g.yaml", &text).err(),
        ].into_iter().flatten() {
            prop_assert!(errors.list().iter().all(|error| error.place.is_some()));
        }
        prop_assert!(WorkflowEvent::from_json(&text).is_err());
        if let Ok(glob) = governance::PathGlob::parse(&text) {
            prop_assert!(glob.meets(&glob));
        }
        _ = workflow::EventTime::parse(&text);
        prop_assert!(workflow::ids::is_id(&workflow::ids::title_slug(&text)));
    }
}
