"""Times mathchain and its Python peers side by side, and writes the tables in benches/results.

    python3 benches/peers/run.py             everything (installs the pinned peers into target/peers on first use)
    python3 benches/peers/run.py --quick     fewer runs
    python3 benches/peers/run.py --no-cargo  without the criterion figures of `cargo bench`
    python3 benches/peers/run.py --only dense,functions   some tables again; the files of the others stay as they are

Each call is timed twice: as a whole process (start-up counted on both sides, arguments from a file), and warm, as one more call to a process that is
already up. The two sides take turns, run by run; medians and their ratio are printed.
"""

import argparse
import json
import math
import os
import platform
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import dense
import functions
import integrals
import models
import optimize
import plans
import programs
import roots
import servers
import signals
import sparse
import workflow

ROOT = Path(__file__).resolve().parents[2]
PEERS = Path(__file__).resolve().parent


def target_directory():
    text = subprocess.check_output(["cargo", "metadata", "--no-deps", "--format-version", "1", "--offline"], cwd=ROOT)
    return Path(json.loads(text)["target_directory"])


def peer_python(target):
    venv = target / "peers"
    python = venv / "bin" / "python"
    wanted = (PEERS / "requirements.txt").read_text()
    stamp = venv / "requirements.txt"
    if not python.exists() or not stamp.exists() or stamp.read_text() != wanted:
        subprocess.check_call([sys.executable, "-m", "venv", str(venv)])
        subprocess.check_call([str(python), "-m", "pip", "install", "-q", "-r", str(PEERS / "requirements.txt")])
        stamp.write_text(wanted)
    return python


def cases():
    rng = random.Random(7)
    gauss = lambda n, m: [[rng.gauss(0, 1) for _ in range(m)] for _ in range(n)]
    symmetric = lambda a: [[(a[i][j] + a[j][i]) / 2 for j in range(len(a))] for i in range(len(a))]
    ones = lambda n: [1.0] * n
    lorenz = ["10*(y1-y0)", "y0*(28-y2)-y1", "y0*y1-8/3*y2"]
    rosenbrock = "+".join(f"100*(x{i + 1}-x{i}**2)**2+(1-x{i})**2" for i in range(9))
    x = [rng.uniform(0, 10) for _ in range(100_000)]
    rows = [{"id": i, "price": rng.uniform(1, 9), "name": f"n{i % 17}"} for i in range(20_000)]
    csv = "id,price,name\n" + "".join(f"{r['id']},{r['price']},{r['name']}\n" for r in rows)
    return [
        ("calculate", "calculate", {"expression": "2**0.5*sin(1)+3"}),
        ("matrix_solve 100", "matrix_solve", {"A": gauss(100, 100), "b": ones(100)}),
        ("matrix_solve 500", "matrix_solve", {"A": gauss(500, 500), "b": ones(500)}),
        ("matrix_solve 1000", "matrix_solve", {"A": gauss(1000, 1000), "b": ones(1000)}),
        ("matrix_solve 2000", "matrix_solve", {"A": gauss(2000, 2000), "b": ones(2000)}),
        ("matrix_eigenvalues 200, symmetric", "matrix_eigenvalues", {"A": symmetric(gauss(200, 200))}),
        ("matrix_eigenvalues 200, general", "matrix_eigenvalues", {"A": gauss(200, 200)}),
        ("matrix_svd 200, values", "matrix_svd", {"A": gauss(200, 200)}),
        ("matrix_svd 200, full", "matrix_svd", {"A": gauss(200, 200), "full": True}),
        ("statistics 10^6", "statistics", {"data": [rng.gauss(0, 1) for _ in range(1_000_000)]}),
        ("linear_regression 10^5", "linear_regression", {"x": x, "y": [3 + 2 * v + rng.gauss(0, 1) for v in x]}),
        ("monte_carlo_native 10^6, 2-D", "monte_carlo_native", {"function": "sin(x0)*exp(-x1**2)", "bounds": [[0, 3], [-3, 3]], "n_samples": 1_000_000}),
        ("monte_carlo 5 x 10^6", "monte_carlo", {"expression": "sin(x)*exp(-x**2)", "samples": 5_000_000}),
        ("mcmc 2-D, 4 x 10^4", "mcmc", {"log_density": "-0.5*(x0**2+x1**2)", "x0": [0, 0], "n_samples": 10_000, "chains": 4}),
        ("solve_ode Lorenz, T=10", "solve_ode", {"system": lorenz, "y0": [1, 1, 1], "t_span": [0, 10], "rtol": 1e-9, "atol": 1e-12}),
        ("optimize Rosenbrock-10", "optimize", {"objective": rosenbrock, "x0": [-1.2, 1.0] * 5}),
        ("json_query 20,000 records", "json_query", {"data": rows, "query": "[?price > `5`].name"}),
        ("csv_to_json 20,000 rows", "csv_to_json", {"csv_content": csv}),
        ("sql_query 20,000 rows", "sql_query", {"query": "select name, avg(price) as p from t group by name order by p", "tables": {"t": rows}}),
    ]


