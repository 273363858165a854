//! Laws of the machine over random pipelines and random outcomes.

use proptest::prelude::*;
use registry::model::{FailureMode, RetryPolicy};

use super::*;

fn phase(name: &str, agents: usize, depends_on: &[&str]) -> PhaseSetup {
    PhaseSetup {
        name: name.to_owned(),
        agents: (0..agents).map(|agent| format!("a{agent}")).collect(),
        depends_on: depends_on.iter().map(ToString::to_string).collect(),
        parallel: false,
        required: true,
        failure_mode: FailureMode::FailFast,
        min_count: 1,
        retry: None,
        gated: false,
    }
}

fn begun(phases: &[PhaseSetup], at_once: usize) -> PipelineMachine {
    let mut machine = PipelineMachine::new(phases, at_once);
    machine.apply(&PhaseEvent::Began {
        phases: phases.to_vec(),
        skipped: Vec::new(),
        seed: "s".to_owned(),
    });
    machine
}

/// Does what the machine says, with results from `outcome`; gives every event. `most` bounds the number of events.
fn drive(
    machine: &mut PipelineMachine,
    most: usize,
    mut outcome: impl FnMut(&str, &str) -> AgentResult,
) -> Vec<PhaseEvent> {
    let mut events = Vec::new();
    let mut running: Vec<(String, String, bool)> = Vec::new();
    while events.len() < most && machine.end().is_none() {
        let acts = machine.next();
        let mut happened: Vec<PhaseEvent> = Vec::new();
        for act in acts {
            match act {
                PipelineAction::Skip(skip) => happened.push(PhaseEvent::PhaseSkipped(skip)),
                PipelineAction::Begin(phase) => happened.push(PhaseEvent::PhaseBegan { phase }),
                PipelineAction::Start {
                    phase,
                    agent,
                    attempt,
                } => {
                    running.push((phase.clone(), agent.clone(), false));
                    happened.push(PhaseEvent::AgentBegan {
                        phase,
                        agent,
                        attempt,
                    });
                }
                PipelineAction::Wait { .. } => unreachable!("only `retry` says it"),
                PipelineAction::Cancel { agent, .. } => {
                    let found = running.iter_mut().find(|one| one.1 == agent);
                    found.expect("only what runs is cancelled").2 = true;
                }
                PipelineAction::Leave { phase, agent } => happened.push(PhaseEvent::AgentEnded {
                    phase,
                    agent,
                    result: AgentResult::failed(Category::Cancelled, "not started"),
                }),
                PipelineAction::Gate(phase) => happened.push(PhaseEvent::GateOpened {
                    phase,
                    notice: None,
                }),
                PipelineAction::EndPhase {
                    phase,
                    status,
                    error,
                } => happened.push(PhaseEvent::PhaseEnded {
                    phase,
                    status,
                    error,
                }),
                PipelineAction::End(end) => happened.push(PhaseEvent::Ended { end }),
            }
        }
        if happened.is_empty() {
            if let Some((phase, agent, cancelled)) = running.pop() {
                let result = match cancelled {
                    true => AgentResult::failed(Category::Cancelled, "stopped"),
                    false => outcome(&phase, &agent),
                };
                match machine.retry(&phase, &agent, &result) {
                    Some(PipelineAction::Wait { wait_ms, .. }) => {
                        let (phase, agent) = (phase.clone(), agent.clone());
                        happened.push(PhaseEvent::RetryPlanned {
                            phase: phase.clone(),
                            agent: agent.clone(),
                            wait_ms,
                        });
                        happened.push(PhaseEvent::RetryDue { phase, agent });
                    }
                    _ => happened.push(PhaseEvent::AgentEnded {
                        phase,
                        agent,
                        result,
                    }),
                }
            } else {
                let open =
                    |one: &&machine::PhaseProgress| matches!(one.state, PhaseState::GateOpen(_));
                let phase = machine.phases().iter().find(open).expect("a gate waits");
                happened.push(PhaseEvent::GateSettled {
                    phase: phase.setup.name.clone(),
                    passed: true,
                    by: "test".to_owned(),
                    text: String::new(),
                });
            }
        }
        for event in &happened {
            machine.apply(event);
        }
        events.extend(happened);
    }
    events
}

fn fine(_: &str, _: &str) -> AgentResult {
    AgentResult::default()
}

fn limited(_: &str, _: &str) -> AgentResult {
    AgentResult::failed(Category::RateLimit, "429")
}

fn waits(events: &[PhaseEvent]) -> Vec<u64> {
    let wait = |event: &PhaseEvent| match event {
        PhaseEvent::RetryPlanned { wait_ms, .. } => Some(*wait_ms),
        _ => None,
    };
    events.iter().filter_map(wait).collect()
}

