//! STL: a series as trend, season and remainder by local regression, and how strong the parts are.

use numerics::Watch;

use super::SeriesError;
use super::loess::{LoessOptions, local_fit, smooth_series};

/// The window over which the season may change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StlWindow {
    /// The season is the same in each period.
    Periodic,
    /// So many periods, odd and at least 7.
    Periods(usize),
}

/// Options of STL; jumps are a tenth of the windows, as in R.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StlOptions {
    /// Values in a period.
    pub period: usize,
    /// The window of the season.
    pub window: StlWindow,
    /// Rounds in which values far from the fit count less; 0 for none.
    pub robust_rounds: usize,
}

/// A series as the sum of three.
#[derive(Debug, Clone, PartialEq)]
pub struct SeriesDecomposition {
    /// What changes slowly.
    pub trend: Vec<f64>,
    /// What repeats in each period; zeros for a period of 1.
    pub season: Vec<f64>,
    /// What is left.
    pub remainder: Vec<f64>,
}

/// How strong trend and season are, from 0 to 1: 1 less the share of the remainder in the variance of the remainder with the part.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SeriesStrength {
    /// Of the trend.
    pub trend: f64,
    /// Of the season.
    pub season: f64,
}

/// The decomposition STL with R's defaults of `stl`: local constants over the periods, local lines for trend and low-pass filter, 2 inner rounds, or 1
/// within each of the robust rounds; windows of trend and filter follow from those of the season. Costs about `10 n` windows a round.
///
/// # References
/// R. B. Cleveland, W. S. Cleveland, J. E. McRae and I. Terpenning, "STL: A Seasonal-Trend Decomposition Procedure Based on Loess", J. Official Stat. 6, 1990.
///
/// # Errors
/// [`SeriesError`] for a period below 2, and fewer values than two periods and one.
pub fn decompose_series(
    y: &[f64],
    options: StlOptions,
    watch: &dyn Watch,
) -> Result<SeriesDecomposition, SeriesError> {
    let (n, period) = (y.len(), options.period);
    if period < 2 {
        return Err(SeriesError::Range {
            what: "a period",
            least: 2,
            most: n / 2,
            found: period,
        });
    }
    if n <= 2 * period {
        return Err(SeriesError::TooShort {
            what: "a decomposition: two periods and one value more",
            needed: 2 * period + 1,
            found: n,
        });
    }
    watch.reserve_doubles(12 * n)?;
    let smoothers = StlSmoothers::new(n, options);
    let mut trend = vec![0.0; n];
    let mut season = vec![0.0; n];
    let mut robustness: Option<Vec<f64>> = None;
    let inner = if options.robust_rounds > 0 { 1 } else { 2 };
    for round in 0..=options.robust_rounds {
        for _ in 0..inner {
            watch.check()?;
            smoothers.improve_parts(y, robustness.as_deref(), &mut season, &mut trend);
        }
        if round < options.robust_rounds {
            let residuals: Vec<f64> = y
                .iter()
                .zip(trend.iter().zip(&season))
                .map(|(y, (t, s))| y - (t + s))
                .collect();
            robustness = Some(bisquare_weights(&residuals, y));
        }
    }
    if options.window == StlWindow::Periodic {
        average_cycles(&mut season, period);
    }
    let remainder = y
        .iter()
        .zip(trend.iter().zip(&season))
        .map(|(y, (t, s))| y - s - t);
    let remainder = remainder.collect();
    Ok(SeriesDecomposition {
        trend,
        season,
        remainder,
    })
}

/// Trend and remainder of a series without season: a robust local line over a window of about a tenth of the values, at least 7.
///
/// # Errors
/// [`SeriesError`] where the caller says no.
pub fn smooth_trend(y: &[f64], watch: &dyn Watch) -> Result<SeriesDecomposition, SeriesError> {
    let n = y.len();
    watch.reserve_doubles(8 * n)?;
    let window = next_odd((n / 10).max(7));
    let options = LoessOptions {
        window,
        is_line: true,
        jump: window.div_ceil(10),
    };
    let mut trend = smooth_series(y, options, None);
    for _ in 0..4 {
        watch.check()?;
        let residuals: Vec<f64> = y.iter().zip(&trend).map(|(y, t)| y - t).collect();
        trend = smooth_series(y, options, Some(&bisquare_weights(&residuals, y)));
    }
    Ok(SeriesDecomposition {
        remainder: y.iter().zip(&trend).map(|(y, t)| y - t).collect(),
        season: vec![0.0; n],
        trend,
    })
}

impl SeriesDecomposition {
    /// The series without its season.
    pub fn adjusted(&self) -> Vec<f64> {
        let pairs = self.trend.iter().zip(&self.remainder);
        pairs.map(|(trend, rest)| trend + rest).collect()
    }

    /// Strengths of the parts.
    ///
    /// # References
    /// R. J. Hyndman and G. Athanasopoulos, "Forecasting: Principles and Practice", 3rd ed., section 4.3.
    pub fn strength(&self) -> SeriesStrength {
        let rest = variance_of(self.remainder.iter().copied());
        let share = |part: &[f64]| {
            let both = variance_of(part.iter().zip(&self.remainder).map(|(a, b)| a + b));
            match both > 0.0 {
                true => (1.0 - rest / both).max(0.0),
                false => 0.0,
            }
        };
        SeriesStrength {
            trend: share(&self.trend),
            season: share(&self.season),
        }
    }
}

