//! Waves, conflicts, modes: what runs before what.

use chain_runtime::{Mode, RunOptions};
use tool_core::{Object, Value};

use crate::fakes::{World, logged, parse, steps};

fn waves(lines: &[&str]) -> String {
    World::new().waves(&format!("parallel_mutations: true\n{}", steps(lines)))
}

#[test]
fn waves_hold() {
    let note = |id: &str, on: &str| match on {
        "" => format!("{{id: {id}, tool: note, args: {{key: k, text: x}}}}"),
        on => format!("{{id: {id}, tool: note, args: {{key: k, text: {{$ref: {on}.text}}}}}}"),
    };
    let cases: [(&[(&str, &str)], &str); 5] = [
        (&[("a", ""), ("b", "")], "a b"),
        (&[("a", ""), ("b", "a"), ("c", "")], "a c|b"),
        (&[("a", ""), ("b", "a"), ("c", "b")], "a|b|c"),
        (&[("a", "")], "a"),
        (&[("a", ""), ("b", "a"), ("c", "a")], "a|b c"),
    ];
    for (plan, expected) in cases {
        let lines: Vec<String> = plan.iter().map(|(id, on)| note(id, on)).collect();
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        assert_eq!(waves(&lines), expected);
    }
    let diamond = [
        note("a", ""),
        note("b", "a"),
        note("c", "a"),
        "{id: d, tool: note, after: [b, c], args: {key: k, text: x}}".to_owned(),
    ];
    assert_eq!(waves(&diamond.each_ref().map(String::as_str)), "a|b c|d");
}

/// Case T1, the other half: the audit names each call by its place in the plan, whatever ends first.
#[test]
fn the_audit_has_places_of_the_plan() {
    let world = World::new();
    let plan = parse(&steps(&[
        "{id: a, tool: read, args: {key: t01, path: x, sleep_ms: 60}}",
        "{id: b, tool: read, args: {key: t01, path: y}}",
    ]));
    let options = RunOptions {
        threads: 2,
        ..RunOptions::default()
    };
    let result = world.run_with(&plan, &Object::new(), options).unwrap();
    assert_eq!(logged("t01"), ["read y", "read x"], "`b` ended first");
    assert_eq!(
        result.diagnostics.get("mode_used"),
        Some(&Value::from("dep"))
    );
    let records = world.records();
    let calls = records
        .iter()
        .filter(|record| record.get("kind") == Some(&Value::from("call")));
    let mut places: Vec<(String, i64)> = calls
        .map(|call| {
            let step = call.get("step").unwrap().as_str().unwrap();
            let place = call.get("chain_index").unwrap().as_i64().unwrap();
            (step.to_owned(), place)
        })
        .collect();
    places.sort();
    assert_eq!(places, [("a".to_owned(), 0), ("b".to_owned(), 1)]);
}

#[test]
fn conflicts_of_paths() {
    let step = |id: &str, tool: &str, path: &str| {
        format!("{{id: {id}, tool: {tool}, args: {{key: k, path: {path}}}}}")
    };
    let cases: [(&[(&str, &str)], &str); 7] = [
        (&[("write", "out/x"), ("write", "out/x")], "s0|s1"),
        (&[("write", "out/x"), ("read", "out/x")], "s0|s1"),
        (&[("read", "out/x"), ("write", "out/x")], "s0|s1"),
        (&[("read", "out/x"), ("read", "out/x")], "s0 s1"),
        (&[("write", "d/f"), ("read", "d/")], "s0|s1"),
        (&[("write", "d/f"), ("write", "d/g")], "s0 s1"),
        (&[("write", "./d/../e"), ("read", "e")], "s0|s1"),
    ];
    for (plan, expected) in cases {
        let lines: Vec<String> = plan
            .iter()
            .enumerate()
            .map(|(i, (tool, path))| step(&format!("s{i}"), tool, path))
            .collect();
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        assert_eq!(waves(&lines), expected, "{plan:?}");
    }
}

