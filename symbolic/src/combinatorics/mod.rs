//! Combinatorics: exact counts, and enumeration of small sets of arrangements.

mod arrangements;
mod counts;
mod partitions;
mod sequences;
#[cfg(test)]
mod tests;

pub use arrangements::{
    ArrangementVisit, count_multiset_combinations, count_multiset_permutations, visit_combinations,
    visit_permutations, visit_product,
};
pub use counts::{
    binomial, count_derangements, count_multisets, count_permutations, eulerian_number, factorial,
    multinomial, stirling_first, stirling_second,
};
pub use partitions::{
    PartitionRule, count_partitions, count_partitions_into, visit_compositions,
    visit_integer_partitions, visit_set_partitions,
};
pub use sequences::{
    bell_number, bernoulli_number, catalan_number, euler_number, fibonacci_and_lucas,
};
