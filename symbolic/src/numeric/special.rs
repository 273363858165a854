//! Special functions of a real argument at many digits, by series with guard bits. They serve checks: arguments beyond a range have no value here.

use astro_float_num::BigFloat;
use num_bigint::BigInt;
use num_rational::BigRational;

use super::bernoulli::bernoulli_numbers;
use super::complex::{BigArithmetic, to_double};

/// Terms that a series may have.
const TERM_LIMIT: i64 = 4_000;

/// Sums terms until they no longer count; the closure gives the next term from its index.
fn sum_series(
    math: &BigArithmetic,
    first: BigFloat,
    mut next: impl FnMut(&BigFloat, i64) -> (BigFloat, BigFloat),
) -> Option<BigFloat> {
    let mut total = first.clone();
    let mut carried = first;
    for n in 1..TERM_LIMIT {
        let (carry, term) = next(&carried, n);
        total = math.fadd(&total, &term);
        carried = carry;
        let is_small = match (term.exponent(), total.exponent()) {
            (Some(term), Some(total)) => i64::from(total) - i64::from(term) > math.bits as i64 + 8,
            _ => true,
        };
        if term.is_zero() || (is_small && n > 4) {
            return Some(total);
        }
    }
    None
}

/// Arithmetic with guard bits against cancellation of terms as large as `exp(size)`.
fn guarded(math: &BigArithmetic, size: f64) -> Option<BigArithmetic> {
    let extra = (size * 3.0) as usize + 32;
    (size < 200.0).then(|| BigArithmetic::new((math.bits + extra).next_multiple_of(64)))?
}

/// The Euler-Mascheroni constant, by R. Brent and E. McMillan (Math. Comp. 34, 1980), algorithm B1.
pub(crate) fn euler_gamma(math: &mut BigArithmetic) -> Option<BigFloat> {
    let mut wide = BigArithmetic::new((math.bits * 2 + 128).next_multiple_of(64))?;
    let n = (math.bits as f64 * 0.1733).ceil() as i64 + 4;
    let square = wide.real(n * n);
    let start = wide.real(n);
    let mut a = wide.fln(&start).neg();
    let mut b = wide.real(1);
    let (mut top, mut bottom) = (a.clone(), b.clone());
    for k in 1..(10 * n) {
        let divisor = wide.real(k);
        b = wide.fdiv(&wide.fmul(&b, &square), &wide.real(k * k));
        let scaled = wide.fdiv(&wide.fmul(&a, &square), &divisor);
        a = wide.fdiv(&wide.fadd(&scaled, &b), &divisor);
        top = wide.fadd(&top, &a);
        bottom = wide.fadd(&bottom, &b);
    }
    Some(wide.fdiv(&top, &bottom))
}

/// The error function, by its Maclaurin series.
pub(crate) fn erf(math: &mut BigArithmetic, x: &BigFloat) -> Option<BigFloat> {
    let size = to_double(x).abs();
    if size > 13.0 {
        // 1 - erf(13) is below 1e-75.
        let one = math.real(if to_double(x) < 0.0 { -1 } else { 1 });
        return Some(one);
    }
    let mut wide = guarded(math, size * size)?;
    let square = wide.fmul(x, x);
    let total = sum_series(&wide, x.clone(), |carried, n| {
        let carry = wide.fdiv(&wide.fmul(carried, &square), &wide.real(-n));
        let term = wide.fdiv(&carry, &wide.real(2 * n + 1));
        (carry, term)
    })?;
    let pi = wide.pi();
    let scale = wide.fsqrt(&pi);
    Some(wide.fdiv(&wide.fmul(&total, &wide.real(2)), &scale))
}

/// The gamma function: Stirling's series beyond 60, the recurrence and the reflection below.
pub(crate) fn gamma(math: &mut BigArithmetic, x: &BigFloat) -> Option<BigFloat> {
    let size = to_double(x);
    if !(-300.0..2_000.0).contains(&size) || (size <= 0.0 && x.is_int()) {
        return None;
    }
    let mut wide = guarded(math, 30.0)?;
    let mut shifted = x.clone();
    let mut divisor = wide.real(1);
    let threshold = (wide.bits as f64 * 0.15).max(60.0);
    while to_double(&shifted) < threshold {
        divisor = wide.fmul(&divisor, &shifted);
        shifted = wide.fadd(&shifted, &wide.real(1));
    }
    let half = wide.fraction(&BigRational::new(1.into(), 2.into()));
    let logarithm = wide.fln(&shifted);
    let mut total = wide.fsub(
        &wide.fmul(&wide.fsub(&shifted, &half), &logarithm),
        &shifted,
    );
    let pi = wide.pi();
    let turn = wide.fln(&wide.fmul(&pi, &wide.real(2)));
    total = wide.fadd(&total, &wide.fmul(&turn, &half));
    let square = wide.fmul(&shifted, &shifted);
    let mut power = shifted.clone();
    let numbers = bernoulli_numbers(120);
    for n in 1..=60usize {
        let count = BigInt::from(2 * n * (2 * n - 1));
        let coefficient = &numbers[2 * n] / BigRational::from_integer(count);
        let term = wide.fdiv(&wide.fraction(&coefficient), &power);
        total = wide.fadd(&total, &term);
        power = wide.fmul(&power, &square);
    }
    let value = wide.fexp(&total);
    Some(wide.fdiv(&value, &divisor))
}

