//! Cost of decisions (256 tools, eight layers, nothing cached), the check of a thousand agent files, and the fold of sessions.

use std::hint::black_box;
use std::sync::Arc;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use mathchain::Toolkit;
use registry::agents::{AgentChecker, AgentFile};
use registry::aliases::ToolAliases;
use registry::policy::{CallFacts, WORKSPACE_READY};
use registry::{
    Catalogue, Config, Dispatcher, Level, Policy, PolicyLayer, PolicyRule, Principal, RuntimeFacts,
    Verdict,
};
use sessions::{EVENTS_MAX, Event, LiveRegistry, LogReplay, Record, Session};
use tool_core::tool::ErasedExample;
use tool_core::{
    AnyTool, Category, Ctx, Determinism, Effect, EffectReach, ResourceKey, Spec, ToolCall,
    ToolError, Value, json,
};

/// As the binaries do.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// A tool that is nothing but its spec.
struct Claims(Spec);

impl AnyTool for Claims {
    fn spec(&self) -> &Spec {
        &self.0
    }
    fn description(&self) -> String {
        String::new()
    }
    fn input_schema(&self) -> tool_core::schema::Schema {
        serde_json::json!({"type": "object", "properties": {}})
    }
    fn output_schema(&self) -> tool_core::schema::Schema {
        serde_json::json!(true)
    }
    fn examples(&self) -> Vec<ErasedExample> {
        Vec::new()
    }
    fn decode(&self, args: &Value) -> Result<Box<dyn ToolCall>, ToolError> {
        Ok(Box::new(ClaimsCall(args.clone(), EffectReach::of(&self.0))))
    }
}

struct ClaimsCall(Value, EffectReach);

impl ToolCall for ClaimsCall {
    fn args(&self) -> &Value {
        &self.0
    }
    fn sources(&self) -> &[tool_core::input::SourceRef] {
        &[]
    }
    fn resources(&self) -> Result<Vec<ResourceKey>, ToolError> {
        Ok(Vec::new())
    }
    fn reach(&self) -> EffectReach {
        self.1
    }
    fn run(self: Box<Self>, _: &Ctx) -> Result<Value, ToolError> {
        Ok(self.0)
    }
}

/// Tools of every category, a quarter of them with effects.
fn catalogue(count: usize) -> Catalogue {
    let tool = |number: usize| -> Arc<dyn AnyTool> {
        let effects: &[Effect] = match number % 8 {
            0 => &[Effect::ModifiesFiles],
            1 => &[Effect::NetworkAccess],
            _ => &[],
        };
        Arc::new(Claims(Spec {
            id: format!("tool_{number}").leak(),
            title: "claims",
            category: Category::ALL[number % Category::ALL.len()],
            effects,
            determinism: Determinism::External,
            ..Spec::pure()
        }))
    };
    let tools: Vec<Arc<dyn AnyTool>> = (0..count).map(tool).collect();
    Catalogue::with_plugins(&[], &tools).expect("sound specs")
}

/// Eight layers that hold for one caller, each with an `allow`, a `deny` and so many rules on other tools.
fn policy(catalogue: &Catalogue, rules: usize) -> Policy {
    let layer = |number: usize| {
        let hidden = format!("tool_{}", 200 + number);
        let level = [Level::Global, Level::User, Level::Role][number % 3];
        let name = if level == Level::Role { "operator" } else { "" };
        let layer = PolicyLayer::new(level, name)
            .allow(["group:all"])
            .deny([hidden.as_str()]);
        (0..rules).fold(layer, |layer, rule| {
            let tools = [format!("tool_{}", 8 * (number + rule) + 2)];
            layer.rule(PolicyRule::new(
                Verdict::Ask,
                tools.iter().map(String::as_str),
            ))
        })
    };
    let config = Config {
        layers: (0..8).map(layer).collect(),
        ..Config::default()
    };
    Policy::compile(catalogue, &config, &[]).unwrap_or_else(|errors| panic!("{errors}"))
}

