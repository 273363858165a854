//! Sessions: any lines are events of a session over a registry in memory. Every observed call gets exactly one result, what is
//! refused changes nothing, and the log folds to the same bytes again.

#![no_main]

use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::OnceLock;

use libfuzzer_sys::fuzz_target;
use mathchain::Value;
use mathchain::sessions::{
    CallStatus, PermittedVerdict, Emitted, Event, Judged, Missing, Offer, OfferedTool, Record, SessionRegistry,
    LogReplay, Resource, Session, SessionStatus, WorkspaceStatus,
};
use mathchain::registry::policy::WorkspaceState;
use mathchain::registry::{RuntimeFacts, Principal};
use mathchain::tool_core::json::{self, JsonLimits};
use mathchain::tool_core::schema::{self, Schema};
use mathchain::tool_core::{Access, ErrorCode, ResourceKind, ToolError};

fuzz_target!(|text: &str| {
    fold(text);
    replay(text);
});

/// The lines as events.
fn fold(text: &str) {
    let mut run = Run::new();
    run.feed(r#"{"type":"session.opened","session":"s","role":"r"}"#);
    for line in text.lines() {
        run.feed(line);
    }
    run.feed(r#"{"type":"session.resumed"}"#);
    run.settle_all();
    let state = run.session.state();
    if let Some(run) = state.active_run() {
        assert!(!run.due, "a turn that is due was not asked for");
    }
    assert_eq!(run.settled, state.calls, "calls without a result");
    let bytes = json::canonical_json(&state.to_value().expect("a state"));
    let mut replay = LogReplay::default();
    for (number, line) in run.log.iter().enumerate() {
        let line = json::parse_json(line, JsonLimits::default()).expect("a line of the log");
        replay
            .line(number as u64 + 1, &line)
            .unwrap_or_else(|divergence| panic!("{divergence}: {divergence:?}"));
    }
    let again = replay.finish().expect("a whole log").state;
    assert_eq!(json::canonical_json(&again.to_value().expect("a state")), bytes);
}

/// The lines as a log: it folds, or is refused at a line.
fn replay(text: &str) {
    let mut replay = LogReplay::default();
    for (number, line) in text.lines().enumerate() {
        let Ok(line) = json::parse_json(line, JsonLimits::default()) else {
            return;
        };
        if let Err(divergence) = replay.line(number as u64 + 1, &line) {
            assert!(divergence.line == number as u64 + 1 && !divergence.message.is_empty());
            return;
        }
    }
    let _ = replay.finish();
}

/// What is published about events.
fn schema() -> &'static Schema {
    static SCHEMA: OnceLock<Schema> = OnceLock::new();
    SCHEMA.get_or_init(mathchain::sessions::schema::event_line_schema)
}

struct Run {
    session: Session<Tools>,
    /// As texts.
    log: Vec<String>,
    /// Calls of the batch that is open.
    open: BTreeMap<u64, Vec<String>>,
    /// Calls that have their result.
    settled: u64,
}

impl Run {
    fn new() -> Self {
        Self {
            session: Session::new(Tools::default()).expect("a session"),
            log: Vec::new(),
            open: BTreeMap::new(),
            settled: 0,
        }
    }

    fn feed(&mut self, line: &str) {
        // The registry of the surroundings changes unasked.
        if let Some(number) = line.strip_prefix('!') {
            self.session.registry().number.set(number.len() as u64);
            return;
        }
        // The log has an event one level deeper.
        let limits = JsonLimits {
            depth_max: JsonLimits::default().depth_max - 1,
            ..JsonLimits::default()
        };
        let Ok(value) = json::parse_json(line, limits) else {
            return;
        };
        let event = match Event::from_value(&value) {
            Ok(event) => event,
            Err(error) => {
                assert!(!error.message().is_empty() && error.code() != ErrorCode::Internal);
                return;
            }
        };
        assert_eq!(schema::check_value(schema(), &value), [], "{line}");
        let written = event.to_value().expect("an event");
        assert_eq!(Event::from_value(&written).expect("an event"), event);
        let before = self.digest();
        match self.session.feed(&event) {
            Err(error) => {
                assert_eq!(self.digest(), before);
                assert!(!error.message().is_empty() && error.code() != ErrorCode::Internal);
            }
            Ok((applied, emitted)) => {
                assert_eq!(self.digest(), applied.digest);
                let applied = Record::from(applied).to_value().expect("a line");
                self.log.push(json::to_text(&applied));
                for document in &emitted {
                    self.note(document);
                    let value = document.to_value().expect("a line");
                    self.log.push(json::to_text(&value));
                }
            }
        }
    }

    fn digest(&self) -> String {
        self.session.state().digest().expect("a digest")
    }

    fn note(&mut self, document: &Emitted) {
        match document {
            Emitted::PlanCreated(plan) => {
                let ids = plan.calls.iter().map(|call| call.call_id.clone());
                assert!(self.open.is_empty(), "two batches are open");
                self.open.insert(plan.batch, ids.collect());
            }
            Emitted::WaveStarted(wave) => {
                let status = self.session.state().workspace.status;
                let ready = status == Some(WorkspaceStatus::Ready);
                let needs = |tool: &str| WITH_WORKSPACE.contains(&tool);
                assert!(!wave.calls.is_empty() && self.open.contains_key(&wave.batch));
                assert!(ready || !wave.calls.iter().any(|call| needs(&call.tool)));
            }
            Emitted::BatchSettled(batch) => {
                let ids = self.open.remove(&batch.batch).expect("settled once");
                let found = batch.results.iter().map(|result| &result.call_id);
                assert!(found.eq(ids.iter()), "results are not in call order");
                for result in &batch.results {
                    assert!(!matches!(
                        result.status,
                        CallStatus::Planned | CallStatus::Running
                    ));
                    assert!(result.status != CallStatus::Rejected || result.error.is_some());
                }
                self.settled += ids.len() as u64;
            }
            Emitted::GenerateRequested(_) | Emitted::RunEnded(_) => {}
        }
    }

    /// Settles what runs until nothing does: a batch never waits for anything else.
    fn settle_all(&mut self) {
        while let Some(batch) = &self.session.state().batch {
            assert_ne!(self.session.state().status, SessionStatus::Paused);
            let running = (batch.calls.iter()).find(|call| call.status == CallStatus::Running);
            let id = &running.expect("an open batch has a call that runs").call_id;
            let settled = Value::object([
                ("type", Value::from("call.settled")),
                ("call_id", Value::from(id.as_str())),
                ("status", Value::from("succeeded")),
            ]);
            let events = self.session.state().events;
            self.feed(&json::to_text(&settled));
            assert_eq!(self.session.state().events, events + 1, "not settled");
        }
    }
}

const ALWAYS: [&str; 2] = ["calc", "ask"];
const WITH_WORKSPACE: [&str; 3] = ["read", "write", "shell"];

/// A registry of a few tools; its number says how it is now.
#[derive(Default)]
struct Tools {
    number: Cell<u64>,
}

impl Tools {
    fn tools(&self, who: &Principal, facts: &RuntimeFacts) -> Result<Vec<&'static str>, ToolError> {
        if self.number.get() == 7 {
            return Err(ToolError::new(ErrorCode::NotVisible, "no role named `r`"));
        }
        let mut tools = ALWAYS.to_vec();
        match who.profile.as_deref() {
            None => {}
            Some("reversed") => tools.reverse(),
            Some(_) => return Err(ToolError::new(ErrorCode::NotVisible, "no such profile")),
        }
        if facts.workspace() == WorkspaceState::Ready {
            tools.extend(WITH_WORKSPACE);
        }
        let disabled = |tool: &str| {
            let scopes = [&who.session, &who.run];
            scopes
                .iter()
                .any(|scope| scope.disable.iter().any(|name| name == tool))
        };
        tools.retain(|tool| !disabled(tool));
        Ok(tools)
    }

    fn digest(&self, tool: &str) -> String {
        match tool {
            "calc" => format!("calc-{}", self.number.get()),
            other => other.to_owned(),
        }
    }
}