fn variance_of(values: impl Iterator<Item = f64> + Clone) -> f64 {
    let count = values.clone().count() as f64;
    let mean = values.clone().sum::<f64>() / count;
    values
        .map(|value| (value - mean) * (value - mean))
        .sum::<f64>()
        / count
}

fn next_odd(value: usize) -> usize {
    value + usize::from(value.is_multiple_of(2))
}

/// The three smoothers.
struct StlSmoothers {
    period: usize,
    season: LoessOptions,
    trend: LoessOptions,
    low: LoessOptions,
}

impl StlSmoothers {
    fn new(n: usize, options: StlOptions) -> Self {
        let window = match options.window {
            StlWindow::Periodic => 10 * n + 1,
            StlWindow::Periods(periods) => next_odd(periods.max(7)),
        };
        let period = options.period as f64;
        let trend = (1.5 * period / (1.0 - 1.5 / window as f64)).ceil() as usize;
        let smoother = |window: usize, is_line: bool| LoessOptions {
            window,
            is_line,
            jump: window.div_ceil(10),
        };
        Self {
            period: options.period,
            season: smoother(window, false),
            trend: smoother(next_odd(trend), true),
            low: smoother(next_odd(options.period), true),
        }
    }

    /// One inner round: the season of the series without trend, then the trend of the series without season.
    fn improve_parts(
        &self,
        y: &[f64],
        robustness: Option<&[f64]>,
        season: &mut [f64],
        trend: &mut Vec<f64>,
    ) {
        let without_trend: Vec<f64> = y.iter().zip(trend.iter()).map(|(y, t)| y - t).collect();
        let cycles = self.smooth_cycles(&without_trend, robustness);
        let filtered = moving_average(&cycles, self.period);
        let filtered = moving_average(&filtered, self.period);
        let low = smooth_series(&moving_average(&filtered, 3), self.low, None);
        let inside = &cycles[self.period..];
        for ((season, cycle), low) in season.iter_mut().zip(inside).zip(low) {
            *season = cycle - low;
        }
        let without_season: Vec<f64> = y.iter().zip(season.iter()).map(|(y, s)| y - s).collect();
        *trend = smooth_series(&without_season, self.trend, robustness);
    }

    /// Each of the subseries of one place in the period, smoothed and continued by one value at both ends: `n + 2 period` values.
    fn smooth_cycles(&self, y: &[f64], robustness: Option<&[f64]>) -> Vec<f64> {
        let period = self.period;
        let mut cycles = vec![0.0; y.len() + 2 * period];
        for place in 0..period {
            let pick = |values: &[f64]| -> Vec<f64> {
                values.iter().skip(place).step_by(period).copied().collect()
            };
            let part = pick(y);
            let weights = robustness.map(pick);
            let weights = weights.as_deref();
            let smooth = smooth_series(&part, self.season, weights);
            let (count, mut room) = (part.len(), vec![0.0; part.len()]);
            let mut beyond = |x: f64, window: (usize, usize), near: f64| {
                local_fit(&part, self.season, x, window, weights, &mut room).unwrap_or(near)
            };
            let width = self.season.window.min(count);
            let before = beyond(-1.0, (0, width - 1), smooth[0]);
            let after = beyond(count as f64, (count - width, count - 1), smooth[count - 1]);
            let whole = std::iter::once(before).chain(smooth).chain([after]);
            for (at, value) in whole.enumerate() {
                cycles[place + at * period] = value;
            }
        }
        cycles
    }
}

/// Means of so many neighbours, each computed from the one before.
fn moving_average(values: &[f64], width: usize) -> Vec<f64> {
    let mut sum: f64 = values[..width].iter().sum();
    let mut means = Vec::with_capacity(values.len() - width + 1);
    means.push(sum / width as f64);
    for (entering, leaving) in values[width..].iter().zip(values) {
        sum += entering - leaving;
        means.push(sum / width as f64);
    }
    means
}

/// Weights of robust rounds: bisquares of residuals over six times their median size; where that is rounding in the units of the series, six times their
/// mean size.
fn bisquare_weights(residuals: &[f64], y: &[f64]) -> Vec<f64> {
    let mut sizes: Vec<f64> = residuals.iter().map(|r| r.abs()).collect();
    sizes.sort_by(f64::total_cmp);
    let (low, high) = ((sizes.len() - 1) / 2, sizes.len() / 2);
    let floor = 1e-12 * y.iter().fold(0.0_f64, |most, value| most.max(value.abs()));
    let limit = match 3.0 * (sizes[low] + sizes[high]) {
        limit if limit > floor => limit,
        _ => floor.max(6.0 * sizes.iter().sum::<f64>() / sizes.len() as f64),
    };
    let weight = |residual: &f64| match residual.abs() {
        size if size <= 0.001 * limit => 1.0,
        size if size <= 0.999 * limit => (1.0 - (size / limit).powi(2)).powi(2),
        _ => 0.0,
    };
    residuals.iter().map(weight).collect()
}

/// Replaces each value by the mean of its place in the period.
fn average_cycles(season: &mut [f64], period: usize) {
    for place in 0..period {
        let of_place = || season.iter().skip(place).step_by(period);
        let mean = of_place().sum::<f64>() / of_place().count() as f64;
        let values = season.iter_mut().skip(place).step_by(period);
        values.for_each(|value| *value = mean);
    }
}
