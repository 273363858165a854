//! Questions about integers as calls.

use tool_core::{CallBudget, Ctx, StopFlag, convert};

use super::*;
use crate::testing::{assert_refused, run, run_in, run_warned};

fn answer(args: &str) -> Output {
    run::<Args>(args).unwrap_or_else(|err| panic!("{args}: {err:?}"))
}

#[test]
fn a_long_prime_is_one_with_its_proof() {
    let found = answer(r#"{"factor": "1000000000000000000000007"}"#);
    assert_eq!(found.text, "1000000000000000000000007");
    assert_eq!(found.summary, "1000000000000000000000007 is prime.");
    let found = answer(r#"{"is_prime": "2^521 - 1"}"#);
    assert!(
        found.holds == Some(true) && !found.certificate.is_empty(),
        "{found:?}"
    );
    assert_eq!(found.verified, ["every condition of the certificate holds"]);
}

#[test]
fn what_the_work_does_not_suffice_for_is_a_composite_cofactor() {
    let call = r#"{"factor": "12 * (10^24 + 7) * (3*10^24 + 7)", "effort": 1}"#;
    let (found, warnings) = run_warned::<Args>(call).unwrap();
    assert_eq!(found.holds, Some(false));
    let last = found.factors.last().unwrap();
    assert_eq!((last.kind.as_str(), last.digits), ("composite", 49));
    assert_eq!(found.numbers[0].name, "cofactor");
    assert!(warnings.contains("effort"), "{warnings}");
}

#[test]
fn integers_of_any_length_come_and_return_exactly() {
    let found = answer(r#"{"mod_pow": [9007199254740993, "10^30"], "modulus": "2^61-1"}"#);
    // Python: pow(9007199254740993, 10**30, 2**61-1)
    assert_eq!(found.text, "1967200256673255507");
    let value = convert::to_value(&found).unwrap();
    assert!(value.get("value").is_some());
}

#[test]
fn every_question_has_an_answer_that_was_checked() {
    for (args, text) in [
        (r#"{"factor": -12}"#, "-1 * 2^2 * 3"),
        (r#"{"factor": 1}"#, "1"),
        (r#"{"is_prime": 561}"#, "not prime"),
        (r#"{"next_prime": 100}"#, "101"),
        (r#"{"previous_prime": 2}"#, "none"),
        (r#"{"primes": [10, 30]}"#, "6"),
        (r#"{"mod_inverse": 6, "modulus": 9}"#, "none"),
        (r#"{"mod_sqrt": 10, "modulus": 13}"#, "6 and 7"),
        (r#"{"mod_sqrt": 2, "modulus": 3}"#, "none"),
        (r#"{"crt": [1, 0], "moduli": [6, 4]}"#, "none"),
        (r#"{"totient": 36}"#, "12"),
        (r#"{"divisors": 28}"#, "6"),
        (r#"{"order": 2, "modulus": 7}"#, "3"),
        (r#"{"order": 2, "modulus": 4}"#, "none"),
        (r#"{"primitive_root": 41}"#, "6"),
        (r#"{"primitive_root": 8}"#, "none"),
        (r#"{"discrete_log": [3, 13], "modulus": 17}"#, "4"),
        (r#"{"discrete_log": [4, 3], "modulus": 7}"#, "none"),
        (r#"{"jacobi": [1001, 9907]}"#, "-1"),
        (r#"{"continued_fraction": "415/93"}"#, "[4; 2, 6, 7]"),
        (
            r#"{"continued_fraction": "3.14159", "terms": 4}"#,
            "[3; 7, 15, 1, ...]",
        ),
        (r#"{"continued_fraction": "sqrt(9)"}"#, "[3]"),
        (r#"{"continued_fraction": "-0.5"}"#, "[-1; 2]"),
        (
            r#"{"diophantine": [12, -21, 15]}"#,
            "x = 3 + 7 t, y = 1 + 4 t",
        ),
        (r#"{"diophantine": [4, 6, 5]}"#, "none"),
        (r#"{"pell": 61}"#, "x = 1766319049, y = 226153980"),
        (r#"{"pell": 5, "right": -1}"#, "x = 2, y = 1"),
        (r#"{"pell": 3, "right": -1}"#, "none"),
        (r#"{"root": 1000, "degree": 3}"#, "10"),
        (r#"{"perfect_power": 64}"#, "2^6"),
        (r#"{"digits": 255, "base": 16}"#, "ff"),
        (r#"{"squares": 50}"#, "5^2 + 5^2"),
        (r#"{"squares": 7}"#, "1^2 + 1^2 + 1^2 + 2^2"),
    ] {
        let found = answer(args);
        assert!(found.text.starts_with(text), "{args}: {}", found.text);
        assert!(found.summary.ends_with('.'), "{args}");
    }
}

#[test]
fn what_is_not_one_question_is_refused() {
    assert_refused::<Args>(&[
        ("{}", "", "one question"),
        (r#"{"factor": 6, "totient": 6}"#, "/totient", "one question"),
        (r#"{"factor": 0}"#, "/factor", "no prime factors"),
        (r#"{"factor": 1.5}"#, "/factor", "an integer"),
        (r#"{"factor": "7/2"}"#, "/factor", "no integer"),
        (r#"{"factor": "9^9^9"}"#, "/factor", "bits"),
        (r#"{"factor": 6, "modulus": 5}"#, "/modulus", "belongs to"),
        (r#"{"mod_inverse": 3}"#, "/modulus", "at least 1"),
        (
            r#"{"mod_inverse": 3, "modulus": 0}"#,
            "/modulus",
            "at least 1",
        ),
        (
            r#"{"mod_pow": [3], "modulus": 7}"#,
            "/mod_pow",
            "2 integers",
        ),
        (r#"{"gcd": [3]}"#, "/gcd", "2 to"),
        (r#"{"crt": [3], "moduli": []}"#, "/moduli", "one modulus"),
        (r#"{"crt": [3], "moduli": [0]}"#, "/moduli/0", "at least 1"),
        (r#"{"jacobi": [3, 8]}"#, "/jacobi/1", "odd"),
        (r#"{"pell": 9}"#, "/pell", "no square"),
        (r#"{"pell": 7, "right": 0}"#, "/right", "1 or -1"),
        (
            r#"{"diophantine": [0, 0, 1]}"#,
            "/diophantine",
            "not both 0",
        ),
        (r#"{"root": -4}"#, "/root", "even degree"),
        (r#"{"mod_sqrt": 2, "modulus": 15}"#, "/modulus", "a prime"),
        (r#"{"primes": [0, 10000000]}"#, "/primes", "apart"),
        (
            r#"{"continued_fraction": "pi"}"#,
            "/continued_fraction",
            "expected",
        ),
        (
            r#"{"continued_fraction": "1/0"}"#,
            "/continued_fraction",
            "denominator",
        ),
    ]);
}

#[test]
fn a_search_that_ends_early_says_what_to_do() {
    let call = r#"{"totient": "(10^24 + 7) * (3*10^24 + 7)", "effort": 1}"#;
    let error = run::<Args>(call).unwrap_err();
    assert_eq!(
        (error.code(), error.path()),
        (ErrorCode::LimitExceeded, Some("/totient"))
    );
    let stop = StopFlag::default();
    stop.cancel();
    let ctx = Ctx::new(stop, CallBudget::default());
    let error = run_in::<Args>(r#"{"factor": "2^101-1"}"#, &ctx).unwrap_err();
    assert_eq!(error.code(), ErrorCode::Cancelled);
}
