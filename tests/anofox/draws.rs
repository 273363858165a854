//! Random data sets: one seed, the same on every machine.

/// A generator (SplitMix64) whose stream depends on the name of a test and the number of a case.
#[derive(Debug)]
pub(crate) struct Draws(u64);

/// What a sample looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// Normal, with all digits.
    Smooth,
    /// Few different values.
    Tied,
    /// Student's distribution of two degrees of freedom.
    Heavy,
    /// Exponential.
    Skewed,
}

impl Shape {
    pub(crate) const ALL: [Self; 4] = [Self::Smooth, Self::Tied, Self::Heavy, Self::Skewed];
}

impl Draws {
    /// The stream of a case of a test.
    pub(crate) fn new(test: &str, case: usize) -> Self {
        // FNV-1a of the name.
        let name = test.bytes().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
        Self(name ^ (case as u64).wrapping_mul(0xd134_2543_de82_ef95))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Between 0 and 1, both excluded.
    pub(crate) fn uniform(&mut self) -> f64 {
        ((self.next() >> 11) as f64 + 0.5) / (1u64 << 53) as f64
    }

    /// Standard normal.
    pub(crate) fn normal(&mut self) -> f64 {
        let radius = (-2.0 * self.uniform().ln()).sqrt();
        radius * (std::f64::consts::TAU * self.uniform()).cos()
    }

    /// A whole number from `least` to `most`.
    pub(crate) fn whole(&mut self, least: usize, most: usize) -> usize {
        least + (self.uniform() * (most - least + 1) as f64) as usize
    }

    /// A size, small ones as often as large ones.
    pub(crate) fn size(&mut self, least: usize, most: usize) -> usize {
        let ratio = (most + 1) as f64 / least as f64;
        ((least as f64 * ratio.powf(self.uniform())) as usize).min(most)
    }

    /// One of several.
    pub(crate) fn one_of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.whole(0, choices.len() - 1)]
    }

    /// True with a probability.
    pub(crate) fn happens(&mut self, probability: f64) -> bool {
        self.uniform() < probability
    }

    /// A Poisson count.
    pub(crate) fn count(&mut self, mean: f64) -> usize {
        let mut left = (-mean).exp();
        let mut sum = left;
        let at = self.uniform();
        let mut count = 0;
        while sum < at && count < 10_000 {
            count += 1;
            left *= mean / count as f64;
            sum += left;
        }
        count
    }

    fn value(&mut self, shape: Shape) -> f64 {
        match shape {
            Shape::Smooth => self.normal(),
            Shape::Tied => (2.0 * self.normal()).round(),
            Shape::Heavy => self.normal() / (-self.uniform().ln()).sqrt(),
            Shape::Skewed => -self.uniform().ln(),
        }
    }

    /// A sample of at least two different values, moved by `shift`.
    pub(crate) fn sample(&mut self, n: usize, shape: Shape, shift: f64) -> Vec<f64> {
        loop {
            let shift = match shape {
                Shape::Tied => shift.round(),
                _ => shift,
            };
            let values: Vec<f64> = (0..n).map(|_| self.value(shape) + shift).collect();
            if values.iter().any(|value| *value != values[0]) {
                return values;
            }
        }
    }

    /// Values in a random order.
    pub(crate) fn shuffled<T: Clone>(&mut self, values: &[T]) -> Vec<T> {
        let mut values = values.to_vec();
        for at in (1..values.len()).rev() {
            values.swap(at, self.whole(0, at));
        }
        values
    }
}
