"""What goes in and comes out: arrays, frames, and everything that is no JSON."""

import datetime
import decimal
import pathlib
import struct
import sys
import zlib

import numpy as np
import pytest

import mathchain


def mean(toolkit, data):
    return toolkit.call("statistics", data=data)["mean"]


@pytest.fixture
def echo(toolkit):
    """A tool that returns what it was given."""

    @toolkit.tool
    def echo(value: object) -> object:
        return value

    return lambda value: toolkit.call("echo", value=value)


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", ">f8", "i1", "i2", "i4", "i8", "u1", "u8", ">i4", "g"])
def test_every_type_of_number_goes_in(toolkit, dtype):
    assert mean(toolkit, np.array([1, 2, 6], dtype=dtype)) == 3
    assert mean(toolkit, (np.arange(5000) % 100).astype(dtype)) == pytest.approx(49.5)


def test_layouts_that_are_not_contiguous_are_copied(toolkit):
    square = np.arange(10_000.0).reshape(100, 100) / 1e4 + 100 * np.eye(100)
    right = np.ones(100)
    expected = np.linalg.solve(square, right)
    for form in (square, np.asfortranarray(square), np.repeat(square, 2, axis=0)[::2], square.T.copy().T):
        found = toolkit.call("matrix_solve", A=form, b=right)["x"]
        np.testing.assert_allclose(found, expected, rtol=1e-9)
    reverse = np.arange(5000.0)[::-1]
    assert mean(toolkit, reverse) == 2499.5
    unaligned = np.frombuffer(b"x" + np.arange(3000.0).tobytes(), dtype=np.float64, offset=1)
    assert not unaligned.flags.aligned and mean(toolkit, unaligned) == 1499.5
    read_only = np.arange(3000.0)
    read_only.flags.writeable = False
    assert mean(toolkit, read_only) == 1499.5


def test_large_arrays_go_in_and_come_out_without_a_copy(toolkit):
    seen = []

    @toolkit.tool
    def look(data: np.ndarray) -> dict:
        seen.append(data.__array_interface__["data"][0])
        return {"whole": data.size}

    data = np.arange(100_000.0)
    assert toolkit.call("look", data=data) == {"whole": 100_000}
    # A lent array is copied where a Python function would get hold of it.
    assert seen[0] != data.__array_interface__["data"][0]
    before = sys.getrefcount(data)
    for _ in range(10):
        mean(toolkit, data)
    assert sys.getrefcount(data) == before
    data[:] = 1
    assert mean(toolkit, data) == 1


def test_results_live_on_their_own(toolkit):
    found = toolkit.call("matrix_multiply", A=np.eye(100), B=np.arange(10_000.0).reshape(100, 100))["product"]
    del toolkit
    assert found.shape == (100, 100) and found.flags.writeable
    found *= 2
    assert found[99, 99] == 2 * 9999


def test_a_result_never_refers_to_an_argument(echo):
    data = np.arange(5000.0)
    found = echo(data)
    data[:] = -1
    assert found[1] == 1
    found[:] = 7
    assert data[0] == -1


def test_integers_stay_integers(echo):
    found = echo(np.array([[1, 2], [3, 4]]))
    assert found.dtype == np.int64 and found.tolist() == [[1, 2], [3, 4]]
    assert echo([1, 2.5]).dtype == np.float64


def test_empty_ragged_and_scalar_arrays(toolkit, echo):
    assert echo(np.zeros(0)) == [] and echo(np.zeros((2, 0))) == [[], []]
    assert echo(np.array(3.5)) == 3.5 and echo(np.float32(2)) == 2 and echo(np.int16(4)) == 4
    assert echo(np.bool_(True)) is True and echo(np.array([True, False])) == [True, False]
    for data in ([], np.zeros(0)):
        with pytest.raises(mathchain.InvalidArgs):
            mean(toolkit, data)
    with pytest.raises(mathchain.InvalidArgs) as caught:
        toolkit.call("matrix_solve", A=[[1, 2], [3]], b=[1, 2])
    assert caught.value.path.startswith("/A")
    deep = np.ones((1,) * 12)
    assert np.asarray(echo(deep)).shape == deep.shape


def test_numbers_that_are_not_finite_are_refused_at_their_place(toolkit):
    for bad in (np.nan, np.inf, -np.inf):
        data = np.ones(3000)
        data[1234] = bad
        with pytest.raises(mathchain.InvalidArgs) as caught:
            mean(toolkit, data)
        assert caught.value.path == "/data/1234"
        with pytest.raises(mathchain.InvalidArgs) as caught:
            mean(toolkit, [1.0, bad])
        assert caught.value.path == "/data/1"


def test_integers_beyond_doubles_are_refused(toolkit, echo):
    assert echo(2**53) == 2**53
    for bad in (2**53 + 1, -(2**64), 10**400, [1, 2**60], np.array([2**60])):
        with pytest.raises(mathchain.Error, match=r"beyond 2\^53"):
            echo(bad)
    with pytest.raises(mathchain.InvalidRequest) as caught:
        mean(toolkit, [1, 2**60])
    assert caught.value.path == "/data/1"


def test_objects_that_are_no_data_are_refused(echo):
    def generator():
        yield 1

    bad = [{1, 2}, generator(), object(), b"bytes", 1j, np.array([1j]), {1: 2}, lambda: 1, decimal.Decimal(1)]
    bad += [np.zeros(2, dtype=[("a", "f8")]), np.array([b"x"]), np.array([object()], dtype=object), "\ud800"]
    for item in bad:
        with pytest.raises(mathchain.Error) as caught:
            echo(item)
        assert caught.value.hint, item


