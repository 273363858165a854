//! Adaptive cubature over a box by the rule of degree 7 with an embedded rule of degree 5.
//!
//! # References
//! A. C. Genz, A. A. Malik, "An adaptive algorithm for numerical integration over an N-dimensional rectangular region", J. Comput. Appl.
//! Math. 6, 1980; J. Berntsen, T. O. Espelid, A. Genz, "An adaptive algorithm for the approximate calculation of multiple integrals",
//! ACM TOMS 17, 1991.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::{QuadratureEnd, QuadratureError};
use crate::watch::{FunctionError, Watch};

/// An integrand of several variables: `points[i]` has coordinate `i` of every point.
pub type Field<'f> = dyn FnMut(&[Vec<f64>], &mut [f64]) -> Result<(), FunctionError> + 'f;

/// An integral over a box.
#[derive(Debug, Clone, PartialEq)]
pub struct CubatureResult {
    /// The value.
    pub value: f64,
    /// Estimate of the error.
    pub error: f64,
    /// Integral of the magnitude.
    pub absolute: f64,
    /// Evaluations of the integrand.
    pub evaluations: u64,
    /// Boxes at the end.
    pub boxes: usize,
    /// Why it ended.
    pub ending: QuadratureEnd,
}

#[derive(Debug, Clone)]
struct CubatureRegion {
    centre: Vec<f64>,
    half: Vec<f64>,
    value: f64,
    error: f64,
    absolute: f64,
    /// The axis along which it changes most.
    axis: usize,
    index: usize,
}

impl Ord for CubatureRegion {
    fn cmp(&self, other: &Self) -> Ordering {
        self.error
            .total_cmp(&other.error)
            .then(other.index.cmp(&self.index))
    }
}

