"""Makes the reference values of `integrate.json`, with mpmath to 30 digits: the parametrised families of QUADPACK and further hard integrals.

    pip install mpmath && python3 tests/reference/integrate.py

Families: R. Piessens, E. de Doncker-Kapenga, C. W. Überhuber, D. K. Kahaner, "QUADPACK", Springer 1983, section 4.2, in closed form. Others:
closed forms of I. S. Gradshteyn, I. M. Ryzhik, "Table of Integrals, Series, and Products"; those of D. H. Bailey, K. Jeyabalan, X. S. Li, "A
comparison of three high-precision quadrature schemes", Experimental Mathematics 14, 2005; or, where `source` says so, mpmath's `quad`.
"""

import json
from pathlib import Path

from mpmath import *

mp.dps = 40
here = Path(__file__).resolve().parent
cases = []
inf = mpf("inf")


def case(title, f, start, end, value, source="closed form", **more):
    cases.append({"title": title, "args": {"f": f, "from": start, "to": end, **more}, "expected": nstr(value, 30), "source": source})


def steps(first, last, step):
    count = int((last - first) / step + 1.5)
    return [float(mpf(str(first)) + k * mpf(str(step))) for k in range(count)]


def families():
    name = lambda number, a: f"QUADPACK family {number}, alpha = {a:.3g}"
    book = "QUADPACK, section 4.2, closed form"
    for a in map(mpf, steps(-0.9, 2.6, 0.1)):
        case(name(1, float(a)), f"x**({float(a)!r})*log(1/x)", 0, 1, 1 / (1 + a) ** 2, book)
    for a in range(0, 21):
        value = atan((4 - pi) * mpf(4) ** (a - 1)) + atan(pi * mpf(4) ** (a - 1))
        case(name(2, a), f"4**(-{a})/((x-pi/4)**2+16**(-{a}))", 0, 1, value, book)
    for a in range(0, 11):
        case(name(3, a), f"cos(2**{a}*sin(x))", 0, "pi", pi * besselj(0, mpf(2) ** a), book)
    for number, place, text in ((4, mpf(1 / 3), "1/3"), (5, mpf(float(pi / 4)), "pi/4")):
        for a in map(mpf, steps(-0.8, 2.1, 0.1)):
            value = ((1 - place) ** (a + 1) + place ** (a + 1)) / (a + 1)
            case(name(number, float(a)), f"abs(x-{text})**({float(a)!r})", 0, 1, value, book)
    for a in range(1, 21):
        case(name(6, a), f"1/sqrt(1-x*x)/(x+1+2**(-{a}))", -1, 1, pi / sqrt((1 + mpf(2) ** -a) ** 2 - 1), book)
    for a in map(mpf, steps(0.1, 2, 0.1)):
        case(name(7, float(a)), f"sin(x)**({float(a)!r}-1)", 0, "pi/2", mpf(2) ** (a - 2) * gamma(a / 2) ** 2 / gamma(a), book)
    for a in map(mpf, steps(0.1, 2, 0.1)):
        case(name(8, float(a)), f"log(1/x)**({float(a)!r}-1)", 0, 1, gamma(a), book)
    for a in range(0, 10):
        w = mpf(2) ** a
        case(name(9, a), f"exp(20*(x-1))*sin(2**{a}*x)", 0, 1, (20 * sin(w) - w * cos(w) + w * exp(-20)) / (400 + w * w), book)
    for a in range(0, 9):
        w = mpf(2) ** (a - 1)
        case(name(10, a), f"cos(2**{a}*x)/sqrt(x*(1-x))", 0, 1, pi * cos(w) * besselj(0, w), book)
    for a in range(0, 6):
        case(name(11, a), f"x**2*exp(-2**(-{a})*x)", 0, "inf", mpf(2) ** (3 * a + 1), book)
    for a in map(mpf, steps(0.1, 1.9, 0.1)):
        if abs(a - 1) > 1e-9:
            case(name(12, float(a)), f"x**({float(a)!r}-1)/(1+10*x)**2", 0, "inf", mpf(10) ** -a * (1 - a) * pi / sin(pi * a), book)
    for a in range(0, 7):
        w = mpf(2) ** -a
        case(name(13, a), f"exp(-2**(-{a})*x)*cos(x)/sqrt(x)", 0, "inf", sqrt(pi) * (1 + w * w) ** mpf("-0.25") * cos(atan(1 / w) / 2), book)
    # Principal values of the family of QAWC.
    for a in range(0, 8):
        w = mpf(2) ** -a
        f = lambda x: w / ((x - 1) ** 2 + w * w)
        # 1/(x-2) with the Lorentz curve: partial fractions.
        d = 1 + w * w
        antiderivative = lambda x: w / d * (log(abs(x - 2)) - log((x - 1) ** 2 + w * w) / 2) - atan((x - 1) / w) / d
        case(f"principal value, alpha = {a}", f"2**(-{a})/((x-1)**2+4**(-{a}))/(x-2)", 0, 5, antiderivative(mpf(5)) - antiderivative(mpf(0)),
             "partial fractions", principal_value=[2])


