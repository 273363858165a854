//! Sessions over a registry of the tests: laws on random events, plans against the earlier grouping, golden logs, schemas.

mod golden;
mod laws;
mod order;
mod replays;
mod schemas;
mod turns;
mod waves;

use std::cell::Cell;

use registry::policy::WorkspaceState;
use registry::{Principal, RuntimeFacts};
use sessions::{
    Emitted, Event, Judged, LogReplay, Missing, Offer, OfferedTool, PermittedVerdict, Resource,
    Session, SessionRegistry,
};
use tool_core::{Access, ErrorCode, ResourceKind, ToolError, Value, json};

/// A few tools: `calc` and `ask` always, `read`, `write` and `shell` with a workspace, `extra` when it is enabled.
#[derive(Default)]
pub(crate) struct Fake {
    /// Grows when the registry is read again; then `calc` is another tool.
    pub(crate) generation: Cell<u64>,
    /// Whether nothing can be offered.
    pub(crate) broken: Cell<bool>,
    /// Whether a person is asked before every call.
    pub(crate) asks: Cell<bool>,
    /// Maximum number of turns of a run.
    pub(crate) max_turns: Cell<Option<u64>>,
}

const ALWAYS: [&str; 2] = ["calc", "ask"];
pub(crate) const WITH_WORKSPACE: [&str; 3] = ["read", "write", "shell"];

impl Fake {
    fn tools(&self, who: &Principal, facts: &RuntimeFacts) -> Result<Vec<&'static str>, ToolError> {
        if self.broken.get() {
            return Err(ToolError::new(ErrorCode::NotVisible, "no role named `r`"));
        }
        let scopes = [&who.session, &who.run];
        let known = |name: &String| {
            let all = ALWAYS.iter().chain(&WITH_WORKSPACE).chain(&["extra"]);
            let found = all.copied().find(|tool| tool == name);
            found.ok_or_else(|| {
                let message = format_args!("an override: no tool named `{name}`");
                ToolError::new(ErrorCode::InvalidRequest, message).reason("override")
            })
        };
        let mut tools: Vec<&str> = match who.profile.as_deref() {
            None => ALWAYS.to_vec(),
            Some("reversed") => ALWAYS.iter().rev().copied().collect(),
            Some(other) => {
                let message = format_args!("no profile named `{other}`");
                return Err(ToolError::new(ErrorCode::NotVisible, message).reason("profile"));
            }
        };
        let ready = facts.workspace() == WorkspaceState::Ready;
        if ready {
            tools.extend(WITH_WORKSPACE);
        }
        let added = scopes
            .iter()
            .flat_map(|scope| scope.enable.iter().chain(&scope.force));
        let mut added = added.map(known).collect::<Result<Vec<_>, _>>()?;
        added.sort_unstable();
        for tool in added {
            if !tools.contains(&tool) {
                tools.push(tool);
            }
        }
        let gone = scopes.iter().flat_map(|scope| &scope.disable);
        let gone = gone.map(known).collect::<Result<Vec<_>, _>>()?;
        tools.retain(|tool| !gone.contains(tool) && (ready || !WITH_WORKSPACE.contains(tool)));
        Ok(tools)
    }

    fn digest(&self, tool: &str) -> String {
        match tool {
            "calc" => format!("calc-{}", self.generation.get()),
            other => other.to_owned(),
        }
    }
}

impl SessionRegistry for Fake {
    fn offer(&self, who: &Principal, facts: &RuntimeFacts) -> Result<Offer, ToolError> {
        let tools = self.tools(who, facts)?;
        let offered = tools.iter().map(|tool| OfferedTool {
            name: (*tool).to_owned(),
            id: (*tool).to_owned(),
            version: 1,
            digest: self.digest(tool),
        });
        let hidden = (facts.workspace() != WorkspaceState::Ready).then(|| Missing {
            fact: "workspace=ready".to_owned(),
            tools: WITH_WORKSPACE.map(str::to_owned).to_vec(),
            hint: "open it".to_owned(),
        });
        Ok(Offer {
            elsewhere: Vec::new(),
            max_turns: self.max_turns.get(),
            generation: format!("g{}", self.generation.get()),
            tools: offered.collect(),
            missing: hidden.into_iter().collect(),
        })
    }

