//! `symbolic_solve`: equations, systems and inequalities, exactly.

use std::collections::BTreeMap;

use symbolic::print::{write_latex, write_text};
use symbolic::solve::{EquationSolutions, SolutionInterval, SolveDomain, SystemSolutions};
use symbolic::tree::{Expr, ExprNode, RelationKind};

use super::engine::{EngineChoice, EngineName, WHOLE};
use super::reading::{CheckEvidence, ReadAmbiguity, TextReader, texts_of};
use crate::calculus::differentiate::OneOrManyFormulas;
use crate::prelude::*;

/// Most equations, and unknowns: exact elimination grows with their cube, and the numbers in it with them.
const EQUATIONS_MAX: usize = 30;

/// Solve equations exactly: polynomial, rational, with roots, absolute values, exponentials, logarithms and circular functions (families over all whole `k`),
/// linear and polynomial systems, and inequalities of one unknown. Each solution is put back.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// An equation such as `x^2 - 5x + 6 = 0`, an expression that is to be zero, an inequality, or a list of equations (or one text with `;` between them), as
    /// `calculate` reads them or in LaTeX.
    pub equations: OneOrManyFormulas,
    /// The unknowns; all symbols when absent.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub unknowns: Option<OneOrManyFormulas>,
    /// Which numbers count.
    #[value(default)]
    pub domain: DomainChoice,
    /// What is known of symbols, such as `a > 0`.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub assumptions: Option<OneOrManyFormulas>,
    /// Who answers: `native`, `auto` or `sympy`.
    #[value(default)]
    pub engine: EngineChoice,
}

/// Which numbers count as solutions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Encode, Decode, Describe)]
#[value(rename_all = "snake_case")]
pub(crate) enum DomainChoice {
    /// Real numbers.
    #[default]
    Real,
    /// Complex numbers.
    Complex,
}

/// A solution.
#[derive(Debug, Encode, Describe)]
pub(crate) struct SolutionRow {
    /// The values of the unknowns, in the language of `calculate`.
    pub values: BTreeMap<String, String>,
    /// In LaTeX.
    pub latex: String,
    /// Digits of the value; absent where symbols remain.
    #[value(skip_encoding_if = "Option::is_none")]
    pub digits: Option<String>,
    /// Whether the value is exact; digits alone where no short exact form exists.
    pub exact: bool,
    /// How often a polynomial has it as a root.
    pub multiplicity: usize,
    /// The symbol in the values that stands for any whole number.
    #[value(skip_encoding_if = "Option::is_none")]
    pub any_integer: Option<String>,
}

/// A value that was found and put back, and is no solution.
#[derive(Debug, Encode, Describe)]
pub(crate) struct RejectedRow {
    /// The value.
    pub value: String,
    /// Why it is none.
    pub reason: String,
}

/// All solutions.
#[derive(Debug, Default, Encode, Describe)]
pub(crate) struct Output {
    /// The solutions; none where there are none.
    pub solutions: Vec<SolutionRow>,
    /// Of an inequality: its intervals, such as `(-inf, 2]`.
    #[value(skip_encoding_if = "Vec::is_empty")]
    pub intervals: Vec<String>,
    /// Whether these are all solutions: false where a factor could not be solved.
    pub complete: bool,
    /// Whether every number is a solution for which both sides are defined.
    pub identity: bool,
    /// Values that were found and are no solutions.
    #[value(skip_encoding_if = "Vec::is_empty")]
    pub rejected: Vec<RejectedRow>,
    /// Unknowns of a system that may be chosen.
    #[value(skip_encoding_if = "Vec::is_empty")]
    pub free: Vec<String>,
    /// What must hold for the solutions.
    #[value(skip_encoding_if = "Vec::is_empty")]
    pub conditions: Vec<String>,
    /// Factors that could not be solved.
    #[value(skip_encoding_if = "Vec::is_empty")]
    pub unsolved: Vec<String>,
    /// The equations as they were read.
    pub read_as: Vec<String>,
    /// What could be read otherwise.
    #[value(skip_encoding_if = "Vec::is_empty")]
    pub ambiguities: Vec<ReadAmbiguity>,
    /// How the answer was checked.
    #[value(skip_encoding_if = "Option::is_none")]
    pub verified: Option<CheckEvidence>,
    /// Who answered, where `engine` is `auto` or `sympy`.
    #[value(skip_encoding_if = "Option::is_none")]
    pub engine: Option<EngineName>,
}

