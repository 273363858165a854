//! Sobol' points with nested uniform (Owen) scrambling.
//!
//! # References
//! S. Joe, F. Y. Kuo, "Constructing Sobol sequences with better two-dimensional projections", SIAM J. Sci. Comput. 30, 2008 (direction
//! numbers `new-joe-kuo-6`); A. B. Owen, "Randomly permuted (t,m,s)-nets and (t,s)-sequences", 1995; S. Laine, T. Karras, "Stratified
//! sampling for stochastic transparency", 2011, and B. Burley, "Practical hash-based Owen scrambling", JCGT 9, 2020, for the hash.

/// Most dimensions.
pub const SOBOL_DIMENSIONS: usize = 33;

/// Primitive polynomials, the leading bit included, and initial direction numbers; the first dimension is van der Corput's.
const DIRECTIONS: [(u32, [u32; 7]); SOBOL_DIMENSIONS] = [
    (1, [1, 0, 0, 0, 0, 0, 0]),
    (3, [1, 0, 0, 0, 0, 0, 0]),
    (7, [1, 3, 0, 0, 0, 0, 0]),
    (11, [1, 3, 1, 0, 0, 0, 0]),
    (13, [1, 1, 1, 0, 0, 0, 0]),
    (19, [1, 1, 3, 3, 0, 0, 0]),
    (25, [1, 3, 5, 13, 0, 0, 0]),
    (37, [1, 1, 5, 5, 17, 0, 0]),
    (41, [1, 1, 5, 5, 5, 0, 0]),
    (47, [1, 1, 7, 11, 19, 0, 0]),
    (55, [1, 1, 5, 1, 1, 0, 0]),
    (59, [1, 1, 1, 3, 11, 0, 0]),
    (61, [1, 3, 5, 5, 31, 0, 0]),
    (67, [1, 3, 3, 9, 7, 49, 0]),
    (91, [1, 1, 1, 15, 21, 21, 0]),
    (97, [1, 3, 1, 13, 27, 49, 0]),
    (103, [1, 1, 1, 15, 7, 5, 0]),
    (109, [1, 3, 1, 15, 13, 25, 0]),
    (115, [1, 1, 5, 5, 19, 61, 0]),
    (131, [1, 3, 7, 11, 23, 15, 103]),
    (137, [1, 3, 7, 13, 13, 15, 69]),
    (143, [1, 1, 3, 13, 7, 35, 63]),
    (145, [1, 3, 5, 9, 1, 25, 53]),
    (157, [1, 3, 1, 13, 9, 35, 107]),
    (167, [1, 3, 1, 5, 27, 61, 31]),
    (171, [1, 1, 5, 11, 19, 41, 61]),
    (185, [1, 3, 5, 3, 3, 13, 69]),
    (191, [1, 1, 7, 13, 1, 19, 1]),
    (193, [1, 3, 7, 5, 13, 19, 59]),
    (203, [1, 1, 3, 9, 25, 29, 41]),
    (211, [1, 3, 5, 13, 23, 1, 55]),
    (213, [1, 3, 7, 3, 13, 59, 17]),
    (229, [1, 3, 1, 3, 5, 53, 69]),
];

/// Bits of a coordinate.
const BITS: usize = 32;

/// Points of a scrambled sequence, one randomisation of many.
#[derive(Debug, Clone)]
pub struct SobolSequence {
    directions: Vec<[u32; BITS]>,
    seeds: Vec<u32>,
}

impl SobolSequence {
    /// A randomisation: `seeds` has one number for each dimension, at most [`SOBOL_DIMENSIONS`].
    pub fn new(seeds: Vec<u32>) -> Self {
        let directions = (0..seeds.len()).map(direction_numbers).collect();
        Self { directions, seeds }
    }

    /// A coordinate of a point, in (0, 1).
    pub fn coordinate(&self, point: u32, dimension: usize) -> f64 {
        let directions = &self.directions[dimension];
        let mut bits = 0;
        let mut rest = point;
        while rest != 0 {
            let lowest = rest.trailing_zeros();
            bits ^= directions[lowest as usize];
            rest &= rest - 1;
        }
        (f64::from(scramble_bits(bits, self.seeds[dimension])) + 0.5) / 4_294_967_296.0
    }
}

fn direction_numbers(dimension: usize) -> [u32; BITS] {
    let (polynomial, initial) = DIRECTIONS[dimension];
    let degree = (31 - polynomial.leading_zeros()) as usize;
    let mut numbers = [0_u32; BITS];
    for bit in 0..BITS {
        numbers[bit] = if dimension == 0 {
            1 << (31 - bit)
        } else if bit < degree {
            initial[bit] << (31 - bit)
        } else {
            let mut number = numbers[bit - degree] ^ (numbers[bit - degree] >> degree);
            for back in 1..degree {
                if polynomial >> (degree - back) & 1 == 1 {
                    number ^= numbers[bit - back];
                }
            }
            number
        };
    }
    numbers
}

/// Flips each bit depending on the bits above it alone.
fn scramble_bits(bits: u32, seed: u32) -> u32 {
    let mut x = bits.reverse_bits();
    x = x.wrapping_add(seed);
    x ^= x.wrapping_mul(0x6c50_b47c);
    x ^= x.wrapping_mul(0xb82f_1e52);
    x ^= x.wrapping_mul(0xc7af_e638);
    x ^= x.wrapping_mul(0x8d22_f6e6);
    x.reverse_bits()
}
