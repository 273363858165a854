"""The table of integrals: `integrate` beside SciPy's `quad` (QUADPACK) and `tanhsinh` on the integrals of `tests/reference/integrate.json`.

    python3 benches/peers/integrals.py MATH_TOOLS PYTHON     the table alone, with a built `math-tools` and a Python that has SciPy
"""

import json
import statistics
import subprocess
import sys
from pathlib import Path

PEERS = Path(__file__).resolve().parent
REFERENCE = PEERS.parents[1] / "tests" / "reference"
RTOL = 1e-10
WITHIN = 1e-9


def judge(case, integral, error):
    """Whether the integral is right to 1e-9, and whether the stated error holds."""
    expected = float(case["expected"])
    off = abs(integral - expected)
    return off <= WITHIN * max(abs(expected), 1e-6), off <= error + 2.3e-16 * abs(expected)


def ours(executable, case, method):
    request = {"command": "integrate", "rtol": RTOL, "method": method} | case["args"]
    answer = json.loads(subprocess.run([executable], input=json.dumps(request), capture_output=True, text=True).stdout)
    result = answer["result"]
    if not result:
        return None
    return result["integral"], result["error"], result["evaluations"], answer["stats"]["elapsed_ms"]


def row(name, cases, runs):
    found = [(judge(case, *run[:2]), run) for case, run in zip(cases, runs) if run]
    right = sum(good for (good, _), _ in found)
    false = sum(not holds for (_, holds), _ in found)
    evaluations = statistics.median(run[2] for _, run in found)
    return f"| {name} | {right} of {len(cases)} | {false} | {len(cases) - len(found)} | {evaluations:.0f} | {sum(run[3] for _, run in found):.0f} |"


def table(executable, python, quick):
    cases = [case for case in json.loads((REFERENCE / "integrate.json").read_text()) if "principal_value" not in case["args"]]
    cases = cases[::5] if quick else cases
    print("integrals", flush=True)
    request = json.dumps({"cases": cases, "rtol": RTOL})
    answer = subprocess.run([python, str(PEERS / "integrals_peer.py")], input=request, capture_output=True, text=True, check=True).stdout
    theirs = json.loads(answer)
    lines = [
        "## Integrals",
        "",
        f"{len(cases)} integrals: QUADPACK's families and hard ones, `tests/reference/integrate.json`, at a relative tolerance of {RTOL:g}. Right: to {WITHIN:g}, relative (or 1e-15). "
        "Error below the true one: answers that are further off than they say. Refused: no answer, or one that is not finite. ms: all of them, within the process; mathchain reads the expressions in that time and takes "
        "4,096 samples and up to 1,500 bounds in search of peaks, SciPy has the integrands compiled to Python.",
        "",
        "| | right | error below the true one | refused | evaluations | ms |",
        "|---|---|---|---|---|---|",
    ]
    for method in ("auto", "gauss_kronrod", "tanh_sinh"):
        lines.append(row(f"`integrate`, `{method}`", cases, [ours(executable, case, method) for case in cases]))
    for name, runs in theirs.items():
        lines.append(row(f"SciPy `{name}`", cases, runs))
    return [*lines, ""]


if __name__ == "__main__":
    print("\n".join(table(sys.argv[1], sys.argv[2], False)))
