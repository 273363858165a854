//! Plans that are mostly chain runtime: steps without work, and steps that sleep.
//!
//! Alone it prints how far the makespan of random plans of sleeping steps is from its bound. With `--serve` it answers lines
//! `{"case": .., "steps": ..}` with seconds, for `benches/peers/plans.py`; `--graphs` prints the random plans for its peers.

#![expect(clippy::print_stdout, reason = "figures are what it is for")]

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::Instant;

use chain_runtime::{Plan, RunOptions};
use mathchain::Toolkit;
use rand::RngExt as _;
use tool_core::rng::stream_rng;

/// As the binaries do.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const WORKERS: usize = 8;
const GRAPHS: u64 = 20;
const STEPS: usize = 60;

fn main() {
    let mode = std::env::args().nth(1).unwrap_or_default();
    match mode.as_str() {
        "--serve" => serve(),
        "--graphs" => {
            let graphs: Vec<serde_json::Value> = (0..GRAPHS).map(|n| graph(n).to_json()).collect();
            println!("{}", serde_json::Value::from(graphs));
        }
        _ => makespans(),
    }
}

/// Sleeping steps: how long, in milliseconds, and which earlier ones each waits for.
struct Graph {
    sleeps: Vec<u64>,
    before: Vec<Vec<usize>>,
}

/// Random graphs from wide to deep: a step waits for up to three of the last few.
fn graph(number: u64) -> Graph {
    let mut rng = stream_rng(7, number);
    let mut graph = Graph {
        sleeps: Vec::new(),
        before: Vec::new(),
    };
    let nearest = 4 + 2 * number as usize;
    for step in 0..STEPS {
        graph.sleeps.push(rng.random_range(5..=50));
        let mut before: Vec<usize> = (0..rng.random_range(0..=3))
            .filter(|_| step > 0)
            .map(|_| step - rng.random_range(1..=nearest.min(step)))
            .collect();
        before.sort_unstable();
        before.dedup();
        graph.before.push(before);
    }
    graph
}

impl Graph {
    fn to_json(&self) -> serde_json::Value {
        serde_json::json!({"sleeps": self.sleeps, "before": self.before, "bound_ms": self.bound_ms(), "ideal_ms": self.ideal_ms(), "workers": WORKERS})
    }

    fn plan(&self) -> String {
        let steps = (0..self.sleeps.len()).map(|step| {
            let after: Vec<String> = self.before[step].iter().map(|step| format!("s{step}")).collect();
            let ms = self.sleeps[step];
            serde_json::json!({"id": format!("s{step}"), "tool": "add_one", "args": {"x": step, "sleep_ms": ms}, "after": after, "cost_ms": ms})
        });
        plan(steps)
    }

    /// By step, the longest way from its begin to an end.
    fn ways(&self) -> Vec<u64> {
        let mut ways = self.sleeps.clone();
        for step in (0..ways.len()).rev() {
            for &earlier in &self.before[step] {
                ways[earlier] = ways[earlier].max(self.sleeps[earlier] + ways[step]);
            }
        }
        ways
    }

    /// No schedule is shorter than the longest way, nor than all work shared evenly.
    fn bound_ms(&self) -> f64 {
        let longest = self.ways().into_iter().max().unwrap_or(0) as f64;
        longest.max(self.sleeps.iter().sum::<u64>() as f64 / WORKERS as f64)
    }

    /// Makespan of the runtime's order, critical path first, where only the sleeps take time.
    fn ideal_ms(&self) -> u64 {
        let ways = self.ways();
        let mut waits: Vec<usize> = self.before.iter().map(Vec::len).collect();
        let mut ready: BinaryHeap<(u64, Reverse<usize>)> = BinaryHeap::new();
        let offer =
            |ready: &mut BinaryHeap<_>, step: usize| ready.push((ways[step], Reverse(step)));
        (0..waits.len())
            .filter(|&step| waits[step] == 0)
            .for_each(|step| offer(&mut ready, step));
        let mut running: BinaryHeap<Reverse<(u64, usize)>> = BinaryHeap::new();
        let mut now = 0;
        loop {
            while running.len() < WORKERS
                && let Some((_, Reverse(step))) = ready.pop()
            {
                running.push(Reverse((now + self.sleeps[step], step)));
            }
            let Some(Reverse((ended, step))) = running.pop() else {
                return now;
            };
            now = ended;
            for (later, waits) in waits.iter_mut().enumerate().skip(step + 1) {
                if self.before[later].contains(&step) {
                    *waits -= 1;
                    if *waits == 0 {
                        offer(&mut ready, later);
                    }
                }
            }
        }
    }
}

