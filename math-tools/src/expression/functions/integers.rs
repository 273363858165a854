//! Functions of whole numbers.

use numerics::special;

use super::super::fault::EvaluationFault;
use super::definition::{BinaryDefinition, FunctionFamily};

pub(super) static FAMILY: FunctionFamily = FunctionFamily {
    unary: &[],
    binary: &[&GCD, &LCM],
    ternary: &[],
};

/// Greatest common divisor of whole numbers.
static GCD: BinaryDefinition = BinaryDefinition {
    is_smooth: false,
    fault: Some(not_whole),
    ..BinaryDefinition::pointwise("gcd", special::gcd, [None, None])
};

/// Least common multiple of whole numbers.
static LCM: BinaryDefinition = BinaryDefinition {
    is_smooth: false,
    fault: Some(not_whole),
    ..BinaryDefinition::pointwise("lcm", special::lcm, [None, None])
};

fn not_whole(_: [f64; 2], value: f64) -> Option<EvaluationFault> {
    value.is_nan().then_some(EvaluationFault::Whole)
}
