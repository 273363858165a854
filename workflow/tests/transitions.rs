//! The table of transitions: what commands do is in it, and what is in it some command does.

use std::cell::RefCell;
use std::collections::BTreeSet;

use tool_core::Value;

use crate::commands::TRANSITIONS;
use crate::commands::transition::{GatePhase, ItemPhase, ReviewPhase, Transition, has_transition};
use crate::names::{TaskStatus, Verdict};
use crate::state::WorkReview;
use crate::tools::{TOOLS, examples};
use crate::{WorkflowEvent, WorkflowState};

use super::commands::{LISTED, run_case};
use super::world::World;

thread_local! {
    /// The transitions that commands of this test took, by [`World::run`].
    static TAKEN: RefCell<BTreeSet<Transition>> = const { RefCell::new(BTreeSet::new()) };
}

/// An item that an event is about, or that it changes as well.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Subject {
    Request(String),
    Chain(String),
    Task(String, String),
    Feedback(String, String),
    Workflow(String),
    Gate(String, usize),
    Lock(String),
    Agent(String),
}

fn subjects(event: &WorkflowEvent) -> Vec<Subject> {
    let value = event.to_value().expect("a form");
    let data = value.get("data").expect("data");
    let text = |key: &str| data.text(key).unwrap_or_default().to_owned();
    match event.kind().split('.').next().expect("a kind") {
        "request" => vec![Subject::Request(text("request"))],
        "chain" => vec![Subject::Chain(text("chain"))],
        "task" => vec![Subject::Task(text("chain"), text("task"))],
        "feedback" => vec![
            Subject::Feedback(text("workflow"), text("feedback")),
            Subject::Workflow(text("workflow")),
        ],
        "workflow" => vec![Subject::Workflow(text("workflow"))],
        "gate" => {
            let stage = data.get("stage").and_then(Value::as_i64).expect("a stage");
            let stage = usize::try_from(stage).expect("a stage");
            vec![Subject::Gate(text("workflow"), stage)]
        }
        "lock" => vec![Subject::Lock(text("chain"))],
        "agent" => vec![Subject::Agent(text("agent"))],
        other => panic!("no item of `{other}`"),
    }
}

fn review_phase(reviews: &[WorkReview]) -> ReviewPhase {
    match reviews.last().map(|review| review.verdict) {
        None => ReviewPhase::Open,
        Some(Verdict::Approved) => ReviewPhase::Approved,
        Some(Verdict::ChangesRequested) => ReviewPhase::ChangesRequested,
    }
}

/// The phase of an item in a state.
fn phase(state: &WorkflowState, subject: &Subject) -> ItemPhase {
    // By look-ups alone: the fault of an unknown id would compare it with every other.
    let task = |chain: &str, id: &str| {
        let chain = state.chains().get(chain)?;
        chain.tasks.iter().find(|task| task.id == id)
    };
    let found = match subject {
        Subject::Request(id) => state.requests().get(id).map(|request| {
            ItemPhase::Request(match request.closed {
                Some(_) => ReviewPhase::Closed,
                None => review_phase(&request.reviews),
            })
        }),
        Subject::Chain(id) => {
            let chain = state.chains().get(id);
            chain.map(|chain| ItemPhase::Chain(review_phase(&chain.reviews)))
        }
        Subject::Task(chain, id) => task(chain, id).map(|task| ItemPhase::Task(task.status)),
        Subject::Feedback(workflow, id) => {
            let workflow = state.workflows().get(workflow);
            let feedback = workflow.and_then(|workflow| workflow.feedback.get(id));
            feedback.map(|feedback| ItemPhase::Feedback(feedback.status))
        }
        Subject::Workflow(id) => {
            let workflow = state.workflows().get(id);
            workflow.map(|workflow| ItemPhase::Workflow(workflow.status()))
        }
        Subject::Gate(id, stage) => state.workflows().get(id).map(|workflow| {
            let gate = &workflow.gates[*stage];
            ItemPhase::Gate(match (&gate.satisfied, gate.announced) {
                (Some(_), _) => GatePhase::Satisfied,
                (None, true) => GatePhase::Waiting,
                (None, false) => GatePhase::Shut,
            })
        }),
        Subject::Lock(chain) => state.locks().get(chain).map(|_| ItemPhase::LockHeld),
        Subject::Agent(id) => state.agents().get(id).map(|agent| match agent.outcome {
            None => ItemPhase::AgentRunning,
            Some(outcome) => ItemPhase::AgentEnded(outcome),
        }),
    };
    found.unwrap_or(ItemPhase::Absent)
}

/// The items of an event with their phases in a state; the first is the one that the event is about.
pub(crate) fn phases(state: &WorkflowState, event: &WorkflowEvent) -> Vec<(Subject, ItemPhase)> {
    let subjects = subjects(event).into_iter();
    subjects
        .map(|subject| {
            let phase = phase(state, &subject);
            (subject, phase)
        })
        .collect()
}

