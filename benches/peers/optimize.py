"""The table of optimisation: `optimize` and `optimize_global` beside SciPy on the published problems of `tests/reference`.

    python3 benches/peers/optimize.py MATH_TOOLS PYTHON     the table alone, with a built `math-tools` and a Python that has SciPy
"""

import json
import statistics
import subprocess
import sys
from pathlib import Path

PEERS = Path(__file__).resolve().parent
REFERENCE = PEERS.parents[1] / "tests" / "reference"
MEMBERS = ("x0", "objective", "constraints", "bounds")
SEEDS = (1, 2, 3)
BUDGET = 40_000

# Title, document, our commands, SciPy's methods.
GROUPS = [
    ("bounds and constraints (Hock and Schittkowski)", "hock_schittkowski", [("optimize", "sqp")], ["SLSQP", "trust-constr"]),
    ("no constraints (Moré, Garbow and Hillstrom)", "more_garbow_hillstrom", [("optimize", "gradient"), ("optimize", "newton"), ("optimize", "auto")], ["L-BFGS-B", "BFGS"]),
    ("chained Rosenbrock function, 10 and 100 variables", "rosenbrock", [("optimize", "gradient")], ["L-BFGS-B with gradient"]),
    ("global, 4 variables, seeds 1 to 3 (style of BBOB)", "bbob", [("optimize_global", "auto"), ("optimize_global", "cma_es"), ("optimize_global", "differential_evolution"), ("optimize_global", "dual_annealing")],
     ["differential_evolution", "dual_annealing"]),
]  # fmt: skip


def cases(document):
    if document == "rosenbrock":
        start = lambda n: [(-1.2, 1.0)[i % 2] for i in range(n)]
        return [{"name": f"Rosenbrock {n}", "objective": "rosenbrock", "x0": start(n), "minima": [0]} for n in (10, 100)]
    found = json.loads((REFERENCE / f"{document}.json").read_text())
    for case in found:
        case.setdefault("minima", [case.get("f", 0)])
    return found


def reached(case, f, violation):
    near = lambda minimum: abs(f - minimum) <= 1e-6 * max(1, abs(minimum))
    return f is not None and violation <= 1e-6 and any(near(minimum) for minimum in case["minima"])


def ours(executable, command, method, case, seed):
    request = {"command": command, "method": method} | {key: case[key] for key in MEMBERS if key in case}
    if command == "optimize_global":
        request |= {"seed": seed, "max_evals": BUDGET}
    answer = json.loads(subprocess.run([executable], input=json.dumps(request), capture_output=True, text=True).stdout)
    result = answer["result"] or {}
    return result.get("f"), result.get("violation") or 0, result.get("evaluations", 0), answer["stats"]["elapsed_ms"]


def row(title, name, runs):
    solved = sum(good for good, _, _ in runs)
    evaluations = statistics.median(count for _, count, _ in runs)
    return title, name, f"{solved} of {len(runs)}", evaluations, sum(time for _, _, time in runs)


def table(executable, python, quick):
    lines = [
        "## Optimisation",
        "",
        f"Solved: a published minimum to 1e-6, violations at most 1e-6. Evaluations: the median of a problem; of mathchain values, gradients and products with the Hessian, of SciPy values, those for differences included. "
        f"ms: all problems together, the time within the process; mathchain reads and differentiates the expressions in that time, SciPy has them compiled to Python. Global: {BUDGET} evaluations.",
        "",
        "| problems | method | solved | evaluations | ms |",
        "|---|---|---|---|---|",
    ]
    for title, document, commands, methods in GROUPS:
        print(f"optimize {document}", flush=True)
        problems = cases(document)
        seeds = SEEDS if document == "bbob" else (0,)
        seeds = seeds[:1] if quick else seeds
        rows = []
        for command, method in commands:
            runs = []
            for case in problems:
                for seed in seeds:
                    f, violation, evaluations, time = ours(executable, command, method, case, seed)
                    runs.append((reached(case, f, violation), evaluations, time))
            rows.append(row(title, f"`{command}`, `{method}`", runs))
        request = json.dumps({"problems": problems, "methods": methods, "seeds": seeds, "budget": BUDGET})
        answers = subprocess.run([python, str(PEERS / "optimize_peer.py")], input=request, capture_output=True, text=True, check=True).stdout
        theirs = {}
        for line in answers.splitlines():
            run = json.loads(line)
            good = reached(problems[run["problem"]], run["f"], run["violation"])
            theirs.setdefault(run["method"], []).append((good, run["evaluations"], run["ms"]))
        rows += [row(title, f"SciPy `{method}`", runs) for method, runs in theirs.items()]
        lines += [f"| {title} | {name} | {solved} | {evaluations:.0f} | {time:.0f} |" for title, name, solved, evaluations, time in rows]
    return [*lines, ""]


if __name__ == "__main__":
    print("\n".join(table(sys.argv[1], sys.argv[2], False)))
