# Evaluates one expression: {"expression", "variables"} on standard input, {"value", "type"} or {"error"} on standard output.
import ast, builtins, importlib, json, keyword, os, sys

MODULES = {
    "base64", "cmath", "collections", "datetime", "decimal", "fractions", "functools", "hashlib", "itertools", "json", "math",
    "operator", "random", "re", "statistics", "string", "textwrap",
}
DEPTH_MAX = 100


class Refused(Exception):
    """What the expression is not to blame for: kind and message."""


def plain(value, depth=0):
    """The value as JSON can hold it; wide integers and numbers that are not finite are spelled out."""
    if depth > DEPTH_MAX:
        raise Refused("not_json", "the value is nested too deeply")
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, int):
        return int(value) if abs(value) <= 2**53 else str(value)
    if isinstance(value, float):
        if value != value:
            return "NaN"
        if value in (float("inf"), float("-inf")):
            return "Infinity" if value > 0 else "-Infinity"
        return float(value)
    if isinstance(value, (list, tuple)):
        return [plain(item, depth + 1) for item in value]
    if isinstance(value, dict):
        if not all(isinstance(key, str) for key in value):
            raise Refused("not_json", "a key of the value is no text")
        return {key: plain(item, depth + 1) for key, item in value.items()}
    raise Refused("not_json", f"a `{type(value).__name__}` is no JSON value")


def evaluate(expression, variables):
    for name in variables:
        if not name.isidentifier() or keyword.iskeyword(name):
            raise Refused("variable", f"`{name}` is no name of a variable")
        if hasattr(builtins, name):
            raise Refused("variable", f"the variable `{name}` would hide a function of Python")
    tree = ast.parse(expression.strip(), "<expression>", "eval")
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    scope = {name: importlib.import_module(name) for name in names & MODULES}
    scope.update(variables)
    value = eval(compile(tree, "<expression>", "eval"), scope)
    return {"value": plain(value), "type": type(value).__name__}


request = json.loads(sys.stdin.buffer.read())
answer = os.fdopen(os.dup(1), "w", encoding="utf-8")
os.dup2(2, 1)  # what the expression prints is no part of the answer
try:
    result = evaluate(request["expression"], request["variables"])
except Refused as err:
    result = {"error": {"kind": err.args[0], "message": err.args[1]}}
except SyntaxError as err:
    result = {"error": {"kind": "syntax", "message": f"{err.msg} at column {err.offset}"}}
except MemoryError:
    result = {"error": {"kind": "memory", "message": "the expression needs more memory than it may use"}}
except BaseException as err:
    text = str(err).encode("utf-8", "replace").decode()
    result = {"error": {"kind": "exception", "message": f"{type(err).__name__}: {text}"[:2000]}}
json.dump(result, answer)
answer.flush()
sys.stdout.flush()
os._exit(0)  # threads and handlers of the expression have no say
