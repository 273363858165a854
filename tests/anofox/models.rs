//! Regressions.

use anofox_regression::faer::{Col, Mat};
use anofox_regression::inference::{ClusterOptions, HcType};
use anofox_regression::prelude::{FittedRegressor, Regressor};
use anofox_regression::solvers::{
    BinomialRegressor, ElasticNetRegressor, GammaRegressor, GlmmDdf, GlmmRegressor,
    NegativeBinomialRegressor, OlsRegressor, PoissonRegressor, QuantileRegressor, RidgeRegressor,
    WlsRegressor,
};
use anofox_regression::{LambdaScaling, RegressionResult};

use crate::call::{Answer, call, try_call};
use crate::comparison::{Comparison, END, P, Tolerance, VALUE};
use crate::draws::{Draws, Shape};

/// A table of a response and predictors.
struct Data {
    columns: Vec<Vec<f64>>,
    y: Vec<f64>,
}

impl Data {
    /// Predictors of which each may follow the first one, and what a linear predictor makes of them.
    fn new(draws: &mut Draws, case: usize, least: usize, scale: f64) -> (Self, Vec<f64>) {
        let count = draws.whole(1, 4);
        let n = draws.size(least + 3 * count, 200);
        let first = draws.sample(n, Shape::Smooth, 0.0);
        let mut columns = vec![first.clone()];
        for _ in 1..count {
            let own = draws.sample(n, Shape::ALL[case % 4], 1.0);
            let slope = draws.normal();
            columns.push(
                first
                    .iter()
                    .zip(own)
                    .map(|(x, own)| slope * x + own)
                    .collect(),
            );
        }
        let slopes: Vec<f64> = (0..count).map(|_| scale * draws.normal()).collect();
        let predictor = (0..n)
            .map(|row| {
                let terms = slopes.iter().zip(&columns);
                0.3 + terms
                    .map(|(slope, column)| slope * column[row])
                    .sum::<f64>()
            })
            .collect();
        (
            Self {
                columns,
                y: Vec::new(),
            },
            predictor,
        )
    }

    fn linear(draws: &mut Draws, case: usize, least: usize) -> Self {
        let (mut data, predictor) = Self::new(draws, case, least, 1.0);
        let errors = draws.sample(predictor.len(), Shape::ALL[case / 4 % 4], 0.0);
        data.y = predictor
            .iter()
            .zip(errors)
            .map(|(mean, error)| mean + error)
            .collect();
        data
    }

    fn matrix(&self) -> Mat<f64> {
        Mat::from_fn(self.y.len(), self.columns.len(), |row, column| {
            self.columns[column][row]
        })
    }

    fn response(&self) -> Col<f64> {
        Col::from_fn(self.y.len(), |row| self.y[row])
    }

