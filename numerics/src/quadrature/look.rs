//! A second look: samples at irregular places, held against the polynomials of the panels, so that narrow peaks and waves in step with
//! the nodes are not overlooked.

use super::chart::RangeChart;
use super::engine::QuadratureEngine;
use super::hunt::ChartSamples;
use super::panel::{ChartSpan, QuadraturePanel};
use super::rule::interpolate_panel;
use super::{Bounds, QuadratureError};

/// Samples of a chart, in the order of their coordinates.
#[derive(Debug)]
pub(super) struct IrregularSamples {
    chart: usize,
    coordinates: Vec<f64>,
    values: Vec<f64>,
}

impl QuadratureEngine<'_, '_> {
    /// Takes samples of each chart: one in each cell, at a place that a golden-ratio sequence shifts. Half of the
    /// cells are of equal width, half of equal width of `log(u)`. Bounds of the integrand lead to further ones.
    pub(super) fn sample(
        &mut self,
        reaches: &[(usize, f64)],
        count: usize,
        bounds: Option<&Bounds<'_>>,
    ) -> Result<Vec<IrregularSamples>, QuadratureError> {
        const GOLDEN: f64 = 0.618_033_988_749_894_9;
        const OCTAVES: f64 = 30.0;
        /// Most bounds of all charts.
        const BOUNDS: usize = 1500;
        let each = count / reaches.len().max(1);
        let mut all = Vec::new();
        for &(chart, reach) in reaches {
            let half = each / 2;
            // Wide ranges down to the size of one, and a little below.
            let octaves = OCTAVES.max((reach.log2() + OCTAVES).floor());
            let mut shift = 0.0;
            let mut shifted = |index: usize| {
                shift += GOLDEN;
                if shift >= 1.0 {
                    shift -= 1.0;
                }
                index as f64 + shift
            };
            let mut coordinates = Vec::with_capacity(each);
            let step = reach / half as f64;
            coordinates.extend((0..half).map(|index| step * shifted(index)));
            let cells = (half / octaves as usize).max(1);
            let mut upper = reach;
            for _ in 0..half / cells {
                let step = upper / (2 * cells) as f64;
                coordinates.extend((0..cells).map(|index| upper - step * shifted(index)));
                upper /= 2.0;
            }
            coordinates.retain(|u| *u > 0.0 && *u <= reach);
            coordinates.sort_by(f64::total_cmp);
            let mut values = self.measured(chart, &coordinates)?;
            if let Some(bounds) = bounds {
                let seen = ChartSamples {
                    chart: self.charts[chart],
                    coordinates: &coordinates,
                    values: &values,
                };
                let left = self.evaluations_max.saturating_sub(self.evaluations);
                let most = (BOUNDS / reaches.len()).min(left as usize);
                let found = seen.hunt(reach, bounds, most);
                let more = self.measured(chart, &found)?;
                let mut both: Vec<(f64, f64)> = coordinates.into_iter().zip(values).collect();
                both.extend(found.into_iter().zip(more));
                both.sort_by(|a, b| a.0.total_cmp(&b.0));
                both.dedup_by_key(|one| one.0);
                (coordinates, values) = both.into_iter().unzip();
            }
            all.push(IrregularSamples {
                chart,
                coordinates,
                values,
            });
        }
        Ok(all)
    }

    /// Values at coordinates of a chart, in its measure.
    fn measured(&mut self, chart: usize, coordinates: &[f64]) -> Result<Vec<f64>, QuadratureError> {
        let chart = self.charts[chart];
        let places: Vec<f64> = coordinates.iter().map(|&u| chart.place(u).0).collect();
        let mut values = self.values(&places)?;
        if let RangeChart::Pair { origin, .. } = chart {
            let others = coordinates.iter().map(|&u| origin - chart.rounded(u));
            let others = self.values(&others.collect::<Vec<f64>>())?;
            for (value, other) in values.iter_mut().zip(others) {
                *value += other;
            }
        }
        for (value, &u) in values.iter_mut().zip(coordinates) {
            *value *= chart.place(u).1;
        }
        Ok(values)
    }

