//! Transitions of requests.

use super::{accept_event, args, not_own, text};
use crate::actor::DecisionContext;
use crate::event::{
    RequestApproved, RequestChangesRequested, RequestClosed, RequestCreated, WorkflowEvent,
};
use crate::fault::WorkflowFault;
use crate::ids;
use crate::limits::{PER_DATE_MAX, TEXT_BYTES_MAX};
use crate::names::{Closing, RequestKind, RequestStatus};
use crate::state::WorkflowState;
use tool_core::{Decode, Describe, Encode};

/// Arguments of `request:create`.
#[derive(Debug, Clone, PartialEq, Encode, Decode, Describe)]
#[value(deny_unknown_fields, rename_all = "camelCase")]
pub struct RequestCreate {
    /// `cr` for a change request, `fr` for a fix request.
    pub r#type: RequestKind,
    /// Title of the request: one line, at most 200 bytes.
    pub title: String,
    /// The part of the product it is about.
    pub domain: String,
    /// What is wanted and why, as Markdown.
    pub content: String,
    /// Whether it is a draft, not yet proposed; `false` where absent.
    pub draft: Option<bool>,
}

args! {
    /// Approve a request whose chains are all approved; never one's own.
    RequestApprove {
        /// Id of the request.
        request_id: String,
        /// A remark; kept with the review.
        reason: Option<String>,
    }

    /// Request changes of a request.
    RequestRequestChanges {
        /// Id of the request.
        request_id: String,
        /// What is wrong.
        reason: String,
        /// Single suggestions.
        suggestions: Option<Vec<String>>,
    }

    /// Close a request: an approved one as completed, another with a reason as withdrawn.
    RequestClose {
        /// Id of the request.
        request_id: String,
        /// Why it is closed; required unless it is approved.
        reason: Option<String>,
    }
}

/// `request:create`
///
/// # Errors
/// A missing text, a limit.
pub fn create_request(
    state: &WorkflowState,
    context: &DecisionContext<'_>,
    args: &RequestCreate,
) -> Result<WorkflowEvent, WorkflowFault> {
    let data = RequestCreated {
        request: next_dated(state, context, args.r#type.prefix())?,
        kind: args.r#type,
        title: text::check_title("title", &args.title)?,
        domain: text::check_title("domain", &args.domain)?,
        content: text::require_text("content", &args.content, TEXT_BYTES_MAX)?,
        status: if args.draft == Some(true) {
            RequestStatus::Draft
        } else {
            RequestStatus::Backlog
        },
    };
    accept_event(state, context, None, data)
}

/// `request:approve`
///
/// # Errors
/// Unknown, closed or approved request, no chains, chains that are not approved, one's own request.
pub fn approve_request(
    state: &WorkflowState,
    context: &DecisionContext<'_>,
    args: &RequestApprove,
) -> Result<WorkflowEvent, WorkflowFault> {
    let reason = text::optional_reason(args.reason.as_deref())?;
    let event = accept_event(
        state,
        context,
        reason,
        RequestApproved {
            request: args.request_id.clone(),
        },
    )?;
    let request = state.request(&args.request_id)?;
    not_own(
        context,
        [&request.author.principal],
        "approve",
        "request",
        &request.id,
    )?;
    Ok(event)
}

/// `request:request_changes`
///
/// # Errors
/// Unknown or closed request, no reason.
pub fn request_request_changes(
    state: &WorkflowState,
    context: &DecisionContext<'_>,
    args: &RequestRequestChanges,
) -> Result<WorkflowEvent, WorkflowFault> {
    state.request(&args.request_id)?;
    let data = RequestChangesRequested {
        request: args.request_id.clone(),
        suggestions: text::check_text_list("suggestions", args.suggestions.as_deref())?,
    };
    accept_event(state, context, text::require_reason(&args.reason)?, data)
}

/// `request:close`
///
/// # Errors
/// Unknown or closed request, an open workflow of it, no reason for one that is not approved.
pub fn close_request(
    state: &WorkflowState,
    context: &DecisionContext<'_>,
    args: &RequestClose,
) -> Result<WorkflowEvent, WorkflowFault> {
    let request = state.request(&args.request_id)?;
    let reason = text::optional_reason(args.reason.as_deref())?;
    let outcome = match reason.is_none() || request.is_approved() {
        true => Closing::Completed,
        false => Closing::Withdrawn,
    };
    accept_event(
        state,
        context,
        reason,
        RequestClosed {
            request: request.id.clone(),
            outcome,
        },
    )
}

/// The next id with a prefix and the date of today.
pub(super) fn next_dated(
    state: &WorkflowState,
    context: &DecisionContext<'_>,
    prefix: &str,
) -> Result<String, WorkflowFault> {
    let prefix = &*ids::checkout_prefix(prefix, context.checkout);
    let last = state
        .dated_counters
        .get(&format!("{prefix}-{}", context.today));
    let number = last.map_or(1, |last| last.saturating_add(1));
    match number > PER_DATE_MAX {
        false => Ok(ids::dated_id(prefix, context.today, number)),
        true => Err(WorkflowFault::TooMany {
            what: "ids with one date",
            count: number as usize,
            max: PER_DATE_MAX as usize,
        }),
    }
}
