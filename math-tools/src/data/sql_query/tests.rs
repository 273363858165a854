use proptest::prelude::*;
use tool_core::{
    AnyTool, CallBudget, Ctx, ErrorCode, StopFlag, ToolError, Value, json, tool_entry,
};

use super::Args;

fn parse(text: &str) -> Value {
    json::parse_json(text, json::JsonLimits::default()).unwrap()
}

fn run_in(args: &Value, ctx: &Ctx) -> Result<Value, ToolError> {
    let tool: &dyn AnyTool = tool_entry::<Args>().tool();
    tool.decode(args)?.run(ctx)
}

fn sql(query: &str, tables: &str) -> Result<Value, ToolError> {
    let args = Value::object([("query", Value::from(query)), ("tables", parse(tables))]);
    run_in(&args, &Ctx::default())
}

/// The rows in their very spelling.
fn check(query: &str, tables: &str, rows: &str) {
    let output = sql(query, tables).unwrap_or_else(|err| panic!("{query}: {err:?}"));
    assert_eq!(output.get("rows").unwrap().to_string(), rows, "{query}");
}

const PEOPLE: &str = r#"{"people":[{"name":"Ann","age":9,"ok":true},{"name":"Bob","age":100,"ok":false},{"name":"Cem","age":30,"ok":null}]}"#;