    /// The members of the JSON object `data`.
    fn members(&self) -> String {
        let columns = self.columns.iter().enumerate();
        let columns: Vec<String> = columns
            .map(|(at, column)| format!(r#","x{at}":{column:?}"#))
            .collect();
        format!(r#""y":{:?}{}"#, self.y, columns.concat())
    }

    fn formula(&self) -> String {
        let names: Vec<String> = (0..self.columns.len()).map(|at| format!("x{at}")).collect();
        format!("y ~ {}", names.join(" + "))
    }

    /// The answer of a tool that takes a formula over the table.
    fn fit(&self, tool: &str, rest: &str) -> Answer {
        let (members, formula) = (self.members(), self.formula());
        call(
            tool,
            &format!(r#"{{"data":{{{members}}},"formula":"{formula}"{rest}}}"#),
        )
    }
}

/// The constant, then the slopes.
fn joined(constant: Option<f64>, slopes: &Col<f64>) -> Vec<f64> {
    constant.into_iter().chain(slopes.iter().copied()).collect()
}

/// What a fit says of each coefficient: estimates, errors, statistics, p values, both ends.
struct Coefficients {
    estimates: Vec<f64>,
    errors: Vec<f64>,
    statistics: Vec<f64>,
    p: Vec<f64>,
    ends: [Vec<f64>; 2],
}

impl Coefficients {
    fn new(result: &RegressionResult) -> Self {
        let ends = result.intercept_conf_interval.unwrap();
        let slopes = |column: &Option<Col<f64>>| column.clone().unwrap();
        Self {
            estimates: joined(result.intercept, &result.coefficients),
            errors: joined(result.intercept_std_error, &slopes(&result.std_errors)),
            statistics: joined(result.intercept_t_statistic, &slopes(&result.t_statistics)),
            p: joined(result.intercept_p_value, &slopes(&result.p_values)),
            ends: [
                joined(Some(ends.0), &slopes(&result.conf_interval_lower)),
                joined(Some(ends.1), &slopes(&result.conf_interval_upper)),
            ],
        }
    }
}

/// How far fits by iterations may differ.
#[derive(Clone, Copy)]
struct Limits {
    value: Tolerance,
    p: Tolerance,
}

const EXACT: Limits = Limits { value: VALUE, p: P };
/// Theirs ends where the deviance no longer falls, with half its digits of the coefficients: it is made to take this many steps.
const STEPS: usize = 300;
const TO_THE_END: f64 = 1e-300;
/// Both ends of iterations.
const ITERATED: Limits = Limits {
    value: Tolerance {
        relative: 1e-7,
        absolute: 1e-9,
    },
    p: Tolerance {
        relative: 1e-6,
        absolute: 1e-12,
    },
};

/// Steps that shrink by a factor, and end by the deviance.
const SLOW: Limits = Limits {
    value: Tolerance {
        relative: 1e-6,
        absolute: 1e-9,
    },
    p: Tolerance {
        relative: 1e-5,
        absolute: 1e-12,
    },
};
const BOUNDED: Limits = Limits {
    value: Tolerance {
        relative: 1e-4,
        absolute: 1e-8,
    },
    p: Tolerance {
        relative: 1e-3,
        absolute: 1e-12,
    },
};

fn compare_terms(
    comparison: &mut Comparison,
    name: &str,
    ours: &Answer,
    theirs: &Coefficients,
    statistic: &str,
    limits: Limits,
) {
    for (at, term) in ours.entries("/terms").iter().enumerate() {
        let of = |part: &str| format!("{name} {part}");
        let value = limits.value;
        comparison.number(
            &of("estimate"),
            term.number("/estimate"),
            theirs.estimates[at],
            value.beside(theirs.errors[at]),
        );
        comparison.number(
            &of("error"),
            term.number("/standard_error"),
            theirs.errors[at],
            value,
        );
        let pointer = format!("/{statistic}");
        comparison.number(
            &of(statistic),
            term.number(&pointer),
            theirs.statistics[at],
            value.beside(1.0),
        );
        comparison.number(&of("p"), term.number("/p"), theirs.p[at], limits.p);
        let ends = match statistic {
            "t" if name != "quantile" => ["/interval/0", "/interval/1"],
            _ => ["/lower", "/upper"],
        };
        let end = Tolerance::relative(END.relative.max(value.relative)).beside(theirs.errors[at]);
        comparison.number(&of("low"), term.number(ends[0]), theirs.ends[0][at], end);
        comparison.number(&of("high"), term.number(ends[1]), theirs.ends[1][at], end);
    }
}

#[test]
fn least_squares() {
    let mut comparison = Comparison::default();
    for case in 0..200 {
        let mut draws = Draws::new("least squares", case);
        let data = Data::linear(&mut draws, case, 4);
        let (x, y) = (data.matrix(), data.response());
        let fitted = OlsRegressor::builder()
            .with_intercept(true)
            .build()
            .fit(&x, &y)
            .unwrap();
        let theirs = fitted.result();
        let ours = data.fit("linear_regression", "");
        comparison.begin(case, format!("{} rows", data.y.len()));
        compare_terms(
            &mut comparison,
            "classical",
            &ours,
            &Coefficients::new(theirs),
            "t",
            EXACT,
        );
        comparison.number("r2", ours.number("/r2"), theirs.r_squared, VALUE);
        comparison.number(
            "adjusted r2",
            ours.number("/adjusted_r2"),
            theirs.adj_r_squared,
            VALUE,
        );
        comparison.number("F", ours.number("/fit/f"), theirs.f_statistic, VALUE);
        comparison.number("p of F", ours.number("/fit/f_p"), theirs.f_pvalue, P);
        let likelihood = theirs.log_likelihood;
        comparison.number(
            "log likelihood",
            ours.number("/fit/log_likelihood"),
            likelihood,
            VALUE,
        );
        comparison.number(
            "deviation",
            ours.number("/residual_std"),
            theirs.mse.sqrt(),
            VALUE,
        );
        for (name, kind) in [
            ("HC0", HcType::HC0),
            ("HC1", HcType::HC1),
            ("HC2", HcType::HC2),
            ("HC3", HcType::HC3),
        ] {
            let theirs = fitted.hc_inference(&x, kind).unwrap();
            let constant = theirs.intercept.as_ref().unwrap();
            let found = Coefficients {
                estimates: joined(fitted.result().intercept, &fitted.result().coefficients),
                errors: joined(Some(constant.std_error), &theirs.std_errors),
                statistics: joined(Some(constant.t_statistic), &theirs.t_statistics),
                p: joined(Some(constant.p_value), &theirs.p_values),
                ends: [
                    joined(Some(constant.conf_interval.0), &theirs.conf_interval_lower),
                    joined(Some(constant.conf_interval.1), &theirs.conf_interval_upper),
                ],
            };
            let ours = data.fit("linear_regression", &format!(r#","errors":"{name}""#));
            compare_terms(&mut comparison, name, &ours, &found, "t", EXACT);
        }
    }
    comparison.end(200);
}

#[test]
fn clusters_and_weights() {
    let mut comparison = Comparison::default();
    for case in 0..200 {
        let mut draws = Draws::new("clusters", case);
        let data = Data::linear(&mut draws, case, 12);
        let (x, y) = (data.matrix(), data.response());
        let n = data.y.len();
        let count = draws.whole(3, 12);
        let cluster: Vec<usize> = (0..n).map(|at| at % count).collect();
        let cluster = draws.shuffled(&cluster);
        let fitted = OlsRegressor::builder()
            .with_intercept(true)
            .build()
            .fit(&x, &y)
            .unwrap();
        let theirs = fitted
            .cluster_vcov(&x, &[&cluster], &ClusterOptions::cr1())
            .unwrap();
        comparison.begin(case, format!("{n} rows"));
        let (members, formula) = (data.members(), data.formula());
        let ours = call(
            "linear_regression",
            &format!(
                r#"{{"data":{{{members},"c":{cluster:?}}},"formula":"{formula}","errors":"cluster","cluster":"c"}}"#
            ),
        );
        for (at, term) in ours.entries("/terms").iter().enumerate() {
            let error = theirs[(at, at)].sqrt();
            comparison.number(
                "clustered error",
                term.number("/standard_error"),
                error,
                VALUE,
            );
        }
        let weights: Vec<f64> = (0..n).map(|_| 0.2 + draws.uniform()).collect();
        let column = Col::from_fn(n, |row| weights[row]);
        let fitted = WlsRegressor::builder()
            .with_intercept(true)
            .weights(column)
            .build();
        let fitted = fitted.fit(&x, &y).unwrap();
        let ours = call(
            "linear_regression",
            &format!(
                r#"{{"data":{{{members},"w":{weights:?}}},"formula":"{formula}","weights":"w"}}"#
            ),
        );
        let theirs = Coefficients::new(fitted.result());
        compare_terms(&mut comparison, "weighted", &ours, &theirs, "t", EXACT);
    }
    comparison.end(200);
}

fn compare_glm(
    comparison: &mut Comparison,
    name: &str,
    ours: &Answer,
    theirs: &RegressionResult,
    deviance: f64,
) {
    // With these links theirs keeps probabilities away from 0 and 1; ours has the errors of statsmodels and of Newton's method to 9 digits.
    let limits = match name {
        "probit" | "cloglog" => BOUNDED,
        "gamma" => SLOW,
        _ => ITERATED,
    };
    compare_terms(
        comparison,
        name,
        ours,
        &Coefficients::new(theirs),
        "z",
        limits,
    );
    let part = |part: &str| format!("{name} {part}");
    comparison.number(
        &part("deviance"),
        ours.number("/fit/deviance"),
        deviance,
        VALUE,
    );
}

#[test]
fn binomial_models() {
    let mut comparison = Comparison::default();
    for case in 0..240 {
        let mut draws = Draws::new("binomial", case);
        let (mut data, predictor) = Data::new(&mut draws, case, 20, 0.5);
        data.y = predictor
            .iter()
            .map(|eta| f64::from(u8::from(draws.happens(1.0 / (1.0 + (-eta).exp())))))
            .collect();
        let (link, builder) = match case % 3 {
            0 => ("logit", BinomialRegressor::logistic()),
            1 => ("probit", BinomialRegressor::probit()),
            _ => ("cloglog", BinomialRegressor::cloglog()),
        };
        let (members, formula) = (data.members(), data.formula());
        let ours = try_call(
            "glm",
            &format!(
                r#"{{"data":{{{members}}},"formula":"{formula}","family":"binomial","link":"{link}"}}"#
            ),
        );
        let ours = match ours {
            Ok(ours) => ours,
            // Perfect separation is refused.
            Err(error) => {
                assert!(error.contains("separat"), "case {case}: {error}");
                continue;
            }
        };
        let builder = builder
            .with_intercept(true)
            .tolerance(TO_THE_END)
            .error_on_non_convergence(false)
            .max_iterations(STEPS);
        let theirs = builder
            .build()
            .fit(&data.matrix(), &data.response())
            .unwrap();
        comparison.begin(case, format!("{} rows", data.y.len()));
        compare_glm(
            &mut comparison,
            link,
            &ours,
            theirs.result(),
            theirs.deviance,
        );
        let null = theirs.null_deviance;
        comparison.number(
            "null deviance",
            ours.number("/fit/null_deviance"),
            null,
            VALUE,
        );
    }
    comparison.end(75);
}

#[test]
fn models_of_counts() {
    let mut comparison = Comparison::default();
    for case in 0..200 {
        let mut draws = Draws::new("counts", case);
        let (mut data, predictor) = Data::new(&mut draws, case, 12, 0.3);
        let spread = draws.one_of(&[0.0, 1.0]);
        data.y = predictor
            .iter()
            .map(|eta| {
                let mixed = spread * (-draws.uniform().ln()) + (1.0 - spread);
                draws.count(3.0 * eta.exp().min(20.0) * mixed) as f64
            })
            .collect();
        let (x, y) = (data.matrix(), data.response());
        comparison.begin(case, format!("{} rows", data.y.len()));
        let builder = PoissonRegressor::log()
            .with_intercept(true)
            .tolerance(TO_THE_END)
            .error_on_non_convergence(false);
        let theirs = builder.max_iterations(STEPS).build().fit(&x, &y).unwrap();
        let ours = data.fit("glm", r#","family":"poisson""#);
        compare_glm(
            &mut comparison,
            "Poisson",
            &ours,
            theirs.result(),
            theirs.deviance,
        );
        let likelihood = theirs.result().log_likelihood;
        comparison.number(
            "log likelihood",
            ours.number("/fit/log_likelihood"),
            likelihood,
            VALUE,
        );
        let alpha = 0.2 + draws.uniform();
        let builder = NegativeBinomialRegressor::with_theta(1.0 / alpha).with_intercept(true);
        let builder = builder
            .tolerance(TO_THE_END)
            .error_on_non_convergence(false)
            .max_iterations(STEPS);
        let theirs = builder.build().fit(&x, &y).unwrap();
        let ours = data.fit(
            "glm",
            &format!(r#","family":"negative_binomial","alpha":{alpha}"#),
        );
        compare_glm(
            &mut comparison,
            "negative binomial",
            &ours,
            theirs.result(),
            theirs.deviance,
        );
    }
    comparison.end(200);
}

#[test]
fn estimated_excess() {
    let mut comparison = Comparison::default();
    for case in 0..150 {
        let mut draws = Draws::new("excess", case);
        let (mut data, predictor) = Data::new(&mut draws, case, 40, 0.3);
        data.y = predictor
            .iter()
            .map(|eta| {
                let mean = 4.0 * eta.exp().min(20.0) * -draws.uniform().ln();
                draws.count(mean) as f64
            })
            .collect();
        let builder = NegativeBinomialRegressor::builder()
            .with_intercept(true)
            .estimate_theta(true);
        let builder = builder
            .tolerance(1e-14)
            .theta_tolerance(1e-14)
            .max_iterations(500);
        let builder = builder.theta_max_iter(500);
        let Ok(theirs) = builder.build().fit(&data.matrix(), &data.response()) else {
            continue;
        };
        let ours = data.fit("glm", r#","family":"negative_binomial""#);
        comparison.begin(case, format!("{} rows", data.y.len()));
        comparison.number(
            "alpha",
            ours.number("/alpha/estimate"),
            1.0 / theirs.family().theta,
            ITERATED.value,
        );
        compare_glm(
            &mut comparison,
            "terms",
            &ours,
            theirs.result(),
            theirs.deviance,
        );
    }
    comparison.end(100);
}

#[test]
fn gamma_models() {
    let mut comparison = Comparison::default();
    let mut refused = 0;
    for case in 0..200 {
        let mut draws = Draws::new("gamma", case);
        let (mut data, predictor) = Data::new(&mut draws, case, 12, 0.3);
        data.y = predictor
            .iter()
            .map(|eta| {
                eta.clamp(-3.0, 3.0).exp()
                    * -(draws.uniform() * draws.uniform() * draws.uniform()).ln()
            })
            .collect();
        let builder = GammaRegressor::builder()
            .with_intercept(true)
            .tolerance(1e-15);
        let theirs = builder
            .max_iterations(STEPS)
            .build()
            .fit(&data.matrix(), &data.response());
        // Theirs takes whole steps alone: beside rows far from all others they need not end.
        let Ok(theirs) = theirs else { continue };
        let (members, formula) = (data.members(), data.formula());
        let ours = try_call(
            "glm",
            &format!(
                r#"{{"data":{{{members}}},"formula":"{formula}","family":"gamma","link":"log"}}"#
            ),
        );
        let ours = match ours {
            Ok(ours) => ours,
            // Rows far from all others, between which steps of expected information go to and fro, in R too.
            Err(error) => {
                assert!(error.contains("did not converge"), "case {case}: {error}");
                refused += 1;
                continue;
            }
        };
        comparison.begin(case, format!("{} rows", data.y.len()));
        compare_glm(
            &mut comparison,
            "gamma",
            &ours,
            theirs.result(),
            theirs.inner().deviance,
        );
        let dispersion = theirs.inner().dispersion;
        comparison.number(
            "dispersion",
            ours.number("/fit/dispersion"),
            dispersion,
            SLOW.value,
        );
    }
    assert!(refused <= 4, "{refused} refused");
    comparison.end(120);
}

#[test]
fn quantiles() {
    let mut comparison = Comparison::default();
    for case in 0..200 {
        let mut draws = Draws::new("quantiles", case);
        let data = Data::linear(&mut draws, case, 8);
        let quantile = draws.one_of(&[0.5, 0.25, 0.9]);
        let builder = QuantileRegressor::builder()
            .tau(quantile)
            .with_intercept(true);
        let builder = builder.max_iterations(2000).tolerance(1e-12).epsilon(1e-10);
        let theirs = builder
            .build()
            .fit(&data.matrix(), &data.response())
            .unwrap();
        let ours = data.fit(
            "quantile_regression",
            &format!(r#","quantiles":[{quantile}]"#),
        );
        comparison.begin(case, format!("{} rows, quantile {quantile}", data.y.len()));
        comparison.number(
            "loss",
            ours.number("/quantiles/0/loss"),
            theirs.check_loss(),
            VALUE,
        );
        let estimates = joined(theirs.intercept(), theirs.coefficients());
        for (term, estimate) in ours.entries("/terms").iter().zip(estimates) {
            comparison.number("estimate", term.number("/estimate"), estimate, VALUE);
        }
    }
    comparison.end(200);
}

/// Divides by the standard deviation (of n).
fn scale_to_one(values: &mut [f64]) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let variance = values.iter().map(|y| (y - mean).powi(2)).sum::<f64>() / n;
    values.iter_mut().for_each(|y| *y /= variance.sqrt());
}

/// Columns less their means over their standard deviations (of n), and those.
fn standardised(data: &Data) -> (Mat<f64>, Vec<f64>) {
    let n = data.y.len() as f64;
    let mut scaled = Vec::new();
    let mut spreads = Vec::new();
    for column in &data.columns {
        let mean = column.iter().sum::<f64>() / n;
        let variance = column.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n;
        spreads.push(variance.sqrt());
        let scale = variance.sqrt();
        scaled.push(
            column
                .iter()
                .map(|x| (x - mean) / scale)
                .collect::<Vec<f64>>(),
        );
    }
    let matrix = Mat::from_fn(data.y.len(), scaled.len(), |row, column| {
        scaled[column][row]
    });
    (matrix, spreads)
}

#[test]
fn penalties() {
    let mut comparison = Comparison::default();
    for case in 0..200 {
        let mut draws = Draws::new("penalties", case);
        let mut data = Data::linear(&mut draws, case, 12);
        // glmnet, which theirs follows for the elastic net, divides the square part of the penalty by the deviation of the response.
        scale_to_one(&mut data.y);
        let strength = draws.one_of(&[0.01, 0.1, 0.5]);
        let (x, spreads) = standardised(&data);
        let y = data.response();
        let ridge = RidgeRegressor::builder()
            .with_intercept(true)
            .lambda(strength)
            .lambda_scaling(LambdaScaling::Glmnet)
            .build()
            .fit(&x, &y)
            .unwrap();
        let net = |share: f64| {
            let builder = ElasticNetRegressor::builder()
                .with_intercept(true)
                .lambda(strength)
                .alpha(share)
                .lambda_scaling(LambdaScaling::Glmnet)
                .tolerance(1e-24)
                .max_iterations(1_000_000);
            builder.build().fit(&x, &y).unwrap().coefficients().clone()
        };
        comparison.begin(case, format!("{} rows, strength {strength}", data.y.len()));
        let fits = [
            ("ridge", "", ridge.coefficients().clone()),
            ("lasso", "", net(1.0)),
            ("elastic_net", r#","l1_ratio":0.3"#, net(0.3)),
        ];
        for (penalty, rest, theirs) in fits {
            let ours = data.fit(
                "linear_regression",
                &format!(r#","penalty":"{penalty}","strength":{strength}{rest}"#),
            );
            for (at, spread) in spreads.iter().enumerate() {
                let slope = theirs[at] / spread;
                comparison.number(
                    penalty,
                    ours.number(&format!("/coefficients/{at}")),
                    slope,
                    ITERATED.value,
                );
            }
        }
    }
    comparison.end(200);
}

/// Theirs finds the variances by a search without derivatives: half the digits of the criterion.
const SEARCHED: Tolerance = Tolerance {
    relative: 1e-5,
    absolute: 1e-5,
};

#[test]
fn mixed_models() {
    let mut comparison = Comparison::default();
    for case in 0..100 {
        let mut draws = Draws::new("mixed", case);
        let mut data = Data::linear(&mut draws, case, 30);
        let n = data.y.len();
        let count = draws.whole(5, 12);
        let group: Vec<usize> = (0..n).map(|at| at % count).collect();
        let shifts: Vec<f64> = (0..count).map(|_| 2.0 * draws.normal()).collect();
        (0..n).for_each(|at| data.y[at] += shifts[group[at]]);
        for (name, is_reml) in [("reml", true), ("ml", false)] {
            let builder = GlmmRegressor::gaussian().with_intercept(true).reml(is_reml);
            let builder = builder.satterthwaite(true).tolerance(1e-14);
            let theirs = builder
                .build()
                .fit(&data.matrix(), &data.response(), &group)
                .unwrap();
            let (members, formula) = (data.members(), data.formula());
            let ours = call(
                "mixed_model",
                &format!(
                    r#"{{"data":{{{members},"g":{group:?}}},"formula":"{formula} + (1 | g)","method":"{name}"}}"#
                ),
            );
            comparison.begin(case, format!("{n} rows"));
            let of = |part: &str| format!("{name} {part}");
            let inference = theirs.inference(GlmmDdf::Satterthwaite, 0.95).unwrap();
            let df = inference.df.unwrap();
            for (at, term) in ours.entries("/terms").iter().enumerate() {
                let estimate = theirs.fixed_effects()[at];
                comparison.number(
                    &of("estimate"),
                    term.number("/estimate"),
                    estimate,
                    SEARCHED,
                );
                let error = inference.std_errors[at];
                comparison.number(
                    &of("error"),
                    term.number("/standard_error"),
                    error,
                    SEARCHED,
                );
                comparison.number(&of("df"), term.number("/df"), df[at], SEARCHED);
            }
            comparison.number(
                &of("criterion"),
                ours.number("/fit/criterion"),
                theirs.deviance(),
                VALUE,
            );
            comparison.number(
                &of("residuals"),
                ours.number("/residual_std"),
                theirs.sigma(),
                SEARCHED,
            );
            comparison.number(
                &of("deviation"),
                ours.number("/random/0/std"),
                theirs.sd_random(),
                SEARCHED,
            );
        }
    }
    comparison.end(100);
}
