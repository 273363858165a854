"""NumPy's, SciPy's, CVODE's and Boost's side of the table of models: reads requests as JSON lines, answers each with one JSON line.

CVODE is that of the wheel of scikit-SUNDAE, called from C without Python in between; its rows, and those of LSODA with a function in C,
need a C compiler; those of Boost one of C++ and its headers (Debian's `libboost-dev`).
"""
import ctypes
import importlib.util
import json
import shutil
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import curve_fit, least_squares
from scipy.sparse import diags

warnings.filterwarnings("ignore")
np.seterr(all="ignore")
ROWS = 100_000


def columns():
    """The columns of `benches/models.rs`."""
    state, mask = 0x9E3779B97F4A7C15, (1 << 64) - 1
    data = np.empty(6 * ROWS)
    for index in range(data.size):
        state ^= (state << 13) & mask
        state ^= state >> 7
        state ^= (state << 17) & mask
        data[index] = (state >> 11) / 2.0**52 - 1.0
    data = data.reshape(6, ROWS)
    data[0] += 1.0
    data[5] = 1.0 + 0.5 * data[0] + 0.5 * data[5]
    return list(data)


# Value and gradient by hand: what is shared is computed once, in arrays that stay between the calls.


def least_squares_rows(x, y, point, work):
    a, b, c, d, e = point
    t = x[0]
    decay, angle, wave, residual = work[:4]
    np.multiply(t, -b, out=decay)
    np.exp(decay, out=decay)
    np.multiply(t, e, out=angle)
    np.sin(angle, out=wave)
    np.cos(angle, out=angle)
    np.multiply(decay, a, out=residual)
    residual -= y
    residual += c
    slope = work[4]
    np.multiply(wave, d, out=slope)
    residual += slope
    value, by_c, by_d = residual @ residual, 2 * residual.sum(), 2 * (residual @ wave)
    decay *= residual
    angle *= residual
    return np.array([value, 2 * decay.sum(), -2 * a * (decay @ t), by_c, by_d, 2 * d * (angle @ t)])


def normal_rows(x, y, point, work):
    a, b, c, d, s = point
    residual, part = work[:2]
    np.multiply(x[0], -b, out=residual)
    for column, factor in ((x[1], c), (x[2], d)):
        np.multiply(column, factor, out=part)
        residual -= part
    residual += y
    residual -= a
    precision = np.exp(-2 * s)
    scaled = precision * (residual @ residual)
    value = -scaled / 2 - y.size * (s + np.log(2 * np.pi) / 2)
    by = [precision * residual.sum(), *(precision * (residual @ column) for column in x[:3])]
    return np.array([value, *by, scaled - y.size])


def normal_matrix(x, y, point, work):
    """The same by products of a matrix and a vector."""
    matrix = work[-1]
    residual = y - matrix @ np.array(point[:4])
    precision = np.exp(-2 * point[4])
    scaled = precision * (residual @ residual)
    value = -scaled / 2 - y.size * (point[4] + np.log(2 * np.pi) / 2)
    return np.array([value, *(precision * (residual @ matrix)), scaled - y.size])


def mixture_rows(x, y, point, work):
    m, n, p, s, u = point
    first, second, difference, odds, part = work[:5]
    np.subtract(y, m, out=first)
    first *= np.exp(-s)
    np.subtract(y, n, out=second)
    second *= np.exp(-u)
    by_first, by_second = first, second
    np.multiply(first, first, out=difference)
    np.multiply(second, second, out=part)
    difference -= part
    difference *= -0.5
    difference += np.log(p) - s - np.log1p(-p) + u
    # log(exp(l1) + exp(l2)) = l2 + max(d, 0) + log1p(exp(-|d|)) with d = l1 - l2
    value = -0.5 * part.sum() + y.size * (np.log1p(-p) - u - np.log(2 * np.pi) / 2)
    np.abs(difference, out=odds)
    np.negative(odds, out=odds)
    np.exp(odds, out=odds)
    np.log1p(odds, out=part)
    value += part.sum()
    np.maximum(difference, 0, out=part)
    value += part.sum()
    weight = np.where(difference >= 0, 1.0, odds)
    odds += 1
    weight /= odds
    share = weight.sum()
    np.multiply(weight, by_first, out=part)
    by_m, by_s = part.sum() * np.exp(-s), part @ by_first - share
    np.subtract(1, weight, out=weight)
    rest = weight.sum()
    np.multiply(weight, by_second, out=part)
    by_n, by_u = part.sum() * np.exp(-u), part @ by_second - rest
    return np.array([value, by_m, by_n, share / p - rest / (1 - p), by_s, by_u])


