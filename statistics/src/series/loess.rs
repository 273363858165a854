//! Local regression on equally spaced places, as the decomposition STL has it.

/// How a series is smoothed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LoessOptions {
    /// Places of each local fit, odd; may be more than there are.
    pub window: usize,
    /// Whether local fits are lines, or else constants.
    pub is_line: bool,
    /// Places from one local fit to the next; between them the smooth is interpolated.
    pub jump: usize,
}

/// The fit at `x` (places count from 0) by the values from `left` to `right` inclusive; `None` where all weights are 0.
pub(super) fn local_fit(
    y: &[f64],
    options: LoessOptions,
    x: f64,
    (left, right): (usize, usize),
    robustness: Option<&[f64]>,
    weights: &mut [f64],
) -> Option<f64> {
    let n = y.len();
    let mut reach = (x - left as f64).max(right as f64 - x);
    if options.window > n {
        reach += ((options.window - n) / 2) as f64;
    }
    let (far, near) = (0.999 * reach, 0.001 * reach);
    let mut sum = 0.0;
    for j in left..=right {
        let distance = (j as f64 - x).abs();
        let mut weight = match distance {
            d if d > far => 0.0,
            d if d <= near => 1.0,
            d => (1.0 - (d / reach).powi(3)).powi(3),
        };
        if let Some(robustness) = robustness {
            weight *= robustness[j];
        }
        weights[j] = weight;
        sum += weight;
    }
    if sum <= 0.0 {
        return None;
    }
    let weights = &mut weights[left..=right];
    weights.iter_mut().for_each(|weight| *weight /= sum);
    if reach > 0.0 && options.is_line {
        let places = (left..=right).map(|j| j as f64);
        let centre: f64 = weights.iter().zip(places.clone()).map(|(w, j)| w * j).sum();
        let spread: f64 = weights
            .iter()
            .zip(places.clone())
            .map(|(w, j)| w * (j - centre) * (j - centre))
            .sum();
        if spread.sqrt() > 0.001 * (n as f64 - 1.0) {
            let slope = (x - centre) / spread;
            for (weight, j) in weights.iter_mut().zip(places) {
                *weight *= slope * (j - centre) + 1.0;
            }
        }
    }
    let values = &y[left..=right];
    Some(weights.iter().zip(values).map(|(w, y)| w * y).sum())
}

/// The smooth of all places. Costs `n window / jump`.
pub(super) fn smooth_series(
    y: &[f64],
    options: LoessOptions,
    robustness: Option<&[f64]>,
) -> Vec<f64> {
    let n = y.len();
    if n < 2 {
        return y.to_vec();
    }
    let mut weights = vec![0.0; n];
    let mut smooth = vec![0.0; n];
    let jump = options.jump.clamp(1, n - 1);
    let mut fit_at = |place: usize, about: usize| {
        let window = neighbours_of(about, n, options.window);
        let fitted = local_fit(y, options, place as f64, window, robustness, &mut weights);
        fitted.unwrap_or(y[place])
    };
    let mut places: Vec<usize> = (0..n).step_by(jump).collect();
    for &place in &places {
        smooth[place] = fit_at(place, place);
    }
    // The last value is fitted in the window of the last multiple of the jump, as in the authors' program.
    let about = places[places.len() - 1];
    if about != n - 1 {
        smooth[n - 1] = fit_at(n - 1, about);
        places.push(n - 1);
    }
    for pair in places.windows(2) {
        let (from, to) = (pair[0], pair[1]);
        let step = (smooth[to] - smooth[from]) / (to - from) as f64;
        for place in from + 1..to {
            smooth[place] = smooth[from] + step * (place - from) as f64;
        }
    }
    smooth
}

/// First and last place of the window about a place.
fn neighbours_of(place: usize, n: usize, window: usize) -> (usize, usize) {
    if window >= n {
        return (0, n - 1);
    }
    let half = window.div_ceil(2);
    let left = (place + 1).saturating_sub(half).min(n - window);
    (left, left + window - 1)
}
