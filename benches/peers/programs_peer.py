"""One side of the comparison of linear programs: generated programs, and those of a folder, with HiGHS's results as JSON lines."""
import json, math, sys, time, warnings
from pathlib import Path
import numpy as np
import scipy.sparse as sp
from scipy.optimize import linprog

warnings.filterwarnings("ignore")
INF = math.inf


def transport(suppliers, customers, seed, assignment=False):
    random = np.random.default_rng(seed)
    n = suppliers * customers
    rows = np.r_[np.repeat(np.arange(suppliers), customers), suppliers + np.tile(np.arange(customers), suppliers)]
    A = sp.csr_matrix((np.ones(2 * n), (rows, np.r_[np.arange(n), np.arange(n)])))
    if assignment:
        return random.integers(1, 1000, n), None, None, A, np.ones(suppliers + customers), (0, INF)
    demand = random.integers(1, 50, customers).astype(float)
    supply = np.full(suppliers, np.ceil(demand.sum() / suppliers))
    return random.integers(1, 100, n), A[:suppliers], supply, A[suppliers:], demand, (0, INF)


def covering(rows, columns, seed):
    random = np.random.default_rng(seed)
    A = sp.random(rows, columns, 0.02, random_state=random, format="csr") + sp.csr_matrix((np.ones(rows), (np.arange(rows), random.integers(0, columns, rows))), (rows, columns))
    A.data[:] = 1
    return random.integers(1, 10, columns), -A.tocsr(), -np.ones(rows), None, None, (0, INF)


def staircase(periods, size, seed, spread=0):
    random = np.random.default_rng(seed)
    blocks = [[sp.csr_matrix((size, 2 * size)) for _ in range(periods)] for _ in range(periods)]
    for t in range(periods):
        blocks[t][t] = sp.hstack([sp.random(size, size, 4 / size, random_state=random) + sp.eye(size), -sp.eye(size)])
        if t:
            blocks[t][t - 1] = sp.hstack([-sp.random(size, size, 2 / size, random_state=random), 0.9 * sp.eye(size)])
    A = sp.bmat(blocks).tocsr()
    rows, columns = A.shape
    x = random.random(columns) * (random.random(columns) < 0.5)
    row, column = 2.0 ** random.integers(-spread, spread + 1, rows), 2.0 ** random.integers(-spread, spread + 1, columns)
    return (random.random(columns) + 0.1) * column, None, None, (sp.diags(row) @ A @ sp.diags(column)).tocsr(), row * (A @ x), (0, INF)


def general(rows, columns, per_row, seed, high=INF):
    random = np.random.default_rng(seed)
    A = sp.random(rows, columns, per_row / columns, random_state=random, format="csr")
    A.data = random.standard_normal(A.nnz)
    x = random.random(columns) * (random.random(columns) < 0.4)
    slack = random.random(rows) * (random.random(rows) < 0.5)
    y = random.random(rows) * (slack == 0)
    return random.random(columns) * (x == 0) - A.T @ y, A, A @ x + slack, None, None, (0, high)


def flow(nodes, arcs, goods, seed):
    random = np.random.default_rng(seed)
    tail, head = random.integers(0, nodes, arcs), None
    head = (tail + random.integers(1, nodes, arcs)) % nodes
    tail[:nodes], head[:nodes] = np.arange(nodes), (np.arange(nodes) + 1) % nodes
    incidence = sp.csr_matrix((np.r_[np.ones(arcs), -np.ones(arcs)], (np.r_[tail, head], np.r_[np.arange(arcs), np.arange(arcs)])))
    supply = np.zeros((goods, nodes))
    for good in range(goods):
        source, sink = random.choice(nodes, 2, replace=False)
        supply[good, [source, sink]] = np.array([1, -1]) * random.integers(1, 10)
    capacity = random.integers(5, 15, arcs).astype(float)
    capacity[:nodes] = 200
    cost = random.integers(1, 20, (goods, arcs))
    cost[:, :nodes] += 50
    return cost.ravel(), sp.hstack([sp.eye(arcs)] * goods).tocsr(), capacity, sp.block_diag([incidence] * goods).tocsr(), supply.ravel(), (0, INF)


