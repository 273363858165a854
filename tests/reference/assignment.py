"""Makes assignment.json: totals and pairs by SciPy's linear_sum_assignment.

    pip install scipy && python3 tests/reference/assignment.py

Matrices whose optimum is unique (random doubles) are compared pair by pair, those of integers by their total.
"""

import json
from pathlib import Path

import numpy as np
from scipy.optimize import linear_sum_assignment

HERE = Path(__file__).resolve().parent
random = np.random.default_rng(42)


def cases():
    for rows, columns in ((1, 1), (1, 5), (5, 1), (4, 4), (9, 9), (7, 12), (12, 7), (20, 20), (25, 24), (24, 30)):
        for maximize in (False, True):
            cost = random.uniform(-1, 1, (rows, columns)).round(6)
            pairs = np.array(linear_sum_assignment(cost, maximize)).T
            total = float(cost[pairs[:, 0], pairs[:, 1]].sum())
            args = {"cost": cost.tolist(), "maximize": maximize}
            checks = [{"at": "/pairs", "expected": pairs.tolist(), "tolerance": 0.0}, {"at": "/total", "expected": total, "tolerance": 1e-14}]
            if pairs.max() == 0:
                checks = checks[1:]
            yield {"title": f"{rows} x {columns}, maximize {maximize}", "tool": "assignment", "args": args, "checks": checks, "source": "SciPy"}
    n = 16
    machol_wien = np.add.outer(range(1, n + 1), np.zeros(n)) * np.arange(1, n + 1)
    geometric = np.hypot.outer(np.arange(n) * 1.7 % 5, np.arange(n) * 2.3 % 7)
    ties = random.integers(0, 3, (n, n)).astype(float)
    for name, cost in (("Machol and Wien", machol_wien), ("distances", geometric), ("ties", ties), ("all the same", np.full((n, n), 7.0)), ("large", ties * 1e12 + 1)):
        rows, columns = linear_sum_assignment(cost)
        total = float(cost[rows, columns].sum())
        yield {"title": name, "tool": "assignment", "args": {"cost": cost.tolist()}, "checks": [{"at": "/total", "expected": total, "tolerance": 1e-14}], "source": "SciPy"}
    for density in (0.3, 0.5):
        cost = random.uniform(0, 9, (n, n)).round(5)
        cost[random.uniform(size=(n, n)) > density] = np.inf
        cost[np.arange(n), (np.arange(n) * 3 + 1) % n] = 20.0
        rows, columns = linear_sum_assignment(cost)
        args = {"cost": [[None if v == np.inf else v for v in row] for row in cost.tolist()]}
        yield {"title": f"forbidden pairs, {density}", "tool": "assignment", "args": args, "checks": [{"at": "/total", "expected": float(cost[rows, columns].sum()), "tolerance": 1e-14}], "source": "SciPy"}


lines = ",\n".join(json.dumps(case) for case in cases())
(HERE / "assignment.json").write_text(f"[\n{lines}\n]\n")
