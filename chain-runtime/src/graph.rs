//! The graph of a plan: what each step waits for and why, waves, priorities, cycles. A pure function of the plan.
//!
//! Edges of a checked plan lead from earlier to later steps, so plan order is a topological order and every pass is one loop.

use std::fmt;
use std::sync::Arc;

/// Reason for an edge between two steps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EdgeReason {
    /// A reference to its output, as written.
    Reference(Arc<str>),
    /// An `after` of the plan.
    After,
    /// Both use a resource and one of them writes it.
    Conflict {
        /// The resource: `path:out/a.csv`.
        resource: Arc<str>,
        /// Whether the earlier one writes it, so that the later one sees what it did.
        from_writes: bool,
    },
    /// Both have effects, and the plan does not let such steps run together.
    Mutations,
    /// One of them must be the only call running.
    Exclusive,
}

impl EdgeReason {
    /// The kind in answers.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Reference(_) => "reference",
            Self::After => "after",
            Self::Conflict { .. } => "conflict",
            Self::Mutations => "mutations",
            Self::Exclusive => "exclusive",
        }
    }

    /// The reference or resource.
    pub fn detail(&self) -> Option<&str> {
        match self {
            Self::Reference(text) => Some(text),
            Self::Conflict { resource, .. } => Some(resource),
            _ => None,
        }
    }

    /// Whether the later step needs what the earlier one does, so that it has no meaning when that failed; the others
    /// only keep an order.
    pub const fn is_dependency(&self) -> bool {
        match self {
            Self::Reference(_) | Self::After => true,
            Self::Conflict { from_writes, .. } => *from_writes,
            Self::Mutations | Self::Exclusive => false,
        }
    }
}

/// The kind, and the reference or resource.
impl fmt::Display for EdgeReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind())?;
        self.detail()
            .map_or(Ok(()), |detail| write!(f, " {detail}"))
    }
}

/// One step waits for an earlier one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanEdge {
    pub from: usize,
    pub to: usize,
    pub reason: EdgeReason,
}

/// The graph of a plan.
#[derive(Debug, Clone, Default)]
pub struct PlanGraph {
    edges: Vec<PlanEdge>,
    /// Where the edges into each step start in `edges`; one more than there are steps.
    starts: Vec<usize>,
    followers: Vec<Vec<u32>>,
    waves: Vec<usize>,
    priorities: Vec<usize>,
}

impl PlanGraph {
    /// Builds the graph of `steps` steps from edges that all lead forward.
    pub fn new(steps: usize, mut edges: Vec<PlanEdge>) -> Self {
        edges.sort_by_key(|edge| (edge.to, edge.from)); // stable: reasons stay in the order they were found
        let starts = (0..=steps)
            .map(|step| edges.partition_point(|edge| edge.to < step))
            .collect();
        let mut graph = Self {
            edges,
            starts,
            followers: vec![Vec::new(); steps],
            waves: vec![0; steps],
            priorities: vec![1; steps],
        };
        for step in 0..steps {
            for before in graph.before(step) {
                graph.followers[before].push(step as u32);
                graph.waves[step] = graph.waves[step].max(graph.waves[before] + 1);
            }
        }
        for step in (0..steps).rev() {
            let longest = graph.followers[step].iter();
            let longest = longest.map(|&to| graph.priorities[to as usize]).max();
            graph.priorities[step] = 1 + longest.unwrap_or(0);
        }
        graph
    }

    pub fn len(&self) -> usize {
        self.waves.len()
    }

    /// Whether there is no step.
    pub fn is_empty(&self) -> bool {
        self.waves.is_empty()
    }

    /// Every edge, by the step it leads to.
    pub fn edges(&self) -> &[PlanEdge] {
        &self.edges
    }

    /// The edges into a step.
    pub fn edges_into(&self, step: usize) -> &[PlanEdge] {
        &self.edges[self.starts[step]..self.starts[step + 1]]
    }

    /// The steps a step waits for, each once.
    pub fn before(&self, step: usize) -> Vec<usize> {
        let mut before: Vec<usize> = self.edges_into(step).iter().map(|edge| edge.from).collect();
        before.dedup();
        before
    }

    /// The steps that wait for a step, in plan order.
    pub fn followers(&self, step: usize) -> &[u32] {
        &self.followers[step]
    }

    /// The wave of a step: 0 without predecessors, else one more than the deepest of them.
    pub fn wave(&self, step: usize) -> usize {
        self.waves[step]
    }

    /// Length of the longest path from a step to an end, in steps.
    pub fn priority(&self, step: usize) -> usize {
        self.priorities[step]
    }

    /// Steps by wave, each in plan order.
    pub fn waves(&self) -> Vec<Vec<usize>> {
        let count = self.waves.iter().max().map_or(0, |last| last + 1);
        let mut waves = vec![Vec::new(); count];
        for (step, &wave) in self.waves.iter().enumerate() {
            waves[wave].push(step);
        }
        waves
    }
}

