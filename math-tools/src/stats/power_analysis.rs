//! `power_analysis`: size, effect, level or power of a test from the other three.

use ::statistics::power::{PowerDesign, PowerTest, PowerUnknown};

use crate::prelude::*;

/// Computes the one of size, effect, level and power of a test that is left out, from the other three, by noncentral distributions.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// The test.
    pub test: PlannedTest,
    /// Size: values or pairs of one group, values in the first of two groups or in each of several, counts in all of a chi-squared table. Absent: computed.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub n: Option<Positive>,
    /// Effect: Cohen's d of means, f of `anova`, r of a correlation, h of proportions, w of `chi_squared`. Absent: computed.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub effect: Option<Finite>,
    /// Level of the test; computed when it is null and the other three are given.
    #[value(default = "default_alpha", skip_encoding_if = "Option::is_none")]
    pub alpha: Option<Probability>,
    /// Power. Absent: computed.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub power: Option<Probability>,
    /// Whether the test looks in both directions; `anova` and `chi_squared` have none.
    #[value(default = "default_true")]
    pub two_sided: bool,
    /// Size of the second group over that of the first.
    #[value(default = "default_ratio")]
    pub ratio: Positive,
    /// Number of groups of `anova`.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub groups: Option<BoundedInteger<2, 1_000_000>>,
    /// Degrees of freedom of `chi_squared`: cells less 1, or (rows - 1) (columns - 1).
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub df: Option<Positive>,
    /// Two proportions (or one and the number it is tested against) from which the effect h is computed.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub proportions: Option<[Probability; 2]>,
}

fn default_alpha() -> Option<Probability> {
    Some(Probability::literal(0.05))
}

fn default_ratio() -> Positive {
    Positive::literal(1.0)
}

/// A test by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Encode, Decode, Describe)]
#[value(rename_all = "snake_case")]
pub(crate) enum PlannedTest {
    /// A mean against a number, by t.
    TOne,
    /// Two means, by t.
    TTwo,
    /// Differences of pairs, by t.
    TPaired,
    /// Means of several groups.
    Anova,
    /// A correlation against 0.
    Correlation,
    /// A proportion against a number.
    ProportionOne,
    /// Two proportions.
    ProportionTwo,
    /// Counts in a table.
    ChiSquared,
}

/// A design of a test.
#[derive(Debug, Encode, Describe)]
pub(crate) struct Output {
    /// What was computed: `n`, `effect`, `alpha` or `power`.
    pub computed: String,
    /// Size; where it was computed the least number, which need not be whole.
    pub n: f64,
    /// Whole size to take in the group that `n` is of: `n` rounded up.
    pub n_whole: f64,
    /// Size of all groups together, each rounded up.
    pub n_total: f64,
    /// Effect.
    pub effect: f64,
    /// Level.
    pub alpha: f64,
    /// Power.
    pub power: f64,
    /// How the power is computed.
    pub method: String,
    /// The result in a sentence.
    pub summary: String,
}

impl Tool for Args {
    const SPEC: Spec = Spec::named("power_analysis", "Power analysis").tags(&[
        "statistics",
        "power",
        "sample size",
        "experiment",
        "test",
    ]);
    type Output = Output;
    const EXAMPLES: &'static [JsonExample] = examples! {
        "an effect of 0 is found as often as the level says":
            r#"{"test": "proportion_one", "n": 100, "effect": 0, "alpha": 0.05}"#
            => r#"{"computed": "power", "n": 100.0, "n_whole": 100.0, "n_total": 100.0, "effect": 0.0, "alpha": 0.05, "power": 0.05,
                "method": "normal approximation of the difference of arcsines",
                "summary": "With 100 values, an effect h of 0 is found with a chance of 5 % at the level 0.05."}"#;
    };

    fn run(args: Args, _ctx: &Ctx) -> Result<Output, ToolError> {
        let test = planned_test(&args)?;
        let effect = given_effect(&args)?;
        let missing = [
            args.n.is_none(),
            effect.is_none(),
            args.alpha.is_none(),
            args.power.is_none(),
        ];
        let count = missing.iter().filter(|is_missing| **is_missing).count();
        if count != 1 {
            refuse!(invalid ""; "expected three of `n`, `effect`, `alpha` and `power`, found {}", 4 - count;
                "leave out the one to compute; for the level give \"alpha\": null");
        }
        let design = PowerDesign {
            test,
            n: args.n.map_or(2.0, Positive::get),
            effect: effect.unwrap_or(0.0),
            alpha: args.alpha.map_or(0.05, Probability::get),
            is_two_sided: args.two_sided,
        };
        check_design(&args, &design)?;
        let unknown = match missing {
            [true, ..] => Some((PowerUnknown::Size, "n")),
            [_, true, ..] => Some((PowerUnknown::Effect, "effect")),
            [_, _, true, _] => Some((PowerUnknown::Alpha, "alpha")),
            _ => None,
        };
        let wanted = args.power.map_or(0.0, Probability::get);
        let solved = match unknown {
            None => design,
            Some((unknown, _)) => design.solve(unknown, wanted).map_err(|err| {
                ToolError::numeric("/power", err)
                    .reason("out_of_reach")
                    .hint("an effect of 0 has no size; raise the size or the effect, or lower the power")
            })?,
        };
        let computed = unknown.map_or("power", |(_, name)| name);
        let power = solved.power();
        if !power.is_finite() {
            refuse!(numeric "/n", "not_finite"; "the power is no number for this design"; "raise `n`");
        }
        Ok(planned_output(&args, solved, computed, power))
    }
}

