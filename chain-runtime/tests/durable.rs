//! Runs that outlive their process: suspended for a person, cancelled, gone through again.

use std::path::Path;
use std::sync::Arc;

use chain_runtime::run::{
    ResumeRequest, RunReplayResult, cancel_run, replay_run, resume_recorded_run,
};
use chain_runtime::{ChainResult, ChainStatus, RunOptions};
use journal::{RunState, StateStore};
use registry::{ApprovalAnswer, CallerContext};
use tool_core::{Object, ToolError, Value, json};

use crate::fakes::{World, logged, operator, parse, statuses, steps, test_clock};

/// A world whose runs are written in a folder.
pub(crate) struct Durable {
    world: World,
    pub(crate) state: Arc<StateStore>,
}

impl Durable {
    pub(crate) fn open(folder: &Path) -> Self {
        let state = Arc::new(StateStore::open(folder, test_clock()).unwrap());
        Self {
            world: World::written(Some(Arc::clone(&state))),
            state,
        }
    }

    /// As a later program opens it, whose `any` has another version.
    pub(crate) fn later(folder: &Path) -> Self {
        let state = Arc::new(StateStore::open(folder, test_clock()).unwrap());
        Self {
            world: World::later(Some(Arc::clone(&state))),
            state,
        }
    }

    pub(crate) fn options(&self) -> RunOptions {
        RunOptions {
            threads: 2,
            state: Some(Arc::clone(&self.state)),
            ..RunOptions::default()
        }
    }

    pub(crate) fn run(&self, plan: &str, context: &CallerContext) -> ChainResult {
        let dispatcher = self.asking();
        chain_runtime::execute_plan(
            &parse(plan),
            &dispatcher,
            context,
            &Object::new(),
            self.options(),
        )
        .unwrap_or_else(|problems| panic!("{problems}"))
    }

    /// A dispatcher with somebody to ask.
    pub(crate) fn asking(&self) -> registry::Dispatcher {
        let state = &self.state;
        self.world.dispatcher.with_host(|host| {
            host.ledger = Some(Arc::clone(state) as _);
            host.approvals = Some(Arc::clone(state) as _);
        })
    }

    pub(crate) fn resume(
        &self,
        id: &str,
        context: &CallerContext,
        how: &ResumeRequest,
    ) -> Result<ChainResult, ToolError> {
        resume_recorded_run(
            &self.state,
            id,
            &self.asking(),
            context,
            RunOptions::default(),
            how,
        )
    }

    pub(crate) fn replay(&self, id: &str, threads: usize) -> RunReplayResult {
        let options = RunOptions {
            threads,
            ..RunOptions::default()
        };
        replay_run(&self.state, id, &self.asking(), &operator(), options).unwrap()
    }

    pub(crate) fn state_of(&self, id: &str) -> RunState {
        self.state.run(id).unwrap().state
    }
}

/// Somebody who has to ask.
pub(crate) fn asker() -> CallerContext {
    CallerContext {
        answer: ApprovalAnswer::Ask,
        ..operator()
    }
}

pub(crate) fn outputs(result: &ChainResult) -> String {
    json::to_text(&Value::Object(Arc::new(result.outputs.clone())))
}

pub(crate) fn approval_of(result: &ChainResult, step: &str) -> String {
    let step = result.steps.iter().find(|one| &*one.id == step).unwrap();
    step.end.approval_id.clone().unwrap()
}

pub(crate) fn effects(key: &str) -> String {
    format!(
        "{}outputs: {{text: {{$ref: c.text, default: none}}}}\n",
        steps(&[
            &format!("{{id: a, tool: note, args: {{key: {key}, text: first, number: 4}}}}"),
            &format!(
                "{{id: w, tool: write, args: {{key: {key}, path: out, text: {{$ref: a.text}}}}, compensate: {{tool: write, args: {{key: {key}, path: out, text: undone}}}}}}"
            ),
            &format!("{{id: b, tool: note, args: {{key: {key}, text: beside}}}}"),
            &format!(
                "{{id: c, tool: note, after: [w], args: {{key: {key}, text: {{$ref: w.text}}}}}}"
            ),
        ])
    )
}

/// The same dispatcher under another policy, as after a reload.
fn with_policy(
    dispatcher: &registry::Dispatcher,
    policy: registry::Policy,
) -> registry::Dispatcher {
    let catalogue = Arc::new(dispatcher.catalogue().clone());
    let host = dispatcher.host().clone();
    registry::Dispatcher::new(catalogue, Arc::new(policy), dispatcher.limits(), host)
}

