"""Makes solve_nonlinear.json: square systems and a solution of each to 30 digits by mpmath.findroot, from where SciPy's `root` arrives.

Run: python3 tests/reference/solve_nonlinear.py

Without `x`, the point where SciPy ends is no solution. Problems with numbers: J. J. Moré, B. S. Garbow, K. E. Hillstrom, "Testing Unconstrained Optimization Software", ACM TOMS 7, 1981. `scipy` says
whether `scipy.optimize.root` (hybr) arrives from the start. `singular`: the Jacobian is singular at the solution. `none`: there is no solution.
"""
import json
import re
from pathlib import Path

import mpmath as mp
import numpy as np
from scipy import optimize

mp.mp.dps = 40
CASES = []
NUMPY = {name: getattr(np, name) for name in ("sin", "cos", "exp", "log", "sqrt", "pi")} | {"atan": np.arctan, "where": lambda c, a, b: a if c else b}
MPMATH = {name: getattr(mp, name) for name in ("sin", "cos", "exp", "log", "sqrt", "pi", "atan")} | {"where": lambda c, a, b: a if c else b, "mpf": mp.mpf}


def function(texts, names, quote=False):
    def prepared(text):
        text = re.sub(r"\bif\(", "where(", text)
        text = re.sub(r"\bx(\d+)\b", r"x[\1]", text)
        return re.sub(r"(?<![\w.\[])(\d+\.?\d*(?:e[+-]?\d+)?)(?!\])", r"mpf('\1')", text) if quote else text
    return eval("lambda x: [" + ",".join(prepared(text) for text in texts) + "]", dict(names))


def add(name, system, x0, singular=False, solution=None, none=False):
    f = function(system, NUMPY)
    with np.errstate(all="ignore"):
        found = optimize.root(lambda x: np.array(f(x), float), np.array(x0, float), tol=1e-13)
    case = dict(name=name, system=system, x0=[float(x) for x in x0], scipy=bool(found.success), singular=singular, none=none)
    if solution is not None:
        case["x"] = [float(x) for x in solution]
    elif not none:
        g = function(system, MPMATH, True)
        start = [mp.mpf(float(x)) for x in found.x]
        if len(start) == 1:
            case["x"] = [float(mp.findroot(lambda x: g([x])[0], start[0]))]
        else:
            try:
                case["x"] = [float(x) for x in mp.findroot(lambda *x: g(x), start, tol=mp.mpf(10) ** -60, maxsteps=40)]
            except (ValueError, ZeroDivisionError):
                pass  # SciPy ends at no solution: no `x`
    CASES.append(case)


def total(terms):
    return "(" + "+".join(terms) + ")"


add("1 Rosenbrock", ["10*(x1-x0**2)", "1-x0"], [-1.2, 1])
add("2 Freudenstein and Roth", ["-13+x0+((5-x1)*x1-2)*x1", "-29+x0+((x1+1)*x1-14)*x1"], [15, -2], solution=[5, 4])
add("3 Powell badly scaled", ["1e4*x0*x1-1", "exp(-x0)+exp(-x1)-1.0001"], [0, 1])
add("7 Helical valley", ["10*(x2-10*(atan(x1/x0)/(2*pi)+if(x0>0,0,0.5)))", "10*(sqrt(x0**2+x1**2)-1)", "x2"], [-1, 0, 0], solution=[1, 0, 0])
add("13 Powell singular", ["x0+10*x1", "sqrt(5)*(x2-x3)", "(x1-2*x2)**2", "sqrt(10)*(x0-x3)**2"], [3, -1, 0, 1], singular=True, solution=[0, 0, 0, 0])
n = 10
add("26 Trigonometric 10", [f"{n}-{total(f'cos(x{j})' for j in range(n))}+{i + 1}*(1-cos(x{i}))-sin(x{i})" for i in range(n)], [1 / n] * n)
add("27 Brown almost linear 10", [f"x{i}+{total(f'x{j}' for j in range(n))}-{n + 1}" for i in range(n - 1)] + ["*".join(f"x{j}" for j in range(n)) + "-1"], [0.5] * n)
h = "(1/11)"
add("28 Discrete boundary value 10", [f"2*x{i}-{f'x{i - 1}' if i else '0'}-{f'x{i + 1}' if i < n - 1 else '0'}+{h}**2*(x{i}+{i + 1}*{h}+1)**3/2" for i in range(n)],
    [(i + 1) / 11 * ((i + 1) / 11 - 1) for i in range(n)])
