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

# DETEST: T. E. Hull, W. H. Enright, B. M. Fellen, A. E. Sedgwick, SIAM J. Numer. Anal. 9, 1972; x from 0 to 20. What has a solution in closed
# form comes from it, the rest from Taylor series.
ring = lambda n: [f"{'' if i == 0 else f'y{i-1}'}-2*y{i}{'' if i == n - 1 else f'+y{i+1}'}" for i in range(n)]


def chain(n):
    """The eigenvectors of the second difference are sines: the solution from a unit vector."""
    angle = lambda j: mp.pi * j / (n + 1)
    rate = lambda j: -4 * mp.sin(angle(j) / 2) ** 2
    part = lambda i, j: mp.mpf(2) / (n + 1) * mp.sin(i * angle(j)) * mp.sin(angle(j)) * mp.exp(20 * rate(j))
    return [mp.fsum(part(i, j) for j in range(1, n + 1)) for i in range(1, n + 1)]


def orbit(e):
    e, t = mp.mpf(e), mp.mpf(20)
    u = mp.findroot(lambda u: u - e * mp.sin(u) - t, t)
    r, w = 1 - e * mp.cos(u), mp.sqrt(1 - e * e)
    return [mp.cos(u) - e, w * mp.sin(u), -mp.sin(u) / r, w * mp.cos(u) / r]


def series(f, y0):
    return taylor(f, 0, [mp.mpf(y) for y in y0], 20)


masses = ["0.954786104043e-3", "0.285583733151e-3", "0.437273164546e-4", "0.517759138449e-4", "0.277777777778e-5"]
planets = ["3.42947415189", "3.35386959711", "1.35494901715", "6.64145542550", "5.97156957878", "2.18231499728", "11.2630437207",
           "14.6952576794", "6.27960525067", "-30.1552268759", "1.65699966404", "1.43785752721", "-21.1238353380", "28.4465098142",
           "15.3882659679"]
speeds = ["-.557160570446", ".505696783289", ".230578543901", "-.415570776342", ".365682722812", ".169143213293", "-.325325669158",
          ".189706021964", ".0877265322780", "-.0240476254170", "-.287659532608", "-.117219543175", "-.176860753121", "-.216393453025",
          "-.0148647893090"]
gravity, sun = mp.mpf("2.95912208286"), mp.mpf("1.00000597682")


def five_bodies(t, u):
    m = [mp.mpf(x) for x in masses]
    at = [u[3 * i:3 * i + 3] for i in range(5)]
    cube = lambda v: mp.sqrt(v[0] ** 2 + v[1] ** 2 + v[2] ** 2) ** 3
    pull = []
    far = [cube(p) for p in at]
    between = [[cube([a - b for a, b in zip(at[k], at[j])]) if j != k else 0 for k in range(5)] for j in range(5)]
    for j in range(5):
        for i in range(3):
            others = mp.fsum(m[k] * ((at[k][i] - at[j][i]) / between[j][k] - at[k][i] / far[k]) for k in range(5) if k != j)
            pull.append(gravity * (-(sun + m[j]) * at[j][i] / far[j] + others))
    return list(u[15:]) + pull


def five_texts():
    texts = []
    cube = lambda a: "(" + "+".join(f"({x})**2" for x in a) + ")**1.5"
    for j in range(5):
        for i in range(3):
            terms = [f"-(1.00000597682+{masses[j]})*y{3*j+i}/{cube([f'y{3*j+c}' for c in range(3)])}"]
            for k in range(5):
                if k != j:
                    apart = cube([f"y{3*k+c}-y{3*j+c}" for c in range(3)])
                    own = cube([f"y{3*k+c}" for c in range(3)])
                    terms.append(f"{masses[k]}*((y{3*k+i}-y{3*j+i})/{apart}-y{3*k+i}/{own})")
            texts.append("2.95912208286*(" + "+".join(terms) + ")")
    return texts


