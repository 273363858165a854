//! Surfaces over rectangular grids.

use kernels::interpolation::grid::Surface;

use super::places::Places;
use super::{Args, Extrapolate, Method, Output, check_ascending};
use crate::prelude::*;

pub(super) fn run(args: &Args, z: &Input<Matrix>, ctx: &Ctx) -> Result<Output, ToolError> {
    let (x, y, z) = (args.x.load(ctx)?, args.y.load(ctx)?, z.load(ctx)?);
    check_ascending(&x, "x")?;
    check_ascending(&y, "y")?;
    if (z.rows(), z.columns()) != (x.len(), y.len()) {
        refuse!(invalid "/z", "shape"; "expected {} rows of {} numbers, one row for each `x` and one column for each `y`, found {} x {}",
            x.len(), y.len(), z.rows(), z.columns(); "transpose it, or correct `x` and `y`");
    }
    let values = z.as_slice();
    ctx.reserve_doubles(6 * values.len())?;
    ctx.afford(100.0 * values.len() as f64)?;
    let surface = match args.method {
        Method::Linear => Surface::linear(&x, &y, values),
        Method::Cubic => Surface::cubic(&x, &y, values),
        other => {
            refuse!(invalid "/method"; "surfaces are `linear` or `cubic`, found `{}`", other.name(); "choose one of these");
        }
    };
    let at = match args.at.as_ref().map(|at| at.load(ctx)).transpose()? {
        Some(Places::Plane(at)) if at.columns() == 2 => at,
        _ => {
            refuse!(invalid "/at", "shape"; "expected points `[x, y]` for a surface"; "write one point as [[x, y]]");
        }
    };
    ctx.reserve_doubles(2 * at.rows())?;
    let ends = [[x[0], x[x.len() - 1]], [y[0], y[y.len() - 1]]];
    let mut found = Vec::with_capacity(at.rows());
    for (row, point) in at.as_slice().chunks_exact(2).enumerate() {
        if row % (1 << 12) == 0 {
            ctx.check()?;
        }
        let value = value(&surface, [point[0], point[1]], ends, args.extrapolate).map_err(|axis| {
            let [low, high] = ends[axis];
            let message = format!("{:?} is outside the grid, which reaches from {low:?} to {high:?} there", point[axis]);
            ToolError::numeric(format!("/at/{row}/{axis}"), message)
                .reason("extrapolation")
                .hint("choose places inside, or say in `extrapolate` what to return: `extend`, `constant`, `nan`")
        })?;
        found.push(Real(value));
    }
    if args.extrapolate == Extrapolate::Periodic {
        refuse!(invalid "/extrapolate"; "`periodic` is for curves, found `z`"; "choose `extend`, `constant` or `nan`");
    }
    Ok(Output {
        at: None,
        values: found,
        method: args.method,
        n: values.len(),
        range: ends[0],
        lambda: None,
        degrees_of_freedom: None,
        score: None,
        plot: None,
    })
}

/// The value at a point, or the axis along which it is outside.
fn value(
    surface: &Surface,
    point: [f64; 2],
    ends: [[f64; 2]; 2],
    extrapolate: Extrapolate,
) -> Result<f64, usize> {
    let is_outside = |axis: usize| !(ends[axis][0]..=ends[axis][1]).contains(&point[axis]);
    let Some(axis) = [0, 1].into_iter().find(|&axis| is_outside(axis)) else {
        return Ok(surface.value(point[0], point[1]));
    };
    match extrapolate {
        Extrapolate::Refuse => Err(axis),
        Extrapolate::Nan => Ok(f64::NAN),
        Extrapolate::Extend | Extrapolate::Periodic => Ok(surface.value(point[0], point[1])),
        Extrapolate::Constant => {
            let inside = |axis: usize| point[axis].clamp(ends[axis][0], ends[axis][1]);
            Ok(surface.value(inside(0), inside(1)))
        }
    }
}
