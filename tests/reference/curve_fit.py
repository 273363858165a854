"""Makes the reference values of `curve_fit.json` with SciPy: `least_squares` (Levenberg-Marquardt of MINPACK) over `solve_ivp` at a relative
tolerance of 1e-12, with derivatives by central differences; standard errors are those of linear theory.

    pip install scipy && python3 tests/reference/curve_fit.py

The form is that of `make.py`. The differences have about 7 digits, so estimates are compared to 7 digits, those of the stiff problem, whose
parameters hardly tell each other apart, to 6, and standard errors to 5.
"""

import csv
import json
from pathlib import Path

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import least_squares

here = Path(__file__).resolve().parent
cases = []


def fit(model, start, response, weight=1.0):
    residuals = lambda p: (model(p) - response) * weight
    point = np.array(start, float)
    for jacobian in ["2-point", "3-point", "3-point"]:
        found = least_squares(residuals, point, method="lm", jac=jacobian, xtol=1e-15, ftol=1e-15, gtol=1e-15, x_scale=np.abs(point))
        point = found.x
    squares = found.fun @ found.fun
    covariance = np.linalg.inv(found.jac.T @ found.jac) * squares / (len(response) - len(point))
    return found.x, np.sqrt(np.diag(covariance)), squares


def case(title, args, names, reference, tolerance=1e-7):
    estimates, errors, squares = reference
    checks = [{"at": "/sum_of_squares", "expected": [float(squares)], "tolerance": 1e-7}]
    for place in np.argsort(names):
        index = sorted(names).index(names[place])
        checks.append({"at": f"/parameters/{index}/estimate", "expected": [float(estimates[place])], "tolerance": tolerance})
        checks.append({"at": f"/parameters/{index}/standard_error", "expected": [float(errors[place])], "tolerance": 1e-5})
    cases.append({"title": title, "tool": "curve_fit", "args": {"plot": False, **args}, "checks": checks, "source": "SciPy least_squares and solve_ivp"})


def listed(values):
    return [float(value) for value in values]


# The epidemic of examples/data: susceptible and ill, of whom the ill are counted.
rows = list(csv.DictReader(open(here.parent.parent / "examples/data/epidemic.csv")))
day, ill = (np.array([float(row[name]) for row in rows]) for name in ("day", "ill"))


def epidemic(p):
    beta, gamma, first, size = p
    f = lambda t, u: [-beta * u[0] * u[1] / size, beta * u[0] * u[1] / size - gamma * u[1]]
    return solve_ivp(f, (0, day[-1]), [size, first], method="DOP853", t_eval=day, rtol=1e-12, atol=1e-12).y[1]


sir = {"system": {"S": "-beta*S*I/N", "I": "beta*S*I/N - gamma*I"}, "y0": {"S": "N", "I": "I0"}, "observe": "I", "time": "day"}
start = [0.5, 0.2, 2, 800]
names = ["beta", "gamma", "I0", "N"]
reference = fit(epidemic, start, ill)
table = {"day": listed(day), "ill": listed(ill)}
for method in ["auto", "dopri5", "radau", "bdf"]:
    case(f"an epidemic, {method}",
         {"model": {**sir, "method": method, "max_steps": 100000, **({"rtol": 1e-9, "atol": 1e-9} if method == "bdf" else {})},
          "data": table, "response": "ill", "start": dict(zip(names, start))}, names, reference)
order = np.argsort(np.sin(7 * day))
case("an epidemic, rows in any order",
     {"model": sir, "data": {"day": listed(day[order]), "ill": listed(ill[order])}, "response": "ill", "start": dict(zip(names, start))},
     names, reference)

# Hares and lynxes, thousands of pelts of the Hudson's Bay Company, 1900 to 1920, both in one column: twice each time, and initial values
# in the middle of the data, so that the integration runs both ways.
hares = [30, 47.2, 70.2, 77.4, 36.3, 20.6, 18.1, 21.4, 22, 25.4, 27.1, 40.3, 57, 76.6, 52.3, 19.5, 11.2, 7.6, 14.6, 16.2, 24.7]
lynxes = [4, 6.1, 9.8, 35.2, 59.4, 41.7, 19, 13, 8.3, 9.1, 7.4, 8, 12.3, 19.5, 45.7, 51.1, 29.7, 15.8, 9.7, 10.1, 8.6]
year = np.arange(1900.0, 1921.0)
weight = 1 / np.concatenate([np.full(21, 5.0), np.full(21, 4.0)])


def both(p):
    a, b, c, d, h, l = p
    f = lambda t, u: [a * u[0] - b * u[0] * u[1], c * u[0] * u[1] - d * u[1]]
    run = lambda end, times: solve_ivp(f, (1910, end), [h, l], method="DOP853", t_eval=times, rtol=1e-12, atol=1e-12).y
    y = np.hstack([run(1900, year[:10][::-1])[:, ::-1], run(1920, year[10:])])
    return np.concatenate(y)


start = [0.5, 0.025, 0.025, 0.8, 30, 6]
names = ["a", "b", "c", "d", "h", "l"]
case("hares and lynxes",
     {"model": {"system": {"hare": "a*hare - b*hare*lynx", "lynx": "c*hare*lynx - d*lynx"}, "y0": {"hare": "h", "lynx": "l"},
                "observe": "(1-kind)*hare + kind*lynx", "time": "year", "t0": 1910},
      "data": {"year": listed(year) * 2, "kind": [0.0] * 21 + [1.0] * 21, "pelts": hares + lynxes, "s": [5.0] * 21 + [4.0] * 21},
      "response": "pelts", "sigma": "s", "start": dict(zip(names, start))},
     names, fit(both, start, np.array(hares + lynxes), weight))

# Robertson's reaction with two unknown rates, over nine decades of time; the observations are the solution of the usual rates with
# deterministic errors of a percent.
times = np.logspace(-2, 5, 40)


def robertson(p):
    k1, k2 = 0.04 * p[0], 3e7 * p[1]
    f = lambda t, u: [-k1 * u[0] + 1e4 * u[1] * u[2], k1 * u[0] - 1e4 * u[1] * u[2] - k2 * u[1] ** 2, k2 * u[1] ** 2]
    jac = lambda t, u: [[-k1, 1e4 * u[2], 1e4 * u[1]], [k1, -1e4 * u[2] - 2 * k2 * u[1], -1e4 * u[1]], [0, 2 * k2 * u[1], 0]]
    return solve_ivp(f, (0, times[-1]), [1, 0, 0], method="Radau", jac=jac, t_eval=times, rtol=1e-12, atol=1e-16).y[0]


seen = robertson([1, 1]) * (1 + 0.01 * np.sin(np.arange(40) ** 2))
stiff = fit(robertson, [1, 1], seen)
for method in ["auto", "radau"]:
    case(f"Robertson's reaction, {method}",
         {"model": {"system": {"A": "-0.04*p*A + 1e4*B*C", "B": "0.04*p*A - 1e4*B*C - 3e7*q*B**2", "C": "3e7*q*B**2"},
                    "y0": {"A": 1, "B": 0, "C": 0}, "observe": "A", "t0": 0, "method": method, "rtol": 1e-9, "atol": 1e-14},
          "data": {"t": listed(times), "y": listed(seen)}, "start": {"p": 3, "q": 0.2}}, ["p", "q"], stiff, 1e-6)

lines = ",\n".join(json.dumps(case) for case in cases)
(here / "curve_fit.json").write_text(f"[\n{lines}\n]\n")
print(f"curve_fit: {len(cases)} cases")
