//! Against R, statsmodels 0.14 and identities. The references are named with each number.

use numerics::NoWatch;

use super::arima::{
    ArimaFit, ArimaOrder, choose_arima, choose_differences, fit_arima, forecast_arima,
};
use super::smoothing::{
    ErrorForm, PathDraws, SmoothingModel, SmoothingSeason, SmoothingTrend, choose_smoothing,
    fit_smoothing, forecast_smoothing,
};
use super::*;

/// Monthly totals of passengers in thousands, 1949 to 1960: series G of Box and Jenkins, R's `AirPassengers`.
#[rustfmt::skip]
const PASSENGERS: [f64; 144] = [
    112.0, 118.0, 132.0, 129.0, 121.0, 135.0, 148.0, 148.0, 136.0, 119.0, 104.0, 118.0,
    115.0, 126.0, 141.0, 135.0, 125.0, 149.0, 170.0, 170.0, 158.0, 133.0, 114.0, 140.0,
    145.0, 150.0, 178.0, 163.0, 172.0, 178.0, 199.0, 199.0, 184.0, 162.0, 146.0, 166.0,
    171.0, 180.0, 193.0, 181.0, 183.0, 218.0, 230.0, 242.0, 209.0, 191.0, 172.0, 194.0,
    196.0, 196.0, 236.0, 235.0, 229.0, 243.0, 264.0, 272.0, 237.0, 211.0, 180.0, 201.0,
    204.0, 188.0, 235.0, 227.0, 234.0, 264.0, 302.0, 293.0, 259.0, 229.0, 203.0, 229.0,
    242.0, 233.0, 267.0, 269.0, 270.0, 315.0, 364.0, 347.0, 312.0, 274.0, 237.0, 278.0,
    284.0, 277.0, 317.0, 313.0, 318.0, 374.0, 413.0, 405.0, 355.0, 306.0, 271.0, 306.0,
    315.0, 301.0, 356.0, 348.0, 355.0, 422.0, 465.0, 467.0, 404.0, 347.0, 305.0, 336.0,
    340.0, 318.0, 362.0, 348.0, 363.0, 435.0, 491.0, 505.0, 404.0, 359.0, 310.0, 337.0,
    360.0, 342.0, 406.0, 396.0, 420.0, 472.0, 548.0, 559.0, 463.0, 407.0, 362.0, 405.0,
    417.0, 391.0, 419.0, 461.0, 472.0, 535.0, 622.0, 606.0, 508.0, 461.0, 390.0, 432.0,
];

/// Annual flow of the Nile at Aswan, 1871 to 1970, in 10^8 cubic metres: R's `Nile`.
#[rustfmt::skip]
const NILE: [f64; 100] = [
    1120.0, 1160.0, 963.0, 1210.0, 1160.0, 1160.0, 813.0, 1230.0, 1370.0, 1140.0, 995.0, 935.0,
    1110.0, 994.0, 1020.0, 960.0, 1180.0, 799.0, 958.0, 1140.0, 1100.0, 1210.0, 1150.0, 1250.0,
    1260.0, 1220.0, 1030.0, 1100.0, 774.0, 840.0, 874.0, 694.0, 940.0, 833.0, 701.0, 916.0,
    692.0, 1020.0, 1050.0, 969.0, 831.0, 726.0, 456.0, 824.0, 702.0, 1120.0, 1100.0, 832.0,
    764.0, 821.0, 768.0, 845.0, 864.0, 862.0, 698.0, 845.0, 744.0, 796.0, 1040.0, 759.0,
    781.0, 865.0, 845.0, 944.0, 984.0, 897.0, 822.0, 1010.0, 771.0, 676.0, 649.0, 846.0,
    812.0, 742.0, 801.0, 1040.0, 860.0, 874.0, 848.0, 890.0, 744.0, 749.0, 838.0, 1050.0,
    918.0, 986.0, 797.0, 923.0, 975.0, 815.0, 1020.0, 906.0, 901.0, 1170.0, 912.0, 746.0,
    919.0, 718.0, 714.0, 740.0,
];

