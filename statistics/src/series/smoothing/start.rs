//! Where a filter starts: season from the first periods, level and slope from a line through the first values.

use super::filter::SmoothingState;
use super::{SmoothingModel, SmoothingSeason};

/// The start by the first periods. Two whole periods are there.
///
/// # References
/// Hyndman and others, 2008, section 2.6.1.
pub(super) fn guess_start(y: &[f64], model: SmoothingModel) -> SmoothingState {
    let season = match model.season {
        SmoothingSeason::None => Vec::new(),
        form => first_season(y, model.period, form),
    };
    let adjusted = |at: usize| match (model.season, season.is_empty()) {
        (_, true) => y[at],
        (SmoothingSeason::Multiplicative, _) => y[at] / season[at % model.period],
        _ => y[at] - season[at % model.period],
    };
    let count = y.len().min(model.period.max(10));
    let values: Vec<f64> = (0..count).map(adjusted).collect();
    let mean = values.iter().sum::<f64>() / count as f64;
    let middle = 0.5 * (count as f64 - 1.0);
    let (mut products, mut spread) = (0.0, 0.0);
    for (at, value) in values.iter().enumerate() {
        let away = at as f64 - middle;
        products += away * (value - mean);
        spread += away * away;
    }
    let slope = if spread > 0.0 { products / spread } else { 0.0 };
    let has_trend = model.has_trend();
    let mut level = if has_trend {
        mean - slope * (middle + 1.0)
    } else {
        mean
    };
    if model.needs_positive() && level <= 0.0 {
        level = mean.max(f64::MIN_POSITIVE);
    }
    SmoothingState {
        level,
        slope: if has_trend { slope } else { 0.0 },
        season,
    }
}

/// The season of the first three periods at most, about centred moving averages.
fn first_season(y: &[f64], period: usize, form: SmoothingSeason) -> Vec<f64> {
    let reach = y.len().min(3 * period);
    let half = period / 2;
    let is_even = period.is_multiple_of(2);
    let mut sums = vec![(0.0, 0.0); period];
    for at in half..reach.saturating_sub(half) {
        let mut centre: f64 = y[at - half..=at + half].iter().sum();
        if is_even {
            centre -= 0.5 * (y[at - half] + y[at + half]);
        }
        centre /= period as f64;
        let part = match form {
            SmoothingSeason::Multiplicative if centre > 0.0 => y[at] / centre,
            SmoothingSeason::Multiplicative => 1.0,
            _ => y[at] - centre,
        };
        let (sum, count) = sums[at % period];
        sums[at % period] = (sum + part, count + 1.0);
    }
    let neutral = match form {
        SmoothingSeason::Multiplicative => 1.0,
        _ => 0.0,
    };
    let mut season: Vec<f64> = sums
        .iter()
        .map(|(sum, count)| if *count > 0.0 { sum / count } else { neutral })
        .collect();
    let mean = season.iter().sum::<f64>() / period as f64;
    for value in &mut season {
        match form {
            SmoothingSeason::Multiplicative => *value = (*value / mean).max(1e-2),
            _ => *value -= mean,
        }
    }
    season
}
