//! Where searches for the greatest likelihood start.

use super::families::circular::resultant_length;

/// Numbers of the sample from which searches start.
pub(super) struct SampleSketch {
    mean: f64,
    pub(super) sd: f64,
    median: f64,
    half_range: f64,
    least: f64,
    largest: f64,
    square: f64,
    ln_mean: f64,
    ln_sd: f64,
    skewness: f64,
}

impl SampleSketch {
    pub(super) fn new(values: &[f64]) -> Self {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let power = |k: i32| values.iter().map(|x| (x - mean).powi(k)).sum::<f64>() / n;
        let sd = power(2).sqrt();
        let at = |share: f64| sorted[((n - 1.0) * share) as usize];
        let logs: Vec<f64> = values.iter().map(|x| x.max(1e-300).ln()).collect();
        let ln_mean = logs.iter().sum::<f64>() / n;
        let ln_square = logs
            .iter()
            .map(|x| (x - ln_mean) * (x - ln_mean))
            .sum::<f64>()
            / n;
        Self {
            mean,
            sd,
            median: 0.5 * (sorted[(values.len() - 1) / 2] + sorted[values.len() / 2]),
            half_range: 0.5 * (at(0.75) - at(0.25)),
            least: sorted[0],
            largest: sorted[values.len() - 1],
            square: values.iter().map(|x| x * x).sum::<f64>() / n,
            ln_mean,
            ln_sd: ln_square.sqrt().max(1e-12),
            skewness: power(3) / sd.powi(3),
        }
    }

    /// Parameters near the maximum, in the order of the family.
    pub(super) fn starts(&self, family: &str, values: &[f64]) -> Vec<f64> {
        let (m, sd) = (self.mean, self.sd);
        let v = sd * sd;
        match family {
            "normal" => vec![m, sd],
            "lognormal" => vec![self.ln_mean, self.ln_sd],
            "uniform" | "discrete_uniform" => vec![self.least, self.largest],
            "exponential" | "half_cauchy" => {
                vec![m.abs().min(self.median.abs().max(1e-3 * m.abs()))]
            }
            "gamma" => vec![m * m / v, v / m],
            "inverse_gamma" => vec![m * m / v + 2.0, m * (m * m / v + 1.0)],
            "beta" | "kumaraswamy" => {
                let total = (m * (1.0 - m) / v - 1.0).max(0.1);
                vec![m * total, (1.0 - m) * total]
            }
            "chi_squared" => vec![m],
            "student_t" => vec![5.0, self.median, 0.7 * sd],
            "f" => vec![5.0, if m > 1.0 { 2.0 * m / (m - 1.0) } else { 10.0 }],
            "weibull" | "log_logistic" => vec![1.28 / self.ln_sd, self.ln_mean.exp()],
            "frechet" => vec![1.28 / self.ln_sd, (self.ln_mean - 0.45 * self.ln_sd).exp()],
            "gumbel" => vec![m - 0.45 * sd, 0.78 * sd],
            "gev" => vec![0.05, m - 0.45 * sd, 0.78 * sd],
            "pareto" => vec![1.0 / (self.ln_mean - self.least.ln()), self.least],
            "generalised_pareto" => vec![0.1, 0.0, 0.9 * m],
            "logistic" => vec![m, 0.55 * sd],
            "laplace" => vec![self.median, 0.7 * sd],
            "cauchy" => vec![self.median, self.half_range.max(1e-3 * sd)],
            "half_normal" => vec![self.square.sqrt()],
            "rayleigh" => vec![(0.5 * self.square).sqrt()],
            "maxwell" => vec![(self.square / 3.0).sqrt()],
            "inverse_gaussian" => vec![m, m.powi(3) / v],
            "skew_normal" => vec![
                2.0 * self.skewness.signum(),
                m - 0.6 * sd * self.skewness.signum(),
                1.2 * sd,
            ],
            "von_mises" => start_angles(values),
            "noncentral_t" => vec![10.0, m],
            "noncentral_chi_squared" => vec![0.5 * m, 0.5 * m],
            "noncentral_f" => vec![5.0, 10.0, 1.0],
            "bernoulli" => vec![m],
            "negative_binomial" => match v > m {
                true => vec![m * m / (v - m), m / v],
                false => vec![100.0 * m, 0.99],
            },
            "geometric" => vec![1.0 / (1.0 + m)],
            "poisson" => vec![m],
            "zeta" => vec![2.0],
            "skellam" => vec![0.5 * (v + m).max(0.1 * v), 0.5 * (v - m).max(0.1 * v)],
            "logarithmic" => vec![0.5],
            // `n` is given
            "binomial" => vec![self.largest, 0.5],
            "beta_binomial" => vec![self.largest, 1.0, 1.0],
            _ => Vec::new(),
        }
    }
}

/// Mean direction and concentration of angles (N. I. Fisher, Statistical Analysis of Circular Data, 1993, 4.41).
fn start_angles(values: &[f64]) -> Vec<f64> {
    let n = values.len() as f64;
    let sine = values.iter().map(|x| x.sin()).sum::<f64>() / n;
    let cosine = values.iter().map(|x| x.cos()).sum::<f64>() / n;
    let r = sine.hypot(cosine).min(1.0 - 1e-12);
    let (mut low, mut high) = (0.0, 1.0);
    while resultant_length(high) < r && high < 1e12 {
        high *= 2.0;
    }
    for _ in 0..80 {
        let middle = 0.5 * (low + high);
        match resultant_length(middle) < r {
            true => low = middle,
            false => high = middle,
        }
    }
    vec![sine.atan2(cosine), 0.5 * (low + high)]
}
