"""Makes the reference values of `models.json`: tools for models against statsmodels 0.15, lifelines 0.30 and scikit-learn 1.9 on the same data.

    pip install statsmodels lifelines scikit-learn && python3 tests/reference/models.py

A case is a call, `terms` (estimate, standard error, statistic, p, lower, upper by the name of the coefficient) and `values` by JSON pointer; both agree
to `tolerance`, relative to the value. `columns` names a table in `tables`. Made-up numbers come from a fixed seed and are rounded, so that the table in
the document is the data; `lung`, `sleepstudy` and `engel` are the published sets.
"""

import json
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import statsmodels.api as sm
from scipy.stats import norm as normal
import statsmodels.formula.api as smf
from statsmodels.stats.diagnostic import het_breuschpagan, linear_reset
from statsmodels.stats.outliers_influence import OLSInfluence, variance_inflation_factor
from statsmodels.stats.stattools import durbin_watson, jarque_bera

here = Path(__file__).resolve().parent
cases = []
tables = {}


def table(name, frame):
    tables[name] = {column: [None if value is None or value != value else value for value in frame[column].tolist()] for column in frame}
    return frame


def rename(name):
    parts = name.replace(" ** ", "^").replace("np.log(", "log(").replace("np.sqrt(", "sqrt(").split(":")
    return ":".join(sorted(parts))


def terms(result, use_t=None):
    interval = np.asarray(result.conf_int())
    rows = zip(result.params.index, result.params, result.bse, result.tvalues, result.pvalues, interval)
    return {rename(name): [float(v) for v in (estimate, error, t, p, low, high)] for name, estimate, error, t, p, (low, high) in rows}


def case(title, tool, args, columns, term_values=None, values=None, tolerance=1e-9):
    cases.append({"title": title, "tool": tool, "args": args, "columns": columns, "terms": term_values or {}, "values": {key: float(value) for key, value in (values or {}).items()}, "tolerance": tolerance})


rng = np.random.default_rng(46)
n = 60
x = np.round(rng.normal(10, 3, n), 2)
z = np.round(rng.uniform(1, 5, n), 3)
city = rng.choice(["Lyon", "Oslo", "Rome"], n)
side = rng.choice(["left", "right"], n)
clinic = rng.integers(1, 9, n)
weight = np.round(rng.uniform(0.5, 3, n), 2)
exposure = np.round(rng.uniform(1, 10, n), 1)
trials = rng.integers(3, 15, n)
shift = np.select([city == "Lyon", city == "Oslo"], [0.0, 1.5], -1.0)
y = np.round(2 + 0.8 * x - 0.5 * z + shift + rng.normal(0, 1 + 0.2 * z, n), 3)
eta = -1 + 0.15 * x - 0.3 * z + 0.4 * shift
hit = (rng.uniform(size=n) < 1 / (1 + np.exp(-eta))).astype(int)
wins = rng.binomial(trials, 1 / (1 + np.exp(-eta)))
count = rng.poisson(exposure * np.exp(-1 + 0.1 * x))
burst = rng.negative_binomial(1.5, 1.5 / (1.5 + np.exp(0.3 + 0.12 * x)))
amount = np.round(rng.gamma(3, np.exp(0.5 + 0.1 * x - 0.2 * z) / 3), 3) + 0.01
main = pd.DataFrame(dict(y=y, x=x, z=z, city=city, side=side, clinic=clinic, weight=weight, exposure=exposure, trials=trials, hit=hit, wins=wins, losses=trials - wins, count=count, burst=burst, amount=amount))
table("main", main)


# Linear regression

