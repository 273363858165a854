//! [`DesignPlan`]: what fitted rows taught about a formula, so that new rows give columns of the same meaning.

use std::borrow::Cow;

use numerics::Watch;
use numerics::dense::lstsq::DesignMatrix;

use super::coding::{CodedProduct, code_terms, has_too_many_categories};
use super::columns::{CategoryColumn, ModelColumn, ModelColumns};
use super::evaluate::{ColumnMemory, PreciseColumn, evaluate_expression};
use super::formula::{FactorKind, Formula, FormulaFactor, NumericExpression};
use super::polynomial::orthogonal_polynomials;
use super::{DesignError, ModelMatrix};

/// Most columns of a design matrix.
const COLUMNS_MAX: usize = 20_000;
/// Levels that a message lists.
const LEVELS_SHOWN: usize = 8;

/// The values of a factor.
#[derive(Debug, Clone)]
enum FactorValues {
    Numbers {
        columns: Vec<PreciseColumn>,
        /// What follows the name of the factor, one for each column.
        labels: Vec<String>,
    },
    Category(Vec<u32>),
}

/// A formula with the levels, means and polynomials of the rows it was fitted to.
#[derive(Debug, Clone)]
pub struct DesignPlan {
    formula: Formula,
    /// Levels of the factors that are categories, the base first.
    levels: Vec<Option<Vec<String>>>,
    memory: ColumnMemory,
    offset_memory: ColumnMemory,
}

/// The values of every used factor over some rows.
pub(super) struct FactorTable {
    values: Vec<Option<FactorValues>>,
    rows: usize,
}

impl DesignPlan {
    /// Learns from complete rows.
    pub(super) fn learn(
        formula: Formula,
        data: &ModelColumns,
    ) -> Result<(Self, FactorTable), DesignError> {
        let mut levels = vec![None; formula.factors.len()];
        for factor in formula.used_factors() {
            if let Some(category) = factor_category(&formula.factors[factor], data)? {
                levels[factor] = Some(category.levels.clone());
            }
        }
        let mut plan = Self {
            formula,
            levels,
            memory: ColumnMemory::default(),
            offset_memory: ColumnMemory::default(),
        };
        let mut memory = ColumnMemory::default();
        let table = plan.factor_table(data, &mut memory)?;
        plan.memory = memory;
        let mut memory = ColumnMemory::default();
        plan.sum_offsets(data, &mut memory)?;
        plan.offset_memory = memory;
        Ok((plan, table))
    }

    /// The formula.
    pub fn formula(&self) -> &Formula {
        &self.formula
    }

    /// The levels of each factor of the formula that is a category, the base first.
    pub fn category_levels(&self) -> impl Iterator<Item = (&str, &[String])> {
        let factors = self.formula.factors.iter().zip(&self.levels);
        factors.filter_map(|(factor, levels)| Some((factor.name.as_str(), levels.as_deref()?)))
    }

    /// The design matrix of complete new rows.
    ///
    /// # Errors
    /// [`DesignError`], such as a level that the fitted rows do not have.
    pub fn new_matrix(
        &self,
        data: &ModelColumns,
        watch: &dyn Watch,
    ) -> Result<ModelMatrix, DesignError> {
        let table = self.factor_table(data, &mut self.memory.replay())?;
        self.fixed_matrix(&table, watch)
    }

    /// The sum of the offsets in complete new rows; `None` without offsets.
    ///
    /// # Errors
    /// [`DesignError`].
    pub fn new_offset(&self, data: &ModelColumns) -> Result<Option<Vec<f64>>, DesignError> {
        self.sum_offsets(data, &mut self.offset_memory.replay())
    }

    fn sum_offsets(
        &self,
        data: &ModelColumns,
        memory: &mut ColumnMemory,
    ) -> Result<Option<Vec<f64>>, DesignError> {
        let mut total: Option<Vec<f64>> = None;
        for offset in &self.formula.offsets {
            let column = evaluate_expression(offset, data, memory, "offset")?.high;
            check_finite(&column, "offset")?;
            total = Some(match total {
                None => column,
                Some(sum) => sum
                    .iter()
                    .zip(&column)
                    .map(|(sum, add)| sum + add)
                    .collect(),
            });
        }
        Ok(total)
    }

    /// The columns of the fixed terms.
    pub(super) fn fixed_matrix(
        &self,
        table: &FactorTable,
        watch: &dyn Watch,
    ) -> Result<ModelMatrix, DesignError> {
        self.matrix(
            self.formula.has_intercept,
            &self.formula.terms,
            table,
            watch,
        )
    }

