//! [`ScaledTerms`]: random terms with columns of mean square 1, and their variations in units of the columns.

use super::fit::{ConditionalMode, MixedProblem, VarianceComponent};
use super::profile::relative_factor;
use crate::design::RandomDesign;

/// The random terms with columns of mean square 1.
pub(super) struct ScaledTerms {
    pub terms: Vec<RandomDesign>,
    scales: Vec<Vec<f64>>,
}

impl ScaledTerms {
    pub(super) fn new(random: &[RandomDesign]) -> Self {
        let mut terms = random.to_vec();
        let mut scales = Vec::with_capacity(terms.len());
        for term in &mut terms {
            let n = term.matrix.matrix.rows;
            let mut own = Vec::new();
            for column in term.matrix.matrix.high.chunks_exact_mut(n.max(1)) {
                let scale = numerics::dense::euclidean_norm(column) / (n as f64).sqrt();
                let scale = if scale > 0.0 { scale } else { 1.0 };
                column.iter_mut().for_each(|value| *value /= scale);
                own.push(scale);
            }
            scales.push(own);
        }
        Self { terms, scales }
    }

    /// The relative factor of each term in units of its columns, in the order of the terms.
    pub(super) fn factors(&self, problem: &MixedProblem<'_>, theta: &[f64]) -> Vec<Vec<f64>> {
        let mut out = vec![Vec::new(); self.terms.len()];
        for place in problem
            .products
            .leading
            .iter()
            .chain(&problem.products.others)
        {
            let columns = place.columns;
            let mut lambda = relative_factor(&theta[place.parameter..], columns);
            for (at, value) in lambda.iter_mut().enumerate() {
                *value /= self.scales[place.term][at / columns];
            }
            out[place.term] = lambda;
        }
        out
    }

    pub(super) fn components(
        &self,
        problem: &MixedProblem<'_>,
        theta: &[f64],
        sigma: f64,
    ) -> Vec<VarianceComponent> {
        let mut components = Vec::new();
        for (term, lambda) in self.terms.iter().zip(self.factors(problem, theta)) {
            let size = term.matrix.names.len();
            let row = |k: usize| &lambda[k * size..(k + 1) * size];
            let inner =
                |i: usize, j: usize| row(i).iter().zip(row(j)).map(|(a, b)| a * b).sum::<f64>();
            for (k, name) in term.matrix.names.iter().enumerate() {
                let variance = inner(k, k) * sigma * sigma;
                let correlation = |j: usize| inner(k, j) / (inner(k, k) * inner(j, j)).sqrt();
                components.push(VarianceComponent {
                    group: term.group.clone(),
                    name: name.clone(),
                    variance,
                    deviation: variance.sqrt(),
                    correlations: (0..k).map(correlation).collect(),
                });
            }
        }
        components
    }

    /// The mean over the rows of the variance of the random part, for residuals of variance 1.
    pub(super) fn mean_variance(&self, problem: &MixedProblem<'_>, theta: &[f64]) -> f64 {
        let mut sum = 0.0;
        for place in problem
            .products
            .leading
            .iter()
            .chain(&problem.products.others)
        {
            let lambda = relative_factor(&theta[place.parameter..], place.columns);
            let matrix = &self.terms[place.term].matrix.matrix;
            for column in 0..place.columns {
                for row in 0..matrix.rows {
                    let terms = (column..place.columns)
                        .map(|k| matrix.column(k)[row] * lambda[k * place.columns + column]);
                    sum += terms.sum::<f64>().powi(2);
                }
            }
        }
        sum / problem.rows as f64
    }

    /// Modes of scaled columns in units of the columns.
    pub(super) fn modes(&self, modes: &[Vec<f64>], scale: f64) -> Vec<Vec<f64>> {
        let of_term = |(modes, scales): (&Vec<f64>, &Vec<f64>)| {
            let values = modes.iter().enumerate();
            values
                .map(|(at, value)| value * scale / scales[at % scales.len()])
                .collect()
        };
        modes.iter().zip(&self.scales).map(of_term).collect()
    }

    pub(super) fn named_modes(
        &self,
        random: &[RandomDesign],
        modes: &[Vec<f64>],
    ) -> Vec<ConditionalMode> {
        let mut out = Vec::new();
        for (term, modes) in random.iter().zip(modes) {
            let size = term.matrix.names.len();
            for (level, values) in term.levels.iter().zip(modes.chunks_exact(size)) {
                out.push(ConditionalMode {
                    group: term.group.clone(),
                    level: level.clone(),
                    names: term.matrix.names.clone(),
                    values: values.to_vec(),
                });
            }
        }
        out
    }
}
