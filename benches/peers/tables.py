"""Tables side by side: mathchain, DuckDB, Polars, pandas and pyarrow on the same files, in one run.

    python3 -m venv target/tables && target/tables/bin/pip install duckdb polars pandas pyarrow numpy
    target/tables/bin/python benches/peers/tables.py                      10^6 rows, the release build of `mathchain`
    target/tables/bin/python benches/peers/tables.py --rows 10000000      10^7 rows
    target/tables/bin/python benches/peers/tables.py --program PATH --runs 5 --threads 2

Each figure is the median of whole processes, start-up and imports on both sides, the sides by turns; wall time, and processor time behind it.
The first line is what of that is start-up alone. Ratios are of wall time: 2.0 is twice as long as mathchain. Sums are compared with `math.fsum`: `=` is the same double.
"""

import argparse
import json
import math
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CONFIG = Path(__file__).with_name("tables.toml")
GROUPS = 1_000
CITIES = 200
PEERS = ["duckdb", "polars", "pandas", "pyarrow"]
JOIN = "select g.region, count(*) n, avg(s.price) mean, sum(s.price) total, max(s.area) top from {sales} s join {keys} g on s.key = g.key where s.area > 20 group by g.region order by g.region"
# Title, name, and the call of mathchain on files in the folder.
CASES = [
    ("start-up and imports alone", "start", None),
    ("typed CSV, sum of a column", "csv", ["table_group", "--table", "@sales.csv", "--aggregates", '["total = sum(price)"]']),
    ("Parquet scan, sum of a column", "scan", ["table_group", "--table", '{"$file": "sales.parquet", "columns": ["price"]}', "--aggregates", '["total = sum(price)"]']),
    ("group to 200 texts, four values", "group",
     ["table_group", "--table", '{"$file": "sales.parquet", "columns": ["city", "price", "area"]}', "--by", '["city"]',
      "--aggregates", '["count()", "mean(price)", "sum(price)", "std(area)"]', "--rows", "0"]),
    ("join with 10^5 rows, group to 1,000, sort", "join",
     ["sql_query", "--query", JOIN.format(sales="'sales.parquet'", keys="'keys.parquet'")]),
    ("describe all columns", "describe", ["table_describe", "--table", "@sales.parquet"]),
]  # fmt: skip


def duckdb_case(name, folder, threads):
    import duckdb

    if name == "start":
        return None

    duckdb.execute(f"set threads = {threads}")
    sales, keys = (f"'{folder / name}.parquet'" for name in ("sales", "keys"))
    query = {
        "csv": f"select sum(price) from read_csv('{folder / 'sales.csv'}')",
        "scan": f"select sum(price) from {sales}",
        "group": f"select city, count(*), avg(price), sum(price), stddev(area) from {sales} group by city order by city",
        "join": JOIN.format(sales=sales, keys=keys),
        "describe": f"summarize select * from {sales}",
    }[name]
    return duckdb.execute(query).fetchall()[0][0]


def polars_case(name, folder, threads):
    import polars as pl

    if name == "start":
        return None

    sales = pl.scan_csv(folder / "sales.csv") if name == "csv" else pl.scan_parquet(folder / "sales.parquet")
    if name in ("csv", "scan"):
        return sales.select(pl.col("price").sum()).collect().item()
    if name == "group":
        values = [pl.len(), pl.col("price").mean(), pl.col("price").sum().alias("total"), pl.col("area").std()]
        return sales.group_by("city").agg(values).sort("city").collect()["city"][0]
    if name == "describe":
        return sales.collect().describe()["statistic"][0]
    joined = sales.filter(pl.col("area") > 20).join(pl.scan_parquet(folder / "keys.parquet"), on="key")
    price = pl.col("price")
    values = [pl.len(), price.mean().alias("mean"), price.sum().alias("total"), pl.col("area").max()]
    return joined.group_by("region").agg(values).sort("region").collect()["region"][0]


def pandas_case(name, folder, threads):
    import pandas as pd

    if name == "start":
        return None

    if name == "csv":
        return float(pd.read_csv(folder / "sales.csv")["price"].sum())
    if name == "scan":
        return float(pd.read_parquet(folder / "sales.parquet", columns=["price"])["price"].sum())
    sales = pd.read_parquet(folder / "sales.parquet")
    if name == "group":
        return sales.groupby("city").agg(n=("price", "size"), mean=("price", "mean"), total=("price", "sum"), std=("area", "std")).index[0]
    if name == "describe":
        return sales.describe(include="all").index[0]
    joined = sales[sales["area"] > 20].merge(pd.read_parquet(folder / "keys.parquet"), on="key")
    return joined.groupby("region").agg(n=("price", "size"), mean=("price", "mean"), total=("price", "sum"), top=("area", "max")).index[0]


def pyarrow_case(name, folder, threads):
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.csv
    import pyarrow.parquet as pq

    pa.set_cpu_count(threads)
    if name == "start":
        return None
    if name == "csv":
        return pc.sum(pyarrow.csv.read_csv(folder / "sales.csv")["price"]).as_py()
    if name == "scan":
        return pc.sum(pq.read_table(folder / "sales.parquet", columns=["price"])["price"]).as_py()
    if name == "describe":
        return None
    sales = pq.read_table(folder / "sales.parquet")
    if name == "group":
        values = [("price", "count"), ("price", "mean"), ("price", "sum"), ("area", "stddev")]
        return sales.group_by("city").aggregate(values).sort_by("city")["city"][0].as_py()
    joined = sales.filter(pc.field("area") > 20).join(pq.read_table(folder / "keys.parquet"), "key", join_type="inner")
    values = [("price", "count"), ("price", "mean"), ("price", "sum"), ("area", "max")]
    return joined.group_by("region").aggregate(values).sort_by("region")["region"][0].as_py()


