//! Examples of the tools, in an order in which one project can take them; a test of the binary does.
#![allow(
    non_upper_case_globals,
    reason = "each has the name of the arguments it is about"
)]

use tool_core::{JsonExample, examples};

/// Tools with the roles that call them, in the order of the examples.
pub const ORDER: &[(&str, &str)] = &[
    ("request:create", "ideation"),
    ("request:list", "operator"),
    ("chain:create", "operator"),
    ("task:create", "operator"),
    ("task:start", "operator"),
    ("task:ready", "operator"),
    ("task:block", "operator"),
    ("task:unblock", "operator"),
    ("task:submit", "impl"),
    ("task:request_changes", "review"),
    ("task:status", "impl"),
    ("task:list", "impl"),
    ("task:approve", "review"),
    ("chain:status", "review"),
    ("chain:list", "review"),
    ("chain:summary", "review"),
    ("lock:acquire", "operator"),
    ("lock:status", "operator"),
    ("governance:check", "impl"),
    ("lock:release", "operator"),
    ("workflow:start", "operator"),
    ("workflow:status", "review"),
    ("feedback:create", "impl"),
    ("feedback:list", "impl"),
    ("feedback:respond", "operator"),
    ("feedback:dismiss", "operator"),
    ("workflow:pause", "operator"),
    ("workflow:resume", "operator"),
    ("request_approval", "toolrunner"),
    ("gate:satisfy", "operator"),
    ("workflow:advance", "operator"),
    ("workflow:discard", "operator"),
    ("chain:request_changes", "review"),
    ("chain:approve", "review"),
    ("request:request_changes", "review"),
    ("request:approve", "review"),
    ("request:close", "operator"),
    ("spawn_agent", "operator"),
    ("spawn_impl_session", "operator"),
];

pub(super) const RequestCreate: &[JsonExample] = examples! {
    "a change request": r##"{"type": "cr", "title": "A parser", "domain": "core", "content": "Numbers have to be read."}"## => r##"{"id": "CR-20251206-001", "status": "backlog", "events": [{"number": 1, "type": "request.created", "reason": null, "data": {"request": "CR-20251206-001", "kind": "cr", "title": "A parser", "domain": "core", "content": "Numbers have to be read."}}]}"##;
};

pub(super) const RequestList: &[JsonExample] = examples! {
    "every request": r##"{}"## => r##"{"requests": [{"requestId": "CR-20251206-001", "type": "cr", "title": "A parser", "domain": "core", "status": "backlog", "closed": null, "review": null, "author": "ideation", "chains": []}]}"##;
};

pub(super) const ChainCreate: &[JsonExample] = examples! {
    "a chain": r##"{"requestId": "CR-20251206-001", "title": "Parser"}"## => r##"{"id": "CHAIN-001-parser", "status": "backlog", "events": [{"number": 2, "type": "chain.created", "reason": null, "data": {"chain": "CHAIN-001-parser", "request": "CR-20251206-001", "title": "Parser"}}]}"##;
};

pub(super) const TaskCreate: &[JsonExample] = examples! {
    "a task that is ready": r##"{"chainId": "CHAIN-001-parser", "title": "Read numbers", "objective": "Read what is a number.", "ready": true}"## => r##"{"id": "001-read-numbers", "status": "todo", "events": [{"number": 3, "type": "task.created", "reason": null, "data": {"chain": "CHAIN-001-parser", "task": "001-read-numbers", "title": "Read numbers", "status": "todo", "brief": {"objective": "Read what is a number."}}}]}"##;
};

pub(super) const TaskStart: &[JsonExample] = examples! {
    "start it": r##"{"chainId": "CHAIN-001-parser", "taskId": "001-read-numbers"}"## => r##"{"id": "001-read-numbers", "status": "in-progress", "events": [{"number": 4, "type": "task.started", "reason": null, "data": {"chain": "CHAIN-001-parser", "task": "001-read-numbers", "from": "todo", "to": "in-progress"}}]}"##;
};

pub(super) const TaskReady: &[JsonExample] = examples! {
    "back to the others": r##"{"chainId": "CHAIN-001-parser", "taskId": "001-read-numbers"}"## => r##"{"id": "001-read-numbers", "status": "todo", "events": [{"number": 5, "type": "task.readied", "reason": null, "data": {"chain": "CHAIN-001-parser", "task": "001-read-numbers", "from": "in-progress", "to": "todo"}}]}"##;
};

pub(super) const TaskBlock: &[JsonExample] = examples! {
    "it cannot continue": r##"{"chainId": "CHAIN-001-parser", "taskId": "001-read-numbers", "reason": "The grammar is missing."}"## => r##"{"id": "001-read-numbers", "status": "blocked", "events": [{"number": 6, "type": "task.blocked", "reason": "The grammar is missing.", "data": {"chain": "CHAIN-001-parser", "task": "001-read-numbers", "from": "todo", "to": "blocked"}}]}"##;
};

