//! Runs that are part of other runs: they go on, are cancelled and count with these, and a call that began one goes on with it.

use chain_runtime::run::{OutcomeRuling, ResumeRequest, cancel_run, root_run};
use chain_runtime::{ChainStatus, StepStatus};
use journal::RunState;
use registry::CallRequest;
use tool_core::capability::RecordDurability;
use tool_core::{CallOutcome, OutcomeStatus, RandomSeed, StopFlag, Value, json};

use crate::durable::{Durable, approval_of, asker, outputs};
use crate::fakes::{logged, parse, statuses, steps};

/// A plan whose inner one waits for a person before the second of its writes; `KEY` names the log.
fn plan(key: &str, budget: &str) -> String {
    let inner = "{$lit: {version: 1, outputs: {done: {$ref: two.text}}, steps: [\
        {id: one, tool: any, args: {value: 1}, compensate: {tool: note, args: {key: KEY, text: undo-one}}}, \
        {id: two, tool: write, args: {key: KEY, path: out/two, text: two}}, \
        {id: three, tool: note, after: [two], args: {key: KEY, text: three}}]}}";
    let inner = inner.replace("KEY", key);
    let outer = steps(&[
        &format!(
            "{{id: first, tool: any, args: {{value: 1}}, compensate: {{tool: note, args: {{key: {key}, text: undo-first}}}}}}"
        ),
        &format!("{{id: sub, tool: chain_run, after: [first], args: {{plan: {inner}}}}}"),
    ]);
    format!("{budget}{outer}outputs: {{done: {{$ref: sub.outputs.done}}}}\n")
}

fn child_of(durable: &Durable, id: &str) -> String {
    let within = durable.state.runs_within(id).unwrap();
    assert_eq!(within.len(), 1);
    within[0].id.clone()
}

