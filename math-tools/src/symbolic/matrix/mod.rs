//! `matrix_symbolic`: matrices of formulas, exactly.

mod rows;
#[cfg(test)]
mod tests;

use symbolic::budget::{Budget, Outcome};
use symbolic::matrices::{self, ExprMatrix, MatrixEigenvalues};
use symbolic::print::write_text;
use symbolic::tree::Expr;

use self::rows::{RenderedMatrix, WrittenMatrix, read_matrix, render_matrix, write_rows};
use super::reading::{
    CheckEvidence, ReadAmbiguity, RenderedExpression, TextReader, answer, render,
};
use crate::calculus::differentiate::OneOrManyFormulas;
use crate::prelude::*;

/// Work with a matrix of numbers and formulas exactly: determinant, inverse, rank, reduced rows, null space, linear systems, powers, products,
/// characteristic polynomial, eigenvalues and eigenvectors, with the values of symbols for which the answer does not hold.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// The matrix: rows of numbers and formulas such as `[[1, "a"], ["a", 2]]`, or a text such as `1, a; a, 2` or a `pmatrix` of LaTeX. Numbers are exact as
    /// they are written. At most 40 rows and columns of numbers, 12 with symbols, roots or functions.
    pub matrix: WrittenMatrix,
    /// What is computed of the matrix.
    pub operation: MatrixOperation,
    /// Of `product` the right factor, of `solve` the right-hand side: a list, or rows for several at once.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub b: Option<WrittenMatrix>,
    /// Of `power` the exponent, with n symbols from -60/n to 60/n; below zero the power of the inverse.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub exponent: Option<BoundedInteger<-1000, 1000>>,
    /// Name of the variable of the characteristic polynomial; `lambda` when absent.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub variable: Option<String>,
    /// What is known of symbols, such as `a > 0`.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub assumptions: Option<OneOrManyFormulas>,
}

/// What is asked of a matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Encode, Decode, Describe)]
#[value(rename_all = "snake_case")]
pub(crate) enum MatrixOperation {
    /// The determinant.
    Determinant,
    /// The inverse.
    Inverse,
    /// The reduced row echelon form.
    Rref,
    /// The rank.
    Rank,
    /// A basis of the vectors that are taken to zero.
    NullSpace,
    /// The sum of the diagonal.
    Trace,
    /// Rows as columns.
    Transpose,
    /// A whole power.
    Power,
    /// The product with `b`.
    Product,
    /// The solutions of `matrix * x = b`.
    Solve,
    /// The determinant of `variable * I - matrix`.
    CharacteristicPolynomial,
    /// The eigenvalues with their multiplicities.
    Eigenvalues,
    /// The eigenvalues with a basis of the vectors of each.
    Eigenvectors,
}

/// An eigenvalue.
#[derive(Debug, Encode, Describe)]
pub(crate) struct EigenvalueRow {
    /// The value.
    pub value: RenderedExpression,
    /// Digits; absent where symbols remain.
    #[value(skip_encoding_if = "Option::is_none")]
    pub digits: Option<String>,
    /// Whether the value is exact; digits alone where no short exact form exists.
    pub exact: bool,
    /// How often the characteristic polynomial has it as a root.
    pub multiplicity: usize,
    /// A basis of its eigenvectors.
    #[value(skip_encoding_if = "Vec::is_empty")]
    pub vectors: Vec<Vec<String>>,
}

/// What was asked for; the parts that the operation has.
#[derive(Debug, Default, Encode, Describe)]
pub(crate) struct Output {
    /// The matrix that is the answer; of `solve` a solution.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-present" = { "operation": ["inverse", "rref", "transpose", "power", "product"] }))]
    pub result: Option<RenderedMatrix>,
    /// The answer that is no matrix: determinant, trace, characteristic polynomial.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-present" = { "operation": ["determinant", "trace", "characteristic_polynomial", "eigenvalues", "eigenvectors"] }))]
    pub value: Option<RenderedExpression>,
    /// The rank.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-present" = { "operation": ["rank", "null_space"] }))]
    pub rank: Option<usize>,
    /// The eigenvalues.
    #[value(skip_encoding_if = "Vec::is_empty")]
    pub eigenvalues: Vec<EigenvalueRow>,
    /// Of `null_space` a basis; of `solve` what may be added to the solution.
    #[value(skip_encoding_if = "Vec::is_empty")]
    pub null_space: Vec<Vec<String>>,
    /// Of `solve`: whether there is a solution.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-present" = { "operation": "solve" }))]
    pub consistent: Option<bool>,
    /// Factors of the characteristic polynomial whose roots have no form that is found.
    #[value(skip_encoding_if = "Vec::is_empty")]
    pub unsolved: Vec<String>,
    /// What must hold for the answer.
    #[value(skip_encoding_if = "Vec::is_empty")]
    pub conditions: Vec<String>,
    /// The rows as they were read.
    pub read_as: Vec<Vec<String>>,
    /// What could be read otherwise.
    #[value(skip_encoding_if = "Vec::is_empty")]
    pub ambiguities: Vec<ReadAmbiguity>,
    /// How the answer was checked.
    pub verified: CheckEvidence,
}

