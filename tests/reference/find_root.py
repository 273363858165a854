"""Makes find_root.json: functions, intervals and their roots to 50 digits by mpmath 1.3, rounded to doubles.

Run: python3 tests/reference/find_root.py

`multiple`: the function is flat at the root, so that rounding moves it. `all`: every root in the interval. `complete`: whether a proof of completeness is expected. `left`: kinds of places that are expected beside the
roots. Numbers in the texts mean what they say in decimals. Test functions: G. E. Alefeld, F. A. Potra, Y. Shi, ACM TOMS 21, 1995 (APS), and
T. R. Chandrupatla, Adv. Eng. Softw. 28, 1997.
"""
import json
from pathlib import Path

import mpmath as mp

mp.mp.dps = 50
CASES = []
NAMES = {name: getattr(mp, name) for name in ("sin", "cos", "tan", "exp", "sqrt", "erf", "gamma", "atan", "tanh", "cosh", "pi", "sinh")} | {
    "log": mp.log, "besselj0": lambda x: mp.besselj(0, x), "abs": abs, "floor": mp.floor, "lambertw": mp.lambertw, "erfc": mp.erfc, "asin": mp.asin,
}


def value(text):
    # Decimals become exact.
    import re
    quoted = re.sub(r"(?<![\w.])(\d+\.?\d*(?:e[+-]?\d+)?)", r"mpf('\1')", text)
    return eval("lambda x: " + quoted, NAMES | {"mpf": mp.mpf})


def root(f, low, high):
    """Bisection to 45 digits: no start to choose."""
    low, high = mp.mpf(low), mp.mpf(high)
    a = f(low)
    if a == 0:
        return low
    assert a * f(high) < 0, (low, high)
    for _ in range(1300):
        middle = (low + high) / 2
        if middle in (low, high) or high - low <= mp.mpf(10) ** -45 * abs(middle):
            break
        low, high = (middle, high) if f(middle) * a > 0 else (low, middle)
    return (low + high) / 2


def one(text, low, high, known=None, source="mpmath, bisection at 50 digits", **more):
    x = mp.mpf(known) if known is not None else root(value(text), low, high)
    CASES.append(dict(f=text, **{"from": low, "to": high}, roots=[float(x)], source=source, **more))


def every(text, low, high, roots, complete=True, left=(), source="mpmath, bisection at 50 digits"):
    CASES.append(dict(f=text, **{"from": low, "to": high}, all=True, roots=[float(x) for x in roots], complete=complete, left=list(left), source=source))


one("cos(x)-x", 0, 1)
one("sin(x)-x/2", 1.6, 3)
one("x**3-2*x-5", 2, 3)
one("2*x*exp(-20)-2*exp(-20*x)+1", 0, 1)
one("x**2-(1-x)**20", 0, 1)
one("(1+(1-20)**2)*x-(1-20*x)**2", 0, 0.01)
one("exp(-5*x)*(x-1)+x**5", 0, 1)
one("x**12-0.2", 0, 5)
one("exp(x)-2-1/(10*x)**2+2/(100*x)**3", 0.5, 4)
one("exp(21000/x)/(1.11e11*x*x)-1", 550, 560)
one("x*exp(x)-1", -1, 1)
one("exp(-x)-x", 0, 1)
one("1e-300*(x-3)", 0, 10, 3, "by hand")
one("x-1e-300", -1, 1, "1e-300", "by hand")
one("log(x)", 1e-300, 1e300, 1, "by hand")
one("(x-1)**3", -3, 4, 1, "by hand", multiple=True)
one("x**9", -1, 3, 0, "by hand", multiple=True)
one("erf(x)-0.5", 0, 2)
one("gamma(x)-3", 2, 5)
one("lambertw(x)-1", 0, 5)
one("besselj0(x)", 2, 3)
one("x-0.9*sin(x)-0.1", 0, 3)
one("exp(x)-1e100", 0, 700)
one("tanh(x)-0.999999999999", 0, 30, multiple=True)
one("x**20-1", 0, 10, 1, "by hand")
one("atan(x)-1.5", 0, 1e300)
one("tan(x)-x", 4, 4.6)
one("exp(2*x)-3*exp(x)+1.25", -2, 0.5)
one("cosh(x)*cos(x)+1", 1, 3)

tangent = value("tan(x)-x")
every("tan(x)-x", 0.1, 20, [root(value("sin(x)-x*cos(x)"), k * 3.14159265 + 0.5, k * 3.14159265 + 1.5707) for k in range(1, 6)])
every("sin(x)", -0.5, 99, [k * mp.pi for k in range(32)], source="multiples of pi")
every("x*(x-1)*(x+2)", -4, 3, [-2, 0, 1], source="by hand")
every("x**2+1", -1e10, 1e10, [], source="by hand")
every("1/x", -1, 2, [], source="by hand")
every("1/(x-1)+1/(x+1)", -3, 3, [0], source="by hand")
every("abs(x)-1", -5, 5, [-1, 1], source="by hand")
every("floor(x)-0.5", -2.3, 3.3, [], left=["jump"], source="by hand")
every("(x-1)**2*(x-3)", -2, 5, [1, 3], complete=False, left=["multiple"], source="by hand")
every("(x-1)**3", -2, 5, [1], complete=False, left=["multiple"], source="by hand")
every("exp(x)-1-x", -1, 1.1, [0], complete=False, left=["multiple"], source="by hand")
every("sin(1/x)", 0.01, 1, [1 / (k * mp.pi) for k in range(31, 0, -1)], source="1 / (k pi)")
every("besselj0(x)", 0, 30, [mp.besseljzero(0, k) for k in range(1, 10)], source="mpmath, besseljzero")
every("x**5-3*x+1", -3, 3, [root(value("x**5-3*x+1"), a, b) for a, b in ((-2, -1), (0, 0.5), (1, 2))])
every("sin(x)-x/10", -20, 20, [root(value("sin(x)-x/10"), a, b) for a, b in ((-8.5, -8), (-8, -7), (-3, -2.5))] + [0] + [root(value("sin(x)-x/10"), a, b) for a, b in ((2.5, 3), (7, 8), (8, 8.5))])
# Products below 1e-308 are zero in doubles: the second root cannot be told.
every("x*(x-1e-300)", -1, 1, [0], complete=False, left=["multiple"], source="by hand")
every("log(x)*sin(x)", 0.5, 10, [1, mp.pi, 2 * mp.pi, 3 * mp.pi], source="by hand")
every("cosh(x)*cos(x)+1", 0, 15, [root(value("cosh(x)*cos(x)+1"), a, b) for a, b in ((1, 3), (4, 5), (7, 8.5), (10, 12), (14, 14.5))])
every("(x-1)*(x-2)*(x-3)*(x-4)*(x-5)*(x-6)*(x-7)*(x-8)*(x-9)*(x-10)", 0, 11, range(1, 11), source="by hand")

Path(__file__).with_suffix(".json").write_text("[\n" + ",\n".join(json.dumps(case) for case in CASES) + "\n]\n")
