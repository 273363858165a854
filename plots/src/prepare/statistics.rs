//! Statistics of the rows of a mark.

/// Sum with the compensation of Neumaier, so that the order of rows hardly shows.
pub(crate) fn compensated_sum(values: impl Iterator<Item = f64>) -> f64 {
    let (mut sum, mut rest) = (0.0_f64, 0.0_f64);
    for value in values {
        let next = sum + value;
        rest += if sum.abs() >= value.abs() {
            (sum - next) + value
        } else {
            (value - next) + sum
        };
        sum = next;
    }
    sum + rest
}

/// Mean of at least one value; NaN of none.
pub(crate) fn mean_of(values: &[f64]) -> f64 {
    compensated_sum(values.iter().copied()) / values.len() as f64
}

/// Variance of a sample (divided by `n - 1`); 0 for one value.
pub(crate) fn variance_of(values: &[f64]) -> f64 {
    if values.len() < 2 {
        return if values.is_empty() { f64::NAN } else { 0.0 };
    }
    let mean = mean_of(values);
    compensated_sum(values.iter().map(|value| (value - mean) * (value - mean)))
        / (values.len() - 1) as f64
}

/// Quantile of sorted values, between neighbours by their distance.
///
/// # References
/// R. J. Hyndman, Y. Fan, "Sample Quantiles in Statistical Packages", 1996: definition 7.
pub(crate) fn quantile_of(sorted: &[f64], share: f64) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else {
        return f64::NAN;
    };
    let place = share * last as f64;
    let index = (place as usize).min(last);
    let (low, high) = (sorted[index], sorted[(index + 1).min(last)]);
    low + (high - low) * (place - index as f64)
}

/// What a box shows.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct BoxSummary {
    pub(crate) lower: f64,
    pub(crate) median: f64,
    pub(crate) upper: f64,
    /// The last values within 1.5 times the distance of the quartiles from them.
    pub(crate) whiskers: [f64; 2],
    pub(crate) outliers: Vec<f64>,
}

/// The box of sorted values, at least one.
pub(crate) fn summarise_box(sorted: &[f64]) -> BoxSummary {
    let [lower, median, upper] = [0.25, 0.5, 0.75].map(|share| quantile_of(sorted, share));
    let reach = 1.5 * (upper - lower);
    let inside = |value: &f64| (lower - reach..=upper + reach).contains(value);
    let mut within = sorted.iter().copied().filter(inside);
    let first = within.next().unwrap_or(lower);
    let last = within.next_back().unwrap_or(first);
    BoxSummary {
        lower,
        median,
        upper,
        whiskers: [first.min(lower), last.max(upper)],
        outliers: sorted
            .iter()
            .copied()
            .filter(|value| !inside(value))
            .collect(),
    }
}

/// The value that Student's t of so many degrees of freedom exceeds in size with probability 0.05.
///
/// # References
/// G. W. Hill, "Algorithm 396: Student's t-quantiles", CACM 13, 1970.
pub(crate) fn student_95(freedom: f64) -> f64 {
    const PROBABILITY: f64 = 0.05;
    if freedom < 1.5 {
        return 12.706_204_736_432_1;
    }
    if freedom < 2.5 {
        return 4.302_652_729_911_28;
    }
    let n = freedom;
    let a = 1.0 / (n - 0.5);
    let b = (48.0 / a) / a;
    let mut c = ((20_700.0 * a / b - 98.0) * a - 16.0) * a + 96.36;
    let d = ((94.5 / (b + c) - 3.0) / b + 1.0) * libm::sqrt(a * std::f64::consts::FRAC_PI_2) * n;
    let mut y = libm::pow(d * PROBABILITY, 2.0 / n);
    if y > 0.05 + a {
        let x = -1.959_963_984_540_054;
        y = x * x;
        if n < 5.0 {
            c += 0.3 * (n - 4.5) * (x + 0.6);
        }
        c += (((0.05 * d * x - 5.0) * x - 7.0) * x - 2.0) * x + b;
        y = (((((0.4 * y + 6.3) * y + 36.0) * y + 94.5) / c - y - 3.0) / b + 1.0) * x;
        y = libm::expm1(a * y * y);
    } else {
        y = ((1.0 / (((n + 6.0) / (n * y) - 0.089 * d - 0.822) * (n + 2.0) * 3.0)
            + 0.5 / (n + 4.0))
            * y
            - 1.0)
            * (n + 1.0)
            / (n + 2.0)
            + 1.0 / y;
    }
    libm::sqrt(n * y)
}

