"""Tools that are Python functions."""

from typing import Annotated, Any, Literal, Optional, TypedDict

import numpy as np
import pytest

import mathchain


def test_a_function_is_a_tool_like_others(toolkit):
    @toolkit.tool
    def area(width: Annotated[float, "Width in metres"], height: float = 1, unit: Literal["m2", "cm2"] = "m2") -> float:
        """Area of a rectangle.

        Both sides are in metres.
        """
        return width * height * (1e4 if unit == "cm2" else 1)

    assert area(2, 3) == 6
    assert toolkit.call("area", width=2, height=3) == 6
    assert toolkit.tools.area(width=2, unit="cm2") == 20_000
    spec = toolkit._spec("area")
    assert spec["description"].startswith("Area of a rectangle.") and spec["title"] == "Area of a rectangle."
    assert spec["input_schema"]["properties"]["width"]["description"] == "Width in metres"
    for wrong in ({}, {"width": "2"}, {"width": 2, "unit": "mm"}, {"width": 2, "depth": 3}):
        with pytest.raises(mathchain.InvalidArgs):
            toolkit.call("area", wrong)
    plan = {
        "version": 1,
        "id": "areas",
        "steps": [
            {"id": "small", "tool": "area", "args": {"width": 2}},
            {"id": "large", "tool": "area", "args": {"width": {"$ref": "small"}, "height": 10}},
        ],
        "outputs": {"area": {"$ref": "large"}},
    }
    assert toolkit.run(plan)["outputs"]["area"] == 20


def test_annotations_decide_what_a_function_gets(toolkit):
    class Point(TypedDict):
        x: float
        y: float

    seen = {}

    @toolkit.tool
    def look(array: np.ndarray, numbers: list[float], table: dict[str, int], point: Point, more: Optional[str] = None) -> dict[str, Any]:
        seen.update(array=array, numbers=numbers, table=table, point=point, more=more)
        return {"sum": array.sum(), "array": array * 2}

    found = toolkit.call("look", array=[[1.5, 2]], numbers=np.arange(3.0), table={"a": 1}, point={"x": 1, "y": 2})
    assert isinstance(seen["array"], np.ndarray) and seen["array"].shape == (1, 2)
    assert seen["numbers"] == [0, 1, 2] and type(seen["numbers"]) is list
    assert seen["point"] == {"x": 1, "y": 2} and seen["more"] is None
    assert found["sum"] == 3.5 and found["array"].tolist() == [[3, 4]]


def test_a_declaration_with_problems_is_an_error(toolkit):
    def bare(a, b):
        pass

    def stars(*a: float):
        pass

    def odd(a: set[int]):
        pass

    async def later(a: float):
        pass

    for function in (bare, stars, odd, later):
        with pytest.raises(mathchain.InvalidRequest) as caught:
            toolkit.tool(function)
        assert caught.value.hint

    def sound(a: float) -> float:
        return a

    with pytest.raises(mathchain.Error, match="statistics"):
        toolkit.tool(sound, name="statistics")
    with pytest.raises(mathchain.Error, match="effects"):
        toolkit.tool(sound, effects=["magic"])
    with pytest.raises(mathchain.Error, match="Upper"):
        toolkit.tool(sound, name="Upper")
    assert "sound" not in toolkit.tools


def test_exceptions_of_a_function_are_errors_with_their_cause(toolkit):
    @toolkit.tool
    def fail(how: str) -> None:
        if how == "own":
            raise mathchain.Numeric("no root", path="/how", hint="try another")
        if how == "interrupt":
            raise KeyboardInterrupt
        if how == "exit":
            raise SystemExit(3)
        if how == "object":
            return object()
        raise ValueError("bad " + how)

    with pytest.raises(mathchain.ToolError, match="ValueError: bad luck") as caught:
        toolkit.call("fail", how="luck")
    assert isinstance(caught.value.__cause__, ValueError) and caught.value.reason == "python"
    with pytest.raises(mathchain.Numeric) as caught:
        toolkit.call("fail", how="own")
    assert caught.value.path == "/how" and caught.value.hint == "try another"
    with pytest.raises(KeyboardInterrupt):
        toolkit.call("fail", how="interrupt")
    with pytest.raises(SystemExit):
        toolkit.call("fail", how="exit")
    with pytest.raises(mathchain.Error):
        toolkit.call("fail", how="object")
    assert toolkit.call("statistics", data=[1, 3])["mean"] == 2


def test_results_are_held_to_their_annotation(toolkit):
    @toolkit.tool
    def liar() -> int:
        return "many"

    with pytest.raises(mathchain.ToolError, match="does not match"):
        toolkit.call("liar")


def test_a_tool_calls_tools(toolkit):
    @toolkit.tool
    def spread(data: list[float]) -> float:
        found = toolkit.call("statistics", data=data)
        return found["max"] - found["min"]

    assert toolkit.call("spread", data=[1, 5, 2]) == 4


def test_effects_are_decided_and_recorded(folder):
    (folder / "mathchain.toml").write_text("version = 1\n")
    toolkit = mathchain.Toolkit()
    done = []

    @toolkit.tool(effects=["system_state"], title="Send a message")
    def send(text: str) -> None:
        """Sends a message."""
        done.append(text)

    with pytest.raises(mathchain.PendingApproval):
        toolkit.call("send", text="hello")
    assert not done
    unseen = mathchain.Toolkit(state=False)

    @unseen.tool(effects=["system_state"])
    def send_too(text: str) -> None:
        done.append(text)

    with pytest.raises(mathchain.PreconditionFailed):
        unseen.call("send_too", text="hello")
    assert not done


def test_own_tools_of_many_threads(toolkit):
    from concurrent.futures import ThreadPoolExecutor

    @toolkit.tool
    def twice(a: float) -> float:
        return 2 * a

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda a: toolkit.call("twice", a=a), range(500)))
    assert found == [2 * a for a in range(500)]
