"""The table of workflows: 1,000 tasks in 100 chains, listed and looked at."""

import json
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

CHAINS, TASKS = 100, 10


class Project:
    """A folder with tasks, and a server that stays up."""

    def __init__(self, binary, folder, env):
        self.binary, self.folder = binary, folder
        self.env = dict(env, XDG_STATE_HOME=str(folder / "state"), XDG_CONFIG_HOME=str(folder / "config"))
        self.folder.joinpath("mathchain.toml").write_text("version = 1\n")
        self.server = subprocess.Popen([binary, "serve", "--jsonl"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=self.env, cwd=folder)

    def call(self, tool, args):
        """Seconds and output of a call of the server."""
        start = time.perf_counter()
        self.server.stdin.write(json.dumps({"id": 1, "tool": tool, "args": args}).encode() + b"\n")
        self.server.stdin.flush()
        answer = json.loads(self.server.stdout.readline())
        elapsed = time.perf_counter() - start
        if not answer["ok"]:
            raise SystemExit(f"{tool}: {answer['error']}")
        return elapsed, answer["output"]

    def process(self, tool, args):
        """Seconds of a call by a process of its own."""
        start = time.perf_counter()
        subprocess.run([self.binary, "call", tool], input=json.dumps(args).encode(), check=True, capture_output=True, env=self.env, cwd=self.folder)
        return time.perf_counter() - start

    def close(self):
        self.server.stdin.close()
        self.server.wait()


def fill(project):
    """Makes the tasks; seconds of each transition, and the ids of a chain and a task."""
    _, request = project.call("request:create", {"type": "cr", "title": "Work", "domain": "core", "content": "Much of it."})
    seconds = []
    for number in range(CHAINS):
        elapsed, chain = project.call("chain:create", {"requestId": request["id"], "title": f"Part {number}"})
        seconds.append(elapsed)
        for index in range(TASKS):
            elapsed, task = project.call("task:create", {"chainId": chain["id"], "title": f"Step {index}", "ready": index == 0})
            seconds.append(elapsed)
    return seconds, chain["id"], task["id"]


def table(binary, quick, env):
    runs = 5 if quick else 21
    with tempfile.TemporaryDirectory() as folder:
        project = Project(str(binary), Path(folder), env)
        seconds, chain, task = fill(project)
        calls = {
            "`task:list`": ("task:list", {"chainId": chain}),
            "`task:status`": ("task:status", {"chainId": chain, "taskId": task}),
            "`chain:list`": ("chain:list", {}),
            "`chain:status`": ("chain:status", {"chainId": chain}),
        }
        ms = lambda value: f"{value * 1e3:.3g}"
        lines = [
            "## Workflows",
            "",
            f"{CHAINS * TASKS:,} tasks in {CHAINS} chains, {len(seconds) + 1:,} events: median (most) of {runs} calls, in milliseconds. A process of its own opens the state, reads all events and folds "
            f"them; a server reads those that it does not know. A transition that the server made while the project was filled, with its file on disk: {ms(statistics.median(seconds))} ({ms(max(seconds))}).",
            "",
            "| call | server | a process of its own |",
            "|---|---|---|",
        ]
        spread = lambda values: f"{ms(statistics.median(values))} ({ms(max(values))})"
        for title, (tool, args) in calls.items():
            print(title, flush=True)
            warm = [project.call(tool, args)[0] for _ in range(runs + 1)][1:]
            alone = [project.process(tool, args) for _ in range(runs + 1)][1:]
            lines.append(f"| {title} | {spread(warm)} | {spread(alone)} |")
        project.close()
    return [*lines, ""]
