//! [`InitialValueProblem`]: one trajectory with its evidence: what lies between the steps, and the error at the end.

use super::drive::{OdeOptions, OdeTrajectory, error_at_end, integrate_flow};
use super::error::{OdeArgumentError, OdeError, check_times};
use super::event::{EventDoubt, EventOccurrences, OdeEvent};
use super::flow::{OdeFlow, OdeWork, RTOL_MIN};
use super::jump::{DerivativeJump, search_discontinuity};
use super::mass::MassMatrix;
use super::method::OdeMethod;
use super::observer::TrajectoryObserver;
use super::sensitivity::{ParametricFlow, VariationalFlow, slopes_by_parameter};
use super::stepper::OdeEnd;
use crate::watch::Watch;

/// A start, and what is asked of the solution from it; the right-hand side comes with the call.
pub struct InitialValueProblem<'a> {
    /// The state at the start.
    pub y0: &'a [f64],
    /// The first time and the last, in either order.
    pub span: (f64, f64),
    /// Times at which the solution is returned, in the direction of integration; absent: every accepted step.
    pub times: Option<&'a [f64]>,
    /// The mass matrix, which the pattern of the right-hand side has too; its start must fulfil the equations without a derivative.
    pub mass: Option<&'a MassMatrix>,
    /// Makes the events, anew for each integration.
    pub events: &'a dyn Fn() -> Vec<OdeEvent<'a>>,
    /// Largest number of changes of the state by them.
    pub changes_max: u64,
    /// Whether the right-hand side may depend on the time. Otherwise implicit methods are not searched for what lies between their steps.
    pub uses_time: bool,
    /// Whether the error at the end is estimated, by a second integration with looser tolerances.
    pub estimates_error: bool,
    /// Whether the tolerances bound that estimate: the equations are integrated again until they do.
    pub bounds_end: bool,
    /// Settings.
    pub options: OdeOptions,
}

/// Work of a solution.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct OdeSolutionWork {
    /// Accepted steps.
    pub steps: u64,
    /// Attempted steps that were rejected.
    pub rejected: u64,
    /// The integration.
    pub integration: OdeWork,
    /// Evaluations besides: for the error estimate and the look between the steps.
    pub extra_evaluations: u64,
}

/// A change of the right-hand side that the steps jumped over.
#[derive(Debug, Clone, Copy)]
pub struct SkippedChange {
    /// About where, and the step that sees it.
    pub jump: DerivativeJump,
    /// Whether the solution is that of steps which see it.
    pub is_included: bool,
}

/// An error at the end that is larger than asked for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct UnmetTolerance {
    /// The estimate in units of what was asked for; not finite where it is not known.
    pub scaled: f64,
    /// Whether steps ran out on the way to a smaller one.
    pub is_short_of_steps: bool,
}

/// A trajectory and how it was found.
#[derive(Debug)]
pub struct OdeSolution {
    /// Times, in the direction of integration.
    pub t: Vec<f64>,
    /// States at the times, one after the other, each with its derivatives by parameters.
    pub y: Vec<f64>,
    /// Number of components.
    pub components: usize,
    /// Number of entries of a state with its derivatives.
    pub width: usize,
    /// Reason the end was not reached.
    pub stopped: Option<OdeEnd>,
    /// The time that was reached.
    pub t_end: f64,
    /// Work done.
    pub work: OdeSolutionWork,
    /// The methods used, in order.
    pub methods: Vec<OdeMethod>,
    /// The time of the first change from one to the next.
    pub switched_at: Option<f64>,
    /// Whether stability limited the steps of an explicit method.
    pub is_stiff: bool,
    /// Largest difference of a component at the end from a run with looser tolerances: usually several times the true error.
    pub error_estimate: Option<f64>,
    /// Zeros of the events.
    pub events: Vec<EventOccurrences>,
    /// Events of which zeros may be missing, by their index.
    pub doubts: Vec<(usize, EventDoubt)>,
    /// What the steps jumped over.
    pub skipped: Option<SkippedChange>,
    /// The tolerances of the integration in units of those asked for.
    pub tightened: f64,
    /// Where the error at the end is larger than asked for.
    pub unmet: Option<UnmetTolerance>,
}

/// Whether the end or a terminal event was reached.
fn is_whole(stopped: Option<OdeEnd>) -> bool {
    matches!(stopped, None | Some(OdeEnd::TerminalEvent))
}

impl OdeSolution {
    /// Whether the end or a terminal event was reached.
    pub fn is_complete(&self) -> bool {
        is_whole(self.stopped)
    }

    /// The components at each time.
    pub fn states(&self) -> impl Iterator<Item = &[f64]> {
        self.y
            .chunks_exact(self.width)
            .map(|row| &row[..self.components])
    }

    /// The derivatives of the components by a parameter, by its index, at each time.
    pub fn derivatives(&self, parameter: usize) -> impl Iterator<Item = &[f64]> {
        let n = self.components;
        self.y
            .chunks_exact(self.width)
            .map(move |row| &row[(parameter + 1) * n..(parameter + 2) * n])
    }
}

