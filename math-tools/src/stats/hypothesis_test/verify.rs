//! A second opinion on `hypothesis_test`: the share of random regroupings whose p value is as small as the observed one.
//!
//! Under the hypothesis the observations of groups may change places, those of pairs their signs, and the rows of a cross table their columns,
//! so the share is the p value of the same statistic without its distribution.
//!
//! # References
//! B. Phipson and G. K. Smyth, "Permutation P-values should never be zero", Stat. Appl. Genet. Mol. Biol. 9, 2010: (b + 1) / (m + 1).

use statistics::hypothesis::PValueBasis;
use statistics::resampling::{draw_places, draw_signs};
use tool_core::{AnswerVerification, Ctx, ToolError, Verify};

use super::data::{TestData, read_data};
use super::dispatch::{TestSettings, run_test};
use super::names::TestName;
use super::{Args, Output};
use crate::stats::reporting::samples::SampleGroup;

const BY: &str = "2,000 random regroupings of the observations";
const COMPARED: &str = "p";
/// Random regroupings: four standard errors of a share of 0.05 are 0.02.
const REGROUPINGS: usize = 2000;
/// Seed of the regroupings, another stream than that of any permutation test.
const SEED: u64 = 0x5eed_0f7e_5715;
/// Observations times regroupings that are tried.
const OBSERVATIONS_MAX: usize = 20_000;
/// What an approximation of the distribution may be off by: so much, and so much of p.
const APPROXIMATION: (f64, f64) = (0.02, 0.25);

impl Verify for Args {
    fn verify(args: Self, output: &Output, ctx: &Ctx) -> Result<AnswerVerification, ToolError> {
        let unavailable = |reason: &str| Ok(AnswerVerification::unavailable(BY, COMPARED, reason));
        if !args.columns.is_empty() {
            return unavailable("tests of several columns are not computed again");
        }
        if !is_exchangeable(args.test) {
            return unavailable(
                "the hypothesis of this test does not say that observations may change places",
            );
        }
        let table = match &args.data {
            Some(data) => Some(data.load(ctx)?.into_table(ctx)?),
            None => None,
        };
        let data = read_data(&args, args.test.shape(), table.as_ref(), None, ctx)?;
        if data.count() > OBSERVATIONS_MAX as f64 {
            return unavailable("there are more than the 20,000 observations that it takes");
        }
        let own = TestSettings::new(&args, ctx);
        // The order of p values is that of the statistic; counting all arrangements anew for each regrouping takes too long.
        let settings = TestSettings {
            exact: Some(false),
            ..TestSettings::new(&args, ctx)
        };
        let observed = run_test(args.test, &data, &settings);
        let (Ok(observed), Ok(first)) = (observed, run_test(args.test, &data, &own)) else {
            return unavailable("the test has no answer in its quick form");
        };
        let mut shares = RegroupedShares::default();
        for draw in 0..REGROUPINGS {
            if draw % 64 == 0 {
                ctx.check()?;
            }
            let Some(regrouped) = regroup(&data, args.mu.map_or(0.0, |mu| mu.get()), draw as u64)
            else {
                return unavailable("data of this shape have no regroupings");
            };
            // A regrouping without an answer (all of one group equal) is no evidence against the hypothesis.
            let p = run_test(args.test, &regrouped, &settings).map_or(1.0, |result| result.p);
            shares.add(p, observed.p);
        }
        Ok(shares.compare(output.p, first.basis))
    }
}

/// What was counted of the regroupings.
#[derive(Debug, Clone, Copy, Default)]
struct RegroupedShares {
    /// Those whose p is at most the observed one.
    as_small: usize,
    /// The smallest p, and those that have it: no share is smaller.
    least: f64,
    at_least: usize,
}

impl RegroupedShares {
    fn add(&mut self, p: f64, observed: f64) {
        let is_at_most = |limit: f64| p <= limit * (1.0 + 1e-9);
        self.as_small += usize::from(is_at_most(observed));
        if self.at_least > 0 && is_at_most(self.least) && self.least <= p * (1.0 + 1e-9) {
            self.at_least += 1;
        } else if self.at_least == 0 || p < self.least {
            (self.least, self.at_least) = (p, 1);
        }
    }

    fn compare(self, p: f64, basis: PValueBasis) -> AnswerVerification {
        let draws = REGROUPINGS as f64;
        let share = (self.as_small as f64 + 1.0) / (draws + 1.0);
        let chance = 4.0 * (p.max(1.0 / draws) * (1.0 - p) / draws).sqrt() + 1.0 / draws;
        let approximation = match basis {
            PValueBasis::Exact => 0.0,
            // A distribution has tails beyond the most extreme arrangement of a few observations.
            _ => APPROXIMATION.0 + APPROXIMATION.1 * p + self.at_least as f64 / draws,
        };
        let tolerance = chance + approximation;
        // Probabilities are compared on their own scale, beside 1.
        AnswerVerification::of_numbers(BY, COMPARED, (&[p, 1.0], &[share, 1.0]), tolerance)
            .noting(format!("the share of regroupings is {share:.4}"))
    }
}

