//! Analysis of variance.

mod formula;
mod post_hoc;
mod repeated;
#[cfg(test)]
mod tests;

use statistics::anova::{
    FactorCodes, SquaresType, VarianceTable, analyse_factors, test_one_way, test_welch_groups,
};
use statistics::hypothesis::{SpreadCentre, test_spread};

use self::formula::VarianceFormula;
use self::post_hoc::{PostHocName, compare_cells};
use super::reporting::faults::test_fault;
use super::reporting::samples::{RowCategories, SampleGroup, group_slices, number_cells};
use super::reporting::words::{apa_effect, number_words, p_words, unclear_words, unlikely_words};
use super::reporting::{
    AssumptionRecord, ComparisonRecord, CorrectionName, EffectRecord, GroupRecord, TestLine,
};
use crate::call_watch::CallWatch;
use crate::data::table::TableInput;
use crate::prelude::*;

/// Analysis of variance by a formula such as `score ~ arm * sex`, with sums of squares of type 1, 2 or 3; for one factor also Welch's form, and with `subject`
/// the analysis of repeated measures. Answers the table with eta and omega squared, the groups, the assumptions, comparisons of pairs, and a sentence.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// The table, with a row for each value: list of records, object of columns, or `{"$file": path}`.
    pub data: Input<TableInput>,
    /// The response and its factors: `score ~ arm`, `score ~ arm + sex`, `score ~ arm * sex` with the interaction, or single terms such as `arm:sex`. Every factor is
    /// taken as categories.
    pub formula: String,
    /// The column that says which values are of one subject: the one factor is then compared within subjects.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub subject: Option<String>,
    /// Sums of squares: 1 one term after another, 2 each after all that do not contain it, 3 each after all others (effects sum to 0).
    #[value(default = "BoundedInteger::<1, 3>::of::<2>", rename = "type")]
    pub squares: BoundedInteger<1, 3>,
    /// Comparisons of pairs of groups, or of cells for several factors.
    #[value(default)]
    pub post_hoc: PostHocName,
    /// The group with which `dunnett` compares the others; the first one when absent.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub control: Option<String>,
    /// How p values of comparisons within subjects are corrected.
    #[value(default)]
    pub correction: CorrectionName,
    /// Coverage of the intervals; 1 less it is the level of the sentence.
    #[value(default = "crate::prelude::default_confidence")]
    #[schema(range(min = 0.5, max = 0.999999))]
    pub confidence: Probability,
}

/// The type of sums of squares of a number.
fn squares_type(number: BoundedInteger<1, 3>) -> SquaresType {
    match number.size() {
        1 => SquaresType::Sequential,
        2 => SquaresType::Marginal,
        _ => SquaresType::Partial,
    }
}

/// An analysis of variance with its evidence.
#[derive(Debug, Encode, Describe)]
pub(crate) struct Output {
    /// The result in one sentence.
    pub summary: String,
    /// Name of the analysis.
    pub test: String,
    /// The table: a row for each term, then the residuals.
    pub terms: Vec<TermRecord>,
    /// Effect sizes of the first term.
    pub effects: Vec<EffectRecord>,
    /// The groups of the cells.
    pub groups: Vec<GroupRecord>,
    /// Comparisons of pairs.
    pub comparisons: Vec<ComparisonRecord>,
    /// Method of the comparisons.
    pub comparison_method: String,
    /// What is assumed, each with a test of it.
    pub assumptions: Vec<AssumptionRecord>,
    /// Welch's form beside an analysis of one factor, and Friedman's test beside one of repeated measures; null for several factors.
    pub robust: Option<TestLine>,
    /// Values.
    pub n: usize,
    /// Rows left out because a cell is missing, or a subject lacks a condition.
    pub missing: usize,
    /// What a reader should know of these data.
    pub notes: Vec<String>,
    /// A line for each term in the style of the APA.
    pub apa: Vec<String>,
}

