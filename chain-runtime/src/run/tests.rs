//! The machine against an interpreter that goes through the plan once, step by step, written without looking at the machine:
//! whatever the order in which calls end, the outcome is the same. And what must hold at every moment: nothing starts twice,
//! before what it waits for, or beyond the slots; everything ends.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use proptest::prelude::*;
use rand::rngs::SmallRng;
use rand::{Rng, RngExt, SeedableRng};
use registry::{CallerContext, Principal};
use tool_core::{Effect, ErrorCode, Object, ToolError, Value};

use super::events::{CallPart, CallSlots, CallUnit, MachineCommand, RunConclusion, RunEvent};
use super::finished::OutputDigest;
use super::finished::{StepOutcome, StepStatus};
use super::machine::{PriorProcesses, RunMachine};
use super::meter::UsageMeter;
use super::order::ToolCosts;
use crate::check::{CheckedPlan, CheckedStep};
use crate::condition::StepCondition;
use crate::graph::{EdgeReason, PlanEdge, PlanGraph};
use crate::plan::{Mode, OnError, OnItemError, Plan, PlanStep, StepMap, StepRetry};
use crate::problem::PlanProblems;
use crate::template::ArgumentNode;

/// A step as the test thinks of it.
#[derive(Debug, Clone)]
struct Sketch {
    /// Steps whose value it uses, and whether it has a default for that.
    uses: Vec<(usize, bool)>,
    after: Vec<usize>,
    /// Runs only when the value of that step is above.
    when: Option<(usize, i64)>,
    /// Elements, most together, collected.
    map: Option<(usize, usize, bool)>,
    retries: u32,
    on_error: OnError,
    effects: bool,
    undo: bool,
    waits: bool,
}

/// What a call gives: a number, or an error. A function of which call it is and nothing else.
fn outcome(salt: u64, step: usize, item: usize, attempt: u32) -> Result<i64, ErrorCode> {
    let mut rng = SmallRng::seed_from_u64(
        salt ^ (step as u64) << 32 ^ (item as u64) << 16 ^ u64::from(attempt),
    );
    match rng.random_range(0..10) {
        0 | 1 => Err(ErrorCode::ToolError),
        2 => Err(ErrorCode::Numeric),
        value => Ok(value),
    }
}

fn sketches(rng: &mut SmallRng) -> Vec<Sketch> {
    let count = rng.random_range(1..10);
    let mut all: Vec<Sketch> = Vec::new();
    for step in 0..count {
        let some = |rng: &mut SmallRng, most: usize| -> Vec<usize> {
            let mut picked: Vec<usize> = (0..step).filter(|_| rng.random_bool(0.3)).collect();
            picked.truncate(most);
            picked
        };
        let uses = some(rng, 3);
        let plain: Vec<usize> = (0..step).filter(|&from| all[from].map.is_none()).collect();
        let when = match rng.random_range(0..4) {
            0 if !plain.is_empty() => {
                let from = plain[rng.random_range(0..plain.len())];
                Some((from, rng.random_range(2..9)))
            }
            _ => None,
        };
        let map = rng.random_bool(0.25).then(|| {
            (
                rng.random_range(0..5),
                rng.random_range(1..4),
                rng.random_bool(0.5),
            )
        });
        all.push(Sketch {
            uses: uses
                .into_iter()
                .map(|from| (from, rng.random_bool(0.5)))
                .collect(),
            after: some(rng, 2),
            when,
            map,
            retries: rng.random_range(0..3),
            on_error: OnError::ALL[rng.random_range(0..3)],
            effects: rng.random_bool(0.3),
            undo: rng.random_bool(0.3),
            waits: rng.random_bool(0.3),
        });
    }
    all
}

