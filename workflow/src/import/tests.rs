use super::*;
use crate::names::{ChainStatus, RequestStatus, TaskStatus, WorkflowStatus};

const TASK: &str = "# Task: Read numbers\n\n**Chain**: CHAIN-001-parser  \n**Task**: 001-read  \n**Status**: todo  \n**Type**: impl  \n**Created**: 2025-12-06\n\
**Rework-Count**: 2  \n**Rework-Reason**: signs  \n\n---\n\n## Objective\n\nRead them.\n\n```md\n## Not a section\n---\n```\n\n---\n\n## Expected Files\n\n\
- `a.rs`\n- `b.rs` - the other\n\n---\n\n## File Scope\n\n- `src/**`\n\n---\n\n## Acceptance Criteria\n\n- [x] reads\n- [ ] more\n  lines\n\n---\n\n## Context\n\nOld.\n\n---\n\n## Notes\n\nNone.\n\n---\n";
const CHAIN: &str = r#"{
  "id": "CHAIN-001-parser", "sequence": 1, "slug": "parser", "requestId": "CR-20251206-001",
  "title": "Parser", "type": "implementation", "description": "",
  "skipDesign": true, "skipDesignJustification": "small",
  "taskOrder": ["002-write", "001-read"],
  "createdAt": "2025-12-06T00:06:57.639Z", "updatedAt": "2025-12-06T00:06:57.639Z",
  "hooks": {}
}"#;
const REQUEST: &str = "# Change Request: A parser\n\n**ID**: CR-20251206-001  \n**Domain**: core  \n**Status**: doing  \n**Created**: 2025-12-06  \n**Owner**: Pat  \n\n---\n\n## What\n\nA parser.\n\n---\n\n## Why\n\nNeeded.\n";
const WORKFLOW: &str = r#"{
  "id": "WF-20251206-001", "requestId": "CR-20251206-001", "template": "standard", "currentStage": 1, "status": "active",
  "stages": [
    {"name": "request", "type": "request", "status": "completed", "gate": {"type": "human_approval", "prompt": "Go?", "satisfied": true, "satisfiedBy": "pat"}},
    {"name": "work", "type": "implementation", "status": "active", "gate": {"type": "chain_complete", "satisfied": false}, "roleId": "implementation"}
  ],
  "createdAt": "2025-12-06T00:00:00.000Z", "updatedAt": "2025-12-06T00:00:00.000Z"
}"#;
const FEEDBACK: &str = r#"{"id":"FB-1765500000000","workflowId":"WF-20251206-001","question":"Which?","context":"two ways","blocking":true,"status":"pending","createdAt":"2025-12-06T01:00:00.000Z"}"#;
const ANSWERED: &str = r#"{"id":"FB-001","workflowId":"WF-20251206-001","stageIndex":0,"type":"idea","createdByRole":"impl","content":"Tables.","context":{"files":["a.rs"],"options":[{"label":"yes","description":"do"}]},
"status":"resolved","response":{"content":"Yes.","selectedOption":"yes","respondedBy":"pat","respondedAt":"2025-12-06T02:00:00Z"},"priority":"high","createdAt":"2025-12-06T01:00:00.000Z","updatedAt":"2025-12-06T02:00:00Z"}"#;

const TASK_PATH: &str = "docs/tasks/in-progress/CHAIN-001-parser/001-read.md";
const CHAIN_PATH: &str = "docs/tasks/.chains/CHAIN-001-parser.json";
const REQUEST_PATH: &str = "docs/requests/change-requests/doing/CR-20251206-001-a-parser.md";

fn read(files: &[(&str, &str)]) -> (ImportResult, WorkflowState) {
    let files: Vec<ImportSource<'_>> = files
        .iter()
        .map(|(path, text)| ImportSource { path, text })
        .collect();
    let import = import_files(&WorkflowState::default(), &files);
    let state = WorkflowState::fold(&import.events).unwrap();
    (import, state)
}

fn told(list: &[LoadError]) -> Vec<String> {
    list.iter().map(ToString::to_string).collect()
}

