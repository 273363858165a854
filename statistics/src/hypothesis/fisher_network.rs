//! Fisher's exact test of larger tables: the columns one after another, with nodes of what is left of the rows.
//!
//! # References
//! C. R. Mehta and N. R. Patel, "A network algorithm for performing Fisher's exact test in r x c contingency tables", JASA 78, 1983: nodes with the
//! same rest are joined, and a node whose tables are all rarer, or all more frequent, than the observed one is not followed.

use std::collections::{BTreeMap, HashMap};

use numerics::Watch;

use super::counts::{CountTable, association_effects};
use super::fisher::log_factorial;
use super::outcome::{HypothesisError, HypothesisResult, PValueBasis};

/// Most nodes that are visited.
pub const NETWORK_MAX: usize = 2_000_000;
/// Most rows or columns: the depth of the recursion.
const SIDE_MAX: usize = 100;
/// Logarithms of probabilities that differ by less are the same.
const ALIKE: f64 = 1e-7;
/// Unit to which logarithms are rounded where nodes are joined.
const GRID: f64 = 1e-9;

/// What is left of each row, in ascending order: the probability of the rest depends on nothing else.
type RowRest = Vec<u32>;

/// The shortest, longest and total of the paths from a node to the end, as logarithms of sums of 1 / (product of factorials of the cells).
#[derive(Debug, Clone, Copy)]
struct RestPaths {
    least: f64,
    most: f64,
    total: f64,
}

struct FisherNetwork<'a> {
    columns: Vec<u32>,
    paths: HashMap<(usize, RowRest), RestPaths>,
    work: usize,
    watch: &'a dyn Watch,
}

impl FisherNetwork<'_> {
    fn count_work(&mut self) -> Result<(), HypothesisError> {
        self.work += 1;
        if self.work.is_multiple_of(4096) {
            self.watch.check()?;
        }
        match self.work > NETWORK_MAX {
            true => Err(HypothesisError::TooMany {
                what: "nodes of the network of tables with these margins",
                limit: NETWORK_MAX,
                found: self.work,
            }),
            false => Ok(()),
        }
    }

    /// The ways to fill a column from what is left of the rows: the rest, and the logarithm of 1 / (product of factorials of its cells).
    fn column_fillings(
        &mut self,
        rest: &RowRest,
        column: usize,
    ) -> Result<Vec<(RowRest, f64)>, HypothesisError> {
        let mut fillings = Vec::new();
        let mut open = vec![(Vec::with_capacity(rest.len()), self.columns[column], 0.0)];
        while let Some((cells, left, log)) = open.pop() {
            self.count_work()?;
            let row = cells.len();
            let behind: u32 = rest[row..].iter().skip(1).sum();
            let (from, to) = (left.saturating_sub(behind), left.min(rest[row]));
            for cell in from..=to {
                let log = log - log_factorial(f64::from(cell));
                let mut cells: RowRest = cells.clone();
                cells.push(rest[row] - cell);
                match cells.len() == rest.len() {
                    true => {
                        cells.sort_unstable();
                        fillings.push((cells, log));
                    }
                    false => open.push((cells, left - cell, log)),
                }
            }
        }
        Ok(fillings)
    }

    /// Paths from the beginning of a column; the depth of the recursion is the number of columns.
    fn rest_paths(&mut self, column: usize, rest: &RowRest) -> Result<RestPaths, HypothesisError> {
        if column + 1 == self.columns.len() {
            let log = -rest
                .iter()
                .map(|&cell| log_factorial(f64::from(cell)))
                .sum::<f64>();
            return Ok(RestPaths {
                least: log,
                most: log,
                total: log,
            });
        }
        if let Some(paths) = self.paths.get(&(column, rest.clone())) {
            return Ok(*paths);
        }
        let (mut least, mut most) = (f64::INFINITY, f64::NEG_INFINITY);
        let mut totals = Vec::new();
        for (next, log) in self.column_fillings(rest, column)? {
            let paths = self.rest_paths(column + 1, &next)?;
            least = least.min(log + paths.least);
            most = most.max(log + paths.most);
            totals.push(log + paths.total);
        }
        let paths = RestPaths {
            least,
            most,
            total: log_sum(&totals),
        };
        self.paths.insert((column, rest.clone()), paths);
        Ok(paths)
    }

    /// Logarithm of the sum over the tables that are at most as probable as `limit`.
    fn rare_sum(&mut self, rest: RowRest, limit: f64) -> Result<f64, HypothesisError> {
        let mut nodes = BTreeMap::from([((rest, 0_i64), (0.0, 0.0))]);
        let mut rare = Vec::new();
        for column in 0..self.columns.len() {
            let mut next: BTreeMap<(RowRest, i64), (f64, f64)> = BTreeMap::new();
            for ((rest, _), (past, weight)) in nodes {
                let paths = self.rest_paths(column, &rest)?;
                if past + paths.most <= limit {
                    rare.push(past + weight + paths.total);
                    continue;
                }
                if past + paths.least > limit {
                    continue;
                }
                for (after, log) in self.column_fillings(&rest, column)? {
                    let past = past + log;
                    let key = (after, (past / GRID).round() as i64);
                    let node = next.entry(key).or_insert((past, f64::NEG_INFINITY));
                    node.1 = log_sum(&[node.1, weight]);
                }
            }
            nodes = next;
        }
        Ok(log_sum(&rare))
    }
}

