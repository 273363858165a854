"""Makes polynomial_roots.json: polynomials and their roots by mpmath.polyroots with at least 50 digits, or by construction.

Run: python3 tests/reference/polynomial_roots.py

Coefficients are doubles, highest power first, and count as exact; roots are pairs of texts with 40 digits, repeated as often as they count.
Sources of polynomials: J. H. Wilkinson, "Rounding Errors in Algebraic Processes", 1963; M. A. Jenkins, J. F. Traub, "Principles for testing
polynomial zerofinding programs", ACM TOMS 1, 1975; M. Mignotte, 1982; D. A. Bini, G. Fiorentino, Numer. Algorithms 23, 2000.
"""
import json
from fractions import Fraction
from pathlib import Path

import mpmath as mp

CASES = []


def product(roots):
    """Exact coefficients, highest first, of the product of x - r."""
    p = [Fraction(1)]
    for r in roots:
        r = Fraction(r)
        p = [a - r * b for a, b in zip(p + [0], [0] + p)]
    return p


def text(z, digits=40):
    z = mp.mpc(z)
    return [mp.nstr(z.real, digits, strip_zeros=False), mp.nstr(z.imag, digits, strip_zeros=False)]


def add(name, coefficients, roots=None, imaginary=None, digits=60, source=None):
    coefficients = [float(c) for c in coefficients]
    with mp.workdps(digits):
        if roots is None:
            exact = [mp.mpc(c, 0 if imaginary is None else imaginary[i]) for i, c in enumerate(coefficients)]
            while exact[0] == 0:
                exact.pop(0)
            roots = mp.polyroots(exact, maxsteps=2000, extraprec=8 * digits)
            source = source or f"mpmath.polyroots, {digits} digits"
        CASES.append(dict(name=name, coefficients=coefficients, roots=[text(z) for z in roots], source=source or "by construction")
                     | ({} if imaginary is None else {"imaginary": imaginary}))


def is_exact(p):
    return all(Fraction(float(c)) == c for c in p)


def made(name, roots):
    p = product(roots)
    assert is_exact(p), name
    add(name, p, [mp.mpf(Fraction(r).numerator) / Fraction(r).denominator for r in roots])


made("three whole roots", [1, 2, 3])
made("Wilkinson 10", range(1, 11))
add("Wilkinson 20, coefficients rounded", product(range(1, 21)), digits=100)
perturbed = product(range(1, 21))
perturbed[1] -= Fraction(1, 2**23)
add("Wilkinson 20, perturbed", perturbed, digits=100)
cheb = [[1], [1, 0]]
for _ in range(49):
    a = [2 * c for c in cheb[-1]] + [0]
    b = [0, 0] + cheb[-2]
    cheb.append([x - y for x, y in zip(a, b)])
add("Chebyshev 20", cheb[20], digits=80)
add("Chebyshev 50, coefficients rounded", cheb[50], digits=150)
made("(x-1)^20", [1] * 20)
made("(x-1)^3 (x-2)^2 (x+3)", [1, 1, 1, 2, 2, -3])
made("(x-1/2)^8", [Fraction(1, 2)] * 8)
mignotte = [0] * 21
mignotte[0], mignotte[18], mignotte[19], mignotte[20] = 1, -20000, 400, -2
add("Mignotte, degree 20, a = 100", mignotte, digits=100)
with mp.workdps(60):
    unity = [mp.expjpi(mp.mpf(2 * k) / 32) for k in range(32)]
add("roots of unity 32", [1] + [0] * 31 + [-1], unity)
add("all ones, degree 30", [1] * 31)
add("no real root", [1, 0, 2, 0, 3])
add("scales of 1e300", [1e-300, 0, -1e300], digits=700)
add("scales, three of 1e-100 to 1e100", [1, -1e100, 1, -1e-100], digits=350)
add("leading and trailing zeros", [0, 0, 1, -3, 2, 0, 0], [0, 0, 1, 2])
# Jenkins and Traub.
add("JT p1, a = 1e-8", [1, -1e-8, -1e-16, 1e-24], digits=80)
add("JT p3", product([Fraction(1, 10**k) for k in range(1, 6)]), digits=80)
add("JT p4", product([Fraction(1, 10)] * 3 + [Fraction(1, 2), Fraction(6, 10), Fraction(7, 10)]), digits=120)
add("JT p8", [1, 4, 6, 4, 1], [-1] * 4)
add("JT p9", [1] + [0] * 9 + [-(10.0**20) + 1e-20] + [0] * 9 + [-1], digits=120)
add("JT p10, a = 1000", product([1000, 1, Fraction(1, 1000)]), digits=80)
add("JT p11, circle and half circle, degree 15", [1, -0.9, 0.81, -0.729, 0.6561, -0.59049, 0.531441, -0.4782969, 0.43046721, 1, -0.387420489, 0.3486784401, 2, 1, -1, 0.5])
add("complex coefficients", [1, 2, -3, 0.5], imaginary=[0, 1, -1, 2])
add("complex, double root 1 + i", [1, -2, 0], [mp.mpc(1, 1)] * 2, imaginary=[0, -2, 2])
add("Bini and Fiorentino: exponential series, degree 20, scaled by 20!", [mp.factorial(20) / mp.factorial(k) for k in range(20, -1, -1)], digits=80)
add("sparse, degree 100", [1] + [0] * 49 + [-3] + [0] * 40 + [5] + [0] * 8 + [1], digits=60)
add("one root", [2, -1])

Path(__file__).with_suffix(".json").write_text("[\n" + ",\n".join(json.dumps(case) for case in CASES) + "\n]\n")