/// Whether the hypothesis says that observations, signs or columns may change places.
fn is_exchangeable(test: TestName) -> bool {
    matches!(
        test,
        TestName::TTest
            | TestName::TWelch
            | TestName::TPooled
            | TestName::TPaired
            | TestName::Yuen
            | TestName::MannWhitney
            | TestName::BrunnerMunzel
            | TestName::Wilcoxon
            | TestName::KsTwoSample
            | TestName::AndersonKSample
            | TestName::Anova
            | TestName::WelchAnova
            | TestName::KruskalWallis
            | TestName::ChiSquared
            | TestName::GTest
    )
}

/// The data with observations in other places; `None` where the shape has none.
fn regroup(data: &TestData, null: f64, draw: u64) -> Option<TestData> {
    match data {
        TestData::Groups(groups) if groups.len() > 1 => {
            Some(TestData::Groups(regroup_samples(groups, null, draw)?))
        }
        TestData::Groups(groups) => {
            let signs = draw_signs(groups[0].values.len(), (SEED, draw));
            let mut flipped = groups.clone();
            for (value, sign) in flipped[0].values.iter_mut().zip(signs) {
                *value = null + sign * (*value - null);
            }
            Some(TestData::Groups(flipped))
        }
        TestData::Conditions(pairs, missing) if pairs.len() == 2 => {
            let signs = draw_signs(pairs[0].values.len(), (SEED, draw));
            let mut changed = pairs.clone();
            for (row, sign) in signs.into_iter().enumerate() {
                if sign < 0.0 {
                    let (x, y) = (changed[0].values[row], changed[1].values[row]);
                    changed[0].values[row] = y + null;
                    changed[1].values[row] = x - null;
                }
            }
            Some(TestData::Conditions(changed, *missing))
        }
        TestData::Table(table, missing) => {
            let permuted = table.permuted(OBSERVATIONS_MAX, (SEED, draw))?;
            Some(TestData::Table(permuted, *missing))
        }
        _ => None,
    }
}

/// The observations of all groups over the groups again; those of the first less what the hypothesis says they are above.
fn regroup_samples(groups: &[SampleGroup], null: f64, draw: u64) -> Option<Vec<SampleGroup>> {
    let mut pooled: Vec<f64> = Vec::new();
    for (at, group) in groups.iter().enumerate() {
        let shift = if at == 0 { null } else { 0.0 };
        pooled.extend(group.values.iter().map(|value| value - shift));
    }
    let places = draw_places(pooled.len(), pooled.len(), false, (SEED, draw)).ok()?;
    let mut places = places.into_iter();
    let mut regrouped = groups.to_vec();
    for (at, group) in regrouped.iter_mut().enumerate() {
        let shift = if at == 0 { null } else { 0.0 };
        for value in &mut group.values {
            *value = pooled[places.next()?] + shift;
        }
    }
    Some(regrouped)
}

#[cfg(test)]
mod tests {
    use tool_core::VerificationOutcome::{Agrees, Differs};

    use super::*;

    #[test]
    fn the_smallest_share_is_counted() {
        let mut shares = RegroupedShares::default();
        for p in [0.5, 0.25, 0.25, 1.0, 0.125, 0.125] {
            shares.add(p, 0.25);
        }
        let RegroupedShares {
            as_small,
            least,
            at_least,
        } = shares;
        assert_eq!((as_small, least, at_least), (4, 0.125, 2));
    }

    #[test]
    fn a_share_that_is_another_than_p_differs() {
        for (p, as_small, basis, outcome) in [
            (0.05, 100, PValueBasis::Exact, Agrees),
            (0.05, 160, PValueBasis::Exact, Differs),
            (0.05, 160, PValueBasis::Distribution, Agrees),
            (0.05, 300, PValueBasis::Distribution, Differs),
            (0.5, 40, PValueBasis::Asymptotic, Differs),
            (1e-9, 0, PValueBasis::Exact, Agrees),
            (1e-9, 20, PValueBasis::Exact, Differs),
        ] {
            let shares = RegroupedShares {
                as_small,
                least: 1e-3,
                at_least: 1,
            };
            let verified = shares.compare(p, basis);
            assert_eq!(verified.outcome, outcome, "{p} {as_small} {verified:?}");
        }
    }
}
