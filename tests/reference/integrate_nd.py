"""Makes the reference values of `integrate_nd.json`: the six families of Genz in closed form, with mpmath to 30 digits.

    pip install mpmath && python3 tests/reference/integrate_nd.py

A. Genz, "Testing multidimensional integration routines", in: Tools, Methods and Languages for Scientific and Engineering Computation, 1984.
The parameters a, u of each dimension are fixed fractions; the difficulty is that of the sums of a below.
"""

import itertools
import json
from pathlib import Path

from mpmath import *

mp.dps = 40
here = Path(__file__).resolve().parent
cases = []
SUMS = {"oscillatory": 9, "product peak": 7.25, "corner peak": 1.85, "gaussian": 7.03, "continuous": 20.4, "discontinuous": 4.3}


def parameters(n, total):
    weights = [1 + (7 * k + 3) % 5 for k in range(n)]
    a = [round(total * w / sum(weights), 4) for w in weights]
    u = [round(((3 * k + 1) % 7 + 1) / 9, 4) for k in range(n)]
    return a, u


def case(title, n, f, value, rtol, **more):
    args = {"f": f, "bounds": [[0, 1]] * n, "rtol": rtol, **more}
    cases.append({"title": title, "args": args, "expected": nstr(value, 30), "source": "Genz 1984, closed form"})


for n in (2, 3, 5, 8):
    rtol = {2: 1e-8, 3: 1e-6, 5: 1e-5, 8: 1e-3}[n]
    a, u = parameters(n, SUMS["oscillatory"])
    value = re(exp(mpc(0, 2 * pi * mpf(u[0]))) * fprod((exp(mpc(0, mpf(c))) - 1) / mpc(0, mpf(c)) for c in a))
    case(f"oscillatory, {n}", n, f"cos(2*pi*{u[0]}+" + "+".join(f"{c}*x{k}" for k, c in enumerate(a)) + ")", value, rtol, atol=rtol)
    a, u = parameters(n, SUMS["product peak"])
    value = fprod(mpf(c) * (atan(mpf(c) * (1 - mpf(p))) + atan(mpf(c) * mpf(p))) for c, p in zip(a, u))
    case(f"product peak, {n}", n, "1/(" + "*".join(f"({c}**(-2)+(x{k}-{p})**2)" for k, (c, p) in enumerate(zip(a, u))) + ")", value, rtol)
    a, u = parameters(n, SUMS["corner peak"])
    value = fsum((-1) ** sum(s) / (1 + fsum(mpf(c) for c, t in zip(a, s) if t)) for s in itertools.product((0, 1), repeat=n)) / fprod(map(mpf, a)) / factorial(n)
    case(f"corner peak, {n}", n, "(1+" + "+".join(f"{c}*x{k}" for k, c in enumerate(a)) + f")**(-{n + 1})", value, rtol)
    a, u = parameters(n, SUMS["gaussian"])
    value = fprod(sqrt(pi) / (2 * mpf(c)) * (erf(mpf(c) * (1 - mpf(p))) + erf(mpf(c) * mpf(p))) for c, p in zip(a, u))
    case(f"gaussian, {n}", n, "exp(-(" + "+".join(f"({c}*(x{k}-{p}))**2" for k, (c, p) in enumerate(zip(a, u))) + "))", value, rtol)
    a, u = parameters(n, SUMS["continuous"])
    value = fprod((2 - exp(-mpf(c) * mpf(p)) - exp(-mpf(c) * (1 - mpf(p)))) / mpf(c) for c, p in zip(a, u))
    case(f"continuous, {n}", n, "exp(-(" + "+".join(f"{c}*abs(x{k}-{p})" for k, (c, p) in enumerate(zip(a, u))) + "))", value, 1e-3)
    a, u = parameters(n, SUMS["discontinuous"])
    cut = lambda k: mpf(u[k]) if k < 2 else mpf(1)
    value = fprod((exp(mpf(c) * cut(k)) - 1) / mpf(c) for k, c in enumerate(a))
    case(f"discontinuous, {n}", n, f"if(max(x0-{u[0]}, x1-{u[1]})>0, 0, exp(" + "+".join(f"{c}*x{k}" for k, c in enumerate(a)) + "))", value, 1e-2)

# Sixteen and twenty variables, with moderate parameters.
for n in (16, 20):
    value = fprod((exp(mpf(1) / (k + 1)) - 1) * (k + 1) for k in range(n))
    case(f"exponential of a weighted sum, {n}", n, "exp(" + "+".join(f"x{k}/{k + 1}" for k in range(n)) + ")", value, 1e-4)
cases.append({"title": "triangle", "args": {"f": "x*y", "bounds": [[0, 1], [0, "1-x0"]], "rtol": 1e-8}, "expected": nstr(mpf(1) / 24, 30), "source": "closed form"})
cases.append({"title": "ball", "args": {"f": "1", "bounds": [[-1, 1], ["-sqrt(1-x**2)", "sqrt(1-x**2)"], ["-sqrt(max(1-x**2-y**2,0))", "sqrt(max(1-x**2-y**2,0))"]], "rtol": 1e-4}, "expected": nstr(4 * pi / 3, 30), "source": "closed form"})
cases.append({"title": "Gauss over the plane", "args": {"f": "exp(-x**2-y**2+x*y)", "bounds": [["-inf", "inf"], ["-inf", "inf"]], "rtol": 1e-7}, "expected": nstr(2 * pi / sqrt(mpf(3)), 30), "source": "closed form"})
cases.append({"title": "root in a corner", "args": {"f": "1/sqrt(x*y)", "bounds": [[0, 1], [0, 1]], "rtol": 1e-3}, "expected": "4", "source": "closed form"})
(here / "integrate_nd.json").write_text(json.dumps(cases, indent=1) + "\n")
print(len(cases), "cases")
