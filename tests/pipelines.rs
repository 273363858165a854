//! Cases of the earlier system about pipelines, as data: `tests/conformance/pipelines.yaml`.

use agents::pipeline::{
    AgentResult, Category, End, PhaseEvent, PhaseSetup, PhaseSkip, PhaseState, PipelineAction,
    PipelineMachine,
};
use registry::Config;
use registry::document::{self, DocumentFormat};
use tool_core::{Value, json};

const CASES: &str = include_str!("conformance/pipelines.yaml");

fn texts(of: &Value, key: &str) -> Vec<String> {
    let items = of.items_at(key);
    items
        .iter()
        .map(|item| item.as_str().expect("a text").to_owned())
        .collect()
}

/// What a pipeline did.
struct Ran {
    machine: PipelineMachine,
    began: Vec<String>,
    started: Vec<String>,
}

/// Runs a pipeline whose agents end at once, as the case says.
fn run(given: &Value) -> Ran {
    let document = Value::object([
        ("version", Value::from(1_i64)),
        ("phases", given.get("phases").expect("phases").clone()),
    ]);
    let config = Config::parse("case.json", &json::to_text(&document)).expect("sound phases");
    let setups: Vec<PhaseSetup> = config.phases.iter().map(PhaseSetup::from).collect();
    let skip = |phase: String| PhaseSkip {
        phase,
        reason: "left out".to_owned(),
        met: false,
    };
    let (fail, limited) = (texts(given, "fail"), texts(given, "rate_limit"));
    let mut ran = Ran {
        machine: PipelineMachine::new(&setups, 3),
        began: Vec::new(),
        started: Vec::new(),
    };
    ran.machine.apply(&PhaseEvent::Began {
        phases: setups,
        skipped: texts(given, "skip").into_iter().map(skip).collect(),
        seed: "case".to_owned(),
    });
    for _ in 0..1000 {
        let Some(act) = ran.machine.next().into_iter().next() else {
            break;
        };
        let ended = |phase: &str, agent: &str, result: AgentResult| PhaseEvent::AgentEnded {
            phase: phase.to_owned(),
            agent: agent.to_owned(),
            result,
        };
        let events = match act {
            PipelineAction::Skip(skip) => vec![PhaseEvent::PhaseSkipped(skip)],
            PipelineAction::Begin(phase) => {
                ran.began.push(phase.clone());
                vec![PhaseEvent::PhaseBegan { phase }]
            }
            PipelineAction::Start {
                phase,
                agent,
                attempt,
            } => {
                let name = format!("{phase}/{agent}");
                ran.started.push(name.clone());
                let category = match (fail.contains(&name), limited.contains(&name)) {
                    (true, _) => Some(Category::NonzeroExit),
                    (_, true) => Some(Category::RateLimit),
                    _ => None,
                };
                let result = AgentResult {
                    category,
                    ..AgentResult::default()
                };
                let mut events = vec![
                    PhaseEvent::AgentBegan {
                        phase: phase.clone(),
                        agent: agent.clone(),
                        attempt,
                    },
                    ended(&phase, &agent, result.clone()),
                ];
                if let Some(PipelineAction::Wait { wait_ms, .. }) =
                    ran.machine.retry(&phase, &agent, &result)
                {
                    let (of, name) = (phase.clone(), agent.clone());
                    events.push(PhaseEvent::RetryPlanned {
                        phase,
                        agent,
                        wait_ms,
                    });
                    events.push(PhaseEvent::RetryDue {
                        phase: of,
                        agent: name,
                    });
                }
                events
            }
            PipelineAction::Leave { phase, agent } => {
                let left = AgentResult::failed(Category::Cancelled, "not started");
                vec![ended(&phase, &agent, left)]
            }
            PipelineAction::EndPhase {
                phase,
                status,
                error,
            } => vec![PhaseEvent::PhaseEnded {
                phase,
                status,
                error,
            }],
            PipelineAction::End(end) => vec![PhaseEvent::Ended { end }],
            PipelineAction::Wait { .. }
            | PipelineAction::Cancel { .. }
            | PipelineAction::Gate(_) => panic!("{act:?}"),
        };
        events.iter().for_each(|event| ran.machine.apply(event));
    }
    ran
}

fn state(machine: &PipelineMachine, name: &str) -> &'static str {
    let phase = machine
        .phases()
        .iter()
        .find(|phase| phase.setup.name == name);
    match &phase.expect("a phase").state {
        PhaseState::Pending => "pending",
        PhaseState::Skipped(_) => "skipped",
        PhaseState::Ended(status) => status.as_str(),
        other => panic!("{name} is {other:?}"),
    }
}

#[test]
fn cases_of_pipelines() {
    let document = document::parse_document("pipelines.yaml", CASES, DocumentFormat::Yaml)
        .expect("a document");
    let cases = document.value.items_at("cases");
    assert!(cases.len() > 10);
    for case in cases {
        let id = case.text("id").expect("an id");
        let (given, expect) = (
            case.get("given").expect("given"),
            case.get("expect").expect("expect"),
        );
        let ran = run(given);
        for (key, wanted) in expect.as_object().expect("a table").iter() {
            match key {
                "began" => assert_eq!(ran.began, texts(expect, "began"), "{id}"),
                "started" => assert_eq!(ran.started, texts(expect, "started"), "{id}"),
                "success" => {
                    let end = ran.machine.end().expect("an end");
                    assert_eq!(Some(end == End::Succeeded), wanted.as_bool(), "{id}");
                }
                "phases" => {
                    for (name, status) in wanted.as_object().expect("a table").iter() {
                        assert_eq!(
                            Some(state(&ran.machine, name)),
                            status.as_str(),
                            "{id}: {name}"
                        );
                    }
                }
                other => panic!("unknown key `{other}` of {id}"),
            }
        }
    }
}
