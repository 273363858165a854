mod posterior;

use tool_core::{BoundedInteger, Ctx, ErrorCode, Input, Positive, RandomSeed, Real, Tool};

use super::{Args, McmcMethod, Output};

pub(super) fn args(log_density: &str, start: Vec<f64>) -> Args {
    Args {
        log_density: log_density.into(),
        parameters: Default::default(),
        data: None,
        x0: Input::inline(start),
        method: McmcMethod::Auto,
        n_samples: BoundedInteger::literal(5000),
        proposal_std: Positive::literal(1.0),
        burnin: BoundedInteger::literal(1000),
        thin: BoundedInteger::literal(1),
        target_accept: None,
        chains: BoundedInteger::literal(4),
        seed: Some(RandomSeed::new(7)),
        return_samples: Some(false),
    }
}

pub(super) fn run(args: Args) -> (Output, Vec<String>) {
    let ctx = Ctx::default();
    let output = Args::run(args, &ctx).unwrap_or_else(|err| panic!("{err:?}"));
    (output, ctx.take_warnings())
}

/// The mean of every axis within five of its own standard errors, the standard deviation within 8 %.
fn check(log_density: &str, start: Vec<f64>, mean: &[f64], std: &[f64]) {
    for method in [McmcMethod::Metropolis, McmcMethod::Nuts] {
        let mut args = args(log_density, start.clone());
        args.method = method;
        let output = check_run(args, mean, std);
        assert_eq!(output.method, method);
    }
}

fn check_run(args: Args, mean: &[f64], std: &[f64]) -> Output {
    let log_density = args.log_density.clone();
    let (output, warnings) = run(args);
    assert!(output.converged, "`{log_density}`: {warnings:?}");
    for axis in 0..mean.len() {
        let error = (output.mean[axis] - mean[axis]).abs();
        assert!(
            error <= 5.0 * output.mcse[axis].0,
            "`{log_density}`: mean {}",
            output.mean[axis]
        );
        let ratio = output.std_dev[axis].0 / std[axis];
        assert!(
            (ratio - 1.0).abs() < 0.08,
            "`{log_density}`: std ratio {ratio}"
        );
    }
    output
}

#[test]
fn unary_minus_before_a_power() {
    check("-x0**2/2", vec![0.0], &[0.0], &[1.0]);
}

#[test]
fn caret_is_power() {
    check("-0.5*x0^2", vec![0.0], &[0.0], &[1.0]);
}

#[test]
fn spaces_around_power() {
    check("-0.5*(x0 ** 2)", vec![0.0], &[0.0], &[1.0]);
    check("-0.5*x0 ** 2", vec![0.0], &[0.0], &[1.0]);
}

#[test]
fn trailing_text_is_an_error_with_its_column() {
    let err = Args::run(args("-0.5*x0**2 garbage", vec![0.0]), &Ctx::default()).unwrap_err();
    assert_eq!(
        (err.code(), err.path()),
        (ErrorCode::InvalidArgs, Some("/log_density"))
    );
    assert!(err.message().contains("`garbage` at column 12"), "{err}");
}

#[test]
fn narrow_target_is_found_by_adaptation() {
    for (method, acceptance) in [
        (McmcMethod::Metropolis, 0.3..0.6),
        (McmcMethod::Nuts, 0.7..0.95),
    ] {
        let mut args = args("-0.5*(x0/0.001)**2", vec![0.0]);
        args.method = method;
        let output = check_run(args, &[0.0], &[0.001]);
        let found = output.acceptance_rate;
        assert!(acceptance.contains(&found), "{found}");
        assert!(
            output
                .proposal_std
                .iter()
                .all(|std| (5e-4..1e-2).contains(&std[0]))
        );
    }
}

#[test]
fn without_burn_in_it_warns() {
    let mut args = args("-0.5*(x0/0.001)**2", vec![0.0]);
    args.burnin = BoundedInteger::literal(0);
    args.method = McmcMethod::Metropolis;
    let (output, warnings) = run(args);
    assert!(!output.converged && !output.adapted);
    assert!(output.acceptance_rate < 0.01);
    assert!(
        warnings.iter().any(|warning| warning.contains("R-hat")),
        "{warnings:?}"
    );
    assert!(
        warnings.iter().any(|warning| warning.contains("accepted")),
        "{warnings:?}"
    );
}

#[test]
fn seeds_have_64_bits() {
    let draw = |seed: u64| {
        let mut args = args("-0.5*x0**2", vec![0.0]);
        args.seed = Some(RandomSeed::new(seed));
        args.n_samples = BoundedInteger::literal(10);
        run(args).0
    };
    let (low, high, negative) = (draw(1), draw(1 + (1 << 32)), draw(-1_i64 as u64));
    assert_ne!(low.mean, high.mean);
    assert_ne!(low.mean, negative.mean);
    assert_eq!(negative.seed.get(), u64::MAX);
    assert_eq!(draw(0).mean, draw(0).mean);
}

