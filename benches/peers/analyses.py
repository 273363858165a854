"""Analyses of large data side by side: mathchain beside NumPy, statsmodels and scikit-learn on the same binary files, in one run.

    python3 -m venv target/analyses && target/analyses/bin/pip install numpy scipy pandas pyarrow statsmodels scikit-learn
    target/analyses/bin/python benches/peers/analyses.py                      the release build of `mathchain`; writes benches/results/analyses.md
    target/analyses/bin/python benches/peers/analyses.py --program PATH --runs 5 --threads 1 --print

Each figure is the median of whole processes, the sides by turns, with start-up, imports and the reading of the file on both sides: wall time, and processor time behind
it. Ratios are of processor time, whole and less that of a process that starts, imports and does nothing; peer / mathchain, above 1 means mathchain is faster.
Answers of both sides are compared: the least number of digits on which they agree stands in the last column.
"""

import argparse
import json
import math
import os
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CONFIG = Path(__file__).with_name("tables.toml")
GLM = " + ".join(f"x{column}" for column in range(10))
# Title, name of the case, the peers, the call of mathchain on files in the folder, and what of its answer is compared.
CASES = [
    ("mean and standard deviation of 10^7 numbers", "moments", ["numpy"],
     ["statistics", "--data", "@values.npy", "--metrics", '["mean","std"]'], lambda output: [output["mean"], output["std"]]),
    ("the same with quartiles and extremes", "summary", ["numpy"],
     ["statistics", "--data", "@values.npy", "--metrics", '["mean","std","min","max","q25","median","q75"]'],
     lambda output: [output[key] for key in ("mean", "std", "min", "max", "q25", "median", "q75")]),
    ("GLM, Poisson, 10^6 x 10", "poisson", ["statsmodels"],
     ["glm", "--data", "@rows.parquet", "--formula", f"count ~ {GLM}", "--family", "poisson"], lambda output: [term["estimate"] for term in output["terms"]]),
    ("GLM, binomial, 10^6 x 10", "binomial", ["statsmodels"],
     ["glm", "--data", "@rows.parquet", "--formula", f"hit ~ {GLM}", "--family", "binomial"], lambda output: [term["estimate"] for term in output["terms"]]),
    ("linear regression, 10^6 x 10", "line", ["statsmodels"],
     ["linear_regression", "--data", "@rows.parquet", "--formula", f"count ~ {GLM}"], lambda output: [term["estimate"] for term in output["terms"]]),
    ("PCA, 10^5 x 50, variances and directions", "pca", ["numpy", "sklearn"],
     ["pca", "--data", "@points.npy", "--scores", "false"], lambda output: [component["variance"] for component in output["components"]]),
]  # fmt: skip
IMPORTS = {"numpy": "NumPy", "statsmodels": "statsmodels", "sklearn": "scikit-learn"}


def numpy_case(name, folder):
    import numpy as np

    if name == "start":
        return None
    if name in ("moments", "summary"):
        x = np.load(folder / "values.npy")
        found = [x.mean(), x.std()]
        return found if name == "moments" else [*found, x.min(), x.max(), *np.percentile(x, [25, 50, 75])]
    x = np.load(folder / "points.npy")
    x -= x.mean(axis=0)
    _, s, _ = np.linalg.svd(x, full_matrices=False)
    return list(s**2 / (len(x) - 1))


def statsmodels_case(name, folder):
    import pandas as pd
    import statsmodels.api as sm

    if name == "start":
        return None
    rows = pd.read_parquet(folder / "rows.parquet")
    x = sm.add_constant(rows[[f"x{column}" for column in range(10)]])
    if name == "line":
        fit = sm.OLS(rows["count"], x).fit()
    elif name == "poisson":
        fit = sm.GLM(rows["count"], x, family=sm.families.Poisson()).fit()
    else:
        fit = sm.GLM(rows["hit"], x, family=sm.families.Binomial()).fit()
    # What its report shows, too: standard errors, p values, intervals.
    fit.summary()
    return list(fit.params)


def sklearn_case(name, folder):
    import numpy as np
    from sklearn.decomposition import PCA

    if name == "start":
        return None
    return list(PCA(svd_solver="full").fit(np.load(folder / "points.npy")).explained_variance_)


def write_files(folder):
    """The same numbers for every run."""
    import numpy as np
    import pandas as pd

    rng = np.random.default_rng(46)
    np.save(folder / "values.npy", rng.normal(100, 15, 10_000_000))
    x = rng.normal(size=(1_000_000, 10))
    slope = np.linspace(-0.3, 0.3, 10)
    line = 0.5 + x @ slope
    columns = {f"x{column}": x[:, column] for column in range(10)}
    columns["count"] = rng.poisson(np.exp(line)).astype(float)
    columns["hit"] = (rng.random(len(x)) < 1 / (1 + np.exp(-line))).astype(float)
    pd.DataFrame(columns).to_parquet(folder / "rows.parquet")
    np.save(folder / "points.npy", rng.normal(size=(100_000, 50)) @ rng.normal(size=(50, 50)))


