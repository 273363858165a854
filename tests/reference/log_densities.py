"""Makes log_densities.json: log densities and probabilities of the expression language, by SciPy.

    pip install scipy && python3 tests/reference/log_densities.py

SciPy has other parametrisations for most of them, which the table below translates.
"""

import json
import math
from pathlib import Path

from scipy import stats

HERE = Path(__file__).resolve().parent
# Name, arguments, the distribution in SciPy's words, the points.
TABLE = [
    ("normal_lpdf", (0.3, 1.7), lambda m, s: stats.norm(m, s), (-40.0, -1.2, 0.3, 2.5)),
    ("std_normal_lpdf", (), lambda: stats.norm(), (-3.0, 0.0, 1.5)),
    ("lognormal_lpdf", (0.3, 1.7), lambda m, s: stats.lognorm(s, scale=math.exp(m)), (1e-3, 1.0, 40.0)),
    ("student_t_lpdf", (4.5, 0.3, 1.7), lambda n, m, s: stats.t(n, m, s), (-40.0, 0.3, 2.5)),
    ("cauchy_lpdf", (0.3, 1.7), lambda m, s: stats.cauchy(m, s), (-40.0, 0.3, 2.5)),
    ("laplace_lpdf", (0.3, 1.7), lambda m, s: stats.laplace(m, s), (-40.0, 0.3, 2.5)),
    ("logistic_lpdf", (0.3, 1.7), lambda m, s: stats.logistic(m, s), (-2000.0, 0.3, 2.5, 2000.0)),
    ("gumbel_lpdf", (0.3, 1.7), lambda m, b: stats.gumbel_r(m, b), (-4.0, 0.3, 25.0)),
    ("half_normal_lpdf", (1.7,), lambda s: stats.halfnorm(scale=s), (0.0, 0.3, 2.5)),
    ("half_cauchy_lpdf", (1.7,), lambda s: stats.halfcauchy(scale=s), (0.0, 0.3, 25.0)),
    ("exponential_lpdf", (1.7,), lambda r: stats.expon(scale=1 / r), (0.0, 0.3, 25.0)),
    ("gamma_lpdf", (2.5, 1.7), lambda a, r: stats.gamma(a, scale=1 / r), (1e-3, 1.0, 40.0)),
    ("inv_gamma_lpdf", (2.5, 1.7), lambda a, s: stats.invgamma(a, scale=s), (1e-1, 1.0, 40.0)),
    ("chi_square_lpdf", (3.5,), lambda n: stats.chi2(n), (1e-3, 1.0, 40.0)),
    ("weibull_lpdf", (1.5, 1.7), lambda a, s: stats.weibull_min(a, scale=s), (1e-3, 1.0, 10.0)),
    ("pareto_lpdf", (0.5, 1.7), lambda low, a: stats.pareto(a, scale=low), (0.5, 1.0, 10.0)),
    ("beta_lpdf", (2.5, 0.7), lambda a, b: stats.beta(a, b), (1e-6, 0.3, 0.999)),
    ("uniform_lpdf", (-0.5, 1.7), lambda a, b: stats.uniform(a, b - a), (-0.5, 0.3, 1.7)),
    ("bernoulli_lpmf", (0.3,), lambda p: stats.bernoulli(p), (0, 1)),
    ("bernoulli_logit_lpmf", (-1.3,), lambda t: stats.bernoulli(1 / (1 + math.exp(-t))), (0, 1)),
    ("binomial_lpmf", (12, 0.3), lambda n, p: stats.binom(n, p), (0, 5, 12)),
    ("binomial_logit_lpmf", (12, -1.3), lambda n, t: stats.binom(n, 1 / (1 + math.exp(-t))), (0, 5, 12)),
    ("poisson_lpmf", (4.2,), lambda r: stats.poisson(r), (0, 5, 60)),
    ("poisson_log_lpmf", (1.4,), lambda r: stats.poisson(math.exp(r)), (0, 5, 60)),
    ("neg_binomial_2_lpmf", (4.2, 1.7), lambda m, f: stats.nbinom(f, f / (f + m)), (0, 5, 60)),
    ("geometric_lpmf", (0.3,), lambda p: stats.geom(p, loc=-1), (0, 5, 60)),
]


def cases():
    for name, arguments, distribution, points in TABLE:
        law = distribution(*arguments)
        value = law.logpmf if name.endswith("lpmf") else law.logpdf
        for point in points:
            text = f"{name}({', '.join(repr(x) for x in (point, *arguments))})"
            expected = {"at": "/value", "expected": float(value(point)), "tolerance": 1e-12}
            yield {"title": text, "tool": "calculate", "args": {"expression": text}, "checks": [expected], "source": "SciPy, scipy.stats"}


lines = ",\n".join(json.dumps(case) for case in cases())
(HERE / "log_densities.json").write_text(f"[\n{lines}\n]\n")
