//! `pca`: principal components of columns.

use statistics::multivariate::{PrincipalComponents, fit_pca, parallel_limits};

use super::super::reporting::words::percent_words;
use super::{PointRows, column_scaling, count_words, multivariate_fault};
use crate::call_watch::CallWatch;
use crate::data::table::TableInput;
use crate::prelude::*;

/// Columns up to which the limits by chance are drawn.
const CHANCE_COLUMNS_MAX: usize = 100;

/// Principal components of columns of numbers, by singular values of the centred columns: shares of the variance, coefficients, correlations with the columns, scores of
/// the rows, and how many components three rules keep.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// The table: a list of records, an object of columns, a matrix of rows, or `{"$file": path}`.
    pub data: Input<TableInput>,
    /// Columns of numbers; all of them when empty.
    #[value(default)]
    pub columns: Vec<String>,
    /// Whether each column is divided by its standard deviation first, so that components are those of the correlations: for columns of different units.
    #[value(default)]
    pub standardise: bool,
    /// How many components are answered, where `components` does not say it.
    #[value(default)]
    pub keep: ComponentRule,
    /// Number of components; no more than have a variance.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub components: Option<BoundedInteger<1, 1000>>,
    /// Share of the variance that `keep`: `share` reaches.
    #[value(default = "default_share")]
    pub share: Probability,
    /// Whether the scores of the rows are answered.
    #[value(default = "crate::prelude::default_true")]
    pub scores: bool,
    /// Seed of the samples of the limits by chance; 42 when absent.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub seed: Option<RandomSeed>,
}

fn default_share() -> Probability {
    Probability::literal(0.9)
}

/// Which components are kept.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Encode, Decode, Describe)]
#[value(rename_all = "snake_case")]
pub(crate) enum ComponentRule {
    /// All with a variance above rounding.
    #[default]
    All,
    /// Those above the mean variance (Kaiser).
    Kaiser,
    /// The first ones above the limits by chance (Horn's parallel analysis).
    Parallel,
    /// As many as reach `share` of the variance.
    Share,
}

/// Principal components.
#[derive(Debug, Encode, Describe)]
pub(crate) struct Output {
    /// What the components hold, in a sentence.
    pub summary: String,
    /// The components, the largest first.
    pub components: Vec<ComponentRecord>,
    /// The coefficients of each column: the direction of each kept component has length 1, and its largest coefficient (the first of equals) is positive.
    pub loadings: Vec<LoadingRecord>,
    /// The correlations of each column with the kept components: the circle of a biplot.
    pub correlations: Vec<CircleRecord>,
    /// How many components each rule keeps.
    pub rules: Vec<RuleRecord>,
    /// Scores: a row for each complete row, a column for each kept component; empty where `scores` is false.
    pub scores: Vec<Vec<f64>>,
    /// The row of the table of each score, from 0.
    pub rows: Vec<usize>,
    /// Rows that count.
    pub n: usize,
    /// Rows left out because a cell is missing.
    pub missing: usize,
    /// Whether the columns were divided by their standard deviations.
    pub standardised: bool,
    /// Components with a variance above rounding.
    pub rank: usize,
    /// Largest over smallest standard deviation of these components.
    pub condition: f64,
    /// Sum of the variances of the components less that of the columns, over the latter: rounding.
    pub variance_error: f64,
    /// Seed of the limits by chance.
    pub seed: RandomSeed,
    /// The line for a report.
    pub apa: String,
}

/// A component.
#[derive(Debug, Encode, Describe)]
pub(crate) struct ComponentRecord {
    /// Its name: `PC1`, ...
    pub component: String,
    /// Its variance (n - 1), in squared units of the columns; of standardised columns without a unit.
    pub variance: f64,
    /// Its share of the variance of all columns.
    pub share: f64,
    /// Shares up to it.
    pub cumulative: f64,
    /// The variance that 95 % of samples of columns without correlation stay below in this place; null for more than 100 columns.
    pub chance: Option<f64>,
}

/// The coefficients of a column.
#[derive(Debug, Encode, Describe)]
pub(crate) struct LoadingRecord {
    /// The column.
    pub column: String,
    /// Its mean, which is subtracted.
    pub mean: f64,
    /// Its standard deviation.
    pub sd: f64,
    /// The coefficient of each kept component.
    pub coefficients: Vec<f64>,
}

/// The correlations of a column.
#[derive(Debug, Encode, Describe)]
pub(crate) struct CircleRecord {
    /// The column.
    pub column: String,
    /// The share of its variance that the kept components hold: the sum of the squared correlations.
    pub communality: f64,
    /// The correlation with each kept component; 0 for a column that does not vary.
    pub correlations: Vec<f64>,
}