def linear(title, formula, patsy=None, errors="classical", weights=None, args=None, tolerance=1e-9):
    patsy = patsy or formula
    model = smf.wls(patsy, main, weights=main[weights]) if weights else smf.ols(patsy, main)
    plain = model.fit()
    if errors == "cluster":
        result = model.fit(cov_type="cluster", cov_kwds={"groups": main["clinic"]}, use_t=True)
    elif errors != "classical":
        result = model.fit(cov_type=errors, use_t=True)
    else:
        result = plain
    call = {"formula": formula, **(args or {})}
    if errors != "classical":
        call["errors"] = errors
    if errors == "cluster":
        call["cluster"] = "clinic"
    if weights:
        call["weights"] = weights
    values = {"/r2": plain.rsquared, "/adjusted_r2": plain.rsquared_adj, "/residual_std": np.sqrt(plain.scale), "/degrees_of_freedom": plain.df_resid,
              "/fit/log_likelihood": plain.llf, "/fit/aic": plain.aic, "/fit/bic": plain.bic, "/fit/f": float(np.squeeze(result.fvalue)), "/fit/f_p": float(result.f_pvalue)}
    return case(title, "linear_regression", call, "main", terms(result), values, tolerance), plain


for errors in ["classical", "HC0", "HC1", "HC2", "HC3", "cluster"]:
    linear(f"errors {errors}", "y ~ x + C(city)", errors=errors)
linear("interactions", "y ~ x*city + z", errors="HC3")
linear("functions", "y ~ log(x) + I(z^2) + sqrt(z) + z", "y ~ np.log(x) + I(z ** 2) + np.sqrt(z) + z")
linear("no intercept", "y ~ 0 + city + x")
linear("two categories", "log(amount) ~ city*side", "np.log(amount) ~ city*side")
linear("weights", "y ~ x + z", weights="weight")
linear("weights with HC3", "y ~ x + z", errors="HC3", weights="weight")

result = smf.ols("y ~ x + z + city", main).fit()
exog = result.model.exog
influence = OLSInfluence(result)
worst = np.argsort(-influence.cooks_distance[0])[:3]
values = {"/checks/0/statistic": het_breuschpagan(result.resid, exog)[0], "/checks/0/p": het_breuschpagan(result.resid, exog)[1],
          "/checks/1/statistic": jarque_bera(result.resid)[0], "/checks/1/p": jarque_bera(result.resid)[1],
          "/checks/2/statistic": float(np.squeeze(linear_reset(result, power=3, use_f=True).fvalue)), "/checks/2/p": float(linear_reset(result, power=3, use_f=True).pvalue),
          "/checks/3/statistic": durbin_watson(result.resid)}
for place, row in enumerate(worst):
    values[f"/influential/{place}/row"] = row
    values[f"/influential/{place}/leverage"] = influence.hat_matrix_diag[row]
    values[f"/influential/{place}/cooks_distance"] = influence.cooks_distance[0][row]
    values[f"/influential/{place}/studentised"] = influence.resid_studentized_external[row]
order = {"x": "x", "z": "z", "city[T.Oslo]": "city[T.Oslo]", "city[T.Rome]": "city[T.Rome]"}
for place, name in enumerate(order):
    values[f"/collinearity/{place}/vif"] = variance_inflation_factor(exog, list(result.params.index).index(name))
case("checks and influence", "linear_regression", {"formula": "y ~ x + z + city"}, "main", terms(result), values, 1e-9)

result = smf.wls("y ~ x + city", main, weights=np.ones(n)).fit()
new = pd.DataFrame({"x": [8.0, 12.5], "city": ["Rome", "Oslo"]})
summary = result.get_prediction(new).summary_frame(alpha=0.1)
values = {}
for row in range(2):
    for ours, theirs in [("mean", "mean"), ("standard_error", "mean_se"), ("lower", "mean_ci_lower"), ("upper", "mean_ci_upper"), ("new_lower", "obs_ci_lower"), ("new_upper", "obs_ci_upper")]:
        values[f"/predicted/{row}/{ours}"] = summary[theirs].iloc[row]
case("predictions", "linear_regression", {"formula": "y ~ x + city", "predict": {"x": [8.0, 12.5], "city": ["Rome", "Oslo"]}, "confidence": 0.9}, "main", {}, values)

from sklearn.linear_model import ElasticNet, Lasso, Ridge  # noqa: E402

