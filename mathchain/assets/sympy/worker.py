"""Answers questions of symbolic mathematics by SymPy: a line of JSON for each, in the protocol of plugins (docs/plugins.md).

Expressions come as lists with the operator first, such as `(+ (* 2 v0) (^ v1 3))`, and are built by the table below: nothing is evaluated
as Python. Answers go back as text, with the functions of that table alone; the host reads and checks them.
"""

import json
import sys

PROTOCOL = 1
CHARACTERS = 20_000
ROWS = 100

try:
    import sympy
    from sympy.printing.str import StrPrinter
except Exception as error:  # named in the greeting
    sympy, FAULT = None, f"sympy ({type(error).__name__})"
    StrPrinter = object


class Refusal(Exception):
    """A question that has no answer here."""


def functions():
    """Functions by the names of the host."""
    names = "sin cos tan cot sec csc asin acos atan sinh cosh tanh coth sech csch asinh acosh atanh sign floor erf erfc gamma factorial zeta"
    table = {name: getattr(sympy, name) for name in names.split()}
    table |= {"ln": sympy.log, "abs": sympy.Abs, "ceil": sympy.ceiling, "expi": sympy.Ei, "sinint": sympy.Si, "cosint": sympy.Ci}
    return table | {"lambertw": sympy.LambertW, "heaviside": sympy.Heaviside, "dirac": sympy.DiracDelta}


def constants():
    """Constants by the names of the host."""
    table = {"pi": sympy.pi, "e": sympy.E, "i": sympy.I, "egamma": sympy.EulerGamma}
    return table | {"inf": sympy.oo, "-inf": -sympy.oo}


def symbol(place, traits):
    known = {name: True for name in ("integer", "positive", "nonnegative", "real") if name in traits}
    return sympy.Symbol(f"v{place}", **known)


class Reader:
    """Builds expressions of lists."""

    def __init__(self, symbols):
        self.functions, self.leaves = functions(), constants()
        self.leaves |= {found.name: found for found in symbols}

    def leaf(self, word):
        if word in self.leaves:
            return self.leaves[word]
        top, _, bottom = word.partition("/")
        return sympy.Rational(int(top), int(bottom or "1"))

    def build(self, head, parts):
        if head == "+":
            return sympy.Add(*parts)
        if head == "*":
            return sympy.Mul(*parts)
        if head == "^":
            return sympy.Pow(*parts)
        return self.functions[head](*parts)

    def read(self, text):
        stack = [[]]
        for word in text.replace("(", " ( ").replace(")", " ) ").split():
            if word == "(":
                stack.append([])
            elif word == ")":
                head, *parts = stack.pop()
                stack[-1].append(self.build(head, parts))
            elif stack[-1] or len(stack) == 1:
                stack[-1].append(self.leaf(word))
            else:
                stack[-1].append(word)
        return stack[0][0]


class Writer(StrPrinter):
    """Writes expressions in the language of the host; refuses what it does not have."""

    def __init__(self):
        super().__init__({"order": None})
        self.names = {found: name for name, found in functions().items()}

    def emptyPrinter(self, expr):
        raise Refusal(f"`{type(expr).__name__}` has no name here")

    def _print_Function(self, expr):
        if expr.func not in self.names or len(expr.args) != 1 and expr.func is not sympy.Heaviside:
            raise Refusal(f"`{expr.func.__name__}` has no name here")
        return f"{self.names[expr.func]}({self._print(expr.args[0])})"

    def _print_exp(self, expr):
        return f"exp({self._print(expr.args[0])})"

    _print_LambertW = _print_Heaviside = _print_Function

    def _print_Abs(self, expr):
        return f"abs({self._print(expr.args[0])})"

    def _print_Exp1(self, _):
        return "e"

    def _print_ImaginaryUnit(self, _):
        return "i"

    def _print_EulerGamma(self, _):
        return "egamma"

    def _print_Infinity(self, _):
        return "inf"

    def _print_NegativeInfinity(self, _):
        return "-inf"

    def _print_factorial(self, expr):
        return f"factorial({self._print(expr.args[0])})"

    def refuse(self, expr):
        raise Refusal(f"`{type(expr).__name__}` has no name here")

    _print_Float = _print_NaN = _print_ComplexInfinity = _print_Integral = _print_Sum = _print_Limit = refuse
    _print_Derivative = _print_Piecewise = _print_AccumBounds = _print_Order = _print_RootSum = refuse
    _print_Relational = _print_BooleanTrue = _print_BooleanFalse = _print_CRootOf = _print_Subs = refuse
    _print_AccumulationBounds = refuse


def written(expr):
    text = Writer().doprint(expr)
    if len(text) > CHARACTERS:
        raise Refusal("the answer is too long")
    return text


def branches(expr):
    """The cases of an expression, those for general values first."""
    if not expr.has(sympy.Piecewise):
        return [expr]
    folded = sympy.piecewise_fold(expr)
    if not isinstance(folded, sympy.Piecewise):
        return [folded]
    return [case for case, _ in folded.args]


def named(expr):
    """With functions that the host has, where there is such a form."""
    rules = [((sympy.binomial, sympy.RisingFactorial), sympy.gamma), ((sympy.li, sympy.Shi, sympy.Chi), sympy.Ei), ((sympy.erfi,), sympy.erf)]
    for lacking, there in rules:
        if expr.has(*lacking):
            expr = expr.rewrite(there)
    return expr


def candidates(found):
    """A row for each expression that can be written."""
    rows, refusal = [], None
    for expr in found:
        for case in branches(expr):
            try:
                rows.append([written(named(case))])
            except Refusal as fault:
                refusal = fault
    if not rows and refusal:
        raise refusal
    return rows[:ROWS]


