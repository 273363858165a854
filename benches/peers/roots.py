"""The table of roots and interpolation beside NumPy and SciPy, on the problems of `tests/reference` and large ones.

    python3 benches/peers/roots.py MATH_TOOLS PYTHON     the table alone, with a built `math-tools` and a Python that has SciPy
"""

import json
import random
import statistics
import subprocess
import sys
from pathlib import Path

PEERS = Path(__file__).resolve().parent
REFERENCE = PEERS.parents[1] / "tests" / "reference"


def ours(executable, request, runs):
    """The answer and the median of the times within the process."""
    text, times = json.dumps(request), []
    for _ in range(runs):
        answer = json.loads(subprocess.run([executable], input=text, capture_output=True, text=True).stdout)
        times.append(answer["stats"]["elapsed_ms"])
    return answer["result"] or {}, statistics.median(times)


def theirs(python, request):
    answer = subprocess.run([python, str(PEERS / "roots_peer.py")], input=json.dumps(request), capture_output=True, text=True, check=True).stdout
    return json.loads(answer)


def curves(size):
    rng = random.Random(11)
    x = [i + 0.8 * rng.random() for i in range(size)]
    y = [rng.gauss(0, 1) for _ in x]
    at = [x[0] + (x[-1] - x[0]) * i / (size - 1) for i in range(size)]
    return {"x": x, "y": y, "at": at}


def polynomials(quick):
    rng = random.Random(12)
    cases = {case["name"]: case["coefficients"] for case in json.loads((REFERENCE / "polynomial_roots.json").read_text()) if "imaginary" not in case}
    chosen = [(name, cases[name]) for name in ("Wilkinson 20, coefficients rounded", "(x-1)^20", "Chebyshev 50, coefficients rounded")]
    return chosen + [(f"normal coefficients, degree {n}", [rng.gauss(0, 1) for _ in range(n + 1)]) for n in ((100,) if quick else (20, 100, 500))]


def table(executable, python, quick):
    runs = 3 if quick else 7
    lines = [
        "## Roots and interpolation",
        "",
        "ms: the time within the process, medians; of mathchain the reading of the arguments as JSON is included, of NumPy and SciPy only the calculation counts. Difference: the largest one of the two results, relative to the largest value. "
        "Error of NumPy: its largest distance from a disc that mathchain proves to hold the root, relative to the root.",
        "",
        "| interpolation | mathchain ms | SciPy ms | ratio | difference |",
        "|---|---|---|---|---|",
    ]
    data = curves(100_000 if quick else 1_000_000)
    for method, peer in (("cubic", "CubicSpline"), ("pchip", "PchipInterpolator"), ("akima", "Akima1DInterpolator"), ("linear", "numpy.interp")):
        print(f"interpolate {method}", flush=True)
        found, time = ours(executable, {"command": "interpolate", "method": method, "plot": False} | data, runs)
        other = theirs(python, {"what": "curve", "method": method, "runs": runs} | data)
        scale = max(abs(v) for v in other["values"])
        difference = max(abs(a - b) for a, b in zip(found["values"], other["values"])) / scale
        lines.append(f"| `{method}` beside `{peer}`, {len(data['x']):,} points and places | {time:.1f} | {other['ms']:.1f} | {other['ms'] / time:.1f} | {difference:.0e} |")
    lines += ["", "| polynomial | mathchain ms | largest radius | NumPy `roots` ms | error of NumPy |", "|---|---|---|---|---|"]
    for name, coefficients in polynomials(quick):
        print(f"polynomial_roots {name}", flush=True)
        found, time = ours(executable, {"command": "polynomial_roots", "coefficients": coefficients}, runs)
        roots = found["roots"]
        radius = max(root["radius"] / max(abs(complex(root["re"], root["im"])), 1e-300) for root in roots)
        other = theirs(python, {"what": "polynomial", "coefficients": coefficients, "runs": runs})
        proven = [complex(root["re"], root["im"]) for root in roots for _ in range(root["multiplicity"])]
        error = 0.0
        for z in (complex(*z) for z in other["roots"]):
            near = min(range(len(proven)), key=lambda at: abs(proven[at] - z))
            error = max(error, abs(proven[near] - z) / abs(proven[near]))
            proven.pop(near)
        lines.append(f"| {name} | {time:.1f} | {radius:.0e} | {other['ms']:.1f} | {error:.0e} |")
    cases = [case for case in json.loads((REFERENCE / "find_root.json").read_text()) if not case.get("all")]
    cases = [case for case in cases if not any(name in case["f"] for name in ("gamma", "lambertw", "bessel"))]
    print("find_root", flush=True)
    mine = [ours(executable, {"command": "find_root", "plot": False} | {key: case[key] for key in ("f", "from", "to")}, 1) for case in cases]
    good = lambda x, case: abs(x - case["roots"][0]) <= 1e-14 * abs(case["roots"][0])
    right = sum(good(found["root"], case) for (found, _), case in zip(mine, cases))
    proven = sum(found["roots"][0]["proven"] for found, _ in mine)
    row = lambda name, right, proven, count, time: f"| {name} | {right} of {len(cases)} | {proven} | {count:.0f} | {time:.2f} |"
    lines += ["", "| one root in a bracket | right to 1e-14 | proven | evaluations, median | ms, all |", "|---|---|---|---|---|"]
    lines.append(row("`find_root`, evaluations for the proof included", right, proven, statistics.median(found["evaluations"] for found, _ in mine), sum(time for _, time in mine)))
    for method in ("brentq", "toms748"):
        other = theirs(python, {"what": "bracket", "method": method, "cases": cases})
        right = sum(x is not None and good(x, case) for x, case in zip(other["roots"], cases))
        lines.append(row(f"SciPy `{method}`, xtol 1e-300, rtol 4 eps", right, "-", statistics.median(other["evaluations"]), other["ms"]))
    systems = [case for case in json.loads((REFERENCE / "solve_nonlinear.json").read_text()) if not case["none"]]
    print("solve_nonlinear", flush=True)
    mine = [ours(executable, {"command": "solve_nonlinear", "system": case["system"], "x0": case["x0"]}, 1) for case in systems]
    lines += ["", "| systems with a solution | solved | proven | evaluations, median | ms, all |", "|---|---|---|---|---|"]
    solved = sum(found["converged"] for found, _ in mine)
    proven = sum(bool(found["solutions"]) and found["solutions"][0]["verified"] for found, _ in mine)
    row = lambda name, solved, proven, count, time: f"| {name} | {solved} of {len(systems)} | {proven} | {count:.0f} | {time:.1f} |"
    lines.append(row("`solve_nonlinear`", solved, proven, statistics.median(found["evaluations"] for found, _ in mine), sum(time for _, time in mine)))
    for method in ("hybr", "lm"):
        other = theirs(python, {"what": "system", "method": method, "cases": systems})
        lines.append(row(f"SciPy `root`, `{method}`", sum(other["solved"]), "-", statistics.median(other["evaluations"]), other["ms"]))
    return [*lines, ""]


if __name__ == "__main__":
    print("\n".join(table(sys.argv[1], sys.argv[2], "--quick" in sys.argv)))
