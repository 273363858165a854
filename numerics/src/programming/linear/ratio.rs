//! The ratio test of the dual simplex method, which passes break points, and the proof that nothing can enter.
//!
//! # References
//! I. Maros, "A generalized dual phase-2 simplex algorithm", European J. Oper. Res. 149, 2003. P. M. J. Harris, Math. Programming 5,
//! 1973.

use super::state::{Simplex, pseudorandom_noise};

/// Wrong signs of reduced costs that the ratio test may leave.
pub(super) const SLACK: f64 = 1e-7;
/// Entries of a pivot row or column below this are no pivots.
pub(super) const PIVOT: f64 = 1e-9;

/// A candidate of the ratio test: variable, entry of the pivot row with the sign of the step, reduced cost with that sign.
pub(super) type Candidate = (u32, f64, f64);

impl Simplex<'_> {
    /// Variables whose reduced cost moves towards the wrong sign when the dual step goes along `sign` times the pivot row.
    pub(super) fn candidates(&self, sign: f64, candidates: &mut Vec<Candidate>) {
        candidates.resize(self.row.places.len(), (0, 0.0, 0.0));
        let mut count = 0;
        for &place in &self.row.places {
            let variable = place as usize;
            let entry = self.row.values[variable] * sign;
            // Without branches: signs follow no pattern.
            let is_allowed = (self.signs[variable] >> u8::from(entry < 0.0)) & 1 == 1;
            let is_candidate = (entry.abs() >= PIVOT) & is_allowed;
            let way = 1.0_f64.copysign(entry);
            candidates[count] = (place, entry.abs(), self.d[variable] * way);
            count += usize::from(is_candidate);
        }
        candidates.truncate(count);
    }

    /// Notes which signs of an entry of the pivot row, along the step, let a nonbasic variable enter: 1 for positive, 2 for negative ones.
    pub(super) fn note_signs(&mut self, variable: usize) {
        let (low, high) = (self.lower[variable], self.upper[variable]);
        self.signs[variable] = if low >= high {
            0
        } else if low == f64::NEG_INFINITY && high == f64::INFINITY {
            3
        } else if self.x[variable] <= low {
            1
        } else {
            2
        };
    }

    /// The ratio test that passes break points while the slope stays positive, in groups by the bound of Harris.
    pub(super) fn bound_flipping(
        &self,
        gap: f64,
        candidates: &mut [Candidate],
        flips: &mut Vec<(u32, f64)>,
    ) -> Option<(usize, f64)> {
        flips.clear();
        if candidates.is_empty() {
            return None;
        }
        let range = |place: u32| self.upper[place as usize] - self.lower[place as usize];
        let mut slope = gap.abs();
        let mut start = 0;
        let mut best: Option<(usize, usize, f64)> = None;
        while start < candidates.len() {
            let rest = &candidates[start..];
            let bound = |entry: f64, d: f64| (d.max(0.0) + SLACK) / entry;
            let reach = rest
                .iter()
                .map(|&(_, entry, d)| bound(entry, d))
                .fold(f64::INFINITY, f64::min);
            let mut end = start;
            let mut largest = 0.0;
            let mut fall = 0.0;
            for index in start..candidates.len() {
                let (place, entry, d) = candidates[index];
                // The product alone may round the least bound itself away.
                if d <= reach * entry || bound(entry, d) <= reach {
                    candidates.swap(index, end);
                    end += 1;
                    largest = f64::max(largest, entry);
                    fall += range(place) * entry;
                }
            }
            if end == start {
                // Only what is not a number is left.
                break;
            }
            if best.is_none_or(|(_, _, before)| largest >= 0.1 * before.min(1.0)) || largest > 1.0 {
                best = Some((start, end, largest));
            }
            slope -= fall;
            if slope <= self.primal_tolerance || !slope.is_finite() {
                break;
            }
            start = end;
        }
        // When the breaks end before the slope does, the last group would leave the gap open: its flips do not close it.
        if slope > self.primal_tolerance {
            // Every candidate is boxed and all flips together leave the row infeasible: nothing can enter.
            return None;
        }
        let (start, end, _) = best?;
        let group = &candidates[start..end];
        let chosen = group.iter().copied().reduce(|best, next| {
            let is_larger = next.1 > best.1
                || (next.1 == best.1
                    && pseudorandom_noise(next.0 as usize, 2)
                        > pseudorandom_noise(best.0 as usize, 2));
            if is_larger { next } else { best }
        })?;
        for &(place, ..) in &candidates[..start] {
            let variable = place as usize;
            let (low, high) = (self.lower[variable], self.upper[variable]);
            let by = if self.x[variable] <= low {
                high - low
            } else {
                low - high
            };
            flips.push((place, by));
        }
        Some((chosen.0 as usize, self.row.values[chosen.0 as usize]))
    }

    /// Whether the pivot row shows that no values within the bounds make its basic variable feasible.
    pub(super) fn is_proof(&self, sign: f64) -> bool {
        let mut best = 0.0;
        let mut size = 0.0;
        // The row of the inverse times [A I] x is zero for every feasible x; here its least value over all bounds is positive.
        for variable in 0..self.x.len() {
            let entry = -self.model.inner(variable, &self.rho.values) * sign;
            if entry.abs() < PIVOT {
                continue;
            }
            let bound = if entry > 0.0 {
                self.lower[variable]
            } else {
                self.upper[variable]
            };
            if !bound.is_finite() {
                return false;
            }
            best += entry * bound;
            size += (entry * bound).abs();
        }
        best > 1e-12 * size
    }
}