/// The tool as this program answers it.
const NATIVE: Spec = Spec::named("symbolic_solve", "Solve equations exactly")
    .tags(&[
        "equation",
        "solve",
        "roots",
        "system",
        "inequality",
        "symbolic",
        "algebra",
        "latex",
    ])
    .syntax(&[
        ("/equations", Syntax::Expression),
        ("/unknowns", Syntax::Expression),
        ("/assumptions", Syntax::Expression),
    ]);

impl Tool for Args {
    const SPEC: Spec = Spec::with_engines(&NATIVE);
    type Output = Output;
    const EXAMPLES: &'static [JsonExample] = examples! {
        "a line": r#"{"equations": "2x + 3 = 7"}"#
            => r#"{"solutions": [{"values": {"x": "2"}, "latex": "x = 2", "digits": "2", "exact": true, "multiplicity": 1}], "complete": true,
                "identity": false, "read_as": ["2*x + 3 = 7"],
                "verified": {"how": "each solution was put back into the equation", "points": 1, "digits": 30}}"#;
    };

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let names = texts_of(args.unknowns.as_ref());
        let names: Vec<String> = names
            .iter()
            .flat_map(|name| name.split(','))
            .map(|name| name.trim().to_owned())
            .collect();
        let mut reader = TextReader::new(
            args.assumptions.as_ref(),
            &names,
            args.domain == DomainChoice::Complex,
        )?;
        let texts = texts_of(Some(&args.equations));
        for (pointer, count) in [("/equations", texts.len()), ("/unknowns", names.len())] {
            if count > EQUATIONS_MAX {
                refuse!(invalid pointer, "limit"; "expected at most {EQUATIONS_MAX}, found {count}";
                    "`matrix_solve` takes large linear systems, `solve_nonlinear` others");
            }
        }
        let mut equations = Vec::new();
        for text in texts {
            equations.push(reader.read(&text, "/equations")?);
        }
        let unknowns = find_unknowns(&names, &equations, &mut reader)?;
        let domain = match args.domain {
            DomainChoice::Real => SolveDomain::Real,
            DomainChoice::Complex => SolveDomain::Complex,
        };
        let mut output = match (equations.as_slice(), unknowns.as_slice()) {
            ([], _) => {
                return Err(ToolError::invalid("/equations", "there is no equation")
                    .hint("write one, such as `x^2 = 2`"));
            }
            ([only], [x]) if is_inequality(only) => {
                let answered = args.engine.answer(
                    ctx,
                    "/equations",
                    |engine, budget| engine.solve_inequality(only, x, budget),
                    |_| WHOLE,
                )?;
                Output {
                    engine: answered.engine,
                    ..inequality_output(&answered.found)
                }
            }
            ([only], [x]) => {
                let answered = args.engine.answer(
                    ctx,
                    "/equations",
                    |engine, budget| engine.solve(only, x, domain, budget),
                    |found| match found.unsolved.is_empty() {
                        true => WHOLE,
                        false => found.solutions.len(),
                    },
                )?;
                Output {
                    engine: answered.engine,
                    ..equation_output(answered.found, x)
                }
            }
            _ => {
                let answered = args.engine.answer(
                    ctx,
                    "/equations",
                    |engine, budget| engine.solve_system(&equations, &unknowns, domain, budget),
                    |found| match found.undecided {
                        0 => WHOLE,
                        _ => found.solutions.len(),
                    },
                )?;
                Output {
                    engine: answered.engine,
                    ..system_output(&answered.found, &unknowns)
                }
            }
        };
        output.read_as = equations.iter().map(write_text).collect();
        output.ambiguities = reader.ambiguities;
        Ok(output)
    }
}

fn is_inequality(equation: &Expr) -> bool {
    matches!(equation.node(), ExprNode::Relation(kind, ..) if *kind != RelationKind::Equal)
}

