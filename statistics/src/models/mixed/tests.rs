//! Published fits of the data sets of lme4 (D. Bates et al., J. Stat. Softw. 67(1), 2015, and the vignettes and help pages of the package).

use numerics::NoWatch;

use super::*;
use crate::design::{CategoryColumn, Formula, ModelColumn, ModelColumns, ModelFrame};

/// Reaction times of 18 subjects on days 0 to 9 (`sleepstudy`).
#[rustfmt::skip]
const REACTION: [[f64; 10]; 18] = [
    [249.56, 258.7047, 250.8006, 321.4398, 356.8519, 414.6901, 382.2038, 290.1486, 430.5853, 466.3535],
    [222.7339, 205.2658, 202.9778, 204.707, 207.7161, 215.9618, 213.6303, 217.7272, 224.2957, 237.3142],
    [199.0539, 194.3322, 234.32, 232.8416, 229.3074, 220.4579, 235.4208, 255.7511, 261.0125, 247.5153],
    [321.5426, 300.4002, 283.8565, 285.133, 285.7973, 297.5855, 280.2396, 318.2613, 305.3495, 354.0487],
    [287.6079, 285.0, 301.8206, 320.1153, 316.2773, 293.3187, 290.075, 334.8177, 293.7469, 371.5811],
    [234.8606, 242.8118, 272.9613, 309.7688, 317.4629, 309.9976, 454.1619, 346.8311, 330.3003, 253.8644],
    [283.8424, 289.555, 276.7693, 299.8097, 297.171, 338.1665, 332.0265, 348.8399, 333.36, 362.0428],
    [265.4731, 276.2012, 243.3647, 254.6723, 279.0244, 284.1912, 305.5248, 331.5229, 335.7469, 377.299],
    [241.6083, 273.9472, 254.4907, 270.8021, 251.4519, 254.6362, 245.4523, 235.311, 235.7541, 237.2466],
    [312.3666, 313.8058, 291.6112, 346.1222, 365.7324, 391.8385, 404.2601, 416.6923, 455.8643, 458.9167],
    [236.1032, 230.3167, 238.9256, 254.922, 250.7103, 269.7744, 281.5648, 308.102, 336.2806, 351.6451],
    [256.2968, 243.4543, 256.2046, 255.5271, 268.9165, 329.7247, 379.4445, 362.9184, 394.4872, 389.0527],
    [250.5265, 300.0576, 269.8939, 280.5891, 271.8274, 304.6336, 287.7466, 266.5955, 321.5418, 347.5655],
    [221.6771, 298.1939, 326.8785, 346.8555, 348.7402, 352.8287, 354.4266, 360.4326, 375.6406, 388.5417],
    [271.9235, 268.4369, 257.2424, 277.6566, 314.8222, 317.2135, 298.1353, 348.1229, 340.28, 366.5131],
    [225.264, 234.5235, 238.9008, 240.473, 267.5373, 344.1937, 281.1481, 347.5855, 365.163, 372.2288],
    [269.8804, 272.4428, 277.8989, 281.7895, 279.1705, 284.512, 259.2658, 304.6306, 350.7807, 369.4692],
    [269.4117, 273.474, 297.5968, 310.6316, 287.1726, 329.6076, 334.4818, 343.2199, 369.1417, 364.1236],
];

/// Yields of six batches, five samples each (`Dyestuff`).
#[rustfmt::skip]
const YIELD: [f64; 30] = [
    1545.0, 1440.0, 1440.0, 1520.0, 1580.0, 1540.0, 1555.0, 1490.0, 1560.0, 1495.0, 1595.0, 1550.0, 1605.0, 1510.0, 1560.0, 1445.0, 1440.0, 1595.0, 1465.0, 1545.0, 1595.0, 1630.0, 1515.0, 1635.0, 1625.0, 1520.0, 1455.0, 1450.0, 1480.0, 1445.0,
];

