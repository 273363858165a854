//! Eight numbers side by side: operations that vector units of every length do with the same bits.
//!
//! Sums run in eight interleaved parts whether a register holds eight numbers, four, two or one, and every product is fused with its
//! sum: the processor decides how long it takes, not what comes out.

use pulp::{Arch, Simd, WithSimd};

/// Number of lanes.
pub(super) const WIDTH: usize = 8;

/// A computation on lanes.
pub(super) trait LaneKernel {
    /// Result of the operation.
    type Output;

    /// Runs on one kind of vector unit; to be inlined.
    fn run<S: Simd, const R: usize>(self, unit: VectorUnit<S, R>) -> Self::Output;
}

/// Runs a computation on the widest registers there are.
pub(super) fn dispatch_kernel<K: LaneKernel>(kernel: K) -> K::Output {
    Arch::new().dispatch(OnUnit(kernel))
}

struct OnUnit<K>(K);

impl<K: LaneKernel> WithSimd for OnUnit<K> {
    type Output = K::Output;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> K::Output {
        match S::F64_LANES {
            8 => self.0.run(VectorUnit::<S, 1> { simd }),
            4 => self.0.run(VectorUnit::<S, 2> { simd }),
            2 => self.0.run(VectorUnit::<S, 4> { simd }),
            1 => self.0.run(VectorUnit::<S, 8> { simd }),
            lanes => unreachable!("a register of {lanes} numbers"),
        }
    }
}

/// A vector unit that needs `R` registers for eight numbers.
#[derive(Clone, Copy)]
pub(super) struct VectorUnit<S, const R: usize> {
    simd: S,
}

/// Eight numbers in `R` registers.
#[derive(Clone, Copy)]
pub(super) struct VectorLanes<S: Simd, const R: usize>([S::f64s; R]);

impl<S: Simd, const R: usize> VectorUnit<S, R> {
    #[inline(always)]
    pub(super) fn splat(self, value: f64) -> VectorLanes<S, R> {
        VectorLanes([self.simd.splat_f64s(value); R])
    }

    #[inline(always)]
    pub(super) fn load(self, entries: &[f64; WIDTH]) -> VectorLanes<S, R> {
        let (registers, _) = S::as_simd_f64s(entries);
        let mut out = [self.simd.splat_f64s(0.0); R];
        out.copy_from_slice(&registers[..R]);
        VectorLanes(out)
    }

    #[inline(always)]
    pub(super) fn store(self, lanes: VectorLanes<S, R>, entries: &mut [f64; WIDTH]) {
        let (registers, _) = S::as_mut_simd_f64s(entries);
        registers[..R].copy_from_slice(&lanes.0);
    }

    /// `a * b + c`, rounded once.
    #[inline(always)]
    pub(super) fn mul_add(
        self,
        a: VectorLanes<S, R>,
        b: VectorLanes<S, R>,
        c: VectorLanes<S, R>,
    ) -> VectorLanes<S, R> {
        let mut out = c.0;
        for ((out, a), b) in out.iter_mut().zip(&a.0).zip(&b.0) {
            *out = self.simd.mul_add_f64s(*a, *b, *out);
        }
        VectorLanes(out)
    }

    #[inline(always)]
    pub(super) fn sub(self, a: VectorLanes<S, R>, b: VectorLanes<S, R>) -> VectorLanes<S, R> {
        let mut out = a.0;
        for (out, b) in out.iter_mut().zip(&b.0) {
            *out = self.simd.sub_f64s(*out, *b);
        }
        VectorLanes(out)
    }

    #[inline(always)]
    pub(super) fn mul(self, a: VectorLanes<S, R>, b: VectorLanes<S, R>) -> VectorLanes<S, R> {
        let mut out = a.0;
        for (out, b) in out.iter_mut().zip(&b.0) {
            *out = self.simd.mul_f64s(*out, *b);
        }
        VectorLanes(out)
    }

    #[inline(always)]
    pub(super) fn div(self, a: VectorLanes<S, R>, b: VectorLanes<S, R>) -> VectorLanes<S, R> {
        let mut out = a.0;
        for (out, b) in out.iter_mut().zip(&b.0) {
            *out = self.simd.div_f64s(*out, *b);
        }
        VectorLanes(out)
    }

    /// The sum of all, by halves.
    #[inline(always)]
    pub(super) fn sum(self, lanes: VectorLanes<S, R>) -> f64 {
        let mut entries = [0.0; WIDTH];
        self.store(lanes, &mut entries);
        let [a, b, c, d, e, f, g, h] = entries;
        ((a + e) + (c + g)) + ((b + f) + (d + h))
    }

