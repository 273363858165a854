//! Change points of a series by the pruned exact search PELT.

use numerics::Watch;

use super::SeriesError;

/// Most places at which a change is looked for; of longer series every so many values are one place.
const PLACES_MAX: usize = 8_000;

/// What changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangeKind {
    /// The mean of each segment.
    Mean,
    /// The line in time of each segment.
    Line,
    /// The mean and the variance of each segment.
    Variance,
}

/// Where a segment begins.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ChangePoint {
    /// Place of the first value after the change, from 0.
    pub at: usize,
    /// Mean before: of the segment, or of its line at its end.
    pub before: f64,
    /// Mean after: of the segment, or of its line at its start.
    pub after: f64,
    /// Slope before, for lines.
    pub slope_before: f64,
    /// Slope after.
    pub slope_after: f64,
    /// By how much the change lowers the cost of its two segments; more than the penalty.
    pub gain: f64,
}

/// Change points with what they were judged by.
#[derive(Debug, Clone, PartialEq)]
pub struct ChangeSearch {
    /// The points, ascending.
    pub points: Vec<ChangePoint>,
    /// What a change has to gain.
    pub penalty: f64,
    /// The scale of the noise; of long runs where neighbours are correlated.
    pub noise: f64,
    /// The correlation of neighbours that the scale allows for.
    pub correlation: f64,
    /// Cost of all segments, penalties included.
    pub cost: f64,
    /// Values from one possible place to the next.
    pub step: usize,
}

/// The segments of least cost with a penalty for each change. The cost of a segment is its sum of squares about its mean or line over the variance of the
/// noise; the noise is that of differences of neighbours and of next neighbours, as medians, and allows for an autoregression of order 1. The penalty is
/// `(k + 1) ln n` for `k` parameters of a segment and the place of the change (3 ln n for means, 4 ln n for lines; 4 ln n for means and variances, whose
/// cost is the likelihood). Segments have at least `shortest` values, 2 for means and 4 otherwise. Exact on its places; costs at most the square of their number, and less where there are many changes.
///
/// # References
/// R. Killick, P. Fearnhead and I. A. Eckley, "Optimal detection of changepoints with a linear computational cost", J. Am. Stat. Assoc. 107, 2012;
/// N. R. Zhang and D. O. Siegmund, Biometrics 63, 2007 (the penalty).
///
/// # Errors
/// [`SeriesError`] for fewer than 8 values, a constant series, and where the caller says no.
pub fn find_changes(
    y: &[f64],
    kind: ChangeKind,
    shortest: usize,
    watch: &dyn Watch,
) -> Result<ChangeSearch, SeriesError> {
    if y.len() < 8 {
        return Err(SeriesError::TooShort {
            what: "a search for changes",
            needed: 8,
            found: y.len(),
        });
    }
    if y.iter().all(|value| *value == y[0]) {
        return Err(SeriesError::Constant);
    }
    watch.reserve_doubles(10 * y.len())?;
    let noise = NoiseScale::new(y);
    let costs = SegmentCosts::new(y, kind, noise.long_run);
    let count = y.len() as f64;
    let penalty = match kind {
        ChangeKind::Mean => 3.0 * count.ln(),
        ChangeKind::Line | ChangeKind::Variance => 4.0 * count.ln(),
    };
    let step = y.len().div_ceil(PLACES_MAX);
    let (bounds, cost) = search_segments(&costs, (step, shortest), penalty, watch)?;
    let points = bounds[1..bounds.len() - 1].iter().enumerate();
    let points = points.map(|(index, &at)| {
        let (from, to) = (bounds[index], bounds[index + 2]);
        let (left, right) = (costs.line(from, at), costs.line(at, to));
        ChangePoint {
            at,
            before: left.at_end,
            after: right.at_start,
            slope_before: left.slope,
            slope_after: right.slope,
            gain: costs.cost(from, to) - costs.cost(from, at) - costs.cost(at, to),
        }
    });
    Ok(ChangeSearch {
        points: points.collect(),
        penalty,
        noise: noise.long_run,
        correlation: noise.correlation,
        cost,
        step,
    })
}

/// The scale of the noise.
struct NoiseScale {
    long_run: f64,
    correlation: f64,
}

impl NoiseScale {
    fn new(y: &[f64]) -> Self {
        let variance = |lag: usize| {
            let mut sizes: Vec<f64> = y.iter().zip(&y[lag..]).map(|(a, b)| b - a).collect();
            let middle = median_in_place(&mut sizes);
            sizes
                .iter_mut()
                .for_each(|size| *size = (*size - middle).abs());
            let robust = 1.482_602_218_505_602 * median_in_place(&mut sizes);
            let count = sizes.len() as f64;
            let plain = (sizes.iter().map(|size| size * size).sum::<f64>() / count).sqrt();
            if robust > 1e-10 * plain {
                robust.powi(2)
            } else {
                plain.powi(2)
            }
        };
        let (near, next) = (variance(1), variance(2));
        let correlation = match near > 0.0 {
            true => (next / near - 1.0).clamp(0.0, 0.9),
            false => 0.0,
        };
        let variance = near / (2.0 * (1.0 - correlation));
        let long_run = variance * (1.0 + correlation) / (1.0 - correlation);
        Self {
            long_run: long_run.sqrt(),
            correlation,
        }
    }
}