#[test]
fn several_dimensions_scales_and_correlation() {
    // Covariance [[1, 0.9 * 100], [0.9 * 100, 100^2]]: correlation 0.9, scales 1 and 100.
    let density = "-0.5*(x**2 - 2*0.9*x*(y/100) + (y/100)**2)/(1 - 0.9**2)";
    for method in [McmcMethod::Metropolis, McmcMethod::Nuts] {
        let mut args = args(density, vec![0.0, 0.0]);
        args.method = method;
        let output = check_run(args, &[0.0, 0.0], &[1.0, 100.0]);
        let correlation = output.covariance[0][1].0 / (output.std_dev[0].0 * output.std_dev[1].0);
        assert!((correlation - 0.9).abs() < 0.02, "{correlation}");
    }
}

#[test]
fn a_bounded_support_is_respected() {
    // Exponential with rate 2: mean 1/2, standard deviation 1/2.
    let mut args = args("if(x > 0, -2*x, log(0))", vec![1.0]);
    args.return_samples = Some(true);
    args.n_samples = BoundedInteger::literal(20_000);
    let (output, _) = run(args);
    assert!((output.mean[0] - 0.5).abs() <= 5.0 * output.mcse[0].0);
    let draws = tool_core::convert::to_value(&output.samples.unwrap()).unwrap();
    let numbers = draws.as_numbers().unwrap();
    assert_eq!(numbers.shape(), [4, 20_000, 1]);
    assert!(numbers.as_slice().iter().all(|x| *x > 0.0));
}

#[test]
fn separated_modes_are_reported() {
    // Two narrow modes at -50 and 50; chains that start on both sides never meet.
    let mut args = args("max(-0.5*(x-50)**2, -0.5*(x+50)**2)", vec![0.0]);
    args.proposal_std = Positive::literal(20.0);
    let (output, warnings) = run(args);
    assert!(output.rhat[0].0 > 1.5 && !output.converged);
    assert!(
        warnings
            .iter()
            .any(|warning| warning.contains("have not mixed")),
        "{warnings:?}"
    );
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    for method in [McmcMethod::Metropolis, McmcMethod::Nuts] {
        let draws = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .unwrap();
            let mut args = args("-0.5*(x**2 + (y - x)**2)", vec![0.0, 0.0]);
            args.method = method;
            args.return_samples = Some(true);
            args.n_samples = BoundedInteger::literal(500);
            let (output, _) = pool.install(|| run(args));
            tool_core::convert::to_value(&output).unwrap()
        };
        let one = draws(1);
        assert_eq!(one, draws(2));
        assert_eq!(one, draws(8));
    }
}

#[test]
fn faults_are_typed() {
    for (density, start, code, path) in [
        ("-x0**2", vec![], ErrorCode::InvalidArgs, "/x0"),
        ("log(x0)", vec![-1.0], ErrorCode::Numeric, "/x0"),
        ("-x1**2", vec![0.0], ErrorCode::InvalidArgs, "/log_density"),
        ("-x0**2", vec![0.0; 201], ErrorCode::LimitExceeded, "/x0"),
        ("1e300*x0**3", vec![0.0], ErrorCode::Numeric, "/log_density"),
    ] {
        for method in [McmcMethod::Auto, McmcMethod::Metropolis] {
            let mut args = args(density, start.clone());
            args.method = method;
            let err = Args::run(args, &Ctx::default()).expect_err(density);
            assert_eq!(
                (err.code(), err.path()),
                (code, Some(path)),
                "`{density}`: {err:?}"
            );
        }
    }
}

#[test]
fn zero_draws_and_zero_thinning_are_refused() {
    let decode = |text: &str| {
        let args = tool_core::json::parse_json(text, Default::default()).unwrap();
        tool_core::tool_entry::<Args>()
            .tool()
            .decode(&args)
            .map(|_| ())
    };
    assert!(decode(r#"{"log_density":"-x**2","x0":[0]}"#).is_ok());
    for bad in [
        "\"n_samples\":0",
        "\"thin\":0",
        "\"chains\":0",
        "\"burnin\":-1",
        "\"proposal_std\":0",
    ] {
        let err = decode(&format!(r#"{{"log_density":"-x**2","x0":[0],{bad}}}"#)).unwrap_err();
        assert_eq!(err.code(), ErrorCode::InvalidArgs, "{bad}");
    }
}

#[test]
fn a_large_request_is_refused_before_memory_is_taken() {
    let mut args = args("-x0**2", vec![0.0]);
    args.n_samples = BoundedInteger::literal(100_000_000);
    args.chains = BoundedInteger::literal(256);
    let err = Args::run(args, &Ctx::default()).unwrap_err();
    assert_eq!(
        (err.code(), err.reason_str()),
        (ErrorCode::LimitExceeded, Some("memory"))
    );
}

#[test]
fn few_draws_have_no_diagnostics() {
    let mut args = args("-x0**2", vec![0.0]);
    args.n_samples = BoundedInteger::literal(1);
    args.chains = BoundedInteger::literal(1);
    let (output, warnings) = run(args);
    assert!(matches!(output.rhat[..], [Real(rhat)] if rhat.is_nan()));
    assert!(output.std_dev[0].0.is_nan() && !output.converged);
    assert!(
        warnings
            .iter()
            .any(|warning| warning.contains("no diagnostics")),
        "{warnings:?}"
    );
}
