"""Objects as lists, dictionaries and arrays: what the native part does not know itself."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from ._errors import InvalidArgs

#: Largest magnitude below which every integer is a double.
SAFE_INTEGER = 2**53


def plain(item: Any) -> Any:
    """The object in a form that converts; raises `InvalidArgs` for others."""
    import numpy as np

    if type(item).__name__ == "LazyFrame":
        raise _refused("a LazyFrame", "call its `collect()`")
    if isinstance(item, np.ndarray):
        return _array(item, np)
    if isinstance(item, np.generic):
        return _scalar(item, np)
    if hasattr(item, "__arrow_c_stream__") or (hasattr(item, "columns") and hasattr(item, "to_dict")):
        return _frame(item, np)
    if isinstance(item, os.PathLike):
        return os.fspath(item)
    if isinstance(item, Mapping):
        return dict(item)
    if isinstance(item, range):
        return list(item)
    if hasattr(item, "isoformat"):
        return item.isoformat()
    if hasattr(item, "__array__"):
        return _column(item, np)
    raise _refused(type(item).__name__)


def stream(frame: Any) -> Any:
    """The frame as a capsule of Arrow's C stream interface; `None` where it is none, or `plain` knows it better."""
    if type(frame).__module__.startswith("pandas."):
        # The labels of its rows are no column; without pyarrow, and for columns of mixed objects, its columns are lists.
        try:
            import pyarrow  # type: ignore[import-not-found,import-untyped,unused-ignore]

            return pyarrow.Table.from_pandas(frame, preserve_index=False).__arrow_c_stream__()
        except (ImportError, TypeError, ValueError):
            return None
    # A series has a stream too, and no columns.
    is_frame = hasattr(frame, "columns") or hasattr(frame, "column_names")
    return frame.__arrow_c_stream__() if is_frame else None


def _refused(found: str, hint: str = "pass numbers, texts, lists, dictionaries, arrays or frames") -> InvalidArgs:
    return InvalidArgs(f"expected an object that converts to JSON, found {found}", hint=hint)


def _scalar(item: Any, np: Any) -> Any:
    if isinstance(item, (np.datetime64, np.timedelta64)):
        return None if np.isnat(item) else str(item)
    found = item.item()
    if isinstance(found, (complex, bytes)) or isinstance(found, np.generic):
        raise _refused(type(item).__name__)
    return found


def _array(item: Any, np: Any) -> Any:
    if isinstance(item, np.ma.MaskedArray):
        return item.tolist()
    kind = item.dtype.kind
    if kind == "c":
        raise _refused("a complex array", "pass the real and the imaginary part")
    if kind in "SV":
        raise _refused(f"an array of the type {item.dtype}", "pass a dictionary of columns")
    if kind in "mM":
        return [None if np.isnat(one) else str(one) for one in item] if item.ndim == 1 else item.astype(str).tolist()
    if kind not in "iuf" or item.size == 0 or not 1 <= item.ndim <= 8:
        return item.tolist()
    if kind in "iu" and (int(item.max()) > SAFE_INTEGER or int(item.min()) < -SAFE_INTEGER):
        raise _refused("an array with integers beyond 2^53", "pass floats, or texts")
    return np.require(item, np.float64, ["C_CONTIGUOUS", "ALIGNED"]).view(np.ndarray)


def _column(column: Any, np: Any) -> Any:
    """A series: an array of numbers, or a list with `None` for what is missing."""
    values = np.asarray(column)
    kind = values.dtype.kind
    if kind in "iu" or (kind == "f" and not np.isnan(values).any()):
        return values
    convert = getattr(column, "to_list", None) or getattr(column, "tolist", None) or values.tolist
    return [_cell(cell) for cell in convert()]


def _cell(cell: Any) -> Any:
    # A missing value of pandas is not equal to itself, or says so by its type.
    if type(cell).__name__ in ("NAType", "NaTType"):
        return None
    if isinstance(cell, float) and cell != cell:
        return None
    return cell


def _frame(frame: Any, np: Any) -> dict[str, Any]:
    """A frame of pandas, polars or anything with the Arrow interface, as a dictionary of columns."""
    if hasattr(frame, "to_pydict"):
        return _columns(frame.to_pydict())
    if hasattr(frame, "columns") and hasattr(frame, "__getitem__"):
        names = list(frame.columns)
        if len(set(map(str, names))) < len(names):
            raise _refused("a frame with two columns of one name", "rename a column")
        return {str(name): _column(frame[name], np) for name in names}
    if hasattr(frame, "to_list"):
        return _column(frame, np)  # type: ignore[no-any-return]
    try:
        import pyarrow  # type: ignore[import-not-found,import-untyped,unused-ignore]
    except ImportError:
        found = type(frame).__name__
        raise _refused(found, "install pyarrow, or pass a frame of pandas or polars") from None
    return _columns(pyarrow.table(frame).to_pydict())


def _columns(columns: dict[Any, list[Any]]) -> dict[str, Any]:
    return {str(name): [_cell(cell) for cell in cells] for name, cells in columns.items()}
