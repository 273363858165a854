//! The files that show the state.

use workflow::item::{ItemId, ItemPage, items_with_files, project_item, touched_items};

use super::world::{CHAIN, REQUEST, TASK, WORKFLOW, World};

fn task() -> ItemId {
    ItemId::Task {
        chain: CHAIN.to_owned(),
        task: TASK.to_owned(),
    }
}

#[test]
fn a_new_task_is_a_page() {
    let mut world = World::with_task("backlog");
    world.did(
        "pat",
        "task:create",
        &format!(
            r#"{{"chainId":"{CHAIN}","title":"Write: numbers","objective":"All of them.","fileScope":["src/**"],"acceptance":["it\nworks"],"notes":"a\n## b"}}"#
        ),
    );
    let item = ItemId::Task {
        chain: CHAIN.to_owned(),
        task: "002-write-numbers".to_owned(),
    };
    let file = project_item(&world.state, &item, None).unwrap();
    assert_eq!(
        file.path,
        "workflow/tasks/CHAIN-001-parser/002-write-numbers.md"
    );
    assert_eq!(
        file.text,
        "---\nid: \"002-write-numbers\"\nchain: CHAIN-001-parser\ntitle: \"Write: numbers\"\ntype: impl\nstatus: backlog\nauthor: pat\n\
         created: \"2025-01-01T00:00:00.000Z\"\nupdated: \"2025-01-01T00:00:00.000Z\"\n---\n\n# Write: numbers\n\n## Objective\n\nAll of them.\n\n\
         ## File Scope\n\n- `src/**`\n\n## Acceptance Criteria\n\n- [ ] it works\n\n## Notes\n\n> a\n> ## b\n"
    );
}

#[test]
fn what_others_wrote_into_a_file_stays() {
    let mut world = World::with_task("in-progress");
    let first = project_item(&world.state, &task(), None).unwrap();
    let edited = first
        .text
        .replace("status: in-progress", "status: in-progress # see board\nmine: [1,  2]")
        .replace("\n# Read numbers\n", "\n# Read numbers\n\nMy own words.  \n\n```\n## Reviews\n---\n```\n\n## Mine\n\n---\nkept\n")
        .replace('\n', "\r\n");
    let args =
        format!(r#"{{"chainId":"{CHAIN}","taskId":"{TASK}","summary":"done: all\n\n## so"}}"#);
    world.did("ann/impl", "task:submit", &args);
    world.did(
        "rob/review",
        "task:request_changes",
        &format!(r#"{{"chainId":"{CHAIN}","taskId":"{TASK}","reason":"signs","suggestions":["plus","minus"]}}"#),
    );
    let second = project_item(&world.state, &task(), Some(&edited)).unwrap();
    assert_eq!(second.path, first.path);
    let page = ItemPage::parse(&second.text).unwrap();
    assert_eq!(
        page.section("Summary").as_deref(),
        Some("> done: all\n>\n> ## so")
    );
    assert_eq!(
        page.section("Reviews").as_deref(),
        Some("- 2025-01-01T00:00:00.000Z, changes requested by rob: signs\n  - plus\n  - minus")
    );
    assert!(
        second.text.contains("mine: [1,  2]\r\n")
            && second.text.contains("status: in-progress # see board\r\n")
    );
    assert!(second.text.contains("My own words.  \r\n\r\n```\r\n## Reviews\r\n---\r\n```\r\n\r\n## Mine\r\n\r\n---\r\nkept\r\n"));
    assert_eq!(
        page.field("rework_count").unwrap().unwrap().as_i64(),
        Some(1)
    );
    // What the state no longer says goes, and nothing changes where nothing happened.
    assert_eq!(
        project_item(&world.state, &task(), Some(&second.text)).unwrap(),
        second
    );
    world.task("ann/impl", "task:block").unwrap();
    let blocked = project_item(&world.state, &task(), Some(&second.text)).unwrap();
    assert!(blocked.text.contains("blocked_because: because\r\n"));
    world.task("ann/impl", "task:unblock").unwrap();
    let freed = project_item(&world.state, &task(), Some(&blocked.text)).unwrap();
    assert!(
        !freed.text.contains("blocked_because")
            && freed.text.contains("status: todo # see board\r\n")
    );
}

#[test]
fn every_item_has_a_file_and_is_touched_by_its_events() {
    let mut world = World::with_workflow("standard", "done");
    world.did(
        "ann/impl",
        "feedback:create",
        &format!(
            r#"{{"workflowId":"{WORKFLOW}","question":"Which?\n## x","options":[{{"label":"a","recommended":true}}],"context":{{"codeSnippets":[{{"file":"a.rs","startLine":1,"endLine":1,"content":"```"}}]}}}}"#
        ),
    );
    world.did("pat", "feedback:respond", &format!(r#"{{"workflowId":"{WORKFLOW}","feedbackId":"FB-001","content":"This.","selectedOption":"a"}}"#));
    let all = items_with_files(&world.state);
    assert_eq!(all.len(), 4);
    let mut paths = std::collections::BTreeSet::new();
    for item in &all {
        let file = project_item(&world.state, item, None).unwrap();
        assert_eq!(
            project_item(&world.state, item, Some(&file.text)).unwrap(),
            file
        );
        assert!(paths.insert(file.path));
    }
    assert!(
        paths.contains("workflow/requests/CR-20250101-001-parser.md")
            && paths.contains("workflow/feedback/WF-20250101-001/FB-001.md")
    );
    // Following the events file by file leads where projecting everything at the end leads.
    let mut state = workflow::WorkflowState::default();
    let mut files = std::collections::BTreeMap::new();
    for event in &world.events {
        state.apply(event).unwrap();
        for item in touched_items(event, &state) {
            let old = files.get(&item).map(String::as_str);
            let file = project_item(&state, &item, old).unwrap();
            files.insert(item, file.text);
        }
    }
    assert_eq!(
        files.keys().collect::<Vec<_>>(),
        all.iter()
            .collect::<std::collections::BTreeSet<_>>()
            .into_iter()
            .collect::<Vec<_>>()
    );
    for (item, text) in &files {
        assert_eq!(
            &project_item(&state, item, Some(text)).unwrap().text,
            text,
            "{item:?}"
        );
    }
    let request = project_item(
        &state,
        &ItemId::Request(REQUEST.to_owned()),
        files
            .get(&ItemId::Request(REQUEST.to_owned()))
            .map(String::as_str),
    )
    .unwrap();
    assert!(request.text.contains("status: doing\n"), "{}", request.text);
}
