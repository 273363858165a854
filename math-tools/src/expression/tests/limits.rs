//! Oversized expressions are refused before the work that they ask for: no clock is needed to see it, since what stands behind the limit
//! is a fault that would be reported if it were read.

use tool_core::{Ctx, ErrorCode, Tool, ToolError};

use crate::expression::calculate::Args;
use crate::expression::fault::EvaluationFault;
use crate::expression::rational::{INTEGER_BITS_MAX, Rational};
use crate::expression::{DEPTH_MAX, LENGTH_MAX, TOKENS_MAX};

/// No token starts with it.
const FAULT: &str = "@";

fn args(expression: &str) -> Args {
    Args {
        expression: expression.into(),
        variables: Default::default(),
        data: None,
        exact: false,
        precision: None,
        complex: false,
    }
}

fn refused(expression: &str) -> ToolError {
    Args::run(args(expression), &Ctx::default()).unwrap_err()
}

#[test]
fn a_million_terms_are_refused_by_their_length_before_the_first_token() {
    let text = format!("{FAULT}1{}", "+1".repeat(999_999));
    let err = refused(&text);
    assert_eq!(err.code(), ErrorCode::InvalidArgs);
    let message = err.message();
    assert!(message.contains(&text.len().to_string()), "{message}");
    assert!(message.contains(&LENGTH_MAX.to_string()), "{message}");
    // The same fault in a short text is found.
    assert!(refused(FAULT).message().contains(FAULT));
}

#[test]
fn ten_thousand_parentheses_are_refused_before_the_token_past_the_limit() {
    let err = refused(&format!("{}{FAULT}", "(".repeat(TOKENS_MAX)));
    let column = format!("column {}", TOKENS_MAX + 1);
    assert!(err.message().contains(&column), "{err:?}");
    assert!(!err.message().contains(FAULT), "{err:?}");
    // With few enough tokens they are refused where the nesting becomes too deep; the unknown name behind is not looked up.
    let deep = format!("{}nowhere{}", "(".repeat(4000), ")".repeat(4000));
    let column = format!("column {}", DEPTH_MAX + 1);
    let err = refused(&deep);
    assert!(err.message().contains(&column), "{err:?}");
    assert!(!err.message().contains("nowhere"), "{err:?}");
}

/// The size of a power is known from the sizes of its operands; its digits, gigabytes here, are not computed.
#[test]
fn a_tower_of_powers_is_refused_by_the_bits_it_would_have() {
    for exact in [false, true] {
        let err = Args::run(
            Args {
                exact,
                ..args("10**10**10")
            },
            &Ctx::default(),
        )
        .unwrap_err();
        assert_eq!(
            (err.code(), err.reason_str()),
            (ErrorCode::LimitExceeded, Some("bits")),
            "{err:?}"
        );
        assert!(err.message().contains(&INTEGER_BITS_MAX.to_string()));
    }
    let ten = Rational::parse("10").unwrap();
    for exponent in ["80000", "4294967295", "10000000000"] {
        let exponent = Rational::parse(exponent).unwrap();
        assert_eq!(ten.pow(&exponent), Err(EvaluationFault::TooLarge));
    }
}