    /// Inner products with one vector, each in eight interleaved sums.
    #[inline(always)]
    pub(super) fn dots<const N: usize>(self, vector: &[f64], columns: [&[f64]; N]) -> [f64; N] {
        let length = vector.len();
        let columns = columns.map(|column| &column[..length]);
        let (blocks, rest) = vector.as_chunks::<WIDTH>();
        let chunks = columns.map(|column| column.as_chunks::<WIDTH>().0);
        let mut sums = [self.splat(0.0); N];
        for (index, v) in blocks.iter().enumerate() {
            let v = self.load(v);
            for k in 0..N {
                sums[k] = self.mul_add(self.load(&chunks[k][index]), v, sums[k]);
            }
        }
        let done = length - rest.len();
        let mut products = [0.0; N];
        for k in 0..N {
            products[k] = self.sum(sums[k]);
            for (v, x) in rest.iter().zip(&columns[k][done..]) {
                products[k] = v.mul_add(*x, products[k]);
            }
        }
        products
    }

    /// Adds multiples of vectors to one.
    #[inline(always)]
    pub(super) fn add_multiples<const N: usize>(
        self,
        entries: &mut [f64],
        vectors: [&[f64]; N],
        factors: [f64; N],
    ) {
        let length = entries.len();
        let vectors = vectors.map(|vector| &vector[..length]);
        let chunks = vectors.map(|vector| vector.as_chunks::<WIDTH>().0);
        let spread = factors.map(|factor| self.splat(factor));
        let (blocks, rest) = entries.as_chunks_mut::<WIDTH>();
        for (index, block) in blocks.iter_mut().enumerate() {
            let mut sum = self.load(block);
            for k in 0..N {
                sum = self.mul_add(self.load(&chunks[k][index]), spread[k], sum);
            }
            self.store(sum, block);
        }
        let done = length - rest.len();
        for (index, entry) in rest.iter_mut().enumerate() {
            for k in 0..N {
                *entry = vectors[k][done + index].mul_add(factors[k], *entry);
            }
        }
    }

    /// Adds multiples of any number of vectors to one, four at a time.
    #[inline(always)]
    pub(super) fn add_all(self, entries: &mut [f64], vectors: &[&[f64]], factors: &[f64]) {
        let (fours, rest) = vectors.as_chunks::<4>();
        let (four_factors, rest_factors) = factors.as_chunks::<4>();
        for (vectors, factors) in fours.iter().zip(four_factors) {
            self.add_multiples(entries, *vectors, *factors);
        }
        for (vector, factor) in rest.iter().zip(rest_factors) {
            self.add_multiples(entries, [*vector], [*factor]);
        }
    }

    /// Subtracts from a vector `right left' v`, whose columns are any number of vectors; the inner products run four at a time.
    #[inline(always)]
    pub(super) fn subtract_image(
        self,
        entries: &mut [f64],
        right: &[&[f64]],
        left: &[&[f64]],
        v: &[f64],
    ) {
        let mut factors = Vec::with_capacity(left.len());
        let (fours, rest) = left.as_chunks::<4>();
        for four in fours {
            factors.extend(self.dots(v, *four).map(|factor| -factor));
        }
        for column in rest {
            factors.extend(self.dots(v, [*column]).map(|factor| -factor));
        }
        self.add_all(entries, right, &factors);
    }

    /// Adds a multiple of one vector to each of several.
    #[inline(always)]
    pub(super) fn add_to_each<const N: usize>(
        self,
        columns: &mut [&mut [f64]; N],
        vector: &[f64],
        factors: [f64; N],
    ) {
        let (blocks, rest) = vector.as_chunks::<WIDTH>();
        let done = vector.len() - rest.len();
        let spread = factors.map(|factor| self.splat(factor));
        for (column, (spread, factor)) in columns.iter_mut().zip(spread.iter().zip(factors)) {
            let (head, tail) = column[..vector.len()].split_at_mut(done);
            for (block, v) in head.as_chunks_mut::<WIDTH>().0.iter_mut().zip(blocks) {
                self.store(self.mul_add(self.load(v), *spread, self.load(block)), block);
            }
            for (entry, v) in tail.iter_mut().zip(rest) {
                *entry = v.mul_add(factor, *entry);
            }
        }
    }
}

impl<S: Simd, const R: usize> VectorUnit<S, R> {
    /// Applies a function to the entries of several vectors of one length, place by place.
    #[inline(always)]
    fn zipped<const N: usize>(
        self,
        vectors: [&mut [f64]; N],
        run: impl Fn([VectorLanes<S, R>; N]) -> [VectorLanes<S, R>; N],
    ) {
        let length = vectors.iter().map(|vector| vector.len()).min().unwrap_or(0);
        let vectors = vectors.map(|vector| vector[..length].as_chunks_mut::<WIDTH>());
        for index in 0..length / WIDTH {
            let loaded = std::array::from_fn(|k| self.load(&vectors[k].0[index]));
            let found = run(loaded);
            for k in 0..N {
                self.store(found[k], &mut vectors[k].0[index]);
            }
        }
        if length.is_multiple_of(WIDTH) {
            return;
        }
        let mut last = [[0.0; WIDTH]; N];
        for k in 0..N {
            last[k][..vectors[k].1.len()].copy_from_slice(vectors[k].1);
        }
        let found = run(std::array::from_fn(|k| self.load(&last[k])));
        for k in 0..N {
            self.store(found[k], &mut last[k]);
            let rest = &mut *vectors[k].1;
            rest.copy_from_slice(&last[k][..rest.len()]);
        }
    }