def timed(command, text, env):
    # From a file, as a user would: `subprocess` fills a pipe 4 KiB at a time, and both sides would wait for that.
    with tempfile.TemporaryFile() as arguments:
        arguments.write(text)
        arguments.seek(0)
        start = time.perf_counter()
        done = subprocess.run(command, stdin=arguments, capture_output=True, env=env, cwd=ROOT)
        elapsed = time.perf_counter() - start
    if done.returncode != 0:
        raise SystemExit(f"{command}: exit {done.returncode}\n{done.stdout[:500]!r}\n{done.stderr[:2000].decode()}")
    return elapsed


def whole(ours, peer, text, runs, env):
    a, b = [], []
    for index in range(runs + 1):
        first, second = timed(ours, text, env), timed(peer, text, env)
        if index:
            a.append(first)
            b.append(second)
    return statistics.median(a), statistics.median(b)


class Server:
    def __init__(self, command, env):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env, cwd=ROOT)

    def call(self, line):
        start = time.perf_counter()
        self.process.stdin.write(line)
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        elapsed = time.perf_counter() - start
        if b'"ok":false' in answer[:200]:
            raise SystemExit(answer[:2000])
        return elapsed

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def warm(ours, peer, line, runs, env):
    servers = [Server(ours, env), Server(peer, env)]
    times = ([], [])
    for index in range(runs + 2):
        for server, found in zip(servers, times):
            elapsed = server.call(line)
            if index > 1:
                found.append(elapsed)
    for server in servers:
        server.close()
    return tuple(statistics.median(found) for found in times)


def ms(seconds):
    return f"{seconds * 1e3:.3g}" if seconds < 1 else f"{seconds * 1e3:.0f}"


