//! Harrell's concordance.

/// How often the one with the larger risk has the event first.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Concordance {
    /// Share of the comparable pairs, ties in risk counted as half; 0.5 without any relation; NaN without comparable pairs.
    pub share: f64,
    /// Pairs in which the larger risk had the event first.
    pub concordant: u64,
    /// Pairs in which it had it later.
    pub discordant: u64,
    /// Pairs of equal risk.
    pub tied: u64,
}

/// The concordance of risks with times, within strata where given: pairs of an event and a row that was still under observation after it.
///
/// n log(n) operations.
pub fn measure_concordance(
    times: &[f64],
    is_event: &[bool],
    risks: &[f64],
    strata: Option<&[u32]>,
) -> Concordance {
    let stratum = |row: usize| strata.map_or(0, |strata| strata[row]);
    let mut order: Vec<usize> = (0..times.len()).collect();
    order.sort_by(|a, b| {
        stratum(*a)
            .cmp(&stratum(*b))
            .then(times[*b].total_cmp(&times[*a]))
    });
    let mut levels = risks.to_vec();
    levels.sort_unstable_by(f64::total_cmp);
    levels.dedup();
    let place = |risk: f64| levels.partition_point(|level| level.total_cmp(&risk).is_lt());
    let mut tree = CountTree::new(levels.len());
    let (mut concordant, mut discordant, mut tied) = (0, 0, 0);
    let mut at = 0;
    while at < order.len() {
        let (first, time) = (order[at], times[order[at]]);
        if at > 0 && stratum(order[at - 1]) != stratum(first) {
            tree = CountTree::new(levels.len());
        }
        let mut end = at;
        while end < order.len()
            && times[order[end]] == time
            && stratum(order[end]) == stratum(first)
        {
            end += 1;
        }
        let tie = &order[at..end];
        // Those censored at the time of an event are known to have survived it.
        tie.iter()
            .filter(|row| !is_event[**row])
            .for_each(|row| tree.add(place(risks[*row])));
        for row in tie.iter().filter(|row| is_event[**row]) {
            let level = place(risks[*row]);
            let (below, equal) = (tree.below(level), tree.below(level + 1) - tree.below(level));
            concordant += below;
            tied += equal;
            discordant += tree.total - below - equal;
        }
        tie.iter()
            .filter(|row| is_event[**row])
            .for_each(|row| tree.add(place(risks[*row])));
        at = end;
    }
    let pairs = (concordant + discordant + tied) as f64;
    Concordance {
        share: (concordant as f64 + 0.5 * tied as f64) / pairs,
        concordant,
        discordant,
        tied,
    }
}

/// Counts with sums of all before a place (P. M. Fenwick, Software 24, 1994).
struct CountTree {
    counts: Vec<u64>,
    total: u64,
}

impl CountTree {
    fn new(size: usize) -> Self {
        Self {
            counts: vec![0; size + 1],
            total: 0,
        }
    }

    fn add(&mut self, place: usize) {
        let mut at = place + 1;
        while at < self.counts.len() {
            self.counts[at] += 1;
            at += at & at.wrapping_neg();
        }
        self.total += 1;
    }

    fn below(&self, place: usize) -> u64 {
        let (mut at, mut sum) = (place.min(self.counts.len() - 1), 0);
        while at > 0 {
            sum += self.counts[at];
            at -= at & at.wrapping_neg();
        }
        sum
    }
}
