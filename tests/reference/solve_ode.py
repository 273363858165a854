"""Makes the reference values of `solve_ode.json` with mpmath at 40 digits: solutions in special functions, and Taylor series.

    pip install mpmath && python3 tests/reference/solve_ode.py

The form is that of `make.py`. Tolerances are 30 times the tolerance of the call, relative to the largest magnitude expected.
"""

import json
from pathlib import Path

import mpmath as mp

mp.mp.dps = 40
RTOL = 1e-9
cases = []


def double(x):
    return float(mp.nstr(mp.mpf(x), 25))


def case(title, tool, args, checks, source):
    if tool == "solve_ode":
        args = {"rtol": RTOL, "atol": 1e-13, **args}
    found = [{"at": at, "expected": [double(v) for v in value], "tolerance": tolerance} for at, value, tolerance in checks]
    cases.append({"title": title, "tool": tool, "args": args, "checks": found, "source": source})


# y'' = t y: the Airy function.
airy = [mp.airyai(-8), mp.airyai(-8, derivative=1)]
start = [double(mp.airyai(2)), double(mp.airyai(2, derivative=1))]
for method in ["auto", "dopri5", "tsit5", "dop853", "radau"]:
    case(f"Airy equation backwards, {method}", "solve_ode",
         {"y0": start, "t_span": [2, -8], "system": ["y1", "t*y0"], "t_eval": [-8], "method": method},
         [("/y/0", airy, 30 * RTOL)], "mpmath airyai")

# t^2 y'' + t y' + t^2 y = 0: the Bessel function.
case("Bessel equation", "solve_ode",
     {"y0": [double(mp.besselj(0, 1)), double(-mp.besselj(1, 1))], "t_span": [1, 50], "system": ["y1", "-y1/t-y0"], "t_eval": [20, 50]},
     [("/y/0", [mp.besselj(0, 20), -mp.besselj(1, 20)], 30 * RTOL), ("/y/1", [mp.besselj(0, 50), -mp.besselj(1, 50)], 30 * RTOL)],
     "mpmath besselj")

# The pendulum passes the bottom after a quarter of its period, K(sin(a/2)^2).
angle = mp.mpf(2)
quarter = mp.ellipk(mp.sin(angle / 2) ** 2)
for method in ["auto", "dopri5", "radau", "bdf"]:
    case(f"zeros of the pendulum, {method}", "solve_ode",
         {"y0": [2], "v0": [0], "t_span": [0, 10], "system": "-sin(y)", "events": [{"g": "y"}], "method": method},
         [("/events/0/t", [quarter * k for k in (1, 3)], 300 * RTOL if method == "bdf" else 30 * RTOL)], "mpmath ellipk")


def taylor(f, t0, y0, t1):
    """Integrates with `mp.odefun`, which picks degree and steps for the working precision."""
    solution = mp.odefun(f, t0, y0, tol=mp.mpf(10) ** -25)
    return solution(t1)


# Lotka and Volterra with the derivatives by both rates, as one system.
a, b = mp.mpf("1.1"), mp.mpf("0.4")


def lotka(t, u):
    x, y, xa, ya, xb, yb = u
    return [a * x - b * x * y, mp.mpf("0.1") * x * y - b * y,
            x + (a - b * y) * xa - b * x * ya, mp.mpf("0.1") * (y * xa + x * ya) - b * ya,
            -x * y + (a - b * y) * xb - b * x * yb, -y + mp.mpf("0.1") * (y * xb + x * yb) - b * yb]


u = taylor(lotka, 0, [mp.mpf(10), mp.mpf(5), 0, 0, 0, 0], 5)
for method in ["auto", "radau", "bdf"]:
    case(f"Lotka-Volterra with derivatives by parameters, {method}", "solve_ode",
         {"y0": [10, 5], "t_span": [0, 5], "system": ["a*y0-b*y0*y1", "0.1*y0*y1-b*y1"], "parameters": {"a": 1.1, "b": 0.4},
          "sensitivities": ["a", "b"], "t_eval": [5], "method": method, "max_steps": 100000},
         [("/y/0", u[:2], 100 * RTOL), ("/sensitivities/0/y/0", u[2:4], 100 * RTOL), ("/sensitivities/1/y/0", u[4:6], 100 * RTOL)],
         "mpmath odefun, 25 digits")


def lorenz(t, u):
    x, y, z = u
    return [10 * (y - x), x * (28 - z) - y, x * y - mp.mpf(8) / 3 * z]


u = taylor(lorenz, 0, [mp.mpf(1)] * 3, 3)
case("Lorenz", "solve_ode",
     {"y0": [1, 1, 1], "t_span": [0, 3], "system": ["10*(y1-y0)", "y0*(28-y2)-y1", "y0*y1-8/3*y2"], "t_eval": [3]},
     [("/y/0", u, 30 * RTOL)], "mpmath odefun, 25 digits")

# Boundary values: y'' = t y between two values of the Airy function.
inner = mp.mpf(-3) / 2
case("Airy equation between two values", "solve_bvp",
     {"system": ["y1", "t*y0"], "boundary": [f"a0-{double(mp.airyai(-4))!r}", f"b0-{double(mp.airyai(1))!r}"], "t_span": [-4, 1],
      "t_eval": [-1.5], "tolerance": 1e-9},
     [("/y/0", [mp.airyai(inner), mp.airyai(inner, derivative=1)], 1e-8)], "mpmath airyai")

# y'' = -l y with Mathieu's potential has no elementary eigenvalue: y'' + (l - 2 q cos 2t) y = 0, the first even one for q = 5.
size = 40
matrix = mp.zeros(size)
for k in range(size):
    matrix[k, k] = (2 * k) ** 2
    if k + 1 < size:
        matrix[k, k + 1] = matrix[k + 1, k] = 5 * (mp.sqrt(2) if k == 0 else 1)
eigenvalue = mp.eigsy(matrix, eigvals_only=True)[0]
case("a characteristic value of the Mathieu equation", "solve_bvp",
     {"system": ["y1", "-(l-2*q*cos(2*t))*y0"], "boundary": ["a1", "b1", "a0-1"], "t_span": [0, "pi"], "parameters": {"q": 5, "l": -5.5},
      "unknowns": ["l"], "guess": ["1+10*sin(t)**2", "20*sin(t)*cos(t)"], "tolerance": 1e-9},
     [("/unknowns", [eigenvalue], 1e-8)], "eigenvalue of the matrix of its Fourier coefficients, mpmath eigsy")
cases[-1]["args"]["t_span"] = [0, double(mp.pi)]

lines = ",\n".join(json.dumps(case) for case in cases)
(Path(__file__).resolve().parent / "solve_ode.json").write_text(f"[\n{lines}\n]\n")
print(f"solve_ode: {len(cases)} cases")
