"""Makes sparse_solve.json: systems, and their solutions by SciPy, NumPy, exact rational arithmetic or a closed form.

Run: python3 tests/reference/sparse_solve.py   (SciPy 1.17.1, NumPy 2.4.6). Matrices are made of integers and binary fractions, or
by one stated operation per entry, so that every language builds the same bits.
"""
import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import scipy.sparse as sp
import scipy.sparse.linalg as spl

CASES = []


def exact(a, b):
    """The solution by Gaussian elimination over the rationals, each entry rounded once."""
    n = len(b)
    rows = [[Fraction(float(v)) for v in row] + [Fraction(float(c))] for row, c in zip(a, b)]
    for k in range(n):
        p = next(i for i in range(k, n) if rows[i][k] != 0)
        rows[k], rows[p] = rows[p], rows[k]
        for i in range(n):
            if i != k and rows[i][k] != 0:
                f = rows[i][k] / rows[k][k]
                rows[i] = [x - f * y if y else x for x, y in zip(rows[i], rows[k])]
    return [float(rows[k][n] / rows[k][k]) for k in range(n)]


def add(name, a, b, source, tolerance, x=None, **more):
    """`tolerance` is relative to the largest entry of x; `x` by SuperLU unless given."""
    coo = sp.coo_array(a)
    b = np.asarray(b, float)
    if x is None:
        x = spl.spsolve(sp.csc_array(a), b)
    CASES.append(dict(
        name=name, source=source, n=len(b), rows=coo.row.tolist(), cols=coo.col.tolist(), values=coo.data.tolist(),
        b=b.tolist(), x=np.asarray(x, float).tolist(), tolerance=tolerance, **more))


def ramp(n):
    return (np.arange(n) % 7 - 3).astype(float)


def poisson1(n):
    return sp.diags_array([-np.ones(n - 1), 2 * np.ones(n), -np.ones(n - 1)], offsets=[-1, 0, 1])


def poisson2(m):
    return sp.kron(sp.eye_array(m), poisson1(m)) + sp.kron(poisson1(m), sp.eye_array(m))


def poisson3(m):
    i = sp.eye_array(m)
    return sp.kron(sp.kron(i, i), poisson1(m)) + sp.kron(sp.kron(i, poisson1(m)), i) + sp.kron(sp.kron(poisson1(m), i), i)


def rcond1(a):
    d = a.toarray()
    return 1 / (np.linalg.norm(d, 1) * np.linalg.norm(np.linalg.inv(d), 1))


SUPERLU = "SciPy 1.17.1 scipy.sparse.linalg.spsolve (SuperLU)"
RATIONAL = "exact rational arithmetic (Python fractions), rounded once"

# Closed forms.
n = 1000
i = np.arange(1, n + 1)
add("poisson_1d_1000", poisson1(n), np.ones(n), "closed form i (n + 1 - i) / 2", 1e-15, i * (n + 1 - i) / 2)
add("one_unknown", sp.coo_array([[4.0]]), [2.0], "b / a", 0, [0.5])
add("identity", sp.eye_array(5), ramp(5), "b", 0, ramp(5))
n = 50
pei = np.ones((n, n)) + np.eye(n)
add("pei_dense", sp.coo_array(pei), np.arange(n, dtype=float),
    "Sherman-Morrison: b - sum(b) / (n + 1)", 1e-15, np.arange(n) - np.arange(n).sum() / (n + 1))

# Symmetric positive definite.
a = poisson2(20)
add("poisson_2d_20", a, np.ones(400), SUPERLU, 1e-13, rcond=rcond1(a))
add("poisson_2d_20_ramp", a, ramp(400), SUPERLU, 1e-13)
add("poisson_3d_8", poisson3(8), np.ones(512), SUPERLU, 1e-13)
eps = sp.kron(sp.eye_array(20), poisson1(20)) + 2.0**-10 * sp.kron(poisson1(20), sp.eye_array(20))
add("anisotropic_2d_20", eps, ramp(400), SUPERLU, 1e-12)
bi = poisson1(60) @ poisson1(60)
add("biharmonic_1d_60", bi, np.ones(60), RATIONAL, 1e-14, exact(bi.toarray(), np.ones(60)), rcond=rcond1(bi))
arrow = sp.lil_array((100, 100))
arrow.setdiag(np.full(100, 16.0))
arrow[0, 1:] = 1.0
arrow[1:, 0] = 1.0
arrow[0, 0] = 128.0
add("arrow_100", arrow, ramp(100), SUPERLU, 1e-13)
graph = poisson2(12).tolil()
graph.setdiag(-(graph.sum(axis=1) - graph.diagonal()) + 2.0**-20)
add("nearly_singular_graph_laplacian", graph, ramp(144), RATIONAL, 1e-14, exact(graph.toarray(), ramp(144)))

