use tool_core::{AnyTool, Ctx, ErrorCode, StopFlag, ToolError, Value, json, tool_entry};

use super::Args;

fn parse(text: &str) -> Value {
    json::parse_json(text, json::JsonLimits::default()).unwrap()
}

fn run_in(args: &Value, ctx: &Ctx) -> Result<Value, ToolError> {
    let tool: &dyn AnyTool = tool_entry::<Args>().tool();
    tool.decode(args)?.run(ctx)
}

fn read(content: &str) -> Result<Value, ToolError> {
    run_in(&Value::object([("csv_content", content)]), &Ctx::default())
}

/// The rows, in their very spelling: integers without a point, doubles with one.
fn check(content: &str, rows: &str) {
    let output = read(content).unwrap_or_else(|err| panic!("{content:?}: {err:?}"));
    assert_eq!(output.get("rows").unwrap().to_string(), rows, "{content:?}");
}

/// The defects of the earlier tool: 007 became 7, 1_000 became 1000, 1e5 stayed text, nothing was null or boolean.
#[test]
fn cells_are_typed() {
    check("a\n007\n", r#"[{"a":"007"}]"#);
    check("a\n1_000\n", r#"[{"a":"1_000"}]"#);
    check("a\n1e5\n", r#"[{"a":100000.0}]"#);
    check(
        "a,b\ntrue,\nfalse,\n",
        r#"[{"a":true,"b":null},{"a":false,"b":null}]"#,
    );
    check(
        "a,b,c,d\n12,-0.5,x,\n",
        r#"[{"a":12,"b":-0.5,"c":"x","d":null}]"#,
    );
    for text in [
        "+1",
        ".5",
        "5.",
        "1e",
        "--1",
        "0x1F",
        "inf",
        "1e999",
        "True",
        "01",
        "-",
        "9223372036854775808",
    ] {
        check(&format!("a\n{text}\n"), &format!("[{{\"a\":{text:?}}}]"));
    }
    check(
        "a\n9007199254740993\n 1\n",
        r#"[{"a":9007199254740993},{"a":1}]"#,
    );
    check("a\n-0\n", r#"[{"a":-0.0}]"#);
}

#[test]
fn missing_cells_are_null() {
    check(
        "t,n\n20.5,x\n,NA\nNA,\nNaN,-\nnull,y\n-,null\n22.1,z",
        r#"[{"t":20.5,"n":"x"},{"t":null,"n":"NA"},{"t":null,"n":null},{"t":null,"n":"-"},{"t":null,"n":"y"},{"t":null,"n":"null"},{"t":22.1,"n":"z"}]"#,
    );
    let args = parse(r#"{"csv_content":"a,b\n?,NA\n1,x","missing_words":["?"]}"#);
    let output = run_in(&args, &Ctx::default()).unwrap();
    assert_eq!(
        output.get("rows").unwrap().to_string(),
        r#"[{"a":null,"b":"NA"},{"a":1,"b":"x"}]"#
    );
}

#[test]
fn delimiter_header_and_decimal_comma_are_found() {
    check("a;b\n1;x", r#"[{"a":1,"b":"x"}]"#);
    check("a\tb\n1\t2,5", r#"[{"a":1,"b":"2,5"}]"#);
    check("a|b\n1|2", r#"[{"a":1,"b":2}]"#);
    check(
        "a;b\n3,5;x\n1,25;y",
        r#"[{"a":3.5,"b":"x"},{"a":1.25,"b":"y"}]"#,
    );
    check(
        "a;b\n3,500;x\n1,250;y",
        r#"[{"a":"3,500","b":"x"},{"a":"1,250","b":"y"}]"#,
    );
    check(
        "1,5;2,5\n3,5;4",
        r#"[{"column_1":1.5,"column_2":2.5},{"column_1":3.5,"column_2":4}]"#,
    );
    check("note\na;b\nc", r#"[{"note":"a;b"},{"note":"c"}]"#);
    check("\"a,1\";b\n\"c,2\";3", r#"[{"a,1":"c,2","b":3}]"#);
    let ctx = Ctx::default();
    let years = parse(r#"{"csv_content":"2020,5\n2021,7"}"#);
    let output = run_in(&years, &ctx).unwrap();
    assert_eq!(output.get("count"), Some(&Value::Int(2)));
    assert!(ctx.take_warnings()[0].contains("the first row has only numbers"));
    let header = parse(r#"{"csv_content":"2020,2021\n5,7","has_header":true}"#);
    let output = run_in(&header, &Ctx::default()).unwrap();
    assert_eq!(
        output.get("rows").unwrap().to_string(),
        r#"[{"2020":5,"2021":7}]"#
    );
}

#[test]
fn a_column_has_one_type() {
    check(
        "zip\n10115\n01067\n",
        r#"[{"zip":"10115"},{"zip":"01067"}]"#,
    );
    check("a\n1\ntrue\n", r#"[{"a":"1"},{"a":"true"}]"#);
    check(
        "a,b\n1,x\n,y\n2.5,z\n",
        r#"[{"a":1,"b":"x"},{"a":null,"b":"y"},{"a":2.5,"b":"z"}]"#,
    );
    let output = read("a,b,c,d\n1,true,x,\n").unwrap();
    assert_eq!(
        output.get("types"),
        Some(&parse(r#"["number","boolean","text","null"]"#))
    );
}

#[test]
fn quotes_line_ends_and_mark() {
    check(
        "\u{feff}a,b\r\n\"x, y\",\"say \"\"hi\"\"\"\r\n",
        r#"[{"a":"x, y","b":"say \"hi\""}]"#,
    );
    check("a\n\"two\nlines\"\n", r#"[{"a":"two\nlines"}]"#);
    check("a,b\n\n1,2\n\n", r#"[{"a":1,"b":2}]"#);
    check("a\n\"\"\n1", r#"[{"a":null},{"a":1}]"#);
    check("a,b\n", "[]");
}

#[test]
fn delimiter_and_header_are_arguments() {
    let args = parse(r#"{"csv_content":"1;x\n2;y","delimiter":";","has_header":false}"#);
    let output = run_in(&args, &Ctx::default()).unwrap();
    assert_eq!(
        output.get("rows"),
        Some(&parse(
            r#"[{"column_1":1,"column_2":"x"},{"column_1":2,"column_2":"y"}]"#
        ))
    );
    assert_eq!(output.get("count"), Some(&Value::Int(2)));
    let args = parse(r#"{"csv_content":"a\tb\n1\t2","delimiter":"\t"}"#);
    assert_eq!(
        run_in(&args, &Ctx::default()).unwrap().get("columns"),
        Some(&parse(r#"["a","b"]"#))
    );
}

#[test]
fn faults_name_the_line() {
    for (content, words) in [
        ("a,b\n1,2\n3\n", "line 3 has 1 cells, expected 2"),
        ("a,b\n1,2,3\n", "line 2 has 3 cells, expected 2"),
        ("a,b\n\"x\ny\",1\n2\n", "line 4 has 1 cells"),
        ("a,b\r\n\r\n\r\n3\r\n", "line 4 has 1 cells"),
        ("a,b,a\n1,2,3\n", "columns 1 and 3 are both named `a`"),
        ("a\n\"open\n", "quote opened on line 2 is never closed"),
        ("a\n1\n\"x\"y\n", "line 3 has text after a closing quote"),
        ("", "no line"),
        ("\n\n", "no line"),
    ] {
        let err = read(content).unwrap_err();
        assert_eq!(
            (err.code(), err.path()),
            (ErrorCode::InvalidArgs, Some("/csv_content")),
            "{content:?}"
        );
        assert!(err.message().contains(words), "{content:?}: {err:?}");
        assert!(err.hint_str().is_some());
    }
    for delimiter in [r#""""#, r#"",,""#, r#""é""#, r#""\"""#, r#""\n""#, "1"] {
        let args = parse(&format!(r#"{{"csv_content":"a","delimiter":{delimiter}}}"#));
        assert_eq!(
            run_in(&args, &Ctx::default()).unwrap_err().path(),
            Some("/delimiter"),
            "{delimiter}"
        );
    }
}

#[test]
fn stops_when_told_and_respects_the_memory_limit() {
    let stop = StopFlag::new();
    stop.cancel();
    let args = parse(r#"{"csv_content":"a\n1\n"}"#);
    let budget = tool_core::CallBudget::default();
    assert_eq!(
        run_in(&args, &Ctx::new(stop, budget)).unwrap_err().code(),
        ErrorCode::Cancelled
    );
    let tight = tool_core::CallBudget {
        memory_bytes: 1000,
        ..budget
    };
    let args = Value::object([("csv_content", "a\n".repeat(200))]);
    assert_eq!(
        run_in(&args, &Ctx::new(StopFlag::new(), tight))
            .unwrap_err()
            .code(),
        ErrorCode::LimitExceeded
    );
}
