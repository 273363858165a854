use numerics::NoWatch;

use super::*;
use crate::design::{CategoryColumn, Formula, ModelColumn, ModelColumns, ModelFrame};
use crate::models::ModelError;
use crate::models::linear::ErrorEstimate;

fn labels(text: &str) -> ModelColumn {
    ModelColumn::Categories(CategoryColumn::from_labels(text.split(' ').map(Some)))
}

fn frame(columns: Vec<(&str, ModelColumn)>, formula: &str) -> ModelFrame {
    let columns = columns
        .into_iter()
        .map(|(name, column)| (name.to_owned(), column));
    let data = ModelColumns::new(columns.collect()).unwrap();
    ModelFrame::new(Formula::parse(formula, &[]).unwrap(), &data, &[], &NoWatch).unwrap()
}

fn request(frame: &ModelFrame, family: GlmFamily) -> GlmRequest<'_> {
    GlmRequest {
        design: &frame.design,
        y: &frame.response.as_ref().unwrap().values,
        trials: None,
        weights: None,
        offset: frame.offset.as_deref(),
        family,
        link: family.default_link(),
        errors: ErrorEstimate::Classical,
        confidence: 0.95,
    }
}

fn near(found: f64, expected: f64, tolerance: f64) {
    assert!(
        (found - expected).abs() <= tolerance,
        "found {found}, expected {expected}"
    );
}

fn numbers(values: &[f64]) -> ModelColumn {
    ModelColumn::Numbers(values.to_vec())
}

/// R, `?glm`: counts of a randomised trial (A. J. Dobson, "An Introduction to Generalized Linear Models", 1990, p. 93).
#[test]
fn dobson_counts() {
    let columns = vec![
        (
            "counts",
            numbers(&[18.0, 17.0, 15.0, 20.0, 10.0, 20.0, 25.0, 13.0, 12.0]),
        ),
        ("outcome", labels("1 2 3 1 2 3 1 2 3")),
        ("treatment", labels("1 1 1 2 2 2 3 3 3")),
    ];
    let frame = frame(columns, "counts ~ outcome + treatment");
    let fit = fit_glm(request(&frame, GlmFamily::Poisson), &NoWatch).unwrap();
    near(fit.coefficients[0].estimate, 3.044_522_437_723_4, 1e-12);
    near(fit.coefficients[1].estimate, -0.454_255_272_277_6, 1e-12);
    near(fit.coefficients[2].estimate, -0.292_987_124_681_5, 1e-12);
    near(fit.coefficients[0].standard_error, 0.170_9, 6e-5);
    near(fit.coefficients[1].standard_error, 0.202_2, 6e-5);
    near(fit.coefficients[3].estimate, 0.0, 1e-12);
    near(fit.null_deviance, 10.581_4, 6e-5);
    near(fit.deviance, 5.129_1, 6e-5);
    near(fit.aic, 56.76, 6e-3);
    assert_eq!((fit.df_residual, fit.df_model), (4, 4));
}

/// R, `?glm`: clotting times of plasma (P. McCullagh and J. A. Nelder, 1989, p. 300): coefficients -0.01655438, 0.01534311, dispersion 0.002446059.
#[test]
fn clotting_times() {
    let columns = vec![
        (
            "u",
            numbers(&[5.0, 10.0, 15.0, 20.0, 30.0, 40.0, 60.0, 80.0, 100.0]),
        ),
        (
            "lot1",
            numbers(&[118.0, 58.0, 42.0, 35.0, 27.0, 25.0, 21.0, 19.0, 18.0]),
        ),
    ];
    let frame = frame(columns, "lot1 ~ log(u)");
    let fit = fit_glm(request(&frame, GlmFamily::Gamma), &NoWatch).unwrap();
    near(fit.coefficients[0].estimate, -0.016_554_38, 1e-8);
    near(fit.coefficients[1].estimate, 0.015_343_11, 1e-8);
    near(fit.dispersion, 0.002_446_059, 1e-7);
    near(fit.null_deviance, 3.512_826, 1e-6);
    near(fit.deviance, 0.016_729_72, 1e-7);
}

/// A logit of a two by two table is its odds ratio: 8 of 10 against 3 of 10.
#[test]
fn odds_of_a_table() {
    let columns = vec![
        ("x", numbers(&[1.0, 0.0])),
        ("yes", numbers(&[8.0, 3.0])),
        ("no", numbers(&[2.0, 7.0])),
    ];
    let frame = frame(columns, "cbind(yes, no) ~ x");
    let trials = [10.0, 10.0];
    let y = [0.8, 0.3];
    let fit = GlmRequest {
        trials: Some(&trials),
        y: &y,
        ..request(&frame, GlmFamily::Binomial)
    };
    let fit = fit_glm(fit, &NoWatch).unwrap();
    near(
        fit.coefficients[1].estimate,
        (8.0 / 2.0 / (3.0 / 7.0_f64)).ln(),
        1e-12,
    );
    let variance: f64 = 1.0 / 8.0 + 1.0 / 2.0 + 1.0 / 3.0 + 1.0 / 7.0;
    near(fit.coefficients[1].standard_error, variance.sqrt(), 1e-9);
}

