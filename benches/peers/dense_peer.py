"""NumPy's and SciPy's side of the dense table: reads `OPERATION N SECONDS` lines, answers each with one JSON line."""
import functools
import json
import sys
import time

import numpy as np
import scipy.linalg as sl
from scipy.linalg import lapack


@functools.lru_cache(maxsize=2)
def matrices(n):
    state, mask = 0x9E3779B97F4A7C15, (1 << 64) - 1
    data = np.empty(n * n)
    for index in range(n * n):
        state ^= (state << 13) & mask
        state ^= state >> 7
        state ^= (state << 17) & mask
        data[index] = (state >> 11) / 2.0**52 - 1.0
    a = np.asfortranarray(data.reshape(n, n))
    s = np.asfortranarray((a + a.T) / 2)
    d = np.asfortranarray(s + n * np.eye(n))
    return a, s, d, data[:n].copy()


def digits(found, expected, scale):
    return {"digits": -float(np.log10(max(np.abs(found - expected).max() / scale, 1e-17)))}


def row(op, n):
    """The function to time, and the evidence about its result."""
    a, s, d, b = matrices(n)
    norm = np.linalg.norm
    quick = dict(check_finite=False, overwrite_a=True)
    work = int(lapack.dgeqrf_lwork(n, n)[0])

    def lu_digits(found):
        packed, order, _ = found
        product = np.tril(packed, -1) @ (np.triu(packed) @ b) + np.triu(packed) @ b
        expected = a @ b
        for i, j in enumerate(order):
            expected[[i, j]] = expected[[j, i]]
        return digits(product, expected, norm(a) * norm(b))

    def qr_digits(found):
        q, r = np.linalg.qr(a)
        return digits(q @ (r @ b), a @ b, norm(a) * norm(b))

    def chol_digits(found):
        lower = np.tril(found[0])
        return digits(lower @ (lower.T @ b), d @ b, norm(d) * norm(b))

    def solve_digits(found):
        return digits(a @ found[2], b, norm(a) * norm(found[2]))

    def gemm_digits(found):
        return digits(found @ b, a @ (s @ b), norm(a) * norm(s) * norm(b))

    sizes = lambda pick: lambda found: {"values": np.sort(np.abs(pick(found))).tolist()}
    ascending = lambda pick: lambda found: {"values": np.sort(pick(found)).tolist()}
    return {
        "gemm": (lambda: a @ s, gemm_digits),
        "lu": (lambda: lapack.dgetrf(a.copy(order="F"), overwrite_a=1), lu_digits),
        "solve": (lambda: lapack.dgesv(a.copy(order="F"), b.copy(), overwrite_a=1, overwrite_b=1), solve_digits),
        "chol": (lambda: lapack.dpotrf(d.copy(order="F"), lower=1, overwrite_a=1, clean=0), chol_digits),
        "qr": (lambda: lapack.dgeqrf(a.copy(order="F"), lwork=work, overwrite_a=1), qr_digits),
        "eigvalsh": (lambda: np.linalg.eigvalsh(s), ascending(lambda found: found)),
        "eigh": (lambda: np.linalg.eigh(s), ascending(lambda found: found[0])),
        "eigvals": (lambda: sl.eigvals(a.copy(order="F"), **quick), sizes(lambda found: found)),
        "eig": (lambda: sl.eig(a.copy(order="F"), **quick), sizes(lambda found: found[0])),
        "svdvals": (lambda: sl.svdvals(a.copy(order="F"), **quick), ascending(lambda found: found)),
        "svd": (lambda: sl.svd(a.copy(order="F"), full_matrices=False, **quick), ascending(lambda found: found[1])),
    }[op]


def timed(run, seconds, clock):
    """In batches of about 200 microseconds, as the other side does."""
    first = time.perf_counter()
    result = run()
    each = time.perf_counter() - first
    batch, least = max(1, int(200e-6 / each) + 1), 1 if each > 1 else 3
    times, end = [], time.perf_counter() + seconds
    while len(times) < least or time.perf_counter() < end:
        start = clock()
        for _ in range(batch):
            result = run()
        times.append((clock() - start) / batch * 1e6)
    times.sort()
    return times, result


# With several threads only the wall clock tells the whole time.
clock = time.perf_counter if sys.argv[1:] == ["--wall"] else time.thread_time
for line in sys.stdin:
    op, n, seconds = line.split()
    run, evidence = row(op, int(n))
    times, result = timed(run, float(seconds), clock)
    print(json.dumps({"median_us": times[len(times) // 2], "min_us": times[0], **evidence(result)}), flush=True)
