//! The log-rank test.

use crate::models::WaldTest;
use crate::models::least_squares::{cholesky_lower, cholesky_solve};

/// What a group had and what it would have had.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GroupEvents {
    /// Rows.
    pub n: usize,
    /// Events.
    pub observed: usize,
    /// Events, if the hazards of all groups were the same.
    pub expected: f64,
}

/// The test.
#[derive(Debug, Clone, PartialEq)]
pub struct LogRank {
    /// Chi-squared with groups - 1 degrees of freedom.
    pub test: WaldTest,
    /// Each group.
    pub groups: Vec<GroupEvents>,
}

/// Tests that the hazards of groups are equal, within strata where given; `None` where no time compares two groups.
///
/// # References
/// N. Mantel, Cancer Chemotherapy Reports 50, 1966; R. Peto and J. Peto, JRSS A 135, 1972.
pub fn log_rank(
    times: &[f64],
    is_event: &[bool],
    groups: &[u32],
    strata: Option<&[u32]>,
) -> Option<LogRank> {
    let count = groups.iter().max().map_or(0, |most| *most as usize + 1);
    let stratum = |row: usize| strata.map_or(0, |strata| strata[row]);
    let mut order: Vec<usize> = (0..times.len()).collect();
    order.sort_by(|a, b| {
        stratum(*a)
            .cmp(&stratum(*b))
            .then(times[*b].total_cmp(&times[*a]))
    });
    let mut expected = vec![0.0; count];
    let mut variance = vec![0.0; count * count];
    let mut at_risk = vec![0.0; count];
    let mut at = 0;
    // From the last time to the first: rows join those at risk.
    while at < order.len() {
        let (row, time) = (order[at], times[order[at]]);
        if at == 0 || stratum(order[at - 1]) != stratum(row) {
            at_risk.fill(0.0);
        }
        let mut events = 0.0;
        while at < order.len() && times[order[at]] == time && stratum(order[at]) == stratum(row) {
            at_risk[groups[order[at]] as usize] += 1.0;
            events += f64::from(u8::from(is_event[order[at]]));
            at += 1;
        }
        let total: f64 = at_risk.iter().sum();
        if events == 0.0 {
            continue;
        }
        let factor = match total > 1.0 {
            true => events * (total - events) / (total - 1.0),
            false => 0.0,
        };
        for one in 0..count {
            let share = at_risk[one] / total;
            expected[one] += events * share;
            for two in 0..count {
                let same = if one == two { share } else { 0.0 };
                variance[one * count + two] += factor * (same - share * at_risk[two] / total);
            }
        }
    }
    let group = |group: usize| GroupEvents {
        n: groups
            .iter()
            .filter(|code| **code as usize == group)
            .count(),
        observed: (0..times.len())
            .filter(|row| groups[*row] as usize == group && is_event[*row])
            .count(),
        expected: expected[group],
    };
    let found: Vec<GroupEvents> = (0..count).map(group).collect();
    // Groups that are never compared have no variance; the last one follows from the others.
    let compared: Vec<usize> = (0..count)
        .filter(|k| variance[k * count + k] > 1e-12)
        .collect();
    let used = compared.get(..compared.len().checked_sub(1)?)?;
    if used.is_empty() {
        return None;
    }
    let size = used.len();
    let mut block = vec![0.0; size * size];
    for (i, one) in used.iter().enumerate() {
        for (j, two) in used.iter().enumerate() {
            block[i * size + j] = variance[one * count + two];
        }
    }
    let difference: Vec<f64> = used
        .iter()
        .map(|k| found[*k].observed as f64 - found[*k].expected)
        .collect();
    let lower = cholesky_lower(&block, size)?;
    let mut solved = difference.clone();
    cholesky_solve(&lower, size, &mut solved);
    let statistic = difference
        .iter()
        .zip(&solved)
        .map(|(one, two)| one * two)
        .sum();
    Some(LogRank {
        test: WaldTest::from_chi_squared(statistic, size as f64),
        groups: found,
    })
}
