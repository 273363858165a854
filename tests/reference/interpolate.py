"""Makes interpolate.json: calls of `interpolate` with the values of SciPy 1.17, or exact ones.

Run: python3 tests/reference/interpolate.py

The tolerance is relative to the largest value expected; 1e-12 but for what conditions the data themselves.
"""
import json
from pathlib import Path

import mpmath as mp
import numpy as np
from scipy import interpolate as si

mp.mp.dps = 60
CASES = []
RNG = np.random.default_rng(20260801)


def add(title, args, expected, tolerance=1e-12, source="SciPy 1.17"):
    args = {key: (value.tolist() if isinstance(value, np.ndarray) else value) for key, value in args.items()}
    args["plot"] = False
    check = {"at": "/values", "expected": np.asarray(expected, float).tolist(), "tolerance": tolerance}
    CASES.append({"title": title, "tool": "interpolate", "args": args, "checks": [check], "source": source})


even = np.linspace(0, 10, 11)
decades = np.concatenate([[0], 10.0 ** np.linspace(-6, 6, 13)])
uneven = np.cumsum(RNG.uniform(0.05, 2, 40))
steps = np.array([0.0, 1, 2, 3, 4, 5, 6, 7])
SETS = {
    "even": (even, np.sin(even)),
    "over 12 decades": (decades, np.log1p(decades)),
    "uneven": (uneven, np.cos(uneven) + 0.1 * uneven),
    "a step": (steps, np.array([0.0, 0, 0, 0.5, 1, 1, 1, 1])),
    "two points": (np.array([1.0, 3.0]), np.array([2.0, -1.0])),
    "three points": (np.array([0.0, 1.0, 2.5]), np.array([0.0, 1.0, 4.0])),
    "large values": (even * 1e40, np.exp(even) * 1e60),
    "2000 points": (np.sort(RNG.uniform(-50, 50, 2000)), None),
}
x = SETS["2000 points"][0]
SETS["2000 points"] = (x, np.sin(x) * np.exp(-x / 40))


def inside(x, n=25):
    return np.unique(np.concatenate([x[0] + (x[-1] - x[0]) * np.linspace(0, 1, n) ** 2, x[:3], (x[:-1] + x[1:])[:10] / 2]))


for title, (x, y) in SETS.items():
    at = inside(x)
    add(f"cubic, not a knot: {title}", dict(x=x, y=y, at=at), si.CubicSpline(x, y)(at))
    add(f"pchip: {title}", dict(x=x, y=y, at=at, method="pchip"), si.PchipInterpolator(x, y)(at))
    if len(x) > 2:
        add(f"akima: {title}", dict(x=x, y=y, at=at, method="akima"), si.Akima1DInterpolator(x, y)(at))
        add(f"makima: {title}", dict(x=x, y=y, at=at, method="makima"), si.Akima1DInterpolator(x, y, method="makima")(at))
    add(f"linear: {title}", dict(x=x, y=y, at=at, method="linear"), np.interp(at, x, y), source="NumPy")
    add(f"natural: {title}", dict(x=x, y=y, at=at, boundary="natural"), si.CubicSpline(x, y, bc_type="natural")(at))
    add(f"clamped: {title}", dict(x=x, y=y, at=at, boundary="clamped"), si.CubicSpline(x, y, bc_type="clamped")(at))

x, y = SETS["uneven"]
at = inside(x)
spline = si.CubicSpline(x, y)
for order in (1, 2, 3):
    add(f"derivative {order}", dict(x=x, y=y, at=at, derivative=order), spline(at, order), 1e-11 if order == 3 else 1e-12)
add("integral", dict(x=x, y=y, at=at, derivative=-1), spline.antiderivative()(at))
add("integral of pchip", dict(x=x, y=y, at=at, derivative=-1, method="pchip"), si.PchipInterpolator(x, y).antiderivative()(at))
far = np.array([x[0] - 3, x[0] - 0.1, x[-1] + 0.2, x[-1] + 5])
add("extended", dict(x=x, y=y, at=far, extrapolate="extend"), spline(far))
add("clamped with slopes", dict(x=x, y=y, at=at, boundary="clamped", end_slopes=[2, -3]), si.CubicSpline(x, y, bc_type=((1, 2), (1, -3)))(at))
closed = np.append(y[:-1], y[0])
add("periodic", dict(x=x, y=closed, at=at, boundary="periodic"), si.CubicSpline(x, closed, bc_type="periodic")(at))
beyond = np.array([x[-1] + 1.3, x[0] - 20, x[-1] + 333.3])
add("periodic, repeated", dict(x=x, y=closed, at=beyond, boundary="periodic", extrapolate="periodic"), si.CubicSpline(x, closed, bc_type="periodic")(beyond), 1e-11)
add("periodic, three points", dict(x=[0, 1, 3], y=[1, 4, 1], at=[0.5, 2], boundary="periodic"), si.CubicSpline([0, 1, 3], [1, 4, 1], bc_type="periodic")([0.5, 2]))
add("nearest", dict(x=x, y=y, at=at, method="nearest"), si.interp1d(x, y, kind="nearest")(at))
add("previous", dict(x=x, y=y, at=at, method="previous"), si.interp1d(x, y, kind="previous")(at))



