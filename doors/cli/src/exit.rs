//! Exit codes: the one table of them, which `--help` and `docs/answers.md` show.

use std::process::ExitCode;

use tool_core::{CallOutcome, ErrorCode, OutcomeStatus, Reason, StopFlag, ToolError};

pub(super) const OK: u8 = 0;
pub(super) const TOOL_ERROR: u8 = 1;
pub(super) const USAGE: u8 = 2;
pub(super) const DENIED: u8 = 3;
pub(super) const APPROVAL_NEEDED: u8 = 4;
pub(super) const TIMEOUT: u8 = 5;
pub(super) const CANCELLED: u8 = 6;
pub(super) const INTERRUPTED: u8 = 7;
pub(super) const SHORTFALL: u8 = 8;

/// The code of a command that checks something.
pub(super) fn of_check(sound: bool) -> ExitCode {
    if sound { OK } else { TOOL_ERROR }.into()
}

/// The code of an answer.
pub(super) fn of_outcome(outcome: &CallOutcome) -> ExitCode {
    match &outcome.status {
        OutcomeStatus::Success(_) if outcome.shortfall().is_some() => SHORTFALL,
        OutcomeStatus::Success(_) => OK,
        OutcomeStatus::PendingApproval { .. } => APPROVAL_NEEDED,
        OutcomeStatus::Error(error) => of_error(error),
    }
    .into()
}

/// The code of a server that a signal stopped: `OK` unless calls were cut off.
pub(super) fn of_stop(stop: &StopFlag) -> u8 {
    match stop.check() {
        Ok(()) => OK,
        Err(error) => of_error(&error),
    }
}

/// The code of an error.
pub(super) fn of_error(error: &ToolError) -> u8 {
    match error.code() {
        ErrorCode::InvalidRequest | ErrorCode::UnknownTool | ErrorCode::InvalidArgs => USAGE,
        ErrorCode::NotVisible
        | ErrorCode::PolicyDenied
        | ErrorCode::ApprovalDeclined
        | ErrorCode::ApprovalExpired => DENIED,
        ErrorCode::ApprovalRequired => APPROVAL_NEEDED,
        ErrorCode::Timeout => TIMEOUT,
        ErrorCode::Cancelled if error.is(Reason::Interrupted) => INTERRUPTED,
        ErrorCode::Cancelled => CANCELLED,
        _ => TOOL_ERROR,
    }
}
