"""Makes `more_garbow_hillstrom.json`: the unconstrained test problems, sums of squares, of

    J. J. Moré, B. S. Garbow, K. E. Hillstrom, "Testing Unconstrained Optimization Software", ACM TOMS 7(1), 1981.

    python3 tests/reference/more_garbow_hillstrom.py

Variables are x1, x2, ... here as in the paper, and x0, x1, ... in the document. `minima` has the minima that the paper lists, also those
"at infinity", which the function approaches without reaching them. `others` has further points of vanishing gradient and no negative
curvature, found by mathchain and confirmed by SciPy (BFGS from there): the paper does not list them.
"""

import json
import math
import re
from pathlib import Path

PROBLEMS = []
OTHERS = {11: [0.0385], 19: [1.789813587], 26: [4.218633888e-5], 27: [0.9179000998], 31: [3.057278433], "35 Chebyquad 10": [9.50062885022e-3]}


def problem(number, title, residuals, x0, minima):
    zero = lambda text: re.sub(r"\bx(\d+)\b", lambda found: f"x{int(found[1]) - 1}", " ".join(text.split()))
    objective = " + ".join(f"({zero(residual)})**2" for residual in residuals)
    name = f"{number} {title}"
    PROBLEMS.append({"name": name, "objective": objective, "x0": [float(x) for x in x0], "minima": list(minima), "others": OTHERS.get(name, OTHERS.get(number, []))})


def total(terms):
    return "(" + "+".join(terms) + ")"


exp = math.exp
problem(1, "Rosenbrock", ["10*(x2-x1**2)", "1-x1"], [-1.2, 1], [0])
problem(2, "Freudenstein and Roth", ["-13+x1+((5-x2)*x2-2)*x2", "-29+x1+((x2+1)*x2-14)*x2"], [0.5, -2], [0, 48.98425367])
problem(3, "Powell badly scaled", ["1e4*x1*x2-1", "exp(-x1)+exp(-x2)-1.0001"], [0, 1], [0])
problem(4, "Brown badly scaled", ["x1-1e6", "x2-2e-6", "x1*x2-2"], [1, 1], [0])
problem(5, "Beale", [f"{y}-x1*(1-x2**{i})" for i, y in enumerate([1.5, 2.25, 2.625], 1)], [1, 1], [0])
problem(6, "Jennrich and Sampson", [f"{2 + 2 * i}-(exp({i}*x1)+exp({i}*x2))" for i in range(1, 11)], [0.3, 0.4], [124.3621824])
problem(7, "Helical valley", ["10*(x3-10*(atan(x2/x1)/(2*pi)+if(x1>0,0,0.5)))", "10*(sqrt(x1**2+x2**2)-1)", "x3"], [-1, 0, 0], [0])
Y8 = [0.14, 0.18, 0.22, 0.25, 0.29, 0.32, 0.35, 0.39, 0.37, 0.58, 0.73, 0.96, 1.34, 2.10, 4.39]
problem(8, "Bard", [f"{y}-(x1+{i}/({16 - i}*x2+{min(i, 16 - i)}*x3))" for i, y in enumerate(Y8, 1)], [1, 1, 1], [8.214877307e-3, 17.42869333])
Y9 = [0.0009, 0.0044, 0.0175, 0.0540, 0.1295, 0.2420, 0.3521, 0.3989, 0.3521, 0.2420, 0.1295, 0.0540, 0.0175, 0.0044, 0.0009]
problem(9, "Gaussian", [f"x1*exp(-x2*({(8 - i) / 2}-x3)**2/2)-{y}" for i, y in enumerate(Y9, 1)], [0.4, 1, 0], [1.127932770e-8])
Y10 = [34780, 28610, 23650, 19630, 16370, 13720, 11540, 9744, 8261, 7030, 6005, 5147, 4427, 3820, 3307, 2872]
problem(10, "Meyer", [f"x1*exp(x2/({45 + 5 * i}+x3))-{y}" for i, y in enumerate(Y10, 1)], [0.02, 4000, 250], [87.94585517])
problem(11, "Gulf research and development", [f"exp(-abs({25 + (-50 * math.log(i / 100)) ** (2 / 3)!r}-x2)**x3/x1)-{i / 100}" for i in range(1, 11)], [5, 2.5, 0.15], [0])
problem(12, "Box three-dimensional", [f"exp({-i / 10}*x1)-exp({-i / 10}*x2)-x3*({exp(-i / 10) - exp(-i)!r})" for i in range(1, 11)], [0, 10, 20], [0])
problem(13, "Powell singular", ["x1+10*x2", "sqrt(5)*(x3-x4)", "(x2-2*x3)**2", "sqrt(10)*(x1-x4)**2"], [3, -1, 0, 1], [0])
problem(14, "Wood", ["10*(x2-x1**2)", "1-x1", "sqrt(90)*(x4-x3**2)", "1-x3", "sqrt(10)*(x2+x4-2)", "(x2-x4)/sqrt(10)"], [-3, -1, -3, -1], [0])
KOWALIK = [(0.1957, 4), (0.1947, 2), (0.1735, 1), (0.16, 0.5), (0.0844, 0.25), (0.0627, 0.167), (0.0456, 0.125), (0.0342, 0.1), (0.0323, 0.0833), (0.0235, 0.0714), (0.0246, 0.0625)]
problem(15, "Kowalik and Osborne", [f"{y}-x1*({u * u!r}+{u}*x2)/({u * u!r}+{u}*x3+x4)" for y, u in KOWALIK], [0.25, 0.39, 0.415, 0.39], [3.075056039e-4, 1.027341e-3])
problem(16, "Brown and Dennis", [f"(x1+{i / 5}*x2-exp({i / 5}))**2+(x3+x4*sin({i / 5})-cos({i / 5}))**2" for i in range(1, 21)], [25, 5, -5, -1], [85822.20163])
Y17 = [0.844, 0.908, 0.932, 0.936, 0.925, 0.908, 0.881, 0.850, 0.818, 0.784, 0.751, 0.718, 0.685, 0.658, 0.628, 0.603, 0.580, 0.558, 0.538, 0.522, 0.506, 0.490, 0.478, 0.467, 0.457, 0.448, 0.438, 0.431,
       0.424, 0.420, 0.414, 0.411, 0.406]
