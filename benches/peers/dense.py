"""The table of dense linear algebra: mathchain beside NumPy/SciPy as installed, and with the best OpenBLAS kernel found."""

import json
import math
import os
import subprocess
import sys
from pathlib import Path

PEERS = Path(__file__).resolve().parent
OPERATIONS = ["gemm", "lu", "solve", "chol", "qr", "eigvalsh", "eigh", "eigvals", "eig", "svdvals", "svd"]
VALUES_ONLY = {"eigvalsh", "eigh", "eigvals", "eig", "svdvals", "svd"}
SIZES = [10, 50, 100, 200, 500, 1000, 2000]
# Kernels of OpenBLAS for x86-64 that may suit a processor better than the one it picks by the model number.
KERNELS = ["SapphireRapids", "Cooperlake", "SkylakeX", "Zen", "Haswell"]


class Side:
    """A process that answers `OPERATION N SECONDS` lines with JSON lines."""

    def __init__(self, command, **env):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=dict(os.environ, **env))

    def ask(self, operation, n, seconds):
        try:
            self.process.stdin.write(f"{operation} {n} {seconds}\n")
            self.process.stdin.flush()
            return json.loads(self.process.stdout.readline())
        except (BrokenPipeError, json.JSONDecodeError):
            raise SystemExit(f"{self.process.args}: no answer to {operation} {n}") from None

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def threads(count):
    return {name: str(count) for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS")}


def best_kernel(python):
    """The OpenBLAS kernel with the fastest product and LU factors at n = 500, None standing for the one it picks."""
    times = {}
    for kernel in [None, *KERNELS]:
        env = threads(1) | ({"OPENBLAS_CORETYPE": kernel} if kernel else {})
        try:
            side = Side([python, str(PEERS / "dense_peer.py")], **env)
            times[kernel] = min(side.ask("gemm", 500, 0.3)["min_us"] + side.ask("lu", 500, 0.3)["min_us"] for _ in range(2))
            side.close()
        except SystemExit:
            continue  # a kernel whose instructions this processor lacks
    best = min(times, key=times.get)
    return best if best and times[best] < 0.97 * times[None] else None


def shown(microseconds):
    return f"{microseconds:.3g}" if microseconds < 1000 else f"{microseconds:.0f}"


def agreed(ours, peers):
    """Digits to which the values of two sides agree, relative to the largest."""
    scale = max(abs(value) for value in peers) or 1.0
    worst = max(abs(a - b) for a, b in zip(ours, peers)) / scale
    return -math.log10(max(worst, 1e-17))


def table(executable, python, quick):
    """The lines of the table, and a progress line per size on the way."""
    kernel = best_kernel(python)
    peer = [python, str(PEERS / "dense_peer.py")]
    tuned = {"OPENBLAS_CORETYPE": kernel} if kernel else {}
    sides = {
        "ours": Side([executable, "1"]),
        "ours, 2": Side([executable, "2"]),
        "default": Side(peer, **threads(1)),
        "tuned": Side(peer, **threads(1), **tuned) if kernel else None,
        "default, 2": Side([*peer, "--wall"], **threads(2)),
        "tuned, 2": Side([*peer, "--wall"], **threads(2), **tuned) if kernel else None,
    }
    chosen = f"`OPENBLAS_CORETYPE={kernel}`" if kernel else f"none of {', '.join(KERNELS)} is faster than the kernel it picks, so tuned = default"
    lines = [
        "## Dense linear algebra",
        "",
        "Microseconds, medians, the sides in turns row by row; square matrices of uniform random numbers, the same on all sides. With two threads mathchain "
        f"shares what `docs/linear-algebra.md` lists, and runs the rest on one. Tuned OpenBLAS: {chosen}. Ratio = best peer / mathchain "
        "with as many threads, above 1 means mathchain is faster. Digits: of the backward error of mathchain / its peer; for values, to which the two agree.",
        "",
        "| operation | n | mathchain | default | tuned | ratio | mathchain, 2 threads | default, 2 threads | tuned, 2 threads | ratio | digits |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for n in [n for n in SIZES if not quick or n <= 500]:
        print(f"dense {n}", flush=True)
        for operation in OPERATIONS:
            found = {}
            for _ in range(2 if n <= 500 else 1):
                for name, side in sides.items():
                    if side:
                        answer = side.ask(operation, n, 0.1 if quick else 0.2)
                        if name not in found or answer["median_us"] < found[name]["median_us"]:
                            found[name] = answer
            time = {name: answer["median_us"] for name, answer in found.items()}
            cell = lambda name: shown(time[name]) if name in time else "-"
            one = min(time[name] for name in ("default", "tuned") if name in time)
            two = min(time[name] for name in ("default, 2", "tuned, 2") if name in time)
            if operation in VALUES_ONLY:
                digits = f"{agreed(found['ours']['values'], found['default']['values']):.1f}"
            else:
                digits = f"{found['ours']['digits']:.1f} / {found['default']['digits']:.1f}"
            lines.append(
                f"| {operation} | {n} | {cell('ours')} | {cell('default')} | {cell('tuned')} | {one / time['ours']:.2f} "
                f"| {cell('ours, 2')} | {cell('default, 2')} | {cell('tuned, 2')} | {two / time['ours, 2']:.2f} | {digits} |"
            )
    for side in sides.values():
        if side:
            side.close()
    return [*lines, ""]


if __name__ == "__main__":
    print("\n".join(table(sys.argv[1], sys.argv[2], "--quick" in sys.argv)))
