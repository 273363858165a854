"""`Toolkit`, and the functions of the module, which use one that is opened on first use."""

from __future__ import annotations

import atexit
import os
import weakref

from . import _mathchain

TYPE_CHECKING = False  # the module `typing` costs as much time as this whole package
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, TypeVar, overload

    from typing_extensions import Self

    from .tools import Tools

    #: A fraction from 0 to 1 where it is known, and a few words.
    Progress = Callable[[float | None, str], object]
    #: A dictionary, a file, or the text of a plan.
    Plan = Mapping[str, Any] | str | os.PathLike[str]
    Function = TypeVar("Function", bound=Callable[..., Any])
else:

    def overload(function):
        """Marks a signature for type checkers."""
        return function


#: Their records are written when the interpreter ends.
_opened: weakref.WeakSet[Toolkit] = weakref.WeakSet()


@atexit.register
def _close() -> None:
    for toolkit in _opened:
        toolkit.close()


class Toolkit(_mathchain.Toolkit):
    """Tools, policy, audit and files of one project, for one role.

    `config` names a configuration file; without it, the nearest one upwards is used, as by the command line. `workspace` is the folder
    that tools may use. `state=False` records nothing: calls with effects are refused then. `timeout_ms` is the deadline of each call.
    """

    def __init__(
        self,
        *,
        config: str | os.PathLike[str] | None = None,
        workspace: str | os.PathLike[str] | None = None,
        role: str | None = None,
        state: str | os.PathLike[str] | bool | None = None,
        timeout_ms: int | None = None,
    ) -> None:
        # The native class has taken the arguments.
        _opened.add(self)

    def __new__(cls, **options: Any) -> Self:
        from ._command import agent_program, name_launcher

        name_launcher()
        return super().__new__(cls, agents=agent_program(), **options)

    def __enter__(self) -> Toolkit:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    async def acall(
        self,
        tool: str,
        args: Mapping[str, Any] | None = None,
        /,
        *,
        progress: Progress | None = None,
        **kwargs: Any,
    ) -> Any:
        """As `call`, in a thread; cancelling the task cancels the call."""
        given = _joined(args, kwargs)
        return await _in_thread(lambda stop: self._call(tool, given, progress, stop))

    def run(self, plan: Plan, inputs: Mapping[str, Any] | None = None, *, progress: Progress | None = None) -> Any:
        """Checks and runs a plan; the result has `outputs`, and a report of each step."""
        return self._run(_plan(plan), inputs, progress, None)

    async def arun(
        self, plan: Plan, inputs: Mapping[str, Any] | None = None, *, progress: Progress | None = None
    ) -> Any:
        """As `run`, in a thread; cancelling the task cancels the run."""
        given = _plan(plan)
        return await _in_thread(lambda stop: self._run(given, inputs, progress, stop))

    def run_pipeline(
        self,
        *,
        skip: Sequence[str] = (),
        only: str | None = None,
        from_: str | None = None,
        resume: str | None = None,
        retry_unknown: bool = False,
        progress: Progress | None = None,
    ) -> Any:
        """Runs the phases of the configuration with their agents, or continues a pipeline: its record, with `state` and `phases`."""
        given = _phases(skip, only, from_, resume, retry_unknown)
        return self.call(PIPELINE, given, progress=progress)

    async def arun_pipeline(
        self,
        *,
        skip: Sequence[str] = (),
        only: str | None = None,
        from_: str | None = None,
        resume: str | None = None,
        retry_unknown: bool = False,
        progress: Progress | None = None,
    ) -> Any:
        """As `run_pipeline`, in a thread; cancelling the task cancels the pipeline, which can be resumed."""
        given = _phases(skip, only, from_, resume, retry_unknown)
        return await _in_thread(lambda stop: self._call(PIPELINE, given, progress, stop))

    def check(self, plan: Plan, inputs: Mapping[str, Any] | None = None) -> Any:
        """Checks a plan without running it: its waves, edges and verdicts; raises `InvalidRequest` with all `problems`."""
        return self._check(_plan(plan), inputs)

    @property
    def tools(self) -> Tools:
        """The tools as functions: `toolkit.tools.matrix_solve(A=a, b=b)`."""
        from ._functions import Tools

        return Tools(self)  # type: ignore[return-value]

    def schemas(self, format: str = "jsonschema") -> list[dict[str, Any]]:
        """The tools that the role sees, with their whole schemas, or as `openai`, `anthropic`, `gemini` or `mcp` declares them."""
        declared = self._declared(format, "full", None)
        return declared["tools"] if format == "mcp" else declared  # type: ignore[no-any-return]

    @overload
    def tool(self, function: Function, /) -> Function: ...
    @overload
    def tool(
        self,
        function: None = None,
        /,
        *,
        effects: Sequence[str] = (),
        name: str | None = None,
        title: str | None = None,
        category: str = "system",
        tags: Sequence[str] = (),
        destructive: bool | None = None,
        timeout: float | None = None,
    ) -> Callable[[Function], Function]: ...
    def tool(
        self,
        function: Any = None,
        /,
        *,
        effects: Sequence[str] = (),
        name: str | None = None,
        title: str | None = None,
        category: str = "system",
        tags: Sequence[str] = (),
        destructive: bool | None = None,
        timeout: float | None = None,
    ) -> Any:
        """Adds a function as a tool, by its annotations and its docstring; a decorator."""
        from ._own import declare

        options = {
            "effects": list(effects),
            "category": category,
            "tags": list(tags),
            "idempotent": not effects,
            **({} if destructive is None else {"destructive": destructive}),
            **({} if timeout is None else {"timeout": timeout}),
        }

        def add(function: Function) -> Function:
            declaration, source, call = declare(function, name, title, options)
            self._add(declaration, source, call)
            return function

        return add if function is None else add(function)

    def __repr__(self) -> str:
        return f"<mathchain.Toolkit with {len(self._names())} tools>"