impl PartialOrd for CubatureRegion {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for CubatureRegion {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for CubatureRegion {}

/// Points of the rule in `n` dimensions: `2^n + 2 n^2 + 2 n + 1`.
pub fn cubature_points(n: usize) -> usize {
    (1 << n) + 2 * n * n + 2 * n + 1
}

/// Integrates over a box of 2 to 15 dimensions, finite lower and upper bounds.
///
/// # Accuracy and cost
/// The error sums, over the boxes, the difference of the rules, or of a box and its halves where that is larger. The worst boxes are halved along the axis with
/// the largest fourth difference; [`cubature_points`] evaluations for each.
///
/// # Errors
/// [`QuadratureError::Function`], [`QuadratureError::Interrupted`]; values that are not finite count as an error without bound.
pub fn integrate_box(
    f: &mut Field<'_>,
    bounds: &[(f64, f64)],
    (relative, absolute): (f64, f64),
    evaluations_max: u64,
    watch: &dyn Watch,
) -> Result<CubatureResult, QuadratureError> {
    const BATCH: usize = 32;
    const START: u64 = 4_096;
    let n = bounds.len();
    let centre: Vec<f64> = bounds
        .iter()
        .map(|(low, high)| low / 2.0 + high / 2.0)
        .collect();
    let half: Vec<f64> = bounds
        .iter()
        .map(|(low, high)| high / 2.0 - low / 2.0)
        .collect();
    let points = cubature_points(n) as u64;
    let mut evaluations = 0;
    let mut count = 0;
    let first = measure_boxes(f, vec![(centre, half)], &mut evaluations, &mut count, watch)?;
    let mut heap: BinaryHeap<CubatureRegion> = first.into();
    let ending = loop {
        let value: f64 = heap.iter().map(|region| region.value).sum();
        let error: f64 = heap.iter().map(|region| region.error).sum();
        let size: f64 = heap.iter().map(|region| region.absolute).sum();
        // A few boxes at least, so that one lucky rule does not decide.
        let is_enough =
            evaluations >= START.max(8 * points) || error == 0.0 && heap.len() >= 1 << n.min(4);
        if is_enough && error <= absolute.max(relative * value.abs()) {
            break QuadratureEnd::Tolerance;
        }
        if is_enough && error <= 8.0 * f64::EPSILON * size {
            break QuadratureEnd::Rounding;
        }
        let batch = BATCH.max(heap.len() / 8);
        if evaluations + 2 * points > evaluations_max {
            break QuadratureEnd::Evaluations;
        }
        let affordable = ((evaluations_max - evaluations) / (2 * points)) as usize;
        let worst = heap.peek().map_or(0.0, |region| region.error);
        let mut parents: Vec<CubatureRegion> = Vec::new();
        while parents.len() < batch.min(affordable) {
            match heap.peek() {
                Some(next) if next.error >= worst / 20.0 => parents.extend(heap.pop()),
                _ => break,
            }
        }
        let mut boxes = Vec::with_capacity(2 * parents.len());
        for parent in &parents {
            let mut half = parent.half.clone();
            half[parent.axis] /= 2.0;
            for sign in [-1.0, 1.0] {
                let mut centre = parent.centre.clone();
                centre[parent.axis] += sign * half[parent.axis];
                boxes.push((centre, half.clone()));
            }
        }
        let mut children =
            measure_boxes(f, boxes, &mut evaluations, &mut count, watch)?.into_iter();
        for parent in parents {
            let mut pair: Vec<CubatureRegion> = children.by_ref().take(2).collect();
            let change = (pair[0].value + pair[1].value - parent.value).abs();
            // What halving changed is a part of the error of the parent that its rules may not have seen.
            let told = pair[0].error + pair[1].error;
            if change > parent.error && told < change {
                let share = change / (told + f64::MIN_POSITIVE);
                pair.iter_mut().for_each(|child| {
                    child.error = (child.error * share).min(change / 2.0).max(child.error)
                });
            }
            heap.extend(pair);
        }
    };
    let mut regions = heap.into_vec();
    regions.sort_by_key(|region| region.index);
    let sum = |of: &dyn Fn(&CubatureRegion) -> f64| regions.iter().map(of).sum::<f64>();
    let size = sum(&|region| region.absolute);
    Ok(CubatureResult {
        value: sum(&|region| region.value),
        error: sum(&|region| region.error) + 8.0 * f64::EPSILON * size,
        absolute: size,
        evaluations,
        boxes: regions.len(),
        ending,
    })
}

fn measure_boxes(
    f: &mut Field<'_>,
    boxes: Vec<(Vec<f64>, Vec<f64>)>,
    evaluations: &mut u64,
    count: &mut usize,
    watch: &dyn Watch,
) -> Result<Vec<CubatureRegion>, QuadratureError> {
    let n = boxes.first().map_or(0, |(centre, _)| centre.len());
    let offsets = rule_offsets(n);
    let mut points: Vec<Vec<f64>> = vec![Vec::with_capacity(offsets.len() * boxes.len()); n];
    for (centre, half) in &boxes {
        for axis in 0..n {
            points[axis].extend(
                offsets
                    .iter()
                    .map(|offset| centre[axis] + half[axis] * offset[axis]),
            );
        }
    }
    let mut values = vec![f64::NAN; offsets.len() * boxes.len()];
    watch.check()?;
    watch.count_evaluations(values.len() as u64)?;
    f(&points, &mut values)?;
    *evaluations += values.len() as u64;
    let regions =
        boxes
            .into_iter()
            .zip(values.chunks(offsets.len()))
            .map(|((centre, half), values)| {
                *count += 1;
                estimate_region(centre, half, values, *count)
            });
    Ok(regions.collect())
}

/// Points of the rule in the cube [-1, 1]^n: the centre, pairs on each axis at both distances, on each pair of axes, and the corners.
fn rule_offsets(n: usize) -> Vec<Vec<f64>> {
    let [near, far, corner] = rule_distances();
    let mut all = vec![vec![0.0; n]];
    for distance in [near, far] {
        for axis in 0..n {
            for sign in [-1.0, 1.0] {
                let mut offset = vec![0.0; n];
                offset[axis] = sign * distance;
                all.push(offset);
            }
        }
    }
    for a in 0..n {
        for b in a + 1..n {
            for signs in [[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]] {
                let mut offset = vec![0.0; n];
                offset[a] = signs[0] * far;
                offset[b] = signs[1] * far;
                all.push(offset);
            }
        }
    }
    for bits in 0..1_usize << n {
        all.push(
            (0..n)
                .map(|axis| {
                    if bits >> axis & 1 == 1 {
                        corner
                    } else {
                        -corner
                    }
                })
                .collect(),
        );
    }
    all
}

fn rule_distances() -> [f64; 3] {
    [
        (9.0_f64 / 70.0).sqrt(),
        (9.0_f64 / 10.0).sqrt(),
        (9.0_f64 / 19.0).sqrt(),
    ]
}

fn estimate_region(
    centre: Vec<f64>,
    half: Vec<f64>,
    values: &[f64],
    index: usize,
) -> CubatureRegion {
    let n = centre.len();
    let volume: f64 = half.iter().map(|half| 2.0 * half).product();
    let dimension = n as f64;
    let (near, rest) = values[1..].split_at(2 * n);
    let (far, rest) = rest.split_at(2 * n);
    let (pairs, corners) = rest.split_at(2 * n * (n - 1));
    let sum = |values: &[f64]| values.iter().sum::<f64>();
    let seven = values[0] * (12824.0 - 9120.0 * dimension + 400.0 * dimension * dimension)
        / 19683.0
        + sum(near) * 980.0 / 6561.0
        + sum(far) * (1820.0 - 400.0 * dimension) / 19683.0
        + sum(pairs) * 200.0 / 19683.0
        + sum(corners) * 6859.0 / 19683.0 / (1_u64 << n) as f64;
    let five = values[0] * (729.0 - 950.0 * dimension + 50.0 * dimension * dimension) / 729.0
        + sum(near) * 245.0 / 486.0
        + sum(far) * (265.0 - 100.0 * dimension) / 1458.0
        + sum(pairs) * 25.0 / 729.0;
    let [small, large, _] = rule_distances();
    let ratio = (small / large) * (small / large);
    let twice = 2.0 * values[0];
    let fourth = |axis: usize| {
        let inner = near[2 * axis] + near[2 * axis + 1] - twice;
        let outer = far[2 * axis] + far[2 * axis + 1] - twice;
        (inner - ratio * outer).abs()
    };
    // Among equals the longest.
    let axis = (0..n)
        .max_by(|&a, &b| {
            fourth(a)
                .total_cmp(&fourth(b))
                .then(half[a].total_cmp(&half[b]))
                .then(b.cmp(&a))
        })
        .unwrap_or(0);
    let value = volume * seven;
    let is_finite = value.is_finite();
    let size = values.iter().map(|value| value.abs()).sum::<f64>() / values.len() as f64;
    CubatureRegion {
        centre,
        half,
        value: if is_finite { value } else { 0.0 },
        error: if is_finite {
            (volume * (seven - five)).abs()
        } else {
            f64::INFINITY
        },
        absolute: if is_finite { volume * size } else { 0.0 },
        axis,
        index,
    }
}