/// The unknowns given; else all symbols of a system as large, or the one symbol, or `x`.
fn find_unknowns(
    names: &[String],
    equations: &[Expr],
    reader: &mut TextReader,
) -> Result<Vec<Expr>, ToolError> {
    if !names.is_empty() {
        return names
            .iter()
            .map(|name| reader.symbol(name, "/unknowns"))
            .collect();
    }
    let symbols: std::collections::BTreeSet<_> = equations.iter().flat_map(Expr::symbols).collect();
    let all: Vec<Expr> = symbols
        .iter()
        .map(|symbol| Expr::symbol_with(&symbol.name, symbol.traits))
        .collect();
    if all.is_empty() {
        return Err(ToolError::invalid(
            "/equations",
            "there is no unknown in the equations",
        ));
    }
    if all.len() <= equations.len() {
        return Ok(all);
    }
    let x = symbols.iter().position(|symbol| &*symbol.name == "x");
    match (equations.len(), x) {
        (1, Some(place)) => Ok(vec![all[place].clone()]),
        _ => {
            let found: Vec<String> = symbols
                .iter()
                .map(|symbol| format!("`{}`", symbol.name))
                .collect();
            let found = found.join(", ");
            refuse!(invalid "/unknowns"; "the equations have more symbols than there are equations: {found}"; "name the unknowns; the others are parameters")
        }
    }
}

fn evidence(how: &str, points: usize) -> Option<CheckEvidence> {
    (points > 0).then(|| CheckEvidence {
        how: how.to_owned(),
        points,
        digits: 30,
    })
}

fn equation_output(found: EquationSolutions, x: &Expr) -> Output {
    let name = write_text(x);
    let solutions = found.solutions.iter().map(|solution| SolutionRow {
        values: BTreeMap::from([(name.clone(), write_text(&solution.value))]),
        latex: format!("{} = {}", write_latex(x), write_latex(&solution.value)),
        digits: solution.digits.clone(),
        exact: solution.is_exact,
        multiplicity: solution.multiplicity,
        any_integer: solution.family.clone(),
    });
    Output {
        solutions: solutions.collect(),
        complete: found.unsolved.is_empty(),
        identity: found.is_identity,
        rejected: found
            .rejected
            .iter()
            .map(|rejected| RejectedRow {
                value: write_text(&rejected.value),
                reason: rejected.reason.clone(),
            })
            .collect(),
        conditions: found.conditions.iter().map(write_text).collect(),
        unsolved: found.unsolved.iter().map(write_text).collect(),
        verified: evidence(
            "each solution was put back into the equation",
            found.checked,
        ),
        ..Output::default()
    }
}

fn inequality_output(found: &[SolutionInterval]) -> Output {
    let intervals = found.iter().map(|piece| {
        let (open, close) = (
            if piece.has_low { '[' } else { '(' },
            if piece.has_high { ']' } else { ')' },
        );
        format!(
            "{open}{}, {}{close}",
            write_text(&piece.low),
            write_text(&piece.high)
        )
    });
    Output {
        intervals: intervals.collect(),
        complete: true,
        verified: evidence(
            "the sign was taken between all zeros and ends of the domain",
            found.len(),
        ),
        ..Output::default()
    }
}

fn system_output(found: &SystemSolutions, unknowns: &[Expr]) -> Output {
    let solutions = found.solutions.iter().map(|solution| {
        let pairs = || unknowns.iter().zip(&solution.values);
        SolutionRow {
            values: pairs()
                .map(|(unknown, value)| (write_text(unknown), write_text(value)))
                .collect(),
            latex: pairs()
                .map(|(unknown, value)| {
                    format!("{} = {}", write_latex(unknown), write_latex(value))
                })
                .collect::<Vec<String>>()
                .join(r",\ "),
            digits: None,
            exact: true,
            multiplicity: 1,
            any_integer: None,
        }
    });
    Output {
        solutions: solutions.collect(),
        complete: found.undecided == 0,
        free: found.free.iter().map(write_text).collect(),
        conditions: found.conditions.iter().map(write_text).collect(),
        verified: evidence(
            "each solution was put back into the equations",
            found.solutions.len(),
        ),
        ..Output::default()
    }
}