/// A row of the table.
#[derive(Debug, Clone, Encode, Describe)]
pub(crate) struct TermRecord {
    /// The term, or `residuals`.
    pub term: String,
    /// Sum of squares.
    pub squares: f64,
    /// Degrees of freedom; with the correction of Greenhouse and Geisser where conditions are not spherical.
    pub df: f64,
    /// Mean square.
    pub mean_square: Option<f64>,
    /// F ratio; null for residuals, and for a term that the data cannot tell from others.
    pub f: Option<f64>,
    /// P value.
    pub p: Option<f64>,
    /// Eta squared; generalised for repeated measures.
    pub eta2: Option<Real>,
    /// Partial eta squared.
    pub partial_eta2: Option<Real>,
    /// Lower end of its interval.
    pub low: Option<Real>,
    /// Upper end.
    pub high: Option<Real>,
    /// Partial omega squared.
    pub omega2: Option<Real>,
}

impl Tool for Args {
    const SPEC: Spec = Spec::named("anova", "Analysis of variance").tags(&[
        "statistics",
        "significance",
        "table",
        "effect size",
        "tukey",
    ]);
    type Output = Output;
    const EXAMPLES: &'static [JsonExample] = examples! {
        "means 2 and 5 with variances 1: F = 13.5":
            r#"{"data": {"v": [1, 2, 3, 4, 5, 6], "g": ["a", "a", "a", "b", "b", "b"]}, "formula": "v ~ g", "post_hoc": "none"}"#
            => r#"{"summary": "`v` differs between the groups of `g`, unlikely to be chance (p = 0.021)", "test": "one-way analysis of variance",
                "terms": [{"term": "g", "squares": 13.499999999999998, "df": 1.0, "mean_square": 13.499999999999998, "f": 13.499999999999998,
                "p": 0.021311641128756723, "eta2": 0.7714285714285714, "partial_eta2": 0.7714285714285714, "low": 0.017419934592674595,
                "high": 0.8833409908447878, "omega2": 0.6756756756756755}, {"term": "residuals", "squares": 4.0, "df": 4.0, "mean_square": 1.0, "f": null,
                "p": null, "eta2": null, "partial_eta2": null, "low": null, "high": null, "omega2": null}], "effects": [{"name": "eta squared",
                "symbol": "eta2", "value": 0.7714285714285714, "low": 0.017419934592674595, "high": 0.8833409908447878}, {"name": "partial eta squared",
                "symbol": "partial eta2", "value": 0.7714285714285714, "low": 0.017419934592674595, "high": 0.8833409908447878},
                {"name": "partial omega squared", "symbol": "omega2", "value": 0.6756756756756755, "low": 0.017419934592674585, "high": 0.8833409908447878}],
                "groups": [{"group": "a", "n": 3, "missing": 0, "mean": 2.0, "sd": 1.0, "median": 2.0, "low": -0.48413771175033027, "high": 4.48413771175033},
                {"group": "b", "n": 3, "missing": 0, "mean": 5.0, "sd": 1.0, "median": 5.0, "low": 2.5158622882496697, "high": 7.48413771175033}],
                "comparisons": [], "comparison_method": "", "assumptions": [{"assumption": "normal distribution of the residuals", "test": "Shapiro-Wilk test",
                "statistic": 0.8531916064307976, "p": 0.16700283276637098, "holds": true}, {"assumption": "equal variances of the cells",
                "test": "Brown-Forsythe test", "statistic": 0.0, "p": 1.0, "holds": true}], "robust": {"test": "Welch analysis of variance",
                "statistic_name": "F", "statistic": 13.5, "df": [1.0, 4.0], "p": 0.021311641128756723, "effect_name": "partial omega squared",
                "effect": 0.6756756756756757}, "n": 6, "missing": 0, "notes": [],
                "apa": ["g: F(1, 4) = 13.50, p = 0.021, partial eta2 = 0.77, 95% CI [0.02, 0.88]"]}"#;
    };

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let formula = VarianceFormula::parse(&args.formula)?;
        let table = args.data.load(ctx)?.into_table(ctx)?;
        if let Some(subject) = &args.subject {
            return repeated::analyse(&args, &formula, subject, &table, ctx);
        }
        let rows = FactorRows::new(&formula, &table, ctx)?;
        let result = analyse_factors(
            &rows.values,
            &rows.factors,
            &formula.terms,
            squares_type(args.squares),
            args.confidence.get(),
            &CallWatch(ctx),
        )
        .map_err(|err| test_fault(err, "/formula", ctx))?;
        let cells = rows.cells();
        let pairs = compare_cells(&args, &cells, ctx)?;
        Ok(factor_output(
            &args, &formula, &rows, &cells, &result, pairs,
        ))
    }
}