/// The plan that a check would have made of them.
fn plan(sketches: &[Sketch], rng: &mut SmallRng) -> CheckedPlan {
    let id = |step: usize| -> Arc<str> { format!("s{step}").into() };
    let mut edges: Vec<PlanEdge> = Vec::new();
    let mut last_effect = None;
    let mut steps = Vec::new();
    for (position, sketch) in sketches.iter().enumerate() {
        let mut edge = |from: usize, reason: EdgeReason| {
            edges.push(PlanEdge {
                from,
                to: position,
                reason,
            });
        };
        let members = sketch.uses.iter().map(|&(from, default)| {
            edge(from, EdgeReason::Reference(id(from)));
            let mut reference = vec![("$ref", Value::from(&*id(from)))];
            if default {
                reference.push(("default", Value::from(0_i64)));
            }
            (format!("a{from}"), Value::object(reference))
        });
        let args = Value::object(members.collect::<Vec<_>>());
        let args = ArgumentNode::compile(&args, &mut String::new(), &mut PlanProblems::default());
        sketch
            .after
            .iter()
            .for_each(|&from| edge(from, EdgeReason::After));
        let when = sketch.when.map(|(from, least)| {
            edge(from, EdgeReason::Reference(id(from)));
            // What is absent is below everything.
            let text = format!("defined(s{from}.v) && s{from}.v > {least}");
            StepCondition::parse(&text, "").unwrap()
        });
        if sketch.effects {
            if let Some(from) = last_effect {
                edge(from, EdgeReason::Mutations);
            }
            last_effect = Some(position);
        }
        let mut uses: Vec<usize> = sketch.uses.iter().map(|(from, _)| *from).collect();
        uses.extend(sketch.when.map(|(from, _)| from));
        uses.sort_unstable();
        uses.dedup();
        let mut step = blank(id(position), args);
        step.step.map = sketch.map.map(|(count, together, collect)| StepMap {
            over: ArgumentNode::Literal(Value::array((0..count as i64).map(Value::from).collect())),
            name: "item".into(),
            max: 100,
            concurrency: Some(together),
            on_item_error: if collect {
                OnItemError::Collect
            } else {
                OnItemError::Fail
            },
        });
        step.step.when = when;
        step.uses = uses;
        step.step.retry = StepRetry {
            max: sketch.retries,
            ..StepRetry::default()
        };
        step.on_error = sketch.on_error;
        step.reads_world = sketch.waits;
        step.effects = if sketch.effects {
            &[Effect::ModifiesFiles]
        } else {
            &[]
        };
        step.idempotent = true;
        step.compensate = sketch.undo.then(|| {
            Box::new(blank(
                format!("s{position}!").into(),
                ArgumentNode::Literal(Value::Null),
            ))
        });
        steps.push(step);
    }
    let mode = if rng.random_bool(0.2) {
        Mode::Seq
    } else {
        Mode::Dep
    };
    CheckedPlan {
        graph: PlanGraph::new(steps.len(), edges),
        index: steps
            .iter()
            .enumerate()
            .map(|(position, step)| (Arc::clone(&step.id), position))
            .collect(),
        steps,
        plan: Plan {
            mode: Some(mode),
            barrier: rng.random_bool(0.2),
            ..Plan::default()
        },
        outputs: Vec::new(),
        inputs: Value::Object(Arc::new(Object::new())),
        mode_used: mode,
        fallback_reason: None,
        notes: Vec::new(),
        context: CallerContext {
            who: Principal::role("operator"),
            ..CallerContext::default()
        },
        open_inputs: Vec::new(),
        calls_within: 0,
        known_calls: 0,
        known_cost: 0,
        unnamed: None,
    }
}

fn blank(id: Arc<str>, args: ArgumentNode) -> CheckedStep {
    CheckedStep {
        step: PlanStep {
            id,
            args,
            ..PlanStep::default()
        },
        tool: "test",
        tool_version: 1,
        idempotent: true,
        is_function: true,
        ..CheckedStep::default()
    }
}

/// How a step ended, as the test writes it: `done`, `failed`, `skipped by 3`, `unmet`, `not run after 2`; for maps with the
/// elements.
type Ending = String;

