"""Makes the reference values of `statistics_tools.json`: tools of the statistics family on data sets of R, by R (`statistics_tools.R`), scikit-learn, statsmodels, and whole numbers.

    pip install numpy scipy scikit-learn statsmodels && python3 tests/reference/statistics_tools.py        # with Rscript on the path

`tables` are columns by name; a case is a call on one of them with checks by JSON pointer, a tolerance relative to the largest expected value, and the program with its version.
Conventions that differ are brought to one here: signs of components make the largest coefficient positive, clusters are numbered by first appearance, heights of
centroid and median linkage are distances (R squares them), scikit-learn's rows are divided by standard deviations with n - 1. Cases of `dbscan` have no border row
between two clusters, whose number is a matter of order in scikit-learn.
"""

import json
import subprocess
from fractions import Fraction
from itertools import combinations, permutations, product
from pathlib import Path

import numpy as np
import sklearn
import statsmodels
from scipy.spatial.distance import cdist
from scipy.stats import rankdata
from sklearn.cluster import DBSCAN
from sklearn.neighbors import LocalOutlierFactor, NearestNeighbors
from statsmodels.tsa.seasonal import STL

here = Path(__file__).resolve().parent
tables, cases = {}, []
for line in subprocess.check_output(["Rscript", str(here / "statistics_tools.R")], text=True).splitlines():
    record = json.loads(line)
    if "columns" in record:
        tables[record["table"]] = record["columns"]
    else:
        cases.append(record)


def case(title, tool, table, args, checks, source):
    listed = lambda expected: expected if isinstance(expected, str) else np.atleast_1d(expected).tolist()
    checks = [{"at": at, "expected": listed(expected), "tolerance": tolerance} for at, expected, tolerance in checks]
    cases.append({"title": title, "tool": tool, "table": table, "args": args, "checks": checks, "source": source})


def matrix(name, standardise):
    x = np.array(list(tables[name].values()), float).T
    return (x - x.mean(axis=0)) / x.std(axis=0, ddof=1) if standardise else x


def by_appearance(labels):
    known = {}
    return [known.setdefault(label, len(known)) if label >= 0 else -1 for label in labels.tolist()]


learn = f"scikit-learn {sklearn.__version__}"
for name, eps, least, metric, standardise in [("faithful", 0.14, 3, "euclidean", True), ("faithful", 5.0, 10, "manhattan", False), ("arrests", 1.1, 4, "euclidean", True),
                                              ("trees", 0.4, 4, "chebyshev", True), ("attitude", 18.0, 4, "euclidean", False), ("cars", 1.1, 3, "euclidean", True)]:
    x = matrix(name, standardise)
    fit = DBSCAN(eps=eps, min_samples=least, metric=metric).fit(x)
    cores = np.zeros(len(x), bool)
    cores[fit.core_sample_indices_] = True
    far = cdist(x, x[cores], {"manhattan": "cityblock"}.get(metric, metric))
    for row in np.flatnonzero(~cores & (fit.labels_ >= 0)):
        assert len(set(fit.labels_[cores][far[row] <= eps])) == 1, (name, row)
    case(f"dense clusters of {name}", "dbscan", name, {"eps": eps, "min_points": least, "metric": metric, "standardise": standardise},
         [("/labels", by_appearance(fit.labels_), 1e-12), ("/noise", (fit.labels_ < 0).sum(), 1e-12), ("/k", fit.labels_.max() + 1, 1e-12)], f"{learn} DBSCAN")
for name, neighbours in [("arrests", 10), ("trees", 6), ("cars", 8)]:
    # Rows of equal distance are neighbours in other orders: all of these have none at the last place.
    factors = -LocalOutlierFactor(n_neighbors=neighbours).fit(matrix(name, True)).negative_outlier_factor_
    case(f"outlier factors of {name}", "outliers", name, {"neighbours": neighbours, "seed": 1}, [("/factors", factors, 1e-9)], f"{learn} LocalOutlierFactor")
distances, _ = NearestNeighbors(n_neighbors=3, metric="cosine").fit(matrix("arrests", False)).kneighbors()
checks = [(f"/pairs/{3 * row + rank}/distance", distances[row, rank], 1e-9) for row in (0, 24, 49) for rank in range(3)]
case("neighbours of arrests by cosine", "nearest_neighbours", "arrests", {"k": 3, "metric": "cosine"}, checks, f"{learn} NearestNeighbors")