const DRAWS: PathDraws = PathDraws {
    paths: 2000,
    seed: 1,
};

fn logarithms() -> Vec<f64> {
    PASSENGERS.iter().map(|value| value.ln()).collect()
}

fn assert_near(found: f64, expected: f64, tolerance: f64) {
    let error = (found - expected).abs() / expected.abs().max(f64::MIN_POSITIVE);
    assert!(error < tolerance, "expected {expected}, found {found}");
}

fn order(plain: [usize; 3], seasonal: [usize; 3], period: usize) -> ArimaOrder {
    ArimaOrder {
        p: plain[0],
        d: plain[1],
        q: plain[2],
        seasonal_p: seasonal[0],
        seasonal_d: seasonal[1],
        seasonal_q: seasonal[2],
        period,
        has_constant: false,
    }
}

fn with_constant(order: ArimaOrder) -> ArimaOrder {
    ArimaOrder {
        has_constant: true,
        ..order
    }
}

fn model(error: ErrorForm, trend: SmoothingTrend, season: SmoothingSeason) -> SmoothingModel {
    SmoothingModel {
        error,
        trend,
        season,
        period: if season == SmoothingSeason::None {
            1
        } else {
            12
        },
    }
}

#[test]
fn correlations_are_those_of_statsmodels() {
    // acf(fft=False) and pacf(method="ldb").
    let found = correlate_series(&logarithms(), 13).unwrap();
    for (lag, expected) in [(1, 0.953_703_369_243_147), (13, 0.716_504_481_168_234)] {
        assert_near(found.autocorrelations[lag - 1], expected, 1e-12);
    }
    for (lag, expected) in [(2, -0.117_569_755_785_059), (13, -0.485_430_132_170_302)] {
        assert_near(found.partial[lag - 1], expected, 1e-11);
    }
    assert_near(found.bound, 0.163_330_331_961_711, 1e-6);
}

#[test]
fn correlations_of_too_little_are_refused() {
    assert_eq!(correlate_series(&[2.0; 9], 3), Err(SeriesError::Constant));
    assert!(matches!(
        correlate_series(&[1.0, 2.0, 3.0], 3),
        Err(SeriesError::Range { most: 2, .. })
    ));
}

#[test]
fn decompositions_are_those_of_the_authors_program() {
    // STL of statsmodels with the windows, degrees and jumps of R's defaults. It does not average the cycles of a periodic season, R does: the trend is
    // that of both.
    let options = StlOptions {
        period: 12,
        window: StlWindow::Periodic,
        robust_rounds: 0,
    };
    let y = logarithms();
    let periodic = decompose_series(&y, options, &NoWatch).unwrap();
    assert_near(periodic.trend[0], 4.829_388_653_952_91, 1e-12);
    assert_near(periodic.trend[143], 6.204_752_356_426_48, 1e-12);
    assert_near(periodic.season[143], -0.100_636, 1e-5);
    assert_eq!(periodic.season[3], periodic.season[15]);
    let robust = StlOptions {
        window: StlWindow::Periods(7),
        robust_rounds: 15,
        ..options
    };
    let robust = decompose_series(&y, robust, &NoWatch).unwrap();
    for (at, trend, season) in [
        (0, 4.795_518_684_698_45, -0.068_275_607_203_190_6),
        (71, 5.545_683_406_018_19, -0.102_713_538_712_983),
        (143, 6.201_443_461_743_82, -0.116_709_749_267_982),
    ] {
        assert_near(robust.trend[at], trend, 1e-12);
        assert_near(robust.season[at], season, 1e-10);
        let sum = robust.trend[at] + robust.season[at] + robust.remainder[at];
        assert_near(sum, y[at], 1e-14);
    }
    let strength = robust.strength();
    assert!(
        strength.trend > 0.99 && strength.season > 0.9,
        "{strength:?}"
    );
}