impl Tool for Args {
    const SPEC: Spec = Spec::named("matrix_symbolic", "Matrices of formulas, exactly")
        .tags(&[
            "matrix",
            "determinant",
            "inverse",
            "eigenvalues",
            "eigenvectors",
            "rref",
            "rank",
            "symbolic",
            "linear",
            "latex",
        ])
        .syntax(&[
            ("/matrix", Syntax::Expression),
            ("/b", Syntax::Expression),
            ("/assumptions", Syntax::Expression),
        ]);
    type Output = Output;
    const EXAMPLES: &'static [JsonExample] = examples! {
        "a determinant": r#"{"matrix": [["a", "b"], ["c", "d"]], "operation": "determinant"}"#
            => r#"{"value": {"text": "a*d - b*c", "latex": "a d - b c", "unicode": "a·d - b·c"}, "read_as": [["a", "b"], ["c", "d"]],
                "verified": {"how": "the determinant agrees with an elimination of digits at random points", "points": 3, "digits": 30}}"#;
    };

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let name = args.variable.as_deref().unwrap_or("lambda");
        let mut reader =
            TextReader::new(args.assumptions.as_ref(), args.variable.as_slice(), false)?;
        let matrix = read_matrix(&args.matrix, "/matrix", &mut reader)?;
        let takes_b = matches!(
            args.operation,
            MatrixOperation::Product | MatrixOperation::Solve
        );
        let b = match (&args.b, takes_b) {
            (Some(b), true) => Some(read_matrix(b, "/b", &mut reader)?),
            (None, true) => {
                refuse!(invalid "/b"; "this operation needs a second matrix or a list"; "give it as `b`");
            }
            (Some(_), false) => {
                refuse!(invalid "/b"; "only `product` and `solve` take a second matrix"; "leave it out");
            }
            (None, false) => None,
        };
        if args.exponent.is_some() != (args.operation == MatrixOperation::Power) {
            refuse!(invalid "/exponent"; "an exponent belongs to the operation `power`"; "`power` with `exponent`");
        }
        let needs_square = !matches!(
            args.operation,
            MatrixOperation::Rref
                | MatrixOperation::Rank
                | MatrixOperation::NullSpace
                | MatrixOperation::Transpose
                | MatrixOperation::Product
                | MatrixOperation::Solve
        );
        if needs_square && matrix.rows() != matrix.columns() {
            let (rows, columns) = (matrix.rows(), matrix.columns());
            refuse!(invalid "/matrix", "shape"; "expected a square matrix, found {rows} by {columns}";
                "`rank`, `rref`, `null_space` and `solve` take any matrix");
        }
        let variable = reader.symbol(name, "/variable")?;
        let has_variable = matches!(
            args.operation,
            MatrixOperation::CharacteristicPolynomial
                | MatrixOperation::Eigenvalues
                | MatrixOperation::Eigenvectors
        );
        if has_variable
            && matrix
                .entries()
                .iter()
                .any(|entry| entry.contains(&variable))
        {
            return Err(ToolError::invalid(
                "/variable",
                format_args!("`{name}` is a symbol of the matrix"),
            )
            .hint("name another `variable` for the characteristic polynomial"));
        }
        let exponent = args.exponent.map_or(1, |exponent| exponent.get());
        let operation = args.operation;
        let mut output = answer(ctx, "/matrix", |budget| {
            run_operation(operation, &matrix, b.as_ref(), exponent, &variable, budget)
        })?;
        output.read_as = write_rows(&matrix);
        output.ambiguities = reader.ambiguities;
        Ok(output)
    }
}

fn evidence(how: &str, points: usize) -> CheckEvidence {
    CheckEvidence {
        how: how.to_owned(),
        points,
        digits: 30,
    }
}

fn write_vectors(vectors: &[Vec<Expr>]) -> Vec<Vec<String>> {
    vectors
        .iter()
        .map(|vector| vector.iter().map(write_text).collect())
        .collect()
}

