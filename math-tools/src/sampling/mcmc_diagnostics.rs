//! Diagnostics of independently sampled chains.

use numerics::sampling::diagnostics::{
    AXES_AT_ONCE, ChainDiagnostics, DOUBLES_PER_DRAW, ESS_PER_CHAIN_MIN, UnconvergedEvidence,
};
use numerics::sampling::mcmc::{diagnose_axes, lowest_number};
use tool_core::input::{InputKind, LoadInput};
use tool_core::schema::{Schema, json};

use super::blocks::sampling_error;
use super::mcmc::DIMENSION_MAX;
use super::mcmc::model::UnconvergedReason;
use crate::call_watch::CallWatch;
use crate::prelude::*;

/// Diagnose several Markov chains together: rank-normalised split R-hat, effective sample sizes, Monte Carlo
/// errors, and mean and standard deviation of each dimension.
///
/// For independently sampled chains, such as by a `map` over `mcmc` with a seed each; one call of `mcmc` reports the same of its own
/// chains.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// Draws, `[chain][draw][dimension]`; of one quantity also `[chain][draw]`; of several runs of `mcmc` `[run][chain][draw][dimension]`,
    /// whose chains are taken together. At most 200 dimensions.
    pub samples: Input<ChainSamples>,
}

/// Draws of several chains in one block.
#[derive(Debug, Clone)]
pub(crate) struct ChainSamples(Numbers);

impl LoadInput for ChainSamples {
    const KIND: InputKind = InputKind::Data;

    fn from_value(value: &Value) -> Result<Self, RequestProblem> {
        let expected = "expected draws as [chain][draw][dimension]";
        let Value::Numbers(numbers) = value else {
            let found = match value {
                Value::Array(items) if items.is_empty() => "an empty list".to_owned(),
                Value::Array(_) => "chains of different lengths, or what is no number".to_owned(),
                other => other.kind(),
            };
            return Err(RequestProblem::new(
                "",
                format!("{expected}, found {found}"),
            ));
        };
        if !(2..=4).contains(&numbers.rank()) {
            let message = format!("{expected}, found shape {:?}", numbers.shape());
            let problem = RequestProblem::new("", message);
            return Err(problem.hint("one chain of one quantity is [[1.5, 2.5, ..]]"));
        }
        if numbers.as_slice().iter().any(|draw| !draw.is_finite()) {
            return Err(RequestProblem::new("", "expected finite draws"));
        }
        let samples = Self(numbers.clone());
        if samples.dimension() > DIMENSION_MAX {
            let found = samples.dimension();
            let message = format!("expected at most {DIMENSION_MAX} dimensions, found {found}");
            return Err(RequestProblem::new("", message));
        }
        Ok(samples)
    }

    fn to_value(&self) -> Value {
        Value::Numbers(self.0.clone())
    }

    fn schema() -> Schema {
        let number = json!({ "type": "number" });
        let list = |items: Schema| json!({ "type": "array", "minItems": 1, "items": items });
        let flat = list(list(number.clone()));
        let whole = list(flat.clone());
        json!({ "anyOf": [flat, list(whole.clone()), whole] })
    }
}

impl ChainSamples {
    fn dimension(&self) -> usize {
        match self.0.shape() {
            [_, _] => 1,
            shape => shape[shape.len() - 1],
        }
    }

    fn draws(&self) -> usize {
        match self.0.shape() {
            [_, draws] => *draws,
            shape => shape[shape.len() - 2],
        }
    }

    /// One coordinate of the draws, by chain.
    fn columns(&self, axis: usize) -> Vec<Vec<f64>> {
        let dimension = self.dimension();
        let chains = self.0.as_slice().chunks_exact(self.draws() * dimension);
        let column = |chain: &[f64]| chain[axis..].iter().step_by(dimension).copied().collect();
        chains.map(column).collect()
    }
}

