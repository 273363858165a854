"""Exceptions: a class for each error code, all below `Error`."""

from __future__ import annotations

TYPE_CHECKING = False  # see `_toolkit`
if TYPE_CHECKING:
    from typing import Any


class CallWarning(UserWarning):
    """A result that is usable and doubtful, or a call that is not in the audit."""


class Error(Exception):
    """A call, run or plan that failed."""

    code: str = "internal"

    def __init__(self, message: str = "", **members: Any) -> None:
        super().__init__(message)
        self.message = message
        #: Finer reason below the code, such as `singular`.
        self.reason: str | None = members.get("reason")
        #: JSON pointer of the argument at fault, such as `/A/2`.
        self.path: str | None = members.get("path")
        #: Next step.
        self.hint: str | None = members.get("hint")
        #: `unknown` if the effects of the call may have happened.
        self.outcome: str | None = members.get("outcome")
        #: Every problem of a plan or of arguments, where there are several.
        self.problems: list[dict[str, Any]] = members.get("problems") or []
        #: Partial results.
        self.evidence: Any = members.get("evidence")

    def __str__(self) -> str:
        place = f" (at `{self.path}`)" if self.path else ""
        hint = f"; {self.hint}" if self.hint else ""
        return f"{self.message}{place}{hint}"

    def to_dict(self) -> dict[str, Any]:
        """The member `error` of the answer, without the members that are absent."""
        members = {"code": self.code, "message": self.message}
        names = ("reason", "path", "hint", "outcome", "problems", "evidence")
        found = {name: getattr(self, name) for name in names}
        given = {name: value for name, value in found.items() if value is not None}
        if not self.problems:
            given.pop("problems")
        return members | given

    def __reduce__(self) -> tuple[Any, ...]:
        return make, (self.to_dict(), getattr(self, "approval_id", None))


class InvalidRequest(Error):
    """The request itself is malformed, such as a plan with problems."""

    code = "invalid_request"


class UnknownTool(Error):
    """No tool has that name."""

    code = "unknown_tool"


class InvalidArgs(Error):
    """An argument is missing, unknown, of the wrong type or out of range."""

    code = "invalid_args"


class NotVisible(Error):
    """The tool exists, but this role may not see it."""

    code = "not_visible"


class PolicyDenied(Error):
    """A rule denies the call."""

    code = "policy_denied"


class ApprovalRequired(Error):
    """The call needs an approval."""

    code = "approval_required"


class PendingApproval(ApprovalRequired):
    """The call awaits an approval: `mathchain approve ID`, then the same call again."""

    #: Id of the approval.
    approval_id: str


class ApprovalDeclined(Error):
    """The operator declined the call."""

    code = "approval_declined"


class ApprovalExpired(Error):
    """The approval was not given, or not used, in time."""

    code = "approval_expired"


class PreconditionFailed(Error):
    """A precondition of the tool is not met."""

    code = "precondition_failed"


class ResourceChanged(Error):
    """A file or other resource changed between planning and running."""

    code = "resource_changed"


class DependencyFailed(Error):
    """An earlier step that this one depends on did not succeed."""

    code = "dependency_failed"


class SandboxUnavailable(Error):
    """The sandbox the tool needs cannot be applied on this machine."""

    code = "sandbox_unavailable"


class LimitExceeded(Error):
    """A limit on size, memory, depth or evaluations was reached."""

    code = "limit_exceeded"


class Timeout(Error):
    """The deadline passed."""

    code = "timeout"


class Cancelled(Error):
    """The caller cancelled the call."""

    code = "cancelled"


class OutputTooLarge(Error):
    """The result is larger than the output limit."""

    code = "output_too_large"


class Numeric(Error):
    """The mathematics has no answer, or none that can be trusted."""

    code = "numeric"


class ToolError(Error):
    """The tool failed in its own domain."""

    code = "tool_error"


class Conflict(Error):
    """The call conflicts with the state it found."""

    code = "conflict"


class Internal(Error):
    """A defect in mathchain itself."""

    code = "internal"


BY_CODE: dict[str, type[Error]] = {found.code: found for found in Error.__subclasses__()}


def make(members: dict[str, Any], approval_id: str | None = None) -> Error:
    """The exception of an error of an answer."""
    members = dict(members)
    code, message = members.pop("code"), members.pop("message")
    if approval_id is None:
        return BY_CODE.get(code, Error)(message, **members)
    error = PendingApproval(message, **members)
    error.approval_id = approval_id
    return error
