"""The table of signals and programs: kernels of mathchain beside SciPy, FFTW and quadprog on the same data."""

import json
import subprocess
from pathlib import Path

PEERS = Path(__file__).resolve().parent


def table(executable, python, quick):
    runs = "3" if quick else "20"
    read = lambda command: [json.loads(line) for line in subprocess.check_output(command, text=True).splitlines()]
    print("signals", flush=True)
    ours = read([executable, runs, "--bench"])
    # -P: pyFFTW imports Dask, which would take `sparse.py` of this folder for the package.
    theirs = read([python, "-P", str(PEERS / "signals_peer.py"), runs])
    lines = [
        "## Signals, quadratic programs, assignments",
        "",
        "Milliseconds, the least of the runs, one thread, within the process; both sides keep the plans of transforms. FFTW: through pyFFTW, "
        "plans by estimate. Ratio = the fastest peer / mathchain, above 1 means mathchain is faster.",
        "",
        "| work | n | mathchain | peers | ratio |",
        "|---|---|---|---|---|",
    ]
    for row in ours:
        peers = [peer for peer in theirs if (peer["op"], peer["n"]) == (row["op"], row["n"])]
        best = min(peer["min_ms"] for peer in peers)
        told = ", ".join(f"{peer['peer']} {peer['min_ms']:.3g}" for peer in peers)
        lines.append(f"| {row['op']} | {row['n']} | {row['min_ms']:.3g} | {told} | {best / row['min_ms']:.2f} |")
    return [*lines, ""]