def mps(path):
    kinds, rows, columns, costs, entries, right, ranges, bounds, section = {}, {}, {}, {}, [], {}, {}, {}, None
    for line in path.read_text().splitlines():
        words = line.split()
        if not words or line[0] == "*":
            continue
        if line[0] != " ":
            section = words[0]
        elif section == "ROWS":
            kinds[words[1]] = words[0]
            if words[0] != "N":
                rows[words[1]] = len(rows)
        elif section == "COLUMNS":
            column = columns.setdefault(words[0], len(columns))
            for row, value in zip(words[1::2], words[2::2]):
                if row in rows:
                    entries.append((rows[row], column, float(value)))
                elif row == next(name for name, kind in kinds.items() if kind == "N"):
                    costs[column] = float(value)
        elif section in ("RHS", "RANGES"):
            words = words if len(words) % 2 else ["", *words]
            (right if section == "RHS" else ranges).update({row: float(value) for row, value in zip(words[1::2], words[2::2])})
        elif section == "BOUNDS":
            named = len(words) > (2 if words[0] in ("FR", "MI", "PL") else 3)
            bound = bounds.setdefault(columns[words[1 + named]], [0.0, INF])
            value = float(words[2 + named]) if words[0] in ("UP", "LO", "FX") else INF
            bound[0] = {"LO": value, "FX": value, "FR": -INF, "MI": -INF}.get(words[0], -INF if words[0] == "UP" and value < 0 == bound[0] else bound[0])
            bound[1] = {"UP": value, "FX": value, "FR": INF}.get(words[0], bound[1])
    A = sp.csr_matrix(([e[2] for e in entries], ([e[0] for e in entries], [e[1] for e in entries])), (len(rows), len(columns)))
    low, high = np.full(len(rows), -INF), np.full(len(rows), INF)
    for name, row in rows.items():
        value, span = right.get(name, 0.0), ranges.get(name)
        low[row], high[row] = {"E": (value, value), "L": (-INF, value), "G": (value, INF)}[kinds[name]]
        if span is not None:
            low[row], high[row] = {"E": (value + min(span, 0), value + max(span, 0)), "L": (value - abs(span), value), "G": (value, value + abs(span))}[kinds[name]]
    equal = low == high
    above, below = np.isfinite(high) & ~equal, np.isfinite(low) & ~equal
    A_ub, b_ub = sp.vstack([A[above], -A[below]]).tocsr(), np.r_[high[above], -low[below]]
    box = [tuple(bounds.get(column, (0.0, INF))) for column in range(len(columns))]
    c = np.array([costs.get(column, 0.0) for column in range(len(columns))])
    return c, A_ub if len(b_ub) else None, b_ub, A[equal] if equal.any() else None, low[equal], box


def compressed(A):
    return {"indptr": A.indptr.tolist(), "indices": A.indices.tolist(), "data": A.data.tolist()}


PROGRAMS = {
    "transport 30 x 50": lambda: transport(30, 50, 1),
    "transport 100 x 200": lambda: transport(100, 200, 2),
    "assignment of 60, degenerate": lambda: transport(60, 60, 3, True),
    "set covering": lambda: covering(500, 2000, 4),
    "staircase": lambda: staircase(20, 50, 5),
    "staircase, badly scaled": lambda: staircase(20, 50, 7, 12),
    "sparse": lambda: general(1000, 1500, 6, 9),
    "sparse, boxed": lambda: general(2000, 4000, 5, 11, 2.0),
    "flow of 14 goods": lambda: flow(300, 1000, 14, 12),
    "sparse, large": lambda: general(5000, 7000, 5, 10),
    "staircase, large": lambda: staircase(100, 50, 6),
    "staircase, large, another": lambda: staircase(100, 50, 106),
}  # fmt: skip
LARGE = ("sparse, large", "staircase, large", "staircase, large, another")

cases = {name: make for name, make in PROGRAMS.items() if sys.argv[1] == "all" or name not in LARGE}
for path in sorted(Path(sys.argv[2]).glob("*.mps")) if len(sys.argv) > 2 else []:
    cases[path.stem] = lambda path=path: mps(path)
for name, make in cases.items():
    c, A_ub, b_ub, A_eq, b_eq, bounds = make()
    pairs = bounds if isinstance(bounds, list) else [bounds] * len(c)
    times = []
    for _ in range(3):
        start = time.perf_counter()
        found = linprog(c, A_ub, b_ub, A_eq, b_eq, bounds=bounds, method="highs")
        times.append(time.perf_counter() - start)
    args = {"c": c.tolist(), "plot": False, "bounds": [[None if math.isinf(end) else end for end in pair] for pair in pairs]}
    for which, A, b in [("ub", A_ub, b_ub), ("eq", A_eq, b_eq)]:
        if A is not None:
            args |= {f"A_{which}": compressed(A), f"b_{which}": b.tolist()}
    both = [A for A in (A_ub, A_eq) if A is not None]
    size = {"rows": sum(A.shape[0] for A in both), "columns": len(c), "entries": int(sum(A.nnz for A in both))}
    print(json.dumps({"name": name, "args": args, **size, "objective": found.fun, "iterations": int(found.nit), "ms": min(times) * 1e3}), flush=True)
    sys.stdin.readline()
