//! A second opinion on `solve_ode`: order 8 of `ode_solvers`, and for stiff problems another implicit method.

use numerics::ode::{OdeFlow as _, OdeMethod, RTOL_MIN};
use second_opinions::equations;
use tool_core::{AnswerVerification, Ctx, Tolerance, Tool, ToolError, Verify};

use super::arguments::AbsoluteTolerance;
use super::check::{OdeSetup, check_arguments};
use super::method::SolveOdeMethod;
use super::{Args, Output};

const EXPLICIT: &str = "ode_solvers, Dormand and Prince of order 8 with time as a component";
const COMPARED: &str = "y";
/// Most times that are compared.
const TIMES_MAX: usize = 8;
/// The tolerances of the second run, as a share of those of the first.
const SHARE: f64 = 0.1;

impl Verify for Args {
    fn verify(args: Self, output: &Output, ctx: &Ctx) -> Result<AnswerVerification, ToolError> {
        let setup = check_arguments(&args, ctx)?;
        let changes = setup.events.iter().any(|event| !event.set.is_empty());
        if setup.mass.is_some() || changes {
            return by_another_method(args, output, ctx);
        }
        let (times, first) = select_compared_states(output);
        if times.is_empty() {
            let reason = "no time after the start was reached";
            return Ok(AnswerVerification::unavailable(EXPLICIT, COMPARED, reason));
        }
        let rtol = (SHARE * setup.options.tolerances.rtol).max(RTOL_MIN);
        let atol = &setup.options.tolerances.atol;
        let atol = SHARE * atol.iter().copied().fold(f64::INFINITY, f64::min);
        let mut derivative = setup.dynamics.evaluator(&setup.values);
        let mut right = |t: f64, y: &[f64], dy: &mut [f64]| {
            derivative.eval(t, y, dy);
            ctx.check().is_ok() && dy.iter().all(|entry| entry.is_finite())
        };
        let start = (setup.span.0, &setup.y0[..]);
        let states = equations::integrate(&mut right, start, &times, (rtol, atol));
        ctx.check()?;
        let Ok(states) = states else {
            return by_another_method(args, output, ctx);
        };
        let width = first.first().map_or(0, |row| row.len());
        let second: Vec<f64> = states
            .iter()
            .flat_map(|row| row[..width].to_vec())
            .collect();
        Ok(compare_states(
            EXPLICIT,
            output,
            &setup,
            (&first.concat(), &second),
        ))
    }
}

/// Up to eight of the times that were reached, in order and the last among them, with the states there.
fn select_compared_states(output: &Output) -> (Vec<f64>, Vec<&[f64]>) {
    let after = output.t.len().saturating_sub(1);
    let count = after.min(TIMES_MAX);
    let places = (1..=count).map(|k| after * k / count);
    let of = |place: usize| (output.t[place], &output.y[place][..]);
    places.map(of).unzip()
}

/// The same problem by another method of this crate, with smaller tolerances.
fn by_another_method(
    args: Args,
    output: &Output,
    ctx: &Ctx,
) -> Result<AnswerVerification, ToolError> {
    let method = match output.method.rsplit(", ").next() {
        Some("radau") => SolveOdeMethod::Bdf,
        _ => SolveOdeMethod::Radau,
    };
    let by = format!(
        "{} with a tenth of the tolerances",
        OdeMethod::from(method).name()
    );
    let (times, first) = select_compared_states(output);
    if times.is_empty() {
        let reason = "no time after the start was reached";
        return Ok(AnswerVerification::unavailable(by, COMPARED, reason));
    }
    let setup = check_arguments(&args, ctx)?;
    let smaller = |one: Tolerance| Tolerance::new(SHARE * one.get()).unwrap_or(one);
    let atol = match args.atol {
        AbsoluteTolerance::One(one) => AbsoluteTolerance::One(smaller(one)),
        AbsoluteTolerance::Each(all) => {
            AbsoluteTolerance::Each(all.into_iter().map(smaller).collect())
        }
    };
    let rtol = Tolerance::new((SHARE * args.rtol.get()).max(RTOL_MIN)).unwrap_or(args.rtol);
    let again = Args {
        method,
        rtol,
        atol,
        t_eval: Some(tool_core::Input::Inline(times.clone().into())),
        error_estimate: false,
        sensitivities: Vec::new(),
        sweep: Vec::new(),
        quantiles: Vec::new(),
        ..args
    };
    // Its warnings are not those of the answer.
    let own = ctx.without_messages();
    let found = Tool::run(again, &own)?;
    let second: Vec<&[f64]> = found.y.iter().map(|row| &row[..]).collect();
    Ok(compare_states(
        &by,
        output,
        &setup,
        (&first.concat(), &second.concat()),
    ))
}

/// The comparison; both errors are at most what the tolerances allow, and what the first run estimated.
fn compare_states(
    by: &str,
    output: &Output,
    setup: &OdeSetup,
    (first, second): (&[f64], &[f64]),
) -> AnswerVerification {
    /// Local errors within the tolerances add up to a few of them where the solution is stable.
    const STEPS: f64 = 20.0;
    let scale = first.iter().fold(0.0, |most: f64, y| most.max(y.abs()));
    let tolerances = &setup.options.tolerances;
    let atol = tolerances.atol.iter().copied().fold(0.0, f64::max);
    let allowed =
        STEPS * (tolerances.rtol * scale + atol) + 2.0 * output.error_estimate.unwrap_or(0.0);
    let tolerance = if scale > 0.0 {
        allowed / scale
    } else {
        f64::INFINITY
    };
    let found = AnswerVerification::of_numbers(by, COMPARED, (first, second), tolerance);
    match output.sweep.is_some() || output.sensitivities.is_some() {
        true => found.noting("sensitivities and sweeps were not computed again"),
        false => found,
    }
}
