"""The tools for programs that talk to models: OpenAI, Anthropic, LangChain."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ._errors import InvalidRequest
from ._toolkit import default

if TYPE_CHECKING:
    from ._toolkit import Toolkit

class _Tools(list[dict[str, Any]]):
    """Declarations of tools, and the toolkit that answers their calls."""

    def __init__(
        self, toolkit: Toolkit | None, format: str, names: Iterable[str] | None, catalog: str
    ) -> None:
        self.toolkit = toolkit or default()
        super().__init__(self.toolkit._declared(format, catalog, None if names is None else list(names)))

    def _answer(self, name: str, arguments: str) -> tuple[str, bool]:
        """The answer to a call as text for a model, and whether it is an error."""
        answer = json.loads(self.toolkit._answer_json(name, arguments or "{}"))
        if answer["status"] == "success":
            return json.dumps(answer["output"], ensure_ascii=False), False
        if answer["status"] == "pending_approval":
            return json.dumps({"pending_approval": answer["metadata"]["approval_id"]}), True
        return json.dumps({"error": answer["error"]}, ensure_ascii=False), True


class OpenAITools(_Tools):
    """Tools as OpenAI's chat completions take them."""

    def dispatch(self, tool_call: Any) -> dict[str, Any]:
        """Answers a tool call of a message: a message with the role `tool`."""
        function = _member(tool_call, "function")
        content, _ = self._answer(_member(function, "name"), _member(function, "arguments"))
        return {"role": "tool", "tool_call_id": _member(tool_call, "id"), "content": content}


class AnthropicTools(_Tools):
    """Tools as Anthropic's messages take them."""

    def dispatch(self, tool_call: Any) -> dict[str, Any]:
        """Answers a block of the type `tool_use`: a block of the type `tool_result`."""
        arguments = json.dumps(_member(tool_call, "input"))
        content, is_error = self._answer(_member(tool_call, "name"), arguments)
        return {
            "type": "tool_result",
            "tool_use_id": _member(tool_call, "id"),
            "content": content,
            "is_error": is_error,
        }


def _member(item: Any, name: str) -> Any:
    return item[name] if isinstance(item, dict) else getattr(item, name)


def openai_tools(
    toolkit: Toolkit | None = None, names: Iterable[str] | None = None, catalog: str = "core"
) -> OpenAITools:
    """The tools for the argument `tools` of OpenAI's chat completions: those of a catalogue, or those named."""
    return OpenAITools(toolkit, "openai", names, catalog)


def anthropic_tools(
    toolkit: Toolkit | None = None, names: Iterable[str] | None = None, catalog: str = "core"
) -> AnthropicTools:
    """The tools for the argument `tools` of Anthropic's messages: those of a catalogue, or those named."""
    return AnthropicTools(toolkit, "anthropic", names, catalog)


def langchain_tools(
    toolkit: Toolkit | None = None, names: Iterable[str] | None = None, catalog: str = "core"
) -> list[Any]:
    """The tools of a catalogue, or those named, as LangChain's `StructuredTool`; needs `langchain-core`."""
    try:
        from langchain_core.tools import StructuredTool
    except ImportError as missing:
        raise InvalidRequest("`langchain-core` is not installed", hint="pip install langchain-core") from missing
    tools = _Tools(toolkit, "anthropic", names, catalog)
    return [_langchain(StructuredTool, tools, spec) for spec in tools]


def _langchain(made: Any, tools: _Tools, spec: dict[str, Any]) -> Any:
    from langchain_core.tools import ToolException

    name = spec["name"]

    def call(**arguments: Any) -> str:
        text, is_error = tools._answer(name, json.dumps(arguments))
        if is_error:
            raise ToolException(text)
        return text

    return made.from_function(
        func=call,
        name=name,
        description=spec["description"],
        args_schema=spec["input_schema"],
        handle_tool_error=True,
    )
