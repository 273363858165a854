"""Writes distributions.json: values of distributions to 50 digits by mpmath, one case a line.

A line is [family, parameters, function, argument, value]; arguments are the doubles nearest to the numbers that are written, values decimal strings.
The formulas are the plain ones (differences from 1 among them), which 400 digits allow; the incomplete functions of large parameters are Lentz's
continued fractions in mpmath's numbers. Run: python3 distributions.py > distributions.json (mpmath 1.4, about five minutes).
"""

from mpmath import mp, mpf, exp, log, log1p, sqrt, pi, loggamma, gamma, quad, betainc, gammainc, ncdf, npdf, inf
import math

HIGH = 400
mp.dps = HIGH


def lentz_q(a, x):
    """gamma(a, x) / gamma(a) above the turning point."""
    b = x + 1 - a
    c, d = mpf(10) ** 300, 1 / b
    h = d
    for i in range(1, 10**6):
        an = -i * (i - a)
        b += 2
        d = 1 / (an * d + b)
        c = b + an / c
        h *= c * d
        if abs(c * d - 1) < mpf(10) ** -52:
            break
    return h * exp(a * log(x) - x - loggamma(a))


def series_p(a, x):
    s = t = mpf(1)
    k = 1
    while t > s * mpf(10) ** -55:
        t *= x / (a + k)
        s += t
        k += 1
    return s / a * exp(a * log(x) - x - loggamma(a))