pub(super) const TaskUnblock: &[JsonExample] = examples! {
    "it can continue": r##"{"chainId": "CHAIN-001-parser", "taskId": "001-read-numbers"}"## => r##"{"id": "001-read-numbers", "status": "todo", "events": [{"number": 7, "type": "task.unblocked", "reason": null, "data": {"chain": "CHAIN-001-parser", "task": "001-read-numbers", "from": "blocked", "to": "todo"}}]}"##;
};

pub(super) const TaskSubmit: &[JsonExample] = examples! {
    "a submission": r##"{"chainId": "CHAIN-001-parser", "taskId": "001-read-numbers", "summary": "All digits are read."}"## => r##"{"id": "001-read-numbers", "status": "in-review", "events": [{"number": 9, "type": "task.submitted", "reason": null, "data": {"chain": "CHAIN-001-parser", "task": "001-read-numbers", "from": "in-progress", "to": "in-review", "summary": "All digits are read."}}]}"##;
};

pub(super) const TaskRequestChanges: &[JsonExample] = examples! {
    "a review": r##"{"chainId": "CHAIN-001-parser", "taskId": "001-read-numbers", "reason": "1e400 is no error.", "suggestions": ["Check the range."]}"## => r##"{"id": "001-read-numbers", "status": "in-progress", "events": [{"number": 10, "type": "task.changes_requested", "reason": "1e400 is no error.", "data": {"chain": "CHAIN-001-parser", "task": "001-read-numbers", "from": "in-review", "to": "in-progress", "suggestions": ["Check the range."]}}]}"##;
};

pub(super) const TaskStatusArgs: &[JsonExample] = examples! {
    "one task": r##"{"chainId": "CHAIN-001-parser", "taskId": "001-read-numbers"}"## => r##"{"chainId": "CHAIN-001-parser", "taskId": "001-read-numbers", "title": "Read numbers", "type": "impl", "status": "in-progress", "allowed": ["in-review", "blocked", "todo"], "objective": "Read what is a number.", "expectedFiles": [], "fileScope": [], "acceptance": [], "constraints": [], "notes": "", "blocked": null, "reworkOf": null, "reworkCount": 1, "submitter": "impl", "summary": "All digits are read.", "reviews": [{"verdict": "changes_requested", "by": "review", "at": "2025-12-06T00:06:57.639Z", "reason": "1e400 is no error.", "suggestions": ["Check the range."]}], "updated": "2025-12-06T00:06:57.639Z"}"##;
};

pub(super) const TaskList: &[JsonExample] = examples! {
    "every task": r##"{"chainId": "CHAIN-001-parser"}"## => r##"{"chainId": "CHAIN-001-parser", "tasks": [{"taskId": "001-read-numbers", "title": "Read numbers", "status": "in-progress", "reworkCount": 1}]}"##;
};