problem(17, "Osborne 1", [f"{y}-(x1+x2*exp(-{10 * i}*x4)+x3*exp(-{10 * i}*x5))" for i, y in enumerate(Y17)], [0.5, 1.5, -1, 0.01, 0.02], [5.464894697e-5])
problem(18, "Biggs EXP6", [f"x3*exp({-i / 10}*x1)-x4*exp({-i / 10}*x2)+x6*exp({-i / 10}*x5)-({exp(-i / 10) - 5 * exp(-i) + 3 * exp(-4 * i / 10)!r})" for i in range(1, 14)], [1, 2, 1, 1, 1, 1],
        [0, 5.655649926e-3])
Y19 = [1.366, 1.191, 1.112, 1.013, 0.991, 0.885, 0.831, 0.847, 0.786, 0.725, 0.746, 0.679, 0.608, 0.655, 0.616, 0.606, 0.602, 0.626, 0.651, 0.724, 0.649, 0.649, 0.694, 0.644, 0.624, 0.661, 0.612, 0.558,
       0.533, 0.495, 0.500, 0.423, 0.395, 0.375, 0.372, 0.391, 0.396, 0.405, 0.428, 0.429, 0.523, 0.562, 0.607, 0.653, 0.672, 0.708, 0.633, 0.668, 0.645, 0.632, 0.591, 0.559, 0.597, 0.625, 0.739, 0.710,
       0.729, 0.720, 0.636, 0.581, 0.428, 0.292, 0.162, 0.098, 0.054]
problem(19, "Osborne 2", [f"{y}-(x1*exp(-{i / 10}*x5)+x2*exp(-({i / 10}-x9)**2*x6)+x3*exp(-({i / 10}-x10)**2*x7)+x4*exp(-({i / 10}-x11)**2*x8))" for i, y in enumerate(Y19)],
        [1.3, 0.65, 0.65, 0.7, 0.6, 3, 5, 7, 2, 4.5, 5.5], [4.013773629e-2])
for n, minimum in ((6, 2.287670054e-3), (9, 1.399760138e-6)):
    rows = []
    for i in range(1, 30):
        t = i / 29
        slope = total(f"{(j - 1) * t ** (j - 2)!r}*x{j}" for j in range(2, n + 1))
        value = total(f"{t ** (j - 1)!r}*x{j}" for j in range(1, n + 1))
        rows.append(f"{slope}-{value}**2-1")
    problem(20, f"Watson {n}", [*rows, "x1", "x2-x1**2-1"], [0] * n, [minimum])
problem(21, "Extended Rosenbrock 10", [part for i in range(1, 6) for part in (f"10*(x{2 * i}-x{2 * i - 1}**2)", f"1-x{2 * i - 1}")], [-1.2, 1] * 5, [0])
problem(22, "Extended Powell singular 8", [part for a, b, c, d in ((1, 2, 3, 4), (5, 6, 7, 8))
        for part in (f"x{a}+10*x{b}", f"sqrt(5)*(x{c}-x{d})", f"(x{b}-2*x{c})**2", f"sqrt(10)*(x{a}-x{d})**2")], [3, -1, 0, 1] * 2, [0])
for n, minimum in ((4, 2.249977500e-5), (10, 7.087651467e-5)):
    problem(23, f"Penalty I {n}", [f"sqrt(1e-5)*(x{i}-1)" for i in range(1, n + 1)] + [total(f"x{i}**2" for i in range(1, n + 1)) + "-0.25"], range(1, n + 1), [minimum])