/// Case T3: a plan that is refused is in the audit, and is no run.
#[test]
fn a_refused_plan_leaves_no_run() {
    let folder = tempfile::tempdir().unwrap();
    let durable = Durable::open(folder.path());
    let plan = steps(&[
        "{id: a, tool: note, args: {key: t03-run, text: {$ref: b.text}}}",
        "{id: b, tool: note, args: {key: t03-run, text: {$ref: a.text}}}",
    ]);
    let refused = chain_runtime::execute_plan(
        &parse(&plan),
        &durable.asking(),
        &operator(),
        &Object::new(),
        durable.options(),
    );
    assert!(refused.unwrap_err().to_string().contains("a -> b -> a"));
    assert!(durable.state.runs(None, 9).unwrap().is_empty());
    durable.state.flush().unwrap();
    let records = durable.state.audit_list(None, 9).unwrap();
    let statuses = records.iter().map(|one| one.record.get("status"));
    assert_eq!(
        statuses.collect::<Vec<_>>(),
        [Some(&Value::from("rejected"))]
    );
}

/// Case T16: what does not need the approval is done, the run waits, and after a restart only what is left runs.
#[test]
fn a_run_waits_for_a_person_and_goes_on_in_another_process() {
    let folder = tempfile::tempdir().unwrap();
    let (id, approval) = {
        let durable = Durable::open(folder.path());
        let result = durable.run(&effects("t16"), &asker());
        assert_eq!(
            statuses(&result),
            "a:done w:pending_approval b:done c:not_run"
        );
        assert_eq!(result.status, ChainStatus::Suspended);
        assert_eq!(durable.state_of(&result.chain_id), RunState::Suspended);
        let mut before = logged("t16");
        before.sort();
        assert_eq!(before, ["note beside", "note first"]);
        (result.chain_id.clone(), approval_of(&result, "w"))
    };
    let durable = Durable::open(folder.path());
    let waiting = durable
        .resume(&id, &asker(), &ResumeRequest::default())
        .unwrap();
    assert_eq!(
        waiting.status,
        ChainStatus::Suspended,
        "nobody answered yet"
    );
    assert!(logged("t16").is_empty());
    durable.state.approve(&approval, "terminal").unwrap();
    let result = durable
        .resume(&id[..8], &asker(), &ResumeRequest::default())
        .unwrap();
    assert_eq!(
        (result.status, outputs(&result).as_str()),
        (ChainStatus::Success, r#"{"text":"first"}"#)
    );
    assert_eq!(
        logged("t16"),
        ["write out first", "note first"],
        "only what was left"
    );
    assert_eq!(durable.state_of(&id), RunState::Succeeded);
    let again = durable
        .resume(&id, &asker(), &ResumeRequest::default())
        .unwrap_err();
    assert_eq!(again.reason_str(), Some("run_ended"));
}

/// Case T17: the approval is for that call under that policy; under another one it is void.
#[test]
fn an_approval_does_not_hold_under_another_policy() {
    let folder = tempfile::tempdir().unwrap();
    let durable = Durable::open(folder.path());
    let result = durable.run(&effects("t17"), &asker());
    durable
        .state
        .approve(&approval_of(&result, "w"), "terminal")
        .unwrap();
    let catalogue = durable.world.dispatcher.catalogue();
    let text = "version = 1\n[limits]\ntimeout_ms = 5000\n[[policies]]\nlevel = \"global\"\n  [[policies.rules]]\n  match = { tools = [\"any\"] }\n  decision = \"ask\"\n";
    let (_, policy) = registry::Config::load("mathchain.toml", text, catalogue).unwrap();
    let dispatcher = with_policy(&durable.asking(), policy);
    let result = resume_recorded_run(
        &durable.state,
        &result.chain_id,
        &dispatcher,
        &asker(),
        RunOptions::default(),
        &ResumeRequest::default(),
    )
    .unwrap();
    assert_eq!(
        statuses(&result),
        "a:done w:pending_approval b:done c:not_run"
    );
    logged("t17");
}

/// Case T18: a declined step is denied, what depends on it is skipped, what was done is undone in reverse.
#[test]
fn a_declined_step_ends_the_chain() {
    let folder = tempfile::tempdir().unwrap();
    let durable = Durable::open(folder.path());
    let plan = steps(&[
        "{id: one, tool: any, args: {value: 1}, compensate: {tool: note, args: {key: t18, text: undo one}}}",
        "{id: two, tool: any, args: {value: 2}, compensate: {tool: note, args: {key: t18, text: undo two}}}",
        "{id: w, tool: write, on_error: skip_dependents, args: {key: t18, path: out}}",
        "{id: after, tool: any, args: {value: {$ref: w.text}}}",
    ]);
    let result = durable.run(&plan, &asker());
    assert_eq!(result.status, ChainStatus::Suspended);
    durable
        .state
        .decline(&approval_of(&result, "w"), "terminal")
        .unwrap();
    let result = durable
        .resume(&result.chain_id, &asker(), &ResumeRequest::default())
        .unwrap();
    assert_eq!(
        statuses(&result),
        "one:done two:done w:denied after:skipped(w)"
    );
    assert_eq!(logged("t18"), ["note undo two", "note undo one"]);
    assert_eq!(durable.state_of(&result.chain_id), RunState::Failed);
}

/// An approval is for what its arguments open, and for its own run: another content, or another run of the same plan, asks anew.
#[test]
fn an_approval_is_for_the_content_of_files_and_for_one_run() {
    let folder = tempfile::tempdir().unwrap();
    let durable = Durable::open(folder.path());
    let first = durable.run(&effects("t17-run"), &asker());
    let second = durable.run(&effects("t17-run"), &asker());
    let (one, other) = (approval_of(&first, "w"), approval_of(&second, "w"));
    assert_ne!(one, other);
    durable.state.decline(&one, "terminal").unwrap();
    durable.state.approve(&other, "terminal").unwrap();
    let resumed = |id: &str| {
        durable
            .resume(id, &asker(), &ResumeRequest::default())
            .unwrap()
    };
    assert_eq!(resumed(&second.chain_id).status, ChainStatus::Success);
    assert_eq!(resumed(&first.chain_id).status, ChainStatus::Failed);
    logged("t17-run");
    let listed = durable.state.approvals(None, true, 9).unwrap();
    let listed = listed.iter().find(|approval| approval.id == one).unwrap();
    assert_eq!(listed.run.as_deref(), Some(&*first.chain_id));
    assert_eq!(listed.step.as_deref(), Some("w"));
}

/// Every element that was done is undone, the last one first, also where the map failed half-way.
#[test]
fn elements_of_a_map_that_failed_are_undone_one_by_one() {
    let folder = tempfile::tempdir().unwrap();
    let durable = Durable::open(folder.path());
    let plan = steps(&[
        "{id: a, tool: any, args: {value: [p, q, 7, r]}}",
        "{id: m, tool: write, map: {over: {$ref: a.result}, concurrency: 1}, args: {key: undo-map, path: out, text: {$ref: item}}, compensate: {tool: note, args: {key: undo-map, text: {$ref: m.text}, number: {$ref: index}}}}",
    ]);
    let result = durable.run(&plan, &operator());
    assert_eq!(result.status, ChainStatus::Failed);
    let undone: Vec<&str> = result.undone.iter().map(|one| &*one.step).collect();
    assert_eq!(undone, ["m[1]", "m[0]"]);
    assert_eq!(
        logged("undo-map"),
        ["write out p", "write out q", "note q", "note p"]
    );
}

/// A run whose plan the policy no longer allows can be ended all the same.
#[test]
fn a_run_that_may_not_go_on_can_be_cancelled() {
    let folder = tempfile::tempdir().unwrap();
    let durable = Durable::open(folder.path());
    let text = "version = 1\n[[policies]]\nlevel = \"global\"\ndeny = [\"write\"]\n";
    let catalogue = durable.world.dispatcher.catalogue();
    let (_, policy) = registry::Config::load("mathchain.toml", text, catalogue).unwrap();
    let dispatcher = with_policy(&durable.asking(), policy);
    // With several problems and with one.
    let one = steps(&["{id: w, tool: write, args: {key: forbidden, path: out}}"]);
    for plan in [effects("forbidden"), one] {
        let result = durable.run(&plan, &asker());
        let id = &result.chain_id;
        let cancelled = cancel_run(&durable.state, id, &dispatcher, &asker()).unwrap();
        assert!(cancelled.result.is_err(), "{cancelled:?}");
        assert_eq!(durable.state_of(id), RunState::Cancelled);
    }
    logged("forbidden");
}

#[test]
fn a_run_that_waits_can_be_cancelled_and_is_undone() {
    let folder = tempfile::tempdir().unwrap();
    let durable = Durable::open(folder.path());
    let plan = steps(&[
        "{id: one, tool: any, args: {value: 1}, compensate: {tool: note, args: {key: cancel, text: undo}}}",
        "{id: w, tool: write, args: {key: cancel, path: out}}",
    ]);
    let result = durable.run(&plan, &asker());
    let cancelled = cancel_run(
        &durable.state,
        &result.chain_id,
        &durable.asking(),
        &asker(),
    );
    let cancelled = cancelled.unwrap().result.unwrap();
    assert_eq!(statuses(&cancelled), "one:done w:cancelled");
    assert_eq!(logged("cancel"), ["note undo"]);
    assert_eq!(durable.state_of(&result.chain_id), RunState::Cancelled);
    assert_eq!(
        cancel_run(
            &durable.state,
            &result.chain_id,
            &durable.asking(),
            &asker()
        )
        .unwrap_err()
        .reason_str(),
        Some("run_ended")
    );
}

#[test]
fn a_run_is_that_of_its_role() {
    let folder = tempfile::tempdir().unwrap();
    let durable = Durable::open(folder.path());
    let result = durable.run(&effects("role"), &asker());
    let other = CallerContext {
        who: registry::Principal::role("worker_general"),
        ..asker()
    };
    let err = durable
        .resume(&result.chain_id, &other, &ResumeRequest::default())
        .unwrap_err();
    assert_eq!(err.reason_str(), Some("role"));
    logged("role");
}

/// Case T27: what is computed again and is not the same is shown with both values; what came from the world is taken as it was.
#[test]
fn a_replay_computes_and_compares() {
    let folder = tempfile::tempdir().unwrap();
    let durable = Durable::open(folder.path());
    let plan = steps(&[
        "{id: r, tool: random, args: {count: 3}}",
        "{id: m, tool: random, map: {over: [1, 2]}, args: {count: 2}}",
        "{id: f, tool: flaky, args: {key: t27, fails: 0}}",
        "{id: n, tool: any, args: {value: {$ref: f.text}}}",
    ]);
    let result = durable.run(&plan, &operator());
    assert_eq!(result.status, ChainStatus::Success);
    logged("t27");
    let replayed = durable.replay(&result.chain_id, 0);
    assert!(
        replayed.compared.divergences.is_empty(),
        "{:?}",
        replayed.compared
    );
    assert_eq!((replayed.compared.same, replayed.compared.taken), (4, 1));
    assert_eq!(replayed.result_same, Some(true));
    assert!(replayed.differs.is_empty());
    assert!(logged("t27").is_empty(), "the world was not asked again");

    // A tool that gives another value now: here one that counts its calls and says it is a function.
    let lying = steps(&[
        "{id: c, tool: counting, args: {key: count}}",
        "{id: n, tool: any, args: {value: {$ref: c.count}}}",
    ]);
    let result = durable.run(&lying, &operator());
    let replayed = durable.replay(&result.chain_id, 0);
    let first = &replayed.compared.divergences[0];
    assert_eq!(first.call, "c");
    assert_eq!(
        (json::to_text(&first.recorded), json::to_text(&first.found)),
        (r#"{"count":0}"#.to_owned(), r#"{"count":1}"#.to_owned())
    );
    assert_eq!(replayed.result_same, Some(false));
}

/// Case R58: gone through again, a recorded plan gives the same bytes and the same waves, for any number of threads.
#[test]
fn a_replay_gives_the_same_bytes_for_any_number_of_threads() {
    let folder = tempfile::tempdir().unwrap();
    let durable = Durable::open(folder.path());
    let plan = steps(&[
        "{id: a, tool: random, args: {count: 9}}",
        "{id: m, tool: random, map: {over: [1, 2, 3, 4, 5, 6]}, args: {count: 4}}",
        "{id: b, tool: any, args: {value: {$ref: \"m[*].values\"}}}",
        "{id: c, tool: any, args: {value: [{$ref: a.values}, {$ref: b.result}]}}",
    ]);
    let result = durable.run(&plan, &operator());
    for threads in [1, 2, 3, 8, 32] {
        let replayed = durable.replay(&result.chain_id, threads);
        assert_eq!(replayed.compared.same, 9, "{threads}");
        assert_eq!(replayed.result_same, Some(true), "{threads}");
    }
}

/// What took long and is a function of its arguments is not computed again by a later run; who says so computes all.
#[test]
fn results_are_kept_for_later_runs() {
    let folder = tempfile::tempdir().unwrap();
    let plan = |text: &str| {
        steps(&[
            &format!("{{id: slow, tool: note, args: {{key: kept, text: {text}, sleep_ms: 20}}}}"),
            "{id: quick, tool: note, args: {key: kept, text: quick}}",
        ])
    };
    let durable = Durable::open(folder.path());
    let first = durable.run(&plan("x"), &operator());
    assert_eq!(logged("kept").len(), 2);
    let durable = Durable::open(folder.path());
    let second = durable.run(&plan("x"), &operator());
    assert_eq!(logged("kept"), ["note quick"]);
    assert_eq!(first.deterministic(), second.deterministic());
    assert_eq!(
        second.steps[0].end.metadata.get("cached"),
        Some(&Value::Bool(true))
    );
    durable.run(&plan("y"), &operator());
    assert_eq!(logged("kept").len(), 2);
    let options = RunOptions {
        no_cache: true,
        ..durable.options()
    };
    chain_runtime::execute_plan(
        &parse(&plan("x")),
        &durable.asking(),
        &operator(),
        &Object::new(),
        options,
    )
    .unwrap();
    assert_eq!(logged("kept").len(), 2);
}

/// A large array in the answer is the handle of an artifact with a summary; the library has the array itself.
#[test]
fn large_answers_are_handles() {
    let folder = tempfile::tempdir().unwrap();
    let durable = Durable::open(folder.path());
    let plan = steps(&[
        "{id: b, tool: block, args: {count: 9000, value: 2.5}}",
        "{id: s, tool: block, args: {count: 3, value: 1}}",
    ]) + "outputs: {big: {$ref: b.data}, small: {$ref: s.data}, both: [{$ref: b.data}, 1]}\n";
    let result = durable.run(&plan, &operator());
    assert_eq!(
        result
            .outputs
            .get("big")
            .unwrap()
            .as_numbers()
            .unwrap()
            .len(),
        9000
    );
    let shown = result.to_value();
    let big = shown.pointer("/outputs/big").unwrap();
    assert_eq!(
        big.pointer("/shape/0").and_then(|value| value.as_i64()),
        Some(9000)
    );
    assert_eq!(
        big.pointer("/summary/max").and_then(|value| value.as_f64()),
        Some(2.5)
    );
    assert_eq!(shown.pointer("/outputs/both/0"), Some(big.clone()));
    assert_eq!(
        json::to_text(&shown.pointer("/outputs/small").unwrap()),
        "[1.0,1.0,1.0]"
    );
    let name = big.get("$artifact").and_then(Value::as_str).unwrap();
    assert_eq!(
        durable
            .state
            .artifact_named(name)
            .unwrap()
            .handle
            .hash
            .to_string(),
        name
    );
}

/// A plan within a plan waits with its step, and goes on with it, without doing anything twice.
#[test]
fn a_plan_within_a_plan_waits_and_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let durable = Durable::open(folder.path());
    let plan = steps(&[
        "{id: sub, tool: chain_run, args: {plan: {$lit: {version: 1, steps: [{id: a, tool: note, args: {key: inner, text: once}}, {id: w, tool: write, args: {key: inner, path: out, text: {$ref: a.text}}}], outputs: {t: {$ref: w.text}}}}}}",
        "{id: n, tool: any, args: {value: {$ref: sub.outputs}}}",
    ]) + "outputs: {n: {$ref: n.result}}\n";
    let result = durable.run(&plan, &asker());
    assert_eq!(
        statuses(&result),
        "sub:pending_approval n:not_run",
        "{:?}",
        result.error
    );
    assert_eq!(logged("inner"), ["note once"]);
    let waiting = durable.state.approvals(None, false, 9).unwrap();
    durable.state.approve(&waiting[0].id, "terminal").unwrap();
    let result = durable
        .resume(&result.chain_id, &asker(), &ResumeRequest::default())
        .unwrap();
    assert_eq!(
        outputs(&result),
        r#"{"n":{"t":"once"}}"#,
        "{:?}",
        result.error
    );
    assert_eq!(logged("inner"), ["write out once"]);
    assert_eq!(durable.state.runs(None, 9).unwrap().len(), 2);
}