impl SessionRegistry for Tools {
    fn offer(&self, who: &Principal, facts: &RuntimeFacts) -> Result<Offer, ToolError> {
        let tools = self.tools(who, facts)?;
        let offered = tools.iter().map(|tool| OfferedTool {
            name: (*tool).to_owned(),
            id: (*tool).to_owned(),
            version: 1,
            digest: self.digest(tool),
        });
        let missing = (facts.workspace() != WorkspaceState::Ready).then(|| Missing {
            fact: "workspace=ready".to_owned(),
            tools: WITH_WORKSPACE.map(str::to_owned).to_vec(),
            hint: "open it".to_owned(),
        });
        Ok(Offer {
            generation: format!("g{}", self.number.get()),
            tools: offered.collect(),
            missing: missing.into_iter().collect(),
            elsewhere: Default::default(),
            max_turns: None,
        })
    }

    fn judge(
        &self,
        who: &Principal,
        facts: &RuntimeFacts,
        tool: &str,
        args: &Value,
    ) -> Result<Judged, ToolError> {
        let tools = self.tools(who, facts)?;
        let Some(tool) = tools.into_iter().find(|one| *one == tool) else {
            return Err(ToolError::new(ErrorCode::UnknownTool, "no such tool"));
        };
        if args.as_object().is_none() {
            return Err(ToolError::invalid("", "expected an object"));
        }
        let mut resources = Vec::new();
        for (key, access) in [("reads", Access::Read), ("writes", Access::Write)] {
            let names = args.get(key).and_then(Value::items).unwrap_or_default();
            for name in names {
                resources.push(Resource {
                    kind: ResourceKind::Path,
                    name: name.as_str().unwrap_or_default().to_owned(),
                    access,
                });
            }
        }
        let asks = tool == "ask" || self.number.get() == 3;
        Ok(Judged {
            id: tool.to_owned(),
            version: 1,
            digest: self.digest(tool),
            decision: if asks { PermittedVerdict::Ask } else { PermittedVerdict::Allow },
            layer: "defaults".to_owned(),
            resources,
            alone: tool == "shell",
        })
    }
}