def run_peer(peer, name, folder, threads):
    """What the process of a peer does: its answer as JSON, `null` where it has no such operation."""
    print(json.dumps(globals()[f"{peer}_case"](name, Path(folder), threads), default=str))


def write_files(folder, rows):
    """Sales and the regions of their keys, the same for every run; the prices, for `math.fsum`."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.csv
    import pyarrow.parquet as pq

    rng = np.random.default_rng(45)
    keys = 100_000
    price = np.round(rng.lognormal(5, 1, rows), 2)
    cities = np.array([f"city {number:03}" for number in range(CITIES)])
    sales = pa.table({
        "id": np.arange(rows),
        "key": rng.integers(0, keys, rows),
        "city": pa.array(cities[rng.integers(0, CITIES, rows)]),
        "area": np.round(rng.uniform(10, 200, rows), 1),
        "price": price,
    })  # fmt: skip
    regions = pa.table({"key": np.arange(keys), "region": np.arange(keys) % GROUPS})
    pyarrow.csv.write_csv(sales, folder / "sales.csv", pyarrow.csv.WriteOptions(quoting_style="none"))
    pq.write_table(sales, folder / "sales.parquet", row_group_size=1_000_000)
    pq.write_table(regions, folder / "keys.parquet")
    return math.fsum(price.tolist())


def timed(command, folder, environment):
    """Wall and processor seconds of a process, and what it printed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    wall = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)[:200]} failed:\n{done.stdout[-1500:]}\n{done.stderr[-1500:]}")
    return wall, after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime, done.stdout


def sum_of(who, printed):
    answer = json.loads(printed)
    return answer["output"]["rows"][0]["total"] if who == "mathchain" else answer


def compare(name, call, folder, options):
    """Medians of wall and processor seconds by side, and the sums of one column."""
    python = [sys.executable, __file__, "--threads", str(options.threads), "--peer"]
    ours = [options.program, "--config", str(CONFIG), "--workspace", str(folder), "call", *(call or []), "--json"]
    if call is None:
        ours = [options.program, "--version"]
    sides = {"mathchain": ours} | {peer: [*python, peer, name, str(folder)] for peer in PEERS}
    threads = {"POLARS_MAX_THREADS": str(options.threads), "RAYON_NUM_THREADS": str(options.threads)}
    environment = {**os.environ, **threads}
    times, sums = {who: [] for who in sides}, {}
    for _ in range(options.runs):
        for who, command in sides.items():
            wall, processor, printed = timed(command, folder, environment)
            if who == "pyarrow" and name == "describe":
                continue
            times[who].append((wall, processor))
            if name in ("csv", "scan"):
                sums[who] = sum_of(who, printed)
    middle = lambda found: tuple(statistics.median(column) for column in zip(*found))
    return {who: middle(found) for who, found in times.items() if found}, sums


def line(title, found, sums, exact):
    cells = [title]
    base = found["mathchain"][0]
    for who in ["mathchain", *PEERS]:
        if who not in found:
            cells.append("-")
            continue
        wall, processor = found[who]
        equal = "" if who not in sums else " =" if sums[who] == exact else " ≠"
        ratio = "" if who == "mathchain" else f", {wall / base:.2f}"
        cells.append(f"{wall:.2f} ({processor:.2f}){ratio}{equal}")
    return f"| {' | '.join(cells)} |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--program", default=str(ROOT / "target" / "release" / "mathchain"))
    parser.add_argument("--only", help="names of cases, with commas: start, csv, scan, group, join, describe")
    parser.add_argument("--print", action="store_true", help="print the table and write no page")
    parser.add_argument("--peer", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.peer:
        return run_peer(*options.peer, options.threads)
    if not Path(options.program).exists():
        raise SystemExit(f"there is no `{options.program}`: build it with `cargo build --release -p mathchain-cli`, or name one with --program")
    options.program = str(Path(options.program).resolve())
    wanted = options.only.split(",") if options.only else [name for _, name, _ in CASES]
    lines = [
        f"| {options.rows:,} rows, {options.threads} threads, medians of {options.runs} | mathchain | {' | '.join(PEERS)} |",
        "|---|---|---|---|---|---|",
    ]
    print("\n".join(lines), flush=True)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        exact = write_files(folder, options.rows)
        for title, name, call in CASES:
            if name in wanted:
                found, sums = compare(name, call, folder, options)
                lines.append(line(title, found, sums, exact))
                print(lines[-1], flush=True)
    if not options.print:
        write_page(lines)


def write_page(lines):
    head = [
        "# Tables",
        "",
        "Written by `python3 benches/peers/tables.py`; every row comes from one run, the sides taking turns.",
        "",
        "Whole processes: wall seconds, in brackets processor seconds, and after the comma the wall time over that of mathchain. `=` stands where a sum is the double that "
        "`math.fsum` gives, `≠` where it is not.",
        "",
    ]
    (ROOT / "benches" / "results" / "tables.md").write_text("\n".join(head + lines) + "\n")

if __name__ == "__main__":
    main()