fn decisions(criterion: &mut Criterion) {
    let catalogue = catalogue(256);
    let who = Principal::role("operator");
    let facts = RuntimeFacts::default().with(WORKSPACE_READY);
    let empty = Value::object::<&str, Value>([]);
    let index = catalogue.index("tool_107").expect("a tool");
    let tool = catalogue.tool(index);
    let call = tool.decode(&empty).expect("a call");
    let of_call = CallFacts::of(tool, call.as_ref(), None);
    let hidden = catalogue.index("tool_203").expect("a tool");
    let mut group = criterion.benchmark_group("256 tools, 8 layers");
    for rules in [0, 4] {
        let policy = policy(&catalogue, rules);
        let caller = policy.caller(&catalogue, &who, &facts).expect("a role");
        let title = |what: &str| format!("{what}, {rules} rules a layer");
        group.bench_function(title("is a tool visible"), |bencher| {
            bencher.iter(|| caller.visible().contains(black_box(index)))
        });
        group.bench_function(title("decide a call that runs"), |bencher| {
            bencher.iter(|| caller.decide(&catalogue, black_box(index), Some(&of_call), None))
        });
        let asked = catalogue.index("tool_26").expect("a tool");
        group.bench_function(
            title("decide a call that asks where a rule says so"),
            |bencher| {
                bencher.iter(|| caller.decide(&catalogue, black_box(asked), Some(&of_call), None))
            },
        );
        group.bench_function(title("decide a hidden tool"), |bencher| {
            bencher.iter(|| caller.decide(&catalogue, black_box(hidden), Some(&of_call), None))
        });
        group.bench_function(title("join what holds for a caller"), |bencher| {
            bencher.iter(|| {
                policy
                    .caller(&catalogue, black_box(&who), &facts)
                    .expect("a role")
            })
        });
        group.bench_function(title("caller and decision"), |bencher| {
            bencher.iter(|| {
                let caller = policy
                    .caller(&catalogue, black_box(&who), &facts)
                    .expect("a role");
                caller.decide(&catalogue, index, Some(&of_call), None)
            })
        });
        group.bench_function(title("caller, facts of the call and decision"), |bencher| {
            bencher.iter(|| {
                let caller = policy
                    .caller(&catalogue, black_box(&who), &facts)
                    .expect("a role");
                let of_call = CallFacts::of(tool, call.as_ref(), None);
                caller.decide(&catalogue, index, Some(&of_call), None)
            })
        });
    }
    group.finish();
    let policy = policy(&catalogue, 4);
    let caller = policy.caller(&catalogue, &who, &facts).expect("a role");
    criterion.bench_function("256 tools, 8 layers: list what is visible", |bencher| {
        bencher.iter(|| caller.listed().count())
    });
}

/// A file of usual length, with twelve tools.
fn agent_file(number: usize) -> String {
    let tools: String = (0..12)
        .map(|tool| format!("  - tool_{}\n", (7 * number + 13 * tool) % 256))
        .collect();
    let body =
        "Look at {{topic}}, compare at least three sources, and say how sure you are.\n".repeat(40);
    format!(
        "---\nname: agent_{number}\ndescription: finds and compares sources\nrole: operator\ntools:\n{tools}variables: [topic]\n---\n\n# System Prompt\n\n{body}\n# User Prompt\n\nThe topic is {{{{topic}}}}.\n"
    )
}

fn agents(criterion: &mut Criterion) {
    let catalogue = catalogue(256);
    let config = Config::default();
    let files: Vec<(String, String)> = (0..1000)
        .map(|number| (format!("agents/agent_{number}.md"), agent_file(number)))
        .collect();
    let mut group = criterion.benchmark_group("1000 agent files");
    group.sample_size(10);
    group.bench_function("read and check", |bencher| {
        bencher.iter(|| {
            let checker = AgentChecker::new(&catalogue, &config, ToolAliases::built_in());
            for (path, text) in &files {
                let agent =
                    AgentFile::parse(path, text).unwrap_or_else(|errors| panic!("{errors}"));
                checker
                    .check(&agent)
                    .unwrap_or_else(|errors| panic!("{errors}"));
            }
        })
    });
    group.finish();
}

/// A session and its log.
struct Logged {
    session: Session<LiveRegistry>,
    log: Vec<String>,
}

