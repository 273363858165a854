//! Series in time and times to an event.

use anofox_regression::faer::Mat;
use anofox_regression::survival::cox::{CoxInput, CoxOptions, Ties, coxph};
use anofox_statistics::{KmConfType, kaplan_meier, ljung_box, log_rank};

use crate::call::call;
use crate::comparison::{Comparison, END, P, Tolerance, VALUE};
use crate::draws::{Draws, Shape};

#[test]
fn ljung_and_box() {
    let mut comparison = Comparison::default();
    for case in 0..200 {
        let mut draws = Draws::new("Ljung-Box", case);
        let n = draws.size(4, 200);
        let mut x = draws.sample(n, Shape::ALL[case % 4], 0.0);
        let carried = draws.uniform();
        (1..n).for_each(|at| x[at] += carried * x[at - 1]);
        let lags = draws.whole(1, (n / 2).min(20));
        let theirs = ljung_box(&x, lags, 0).unwrap();
        let ours = call(
            "hypothesis_test",
            &format!(r#"{{"test":"ljung_box","x":{x:?},"lags":{lags}}}"#),
        );
        comparison.begin(case, format!("{n} values, {lags} lags"));
        comparison.number("Q", ours.number("/statistic"), theirs.statistic, VALUE);
        comparison.number("df", ours.number("/df/0"), theirs.df, VALUE);
        comparison.number("p", ours.number("/p"), theirs.p_value, P);
    }
    comparison.end(200);
}

/// Times, of which some are censored, by their covariates.
struct Lifetimes {
    time: Vec<f64>,
    event: Vec<bool>,
    group: Vec<String>,
    covariates: [Vec<f64>; 2],
}

fn lifetimes(draws: &mut Draws, case: usize) -> Lifetimes {
    let n = draws.size(12, 200);
    let count = draws.whole(2, 4);
    let group: Vec<String> = (0..n).map(|at| format!("g{}", at % count)).collect();
    let group = draws.shuffled(&group);
    let covariates = [Shape::Smooth, Shape::ALL[case % 4]].map(|shape| draws.sample(n, shape, 0.0));
    let slope = 0.4 * draws.normal();
    let censored = draws.one_of(&[0.0, 0.2, 0.5]);
    let mut time = Vec::new();
    let mut event: Vec<bool> = Vec::new();
    for value in &covariates[0] {
        let drawn = -draws.uniform().ln() * (-slope * value).exp() * 20.0;
        // Every other data set has many equal times.
        time.push(match case % 2 {
            0 => drawn + 1e-3,
            _ => drawn.ceil().min(60.0),
        });
        event.push(!draws.happens(censored));
    }
    event[0] = true;
    event[1] = true;
    event[2] = true;
    Lifetimes {
        time,
        event,
        group,
        covariates,
    }
}

#[test]
fn kaplan_and_meier_and_log_rank() {
    let mut comparison = Comparison::default();
    for case in 0..200 {
        let mut draws = Draws::new("survival", case);
        let Lifetimes {
            time, event, group, ..
        } = lifetimes(&mut draws, case);
        comparison.begin(case, format!("{} rows", time.len()));
        let ours = call(
            "survival",
            &format!(
                r#"{{"data":{{"t":{time:?},"e":{event:?}}},"time":"t","event":"e","points":1000}}"#
            ),
        );
        let theirs = kaplan_meier(&time, &event, KmConfType::LogLog, 0.95).unwrap();
        let mut points = ours.entries("/curve").into_iter();
        // Their curves have the censored times too.
        for at in (0..theirs.time.len()).filter(|at| theirs.n_event[*at] > 0) {
            let point = points.next().unwrap();
            comparison.number("time", point.number("/time"), theirs.time[at], VALUE);
            let at_risk = theirs.n_risk[at] as f64;
            comparison.number("at risk", point.number("/at_risk"), at_risk, VALUE);
            comparison.number(
                "survival",
                point.number("/survival"),
                theirs.survival[at],
                VALUE,
            );
            // Where nobody survives there are no errors and no interval.
            if theirs.survival[at] > 0.0 {
                let error = point.number("/standard_error");
                comparison.number("error", error, theirs.std_err[at], VALUE);
                if theirs.survival[at] < 1.0 {
                    comparison.number("low", point.number("/lower"), theirs.conf_low[at], END);
                    comparison.number("high", point.number("/upper"), theirs.conf_high[at], END);
                }
            }
        }
        assert!(
            points.next().is_none(),
            "case {case}: more points than events"
        );
        let theirs = log_rank(&time, &event, &group).unwrap();
        let ours = call(
            "survival",
            &format!(
                r#"{{"data":{{"t":{time:?},"e":{event:?},"g":{group:?}}},"time":"t","event":"e","group":"g"}}"#
            ),
        );
        comparison.number(
            "log-rank",
            ours.number("/test/statistic"),
            theirs.chisq,
            VALUE,
        );
        comparison.number("log-rank df", ours.number("/test/df"), theirs.df, VALUE);
        comparison.number("log-rank p", ours.number("/test/p"), theirs.p_value, P);
        for (group, expected) in theirs.groups.iter().zip(&theirs.expected) {
            let ours = ours.entry("/groups", "/group", group);
            comparison.number(
                "expected events",
                ours.number("/expected"),
                *expected,
                VALUE,
            );
        }
    }
    comparison.end(200);
}

/// Theirs halves its last step where the likelihood falls by rounding; ours has the coefficients of statsmodels' score equations to 9 digits.
const FITTED: Tolerance = Tolerance {
    relative: 1e-6,
    absolute: 1e-9,
};
const FITTED_P: Tolerance = Tolerance::p_value(1e-5);

#[test]
fn cox() {
    let mut comparison = Comparison::default();
    for case in 0..200 {
        let mut draws = Draws::new("Cox", case);
        let Lifetimes {
            time,
            event,
            covariates,
            ..
        } = lifetimes(&mut draws, case);
        let [first, second] = &covariates;
        let x = Mat::from_fn(time.len(), 2, |row, column| covariates[column][row]);
        for (name, ties) in [("efron", Ties::Efron), ("breslow", Ties::Breslow)] {
            let mut options = CoxOptions::default();
            options.ties = ties;
            options.eps = 1e-10;
            options.max_iter = 100;
            options.timefix = false;
            let theirs = coxph(&x, &CoxInput::new(&time, &event), &options).unwrap();
            // Coefficients that run away have no agreed end.
            if !theirs.converged || theirs.coefficients.iter().any(|value| value.abs() > 15.0) {
                continue;
            }
            let ours = call(
                "survival",
                &format!(
                    r#"{{"data":{{"t":{time:?},"e":{event:?},"a":{first:?},"b":{second:?}}},"formula":"Surv(t, e) ~ a + b","ties":"{name}"}}"#
                ),
            );
            comparison.begin(case, format!("{} rows", time.len()));
            let of = |part: &str| format!("{name} {part}");
            for (at, term) in ours.entries("/terms").iter().enumerate() {
                let estimate = theirs.coefficients[at];
                comparison.number(
                    &of("estimate"),
                    term.number("/estimate"),
                    estimate,
                    FITTED.beside(theirs.std_errors[at]),
                );
                let error = theirs.std_errors[at];
                comparison.number(&of("error"), term.number("/standard_error"), error, FITTED);
                comparison.number(
                    &of("z"),
                    term.number("/z"),
                    theirs.z[at],
                    FITTED.beside(1.0),
                );
                comparison.number(&of("p"), term.number("/p"), theirs.p_values[at], FITTED_P);
            }
            let fit = [
                ("log_likelihood", theirs.loglik.1),
                ("null_log_likelihood", theirs.loglik.0),
                ("likelihood_ratio", theirs.lr_test),
                ("wald", theirs.wald_test),
                ("score", theirs.score_test),
                ("concordance", theirs.concordance()),
            ];
            for (part, value) in fit {
                comparison.number(
                    &of(part),
                    ours.number(&format!("/fit/{part}")),
                    value,
                    FITTED,
                );
            }
        }
    }
    comparison.end(180);
}
