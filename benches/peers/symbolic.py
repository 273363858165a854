"""How much of symbolic mathematics is answered, and whether it is right: sets of problems with their answers checked by mpmath and SymPy.

    python3 -m venv target/symbolic && target/symbolic/bin/pip install sympy mpmath
    git clone https://github.com/asmeurer/integration-test-suites target/integrals
    target/symbolic/bin/python benches/peers/symbolic.py --published target/integrals/data/independent     writes benches/results/symbolic.md
    target/symbolic/bin/python benches/peers/symbolic.py --only fresh,equations --print --failures
    target/symbolic/bin/python benches/peers/symbolic.py --sympy 10                                        SymPy's share of the integrals too, ten seconds each

The published integrals are those of that suite's folder `independent` (Timofeev, Stewart, Hearn, Apostol, Moses, Welz, Charlwood and others; MIT), drawn by a fixed
seed from the rows whose variable occurs. All other sets are made here by fixed seeds, with answers known by how they are made. An antiderivative counts as right when its
derivative agrees with the integrand at real points, to 15 of 40 digits.
"""

import argparse
import json
import multiprocessing
import os
import random
import statistics
import subprocess
import time
from pathlib import Path

import mpmath
import sympy
from sympy.parsing.sympy_parser import convert_xor, parse_expr, standard_transformations

ROOT = Path(__file__).resolve().parents[2]
x = sympy.Symbol("x", real=True)
mpmath.mp.dps = 40
# What our language calls otherwise than SymPy.
NAMES = {
    "ln": sympy.log, "abs": sympy.Abs, "expi": sympy.Ei, "sinint": sympy.Si, "cosint": sympy.Ci, "arcsin": sympy.asin, "e": sympy.E,
    "E": sympy.E, "i": sympy.I, "cbrt": lambda u: sympy.cbrt(u), "sgn": sympy.sign, "lambertw": sympy.LambertW,
}  # fmt: skip


