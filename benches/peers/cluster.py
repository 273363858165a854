"""The table of engines: one map of elements of about 50 ms on two slots, by mathchain on threads, a folder of tickets and Ray, beside plain Ray and Dask.

    python3 benches/peers/cluster.py --program target/release/mathchain [--python PYTHON] [--elements 400]

PYTHON has the packages `ray` and `distributed`, and `mathchain[ray]` of the same build for the row of the engine `ray`; a side that is absent is left out with its
reason. An element of mathchain is a simulation whose number of samples is chosen so that it takes 50 ms; an element of the peers computes for that time of the processor.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PEERS = Path(__file__).resolve().parent
SLOTS = 2
ELEMENT_MS = 50.0
PLAN = """version: 1
id: map
seed: 7
steps:
  - id: draws
    tool: monte_carlo
    map: {{over: [{over}]}}
    args: {{expression: "exp(x0/s)", parameters: {{s: {{$ref: item}}}}, distribution: normal, samples: {samples}}}
outputs: {{means: {{$ref: "draws[*].mean"}}}}
"""


class Program:
    """mathchain with a home, a state and a folder of its own."""

    def __init__(self, words, place):
        self.words, self.place = words, Path(place)
        self.environment = {**os.environ, "HOME": place, "XDG_STATE_HOME": f"{place}/state", "XDG_CONFIG_HOME": f"{place}/config", "TMPDIR": place}

    def write(self, elements, samples):
        over = ", ".join(str(1 + one % 7) for one in range(elements))
        (self.place / "map.yaml").write_text(PLAN.format(over=over, samples=samples))

    def start(self, *words):
        command = [*self.words, *words]
        return subprocess.Popen(command, cwd=self.place, env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def run(self, *words):
        """The answer of a run, and its seconds from outside."""
        began = time.perf_counter()
        process = self.start("run", "map.yaml", "--no-cache", "--json", *words)
        stdout, stderr = process.communicate()
        took = time.perf_counter() - began
        answer = json.loads(stdout) if stdout else {}
        if not answer.get("ok"):
            raise RuntimeError(answer.get("error", {}).get("message") or stderr.strip()[-300:])
        return answer, took

    def digest(self, answer):
        shown, _ = self.start("runs", "show", answer["output"]["chain_id"], "--json").communicate()
        return next(one["result_digest"] for one in json.loads(shown)["records"] if "result_digest" in one)


def calibrate(program):
    """The number of samples with which an element takes about `ELEMENT_MS`, and how long it takes."""
    samples = 100_000
    for _ in range(3):
        program.write(20, samples)
        answer, _ = program.run("--threads", "1")
        shown, _ = program.start("runs", "show", answer["output"]["chain_id"], "--json").communicate()
        calls = [one["elapsed_ms"] for one in json.loads(shown)["records"] if one.get("kind") == "call"]
        took = statistics.median(calls)
        samples = max(1_000, int(samples * ELEMENT_MS / took))
    return samples, took


def row(name, elements, element_ms, start_s, map_s):
    ideal_s = elements * element_ms / 1e3 / SLOTS
    overhead_ms = (map_s - ideal_s) * 1e3 * SLOTS / elements
    return {"name": name, "start_s": start_s, "map_s": map_s, "busy": ideal_s / map_s, "overhead_ms": overhead_ms}


def own_rows(program, elements, samples, element_ms, engine):
    """mathchain with one engine; the digest of the result, which must be the same for all."""
    workers, words = [], ["--threads", str(SLOTS)]
    if engine == "files":
        (program.place / "tickets").mkdir(exist_ok=True)
        workers = [program.start("worker", "tickets", "--slots", "1", "--node", f"n{number}", "--idle", "600") for number in range(SLOTS)]
        words = ["--engine", "files", "--dir", "tickets"]
    elif engine == "ray":
        words = ["--engine", "ray"]
        (program.place / "mathchain.toml").write_text(f"version = 1\n[cluster.ray]\nslots = {SLOTS}\n")
        program.start("trust", "--yes").communicate()
        program.start("cluster", "up").communicate()
    try:
        program.write(SLOTS, 1_000)
        program.run(*words)
        _, start_s = program.run(*words)
        program.write(elements, samples)
        answer, took_s = program.run(*words)
    finally:
        for worker in workers:
            worker.terminate()
            worker.communicate()
        if engine == "ray":
            program.start("cluster", "down").communicate()
    name = {"local": "mathchain, threads", "files": "mathchain, `files`", "ray": "mathchain, `ray`"}[engine]
    return row(name, elements, element_ms, start_s, took_s - start_s), program.digest(answer)


PEER = r'''
import json, sys, time
side, elements, element_s, slots, pack = sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4]), int(sys.argv[5])

def busy(count):
    for _ in range(count):
        end = time.thread_time() + element_s  # of the processor, as a computation takes it
        while time.thread_time() < end:
            pass
    return count

if __name__ == "__main__":
    began = time.perf_counter()
    packs = [min(pack, elements - first) for first in range(0, elements, pack)]
    if side == "ray":
        import ray
        ray.init(num_cpus=slots, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
        remote = ray.remote(busy)
        submit = lambda counts: sum(ray.get([remote.remote(count) for count in counts]))
        version = ray.__version__
    else:
        import distributed
        cluster = distributed.LocalCluster(n_workers=slots, threads_per_worker=1, dashboard_address=None)
        client = distributed.Client(cluster)
        submit = lambda counts: sum(client.gather(client.map(busy, counts, pure=False)))
        version = distributed.__version__
    submit([0] * slots * 4)
    start_s = time.perf_counter() - began
    began = time.perf_counter()
    assert submit(packs) == elements
    print(json.dumps({"start_s": start_s, "map_s": time.perf_counter() - began, "version": version}))
'''


def peer_row(python, side, elements, element_ms, pack):
    with tempfile.TemporaryDirectory(prefix="mc", dir="/tmp") as place:
        script = Path(place) / "peer.py"
        script.write_text(PEER)
        words = [python, str(script), side, str(elements), str(element_ms / 1e3), str(SLOTS), str(pack)]
        environment = {**os.environ, "HOME": place, "RAY_USAGE_STATS_ENABLED": "0"}
        ended = subprocess.run(words, capture_output=True, text=True, env=environment, timeout=900)
        if ended.returncode:
            raise RuntimeError(ended.stderr.strip().splitlines()[-1] if ended.stderr.strip() else f"exit code {ended.returncode}")
        found = json.loads(ended.stdout.strip().splitlines()[-1])
    name = {"ray": "Ray", "dask": "Dask"}[side]
    how = "one element a task" if pack == 1 else f"{pack} elements a task"
    return row(f"{name} {found['version']}, {how}", elements, element_ms, found["start_s"], found["map_s"])


def table(program_path, python, elements):
    rows, digests, reasons = [], {}, []
    with tempfile.TemporaryDirectory(prefix="mc", dir="/tmp") as place:
        program = Program([str(Path(program_path).resolve())], place)
        samples, element_ms = calibrate(program)
        for engine in ("local", "files"):
            print(f"cluster {engine}", file=sys.stderr, flush=True)
            found, digests[engine] = own_rows(program, elements, samples, element_ms, engine)
            rows.append(found)
    with tempfile.TemporaryDirectory(prefix="mc", dir="/tmp") as place:
        print("cluster ray", file=sys.stderr, flush=True)
        package = Program([python, "-m", "mathchain"], place)
        try:
            found, digests["ray"] = own_rows(package, elements, samples, element_ms, "ray")
            rows.append(found)
        except (RuntimeError, json.JSONDecodeError, FileNotFoundError) as error:
            reasons.append(f"mathchain with `ray`: {error}")
    own = len(rows)
    pack = max(1, round(1_000 / element_ms))
    for side in ("ray", "dask"):
        for size in (1, pack):
            print(f"cluster plain {side} {size}", file=sys.stderr, flush=True)
            try:
                rows.append(peer_row(python, side, elements, element_ms, size))
            except (RuntimeError, FileNotFoundError, subprocess.TimeoutExpired) as error:
                reasons.append(f"{side}: {error}")
    if len(set(digests.values())) != 1:
        raise SystemExit(f"the engines gave different results: {digests}")
    best = min((one["map_s"] for one in rows[own:]), default=None)
    lines = [
        "## Engines",
        "",
        f"A map of {elements} elements of {element_ms:.1f} ms on {SLOTS} slots of one machine, one run. Start: until a map of {SLOTS} tiny elements has ended, with workers that wait "
        "(`files`) or a Ray that runs (`ray`); for the peers, of their processes. Map: without the start. Busy: the time of all elements, as one thread of mathchain takes it, shared by the slots, "
        "over that of the map. Overhead: slot time an element beyond its own. Ratio = the fastest peer / this row. mathchain asks its policy, journals each element and verifies every result.",
        "",
        "| engine | start s | map s | busy | overhead ms an element | ratio |",
        "|---|---|---|---|---|---|",
    ]
    for one in rows:
        ratio = f"{best / one['map_s']:.2f}" if best else "-"
        lines.append(f"| {one['name']} | {one['start_s']:.2f} | {one['map_s']:.2f} | {100 * one['busy']:.0f} % | {one['overhead_ms']:.1f} | {ratio} |")
    lines += [""] + [f"Left out: {reason}" for reason in reasons]
    return lines


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", required=True, help="a built `mathchain`")
    parser.add_argument("--python", default=sys.executable, help="interpreter with `ray`, `distributed` and `mathchain[ray]`")
    parser.add_argument("--elements", type=int, default=400)
    words = parser.parse_args()
    print("\n".join(table(words.program, words.python, words.elements)))