#[test]
fn a_project_is_imported() {
    let second = TASK
        .replace("Read numbers", "Write numbers")
        .replace("001-read", "002-write");
    let (import, state) = read(&[
        (TASK_PATH, TASK),
        ("docs/tasks/done/CHAIN-001-parser/002-write.md", &second),
        (CHAIN_PATH, CHAIN),
        (REQUEST_PATH, REQUEST),
        (".choragen/workflows/WF-20251206-001.json", WORKFLOW),
        (
            ".choragen/workflows/WF-20251206-001/feedback/FB-1765500000000.json",
            FEEDBACK,
        ),
        (
            ".choragen/workflows/WF-20251206-001/feedback/FB-001.json",
            ANSWERED,
        ),
        ("docs/tasks/README.md", "# Tasks"),
    ]);
    assert_eq!(told(&import.errors), [""; 0]);
    assert_eq!(
        told(&import.notes),
        [
            "docs/tasks/.chains/CHAIN-001-parser.json:7:3: the key `hooks` is not imported",
            "docs/tasks/done/CHAIN-001-parser/002-write.md:5:1: `status` is `todo`, but the path says `done`",
            "docs/tasks/in-progress/CHAIN-001-parser/001-read.md:5:1: `status` is `todo`, but the path says `in-progress`",
        ]
    );
    assert!(
        import
            .events
            .iter()
            .all(|event| event.actor.principal == "import")
    );
    let chain = state.chain("CHAIN-001-parser").unwrap();
    assert_eq!(
        chain
            .tasks
            .iter()
            .map(|task| task.id.as_str())
            .collect::<Vec<_>>(),
        ["002-write", "001-read"]
    );
    assert_eq!(
        (chain.status(), chain.skip_design.as_deref()),
        (ChainStatus::InProgress, Some("small"))
    );
    let task = chain.task("001-read").unwrap();
    assert_eq!(
        (
            task.status,
            task.rework_count,
            task.created.to_string().as_str()
        ),
        (TaskStatus::InProgress, 2, "2025-12-06T00:00:00.000Z")
    );
    assert_eq!(
        task.brief.objective,
        "Read them.\n\n```md\n## Not a section\n---\n```"
    );
    assert_eq!(task.brief.expected_files, ["a.rs", "`b.rs` - the other"]);
    assert_eq!(task.brief.file_scope, ["src/**"]);
    assert_eq!(task.brief.acceptance, ["reads", "more lines"]);
    assert_eq!(task.brief.notes, "None.\n\n### Context\n\nOld.");
    let request = state.request("CR-20251206-001").unwrap();
    assert_eq!(
        request.content,
        "## What\n\nA parser.\n\n---\n\n## Why\n\nNeeded."
    );
    assert_eq!(state.request_status(request), RequestStatus::Doing);
    let workflow = state.workflow("WF-20251206-001").unwrap();
    assert_eq!(
        (workflow.stage, workflow.status()),
        (1, WorkflowStatus::Paused)
    );
    assert_eq!(workflow.stages[1].role.as_deref(), Some("impl"));
    let answered = workflow.feedback("FB-001").unwrap();
    assert_eq!(
        answered
            .response
            .as_ref()
            .unwrap()
            .selected_option
            .as_deref(),
        Some("yes")
    );
    assert_eq!(
        workflow.feedback("FB-1765500000000").unwrap().context.notes,
        "two ways"
    );
    // The numbers continue where they were.
    assert_eq!(
        (
            state.chain_counter,
            chain.task_counter,
            workflow.feedback_counter
        ),
        (1, 2, 1)
    );
}

#[test]
fn every_fault_has_file_and_line() {
    for (path, text, expected) in [
        (
            "docs/tasks/todo/CHAIN-001-parser/001-read.md",
            "no title\n",
            "001-read.md:1:1: expected a line `# Task: title`",
        ),
        (
            "docs/tasks/tod/CHAIN-001-parser/001-read.md",
            TASK,
            "no status is named `tod` (did you mean `todo`?)",
        ),
        (
            TASK_PATH,
            TASK,
            "001-read.md:1:1: task.created: no chain has the id `CHAIN-001-parser`",
        ),
        (
            TASK_PATH,
            "# Task: x\n\n**Rework-Count**: many\n",
            "001-read.md:3:1: expected a count",
        ),
        (
            TASK_PATH,
            "# Task: x\n\n## File Scope\n\n- `/etc/**`\n",
            "001-read.md:4:1: expected a pattern that begins at the root",
        ),
        (
            CHAIN_PATH,
            "{\n\"id\": 3\n}",
            "CHAIN-001-parser.json:2:1: `id`: expected a text",
        ),
        (
            CHAIN_PATH,
            "{\"id\": \"a\",\n}",
            "CHAIN-001-parser.json:2:1:",
        ),
        (
            CHAIN_PATH,
            CHAIN,
            "CHAIN-001-parser.json:2:3: chain.created: no request has the id `CR-20251206-001`",
        ),
        (
            REQUEST_PATH,
            "# Task: x\n",
            "expected a line `# Change Request: title`",
        ),
        (
            "docs/requests/change-requests/doing/parser.md",
            REQUEST,
            "expected a file `CR-YYYYMMDD-NNN-slug.md`, found `parser`",
        ),
        (
            "docs/requests/fix-requests/doing/CR-20251206-001-a.md",
            REQUEST,
            "expected a file `FR-YYYYMMDD-NNN-slug.md`",
        ),
        (
            "docs/requests/change-requests/later/CR-20251206-001-a.md",
            REQUEST,
            "no status is named `later`",
        ),
        (
            ".choragen/workflows/WF-20251206-001.json",
            &WORKFLOW.replace("chain_complete", "chain_completed"),
            "WF-20251206-001.json:5:",
        ),
        (
            ".choragen/workflows/WF-20251206-001.json",
            &WORKFLOW.replace("active\",\n", "gone\",\n"),
            "no status of workflows is named `gone`",
        ),
        (
            ".choragen/workflows/WF-1/feedback/FB-001.json",
            ANSWERED,
            "no workflow has the id `WF-1`",
        ),
        (
            ".choragen/workflows/WF-1/feedback/FB-001.json",
            &ANSWERED.replace("idea", "thought"),
            "FB-001.json:1:62: `type`: no `thought` is known",
        ),
        (
            "src/main.rs",
            "",
            "src/main.rs:1:1: the file has no place in the earlier layout",
        ),
    ] {
        let (import, _) = read(&[(path, text)]);
        let told = told(&import.errors);
        assert!(
            told.iter().any(|one| one.contains(expected)),
            "{told:?}\n{expected}"
        );
        assert!(import.events.is_empty(), "{path}");
    }
}

