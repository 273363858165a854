//! Assignment: each row one column, or the other way round, at the least total cost.

#[cfg(test)]
mod tests;

use crate::watch::Watch;

/// Costs, row by row; infinite where a pair is forbidden.
#[derive(Debug, Clone, Copy)]
pub struct AssignmentCosts<'a> {
    /// The entries.
    pub data: &'a [f64],
    /// Number of rows.
    pub rows: usize,
    /// Number of columns.
    pub columns: usize,
}

/// The cheapest assignment and the prices that prove it.
#[derive(Debug, Clone, PartialEq)]
pub struct Assignment {
    /// Column of each row; `None` where there are more rows than columns and the row is left over.
    pub column_of: Vec<Option<usize>>,
    /// The total cost, summed row by row.
    pub total: f64,
    /// Price of each row.
    pub row_prices: Vec<f64>,
    /// Price of each column: a pair costs at least the sum of its two prices, and an assigned one exactly that.
    pub column_prices: Vec<f64>,
    /// The largest amount by which that is violated, by rounding.
    pub violation: f64,
}

/// Why there is no assignment.
#[derive(Debug, Clone, PartialEq)]
pub enum AssignmentFailure {
    /// These rows (or, where there are more rows than columns, columns) share fewer partners than they are.
    Hall {
        /// Members of the smaller side, ascending.
        members: Vec<usize>,
        /// All their partners that are not forbidden, ascending.
        partners: Vec<usize>,
        /// Whether the members are rows.
        are_rows: bool,
    },
    /// The caller said so.
    Stopped,
}

const NONE: usize = usize::MAX;

/// Finds the cheapest assignment of the smaller side.
///
/// # Method
/// Shortest augmenting paths over reduced costs, O(rows^2 columns) at worst, after a reduction of rows and, of a square matrix, of columns, in
/// which pairs without reduced cost are taken greedily. Of several cheapest assignments the same one is found every time. Costs that are
/// integers are added exactly while sums stay below 2^53. The caller is asked between passes over a few thousand entries.
///
/// # References
/// R. Jonker, A. Volgenant, "A shortest augmenting path algorithm for dense and sparse linear assignment problems", Computing 38, 1987;
/// D. F. Crouse, "On implementing 2D rectangular assignment algorithms", IEEE Trans. Aerosp. Electron. Syst. 52, 2016.
///
/// # Errors
/// The members of the smaller side that have too few partners (P. Hall, J. London Math. Soc. 10, 1935), or stopped.
pub fn assign_cheapest(
    costs: AssignmentCosts<'_>,
    watch: &dyn Watch,
) -> Result<Assignment, AssignmentFailure> {
    if costs.rows <= costs.columns {
        let (column_of, prices) = augment_rows(costs, watch)?;
        let column_of = column_of.into_iter().map(Some).collect();
        return Ok(check_assignment(costs, column_of, prices));
    }
    let turned = transpose_costs(costs);
    let turned = AssignmentCosts {
        data: &turned,
        rows: costs.columns,
        columns: costs.rows,
    };
    let (row_of, (column_prices, row_prices)) =
        augment_rows(turned, watch).map_err(turned_failure)?;
    let mut column_of = vec![None; costs.rows];
    for (column, &row) in row_of.iter().enumerate() {
        column_of[row] = Some(column);
    }
    Ok(check_assignment(
        costs,
        column_of,
        (row_prices, column_prices),
    ))
}

fn transpose_costs(costs: AssignmentCosts<'_>) -> Vec<f64> {
    const BLOCK: usize = 32;
    let (rows, columns) = (costs.rows, costs.columns);
    let mut out = vec![0.0; costs.data.len()];
    for row_block in (0..rows).step_by(BLOCK) {
        for column_block in (0..columns).step_by(BLOCK) {
            for row in row_block..(row_block + BLOCK).min(rows) {
                for column in column_block..(column_block + BLOCK).min(columns) {
                    out[column * rows + row] = costs.data[row * columns + column];
                }
            }
        }
    }
    out
}

