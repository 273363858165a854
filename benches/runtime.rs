//! Door, dispatcher and chains: the overhead of a call beside the mathematics.

use benches::{arguments, uniform};

use chain_runtime::Plan;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use mathchain::Toolkit;
use mathchain::host_tools::web::{WebClient, WebSettings};
use tool_core::capability::{HttpRequest, HttpTransport};
use tool_core::json::{JsonLimits, parse_json, to_text};
use tool_core::{StopFlag, Value};

/// As the binaries do.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn json(criterion: &mut Criterion) {
    let matrix = tool_core::convert::to_value(&benches::matrix(1000)).expect("finite");
    let text = to_text(&matrix);
    let mut group = criterion.benchmark_group("json 1000x1000");
    group.throughput(Throughput::Bytes(text.len() as u64));
    group.bench_function("parse", |bencher| {
        bencher.iter(|| parse_json(&text, JsonLimits::default()).expect("JSON"))
    });
    group.bench_function("parse with serde_json, float_roundtrip", |bencher| {
        bencher.iter(|| serde_json::from_str::<Vec<Vec<f64>>>(&text).expect("JSON"))
    });
    group.bench_function("write", |bencher| bencher.iter(|| to_text(&matrix)));
    group.finish();
    let records: String = (0..10_000)
        .map(|index| {
            format!(
                "{{\"id\":{index},\"name\":\"n{index}\",\"price\":{}.5}},",
                index % 97
            )
        })
        .collect();
    let records = format!("[{}]", records.trim_end_matches(','));
    let mut group = criterion.benchmark_group("json 10000 records");
    group.throughput(Throughput::Bytes(records.len() as u64));
    group.bench_function("parse", |bencher| {
        bencher.iter(|| parse_json(&records, JsonLimits::default()).expect("JSON"))
    });
    group.finish();
}

fn dispatch(criterion: &mut Criterion) {
    let args = arguments(r#"{"data":[1,2,3,4]}"#);
    let mut group = criterion.benchmark_group("dispatch a small call");
    let plain = Toolkit::builder().build().expect("builds");
    group.bench_function("without audit", |bencher| {
        bencher.iter(|| plain.call("statistics", &args))
    });
    let folder = tempfile::tempdir().expect("a folder");
    let audited = Toolkit::builder()
        .state(folder.path())
        .build()
        .expect("builds");
    group.bench_function("audited", |bencher| {
        bencher.iter(|| audited.call("statistics", &args))
    });
    group.finish();
    criterion.bench_function("build the toolkit", |bencher| {
        bencher.iter(|| Toolkit::builder().build().expect("builds"))
    });
}

/// A chain of `steps` steps, each on the result of the one before.
fn chain(steps: usize) -> String {
    let mut text = String::from(
        "{\"version\":1,\"id\":\"long\",\"steps\":[{\"id\":\"s0\",\"tool\":\"statistics\",\"args\":{\"data\":[1,2,3,4],\"metrics\":[\"mean\"]}}",
    );
    for index in 1..steps {
        text.push_str(&format!(
            ",{{\"id\":\"s{index}\",\"tool\":\"statistics\",\"args\":{{\"data\":[1,2,{{\"$ref\":\"s{}.mean\",\"default\":0}}],\"metrics\":[\"mean\"]}}}}",
            index - 1
        ));
    }
    text.push_str("]}");
    text
}

/// `steps` steps that know nothing of each other.
fn wide(steps: usize) -> String {
    let steps: Vec<String> = (0..steps).map(|index| format!("{{\"id\":\"s{index}\",\"tool\":\"statistics\",\"args\":{{\"data\":[1,2,3,{index}]}}}}")).collect();
    format!(
        "{{\"version\":1,\"id\":\"wide\",\"steps\":[{}]}}",
        steps.join(",")
    )
}

/// A chain of `steps` products, each with the matrix of the one before.
fn products(steps: usize) -> String {
    let product = |index: usize| {
        let before = match index {
            0 => "[[1,2],[3,4]]".to_owned(),
            _ => format!("{{\"$ref\":\"s{}.product\"}}", index - 1),
        };
        format!(
            "{{\"id\":\"s{index}\",\"tool\":\"matrix_multiply\",\"args\":{{\"A\":{before},\"B\":[[0,1],[1,0]]}}}}"
        )
    };
    let steps: Vec<String> = (0..steps).map(product).collect();
    format!(
        "{{\"version\":1,\"id\":\"products\",\"steps\":[{}]}}",
        steps.join(",")
    )
}

fn plans(criterion: &mut Criterion) {
    let toolkit = Toolkit::builder().build().expect("builds");
    let mut group = criterion.benchmark_group("plans");
    group.sample_size(20);
    for (name, text) in [
        ("check a chain of 10000 steps", chain(10_000)),
        ("check 10000 independent steps", wide(10_000)),
        ("check a chain of 10000 products", products(10_000)),
    ] {
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                let plan = Plan::parse(&text).expect("a plan");
                toolkit
                    .check(
                        &Default::default(),
                        &plan,
                        &Default::default(),
                        chain_runtime::CheckMode::Run,
                    )
                    .expect("sound")
            });
        });
    }
    let folder = tempfile::tempdir().expect("a folder");
    let durable = Toolkit::builder()
        .state(folder.path())
        .build()
        .expect("builds");
    for (name, steps, text) in [
        ("run a chain of 1000 steps", 1000, chain(1000)),
        ("run 1000 independent steps", 1000, wide(1000)),
        ("run 10000 independent steps", 10_000, wide(10_000)),
    ] {
        group.throughput(Throughput::Elements(steps));
        let plan = Plan::parse(&text).expect("a plan");
        for (kind, toolkit) in [("in memory", &toolkit), ("durably", &durable)] {
            group.bench_function(format!("{name} {kind}"), |bencher| {
                bencher.iter(|| {
                    toolkit
                        .run_plan(
                            &Default::default(),
                            &plan,
                            &Default::default(),
                            Default::default(),
                        )
                        .expect("runs")
                });
            });
        }
    }
    group.finish();
}