# R's `stl` parts from both after six robust rounds of this series.
nottem = np.array(tables["nottem"]["y"])
parts = STL(nottem, period=12, seasonal=11, seasonal_deg=0, robust=True, seasonal_jump=2, trend_jump=3, low_pass_jump=2).fit(inner_iter=1, outer_iter=15)
strength = lambda part: max(0, 1 - np.var(parts.resid, ddof=1) / np.var(part + parts.resid, ddof=1))
series = {"y": "y", "period": 12, "transform": "none", "model": "arima", "order": [1, 0, 0], "forecast": 0, "hold_out": 0}
case("parts of nottem", "time_series", "nottem", series, [("/strength/trend", strength(parts.trend), 1e-9), ("/strength/season", strength(parts.seasonal), 1e-9)],
     f"statsmodels {statsmodels.__version__} STL, with the degrees and jumps of R")

# Exact p values of ranks: every arrangement, in whole numbers


def arrangements(size, sizes):
    """All ways to part so many places into groups of these sizes."""
    def parts(rest, sizes):
        if len(sizes) == 1:
            yield [rest]
            return
        for chosen in combinations(rest, sizes[0]):
            for others in parts(tuple(place for place in rest if place not in chosen), sizes[1:]):
                yield [chosen, *others]
    return parts(tuple(range(size)), sizes)


def exact_kruskal(groups):
    ranks = [int(rank) for rank in 2 * rankdata(np.concatenate(groups))]
    sizes = [len(group) for group in groups]
    multiple = int(np.lcm.reduce(sizes))
    weighted = lambda parts: sum(sum(ranks[place] for place in part) ** 2 * (multiple // len(part)) for part in parts)
    ends = np.cumsum([0, *sizes])
    observed = weighted([range(a, b) for a, b in zip(ends, ends[1:])])
    found = [weighted(parts) >= observed for parts in arrangements(len(ranks), sizes)]
    return Fraction(sum(found), len(found))


def exact_friedman(rows):
    ranks = [[int(rank) for rank in 2 * rankdata(row)] for row in rows]
    squares = lambda rows: sum(sum(column) ** 2 for column in zip(*rows))
    observed = squares(ranks)
    orders = [set(permutations(row)) for row in ranks[1:]]
    found = [squares([ranks[0], *others]) >= observed for others in product(*orders)]
    return Fraction(sum(found), len(found))


def add_ranks(title, test, groups, p):
    case(title, "hypothesis_test", None, {"test": test, "groups": groups}, [("/p", float(p), 1e-12), ("/p_from", "exact, all arrangements", 0)],
         f"all arrangements one by one, p = {p}")


mucus = [[2.9, 3.0, 2.5, 2.6, 3.2], [3.8, 2.7, 4.0, 2.4], [2.8, 3.4, 3.7, 2.2, 2.0]]
add_ranks("mucociliary efficiency, exact", "kruskal_wallis", mucus, exact_kruskal(mucus))
for title, groups in [("three and ties", [[1, 2, 2, 3], [2, 4, 4, 5], [5, 5, 6]]), ("two and ties", [[1, 2, 2, 3, 7, 8], [2, 4, 4, 5, 9]]),
                      ("four groups", [[1.1, 2.5], [3.2, 0.4, 4.4], [5.1, 6.3, 2.9], [7.7, 8.1]]), ("five groups of two", [[1, 3], [2, 6], [5, 9], [7, 8], [4, 10]])]:
    add_ranks(f"Kruskal-Wallis, {title}", "kruskal_wallis", groups, exact_kruskal(groups))
for title, rows in [("four subjects", [[1, 2, 3], [1, 3, 2], [1, 2, 3], [2, 1, 3]]), ("ties", [[1, 1, 3, 4], [2, 5, 5, 5], [1, 2, 3, 4], [2, 1, 4, 3]]),
                    ("five conditions", [[1, 2, 3, 4, 5], [2, 1, 3, 5, 4], [1, 3, 2, 4, 5]])]:
    add_ranks(f"Friedman, {title}", "friedman", [list(column) for column in zip(*rows)], exact_friedman(rows))

text = json.dumps({"tables": tables, "cases": cases}, separators=(",", ":"))
(here / "statistics_tools.json").write_text(text.replace('},{"title"', '},\n{"title"') + "\n")
print(len(cases), "cases", len(text), "bytes")
