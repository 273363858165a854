//! The limit of calls where maps go over lists that are known only when they come; of 10,000 here, so that tests reach it.

use std::collections::BTreeSet;
use std::time::Instant;

use chain_runtime::{ChainResult, RunOptions};
use tool_core::{ErrorCode, Object, Value, json};

use crate::fakes::{World, logged, parse, statuses, steps};

/// A list that comes late, a map over it, and so on; the first lists come last, so that the first maps know theirs when the others
/// would have begun.
fn plan(key: &str, lengths: &[usize]) -> String {
    let mut lines = Vec::new();
    for (number, length) in lengths.iter().enumerate() {
        let list = json::to_text(&Value::vector(vec![0.0; *length]));
        let sleep_ms = 5 * (lengths.len() - number);
        lines.push(format!(
            "{{id: l{number}, tool: any, args: {{value: {list}}}}}"
        ));
        lines.push(format!(
            "{{id: n{number}, tool: note, args: {{key: {key}nap, text: nap, sleep_ms: {sleep_ms}}}}}"
        ));
        lines.push(format!(
            "{{id: m{number}, tool: note, after: [n{number}], map: {{over: {{$ref: l{number}.result}}}}, args: {{key: {key}, text: m{number}}}}}"
        ));
    }
    lines.push(format!(
        "{{id: last, tool: note, args: {{key: {key}, text: last}}}}"
    ));
    steps(&lines.iter().map(String::as_str).collect::<Vec<_>>())
}

fn run(plan: &str, threads: usize) -> ChainResult {
    let options = RunOptions {
        threads,
        calls_max: Some(10_000),
        ..RunOptions::default()
    };
    World::new()
        .run_with(&parse(plan), &Object::new(), options)
        .unwrap_or_else(|problems| panic!("{problems}"))
}

/// How many calls were made for each map.
fn calls(key: &str, maps: usize) -> Vec<usize> {
    logged(&format!("{key}nap"));
    let lines = logged(key);
    let of = |number: usize| {
        let line = format!("note m{number}");
        lines.iter().filter(|&one| *one == line).count()
    };
    (0..maps).map(of).collect()
}

#[test]
fn the_map_that_exceeds_the_limit_is_the_same_however_it_runs() {
    let lengths = [900, 0, 4_500, 6_000, 9_000, 3];
    let key = "room_exceeded";
    let mut statuses_seen = BTreeSet::new();
    for head in ["", "mode: seq\n", "barrier: true\n"] {
        let plan = format!("{head}{}", plan(key, &lengths));
        let mut answers = BTreeSet::new();
        for threads in [1, 2, 8] {
            let result = run(&plan, threads);
            let made = calls(key, lengths.len());
            assert_eq!(made, [900, 0, 4_500, 0, 0, 0], "{head}{threads}");
            let failed = result.failed_step.map(|step| &*result.steps[step].id);
            let error = result.error.as_ref().unwrap();
            assert_eq!(failed, Some("m3"), "{head}{threads}: {error}");
            assert_eq!(error.code(), ErrorCode::LimitExceeded);
            assert_eq!(error.reason_str(), Some("map"));
            // 13 steps that are no map, and 900 + 4,500 + 6,000 elements.
            assert!(error.to_string().contains("11413"), "{error}");
            answers.insert(json::to_text(&result.deterministic()));
            statuses_seen.insert(statuses(&result));
        }
        assert_eq!(answers.len(), 1, "{head}: {answers:?}");
    }
    assert_eq!(statuses_seen.len(), 1, "{statuses_seen:?}");
}

#[test]
fn the_limit_is_the_last_that_fits() {
    // Five steps beside the maps, each of which has to wait for the one before.
    for (lengths, fits) in [([4_000, 5_995], true), ([4_000, 5_996], false)] {
        let key = "room_edge";
        let result = run(&plan(key, &lengths), 4);
        let made = if fits { lengths } else { [4_000, 0] };
        assert_eq!(calls(key, 2), made, "{}", statuses(&result));
        assert_eq!(result.is_success(), fits, "{:?}", result.error);
    }
}

/// A map that did not run leaves its room to those after it.
#[test]
fn what_does_not_run_takes_no_room() {
    let key = "room_unmet";
    let list = json::to_text(&Value::vector(vec![0.0; 9_000]));
    let map = |id: &str, more: &str| {
        format!(
            "{{id: {id}, tool: note, {more}map: {{over: {{$ref: l.result}}}}, args: {{key: {key}, text: {id}}}}}"
        )
    };
    let result = run(
        &steps(&[
            &format!("{{id: l, tool: any, args: {{value: {list}}}}}"),
            &format!("{{id: nap, tool: note, args: {{key: {key}nap, text: nap, sleep_ms: 30}}}}"),
            &map("m0", "when: 'nap.text == \"other\"', "),
            &map("m1", ""),
        ]),
        4,
    );
    assert_eq!(calls(key, 2), [0, 9_000], "{}", statuses(&result));
    assert_eq!(statuses(&result), "l:done nap:done m0:skipped m1:done");
}

/// Maps that fit whatever the lists before them turn out to be need not wait: here the list of the first one comes when the second
/// has begun.
#[test]
fn small_maps_do_not_wait_for_the_lists_of_others() {
    let key = "room_small";
    let plan = steps(&[
        &format!("{{id: a, tool: meet, args: {{key: {key}, all: 2}}}}"),
        "{id: l, tool: any, args: {value: [0, 0]}}",
        &format!(
            "{{id: m0, tool: note, after: [a], map: {{over: {{$ref: l.result}}, max: 100}}, args: {{key: {key}n, text: m0}}}}"
        ),
        "{id: k, tool: any, args: {value: [0]}}",
        &format!(
            "{{id: m1, tool: meet, map: {{over: {{$ref: k.result}}, max: 100}}, args: {{key: {key}, all: 2}}}}"
        ),
    ]);
    let result = run(&format!("{plan}outputs: {{met: {{$ref: a.met}}}}\n"), 4);
    let made = (logged(key).len(), logged(&format!("{key}n")).len());
    assert_eq!(
        result.outputs.get("met").unwrap().to_string(),
        "true",
        "{}",
        statuses(&result)
    );
    assert_eq!(made, (2, 2));
    assert!(result.is_success());
}

/// Where the run is stopped, maps that wait do not keep it.
#[test]
fn a_run_that_is_stopped_ends_with_maps_that_wait() {
    let key = "room_stopped";
    let started = Instant::now();
    let options = RunOptions {
        timeout_ms: Some(200),
        threads: 4,
        ..RunOptions::default()
    };
    let list = json::to_text(&Value::vector(vec![0.0; 9_000]));
    let plan = steps(&[
        &format!("{{id: nap, tool: note, args: {{key: {key}, text: nap, sleep_ms: 60000}}}}"),
        &format!("{{id: l, tool: any, args: {{value: {list}}}}}"),
        &format!(
            "{{id: m0, tool: note, after: [nap], map: {{over: {{$ref: l.result}}}}, args: {{key: {key}, text: m0}}}}"
        ),
        &format!(
            "{{id: m1, tool: note, map: {{over: {{$ref: l.result}}}}, args: {{key: {key}, text: m1}}}}"
        ),
    ]);
    let result = World::new()
        .run_with(&parse(&plan), &Object::new(), options)
        .unwrap_or_else(|problems| panic!("{problems}"));
    assert!(logged(key).is_empty());
    assert_eq!(result.status.as_str(), "cancelled", "{}", statuses(&result));
    assert!(started.elapsed().as_secs() < 30, "it waited for the nap");
}
