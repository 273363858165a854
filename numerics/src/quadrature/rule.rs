//! The Gauss-Kronrod pair of 10 and 21 points, and the polynomial through its 21 values as a Legendre series.
//!
//! # References
//! R. Piessens, E. de Doncker-Kapenga, C. W. Überhuber, D. K. Kahaner, "QUADPACK", Springer 1983 (`QK21`); J. Berntsen,
//! T. O. Espelid, "Error estimation in automatic quadrature routines", ACM TOMS 17, 1991, for null rules.

use std::sync::LazyLock;

/// Points of the rule.
pub(super) const POINTS: usize = 21;

/// Positive nodes from the outermost to the middle, with the weights of Kronrod and of Gauss (0 where Gauss has no node).
#[expect(clippy::excessive_precision, reason = "as printed in the source")]
const HALF: [[f64; 3]; 11] = [
    [
        0.995657163025808080735527280689003,
        0.011694638867371874278064396062192,
        0.0,
    ],
    [
        0.973906528517171720077964012084452,
        0.032558162307964727478818972459390,
        0.066671344308688137593568809893332,
    ],
    [
        0.930157491355708226001207180059508,
        0.054755896574351996031381300244580,
        0.0,
    ],
    [
        0.865063366688984510732096688423493,
        0.075039674810919952767043140916190,
        0.149451349150580593145863396957658,
    ],
    [
        0.780817726586416897063717578345042,
        0.093125454583697605535065465083366,
        0.0,
    ],
    [
        0.679409568299024406234327365114874,
        0.109387158802297641899210590325805,
        0.219086362515982043995534934228163,
    ],
    [
        0.562757134668604683339000099272694,
        0.123491976262065851077958109585166,
        0.0,
    ],
    [
        0.433395394129247190799265943165784,
        0.134709217311473325928054001771707,
        0.269266719309996355091226921569469,
    ],
    [
        0.294392862701460198131126603103866,
        0.142775938577060080797094273138717,
        0.0,
    ],
    [
        0.148874338981631210884826001129720,
        0.147739104901338491374841515972068,
        0.295524224714752870173815619188769,
    ],
    [0.0, 0.149445554002916905664936468389821, 0.0],
];

/// Nodes in (-1, 1), ascending; Kronrod weights; Gauss weights.
pub(super) static NODES: [[f64; 3]; POINTS] = {
    let mut all = [[0.0; 3]; POINTS];
    let mut index = 0;
    while index < HALF.len() {
        let [node, kronrod, gauss] = HALF[index];
        all[index] = [-node, kronrod, gauss];
        all[POINTS - 1 - index] = [node, kronrod, gauss];
        index += 1;
    }
    all[10][0] = 0.0;
    all
};

/// The inverse of the matrix of Legendre values at the nodes: values to coefficients. Its last rows are null rules.
static COEFFICIENTS: LazyLock<[[f64; POINTS]; POINTS]> = LazyLock::new(invert_legendre_matrix);

/// Number of null rules.
const NULLS: usize = 4;

fn rule_dot(row: &[f64; POINTS], values: &[f64; POINTS]) -> f64 {
    row.iter().zip(values).map(|(a, b)| a * b).sum()
}

/// Sum of the magnitudes of the four highest Legendre coefficients.
pub(super) fn legendre_roughness(values: &[f64; POINTS]) -> f64 {
    let highest = COEFFICIENTS[POINTS - NULLS..].iter();
    highest.map(|row| rule_dot(row, values).abs()).sum()
}

/// The polynomial through 21 values at places in [-1, 1], which it replaces, by Clenshaw's recurrence.
pub(super) fn interpolate_panel(values: &[f64; POINTS], places: &mut [f64]) {
    const LANES: usize = 64;
    let series: [f64; POINTS] = std::array::from_fn(|k| rule_dot(&COEFFICIENTS[k], values));
    for places in places.chunks_mut(LANES) {
        let (mut next, mut after) = ([0.0; LANES], [0.0; LANES]);
        for k in (0..POINTS).rev() {
            let degree = k as f64;
            let (up, down) = (
                (2.0 * degree + 1.0) / (degree + 1.0),
                (degree + 1.0) / (degree + 2.0),
            );
            for (lane, x) in places.iter().enumerate() {
                let here = series[k] + up * x * next[lane] - down * after[lane];
                (next[lane], after[lane]) = (here, next[lane]);
            }
        }
        let count = places.len();
        places.copy_from_slice(&next[..count]);
    }
}

/// By Gauss-Jordan elimination with pivots.
fn invert_legendre_matrix() -> [[f64; POINTS]; POINTS] {
    const WIDTH: usize = 2 * POINTS;
    let mut rows: Vec<[f64; WIDTH]> = (0..POINTS)
        .map(|i| {
            let x = NODES[i][0];
            let mut row = [0.0; WIDTH];
            (row[0], row[1]) = (1.0, x);
            for k in 1..POINTS - 1 {
                let degree = k as f64;
                row[k + 1] =
                    ((2.0 * degree + 1.0) * x * row[k] - degree * row[k - 1]) / (degree + 1.0);
            }
            row[POINTS + i] = 1.0;
            row
        })
        .collect();
    for k in 0..POINTS {
        let pivot = (k..POINTS).max_by(|&a, &b| rows[a][k].abs().total_cmp(&rows[b][k].abs()));
        rows.swap(k, pivot.unwrap_or(k));
        let scale = 1.0 / rows[k][k];
        rows[k].iter_mut().for_each(|entry| *entry *= scale);
        let row = rows[k];
        for (index, other) in rows.iter_mut().enumerate() {
            let factor = other[k];
            if index != k && factor != 0.0 {
                other
                    .iter_mut()
                    .zip(row)
                    .for_each(|(entry, pivot)| *entry -= factor * pivot);
            }
        }
    }
    std::array::from_fn(|k| std::array::from_fn(|i| rows[k][POINTS + i]))
}
