//! The sets whose members are listed: what they are made of, how many members they have by a formula, and their visit.

use std::ops::ControlFlow;

use num_bigint::BigUint;
use num_traits::One as _;
use symbolic::combinatorics::{
    ArrangementVisit, PartitionRule, bell_number, binomial, count_multiset_combinations,
    count_multiset_permutations, count_partitions, count_partitions_into, stirling_second,
    visit_combinations, visit_compositions, visit_integer_partitions, visit_permutations,
    visit_product, visit_set_partitions,
};

use super::question::{Args, ListedSet};
use crate::prelude::*;

/// Most items that are arranged.
const ITEMS_MAX: usize = 1000;
/// Most sets of a product.
const SETS_MAX: usize = 64;
/// Longest arrangement, which is also how deep a visit is nested.
const LENGTH_MAX: usize = 200;

/// A set that is visited.
pub(super) struct ListedItems {
    kind: ListedSet,
    /// The kinds of items in the order of their first occurrence; of a product those of each set.
    kinds: Vec<Vec<Value>>,
    /// How many there are of each kind.
    counts: Vec<usize>,
    n: usize,
    k: Option<usize>,
    rule: PartitionRule,
    /// The longest arrangement.
    pub(super) length: usize,
}

fn cell_limit(value: &Value) -> bool {
    value.as_str().is_some_and(|text| text.len() <= 200) || value.as_f64().is_some()
}

/// The kinds of items with how many there are of each.
fn sort_kinds(items: &[Value], pointer: &str) -> Result<(Vec<Value>, Vec<usize>), ToolError> {
    if items.len() > ITEMS_MAX || !items.iter().all(cell_limit) {
        refuse!(invalid pointer, "shape"; "expected at most {ITEMS_MAX} numbers or short texts");
    }
    let (mut kinds, mut counts): (Vec<Value>, Vec<usize>) = (Vec::new(), Vec::new());
    for item in items {
        match kinds
            .iter()
            .position(|kind| kind.to_string() == item.to_string())
        {
            Some(kind) => counts[kind] += 1,
            None => {
                kinds.push(item.clone());
                counts.push(1);
            }
        }
    }
    Ok((kinds, counts))
}

/// Reads the items of a list, and refuses what does not belong to it.
pub(super) fn read_items(args: &Args, list: ListedSet) -> Result<ListedItems, ToolError> {
    let of_integer = matches!(list, ListedSet::Partitions | ListedSet::Compositions);
    let given = [
        (
            "items",
            args.items.is_some(),
            !of_integer && list != ListedSet::Product,
        ),
        ("sets", args.sets.is_some(), list == ListedSet::Product),
        ("n", args.n.is_some(), of_integer),
        ("parts", args.parts.is_some(), false),
        ("k", args.k.is_some(), list != ListedSet::Product),
        (
            "largest",
            args.largest.is_some(),
            list == ListedSet::Partitions,
        ),
        ("distinct", args.distinct, list == ListedSet::Partitions),
        (
            "repetition",
            args.repetition,
            matches!(list, ListedSet::Permutations | ListedSet::Combinations),
        ),
    ];
    for (name, is_given, is_taken) in given {
        if is_given && !is_taken {
            refuse!(invalid format!("/{name}"); "`{name}` has no effect on this list"; "leave it out");
        }
        if is_taken && !is_given && matches!(name, "items" | "sets" | "n") {
            refuse!(invalid format!("/{name}"), "missing"; "expected `{name}` for this list"; "pass it");
        }
    }
    let n = args.n.map_or(0, |n| n.size());
    let k = args.k.map(|k| k.size());
    let rule = PartitionRule {
        parts: k,
        largest: args.largest.map_or(n, |largest| largest.size()),
        are_distinct: args.distinct,
    };
    let mut found = ListedItems {
        kind: list,
        kinds: Vec::new(),
        counts: Vec::new(),
        n,
        k,
        rule,
        length: n,
    };
    if let Some(sets) = &args.sets {
        if sets.len() > SETS_MAX {
            refuse!(invalid "/sets", "limit"; "expected at most {SETS_MAX} sets");
        }
        for (index, set) in sets.iter().enumerate() {
            let (kinds, _) = sort_kinds(set, &format!("/sets/{index}"))?;
            found.counts.push(kinds.len());
            found.kinds.push(kinds);
        }
        found.length = sets.len();
    } else if let Some(items) = &args.items {
        let (kinds, counts) = sort_kinds(items, "/items")?;
        found.length = match (args.repetition, k) {
            (true, None) => {
                refuse!(invalid "/k", "missing"; "with `repetition` expected `k`, how many are taken")
            }
            (true, Some(k)) => k,
            (false, k) => k.unwrap_or(items.len()).min(items.len()),
        };
        if list == ListedSet::SetPartitions {
            if counts.iter().any(|count| *count > 1) {
                refuse!(invalid "/items", "shape"; "expected items that are all different");
            }
            found.length = items.len();
        }
        if list == ListedSet::Combinations && k.is_none() {
            refuse!(invalid "/k", "missing"; "expected `k`, how many items are chosen"; "for all sizes use `subsets`");
        }
        found.n = items.len();
        found.kinds = vec![kinds];
        found.counts = counts;
    }
    if found.length > LENGTH_MAX {
        let length = found.length;
        refuse!(invalid "/list", "limit"; "expected arrangements of at most {LENGTH_MAX} items, found {length}"; "pass a smaller `k`, or fewer items");
    }
    Ok(found)
}