def timed(command, folder, environment):
    """Wall and processor seconds of a process, and what it printed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    wall = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)[:200]} failed:\n{done.stdout[-1500:]}\n{done.stderr[-1500:]}")
    return (wall, after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime), done.stdout


def digits(ours, theirs):
    scale = max(abs(value) for value in theirs)
    worst = max(abs(a - b) / scale for a, b in zip(ours, theirs))
    return 16 if worst == 0 else min(16, int(-math.log10(worst)))


def compare(title, name, peers, call, answer, folder, options):
    environment = {**os.environ, "RAYON_NUM_THREADS": str(options.threads)}
    environment |= {key: str(options.threads) for key in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")}
    python = lambda peer, case: [sys.executable, "-P", __file__, "--peer", peer, case, str(folder)]
    sides = {"mathchain": [options.program, "--config", str(CONFIG), "--workspace", str(folder), "call", *call, "--json"]}
    sides |= {peer: python(peer, name) for peer in peers}
    starts = {"mathchain": [options.program, "--version"]} | {peer: python(peer, "start") for peer in peers}
    times, idle, found = {who: [] for who in sides}, {who: [] for who in sides}, {}
    for _ in range(options.runs):
        for who in sides:
            idle[who].append(timed(starts[who], folder, environment)[0])
            spent, printed = timed(sides[who], folder, environment)
            times[who].append(spent)
            found[who] = answer(json.loads(printed)["output"]) if who == "mathchain" else json.loads(printed)
    wall = {who: statistics.median(spent for spent, _ in values) for who, values in times.items()}
    whole = {who: statistics.median(spent for _, spent in values) for who, values in times.items()}
    work = {who: whole[who] - statistics.median(spent for _, spent in idle[who]) for who in sides}
    lines = []
    for peer in peers:
        told = lambda who: f"{wall[who]:.2f}, {whole[who]:.2f} ({work[who]:.2f})"
        ratio = f"{whole[peer] / whole['mathchain']:.2f} ({work[peer] / work['mathchain']:.2f})"
        lines.append(f"| {title} | {told('mathchain')} | {IMPORTS[peer]} | {told(peer)} | {ratio} | {digits(found['mathchain'], found[peer])} |")
    return lines


def machine():
    names = [line.split(":", 1)[1].strip() for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")]
    return f"{names[0] if names else 'unknown processor'}, {os.cpu_count()} cores, {platform.system()} {platform.machine()}"


def versions():
    from importlib.metadata import version

    names = {"NumPy": "numpy", "SciPy": "scipy", "pandas": "pandas", "statsmodels": "statsmodels", "scikit-learn": "scikit-learn"}
    return ", ".join([f"Python {platform.python_version()}", *(f"{name} {version(package)}" for name, package in names.items())])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--program", default=str(ROOT / "target" / "release" / "mathchain"))
    parser.add_argument("--only", help="names of cases, with commas: moments, summary, poisson, binomial, line, pca")
    parser.add_argument("--print", action="store_true", help="print the table and write no page")
    parser.add_argument("--peer", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.peer:
        peer, name, folder = options.peer
        print(json.dumps(globals()[f"{peer}_case"](name, Path(folder)), default=float))
        return
    if not Path(options.program).exists():
        raise SystemExit(f"there is no `{options.program}`: build it with `cargo build --release -p mathchain-cli`, or name one with --program")
    options.program = str(Path(options.program).resolve())
    wanted = options.only.split(",") if options.only else [case[1] for case in CASES]
    threads = "1 thread" if options.threads == 1 else f"{options.threads} threads"
    lines = [
        "# Analyses of large data",
        "",
        "Written by `python3 benches/peers/analyses.py`; every row comes from one run, the sides taking turns.",
        "",
        f"Machine: {machine()}. Peers: {versions()}.",
        "",
        f"Whole processes, medians of {options.runs}, {threads} a side: wall seconds, processor seconds, and in brackets processor seconds less those of a process that only starts and imports. "
        "The reading of a binary file and the answer as JSON count on both sides. Ratio = processor time of the peer / that of mathchain, above 1 means mathchain is faster. Digits: on which both "
        "answers agree at least.",
        "",
        "Not like for like: a call is checked and audited; sums do not depend on the order of their terms; `glm` reports deviances, dispersion and influence, statsmodels its "
        "`summary()`; `pca` adds correlations, limits by chance and three rules.",
        "",
        "| work | mathchain | peer | its time | ratio | digits |",
        "|---|---|---|---|---|---|",
    ]
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        write_files(folder)
        for case in CASES:
            if case[1] in wanted:
                found = compare(*case, folder, options)
                print("\n".join(found), flush=True)
                lines += found
    if not options.print:
        (ROOT / "benches" / "results" / "analyses.md").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