root = lambda *v: mp.sqrt(sum(x * x for x in v))
poisson = lambda i: mp.exp(-20) * mp.mpf(20) ** (i - 1) / mp.factorial(i - 1)
decay = [poisson(i) for i in range(1, 10)]
second = [mp.exp(-20) * (1 - mp.exp(-20)) ** (i - 1) for i in range(1, 10)]
detest = {
    "A5": (["(y-t)/(y+t)"], [4], series(lambda t, u: [(u[0] - t) / (u[0] + t)], [4])),
    "B1": (["2*(y0-y0*y1)", "-(y1-y0*y1)"], [1, 3], series(lambda t, u: [2 * (u[0] - u[0] * u[1]), u[0] * u[1] - u[1]], [1, 3])),
    "B3": (["-y0", "y0-y1**2", "y1**2"], [1, 0, 0], series(lambda t, u: [-u[0], u[0] - u[1] ** 2, u[1] ** 2], [1, 0, 0])),
    "B4": (["-y1-y0*y2/sqrt(y0**2+y1**2)", "y0-y1*y2/sqrt(y0**2+y1**2)", "y0/sqrt(y0**2+y1**2)"], [3, 0, 0],
           series(lambda t, u: [-u[1] - u[0] * u[2] / root(u[0], u[1]), u[0] - u[1] * u[2] / root(u[0], u[1]), u[0] / root(u[0], u[1])], [3, 0, 0])),
    "B5": (["y1*y2", "-y0*y2", "-0.51*y0*y1"], [0, 1, 1],
           [mp.ellipfun(f, 20, m=mp.mpf("0.51")) for f in ("sn", "cn", "dn")]),
    "C1": (["-y0"] + [f"y{i-1}-y{i}" for i in range(1, 9)] + ["y8"], [1] + [0] * 9, decay + [1 - mp.fsum(decay)]),
    "C2": (["-y0"] + [f"{i}*y{i-1}-{i+1}*y{i}" for i in range(1, 9)] + ["9*y8"], [1] + [0] * 9, second + [1 - mp.fsum(second)]),
    "C3": (ring(10), [1] + [0] * 9, chain(10)),
    "C4": (ring(51), [1] + [0] * 50, chain(51)),
    "C5": ([f"y{15+i}" for i in range(15)] + five_texts(), [float(x) for x in planets + speeds], series(five_bodies, planets + speeds)),
    **{f"D{k}": (["y2", "y3", "-y0/(y0**2+y1**2)**1.5", "-y1/(y0**2+y1**2)**1.5"],
                 [double(1 - mp.mpf(e)), 0, 0, double(mp.sqrt((1 + mp.mpf(e)) / (1 - mp.mpf(e))))], orbit(e))
       for k, e in enumerate(["0.1", "0.3", "0.5", "0.7", "0.9"], 1)},
    "E1": (["y1", "-(y1/(t+1)+(1-0.25/(t+1)**2)*y0)"], [double(mp.besselj(0.5, 1)), double(mp.besselj(0.5, 1, derivative=1))],
           [mp.besselj(0.5, 21), mp.besselj(0.5, 21, derivative=1)]),
    "E2": (["y1", "(1-y0**2)*y1-y0"], [2, 0], series(lambda t, u: [u[1], (1 - u[0] ** 2) * u[1] - u[0]], [2, 0])),
    "E3": (["y1", "y0**3/6-y0+2*sin(2.78535*t)"], [0, 0],
           series(lambda t, u: [u[1], u[0] ** 3 / 6 - u[0] + 2 * mp.sin(mp.mpf("2.78535") * t)], [0, 0])),
    "E4": (["y1", "0.032-0.4*y1**2"], [30, 0],
           [30 + mp.log(mp.cosh(20 * mp.sqrt(mp.mpf("0.0128")))) / mp.mpf("0.4"), mp.sqrt(mp.mpf("0.08")) * mp.tanh(20 * mp.sqrt(mp.mpf("0.0128")))]),
    "E5": (["y1", "sqrt(1+y1**2)/(25-t)"], [0, 0], series(lambda t, u: [u[1], mp.sqrt(1 + u[1] ** 2) / (25 - t)], [0, 0])),
}
# Orbits: an error of the energy changes the period, so that it grows in proportion to the time, by a factor of 60 and more.
limit = lambda name, method: (150 if name[0] == "D" and method != "auto" else 30) * RTOL
for name, (system, y0, end) in detest.items():
    for method in ["auto", "dopri5", "tsit5", "dop853"]:
        case(f"DETEST {name}, {method}", "solve_ode",
             {"y0": y0, "t_span": [0, 20], "system": system, "t_eval": [20], "method": method, "max_steps": 1000000},
             [("/y/0", end, limit(name, method))], "closed form or mpmath odefun")

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
