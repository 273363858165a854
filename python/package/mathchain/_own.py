"""Functions as tools: their annotations as JSON Schema, their docstring as the description."""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ._errors import InvalidRequest

SCALARS: dict[Any, dict[str, Any]] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    type(None): {"type": "null"},
    None: {"type": "null"},
    Any: {},
    object: {},
    inspect.Parameter.empty: {},
}

Declared = tuple[dict[str, Any], str, Callable[[dict[str, Any]], Any]]


def declare(function: Any, name: str | None, title: str | None, options: dict[str, Any]) -> Declared:
    """The declaration of a function, the source of its code, and a function of its arguments as a dictionary."""
    if inspect.iscoroutinefunction(function):
        raise InvalidRequest(f"`{function.__name__}` is a coroutine function", hint="declare it without `async`")
    hints = typing.get_type_hints(function, include_extras=True)
    properties: dict[str, Any] = {}
    required = []
    convert: dict[str, Callable[[Any], Any]] = {}
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
            raise InvalidRequest(
                f"the parameter `{parameter.name}` of `{function.__name__}` cannot be named in a call",
                hint="declare parameters with names, without `*`, `**` and `/`",
            )
        if parameter.name not in hints:
            raise InvalidRequest(
                f"the parameter `{parameter.name}` of `{function.__name__}` has no annotation",
                hint="annotate it, for example with `float` or `list[str]`",
            )
        hint = hints[parameter.name]
        schema = schema_of(hint)
        if parameter.default is parameter.empty:
            required.append(parameter.name)
        elif parameter.default is not None:
            schema = {**schema, "default": parameter.default}
        properties[parameter.name] = schema
        if hint is float or typing.get_args(hint)[:1] == (float,) and typing.get_origin(hint) is typing.Annotated:
            convert[parameter.name] = float
        elif not _takes_array(hint):
            convert[parameter.name] = _listed
    text = inspect.getdoc(function) or ""
    declaration = {
        "name": name or function.__name__,
        "description": text or (title or function.__name__),
        "parameters": {"type": "object", "properties": properties, "required": required, "additionalProperties": False},
        "callers": ["direct", "chain"],
        **({"title": title} if title else {}),
        **options,
    }
    returns = schema_of(hints["return"]) if "return" in hints else {}
    if returns:
        declaration["returns"] = returns

    def call(arguments: dict[str, Any]) -> Any:
        return function(**{key: convert.get(key, _same)(value) for key, value in arguments.items()})

    return declaration, f"python {function.__module__}.{function.__qualname__}", call


def schema_of(hint: Any) -> dict[str, Any]:
    """The JSON Schema of an annotation."""
    if hint in SCALARS if _is_hashable(hint) else False:
        return dict(SCALARS[hint])
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Annotated:
        texts = [one for one in arguments[1:] if isinstance(one, str)]
        return {**schema_of(arguments[0]), **({"description": texts[0]} if texts else {})}
    if origin is typing.Literal:
        return {"enum": list(arguments)}
    if origin in (typing.Union, types.UnionType):
        return {"anyOf": [schema_of(one) for one in arguments]}
    if _is_array(hint):
        return {"type": "array"}
    if origin in (list, Sequence, tuple) or hint in (list, tuple):
        items = [one for one in arguments if one is not Ellipsis]
        return {"type": "array", **({"items": schema_of(items[0])} if items else {})}
    if origin in (dict, Mapping) or hint is dict:
        values = {"additionalProperties": schema_of(arguments[1])} if arguments else {}
        return {"type": "object", **values}
    if typing.is_typeddict(hint):
        members = typing.get_type_hints(hint, include_extras=True)
        properties = {name: schema_of(member) for name, member in members.items()}
        return {"type": "object", "properties": properties, "required": sorted(hint.__required_keys__)}
    raise InvalidRequest(
        f"the annotation `{hint}` is no type of JSON",
        hint="use str, int, float, bool, list, dict, Literal, TypedDict, numpy.ndarray or Any",
    )


def _is_hashable(hint: Any) -> bool:
    try:
        hash(hint)
    except TypeError:
        return False
    return True


def _is_array(hint: Any) -> bool:
    found = typing.get_origin(hint) or hint
    return getattr(found, "__name__", "") == "ndarray" and getattr(found, "__module__", "") == "numpy"


def _takes_array(hint: Any) -> bool:
    parts = (hint, *typing.get_args(hint))
    return hint in (Any, object) or any(map(_is_array, parts))


def _same(value: Any) -> Any:
    return value


def _listed(value: Any) -> Any:
    """A value with lists in place of arrays."""
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, dict):
        return {key: _listed(member) for key, member in value.items()}
    if isinstance(value, list):
        return [_listed(item) for item in value]
    return value
