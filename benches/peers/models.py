"""The table of models: gradients over columns of data, fits and differential equations beside NumPy, SciPy and CVODE.

    python3 benches/peers/models.py MODELS MATHCHAIN PYTHON     the table alone: the built program of `benches/models.rs`, a built `mathchain`,
                                                                 and a Python with the packages of requirements.txt; `--quick` for fewer runs
"""

import json
import math
import os
import random
import statistics
import subprocess
import sys
from pathlib import Path

PEERS = Path(__file__).resolve().parent
REFERENCE = PEERS.parents[1] / "tests" / "reference"
ONE_THREAD = {name: "1" for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "RAYON_NUM_THREADS")}
MODELS = [
    ("least_squares", "`sum((a*exp(-b*t) + c + d*sin(w*t) - y)**2)`"),
    ("normal", "`sum(normal_lpdf(y, a + b*t + c*u + d*v, exp(s)))`"),
    ("mixture", "`sum(logsumexp(log(p) + normal_lpdf(y, m, exp(s)), log1p(-p) + normal_lpdf(y, n, exp(u))))`"),
    ("choice", "`eta = a*t + b*u + c*v + d*w + e*z; dot(y, eta) - sum(y)*logsumexp(eta)`"),
]
WAYS = {"least_squares_rows": "by columns", "normal_rows": "by columns", "mixture_rows": "by columns", "blocks": "by columns in blocks of 8,192 rows"}
WAYS |= {"normal_matrix": "matrix and vector", "choice_matrix": "matrix and vector"}
RTOLS = [10.0**-power for power in range(2, 13)]
SHOWN = (1e-6, 1e-9)
ERRORS = (1e-5, 1e-8)
# Without the estimate of the error, as the peers are.
ALONE = "auto, alone"
NOT_STIFF = (["auto", ALONE, "tsit5"], ["RK45", "DOP853", "LSODA", "LSODA, C", "CVODE, C", "Boost Dopri5, C++", "Boost Fehlberg78, C++"])
STIFF = (["auto", ALONE, "radau", "bdf", "rodas4"], ["LSODA", "BDF", "Radau", "LSODA, C", "CVODE, C"])
# Twenty seconds for one run end the line of a method.
LONGEST_MS = 20_000
HEAT = 1000
HEAT_END = 0.1


def heat_start(rates=lambda mode: 1.0):
    """Three modes of the second difference; each decays by itself, at a rate known in closed form."""
    sizes = {1: 1.0, 3: 0.5, 10: 0.25}
    wave = lambda mode, i: math.sin(mode * math.pi * (i + 1) / (HEAT + 1))
    return [sum(size * rates(mode) * wave(mode, i) for mode, size in sizes.items()) for i in range(HEAT)]


def heat_rate(mode):
    return math.exp(-HEAT_END * (2 * (HEAT + 1) * math.sin(mode * math.pi / 2 / (HEAT + 1))) ** 2)


def heat_system():
    at = lambda i: f"y{i}" if 0 <= i < HEAT else "0"
    return [f"{(HEAT + 1) ** 2}*({at(i - 1)}-2*y{i}+{at(i + 1)})" for i in range(HEAT)]