/// A straight line of least squares.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct LinearFit {
    pub(crate) slope: f64,
    /// Value at the mean of x.
    pub(crate) level: f64,
    pub(crate) x_mean: f64,
    /// Share of the variance that the line explains; 1 where y is constant.
    pub(crate) explained: f64,
    /// Standard deviation of the residuals; 0 for two points.
    pub(crate) deviation: f64,
    /// Sum of the squares of `x - x_mean`.
    pub(crate) x_spread: f64,
    pub(crate) count: usize,
    pub(crate) x_range: [f64; 2],
}

impl LinearFit {
    pub(crate) fn value(&self, x: f64) -> f64 {
        self.level + self.slope * (x - self.x_mean)
    }

    /// Half the 95 % interval of the mean at a place; 0 where it is not known.
    pub(crate) fn margin(&self, x: f64) -> f64 {
        if self.count < 3 {
            return 0.0;
        }
        let away = (x - self.x_mean) * (x - self.x_mean) / self.x_spread;
        student_95((self.count - 2) as f64)
            * self.deviation
            * libm::sqrt(1.0 / self.count as f64 + away)
    }
}

/// Fits a line to finite points; `None` for fewer than two different x.
pub(crate) fn fit_line(points: impl Iterator<Item = (f64, f64)> + Clone) -> Option<LinearFit> {
    let points = points.filter(|(x, y)| x.is_finite() && y.is_finite());
    let count = points.clone().count();
    if count < 2 {
        return None;
    }
    let n = count as f64;
    let x_mean = compensated_sum(points.clone().map(|(x, _)| x / n));
    let y_mean = compensated_sum(points.clone().map(|(_, y)| y / n));
    let x_spread = compensated_sum(points.clone().map(|(x, _)| (x - x_mean) * (x - x_mean)));
    let y_spread = compensated_sum(points.clone().map(|(_, y)| (y - y_mean) * (y - y_mean)));
    let both = compensated_sum(points.clone().map(|(x, y)| (x - x_mean) * (y - y_mean)));
    let slope = both / x_spread;
    if !(x_spread > 0.0 && slope.is_finite()) {
        return None;
    }
    let rest = compensated_sum(points.clone().map(|(x, y)| {
        let residual = y - y_mean - slope * (x - x_mean);
        residual * residual
    }));
    let ends = points.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], (x, _)| {
        [low.min(x), high.max(x)]
    });
    Some(LinearFit {
        slope,
        level: y_mean,
        x_mean,
        explained: if y_spread > 0.0 {
            (1.0 - rest / y_spread).max(0.0)
        } else {
            1.0
        },
        deviation: if count > 2 {
            libm::sqrt(rest / (n - 2.0))
        } else {
            0.0
        },
        x_spread,
        count,
        x_range: ends,
    })
}

/// The width of the kernel of a density by the rule of Silverman; above 0.
pub(crate) fn kernel_width(sorted: &[f64]) -> f64 {
    let deviation = libm::sqrt(variance_of(sorted));
    let middle = (quantile_of(sorted, 0.75) - quantile_of(sorted, 0.25)) / 1.34;
    let spread = if middle > 0.0 {
        deviation.min(middle)
    } else {
        deviation
    };
    let width = 0.9 * spread * libm::pow(sorted.len() as f64, -0.2);
    if width > 0.0 && width.is_finite() {
        return width;
    }
    (sorted.first().map_or(1.0, |value| value.abs()) * 0.05).max(1e-300)
}

