//! The form of events: stable, documented, strict.

use workflow::event::{Brief, EventPayload, FeedbackContext, TaskCreated, VERSION};
use workflow::names::{ActorKind, TaskKind, TaskStatus};
use workflow::{EventActor, EventTime, WorkflowEvent, WorkflowFault, WorkflowState};

use super::world::World;

fn event() -> WorkflowEvent {
    WorkflowEvent {
        seq: 1,
        time: EventTime(1_735_689_600_000),
        actor: EventActor::new("ann", ActorKind::Agent, "impl"),
        reason: None,
        data: EventPayload::TaskCreated(TaskCreated {
            chain: "CHAIN-001-a".to_owned(),
            task: "001-b".to_owned(),
            title: "B".to_owned(),
            kind: TaskKind::Impl,
            status: TaskStatus::Todo,
            brief: Brief {
                objective: "Read.\n".to_owned(),
                ..Brief::default()
            },
            rework_of: None,
            rework_count: 0,
        }),
    }
}

const FORM: &str = r#"{"version":1,"seq":1,"time":1735689600000,"type":"task.created","actor":{"principal":"ann","kind":"agent","role":"impl"},"data":{"chain":"CHAIN-001-a","task":"001-b","title":"B","status":"todo","brief":{"objective":"Read.\n"}}}"#;

#[test]
fn the_form_is_stable() {
    assert_eq!(event().to_json().unwrap(), FORM);
    assert_eq!(WorkflowEvent::from_json(FORM).unwrap(), event());
    assert_eq!(VERSION, 1);
    let _ = FeedbackContext::default();
}

#[test]
fn reading_is_strict() {
    for (from, to, expected) in [
        (
            "\"version\":1",
            "\"version\":2",
            "event version 2 is not known; this program reads version 1",
        ),
        (
            "\"version\":1",
            "\"version\":\"1\"",
            "event version \"1\" is not known",
        ),
        ("\"version\":1,", "", "version"),
        (
            "task.created",
            "task.creatd",
            "no event has the type `task.creatd`",
        ),
        ("task.created", "task.started", "/data"),
        ("\"seq\":1", "\"seq\":1,\"seq\":2", "event: "),
        ("\"seq\":1", "\"seq\":-1", "/seq"),
        ("\"seq\":1", "\"seq\":1,\"more\":2", "more"),
        (
            "\"title\":\"B\"",
            "\"title\":\"B\",\"titel\":\"C\"",
            "titel",
        ),
        ("\"title\":\"B\",", "", "title"),
        ("\"agent\"", "\"robot\"", "/actor/kind"),
        ("\"todo\"", "\"Todo\"", "/data/status"),
    ] {
        assert!(FORM.contains(from), "{from}");
        let told = WorkflowEvent::from_json(&FORM.replacen(from, to, 1))
            .unwrap_err()
            .to_string();
        assert!(told.contains(expected), "{told}\n{expected}");
    }
    let near = WorkflowEvent::from_json(&FORM.replace("task.created", "task.creatd")).unwrap_err();
    assert_eq!(near.hint().as_deref(), Some("did you mean `task.created`?"));
    let deep = FORM.replace("\"Read.\\n\"", &("[".repeat(40) + &"]".repeat(40)));
    assert!(WorkflowEvent::from_json(&deep).is_err());
}

#[test]
fn a_fold_of_the_same_events_is_the_same_state() {
    let world = World::with_workflow("standard", "done");
    let texts: Vec<String> = world
        .events
        .iter()
        .map(|event| event.to_json().unwrap())
        .collect();
    let events: Vec<WorkflowEvent> = texts
        .iter()
        .map(|text| WorkflowEvent::from_json(text).unwrap())
        .collect();
    assert_eq!(events, world.events);
    assert_eq!(WorkflowState::fold(&events).unwrap(), world.state);
}

#[test]
fn events_come_in_order_and_once() {
    let world = World::with_task("done");
    let mut state = WorkflowState::default();
    state.apply(&world.events[0]).unwrap();
    for wrong in [0, 2] {
        let before = state.clone();
        assert!(matches!(
            state.apply(&world.events[wrong]),
            Err(WorkflowFault::Sequence { expected: 2, .. })
        ));
        assert!(state == before);
    }
    // An event that the rules exclude is refused by the fold too, whatever wrote it.
    let mut forged = world.events.last().unwrap().clone();
    forged.seq += 1;
    let mut state = world.state.clone();
    assert!(matches!(
        state.apply(&forged),
        Err(WorkflowFault::Transition { .. })
    ));
    assert!(state == world.state);
}

/// One event of each type with all of its fields: the form that journals keep.
#[test]
fn the_form_of_every_type_is_stable() {
    let golden = include_str!("golden/events.jsonl");
    let mut kinds = Vec::new();
    for line in golden.lines() {
        let event =
            WorkflowEvent::from_json(line).unwrap_or_else(|fault| panic!("{line}\n{fault}"));
        assert_eq!(event.to_json().unwrap(), line);
        kinds.push(event.kind());
    }
    assert_eq!(kinds, EventPayload::KINDS);
}

#[test]
fn events_are_bounded() {
    let long = "x".repeat(workflow::limits::EVENT_BYTES_MAX);
    assert!(WorkflowEvent::from_json(&FORM.replace("Read.", &long)).is_err());
}

/// The fold asks for a reason too, whatever wrote the event.
#[test]
fn events_without_their_reason_are_refused() {
    let reviewed = World::with_workflow("standard", "in-review");
    let done = World::with_workflow("standard", "done");
    let mut asked = reviewed.clone();
    let question = r#"{"workflowId":"WF-20250101-001","question":"Which?"}"#;
    asked.did("ann/impl", "feedback:create", question);
    for (kind, world) in [
        ("task.changes_requested", &reviewed),
        ("task.blocked", &reviewed),
        ("chain.changes_requested", &done),
        ("request.changes_requested", &done),
        ("workflow.paused", &done),
        ("workflow.discarded", &done),
        ("feedback.dismissed", &asked),
    ] {
        let golden = include_str!("golden/events.jsonl").replace("001-read", "001-read-numbers");
        let line = golden.lines().find(|line| line.contains(kind)).unwrap();
        let line = line.replace("\"from\":\"todo\"", "\"from\":\"in-review\"");
        let mut event = WorkflowEvent::from_json(&line).unwrap();
        event.seq = world.state.seq() + 1;
        let mut state = world.state.clone();
        let without = WorkflowEvent {
            reason: None,
            ..event.clone()
        };
        assert_eq!(
            state.apply(&without),
            Err(WorkflowFault::Missing { field: "reason" }),
            "{kind}"
        );
        state
            .apply(&event)
            .unwrap_or_else(|fault| panic!("{kind}: {fault}"));
    }
}