fn plan(steps: impl Iterator<Item = serde_json::Value>) -> String {
    serde_json::json!({"version": 1, "id": "bench", "steps": steps.collect::<Vec<_>>()}).to_string()
}

/// Steps that know nothing of each other.
fn independent(steps: usize) -> String {
    plan((0..steps).map(|step| serde_json::json!({"id": format!("s{step}"), "tool": "add_one", "args": {"x": step}})))
}

/// Steps that each take what the one before gave.
fn chain(steps: usize) -> String {
    plan((0..steps).map(|step| {
        let x = match step {
            0 => serde_json::json!(0),
            _ => serde_json::json!({"$ref": format!("s{}.x", step - 1)}),
        };
        serde_json::json!({"id": format!("s{step}"), "tool": "add_one", "args": {"x": x}})
    }))
}

fn toolkit(state: Option<&std::path::Path>) -> Toolkit {
    let builder = Toolkit::builder().add_tools(benches::tools::TOOLS);
    let builder = match state {
        Some(folder) => builder.state(folder),
        None => builder,
    };
    builder.build().expect("builds")
}

/// Seconds to read and check a plan, and to run it.
fn timed(toolkit: &Toolkit, text: &str, threads: usize) -> (f64, f64) {
    let began = Instant::now();
    let plan = Plan::parse(text).expect("a plan");
    let context = Default::default();
    let inputs = Default::default();
    let checked = toolkit
        .check(&context, &plan, &inputs, chain_runtime::CheckMode::Run)
        .expect("sound");
    let checked_s = began.elapsed().as_secs_f64();
    let options = RunOptions {
        threads,
        state: toolkit.state().cloned(),
        ..RunOptions::default()
    };
    let began = Instant::now();
    let result = chain_runtime::run_checked_plan(&checked, &toolkit.dispatcher(), options);
    let run_s = began.elapsed().as_secs_f64();
    assert!(result.is_success(), "{:?}", result.error);
    (checked_s, run_s)
}

fn makespans() {
    let toolkit = toolkit(None);
    let mut over = Vec::new();
    println!("graph: bound, ideal list schedule, makespan in ms (ratios to the bound)");
    for number in 0..GRAPHS {
        let graph = graph(number);
        let (bound, ideal) = (graph.bound_ms(), graph.ideal_ms() as f64);
        let text = graph.plan();
        let mut runs: Vec<f64> = (0..5)
            .map(|_| 1e3 * timed(&toolkit, &text, WORKERS).1)
            .collect();
        runs.sort_by(f64::total_cmp);
        let median = runs[runs.len() / 2];
        println!(
            "{number:2}: {bound:6.1} {ideal:6.1} ({:.3}) {median:6.1} ({:.3})",
            ideal / bound,
            median / bound
        );
        over.push(median / bound);
    }
    over.sort_by(f64::total_cmp);
    println!(
        "median {:.4}, worst {:.4}",
        over[over.len() / 2],
        over[over.len() - 1]
    );
}

fn serve() {
    let memory = toolkit(None);
    let folder = tempfile::tempdir().expect("a folder");
    let durable = toolkit(Some(folder.path()));
    for line in std::io::stdin().lines() {
        let asked: serde_json::Value =
            serde_json::from_str(&line.expect("standard input is text")).expect("JSON");
        let number = asked["steps"].as_u64().unwrap_or_default();
        let steps = number as usize;
        let (build_s, run_s) = match asked["case"].as_str().expect("a case") {
            "independent" => timed(&memory, &independent(steps), 0),
            "chain" => timed(&memory, &chain(steps), 0),
            "journalled" => timed(&durable, &chain(steps), 0),
            "graph" => timed(&memory, &graph(number).plan(), WORKERS),
            other => panic!("no case `{other}`"),
        };
        println!(
            "{}",
            serde_json::json!({"build_s": build_s, "run_s": run_s})
        );
    }
}