/// Normal density of values around places, by counting the values into a fine grid first: at equal distances from `low` to `high`.
pub(crate) fn kernel_density(
    sorted: &[f64],
    width: f64,
    low: f64,
    high: f64,
    places: usize,
) -> Vec<f64> {
    let step = (high - low) / (places - 1) as f64;
    let mut counts = vec![0.0; places];
    for value in sorted {
        // Shared between the two nearest places by their distance.
        let place = ((value - low) / step).clamp(0.0, (places - 1) as f64);
        let index = (place as usize).min(places - 2);
        let share = place - index as f64;
        counts[index] += 1.0 - share;
        counts[index + 1] += share;
    }
    smooth_counts(&counts, width / step)
        .into_iter()
        .map(|density| density / (sorted.len() as f64 * step))
        .collect()
}

/// Counts smoothed by a normal kernel of so many places.
pub(crate) fn smooth_counts(counts: &[f64], width: f64) -> Vec<f64> {
    let width = width.clamp(0.05, counts.len() as f64);
    let reach = libm::ceil(4.0 * width) as usize;
    let weights: Vec<f64> = (0..=reach)
        .map(|away| {
            let z = away as f64 / width;
            libm::exp(-0.5 * z * z)
        })
        .collect();
    let whole = weights[0] + 2.0 * weights[1..].iter().sum::<f64>();
    let mut smooth = vec![0.0; counts.len()];
    for (index, count) in counts.iter().enumerate().filter(|(_, count)| **count > 0.0) {
        let first = index.saturating_sub(reach);
        let last = (index + reach).min(counts.len() - 1);
        for (place, value) in smooth.iter_mut().enumerate().take(last + 1).skip(first) {
            *value += count * weights[place.abs_diff(index)] / whole;
        }
    }
    smooth
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_and_boxes_are_those_of_r() {
        // R: quantile(c(1, 2, 4, 8), c(.25, .5, .75)) = 1.75 3 5
        let sorted = [1.0, 2.0, 4.0, 8.0];
        assert_eq!(
            [0.25, 0.5, 0.75].map(|share| quantile_of(&sorted, share)),
            [1.75, 3.0, 5.0]
        );
        let found = summarise_box(&[1.0, 2.0, 3.0, 4.0, 5.0, 30.0]);
        assert_eq!(found.outliers, [30.0]);
        assert_eq!(found.whiskers, [1.0, 5.0]);
        assert_eq!(summarise_box(&[7.0]).whiskers, [7.0, 7.0]);
    }

    #[test]
    fn student_is_that_of_tables() {
        // qt(0.975, df) of R.
        for (freedom, expected) in [
            (1.0, 12.7062),
            (2.0, 4.302653),
            (3.0, 3.182446),
            (5.0, 2.570582),
            (10.0, 2.228139),
            (30.0, 2.042272),
            (1000.0, 1.962339),
        ] {
            assert!(
                (student_95(freedom) - expected).abs() < 2e-4 * expected,
                "{freedom} {}",
                student_95(freedom)
            );
        }
    }

    #[test]
    fn a_line_is_found_and_its_interval_is_narrowest_in_the_middle() {
        let points = [(0.0, 1.0), (1.0, 3.0), (2.0, 5.0), (3.0, 7.2)];
        let fit = fit_line(points.into_iter()).unwrap();
        // R: lm: slope 2.06, intercept 0.96.
        assert!((fit.slope - 2.06).abs() < 1e-12 && (fit.value(0.0) - 0.96).abs() < 1e-12);
        assert!(fit.explained > 0.99 && fit.margin(1.5) < fit.margin(3.0));
        assert!(fit_line([(1.0, 1.0), (1.0, 2.0)].into_iter()).is_none());
    }

    #[test]
    fn densities_have_area_one() {
        let sorted = [0.0, 0.1, 0.4, 0.5, 0.9];
        let width = kernel_width(&sorted);
        let density = kernel_density(&sorted, width, -3.0, 4.0, 256);
        let area: f64 = density.iter().sum::<f64>() * 7.0 / 255.0;
        assert!((area - 1.0).abs() < 1e-3, "{area}");
        assert!(kernel_width(&[3.0, 3.0]) > 0.0);
    }
}