fn turned_failure(failure: AssignmentFailure) -> AssignmentFailure {
    match failure {
        AssignmentFailure::Hall {
            members,
            partners,
            are_rows,
        } => AssignmentFailure::Hall {
            members,
            partners,
            are_rows: !are_rows,
        },
        AssignmentFailure::Stopped => AssignmentFailure::Stopped,
    }
}

/// The answer with its proof checked entry by entry.
fn check_assignment(
    costs: AssignmentCosts<'_>,
    column_of: Vec<Option<usize>>,
    (row_prices, column_prices): (Vec<f64>, Vec<f64>),
) -> Assignment {
    let (mut total, mut violation) = (0.0, 0.0_f64);
    for (row, entries) in costs.data.chunks_exact(costs.columns.max(1)).enumerate() {
        for (cost, price) in entries.iter().zip(&column_prices) {
            violation = violation.max(row_prices[row] + price - cost);
        }
        if let Some(column) = column_of[row] {
            let cost = entries[column];
            total += cost;
            violation = violation.max((cost - row_prices[row] - column_prices[column]).abs());
        }
    }
    // Those left over must not be worth anything.
    let mut is_taken = vec![false; costs.columns];
    column_of
        .iter()
        .flatten()
        .for_each(|&column| is_taken[column] = true);
    let rows = column_of
        .iter()
        .zip(&row_prices)
        .filter(|(column, _)| column.is_none());
    let columns = is_taken
        .iter()
        .zip(&column_prices)
        .filter(|(taken, _)| !**taken);
    for price in rows
        .map(|(_, price)| price)
        .chain(columns.map(|(_, price)| price))
    {
        violation = violation.max(price.abs());
    }
    let is_longer = costs.rows < costs.columns;
    let of_longer = if is_longer {
        &column_prices
    } else {
        &row_prices
    };
    if costs.rows != costs.columns {
        violation = of_longer
            .iter()
            .fold(violation, |most, &price| most.max(price));
    }
    Assignment {
        column_of,
        total,
        row_prices,
        column_prices,
        violation,
    }
}

type Prices = (Vec<f64>, Vec<f64>);

struct AugmentingSearch<'a> {
    costs: AssignmentCosts<'a>,
    row_prices: Vec<f64>,
    column_prices: Vec<f64>,
    row_of: Vec<usize>,
    column_of: Vec<usize>,
    /// Length of the shortest path to each column, and the row before it.
    lengths: Vec<f64>,
    before: Vec<usize>,
    /// Columns not reached yet.
    left: Vec<usize>,
    reached: Vec<usize>,
    rows_seen: Vec<usize>,
}

/// The column of each row, of no more rows than columns.
fn augment_rows(
    costs: AssignmentCosts<'_>,
    watch: &dyn Watch,
) -> Result<(Vec<usize>, Prices), AssignmentFailure> {
    let (rows, columns) = (costs.rows, costs.columns);
    let mut search = AugmentingSearch {
        costs,
        row_prices: vec![0.0; rows],
        column_prices: vec![0.0; columns],
        row_of: vec![NONE; columns],
        column_of: vec![NONE; rows],
        lengths: vec![0.0; columns],
        before: vec![NONE; columns],
        left: Vec::with_capacity(columns),
        reached: Vec::with_capacity(columns),
        rows_seen: Vec::with_capacity(rows),
    };
    search.reduce();
    for row in 0..rows {
        if search.column_of[row] == NONE {
            search.augment_from(row, watch)?;
        }
    }
    Ok((search.column_of, (search.row_prices, search.column_prices)))
}

