//! Sums of positive terms with one peak.

/// The sum of the exponentials of terms over whole numbers from 0 to `most`, whose greatest is looked for from `start` on; outward until a term adds nothing.
pub(super) fn sum_peak(ln_term: &dyn Fn(f64) -> f64, most: f64, start: f64) -> f64 {
    const TERMS_MAX: usize = 4_000_000;
    let mut peak = start.floor().clamp(0.0, most);
    let mut stride = (peak * 0.25).floor().max(1.0);
    // Hill climbing with strides that shrink.
    loop {
        let here = ln_term(peak);
        let (left, right) = ((peak - stride).max(0.0), (peak + stride).min(most));
        let (at_left, at_right) = (ln_term(left), ln_term(right));
        let best = if at_left > at_right {
            (left, at_left)
        } else {
            (right, at_right)
        };
        match best.1 > here {
            true => peak = best.0,
            false if stride == 1.0 => break,
            false => stride = (stride * 0.5).floor().max(1.0),
        }
    }
    let top = ln_term(peak);
    if top == f64::NEG_INFINITY || top.is_nan() {
        return if top.is_nan() { f64::NAN } else { 0.0 };
    }
    let mut sum = 1.0;
    for direction in [-1.0, 1.0] {
        let mut j = peak + direction;
        for _ in 0..TERMS_MAX {
            if j < 0.0 || j > most {
                break;
            }
            let term = (ln_term(j) - top).exp();
            sum += term;
            if term < 1e-18 * sum {
                break;
            }
            j += direction;
        }
    }
    sum * top.exp()
}