#[test]
fn a_run_within_another_goes_on_with_it_alone() {
    let folder = tempfile::tempdir().unwrap();
    let durable = Durable::open(folder.path());
    let waits = durable.run(&plan("inner-alone", ""), &asker());
    assert_eq!(waits.status, ChainStatus::Suspended);
    // The step waits for what its plan waits for.
    let approval = approval_of(&waits, "sub");
    assert_eq!(waits.approvals(), [&*approval]);
    let child = child_of(&durable, &waits.chain_id);
    let outer = |id: &str| {
        let found = durable.state.run_named(id).unwrap().unwrap();
        let outer = root_run(&durable.state, &found).unwrap();
        outer.map(|outer| outer.id)
    };
    assert_eq!(outer(&child), Some(waits.chain_id.clone()));
    assert_eq!(outer(&waits.chain_id), None);
    durable.state.approve(&approval, "terminal").unwrap();
    let refused = durable.resume(&child, &asker(), &ResumeRequest::default());
    let refused = refused.unwrap_err();
    assert_eq!(refused.reason_str(), Some("run_within"));
    assert!(
        refused.hint_str().unwrap().contains(&waits.chain_id),
        "{refused}"
    );
    let ended = durable
        .resume(&waits.chain_id, &asker(), &ResumeRequest::default())
        .unwrap();
    assert_eq!(outputs(&ended), r#"{"done":"two"}"#);
    assert_eq!(logged("inner-alone"), ["write out/two two", "note three"]);
    assert_eq!(durable.state_of(&child), RunState::Succeeded);
}

/// A name that looks like that of a run within is a name.
#[test]
fn a_run_with_a_name_of_its_own_goes_on_alone() {
    let folder = tempfile::tempdir().unwrap();
    let durable = Durable::open(folder.path());
    let plan = steps(&["{id: w, tool: write, args: {key: inner-named, path: out/w}}"]);
    for name in ["build", "build-20261123"] {
        let options = chain_runtime::RunOptions {
            chain_id: Some(name.to_owned()),
            ..durable.options()
        };
        let dispatcher = durable.asking();
        let none = tool_core::Object::new();
        let waits =
            chain_runtime::execute_plan(&parse(&plan), &dispatcher, &asker(), &none, options);
        let approval = approval_of(&waits.unwrap(), "w");
        durable.state.approve(&approval, "terminal").unwrap();
    }
    let ended = durable.resume("build-20261123", &asker(), &ResumeRequest::default());
    assert_eq!(ended.unwrap().status, ChainStatus::Success);
    logged("inner-named");
}

#[test]
fn what_is_within_counts_for_the_budget_around_it_also_when_it_goes_on() {
    // The plan within is known when it runs: no check could have counted its calls.
    let within = "version: 1\\nsteps:\\n  - {id: w, tool: write, args: {key: inner-budget, path: out/w}}\\n  - {id: n, tool: note, after: [w], args: {key: inner-budget, text: n}}\\n";
    for (most, ends_well) in [(4, true), (3, false)] {
        let folder = tempfile::tempdir().unwrap();
        let durable = Durable::open(folder.path());
        let steps = steps(&[
            &format!("{{id: text, tool: any, args: {{value: \"{within}\"}}}}"),
            "{id: sub, tool: chain_run, args: {plan: {$ref: text.result}}}",
        ]);
        let waits = durable.run(&format!("budget: {{steps: {most}}}\n{steps}"), &asker());
        assert_eq!(waits.status, ChainStatus::Suspended, "{:?}", waits.error);
        durable
            .state
            .approve(&approval_of(&waits, "sub"), "terminal")
            .unwrap();
        let ended = durable
            .resume(&waits.chain_id, &asker(), &ResumeRequest::default())
            .unwrap();
        let all = ["write out/w ", "note n"];
        let made = if ends_well { &all[..] } else { &all[..1] };
        assert_eq!(logged("inner-budget"), made, "{most}");
        assert_eq!(
            ended.status == ChainStatus::Success,
            ends_well,
            "{:?}",
            ended.error
        );
    }
}

#[test]
fn a_cancelled_run_takes_those_within_it_along() {
    let folder = tempfile::tempdir().unwrap();
    let durable = Durable::open(folder.path());
    let waits = durable.run(&plan("inner-cancel", ""), &asker());
    let child = child_of(&durable, &waits.chain_id);
    let cancel = |id: &str| cancel_run(&durable.state, id, &durable.asking(), &asker());
    assert_eq!(cancel(&child).unwrap_err().reason_str(), Some("run_within"));
    let cancelled = cancel(&waits.chain_id).unwrap();
    assert_eq!(cancelled.within.len(), 1);
    assert_eq!(cancelled.within[0].run, child);
    let own = cancelled.result.unwrap();
    assert_eq!(statuses(&own), "first:done sub:cancelled");
    // The last first.
    assert_eq!(logged("inner-cancel"), ["note undo-one", "note undo-first"]);
    for id in [&child, &waits.chain_id] {
        assert_eq!(durable.state_of(id), RunState::Cancelled);
        let approval = approval_of(&waits, "sub");
        let _ = durable.state.approve(&approval, "terminal");
        let refused = durable.resume(id, &asker(), &ResumeRequest::default());
        assert!(refused.is_err(), "{id}");
    }
    assert!(logged("inner-cancel").is_empty());
}

/// What a person says of a call in a run within reaches it through the run root_run it.
#[test]
fn decisions_reach_runs_within() {
    let folder = tempfile::tempdir().unwrap();
    let durable = Durable::open(folder.path());
    let file = folder.path().join("effects.txt");
    let inner = format!(
        "{{$lit: {{version: 1, outputs: {{t: {{$ref: two.text}}}}, steps: [{{id: two, tool: append, args: {{path: {}, text: two}}}}]}}}}",
        file.display()
    );
    let plan = steps(&[&format!(
        "{{id: sub, tool: chain_run, args: {{plan: {inner}}}}}"
    )]);
    let plan = format!("{plan}outputs: {{t: {{$ref: sub.outputs.t}}}}\n");
    let waits = durable.run(&plan, &asker());
    let child = child_of(&durable, &waits.chain_id);
    // As a process leaves it that dies in the call.
    let (journal, _) = durable.state.take_run(&child).unwrap();
    let intent = Value::object([
        ("kind", "intent"),
        ("call_id", "0123456789abcdef"),
        ("step", "two"),
        ("tool", "append"),
    ]);
    journal.write(&intent, RecordDurability::Synced).unwrap();
    journal.finish(RunState::NeedsDecision).unwrap();
    drop(journal);
    let go_on = |how: &ResumeRequest| durable.resume(&waits.chain_id, &asker(), how).unwrap();
    let open = go_on(&ResumeRequest::default());
    assert_eq!(open.status, ChainStatus::NeedsDecision, "{:?}", open.error);
    assert_eq!(open.steps[0].end.status, StepStatus::Unknown);
    let done = Value::object([("text", "two")]);
    let decisions = vec![("two".to_owned(), OutcomeRuling::Done(done))];
    let ended = go_on(&ResumeRequest {
        within: [(child.clone(), decisions)].into(),
        ..ResumeRequest::default()
    });
    assert_eq!(outputs(&ended), r#"{"t":"two"}"#, "{:?}", ended.error);
    assert!(!file.exists(), "it was not made again");
    assert_eq!(durable.state_of(&child), RunState::Succeeded);
}

fn call(durable: &Durable, plan: &str, inputs: &str) -> CallOutcome {
    let inputs = json::parse_json(inputs, json::JsonLimits::default()).unwrap();
    durable.asking().call(CallRequest {
        tool: "chain_run".to_owned(),
        args: Value::object([
            ("plan", Value::from(format!("version: 1\n{plan}"))),
            ("inputs", inputs),
        ]),
        context: asker(),
        seed: RandomSeed::new(1),
        timeout_ms: None,
        stop: StopFlag::new(),
        progress: None,
        client: None,
        remote: None,
    })
}

fn waits_for(outcome: &CallOutcome) -> String {
    match &outcome.status {
        OutcomeStatus::PendingApproval {
            approval_id,
            so_far,
        } => {
            let approvals = so_far.get("approvals").and_then(Value::items).unwrap();
            assert_eq!(approvals, [Value::from(approval_id.as_str())]);
            approval_id.clone()
        }
        other => panic!("{other:?}"),
    }
}

/// A call of a plan waits as any call does, and the same call goes on when a person has answered.
#[test]
fn the_same_call_of_a_plan_goes_on_with_what_it_began() {
    let folder = tempfile::tempdir().unwrap();
    let plan = format!(
        "{}inputs: {{text: {{type: string}}}}\noutputs: {{b: {{$ref: b.text}}}}\n",
        steps(&[
            "{id: a, tool: note, args: {key: same-call, text: a}}",
            "{id: b, tool: write, after: [a], args: {key: same-call, path: out/b, text: {$ref: inputs.text}}}",
        ])
    );
    let one = r#"{"text": "one"}"#;
    let first = waits_for(&call(&Durable::open(folder.path()), &plan, one));
    // In another process, unanswered: the same question. With other inputs it is another call.
    let durable = Durable::open(folder.path());
    assert_eq!(waits_for(&call(&durable, &plan, one)), first);
    let other = waits_for(&call(&durable, &plan, r#"{"text": "two"}"#));
    assert_ne!(other, first);
    durable.state.approve(&first, "terminal").unwrap();
    let ended = call(&durable, &plan, one);
    let output = ended.output().unwrap_or_else(|| panic!("{ended:?}"));
    assert_eq!(
        output.pointer("/outputs/b"),
        Some(Value::from("one")),
        "{output}"
    );
    assert_eq!(
        logged("same-call"),
        ["note a", "note a", "write out/b one"],
        "nothing is repeated"
    );
    // It has ended: the next one is a new one.
    assert_ne!(waits_for(&call(&durable, &plan, one)), first);
    logged("same-call");
}

/// What a plan that fails answers with is bounded, and so are the diagnostics beside it.
#[test]
fn a_failing_plan_answers_with_a_summary() {
    let folder = tempfile::tempdir().unwrap();
    let durable = Durable::open(folder.path());
    let many: Vec<String> = (0..500)
        .map(|n| format!("{{id: s{n}, tool: any, args: {{value: {n}}}}}"))
        .chain(["{id: bad, tool: flaky, args: {key: many, fails: 99}}".to_owned()])
        .collect();
    let lines: Vec<&str> = many.iter().map(String::as_str).collect();
    let outcome = call(&durable, &steps(&lines), "{}");
    let envelope = outcome.to_value();
    let evidence = envelope.pointer("/error/evidence").unwrap();
    assert_eq!(evidence.pointer("/steps/done"), Some(Value::Int(500)));
    assert_eq!(
        evidence.pointer("/failed_step/id"),
        Some(Value::from("bad"))
    );
    assert!(evidence.to_string().len() < 4000, "{evidence}");
    let chains = envelope.pointer("/metadata/tool_chains/0").unwrap();
    let calls = chains.get("calls").and_then(Value::items).unwrap();
    assert_eq!(calls.len(), 100, "{chains}");
}
