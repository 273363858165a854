use proptest::prelude::*;

use super::{PolynomialRoot, PolynomialRoots, find_roots};
use crate::watch::NoWatch;

fn of(coefficients: &[f64]) -> PolynomialRoots {
    let im = vec![0.0; coefficients.len()];
    let found = find_roots(coefficients, &im, &NoWatch).expect("nothing interrupts");
    let total: usize = found.roots.iter().map(|root| root.multiplicity).sum();
    let top = coefficients.iter().rposition(|&c| c != 0.0).unwrap_or(0);
    assert_eq!(total, top, "{found:?}");
    found
}

/// The product of `x - r`, in exact arithmetic as long as the coefficients are whole numbers below 2^53; lowest power first.
fn product(roots: &[f64]) -> Vec<f64> {
    roots.iter().fold(vec![1.0], |p, r| {
        let mut next = vec![0.0; p.len() + 1];
        for (k, c) in p.iter().enumerate() {
            next[k + 1] += c;
            next[k] -= r * c;
        }
        next
    })
}

fn has(found: &PolynomialRoots, re: f64, im: f64, within: f64) -> PolynomialRoot {
    let near = |root: &&PolynomialRoot| libm::hypot(root.re - re, root.im - im) <= root.radius;
    let root = found
        .roots
        .iter()
        .find(near)
        .unwrap_or_else(|| panic!("{re} {im} {found:?}"));
    assert!(root.radius <= within, "{root:?}");
    *root
}

#[test]
fn small_polynomials() {
    let found = of(&[-6.0, 11.0, -6.0, 1.0]);
    assert!(found.converged);
    for r in [1.0, 2.0, 3.0] {
        assert!(has(&found, r, 0.0, 1e-15).is_real);
    }
    let found = of(&[1.0, 0.0, 1.0]);
    assert!(!has(&found, 0.0, 1.0, 1e-15).is_real);
    assert!(of(&[5.0]).roots.is_empty());
    assert!(of(&[0.0, 0.0]).roots.is_empty());
    let found = of(&[0.0, 0.0, -2.0, 1.0, 0.0]);
    assert_eq!(has(&found, 0.0, 0.0, 0.0).multiplicity, 2);
    has(&found, 2.0, 0.0, 1e-15);
    let found = of(&[1.0, -3.0]);
    has(&found, 1.0 / 3.0, 0.0, 1e-16);
}

#[test]
fn multiple_roots_are_named() {
    let found = of(&product(&[1.0; 20]));
    assert!(found.converged, "{found:?}");
    assert_eq!(found.roots.len(), 1);
    assert_eq!(has(&found, 1.0, 0.0, 1e-15).multiplicity, 20);
    let found = of(&product(&[1.0, 1.0, 1.0, 2.0, 2.0, -3.0]));
    assert_eq!(has(&found, 1.0, 0.0, 2e-15).multiplicity, 3);
    assert_eq!(has(&found, 2.0, 0.0, 3e-15).multiplicity, 2);
    assert!(has(&found, -3.0, 0.0, 1e-15).is_real);
}

#[test]
fn scales_of_1e300() {
    // 1e-300 x^2 - 1e300: roots 1e300
    let found = of(&[-1e300, 0.0, 1e-300]);
    for r in [1e300, -1e300] {
        assert!(
            found
                .roots
                .iter()
                .any(|root| (root.re - r).abs() <= 4e-16 * 1e300 && root.is_real)
        );
    }
    let found = of(&[1e-300, 1.0, 1e300]);
    assert!(found.converged, "{found:?}");
}

#[test]
fn two_roots_nearer_than_doubles_are_one_disc_or_two() {
    // Mignotte: x^20 - 2 (100 x - 1)^2
    let mut p = vec![0.0; 21];
    p[20] = 1.0;
    (p[0], p[1], p[2]) = (-2.0, 400.0, -20000.0);
    let found = of(&p);
    assert!(found.converged, "{found:?}");
    let near: usize = found
        .roots
        .iter()
        .filter(|root| (root.re - 0.01).abs() < 1e-10)
        .map(|root| root.multiplicity)
        .sum();
    assert_eq!(near, 2);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn whole_roots_are_in_their_discs(chosen in prop::collection::vec(-6i32..=6, 1..9)) {
        let chosen: Vec<f64> = chosen.into_iter().map(f64::from).collect();
        let found = of(&product(&chosen));
        prop_assert!(found.converged);
        for r in &chosen {
            let count = chosen.iter().filter(|other| *other == r).count();
            prop_assert_eq!(has(&found, *r, 0.0, 1e-14).multiplicity, count);
        }
    }
}
