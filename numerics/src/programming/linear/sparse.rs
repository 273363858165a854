//! [`SparseVector`]: a full vector with the places of its nonzeros.

/// Values by index, and the indices that may be nonzero, each once.
#[derive(Debug, Clone, Default)]
pub(super) struct SparseVector {
    pub(super) values: Vec<f64>,
    pub(super) places: Vec<u32>,
}

/// Magnitudes below this are cancellation left over and become zero.
pub(super) const TINY: f64 = 1e-14;

impl SparseVector {
    pub(super) fn new(len: usize) -> Self {
        Self {
            values: vec![0.0; len],
            places: Vec::new(),
        }
    }

    pub(super) fn clear(&mut self) {
        if self.places.len() * 3 > self.values.len() {
            self.values.fill(0.0);
        } else {
            for &place in &self.places {
                self.values[place as usize] = 0.0;
            }
        }
        self.places.clear();
    }

    /// Sets an entry that is zero so far.
    #[inline]
    pub(super) fn put(&mut self, place: u32, value: f64) {
        self.values[place as usize] = value;
        self.places.push(place);
    }

    /// Adds to an entry; one that becomes exactly zero keeps its place with a value too small to matter.
    #[inline]
    pub(super) fn add(&mut self, place: u32, value: f64) {
        let entry = &mut self.values[place as usize];
        if *entry == 0.0 {
            self.places.push(place);
        }
        *entry += value;
        if *entry == 0.0 {
            *entry = 1e-300;
        }
    }

    /// Finds the places of the entries; those too small to matter become zero.
    pub(super) fn gather(&mut self) {
        self.gather_first(self.values.len());
    }

    /// Finds the places among the first `most`, where all entries are.
    pub(super) fn gather_first(&mut self, most: usize) {
        self.places.resize(most, 0);
        let mut count = 0;
        for (place, value) in self.values[..most].iter_mut().enumerate() {
            let is_small = value.abs() < TINY;
            *value = if is_small { 0.0 } else { *value };
            self.places[count] = place as u32;
            count += usize::from(!is_small);
        }
        self.places.truncate(count);
    }

    /// Divides each entry by the one of another vector.
    pub(super) fn divide(&mut self, by: &[f64]) {
        for &place in &self.places {
            self.values[place as usize] /= by[place as usize];
        }
    }

    pub(super) fn copy_from(&mut self, other: &Self) {
        self.clear();
        for &place in &other.places {
            self.put(place, other.values[place as usize]);
        }
    }

    /// Pairs of place and value, without those too small to matter.
    #[inline]
    pub(super) fn entries(&self) -> impl Iterator<Item = (usize, f64)> + '_ {
        let pair = |&place: &u32| (place as usize, self.values[place as usize]);
        self.places
            .iter()
            .map(pair)
            .filter(|pair| pair.1.abs() > TINY)
    }

    pub(super) fn square(&self) -> f64 {
        self.entries().map(|(_, value)| value * value).sum()
    }
}
