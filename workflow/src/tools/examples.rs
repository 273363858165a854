//! Examples of the tools that are no commands, and the order in which one project can take those of all tools; a test of the binary does.
#![allow(
    non_upper_case_globals,
    reason = "each has the name of the arguments it is about"
)]

use tool_core::{JsonExample, examples};

use crate::commands::command::{CommandTool, ExampleStep};
use crate::commands::{self, with_commands};

/// A tool with the role that calls it in its examples.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExampleCall {
    /// Id of the tool.
    pub tool: &'static str,
    /// The role.
    pub role: &'static str,
}

/// Where the examples of the tools that are no commands stand; of those at one place in this order.
const OTHERS: &[(&str, ExampleStep)] = &[
    ("request:list", ExampleStep::new(1, "operator")),
    ("task:status", ExampleStep::new(10, "impl")),
    ("task:list", ExampleStep::new(10, "impl")),
    ("chain:status", ExampleStep::new(12, "review")),
    ("chain:list", ExampleStep::new(12, "review")),
    ("chain:summary", ExampleStep::new(12, "review")),
    ("lock:status", ExampleStep::new(13, "operator")),
    ("governance:check", ExampleStep::new(13, "impl")),
    ("workflow:status", ExampleStep::new(15, "review")),
    ("feedback:list", ExampleStep::new(16, "impl")),
    ("spawn_agent", ExampleStep::new(31, "operator")),
    ("spawn_impl_session", ExampleStep::new(33, "operator")),
];

/// Defines the steps of commands from the list.
macro_rules! define_steps {
    ($($module:ident:
        $(transition $transition:ident)? $(command $command:ident)? $(=> $event:ident)? $(tool $tool:ident)? $(other $other:ident)?;
    )+) => {
        const COMMANDS: &[(&str, ExampleStep)] = &[$(
            $((<commands::$transition as CommandTool>::SPEC.id, <commands::$transition as CommandTool>::STEP),)?
            $((<commands::$tool as CommandTool>::SPEC.id, <commands::$tool as CommandTool>::STEP),)?
        )+];
    };
}
with_commands!(define_steps);

/// Every tool, in the order of the examples: what reads at a place comes before the command that changes it.
pub fn calls_in_order() -> Vec<ExampleCall> {
    let mut steps: Vec<_> = OTHERS.iter().chain(COMMANDS).collect();
    steps.sort_by_key(|(_, step)| step.events_before);
    let calls = steps.into_iter().map(|(tool, step)| ExampleCall {
        tool,
        role: step.role,
    });
    calls.collect()
}

pub(super) const RequestList: &[JsonExample] = examples! {
    "every request": r##"{}"## => r##"{"requests": [{"requestId": "CR-20251206-001", "type": "cr", "title": "A parser", "domain": "core", "status": "backlog", "closed": null, "review": null, "author": "ideation", "chains": []}]}"##;
};

pub(super) const TaskStatusArgs: &[JsonExample] = examples! {
    "one task": r##"{"chainId": "CHAIN-001-parser", "taskId": "001-read-numbers"}"## => r##"{"chainId": "CHAIN-001-parser", "taskId": "001-read-numbers", "title": "Read numbers", "type": "impl", "status": "in-progress", "allowed": ["in-review", "blocked", "todo"], "objective": "Read what is a number.", "expectedFiles": [], "fileScope": [], "acceptance": [], "constraints": [], "notes": "", "blocked": null, "reworkOf": null, "reworkCount": 1, "submitter": "impl", "summary": "All digits are read.", "reviews": [{"verdict": "changes_requested", "by": "review", "at": "2025-12-06T00:06:57.639Z", "reason": "1e400 is no error.", "suggestions": ["Check the range."]}], "updated": "2025-12-06T00:06:57.639Z"}"##;
};

pub(super) const TaskList: &[JsonExample] = examples! {
    "every task": r##"{"chainId": "CHAIN-001-parser"}"## => r##"{"chainId": "CHAIN-001-parser", "tasks": [{"taskId": "001-read-numbers", "title": "Read numbers", "status": "in-progress", "reworkCount": 1}]}"##;
};

pub(super) const ChainStatusArgs: &[JsonExample] = examples! {
    "one chain": r##"{"chainId": "CHAIN-001-parser"}"## => r##"{"chain": {"chainId": "CHAIN-001-parser", "requestId": "CR-20251206-001", "title": "Parser", "type": "implementation", "status": "done", "review": null, "tasks": 1, "done": 1, "progress": 100, "nextTask": null}, "description": "", "dependsOn": null, "fileScope": [], "reviews": [], "tasks": [{"taskId": "001-read-numbers", "title": "Read numbers", "status": "done", "reworkCount": 1}]}"##;
};

