//! Each definition against itself: what it says in one number system it says in the others.

use astro_float_num::{BigFloat, Consts};
use numerics::bytecode::ProgramBuilder;
use numerics::roots::interval::Interval;
use tool_core::Ctx;

use super::super::ball::{Ball, BallArithmetic, ExactOrBall};
use super::super::enclosure::BoxEnclosure;
use super::super::plane::RealOrComplex;
use super::super::rational::Rational;
use super::*;

/// Points that are short binary fractions, so that they are the same number in every system.
const POINTS: [f64; 15] = [
    -20.0, -3.0, -2.5, -1.0, -0.75, -0.25, 0.0, 0.125, 0.5, 0.75, 1.0, 1.5, 2.0, 4.5, 20.0,
];
/// Of values in different systems, relative to 1 and to the value.
const TOLERANCE: f64 = 1e-12;

fn is_near(a: f64, b: f64, tolerance: f64) -> bool {
    (a - b).abs() <= tolerance * (1.0 + b.abs())
}

/// The points at which an operation has a value in doubles, with it.
fn real_values<const N: usize>(
    value: impl Fn([f64; N]) -> Option<f64>,
) -> impl Iterator<Item = ([f64; N], f64)> {
    let count = POINTS.len().pow(N as u32);
    (0..count).filter_map(move |index| {
        let operands = std::array::from_fn(|place| {
            POINTS[index / POINTS.len().pow(place as u32) % POINTS.len()]
        });
        value(operands).map(|value| (operands, value))
    })
}

fn exact(x: f64) -> Rational {
    Rational::parse(&x.to_string()).expect("a short decimal")
}