    /// The columns of some terms.
    pub(super) fn matrix(
        &self,
        has_intercept: bool,
        terms: &[Vec<usize>],
        table: &FactorTable,
        watch: &dyn Watch,
    ) -> Result<ModelMatrix, DesignError> {
        let is_category: Vec<bool> = self.levels.iter().map(Option::is_some).collect();
        let coded = code_terms(terms, has_intercept, &is_category);
        let count = usize::from(has_intercept) + self.count_columns(&coded, table);
        if count > COLUMNS_MAX || has_too_many_categories(&self.formula, &is_category) {
            return Err(DesignError::Columns {
                columns: count,
                limit: COLUMNS_MAX,
            });
        }
        watch.reserve_doubles(table.rows.saturating_mul(2 * count))?;
        let mut builder = MatrixBuilder::new(table.rows);
        if has_intercept {
            builder.push(
                "Intercept".to_owned(),
                None,
                &PreciseColumn::new(vec![1.0; table.rows]),
            );
        }
        for (term, products) in coded.iter().enumerate() {
            for product in products {
                watch.check()?;
                for (name, column) in self.product_columns(product, table) {
                    builder.push(name, Some(term), &column);
                }
            }
        }
        let term_names = terms.iter().map(|term| self.formula.term_name(term));
        Ok(builder.finish(term_names.collect()))
    }

    fn count_columns(&self, coded: &[Vec<CodedProduct>], table: &FactorTable) -> usize {
        let width = |product: &CodedProduct| {
            let widths = product.factors.iter().map(|coded| {
                let levels = self.levels[coded.factor].as_ref().map(Vec::len);
                match (levels, &table.values[coded.factor]) {
                    (Some(levels), _) => levels - usize::from(!coded.is_full),
                    (None, Some(FactorValues::Numbers { columns, .. })) => columns.len(),
                    _ => 1,
                }
            });
            widths.fold(1_usize, usize::saturating_mul)
        };
        coded
            .iter()
            .flatten()
            .map(width)
            .fold(0, usize::saturating_add)
    }

    /// The columns of a product with their names; those of its first factor vary fastest.
    fn product_columns(
        &self,
        product: &CodedProduct,
        table: &FactorTable,
    ) -> Vec<(String, PreciseColumn)> {
        let mut columns: Vec<(String, Option<PreciseColumn>)> = vec![(String::new(), None)];
        for coded in &product.factors {
            let name = &self.formula.factors[coded.factor].name;
            let parts = self.factor_columns(coded.factor, coded.is_full, table);
            let mut next = Vec::with_capacity(columns.len() * parts.len());
            for (label, part) in &parts {
                for (before, column) in &columns {
                    let separator = if before.is_empty() { "" } else { ":" };
                    let product = column
                        .as_ref()
                        .map_or_else(|| part.clone().into_owned(), |column| column.times(part));
                    next.push((format!("{before}{separator}{name}{label}"), Some(product)));
                }
            }
            columns = next;
        }
        let ones = || PreciseColumn::new(vec![1.0; table.rows]);
        columns
            .into_iter()
            .map(|(name, column)| (name, column.unwrap_or_else(ones)))
            .collect()
    }

