"""Typed tools for numerics, data and files behind one policy, one audit log and replayable plans."""

from __future__ import annotations

from ._errors import (
    ApprovalDeclined,
    ApprovalExpired,
    ApprovalRequired,
    CallWarning,
    Cancelled,
    Conflict,
    DependencyFailed,
    Error,
    Internal,
    InvalidArgs,
    InvalidRequest,
    LimitExceeded,
    NotVisible,
    Numeric,
    OutputTooLarge,
    PendingApproval,
    PolicyDenied,
    PreconditionFailed,
    ResourceChanged,
    SandboxUnavailable,
    Timeout,
    ToolError,
    UnknownTool,
)
from ._toolkit import (
    Toolkit,
    acall,
    answer,
    arun,
    arun_pipeline,
    call,
    check,
    default,
    run,
    run_pipeline,
    schemas,
    tool,
)

TYPE_CHECKING = False  # see `_toolkit`
if TYPE_CHECKING:
    from typing import Any

    from . import adapters as adapters
    from . import tools as tools

__all__ = [
    "ApprovalDeclined",
    "ApprovalExpired",
    "ApprovalRequired",
    "CallWarning",
    "Cancelled",
    "Conflict",
    "DependencyFailed",
    "Error",
    "Internal",
    "InvalidArgs",
    "InvalidRequest",
    "LimitExceeded",
    "NotVisible",
    "Numeric",
    "OutputTooLarge",
    "PendingApproval",
    "PolicyDenied",
    "PreconditionFailed",
    "ResourceChanged",
    "SandboxUnavailable",
    "Timeout",
    "Toolkit",
    "ToolError",
    "UnknownTool",
    "acall",
    "answer",
    "arun",
    "arun_pipeline",
    "call",
    "check",
    "default",
    "run",
    "run_pipeline",
    "schemas",
    "tool",
]


def __getattr__(name: str) -> Any:
    if name in ("adapters", "tools"):
        import importlib

        return importlib.import_module(f".{name}", __name__)
    if name == "__version__":
        from importlib.metadata import version

        return version(__name__)
    raise AttributeError(f"module `{__name__}` has no attribute `{name}`")
