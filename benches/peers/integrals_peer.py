"""SciPy's side of the table of integrals: reads cases as JSON, writes value, error, evaluations and milliseconds of each as JSON."""

import json
import math
import sys
import time
import warnings

import numpy as np
from scipy import integrate, special

warnings.filterwarnings("ignore")
np.seterr(all="ignore")
COMMON = {"pi": math.pi, "e": math.e, "besselj0": special.j0, "abs": abs}
SCALAR = {name: getattr(math, name) for name in ("sin", "cos", "tan", "exp", "log", "sqrt", "atan", "floor", "erf")} | {"sign": lambda x: math.copysign(1, x)}
ARRAYS = {name: getattr(np, {"atan": "arctan"}.get(name, name)) for name in ("sin", "cos", "tan", "exp", "log", "sqrt", "atan", "floor", "sign")} | {"erf": special.erf}


def end(value):
    return value if not isinstance(value, str) else {"inf": math.inf, "-inf": -math.inf}.get(value) or eval(value, COMMON | SCALAR)


def timed(call):
    start = time.perf_counter()
    try:
        value, error, count = call()
    except Exception:
        return None
    ms = (time.perf_counter() - start) * 1e3
    return [float(value), float(error), int(count), ms] if math.isfinite(value) and math.isfinite(error) else None


def quad(case, rtol):
    args = case["args"]
    function = eval(f"lambda x: {args['f']}", COMMON | SCALAR)
    points = [end(point) for point in args.get("points", [])] or None

    def call():
        value, error, info = integrate.quad(function, end(args["from"]), end(args["to"]), epsabs=0, epsrel=rtol, limit=500, points=points, full_output=1)[:3]
        return value, error, info["neval"]

    return timed(call)


def tanhsinh(case, rtol):
    args = case["args"]
    function = eval(f"lambda x: {args['f']}", COMMON | ARRAYS)

    def call():
        found = integrate.tanhsinh(lambda x: function(x) + 0 * x, end(args["from"]), end(args["to"]), rtol=rtol, atol=0)
        return found.integral, found.error, found.nfev

    return timed(call)


request = json.load(sys.stdin)
methods = {"quad": quad} | ({"tanhsinh": tanhsinh} if hasattr(integrate, "tanhsinh") else {})
print(json.dumps({name: [method(case, request["rtol"]) for case in request["cases"]] for name, method in methods.items()}))
