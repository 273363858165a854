use std::collections::BTreeSet;

use proptest::prelude::*;
use tool_core::{Ctx, StopFlag};

use super::{DotSurface, PlotProjection, clip_segment, draw_line, trace_curve};
use crate::plot::axis::AxisRange;

const COLUMNS: usize = 30;
const ROWS: usize = 20;

/// A grid that remembers which dots were set, and refuses those outside.
#[derive(Debug, Default, PartialEq)]
struct Set(BTreeSet<(usize, usize)>);

impl DotSurface for Set {
    fn size(&self) -> (usize, usize) {
        (COLUMNS, ROWS)
    }

    fn set(&mut self, column: usize, row: usize) {
        assert!(
            column < COLUMNS && row < ROWS,
            "({column}, {row}) is outside"
        );
        self.0.insert((column, row));
    }
}

fn projection() -> PlotProjection {
    PlotProjection {
        x: AxisRange::exact(0.0, 1.0),
        y: AxisRange::exact(0.0, 1.0),
        columns: COLUMNS,
        rows: ROWS,
    }
}

fn traced(points: &[(f64, f64)]) -> Set {
    let mut set = Set::default();
    let points = points.iter().copied().map(Some);
    trace_curve(&mut set, &projection(), points, &Ctx::default()).expect("not stopped");
    set
}

#[test]
fn a_line_is_whole_and_straight() {
    let mut set = Set::default();
    draw_line(&mut set, (0, 0), (6, 3));
    let expected = [(0, 0), (1, 0), (2, 1), (3, 1), (4, 2), (5, 2), (6, 3)];
    // Where two dots are equally near either may be set: one per column, never more than half a dot away.
    assert_eq!(set.0.len(), expected.len());
    assert!(
        set.0
            .iter()
            .all(|&(x, y)| (x as f64 / 2.0 - y as f64).abs() <= 0.5)
    );
}

#[test]
fn segments_are_cut_at_the_edges() {
    let rows = 10.0;
    assert_eq!(
        clip_segment((0.0, -5.0), (10.0, 15.0), rows),
        Some(((2.5, 0.0), (7.5, 10.0)))
    );
    assert_eq!(
        clip_segment((0.0, 2.0), (10.0, 8.0), rows),
        Some(((0.0, 2.0), (10.0, 8.0)))
    );
    assert_eq!(clip_segment((0.0, -1.0), (10.0, -2.0), rows), None);
    assert_eq!(clip_segment((0.0, 12.0), (10.0, 12.0), rows), None);
}

#[test]
fn a_gap_is_not_crossed() {
    let mut set = Set::default();
    let points = [Some((0.1, 0.5)), None, Some((0.9, 0.5))];
    trace_curve(&mut set, &projection(), points.into_iter(), &Ctx::default()).expect("not stopped");
    assert_eq!(set.0, BTreeSet::from([(3, 10), (27, 10)]));
}

#[test]
fn a_stopped_call_stops_drawing() {
    let stop = StopFlag::new();
    stop.cancel();
    let ctx = Ctx::new(stop, tool_core::CallBudget::default());
    let points = std::iter::repeat_n(Some((0.5, 0.5)), 10);
    assert!(trace_curve(&mut Set::default(), &projection(), points, &ctx).is_err());
}

proptest! {
    /// Runs within a column change nothing: the dots are those of every segment drawn by itself.
    #[test]
    fn runs_set_the_dots_of_every_segment(points in proptest::collection::vec((0.0..1.0, 0.0..1.0), 2..80)) {
        let mut each = Set::default();
        let projection = projection();
        for pair in points.windows(2) {
            let dot = |(x, y): (f64, f64)| (projection.column(x) as i64, projection.row(y) as i64);
            draw_line(&mut each, dot(pair[0]), dot(pair[1]));
        }
        prop_assert_eq!(traced(&points), each);
    }

    /// Heights of every size stay inside the grid.
    #[test]
    fn nothing_is_drawn_outside(points in proptest::collection::vec((0.0..1.0, proptest::num::f64::NORMAL), 1..40)) {
        traced(&points);
    }
}
