"""Makes the reference values of `multivariate.json`: tools for rows as points against NumPy, SciPy and scikit-learn on the same data.

    pip install numpy scipy scikit-learn && python3 tests/reference/multivariate.py

A case is a call, whose `data` is the iris table of `examples/data/iris.csv` where it is not given, and `values` by JSON pointer that agree to `tolerance`, relative to the
largest of them. Partitions are by the number of the cluster of each row, numbered by first appearance; signs of components make the largest coefficient positive.
"""

import json
from pathlib import Path

import numpy as np
import scipy
import sklearn
from scipy.cluster.hierarchy import cophenet, fcluster, linkage
from scipy.spatial.distance import cdist, pdist
from sklearn.cluster import DBSCAN, KMeans
from sklearn.metrics import silhouette_score
from sklearn.neighbors import LocalOutlierFactor, NearestNeighbors

here = Path(__file__).resolve().parent
lines = (here.parent.parent / "examples/data/iris.csv").read_text().splitlines()
names = lines[0].split(",")[:4]
iris = np.array([[float(cell) for cell in line.split(",")[:4]] for line in lines[1:]])
cases = []


def listed(value):
    return np.asarray(value).tolist()


def case(title, tool, args, values, tolerance=1e-10):
    cases.append({"title": title, "tool": tool, "args": args, "values": {key: listed(value) for key, value in values.items()}, "tolerance": tolerance})


def by_appearance(labels):
    known = {}
    return [known.setdefault(label, len(known)) if label >= 0 else -1 for label in listed(labels)]


def components(x):
    u, s, v = np.linalg.svd(x, full_matrices=False)
    signs = np.sign(v[np.arange(len(v)), np.argmax(np.abs(v), axis=1)])
    return u * s * signs, s**2 / (len(x) - 1), v * signs[:, None]


for standardise in [False, True]:
    deviations = iris.std(axis=0, ddof=1)
    x = (iris - iris.mean(axis=0)) / (deviations if standardise else 1)
    scores, variances, directions = components(x)
    correlations = directions * np.sqrt(variances)[:, None] / x.std(axis=0, ddof=1)
    values = {f"/components/{k}/variance": variances[k] for k in range(4)}
    values |= {f"/components/{k}/share": variances[k] / variances.sum() for k in range(4)}
    values |= {f"/loadings/{k}/coefficients": directions[:, k] for k in range(4)}
    values |= {f"/correlations/{k}/correlations": correlations[:, k] for k in range(4)}
    values["/scores/149"] = scores[149]
    case(f"components, standardise {standardise}", "pca", {"columns": names, "standardise": standardise}, values)

for k in [2, 3, 4]:
    fit = KMeans(k, n_init=50, random_state=1, tol=0).fit(iris)
    values = {"/inertia": fit.inertia_, "/labels": by_appearance(fit.labels_), "/silhouette": silhouette_score(iris, fit.labels_)}
    case(f"{k} means", "kmeans", {"columns": names, "k": k, "seed": 3}, values)

# Rows of iris coincide and tie, and ties are broken in other ways: rows without ties.
rng = np.random.default_rng(46)
x = np.round(np.concatenate([rng.normal(0, 1, (14, 2)), rng.normal(4, 0.7, (12, 2)), rng.normal([8, -3], 1.5, (6, 2))]), 3)
table = {"x": listed(x[:, 0]), "y": listed(x[:, 1])}
for method in ["single", "complete", "average", "weighted", "ward", "centroid", "median"]:
    tree = linkage(x, method)
    values = {f"/merges/{k}/height": tree[k, 2] for k in [0, 1, 5, 17, 28, 29, 30]}
    values |= {f"/merges/{k}/first": tree[k, 0] for k in range(0, 31, 3)}
    values |= {f"/merges/{k}/second": tree[k, 1] for k in range(0, 31, 3)}
    values["/cophenetic"] = cophenet(tree, pdist(x))[0]
    if method not in ["centroid", "median"]:
        values["/labels"] = by_appearance(fcluster(tree, 4, "maxclust"))
    case(f"{method} linkage", "hierarchical_clustering", {"data": table, "linkage": method, "clusters": 4}, values)
case("linkage by Manhattan distance", "hierarchical_clustering", {"data": table, "linkage": "average", "metric": "manhattan", "clusters": 2},
     {"/merges/30/height": linkage(pdist(x, "cityblock"), "average")[30, 2]})

for eps, least in [(0.5, 5), (0.8, 4)]:
    fit = DBSCAN(eps=eps, min_samples=least).fit(iris)
    cores = np.zeros(150, bool)
    cores[fit.core_sample_indices_] = True
    # A border row of several clusters is the nearest one's here.
    labels = fit.labels_.copy()
    for row in np.flatnonzero(~cores & (labels >= 0)):
        labels[row] = labels[fit.core_sample_indices_][np.argmin(cdist(iris[[row]], iris[cores]))]
    values = {"/k": labels.max() + 1, "/noise": (labels < 0).sum(), "/labels": by_appearance(labels)}
    case(f"density {eps} {least}", "dbscan", {"columns": names, "eps": eps, "min_points": least}, values)

for metric, name in [("euclidean", "euclidean"), ("manhattan", "manhattan"), ("chebyshev", "chebyshev"), ("cosine", "cosine")]:
    found = NearestNeighbors(n_neighbors=3, metric=metric).fit(x)
    distances, rows = found.kneighbors(np.array([[1.5, 2.5], [6.0, -1.0]]))
    values = {f"/pairs/{3 * a + b}/distance": distances[a, b] for a in range(2) for b in range(3)}
    values |= {f"/pairs/{3 * a + b}/neighbour": rows[a, b] for a in range(2) for b in range(3)}
    case(f"neighbours, {name}", "nearest_neighbours", {"data": table, "queries": {"x": [1.5, 6.0], "y": [2.5, -1.0]}, "k": 3, "metric": name}, values)

factors = -LocalOutlierFactor(n_neighbors=6).fit((x - x.mean(axis=0)) / x.std(axis=0, ddof=1)).negative_outlier_factor_
median = np.median(x[:, 0])
deviation = 1.482602218505602 * np.median(abs(x[:, 0] - median))
low, high = np.quantile(x[:, 0], [0.25, 0.75])
case("outliers", "outliers", {"data": table, "neighbours": 6},
     {"/factors": factors, "/methods/0/low": median - 3.5 * deviation, "/methods/0/high": median + 3.5 * deviation, "/methods/1/low": low - 1.5 * (high - low), "/methods/1/high": high + 1.5 * (high - low)}, 1e-9)

source = f"NumPy {np.__version__}, SciPy {scipy.__version__}, scikit-learn {sklearn.__version__}"
(here / "multivariate.json").write_text(json.dumps({"source": source, "cases": cases}) + "\n")