def lentz_beta(a, b, x):
    """I_x(a, b) below the mean."""
    t, c = a + b, mpf(1)
    d = 1 / (1 - t * x / (a + 1))
    h = d
    for m in range(1, 10**6):
        e = (b - m) * m * x / ((a + 2 * m - 1) * (a + 2 * m))
        d = 1 / (1 + e * d)
        c = 1 + e / c
        h *= c * d
        o = -(a + m) * (t + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        d = 1 / (1 + o * d)
        c = 1 + o / c
        h *= c * d
        if abs(c * d - 1) < mpf(10) ** -52:
            break
    return h / a * exp(a * log(x) + b * log(1 - x) - loggamma(a) - loggamma(b) + loggamma(t))


def gamma_tails(a, x):
    """P and Q, each from its own side."""
    if x < a + 1:
        p = series_p(a, x)
        return p, 1 - p
    q = lentz_q(a, x)
    return 1 - q, q


def beta_tails(a, b, x, y=None):
    y = 1 - x if y is None else y
    if x < (a + 1) / (a + b + 2):
        p = lentz_beta(a, b, x)
        return p, 1 - p
    q = lentz_beta(b, a, y)
    return 1 - q, q


def from_tails(density, tails):
    return {"pdf": density, "cdf": lambda x: tails(x)[0], "sf": lambda x: tails(x)[1]}


def from_cdf(cdf, density):
    return {"pdf": density, "cdf": cdf, "sf": lambda x: 1 - cdf(x)}


def gamma_family(a, s=mpf(1)):
    return from_tails(
        lambda x: exp((a - 1) * log(x / s) - x / s - loggamma(a)) / s, lambda x: gamma_tails(a, x / s)
    )


def beta_density(a, b, x):
    return exp((a - 1) * log(x) + (b - 1) * log(1 - x) - loggamma(a) - loggamma(b) + loggamma(a + b))


def student(v, m=mpf(0), s=mpf(1)):
    def density(x):
        z = (x - m) / s
        return exp(loggamma((v + 1) / 2) - loggamma(v / 2) - (v + 1) / 2 * log(1 + z * z / v)) / sqrt(v * pi) / s

    def tails(x):
        z = (x - m) / s
        upper = beta_tails(v / 2, mpf(1) / 2, v / (v + z * z))[0] / 2
        return (upper, 1 - upper) if z < 0 else (1 - upper, upper)

    return from_tails(density, tails)


def fisher(m, n):
    def density(x):
        w = m * x / (m * x + n)
        return beta_density(m / 2, n / 2, w) * m * n / (m * x + n) ** 2

    return from_tails(density, lambda x: beta_tails(m / 2, n / 2, m * x / (m * x + n)))


def integrated(density, low, high, width):
    """Tails by integration in pieces of a width around the argument."""

    def outward(start, end):
        # Pieces that grow away from the argument, where a tail may fall steeply.
        ends, step = [start], (end - start) / abs(end - start) * width / 100
        while abs(end - ends[-1]) > abs(step):
            ends.append(ends[-1] + step)
            step *= 2 if abs(step) < width / 2 else 1
        ends.append(end)
        # Of size 1 where it begins: the tolerance of `quad` is absolute.
        size = density(start)
        return abs(quad(lambda t: density(t) / size, ends)) * size

    def tails(x):
        # The tail in which the density falls; beyond 14 widths nothing is left of it.
        if density(x - width / 1000) < density(x + width / 1000):
            lower = outward(x, max(low, x - 14 * width))
            return lower, 1 - lower
        upper = outward(x, min(high, x + 14 * width))
        return 1 - upper, upper

    return from_tails(density, tails)


def noncentral_chi(k, l):
    def weight(j):
        return exp(j * log(l / 2) - l / 2 - loggamma(j + 1))

    def total(x, part):
        return sum(weight(mpf(j)) * part(mpf(j), x) for j in range(0, 600))

    return {
        "pdf": lambda x: total(x, lambda j, x: gamma_family(k / 2 + j, mpf(2))["pdf"](x)),
        "cdf": lambda x: total(x, lambda j, x: gamma_tails(k / 2 + j, x / 2)[0]),
        "sf": lambda x: total(x, lambda j, x: gamma_tails(k / 2 + j, x / 2)[1]),
    }


def noncentral_f(m, n, l):
    def weight(j):
        return exp(j * log(l / 2) - l / 2 - loggamma(j + 1))

    def total(x, part):
        return sum(weight(mpf(j)) * part(mpf(j), m * x / (m * x + n)) for j in range(0, 300))

    return {
        "pdf": lambda x: total(x, lambda j, w: beta_density(m / 2 + j, n / 2, w)) * m * n / (m * x + n) ** 2,
        "cdf": lambda x: total(x, lambda j, w: beta_tails(m / 2 + j, n / 2, w)[0]),
        "sf": lambda x: total(x, lambda j, w: beta_tails(m / 2 + j, n / 2, w)[1]),
    }


def noncentral_t(v, d):
    def root(s):
        return exp(log(2) + v / 2 * log(v / 2) - loggamma(v / 2) + (v - 1) * log(s) - v * s * s / 2)

    ends = [mpf(k) / 4 for k in range(0, 29)]

    def phi(z):
        return mp.erfc(-z / sqrt(2)) / 2

    return {
        "pdf": lambda t: quad(lambda s: s * npdf(t * s - d) * root(s) if s > 0 else mpf(0), ends),
        "cdf": lambda t: quad(lambda s: phi(t * s - d) * root(s) if s > 0 else mpf(0), ends),
        "sf": lambda t: quad(lambda s: phi(d - t * s) * root(s) if s > 0 else mpf(0), ends),
    }


def inverse_gaussian(m, l):
    def cdf(x):
        r = sqrt(l / x)
        return ncdf(r * (x / m - 1)) + exp(2 * l / m) * ncdf(-r * (x / m + 1))

    return from_cdf(cdf, lambda x: sqrt(l / (2 * pi * x**3)) * exp(-l * (x - m) ** 2 / (2 * m * m * x)))


def phi(z):
    return mp.erfc(-z / sqrt(2)) / 2


def binomial(n, p):
    def pmf(k):
        return exp(loggamma(n + 1) - loggamma(k + 1) - loggamma(n - k + 1) + k * log(p) + (n - k) * log(1 - p))

    return from_tails(pmf, lambda k: (mpf(1), mpf(0)) if k >= n else beta_tails(p and (n - k), k + 1, 1 - p, p))


def summed(pmf, low, high):
    def tails(k):
        return sum(pmf(mpf(j)) for j in range(low, int(k) + 1)), sum(pmf(mpf(j)) for j in range(int(k) + 1, high + 1))

    return from_tails(pmf, tails)


def choose(n, k):
    return exp(loggamma(n + 1) - loggamma(k + 1) - loggamma(n - k + 1))


def make(name, p):
    """The functions of a family."""
    p = [mpf(v) for v in p]
    one = mpf(1)
    if name == "normal":
        m, s = p
        return from_tails(lambda x: npdf((x - m) / s) / s, lambda x: (phi((x - m) / s), phi((m - x) / s)))
    if name == "lognormal":
        m, s = p
        return from_tails(
            lambda x: npdf((log(x) - m) / s) / s / x, lambda x: (phi((log(x) - m) / s), phi((m - log(x)) / s))
        )
    if name == "half_normal":
        s = p[0]
        return from_tails(lambda x: 2 * npdf(x / s) / s, lambda x: (1 - 2 * phi(-x / s), 2 * phi(-x / s)))
    if name == "gamma":
        return gamma_family(*p)
    if name == "chi_squared":
        return gamma_family(p[0] / 2, mpf(2))
    if name == "inverse_gamma":
        a, s = p
        g = gamma_family(a)
        return from_tails(lambda x: g["pdf"](s / x) * s / x**2, lambda x: gamma_tails(a, s / x)[::-1])
    if name == "maxwell":
        s = p[0]
        return from_tails(
            lambda x: sqrt(2 / pi) * x**2 / s**3 * exp(-(x**2) / 2 / s**2),
            lambda x: gamma_tails(mpf(3) / 2, x**2 / 2 / s**2),
        )
    if name == "beta":
        return from_tails(lambda x: beta_density(*p, x), lambda x: beta_tails(*p, x))
    if name == "student_t":
        return student(*p)
    if name == "f":
        return fisher(*p)
    if name == "exponential":
        return from_cdf(lambda x: 1 - exp(-x / p[0]), lambda x: exp(-x / p[0]) / p[0])
    if name == "weibull":
        c, s = p
        return from_cdf(
            lambda x: 1 - exp(-((x / s) ** c)), lambda x: c / s * (x / s) ** (c - 1) * exp(-((x / s) ** c))
        )
    if name == "rayleigh":
        s = p[0]
        return from_cdf(lambda x: 1 - exp(-(x**2) / 2 / s**2), lambda x: x / s**2 * exp(-(x**2) / 2 / s**2))
    if name == "gumbel":
        m, s = p
        return from_cdf(
            lambda x: exp(-exp((m - x) / s)), lambda x: exp((m - x) / s - exp((m - x) / s)) / s
        )
    if name == "frechet":
        c, s = p
        return from_cdf(
            lambda x: exp(-((x / s) ** -c)), lambda x: c / s * (x / s) ** (-1 - c) * exp(-((x / s) ** -c))
        )
    if name == "gev":
        k, m, s = p
        t = lambda x: (1 + k * (x - m) / s) ** (-1 / k)
        return from_cdf(lambda x: exp(-t(x)), lambda x: t(x) ** (k + 1) * exp(-t(x)) / s)
    if name == "pareto":
        a, s = p
        return from_cdf(lambda x: 1 - (s / x) ** a, lambda x: a * s**a / x ** (a + 1))
    if name == "generalised_pareto":
        k, m, s = p
        t = lambda x: 1 + k * (x - m) / s
        return from_cdf(lambda x: 1 - t(x) ** (-1 / k), lambda x: t(x) ** (-1 / k - 1) / s)
    if name == "logistic":
        m, s = p
        return from_cdf(
            lambda x: 1 / (1 + exp((m - x) / s)), lambda x: exp((m - x) / s) / s / (1 + exp((m - x) / s)) ** 2
        )
    if name == "log_logistic":
        c, s = p
        return from_cdf(
            lambda x: 1 / (1 + (x / s) ** -c),
            lambda x: c / s * (x / s) ** (c - 1) / (1 + (x / s) ** c) ** 2,
        )
    if name == "laplace":
        m, s = p
        return from_cdf(
            lambda x: exp((x - m) / s) / 2 if x < m else 1 - exp((m - x) / s) / 2,
            lambda x: exp(-abs(x - m) / s) / 2 / s,
        )
    if name == "cauchy":
        m, s = p
        return from_cdf(
            lambda x: one / 2 + mp.atan((x - m) / s) / pi, lambda x: s / pi / (s * s + (x - m) ** 2)
        )
    if name == "half_cauchy":
        s = p[0]
        return from_cdf(lambda x: 2 * mp.atan(x / s) / pi, lambda x: 2 * s / pi / (s * s + x * x))
    if name == "arcsine":
        a, b = p
        return from_cdf(
            lambda x: 2 / pi * mp.asin(sqrt((x - a) / (b - a))), lambda x: 1 / pi / sqrt((x - a) * (b - x))
        )
    if name == "kumaraswamy":
        a, b = p
        return from_cdf(
            lambda x: 1 - (1 - x**a) ** b, lambda x: a * b * x ** (a - 1) * (1 - x**a) ** (b - 1)
        )
    if name == "triangular":
        a, c, b = p
        return from_cdf(
            lambda x: (x - a) ** 2 / (b - a) / (c - a) if x < c else 1 - (b - x) ** 2 / (b - a) / (b - c),
            lambda x: 2 * (x - a) / (b - a) / (c - a) if x < c else 2 * (b - x) / (b - a) / (b - c),
        )
    if name == "uniform":
        a, b = p
        return from_cdf(lambda x: (x - a) / (b - a), lambda x: 1 / (b - a))
    if name == "inverse_gaussian":
        return inverse_gaussian(*p)
    if name == "skew_normal":
        k, m, s = p
        return integrated(lambda x: 2 * npdf((x - m) / s) * phi(k * (x - m) / s) / s, -mpf(60) * s + m, 60 * s + m, s)
    if name == "von_mises":
        m, k = p
        norm = 2 * pi * mp.besseli(0, k)
        return integrated(lambda x: exp(k * mp.cos(x - m)) / norm, m - pi, m + pi, min(mpf(1), 1 / sqrt(k)))
    if name == "noncentral_t":
        return noncentral_t(*p)
    if name == "noncentral_chi_squared":
        return noncentral_chi(*p)
    if name == "noncentral_f":
        return noncentral_f(*p)
    if name == "binomial":
        return binomial(*p)
    if name == "bernoulli":
        return binomial(one, p[0])
    if name == "poisson":
        l = p[0]
        return from_tails(
            lambda k: exp(k * log(l) - l - loggamma(k + 1)), lambda k: gamma_tails(k + 1, l)[::-1]
        )
    if name == "negative_binomial":
        r, q = p
        return from_tails(
            lambda k: exp(loggamma(k + r) - loggamma(k + 1) - loggamma(r) + r * log(q) + k * log(1 - q)),
            lambda k: beta_tails(r, k + 1, q),
        )
    if name == "geometric":
        q = p[0]
        return from_cdf(lambda k: 1 - (1 - q) ** (k + 1), lambda k: q * (1 - q) ** k)
    if name == "hypergeometric":
        n, m, d = p
        low, high = int(max(0, d + m - n)), int(min(m, d))
        return summed(lambda k: choose(m, k) * choose(n - m, d - k) / choose(n, d), low, high)
    if name == "beta_binomial":
        n, a, b = p
        ratio = lambda k: exp(loggamma(k + a) + loggamma(n - k + b) - loggamma(n + a + b))
        front = exp(loggamma(a + b) - loggamma(a) - loggamma(b))
        return summed(lambda k: choose(n, k) * ratio(k) * front, 0, int(n))
    if name == "discrete_uniform":
        a, b = p
        return from_cdf(lambda k: (k - a + 1) / (b - a + 1), lambda k: 1 / (b - a + 1))
    if name == "zeta":
        s = p[0]
        return from_tails(
            lambda k: k**-s / mp.zeta(s),
            lambda k: (1 - mp.zeta(s, k + 1) / mp.zeta(s), mp.zeta(s, k + 1) / mp.zeta(s)),
        )
    if name == "skellam":
        a, b = p
        pmf = lambda k: exp(-a - b) * (a / b) ** (k / 2) * mp.besseli(abs(k), 2 * sqrt(a * b))
        return summed(pmf, -200, 200)
    if name == "logarithmic":
        q = p[0]
        return summed(lambda k: -(q**k) / k / log(1 - q), 1, 1500)
    raise KeyError(name)


# Family, parameters, arguments; numbers that mark "large" are those of the continued fractions in 75 digits.
CASES = [
    ("normal", [0, 1], [-38, -37.5, -8, -1, 0.3, 2, 9, 37]),
    ("normal", [1e8, 3.7], [1e8 - 100, 1e8 + 1, 1e8 + 130]),
    ("lognormal", [0.5, 0.25], [1e-3, 0.9, 1.7, 40, 8000]),
    ("lognormal", [0, 3], [1e-40, 1, 1e45]),
    ("half_normal", [2], [1e-9, 1, 3, 70]),
    ("gamma", [0.01, 1], [1e-300, 1e-8, 0.5, 20, 600]),
    ("gamma", [0.7, 3], [1e-200, 0.01, 1, 30, 2000]),
    ("gamma", [7.5, 1.3], [1e-30, 2, 9.75, 40, 900]),
    ("gamma", [1e4, 0.1], [700, 990, 1001, 1400]),
    ("gamma", [1e8, 1], [1e8 - 370000, 1e8 - 20000, 1e8 + 5, 1e8 + 12345, 1e8 + 370000]),
    ("gamma", [1e8, 0.3], [3e7 - 111000, 3e7 - 1000, 3e7 + 2000, 3e7 + 110000]),
    ("inverse_gamma", [3, 2], [0.003, 0.5, 1, 60, 1e90]),
    ("inverse_gamma", [1e6, 0.7e6], [0.68, 0.6995, 0.7003, 0.72]),
    ("chi_squared", [1], [1e-250, 0.001, 1, 30, 1300]),
    ("chi_squared", [17], [0.1, 10, 25, 200, 1400]),
    ("chi_squared", [1e8], [99500000, 99990000, 100005000, 100520000]),
    ("beta", [0.5, 0.5], [1e-300, 0.01, 0.5, 0.999]),
    ("beta", [2, 5], [1e-100, 0.01, 0.3, 0.9, 0.99999]),
    ("beta", [1e-3, 40], [1e-300, 0.001, 0.5]),
    ("beta", [1e8, 1e8], [0.4988, 0.49999, 0.5, 0.500013, 0.5012]),
    ("beta", [1e8, 3], [0.9999963, 0.99999997, 0.999999999]),
    ("beta", [2e4, 1e8], [0.00016, 0.000199, 0.0002011, 0.00025]),
    ("student_t", [0.5, 0, 1], [-1e200, -10, 0.1, 3, 1e30]),
    ("student_t", [3, 0, 1], [-1e90, -2, 0.001, 1, 40]),
    ("student_t", [30, 1, 2.5], [-1e9, -20, 0.5, 7, 200]),
    ("student_t", [1e8, 0, 1], [-37, -3, 0.5, 2, 36]),
    ("f", [1, 1], [1e-200, 0.1, 1, 1e30]),
    ("f", [3, 12], [1e-150, 0.2, 1.1, 30, 1e40]),
    ("f", [7, 1e8], [0.01, 1, 3, 200]),
    ("f", [1e8, 1e8], [0.9951, 0.9998, 1.0001, 1.005]),
    ("f", [250, 33], [0.05, 0.7, 1.5, 900]),
    ("exponential", [2.5], [1e-20, 1, 30, 1700]),
    ("weibull", [0.4, 2], [1e-30, 0.1, 3, 1e7]),
    ("weibull", [12.5, 3], [1e-9, 2, 3.1, 5]),
    ("weibull", [1e6, 1], [0.9996, 0.9999999, 1.0000065]),
    ("rayleigh", [1.5], [1e-12, 1, 4, 55]),
    ("maxwell", [1.5], [1e-80, 1, 4, 55]),
    ("gumbel", [1, 2], [-12, 0.4, 3, 60, 1300]),
    ("frechet", [2.5, 3], [0.24, 2, 9, 1e60]),
    ("gev", [0.25, 1, 2], [-6.3, 0.25, 5, 1e9]),
    ("gev", [-0.3, 1, 2], [-20, 0.25, 3, 7.6]),
    ("pareto", [1.5, 2], [2.0000001, 3, 1e8, 1e200]),
    ("generalised_pareto", [0.2, 1, 3], [1.00001, 3, 50, 1e12]),
    ("generalised_pareto", [-0.4, 0, 1], [1e-9, 0.5, 2, 2.4999]),
    ("logistic", [1, 0.5], [-340, -1, 0.9, 3, 340]),
    ("log_logistic", [3, 2], [1e-60, 1, 2.1, 40, 1e90]),
    ("laplace", [1, 3], [-2000, -1, 1.5, 6, 2000]),
    ("cauchy", [0, 1], [-1e250, -3, 0.001, 2, 1e100]),
    ("half_cauchy", [2], [1e-200, 1, 9, 1e150]),
    ("arcsine", [0, 1], [1e-250, 0.1, 0.5, 0.9999]),
    ("kumaraswamy", [2, 5], [1e-100, 0.1, 0.5, 0.999]),
    ("triangular", [-1, 0.5, 2], [-0.9999, 0.25, 1, 1.99999]),
    ("uniform", [-1, 3], [-0.99, 0.4, 2.999]),
    ("inverse_gaussian", [2, 3], [0.002, 0.5, 2.5, 30, 900]),
    ("inverse_gaussian", [1, 1000], [0.5, 0.95, 1.01, 1.3]),
    ("skew_normal", [4, 0, 1], [-5, -0.2, 0.5, 3, 25]),
    ("skew_normal", [-1.5, 2, 3], [-60, 0.25, 2, 9]),
    ("von_mises", [0, 0.5], [-3, -0.5, 1, 3.1]),
    ("von_mises", [0, 40], [-2.9, -0.2, 0.1, 1.5]),
    ("noncentral_t", [12, 1.5], [-12, -1, 1, 4, 60]),
    ("noncentral_t", [5, -3], [-40, -3.5, -1, 2]),
    ("noncentral_chi_squared", [4, 10], [0.001, 5, 14, 60, 400]),
    ("noncentral_f", [3, 20, 6], [0.001, 1, 3, 20, 90]),
    ("bernoulli", [0.3], [0]),
    ("binomial", [20, 0.3], [0, 3, 6, 15, 19]),
    ("binomial", [1e8, 1e-3], [88000, 99500, 100100, 112000]),
    ("binomial", [1e8, 0.5], [49820000, 49999000, 50003000, 50180000]),
    ("poisson", [0.2], [0, 1, 5, 120]),
    ("poisson", [3e3], [1200, 2950, 3050, 5500]),
    ("poisson", [1e8], [99640000, 99990000, 100005000, 100360000]),
    ("negative_binomial", [3.5, 0.2], [0, 5, 20, 500, 3000]),
    ("negative_binomial", [1e6, 0.4], [1430000, 1499000, 1502000, 1560000]),
    ("geometric", [0.01], [0, 50, 300, 60000]),
    ("hypergeometric", [500, 60, 200], [1, 15, 24, 50]),
    ("discrete_uniform", [1, 6], [1, 4]),
    ("beta_binomial", [40, 2.5, 4], [0, 8, 15, 38]),
    ("zeta", [2.5], [1, 3, 100, 1000000]),
    ("skellam", [7, 4], [-20, -2, 3, 10, 60]),
    ("logarithmic", [0.8], [1, 4, 30, 500]),
]
INTEGRALS = {"skew_normal", "von_mises", "noncentral_t", "noncentral_chi_squared", "noncentral_f"}
DISCRETE = {
    "bernoulli", "binomial", "poisson", "negative_binomial", "geometric", "hypergeometric", "discrete_uniform",
    "beta_binomial", "zeta", "skellam", "logarithmic",
}
LEAST = mpf("1e-300")


def digits_for(name, parameters):
    if name in ("noncentral_t", "skew_normal", "von_mises"):
        return 60
    if name.startswith("noncentral"):
        return 70
    return 75 if max(abs(v) for v in parameters) > 2000 or name in ("gamma", "beta", "f", "student_t", "chi_squared",
        "inverse_gamma", "maxwell", "binomial", "poisson", "negative_binomial") else HIGH


def cases():
    for name, parameters, arguments in CASES:
        mp.dps = digits_for(name, parameters)
        functions = make(name, parameters)
        for x in arguments:
            values = {key: function(mpf(x)) for key, function in functions.items()}
            for key, value in values.items():
                if value > LEAST:
                    yield [name, parameters, key, x, value]
            if name in DISCRETE:
                continue
            for key, tail, sign in (("ppf", "cdf", 1), ("isf", "sf", -1)):
                share = values[tail]
                if not LEAST < share < 0.99:
                    continue
                p = float(share)
                # Newton's steps from the argument to the quantile of the nearest double.
                at = mpf(x)
                for _ in range(1 if name in INTEGRALS else 2):
                    here = share if at == x else functions[tail](at)
                    slope = values["pdf"] if at == x else functions["pdf"](at)
                    at += sign * (mpf(p) - here) / slope
                yield [name, parameters, key, p, at]


def main():
    rows = []
    for name, parameters, key, x, value in cases():
        given = ", ".join(repr(float(v)) for v in parameters)
        rows.append(f'["{name}", [{given}], "{key}", {float(x)!r}, "{mp.nstr(value, 25)}"]')
    print("[\n" + ",\n".join(rows) + "\n]")


main()