/// A rule for the number of components.
#[derive(Debug, Encode, Describe)]
pub(crate) struct RuleRecord {
    /// The rule: `kaiser`, `parallel` (up to 100 columns), `share`.
    pub rule: String,
    /// How many it keeps.
    pub components: usize,
    /// What it says.
    pub criterion: String,
}

impl Tool for Args {
    const SPEC: Spec = Spec::named("pca", "Principal component analysis")
        .seeded()
        .tags(&[
            "statistics",
            "multivariate",
            "principal components",
            "dimension reduction",
            "biplot",
            "svd",
            "table",
        ]);
    type Output = Output;
    const EXAMPLES: &'static [JsonExample] = examples! {
        "one column is twice the other: one component has everything":
            r#"{"data": {"a": [1, 2, 3], "b": [2, 4, 6]}, "seed": 1}"#
            => r#"{"summary": "1 component holds the whole variance of `a`, `b`. PC1 is mostly `b` (0.894), `a` (0.447).",
                "components": [{"component": "PC1", "variance": 5.0, "share": 1.0, "cumulative": 1.0, "chance": 13.603863526839955}],
                "loadings": [{"column": "a", "mean": 2.0, "sd": 1.0, "coefficients": [0.4472135954999579]},
                {"column": "b", "mean": 4.0, "sd": 2.0, "coefficients": [0.8944271909999159]}],
                "correlations": [{"column": "a", "communality": 1.0, "correlations": [1.0]}, {"column": "b", "communality": 1.0, "correlations": [1.0]}],
                "rules": [{"rule": "kaiser", "components": 1, "criterion": "variance above the mean of the columns"},
                {"rule": "parallel", "components": 0, "criterion": "variance above that of columns without correlation"},
                {"rule": "share", "components": 1, "criterion": "90 % of the variance"}],
                "scores": [[-2.23606797749979], [0.0], [2.23606797749979]], "rows": [0, 1, 2], "n": 3, "missing": 0,
                "standardised": false, "rank": 1, "condition": 1.0, "variance_error": 0.0, "seed": 1, "apa": "PCA of the covariances of 2 columns, n = 3: PC1 100.0%"}"#;
    };

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let points = PointRows::load(&args.data, &args.columns, ctx)?;
        let watch = CallWatch(ctx);
        let fault = |err| multivariate_fault(err, &points, ctx);
        let scaling = column_scaling(args.standardise);
        let pca = fit_pca(&points.columns, scaling, &watch).map_err(fault)?;
        points.warn_of_spreads(args.standardise, ctx);
        let seed = ctx.seed(args.seed);
        let limits = match points.names.len() <= CHANCE_COLUMNS_MAX {
            true => {
                let limits = parallel_limits(
                    points.count(),
                    &pca.unit_deviations,
                    scaling,
                    seed.get(),
                    &watch,
                );
                Some(limits.map_err(fault)?)
            }
            false => None,
        };
        let rules = component_rules(&pca, limits.as_deref(), args.share.get());
        let rank = pca.directions.len();
        let kept = kept_components(&args, &rules, rank)?;
        warn_of_ties(&pca, kept, ctx);
        let scores = match args.scores {
            true => pca.scores(kept, &watch).map_err(fault)?,
            false => Vec::new(),
        };
        let components = component_records(&pca, limits.as_deref());
        Ok(Output {
            summary: component_sentence(&pca, &points, kept),
            apa: component_line(&pca, &points, kept, args.standardise),
            loadings: loading_records(&pca, &points, kept),
            correlations: circle_records(&pca, &points, kept),
            components,
            rules,
            scores: scores.chunks(kept).map(<[f64]>::to_vec).collect(),
            n: points.count(),
            missing: points.missing,
            standardised: args.standardise,
            rank,
            condition: pca.condition,
            variance_error: pca.variance_error,
            seed,
            rows: points.rows,
        })
    }
}

fn component_rules(
    pca: &PrincipalComponents,
    limits: Option<&[f64]>,
    share: f64,
) -> Vec<RuleRecord> {
    let record = |rule: &str, components: usize, criterion: String| RuleRecord {
        rule: rule.to_owned(),
        components,
        criterion,
    };
    let mut rules = vec![record(
        "kaiser",
        pca.kaiser_count(),
        "variance above the mean of the columns".to_owned(),
    )];
    if let Some(limits) = limits {
        let pairs = pca.unit_variances.iter().zip(limits);
        let above = pairs.take_while(|(variance, limit)| variance > limit);
        rules.push(record(
            "parallel",
            above.count(),
            "variance above that of columns without correlation".to_owned(),
        ));
    }
    let words = format!("{} of the variance", percent_words(share));
    rules.push(record("share", pca.count_of_share(share), words));
    rules
}

