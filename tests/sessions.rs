//! Cases of the earlier system about sessions, as data: `tests/conformance/sessions.yaml`.

use std::collections::BTreeSet;

use registry::document::{self, DocumentFormat};
use registry::{Catalogue, Config};
use sessions::{
    Emitted, Event, LiveRegistry, LogReplay, Record, Session, SessionOpened, WaveStarted,
};
use tool_core::{ToolError, Value, json};

use crate::neutral;

const CASES: &str = include_str!("conformance/sessions.yaml");

fn texts(value: &Value) -> Vec<String> {
    let items = value.items().expect("a list");
    let text = |item: &Value| item.as_str().expect("a text").to_owned();
    items.iter().map(text).collect()
}

/// A session over the dispatcher, with all that was printed.
struct Run {
    session: Session<LiveRegistry>,
    log: Vec<Value>,
    /// What the last event led to.
    last: Vec<Emitted>,
    /// What all events led to.
    all: Vec<Emitted>,
}

impl Run {
    fn new(given: &Value) -> Result<Self, String> {
        let catalogue = match given.get("empty") {
            Some(_) => Catalogue::new(&[]),
            None => neutral::catalogue(&[]),
        };
        let catalogue = catalogue.map_err(|errors| errors.to_string())?;
        let mut members = vec![("version".to_owned(), Value::from(1_i64))];
        let config = given.get("config").and_then(Value::as_object);
        for (key, value) in config.into_iter().flat_map(|config| config.iter()) {
            members.push((key.to_owned(), value.clone()));
        }
        let written = json::to_text(&Value::object(members));
        let loaded = Config::load("mathchain.json", &written, &catalogue);
        let (_, policy) = loaded.map_err(|errors| errors.to_string())?;
        let live = LiveRegistry::new(neutral::dispatcher(catalogue, policy));
        let mut run = Self {
            session: Session::new(live).expect("a session"),
            log: Vec::new(),
            last: Vec::new(),
            all: Vec::new(),
        };
        let opened = SessionOpened {
            session: "case".to_owned(),
            role: "operator".to_owned(),
            agent: None,
            phase: None,
            task: None,
            toolset: given
                .get("toolset")
                .and_then(Value::as_str)
                .map(str::to_owned),
            profile: None,
            facts: Vec::new(),
        };
        run.feed(&opened.into())
            .map_err(|error| format!("{error:?}"))?;
        Ok(run)
    }

    fn feed(&mut self, event: &Event) -> Result<(), ToolError> {
        let (applied, emitted) = self.session.feed(event)?;
        self.log.push(Record::from(applied).to_value()?);
        for document in &emitted {
            self.log.push(document.to_value()?);
        }
        self.all.extend(emitted.iter().cloned());
        self.last = emitted;
        Ok(())
    }

    /// Applies an event of a case; only the last may be refused.
    fn event(&mut self, given: &Value) -> Result<(), ToolError> {
        let Some(ids) = given.get("settle") else {
            return self.feed(&Event::from_value(given).unwrap_or_else(|err| panic!("{err:?}")));
        };
        for id in texts(ids) {
            let members = [
                ("type", "call.settled"),
                ("call_id", id.as_str()),
                ("status", "succeeded"),
                ("output", "done"),
            ];
            self.feed(&Event::from_value(&Value::object(members))?)?;
        }
        Ok(())
    }

    fn bytes(&self) -> String {
        json::canonical_json(&self.session.state().to_value().expect("a state"))
    }

    fn find<T>(&self, of: impl Fn(&Emitted) -> Option<T>) -> T {
        self.all.iter().rev().find_map(of).expect("such a document")
    }
}

fn check_run(expect: &Value, run: &Run) {
    for (key, wanted) in expect.as_object().expect("a table").iter() {
        let offered = || {
            run.find(|one| match one {
                Emitted::GenerateRequested(requested) => Some(requested.clone()),
                _ => None,
            })
        };
        let ids = || -> Vec<String> { offered().tools.into_iter().map(|tool| tool.id).collect() };
        match key {
            "emitted" => {
                let found: Vec<&str> = run.last.iter().map(Emitted::kind).collect();
                assert_eq!(found, texts(wanted), "emitted");
            }
            "offered" => assert_eq!(ids(), texts(wanted), "offered"),
            "shows" => texts(wanted)
                .iter()
                .for_each(|id| assert!(ids().contains(id), "`{id}` is hidden")),
            "hides" => texts(wanted)
                .iter()
                .for_each(|id| assert!(!ids().contains(id), "`{id}` is offered")),
            "missing" => {
                let found = offered()
                    .missing
                    .into_iter()
                    .map(|one| (one.fact, Value::from(one.tools)));
                assert_eq!(&Value::object(found), wanted, "missing");
            }
            "waves" => {
                let waves = run.find(|one| match one {
                    Emitted::PlanCreated(plan) => Some(plan.waves.clone()),
                    _ => None,
                });
                let wanted: Vec<Vec<String>> =
                    wanted.items().expect("waves").iter().map(texts).collect();
                assert_eq!(waves, wanted, "waves");
            }
            "started" => {
                let wave: WaveStarted = run.find(|one| match one {
                    Emitted::WaveStarted(wave) => Some(wave.clone()),
                    _ => None,
                });
                let ids: Vec<String> = wave.calls.into_iter().map(|call| call.call_id).collect();
                assert_eq!(ids, texts(wanted), "started");
            }
            "results" => {
                let results = run.find(|one| match one {
                    Emitted::BatchSettled(batch) => Some(batch.results.clone()),
                    _ => None,
                });
                let found = results.into_iter().map(|result| {
                    let value = tool_core::convert::to_value(&result).expect("a result");
                    let member = |pointer: &str| value.pointer(pointer);
                    let words = ["/call_id", "/status", "/error/code"]
                        .into_iter()
                        .filter_map(member);
                    Value::array(words.collect())
                });
                assert_eq!(&Value::array(found.collect()), wanted, "results");
            }
            "run" => {
                let status = run.session.state().run.as_ref().expect("a run").status;
                let status = tool_core::convert::to_value(&status).expect("a status");
                assert_eq!(&status, wanted, "run");
            }
            other => panic!("unknown key `{other}`"),
        }
    }
}

