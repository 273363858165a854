#!/usr/bin/env python3
"""Tokens that a model reads and writes for three jobs, in three ways: all tools listed, the search catalogue, one plan.

    python3 benches/peers/code_mode.py [--bin target/debug/mathchain] [--write]

Each job runs against `mathchain serve --mcp`. The calls are those that a model would send, with values copied from earlier answers where a
call needs them; no model takes part, so the figures are exact and the same at every run. `context` is what stands in the conversation at its
end: declarations of tools, instructions, calls and answers. `read` adds up what the model reads over all turns, since each turn reads the whole
conversation so far. Tokens are those of o200k_base where `bpe-openai` is installed (`pip install bpe-openai==0.1.4`), else bytes / 4; the
table says which. `--write` puts it into benches/results/code_mode.md.
"""

import argparse
import json
import pathlib
import shutil
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
RESULTS = ROOT / "benches" / "results" / "code_mode.md"
HOUSES = {"$file": "houses.csv"}

try:
    import bpe_openai

    ENCODING = bpe_openai.get_encoding("o200k_base")
    COUNTED = "o200k_base"

    def tokens(text):
        return len(ENCODING.encode_ordinary(text))

except ImportError:
    COUNTED = "bytes / 4"

    def tokens(text):
        return -(-len(text.encode()) // 4)


class Client:
    """A client over stdin and stdout; the server ends with it."""

    def __init__(self, binary, catalog, state):
        environment = {"PATH": "/usr/bin:/bin", "HOME": str(state), "XDG_STATE_HOME": str(state)}
        command = [binary, "serve", "--mcp", "--catalog", catalog]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment, cwd=state / "work"
        )
        self.next = 0
        begun = self.request(
            "initialize",
            {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "tokens", "version": "1"}},
        )
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        self.instructions = begun.get("instructions", "")

    def send(self, message):
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()

    def request(self, method, params):
        self.next += 1
        self.send({"jsonrpc": "2.0", "id": self.next, "method": method, "params": params})
        while True:
            message = json.loads(self.process.stdout.readline())
            if message.get("id") == self.next:
                if "error" in message:
                    raise SystemExit(f"{method}: {message['error']}")
                return message["result"]

    def tools(self):
        found, params = [], {}
        while True:
            page = self.request("tools/list", params)
            found += page["tools"]
            if "nextCursor" not in page:
                return found
            params = {"cursor": page["nextCursor"]}

    def end(self):
        self.process.stdin.close()
        self.process.wait()


class Conversation:
    """What a model has read, turn by turn."""

    def __init__(self, client):
        self.client = client
        declared = [{key: tool[key] for key in ("name", "description", "inputSchema")} for tool in client.tools()]
        self.declared = tokens(client.instructions) + tokens(json.dumps(declared))
        self.context = self.declared
        self.read = 0
        self.calls = 0

    def call(self, name, arguments):
        """One turn: the model reads all there is and writes a call, whose answer is added."""
        self.calls += 1
        self.read += self.context
        answer = self.client.request("tools/call", {"name": name, "arguments": arguments})
        texts = "\n".join(block["text"] for block in answer["content"] if block["type"] == "text")
        if answer.get("isError"):
            raise SystemExit(f"{name}: {texts}")
        self.context += tokens(json.dumps({"name": name, "arguments": arguments})) + tokens(texts)
        return answer["structuredContent"]

    def end(self):
        self.read += self.context
        self.client.end()


# A job is its calls, each a function of the results so far, and the same as a plan. `words` is what a model would search for.
def table_calls(call):
    call("table_describe", {"table": HOUSES})
    call("table_group", {"table": HOUSES, "by": ["city"], "aggregates": ["n = count()", "mean(price)"]})
    call("linear_regression", {"data": HOUSES, "formula": "price ~ area + C(city)", "errors": "HC3"})


TABLE_PLAN = {
    "version": 1,
    "id": "prices",
    "steps": [
        {"id": "look", "tool": "table_describe", "args": {"table": HOUSES}},
        {"id": "by_city", "tool": "table_group", "args": {"table": HOUSES, "by": ["city"], "aggregates": ["n = count()", "mean(price)"]}},
        {"id": "fit", "tool": "linear_regression", "args": {"data": HOUSES, "formula": "price ~ area + C(city)", "errors": "HC3"}},
    ],
    "outputs": {"rows": {"$ref": "look.count"}, "cities": {"$ref": "by_city.rows"}, "terms": {"$ref": "fit.terms"}, "r2": {"$ref": "fit.r2"}},
}


