"""Makes the reference values of this folder with mpmath at 60 digits and, where said, from published definitions.

    pip install mpmath && python3 tests/reference/make.py

Each document is a list of cases: a call, and what its result must be. A check compares the value at a JSON pointer with `expected`:
the largest difference, divided by the largest magnitude expected, is at most `tolerance` (0: equal).
"""

import json
from pathlib import Path

import mpmath as mp

mp.mp.dps = 60
HERE = Path(__file__).resolve().parent


def double(x):
    """The nearest double."""
    return float(mp.nstr(mp.mpf(x), 40))


def rows(matrix):
    return [[double(mp.re(matrix[i, j])) for j in range(matrix.cols)] for i in range(matrix.rows)]


def write(name, cases):
    lines = ",\n".join(json.dumps(case) for case in cases)
    (HERE / f"{name}.json").write_text(f"[\n{lines}\n]\n")
    print(f"{name}: {len(cases)} cases")


def case(title, tool, args, checks, source):
    return {"title": title, "tool": tool, "args": args, "checks": checks, "source": source}


def check(at, expected, tolerance):
    return {"at": at, "expected": expected, "tolerance": tolerance}


# Special functions of the expression language

def special():
    f = mp.mpf
    point = lambda text: mp.mpf(float(text))  # the double that the expression reads
    table = []

    def add(text, value, tolerance=1e-15):
        table.append(case(text, "calculate", {"expression": text}, [check("/value", double(value), tolerance)], "mpmath, 60 digits"))

    for x in ("0.5", "-0.5", "-1.5", "171.5", "1e-300", "-170.5000001", "3.25"):
        add(f"gamma({x})", mp.gamma(point(x)), 4e-16)
    for x in ("1e10", "0.999999", "2.0000001", "-3.5", "1e300", "100.5"):
        add(f"lgamma({x})", mp.log(abs(mp.gamma(point(x)))) if abs(float(x)) < 1e9 else mp.loggamma(point(x)), 4e-16)
    for x in ("1.4616321449683622", "-0.5", "1e-8", "1e15"):
        add(f"digamma({x})", mp.digamma(point(x)), 4e-16)
    for x in ("0.1", "26", "5.9", "-2", "1e-10"):
        add(f"erfc({x})", mp.erfc(point(x)), 4e-16)
    for x in ("0.5", "0.9999999999", "-0.999999999999999", "1e-20"):
        add(f"erfinv({x})", mp.erfinv(point(x)), 4e-16)
    for x in ("-38", "-8.3", "0.3", "8"):
        add(f"normcdf({x})", mp.erfc(-point(x) / mp.sqrt(2)) / 2, 4e-16)
    for x in ("1e-300", "0.3", "0.999999"):
        p = point(x)
        start = mp.mpf(-37) if p < f("1e-200") else mp.sqrt(2) * mp.erfinv(2 * p - 1)
        value = mp.findroot(lambda z: mp.log(mp.erfc(-z / mp.sqrt(2)) / 2) - mp.log(p), start)
        add(f"normppf({x})", value, 4e-16)
    for name, function in (("besselj0", lambda x: mp.besselj(0, x)), ("besselj1", lambda x: mp.besselj(1, x)), ("bessely0", lambda x: mp.bessely(0, x)), ("bessely1", lambda x: mp.bessely(1, x))):
        for x in ("2.404825557695773", "0.001", "50.5", "1e5"):
            add(f"{name}({x})", function(point(x)), 1e-15)
    for name, function in (("besseli0", lambda x: mp.besseli(0, x)), ("besseli1", lambda x: mp.besseli(1, x)), ("besselk0", lambda x: mp.besselk(0, x)), ("besselk1", lambda x: mp.besselk(1, x))):
        for x in ("0.01", "7.5", "600"):
            add(f"{name}({x})", function(point(x)), 1e-15)
    for a, x in (("0.5", "0.3"), ("10", "9.5"), ("1000", "1010"), ("1e-3", "5"), ("200", "100")):
        add(f"gammainc({a}, {x})", mp.gammainc(point(a), 0, point(x), regularized=True), 6e-15)
    for x in ("-0.36", "1", "1e10", "1e-5"):
        add(f"lambertw({x})", mp.lambertw(point(x)), 1e-15)
    for x in ("1.5", "3", "-2.5", "1.000001", "30"):
        add(f"zeta({x})", mp.zeta(point(x)), 1e-15)
    for x in ("0.3725074107813668", "10", "-1", "50"):
        add(f"expi({x})", mp.ei(point(x)), 4e-15)
    for x in ("0.001", "1", "30"):
        add(f"exp1({x})", mp.e1(point(x)), 4e-15)
    for a, b in (("0.5", "0.5"), ("100", "200"), ("1e-5", "3")):
        add(f"beta({a}, {b})", mp.beta(point(a), point(b)), 1e-15)
    write("special", table)


# Functions of matrices

