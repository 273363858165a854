//! The set `aml` of R's package survival (R. G. Miller, "Survival Analysis", 1981): weeks of remission, with and without maintained chemotherapy.

use numerics::NoWatch;
use proptest::prelude::*;

use super::*;
use crate::design::{Formula, ModelColumn, ModelColumns, ModelFrame};
use crate::models::ModelError;

const WEEKS: [f64; 23] = [
    9.0, 13.0, 13.0, 18.0, 23.0, 28.0, 31.0, 34.0, 45.0, 48.0, 161.0, 5.0, 5.0, 8.0, 8.0, 12.0,
    16.0, 23.0, 27.0, 30.0, 33.0, 43.0, 45.0,
];
const RELAPSE: [bool; 23] = [
    true, true, false, true, true, false, true, true, false, true, false, true, true, true, true,
    true, false, true, true, true, true, true, true,
];

fn groups() -> Vec<u32> {
    (0..23).map(|row| u32::from(row >= 11)).collect()
}

fn near(found: f64, expected: f64, tolerance: f64) {
    assert!(
        (found - expected).abs() <= tolerance,
        "found {found}, expected {expected}"
    );
}

fn frame(columns: &[(&str, Vec<f64>)], formula: &str) -> ModelFrame {
    let columns = columns
        .iter()
        .map(|(name, values)| ((*name).to_owned(), ModelColumn::Numbers(values.clone())));
    let data = ModelColumns::new(columns.collect()).unwrap();
    ModelFrame::new(Formula::parse(formula, &[]).unwrap(), &data, &[], &NoWatch).unwrap()
}

fn request<'a>(frame: &'a ModelFrame, times: &'a [f64], is_event: &'a [bool]) -> CoxRequest<'a> {
    CoxRequest {
        design: &frame.design,
        times,
        is_event,
        strata: None,
        offset: None,
        ties: CoxTies::Efron,
        confidence: 0.95,
    }
}

/// `summary(survfit(Surv(time, status) ~ x, aml))`.
#[test]
fn curve_of_maintained_remissions() {
    let curve = kaplan_meier(&WEEKS[..11], &RELAPSE[..11], 0.95);
    let expected = [
        (9.0, 11, 0.909, 0.0867),
        (13.0, 10, 0.818, 0.1163),
        (18.0, 8, 0.716, 0.1397),
        (23.0, 7, 0.614, 0.1526),
        (31.0, 5, 0.491, 0.1642),
        (34.0, 4, 0.368, 0.1627),
        (48.0, 2, 0.184, 0.1535),
    ];
    assert_eq!(curve.points.len(), expected.len());
    for (point, (time, at_risk, survival, error)) in curve.points.iter().zip(expected) {
        assert_eq!((point.time, point.at_risk), (time, at_risk));
        near(point.survival, survival, 5e-4);
        near(point.standard_error, error, 5e-5);
    }
    assert_eq!((curve.median, curve.events), (Some(31.0), 7));
    // conf.type = "log-log" at 9 weeks: exp(-exp(log(-log(10/11)) +- 1.96 sqrt(1/110) / |log(10/11)|)).
    near(curve.points[0].interval[0], 0.5081, 1e-4);
    near(curve.points[0].interval[1], 0.9867, 1e-4);
    assert_eq!(
        kaplan_meier(&WEEKS[11..], &RELAPSE[11..], 0.95).median,
        Some(23.0)
    );
    let none = kaplan_meier(&[1.0, 2.0], &[false, false], 0.95);
    assert_eq!(
        (none.median, none.points.len(), none.restricted_mean),
        (None, 0, 2.0)
    );
}

/// `survdiff(Surv(time, status) ~ x, aml)`: expected 10.69 and 7.31, chi-squared 3.4, p 0.0653.
#[test]
fn log_rank_of_remissions() {
    let found = log_rank(&WEEKS, &RELAPSE, &groups(), None).unwrap();
    near(found.test.statistic, 3.396_389, 1e-6);
    near(found.test.p, 0.065_339, 1e-6);
    near(found.groups[0].expected, 10.69, 5e-3);
    assert_eq!(
        (found.groups[0].observed, found.groups[1].observed),
        (7, 11)
    );
    // Within strata that are the groups nothing is compared.
    assert!(log_rank(&WEEKS, &RELAPSE, &groups(), Some(&groups())).is_none());
    assert!(log_rank(&WEEKS, &RELAPSE, &[0; 23], None).is_none());
}

