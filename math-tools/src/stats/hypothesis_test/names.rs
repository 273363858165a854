//! The tests by name, with the shape of their data and their claims.

use crate::prelude::*;

/// A test by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Encode, Decode, Describe)]
#[value(rename_all = "snake_case")]
pub(crate) enum TestName {
    /// Welch's t test of two groups; of one sample where there is no second one.
    #[value(alias = "t")]
    TTest,
    /// Student's test of a mean.
    #[value(alias = "one_sample_t")]
    TOneSample,
    /// Welch's test of two means.
    #[value(alias = "welch")]
    TWelch,
    /// Student's test of two means of one variance.
    #[value(alias = "student")]
    TPooled,
    /// Student's test of paired differences.
    #[value(alias = "paired_t")]
    TPaired,
    /// Yuen's test of two trimmed means.
    Yuen,
    /// Mann and Whitney's test by ranks, exact up to 50 in each group.
    #[value(alias = "wilcoxon_rank_sum")]
    MannWhitney,
    /// Brunner and Munzel's test by ranks, for different spreads.
    BrunnerMunzel,
    /// Wilcoxon's signed-rank test of a sample or of pairs, exact up to 50.
    #[value(alias = "signed_rank")]
    Wilcoxon,
    /// The sign test of a median, of a sample or of pairs.
    #[value(alias = "sign_test")]
    Sign,
    /// Permutation test of two or more means.
    Permutation,
    /// Permutation test of paired differences by their signs.
    PermutationPaired,
    /// Kolmogorov and Smirnov's test against the distribution named by `distribution`.
    KsOneSample,
    /// Smirnov's test of two distributions, exact with ties.
    #[value(alias = "ks", alias = "kolmogorov_smirnov")]
    KsTwoSample,
    /// Anderson and Darling's test of normality.
    AndersonDarling,
    /// Anderson and Darling's test of several distributions.
    #[value(alias = "anderson_ksamp")]
    AndersonKSample,
    /// Shapiro and Wilk's test of normality, 3 to 5000 values.
    #[value(alias = "shapiro")]
    ShapiroWilk,
    /// Lilliefors' test of normality.
    Lilliefors,
    /// Jarque and Bera's test of normality by skewness and kurtosis.
    JarqueBera,
    /// Levene's test of equal variances.
    Levene,
    /// Levene's test about medians.
    BrownForsythe,
    /// Bartlett's test of equal variances of normal groups.
    Bartlett,
    /// One-way analysis of variance.
    #[value(alias = "one_way_anova")]
    Anova,
    /// Welch's analysis of variance, for different variances.
    WelchAnova,
    /// Kruskal and Wallis's test by ranks, exact for a few observations (three groups of 13).
    #[value(alias = "kruskal")]
    KruskalWallis,
    /// Friedman's test of conditions of the same subjects by ranks, exact for a few subjects (four conditions of 25).
    Friedman,
    /// Cochran's Q of conditions of the same subjects, 0 or 1.
    #[value(alias = "cochran")]
    CochranQ,
    /// Chi-squared: independence of a `table`, or goodness of fit of the counts `x`.
    #[value(alias = "chi2")]
    ChiSquared,
    /// G: the same by the likelihood ratio.
    #[value(alias = "g")]
    GTest,
    /// Fisher's exact test of a `table` of any shape.
    #[value(alias = "fisher")]
    FisherExact,
    /// Barnard's exact test of two groups, the rows of a `table`.
    Barnard,
    /// McNemar's test of a `table` of two classifications of the same subjects.
    Mcnemar,
    /// Exact test of a proportion: `successes` of `trials`.
    Binomial,
    /// Test of two or more proportions: lists `successes` and `trials`.
    #[value(alias = "prop_test")]
    Proportions,
    /// Exact test of one or two rates: `events` over `exposure`.
    #[value(alias = "poisson")]
    PoissonRate,
    /// Ljung and Box's test of autocorrelation up to `lags`.
    LjungBox,
    /// Augmented Dickey-Fuller test of a unit root; `trend`, `lags`.
    #[value(alias = "dickey_fuller")]
    Adf,
    /// KPSS test of stationarity; `trend`, `lags`.
    Kpss,
    /// Wald and Wolfowitz's runs test about the median.
    Runs,
}

/// What data a test takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SampleShape {
    /// One sample.
    One,
    /// One sample, or two.
    OneOrTwo,
    /// One sample, or pairs whose differences are one.
    OneOrPairs,
    /// Two groups.
    Two,
    /// Two values of each subject.
    Pairs,
    /// Two groups or more.
    Groups,
    /// Values of each subject in several conditions.
    Conditions,
    /// A table of counts.
    Table,
    /// A table of counts, or a list of them.
    Counts,
    /// Successes of trials.
    Successes,
    /// Events over exposures.
    Events,
}

