use proptest::prelude::*;
use registry::document::parse_yaml;
use tool_core::json;

use super::*;
use crate::plan::{Plan, STEPS_MAX, TEXT_BYTES_MAX};

/// The value of the plan, as JSON.
fn value(text: &str) -> String {
    json::to_text(&parse_script("s.chain", text).unwrap().value)
}

/// The problems, one a line: `line:column: message (hint)`.
fn problems(text: &str) -> String {
    match parse_script("s.chain", text) {
        Ok(document) => panic!("no problem in {text:?}: {}", document.value),
        Err(errors) => errors
            .list()
            .iter()
            .map(|error| {
                let place = error.place.as_ref().unwrap();
                let hint = error.hint.as_deref().unwrap_or_default();
                assert!(!hint.is_empty(), "no next step: {error}");
                format!(
                    "{}:{}: {} ({hint})\n",
                    place.line, place.column, error.message
                )
            })
            .collect(),
    }
}

#[test]
fn a_script_is_the_plan_it_could_have_been_written_as() {
    let script = r#"
# Reads a table, and says what the prices are like.
raw = csv_to_json(csv_content={"$file": "examples/data/houses.csv"})
prices = json_query(data=raw.rows, query="[].price")
summary = statistics(data=prices.result)
return {"mean": summary.mean, "first": raw.rows[0].price, "all": raw.rows[*].price}
"#;
    let plan = r#"
version: 1
id: housing
steps:
  - {id: raw, tool: csv_to_json, args: {csv_content: {$file: examples/data/houses.csv}}}
  - {id: prices, tool: json_query, args: {data: {$ref: raw.rows}, query: "[].price"}}
  - {id: summary, tool: statistics, args: {data: {$ref: prices.result}}}
outputs: {mean: {$ref: summary.mean}, first: {$ref: "raw.rows[0].price"}, all: {$ref: "raw.rows[*].price"}}
"#;
    let script = parse_script("a/b/housing.chain", script).unwrap();
    let plan = parse_yaml(plan).unwrap();
    assert_eq!(json::to_text(&script.value), json::to_text(&plan.value));
    assert_eq!(
        Plan::from_document(script).digest(),
        Plan::from_document(plan).digest()
    );
}

