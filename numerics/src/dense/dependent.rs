//! A proof that a square matrix is exactly singular: its determinant is 0 modulo so many primes that it is 0.
//!
//! Every double is an integer times a power of two, and scaling a row leaves the rank as it is.

/// Matrices of more rows are not examined.
const SIZE_MAX: usize = 100;

/// Multiplications of one proof.
const WORK_MAX: f64 = 1e8;

/// Leading bits that every prime below 2^61 taken here has at least.
const PRIME_BITS: f64 = 60.0;

/// The column that depends on the columns before it, where the entries taken as they are make the n x n matrix singular.
///
/// `None` also for more than 100 rows, and where the proof would take too long. A matrix that is not singular costs n^3 / 3
/// multiplications.
///
/// # References
/// J. von zur Gathen, J. Gerhard, "Modern Computer Algebra", 3rd ed., Cambridge 2013, section 5.5.
pub fn dependent_column(a: &[f64], n: usize) -> Option<usize> {
    if n > SIZE_MAX || a.iter().any(|value| !value.is_finite()) {
        return None;
    }
    let rows: Vec<IntegerRow> = a.chunks_exact(n).map(IntegerRow::of).collect();
    // Hadamard's bound of the determinant, in bits.
    let bits: f64 = rows.iter().map(|row| row.bits.max(0.0)).sum();
    let bits = bits + 0.5 * n as f64 * (n as f64).log2() + 1.0;
    let primes = (bits / PRIME_BITS).floor() + 1.0;
    let affordable = primes * (n as f64).powi(3) / 3.0 <= WORK_MAX;
    let mut candidate = (1_u64 << 61) - 1;
    let mut column = 0;
    for step in 0..primes as usize {
        while !is_prime(candidate) {
            candidate -= 2;
        }
        let field = PrimeField::new(candidate);
        candidate -= 2;
        // Modulo a prime, fewer columns are independent; what is independent there is so.
        column = column.max(field.dependent(&rows, n)?);
        if step == 0 && !affordable {
            return None;
        }
    }
    Some(column)
}

/// A row as integers `mantissa * 2^shift`, with the bits of the largest.
struct IntegerRow {
    entries: Vec<(i64, u32)>,
    bits: f64,
}

impl IntegerRow {
    fn of(row: &[f64]) -> Self {
        let parts: Vec<(i64, i32)> = row.iter().map(|&value| odd_mantissa(value)).collect();
        let present = || parts.iter().filter(|part| part.0 != 0);
        let least = present().map(|part| part.1).min().unwrap_or(0);
        let bits = present().map(|&(mantissa, exponent)| {
            (64 - mantissa.unsigned_abs().leading_zeros()) as i32 + exponent - least
        });
        Self {
            bits: f64::from(bits.max().unwrap_or(0)),
            entries: parts
                .iter()
                .map(|&(mantissa, exponent)| (mantissa, (exponent - least).max(0) as u32))
                .collect(),
        }
    }
}

/// A double as an odd integer, or 0, times a power of two.
fn odd_mantissa(value: f64) -> (i64, i32) {
    if value == 0.0 {
        return (0, 0);
    }
    let bits = value.to_bits();
    let field = (bits >> 52 & 0x7ff) as i32;
    let fraction = (bits & ((1 << 52) - 1)) as i64;
    let (mantissa, exponent) = match field {
        0 => (fraction, -1074),
        _ => (fraction | 1 << 52, field - 1075),
    };
    let zeros = mantissa.trailing_zeros();
    let mantissa = mantissa >> zeros;
    let signed = if value < 0.0 { -mantissa } else { mantissa };
    (signed, exponent + zeros as i32)
}

/// Integers modulo an odd prime below 2^62, as multiples of 2^64.
///
/// # References
/// P. L. Montgomery, "Modular multiplication without trial division", Math. Comp. 44, 1985.
struct PrimeField {
    prime: u64,
    /// `-1 / prime` modulo 2^64.
    inverse: u64,
    /// `2^128` modulo the prime.
    square: u64,
}

impl PrimeField {
    fn new(prime: u64) -> Self {
        let mut inverse = 1_u64;
        for _ in 0..6 {
            inverse = inverse.wrapping_mul(2_u64.wrapping_sub(prime.wrapping_mul(inverse)));
        }
        let wide = u128::from(prime);
        Self {
            prime,
            inverse: inverse.wrapping_neg(),
            square: ((u128::MAX % wide + 1) % wide) as u64,
        }
    }

    fn times(&self, a: u64, b: u64) -> u64 {
        let product = u128::from(a) * u128::from(b);
        let factor = (product as u64).wrapping_mul(self.inverse);
        let sum = product + u128::from(factor) * u128::from(self.prime);
        let reduced = (sum >> 64) as u64;
        reduced.checked_sub(self.prime).unwrap_or(reduced)
    }