/// What a small p value says, and what a large one did not find.
pub(crate) struct TestClaim {
    pub finding: &'static str,
    pub nothing: &'static str,
}

impl TestName {
    /// What data it takes.
    pub(crate) fn shape(self) -> SampleShape {
        match self {
            Self::TTest => SampleShape::OneOrTwo,
            Self::TOneSample
            | Self::KsOneSample
            | Self::AndersonDarling
            | Self::ShapiroWilk
            | Self::Lilliefors
            | Self::JarqueBera
            | Self::LjungBox
            | Self::Adf
            | Self::Kpss
            | Self::Runs => SampleShape::One,
            Self::TWelch
            | Self::TPooled
            | Self::Yuen
            | Self::MannWhitney
            | Self::BrunnerMunzel
            | Self::KsTwoSample => SampleShape::Two,
            Self::TPaired | Self::PermutationPaired => SampleShape::Pairs,
            Self::Wilcoxon | Self::Sign => SampleShape::OneOrPairs,
            Self::Permutation
            | Self::AndersonKSample
            | Self::Levene
            | Self::BrownForsythe
            | Self::Bartlett
            | Self::Anova
            | Self::WelchAnova
            | Self::KruskalWallis => SampleShape::Groups,
            Self::Friedman | Self::CochranQ => SampleShape::Conditions,
            Self::ChiSquared | Self::GTest => SampleShape::Counts,
            Self::FisherExact | Self::Barnard | Self::Mcnemar => SampleShape::Table,
            Self::Binomial | Self::Proportions => SampleShape::Successes,
            Self::PoissonRate => SampleShape::Events,
        }
    }

    /// What its p value speaks about.
    pub(crate) fn claim(self) -> TestClaim {
        let (finding, nothing) = match self {
            Self::TTest | Self::TWelch | Self::TPooled | Self::Permutation => {
                ("The means differ", "difference of means")
            }
            Self::TOneSample => (
                "The mean differs from the expected one",
                "difference from the expected mean",
            ),
            Self::TPaired | Self::PermutationPaired => {
                ("The pairs differ on average", "difference within pairs")
            }
            Self::Yuen => ("The trimmed means differ", "difference of trimmed means"),
            Self::MannWhitney | Self::BrunnerMunzel => (
                "Values of one group tend to be larger",
                "tendency of one group to larger values",
            ),
            Self::Wilcoxon => (
                "The values are not centred where expected",
                "shift from the expected centre",
            ),
            Self::Sign => ("The median is not where expected", "shift of the median"),
            Self::KsOneSample => (
                "The values are not of the named distribution",
                "departure from the named distribution",
            ),
            Self::KsTwoSample => (
                "The two distributions differ",
                "difference of the distributions",
            ),
            Self::AndersonDarling | Self::ShapiroWilk | Self::Lilliefors | Self::JarqueBera => (
                "The values do not look normally distributed",
                "departure from a normal distribution",
            ),
            Self::AndersonKSample => (
                "The distributions of the groups differ",
                "difference of the distributions",
            ),
            Self::Levene | Self::BrownForsythe => (
                "The spreads of the groups differ",
                "difference of the spreads",
            ),
            Self::Bartlett => (
                "The variances of the groups differ",
                "difference of the variances",
            ),
            Self::Anova | Self::WelchAnova => (
                "The means of the groups differ",
                "difference between the means",
            ),
            Self::KruskalWallis => (
                "Values of some groups tend to be larger",
                "tendency of some group to larger values",
            ),
            Self::Friedman => (
                "Values of some conditions tend to be larger",
                "difference between the conditions",
            ),
            Self::CochranQ => (
                "The shares of the conditions differ",
                "difference between the conditions",
            ),
            Self::ChiSquared | Self::GTest => {
                ("The counts are not as expected", "departure of the counts")
            }
            Self::FisherExact => (
                "Rows and columns are associated",
                "association of rows and columns",
            ),
            Self::Barnard => (
                "The shares of the two groups differ",
                "difference of the shares",
            ),
            Self::Mcnemar => (
                "The two classifications differ",
                "difference of the two classifications",
            ),
            Self::Binomial => (
                "The proportion is not as expected",
                "departure from the expected proportion",
            ),
            Self::Proportions => ("The proportions differ", "difference of the proportions"),
            Self::PoissonRate => ("The rate is not as expected", "departure of the rate"),
            Self::LjungBox => ("The series is correlated with its past", "autocorrelation"),
            Self::Adf => (
                "The series returns to its level and has no unit root",
                "sign that the series returns to a level",
            ),
            Self::Kpss => (
                "The series is not stationary",
                "departure from stationarity",
            ),
            Self::Runs => (
                "The order of the values is not random",
                "pattern in the order of the values",
            ),
        };
        TestClaim { finding, nothing }
    }
}
