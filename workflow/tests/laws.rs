//! No sequence of commands reaches an illegal state, and only accepted commands change it.

use proptest::prelude::*;
use workflow::names::{ChainStatus, RequestStatus, TaskStatus, WorkflowStatus};
use workflow::state::WorkflowOutcome;
use workflow::{WorkflowEvent, WorkflowState};

use super::world::World;

const ACTORS: [&str; 6] = [
    "pat",
    "quinn",
    "ann/impl",
    "rob/review",
    "ida/ideation",
    "bot-ci/control",
];
const REQUESTS: [&str; 3] = ["CR-20250101-001", "CR-20250101-002", "FR-20250101-001"];
const CHAINS: [&str; 3] = ["CHAIN-001-a", "CHAIN-002-a", "CHAIN-003-b"];
const TASKS: [&str; 3] = ["001-a", "002-a", "003-b"];
const WORKFLOWS: [&str; 2] = ["WF-20250101-001", "WF-20250101-002"];
const FEEDBACK: [&str; 2] = ["FB-001", "FB-002"];
const TEMPLATES: [&str; 4] = ["standard", "hotfix", "documentation", "ideation"];

/// A call of any tool with arguments drawn from few ids, so that many sequences lead far.
fn call() -> impl Strategy<Value = (usize, &'static str, String)> {
    (0..ACTORS.len(), 0_usize..40, any::<[u8; 4]>()).prop_map(|(by, tool, bytes)| {
        let pick = |from: &[&'static str], byte: u8| from[usize::from(byte) % from.len()];
        let [a, b, c, d] = bytes;
        // Mostly the first of each kind.
        let low = |byte: u8| if byte < 180 { 0 } else { byte };
        let task = format!(r#""chainId":"{}","taskId":"{}""#, pick(&CHAINS, low(a)), pick(&TASKS, low(b)));
        let chain = format!(r#""chainId":"{}""#, pick(&CHAINS, low(a)));
        let request = format!(r#""requestId":"{}""#, pick(&REQUESTS, low(a)));
        let workflow = format!(r#""workflowId":"{}""#, pick(&WORKFLOWS, low(a)));
        let feedback = format!(r#"{workflow},"feedbackId":"{}""#, pick(&FEEDBACK, low(b)));
        let title = if c % 2 == 0 { "a" } else { "b" };
        let (tool, args) = match tool {
            0 => ("request:create", format!(r#""type":"{}","title":"{title}","domain":"d","content":"c""#, if c < 200 { "cr" } else { "fr" })),
            1 => ("chain:create", format!(r#"{request},"title":"{title}""#)),
            2 => ("chain:create", format!(r#"{request},"title":"{title}","dependsOn":"{}""#, pick(&CHAINS, b))),
            3 | 4 => ("task:create", format!(r#"{chain},"title":"{title}","ready":{}"#, c % 3 != 0)),
            5 => ("task:ready", task),
            6..=8 => ("task:start", task),
            9..=11 => ("task:submit", task),
            12..=14 => ("task:approve", task),
            15 => ("task:request_changes", format!(r#"{task},"reason":"r""#)),
            16 => ("task:block", format!(r#"{task},"reason":"r""#)),
            17 | 18 => ("task:unblock", task),
            19 | 20 => ("chain:approve", chain),
            21 => ("chain:request_changes", format!(r#"{chain},"reason":"r""#)),
            22 | 23 => ("request:approve", request),
            24 => ("request:request_changes", format!(r#"{request},"reason":"r""#)),
            25 if c < 60 => ("request:close", format!(r#"{request},"reason":"r""#)),
            25 => ("request:close", request),
            26 => ("workflow:start", format!(r#""template":"{}",{request}"#, pick(&TEMPLATES, b))),
            27..=29 => ("workflow:advance", workflow),
            30 => ("workflow:advance", format!(r#"{workflow},"results":[{{"command":"make build","exitCode":0}},{{"command":"make test","exitCode":{}}}]"#, d % 2)),
            31 => ("gate:satisfy", workflow),
            32 => ("gate:satisfy", format!(r#"{workflow},"option":"{}","reason":"r""#, if d < 200 { "Continue" } else { "Discard" })),
            33 => ("request_approval", workflow),
            34 => ("workflow:pause", format!(r#"{workflow},"reason":"r""#)),
            35 => ("workflow:resume", workflow),
            36 if c < 40 => ("workflow:discard", format!(r#"{workflow},"reason":"r""#)),
            36 => ("feedback:create", format!(r#"{workflow},"type":"{}","content":"c""#, if c < 150 { "blocker" } else { "idea" })),
            37 => ("feedback:respond", format!(r#"{feedback},"content":"c""#)),
            38 => ("feedback:dismiss", format!(r#"{feedback},"reason":"c""#)),
            _ if d % 3 == 0 => ("lock:release", chain),
            _ => ("lock:acquire", format!(r#"{chain},"patterns":["{}"],"ttlMs":{}"#, if c % 2 == 0 { "src/**" } else { "src/a*" }, 1 + u32::from(d) * 10)),
        };
        (by, tool, format!("{{{args}}}"))
    })
}

/// What holds in every state.
fn legal(state: &WorkflowState, now: i64) {
    for request in state.requests().values() {
        let chains: Vec<_> = state.chains_of(&request.id).collect();
        if request.is_approved() {
            assert!(
                !chains.is_empty() && chains.iter().all(|chain| chain.is_approved()),
                "{request:?}"
            );
        }
        assert_eq!(
            state.request_status(request) == RequestStatus::Done,
            request.closed.is_some()
        );
    }
    for chain in state.chains().values() {
        assert!(state.request(&chain.request).is_ok());
        if chain.is_approved() {
            assert_eq!(chain.status(), ChainStatus::Done, "{chain:?}");
        }
        let ids: std::collections::BTreeSet<_> = chain.tasks.iter().map(|task| &task.id).collect();
        assert_eq!(ids.len(), chain.tasks.len());
        for task in &chain.tasks {
            assert_eq!(
                task.blocked.is_some(),
                task.status == TaskStatus::Blocked,
                "{task:?}"
            );
            if matches!(task.status, TaskStatus::Done) {
                let last = task.reviews.last().expect("a review");
                assert!(!task.submitters.contains(&last.by), "own work: {task:?}");
            }
            let sent_back = task
                .reviews
                .iter()
                .filter(|review| review.reason.is_some())
                .count();
            assert_eq!(task.rework_count as usize, sent_back);
        }
    }
    for workflow in state.workflows().values() {
        assert!(workflow.stage < workflow.stages.len());
        for (stage, gate) in workflow
            .stages
            .iter()
            .zip(&workflow.gates)
            .take(workflow.stage)
        {
            assert_eq!(
                stage.gate.needs_event(),
                gate.satisfied.is_some(),
                "{workflow:?}"
            );
        }
        let waiting = workflow.unanswered().next().is_some() || workflow.paused.is_some();
        assert_eq!(
            workflow.status() == WorkflowStatus::Paused,
            waiting && workflow.ended.is_none()
        );
        if let Some(WorkflowOutcome::Discarded(reason)) = &workflow.ended {
            assert!(!reason.is_empty());
        }
    }
    let locks: Vec<_> = state.locks_at(workflow::EventTime(now)).collect();
    for (position, lock) in locks.iter().enumerate() {
        let others = locks[..position].iter().map(|lock| lock.held());
        workflow::governance::collide::check_lock_overlap(&lock.chain, &lock.patterns, others)
            .expect("no overlap");
    }
}

/// Human gates are satisfied by persons: nothing is granted here.
fn by_persons(event: &WorkflowEvent, state: &WorkflowState) {
    if let workflow::EventPayload::GateSatisfied(data) = &event.data {
        let gate = &state.workflow(&data.workflow).expect("the workflow").stages[data.stage].gate;
        assert!(gate.kind.as_str() != "human_approval" || event.actor.is_person());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn no_sequence_of_commands_reaches_an_illegal_state(calls in proptest::collection::vec(call(), 1..120)) {
        let mut world = World::new();
        world.did("rita/ideation", "request:create", r#"{"type":"cr","title":"a","domain":"d","content":"c"}"#)
            .did("pat", "chain:create", r#"{"requestId":"CR-20250101-001","title":"a"}"#)
            .did("pat", "task:create", r#"{"chainId":"CHAIN-001-a","title":"a","ready":true}"#)
            .did("pat", "workflow:start", r#"{"template":"documentation","requestId":"CR-20250101-001"}"#);
        for (by, tool, args) in calls {
            world.now += 100;
            let before = world.clone();
            match world.call(ACTORS[by], tool, &args) {
                Ok(events) => {
                    let mut folded = before.state.clone();
                    for event in &events {
                        by_persons(event, &folded);
                        folded.apply(event).expect("accepted");
                    }
                    prop_assert!(folded == world.state, "an accepted command changes the state by its events only");
                    prop_assert_eq!(events.is_empty(), before.state == world.state);
                }
                Err(fault) => {
                    prop_assert!(before.state == world.state, "a refused command changes nothing");
                    prop_assert!(!fault.to_string().is_empty());
                }
            }
            legal(&world.state, world.now);
        }
        prop_assert!(WorkflowState::fold(&world.events).expect("a history") == world.state);
    }
}

/// The sequences above lead far enough for the laws to mean something: together they reach every kind of event that they can.
#[test]
fn the_sequences_lead_far() {
    use proptest::strategy::ValueTree;
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let mut kinds = std::collections::BTreeSet::new();
    for _ in 0..400 {
        let calls = proptest::collection::vec(call(), 120..121)
            .new_tree(&mut runner)
            .expect("calls")
            .current();
        let mut world = World::new();
        world
            .did(
                "rita/ideation",
                "request:create",
                r#"{"type":"cr","title":"a","domain":"d","content":"c"}"#,
            )
            .did(
                "pat",
                "chain:create",
                r#"{"requestId":"CR-20250101-001","title":"a"}"#,
            )
            .did(
                "pat",
                "task:create",
                r#"{"chainId":"CHAIN-001-a","title":"a","ready":true}"#,
            );
        for (by, tool, args) in calls {
            world.now += 100;
            _ = world.call(ACTORS[by], tool, &args);
        }
        for event in &world.events {
            let form = event.to_json().expect("a form");
            assert_eq!(&WorkflowEvent::from_json(&form).expect("an event"), event);
        }
        kinds.extend(world.events.iter().map(WorkflowEvent::kind));
    }
    let unreached: Vec<_> = workflow::EventPayload::KINDS
        .iter()
        .filter(|kind| !kinds.contains(*kind))
        .collect();
    assert_eq!(
        unreached,
        [&"feedback.acknowledged", &"agent.spawned", &"agent.ended"]
    );
}
