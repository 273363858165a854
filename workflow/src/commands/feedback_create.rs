//! `feedback:create`: a question or remark of an agent.
//!
//! It takes two shapes: `question`, `context` as text, `blocking`; and `type`, `content`, `priority`, `context` as an object, `options`.
//! Feedback blocks when `blocking` is true or its type is `blocker`; a `clarification` blocks only when `blocking` is given, so that one
//! rule holds for every type but one.

use std::collections::BTreeSet;

use tool_core::convert::from_value;

use tool_core::{JsonExample, Spec, Value, examples};

use super::command::{CHANGES, Command, CommandTool, DraftResult, EventDraft, ExampleStep, args};
use super::text;
use crate::actor::{DecisionContext, EventOrigin};
use crate::event::data::{EventData, define_event};
use crate::event::parts::{CodeSnippet, FeedbackContext, FeedbackOption};
use crate::fault::WorkflowFault;
use crate::ids;
use crate::limits::{ENTRY_BYTES_MAX, FEEDBACK_MAX, TEXT_BYTES_MAX, TITLE_BYTES_MAX};
use crate::names::{FeedbackKind, FeedbackStatus, Priority};
use crate::state::check::{at_most, check_fresh_id};
use crate::state::{WorkflowFeedback, WorkflowState};

args! {
    /// Ask a question or give feedback in a workflow; blocking feedback pauses it until there is an answer.
    FeedbackCreate {
        /// Id of the workflow, such as `WF-20251206-001`.
        workflow_id: String,
        /// The question; instead of `content`.
        question: Option<String>,
        /// The question or remark; instead of `question`.
        content: Option<String>,
        /// Kind of the feedback; `question` where absent.
        r#type: Option<FeedbackKind>,
        /// Whether the workflow is paused until there is an answer; always for `blocker`.
        blocking: Option<bool>,
        /// Its priority; by its kind where absent.
        priority: Option<Priority>,
        /// What helps to answer: a text, or an object with `files`, `codeSnippets`, `options`, `metadata`.
        context: Option<Value>,
        /// Possible answers, each with `label`, `description`, `recommended`.
        options: Option<Vec<FeedbackOption>>,
        /// Id of the chain it is about.
        chain_id: Option<String>,
        /// Id of the task it is about; needs `chainId`.
        task_id: Option<String>,
    }
}

args! {
    /// What helps to answer feedback, as an object.
    ContextArgs {
        /// An explanation.
        notes: Option<String>,
        /// Files.
        files: Option<Vec<String>>,
        /// Parts of files.
        code_snippets: Option<Vec<CodeSnippet>>,
        /// Possible answers.
        options: Option<Vec<FeedbackOption>>,
        /// Anything else, as an object.
        metadata: Option<Value>,
    }
}

define_event! {
    /// Feedback was given or a question asked.
    FeedbackCreated = "feedback.created" {
        /// Its workflow.
        workflow: String,
        /// Its id, unique in the workflow.
        feedback: String,
        /// Its kind.
        kind: FeedbackKind,
        /// The question or remark.
        content: String,
        /// Its priority.
        priority: Priority;
        /// Whether the workflow is paused until there is an answer.
        blocking: bool,
        /// What helps to answer.
        context: FeedbackContext,
        /// The chain it is about.
        chain: Option<String>,
        /// The task it is about.
        task: Option<String>,
    }
}

impl Command for FeedbackCreate {
    const ID: &'static str = "feedback:create";

    /// # Errors
    /// Unknown workflow, both shapes at once, no text, `blocking: false` for a blocker, a limit.
    fn draft_event(&self, state: &WorkflowState, context: &DecisionContext<'_>) -> DraftResult {
        let workflow = state.workflow(&self.workflow_id)?;
        let content = match (&self.question, &self.content) {
            (Some(_), Some(content)) => {
                return Err(WorkflowFault::invalid(
                    "content",
                    "either `question` or `content`",
                    content,
                ));
            }
            (Some(question), None) => text::require_text("question", question, TEXT_BYTES_MAX)?,
            (None, Some(content)) => text::require_text("content", content, TEXT_BYTES_MAX)?,
            (None, None) => return Err(WorkflowFault::Missing { field: "question" }),
        };
        let kind = self.r#type.unwrap_or_default();
        let blocking = match (kind, self.blocking) {
            (FeedbackKind::Blocker, Some(false)) => {
                return Err(WorkflowFault::invalid(
                    "blocking",
                    "true, since a blocker blocks",
                    "false",
                ));
            }
            (FeedbackKind::Blocker, _) => true,
            (_, blocking) => blocking.unwrap_or(false),
        };
        let data = FeedbackCreated {
            workflow: workflow.id.clone(),
            feedback: ids::feedback_id(
                workflow.feedback_counter.saturating_add(1),
                context.checkout,
            ),
            kind,
            content,
            priority: self.priority.unwrap_or(kind.priority()),
            blocking,
            context: read_context(self)?,
            chain: self.chain_id.clone(),
            task: self.task_id.clone(),
        };
        Ok(EventDraft::new(data))
    }
}

