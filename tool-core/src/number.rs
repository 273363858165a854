//! Spelling of doubles: the shortest text that reads back as the same bits, and the names of the non-finite ones.

/// The spelling of a non-finite double; finite ones get their shortest decimal.
pub fn non_finite_spelling(value: f64) -> String {
    if value.is_nan() {
        "NaN".to_owned()
    } else if value == f64::INFINITY {
        "Infinity".to_owned()
    } else if value == f64::NEG_INFINITY {
        "-Infinity".to_owned()
    } else {
        zmij::Buffer::new().format_finite(value).to_owned()
    }
}

/// Reads a spelling back; anything but the three names is `None`.
pub fn from_spelling(text: &str) -> Option<f64> {
    match text {
        "NaN" => Some(f64::NAN),
        "Infinity" => Some(f64::INFINITY),
        "-Infinity" => Some(f64::NEG_INFINITY),
        _ => None,
    }
}