def test_a_list_without_an_end_is_refused(echo):
    endless = [1]
    endless.append(endless)
    with pytest.raises(mathchain.InvalidRequest, match="deeper"):
        echo(endless)
    table = {}
    table["self"] = table
    with pytest.raises(mathchain.InvalidRequest, match="deeper"):
        echo(table)


def test_objects_with_a_plain_form(echo):
    assert echo(pathlib.Path("a") / "b") == "a/b"
    assert echo(datetime.date(2026, 1, 2)) == "2026-01-02"
    assert echo((1, "a", None)) == [1, "a", None]
    assert echo(range(3)).tolist() == [0, 1, 2]
    assert echo(np.array(["a", "b"])) == ["a", "b"]
    assert echo(np.array([1, "a", None], dtype=object)) == [1, "a", None]
    assert echo(np.array(["2026-01-02", "NaT"], dtype="M8[D]")) == ["2026-01-02", None]
    assert echo(np.ma.masked_array([1.0, 2.0], [False, True])) == [1.0, None]
    assert echo("NaN") == "NaN"


ROWS = {"name": ["a", "b", "c"], "size": [1, 2, 3], "price": [0.5, 1.5, 2.5]}
QUERY = {"query": "SELECT sum(size * price) AS total FROM t"}


def frames():
    pandas = pytest.importorskip("pandas", reason="pip install pandas")
    polars = pytest.importorskip("polars", reason="pip install polars")
    yield pandas.DataFrame(ROWS)
    yield polars.DataFrame(ROWS)
    yield ROWS


def test_frames_are_tables(toolkit):
    for frame in frames():
        found = toolkit.call("sql_query", tables={"t": frame}, **QUERY)
        assert "11" in str(found), found


def test_missing_cells_are_null(echo):
    pandas = pytest.importorskip("pandas", reason="pip install pandas")
    polars = pytest.importorskip("polars", reason="pip install polars")
    expected = {"a": [1.0, None], "b": ["x", None]}
    assert echo(pandas.DataFrame({"a": [1.0, np.nan], "b": ["x", None]})) == expected
    assert echo(pandas.DataFrame({"a": pandas.array([1, None], dtype="Int64")})) == {"a": [1, None]}
    assert echo(polars.DataFrame({"a": [1.0, None], "b": ["x", None]})) == expected
    with pytest.raises(mathchain.InvalidArgs, match="two columns"):
        echo(pandas.DataFrame([[1, 2]], columns=["a", "a"]))


def test_series_are_columns(toolkit):
    pandas = pytest.importorskip("pandas", reason="pip install pandas")
    polars = pytest.importorskip("polars", reason="pip install polars")
    for series in (pandas.Series([1, 2, 6]), polars.Series([1.0, 2.0, 6.0]), pandas.Series([1.5, 2.5, 5])):
        assert mean(toolkit, series) == 3


def test_anything_else_with_the_arrow_interface_needs_pyarrow(toolkit):
    pyarrow = pytest.importorskip("pyarrow", reason="pip install pyarrow")

    class Stream:
        def __arrow_c_stream__(self, requested_schema=None):
            return pyarrow.table(ROWS).__arrow_c_stream__(requested_schema)

    for frame in (Stream(), pyarrow.table(ROWS)):
        assert "11" in str(toolkit.call("sql_query", tables={"t": frame}, **QUERY))


def test_plots_show_themselves(toolkit):
    text = toolkit.call("plot_function", function="x")
    assert isinstance(text, dict) and "<pre" in text._repr_html_() and text._repr_png_() is None
    picture = toolkit.call("plot_sixel", x=[1, 2, 3], y=[1, 2, 3], width=100, height=50, title="")
    png = picture._repr_png_()
    assert png.startswith(b"\x89PNG") and struct.unpack(">II", png[16:24]) == (100, 50)
    assert picture._repr_html_() is None
    chunks, at = {}, 8
    while at < len(png):
        (length,) = struct.unpack(">I", png[at : at + 4])
        chunks[png[at + 4 : at + 8]] = png[at + 8 : at + 8 + length]
        at += length + 12
    rows = zlib.decompress(chunks[b"IDAT"])
    assert len(rows) == 50 * (1 + 100)
    used = {rows[101 * y + 1 + x] for y in range(50) for x in range(100)}
    colours = {chunks[b"PLTE"][3 * one : 3 * one + 3] for one in used}
    assert b"\xff\xff\xff" in colours and len(colours) == 5


def test_pictures_of_tables_show_and_save_themselves(toolkit, tmp_path):
    data = {"x": [1, 2, 3], "y": [1, 4, 9]}
    picture = toolkit.call("plot", data=data, width=200, height=120)
    assert struct.unpack(">II", picture._repr_png_()[16:24]) == (200, 120) and picture._repr_html_() is None
    picture.save(tmp_path / "a.png")
    assert (tmp_path / "a.png").read_bytes() == picture._repr_png_()
    assert toolkit.call("plot", data=data, format="svg")._repr_svg_().startswith("<svg ")
    characters = toolkit.call("plot", data=data, format="text")
    assert "<pre" in characters._repr_html_()
    with pytest.raises(ValueError, match="no picture"):
        characters.save(tmp_path / "b.png")
