"""The tools as functions: `from mathchain.tools import matrix_solve`. Signatures for editors are in `tools.pyi`."""

from __future__ import annotations

from typing import Any

from ._functions import Tools as Tools
from ._toolkit import default


def __getattr__(name: str) -> Any:
    if name.startswith("_"):
        raise AttributeError(name)
    return getattr(default().tools, name)


def __dir__() -> list[str]:
    return dir(default().tools)