def functions_of_matrices():
    hilbert = lambda n: [[1.0 / (i + j + 1) for j in range(n)] for i in range(n)]
    tridiagonal = lambda n: [[2.0 if i == j else -1.0 if abs(i - j) == 1 else 0.0 for j in range(n)] for i in range(n)]
    jordan = lambda n, x: [[x if i == j else 1.0 if j == i + 1 else 0.0 for j in range(n)] for i in range(n)]
    rotation = [[0.0, -1.25], [1.25, 0.0]]
    table = []

    def add(title, matrix, name, function, tolerance, exponent=None):
        args = {"A": matrix, "function": name}
        if exponent is not None:
            args["exponent"] = exponent
        value = function(mp.matrix(matrix))
        table.append(case(title, "matrix_function", args, [check("/value", rows(value), tolerance)], "mpmath, 60 digits"))

    exp = lambda a: mp.expm(a, method="taylor")
    add("zero", [[0.0, 0.0], [0.0, 0.0]], "exp", exp, 0)
    add("nilpotent", jordan(4, 0.0), "exp", exp, 1e-15)
    add("rotation", rotation, "exp", exp, 1e-15)
    add("stiff, Moler and Van Loan 1978, example 2", [[-49.0, 24.0], [-64.0, 31.0]], "exp", exp, 1e-12)
    add("badly scaled, Moler and Van Loan 2003", [[0.0, 1e6], [-1e-6, 0.0]], "exp", exp, 1e-13)
    add("Hilbert 6", hilbert(6), "exp", exp, 1e-14)
    add("second difference 8, large", [[-40.0 * x for x in row] for row in tridiagonal(8)], "exp", exp, 1e-12)
    add("triangular with spread diagonal", [[1.0, 1e4, 1e8], [0.0, -30.0, 1e4], [0.0, 0.0, 5.0]], "exp", exp, 1e-12)
    add("tiny", [[1e-20, 2e-20], [3e-20, 4e-20]], "exp", exp, 1e-15)
    positive = [[4.0, 1.0, 0.5], [1.0, 3.0, 0.25], [0.5, 0.25, 2.0]]
    add("symmetric", positive, "log", mp.logm, 1e-14)
    add("second difference 6", tridiagonal(6), "log", mp.logm, 1e-13)
    add("Jordan block near 1", jordan(3, 1.0), "log", mp.logm, 1e-14)
    add("rotation by 3 radians", rows(exp(mp.matrix([[0.0, -3.0], [3.0, 0.0]]))), "log", mp.logm, 1e-13)
    add("symmetric", positive, "sqrt", mp.sqrtm, 1e-14)
    add("second difference 8", tridiagonal(8), "sqrt", mp.sqrtm, 1e-14)
    add("Jordan block", jordan(4, 4.0), "sqrt", mp.sqrtm, 1e-14)
    add("Hilbert 4", hilbert(4), "sqrt", mp.sqrtm, 1e-11)
    power = lambda p: lambda a: mp.expm(mp.mpf(p) * mp.logm(a), method="taylor")
    add("cube root", positive, "power", power(0.3333333333333333), 1e-13, 0.3333333333333333)
    add("inverse", positive, "power", lambda a: a**-1, 1e-14, -1)
    add("tenth power", positive, "power", lambda a: a**10, 1e-13, 10)
    add("power 2.5 of second difference 5", tridiagonal(5), "power", power(2.5), 1e-12, 2.5)
    add("power -0.75", positive, "power", power(-0.75), 1e-13, -0.75)
    add("Hilbert 5", hilbert(5), "sin", mp.sinm, 1e-14)
    add("second difference 6 times 7", [[7.0 * x for x in row] for row in tridiagonal(6)], "sin", mp.sinm, 1e-12)
    add("rotation", rotation, "cos", mp.cosm, 1e-14)
    add("second difference 6 times 7", [[7.0 * x for x in row] for row in tridiagonal(6)], "cos", mp.cosm, 1e-12)
    write("matrix_function", table)


# Rank, singular values and condition