/// The defects of the earlier tool: every column was text, columns came from the first row, empty tables did not exist.
#[test]
fn columns_are_typed() {
    check(
        "select age from people where age > 25",
        PEOPLE,
        r#"[{"age":100},{"age":30}]"#,
    );
    check(
        "select age from people order by age",
        PEOPLE,
        r#"[{"age":9},{"age":30},{"age":100}]"#,
    );
    check(
        "select name, ok from people where ok is not null",
        PEOPLE,
        r#"[{"name":"Ann","ok":true},{"name":"Bob","ok":false}]"#,
    );
    check(
        "select avg(age) m, sum(age) s from people",
        PEOPLE,
        r#"[{"m":46.333333333333336,"s":139}]"#,
    );
    check(
        "select b from t",
        r#"{"t":[{"a":1},{"a":2,"b":"x"}]}"#,
        r#"[{"b":null},{"b":"x"}]"#,
    );
    check("select count(*) n from t", r#"{"t":[]}"#, r#"[{"n":0}]"#);
    check("select * from t", r#"{"t":{"a":[],"b":[]}}"#, "[]");
    check(
        "select typeof(a) x, typeof(b) y, typeof(c) z, typeof(d) w from t",
        r#"{"t":[{"a":1,"b":1.5,"c":"1","d":null}]}"#,
        r#"[{"x":"integer","y":"real","z":"text","w":"null"}]"#,
    );
    check(
        "select a from t order by a",
        r#"{"t":{"a":[2.5,1]}}"#,
        r#"[{"a":1.0},{"a":2.5}]"#,
    );
    check(
        "select a from t where a = 1",
        r#"{"t":{"a":[1,"1",true]}}"#,
        r#"[{"a":1},{"a":1}]"#,
    );
}

#[test]
fn joins_windows_json_and_recursion() {
    let tables = r#"{"a":[{"id":1,"x":"p"},{"id":2,"x":"q"}],"b":[{"id":2,"y":0.5}]}"#;
    check(
        "select a.id, y from a left join b on a.id = b.id order by a.id",
        tables,
        r#"[{"id":1,"y":null},{"id":2,"y":0.5}]"#,
    );
    check(
        "select x, row_number() over (order by x desc) n from a order by x",
        tables,
        r#"[{"x":"p","n":2},{"x":"q","n":1}]"#,
    );
    check(
        "with recursive c(n) as (select 1 union all select n + 1 from c where n < 5) select sum(n) s from c",
        "{}",
        r#"[{"s":15}]"#,
    );
    check(
        r#"select json_extract('{"k":[1,2]}', '$.k[1]') v"#,
        "{}",
        r#"[{"v":2}]"#,
    );
    check(
        "select strftime('%Y', d) y, printf('%.2f', v) p from t",
        r#"{"t":[{"d":"2024-05-06","v":1.239}]}"#,
        r#"[{"y":"2024","p":"1.24"}]"#,
    );
    check(
        "select 'it''s' as \"printf\" -- format(\n",
        "{}",
        r#"[{"printf":"it's"}]"#,
    );
    check(
        "select 9007199254740993 big, 9e999 inf",
        "{}",
        r#"[{"big":9007199254740993,"inf":"Infinity"}]"#,
    );
    check("select 1 as a;", "{}", r#"[{"a":1}]"#);
}

#[test]
fn parameters() {
    let run = |query: &str, params: &str| {
        let args = Value::object([
            ("query", Value::from(query)),
            ("tables", parse(PEOPLE)),
            ("params", parse(params)),
        ]);
        run_in(&args, &Ctx::default())
    };
    let rows =
        |query: &str, params: &str| run(query, params).unwrap().get("rows").unwrap().to_string();
    assert_eq!(
        rows(
            "select name from people where age > ? and name != ?",
            r#"[25, "Bob"]"#
        ),
        r#"[{"name":"Cem"}]"#
    );
    assert_eq!(
        rows("select name from people where age = :age", r#"{"age":9}"#),
        r#"[{"name":"Ann"}]"#
    );
    assert_eq!(
        rows("select ? a, ? b, ? c", "[1.5, true, null]"),
        r#"[{"a":1.5,"b":1,"c":null}]"#
    );
    for (query, params, words) in [
        ("select ?", "[]", "1 parameters, `params` has 0"),
        ("select ?", "[1,2]", "1 parameters, `params` has 2"),
        ("select :a", r#"{"b":1}"#, "no parameter `:b`"),
        ("select :a, :b", r#"{"b":1}"#, "parameter `:a` has no value"),
        ("select ?", "[[1]]", "expected a number"),
        ("select ?", "3", "expected a list or an object"),
    ] {
        let err = run(query, params).unwrap_err();
        assert_eq!(err.code(), ErrorCode::InvalidArgs, "{query} {params}");
        assert!(
            err.path().unwrap().starts_with("/params") && err.message().contains(words),
            "{query} {params}: {err:?}"
        );
    }
    let err = sql("select :a", "{}").unwrap_err();
    assert!(err.message().contains("`:a` has no value"), "{err:?}");
}

/// Anything but reading, and anything that depends on the machine or on chance.
#[test]
fn only_reading_is_allowed() {
    for query in [
        "attach 'x.db' as x",
        "attach ':memory:' as x",
        "pragma journal_mode",
        "pragma temp_store = 1",
        "select * from pragma_table_info('people')",
        "delete from people",
        "update people set age = 1",
        "insert into people values ('x', 1, 1)",
        "create table t (a)",
        "create temp table t (a)",
        "create view v as select 1",
        "drop table people",
        "alter table people rename to p",
        "vacuum",
        "vacuum into 'x.db'",
        "begin",
        "savepoint s",
        "reindex",
        "analyze",
        "create virtual table v using fts5(a)",
        "select load_extension('x')",
        "select random()",
        "select name from people order by random()",
        "select randomblob(10)",
        "select hex(zeroblob(100000000))",
        "select current_timestamp",
        "select date('now')",
        "select datetime( 'NOW' , '+1 day')",
        "select time()",
        "select strftime('%Y')",
        "select date(d, 'localtime') from (select '2024-01-01' d)",
        "select \"date\"('now')",
        "select printf('%.*c', 1999999999, 'x')",
        "select format('%999999999d', 1)",
        "select \"printf\"('%9999d', 1)",
        "select [format] /* x */ ('%9999d', 1)",
        "select printf('%' || '999999999d', 1)",
        "select printf(name, 1) from people",
        "select printf(/* '%d', */ ?)",
    ] {
        let err = sql(query, PEOPLE).unwrap_err();
        assert_eq!(err.code(), ErrorCode::InvalidArgs, "{query}: {err:?}");
        let refused = matches!(
            err.reason_str(),
            Some("sql_refused" | "sql_clock" | "sql_format")
        );
        assert!(
            refused && err.path() == Some("/query") && err.hint_str().is_some(),
            "{query}: {err:?}"
        );
    }
    check("select count(*) n from people", PEOPLE, r#"[{"n":3}]"#);
}

#[test]
fn one_statement_with_a_place_for_errors() {
    for (query, words) in [
        ("select 1; drop table people", ""),
        ("select 1; select 2", "more than one statement"),
        ("", "empty"),
        ("-- nothing", "empty"),
        ("selct 1", "syntax error"),
        ("select name,, age from people", "at byte 13"),
        ("select * from peolpe", "no such table: peolpe"),
        ("select agee from people", "no such column: agee"),
        (
            "select age, age from people",
            "two result columns are named `age`",
        ),
        ("select x'00ff' b", "blob"),
        ("select \"nope\" from people", "no such column"),
        ("select abs(-9223372036854775808)", "overflow"),
    ] {
        let err = sql(query, PEOPLE).unwrap_err();
        assert_eq!(
            (err.code(), err.path()),
            (ErrorCode::InvalidArgs, Some("/query")),
            "{query}: {err:?}"
        );
        assert!(err.message().contains(words), "{query}: {err:?}");
    }
    assert_eq!(
        sql("select * from peolpe", PEOPLE).unwrap_err().hint_str(),
        Some("did you mean `people`?")
    );
    assert_eq!(
        sql("select agee from people", PEOPLE)
            .unwrap_err()
            .hint_str(),
        Some("did you mean `age`?")
    );
}

#[test]
fn tables_are_checked() {
    for (tables, path, words) in [
        (r#"{"t":[{"a":1,"A":2}]}"#, "/tables/t", "two columns"),
        (
            r#"{"t":[{"a":1}],"T":[{"a":1}]}"#,
            "/tables/t",
            "only in case",
        ),
        (
            r#"{"sqlite_x":[{"a":1}]}"#,
            "/tables/sqlite_x",
            "usable name",
        ),
        (r#"{"t":[{"":1}]}"#, "/tables/t", "without a usable name"),
        (r#"{"t":[{"a":[1]}]}"#, "/tables/t/0/a", "expected"),
        (r#"{"t":{"a":[1],"b":[]}}"#, "/tables/t/b", "0 cells"),
        (r#"{"t":3}"#, "/tables/t", "expected"),
    ] {
        let err = sql("select 1", tables).unwrap_err();
        assert_eq!(err.code(), ErrorCode::InvalidArgs, "{tables}: {err:?}");
        assert!(
            err.path().unwrap().eq_ignore_ascii_case(path),
            "{tables}: {err:?}"
        );
        assert!(err.message().contains(words), "{tables}: {err:?}");
    }
    check(
        "select \"we\"\"ird; name\" x from \"a b\"",
        r#"{"a b":[{"we\"ird; name":1}]}"#,
        r#"[{"x":1}]"#,
    );
}

/// SQLite reads the number that a text begins with; its sums are as they are, with a warning that counts the texts.
#[test]
fn sums_of_texts_warn_with_a_count() {
    let tables =
        r#"{"t":{"price":["1,000","20","3.5","n/a"],"n":[1,2,3,4],"city":["a","b","c","d"]}}"#;
    let warned = |query: &str| {
        let ctx = Ctx::default();
        let text = format!(r#"{{"query":{query:?},"tables":{tables}}}"#);
        let args = json::parse_json(&text, json::JsonLimits::default()).unwrap();
        let output = run_in(&args, &ctx).unwrap();
        (output.get("rows").unwrap().to_string(), ctx.take_warnings())
    };
    for (query, rows) in [
        ("select sum(price) x from t", r#"[{"x":24.5}]"#),
        ("select avg(price + 0) x from t", r#"[{"x":6.125}]"#),
        ("select sum(price * n) x from t", r#"[{"x":51.5}]"#),
        (
            "select sum(case when city < 'd' then price end) x from t",
            r#"[{"x":24.5}]"#,
        ),
        (
            "select sum(cast(price as real)) x from t",
            r#"[{"x":24.5}]"#,
        ),
    ] {
        let (found, warnings) = warned(query);
        assert_eq!(found, rows, "{query}");
        assert_eq!(warnings.len(), 1, "{query}: {warnings:?}");
        let words = "`price`: 2 values are texts that are no numbers, such as \"1,000\"";
        assert!(warnings[0].contains(words), "{query}: {warnings:?}");
    }
    for query in [
        "select sum(n), sum(city = 'a'), sum(length(price)), sum(replace(price, ',', '') + 0) x from t",
        "select n, price from t order by sum(n) over ()",
    ] {
        assert_eq!(warned(query).1, [""; 0], "{query}");
    }
}

#[test]
fn rows_are_limited_and_say_so() {
    let numbers = "with recursive c(n) as (select 1 union all select n + 1 from c where n < 50) select n from c";
    let ctx = Ctx::default();
    let args = Value::object([
        ("query", Value::from(numbers)),
        ("max_rows", Value::Int(10)),
    ]);
    let output = run_in(&args, &ctx).unwrap();
    assert_eq!(
        (output.get("count"), output.get("truncated")),
        (Some(&Value::Int(10)), Some(&Value::Bool(true)))
    );
    assert_eq!(ctx.take_warnings().len(), 1);
    let args = Value::object([
        ("query", Value::from(numbers)),
        ("max_rows", Value::Int(50)),
    ]);
    assert_eq!(
        run_in(&args, &ctx).unwrap().get("truncated"),
        Some(&Value::Bool(false))
    );
    let wide = "with recursive c(n, t) as (select 1, replace(hex(1), '1', printf('%1000d', 1)) union all select n + 1, t || t from c where n < 13) select c.t, d.t u from c, c d, c e";
    let err = sql(wide, "{}").unwrap_err();
    assert_eq!(
        (err.code(), err.reason_str()),
        (ErrorCode::LimitExceeded, Some("result")),
        "{err:?}"
    );
}

/// Queries without end stop when the flag is set; each is stopped from another thread.
#[test]
fn endless_queries_stop() {
    for query in [
        "with recursive c(n) as (select 1 union all select n + 1 from c) select count(*) from c",
        "with recursive c(n) as (select 1 union all select n + 1 from c where n < 200) select count(*) from c a, c b, c d, c e, c f, c g",
    ] {
        let stop = StopFlag::new();
        let timer = stop.clone();
        let handle = std::thread::spawn(move || {
            std::thread::sleep(std::time::Duration::from_millis(50));
            timer.time_out();
        });
        let args = Value::object([("query", query)]);
        let err = run_in(&args, &Ctx::new(stop, CallBudget::default())).unwrap_err();
        handle.join().unwrap();
        assert_eq!(err.code(), ErrorCode::Timeout, "{err:?}");
    }
}

#[test]
fn limits_of_size_and_depth() {
    let parentheses = format!("select {}1{}", "(".repeat(5000), ")".repeat(5000));
    let unary = format!("select {}1", "- ".repeat(5000));
    let compound = format!("select 1{}", " union all select 1".repeat(100));
    let like = format!("select 'a' like '{}'", "a%".repeat(2500));
    for query in [parentheses, unary, compound, like] {
        let err = sql(&query, "{}").unwrap_err();
        assert!(
            matches!(
                err.code(),
                ErrorCode::InvalidArgs | ErrorCode::LimitExceeded
            ),
            "{err:?}"
        );
    }
    let err = sql(&format!("select '{}'", "x".repeat(100_001)), "{}").unwrap_err();
    assert_eq!(
        (err.code(), err.reason_str()),
        (ErrorCode::LimitExceeded, Some("query_length"))
    );
    let doubling = "with recursive c(n, t) as (select 1, 'x' union all select n + 1, t || t from c) select max(length(t)) from c";
    let err = sql(doubling, "{}").unwrap_err();
    assert_eq!(err.code(), ErrorCode::LimitExceeded, "{err:?}");
    let tight = CallBudget {
        memory_bytes: 100,
        ..CallBudget::default()
    };
    let args = Value::object([
        ("query", Value::from("select * from people")),
        ("tables", parse(PEOPLE)),
    ]);
    assert_eq!(
        run_in(&args, &Ctx::new(StopFlag::new(), tight))
            .unwrap_err()
            .code(),
        ErrorCode::LimitExceeded
    );
}

fn cell() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        (-(1_i64 << 53)..=(1_i64 << 53)).prop_map(Value::Int),
        prop::num::f64::NORMAL.prop_map(Value::Float),
        "\\PC{0,8}".prop_map(Value::from),
    ]
}

proptest! {
    /// What goes in comes out, regardless of the column types turn out to be.
    #[test]
    fn select_star_gives_the_table_back(rows in prop::collection::vec((cell(), cell()), 1..12)) {
        let table = Value::array(rows.into_iter().map(|(a, b)| Value::object([("a", a), ("b", b)])).collect());
        let args = Value::object([("query", Value::from("select * from t")), ("tables", Value::object([("t", table.clone())]))]);
        let output = run_in(&args, &Ctx::default()).unwrap();
        prop_assert_eq!(output.get("rows").unwrap(), &table);
    }

    #[test]
    fn no_query_crashes(query in "(select|from|t|a|,|\\*|\\(|\\)|'|\"|\\[|%|printf|date| ){0,20}") {
        let _ = sql(&query, r#"{"t":[{"a":1}]}"#);
    }
}

/// SQLite reads to the first NUL; what stands behind it must not be dropped in silence.
#[test]
fn a_query_with_nul_is_refused() {
    let tables = r#"{"t":[{"a":1},{"a":9}]}"#;
    for query in [
        "select a from t where a\0 > 5 and nonsense(",
        "select a from t\0",
        "\0",
        "select '\0'",
    ] {
        let error = sql(query, tables).unwrap_err();
        assert_eq!(
            (error.code(), error.path()),
            (ErrorCode::InvalidArgs, Some("/query")),
            "{query:?}"
        );
        assert!(error.message().contains("NUL at byte"), "{error:?}");
    }
    let args = parse(r#"{"query":"select length(cast(? as blob)) as n","params":["a\u0000b"]}"#);
    let output = run_in(&args, &Ctx::default()).unwrap();
    assert_eq!(output.get("rows").unwrap().to_string(), r#"[{"n":3}]"#);
}

/// A query without end is stopped from inside SQLite, and has a limit of its own.
#[test]
fn an_endless_query_ends() {
    let endless =
        "with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n";
    let args = Value::object([("query", Value::from(endless))]);
    let stop = StopFlag::new();
    let setter = stop.clone();
    let timer = std::thread::spawn(move || {
        std::thread::sleep(std::time::Duration::from_millis(50));
        setter.time_out();
    });
    let error = run_in(&args, &Ctx::new(stop, CallBudget::default())).unwrap_err();
    timer.join().unwrap();
    assert_eq!(error.code(), ErrorCode::Timeout);
    let spec = tool_entry::<Args>().tool().spec();
    assert!(
        spec.timeout_ms
            .is_some_and(|limit| limit < CallBudget::default().timeout_ms)
    );
}