/// Diagnostics of several chains.
#[derive(Debug, Clone, Encode, Describe)]
pub(crate) struct Output {
    /// Number of chains.
    pub chains: usize,
    /// Draws per chain.
    pub draws: usize,
    /// Number of dimensions.
    pub dimension: usize,
    /// Mean of all draws, per dimension.
    #[schema(extend("x-shape" = ["d"]))]
    pub mean: Vec<f64>,
    /// Sample standard deviation of all draws (n - 1), per dimension; `"NaN"` for a single draw.
    #[schema(extend("x-shape" = ["d"]))]
    pub std_dev: Vec<Real>,
    /// Rank-normalised split R-hat per dimension; above 1.01 the chains have not mixed. `"NaN"` for fewer than 4 draws a chain and for
    /// chains that never moved.
    #[schema(extend("x-shape" = ["d"]))]
    pub rhat: Vec<Real>,
    /// The largest R-hat; `"NaN"` where one is.
    pub rhat_max: Real,
    /// Bulk effective sample size per dimension: how many independent draws the mean is worth.
    #[schema(extend("x-shape" = ["d"]))]
    pub ess: Vec<Real>,
    /// Tail effective sample size per dimension: the smaller of those of the 5 % and 95 % quantiles.
    #[schema(extend("x-shape" = ["d"]))]
    pub ess_tail: Vec<Real>,
    /// The smallest of all effective sample sizes; `"NaN"` where one is.
    pub ess_min: Real,
    /// Monte Carlo standard error of the mean, per dimension.
    #[schema(extend("x-shape" = ["d"]))]
    pub mcse: Vec<Real>,
    /// Whether all R-hat are at most 1.01 and all effective sample sizes at least 100 per chain.
    pub converged: bool,
    /// Reason they have not converged; absent when they have.
    #[value(skip_encoding_if = "Option::is_none")]
    pub reason: Option<UnconvergedReason>,
}

impl Tool for Args {
    const SPEC: Spec = Spec::named("mcmc_diagnostics", "Diagnostics of Markov chains").tags(&[
        "bayes",
        "posterior",
        "rhat",
        "ess",
        "convergence",
        "sampling",
    ]);
    type Output = Output;
    const EXAMPLES: &'static [JsonExample] = examples! {
        "two chains that stay at (1, 2): their mean is known, but nothing says that they have converged":
            r#"{"samples": [[[1, 2], [1, 2]], [[1, 2], [1, 2]]]}"#
            => r#"{"chains": 2, "draws": 2, "dimension": 2, "mean": [1.0, 2.0],
                "std_dev": [0.0, 0.0], "rhat": ["NaN", "NaN"], "rhat_max": "NaN", "ess": ["NaN", "NaN"],
                "ess_tail": ["NaN", "NaN"], "ess_min": "NaN", "mcse": ["NaN", "NaN"],
                "converged": false, "reason": "undefined"}"#;
    };

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let samples = args.samples.load(ctx)?;
        diagnose_samples(&samples, ctx)
    }
}

