//! One true sentence about a test, from its numbers.

use statistics::hypothesis::{Alternative, HypothesisResult, ParameterEstimate};

use super::names::TestName;
use crate::stats::reporting::words::{
    interval_words, number_words, p_words, unclear_words, unlikely_words,
};

/// Who is compared.
pub(crate) struct SentenceLabels<'a> {
    pub labels: &'a [String],
    pub confidence: f64,
}

/// The sentence: a finding where the p value is below 1 less the confidence, otherwise that nothing clear was found.
pub(crate) fn result_sentence(
    test: TestName,
    result: &HypothesisResult,
    labels: &SentenceLabels,
) -> String {
    let claim = test.claim();
    let side = side_words(result);
    if result.p >= 1.0 - labels.confidence {
        return format!("{}{side}", unclear_words(claim.nothing, result.p));
    }
    let finding = result
        .estimate
        .as_ref()
        .and_then(|estimate| finding_words(estimate, labels))
        .unwrap_or_else(|| claim.finding.to_owned());
    format!("{finding}, {}", unlikely_words(result.p))
}

/// What a one-sided test leaves out.
fn side_words(result: &HypothesisResult) -> &'static str {
    match result.alternative {
        Alternative::TwoSided => "",
        Alternative::Less => "; values above were not tested",
        Alternative::Greater => "; values below were not tested",
    }
}

/// The finding by an estimate; `None` where the estimate does not differ from its value under the hypothesis.
fn finding_words(estimate: &ParameterEstimate, labels: &SentenceLabels) -> Option<String> {
    let difference = estimate.value - estimate.null;
    if difference == 0.0 || difference.is_nan() {
        return None;
    }
    let is_above = difference > 0.0;
    if let ([first, second], 0.0) = (labels.labels, estimate.null) {
        let by = number_words(estimate.value.abs());
        let interval = match is_above {
            true => estimate.interval,
            false => estimate.interval.map(|[low, high]| [-high, -low]),
        };
        let within = interval_words(interval, labels.confidence);
        let than = match is_above {
            true => "higher",
            false => "lower",
        };
        let words = match estimate.name {
            "difference of means" => Some(format!(
                "`{first}` is {than} than `{second}` by {by} on average{within}"
            )),
            "difference of trimmed means" => Some(format!(
                "The middle of `{first}` is {than} than that of `{second}` by {by}{within}"
            )),
            "shift" => Some(format!(
                "Values of `{first}` are {than} than those of `{second}`, typically by {by}{within}"
            )),
            "mean difference" => Some(format!(
                "`{first}` is {than} than `{second}` by {by} on average within pairs{within}"
            )),
            "median" | "pseudomedian" => Some(format!(
                "`{first}` is {than} than `{second}` by {by} in the middle of the differences{within}"
            )),
            _ => None,
        };
        if words.is_some() {
            return words;
        }
    }
    Some(format!(
        "The {}, {}{}, is {} {}",
        estimate.name,
        number_words(estimate.value),
        interval_words(estimate.interval, labels.confidence),
        if is_above { "above" } else { "below" },
        number_words(estimate.null)
    ))
}

/// The sentence about several columns.
pub(crate) fn several_sentence(found: &[String], total: usize, least: f64) -> String {
    match found.len() {
        0 => format!(
            "None of {total} columns shows a clear effect after the correction (smallest corrected {}), which does not show that there is none",
            p_words(least)
        ),
        count => {
            let names: Vec<String> = found.iter().map(|name| format!("`{name}`")).collect();
            format!(
                "{count} of {total} columns show an effect after the correction: {} (smallest corrected {})",
                names.join(", "),
                p_words(least)
            )
        }
    }
}