# Title, name, system, start, end; the solution there with its source; atol / rtol; whether stiff; whether errors are relative by component.
# Test Set: F. Mazzia, C. Magherini, "Test Set for Initial Value Problem Solvers", release 2.4, University of Bari, 2008.
EQUATIONS = [
    ("Lorenz, t = 5", "lorenz", ["10*(y1-y0)", "y0*(28-y2)-y1", "y0*y1-8/3*y2"], [1, 1, 1], 5,
     # Taylor series of degree 40, 1,000 steps, in mpmath with 50 digits.
     [-6.512113699419599, -6.9740427884170761, 23.92412957210337], 1, False, False),
    ("Kepler, e = 0.5, t = 50", "kepler", ["y2", "y3", "-y0/(y0**2+y1**2)**1.5", "-y1/(y0**2+y1**2)**1.5"], [0.5, 0, 0, 1.7320508075688773], 50,
     # Kepler's equation in mpmath with 50 digits.
     [0.37311581753022594, -0.422198504123231, 0.86524036382432023, 1.3420021155501059], 1, False, False),
    ("Van der Pol, mu = 1000, t = 2000", "van_der_pol", ["y1", "1000*(1-y0**2)*y1-y0"], [2, 0], 2000,
     # Test Set, the velocity in the time of this form.
     [1.706167732170483, -0.8928097010247975e-3], 1e-3, True, True),
    ("Robertson, t = 1e11", "robertson", ["-0.04*y0+1e4*y1*y2", "0.04*y0-1e4*y1*y2-3e7*y1**2", "3e7*y1**2"], [1, 0, 0], 1e11,
     # Test Set.
     [0.20833401497012e-7, 0.83333607703344e-13, 0.99999997916665], 1e-11, True, True),
    ("HIRES, t = 321.8122", "hires",
     ["-1.71*y0+0.43*y1+8.32*y2+0.0007", "1.71*y0-8.75*y1", "-10.03*y2+0.43*y3+0.035*y4", "8.32*y1+1.71*y2-1.12*y3", "-1.745*y4+0.43*y5+0.43*y6",
      "-280*y5*y7+0.69*y3+1.71*y4-0.43*y5+0.69*y6", "280*y5*y7-1.81*y6", "-280*y5*y7+1.81*y6"], [1, 0, 0, 0, 0, 0, 0, 0.0057], 321.8122,
     # Test Set.
     [0.7371312573325668e-3, 0.1442485726316185e-3, 0.5888729740967575e-4, 0.1175651343283149e-2, 0.2386356198831331e-2, 0.6238968252742796e-2,
      0.2849998395185769e-2, 0.2850001604814231e-2], 1e-4, True, True),
    ("heat equation by lines, 1,000 unknowns", "heat", heat_system(), heat_start(), HEAT_END,
     # Closed form of the system of 1,000 equations.
     heat_start(heat_rate), 1, True, False),
]  # fmt: skip


class Peer:
    """A process that answers lines with JSON lines."""

    def __init__(self, command, **env):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=dict(os.environ, **env))

    def ask(self, line):
        line = line if isinstance(line, str) else json.dumps(line)
        try:
            self.process.stdin.write(line + "\n")
            self.process.stdin.flush()
            return json.loads(self.process.stdout.readline())
        except (BrokenPipeError, json.JSONDecodeError):
            raise SystemExit(f"{self.process.args}: no answer to {line[:300]}") from None

    def close(self):
        self.process.stdin.close()
        self.process.wait()


class Ours:
    """`mathchain serve --jsonl`, a process that stays up for each number of threads."""

    def __init__(self, executable, env):
        self.command = [str(executable), "--config", str(PEERS / "mathchain.toml"), "serve", "--jsonl"]
        self.env, self.sides = env, {}

    def call(self, tool, args, threads=1):
        """The result of a tool, and its time within the process in milliseconds."""
        if threads not in self.sides:
            self.sides[threads] = Peer(self.command, **self.env, RAYON_NUM_THREADS=str(threads))
        answer = self.sides[threads].ask({"id": 1, "tool": tool, "args": args})
        return answer["output"], answer["metadata"]["elapsed_ms"]

    def close(self):
        for side in self.sides.values():
            side.close()


def shown(value):
    return f"{value:.3g}" if value < 1000 else f"{value:.0f}"


def ratio_of(peer, ours):
    return f"{peer / ours:.2g}" if peer < 99 * ours else f"{peer / ours:.0f}"