fn with_balls<T>(work: impl FnOnce(&mut BallArithmetic<'_>) -> T) -> T {
    let mut consts = Consts::new().expect("constants");
    work(&mut BallArithmetic {
        bits: 128,
        consts: &mut consts,
        slots: &[],
        ctx: &Ctx::default(),
    })
}

/// The distance of a value to many digits from a double, as an upper bound.
fn distance(machine: &mut BallArithmetic<'_>, found: &ExactOrBall, value: f64) -> f64 {
    let found = machine.ball(found).expect("a ball");
    let difference = machine.sub(&found, &Ball::exact(BigFloat::from_f64(value, 64)));
    difference.expect("a difference").magnitude().to_f64_up()
}

#[test]
fn spellings_are_found_and_none_has_two_meanings() {
    let mut names: Vec<&str> = Vec::new();
    for one in unary_definitions() {
        names.extend(one.aliases);
        let found = find_function(one.name);
        if is_word(one.name) && !FORMS.iter().any(|(name, _)| *name == one.name) {
            assert_eq!(found, Some(ExpressionFunction::Unary(one)), "{one:?}");
            names.push(one.name);
        }
    }
    for two in binary_definitions() {
        names.extend(two.aliases);
        let found = find_function(two.name);
        if is_word(two.name) && !FORMS.iter().any(|(name, _)| *name == two.name) {
            assert_eq!(found, Some(ExpressionFunction::Binary(two)), "{two:?}");
            names.push(two.name);
        }
    }
    assert!(names.len() > 100, "{}", names.len());
    names.sort_unstable();
    let twice: Vec<_> = names.windows(2).filter(|pair| pair[0] == pair[1]).collect();
    assert!(twice.is_empty(), "{twice:?}");
}

#[test]
fn exact_values_are_those_of_doubles() {
    let mut compared = 0;
    for one in unary_definitions() {
        for ([x], value) in real_values(|[x]| one.finite_value(x).ok()) {
            if let Ok(found) = one.exact_value(&exact(x)) {
                compared += 1;
                assert!(is_near(found.to_f64(), value, TOLERANCE), "{one:?}({x})");
            }
        }
    }
    for two in binary_definitions() {
        for ([a, b], value) in real_values(|[a, b]| two.finite_value(a, b).ok()) {
            if let Ok(found) = two.exact_value(&exact(a), &exact(b)) {
                compared += 1;
                let found = found.to_f64();
                assert!(
                    is_near(found, value, TOLERANCE),
                    "{two:?}({a}, {b}): {found}"
                );
            }
        }
    }
    assert!(compared > 2000, "{compared}");
}

#[test]
fn values_to_many_digits_are_those_of_doubles() {
    let mut compared = 0;
    with_balls(|machine| {
        for one in unary_definitions() {
            for ([x], value) in real_values(|[x]| one.finite_value(x).ok()) {
                let short = one.ball_of_exact(machine, &exact(x));
                let ball = machine.rational(&exact(x)).expect("a ball");
                let ball = one.ball_value(machine, &ball).map(ExactOrBall::Ball);
                for found in [short.unwrap_or(None), ball.ok()].into_iter().flatten() {
                    compared += 1;
                    let distance = distance(machine, &found, value);
                    assert!(distance <= TOLERANCE * (1.0 + value.abs()), "{one:?}({x})");
                }
            }
        }
        for two in binary_definitions() {
            for ([a, b], value) in real_values(|[a, b]| two.finite_value(a, b).ok()) {
                let [x, y] = [a, b].map(|x| ExactOrBall::Exact(exact(x)));
                let short = two.ball_of_exact(machine, &x, &y);
                let [x, y] = [x, y].map(|x| machine.ball(&x).expect("a ball"));
                let ball = two.ball_value(machine, &x, &y);
                for found in [short.unwrap_or(None), ball.ok()].into_iter().flatten() {
                    compared += 1;
                    let distance = distance(machine, &found, value);
                    let is_near = distance <= TOLERANCE * (1.0 + value.abs());
                    assert!(is_near, "{two:?}({a}, {b})");
                }
            }
        }
    });
    assert!(compared > 2000, "{compared}");
}

/// Off the real line by too little to be seen, on either side.
#[test]
fn complex_values_approach_those_of_doubles() {
    const OFF: f64 = 1e-200;
    let mut compared = 0;
    for one in unary_definitions() {
        for ([x], value) in real_values(|[x]| one.finite_value(x).ok()) {
            for off in [OFF, -OFF] {
                if let Ok(found) = one.complex_value(RealOrComplex::Pair(x, off)) {
                    let (re, im) = found.parts();
                    if one.name == "arg" && x == 0.0 {
                        continue; // of nothing there is no angle
                    }
                    compared += 1;
                    // The angle of a negative number is that of its side.
                    let re = if one.name == "arg" { re.abs() } else { re };
                    let is_near = is_near(re, value, TOLERANCE) && im.abs() < TOLERANCE;
                    assert!(is_near, "{one:?}({x} {off:+}i): {found:?}, not {value}");
                }
            }
        }
    }
    for two in binary_definitions().filter(|two| two.relation.is_none()) {
        for ([a, b], value) in real_values(|[a, b]| two.finite_value(a, b).ok()) {
            let (a, b) = (RealOrComplex::Pair(a, OFF), RealOrComplex::Pair(b, 0.0));
            if let Ok(found) = two.complex_value(a, b) {
                compared += 1;
                let is_near = is_near(found.parts().0, value, 1e-9);
                assert!(is_near, "{two:?}({a:?}, {b:?}): {found:?}, not {value}");
            }
        }
    }
    assert!(compared > 1000, "{compared}");
}

/// An enclosure has the value, and its slopes the derivatives of the program.
#[test]
fn enclosures_hold_values_and_derivatives() {
    const WIDTH: f64 = 0.03125;
    let mut compared = 0;
    for one in unary_definitions() {
        let mut builder = ProgramBuilder::new();
        let x = builder.variable(0);
        let value = one.lower(&mut builder, x);
        let gradient = builder.gradient(value, &[0]);
        let program = gradient.map(|gradient| builder.finish(&gradient));
        for ([x], value) in real_values(|[x]| one.finite_value(x).ok()) {
            let Ok((image, slope)) = one.image_and_slope(Interval::new(x - WIDTH, x + WIDTH))
            else {
                continue;
            };
            compared += 1;
            assert!(image.values.contains(value), "{one:?}({x}): {image:?}");
            if let (Ok(program), true) = (&program, image.is_continuous && image.is_defined) {
                let mut found = [0.0];
                program.evaluator().point(&[x], &mut found);
                let near = Interval::new(found[0].next_down(), found[0].next_up());
                let is_inside = near.intersect(slope.hull()).is_some();
                assert!(
                    is_inside || found[0].is_nan(),
                    "{one:?}({x}): {found:?} outside {slope:?}"
                );
            }
        }
    }
    for two in binary_definitions() {
        let mut builder = ProgramBuilder::new();
        let operands = [builder.variable(0), builder.variable(1)];
        let value = two.lower(&mut builder, operands[0], operands[1]);
        let gradient = builder.gradient(value, &[0, 1]);
        let program = gradient.map(|gradient| builder.finish(&gradient));
        for ([a, b], value) in real_values(|[a, b]| two.finite_value(a, b).ok()) {
            let side = |place: usize, x: f64| BoxEnclosure {
                values: Interval::new(x - WIDTH, x + WIDTH),
                slopes: [0, 1]
                    .map(|slot| Interval::point(if slot == place { 1.0 } else { 0.0 }))
                    .to_vec(),
                is_defined: true,
                is_continuous: true,
            };
            let Ok(found) = two.enclosure(&side(0, a), &side(1, b)) else {
                continue;
            };
            compared += 1;
            assert!(found.values.contains(value), "{two:?}({a}, {b}): {found:?}");
            if let (Ok(program), true) = (&program, found.is_continuous && found.is_defined) {
                let mut slopes = [0.0; 2];
                program.evaluator().point(&[a, b], &mut slopes);
                for (slope, bounds) in slopes.into_iter().zip(&found.slopes) {
                    let margin = 1e-14 * (1.0 + slope.abs());
                    let near = Interval::new(slope - margin, slope + margin);
                    let is_inside = near.intersect(bounds.hull()).is_some();
                    assert!(
                        is_inside || slope.is_nan(),
                        "{two:?}({a}, {b}): {slope} outside {bounds:?}"
                    );
                }
            }
        }
    }
    assert!(compared > 2000, "{compared}");
}

/// The derivative of each function beside a difference quotient of its values.
#[test]
fn derivatives_are_slopes_of_the_values() {
    const STEP: f64 = 1e-6;
    let mut compared = 0;
    let mut check = |name: &str, value: &dyn Fn(f64) -> f64, x: f64, slope: f64| {
        let [before, after] = [x - STEP, x + STEP].map(value);
        let quotient = (after - before) / (2.0 * STEP);
        let size = before.abs().max(after.abs()).max(1.0) + slope.abs();
        if slope.is_finite() && quotient.is_finite() {
            compared += 1;
            let is_near = (slope - quotient).abs() <= 1e-5 * size;
            assert!(is_near, "{name} at {x}: {slope}, differences {quotient}");
        }
    };
    // Off the kinks, steps and poles at whole and half numbers, and at equal operands.
    const OFF: f64 = 0.058_593_75;
    const OTHER: f64 = 0.089_843_75;
    for one in unary_definitions() {
        let mut builder = ProgramBuilder::new();
        let x = builder.variable(0);
        let value = one.lower(&mut builder, x);
        let Ok(gradient) = builder.gradient(value, &[0]) else {
            continue;
        };
        let program = builder.finish(&gradient);
        for ([x], _) in real_values(|[x]| one.finite_value(x + OFF).ok().filter(|y| y.abs() < 1e4))
        {
            let (x, mut slope) = (x + OFF, [0.0]);
            program.evaluator().point(&[x], &mut slope);
            check(one.name, &|x| one.value(x), x, slope[0]);
        }
    }
    for two in binary_definitions().filter(|two| two.is_smooth) {
        for place in 0..2 {
            let mut builder = ProgramBuilder::new();
            let operands = [builder.variable(0), builder.variable(1)];
            let value = two.lower(&mut builder, operands[0], operands[1]);
            let Ok(gradient) = builder.gradient(value, &[place]) else {
                continue;
            };
            let program = builder.finish(&gradient);
            let value = |operands: [f64; 2]| two.value(operands[0] + OFF, operands[1] + OTHER);
            let small = |operands| Some(value(operands)).filter(|y| y.abs() < 1e4);
            for (operands, _) in real_values(small) {
                let operands = [operands[0] + OFF, operands[1] + OTHER];
                let mut slope = [0.0];
                program.evaluator().point(&operands, &mut slope);
                let along = |x: f64| {
                    let mut operands = operands;
                    operands[place] = x;
                    two.value(operands[0], operands[1])
                };
                check(two.name, &along, operands[place], slope[0]);
            }
        }
    }
    assert!(compared > 2000, "{compared}");
}
