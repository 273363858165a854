//! `random_sample`: draws from a distribution or a list, and permutations.

use std::collections::BTreeMap;

use ::statistics::distribution::draw_sample;
use ::statistics::resampling::{DrawError, draw_places, draw_weighted_places};

use super::distribution::{find_family, parameter_fault};
use crate::prelude::*;

/// Draws random numbers from a distribution, or items from a list: with or without replacement, with weights, or as a permutation. The same seed gives
/// the same draws on every machine.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// The family of distributions, as in `distribution`; or give `from`.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub family: Option<String>,
    /// Its parameters by name, such as `{"mean": 100, "sd": 15}`.
    #[value(default)]
    pub parameters: BTreeMap<String, f64>,
    /// A list of items to draw from, of any kind.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub from: Option<Vec<Value>>,
    /// A weight of at least 0 for each item; equal ones when absent.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub weights: Option<Vec<Finite>>,
    /// Whether an item of `from` can be drawn again.
    #[value(default)]
    pub replace: bool,
    /// How many to draw; absent: all of `from`, which without replacement is a permutation, or 1 number of a family.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub n: Option<BoundedInteger<0, 10_000_000>>,
    /// Seed of the draws; 42 when absent.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub seed: Option<RandomSeed>,
}

/// Random values.
#[derive(Debug, Encode, Describe)]
pub(crate) struct Output {
    /// The values, in the order of the draws.
    pub values: Value,
    /// How many they are.
    pub n: usize,
    /// The seed used.
    pub seed: RandomSeed,
}

impl Tool for Args {
    const SPEC: Spec = Spec::named("random_sample", "Random sample")
        .seeded()
        .tags(&[
            "random",
            "sample",
            "shuffle",
            "permutation",
            "statistics",
            "simulation",
        ]);
    type Output = Output;
    const EXAMPLES: &'static [JsonExample] = examples! {
        "three draws with replacement, of which one item has all of the weight":
            r#"{"from": ["red", "blue"], "weights": [0, 1], "replace": true, "n": 3}"#
            => r#"{"values": ["blue", "blue", "blue"], "n": 3, "seed": 42}"#;
    };

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let seed = ctx.seed(args.seed);
        let values = match (&args.family, &args.from) {
            (Some(name), None) => draw_numbers(name, &args, seed, ctx)?,
            (None, Some(items)) => draw_items(items, &args, seed, ctx)?,
            _ => refuse!(invalid "/family"; "expected one of `family` and `from`";
                "such as {\"family\": \"normal\", \"n\": 10} or {\"from\": [1, 2, 3]}"),
        };
        Ok(Output {
            n: values.items().map_or(0, |items| items.len()),
            values,
            seed,
        })
    }
}

fn draw_numbers(name: &str, args: &Args, seed: RandomSeed, ctx: &Ctx) -> Result<Value, ToolError> {
    if args.weights.is_some() || args.replace {
        refuse!(invalid "/family"; "`weights` and `replace` are for draws from a list"; "leave them out, or give `from`");
    }
    let family = find_family(name, "/family")?;
    let given = args
        .parameters
        .iter()
        .map(|(name, value)| (name.as_str(), *value));
    let parameters = family.arrange(given).map_err(parameter_fault)?;
    let distribution = family.build(&parameters).map_err(parameter_fault)?;
    let count = args.n.map_or(1, BoundedInteger::size);
    ctx.reserve_doubles(count)?;
    let values = draw_sample(distribution.as_ref(), count, seed.get(), &|| {
        ctx.stop().is_set()
    });
    ctx.check()?;
    if let Some(value) = values.iter().find(|value| !value.is_finite()) {
        refuse!(numeric "/parameters", "overflow"; "a value is beyond the largest double: {value}"; "choose a lighter tail or a smaller scale");
    }
    Ok(Value::vector(values))
}

fn draw_items(
    items: &[Value],
    args: &Args,
    seed: RandomSeed,
    ctx: &Ctx,
) -> Result<Value, ToolError> {
    if !args.parameters.is_empty() {
        refuse!(invalid "/parameters"; "`parameters` are those of a `family`"; "leave them out");
    }
    let count = args.n.map_or(items.len(), BoundedInteger::size);
    ctx.reserve_doubles(count.saturating_mul(8))?;
    let places = match &args.weights {
        None => draw_places(items.len(), count, args.replace, (seed.get(), 0)),
        Some(weights) => {
            if weights.len() != items.len() {
                let (found, expected) = (weights.len(), items.len());
                refuse!(invalid "/weights", "shape"; "expected {expected} weights, one for each item of `from`, found {found}"; "give one weight for each item");
            }
            let weights: Vec<f64> = weights.iter().map(|weight| weight.get()).collect();
            draw_weighted_places(&weights, count, args.replace, seed.get())
        }
    };
    let places = places.map_err(draw_fault)?;
    Ok(Value::array(
        places
            .into_iter()
            .map(|place| items[place].clone())
            .collect(),
    ))
}

fn draw_fault(err: DrawError) -> ToolError {
    match err {
        DrawError::TooMany(..) => ToolError::invalid("/n", err)
            .reason("too_many")
            .hint("draw fewer, or set `replace` to true"),
        DrawError::Weight(place, _) => ToolError::invalid(format!("/weights/{place}"), err)
            .reason("weights")
            .hint("give weights of at least 0"),
        DrawError::Sum(_) => ToolError::invalid("/weights", err)
            .reason("weights")
            .hint("give at least one weight above 0"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_refused, run};

    #[test]
    fn a_permutation_has_every_item_once() {
        let output = run::<Args>(r#"{"from": [5, 6, 7, 8, 9], "seed": 3}"#).unwrap();
        let mut values: Vec<f64> = output
            .values
            .items()
            .unwrap()
            .iter()
            .filter_map(Value::as_f64)
            .collect();
        values.sort_by(f64::total_cmp);
        assert_eq!(values, [5.0, 6.0, 7.0, 8.0, 9.0]);
        let again = run::<Args>(r#"{"from": [5, 6, 7, 8, 9], "seed": 3}"#).unwrap();
        assert_eq!(again.values, output.values);
    }

    #[test]
    fn numbers_have_the_mean_of_their_family() {
        let output =
            run::<Args>(r#"{"family": "poisson", "parameters": {"rate": 4}, "n": 4000}"#).unwrap();
        let values: Vec<f64> = output
            .values
            .items()
            .unwrap()
            .iter()
            .filter_map(Value::as_f64)
            .collect();
        let mean = values.iter().sum::<f64>() / 4000.0;
        assert!((mean - 4.0).abs() < 0.16, "{mean}");
    }

    #[test]
    fn what_cannot_be_drawn_is_refused() {
        assert_refused::<Args>(&[
            (r#"{}"#, "/family", "one of"),
            (r#"{"from": [1, 2], "n": 3}"#, "/n", "3 draws"),
            (
                r#"{"from": [1, 2], "weights": [1], "n": 1}"#,
                "/weights",
                "2 weights",
            ),
            (
                r#"{"from": [1, 2], "weights": [0, 0], "n": 1}"#,
                "/weights",
                "sum",
            ),
            (r#"{"family": "norm_al"}"#, "/family", "norm_al"),
        ]);
    }
}