def choice_matrix(x, y, point, work):
    matrix = work[-1]
    eta = matrix @ np.array(point)
    largest = eta.max()
    power = np.exp(eta - largest)
    total, trials = power.sum(), y.sum()
    value = y @ eta - trials * (largest + np.log(total))
    power *= -trials / total
    power += y
    return np.array([value, *(power @ matrix)])


MODELS = {
    "least_squares": ([least_squares_rows], [3.0, 0.7, 1.0, 0.5, 2.3]),
    "normal": ([normal_rows, normal_matrix], [1.0, 0.7, -0.4, 0.2, 0.1]),
    "mixture": ([mixture_rows], [-0.5, 1.0, 0.3, -0.5, 0.2]),
    "choice": ([choice_matrix], [0.3, 0.7, -0.4, 0.2, 1.1]),
}
BLOCK = 8192


def in_blocks(function, x, y, point, work):
    """The sums over blocks of rows that stay in the cache."""
    total = 0
    for first in range(0, y.size, BLOCK):
        rows = slice(first, min(first + BLOCK, y.size))
        width = rows.stop - rows.start
        total = total + function([column[rows] for column in x], y[rows], point, [array[:width] for array in work])
    return total


def gradient(request):
    """The fastest way of several: over whole columns, and in blocks."""
    functions, point = MODELS[request["model"]]
    *x, y = columns.cached = getattr(columns, "cached", None) or columns()
    work = [np.empty(ROWS) for _ in range(5)]
    if request["model"] == "normal":
        work.append(np.asfortranarray(np.stack([np.ones(ROWS), *x[:3]], axis=1)))
    if request["model"] == "choice":
        work.append(np.asfortranarray(np.stack(x, axis=1)))
    ways = {function.__name__: lambda f=function: f(x, y, point, work) for function in functions}
    if functions[0].__name__.endswith("_rows"):
        ways["blocks"] = lambda: in_blocks(functions[0], x, y, point, work[:5])
    found = {}
    for name, run in ways.items():
        run()
        times, end = [], time.perf_counter() + request["seconds"] / len(ways)
        while len(times) < 3 or time.perf_counter() < end:
            start = time.thread_time()
            values = run()
            times.append((time.thread_time() - start) * 1e6)
        times.sort()
        found[name] = (times[len(times) // 2], times[0])
    best = min(found, key=found.get)
    return {"median_us": found[best][0], "min_us": found[best][1], "way": best, "values": values.tolist()}


# Fits.

FUNCTIONS = {name: getattr(np, name) for name in ("exp", "log", "sin", "cos", "sqrt", "arctan")} | {"atan": np.arctan, "pi": np.pi}


def fit(request):
    """One problem of NIST: the estimates in the order of their names."""
    data = {name: np.array(column) for name, column in request["data"].items()}
    names, y = sorted(request["start"]), data.pop("y")
    model = eval(f"lambda data, {', '.join(names)}: {request['model']}", dict(FUNCTIONS, **data))
    p0 = [request["start"][name] for name in names]
    start = time.perf_counter()
    try:
        if request["method"] == "lm":
            found, _ = curve_fit(model, None, y, p0, method="lm", ftol=1e-12, xtol=1e-12, gtol=1e-12, maxfev=100_000)
        else:
            residuals = lambda p: model(None, *p) - y
            found = least_squares(residuals, p0, method="trf", x_scale="jac", ftol=1e-12, xtol=1e-12, gtol=1e-12, max_nfev=10_000).x
    except (RuntimeError, ValueError):  # without a fit, the problem is not solved
        found = np.full(len(names), np.nan)
    elapsed = (time.perf_counter() - start) * 1e3
    return {"estimates": np.nan_to_num(found, nan=1e300, posinf=1e300, neginf=-1e300).tolist(), "ms": elapsed}


def large_fit(request):
    """a exp(-b t) + c + d sin(w t), with its Jacobian by hand."""
    t, y = (np.array(request["data"][name]) for name in ("t", "y"))

    def model(t, a, b, c, d, e):
        return a * np.exp(-b * t) + c + d * np.sin(e * t)

    def jacobian(t, a, b, c, d, e):
        slopes = np.empty((t.size, 5))
        slopes[:, 0] = decay = np.exp(-b * t)
        slopes[:, 1] = decay * t * -a
        slopes[:, 2] = 1
        angle = e * t
        slopes[:, 3] = np.sin(angle)
        slopes[:, 4] = np.cos(angle) * t * d
        return slopes

    options = {"jac": jacobian} if request["jacobian"] else {}
    start = time.perf_counter()
    found, _ = curve_fit(model, t, y, request["start"], method="lm", **options)
    return {"estimates": found.tolist(), "ms": (time.perf_counter() - start) * 1e3}


# Differential equations.

CALLS = [0]


def lorenz(t, y):
    CALLS[0] += 1
    a, b, c = y.tolist()
    return [10 * (b - a), a * (28 - c) - b, a * b - 8 / 3 * c]


def kepler(t, y):
    CALLS[0] += 1
    a, b, c, d = y.tolist()
    cube = (a * a + b * b) ** 1.5
    return [c, d, -a / cube, -b / cube]


def van_der_pol(t, y):
    CALLS[0] += 1
    a, b = y.tolist()
    return [b, 1000 * (1 - a * a) * b - a]


def robertson(t, y):
    CALLS[0] += 1
    a, b, c = y.tolist()
    first, second = -0.04 * a + 1e4 * b * c, 3e7 * b * b
    return [first, -first - second, second]


def hires(t, y):
    CALLS[0] += 1
    a, b, c, d, e, f, g, h = y.tolist()
    product = 280 * f * h
    return [
        -1.71 * a + 0.43 * b + 8.32 * c + 0.0007,
        1.71 * a - 8.75 * b,
        -10.03 * c + 0.43 * d + 0.035 * e,
        8.32 * b + 1.71 * c - 1.12 * d,
        -1.745 * e + 0.43 * f + 0.43 * g,
        -product + 0.69 * d + 1.71 * e - 0.43 * f + 0.69 * g,
        product - 1.81 * g,
        -product + 1.81 * g,
    ]


def heat(t, y):
    CALLS[0] += 1
    rate = -2 * y
    rate[1:] += y[:-1]
    rate[:-1] += y[1:]
    rate *= (y.size + 1.0) ** 2
    return rate


PYTHON = {"lorenz": lorenz, "kepler": kepler, "van_der_pol": van_der_pol, "robertson": robertson, "hires": hires, "heat": heat}

SOURCE = r"""
#include <math.h>
#include <stdint.h>
#include <string.h>
typedef void (*Function)(double, const double *, double *);
long calls;
static int n;
void lorenz(double t, const double *y, double *d) {
    calls++;
    d[0] = 10 * (y[1] - y[0]), d[1] = y[0] * (28 - y[2]) - y[1], d[2] = y[0] * y[1] - 8. / 3 * y[2];
}
void kepler(double t, const double *y, double *d) {
    calls++;
    double square = y[0] * y[0] + y[1] * y[1], cube = square * sqrt(square);
    d[0] = y[2], d[1] = y[3], d[2] = -y[0] / cube, d[3] = -y[1] / cube;
}
void van_der_pol(double t, const double *y, double *d) {
    calls++;
    d[0] = y[1], d[1] = 1000 * (1 - y[0] * y[0]) * y[1] - y[0];
}
void robertson(double t, const double *y, double *d) {
    calls++;
    d[0] = -0.04 * y[0] + 1e4 * y[1] * y[2], d[2] = 3e7 * y[1] * y[1], d[1] = -d[0] - d[2];
}
void hires(double t, const double *y, double *d) {
    calls++;
    double product = 280 * y[5] * y[7];
    d[0] = -1.71 * y[0] + 0.43 * y[1] + 8.32 * y[2] + 0.0007;
    d[1] = 1.71 * y[0] - 8.75 * y[1];
    d[2] = -10.03 * y[2] + 0.43 * y[3] + 0.035 * y[4];
    d[3] = 8.32 * y[1] + 1.71 * y[2] - 1.12 * y[3];
    d[4] = -1.745 * y[4] + 0.43 * y[5] + 0.43 * y[6];
    d[5] = -product + 0.69 * y[3] + 1.71 * y[4] - 0.43 * y[5] + 0.69 * y[6];
    d[6] = product - 1.81 * y[6];
    d[7] = -product + 1.81 * y[6];
}
void heat(double t, const double *y, double *d) {
    calls++;
    double factor = (1000 + 1.0) * (1000 + 1.0);
    d[0] = factor * (y[1] - 2 * y[0]), d[999] = factor * (y[998] - 2 * y[999]);
    for (int i = 1; i < 999; i++) d[i] = factor * (y[i - 1] - 2 * y[i] + y[i + 1]);
}
#ifdef CVODE
// The declarations of SUNDIALS 7 that are used: reals are doubles, indices have 64 bits, no MPI.
typedef void *P;
int SUNContext_Create(int, P *); int SUNContext_Free(P *); int SUNContext_ClearErrHandlers(P);
P N_VMake_Serial(int64_t, double *, P); double *N_VGetArrayPointer(P); void N_VDestroy(P);
P SUNDenseMatrix(int64_t, int64_t, P); P SUNBandMatrix(int64_t, int64_t, int64_t, P); void SUNMatDestroy(P);
P SUNLinSol_Dense(P, P, P); P SUNLinSol_Band(P, P, P); int SUNLinSolFree(P);
P SUNNonlinSol_FixedPoint(P, int, P); int SUNNonlinSolFree(P);
P CVodeCreate(int, P); int CVodeInit(P, int (*)(double, P, P, P), double, P); int CVodeSStolerances(P, double, double);
int CVodeSetUserData(P, P); int CVodeSetLinearSolver(P, P, P); int CVodeSetNonlinearSolver(P, P); int CVodeSetMaxNumSteps(P, long); int CVodeSetMaxHnilWarns(P, int);
int CVodeSetStopTime(P, double); int CVode(P, double, P, double *, int); int CVodeGetNumSteps(P, long *); void CVodeFree(P *);
static int right(double t, P y, P d, P function) {
    ((Function)function)(t, N_VGetArrayPointer(y), N_VGetArrayPointer(d));
    return 0;
}
// `y` is the start, then the end; the result is the number of steps, or an error below 0.
long cvode(Function function, int adams, int band, long size, double end, double rtol, double atol, double *y) {
    P context, matrix = 0, solver = 0, nonlinear = 0;
    if (SUNContext_Create(0, &context)) return -1;
    SUNContext_ClearErrHandlers(context);
    P vector = N_VMake_Serial(size, y, context), memory = CVodeCreate(adams ? 1 : 2, context);
    int bad = CVodeInit(memory, right, 0, vector) || CVodeSStolerances(memory, rtol, atol) || CVodeSetUserData(memory, (P)function);
    if (adams) {
        nonlinear = SUNNonlinSol_FixedPoint(vector, 0, context);
        bad = bad || CVodeSetNonlinearSolver(memory, nonlinear);
    } else {
        matrix = band ? SUNBandMatrix(size, 1, 1, context) : SUNDenseMatrix(size, size, context);
        solver = band ? SUNLinSol_Band(vector, matrix, context) : SUNLinSol_Dense(vector, matrix, context);
        bad = bad || CVodeSetLinearSolver(memory, solver, matrix);
    }
    long steps = -1;
    double reached;
    bad = bad || CVodeSetMaxNumSteps(memory, 1000000) || CVodeSetMaxHnilWarns(memory, -1) || CVodeSetStopTime(memory, end) || CVode(memory, end, vector, &reached, 1) < 0;
    if (!bad) CVodeGetNumSteps(memory, &steps);
    CVodeFree(&memory);
    if (adams) SUNNonlinSolFree(nonlinear); else SUNLinSolFree(solver), SUNMatDestroy(matrix);
    N_VDestroy(vector), SUNContext_Free(&context);
    return steps;
}
#endif
"""

# The functions above stand before it, so that they are inlined.
BOOST = r"""
#include <array>
#include <boost/numeric/odeint.hpp>
namespace odeint = boost::numeric::odeint;
template <std::size_t N, class Stepper> static long run(Function function, double end, double rtol, double atol, double *y) {
    std::array<double, N> state;
    std::copy(y, y + N, state.begin());
    auto right = [function](const std::array<double, N> &y, std::array<double, N> &d, double t) { function(t, y.data(), d.data()); };
    long steps = odeint::integrate_adaptive(odeint::make_controlled<Stepper>(atol, rtol), right, state, 0.0, end, 1e-3);
    std::copy(state.begin(), state.end(), y);
    return steps;
}
// `y` is the start, then the end; the result is the number of steps.
template <class State> using Dopri5 = odeint::runge_kutta_dopri5<State>;
template <class State> using Fehlberg78 = odeint::runge_kutta_fehlberg78<State>;
#define EXPORT(NAME, N, STEPPER) \
    extern "C" __attribute__((visibility("default"))) long NAME##_##STEPPER(double end, double rtol, double atol, double *y) { \
        return run<N, STEPPER<std::array<double, N>>>(NAME, end, rtol, atol, y); \
    }
EXPORT(lorenz, 3, Dopri5) EXPORT(lorenz, 3, Fehlberg78)
EXPORT(kepler, 4, Dopri5) EXPORT(kepler, 4, Fehlberg78)
"""


def sundials():
    """The libraries of the wheel, loaded for the program below; empty without it."""
    spec = importlib.util.find_spec("sksundae")
    folder = Path(spec.origin).parents[1] / "scikit_sundae.libs" if spec else Path("absent")
    order = ("core", "nvecserial", "sunmatrixdense", "sunmatrixband", "sunlinsoldense", "sunlinsolband", "cvode")
    found = [next(iter(folder.glob(f"libsundials_{name}-*.so*")), None) for name in order]
    if None in found:
        return []
    for library in found:
        ctypes.CDLL(str(library), mode=ctypes.RTLD_GLOBAL)
    return found


def compiled(command, name, text):
    """A library of a source, loaded."""
    folder = Path(tempfile.mkdtemp())
    (folder / name).write_text(text)
    subprocess.check_call([*command, "-O3", "-march=native", "-shared", "-fPIC", "-o", str(folder / "right.so"), str(folder / name), "-lm"])
    return ctypes.CDLL(str(folder / "right.so"))


def native():
    """The functions in C, with CVODE where it is there; `None` without a compiler."""
    compiler = shutil.which("gcc")
    return compiled([compiler, *(["-DCVODE"] if sundials() else [])], "right.c", SOURCE) if compiler else None


def boost():
    """The integrators of Boost with the functions; `None` without a compiler or the headers."""
    compiler = shutil.which("g++")
    check = [compiler, "-x", "c++", "-fsyntax-only", "-include", "boost/version.hpp", "/dev/null"]
    if not compiler or subprocess.run(check, stderr=subprocess.DEVNULL).returncode != 0:
        return None
    visible = 'extern "C" __attribute__((visibility("default"))) long calls;'
    functions = SOURCE.replace("long calls;", f"{visible}\nlong calls;")
    return compiled([compiler, "-fvisibility=hidden"], "right.cpp", functions + BOOST)


NATIVE, BOOST_LIBRARY = native(), boost()
POINTER = ctypes.POINTER(ctypes.c_double)


def methods():
    found = ["RK45", "DOP853", "LSODA", "BDF", "Radau"]
    found += (["LSODA, C"] if NATIVE else []) + (["CVODE, C"] if hasattr(NATIVE, "cvode") else [])
    return found + (["Boost Dopri5, C++", "Boost Fehlberg78, C++"] if BOOST_LIBRARY else [])


def equation(request):
    name, method, y0, end = request["problem"], request["method"], np.array(request["y0"], dtype=float), request["end"]
    rtol, atol = request["rtol"], request["atol"]
    band = name == "heat"
    if method == "CVODE, C":
        run = NATIVE.cvode
        run.restype = ctypes.c_long
        function = ctypes.cast(getattr(NATIVE, name), ctypes.c_void_p)
        calls = ctypes.c_long.in_dll(NATIVE, "calls")
        calls.value = 0
        arguments = [function, ctypes.c_int(not request["stiff"]), ctypes.c_int(band), ctypes.c_long(y0.size)]
        arguments += [ctypes.c_double(value) for value in (end, rtol, atol)]
        start = time.perf_counter()
        steps = run(*arguments, y0.ctypes.data_as(POINTER))
        elapsed = (time.perf_counter() - start) * 1e3
        return {"y": y0.tolist() if steps >= 0 else None, "ms": elapsed, "steps": steps, "evaluations": calls.value}
    if method.startswith("Boost "):
        run = getattr(BOOST_LIBRARY, f"{name}_{method.split(' ')[1].rstrip(',')}")
        run.restype = ctypes.c_long
        calls = ctypes.c_long.in_dll(BOOST_LIBRARY, "calls")
        calls.value = 0
        arguments = [ctypes.c_double(value) for value in (end, rtol, atol)]
        start = time.perf_counter()
        steps = run(*arguments, y0.ctypes.data_as(POINTER))
        elapsed = (time.perf_counter() - start) * 1e3
        return {"y": y0.tolist(), "ms": elapsed, "steps": steps, "evaluations": calls.value}
    options = {}
    if band and method.startswith("LSODA"):
        options = {"lband": 1, "uband": 1}
    elif band:
        options = {"jac_sparsity": diags([1, 1, 1], [-1, 0, 1], shape=(y0.size, y0.size))}
    function, CALLS[0] = PYTHON[name], 0
    if method == "LSODA, C":
        in_c = getattr(NATIVE, name)
        in_c.argtypes, in_c.restype = [ctypes.c_double, POINTER, POINTER], None
        address = ctypes.c_double.from_buffer

        def function(t, y):
            CALLS[0] += 1
            rate = np.empty(y.size)
            in_c(t, address(y), address(rate))
            return rate

    start = time.perf_counter()
    found = solve_ivp(function, (0, end), y0, method=method.split(",")[0], rtol=rtol, atol=atol, **options)
    elapsed = (time.perf_counter() - start) * 1e3
    y = found.y[:, -1].tolist() if found.status == 0 else None
    return {"y": y, "ms": elapsed, "steps": found.t.size - 1, "evaluations": CALLS[0]}


KINDS = {"gradient": gradient, "fit": fit, "large_fit": large_fit, "equation": equation, "methods": lambda _: {"methods": methods()}}
for line in sys.stdin:
    request = json.loads(line)
    print(json.dumps(KINDS[request["kind"]](request)), flush=True)
