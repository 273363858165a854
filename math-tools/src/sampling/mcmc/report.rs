//! Summary and diagnostics of the draws, as the answer of the tool and in its words.

use numerics::sampling::diagnostics::{ChainDiagnostics, DRAWS_MIN, ESS_PER_CHAIN_MIN, RHAT_MAX};
use numerics::sampling::mcmc::summary::BFMI_MIN;
use numerics::sampling::mcmc::{
    ChainSchedule, ChainSummary, DEPTH_MAX, MarkovChain, MetricShape, TrajectorySummary,
};
use tool_core::{Ctx, RandomSeed, Real};

use super::model::{Args, DimensionSummary, McmcMethod, MetricForm, NutsReport, Output};

/// Acceptance rates outside of this range mean a badly scaled proposal.
const ACCEPTANCE_RANGE: std::ops::Range<f64> = 0.05..0.8;
/// More trajectories than this share that end where the density is zero make the sampler slow.
const OUTSIDE_MAX: f64 = 0.1;

/// Moments, diagnostics and counts of the chains; the draws and the names are left out.
pub(super) fn chain_output(
    plan: &ChainSchedule<'_>,
    chains: &[MarkovChain],
    found: ChainSummary,
    seed: RandomSeed,
) -> Output {
    let dimension = plan.start.len();
    let diagnostics = &found.diagnostics;
    let real =
        |f: fn(&ChainDiagnostics) -> f64| diagnostics.iter().map(|found| Real(f(found))).collect();
    let std_dev = |axis: usize| Real(found.covariance[axis][axis].sqrt());
    let reals = |row: &Vec<f64>| row.iter().copied().map(Real).collect();
    let row = |axis: usize| {
        let [q5, q50, q95] = found.quantiles[axis];
        DimensionSummary {
            name: format!("x{axis}"),
            mean: found.mean[axis],
            std_dev: std_dev(axis),
            q5,
            q50,
            q95,
            ess: Real(diagnostics[axis].ess_bulk),
            rhat: Real(diagnostics[axis].rhat),
        }
    };
    let proposal = |chain: &MarkovChain| chain.proposal_std.clone();
    Output {
        samples: None,
        method: found
            .trajectories
            .as_ref()
            .map_or(McmcMethod::Metropolis, |_| McmcMethod::Nuts),
        acceptance_rate: found.acceptance_rate,
        summary: (0..dimension).map(row).collect(),
        std_dev: (0..dimension).map(std_dev).collect(),
        covariance: found.covariance.iter().map(reals).collect(),
        ess: real(|found| found.ess_bulk),
        ess_tail: real(|found| found.ess_tail),
        rhat: real(|found| found.rhat),
        mcse: real(|found| found.mcse),
        converged: found.unconverged.is_none(),
        reason: found.unconverged.map(Into::into),
        proposal_std: chains.iter().map(proposal).collect(),
        adapted: plan.burnin > 0,
        n_samples: plan.draws as i64,
        chains: chains.len() as i64,
        dimension,
        names: None,
        evaluations: found.evaluations,
        mean: found.mean,
        nuts: found.trajectories.map(nuts_report),
        seed,
    }
}

fn nuts_report(found: TrajectorySummary) -> NutsReport {
    let form = |shape: MetricShape| MetricForm::from(shape);
    NutsReport {
        divergences: found.divergences,
        outside: found.outside,
        tree_depth_saturated: found.saturated,
        step_size: found.step_size,
        metric: found.metric.into_iter().map(form).collect(),
        bfmi: found.bfmi.into_iter().map(Real).collect(),
    }
}

/// Warns of draws that must not be used as they are.
pub(super) fn warn_of_unusable_draws(output: &Output, args: &Args, ctx: &Ctx) {
    let axes = |bad: &dyn Fn(usize) -> bool| -> String {
        let found = (0..output.dimension).filter(|&axis| bad(axis));
        found
            .map(|axis| match &output.names {
                Some(names) => format!("`{}`", names[axis]),
                None => format!("x{axis}"),
            })
            .collect::<Vec<_>>()
            .join(", ")
    };
    let sizes = output.rhat.iter().map(|rhat| rhat.0);
    let largest = sizes.fold(f64::NAN, f64::max);
    let unmixed = axes(&|axis| output.rhat[axis].0 > RHAT_MAX);
    if !unmixed.is_empty() {
        ctx.warn(format!("R-hat is above {RHAT_MAX} (largest {largest:.3}) for {unmixed}: the chains have not mixed; do not use the draws, raise `burnin` and `n_samples`"));
    }
    let enough = ESS_PER_CHAIN_MIN * output.chains as f64;
    let few = axes(&|axis| output.ess[axis].0.min(output.ess_tail[axis].0) < enough);
    if !few.is_empty() {
        ctx.warn(format!("fewer than {enough} effective draws for {few}: raise `n_samples`, or `thin` if the result grows too large"));
    }
    let unknown = axes(&|axis| output.rhat[axis].0.is_nan());
    if !unknown.is_empty() {
        ctx.warn(format!(
            "no diagnostics for {unknown}: fewer than {DRAWS_MIN} draws, or chains that never moved"
        ));
    }
    match &output.nuts {
        Some(nuts) => warn_of_trajectories(nuts, output, args, ctx),
        None => warn_of_proposals(output, args, ctx),
    }
    if output.chains == 1 {
        ctx.warn("a single chain cannot show that it missed a part of the distribution: use several `chains`");
    }
}

fn warn_of_proposals(output: &Output, args: &Args, ctx: &Ctx) {
    if !ACCEPTANCE_RANGE.contains(&output.acceptance_rate) {
        let share = 100.0 * output.acceptance_rate;
        let hint = if args.burnin.get() == 0 {
            "set `proposal_std` to the width of the distribution, or let it adapt with `burnin`"
        } else {
            "raise `burnin`"
        };
        ctx.warn(format!(
            "{share:.1} % of the proposals were accepted: {hint}"
        ));
    }
}

fn warn_of_trajectories(nuts: &NutsReport, output: &Output, args: &Args, ctx: &Ctx) {
    let count = (output.n_samples * output.chains * args.thin.get()) as f64;
    if nuts.divergences > 0 {
        ctx.warn(format!("{} of {count} trajectories diverged: the draws may miss a part of the distribution that curves strongly; raise `target_accept` (to 0.95 or 0.99), or reparameterise", nuts.divergences));
    }
    if nuts.outside as f64 > OUTSIDE_MAX * count {
        ctx.warn(format!("{} of {count} trajectories entered a region of density zero, which makes the sampler slow: use variables without bounds (for x > 0, put exp(x) for x and add x to the log density)", nuts.outside));
    }
    if nuts.tree_depth_saturated > 0 {
        ctx.warn(format!("{} of {count} trajectories had not turned after {} steps: the scales of the variables differ strongly; raise `burnin`, or reparameterise", nuts.tree_depth_saturated, (1 << DEPTH_MAX) - 1));
    }
    let low = (0..nuts.bfmi.len()).filter(|&chain| nuts.bfmi[chain].0 < BFMI_MIN);
    let low: Vec<String> = low.map(|chain| chain.to_string()).collect();
    if !low.is_empty() {
        ctx.warn(format!("the energy fraction `bfmi` is below {BFMI_MIN} in the chains {}: the tails are explored too slowly; reparameterise", low.join(", ")));
    }
}