fn estimates(fit: &ArimaFit) -> Vec<f64> {
    fit.coefficients.iter().map(|one| one.estimate).collect()
}

fn standard_errors(fit: &ArimaFit) -> Vec<f64> {
    let errors = fit.coefficients.iter();
    errors.map(|one| one.standard_error.unwrap()).collect()
}

#[test]
fn the_airline_model_is_that_of_r() {
    // R 4: arima(log(AirPassengers), c(0,1,1), c(0,1,1)), ma1 -0.4018 (0.0896), sma1 -0.5569 (0.0731), sigma^2 0.001348, log likelihood 244.70,
    // aic -483.4; the further digits are those of SARIMAX(simple_differencing=True).
    let y = logarithms();
    let fit = fit_arima(&y, order([0, 1, 1], [0, 1, 1], 12), &NoWatch).unwrap();
    assert_near(estimates(&fit)[0], -0.401_823_1, 1e-6);
    assert_near(estimates(&fit)[1], -0.556_936_5, 1e-6);
    assert_near(standard_errors(&fit)[0], 0.0896, 1e-3);
    assert_near(standard_errors(&fit)[1], 0.0731, 1e-3);
    assert_near(fit.evidence.log_likelihood, 244.696_486_832_861, 1e-10);
    assert_near(fit.evidence.aicc, -483.203_997_287_769, 1e-10);
    assert_near(fit.variance, 0.001_348_098_995, 1e-8);
    // R's predict(fit, 24).
    let forecast = forecast_arima(&fit, &y, 24, &NoWatch).unwrap();
    for (step, mean) in [(0, 6.110_186), (1, 6.053_775), (11, 6.168_025)] {
        assert_near(forecast[step].mean, mean, 2e-7);
    }
    // Standard errors of SARIMAX, whose start of variance 1e6 moves them by 1e-6.
    for (step, error) in [(0, 0.036_716_50), (12, 0.090_087_58), (23, 0.138_438_91)] {
        let half = 0.5 * (forecast[step].outer[1] - forecast[step].outer[0]);
        assert_near(half / 1.959_963_984_540_054, error, 1e-6);
    }
}

#[test]
fn autoregressions_and_constants_are_those_of_statsmodels() {
    // SARIMAX(Nile, order=(1,0,1), trend="c"): the mean is intercept / (1 - ar1).
    let nile = with_constant(order([1, 0, 1], [0, 0, 0], 1));
    let fit = fit_arima(&NILE, nile, &NoWatch).unwrap();
    assert_near(fit.evidence.log_likelihood, -637.038_784_533_3, 1e-9);
    let expected = [0.861_033, -0.517_679, 920.694_6];
    for (found, expected) in estimates(&fit).into_iter().zip(expected) {
        assert_near(found, expected, 1e-5);
    }
    let forecast = forecast_arima(&fit, &NILE, 5, &NoWatch).unwrap();
    assert_near(forecast[0].mean, 800.365_034, 1e-5);
    assert_near(forecast[4].mean, 854.556_558_6, 1e-5);
    let half = 0.5 * (forecast[4].outer[1] - forecast[4].outer[0]);
    assert_near(half / 1.959_963_984_540_054, 161.925_593_3, 1e-5);
    // SARIMAX(Nile, order=(0,1,1), trend="c", simple_differencing=True).
    let drift = with_constant(order([0, 1, 1], [0, 0, 0], 1));
    let fit = fit_arima(&NILE, drift, &NoWatch).unwrap();
    assert_near(fit.evidence.log_likelihood, -632.154_631_994_4, 1e-9);
    assert_near(estimates(&fit)[0], -0.764_576, 1e-4);
    assert_near(estimates(&fit)[1], -3.258_270, 1e-3);
}

