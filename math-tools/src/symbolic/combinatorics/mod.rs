//! Combinatorics: exact counts, and lists of small sets of arrangements.

mod bernoulli;
mod checks;
mod counting;
mod items;
mod listing;
mod question;
#[cfg(test)]
mod tests;

use crate::prelude::*;
pub(crate) use question::{Args, Output};

impl Tool for Args {
    const SPEC: Spec = Spec::named("combinatorics", "Count and list arrangements")
        .tags(&[
            "permutations",
            "combinations",
            "partitions",
            "enumerate",
            "exact",
        ])
        .syntax(&[("/condition", Syntax::Expression)]);
    type Output = Output;
    const EXAMPLES: &'static [JsonExample] = examples! {
        "hands of poker": r#"{"count": "combinations", "n": 52, "k": 5}"# => r#"{"question": "combinations", "value": 2598960, "text": "2598960",
            "formula": "n! / (k! (n - k)!)", "is_cut": false, "verified": ["C(n, k) k! = n! / (n - k)!"],
            "summary": "There are 2598960 combinations of 5 of 52."}"#;
        "throws of two dice with a sum of 10": r#"{"list": "product", "sets": [[1, 2, 3, 4, 5, 6], [1, 2, 3, 4, 5, 6]], "condition": "total == 10"}"#
            => r#"{"question": "product", "value": 3, "text": "3", "formula": "product of the sizes of the sets",
            "arrangements": [[4, 6], [5, 5], [6, 4]], "is_cut": false, "numbers": [{"name": "without_condition", "value": 36}],
            "verified": ["all 36 were visited, as many as the formula counts"],
            "summary": "3 of 36 sequences with an item of each set satisfy `total == 10`."}"#;
        "Bernoulli's number": r#"{"count": "bernoulli", "n": 12}"# => r#"{"question": "bernoulli", "value": null, "text": "-691/2730",
            "formula": "B(n) of x / (e^x - 1) = sum of B(n) x^n / n!", "is_cut": false,
            "verified": ["the denominator is the product of the primes p with p - 1 | n (von Staudt and Clausen)"],
            "summary": "Bernoulli's number 12 is -691/2730."}"#;
    };

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        match (args.count, args.list) {
            (Some(count), None) => counting::answer_count(&args, count, ctx),
            (None, Some(list)) => listing::answer_list(&args, list, ctx),
            (None, None) => {
                refuse!(invalid "", "missing"; "expected `count` or `list`, found neither";
                    "for example {{\"count\": \"combinations\", \"n\": 52, \"k\": 5}}")
            }
            (Some(_), Some(_)) => {
                refuse!(invalid "/list"; "`count` and `list` exclude each other"; "leave one of them out")
            }
        }
    }
}
