//! Exponential smoothing as models in state space, with additive and multiplicative errors, fitted by maximum likelihood.
//!
//! # References
//! R. J. Hyndman, A. B. Koehler, J. K. Ord and R. D. Snyder, "Forecasting with Exponential Smoothing", Springer, 2008: the models in chapter 2, likelihood
//! and start in chapter 5, forecasts in chapter 6.

mod filter;
mod fit;
mod forecast;
mod start;

use std::fmt;

pub use self::filter::SmoothingState;
pub use self::fit::{SmoothingFit, SmoothingParameters, choose_smoothing, fit_smoothing};
pub use self::forecast::{PathDraws, forecast_smoothing};

/// Largest period whose start of the season is estimated with the parameters; that of longer ones is the average of the first periods, as it is counted.
pub const ESTIMATED_SEASON_MAX: usize = 24;

/// How errors enter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorForm {
    /// Added to the forecast.
    Additive,
    /// As shares of the forecast.
    Multiplicative,
}

/// The trend of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SmoothingTrend {
    /// None.
    None,
    /// A slope that is added each step.
    Additive,
    /// A slope that is less in each step ahead.
    Damped,
}

/// The season of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SmoothingSeason {
    /// None.
    None,
    /// Added to the level.
    Additive,
    /// A factor of the level.
    Multiplicative,
}

/// A model of exponential smoothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SmoothingModel {
    /// How errors enter.
    pub error: ErrorForm,
    /// The trend.
    pub trend: SmoothingTrend,
    /// The season.
    pub season: SmoothingSeason,
    /// Values in a period; 1 without season.
    pub period: usize,
}

impl SmoothingModel {
    /// The models that are compared for a period: those with additive errors and a multiplicative season are left out, whose variance may be infinite, as
    /// in R's `ets`; multiplicative forms need values above 0.
    pub fn candidates(period: usize, is_positive: bool) -> Vec<Self> {
        use ErrorForm as Error;
        use SmoothingSeason as Season;
        use SmoothingTrend as Trend;
        let mut models = Vec::new();
        for error in [Error::Additive, Error::Multiplicative] {
            for season in [Season::None, Season::Additive, Season::Multiplicative] {
                for trend in [Trend::None, Trend::Additive, Trend::Damped] {
                    let is_unstable = error == Error::Additive && season == Season::Multiplicative;
                    let is_seasonal = season != Season::None;
                    let model = Self {
                        error,
                        trend,
                        season,
                        period: if is_seasonal { period } else { 1 },
                    };
                    let is_allowed =
                        (is_positive || !model.needs_positive()) && (!is_seasonal || period > 1);
                    if is_allowed && !is_unstable {
                        models.push(model);
                    }
                }
            }
        }
        models
    }

    /// Whether it is defined for values above 0 alone.
    pub fn needs_positive(self) -> bool {
        self.error == ErrorForm::Multiplicative || self.season == SmoothingSeason::Multiplicative
    }

    fn is_seasonal(self) -> bool {
        self.season != SmoothingSeason::None
    }

    fn has_trend(self) -> bool {
        self.trend != SmoothingTrend::None
    }

    /// Estimated parameters: smoothing, start, variance.
    fn parameter_count(self) -> usize {
        let trend = match self.trend {
            SmoothingTrend::None => 0,
            SmoothingTrend::Additive => 2,
            SmoothingTrend::Damped => 3,
        };
        let season = if self.is_seasonal() { self.period } else { 0 };
        3 + trend + season
    }
}

/// `ETS(M,Ad,M)`: error, trend, season.
impl fmt::Display for SmoothingModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let error = match self.error {
            ErrorForm::Additive => "A",
            ErrorForm::Multiplicative => "M",
        };
        let trend = match self.trend {
            SmoothingTrend::None => "N",
            SmoothingTrend::Additive => "A",
            SmoothingTrend::Damped => "Ad",
        };
        let season = match self.season {
            SmoothingSeason::None => "N",
            SmoothingSeason::Additive => "A",
            SmoothingSeason::Multiplicative => "M",
        };
        write!(f, "ETS({error},{trend},{season})")
    }
}