#[test]
fn a_rate_limit_is_retried_as_the_policy_says_and_no_other_failure_is() {
    let mut one = phase("a", 1, &[]);
    one.retry = Some(RetryPolicy {
        jitter_s: 0,
        ..RetryPolicy::default()
    });
    let mut machine = begun(&[one.clone()], 3);
    let events = drive(&mut machine, 100, limited);
    assert_eq!(waits(&events), [120_000, 300_000, 900_000]);
    assert_eq!(machine.end(), Some(End::Failed));
    let mut machine = begun(&[one.clone()], 3);
    let other = |_: &str, _: &str| AgentResult::failed(Category::Timeout, "late");
    assert!(waits(&drive(&mut machine, 100, other)).is_empty());
    // A stated time counts, up to the longest.
    let mut machine = begun(&[one], 3);
    let stated = |_: &str, _: &str| AgentResult {
        reset_s: Some(7),
        ..limited("", "")
    };
    assert_eq!(waits(&drive(&mut machine, 100, stated)), [7000, 7000, 7000]);
    let mut machine = begun(&[phase("a", 1, &[])], 3);
    assert!(
        waits(&drive(&mut machine, 100, limited)).is_empty(),
        "without a policy"
    );
}

#[test]
fn jitter_is_bounded_and_the_same_each_time() {
    let mut one = phase("a", 1, &[]);
    one.retry = Some(RetryPolicy::default());
    let run = || {
        let mut machine = begun(&[one.clone()], 3);
        waits(&drive(&mut machine, 100, limited))
    };
    let first = run();
    assert_eq!(first, run());
    for (wait, base) in first.iter().zip([120_000, 300_000, 900_000]) {
        assert!((base..=base + 30_000).contains(wait), "{first:?}");
    }
}

