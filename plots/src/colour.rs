//! Colours: palettes for categories and for quantities, and the themes.

/// A colour with its opacity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PlotColour {
    /// Red, green and blue, 0 to 255.
    pub channels: [u8; 3],
    /// Opacity, 0 to 255.
    pub alpha: u8,
}

impl PlotColour {
    pub(crate) const fn opaque(hex: u32) -> Self {
        Self {
            channels: [(hex >> 16) as u8, (hex >> 8) as u8, hex as u8],
            alpha: 255,
        }
    }

    /// The same colour with another opacity, from 0 to 1.
    pub(crate) fn with_opacity(self, opacity: f64) -> Self {
        let alpha = f64::from(self.alpha) * opacity.clamp(0.0, 1.0);
        Self {
            alpha: libm::round(alpha) as u8,
            ..self
        }
    }

    /// `#rrggbb`.
    pub(crate) fn hex(self) -> String {
        let [red, green, blue] = self.channels;
        format!("#{red:02x}{green:02x}{blue:02x}")
    }

    /// The colour between this and another.
    pub(crate) fn mix(self, other: Self, share: f64) -> Self {
        let mut channels = [0; 3];
        for (index, channel) in channels.iter_mut().enumerate() {
            let (from, to) = (
                f64::from(self.channels[index]),
                f64::from(other.channels[index]),
            );
            *channel = libm::round(from + (to - from) * share.clamp(0.0, 1.0)) as u8;
        }
        Self { channels, ..self }
    }

    /// Relative luminance from 0 to 1, without the curve of a screen.
    pub(crate) fn lightness(self) -> f64 {
        let [red, green, blue] = self.channels.map(f64::from);
        (0.2126 * red + 0.7152 * green + 0.0722 * blue) / 255.0
    }
}

/// Colours that have a name, of those that CSS knows.
const NAMES: [(&str, u32); 32] = [
    ("black", 0x000000),
    ("white", 0xffffff),
    ("gray", 0x808080),
    ("grey", 0x808080),
    ("lightgray", 0xd3d3d3),
    ("lightgrey", 0xd3d3d3),
    ("darkgray", 0xa9a9a9),
    ("darkgrey", 0xa9a9a9),
    ("red", 0xd6272f),
    ("darkred", 0x8b0000),
    ("firebrick", 0xb22222),
    ("crimson", 0xdc143c),
    ("orange", 0xe69f00),
    ("darkorange", 0xff8c00),
    ("gold", 0xffd700),
    ("yellow", 0xf0e442),
    ("green", 0x2ca02c),
    ("darkgreen", 0x006400),
    ("seagreen", 0x2e8b57),
    ("teal", 0x008080),
    ("cyan", 0x17becf),
    ("skyblue", 0x87ceeb),
    ("steelblue", 0x4682b4),
    ("blue", 0x1f6fb4),
    ("navy", 0x000080),
    ("purple", 0x8e4ec6),
    ("magenta", 0xc71585),
    ("pink", 0xff8fb3),
    ("brown", 0x8c564b),
    ("olive", 0x808000),
    ("salmon", 0xfa8072),
    ("indigo", 0x4b0082),
];

/// Reads `#rrggbb`, `#rgb` or a common name of CSS.
pub(crate) fn parse_colour(text: &str) -> Option<PlotColour> {
    let Some(digits) = text.strip_prefix('#') else {
        let text = text.to_ascii_lowercase();
        let found = NAMES.iter().find(|(name, _)| *name == text);
        return found.map(|(_, hex)| PlotColour::opaque(*hex));
    };
    if !digits.bytes().all(|one| one.is_ascii_hexdigit()) {
        return None;
    }
    let number = u32::from_str_radix(digits, 16).ok()?;
    match digits.len() {
        6 => Some(PlotColour::opaque(number)),
        3 => {
            let channel = |shift: u32| (number >> shift & 15) * 17;
            Some(PlotColour::opaque(
                channel(8) << 16 | channel(4) << 8 | channel(0),
            ))
        }
        _ => None,
    }
}

/// Colours of categories.
///
/// # References
/// M. Okabe, K. Ito, "Color Universal Design", 2002; here those that stand out on white come first.
const OKABE_ITO: [u32; 8] = [
    0x0072b2, 0xd55e00, 0x009e73, 0xcc79a7, 0xe69f00, 0x56b4e9, 0x000000, 0xf0e442,
];

/// Eleven colours from low to high.
///
/// # References
/// S. van der Walt, N. Smith, viridis, 2015 (public domain).
const VIRIDIS: [u32; 11] = [
    0x440154, 0x482475, 0x414487, 0x355f8d, 0x2a788e, 0x21918c, 0x22a884, 0x44bf70, 0x7ad151,
    0xbddf26, 0xfde725,
];

/// Eleven colours from low to high.
///
/// # References
/// F. Crameri, "Scientific colour maps", 2018 (MIT): batlow.
const BATLOW: [u32; 11] = [
    0x011959, 0x103f60, 0x1c5a62, 0x3c6d56, 0x687b3e, 0x9d892b, 0xd29343, 0xf8a17b, 0xfdb7bc,
    0xfbd0e4, 0xfaccfa,
];