#[test]
fn conflict_edges_name_the_resource() {
    let checked = World::new().checked(&steps(&[
        "{id: w1, tool: write, args: {key: k, path: out/x}}",
        "{id: w2, tool: write, args: {key: k, path: out/x}}",
    ]));
    let explained = checked.explain();
    let edges = explained.get("edges").unwrap().items().unwrap();
    assert!(
        edges.iter().any(|edge| {
            edge.get("from") == Some(&Value::from("w1"))
                && edge.get("to") == Some(&Value::from("w2"))
                && edge.get("reason") == Some(&Value::from("conflict"))
                && edge.get("detail") == Some(&Value::from("path:out/x"))
        }),
        "{explained}"
    );
    let text = checked.explain_text();
    assert!(text.contains("after w1: conflict path:out/x"), "{text}");
}

#[test]
fn mutations_are_ordered_unless_the_plan_lets_them_run_together() {
    let plan = steps(&[
        "{id: a, tool: write, args: {key: k, path: a}}",
        "{id: n, tool: note, args: {key: k, text: x}}",
        "{id: b, tool: write, args: {key: k, path: b}}",
    ]);
    let world = World::new();
    assert_eq!(world.waves(&plan), "a n|b");
    assert_eq!(
        world.waves(&format!("parallel_mutations: true\n{plan}")),
        "a n b"
    );
}

#[test]
fn files_of_arguments_are_read_keys() {
    assert_eq!(
        waves(&[
            "{id: w, tool: write, args: {key: k, path: data/x.csv}}",
            "{id: s, tool: sum, args: {data: {$file: data/x.csv}}}",
            "{id: t, tool: sum, args: {data: {$file: data/y.csv}}}",
        ]),
        "w t|s"
    );
    // A file that a step names may be any: it is read after the writes before it.
    assert_eq!(
        waves(&[
            "{id: n, tool: note, args: {key: k, text: data/x.csv}}",
            "{id: w, tool: write, args: {key: k, path: data/x.csv}}",
            "{id: s, tool: sum, args: {data: {$file: {$ref: n.text}}}}",
            "{id: v, tool: write, args: {key: k, path: other}}",
        ]),
        "n w|s|v"
    );
}

#[test]
fn a_path_that_comes_from_a_step() {
    let plan = |tool: &str| {
        steps(&[
            "{id: n, tool: note, args: {key: k, text: somewhere}}",
            "{id: w, tool: write, args: {key: k, path: out/x}}",
            &format!("{{id: p, tool: {tool}, args: {{key: k, path: {{$ref: n.text}}}}}}"),
        ])
    };
    let world = World::new();
    assert_eq!(
        world.waves(&plan("read")),
        "n w|p",
        "a read of an unknown path waits for every write"
    );
    assert_eq!(world.checked(&plan("read")).fallback_reason, None);
    let written = world.checked(&plan("write"));
    assert_eq!(written.mode_used, Mode::Seq);
    assert_eq!(
        written.fallback_reason.as_deref(),
        Some("step `p` names the resource at `/path` only when it runs")
    );
    // Its content may come from anywhere.
    let content = world.checked(&steps(&[
        "{id: n, tool: note, args: {key: k, text: x}}",
        "{id: w, tool: write, args: {key: k, path: out/x, text: {$ref: n.text}}}",
    ]));
    assert_eq!(content.fallback_reason, None);
}

#[test]
fn sequential_by_wish_or_need() {
    let world = World::new();
    let wish = world.checked(&format!(
        "mode: seq\n{}",
        steps(&["{id: a, tool: shell, args: {key: k, text: x}}"])
    ));
    assert_eq!((wish.mode_used, wish.fallback_to_seq()), (Mode::Seq, false));
    let need = world.checked(&steps(&["{id: a, tool: shell, args: {key: k, text: x}}"]));
    assert_eq!(
        (
            need.mode_requested(),
            need.mode_used,
            need.fallback_to_seq()
        ),
        (Mode::Dep, Mode::Seq, true)
    );
    assert_eq!(
        need.fallback_reason.as_deref(),
        Some("step `a` has effects and names no resources")
    );
    assert_eq!(wish.fallback_reason, None);
    let silent = world.checked(&steps(&["{id: a, tool: silent, args: {}}"]));
    assert_eq!(
        silent.fallback_reason.as_deref(),
        Some("step `a` has a tool that declares nothing about itself")
    );
}