#[test]
fn what_was_done_is_kept_when_a_pipeline_is_resumed() {
    let phases = [phase("a", 1, &[]), phase("b", 2, &["a"])];
    let mut machine = begun(&phases, 3);
    let fails_once = |phase: &str, agent: &str| match (phase, agent) {
        ("b", "a1") => AgentResult::failed(Category::Timeout, "late"),
        _ => AgentResult::default(),
    };
    drive(&mut machine, 100, fails_once);
    assert_eq!(machine.end(), Some(End::Failed));
    machine.apply(&PhaseEvent::Resumed {
        retry_unknown: false,
    });
    let events = drive(&mut machine, 100, fine);
    assert_eq!(machine.end(), Some(End::Succeeded));
    let started: Vec<&str> = events
        .iter()
        .filter_map(|event| match event {
            PhaseEvent::AgentBegan { agent, .. } => Some(agent.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(started, ["a1"], "only the one that failed");
}

/// An agent that ran when the process ended is neither done nor forgotten.
#[test]
fn an_unknown_outcome_is_never_a_success() {
    let mut machine = begun(&[phase("a", 1, &[])], 3);
    let began = PhaseEvent::AgentBegan {
        phase: "a".to_owned(),
        agent: "a0".to_owned(),
        attempt: 1,
    };
    for event in [
        PhaseEvent::PhaseBegan {
            phase: "a".to_owned(),
        },
        began,
    ] {
        machine.apply(&event);
    }
    assert_eq!(machine.running(), [("a".to_owned(), "a0".to_owned())]);
    let mut refused = machine.clone();
    refused.apply(&PhaseEvent::Resumed {
        retry_unknown: false,
    });
    drive(&mut refused, 100, fine);
    assert_eq!(refused.end(), Some(End::Failed));
    machine.apply(&PhaseEvent::Resumed {
        retry_unknown: true,
    });
    let events = drive(&mut machine, 100, fine);
    assert_eq!(machine.end(), Some(End::Succeeded));
    let second = |event: &PhaseEvent| matches!(event, PhaseEvent::AgentBegan { attempt: 2, .. });
    assert!(events.iter().any(second));
}

#[test]
fn a_gate_that_was_not_passed_asks_again_when_resumed() {
    let mut gated = phase("a", 0, &[]);
    gated.gated = true;
    let mut machine = begun(&[gated, phase("b", 1, &["a"])], 3);
    let settle = |passed| PhaseEvent::GateSettled {
        phase: "a".to_owned(),
        passed,
        by: "p".to_owned(),
        text: "no".to_owned(),
    };
    for event in [
        PhaseEvent::PhaseBegan {
            phase: "a".to_owned(),
        },
        PhaseEvent::PhaseEnded {
            phase: "a".to_owned(),
            status: PhaseStatus::Done,
            error: None,
        },
    ] {
        machine.apply(&event);
    }
    assert_eq!(
        machine.next(),
        [PipelineAction::Gate("a".to_owned())],
        "without agents too"
    );
    machine.apply(&settle(false));
    assert_eq!(machine.next(), [PipelineAction::End(End::Failed)]);
    machine.apply(&PhaseEvent::Ended { end: End::Failed });
    machine.apply(&PhaseEvent::Resumed {
        retry_unknown: false,
    });
    assert_eq!(machine.next(), [PipelineAction::Gate("a".to_owned())]);
    machine.apply(&settle(true));
    assert_eq!(machine.next(), [PipelineAction::Begin("b".to_owned())]);
}

prop_compose! {
    /// Phases whose dependencies point backwards or forwards without a cycle: each depends on some of those of lower rank.
    fn phases()(
        shape in prop::collection::vec(
            (0..4_usize, any::<u8>(), any::<bool>(), any::<bool>(), 0..3_u8, any::<bool>()), 1..7),
        ranks in Just((0..7).collect::<Vec<usize>>()).prop_shuffle(),
    ) -> Vec<PhaseSetup> {
        let count = shape.len();
        shape.into_iter().enumerate().map(|(index, (agents, bits, parallel, required, mode, gated))| {
            let below = (0..count).filter(|other| ranks[*other] < ranks[index]);
            let chosen = below.filter(|other| bits >> other & 1 == 1);
            let mut one = phase(&format!("p{index}"), agents, &[]);
            one.depends_on = chosen.map(|other| format!("p{other}")).collect();
            (one.parallel, one.required, one.gated) = (parallel, required, gated);
            one.failure_mode = [FailureMode::FailFast, FailureMode::Continue, FailureMode::RequireMinimum][usize::from(mode)];
            one.min_count = 1 + usize::from(bits) % 3;
            one
        }).collect()
    }
}

fn result_of(bits: u64, number: usize) -> AgentResult {
    match bits >> (number % 64) & 1 {
        0 => AgentResult::default(),
        _ => AgentResult::failed(Category::NonzeroExit, "1"),
    }
}

proptest! {
    /// Every dependency comes first, and of the phases that may come next the earliest declared one does.
    #[test]
    fn the_order_is_the_smallest_that_fits(phases in phases()) {
        let found = order_phases(&phases);
        prop_assert_eq!(found.len(), phases.len());
        for (place, phase) in found.iter().enumerate() {
            let before = |name: &String| found[..place].iter().any(|one| phases[*one].name == *name);
            prop_assert!(phases[*phase].depends_on.iter().all(before));
            for other in found[place..].iter().filter(|other| *other < phase) {
                prop_assert!(!phases[*other].depends_on.iter().all(before));
            }
        }
    }

    /// It ends; the events alone give the same machine; a phase runs only after its dependencies; what is done never runs again.
    #[test]
    fn events_tell_everything(phases in phases(), bits in any::<u64>(), at_once in 1..4_usize) {
        let mut machine = begun(&phases, at_once);
        let mut number = 0;
        let events = drive(&mut machine, 1000, |_, _| { number += 1; result_of(bits, number) });
        prop_assert!(machine.end().is_some());
        let mut again = begun(&phases, at_once);
        let mut done: Vec<String> = Vec::new();
        let mut most = 0;
        for event in &events {
            if let PhaseEvent::PhaseBegan { phase } = event {
                let setup = phases.iter().find(|one| one.name == *phase).unwrap();
                prop_assert!(setup.depends_on.iter().all(|other| done.contains(other)));
            }
            again.apply(event);
            most = most.max(again.running().len());
            done = again.phases().iter().filter(|one| matches!(one.state,
                PhaseState::Ended(PhaseStatus::Done | PhaseStatus::Partial))).map(|one| one.setup.name.clone()).collect();
        }
        prop_assert_eq!(&again, &machine);
        prop_assert!(most <= at_once);
        let failed = machine.phases().iter().any(|one| one.state == PhaseState::Ended(PhaseStatus::Failed));
        prop_assert!(!(failed && machine.end() == Some(End::Succeeded)));
    }

    /// A process that ends after any event leaves a record from which the pipeline is resumed to an end.
    #[test]
    fn it_is_resumed_from_every_event(phases in phases(), bits in any::<u64>(), cut in any::<prop::sample::Index>()) {
        let mut machine = begun(&phases, 2);
        let mut number = 0;
        let events = drive(&mut machine, 1000, |_, _| { number += 1; result_of(bits, number) });
        let mut again = begun(&phases, 2);
        for event in &events[..cut.index(events.len())] {
            again.apply(event);
        }
        again.apply(&PhaseEvent::Resumed { retry_unknown: true });
        drive(&mut again, 1000, fine);
        prop_assert!(again.phases().iter().all(|one| one.state != PhaseState::Running));
        prop_assert!(again.end().is_some());
        if phases.iter().all(|one| one.gated || !one.agents.is_empty()) {
            prop_assert_eq!(again.end(), Some(End::Succeeded));
        }
    }

    /// Waits never exceed the policy.
    #[test]
    fn waits_are_bounded(jitter_s in 0..100_u64, longest_s in 0..5000_u64, reset in prop::option::of(any::<u64>()), number in 0..6_u32) {
        let policy = RetryPolicy { jitter_s, longest_s, ..RetryPolicy::default() };
        let wait = retry::wait_ms(&policy, number, reset, ["s", "p", "a"]);
        prop_assert_eq!(wait.is_some(), (1..=3).contains(&number));
        prop_assert!(wait.unwrap_or(0) <= longest_s * 1000);
    }
}
