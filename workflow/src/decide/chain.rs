//! Transitions of chains.

use super::{accept_event, args, not_own, text};
use crate::actor::DecisionContext;
use crate::event::{ChainApproved, ChainChangesRequested, ChainCreated, WorkflowEvent};
use crate::fault::WorkflowFault;
use crate::governance::PathGlob;
use crate::ids;
use crate::names::ChainKind;
use crate::state::WorkflowState;

args! {
    /// Add a chain of tasks to a request.
    ChainCreate {
        /// Id of the request, such as `CR-20251206-001`.
        request_id: String,
        /// Title of the chain: one line, at most 200 bytes.
        title: String,
        /// Kind of the chain; `implementation` where absent.
        r#type: Option<ChainKind>,
        /// What it is about, as Markdown.
        description: Option<String>,
        /// Id of a chain that has to be done before tasks of this one start.
        depends_on: Option<String>,
        /// Patterns of the files it changes.
        file_scope: Option<Vec<String>>,
        /// Why it needs no design.
        skip_design: Option<String>,
    }

    /// Approve a chain whose tasks are all done; never one's own work.
    ChainApprove {
        /// Id of the chain.
        chain_id: String,
        /// A remark; kept with the review.
        reason: Option<String>,
    }

    /// Request changes of a chain whose tasks are all done; new tasks can then be added.
    ChainRequestChanges {
        /// Id of the chain.
        chain_id: String,
        /// What is wrong.
        reason: String,
        /// Single suggestions.
        suggestions: Option<Vec<String>>,
    }
}

/// `chain:create`
///
/// # Errors
/// Unknown, closed or approved request, unknown chain it depends on, missing title, a limit.
pub fn create_chain(
    state: &WorkflowState,
    context: &DecisionContext<'_>,
    args: &ChainCreate,
) -> Result<WorkflowEvent, WorkflowFault> {
    let title = text::check_title("title", &args.title)?;
    let file_scope = text::check_text_list("fileScope", args.file_scope.as_deref())?;
    for pattern in &file_scope {
        PathGlob::parse(pattern)
            .map_err(|message| WorkflowFault::invalid("fileScope", message, pattern))?;
    }
    let data = ChainCreated {
        chain: ids::chain_id(
            state.chain_counter.saturating_add(1),
            context.checkout,
            &ids::title_slug(&title),
        ),
        request: args.request_id.clone(),
        title,
        kind: args.r#type.unwrap_or_default(),
        description: text::check_body("description", args.description.as_deref())?,
        depends_on: args.depends_on.clone(),
        file_scope,
        skip_design: text::optional_reason(args.skip_design.as_deref())?,
    };
    accept_event(state, context, None, data)
}

/// `chain:approve`
///
/// # Errors
/// Unknown or approved chain, tasks that are not done, a task that one submitted oneself.
pub fn approve_chain(
    state: &WorkflowState,
    context: &DecisionContext<'_>,
    args: &ChainApprove,
) -> Result<WorkflowEvent, WorkflowFault> {
    let reason = text::optional_reason(args.reason.as_deref())?;
    let event = accept_event(
        state,
        context,
        reason,
        ChainApproved {
            chain: args.chain_id.clone(),
        },
    )?;
    let chain = state.chain(&args.chain_id)?;
    for task in &chain.tasks {
        not_own(context, &task.submitters, "approve", "chain", &chain.id)?;
    }
    Ok(event)
}

/// `chain:request_changes`
///
/// # Errors
/// Unknown chain, tasks that are not done, no reason, an approved request.
pub fn request_chain_changes(
    state: &WorkflowState,
    context: &DecisionContext<'_>,
    args: &ChainRequestChanges,
) -> Result<WorkflowEvent, WorkflowFault> {
    let data = ChainChangesRequested {
        chain: args.chain_id.clone(),
        suggestions: text::check_text_list("suggestions", args.suggestions.as_deref())?,
    };
    state.chain(&args.chain_id)?;
    accept_event(state, context, text::require_reason(&args.reason)?, data)
}