    /// Multiplies three columns with `I - tau v v'`, `v = (1, second, third)`.
    #[inline(always)]
    pub(super) fn reflect_three(self, columns: [&mut [f64]; 3], tau: f64, second: f64, third: f64) {
        let [tau, v, w] = [-tau, second, third].map(|value| self.splat(value));
        self.zipped(
            columns,
            #[inline(always)]
            |[a, b, c]| {
                let sum = self.mul(self.mul_add(c, w, self.mul_add(b, v, a)), tau);
                let first = self.mul_add(sum, self.splat(1.0), a);
                [first, self.mul_add(sum, v, b), self.mul_add(sum, w, c)]
            },
        );
    }

    /// Multiplies two columns with `I - tau v v'`, `v = (1, second)`.
    #[inline(always)]
    pub(super) fn reflect_two(self, columns: [&mut [f64]; 2], tau: f64, second: f64) {
        let [tau, v] = [-tau, second].map(|value| self.splat(value));
        self.zipped(
            columns,
            #[inline(always)]
            |[a, b]| {
                let sum = self.mul(self.mul_add(b, v, a), tau);
                [
                    self.mul_add(sum, self.splat(1.0), a),
                    self.mul_add(sum, v, b),
                ]
            },
        );
    }

    /// Rotates two columns: `(c x + s y, c y - s x)`.
    #[inline(always)]
    pub(super) fn rotate(self, columns: [&mut [f64]; 2], cosine: f64, sine: f64) {
        let [c, s, minus] = [cosine, sine, -sine].map(|value| self.splat(value));
        self.zipped(
            columns,
            #[inline(always)]
            |[x, y]| {
                let first = self.mul_add(c, x, self.mul(s, y));
                [first, self.mul_add(c, y, self.mul(minus, x))]
            },
        );
    }
}

#[cfg(test)]
mod tests {
    use pulp::{Scalar, WithSimd};

    use super::*;

    /// The results of every operation on two vectors.
    struct All<'a>(&'a [f64], &'a [f64]);

    impl LaneKernel for All<'_> {
        type Output = Vec<f64>;

        #[inline(always)]
        fn run<S: Simd, const R: usize>(self, unit: VectorUnit<S, R>) -> Vec<f64> {
            let Self(a, b) = self;
            let mut out = unit.dots(a, [a, b]).to_vec();
            let mut sum = a.to_vec();
            unit.add_multiples(&mut sum, [a, b], [0.3, -0.7]);
            out.extend(&sum);
            let (mut first, mut second) = (a.to_vec(), b.to_vec());
            unit.add_to_each(&mut [&mut first, &mut second], a, [1.1, 1e-3]);
            out.extend(first.iter().chain(&second));
            let mut third = sum.clone();
            unit.reflect_three([&mut first, &mut second, &mut third], 1.3, 0.4, -0.2);
            unit.reflect_two([&mut first, &mut third], 0.9, 2.5);
            unit.rotate([&mut second, &mut third], 0.6, 0.8);
            out.extend(first.iter().chain(&second).chain(&third));
            if let (Some(a), Some(b)) = (a.first_chunk(), b.first_chunk()) {
                let (a, b) = (unit.load(a), unit.load(b));
                let rest = unit.div(unit.sub(a, b), unit.mul(a, b));
                out.push(unit.sum(rest));
            }
            out
        }
    }

    #[test]
    fn every_vector_unit_gives_the_same_bits() {
        let bits = |values: Vec<f64>| values.into_iter().map(f64::to_bits).collect::<Vec<_>>();
        for length in [0, 1, 7, 8, 9, 64, 100] {
            let a: Vec<f64> = (0..length).map(|k| (f64::from(k) + 0.1).sin()).collect();
            let b: Vec<f64> = (0..length).map(|k| (f64::from(k) * 1.7).exp2()).collect();
            let expected = bits(OnUnit(All(&a, &b)).with_simd(Scalar));
            assert_eq!(
                bits(dispatch_kernel(All(&a, &b))),
                expected,
                "length {length}"
            );
            #[cfg(target_arch = "x86_64")]
            if let Some(unit) = pulp::x86::V3::try_new() {
                assert_eq!(bits(Simd::vectorize(unit, OnUnit(All(&a, &b)))), expected);
            }
        }
    }
}