for n, minimum in ((4, 9.376293e-6), (10, 2.936605e-4)):
    rows = ["x1-0.2"] + [f"sqrt(1e-5)*(exp(x{i}/10)+exp(x{i - 1}/10)-({exp(i / 10) + exp((i - 1) / 10)!r}))" for i in range(2, n + 1)]
    rows += [f"sqrt(1e-5)*(exp(x{i}/10)-exp(-0.1))" for i in range(2, n + 1)] + [total(f"{n - j + 1}*x{j}**2" for j in range(1, n + 1)) + "-1"]
    problem(24, f"Penalty II {n}", rows, [0.5] * n, [minimum])
weighted = total(f"{j}*(x{j}-1)" for j in range(1, 11))
problem(25, "Variably dimensioned 10", [f"x{i}-1" for i in range(1, 11)] + [weighted, f"{weighted}**2"], [1 - j / 10 for j in range(1, 11)], [0])
cosines = total(f"cos(x{j})" for j in range(1, 11))
problem(26, "Trigonometric 10", [f"10-{cosines}+{i}*(1-cos(x{i}))-sin(x{i})" for i in range(1, 11)], [0.1] * 10, [0, 2.795056e-5])
every = total(f"x{j}" for j in range(1, 11))
problem(27, "Brown almost-linear 10", [f"x{i}+{every}-11" for i in range(1, 10)] + ["*".join(f"x{j}" for j in range(1, 11)) + "-1"], [0.5] * 10, [0, 1])
h = 1 / 11
t = [j * h for j in range(12)]
at = lambda j: "0" if j in (0, 11) else f"x{j}"
problem(28, "Discrete boundary value 10", [f"2*{at(i)}-{at(i - 1)}-{at(i + 1)}+{h * h / 2!r}*({at(i)}+{t[i] + 1!r})**3" for i in range(1, 11)], [t[j] * (t[j] - 1) for j in range(1, 11)], [0])
problem(29, "Discrete integral equation 10", [f"x{i}+{h / 2!r}*(" + "+".join([f"{(1 - t[i]) * t[j]!r}*(x{j}+{t[j] + 1!r})**3" for j in range(1, i + 1)]
        + [f"{t[i] * (1 - t[j])!r}*(x{j}+{t[j] + 1!r})**3" for j in range(i + 1, 11)]) + ")" for i in range(1, 11)], [t[j] * (t[j] - 1) for j in range(1, 11)], [0])
problem(30, "Broyden tridiagonal 10", [f"(3-2*{at(i)})*{at(i)}-{at(i - 1)}-2*{at(i + 1)}+1" for i in range(1, 11)], [-1] * 10, [0])
near = lambda i: [j for j in range(max(1, i - 5), min(10, i + 1) + 1) if j != i]
problem(31, "Broyden banded 10", [f"x{i}*(2+5*x{i}**2)+1-{total(f'x{j}*(1+x{j})' for j in near(i))}" for i in range(1, 11)], [-1] * 10, [0])
five = total(f"x{j}" for j in range(1, 6))
problem(32, "Linear, full rank 5", [f"x{i}-{five}/5-1" for i in range(1, 6)] + [f"-{five}/5-1" for _ in range(5)], [1] * 5, [5])
ranked = total(f"{j}*x{j}" for j in range(1, 6))
problem(33, "Linear, rank 1", [f"{i}*{ranked}-1" for i in range(1, 11)], [1] * 5, [90 / 42])
inner = total(f"{j}*x{j}" for j in range(2, 5))
problem(34, "Linear, rank 1 with zero columns and rows", ["-1"] + [f"{i - 1}*{inner}-1" for i in range(2, 10)] + ["-1"], [1] * 5, [124 / 34])


def shifted(i):
    """Coefficients of the polynomial of degree i on [0, 1], by powers of y = 2 x - 1."""
    a, b = [1], [0, 1]
    for _ in range(i):
        a, b = b, [2 * (b[k - 1] if k else 0) - (a[k] if k < len(a) else 0) for k in range(len(b) + 1)]
    return a


def horner(coefficients, y):
    text = str(coefficients[-1])
    for c in reversed(coefficients[:-1]):
        text = f"({text})*{y}" + (f"+({c})" if c else "")
    return f"({text})"


for n, minima in ((8, [3.516873725e-3]), (9, [0]), (10, [6.503954800e-3, 4.772713e-3])):
    problem(35, f"Chebyquad {n}", [total(horner(shifted(i), f"(2*x{j}-1)") for j in range(1, n + 1)) + f"/{n}" + (f"+1/{i * i - 1}" if i % 2 == 0 else "") for i in range(1, n + 1)],
            [j / (n + 1) for j in range(1, n + 1)], minima)

if __name__ == "__main__":
    path = Path(__file__).with_suffix(".json")
    path.write_text("[\n" + ",\n".join(json.dumps(case) for case in PROBLEMS) + "\n]\n")
    print(f"{path.name}: {len(PROBLEMS)} problems")
