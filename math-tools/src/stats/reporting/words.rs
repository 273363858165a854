//! APA lines and sentences, derived from the numbers of a result.

use statistics::hypothesis::{EffectSize, HypothesisResult};

/// A number with three significant digits; whole numbers keep theirs.
pub(crate) fn number_words(value: f64) -> String {
    rounded_words(value, 3)
}

/// A number with four significant digits, for estimates of models.
pub(crate) fn estimate_words(value: f64) -> String {
    rounded_words(value, 4)
}

fn rounded_words(value: f64, digits: usize) -> String {
    let size = value.abs();
    if value.is_infinite() {
        let words = if value > 0.0 {
            "infinity"
        } else {
            "minus infinity"
        };
        return words.to_owned();
    }
    if size == 0.0 || value.is_nan() {
        return format!("{size}");
    }
    if !(1e-4..1e7).contains(&size) {
        return format!("{value:.*e}", digits - 1);
    }
    if value.fract() == 0.0 {
        return format!("{value:.0}");
    }
    let decimals = (digits as f64 - 1.0 - size.log10().floor()).max(0.0) as usize;
    let text = format!("{value:.decimals$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

/// `95 %`.
pub(crate) fn percent_words(confidence: f64) -> String {
    format!("{} %", number_words(100.0 * confidence))
}

/// A p value in words of a sentence: `p = 0.033`, `p < 0.001`.
pub(crate) fn p_words(p: f64) -> String {
    match p {
        p if p < 0.001 => "p < 0.001".to_owned(),
        p if p < 0.1 => format!("p = {p:.3}"),
        p => format!("p = {p:.2}"),
    }
}

/// A p value by APA: without the zero before the point.
pub(crate) fn apa_p(p: f64) -> String {
    match p {
        p if p.is_nan() => "p is undefined".to_owned(),
        p if p < 0.001 => "p < .001".to_owned(),
        p if p > 0.999 => "p > .999".to_owned(),
        p => format!("p = {}", apa_share(p, 3)),
    }
}

/// A number between -1 and 1 without the zero before its point.
pub(crate) fn apa_share(value: f64, digits: usize) -> String {
    let text = format!("{value:.digits$}");
    match text.strip_prefix("0.") {
        Some(rest) => format!(".{rest}"),
        None => text.replacen("-0.", "-.", 1),
    }
}

/// Two decimals; more where the number is small, powers of ten where it is large.
fn apa_number(value: f64) -> String {
    match value.abs() {
        size if size.is_infinite() => number_words(value),
        size if size >= 1e6 || (size > 0.0 && size < 5e-3) => format!("{value:.2e}"),
        _ => format!("{value:.2}"),
    }
}

fn df_words(df: f64) -> String {
    match df.fract() == 0.0 {
        true => format!("{df:.0}"),
        false => format!("{df:.1}"),
    }
}

/// `d = 0.94, 95% CI [0.07, 1.79]`.
pub(crate) fn apa_effect(effect: &EffectSize, confidence: f64) -> String {
    let value = format!("{} = {}", effect.symbol, apa_number(effect.value));
    match effect.interval {
        Some([low, high]) => format!(
            "{value}, {}% CI [{}, {}]",
            number_words(100.0 * confidence),
            apa_number(low),
            apa_number(high)
        ),
        None => value,
    }
}

/// `t(17.8) = 2.31, p = .033, d = 0.94, 95% CI [0.07, 1.79]`.
pub(crate) fn apa_line(result: &HypothesisResult, confidence: f64) -> String {
    let df: Vec<String> = result.df.iter().map(|df| df_words(*df)).collect();
    let df = match df.is_empty() {
        true => String::new(),
        false => format!("({})", df.join(", ")),
    };
    let mut line = format!(
        "{}{df} = {}, {}",
        result.symbol,
        apa_number(result.statistic),
        apa_p(result.p)
    );
    if let Some(effect) = result.effects.first() {
        line.push_str(", ");
        line.push_str(&apa_effect(effect, confidence));
    }
    line
}

/// ` (95 % interval 0.4 to 6)`, or nothing.
pub(crate) fn interval_words(interval: Option<[f64; 2]>, confidence: f64) -> String {
    let percent = percent_words(confidence);
    match interval {
        Some([low, high]) if low.is_finite() && high.is_finite() => format!(
            " ({percent} interval {} to {})",
            number_words(low),
            number_words(high)
        ),
        Some([low, _]) if low.is_finite() => {
            format!(" ({percent} interval from {})", number_words(low))
        }
        Some([_, high]) if high.is_finite() => {
            format!(" ({percent} interval up to {})", number_words(high))
        }
        _ => String::new(),
    }
}

/// What a sentence says of a p value that is small enough.
pub(crate) fn unlikely_words(p: f64) -> String {
    format!("unlikely to be chance ({})", p_words(p))
}

/// What a sentence says where nothing was found.
pub(crate) fn unclear_words(what: &str, p: f64) -> String {
    format!(
        "No clear {what} was found ({}), which does not show that there is none",
        p_words(p)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_words() {
        let words = [0.0, 3.0, -12.345, 0.5, 1234.56, 1.5e-9, 2.5e8, 0.001234].map(number_words);
        assert_eq!(
            words,
            [
                "0", "3", "-12.3", "0.5", "1235", "1.50e-9", "2.50e8", "0.00123"
            ]
        );
        assert_eq!(p_words(0.0325), "p = 0.033");
        assert_eq!(p_words(1e-300), "p < 0.001");
        assert_eq!(apa_p(0.0325), "p = .033");
        assert_eq!(
            interval_words(Some([0.4, 6.0]), 0.95),
            " (95 % interval 0.4 to 6)"
        );
        assert_eq!(
            interval_words(Some([0.4, f64::INFINITY]), 0.9),
            " (90 % interval from 0.4)"
        );
    }
}
