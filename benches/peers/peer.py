"""What a user would have written in Python: one function per tool, with the fastest idiomatic vectorised NumPy or SciPy.

    peer.py TOOL < arguments.json            one call, like `mathchain call TOOL`
    peer.py --serve                          many calls, like `mathchain serve --jsonl`

Imports happen inside the functions, so that a call pays only for what it uses.
"""

import json
import sys


def calculate(args):
    import math

    names = {name: getattr(math, name) for name in dir(math) if not name.startswith("_")}
    return {"value": eval(args["expression"], {"__builtins__": {}}, names)}


def matrix_solve(args):
    import numpy as np

    a, b = np.array(args["A"]), np.array(args["b"])
    x = np.linalg.solve(a, b)
    return {"x": x.tolist(), "residual": float(np.linalg.norm(a @ x - b))}


def matrix_eigenvalues(args):
    import numpy as np

    a = np.array(args["A"])
    values = np.linalg.eigvalsh(a) if np.array_equal(a, a.T) else np.linalg.eigvals(a)
    return {"real": values.real.tolist(), "imaginary": values.imag.tolist()}


def matrix_svd(args):
    import numpy as np

    a = np.array(args["A"])
    if args.get("full"):
        u, s, vt = np.linalg.svd(a, full_matrices=False)
        return {"U": u.tolist(), "singular_values": s.tolist(), "V": vt.T.tolist()}
    return {"singular_values": np.linalg.svd(a, compute_uv=False).tolist()}


def statistics(args):
    import numpy as np

    data = np.array(args["data"])
    q25, median, q75 = np.percentile(data, [25, 50, 75])
    return {
        "count": data.size,
        "mean": float(data.mean()),
        "std_sample": float(data.std(ddof=1)),
        "min": float(data.min()),
        "max": float(data.max()),
        "median": float(median),
        "q25": float(q25),
        "q75": float(q75),
    }


def linear_regression(args):
    import numpy as np

    x, y = np.array(args["x"]), np.array(args["y"])
    design = np.column_stack([np.ones(len(y)), x])
    coefficients, residual, _, _ = np.linalg.lstsq(design, y, rcond=None)
    total = float(((y - y.mean()) ** 2).sum())
    return {"coefficients": coefficients.tolist(), "r2": 1.0 - float(residual[0]) / total}


def monte_carlo_native(args):
    import numpy as np

    bounds = np.array(args["bounds"], dtype=float)
    n = args["n_samples"]
    rng = np.random.default_rng(args.get("seed", 42))
    points = rng.uniform(bounds[:, 0], bounds[:, 1], size=(n, len(bounds)))
    values = eval(args["function"], {"sin": np.sin, "exp": np.exp}, {f"x{i}": points[:, i] for i in range(len(bounds))})
    volume = float(np.prod(bounds[:, 1] - bounds[:, 0]))
    return {"integral": volume * float(values.mean()), "standard_error": volume * float(values.std(ddof=1)) / n**0.5}


def monte_carlo(args):
    import numpy as np

    rng = np.random.default_rng(args.get("seed", 42))
    values = eval(args["expression"], {"sin": np.sin, "exp": np.exp}, {"x": rng.random(args["samples"])})
    counts, edges = np.histogram(values, bins=int(np.log2(len(values))) + 1)
    percentiles = np.percentile(values, [5, 25, 50, 75, 95])
    return {"mean": float(values.mean()), "std": float(values.std(ddof=1)), "percentiles": percentiles.tolist(),
            "histogram": {"edges": edges.tolist(), "counts": counts.tolist()}}


def mcmc(args):
    """Random-walk Metropolis, the chains vectorised; a fixed step, no adaptation, no diagnostics."""
    import numpy as np

    code = compile(args["log_density"], "log_density", "eval")
    start = np.array(args["x0"], dtype=float)
    chains, n, burnin = args.get("chains", 4), args["n_samples"], args.get("burnin", 1000)
    rng = np.random.default_rng(args.get("seed", 42))
    point = np.tile(start, (chains, 1))
    density = lambda p: eval(code, {"exp": np.exp}, {f"x{i}": p[:, i] for i in range(p.shape[1])})
    current = density(point)
    samples = np.empty((n, chains, start.size))
    for step in range(n + burnin):
        proposal = point + rng.normal(size=point.shape)
        candidate = density(proposal)
        accept = np.log(rng.uniform(size=chains)) < candidate - current
        point = np.where(accept[:, None], proposal, point)
        current = np.where(accept, candidate, current)
        if step >= burnin:
            samples[step - burnin] = point
    return {"mean": samples.mean(axis=(0, 1)).tolist(), "std_dev": samples.std(axis=(0, 1)).tolist()}


def solve_ode(args):
    from scipy.integrate import solve_ivp

    code = [compile(text, "system", "eval") for text in args["system"]]

    def rhs(t, y):
        names = {f"y{i}": value for i, value in enumerate(y)}
        names["t"] = t
        return [eval(c, {}, names) for c in code]

    s = solve_ivp(rhs, args["t_span"], args["y0"], method="DOP853", rtol=args["rtol"], atol=args["atol"])
    return {"t": s.t.tolist(), "y": s.y.T.tolist()}


def optimize(args):
    import numpy as np
    from scipy.optimize import minimize

    code = compile(args["objective"], "objective", "eval")
    f = lambda x: eval(code, {}, {f"x{i}": value for i, value in enumerate(x)})
    result = minimize(f, np.array(args["x0"]), method="BFGS")
    return {"x": result.x.tolist(), "f": float(result.fun)}


def json_query(args):
    import jmespath

    return {"result": jmespath.search(args["query"], args["data"])}


def csv_to_json(args):
    import csv
    import io

    def cell(text):
        try:
            return float(text)
        except ValueError:
            return text

    rows = [{k: cell(v) for k, v in row.items()} for row in csv.DictReader(io.StringIO(args["csv_content"]))]
    return {"rows": rows}


def sql_query(args):
    import sqlite3

    db = sqlite3.connect(":memory:")
    for name, rows in args["tables"].items():
        columns = list(rows[0])
        db.execute(f'create table "{name}" ({", ".join(columns)})')
        db.executemany(f'insert into "{name}" values ({", ".join("?" * len(columns))})', [tuple(r[c] for c in columns) for r in rows])
    cursor = db.execute(args["query"])
    names = [d[0] for d in cursor.description]
    return {"rows": [dict(zip(names, row)) for row in cursor]}


TOOLS = {f.__name__: f for f in (calculate, matrix_solve, matrix_eigenvalues, matrix_svd, statistics, linear_regression,
                                 monte_carlo_native, monte_carlo, mcmc, solve_ode, optimize, json_query, csv_to_json, sql_query)}

if __name__ == "__main__":
    if sys.argv[1] == "--serve":
        for line in sys.stdin:
            call = json.loads(line)
            json.dump({"id": call["id"], "output": TOOLS[call["tool"]](call["args"])}, sys.stdout)
            sys.stdout.write("\n")
            sys.stdout.flush()
    else:
        json.dump(TOOLS[sys.argv[1]](json.load(sys.stdin)), sys.stdout)
        print()
