//! Each limit, at its edge.

use workflow::limits::*;

use super::world::{CHAIN, REQUEST, TASK, WORKFLOW, World};

fn told(outcome: Result<Vec<workflow::WorkflowEvent>, workflow::WorkflowFault>) -> String {
    outcome.unwrap_err().to_string()
}

#[test]
fn texts_are_bounded() {
    let mut world = World::with_task("in-review");
    let title = |length: usize| {
        format!(
            r#"{{"chainId":"{CHAIN}","title":"{}"}}"#,
            "t".repeat(length)
        )
    };
    world.did("pat", "task:create", &title(TITLE_BYTES_MAX));
    assert_eq!(
        told(world.call("pat", "task:create", &title(TITLE_BYTES_MAX + 1))),
        "`title` has 201 bytes, the limit is 200"
    );
    let notes = |length: usize| {
        format!(
            r#"{{"chainId":"{CHAIN}","title":"x","notes":"{}"}}"#,
            "t".repeat(length)
        )
    };
    world.did("pat", "task:create", &notes(TEXT_BYTES_MAX));
    assert!(
        told(world.call("pat", "task:create", &notes(TEXT_BYTES_MAX + 1)))
            .contains("the limit is 65536")
    );
    let changes = |reason: usize, count: usize, length: usize| {
        let suggestions = vec![format!("\"{}\"", "s".repeat(length)); count].join(",");
        format!(
            r#"{{"chainId":"{CHAIN}","taskId":"{TASK}","reason":"{}","suggestions":[{suggestions}]}}"#,
            "r".repeat(reason)
        )
    };
    for (args, expected) in [
        (
            changes(REASON_BYTES_MAX + 1, 0, 0),
            "`reason` has 4097 bytes, the limit is 4096",
        ),
        (
            changes(1, LIST_MAX + 1, 1),
            "257 suggestions, the limit is 256",
        ),
        (
            changes(1, 1, ENTRY_BYTES_MAX + 1),
            "`suggestions` has 1025 bytes, the limit is 1024",
        ),
        (changes(1, 1, 0), "missing `suggestions`"),
        (changes(0, 0, 0), "missing `reason`"),
    ] {
        assert_eq!(
            told(world.call("rob/review", "task:request_changes", &args)),
            expected
        );
    }
    world.did(
        "rob/review",
        "task:request_changes",
        &changes(REASON_BYTES_MAX, LIST_MAX, ENTRY_BYTES_MAX),
    );
    for bad in ["", "  ", "a\\nb", "a\\u0007"] {
        assert!(
            world
                .call(
                    "pat",
                    "task:create",
                    &format!(r#"{{"chainId":"{CHAIN}","title":"{bad}"}}"#)
                )
                .is_err(),
            "{bad}"
        );
    }
}

#[test]
fn items_are_counted() {
    let mut world = World::with_task("backlog");
    let task = format!(r#"{{"chainId":"{CHAIN}","title":"x"}}"#);
    for _ in 1..TASKS_MAX {
        world.did("pat", "task:create", &task);
    }
    assert_eq!(
        told(world.call("pat", "task:create", &task)),
        "1000 tasks in one chain, the limit is 999"
    );
    let mut world = World::with_task("in-review");
    for _ in 0..REVIEWS_MAX {
        world.task("rob/review", "task:request_changes").unwrap();
        world.task("ann/impl", "task:submit").unwrap();
    }
    assert_eq!(
        told(world.task("rob/review", "task:request_changes")),
        "101 reviews of one item, the limit is 100"
    );
    world.task("rob/review", "task:approve").unwrap();
}

#[test]
fn numbers_are_not_given_twice() {
    let mut world = World::with_workflow("standard", "backlog");
    let request = r#"{"type":"cr","title":"x","domain":"d","content":"c"}"#;
    for number in 2..=PER_DATE_MAX {
        let event = world
            .call("rita/ideation", "request:create", request)
            .unwrap();
        if [2, 1000, PER_DATE_MAX].contains(&number) {
            assert!(
                event[0]
                    .to_json()
                    .unwrap()
                    .contains(&format!("\"CR-20250101-{number:03}\""))
            );
        }
    }
    assert_eq!(
        told(world.call("rita/ideation", "request:create", request)),
        "10000 ids with one date, the limit is 9999"
    );
    assert!(world.state.request(REQUEST).is_ok() && world.state.workflow(WORKFLOW).is_ok());
}

#[test]
fn locks_are_bounded() {
    let mut world = World::with_task("todo");
    let lock = |count: usize, pattern: &str| {
        format!(
            r#"{{"chainId":"{CHAIN}","patterns":[{}]}}"#,
            vec![format!("\"{pattern}\""); count].join(",")
        )
    };
    world.did("ann/impl", "lock:acquire", &lock(LOCK_PATTERNS_MAX, "a/**"));
    assert_eq!(
        told(world.call(
            "ann/impl",
            "lock:acquire",
            &lock(LOCK_PATTERNS_MAX / 2 + 1, "{a,b}/**")
        )),
        "130 patterns of one lock, the limit is 128"
    );
    let until = |ttl: i64| format!(r#"{{"chainId":"{CHAIN}","patterns":["a"],"ttlMs":{ttl}}}"#);
    world.did("ann/impl", "lock:acquire", &until(LOCK_MS_MAX));
    assert!(
        told(world.call("ann/impl", "lock:acquire", &until(LOCK_MS_MAX + 1)))
            .contains("`ttlMs`: expected 1 to 2592000000")
    );
}