def copied_calls(call):
    """Dependent calls: the model copies values of one answer into the next call."""
    rows = call("csv_to_json", {"csv_content": HOUSES})["rows"]
    prices = call("json_query", {"data": rows, "query": "[?rooms > `3`].price"})["result"]
    call("statistics", {"data": prices, "extended": True})
    call("bootstrap", {"data": {"price": prices}, "statistic": "median(price)", "seed": 1})


COPIED_PLAN = {
    "version": 1,
    "id": "large_homes",
    "seed": 1,
    "steps": [
        {"id": "raw", "tool": "csv_to_json", "args": {"csv_content": HOUSES}},
        {"id": "prices", "tool": "json_query", "args": {"data": {"$ref": "raw.rows"}, "query": "[?rooms > `3`].price"}},
        {"id": "summary", "tool": "statistics", "args": {"data": {"$ref": "prices.result"}, "extended": True}},
        {"id": "interval", "tool": "bootstrap", "args": {"data": {"price": {"$ref": "prices.result"}}, "statistic": "median(price)", "seed": 1}},
    ],
    "outputs": {"mean": {"$ref": "summary.mean"}, "median": {"$ref": "interval"}},
}

WAVES = list(range(1, 13))


def repeated_calls(call):
    """The same call for twelve values, then one over all answers."""
    values = [call("integrate", {"f": f"exp(-x^2)*cos({wave}*x)", "from": 0, "to": 5})["integral"] for wave in WAVES]
    call("statistics", {"data": values})


REPEATED_PLAN = {
    "version": 1,
    "id": "waves",
    "inputs": {"functions": {"type": "list"}},
    "steps": [
        {
            "id": "areas",
            "tool": "integrate",
            "map": {"over": {"$ref": "inputs.functions"}, "as": "one", "max": 100},
            "args": {"f": {"$ref": "one"}, "from": 0, "to": 5},
        },
        {"id": "summary", "tool": "statistics", "args": {"data": {"$ref": "areas[*].integral"}}},
    ],
    "outputs": {"areas": {"$ref": "areas[*].integral"}, "mean": {"$ref": "summary.mean"}},
}

JOBS = [
    ("a table described, grouped and modelled: 3 calls", table_calls, TABLE_PLAN, {}, ["group a table", "linear regression with a formula", "describe a table"]),
    ("4 dependent calls, values copied between them", copied_calls, COPIED_PLAN, {}, ["csv to json", "bootstrap interval"]),
    ("12 equal calls and one over their answers", repeated_calls, REPEATED_PLAN, {"functions": [f"exp(-x^2)*cos({wave}*x)" for wave in WAVES]}, ["integrate a function", "statistics"]),
]


def tools_of(plan):
    return list(dict.fromkeys(step["tool"] for step in plan["steps"]))


def measure(binary, state):
    for title, calls, plan, inputs, words in JOBS:
        row = []
        everything = Conversation(Client(binary, "full", state))
        calls(everything.call)
        everything.end()
        row.append(everything)
        searched = Conversation(Client(binary, "search", state))
        for one in words:
            searched.call("search_tools", {"query": one})
        for tool in tools_of(plan):
            searched.call("describe_tool", {"name": tool})
        calls(lambda name, arguments: searched.call("call_tool", {"name": name, "arguments": arguments}))
        searched.end()
        row.append(searched)
        planned = Conversation(Client(binary, "search", state))
        for one in words:
            planned.call("search_tools", {"query": one})
        for tool in tools_of(plan):
            planned.call("describe_tool", {"name": tool})
        planned.call("chain_run", {"plan": plan, "inputs": inputs} if inputs else {"plan": plan})
        planned.end()
        row.append(planned)
        yield title, row


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", default="target/debug/mathchain")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    binary = str(pathlib.Path(options.bin).resolve())
    lines = [
        f"Tokens counted by {COUNTED}. `read` is the sum over all turns.",
        "",
        "| job | way | calls | declarations | context at the end | read |",
        "|---|---|---|---|---|---|",
    ]
    with tempfile.TemporaryDirectory() as folder:
        state = pathlib.Path(folder)
        (state / "work").mkdir()
        shutil.copy(ROOT / "examples" / "data" / "houses.csv", state / "work")
        for title, row in measure(binary, state):
            for way, one in zip(["all tools listed", "search catalogue", "one plan"], row):
                lines.append(f"| {title} | {way} | {one.calls} | {one.declared:,} | {one.context:,} | {one.read:,} |")
                title = ""
    text = "\n".join(lines) + "\n"
    print(text, end="")
    if options.write:
        RESULTS.write_text(f"# Tokens of code mode\n\nMade by `benches/peers/code_mode.py --write`.\n\n{text}")


if __name__ == "__main__":
    main()