pub(super) const ChainList: &[JsonExample] = examples! {
    "chains of a request": r##"{"requestId": "CR-20251206-001"}"## => r##"{"chains": [{"chainId": "CHAIN-001-parser", "requestId": "CR-20251206-001", "title": "Parser", "type": "implementation", "status": "done", "review": null, "tasks": 1, "done": 1, "progress": 100, "nextTask": null}]}"##;
};

pub(super) const ChainSummary: &[JsonExample] = examples! {
    "a chain for a review": r##"{"chainId": "CHAIN-001-parser"}"## => r##"{"chain": {"chainId": "CHAIN-001-parser", "requestId": "CR-20251206-001", "title": "Parser", "type": "implementation", "status": "done", "review": null, "tasks": 1, "done": 1, "progress": 100, "nextTask": null}, "tasks": [{"chainId": "CHAIN-001-parser", "taskId": "001-read-numbers", "title": "Read numbers", "type": "impl", "status": "done", "allowed": [], "objective": "Read what is a number.", "expectedFiles": [], "fileScope": [], "acceptance": [], "constraints": [], "notes": "", "blocked": null, "reworkOf": null, "reworkCount": 1, "submitter": "impl", "summary": "All digits are read.", "reviews": [{"verdict": "changes_requested", "by": "review", "at": "2025-12-06T00:06:57.639Z", "reason": "1e400 is no error.", "suggestions": ["Check the range."]}, {"verdict": "approved", "by": "review", "at": "2025-12-06T00:06:57.639Z", "reason": null, "suggestions": []}], "updated": "2025-12-06T00:06:57.639Z"}]}"##;
};

pub(super) const LockStatus: &[JsonExample] = examples! {
    "what is locked": r##"{}"## => r##"{"locks": [{"chainId": "CHAIN-001-parser", "patterns": ["src/parser/**"], "holder": "operator", "expires": "2025-12-06T00:06:57.639Z"}]}"##;
};

pub(super) const GovernanceCheck: &[JsonExample] = examples! {
    "a file of another chain": r##"{"files": ["src/parser/digits.rs"]}"## => r##"{"ruling": "deny", "rules": null, "files": [{"path": "src/parser/digits.rs", "ruling": "deny", "reason": "chain `CHAIN-001-parser` has locked it until 2025-12-06T00:06:57.639Z"}]}"##;
};

pub(super) const WorkflowStatusArgs: &[JsonExample] = examples! {
    "where it is": r##"{"workflowId": "WF-20251206-001"}"## => r##"{"workflows": [{"workflowId": "WF-20251206-001", "template": "ideation", "status": "active", "requestId": "CR-20251206-001", "chainId": null, "stage": "exploration", "role": "ideation", "prompt": "Explore the idea: the problem, its value, its risks, and what would be feasible.\nWhen it is clear whether it is worth continuing, request the decision.\n", "paused": null, "unanswered": [], "stages": [{"name": "exploration", "status": "active", "gate": "human_approval", "prompt": "Continue to proposals, or discard this idea?", "options": ["Continue", "Discard"], "satisfiedBy": null}, {"name": "proposal", "status": "pending", "gate": "human_approval", "prompt": "Approve these proposals?", "options": [], "satisfiedBy": null}, {"name": "creation", "status": "pending", "gate": "auto", "prompt": null, "options": [], "satisfiedBy": null}]}]}"##;
};

pub(super) const FeedbackList: &[JsonExample] = examples! {
    "questions": r##"{"workflowId": "WF-20251206-001"}"## => r##"{"feedback": [{"workflowId": "WF-20251206-001", "feedbackId": "FB-001", "type": "question", "priority": "low", "blocking": false, "status": "pending", "content": "Which base?", "options": [], "author": "impl", "chainId": null, "taskId": null, "answer": null, "selectedOption": null, "answeredBy": null, "dismissed": null}]}"##;
};

pub(super) const SpawnAgent: &[JsonExample] = examples! {
    "an agent that greets": r##"{"role": "impl", "context": "Say hello."}"## => r##"{"agentId": "impl-1", "role": "impl", "outcome": "completed", "category": null, "message": null, "answer": "Hello.", "exit": 0, "turns": null, "costUsd": null, "elapsedMs": 1200, "event": 33}"##;
};

pub(super) const SpawnImplSession: &[JsonExample] = examples! {
    "an agent for a task": r##"{"chainId": "CHAIN-001-parser", "taskId": "001-read-numbers"}"## => r##"{"agentId": "impl-2", "role": "impl", "outcome": "completed", "category": null, "message": null, "answer": "Hello.", "exit": 0, "turns": null, "costUsd": null, "elapsedMs": 1200, "event": 35}"##;
};