#[test]
fn chosen_orders_are_those_of_r() {
    // R's forecast::auto.arima: (0,1,1)(0,1,1)[12] of the logarithms; (2,1,1)(0,1,0)[12] of the values with ar1 0.5960 (0.0888), ar2 0.2143 (0.0880),
    // ma1 -0.9819 (0.0291), log likelihood -504.92, AICc 1018.17.
    let chosen = choose_arima(&logarithms(), 12, &NoWatch).unwrap();
    assert_eq!(chosen.fit.order, order([0, 1, 1], [0, 1, 1], 12));
    let chosen = choose_arima(&PASSENGERS, 12, &NoWatch).unwrap();
    assert_eq!(chosen.fit.order.to_string(), "ARIMA(2,1,1)(0,1,0)[12]");
    for (found, expected) in estimates(&chosen.fit)
        .into_iter()
        .zip([0.5960, 0.2143, -0.9819])
    {
        assert_near(found, expected, 3e-4);
    }
    for (found, expected) in standard_errors(&chosen.fit)
        .into_iter()
        .zip([0.0888, 0.0880, 0.0291])
    {
        assert_near(found, expected, 2e-3);
    }
    assert_near(chosen.fit.evidence.aicc, 1018.17, 1e-5);
    assert!(chosen.candidates.len() > 8 && !chosen.is_approximate);
}

#[test]
fn an_arima_of_another_unit_is_the_same() {
    let fit = |factor: f64| {
        let y: Vec<f64> = NILE.iter().map(|value| value * factor).collect();
        fit_arima(&y, order([1, 1, 1], [0, 0, 0], 1), &NoWatch).unwrap()
    };
    let (one, other) = (fit(1.0), fit(2.0_f64.powi(-40)));
    assert_near(estimates(&other)[0], estimates(&one)[0], 1e-6);
    assert_near(
        other.variance.sqrt(),
        one.variance.sqrt() * 2.0_f64.powi(-40),
        1e-6,
    );
}

#[test]
fn differences_are_none_for_noise_and_one_for_a_walk() {
    let mut random = random_streams::stream_rng(3, 0);
    let mut draw = || rand::RngExt::random::<f64>(&mut random) - 0.5;
    let noise: Vec<f64> = (0..200).map(|_| draw()).collect();
    assert_eq!(choose_differences(&noise, 1, &NoWatch).unwrap().d, 0);
    let mut sum = 0.0;
    let walk: Vec<f64> = noise
        .iter()
        .map(|step| {
            sum += step;
            sum
        })
        .collect();
    assert_eq!(choose_differences(&walk, 1, &NoWatch).unwrap().d, 1);
}

#[test]
fn smoothing_reaches_the_likelihood_of_statsmodels() {
    // ETSModel(initialization_method="estimated"), which stops below the maximum by 0.08 at most: -564.983781, -525.617111, -547.654599, -638.107690.
    use ErrorForm as Error;
    use SmoothingSeason as Season;
    use SmoothingTrend as Trend;
    for (model, series, expected) in [
        (
            model(Error::Additive, Trend::Additive, Season::Additive),
            &PASSENGERS[..],
            -564.983_79,
        ),
        (
            model(Error::Multiplicative, Trend::Damped, Season::Multiplicative),
            &PASSENGERS,
            -525.617_2,
        ),
        (
            model(Error::Multiplicative, Trend::Additive, Season::Additive),
            &PASSENGERS,
            -547.654_6,
        ),
        (
            model(Error::Additive, Trend::None, Season::None),
            &NILE,
            -638.107_7,
        ),
    ] {
        let fit = fit_smoothing(series, model, &NoWatch).unwrap();
        let found = fit.evidence.log_likelihood;
        assert!(
            (-1e-4..0.1).contains(&(found - expected)),
            "{model}: {found}"
        );
    }
}

