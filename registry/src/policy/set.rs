//! [`ToolSet`]: tools of one catalogue as bits.

use std::fmt;

/// A set of tools, by their numbers in one catalogue.
#[derive(Clone, PartialEq, Eq)]
pub struct ToolSet {
    words: Vec<u64>,
    universe: usize,
}

impl ToolSet {
    /// No tool.
    pub fn none(universe: usize) -> Self {
        Self {
            words: vec![0; universe.div_ceil(64)],
            universe,
        }
    }

    /// Every tool.
    pub fn all(universe: usize) -> Self {
        let mut all = Self::none(universe);
        (0..universe).for_each(|tool| all.insert(tool));
        all
    }

    /// The tools for which a test holds.
    pub fn of(universe: usize, test: impl Fn(usize) -> bool) -> Self {
        let mut set = Self::none(universe);
        (0..universe)
            .filter(|tool| test(*tool))
            .for_each(|tool| set.insert(tool));
        set
    }

    /// How many tools the catalogue has.
    pub fn universe(&self) -> usize {
        self.universe
    }

    /// Adds a tool; a number beyond the catalogue is ignored.
    pub fn insert(&mut self, tool: usize) {
        if tool < self.universe {
            self.words[tool / 64] |= 1 << (tool % 64);
        }
    }

    /// Whether the tool is in the set.
    pub fn contains(&self, tool: usize) -> bool {
        self.words
            .get(tool / 64)
            .is_some_and(|word| word >> (tool % 64) & 1 == 1)
    }

    /// Keeps what is in both.
    pub fn intersect(&mut self, other: &Self) {
        self.combine(other, |a, b| a & b);
    }

    /// Adds what is in the other.
    pub fn unite(&mut self, other: &Self) {
        self.combine(other, |a, b| a | b);
    }

    /// Takes out what is in the other.
    pub fn subtract(&mut self, other: &Self) {
        self.combine(other, |a, b| a & !b);
    }

    fn combine(&mut self, other: &Self, join: impl Fn(u64, u64) -> u64) {
        for (index, word) in self.words.iter_mut().enumerate() {
            *word = join(*word, other.words.get(index).copied().unwrap_or(0));
        }
    }

    /// Whether every tool here is in the other too.
    #[cfg(test)]
    pub(super) fn is_subset(&self, other: &Self) -> bool {
        self.iter().all(|tool| other.contains(tool))
    }

    /// Whether there is no tool in it.
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|word| *word == 0)
    }

    /// The tools in it, in the order of the catalogue.
    pub fn iter(&self) -> impl Iterator<Item = usize> {
        (0..self.universe).filter(|tool| self.contains(*tool))
    }
}

impl fmt::Debug for ToolSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}