/// Blue through white to red, for quantities on both sides of zero.
const BLUE_RED: [u32; 11] = [
    0x0b4f8a, 0x2f79b5, 0x63a2cc, 0x9fc8e0, 0xd3e5f0, 0xf7f7f7, 0xfbdccb, 0xf4b08f, 0xdf7a60,
    0xc13a3c, 0x8a0b25,
];

/// A palette for quantities.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum GradientPalette {
    /// viridis: dark violet to yellow.
    #[default]
    Viridis,
    /// batlow: dark blue to pink.
    Batlow,
    /// Blue, white, red.
    BlueRed,
    /// Light to dark grey.
    Greys,
}

impl GradientPalette {
    /// The colour at a share of the way, from 0 to 1.
    pub(crate) fn colour(self, share: f64) -> PlotColour {
        let stops = match self {
            Self::Viridis => &VIRIDIS,
            Self::Batlow => &BATLOW,
            Self::BlueRed => &BLUE_RED,
            Self::Greys => {
                return PlotColour::opaque(0xf0f0f0).mix(PlotColour::opaque(0x202020), share);
            }
        };
        let place = share.clamp(0.0, 1.0) * (stops.len() - 1) as f64;
        let index = (place as usize).min(stops.len() - 2);
        let (from, to) = (
            PlotColour::opaque(stops[index]),
            PlotColour::opaque(stops[index + 1]),
        );
        from.mix(to, place - index as f64)
    }
}

/// How a plot looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PlotTheme {
    /// Dark ink on white, with a light grid.
    #[default]
    Light,
    /// Light ink on nearly black.
    Dark,
    /// Black on white without a grid, with axis lines: for paper.
    Print,
}

impl PlotTheme {
    pub(crate) fn background(self) -> PlotColour {
        PlotColour::opaque(match self {
            Self::Light | Self::Print => 0xffffff,
            Self::Dark => 0x16191f,
        })
    }

    /// Titles and labels of axes.
    #[must_use]
    pub fn ink(self) -> PlotColour {
        PlotColour::opaque(match self {
            Self::Light => 0x22262b,
            Self::Dark => 0xe8eaed,
            Self::Print => 0x000000,
        })
    }

    /// Labels of ticks.
    #[must_use]
    pub fn soft_ink(self) -> PlotColour {
        PlotColour::opaque(match self {
            Self::Light => 0x50565e,
            Self::Dark => 0xb4bac3,
            Self::Print => 0x000000,
        })
    }

    pub(crate) fn grid(self) -> Option<PlotColour> {
        match self {
            Self::Light => Some(PlotColour::opaque(0xe6e8eb)),
            Self::Dark => Some(PlotColour::opaque(0x2d323b)),
            Self::Print => None,
        }
    }

    /// Lines of axes.
    pub(crate) fn axis(self) -> PlotColour {
        PlotColour::opaque(match self {
            Self::Light => 0x868d96,
            Self::Dark => 0x7d8590,
            Self::Print => 0x000000,
        })
    }

    /// The colour of a category; beyond eight they return lighter, then darker.
    #[must_use]
    pub fn category(self, index: usize) -> PlotColour {
        let base = PlotColour::opaque(OKABE_ITO[index % OKABE_ITO.len()]);
        let base = match (self, index % OKABE_ITO.len()) {
            (Self::Dark, 0) => PlotColour::opaque(0x4aa3df),
            (Self::Dark, 6) => PlotColour::opaque(0xd0d4da),
            (_, 6) => PlotColour::opaque(0x4d4d4d),
            _ => base,
        };
        match index / OKABE_ITO.len() % 3 {
            0 => base,
            1 => base.mix(PlotColour::opaque(0xffffff), 0.45),
            _ => base.mix(PlotColour::opaque(0x000000), 0.4),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_read() {
        assert_eq!(parse_colour("#fff"), Some(PlotColour::opaque(0xffffff)));
        assert_eq!(
            parse_colour("#0072b2").map(PlotColour::hex).as_deref(),
            Some("#0072b2")
        );
        assert_eq!(
            parse_colour("SteelBlue"),
            Some(PlotColour::opaque(0x4682b4))
        );
        for text in ["#ff", "#gggggg", "", "#", "nocolour", "#+12345"] {
            assert_eq!(parse_colour(text), None, "{text}");
        }
    }

    #[test]
    fn gradients_run_from_dark_to_light_and_categories_differ() {
        for palette in [GradientPalette::Viridis, GradientPalette::Batlow] {
            let light: Vec<f64> = (0..=20)
                .map(|part| palette.colour(f64::from(part) / 20.0).lightness())
                .collect();
            assert!(
                light.windows(2).all(|pair| pair[1] > pair[0] - 0.01),
                "{light:?}"
            );
        }
        let colours: std::collections::BTreeSet<PlotColour> = (0..24)
            .map(|index| PlotTheme::Light.category(index))
            .collect();
        assert_eq!(colours.len(), 24);
    }
}
