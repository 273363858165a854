//! What a search for roots found, as the answer of the tool and in its words.

use numerics::roots::RootError;
use numerics::roots::find::{
    IrregularKind, IrregularPlace, RealRootEstimate, RootSearchEnd, RootSearchMethod,
    RootSearchNote, RootSearchResult,
};
use tool_core::{Ctx, Real, ToolError};

use super::{FindRootMethod, FindRootReason, Output, RealRoot, SuspectKind, SuspectPlace};
use crate::call_watch::CallWatch;

/// The answer, and its warnings.
pub(super) fn root_output(found: RootSearchResult, is_all: bool, ctx: &Ctx) -> Output {
    for note in &found.notes {
        ctx.warn(note_text(note));
    }
    let is_complete = found.end == RootSearchEnd::All;
    Output {
        root: found.roots.first().map(|root| root.x),
        roots: found.roots.into_iter().map(real_root).collect(),
        converged: is_complete || found.end == RootSearchEnd::Root,
        reason: match found.end {
            RootSearchEnd::Root => FindRootReason::Root,
            RootSearchEnd::All => FindRootReason::All,
            RootSearchEnd::Unresolved => FindRootReason::Unresolved,
            RootSearchEnd::Sampled => FindRootReason::Sampled,
            RootSearchEnd::Pole => FindRootReason::Pole,
            RootSearchEnd::Jump => FindRootReason::Jump,
            RootSearchEnd::Flat => FindRootReason::Flat,
        },
        complete: is_all.then_some(is_complete),
        unresolved: found.places.into_iter().map(suspect_place).collect(),
        method: match found.method {
            RootSearchMethod::Chandrupatla => FindRootMethod::Chandrupatla,
            RootSearchMethod::Intervals => FindRootMethod::Intervals,
            RootSearchMethod::Sampling => FindRootMethod::Sampling,
        },
        evaluations: found.evaluations,
        plot: None,
    }
}

fn real_root(root: RealRootEstimate) -> RealRoot {
    RealRoot {
        x: root.x,
        error: root.error,
        residual: Real(root.residual),
        proven: root.is_proven,
    }
}

fn suspect_place(place: IrregularPlace) -> SuspectPlace {
    SuspectPlace {
        kind: match place.kind {
            IrregularKind::Pole => SuspectKind::Pole,
            IrregularKind::Jump => SuspectKind::Jump,
            IrregularKind::Multiple => SuspectKind::Multiple,
            IrregularKind::Flat => SuspectKind::Flat,
            IrregularKind::Undefined => SuspectKind::Undefined,
            IrregularKind::Unsearched => SuspectKind::Unsearched,
        },
        from: place.low,
        to: place.high,
        has_root: place.has_root,
        x: place.x,
        residual: (!place.residual.is_nan()).then_some(Real(place.residual)),
    }
}

fn note_text(note: &RootSearchNote) -> String {
    match note {
        RootSearchNote::FirstOfChanges { changes, samples } => format!(
            "the signs of `f` at `from` and `to` do not single this root out: it is the first of {changes} sign changes between {samples} samples; `all` finds every root"
        ),
        RootSearchNote::NoRootAround => {
            "only places that are no roots were found around `x0`".to_owned()
        }
        RootSearchNote::Sampled { function, samples } => format!(
            "`{function}` is not known over intervals: roots are sign changes and minima among {samples} samples, and some may be missing"
        ),
        RootSearchNote::Unsearched {
            roots,
            parts,
            low,
            high,
        } => format!(
            "stopped at {roots} roots and {parts} parts: from {low:?} to {high:?} roots may be missing, as where they accumulate; search parts of the interval"
        ),
        RootSearchNote::Undecided => {
            "some places could not be decided: `unresolved` names them".to_owned()
        }
    }
}

/// The error of a search as that of the call.
pub(super) fn root_error(error: RootError, ctx: &Ctx) -> ToolError {
    match error {
        RootError::Interrupted(interruption) => CallWatch(ctx).interruption_error(interruption),
        RootError::Function(error) => CallWatch::function_error(error),
        RootError::UndefinedEnd { x, is_upper } => {
            let end = if is_upper { "/to" } else { "/from" };
            let message =
                format!("`f` has no value at {x:?}, and no sign change was found between");
            ToolError::numeric(end, message)
                .reason("undefined")
                .hint("choose ends where it is defined")
        }
        RootError::UndefinedStart { x } => {
            ToolError::numeric("/x0", format!("`f` has no value at {x:?}"))
                .reason("undefined")
                .hint("choose a start where it is defined")
        }
        RootError::NoSignChange {
            low,
            at_low,
            high,
            at_high,
            samples,
        } => {
            let message = format!(
                "`f` has the same sign at {low:?} ({at_low:?}) and {high:?} ({at_high:?}), and at {samples} samples between"
            );
            ToolError::numeric("/from", message).reason("no_sign_change").hint(
                "choose ends where the signs differ; `all` tells whether there is a root, also one without a sign change",
            )
        }
        RootError::NoSignChangeAround { start } => {
            let message = format!(
                "`f` has the same sign on both sides of {start:?}, as far as it has values"
            );
            ToolError::numeric("/x0", message).reason("no_sign_change").hint(
                "give `from` and `to` with different signs; with `all`, roots without a sign change are found too",
            )
        }
        other @ RootError::NotFinite { .. } => ToolError::numeric("/f", other),
    }
}