class Mathchain:
    """A process of `serve --jsonl`, asked one call after another."""

    def __init__(self, program):
        self.process = subprocess.Popen([program, "serve", "--jsonl"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT)
        self.times = []

    def call(self, tool, **arguments):
        """The output, or none with the reason of the error."""
        start = time.perf_counter()
        self.process.stdin.write(json.dumps({"id": 1, "tool": tool, "args": arguments}) + "\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        self.times.append(time.perf_counter() - start)
        if answer["ok"]:
            return answer["output"], None
        return None, answer["error"].get("reason", answer["error"]["code"])

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def read(text, symbols):
    """Our answer as an expression of SymPy, unevaluated where evaluation would take long; none where it cannot be read."""
    try:
        found = parse_expr(text, {**NAMES, **symbols}, standard_transformations + (convert_xor,), evaluate=False)
        return found if isinstance(found, sympy.Basic) else sympy.sympify(found)
    except Exception:  # SymPy fails in many ways on what it cannot read
        return None


def symbols_of(expression):
    return {str(symbol): symbol for symbol in expression.free_symbols}


def value_at(expression, point):
    """A number of 40 digits, or none where there is no finite one."""
    try:
        found = sympy.lambdify(list(point), expression, modules=["mpmath"])(*point.values())
        found = mpmath.mpmathify(found)
        return found if mpmath.isfinite(found) else None
    except (ValueError, ZeroDivisionError, TypeError, NameError, OverflowError, KeyError, mpmath.libmp.NoConvergence):
        return None


def antiderivative_is_right(answer, integrand, variable, rng):
    """Whether the derivative agrees at two real points where both have values; none where no point could be tried."""
    ours = read(answer, symbols_of(integrand) | {str(variable): variable})
    if ours is None:
        return False
    free = sorted(integrand.free_symbols | ours.free_symbols, key=str)
    tried = 0
    for _ in range(60):
        point = {symbol: mpmath.mpf(rng.uniform(0.1, 2.9)) for symbol in free}
        wanted = value_at(integrand, point)
        if wanted is None or abs(mpmath.im(wanted)) > mpmath.mpf(10) ** -30:
            continue
        function = sympy.lambdify(free, ours, modules=["mpmath"])
        along = lambda at: function(*[at if symbol == variable else point[symbol] for symbol in free])
        try:
            found = mpmath.diff(along, point[variable], h=mpmath.mpf(10) ** -12)
        except (ValueError, ZeroDivisionError, TypeError, NameError, OverflowError, mpmath.libmp.NoConvergence):
            continue
        if abs(found - wanted) > mpmath.mpf(10) ** -15 * (1 + abs(wanted)):
            return False
        tried += 1
        if tried == 2:
            return True
    return True if tried else None


# Integrals.


def published(folder, count, seed):
    rows = []
    for path in sorted(Path(folder).glob("*.jsonl")):
        rows += [json.loads(line) for line in path.read_text().splitlines()]
    rows = [row for row in rows if depends_on_variable(row)]
    return [(row["integrand"], row["variable"]) for row in random.Random(seed).sample(rows, count)]


def depends_on_variable(row):
    try:
        return sympy.Symbol(row["variable"]) in sympy.sympify(row["integrand"]).free_symbols
    except Exception:  # SymPy fails in many ways on what it cannot read
        return False


def random_function(rng, depth):
    """A small expression of x, as products, sums and compositions of elementary functions."""
    if depth == 0:
        return rng.choice([x, x, x, x**2, x + rng.randint(1, 4), rng.randint(2, 5) * x])
    kind = rng.randrange(6)
    if kind == 0:
        return random_function(rng, depth - 1) * random_function(rng, depth - 1)
    if kind == 1:
        return random_function(rng, depth - 1) + rng.randint(1, 3) * random_function(rng, depth - 1)
    if kind == 2:
        return random_function(rng, depth - 1) / (x**2 + rng.randint(1, 4))
    if kind == 3:
        return sympy.sqrt(random_function(rng, 0) ** 2 + rng.randint(1, 4))
    outer = rng.choice([sympy.exp, sympy.log, sympy.sin, sympy.cos, sympy.atan, sympy.tan])
    return outer(random_function(rng, depth - 1))


def fresh(count, seed):
    rng, cases = random.Random(seed), []
    while len(cases) < count:
        integrand = sympy.diff(random_function(rng, 2), x)
        if integrand.has(x) and integrand.count_ops() < 60:
            cases.append((str(integrand), "x"))
    return list(dict.fromkeys(cases))


def ask_integrals(mathchain, cases, seed):
    rng, found = random.Random(seed), []
    for integrand, variable in cases:
        expression = sympy.sympify(integrand, locals={"x": x} if variable == "x" else None)
        symbol = next(symbol for symbol in expression.free_symbols if str(symbol) == variable)
        output, reason = mathchain.call("symbolic_integrate", expression=integrand, variable=variable)
        right = output and antiderivative_is_right(output["antiderivative"]["text"], expression, symbol, rng)
        found.append((f"integral of {integrand} d{variable}", "refused" if output is None else {True: "right", False: "wrong", None: "unchecked"}[right], reason))
    return found


def sympy_integral(integrand, variable, pipe):
    answer = sympy.integrate(sympy.sympify(integrand), sympy.Symbol(variable))
    pipe.send(None if answer.has(sympy.Integral) else str(answer))


def sympy_share(cases, seconds):
    """How many of the integrals SymPy answers in this time, and its times."""
    answered, times = 0, []
    for case in cases:
        here, there = multiprocessing.Pipe()
        start, process = time.perf_counter(), multiprocessing.Process(target=sympy_integral, args=(*case, there))
        process.start()
        if here.poll(seconds):
            try:
                answered += here.recv() is not None
            except EOFError:
                pass
        times.append(time.perf_counter() - start)
        process.kill()
        process.join()
    return answered, times


# Equations: each with all its real solutions, in a range where there are infinitely many.

RANGE = 12


def equations(count, seed):
    rng, cases = random.Random(seed), []
    whole = lambda: rng.choice([-1, 1]) * rng.randint(1, 6)
    makers = [polynomial_equation, rational_equation, circular_equation, exponential_equation, absolute_equation, root_equation, linear_system, circle_system]
    while len(cases) < count:
        case = makers[len(cases) % len(makers)](rng, whole)
        if case is not None:
            cases.append(case)
    return cases


def polynomial_equation(rng, whole):
    factors = [x - sympy.Rational(whole(), rng.randint(1, 3)) for _ in range(rng.randint(1, 3))]
    factors += [x**2 + whole() * x + whole() for _ in range(rng.randint(0, 2))]
    return real_case(sympy.expand(sympy.prod(factors)), 0)


def rational_equation(rng, whole):
    a, b, c, d = whole(), whole(), whole(), whole()
    return None if a == c else real_case(sympy.Integer(1) / (x + a) + sympy.Integer(b) / (x + c), d)


def circular_equation(rng, whole):
    function = rng.choice([sympy.sin, sympy.cos, sympy.tan])
    inside = rng.randint(1, 3) * x + rng.choice([0, 0, 1])
    side = rng.choice([0, sympy.Rational(1, 2), 1, -1, sympy.sqrt(3) / 2, sympy.Rational(whole(), 7)])
    if function == sympy.tan or rng.random() < 0.6:
        return real_case(function(inside), side)
    return real_case(2 * function(x) ** 2 + whole() * function(x) + rng.choice([-1, 1]), 0)


def exponential_equation(rng, whole):
    a, b = rng.randint(1, 4), rng.randint(1, 9)
    form = rng.randrange(4)
    if form == 0:
        return real_case(sympy.exp(a * x) - (b + 1) * sympy.exp(a * x / 2), -b)
    if form == 1:
        return real_case(2 ** (a * x + 1), b)
    if form == 2:
        return real_case(sympy.log(x) + sympy.log(x + a), sympy.log(b))
    return real_case(sympy.log(x) ** 2 + a * sympy.log(x), b)


def absolute_equation(rng, whole):
    a, b, c = whole(), whole(), rng.randint(1, 8)
    return real_case(sympy.Abs(x - a) + sympy.Abs(rng.randint(1, 3) * x - b), c) if rng.random() < 0.5 else real_case(sympy.Abs(x**2 + a * x), c)


def root_equation(rng, whole):
    a, b = rng.randint(1, 9), whole()
    return real_case(sympy.sqrt(x + a), x + b) if rng.random() < 0.5 else real_case(sympy.sqrt(x + a) + sympy.sqrt(x), rng.randint(2, 8))


def real_case(left, right):
    """The equation with its real roots in the range: those of a dense search, refined, with touching roots by the derivative."""
    difference = sympy.lambdify(x, left - right, modules=["mpmath"])
    slope = sympy.lambdify(x, sympy.diff(left - right, x), modules=["mpmath"])
    roots = []
    with mpmath.workdps(20):
        grid = [mpmath.mpf(-RANGE) + mpmath.mpf(2 * RANGE * step) / 1500 + mpmath.mpf(1) / 9173 for step in range(1500)]
        known = [(at, safely(difference, at), safely(slope, at)) for at in grid]
        for (a, fa, ga), (b, fb, gb) in zip(known, known[1:]):
            if fa is None or fb is None:
                continue
            if fa * fb <= 0 and abs(fa - fb) < 10**3:
                roots.append(refined(difference, a, b))
            elif ga is not None and gb is not None and ga * gb < 0:
                touching = refined(slope, a, b)
                if touching is not None and abs(safely(difference, touching) or 1) < 1e-12:
                    roots.append(touching)
        # A pole with a change of sign is no root.
        roots = [root for root in roots if root is not None and abs(safely(difference, root) or 0) < 1e-6]
    return (f"{left} = {right}".replace("Abs", "abs"), {"x": roots, "difference": difference})


def safely(function, at):
    try:
        found = mpmath.mpmathify(function(at))
        return None if mpmath.im(found) != 0 or not mpmath.isfinite(found) else mpmath.re(found)
    except (ValueError, ZeroDivisionError, TypeError, OverflowError):
        return None


def refined(function, a, b):
    try:
        return mpmath.findroot(function, (a, b), solver="anderson", tol=1e-24, verify=False)
    except (ValueError, ZeroDivisionError, TypeError):
        return None


def linear_system(rng, whole):
    y = sympy.Symbol("y")
    a, b, c, d, u, v = (whole() for _ in range(6))
    if a * d == b * c:
        return None
    return (f"{a}*x + {b}*y = {a * u + b * v}; {c}*x + {d}*y = {c * u + d * v}", {"points": [(u, v)]})


def circle_system(rng, whole):
    u, v, m = rng.randint(-4, 4), rng.randint(-4, 4), rng.choice([-2, -1, 1, 2])
    r, k = u * u + v * v, v - m * u
    if r == 0:
        return None
    other = sympy.solve([x**2 + (m * x + k) ** 2 - r], [x])
    points = sorted({(mpmath.mpf(sympy.N(value, 30)), mpmath.mpf(sympy.N(m * value + k, 30))) for (value,) in other})
    return (f"x^2 + y^2 = {r}; y = {m}*x + {k}", {"points": points})


def ask_equations(mathchain, cases):
    found = []
    for text, wanted in cases:
        output, reason = mathchain.call("symbolic_solve", equations=text)
        if output is None:
            found.append((text, "refused", reason))
            continue
        verdict = compare_solutions(output, wanted)
        if verdict == "lost" and not output["complete"]:
            verdict = "refused"
        found.append((text, verdict, json.dumps([row["values"] for row in output["solutions"]])[:200]))
    return found


def compare_solutions(output, wanted):
    near = lambda a, b: abs(a - b) < 1e-9 * (1 + abs(b))
    ours = set()
    for row in output["solutions"]:
        values = {name: read(text, {"x": x, "y": sympy.Symbol("y"), "k": sympy.Symbol("k")}) for name, text in row["values"].items()}
        if row.get("any_integer"):
            k = sympy.Symbol(row["any_integer"])
            expression = read(row["values"]["x"], {"x": x, str(k): k})
            if expression is None:
                return "unchecked"
            ours |= {value_at(expression, {k: mpmath.mpf(n)}) for n in range(-60, 61)}
        elif "points" in wanted:
            ours.add((value_at(values["x"], {}), value_at(values["y"], {})))
        elif row["exact"]:
            ours.add(value_at(values["x"], {}))
        else:
            ours.add(mpmath.mpf(row["digits"]))
    if "points" in wanted:
        same = lambda p, q: near(p[0], q[0]) and near(p[1], q[1])
        if any(not any(same(p, q) for q in wanted["points"]) for p in ours):
            return "wrong"
        return "right" if all(any(same(p, q) for p in ours) for q in wanted["points"]) else "lost"
    ours = [mpmath.re(value) for value in ours if value is not None and -RANGE + 0.01 < mpmath.re(value) < RANGE - 0.01]
    inside = [root for root in wanted["x"] if -RANGE + 0.01 < root < RANGE - 0.01]
    # The search misses roots where both sides only touch: a value is wrong where the sides differ.
    if any(abs(wanted["difference"](a)) > 1e-12 * (1 + abs(a)) for a in ours):
        return "wrong"
    return "right" if all(any(near(a, b) for a in ours) for b in inside) else "lost"


# Limits and series: forms of textbooks with numbers put in.

LIMIT_FORMS = [
    ("sin({a}*x)/x", "0"), ("(1 + {a}/x)^({b}*x)", "inf"), ("(exp({a}*x) - 1)/sin({b}*x)", "0"), ("(x^{b} - 1)/(x^{a} - 1)", "1"), ("x^{a}*exp(-{b}*x)", "inf"),
    ("ln(x)/x^{a}", "inf"), ("(1 - cos({a}*x))/x^2", "0"), ("sqrt(x^2 + {a}*x) - x", "inf"), ("(tan(x) - sin(x))/x^3", "0"), ("x*ln(x)", "0+"), ("(cos(x))^({a}/x^2)", "0"),
    ("({a}^x - {b}^x)/x", "0"), ("({a}*x^3 + x)/({b}*x^3 - 1)", "inf"), ("x^x", "0+"), ("(1/x - 1/sin({a}*x))*x", "0"), ("(sqrt({a} + x) - sqrt({a}))/x", "0"),
    ("atan({a}*x)/x", "0"), ("x*(pi/2 - atan({a}*x))", "inf"), ("(ln(1 + {a}*x))/(exp({b}*x) - 1)", "0"), ("(x - sin(x))/x^3", "0"), ("abs(x)/x", "0-"),
    ("exp(-1/x^2)/x^{a}", "0"), ("(1 + sin({a}*x))^(1/x)", "0"), ("(exp(x) - 1 - x)/x^2", "0"), ("x^(1/x)", "inf"),
]  # fmt: skip
SERIES_FORMS = [
    "exp({a}*x)", "sin({a}*x)", "cos({a}*x)*exp(x)", "ln(1 + {a}*x)", "1/(1 - {a}*x)", "sqrt(1 + {a}*x)", "tan({a}*x)", "atan({a}*x)", "asin({a}*x)", "exp(sin({a}*x))",
    "sin(x)/x", "ln(cos({a}*x))", "1/sin({a}*x)", "x/(exp({a}*x) - 1)", "(1 + {a}*x)^(1/3)", "exp(x)/(1 - x)", "sinh({a}*x)", "cosh({a}*x)/(1 + x)", "1/(x^2*(1 + {a}*x))",
    "cot({a}*x)", "ln(1 + sin({a}*x))", "sqrt(cos({a}*x))", "exp({a}*x)*ln(1 + x)", "1/cos({a}*x)",
]  # fmt: skip


def filled(forms, count, seed):
    rng, cases = random.Random(seed), []
    for step in range(20 * count):
        form = forms[step % len(forms)]
        a, b = rng.randint(1, 5), rng.randint(2, 5)
        case = tuple(part.format(a=a, b=b) for part in form) if isinstance(form, tuple) else form.format(a=a, b=b)
        if case not in cases and (a != b or "{b}" not in str(form)):
            cases.append(case)
        if len(cases) == count:
            break
    return cases


def ask_limits(mathchain, cases):
    found = []
    for text, point in cases:
        side = {"+": "right", "-": "left"}.get(point[-1], "both") if point != "-inf" else "both"
        place = point.rstrip("+-")
        output, reason = mathchain.call("symbolic_limit", expression=text, point=place, side=side)
        if output is None:
            found.append((f"{text} at {point}", "refused", reason))
            continue
        expression = parse_expr(text, {**NAMES, "x": x}, standard_transformations + (convert_xor,))
        wanted = sympy.limit(expression, x, sympy.oo if place == "inf" else sympy.sympify(place), "-" if side == "left" else "+")
        answer = output["limit"]["text"]
        ours = {"inf": sympy.oo, "-inf": -sympy.oo}.get(answer) or read(answer, {"x": x})
        if ours is None:
            found.append((f"{text} at {point}", "unchecked", answer))
            continue
        same = ours == wanted or (ours.is_finite is not False and wanted.is_finite and abs(sympy.N(ours - wanted, 30)) < 1e-20)
        found.append((f"{text} at {point}", "right" if same else "wrong", f"{answer}, SymPy {wanted}"))
    return found


def ask_series(mathchain, cases):
    found = []
    for text in cases:
        output, reason = mathchain.call("symbolic_series", expression=text, variable="x", order=6)
        if output is None:
            found.append((text, "refused", reason))
            continue
        expression = parse_expr(text, {**NAMES, "x": x}, standard_transformations + (convert_xor,))
        ours = read(output["series"]["text"], {"x": x})
        wanted = sympy.series(expression, x, 0, int(output["order"])).removeO()
        same = sympy.simplify(sympy.expand(ours.doit()) - sympy.expand(wanted)) == 0
        found.append((text, "right" if same else "wrong", f"{output['series']['text']}, SymPy {wanted}"))
    return found


# Identities: forms with u and v in place of which small expressions stand; one number is changed for those that do not hold.

IDENTITIES = [
    ("sin(2*(u))", "2*sin(u)*cos(u)"), ("cos(2*(u))", "1 - 2*sin(u)^2"), ("sin(u)^2 + cos(u)^2", "1"), ("tan(u)*cos(u)", "sin(u)"), ("sin((u)+(v))", "sin(u)*cos(v) + cos(u)*sin(v)"),
    ("cos((u)-(v))", "cos(u)*cos(v) + sin(u)*sin(v)"), ("((u)+(v))^2", "(u)^2 + 2*(u)*(v) + (v)^2"), ("(u)^2 - (v)^2", "((u)-(v))*((u)+(v))"), ("((u)+(v))^3", "(u)^3 + 3*(u)^2*(v) + 3*(u)*(v)^2 + (v)^3"),
    ("(u)^3 - (v)^3", "((u)-(v))*((u)^2 + (u)*(v) + (v)^2)"), ("exp((u)+(v))", "exp(u)*exp(v)"), ("exp(2*(u))", "exp(u)^2"), ("ln(exp(u))", "u"), ("cosh(u)^2 - sinh(u)^2", "1"),
    ("sinh(2*(u))", "2*sinh(u)*cosh(u)"), ("cosh(u)", "(exp(u) + exp(-(u)))/2"), ("tanh(u)", "sinh(u)/cosh(u)"), ("1 + tan(u)^2", "1/cos(u)^2"), ("sin(3*(u))", "3*sin(u) - 4*sin(u)^3"),
    ("cos(3*(u))", "4*cos(u)^3 - 3*cos(u)"), ("2*sin(u)*sin(v)", "cos((u)-(v)) - cos((u)+(v))"), ("2*cos(u)*cos(v)", "cos((u)-(v)) + cos((u)+(v))"), ("1/(u) - 1/((u)+1)", "1/((u)*((u)+1))"),
    ("(u)/(v) + (v)/(u)", "((u)^2 + (v)^2)/((u)*(v))"), ("sqrt((u)^2)", "abs(u)"), ("(exp(u) - exp(-(u)))^2", "exp(2*(u)) + exp(-2*(u)) - 2"), ("sin(u)^4", "3/8 - cos(2*(u))/2 + cos(4*(u))/8"),
    ("tan(2*(u))", "2*tan(u)/(1 - tan(u)^2)"), ("sin(u) + sin(v)", "2*sin(((u)+(v))/2)*cos(((u)-(v))/2)"), ("((u)^4 - 1)/((u)^2 + 1)", "(u)^2 - 1"),
    ("(1 - cos(2*(u)))/sin(2*(u))", "tan(u)"), ("cos(u)^4 - sin(u)^4", "cos(2*(u))"), ("exp(i*(u))", "cos(u) + i*sin(u)"), ("abs(u)*abs(v)", "abs((u)*(v))"),
    ("1/(1 + 1/(u))", "(u)/((u) + 1)"), ("sqrt((u)^2 + 2*(u) + 1)", "abs((u) + 1)"), ("ln(exp(u)*exp(v))", "(u) + (v)"), ("2^(u)*4^(v)", "2^((u) + 2*(v))"),
]  # fmt: skip
PARTS = ["x", "y", "x + 1", "2*x", "x - y", "x^2", "3*y - 1", "x*y", "x/2", "x^2 + 1", "y + 2", "sqrt(x^2 + 1)", "sin(x)", "exp(x)"]


def identities(count, seed, hold):
    rng, cases = random.Random(seed), []
    while len(cases) < count:
        left, right = IDENTITIES[rng.randrange(len(IDENTITIES))]
        u, v = rng.sample(PARTS, 2)
        put = lambda text: text.replace("exp", "@").replace("u", "\0").replace("v", "\1").replace("\0", u).replace("\1", v).replace("@", "exp")
        left, right = put(left), put(right)
        if not hold:
            right = rng.choice([f"({right}) + x/1000", f"({right})*1.001", f"({right}) + 1e-9", f"-({right}) + 1"])
        if (left, right) not in cases:
            cases.append((left, right))
    return cases


def ask_equality(mathchain, cases, wanted):
    found = []
    for left, right in cases:
        output, reason = mathchain.call("symbolic_simplify", expression=left, equal_to=right)
        answer = output and output["equal"]
        verdict = "refused" if output is None or answer == "undecided" else "right" if answer == wanted else "wrong"
        found.append((f"{left}  and  {right}", verdict, reason or answer))
    return found


def run_set(title, wanted, mathchain, ask, cases, options):
    mathchain.times.clear()
    found = ask(mathchain, cases)
    slow = sorted(zip(mathchain.times, (text for text, *_ in found)), reverse=True)[:3]
    tally = lambda verdict: sum(1 for _, got, _ in found if got == verdict)
    times = sorted(1000 * seconds for seconds in mathchain.times)
    at = lambda share: times[min(len(times) - 1, int(share * len(times)))]
    share = 100 * tally("right") / len(found)
    line = f"| {title} | {len(found)} | {tally('right')} ({share:.0f} %) | {wanted} | {tally('refused')} | {tally('lost')} | {tally('wrong')} | {tally('unchecked')} | {at(0.5):.1f} | {at(0.95):.0f} | {times[-1]:.0f} |"
    print(line, flush=True)
    if options.failures:
        for seconds, text in slow:
            print(f"    {1000 * seconds:.0f} ms: {text}", flush=True)
        for text, verdict, reason in found:
            if verdict != "right":
                print(f"    {verdict}: {text}  ({reason})", flush=True)
    return line


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=str(ROOT / "target" / "release" / "mathchain"))
    parser.add_argument("--published", help="folder with the lines of published integrals; without it that set is left out")
    parser.add_argument("--only", help="names of sets, with commas: published, fresh, equations, limits, series, identities, others")
    parser.add_argument("--sympy", type=float, metavar="SECONDS", help="ask SymPy the integrals too, for so long each")
    parser.add_argument("--failures", action="store_true", help="name each problem that is not answered rightly")
    parser.add_argument("--print", action="store_true", help="print the table and write no page")
    options = parser.parse_args()
    if not Path(options.program).exists():
        raise SystemExit(f"there is no `{options.program}`: build it with `cargo build --release -p mathchain-cli`, or name one with --program")
    mathchain = Mathchain(str(Path(options.program).resolve()))
    sets = {
        "published": ("integrals, published", "80 %", lambda m, c: ask_integrals(m, c, 1), lambda: published(options.published, 150, 47)),
        "fresh": ("integrals, derivatives of random functions", "60 %", lambda m, c: ask_integrals(m, c, 2), lambda: fresh(200, 48)),
        "equations": ("equations and systems", "90 %", ask_equations, lambda: equations(300, 49)),
        "limits": ("limits", "95 %", ask_limits, lambda: filled(LIMIT_FORMS, 120, 50)),
        "series": ("series", "95 %", ask_series, lambda: filled(SERIES_FORMS, 120, 51)),
        "identities": ("identities", "100 %", lambda m, c: ask_equality(m, c, "equal"), lambda: identities(400, 52, True)),
        "others": ("pairs that are not equal", "100 %", lambda m, c: ask_equality(m, c, "different"), lambda: identities(200, 53, False)),
    }  # fmt: skip
    wanted = options.only.split(",") if options.only else [name for name in sets if name != "published" or options.published]
    lines = [
        "# Symbolic mathematics",
        "",
        "Written by `benches/peers/symbolic.py`, which says where the problems come from and how answers are checked.",
        "",
        f"Checked by SymPy {sympy.__version__} and mpmath {mpmath.__version__}. Times are of a call over `serve --jsonl`, in ms, in a release build.",
        "",
        "| set | problems | right | wanted | refused or left open | solutions lost | wrong | not checked | median | 95th percentile | slowest |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    integrals = []
    for name in wanted:
        title, goal, ask, make = sets[name]
        cases = make()
        if name in ("published", "fresh"):
            integrals.append((title, cases))
        lines.append(run_set(title, goal, mathchain, ask, cases, options))
    mathchain.close()
    if options.sympy:
        lines += ["", f"SymPy on the same integrals, at most {options.sympy:g} s each:", "", "| set | problems | answered | seconds |", "|---|---|---|---|"]
        for title, cases in integrals:
            answered, times = sympy_share(cases, options.sympy)
            lines.append(f"| {title} | {len(cases)} | {answered} ({100 * answered / len(cases):.0f} %) | {sum(times):.0f} |")
            print(lines[-1], flush=True)
    if not options.print:
        (ROOT / "benches" / "results" / "symbolic.md").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
