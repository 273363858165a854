//! Programs over columns: reductions, running sums and their derivatives.

use super::*;
use crate::bytecode::builder::NodeOperation;

/// Columns t and y of so many rows.
fn data(rows: usize) -> [Column; 2] {
    let t: Vec<f64> = (0..rows).map(|i| i as f64 / rows as f64).collect();
    let y = t
        .iter()
        .map(|t| (5.0 * t).sin() + 0.3 * t)
        .collect::<Vec<_>>();
    [t.into(), y.into()]
}

/// Variables a, b (0, 1) and columns t, y (2, 3).
fn builder(rows: usize) -> (ProgramBuilder, [ProgramNode; 4]) {
    let mut builder = ProgramBuilder::with_columns(2..4, rows);
    let variables = [0, 1, 2, 3].map(|index| builder.variable(index));
    (builder, variables)
}

type Formula = fn(&mut ProgramBuilder, [ProgramNode; 4]) -> ProgramNode;

/// `b sin(a t) - y`.
fn residual(b: &mut ProgramBuilder, [a, scale, t, y]: [ProgramNode; 4]) -> ProgramNode {
    let product = b.binary(Binary::Mul, a, t);
    let sine = b.unary(Unary::Sin, product);
    let model = b.binary(Binary::Mul, scale, sine);
    b.binary(Binary::Sub, model, y)
}

fn squares(b: &mut ProgramBuilder, variables: [ProgramNode; 4]) -> ProgramNode {
    let r = residual(b, variables);
    let square = b.unary(Unary::Square, r);
    b.reduce(ColumnReduction::Sum, square)
}

/// A root of a mean of squares about the mean: three levels.
fn spread(b: &mut ProgramBuilder, variables: [ProgramNode; 4]) -> ProgramNode {
    let r = residual(b, variables);
    let sum = b.reduce(ColumnReduction::Sum, r);
    let rows = b.constant(b.rows as f64);
    let mean = b.binary(Binary::Div, sum, rows);
    let centred = b.binary(Binary::Sub, r, mean);
    let square = b.unary(Unary::Square, centred);
    let total = b.reduce(ColumnReduction::Sum, square);
    b.unary(Unary::Sqrt, total)
}

fn soft_maximum(b: &mut ProgramBuilder, variables: [ProgramNode; 4]) -> ProgramNode {
    let r = residual(b, variables);
    b.reduce(ColumnReduction::LogSumExp, r)
}

fn range(b: &mut ProgramBuilder, variables: [ProgramNode; 4]) -> ProgramNode {
    let r = residual(b, variables);
    let (high, low) = (
        b.reduce(ColumnReduction::Max, r),
        b.reduce(ColumnReduction::Min, r),
    );
    b.binary(Binary::Sub, high, low)
}

fn walk(b: &mut ProgramBuilder, variables: [ProgramNode; 4]) -> ProgramNode {
    let r = residual(b, variables);
    let path = b.running_sum(RunningDirection::FromFirst, r);
    let square = b.unary(Unary::Square, path);
    b.reduce(ColumnReduction::Sum, square)
}

const FORMULAS: [(&str, Formula); 5] = [
    ("squares", squares),
    ("spread", spread),
    ("soft maximum", soft_maximum),
    ("range", range),
    ("walk", walk),
];

/// The values of all outputs, numbers.
fn values(staged: &StagedProgram, at: &[f64]) -> Vec<f64> {
    let mut evaluator = staged.evaluator();
    evaluator.run(at);
    (0..staged.outputs()).map(|k| evaluator.number(k)).collect()
}

#[test]
fn values_are_those_of_plain_loops() {
    for rows in [1, 2, 127, 128, 129, 8_191, 8_192, 8_193, 20_000] {
        let columns = data(rows);
        let [a, scale] = [4.7, 1.2];
        let pairs = columns[0].iter().zip(columns[1].iter());
        let r: Vec<f64> = pairs.map(|(t, y)| scale * (a * t).sin() - y).collect();
        let mean = r.iter().sum::<f64>() / rows as f64;
        let mut path = 0.0;
        let expected = [
            r.iter().map(|r| r * r).sum::<f64>(),
            r.iter().map(|r| (r - mean).powi(2)).sum::<f64>().sqrt(),
            r.iter().map(|r| r.exp()).sum::<f64>().ln(),
            r.iter().copied().fold(f64::MIN, f64::max) - r.iter().copied().fold(f64::MAX, f64::min),
            r.iter()
                .map(|r| {
                    path += r;
                    path * path
                })
                .sum(),
        ];
        for ((name, formula), expected) in FORMULAS.iter().zip(expected) {
            let (mut builder, variables) = builder(rows);
            let output = formula(&mut builder, variables);
            let staged = StagedProgram::new(&builder, &[output], &columns);
            let found = values(&staged, &[a, scale])[0];
            let error = (found - expected).abs();
            assert!(
                error <= 1e-11 * expected.abs().max(1e-3),
                "{name}, {rows} rows: {found} {expected}"
            );
        }
    }
}