fn fold(given: &Value, expect: &Value) -> Option<Run> {
    let mut run = match (Run::new(given), expect.get("error")) {
        (Err(found), Some(parts)) => {
            texts(parts)
                .iter()
                .for_each(|part| assert!(found.contains(part.as_str()), "{found}"));
            return None;
        }
        (Err(found), None) => panic!("{found}"),
        (Ok(_), Some(error)) => panic!("expected {error}"),
        (Ok(run), None) => run,
    };
    let events = given.get("events").and_then(Value::items).expect("events");
    for (place, given) in events.iter().enumerate() {
        let before = run.bytes();
        let last = place + 1 == events.len();
        match (run.event(given), expect.get("refused").filter(|_| last)) {
            (Ok(()), None) => {}
            (Ok(()), Some(refused)) => panic!("expected {refused}"),
            (Err(error), None) => panic!("{given}: {error:?}"),
            (Err(error), Some(refused)) => {
                assert_eq!(
                    Some(error.code().as_str()),
                    refused.get("code").and_then(Value::as_str)
                );
                assert_eq!(
                    error.reason_str(),
                    refused.get("reason").and_then(Value::as_str)
                );
                assert_eq!(run.bytes(), before, "a refused event changed something");
            }
        }
    }
    Some(run)
}

fn check(case: &Value) {
    for (key, _) in case.as_object().expect("a case").iter() {
        let known = ["id", "source", "given", "expect", "deviation"];
        assert!(known.contains(&key), "unknown key `{key}`");
    }
    let given = case.get("given").expect("given");
    for (key, _) in given.as_object().expect("a table").iter() {
        assert!(
            ["config", "empty", "toolset", "events"].contains(&key),
            "unknown key `{key}`"
        );
    }
    let expect = case.get("expect").expect("expect");
    let Some(run) = fold(given, expect) else {
        return;
    };
    if expect.get("refused").is_none() {
        check_run(expect, &run);
    }
    // Case D34 for every case: the same events give the same bytes, and so does the log.
    let again = fold(given, expect).expect("as before");
    assert_eq!(
        again.log.iter().map(json::to_text).collect::<Vec<_>>(),
        run.log.iter().map(json::to_text).collect::<Vec<_>>()
    );
    let mut replay = LogReplay::default();
    for (number, line) in run.log.iter().enumerate() {
        let line =
            json::parse_json(&json::to_text(line), json::JsonLimits::default()).expect("JSON");
        replay
            .line(number as u64 + 1, &line)
            .unwrap_or_else(|err| panic!("{err:?}"));
    }
    let state = replay.finish().expect("whole").state;
    assert_eq!(
        json::canonical_json(&state.to_value().expect("a state")),
        run.bytes()
    );
}

/// Case D34 is held by every case here.
#[test]
fn the_cases_of_sessions_hold_and_fold_to_the_same_bytes_again() {
    let document = document::parse_document("sessions.yaml", CASES, DocumentFormat::Yaml);
    let document = document.unwrap_or_else(|errors| panic!("{errors}"));
    let cases = document
        .value
        .get("cases")
        .and_then(Value::items)
        .expect("cases");
    let mut ids = BTreeSet::new();
    let mut failed = Vec::new();
    for case in &cases {
        let id = case
            .get("id")
            .and_then(Value::as_str)
            .expect("an id")
            .to_owned();
        if let Err(panic) = std::panic::catch_unwind(|| check(case)) {
            let words = panic.downcast_ref::<String>().cloned();
            let words = words.or_else(|| {
                panic
                    .downcast_ref::<&str>()
                    .map(|words| (*words).to_owned())
            });
            failed.push(format!("{id}: {}", words.unwrap_or_default()));
        }
        assert!(ids.insert(id.clone()), "two cases are called {id}");
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}