impl AugmentingSearch<'_> {
    fn row(&self, row: usize) -> &[f64] {
        &self.costs.data[row * self.costs.columns..(row + 1) * self.costs.columns]
    }

    /// Prices from the least of each row and, of a square matrix, of what that leaves in each column; takes free pairs.
    fn reduce(&mut self) {
        let (rows, columns) = (self.costs.rows, self.costs.columns);
        for row in 0..rows {
            let least = self
                .row(row)
                .iter()
                .fold(f64::INFINITY, |least, &cost| least.min(cost));
            self.row_prices[row] = if least.is_finite() { least } else { 0.0 };
        }
        if rows == columns {
            let mut least = vec![f64::INFINITY; columns];
            for row in 0..rows {
                let price = self.row_prices[row];
                let entries = &self.costs.data[row * columns..(row + 1) * columns];
                for (least, cost) in least.iter_mut().zip(entries) {
                    *least = least.min(cost - price);
                }
            }
            for (price, least) in self.column_prices.iter_mut().zip(least) {
                *price = if least.is_finite() { least } else { 0.0 };
            }
        }
        for row in 0..rows {
            let price = self.row_prices[row];
            let entries = &self.costs.data[row * columns..(row + 1) * columns];
            let is_free = |column: usize| {
                entries[column] - price == self.column_prices[column] && self.row_of[column] == NONE
            };
            if let Some(column) = (0..columns).find(|&column| is_free(column)) {
                // The difference above may have been rounded: only exact ones are free.
                if entries[column] == price + self.column_prices[column] {
                    (self.column_of[row], self.row_of[column]) = (column, row);
                }
            }
        }
    }

    /// Assigns a row by the shortest path to a column that is free, and moves the prices along.
    fn augment_from(&mut self, start: usize, watch: &dyn Watch) -> Result<(), AssignmentFailure> {
        const CHECK: usize = 1 << 16;
        let columns = self.costs.columns;
        self.lengths.fill(f64::INFINITY);
        self.left.clear();
        self.left.extend((0..columns).rev());
        self.reached.clear();
        self.rows_seen.clear();
        let (mut row, mut shortest) = (start, 0.0);
        let mut scanned = 0;
        let sink = loop {
            self.rows_seen.push(row);
            scanned += self.left.len();
            if scanned >= CHECK {
                scanned = 0;
                watch.check().map_err(|_| AssignmentFailure::Stopped)?;
            }
            let (least, place) = self.relax(row, shortest);
            if least == f64::INFINITY {
                return Err(self.hall());
            }
            shortest = least;
            let column = self.left.swap_remove(place);
            self.reached.push(column);
            if self.row_of[column] == NONE {
                break column;
            }
            row = self.row_of[column];
        };
        self.row_prices[start] += shortest;
        for &row in &self.rows_seen[1..] {
            self.row_prices[row] += shortest - self.lengths[self.column_of[row]];
        }
        for &column in &self.reached {
            self.column_prices[column] -= shortest - self.lengths[column];
        }
        let mut column = sink;
        loop {
            let row = self.before[column];
            self.row_of[column] = row;
            std::mem::swap(&mut self.column_of[row], &mut column);
            if row == start {
                return Ok(());
            }
        }
    }

    /// Shortens the paths through a row; answers the least length and its place among the columns left, a free column first.
    fn relax(&mut self, row: usize, shortest: f64) -> (f64, usize) {
        let columns = self.costs.columns;
        let entries = &self.costs.data[row * columns..(row + 1) * columns];
        let price = self.row_prices[row];
        let (mut least, mut place) = (f64::INFINITY, 0);
        for (at, &column) in self.left.iter().enumerate() {
            let length = shortest + (entries[column] - price - self.column_prices[column]);
            let known = &mut self.lengths[column];
            if length < *known {
                *known = length;
                self.before[column] = row;
            }
            if *known < least || (*known == least && self.row_of[column] == NONE) {
                (least, place) = (*known, at);
            }
        }
        (least, place)
    }

    /// The rows seen have no partners but the columns reached, which are one fewer.
    fn hall(&self) -> AssignmentFailure {
        let sorted = |list: &[usize]| {
            let mut list = list.to_vec();
            list.sort_unstable();
            list
        };
        AssignmentFailure::Hall {
            members: sorted(&self.rows_seen),
            partners: sorted(&self.reached),
            are_rows: true,
        }
    }
}