/// At least one component is kept.
fn kept_components(args: &Args, rules: &[RuleRecord], rank: usize) -> Result<usize, ToolError> {
    if let Some(components) = args.components {
        return Ok(components.size().min(rank));
    }
    let wanted = match args.keep {
        ComponentRule::All => return Ok(rank),
        ComponentRule::Kaiser => "kaiser",
        ComponentRule::Parallel => "parallel",
        ComponentRule::Share => "share",
    };
    match rules.iter().find(|rule| rule.rule == wanted) {
        Some(rule) => Ok(rule.components.clamp(1, rank)),
        None => {
            refuse!(invalid "/keep", "limit"; "limits by chance are drawn for at most {CHANCE_COLUMNS_MAX} columns"; "choose another rule")
        }
    }
}

fn warn_of_ties(pca: &PrincipalComponents, kept: usize, ctx: &Ctx) {
    for place in pca.tied.iter().filter(|place| **place <= kept) {
        ctx.warn(format!(
            "PC{place} and PC{} have the same variance: any turn of the two in their plane fits as well",
            place + 1
        ));
    }
}

fn component_records(pca: &PrincipalComponents, limits: Option<&[f64]>) -> Vec<ComponentRecord> {
    // The limits are in the unit of the computation, a power of two.
    let unit = pca.variances[0] / pca.unit_variances[0];
    let mut cumulative = 0.0;
    let record = |(place, variance): (usize, &f64)| {
        cumulative += pca.shares[place];
        ComponentRecord {
            component: format!("PC{}", place + 1),
            variance: *variance,
            share: pca.shares[place],
            cumulative: f64::min(cumulative, 1.0),
            chance: limits.map(|limits| (limits[place] * unit).min(f64::MAX)),
        }
    };
    pca.variances.iter().enumerate().map(record).collect()
}

fn loading_records(
    pca: &PrincipalComponents,
    points: &PointRows,
    kept: usize,
) -> Vec<LoadingRecord> {
    let names = points.names.iter().enumerate();
    let record = |(column, name): (usize, &String)| LoadingRecord {
        column: name.clone(),
        mean: pca.means[column],
        sd: pca.deviations[column],
        coefficients: pca.directions[..kept]
            .iter()
            .map(|direction| direction[column])
            .collect(),
    };
    names.map(record).collect()
}

fn circle_records(pca: &PrincipalComponents, points: &PointRows, kept: usize) -> Vec<CircleRecord> {
    let names = points.names.iter().enumerate();
    let record = |(column, name): (usize, &String)| {
        let kept = pca.correlations[..kept].iter();
        let correlations: Vec<f64> = kept.map(|component| component[column]).collect();
        let squares: f64 = correlations.iter().map(|value| value * value).sum();
        CircleRecord {
            column: name.clone(),
            communality: squares.min(1.0),
            correlations,
        }
    };
    names.map(record).collect()
}

/// The two largest coefficients of a component.
fn direction_words(pca: &PrincipalComponents, points: &PointRows, component: usize) -> String {
    let direction = &pca.directions[component];
    let mut order: Vec<usize> = (0..direction.len()).collect();
    order.sort_by(|&a, &b| {
        direction[b]
            .abs()
            .total_cmp(&direction[a].abs())
            .then(a.cmp(&b))
    });
    let part = |column: &usize| format!("`{}` ({:.3})", points.names[*column], direction[*column]);
    let parts: Vec<String> = order.iter().take(2).map(part).collect();
    format!("PC{} is mostly {}", component + 1, parts.join(", "))
}

/// True of the numbers: the share of the kept components, at most two of them.
fn component_sentence(pca: &PrincipalComponents, points: &PointRows, kept: usize) -> String {
    let shown = kept.min(2);
    let share: f64 = pca.shares[..shown].iter().sum();
    let held = match shown == pca.shares.len() {
        true => "the whole variance".to_owned(),
        false => format!("{:.1} % of the variance", 100.0 * share),
    };
    let who = match shown {
        1 => "1 component holds".to_owned(),
        _ => "2 components hold".to_owned(),
    };
    let parts: Vec<String> = (0..shown)
        .map(|component| direction_words(pca, points, component))
        .collect();
    format!(
        "{who} {held} of {}. {}.",
        points.column_words(),
        parts.join("; ")
    )
}

fn component_line(
    pca: &PrincipalComponents,
    points: &PointRows,
    kept: usize,
    standardised: bool,
) -> String {
    const SHOWN: usize = 3;
    let matrix = match standardised {
        true => "correlations",
        false => "covariances",
    };
    let part = |(place, share): (usize, &f64)| format!("PC{} {:.1}%", place + 1, 100.0 * share);
    let shares = pca.shares[..kept].iter().take(SHOWN).enumerate();
    let shares: Vec<String> = shares.map(part).collect();
    format!(
        "PCA of the {matrix} of {}, n = {}: {}",
        count_words(points.names.len(), "column"),
        points.count(),
        shares.join(", ")
    )
}