impl ListedItems {
    /// How often each kind may be taken.
    fn available(&self, repetition: bool) -> Vec<usize> {
        match repetition {
            true => vec![self.length; self.counts.len()],
            false => self.counts.clone(),
        }
    }

    /// The number of arrangements by a formula, where there is one.
    pub(super) fn total(&self, args: &Args) -> (Option<BigUint>, &'static str) {
        let counts = self.available(args.repetition);
        let size = self.k.unwrap_or(self.n);
        let plain = self.rule.largest >= self.n && !self.rule.are_distinct;
        match self.kind {
            ListedSet::Permutations => (
                Some(count_multiset_permutations(
                    &counts,
                    size.min(LENGTH_MAX + 1),
                )),
                "k! times the coefficient of x^k in the product of the sums of x^j / j!, j = 0..m, over kinds of m items",
            ),
            ListedSet::Combinations => (
                Some(count_multiset_combinations(
                    &counts,
                    size.min(LENGTH_MAX + 1),
                )),
                "the coefficient of x^k in the product of 1 + x + ... + x^m over kinds of m items",
            ),
            ListedSet::Subsets => match self.k {
                Some(k) => (
                    Some(count_multiset_combinations(&counts, k.min(LENGTH_MAX + 1))),
                    "the coefficient of x^k in the product of 1 + x + ... + x^m over kinds of m items",
                ),
                None => (
                    Some(
                        counts
                            .iter()
                            .map(|count| BigUint::from(count + 1))
                            .product(),
                    ),
                    "product of m + 1 over kinds of m items",
                ),
            },
            ListedSet::Product => (
                Some(
                    self.counts
                        .iter()
                        .map(|count| BigUint::from(*count))
                        .product(),
                ),
                "product of the sizes of the sets",
            ),
            ListedSet::Partitions if plain => (
                Some(match self.k {
                    Some(k) => count_partitions_into(self.n as u64, k as u64),
                    None => count_partitions(self.n as u64),
                }),
                "p(n), or p(n, k) = p(n-1, k-1) + p(n-k, k)",
            ),
            ListedSet::Partitions => (None, "by a visit"),
            ListedSet::Compositions => (
                Some(match (self.n, self.k) {
                    (0, k) => BigUint::from(u8::from(k.is_none_or(|k| k == 0))),
                    (_, Some(0)) => BigUint::default(),
                    (n, Some(k)) => binomial(n as u64 - 1, k as u64 - 1),
                    (n, None) => BigUint::one() << (n - 1),
                }),
                "2^(n - 1), or C(n - 1, k - 1)",
            ),
            ListedSet::SetPartitions => (
                Some(match self.k {
                    Some(k) => stirling_second(self.n as u64, k as u64),
                    None => bell_number(self.n as u64),
                }),
                "B(n), or S(n, k) = S(n-1, k-1) + k S(n-1, k)",
            ),
        }
    }