#[test]
fn additive_forecasts_are_those_of_statsmodels() {
    // get_prediction(144, 167) of ETSModel(error="add", trend="add", seasonal="add").
    let additive = model(
        ErrorForm::Additive,
        SmoothingTrend::Additive,
        SmoothingSeason::Additive,
    );
    let fit = fit_smoothing(&PASSENGERS, additive, &NoWatch).unwrap();
    let forecast = forecast_smoothing(&fit, 24, DRAWS, &NoWatch).unwrap();
    for (step, mean, deviation) in [
        (0, 451.578_745, 12.238_172),
        (11, 463.140_878, 15.968_081),
        (23, 494.280_964, 22.589_381),
    ] {
        assert_near(forecast[step].mean, mean, 1e-4);
        let half = 0.5 * (forecast[step].outer[1] - forecast[step].outer[0]);
        assert_near(half / 1.959_963_984_540_054, deviation, 1e-4);
    }
}

#[test]
fn multiplicative_errors_have_the_variance_of_their_closed_form() {
    // ETS(M,N,N): v_h = l^2 ((1 + alpha^2 s^2)^(h-1) (1 + s^2) - 1), Hyndman and others, 2008, table 6.2.
    let simple = model(
        ErrorForm::Multiplicative,
        SmoothingTrend::None,
        SmoothingSeason::None,
    );
    let fit = fit_smoothing(&NILE, simple, &NoWatch).unwrap();
    let forecast = forecast_smoothing(&fit, 8, DRAWS, &NoWatch).unwrap();
    let growth = 1.0 + fit.parameters.alpha.powi(2) * fit.variance;
    for (step, one) in forecast.iter().enumerate() {
        let variance = growth.powi(step as i32) * (1.0 + fit.variance) - 1.0;
        let half = 0.5 * (one.outer[1] - one.outer[0]) / 1.959_963_984_540_054;
        assert_near(half, fit.end.level * variance.sqrt(), 1e-10);
    }
}

#[test]
fn simulated_intervals_hold_the_mean_and_follow_the_seed() {
    let chosen = choose_smoothing(&PASSENGERS, 12, &NoWatch).unwrap();
    let best = &chosen[0];
    assert_eq!(best.model.season, SmoothingSeason::Multiplicative);
    let forecast = forecast_smoothing(best, 12, DRAWS, &NoWatch).unwrap();
    for one in &forecast {
        let ordered = [
            one.outer[0],
            one.inner[0],
            one.mean,
            one.inner[1],
            one.outer[1],
        ];
        assert!(ordered.is_sorted(), "{one:?}");
    }
    // The first step has no simulated state: half the width is about 1.96 standard deviations of the mean's share.
    let half = 0.5 * (forecast[0].outer[1] - forecast[0].outer[0]);
    assert_near(half, 1.96 * best.variance.sqrt() * forecast[0].mean, 0.08);
    assert_eq!(
        forecast,
        forecast_smoothing(best, 12, DRAWS, &NoWatch).unwrap()
    );
}

#[test]
fn a_step_is_found_where_it_is() {
    let mut random = random_streams::stream_rng(5, 0);
    let mut draw = || rand::RngExt::random::<f64>(&mut random) - 0.5;
    let y: Vec<f64> = (0..120)
        .map(|at| draw() + if at < 47 { 0.0 } else { 2.0 })
        .collect();
    let found = find_changes(&y, ChangeKind::Mean, 0, &NoWatch).unwrap();
    let places: Vec<usize> = found.points.iter().map(|point| point.at).collect();
    assert_eq!(places, [47]);
    let point = found.points[0];
    assert!((point.after - point.before - 2.0).abs() < 0.2 && point.gain > found.penalty);
    let unit = 2.0_f64.powi(40);
    let scaled: Vec<f64> = y.iter().map(|value| value * unit).collect();
    let scaled = find_changes(&scaled, ChangeKind::Mean, 0, &NoWatch).unwrap();
    assert_eq!(scaled.points[0].at, 47);
    assert_eq!(scaled.points[0].gain, point.gain);
    let noise: Vec<f64> = (0..400).map(|_| draw()).collect();
    let none = find_changes(&noise, ChangeKind::Mean, 0, &NoWatch).unwrap();
    assert_eq!(none.points, []);
}