/// Diameters of 24 plates with six samples each (`Penicillin`).
#[rustfmt::skip]
const DIAMETER: [[u8; 6]; 24] = [
    [27, 23, 26, 23, 23, 21], [27, 23, 26, 23, 23, 21], [25, 21, 25, 24, 24, 20], [26, 23, 25, 23, 23, 20], [25, 22, 26, 22, 23, 20], [24, 22, 25, 23, 22, 19],
    [24, 20, 23, 21, 22, 19], [26, 22, 26, 24, 24, 21], [24, 21, 24, 22, 22, 20], [24, 21, 24, 23, 22, 19], [26, 23, 26, 24, 24, 21], [25, 22, 26, 24, 24, 20],
    [26, 24, 26, 24, 25, 22], [26, 23, 26, 23, 23, 20], [26, 23, 25, 24, 24, 22], [25, 22, 25, 23, 23, 20], [25, 21, 24, 23, 23, 20], [25, 22, 24, 23, 23, 19],
    [24, 21, 23, 21, 21, 19], [26, 23, 26, 24, 24, 21], [25, 21, 24, 22, 22, 18], [25, 22, 25, 22, 22, 20], [24, 21, 24, 22, 24, 19], [24, 21, 24, 22, 21, 18],
];

fn labels(labels: Vec<String>) -> ModelColumn {
    ModelColumn::Categories(CategoryColumn::from_labels(
        labels.iter().map(|label| Some(label.as_str())),
    ))
}

fn data(columns: Vec<(&str, ModelColumn)>) -> ModelColumns {
    ModelColumns::new(
        columns
            .into_iter()
            .map(|(name, column)| (name.to_owned(), column))
            .collect(),
    )
    .unwrap()
}

fn sleep() -> ModelColumns {
    data(vec![
        (
            "reaction",
            ModelColumn::Numbers(REACTION.as_flattened().to_vec()),
        ),
        (
            "days",
            ModelColumn::Numbers((0..180).map(|row| f64::from(row % 10)).collect()),
        ),
        (
            "subject",
            labels((0..180).map(|row| format!("s{:02}", row / 10)).collect()),
        ),
    ])
}

fn fit(
    data: &ModelColumns,
    formula: &str,
    is_reml: bool,
) -> Result<MixedFit, crate::models::ModelError> {
    let frame =
        ModelFrame::new(Formula::parse(formula, &[]).unwrap(), data, &[], &NoWatch).unwrap();
    let request = MixedRequest {
        design: &frame.design,
        y: &frame.response.as_ref().unwrap().values,
        offset: None,
        random: &frame.random,
        is_reml,
        confidence: 0.95,
    };
    fit_mixed(request, &NoWatch)
}

fn near(found: f64, expected: f64, tolerance: f64) {
    assert!(
        (found - expected).abs() <= tolerance,
        "found {found}, expected {expected}"
    );
}

/// `lmer(Reaction ~ Days + (Days | Subject), sleepstudy)`, as printed by lme4 and lmerTest.
#[test]
fn sleepstudy_by_restricted_likelihood() {
    let fit = fit(&sleep(), "reaction ~ days + (days | subject)", true).unwrap();
    near(fit.criterion, 1743.628, 6e-4);
    near(fit.components[0].deviation, 24.741, 1e-3);
    near(fit.components[1].deviation, 5.922, 6e-4);
    near(fit.components[1].correlations[0], 0.066, 6e-4);
    near(fit.residual_std, 25.592, 6e-4);
    near(fit.coefficients[0].estimate, 251.405_104_848_5, 1e-9);
    near(fit.coefficients[1].estimate, 10.467_285_959_6, 1e-9);
    near(fit.coefficients[0].standard_error, 6.825, 6e-4);
    near(fit.coefficients[1].standard_error, 1.546, 6e-4);
    near(fit.coefficients[0].df, 17.0, 1e-3);
    near(fit.coefficients[1].df, 17.0, 1e-3);
    near(fit.coefficients[1].statistic, 6.771, 6e-4);
    near(fit.coefficients[1].p / 3.264e-6, 1.0, 1e-3);
    // ranef: subject 308
    assert_eq!(fit.modes[0].level, "s00");
    near(fit.modes[0].values[0], 2.2586, 1e-3);
    near(fit.modes[0].values[1], 9.1990, 1e-3);
    assert!(!fit.is_singular && fit.is_converged);
}

