"""Times of the package beside NumPy and beside the kernels: `python bench.py` in an environment with a release wheel prints the table
"Python in process" of benches/results/python.md. What is compared takes turns, so that all see the same machine."""

import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

import mathchain

ROUNDS = 25
IMPORT = "import time; began = time.perf_counter(); import mathchain; print(time.perf_counter() - began)"


def medians(works, count=1):
    """The median time of each piece of work in microseconds."""
    times = {name: [] for name in works}
    for _ in range(ROUNDS):
        for name, work in works.items():
            began = time.perf_counter()
            for _ in range(count):
                work()
            times[name].append((time.perf_counter() - began) / count * 1e6)
    return {name: statistics.median(found) for name, found in times.items()}


def refused(toolkit, a, b):
    """A call that does everything but compute: `b` has a number too many, which the tool finds just before its kernel."""
    try:
        toolkit.call("matrix_solve", A=a, b=b)
    except mathchain.InvalidArgs:
        return
    raise AssertionError("not refused")


def small(plain, audited):
    """Small calls: without and with their audit record, and the same in NumPy."""
    data = {"data": [1.0, 2.0, 3.0, 4.0]}
    a, b = np.array([[3, 1], [1, 2.0]]), np.array([9, 8.0])
    calls = {
        "calculate 1+1": (lambda toolkit: toolkit.call("calculate", expression="1+1"), lambda: eval("1+1")),
        "statistics of 4 numbers": (lambda toolkit: toolkit.call("statistics", data), lambda: np.mean(data["data"])),
        "matrix_solve 2 x 2": (lambda toolkit: toolkit.call("matrix_solve", A=a, b=b), lambda: np.linalg.solve(a, b)),
    }
    for name, (call, peer) in calls.items():
        works = {"plain": lambda: call(plain), "audited": lambda: call(audited), "peer": peer}
        found = medians(works, 1000)
        yield f"| {name} | {found['plain']:.1f} us | {found['audited']:.1f} us | {found['peer']:.1f} us | |"


def large(plain, audited):
    """A large call, and the part of it beside the kernel. A recorded call computes its digest beside the kernel, a refused one alone."""
    draw = np.random.default_rng(1)
    a, b, long = draw.normal(size=(1000, 1000)), draw.normal(size=1000), np.ones(1001)
    works = {}
    for name, toolkit in (("plain", plain), ("audited", audited)):
        works[name] = lambda toolkit=toolkit: toolkit.call("matrix_solve", A=a, b=b)
    works["beside"] = lambda: refused(plain, a, long)
    # The threads of the peer's library wait busily after its work, so that it does not take turns.
    peer = medians({"peer": lambda: np.linalg.solve(a, b)})
    time.sleep(1)
    found = {name: time / 1e3 for name, time in {**peer, **medians(works)}.items()}
    ratios = [found[name] / (found["plain"] - found["beside"]) for name in ("plain", "audited")]
    yield (
        f"| matrix_solve 1000 x 1000 | {found['plain']:.1f} ms | {found['audited']:.1f} ms | {found['peer']:.1f} ms "
        f"| {ratios[0]:.3f}, {ratios[1]:.3f} |"
    )


def imports():
    """Time of the import in a new interpreter, in milliseconds."""
    run = lambda: float(subprocess.run([sys.executable, "-c", IMPORT], check=True, capture_output=True).stdout)  # noqa: E731
    return statistics.median(run() for _ in range(ROUNDS)) * 1e3


def main():
    print("## Python in process\n")
    print("Written by `python/bench.py`, medians of 25 rounds in turns. The last column is the time of the call as a multiple of the time without")
    print("what surrounds the kernel: conversion, check, policy, record; that is the unrecorded call less the same call with `b` too long, refused just")
    print("before the kernel.\n")
    print("| call | not recorded | with its audit record | Python, NumPy | call / kernel: not recorded, recorded |\n|---|---|---|---|---|")
    plain = mathchain.Toolkit(state=False)
    with tempfile.TemporaryDirectory() as folder, mathchain.Toolkit(state=folder) as audited:
        for line in [*small(plain, audited), *large(plain, audited)]:
            print(line)
    print(f"\n`import mathchain` takes {imports():.1f} ms in a new interpreter.")


if __name__ == "__main__":
    main()