/// Notes what a command made of items by one of its events. Whatever test runs it: the table must have it.
pub(crate) fn record(
    command: &'static str,
    before: Vec<(Subject, ItemPhase)>,
    after: &WorkflowState,
) {
    for (position, (subject, from)) in before.into_iter().enumerate() {
        let to = phase(after, &subject);
        // A workflow that its feedback leaves as it was is no part of the transition.
        if position > 0 && from == to {
            continue;
        }
        assert!(
            has_transition(from, command, to),
            "the table has no row for {from:?}, `{command}`, {to:?}: {subject:?}"
        );
        TAKEN.with_borrow_mut(|taken| taken.insert(Transition { from, command, to }));
    }
}

/// The arguments of the examples of commands, in their order, taken by one project; what other examples leave out comes between.
fn run_examples() {
    let task = r#"{"chainId":"CHAIN-001-parser","taskId":"001-read-numbers"}"#;
    let question = r#"{"workflowId":"WF-20250101-001","question":"Which digits?"}"#;
    let between = [
        ("task:unblock", "task:start", task),
        ("task:list", "task:submit", task),
        ("feedback:respond", "feedback:create", question),
    ];
    let mut world = World::new();
    for call in examples::calls_in_order() {
        if LISTED.iter().any(|listed| listed.id == call.tool) && call.tool != "spawn_agent" {
            let entry = TOOLS
                .iter()
                .find(|entry| entry.tool().spec().id == call.tool);
            for example in entry.expect("a tool").tool().examples() {
                let args = example.args.to_string().replace("20251206", "20250101");
                let by = match call.tool {
                    "gate:satisfy" => "pat".to_owned(),
                    _ => format!("{0}/{0}", call.role),
                };
                world.did(&by, call.tool, &args);
            }
        }
        if let Some((_, tool, args)) = between.iter().find(|(after, ..)| *after == call.tool) {
            world.did("impl/impl", tool, args);
        }
    }
}

/// Every row of the table is taken by a case of its command or by an example: a row that nothing takes is one that nobody has seen.
#[test]
fn every_transition_is_taken_by_a_case_or_an_example() {
    for listed in LISTED {
        listed
            .cases
            .iter()
            .for_each(|case| run_case(listed.id, case));
    }
    run_examples();
    let untaken: Vec<String> = TAKEN.with_borrow(|taken| {
        TRANSITIONS
            .iter()
            .filter(|row| !taken.contains(row))
            .map(|row| format!("{:?}, `{}`, {:?}", row.from, row.command, row.to))
            .collect()
    });
    assert!(
        untaken.is_empty(),
        "no case and no example takes:\n{}",
        untaken.join("\n")
    );
}

#[test]
fn rows_are_about_commands_of_the_list_and_differ() {
    let mut rows = TRANSITIONS.to_vec();
    rows.sort_unstable();
    rows.dedup();
    assert_eq!(rows.len(), TRANSITIONS.len());
    for row in TRANSITIONS {
        let is_listed = LISTED.iter().any(|listed| listed.id == row.command);
        assert!(is_listed, "no command `{}`", row.command);
    }
    for listed in LISTED {
        let has_row = TRANSITIONS.iter().any(|row| row.command == listed.id);
        assert!(has_row, "`{}` leads nowhere", listed.id);
    }
}

/// What messages and `task:status` list, in their order.
#[test]
fn the_statuses_that_may_follow_have_an_order() {
    use TaskStatus::{Backlog, Blocked, Done, InProgress, InReview, Todo};
    for (from, expected) in [
        (Backlog, &[Todo, Blocked][..]),
        (Todo, &[InProgress, Blocked]),
        (InProgress, &[InReview, Blocked, Todo]),
        (InReview, &[Done, InProgress, Blocked]),
        (Blocked, &[Todo, Backlog]),
        (Done, &[]),
    ] {
        let next = crate::commands::transition::next_task_statuses(from);
        assert_eq!(next, expected, "{from}");
    }
}

/// A log may say that a blocked task was made ready, though the command refuses it.
#[test]
fn a_log_with_a_blocked_task_made_ready_is_read() {
    let mut world = World::with_task("blocked");
    let line = format!(
        r#"{{"version":1,"seq":{},"time":1735689600000,"type":"task.readied","actor":{{"principal":"ann","kind":"agent","role":"impl"}},"data":{{"chain":"CHAIN-001-parser","task":"001-read-numbers","from":"blocked","to":"todo"}}}}"#,
        world.state.seq() + 1
    );
    let event = WorkflowEvent::from_json(&line).expect("an event");
    world.state.apply(&event).expect("as ever");
    assert!(world.task("ann/impl", "task:start").is_ok());
}