#[test]
fn what_has_ended_has_ended() {
    let done = TASK_PATH.replace("in-progress", "done");
    let approved = CHAIN.replace("\"hooks\": {}", "\"reviewStatus\": \"approved\"");
    let closed = REQUEST_PATH.replace("doing", "done");
    let review = r#"{"requestId": "CR-20251206-001", "reviewStatus": "approved", "updatedAt": "2025-12-07T00:00:00Z"}"#;
    let completed = WORKFLOW
        .replace("active\",\n", "completed\",\n")
        .replace("\"currentStage\": 1", "\"currentStage\": 2");
    let (import, state) = read(&[
        (&done, TASK),
        (CHAIN_PATH, &approved),
        (&closed, REQUEST),
        (".choragen/requests/CR-20251206-001.json", review),
        (".choragen/workflows/WF-20251206-001.json", &completed),
        (
            ".choragen/workflows/WF-20251206-001/feedback/FB-001.json",
            ANSWERED,
        ),
    ]);
    assert_eq!(told(&import.errors), [""; 0]);
    let request = state.request("CR-20251206-001").unwrap();
    assert!(request.is_approved() && state.request_status(request) == RequestStatus::Done);
    assert_eq!(
        state.workflow("WF-20251206-001").unwrap().status(),
        WorkflowStatus::Completed
    );
    // An approval that its tasks do not bear out is named, and the rest is imported.
    let (import, state) = read(&[
        (TASK_PATH, TASK),
        (CHAIN_PATH, &approved),
        (REQUEST_PATH, REQUEST),
    ]);
    assert!(
        told(&import.errors)[0]
            .contains("CHAIN-001-parser.json:7:3: chain.approved: all tasks must be done"),
        "{:?}",
        told(&import.errors)
    );
    assert!(!state.chain("CHAIN-001-parser").unwrap().is_approved());
}

#[test]
fn chains_may_depend_on_later_ones() {
    let first = CHAIN.replace("\"hooks\": {}", "\"dependsOn\": \"CHAIN-002-other\"");
    let second = CHAIN.replace("CHAIN-001-parser", "CHAIN-002-other");
    let (import, state) = read(&[
        (CHAIN_PATH, &first),
        ("docs/tasks/.chains/CHAIN-002-other.json", &second),
        (REQUEST_PATH, REQUEST),
    ]);
    assert_eq!(told(&import.errors), [""; 0]);
    assert_eq!(
        state
            .chain("CHAIN-001-parser")
            .unwrap()
            .depends_on
            .as_deref(),
        Some("CHAIN-002-other")
    );
}

#[test]
fn older_spellings_are_read() {
    let json = CHAIN
        .replace("\"id\"", "\"chainId\"")
        .replace("taskOrder", "tasks")
        .replace("\"hooks\": {}", "\"status\": \"done\"");
    let page = "# Chain: CHAIN-002-docs\n\n**Request**: CR-20251206-001  \n**Title**: Docs  \n**Skip Design**: true  \n**Created**: 2025-12-07\n\n---\n\n## Objective\n\nWrite.\n\n---\n";
    let task = TASK.replace("**Type**: impl", "**Type**: implementation");
    let (import, state) = read(&[
        (TASK_PATH, &task),
        (CHAIN_PATH, &json),
        (REQUEST_PATH, REQUEST),
        ("docs/tasks/done/CHAIN-002-docs/000-chain.md", page),
        (
            "docs/tasks/todo/CHAIN-002-docs/001-a.md",
            "# Task: A\n\n**Type**: research\n",
        ),
        ("docs/tasks/todo/.gitkeep", ""),
    ]);
    assert_eq!(told(&import.errors), [""; 0]);
    let note =
        "docs/tasks/todo/CHAIN-002-docs/001-a.md:3:1: the type `research` is imported as `impl`";
    assert!(
        told(&import.notes).contains(&note.to_owned()),
        "{:?}",
        told(&import.notes)
    );
    let docs = state.chain("CHAIN-002-docs").unwrap();
    assert_eq!(
        (docs.title.as_str(), docs.skip_design.as_deref()),
        ("Docs", Some("imported without a reason"))
    );
    assert_eq!(docs.description, "## Objective\n\nWrite.");
    assert!(state.task("CHAIN-001-parser", "001-read").is_ok());
}
