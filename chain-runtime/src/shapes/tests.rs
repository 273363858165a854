//! The solver: what is the same, what clashes, and what is taken back.

use super::*;

fn origin() -> ExtentOrigin {
    ExtentOrigin {
        pointer: "/a".into(),
        axis: ExtentAxis::Rows,
    }
}

fn array(solver: &mut ShapeSolver, extents: &[u64]) -> ShapeId {
    let extents: Vec<ShapeId> = extents
        .iter()
        .map(|&size| solver.size(size, origin()))
        .collect();
    let end = solver.end();
    solver.list(&extents, end)
}

fn clashes(solver: &mut ShapeSolver, a: ShapeId, b: ShapeId) -> usize {
    let mut clashes = Vec::new();
    solver.unify(a, b, &mut clashes);
    clashes.len()
}

fn text(solver: &mut ShapeSolver, shape: ShapeId) -> String {
    solver.write(shape, 0, &|step| format!("s{step}").into())
}

#[test]
fn every_extent_that_differs_is_a_clash() {
    let mut solver = ShapeSolver::default();
    for (a, b, expected) in [
        (&[2, 3][..], &[2, 3][..], 0),
        (&[2, 3], &[3, 2], 2),
        (&[2], &[2, 3], 1),
        (&[], &[1], 1),
        (&[], &[], 0),
    ] {
        let (a, b) = (array(&mut solver, a), array(&mut solver, b));
        assert_eq!(clashes(&mut solver, a, b), expected);
    }
}

#[test]
fn names_are_learned_and_rests_take_any_rank() {
    let mut solver = ShapeSolver::default();
    let (n, rest) = (solver.open(Some((0, "n".into()))), solver.open(None));
    let wanted = solver.list(&[n], rest);
    assert_eq!(text(&mut solver, wanted), "[n,*]");
    let matrix = array(&mut solver, &[4, 2]);
    assert_eq!(clashes(&mut solver, matrix, wanted), 0);
    assert_eq!(
        (text(&mut solver, wanted).as_str(), solver.rank(wanted)),
        ("[4,2]", 2)
    );
    let least = solver.least(n, n, (0, "l".into()));
    assert_eq!(solver.known(least).map(|(size, _)| size), Some(4));
    let other = array(&mut solver, &[4]);
    assert_eq!(clashes(&mut solver, other, wanted), 1);
}

#[test]
fn what_was_learned_since_a_mark_is_taken_back() {
    let mut solver = ShapeSolver::default();
    let (a, b, c) = (
        solver.open(Some((1, "a".into()))),
        solver.open(None),
        solver.open(Some((0, "c".into()))),
    );
    let shapes = [a, b, c].map(|extent| {
        let end = solver.end();
        solver.list(&[extent], end)
    });
    assert_eq!(clashes(&mut solver, shapes[0], shapes[1]), 0);
    solver.mark();
    assert_eq!(clashes(&mut solver, shapes[1], shapes[2]), 0);
    let known = array(&mut solver, &[7]);
    assert_eq!(clashes(&mut solver, known, shapes[2]), 0);
    assert_eq!(text(&mut solver, shapes[0]), "[7]");
    solver.take_back();
    let texts = shapes.map(|shape| text(&mut solver, shape));
    assert_eq!(texts, ["[s1.a]", "[s1.a]", "[c]"]);
}

#[test]
fn a_shape_inside_itself_and_a_long_line_end() {
    let mut solver = ShapeSolver::default();
    let (n, rest) = (solver.open(None), solver.open(None));
    let longer = solver.list(&[n], rest);
    assert!(clashes(&mut solver, rest, longer) <= 1);
    assert!(text(&mut solver, longer).len() < 200);
    let mut last = array(&mut solver, &[3]);
    let first = last;
    for _ in 0..100_000 {
        let open = solver.open(None);
        assert_eq!(clashes(&mut solver, open, last), 0);
        last = open;
    }
    assert_eq!(text(&mut solver, last), text(&mut solver, first));
}

#[test]
fn only_what_is_known_is_left_of_one_call_of_many() {
    let mut solver = ShapeSolver::default();
    let (n, two, end) = (
        solver.open(Some((0, "n".into()))),
        solver.size(2, origin()),
        solver.end(),
    );
    let shape = solver.list(&[n, two], end);
    let part = solver.known_part(shape);
    assert_eq!(text(&mut solver, part), "[?,2]");
    let five = array(&mut solver, &[5, 2]);
    assert_eq!(clashes(&mut solver, part, five), 0);
    assert_eq!(text(&mut solver, shape), "[n,2]");
}