def gradients(program, python, quick):
    rounds, seconds = (3, 0.5) if quick else (9, 1.0)
    one, two = Peer([program, "1"]), Peer([program, "2"])
    peer = Peer([python, str(PEERS / "models_peer.py")], **ONE_THREAD)
    lines = [
        "Value and gradient of an objective of 100,000 rows and 5 parameters, microseconds, in "
        f"{rounds} rounds, the sides in turns. NumPy: the gradient written by hand, what is shared computed once, in arrays that stay between the calls; the fastest of "
        "the ways that suit the model (whole columns, blocks that stay in the cache, products with a matrix), one thread. Times of one thread are medians of the processor's; with two threads the least on the clock, its ratio to the least of NumPy. "
        "Digits: to which the values agree.",
        "",
        "| objective | mathchain | NumPy | ratio | mathchain, 2 threads | ratio | digits | fastest way of NumPy |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for model, text in MODELS:
        print(f"models {model}", flush=True)
        rows = [(one.ask(f"{model} {seconds}"), peer.ask({"kind": "gradient", "model": model, "seconds": seconds}), two.ask(f"{model} {seconds}")) for _ in range(rounds)]
        ours, theirs = (statistics.median(answer["median_us"] for answer in side) for side in list(zip(*rows))[:2])
        fast, both = (min(answer["min_us"] for answer in side) for side in list(zip(*rows))[1:])
        first, second, _ = rows[-1]
        scale = max(abs(value) for value in second["values"])
        digits = min(-math.log10(max(abs(a - b) / max(abs(b), 1e-3 * scale), 1e-16)) for a, b in zip(first["values"], second["values"]))
        lines.append(f"| {text} | {shown(ours)} | {shown(theirs)} | {theirs / ours:.1f} | {shown(both)} | {fast / both:.1f} | {digits:.0f} | {WAYS[second['way']]} |")
    for side in (one, two, peer):
        side.close()
    return [*lines, ""]


def agrees(estimates, certified):
    return all(abs(found - true) <= 1e-6 * abs(true) for found, true in zip(estimates, certified))


def nist(ours, peer, rounds):
    """By method: how many of the 54 runs are solved, and the time of all."""
    document = json.loads((REFERENCE / "strd.json").read_text())
    sides = ["`curve_fit`", "SciPy `curve_fit`, `lm`", "SciPy `least_squares`, `trf`"]
    solved, times = {side: 0 for side in sides}, {side: 0.0 for side in sides}
    runs = 0
    for problem in document["problems"]:
        certified = [problem["certified"][name][0] for name in sorted(problem["certified"])]
        for start in problem["start"]:
            runs += 1
            found = {side: [] for side in sides}
            for _ in range(rounds):
                result, ms = ours.call("curve_fit", {"model": problem["model"], "data": problem["data"], "start": start, "plot": False})
                found[sides[0]].append(([term["estimate"] for term in result["parameters"]] if result else [math.inf] * len(certified), ms))
                for side, method in zip(sides[1:], ("lm", "trf")):
                    answer = peer.ask({"kind": "fit", "model": problem["model"], "data": problem["data"], "start": start, "method": method})
                    found[side].append((answer["estimates"], answer["ms"]))
            for side, answers in found.items():
                solved[side] += agrees(answers[-1][0], certified)
                times[side] += min(ms for _, ms in answers)
    return [(side, f"{solved[side]} of {runs}", times[side]) for side in sides]


def large_fit(ours, peer, rounds):
    rng = random.Random(5)
    t = [rng.uniform(0, 5) for _ in range(100_000)]
    y = [3 * math.exp(-0.7 * v) + 1 + 0.5 * math.sin(2.3 * v) + rng.gauss(0, 0.1) for v in t]
    start = {"a": 2.0, "b": 1.0, "c": 0.5, "d": 0.3, "w": 2.0}
    args = {"model": "a*exp(-b*t) + c + d*sin(w*t)", "data": {"t": t, "y": y}, "start": start, "plot": False}
    found = {}
    for _ in range(rounds):
        for threads, name in ((1, "`curve_fit`, 1 thread"), (2, "`curve_fit`, 2 threads")):
            result, ms = ours.call("curve_fit", args, threads)
            found.setdefault(name, []).append(([term["estimate"] for term in result["parameters"]], ms))
        for jacobian, name in ((True, "SciPy `curve_fit`, `lm`, Jacobian by hand"), (False, "SciPy `curve_fit`, `lm`")):
            answer = peer.ask({"kind": "large_fit", "data": args["data"], "start": list(start.values()), "jacobian": jacobian})
            found.setdefault(name, []).append((answer["estimates"], answer["ms"]))
    first = next(iter(found.values()))[-1][0]
    for name, answers in found.items():
        if not all(abs(a - b) <= 1e-5 * abs(b) for a, b in zip(answers[-1][0], first)):
            raise SystemExit(f"{name} ends at {answers[-1][0]}, not at {first}")
    return [(name, "1 of 1", min(ms for _, ms in answers)) for name, answers in found.items()]


def fits(process, python, quick):
    rounds = 1 if quick else 5
    peer = Peer([python, str(PEERS / "models_peer.py")], **ONE_THREAD)
    lines = [
        f"Fits: milliseconds within the process, the least time of {rounds} rounds for each fit, the sides in turns, one thread where no number is given. Solved: every estimate to 6 digits of the certified "
        "one. mathchain reads and differentiates the model in its time, and computes covariance, intervals and bands; SciPy has the model as a function of NumPy, takes differences but in the row "
        "that says otherwise, and has tolerances of 1e-12 for the 54 runs and those it comes with for the large fit.",
        "",
        "| fits | method | solved | ms | ratio |",
        "|---|---|---|---|---|",
    ]
    groups = [("the 27 nonlinear problems of NIST (StRD), both starts", nist), ("`a*exp(-b*t) + c + d*sin(w*t)`, 100,000 rows", large_fit)]
    for title, measure in groups:
        print(f"models {title}", flush=True)
        rows = measure(process, peer, rounds)
        for name, solved, ms in rows:
            ratio = f"{ms / rows[0][2]:.1f}" if name.startswith("SciPy") else ""
            lines.append(f"| {title} | {name} | {solved} | {shown(ms)} | {ratio} |")
    peer.close()
    return [*lines, ""]


def error(found, end, by_component):
    if found is None or not all(math.isfinite(value) for value in found):
        return math.inf
    largest = max(abs(value) for value in end)
    return max(abs(a - b) / (abs(b) if by_component else largest) for a, b in zip(found, end))


def time_at(line, target):
    """Milliseconds at an error, on the line of log time against log error; the least where the line passes it more than once. Those of
    the loosest tolerance where its error is less already."""
    found = [line[0][2]] if line[0][1] <= target else []
    for (_, more, first, *_), (_, less, second, *_) in zip(line, line[1:]):
        if more >= target >= less > 0 and more > less:
            part = math.log(more / target) / math.log(more / less)
            found.append(math.exp(math.log(first) + part * math.log(second / first)))
    return min(found, default=None)


def one_run(processes, side, equation, rtol):
    """Error, milliseconds, steps, evaluations."""
    _, name, system, start, end, solution, atol, stiff, by_component = equation
    whose, method = side
    ours, rust, peer = processes
    if whose == "Rust":
        answer = rust.ask({"problem": name, "method": method, "y0": start, "end": end, "rtol": rtol, "atol": atol * rtol})
        return error(answer["y"], solution, by_component), answer["ms"], answer["steps"], answer["evaluations"]
    if whose == "mathchain":
        args = {"system": system, "y0": start, "t_span": [0, end], "t_eval": [end], "rtol": rtol, "atol": atol * rtol, "max_steps": 1_000_000}
        args |= {"method": "auto", "error_estimate": False} if method == ALONE else {"method": method}
        result, ms = ours.call("solve_ode", args)
        if not result:
            raise SystemExit(f"{name}, {method}: no result")
        stats = result["stats"]
        y = result["y"][-1] if result["completed"] else None
        return error(y, solution, by_component), ms, stats["steps"], stats["function_evals"] + stats["extra_evals"]
    request = {"kind": "equation", "problem": name, "method": method, "y0": start, "end": end, "rtol": rtol, "atol": atol * rtol, "stiff": stiff}
    answer = peer.ask(request)
    return error(answer["y"], solution, by_component), answer["ms"], answer["steps"], answer["evaluations"]


def line_of_work(processes, equation, sides, rounds):
    """By side its points (rtol, error, ms, steps, evaluations), from loose to tight; every round has all tolerances, so that a slow minute is one of all."""
    found = {side: {rtol: [] for rtol in RTOLS} for side in sides}
    ended = {}
    for index in range(rounds):
        for rtol in RTOLS:
            for side in sides:
                runs = found[side][rtol]
                # A long run is disturbed less.
                if rtol < ended.get(side, 0) or any(index >= most and runs[0][1] > ms for most, ms in ((7, 50), (3, 500), (1, 3000)) if runs):
                    continue
                runs.append(one_run(processes, side, equation, rtol))
                if runs[-1][1] > LONGEST_MS:
                    ended[side] = rtol
    return {side: [(rtol, runs[-1][0], min(run[1] for run in runs), *runs[-1][2:]) for rtol, runs in points.items() if runs] for side, points in found.items()}


def equations(program, process, python, quick):
    rounds = 1 if quick else 15
    rust = Peer([program, "1"])
    peer = Peer([python, str(PEERS / "models_peer.py")], **ONE_THREAD)
    known = peer.ask({"kind": "methods"})["methods"]
    native = "The rows with C have the right-hand side in C, compiled by gcc: LSODA is SciPy's and calls it through ctypes, CVODE (SUNDIALS 7, as in the wheel of scikit-SUNDAE) is called from C without "
    native += "Python in between, with Adams methods where the problem is not stiff, BDF where it is, and Jacobians by differences."
    absent = "CVODE was not compared: it takes gcc and scikit-SUNDAE."
    boost = " The rows with C++ are Boost odeint with adaptive steps, the right-hand side compiled into it by g++." if any(method.startswith("Boost") for method in known) else ""
    lines = [
        f"Differential equations: the least time of up to {rounds} rounds, the sides and tolerances in turns, one thread; that of mathchain within the process, reading and differentiating the expressions included, and a second "
        "integration for its estimate of the error, which the rows `auto`, alone leave out, as all peers do. Right-hand sides of SciPy are functions of Python. The heat equation has a band of 3 diagonals on every side: found by mathchain, given to the others. "
        "Error at the end: relative, by component for the stiff problems of few unknowns, of the largest component for the others. ms at an error: on the line of log time against log error through "
        f"relative tolerances of 1e-2 to 1e-12, since equal tolerances give unequal errors; that of the loosest tolerance where its error is less already, \"-\" where the tightest does not reach it. Ratio = ms of the row / ms of `auto`. {native if 'CVODE, C' in known else absent}{boost}",
        "",
        "| problem | method | rtol 1e-6: ms | error | steps | evaluations | rtol 1e-9: ms | error | steps | evaluations | ms at error 1e-5 | ratio | ms at error 1e-8 | ratio |",
        "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    compiled = [
        "The same with compiled right-hand sides on both sides: mathchain as a library, its `auto` with a function in Rust, Jacobians by differences; of the same rounds, the right-hand sides formula by formula those of the peers.",
        "",
        "| problem | method | ms at error 1e-5 | ratio | ms at error 1e-8 | ratio |",
        "|---|---|---|---|---|---|",
    ]
    for equation in EQUATIONS:
        title, stiff = equation[0], equation[7]
        print(f"models {title}", flush=True)
        ours, theirs = STIFF if stiff else NOT_STIFF
        sides = [("mathchain", method) for method in ours] + [("Rust", "auto")] + [("peer", method) for method in theirs if method in known]
        work = line_of_work((process, rust, peer), equation, sides, rounds)
        best = [time_at(work[sides[0]], target) for target in ERRORS]
        least = [time_at(work["Rust", "auto"], target) for target in ERRORS]
        for side, line in work.items():
            if side[0] == "Rust" or side[1].startswith(("CVODE", "Boost")):
                times = [(time_at(line, target), base) for target, base in zip(ERRORS, least)]
                cells = [cell for ms, base in times for cell in (shown(ms) if ms else "-", ratio_of(ms, base) if ms and side[0] == "peer" else "")]
                compiled.append(f"| {title} | {'`auto`, Rust' if side[0] == 'Rust' else side[1]} | {' | '.join(cells)} |")
            if side[0] == "Rust":
                continue
            cells = []
            for rtol in SHOWN:
                point = next((point for point in line if math.isclose(point[0], rtol)), None)
                cells += [shown(point[2]), f"{point[1]:.1e}", str(point[3]), str(point[4])] if point else ["-"] * 4
            for target, base in zip(ERRORS, best):
                ms = time_at(line, target)
                cells += [shown(ms) if ms else "-", ratio_of(ms, base) if ms and base and side != sides[0] else ""]
            method, *language = side[1].split(", ")
            name = method if method.startswith(("CVODE", "Boost")) else f"`{method}`" if side[0] == "mathchain" else f"SciPy `{method}`"
            lines.append(f"| {title} | {', '.join([name, *language])} | {' | '.join(cells)} |")
    peer.close()
    rust.close()
    return [*lines, "", *compiled, ""]


def sweep(process, quick):
    """A sweep with one thread and with two: least times, the numbers of threads in turns."""
    args = {"system": EQUATIONS[0][2], "y0": [1, 1, 1], "t_span": [0, 20], "t_eval": [20], "rtol": 1e-9, "sweep": [{"y0": [1 + run * 1e-3, 1, 1]} for run in range(1000)]}
    print("models sweep", flush=True)
    rounds = [[process.call("solve_ode", args, threads) for threads in (1, 2)] for _ in range(2 if quick else 7)]
    if any(len({json.dumps(output["sweep"]) for output, _ in sides}) > 1 for sides in rounds):
        raise SystemExit("the runs of a sweep depend on the number of threads")
    one, two = (min(ms for _, ms in side) for side in zip(*rounds))
    return [f"A sweep of 1,000 runs of Lorenz' equations to t = 20 at rtol 1e-9, each with its estimate of the error: {shown(one)} ms with one thread, {shown(two)} ms with two, ratio {one / two:.2f}; the same bits.", ""]


def table(program, executable, python, quick, env=os.environ):
    process = Ours(executable, env)
    lines = [
        "## Models, differential equations and fits",
        "",
        "Compared: models, fits and equations given to mathchain as texts, with what a user of NumPy and SciPy writes for them, and with CVODE and Boost odeint, compiled libraries. Not compared: compilers of gradients "
        "(JAX, Stan) and the solvers of Julia; SciPy with exact Jacobians but in the row that says so; solutions between the end points, events and sensitivities. Each table is one run on a "
        "machine that other work may share: its ratios count more than its times. Fits and solutions of all sides are of processes that stay up; those of mathchain are calls of `serve --jsonl` with their check, policy and record, and take about 1 ms more where they are the first of a process.",
        "",
    ]
    lines += gradients(program, python, quick)
    lines += fits(process, python, quick)
    lines += equations(program, process, python, quick)
    lines += sweep(process, quick)
    process.close()
    return lines


if __name__ == "__main__":
    print("\n".join(table(*sys.argv[1:4], "--quick" in sys.argv)))
