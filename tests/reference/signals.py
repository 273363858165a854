"""Makes fft.json, convolve.json and filter_signal.json: transforms by the definition, the rest by SciPy.

    pip install scipy mpmath && python3 tests/reference/signals.py

Transforms are sums of 40 digits (mpmath). Windows, Welch's method, convolutions and filters are SciPy 1.17. Filters of few digits in SciPy
itself (low cutoffs) are compared with the recursion run in 60 digits on the coefficients that SciPy designs in doubles.
"""

import json
from pathlib import Path

import mpmath as mp
import numpy as np
from scipy import signal

HERE = Path(__file__).resolve().parent
mp.mp.dps = 40


def data(n, seed, digits=3):
    state, out = seed * 2654435761 % 2**32, []
    for _ in range(n):
        state = (1664525 * state + 1013904223) % 2**32
        out.append(round(state / 2**31 - 1, digits))
    return out


def dft(x, inverse=False):
    n, sign = len(x), 2 if inverse else -2
    roots = [mp.expjpi(mp.mpf(sign) * k / n) for k in range(n)]
    out = [mp.fsum(mp.mpc(v) * roots[j * k % n] for j, v in enumerate(x)) for k in range(n)]
    return [v / n for v in out] if inverse else out


def parts(z):
    return [float(v.real) for v in z], [float(v.imag) for v in z]


def case(tool, title, args, checks, source, tolerance):
    checks = [{"at": at, "expected": expected, "tolerance": tolerance} for at, expected in checks]
    args = args if tool == "convolve" else args | {"plot": False}
    return {"title": title, "tool": tool, "args": args, "checks": checks, "source": source}