/// `lmer(Reaction ~ Days + (Days | Subject), sleepstudy, REML = FALSE)`: deviance 1751.939, AIC 1763.9, BIC 1783.1.
#[test]
fn sleepstudy_by_likelihood() {
    let fit = fit(&sleep(), "reaction ~ days + (days | subject)", false).unwrap();
    near(fit.criterion, 1751.939, 6e-4);
    near(fit.aic, 1763.9, 0.06);
    near(fit.bic, 1783.1, 0.06);
    near(fit.components[0].deviation, 23.780, 1e-3);
    near(fit.components[1].deviation, 5.717, 1e-3);
    near(fit.components[1].correlations[0], 0.081, 1e-3);
    near(fit.residual_std, 25.592, 1e-3);
}

/// `lmer(Reaction ~ Days + (Days || Subject), sleepstudy)`: REML 1743.669, deviations 25.051, 5.988, 25.565.
#[test]
fn sleepstudy_without_correlation() {
    let fit = fit(&sleep(), "reaction ~ days + (days || subject)", true).unwrap();
    near(fit.criterion, 1743.669, 6e-4);
    near(fit.components[0].deviation, 25.051, 1e-3);
    near(fit.components[1].deviation, 5.988, 1e-3);
    near(fit.residual_std, 25.565, 1e-3);
}

/// `lmer(Yield ~ 1 + (1 | Batch), Dyestuff)`: REML 319.6543, deviations 42.00, 49.51, mean 1527.50 with error 19.38. The estimates of a balanced
/// design are those of the analysis of variance.
#[test]
fn dyestuff() {
    let data = data(vec![
        ("yield", ModelColumn::Numbers(YIELD.to_vec())),
        (
            "batch",
            labels((0..30).map(|row| (row / 5).to_string()).collect()),
        ),
    ]);
    let fit = fit(&data, "yield ~ 1 + (1 | batch)", true).unwrap();
    near(fit.criterion, 319.6543, 6e-5);
    let means: Vec<f64> = YIELD
        .chunks(5)
        .map(|batch| batch.iter().sum::<f64>() / 5.0)
        .collect();
    let inside: f64 = YIELD
        .iter()
        .enumerate()
        .map(|(row, y)| (y - means[row / 5]).powi(2))
        .sum::<f64>()
        / 24.0;
    let between = means
        .iter()
        .map(|mean| 5.0 * (mean - 1527.5).powi(2))
        .sum::<f64>()
        / 5.0;
    near(fit.residual_std.powi(2) / inside, 1.0, 1e-7);
    near(
        fit.components[0].variance / ((between - inside) / 5.0),
        1.0,
        1e-7,
    );
    near(fit.coefficients[0].estimate, 1527.5, 1e-9);
    near(fit.coefficients[0].standard_error, 19.383_41, 1e-4);
    near(fit.coefficients[0].df, 5.0, 1e-4);
}

/// `lmer(diameter ~ 1 + (1 | plate) + (1 | sample), Penicillin)`, two crossed groups: REML 330.8606, deviations 0.8467, 1.9316, 0.5499.
#[test]
fn penicillin_with_crossed_groups() {
    let data = data(vec![
        (
            "diameter",
            ModelColumn::Numbers(
                DIAMETER
                    .as_flattened()
                    .iter()
                    .map(|value| f64::from(*value))
                    .collect(),
            ),
        ),
        (
            "plate",
            labels((0..144).map(|row| (row / 6).to_string()).collect()),
        ),
        (
            "sample",
            labels((0..144).map(|row| (row % 6).to_string()).collect()),
        ),
    ]);
    let fit = fit(&data, "diameter ~ 1 + (1 | plate) + (1 | sample)", true).unwrap();
    near(fit.criterion, 330.8606, 6e-5);
    near(fit.components[0].deviation, 0.8467, 6e-5);
    near(fit.components[1].deviation, 1.9316, 2e-4);
    near(fit.residual_std, 0.5499, 6e-5);
    near(fit.coefficients[0].estimate, 22.9722, 6e-5);
    near(fit.coefficients[0].standard_error, 0.8086, 6e-5);
}

