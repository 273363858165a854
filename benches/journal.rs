//! Cost of durability: events of a run, values of every size, syncs before and after an effect.

use std::sync::Arc;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use journal::{Journal, RunHeader, RunState, StateStore};
use mathchain::clock::SystemClock;
use tool_core::Value;
use tool_core::capability::RecordDurability;

/// As the binaries do.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const STEPS: usize = 10_000;

struct Place {
    _folder: tempfile::TempDir,
    state: Arc<StateStore>,
}

fn place() -> Place {
    let folder = tempfile::tempdir().expect("a folder");
    let clock = Arc::new(SystemClock::default());
    let state = Arc::new(StateStore::open(folder.path(), clock).expect("opens"));
    Place {
        _folder: folder,
        state,
    }
}

fn begin(place: &Place) -> Arc<Journal> {
    let header = RunHeader {
        role: "operator".to_owned(),
        ..RunHeader::default()
    };
    place.state.begin_run(&header).expect("begins")
}

/// About 300 bytes, as the end of a pure step.
fn settled(step: usize, value: Option<Value>) -> Value {
    Value::object([
        ("kind", Value::from("settled")),
        ("step", Value::from(format!("step-{step}"))),
        ("attempt", Value::from(1_u32)),
        ("status", Value::from("done")),
        ("tool", Value::from("statistics")),
        ("action_key", Value::from("0123456789abcdef".repeat(4))),
        ("output_digest", Value::from("fedcba9876543210".repeat(4))),
        ("value", Value::from(value)),
    ])
}

fn steps(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("journal of 10000 pure steps");
    group.sample_size(10);
    group.throughput(Throughput::Elements(STEPS as u64));
    group.bench_function("events alone", |bencher| {
        let place = place();
        bencher.iter(|| {
            let journal = begin(&place);
            for step in 0..STEPS {
                let event = settled(step, None);
                journal
                    .write(&event, RecordDurability::Batched)
                    .expect("written");
            }
            journal.finish(RunState::Succeeded).expect("ends");
        });
    });
    group.bench_function("each with a value of its own", |bencher| {
        let place = place();
        let mut round = 0;
        bencher.iter(|| {
            round += 1;
            let journal = begin(&place);
            for step in 0..STEPS {
                let value = Value::object([("mean", (round * STEPS + step) as f64)]);
                let handle = journal.put(&value).expect("kept");
                let event = settled(step, Some(handle.to_value()));
                journal
                    .write(&event, RecordDurability::Batched)
                    .expect("written");
            }
            journal.finish(RunState::Succeeded).expect("ends");
        });
    });
    group.finish();
}

fn effects(criterion: &mut Criterion) {
    let place = place();
    let journal = begin(&place);
    criterion.bench_function("journal of one effect: two syncs", |bencher| {
        bencher.iter(|| {
            let intent = Value::object([("kind", "intent")]);
            journal
                .write(&intent, RecordDurability::Synced)
                .expect("written");
            journal
                .write(&settled(0, None), RecordDurability::Synced)
                .expect("written");
        });
    });
}

fn values(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("a 2000x2000 matrix");
    group.sample_size(10);
    group.throughput(Throughput::Bytes(32_000_000));
    let place = place();
    let journal = begin(&place);
    let mut first = 0.0;
    let mut matrix = || {
        first += 1.0;
        let mut data = vec![0.5; 4_000_000];
        data[0] = first;
        Value::vector(data)
    };
    group.bench_function("put, new", |bencher| {
        bencher.iter_batched(
            &mut matrix,
            |matrix| journal.put(&matrix).expect("kept"),
            BatchSize::PerIteration,
        );
    });
    let known = matrix();
    let handle = journal.put(&known).expect("kept");
    group.bench_function("put, known", |bencher| {
        bencher.iter(|| journal.put(&known).expect("kept"));
    });
    group.bench_function("get", |bencher| {
        bencher.iter(|| journal.state().value(&handle).expect("there"));
    });
    group.finish();
}

criterion_group!(journal, steps, effects, values);
criterion_main!(journal);