/// The rows of a table in which the response and every factor have a value.
struct FactorRows {
    values: Vec<f64>,
    factors: Vec<FactorCodes>,
    labels: Vec<Vec<String>>,
    missing: usize,
}

impl FactorRows {
    fn new(
        formula: &VarianceFormula,
        table: &::tables::DataTable,
        ctx: &Ctx,
    ) -> Result<Self, ToolError> {
        let numbers = number_cells(table, &formula.response, "/formula", ctx)?;
        let mut categories = Vec::with_capacity(formula.factors.len());
        for name in &formula.factors {
            categories.push(RowCategories::new(table, name, "/formula", ctx)?);
        }
        let is_complete = |row: &usize| {
            numbers[*row].is_some() && categories.iter().all(|one| one.places[*row].is_some())
        };
        let rows: Vec<usize> = (0..table.rows()).filter(is_complete).collect();
        ctx.reserve_doubles(rows.len().saturating_mul(formula.factors.len() + 1))?;
        let mut factors = Vec::with_capacity(categories.len());
        let mut labels = Vec::with_capacity(categories.len());
        for category in &categories {
            // Levels without a complete row are none.
            let mut places = vec![None; category.labels.len()];
            rows.iter()
                .filter_map(|row| category.places[*row])
                .for_each(|at| places[at] = Some(0));
            let mut names = Vec::new();
            for (at, place) in places.iter_mut().enumerate() {
                if place.is_some() {
                    *place = Some(names.len());
                    names.push(category.labels[at].clone());
                }
            }
            let codes = rows.iter().filter_map(|row| places[category.places[*row]?]);
            factors.push(FactorCodes {
                codes: codes.collect(),
                levels: names.len(),
            });
            labels.push(names);
        }
        Ok(Self {
            values: rows.iter().filter_map(|row| numbers[*row]).collect(),
            factors,
            labels,
            missing: table.rows() - rows.len(),
        })
    }

    /// The groups of all combinations of levels that have values.
    fn cells(&self) -> Vec<SampleGroup> {
        let mut cells: std::collections::BTreeMap<Vec<usize>, Vec<f64>> = Default::default();
        for (row, value) in self.values.iter().enumerate() {
            let place = self
                .factors
                .iter()
                .map(|factor| factor.codes[row])
                .collect();
            cells.entry(place).or_default().push(*value);
        }
        let label = |place: &Vec<usize>| {
            let names = place.iter().zip(&self.labels);
            let names: Vec<&str> = names.map(|(&at, labels)| labels[at].as_str()).collect();
            names.join(", ")
        };
        let groups = cells.into_iter();
        groups
            .map(|(place, values)| SampleGroup::new(label(&place), values))
            .collect()
    }
}

