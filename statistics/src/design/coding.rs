//! How the categories of each term are coded: by contrasts with the base level, or with a column for every level where nothing else spans them.

use super::formula::Formula;

/// A product of factors; a category in it is coded by all of its levels or without the base.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct CodedProduct {
    /// Places of factors in the order of the term, each with whether a category has a column for every level.
    pub factors: Vec<CodedFactor>,
}

/// A factor of a product.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CodedFactor {
    pub factor: usize,
    pub is_full: bool,
}

/// Most categories of one term: a term of k of them spans 2^k products.
const CATEGORIES_MAX: usize = 12;

/// The products of each term, so that no column depends on others by its construction.
///
/// # Method
/// A term spans the products of all subsets of its categories; those that earlier terms span are left out, and what is left is put together again
/// into the fewest products, greedily (N. J. Smith, patsy, "Redundancy and categorical factors").
pub(super) fn code_terms(
    terms: &[Vec<usize>],
    has_intercept: bool,
    is_category: &[bool],
) -> Vec<Vec<CodedProduct>> {
    let mut spanned: Vec<Vec<usize>> = Vec::new();
    if has_intercept {
        spanned.push(Vec::new());
    }
    let mut out = Vec::with_capacity(terms.len());
    for term in terms {
        let categories: Vec<usize> = term.iter().copied().filter(|at| is_category[*at]).collect();
        let numbers: Vec<usize> = term
            .iter()
            .copied()
            .filter(|at| !is_category[*at])
            .collect();
        let categories = &categories[..categories.len().min(CATEGORIES_MAX)];
        let mut subsets: Vec<Vec<usize>> = (0..1_usize << categories.len())
            .map(|bits| choose_bits(categories, bits))
            .collect();
        subsets.sort_by_key(Vec::len);
        let key = |subset: &Vec<usize>| {
            let mut key: Vec<usize> = subset.iter().chain(&numbers).copied().collect();
            key.sort_unstable();
            key
        };
        subsets.retain(|subset| !spanned.contains(&key(subset)));
        spanned.extend(subsets.iter().map(key));
        out.push(join_products(&subsets, term, is_category));
    }
    out
}

fn choose_bits(items: &[usize], bits: usize) -> Vec<usize> {
    let chosen = items.iter().enumerate();
    chosen
        .filter(|(place, _)| bits >> place & 1 == 1)
        .map(|(_, item)| *item)
        .collect()
}

/// Puts subsets together: `b` without its base beside `1` is `b` with all levels.
fn join_products(
    subsets: &[Vec<usize>],
    term: &[usize],
    is_category: &[bool],
) -> Vec<CodedProduct> {
    let reduced = |subset: &Vec<usize>| -> Vec<CodedFactor> {
        let factors = subset.iter().map(|factor| CodedFactor {
            factor: *factor,
            is_full: false,
        });
        factors.collect()
    };
    let mut products: Vec<Vec<CodedFactor>> = subsets.iter().map(reduced).collect();
    while let Some((short, long)) = absorbing_pair(&products) {
        let absorbed = products[short].clone();
        for coded in &mut products[long] {
            if !absorbed.contains(coded) {
                coded.is_full = true;
            }
        }
        products.remove(short);
    }
    let ordered = |product: &Vec<CodedFactor>| {
        let factors = term.iter().filter_map(|factor| {
            let coded = product
                .iter()
                .find(|coded| coded.factor == *factor)
                .copied();
            let number = (!is_category[*factor]).then_some(CodedFactor {
                factor: *factor,
                is_full: false,
            });
            coded.or(number)
        });
        CodedProduct {
            factors: factors.collect(),
        }
    };
    products.iter().map(ordered).collect()
}

/// The first product that a later one with one factor more can absorb.
fn absorbing_pair(products: &[Vec<CodedFactor>]) -> Option<(usize, usize)> {
    for (short, one) in products.iter().enumerate() {
        for (long, two) in products.iter().enumerate().skip(short + 1) {
            let is_part = one.iter().all(|coded| two.contains(coded));
            if two.len() == one.len() + 1 && is_part {
                return Some((short, long));
            }
        }
    }
    None
}

/// Whether a term has more categories than are coded.
pub(super) fn has_too_many_categories(formula: &Formula, is_category: &[bool]) -> bool {
    let count = |term: &Vec<usize>| term.iter().filter(|at| is_category[**at]).count();
    formula
        .terms
        .iter()
        .any(|term| count(term) > CATEGORIES_MAX)
}
