"""One side of the comparison of signals and programs: SciPy, FFTW and quadprog, one JSON line per row. `signals_peer.py RUNS`; see benches/signals.rs."""

import json
import sys
import time

import numpy as np
import pyfftw
import quadprog
from scipy import fft, optimize, signal

pyfftw.config.NUM_THREADS = 1
pyfftw.interfaces.cache.enable()
SIZES = [1 << 10, 1 << 16, 1 << 20, 360_360, 1021, 100_003, 1_000_003]


def data(n, seed):
    out, state = np.empty(n), seed
    for j in range(n):
        state = (1664525 * state + 1013904223) % 2**32
        out[j] = state / 2**32
    return out


def row(name, peer, n, runs, work):
    least = float("inf")
    for _ in range(runs):
        start = time.perf_counter()
        work()
        least = min(least, (time.perf_counter() - start) * 1e3)
    print(json.dumps({"op": name, "peer": peer, "n": n, "min_ms": round(least, 5)}), flush=True)


def portfolio(n):
    f = data(n * 20, 5).reshape(n, 20)
    return f @ f.T / 20 + 0.1 * np.eye(n), data(n, 6)


runs = int(sys.argv[1])
for n in SIZES:
    x = data(n, 1)
    z = x + 0.5j
    row("fft real", "SciPy", n, runs, lambda: fft.rfft(x))
    row("fft real", "FFTW", n, runs, lambda: pyfftw.interfaces.numpy_fft.rfft(x))
    row("fft complex", "SciPy", n, runs, lambda: fft.fft(z))
    row("fft complex", "FFTW", n, runs, lambda: pyfftw.interfaces.numpy_fft.fft(z))
x = data(1_000_000, 2)
row("welch", "SciPy", len(x), runs, lambda: signal.welch(x, 1.0, "hann", 4096))
sos = signal.butter(8, 0.2, output="sos")
row("zero-phase filter of order 8", "SciPy", len(x), runs, lambda: signal.sosfiltfilt(sos, x, padlen=27))
b = data(1000, 3)
row("convolution with 1000", "SciPy", len(x), runs, lambda: signal.fftconvolve(x, b))
row("convolution with 1000", "SciPy `oaconvolve`", len(x), runs, lambda: signal.oaconvolve(x, b))
for name, level in (("assignment, doubles", lambda x: x), ("assignment, 100 levels", lambda x: np.floor(x * 100))):
    for n in (500, 2000):
        costs = level(data(n * n, 4)).reshape(n, n)
        row(name, "SciPy", n, min(runs, 5), lambda: optimize.linear_sum_assignment(costs))
for n in (10, 100, 400):
    p, returns = portfolio(n)
    a = np.vstack([np.ones(n), returns, np.eye(n)]).T.copy()
    sides = np.concatenate([[1.0, 0.6], np.zeros(n)])
    row("quadratic program, dense", "quadprog", n, runs, lambda: quadprog.solve_qp(p, np.zeros(n), a, sides, 1))
