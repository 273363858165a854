//! Plans whose calls other processes compute: here, workers on threads of the test, on a folder of their own.

use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use chain_runtime::cluster::{
    BuildIdentity, Cluster, ClusterSettings, FilesExecutor, FilesSettings, WorkerOptions,
    WorkerReport, serve_tickets,
};
use chain_runtime::{ChainResult, ChainStatus, RunOptions, execute_plan};
use tool_core::{AnyTool, Object, StopFlag, Value, json};

use crate::durable::Durable;
use crate::fakes::{TOOLS, World, logged, operator, parse, steps};

fn identity(build: &str) -> BuildIdentity {
    BuildIdentity {
        build: build.to_owned(),
        profile: "any".to_owned(),
    }
}

fn fake_tool(id: &str) -> Option<&'static dyn AnyTool> {
    let mut tools = TOOLS.iter().map(|entry| entry.tool());
    tools.find(|tool| tool.spec().id == id)
}

/// An engine on a folder, whose calls wait so long for a worker.
fn engine(dir: &Path, wait: Duration) -> Arc<Cluster> {
    let executor = FilesExecutor::create(FilesSettings {
        dir: dir.to_owned(),
        lease: Duration::from_secs(2),
        identity: identity("this"),
    });
    let settings = ClusterSettings {
        wait,
        ticket: Duration::from_millis(20),
    };
    let has_tool = |id: &str| fake_tool(id).is_some();
    Cluster::start(Box::new(executor.unwrap()), settings, has_tool).unwrap()
}

/// A worker that ends with its run.
fn work(dir: &Path, node: &str, build: &str) -> WorkerReport {
    serve_tickets(&WorkerOptions {
        dir: dir.to_owned(),
        slots: 2,
        idle: Duration::from_secs(120),
        stays: false,
        once: false,
        node: node.to_owned(),
        identity: identity(build),
        stop: StopFlag::new(),
        tool: &fake_tool,
        log: &|_| {},
    })
    .unwrap()
}

const LONG: Duration = Duration::from_secs(120);

fn study(place: &str) -> String {
    format!(
        "{}outputs: {{draws: {{$ref: draws}}, sums: {{$ref: sums}}}}\n",
        steps(&[
            &format!(
                "{{id: list, tool: any, args: {{value: [{}]}}}}",
                (0..150)
                    .map(|x| x.to_string())
                    .collect::<Vec<_>>()
                    .join(", ")
            ),
            &format!(
                "{{id: draws, tool: random, {place} map: {{over: {{$ref: list.result}}}}, args: {{count: 3}}}}"
            ),
            &format!(
                "{{id: sums, tool: sum, {place} map: {{over: {{$ref: draws}}, as: one}}, args: {{data: {{$ref: one.values}}}}}}"
            ),
        ])
    )
}

fn run_with(durable: &Durable, plan: &str, cluster: &Arc<Cluster>) -> ChainResult {
    let options = RunOptions {
        cluster: Some(Arc::clone(cluster)),
        no_cache: true,
        ..durable.options()
    };
    execute_plan(
        &parse(plan),
        &durable.asking(),
        &operator(),
        &Object::new(),
        options,
    )
    .unwrap_or_else(|problems| panic!("{problems}"))
}

/// How many calls of each node the audit of a run has, and how many fell back.
fn places(durable: &Durable, run: &str) -> (Vec<String>, usize) {
    let records = durable.state.run_records(run).unwrap();
    let nodes = records.iter().filter_map(|record| record.text("node"));
    let fell = records
        .iter()
        .filter(|record| record.get("placement_fallback").is_some());
    (nodes.map(str::to_owned).collect(), fell.count())
}

#[test]
fn two_workers_give_the_bytes_of_a_local_run_and_replay_is_identical() {
    let folder = tempfile::tempdir().unwrap();
    let durable = Durable::open(&folder.path().join("state"));
    let plan = study("");
    let local = durable.run(&plan, &operator());
    assert_eq!(local.status, ChainStatus::Success, "{:?}", local.error);

    let dir = folder.path().join("tickets");
    let cluster = engine(&dir, LONG);
    let (result, reports) = thread::scope(|scope| {
        let workers = ["n1", "n2"].map(|node| scope.spawn(|| work(&dir, node, "this")));
        let result = run_with(&durable, &plan, &cluster);
        cluster.close();
        (result, workers.map(|worker| worker.join().unwrap()))
    });
    assert_eq!(result.status, ChainStatus::Success, "{:?}", result.error);
    assert_eq!(
        json::canonical_json(&result.deterministic()),
        json::canonical_json(&local.deterministic())
    );
    assert_eq!(reports.iter().map(|report| report.calls).sum::<u64>(), 300);
    let (nodes, fell) = places(&durable, &result.chain_id);
    assert_eq!((nodes.len(), fell), (300, 0));
    assert!(
        nodes.iter().all(|node| node == "n1" || node == "n2"),
        "{nodes:?}"
    );
    let counted = result
        .diagnostics
        .get("nodes")
        .and_then(Value::as_object)
        .unwrap();
    let counted = counted.iter().filter_map(|(_, count)| count.as_i64());
    assert_eq!(counted.sum::<i64>(), 300, "{:?}", result.diagnostics);
    assert!(
        result.trace_text().contains(" on n"),
        "{}",
        result.trace_text()
    );
    // The folder of the run is gone with it.
    assert_eq!(std::fs::read_dir(&dir).unwrap().count(), 0);

    let replayed = durable.replay(&result.chain_id, 2);
    assert_eq!(replayed.result_same, Some(true), "{:?}", replayed.reasons);
}

