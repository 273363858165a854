//! Kaplan and Meier's estimate.

use crate::distribution::normal_isf;

/// The estimate after a time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SurvivalPoint {
    /// The time of an event.
    pub time: f64,
    /// Rows that were still under observation before it.
    pub at_risk: usize,
    /// Events at it.
    pub events: usize,
    /// The share that survives it.
    pub survival: f64,
    /// Greenwood's standard error.
    pub standard_error: f64,
    /// Confidence interval on the scale log(-log).
    pub interval: [f64; 2],
}

/// A curve.
#[derive(Debug, Clone, PartialEq)]
pub struct SurvivalCurve {
    /// Rows.
    pub n: usize,
    /// Events.
    pub events: usize,
    /// The points, one for each time of an event.
    pub points: Vec<SurvivalPoint>,
    /// The first time after which at most half survive; `None` where more do.
    pub median: Option<f64>,
    /// Its confidence interval, where the curve's intervals cross a half.
    pub median_interval: [Option<f64>; 2],
    /// Mean time up to the last one (area under the curve).
    pub restricted_mean: f64,
    /// The last time.
    pub last_time: f64,
}

/// The curve of times, with whether each ended in the event.
///
/// # References
/// E. L. Kaplan and P. Meier, JASA 53, 1958; J. D. Kalbfleisch and R. L. Prentice, "The Statistical Analysis of Failure Time Data", 2nd ed., section 1.4,
/// for the interval.
pub fn kaplan_meier(times: &[f64], is_event: &[bool], confidence: f64) -> SurvivalCurve {
    let mut order: Vec<usize> = (0..times.len()).collect();
    order.sort_by(|a, b| times[*a].total_cmp(&times[*b]).then(a.cmp(b)));
    let z = normal_isf(0.5 * (1.0 - confidence));
    let (mut survival, mut sum, mut at) = (1.0, 0.0, 0);
    let (mut mean, mut before) = (0.0, 0.0);
    let mut points = Vec::new();
    while at < order.len() {
        let time = times[order[at]];
        let ties = order[at..]
            .iter()
            .take_while(|row| times[**row] == time)
            .count();
        let events = order[at..at + ties]
            .iter()
            .filter(|row| is_event[**row])
            .count();
        let at_risk = order.len() - at;
        mean += survival * (time - before);
        before = time;
        if events > 0 {
            let (d, r) = (events as f64, at_risk as f64);
            survival *= (r - d) / r;
            sum += d / (r * (r - d));
            points.push(SurvivalPoint {
                time,
                at_risk,
                events,
                survival,
                standard_error: if survival > 0.0 {
                    survival * sum.sqrt()
                } else {
                    0.0
                },
                interval: log_log_interval(survival, sum, z),
            });
        }
        at += ties;
    }
    let first = |of: &dyn Fn(&SurvivalPoint) -> f64| {
        let point = points.iter().find(|point| of(point) <= 0.5);
        point.map(|point| point.time)
    };
    SurvivalCurve {
        n: times.len(),
        events: is_event.iter().filter(|event| **event).count(),
        median: first(&|point| point.survival),
        median_interval: [
            first(&|point| point.interval[0]),
            first(&|point| point.interval[1]),
        ],
        restricted_mean: mean,
        last_time: before,
        points,
    }
}

fn log_log_interval(survival: f64, sum: f64, z: f64) -> [f64; 2] {
    if survival <= 0.0 {
        return [0.0, 0.0];
    }
    let log = survival.ln();
    let half = z * sum.sqrt() / log.abs();
    [(log * half.exp()).exp(), (log * (-half).exp()).exp()]
}