/// Number of times a matrix is passed on.
const HANDS: usize = 20;

/// A large matrix that goes from step to step: passed by pointer, hashed and written only where the run is durable.
fn matrices(criterion: &mut Criterion) {
    let steps: String = (0..=HANDS)
        .map(|step| {
            let from = match step {
                0 => "inputs.a".to_owned(),
                _ => format!("s{}.matrix", step - 1),
            };
            format!("  - {{id: s{step}, tool: hand_on, args: {{matrix: {{$ref: {from}}}}}}}\n")
        })
        .collect();
    let text = format!("version: 1\ninputs: {{a: {{type: any}}}}\nsteps:\n{steps}");
    let plan = Plan::parse(&text).expect("a plan");
    let matrix = tool_core::convert::to_value(&benches::matrix(2000)).expect("finite");
    criterion.bench_function("digest of a 2000x2000 matrix", |bencher| {
        bencher.iter(|| registry::digest::of_value(&matrix));
    });
    let mut inputs = tool_core::Object::new();
    inputs.insert("a", matrix);
    let folder = tempfile::tempdir().expect("a folder");
    let memory = Toolkit::builder().add_tools(benches::tools::TOOLS);
    let durable = Toolkit::builder().add_tools(benches::tools::TOOLS);
    let durable = durable.state(folder.path());
    let mut group = criterion.benchmark_group("a 2000x2000 matrix handed on 20 times");
    group.sample_size(10);
    group.throughput(Throughput::Elements(HANDS as u64));
    for (kind, builder) in [("in memory", memory), ("durably", durable)] {
        let toolkit = builder.build().expect("builds");
        group.bench_function(kind, |bencher| {
            bencher.iter(|| {
                let result =
                    toolkit.run_plan(&Default::default(), &plan, &inputs, Default::default());
                assert!(result.expect("a sound plan").is_success());
            });
        });
    }
    group.finish();
}

/// Cost of the same small calls without a plan.
fn direct(criterion: &mut Criterion) {
    let toolkit = Toolkit::builder().build().expect("builds");
    let args = Value::object([("data", Value::vector(uniform(4)))]);
    criterion.bench_function("1000 small calls in a loop", |bencher| {
        bencher.iter(|| {
            for _ in 0..1000 {
                toolkit.call("statistics", &args);
            }
        });
    });
}

/// Cost of refusing an address, without a connection.
fn refusals(criterion: &mut Criterion) {
    let client = WebClient::new(&WebSettings::default()).expect("usable");
    let stop = StopFlag::new();
    let mut group = criterion.benchmark_group("refuse an address");
    for url in [
        "http://169.254.169.254/latest/meta-data/",
        "http://[::ffff:7f00:1]/",
        "http://2130706433/",
    ] {
        let request = HttpRequest::get(url);
        group.bench_function(url, |bencher| {
            bencher.iter(|| client.send(&request, &stop).expect_err("refused"))
        });
    }
    group.finish();
}

criterion_group!(runtime, json, dispatch, plans, matrices, direct, refusals);
criterion_main!(runtime);
