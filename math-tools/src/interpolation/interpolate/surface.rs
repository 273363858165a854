//! Surfaces over rectangular grids.

use std::borrow::Cow;

use numerics::interpolation::grid::GridSurface;

use super::places::QueryPoints;
use super::{Args, ExtrapolationMode, InterpolateMethod, Output, check_ascending};
use crate::prelude::*;

pub(super) fn interpolate_surface(
    args: &Args,
    z: &Input<Matrix>,
    ctx: &Ctx,
) -> Result<Output, ToolError> {
    let (x, y, z) = (args.x.load(ctx)?, args.y.load(ctx)?, z.load(ctx)?);
    check_ascending(&x, "x", 1)?;
    check_ascending(&y, "y", 1)?;
    if (z.rows(), z.columns()) != (x.len(), y.len()) {
        refuse!(invalid "/z", "shape"; "expected {} rows of {} numbers, one row for each `x` and one column for each `y`, found {} x {}",
            x.len(), y.len(), z.rows(), z.columns(); "transpose it, or correct `x` and `y`");
    }
    ctx.reserve_doubles(24 * z.as_slice().len())?;
    ctx.afford(400.0 * z.as_slice().len() as f64)?;
    let grid = SurfaceGrid::of(&x, &y, z.as_slice());
    let surface = match args.method {
        InterpolateMethod::Linear => GridSurface::linear(&grid.x, &grid.y, &grid.z),
        InterpolateMethod::Cubic => GridSurface::cubic(&grid.x, &grid.y, &grid.z),
        other => {
            refuse!(invalid "/method"; "surfaces are `linear` or `cubic`, found `{}`", other.name(); "choose one of these");
        }
    };
    let at = match args.at.as_ref().map(|at| at.load(ctx)).transpose()? {
        Some(QueryPoints::Plane(at)) if at.columns() == 2 => at,
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
        let value = surface_value(&surface, [point[0], point[1]], ends, args.extrapolate).map_err(|axis| {
            let [low, high] = ends[axis];
            let message = format!("{:?} is outside the grid, which reaches from {low:?} to {high:?} there", point[axis]);
            ToolError::numeric(format!("/at/{row}/{axis}"), message)
                .reason("extrapolation")
                .hint("choose places inside, or say in `extrapolate` what to return: `extend`, `constant`, `nan`")
        })?;
        found.push(Real(value));
    }
    if args.extrapolate == ExtrapolationMode::Periodic {
        refuse!(invalid "/extrapolate"; "`periodic` is for curves, found `z`"; "choose `extend`, `constant` or `nan`");
    }
    Ok(Output {
        at: None,
        values: found,
        method: args.method,
        n: z.as_slice().len(),
        range: ends[0],
        lambda: None,
        degrees_of_freedom: None,
        score: None,
        plot: None,
    })
}

/// A grid of at least two places along each axis.
struct SurfaceGrid<'a> {
    x: Cow<'a, [f64]>,
    y: Cow<'a, [f64]>,
    z: Cow<'a, [f64]>,
}

impl<'a> SurfaceGrid<'a> {
    /// Along an axis of one place the values are the same everywhere: they are repeated at another place.
    fn of(x: &'a [f64], y: &'a [f64], z: &'a [f64]) -> Self {
        let (x, y, mut z) = (
            widen_single_place(x),
            widen_single_place(y),
            Cow::Borrowed(z),
        );
        if let Cow::Owned(_) = y {
            z = z.iter().flat_map(|z| [*z, *z]).collect();
        }
        if let Cow::Owned(_) = x {
            z = [&z[..], &z[..]].concat().into();
        }
        Self { x, y, z }
    }
}

/// One place with another beyond it.
fn widen_single_place(places: &[f64]) -> Cow<'_, [f64]> {
    match places {
        &[place] if place > 0.0 => vec![0.5 * place - 1.0, place].into(),
        &[place] => vec![place, 0.5 * place + 1.0].into(),
        several => several.into(),
    }
}

/// The value at a point, or the axis along which it is outside.
fn surface_value(
    surface: &GridSurface,
    point: [f64; 2],
    ends: [[f64; 2]; 2],
    extrapolate: ExtrapolationMode,
) -> Result<f64, usize> {
    let is_outside = |axis: usize| !(ends[axis][0]..=ends[axis][1]).contains(&point[axis]);
    let Some(axis) = [0, 1].into_iter().find(|&axis| is_outside(axis)) else {
        return Ok(surface.value(point[0], point[1]));
    };
    match extrapolate {
        ExtrapolationMode::Refuse => Err(axis),
        ExtrapolationMode::Nan => Ok(f64::NAN),
        ExtrapolationMode::Extend | ExtrapolationMode::Periodic => {
            let held = |axis: usize| match ends[axis] {
                [low, high] if low == high => low,
                _ => point[axis],
            };
            Ok(surface.value(held(0), held(1)))
        }
        ExtrapolationMode::Constant => {
            let inside = |axis: usize| point[axis].clamp(ends[axis][0], ends[axis][1]);
            Ok(surface.value(inside(0), inside(1)))
        }
    }
}