def smoothed(x, y, lam, w, at):
    """The natural spline that minimises sum w (y - f)^2 + lam * integral f''^2, by elimination with 60 digits."""
    x, y, w, lam = [mp.mpf(v) for v in x], mp.matrix([mp.mpf(v) for v in y]), [mp.mpf(v) for v in w], mp.mpf(lam)
    n, h = len(x), [b - a for a, b in zip(x, x[1:])]
    q, r = mp.zeros(n, n - 2), mp.zeros(n - 2, n - 2)
    for j in range(n - 2):
        q[j, j], q[j + 1, j], q[j + 2, j] = 1 / h[j], -1 / h[j] - 1 / h[j + 1], 1 / h[j + 1]
        r[j, j] = (h[j] + h[j + 1]) / 3
        if j + 3 < n:
            r[j, j + 1] = r[j + 1, j] = h[j + 1] / 6
    inverse = mp.diag([1 / v for v in w])
    bend = mp.lu_solve(r + lam * q.T * inverse * q, q.T * y)
    f, second, values = y - lam * inverse * q * bend, [0, *bend, 0], []
    for t in map(mp.mpf, at):
        i = max(j for j in range(n - 1) if x[j] <= t)
        slope = (f[i + 1] - f[i]) / h[i] - h[i] * (2 * second[i] + second[i + 1]) / 6
        d = t - x[i]
        values.append(float(f[i] + d * (slope + d * (second[i] / 2 + d * (second[i + 1] - second[i]) / (6 * h[i])))))
    return values


noisy = y + RNG.normal(0, 0.3, len(x))
for lam in (0.0, 1e-4, 0.1, 10.0, 1e4):
    add(f"smoothing, lambda {lam}", dict(x=x, y=noisy, at=at, method="smoothing", smoothing=lam), smoothed(x, noisy, lam, np.ones(len(x)), at), source="mpmath, 60 digits")
    # SciPy agrees, to what its basis of B-splines leaves.
    assert np.allclose(CASES[-1]["checks"][0]["expected"], si.make_smoothing_spline(x, noisy, lam=lam)(at), rtol=1e-9)
weights = RNG.uniform(0.2, 3, len(x))
add("smoothing, weights", dict(x=x, y=noisy, at=at, method="smoothing", smoothing=0.5, weights=weights), si.make_smoothing_spline(x, noisy, w=weights, lam=0.5)(at))

gx, gy = np.array([0.0, 0.5, 1.7, 2.0, 4.0, 4.5]), np.array([-3.0, -1.0, 0.0, 0.1, 2.5])
z = np.sin(gx)[:, None] * np.exp(gy / 3)[None, :] + 0.2 * gx[:, None] * gy[None, :]
points = np.column_stack([RNG.uniform(0, 4.5, 30), RNG.uniform(-3, 2.5, 30)])
add("surface, linear", dict(x=gx, y=gy, z=z, at=points, method="linear"), si.RegularGridInterpolator((gx, gy), z)(points))
add("surface, cubic", dict(x=gx, y=gy, z=z, at=points), si.RectBivariateSpline(gx, gy, z, s=0).ev(points[:, 0], points[:, 1]))
outside = np.array([[5.0, 0], [-1, 3], [2, -4]])
add("surface, linear, extended", dict(x=gx, y=gy, z=z, at=outside, method="linear", extrapolate="extend"),
    si.RegularGridInterpolator((gx, gy), z, bounds_error=False, fill_value=None)(outside))

Path(__file__).with_suffix(".json").write_text("[\n" + ",\n".join(json.dumps(case) for case in CASES) + "\n]\n")
