use super::diagnostics::{ChainDiagnostics, diagnose_chains};
use crate::special::normal_quantile;
use crate::watch::NoWatch;

fn diagnose(chains: &[Vec<f64>]) -> ChainDiagnostics {
    diagnose_chains(chains, &NoWatch).unwrap()
}

/// An autoregressive chain driven by a linear congruential generator: the same numbers in any language.
fn chain(seed: u32, draws: usize, memory: f64, shift: f64) -> Vec<f64> {
    let mut state = seed;
    let mut x = 0.0;
    (0..draws)
        .map(|_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            x = memory * x + (f64::from(state) / 4_294_967_296.0 - 0.5);
            x + shift
        })
        .collect()
}

fn chains(count: u32, draws: usize, memory: f64, apart: f64) -> Vec<Vec<f64>> {
    (0..count)
        .map(|index| chain(index + 1, draws, memory, apart * f64::from(index)))
        .collect()
}

/// Expected values: ArviZ 0.23.4 (`rhat(method="rank")`, `ess(method="bulk")`, `ess(method="tail")`, `mcse(method="mean")`)
/// on the same numbers.
#[test]
fn diagnostics_agree_with_arviz() {
    let mut rounded = chains(3, 400, 0.7, 0.0);
    rounded
        .iter_mut()
        .flatten()
        .for_each(|value| *value = (*value * 10.0).round_ties_even() / 10.0);
    for (name, chains, rhat, bulk, tail, mcse) in [
        (
            "slow",
            chains(4, 500, 0.9, 0.0),
            1.054185234455891,
            80.5438259815804,
            225.5309125111398,
            0.07443489877126405,
        ),
        (
            "apart",
            chains(4, 500, 0.5, 0.3),
            1.4176809192678261,
            8.459490745389072,
            51.78727484343267,
            0.15873763324376094,
        ),
        (
            "antithetic",
            chains(2, 501, -0.6, 0.0),
            1.0015395576389345,
            3000.0,
            755.5358826858625,
            0.006460864798211221,
        ),
        (
            "ties",
            rounded,
            1.0110593509476558,
            261.4447799840418,
            425.0373784462377,
            0.024459981956225514,
        ),
    ] {
        let found = diagnose(&chains);
        for (what, found, expected) in [
            ("rhat", found.rhat, rhat),
            ("bulk", found.ess_bulk, bulk),
            ("tail", found.ess_tail, tail),
            ("mcse", found.mcse, mcse),
        ] {
            // Sums in another order, a transform of another length: far below the statistical error.
            assert!(
                (found / expected - 1.0).abs() < 1e-9,
                "{name}, {what}: {found}, expected {expected}"
            );
        }
    }
    let single = diagnose(&[chain(7, 1000, 0.3, 0.0)]); // ArviZ gives no R-hat for one chain
    for (found, expected) in [
        (single.ess_bulk, 584.7986655982642),
        (single.ess_tail, 660.926046551055),
        (single.mcse, 0.011897937980251636),
    ] {
        assert!(
            (found / expected - 1.0).abs() < 1e-9,
            "{found}, expected {expected}"
        );
    }
    assert!(single.rhat > 0.99 && single.rhat < 1.05);
}

#[test]
fn chains_that_say_nothing_give_nan() {
    for chains in [
        vec![vec![1.0; 100]; 4],
        vec![vec![1.0, 2.0, 3.0]],
        vec![vec![]],
        vec![],
    ] {
        let found = diagnose(&chains);
        assert!(
            found.rhat.is_nan()
                && found.ess_bulk.is_nan()
                && found.ess_tail.is_nan()
                && found.mcse.is_nan()
        );
    }
}

/// Expected values: SciPy 1.17 `scipy.stats.norm.ppf`.
#[test]
fn normal_quantiles() {
    for (probability, expected) in [
        (0.5, 0.0),
        (0.975, 1.959963984540054),
        (0.025, -1.959963984540054),
        (0.841344746068543, 1.0),
        (1e-10, -6.361340902404056),
        (1e-300, -37.0470962993612),
        (0.9999, 3.719016485455709),
    ] {
        let found = normal_quantile(probability);
        assert!(
            (found - expected).abs() <= 2e-14 * f64::max(1.0, f64::abs(expected)),
            "{probability}: {found}"
        );
    }
}