    /// Splits the panels whose polynomials miss samples by more than their error; how many there were.
    pub(super) fn look(&mut self, samples: &[IrregularSamples]) -> Result<usize, QuadratureError> {
        let target = self.target(&self.total());
        let mut panels: Vec<QuadraturePanel> = std::mem::take(&mut self.heap).into_vec();
        panels.append(&mut self.done);
        panels.sort_by(|a, b| {
            a.span
                .chart
                .cmp(&b.span.chart)
                .then(a.span.low.total_cmp(&b.span.low))
        });
        let mut split = Vec::new();
        let mut spans = Vec::new();
        for mut panel in panels {
            let found = samples.iter().find(|one| one.chart == panel.span.chart);
            match found.and_then(|one| missed_spans(&mut panel, one, target)) {
                None => self.keep(panel),
                Some(cuts) => {
                    split.push(panel.clone());
                    spans.extend(cuts);
                }
            }
        }
        for panel in self.measure(&spans)? {
            self.check_defined(&panel)?;
            self.keep(panel);
        }
        Ok(split.len())
    }
}

/// Where to cut a panel whose polynomial does not have the samples in it; a small difference is added to its error.
fn missed_spans(
    panel: &mut QuadraturePanel,
    samples: &IrregularSamples,
    target: f64,
) -> Option<Vec<ChartSpan>> {
    /// A share of the target that is not worth a cut, and the part of the error that a sample may be off by.
    const SHARE: f64 = 0.02;
    const OFF: f64 = 20.0;
    /// What lies between samples may be larger than they say.
    const STEEP: f64 = 5.0;
    let ChartSpan { chart, low, high } = panel.span;
    if high - low <= 64.0 * f64::EPSILON * high {
        return None;
    }
    let first = samples.coordinates.partition_point(|&u| u <= low);
    let last = samples.coordinates.partition_point(|&u| u < high);
    let largest = panel
        .values
        .iter()
        .fold(0.0_f64, |most, value| most.max(value.abs()));
    let scale = 2.0 / (high - low);
    let inside = samples.coordinates[first..last].iter();
    let mut smooth: Vec<f64> = inside.map(|u| (u - low) * scale - 1.0).collect();
    interpolate_panel(&panel.values, &mut smooth);
    let (mut area, mut worst) = (0.0, (0.0, first));
    for index in first..last {
        let u = samples.coordinates[index];
        // Half-way to the neighbours, and all the way to the ends.
        let before = if index > first {
            (samples.coordinates[index - 1] + u) / 2.0
        } else {
            low
        };
        let after = if index + 1 < last {
            (samples.coordinates[index + 1] + u) / 2.0
        } else {
            high
        };
        let given = samples.values[index];
        if !given.is_finite() {
            continue;
        }
        let off = (given - smooth[index - first]).abs();
        let off = off - 1e-13 * largest.max(given.abs());
        if off > 0.0 {
            area += off * (after - before);
            if off > worst.0 {
                worst = (off, index);
            }
        }
    }
    let known = panel.part.error + panel.part.noise;
    if area <= OFF * known || area <= SHARE * target {
        panel.part.error = panel.part.error.max(STEEP * area);
        return None;
    }
    // Narrow pieces around the worst sample, and ever wider ones to both ends, so that what surrounds a peak is seen too.
    let at = worst.1;
    let cell = (high - low) / (last - first) as f64;
    let cell = (samples.coordinates[(at + 1).min(last - 1)]
        - samples.coordinates[at.max(first + 1) - 1])
        .clamp(cell * 1e-3, cell * 1e3);
    let place = samples.coordinates[at];
    let mut cuts = vec![low, high];
    let mut reach = 2.0 * cell;
    while place - reach > low || place + reach < high {
        cuts.extend(
            [place - reach, place + reach]
                .into_iter()
                .filter(|u| low < *u && *u < high),
        );
        reach *= 4.0;
    }
    if cuts.len() == 2 {
        cuts.push(low + (high - low) / 2.0);
    }
    cuts.sort_by(f64::total_cmp);
    cuts.dedup();
    Some(
        cuts.windows(2)
            .map(|pair| ChartSpan::new(chart, pair[0], pair[1]))
            .collect(),
    )
}