fn planned_test(args: &Args) -> Result<PowerTest, ToolError> {
    let ratio = args.ratio.get();
    Ok(match args.test {
        PlannedTest::TOne | PlannedTest::TPaired => PowerTest::OneMean,
        PlannedTest::TTwo => PowerTest::TwoMeans { ratio },
        PlannedTest::Anova => match args.groups {
            Some(groups) => PowerTest::Anova {
                groups: groups.size() as f64,
            },
            None => {
                refuse!(invalid "/groups"; "`anova` needs the number of groups"; "such as \"groups\": 3")
            }
        },
        PlannedTest::Correlation => PowerTest::Correlation,
        PlannedTest::ProportionOne => PowerTest::OneProportion,
        PlannedTest::ProportionTwo => PowerTest::TwoProportions { ratio },
        PlannedTest::ChiSquared => match args.df {
            Some(df) => PowerTest::ChiSquared { df: df.get() },
            None => {
                refuse!(invalid "/df"; "`chi_squared` needs its degrees of freedom"; "such as \"df\": 1 for a table of 2 by 2")
            }
        },
    })
}

/// The effect, of proportions the difference of `2 arcsin(sqrt(p))`.
fn given_effect(args: &Args) -> Result<Option<f64>, ToolError> {
    let Some([first, second]) = args.proportions else {
        return Ok(args.effect.map(Finite::get));
    };
    if args.effect.is_some()
        || !matches!(
            args.test,
            PlannedTest::ProportionOne | PlannedTest::ProportionTwo
        )
    {
        refuse!(invalid "/proportions"; "`proportions` are the effect of `proportion_one` and `proportion_two`"; "give either them or `effect`");
    }
    let angle = |p: Probability| 2.0 * p.get().sqrt().asin();
    Ok(Some(angle(first) - angle(second)))
}

fn check_design(args: &Args, design: &PowerDesign) -> Result<(), ToolError> {
    let least = design.least_size();
    if args.n.is_some() && design.n < least {
        let n = design.n;
        refuse!(invalid "/n"; "expected a size of at least {least}, found {n}"; "raise `n`");
    }
    if matches!(design.test, PowerTest::Correlation) && design.effect.abs() >= 1.0 {
        let r = design.effect;
        refuse!(invalid "/effect"; "expected a correlation between -1 and 1, found {r}"; "give r");
    }
    let is_inside =
        |value: Option<Probability>| value.is_none_or(|p| p.get() > 0.0 && p.get() < 1.0);
    if !is_inside(args.alpha) || !is_inside(args.power) {
        refuse!(invalid "/alpha"; "expected `alpha` and `power` above 0 and below 1"; "such as 0.05 and 0.8");
    }
    if args.power.is_some() && args.n.is_none() && design.effect < 0.0 && !design.is_two_sided {
        refuse!(invalid "/effect"; "expected an effect above 0 for a one-sided test"; "turn the groups round");
    }
    Ok(())
}

