"""Makes the reference values of `linear_program.json`: published optima, closed forms, and HiGHS through SciPy.

    pip install scipy && python3 tests/reference/linear_program.py [FOLDER]

FOLDER has `afiro.mps`, `adlittle.mps` (https://www.netlib.org/lp/data, public test data; optima from its README) and `flugpl.mps` (MIPLIB 3);
without it those cases are kept as they are. The form is that of `make.py`. HiGHS ends at tolerances of 1e-7, so its objectives are compared
to 1e-8 relative; closed forms to 1e-14.
"""

import json
import sys
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from scipy.optimize import Bounds, LinearConstraint, linear_sum_assignment, linprog, milp

here = Path(__file__).resolve().parent
cases = []


def plain(value):
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, float):
        return None if np.isinf(value) else int(value) if value.is_integer() and abs(value) < 1e15 else value
    return value


def sparse(matrix):
    entries = sp.coo_matrix(matrix)
    return {"rows": entries.row.tolist(), "cols": entries.col.tolist(), "values": plain(entries.data)}


def add(title, args, objective, source, tolerance=1e-8, **more):
    checks = [{"at": "/objective", "expected": [float(objective)], "tolerance": tolerance}]
    for at, expected in more.items():
        checks.append({"at": "/" + at.replace("__", "/"), "expected": plain(np.atleast_1d(expected)), "tolerance": tolerance})
    args = {"plot": False, **{key: plain(value) for key, value in args.items()}}
    cases.append({"title": title, "tool": "linear_program", "args": args, "checks": checks, "source": source})


def highs(title, c, A_ub=None, b_ub=None, A_eq=None, b_eq=None, bounds=None, integrality=None):
    n = len(c)
    pairs = np.array([(0, np.inf)] * n if bounds is None else [(-np.inf if l is None else l, np.inf if h is None else h) for l, h in bounds])
    if integrality is None:
        found = linprog(c, A_ub, b_ub, A_eq, b_eq, bounds=pairs, method="highs")
    else:
        parts = [LinearConstraint(A, low, high) for A, low, high in [(A_ub, -np.inf, b_ub), (A_eq, b_eq, b_eq)] if A is not None]
        found = milp(c, constraints=parts, bounds=Bounds(*pairs.T), integrality=integrality, options={"mip_rel_gap": 0})
    assert found.status == 0, (title, found.message)
    args = {"c": c}
    for name, matrix, side in [("ub", A_ub, b_ub), ("eq", A_eq, b_eq)]:
        if matrix is not None:
            args |= {f"A_{name}": sparse(matrix), f"b_{name}": side}
    if bounds is not None:
        args["bounds"] = [list(pair) for pair in bounds]
    if integrality is not None:
        args["integrality"] = integrality
    add(title, args, found.fun, "HiGHS through SciPy")


# Textbook programs, with prices.
add("Wyndor Glass", {"c": [-3, -5], "A_ub": [[1, 0], [0, 2], [3, 2]], "b_ub": [4, 12, 18]}, -36, "F. S. Hillier, G. J. Lieberman, Introduction to Operations Research, chapter 3", 1e-14,
    x=[2, 6], constraints__1__dual=-1.5, constraints__2__dual=-1, constraints__0__slack=2)  # fmt: skip
add("Wyndor Glass, maximised", {"c": [3, 5], "A_ub": [[1, 0], [0, 2], [3, 2]], "b_ub": [4, 12, 18], "maximize": True}, 36, "the same", 1e-14, constraints__1__dual=1.5, constraints__2__dual=1)
add("Beale's cycle", {"c": [-0.75, 150, -0.02, 6], "A_ub": [[0.25, -60, -0.04, 9], [0.5, -90, -0.02, 3], [0, 0, 1, 0]], "b_ub": [0, 0, 1]}, -0.05, "E. M. L. Beale, Naval Res. Logist. Quart. 2, 1955", 1e-14)
add("Kuhn's cycle", {"c": [-2, -3, 1, 12], "A_ub": [[-2, -9, 1, 9], [1 / 3, 1, -1 / 3, -2], [2, 3, -1, -12]], "b_ub": [0, 0, 2]}, -2, "M. L. Balinski, A. W. Tucker, SIAM Review 11, 1969", 1e-14)
add("Chvatal's cycle", {"c": [-10, 57, 9, 24], "A_ub": [[0.5, -5.5, -2.5, 9], [0.5, -1.5, -0.5, 1], [1, 0, 0, 0]], "b_ub": [0, 0, 1]}, -1, "V. Chvatal, Linear Programming, 1983, chapter 3", 1e-14)
for n in (5, 12, 20):
    A = [[2.0 ** (i - j + 1) if j < i else float(i == j) for j in range(n)] for i in range(n)]
    add(f"the cube of Klee and Minty, {n}", {"c": [-(2.0 ** (n - 1 - i)) for i in range(n)], "A_ub": A, "b_ub": [5.0 ** (i + 1) for i in range(n)]}, -(5.0**n), "V. Klee, G. J. Minty, 1972: -5^n", 1e-14)
H = [[1 / (i + j + 1) for j in range(6)] for i in range(6)]
add("a Hilbert matrix", {"c": [1] * 6, "A_eq": H, "b_eq": [float(sum(row)) for row in H], "bounds": [[None, None]] * 6}, 6, "x = 1", 1e-9)

# Generated kinds, by HiGHS.
random = np.random.default_rng(20221126)


def network(rows, columns):
    n = rows * columns
    return sp.csr_matrix((np.ones(2 * n), (np.r_[np.repeat(np.arange(rows), columns), rows + np.tile(np.arange(columns), rows)], np.r_[np.arange(n), np.arange(n)])))


