//! P values of several tests, corrected so that the chance of false findings stays what it was for one.
//!
//! # References
//! S. Holm, Scand. J. Stat. 6, 1979; Y. Hochberg, Biometrika 75, 1988; Y. Benjamini and Y. Hochberg, J. R. Stat. Soc. B 57, 1995; Y. Benjamini and D. Yekutieli,
//! Ann. Stat. 29, 2001.

/// How p values are corrected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PValueCorrection {
    /// Not at all.
    None,
    /// Times the number of tests: any false finding.
    Bonferroni,
    /// Bonferroni by steps, never weaker: any false finding.
    #[default]
    Holm,
    /// Holm's steps from the other end, for tests that are independent or positively dependent.
    Hochberg,
    /// Benjamini and Hochberg: the share of false findings among the findings.
    BenjaminiHochberg,
    /// Benjamini and Yekutieli: that share, whatever the dependence.
    BenjaminiYekutieli,
}

/// The corrected p values, in the order given; they are between 0 and 1.
pub fn correct_p_values(p: &[f64], correction: PValueCorrection) -> Vec<f64> {
    let n = p.len() as f64;
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|&a, &b| p[a].total_cmp(&p[b]));
    let mut corrected = p.to_vec();
    let harmonic: f64 = (1..=p.len()).map(|i| 1.0 / i as f64).sum();
    let factor = |place: usize| match correction {
        PValueCorrection::None => 1.0,
        PValueCorrection::Bonferroni => n,
        PValueCorrection::Holm | PValueCorrection::Hochberg => n - place as f64,
        PValueCorrection::BenjaminiHochberg => n / (place as f64 + 1.0),
        PValueCorrection::BenjaminiYekutieli => harmonic * n / (place as f64 + 1.0),
    };
    let is_step_up = !matches!(
        correction,
        PValueCorrection::None | PValueCorrection::Bonferroni | PValueCorrection::Holm
    );
    match is_step_up {
        true => {
            let mut least = 1.0_f64;
            for (place, &at) in order.iter().enumerate().rev() {
                least = least.min(factor(place) * p[at]);
                corrected[at] = least;
            }
        }
        false => {
            let mut most = 0.0_f64;
            for (place, &at) in order.iter().enumerate() {
                let value = (factor(place) * p[at]).min(1.0);
                most = match correction {
                    PValueCorrection::Holm => most.max(value),
                    _ => value,
                };
                corrected[at] = most;
            }
        }
    }
    corrected
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand, for 0.01, 0.02, 0.03, 0.04 in another order.
    #[test]
    fn corrections_by_hand() {
        let p = [0.03, 0.01, 0.04, 0.02];
        let near = |correction, expected: [f64; 4]| {
            let corrected = correct_p_values(&p, correction);
            for (value, expected) in corrected.iter().zip(expected) {
                assert!(
                    (value - expected).abs() < 1e-15,
                    "{correction:?} {corrected:?}"
                );
            }
        };
        near(PValueCorrection::None, p);
        near(PValueCorrection::Bonferroni, [0.12, 0.04, 0.16, 0.08]);
        near(PValueCorrection::Holm, [0.06, 0.04, 0.06, 0.06]);
        near(PValueCorrection::Hochberg, [0.04; 4]);
        near(PValueCorrection::BenjaminiHochberg, [0.04; 4]);
        near(
            PValueCorrection::BenjaminiYekutieli,
            [0.04 * 25.0 / 12.0; 4],
        );
        assert!(correct_p_values(&[], PValueCorrection::Holm).is_empty());
        assert_eq!(
            correct_p_values(&[0.6, 0.9], PValueCorrection::Holm),
            [1.0, 1.0]
        );
    }
}
