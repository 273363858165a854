"""The table of servers of the Model Context Protocol: mathchain beside FastMCP, which serve the same function."""

import json
import re
import socket
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

PEER = Path(__file__).with_name("servers_peer.py")
META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}


def request(number, method, params):
    message = {"jsonrpc": "2.0", "id": number, "method": method, "params": {**params, "_meta": META}}
    return json.dumps(message).encode()


def calculation(number):
    return request(number, "tools/call", {"name": "calculate", "arguments": {"expression": f"{number % 1000}+1"}})


def check(answer, number):
    value = json.loads(answer)["result"]["structuredContent"]["value"]
    if value != number % 1000 + 1:
        raise SystemExit(f"a wrong answer: {answer[:500]}")


class Pipe:
    """A server over stdin and stdout."""

    def __init__(self, command, env, folder):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=env, cwd=folder)

    def ask(self, message):
        self.process.stdin.write(message + b"\n")
        self.process.stdin.flush()
        return self.process.stdout.readline()

    def call(self, number):
        message = calculation(number)
        begun = time.perf_counter()
        answer = self.ask(message)
        return time.perf_counter() - begun, answer

    def close(self):
        self.process.stdin.close()
        self.process.wait()


class Connection:
    """A server over HTTP, and one connection that is kept."""

    def __init__(self, command, env, folder, port):
        said = Path(folder) / f"said-{port}"
        with said.open("w") as stderr:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=stderr, env=env, cwd=folder)
        end = time.monotonic() + 30
        while True:
            try:
                self.socket = socket.create_connection(("127.0.0.1", port))
                break
            except ConnectionRefusedError:
                if time.monotonic() > end:
                    raise
                time.sleep(0.01)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        # Ours prints the token that requests need before it listens.
        token = re.search(r"Bearer (mathchain_[0-9a-f]+)", said.read_text())
        key = f"Authorization: Bearer {token.group(1)}\r\n" if token else ""
        self.head = (
            f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"
            f"{key}MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: calculate\r\nContent-Length: "
        )
        self.rest = b""

    def call(self, number):
        body = calculation(number)
        message = f"{self.head}{len(body)}\r\n\r\n".encode() + body
        begun = time.perf_counter()
        self.socket.sendall(message)
        answer = self.read()
        return time.perf_counter() - begun, answer

    def read(self):
        """The body of one answer, whose length is stated or which comes in chunks."""
        found = self.rest
        while b"\r\n\r\n" not in found:
            found += self.received()
        head, found = found.split(b"\r\n\r\n", 1)
        if not head.startswith(b"HTTP/1.1 200"):
            raise SystemExit(f"an unexpected answer: {head!r}")
        fields = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:])
        if b"content-length" in fields:
            length = int(fields[b"content-length"])
            while len(found) < length:
                found += self.received()
            body, self.rest = found[:length], found[length:]
            return body
        body = b""
        while True:
            while b"\r\n" not in found:
                found += self.received()
            size, found = found.split(b"\r\n", 1)
            size = int(size, 16)
            while len(found) < size + 2:
                found += self.received()
            body, found = body + found[:size], found[size + 2 :]
            if size == 0:
                self.rest = found
                lines = [line[5:] for line in body.split(b"\n") if line.startswith(b"data:")]
                return lines[-1] if lines else body

    def received(self):
        part = self.socket.recv(1 << 16)
        if not part:
            raise SystemExit("the server closed the connection")
        return part

    def close(self):
        self.socket.close()
        self.process.terminate()
        self.process.wait()


