//! The cases of the earlier system that this crate decides, as data.

use registry::document::{DocumentFormat, parse_document};
use tool_core::Value;
use workflow::WorkflowFault;

use super::world::{CHAIN, TASK, WORKFLOW, World};

fn cases() -> Vec<Value> {
    let files = [
        ("tasks.yaml", include_str!("cases/tasks.yaml")),
        ("workflows.yaml", include_str!("cases/workflows.yaml")),
    ];
    let read = |(name, text)| {
        parse_document(name, text, DocumentFormat::Yaml)
            .expect("a sound document")
            .value
            .items()
            .expect("a list")
    };
    files.into_iter().flat_map(read).collect()
}

#[test]
fn the_cases_of_the_earlier_system_hold() {
    let cases = cases();
    assert!(cases.len() > 40, "{} cases", cases.len());
    for case in &cases {
        let id = case.text("id").expect("an id");
        let status = case.text("world").expect("a world");
        let mut world = match case.text("workflow") {
            Some(template) => World::with_workflow(template, status),
            None => World::with_task(status),
        };
        let steps = case.items_at("given");
        let (last, before) = steps.split_last().expect("a step");
        for step in before {
            run(&mut world, step).unwrap_or_else(|fault| panic!("{id}: {fault}"));
        }
        let before = world.state.clone();
        let outcome = run(&mut world, last);
        if outcome.is_err() {
            assert!(
                before == world.state,
                "{id}: a refused command changed the state"
            );
        }
        check(
            id,
            &world,
            &outcome,
            case.get("expect").expect("an expectation"),
        );
    }
}

fn run(world: &mut World, step: &Value) -> Result<Vec<workflow::WorkflowEvent>, WorkflowFault> {
    let (by, tool) = (step.text("by").expect("by"), step.text("do").expect("do"));
    world.call_value(by, tool, step.get("args").expect("args"))
}

fn check(
    id: &str,
    world: &World,
    outcome: &Result<Vec<workflow::WorkflowEvent>, WorkflowFault>,
    expect: &Value,
) {
    let Some(expected) = expect.as_object() else {
        panic!("{id}: no expectation")
    };
    let task = world.state.task(CHAIN, TASK).expect("the task");
    let chain = world.state.chain(CHAIN).expect("the chain");
    for (key, value) in expected.iter() {
        let found = match key {
            "error" | "hint" => {
                let fault = outcome
                    .as_ref()
                    .err()
                    .unwrap_or_else(|| panic!("{id}: succeeded"));
                let told = if key == "hint" {
                    fault.hint().unwrap_or_default()
                } else {
                    fault.to_string()
                };
                assert!(
                    told.contains(value.as_str().expect("a text")),
                    "{id}: {told}"
                );
                continue;
            }
            "events" => {
                let events = outcome
                    .as_ref()
                    .unwrap_or_else(|fault| panic!("{id}: {fault}"));
                Value::array(
                    events
                        .iter()
                        .map(|event| Value::from(event.kind()))
                        .collect(),
                )
            }
            "data" => {
                let event = outcome
                    .as_ref()
                    .unwrap_or_else(|fault| panic!("{id}: {fault}"))
                    .last()
                    .expect("an event");
                let form = event.to_value().expect("a form");
                let data = form.get("data").expect("data");
                for (key, value) in value.as_object().expect("an object").iter() {
                    assert_eq!(data.get(key), Some(value), "{id}: {key}");
                }
                continue;
            }
            "reason" => {
                let event = outcome
                    .as_ref()
                    .unwrap_or_else(|fault| panic!("{id}: {fault}"))
                    .last()
                    .expect("an event");
                Value::from(event.reason.as_deref().unwrap_or_default())
            }
            "task" => Value::from(task.status.as_str()),
            "chain" => Value::from(chain.status().as_str()),
            "empty_chain" => {
                let empty = world.state.chain("CHAIN-002-empty").expect("the chain");
                assert_eq!(empty.progress(), 0, "{id}");
                Value::from(empty.status().as_str())
            }
            "next" => Value::from(chain.next_task().map_or("none", |task| task.id.as_str())),
            "rework" => Value::from(i64::from(task.rework_count)),
            "summary" => Value::from(task.summary.as_deref().unwrap_or_default()),
            "suggestions" => {
                let kept = task.reviews.iter().flat_map(|review| &review.suggestions);
                Value::array(kept.map(|text| Value::from(text.as_str())).collect())
            }
            "workflow" => Value::from(
                world
                    .state
                    .workflow(WORKFLOW)
                    .expect("the workflow")
                    .status()
                    .as_str(),
            ),
            other => panic!("{id}: unknown expectation `{other}`"),
        };
        assert_eq!(found, *value, "{id}: {key}");
    }
}

#[test]
fn the_cases_about_files_hold() {
    use workflow::governance::{Action, read_governance};
    let text = include_str!("cases/files.yaml");
    let cases = parse_document("files.yaml", text, DocumentFormat::Yaml)
        .expect("a sound document")
        .value;
    for case in cases.items().expect("a list") {
        let id = case.text("id").expect("an id");
        let rules = tool_core::json::to_text(case.get("rules").expect("rules"));
        let governance =
            read_governance("rules.yaml", &rules).unwrap_or_else(|errors| panic!("{id}: {errors}"));
        let path = case.text("path").expect("a path");
        let ruling = governance.decide(case.text("role"), Action::Modify, path);
        let ruling = ruling.map_or("refused", |decided| decided.ruling.as_str());
        assert_eq!(Some(ruling), case.text("expect"), "{id}");
    }
}

#[test]
fn the_cases_about_agents_hold() {
    use workflow::ItemCommand;
    use workflow::commands::AgentSpawn;
    let spawn = |role: &str| {
        ItemCommand::AgentSpawn(AgentSpawn {
            role: role.to_owned(),
            depth_max: 2,
            ..AgentSpawn::default()
        })
    };
    let mut world = World::new();
    // B31
    let fault = world.run("ann/impl", &spawn("control")).unwrap_err();
    assert!(fault.to_string().contains("cannot spawn"), "{fault}");
    // B32
    for by in ["lea", "control-1", "control-2"] {
        world
            .run(&format!("{by}/control"), &spawn("control"))
            .unwrap();
    }
    let fault = world
        .run("control-3/control", &spawn("control"))
        .unwrap_err();
    assert!(fault.to_string().contains("the limit is 2"), "{fault}");
}