fn factor_output(
    args: &Args,
    formula: &VarianceFormula,
    rows: &FactorRows,
    cells: &[SampleGroup],
    result: &VarianceTable,
    pairs: post_hoc::CellComparisons,
) -> Output {
    let confidence = args.confidence.get();
    let mut terms: Vec<TermRecord> = result
        .rows
        .iter()
        .map(|row| term_record(&formula.term_name(&row.term), row))
        .collect();
    terms.push(residual_record(result.residual_squares, result.residual_df));
    let aliased: Vec<&str> = terms
        .iter()
        .filter(|term| term.df == 0.0)
        .map(|term| term.term.as_str())
        .collect();
    let mut notes = pairs.notes;
    if !aliased.is_empty() {
        notes.push(format!(
            "the data cannot tell {} from the other terms: cells are empty",
            aliased.join(", ")
        ));
    }
    let slices = group_slices(cells);
    let robust = match formula.factors.len() {
        1 => test_welch_groups(&slices, confidence).ok(),
        _ => None,
    };
    let is_one = formula.factors.len() == 1;
    let test = match is_one {
        true => test_one_way(&slices, confidence).map_or("analysis of variance", |test| test.name),
        false => "analysis of variance of several factors",
    };
    let df = result.residual_df;
    let apa = result.rows.iter().filter(|row| row.df > 0.0).map(|row| {
        let effect = row
            .effects
            .get(1)
            .map(|effect| apa_effect(effect, confidence));
        format!(
            "{}: F({}, {}) = {:.2}, {}, {}",
            formula.term_name(&row.term),
            number_words(row.df),
            number_words(df),
            row.f,
            p_words(row.p),
            effect.unwrap_or_default()
        )
    });
    let mut assumptions: Vec<AssumptionRecord> =
        AssumptionRecord::normality("the residuals", &result.residuals)
            .into_iter()
            .collect();
    if let Ok(spread) = test_spread(&slices, SpreadCentre::Median, confidence) {
        assumptions.push(AssumptionRecord::new(
            "equal variances of the cells",
            &spread,
        ));
    }
    Output {
        summary: terms_sentence(&formula.response, &terms, confidence),
        test: test.to_owned(),
        effects: result
            .rows
            .first()
            .map_or_else(Vec::new, |row| EffectRecord::list(&row.effects)),
        groups: cells
            .iter()
            .map(|cell| GroupRecord::new(cell, confidence))
            .collect(),
        comparisons: pairs.records,
        comparison_method: pairs.method,
        assumptions,
        robust: robust.map(|result| TestLine::new(&result)),
        n: rows.values.len(),
        missing: rows.missing,
        notes,
        apa: apa.collect(),
        terms,
    }
}

fn term_record(name: &str, row: &statistics::anova::VarianceRow) -> TermRecord {
    let effect = |at: usize| row.effects.get(at).map(|effect| Real(effect.value));
    let ends = row.effects.get(1).and_then(|effect| effect.interval);
    let finite = |value: f64| value.is_finite().then_some(value);
    TermRecord {
        term: name.to_owned(),
        squares: row.squares,
        df: row.df,
        mean_square: finite(row.squares / row.df),
        f: finite(row.f),
        p: finite(row.p),
        eta2: effect(0),
        partial_eta2: effect(1),
        low: ends.map(|ends| Real(ends[0])),
        high: ends.map(|ends| Real(ends[1])),
        omega2: effect(2),
    }
}

fn residual_record(squares: f64, df: f64) -> TermRecord {
    TermRecord {
        term: "residuals".to_owned(),
        squares,
        df,
        mean_square: (df > 0.0).then(|| squares / df),
        f: None,
        p: None,
        eta2: None,
        partial_eta2: None,
        low: None,
        high: None,
        omega2: None,
    }
}

/// The sentence: which terms have an effect.
fn terms_sentence(response: &str, terms: &[TermRecord], confidence: f64) -> String {
    let tested: Vec<(&str, f64)> = terms
        .iter()
        .filter_map(|term| Some((term.term.as_str(), term.p?)))
        .collect();
    let least = tested.iter().map(|term| term.1).fold(1.0, f64::min);
    let clear: Vec<String> = tested
        .iter()
        .filter(|term| term.1 < 1.0 - confidence)
        .map(|(name, p)| format!("`{name}` ({})", p_words(*p)))
        .collect();
    match (clear.len(), tested.len()) {
        (0, _) => unclear_words(&format!("effect on `{response}`"), least),
        (1, 1) => format!(
            "`{response}` differs between the groups of `{}`, {}",
            tested[0].0,
            unlikely_words(least)
        ),
        _ => format!("`{response}` depends on {}", clear.join(", ")),
    }
}