def transforms():
    # The error is relative to the largest coefficient.
    for n in (1, 2, 3, 5, 8, 12, 16, 31, 49, 64, 97):
        x = data(n, n)
        re, im = parts(dft(x)[: n // 2 + 1])
        yield case("fft", f"real, {n}", {"data": x}, [("/real", re), ("/imaginary", im)] if n > 2 else [("/real", re)], "mpmath", 1e-15)
    for n in (4, 7, 15, 32, 53):
        x, y = data(n, n), data(n, n + 1)
        z = [mp.mpc(a, b) for a, b in zip(x, y)]
        for inverse in (False, True):
            re, im = parts(dft(z, inverse))
            args = {"data": x, "imaginary": y} | ({"inverse": True} if inverse else {})
            yield case("fft", f"complex, {n}, inverse {inverse}", args, [("/real", re), ("/imaginary", im)], "mpmath", 1e-15)
    for n in (6, 9):
        half = dft(data(n, 40 + n))[: n // 2 + 1]
        re, im = parts(half)
        yield case("fft", f"real again, {n}", {"data": re, "imaginary": im, "inverse": True, "sides": "one", "n": n}, [("/real", data(n, 40 + n))], "mpmath", 2e-15)
    x = data(10, 77)
    re, im = parts(dft(x + [0.0] * 6)[:9])
    yield case("fft", "zeros appended", {"data": x, "n": 16}, [("/real", re), ("/imaginary", im)], "mpmath", 1e-15)
    grid = np.array(data(15, 5)).reshape(3, 5)
    rows = [dft(list(row)) for row in grid]
    columns = [dft([row[k] for row in rows]) for k in range(5)]
    re = [[float(columns[k][j].real) for k in range(5)] for j in range(3)]
    im = [[float(columns[k][j].imag) for k in range(5)] for j in range(3)]
    yield case("fft", "a matrix", {"data": grid.tolist()}, [("/real", re), ("/imaginary", im)], "mpmath", 1e-15)


def spectra():
    names = [("hann", "hann", {}), ("hamming", "hamming", {}), ("blackman", "blackman", {}), ("flat_top", "flattop", {})]
    names += [("kaiser", ("kaiser", 5.5), {"beta": 5.5}), ("tukey", ("tukey", 0.3), {"alpha": 0.3}), ("none", "boxcar", {})]
    x = data(60, 8)
    for name, scipy_name, more in names:
        w = signal.get_window(scipy_name, 60)
        z = np.fft.rfft(np.array(x) * w)
        yield case("fft", f"window {name}", {"data": x, "window": name} | more, [("/real", z.real.tolist()), ("/imaginary", z.imag.tolist())], "SciPy", 1e-14)
        for scaling in ("density", "spectrum"):
            f, p = signal.welch(np.array(x), 50.0, scipy_name, 16, 9, 20, "constant", scaling=scaling)
            args = {"data": x, "rate": 50, "kind": "power", "window": name, "segment": 16, "overlap": 9, "n": 20, "scaling": scaling} | more
            yield case("fft", f"welch {name} {scaling}", args, [("/frequencies", f.tolist()), ("/power", p.tolist())], "SciPy", 1e-13)
    f, p = signal.welch(np.array(x), 2.0, detrend="linear", nperseg=25)
    yield case("fft", "welch, trend of each segment", {"data": x, "rate": 2, "kind": "power", "segment": 25, "detrend": "linear"}, [("/frequencies", f.tolist()), ("/power", p.tolist())], "SciPy", 1e-12)
    f, p = signal.periodogram(np.array(x), 3.0, detrend=False)
    yield case("fft", "periodogram", {"data": x, "rate": 3, "kind": "power", "segment": 60, "overlap": 0, "window": "none", "detrend": "none"}, [("/power", p.tolist())], "SciPy", 1e-13)
    f, p = signal.welch(np.array(x), 3.0)
    yield case("fft", "welch by default, of few samples", {"data": x, "rate": 3, "kind": "power"}, [("/power", p.tolist())], "SciPy", 1e-13)


def convolutions():
    for m, n in ((1, 1), (5, 3), (3, 5), (8, 8), (40, 7), (7, 40)):
        a, b = data(m, m), data(n, 100 + n)
        for mode in ("full", "same", "valid"):
            for correlate in (False, True):
                of = signal.correlate if correlate else signal.convolve
                expected = of(a, b, mode, "direct")
                for method in ("direct", "fft") if m == 40 else ("auto",):
                    args = {"a": a, "b": b, "mode": mode, "correlate": correlate, "method": method}
                    # SciPy's `same` is of the larger one for convolutions of a shorter with a longer one.
                    if mode == "same" and m < n:
                        full = of(a, b, "full", "direct")
                        start = (n - 1) // 2
                        expected = full[start : start + m]
                    yield case("convolve", f"{m} with {n}, {mode}, correlate {correlate}, {method}", args, [("/values", expected.tolist())], "SciPy", 1e-14)
    a, b = np.array(data(42, 3)).reshape(6, 7), np.array(data(12, 4)).reshape(3, 4)
    for mode in ("full", "same", "valid"):
        for correlate in (False, True):
            of = signal.correlate2d if correlate else signal.convolve2d
            expected = signal.correlate(a, b, mode, "direct") if correlate else of(a, b, mode)
            for method in ("direct", "fft"):
                args = {"a": a.tolist(), "b": b.tolist(), "mode": mode, "correlate": correlate, "method": method}
                yield case("convolve", f"matrices, {mode}, correlate {correlate}, {method}", args, [("/values", expected.tolist())], "SciPy", 1e-14)


def exact(sos, x, zi=None):
    """The recursion in 60 digits."""
    with mp.workdps(60):
        y = [mp.mpf(v) for v in x]
        for index, section in enumerate(sos):
            b, a = [mp.mpf(float(v)) for v in section[:3]], [mp.mpf(float(v)) for v in section[3:]]
            s0, s1 = (zi[index] if zi else (mp.mpf(0), mp.mpf(0)))
            for j, value in enumerate(y):
                out = b[0] * value + s0
                s0, s1 = b[1] * value - a[1] * out + s1, b[2] * value - a[2] * out
                y[j] = out
        return y


def filters():
    x = data(90, 21)
    kinds = [("lowpass", 0.2), ("highpass", 0.31), ("bandpass", [0.1, 0.25]), ("bandstop", [0.12, 0.2])]
    for order in (1, 2, 3, 4, 5, 8, 12):
        for kind, cutoff in kinds:
            sos = signal.butter(order, cutoff, kind, fs=1.0, output="sos")
            args = {"data": x, "cutoff": cutoff, "kind": kind, "order": order}
            out = signal.sosfilt(sos, x).tolist()
            yield case("filter_signal", f"butterworth {order} {kind}, causal", args | {"zero_phase": False}, [("/sos", sos.tolist()), ("/filtered", out)], "SciPy", 1e-12)
            padding = signal.sosfiltfilt(sos, x, padlen=10).tolist()
            yield case("filter_signal", f"butterworth {order} {kind}, zero phase", args | {"padding": 10}, [("/filtered", padding)], "SciPy", 1e-12)
    for order in (2, 4, 7):
        sos = signal.butter(order, 12.5, "lowpass", fs=100.0, output="sos")
        yield case("filter_signal", f"padding as usual, {order}", {"data": x, "cutoff": 12.5, "rate": 100, "order": order}, [("/filtered", signal.sosfiltfilt(sos, x).tolist())], "SciPy", 1e-12)
        zi = signal.sosfilt_zi(sos)
        out, state = signal.sosfilt(sos, x, zi=zi * x[0])
        args = {"data": x, "cutoff": 12.5, "rate": 100, "order": order, "zero_phase": False, "initial": "steady"}
        yield case("filter_signal", f"from a steady state, {order}", args, [("/filtered", out.tolist()), ("/state", state.tolist())], "SciPy", 1e-12)
        for name, sos in (("chebyshev1", signal.cheby1(order, 0.5, [0.1, 0.3], "bandpass", fs=1.0, output="sos")), ("chebyshev2", signal.cheby2(order, 50, [0.1, 0.3], "bandstop", fs=1.0, output="sos"))):
            kind, ripple = ("bandpass", 0.5) if name == "chebyshev1" else ("bandstop", 50)
            args = {"data": x, "cutoff": [0.1, 0.3], "kind": kind, "design": name, "ripple": ripple, "order": order, "zero_phase": False}
            yield case("filter_signal", f"{name} {order}", args, [("/sos", sos.tolist()), ("/filtered", signal.sosfilt(sos, x).tolist())], "SciPy", 1e-12)
    b, a = signal.butter(3, 0.2, fs=1.0)
    args = {"data": x, "b": b.tolist(), "a": a.tolist()}
    yield case("filter_signal", "polynomials, causal", args | {"zero_phase": False}, [("/filtered", signal.lfilter(b, a, x).tolist())], "SciPy", 1e-12)
    yield case("filter_signal", "polynomials, zero phase", args, [("/filtered", signal.filtfilt(b, a, x).tolist())], "SciPy", 1e-12)
    taps = signal.firwin(9, 0.2, fs=1.0)
    yield case("filter_signal", "no poles", {"data": x, "b": taps.tolist(), "zero_phase": False}, [("/filtered", signal.lfilter(taps, [1.0], x).tolist())], "SciPy", 1e-12)
    for order in (1, 2, 4):
        # 1e-4 of the Nyquist frequency: given the same coefficients, so that the recursion alone is compared.
        sos = signal.butter(order, 1e-4, output="sos")
        args = {"data": x, "sos": sos.tolist(), "zero_phase": False}
        yield case("filter_signal", f"the recursion at 1e-4 of Nyquist, {order}", args, [("/filtered", [float(v) for v in exact(sos, x)])], "mpmath", 1e-12)
        args = {"data": x, "cutoff": 1e-4, "rate": 2, "order": order, "zero_phase": False}
        yield case("filter_signal", f"design at 1e-4 of Nyquist, {order}", args, [("/sos", sos.tolist())], "SciPy", 1e-12)


def write(name, cases):
    lines = ",\n".join(json.dumps(case) for case in cases)
    (HERE / f"{name}.json").write_text(f"[\n{lines}\n]\n")


write("fft", [*transforms(), *spectra()])
write("convolve", convolutions())
write("filter_signal", filters())