/// Goes through the plan once.
fn interpreted(sketches: &[Sketch], salt: u64) -> Vec<Ending> {
    let mut endings: Vec<Ending> = Vec::new();
    let mut values: HashMap<usize, i64> = HashMap::new();
    let mut ended_at: Option<usize> = None;
    let mut last_effect: Option<usize> = None;
    for (step, sketch) in sketches.iter().enumerate() {
        let mutation_before = last_effect;
        if sketch.effects {
            last_effect = Some(step);
        }
        let _ = mutation_before; // keeps an order, and is no dependency
        let mut cause: Option<usize> = None;
        let mut blame =
            |found: usize| cause = Some(cause.map_or(found, |known: usize| known.min(found)));
        let mut needed: BTreeMap<usize, bool> = BTreeMap::new();
        for &(from, default) in &sketch.uses {
            *needed.entry(from).or_insert(true) &= default;
        }
        for from in sketch
            .after
            .iter()
            .copied()
            .chain(sketch.when.map(|(from, _)| from))
        {
            needed.entry(from).or_insert(true);
        }
        for (from, defaults) in needed {
            let root = match endings[from].as_str() {
                ending if ending.starts_with("failed") => from,
                ending if ending.starts_with("skipped by ") => {
                    ending["skipped by ".len()..].parse().unwrap()
                }
                "unmet" => {
                    if !defaults {
                        blame(from);
                    }
                    continue;
                }
                _ => continue,
            };
            if !(defaults && sketches[root].on_error == OnError::Continue) {
                blame(root);
            }
        }
        let ending = if let Some(cause) = cause {
            format!("skipped by {cause}")
        } else if let Some(at) = ended_at {
            format!("not run after {at}")
        } else if sketch
            .when
            .is_some_and(|(from, least)| values.get(&from).is_none_or(|value| *value <= least))
        {
            "unmet".to_owned()
        } else {
            match sketch.map {
                None => match called(salt, step, 0, sketch.retries) {
                    Ok(value) => {
                        values.insert(step, value);
                        format!("done {value}")
                    }
                    Err(code) => format!("failed {code}"),
                },
                Some((count, _, collect)) => {
                    let mut elements = Vec::new();
                    let mut failed = None;
                    for item in 0..count {
                        match called(salt, step, item, sketch.retries) {
                            Ok(value) => elements.push(value.to_string()),
                            Err(code) => {
                                elements.push(code.to_string());
                                if !collect {
                                    failed = Some(code);
                                    break;
                                }
                            }
                        }
                    }
                    match failed {
                        Some(code) => format!("failed {code}"),
                        None => format!("done [{}]", elements.join(" ")),
                    }
                }
            }
        };
        if ending.starts_with("failed") && sketch.on_error == OnError::FailChain {
            ended_at = ended_at.or(Some(step));
        }
        endings.push(ending);
    }
    endings
}

fn called(salt: u64, step: usize, item: usize, retries: u32) -> Result<i64, ErrorCode> {
    let mut attempt = 1;
    loop {
        match outcome(salt, step, item, attempt) {
            Err(ErrorCode::ToolError) if attempt <= retries => attempt += 1,
            result => return result,
        }
    }
}

/// Drives the machine in an order of its own, holding what must hold at every moment.
fn driven(
    plan: &CheckedPlan,
    slots: CallSlots,
    salt: u64,
    rng: &mut SmallRng,
) -> (
    Vec<StepOutcome>,
    Vec<StepOutcome>,
    Vec<CallUnit>,
    HashSet<CallUnit>,
) {
    let mut machine = RunMachine::new(plan, slots, &ToolCosts::default());
    let mut open: Vec<MachineCommand> = machine.begin();
    let mut running: HashSet<CallUnit> = HashSet::new();
    let mut settled: HashSet<usize> = HashSet::new();
    let mut finished: HashSet<CallUnit> = HashSet::new();
    let mut undone = Vec::new();
    let mut is_written = false;
    note(&open, plan, &mut running, &mut settled, slots);
    loop {
        open.retain(|command| !matches!(command, MachineCommand::Settled(_)));
        if open.is_empty() {
            break;
        }
        let command = open.swap_remove(rng.random_range(0..open.len()));
        let event = match command {
            MachineCommand::Start(unit, attempt) => {
                assert!(running.remove(&unit));
                if unit.part.undoes() {
                    assert!(is_written, "{unit:?} before the end is written");
                    undone.push(unit);
                }
                let item = unit.part.item().unwrap_or(0);
                let end = match (unit.part.undoes(), outcome(salt, unit.step, item, attempt)) {
                    (true, _) => done(0),
                    (_, Ok(value)) => done(value),
                    (_, Err(code)) => StepOutcome::failed(ToolError::new(code, "told to")),
                };
                if end.status == StepStatus::Done {
                    assert!(finished.insert(unit), "{unit:?} was done twice");
                }
                RunEvent::Ended {
                    unit,
                    end: Box::new(end),
                    left_ms: None,
                }
            }
            MachineCommand::Key(step) => {
                let count = machine.items(step);
                RunEvent::Keyed {
                    step,
                    keys: vec![Vec::new(); count],
                }
            }
            MachineCommand::Sleep(unit, _) => RunEvent::Woke(unit),
            MachineCommand::WriteEnd => {
                assert!(
                    undone.is_empty() && !is_written,
                    "written once, before anything is undone"
                );
                is_written = true;
                RunEvent::EndWritten
            }
            MachineCommand::Settled(_) => unreachable!(),
        };
        let more = machine.step(event);
        note(&more, plan, &mut running, &mut settled, slots);
        open.extend(more);
    }
    assert_eq!(machine.conclusion(), Some(RunConclusion::Finished));
    assert_eq!(settled.len(), plan.steps.len());
    let parts = machine.into_parts();
    (parts.settled, parts.real, undone, finished)
}

