//! [`ModelFrame`]: the response, design matrix, offset and groups of a formula over a table.

use numerics::Watch;
use numerics::dense::lstsq::DesignMatrix;

use super::DesignError;
use super::columns::{ModelColumn, ModelColumns};
use super::evaluate::{ColumnMemory, evaluate_expression};
use super::formula::{Formula, NumericExpression, RandomTerm, ResponseKind};
use super::plan::{DesignPlan, FactorTable, check_finite};

/// A design matrix with the names of its columns.
#[derive(Debug, Clone)]
pub struct ModelMatrix {
    /// The columns, in doubled precision where they are powers or products.
    pub matrix: DesignMatrix,
    /// Their names: `Intercept`, `area`, `city[T.Oslo]`, `poly(z, 2)1`, `area:city[T.Oslo]`.
    pub names: Vec<String>,
    /// The term of each column in `term_names`; `None` for the intercept.
    pub terms: Vec<Option<usize>>,
    /// The terms.
    pub term_names: Vec<String>,
}

/// The left side over complete rows.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelResponse {
    /// As it is printed.
    pub name: String,
    /// Its values: numbers, places of levels, successes, or times.
    pub values: Vec<f64>,
    /// Failures of `cbind(..)`, or events of `Surv(..)`.
    pub second: Option<Vec<f64>>,
    /// The levels of a category.
    pub levels: Option<Vec<String>>,
}

/// The columns and groups of a random term.
#[derive(Debug, Clone)]
pub struct RandomDesign {
    /// As it is printed.
    pub name: String,
    /// The grouping columns, joined by `:`.
    pub group: String,
    /// The groups.
    pub levels: Vec<String>,
    /// The group of each row.
    pub codes: Vec<u32>,
    /// The columns whose coefficients vary.
    pub matrix: ModelMatrix,
}

/// A formula over the complete rows of a table.
#[derive(Debug, Clone)]
pub struct ModelFrame {
    /// The left side.
    pub response: Option<ModelResponse>,
    /// The right side.
    pub design: ModelMatrix,
    /// The sum of the offsets.
    pub offset: Option<Vec<f64>>,
    /// Random terms.
    pub random: Vec<RandomDesign>,
    /// Rows of the table that are used, ascending.
    pub rows: Vec<usize>,
    /// Rows that are left out because a cell is missing.
    pub missing: usize,
    /// What gives new rows the same columns.
    pub plan: DesignPlan,
}

impl ModelFrame {
    /// The frame; rows with a missing cell in a column of the formula or of `beside` (weights, clusters) are left out.
    ///
    /// # Errors
    /// [`DesignError`].
    pub fn new(
        formula: Formula,
        data: &ModelColumns,
        beside: &[&str],
        watch: &dyn Watch,
    ) -> Result<Self, DesignError> {
        let names: Vec<String> = formula
            .columns(true)
            .into_iter()
            .map(str::to_owned)
            .collect();
        let names = || names.iter().map(String::as_str);
        let rows = data.complete_rows(names().chain(beside.iter().copied()))?;
        let missing = data.rows() - rows.len();
        if rows.is_empty() {
            return Err(DesignError::NoRows {
                rows: data.rows(),
                missing,
            });
        }
        watch.reserve_doubles(rows.len().saturating_mul(2 * names().count() + 4))?;
        let complete = data.take(names(), &rows)?;
        // A row in a message is one of the whole table.
        let placed = |error: DesignError| match error {
            DesignError::NotFinite { factor, row } => DesignError::NotFinite {
                factor,
                row: rows.get(row).copied().unwrap_or(row),
            },
            other => other,
        };
        let (plan, table) = DesignPlan::learn(formula, &complete).map_err(placed)?;
        let response = read_response(plan.formula(), &complete).map_err(placed)?;
        let design = plan.fixed_matrix(&table, watch)?;
        let offset = plan.new_offset(&complete).map_err(placed)?;
        let random = plan.formula().random.iter();
        let random = random.map(|term| random_design(&plan, term, &table, &complete, watch));
        Ok(Self {
            random: random.collect::<Result<_, _>>()?,
            response,
            design,
            offset,
            rows,
            missing,
            plan,
        })
    }
}

fn read_response(
    formula: &Formula,
    data: &ModelColumns,
) -> Result<Option<ModelResponse>, DesignError> {
    let Some(term) = &formula.response else {
        return Ok(None);
    };
    let name = term.name.clone();
    let evaluate = |of: &NumericExpression| {
        let column = evaluate_expression(of, data, &mut ColumnMemory::default(), &name)?;
        check_finite(&column.high, &name)?;
        Ok::<_, DesignError>(column.high)
    };
    let (values, second, levels) = match &term.kind {
        ResponseKind::Single(NumericExpression::Column(column)) => match data.get(column)? {
            ModelColumn::Categories(category) => {
                let codes = category.codes.iter().flatten();
                let codes = codes.map(|code| f64::from(*code)).collect();
                (codes, None, Some(category.levels.clone()))
            }
            ModelColumn::Numbers(numbers) => (numbers.clone(), None, None),
        },
        ResponseKind::Single(of) => (evaluate(of)?, None, None),
        ResponseKind::Counts(one, two) => (evaluate(one)?, Some(evaluate(two)?), None),
        ResponseKind::Survival(time, event) => {
            let events = match event {
                NumericExpression::Column(column) => match data.get(column)? {
                    ModelColumn::Categories(category) if category.levels.len() <= 2 => {
                        let last = category.levels.len().saturating_sub(1);
                        let codes = category.codes.iter().flatten();
                        codes
                            .map(|code| f64::from(u8::from(*code as usize == last)))
                            .collect()
                    }
                    _ => evaluate(event)?,
                },
                _ => evaluate(event)?,
            };
            (evaluate(time)?, Some(events), None)
        }
    };
    Ok(Some(ModelResponse {
        name,
        values,
        second,
        levels,
    }))
}

fn random_design(
    plan: &DesignPlan,
    term: &RandomTerm,
    table: &FactorTable,
    data: &ModelColumns,
    watch: &dyn Watch,
) -> Result<RandomDesign, DesignError> {
    let mut labels: Vec<String> = vec![String::new(); data.rows()];
    for column in &term.group {
        let category = data.get(column)?.to_categories();
        for (label, code) in labels.iter_mut().zip(&category.codes) {
            if !label.is_empty() {
                label.push(':');
            }
            label.push_str(code.map_or("", |code| category.levels[code as usize].as_str()));
        }
    }
    let groups = match &term.group[..] {
        [column] => data.get(column)?.to_categories(),
        _ => super::CategoryColumn::from_labels(labels.iter().map(|label| Some(label.as_str()))),
    };
    Ok(RandomDesign {
        name: term.name.clone(),
        group: term.group.join(":"),
        codes: groups.codes.iter().flatten().copied().collect(),
        levels: groups.levels,
        matrix: plan.matrix(term.has_intercept, &term.terms, table, watch)?,
    })
}