#[test]
fn separation_is_found_and_named() {
    let x = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
    for (y, formula, name) in [
        ([0.0, 0.0, 0.0, 1.0, 1.0, 1.0], "y ~ x", "`x`"),
        // x = 3 and 4 are both: only the largest are separated.
        ([0.0, 0.0, 0.0, 1.0, 1.0, 1.0], "y ~ g", "g"),
        ([0.0, 1.0, 0.0, 1.0, 1.0, 1.0], "y ~ g", "g"),
    ] {
        let columns = vec![
            ("x", numbers(&x)),
            ("y", numbers(&y)),
            ("g", labels("a a a b b b")),
        ];
        let frame = frame(columns, formula);
        let fault = fit_glm(request(&frame, GlmFamily::Binomial), &NoWatch).unwrap_err();
        assert!(
            matches!(&fault, ModelError::Separation { by } if by.contains(name)),
            "{y:?} {formula}: {fault}"
        );
    }
    // No separation: a steep curve is a curve.
    let columns = vec![
        ("x", numbers(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 3.5, 3.6])),
        ("y", numbers(&[0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 0.0])),
    ];
    let frame = frame(columns, "y ~ x");
    assert!(fit_glm(request(&frame, GlmFamily::Binomial), &NoWatch).is_ok());
}

/// Groups of counts that are all 0 have no rate.
#[test]
fn counts_of_zero_in_a_group_are_separation() {
    let columns = vec![
        ("y", numbers(&[0.0, 0.0, 0.0, 2.0, 4.0, 1.0])),
        ("g", labels("a a a b b b")),
    ];
    let frame = frame(columns, "y ~ g");
    let fault = fit_glm(request(&frame, GlmFamily::Poisson), &NoWatch).unwrap_err();
    assert!(matches!(fault, ModelError::Separation { .. }), "{fault}");
}

#[test]
fn responses_that_a_family_does_not_have_are_refused() {
    for (family, y, words) in [
        (GlmFamily::Binomial, 2.0, "shares from 0 to 1"),
        (GlmFamily::Poisson, -1.0, "counts"),
        (GlmFamily::Gamma, 0.0, "positive"),
        (GlmFamily::InverseGaussian, -1.0, "positive"),
    ] {
        let columns = vec![
            ("x", numbers(&[1.0, 2.0, 3.0])),
            ("y", numbers(&[1.0, y, 1.0])),
        ];
        let frame = frame(columns, "y ~ x");
        let fault = fit_glm(request(&frame, family), &NoWatch).unwrap_err();
        assert!(
            fault.to_string().contains(words) && fault.to_string().contains("row 1"),
            "{fault}"
        );
    }
}

/// Counts with less variation than Poisson's have no excess.
#[test]
fn counts_without_excess_are_poisson() {
    let y = [2.0, 3.0, 3.0, 4.0, 4.0, 5.0, 6.0, 6.0, 8.0, 8.0];
    let x: Vec<f64> = (0..10).map(f64::from).collect();
    let frame = frame(vec![("x", numbers(&x)), ("y", numbers(&y))], "y ~ x");
    let family = GlmFamily::NegativeBinomial { alpha: 1.0 };
    let (fit, excess) = fit_negative_binomial(request(&frame, family), &NoWatch).unwrap();
    assert!(excess.is_poisson && excess.alpha == 0.0);
    assert_eq!(fit.family, GlmFamily::Poisson);
}

#[test]
fn links_and_their_inverses_agree() {
    let all = [
        GlmLink::Identity,
        GlmLink::Log,
        GlmLink::Logit,
        GlmLink::Probit,
        GlmLink::Cloglog,
        GlmLink::Cauchit,
        GlmLink::Inverse,
        GlmLink::InverseSquared,
        GlmLink::Sqrt,
    ];
    for link in all {
        for mu in [0.01, 0.3, 0.5, 0.9] {
            let eta = link.predictor(mu);
            near(link.mean(eta), mu, 1e-13);
            let slope = (link.mean(eta + 1e-5) - link.mean(eta - 1e-5)) / 2e-5;
            near(link.slope(eta) / slope, 1.0, 1e-6);
        }
    }
}