wide = np.column_stack([x, z, exposure, weight, trials])
scaled = (wide - wide.mean(0)) / wide.std(0)
for penalty, ratio, strength in [("lasso", 1.0, 0.3), ("elastic_net", 0.5, 0.4), ("ridge", 0.0, 0.7)]:
    if penalty == "ridge":
        model = Ridge(alpha=strength * n, solver="cholesky").fit(scaled, y)
    else:
        model = ElasticNet(alpha=strength, l1_ratio=ratio, tol=1e-15, max_iter=1000000).fit(scaled, y)
    slopes = model.coef_ / wide.std(0)
    values = {"/intercept": model.intercept_ - slopes @ wide.mean(0)}
    values |= {f"/coefficients/{k}": slope for k, slope in enumerate(slopes)}
    args = {"formula": "y ~ x + z + exposure + weight + trials", "penalty": penalty, "strength": strength}
    if penalty == "elastic_net":
        args["l1_ratio"] = ratio
    case(f"penalty {penalty}", "linear_regression", args, "main", {}, values, 1e-8)


# Generalised linear models

families = {"gaussian": sm.families.Gaussian, "binomial": sm.families.Binomial, "poisson": sm.families.Poisson, "gamma": sm.families.Gamma, "inverse_gaussian": sm.families.InverseGaussian, "negative_binomial": sm.families.NegativeBinomial}
links = {"log": sm.families.links.Log, "probit": sm.families.links.Probit, "cloglog": sm.families.links.CLogLog, "identity": sm.families.links.Identity, "inverse": sm.families.links.InversePower, "sqrt": sm.families.links.Sqrt, "cauchit": sm.families.links.Cauchy, "logit": sm.families.links.Logit, "inverse_squared": sm.families.links.InverseSquared}


def glm(title, formula, family, link=None, patsy=None, weights=None, offset=None, alpha=None, errors=None, tolerance=1e-8, args=None):
    options = {"link": links[link]()} if link else {}
    if alpha:
        options["alpha"] = alpha
    more = {}
    if weights:
        more["var_weights"] = main[weights]
    if offset is not None:
        more["offset"] = offset
    model = smf.glm(patsy or formula, main, family=families[family](**options), **more)
    use_t = family in ("gaussian", "gamma", "inverse_gaussian")
    kwds = {}
    if errors == "cluster":
        kwds = dict(cov_type="cluster", cov_kwds={"groups": main["clinic"]})
    elif errors:
        kwds = dict(cov_type=errors)
    result = model.fit(tol=1e-14, maxiter=200, tol_criterion="params", use_t=use_t, **kwds)
    call = {"formula": formula, "family": family, **(args or {})}
    if link:
        call["link"] = link
    if weights:
        call["weights"] = weights
    if alpha:
        call["alpha"] = alpha
    if errors:
        call["errors"] = errors
    if errors == "cluster":
        call["cluster"] = "clinic"
    values = {"/fit/deviance": result.deviance, "/fit/null_deviance": result.null_deviance, "/fit/pearson_chi2": result.pearson_chi2, "/fit/log_likelihood": result.llf, "/fit/aic": result.aic, "/fit/dispersion": result.scale}
    if errors:
        values.pop("/fit/dispersion")
    if family == "gaussian" and link:
        # statsmodels takes another scale than that of the largest likelihood here.
        values.pop("/fit/log_likelihood")
        values.pop("/fit/aic")
    case(title, "glm", call, "main", terms(result), values, tolerance)