#[test]
fn without_a_worker_a_step_that_prefers_runs_here_and_one_that_requires_fails() {
    let folder = tempfile::tempdir().unwrap();
    let durable = Durable::open(&folder.path().join("state"));
    let step = |place: &str| {
        steps(&[&format!(
            "{{id: a, tool: random, place: {place}, args: {{count: 2}}}}"
        )])
    };
    let cluster = engine(&folder.path().join("tickets"), Duration::from_millis(50));
    let result = run_with(&durable, &step("prefer"), &cluster);
    assert_eq!(result.status, ChainStatus::Success, "{:?}", result.error);
    assert_eq!(places(&durable, &result.chain_id), (Vec::new(), 1));
    let result = run_with(&durable, &step("require"), &cluster);
    let error = result.error.unwrap();
    assert_eq!(error.reason_str(), Some("no_cluster"), "{error:?}");
    assert!(
        error.hint_str().unwrap().contains("mathchain worker"),
        "{error:?}"
    );

    // Without an engine, too; what is required is refused before anything runs.
    let result = durable.run(&step("prefer"), &operator());
    assert_eq!(places(&durable, &result.chain_id), (Vec::new(), 1));
    let plan = format!(
        "{}  - {{id: b, tool: random, place: require, args: {{count: 2}}}}\n",
        steps(&["{id: a, tool: write, args: {key: cluster-none, path: p}}"])
    );
    let refused = World::new().try_run(&plan).unwrap_err().to_string();
    assert!(refused.contains("--engine files"), "{refused}");
    assert!(logged("cluster-none").is_empty());
}

#[test]
fn what_has_effects_or_stays_by_the_plan_never_leaves() {
    let folder = tempfile::tempdir().unwrap();
    let durable = Durable::open(&folder.path().join("state"));
    let dir = folder.path().join("tickets");
    let cluster = engine(&dir, LONG);
    let plan = steps(&[
        "{id: w, tool: write, map: {over: [1, 2]}, args: {key: cluster-stays, path: p}}",
        "{id: l, tool: random, place: local, map: {over: [1, 2]}, args: {count: 1}}",
        "{id: s, tool: random, args: {count: 1}}",
    ]);
    // No worker is there: a call that left would wait for one.
    let result = run_with(&durable, &plan, &cluster);
    assert_eq!(result.status, ChainStatus::Success, "{:?}", result.error);
    assert_eq!(places(&durable, &result.chain_id), (Vec::new(), 0));
    assert_eq!(logged("cluster-stays").len(), 2);
}

#[test]
fn a_worker_of_another_build_is_named_and_computes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let durable = Durable::open(&folder.path().join("state"));
    let dir = folder.path().join("tickets");
    let cluster = engine(&dir, LONG);
    let (result, refused, served) = thread::scope(|scope| {
        let other = scope.spawn(|| work(&dir, "odd", "other"));
        // It has shown itself before the first worker that may compute.
        thread::sleep(Duration::from_millis(600));
        let worker = scope.spawn(|| work(&dir, "even", "this"));
        let result = run_with(&durable, &study(""), &cluster);
        cluster.close();
        (result, other.join().unwrap(), worker.join().unwrap())
    });
    assert_eq!(result.status, ChainStatus::Success, "{:?}", result.error);
    assert_eq!((refused.calls, refused.refused), (0, 1));
    assert_eq!(served.calls, 300);
    let named = |warning: &String| warning.contains("`odd`") && warning.contains("build");
    assert!(result.warnings.iter().any(named), "{:?}", result.warnings);
}

#[test]
fn an_error_of_a_tool_is_that_of_a_local_run() {
    let folder = tempfile::tempdir().unwrap();
    let durable = Durable::open(&folder.path().join("state"));
    let plan = steps(&[
        "{id: f, tool: fail, map: {over: [a, b, c], on_item_error: collect}, args: {key: cluster-fail, text: {$ref: item}}}",
    ]);
    let local = durable.run(&plan, &operator());
    let dir = folder.path().join("tickets");
    let cluster = engine(&dir, LONG);
    let result = thread::scope(|scope| {
        scope.spawn(|| work(&dir, "n1", "this"));
        let result = run_with(&durable, &plan, &cluster);
        cluster.close();
        result
    });
    assert_eq!(
        json::canonical_json(&result.deterministic()),
        json::canonical_json(&local.deterministic())
    );
}

#[test]
fn a_call_that_waits_for_a_worker_obeys_the_deadline_of_its_step_and_the_end_of_the_run() {
    let folder = tempfile::tempdir().unwrap();
    let durable = Durable::open(&folder.path().join("state"));
    let cluster = engine(&folder.path().join("tickets"), LONG);
    let plan = steps(&["{id: a, tool: random, place: require, deadline_ms: 80, args: {count: 1}}"]);
    let result = run_with(&durable, &plan, &cluster);
    assert_eq!(result.status, ChainStatus::Failed, "{:?}", result.error);
    let error = result.error.unwrap();
    assert_eq!(error.code(), tool_core::ErrorCode::Timeout, "{error:?}");

    let stop = StopFlag::new();
    let options = RunOptions {
        cluster: Some(Arc::clone(&cluster)),
        stop: stop.clone(),
        ..durable.options()
    };
    let result = thread::scope(|scope| {
        scope.spawn(|| {
            thread::sleep(Duration::from_millis(100));
            stop.cancel();
        });
        let plan = parse(&study("place: require,"));
        execute_plan(
            &plan,
            &durable.asking(),
            &operator(),
            &Object::new(),
            options,
        )
    });
    assert_eq!(result.unwrap().status, ChainStatus::Cancelled);
}
