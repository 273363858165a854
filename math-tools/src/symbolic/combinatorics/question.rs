//! What is counted or listed, and the answer.

use crate::prelude::*;
use crate::symbolic::exact_integer::{ExactInteger, NamedInteger};

/// Count arrangements exactly, or list a small set of them, all or those that satisfy a condition.
///
/// Pass either `count` with `n` and, where it needs one, `k`; or `list` with `items`, `sets` or `n`. Equal items are one kind: no arrangement occurs
/// twice. With `condition` the number of those that satisfy it is exact, however few are shown.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// What is counted.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub count: Option<CountedSequence>,
    /// What is listed.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub list: Option<ListedSet>,
    /// The first number of a count; of `list` the integer that is divided (`partitions`, `compositions`).
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub n: Option<BoundedInteger<0, 1_000_000>>,
    /// The second number of a count: how many are chosen, cycles, sets, parts. Of `list` how many items or parts; absent: all, or any number.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub k: Option<BoundedInteger<0, 1_000_000>>,
    /// The sizes of the kinds of `multinomial`.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub parts: Option<Vec<BoundedInteger<0, 1_000_000>>>,
    /// The items that are arranged, numbers or texts, at most 1,000.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub items: Option<Vec<Value>>,
    /// The sets of a product, one item of each, at most 64.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub sets: Option<Vec<Vec<Value>>>,
    /// Whether an item can be taken again (`permutations`, `combinations`).
    #[value(default)]
    pub repetition: bool,
    /// Whether all parts of a partition differ.
    #[value(default)]
    pub distinct: bool,
    /// The largest part of a partition; absent: any.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub largest: Option<Count>,
    /// An expression that is not 0 for the arrangements wanted, such as `x[0] < x[1]` or `total == 10`: `x[i]` is the i-th number from 0 on (of texts their
    /// place in `items`), 0 beyond the end; `size`, `total`, `product`, `smallest`, `greatest` and `different` (how many values) are of the whole.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub condition: Option<String>,
    /// Most arrangements in the answer; `total` counts all.
    #[value(default = "BoundedInteger::<0, 10_000>::of::<100>")]
    pub limit: BoundedInteger<0, 10_000>,
}

/// A number of arrangements, or a sequence of combinatorics.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Encode, Decode, Describe)]
#[value(rename_all = "snake_case")]
pub(crate) enum CountedSequence {
    /// Orders of k of n items (of all without k): n! / (n - k)!; with `repetition` n^k.
    #[value(alias = "factorial")]
    Permutations,
    /// Choices of k of n items; with `repetition` an item may be chosen again.
    #[value(alias = "binomial")]
    Combinations,
    /// Orders of items of the kinds in `parts`.
    Multinomial,
    /// Permutations of n that leave no item in its place.
    Derangements,
    /// Permutations of n with k cycles.
    StirlingFirst,
    /// Divisions of n items into k sets.
    StirlingSecond,
    /// Divisions of n items into any number of sets.
    Bell,
    /// Catalan's number: balanced sequences of n pairs of parentheses.
    Catalan,
    /// Sums of positive integers that are n, without their order; of k parts where k is given.
    Partitions,
    /// Such sums with their order.
    Compositions,
    /// Permutations of n with k ascents.
    Eulerian,
    /// Fibonacci's number, from F(0) = 0, F(1) = 1 on.
    Fibonacci,
    /// Lucas' number, from 2, 1 on.
    Lucas,
    /// Bernoulli's number, a fraction; B(1) = -1/2.
    Bernoulli,
    /// Euler's number, with its sign: 1, 0, -1, 0, 5.
    Euler,
}

/// A set whose members are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Encode, Decode, Describe)]
#[value(rename_all = "snake_case")]
pub(crate) enum ListedSet {
    /// Orders of k of `items`, or of all.
    Permutations,
    /// Choices of k of `items`.
    Combinations,
    /// Subsets of `items`, the empty one first; of k items where k is given.
    Subsets,
    /// One item of each of `sets`.
    #[value(alias = "cartesian_product")]
    Product,
    /// Sums of positive integers that are n, in falling order.
    Partitions,
    /// Sums of positive integers that are n, in every order.
    Compositions,
    /// Divisions of `items`, all different, into sets.
    SetPartitions,
}

/// A count, or a list with its length.
#[derive(Debug, Clone, Encode, Describe)]
pub(crate) struct Output {
    /// What was counted or listed.
    pub question: String,
    /// The count: of arrangements that satisfy the condition, or the number of the sequence; null for a fraction.
    pub value: Option<ExactInteger>,
    /// The count in digits; of `bernoulli` a fraction.
    pub text: String,
    /// The formula by which it is counted, such as `n! / (k! (n - k)!)`.
    pub formula: String,
    /// Arrangements in lexicographic order, at most `limit`; a division into sets is a list of lists.
    #[value(skip_encoding_if = "Vec::is_empty")]
    pub arrangements: Vec<Value>,
    /// Whether arrangements are missing from the list because of `limit`.
    pub is_cut: bool,
    /// Further numbers by name: `without_condition`.
    #[value(skip_encoding_if = "Vec::is_empty")]
    pub numbers: Vec<NamedInteger>,
    /// What was computed again by another way, and held.
    pub verified: Vec<String>,
    /// The answer in a sentence.
    pub summary: String,
}