glm("logit", "hit ~ x + z + city", "binomial")
glm("probit", "hit ~ x + z", "binomial", "probit")
glm("cloglog", "hit ~ x + z", "binomial", "cloglog")
glm("cauchit", "hit ~ x + z", "binomial", "cauchit")
glm("counts of trials", "cbind(wins, losses) ~ x + city", "binomial", patsy="wins + losses ~ x + city")
glm("trials by a column", "wins ~ x + city", "binomial", patsy="wins + losses ~ x + city", args={"trials": "trials"})
glm("poisson with an offset", "count ~ x + city + offset(log(exposure))", "poisson", patsy="count ~ x + city", offset=np.log(exposure))
glm("poisson with the link sqrt", "count ~ x", "poisson", "sqrt")
glm("poisson with robust errors", "count ~ x + city", "poisson", errors="HC0")
glm("poisson with clusters", "count ~ x + city", "poisson", errors="cluster")
glm("logit with robust errors", "hit ~ x + z", "binomial", errors="HC0")
glm("gamma", "amount ~ x + z", "gamma")
glm("gamma with the link log", "amount ~ x*z", "gamma", "log")
glm("gamma with weights", "amount ~ x + z", "gamma", "log", weights="weight")
glm("inverse gaussian", "amount ~ x", "inverse_gaussian", "log")
glm("inverse gaussian with its own link", "amount ~ z", "inverse_gaussian")
glm("gaussian", "y ~ x + city", "gaussian")
glm("gaussian with weights", "y ~ x + city", "gaussian", weights="weight")
glm("gaussian with the link log", "amount ~ x", "gaussian", "log")
glm("negative binomial of known alpha", "burst ~ x + z", "negative_binomial", alpha=0.8, patsy="burst ~ x + z")
joint = smf.negativebinomial("burst ~ x + z", main).fit(method="newton", maxiter=200, tol=1e-13, disp=0)
joint = smf.negativebinomial("burst ~ x + z", main).fit(start_params=joint.params, method="newton", maxiter=200, tol=1e-14, disp=0)
case("negative binomial with alpha", "glm", {"formula": "burst ~ x + z", "family": "negative_binomial"}, "main", {},
     {"/alpha/estimate": joint.params["alpha"], "/fit/log_likelihood": joint.llf, **{f"/terms/{k}/estimate": joint.params.iloc[k] for k in range(3)}}, 1e-7)
result = smf.glm("hit ~ x + city", main, family=sm.families.Binomial()).fit(tol=1e-14)
summary = result.get_prediction(new).summary_frame()
values = {}
for row in range(2):
    for ours, theirs in [("mean", "mean"), ("lower", "mean_ci_lower"), ("upper", "mean_ci_upper")]:
        values[f"/predicted/{row}/{ours}"] = summary[theirs].iloc[row]
case("predictions of shares", "glm", {"formula": "hit ~ x + city", "family": "binomial", "predict": {"x": [8.0, 12.5], "city": ["Rome", "Oslo"]}}, "main", {}, values, 1e-8)


# Robust regression: statsmodels' scale is the median absolute deviation of the residuals around 0, over 0.6745

for title, method, norm in [("Huber", "huber", sm.robust.norms.HuberT()), ("Tukey", "tukey", sm.robust.norms.TukeyBiweight())]:
    spiked = main.copy()
    result = smf.rlm("y ~ x + city", spiked, M=norm).fit(maxiter=1000, tol=1e-13)
    case(title, "robust_regression", {"formula": "y ~ x + city", "method": method}, "main", terms(result), {"/scale": result.scale}, 1e-8)


# Quantile regression

for q in (0.25, 0.5, 0.9):
    result = smf.quantreg("y ~ x + z", main).fit(q=q, max_iter=10000, p_tol=1e-10)
    exact = {f"/terms/{k}/estimate": result.params.iloc[k] for k in range(3)}
    case(f"quantile {q}", "quantile_regression", {"formula": "y ~ x + z", "quantiles": [q]}, "main", {}, exact, 1e-5)


# Published sets, when the folder of R's data as CSV files is given

