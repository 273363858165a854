//! Three-line tools, a clock, a ledger and a workspace that remember what happened.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use chain_runtime::{ChainResult, Plan, PlanProblems, RunOptions, execute_plan};
use fakes::{MemoryFiles, MemoryLedger, READS_PATH, TestClock, WRITES_PATH, tool};
use journal::StateStore;
use rand::rngs::SmallRng;
use rand::{RngExt as _, SeedableRng as _};
use registry::{
    ApprovalAnswer, CallLimits, CallerContext, Catalogue, Config, DispatchHost, Dispatcher, Policy,
    Principal,
};
use tool_core::{
    CallProbe, Caller, Ctx, Decode, Describe, Determinism, Effect, Encode, ErasedTool, ErrorCode,
    Input, Matrix, Object, RandomSeed, Spec, Syntax, Tool, ToolError, Value, Vector, tool_entry,
};

/// What tools did, in order, by the key of the test.
static LOG: Mutex<Option<HashMap<String, Vec<String>>>> = Mutex::new(None);

/// By the key of a test, what draws how long the next of its calls takes.
static NAPS: Mutex<Option<HashMap<String, SmallRng>>> = Mutex::new(None);

/// From now on each call under a key takes a while that is drawn from a seed.
pub(crate) fn draw_naps(key: &str, seed: u64) {
    let mut naps = NAPS.lock().unwrap_or_else(|err| err.into_inner());
    naps.get_or_insert_default()
        .insert(key.to_owned(), SmallRng::seed_from_u64(seed));
}

/// Sleeps as drawn, where a test asked for that: mostly too short to matter, now and then longer than many calls together.
fn nap(key: &str) {
    let drawn = {
        let mut naps = NAPS.lock().unwrap_or_else(|err| err.into_inner());
        let rng = naps.as_mut().and_then(|naps| naps.get_mut(key));
        rng.map(|rng| match rng.random_range(0..8) {
            0 => rng.random_range(500..2_000),
            1..4 => rng.random_range(1..200),
            _ => 0,
        })
    };
    if let Some(us @ 1..) = drawn {
        std::thread::sleep(Duration::from_micros(us));
    }
}

fn log(key: &str, line: String) {
    nap(key);
    let mut log = LOG.lock().unwrap_or_else(|err| err.into_inner());
    log.get_or_insert_default()
        .entry(key.to_owned())
        .or_default()
        .push(line);
}

/// Takes what tools did under a key.
pub(crate) fn logged(key: &str) -> Vec<String> {
    let mut log = LOG.lock().unwrap_or_else(|err| err.into_inner());
    log.get_or_insert_default().remove(key).unwrap_or_default()
}

/// How many lines tools have noted under a key.
pub(crate) fn has_logged(key: &str) -> usize {
    count(key, "")
}

/// How many lines of a key begin so.
fn count(key: &str, begin: &str) -> usize {
    let mut log = LOG.lock().unwrap_or_else(|err| err.into_inner());
    let lines = log.get_or_insert_default().get(key);
    lines.map_or(0, |lines| {
        lines.iter().filter(|line| line.starts_with(begin)).count()
    })
}

/// Sleeps, unless the call is stopped.
fn sleep(ms: u64, ctx: &Ctx) -> Result<(), ToolError> {
    let end = Instant::now() + Duration::from_millis(ms);
    while Instant::now() < end {
        ctx.check()?;
        std::thread::sleep(
            Duration::from_millis(1).min(end.saturating_duration_since(Instant::now())),
        );
    }
    ctx.check()
}

const WRITES: &[Effect] = &[Effect::ModifiesFiles];

tool!(pub(crate) Note, "note", { ..Spec::pure() },
NoteArgs {
    key: String,
    text: String,
    #[value(default)] number: f64,
    #[value(default)] sleep_ms: u64,
},
NoteOutput { text: String, mean: f64, list: Vec<f64>, rows: Vec<Row> },
|args, ctx| {
    sleep(args.sleep_ms, ctx)?;
    log(&args.key, format!("note {}", args.text));
    let row = |p| Row { p, name: args.text.clone() };
    Ok(NoteOutput { mean: args.number, list: vec![args.number, 1.0], rows: vec![row(1.0), row(2.0)], text: args.text })
});