t = lambda i: f"({i + 1}/11)"
cube = lambda j: f"(x{j}+{t(j)}+1)**3"
add("29 Discrete integral equation 10", [
    f"x{i}+{h}*((1-{t(i)})*{total(f'{t(j)}*{cube(j)}' for j in range(i + 1))}+{t(i)}*{total([f'(1-{t(j)})*{cube(j)}' for j in range(i + 1, n)] or ['0'])})/2" for i in range(n)],
    [(i + 1) / 11 * ((i + 1) / 11 - 1) for i in range(n)])
add("30 Broyden tridiagonal 10", [f"(3-2*x{i})*x{i}-{f'x{i - 1}' if i else '0'}-2*{f'x{i + 1}' if i < n - 1 else '0'}+1" for i in range(n)], [-1] * n)
add("31 Broyden banded 10", [f"x{i}*(2+5*x{i}**2)+1-{total([f'x{j}*(1+x{j})' for j in range(max(0, i - 5), min(n, i + 2)) if j != i])}" for i in range(n)], [-1] * n)


def chebyquad(n):
    texts = []
    for i in range(1, n + 1):
        c = [[1], [1, 0]]
        for _ in range(i - 1):
            a, b = [2 * v for v in c[-1]] + [0], [0, 0] + c[-2]
            c.append([p - q for p, q in zip(a, b)])
        poly = lambda x: "(" + "+".join(f"({v})*(2*{x}-1)**{i - k}" if k < i else f"({v})" for k, v in enumerate(c[i]) if v) + ")"
        integral = "0" if i % 2 else f"(1/({i}**2-1))"
        texts.append(f"{total(poly(f'x{j}') for j in range(n))}/{n}+{integral}")
    return texts


for n in (5, 6, 7):
    add(f"35 Chebyquad {n}", chebyquad(n), [j / (n + 1) for j in range(1, n + 1)])
add("circle and line", ["x0**2+x1**2-25", "x0-x1+1"], [2, 5], solution=[3, 4])
add("two conics", ["x0**2+2*x1**2-22", "-2*x0**2+x0*x1-3*x1+11"], [4, -6])
add("exponentials", ["exp(x0)+x1-3", "x0+exp(x1)-4"], [0, 0])
add("three unknowns", ["3*x0-cos(x1*x2)-0.5", "x0**2-81*(x1+0.1)**2+sin(x2)+1.06", "exp(-x0*x1)+20*x2+(10*pi-3)/3"], [0.1, 0.1, -0.1])
add("chemical equilibrium", ["x0*x1-1e-4*(x2)", "x0+x2-1", "x1+x2-0.5"], [0.5, 0.1, 0.4])
add("Kepler", ["x0-0.9*sin(x0)-0.1"], [1])
add("scales of 1e-10 and 1e10", ["1e10*x0-3", "x0*x1-6"], [1e-10, 1e10], solution=["3e-10", "2e10"])
add("equations of 1e-200", ["1e-200*(x0**2+x1-3)", "1e-200*(x0-x1**2+1)"], [1, 1])
add("double root", ["x0**2-2*x1+1", "x0-x1"], [3, 2], singular=True, solution=[1, 1])
add("no solution", ["x0**2+1"], [3], none=True)
add("no solution, circles apart", ["x0**2+x1**2-1", "(x0-5)**2+x1**2-1"], [1, 2], none=True)
add("at infinity", ["exp(-x0)"], [1], none=True)
add("two-link arm", ["cos(x0)+0.7*cos(x0+x1)-1.2", "sin(x0)+0.7*sin(x0+x1)-0.8"], [0.1, 1])
add("heat exchanger", ["x0-0.5*(1+exp(-x1))", "x1-2*x0/(1+x0)", "x2-x0*x1"], [1, 1, 1])

Path(__file__).with_suffix(".json").write_text("[\n" + ",\n".join(json.dumps(case) for case in CASES) + "\n]\n")
