//! Sizes of texts and gaps, and how texts are broken into lines.

use crate::font::{ASCENT, DESCENT, fit_text, text_width};

/// Sizes of texts and gaps, in pixels.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LayoutSizes {
    pub(crate) scale: f64,
    pub(crate) title: f64,
    pub(crate) subtitle: f64,
    pub(crate) axis_title: f64,
    pub(crate) tick: f64,
    pub(crate) legend: f64,
    pub(crate) panel: f64,
    pub(crate) pad: f64,
}

impl LayoutSizes {
    pub(crate) fn new(scale: f64) -> Self {
        Self {
            scale,
            title: 15.5 * scale,
            subtitle: 11.5 * scale,
            axis_title: 11.5 * scale,
            tick: 10.5 * scale,
            legend: 10.5 * scale,
            panel: 11.0 * scale,
            pad: 10.0 * scale,
        }
    }
}

/// Height of a line of text from the tops of its letters to the ends of those below the line.
pub(crate) fn text_height(size: f64) -> f64 {
    (ASCENT + DESCENT) * size
}

/// Breaks a text at spaces into lines of at most a length; a word that is too long alone is cut.
pub(crate) fn wrap_text(text: &str, size: f64, room: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line)
                if text_width(line, size) + text_width(" ", size) + text_width(word, size)
                    <= room =>
            {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(fit_text(word, size, room)),
        }
    }
    lines
}