#[test]
fn fitted_values_are_fixed_part_and_modes() {
    let data = sleep();
    let fit = fit(&data, "reaction ~ days + (days | subject)", true).unwrap();
    for row in 0..180 {
        let mode = &fit.modes[row / 10].values;
        let day = (row % 10) as f64;
        let expected =
            fit.coefficients[0].estimate + mode[0] + (fit.coefficients[1].estimate + mode[1]) * day;
        near(fit.fitted[row], expected, 1e-9);
    }
}

/// Other units change nothing but the units.
#[test]
fn units_scale_the_answer() {
    let factor = 1e-9;
    let scaled = data(vec![
        (
            "reaction",
            ModelColumn::Numbers(REACTION.as_flattened().iter().map(|y| y * factor).collect()),
        ),
        (
            "days",
            ModelColumn::Numbers((0..180).map(|row| f64::from(row % 10) / factor).collect()),
        ),
        (
            "subject",
            labels((0..180).map(|row| format!("s{:02}", row / 10)).collect()),
        ),
    ]);
    let formula = "reaction ~ days + (days | subject)";
    let (one, two) = (
        fit(&sleep(), formula, true).unwrap(),
        fit(&scaled, formula, true).unwrap(),
    );
    near(
        two.components[1].deviation / one.components[1].deviation / factor / factor,
        1.0,
        1e-6,
    );
    near(two.coefficients[1].df, one.coefficients[1].df, 1e-3);
    near(two.coefficients[1].p / one.coefficients[1].p, 1.0, 1e-4);
}

/// Groups without variation: the deviation is 0, the fit is the ordinary one and says that it is singular.
#[test]
fn singular_fits_are_said() {
    let y: Vec<f64> = (0..40)
        .map(|row| f64::from([1, 4, 2, 3][row % 4]))
        .collect();
    let data = data(vec![
        ("y", ModelColumn::Numbers(y)),
        (
            "g",
            labels((0..40).map(|row| (row / 4).to_string()).collect()),
        ),
    ]);
    let fit = fit(&data, "y ~ 1 + (1 | g)", true).unwrap();
    assert!(fit.is_singular);
    near(fit.components[0].deviation, 0.0, 1e-4);
    near(
        fit.coefficients[0].standard_error,
        (50.0_f64 / 39.0 / 40.0).sqrt(),
        1e-6,
    );
}

#[test]
fn unsuitable_groups_are_refused() {
    let rows = 12;
    let data = data(vec![
        (
            "y",
            ModelColumn::Numbers((0..rows).map(|row| f64::from(row * row % 7)).collect()),
        ),
        (
            "x",
            ModelColumn::Numbers((0..rows).map(f64::from).collect()),
        ),
        ("one", labels((0..rows).map(|_| "a".to_owned()).collect())),
        (
            "each",
            labels((0..rows).map(|row| row.to_string()).collect()),
        ),
        (
            "pair",
            labels((0..rows).map(|row| (row / 2).to_string()).collect()),
        ),
    ]);
    for (formula, words) in [
        ("y ~ x + (1 | one)", "at least 2"),
        ("y ~ x + (1 | each)", "every row is a group"),
        ("y ~ x + (x | pair)", "too many"),
        ("x ~ x + (1 | pair)", "exactly"),
    ] {
        let fault = fit(&data, formula, true).unwrap_err().to_string();
        assert!(fault.contains(words), "{formula}: {fault}");
    }
}
