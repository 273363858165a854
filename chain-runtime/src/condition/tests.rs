use super::*;
use proptest::prelude::*;

fn holds(text: &str) -> Result<bool, ToolError> {
    let root = json::parse_json(
        r#"{"r2":0.93,"n":12,"rows":[1,2,3],"name":"fit","ok":true,"gone":null,"big":9007199254740991}"#,
        json::JsonLimits::default(),
    )
    .unwrap();
    let condition = StepCondition::parse(text, "/steps/0/when").unwrap();
    condition.holds(&mut |placed| Ok(placed.reference.resolve(&root).ok()))
}

#[test]
fn conditions_hold_or_not() {
    let cases = [
        ("f.r2 > 0.9 && len(f.rows) >= 3", true),
        ("f.r2 > 0.9 && len(f.rows) > 3", false),
        ("f.r2 < 0.9 || f.ok", true),
        ("!f.ok", false),
        ("!(f.n == 12)", false),
        ("!!f.ok", true),
        ("f.name == 'fit'", true),
        ("f.name < \"fix\"", true),
        ("len(f.name) == 3", true),
        ("f.gone == null && f.absent == null", true),
        ("defined(f.gone) || defined(f.absent)", false),
        ("defined(f.absent) && f.absent > 3", false),
        ("f.n == 12.0", true),
        ("-1e3 < f.n", true),
        ("f.rows[0] == 1 && f.rows[2] != 1", true),
        ("f.big == 9007199254740991", true),
        ("f.big > 9007199254740990", true),
        ("f.name == 3", false),
        ("(f.ok == true) == true", true),
    ];
    for (text, expected) in cases {
        assert_eq!(holds(text).unwrap(), expected, "{text}");
    }
}

#[test]
fn what_has_no_order_is_an_error() {
    for (text, message) in [
        ("f.absent > 3", "have no order"),
        ("f.name > 3", "have no order"),
        ("f.n", "expected true or false"),
        ("len(f.n) > 1", "has no length"),
    ] {
        let err = holds(text).unwrap_err();
        assert!(err.message().contains(message), "{text}: {err}");
    }
}

#[test]
fn malformed_texts_name_the_position() {
    for (text, message) in [
        ("", "position 0, found the end"),
        ("a >", "position 3, found the end"),
        ("a = 3", "expected the end at position 2"),
        ("a && ", "position 5"),
        ("(a", "expected `)` at position 2"),
        ("a.b()", "expected the end at position 3"),
        ("'x", "does not end"),
        ("1.2.3 > a", "not a number"),
        ("a; b", "expected the end at position 1"),
        ("$a > 1", "position 0"),
        ("a + 1 > 2", "expected the end at position 2"),
    ] {
        let found = StepCondition::parse(text, "").unwrap_err();
        assert!(found.contains(message), "{text}: {found}");
    }
    let deep = format!(
        "{}a{}",
        "(".repeat(DEPTH_MAX + 1),
        ")".repeat(DEPTH_MAX + 1)
    );
    assert!(
        StepCondition::parse(&deep, "")
            .unwrap_err()
            .contains("deep")
    );
    assert!(StepCondition::parse(&"!".repeat(4000), "").is_err());
    assert!(StepCondition::parse(&"a".repeat(5000), "").is_err());
}

/// What never holds, or nothing; `n` of a step is a whole number.
fn never(text: &str) -> Option<String> {
    let condition = StepCondition::parse(text, "").unwrap();
    let parts: Vec<&ConditionExpression> = condition.conjuncts().iter().collect();
    let whole = |expr: &ConditionExpression| {
        matches!(expr, ConditionExpression::Length(_)) || expr.to_string().ends_with(".n")
    };
    find_contradiction(&parts, &whole).map(|parts| parts.join(" | "))
}

