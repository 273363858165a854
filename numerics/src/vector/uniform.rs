//! Uniform numbers by eight generators in lockstep.

use super::dispatch;

/// Generators that step together.
pub const GENERATORS: usize = 8;

/// Eight xoshiro256++ generators that step together, in vector registers where there are any.
///
/// The stream is: the numbers of the first step of generators 0 to 7, those of the second step, and so on. A number is made of
/// the upper 52 bits `k` of what its generator gives: `(k + 1/2) / 2^52`, never 0 or 1.
///
/// # Cost
/// About 0.4 ns per number with 512-bit vectors on a 2.4 GHz core, 1.5 ns with narrower ones.
///
/// # References
/// D. Blackman and S. Vigna, "Scrambled Linear Pseudorandom Number Generators", ACM TOMS 47(4), 2021.
#[derive(Debug, Clone)]
pub struct UniformGenerators {
    /// `state[word][generator]`.
    state: [[u64; GENERATORS]; 4],
}

impl UniformGenerators {
    /// Generators with these states, `state[word][generator]`; the words of no generator may all be zero.
    pub fn new(state: [[u64; GENERATORS]; 4]) -> Self {
        Self { state }
    }

    /// Fills with `lower + width * u` for the next numbers `u`. Always takes whole steps: what is left of the last one is dropped.
    pub fn fill(&mut self, lower: f64, width: f64, out: &mut [f64]) {
        dispatch::uniforms(&mut self.state, lower, width, out);
    }
}

#[inline(always)]
pub(super) fn fill_uniform(
    state: &mut [[u64; GENERATORS]; 4],
    lower: f64,
    width: f64,
    out: &mut [f64],
) {
    let mut lanes = *state;
    let mut steps = out.chunks_exact_mut(GENERATORS);
    for out in &mut steps {
        let bits = generator_step(&mut lanes);
        for (out, bits) in out.iter_mut().zip(bits) {
            *out = lower + width * unit_midpoint(bits);
        }
    }
    let rest = steps.into_remainder();
    if !rest.is_empty() {
        let bits = generator_step(&mut lanes);
        for (out, bits) in rest.iter_mut().zip(bits) {
            *out = lower + width * unit_midpoint(bits);
        }
    }
    *state = lanes;
}

#[inline(always)]
fn generator_step(lanes: &mut [[u64; GENERATORS]; 4]) -> [u64; GENERATORS] {
    let [s0, s1, s2, s3] = lanes;
    let mut bits = [0; GENERATORS];
    for lane in 0..GENERATORS {
        bits[lane] = s0[lane]
            .wrapping_add(s3[lane])
            .rotate_left(23)
            .wrapping_add(s0[lane]);
        let shifted = s1[lane] << 17;
        s2[lane] ^= s0[lane];
        s3[lane] ^= s1[lane];
        s1[lane] ^= s2[lane];
        s0[lane] ^= s3[lane];
        s2[lane] ^= shifted;
        s3[lane] = s3[lane].rotate_left(45);
    }
    bits
}

/// The middle of one of 2^52 equal parts of the unit interval.
#[inline(always)]
fn unit_midpoint(bits: u64) -> f64 {
    let from_one_to_two = f64::from_bits(bits >> 12 | 1.0_f64.to_bits());
    from_one_to_two - (1.0 - f64::EPSILON / 2.0)
}
