"""One side of the comparison of optimisation: SciPy's results as JSON lines. Reads {problems, methods, seeds, budget} from standard input."""
import json, math, re, sys, time, warnings
import numpy as np
from scipy import optimize
from scipy.special import erf

warnings.filterwarnings("ignore")
np.seterr(all="ignore")
NAMES = {name: getattr(np, name) for name in ("sin", "cos", "exp", "log", "sqrt", "sign", "floor")} | {
    "atan": np.arctan, "abs": abs, "max": max, "pi": math.pi, "erf": erf, "where": lambda c, a, b: a if c else b,
}  # fmt: skip


def function(text):
    text = re.sub(r"\bif\(", "where(", text)
    return eval("lambda x: " + re.sub(r"\bx(\d+)\b", r"x[\1]", text), dict(NAMES))


def sides(text):
    left, sign, right = re.match(r"(.*?)(>=|<=|==)(.*)", text).groups()
    return sign, f"({right})-({left})" if sign == "<=" else f"({left})-({right})"


class Counted:
    def __init__(self, call):
        self.call, self.count = call, 0

    def __call__(self, x, *_):
        self.count += 1
        value = float(self.call(x))
        return value if math.isfinite(value) else 1e300


def solve(case, method, seed, budget):
    """The point and the evaluations."""
    rosenbrock = case["objective"] == "rosenbrock"
    f = Counted(optimize.rosen if rosenbrock else function(case["objective"]))
    bounds = case.get("bounds")
    read = [sides(text) for text in case.get("constraints", [])]
    constraints = [{"type": "eq" if sign == "==" else "ineq", "fun": function(text)} for sign, text in read]
    start = time.perf_counter()
    if method == "differential_evolution":
        per = 15 * len(bounds)
        x = optimize.differential_evolution(f, bounds, seed=seed, maxiter=budget // per - 1, tol=1e-12, atol=0, init="latinhypercube").x
    elif method == "dual_annealing":
        x = optimize.dual_annealing(f, bounds, seed=seed, maxfun=budget, maxiter=10**6).x
    elif rosenbrock:
        gradient = Counted(lambda x: 0)
        def both(x):
            gradient.count += 1
            return optimize.rosen_der(x)
        x = optimize.minimize(f, case["x0"], jac=both, method="L-BFGS-B", options={"maxiter": 10_000, "maxfun": 100_000, "ftol": 0, "gtol": 1e-8}).x
        f.count += gradient.count
    else:
        options = {"SLSQP": {"ftol": 1e-12, "maxiter": 1000}, "trust-constr": {"gtol": 1e-8, "xtol": 1e-10, "maxiter": 1000},
                   "L-BFGS-B": {"ftol": 0, "gtol": 1e-8, "maxiter": 1000, "maxfun": 100_000}, "BFGS": {"gtol": 1e-8, "maxiter": 1000}}[method]  # fmt: skip
        extra = {"constraints": constraints, "bounds": bounds} if "constraints" in case else {}
        x = optimize.minimize(f, case["x0"], method=method, options=options, **extra).x
    elapsed = (time.perf_counter() - start) * 1e3
    outside = [max(low - v if low is not None else 0, v - high if high is not None else 0, 0) for v, (low, high) in zip(x, bounds or [])]
    violated = [abs(c["fun"](x)) if c["type"] == "eq" else max(0, -c["fun"](x)) for c in constraints]
    return float(f.call(x)), float(max([0, *outside, *violated])), f.count, elapsed


plan = json.load(sys.stdin)
for method in plan["methods"]:
    for index, case in enumerate(plan["problems"]):
        for seed in plan["seeds"]:
            try:
                value, violation, evaluations, elapsed = solve(case, method, seed, plan["budget"])
            except Exception:  # noqa: BLE001, a failure of the peer is a problem that it does not solve
                value, violation, evaluations, elapsed = math.inf, math.inf, 0, 0.0
            print(json.dumps({"method": method, "problem": index, "f": value, "violation": violation, "evaluations": evaluations, "ms": elapsed}), flush=True)
