"""Checked by mypy, not run: what an editor and a type checker know."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from typing_extensions import assert_type

import mathchain
from mathchain import adapters
from mathchain.tools import MatrixSolveResult, matrix_solve

found = matrix_solve(A=[[2.0]], b=np.ones(1))
assert_type(found, MatrixSolveResult)
assert_type(mathchain.tools.statistics(data=[1, 2])["mean"], float | None)
matrix_solve(A=[[2.0]])  # type: ignore[call-arg]
matrix_solve(A=[[2.0]], b=[1.0], c=1)  # type: ignore[call-arg]

toolkit = mathchain.Toolkit(state=False, role="worker_math", timeout_ms=1000)
toolkit.tools.plot_function(function="x", width=40)
toolkit.tools.plot_function(function=3)  # type: ignore[arg-type]
answer: dict[str, Any] = toolkit.answer("statistics", data=[1, 2])


@toolkit.tool(effects=["network_access"])
def double(array: NDArray[np.float64]) -> NDArray[np.float64]:
    """Doubles an array."""
    return 2 * array


try:
    toolkit.call("matrix_solve", A=1)
except mathchain.InvalidArgs as error:
    text: str | None = error.path

adapters.openai_tools(toolkit).dispatch({"id": "1", "function": {"name": "statistics", "arguments": "{}"}})
