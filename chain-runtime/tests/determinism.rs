//! The same result for any number of threads, in either mode, with and without barriers, whatever ends first.

use chain_runtime::{Mode, RunOptions};
use proptest::prelude::*;
use tool_core::Object;

use crate::fakes::{World, logged, parse, steps};

/// One step of a random plan.
#[derive(Debug, Clone)]
struct Draw {
    tool: usize,
    sleep_ms: u64,
    /// How far back its reference leads; 0 for none.
    back: usize,
    path: usize,
    on_error: usize,
    default: bool,
}

fn draw() -> impl Strategy<Value = Draw> {
    (
        0..12_usize,
        prop_oneof![3 => Just(0), 1 => 1..4_u64], // most are over at once, so that many plans can be tried
        0..5_usize,
        0..4_usize,
        0..3_usize,
        any::<bool>(),
    )
        .prop_map(|(tool, sleep_ms, back, path, on_error, default)| Draw {
            tool,
            sleep_ms,
            back,
            path,
            on_error,
            default,
        })
}

/// The plan of some draws; every step gives `text`.
fn plan(key: &str, draws: &[Draw], mutations: bool) -> String {
    let lines: Vec<String> = draws
        .iter()
        .enumerate()
        .map(|(index, draw)| {
            let on_error = ["fail_chain", "skip_dependents", "continue"][draw.on_error];
            let default = if draw.default { ", default: spare" } else { "" };
            let text = match index.checked_sub(draw.back).filter(|&back| back < index) {
                Some(back) => format!("{{$ref: s{back}.text{default}}}"),
                None => format!("t{index}"),
            };
            let path = ["a", "a/b", "c", "d/e"][draw.path];
            let sleep = draw.sleep_ms;
            let (tool, args) = match draw.tool {
                0 => (
                    "fail",
                    format!("key: {key}, text: {text}, sleep_ms: {sleep}"),
                ),
                1..=3 => (
                    "write",
                    format!("key: {key}, path: {path}, text: {text}, sleep_ms: {sleep}"),
                ),
                4 | 5 => (
                    "read",
                    format!("key: {key}, path: {path}, sleep_ms: {sleep}"),
                ),
                _ => (
                    "note",
                    format!("key: {key}, text: {text}, sleep_ms: {sleep}, number: {index}"),
                ),
            };
            format!("{{id: s{index}, tool: {tool}, on_error: {on_error}, args: {{{args}}}}}")
        })
        .collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let outputs: Vec<String> = (0..draws.len())
        .map(|index| format!("o{index}: {{$ref: s{index}.text}}"))
        .collect();
    format!(
        "parallel_mutations: {mutations}\n{}outputs: {{{}}}\n",
        steps(&lines),
        outputs.join(", ")
    )
}

fn results(text: &str, key: &str) -> Vec<(String, String)> {
    let mut results = Vec::new();
    for threads in [1, 2, 8, 32] {
        for mode in [Mode::Dep, Mode::Seq] {
            for barrier in [false, true] {
                let mut plan = parse(text).with_mode(mode);
                plan.barrier = barrier;
                let options = RunOptions {
                    threads,
                    ..RunOptions::default()
                };
                let result = World::new()
                    .run_with(&plan, &Object::new(), options)
                    .unwrap();
                results.push((
                    format!("{threads} threads, {mode}, barrier {barrier}"),
                    result.deterministic().to_string(),
                ));
            }
        }
    }
    let _ = logged(key);
    results
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// Case R58: byte-identical results and the same waves.
    #[test]
    fn results_do_not_depend_on_threads(draws in prop::collection::vec(draw(), 1..14), mutations in any::<bool>()) {
        let text = plan("determinism", &draws, mutations);
        let results = results(&text, "determinism");
        let (_, expected) = &results[0];
        for (name, found) in &results {
            prop_assert_eq!(found, expected, "{}\n{}", name, text);
        }
    }

    /// Conflicting steps run in plan order, whatever their sleeps.
    #[test]
    fn conflicts_keep_plan_order(sleeps in prop::collection::vec((0..3_usize, 0..4_u64), 2..10)) {
        let key = "conflicts_keep_plan_order";
        let lines: Vec<String> = sleeps
            .iter()
            .enumerate()
            .map(|(index, (path, sleep))| {
                format!("{{id: s{index}, tool: write, args: {{key: {key}, path: p{path}, text: \"{index}\", sleep_ms: {sleep}}}}}")
            })
            .collect();
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let plan = parse(&format!("parallel_mutations: true\n{}", steps(&lines)));
        let options = RunOptions { threads: 8, ..RunOptions::default() };
        World::new().run_with(&plan, &Object::new(), options).unwrap();
        let written = logged(key);
        for path in 0..3 {
            let order: Vec<usize> = written
                .iter()
                .filter_map(|line| line.strip_prefix(&format!("write p{path} "))?.parse().ok())
                .collect();
            prop_assert!(order.is_sorted(), "{:?}", written);
        }
    }
}

#[test]
fn seeds_come_from_the_plan_and_the_step() {
    let plan = |seed: &str| {
        format!(
            "{seed}{}outputs: {{a: {{$ref: a}}, b: {{$ref: b}}}}",
            steps(&[
                "{id: a, tool: random, args: {count: 3}}",
                "{id: b, tool: random, args: {count: 3}}",
                "{id: c, tool: random, args: {count: 3, seed: 7}}",
            ])
        )
    };
    let world = World::new();
    let run = |seed: &str| world.run(&plan(seed));
    let first = run("");
    assert_eq!(
        first.outputs.get("a"),
        run("seed: 42\n").outputs.get("a"),
        "42 is the seed of a plan that sets none"
    );
    assert_ne!(first.outputs.get("a"), first.outputs.get("b"));
    assert_ne!(first.outputs.get("a"), run("seed: 43\n").outputs.get("a"));
    let expected = tool_core::rng::derive_seed(42, "a", 0);
    assert_eq!(world.checked(&plan("")).steps[0].seed.get(), expected);
}
