//! Known distributions through both samplers.

use tool_core::{BoundedInteger, CallBudget, Ctx, ErrorCode, Probability, StopFlag, Tool};

use numerics::NoWatch;
use numerics::sampling::blocks::SampleMoments;
use numerics::sampling::diagnostics::diagnose_chains;

use super::{args, run};
use crate::sampling::mcmc::{Args, McmcMethod, MetricForm, NutsReport, Output};

fn nuts_args(log_density: &str, start: Vec<f64>) -> Args {
    let mut args = args(log_density, start);
    args.method = McmcMethod::Nuts;
    args.return_samples = Some(true);
    args
}

fn nuts(args: Args) -> (Output, NutsReport, Vec<String>) {
    let (output, warnings) = run(args);
    let evidence = output.nuts.clone().expect("the method is `nuts`");
    (output, evidence, warnings)
}

/// The mean of a function of the draws, within five of its Monte Carlo standard errors.
fn check(output: &Output, f: impl Fn(&[f64]) -> f64, expected: f64) {
    let draws = output
        .samples
        .as_ref()
        .expect("requested")
        .0
        .as_numbers()
        .expect("a block");
    let per_chain = output.dimension * output.n_samples as usize;
    let chains: Vec<Vec<f64>> = draws
        .as_slice()
        .chunks_exact(per_chain)
        .map(|chain| chain.chunks_exact(output.dimension).map(&f).collect())
        .collect();
    let mean = SampleMoments::of(&chains.concat()).mean;
    let mcse = diagnose_chains(&chains, &NoWatch).unwrap().mcse;
    assert!(
        (mean - expected).abs() <= 5.0 * mcse,
        "expected {expected}, found {mean} +- {mcse}"
    );
}

fn warned(warnings: &[String], words: &str) -> bool {
    warnings.iter().any(|warning| warning.contains(words))
}

/// An autoregressive Gaussian: unit variances, correlation `rho^|i - j|`.
fn autoregressive(dimension: usize, rho: f64) -> String {
    let steps: Vec<String> = (1..dimension)
        .map(|i| format!("(x{i} - {rho}*x{})**2", i - 1))
        .collect();
    format!(
        "-0.5*x0**2 - 0.5*({})/{}",
        steps.join(" + "),
        1.0 - rho * rho
    )
}

#[test]
fn a_correlated_gaussian_by_both_metrics() {
    for (rho, metric) in [(0.95, MetricForm::Dense), (0.2, MetricForm::Diagonal)] {
        let (output, evidence, warnings) = nuts(nuts_args(&autoregressive(10, rho), vec![1.0; 10]));
        assert!(output.converged && warnings.is_empty(), "{warnings:?}");
        assert_eq!(evidence.metric, [metric; 4]);
        assert_eq!(
            (
                evidence.divergences,
                evidence.outside,
                evidence.tree_depth_saturated
            ),
            (0, 0, 0)
        );
        assert!(
            evidence.bfmi.iter().all(|bfmi| bfmi.0 > 0.6),
            "{:?}",
            evidence.bfmi
        );
        assert!(
            (0.7..0.95).contains(&output.acceptance_rate),
            "{}",
            output.acceptance_rate
        );
        for axis in 0..10 {
            check(&output, |x| x[axis], 0.0);
            check(&output, |x| x[axis] * x[axis], 1.0);
        }
        check(&output, |x| x[4] * x[6], rho * rho);
    }
}

#[test]
fn gradients_are_worth_more_than_proposals() {
    let run_by = |method: McmcMethod| {
        let mut args = args(&autoregressive(10, 0.95), vec![0.0; 10]);
        args.method = method;
        let output = run(args).0;
        let least = output
            .ess
            .iter()
            .map(|ess| ess.0)
            .fold(f64::INFINITY, f64::min);
        least / output.evaluations as f64
    };
    let ratio = run_by(McmcMethod::Nuts) / run_by(McmcMethod::Metropolis);
    assert!(ratio > 5.0, "{ratio}");
}

#[test]
fn eight_schools_non_centred() {
    // D. B. Rubin 1981; mu ~ N(0, 5), tau ~ half-Cauchy(5), in log tau. Means by quadrature over tau, with mu and the effects in
    // closed form; posteriordb's `eight_schools-eight_schools_noncentered` agrees with them to its own error.
    let effects = [28, 8, -3, 7, -1, 1, 18, 12];
    let errors = [15, 10, 16, 11, 9, 11, 10, 18];
    let terms: Vec<String> = (0..8)
        .map(|j| {
            let z = format!("x{}", j + 2);
            format!(
                "{z}**2 + (({} - x0 - exp(x1)*{z})/{})**2",
                effects[j], errors[j]
            )
        })
        .collect();
    let density = format!(
        "-x0**2/50 + x1 - log1p(exp(2*x1)/25) - 0.5*({})",
        terms.join(" + ")
    );
    let mut args = nuts_args(&density, vec![0.0; 10]);
    args.target_accept = Some(Probability::literal(0.95));
    let (output, _, warnings) = nuts(args);
    assert!(output.rhat.iter().all(|rhat| rhat.0 < 1.01), "{warnings:?}");
    check(&output, |x| x[0], 4.396_820_71);
    check(&output, |x| x[1].exp(), 3.597_705_48);
    check(&output, |x| x[1], 0.802_139_21);
    check(&output, |x| x[0] + x[1].exp() * x[2], 6.211_884_20);
    check(&output, |x| x[0] + x[1].exp() * x[6], 3.615_477_02);
}