def ranks():
    table = []

    def add(title, matrix, rank=None, tolerance=None):
        a = mp.matrix(matrix)
        values = sorted((mp.mpf(x) for x in mp.svd_r(a if a.rows >= a.cols else a.T, compute_uv=False)), reverse=True)
        threshold = mp.mpf(tolerance) if tolerance is not None else max(a.rows, a.cols) * mp.mpf(2) ** -52
        count = sum(1 for x in values if x > threshold * values[0])
        assert rank is None or rank == count, (title, rank, count)
        args = {"A": matrix} | ({"tolerance": tolerance} if tolerance is not None else {})
        frobenius = mp.sqrt(sum(x * x for x in a))
        checks = [
            check("/rank", count, 0),
            check("/singular_values", [double(x) for x in values], 1e-14),
            check("/norms/frobenius", double(frobenius), 1e-15),
            check("/norms/nuclear", double(sum(values)), 1e-14),
        ]
        if values[-1] > values[0] * mp.mpf("1e-8"):
            checks.append(check("/condition", double(values[0] / values[-1]), 1e-7))
        table.append(case(title, "matrix_rank", args, checks, "mpmath singular values, 60 digits"))

    n = 8
    hilbert = lambda n: [[1.0 / (i + j + 1) for j in range(n)] for i in range(n)]
    vandermonde = lambda n: [[float((i + 1) ** j) for j in range(n)] for i in range(n)]
    outer = lambda u, v: [[float(x * y) for y in v] for x in u]
    plus = lambda a, b: [[x + y for x, y in zip(p, q)] for p, q in zip(a, b)]
    kahan = lambda n, c: [[0.0 if j < i else (1.0 if j == i else -c) * (1 - c * c) ** (0.5 * i) for j in range(n)] for i in range(n)]
    frank = lambda n: [[0.0 if j < i - 1 else float(n - max(i, j)) for j in range(n)] for i in range(n)]
    grcar = lambda n: [[-1.0 if j == i - 1 else 1.0 if i <= j <= i + 3 else 0.0 for j in range(n)] for i in range(n)]
    add("identity", [[1.0 if i == j else 0.0 for j in range(n)] for i in range(n)], 8)
    add("one by one", [[-3.0]], 1)
    add("a row", [[3.0, 4.0, 12.0]], 1)
    add("a column", [[3.0], [4.0], [12.0]], 1)
    add("outer product", outer(range(1, 6), range(2, 9)), 1)
    add("sum of two outer products", plus(outer(range(1, 7), range(2, 7)), outer([1, -1, 2, 0, 1, 3], [1, 0, 2, -1, 1])), 2)
    add("counting, 5 x 5", [[float(5 * i + j) for j in range(5)] for i in range(5)], 2)
    add("magic square of 4", [[16.0, 2.0, 3.0, 13.0], [5.0, 11.0, 10.0, 8.0], [9.0, 7.0, 6.0, 12.0], [4.0, 14.0, 15.0, 1.0]], 3)
    add("Hilbert 5", hilbert(5), 5)
    add("Hilbert 12", hilbert(12))
    add("Vandermonde 8", vandermonde(8), 8)
    add("Kahan 12", kahan(12, 0.4), 12)
    add("Frank 10", frank(10), 10)
    add("Grcar 10", grcar(10), 10)
    add("graded", [[10.0 ** (-2 * (i + j)) for j in range(6)] for i in range(6)])
    add("graded diagonal", [[10.0 ** (-3 * i) if i == j else 0.0 for j in range(8)] for i in range(8)])
    add("large entries", [[1e200 * (i + 2 * j + 1) for j in range(3)] for i in range(4)], 2)
    add("small entries", [[1e-200 * (1 + (i * j) % 5) for j in range(4)] for i in range(4)])
    add("nearly dependent columns", [[1.0, 1.0 + 2.0**-40], [1.0, 1.0]], 2)
    add("dependent within a given tolerance", [[1.0, 1.0 + 2.0**-40], [1.0, 1.0]], 1, 1e-6)
    add("Wilkinson 7", [[float(abs(i - 3)) if i == j else 1.0 if abs(i - j) == 1 else 0.0 for j in range(7)] for i in range(7)])
    add("tall with a zero column", [[float(i), 0.0, float(i * i)] for i in range(1, 9)], 2)
    write("matrix_rank", table)


# Units, from their definitions

def units():
    si, sp811 = "BIPM, The International System of Units, 9th edition", "NIST Special Publication 811 (2008), appendix B"
    table = []
    for value, unit, target, expected, source in [
        (1, "in", "cm", "2.54", sp811), (1, "mile", "km", "1.609344", sp811), (1, "lb", "kg", "0.45359237", sp811), (100, "degC", "degF", "212", sp811),
        (-40, "degF", "degC", "-40", sp811), (0, "K", "degC", "-273.15", si), (1, "atm", "Pa", "101325", sp811), (1, "gal", "L", "3.785411784", sp811),
        (1, "acre", "m^2", "4046.8564224", sp811), (1, "knot", "km/h", "1.852", sp811), (36, "km/h", "m/s", "10", si), (1, "eV", "J", "1.602176634e-19", si),
        (1, "hp", "W", "745.69987158227022", sp811), (1, "BTU", "J", "1055.05585262", sp811), (1, "kWh", "MJ", "3.6", si), (1, "ft", "m", "0.3048", sp811),
        (180, "deg", "rad", mp.nstr(mp.pi, 40), si), (1, "rpm", "rad/s", mp.nstr(2 * mp.pi / 60, 40), sp811), (1, "MiB", "B", "1048576", "IEC 80000-13"),
        (8, "bit", "B", "1", "IEC 80000-13"), (1, "yd", "in", "36", sp811), (1, "oz", "g", "28.349523125", sp811), (1, "L/100km", "km/L", "100", si),
        (1, "h", "s", "3600", si), (1, "day", "min", "1440", si), (1, "cal", "J", "4.184", sp811), (1, "N", "kg*m/s^2", "1", si), (1, "bar", "kPa", "100", si),
    ]:
        args = {"value": value, "from": unit, "to": target}
        table.append(case(f"{value} {unit} in {target}", "convert_units", args, [check("/value", double(expected), 1.2e-16)], source))
    write("units", table)


special()
functions_of_matrices()
ranks()
units()