fn run_operation(
    operation: MatrixOperation,
    matrix: &ExprMatrix,
    b: Option<&ExprMatrix>,
    exponent: i64,
    variable: &Expr,
    budget: &Budget<'_>,
) -> Outcome<Output> {
    use MatrixOperation as M;
    let b = b.unwrap_or(matrix);
    Ok(match operation {
        M::Determinant => value_output(
            matrices::determinant_of(matrix, budget)?,
            "the determinant agrees with an elimination of digits at random points",
        ),
        M::Trace => value_output(
            matrices::trace_of(matrix, budget)?,
            "the sum agrees with that of digits at random points",
        ),
        M::Inverse => matrix_output(
            matrices::inverse_of(matrix, budget)?,
            "the product with the matrix is the unit matrix at random points",
        ),
        M::Rref => matrix_output(
            matrices::reduced_rows_of(matrix, budget)?,
            "the rows and those of the matrix have one rank, alone and together, at random points",
        ),
        M::Power => matrix_output(
            matrices::power_of(matrix, exponent, budget)?,
            "the power agrees with products of digits at random points",
        ),
        M::Product => matrix_output(
            matrices::multiply_matrices(matrix, b, budget)?,
            "the product agrees with that of digits at random points",
        ),
        M::Transpose => Output {
            result: Some(render_matrix(&matrix.transpose())),
            verified: evidence("entries are moved, not computed", 0),
            ..Output::default()
        },
        M::Rank | M::NullSpace => {
            let found = matrices::null_space_of(matrix, budget)?;
            let is_wanted = operation == M::NullSpace;
            Output {
                rank: Some(found.rank),
                null_space: match is_wanted {
                    true => write_vectors(&found.vectors),
                    false => Vec::new(),
                },
                conditions: found.conditions.iter().map(write_text).collect(),
                verified: evidence(
                    "the rank agrees with an elimination of digits at random points, and the vectors are taken to zero",
                    found.points,
                ),
                ..Output::default()
            }
        }
        M::Solve => {
            let found = matrices::solve_linear(matrix, b, budget)?;
            let how = match found.solution {
                Some(_) => "the solution was put back at random points",
                None => "the right-hand side adds to the rank of the matrix at random points",
            };
            Output {
                result: found.solution.as_ref().map(render_matrix),
                consistent: Some(found.solution.is_some()),
                null_space: write_vectors(&found.null_space),
                conditions: found.conditions.iter().map(write_text).collect(),
                verified: evidence(how, found.points),
                ..Output::default()
            }
        }
        M::CharacteristicPolynomial => {
            let (polynomial, points) =
                matrices::characteristic_polynomial(matrix, variable, budget)?;
            Output {
                value: Some(render(&polynomial)),
                verified: evidence(
                    "the polynomial agrees with determinants of digits at random points",
                    points,
                ),
                ..Output::default()
            }
        }
        M::Eigenvalues | M::Eigenvectors => {
            let with_vectors = operation == M::Eigenvectors;
            eigen_output(matrices::eigensystem_of(
                matrix,
                variable,
                with_vectors,
                budget,
            )?)
        }
    })
}

fn value_output(found: matrices::CheckedValue, how: &str) -> Output {
    Output {
        value: Some(render(&found.value)),
        conditions: found.conditions.iter().map(write_text).collect(),
        verified: evidence(how, found.points),
        ..Output::default()
    }
}

fn matrix_output(found: matrices::CheckedMatrix, how: &str) -> Output {
    Output {
        result: Some(render_matrix(&found.matrix)),
        conditions: found.conditions.iter().map(write_text).collect(),
        verified: evidence(how, found.points),
        ..Output::default()
    }
}

fn eigen_output(found: MatrixEigenvalues) -> Output {
    let rows = found.pairs.iter().map(|pair| EigenvalueRow {
        value: render(&pair.value),
        digits: pair.digits.clone(),
        exact: pair.is_exact,
        multiplicity: pair.multiplicity,
        vectors: write_vectors(&pair.vectors),
    });
    Output {
        eigenvalues: rows.collect(),
        value: Some(render(&found.polynomial)),
        unsolved: found.unsolved.iter().map(write_text).collect(),
        conditions: found.conditions.iter().map(write_text).collect(),
        verified: evidence(
            "the polynomial agrees with determinants of digits at random points; each exact value makes the matrix singular, each vector was put back",
            found.points,
        ),
        ..Output::default()
    }
}
