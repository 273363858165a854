//! The table of families.

use super::Distribution;
use super::families::beta::{Beta, Binomial, FisherF, NegativeBinomial, StudentT};
use super::families::circular::VonMises;
use super::families::closed::{self, Closed};
use super::families::counts::{Logarithmic, Skellam, Zeta};
use super::families::discrete::{BetaBinomial, DiscreteUniform, Geometric, Hypergeometric};
use super::families::gamma::{InverseGamma, Maxwell, Poisson, StandardGamma};
use super::families::noncentral::{NoncentralChiSquared, NoncentralF, NoncentralT};
use super::families::normal::{HalfNormal, InverseGaussian, Lognormal, SkewNormal, StandardNormal};
use super::families::symmetric;
use super::scaled::Scaled;

use super::family::{Family, FamilyParameter, JointRange, MadeDistribution, ParameterRange};
use ParameterRange::{
    AboveOne, Integer, Line, NonNegative, OpenUnit, Positive, PositiveProbability, Probability,
    Whole,
};

const fn needed(name: &'static str, range: ParameterRange) -> FamilyParameter {
    FamilyParameter {
        name,
        range,
        default: None,
    }
}

const fn optional(name: &'static str, range: ParameterRange, default: f64) -> FamilyParameter {
    FamilyParameter {
        name,
        range,
        default: Some(default),
    }
}

const LOCATION: FamilyParameter = optional("location", Line, 0.0);
const SCALE: FamilyParameter = optional("scale", Positive, 1.0);
const SHAPE: FamilyParameter = needed("shape", Positive);
const P: FamilyParameter = needed("p", Probability);

fn boxed(distribution: impl Distribution + 'static) -> MadeDistribution {
    Ok(Box::new(distribution))
}

fn located(standard: impl Distribution + 'static, location: f64, scale: f64) -> MadeDistribution {
    boxed(Scaled {
        standard,
        location,
        scale,
    })
}

/// A family of the table of formulas on a range.
fn ranged(formulas: &'static closed::Formulas, low: f64, high: f64) -> MadeDistribution {
    match low < high && (high - low).is_finite() {
        true => located(Closed::new(formulas), low, high - low),
        false => Err(JointRange(1, format!("above `low` = {low}"))),
    }
}

const fn continuous(
    name: &'static str,
    aliases: &'static [&'static str],
    parameters: &'static [FamilyParameter],
    make: fn(&[f64]) -> MadeDistribution,
) -> Family {
    Family {
        name,
        aliases,
        parameters,
        is_discrete: false,
        make,
    }
}

const fn discrete(
    name: &'static str,
    aliases: &'static [&'static str],
    parameters: &'static [FamilyParameter],
    make: fn(&[f64]) -> MadeDistribution,
) -> Family {
    Family {
        name,
        aliases,
        parameters,
        is_discrete: true,
        make,
    }
}

fn make_triangular(v: &[f64]) -> MadeDistribution {
    let (low, mode, high) = (v[0], v[1], v[2]);
    if !(low < high && (high - low).is_finite()) {
        return Err(JointRange(2, format!("above `low` = {low}")));
    }
    if !(low..=high).contains(&mode) {
        return Err(JointRange(
            1,
            format!("from `low` = {low} to `high` = {high}"),
        ));
    }
    let shape = (mode - low) / (high - low);
    located(
        Closed::shaped(&symmetric::TRIANGULAR, shape, 0.0),
        low,
        high - low,
    )
}

fn make_hypergeometric(v: &[f64]) -> MadeDistribution {
    for place in [1, 2] {
        if v[place] > v[0] {
            return Err(JointRange(
                place,
                format!("at most `population` = {}", v[0]),
            ));
        }
    }
    boxed(Hypergeometric {
        population: v[0],
        marked: v[1],
        draws: v[2],
    })
}

/// Most trials of a beta-binomial count, whose tails are sums.
const SUMMED_MAX: f64 = 1e7;

fn make_beta_binomial(v: &[f64]) -> MadeDistribution {
    match v[0] <= SUMMED_MAX {
        true => boxed(BetaBinomial {
            n: v[0],
            a: v[1],
            b: v[2],
        }),
        false => Err(JointRange(0, format!("at most {SUMMED_MAX}"))),
    }
}

fn make_discrete_uniform(v: &[f64]) -> MadeDistribution {
    match v[0] <= v[1] {
        true => boxed(DiscreteUniform {
            low: v[0],
            high: v[1],
        }),
        false => Err(JointRange(1, format!("at least `low` = {}", v[0]))),
    }
}