pub(super) const TaskApprove: &[JsonExample] = examples! {
    "an approval": r##"{"chainId": "CHAIN-001-parser", "taskId": "001-read-numbers"}"## => r##"{"id": "001-read-numbers", "status": "done", "events": [{"number": 12, "type": "task.approved", "reason": null, "data": {"chain": "CHAIN-001-parser", "task": "001-read-numbers", "from": "in-review", "to": "done"}}]}"##;
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

pub(super) const LockAcquire: &[JsonExample] = examples! {
    "files of a chain": r##"{"chainId": "CHAIN-001-parser", "patterns": ["src/parser/**"]}"## => r##"{"id": "CHAIN-001-parser", "status": "held", "events": [{"number": 13, "type": "lock.acquired", "reason": null, "data": {"chain": "CHAIN-001-parser", "patterns": ["src/parser/**"], "expires": 1795789172962}}]}"##;
};

pub(super) const LockStatus: &[JsonExample] = examples! {
    "what is locked": r##"{}"## => r##"{"locks": [{"chainId": "CHAIN-001-parser", "patterns": ["src/parser/**"], "holder": "operator", "expires": "2025-12-06T00:06:57.639Z"}]}"##;
};

pub(super) const GovernanceCheck: &[JsonExample] = examples! {
    "a file of another chain": r##"{"files": ["src/parser/digits.rs"]}"## => r##"{"ruling": "deny", "rules": null, "files": [{"path": "src/parser/digits.rs", "ruling": "deny", "reason": "chain `CHAIN-001-parser` has locked it until 2025-12-06T00:06:57.639Z"}]}"##;
};

pub(super) const LockRelease: &[JsonExample] = examples! {
    "files are free": r##"{"chainId": "CHAIN-001-parser"}"## => r##"{"id": "CHAIN-001-parser", "status": "released", "events": [{"number": 14, "type": "lock.released", "reason": null, "data": {"chain": "CHAIN-001-parser"}}]}"##;
};

pub(super) const WorkflowStart: &[JsonExample] = examples! {
    "a workflow": r##"{"template": "ideation", "requestId": "CR-20251206-001"}"## => r##"{"id": "WF-20251206-001", "status": "active", "events": [{"number": 15, "type": "workflow.started", "reason": null, "data": {"workflow": "WF-20251206-001", "template": "ideation", "stages": [{"name": "exploration", "type": "ideation", "role": "ideation", "prompt": "Explore the idea: the problem, its value, its risks, and what would be feasible.\nWhen it is clear whether it is worth continuing, request the decision.\n", "gate": {"type": "human_approval", "prompt": "Continue to proposals, or discard this idea?", "agent_triggered": true, "options": [{"label": "Continue", "action": "advance"}, {"label": "Discard", "action": "discard"}]}}, {"name": "proposal", "type": "ideation", "role": "ideation", "prompt": "Write proposals for requests: goal, scope, and conditions of acceptance.\n", "gate": {"type": "human_approval", "prompt": "Approve these proposals?"}}, {"name": "creation", "type": "ideation", "role": "ideation", "prompt": "Create a request for each approved proposal.\n", "gate": {"type": "auto"}}], "request": "CR-20251206-001"}}]}"##;
};

pub(super) const WorkflowStatusArgs: &[JsonExample] = examples! {
    "where it is": r##"{"workflowId": "WF-20251206-001"}"## => r##"{"workflows": [{"workflowId": "WF-20251206-001", "template": "ideation", "status": "active", "requestId": "CR-20251206-001", "chainId": null, "stage": "exploration", "role": "ideation", "prompt": "Explore the idea: the problem, its value, its risks, and what would be feasible.\nWhen it is clear whether it is worth continuing, request the decision.\n", "paused": null, "unanswered": [], "stages": [{"name": "exploration", "status": "active", "gate": "human_approval", "prompt": "Continue to proposals, or discard this idea?", "options": ["Continue", "Discard"], "satisfiedBy": null}, {"name": "proposal", "status": "pending", "gate": "human_approval", "prompt": "Approve these proposals?", "options": [], "satisfiedBy": null}, {"name": "creation", "status": "pending", "gate": "auto", "prompt": null, "options": [], "satisfiedBy": null}]}]}"##;
};

pub(super) const FeedbackCreate: &[JsonExample] = examples! {
    "a question": r##"{"workflowId": "WF-20251206-001", "question": "Which base?"}"## => r##"{"id": "FB-001", "status": "pending", "events": [{"number": 16, "type": "feedback.created", "reason": null, "data": {"workflow": "WF-20251206-001", "feedback": "FB-001", "kind": "question", "content": "Which base?", "priority": "low"}}]}"##;
};

pub(super) const FeedbackList: &[JsonExample] = examples! {
    "questions": r##"{"workflowId": "WF-20251206-001"}"## => r##"{"feedback": [{"workflowId": "WF-20251206-001", "feedbackId": "FB-001", "type": "question", "priority": "low", "blocking": false, "status": "pending", "content": "Which base?", "options": [], "author": "impl", "chainId": null, "taskId": null, "answer": null, "selectedOption": null, "answeredBy": null, "dismissed": null}]}"##;
};

pub(super) const FeedbackRespond: &[JsonExample] = examples! {
    "an answer": r##"{"workflowId": "WF-20251206-001", "feedbackId": "FB-001", "content": "Base 10."}"## => r##"{"id": "FB-001", "status": "resolved", "events": [{"number": 17, "type": "feedback.answered", "reason": null, "data": {"workflow": "WF-20251206-001", "feedback": "FB-001", "content": "Base 10."}}]}"##;
};

pub(super) const FeedbackDismiss: &[JsonExample] = examples! {
    "no answer": r##"{"workflowId": "WF-20251206-001", "feedbackId": "FB-002", "reason": "See the request."}"## => r##"{"id": "FB-002", "status": "dismissed", "events": [{"number": 19, "type": "feedback.dismissed", "reason": "See the request.", "data": {"workflow": "WF-20251206-001", "feedback": "FB-002"}}]}"##;
};

pub(super) const WorkflowPause: &[JsonExample] = examples! {
    "a pause": r##"{"workflowId": "WF-20251206-001", "reason": "holiday"}"## => r##"{"id": "WF-20251206-001", "status": "paused", "events": [{"number": 20, "type": "workflow.paused", "reason": "holiday", "data": {"workflow": "WF-20251206-001"}}]}"##;
};

pub(super) const WorkflowResume: &[JsonExample] = examples! {
    "it continues": r##"{"workflowId": "WF-20251206-001"}"## => r##"{"id": "WF-20251206-001", "status": "active", "events": [{"number": 21, "type": "workflow.resumed", "reason": null, "data": {"workflow": "WF-20251206-001"}}]}"##;
};

pub(super) const RequestApproval: &[JsonExample] = examples! {
    "the question to a person": r##"{"workflowId": "WF-20251206-001"}"## => r##"{"id": "WF-20251206-001", "status": "active", "events": [{"number": 22, "type": "gate.opened", "reason": null, "data": {"workflow": "WF-20251206-001", "stage": 0}}]}"##;
};

pub(super) const GateSatisfy: &[JsonExample] = examples! {
    "a person answers": r##"{"workflowId": "WF-20251206-001", "option": "Continue"}"## => r##"{"id": "WF-20251206-001", "status": "active", "events": [{"number": 23, "type": "gate.satisfied", "reason": null, "data": {"workflow": "WF-20251206-001", "stage": 0, "option": "Continue"}}]}"##;
};

pub(super) const WorkflowAdvance: &[JsonExample] = examples! {
    "the next stage": r##"{"workflowId": "WF-20251206-001"}"## => r##"{"id": "WF-20251206-001", "status": "active", "events": [{"number": 24, "type": "workflow.advanced", "reason": null, "data": {"workflow": "WF-20251206-001", "from": 0, "to": 1}}, {"number": 25, "type": "gate.opened", "reason": null, "data": {"workflow": "WF-20251206-001", "stage": 1}}]}"##;
};

pub(super) const WorkflowDiscard: &[JsonExample] = examples! {
    "it is given up": r##"{"workflowId": "WF-20251206-001", "reason": "Not needed."}"## => r##"{"id": "WF-20251206-001", "status": "discarded", "events": [{"number": 26, "type": "workflow.discarded", "reason": "Not needed.", "data": {"workflow": "WF-20251206-001"}}]}"##;
};

pub(super) const ChainRequestChanges: &[JsonExample] = examples! {
    "a review of the whole": r##"{"chainId": "CHAIN-001-parser", "reason": "Tests are missing."}"## => r##"{"id": "CHAIN-001-parser", "status": "done", "events": [{"number": 27, "type": "chain.changes_requested", "reason": "Tests are missing.", "data": {"chain": "CHAIN-001-parser"}}]}"##;
};

pub(super) const ChainApprove: &[JsonExample] = examples! {
    "an approved chain": r##"{"chainId": "CHAIN-001-parser"}"## => r##"{"id": "CHAIN-001-parser", "status": "done", "events": [{"number": 28, "type": "chain.approved", "reason": null, "data": {"chain": "CHAIN-001-parser"}}]}"##;
};

pub(super) const RequestRequestChanges: &[JsonExample] = examples! {
    "changes of a request": r##"{"requestId": "CR-20251206-001", "reason": "Say what a number is."}"## => r##"{"id": "CR-20251206-001", "status": "doing", "events": [{"number": 29, "type": "request.changes_requested", "reason": "Say what a number is.", "data": {"request": "CR-20251206-001"}}]}"##;
};

pub(super) const RequestApprove: &[JsonExample] = examples! {
    "an approved request": r##"{"requestId": "CR-20251206-001"}"## => r##"{"id": "CR-20251206-001", "status": "doing", "events": [{"number": 30, "type": "request.approved", "reason": null, "data": {"request": "CR-20251206-001"}}]}"##;
};

pub(super) const RequestClose: &[JsonExample] = examples! {
    "its end": r##"{"requestId": "CR-20251206-001"}"## => r##"{"id": "CR-20251206-001", "status": "done", "events": [{"number": 31, "type": "request.closed", "reason": null, "data": {"request": "CR-20251206-001", "outcome": "completed"}}]}"##;
};

pub(super) const SpawnAgent: &[JsonExample] = examples! {
    "an agent that greets": r##"{"role": "impl", "context": "Say hello."}"## => r##"{"agentId": "impl-1", "role": "impl", "outcome": "completed", "category": null, "message": null, "answer": "Hello.", "exit": 0, "turns": null, "costUsd": null, "elapsedMs": 1200, "event": 33}"##;
};

pub(super) const SpawnImplSession: &[JsonExample] = examples! {
    "an agent for a task": r##"{"chainId": "CHAIN-001-parser", "taskId": "001-read-numbers"}"## => r##"{"agentId": "impl-2", "role": "impl", "outcome": "completed", "category": null, "message": null, "answer": "Hello.", "exit": 0, "turns": null, "costUsd": null, "elapsedMs": 1200, "event": 35}"##;
};
