"""Declarations and dispatch, tried against the providers' own packages."""

import json

import pytest

import mathchain
from mathchain import adapters

NAMES = ["matrix_solve", "statistics", "write_file"]


def test_openai(toolkit):
    openai = pytest.importorskip("openai", reason="pip install openai")
    pydantic = pytest.importorskip("pydantic")
    tools = adapters.openai_tools(toolkit, catalog="full")
    types = openai.types.chat
    pydantic.TypeAdapter(list[types.ChatCompletionToolParam]).validate_python(list(tools))
    message = types.ChatCompletionMessage.model_validate(
        {
            "role": "assistant",
            "tool_calls": [
                {"id": "1", "type": "function", "function": {"name": "statistics", "arguments": '{"data": [1, 2, 3]}'}},
                {"id": "2", "type": "function", "function": {"name": "statistics", "arguments": '{"data": 1'}},
                {"id": "3", "type": "function", "function": {"name": "statistcs", "arguments": "{}"}},
                {"id": "4", "type": "function", "function": {"name": "disk_usage", "arguments": ""}},
            ],
        }
    )
    answers = [tools.dispatch(call) for call in message.tool_calls]
    pydantic.TypeAdapter(list[types.ChatCompletionToolMessageParam]).validate_python(answers)
    assert [answer["tool_call_id"] for answer in answers] == ["1", "2", "3", "4"]
    assert json.loads(answers[0]["content"])["mean"] == 2
    assert json.loads(answers[1]["content"])["error"]["code"] == "invalid_request"
    assert json.loads(answers[2]["content"])["error"]["code"] == "unknown_tool"


def test_anthropic(toolkit):
    anthropic = pytest.importorskip("anthropic", reason="pip install anthropic")
    pydantic = pytest.importorskip("pydantic")
    tools = adapters.anthropic_tools(toolkit, catalog="full")
    pydantic.TypeAdapter(list[anthropic.types.ToolParam]).validate_python(list(tools))
    call = anthropic.types.ToolUseBlock(id="a", name="matrix_solve", input={"A": [[2]], "b": [4]}, type="tool_use")
    answer = tools.dispatch(call)
    pydantic.TypeAdapter(anthropic.types.ToolResultBlockParam).validate_python(answer)
    assert json.loads(answer["content"])["x"] == [2] and not answer["is_error"]
    answer = tools.dispatch({"type": "tool_use", "id": "b", "name": "matrix_solve", "input": {"A": [[0]], "b": [4]}})
    assert answer["is_error"] and json.loads(answer["content"])["error"]["reason"] == "singular"


def test_langchain(toolkit):
    pytest.importorskip("langchain_core", reason="pip install langchain-core")
    from langchain_core.utils.function_calling import convert_to_openai_tool

    tools = adapters.langchain_tools(toolkit, NAMES)
    assert [tool.name for tool in tools] == NAMES
    solve = tools[0]
    assert json.loads(solve.invoke({"A": [[2]], "b": [4]}))["x"] == [2]
    call = {"name": "statistics", "args": {"data": [1, 3]}, "id": "7", "type": "tool_call"}
    message = tools[1].invoke(call)
    assert message.tool_call_id == "7" and json.loads(message.content)["mean"] == 2
    assert "singular" in solve.invoke({"A": [[0]], "b": [4]})
    for tool in adapters.langchain_tools(toolkit, catalog="full"):
        assert convert_to_openai_tool(tool)["function"]["name"] == tool.name


def test_names_select(toolkit):
    tools = adapters.openai_tools(toolkit, NAMES)
    assert [tool["function"]["name"] for tool in tools] == NAMES
    with pytest.raises(mathchain.UnknownTool, match="statistcs"):
        adapters.anthropic_tools(toolkit, ["statistcs"])


def test_catalogues_are_those_of_the_command(toolkit, command):
    for catalog in ("core", "search", "full"):
        printed = command("tools", "export", "--format", "openai", "--catalog", catalog)
        assert adapters.openai_tools(toolkit, catalog=catalog) == json.loads(printed)
    for format in ("gemini", "anthropic"):
        assert toolkit.schemas(format) == json.loads(command("tools", "export", "--format", format, "--catalog", "full"))
    with pytest.raises(mathchain.InvalidRequest, match="no catalogue `all`"):
        adapters.openai_tools(toolkit, catalog="all")
    with pytest.raises(mathchain.InvalidRequest, match="no format `opnai`"):
        toolkit.schemas("opnai")


def test_the_tools_of_a_catalogue_that_find_others_answer(toolkit):
    tools = adapters.anthropic_tools(toolkit, catalog="search")

    def ask(tool, /, **arguments):
        answer = tools.dispatch({"type": "tool_use", "id": "b", "name": tool, "input": arguments})
        return answer["is_error"], json.loads(answer["content"])

    assert "matrix_solve" in [tool["name"] for tool in ask("search_tools", query="solve linear")[1]["tools"]]
    assert "A" in ask("describe_tool", name="matrix_solve")[1]["input_schema"]["properties"]
    assert ask("call_tool", name="matrix_solve", arguments={"A": [[2]], "b": [4]})[1]["x"] == [2]
    is_error, answer = ask("call_tool", arguments={})
    assert is_error and answer["error"]["path"] == "/name"


def test_an_approval_is_an_answer(folder):
    (folder / "mathchain.toml").write_text("version = 1\n")
    tools = adapters.anthropic_tools(mathchain.Toolkit(), NAMES)
    call = {"type": "tool_use", "id": "b", "name": "write_file", "input": {"path": "a", "content": "b"}}
    answer = tools.dispatch(call)
    assert answer["is_error"] and json.loads(answer["content"])["pending_approval"]