for suppliers, customers in [(4, 6), (8, 12), (10, 25)]:
    demand = random.integers(1, 50, customers)
    A = network(suppliers, customers)
    supply = np.full(suppliers, np.ceil(demand.sum() / suppliers))
    highs(f"transport {suppliers} x {customers}", random.integers(1, 100, suppliers * customers), A[:suppliers], supply, A[suppliers:], demand)
for size in (8, 15, 20):
    cost = random.integers(1, 1000, (size, size))
    rows, columns = linear_sum_assignment(cost)
    add(f"assignment of {size}, totally degenerate", {"c": cost.ravel(), "A_eq": sparse(network(size, size)), "b_eq": np.ones(2 * size)}, cost[rows, columns].sum(), "the Hungarian method of SciPy", 1e-13)
for rows, columns in [(20, 40), (40, 100)]:
    A = (random.random((rows, columns)) < 0.12).astype(float)
    A[np.arange(rows), random.integers(0, columns, rows)] = 1
    cost = random.integers(1, 10, columns)
    highs(f"set covering {rows} x {columns}, relaxed", cost, -A, -np.ones(rows))
    highs(f"set covering {rows} x {columns}", cost, -A, -np.ones(rows), bounds=[(0, 1)] * columns, integrality=[1] * columns)
for spread in (0, 12):
    rows, columns = 30, 60
    A = sp.random(rows, columns, 0.1, random_state=random).toarray() + np.eye(rows, columns)
    A[1:, :-1] -= 0.5 * np.eye(rows, columns)[:-1, :-1]
    x = random.random(columns) * (random.random(columns) < 0.5)
    row, column = 2.0 ** random.integers(-spread, spread + 1, rows), 2.0 ** random.integers(-spread, spread + 1, columns)
    highs(f"staircase, units up to 2^{spread} apart", (random.random(columns) + 0.1) * column, A_eq=row[:, None] * A * column, b_eq=row * (A @ x))
for boxed in (False, True):
    A = sp.random(40, 60, 0.1, random_state=random).toarray()
    A.flat[A.ravel() != 0] = random.standard_normal((A != 0).sum())
    bounds = [(-1, 2)] * 60 if boxed else [(None, 3)] * 20 + [(-5, None)] * 40
    highs("boxed variables" if boxed else "one bound each", random.standard_normal(60) if boxed else A.T @ -random.random(40) + np.r_[-np.ones(20), np.ones(40)], A, random.random(40), bounds=bounds)
for size in (10, 30):
    weight = random.integers(10, 100, size)
    highs(f"knapsack of {size}", -(weight + random.integers(-9, 10, size)), weight[None, :], [int(weight.sum() // 2)], bounds=[(0, 1)] * size, integrality=[1] * size)
A = random.integers(0, 8, (6, 8))
highs("integers and others", -random.integers(1, 20, 8), A, A.sum(axis=1) * 2.5, integrality=[1, 0] * 4)


def mps(path):
    """Rows, columns and bounds of a file in the MPS format, of the parts that the three files use."""
    kinds, order, costs, columns, entries, right, bounds, integers, section, marked = {}, [], {}, {}, [], {}, {}, [], None, False
    for line in path.read_text().splitlines():
        words = line.split()
        if line[:1] != " ":
            section = words[0] if words else section
        elif section == "ROWS":
            kinds[words[1]] = words[0]
            order += [words[1]] if words[0] != "N" else []
        elif section == "COLUMNS" and "'MARKER'" in words:
            marked = "'INTORG'" in words
        elif section == "COLUMNS":
            column = columns.setdefault(words[0], len(columns))
            integers += [column] if marked and column not in integers else []
            for row, value in zip(words[1::2], words[2::2]):
                if kinds[row] == "N":
                    costs[column] = float(value)
                else:
                    entries.append((order.index(row), column, float(value)))
        elif section == "RHS":
            right |= {row: float(value) for row, value in zip(words[1::2], words[2::2])}
        elif section == "BOUNDS":
            bounds.setdefault(columns[words[2]], [0, None])[{"UP": 1, "LO": 0}[words[0]]] = float(words[3])
    A = sp.csr_matrix(([e[2] for e in entries], ([e[0] for e in entries], [e[1] for e in entries])), (len(order), len(columns))).toarray()
    b = np.array([right.get(row, 0.0) for row in order])
    kind = np.array([kinds[row] for row in order])
    args = {"c": [costs.get(column, 0.0) for column in range(len(columns))]}
    upper = kind != "E"
    sign = np.where(kind == "G", -1.0, 1.0)
    if upper.any():
        args |= {"A_ub": sparse((sign[:, None] * A)[upper]), "b_ub": (sign * b)[upper]}
    if not upper.all():
        args |= {"A_eq": sparse(A[~upper]), "b_eq": b[~upper]}
    if bounds:
        args["bounds"] = [bounds.get(column, [0, None]) for column in range(len(columns))]
    if integers:
        args["integrality"] = [int(column in integers) for column in range(len(columns))]
    return args


target = here / "linear_program.json"
published = [("afiro", -4.6475314286e02, "the README of netlib/lp/data", 1e-11), ("adlittle", 2.2549496316e05, "the README of netlib/lp/data", 1e-10), ("flugpl", 1201500, "MIPLIB 3, miplib.cat", 1e-13)]
if len(sys.argv) > 1:
    for name, objective, source, tolerance in published:
        add(name, mps(Path(sys.argv[1]) / f"{name}.mps"), objective, source, tolerance)
else:
    cases += [case for case in json.loads(target.read_text()) if case["title"] in [name for name, *_ in published]]
target.write_text("[\n" + ",\n".join(json.dumps(case) for case in cases) + "\n]\n")
print(len(cases), "cases")
