"""One side of the dense comparison: NumPy/SciPy times as JSON lines. Arguments: operations, sizes, seconds a row."""
import json, sys, time
import numpy as np
import scipy.linalg as sl
from scipy.linalg import lapack


def row(op, n):
    rng = np.random.default_rng(1)
    a = np.asfortranarray(rng.uniform(-1, 1, (n, n)))
    s = np.asfortranarray((a + a.T) / 2)
    d = np.asfortranarray(s + n * np.eye(n))
    b = rng.uniform(-1, 1, n)
    work = int(lapack.dgeqrf_lwork(n, n)[0])
    quick = dict(check_finite=False, overwrite_a=True)
    return {
        "gemm": lambda: a @ s,
        "lu": lambda: lapack.dgetrf(a.copy(order="F"), overwrite_a=1),
        "solve": lambda: lapack.dgesv(a.copy(order="F"), b.copy(), overwrite_a=1, overwrite_b=1),
        "chol": lambda: lapack.dpotrf(d.copy(order="F"), lower=1, overwrite_a=1, clean=0),
        "qr": lambda: lapack.dgeqrf(a.copy(order="F"), lwork=work, overwrite_a=1),
        "eigvalsh": lambda: np.linalg.eigvalsh(s),
        "eigh": lambda: np.linalg.eigh(s),
        "eigvals": lambda: sl.eigvals(a.copy(order="F"), **quick),
        "eig": lambda: sl.eig(a.copy(order="F"), **quick),
        "svdvals": lambda: sl.svdvals(a.copy(order="F"), **quick),
        "svd": lambda: sl.svd(a.copy(order="F"), full_matrices=False, **quick),
    }[op]


def timed(run, seconds):
    """Processor time of this thread, in batches of about 200 microseconds, as the other side does."""
    first = time.perf_counter()
    run()
    batch = max(1, int(200e-6 / (time.perf_counter() - first)) + 1)
    times, end = [], time.perf_counter() + seconds
    while len(times) < 3 or time.perf_counter() < end:
        start = time.thread_time()
        for _ in range(batch):
            run()
        times.append((time.thread_time() - start) / batch * 1e6)
    times.sort()
    return len(times), times[len(times) // 2], times[0]


ops, sizes, seconds = sys.argv[1].split(","), sys.argv[2].split(","), float(sys.argv[3])
for n in map(int, sizes):
    for op in ops:
        runs, median, least = timed(row(op, n), seconds)
        print(json.dumps({"op": op, "n": n, "runs": runs, "median_us": median, "min_us": least}), flush=True)
