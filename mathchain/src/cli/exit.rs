//! Exit codes.

use std::process::ExitCode;

use tool_core::{ErrorCode, Outcome, Status};

pub(super) const OK: u8 = 0;
pub(super) const TOOL_ERROR: u8 = 1;
pub(super) const USAGE: u8 = 2;
pub(super) const DENIED: u8 = 3;
pub(super) const APPROVAL_NEEDED: u8 = 4;
pub(super) const TIMEOUT: u8 = 5;
pub(super) const CANCELLED: u8 = 6;

/// The code of an answer.
pub(super) fn of_outcome(outcome: &Outcome) -> ExitCode {
    match &outcome.status {
        Status::Success(_) => OK,
        Status::PendingApproval { .. } => APPROVAL_NEEDED,
        Status::Error(error) => of_error(error.code()),
    }
    .into()
}

/// The code of an error.
pub(super) fn of_error(code: ErrorCode) -> u8 {
    match code {
        ErrorCode::InvalidRequest | ErrorCode::UnknownTool | ErrorCode::InvalidArgs => USAGE,
        ErrorCode::NotVisible
        | ErrorCode::PolicyDenied
        | ErrorCode::ApprovalDeclined
        | ErrorCode::ApprovalExpired => DENIED,
        ErrorCode::ApprovalRequired => APPROVAL_NEEDED,
        ErrorCode::Timeout => TIMEOUT,
        ErrorCode::Cancelled => CANCELLED,
        _ => TOOL_ERROR,
    }
}