/// Logarithm of a sum of exponentials.
fn log_sum(logs: &[f64]) -> f64 {
    let most = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    match most.is_finite() {
        true => most + logs.iter().map(|log| (log - most).exp()).sum::<f64>().ln(),
        false => most,
    }
}

/// Fisher's test of independence for a table of any shape with whole counts: the probability, given the margins, of tables that are at most as probable as
/// the one observed.
///
/// # Errors
/// [`HypothesisError`] for counts that are not whole, and for tables that need more than [`NETWORK_MAX`] nodes.
pub fn test_fisher_table(
    table: &CountTable,
    confidence: f64,
    watch: &dyn Watch,
) -> Result<HypothesisResult, HypothesisError> {
    const TOTAL_MAX: f64 = 1e6;
    let margins = table.margins();
    if !table.is_whole() {
        return Err(HypothesisError::Undefined {
            reason: "an exact test needs whole counts",
        });
    }
    if margins.total > TOTAL_MAX {
        return Err(HypothesisError::TooMany {
            what: "counts for an exact test of this shape",
            limit: TOTAL_MAX as usize,
            found: margins.total as usize,
        });
    }
    if table.rows().max(table.columns()) > SIDE_MAX {
        return Err(HypothesisError::TooMany {
            what: "rows or columns for an exact test",
            limit: SIDE_MAX,
            found: table.rows().max(table.columns()),
        });
    }
    // The shorter side makes the nodes.
    let is_wide = table.rows() <= table.columns();
    let (rows, columns) = match is_wide {
        true => (&margins.rows, &margins.columns),
        false => (&margins.columns, &margins.rows),
    };
    let whole = |sums: &[f64]| {
        let mut sums: Vec<u32> = sums.iter().map(|sum| *sum as u32).collect();
        sums.sort_unstable();
        sums
    };
    let rest = whole(rows);
    let mut columns = whole(columns);
    columns.reverse();
    let mut network = FisherNetwork {
        columns,
        paths: HashMap::new(),
        work: 0,
        watch,
    };
    let observed = -table
        .counts()
        .iter()
        .map(|count| log_factorial(*count))
        .sum::<f64>();
    let total = network.rest_paths(0, &rest)?.total;
    let rare = network.rare_sum(rest, observed + ALIKE)?;
    let p = (rare - total).exp();
    Ok(HypothesisResult::new(
        "Fisher exact test of a larger table",
        "log p",
        observed - total,
        p,
    )
    .with_basis(PValueBasis::Exact)
    .with_effects(association_effects(table, confidence)))
}
