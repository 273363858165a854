"""Clients of the Model Context Protocol, as their users have them, against `mathchain serve --mcp`.

    clients.py mcp|fastmcp|langchain PROGRAM
    clients.py asking PROGRAM                     tools that ask the client, of `mcp-fixtures`

Each of the first lists and calls tools, with the client's own check of results against their schemas, reads resources, gets every prompt, completes
arguments, receives progress, sees an error, and waits for an approval.
"""

import asyncio
import json
import os
import pty
import re
import subprocess
import sys
import tempfile
from pathlib import Path

PROMPTS = {
    "solve": {"problem": "x + 1 = 2"},
    "analyse_data": {"file": "a.csv"},
    "write_plan": {"task": "add and square"},
    "explain_error": {"tool": "calculate", "message": "invalid_args"},
    "review_run": {"run": "r1"},
}
SYSTEM = {"A": [[3, 1], [1, 2]], "b": [9, 8]}
# Some seconds of work; the client cancels nothing, the length of the chains bounds it.
LONG = {"log_density": "-x0**2/2", "x0": [0.0], "n_samples": 150_000, "chains": 4}


class World:
    """A folder with a server's files."""

    def __init__(self, program: str, folder: str) -> None:
        self.program = program
        self.work = Path(folder, "work")
        self.work.mkdir()
        places = {"XDG_CONFIG_HOME": "config", "XDG_STATE_HOME": "state", "HOME": ""}
        self.env = {**os.environ, **{name: str(Path(folder, at)) for name, at in places.items()}}
        self.args = ["serve", "--mcp", "--workspace", str(self.work)]

    def approve(self, text: str) -> None:
        """Approves the request that a text names, as the operator does."""
        found = re.search(r"mathchain approve (\S+?)`", text)
        expect(found, f"no id of an approval in: {text}")
        # The operator sits at a terminal, which an approval needs.
        ours, theirs = pty.openpty()
        name = os.ttyname(theirs)
        command = [self.program, "approve", found.group(1), "--workspace", str(self.work)]
        done = subprocess.run(
            command, cwd=self.work, env=self.env, capture_output=True, text=True, stdin=subprocess.DEVNULL,
            start_new_session=True, preexec_fn=lambda: os.open(name, os.O_RDWR),
        )
        os.close(ours)
        os.close(theirs)
        expect(done.returncode == 0, f"the approval failed: {done.stderr}")


def expect(holds: object, message: str) -> None:
    if not holds:
        raise SystemExit(f"failed: {message}")


def text_of(result) -> str:
    return "\n".join(block.text for block in result.content if block.type == "text")


async def official(world: World) -> None:
    """The SDK for Python, in both versions of the protocol."""
    from mcp import StdioServerParameters
    from mcp.client import Client
    from mcp_types import ElicitResult, PromptReference, ResourceTemplateReference

    for mode, version in [("auto", "2026-07-28"), ("legacy", "2025-11-25")]:
        asked: list[str] = []

        async def confirm(_, params):
            asked.append(params.message)
            world.approve(params.message)
            return ElicitResult(action="accept", content={})

        server = StdioServerParameters(command=world.program, args=world.args, env=world.env, cwd=str(world.work))
        async with Client(server, mode=mode, elicitation_callback=confirm) as client:
            expect(client.protocol_version == version, f"{mode} speaks {client.protocol_version}")
            tools = (await client.list_tools()).tools
            expect(20 <= len(tools) <= 30, f"{len(tools)} tools")
            expect(all(tool.output_schema for tool in tools), "a tool without a schema of its result")
            solved = await client.call_tool("matrix_solve", SYSTEM)
            expect(solved.structured_content["x"] == [2.0, 3.0], f"{solved}")
            wrong = await client.call_tool("matrix_solve", {"A": [[1, 2]], "b": "x"})
            expect(wrong.is_error and "hint" in text_of(wrong), f"{wrong}")
            templates = await client.list_resource_templates()
            expect(len(templates.resource_templates) >= 5, f"{templates}")
            resources = (await client.list_resources()).resources
            page = await client.read_resource(resources[0].uri)
            expect(len(page.contents[0].text) > 100, f"{page}")
            expect({prompt.name for prompt in (await client.list_prompts()).prompts} == set(PROMPTS), "the prompts")
            for name, arguments in PROMPTS.items():
                prompt = await client.get_prompt(name, arguments)
                expect(next(iter(arguments.values())) in prompt.messages[0].content.text, f"{prompt}")
            names = await client.complete(PromptReference(type="ref/prompt", name="explain_error"), {"name": "tool", "value": "matrix_s"})
            expect(names.completion.values == ["matrix_solve"], f"{names}")
            pages = await client.complete(
                ResourceTemplateReference(type="ref/resource", uri="mathchain://docs/{page}"), {"name": "page", "value": ""}
            )
            expect(pages.completion.values, f"{pages}")
            seen: list[float] = []

            async def report(progress, total, message):
                seen.append(progress)

            await client.call_tool("mcmc", LONG, progress_callback=report)
            expect(seen and seen == sorted(seen), f"progress {seen}")
            await approved(world, mode, asked, lambda args: client.call_tool("write_file", args))
        print(f"mcp {version}: {len(tools)} tools, {len(seen)} reports of progress")


