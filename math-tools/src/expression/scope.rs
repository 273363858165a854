//! [`Scope`]: which names an expression may use, and the slot each has.

use std::collections::BTreeMap;

/// The variables of an expression; the value of each is found in its slot.
#[derive(Debug, Clone, Default)]
pub struct Scope {
    slots: BTreeMap<String, usize>,
    len: usize,
    percent: bool,
    imaginary: Option<usize>,
}

impl Scope {
    /// No variables.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a variable in the next slot. A name that is there already moves to the new slot.
    #[must_use]
    pub fn variable(mut self, name: &str) -> Self {
        self.slots.insert(name.to_owned(), self.len);
        self.len += 1;
        self
    }

    /// Adds a second name for a slot that exists.
    #[must_use]
    pub fn alias(mut self, name: &str, slot: usize) -> Self {
        assert!(slot < self.len, "an alias names a slot that exists");
        self.slots.insert(name.to_owned(), slot);
        self
    }

    /// Reads `15%`, `15% of x` and `x + 15%` as percentages.
    #[must_use]
    pub fn with_percent(mut self) -> Self {
        self.percent = true;
        self
    }

    /// Reads `2i` and `2j` as multiples of the imaginary unit, which is in the next slot.
    #[must_use]
    pub fn with_imaginary_unit(mut self) -> Self {
        self.imaginary = Some(self.len);
        self.len += 1;
        self
    }

    /// Whether percentages are read.
    pub(super) fn percent(&self) -> bool {
        self.percent
    }

    /// The slot of the imaginary unit.
    pub(super) fn imaginary_unit(&self) -> Option<usize> {
        self.imaginary
    }

    /// The coordinates of a point: `x0..x{n-1}`, with `x` = `x0` and (n >= 2) `y` = `x1`, (n >= 3) `z` = `x2`.
    pub fn point(n: usize) -> Self {
        let coordinates = (0..n).fold(Self::new(), |scope, index| {
            scope.variable(&format!("x{index}"))
        });
        ["x", "y", "z"]
            .into_iter()
            .take(n)
            .enumerate()
            .fold(coordinates, |scope, (slot, name)| scope.alias(name, slot))
    }

    /// Number of slots.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is no slot.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The slot of a name.
    pub fn slot(&self, name: &str) -> Option<usize> {
        self.slots.get(name).copied()
    }

    /// All names, in alphabetical order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.slots.keys().map(String::as_str)
    }
}