    /// The columns of one factor, each with what follows its name.
    fn factor_columns<'t>(
        &self,
        factor: usize,
        is_full: bool,
        table: &'t FactorTable,
    ) -> Vec<(String, Cow<'t, PreciseColumn>)> {
        match (&table.values[factor], &self.levels[factor]) {
            (Some(FactorValues::Numbers { columns, labels }), _) => {
                let pairs = labels.iter().cloned().zip(columns);
                pairs
                    .map(|(label, column)| (label, Cow::Borrowed(column)))
                    .collect()
            }
            (Some(FactorValues::Category(codes)), Some(levels)) => {
                let shown = levels.iter().enumerate().skip(usize::from(!is_full));
                let column = |(index, level): (usize, &String)| {
                    let label = match is_full {
                        true => format!("[{level}]"),
                        false => format!("[T.{level}]"),
                    };
                    let is_level = |code: &u32| f64::from(u8::from(*code as usize == index));
                    let column = PreciseColumn::new(codes.iter().map(is_level).collect());
                    (label, Cow::Owned(column))
                };
                shown.map(column).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The values of the used factors; categories by the levels that were learnt.
    fn factor_table(
        &self,
        data: &ModelColumns,
        memory: &mut ColumnMemory,
    ) -> Result<FactorTable, DesignError> {
        let mut values = vec![None; self.formula.factors.len()];
        for at in self.formula.used_factors() {
            let factor = &self.formula.factors[at];
            values[at] = Some(match &self.levels[at] {
                Some(levels) => FactorValues::Category(level_codes(factor, levels, data)?),
                None => numeric_values(factor, data, memory)?,
            });
        }
        Ok(FactorTable {
            values,
            rows: data.rows(),
        })
    }
}

/// The category of a factor, its base first; `None` for numbers.
fn factor_category(
    factor: &FormulaFactor,
    data: &ModelColumns,
) -> Result<Option<CategoryColumn>, DesignError> {
    let (column, base) = match &factor.kind {
        FactorKind::Category { column, base } => (column, base.as_deref()),
        FactorKind::Expression(NumericExpression::Column(column)) => (column, None),
        _ => return Ok(None),
    };
    let found = data.get(column)?;
    let is_asked = matches!(factor.kind, FactorKind::Category { .. });
    if !is_asked && matches!(found, ModelColumn::Numbers(_)) {
        return Ok(None);
    }
    let mut category = found.to_categories();
    if let [level] = &category.levels[..] {
        return Err(DesignError::OneLevel {
            factor: factor.name.clone(),
            level: level.clone(),
        });
    }
    if let Some(base) = base {
        let place = category.levels.iter().position(|level| level == base);
        let place = place.ok_or_else(|| unknown_level(factor, base, &category.levels))?;
        let level = category.levels.remove(place);
        category.levels.insert(0, level);
    }
    Ok(Some(category))
}

fn unknown_level(factor: &FormulaFactor, level: &str, levels: &[String]) -> DesignError {
    let mut known = levels
        .iter()
        .take(LEVELS_SHOWN)
        .map(|level| format!("`{level}`"))
        .collect::<Vec<_>>()
        .join(", ");
    if levels.len() > LEVELS_SHOWN {
        known.push_str(", ...");
    }
    DesignError::UnknownLevel {
        factor: factor.name.clone(),
        level: level.to_owned(),
        known,
    }
}

/// The place of each row's level.
fn level_codes(
    factor: &FormulaFactor,
    levels: &[String],
    data: &ModelColumns,
) -> Result<Vec<u32>, DesignError> {
    let (FactorKind::Category { column, .. }
    | FactorKind::Expression(NumericExpression::Column(column))) = &factor.kind
    else {
        return Ok(Vec::new());
    };
    let category = data.get(column)?.to_categories();
    let mut places = Vec::with_capacity(category.levels.len());
    for level in &category.levels {
        let place = levels.iter().position(|known| known == level);
        let place = place.ok_or_else(|| unknown_level(factor, level, levels))?;
        places.push(place as u32);
    }
    // Complete rows have a level each.
    Ok(category
        .codes
        .iter()
        .flatten()
        .map(|code| places[*code as usize])
        .collect())
}

fn numeric_values(
    factor: &FormulaFactor,
    data: &ModelColumns,
    memory: &mut ColumnMemory,
) -> Result<FactorValues, DesignError> {
    let name = &factor.name;
    let (columns, labels) = match &factor.kind {
        FactorKind::Expression(of) => {
            let column = evaluate_expression(of, data, memory, name)?;
            (vec![column], vec![String::new()])
        }
        FactorKind::Polynomial { of, degree, is_raw } => {
            let x = evaluate_expression(of, data, memory, name)?;
            check_finite(&x.high, name)?;
            let columns = match is_raw {
                true => raw_powers(&x, *degree),
                false => orthogonal_polynomials(&x.high, *degree, memory, name)?,
            };
            (columns, (1..=*degree).map(|k| k.to_string()).collect())
        }
        FactorKind::Category { column, .. } => {
            let numbers = data.numbers(column, name)?.to_vec();
            (vec![PreciseColumn::new(numbers)], vec![String::new()])
        }
    };
    for column in &columns {
        check_finite(&column.high, name)?;
    }
    Ok(FactorValues::Numbers { columns, labels })
}

fn raw_powers(x: &PreciseColumn, degree: usize) -> Vec<PreciseColumn> {
    let mut powers = vec![x.clone()];
    for k in 1..degree {
        let next = powers[k - 1].times(x);
        powers.push(next);
    }
    powers
}

/// Refuses what is not finite; the row counts among those that are complete.
pub(super) fn check_finite(column: &[f64], factor: &str) -> Result<(), DesignError> {
    match column.iter().position(|value| !value.is_finite()) {
        None => Ok(()),
        Some(row) => Err(DesignError::NotFinite {
            factor: factor.to_owned(),
            row,
        }),
    }
}

/// Columns put together one after the other.
struct MatrixBuilder {
    rows: usize,
    names: Vec<String>,
    terms: Vec<Option<usize>>,
    high: Vec<f64>,
    low: Vec<f64>,
}

impl MatrixBuilder {
    fn new(rows: usize) -> Self {
        Self {
            rows,
            names: Vec::new(),
            terms: Vec::new(),
            high: Vec::new(),
            low: Vec::new(),
        }
    }

    fn push(&mut self, name: String, term: Option<usize>, column: &PreciseColumn) {
        if !column.low.is_empty() {
            self.low.resize(self.high.len(), 0.0);
            self.low.extend(&column.low);
        }
        self.high.extend(&column.high);
        self.names.push(name);
        self.terms.push(term);
    }

    fn finish(mut self, term_names: Vec<String>) -> ModelMatrix {
        let low = (!self.low.is_empty()).then(|| {
            self.low.resize(self.high.len(), 0.0);
            self.low
        });
        ModelMatrix {
            matrix: DesignMatrix {
                rows: self.rows,
                columns: self.names.len(),
                high: self.high,
                low,
            },
            names: self.names,
            terms: self.terms,
            term_names,
        }
    }
}