/// An integration that was searched for changes of the right-hand side between its steps.
struct SearchedIntegration<'a> {
    path: OdeTrajectory,
    observer: TrajectoryObserver<'a>,
    options: OdeOptions,
    skipped: Option<SkippedChange>,
    /// Work besides that of the path.
    before: OdeWork,
}

impl SearchedIntegration<'_> {
    fn is_whole(&self) -> bool {
        is_whole(self.path.stopped)
    }

    fn work(&self) -> OdeWork {
        let mut work = self.path.work;
        work += self.before;
        work
    }
}

impl<'a> InitialValueProblem<'a> {
    /// Every accepted step from a start, without events, with an estimate of the error at the end.
    pub fn new(y0: &'a [f64], span: (f64, f64)) -> Self {
        Self {
            y0,
            span,
            times: None,
            mass: None,
            events: &Vec::new,
            changes_max: u64::MAX,
            uses_time: true,
            estimates_error: true,
            bounds_end: false,
            options: OdeOptions::default(),
        }
    }

    /// Refuses a start, a span, times and tolerances of which there is no solution for `n` components.
    ///
    /// # Errors
    /// [`OdeArgumentError`].
    pub fn check(&self, n: usize) -> Result<(), OdeArgumentError> {
        let found = self.y0.len();
        if n != found || n == 0 {
            let expected = n.max(1);
            return Err(OdeArgumentError::StartLength { expected, found });
        }
        if let Some(index) = self.y0.iter().position(|y| !y.is_finite()) {
            let value = self.y0[index];
            return Err(OdeArgumentError::StartValue { index, value });
        }
        let (start, end) = self.span;
        if start == end || !(end - start).is_finite() {
            return Err(OdeArgumentError::Span { start, end });
        }
        check_times(self.times.unwrap_or_default(), self.span)?;
        self.options.check(n)
    }

    /// Solves the equations of a flow.
    ///
    /// # Method
    /// That of the options ([`integrate_flow`]). Where steps of more than 1/20 of the span jumped over a change of the right-hand side, they are made again
    /// shorter ([`search_discontinuity`]). The error at the end is the difference from a run at ten times looser tolerances.
    ///
    /// # Errors
    /// An interruption; a start from which nothing can be integrated; a new value of the state at an event that is not finite. An integration that ends
    /// early is a solution that says so.
    ///
    /// # Panics
    /// Where the start, the pattern of the flow and the tolerances are of different lengths, which [`InitialValueProblem::check`] tells.
    pub fn solve(
        &self,
        flow: &mut dyn OdeFlow,
        watch: &dyn Watch,
    ) -> Result<OdeSolution, OdeError> {
        self.check_start(flow, watch)?;
        self.solve_flow(flow, self.y0, &self.options, watch)
    }

    /// As [`InitialValueProblem::solve`], with the derivatives of the solution by the first parameters of the flow, which have these values.
    ///
    /// # Errors
    /// As [`InitialValueProblem::solve`].
    pub fn solve_with_derivatives(
        &self,
        flow: &mut dyn ParametricFlow,
        parameters: &[f64],
        watch: &dyn Watch,
    ) -> Result<OdeSolution, OdeError> {
        let (n, count) = (self.y0.len(), parameters.len());
        self.check_start(flow, watch)?;
        let at = (self.span.0, self.y0);
        let mut start = self.y0.to_vec();
        if let Some(mass) = self.mass {
            let slopes = slopes_by_parameter(flow, count, at);
            for by in mass.start_by_parameters(flow, at, &slopes, watch)? {
                start.extend(by);
            }
        }
        start.resize(n * (1 + count), 0.0);
        watch.reserve_doubles(10 * start.len())?;
        let mut options = self.options.clone();
        options.tolerances = options.tolerances.with_derivatives(n, parameters);
        self.solve_flow(&mut VariationalFlow::new(flow), &start, &options, watch)
    }

    /// Refuses a right-hand side that is not finite at the start, and a start that does not fulfil the algebraic equations.
    fn check_start(&self, flow: &mut dyn OdeFlow, watch: &dyn Watch) -> Result<(), OdeError> {
        let t = self.span.0;
        let mut dy = vec![0.0; self.y0.len()];
        watch.count_evaluations(1)?;
        flow.eval(t, self.y0, &mut dy);
        if let Some(component) = dy.iter().position(|value| !value.is_finite()) {
            let value = dy[component];
            return Err(OdeError::StartSlope {
                component,
                t,
                value,
            });
        }
        match self.mass {
            Some(mass) => mass.check_start(flow, (t, self.y0), &self.options.tolerances, watch),
            None => Ok(()),
        }
    }

