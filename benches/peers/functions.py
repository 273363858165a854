"""The table of elementary functions: nanoseconds per value in blocks, beside NumPy on the same numbers."""

import json
import subprocess
import sys

PREFIX = "function "

# Our name, NumPy's spelling, and where the arguments lie (as in benches/vector.rs).
PEERS = {
    "exp": "exp", "expm1": "expm1", "exp2": "exp2", "log": "log", "log2": "log2", "log10": "log10", "log1p": "log1p", "sqrt": "sqrt", "cbrt": "cbrt",
    "sin": "sin", "cos": "cos", "tan": "tan", "asin": "arcsin", "acos": "arccos", "atan": "arctan", "sinh": "sinh", "cosh": "cosh", "tanh": "tanh",
    "asinh": "arcsinh", "acosh": "arccosh", "atanh": "arctanh", "pow": "power", "atan2": "arctan2", "hypot": "hypot", "logaddexp": "logaddexp",
    "sin(x0)_exp(-x1__2)": "expression",
}

PEER = """
import sys, time, json
import numpy as np
LANES, REPEATS = 128, 128
def spread(low, high):
    lane = np.arange(LANES)
    return np.tile(low + (high - low) * ((lane * 37 % LANES) + 0.3) / LANES, REPEATS)
def points(name):
    if name in ("arcsin", "arccos", "arctanh"): return spread(-0.97, 0.97)
    if name in ("log", "log2", "log10", "log1p", "sqrt"): return spread(0.02, 5)
    if name == "arccosh": return spread(1.02, 5)
    return spread(-3, 3)
for name in json.loads(sys.argv[1]):
    two = name in ("power", "arctan2", "hypot", "logaddexp", "expression")
    args = [spread(0.02, 5), spread(-3, 3)] if two else [points(name)]
    expression = lambda x0, x1, out: np.multiply(np.sin(x0), np.exp(-(x1**2)), out=out)
    out, f, best = np.empty_like(args[0]), getattr(np, name, expression), []
    for _ in range(60):
        start = time.thread_time_ns(); f(*args, out=out); best.append(time.thread_time_ns() - start)
    print(json.dumps([name, sorted(best)[len(best) // 2] / out.size]), flush=True)
"""


def table(executable, target, python):
    """Criterion's medians of the benchmark program, and NumPy's times."""
    subprocess.check_call([executable, "--bench", "--noplot"], stdout=subprocess.DEVNULL, env=None)
    answers = subprocess.check_output([python, "-c", PEER, json.dumps(list(PEERS.values()))], text=True)
    peers = dict(json.loads(line) for line in answers.splitlines())
    found = {}
    for estimates in (target / "criterion").glob(f"{PREFIX}*/*/new/estimates.json"):
        named = json.loads(estimates.with_name("benchmark.json").read_text())
        group, level = named["group_id"], named["function_id"]
        found.setdefault(group.removeprefix(PREFIX), {})[level] = json.loads(estimates.read_text())["median"]["point_estimate"] / 128
    best = lambda levels: next(levels[level] for level in ("Avx512", "Avx2", "Portable") if level in levels)
    lines = [
        "## Elementary functions",
        "",
        "Nanoseconds per value over blocks (mathchain 128 values, NumPy 16,384 with the output given), and one value by itself. mathchain: at most 1.8 units in the last place "
        "over the full range, the same bits on every processor; NumPy: up to 4 units in the last place, other bits on other processors.",
        "",
        "| function | block | one value | NumPy | ratio |",
        "|---|---|---|---|---|",
    ]
    for name in sorted(found):
        levels = found[name]
        peer = peers.get(PEERS.get(name))
        single = f"{levels['single']:.1f}" if "single" in levels else "-"
        lines.append(f"| {name} | {best(levels):.2f} | {single} | {f'{peer:.2f}' if peer else '-'} | {f'{peer / best(levels):.2f}' if peer else '-'} |")
    return [*lines, ""]


if __name__ == "__main__":
    from pathlib import Path

    print("\n".join(table(sys.argv[1], Path(sys.argv[2]), sys.argv[3])))
