//! Exact integers: factorisation, primality with certificates, modular arithmetic, continued fractions, Diophantine equations.
//!
//! Integers are of any length. What may take long is counted in multiplications of a [`WorkBudget`], so that what was found within a budget
//! is the same on every machine.

mod certificate;
mod ecm;
mod equations;
mod factorise;
mod fractions;
mod modular;
mod montgomery;
mod multiplicative;
mod orders;
mod power;
mod primality;
mod prime_factor;
mod reading;
mod rho;
mod sieve;
mod squares;
#[cfg(test)]
mod tests;
mod work;

pub use certificate::{CertificateMethod, PrimeCertificate, PrimeWitness};
pub use equations::{
    DiophantineLine, PellResult, solve_linear_diophantine, solve_negative_pell, solve_pell,
};
pub use factorise::{FactoringMethod, Factorisation, factorise};
pub use fractions::{
    ContinuedFraction, Convergent, expand_rational, expand_square_root, list_convergents,
};
pub use modular::{
    BezoutResult, CongruenceSolution, combine_congruences, extended_gcd, greatest_common_divisor,
    invert_modulo, jacobi_symbol, modular_power, modular_square_root,
};
pub use multiplicative::{
    carmichael_lambda, divisor_count, divisor_sum, euler_totient, list_divisors, moebius,
};
pub use orders::{discrete_logarithm, multiplicative_order, primitive_root};
pub use power::{PerfectPower, digits_in_base, find_perfect_power, integer_root};
pub use primality::{PrimalityBasis, PrimalityResult, next_prime, previous_prime, test_primality};
pub use prime_factor::PrimeFactor;
pub use reading::{IntegerReadError, read_integer};
pub use sieve::primes_between;
pub use squares::{sum_of_four_squares, sum_of_two_squares};
pub use work::{WorkBudget, WorkEnd};
