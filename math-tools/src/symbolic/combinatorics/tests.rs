//! Counts and lists as calls.

use super::*;
use crate::testing::{assert_refused, run};

fn answer(args: &str) -> Output {
    run::<Args>(args).unwrap_or_else(|err| panic!("{args}: {err:?}"))
}

fn written(args: &str) -> String {
    let found = answer(args);
    let texts: Vec<String> = found.arrangements.iter().map(ToString::to_string).collect();
    texts.join(" ")
}

#[test]
fn counts_are_those_of_tables() {
    // OEIS, or a handbook's tables.
    for (args, text) in [
        (r#"{"count": "permutations", "n": 5}"#, "120"),
        (r#"{"count": "factorial", "n": 20}"#, "2432902008176640000"),
        (r#"{"count": "permutations", "n": 5, "k": 2}"#, "20"),
        (
            r#"{"count": "permutations", "n": 2, "k": 10, "repetition": true}"#,
            "1024",
        ),
        (
            r#"{"count": "combinations", "n": 5, "k": 3, "repetition": true}"#,
            "35",
        ),
        (r#"{"count": "combinations", "n": 3, "k": 5}"#, "0"),
        (
            r#"{"count": "multinomial", "parts": [1, 4, 4, 2]}"#,
            "34650",
        ),
        (r#"{"count": "derangements", "n": 7}"#, "1854"),
        (r#"{"count": "stirling_first", "n": 7, "k": 3}"#, "1624"),
        (r#"{"count": "stirling_second", "n": 7, "k": 3}"#, "301"),
        (r#"{"count": "bell", "n": 10}"#, "115975"),
        (r#"{"count": "catalan", "n": 10}"#, "16796"),
        (r#"{"count": "partitions", "n": 200}"#, "3972999029388"),
        (r#"{"count": "partitions", "n": 10, "k": 3}"#, "8"),
        (r#"{"count": "compositions", "n": 10, "k": 3}"#, "36"),
        (r#"{"count": "compositions", "n": 10}"#, "512"),
        (r#"{"count": "eulerian", "n": 5, "k": 2}"#, "66"),
        (
            r#"{"count": "fibonacci", "n": 100}"#,
            "354224848179261915075",
        ),
        (r#"{"count": "lucas", "n": 10}"#, "123"),
        (r#"{"count": "bernoulli", "n": 20}"#, "-174611/330"),
        (r#"{"count": "bernoulli", "n": 3}"#, "0"),
        (r#"{"count": "euler", "n": 8}"#, "1385"),
    ] {
        let found = answer(args);
        assert_eq!(found.text, text, "{args}");
        assert!(
            !found.verified.is_empty() && found.summary.ends_with('.'),
            "{args}"
        );
    }
}

#[test]
fn lists_are_in_order_and_whole() {
    for (args, expected) in [
        (
            r#"{"list": "permutations", "items": ["a", "b", "a"]}"#,
            r#"["a","a","b"] ["a","b","a"] ["b","a","a"]"#,
        ),
        (
            r#"{"list": "combinations", "items": [1, 2, 3], "k": 2}"#,
            "[1,2] [1,3] [2,3]",
        ),
        (
            r#"{"list": "combinations", "items": [1, 2], "k": 2, "repetition": true}"#,
            "[1,1] [1,2] [2,2]",
        ),
        (
            r#"{"list": "subsets", "items": [1, 2]}"#,
            "[] [1] [2] [1,2]",
        ),
        (
            r#"{"list": "product", "sets": [[1, 2], ["x"]]}"#,
            r#"[1,"x"] [2,"x"]"#,
        ),
        (
            r#"{"list": "partitions", "n": 5, "distinct": true}"#,
            "[5] [4,1] [3,2]",
        ),
        (
            r#"{"list": "compositions", "n": 3}"#,
            "[1,1,1] [1,2] [2,1] [3]",
        ),
        (
            r#"{"list": "set_partitions", "items": ["a", "b", "c"], "k": 2}"#,
            r#"[["a","b"],["c"]] [["a","c"],["b"]] [["a"],["b","c"]]"#,
        ),
        (
            r#"{"list": "permutations", "items": [1, 2, 3], "condition": "x[0] > x[2]"}"#,
            "[2,3,1] [3,1,2] [3,2,1]",
        ),
        (
            r#"{"list": "subsets", "items": [3, 5, 8], "condition": "total == 8"}"#,
            "[8] [3,5]",
        ),
        (r#"{"list": "combinations", "items": [], "k": 1}"#, ""),
    ] {
        assert_eq!(written(args), expected, "{args}");
    }
}

#[test]
fn counts_are_exact_beyond_the_limit() {
    let found = answer(
        r#"{"list": "permutations", "items": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15], "limit": 2}"#,
    );
    assert_eq!(
        (found.text.as_str(), found.arrangements.len(), found.is_cut),
        ("1307674368000", 2, true)
    );
    let found = answer(
        r#"{"list": "product", "sets": [[0, 1], [0, 1], [0, 1], [0, 1]], "condition": "total >= 2", "limit": 1}"#,
    );
    assert_eq!(
        (found.text.as_str(), found.arrangements.len(), found.is_cut),
        ("11", 1, true)
    );
    assert_eq!(found.numbers[0].value, 16.into());
}

#[test]
fn what_does_not_belong_together_is_refused() {
    assert_refused::<Args>(&[
        ("{}", "", "`count` or `list`"),
        (
            r#"{"count": "bell", "list": "subsets"}"#,
            "/list",
            "exclude",
        ),
        (r#"{"count": "bell"}"#, "/n", "expected an integer"),
        (r#"{"count": "bell", "n": 5, "k": 2}"#, "/k", "takes no k"),
        (
            r#"{"count": "combinations", "n": 5}"#,
            "/k",
            "second integer",
        ),
        (r#"{"count": "bell", "n": 100000}"#, "/n", "at most 2000"),
        (
            r#"{"count": "bell", "n": 5, "items": []}"#,
            "/items",
            "no effect",
        ),
        (r#"{"count": "multinomial"}"#, "/parts", "1 to 1000"),
        (r#"{"list": "subsets"}"#, "/items", "for this list"),
        (
            r#"{"list": "subsets", "items": [1], "n": 3}"#,
            "/n",
            "no effect",
        ),
        (
            r#"{"list": "combinations", "items": [1, 2]}"#,
            "/k",
            "how many",
        ),
        (
            r#"{"list": "permutations", "items": [1], "repetition": true}"#,
            "/k",
            "repetition",
        ),
        (
            r#"{"list": "set_partitions", "items": [1, 1]}"#,
            "/items",
            "all different",
        ),
        (
            r#"{"list": "subsets", "items": [[1]]}"#,
            "/items",
            "numbers or short texts",
        ),
        (
            r#"{"list": "subsets", "items": [1], "condition": "y"}"#,
            "/condition",
            "y",
        ),
        (
            r#"{"list": "partitions", "n": 1000}"#,
            "/list",
            "at most 200",
        ),
        (
            r#"{"list": "product", "sets": [[1,2,3,4,5,6,7,8,9,10],[1,2,3,4,5,6,7,8,9,10],[1,2,3,4,5,6,7,8,9,10],[1,2,3,4,5,6,7,8,9,10],[1,2,3,4,5,6,7,8,9,10],[1,2,3,4,5,6,7,8,9,10],[1,2,3,4,5,6,7,8,9,10],[1,2,3,4,5,6,7,8,9,10]], "condition": "total == 8"}"#,
            "/condition",
            "at most 20000000",
        ),
    ]);
    let error =
        run::<Args>(r#"{"list": "product", "sets": [[0, 1], [1]], "condition": "1 / x[0] > 0"}"#)
            .unwrap_err();
    assert_eq!(
        (error.code(), error.path()),
        (ErrorCode::Numeric, Some("/condition"))
    );
}
