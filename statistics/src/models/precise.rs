//! The inverse of a Gram matrix in doubled precision, for columns so near to dependence that errors by QR would lose their digits.

use numerics::dense::lstsq::DesignMatrix;
use numerics::exact::CompensatedSum;

/// A number of about 31 digits.
type Precise = CompensatedSum;

fn normalised(sum: Precise) -> Precise {
    let high = sum.high + sum.low;
    Precise {
        high,
        low: (sum.high - high) + sum.low,
    }
}

fn subtract(a: Precise, b: Precise) -> Precise {
    let mut sum = a;
    sum.add(-b.high);
    sum.low -= b.low;
    normalised(sum)
}

fn quotient(a: Precise, b: Precise) -> Precise {
    let first = a.high / b.high;
    let rest = subtract(a, b.times(Precise::new(first)));
    let mut sum = Precise::new(first);
    sum.add(rest.high / b.high);
    normalised(sum)
}

fn square_root(a: Precise) -> Precise {
    let first = a.high.sqrt();
    let rest = subtract(a, Precise::new(first).times(Precise::new(first)));
    let mut sum = Precise::new(first);
    sum.add(rest.high / (2.0 * first));
    normalised(sum)
}

/// `(X'X)^-1`, row by row; `None` where doubled precision does not suffice either. n p^2 / 2 products of about 25 operations.
pub(super) fn precise_gram_inverse(design: &DesignMatrix) -> Option<Vec<f64>> {
    let size = design.columns;
    let mut lower = vec![Precise::default(); size * size];
    for row in 0..size {
        for column in 0..=row {
            let mut rest = inner_product(design, row, column);
            for k in 0..column {
                rest = subtract(rest, lower[row * size + k].times(lower[column * size + k]));
            }
            lower[row * size + column] = match row == column {
                true if rest.high > 0.0 => square_root(rest),
                true => return None,
                false => quotient(rest, lower[column * size + column]),
            };
        }
    }
    // L^-1, column by column.
    let mut inverse = vec![Precise::default(); size * size];
    for column in 0..size {
        for row in column..size {
            let mut rest = Precise::new(f64::from(u8::from(row == column)));
            for k in column..row {
                rest = subtract(
                    rest,
                    lower[row * size + k].times(inverse[k * size + column]),
                );
            }
            inverse[row * size + column] = quotient(rest, lower[row * size + row]);
        }
    }
    let mut out = vec![0.0; size * size];
    for row in 0..size {
        for column in 0..=row {
            let mut sum = Precise::default();
            for k in row..size {
                let product = inverse[k * size + row].times(inverse[k * size + column]);
                sum.add(product.high);
                sum.low += product.low;
            }
            let value = sum.value();
            if !value.is_finite() {
                return None;
            }
            out[row * size + column] = value;
            out[column * size + row] = value;
        }
    }
    Some(out)
}

fn inner_product(design: &DesignMatrix, one: usize, two: usize) -> Precise {
    let mut sum = Precise::default();
    for (a, b) in design.column(one).iter().zip(design.column(two)) {
        sum.add_product(*a, *b);
    }
    if let Some(low) = &design.low {
        let part = |column: usize| &low[column * design.rows..(column + 1) * design.rows];
        let cross =
            |high: &[f64], low: &[f64]| -> f64 { high.iter().zip(low).map(|(a, b)| a * b).sum() };
        sum.low += cross(design.column(one), part(two)) + cross(design.column(two), part(one));
    }
    normalised(sum)
}
