"""Makes `bbob.json`: functions in the style of the noiseless testbed of BBOB in four variables, shifted and rotated, as expressions.

    N. Hansen, S. Finck, R. Ros, A. Auger, "Real-parameter black-box optimization benchmarking 2009: noiseless functions definitions",
    INRIA RR-6829, 2009.

    python3 tests/reference/bbob.py

The transformations of asymmetry and oscillation are left out where an expression would become too long; rotations and shifts are random
with a fixed seed. Each has the minimum 0 at `x` in the box [-5, 5]^4, unless `f` says otherwise.
"""

import json
import math
import random
from pathlib import Path

D = 4
PROBLEMS = []
random.seed(2009)


def rotation():
    """An orthogonal matrix by Gram and Schmidt."""
    rows = []
    while len(rows) < D:
        v = [random.gauss(0, 1) for _ in range(D)]
        for row in rows:
            share = sum(a * b for a, b in zip(v, row))
            v = [a - share * b for a, b in zip(v, row)]
        length = math.sqrt(sum(a * a for a in v))
        rows.append([a / length for a in v])
    return rows


def shift():
    return [round(random.uniform(-4, 4), 4) for _ in range(D)]


def rotated(matrix, x, shifted=None):
    """The texts of `matrix (x - shifted)`."""
    inner = [f"(x{j}-({shifted[j]}))" if shifted else f"x{j}" for j in range(D)] if x is None else x
    return ["(" + "+".join(f"({row[j]:.17g})*{inner[j]}" for j in range(D)) + ")" for row in matrix]


def product(a, b):
    return [[sum(a[i][k] * b[k][j] for k in range(D)) for j in range(D)] for i in range(D)]


def diagonal(alpha):
    return [[alpha ** (0.5 * i / (D - 1)) if i == j else 0.0 for j in range(D)] for i in range(D)]


def add(name, text, x, f=0.0):
    PROBLEMS.append({"name": name, "objective": text, "bounds": [[-5, 5]] * D, "x": x, "f": f})


def total(terms):
    return "+".join(terms)


o = shift()
z = rotated([[float(i == j) for j in range(D)] for i in range(D)], None, o)
add("sphere", total(f"{a}**2" for a in z), o)
add("ellipsoid", total(f"{10 ** (6 * i / (D - 1)):.17g}*{a}**2" for i, a in enumerate(z)), o)
o = shift()
z = rotated([[float(i == j) for j in range(D)] for i in range(D)], None, o)
add("Rastrigin", f"10*({D}-({total(f'cos(2*pi*{a})' for a in z)}))+{total(f'{a}**2' for a in z)}", o)
o = shift()
z = rotated(rotation(), None, o)
add("attractive sector", total(f"(if({a}*({1 if s > 0 else -1})>0,100,1)*{a})**2" for a, s in zip(z, o)) + "", o)
o = shift()
z = [f"(1+{a})" for a in rotated([[float(i == j) for j in range(D)] for i in range(D)], None, o)]
add("Rosenbrock", total(f"100*({z[i]}**2-{z[i + 1]})**2+({z[i]}-1)**2" for i in range(D - 1)), o)
o = shift()
z = [f"(1+{a})" for a in rotated(rotation(), None, o)]
add("Rosenbrock, rotated", total(f"100*({z[i]}**2-{z[i + 1]})**2+({z[i]}-1)**2" for i in range(D - 1)), o)
o = shift()
z = rotated(rotation(), None, o)
add("ellipsoid, rotated", total(f"{10 ** (6 * i / (D - 1)):.17g}*{a}**2" for i, a in enumerate(z)), o)
add("discus", f"1e6*{z[0]}**2+" + total(f"{a}**2" for a in z[1:]), o)
o = shift()
z = rotated(rotation(), None, o)
add("bent cigar", f"{z[0]}**2+1e6*({total(f'{a}**2' for a in z[1:])})", o)
add("sharp ridge", f"{z[0]}**2+100*sqrt({total(f'{a}**2' for a in z[1:])})", o)
add("different powers", "sqrt(" + total(f"abs({a})**{2 + 4 * i / (D - 1):.17g}" for i, a in enumerate(z)) + ")", o)
o = shift()
z = rotated(product(product(rotation(), diagonal(10)), rotation()), None, o)
add("Rastrigin, rotated", f"10*({D}-({total(f'cos(2*pi*{a})' for a in z)}))+{total(f'{a}**2' for a in z)}", o)
o = shift()
z = rotated(product(product(rotation(), diagonal(0.01)), rotation()), None, o)
f0 = sum(0.5**k * math.cos(math.pi * 3**k) for k in range(12))
inner = total(f"{0.5 ** k:.17g}*cos({2 * math.pi * 3 ** k:.17g}*({a}+0.5))" for a in z for k in range(12))
add("Weierstrass", f"10*(({inner})/{D}-({f0:.17g}))**3", o)
for name, alpha in (("Schaffers F7", 10), ("Schaffers F7, ill-conditioned", 1000)):
    o = shift()
    z = rotated(product(diagonal(alpha), rotation()), None, o)
    s = [f"sqrt({z[i]}**2+{z[i + 1]}**2)" for i in range(D - 1)]
    add(name, "((" + total(f"sqrt({a})+sqrt({a})*sin(50*{a}**0.2)**2" for a in s) + f")/{D - 1})**2", o)
o = shift()
z = [f"(1+{a})" for a in rotated(rotation(), None, o)]
s = [f"(100*({z[i]}**2-{z[i + 1]})**2+({z[i]}-1)**2)" for i in range(D - 1)]
add("Griewank and Rosenbrock", f"10/{D - 1}*({total(f'{a}/4000-cos({a})' for a in s)})+10", o)
# Schwefel: the minimum at 420.9687 in each variable, scaled to the box, with signs.
signs = [random.choice([-1, 1]) for _ in range(D)]
best = 4.209687462275036
z = [f"(100*({s})*x{j})" for j, s in enumerate(signs)]
add("Schwefel", f"418.9828872724338-({total(f'{a}*sin(sqrt(abs({a})))' for a in z)})/{D}+100*({total(f'max(0,abs(x{j})-5)**2' for j in range(D))})", [s * best for s in signs])
for peaks, name in ((21, "Gallagher, 21 peaks"), (50, "Gallagher, 50 peaks")):
    r = rotation()
    centres = [shift() for _ in range(peaks)]
    heights = [10.0] + [round(1.1 + 8 * i / (peaks - 2), 6) for i in range(peaks - 1)]
    alphas = [1000.0] + [1000 ** (2 * i / (peaks - 2)) for i in range(peaks - 1)]
    u = rotated(r, None)
    tops = []
    for centre, height, alpha in zip(centres, heights, alphas):
        v = [sum(r[i][j] * centre[j] for j in range(D)) for i in range(D)]
        scales = [alpha ** (0.5 * i / (D - 1)) / alpha**0.25 for i in range(D)]
        tops.append(f"{height}*exp(-({total(f'{scales[i]:.6g}*({u[i]}-({v[i]:.17g}))**2' for i in range(D))})/{2 * D})")
    add(name, f"(10-max({','.join(tops)}))**2", centres[0])

if __name__ == "__main__":
    path = Path(__file__).with_suffix(".json")
    path.write_text("[\n" + ",\n".join(json.dumps(case) for case in PROBLEMS) + "\n]\n")
    print(f"{path.name}: {len(PROBLEMS)} problems, {path.stat().st_size} bytes")