#[test]
fn contradictions_are_seen() {
    let cases = [
        ("a.x < 1 && a.x > 2", Some("a.x < 1 | a.x > 2")),
        ("a.x < 1 && a.x > 0", None),
        ("a.x < 1 && a.x >= 1", Some("a.x < 1 | a.x >= 1")),
        ("a.x <= 1 && a.x >= 1", None),
        (
            "a.x <= 1 && a.x >= 1 && a.x != 1",
            Some("a.x <= 1 | a.x >= 1 | a.x != 1"),
        ),
        ("a.x == 1 && a.x == 2", Some("a.x == 1 | a.x == 2")),
        (
            "a.x == 'p' && b.y > 1 && a.x == 'q'",
            Some("a.x == \"p\" | a.x == \"q\""),
        ),
        ("a.x == 1 && a.x != 1", Some("a.x == 1 | a.x != 1")),
        ("a.x != 1 && a.x != 2", None),
        ("a.ok && !a.ok", Some("a.ok | !a.ok")),
        ("a.ok && a.ok == false", Some("a.ok | a.ok == false")),
        ("a.ok != true && a.ok != false", None),
        ("1 > a.x && 2 < a.x", Some("1 > a.x | 2 < a.x")),
        (
            "len(a) == 0 && len(a) > 1",
            Some("len(a) == 0 | len(a) > 1"),
        ),
        ("len(a) < 0", Some("len(a) < 0")),
        ("a.x < 1 && b.x > 2", None),
        ("!(a.x > 1) && a.x > 3", Some("!(a.x > 1) | a.x > 3")),
        ("false", Some("false")),
        ("true && a.x && false", Some("false")),
        ("a.x > a.y && a.x < a.y", Some("a.x > a.y | a.x < a.y")),
        (
            "a.x > a.y && a.y > a.z && a.z > a.x",
            Some("a.x > a.y | a.y > a.z | a.z > a.x"),
        ),
        ("a.x >= a.y && a.x <= a.y", None),
        (
            "a.x >= a.y && a.y >= a.x && a.x != a.y",
            Some("a.x >= a.y | a.y >= a.x | a.x != a.y"),
        ),
        ("a.x != a.x", Some("a.x != a.x")),
        ("a.x < a.x", Some("a.x < a.x")),
        (
            "(a.x == 1 || a.x == 2) && a.x > 5",
            Some("a.x == 1 || a.x == 2 | a.x > 5"),
        ),
        ("(a.x == 1 || a.x == 6) && a.x > 5", None),
        (
            "!(a.x == 1 && a.y) && a.x == 1 && a.y",
            Some("!(a.x == 1 && a.y) | a.x == 1 | a.y"),
        ),
        ("a.n > 3 && a.n < 4", Some("a.n > 3 | a.n < 4")),
        ("a.x > 3 && a.x < 4", None),
        ("a.n == 2.5", Some("a.n == 2.5")),
        ("a.x == null && a.x > 1", Some("a.x == null | a.x > 1")),
        ("a.x == 'p' && a.x > 1", Some("a.x == \"p\" | a.x > 1")),
        (
            "defined(a.x) && !defined(a.x)",
            Some("defined(a.x) | !defined(a.x)"),
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(never(text).as_deref(), expected, "{text}");
    }
}

/// Conditions of comparisons of a few terms with each other and with a few values.
fn conditions() -> impl Strategy<Value = String> {
    let term = prop::sample::select(vec!["a.x", "a.y", "a.n", "len(a.l)"]);
    let side = prop::sample::select(vec![
        "a.x", "a.y", "a.n", "0", "1", "1.5", "2", "'p'", "null", "true",
    ]);
    let op = prop::sample::select(vec!["==", "!=", "<", "<=", ">", ">="]);
    let compared = (term, op, side).prop_map(|(a, op, b)| format!("{a} {op} {b}"));
    let plain = prop::sample::select(vec!["a.x", "defined(a.y)", "true", "false"]);
    let leaf = prop_oneof![6 => compared, 1 => plain.prop_map(str::to_owned)];
    leaf.prop_recursive(3, 8, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 2..4)
                .prop_map(|parts| format!("({})", parts.join(" && "))),
            prop::collection::vec(inner.clone(), 2..3)
                .prop_map(|parts| format!("({})", parts.join(" || "))),
            inner.prop_map(|inner| format!("!({inner})")),
        ]
    })
}

/// Whether any of a few values makes it hold.
fn can_hold(text: &str) -> bool {
    let condition = StepCondition::parse(text, "").unwrap();
    let read = |text: &str| json::parse_json(text, json::JsonLimits::default()).unwrap();
    let any = [
        "null", "true", "false", "0", "0.5", "1", "1.5", "1.7", "2", "3", "-1", "\"p\"", "\"q\"",
        "\"a\"",
    ]
    .map(read);
    let whole = ["null", "-1", "0", "1", "2", "3"].map(read);
    let lists = ["[]", "[1]", "[1,1]", "[1,1,1]"].map(read);
    any.iter().any(|x| {
        any.iter().any(|y| {
            whole.iter().any(|n| {
                lists.iter().any(|l| {
                    let root = Value::object(
                        [("x", x), ("y", y), ("n", n), ("l", l)]
                            .map(|(key, value)| (key, value.clone())),
                    );
                    let found =
                        condition.holds(&mut |placed| Ok(placed.reference.resolve(&root).ok()));
                    matches!(found, Ok(true))
                })
            })
        })
    })
}

/// The check of contradictions finds some of these, or it would prove nothing.
#[test]
fn the_few_values_tell_contradictions() {
    assert!(can_hold("a.x > a.y && a.n < 2"));
    assert!(!can_hold("a.n > 1 && a.n < 2"));
    assert!(never("a.n > 1 && a.n < 2").is_some());
}

proptest! {
    #[test]
    fn never_panics_and_prints_what_it_read(text in "[ab.()!&|<>=\\[\\]*0-9 '\"]{0,24}") {
        if let Ok(condition) = StepCondition::parse(&text, "") {
            let printed = condition.to_string();
            let again = StepCondition::parse(&printed, "");
            prop_assert!(again.is_ok(), "{} -> {}", text, printed);
            prop_assert_eq!(again.unwrap().to_string(), printed);
        }
    }

    /// What is called a contradiction never holds.
    #[test]
    fn no_false_alarm(text in conditions()) {
        if never(&text).is_some() {
            prop_assert!(!can_hold(&text), "{}", text);
        }
    }
}
