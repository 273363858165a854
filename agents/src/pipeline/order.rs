//! The order of phases: of those whose dependencies have run, the one that was declared first.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::PhaseSetup;

/// The positions of the phases in the order in which they run; a declared order that fits is kept. Phases in a cycle, which a configuration
/// cannot have, are left out.
pub fn order_phases(phases: &[PhaseSetup]) -> Vec<usize> {
    let position = |name: &String| phases.iter().position(|phase| phase.name == *name);
    let depends: Vec<Vec<usize>> = phases
        .iter()
        .map(|phase| {
            let mut on: Vec<usize> = phase.depends_on.iter().filter_map(position).collect();
            on.sort_unstable();
            on.dedup();
            on
        })
        .collect();
    let mut missing: Vec<usize> = depends.iter().map(Vec::len).collect();
    let free = (0..phases.len()).filter(|phase| missing[*phase] == 0);
    let mut ready: BinaryHeap<Reverse<usize>> = free.map(Reverse).collect();
    let mut order = Vec::with_capacity(phases.len());
    while let Some(Reverse(phase)) = ready.pop() {
        order.push(phase);
        for (other, on) in depends.iter().enumerate() {
            if on.contains(&phase) {
                missing[other] -= 1;
                if missing[other] == 0 {
                    ready.push(Reverse(other));
                }
            }
        }
    }
    order
}