fn done(value: i64) -> StepOutcome {
    StepOutcome {
        status: StepStatus::Done,
        output_digest: Some(value.to_string().into()),
        output: Some(Value::object([("v", Value::from(value))])),
        ..StepOutcome::default()
    }
}

fn note(
    commands: &[MachineCommand],
    plan: &CheckedPlan,
    running: &mut HashSet<CallUnit>,
    settled: &mut HashSet<usize>,
    slots: CallSlots,
) {
    for command in commands {
        match *command {
            MachineCommand::Settled(step) => assert!(settled.insert(step), "{step} ended twice"),
            MachineCommand::Start(unit, _) => {
                assert!(running.insert(unit), "{unit:?} runs already");
                assert!(unit.part.undoes() || !settled.contains(&unit.step));
                for before in plan.graph.before(unit.step) {
                    assert!(settled.contains(&before), "{unit:?} before {before}");
                }
            }
            MachineCommand::Key(_) | MachineCommand::Sleep(..) | MachineCommand::WriteEnd => {}
        }
    }
    let waiting = |unit: &&CallUnit| slots.waiting.is_some() && plan.steps[unit.step].reads_world;
    let waits = running.iter().filter(waiting).count();
    let undoing = running.iter().filter(|unit| unit.part.undoes()).count();
    assert!(
        undoing == 0 || running.len() == 1,
        "what is undone is undone alone"
    );
    assert!(running.len() - waits <= slots.compute);
    assert!(waits <= slots.waiting.unwrap_or(0));
}

fn ending(end: &StepOutcome) -> Ending {
    match (end.status, end.cause) {
        (StepStatus::Done, _) if end.output_digest.is_some() && end.items.is_empty() => {
            format!(
                "done {}",
                end.output_digest.as_ref().map_or("", OutputDigest::as_str)
            )
        }
        (StepStatus::Done, _) => {
            let elements = end
                .items
                .iter()
                .map(|item| match (&item.output_digest, &item.error) {
                    (Some(digest), _) => digest.as_str().to_owned(),
                    (None, Some(error)) => error.code().to_string(),
                    (None, None) => "?".to_owned(),
                });
            format!("done [{}]", elements.collect::<Vec<_>>().join(" "))
        }
        (StepStatus::Failed, _) => {
            let code = end.error.as_ref().map(|error| error.code().to_string());
            format!("failed {}", code.unwrap_or_default())
        }
        (StepStatus::Skipped, Some(cause)) => format!("skipped by {cause}"),
        (StepStatus::Skipped, None) => "unmet".to_owned(),
        (StepStatus::NotRun, Some(cause)) => format!("not run after {cause}"),
        (status, _) => format!("{status:?}"),
    }
}

/// Plans of one case of a property.
const PLANS: usize = 16;