impl Logged {
    /// One whose run waits for the model.
    fn new(tools: usize) -> Self {
        let catalogue = catalogue(tools);
        let policy = Policy::compile(&catalogue, &Config::default(), &[]);
        let policy = policy.unwrap_or_else(|errors| panic!("{errors}"));
        let toolkit = Toolkit::builder().build().expect("builds");
        let dispatcher = Dispatcher::new(
            Arc::new(catalogue),
            Arc::new(policy),
            registry::CallLimits::default(),
            toolkit.dispatcher().host().clone(),
        );
        let mut logged = Self {
            session: Session::new(LiveRegistry::new(dispatcher)).expect("a session"),
            log: Vec::new(),
        };
        for text in [
            r#"{"type":"session.opened","session":"s","role":"operator"}"#,
            r#"{"type":"run.requested"}"#,
        ] {
            logged.log_of(&event(text));
        }
        logged
    }

    /// Folds an event, and keeps the lines of the log.
    fn log_of(&mut self, event: &Event) {
        let (applied, emitted) = self.session.feed(event).expect("taken");
        let emitted = emitted.iter().map(|document| document.to_value());
        for line in [Record::from(applied).to_value()]
            .into_iter()
            .chain(emitted)
        {
            self.log.push(json::to_text(&line.expect("finite")));
        }
    }
}

fn event(text: &str) -> Event {
    let value = json::parse_json(text, json::JsonLimits::default()).expect("JSON");
    Event::from_value(&value).expect("an event")
}

/// The events of one turn: calls that touch nothing in common, and their settlements.
fn turn(calls: usize) -> Vec<Event> {
    let ids = 0..calls;
    let call = |id: usize| {
        format!(r#"{{"call_id":"{id}","tool":"tool_2","args":{{"x":[1,2.5,3,{id}]}}}}"#)
    };
    let observed: Vec<String> = ids.clone().map(call).collect();
    let observed = format!(
        r#"{{"type":"calls.observed","calls":[{}]}}"#,
        observed.join(",")
    );
    let settled = ids.map(|id| {
        let output = format!(r#"{{"y":[1,2.5,3,{id}]}}"#);
        event(&format!(
            r#"{{"type":"call.settled","call_id":"{id}","status":"succeeded","output":{output}}}"#
        ))
    });
    [event(&observed)].into_iter().chain(settled).collect()
}

/// Events of the log that is replayed.
const EVENTS: u64 = 10_000;

fn sessions(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("events of a session");
    for calls in [1, 16, 256] {
        let turn = turn(calls);
        let mut logged = Logged::new(8);
        group.throughput(Throughput::Elements(turn.len() as u64));
        group.bench_function(format!("a turn of {calls} calls"), |bencher| {
            bencher.iter(|| {
                if logged.session.state().events + EVENTS > EVENTS_MAX {
                    logged = Logged::new(8);
                }
                for event in &turn {
                    black_box(logged.session.feed(event).expect("taken"));
                }
            })
        });
    }
    let mut logged = Logged::new(8);
    let turn = turn(16);
    while logged.session.state().events + turn.len() as u64 <= EVENTS {
        turn.iter().for_each(|event| logged.log_of(event));
    }
    let nothing = event(r#"{"type":"facts.set"}"#);
    while logged.session.state().events < EVENTS {
        logged.log_of(&nothing);
    }
    group.throughput(Throughput::Elements(EVENTS));
    group.sample_size(10);
    group.bench_function("replay a log of 10000 events", |bencher| {
        bencher.iter(|| {
            let mut replay = LogReplay::default();
            for (number, line) in logged.log.iter().enumerate() {
                let line = json::parse_json(line, json::JsonLimits::default()).expect("JSON");
                replay.line(number as u64 + 1, &line).expect("follows");
            }
            replay.finish().expect("whole")
        })
    });
    group.finish();
    let (over, more) = (
        event(r#"{"type":"turn.ended"}"#),
        event(r#"{"type":"input.appended"}"#),
    );
    let mut logged = Logged::new(256);
    criterion.bench_function("generate.requested with 256 tools", |bencher| {
        bencher.iter(|| {
            if logged.session.state().events + EVENTS > EVENTS_MAX {
                logged = Logged::new(256);
            }
            logged.session.feed(&over).expect("taken");
            logged.session.feed(&more).expect("taken")
        })
    });
}

criterion_group!(benches, decisions, agents, sessions);
criterion_main!(benches);