fn read_context(args: &FeedbackCreate) -> Result<FeedbackContext, WorkflowFault> {
    let given = match &args.context {
        None => ContextArgs::default(),
        Some(Value::String(notes)) => ContextArgs {
            notes: Some(notes.to_string()),
            ..ContextArgs::default()
        },
        Some(object @ Value::Object(_)) => {
            from_value(object).map_err(|problem| WorkflowFault::Malformed {
                path: format!("/context{}", problem.path),
                message: problem.message,
            })?
        }
        Some(other) => {
            return Err(WorkflowFault::invalid(
                "context",
                "a text or an object",
                &other.kind(),
            ));
        }
    };
    // Options can come in either shape, so that one that has both would say two things.
    if given.options.is_some() && args.options.is_some() {
        return Err(WorkflowFault::invalid(
            "options",
            "options once, as an argument or in `context`",
            "both",
        ));
    }
    let metadata = given.metadata.unwrap_or_default();
    if !metadata.is_null() && metadata.as_object().is_none() {
        return Err(WorkflowFault::invalid(
            "metadata",
            "an object",
            &metadata.kind(),
        ));
    }
    text::at_most(
        "metadata",
        &tool_core::json::to_text(&metadata),
        TEXT_BYTES_MAX,
    )?;
    let context = FeedbackContext {
        notes: text::check_body("context", given.notes.as_deref())?,
        files: text::check_text_list("files", given.files.as_deref())?,
        code_snippets: given.code_snippets.unwrap_or_default(),
        options: given
            .options
            .or_else(|| args.options.clone())
            .unwrap_or_default(),
        metadata,
    };
    check_snippets(&context.code_snippets)?;
    check_options(&context.options)?;
    Ok(context)
}

fn check_snippets(snippets: &[CodeSnippet]) -> Result<(), WorkflowFault> {
    text::check_list_count("codeSnippets", snippets.len())?;
    for snippet in snippets {
        text::require_text("file", &snippet.file, ENTRY_BYTES_MAX)?;
        text::at_most("content", &snippet.content, TEXT_BYTES_MAX)?;
        if snippet.start_line == 0 || snippet.end_line < snippet.start_line {
            let found = format!("{} to {}", snippet.start_line, snippet.end_line);
            return Err(WorkflowFault::invalid(
                "codeSnippets",
                "lines from 1, the first not after the last",
                &found,
            ));
        }
    }
    Ok(())
}

fn check_options(options: &[FeedbackOption]) -> Result<(), WorkflowFault> {
    text::check_list_count("options", options.len())?;
    let mut labels = BTreeSet::new();
    for option in options {
        text::require_text("label", &option.label, TITLE_BYTES_MAX)?;
        text::at_most("description", &option.description, TEXT_BYTES_MAX)?;
        if !labels.insert(option.label.as_str()) {
            return Err(WorkflowFault::invalid(
                "options",
                "labels that differ",
                &option.label,
            ));
        }
    }
    Ok(())
}

impl EventData for FeedbackCreated {
    fn may_follow(&self, state: &WorkflowState, _: EventOrigin<'_>) -> Result<(), WorkflowFault> {
        let workflow = state.open_workflow(&self.workflow)?;
        let is_taken = workflow.feedback.contains_key(&self.feedback);
        check_fresh_id("feedback", &self.feedback, is_taken)?;
        let count = workflow.feedback.len() + 1;
        at_most("feedback items in one workflow", count, FEEDBACK_MAX)?;
        match (&self.chain, &self.task) {
            (None, Some(_)) => Err(WorkflowFault::Missing { field: "chainId" }),
            (Some(chain), Some(task)) => state.task(chain, task).map(drop),
            (Some(chain), None) => state.chain(chain).map(drop),
            (None, None) => Ok(()),
        }
    }

    fn apply(&self, state: &mut WorkflowState, origin: EventOrigin<'_>) {
        state.on_workflow(origin, &self.workflow, |workflow| {
            let number = ids::feedback_number(&self.feedback).unwrap_or(0);
            workflow.feedback_counter = workflow.feedback_counter.max(number);
            let feedback = WorkflowFeedback {
                id: self.feedback.clone(),
                kind: self.kind,
                content: self.content.clone(),
                priority: self.priority,
                blocking: self.blocking,
                context: self.context.clone(),
                chain: self.chain.clone(),
                task: self.task.clone(),
                stage: workflow.stage,
                author: origin.actor.clone(),
                created: origin.time,
                updated: origin.time,
                status: FeedbackStatus::Pending,
                response: None,
                dismissed: None,
            };
            workflow.feedback.insert(self.feedback.clone(), feedback);
        });
    }
}

impl CommandTool for FeedbackCreate {
    const SPEC: Spec = CHANGES.with_name(Self::ID, "Ask a question in a workflow");
    const STEP: ExampleStep = ExampleStep::new(15, "impl");
    const EXAMPLES: &'static [JsonExample] = examples! {
        "a question": r##"{"workflowId": "WF-20251206-001", "question": "Which base?"}"## => r##"{"id": "FB-001", "status": "pending", "events": [{"number": 16, "type": "feedback.created", "reason": null, "data": {"workflow": "WF-20251206-001", "feedback": "FB-001", "kind": "question", "content": "Which base?", "priority": "low"}}]}"##;
    };
}

#[cfg(test)]
mod tests {
    use super::FeedbackCreate;
    use crate::commands::case::{CommandCase, CommandCases, accepted, refused};

    impl CommandCases for FeedbackCreate {
        const CASES: &'static [CommandCase] = &[
            accepted(
                "workflow standard todo",
                "ann/impl",
                r#"$workflow,"question":"Which base?""#,
                "feedback.created",
            ),
            accepted(
                "workflow standard todo",
                "ann/impl",
                r#"$workflow,"type":"blocker","content":"No access.""#,
                "feedback.created",
            ),
            refused(
                "workflow standard todo",
                "ann/impl",
                r#"$workflow,"type":"blocker","content":"a","blocking":false"#,
                "a blocker blocks",
            ),
            refused(
                "workflow standard todo",
                "ann/impl",
                r#"$workflow,"question":"a","content":"b""#,
                "either `question` or `content`",
            ),
            refused(
                r#"workflow standard todo; pat workflow:discard $workflow,"reason":"r""#,
                "ann/impl",
                r#"$workflow,"question":"a""#,
                "is discarded (start another",
            ),
        ];
    }
}