if len(sys.argv) > 1:
    data = Path(sys.argv[1])
    sleep = table("sleepstudy", pd.read_csv(data / "lme4/sleepstudy.csv", index_col=0))
    sleep["Subject"] = sleep["Subject"].astype(str)
    table("sleepstudy", sleep)
    for method in ("reml", "ml"):
        result = smf.mixedlm("Reaction ~ Days", sleep, groups="Subject", re_formula="~Days").fit(reml=method == "reml", method=["bfgs", "lbfgs"], gtol=1e-10)
        values = {"/terms/0/estimate": result.fe_params.iloc[0], "/terms/1/estimate": result.fe_params.iloc[1], "/terms/0/standard_error": result.bse_fe.iloc[0], "/terms/1/standard_error": result.bse_fe.iloc[1],
                  "/residual_std": np.sqrt(result.scale), "/random/0/variance": result.cov_re.iloc[0, 0], "/random/1/variance": result.cov_re.iloc[1, 1], "/fit/log_likelihood": result.llf}
        case(f"sleepstudy by {method}", "mixed_model", {"formula": "Reaction ~ Days + (Days | Subject)", "method": method}, "sleepstudy", {}, values, 1e-4)
    engel = table("engel", pd.read_csv(data / "quantreg/engel.csv", index_col=0))
    for q in (0.05, 0.5, 0.95):
        result = smf.quantreg("foodexp ~ income", engel).fit(q=q, max_iter=10000, p_tol=1e-12)
        # Rows on the line have the residual 0 and not its rounding: the fit through the two nearest is the minimum.
        exog = np.column_stack([np.ones(len(engel)), engel["income"]])
        basis = np.argsort(np.abs(result.resid.to_numpy()))[:2]
        line = np.linalg.solve(exog[basis], engel["foodexp"].to_numpy()[basis])
        e = engel["foodexp"].to_numpy() - exog @ line
        e[basis] = 0
        size, width = len(e), min(np.std(engel["foodexp"]), (np.percentile(e, 75) - np.percentile(e, 25)) / 1.34)
        h = size ** (-1 / 3) * normal.ppf(0.975) ** (2 / 3) * (1.5 * normal.pdf(normal.ppf(q)) ** 2 / (2 * normal.ppf(q) ** 2 + 1)) ** (1 / 3)
        while q + h >= 1 or q - h <= 0:
            h /= 2
        width *= normal.ppf(q + h) - normal.ppf(q - h)
        density = np.sum(0.75 * (1 - (e / width) ** 2) * (np.abs(e / width) <= 1)) / (size * width)
        inverse = np.linalg.inv(exog.T @ exog)
        middle = (exog.T * np.where(e > 0, (q / density) ** 2, ((1 - q) / density) ** 2)) @ exog
        error = np.sqrt((inverse @ middle @ inverse)[1, 1])
        case(f"Engel's law at {q}", "quantile_regression", {"formula": "foodexp ~ income", "quantiles": [q]}, "engel", {}, {"/terms/0/estimate": line[0], "/terms/1/estimate": line[1], "/terms/1/standard_error": error}, 1e-9)
    lung = pd.read_csv(data / "survival/lung.csv", index_col=0)[["time", "status", "age", "sex", "ph.ecog"]].rename(columns={"ph.ecog": "ecog"})
    lung["dead"] = lung["status"] - 1
    table("lung", lung)
    from lifelines import CoxPHFitter, KaplanMeierFitter
    from lifelines.statistics import logrank_test

    full = lung.dropna()
    fitter = CoxPHFitter()
    fitter.fit(full[["time", "dead", "age", "sex", "ecog"]], "time", "dead", fit_options={"precision": 1e-12})
    summary = fitter.summary
    values = {"/fit/log_likelihood": fitter.log_likelihood_, "/fit/likelihood_ratio": fitter.log_likelihood_ratio_test().test_statistic, "/fit/concordance": fitter.concordance_index_}
    rows = {name: [summary.loc[name, key] for key in ("coef", "se(coef)", "z", "p", "coef lower 95%", "coef upper 95%")] for name in ("age", "sex", "ecog")}
    case("Cox regression of lung", "survival", {"formula": "Surv(time, dead) ~ age + sex + ecog"}, "lung", rows, values, 1e-7)
    curve = KaplanMeierFitter().fit(lung["time"], lung["dead"])
    males, females = lung[lung["sex"] == 1], lung[lung["sex"] == 2]
    test = logrank_test(males["time"], females["time"], males["dead"], females["dead"])
    case("Kaplan-Meier of lung", "survival", {"time": "time", "event": "dead"}, "lung", {}, {"/groups/0/median": curve.median_survival_time_, "/groups/0/events": lung["dead"].sum()}, 1e-12)
    case("log-rank of lung by sex", "survival", {"time": "time", "event": "dead", "group": "sex"}, "lung", {}, {"/test/statistic": test.test_statistic, "/test/p": test.p_value}, 1e-9)

text = json.dumps({"source": "statsmodels 0.15.0, lifelines 0.30.3, scikit-learn 1.9.1", "tables": tables, "cases": cases})
text = text.replace('{"title"', '\n{"title"').replace('"cases"', '\n"cases"').replace('"main"', '"main"')
(here / "models.json").write_text(text + "\n")
print(len(cases), "cases")
