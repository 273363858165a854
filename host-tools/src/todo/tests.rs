use std::sync::Arc;

use tool_core::{
    CallBudget, CallProbe, Capabilities, Ctx, ErrorCode, StopFlag, ToolError, Value, json,
};

use super::TOOLS;
use fakes::{MemoryState, TestClock, call};

struct Lists(Ctx);

impl Lists {
    fn new() -> Self {
        Self(
            Ctx::new(StopFlag::new(), CallBudget::default()).with_capabilities(Capabilities {
                clock: Some(TestClock::at(1_700_000_000_000)),
                state: Some(Arc::new(MemoryState::default())),
                ..Capabilities::default()
            }),
        )
    }

    fn call(&self, tool: &str, args: &str) -> Result<Value, ToolError> {
        call(TOOLS, &self.0, tool, args)
    }

    /// Ids with a mark for what they are, and a star on the one at hand.
    fn shown(&self, list: &str) -> String {
        let output = self
            .call("todo_list", &format!(r#"{{"list":"{list}"}}"#))
            .unwrap();
        let tasks = output.get("tasks").unwrap().items().unwrap();
        let shown: Vec<String> = tasks
            .iter()
            .map(|task| {
                let text = |name: &str| task.get(name).unwrap().as_str().unwrap().to_owned();
                let star = if task.get("current").unwrap().as_bool().unwrap() {
                    "*"
                } else {
                    ""
                };
                format!("{}{star}={}", text("id"), text("status"))
            })
            .collect();
        format!(
            "{} open={}",
            shown.join(" "),
            json::to_text(output.get("open").unwrap())
        )
    }
}

#[test]
fn tasks_go_their_way() {
    let lists = Lists::new();
    for subject in ["one", "two", "three"] {
        let args = format!(
            r#"{{"subject":"{subject}","description":"all of it","active_form":"doing {subject}"}}"#
        );
        lists.call("todo_create", &args).unwrap();
    }
    assert_eq!(
        lists.shown("default"),
        "T1*=pending T2=pending T3=pending open=3"
    );
    for (id, status, expected) in [
        (
            "T2",
            "in_progress",
            "T1=pending T2*=in_progress T3=pending open=3",
        ),
        (
            "T1",
            "completed",
            "T1=completed T2*=in_progress T3=pending open=2",
        ),
        (
            "T2",
            "completed",
            "T1=completed T2=completed T3=pending open=1",
        ),
        ("T1", "pending", "T1=pending T2=completed T3=pending open=2"),
        ("T3", "deleted", "T1=pending T2=completed open=1"),
        ("T2", "in_progress", "T1=pending T2*=in_progress open=2"),
    ] {
        let output = lists
            .call(
                "todo_update",
                &format!(r#"{{"task_id":"{id}","status":"{status}"}}"#),
            )
            .unwrap();
        let task = output.get("task").unwrap();
        assert_eq!(task.get("completed_at").is_some(), status == "completed");
        assert_eq!(lists.shown("default"), expected, "{id} {status}");
    }
    // An id is never given twice, and lists do not see each other.
    lists
        .call("todo_create", r#"{"subject":"four","description":"x"}"#)
        .unwrap();
    assert_eq!(
        lists.shown("default"),
        "T1=pending T2*=in_progress T4=pending open=3"
    );
    assert_eq!(lists.shown("other"), " open=0");
}

#[test]
fn what_is_wrong_is_said_and_changes_nothing() {
    let lists = Lists::new();
    lists
        .call("todo_create", r#"{"subject":"s","description":"d"}"#)
        .unwrap();
    let long = "x".repeat(401);
    for (tool, args, path) in [
        (
            "todo_update",
            r#"{"task_id":"T1","status":"finished"}"#,
            "/status",
        ),
        (
            "todo_update",
            r#"{"task_id":"T9","status":"pending"}"#,
            "/task_id",
        ),
        (
            "todo_update",
            r#"{"task_id":"T1","status":"pending","list":"a b"}"#,
            "/list",
        ),
        (
            "todo_create",
            r#"{"subject":"  ","description":"d"}"#,
            "/subject",
        ),
        (
            "todo_create",
            &format!(r#"{{"subject":"s","description":"{long}"}}"#),
            "/description",
        ),
        (
            "todo_create",
            r#"{"subject":"s","description":"d","list":"../x"}"#,
            "/list",
        ),
    ] {
        let err = lists.call(tool, args).unwrap_err();
        assert_eq!(
            (err.code(), err.path()),
            (ErrorCode::InvalidArgs, Some(path)),
            "{args}"
        );
        assert_eq!(lists.shown("default"), "T1*=pending open=1");
    }
    for _ in 1..super::tasks::TASKS_MAX {
        lists
            .call("todo_create", r#"{"subject":"s","description":"d"}"#)
            .unwrap();
    }
    let err = lists
        .call("todo_create", r#"{"subject":"s","description":"d"}"#)
        .unwrap_err();
    assert_eq!(err.code(), ErrorCode::LimitExceeded);
}

/// After a crash a task is known by the call that made it, whatever became of the task since.
#[test]
fn a_task_is_known_by_the_call_that_made_it() {
    let lists = Lists::new();
    let args = r#"{"subject":" one ","description":"d"}"#;
    let tool = TOOLS[0].tool();
    let call = tool
        .decode(&json::parse_json(args, json::JsonLimits::default()).unwrap())
        .unwrap();
    let attempt = |key: &str| lists.0.clone().with_idempotency_key(key);
    let before = call.before(&attempt("run-a")).unwrap().unwrap();
    let probe = || call.probe(&before, &attempt("run-a")).unwrap();
    assert_eq!(probe(), CallProbe::NotHappened);
    let made = fakes::call(TOOLS, &attempt("run-b"), "todo_create", args).unwrap();
    assert_eq!(
        probe(),
        CallProbe::NotHappened,
        "the same task of another call"
    );
    let mine = fakes::call(TOOLS, &attempt("run-a"), "todo_create", args).unwrap();
    assert_ne!(made, mine);
    assert_eq!(probe(), CallProbe::Happened(mine.clone()));
    lists
        .call("todo_update", r#"{"task_id":"T2","status":"in_progress"}"#)
        .unwrap();
    assert_eq!(probe(), CallProbe::Happened(mine), "as it was made");
    let odd = call.probe(&Value::from("not ours"), &lists.0).unwrap();
    assert_eq!(odd, CallProbe::Unknown);
    assert_eq!(
        call.before(&lists.0).unwrap(),
        None,
        "nothing tells it from others"
    );
    assert_eq!(lists.shown("default"), "T1=pending T2*=in_progress open=2");
}