fn diagnose_samples(samples: &ChainSamples, ctx: &Ctx) -> Result<Output, ToolError> {
    let (draws, dimension) = (samples.draws(), samples.dimension());
    let chains = samples.0.as_slice().len() / (draws * dimension);
    let at_once = dimension.min(AXES_AT_ONCE);
    ctx.reserve_doubles((chains * draws).saturating_mul(DOUBLES_PER_DRAW * at_once))?;
    let columns = |axis| samples.columns(axis);
    let found = diagnose_axes(dimension, (chains, draws), columns, &CallWatch(ctx))
        .map_err(|error| sampling_error(error, "/samples", ctx))?;
    let real = |of: fn(&ChainDiagnostics) -> f64| -> Vec<Real> {
        found.iter().map(|(_, one)| Real(of(one))).collect()
    };
    let (rhat, ess) = (real(|one| one.rhat), real(|one| one.ess_bulk));
    let ess_tail = real(|one| one.ess_tail);
    let rhat_max = -lowest_number(rhat.iter().map(|rhat| -rhat.0));
    let ess_min = lowest_number(ess.iter().chain(&ess_tail).map(|size| size.0));
    let enough = ESS_PER_CHAIN_MIN * chains as f64;
    let reason = UnconvergedEvidence::of(rhat_max, ess_min, enough).map(UnconvergedReason::from);
    Ok(Output {
        chains,
        draws,
        dimension,
        mean: found.iter().map(|(moments, _)| moments.mean).collect(),
        std_dev: found.iter().map(|(one, _)| Real(one.std())).collect(),
        converged: reason.is_none(),
        reason,
        rhat,
        rhat_max: Real(rhat_max),
        ess,
        ess_tail,
        ess_min: Real(ess_min),
        mcse: real(|one| one.mcse),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sampling::mcmc;
    use tool_core::json;

    fn value(text: &str) -> Value {
        json::parse_json(text, json::JsonLimits::default()).unwrap()
    }

    fn call<T: Tool>(args: &Value) -> Result<Value, ToolError> {
        let tool = tool_core::tool_entry::<T>().tool();
        tool.decode(args)?.run(&Ctx::default())
    }

    fn sampled(seed: u64, chains: u64) -> Value {
        let args = format!(
            r#"{{"log_density":"-0.5*((x0-1)**2 + x1**2/4)","x0":[0,0],"n_samples":400,"burnin":200,"chains":{chains},"seed":{seed}}}"#
        );
        call::<mcmc::Args>(&value(&args)).unwrap()
    }

    fn diagnosed(samples: Value) -> Value {
        call::<Args>(&Value::object([("samples", samples)])).unwrap()
    }

    #[test]
    fn it_says_what_mcmc_says_of_its_own_chains() {
        let run = sampled(7, 4);
        let found = diagnosed(run.get("samples").unwrap().clone());
        for key in [
            "mean",
            "rhat",
            "ess",
            "ess_tail",
            "mcse",
            "dimension",
            "chains",
        ] {
            assert_eq!(found.get(key), run.get(key), "{key}");
        }
        let number = |of: &Value, pointer: &str| of.pointer(pointer).unwrap().as_f64().unwrap();
        for axis in ["/std_dev/0", "/std_dev/1"] {
            let (one, other) = (number(&found, axis), number(&run, axis));
            assert!(
                (one - other).abs() <= 1e-12 * other,
                "{axis}: {one} {other}"
            ); // summed in another order
        }
        let largest = number(&found, "/rhat/0").max(number(&found, "/rhat/1"));
        assert_eq!(number(&found, "/rhat_max"), largest);
        assert_eq!(number(&found, "/draws"), 400.0);
        assert_eq!(found.get("converged"), run.get("converged"));
    }

    #[test]
    fn runs_are_taken_together_and_one_quantity_needs_no_dimension() {
        let runs: Vec<Value> = (1..=3)
            .map(|seed| sampled(seed, 1).get("samples").unwrap().clone())
            .collect();
        let chains: Vec<Value> = runs.iter().map(|run| run.at(0).unwrap()).collect();
        let together = diagnosed(Value::array(runs));
        assert_eq!(together, diagnosed(Value::array(chains.clone())));
        assert_eq!(together.get("chains").and_then(Value::as_i64), Some(3));
        let column = |axis: usize| {
            let of = |chain: &Value| {
                let draws = chain.items().unwrap();
                Value::array(draws.iter().map(|draw| draw.at(axis).unwrap()).collect())
            };
            diagnosed(Value::array(chains.iter().map(of).collect()))
        };
        for axis in 0..2 {
            let flat = column(axis);
            for key in ["rhat", "ess", "mean"] {
                let pointer = format!("/{key}/{axis}");
                assert_eq!(
                    flat.pointer(&format!("/{key}/0")),
                    together.pointer(&pointer)
                );
            }
        }
    }

    #[test]
    fn chains_apart_have_not_converged() {
        let apart: Vec<Value> = [0.0, 10.0]
            .iter()
            .map(|at| Value::vector((0..200).map(|i| at + f64::from(i % 7)).collect()))
            .collect();
        let found = diagnosed(Value::array(apart));
        assert_eq!(found.get("converged"), Some(&Value::Bool(false)));
        assert!(
            found.get("rhat_max").unwrap().as_f64().unwrap() > 1.5,
            "{found}"
        );
    }

    #[test]
    fn what_are_no_draws_is_refused() {
        for (samples, expected) in [
            ("[]", "an empty list"),
            ("[1,2]", "shape"),
            ("[[1,2],[3]]", "different lengths"),
            ("[[[[[1]]]]]", "shape"),
            ("3", "expected draws"),
        ] {
            let err = call::<Args>(&Value::object([("samples", value(samples))]));
            let err = err.unwrap_err();
            assert!(err.to_string().contains(expected), "{samples}: {err}");
        }
        let wide = Value::array(vec![Value::array(vec![Value::vector(vec![0.0; 201])])]);
        let err = call::<Args>(&Value::object([("samples", wide)])).unwrap_err();
        assert!(err.to_string().contains("200 dimensions"), "{err}");
    }
}
