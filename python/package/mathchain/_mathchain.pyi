from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import Any

from typing_extensions import Self

class Stop:
    def __init__(self) -> None: ...
    def cancel(self) -> None: ...

class Shared: ...

class Toolkit:
    def __new__(
        cls,
        *,
        config: str | PathLike[str] | None = None,
        workspace: str | PathLike[str] | None = None,
        role: str | None = None,
        state: str | PathLike[str] | bool | None = None,
        timeout_ms: int | None = None,
        agents: tuple[Sequence[str], Sequence[str]] | None = None,
    ) -> Self: ...
    def call(
        self,
        tool: str,
        args: Mapping[str, Any] | None = None,
        /,
        *,
        progress: Callable[[float | None, str], object] | None = None,
        **kwargs: Any,
    ) -> Any:
        """Calls a tool and returns its result."""

    def answer(self, tool: str, args: Mapping[str, Any] | None = None, /, **kwargs: Any) -> dict[str, Any]:
        """Calls a tool and returns the whole answer: result or error, warnings, metadata."""

    def close(self) -> None:
        """Writes the audit records of earlier calls; later calls are possible."""

    def _call(
        self,
        tool: str,
        args: Mapping[str, Any],
        progress: Callable[[float | None, str], object] | None,
        stop: Stop,
    ) -> Any: ...
    def _answer_json(self, tool: str, args: str) -> str: ...
    def _run(
        self,
        plan: Any,
        inputs: Mapping[str, Any] | None,
        progress: Callable[[float | None, str], object] | None,
        stop: Stop | None,
    ) -> Any: ...
    def _check(self, plan: Any, inputs: Mapping[str, Any] | None) -> Any: ...
    def _names(self) -> list[str]: ...
    def _declared(self, format: str, catalog: str, names: list[str] | None) -> Any: ...
    def _spec(self, name: str) -> dict[str, Any] | None: ...
    def _add(
        self, declaration: dict[str, Any], source: str, function: Callable[[dict[str, Any]], Any]
    ) -> None: ...

def main(words: Sequence[str], agents: tuple[Sequence[str], Sequence[str]] | None) -> int: ...
def name_launcher(program: str, arguments: Sequence[str]) -> None: ...
def launch() -> None: ...
def build_identity() -> tuple[str, str]:
    """Build and processor, which must be those of the head of a run for its tickets to be computed here."""

def compute_ticket(
    body: bytes, tool: str, digest: str, head: tuple[str, str], stop: Stop | None = None
) -> tuple[bytes, str, float, bool]:
    """The results of a ticket, their digest, the milliseconds that they took, and whether every call ended by itself."""

def png_of_sixel(text: str) -> bytes | None: ...