#[test]
fn values_are_those_of_json_and_of_python() {
    let cases = [
        ("1", "1"),
        ("-0.5e-3", "-0.0005"),
        ("true", "true"),
        ("False", "false"),
        ("None", "null"),
        ("null", "null"),
        ("[]", "[]"),
        ("[1, 2.5, -3]", "[1.0,2.5,-3.0]"),
        ("[[1,2],\n [3,4],\n]", "[[1,2],[3,4]]"),
        ("{}", "{}"),
        (
            "{'a': 1, \"b\": [true, None],}",
            r#"{"a":1,"b":[true,null]}"#,
        ),
        (
            r#""tab\tquote\"\u00e9\x41 \ud83d\ude00""#,
            "\"tab\\tquote\\\"éA 😀\"",
        ),
        (r"'it\'s'", "\"it's\""),
        (
            "\"\"\"one\ntwo \"quoted\"\n\"\"\"",
            "\"one\\ntwo \\\"quoted\\\"\\n\"",
        ),
        ("'''a\r\nb'''", "\"a\\nb\""),
        ("\"# no comment\"  # a comment\n", "\"# no comment\""),
        (
            "{\"$fmt\": \"n={}\", \"args\": [1]}",
            r#"{"$fmt":"n={}","args":[1]}"#,
        ),
    ];
    for (text, expected) in cases {
        let value = value(&format!("a = f(x={text})"));
        assert!(
            value.contains(&format!(r#""args":{{"x":{expected}}}"#)),
            "{text}: {value}"
        );
    }
}

#[test]
fn calls_take_any_layout() {
    for text in [
        "a = f(x=1, y=\"b\")",
        "a=f(x=1,y='b')",
        "  a = f ( x = 1 , y = 'b' , )  # done",
        "\u{feff}a = f(\n  x=1,  # one\n\n  y='b',\n)\r\n\r\n",
        "\n\n# first\na = f(x=1,\ny='b')",
    ] {
        assert_eq!(
            value(text),
            r#"{"version":1,"id":"s","steps":[{"id":"a","tool":"f","args":{"x":1,"y":"b"}}],"outputs":{"a":{"$ref":"a"}}}"#,
            "{text:?}"
        );
    }
}

/// A name means what was assigned to it last, and every assignment is a step of its own.
#[test]
fn names_have_versions_and_ids_are_unique() {
    let text = "
a = f(x=1)
b = g(y=a.v)
a = f(x=a.v, y=b)
a_2 = f(x=a.v)
item = f(x=a_2)
X = f(x=item)
x = f(x=X[0])
_ = git:commit(message='m')
f(x=x)
f(x=a)
git.commit()
return [a, a_2, b]
";
    let document = parse_script("My Script.chain", text).unwrap();
    let steps = document.value.get("steps").unwrap().items().unwrap();
    let shown: Vec<String> = steps
        .iter()
        .map(|step| {
            let of = |key: &str| step.get(key).unwrap().clone();
            format!(
                "{} {} {}",
                of("id").as_str().unwrap(),
                of("tool").as_str().unwrap(),
                json::to_text(&of("args")).replace('"', "")
            )
        })
        .collect();
    assert_eq!(
        shown,
        [
            "a f {x:1}",
            "b g {y:{$ref:a.v}}",
            "a_3 f {x:{$ref:a.v},y:{$ref:b}}",
            "a_2 f {x:{$ref:a_3.v}}",
            "item_2 f {x:{$ref:a_2}}",
            "x f {x:{$ref:item_2}}",
            "x_2 f {x:{$ref:x[0]}}",
            "v_ git:commit {message:m}",
            "f f {x:{$ref:x_2}}",
            "f_2 f {x:{$ref:a_3}}",
            "git_commit git.commit {}",
        ]
    );
    let outputs = json::to_text(document.value.get("outputs").unwrap());
    assert_eq!(
        outputs,
        r#"{"result":[{"$ref":"a_3"},{"$ref":"a_2"},{"$ref":"b"}]}"#
    );
    assert_eq!(
        document.value.get("id").unwrap().as_str(),
        Some("my_script")
    );
    assert!(Plan::from_document(document).faults.is_empty());
}

#[test]
fn a_script_is_known_by_its_first_line() {
    for text in [
        "a = f()",
        "# c\n\n  a=f(x=1)\n",
        "git:commit(message='m')",
        "f (x=1)",
        "a.b(x=1)",
        "return 1",
        "x = 5",
        "\u{feff}a = f()",
    ] {
        assert!(is_likely(text), "{text:?}");
        assert!(Plan::read("-", text).unwrap().is_script, "{text:?}");
    }
    for text in [
        "",
        "# only a comment",
        "version: 1\nsteps: []",
        "{\"version\": 1}",
        "---\nversion: 1",
        "steps:\n  - {id: a, tool: f}",
        "\"a\": 1",
        "- a = f()",
        "for x in y: pass",
    ] {
        assert!(!is_likely(text), "{text:?}");
    }
}

#[test]
fn long_names_give_ids_that_fit() {
    let long = "n".repeat(NAME_BYTES_MAX);
    let text = format!("{long} = f()\n{long} = f()\n{long}=f(x={long})");
    let plan = Plan::read("s.chain", &text).unwrap();
    assert!(plan.faults.is_empty(), "{}", plan.faults);
    assert!(plan.steps.iter().all(|step| step.id.len() <= 64));
}

#[test]
fn references_go_into_results() {
    let text =
        "a = f()\nb = g(x=a.rows[*].p, y=a[0][1], z=a[\"rows\"]['first'].v, w=[a, {\"k\": a.v}])";
    assert!(
        value(text).contains(
            r#"{"x":{"$ref":"a.rows[*].p"},"y":{"$ref":"a[0][1]"},"z":{"$ref":"a.rows.first.v"},"w":[{"$ref":"a"},{"k":{"$ref":"a.v"}}]}"#
        ),
        "{}",
        value(text)
    );
}

#[test]
fn a_reference_may_have_a_default() {
    let text = "a = f()\nb = g(x=a.mean ?? 0, y=[a.p ?? {\"k\": [1, null]}], z=a ??\n'none')\nreturn a.q ?? -1";
    let value = value(text);
    for expected in [
        r#""x":{"$ref":"a.mean","default":0}"#,
        r#""y":[{"$ref":"a.p","default":{"k":[1,null]}}]"#,
        r#""z":{"$ref":"a","default":"none"}"#,
        r#""outputs":{"result":{"$ref":"a.q","default":-1}}"#,
    ] {
        assert!(value.contains(expected), "{expected} in {value}");
    }
    let plan = Plan::read("s.chain", text).unwrap();
    assert!(plan.faults.is_empty(), "{}", plan.faults);
    let document = parse_script("s.chain", text).unwrap();
    assert_eq!(document.locate("/steps/1/args/x/default"), (2, 19));
}

#[test]
fn what_is_no_call_is_named_with_its_place_and_the_next_step() {
    let cases = [
        ("x = 5", "1:5: expected a call after `=`"),
        ("a = f()\nb = a.v", "2:5: expected a call after `=`"),
        ("a = [f()]", "1:5: expected a call after `=`"),
        (
            "for x in y:\n    a = f()",
            "1:1: `for` is not part of a script",
        ),
        ("if a: f()", "1:1: `if`"),
        ("import os", "1:1: `import`"),
        ("a, b = f()", "1:2: expected `=`, found ','"),
        ("a[0] = f()", "1:2: expected `=` or `(`, found '['"),
        ("a += f()", "1:3: expected `=` or `(`, found '+'"),
        ("a == f()", "1:3: expected `=` or `(`, found '='"),
        ("a", "1:2: expected `=` or `(`, found the end of the script"),
        ("true = f()", "1:1: `true` is a value, not a name"),
        ("None = f()", "1:1: `None` is a value, not a name"),
        (
            "a.b = f()",
            "1:1: `a.b` is not the name of a result (only whole names are assigned",
        ),
        (
            "a = f(x=[1, 2\nb = g()",
            "1:9: `[` is not closed (close it with `]` before the next line begins)",
        ),
        ("a = f(x=1,\nb = g(y=2)", "1:6: `(` is not closed"),
        ("a = f(x={\"k\": 1\nb = g()", "1:9: `{` is not closed"),
        (
            "a = f()\ng(x=a.v ?? a.w)",
            "2:12: a default is a value that is written out",
        ),
        (
            "a = f()\ng(x=a.v ? 1)",
            "a default is written `a.mean ?? 0`",
        ),
        ("a\n", "1:2: expected `=` or `(`, found the end of the line"),
        ("x: int = f()", "1:2: expected `=` or `(`, found ':'"),
        ("f(", "1:3: the call does not end"),
        (
            "f(1)",
            "1:3: an argument has no name (write `f(name=value)`; `mathchain tools show f`",
        ),
        ("a = f()\ng(a)", "2:3: an argument has no name"),
        ("f(x==1)", "1:3: an argument has no name"),
        ("f(*args)", "1:3: arguments are not unpacked"),
        ("f(x=1 y=2)", "1:7: expected `,` or `)`, found 'y'"),
        ("f(x=1, x=2)", "1:8: `x` is given twice"),
        (
            "f(x=g(y=1))",
            "1:5: calls are not nested (assign it first, on a line of its own: `result = g(..)`)",
        ),
        (
            "a = f()\ng(x=a.v + 1)",
            "2:9: expected `,` or `)`, found '+' (a script computes nothing",
        ),
        (
            "a = f()\ng(x=-a.v)",
            "2:5: `-a.v` is not a number (a script computes nothing",
        ),
        ("g(x=not true)", "1:5: `not` is not a value"),
        ("g(x=[y for y in z])", "expected `,` or `]`, found 'f'"),
        ("g(x=(1, 2))", "1:5: expected a value, found '('"),
        ("g(x={1, 2})", "1:6: expected a key in quotes"),
        ("g(x={'a': 1, 'a': 2})", "1:14: the key `a` is given twice"),
        ("g(x={'a' 1})", "expected `:`, found '1'"),
        (
            "g(x={'$ref': 'a.b'})",
            "1:6: `$ref` is not written in a script",
        ),
        ("g(x={'$lit': 1})", "`$lit` is not written"),
        ("g(x=)", "1:5: expected a value, found ')'"),
        ("g(x=f'n={n}')", "1:5: texts have no prefix, found `f`"),
        ("g(x='a' 'b')", "expected `,` or `)`, found '\\''"),
        ("g(x='abc", "1:5: the text does not end"),
        ("g(x='abc\n')", "1:5: the text does not end on its line"),
        ("g(x='''abc')", "1:5: the text does not end"),
        ("g(x='\\q')", "1:6: unknown escape"),
        ("g(x='\\ud800')", "1:6: unknown escape"),
        ("g(x='\\u12')", "1:6: unknown escape"),
        ("g(x='\u{1}')", "1:6: the text holds the control character"),
        (
            "g(x=.5)",
            "1:5: `.5` is not a number (numbers are written as in JSON",
        ),
        ("g(x=1_000)", "1:5: `1_000` is not a number"),
        ("g(x=007)", "1:5: `007` is not a number"),
        ("g(x=9223372036854775809)", "integers beyond 2^63"),
        ("g(x=1e999)", "1:5: `1e999` is not a number"),
        ("a = f()\ng(x=a.)", "2:7: expected the name of a field"),
        (
            "a = f()\ng(x=a[-1])",
            "2:7: expected an index from 0, or `*`",
        ),
        ("a = f()\ng(x=a[0:2])", "2:8: expected `]`, found ':'"),
        (
            "a = f()\ng(x=a['b c'])",
            "2:7: `b c` is not a valid field name",
        ),
        ("g(x=y)", "1:5: no line before this one assigns `y`"),
        ("result = f()\ng(x=resutl.v)", "did you mean `result`?"),
        (
            "g(x=b)\nb = f()",
            "1:5: no line before this one assigns `b` (move the line",
        ),
        ("a = f(x=a)", "1:9: no line before this one assigns `a`"),
        (
            "a = f()\nb = a.upper(x=1)",
            "2:5: `a` is a result, and results have no methods",
        ),
        ("g(x=inputs.csv)", "1:5: a script has no inputs"),
        ("print(x=1)", "1:1: a script has no `print`"),
        (
            "a = f(); b = g()",
            "1:8: expected the end of the line, found ';' (write one call a line)",
        ),
        (
            "a = f() + g()",
            "1:9: expected the end of the line, found '+'",
        ),
        (
            "a = f()\nreturn",
            "2:7: expected a value, found the end of the script",
        ),
        (
            "a = f()\nreturn a\nb = g()",
            "3:1: `return` is the last line",
        ),
        (
            "a = f()\nreturn zz.x",
            "2:8: no line before this one assigns `zz`",
        ),
        ("", "1:1: the script has no call"),
        ("# nothing\n", "1:1: the script has no call"),
        ("ä = f()", "1:1: `ä` is not a valid name"),
        ("1 = f()", "1:1: expected a call, found '1'"),
        (
            "a = f(x=\"é\", y=zz)",
            "1:16: no line before this one assigns `zz`",
        ),
    ];
    for (text, expected) in cases {
        let found = problems(text);
        assert!(found.contains(expected), "{text:?}: {found}");
    }
}

#[test]
fn every_wrong_line_is_reported_at_once() {
    let text = "
a = f(1)
b = 5
c = g(x=a.v,
      y=b)
for x in y:
    d = h()
e = g(x=c.v, y=unknown)
";
    let lines = problems(text);
    let places: Vec<&str> = lines
        .lines()
        .map(|line| line.split(' ').next().unwrap())
        .collect();
    // Nothing is said of `a` and `b`: what they mean is not known because their lines are wrong.
    assert_eq!(places, ["2:7:", "3:5:", "6:1:", "8:16:"], "{lines}");
    let many = "x = 1\n".repeat(PROBLEMS_MAX + 50);
    assert_eq!(problems(&many).lines().count(), PROBLEMS_MAX);
}

#[test]
fn limits_are_explicit() {
    let deep = |depth: usize| format!("f(x={}1{})", "[".repeat(depth), "]".repeat(depth));
    assert!(parse_script("s", &deep(DEPTH_MAX - 1)).is_ok());
    assert!(problems(&deep(DEPTH_MAX)).contains("at most 32 deep"));
    assert!(problems(&deep(100_000)).contains("at most 32 deep"));
    assert!(
        problems(&format!("{}=f()", "a".repeat(NAME_BYTES_MAX + 1)))
            .contains("at most 64 characters")
    );
    let args = |count: usize| {
        let args: Vec<String> = (0..count).map(|index| format!("a{index}=1")).collect();
        format!("f({})", args.join(","))
    };
    assert!(parse_script("s", &args(ARGS_MAX)).is_ok());
    assert!(problems(&args(ARGS_MAX + 1)).contains("at most 256 arguments"));
    assert!(parse_script("s", &format!("{}return 1", "f()\n".repeat(STEPS_MAX))).is_ok());
    assert!(problems(&"f()\n".repeat(STEPS_MAX + 1)).contains("at most 10000 calls"));
    let long = format!("f(x='{}')", "a".repeat(TEXT_BYTES_MAX));
    assert!(
        Plan::read("s.chain", &long)
            .unwrap_err()
            .to_string()
            .contains("at most 4194304 bytes")
    );
}

/// What the check finds stands where the script has it.
#[test]
fn problems_of_the_plan_point_at_the_lines_of_the_script() {
    let text = "# comment\nfirst = nothing(\n  x=1)\nsecond = nothing(\n  data=first.v)\nreturn {\n  \"a\": first}";
    let document = parse_script("s.chain", text).unwrap();
    for (pointer, place) in [
        ("/steps/0", (2, 1)),
        ("/steps/0/id", (2, 1)),
        ("/steps/0/tool", (2, 9)),
        ("/steps/0/args/x", (3, 3)),
        ("/steps/1/args/data", (5, 3)),
        ("/steps/1/args/data/$ref", (5, 3)),
        ("/outputs/a", (7, 3)),
    ] {
        assert_eq!(document.locate(pointer), place, "{pointer}");
    }
}

proptest! {
    #[test]
    fn no_text_is_a_panic_and_every_problem_has_a_place(text in "[a-c=(),.\\[\\]{}:*0-9 \n'\"#\\\\é]{0,60}") {
        match parse_script("s.chain", &text) {
            Ok(document) => prop_assert!(document.value.get("steps").is_some()),
            Err(errors) => {
                let lines = text.matches('\n').count() + 1;
                for error in errors.list() {
                    let place = error.place.as_ref().unwrap();
                    prop_assert!(place.line as usize <= lines && place.column >= 1);
                    prop_assert!(error.hint.is_some());
                }
            }
        }
    }

    /// Whatever order names come in, ids are ids and unique, and each reference names an earlier step.
    #[test]
    fn every_script_of_calls_is_a_plan(lines in prop::collection::vec((0..4usize, 0..6usize, 0..4usize), 1..40)) {
        const NAMES: [&str; 4] = ["a", "a_2", "A", "item"];
        let mut known: Vec<&str> = Vec::new();
        let mut text = String::new();
        for (target, tool, used) in lines {
            let used = known.get(used).map(|name| format!("x={name}.v")).unwrap_or_default();
            if tool < 3 {
                text.push_str(&format!("{} = t{tool}({used})\n", NAMES[target]));
                if !known.contains(&NAMES[target]) {
                    known.push(NAMES[target]);
                }
            } else {
                text.push_str(&format!("t{tool}({used})\n"));
            }
        }
        let plan = Plan::read("s.chain", &text).unwrap();
        prop_assert!(plan.faults.is_empty(), "{}\n{}", plan.faults, text);
        for (position, step) in plan.steps.iter().enumerate() {
            for placed in step.args.references() {
                let root = placed.reference.root();
                assert!(plan.steps[..position].iter().any(|earlier| *earlier.id == *root), "{text}");
            }
        }
    }
}

#[test]
fn a_long_script_without_return_is_told_to_end_with_one() {
    let text: String = (0..=crate::plan::NAMES_MAX)
        .map(|number| format!("a{number} = f()\n"))
        .collect();
    let found = problems(&text);
    assert!(found.contains("at most 1000; found 1001"), "{found}");
    assert!(found.contains("end it with what it answers"), "{found}");
    assert!(Plan::read("s.chain", &format!("{text}return a0")).is_ok());
}