#[test]
fn a_banana() {
    // x ~ N(0, 1), y ~ N(x^2, 1/2).
    let mut args = nuts_args("-0.5*x**2 - 2*(y - x**2)**2", vec![0.0, 0.0]);
    args.target_accept = Some(Probability::literal(0.95));
    let (output, _, _) = nuts(args);
    check(&output, |x| x[0], 0.0);
    check(&output, |x| x[1], 1.0);
    check(&output, |x| x[0] * x[0], 1.0);
    check(&output, |x| x[1] * x[1], 3.25);
}

#[test]
fn a_funnel_warns() {
    // R. M. Neal 2003: the scale of nine variables is exp(x0 / 2), x0 ~ N(0, 3).
    let squares: Vec<String> = (1..10).map(|i| format!("x{i}**2")).collect();
    let density = format!(
        "-x0**2/18 - 4.5*x0 - 0.5*exp(-x0)*({})",
        squares.join(" + ")
    );
    let (output, evidence, warnings) = nuts(nuts_args(&density, vec![0.0; 10]));
    assert!(!output.converged);
    assert!(
        evidence.divergences > 0 && warned(&warnings, "diverged"),
        "{warnings:?}"
    );
    assert!(warned(&warnings, "target_accept") && warned(&warnings, "reparameterise"));
    assert!(
        warned(&warnings, "bfmi"),
        "{warnings:?} {:?}",
        evidence.bfmi
    );
}

#[test]
fn a_half_normal_through_its_logarithm() {
    let (output, _, warnings) = nuts(nuts_args("-0.5*exp(2*x) + x", vec![0.0]));
    assert!(output.converged, "{warnings:?}");
    check(&output, |x| x[0].exp(), (2.0 / std::f64::consts::PI).sqrt());
    check(&output, |x| (2.0 * x[0]).exp(), 1.0);
}

#[test]
fn outside_of_the_support_the_density_is_zero() {
    // Gamma with shape 3: mean and variance 3; the logarithm of a negative number has no value.
    let (output, evidence, warnings) = nuts(nuts_args("2*log(x) - x", vec![1.0]));
    assert!(evidence.outside > 0, "{evidence:?}");
    assert!(output.converged, "{warnings:?}");
    check(&output, |x| x[0], 3.0);
    check(&output, |x| (x[0] - 3.0).powi(2), 3.0);
}

#[test]
fn a_gradient_that_is_not_a_number_is_a_divergence() {
    // Beyond 0.71 the inner exponential overflows: the value is finite, its derivative 0 times infinity.
    let density = "-x**2/2 + tanh(exp(1000*x))";
    let (output, evidence, warnings) = nuts(nuts_args(density, vec![-1.0]));
    assert!(evidence.divergences > 0 && !output.converged);
    assert!(warned(&warnings, "diverged"));
}

#[test]
fn a_density_that_grows_does_not_converge() {
    let (output, _, warnings) = nuts(nuts_args("x**4", vec![1.0]));
    assert!(!output.converged && warned(&warnings, "have not mixed") && warned(&warnings, "bfmi"));
}

#[test]
fn a_kink_is_sampled_when_asked_for() {
    let (output, _, _) = nuts(nuts_args("-abs(x)", vec![1.0]));
    check(&output, |x| x[0].abs(), 1.0);
    check(&output, |x| x[0] * x[0], 2.0);
}