/// A shortest cycle of "waits for", starting with its lowest step; `waits[i]` are the steps that step `i` waits for.
///
/// Every cycle holds a wait for a step that does not come earlier, so a breadth-first search from each of those finds the
/// shortest; the search ends after a bounded amount of work and then gives the shortest it has seen.
pub(crate) fn shortest_cycle(waits: &[Vec<usize>]) -> Option<Vec<usize>> {
    const SEARCH_MAX: usize = 5_000_000;
    let cyclic = on_cycles(waits);
    let mut work = 0;
    let mut best: Option<Vec<usize>> = None;
    for (step, waits_for) in waits.iter().enumerate() {
        for &later in waits_for.iter().filter(|&&later| later >= step) {
            if !cyclic[step] || !cyclic[later] {
                continue;
            }
            if let Some(found) = shortest_wait_path(waits, &cyclic, later, step, &mut work)
                && best.as_ref().is_none_or(|best| found.len() < best.len())
            {
                best = Some(found);
            }
            if work > SEARCH_MAX {
                return best.map(rotate_to_lowest);
            }
        }
    }
    best.map(rotate_to_lowest)
}

/// Steps that are left when those without unmet waits are removed again and again; every cycle is among them.
fn on_cycles(waits: &[Vec<usize>]) -> Vec<bool> {
    let mut waiters = vec![Vec::new(); waits.len()];
    for (step, waits_for) in waits.iter().enumerate() {
        waits_for
            .iter()
            .for_each(|&other| waiters[other].push(step));
    }
    let mut unmet: Vec<usize> = waits.iter().map(Vec::len).collect();
    let mut free: Vec<usize> = (0..waits.len()).filter(|&step| unmet[step] == 0).collect();
    while let Some(step) = free.pop() {
        for &waiter in &waiters[step] {
            unmet[waiter] -= 1;
            if unmet[waiter] == 0 {
                free.push(waiter);
            }
        }
    }
    unmet.into_iter().map(|count| count > 0).collect()
}

/// A shortest way from one step to another along `waits`.
fn shortest_wait_path(
    waits: &[Vec<usize>],
    within: &[bool],
    from: usize,
    to: usize,
    work: &mut usize,
) -> Option<Vec<usize>> {
    *work += waits.len();
    let mut came_from = vec![usize::MAX; waits.len()];
    let mut queue = std::collections::VecDeque::from([from]);
    came_from[from] = from;
    while let Some(step) = queue.pop_front() {
        if step == to {
            let mut way = vec![to];
            while *way.last()? != from {
                way.push(came_from[*way.last()?]);
            }
            way.reverse();
            return Some(way);
        }
        for &next in &waits[step] {
            *work += 1;
            if within[next] && came_from[next] == usize::MAX {
                came_from[next] = step;
                queue.push_back(next);
            }
        }
    }
    None
}

fn rotate_to_lowest(mut cycle: Vec<usize>) -> Vec<usize> {
    let lowest = (0..cycle.len()).min_by_key(|&position| cycle[position]);
    cycle.rotate_left(lowest.unwrap_or(0));
    cycle
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(steps: usize, edges: &[(usize, usize)]) -> PlanGraph {
        let edges = edges
            .iter()
            .map(|&(from, to)| PlanEdge {
                from,
                to,
                reason: EdgeReason::After,
            })
            .collect();
        PlanGraph::new(steps, edges)
    }

    /// Case R54: the shapes of small plans.
    #[test]
    fn waves_of_small_graphs() {
        type Case = (
            usize,
            &'static [(usize, usize)],
            &'static [&'static [usize]],
        );
        let cases: [Case; 6] = [
            (0, &[], &[]),
            (1, &[], &[&[0]]),
            (3, &[], &[&[0, 1, 2]]),
            (3, &[(0, 1), (1, 2)], &[&[0], &[1], &[2]]),
            (4, &[(0, 1), (0, 2), (1, 3), (2, 3)], &[&[0], &[1, 2], &[3]]),
            (3, &[(0, 1)], &[&[0, 2], &[1]]),
        ];
        for (steps, edges, expected) in cases {
            assert_eq!(graph(steps, edges).waves(), expected, "{edges:?}");
        }
    }

    #[test]
    fn priorities_are_longest_ways() {
        let graph = graph(5, &[(0, 1), (1, 2), (3, 4)]);
        let priorities: Vec<usize> = (0..5).map(|step| graph.priority(step)).collect();
        assert_eq!(priorities, [3, 2, 1, 2, 1]);
        assert_eq!(graph.before(2), [1]);
        assert_eq!(graph.followers(0), [1]);
    }

    #[test]
    fn several_reasons_count_once() {
        let graph = graph(2, &[(0, 1), (0, 1)]);
        assert_eq!(
            (
                graph.before(1).len(),
                graph.edges_into(1).len(),
                graph.followers(0).len()
            ),
            (1, 2, 1)
        );
    }

    #[test]
    fn finds_a_shortest_cycle() {
        type Case = (&'static [&'static [usize]], Option<&'static [usize]>);
        let cases: [Case; 6] = [
            (&[&[], &[0]], None),
            (&[&[0]], Some(&[0])),
            (&[&[1], &[0]], Some(&[0, 1])),
            (&[&[3], &[0], &[1], &[2, 1]], Some(&[0, 3, 1])),
            (&[&[1], &[2], &[]], None),
            (&[&[1], &[2], &[1], &[0]], Some(&[1, 2])),
        ];
        for (waits, expected) in cases {
            let waits: Vec<Vec<usize>> = waits.iter().map(|list| list.to_vec()).collect();
            assert_eq!(shortest_cycle(&waits).as_deref(), expected, "{waits:?}");
        }
    }

    #[test]
    fn a_ring_of_ten_thousand_is_found() {
        let steps = 10_000;
        let waits: Vec<Vec<usize>> = (0..steps).map(|step| vec![(step + 1) % steps]).collect();
        assert_eq!(shortest_cycle(&waits).map(|cycle| cycle.len()), Some(steps));
    }
}