    /// Integrates until the error at the end is known, and within the tolerances where these bound it.
    fn solve_flow(
        &self,
        flow: &mut dyn OdeFlow,
        start: &[f64],
        options: &OdeOptions,
        watch: &dyn Watch,
    ) -> Result<OdeSolution, OdeError> {
        let n = self.y0.len();
        let mut extra = OdeWork::default();
        let mut done = self.integrate_with_restarts(flow, start, options, watch)?;
        let (mut error_estimate, mut factor, mut unmet) = (None, 1.0, None);
        let mut before = f64::INFINITY;
        while self.estimates_error && done.is_whole() {
            let wanted = &options.tolerances;
            let changes = || done.observer.changes_alone((self.events)());
            let of = (&done.path, n);
            let (estimate, work) = error_at_end(flow, of, &done.options, wanted, &changes, watch)?;
            extra += work;
            error_estimate = estimate.map(|estimate| estimate.largest);
            let scaled = estimate.map_or(f64::INFINITY, |estimate| estimate.scaled);
            unmet = (self.bounds_end && scaled > 1.0).then_some(UnmetTolerance {
                scaled,
                is_short_of_steps: false,
            });
            // Where tighter tolerances bring little, as at the level of rounding, still tighter ones bring no more.
            if unmet.is_none() || scaled >= 0.8 * before {
                break;
            }
            before = scaled;
            let next = factor * (0.3 / scaled).max(1e-3);
            let mut finer = done.options.clone();
            finer.tolerances = wanted.times(next);
            finer.tolerances.rtol = finer.tolerances.rtol.max(RTOL_MIN);
            let mut again = self.integrate_with_restarts(flow, start, &finer, watch)?;
            if !again.is_whole() {
                unmet = Some(UnmetTolerance {
                    scaled,
                    is_short_of_steps: again.path.stopped == Some(OdeEnd::MaxSteps),
                });
                extra += again.work();
                break;
            }
            extra += done.work();
            again.skipped = again.skipped.or(done.skipped);
            (done, factor) = (again, next);
        }
        let SearchedIntegration {
            path,
            observer,
            skipped,
            before,
            ..
        } = done;
        extra += before;
        let (t_end, width) = (path.t_end(), start.len());
        let work = OdeSolutionWork {
            // A change of the state by an event is no step.
            steps: {
                let moves = |pair: &&[f64]| pair[0] != pair[1];
                path.t.windows(2).filter(moves).count() as u64
            },
            rejected: path.rejected,
            integration: path.work,
            extra_evaluations: extra.evaluations,
        };
        let (t, y) = match self.times {
            Some(times) => {
                let reached = path.samples.len() / width;
                (times[..reached].to_vec(), path.samples)
            }
            None => (path.t, path.y),
        };
        Ok(OdeSolution {
            t,
            y,
            components: n,
            width,
            stopped: path.stopped,
            t_end,
            work,
            is_stiff: path.stiff || path.switched_at.is_some(),
            methods: path.methods,
            switched_at: path.switched_at,
            error_estimate,
            doubts: observer.doubts(),
            events: observer.occurrences(),
            skipped,
            tightened: factor,
            unmet,
        })
    }

    fn observer(&self) -> TrajectoryObserver<'a> {
        TrajectoryObserver::new(
            self.times.unwrap_or_default(),
            (self.events)(),
            self.y0.len(),
            self.span,
            self.changes_max,
        )
    }

    /// Integrates, and again with shorter steps where something changes between them.
    fn integrate_with_restarts(
        &self,
        flow: &mut dyn OdeFlow,
        start: &[f64],
        options: &OdeOptions,
        watch: &dyn Watch,
    ) -> Result<SearchedIntegration<'a>, OdeError> {
        let mut observer = self.observer();
        let path = integrate_flow(flow, self.span, start, options, &mut observer, watch)?;
        let mut done = SearchedIntegration {
            path,
            observer,
            options: options.clone(),
            skipped: None,
            before: OdeWork::default(),
        };
        // A stiff method is not misled by what it does not see between its steps, unless that comes with time alone.
        let methods = &done.path.methods;
        let is_explicit = !methods.iter().any(|method| method.is_implicit());
        let is_searched = done.is_whole() && self.mass.is_none() && (is_explicit || self.uses_time);
        if !is_searched {
            return Ok(done);
        }
        let (jump, work) = search_discontinuity(flow, &done.path, options, watch)?;
        done.before += work;
        let Some(jump) = jump else {
            return Ok(done);
        };
        let seeing = OdeOptions {
            step_max: jump.step.min(options.step_max),
            ..options.clone()
        };
        let mut observer = self.observer();
        let again = integrate_flow(flow, self.span, start, &seeing, &mut observer, watch)?;
        let is_included = is_whole(again.stopped);
        done.skipped = Some(SkippedChange { jump, is_included });
        if is_included {
            done.before += done.path.work;
            (done.path, done.options, done.observer) = (again, seeing, observer);
        } else {
            done.before += again.work;
        }
        Ok(done)
    }
}
