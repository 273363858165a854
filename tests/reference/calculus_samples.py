"""Makes the reference values of `calculus_samples.json`: integrals and derivatives of samples with SciPy, derivatives of expressions with mpmath.

    pip install scipy mpmath && python3 tests/reference/calculus_samples.py

The form is that of `make.py`.
"""

import json
from pathlib import Path

import numpy as np
from mpmath import mp
from scipy.integrate import cumulative_simpson, cumulative_trapezoid, simpson, trapezoid
from scipy.interpolate import CubicSpline, PchipInterpolator
from scipy.signal import savgol_filter

mp.dps = 40
here = Path(__file__).resolve().parent
cases = []


def case(title, tool, args, checks, source, tolerance=1e-12):
    made = [{"at": at, "expected": [float(v) for v in np.atleast_1d(value)], "tolerance": tolerance} for at, value in checks]
    cases.append({"title": title, "tool": tool, "args": args, "checks": made, "source": source})


rng = np.random.default_rng(1)
for n in (2, 3, 4, 5, 8, 51, 100):
    for spacing in ("even", "uneven"):
        x = np.linspace(0, 2, n) if spacing == "even" else np.sort(rng.uniform(-1, 3, n))
        y = np.exp(np.sin(2 * x)) + 0.1 * x
        args = {"x": x.tolist(), "y": y.tolist(), "cumulative": True}
        title = f"{n} samples, {spacing}"
        case(title, "integrate_samples", {**args, "method": "trapezoid"}, [("/integral", trapezoid(y, x)), ("/cumulative", cumulative_trapezoid(y, x, initial=0))], "SciPy trapezoid")
        if n > 2:
            case(title, "integrate_samples", {**args, "method": "simpson"}, [("/integral", simpson(y, x=x)), ("/cumulative", cumulative_simpson(y, x=x, initial=0))], "SciPy simpson", 1e-10 if spacing == "uneven" else 1e-12)
            spline, pchip = CubicSpline(x, y), PchipInterpolator(x, y)
            tolerance = 1e-9 if spacing == "uneven" else 1e-12
            case(title, "integrate_samples", {**args, "method": "spline"}, [("/integral", spline.integrate(x[0], x[-1]))], "SciPy CubicSpline", tolerance)
            case(title, "integrate_samples", {**args, "method": "pchip"}, [("/integral", pchip.integrate(x[0], x[-1]))], "SciPy PchipInterpolator")
            if 3 < n:
                case(title, "differentiate", {"x": args["x"], "y": args["y"], "method": "spline"}, [("/derivatives", spline(x, 1))], "SciPy CubicSpline", tolerance)
                case(title, "differentiate", {"x": args["x"], "y": args["y"], "method": "spline", "order": 2}, [("/derivatives", spline(x, 2))], "SciPy CubicSpline", 10 * tolerance)
            if n > 4:
                case(title, "differentiate", {"x": args["x"], "y": args["y"], "accuracy": 2}, [("/derivatives", np.gradient(y, x, edge_order=2))], "NumPy gradient, edge_order 2", 1e-10)

x = np.linspace(0, 1, 41)
y = np.sin(5 * x) + 0.01 * rng.standard_normal(41)
for window, degree, order in ((5, 2, 1), (7, 3, 1), (11, 4, 2), (21, 5, 3)):
    expected = savgol_filter(y, window, degree, deriv=order, delta=1 / 40, mode="interp")
    case(f"Savitzky-Golay {window}, {degree}, {order}", "differentiate", {"x": x.tolist(), "y": y.tolist(), "method": "savitzky_golay", "window": window, "degree": degree, "order": order}, [("/derivatives", expected)], "SciPy savgol_filter, mode interp", 1e-8)

FORMULAS = [
    ("exp(sin(x))", lambda x: mp.exp(mp.sin(x)), 0.7),
    ("log(1+x**2)/x", lambda x: mp.log(1 + x**2) / x, 1.3),
    ("tan(x)*sqrt(x)", lambda x: mp.tan(x) * mp.sqrt(x), 0.9),
    ("x**x", lambda x: x**x, 2.1),
    ("gamma(x)", lambda x: mp.gamma(x), 3.3),
    ("erf(x)*atan(x)", lambda x: mp.erf(x) * mp.atan(x), -0.4),
    ("besselj0(3*x)", lambda x: mp.besselj(0, 3 * x), 1.1),
    ("1/(1+25*x**2)", lambda x: 1 / (1 + 25 * x**2), 0.23),
]
for text, function, at in FORMULAS:
    for order in (1, 2, 3, 5, 8):
        if text == "gamma(x)" and order > 2:
            continue
        expected = mp.taylor(function, mp.mpf(at), order)[order] * mp.factorial(order)
        case(f"{text}, order {order}", "differentiate", {"f": text, "at": at, "order": order}, [("/derivative", expected)], "mpmath", 1e-11)
(here / "calculus_samples.json").write_text(json.dumps(cases, indent=1) + "\n")
print(len(cases), "cases")