/// `coxph(Surv(time, status) ~ x, aml)`: 0.9155 with error 0.5119, likelihood ratio 3.38.
#[test]
fn cox_regression_of_remissions() {
    let x: Vec<f64> = groups().iter().map(|group| f64::from(*group)).collect();
    let frame = frame(&[("x", x)], "x");
    let fit = fit_cox(request(&frame, &WEEKS, &RELAPSE), &NoWatch).unwrap();
    near(fit.coefficients[0].estimate, 0.9155, 5e-5);
    near(fit.coefficients[0].standard_error, 0.5119, 5e-5);
    near(fit.coefficients[0].p, 0.0737, 5e-5);
    near(fit.likelihood_ratio.statistic, 3.38, 5e-3);
    near(fit.wald.unwrap().statistic, 3.2, 5e-2);
    let checks = fit
        .hazard_checks(&request(&frame, &WEEKS, &RELAPSE))
        .unwrap();
    near(
        checks.terms[0].test.statistic,
        checks.global.unwrap().statistic,
        1e-12,
    );
}

/// Without ties both treatments are the same, and the score test of a category is the log-rank test.
#[test]
fn without_ties_score_is_log_rank() {
    let times: Vec<f64> = WEEKS
        .iter()
        .enumerate()
        .map(|(row, time)| time + 1e-3 * row as f64)
        .collect();
    let x: Vec<f64> = groups().iter().map(|group| f64::from(*group)).collect();
    let frame = frame(&[("x", x)], "x");
    let efron = fit_cox(request(&frame, &times, &RELAPSE), &NoWatch).unwrap();
    let breslow = CoxRequest {
        ties: CoxTies::Breslow,
        ..request(&frame, &times, &RELAPSE)
    };
    let breslow = fit_cox(breslow, &NoWatch).unwrap();
    near(
        efron.coefficients[0].estimate,
        breslow.coefficients[0].estimate,
        1e-12,
    );
    let rank = log_rank(&times, &RELAPSE, &groups(), None).unwrap();
    near(efron.score.unwrap().statistic, rank.test.statistic, 1e-10);
}

#[test]
fn what_has_no_hazard_ratio_is_refused() {
    let times = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
    let all = [true; 6];
    let ordered = frame(&[("x", vec![6.0, 5.0, 4.0, 3.0, 2.0, 1.0])], "x");
    let fault = fit_cox(request(&ordered, &times, &all), &NoWatch).unwrap_err();
    assert!(
        matches!(&fault, ModelError::Separation { by } if by.contains('x')),
        "{fault}"
    );
    let fault = fit_cox(request(&ordered, &times, &[false; 6]), &NoWatch).unwrap_err();
    assert!(matches!(fault, ModelError::Unsuitable(_)));
    let constant = frame(&[("x", vec![1.0; 6])], "x");
    assert_eq!(
        fit_cox(request(&constant, &times, &all), &NoWatch).unwrap_err(),
        ModelError::NoColumns
    );
}

proptest! {
    /// Pairs counted one by one.
    #[test]
    fn concordance_counts_pairs(rows in prop::collection::vec((0..8_i32, any::<bool>(), 0..5_i32, 0..2_u32), 2..40)) {
        let times: Vec<f64> = rows.iter().map(|row| f64::from(row.0)).collect();
        let is_event: Vec<bool> = rows.iter().map(|row| row.1).collect();
        let risks: Vec<f64> = rows.iter().map(|row| f64::from(row.2)).collect();
        let strata: Vec<u32> = rows.iter().map(|row| row.3).collect();
        let found = measure_concordance(&times, &is_event, &risks, Some(&strata));
        let (mut concordant, mut discordant, mut tied) = (0, 0, 0);
        for i in (0..rows.len()).filter(|i| is_event[*i]) {
            for j in 0..rows.len() {
                let outlives = times[j] > times[i] || (times[j] == times[i] && !is_event[j]);
                if i != j && outlives && strata[i] == strata[j] {
                    match risks[i].total_cmp(&risks[j]) {
                        std::cmp::Ordering::Greater => concordant += 1,
                        std::cmp::Ordering::Less => discordant += 1,
                        std::cmp::Ordering::Equal => tied += 1,
                    }
                }
            }
        }
        prop_assert_eq!((found.concordant, found.discordant, found.tied), (concordant, discordant, tied));
    }
}