    pub(super) fn visit(
        &self,
        repetition: bool,
        visit: &mut ArrangementVisit<'_>,
    ) -> ControlFlow<()> {
        let counts = self.available(repetition);
        let size = self.k.unwrap_or(self.n);
        match self.kind {
            ListedSet::Permutations if size > LENGTH_MAX => ControlFlow::Continue(()),
            ListedSet::Permutations => visit_permutations(&counts, size, visit),
            ListedSet::Combinations => visit_combinations(&counts, size, visit),
            ListedSet::Subsets => {
                let sizes = match self.k {
                    Some(k) => k..=k,
                    None => 0..=self.n,
                };
                for size in sizes {
                    visit_combinations(&counts, size, visit)?;
                }
                ControlFlow::Continue(())
            }
            ListedSet::Product => visit_product(&self.counts, visit),
            ListedSet::Partitions => visit_integer_partitions(self.n, self.rule, visit),
            ListedSet::Compositions => visit_compositions(self.n, self.k, visit),
            ListedSet::SetPartitions => visit_set_partitions(self.n, self.k, visit),
        }
    }

    /// The item of a kind; of a product that of the set at the place.
    fn item(&self, place: usize, kind: usize) -> Option<&Value> {
        let set = if self.kind == ListedSet::Product {
            place
        } else {
            0
        };
        self.kinds.get(set)?.get(kind)
    }

    /// The number of an entry in a condition.
    pub(super) fn number(&self, place: usize, kind: usize) -> f64 {
        match self.kind {
            ListedSet::SetPartitions | ListedSet::Partitions | ListedSet::Compositions => {
                kind as f64
            }
            _ => {
                let item = self.item(place, kind);
                item.and_then(Value::as_f64).unwrap_or(kind as f64)
            }
        }
    }

    /// An arrangement as the answer has it.
    pub(super) fn written(&self, chosen: &[usize]) -> Value {
        match self.kind {
            ListedSet::Partitions | ListedSet::Compositions => {
                Value::array(chosen.iter().map(|part| Value::from(*part)).collect())
            }
            ListedSet::SetPartitions => {
                let blocks = chosen.iter().max().map_or(0, |last| last + 1);
                let block = |label: usize| {
                    let members = chosen.iter().enumerate().filter(|(_, one)| **one == label);
                    Value::array(
                        members
                            .filter_map(|(place, _)| self.item(0, place).cloned())
                            .collect(),
                    )
                };
                Value::array((0..blocks).map(block).collect())
            }
            _ => {
                let items = chosen.iter().enumerate();
                Value::array(
                    items
                        .filter_map(|(place, kind)| self.item(place, *kind).cloned())
                        .collect(),
                )
            }
        }
    }

    /// What there are, in words.
    pub(super) fn what(&self) -> String {
        let (n, k) = (self.n, self.length);
        match self.kind {
            ListedSet::Permutations => format!("orders of {k} of {n} items"),
            ListedSet::Combinations => format!("combinations of {k} of {n} items"),
            ListedSet::Subsets => format!("subsets of {n} items"),
            ListedSet::Product => "sequences with an item of each set".to_owned(),
            ListedSet::Partitions => format!("partitions of {n}"),
            ListedSet::Compositions => format!("compositions of {n}"),
            ListedSet::SetPartitions => format!("divisions of {n} items into sets"),
        }
    }
}