def resident(server):
    """Memory of a process in MB."""
    for line in Path(f"/proc/{server.process.pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1024
    raise SystemExit("no memory of the process is known")


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def started(command, env, folder, method):
    """Seconds from the start of a process to its first answer."""
    begun = time.perf_counter()
    server = Pipe(command, env, folder)
    answer = server.ask(request(1, method, {}))
    elapsed = time.perf_counter() - begun
    if "result" not in json.loads(answer):
        raise SystemExit(f"an unexpected answer: {answer[:500]}")
    server.close()
    return elapsed


def in_turns(commands, env, folder, method, runs):
    """Times of starts, the servers taking turns."""
    pairs = [[started(command, env, folder, method) for command in commands] for _ in range(runs)]
    return [list(times) for times in zip(*pairs)]


def called(servers, calls):
    """Times of calls, the servers taking turns."""
    found = [[] for _ in servers]
    number = 0
    for block in range(10):
        for server, times in zip(servers, found):
            for _ in range(calls // 10 + 20):
                number += 1
                elapsed, answer = server.call(number)
                check(answer, number)
                times.append(elapsed)
            # The first calls of a block fill caches again.
            del times[-(calls // 10 + 20) : -(calls // 10)]
    return found


def us(times):
    """Median and least in microseconds."""
    return f"{statistics.median(times) * 1e6:.0f} ({min(times) * 1e6:.0f})"


def table(binary, python, quick):
    calls, many = (500, 5_000) if quick else (5_000, 100_000)
    lines = ["## Servers for MCP clients", ""]
    with tempfile.TemporaryDirectory() as folder:
        env = {"PATH": "/usr/bin:/bin", "HOME": folder, "XDG_STATE_HOME": f"{folder}/state", "XDG_CONFIG_HOME": f"{folder}/config"}
        ours, peer = [binary, "serve", "--mcp", "--catalog", "full"], [python, str(PEER)]
        firsts, lists = [in_turns((ours, peer), env, folder, method, 3 if quick else 9) for method in ("server/discover", "tools/list")]
        pipes = [Pipe(command, env, folder) for command in (ours, peer)]
        idle = []
        for server in pipes:
            server.ask(request(1, "server/discover", {}))
            idle.append(resident(server))
        stdio = called(pipes, calls)
        early = None
        for number in range(many):
            if number == many // 100:
                early = resident(pipes[0])
            check(pipes[0].call(number)[1], number)
        late = resident(pipes[0])
        for server in pipes:
            server.close()
        ports = [free_port(), free_port()]
        commands = [[binary, "serve", "--http", f"127.0.0.1:{ports[0]}"], [*peer, str(ports[1])]]
        kept = [Connection(command, env, folder, port) for command, port in zip(commands, ports)]
        web = [resident(server) for server in kept]
        http = called(kept, calls)
        for server in kept:
            server.close()
    version = subprocess.check_output([python, "-c", "import fastmcp; print(fastmcp.__version__)"], text=True).strip()
    ratio = lambda pair: f"{statistics.median(pair[1]) / statistics.median(pair[0]):.1f}"
    ms = lambda times: f"{statistics.median(times) * 1e3:.1f} ({min(times) * 1e3:.1f})"
    return [
        *lines,
        f"FastMCP {version} serves `calculate` alone, as a line of Python; mathchain serves all its tools, and checks, decides and audits every call. {calls:,} calls a side, one after "
        "another, the sides in turns: median (least). The client is the same and part of the times.",
        "",
        "| | mathchain | FastMCP | ratio |",
        "|---|---|---|---|",
        f"| process start to the first answer (`server/discover`), ms | {ms(firsts[0])} | {ms(firsts[1])} | {ratio(firsts)} |",
        f"| process start to the list of all tools, ms | {ms(lists[0])} | {ms(lists[1])} | {ratio(lists)} |",
        f"| `tools/call` over stdio, us | {us(stdio[0])} | {us(stdio[1])} | {ratio(stdio)} |",
        f"| `tools/call` over HTTP, connection kept, us | {us(http[0])} | {us(http[1])} | {ratio(http)} |",
        f"| memory after the start, stdio / HTTP, MB | {idle[0]:.1f} / {web[0]:.1f} | {idle[1]:.1f} / {web[1]:.1f} | |",
        f"| memory after {many // 100:,} and {many:,} further calls, MB | {early:.1f} and {late:.1f} | | |",
        "",
    ]
