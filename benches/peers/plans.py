"""The table of plans: steps that do nothing, and random graphs of steps that sleep, beside LangGraph and Dask."""

import json
import statistics
import subprocess
from pathlib import Path

PEERS = Path(__file__).resolve().parent
ENGINES = [("langgraph", "LangGraph"), ("threads", "Dask, threads"), ("distributed", "Dask, distributed")]
PACKAGES = ["langgraph", "langgraph-checkpoint-sqlite", "dask", "distributed"]

# Case, steps, what it is.
CASES = [
    ("independent", 1_000, "1,000 independent steps"),
    ("independent", 10_000, "10,000 independent steps"),
    ("chain", 1_000, "a chain of 1,000 steps"),
    ("journalled", 1_000, "the same chain, journalled to SQLite"),
]


class Side:
    """A process that answers a line of JSON with another."""

    def __init__(self, command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def read(self):
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit(f"{self.process.args[:2]}: ended without an answer")
        return json.loads(line)

    def ask(self, case, steps):
        self.process.stdin.write(json.dumps({"case": case, "steps": steps}) + "\n")
        self.process.stdin.flush()
        return self.read()

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def spread(values):
    """Median, least and most."""
    shown = lambda value: f"{value:.3g}" if value < 1000 else f"{value:.0f}"
    return f"{shown(statistics.median(values))} ({shown(min(values))} - {shown(max(values))})"


def rounds(sides, case, steps, count):
    """By side, the answers of some rounds in turns, after one that does not count."""
    found = {name: [] for name in sides}
    for index in range(count + 1):
        for name, side in sides.items():
            if case != "journalled" or name in ("ours", "langgraph"):
                answer = side.ask(case, steps)
                if "error" in answer:
                    print(f"{name}, {case} {steps}: {answer['error']}", flush=True)
                elif index:
                    found[name].append(answer)
    return found


def table(executable, python, quick):
    graphs = json.loads(subprocess.check_output([executable, "--graphs"], text=True))
    sides = {"ours": Side([executable, "--serve"])}
    for engine, _ in ENGINES:
        sides[engine] = Side([python, str(PEERS / "plans_peer.py"), engine, json.dumps(graphs)])
        sides[engine].read()
    names = ", ".join(name for _, name in ENGINES)
    versions = f"import importlib.metadata as m; print(', '.join(f'{{name}} {{m.version(name)}}' for name in {PACKAGES}))"
    versions = subprocess.check_output([python, "-c", versions], text=True).strip()
    count = 2 if quick else 5
    lines = [
        "## Plans",
        "",
        f"Beside {versions}; {count} rounds after one that does not count, the engines taking turns: median (least - most). A step adds one to a number. "
        "LangGraph: a `StateGraph`, independent steps as `Send` of one node, the journal its `SqliteSaver` in a file; Dask: `delayed` calls computed together, with "
        "8 threads, and a `Client` whose cluster is in the same process with 8 threads (no sockets, no copies). Dask has no journal. mathchain checks every plan in full "
        "(`build`), and decides every step by policy; its journal has the arguments' and results' digests and the results of all steps. Ratio = the fastest peer / mathchain.",
        "",
        f"| plan | microseconds a step | mathchain | {names.replace('Dask, ', 'Dask ').replace(', ', ' | ')} | ratio |",
        "|---|---|---|---|---|---|---|",
    ]
    for case, steps, title in CASES:
        print(f"plans {case} {steps}", flush=True)
        found = rounds(sides, case, steps, count)
        for kind, key in (("run", "run_s"), ("build", "build_s")):
            times = {name: [1e6 * answer[key] / steps for answer in answers] for name, answers in found.items() if answers}
            best = min(statistics.median(values) for name, values in times.items() if name != "ours")
            cells = [spread(times[name]) if name in times else "-" for name in sides]
            lines.append(f"| {title} | {kind} | {' | '.join(cells)} | {best / statistics.median(times['ours']):.1f} |")
    lines += makespans(sides, graphs, 1 if quick else 3)
    for side in sides.values():
        side.close()
    return [*lines, ""]


def makespans(sides, graphs, count):
    """How far each engine is from the bound of each graph."""
    ratios = {name: [] for name in sides}
    for number, graph in enumerate(graphs):
        print(f"plans graph {number}", flush=True)
        for name, answers in rounds(sides, "graph", number, count).items():
            median = statistics.median(1e3 * answer["run_s"] for answer in answers)
            ratios[name].append(median / graph["bound_ms"])
    ideal = [graph["ideal_ms"] / graph["bound_ms"] for graph in graphs]
    steps, workers = len(graphs[0]["sleeps"]), graphs[0]["workers"]
    lines = [
        "",
        f"Makespan of {len(graphs)} random graphs of {steps} steps that sleep 5 to 50 ms, {workers} at once, as a multiple of the bound (the longest way through the graph, or all "
        f"sleeps shared by {workers}); median of {count} runs each. The first row is what longest-way-first gives where nothing but the sleeps takes time. LangGraph goes on when "
        "all of a superstep has ended.",
        "",
        "| engine | median | worst |",
        "|---|---|---|",
    ]
    titles = [("the order alone", ideal), ("mathchain", ratios["ours"]), *((title, ratios[engine]) for engine, title in ENGINES)]
    return lines + [f"| {title} | {statistics.median(values):.3f} | {max(values):.3f} |" for title, values in titles]
