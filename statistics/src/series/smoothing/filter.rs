//! The recursion of a model over a series.

use super::fit::SmoothingParameters;
use super::{ErrorForm, SmoothingModel, SmoothingSeason, SmoothingTrend};

/// Level, slope and season at a time.
#[derive(Debug, Clone, PartialEq)]
pub struct SmoothingState {
    /// The level.
    pub level: f64,
    /// The slope; 0 without trend.
    pub slope: f64,
    /// The season of the next `period` steps, in their order; empty without season.
    pub season: Vec<f64>,
}

/// What a filter leaves.
pub(super) struct SmoothingPass {
    /// Sum of the squared errors.
    pub squares: f64,
    /// Sum of the logarithms of forecasts, for multiplicative errors.
    pub log_sum: f64,
    /// The state after the last value.
    pub end: SmoothingState,
}

/// One step ahead: the forecast, and the state after an error of it.
pub(super) struct SmoothingStepper<'a> {
    pub model: SmoothingModel,
    pub parameters: &'a SmoothingParameters,
    pub state: SmoothingState,
    /// Where the season of the next step is in the ring.
    pub at: usize,
}

impl SmoothingStepper<'_> {
    fn damped_slope(&self) -> f64 {
        match self.model.trend {
            SmoothingTrend::None => 0.0,
            SmoothingTrend::Additive => self.state.slope,
            SmoothingTrend::Damped => self.parameters.damping * self.state.slope,
        }
    }

    pub(super) fn forecast(&self) -> f64 {
        let base = self.state.level + self.damped_slope();
        match self.model.season {
            SmoothingSeason::None => base,
            SmoothingSeason::Additive => base + self.state.season[self.at],
            SmoothingSeason::Multiplicative => base * self.state.season[self.at],
        }
    }

    /// Takes a value in.
    pub(super) fn take(&mut self, value: f64) {
        let slope = self.damped_slope();
        let base = self.state.level + slope;
        let season = self.state.season.get(self.at).copied();
        let adjusted = match (self.model.season, season) {
            (SmoothingSeason::Additive, Some(season)) => value - season,
            (SmoothingSeason::Multiplicative, Some(season)) => value / season,
            _ => value,
        };
        let error = adjusted - base;
        self.state.level = base + self.parameters.alpha * error;
        if self.model.has_trend() {
            self.state.slope = slope + self.parameters.beta * error;
        }
        if let Some(season) = season {
            let observed = match self.model.season {
                SmoothingSeason::Multiplicative => value / base,
                _ => value - base,
            };
            self.state.season[self.at] = season + self.parameters.gamma * (observed - season);
            self.at = (self.at + 1) % self.state.season.len();
        }
    }
}

/// Runs a model over a series; `None` where a multiplicative form meets a forecast that is not above 0. Forecasts are told one by one.
pub(super) fn run_filter(
    y: &[f64],
    model: SmoothingModel,
    parameters: &SmoothingParameters,
    start: SmoothingState,
    mut tell: impl FnMut(f64, f64),
) -> Option<SmoothingPass> {
    let mut stepper = SmoothingStepper {
        model,
        parameters,
        state: start,
        at: 0,
    };
    let (mut squares, mut log_sum) = (0.0, 0.0);
    for &value in y {
        let forecast = stepper.forecast();
        if model.needs_positive() && forecast <= 0.0 {
            return None;
        }
        let error = match model.error {
            ErrorForm::Additive => value - forecast,
            ErrorForm::Multiplicative => {
                log_sum += forecast.ln();
                (value - forecast) / forecast
            }
        };
        squares += error * error;
        tell(forecast, error);
        stepper.take(value);
    }
    let at = stepper.at;
    stepper.state.season.rotate_left(at);
    (squares.is_finite() && log_sum.is_finite()).then_some(SmoothingPass {
        squares,
        log_sum,
        end: stepper.state,
    })
}
