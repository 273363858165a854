//! Files that a query names, statements that want more than that, and sums.

use std::collections::HashMap;

use proptest::prelude::*;
use tool_core::{AnyTool, Ctx, DataPlace, DataSource, ToolError, Value, json, tool_entry};

use super::Args;

fn parse(text: &str) -> Value {
    json::parse_json(text, json::JsonLimits::default()).unwrap()
}

fn tool() -> &'static dyn AnyTool {
    tool_entry::<Args>().tool()
}

fn args(query: &str) -> Value {
    Value::object([("query", Value::from(query))])
}

/// The files that the dispatcher opens for a query.
fn opened(query: &str) -> Vec<String> {
    let call = tool()
        .decode(&args(query))
        .unwrap_or_else(|err| panic!("{query}: {err:?}"));
    let sources = call.sources().iter();
    sources
        .map(|reference| match &reference.source.place {
            DataPlace::File(path) => path.clone(),
            DataPlace::Artifact(handle) => handle.clone(),
        })
        .collect()
}

/// Runs a query as the dispatcher does, with the one file `sales.csv`.
fn run(query: &str) -> Result<Value, ToolError> {
    let sales = parse(r#"{"city":["Rome","Oslo","Rome",null],"price":[0.1,0.2,0.3,1e16]}"#);
    let loaded = HashMap::from([(DataSource::file("sales.csv"), sales)]);
    let ctx = Ctx::default().with_loaded(loaded);
    tool().decode(&args(query))?.run(&ctx)
}

fn rows(query: &str) -> String {
    let found = run(query).unwrap_or_else(|err| panic!("{query}: {err:?}"));
    found.get("rows").unwrap().to_string()
}

#[test]
fn a_quoted_file_is_a_table() {
    assert_eq!(opened("select * from 'sales.csv'"), ["sales.csv"]);
    assert_eq!(
        rows("select city, count(*) n from 'sales.csv' group by city order by n desc, city"),
        r#"[{"city":"Rome","n":2},{"city":null,"n":1},{"city":"Oslo","n":1}]"#
    );
    assert_eq!(
        rows(
            "select s.price p from 'sales.csv' s join 'sales.csv' t on s.city = t.city where s.city = 'Oslo'"
        ),
        r#"[{"p":0.2}]"#
    );
    // The arguments that are recorded have the file, so that rules and audit see it.
    let call = tool().decode(&args("select * from 'sales.csv'")).unwrap();
    assert_eq!(
        call.args().get("tables").unwrap().to_string(),
        r#"{"sales.csv":{"$file":"sales.csv"}}"#
    );
    let given =
        parse(r#"{"query": "select a from 'sales.csv'", "tables": {"sales.csv": {"a": [1]}}}"#);
    let call = tool().decode(&given).unwrap();
    assert!(call.sources().is_empty());
    assert_eq!(
        call.run(&Ctx::default()).unwrap().get("count"),
        Some(&Value::Int(1))
    );
}

/// What is no table of the call or a file that it named is out of reach, whatever the statement.
#[test]
fn hostile_statements_are_refused() {
    for query in [
        "select * from read_csv('/etc/passwd')",
        "select * from read_csv_auto('sales.csv')",
        "select readfile('/etc/passwd')",
        "select writefile('x', 'y')",
        "select load_extension('/tmp/x.so')",
        "select * from '/etc/passwd'",
        "select * from \"../secret.csv\"",
        "select * from pragma_database_list",
        "select * from pragma_table_info('sales.csv')",
        "select * from fsdir('.')",
        "select * from dbstat",
        "attach database 'other.db' as o",
        "copy (select 1) to 'out.csv'",
        "vacuum into 'out.db'",
        "pragma temp_store_directory = '/tmp'",
        "set memory_limit = '100GB'",
        "select 1; select 2",
        "select * from 'sales.csv'; drop table 'sales.csv'",
        "insert into 'sales.csv' values ('x', 1)",
        "create table t as select * from 'sales.csv'",
        "create virtual table t using fts5(x)",
        "delete from 'sales.csv'",
        "explain attach database 'other.db' as o",
        "with t as (select 1) update 'sales.csv' set city = 'x'",
    ] {
        let outside = opened(query);
        assert!(
            outside.iter().all(|path| path == "sales.csv"),
            "{query} opens {outside:?}"
        );
        let err = run(query).err().unwrap_or_else(|| panic!("{query} runs"));
        assert_eq!(err.path(), Some("/query"), "{query}: {err:?}");
    }
}

#[test]
fn files_are_opened_by_their_names_alone() {
    // A path with an ending of data is opened by the rules of `$file`, which refuse it outside of the workspace.
    assert_eq!(opened("select * from '../secret.csv'"), ["../secret.csv"]);
    for query in [
        "select '/etc/x.csv' from t",
        "select * from t where name = 'x.csv'",
        "select * from t where name in ('x.csv')",
        "select a is not distinct from 'x.csv' from t",
        "select * from t order by 'x.csv'",
        "select * from json_each('x.json')",
        "select replace(a, 'x.csv', 'y.csv') from t",
    ] {
        assert!(opened(query).is_empty(), "{query}");
    }
}

#[test]
fn sums_are_correctly_rounded_and_keep_the_rules_of_sqlite() {
    assert_eq!(
        rows("select sum(price) s from 'sales.csv'"),
        r#"[{"s":1e+16}]"#
    );
    let table = |cells: &str, query: &str| {
        let args = parse(&format!(
            r#"{{"query": "{query}", "tables": {{"t": {{"v": {cells}}}}}}}"#
        ));
        let found = tool()
            .decode(&args)
            .and_then(|call| call.run(&Ctx::default()));
        found.map(|found| found.get("rows").unwrap().to_string())
    };
    for (cells, query, expected) in [
        (
            "[0.1,0.2,0.3,-0.6]",
            "select sum(v) s, avg(v) a from t",
            r#"[{"s":2.7755575615628914e-17,"a":6.938893903907228e-18}]"#,
        ),
        (
            "[1e100,1,-1e100]",
            "select sum(v) s, total(v) t from t",
            r#"[{"s":1.0,"t":1.0}]"#,
        ),
        (
            "[1,2,3]",
            "select sum(v) s, avg(v) a, total(v) t from t",
            r#"[{"s":6,"a":2.0,"t":6.0}]"#,
        ),
        (
            "[null]",
            "select sum(v) s, avg(v) a, total(v) t, var(v) w, count(v) n from t",
            r#"[{"s":null,"a":null,"t":0.0,"w":null,"n":0}]"#,
        ),
        (
            "[1,2,3,4]",
            "select var(v) v, std(v) s, corr(v, -v) c from t",
            r#"[{"v":1.6666666666666667,"s":1.2909944487358056,"c":-1.0}]"#,
        ),
        (
            "[1,null,3]",
            "select sum(distinct v) filter (where v > 1) s from t",
            r#"[{"s":3}]"#,
        ),
        (
            "[1e300,1,2,3]",
            "select sum(v) over (order by rowid rows 1 preceding) s from t",
            r#"[{"s":1e+300},{"s":1e+300},{"s":3.0},{"s":5.0}]"#,
        ),
        (
            "[1,2,4]",
            "select avg(v) over (order by rowid rows 1 preceding) s from t",
            r#"[{"s":1.0},{"s":1.5},{"s":3.0}]"#,
        ),
    ] {
        assert_eq!(table(cells, query).unwrap(), expected, "{query} of {cells}");
    }
    let err = table("[9223372036854775807,1]", "select sum(v) s from t").unwrap_err();
    assert!(err.message().contains("integer overflow"), "{err:?}");
}

proptest! {
    /// The same bytes for every order of the rows, and the sum that the exact accumulator has.
    #[test]
    fn the_order_of_rows_does_not_matter(cells in prop::collection::vec(-1e15_f64..1e15, 2..40), by in 1_usize..40) {
        let sum = |cells: &[f64]| {
            let mut table = tool_core::Object::new();
            table.insert("v", Value::vector(cells.to_vec()));
            let tables = Value::object([("t", Value::from(table))]);
            let query = Value::from("select sum(v) s, avg(v) a, var(v) w, corr(v, v * v) c from t");
            let args = Value::object([("query", query), ("tables", tables)]);
            tool().decode(&args).unwrap().run(&Ctx::default()).unwrap().to_string()
        };
        let mut turned = cells.clone();
        let length = turned.len();
        turned.rotate_left(by % length);
        prop_assert_eq!(sum(&turned), sum(&cells));
    }
}

/// A typed table, of every type, and the same as plain lists of cells.
fn typed_and_plain() -> [Value; 2] {
    let texts = |cells: [Option<&str>; 3]| ::tables::TableColumn::texts(cells);
    let columns = [
        (
            "n",
            ::tables::TableColumn::integers([Some(3), None, Some(1)]),
        ),
        (
            "x",
            ::tables::TableColumn::doubles([Some(0.5), Some(-2.0), None]),
        ),
        (
            "wide",
            ::tables::TableColumn::doubles([Some(f64::INFINITY), Some(1.0), None]),
        ),
        ("city", texts([Some("Rome"), None, Some("Oslo")])),
        ("none", texts([None; 3])),
        (
            "yes",
            ::tables::TableColumn::booleans([Some(true), Some(false), None]),
        ),
        (
            "day",
            ::tables::TableColumn::dates([::tables::parse_date("2024-05-17"), None, None]),
        ),
        (
            "cost",
            ::tables::TableColumn::decimals(vec![Some(125), Some(-5), None], 2).unwrap(),
        ),
        ("empty", ::tables::TableColumn::Missing(3)),
    ];
    let columns = columns.map(|(name, column)| (std::sync::Arc::from(name), column));
    let table = ::tables::DataTable::new(columns.to_vec()).unwrap();
    let plain = table.iter();
    let plain = plain.map(|(name, column)| {
        (
            std::sync::Arc::clone(name),
            table_values::column_value(column),
        )
    });
    let plain = Value::object(plain.collect::<Vec<_>>());
    [table_values::table_value(table), plain]
}

#[test]
fn columns_of_a_file_answer_as_the_same_cells_in_the_call() {
    let tables = typed_and_plain();
    for (query, expected) in [
        ("select * from 't.csv'", None),
        ("select * from 't.csv' order by city desc", None),
        (
            "select typeof(n) a, typeof(x) b, typeof(wide) c, typeof(city) d, typeof(day) e, typeof(cost) f from 't.csv' limit 1",
            None,
        ),
        (
            "select sum(n) s, avg(x) m, max(day) d, sum(cost) c, count(yes) y from 't.csv'",
            None,
        ),
        ("select yes, none, empty, wide from 't.csv'", None),
        ("select count(*) c from 't.csv'", Some(r#"[{"c":3}]"#)),
        (
            "select 1 a from 't.csv'",
            Some(r#"[{"a":1},{"a":1},{"a":1}]"#),
        ),
        (
            "select n * 2 a, -2.0 * n b, (n) * n c from 't.csv' where n > 1",
            Some(r#"[{"a":6,"b":-6.0,"c":9}]"#),
        ),
        ("select t.* from 't.csv' t where t.n = 1", None),
        (
            "select N, \"City\" from 't.csv' where rowid = 1",
            Some(r#"[{"n":3,"city":"Rome"}]"#),
        ),
        ("select a.n from 't.csv' a natural join 't.csv' b", None),
        (
            "select a.n from 't.csv' a join 't.csv' b using (city)",
            Some(r#"[{"n":3},{"n":1}]"#),
        ),
        (
            "with c as (select distinct * from 't.csv') select count(*) k from c",
            Some(r#"[{"k":3}]"#),
        ),
    ] {
        let [typed, plain] = tables.clone().map(|table| {
            let loaded = HashMap::from([(DataSource::file("t.csv"), table)]);
            let ctx = Ctx::default().with_loaded(loaded);
            let output = tool().decode(&args(query)).unwrap().run(&ctx);
            let output = output.unwrap_or_else(|err| panic!("{query}: {err:?}"));
            (
                output.to_string(),
                output.get("rows").unwrap().to_string(),
                ctx.take_warnings(),
            )
        });
        assert_eq!(typed, plain, "{query}");
        if let Some(expected) = expected {
            assert_eq!(typed.1, expected, "{query}");
        }
    }
    for query in [
        "select zzz from 't.csv'",
        "select _ from 't.csv'",
        "select n from 't.csv' where n in 't.csv'",
    ] {
        let messages = tables.clone().map(|table| {
            let loaded = HashMap::from([(DataSource::file("t.csv"), table)]);
            let ctx = Ctx::default().with_loaded(loaded);
            let refused = tool().decode(&args(query)).unwrap().run(&ctx);
            refused.expect_err(query).to_string()
        });
        assert_eq!(messages[0], messages[1], "{query}");
    }
}