def integrate(read, question):
    f, x = read
    found = sympy.integrate(f, x)
    if found.has(sympy.Integral):
        # The rules for quantities below roots ask for positive ones.
        found = sympy.integrate(f, x, heurisch=True)
    if found.has(sympy.Integral):
        raise Refusal("no antiderivative is found")
    return candidates([found])


def limit(read, question):
    f, x, point = read
    return candidates([sympy.limit(f, x, point, question["words"][0])])


def sum_over(read, question):
    f, k, low, high = read
    found = sympy.summation(f, (k, low, high))
    if found.has(sympy.Sum):
        found = sympy.Sum(f, (k, low, high)).doit().rewrite(sympy.gamma)
    return candidates([found])


def series(read, question):
    f, x, point = read
    found = f.series(x, point, question["count"])
    rest = found.getO()
    if rest is None:
        return [[written(found), str(question["count"])]]
    inside = rest.expr
    shifted = 1 / x if point in (sympy.oo, -sympy.oo) else x - point
    t = sympy.Symbol("t", positive=True)
    power = sympy.simplify(inside.subs(x, 1 / t if shifted == 1 / x else point + t))
    _, power = power.as_coeff_exponent(t)
    if not power.is_Rational:
        raise Refusal("the remainder is no power")
    return [[written(found.removeO()), str(power)]]


def simplify(read, question):
    forms = {"expand": sympy.expand, "factor": sympy.factor, "together": sympy.together, "trig": sympy.trigsimp, "rational": sympy.cancel}
    forms |= {"simple": sympy.simplify, "apart": sympy.apart}
    form = forms[question["words"][0]]
    apart = question["words"][0] == "apart" and len(read) > 1
    return candidates([form(*read) if apart else form(read[0])])


def of_set(found, whole):
    """The elements of a set that can be listed; families over a whole number."""
    if isinstance(found, sympy.FiniteSet):
        return list(found)
    if isinstance(found, (sympy.Union, sympy.Complement, sympy.Intersection)):
        parts = found.args if isinstance(found, sympy.Union) else [part for part in found.args[:1]]
        if isinstance(found, sympy.Intersection):
            parts = [part for part in found.args if part not in (sympy.S.Reals, sympy.S.Complexes)]
        return [value for part in parts for value in of_set(part, whole)]
    if isinstance(found, sympy.ImageSet) and found.base_sets == (sympy.S.Integers,):
        return [found.lamda(whole)]
    return []


def solve(read, question):
    f, x = read
    whole = sympy.Symbol("w0", integer=True)
    domain = sympy.S.Reals if question["words"][0] == "real" else sympy.S.Complexes
    found = []
    try:
        # Sets have whole families; they want a symbol without assumptions.
        plain = sympy.Symbol("x")
        found = [value.subs(plain, x) for value in of_set(sympy.solveset(f.subs(x, plain), plain, domain), whole)]
    except (NotImplementedError, ValueError, TypeError):
        pass
    if not found:
        found = sympy.solve(f, x)
    return candidates(value for value in found if isinstance(value, sympy.Expr))


def system(read, question):
    count = question["count"]
    unknowns = read[count:]
    rows = []
    for found in sympy.solve(read[:count], unknowns, dict=True):
        try:
            rows.append([written(found.get(unknown, unknown)) for unknown in unknowns])
        except Refusal:
            continue
    return rows[:ROWS]


def ode(read, question):
    residual, x, *slots = read
    y = sympy.Function("y")
    equation = residual
    for order, slot in reversed(list(enumerate(slots))):
        equation = equation.subs(slot, sympy.Derivative(y(x), (x, order)) if order else y(x))
    found = sympy.dsolve(sympy.Eq(equation, 0), y(x))
    found = found if isinstance(found, list) else [found]
    values = []
    for solution in found:
        if solution.lhs == y(x) and not solution.rhs.has(y):
            values.append(solution.rhs)
        else:
            values.extend(sympy.solve(solution, y(x)))
    names = {sympy.Symbol(f"C{place}"): sympy.Symbol(f"c{place}") for place in range(1, 10)}
    return candidates(value.subs(names) for value in values)


TASKS = {"integrate": integrate, "limit": limit, "sum": sum_over, "series": series, "simplify": simplify, "solve": solve, "system": system, "ode": ode}


def answered(question):
    symbols = [symbol(place, traits) for place, traits in enumerate(question["symbols"])]
    reader = Reader(symbols)
    read = [reader.read(text) for text in question["expressions"]]
    return {"rows": TASKS[question["task"]](read, question)}


def result(message):
    """The message that answers a call."""
    refused = {"type": "result", "id": message["id"]}
    try:
        return {"type": "result", "id": message["id"], "output": answered(message["args"])}
    except Refusal as refusal:
        return refused | {"output": {"rows": [], "refusal": str(refusal)}}
    except MemoryError:
        return refused | {"error": {"code": "limit_exceeded", "message": "the memory for an answer is used up"}}
    except RecursionError:
        return refused | {"error": {"code": "limit_exceeded", "message": "the answer is nested too deeply"}}
    except Exception as fault:  # what SymPy cannot do comes as many kinds
        words = f"{type(fault).__name__}: {fault}"[:200]
        return refused | {"output": {"rows": [], "refusal": words}}


def main():
    if hasattr(sys, "set_int_max_str_digits"):
        sys.set_int_max_str_digits(0)
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "hello":
            answer = {"type": "hello", "protocol": PROTOCOL, "missing": [] if sympy else [FAULT]}
            answer["sympy"] = getattr(sympy, "__version__", None)
        elif message["type"] == "call":
            answer = result(message)
        else:
            continue
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