#[test]
fn segments_cost_the_least_of_all_segmentations() {
    // Against the search without pruning.
    let y = &NILE[..60];
    let found = find_changes(y, ChangeKind::Mean, 3, &NoWatch).unwrap();
    let cost = |from: usize, to: usize| {
        let part = &y[from..to];
        let mean = part.iter().sum::<f64>() / part.len() as f64;
        let squares: f64 = part.iter().map(|value| (value - mean).powi(2)).sum();
        squares / found.noise.powi(2)
    };
    let mut least = vec![f64::INFINITY; y.len() + 1];
    least[0] = -found.penalty;
    for end in 3..=y.len() {
        for start in 0..=end - 3 {
            let whole = least[start] + cost(start, end) + found.penalty;
            least[end] = least[end].min(whole);
        }
    }
    assert_near(found.cost, least[y.len()], 1e-10);
}

#[test]
fn an_outlier_is_an_anomaly_and_rounding_is_not() {
    let mut remainder: Vec<f64> = (0..50).map(|at| f64::from((at * 7) % 11) - 5.0).collect();
    remainder[20] = 60.0;
    let found = find_anomalies(&remainder, 4.7, 1e-9);
    assert_eq!(
        found.anomalies.iter().map(|one| one.at).collect::<Vec<_>>(),
        [20]
    );
    let rounding: Vec<f64> = remainder.iter().map(|value| value * 1e-16).collect();
    assert_eq!(find_anomalies(&rounding, 4.7, 1e-9).anomalies, []);
}

#[test]
fn periods_are_found_and_noise_has_none() {
    assert_eq!(find_period(&PASSENGERS).period, 12);
    assert_eq!(find_period(&NILE).period, 1);
    assert!(prefers_logarithms(&PASSENGERS, 12) && !prefers_logarithms(&[-1.0; 40], 4));
}

#[test]
fn gaps_are_filled_between_neighbours_and_periods() {
    let cells = [None, Some(1.0), None, Some(3.0), Some(4.0), None];
    let found = interpolate_missing(&cells, 1);
    assert_eq!(
        (found.values, found.first, found.filled),
        (vec![1.0, 2.0, 3.0, 4.0], 1, 1)
    );
    let cells = [
        Some(0.0),
        Some(10.0),
        Some(0.0),
        None,
        Some(0.0),
        Some(12.0),
    ];
    assert_eq!(interpolate_missing(&cells, 2).values[3], 11.0);
}

#[test]
fn accuracy_is_measured_by_the_naive_forecast() {
    let training = [1.0, 2.0, 3.0, 5.0];
    assert_eq!(seasonal_naive(&training, 2, 3), [3.0, 5.0, 3.0]);
    let found = measure_forecast(&[4.0, 2.0], &[3.0, 4.0], &training, 2).unwrap();
    // The naive errors are 2 and 3, those of the forecast 1 and 2.
    assert_eq!(
        (found.mae, found.mase, found.mape),
        (1.5, Some(0.6), Some(0.625))
    );
    assert_eq!(
        measure_forecast(&[1.0], &[1.0], &[2.0, 2.0, 2.0], 1)
            .unwrap()
            .mase,
        None
    );
}

#[test]
fn short_and_constant_series_have_errors() {
    assert!(choose_smoothing(&[1.0, 2.0, 3.0], 1, &NoWatch).is_err());
    assert!(fit_arima(&[1.0, 2.0, 3.0], order([1, 1, 1], [0, 0, 0], 1), &NoWatch).is_err());
    assert!(find_changes(&[1.0; 20], ChangeKind::Mean, 0, &NoWatch).is_err());
    let perfect: Vec<f64> = (0..48).map(|at| f64::from(at % 12)).collect();
    let fit = choose_smoothing(&perfect, 12, &NoWatch).unwrap();
    let forecast = forecast_smoothing(&fit[0], 12, DRAWS, &NoWatch).unwrap();
    assert!((forecast[5].mean - 5.0).abs() < 1e-3, "{:?}", forecast[5]);
    assert!(choose_arima(&perfect, 12, &NoWatch).is_ok());
}
