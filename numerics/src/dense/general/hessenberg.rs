//! Householder reduction of a small general matrix to upper Hessenberg form: `Q' A Q = H`.
//!
//! # References
//! G. H. Golub, C. F. Van Loan, "Matrix Computations", 4th ed., 2013, section 7.4.2.

use faer::Mat;
use pulp::Simd;

use crate::dense::householder::{self, make_reflector};
use crate::dense::lanes::{LaneKernel, VectorUnit, dispatch_kernel};

/// Replaces the matrix by H, and gives Q on request: 10/3 n^3 operations, 4/3 n^3 more for Q.
pub(super) fn reduce_to_hessenberg(a: &mut Mat<f64>, with_basis: bool) -> Option<Mat<f64>> {
    let n = a.nrows();
    let taus = dispatch_kernel(HessenbergReduction(a));
    let basis = with_basis.then(|| {
        let mut basis = Mat::identity(n, n);
        if n > 2 {
            let vectors = a.as_ref().submatrix(1, 0, n - 1, n - 1);
            let coefficients = householder::block_coefficients(vectors, &taus);
            let below = basis.as_mut().submatrix_mut(1, 1, n - 1, n - 1);
            householder::apply_orthogonal_factor(vectors, &coefficients, below);
        }
        basis
    });
    for column in 0..n.saturating_sub(2) {
        a.col_as_slice_mut(column)[column + 2..].fill(0.0);
    }
    basis
}

struct HessenbergReduction<'a>(&'a mut Mat<f64>);

impl LaneKernel for HessenbergReduction<'_> {
    type Output = Vec<f64>;

    #[inline(always)]
    fn run<S: Simd, const R: usize>(self, unit: VectorUnit<S, R>) -> Vec<f64> {
        let a = self.0;
        let n = a.nrows();
        let mut taus = Vec::with_capacity(n);
        let (mut vector, mut image) = (vec![0.0; n], vec![0.0; n]);
        for step in 0..n.saturating_sub(1) {
            let below = step + 1;
            let (tau, tail) = make_reflector(unit, &mut a.col_as_slice_mut(step)[below..]);
            taus.push(tau);
            if tau.is_infinite() {
                continue;
            }
            let vector = &mut vector[below..];
            vector[0] = 1.0;
            vector[1..].copy_from_slice(tail);
            let inverse = tau.recip();
            // From the left, column by column; then the image of the vector, and from the right.
            image.fill(0.0);
            for (index, v) in vector.iter().enumerate() {
                let column = a.col_as_slice_mut(below + index);
                let [product] = unit.dots(vector, [&column[below..]]);
                unit.add_multiples(&mut column[below..], [&*vector], [-product * inverse]);
                unit.add_multiples(&mut image, [&*column], [*v]);
            }
            for (index, v) in vector.iter().enumerate() {
                let column = a.col_as_slice_mut(below + index);
                unit.add_multiples(column, [&image], [-v * inverse]);
            }
        }
        taus
    }
}