fn planned_output(args: &Args, design: PowerDesign, computed: &str, power: f64) -> Output {
    let whole = (design.n - 1e-9).ceil();
    let total = match design.test {
        PowerTest::TwoMeans { ratio } | PowerTest::TwoProportions { ratio } => {
            whole + (ratio * design.n - 1e-9).ceil()
        }
        PowerTest::Anova { groups } => groups * whole,
        _ => whole,
    };
    let (symbol, unit) = match args.test {
        PlannedTest::TOne => ("d", "values"),
        PlannedTest::TTwo => ("d", "values in the first group"),
        PlannedTest::TPaired => ("d", "pairs"),
        PlannedTest::Anova => ("f", "values in each group"),
        PlannedTest::Correlation => ("r", "pairs"),
        PlannedTest::ProportionOne => ("h", "values"),
        PlannedTest::ProportionTwo => ("h", "values in the first group"),
        PlannedTest::ChiSquared => ("w", "counts"),
    };
    let method = match design.test {
        PowerTest::OneMean | PowerTest::TwoMeans { .. } => "noncentral t",
        PowerTest::Anova { .. } => "noncentral F",
        PowerTest::ChiSquared { .. } => "noncentral chi-squared",
        PowerTest::Correlation => "Fisher's z with its bias",
        PowerTest::OneProportion | PowerTest::TwoProportions { .. } => {
            "normal approximation of the difference of arcsines"
        }
    };
    let summary = power_sentence(&design, computed, power, symbol, unit, whole);
    Output {
        computed: computed.to_owned(),
        n: design.n,
        n_whole: whole,
        n_total: total,
        effect: design.effect,
        alpha: design.alpha,
        power,
        method: method.to_owned(),
        summary,
    }
}

/// Digits that a reader wants.
fn brief(value: f64, digits: usize) -> String {
    let rounded: f64 = format!("{value:.*e}", digits - 1).parse().unwrap_or(value);
    format!("{rounded}")
}

fn power_sentence(
    design: &PowerDesign,
    computed: &str,
    power: f64,
    symbol: &str,
    unit: &str,
    whole: f64,
) -> String {
    let (effect, alpha) = (brief(design.effect, 4), brief(design.alpha, 4));
    let chance = brief(100.0 * power, 4);
    match computed {
        "n" => format!(
            "To find an effect {symbol} of {effect} with a chance of {chance} % at the level {alpha}, {whole} {unit} are needed."
        ),
        "effect" => format!(
            "With {} {unit}, an effect {symbol} of at least {effect} is found with a chance of {chance} % at the level {alpha}.",
            brief(design.n, 6)
        ),
        "alpha" => format!(
            "With {} {unit}, an effect {symbol} of {effect} is found with a chance of {chance} % only at a level of {alpha} or above.",
            brief(design.n, 6)
        ),
        _ => format!(
            "With {} {unit}, an effect {symbol} of {effect} is found with a chance of {chance} % at the level {alpha}.",
            brief(design.n, 6)
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_refused, run};

    /// statsmodels 0.15: TTestIndPower().solve_power(0.5, None, 0.05, 0.8) is 63.76561058891169.
    #[test]
    fn the_usual_size_is_sixty_four() {
        let output = run::<Args>(r#"{"test": "t_two", "effect": 0.5, "power": 0.8}"#).unwrap();
        assert!((output.n - 63.76561058891169).abs() < 1e-6, "{}", output.n);
        assert_eq!((output.n_whole, output.n_total), (64.0, 128.0));
        let words = format!(
            "an effect d of {} with a chance of 80 % at the level {}, {} values",
            output.effect, output.alpha, output.n_whole
        );
        assert!(output.summary.contains(&words), "{}", output.summary);
    }

    #[test]
    fn proportions_give_their_effect() {
        let output = run::<Args>(
            r#"{"test": "proportion_two", "proportions": [0.5, 0.5], "n": 30, "alpha": 0.1}"#,
        )
        .unwrap();
        assert_eq!(output.effect, 0.0);
        assert!((output.power - 0.1).abs() < 1e-14);
    }

    #[test]
    fn designs_without_an_answer_are_refused() {
        assert_refused::<Args>(&[
            (r#"{"test": "t_one", "n": 10}"#, "", "three of"),
            (
                r#"{"test": "anova", "n": 10, "effect": 0.3}"#,
                "/groups",
                "groups",
            ),
            (
                r#"{"test": "chi_squared", "n": 10, "effect": 0.3}"#,
                "/df",
                "degrees",
            ),
            (
                r#"{"test": "correlation", "n": 10, "effect": 1}"#,
                "/effect",
                "between",
            ),
            (
                r#"{"test": "t_one", "n": 1, "effect": 1}"#,
                "/n",
                "at least 2",
            ),
        ]);
        let error = run::<Args>(r#"{"test": "t_one", "effect": 0, "power": 0.8}"#).unwrap_err();
        assert_eq!(error.path(), Some("/power"));
    }
}
