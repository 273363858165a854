//! [`CuttingPlane`]: an inequality that every point satisfies and a relaxation does not, made safe against rounding; and the choice among many.

use crate::programming::linear::LinearProgram;

/// Largest ratio of the coefficients of a cut.
const RANGE: f64 = 1e6;
/// The right side moves by this, relative to the largest coefficient and itself.
const SAFE: f64 = 1e-9;
/// Products of a coefficient, relative to the largest, and a bound above this make rounding count.
const LONG: f64 = 1e7;
/// Least distance of the relaxed point from a cut.
const DEEP: f64 = 1e-4;
/// Cosine of the angle above which of two cuts one is enough.
const PARALLEL: f64 = 0.9;

/// `values' x <= high`.
#[derive(Debug, Clone)]
pub(super) struct CuttingPlane {
    pub(super) columns: Vec<u32>,
    pub(super) values: Vec<f64>,
    pub(super) high: f64,
    /// Distance of the point that it cuts off.
    pub(super) depth: f64,
    norm: f64,
}

/// A cut of the coefficients given in any order; `None` where rounding might matter, or the point is hardly cut off.
pub(super) fn safe_cut(
    program: &LinearProgram,
    x: &[f64],
    terms: impl Iterator<Item = (u32, f64)>,
    mut high: f64,
) -> Option<CuttingPlane> {
    let mut terms: Vec<(u32, f64)> = terms.filter(|term| term.1 != 0.0).collect();
    terms.sort_unstable_by_key(|term| term.0);
    let largest = terms
        .iter()
        .fold(0.0_f64, |most, term| most.max(term.1.abs()));
    if largest == 0.0 || !largest.is_finite() || !high.is_finite() {
        return None;
    }
    let scale = largest.log2().floor().exp2();
    let mut cut = CuttingPlane {
        columns: Vec::new(),
        values: Vec::new(),
        high: 0.0,
        depth: 0.0,
        norm: 0.0,
    };
    high /= scale;
    let (mut value_at, mut square) = (0.0, 0.0);
    for (column, value) in terms {
        let (value, at) = (value / scale, column as usize);
        let (low, up) = (program.low[at], program.high[at]);
        if value.abs() < 1.0 / RANGE {
            // Too small to keep: its least value takes its place.
            let bound = if value > 0.0 { low } else { up };
            if !bound.is_finite() || bound.abs() > LONG {
                return None;
            }
            high -= value * bound;
            continue;
        }
        if value.abs() * x[at].abs() > LONG {
            return None;
        }
        value_at += value * x[at];
        square += value * value;
        cut.columns.push(column);
        cut.values.push(value);
    }
    cut.high = high + SAFE * (1.0 + high.abs());
    cut.norm = square.sqrt();
    cut.depth = (value_at - cut.high) / cut.norm;
    (cut.depth > DEEP && high.abs() < LONG).then_some(cut)
}

/// The deepest cuts, each at an angle to the ones before, at most `most`.
pub(super) fn choose_cuts(mut cuts: Vec<CuttingPlane>, most: usize) -> Vec<CuttingPlane> {
    cuts.sort_by(|a, b| {
        b.depth
            .total_cmp(&a.depth)
            .then(a.columns.len().cmp(&b.columns.len()))
    });
    let mut chosen: Vec<CuttingPlane> = Vec::new();
    for cut in cuts {
        if chosen.len() >= most {
            break;
        }
        if chosen
            .iter()
            .all(|other| cut_cosine(&cut, other) < PARALLEL)
        {
            chosen.push(cut);
        }
    }
    chosen
}

fn cut_cosine(a: &CuttingPlane, b: &CuttingPlane) -> f64 {
    let (mut i, mut j, mut sum) = (0, 0, 0.0);
    while i < a.columns.len() && j < b.columns.len() {
        match a.columns[i].cmp(&b.columns[j]) {
            std::cmp::Ordering::Less => i += 1,
            std::cmp::Ordering::Greater => j += 1,
            std::cmp::Ordering::Equal => {
                sum += a.values[i] * b.values[j];
                (i, j) = (i + 1, j + 1);
            }
        }
    }
    sum / (a.norm * b.norm)
}