pub(super) fn median_in_place(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    let count = values.len();
    0.5 * (values[(count - 1) / 2] + values[count / 2])
}

/// Sums from which the cost of any segment follows at once.
struct SegmentCosts {
    kind: ChangeKind,
    variance: f64,
    /// What was taken off the values.
    centre: f64,
    middle: f64,
    /// Sums of `y`, `y^2`, `t`, `t^2` and `t y` before each place; t counts from the middle.
    sums: Vec<[f64; 5]>,
}

/// A mean or line of a segment.
struct SegmentLine {
    at_start: f64,
    at_end: f64,
    slope: f64,
}

/// Centred sums of a segment.
struct SegmentMoments {
    count: f64,
    mean: f64,
    time: f64,
    yy: f64,
    tt: f64,
    ty: f64,
}

impl SegmentCosts {
    fn new(y: &[f64], kind: ChangeKind, noise: f64) -> Self {
        let mut sorted = y.to_vec();
        let centre = median_in_place(&mut sorted);
        let middle = 0.5 * (y.len() as f64 - 1.0);
        let mut sums = Vec::with_capacity(y.len() + 1);
        let mut sum = [0.0; 5];
        sums.push(sum);
        for (at, value) in y.iter().enumerate() {
            let (y, t) = (value - centre, at as f64 - middle);
            let terms = [y, y * y, t, t * t, t * y];
            sum.iter_mut()
                .zip(terms)
                .for_each(|(sum, term)| *sum += term);
            sums.push(sum);
        }
        let size = sorted
            .iter()
            .fold(0.0_f64, |most, value| most.max((value - centre).abs()));
        Self {
            kind,
            variance: noise.max(1e-12 * size).powi(2),
            centre,
            middle,
            sums,
        }
    }

    /// Fewest values of a segment.
    fn shortest(&self) -> usize {
        match self.kind {
            ChangeKind::Mean => 2,
            ChangeKind::Line => 4,
            ChangeKind::Variance => 4,
        }
    }

    fn moments(&self, from: usize, to: usize) -> SegmentMoments {
        let [y, yy, t, tt, ty] = {
            let (a, b) = (&self.sums[from], &self.sums[to]);
            [0, 1, 2, 3, 4].map(|k| b[k] - a[k])
        };
        let count = (to - from) as f64;
        SegmentMoments {
            count,
            mean: y / count,
            time: t / count,
            yy: (yy - y * y / count).max(0.0),
            tt: tt - t * t / count,
            ty: ty - t * y / count,
        }
    }

    fn cost(&self, from: usize, to: usize) -> f64 {
        let moments = self.moments(from, to);
        match self.kind {
            ChangeKind::Mean => moments.yy / self.variance,
            ChangeKind::Line => {
                let explained = match moments.tt > 0.0 {
                    true => moments.ty * moments.ty / moments.tt,
                    false => 0.0,
                };
                (moments.yy - explained).max(0.0) / self.variance
            }
            ChangeKind::Variance => {
                // A segment without spread has that of rounding.
                let spread = (moments.yy / moments.count).max(1e-6 * self.variance);
                moments.count * (spread / self.variance).ln()
            }
        }
    }

    fn line(&self, from: usize, to: usize) -> SegmentLine {
        let moments = self.moments(from, to);
        let slope = match self.kind == ChangeKind::Line && moments.tt > 0.0 {
            true => moments.ty / moments.tt,
            false => 0.0,
        };
        let at = |place: usize| {
            self.centre + moments.mean + slope * (place as f64 - self.middle - moments.time)
        };
        SegmentLine {
            at_start: at(from),
            at_end: at(to - 1),
            slope,
        }
    }
}

/// Bounds of the segments of least cost, from 0 to `n`, and the cost.
fn search_segments(
    costs: &SegmentCosts,
    (step, shortest): (usize, usize),
    penalty: f64,
    watch: &dyn Watch,
) -> Result<(Vec<usize>, f64), SeriesError> {
    let n = costs.sums.len() - 1;
    let shortest = shortest.max(costs.shortest()).min(n / 2).div_ceil(step);
    let count = n / step;
    let place = |index: usize| if index == count { n } else { index * step };
    let mut least = vec![f64::INFINITY; count + 1];
    let mut from = vec![0; count + 1];
    least[0] = -penalty;
    // Starts of a last segment, with the place at which each drops out.
    let mut starts: Vec<(usize, usize)> = vec![(0, usize::MAX)];
    for end in shortest..=count {
        if end % 64 == 0 {
            watch.check()?;
        }
        let newest = end - shortest;
        if newest >= shortest {
            starts.push((newest, usize::MAX));
        }
        starts.retain(|(_, until)| end < *until);
        for (start, until) in &mut starts {
            let before = least[*start] + costs.cost(place(*start), place(end));
            if before + penalty < least[end] {
                least[end] = before + penalty;
                from[end] = *start;
            }
            // Once worse than a change here, it stays so where a segment may begin here.
            if before > least[end] && *until == usize::MAX {
                *until = end + shortest;
            }
        }
    }
    let mut bounds = vec![n];
    let mut end = count;
    while end > 0 {
        end = from[end];
        bounds.push(place(end));
    }
    bounds.reverse();
    Ok((bounds, least[count]))
}
