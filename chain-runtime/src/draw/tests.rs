use proptest::prelude::*;

use super::layout::{BoxLink, BoxRectangle, BoxSize, DrawingLayout, compute_layout};

/// Two rectangles that share more than an edge.
fn overlap(a: &BoxRectangle, b: &BoxRectangle) -> bool {
    const TOUCH: f64 = 1e-6;
    a.left() + TOUCH < b.right()
        && b.left() + TOUCH < a.right()
        && a.top + TOUCH < b.bottom()
        && b.top + TOUCH < a.bottom()
}

/// What is wrong with a drawing.
pub(super) fn faults(layout: &DrawingLayout) -> Vec<String> {
    let mut faults = Vec::new();
    let labels = layout.labels.iter().flatten();
    let all: Vec<&BoxRectangle> = layout.boxes.iter().chain(labels).collect();
    for (index, one) in all.iter().enumerate() {
        for other in &all[..index] {
            if overlap(one, other) {
                faults.push(format!("{one:?} lies on {other:?}"));
            }
        }
        if one.left() < -1e-6
            || one.right() > layout.width + 1e-6
            || one.bottom() > layout.height + 1e-6
        {
            faults.push(format!("{one:?} is outside"));
        }
    }
    for way in &layout.ways {
        for pair in way.windows(2) {
            if pair[1].1 < pair[0].1 - 1e-6 {
                faults.push(format!("an arrow goes up: {way:?}"));
            }
        }
        // Straight parts pass rows; the curves between them pass no row at all.
        for pair in way.windows(2).step_by(2) {
            if (pair[0].0 - pair[1].0).abs() > 1e-6 {
                faults.push(format!("an arrow bends inside a row: {way:?}"));
            }
            let through = BoxRectangle {
                x: pair[0].0,
                top: pair[0].1,
                width: 0.0,
                height: pair[1].1 - pair[0].1,
            };
            for one in &layout.boxes {
                let inside = one.left() + 1e-6 < through.x && through.x < one.right() - 1e-6;
                let across = through.top < one.bottom() - 1e-6 && one.top + 1e-6 < through.bottom();
                if inside && across {
                    faults.push(format!("an arrow crosses a box: {way:?} {one:?}"));
                }
            }
        }
    }
    faults
}

proptest! {
    #[test]
    fn nothing_lies_on_anything(
        boxes in prop::collection::vec((0..5usize, 40.0..200.0f64, 30.0..90.0f64), 1..25),
        links in prop::collection::vec((0..25usize, 0..25usize, prop::option::of(20.0..150.0f64)), 0..50),
    ) {
        let boxes: Vec<BoxSize> = boxes
            .into_iter()
            .map(|(wave, width, height)| BoxSize { row: 2 * wave, width, height })
            .collect();
        let links: Vec<BoxLink> = links
            .into_iter()
            .filter(|&(from, to, _)| from < boxes.len() && to < boxes.len() && boxes[from].row < boxes[to].row)
            .map(|(from, to, width)| BoxLink { from, to, label: width.map(|width| (width, 17.0)) })
            .collect();
        let layout = compute_layout(&boxes, &links).unwrap();
        prop_assert_eq!(faults(&layout), Vec::<String>::new());
        let again = compute_layout(&boxes, &links).unwrap();
        prop_assert_eq!(format!("{layout:?}"), format!("{again:?}"));
    }
}

#[test]
fn too_much_is_not_drawn() {
    let boxes: Vec<BoxSize> = (0..2)
        .map(|at| BoxSize {
            row: at * 20_000,
            width: 10.0,
            height: 10.0,
        })
        .collect();
    let link = BoxLink {
        from: 0,
        to: 1,
        label: None,
    };
    assert!(compute_layout(&boxes, &[link]).is_none());
    assert!(compute_layout(&boxes[..1], &[]).is_some());
    assert!(compute_layout(&[], &[]).is_some());
}