    fn judge(
        &self,
        who: &Principal,
        facts: &RuntimeFacts,
        tool: &str,
        args: &Value,
    ) -> Result<Judged, ToolError> {
        let known = ALWAYS.iter().chain(&WITH_WORKSPACE).chain(&["extra"]);
        if !known.clone().any(|one| *one == tool) {
            let message = format_args!("no tool named `{tool}`");
            return Err(ToolError::new(ErrorCode::UnknownTool, message));
        }
        if !self.tools(who, facts)?.contains(&tool) {
            let code = match WITH_WORKSPACE.contains(&tool) {
                true => ErrorCode::PreconditionFailed,
                false => ErrorCode::NotVisible,
            };
            return Err(ToolError::new(code, format_args!("`{tool}` is hidden")));
        }
        if args.as_object().is_none() {
            let message = format_args!("expected an object, found {}", args.kind());
            return Err(ToolError::invalid("", message));
        }
        let mut resources = Vec::new();
        for (key, access) in [("reads", Access::Read), ("writes", Access::Write)] {
            for name in args.get(key).and_then(Value::items).unwrap_or_default() {
                resources.push(Resource {
                    kind: ResourceKind::Path,
                    name: name.as_str().unwrap_or_default().to_owned(),
                    access,
                });
            }
        }
        Ok(Judged {
            id: tool.to_owned(),
            version: 1,
            digest: self.digest(tool),
            decision: if tool == "ask" || self.asks.get() {
                PermittedVerdict::Ask
            } else {
                PermittedVerdict::Allow
            },
            layer: "defaults".to_owned(),
            resources,
            alone: tool == "shell",
        })
    }
}

/// An event from its text.
#[track_caller]
pub(crate) fn event(text: &str) -> Event {
    let value =
        json::parse_json(text, json::JsonLimits::default()).unwrap_or_else(|err| panic!("{err}"));
    Event::from_value(&value).unwrap_or_else(|err| panic!("{err:?}: {text}"))
}

pub(crate) const OPENED: &str = r#"{"type":"session.opened","session":"s","role":"r"}"#;
pub(crate) const RUN: &str = r#"{"type":"run.requested"}"#;
pub(crate) const READY: &str = r#"{"type":"workspace.changed","id":"w1","status":"ready"}"#;

/// A session with its log.
pub(crate) struct Logged {
    pub(crate) session: Session<Fake>,
    pub(crate) log: Vec<Value>,
}

impl Logged {
    pub(crate) fn new() -> Self {
        Self {
            session: Session::new(Fake::default()).unwrap(),
            log: Vec::new(),
        }
    }

    /// One that is open, with these events applied.
    #[track_caller]
    pub(crate) fn after(events: &[&str]) -> Self {
        let mut logged = Self::new();
        for text in [OPENED].iter().chain(events) {
            logged
                .feed(&event(text))
                .unwrap_or_else(|err| panic!("{err:?}: {text}"));
        }
        logged
    }

    pub(crate) fn feed(&mut self, event: &Event) -> Result<Vec<Emitted>, ToolError> {
        let (applied, emitted) = self.session.feed(event)?;
        let record = sessions::Record::from(applied);
        self.log.push(record.to_value().unwrap());
        self.log
            .extend(emitted.iter().map(|one| one.to_value().unwrap()));
        Ok(emitted)
    }

    /// Folds the log again, as texts, and compares the state at its end.
    #[track_caller]
    pub(crate) fn replays(&self) {
        let mut replay = LogReplay::default();
        for (number, line) in self.log.iter().enumerate() {
            let line = json::parse_json(&json::to_text(line), json::JsonLimits::default());
            replay
                .line(number as u64 + 1, &line.unwrap())
                .unwrap_or_else(|divergence| panic!("{divergence}: {divergence:?}"));
        }
        let state = replay.finish().unwrap().state.to_value().unwrap();
        assert_eq!(json::canonical_json(&state), self.bytes());
    }

    /// The state, as the bytes of its document.
    pub(crate) fn bytes(&self) -> String {
        json::canonical_json(&self.session.state().to_value().unwrap())
    }
}

/// The types of documents, in order.
pub(crate) fn kinds(emitted: &[Emitted]) -> Vec<&'static str> {
    emitted.iter().map(Emitted::kind).collect()
}