def _joined(args: Mapping[str, Any] | None, kwargs: dict[str, Any]) -> dict[str, Any]:
    if args is not None and not hasattr(args, "keys"):
        from ._errors import InvalidRequest

        raise InvalidRequest("expected the arguments as a dictionary", hint="pass them as keywords, or as one dictionary")
    both = set(args or ()) & set(kwargs)
    if both:
        from ._errors import InvalidRequest

        raise InvalidRequest(f"the argument `{min(both)}` is given twice")
    return {**(args or {}), **kwargs}


def _plan(plan: Plan) -> Any:
    """A plan for the native part: a dictionary, or the name and the text."""
    if isinstance(plan, str) and "\n" not in plan and plan.endswith((".yaml", ".yml", ".json", ".chain")):
        plan = _Path(plan)
    if isinstance(plan, os.PathLike):
        path = os.fspath(plan)
        with open(path, encoding="utf-8") as file:
            return os.path.basename(path), file.read()
    return ("plan", plan) if isinstance(plan, str) else plan


class _Path(os.PathLike[str]):
    def __init__(self, path: str) -> None:
        self.path = path

    def __fspath__(self) -> str:
        return self.path


async def _in_thread(work: Callable[[_mathchain.Stop], Any]) -> Any:
    import asyncio

    stop = _mathchain.Stop()
    future = asyncio.get_running_loop().run_in_executor(None, work, stop)
    try:
        return await asyncio.shield(future)
    except asyncio.CancelledError:
        stop.cancel()
        # The thread is done before the task is.
        await asyncio.wait([future])
        future.exception()
        raise


#: The tool that runs a pipeline.
PIPELINE = "pipeline_run"


def _phases(
    skip: Sequence[str], only: str | None, from_: str | None, resume: str | None, retry_unknown: bool
) -> dict[str, Any]:
    given: dict[str, Any] = {"skip": list(skip), "retry_unknown": retry_unknown}
    named = {"only": only, "from": from_, "resume": resume}
    given.update((name, value) for name, value in named.items() if value is not None)
    return given


_default: Toolkit | None = None


def default() -> Toolkit:
    """The toolkit of the functions of this module: opened on first use, for the current folder."""
    global _default
    if _default is None:
        _default = Toolkit()
    return _default


def call(
    tool: str, args: Mapping[str, Any] | None = None, /, *, progress: Progress | None = None, **kwargs: Any
) -> Any:
    """Calls a tool and returns its result: `mathchain.call("matrix_solve", A=a, b=b)`."""
    return (_default or default()).call(tool, args, progress=progress, **kwargs)


def answer(tool: str, args: Mapping[str, Any] | None = None, /, **kwargs: Any) -> dict[str, Any]:
    """Calls a tool and returns the whole answer: result or error, warnings, metadata."""
    return default().answer(tool, args, **kwargs)


async def acall(
    tool: str, args: Mapping[str, Any] | None = None, /, *, progress: Progress | None = None, **kwargs: Any
) -> Any:
    """As `call`, for asyncio; cancelling the task cancels the call."""
    return await default().acall(tool, args, progress=progress, **kwargs)


def run(plan: Plan, inputs: Mapping[str, Any] | None = None, *, progress: Progress | None = None) -> Any:
    """Checks and runs a plan: a dictionary, a file, or its text."""
    return default().run(plan, inputs, progress=progress)


async def arun(plan: Plan, inputs: Mapping[str, Any] | None = None, *, progress: Progress | None = None) -> Any:
    """As `run`, for asyncio; cancelling the task cancels the run."""
    return await default().arun(plan, inputs, progress=progress)


def run_pipeline(**options: Any) -> Any:
    """Runs the phases of the configuration with their agents: see `Toolkit.run_pipeline`."""
    return default().run_pipeline(**options)


async def arun_pipeline(**options: Any) -> Any:
    """As `run_pipeline`, for asyncio; cancelling the task cancels the pipeline."""
    return await default().arun_pipeline(**options)


def check(plan: Plan, inputs: Mapping[str, Any] | None = None) -> Any:
    """Checks a plan without running it; raises `InvalidRequest` with all `problems`."""
    return default().check(plan, inputs)


def schemas(format: str = "jsonschema") -> list[dict[str, Any]]:
    """The tools with their schemas."""
    return default().schemas(format)


def tool(function: Any = None, /, **options: Any) -> Any:
    """Adds a function as a tool of the module's toolkit: see `Toolkit.tool`."""
    return default().tool(function, **options)