/// Every family.
pub static FAMILIES: &[Family] = &[
    continuous(
        "normal",
        &["gaussian", "norm"],
        &[optional("mean", Line, 0.0), optional("sd", Positive, 1.0)],
        |v| located(StandardNormal, v[0], v[1]),
    ),
    continuous(
        "lognormal",
        &["log_normal", "lognorm"],
        &[optional("mu", Line, 0.0), optional("sigma", Positive, 1.0)],
        |v| {
            boxed(Lognormal {
                mu: v[0],
                sigma: v[1],
            })
        },
    ),
    continuous(
        "uniform",
        &[],
        &[optional("low", Line, 0.0), optional("high", Line, 1.0)],
        |v| ranged(&closed::UNIFORM, v[0], v[1]),
    ),
    continuous("exponential", &["expon"], &[SCALE], |v| {
        located(Closed::shaped(&closed::WEIBULL, 1.0, 0.0), 0.0, v[0])
    }),
    continuous("gamma", &[], &[SHAPE, SCALE], |v| {
        boxed(Scaled::by_scale(StandardGamma { shape: v[0] }, v[1]))
    }),
    continuous("inverse_gamma", &["invgamma"], &[SHAPE, SCALE], |v| {
        boxed(Scaled::by_scale(InverseGamma { shape: v[0] }, v[1]))
    }),
    continuous(
        "beta",
        &[],
        &[needed("a", Positive), needed("b", Positive)],
        |v| boxed(Beta { a: v[0], b: v[1] }),
    ),
    continuous(
        "chi_squared",
        &["chi2", "chi_square", "chisq"],
        &[needed("df", Positive)],
        |v| boxed(Scaled::by_scale(StandardGamma { shape: 0.5 * v[0] }, 2.0)),
    ),
    continuous(
        "student_t",
        &["t", "student"],
        &[needed("df", Positive), LOCATION, SCALE],
        |v| located(StudentT { df: v[0] }, v[1], v[2]),
    ),
    continuous(
        "f",
        &["fisher_f"],
        &[needed("df1", Positive), needed("df2", Positive)],
        |v| {
            boxed(FisherF {
                df1: v[0],
                df2: v[1],
            })
        },
    ),
    continuous("weibull", &["weibull_min"], &[SHAPE, SCALE], |v| {
        located(Closed::shaped(&closed::WEIBULL, v[0], 0.0), 0.0, v[1])
    }),
    continuous("gumbel", &["gumbel_r"], &[LOCATION, SCALE], |v| {
        located(Closed::new(&closed::GUMBEL), v[0], v[1])
    }),
    continuous("frechet", &[], &[SHAPE, SCALE], |v| {
        located(Closed::shaped(&closed::FRECHET, v[0], 0.0), 0.0, v[1])
    }),
    continuous(
        "gev",
        &["generalised_extreme_value", "generalized_extreme_value"],
        &[needed("shape", Line), LOCATION, SCALE],
        |v| located(Closed::shaped(&closed::GEV, v[0], 0.0), v[1], v[2]),
    ),
    continuous("pareto", &[], &[SHAPE, SCALE], |v| {
        located(Closed::shaped(&closed::PARETO, v[0], 0.0), 0.0, v[1])
    }),
    continuous(
        "generalised_pareto",
        &["generalized_pareto", "gpd", "genpareto"],
        &[needed("shape", Line), LOCATION, SCALE],
        |v| {
            located(
                Closed::shaped(&closed::GENERALISED_PARETO, v[0], 0.0),
                v[1],
                v[2],
            )
        },
    ),
    continuous("logistic", &[], &[LOCATION, SCALE], |v| {
        located(Closed::new(&symmetric::LOGISTIC), v[0], v[1])
    }),
    continuous(
        "log_logistic",
        &["loglogistic", "fisk"],
        &[SHAPE, SCALE],
        |v| {
            located(
                Closed::shaped(&symmetric::LOG_LOGISTIC, v[0], 0.0),
                0.0,
                v[1],
            )
        },
    ),
    continuous(
        "laplace",
        &["double_exponential"],
        &[LOCATION, SCALE],
        |v| located(Closed::new(&symmetric::LAPLACE), v[0], v[1]),
    ),
    continuous("cauchy", &[], &[LOCATION, SCALE], |v| {
        located(Closed::new(&symmetric::CAUCHY), v[0], v[1])
    }),
    continuous("half_normal", &["halfnorm"], &[SCALE], |v| {
        located(HalfNormal, 0.0, v[0])
    }),
    continuous("half_cauchy", &["halfcauchy"], &[SCALE], |v| {
        located(Closed::new(&symmetric::HALF_CAUCHY), 0.0, v[0])
    }),
    continuous("rayleigh", &[], &[SCALE], |v| {
        located(
            Closed::shaped(&closed::WEIBULL, 2.0, 0.0),
            0.0,
            v[0] * std::f64::consts::SQRT_2,
        )
    }),
    continuous("maxwell", &[], &[SCALE], |v| located(Maxwell, 0.0, v[0])),
    continuous(
        "triangular",
        &["triang"],
        &[
            optional("low", Line, 0.0),
            needed("mode", Line),
            optional("high", Line, 1.0),
        ],
        make_triangular,
    ),
    continuous(
        "inverse_gaussian",
        &["wald", "invgauss"],
        &[needed("mean", Positive), needed("shape", Positive)],
        |v| {
            boxed(InverseGaussian {
                mean: v[0],
                shape: v[1],
            })
        },
    ),
    continuous(
        "skew_normal",
        &["skewnorm"],
        &[needed("shape", Line), LOCATION, SCALE],
        |v| located(SkewNormal { shape: v[0] }, v[1], v[2]),
    ),
    continuous(
        "von_mises",
        &["vonmises"],
        &[
            optional("mean", Line, 0.0),
            needed("concentration", NonNegative),
        ],
        |v| located(VonMises::new(v[1]), v[0], 1.0),
    ),
    continuous(
        "arcsine",
        &[],
        &[optional("low", Line, 0.0), optional("high", Line, 1.0)],
        |v| ranged(&symmetric::ARCSINE, v[0], v[1]),
    ),
    continuous(
        "kumaraswamy",
        &[],
        &[needed("a", Positive), needed("b", Positive)],
        |v| boxed(Closed::shaped(&symmetric::KUMARASWAMY, v[0], v[1])),
    ),
    continuous(
        "noncentral_t",
        &["nct"],
        &[needed("df", Positive), needed("noncentrality", Line)],
        |v| {
            boxed(NoncentralT {
                df: v[0],
                noncentrality: v[1],
            })
        },
    ),
    continuous(
        "noncentral_chi_squared",
        &["ncx2"],
        &[needed("df", Positive), needed("noncentrality", NonNegative)],
        |v| {
            boxed(NoncentralChiSquared {
                df: v[0],
                noncentrality: v[1],
            })
        },
    ),
    continuous(
        "noncentral_f",
        &["ncf"],
        &[
            needed("df1", Positive),
            needed("df2", Positive),
            needed("noncentrality", NonNegative),
        ],
        |v| {
            boxed(NoncentralF {
                df1: v[0],
                df2: v[1],
                noncentrality: v[2],
            })
        },
    ),
    discrete("bernoulli", &[], &[P], |v| {
        boxed(Binomial { n: 1.0, p: v[0] })
    }),
    discrete("binomial", &["binom"], &[needed("n", Whole), P], |v| {
        boxed(Binomial { n: v[0], p: v[1] })
    }),
    discrete(
        "negative_binomial",
        &["nbinom"],
        &[needed("size", Positive), needed("p", PositiveProbability)],
        |v| {
            boxed(NegativeBinomial {
                size: v[0],
                p: v[1],
            })
        },
    ),
    discrete(
        "geometric",
        &["geom"],
        &[needed("p", PositiveProbability)],
        |v| boxed(Geometric { p: v[0] }),
    ),
    discrete(
        "hypergeometric",
        &["hypergeom"],
        &[
            needed("population", Whole),
            needed("marked", Whole),
            needed("draws", Whole),
        ],
        make_hypergeometric,
    ),
    discrete("poisson", &[], &[needed("rate", NonNegative)], |v| {
        boxed(Poisson { rate: v[0] })
    }),
    discrete(
        "discrete_uniform",
        &["randint"],
        &[needed("low", Integer), needed("high", Integer)],
        make_discrete_uniform,
    ),
    discrete(
        "beta_binomial",
        &["betabinom"],
        &[
            needed("n", Whole),
            needed("a", Positive),
            needed("b", Positive),
        ],
        make_beta_binomial,
    ),
    discrete("zeta", &["zipf"], &[needed("exponent", AboveOne)], |v| {
        boxed(Zeta::new(v[0]))
    }),
    discrete(
        "skellam",
        &[],
        &[needed("mu1", Positive), needed("mu2", Positive)],
        |v| {
            boxed(Skellam {
                mu1: v[0],
                mu2: v[1],
            })
        },
    ),
    discrete("logarithmic", &["logser"], &[needed("p", OpenUnit)], |v| {
        boxed(Logarithmic { p: v[0] })
    }),
];