/// As many as may run together are under way before the first of them ends.
#[test]
fn what_can_start_does_not_wait_for_what_started() {
    let lines: Vec<String> = (0..8)
        .map(|step| format!("{{id: s{step}, tool: meet, args: {{key: together, all: 8}}}}"))
        .collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let outputs = "outputs: {first: {$ref: s0.met}, last: {$ref: s7.met}}";
    let plan = parse(&format!("{}{outputs}\n", steps(&lines)));
    let options = RunOptions {
        threads: 8,
        ..RunOptions::default()
    };
    let result = World::new().run_with(&plan, &Object::new(), options);
    let outputs = Value::Object(result.unwrap().outputs.into());
    assert_eq!(outputs.to_string(), r#"{"first":true,"last":true}"#);
}

#[test]
fn an_exclusive_step_runs_alone() {
    let plan = steps(&[
        "{id: a, tool: note, args: {key: alone, text: a, sleep_ms: 20}}",
        "{id: b, tool: note, args: {key: alone, text: b}}",
        "{id: x, tool: alone, args: {key: alone, text: x}}",
        "{id: c, tool: note, args: {key: alone, text: c}}",
    ]);
    let world = World::new();
    assert_eq!(world.waves(&plan), "a b|x|c");
    world.run(&plan);
    let lines = logged("alone");
    assert_eq!(lines[2..], ["alone x", "note c"]);
}

#[test]
fn a_dry_run_has_no_effects() {
    let world = World::new();
    let checked = world.checked(&steps(&[
        "{id: w, tool: write, args: {key: r53, path: out/x}}",
        "{id: r, tool: read, args: {key: r53, path: out/x}}",
    ]));
    let explained = checked.explain();
    assert_eq!(
        explained.get("waves").unwrap().to_string(),
        r#"[["w"],["r"]]"#
    );
    let verdicts: Vec<Value> = explained
        .get("steps")
        .unwrap()
        .items()
        .unwrap()
        .iter()
        .map(|step| step.get("verdict").cloned().unwrap())
        .collect();
    assert_eq!(verdicts, [Value::from("ask"), Value::from("allow")]);
    assert!(logged("r53").is_empty());
    assert!(world.records().is_empty());
}

#[test]
fn a_barrier_holds_waves_apart() {
    // Without a barrier `d` may start as soon as `b` has ended; with one it waits for the slow `a`.
    let plan = steps(&[
        "{id: a, tool: note, args: {key: KEY, text: a, sleep_ms: 400}}",
        "{id: b, tool: note, args: {key: KEY, text: b}}",
        "{id: d, tool: note, after: [b], args: {key: KEY, text: d}}",
    ]);
    let run = |barrier: bool| {
        let key = format!("barrier_{barrier}");
        let plan = parse(&format!(
            "barrier: {barrier}\n{}",
            plan.replace("KEY", &key)
        ));
        let options = RunOptions {
            threads: 2,
            ..RunOptions::default()
        };
        World::new()
            .run_with(&plan, &Object::new(), options)
            .unwrap();
        logged(&key)
    };
    assert_eq!(run(true), ["note b", "note a", "note d"]);
    assert_eq!(run(false), ["note b", "note d", "note a"]);
}

#[test]
fn values_reach_the_steps_that_name_them() {
    let result = World::new().run(&format!(
        "{}outputs: {{sums: [{{$ref: a.sum}}, {{$ref: b.sum}}], text: {{$fmt: \"{{}} and {{}}\", args: [{{$ref: a.sum}}, {{$ref: b.data}}]}}}}",
        steps(&[
            "{id: n, tool: note, args: {key: r50, text: x, number: 4}}",
            "{id: a, tool: sum, args: {data: {$ref: n.list}}}",
            "{id: b, tool: sum, args: {data: [{$ref: a.sum}, {$ref: n.mean}]}}",
        ])
    ));
    assert_eq!(result.outputs.get("sums").unwrap().to_string(), "[5.0,9.0]");
    assert_eq!(
        result.outputs.get("text").unwrap().as_str(),
        Some("5.0 and [5.0,4.0]")
    );
    let _ = logged("r50");
}