async def asking(world: World) -> None:
    """Questions of tools, over stdin and stdout: sent while the call runs, or as its answer, by version."""
    from mcp import MCPError, StdioServerParameters
    from mcp.client import Client
    from mcp_types import ElicitResult

    for mode in ["auto", "legacy"]:
        asked: list[str] = []

        async def answer(_, params):
            asked.append(params.message)
            return ElicitResult(action="accept", content={"name": "Ann", "color": "blue"})

        server = StdioServerParameters(command=world.program, args=world.args, env=world.env, cwd=str(world.work))
        async with Client(server, mode=mode, elicitation_callback=answer) as client:
            one = await client.call_tool("test_input_required_result_elicitation", {})
            expect("Hello, Ann!" in text_of(one), f"{one}")
            two = await client.call_tool("test_input_required_result_multi_round", {})
            expect("blue" in text_of(two) and len(asked) == 3, f"{asked}: {two}")
            # This client has no model to offer.
            try:
                lacking = await client.call_tool("test_missing_capability", {})
                expect(mode == "legacy" and lacking.is_error, f"{lacking}")
            except MCPError as error:
                expect(mode == "auto" and error.error.code == -32021, f"{error}")
            kinds = {
                "test_image_content": "image",
                "test_audio_content": "audio",
                "test_embedded_resource": "resource",
            }
            for tool, kind in kinds.items():
                shown = await client.call_tool(tool, {})
                expect(kind in {block.type for block in shown.content}, f"{shown}")
        print(f"mcp {mode}: a tool asked {len(asked)} times")


async def fast(world: World) -> None:
    """FastMCP."""
    from fastmcp import Client
    from fastmcp.client.elicitation import ElicitResult
    from fastmcp.client.transports import StdioTransport
    from fastmcp.exceptions import ToolError
    from mcp_types import PromptReference

    asked: list[str] = []

    async def confirm(message, *_):
        asked.append(message)
        world.approve(message)
        return ElicitResult(action="accept", content={})

    seen: list[float] = []

    async def report(progress, total, message):
        seen.append(progress)

    transport = StdioTransport(world.program, world.args, env=world.env, cwd=str(world.work))
    async with Client(transport, elicitation_handler=confirm, progress_handler=report) as client:
        tools = await client.list_tools()
        expect(20 <= len(tools) <= 30, f"{len(tools)} tools")
        solved = await client.call_tool("matrix_solve", SYSTEM)
        expect(solved.structured_content["x"] == [2.0, 3.0], f"{solved}")
        try:
            await client.call_tool("matrix_solve", {"A": [[1, 2]], "b": "x"})
            expect(False, "a wrong call raises no error")
        except ToolError as error:
            expect("hint" in str(error), f"{error}")
        resources = await client.list_resources()
        page = await client.read_resource(str(resources[0].uri))
        expect(len(page[0].text) > 100, f"{page}")
        for name, arguments in PROMPTS.items():
            prompt = await client.get_prompt(name, arguments)
            expect(next(iter(arguments.values())) in prompt.messages[0].content.text, f"{prompt}")
        names = await client.complete(PromptReference(type="ref/prompt", name="explain_error"), {"name": "tool", "value": "matrix_s"})
        expect(names.values == ["matrix_solve"], f"{names}")
        await client.call_tool("mcmc", LONG)
        expect(seen and seen == sorted(seen), f"progress {seen}")
        await approved(world, "auto", asked, lambda args: client.call_tool("write_file", args, raise_on_error=False))
    print(f"fastmcp: {len(tools)} tools, {len(seen)} reports of progress")


