"""Frames of other libraries as typed tables, by Arrow's C stream interface."""

import datetime
import decimal

import mathchain
import pytest

BIG = 2**60 + 1


@pytest.fixture
def toolkit():
    return mathchain.Toolkit(state=False)


def described(toolkit, frame):
    found = toolkit.call("table_describe", table=frame)
    return {column["column"]: column["type"] for column in found["columns"]}


def pyarrow_table():
    pyarrow = pytest.importorskip("pyarrow", reason="pip install pyarrow")
    return pyarrow.table({
        "n": [1, BIG, None],
        "day": [datetime.date(2024, 5, 17), None, datetime.date(2024, 5, 18)],
        "cost": pyarrow.array([decimal.Decimal("0.10"), decimal.Decimal("0.20"), None], pyarrow.decimal128(10, 2)),
        "city": ["Rome", None, "Oslo"],
        "x": [0.5, float("nan"), 2.0],
    })  # fmt: skip


def frames():
    table = pyarrow_table()
    yield table
    polars = pytest.importorskip("polars", reason="pip install polars")
    yield polars.from_arrow(table)
    duckdb = pytest.importorskip("duckdb", reason="pip install duckdb")
    yield duckdb.from_arrow(table)


def test_cells_keep_their_types(toolkit):
    for frame in frames():
        types = described(toolkit, frame)
        assert types["n"] == "integer", types
        assert types["day"] == "date", types
        assert types["cost"].startswith("decimal"), types
        assert (types["city"], types["x"]) == ("text", "number"), types
        query = "select max(n) n, count(x) x, max(day) day from t"
        rows = toolkit.call("sql_query", query=query, tables={"t": frame})["rows"]
        assert rows == [{"n": BIG, "x": 2, "day": "2024-05-18"}]


def test_the_labels_of_rows_are_no_column(toolkit):
    pandas = pytest.importorskip("pandas", reason="pip install pandas")
    frame = pandas.DataFrame({"a": [1, 2]}, index=["x", "y"])
    assert list(described(toolkit, frame)) == ["a"]
    mixed = pandas.DataFrame({"a": [1, "two"]})
    rows = toolkit.call("sql_query", query="select a from t", tables={"t": mixed})["rows"]
    assert rows == [{"a": 1}, {"a": "two"}]


def test_columns_that_no_table_has_are_named(toolkit):
    polars = pytest.importorskip("polars", reason="pip install polars")
    with pytest.raises(mathchain.Error):
        toolkit.call("table_describe", table=polars.DataFrame({"l": [[1], [2]]}))


def test_a_million_rows_are_no_python_objects(toolkit):
    polars = pytest.importorskip("polars", reason="pip install polars")
    frame = polars.DataFrame({"n": range(1_000_000)}).with_columns(city=polars.lit("Rome"))
    found = toolkit.call("table_group", table=frame, by=["city"], aggregates=["total = sum(n)"])
    assert found["rows"] == [{"city": "Rome", "total": 499_999_500_000}]


def test_what_is_no_stream_is_an_error(toolkit):
    class Broken:
        columns = ["a"]

        def __arrow_c_stream__(self, requested_schema=None):
            return "no capsule"

    with pytest.raises(Exception, match="PyCapsule"):
        toolkit.call("table_describe", table=Broken())