/// `Ei(x)` by its series, for arguments to 60.
pub(crate) fn exponential_integral(math: &mut BigArithmetic, x: &BigFloat) -> Option<BigFloat> {
    let size = to_double(x).abs();
    if size == 0.0 || size > 60.0 {
        return None;
    }
    let mut wide = guarded(math, 2.0 * size)?;
    let series = sum_series(&wide, x.clone(), |carried, n| {
        let carry = wide.fdiv(&wide.fmul(carried, x), &wide.real(n + 1));
        let term = wide.fdiv(&carry, &wide.real(n + 1));
        (carry, term)
    })?;
    let gamma = euler_gamma(&mut wide)?;
    let logarithm = wide.fln(&x.abs());
    Some(wide.fadd(&wide.fadd(&series, &gamma), &logarithm))
}

/// `Si(x)` by its series, for arguments to 60.
pub(crate) fn sine_integral(math: &mut BigArithmetic, x: &BigFloat) -> Option<BigFloat> {
    let size = to_double(x).abs();
    if size > 60.0 {
        return None;
    }
    let wide = guarded(math, size)?;
    let square = wide.fmul(x, x);
    sum_series(&wide, x.clone(), |carried, n| {
        let carry = wide.fdiv(
            &wide.fmul(carried, &square),
            &wide.real(-(2 * n) * (2 * n + 1)),
        );
        let term = wide.fdiv(&carry, &wide.real(2 * n + 1));
        (carry, term)
    })
}

/// `Ci(x)` by its series, for positive arguments to 60.
pub(crate) fn cosine_integral(math: &mut BigArithmetic, x: &BigFloat) -> Option<BigFloat> {
    let size = to_double(x);
    if size <= 0.0 || size > 60.0 {
        return None;
    }
    let mut wide = guarded(math, size)?;
    let square = wide.fmul(x, x);
    let mut carried = wide.real(1);
    let series = sum_series(&wide, wide.real(0), |_, n| {
        carried = wide.fdiv(
            &wide.fmul(&carried, &square),
            &wide.real(-(2 * n) * (2 * n - 1)),
        );
        let term = wide.fdiv(&carried, &wide.real(2 * n));
        (carried.clone(), term)
    })?;
    let gamma = euler_gamma(&mut wide)?;
    let logarithm = wide.fln(x);
    Some(wide.fadd(&wide.fadd(&series, &gamma), &logarithm))
}

/// The principal branch of Lambert's function, by Newton's method.
pub(crate) fn lambert(math: &mut BigArithmetic, x: &BigFloat) -> Option<BigFloat> {
    let size = to_double(x);
    if size < -0.367_879 {
        return None;
    }
    let start = match size {
        size if size > 3.0 => size.ln() - size.ln().ln(),
        size if size > -0.3 => size / (1.0 + size.max(0.0)),
        _ => -0.7,
    };
    let mut w = BigFloat::from_f64(start, math.bits);
    for _ in 0..60 {
        let power = math.fexp(&w);
        let value = math.fsub(&math.fmul(&w, &power), x);
        let slope = math.fmul(&power, &math.fadd(&w, &math.real(1)));
        let step = math.fdiv(&value, &slope);
        w = math.fsub(&w, &step);
        let is_done = match (step.exponent(), w.exponent()) {
            (Some(step), Some(w)) => i64::from(w) - i64::from(step) > math.bits as i64 - 8,
            _ => true,
        };
        if step.is_zero() || is_done {
            return Some(w);
        }
    }
    Some(w)
}

/// Riemann's function for arguments above 1, by Euler-Maclaurin summation.
pub(crate) fn zeta(math: &mut BigArithmetic, s: &BigFloat) -> Option<BigFloat> {
    let size = to_double(s);
    if !(1.000_01..400.0).contains(&size) {
        return None;
    }
    let mut wide = guarded(math, 20.0)?;
    let count = (wide.bits as i64) / 6;
    let power = |wide: &mut BigArithmetic, n: i64| {
        let base = wide.real(n);
        let logarithm = wide.fln(&base);
        let scaled = wide.fmul(&logarithm, s).neg();
        wide.fexp(&scaled)
    };
    let mut total = wide.real(0);
    for n in 1..count {
        let term = power(&mut wide, n);
        total = wide.fadd(&total, &term);
    }
    let last = power(&mut wide, count);
    let edge = wide.real(count);
    let integral = wide.fdiv(&wide.fmul(&last, &edge), &wide.fsub(s, &wide.real(1)));
    total = wide.fadd(&total, &integral);
    total = wide.fadd(&total, &wide.fdiv(&last, &wide.real(2)));
    let numbers = bernoulli_numbers(100);
    let mut rising = wide.fdiv(&wide.fmul(s, &last), &edge);
    let square = wide.real(count * count);
    let mut factorial = BigRational::from_integer(2.into());
    for n in 1..=50i64 {
        let coefficient = wide.fraction(&(&numbers[2 * n as usize] / &factorial));
        total = wide.fadd(&total, &wide.fmul(&coefficient, &rising));
        let step = wide.fmul(
            &wide.fadd(s, &wide.real(2 * n - 1)),
            &wide.fadd(s, &wide.real(2 * n)),
        );
        rising = wide.fdiv(&wide.fmul(&rising, &step), &square);
        factorial *= BigRational::from_integer(BigInt::from((2 * n + 1) * (2 * n + 2)));
    }
    Some(total)
}