# Unsymmetric.
for wind in (0.5, 4.0):
    c = poisson2(15) + wind * sp.kron(sp.eye_array(15), sp.diags_array([-np.ones(14), np.ones(14)], offsets=[-1, 1]))
    add(f"convection_{wind}", c, np.ones(225), SUPERLU, 1e-12)
shift = sp.csr_array((np.ones(7), (np.arange(7), (np.arange(7) + 3) % 7)), shape=(7, 7))
add("permutation_zero_diagonal", shift, ramp(7), "x[(i + 3) mod 7] = b[i]", 0, np.roll(ramp(7), 3))
grcar = sp.diags_array([-np.ones(99)] + [np.ones(100 - k) for k in range(4)], offsets=[-1, 0, 1, 2, 3])
add("grcar_100", grcar, ramp(100), SUPERLU, 1e-12)
saddle = sp.block_array([[poisson1(30), sp.csr_array(np.eye(30, 8, -5))], [sp.csr_array(np.eye(30, 8, -5)).T, None]])
add("saddle_point", saddle, ramp(38), RATIONAL, 1e-14, exact(saddle.toarray(), ramp(38)))
k = np.arange(40)
rng = (np.outer(k * k * 37 + 5, np.ones(40)) + np.outer(np.ones(40), k**3 * 11) + 29 * np.outer(k, k) * (k[:, None] + 2 * k)) % 1009
scattered = sp.coo_array(np.where(rng % 5 == 0, rng - 504.0, 0.0) + np.diag(np.where(k % 2 == 0, 7.0, 0.0)))
add("scattered_integers", scattered, ramp(40), RATIONAL, 1e-14, exact(scattered.toarray(), ramp(40)))

# Hard: condition and scaling.
hilbert = np.array([[1 / (i + j + 1) for j in range(10)] for i in range(10)])
add("hilbert_10", sp.coo_array(hilbert), np.ones(10), RATIONAL, 1e-10, exact(hilbert, np.ones(10)), rcond=2.828e-14)
kahan = np.triu(np.full((30, 30), -1.0), 1) + np.eye(30)
add("wilkinson_triangle_30", sp.coo_array(kahan), np.ones(30), "back substitution: powers of two", 0, 2.0 ** np.arange(29, -1, -1))
scale = 2.0 ** np.linspace(-400, 400, 41).round()
badly = sp.diags_array(scale) @ (poisson1(41) + sp.diags_array([np.ones(40)], offsets=[1]) * 0.5)
xs = np.ones(41)
add("rows_scaled_by_2^800", badly, scale * (poisson1(41).toarray() + np.diag(np.full(40, 0.5), 1)).sum(axis=1), "x = 1 by construction", 1e-15, xs)
both = sp.diags_array(scale[::-1]) @ poisson1(41) @ sp.diags_array(scale[::-1])
add("symmetric_scaling_2^1600", both, np.eye(41)[20] * 2.0**-30, "scaled columns of the inverse of poisson_1d: min(i, j) (n + 1 - max) / (n + 1)", 1e-15,
    [2.0**-30 * min(r, 21) * (42 - max(r, 21)) / 42 / scale[::-1][r - 1] / scale[::-1][20] for r in range(1, 42)], entrywise=True)
growth = np.eye(54) - np.tril(np.ones((54, 54)), -1)
growth[:, -1] = 1
add("wilkinson_growth_54", sp.coo_array(growth), ramp(54), RATIONAL, 1e-14, exact(growth, ramp(54)))

Path(__file__).with_suffix(".json").write_text(
    "[\n" + ",\n".join(json.dumps(case) for case in CASES) + "\n]\n")
print(len(CASES), "cases")
