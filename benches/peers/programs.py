"""The table of linear programs: `linear_program` beside HiGHS through SciPy on generated programs of the kinds of Netlib.

    python3 benches/peers/programs.py MATH_TOOLS PYTHON [FOLDER]     the table alone, with a built `math-tools` and a Python that has SciPy

FOLDER may have published programs as `.mps` files (https://www.netlib.org/lp/data); they are added to the table.
"""

import json
import subprocess
import sys
from pathlib import Path

PEERS = Path(__file__).resolve().parent


def table(executable, python, quick, folder=None):
    lines = [
        "## Linear programs",
        "",
        "ms: the best of three, the time within the process; mathchain checks and converts the arguments in that time and refines the result, SciPy has the matrix in compressed rows. "
        "Difference: of the objectives, relative. Gap: objective minus what the prices prove, relative, as mathchain states it." + (" The last ones are published programs of Netlib." if folder else ""),
        "",
        "| program | rows | columns | entries | mathchain iterations | HiGHS iterations | mathchain ms | HiGHS ms | ratio | difference | gap |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    command = [python, str(PEERS / "programs_peer.py"), "quick" if quick else "all", *([folder] if folder else [])]
    peer = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    for text in peer.stdout:
        case = json.loads(text)
        print(f"linear_program {case['name']}", flush=True)
        request = json.dumps({"command": "linear_program", **case["args"]})
        best = None
        for _ in range(3):
            answer = json.loads(subprocess.run([executable], input=request, capture_output=True, text=True).stdout)
            time = answer["stats"]["elapsed_ms"]
            best = time if best is None else min(best, time)
        result = answer["result"] or {"objective": float("nan"), "iterations": 0, "residuals": None}
        difference = abs(result["objective"] - case["objective"]) / max(1, abs(case["objective"])) if result["objective"] is not None else float("nan")
        gap = (result["residuals"] or {}).get("duality_gap", float("nan"))
        lines.append(
            f"| {case['name']} | {case['rows']} | {case['columns']} | {case['entries']} | {result['iterations']} | {case['iterations']} | {best:.1f} | {case['ms']:.1f} | "
            f"{case['ms'] / best:.2f} | {difference:.0e} | {abs(gap):.0e} |"
        )
        # The other side waits, so that neither runs while the other is timed.
        peer.stdin.write("next\n")
        peer.stdin.flush()
    return [*lines, ""]


if __name__ == "__main__":
    print("\n".join(table(sys.argv[1], sys.argv[2], False, *sys.argv[3:])))