proptest! {
    #[test]
    fn every_order_of_events_has_the_outcome_of_plan_order(seed: u64) {
        let mut rng = SmallRng::seed_from_u64(seed);
        for _ in 0..PLANS {
            let sketches = sketches(&mut rng);
            let plan = plan(&sketches, &mut rng);
            let salt = rng.next_u64();
            let expected = interpreted(&sketches, salt);
            for compute in [1, 2, 3, 32] {
                let waiting = [None, Some(2)][rng.random_range(0..2)];
                let slots = CallSlots {
                    compute,
                    waiting,
                    elsewhere: None,
                };
                let (settled, real, undone, finished) = driven(&plan, slots, salt, &mut rng);
                let mut found: Vec<Ending> = settled.iter().map(ending).collect();
                for (step, sketch) in sketches.iter().enumerate() {
                    // The digest of an empty map is that of nothing.
                    if matches!(sketch.map, Some((0, ..))) && settled[step].status == StepStatus::Done {
                        found[step] = "done []".to_owned();
                    }
                }
                prop_assert_eq!(&found, &expected, "{:?}", sketches);
                let early = settled.iter().zip(&sketches).any(|(end, sketch)| {
                    end.status == StepStatus::Failed && sketch.on_error == OnError::FailChain
                });
                let mut to_undo: Vec<CallUnit> = Vec::new();
                for step in (0..sketches.len()).rev().filter(|&step| early && sketches[step].undo) {
                    let items = (0..8).rev().filter(|&item| {
                        finished.contains(&CallUnit { step, part: CallPart::Item(item) })
                    });
                    to_undo.extend(items.map(|item| CallUnit { step, part: CallPart::UndoItem(item) }));
                    if sketches[step].map.is_none() && real[step].status == StepStatus::Done {
                        to_undo.push(CallUnit { step, part: CallPart::Undo });
                    }
                }
                prop_assert_eq!(undone, to_undo);
            }
        }
    }

    /// Stopped at any moment, and gone on with by another machine that has fewer slots: what was done is undone, whichever of them
    /// hears of it, and nothing goes forward.
    #[test]
    fn another_machine_undoes_what_one_did(seed: u64, at in 0..20_usize) {
        let mut rng = SmallRng::seed_from_u64(seed);
        let sketches = sketches(&mut rng);
        let plan = plan(&sketches, &mut rng);
        let salt = rng.next_u64();
        let give = |unit: CallUnit, attempt| match outcome(salt, unit.step, unit.part.item().unwrap_or(0), attempt) {
            Ok(value) => done(value),
            Err(code) => StepOutcome::failed(ToolError::new(code, "told to")),
        };
        let mut known: HashSet<(CallUnit, u32)> = HashSet::new();
        let mut machine = RunMachine::new(&plan, CallSlots { compute: 8, waiting: Some(8), elsewhere: None }, &ToolCosts::default());
        let mut open = machine.begin();
        while known.len() < at {
            open.retain(|command| !matches!(command, MachineCommand::Settled(_)));
            if open.is_empty() {
                break;
            }
            let event = match open.swap_remove(rng.random_range(0..open.len())) {
                MachineCommand::Start(unit, attempt) => {
                    if unit.part.undoes() {
                        continue;
                    }
                    known.insert((unit, attempt));
                    RunEvent::Ended { unit, end: Box::new(give(unit, attempt)), left_ms: None }
                }
                MachineCommand::Key(step) => RunEvent::Keyed { step, keys: vec![Vec::new(); machine.items(step)] },
                MachineCommand::Sleep(unit, _) => RunEvent::Woke(unit),
                MachineCommand::WriteEnd => RunEvent::EndWritten,
                MachineCommand::Settled(_) => unreachable!(),
            };
            open.extend(machine.step(event));
        }
        let why = || ToolError::new(ErrorCode::Cancelled, "stopped");
        let began = known.iter().map(|(unit, _)| *unit).collect();
        let slots = CallSlots { compute: 1, waiting: None, elsewhere: None };
        let prior = PriorProcesses { asks: true, began, is_ended: true, ends_with: Some(why()) };
        let meter = UsageMeter::new(plan.budget, None, None);
        let mut machine = RunMachine::new(&plan, slots, &ToolCosts::default()).within(meter, prior);
        let mut open = machine.begin();
        open.extend(machine.step(RunEvent::Stop(why())));
        let mut undone: HashSet<CallUnit> = HashSet::new();
        loop {
            open.retain(|command| !matches!(command, MachineCommand::Settled(_)));
            if open.is_empty() {
                break;
            }
            let event = match open.swap_remove(rng.random_range(0..open.len())) {
                MachineCommand::Start(unit, _) if unit.part.undoes() => {
                    prop_assert!(undone.insert(unit), "undone twice");
                    RunEvent::Ended { unit, end: Box::new(done(0)), left_ms: None }
                }
                MachineCommand::Start(unit, attempt) => {
                    let end = match known.contains(&(unit, attempt)) {
                        true => give(unit, attempt),
                        false => StepOutcome::cancelled(why()),
                    };
                    RunEvent::Ended { unit, end: Box::new(end), left_ms: None }
                }
                MachineCommand::Key(step) => RunEvent::Keyed { step, keys: vec![Vec::new(); machine.items(step)] },
                MachineCommand::Sleep(unit, _) => RunEvent::Woke(unit),
                MachineCommand::WriteEnd => { prop_assert!(false, "it is written"); RunEvent::EndWritten }
                MachineCommand::Settled(_) => unreachable!(),
            };
            open.extend(machine.step(event));
        }
        prop_assert_eq!(machine.conclusion(), Some(RunConclusion::Finished));
        for (unit, attempt) in &known {
            let is_done = give(*unit, *attempt).status == StepStatus::Done;
            let undo = match unit.part {
                CallPart::Item(item) => CallPart::UndoItem(item),
                _ => CallPart::Undo,
            };
            let undo = CallUnit { part: undo, ..*unit };
            if sketches[unit.step].undo && is_done {
                prop_assert!(undone.remove(&undo), "{:?} was not undone: {:?}", unit, sketches);
            }
        }
        prop_assert!(undone.is_empty(), "{:?} was not done", undone);
    }

    /// Stopped at any moment, everything still ends: what runs by itself, all else as cancelled.
    #[test]
    fn a_stopped_run_ends(seed: u64, at in 0..20_usize) {
        let mut rng = SmallRng::seed_from_u64(seed);
        let sketches = sketches(&mut rng);
        let plan = plan(&sketches, &mut rng);
        let salt = rng.next_u64();
        let slots = CallSlots { compute: 3, waiting: Some(2), elsewhere: None };
        let mut machine = RunMachine::new(&plan, slots, &ToolCosts::default());
        let mut open = machine.begin();
        let mut count = 0;
        let mut stopped = false;
        loop {
            if count == at && !stopped {
                stopped = true;
                let why = ToolError::new(ErrorCode::Cancelled, "stopped");
                let more = machine.step(RunEvent::Stop(why));
                prop_assert!(more.iter().all(|command| match command {
                    MachineCommand::Start(unit, _) => unit.part.undoes(),
                    MachineCommand::Settled(_) | MachineCommand::WriteEnd => true,
                    MachineCommand::Key(_) | MachineCommand::Sleep(..) => false,
                }), "{:?}", more);
                open.extend(more);
            }
            open.retain(|command| !matches!(command, MachineCommand::Settled(_)));
            if open.is_empty() {
                break;
            }
            count += 1;
            let event = match open.swap_remove(rng.random_range(0..open.len())) {
                MachineCommand::Start(unit, attempt) => {
                    let end = match outcome(salt, unit.step, 0, attempt) {
                        Ok(value) => done(value),
                        Err(code) => StepOutcome::failed(ToolError::new(code, "told to")),
                    };
                    RunEvent::Ended { unit, end: Box::new(end), left_ms: None }
                }
                MachineCommand::Key(step) => RunEvent::Keyed { step, keys: Vec::new() },
                MachineCommand::Sleep(unit, _) => RunEvent::Woke(unit),
                MachineCommand::WriteEnd => RunEvent::EndWritten,
                MachineCommand::Settled(_) => unreachable!(),
            };
            open.extend(machine.step(event));
        }
        prop_assert_eq!(machine.conclusion(), Some(RunConclusion::Finished));
    }
}
