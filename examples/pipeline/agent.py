"""An agent without a model: it makes the calls that its task lists and prints what came of them.

    python3 agent.py --mcp FILE --task TEXT

FILE is an MCP configuration, as agent command lines read it: `{"mcpServers": {"NAME": {"command": ..., "args": [...]}}}`.
Each line of TEXT that is the name of a tool and its arguments as a JSON object is a call.
"""

import argparse
import json
import subprocess
import sys


class Server:
    """A server of the Model Context Protocol on standard input and output."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            servers = json.load(file)["mcpServers"]
        server = next(iter(servers.values()))
        command = [server["command"], *server["args"]]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.count = 0
        client = {"name": "example-agent", "version": "1"}
        self.ask("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client})
        self.send({"method": "notifications/initialized"})

    def send(self, message):
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        self.process.stdin.flush()

    def ask(self, method, params):
        self.count += 1
        self.send({"id": self.count, "method": method, "params": params})
        for line in self.process.stdout:
            answer = json.loads(line)
            if answer.get("id") == self.count and "method" not in answer:
                return answer
        sys.exit("the server ended")

    def call(self, tool, arguments):
        """The text of the answer, and whether the call succeeded."""
        answer = self.ask("tools/call", {"name": tool, "arguments": arguments})
        if "error" in answer:
            return answer["error"]["message"], False
        result = answer["result"]
        text = " ".join(part.get("text", "") for part in result["content"])
        return text, not result.get("isError")

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--mcp", required=True)
    parser.add_argument("--task", required=True)
    given = parser.parse_args()
    server = Server(given.mcp)
    listed = server.ask("tools/list", {})["result"]["tools"]
    print("tools:", ", ".join(tool["name"] for tool in listed))
    for line in given.task.splitlines():
        name, _, arguments = line.strip().partition(" ")
        if arguments.startswith("{"):
            text, succeeded = server.call(name, json.loads(arguments))
            print(f"{name}: {'ok' if succeeded else 'refused'}: {text[:300]}", flush=True)
    server.close()


main()
