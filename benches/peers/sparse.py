"""The table of sparse systems: `sparse_solve` beside SciPy's direct and iterative solvers on the same matrices."""

import json
import subprocess
from pathlib import Path

PEERS = Path(__file__).resolve().parent

# Matrix, what it is, our methods, SciPy's.
PROBLEMS = [
    ("poisson2d_300", "Poisson, 300 x 300 grid", "auto,cholesky,cg_amg,cg_ic0,call", "spsolve,spsolve_mmd,cg_none,cg_jacobi"),
    ("convection2d_200", "convection, 200 x 200 grid", "auto,gmres_ilu0", "spsolve,gmres_spilu"),
    ("poisson2d_1000", "Poisson, 1000 x 1000 grid", "auto,cg_amg,call", "spsolve_mmd,cg_none,cg_jacobi"),
    ("poisson3d_100", "Poisson, 100 x 100 x 100 grid", "auto,cg_amg", "cg_none,cg_jacobi"),
]
NAMES = {
    "auto": "`auto`", "cholesky": "`cholesky`", "lu": "`lu`", "cg_amg": "`cg`, `amg`", "cg_ic0": "`cg`, `ic0`", "gmres_ilu0": "`gmres`, `ilu0`",
    "call": "the whole call, from JSON text", "spsolve": "SciPy `spsolve`", "spsolve_mmd": "SciPy `spsolve`, minimum degree", "cg_none": "SciPy `cg`",
    "cg_jacobi": "SciPy `cg`, diagonal", "gmres_spilu": "SciPy `gmres`, `spilu`",
}  # fmt: skip


def table(executable, python, quick):
    lines = [
        "## Sparse systems",
        "",
        "Milliseconds of processor time, the least of the runs, one thread; iterations end at a relative residual of 1e-8 on both sides, and each row says what was reached. "
        "Ratio = the fastest SciPy row of the same matrix / this row, above 1 means mathchain is faster.",
        "",
        "| matrix | unknowns | method | ms | ratio | iterations | relative residual |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, title, ours, peers in PROBLEMS[:2] if quick else PROBLEMS:
        print(f"sparse {name}", flush=True)
        runs = "3" if name.endswith(("300", "200")) else "1"
        read = lambda command: [json.loads(line) for line in subprocess.check_output(command, text=True).splitlines()]
        theirs = read([python, str(PEERS / "sparse_peer.py"), name, peers, runs])
        best = min(row["min_ms"] for row in theirs)
        for row in read([executable, name, ours, runs, "--bench"]) + theirs:
            time = row.get("call_ms", row["min_ms"])
            ratio = "" if row in theirs else f"{best / time:.1f}"
            residual = row.get("relative_residual", row.get("residual", ""))
            lines.append(f"| {title} | {row['n']} | {NAMES[row['method']]} | {time:.0f} | {ratio} | {row.get('iterations', '') or ''} | {residual} |")
    return [*lines, ""]
