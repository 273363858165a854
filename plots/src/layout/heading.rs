//! The titles of a picture of several plots.

use super::sizes::{LayoutSizes, wrap_text};
use crate::colour::PlotTheme;
use crate::font::{ASCENT, fit_text, text_width};
use crate::scene::{TextAnchor, TextRole, TextRun};

/// Title and subtitle above everything.
pub(crate) struct PictureHeading<'a> {
    pub(crate) title: &'a str,
    pub(crate) subtitle: &'a str,
    /// Width of the picture.
    pub(crate) width: f64,
    pub(crate) theme: PlotTheme,
    pub(crate) sizes: LayoutSizes,
}

impl PictureHeading<'_> {
    /// The lines of the title: two at most.
    pub(crate) fn title_lines(&self) -> Vec<String> {
        let (size, room) = (self.sizes.title, self.room());
        let mut lines = wrap_text(self.title, size, room);
        if lines.len() > 2 {
            let rest = lines[1..].join(" ");
            lines.truncate(1);
            lines.push(fit_text(&rest, size, room));
        }
        lines.retain(|line| !line.is_empty());
        lines
    }

    fn room(&self) -> f64 {
        self.width - 2.0 * self.sizes.pad
    }

    /// Height from the upper side of the picture to what is below the titles; 0 without titles.
    pub(crate) fn height(&self) -> f64 {
        let lines = self.title_lines().len() as f64;
        let below = if self.subtitle.is_empty() {
            0.0
        } else {
            1.35 * self.sizes.subtitle
        };
        if lines == 0.0 && below == 0.0 {
            return 0.0;
        }
        self.sizes.pad + lines * 1.28 * self.sizes.title + below
    }

    /// The room that the titles of a plot take below the pad.
    pub(crate) fn below_pad(&self) -> f64 {
        match self.height() {
            0.0 => 0.35 * self.sizes.pad,
            height => height - 0.4 * self.sizes.pad,
        }
    }

    /// The left side of the titles: that of the panels if there is room, else that of the picture.
    pub(crate) fn left_side(&self, panels: f64) -> f64 {
        let sizes = &self.sizes;
        let lines = self.title_lines();
        let subtitle = fit_text(self.subtitle, sizes.subtitle, self.room());
        let widest = lines
            .iter()
            .map(|line| text_width(line, sizes.title))
            .fold(text_width(&subtitle, sizes.subtitle), f64::max);
        if panels + widest <= self.width - sizes.pad {
            panels
        } else {
            sizes.pad
        }
    }

    /// The lines of both, from the left side `x`.
    pub(crate) fn texts(&self, x: f64) -> Vec<TextRun> {
        let sizes = &self.sizes;
        let run = |text: String, y: f64, size: f64, colour| TextRun {
            text,
            x,
            y: y + ASCENT * size,
            size,
            anchor: TextAnchor::Start,
            is_vertical: false,
            colour,
            role: TextRole::Title,
        };
        let mut y = sizes.pad;
        let mut texts = Vec::new();
        for line in self.title_lines() {
            texts.push(run(line, y, sizes.title, self.theme.ink()));
            y += 1.28 * sizes.title;
        }
        let subtitle = fit_text(self.subtitle, sizes.subtitle, self.room());
        texts.push(run(subtitle, y, sizes.subtitle, self.theme.soft_ink()));
        texts.retain(|text| !text.text.is_empty());
        texts
    }
}