def machine():
    model = "unknown processor"
    if Path("/proc/cpuinfo").exists():
        names = [line.split(":", 1)[1].strip() for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")]
        model = names[0] if names else model
    return f"{model}, {os.cpu_count()} cores, {platform.system()} {platform.machine()}"


def criterion(target):
    found = []
    for estimates in sorted((target / "criterion").glob("**/new/estimates.json")):
        name = json.loads(estimates.with_name("benchmark.json").read_text())["full_id"]
        data = json.loads(estimates.read_text())
        found.append((name, data["median"]["point_estimate"], data["median"]["confidence_interval"]))
    return found


def nanoseconds(value):
    for unit, scale in (("ns", 1), ("us", 1e3), ("ms", 1e6), ("s", 1e9)):
        if value < 1000 * scale or unit == "s":
            return f"{value / scale:.3g} {unit}"


def executable(name):
    """Builds a benchmark program and says where it is."""
    command = ["cargo", "bench", "-p", "benches", "--bench", name, "--no-run", "-q", "--message-format=json"]
    for line in subprocess.check_output(command, cwd=ROOT, text=True).splitlines():
        message = json.loads(line)
        if message.get("executable") and message["target"]["name"] == name:
            return message["executable"]
    raise SystemExit(f"no executable of the benchmark {name}")


class Run:
    """Binaries, folders and repetitions that the tables share."""

    def __init__(self, quick, wanted):
        self.quick = quick
        self.runs = 3 if quick else 11
        self.target = target_directory()
        packages = []
        if {"start", "calls", "servers", "workflow", "models"} & set(wanted):
            packages = ["mathchain", "math-tools"]
        elif {"optimize", "programs", "roots", "integrals"} & set(wanted):
            packages = ["math-tools"]
        if packages:
            subprocess.check_call(["cargo", "build", "--release", "-q", *(word for name in packages for word in ("-p", name))], cwd=ROOT)
        self.python = str(peer_python(self.target))
        self.binary, self.small = str(self.target / "release" / "mathchain"), str(self.target / "release" / "math-tools")
        state, config = str(self.target / "bench-state"), str(self.target / "bench-config")
        self.env = dict(os.environ, XDG_STATE_HOME=state, XDG_CONFIG_HOME=config, PYTHONDONTWRITEBYTECODE="1")

    def start(self):
        lines = ["## First answer from process start", "", "| command | ms |", "|---|---|"]
        call = json.dumps({"expression": "1+1"}).encode()
        command = json.dumps({"command": "calculate", "expression": "1+1"}).encode()
        starts = {
            "`math-tools` (calculate)": ([self.small], command),
            "`mathchain call calculate`, audited": ([self.binary, "call", "calculate"], call),
            "`python -c pass`": ([self.python, "-c", "pass"], b""),
            "`python -c 'import numpy'`": ([self.python, "-c", "import numpy"], b""),
            "`python -c 'import scipy.optimize'`": ([self.python, "-c", "import scipy.optimize"], b""),
        }
        times = {name: [] for name in starts}
        for _ in range(self.runs * 2):
            for name, (argv, text) in starts.items():
                times[name].append(timed(argv, text, self.env))
        return lines + [f"| {name} | {ms(statistics.median(found))} |" for name, found in times.items()] + [""]

    def calls(self):
        lines = [
            "## Calls",
            "",
            f"Medians of {self.runs} runs a side, in milliseconds.",
            "",
            "| call | whole process: mathchain | Python | ratio | warm: mathchain | Python | ratio |",
            "|---|---|---|---|---|---|---|",
        ]
        peer = [self.python, str(PEERS / "peer.py")]
        # Whole arrays, not handles of them.
        ours = [self.binary, "--config", str(PEERS / "mathchain.toml"), "--output", "raw"]
        for title, tool, args in cases():
            print(title, flush=True)
            text = json.dumps(args).encode()
            line = json.dumps({"id": 1, "tool": tool, "args": args}).encode() + b"\n"
            runs = self.runs if len(text) < 2e7 else max(3, self.runs // 3)
            a, b = whole([*ours, "call", tool], peer + [tool], text, runs, self.env)
            c, d = warm([*ours, "serve", "--jsonl"], peer + ["--serve"], line, runs, self.env)
            lines.append(f"| {title} | {ms(a)} | {ms(b)} | {b / a:.1f} | {ms(c)} | {ms(d)} | {d / c:.1f} |")
        return [*lines, "", NOTE, ""]

    def dense(self):
        return dense.table(executable("dense"), self.python, self.quick)

    def sparse(self):
        return sparse.table(executable("sparse"), self.python, self.quick)

    def signals(self):
        return signals.table(executable("signals"), self.python, self.quick)

    def optimize(self):
        return optimize.table(self.small, self.python, self.quick)

    def programs(self):
        return programs.table(self.small, self.python, self.quick)

    def roots(self):
        return roots.table(self.small, self.python, self.quick)

    def integrals(self):
        return integrals.table(self.small, self.python, self.quick)

    def models(self):
        return models.table(executable("models"), self.binary, self.python, self.quick, self.env)

    def servers(self):
        return servers.table(self.binary, self.python, self.quick)

    def plans(self):
        return plans.table(executable("plans"), self.python, self.quick)

    def workflow(self):
        return workflow.table(self.binary, self.quick, self.env)

    def functions(self):
        return functions.table(executable("vector"), self.target, self.python)

    def inside(self):
        short = ["--", "--warm-up-time", "0.5", "--measurement-time", "1.5"] if self.quick else []
        for bench in ("kernels", "runtime"):
            subprocess.check_call(["cargo", "bench", "-p", "benches", "-q", "--bench", bench, *short], cwd=ROOT)
        lines = ["## Inside one process", "", "From `cargo bench -p benches` (criterion: median, 95 % interval).", "", "| bench | median | interval |", "|---|---|---|"]
        for name, median, interval in criterion(self.target):
            if not name.startswith(functions.PREFIX):
                lines.append(f"| {name} | {nanoseconds(median)} | {nanoseconds(interval['lower_bound'])} - {nanoseconds(interval['upper_bound'])} |")
        return lines + [""]


NOTE = (
    "Not like for like: `mcmc` adapts its step, keeps four chains and reports R-hat and effective sample sizes, its peer none of it; `matrix_solve` adds a condition "
    "estimate, refinement and error bounds; every mathchain call is checked, decided by policy and audited."
)
TABLES = ["start", "calls", "servers", "plans", "workflow", "dense", "sparse", "optimize", "programs", "roots", "integrals", "signals", "models", "functions", "inside"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="3 runs a side instead of 11, and sizes up to 500")
    parser.add_argument("--no-cargo", action="store_true", help="leave `cargo bench` out")
    parser.add_argument("--only", default=",".join(TABLES), help=f"comma-separated tables: {', '.join(TABLES)}")
    parser.add_argument("--output", default=str(ROOT / "benches" / "results"), help="the folder of the tables, one file each")
    options = parser.parse_args()
    wanted = [name for name in options.only.split(",") if not (options.no_cargo and name in ("functions", "inside"))]
    for name in wanted:
        if name not in TABLES:
            parser.error(f"no table `{name}`; there are {', '.join(TABLES)}")
    run = Run(options.quick, wanted)
    versions = subprocess.check_output([run.python, "-c", "import sys,numpy,scipy;print(f'Python {sys.version.split()[0]}, NumPy {numpy.__version__}, SciPy {scipy.__version__}')"], text=True).strip()
    folder = Path(options.output)
    folder.mkdir(parents=True, exist_ok=True)
    for name in wanted:
        print(f"== {name}", flush=True)
        title, *lines = getattr(run, name)()
        head = [
            title.removeprefix("#"),
            "",
            f"Written by `python3 benches/peers/run.py --only {name}`; every row of one table comes from one run, the two sides taking turns. Ratio = peer / mathchain, above 1 means mathchain is faster.",
            "",
            f"Machine: {machine()}. Peers: {versions}.",
            "",
        ]
        # Written after every table, so that a run cut short keeps what it has.
        (folder / f"{name}.md").write_text("\n".join([*head, *lines]).replace("\n\n\n", "\n\n").rstrip() + "\n")
    print(f"wrote {folder}: {', '.join(wanted)}")


if __name__ == "__main__":
    main()
