//! Words for what models find: effects of terms in sentences.

use statistics::design::ModelFrame;
use statistics::models::CoefficientEstimate;

use super::reporting::words::{estimate_words, percent_words};

/// The scale on which a sentence says effects.
#[derive(Clone, Copy)]
pub(crate) enum EffectScale<'a> {
    /// That of the response: `+2.5 per unit`.
    Response,
    /// Exponentials of coefficients: `odds ratio 1.4 per unit`.
    Ratio(&'a str),
    /// That of the link.
    Link,
}

impl EffectScale<'_> {
    /// What a coefficient says, with its interval.
    fn words(self, one: &CoefficientEstimate, unit: &str) -> String {
        let (head, value): (String, fn(f64) -> f64) = match self {
            Self::Response if one.estimate > 0.0 => (" +".to_owned(), |value| value),
            Self::Response => (" ".to_owned(), |value| value),
            Self::Ratio(name) => (format!(": {name} "), f64::exp),
            Self::Link => (": change on the scale of the link ".to_owned(), |value| {
                value
            }),
        };
        let words = |number: f64| estimate_words(value(number));
        let [low, high] = one.interval.map(words);
        format!(
            "{head}{}{unit} (interval {low} to {high})",
            words(one.estimate)
        )
    }
}

/// What a coefficient is of.
struct TermSubject {
    /// `` `area` ``, or `` `city` Oslo against Lyon ``.
    words: String,
    /// Whether it compares a level with the base.
    is_comparison: bool,
}

fn term_subject(name: &str, frame: &ModelFrame) -> TermSubject {
    let split = name
        .strip_suffix(']')
        .and_then(|name| name.split_once("[T."));
    let level = split
        .filter(|_| !name.contains("]:"))
        .and_then(|(factor, level)| {
            let mut levels = frame.plan.category_levels();
            let (_, levels) = levels.find(|(known, _)| *known == factor)?;
            let column = factor
                .strip_prefix("C(")
                .and_then(|rest| rest.strip_suffix(')'));
            let base = levels.first()?;
            Some(format!(
                "`{}` {level} against {base}",
                column.unwrap_or(factor)
            ))
        });
    TermSubject {
        is_comparison: level.is_some(),
        words: level.unwrap_or_else(|| format!("`{name}`")),
    }
}

/// The sentence of the clear effects of a model: coefficients but the constant whose intervals leave out 0, those with the largest statistics
/// first.
pub(crate) fn effects_sentence(
    coefficients: &[CoefficientEstimate],
    frame: &ModelFrame,
    scale: EffectScale<'_>,
    confidence: f64,
) -> String {
    const SHOWN: usize = 4;
    let slopes = coefficients.iter().filter(|one| one.name != "Intercept");
    let slopes: Vec<&CoefficientEstimate> = slopes.collect();
    if slopes.is_empty() {
        return "The model has no terms beside the constant.".to_owned();
    }
    let is_clear = |one: &&CoefficientEstimate| one.interval[0] > 0.0 || one.interval[1] < 0.0;
    let mut clear: Vec<&CoefficientEstimate> = slopes.iter().copied().filter(is_clear).collect();
    if clear.is_empty() {
        return "No term differs clearly from no effect, which does not show that there is none."
            .to_owned();
    }
    clear.sort_by(|a, b| b.statistic.abs().total_cmp(&a.statistic.abs()));
    let each = |one: &&CoefficientEstimate| {
        let subject = term_subject(&one.name, frame);
        let unit = match subject.is_comparison {
            true => "",
            false => " per unit",
        };
        subject.words + &scale.words(one, unit)
    };
    let shown: Vec<String> = clear.iter().take(SHOWN).map(each).collect();
    let more = match clear.len() > SHOWN {
        true => format!("; {} more terms are clear", clear.len() - SHOWN),
        false => String::new(),
    };
    let rest = match slopes.len() - clear.len() {
        0 => String::new(),
        1 => "; 1 term is not clearly different from no effect".to_owned(),
        unclear => format!("; {unclear} terms are not clearly different from no effect"),
    };
    format!(
        "Clear at {}: {}{more}{rest}.",
        percent_words(confidence),
        shown.join(", ")
    )
}