def hard():
    bailey = "Bailey, Jeyabalan and Li 2005, closed form"
    case("t log(1+t)", "x*log(1+x)", 0, 1, mpf(1) / 4, bailey)
    case("t^2 arctan t", "x**2*atan(x)", 0, 1, (pi - 2 + 2 * log(2)) / 12, bailey)
    case("e^t cos t", "exp(x)*cos(x)", 0, "pi/2", (exp(pi / 2) - 1) / 2, bailey)
    case("arctan of a root", "atan(sqrt(2+x**2))/((1+x**2)*sqrt(2+x**2))", 0, 1, 5 * pi**2 / 96, bailey)
    case("root times logarithm", "sqrt(x)*log(x)", 0, 1, mpf(-4) / 9, bailey)
    case("quarter circle", "sqrt(1-x**2)", 0, 1, pi / 4, bailey)
    case("root over root", "sqrt(x)/sqrt(1-x**2)", 0, 1, 2 * sqrt(pi) * gamma(mpf(3) / 4) / gamma(mpf(1) / 4), bailey)
    case("log squared", "log(x)**2", 0, 1, mpf(2), bailey)
    case("log cos", "log(cos(x))", 0, "pi/2", -pi * log(2) / 2, bailey)
    case("root of tangent", "sqrt(tan(x))", 0, "pi/2", pi * sqrt(2) / 2, bailey)
    case("Lorentz tail", "1/(1+x**2)", 0, "inf", pi / 2, bailey)
    case("exponential over root", "exp(-x)/sqrt(x)", 0, "inf", sqrt(pi), bailey)
    case("Gauss tail", "exp(-x**2/2)", 0, "inf", sqrt(pi / 2), bailey)
    case("damped cosine", "exp(-x)*cos(x)", 0, "inf", mpf(1) / 2, bailey)
    case("Gauss", "exp(-x**2)", "-inf", "inf", sqrt(pi))
    case("Gauss times a fast wave", "exp(-x**2)*cos(50*x)", "-inf", "inf", sqrt(pi) * exp(-625))
    case("Gauss at 1000", "exp(-(x-1000)**2)", "-inf", "inf", sqrt(pi))
    case("narrow peak", "exp(-1e6*(x-0.3)**2)", -10, 10, sqrt(pi) / 1000)
    case("two peaks", "1/((x-0.3)**2+1e-6)+1/((x-0.9)**2+4e-6)", 0, 1,
         1000 * (atan(1000 * (1 - mpf(0.3))) + atan(1000 * mpf(0.3))) + 500 * (atan(500 * (1 - mpf(0.9))) + atan(500 * mpf(0.9))))
    case("whole periods", "sin(2*pi*x)**2", 0, 4, mpf(2))
    case("sixty-four periods", "sin(64*pi*x)**2", 0, 1, mpf(1) / 2)
    case("sine over x", "sin(x)/x", 0, "inf", pi / 2)
    case("sine over x, both sides", "sin(x)/x", "-inf", "inf", pi)
    case("Fresnel", "cos(x**2)", 0, "inf", sqrt(pi / 8))
    case("cosine over root", "cos(x)/sqrt(x)", 0, "inf", sqrt(pi / 2))
    case("x sine over 1+x^2", "x*sin(x)/(1+x**2)", 0, "inf", pi / (2 * e))
    case("cosine over 1+x^2", "cos(x)/(1+x**2)", 0, "inf", pi / (2 * e))
    case("Bessel J0", "besselj0(x)", 0, "inf", mpf(1))
    case("sine of 1/x", "sin(1/x)", 0, 1, sin(1) - ci(1))
    case("thousand waves", "cos(1000*x)*exp(-x)", 0, 1, re(quad_exact(1000)))
    case("ten thousand waves", "cos(1e4*x)", 0, 1, sin(mpf(10**4)) / 10**4)
    case("slow damping", "exp(-0.01*x)*sin(x)", 0, "inf", 1 / (1 + mpf(0.01) ** 2))
    case("gamma", "x**20*exp(-x)", 0, "inf", factorial(20))
    case("Planck", "x**3/(exp(x)-1)", 0, "inf", pi**4 / 15)
    case("x^-0.9", "x**(-0.9)", 0, 1, 1 / (1 - mpf(0.9)))
    case("x^-0.99", "x**(-0.99)", 0, 1, 1 / (1 - mpf(0.99)))
    case("tail x^-1.1", "x**(-1.1)", 1, "inf", 1 / (mpf(1.1) - 1))
    case("beta 1/2 1/2", "1/sqrt(x*(1-x))", 0, 1, pi)
    case("both ends at 1", "1/sqrt(1-x**2)", -1, 1, pi)
    case("root inside", "1/sqrt(abs(x-0.3))", 0, 1, 2 * (sqrt(mpf(0.3)) + sqrt(1 - mpf(0.3))))
    case("logarithm inside", "log(abs(x-0.7))", 0, 1, (1 - mpf(0.7)) * log(1 - mpf(0.7)) + mpf(0.7) * log(mpf(0.7)) - 1)
    case("QAGP example", "x**3*log(abs((x**2-1)*(x**2-2)))", 0, 3, 61 * log(2) + mpf(77) / 4 * log(7) - 27, "QUADPACK, section 4.3")
    case("QAGP example, with points", "x**3*log(abs((x**2-1)*(x**2-2)))", 0, 3, 61 * log(2) + mpf(77) / 4 * log(7) - 27, "QUADPACK, section 4.3",
         points=[1, "sqrt(2)"])
    case("steps", "floor(10*x)", 0, 1, mpf("4.5"))
    case("kink", "abs(x-0.3)", 0, 1, (mpf(0.3) ** 2 + (1 - mpf(0.3)) ** 2) / 2)
    case("sign", "sign(x-1/7)*exp(x)", 0, 1, e - 2 * exp(mpf(1 / 7)) + 1)
    case("x^x", "x**x", 0, 1, -nsum(lambda n: (-n) ** (-n), [1, inf]), "sophomore's dream: the sum of n^-n")
    case("exp of sine", "exp(sin(x))", 0, "2*pi", 2 * pi * besseli(0, 1))
    case("principal value 1/x", "1/x", -1, 2, log(2), principal_value=[0])
    case("principal value exp(x)/x", "exp(x)/x", -1, 1, ei(1) - ei(-1), principal_value=[0])
    case("principal value on a half-line", "1/(x**2-1)", 0, "inf", mpf(0), principal_value=[1])
    case("logistic density", "exp(-x)/(1+exp(-x))**2", -50, 50, tanh(mpf(25)))
    case("erf", "erf(x)", 0, 2, 2 * erf(2) + (exp(-4) - 1) / sqrt(pi))
    case("arc length of a parabola", "sqrt(1+4*x**2)", 0, 3, mpf(3) / 2 * sqrt(37) + asinh(6) / 4)
    case("elliptic K(1/2)", "1/sqrt(1-0.5*sin(x)**2)", 0, "pi/2", ellipk(mpf(1) / 2))
    case("Student's t, 3 degrees", "(1+x**2/3)**(-2)", "-inf", "inf", pi * sqrt(3) / 2)


def quad_exact(w):
    # The integral of exp(-x) cos(w x) from 0 to 1.
    z = mpc(-1, w)
    return (exp(z) - 1) / z


families()
hard()
(here / "integrate.json").write_text(json.dumps(cases, indent=1) + "\n")
print(len(cases), "cases")