    fn minus(&self, a: u64, b: u64) -> u64 {
        a.checked_sub(b).unwrap_or_else(|| a + (self.prime - b))
    }

    fn power(&self, base: u64, mut exponent: u64) -> u64 {
        let mut base = base;
        let mut value = self.times(1, self.square);
        while exponent > 0 {
            if exponent & 1 == 1 {
                value = self.times(value, base);
            }
            base = self.times(base, base);
            exponent >>= 1;
        }
        value
    }

    fn of(&self, (mantissa, shift): (i64, u32)) -> u64 {
        let size = self.times(mantissa.unsigned_abs() % self.prime, self.square);
        let size = match shift {
            0 => size,
            _ => self.times(
                size,
                self.power(self.times(2, self.square), u64::from(shift)),
            ),
        };
        if mantissa < 0 {
            self.minus(0, size)
        } else {
            size
        }
    }

    /// The first column without a pivot.
    fn dependent(&self, rows: &[IntegerRow], n: usize) -> Option<usize> {
        let entries = rows.iter().flat_map(|row| &row.entries);
        let mut a: Vec<u64> = entries.map(|&entry| self.of(entry)).collect();
        for step in 0..n {
            let Some(pivot) = (step..n).find(|&row| a[row * n + step] != 0) else {
                return Some(step);
            };
            if pivot != step {
                for column in step..n {
                    a.swap(pivot * n + column, step * n + column);
                }
            }
            let inverse = self.power(a[step * n + step], self.prime - 2);
            let (head, tail) = a.split_at_mut((step + 1) * n);
            let top = &head[step * n..];
            for row in tail.chunks_exact_mut(n).filter(|row| row[step] != 0) {
                let factor = self.times(row[step], inverse);
                for column in step + 1..n {
                    row[column] = self.minus(row[column], self.times(factor, top[column]));
                }
            }
        }
        None
    }
}

/// Whether an odd number above 40 and below 2^62 is prime.
///
/// # References
/// J. Sorenson, J. Webster, "Strong pseudoprimes to twelve prime bases", Math. Comp. 86, 2017.
fn is_prime(number: u64) -> bool {
    const BASES: [u64; 12] = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37];
    if BASES.iter().any(|base| number.is_multiple_of(*base)) {
        return false;
    }
    let field = PrimeField::new(number);
    let one = field.times(1, field.square);
    let minus_one = field.minus(0, one);
    let twos = (number - 1).trailing_zeros();
    BASES.iter().all(|&base| {
        let base = field.times(base, field.square);
        let mut value = field.power(base, (number - 1) >> twos);
        if value == one || value == minus_one {
            return true;
        }
        for _ in 1..twos {
            value = field.times(value, value);
            if value == minus_one {
                return true;
            }
        }
        false
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn counted_matrices_are_singular_and_their_neighbours_are_not() {
        for n in 3..12 {
            let mut a: Vec<f64> = (0..n * n).map(|index| (index + 1) as f64).collect();
            assert_eq!(dependent_column(&a, n), Some(2), "{n}");
            a[0] += 1.0;
            assert_eq!(dependent_column(&a, n).is_none(), n == 3, "{n}");
        }
        assert_eq!(dependent_column(&[0.1, 0.2, 0.2, 0.4], 2), Some(1));
        assert_eq!(dependent_column(&[0.1, 0.3, 0.3, 0.9], 2), None); // 3 fl(0.1) is not fl(0.3)
        assert_eq!(dependent_column(&[1e300, 1e-300, 1.0, 0.0], 2), None);
        assert_eq!(dependent_column(&[0.0; 9], 3), Some(0));
    }

    #[test]
    fn primes_are_told() {
        let known = [41, 97, 7919, (1 << 61) - 1];
        assert!(known.into_iter().all(is_prime));
        let composite = [41 * 43, 3_215_031_751, (1 << 61) - 3];
        assert!(!composite.into_iter().any(is_prime));
    }

    proptest! {
        /// A last column that is a combination of the others, with whole numbers of any size.
        #[test]
        fn combinations_are_found(
            n in 2_usize..9,
            entries in prop::collection::vec(-1_000_000_i64..1_000_000, 81),
            weights in prop::collection::vec(-1000_i64..1000, 9),
            exponent in -300_i32..300,
        ) {
            let mut a: Vec<f64> = entries[..n * n].iter().map(|&entry| entry as f64).collect();
            for row in 0..n {
                let sum: f64 = (0..n - 1).map(|column| a[row * n + column] * weights[column] as f64).sum();
                a[row * n + n - 1] = sum;
            }
            a.iter_mut().for_each(|entry| *entry *= 2_f64.powi(exponent));
            prop_assert!(dependent_column(&a, n).is_some());
        }
    }
}