#[test]
fn auto_takes_gradients_of_smooth_densities_only() {
    for (density, method) in [
        ("-x**2", McmcMethod::Nuts),
        ("2*log(x) - x", McmcMethod::Nuts),
        ("logsumexp(-x, -x**2) - lgamma(x)", McmcMethod::Nuts),
        ("-x**2 - abs(-3) - if(1 < 2, 0, x)", McmcMethod::Nuts),
        (
            "if(x > 0, if(x < 2, 0, log(0)), log(0))",
            McmcMethod::Metropolis,
        ),
        ("-abs(x)", McmcMethod::Metropolis),
        ("-x**2 + (x < 2)", McmcMethod::Metropolis),
        ("-clip(x, 0, 2)**2 - x**2", McmcMethod::Metropolis),
        ("-x**2 - floor(x)", McmcMethod::Metropolis),
        ("-x**2 - x % 2", McmcMethod::Metropolis),
        ("-x**2 + besselj(x, 1)", McmcMethod::Metropolis), // without a known derivative
        ("-x**2 - sqrt(x - 1)", McmcMethod::Metropolis),   // no finite gradient at x0 = 1
    ] {
        let mut args = args(density, vec![1.0]);
        args.n_samples = BoundedInteger::literal(10);
        args.burnin = BoundedInteger::literal(30);
        let (output, _) = run(args);
        assert_eq!(
            (output.method, output.nuts.is_some()),
            (method, method == McmcMethod::Nuts),
            "{density}"
        );
    }
}

#[test]
fn faults_of_the_method_are_typed() {
    let fault = |density: &str, method: McmcMethod, target: Option<f64>| {
        let mut args = args(density, vec![1.0]);
        args.method = method;
        args.target_accept = target.map(|target| Probability::new(target).unwrap());
        Args::run(args, &Ctx::default()).expect_err(density)
    };
    for (density, method, target, code, path, reason) in [
        (
            "-x**2 + besselj(x, 1)",
            McmcMethod::Nuts,
            None,
            ErrorCode::InvalidArgs,
            "/method",
            Some("gradient"),
        ),
        (
            "-x**2 - sqrt(x - 1)",
            McmcMethod::Nuts,
            None,
            ErrorCode::InvalidArgs,
            "/method",
            Some("gradient"),
        ),
        (
            "-x**2",
            McmcMethod::Auto,
            Some(0.5),
            ErrorCode::InvalidArgs,
            "/target_accept",
            None,
        ),
        (
            "-x**2",
            McmcMethod::Nuts,
            Some(1.0),
            ErrorCode::InvalidArgs,
            "/target_accept",
            None,
        ),
        (
            "-x**2",
            McmcMethod::Metropolis,
            Some(0.9),
            ErrorCode::InvalidArgs,
            "/target_accept",
            Some("method"),
        ),
        (
            "-abs(x)",
            McmcMethod::Auto,
            Some(0.9),
            ErrorCode::InvalidArgs,
            "/target_accept",
            Some("method"),
        ),
        (
            "x",
            McmcMethod::Nuts,
            None,
            ErrorCode::Numeric,
            "/log_density",
            Some("improper"),
        ),
        (
            "0*x",
            McmcMethod::Nuts,
            None,
            ErrorCode::Numeric,
            "/log_density",
            Some("improper"),
        ),
    ] {
        let err = fault(density, method, target);
        assert_eq!(
            (err.code(), err.path(), err.reason_str()),
            (code, Some(path), reason),
            "{density}: {err:?}"
        );
    }
}

#[test]
fn trajectories_are_stopped_and_counted() {
    let budget = CallBudget {
        evaluations: 1000,
        ..CallBudget::default()
    };
    let err = Args::run(
        nuts_args("-x**2", vec![0.0]),
        &Ctx::new(StopFlag::new(), budget),
    )
    .unwrap_err();
    assert_eq!(
        (err.code(), err.reason_str()),
        (ErrorCode::LimitExceeded, Some("evaluations"))
    );
    let stop = StopFlag::new();
    stop.cancel();
    let err = Args::run(
        nuts_args("-x**2", vec![0.0]),
        &Ctx::new(stop, CallBudget::default()),
    )
    .unwrap_err();
    assert_eq!(err.code(), ErrorCode::Cancelled);
}

/// A normal mean with a normal prior: the posterior is normal with precision 1/100 + 5/4 and known mean.
#[test]
fn a_posterior_of_data_is_that_of_theory() {
    let text = r#"{"log_density": "normal_lpdf(mu, 0, 10) + sum(normal_lpdf(y, mu, 2))", "x0": {"mu": 0},
        "data": {"y": [1.5, 2.5, 3, 4, 6]}, "n_samples": 5000, "seed": 7, "return_samples": false}"#;
    let args: Args = tool_core::convert::from_value(&crate::linalg::tests::parse(text)).unwrap();
    let (output, _) = run(args);
    assert!(output.converged);
    assert_eq!(output.method, McmcMethod::Nuts);
    assert_eq!(output.names.as_deref(), Some(&["mu".to_owned()][..]));
    let precision = 0.01 + 5.0 / 4.0;
    let mean = 17.0 / 4.0 / precision;
    assert!(
        (output.mean[0] - mean).abs() < 5.0 * output.mcse[0].0,
        "{}",
        output.mean[0]
    );
    assert!((output.std_dev[0].0 * f64::sqrt(precision) - 1.0).abs() < 0.03);
}
