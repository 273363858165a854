"""Tools as functions, with signatures and docstrings from their specifications."""

from __future__ import annotations

import difflib
import inspect
import keyword
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._toolkit import Toolkit


class Tools:
    """The tools that the role of a toolkit sees, as attributes; `tools["plugin:tool"]` takes ids."""

    def __init__(self, toolkit: Toolkit) -> None:
        self._toolkit: Toolkit = toolkit

    def __getattr__(self, name: str) -> Callable[..., Any]:
        spec = None if name.startswith("_") else self._toolkit._spec(name)
        if spec is None:
            raise AttributeError(f"no tool named `{name}`{self._instead(name)}")
        return function(self._toolkit, spec)

    def __getitem__(self, name: str) -> Callable[..., Any]:
        spec = self._toolkit._spec(name)
        if spec is None:
            raise KeyError(f"no tool named `{name}`{self._instead(name)}")
        return function(self._toolkit, spec)

    def _instead(self, name: str) -> str:
        """The end of a message about an unknown tool: the nearest names."""
        near = difflib.get_close_matches(name, dir(self), n=3)
        return f"; did you mean `{'`, `'.join(near)}`?" if near else ""

    def __dir__(self) -> list[str]:
        return [name.replace(":", "_").replace(".", "_") for name in self]

    def __iter__(self) -> Iterator[str]:
        return iter(self._toolkit._names())

    def __len__(self) -> int:
        return len(self._toolkit._names())

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self._toolkit._spec(name) is not None

    def __repr__(self) -> str:
        return f"<{len(self)} tools>"


def function(toolkit: Toolkit, spec: dict[str, Any]) -> Callable[..., Any]:
    """A function that calls a tool."""
    name, id = spec["name"], spec["id"]
    call = toolkit.call

    def made(*, progress: Any = None, **arguments: Any) -> Any:
        return call(id, progress=progress, **arguments)

    made.__name__ = made.__qualname__ = name
    made.__module__ = "mathchain.tools"
    made.__doc__ = documentation(spec)
    made.__signature__ = signature(spec)  # type: ignore[attr-defined]
    return made


def _spelt(name: str) -> str:
    return f"{name}_" if keyword.iskeyword(name) else name


def _parameters(spec: dict[str, Any]) -> list[tuple[str, dict[str, Any], bool]]:
    schema = spec["input_schema"]
    required = schema.get("required", [])
    members = schema.get("properties", {}).items()
    return [(name, member, name in required) for name, member in members]


def signature(spec: dict[str, Any]) -> inspect.Signature:
    """The signature of a tool: every argument is a keyword."""
    parameters = [
        inspect.Parameter(
            _spelt(name),
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if is_required else member.get("default"),
        )
        for name, member, is_required in _parameters(spec)
        if _spelt(name).isidentifier()
    ]
    progress = inspect.Parameter("progress", inspect.Parameter.KEYWORD_ONLY, default=None)
    return inspect.Signature([*parameters, progress])


def documentation(spec: dict[str, Any]) -> str:
    """The docstring of a tool."""
    lines = [spec["description"], ""]
    for title, members in (
        ("Arguments:", _parameters(spec)),
        ("Returns:", [(name, member, True) for name, member in spec["output_schema"].get("properties", {}).items()]
         if isinstance(spec["output_schema"], dict) else []),
    ):
        if members:
            lines.append(title)
            for name, member, _ in members:
                text = " ".join(member.get("description", "").split()) if isinstance(member, dict) else ""
                lines.append(f"    {_spelt(name)}: {text}".rstrip().rstrip(":"))
            lines.append("")
    return "\n".join(lines).rstrip()