#[test]
fn derivatives_are_those_of_differences() {
    let at = [4.7, 1.2];
    for rows in [2, 300, 8_500] {
        let columns = data(rows);
        for (name, formula) in FORMULAS {
            let (mut builder, variables) = builder(rows);
            let output = formula(&mut builder, variables);
            let gradient = builder.gradient(output, &[0, 1]).unwrap();
            let direction = [(0, builder.variable(4)), (1, builder.variable(5))];
            let along = builder.tangents(&[output, gradient[0], gradient[1]], &direction);
            let outputs = [&[output], &gradient[..], &along.unwrap()].concat();
            let staged = StagedProgram::new(&builder, &outputs, &columns);
            let v = [0.3, -0.7];
            let of = |at: [f64; 2]| values(&staged, &[at[0], at[1], v[0], v[1]]);
            let found = of(at);
            let step = 1e-5;
            let difference = |along: [f64; 2], output: usize| {
                let up = of([at[0] + step * along[0], at[1] + step * along[1]])[output];
                let down = of([at[0] - step * along[0], at[1] - step * along[1]])[output];
                (up - down) / (2.0 * step)
            };
            let expected = [
                difference([1.0, 0.0], 0),
                difference([0.0, 1.0], 0),
                difference(v, 0),
                difference(v, 1),
                difference(v, 2),
            ];
            let scale = found.iter().fold(1e-2, |m: f64, x| m.max(x.abs()));
            for (found, expected) in found[1..].iter().zip(expected) {
                let error = (found - expected).abs();
                assert!(
                    error < 1e-6 * scale,
                    "{name}, {rows} rows: {found} {expected}"
                );
            }
        }
    }
}

#[test]
fn columns_have_derivatives_by_row() {
    let (rows, at) = (400, [4.7, 1.2]);
    let columns = data(rows);
    let (mut builder, variables) = builder(rows);
    let r = residual(&mut builder, variables);
    let norm = spread(&mut builder, variables);
    let output = builder.binary(Binary::Div, r, norm);
    let gradient = builder.gradient(output, &[0, 1]).unwrap();
    let outputs = [&[output], &gradient[..]].concat();
    let staged = StagedProgram::new(&builder, &outputs, &columns);
    let of = |at: &[f64]| -> Vec<Vec<f64>> {
        let mut evaluator = staged.evaluator();
        evaluator.run(at);
        (0..3)
            .map(|k| evaluator.column(k).unwrap().to_vec())
            .collect()
    };
    let found = of(&at);
    for variable in 0..2 {
        let (mut up, mut down) = (at, at);
        up[variable] += 1e-5;
        down[variable] -= 1e-5;
        let (up, down) = (of(&up), of(&down));
        for row in 0..rows {
            let expected = (up[0][row] - down[0][row]) / 2e-5;
            assert!((found[1 + variable][row] - expected).abs() < 1e-8);
        }
    }
    // The derivatives of running sums are the running sums of the derivatives.
    let sums = builder.running_sum(RunningDirection::FromFirst, output);
    let of_sums = builder.gradient(sums, &[0, 1]).unwrap();
    let staged = StagedProgram::new(&builder, &of_sums, &columns);
    let mut evaluator = staged.evaluator();
    evaluator.run(&at);
    for variable in 0..2 {
        let mut total = 0.0;
        for (row, sum) in evaluator.column(variable).unwrap().iter().enumerate() {
            total += found[1 + variable][row];
            assert!(
                (sum - total).abs() < 1e-12 * (1.0 + total.abs()),
                "row {row}: {sum} {total}"
            );
        }
    }
}

#[test]
fn the_number_of_threads_does_not_change_a_bit() {
    let rows = 100_003;
    let columns = data(rows);
    let (mut builder, variables) = builder(rows);
    let outputs: Vec<ProgramNode> = FORMULAS
        .iter()
        .flat_map(|(_, formula)| {
            let output = formula(&mut builder, variables);
            let gradient = builder.gradient(output, &[0, 1]).unwrap();
            [output, gradient[0], gradient[1]]
        })
        .collect();
    let staged = StagedProgram::new(&builder, &outputs, &columns);
    let with = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let pool = pool.build().unwrap();
        pool.install(|| values(&staged, &[4.7, 1.2]))
            .iter()
            .map(|x| x.to_bits())
            .collect::<Vec<_>>()
    };
    let one = with(1);
    assert!([2, 3, 7].iter().all(|&threads| with(threads) == one));
}

