//! Feedback: questions and remarks of agents, and their answers.
//!
//! `feedback:create` takes two shapes: `question`, `context` as text, `blocking`; and `type`, `content`, `priority`, `context` as an
//! object, `options`. Feedback blocks when `blocking` is true or its type is `blocker`; a `clarification` blocks only when `blocking`
//! is given, so that one rule holds for every type but one.

use std::collections::BTreeSet;

use tool_core::Value;
use tool_core::convert::from_value;

use super::{accept_event, args, not_own, text};
use crate::actor::DecisionContext;
use crate::event::{
    CodeSnippet, FeedbackAcknowledged, FeedbackAnswered, FeedbackContext, FeedbackCreated,
    FeedbackDismissed, FeedbackOption, WorkflowEvent,
};
use crate::fault::WorkflowFault;
use crate::ids;
use crate::limits::{ENTRY_BYTES_MAX, TEXT_BYTES_MAX, TITLE_BYTES_MAX};
use crate::names::{FeedbackKind, FeedbackStatus, Priority};
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

    /// Note that feedback was read.
    FeedbackAcknowledge {
        /// Id of the workflow.
        workflow_id: String,
        /// Id of the feedback, such as `FB-001`.
        feedback_id: String,
    }

    /// Answer feedback.
    FeedbackRespond {
        /// Id of the workflow.
        workflow_id: String,
        /// Id of the feedback.
        feedback_id: String,
        /// The answer.
        content: String,
        /// Label of the option chosen; only where the feedback has options.
        selected_option: Option<String>,
    }

    /// Dismiss feedback without an answer.
    FeedbackDismiss {
        /// Id of the workflow.
        workflow_id: String,
        /// Id of the feedback.
        feedback_id: String,
        /// Why there is no answer.
        reason: String,
    }

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

/// `feedback:create`
///
/// # Errors
/// Unknown or ended workflow, both shapes at once, no text, `blocking: false` for a blocker, a limit.
pub fn create_feedback(
    state: &WorkflowState,
    context: &DecisionContext<'_>,
    args: &FeedbackCreate,
) -> Result<WorkflowEvent, WorkflowFault> {
    let workflow = state.workflow(&args.workflow_id)?;
    let content = match (&args.question, &args.content) {
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
    let kind = args.r#type.unwrap_or_default();
    let blocking = match (kind, args.blocking) {
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
        priority: args.priority.unwrap_or(kind.priority()),
        blocking,
        context: read_context(args)?,
        chain: args.chain_id.clone(),
        task: args.task_id.clone(),
    };
    accept_event(state, context, None, data)
}

/// `feedback:acknowledge`
///
/// # Errors
/// Unknown feedback, or one that is not pending.
pub fn acknowledge_feedback(
    state: &WorkflowState,
    context: &DecisionContext<'_>,
    args: &FeedbackAcknowledge,
) -> Result<WorkflowEvent, WorkflowFault> {
    let (workflow, feedback) = (args.workflow_id.clone(), args.feedback_id.clone());
    accept_event(
        state,
        context,
        None,
        FeedbackAcknowledged { workflow, feedback },
    )
}

/// `feedback:respond`
///
/// # Errors
/// Unknown feedback, one that has an answer or was dismissed, an option it does not have, a blocking question of one's own.
pub fn respond_to_feedback(
    state: &WorkflowState,
    context: &DecisionContext<'_>,
    args: &FeedbackRespond,
) -> Result<WorkflowEvent, WorkflowFault> {
    let feedback = state
        .workflow(&args.workflow_id)?
        .feedback(&args.feedback_id)?;
    if let Some(label) = &args.selected_option
        && !feedback
            .context
            .options
            .iter()
            .any(|option| option.label == *label)
    {
        let labels: Vec<String> = feedback
            .context
            .options
            .iter()
            .map(|option| format!("`{}`", option.label))
            .collect();
        let expected = match labels.is_empty() {
            true => "nothing, since the feedback has no options".to_owned(),
            false => format!("one of {}", labels.join(", ")),
        };
        return Err(WorkflowFault::invalid("selectedOption", expected, label));
    }
    let data = FeedbackAnswered {
        workflow: args.workflow_id.clone(),
        feedback: args.feedback_id.clone(),
        content: text::require_text("content", &args.content, TEXT_BYTES_MAX)?,
        selected_option: args.selected_option.clone(),
    };
    let event = accept_event(state, context, None, data)?;
    not_own_block(context, feedback, "answer")?;
    Ok(event)
}

/// `feedback:dismiss`; no event for feedback that is dismissed already.
///
/// # Errors
/// Unknown feedback, one that has an answer, no reason, a blocking question of one's own.
pub fn dismiss_feedback(
    state: &WorkflowState,
    context: &DecisionContext<'_>,
    args: &FeedbackDismiss,
) -> Result<Option<WorkflowEvent>, WorkflowFault> {
    let feedback = state
        .workflow(&args.workflow_id)?
        .feedback(&args.feedback_id)?;
    if feedback.status == FeedbackStatus::Dismissed {
        return Ok(None);
    }
    let (workflow, id) = (args.workflow_id.clone(), args.feedback_id.clone());
    let event = accept_event(
        state,
        context,
        text::require_reason(&args.reason)?,
        FeedbackDismissed {
            workflow,
            feedback: id,
        },
    )?;
    not_own_block(context, feedback, "dismiss")?;
    Ok(Some(event))
}

/// An agent cannot end the pause that it caused; a person can.
fn not_own_block(
    context: &DecisionContext<'_>,
    feedback: &WorkflowFeedback,
    action: &'static str,
) -> Result<(), WorkflowFault> {
    match feedback.blocking && !context.actor.is_person() {
        true => not_own(
            context,
            [&feedback.author.principal],
            action,
            "feedback",
            &feedback.id,
        ),
        false => Ok(()),
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