async def approved(world: World, mode: str, asked: list[str], write) -> None:
    """A call that waits: the client asks its user, or is told what the operator types."""
    path = f"{mode}.txt"
    args = {"path": path, "content": "approved"}
    result = await write(args)
    if not asked:
        expect(result.is_error, f"written without an approval: {result}")
        expect(not Path(world.work, path).exists(), "the file was written before the approval")
        world.approve(text_of(result))
        result = await write(args)
    expect(not result.is_error, f"{result}")
    expect(Path(world.work, path).read_text() == "approved", "the file")


async def langchain(world: World) -> None:
    """LangChain's adapters, which check arguments and give text and structured content to a model."""
    from langchain_mcp_adapters.callbacks import Callbacks
    from langchain_mcp_adapters.client import MultiServerMCPClient
    from langchain_mcp_adapters.tools import load_mcp_tools

    seen: list[float] = []

    async def report(progress, total, message, context):
        seen.append(progress)

    connection = {"transport": "stdio", "command": world.program, "args": world.args, "env": world.env, "cwd": str(world.work)}
    client = MultiServerMCPClient({"mathchain": connection}, callbacks=Callbacks(on_progress=report))
    tools = {tool.name: tool for tool in await client.get_tools()}
    expect(20 <= len(tools) <= 30, f"{len(tools)} tools")

    def call(name, args):
        return tools[name].ainvoke({"name": name, "args": args, "id": "1", "type": "tool_call"})

    solved = await call("matrix_solve", SYSTEM)
    expect(solved.artifact["structured_content"]["x"] == [2.0, 3.0], f"{solved}")
    wrong = await call("matrix_solve", {"A": [[1, 2]], "b": "x"})
    expect(wrong.status == "error" and "hint" in json.dumps(wrong.content), f"{wrong}")
    pages = await client.get_resources("mathchain", uris="mathchain://docs/plans")
    expect(len(pages[0].as_string()) > 100, f"{pages}")
    for name, arguments in PROMPTS.items():
        prompt = await client.get_prompt("mathchain", name, arguments=arguments)
        expect(next(iter(arguments.values())) in prompt[0].content, f"{prompt}")
    async with client.session("mathchain") as session:
        loaded = {tool.name: tool for tool in await load_mcp_tools(session, callbacks=Callbacks(on_progress=report), server_name="mathchain")}
        expect(set(loaded) == set(tools), "the tools of a session")
        await loaded["call_tool"].ainvoke({"name": "call_tool", "args": {"name": "mcmc", "arguments": LONG}, "id": "2", "type": "tool_call"})
        expect(seen and seen == sorted(seen), f"progress {seen}")
        pending = await call("write_file", {"path": "l.txt", "content": "approved"})
        world.approve(json.dumps(pending.content, ensure_ascii=False))
        await call("write_file", {"path": "l.txt", "content": "approved"})
        expect(Path(world.work, "l.txt").read_text() == "approved", "the file")
    print(f"langchain: {len(tools)} tools, {len(seen)} reports of progress")


def main() -> None:
    which, program = sys.argv[1:]
    clients = {"mcp": official, "fastmcp": fast, "langchain": langchain, "asking": asking}
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(asyncio.wait_for(clients[which](World(program, folder)), 120))


main()
