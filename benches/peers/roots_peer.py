"""One side of the comparison of roots and interpolation: NumPy's and SciPy's results. Reads one request from standard input."""
import json, math, re, statistics, sys, time, warnings
import numpy as np
from scipy import interpolate, optimize, special

warnings.filterwarnings("ignore")
np.seterr(all="ignore")
NAMES = {name: getattr(np, name) for name in ("sin", "cos", "tan", "exp", "log", "sqrt", "pi", "tanh", "cosh", "abs", "floor")} | {
    "atan": np.arctan, "erf": special.erf, "where": lambda c, a, b: a if c else b,
}  # fmt: skip


def timed(call, runs):
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        result = call()
        times.append((time.perf_counter() - start) * 1e3)
    return result, statistics.median(times)


def curve(request):
    x, y, at = (np.array(request[key], float) for key in ("x", "y", "at"))
    make = {"cubic": interpolate.CubicSpline, "pchip": interpolate.PchipInterpolator, "akima": interpolate.Akima1DInterpolator}.get(request["method"])
    values, ms = timed((lambda: make(x, y)(at)) if make else (lambda: np.interp(at, x, y)), request["runs"])
    return {"values": values.tolist(), "ms": ms}


def polynomial(request):
    roots, ms = timed(lambda: np.roots(request["coefficients"]), request["runs"])
    return {"roots": [[z.real, z.imag] for z in roots.astype(complex)], "ms": ms}


def bracket(request):
    method = getattr(optimize, request["method"])
    roots, evaluations, total = [], [], 0
    for case in request["cases"]:
        f = eval("lambda x: " + case["f"], dict(NAMES))
        start = time.perf_counter()
        try:
            x, info = method(lambda x: f(np.float64(x)), case["from"], case["to"], xtol=1e-300, rtol=4 * np.finfo(float).eps, maxiter=2000, full_output=True)
            roots.append(float(x))
            evaluations.append(info.function_calls)
        except (ValueError, RuntimeError, OverflowError, ZeroDivisionError):
            roots.append(None)
            evaluations.append(2000)
        total += (time.perf_counter() - start) * 1e3
    return {"roots": roots, "evaluations": evaluations, "ms": total}


def system(request):
    solved, evaluations, total = [], [], 0
    for case in request["cases"]:
        texts = [re.sub(r"\bx(\d+)\b", r"x[\1]", re.sub(r"\bif\(", "where(", text)) for text in case["system"]]
        f = eval("lambda x: [" + ",".join(texts) + "]", dict(NAMES))
        start = time.perf_counter()
        found = optimize.root(f, case["x0"], method=request["method"], tol=1e-13)
        total += (time.perf_counter() - start) * 1e3
        residual = max(abs(v) for v in f(found.x))
        solved.append(bool(found.success and math.isfinite(residual) and residual <= 1e-8 * max(abs(v) for v in f(np.array(case["x0"], float)))))
        evaluations.append(int(found.nfev))
    return {"solved": solved, "evaluations": evaluations, "ms": total}


request = json.load(sys.stdin)
print(json.dumps({"curve": curve, "polynomial": polynomial, "bracket": bracket, "system": system}[request["what"]](request)))
