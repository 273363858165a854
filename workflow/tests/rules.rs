//! Rules that the cases of the earlier system do not have.

use workflow::names::{ChainStatus, RequestStatus, StageStatus, WorkflowStatus};
use workflow::{GateGrants, WorkflowEvent, WorkflowFault};

use super::world::{CHAIN, REQUEST, TASK, WORKFLOW, World, told};

fn refused(outcome: Result<Vec<WorkflowEvent>, WorkflowFault>, expected: &str) {
    let told = told(&outcome.unwrap_err());
    assert!(told.contains(expected), "{told}\n{expected}");
}

#[test]
fn every_transition_of_a_task() {
    let statuses = [
        "backlog",
        "todo",
        "in-progress",
        "in-review",
        "done",
        "blocked",
    ];
    let tools = [
        "task:ready",
        "task:start",
        "task:submit",
        "task:approve",
        "task:request_changes",
        "task:block",
        "task:unblock",
    ];
    let allowed = [
        ("backlog", "task:ready", "todo"),
        ("backlog", "task:block", "blocked"),
        ("todo", "task:start", "in-progress"),
        ("todo", "task:block", "blocked"),
        ("in-progress", "task:ready", "todo"),
        ("in-progress", "task:submit", "in-review"),
        ("in-progress", "task:block", "blocked"),
        ("in-review", "task:approve", "done"),
        ("in-review", "task:request_changes", "in-progress"),
        ("in-review", "task:block", "blocked"),
        ("blocked", "task:unblock", "todo"),
    ];
    for status in statuses {
        for tool in tools {
            let mut world = World::with_task(status);
            let outcome = world.task("rob/review", tool);
            let now = world.state.task(CHAIN, TASK).unwrap().status.as_str();
            match allowed
                .iter()
                .find(|(from, by, _)| (*from, *by) == (status, tool))
            {
                Some((_, _, to)) => {
                    assert_eq!((outcome.unwrap().len(), now), (1, *to), "{status} {tool}")
                }
                None => {
                    assert!(
                        matches!(outcome, Err(WorkflowFault::Transition { .. })),
                        "{status} {tool}: {outcome:?}"
                    );
                    assert_eq!(now, status);
                }
            }
        }
    }
    let mut world = World::with_task("blocked");
    world.did(
        "pat",
        "task:unblock",
        &format!(r#"{{"chainId":"{CHAIN}","taskId":"{TASK}","to":"backlog"}}"#),
    );
    refused(
        World::with_task("blocked").call(
            "pat",
            "task:unblock",
            &format!(r#"{{"chainId":"{CHAIN}","taskId":"{TASK}","to":"done"}}"#),
        ),
        "from blocked to done; allowed: todo, backlog",
    );
}

#[test]
fn the_requester_never_approves_its_own_work() {
    let mut world = World::with_task("in-review");
    for role in ["ann/review", "ann/control", "ann/operator"] {
        refused(
            world.task(role, "task:approve"),
            "`ann` may not approve the task `001-read-numbers`: it is their own work",
        );
    }
    world.task("rob/review", "task:approve").unwrap();
    let chain = format!(r#"{{"chainId":"{CHAIN}"}}"#);
    refused(
        world.call("ann/review", "chain:approve", &chain),
        "it is their own work",
    );
    world.did("rob/review", "chain:approve", &chain);
    let request = format!(r#"{{"requestId":"{REQUEST}"}}"#);
    refused(
        world.call("rita/review", "request:approve", &request),
        "`rita` may not approve the request",
    );
    world.did("rob/review", "request:approve", &request);
    // Nor does one who submitted an earlier version.
    let mut world = World::with_task("in-review");
    world.task("rob/review", "task:request_changes").unwrap();
    world.task("bob/impl", "task:submit").unwrap();
    refused(
        world.task("ann/review", "task:approve"),
        "it is their own work",
    );
    // A person is no exception.
    let mut world = World::with_task("in-progress");
    world.task("pat", "task:submit").unwrap();
    refused(world.task("pat", "task:approve"), "it is their own work");
}

#[test]
fn approved_work_stays_complete() {
    let mut world = World::with_task("done");
    let chain = format!(r#"{{"chainId":"{CHAIN}"}}"#);
    let task = format!(r#"{{"chainId":"{CHAIN}","title":"More"}}"#);
    let changes = format!(r#"{{"chainId":"{CHAIN}","reason":"more tests"}}"#);
    world.did("rob/review", "chain:approve", &chain);
    refused(
        world.call("rob/review", "chain:approve", &chain),
        "the chain `CHAIN-001-parser` is approved",
    );
    refused(
        world.call("pat", "task:create", &task),
        "request changes with `chain:request_changes` first",
    );
    world.did(
        "rob/review",
        "request:approve",
        &format!(r#"{{"requestId":"{REQUEST}"}}"#),
    );
    refused(
        world.call("rob/review", "chain:request_changes", &changes),
        "the request `CR-20250101-001` is approved",
    );
    refused(
        world.call(
            "pat",
            "chain:create",
            &format!(r#"{{"requestId":"{REQUEST}","title":"X"}}"#),
        ),
        "is approved",
    );
    world.did(
        "rob/review",
        "request:request_changes",
        &format!(r#"{{"requestId":"{REQUEST}","reason":"not yet"}}"#),
    );
    world
        .did("rob/review", "chain:request_changes", &changes)
        .did("pat", "task:create", &task);
    let chain = world.state.chain(CHAIN).unwrap();
    assert_eq!(
        (chain.status(), chain.progress(), chain.is_approved()),
        (ChainStatus::Backlog, 50, false)
    );
    assert_eq!(chain.reviews.len(), 2);
}

#[test]
fn requests_have_a_status_by_their_chains() {
    for (task, expected) in [
        ("backlog", RequestStatus::Todo),
        ("todo", RequestStatus::Todo),
        ("in-progress", RequestStatus::Doing),
        ("done", RequestStatus::Doing),
    ] {
        let world = World::with_task(task);
        let request = world.state.request(REQUEST).unwrap();
        assert_eq!(world.state.request_status(request), expected, "{task}");
    }
    let mut world = World::with_task("in-progress");
    let close = format!(r#"{{"requestId":"{REQUEST}"}}"#);
    refused(
        world.call("pat", "request:close", &close),
        "the request `CR-20250101-001` is not approved",
    );
    world.did(
        "pat",
        "request:close",
        &format!(r#"{{"requestId":"{REQUEST}","reason":"no longer wanted"}}"#),
    );
    let request = world.state.request(REQUEST).unwrap();
    assert_eq!(world.state.request_status(request), RequestStatus::Done);
    refused(
        world.call("pat", "request:close", &close),
        "is closed (withdrawn)",
    );
    refused(
        world.task("ann/impl", "task:submit"),
        "is closed (withdrawn)",
    );
    let mut world = World::with_workflow("standard", "backlog");
    refused(
        world.call(
            "pat",
            "request:close",
            &format!(r#"{{"requestId":"{REQUEST}","reason":"x"}}"#),
        ),
        "the workflow `WF-20250101-001` of the request",
    );
}

#[test]
fn chains_wait_for_those_they_depend_on() {
    let mut world = World::with_task("in-review");
    world
        .did(
            "pat",
            "chain:create",
            &format!(r#"{{"requestId":"{REQUEST}","title":"Second","dependsOn":"{CHAIN}"}}"#),
        )
        .did(
            "pat",
            "task:create",
            r#"{"chainId":"CHAIN-002-second","title":"Go","ready":true}"#,
        );
    let start = r#"{"chainId":"CHAIN-002-second","taskId":"001-go"}"#;
    refused(
        world.call("ann/impl", "task:start", start),
        "depends on `CHAIN-001-parser`, which is in-review",
    );
    world.task("rob/review", "task:approve").unwrap();
    world.did("ann/impl", "task:start", start);
}

#[test]
fn a_workflow_runs_to_its_end() {
    let mut world = World::with_workflow("documentation", "done");
    assert_eq!(kinds(&world.advance().unwrap()), ["workflow.advanced"]);
    assert_eq!(
        kinds(&world.advance().unwrap()),
        ["gate.satisfied", "workflow.advanced", "gate.opened"]
    );
    let workflow = world.state.workflow(WORKFLOW).unwrap();
    let stages: Vec<StageStatus> = (0..3).map(|stage| workflow.stage_status(stage)).collect();
    assert_eq!(
        stages,
        [
            StageStatus::Completed,
            StageStatus::Completed,
            StageStatus::AwaitingGate
        ]
    );
    world.did(
        "quinn",
        "gate:satisfy",
        &format!(r#"{{"workflowId":"{WORKFLOW}"}}"#),
    );
    assert_eq!(world.advance().unwrap()[0].kind(), "workflow.completed");
    let workflow = world.state.workflow(WORKFLOW).unwrap();
    assert_eq!(workflow.status(), WorkflowStatus::Completed);
    refused(
        world.advance(),
        "the workflow `WF-20250101-001` is completed",
    );
    for (tool, more) in [
        ("workflow:discard", r#","reason":"x""#),
        ("workflow:pause", r#","reason":"x""#),
        ("workflow:resume", ""),
        ("request_approval", ""),
        ("gate:satisfy", ""),
    ] {
        refused(
            world.call(
                "pat",
                tool,
                &format!(r#"{{"workflowId":"{WORKFLOW}"{more}}}"#),
            ),
            "is completed",
        );
    }
}

fn kinds(events: &[WorkflowEvent]) -> Vec<&str> {
    events.iter().map(WorkflowEvent::kind).collect()
}

/// A gate has its event when it begins to wait, however its stage began: at the start, by an advance, or by a request.
#[test]
fn every_gate_that_opens_has_its_event() {
    let start = |template: &str| {
        let mut world = World::with_task("done");
        let args = format!(r#"{{"template":"{template}","requestId":"CR-20250101-001"}}"#);
        let events = world.call("pat", "workflow:start", &args).unwrap();
        let opened = events.iter().map(|event| event.kind().to_owned());
        (opened.collect::<Vec<String>>(), world)
    };
    let (events, mut world) = start("standard");
    assert_eq!(events, ["workflow.started", "gate.opened"]);
    let workflow = format!(r#"{{"workflowId":"{WORKFLOW}"}}"#);
    refused(
        world.call("ida/ideation", "request_approval", &workflow),
        "needs no request",
    );
    // Whose start opened it may satisfy it, if a person.
    world.did("pat", "gate:satisfy", &workflow);
    assert_eq!(
        kinds(&world.advance().unwrap()),
        ["workflow.advanced", "gate.opened"]
    );
    // One that waits to be asked for opens then, and not before.
    let (events, mut world) = start("ideation");
    assert_eq!(events, ["workflow.started"]);
    let asked = world.call("ida/ideation", "request_approval", &workflow);
    assert_eq!(kinds(&asked.unwrap()), ["gate.opened"]);
}

#[test]
fn gates_that_open_on_request() {
    let workflow = format!(r#"{{"workflowId":"{WORKFLOW}"}}"#);
    let choose = |option: &str, reason: &str| {
        format!(r#"{{"workflowId":"{WORKFLOW}","option":"{option}"{reason}}}"#)
    };
    let mut world = World::with_workflow("ideation", "backlog");
    refused(
        world.call("pat", "gate:satisfy", &choose("Continue", "")),
        "ask with `request_approval`",
    );
    refused(world.advance(), "which was not asked for");
    world.did("ida/ideation", "request_approval", &workflow);
    refused(
        world.call("ida/ideation", "request_approval", &workflow),
        "needs no request",
    );
    refused(
        world.call("pat", "gate:satisfy", &workflow),
        "one of `Continue`, `Discard`",
    );
    refused(
        world.call("pat", "gate:satisfy", &choose("Perhaps", "")),
        "one of `Continue`, `Discard`, found `Perhaps`",
    );
    refused(
        world.call("pat", "gate:satisfy", &choose("Discard", "")),
        "missing `reason`",
    );
    let mut other = world.clone();
    other.did(
        "pat",
        "gate:satisfy",
        &choose("Discard", r#","reason":"too dear""#),
    );
    assert_eq!(
        other.state.workflow(WORKFLOW).unwrap().status(),
        WorkflowStatus::Discarded
    );
    assert_eq!(
        other.state.workflow(WORKFLOW).unwrap().stage_status(0),
        StageStatus::Skipped
    );
    world.did("pat", "gate:satisfy", &choose("Continue", ""));
    refused(
        world.call("pat", "gate:satisfy", &choose("Continue", "")),
        "is satisfied already",
    );
    world.advance().unwrap();
    // The one who asked does not decide, not even with a grant.
    let mut world = World::with_workflow("ideation", "backlog");
    world.grants = GateGrants::to(["ida", "rob"]);
    world.did("ida/ideation", "request_approval", &workflow);
    refused(
        world.call("ida/review", "gate:satisfy", &choose("Continue", "")),
        "`ida` may not satisfy the gate of",
    );
    world.did("rob/review", "gate:satisfy", &choose("Continue", ""));
    let mut world = World::with_workflow("ideation", "backlog");
    world.did("pat", "request_approval", &workflow);
    refused(
        world.call("pat", "gate:satisfy", &choose("Continue", "")),
        "their own work",
    );
    world.did("quinn", "gate:satisfy", &choose("Continue", ""));
}

#[test]
fn a_pause_holds_every_task_of_the_workflow() {
    let mut world = World::with_workflow("standard", "in-review");
    world.did(
        "pat",
        "workflow:pause",
        &format!(r#"{{"workflowId":"{WORKFLOW}","reason":"holidays"}}"#),
    );
    for tool in ["task:approve", "task:request_changes", "task:block"] {
        refused(
            world.task("rob/review", tool),
            "is paused: holidays (resume it with `workflow:resume`",
        );
    }
    refused(
        world.call(
            "pat",
            "gate:satisfy",
            &format!(r#"{{"workflowId":"{WORKFLOW}"}}"#),
        ),
        "is paused",
    );
    // A blocking question outlasts the resumption.
    world.did(
        "ann/impl",
        "feedback:create",
        &format!(r#"{{"workflowId":"{WORKFLOW}","question":"Which?","blocking":true}}"#),
    );
    world.did(
        "pat",
        "workflow:resume",
        &format!(r#"{{"workflowId":"{WORKFLOW}"}}"#),
    );
    assert_eq!(
        world.state.workflow(WORKFLOW).unwrap().status(),
        WorkflowStatus::Paused
    );
    refused(
        world.call(
            "pat",
            "workflow:resume",
            &format!(r#"{{"workflowId":"{WORKFLOW}"}}"#),
        ),
        "waits for an answer to `FB-001` (answer it with `feedback:respond`",
    );
    refused(
        world.task("rob/review", "task:approve"),
        "waits for an answer to `FB-001`",
    );
    world.did(
        "pat",
        "feedback:respond",
        &format!(r#"{{"workflowId":"{WORKFLOW}","feedbackId":"FB-001","content":"This."}}"#),
    );
    world.task("rob/review", "task:approve").unwrap();
    refused(
        world.call(
            "pat",
            "workflow:resume",
            &format!(r#"{{"workflowId":"{WORKFLOW}"}}"#),
        ),
        "is not paused",
    );
}

#[test]
fn feedback_of_both_shapes() {
    let with = |rest: &str| format!(r#"{{"workflowId":"{WORKFLOW}",{rest}}}"#);
    let mut world = World::with_workflow("standard", "todo");
    for (args, expected) in [
        (
            r#""question":"a","content":"b""#,
            "either `question` or `content`",
        ),
        (r#""type":"idea""#, "missing `question`"),
        (r#""question":"""#, "missing `question`"),
        (
            r#""type":"blocker","content":"a","blocking":false"#,
            "a blocker blocks",
        ),
        (r#""question":"a","context":3"#, "a text or an object"),
        (r#""question":"a","context":{"filse":[]}"#, "filse"),
        (
            r#""question":"a","context":{"codeSnippets":[{"file":"a","startLine":0,"endLine":1,"content":""}]}"#,
            "lines from 1",
        ),
        (
            r#""question":"a","context":{"codeSnippets":[{"file":"a","startLine":3,"endLine":2,"content":""}]}"#,
            "lines from 1",
        ),
        (
            r#""question":"a","context":{"metadata":[1]}"#,
            "`metadata`: expected an object",
        ),
        (
            r#""question":"a","options":[{"label":"x"},{"label":"x"}]"#,
            "labels that differ",
        ),
        (
            r#""question":"a","options":[{"label":"x"}],"context":{"options":[]}"#,
            "options once",
        ),
        (
            r#""question":"a","taskId":"001-read-numbers""#,
            "missing `chainId`",
        ),
        (
            r#""question":"a","chainId":"CHAIN-001-parser","taskId":"001-read-number""#,
            "did you mean `001-read-numbers`?",
        ),
        (r#""type":"blockr","content":"a""#, "/type"),
        (r#""question":"a","blocks":true"#, "blocks"),
    ] {
        refused(
            world.call("ann/impl", "feedback:create", &with(args)),
            expected,
        );
    }
    world.did("ann/impl", "feedback:create", &with(r#""type":"clarification","content":"Which?","options":[{"label":"one"},{"label":"two","recommended":true}]"#));
    let answer = |rest: &str| with(&format!(r#""feedbackId":"FB-001",{rest}"#));
    refused(
        world.call(
            "pat",
            "feedback:respond",
            &answer(r#""content":"x","selectedOption":"three""#),
        ),
        "one of `one`, `two`, found `three`",
    );
    world.did(
        "pat",
        "feedback:acknowledge",
        &with(r#""feedbackId":"FB-001""#),
    );
    refused(
        world.call(
            "pat",
            "feedback:acknowledge",
            &with(r#""feedbackId":"FB-001""#),
        ),
        "from acknowledged to acknowledged; allowed: resolved, dismissed",
    );
    world.did(
        "pat",
        "feedback:respond",
        &answer(r#""content":"x","selectedOption":"two""#),
    );
    refused(
        world.call("pat", "feedback:respond", &answer(r#""content":"x""#)),
        "from resolved to resolved; allowed: none",
    );
    refused(
        world.call("pat", "feedback:dismiss", &answer(r#""reason":"x""#)),
        "from resolved to dismissed",
    );
    let feedback = world
        .state
        .workflow(WORKFLOW)
        .unwrap()
        .feedback("FB-001")
        .unwrap();
    assert_eq!(
        feedback
            .response
            .as_ref()
            .unwrap()
            .selected_option
            .as_deref(),
        Some("two")
    );
    assert_eq!(feedback.priority.as_str(), "medium");
    // Dismissing is idempotent: the second time there is nothing to write.
    world.did(
        "ann/impl",
        "feedback:create",
        &with(r#""question":"Again?""#),
    );
    let dismiss = with(r#""feedbackId":"FB-002","reason":"known""#);
    assert_eq!(
        world
            .call("pat", "feedback:dismiss", &dismiss)
            .unwrap()
            .len(),
        1
    );
    assert_eq!(
        world
            .call("pat", "feedback:dismiss", &dismiss)
            .unwrap()
            .len(),
        0
    );
    // An agent does not end the pause that it caused.
    world.did(
        "ann/impl",
        "feedback:create",
        &with(r#""question":"Stop?","blocking":true"#),
    );
    refused(
        world.call(
            "ann/impl",
            "feedback:respond",
            &with(r#""feedbackId":"FB-003","content":"No.""#),
        ),
        "`ann` may not answer the feedback `FB-003`",
    );
    refused(
        world.call(
            "ann/impl",
            "feedback:dismiss",
            &with(r#""feedbackId":"FB-003","reason":"No.""#),
        ),
        "`ann` may not dismiss",
    );
    world.did(
        "pat",
        "feedback:dismiss",
        &with(r#""feedbackId":"FB-003","reason":"No.""#),
    );
}

#[test]
fn locks_expire_and_belong_to_their_holder() {
    let mut world = World::with_task("todo");
    world.did(
        "pat",
        "chain:create",
        &format!(r#"{{"requestId":"{REQUEST}","title":"Other","fileScope":["src/**"]}}"#),
    );
    let lock =
        |patterns: &str| format!(r#"{{"chainId":"{CHAIN}","patterns":[{patterns}],"ttlMs":1000}}"#);
    refused(
        world.call("ann/impl", "lock:acquire", &lock("")),
        "missing `patterns`",
    );
    refused(
        world.call("ann/impl", "lock:acquire", &lock(r#""/etc""#)),
        "begins at the root",
    );
    refused(
        world.call(
            "ann/impl",
            "lock:acquire",
            &format!(r#"{{"chainId":"{CHAIN}","patterns":["a"],"ttlMs":0}}"#),
        ),
        "`ttlMs`",
    );
    world
        .did("ann/impl", "lock:acquire", &lock(r#""src/a.rs""#))
        .did("ann/impl", "lock:acquire", &lock(r#""src/b.rs""#));
    let other = r#"{"chainId":"CHAIN-002-other"}"#;
    refused(
        world.call("bob/impl", "lock:acquire", other),
        "`src/**` overlaps `src/b.rs`",
    );
    refused(
        world.call(
            "bob/impl",
            "lock:release",
            &format!(r#"{{"chainId":"{CHAIN}"}}"#),
        ),
        "`ann` holds the lock",
    );
    refused(
        world.call("bob/impl", "lock:acquire", &lock(r#""src/b.rs""#)),
        "`ann` holds the lock",
    );
    world.now += 1000;
    world.did("bob/impl", "lock:acquire", other);
    assert_eq!(world.state.locks().len(), 1);
    world.did("bob/impl", "lock:release", other);
    refused(
        world.call("bob/impl", "lock:release", other),
        "no lock has the id",
    );
}

#[test]
fn agents_are_nested_to_a_limit() {
    use workflow::commands::AgentSpawn;
    use workflow::names::AgentOutcome;
    let mut world = World::with_task("todo");
    let spawn = |role: &str, depth_max: u32| {
        workflow::ItemCommand::AgentSpawn(AgentSpawn {
            role: role.to_owned(),
            depth_max,
            ..AgentSpawn::default()
        })
    };
    refused(
        world.run("ann/impl", &spawn("control", 2)),
        "role `impl` cannot spawn role `control`",
    );
    refused(world.run("pat", &spawn("implr", 2)), "did you mean `impl`?");
    for (by, role) in [
        ("lea/control", "orchestration"),
        ("orchestration-1/orchestration", "implementer"),
        ("impl-1/impl", "impl"),
    ] {
        world.run(by, &spawn(role, 2)).unwrap();
    }
    refused(
        world.run("impl-2/impl", &spawn("impl", 2)),
        "the limit is 2",
    );
    world.run("impl-2/impl", &spawn("impl", 3)).unwrap();
    let ended: workflow::event::AgentEnded = tool_core::convert::from_value(
        &tool_core::object! { "agent" => "impl-1", "outcome" => AgentOutcome::Completed.as_str() },
    )
    .unwrap();
    let end = workflow::ItemCommand::AgentEnd(workflow::commands::AgentEnd(ended));
    world.run("lea/control", &end).unwrap();
    refused(world.run("lea/control", &end), "has ended (completed)");
    refused(world.run("impl-1/impl", &spawn("impl", 3)), "has ended");
}

/// An unknown name has the nearest as its hint, and where none is near those there are.
#[test]
fn an_unknown_template_lists_those_there_are() {
    let hint = |name: &str| workflow::template::built_in(name).unwrap_err().hint();
    let listed = "there are `standard`, `hotfix`, `documentation`, `ideation`";
    assert_eq!(hint("release").as_deref(), Some(listed));
    assert_eq!(hint("hotfx").as_deref(), Some("did you mean `hotfix`?"));
}

#[test]
fn one_chain_alone_can_be_the_subject() {
    let mut world = World::with_task("done");
    world
        .did(
            "pat",
            "chain:create",
            &format!(r#"{{"requestId":"{REQUEST}","title":"Second"}}"#),
        )
        .did(
            "pat",
            "workflow:start",
            &format!(r#"{{"template":"documentation","chainId":"{CHAIN}"}}"#),
        );
    refused(
        world.call(
            "pat",
            "request:close",
            &format!(r#"{{"requestId":"{REQUEST}","reason":"x"}}"#),
        ),
        "the workflow `WF-20250101-001` of the request",
    );
    world.advance().unwrap();
    world.advance().unwrap();
    refused(
        world.call(
            "pat",
            "workflow:start",
            r#"{"template":"documentation","requestId":"CR-20250101-002"}"#,
        ),
        "did you mean",
    );
    refused(
        world.call("pat", "workflow:start", r#"{"template":"documentatio"}"#),
        "did you mean `documentation`?",
    );
    refused(
        world.call(
            "pat",
            "workflow:start",
            r#"{"template":"documentation","commands":["x"]}"#,
        ),
        "the template has no verification",
    );
    let mut world = World::with_task("done");
    world.did("pat", "workflow:start", r#"{"template":"documentation"}"#);
    world.advance().unwrap();
    refused(world.advance(), "needs a chain, and there is none");
}

#[test]
fn what_was_read_is_not_yet_answered() {
    let mut world = World::with_workflow("documentation", "in-progress");
    let ask = format!(r#"{{"workflowId":"{WORKFLOW}","type":"blocker","content":"No access."}}"#);
    world.did("ann/impl", "feedback:create", &ask);
    let read = format!(r#"{{"workflowId":"{WORKFLOW}","feedbackId":"FB-001"}}"#);
    world.did("pat", "feedback:acknowledge", &read);
    refused(world.advance(), "waits for an answer to `FB-001`");
    refused(
        world.task("ann/impl", "task:submit"),
        "waits for an answer to `FB-001`",
    );
}

/// Two who advance at once leave a stage once: the second is told, and does not leave the next.
#[test]
fn a_stage_is_left_once() {
    let mut world = World::with_workflow("documentation", "done");
    let before = world.state.clone();
    let workflow = before.workflows().keys().next().expect("one").clone();
    let stage = Some(before.workflow(&workflow).unwrap().stage);
    let advance = |stage| {
        workflow::ItemCommand::WorkflowAdvance(workflow::commands::WorkflowAdvance {
            workflow_id: workflow.clone(),
            results: None,
            stage,
        })
    };
    world.run("pat", &advance(stage)).unwrap();
    refused(world.run("pat", &advance(stage)), "has left the stage");
}
