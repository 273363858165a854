//! A small project for tests: people, agents, and the commands that lead to a state.

use tool_core::Value;
use tool_core::json::{JsonLimits, parse_json};
use workflow::names::ActorKind;
use workflow::{
    CalendarDate, DecisionContext, EventActor, EventTime, GateGrants, ItemCommand, WorkflowEvent,
    WorkflowFault, WorkflowState, decide_command, template,
};

/// A state with its events, and who may satisfy gates.
#[derive(Clone)]
pub(crate) struct World {
    pub(crate) state: WorkflowState,
    pub(crate) events: Vec<WorkflowEvent>,
    pub(crate) grants: GateGrants,
    pub(crate) now: i64,
}

pub(crate) const REQUEST: &str = "CR-20250101-001";
pub(crate) const CHAIN: &str = "CHAIN-001-parser";
pub(crate) const TASK: &str = "001-read-numbers";
pub(crate) const WORKFLOW: &str = "WF-20250101-001";

/// `pat` and `quinn` are persons, `bot-*` services, everything else is an agent; the role follows a slash: `ann/impl`.
pub(crate) fn actor(text: &str) -> EventActor {
    let (name, role) = text.split_once('/').unwrap_or((text, "impl"));
    let kind = match name {
        "pat" | "quinn" => ActorKind::Person,
        _ if name.starts_with("bot-") => ActorKind::Service,
        _ => ActorKind::Agent,
    };
    let role = if kind == ActorKind::Person {
        "operator"
    } else {
        role
    };
    EventActor::new(name, kind, role)
}

pub(crate) fn json(text: &str) -> Value {
    parse_json(text, JsonLimits::default()).expect("JSON")
}

/// A fault with its hint.
pub(crate) fn told(fault: &WorkflowFault) -> String {
    format!("{fault} ({})", fault.hint().unwrap_or_default())
}

impl World {
    pub(crate) fn new() -> Self {
        Self {
            state: WorkflowState::default(),
            events: Vec::new(),
            grants: GateGrants::default(),
            now: 1_735_689_600_000,
        }
    }

    /// What a command would do, without doing it.
    pub(crate) fn asked(
        &self,
        by: &str,
        command: &ItemCommand,
    ) -> Result<Vec<WorkflowEvent>, WorkflowFault> {
        let actor = actor(by);
        let context = DecisionContext {
            now: EventTime(self.now),
            today: CalendarDate::parse("20250101").expect("a date"),
            actor: &actor,
            grants: &self.grants,
            checkout: "",
        };
        decide_command(&self.state, &context, command)
    }

    /// Decides a command and applies its events.
    pub(crate) fn run(
        &mut self,
        by: &str,
        command: &ItemCommand,
    ) -> Result<Vec<WorkflowEvent>, WorkflowFault> {
        let events = self.asked(by, command)?;
        for event in &events {
            let before = super::transitions::phases(&self.state, event);
            self.state
                .apply(event)
                .expect("a decided event is accepted");
            super::transitions::record(command.id(), before, &self.state);
        }
        self.events.extend(events.clone());
        Ok(events)
    }

    /// [`World::run`] by the name of the tool and its arguments as JSON.
    pub(crate) fn call(
        &mut self,
        by: &str,
        tool: &str,
        args: &str,
    ) -> Result<Vec<WorkflowEvent>, WorkflowFault> {
        self.call_value(by, tool, &json(args))
    }

    pub(crate) fn call_value(
        &mut self,
        by: &str,
        tool: &str,
        args: &Value,
    ) -> Result<Vec<WorkflowEvent>, WorkflowFault> {
        let command = super::commands::read(tool, args, template::built_in)?;
        self.run(by, &command)
    }

    /// [`World::call`] that must succeed.
    pub(crate) fn did(&mut self, by: &str, tool: &str, args: &str) -> &mut Self {
        self.call(by, tool, args)
            .unwrap_or_else(|fault| panic!("{tool}: {fault}"));
        self
    }

    /// A transition of the one task.
    pub(crate) fn task(
        &mut self,
        by: &str,
        tool: &str,
    ) -> Result<Vec<WorkflowEvent>, WorkflowFault> {
        let reason = match tool {
            "task:request_changes" | "task:block" => r#","reason":"because""#,
            _ => "",
        };
        self.call(
            by,
            tool,
            &format!(r#"{{"chainId":"{CHAIN}","taskId":"{TASK}"{reason}}}"#),
        )
    }

    /// A request by `rita`, a chain, and one task in a status, submitted by `ann`.
    pub(crate) fn with_task(status: &str) -> Self {
        let mut world = Self::new();
        world
            .did(
                "rita/ideation",
                "request:create",
                r#"{"type":"cr","title":"Parser","domain":"core","content":"A parser."}"#,
            )
            .did(
                "pat",
                "chain:create",
                &format!(r#"{{"requestId":"{REQUEST}","title":"Parser"}}"#),
            )
            .did(
                "pat",
                "task:create",
                &format!(r#"{{"chainId":"{CHAIN}","title":"Read numbers"}}"#),
            );
        world.bring(status);
        world
    }

    fn bring(&mut self, status: &str) {
        let steps: &[&str] = match status {
            "backlog" => &[],
            "todo" => &["task:ready"],
            "in-progress" => &["task:ready", "task:start"],
            "in-review" => &["task:ready", "task:start", "task:submit"],
            "blocked" => &["task:block"],
            "done" => &["task:ready", "task:start", "task:submit", "task:approve"],
            other => panic!("no status {other}"),
        };
        for step in steps {
            let by = if *step == "task:approve" {
                "rob/review"
            } else {
                "ann/impl"
            };
            self.task(by, step).expect("a step");
        }
    }

    /// [`World::with_task`], and a workflow on the request.
    pub(crate) fn with_workflow(template: &str, status: &str) -> Self {
        let mut world = Self::with_task(status);
        world.did(
            "pat",
            "workflow:start",
            &format!(r#"{{"template":"{template}","requestId":"{REQUEST}"}}"#),
        );
        world
    }

    pub(crate) fn advance(&mut self) -> Result<Vec<WorkflowEvent>, WorkflowFault> {
        self.call(
            "pat",
            "workflow:advance",
            &format!(r#"{{"workflowId":"{WORKFLOW}"}}"#),
        )
    }
}
