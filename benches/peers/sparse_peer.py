"""One side of the sparse comparison: SciPy times as JSON lines. Arguments: problems, methods, runs. One thread; rtol 1e-8."""
import json, os, sys, time
os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
import numpy as np
import scipy.sparse as sp
import scipy.sparse.linalg as spl

RTOL = 1e-8


def grid(m, dimensions, wind):
    """Second differences on m points each way, and first differences along the first axis times wind."""
    one = sp.diags_array([-np.ones(m - 1), 2 * np.ones(m), -np.ones(m - 1)], offsets=[-1, 0, 1])
    first = wind * sp.diags_array([-np.ones(m - 1), np.ones(m - 1)], offsets=[-1, 1])
    total, eye = sp.csr_array((m**dimensions,) * 2), sp.eye_array(m)
    for axis in range(dimensions):
        term = sp.eye_array(1)
        for other in reversed(range(dimensions)):
            term = sp.kron(term, (one + first if axis == 0 else one) if other == axis else eye)
        total = total + term
    return sp.csr_array(total)


def problem(name):
    kind, size = name.split("_")
    return grid(int(size), *{"poisson2d": (2, 0.0), "poisson3d": (3, 0.0), "convection2d": (2, 0.5)}[kind])


def solver(method, a, b):
    """A function that solves from the matrix as it is, preconditioner included, and returns x and iterations."""
    count = [0]
    step = lambda *_: count.__setitem__(0, count[0] + 1)
    operator = lambda apply: spl.LinearOperator(a.shape, apply)
    def spilu():
        factors = spl.spilu(sp.csc_array(a), drop_tol=1e-4, fill_factor=10)
        return operator(factors.solve)
    def jacobi():
        inverse = 1 / a.diagonal()
        return operator(lambda r: inverse * r)
    def cg(m):
        return lambda: (spl.cg(a, b, rtol=RTOL, maxiter=20000, M=m(), callback=step)[0], count[0])
    return {
        "spsolve": lambda: (spl.spsolve(sp.csc_array(a), b), 0),
        "spsolve_mmd": lambda: (spl.spsolve(sp.csc_array(a), b, permc_spec="MMD_AT_PLUS_A"), 0),
        "cg_none": cg(lambda: None),
        "cg_jacobi": cg(jacobi),
        "gmres_spilu": lambda: (spl.gmres(a, b, rtol=RTOL, restart=50, M=spilu(), callback=step, callback_type="pr_norm")[0], count[0]),
    }[method]


problems, methods, runs = sys.argv[1].split(","), sys.argv[2].split(","), int(sys.argv[3])
for name in problems:
    a = problem(name)
    b = np.ones(a.shape[0])
    for method in methods:
        best = None
        for _ in range(runs):
            run = solver(method, a, b)
            start = time.thread_time()
            x, iterations = run()
            elapsed = (time.thread_time() - start) * 1e3
            if best is None or elapsed < best[0]:
                best = elapsed, iterations, x
        elapsed, iterations, x = best
        residual = np.linalg.norm(b - a @ x) / np.linalg.norm(b)
        print(json.dumps({"op": name, "method": method, "n": a.shape[0], "nonzeros": a.nnz, "runs": runs, "min_ms": round(elapsed, 1),
                          "iterations": iterations, "relative_residual": float(f"{residual:.1e}")}), flush=True)