#[test]
fn what_depends_on_the_data_alone_is_computed_once() {
    static COUNTED: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
    static FUNCTION: UnaryFunction = UnaryFunction {
        name: "counted",
        value: |x| {
            COUNTED.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            x.sqrt()
        },
        slope: None,
    };
    let columns = data(300);
    let (mut builder, [a, _, t, _]) = builder(300);
    let root = builder.call1(&FUNCTION, t);
    let product = builder.binary(Binary::Mul, a, root);
    let output = builder.reduce(ColumnReduction::Sum, product);
    let staged = StagedProgram::new(&builder, &[output], &columns);
    let first = values(&staged, &[1.0, 0.0])[0];
    assert_eq!(values(&staged, &[2.0, 0.0])[0], 2.0 * first);
    assert_eq!(COUNTED.load(std::sync::atomic::Ordering::Relaxed), 300);
}

#[test]
fn values_that_are_not_finite_pass_through() {
    let column = |values: &[f64]| -> Column { values.to_vec().into() };
    let reduced = |reduction, values: &[f64]| {
        let mut builder = ProgramBuilder::with_columns(0..1, values.len());
        let x = builder.variable(0);
        let output = builder.reduce(reduction, x);
        let staged = StagedProgram::new(&builder, &[output], &[column(values)]);
        super::columns::values(&staged, &[])[0]
    };
    let (inf, nan) = (f64::INFINITY, f64::NAN);
    assert_eq!(reduced(ColumnReduction::Sum, &[1.0, inf]), inf);
    assert!(reduced(ColumnReduction::Sum, &[-inf, inf]).is_nan());
    assert!(reduced(ColumnReduction::Max, &[1.0, nan]).is_nan());
    assert!(reduced(ColumnReduction::Min, &[nan, 1.0]).is_nan());
    assert_eq!(reduced(ColumnReduction::LogSumExp, &[-inf, -inf]), -inf);
    assert_eq!(reduced(ColumnReduction::LogSumExp, &[-inf, 2.0]), 2.0);
    assert_eq!(reduced(ColumnReduction::LogSumExp, &[1.0, inf]), inf);
    assert!(reduced(ColumnReduction::LogSumExp, &[1.0, nan]).is_nan());
    assert_eq!(
        reduced(ColumnReduction::LogSumExp, &[1e5, 1e5]),
        1e5 + 2f64.ln()
    );
    assert_eq!(reduced(ColumnReduction::Sum, &[1e16, 1.0, -1e16, 1.0]), 2.0);
}

/// A row of weight zero adds nothing, whatever its slope: `log(sum(exp(a t + log(y))))` with a zero in y.
#[test]
fn a_row_without_weight_spoils_no_gradient() {
    let columns: [Column; 2] = [vec![1.0, 2.0, 3.0].into(), vec![1.0, 0.0, 2.0].into()];
    let (mut builder, [a, b, t, y]) = builder(3);
    let product = builder.binary(Binary::Mul, a, t);
    let shifted = builder.binary(Binary::Mul, b, y);
    let logarithm = builder.unary(Unary::Log, shifted);
    let exponent = builder.binary(Binary::Add, product, logarithm);
    let output = builder.reduce(ColumnReduction::LogSumExp, exponent);
    let gradient = builder.gradient(output, &[0, 1]).unwrap();
    let staged = StagedProgram::new(&builder, &gradient, &columns);
    let found = values(&staged, &[0.5, 3.0]);
    let (first, last) = (0.5_f64.exp(), 2.0 * 1.5_f64.exp());
    let expected = [(first + 3.0 * last) / (first + last), 1.0 / 3.0];
    for (found, expected) in found.iter().zip(expected) {
        assert!((found - expected).abs() < 1e-14, "{found} {expected}");
    }
}

/// Factors that are numbers are taken out of the sums of a gradient; a factor of zero leaves a derivative by itself.
#[test]
fn numbers_are_taken_out_of_sums() {
    let columns = data(1_000);
    for scale in [0.0, -1.5] {
        let (mut builder, variables) = builder(1_000);
        let output = squares(&mut builder, variables);
        let gradient = builder.gradient(output, &[0, 1]).unwrap();
        for derivative in &gradient {
            let number = match builder.operations[derivative.index()] {
                NodeOperation::Binary(Binary::Mul, a, b) => [a, b],
                ref other => panic!("{other:?} is no product"),
            };
            assert!(number.iter().all(|&factor| !builder.is_column(factor)));
        }
        let found = values(
            &StagedProgram::new(&builder, &gradient, &columns),
            &[4.7, scale],
        );
        let rows = columns[0].iter().zip(columns[1].iter());
        let expected = rows.fold([0.0; 2], |[by_a, by_scale], (t, y)| {
            let r = scale * (4.7 * t).sin() - y;
            let by_a = by_a + 2.0 * r * scale * (4.7 * t).cos() * t;
            [by_a, by_scale + 2.0 * r * (4.7 * t).sin()]
        });
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() <= 1e-12 * expected.abs());
        }
    }
}