#[derive(Debug, Encode, Describe)]
pub(crate) struct Row {
    p: f64,
    name: String,
}

tool!(pub(crate) Write, "write", { effects: WRITES, resources: WRITES_PATH, determinism: Determinism::External, ..Spec::pure() },
WriteArgs { key: String, path: String, #[value(default)] text: String, #[value(default)] sleep_ms: u64 },
WriteOutput { path: String, text: String, bytes: usize },
|args, ctx| {
    sleep(args.sleep_ms, ctx)?;
    log(&args.key, format!("write {} {}", args.path, args.text));
    Ok(WriteOutput { bytes: args.text.len(), path: args.path, text: args.text })
});

tool!(pub(crate) Read, "read", { resources: READS_PATH, determinism: Determinism::External, ..Spec::pure() },
ReadArgs { key: String, path: String, #[value(default)] sleep_ms: u64 },
ReadOutput { text: String },
|args, ctx| {
    sleep(args.sleep_ms, ctx)?;
    log(&args.key, format!("read {}", args.path));
    Ok(ReadOutput { text: args.path })
});

tool!(pub(crate) Shell, "shell", { effects: &[Effect::LocalExec], determinism: Determinism::External, ..Spec::pure() },
ShellArgs { key: String, text: String },
ShellOutput { text: String },
|args, _| {
    log(&args.key, format!("shell {}", args.text));
    Ok(ShellOutput { text: args.text })
});

tool!(pub(crate) Fail,
    "fail",
    { ..Spec::pure() },
    FailArgs {
        key: String,
        text: String,
        #[value(default)]
        sleep_ms: u64
    },
    FailOutput {
        text: String,
        mean: f64
    },
    |args, ctx| {
        sleep(args.sleep_ms, ctx)?;
        log(&args.key, format!("fail {}", args.text));
        Err(ToolError::new(
            ErrorCode::ToolError,
            format_args!("told to fail: {}", args.text),
        ))
    }
);

tool!(pub(crate) Flaky, "flaky", { determinism: Determinism::External, ..Spec::pure() },
FlakyArgs { key: String, fails: usize, #[value(default)] code: String, #[value(default)] sleep_ms: u64 },
FlakyOutput { text: String },
|args, ctx| {
    sleep(args.sleep_ms, ctx)?;
    let before = count(&args.key, "flaky");
    log(&args.key, "flaky".to_owned());
    if before < args.fails {
        let code = match args.code.as_str() {
            "invalid_args" => ErrorCode::InvalidArgs,
            _ => ErrorCode::ToolError,
        };
        return Err(ToolError::new(code, format_args!("attempt {before}")).reason("rate_limit"));
    }
    Ok(FlakyOutput { text: format!("after {before}") })
});

// Fails for some numbers, and at first as often as it is told: what a call gives depends on it and on no other call.
tool!(pub(crate) Attempt, "attempt", { ..Spec::pure() },
AttemptArgs {
    key: String,
    call: String,
    number: f64,
    #[value(default)] text: String,
    #[value(default)] fails: usize,
    #[value(default)] bad: Vec<f64>,
},
AttemptOutput { text: String, mean: f64, list: Vec<f64> },
|args, _| {
    let line = format!("attempt {} {};", args.call, args.number);
    let before = count(&args.key, &line);
    log(&args.key, line);
    if before < args.fails || args.bad.contains(&args.number) {
        let message = format!("attempt {before} of {} {}", args.call, args.number);
        return Err(ToolError::new(ErrorCode::ToolError, message));
    }
    let text = format!("{} {} after {before}: {}", args.call, args.number, args.text);
    Ok(AttemptOutput { text, mean: args.number, list: vec![args.number, 1.0] })
});

tool!(pub(crate) Counting,
    "counting",
    { ..Spec::pure() },
    CountingArgs { key: String },
    CountingOutput { count: usize },
    |args, _| {
        let before = count(&args.key, "counting");
        log(&args.key, "counting".to_owned());
        Ok(CountingOutput { count: before })
    }
);

tool!(pub(crate) Block,
    "block",
    { ..Spec::pure() },
    BlockArgs {
        count: u16,
        value: f64
    },
    BlockOutput { data: Vec<f64> },
    |args, _| {
        Ok(BlockOutput {
            data: vec![args.value; usize::from(args.count)],
        })
    }
);

// Adds a line to a real file: doing it twice is not the same as doing it once.
tool!(pub(crate) Append, "append",
{ effects: WRITES, determinism: Determinism::External, idempotent: false, ..Spec::pure() },
AppendArgs { path: String, text: String },
AppendOutput { text: String },
|args, _| {
    use std::io::Write as _;
    journal::failpoints::fail_at("run.before_effect");
    let mut file = std::fs::OpenOptions::new().create(true).append(true).open(&args.path).unwrap();
    // In one write: a process is killed before or after it, not within.
    file.write_all(format!("{}\n", args.text).as_bytes()).unwrap();
    journal::failpoints::fail_at("run.after_effect");
    Ok(AppendOutput { text: args.text })
});

// As `append`, of one whose doing twice is right.
tool!(pub(crate) Mark, "mark",
{ effects: WRITES, determinism: Determinism::External, ..Spec::pure() },
MarkArgs { path: String, text: String },
MarkOutput { text: String },
|args, _| {
    use std::io::Write as _;
    journal::failpoints::fail_at("run.before_effect");
    let mut file = std::fs::OpenOptions::new().create(true).append(true).open(&args.path).unwrap();
    // In one write: a process is killed before or after it, not within.
    file.write_all(format!("{}\n", args.text).as_bytes()).unwrap();
    journal::failpoints::fail_at("run.after_effect");
    Ok(MarkOutput { text: args.text })
});

/// Makes a real file, and can tell afterwards whether it did.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct StampArgs {
    path: String,
    text: String,
}

/// What it made.
#[derive(Debug, Encode, Describe)]
pub(crate) struct StampOutput {
    text: String,
}

impl Tool for StampArgs {
    const SPEC: Spec = Spec {
        id: "stamp",
        title: "stamp",
        effects: WRITES,
        determinism: Determinism::External,
        idempotent: false,
        ..Spec::pure()
    };
    type Output = StampOutput;

    fn run(args: StampArgs, _: &Ctx) -> Result<StampOutput, ToolError> {
        journal::failpoints::fail_at("run.before_effect");
        let mut options = std::fs::OpenOptions::new();
        let mut file = options
            .write(true)
            .create_new(true)
            .open(&args.path)
            .unwrap();
        std::io::Write::write_all(&mut file, args.text.as_bytes()).unwrap();
        journal::failpoints::fail_at("run.after_effect");
        Ok(StampOutput { text: args.text })
    }

    fn before(args: &StampArgs, _: &Ctx) -> Result<Option<Value>, ToolError> {
        let exists = std::path::Path::new(&args.path).exists();
        Ok((!exists).then(|| Value::from("absent")))
    }

    fn probe(args: &StampArgs, before: &Value, _: &Ctx) -> Result<CallProbe, ToolError> {
        assert_eq!(before.as_str(), Some("absent"));
        let opened = std::fs::OpenOptions::new().read(true).open(&args.path);
        let Ok(file) = opened else {
            return Ok(CallProbe::NotHappened);
        };
        Ok(match std::io::read_to_string(file) {
            Ok(text) if text == args.text => {
                CallProbe::Happened(Value::object([("text", Value::from(text))]))
            }
            _ => CallProbe::Unknown,
        })
    }
}

tool!(pub(crate) FailWrite, "fail_write",
    { effects: WRITES, resources: WRITES_PATH, determinism: Determinism::External, ..Spec::pure() },
    FailWriteArgs { path: String },
    FailWriteOutput { path: String },
    |args, _| { Err(ToolError::new(ErrorCode::ToolError, format_args!("no place for {}", args.path))) });

tool!(pub(crate) Boom,
    "boom",
    { ..Spec::pure() },
    BoomArgs {},
    BoomOutput {
        mean: f64,
        text: String
    },
    |_, _| { panic!("boom") }
);

tool!(pub(crate) Any,
    "any",
    { ..Spec::pure() },
    AnyArgs { value: Value },
    AnyOutput { result: Value },
    |args, _| { Ok(AnyOutput { result: args.value }) }
);

// The value that a text spells: data of the outside, which may look like anything.
tool!(
    pub(crate) Spelled,
    "spelled",
    { ..Spec::pure() },
    SpelledArgs { text: String },
    SpelledOutput { result: Value },
    |args, _| {
        let value = tool_core::json::parse_json(&args.text, tool_core::json::JsonLimits::default())?;
        Ok(SpelledOutput { result: value })
    }
);

tool!(pub(crate) Sum, "sum", { ..Spec::pure() },
SumArgs { data: Input<Vector>, #[value(default)] weight: f64 },
SumOutput { sum: f64, data: Vec<f64> },
|args, ctx| {
    let data = args.data.load(ctx)?;
    Ok(SumOutput { sum: data.iter().sum::<f64>() + args.weight, data: data.to_vec() })
});

tool!(pub(crate) Trace, "trace", { ..Spec::pure() }, TraceArgs { a: Input<Matrix> }, TraceOutput { trace: f64 },
|args, ctx| {
    let a = args.a.load(ctx)?;
    Ok(TraceOutput { trace: (0..a.rows().min(a.columns())).map(|i| a.row(i)[i]).sum() })
});

tool!(pub(crate) Random, "random", { ..Spec::pure().seeded() },
RandomArgs { #[value(default)] count: u8, #[value(default)] seed: Option<RandomSeed> },
RandomOutput { values: Vec<u32>, seed: RandomSeed },
|args, ctx| {
    use rand::Rng as _;
    let seed = ctx.seed(args.seed);
    let mut rng = ctx.rng(seed, 0);
    Ok(RandomOutput { values: (0..args.count).map(|_| rng.next_u32()).collect(), seed })
});

tool!(pub(crate) Maybe, "maybe", { ..Spec::pure() }, MaybeArgs { give: Option<f64> }, MaybeOutput { value: Option<f64> },
    |args, _| { Ok(MaybeOutput { value: args.give }) });

tool!(pub(crate) Direct, "direct", { callers: &[Caller::Direct], ..Spec::pure() }, DirectArgs {}, DirectOutput { mean: f64 },
    |_, _| { Ok(DirectOutput { mean: 0.0 }) });

tool!(pub(crate) Alone, "alone", { exclusive: true, ..Spec::pure() }, AloneArgs { key: String, text: String },
AloneOutput { text: String },
|args, _| {
    log(&args.key, format!("alone {}", args.text));
    Ok(AloneOutput { text: args.text })
});

tool!(pub(crate) Meet,
    "meet",
    { ..Spec::pure() },
    MeetArgs {
        key: String,
        all: usize
    },
    MeetOutput { met: bool },
    |args, _| {
        log(&args.key, "meet".to_owned());
        let end = Instant::now() + Duration::from_secs(5);
        while count(&args.key, "meet") < args.all && Instant::now() < end {
            std::thread::sleep(Duration::from_millis(1));
        }
        Ok(MeetOutput {
            met: count(&args.key, "meet") == args.all,
        })
    }
);

static CROWD: std::sync::Mutex<(usize, usize)> = std::sync::Mutex::new((0, 0));

// Computes for a while, and tells how many of its calls did so at the same time, at most so far.
tool!(pub(crate) Crowd,
    "crowd",
    { ..Spec::pure() },
    CrowdArgs {},
    CrowdOutput { most: usize },
    |_, ctx| {
        {
            let mut crowd = CROWD.lock().unwrap();
            crowd.0 += 1;
            crowd.1 = crowd.1.max(crowd.0);
        }
        sleep(5, ctx)?;
        let mut crowd = CROWD.lock().unwrap();
        crowd.0 -= 1;
        Ok(CrowdOutput { most: crowd.1 })
    }
);

tool!(pub(crate) Expression, "expression", { syntax: &[("/expression", Syntax::Expression)], ..Spec::pure() },
    ExpressionArgs { expression: String }, ExpressionOutput { text: String },
    |args, _| { Ok(ExpressionOutput { text: args.expression }) });

tool!(pub(crate) Silent, "silent", { permissions: &[], determinism: Determinism::External, ..Spec::pure() },
    SilentArgs {}, SilentOutput { mean: f64 },
    |_, _| { Ok(SilentOutput { mean: 0.0 }) });

pub(crate) static TOOLS: &[ErasedTool] = &[
    tool_entry::<Note>(),
    tool_entry::<Spelled>(),
    tool_entry::<Write>(),
    tool_entry::<Read>(),
    tool_entry::<Shell>(),
    tool_entry::<Fail>(),
    tool_entry::<Flaky>(),
    tool_entry::<Attempt>(),
    tool_entry::<Counting>(),
    tool_entry::<Block>(),
    tool_entry::<Append>(),
    tool_entry::<Mark>(),
    tool_entry::<StampArgs>(),
    tool_entry::<FailWrite>(),
    tool_entry::<Boom>(),
    tool_entry::<Any>(),
    tool_entry::<Sum>(),
    tool_entry::<Trace>(),
    tool_entry::<Random>(),
    tool_entry::<Maybe>(),
    tool_entry::<Direct>(),
    tool_entry::<Alone>(),
    tool_entry::<Meet>(),
    tool_entry::<Crowd>(),
    tool_entry::<Expression>(),
    tool_entry::<Silent>(),
];

/// A clock with real time, for tests outside a [`World`].
pub(crate) fn test_clock() -> Arc<TestClock> {
    TestClock::running(1_700_000_000_000)
}

/// A dispatcher with its ledger.
pub(crate) struct World {
    pub(crate) dispatcher: Dispatcher,
    pub(crate) files: Arc<MemoryFiles>,
    ledger: Arc<MemoryLedger>,
}

impl World {
    /// With the default policy.
    pub(crate) fn new() -> Self {
        Self::with(Config::default())
    }

    /// Whose plans within plans are written.
    pub(crate) fn written(state: Option<Arc<StateStore>>) -> Self {
        Self::made(Config::default(), state, TOOLS)
    }

    /// As [`World::written`], of a later program whose `any` has another version.
    pub(crate) fn later(state: Option<Arc<StateStore>>) -> Self {
        let newer = tool_entry::<newer::Any>();
        let tools = TOOLS.iter().map(|one| match one.tool().spec().id {
            "any" => newer,
            _ => *one,
        });
        Self::made(Config::default(), state, &tools.collect::<Vec<_>>())
    }

    pub(crate) fn with(config: Config) -> Self {
        Self::made(config, None, TOOLS)
    }

    fn made(config: Config, state: Option<Arc<StateStore>>, tools: &[ErasedTool]) -> Self {
        let reader: &[ErasedTool] = &[tool_entry::<reader::ReadFile>()];
        let catalogue =
            Arc::new(Catalogue::new(&[tools, reader, chain_runtime::tools::TOOLS]).unwrap());
        let policy = Arc::new(Policy::compile(&catalogue, &config, &[]).unwrap());
        let ledger = Arc::new(MemoryLedger::default());
        let files = Arc::new(MemoryFiles::default());
        let host = DispatchHost {
            arrays: Some(Arc::clone(&files) as _),
            ledger: Some(Arc::clone(&ledger) as _),
            chains: Some(
                chain_runtime::SubchainRunner::new(chain_runtime::Defaults::default(), state)
                    .into_chains(),
            ),
            ..DispatchHost::bare(test_clock())
        };
        Self {
            dispatcher: Dispatcher::new(catalogue, policy, CallLimits::default(), host),
            files,
            ledger,
        }
    }

    /// The records so far.
    pub(crate) fn records(&self) -> Vec<Value> {
        self.ledger.values()
    }

    /// Runs a plan as the operator who says yes.
    pub(crate) fn run(&self, plan: &str) -> ChainResult {
        self.try_run(plan)
            .unwrap_or_else(|problems| panic!("{problems}"))
    }

    pub(crate) fn try_run(&self, plan: &str) -> Result<ChainResult, PlanProblems> {
        self.run_with(&parse(plan), &Object::new(), RunOptions::default())
    }

    pub(crate) fn run_with(
        &self,
        plan: &Plan,
        inputs: &Object,
        options: RunOptions,
    ) -> Result<ChainResult, PlanProblems> {
        execute_plan(plan, &self.dispatcher, &operator(), inputs, options)
    }

    /// The problems of a plan, one a line; empty when there is none.
    pub(crate) fn problems(&self, plan: &str) -> String {
        self.problems_for(plan, &operator())
    }

    pub(crate) fn problems_for(&self, plan: &str, context: &CallerContext) -> String {
        match chain_runtime::check_plan(
            &parse(plan),
            &self.dispatcher,
            context,
            &Object::new(),
            chain_runtime::CheckMode::Run,
        ) {
            Ok(_) => String::new(),
            Err(problems) => problems.to_string(),
        }
    }

    /// The problems of a whole text, or why it is none.
    pub(crate) fn problems_for_text(&self, text: &str) -> String {
        let plan = match Plan::parse(text) {
            Ok(plan) => plan,
            Err(err) => return format!("{err:?}"),
        };
        match chain_runtime::check_plan(
            &plan,
            &self.dispatcher,
            &operator(),
            &Object::new(),
            chain_runtime::CheckMode::Run,
        ) {
            Ok(_) => String::new(),
            Err(problems) => problems.to_string(),
        }
    }

    /// The waves of a plan, as `a b|c`.
    pub(crate) fn waves(&self, plan: &str) -> String {
        let checked = self.checked(plan);
        let waves = checked.graph.waves();
        let names = waves.iter().map(|wave| {
            wave.iter()
                .map(|&step| checked.steps[step].id.to_string())
                .collect::<Vec<_>>()
                .join(" ")
        });
        names.collect::<Vec<_>>().join("|")
    }

    pub(crate) fn checked(&self, plan: &str) -> chain_runtime::CheckedPlan {
        chain_runtime::check_plan(
            &parse(plan),
            &self.dispatcher,
            &operator(),
            &Object::new(),
            chain_runtime::CheckMode::Run,
        )
        .unwrap_or_else(|problems| panic!("{problems}"))
    }
}

mod reader {
    use super::*;

    tool!(pub(crate) ReadFile, "read_file", { determinism: Determinism::External, resources: READS_PATH, ..Spec::pure() },
        ReadFileArgs { path: String }, ReadFileOutput { content: String },
        |args, _| { Ok(ReadFileOutput { content: args.path }) });
}

mod newer {
    use super::*;

    tool!(pub(crate) Any, "any", { version: 2, ..Spec::pure() },
        AnyArgs { value: Value }, AnyOutput { result: Value },
        |args, _| { Ok(AnyOutput { result: args.value }) });
}

/// The person at the terminal, who said yes in advance.
pub(crate) fn operator() -> CallerContext {
    CallerContext {
        who: Principal::role("operator"),
        answer: ApprovalAnswer::Yes,
        ..CallerContext::default()
    }
}

/// A plan from the lines after `version: 1`.
pub(crate) fn parse(text: &str) -> Plan {
    Plan::parse(&format!("version: 1\n{text}")).unwrap_or_else(|err| panic!("{err:?}"))
}

/// A plan of steps, one line each.
pub(crate) fn steps(lines: &[&str]) -> String {
    let lines: Vec<String> = lines.iter().map(|line| format!("  - {line}\n")).collect();
    format!("steps:\n{}", lines.concat())
}

/// Statuses of all steps, as `a:done b:skipped(a)`.
pub(crate) fn statuses(result: &ChainResult) -> String {
    let one = |step: &chain_runtime::StepReport| {
        let cause = step
            .end
            .cause
            .map(|cause| format!("({})", result.steps[cause].id))
            .unwrap_or_default();
        format!("{}:{}{cause}", step.id, step.end.status.as_str())
    };
    result.steps.iter().map(one).collect::<Vec<_>>().join(" ")
}
